//! Cutting the log's end.

use std::sync::Arc;

use super::batches::*;
use super::cleaner::history::{PLAIN, clean, put};
use super::sim::{Random, SimStorage};
use crate::partition_log::{AppendOrigin, EpochEndOffset, OpenContext, PartitionLog};
use crate::storage::Storage;
use crate::{EpochTruncation, LogConfig, LogError};

/// Batches of one to four records from several producers, over a few segments and two epochs each.
fn filled(storage: &Arc<dyn Storage>, count: i32) -> PartitionLog {
    let log = open(storage, small_segments());
    let mut sequences = [0; 3];
    for index in 0..count {
        let producer = usize::try_from(index % 3).unwrap();
        let records = 1 + index % 4;
        let mut bytes = produced(i64::try_from(producer).unwrap(), 0, sequences[producer], records);
        sequences[producer] += records;
        log.append(&mut bytes, index / 8, NOW + i64::from(index), AppendOrigin::Client)
            .unwrap();
    }
    log
}

fn expected(batches: &[ReadBatch], end: i64) -> Vec<ReadBatch> {
    let whole = |batch: &&ReadBatch| batch.records.last().unwrap().0 < end;
    batches.iter().take_while(whole).cloned().collect()
}

fn end_of(batches: &[ReadBatch]) -> i64 {
    batches.last().map_or(0, |batch| batch.records.last().unwrap().0 + 1)
}

#[test]
fn a_log_ends_before_the_batch_of_any_offset_and_goes_on_from_there() {
    let all = read_all(&filled(&SimStorage::shared(), 40), 1 << 20);
    for offset in 0..=end_of(&all) {
        let storage: Arc<dyn Storage> = SimStorage::shared();
        let log = filled(&storage, 40);
        log.set_high_watermark(end_of(&all));
        let kept = expected(&all, offset);
        let end = end_of(&kept);
        assert_eq!(log.truncate_to(offset, NOW).unwrap(), offset < end_of(&all));
        assert_eq!((log.log_end_offset(), log.high_watermark()), (end, end), "at {offset}");
        assert_eq!(read_all(&log, 1 << 20), kept);
        assert_eq!(log.latest_epoch(), kept.last().map(|batch| batch.leader_epoch));
        // The producers are those of what is left: the batch that was cut off is new again, the one before is not.
        let again = filled_again(&log, &all, end);
        assert_eq!(read_all(&log, 1 << 20), again);
        for clean in [false, true] {
            let reopened = if clean {
                log.close().unwrap();
                open_clean(&storage, small_segments())
            } else {
                open(&storage, small_segments())
            };
            assert_eq!(read_all(&reopened, 1 << 20), again, "at {offset}, clean: {clean}");
        }
    }
}

/// Appends what was cut off once more.
fn filled_again(log: &PartitionLog, all: &[ReadBatch], end: i64) -> Vec<ReadBatch> {
    let mut sequences = [0; 3];
    for (index, batch) in all.iter().enumerate() {
        let (producer, records) = (index % 3, i32::try_from(batch.records.len()).unwrap());
        let mut bytes = produced(i64::try_from(producer).unwrap(), 0, sequences[producer], records);
        sequences[producer] += records;
        if batch.base_offset >= end {
            let now_ms = NOW + i64::try_from(index).unwrap();
            let info = log
                .append(&mut bytes, batch.leader_epoch, now_ms, AppendOrigin::Client)
                .unwrap();
            assert_eq!((info.base_offset, info.duplicate), (batch.base_offset, false));
        }
    }
    all.to_vec()
}

#[test]
fn a_full_truncation_begins_anew_anywhere() {
    for start in [0, 3, 500] {
        let storage: Arc<dyn Storage> = SimStorage::shared();
        let log = filled(&storage, 20);
        log.truncate_fully(start, NOW).unwrap();
        let state = |log: &PartitionLog| (log.log_start_offset(), log.log_end_offset(), log.high_watermark());
        assert_eq!(state(&log), (start, start, start));
        assert_eq!(log.latest_epoch(), None);
        assert!(log.read(start, 100, true, i64::MAX).unwrap().is_empty());
        assert_eq!(open(&storage, small_segments()).log_end_offset(), start);
        // Any producer is new, in any epoch of the leader.
        let info = log
            .append(&mut produced(1, 0, 77, 2), 0, NOW, AppendOrigin::Client)
            .unwrap();
        assert_eq!(info.base_offset, start);
        assert_eq!(base_offsets(&open(&storage, small_segments())), [start]);
    }
}

