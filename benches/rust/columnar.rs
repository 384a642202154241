//! Costs of the columnar crate: record batches to Arrow, raw and typed from JSON values.
//!
//! `cargo bench -p barnabas-columnar`; records are seeded. Criterion reports the CPU time of one whole batch, and from
//! it the rate in records. arrow-json decodes the same values beside the typed decoder.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a bench that fails stops")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use barnabas_columnar::{BadRecords, Decoder, Dialect, Limits, Projection, RawColumn, RecordSlice};
use barnabas_records::{BatchBuilder, BatchRef, Seal};
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rustix::time::{ClockId, clock_gettime};

const RECORDS: usize = 8_192;
const TIMESTAMP: i64 = 1_700_000_000_000;

/// The thread's CPU time, in which other programs on the machine do not count.
struct CpuTime;

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
}

/// JSON values with eight flat fields, about 155 bytes each.
fn trades() -> Vec<Vec<u8>> {
    let mut random = Random(42);
    (0..RECORDS)
        .map(|id| {
            format!(
                "{{\"id\": {id}, \"symbol\": \"SYM{:03}\", \"price\": {}.{:02}, \"quantity\": {}, \"side\": \"{}\", \
                 \"venue\": \"XNYS\", \"time\": \"2013-01-{:02}T10:{:02}:00Z\", \"active\": {}}}",
                random.below(500),
                random.below(1_000),
                random.below(100),
                random.below(10_000),
                if random.below(2) == 0 { "buy" } else { "sell" },
                random.below(28) + 1,
                random.below(60),
                random.below(2) == 0,
            )
            .into_bytes()
        })
        .collect()
}

fn batch_of(values: &[Vec<u8>]) -> Vec<u8> {
    let mut builder = BatchBuilder::new(Vec::new());
    for value in values {
        let key = value.get(..10);
        builder.append(TIMESTAMP, key, Some(value), &[]).expect("it fits");
    }
    builder
        .finish(&Seal::default(), &mut Vec::new())
        .expect("it can be sealed")
}

fn all_fields() -> Vec<Field> {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    vec![
        field("id", DataType::Int64),
        field("symbol", DataType::Utf8),
        field("price", DataType::Float64),
        field("quantity", DataType::Int32),
        field("side", DataType::Utf8),
        field("venue", DataType::Utf8),
        field("time", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        field("active", DataType::Boolean),
    ]
}

fn schema_of(fields: Vec<Field>) -> SchemaRef {
    Arc::new(Schema::new(fields))
}

fn decode(bytes: &[u8], decoder: &mut Decoder) {
    let batch = BatchRef::parse(bytes).expect("it was made here");
    let slice = RecordSlice {
        topic: "trades",
        partition: 0,
        header: &batch.header,
        payload: batch.payload(),
        first_offset: 0,
        end_offset: i64::MAX,
    };
    let mut full = Vec::new();
    decoder.push(&slice, &mut full).expect("it decodes");
    full.extend(decoder.finish().expect("it decodes"));
    black_box(full);
}

fn typed(criterion: &mut Criterion<CpuTime>) {
    let values = trades();
    let bytes = batch_of(&values);
    let mut group = criterion.benchmark_group("json");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let three: Vec<Field> = all_fields()
        .into_iter()
        .filter(|f| ["id", "price", "side"].contains(&f.name().as_str()))
        .collect();
    for (name, fields) in [("8 of 8 fields", all_fields()), ("3 of 8 fields", three)] {
        let projection = Projection::json(schema_of(fields), &[], BadRecords::Null).expect("all types are known");
        let mut decoder = Decoder::new(projection, Limits::default());
        group.bench_function(name, |bencher| bencher.iter(|| decode(&bytes, &mut decoder)));
    }
    let lines = values.join(&b'\n');
    // arrow-json knows UTC by offset only, unless it is built with chrono-tz.
    let mut fields = all_fields();
    fields[6] = Field::new(
        "time",
        DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        true,
    );
    let mut reference = arrow_json::ReaderBuilder::new(schema_of(fields))
        .with_batch_size(RECORDS)
        .build_decoder()
        .expect("all types are known");
    group.bench_function("8 of 8 fields, arrow-json", |bencher| {
        bencher.iter(|| {
            reference.decode(&lines).expect("it decodes");
            black_box(reference.flush().expect("it decodes"));
        });
    });
    group.finish();
}

fn raw(criterion: &mut Criterion<CpuTime>) {
    let mut values = trades();
    for value in &mut values {
        value.truncate(100);
    }
    let bytes = batch_of(&values);
    let spark = |columns: &[RawColumn]| {
        let field =
            |column: &RawColumn| Field::new(column.name(Dialect::Spark), column.data_type(Dialect::Spark), true);
        Projection::raw(schema_of(columns.iter().map(field).collect())).expect("they are Kafka's")
    };
    let seven: Vec<RawColumn> = RawColumn::ALL
        .into_iter()
        .filter(|column| *column != RawColumn::Headers)
        .collect();
    let mut group = criterion.benchmark_group("raw, 100 bytes");
    group.throughput(Throughput::Elements(RECORDS as u64));
    for (name, projection) in [
        ("client, 8 columns", Projection::client()),
        ("spark, 7 columns", spark(&seven)),
        ("value", spark(&[RawColumn::Value])),
        ("offset", spark(&[RawColumn::Offset])),
    ] {
        let mut decoder = Decoder::new(projection, Limits::default());
        group.bench_function(name, |bencher| bencher.iter(|| decode(&bytes, &mut decoder)));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime).sample_size(20).measurement_time(Duration::from_secs(3));
    targets = typed, raw
}
criterion_main!(benches);
