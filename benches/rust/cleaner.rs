//! Speed of compaction: bytes of log read, for the map and to be written anew, per second of the thread's CPU time.
//!
//! `cargo bench -p barnabas-log --bench cleaner`; files are in the system's temporary directory and are synced, as the
//! broker's are. `BYTES=n` sets the size of a log (default 256 MiB). Each case is a log whose keys come four times, so
//! that three of four records go, or of which half is clean already. Beside it stands the floor: reading and writing the
//! same bytes.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench that fails stops, and prints"
)]

use std::fs::File;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_log::{AppendOrigin, CleanOutcome, Cleaner, FileStorage, FullSpeed, LogConfig, OpenContext, PartitionLog};
use barnabas_records::{BatchBuilder, Compression, Seal};

const NOW: i64 = 1_700_000_000_000;

/// CPU time of this thread so far.
fn clock() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("CPU time is not negative")
}

struct Case {
    name: &'static str,
    value_len: usize,
    batch_len: usize,
    compression: Compression,
    /// How often each key comes.
    versions: u64,
}

fn fill(log: &PartitionLog, case: &Case, bytes: u64) -> u64 {
    let records = bytes / (case.value_len as u64 + 24);
    let keys = (records / case.versions).max(1);
    let mut value = vec![0u8; case.value_len];
    let mut next = 0u64;
    let mut state = 1u64;
    while next < records {
        let mut builder = BatchBuilder::new(Vec::new());
        while builder.size_in_bytes() < case.batch_len && next < records {
            for chunk in value.chunks_mut(8) {
                // Half of the bytes are noise, so that codecs have something to do.
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let noise = (state >> 32).to_le_bytes();
                for (byte, noise) in chunk.iter_mut().zip(noise) {
                    *byte = noise;
                }
            }
            // Each version of the keys in another order.
            let key = (next.wrapping_mul(7919) % keys).to_be_bytes();
            builder
                .append(NOW, Some(&key), Some(&value), &[])
                .expect("a record fits");
            next += 1;
        }
        let seal = Seal {
            compression: case.compression,
            ..Seal::default()
        };
        let mut batch = builder.finish(&seal, &mut Vec::new()).expect("a batch seals");
        log.append(&mut batch, 0, NOW, AppendOrigin::Internal)
            .expect("it is appended");
    }
    log.roll(NOW).expect("it rolls");
    log.set_high_watermark(log.log_end_offset());
    log.size_in_bytes()
}

fn floor(bytes: u64) -> f64 {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    let mut buffer = vec![1u8; 256 << 10];
    let mut file = File::create(&from).expect("a file");
    for _ in 0..bytes / buffer.len() as u64 {
        file.write_all(&buffer).expect("it is written");
    }
    let mut from = File::open(&from).expect("a file");
    let mut to = File::create(&to).expect("a file");
    let before = clock();
    while from.read(&mut buffer).expect("it is read") > 0 {
        to.write_all(&buffer).expect("it is written");
    }
    to.sync_data().expect("it is synced");
    megabytes_per_second(bytes, clock().saturating_sub(before))
}

#[expect(clippy::cast_precision_loss, reason = "a rate to be printed")]
fn megabytes_per_second(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

fn main() {
    let bytes = std::env::var("BYTES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(256 << 20);
    let case = |name, value_len, compression, versions| Case {
        name,
        value_len,
        batch_len: 64 << 10,
        compression,
        versions,
    };
    let cases = [
        case("1 KiB", 1024, Compression::None, 4),
        case("1 KiB, no duplicates", 1024, Compression::None, 1),
        case("100 B", 100, Compression::None, 4),
        case("1 KiB lz4", 1024, Compression::Lz4, 4),
        case("1 KiB zstd", 1024, Compression::Zstd, 4),
    ];
    println!("{{\"bytes\": {bytes},");
    println!(" \"floor: copy with sync, MB per CPU second\": {:.0},", floor(bytes));
    for (index, case) in cases.iter().enumerate() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let config = LogConfig {
            compact: true,
            segment_bytes: 128 << 20,
            ..LogConfig::default()
        };
        let storage = Arc::new(FileStorage);
        let context = OpenContext::unclean(NOW);
        let log = PartitionLog::open(storage, dir.path().join("t-0"), [1; 16], config, context).expect("it opens");
        let size = fill(&log, case, bytes);
        let dirty = log.dirty(NOW).expect("it is read").expect("there is something");
        let (wall, before) = (Instant::now(), clock());
        let outcome = Cleaner::default()
            .clean(&log, &dirty, NOW, &FullSpeed)
            .expect("it is compacted");
        let (wall, cpu) = (wall.elapsed(), clock().saturating_sub(before));
        let CleanOutcome::Done { stats, .. } = outcome else {
            panic!("somebody disturbed it");
        };
        println!(
            " \"{}\": {{\"log MB per CPU second\": {:.0}, \"log MB per second\": {:.0}, \"bytes\": {size}, \"written\": {}, \"records\": {}, \"kept\": {}, \"keys\": {}}}{}",
            case.name,
            megabytes_per_second(size, cpu),
            megabytes_per_second(size, wall),
            stats.bytes_written,
            stats.records_read,
            stats.records_kept,
            stats.keys,
            if index + 1 < cases.len() { "," } else { "}" },
        );
    }
}