#[test]
fn a_log_is_never_lost_by_a_truncation_that_a_crash_interrupts() {
    for (target, seed) in [(0, 1), (0, 2), (30, 3), (57, 4), (1000, 5)] {
        let sim = SimStorage::new();
        let storage = sim.as_storage();
        let log = filled(&storage, 40);
        log.flush().unwrap();
        let before = read_all(&log, 1 << 20);
        let mut random = Random::new(seed);
        sim.capture(Random::new(random.next()), 1);
        if target > end_of(&before) {
            log.truncate_fully(target, NOW).unwrap();
        } else {
            log.truncate_to(target, NOW).unwrap();
        }
        let after = read_all(&log, 1 << 20);
        let images = sim.captured();
        assert!(images.len() > 5, "{} images", images.len());
        for image in images {
            let context = OpenContext {
                recovery_point: end_of(&before),
                ..OpenContext::unclean(NOW)
            };
            let reopened = open_at(&image.as_storage(), small_segments(), context);
            let found = read_all(&reopened, 1 << 20);
            let is_prefix = before.starts_with(&found) && found.starts_with(&after);
            let is_after = found == after && reopened.log_end_offset() == log.log_end_offset();
            assert!(
                is_prefix || is_after,
                "{} batches, ends at {}",
                found.len(),
                reopened.log_end_offset()
            );
        }
    }
}

#[test]
fn what_was_being_sent_is_cut_short_and_never_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(crate::FileStorage);
    let log = PartitionLog::open(
        storage,
        dir.path().join("topic-0"),
        TOPIC_ID,
        LogConfig::default(),
        OpenContext::unclean(NOW),
    )
    .unwrap();
    for _ in 0..50 {
        append(&log, &batch(1, 100));
    }
    let slice = log.read(0, 1 << 20, true, i64::MAX).unwrap();
    let old = slice.read().unwrap();
    log.truncate_to(20, NOW).unwrap();
    for _ in 0..50 {
        append(&log, &batch(1, 300));
    }
    assert_eq!(slice.read().unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
    let mut bytes = vec![0; old.len()];
    let len = slice.file.read_at(&mut bytes, slice.position).unwrap();
    assert!(len < old.len() && bytes[..len] == old[..len]);
    // A full truncation leaves the file to who holds it.
    let slice = log.read(20, 1 << 20, true, i64::MAX).unwrap();
    let old = slice.read().unwrap();
    log.truncate_fully(0, NOW).unwrap();
    append(&log, &batch(1, 10));
    assert_eq!(slice.read().unwrap(), old);
}

#[test]
fn readers_meet_whole_batches_while_the_log_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let log = PartitionLog::open(
        Arc::new(crate::FileStorage),
        dir.path().join("topic-0"),
        TOPIC_ID,
        small_segments(),
        OpenContext::unclean(NOW),
    )
    .unwrap();
    for _ in 0..100 {
        append(&log, &batch(1, 100));
    }
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _end = AtEnd(&is_done);
        for reader in 0..2 {
            let (log, is_done) = (&log, &is_done);
            scope.spawn(move || {
                let mut random = Random::new(reader);
                while !is_done.load(std::sync::atomic::Ordering::Acquire) {
                    let offset = i64::try_from(random.below(100)).unwrap();
                    match log.read(offset, 500, true, i64::MAX) {
                        Ok(slice) => match slice.read() {
                            Ok(bytes) => assert!(decode(&bytes).iter().all(|batch| batch.base_offset < 200)),
                            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof),
                        },
                        Err(LogError::OffsetOutOfRange { .. }) => {}
                        Err(other) => panic!("{other}"),
                    }
                    log.offset_for_timestamp(NOW, i64::MAX).unwrap();
                    log.max_timestamp(i64::MAX).unwrap();
                }
            });
        }
        let mut random = Random::new(9);
        for round in 0..150 {
            let offset = i64::try_from(random.below(100)).unwrap();
            match round % 10 {
                9 => log.truncate_fully(0, NOW).unwrap(),
                _ => _ = log.truncate_to(offset, NOW).unwrap(),
            }
            while log.log_end_offset() < 100 {
                append(&log, &batch(1, usize::try_from(random.below(300)).unwrap()));
            }
        }
    });
}

/// Raises a flag when it goes, also by a panic: whoever waits for the flag must not wait for ever.
struct AtEnd<'a>(&'a std::sync::atomic::AtomicBool);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, std::sync::atomic::Ordering::Release);
    }
}

