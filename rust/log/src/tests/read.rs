//! Reads by offset and by time.

use std::sync::Arc;

use barnabas_records::{Compression, Seal};

use super::batches::*;
use super::sim::SimStorage;
use crate::partition_log::{EpochEndOffset, TimestampOffset};
use crate::storage::Storage;
use crate::{AppendOrigin, LogConfig, LogError};

/// Twelve batches of three records each over several segments.
fn filled(storage: &Arc<dyn Storage>) -> crate::PartitionLog {
    let log = open(
        storage,
        LogConfig {
            segment_bytes: 700,
            index_interval_bytes: 200,
            ..LogConfig::default()
        },
    );
    for _ in 0..12 {
        append(&log, &batch(3, 20));
    }
    log
}

#[test]
fn every_offset_returns_the_batch_that_contains_it() {
    let log = filled(&SimStorage::shared());
    for offset in 0..36 {
        let slice = log.read(offset, 1, true, i64::MAX).unwrap();
        let found = decode(&slice.read().unwrap());
        let base_offset = offset / 3 * 3;
        assert_eq!(slice.base_offset, base_offset);
        assert_eq!(
            found.iter().map(|batch| batch.base_offset).collect::<Vec<_>>(),
            [base_offset]
        );
    }
}

#[test]
fn a_read_ends_at_a_batch_at_the_limit_and_below_the_bound() {
    let log = filled(&SimStorage::shared());
    let one = batch(3, 20).len();
    let per_segment = 700 / one;
    for start in 0..12 {
        for batches_wanted in 0..6 {
            for extra in [0, 1, one - 1] {
                for up_to in 0..=12usize {
                    let slice = log
                        .read(
                            start * 3,
                            batches_wanted * one + extra,
                            false,
                            i64::try_from(up_to).unwrap() * 3,
                        )
                        .unwrap();
                    let start = usize::try_from(start).unwrap();
                    let left_in_segment = per_segment - start % per_segment;
                    let below_bound = up_to.saturating_sub(start);
                    let expected = batches_wanted.min(left_in_segment).min(below_bound) * one;
                    assert_eq!(slice.len, expected, "{start} {batches_wanted} {extra} {up_to}");
                }
            }
        }
    }
}

#[test]
fn the_first_batch_comes_whole_whatever_the_limit() {
    let log = filled(&SimStorage::shared());
    let one = batch(3, 20).len();
    assert_eq!(log.read(4, 1, true, i64::MAX).unwrap().len, one);
    assert_eq!(log.read(4, 1, false, i64::MAX).unwrap().len, 0);
    assert_eq!(log.read(4, 1, true, 3).unwrap().len, 0, "but never above the bound");
    assert_eq!(log.read(4, 1, true, 5).unwrap().len, 0, "nor beyond it");
}

#[test]
fn offsets_outside_of_the_log_are_refused() {
    let log = filled(&SimStorage::shared());
    assert!(log.read(36, 1, true, i64::MAX).unwrap().is_empty());
    for offset in [-1, 37] {
        let error = log.read(offset, 1, true, i64::MAX).unwrap_err();
        assert!(
            matches!(
                error,
                LogError::OffsetOutOfRange {
                    log_start_offset: 0,
                    log_end_offset: 36,
                    ..
                }
            ),
            "{error}"
        );
        assert_eq!(error.code(), 1);
    }
}

#[test]
fn a_slice_outlives_its_log() {
    let log = filled(&SimStorage::shared());
    let slice = log.read(0, 1 << 20, true, i64::MAX).unwrap();
    let before = slice.read().unwrap();
    log.delete(NOW).unwrap();
    assert_eq!(slice.read().unwrap(), before);
    assert!(matches!(log.read(0, 1, true, 1), Err(LogError::Closed { .. })));
}

/// Against a walk over all records.
fn check_times(log: &crate::PartitionLog) {
    let found = |(offset, timestamp)| TimestampOffset {
        offset,
        timestamp,
        leader_epoch: 0,
    };
    let records: Vec<(i64, i64)> = read_all(log, 500)
        .into_iter()
        .flat_map(|batch| batch.records)
        .map(|record| (record.0, record.1))
        .collect();
    for timestamp in NOW - 30..NOW + 230 {
        for up_to in [60, 31, 7] {
            let expected = records
                .iter()
                .find(|record| record.1 >= timestamp)
                .filter(|record| record.0 < up_to)
                .map(|record| found(*record));
            assert_eq!(
                log.offset_for_timestamp(timestamp, up_to).unwrap(),
                expected,
                "{timestamp}"
            );
        }
    }
    for up_to in 0..=60 {
        let first_greatest = |best: Option<(i64, i64)>, record: &(i64, i64)| match best {
            Some(best) if best.1 >= record.1 => Some(best),
            _ => Some(*record),
        };
        let expected = records
            .iter()
            .filter(|record| record.0 < up_to)
            .fold(None, first_greatest)
            .map(found);
        assert_eq!(log.max_timestamp(up_to).unwrap(), expected, "below {up_to}");
    }
}

#[test]
fn timestamps_find_the_first_record_at_or_after_them() {
    for compression in Compression::ALL {
        let storage: Arc<dyn Storage> = SimStorage::shared();
        let config = LogConfig {
            segment_bytes: 700,
            index_interval_bytes: 200,
            ..LogConfig::default()
        };
        let log = open(&storage, config.clone());
        // Not in order: batches go back and forth in time.
        for index in 0..20i64 {
            let time = NOW + index * 10 + if index % 3 == 0 { -25 } else { 0 };
            append(
                &log,
                &batch_with(
                    &Seal {
                        compression,
                        ..Seal::default()
                    },
                    3,
                    20,
                    time,
                ),
            );
        }
        check_times(&log);
        log.close().unwrap();
        check_times(&open_clean(&storage, config));
    }
}

#[test]
fn an_epoch_ends_where_the_next_one_begins() {
    let storage: Arc<dyn Storage> = SimStorage::shared();
    let log = open(&storage, LogConfig::default());
    for (epoch, count) in [(1, 3), (1, 2), (4, 1), (6, 4)] {
        log.append(&mut batch(count, 1), epoch, NOW, AppendOrigin::Client)
            .unwrap();
    }
    let check = |log: &crate::PartitionLog| {
        let answers = (-1..8)
            .map(|epoch| log.epoch_end_offset(epoch))
            .map(|end| (end.epoch, end.end_offset));
        let expected = [
            (-1, -1),
            (0, 0),
            (1, 5),
            (1, 5),
            (1, 5),
            (4, 6),
            (4, 6),
            (6, 10),
            (-1, -1),
        ];
        assert_eq!(answers.collect::<Vec<_>>(), expected);
        assert_eq!(log.epoch_for_offset(5), Some(4));
    };
    check(&log);
    check(&open(&storage, LogConfig::default()));
    log.close().unwrap();
    check(&open_clean(&storage, LogConfig::default()));
    assert_eq!(
        log.epoch_end_offset(6),
        EpochEndOffset {
            epoch: 6,
            end_offset: 10
        }
    );
}

#[test]
fn the_high_watermark_stays_in_the_log_and_never_falls() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    append(&log, &batch(3, 1));
    assert_eq!(log.high_watermark(), 0, "the log does not raise it");
    assert_eq!(log.set_high_watermark(2), 2);
    assert_eq!(log.set_high_watermark(9), 3);
    assert_eq!(log.set_high_watermark(1), 3);
    assert_eq!((log.high_watermark(), log.last_stable_offset()), (3, 3));
}
