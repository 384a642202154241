//! Moving the log's start, and when files go.

use std::sync::Arc;

use super::batches::*;
use super::sim::SimStorage;
use crate::partition_log::{AppendOrigin, PartitionLog};
use crate::storage::Storage;
use crate::{LogConfig, LogError, Retained};
use barnabas_records::Seal;

/// One record per batch and one batch per segment, each `step` younger than the one before.
fn filled(storage: &Arc<dyn Storage>, config: &LogConfig, count: i64, step: i64) -> PartitionLog {
    let config = LogConfig {
        segment_bytes: 200,
        ..config.clone()
    };
    let log = open(storage, config);
    for index in 0..count {
        let mut bytes = batch_with(&Seal::default(), 1, 100, NOW + step * index);
        log.append(&mut bytes, i32::try_from(index).unwrap(), NOW, AppendOrigin::Client)
            .unwrap();
    }
    log
}

fn live_files(storage: &Arc<dyn Storage>) -> Vec<String> {
    let entries = storage.read_dir(&dir()).unwrap().into_iter();
    entries
        .map(|entry| entry.name)
        .filter(|name| !name.ends_with(".deleted") && name.starts_with('0'))
        .collect()
}

fn starts(log: &PartitionLog) -> (i64, i64) {
    (log.log_start_offset(), log.log_end_offset())
}

#[test]
fn segments_go_when_their_newest_record_is_too_old() {
    let storage: Arc<dyn Storage> = SimStorage::shared();
    let config = LogConfig {
        retention_ms: 100,
        ..LogConfig::default()
    };
    let log = filled(&storage, &config, 10, 10);
    log.set_high_watermark(10);
    assert_eq!(log.apply_retention(NOW + 100).unwrap().segments, 0);
    let retained = log.apply_retention(NOW + 131).unwrap();
    let one = log.size_in_bytes() / 6;
    assert_eq!(
        retained,
        Retained {
            segments: 4,
            bytes: 4 * one,
            log_start_offset: 4
        }
    );
    assert_eq!((starts(&log), log.epoch_for_offset(4)), ((4, 10), Some(4)));
    assert!(matches!(
        log.read(3, 100, true, i64::MAX),
        Err(LogError::OffsetOutOfRange { .. })
    ));
    assert_eq!(base_offsets(&log), (4..10).collect::<Vec<_>>());
    assert_eq!(
        base_offsets(&open(&storage, log.config().as_ref().clone())),
        (4..10).collect::<Vec<_>>()
    );
    // In the end the active segment goes too; the log keeps its end.
    assert_eq!(log.apply_retention(NOW + 1000).unwrap().segments, 6);
    assert_eq!(starts(&log), (10, 10));
    assert_eq!(log.apply_retention(NOW + 2000).unwrap().segments, 0);
    let reopened = open(&storage, log.config().as_ref().clone());
    assert_eq!(starts(&reopened), (10, 10));
    assert_eq!(append(&reopened, &batch(1, 1)).base_offset, 10);
}

#[test]
fn nothing_goes_that_is_not_committed_or_not_to_be_deleted() {
    for (config, high_watermark, expected) in [
        (LogConfig::default(), 0, 0),
        (LogConfig::default(), 3, 3),
        (
            LogConfig {
                retention_ms: -1,
                ..LogConfig::default()
            },
            10,
            0,
        ),
        (
            LogConfig {
                delete: false,
                ..LogConfig::default()
            },
            10,
            0,
        ),
        (
            LogConfig {
                delete: false,
                compact: true,
                ..LogConfig::default()
            },
            10,
            0,
        ),
        (
            LogConfig {
                compact: true,
                ..LogConfig::default()
            },
            10,
            10,
        ),
    ] {
        let log = filled(&SimStorage::shared(), &config, 10, 0);
        log.set_high_watermark(high_watermark);
        let removed = log.apply_retention(NOW * 2).unwrap().segments;
        assert_eq!(removed, expected, "{config:?} at {high_watermark}");
    }
}

