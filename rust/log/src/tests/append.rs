//! What may be appended, what is refused, and what an append leaves behind.

use std::sync::Arc;

use barnabas_records::{BatchRef, Compression, Seal, patch};

use super::batches::*;
use super::sim::SimStorage;
use crate::partition_log::{AppendInfo, AppendOrigin, PartitionLog};
use crate::storage::Storage;
use crate::{AppendError, LogConfig, RecordError, TimestampType};

pub(super) fn info(base_offset: i64, last_offset: i64, bytes: usize) -> AppendInfo {
    AppendInfo {
        base_offset,
        last_offset,
        log_append_time: -1,
        log_start_offset: 0,
        duplicate: false,
        bytes,
        flush_due: false,
        rolled: false,
    }
}

#[test]
fn offsets_and_leader_epoch_are_given_in_order() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    let mut first = batch(3, 20);
    let mut second = batch(2, 20);
    let (first_len, second_len) = (first.len(), second.len());
    assert_eq!(
        log.append(&mut first, 4, NOW, AppendOrigin::Client).unwrap(),
        info(0, 2, first_len)
    );
    assert_eq!(
        log.append(&mut second, 5, NOW, AppendOrigin::Client).unwrap(),
        info(3, 4, second_len)
    );
    let read = read_all(&log, 1 << 20);
    assert_eq!(
        read.iter()
            .map(|batch| (batch.base_offset, batch.leader_epoch))
            .collect::<Vec<_>>(),
        [(0, 4), (3, 5)]
    );
    assert_eq!(log.log_end_offset(), 5);
    assert_eq!(log.latest_epoch(), Some(5));
}

// A client's base offset at the end of the range once overflowed where a record's error was numbered.
#[test]
fn a_client_may_not_choose_its_base_offset() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    for base_offset in [1, -1, i64::MAX, i64::MIN] {
        let mut bytes = batch(2, 20);
        patch::set_base_offset(&mut bytes, base_offset).unwrap();
        let refused = log.append(&mut bytes, 0, NOW + 365 * 24 * 3_600_000, AppendOrigin::Client);
        assert!(matches!(refused, Err(AppendError::InvalidRecord { .. })), "{refused:?}");
    }
    assert_eq!(log.log_end_offset(), 0);
}

#[test]
fn every_codec_is_kept_as_it_came() {
    let log = open(
        &SimStorage::shared(),
        LogConfig {
            validate_full: true,
            ..LogConfig::default()
        },
    );
    for compression in Compression::ALL {
        append(&log, &compressed(compression, 10));
    }
    let read = read_all(&log, 1 << 20);
    assert_eq!(
        read.iter().map(|batch| batch.records.len()).collect::<Vec<_>>(),
        [10; 5]
    );
}

#[test]
fn files_appear_at_the_first_append() {
    let storage = SimStorage::shared();
    let log = open(&storage, LogConfig::default());
    assert!(!storage.exists(&dir()).unwrap());
    append(&log, &batch(1, 1));
    let names: Vec<String> = storage
        .read_dir(&dir())
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, ["00000000000000000000.log", "partition.metadata"]);
}

/// What is refused, by its Kafka error code; the log stays as it was.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn unsound_batches_are_refused() {
    let storage: Arc<dyn Storage> = SimStorage::shared();
    let config = LogConfig {
        max_message_bytes: 1000,
        message_timestamp_after_max_ms: 1000,
        ..LogConfig::default()
    };
    let log = open(&storage, config);
    append(&log, &batch(1, 1));
    let damaged = |position: usize, value: u8| {
        let mut bytes = batch(2, 10);
        bytes[position] = value;
        bytes
    };
    let sealed = |seal: Seal| batch_with(&seal, 2, 10, NOW);
    let recount = |position: usize| {
        let mut bytes = batch(2, 10);
        bytes[position] = 9;
        // Any patch below the CRC makes the CRC right again.
        patch::set_producer(&mut bytes, -1, -1, -1).unwrap();
        bytes
    };
    let mut gzip_of_nonsense = batch(2, 10);
    gzip_of_nonsense[22] = 7;
    patch::set_producer(&mut gzip_of_nonsense, -1, -1, -1).unwrap();
    let cases: Vec<(&str, Vec<u8>, i16)> = vec![
        ("no batch", vec![], 87),
        ("a torn batch", batch(2, 10)[..70].to_vec(), 2),
        ("a cut header", batch(2, 10)[..30].to_vec(), 2),
        ("a flipped bit", damaged(80, 0xff), 2),
        ("magic 1", damaged(16, 1), 87),
        ("an unknown codec", gzip_of_nonsense, 76),
        ("a wrong last offset delta", recount(26), 87),
        ("a wrong count", recount(60), 87),
        ("two batches", [batch(1, 1), batch(1, 1)].concat(), 87),
        ("a batch that is too large", batch(1, 1000), 10),
        (
            "a control batch",
            sealed(Seal {
                control: true,
                ..Seal::default()
            }),
            87,
        ),
        (
            "a transaction",
            sealed(Seal {
                transactional: true,
                producer_id: 1,
                producer_epoch: 0,
                base_sequence: 0,
                ..Seal::default()
            }),
            48,
        ),
        (
            "a producer without sequence",
            sealed(Seal {
                producer_id: 1,
                producer_epoch: 0,
                ..Seal::default()
            }),
            87,
        ),
        (
            "records of tomorrow",
            batch_with(&Seal::default(), 2, 10, NOW + 5000),
            32,
        ),
        (
            "compressed records of tomorrow",
            batch_with(
                &Seal {
                    compression: Compression::Lz4,
                    ..Seal::default()
                },
                2,
                10,
                NOW + 5000,
            ),
            32,
        ),
    ];
    for (what, bytes, code) in cases {
        let error = try_append(&log, &bytes).unwrap_err();
        assert_eq!(error.code(), code, "{what}: {error}");
    }
    assert_eq!(log.log_end_offset(), 1);
    assert_eq!(base_offsets(&log), [0]);
}

