//! Costs of the log crate: append, look-up, recovery, clean start.
//!
//! `cargo bench -p barnabas-log`; files are in the system's temporary directory. Beside each append stands its floor:
//! the CRC and the write of the same bytes, which no log can do without. The CPU time of the thread is
//! measured, which other work on the machine disturbs less than wall time.

#![expect(clippy::expect_used, reason = "a bench that fails stops")]

use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use barnabas_log::{
    AppendOrigin, FileStorage, LogConfig, LogManager, ManagerConfig, OpenContext, PartitionLog, Storage,
};
use barnabas_records::{BatchBuilder, Seal, crc32c, patch};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tempfile::TempDir;

const NOW: i64 = 1_700_000_000_000;
/// Bytes after which an append bench begins a new file, outside of what is measured.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// CPU time of this thread so far.
fn clock() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("CPU time is not negative")
}

/// CPU time of `run`, and its result.
fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let before = clock();
    let result = run();
    (clock().saturating_sub(before), result)
}

/// A batch of about `len` bytes with records of `value_len` bytes.
fn batch(len: usize, value_len: usize) -> Vec<u8> {
    let value = vec![b'v'; value_len];
    let mut builder = BatchBuilder::new(Vec::new());
    loop {
        let appended = builder
            .try_append(len, NOW, None, Some(&value), &[])
            .expect("a record fits");
        if appended.is_none() {
            return builder
                .finish(&Seal::default(), &mut Vec::new())
                .expect("a batch seals");
        }
    }
}

fn open(dir: &Path, config: LogConfig, context: OpenContext) -> PartitionLog {
    let storage: Arc<dyn Storage> = Arc::new(FileStorage);
    PartitionLog::open(storage, dir.join("t-0"), [1; 16], config, context).expect("the log opens")
}

fn new_log(config: LogConfig) -> (TempDir, PartitionLog) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let log = open(dir.path(), config, OpenContext::unclean(NOW));
    (dir, log)
}

fn append(log: &PartitionLog, batch: &mut [u8]) {
    // The last append put the base offset there.
    patch::set_base_offset(batch, 0).expect("a batch has a header");
    black_box(
        log.append(batch, 0, NOW, AppendOrigin::Client)
            .expect("the batch is appended"),
    );
}

/// Times `iterations` of `append`, with a fresh file, made by `fresh`, whenever one is full.
fn measure<T>(iterations: u64, len: usize, fresh: impl Fn() -> T, mut append: impl FnMut(&T, u64)) -> Duration {
    let per_file = (FILE_BYTES_MAX / len as u64).max(1);
    let mut total = Duration::ZERO;
    let mut left = iterations;
    while left > 0 {
        let file = fresh();
        append(&file, 0);
        let count = left.min(per_file);
        let (time, ()) = timed(|| {
            for index in 0..count {
                append(&file, (index + 1) * len as u64);
            }
        });
        total += time;
        left -= count;
    }
    total
}

fn appends(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("append");
    group.sample_size(20);
    for (name, len) in [("16KiB", 16 << 10), ("1MiB", 1 << 20)] {
        for value_len in [100, 1024] {
            let bytes = batch(len, value_len);
            let case = format!("{name}_of_{value_len}B");
            group.throughput(Throughput::Bytes(bytes.len() as u64));
            group.bench_function(BenchmarkId::new("log", &case), |bencher| {
                let mut bytes = bytes.clone();
                bencher.iter_custom(|iterations| {
                    let fresh = || new_log(LogConfig::default());
                    measure(iterations, bytes.len(), fresh, |(_, log), _| append(log, &mut bytes))
                });
            });
            group.bench_function(BenchmarkId::new("floor", &case), |bencher| {
                bencher.iter_custom(|iterations| {
                    let fresh = || tempfile::tempfile().expect("a temporary file");
                    measure(iterations, bytes.len(), fresh, |file: &File, position| {
                        black_box(crc32c(&bytes));
                        file.write_all_at(&bytes, position).expect("the file is written");
                    })
                });
            });
        }
    }
    group.finish();
}

fn reads(criterion: &mut Criterion) {
    let (_dir, log) = new_log(LogConfig {
        segment_bytes: 128 << 20,
        ..LogConfig::default()
    });
    let mut bytes = batch(1000, 100);
    for _ in 0..400_000 {
        append(&log, &mut bytes);
    }
    let end = log.log_end_offset();
    let mut group = criterion.benchmark_group("read");
    for (name, max_bytes) in [("one_batch", 1), ("1MiB", 1 << 20)] {
        let mut offset = 0;
        group.bench_function(BenchmarkId::new("random_offset", name), |bencher| {
            bencher.iter_custom(|iterations| {
                let read = || {
                    for _ in 0..iterations {
                        offset = (offset + 1_000_003) % end;
                        black_box(
                            log.read(offset, max_bytes, true, end)
                                .expect("the offset is in the log"),
                        );
                    }
                };
                timed(read).0
            });
        });
    }
    group.finish();
}

fn recovery(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("open");
    group.sample_size(10);
    let config = LogConfig {
        segment_bytes: 64 << 20,
        ..LogConfig::default()
    };
    let (dir, log) = new_log(config.clone());
    let mut bytes = batch(16 << 10, 100);
    for _ in 0..(256 << 20) / bytes.len() {
        append(&log, &mut bytes);
    }
    group.throughput(Throughput::Bytes(log.size_in_bytes()));
    group.bench_function("recover_256MiB", |bencher| {
        bencher.iter_custom(|iterations| {
            (0..iterations)
                .map(|_| timed(|| open(dir.path(), config.clone(), OpenContext::unclean(NOW))).0)
                .sum()
        });
    });
    group.finish();
}

fn clean_start(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("open");
    group.sample_size(10);
    let data = tempfile::tempdir().expect("a temporary directory");
    let manager = || {
        let config = ManagerConfig {
            data_dirs: vec![data.path().to_owned()],
            cluster_id: "bench".to_owned(),
            node_id: 1,
            temporary: true,
            open_files_max: 1000,
            recovery_threads: 2,
            defaults: LogConfig {
                segment_bytes: 40_000,
                ..LogConfig::default()
            },
        };
        LogManager::open(Arc::new(FileStorage), config, NOW).expect("the data directory opens")
    };
    let mut small = batch(10_000, 100);
    let first = manager();
    for partition in 0..2000 {
        let config = LogConfig {
            segment_bytes: 40_000,
            ..LogConfig::default()
        };
        let log = first
            .get_or_create("t", partition, [1; 16], config, NOW)
            .expect("the log is made");
        for _ in 0..18 {
            append(&log, &mut small);
        }
    }
    first.shutdown(NOW).expect("the data directory closes");
    group.throughput(Throughput::Elements(2000));
    group.bench_function("clean_2000_partitions_of_5_segments", |bencher| {
        bencher.iter_custom(|iterations| {
            let mut total = Duration::ZERO;
            for _ in 0..iterations {
                let (time, manager) = timed(manager);
                total += time;
                manager.shutdown(NOW).expect("the data directory closes");
            }
            total
        });
    });
    group.finish();
}

criterion_group!(benches, appends, reads, recovery, clean_start);
criterion_main!(benches);
