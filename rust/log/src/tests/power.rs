//! What a power failure must not break; each of these was found by the seeded runs or the model first.

use std::sync::Arc;

use super::batches::*;
use super::cleaner::history::{PLAIN, Shape, clean, end, put};
use super::sim::{Fault, Random, SimStorage};
use crate::LogConfig;
use crate::partition_log::{OpenContext, PartitionLog};
use crate::segment::file_name;
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

fn transactional(producer_id: i64) -> Shape {
    Shape {
        producer: Some((producer_id, 0, 0)),
        transactional: true,
        ..PLAIN
    }
}

/// A segment of a compacted log that compaction never touched loses its end, and the next one survives: its indexes are
/// missing, or speak of more than there is, or are those of a moment at which the log was closed.
#[test]
fn a_compacted_log_ends_where_an_unflushed_segment_lost_its_end() {
    let compacted = LogConfig {
        compact: true,
        ..config()
    };
    let open = |storage: &SimStorage| open_at(&storage.as_storage(), compacted.clone(), OpenContext::unclean(NOW));
    for indexes in ["missing", "of more", "of a close"] {
        let storage = SimStorage::new();
        let log = open(&storage);
        append_many(&log, 17);
        match indexes {
            "of a close" => {
                log.close().unwrap();
                append_many(&open(&storage), 8);
            }
            _ => append_many(&log, 8),
        }
        if indexes == "of more" {
            log.flush_sealed().unwrap();
        }
        let image = storage.after_kill();
        image.corrupt(&dir().join(file_name(10, ".log")), |bytes| {
            bytes.truncate(7 * batch(1, 50).len());
        });
        let log = open(&image);
        assert_eq!(log.log_end_offset(), 17, "indexes {indexes}");
        assert_eq!(base_offsets(&log), (0..17).collect::<Vec<_>>(), "indexes {indexes}");
    }
}

/// Where a truncation ended at a segment's beginning, the segment that was given up and the new one have the same name,
/// like one that compaction has replaced; a hole before it is a loss all the same.
#[test]
fn a_truncated_log_is_not_taken_for_a_compacted_one() {
    let storage = SimStorage::new();
    let log = open_from(&storage, 0);
    append_many(&log, 25);
    log.flush_sealed().unwrap();
    log.truncate_to(20, NOW).unwrap();
    let image = storage.after_kill();
    assert!(image.contents(&dir()).contains_key("00000000000000000020.log.deleted"));
    for suffix in [".log", ".index", ".timeindex"] {
        image.remove_file(&dir().join(file_name(10, suffix))).unwrap();
    }
    let log = open_from(&image, 0);
    assert_eq!(base_offsets(&log), (0..10).collect::<Vec<_>>());
    assert_eq!(log.log_end_offset(), 10);
}

/// The disk kept the new names of compacted indexes, but not that of their log.
#[test]
fn compacted_indexes_without_their_log_are_not_believed() {
    let storage = SimStorage::new();
    let log = open_from(&storage, 0);
    append_many(&log, 25);
    log.flush_sealed().unwrap();
    let image = storage.after_kill();
    let files = image.contents(&dir());
    for suffix in [".index", ".timeindex"] {
        let swap = dir().join(file_name(0, &format!("{suffix}.swap")));
        image.open(&swap, crate::OpenMode::Create).unwrap();
        image.corrupt(&swap, Vec::clear);
    }
    let log = open_from(&image, 20);
    assert_eq!(base_offsets(&log), (0..25).collect::<Vec<_>>());
    let found = image.contents(&dir());
    assert!(found.keys().all(|name| name.strip_suffix(".swap").is_none()));
    for suffix in [".index", ".timeindex"] {
        assert_eq!(found[&file_name(0, suffix)], files[&file_name(0, suffix)], "{suffix}");
    }
}