#[test]
fn too_old_records_are_named_one_by_one() {
    let config = LogConfig {
        message_timestamp_before_max_ms: 10,
        ..LogConfig::default()
    };
    let log = open(&SimStorage::shared(), config);
    for compression in [Compression::None, Compression::Zstd] {
        let old = batch_with(
            &Seal {
                compression,
                ..Seal::default()
            },
            3,
            1,
            NOW - 12,
        );
        let error = try_append(&log, &old).unwrap_err();
        let expected: Vec<RecordError> = [0, 1]
            .map(|batch_index| RecordError {
                batch_index,
                message: format!(
                    "Timestamp {} of message with offset {batch_index} is out of range. The timestamp should be within \
                     [{}, {}]",
                    NOW - 12 + i64::from(batch_index),
                    NOW - 10,
                    NOW + 3_600_000
                ),
            })
            .into();
        assert_eq!((error.code(), error.record_errors()), (32, expected.as_slice()));
    }
}

#[test]
fn whose_clock_a_batch_goes_by_is_the_topics_to_say() {
    for compression in [Compression::None, Compression::Zstd] {
        let seal = Seal {
            compression,
            ..Seal::default()
        };
        let mut said = batch_with(&seal, 2, 1, NOW);
        patch::set_log_append_time(&mut said, NOW - 5).unwrap();
        let log = open(&SimStorage::shared(), LogConfig::default());
        append(&log, &said);
        let slice = log.read(0, usize::MAX, true, i64::MAX).unwrap();
        let mut bytes = vec![0; slice.len];
        slice.file.read_exact_at(&mut bytes, slice.position).unwrap();
        let stored = BatchRef::parse(&bytes).unwrap();
        stored.check_crc().unwrap();
        assert_eq!(
            (stored.header.is_log_append_time(), stored.header.max_timestamp),
            (false, NOW - 5),
            "{compression:?}"
        );
        let log = open(
            &SimStorage::shared(),
            LogConfig {
                message_timestamp_type: TimestampType::LogAppend,
                ..LogConfig::default()
            },
        );
        let error = try_append(&log, &said).unwrap_err();
        assert_eq!((error.code(), error.record_errors().len()), (32, 2));
        assert!(
            error.record_errors()[0]
                .message
                .ends_with("should not set timestamp type to LogAppendTime.")
        );
    }
}

#[test]
fn a_compacted_topic_takes_no_record_without_key() {
    let log = open(
        &SimStorage::shared(),
        LogConfig {
            compact: true,
            ..LogConfig::default()
        },
    );
    append(&log, &batch(2, 10));
    for compression in Compression::ALL {
        let mut builder = barnabas_records::BatchBuilder::new(Vec::new());
        builder.append(NOW, Some(b"k"), None, &[]).unwrap();
        builder.append(NOW, None, Some(b"v"), &[]).unwrap();
        let bytes = builder
            .finish(
                &Seal {
                    compression,
                    ..Seal::default()
                },
                &mut Vec::new(),
            )
            .unwrap();
        let error = try_append(&log, &bytes).unwrap_err();
        let message = "Compacted topic cannot accept message without key in topic partition topic-0".to_owned();
        assert_eq!(
            (error.code(), error.record_errors()),
            (
                87,
                [RecordError {
                    batch_index: 1,
                    message
                }]
                .as_slice()
            )
        );
    }
}

#[test]
fn log_append_time_replaces_the_producers() {
    let config = LogConfig {
        message_timestamp_type: TimestampType::LogAppend,
        ..LogConfig::default()
    };
    let log = open(&SimStorage::shared(), config);
    let appended = append(&log, &batch_with(&Seal::default(), 2, 1, 5));
    assert_eq!(appended.log_append_time, NOW);
    let read = read_all(&log, 1 << 20);
    assert_eq!(
        read[0].records.iter().map(|record| record.1).collect::<Vec<_>>(),
        [NOW, NOW]
    );
}

#[test]
fn a_wrong_max_timestamp_is_corrected() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    let mut bytes = batch(2, 10);
    bytes[35..43].copy_from_slice(&3i64.to_be_bytes());
    patch::set_producer(&mut bytes, -1, -1, -1).unwrap();
    append(&log, &bytes);
    let found = log.max_timestamp(i64::MAX).unwrap().unwrap();
    assert_eq!((found.offset, found.timestamp), (1, NOW + 1));
    assert_eq!(read_all(&log, 1 << 20)[0].records.len(), 2, "with a right CRC");
}

