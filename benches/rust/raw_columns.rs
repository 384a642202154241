//! Costs of raw columns both ways: record batches to Arrow, and Arrow columns to sealed batches.
//!
//! `cargo bench -p barnabas-columnar --bench raw_columns`; CPU time of whole batches, from it the rate in records.
//! Beside each stands what the machine must do at least: copy the bytes, and sum them for the CRC.

#![expect(clippy::expect_used, reason = "a bench that fails stops")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use barnabas_columnar::encode::{BatchEncoder, BatchOptions, Input};
use barnabas_columnar::{Decoder, Dialect, Limits, Projection, RawColumn, RecordSlice};
use barnabas_records::{BatchBuilder, BatchRef, Compression, HEADER_LEN, Seal, crc32c};
use bytes::Bytes;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rustix::time::{ClockId, clock_gettime};

const TIMESTAMP: i64 = 1_700_000_000_000;
/// Bytes of values in each run: about a batch of 1 MiB.
const BYTES: usize = 1 << 20;

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

fn values(size: usize) -> Vec<Vec<u8>> {
    let mut state = 42_u64;
    let mut byte = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..BYTES / size).map(|_| (0..size).map(|_| byte()).collect()).collect()
}

fn batch_of(values: &[Vec<u8>]) -> Bytes {
    let mut builder = BatchBuilder::new(Vec::new());
    for value in values {
        builder
            .append(TIMESTAMP, value.get(..8), Some(value), &[])
            .expect("it fits");
    }
    let batch = builder
        .finish(&Seal::default(), &mut Vec::new())
        .expect("it can be sealed");
    Bytes::from(batch)
}

fn decode(bytes: &Bytes, decoder: &mut Decoder) {
    let batch = BatchRef::parse(bytes).expect("it was made here");
    let owner = bytes.slice(HEADER_LEN..);
    let slice = RecordSlice {
        topic: "trades",
        partition: 0,
        header: &batch.header,
        payload: &owner,
        first_offset: 0,
        end_offset: i64::MAX,
        chosen: None,
    };
    let mut full = Vec::new();
    decoder.push_shared(&slice, &owner, &mut full).expect("it decodes");
    full.extend(decoder.finish().expect("it decodes"));
    black_box(full);
}

fn to_arrow(criterion: &mut Criterion<CpuTime>) {
    for size in [10, 100, 1024] {
        let values = values(size);
        let bytes = batch_of(&values);
        let mut group = criterion.benchmark_group(format!("to Arrow, {size} B values"));
        group.throughput(Throughput::Elements(values.len() as u64));
        let seven: Vec<RawColumn> = (RawColumn::ALL.into_iter())
            .filter(|column| *column != RawColumn::Headers)
            .collect();
        for (name, projection) in [
            (
                "value, binary",
                Projection::of_columns(&[RawColumn::Value], Dialect::Client, false),
            ),
            (
                "value, views",
                Projection::of_columns(&[RawColumn::Value], Dialect::Client, true),
            ),
            (
                "offset",
                Projection::of_columns(&[RawColumn::Offset], Dialect::Client, false),
            ),
            (
                "spark, 7 columns",
                Projection::of_columns(&seven, Dialect::Spark, false),
            ),
            ("all 8 columns, binary", Projection::client()),
            (
                "all 8 columns, views",
                Projection::of_columns(&RawColumn::ALL, Dialect::Client, true),
            ),
        ] {
            let mut decoder = Decoder::new(projection, Limits::default());
            group.bench_function(name, |bencher| bencher.iter(|| decode(&bytes, &mut decoder)));
        }
        let mut copy = Vec::with_capacity(BYTES);
        let flat = values.concat();
        group.bench_function("memcpy of the values", |bencher| {
            bencher.iter(|| {
                copy.clear();
                copy.extend_from_slice(black_box(&flat));
                black_box(&copy);
            });
        });
        group.finish();
    }
}

fn encode(column: &ArrayRef) -> usize {
    let options = BatchOptions {
        // All records in one batch: with a second one there would be a third buffer that the copy beside it does not touch.
        batch_size: 2 * BYTES,
        compression: Compression::None,
        level: None,
        timestamp: TIMESTAMP,
    };
    let schema = Schema::new(vec![Field::new("value", column.data_type().clone(), true)]);
    let table = RecordBatch::try_new(Arc::new(schema), vec![Arc::clone(column)]).expect("one column");
    let mut encoder = BatchEncoder::new(options);
    encoder.push(&Input::new(&table).expect("bytes")).expect("it fits");
    black_box(encoder.finish().expect("it can be sealed")).len()
}

fn from_arrow(criterion: &mut Criterion<CpuTime>) {
    for size in [10, 100, 1024, 10_240] {
        let values = values(size);
        let mut group = criterion.benchmark_group(format!("from Arrow, {size} B values"));
        group.throughput(Throughput::Elements(values.len() as u64));
        let binary: ArrayRef = Arc::new(BinaryArray::from_iter_values(&values));
        let views: ArrayRef = Arc::new(BinaryViewArray::from_iter_values(&values));
        assert_eq!(binary.data_type(), &DataType::Binary);
        group.bench_function("binary to sealed batches", |bencher| bencher.iter(|| encode(&binary)));
        group.bench_function("views to sealed batches", |bencher| bencher.iter(|| encode(&views)));
        let mut copy = Vec::with_capacity(BYTES);
        let flat = values.concat();
        group.bench_function("memcpy and CRC of the values", |bencher| {
            bencher.iter(|| {
                copy.clear();
                copy.extend_from_slice(black_box(&flat));
                black_box(crc32c(&copy))
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime).sample_size(20).measurement_time(Duration::from_secs(1))
        .warm_up_time(Duration::from_millis(300));
    targets = to_arrow, from_arrow
}
criterion_main!(benches);
