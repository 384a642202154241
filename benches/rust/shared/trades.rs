//! What the Avro benches share: seeded trades, with the fields of the JSON bench, and the thread's CPU time as measure.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::types::{Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_schema::{Field, Schema as ArrowSchema};
use barnabas_columnar::avro::{AvroOptions, Encoder, Schema, arrow_schema};
use barnabas_columnar::{BadRecords, Decoder, Limits, PayloadFormat, Projection, RecordSlice};
use barnabas_records::{BatchBuilder, BatchRef, Seal};
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use rustix::time::{ClockId, clock_gettime};

pub(crate) const RECORDS: usize = 8_192;
pub(crate) const SCHEMA_ID: u32 = 7;
pub(crate) const FIELDS: [(&str, &str); 8] = [
    ("id", r#""long""#),
    ("symbol", r#""string""#),
    ("price", r#""double""#),
    ("quantity", r#""int""#),
    ("side", r#""string""#),
    ("venue", r#""string""#),
    ("time", r#"{"type": "long", "logicalType": "timestamp-millis"}"#),
    ("active", r#""boolean""#),
];

/// The thread's CPU time, in which other programs on the machine do not count.
pub(crate) struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        let nanoseconds = u32::try_from(now.tv_nsec).expect("less than a second");
        Duration::new(u64::try_from(now.tv_sec).expect("not negative"), nanoseconds)
    }

    fn end(&self, started: Duration) -> Duration {
        self.start().saturating_sub(started)
    }

    fn add(&self, left: &Duration, right: &Duration) -> Duration {
        *left + *right
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// A seeded generator, so that every run works on the same bytes.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn int(&mut self, bound: u64) -> i32 {
        i32::try_from(self.below(bound)).expect("it is small")
    }
}

/// The schema of the trades; every field on its own or in a union with null.
pub(crate) fn schema_text(nullable: bool) -> String {
    let fields = FIELDS.map(|(name, data_type)| {
        if nullable {
            format!(r#"{{"name": "{name}", "type": ["null", {data_type}]}}"#)
        } else {
            format!(r#"{{"name": "{name}", "type": {data_type}}}"#)
        }
    });
    format!(
        r#"{{"type": "record", "name": "Trade", "fields": [{}]}}"#,
        fields.join(", ")
    )
}

/// Eight flat columns, as in the JSON bench.
pub(crate) fn trades() -> RecordBatch {
    let mut random = Random(42);
    let mut each = |make: &mut dyn FnMut(&mut Random)| (0..RECORDS).for_each(|_| make(&mut random));
    let (mut symbols, mut prices, mut quantities) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sides, mut times, mut active) = (Vec::new(), Vec::new(), Vec::new());
    each(&mut |random| {
        symbols.push(format!("SYM{:03}", random.below(500)));
        prices.push(f64::from(random.int(100_000)) / 100.0);
        quantities.push(random.int(10_000));
        sides.push(if random.below(2) == 0 { "buy" } else { "sell" });
        times.push(1_357_000_000_000 + i64::from(random.int(28)) * 86_400_000);
        active.push(random.below(2) == 0);
    });
    let ids = (0..i64::try_from(RECORDS).expect("it is small")).collect::<Vec<_>>();
    let times = PrimitiveArray::<TimestampMillisecondType>::from(times).with_timezone("UTC");
    let columns: [ArrayRef; 8] = [
        Arc::new(PrimitiveArray::<Int64Type>::from(ids)),
        Arc::new(StringArray::from_iter_values(symbols)),
        Arc::new(PrimitiveArray::<Float64Type>::from(prices)),
        Arc::new(PrimitiveArray::<Int32Type>::from(quantities)),
        Arc::new(StringArray::from_iter_values(sides)),
        Arc::new(StringArray::from_iter_values(vec!["XNYS"; RECORDS])),
        Arc::new(times),
        Arc::new(BooleanArray::from(active)),
    ];
    let names = FIELDS.map(|(name, _)| name);
    RecordBatch::try_from_iter(names.into_iter().zip(columns)).expect("columns are of one length")
}

pub(crate) fn encoder(nullable: bool) -> Encoder {
    Encoder::new(Schema::parse(&schema_text(nullable)).expect("it is a schema"))
}

pub(crate) fn batch_of(encoder: &Encoder) -> Vec<u8> {
    let values = encoder.encode(&trades()).expect("it is encoded");
    let mut builder = BatchBuilder::new(Vec::new());
    for value in &values {
        builder.append(1_700_000_000_000, None, value, &[]).expect("it fits");
    }
    builder
        .finish(&Seal::default(), &mut Vec::new())
        .expect("it can be sealed")
}

pub(crate) fn decode(bytes: &[u8], decoder: &mut Decoder) {
    let batch = BatchRef::parse(bytes).expect("it was made here");
    let slice = RecordSlice {
        topic: "trades",
        partition: 0,
        header: &batch.header,
        payload: batch.payload(),
        first_offset: 0,
        end_offset: i64::MAX,
        chosen: None,
    };
    let mut full = Vec::new();
    decoder.push(&slice, &mut full).expect("it decodes");
    full.extend(decoder.finish().expect("it decodes"));
    black_box(full);
}

/// A decoder of the named columns.
pub(crate) fn decoder(options: AvroOptions, nullable: bool, names: &[&str]) -> Decoder {
    let columns = arrow_schema(&schema_text(nullable)).expect("it is a schema");
    let columns: Vec<Arc<Field>> = (columns.fields().iter())
        .filter(|field| names.contains(&field.name().as_str()))
        .cloned()
        .collect();
    let columns = Arc::new(ArrowSchema::new(columns));
    let projection =
        Projection::typed(columns, &[], PayloadFormat::Avro(options), BadRecords::Null).expect("all types are known");
    Decoder::new(projection, Limits::default())
}
