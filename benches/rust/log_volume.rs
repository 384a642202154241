//! What the log costs in bulk, one measurement per process: `benches/compare/log.py` runs them and keeps the results.
//!
//! `cargo bench -p barnabas-log --bench log_volume -- NAME DIR …` prints one JSON line:
//!
//! | name | arguments | what it measures |
//! |---|---|---|
//! | `append` | megabytes | append of 1 MiB batches of 1 KiB records, then a flush, wall and CPU |
//! | `prepare-start` | partitions, segments | nothing; leaves a directory that was closed properly |
//! | `start` | threads | opening that directory: wall, CPU, resident memory gained |
//! | `prepare-recovery` | partitions, megabytes of each | nothing; leaves a directory as kill -9 does |
//! | `recovery` | threads | opening that directory |
//! | `prepare-search` | segments, megabytes of each | nothing; leaves sparse segments whose indexes are full |
//! | `search` | look-ups | index search, and search with the scan to the batch, of random offsets |

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement that fails stops"
)]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::hint::black_box;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_log::{AppendOrigin, FileStorage, LogConfig, LogManager, ManagerConfig, PartitionLog};
use barnabas_records::{BatchBuilder, Seal, crc32c, patch};

const NOW: i64 = 1_700_000_000_000;
const TOPIC: &str = "t";
const TOPIC_ID: [u8; 16] = [1; 16];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let Some((name, rest)) = arguments.split_first() else {
        // `cargo bench` without words runs every bench; these need a directory.
        return;
    };
    let (dir, numbers) = rest.split_first().expect("a directory");
    let dir = PathBuf::from(dir);
    let number = |index: usize| -> u64 {
        let text = numbers.get(index).expect("another number");
        text.parse().expect("a number")
    };
    match name.as_str() {
        "append" => append(&dir, number(0)),
        "prepare-start" => prepare_start(&dir, number(0), number(1)),
        "start" | "recovery" => start(&dir, number(0)),
        "prepare-recovery" => prepare_recovery(&dir, number(0), number(1)),
        "prepare-search" => prepare_search(&dir, number(0), number(1)),
        "search" => search(&dir, number(0)),
        other => println!("unknown measurement {other}"),
    }
}

/// CPU time of the process so far.
fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(now).expect("CPU time is not negative")
}

/// A line of `/proc/self/status` in MiB.
fn memory_mib(field: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("the process has a status");
    let line = status.lines().find(|line| line.starts_with(field)).expect("the field");
    let kib: f64 = line
        .split_whitespace()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .expect("a number of KiB");
    kib / 1024.0
}

/// A batch of about `len` bytes with records of `value_len` bytes.
fn batch(len: usize, value_len: usize) -> Vec<u8> {
    let value = vec![b'v'; value_len];
    let mut builder = BatchBuilder::new(Vec::new());
    while builder
        .try_append(len, NOW, None, Some(&value), &[])
        .expect("a record fits")
        .is_some()
    {}
    builder
        .finish(&Seal::default(), &mut Vec::new())
        .expect("a batch seals")
}

fn append_one(log: &PartitionLog, batch: &mut [u8]) -> bool {
    // The last append put the base offset there.
    patch::set_base_offset(batch, 0).expect("a batch has a header");
    log.append(batch, 0, NOW, AppendOrigin::Client)
        .expect("the batch is appended")
        .rolled
}

fn open(dir: &Path, threads: u64, segment_bytes: u64) -> LogManager {
    let config = ManagerConfig {
        data_dirs: vec![dir.join("data")],
        cluster_id: "bench".to_owned(),
        node_id: 1,
        temporary: false,
        open_files_max: 4096,
        recovery_threads: usize::try_from(threads).expect("a few threads"),
        defaults: config(segment_bytes),
    };
    LogManager::open(Arc::new(FileStorage), config, NOW).expect("the data directory opens")
}

fn config(segment_bytes: u64) -> LogConfig {
    LogConfig {
        segment_bytes,
        ..LogConfig::default()
    }
}

fn create(manager: &LogManager, partition: u64, segment_bytes: u64) -> Arc<PartitionLog> {
    let partition = i32::try_from(partition).expect("a partition");
    manager
        .get_or_create(TOPIC, partition, TOPIC_ID, config(segment_bytes), NOW)
        .expect("the log is made")
}

