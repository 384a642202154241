//! Kafka's own tools read what the log writes, and the log reads what Kafka wrote.
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

/// Batches of all codecs, of idempotent producers and of a transaction, over several segments and leader epochs.
fn fill(log: &PartitionLog) -> usize {
    let mut records = 0;
    for index in 0..300i32 {
        let codec = Compression::ALL[usize::try_from(index % 5).unwrap()];
        let mut builder = BatchBuilder::new(Vec::new());
        let count = index % 7 + 1;
        for record in 0..count {
            let value = format!("value {index} {record} {}", "x".repeat(100));
            let header: [(&[u8], Option<&[u8]>); 1] = [(b"h", None)];
            builder
                .append(NOW + i64::from(index), Some(b"key"), Some(value.as_bytes()), &header)
                .unwrap();
        }
        let mut seal = Seal {
            compression: codec,
            ..Seal::default()
        };
        if index % 3 == 0 {
            seal.producer_id = 1000 + i64::from(index % 2);
            seal.producer_epoch = 0;
            seal.base_sequence = if index < 6 { 0 } else { -1 };
        }
        let mut batch = builder.finish(&seal, &mut Vec::new()).unwrap();
        log.append(&mut batch, index / 100, NOW + i64::from(index), AppendOrigin::Internal)
            .unwrap();
        records += usize::try_from(count).unwrap();
    }
    let transaction = Seal {
        producer_id: 77,
        producer_epoch: 3,
        base_sequence: 0,
        transactional: true,
        ..Seal::default()
    };
    let mut builder = BatchBuilder::new(Vec::new());
    builder.append(NOW, None, Some(b"in a transaction"), &[]).unwrap();
    let data = builder.finish(&transaction, &mut Vec::new()).unwrap();
    let key = ControlKey {
        version: 0,
        control_type: control_type::COMMIT,
    };
    let value = EndTransactionMarker {
        version: 0,
        coordinator_epoch: 5,
    }
    .to_bytes();
    let marker = build_control_batch(
        Vec::new(),
        key,
        &value,
        NOW,
        &Seal {
            base_sequence: -1,
            ..transaction
        },
    )
    .unwrap();
    for mut batch in [data, marker] {
        log.append(&mut batch, 3, NOW, AppendOrigin::Internal).unwrap();
    }
    records + 2
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

#[test]
#[ignore = "needs Java and KAFKA_CLASSPATH"]
fn dump_log_segments_reads_our_files_without_complaint() {
    let data = tempfile::tempdir().unwrap();
    let manager = manager(data.path(), "cluster", 1);
    let config = LogConfig {
        segment_bytes: 16 << 10,
        index_interval_bytes: 1000,
        ..LogConfig::default()
    };
    let log = manager.get_or_create("t", 0, [3; 16], config, NOW).unwrap();
    let records = fill(&log);
    manager.shutdown(NOW).unwrap();
    let dir = data.path().join("t-0");
    assert!(files(&dir, ".log").len() > 3);

    let logs = dump(&["--deep-iteration", "--print-data-log"], &files(&dir, ".log"));
    let dumped = logs.lines().filter(|line| line.starts_with("| offset:")).count();
    assert_eq!(dumped, records, "{logs}");
    assert!(!logs.contains("isvalid: false"), "{logs}");
    assert!(logs.contains("endTxnMarker: COMMIT coordinatorEpoch: 5"), "{logs}");
    for arguments in [&["--index-sanity-check"][..], &["--verify-index-only"], &[]] {
        for suffix in [".index", ".timeindex"] {
            let indexes = dump(arguments, &files(&dir, suffix));
            for complaint in ["Found", "Mismatch", "mismatch", "rror", "xception", "not found"] {
                assert!(!indexes.contains(complaint), "{arguments:?}: {indexes}");
            }
        }
    }
    let snapshots = dump(&[], &files(&dir, ".snapshot"));
    assert!(snapshots.contains("producerId: 77 producerEpoch: 3"), "{snapshots}");
    assert!(snapshots.contains("coordinatorEpoch: 5"), "{snapshots}");
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
