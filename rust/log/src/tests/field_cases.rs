//! Cases of damage that brokers in the field met after a crash, where no other file of tests has them by name.

use std::sync::Arc;

use super::batches::*;
use super::sim::{Random, SimStorage};
use crate::segment::file_name;
use crate::storage::Storage;
use crate::{LogConfig, PartitionLog};

/// Ten batches of 123 bytes per segment.
fn config() -> LogConfig {
    LogConfig {
        segment_bytes: 1230,
        index_interval_bytes: 200,
        ..LogConfig::default()
    }
}

fn filled(count: usize) -> (SimStorage, PartitionLog) {
    let storage = SimStorage::new();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    let log = open(&shared, config());
    for _ in 0..count {
        append(&log, &batch(1, 50));
    }
    (storage, log)
}

fn names(storage: &SimStorage, part: &str) -> Vec<String> {
    let names = storage.contents(&dir()).into_keys();
    names.filter(|name| name.contains(part)).collect()
}

/// The roll has sealed a segment; its indexes and the producers' snapshot are written by somebody else and were not, when
/// the process died. What was appended since the last snapshot is known from the log.
#[test]
fn a_crash_between_append_and_snapshot_costs_no_producer() {
    let (storage, log) = filled(0);
    for sequence in 0..20 {
        append(&log, &produced(4, 1, sequence, 1));
    }
    log.flush_sealed().unwrap();
    let written = names(&storage, ".snapshot");
    assert_eq!(written.len(), 1);
    for sequence in 20..38 {
        append(&log, &produced(4, 1, sequence, 1));
    }
    append(&log, &produced(9, 0, 0, 1));
    assert!(names(&storage, ".log").len() > 2, "rolled since");
    assert_eq!(names(&storage, ".snapshot"), written);
    let image = storage.after_kill();
    let log = open(&(Arc::new(image) as Arc<dyn Storage>), config());
    for sequence in 33..38 {
        let again = append(&log, &produced(4, 1, sequence, 1));
        assert_eq!((again.duplicate, again.base_offset), (true, i64::from(sequence)));
    }
    assert!(append(&log, &produced(9, 0, 0, 1)).duplicate);
    assert_eq!(append(&log, &produced(4, 1, 38, 1)).base_offset, 39);
    assert_eq!(try_append(&log, &produced(4, 1, 41, 1)).unwrap_err().code(), 45);
}

/// A sealed segment that no flush has reached, behind it a younger one. After a kill both are whole. After a power failure
/// any part of either may be missing: the log ends at the first gap, and what stands behind it is gone, so that no offset
/// is given out twice.
#[test]
fn a_sealed_segment_that_was_never_flushed_is_not_trusted() {
    let (storage, log) = filled(25);
    assert_eq!(log.recovery_point(), 0);
    assert_eq!(names(&storage, ".index"), Vec::<String>::new());
    drop(log);
    let killed = open(&(Arc::new(storage.after_kill()) as Arc<dyn Storage>), config());
    assert_eq!(base_offsets(&killed), (0..25).collect::<Vec<_>>());
    let mut ends = std::collections::BTreeSet::new();
    for seed in 0..300 {
        // The names are on disk, the bytes perhaps not.
        storage.sync_dir(&dir()).unwrap();
        let image = storage.after_power_failure(&mut Random::new(seed));
        let shared: Arc<dyn Storage> = Arc::new(image.clone());
        let log = open(&shared, config());
        let end = log.log_end_offset();
        assert_eq!(base_offsets(&log), (0..end).collect::<Vec<_>>(), "seed {seed}");
        let beyond = names(&image, ".log")
            .into_iter()
            .filter(|name| *name > file_name(end, ".log"));
        assert_eq!(beyond.count(), 0, "seed {seed}: segments behind {end}");
        assert_eq!(append(&log, &batch(1, 50)).base_offset, end);
        ends.insert(end / 10);
    }
    assert_eq!(ends, [0, 1, 2].into(), "losses in each of the segments");
}

/// The process died between the rename of a segment's files to `.deleted` and their removal: they are gone after the
/// start, and the log is the one without them.
#[test]
fn files_that_were_being_deleted_are_gone_after_the_start() {
    let (storage, log) = filled(25);
    log.set_high_watermark(25);
    assert_eq!(log.delete_records(12, NOW).unwrap(), 12);
    assert!(names(&storage, ".deleted").contains(&"00000000000000000000.log.deleted".to_owned()));
    let image = storage.after_kill();
    let log = open(&(Arc::new(image.clone()) as Arc<dyn Storage>), config());
    assert_eq!(names(&image, ".deleted"), Vec::<String>::new());
    assert_eq!(base_offsets(&log), (10..25).collect::<Vec<_>>());
}