/// Only the producer snapshot knows the transaction, and the log before the snapshot is read again for the transaction
/// index.
#[test]
fn an_open_transaction_whose_beginning_is_deleted_stays_open() {
    let storage = SimStorage::new();
    let log = open_from(&storage, 0);
    put(&log, transactional(3), &[("k", Some("1"))]);
    log.roll(NOW).unwrap();
    put(&log, transactional(2), &[("k", Some("2"))]);
    end(&log, 2, 0, false, NOW);
    assert_eq!(log.delete_records(1, NOW).unwrap(), 1);
    assert_eq!(log.last_stable_offset(), 1);
    let log = open_from(&storage.after_kill(), 0);
    log.set_high_watermark(3);
    assert_eq!((log.log_start_offset(), log.last_stable_offset()), (1, 1));
    assert_eq!(log.aborted_transactions(1, 3).unwrap().len(), 1);
}

/// A start cuts an index, the process is killed, the next one ends properly: the cut is on disk then.
#[test]
fn a_transaction_index_that_was_cut_before_a_kill_stays_cut() {
    let storage = SimStorage::new();
    let log = open_from(&storage, 0);
    put(&log, transactional(2), &[("k", Some("1"))]);
    let len = log.segments()[0].size();
    end(&log, 2, 0, false, NOW);
    log.flush().unwrap();
    // The marker is damaged.
    storage.corrupt(&dir().join(file_name(0, ".log")), |bytes| {
        bytes.truncate(usize::try_from(len).unwrap());
    });
    open_from(&storage, 0);
    let killed = storage.after_kill();
    let log = open_from(&killed, 0);
    append_many(&log, 3);
    log.close().unwrap();
    for seed in 0..20 {
        let image = killed.after_power_failure(&mut Random::new(seed));
        let log = open_clean(&image.as_storage(), config());
        assert_eq!(log.aborted_transactions(0, 4).unwrap(), [], "seed {seed}");
    }
}

/// A truncation cuts a segment that the checkpoint calls flushed, and writes its indexes anew. The process dies before
/// anybody lowers the checkpoint.
#[test]
fn the_indexes_of_a_cut_segment_are_on_disk_before_the_next_one() {
    let storage = SimStorage::new();
    let log = open_from(&storage, 0);
    append_many(&log, 25);
    log.flush().unwrap();
    assert_eq!(log.recovery_checkpoint(), 20);
    log.truncate_to(7, NOW).unwrap();
    check(&storage, 20, 7);
}

/// The only older snapshot is that of a close, from before the log's first segment: a transaction that was open then
/// has ended in what is deleted.
#[test]
fn a_truncation_does_not_go_back_to_a_snapshot_of_what_is_deleted() {
    let storage = SimStorage::new();
    let log = open_from(&storage, 0);
    put(&log, transactional(3), &[("k", Some("1"))]);
    log.close().unwrap();
    let log = open_clean(&storage.as_storage(), config());
    end(&log, 3, 0, true, NOW);
    put(&log, transactional(2), &[("k", Some("2"))]);
    append_many(&log, 1);
    log.truncate_to(3, NOW).unwrap();
    append_many(&log, 3);
    log.set_high_watermark(6);
    assert_eq!(log.delete_records(3, NOW).unwrap(), 3);
    log.truncate_to(5, NOW).unwrap();
    // Only the transaction of producer 2 is open, though its beginning is deleted; here and at the next start.
    end(&log, 2, 0, true, NOW);
    let again = open_from(&storage.after_kill(), 0);
    for log in [log, again] {
        log.set_high_watermark(6);
        assert_eq!((log.log_start_offset(), log.last_stable_offset()), (3, 6));
    }
}

