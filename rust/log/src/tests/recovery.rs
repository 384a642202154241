//! What a log looks like after a crash, case by case.

use std::path::PathBuf;
use std::sync::Arc;

use super::batches::*;
use super::sim::{Fault, Random, SimStorage};
use crate::index_file::decode_entries;
use crate::offset_index::OffsetEntry;
use crate::partition_log::{OpenContext, PartitionLog};
use crate::segment::file_name;
use crate::storage::Storage;
use crate::{LogConfig, LogError};

fn shared(storage: &SimStorage) -> Arc<dyn Storage> {
    Arc::new(storage.clone())
}

fn path(base_offset: i64, suffix: &str) -> PathBuf {
    dir().join(file_name(base_offset, suffix))
}

/// Batches of one size, ten per segment: 0 to 9 in the first, …
const PER_SEGMENT: u64 = 10;

fn config() -> LogConfig {
    let one = batch(1, 50).len() as u64;
    LogConfig {
        segment_bytes: PER_SEGMENT * one,
        index_interval_bytes: 200,
        ..LogConfig::default()
    }
}

fn filled(count: i64) -> SimStorage {
    let storage = SimStorage::new();
    let log = open(&shared(&storage), config());
    for _ in 0..count {
        append(&log, &batch(1, 50));
    }
    storage
}

/// Opens after a kill, checks the offsets, opens once more and checks that nothing changed.
fn reopen(storage: &SimStorage, expected_end: i64) -> PartitionLog {
    let image = storage.after_kill();
    let log = open(&shared(&image), config());
    assert_eq!(log.log_end_offset(), expected_end);
    assert_eq!(
        base_offsets(&log),
        (log.log_start_offset()..expected_end).collect::<Vec<_>>()
    );
    let files = image.contents(&dir());
    let again = open(&shared(&image), config());
    assert_eq!(
        base_offsets(&again),
        (again.log_start_offset()..expected_end).collect::<Vec<_>>()
    );
    assert_eq!(image.contents(&dir()), files, "the second opening changes nothing");
    assert_eq!(append(&again, &batch(1, 50)).base_offset, expected_end);
    log
}

#[test]
fn a_killed_process_loses_nothing() {
    reopen(&filled(25), 25);
    reopen(&filled(0), 0);
    reopen(&filled(10), 10);
}

#[test]
fn a_clean_shutdown_is_trusted() {
    let storage = filled(0);
    let log = open(&shared(&storage), config());
    for _ in 0..25 {
        append(&log, &batch(1, 50));
    }
    log.close().unwrap();
    // A flipped bit in a value: only a full validation would see it.
    storage.corrupt(&path(0, ".log"), |bytes| bytes[90] ^= 1);
    let log = open_clean(&shared(&storage), config());
    assert_eq!((log.log_end_offset(), log.recovery_point()), (25, 0));
    assert_eq!(append(&log, &batch(1, 50)).base_offset, 25);
}

#[test]
fn a_torn_tail_is_cut() {
    let one = batch(1, 50).len();
    for kept in [1, 11, 60, one - 1] {
        let storage = filled(25);
        storage.corrupt(&path(20, ".log"), |bytes| bytes.truncate(4 * one + kept));
        reopen(&storage, 24);
    }
}

#[test]
fn a_zero_filled_tail_is_cut() {
    for zeros in [1, 12, 61, 5000] {
        let storage = filled(25);
        storage.corrupt(&path(20, ".log"), |bytes| bytes.resize(bytes.len() + zeros, 0));
        reopen(&storage, 25);
    }
}

#[test]
fn garbage_behind_the_end_is_cut() {
    let storage = filled(25);
    let mut random = Random::new(1);
    storage.corrupt(&path(20, ".log"), |bytes| {
        bytes.extend((0..500).map(|_| random.next().to_le_bytes()[0]));
    });
    reopen(&storage, 25);
}

#[test]
fn a_huge_length_field_is_cut_without_allocating_for_it() {
    let storage = filled(25);
    let one = batch(1, 50).len();
    storage.corrupt(&path(20, ".log"), |bytes| {
        bytes[4 * one + 8..4 * one + 12].copy_from_slice(&i32::MAX.to_be_bytes());
    });
    reopen(&storage, 24);
}