#[test]
fn an_older_leader_is_fenced() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    log.append(&mut batch(1, 1), 3, NOW, AppendOrigin::Internal).unwrap();
    let error = log
        .append(&mut batch(1, 1), 2, NOW, AppendOrigin::Internal)
        .unwrap_err();
    assert!(
        matches!(error, AppendError::FencedLeaderEpoch { current: 3, found: 2 }),
        "{error}"
    );
}

#[test]
fn internal_appends_may_hold_several_batches_and_control_batches() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    let control = batch_with(
        &Seal {
            control: true,
            ..Seal::default()
        },
        1,
        4,
        NOW,
    );
    let mut bytes = [batch(2, 5), control, batch(3, 5)].concat();
    let appended = log.append(&mut bytes, 0, NOW, AppendOrigin::Internal).unwrap();
    assert_eq!((appended.base_offset, appended.last_offset), (0, 5));
    assert_eq!(base_offsets(&log), [0, 2, 3]);
}

#[test]
fn a_flush_is_due_after_as_many_records_as_configured() {
    let log = open(
        &SimStorage::shared(),
        LogConfig {
            flush_messages: 5,
            ..LogConfig::default()
        },
    );
    assert!(!append(&log, &batch(4, 1)).flush_due);
    assert!(append(&log, &batch(1, 1)).flush_due);
    assert_eq!(log.flush().unwrap(), 5);
    assert!(!append(&log, &batch(4, 1)).flush_due);
    assert_eq!(log.recovery_point(), 5);
}

#[test]
fn segments_roll_by_size_index_and_time() {
    let one = batch(1, 100).len() as u64;
    let by_size = LogConfig {
        segment_bytes: 3 * one,
        ..LogConfig::default()
    };
    let by_index = LogConfig {
        index_interval_bytes: 1,
        // Four offset entries, or two time entries and room for the one that ends the segment.
        segment_index_bytes: 36,
        message_timestamp_type: TimestampType::LogAppend,
        ..LogConfig::default()
    };
    let by_time = LogConfig {
        segment_ms: 2,
        ..LogConfig::default()
    };
    for (config, step, expected) in [
        (by_size, 0, vec![0, 3, 6]),
        (by_index, 0, vec![0, 5]),
        (by_time, 1, vec![0, 3, 6]),
    ] {
        let storage: Arc<dyn Storage> = SimStorage::shared();
        let log = open(&storage, config);
        for index in 0..8 {
            let time = NOW + step * index;
            let mut bytes = batch_with(&Seal::default(), 1, 100, time);
            log.append(&mut bytes, 0, time, AppendOrigin::Client).unwrap();
        }
        let logs: Vec<String> = storage
            .read_dir(&dir())
            .unwrap()
            .into_iter()
            .filter_map(|entry| entry.name.strip_suffix(".log").map(str::to_owned))
            .collect();
        assert_eq!(
            logs,
            expected.iter().map(|base| format!("{base:020}")).collect::<Vec<_>>()
        );
        assert_eq!(base_offsets(&log), (0..8).collect::<Vec<_>>());
    }
}

#[test]
fn more_than_a_segment_is_refused() {
    let log = open(
        &SimStorage::shared(),
        LogConfig {
            segment_bytes: 200,
            ..LogConfig::default()
        },
    );
    assert_eq!(try_append(&log, &batch(1, 200)).unwrap_err().code(), 18);
}

/// Under the append lock a roll makes the next segment and nothing else; what it leaves is in memory, complete to
/// readers, until it is stored.
#[test]
fn a_roll_leaves_indexes_and_snapshot_to_the_next_flush() {
    let storage = SimStorage::new();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    let log = open(
        &shared,
        LogConfig {
            segment_bytes: 1300,
            index_interval_bytes: 200,
            ..LogConfig::default()
        },
    );
    let mut rolled = 0;
    while rolled < 2 {
        rolled += usize::from(append(&log, &batch(1, 50)).rolled);
    }
    let names = |suffix: &str| -> Vec<String> {
        storage
            .contents(&dir())
            .into_keys()
            .filter(|name| name.ends_with(suffix))
            .collect()
    };
    assert_eq!(
        (names(".log").len(), names(".index").len(), names(".snapshot").len()),
        (3, 0, 0)
    );
    let end = log.log_end_offset();
    let all = |log: &PartitionLog| -> Vec<i64> {
        (0..end)
            .map(|offset| log.read(offset, 1, true, end).unwrap().base_offset)
            .collect()
    };
    assert_eq!(all(&log), (0..end).collect::<Vec<_>>());
    log.flush_sealed().unwrap();
    assert_eq!(
        (
            names(".index").len(),
            names(".timeindex").len(),
            names(".snapshot").len()
        ),
        (2, 2, 2)
    );
    assert_eq!(all(&log), (0..end).collect::<Vec<_>>());
    assert_eq!(log.recovery_checkpoint(), log.recovery_point());
}