#[test]
fn the_oldest_segments_go_when_the_log_is_too_large() {
    for (limit_in_segments, expected) in [(0.0, 10), (0.5, 9), (1.0, 9), (4.0, 6), (4.5, 5), (10.0, 0), (99.0, 0)] {
        let log = filled(&SimStorage::shared(), &LogConfig::default(), 10, 0);
        log.set_high_watermark(10);
        let one = log.size_in_bytes() / 10;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "small numbers"
        )]
        let retention_bytes = (one as f64 * limit_in_segments) as i64;
        log.set_config(LogConfig {
            retention_bytes,
            ..log.config().as_ref().clone()
        });
        assert_eq!(
            log.apply_retention(NOW).unwrap().segments,
            expected,
            "{limit_in_segments}"
        );
        assert_eq!(starts(&log), (i64::try_from(expected).unwrap(), 10));
    }
}

#[test]
fn files_wait_for_their_delay_and_readers_keep_theirs() {
    let storage: Arc<dyn Storage> = SimStorage::shared();
    let log = filled(&storage, &LogConfig::default(), 3, 0);
    log.set_high_watermark(3);
    log.flush().unwrap();
    let slice = log.read(0, 100, true, i64::MAX).unwrap();
    let bytes = slice.read().unwrap();
    log.delete_records(1, NOW).unwrap();
    let deleted = || {
        let entries = storage.read_dir(&dir()).unwrap().into_iter();
        entries.filter(|entry| entry.name.ends_with(".deleted")).count()
    };
    // The log, its two indexes; the snapshot of the producers at its end is the next segment's.
    assert_eq!((deleted(), log.env.deletions.next_due_ms()), (3, Some(NOW + 60_000)));
    log.env.deletions.run(storage.as_ref(), NOW + 59_999).unwrap();
    assert_eq!((deleted(), slice.read().unwrap()), (3, bytes.clone()));
    log.env.deletions.run(storage.as_ref(), NOW + 60_000).unwrap();
    assert_eq!((deleted(), log.env.deletions.next_due_ms()), (0, None));
    assert_eq!(slice.read().unwrap(), bytes);
    assert!(
        live_files(&storage)
            .iter()
            .all(|name| !name.starts_with("00000000000000000000."))
    );
}

#[test]
fn records_are_deleted_up_to_the_high_watermark() {
    let storage: Arc<dyn Storage> = SimStorage::shared();
    let log = filled(&storage, &LogConfig::default(), 6, 0);
    log.set_high_watermark(4);
    for offset in [-2, 5, 100] {
        assert!(matches!(
            log.delete_records(offset, NOW),
            Err(LogError::OffsetOutOfRange { .. })
        ));
    }
    assert_eq!(log.delete_records(2, NOW).unwrap(), 2);
    assert_eq!(log.delete_records(1, NOW).unwrap(), 2, "the start never goes back");
    assert_eq!(base_offsets(&log), [2, 3, 4, 5]);
    assert_eq!(log.epoch_for_offset(2), Some(2));
    assert_eq!(log.delete_records(-1, NOW).unwrap(), 4);
    assert_eq!((starts(&log), base_offsets(&log)), ((4, 6), vec![4, 5]));
    log.set_config(LogConfig {
        delete: false,
        compact: true,
        ..log.config().as_ref().clone()
    });
    let error = log.delete_records(4, NOW).unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().contains("cleanup.policy is compact")),
        (44, true)
    );
}

#[test]
fn a_start_inside_of_a_segment_hides_what_is_before_it() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    append(&log, &batch_with(&Seal::default(), 10, 10, NOW));
    append(&log, &batch_with(&Seal::default(), 10, 10, NOW + 100));
    log.set_high_watermark(20);
    assert_eq!(log.delete_records(5, NOW).unwrap(), 5);
    assert_eq!(log.size_in_bytes(), log.segments()[0].size());
    assert_eq!(log.offset_for_timestamp(0, i64::MAX).unwrap().unwrap().offset, 5);
    assert!(log.read(4, 100, true, i64::MAX).is_err());
}