/// The log ends before the first bad batch: what stands behind it may have been acknowledged by nobody, or lies behind
/// data that is lost.
#[test]
fn a_bad_batch_in_the_middle_ends_the_log() {
    let one = batch(1, 50).len();
    for (base, bad, end) in [(20, 2, 22), (10, 0, 10), (10, 9, 19), (0, 0, 0)] {
        let storage = filled(25);
        storage.corrupt(&path(base, ".log"), |bytes| bytes[bad * one + 80] ^= 1);
        reopen(&storage, end);
    }
}

/// The tail of a sealed segment never reached the disk although the next segment did.
#[test]
fn a_gap_between_segments_ends_the_log() {
    let one = batch(1, 50).len();
    for (base, kept, end) in [(0, 7, 7), (10, 0, 10)] {
        let storage = filled(25);
        storage.corrupt(&path(base, ".log"), |bytes| bytes.truncate(kept * one));
        reopen(&storage, end);
    }
}

/// Compaction empties segments and leaves gaps anywhere; nothing that it kept may be taken for a loss, whichever of
/// its traces is there: the topic's option, a gap within a segment, or a segment that is about to be deleted.
#[test]
fn gaps_of_a_compacted_log_are_kept() {
    let one = batch(1, 50).len();
    let expected: Vec<i64> = (10..17).chain(20..25).collect();
    for trace in 0..3 {
        let storage = filled(25);
        open(&shared(&storage), config());
        storage.corrupt(&path(0, ".log"), Vec::clear);
        storage.corrupt(&path(10, ".log"), |bytes| bytes.truncate(7 * one));
        // What is compacted has the indexes of what is left.
        storage.corrupt(&path(0, ".index"), Vec::clear);
        storage.corrupt(&path(0, ".timeindex"), Vec::clear);
        storage.corrupt(&path(10, ".index"), |bytes| bytes.truncate(8));
        let mut expected = expected.clone();
        let mut config = config();
        match trace {
            0 => config.compact = true,
            1 => {
                storage.corrupt(&path(20, ".log"), |bytes| _ = bytes.drain(2 * one..3 * one));
                expected.retain(|offset| *offset != 22);
            }
            _ => _ = storage.open(&path(0, ".log.deleted"), crate::OpenMode::Create).unwrap(),
        }
        let log = open(&shared(&storage), config);
        assert_eq!(base_offsets(&log), expected, "trace {trace}");
    }
}

#[test]
fn offsets_that_fall_end_the_log() {
    let storage = filled(25);
    let one = batch(1, 50).len();
    storage.corrupt(&path(20, ".log"), |bytes| {
        bytes[3 * one..3 * one + 8].copy_from_slice(&22i64.to_be_bytes());
    });
    reopen(&storage, 23);
}

#[test]
fn below_the_recovery_point_nothing_is_validated() {
    let storage = filled(25);
    open(&shared(&storage), config()).flush().unwrap();
    storage.corrupt(&path(0, ".log"), |bytes| bytes[90] ^= 1);
    let context = OpenContext {
        recovery_point: 20,
        ..OpenContext::unclean(NOW)
    };
    let log = open_at(&shared(&storage.after_kill()), config(), context);
    assert_eq!(
        (log.log_start_offset(), log.log_end_offset(), log.recovery_point()),
        (0, 25, 20)
    );
}

/// Whatever happened to the index files, with or without a clean shutdown, every offset is found and the files are
/// right afterwards.
#[test]
fn index_files_are_built_anew() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 6] = [
        ("empty", |bytes| bytes.clear()),
        ("shorter", |bytes| bytes.truncate(8)),
        ("partial entry", |bytes| bytes.truncate(bytes.len() - 1)),
        ("longer", |bytes| bytes.extend([0xff; 24])),
        ("preallocated", |bytes| bytes.resize(4096, 0)),
        ("garbage", |bytes| bytes.fill(0x5a)),
    ];
    let (pristine, files) = closed(25);
    let suffixes = [".index", ".timeindex"];
    for clean_shutdown in [true, false] {
        for base in [0, 10, 20] {
            for suffix in suffixes {
                for (what, damage) in damages {
                    let storage = pristine.after_kill();
                    storage.corrupt(&path(base, suffix), damage);
                    check_indexes(
                        &storage,
                        clean_shutdown,
                        &files,
                        &format!("{what} {base}{suffix} {clean_shutdown}"),
                    );
                }
                let storage = pristine.after_kill();
                storage.remove_file(&path(base, suffix)).unwrap();
                check_indexes(
                    &storage,
                    clean_shutdown,
                    &files,
                    &format!("missing {base}{suffix} {clean_shutdown}"),
                );
            }
        }
    }
}