#[test]
fn a_flush_that_met_a_truncation_does_not_count_what_came_after() {
    let log = filled(&SimStorage::shared(), 20);
    let end = log.log_end_offset();
    assert_eq!(log.flush().unwrap(), end);
    log.truncate_to(10, NOW).unwrap();
    assert_eq!(log.recovery_point(), log.log_end_offset());
    append_more(&log, end);
    assert!(log.recovery_point() < log.log_end_offset());
    assert_eq!(log.flush().unwrap(), log.log_end_offset());
}

fn append_more(log: &PartitionLog, up_to: i64) {
    while log.log_end_offset() < up_to {
        log.append(&mut batch(1, 10), 9, NOW, AppendOrigin::Client).unwrap();
    }
}

#[test]
fn a_follower_cuts_where_its_leaders_epochs_part_from_its_own() {
    // Epoch 1 begins at 0, epoch 4 at 3, epoch 6 at 5; the log ends at 8.
    let log = open(&SimStorage::shared(), LogConfig::default());
    for (epoch, count) in [(1, 3), (4, 2), (6, 3)] {
        log.append(&mut batch(count, 10), epoch, NOW, AppendOrigin::Client)
            .unwrap();
    }
    log.set_high_watermark(2);
    for ((epoch, end_offset), (offset, is_complete)) in [
        ((6, 7), (7, true)),
        ((6, 20), (8, true)),
        ((4, 4), (4, true)),
        ((4, 9), (5, true)),
        // Not known here: where the largest smaller one ends, and the leader is asked again.
        ((5, 6), (5, false)),
        ((3, 3), (3, false)),
        // Smaller than all that is known here: nothing is shared.
        ((0, 2), (0, true)),
        // Unknown to the leader.
        ((-1, -1), (2, true)),
        ((-1, 6), (6, true)),
        ((9, 7), (7, true)),
    ] {
        let leader = EpochEndOffset { epoch, end_offset };
        assert_eq!(
            log.epoch_truncation(leader),
            EpochTruncation { offset, is_complete },
            "{leader:?}"
        );
    }
    let leader = EpochEndOffset {
        epoch: 4,
        end_offset: 9,
    };
    log.truncate_to_epoch_end(leader, NOW).unwrap();
    assert_eq!((log.log_end_offset(), log.latest_epoch()), (5, Some(4)));
}

#[test]
fn messages_of_an_old_format_are_refused_and_never_cut_off() {
    let sim = SimStorage::new();
    let storage = sim.as_storage();
    let log = open(&storage, LogConfig::default());
    append(&log, &batch(2, 10));
    let len = log.size_in_bytes();
    drop(log);
    let path = dir().join("00000000000000000000.log");
    let old = include_bytes!("../../../../tests/golden/records/java_legacy/v1_none.bin");
    sim.corrupt(&path, |bytes| bytes.extend_from_slice(old));
    let before = sim.contents(&dir());
    let error = PartitionLog::open(
        Arc::clone(&storage),
        dir(),
        TOPIC_ID,
        LogConfig::default(),
        OpenContext::unclean(NOW),
    )
    .unwrap_err();
    assert!(error.to_string().contains("format 0 or 1"), "{error}");
    assert_eq!(sim.contents(&dir()), before);
    // One that is torn is a torn tail like any other.
    sim.corrupt(&path, |bytes| bytes.truncate(usize::try_from(len).unwrap() + 30));
    assert_eq!(open(&storage, LogConfig::default()).size_in_bytes(), len);
}

/// Offsets that compaction has emptied are not given out again.
#[test]
fn a_truncation_behind_what_compaction_took_ends_where_it_was_told() {
    let storage: Arc<dyn Storage> = SimStorage::shared();
    let config = LogConfig {
        compact: true,
        ..LogConfig::default()
    };
    let log = open(&storage, config.clone());
    for _ in 0..3 {
        put(&log, PLAIN, &[("key", Some("value"))]);
    }
    log.roll(NOW).unwrap();
    put(&log, PLAIN, &[("other", Some("value"))]);
    assert_eq!(clean(&log, NOW + 1).0, 3);
    assert!(log.truncate_to(2, NOW).unwrap());
    assert_eq!(log.log_end_offset(), 2);
    assert_eq!(put(&log, PLAIN, &[("key", Some("again"))]), 2);
    assert_eq!(base_offsets(&open(&storage, config)), [2]);
}