fn append(dir: &Path, megabytes: u64) {
    let manager = open(dir, 1, 1 << 30);
    let log = create(&manager, 0, 1 << 30);
    let mut bytes = batch(1 << 20, 1024);
    let count = (megabytes << 20) / bytes.len() as u64;
    let (begin, begin_cpu) = (Instant::now(), cpu());
    let mut slowest = Duration::ZERO;
    let (rolled, rolls) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let log = &log;
        // As the broker's helpers do it.
        scope.spawn(move || {
            for () in rolls {
                log.flush_sealed().expect("the sealed segments are flushed");
            }
        });
        for _ in 0..count {
            let at = Instant::now();
            if append_one(log, &mut bytes) {
                rolled.send(()).expect("the flusher runs");
            }
            slowest = slowest.max(at.elapsed());
        }
        drop(rolled);
    });
    let appended = begin.elapsed();
    log.flush().expect("the log is flushed");
    let (wall, cpu) = (
        begin.elapsed().as_secs_f64(),
        cpu().saturating_sub(begin_cpu).as_secs_f64(),
    );
    let total = (count * bytes.len() as u64) as f64;
    println!(
        "{{\"bytes\":{total},\"wall_s\":{wall:.3},\"append_s\":{:.3},\"mb_per_s\":{:.1},\"cpu_ns_per_byte\":{:.3},\
         \"slowest_append_ms\":{:.1}}}",
        appended.as_secs_f64(),
        total / wall / 1e6,
        cpu * 1e9 / total,
        slowest.as_secs_f64() * 1e3,
    );
}

fn prepare_start(dir: &Path, partitions: u64, segments: u64) {
    let segment_bytes = 40_000;
    let mut small = batch(10_000, 100);
    let manager = open(dir, 1, segment_bytes);
    for partition in 0..partitions {
        let log = create(&manager, partition, segment_bytes);
        let mut rolls = 0;
        while rolls + 1 < segments {
            rolls += u64::from(append_one(&log, &mut small));
        }
    }
    manager.shutdown(NOW).expect("the data directory closes");
}

fn prepare_recovery(dir: &Path, partitions: u64, megabytes: u64) {
    let mut bytes = batch(16 << 10, 100);
    let manager = open(dir, 1, 1 << 30);
    for partition in 0..partitions {
        let log = create(&manager, partition, 1 << 30);
        for _ in 0..(megabytes << 20) / bytes.len() as u64 {
            append_one(&log, &mut bytes);
        }
    }
    // No shutdown: the next start finds neither the marker nor a recovery point.
}

fn start(dir: &Path, threads: u64) {
    let before = memory_mib("VmRSS:");
    let (begin, begin_cpu) = (Instant::now(), cpu());
    let manager = open(dir, threads, 1 << 30);
    let (wall, cpu) = (
        begin.elapsed().as_secs_f64(),
        cpu().saturating_sub(begin_cpu).as_secs_f64(),
    );
    let after = memory_mib("VmRSS:");
    let logs = manager.partitions();
    let bytes: u64 = logs.iter().map(|(_, _, log)| log.size_in_bytes()).sum();
    println!(
        "{{\"partitions\":{},\"bytes\":{bytes},\"threads\":{threads},\"wall_s\":{wall:.3},\"cpu_s\":{cpu:.3},\
         \"gb_per_s\":{:.2},\"memory_gained_mib\":{:.1},\"resident_mib\":{after:.1}}}",
        logs.len(),
        bytes as f64 / wall / 1e9,
        after - before,
    );
    // The lock goes with the process; a shutdown would write to what the next run opens.
    if memory_mib("VmHWM:") > 0.0 {
        std::mem::forget(manager);
    }
}

/// Batches of 16 KiB, of which only headers exist: the rest of each segment is a hole.
const SPARSE_BATCH_BYTES: usize = 16 << 10;
const SPARSE_RECORDS: u64 = 16;
/// Batches per segment whose headers exist, each with the one before it.
const SPARSE_SAMPLES: u64 = 64;

/// Places that are looked up.
const SEARCH_PLACES: usize = 192;

/// The batches of a segment that can be looked up, the last one among them.
fn samples(batches: u64) -> impl Iterator<Item = u64> {
    (1..=SPARSE_SAMPLES).map(move |sample| sample * (batches - 1) / SPARSE_SAMPLES)
}