type Files = std::collections::BTreeMap<String, Vec<u8>>;

/// A log with records in the order of time, closed, and its index files.
fn closed(count: i64) -> (SimStorage, Files) {
    let storage = SimStorage::new();
    let log = open(&shared(&storage), config());
    for index in 0..count {
        append(
            &log,
            &batch_with(&barnabas_records::Seal::default(), 1, 50, NOW + index),
        );
    }
    log.close().unwrap();
    let files = index_files(&storage);
    assert_eq!(files.len(), 6);
    (storage, files)
}

fn index_files(storage: &SimStorage) -> Files {
    storage
        .contents(&dir())
        .into_iter()
        .filter(|(name, _)| name.ends_with("index"))
        .collect()
}

fn check_indexes(storage: &SimStorage, clean_shutdown: bool, files: &Files, what: &str) {
    let context = OpenContext {
        clean_shutdown,
        recovery_point: 20,
        ..OpenContext::unclean(NOW)
    };
    // An index interval that makes the check for cut indexes sharp.
    let config = LogConfig {
        max_message_bytes: 100,
        ..config()
    };
    let log = open_at(&shared(storage), config, context);
    for offset in 0..25 {
        assert_eq!(log.read(offset, 1, true, 25).unwrap().base_offset, offset, "{what}");
        let found = log.offset_for_timestamp(NOW + offset, 25).unwrap().unwrap();
        assert_eq!(found.offset, offset, "{what}");
    }
    log.close().unwrap();
    assert_eq!(&index_files(storage), files, "{what}");
}

#[test]
fn an_index_that_lies_is_not_believed() {
    let (storage, _) = closed(25);
    // Entries that rise and lie in range, so that opening does not see it, but point into the middle of batches.
    storage.corrupt(&path(0, ".index"), |bytes| {
        let count = bytes.len() / 8;
        assert!(count >= 2);
        for entry in bytes.chunks_exact_mut(8).take(count - 1) {
            entry[7] = entry[7].wrapping_add(3);
        }
    });
    let log = open_clean(&shared(&storage), config());
    for offset in 0..25 {
        assert_eq!(log.read(offset, 1, true, 25).unwrap().base_offset, offset);
    }
}

#[test]
fn a_leader_epoch_file_that_is_missing_is_read_from_the_log() {
    for damage in [None, Some("0\n9\n1 0\n"), Some("")] {
        let storage = SimStorage::new();
        let log = open(&shared(&storage), config());
        for epoch in [2, 2, 5] {
            log.append(&mut batch(1, 50), epoch, NOW, crate::AppendOrigin::Client)
                .unwrap();
        }
        log.close().unwrap();
        let file = dir().join("leader-epoch-checkpoint");
        assert_eq!(storage.contents(&dir())["leader-epoch-checkpoint"], b"0\n2\n2 0\n5 2\n");
        match damage {
            None => storage.remove_file(&file).unwrap(),
            Some(text) => storage.corrupt(&file, |bytes| *bytes = text.into()),
        }
        let log = open_clean(&shared(&storage), config());
        assert_eq!((log.epoch_for_offset(1), log.epoch_for_offset(2)), (Some(2), Some(5)));
    }
}

#[test]
fn epochs_behind_a_cut_are_forgotten() {
    let storage = SimStorage::new();
    let log = open(&shared(&storage), config());
    for epoch in [2, 5] {
        log.append(&mut batch(1, 50), epoch, NOW, crate::AppendOrigin::Client)
            .unwrap();
    }
    log.close().unwrap();
    storage.corrupt(&path(0, ".log"), |bytes| _ = bytes.pop());
    let log = open(&shared(&storage), config());
    assert_eq!((log.log_end_offset(), log.latest_epoch()), (1, Some(2)));
}

