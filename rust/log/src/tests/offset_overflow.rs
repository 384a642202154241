//! Offsets within a segment are 32-bit numbers to its indexes: a segment ends before they overflow. Logs come there by
//! gaps, as compaction leaves them and as a follower takes them over.

use barnabas_records::{Seal, patch};

use super::batches::*;
use super::cleaner::history::clean;
use super::sim::SimStorage;
use crate::partition_log::{OpenContext, PartitionLog};
use crate::segment::file_name;
use crate::storage::{OpenMode, Storage};
use crate::{LogConfig, LogError};

/// Greatest offset that a segment which begins at 0 can hold.
const LAST: i64 = i32::MAX as i64;

/// Every batch gets an index entry, and its timestamp may be what its offset is.
fn config() -> LogConfig {
    LogConfig {
        index_interval_bytes: 0,
        message_timestamp_after_max_ms: i64::MAX,
        segment_ms: i64::MAX,
        ..LogConfig::default()
    }
}

/// A batch whose timestamps begin at its offset.
fn batch_at(base_offset: i64, count: i32) -> Vec<u8> {
    let mut bytes = batch_with(&Seal::default(), count, 50, NOW + base_offset);
    patch::set_base_offset(&mut bytes, base_offset).unwrap();
    bytes
}

/// The log of one segment with a batch of one record at each of `offsets`.
fn stored(offsets: &[i64]) -> SimStorage {
    let storage = SimStorage::new();
    storage.create_dir_all(&dir()).unwrap();
    let path = dir().join(file_name(offsets[0], ".log"));
    let bytes: Vec<u8> = offsets.iter().flat_map(|offset| batch_at(*offset, 1)).collect();
    let file = storage.open(&path, OpenMode::Create).unwrap();
    file.write_all_at(&bytes, 0).unwrap();
    storage
}

fn segments(log: &PartitionLog) -> Vec<i64> {
    log.segments().iter().map(|segment| segment.base_offset).collect()
}

/// Every batch is found, one after the other, by its offset and by its time.
fn check(log: &PartitionLog, batches: &[i64], what: &str) {
    assert_eq!(base_offsets(log), batches, "{what}");
    let end = log.log_end_offset();
    for offset in batches {
        assert_eq!(log.read(*offset, 1, true, end).unwrap().base_offset, *offset, "{what}");
        let found = log.offset_for_timestamp(NOW + offset, end).unwrap();
        assert_eq!(found.map(|found| found.offset), Some(*offset), "{what}");
    }
    let greatest = log.max_timestamp(end).unwrap();
    assert_eq!(greatest.map(|found| found.offset), Some(end - 1), "{what}");
}

#[test]
fn a_segment_is_rolled_before_its_offsets_overflow() {
    // What is appended when the next offset is `LAST`, and where the second segment begins then.
    for (counts, second, batches) in [
        ([1, 1], LAST + 1, [0, LAST - 1, LAST, LAST + 1]),
        ([2, 1], LAST, [0, LAST - 1, LAST, LAST + 2]),
    ] {
        let storage = stored(&[0, LAST - 1]);
        let log = open(&storage.as_storage(), config());
        assert_eq!((log.log_end_offset(), segments(&log)), (LAST, vec![0]));
        for count in counts {
            let at = log.log_end_offset();
            let rolled = append(&log, &batch_with(&Seal::default(), count, 50, NOW + at)).rolled;
            assert_eq!(rolled, at == second, "{count} at {at}");
        }
        assert_eq!(segments(&log), [0, second]);
        check(&log, &batches, "as written");
        let killed = open(&storage.after_kill().as_storage(), config());
        assert_eq!(segments(&killed), [0, second]);
        check(&killed, &batches, "after a kill");
        log.flush().unwrap();
        let checkpoint = OpenContext {
            recovery_point: log.recovery_checkpoint(),
            ..OpenContext::unclean(NOW)
        };
        assert_eq!(checkpoint.recovery_point, second);
        check(
            &open_at(&storage.after_kill().as_storage(), config(), checkpoint),
            &batches,
            "behind the recovery point",
        );
        log.close().unwrap();
        check(&open_clean(&storage.as_storage(), config()), &batches, "after a close");
    }
}

/// Compaction joins small neighbours, but none that a relative offset does not reach.
#[test]
fn compaction_joins_no_segments_whose_offsets_would_overflow() {
    let compacted = LogConfig {
        compact: true,
        ..config()
    };
    for (second, joined) in [
        (LAST - 3, vec![0, LAST + 1]),
        (LAST - 2, vec![0, LAST + 1, LAST + 2]),
        (LAST - 1, vec![0, LAST + 1, LAST + 3]),
    ] {
        let storage = stored(&[0, second]);
        let log = open(&storage.as_storage(), compacted.clone());
        for _ in 0..3 {
            append(&log, &batch(1, 50));
            log.roll(NOW).unwrap();
        }
        log.set_high_watermark(log.log_end_offset());
        let end = log.log_end_offset();
        assert_eq!(segments(&log), [0, second + 2, second + 3, second + 4]);
        clean(&log, NOW);
        assert_eq!((segments(&log), log.log_end_offset()), (joined.clone(), end));
        let again = open(&storage.after_kill().as_storage(), compacted.clone());
        assert_eq!((segments(&again), again.log_end_offset()), (joined, end));
    }
}

/// Kafka before 2.0 could write a segment that is too long; Kafka splits it. Nothing of it may be cut off.
#[test]
fn a_segment_whose_offsets_have_overflowed_is_refused_and_stays_as_it_is() {
    let storage = stored(&[0, LAST + 1]);
    let before = storage.contents(&dir());
    let opened = PartitionLog::open(
        storage.as_storage(),
        dir(),
        TOPIC_ID,
        config(),
        OpenContext::unclean(NOW),
    );
    let error = opened.map(|_| ()).unwrap_err();
    assert!(matches!(error, LogError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("let Kafka split it"), "{error}");
    let after = storage.contents(&dir());
    let log = file_name(0, ".log");
    assert_eq!(after[&log], before[&log]);
}
