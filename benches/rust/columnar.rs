//! Costs of the columnar crate: record batches to Arrow, raw and typed from JSON and CSV values, and JSON from columns.
//!
//! `cargo bench -p barnabas-columnar --bench columnar`; records are seeded. Criterion reports the CPU time of one whole
//! batch, and from it the rate in records. arrow-json decodes and encodes the same values beside the own code: it is the
//! crate that own code must beat to stay.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a bench that fails stops")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::StructArray;
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use barnabas_columnar::json::{JsonWriteOptions, encode};
use barnabas_columnar::{
    BadRecords, CsvOptions, Decoder, Dialect, Limits, PayloadFormat, Projection, RawColumn, RecordSlice,
};
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
        field(
            "time",
            DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        ),
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
        chosen: None,
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

/// Orders with a customer, a list of lines and a map, about 330 bytes each.
fn orders() -> Vec<Vec<u8>> {
    let mut random = Random(43);
    (0..RECORDS)
        .map(|id| {
            let lines: Vec<String> = (0..=random.below(3))
                .map(|line| {
                    format!(
                        "{{\"sku\": \"SKU-{:05}\", \"quantity\": {}, \"price\": {}.{:02}, \"gift\": {}}}",
                        random.below(50_000),
                        line + 1,
                        random.below(500),
                        random.below(100),
                        random.below(4) == 0
                    )
                })
                .collect();
            format!(
                "{{\"id\": {id}, \"customer\": {{\"name\": \"Zo\\u00eb {:03}\", \"country\": \"CH\", \"tier\": {}}}, \
                 \"lines\": [{}], \"tags\": {{\"channel\": \"web\", \"campaign\": \"c{}\"}}, \"note\": null}}",
                random.below(1_000),
                random.below(4),
                lines.join(", "),
                random.below(20),
            )
            .into_bytes()
        })
        .collect()
}

fn order_fields() -> Vec<Field> {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let customer = vec![
        field("name", DataType::Utf8),
        field("country", DataType::Utf8),
        field("tier", DataType::Int32),
    ];
    let line = vec![
        field("sku", DataType::Utf8),
        field("quantity", DataType::Int32),
        field("price", DataType::Float64),
        field("gift", DataType::Boolean),
    ];
    let lines = DataType::List(Arc::new(field("element", DataType::Struct(line.into()))));
    let entry = vec![Field::new("key", DataType::Utf8, false), field("value", DataType::Utf8)];
    let entries = Field::new("entries", DataType::Struct(entry.into()), false);
    vec![
        field("id", DataType::Int64),
        field("customer", DataType::Struct(customer.into())),
        field("lines", lines),
        field("tags", DataType::Map(Arc::new(entries), false)),
        field("note", DataType::Utf8),
    ]
}

fn nested(criterion: &mut Criterion<CpuTime>) {
    let values = orders();
    let bytes = batch_of(&values);
    let mut group = criterion.benchmark_group("json, nested");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let projection = Projection::json(schema_of(order_fields()), &[], BadRecords::Null).expect("all types are known");
    let mut decoder = Decoder::new(projection, Limits::default());
    group.bench_function("5 of 5 fields", |bencher| bencher.iter(|| decode(&bytes, &mut decoder)));
    let two = vec![order_fields().remove(0), order_fields().remove(1)];
    let projection = Projection::json(schema_of(two), &[], BadRecords::Null).expect("all types are known");
    let mut decoder = Decoder::new(projection, Limits::default());
    group.bench_function("2 of 5 fields", |bencher| bencher.iter(|| decode(&bytes, &mut decoder)));
    let lines = values.join(&b'\n');
    let mut reference = arrow_json::ReaderBuilder::new(schema_of(order_fields()))
        .with_batch_size(RECORDS)
        .build_decoder()
        .expect("all types are known");
    group.bench_function("5 of 5 fields, arrow-json", |bencher| {
        bencher.iter(|| {
            reference.decode(&lines).expect("it decodes");
            black_box(reference.flush().expect("it decodes"));
        });
    });
    group.finish();
}

/// The trades as lines of CSV, about 60 bytes each.
fn csv(criterion: &mut Criterion<CpuTime>) {
    let mut random = Random(42);
    let values: Vec<Vec<u8>> = (0..RECORDS)
        .map(|id| {
            format!(
                "{id},SYM{:03},{}.{:02},{},{},XNYS,2013-01-{:02}T10:{:02}:00Z,{}",
                random.below(500),
                random.below(1_000),
                random.below(100),
                random.below(10_000),
                if random.below(2) == 0 { "buy" } else { "\"sell\"" },
                random.below(28) + 1,
                random.below(60),
                random.below(2) == 0,
            )
            .into_bytes()
        })
        .collect();
    let bytes = batch_of(&values);
    let mut group = criterion.benchmark_group("csv");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let columns: Vec<String> = all_fields().iter().map(|field| field.name().clone()).collect();
    let three: Vec<Field> = all_fields()
        .into_iter()
        .filter(|f| ["id", "price", "side"].contains(&f.name().as_str()))
        .collect();
    for (name, fields) in [("8 of 8 fields", all_fields()), ("3 of 8 fields", three)] {
        let options = CsvOptions {
            columns: columns.clone(),
            ..CsvOptions::default()
        };
        let projection = Projection::typed(schema_of(fields), &[], PayloadFormat::Csv(options), BadRecords::Null)
            .expect("all types are known");
        let mut decoder = Decoder::new(projection, Limits::default());
        group.bench_function(name, |bencher| bencher.iter(|| decode(&bytes, &mut decoder)));
    }
    group.finish();
}

fn encoding(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("to json");
    group.throughput(Throughput::Elements(RECORDS as u64));
    for (name, values, fields) in [
        ("8 flat fields", trades(), all_fields()),
        ("5 nested fields", orders(), order_fields()),
    ] {
        let projection = Projection::json(schema_of(fields), &[], BadRecords::Null).expect("all types are known");
        let mut decoder = Decoder::new(projection, Limits::default());
        let bytes = batch_of(&values);
        let batch = BatchRef::parse(&bytes).expect("it was made here");
        let slice = RecordSlice {
            topic: "trades",
            partition: 0,
            header: &batch.header,
            payload: batch.payload(),
            first_offset: 0,
            end_offset: i64::MAX,
            chosen: None,
        };
        decoder.push(&slice, &mut Vec::new()).expect("it decodes");
        let rows = decoder.finish().expect("it decodes").expect("there are rows");
        let structs = StructArray::from(rows.clone());
        let options = JsonWriteOptions::default();
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(encode(&structs, &options).expect("it can be written")));
        });
        group.bench_function(format!("{name}, arrow-json"), |bencher| {
            bencher.iter(|| {
                let mut writer = arrow_json::LineDelimitedWriter::new(Vec::new());
                writer.write(&rows).expect("it can be written");
                writer.finish().expect("it can be written");
                black_box(writer.into_inner());
            });
        });
    }
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
    targets = typed, nested, csv, encoding, raw
}
criterion_main!(benches);