/// Five repeated batches are recognised after a kill, after a clean shutdown (the snapshot keeps only one), and when the
/// snapshot is damaged or missing.
#[test]
fn producers_survive_in_every_way() {
    type Damage = fn(&SimStorage);
    let kill: Damage = |_| {};
    let lose_snapshots: Damage = |storage| {
        for name in storage
            .contents(&dir())
            .into_keys()
            .filter(|name| name.ends_with(".snapshot"))
        {
            storage.remove_file(&dir().join(name)).unwrap();
        }
    };
    let damage_snapshots: Damage = |storage| {
        for name in storage
            .contents(&dir())
            .into_keys()
            .filter(|name| name.ends_with(".snapshot"))
        {
            storage.corrupt(&dir().join(name), |bytes| *bytes.last_mut().unwrap() ^= 1);
        }
    };
    for clean in [false, true] {
        for damage in [kill, lose_snapshots, damage_snapshots] {
            let storage = SimStorage::new();
            let config = LogConfig {
                segment_bytes: 300,
                ..config()
            };
            let log = open(&shared(&storage), config.clone());
            append(&log, &produced(8, 1, 0, 1));
            for index in 0..9 {
                append(&log, &produced(3, 2, index, 1));
                append(&log, &batch(1, 10));
            }
            if clean {
                log.close().unwrap();
            }
            let image = storage.after_kill();
            damage(&image);
            let context = OpenContext {
                clean_shutdown: clean,
                ..OpenContext::unclean(NOW)
            };
            let log = open_at(&shared(&image), config, context);
            for index in 4..9 {
                let again = append(&log, &produced(3, 2, index, 1));
                assert_eq!((again.duplicate, again.base_offset), (true, 1 + i64::from(index) * 2));
            }
            assert_eq!(try_append(&log, &produced(3, 2, 3, 1)).unwrap_err().code(), 45);
            assert_eq!(try_append(&log, &produced(3, 1, 9, 1)).unwrap_err().code(), 47);
            assert!(append(&log, &produced(8, 1, 0, 1)).duplicate);
            assert_eq!(append(&log, &produced(3, 2, 9, 1)).base_offset, 19);
        }
    }
}

#[test]
fn snapshots_are_written_at_rolls_and_at_the_end() {
    let (storage, _) = closed(25);
    let names: Vec<String> = storage
        .contents(&dir())
        .into_keys()
        .filter(|name| name.ends_with(".snapshot"))
        .collect();
    assert_eq!(names, [10, 20, 25].map(|offset| file_name(offset, ".snapshot")));
    // The newest one and those of segments are kept.
    let log = open(&shared(&storage), config());
    append(&log, &batch(1, 50));
    log.close().unwrap();
    open(&shared(&storage), config());
    let names: Vec<String> = storage
        .contents(&dir())
        .into_keys()
        .filter(|name| name.ends_with(".snapshot"))
        .collect();
    assert_eq!(names, [10, 20, 26].map(|offset| file_name(offset, ".snapshot")));
}

#[test]
fn a_producer_cut_from_the_log_is_cut_from_the_state() {
    let storage = SimStorage::new();
    let log = open(&shared(&storage), config());
    append(&log, &produced(3, 0, 0, 1));
    append(&log, &produced(3, 0, 1, 1));
    log.close().unwrap();
    storage.corrupt(&path(0, ".log"), |bytes| _ = bytes.pop());
    let log = open(&shared(&storage), config());
    let again = append(&log, &produced(3, 0, 1, 1));
    assert_eq!((again.duplicate, again.base_offset), (false, 1));
}

