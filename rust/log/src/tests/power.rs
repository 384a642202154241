//! What a power failure must not break; each of these was found by the seeded runs or the model first.

use std::sync::Arc;

use super::batches::*;
use super::sim::{Random, SimStorage};
use crate::LogConfig;
use crate::partition_log::{OpenContext, PartitionLog};
use crate::storage::Storage;

/// Ten batches of one record to a segment.
fn config() -> LogConfig {
    LogConfig {
        segment_bytes: 10 * batch(1, 50).len() as u64,
        index_interval_bytes: 200,
        ..LogConfig::default()
    }
}

fn open_from(storage: &SimStorage, recovery_point: i64) -> PartitionLog {
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    open_at(
        &shared,
        config(),
        OpenContext {
            recovery_point,
            ..OpenContext::unclean(NOW)
        },
    )
}

fn append_many(log: &PartitionLog, count: i64) {
    for _ in 0..count {
        let time = NOW + log.log_end_offset();
        append(log, &batch_with(&barnabas_records::Seal::default(), 1, 50, time));
    }
}

/// Opens crash images of `storage` and looks every record up, by offset and by time.
fn check(storage: &SimStorage, checkpoint: i64, flushed: i64) {
    for seed in 0..300 {
        let image = storage.after_power_failure(&mut Random::new(seed));
        let log = open_from(&image, checkpoint);
        let end = log.log_end_offset();
        assert!(end >= flushed, "seed {seed}: {end}");
        assert_eq!(base_offsets(&log), (0..end).collect::<Vec<_>>(), "seed {seed}");
        for offset in 0..end {
            let found = log
                .offset_for_timestamp(NOW + offset, end)
                .unwrap()
                .map(|found| found.offset);
            assert_eq!(found, Some(offset), "seed {seed}");
        }
        let greatest = log.max_timestamp(end).unwrap().map(|found| found.offset);
        assert_eq!(greatest, end.checked_sub(1).filter(|last| *last >= 0), "seed {seed}");
    }
}

/// The flush ends where the active segment ends; the next append rolls it. Its batches are on disk, but its indexes were
/// written after the flush, so no checkpoint may say that the segment need not be validated.
#[test]
fn a_segment_that_is_sealed_just_after_a_flush_has_unsynced_indexes() {
    let storage = SimStorage::new();
    let log = open_from(&storage, 0);
    append_many(&log, 10);
    assert_eq!((log.flush().unwrap(), log.recovery_checkpoint()), (10, 0));
    append_many(&log, 1);
    assert_eq!(log.recovery_checkpoint(), 0);
    check(&storage, 0, 10);
    assert_eq!((log.flush().unwrap(), log.recovery_checkpoint()), (11, 10));
    check(&storage, 10, 11);
}

/// A killed process leaves written but unsynced files and names; who opens them must not take them for durable.
#[test]
fn a_flush_after_a_kill_makes_durable_what_was_written_before() {
    for flushed_before in [0, 7, 10] {
        let storage = SimStorage::new();
        let log = open_from(&storage, 0);
        append_many(&log, flushed_before);
        assert_eq!(log.flush().unwrap(), flushed_before);
        let checkpoint = log.recovery_checkpoint();
        append_many(&log, 25 - flushed_before);
        let storage = storage.after_kill();
        let log = open_from(&storage, checkpoint);
        assert_eq!((log.flush().unwrap(), log.recovery_checkpoint()), (25, 20));
        check(&storage, 20, 25);
    }
}

/// The header of a torn batch can claim gaps; taken for compaction, they would let the log go on behind the loss.
#[test]
fn a_torn_batch_says_nothing_about_compaction() {
    let storage = SimStorage::new();
    append_many(&open_from(&storage, 0), 15);
    let one = batch(1, 50).len();
    let segment = dir().join("00000000000000000000.log");
    // The record count and all that follows is lost in the seventh batch, and the last three never came.
    storage.corrupt(&segment, |bytes| {
        bytes.truncate(7 * one);
        bytes[6 * one + 57..].fill(0);
    });
    let log = open_from(&storage, 0);
    assert_eq!(base_offsets(&log), (0..6).collect::<Vec<_>>());
    assert_eq!(log.log_end_offset(), 6);
}

/// What is cut off at opening must not come back behind what is appended then.
#[test]
fn what_was_cut_stays_cut() {
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let storage = SimStorage::new();
        let log = open_from(&storage, 0);
        append_many(&log, 25);
        let image = storage.after_power_failure(&mut random);
        let log = open_from(&image, 0);
        let cut = log.log_end_offset();
        // As long as what was cut, so that a batch that comes back would stand where the next one is expected.
        for _ in 0..3 {
            append(&log, &batch_with(&barnabas_records::Seal::default(), 1, 50, NOW + 1000));
        }
        let image = image.after_power_failure(&mut random);
        let log = open_from(&image, 0);
        for batch in read_all(&log, 1 << 20) {
            let (offset, timestamp, _) = &batch.records[0];
            let expected = if *offset < cut { NOW + offset } else { NOW + 1000 };
            assert_eq!(*timestamp, expected, "seed {seed}: offset {offset}, cut at {cut}");
        }
    }
}