#[test]
fn jitter_rolls_segments_earlier_and_not_all_at_once() {
    let rolled_after = |partition: i64, jitter: i64| {
        let config = LogConfig {
            segment_ms: 1000,
            segment_jitter_ms: jitter,
            ..LogConfig::default()
        };
        let storage: Arc<dyn Storage> = SimStorage::shared();
        let dir = std::path::PathBuf::from(format!("/data/topic-{partition}"));
        let context = crate::OpenContext::unclean(NOW);
        let log = PartitionLog::open(storage, dir, TOPIC_ID, config, context).unwrap();
        let mut age = 0;
        loop {
            let mut bytes = batch_with(&Seal::default(), 1, 1, NOW + age);
            if log.append(&mut bytes, 0, NOW, AppendOrigin::Client).unwrap().rolled {
                return age;
            }
            age += 1;
        }
    };
    assert_eq!(rolled_after(0, 0), 1001);
    let ages: std::collections::BTreeSet<i64> = (0..8).map(|partition| rolled_after(partition, 500)).collect();
    assert!(
        ages.len() > 4 && ages.iter().all(|age| (501..=1001).contains(age)),
        "{ages:?}"
    );
    assert_eq!(rolled_after(3, 500), rolled_after(3, 500));
    // Never more than all of it.
    assert!(rolled_after(3, i64::MAX) <= 1001);
}

#[test]
fn a_preallocated_file_has_its_own_length_once_it_is_sealed_or_closed() {
    let sim = SimStorage::new();
    let storage = sim.as_storage();
    let config = LogConfig {
        preallocate: true,
        ..small_segments()
    };
    let log = open(&storage, config.clone());
    let sizes = || {
        let entries = storage.read_dir(&dir()).unwrap().into_iter();
        let logs = entries.filter(|entry| entry.name.strip_suffix(".log").is_some());
        logs.map(|entry| entry.len).collect::<Vec<_>>()
    };
    append(&log, &batch(1, 100));
    assert_eq!(sizes(), [2000]);
    let all: Vec<_> = (1..20).map(|_| append(&log, &batch(1, 100)).base_offset).collect();
    assert_eq!(base_offsets(&log)[1..], all);
    log.flush().unwrap();
    let own: Vec<u64> = log.segments().iter().map(|segment| segment.size()).collect();
    assert_eq!(sizes()[..own.len() - 1], own[..own.len() - 1]);
    assert_eq!(sizes().last(), Some(&2000));
    // After a kill the empty rest is no batch.
    let killed = open(&sim.after_kill().as_storage(), config.clone());
    assert_eq!(base_offsets(&killed), base_offsets(&log));
    log.close().unwrap();
    assert_eq!(sizes(), own);
    assert_eq!(base_offsets(&open_clean(&storage, config)).len(), 20);
}

#[test]
fn a_log_is_flushed_when_its_oldest_unflushed_record_is_old_enough() {
    let config = LogConfig {
        flush_ms: 50,
        ..LogConfig::default()
    };
    let log = open(&SimStorage::shared(), config);
    assert_eq!(
        log.flush_due_ms(NOW + 7),
        Some(NOW + 57),
        "nothing is unflushed: the next append could be now"
    );
    append(&log, &batch(1, 1));
    log.append(&mut batch(1, 1), 0, NOW + 20, AppendOrigin::Client).unwrap();
    assert_eq!(log.flush_due_ms(NOW + 30), Some(NOW + 50));
    assert_eq!(log.flush().unwrap(), 2);
    assert_eq!(log.flush_due_ms(NOW + 50), Some(NOW + 100));
    log.set_config(LogConfig::default());
    append(&log, &batch(1, 1));
    assert_eq!(log.flush_due_ms(NOW), None);
}