#[test]
fn leftovers_of_interrupted_changes_are_cleared() {
    let storage = filled(25);
    for name in [
        "x.tmp",
        "00000000000000000000.log.deleted",
        "00000000000000000010.log.cleaned",
        "00000000000000000010.index.swap",
    ] {
        storage.open(&dir().join(name), crate::OpenMode::Create).unwrap();
    }
    storage.open(&path(77, ".index"), crate::OpenMode::Create).unwrap();
    storage.open(&path(99, ".snapshot"), crate::OpenMode::Create).unwrap();
    let image = storage.after_kill();
    open(&shared(&image), config());
    let left: Vec<String> = image
        .contents(&dir())
        .into_keys()
        .filter(|name| name.len() > 30 || name.contains("77") || name.contains("99") || name.contains(".tmp"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
    reopen(&storage, 25);
}

/// Two segments were compacted into one; the crash came before the originals were removed.
#[test]
fn a_half_done_swap_is_completed() {
    let storage = filled(25);
    let contents = storage.contents(&dir());
    let mut compacted = contents["00000000000000000000.log"].clone();
    compacted.extend(&contents["00000000000000000010.log"]);
    let swap = dir().join("00000000000000000000.log.swap");
    storage.open(&swap, crate::OpenMode::Create).unwrap();
    storage.corrupt(&swap, |bytes| *bytes = compacted);
    let image = storage.after_kill();
    let log = open(&shared(&image), config());
    assert_eq!(base_offsets(&log), (0..25).collect::<Vec<_>>());
    let logs: Vec<String> = image
        .contents(&dir())
        .into_keys()
        .filter(|name| name.contains(".log"))
        .collect();
    assert_eq!(logs, ["00000000000000000000.log", "00000000000000000020.log"]);
}

#[test]
fn a_log_that_ends_before_its_start_is_emptied() {
    let storage = filled(5);
    let context = OpenContext {
        log_start_offset: 9,
        ..OpenContext::unclean(NOW)
    };
    let log = open_at(&shared(&storage), config(), context);
    assert_eq!(
        (log.log_start_offset(), log.log_end_offset(), log.size_in_bytes()),
        (9, 9, 0)
    );
    assert_eq!(append(&log, &batch(1, 50)).base_offset, 9);
}

/// Offsets below the log start are refused, also in the middle of a segment.
#[test]
fn the_log_start_is_kept() {
    let storage = filled(25);
    let context = OpenContext {
        log_start_offset: 13,
        ..OpenContext::unclean(NOW)
    };
    let log = open_at(&shared(&storage), config(), context);
    assert!(matches!(
        log.read(12, 1, true, 25),
        Err(LogError::OffsetOutOfRange {
            log_start_offset: 13,
            ..
        })
    ));
    assert_eq!(log.read(13, 1, true, 25).unwrap().base_offset, 13);
}

/// A write that fails leaves no trace, takes the directory offline, and nothing acknowledged is lost.
#[test]
fn a_failed_write_takes_the_directory_offline() {
    for fault in [Fault::NoSpace, Fault::Broken] {
        let storage = filled(0);
        let log = open(&shared(&storage), config());
        append(&log, &batch(1, 50));
        storage.fail_after(0, fault, false);
        let error = try_append(&log, &batch(1, 50)).unwrap_err();
        assert_eq!(error.code(), 56, "{error}");
        let error = try_append(&log, &batch(1, 50)).unwrap_err();
        assert_eq!(error.code(), 56, "not retried: {error}");
        assert!(matches!(log.read(0, 1, true, 1), Err(LogError::Offline { .. })));
        assert_eq!(
            storage.contents(&dir())["00000000000000000000.log"].len(),
            batch(1, 50).len()
        );
        reopen(&storage, 1);
    }
}

#[test]
fn a_failed_flush_is_never_retried() {
    let storage = filled(0);
    let log = open(&shared(&storage), config());
    append(&log, &batch(1, 50));
    log.flush().unwrap();
    append(&log, &batch(1, 50));
    storage.fail_after(0, Fault::Broken, false);
    assert!(matches!(log.flush(), Err(LogError::Io { .. })));
    assert!(matches!(log.flush(), Err(LogError::Offline { .. })));
    assert_eq!(log.recovery_point(), 1);
    assert!(log.close().is_err());
}

#[test]
fn flushed_batches_survive_a_power_failure() {
    for seed in 0..200 {
        let storage = filled(0);
        let log = open(&shared(&storage), config());
        for _ in 0..12 {
            append(&log, &batch(1, 50));
        }
        assert_eq!(log.flush().unwrap(), 12);
        for _ in 0..13 {
            append(&log, &batch(1, 50));
        }
        let image = storage.after_power_failure(&mut Random::new(seed));
        let context = OpenContext {
            recovery_point: 12,
            ..OpenContext::unclean(NOW)
        };
        let log = open_at(&shared(&image), config(), context);
        let end = log.log_end_offset();
        assert!((12..=25).contains(&end), "seed {seed}: {end}");
        assert_eq!(base_offsets(&log), (0..end).collect::<Vec<_>>(), "seed {seed}");
    }
}

#[test]
fn sealed_segments_are_flushed_on_their_own() {
    let storage = filled(25);
    let log = open(&shared(&storage), config());
    assert_eq!(log.flush_sealed().unwrap(), 20);
    assert_eq!(log.recovery_point(), 20);
}

#[test]
fn index_entries_are_kafkas() {
    let (_, files) = closed(25);
    let one = u32::try_from(batch(1, 50).len()).unwrap();
    let entries: Vec<OffsetEntry> = decode_entries(&files["00000000000000000000.index"]);
    // An entry once more than 200 bytes stand before it: before every second batch of 123 bytes.
    let step = 200 / one + 1;
    let expected: Vec<OffsetEntry> = (1..10)
        .map(|k| k * step)
        .take_while(|&n| n < 10)
        .map(|n| OffsetEntry {
            relative_offset: n,
            position: n * one,
        })
        .collect();
    assert_eq!(entries, expected);
}
