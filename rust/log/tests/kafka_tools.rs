//! Kafka's own tools read what the log writes, and the log reads what Kafka wrote. What they say of compacted directories
//! is held against Kafka's own in `src/tests/cleaner/dump.rs`.
//!
//! Ignored by default because they need Java and Kafka's jars:
//! `KAFKA_CLASSPATH='…/libs/*' [KAFKA_DATA_DIR=…] cargo test -p barnabas-log --test kafka_tools -- --ignored`

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use barnabas_log::{AppendOrigin, FileStorage, LogConfig, LogManager, ManagerConfig, PartitionLog};
use barnabas_records::{
    BatchBuilder, BatchIter, Compression, ControlKey, EndTransactionMarker, RecordIter, Seal, build_control_batch,
    control_type,
};

const NOW: i64 = 1_700_000_000_000;

fn manager(data: &Path, cluster_id: &str, node_id: i32) -> LogManager {
    let config = ManagerConfig {
        data_dirs: vec![data.to_owned()],
        cluster_id: cluster_id.to_owned(),
        node_id,
        temporary: false,
        open_files_max: 50,
        recovery_threads: 2,
        defaults: LogConfig::default(),
    };
    LogManager::open(Arc::new(FileStorage), config, NOW).unwrap()
}

/// A small generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn int(&mut self, bound: u64) -> i32 {
        i32::try_from(self.below(bound)).unwrap()
    }
}

/// A transactional producer: its next sequence and whether a transaction is open.
#[derive(Clone, Copy, Default)]
struct Transactional {
    sequence: i32,
    is_open: bool,
}

/// Batches of all codecs, of idempotent producers and of transactions that end in either way, over several leader
/// epochs, with few keys and some tombstones. Returns the number of records, markers among them.
fn fill(log: &PartitionLog, seed: u64) -> usize {
    let mut random = Random(seed);
    let mut records = 0;
    let mut sequences = [0; 3];
    let mut transactional = [Transactional::default(); 3];
    for step in 0..500i32 {
        let now = NOW + i64::from(step);
        let producer = usize::try_from(random.below(3)).unwrap();
        let kind = random.below(10);
        let append = |mut batch: Vec<u8>| {
            log.append(&mut batch, step / 150, now, AppendOrigin::Internal).unwrap();
        };
        if kind == 0 && transactional[producer].is_open {
            transactional[producer].is_open = false;
            append(marker(producer, random.below(2) == 0, step));
            records += 1;
            continue;
        }
        let count = random.int(7) + 1;
        let mut seal = Seal {
            compression: Compression::ALL[usize::try_from(random.below(5)).unwrap()],
            ..Seal::default()
        };
        if kind < 3 {
            seal.producer_id = 1000 + i64::try_from(producer).unwrap();
            seal.producer_epoch = 0;
            seal.base_sequence = sequences[producer];
            sequences[producer] += count;
        } else if kind < 7 {
            seal = Seal {
                base_sequence: transactional[producer].sequence,
                ..transaction(producer, seal.compression)
            };
            transactional[producer].sequence += count;
            transactional[producer].is_open = true;
        }
        let mut builder = BatchBuilder::new(Vec::new());
        for record in 0..count {
            let key = format!("key {}", random.below(25));
            let value = format!(
                "value {step} {record} {}",
                "x".repeat(usize::try_from(random.below(200)).unwrap())
            );
            let value = (random.below(10) > 0).then_some(value.as_bytes());
            let header: [(&[u8], Option<&[u8]>); 1] = [(b"h", None)];
            builder.append(now, Some(key.as_bytes()), value, &header).unwrap();
        }
        append(builder.finish(&seal, &mut Vec::new()).unwrap());
        records += usize::try_from(count).unwrap();
    }
    for (producer, state) in transactional.iter().enumerate().filter(|(_, state)| state.is_open) {
        let mut end = marker(producer, state.sequence % 2 == 0, 500);
        log.append(&mut end, 3, NOW + 500, AppendOrigin::Internal).unwrap();
        records += 1;
    }
    log.set_high_watermark(log.log_end_offset());
    records
}

fn transaction(producer: usize, compression: Compression) -> Seal {
    Seal {
        producer_id: 70 + i64::try_from(producer).unwrap(),
        producer_epoch: 3,
        transactional: true,
        compression,
        ..Seal::default()
    }
}

fn marker(producer: usize, commits: bool, coordinator_epoch: i32) -> Vec<u8> {
    let key = ControlKey {
        version: 0,
        control_type: if commits {
            control_type::COMMIT
        } else {
            control_type::ABORT
        },
    };
    let value = EndTransactionMarker {
        version: 0,
        coordinator_epoch,
    };
    let seal = Seal {
        base_sequence: -1,
        ..transaction(producer, Compression::None)
    };
    build_control_batch(
        Vec::new(),
        key,
        &value.to_bytes(),
        NOW + i64::from(coordinator_epoch),
        &seal,
    )
    .unwrap()
}