/// A deletion finds no snapshot as of the segment that becomes the first: a crash has lost it.
#[test]
fn deletion_keeps_the_producers_as_of_the_new_start() {
    let storage = SimStorage::new();
    let log = open_from(&storage, 0);
    put(&log, transactional(3), &[("k", Some("1"))]);
    log.roll(NOW).unwrap();
    append_many(&log, 2);
    log.flush().unwrap();
    let image = storage.after_kill();
    image.remove_file(&dir().join(file_name(1, ".snapshot"))).unwrap();
    let log = open_from(&image, 0);
    log.set_high_watermark(3);
    assert_eq!(log.delete_records(1, NOW).unwrap(), 1);
    log.truncate_to(2, NOW).unwrap();
    log.set_high_watermark(2);
    assert_eq!((log.log_start_offset(), log.last_stable_offset()), (1, 1));
}

/// A segment of a compacted log is empty, and so are its indexes: compaction has emptied it, or a power failure.
#[test]
fn an_empty_segment_is_a_loss_where_compaction_never_was() {
    let compacted = LogConfig {
        compact: true,
        ..config()
    };
    for (cleaned_offset, end) in [(10, 10), (20, 25)] {
        let storage = SimStorage::new();
        let log = open_at(&storage.as_storage(), compacted.clone(), OpenContext::unclean(NOW));
        append_many(&log, 25);
        log.flush_sealed().unwrap();
        let image = storage.after_kill();
        for suffix in [".log", ".index", ".timeindex"] {
            image.corrupt(&dir().join(file_name(10, suffix)), Vec::clear);
        }
        image.remove_file(&dir().join(file_name(10, ".snapshot"))).unwrap();
        let context = OpenContext {
            recovery_point: 10,
            cleaned_offset,
            ..OpenContext::unclean(NOW)
        };
        let log = open_at(&image.as_storage(), compacted.clone(), context);
        assert_eq!(log.log_end_offset(), end, "compacted up to {cleaned_offset}");
    }
}

/// A round puts one segment in the place of three. On a disk that keeps renames in no order the new one must not come back
/// beside one of the old ones: that one's batches would be taken for later ones of their producers, and a look-up of an
/// offset behind them would find nothing.
#[test]
fn a_compacted_segment_never_stands_beside_one_that_it_replaces() {
    let compacted = LogConfig {
        compact: true,
        ..config()
    };
    let storage = SimStorage::new();
    let log = open_at(&storage.as_storage(), compacted.clone(), OpenContext::unclean(NOW));
    for (sequence, key) in (0..).zip(["a", "b", "c"]) {
        let shape = Shape {
            producer: Some((7, 0, sequence)),
            ..PLAIN
        };
        put(&log, shape, &[(key, Some("1"))]);
        log.roll(NOW).unwrap();
    }
    put(&log, PLAIN, &[("d", Some("1"))]);
    log.flush().unwrap();
    let context = OpenContext {
        recovery_point: log.recovery_checkpoint(),
        ..OpenContext::unclean(NOW)
    };
    let producers = log.lock_appender().unwrap().producers.last_records();
    storage.capture(Random::new(1), 1);
    clean(&log, NOW);
    assert_eq!(log.segments().len(), 2);
    for (index, image) in storage.captured().into_iter().enumerate() {
        for seed in 0..60 {
            let what = format!("image {index}, seed {seed}");
            let mut random = Random::new(seed);
            let mut image = image.after_power_failure_with_names_in_any_order(&mut random);
            if seed % 2 == 1 {
                // The next start dies too.
                image.fail_after(random.below(16), Fault::Broken, true);
                let _ = PartitionLog::open(image.as_storage(), dir(), TOPIC_ID, compacted.clone(), context);
                image = image.after_power_failure_with_names_in_any_order(&mut random);
            }
            let log = open_at(&image.as_storage(), compacted.clone(), context);
            assert_eq!(
                log.lock_appender().unwrap().producers.last_records(),
                producers,
                "{what}"
            );
            assert_eq!(base_offsets(&log), [0, 1, 2, 3], "{what}");
            for offset in 0..4 {
                let slice = log.read(offset, 1, true, 4).unwrap();
                assert_eq!(slice.base_offset, offset, "{what}");
            }
        }
    }
}