fn prepare_search(dir: &Path, segments: u64, megabytes: u64) {
    // The directory's own files, the marker of a clean shutdown among them.
    open(dir, 1, 1 << 30).shutdown(NOW).expect("the data directory closes");
    let partition = dir.join("data").join(format!("{TOPIC}-0"));
    fs::create_dir_all(&partition).expect("the directory is made");
    let mut header = batch(SPARSE_BATCH_BYTES, SPARSE_BATCH_BYTES / 16 - 80);
    header.truncate(61);
    let count = SPARSE_RECORDS;
    // Length, last offset delta and record count, whatever the builder made of it.
    let put = |header: &mut Vec<u8>, at: usize, value: u64| {
        let bytes = u32::try_from(value).expect("a small number").to_be_bytes();
        header.splice(at..at + 4, bytes);
    };
    put(&mut header, 8, SPARSE_BATCH_BYTES as u64 - 12);
    put(&mut header, 23, count - 1);
    put(&mut header, 57, count);
    let batches = (megabytes << 20) / SPARSE_BATCH_BYTES as u64;
    for segment in 0..segments {
        let base = segment * batches * count;
        let path = |suffix: &str| partition.join(format!("{base:020}{suffix}"));
        let log = File::create(path(".log")).expect("the segment is made");
        log.set_len(batches * SPARSE_BATCH_BYTES as u64).expect("a sparse file");
        let mut write = |index: u64| {
            let offset = i64::try_from(base + index * count).expect("an offset");
            patch::set_base_offset(&mut header, offset).expect("a batch has a header");
            log.write_all_at(&header, index * SPARSE_BATCH_BYTES as u64)
                .expect("a header is written");
        };
        write(0);
        for sample in samples(batches) {
            write(sample - 1);
            write(sample);
        }
        let mut index = Vec::new();
        for batch in 1..batches {
            for number in [(batch + 1) * count - 1, batch * SPARSE_BATCH_BYTES as u64] {
                index.extend(u32::try_from(number).expect("in range").to_be_bytes());
            }
        }
        fs::write(path(".index"), index).expect("the index is written");
        let last = u32::try_from(batches * count - 1).expect("in range");
        let times = [NOW.to_be_bytes().as_slice(), last.to_be_bytes().as_slice()].concat();
        fs::write(path(".timeindex"), times).expect("the time index is written");
    }
    // No producers at the end of the log, so that opening does not look for them in the holes.
    let none = 0_u32.to_be_bytes();
    let snapshot = [1_u16.to_be_bytes().as_slice(), &crc32c(&none).to_be_bytes(), &none].concat();
    let end = segments * batches * count;
    fs::write(partition.join(format!("{end:020}.snapshot")), snapshot).expect("the snapshot is written");
    fs::write(partition.join("leader-epoch-checkpoint"), "0\n1\n0 0\n").expect("the epochs are written");
    let mut checkpoint = String::new();
    write!(checkpoint, "0\n1\n{TOPIC} 0 {end}\n").expect("a string grows");
    fs::write(dir.join("data/recovery-point-offset-checkpoint"), checkpoint).expect("the checkpoint is written");
    fs::write(dir.join("layout"), format!("{segments} {batches}")).expect("the layout is noted");
}

fn search(dir: &Path, lookups: u64) {
    let layout = fs::read_to_string(dir.join("layout")).expect("a prepared directory");
    let mut numbers = layout.split(' ').map(|word| word.parse::<u64>().expect("a number"));
    let (segments, batches) = (numbers.next().expect("segments"), numbers.next().expect("batches"));
    let manager = open(dir, 1, 1 << 30);
    let log = manager.get(TOPIC, 0).expect("the log is there");
    let end = log.log_end_offset();
    let mut offsets: Vec<i64> = (0..segments.max(2) - 1)
        .flat_map(|segment| samples(batches).map(move |sample| segment * batches + sample))
        .map(|batch| i64::try_from(batch * SPARSE_RECORDS + 7).expect("an offset"))
        .collect();
    // As many places in a small log as in a large one: what differs is how much log lies around them, not how much of it
    // the processor's caches must hold.
    let stride = offsets.len() / SEARCH_PLACES;
    offsets = offsets.into_iter().step_by(stride.max(1)).take(SEARCH_PLACES).collect();
    let mut random: u64 = 1;
    let mut next = move || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let index = usize::try_from(random >> 33).expect("31 bits") % offsets.len();
        *offsets.get(index).expect("an index in range")
    };
    let index_ns = each(lookups, || {
        let offset = next();
        black_box(log.index_floor(offset).expect("the index is read"));
    });
    let find_ns = each(lookups, || {
        let offset = next();
        let slice = log.read(offset, 1, true, end).expect("the offset is there");
        assert_eq!(slice.base_offset, offset - 7, "the batch that holds the offset");
    });
    println!(
        "{{\"log_bytes\":{},\"segments\":{segments},\"index_ns\":{index_ns},\"index_and_scan_ns\":{find_ns}}}",
        log.size_in_bytes()
    );
    std::mem::forget(manager);
}

/// Median and 99th percentile of what `run` takes, after as many calls that warm the page cache up.
fn each(count: u64, mut run: impl FnMut()) -> String {
    for _ in 0..count {
        run();
    }
    let mut times: Vec<u128> = (0..count)
        .map(|_| {
            let begin = Instant::now();
            run();
            begin.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    let quantile = |q: usize| times.get((times.len() - 1) * q / 100).copied().unwrap_or_default();
    format!("{{\"p50\":{},\"p99\":{}}}", quantile(50), quantile(99))
}