fn dump(arguments: &[&str], files: &[PathBuf]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let output = Command::new("java")
        .args([
            "-cp",
            &std::env::var("KAFKA_CLASSPATH").unwrap(),
            "org.apache.kafka.tools.DumpLogSegments",
        ])
        .args(arguments)
        .args(["--files", &names.join(",")])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text
}

fn files(dir: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().unwrap().ends_with(suffix))
        .collect();
    found.sort();
    found
}

/// Every file of the directory, by every check that the tool has; returns what it prints of the batches.
fn dump_directory(dir: &Path) -> String {
    let logs = dump(&["--deep-iteration", "--print-data-log"], &files(dir, ".log"));
    assert!(!logs.contains("isvalid: false"), "{logs}");
    for arguments in [&["--index-sanity-check"][..], &["--verify-index-only"], &[]] {
        for suffix in [".index", ".timeindex"] {
            let indexes = dump(arguments, &files(dir, suffix));
            for complaint in ["Found", "Mismatch", "mismatch", "rror", "xception", "not found"] {
                assert!(!indexes.contains(complaint), "{arguments:?}: {indexes}");
            }
        }
    }
    logs
}

/// How many lines of `text` have all of `parts`.
fn lines_with(text: &str, parts: &[&str]) -> usize {
    text.lines()
        .filter(|line| parts.iter().all(|part| line.contains(part)))
        .count()
}

#[test]
#[ignore = "needs Java and KAFKA_CLASSPATH"]
fn dump_log_segments_reads_our_files_without_complaint() {
    let seeds = std::env::var("SEEDS").map_or(2, |text| text.parse().unwrap());
    for seed in 0..seeds {
        let data = tempfile::tempdir().unwrap();
        let manager = manager(data.path(), "cluster", 1);
        let config = LogConfig {
            segment_bytes: 16 << 10,
            index_interval_bytes: 500 + u32::try_from(seed).unwrap(),
            ..LogConfig::default()
        };
        let plain = manager.get_or_create("plain", 0, [3; 16], config, NOW).unwrap();
        let records = fill(&plain, seed);
        manager.shutdown(NOW).unwrap();

        let dir = data.path().join("plain-0");
        assert!(files(&dir, ".log").len() > 3);
        let logs = dump_directory(&dir);
        assert_eq!(lines_with(&logs, &["| offset:"]), records, "seed {seed}");
        let aborts = lines_with(&logs, &["endTxnMarker: ABORT"]);
        assert!(aborts > 0 && logs.contains("endTxnMarker: COMMIT"));
        let indexed = dump(&[], &files(&dir, ".txnindex"));
        assert_eq!(
            lines_with(&indexed, &["producerId: 7", "firstOffset"]),
            aborts,
            "{indexed}"
        );
        let snapshots = dump(&[], &files(&dir, ".snapshot"));
        for producer in ["producerId: 1000 producerEpoch: 0", "producerId: 70 producerEpoch: 3"] {
            assert!(snapshots.contains(producer), "{snapshots}");
        }
    }
}

/// Opens a copy of a data directory that a Kafka broker wrote, whether it was stopped or killed, and compares the end
/// offsets with `KAFKA_EXPECTED` (`topic-partition=end offset,…`).
#[test]
#[ignore = "needs KAFKA_DATA_DIR"]
fn what_kafka_wrote_is_read() {
    let source = std::env::var("KAFKA_DATA_DIR").unwrap();
    let copy = tempfile::tempdir().unwrap();
    let data = copy.path().join("data");
    assert!(
        Command::new("cp")
            .arg("-r")
            .arg(&source)
            .arg(&data)
            .status()
            .unwrap()
            .success()
    );
    let cluster_id = LogManager::stored_cluster_id(&FileStorage, &data).unwrap().unwrap();
    let manager = manager(&data, &cluster_id, 1);
    let mut ends = BTreeMap::new();
    for (topic, partition, log) in manager.partitions() {
        let mut offset = log.log_start_offset();
        while offset < log.log_end_offset() {
            let slice = log.read(offset, 1 << 20, true, i64::MAX).unwrap();
            let bytes = slice.read().unwrap();
            let mut batches = BatchIter::new(&bytes);
            for batch in batches.by_ref() {
                let batch = batch.unwrap();
                batch.check_crc().unwrap();
                let mut scratch = Vec::new();
                let payload = batch.decompress_into(&mut scratch, 64 << 20).unwrap();
                for record in RecordIter::new(&batch.header, payload) {
                    assert!(record.unwrap().offset < batch.header.next_offset());
                }
                offset = batch.header.next_offset();
            }
            assert_eq!(batches.rest(), []);
        }
        ends.insert(format!("{topic}-{partition}"), log.log_end_offset());
    }
    for expected in std::env::var("KAFKA_EXPECTED")
        .unwrap_or_default()
        .split(',')
        .filter(|text| !text.is_empty())
    {
        let (partition, end) = expected.split_once('=').unwrap();
        assert_eq!(
            ends.get(partition),
            Some(&end.parse().unwrap()),
            "{partition} in {ends:?}"
        );
    }
    manager.shutdown(NOW).unwrap();
}
