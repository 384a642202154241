//! Costs of the records crate: CRC, murmur2, append, iterate, compress, decompress.
//!
//! `cargo bench -p barnabas-records`; records are seeded, their values look like JSON rows. Criterion reports the
//! CPU time of one whole batch, and from it the rate in records or bytes.

#![expect(clippy::expect_used, reason = "a bench that fails stops")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use barnabas_records::{
    BatchBuilder, BatchHeader, BatchRef, Compression, HEADER_LEN, RecordIndex, RecordIter, Seal, compress_over, crc32c,
    decompress_over, murmur2,
};
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rustix::time::{ClockId, clock_gettime};

const BATCH_LEN: usize = 1 << 20;
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

/// Values of exactly `len` bytes that look like JSON rows.
fn values(len: usize, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random(42);
    let mut row = String::new();
    (0..count)
        .map(|_| {
            row.clear();
            while row.len() < len {
                let origin = match random.below(3) {
                    0 => "EWR",
                    1 => "JFK",
                    _ => "LGA",
                };
                let (destination, delay, tail) = (random.below(105), random.below(1500), random.below(4043));
                write!(
                    row,
                    r#"{{"origin":"{origin}","dest":"{destination:03}","dep_delay":{delay},"tailnum":"N{tail:05}"}}"#
                )
                .expect("a string grows");
            }
            row.truncate(len);
            row.clone().into_bytes()
        })
        .collect()
}

fn batch_of(values: &[Vec<u8>], buffer: Vec<u8>, key: Option<&[u8]>) -> BatchBuilder {
    let mut builder = BatchBuilder::new(buffer);
    for (value, timestamp) in values.iter().zip(TIMESTAMP..) {
        builder
            .append(timestamp, key, Some(value), &[])
            .expect("the batch has room");
    }
    builder
}

fn count_for(len: usize) -> usize {
    BATCH_LEN / (len + 12)
}

fn crc(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("crc32c");
    for len in [100, 1024, 16 * 1024, 256 * 1024, 1 << 20] {
        let data = vec![0xa5u8; len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_with_input(BenchmarkId::from_parameter(len), &data, |b, data| {
            b.iter(|| crc32c(black_box(data)));
        });
    }
    group.finish();
    let mut group = c.benchmark_group("murmur2");
    for len in [10, 16, 20, 100] {
        let key = vec![0xa5u8; len];
        group.bench_with_input(BenchmarkId::from_parameter(len), &key, |b, key| {
            b.iter(|| murmur2(black_box(key)));
        });
    }
}

fn append(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("append");
    for len in [10, 100, 1024, 10 * 1024] {
        let values = values(len, count_for(len));
        group.throughput(Throughput::Elements(values.len() as u64));
        for (name, key) in [("null key", None), ("10 B key", Some(&b"0123456789"[..]))] {
            let mut buffer = Some(Vec::with_capacity(2 * BATCH_LEN));
            group.bench_with_input(BenchmarkId::new(name, len), &values, |b, values| {
                b.iter(|| {
                    let builder = batch_of(black_box(values), buffer.take().expect("a buffer"), black_box(key));
                    buffer = Some(builder.into_buffer());
                });
            });
        }
    }
}

fn iterate(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("iterate");
    for len in [10, 100, 1024, 10 * 1024] {
        let values = values(len, count_for(len));
        let bytes = batch_of(&values, Vec::new(), Some(b"0123456789"))
            .finish(&Seal::default(), &mut Vec::new())
            .expect("a batch");
        let batch = BatchRef::parse(&bytes).expect("a batch");
        group.throughput(Throughput::Elements(values.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(len), &batch, |b, batch| {
            b.iter(|| {
                let mut total = 0usize;
                for record in RecordIter::new(black_box(&batch.header), black_box(batch.payload())) {
                    let record = record.expect("a record");
                    total += record.key.map_or(0, <[u8]>::len) + record.value.map_or(0, <[u8]>::len);
                }
                total
            });
        });
    }
    let bytes = batch_of(&values(100, count_for(100)), Vec::new(), None)
        .finish(&Seal::default(), &mut Vec::new())
        .expect("a batch");
    let batch = BatchRef::parse(&bytes).expect("a batch");
    let index = RecordIndex::build(&batch.header, batch.payload()).expect("records");
    group.throughput(Throughput::Elements(index.len() as u64));
    group.bench_function("find all of 100 B", |b| {
        b.iter(|| RecordIndex::build(black_box(&batch.header), black_box(batch.payload())));
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("one of 100 B by its index", |b| {
        b.iter(|| {
            index.get(
                black_box(&batch.header),
                black_box(batch.payload()),
                black_box(index.len() / 2),
            )
        });
    });
    let bytes = batch_of(&values(100, 10), Vec::new(), None)
        .finish(&Seal::default(), &mut Vec::new())
        .expect("a batch");
    group.bench_function("header", |b| b.iter(|| BatchHeader::parse(black_box(&bytes))));
}

fn codecs(c: &mut Criterion<CpuTime>) {
    for (batch_len, name) in [(16 * 1024, "16 KiB"), (1 << 20, "1 MiB")] {
        let values = values(100, batch_len / 112);
        let batch = batch_of(&values, Vec::new(), None).into_buffer();
        let records = batch.get(HEADER_LEN..).expect("a batch");
        for codec in [
            Compression::Gzip,
            Compression::Snappy,
            Compression::Lz4,
            Compression::Zstd,
        ] {
            let mut compressed = Vec::new();
            let size = compress_over(codec, None, records, &mut compressed).expect("compressed");
            compressed.truncate(size);
            let mut out = Vec::new();
            let mut group = c.benchmark_group(format!("compress {name}"));
            group.throughput(Throughput::Bytes(records.len() as u64));
            let percent = 100 * compressed.len() / records.len();
            group.bench_function(format!("{} (to {percent} %)", codec.name()), |b| {
                b.iter(|| compress_over(codec, None, black_box(records), &mut out).expect("compressed"));
            });
            group.finish();
            let mut group = c.benchmark_group(format!("decompress {name}"));
            group.throughput(Throughput::Bytes(records.len() as u64));
            group.bench_function(codec.name(), |b| {
                b.iter(|| {
                    decompress_over(codec, black_box(&compressed), &mut out, records.len()).expect("decompressed")
                });
            });
        }
    }
}

criterion_group!(
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = crc, append, iterate, codecs
);
criterion_main!(benches);
