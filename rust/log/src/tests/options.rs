//! Every option of a topic's log holds from the moment when it is changed, without opening the log again.

use std::sync::Arc;

use barnabas_records::{BatchIter, Compression, Seal};

use super::batches::*;
use super::cleaner::history::{PLAIN, put};
use super::sim::SimStorage;
use crate::cleaner::{Cleaner, FullSpeed};
use crate::storage::Storage;
use crate::{AppendOrigin, LogConfig, PartitionLog, TargetCompression, TimestampType};

/// A log that was opened with the defaults, and its files.
struct Subject {
    storage: SimStorage,
    log: PartitionLog,
}

impl Subject {
    fn new() -> Self {
        let storage = SimStorage::new();
        let shared: Arc<dyn Storage> = Arc::new(storage.clone());
        Self {
            log: open(&shared, LogConfig::default()),
            storage,
        }
    }

    fn set(&self, change: impl FnOnce(&mut LogConfig)) {
        let mut config = self.log.config().as_ref().clone();
        change(&mut config);
        self.log.set_config(config);
    }

    fn append_at(&self, timestamp: i64) -> Result<crate::AppendInfo, i16> {
        let mut bytes = batch_with(&Seal::default(), 1, 100, timestamp);
        let outcome = self.log.append(&mut bytes, 0, NOW, AppendOrigin::Client);
        outcome.map_err(|error| error.code())
    }

    /// Appends one record of 100 bytes, and says whether a segment began before it.
    fn rolls(&self, timestamp: i64) -> bool {
        self.append_at(timestamp).unwrap().rolled
    }

    fn len_of(&self, name: &str) -> usize {
        self.storage.contents(&dir()).get(name).map_or(0, Vec::len)
    }

    /// Bytes of the first segment's offset index.
    fn index_bytes(&self) -> usize {
        self.log.roll(NOW).unwrap();
        self.log.flush_sealed().unwrap();
        self.len_of("00000000000000000000.index")
    }
}

#[test]
fn segments_end_by_the_changed_options() {
    type Change = fn(&mut LogConfig);
    let changes: [(&str, Change); 4] = [
        ("segment.bytes", |config| config.segment_bytes = 300),
        ("segment.ms", |config| config.segment_ms = 10),
        ("segment.jitter.ms", |config| {
            config.segment_ms = 10_000;
            config.segment_jitter_ms = 10_000;
        }),
        ("segment.index.bytes", |config| config.segment_index_bytes = 12),
    ];
    for (option, change) in changes {
        let subject = Subject::new();
        assert!(!(0..3).any(|step| subject.rolls(NOW + step * 20)), "{option}");
        // What the jitter takes off is fixed by the segment's name; all of `segment.ms` it never is.
        subject.set(|config| config.segment_ms = 10_000);
        assert!(!subject.rolls(NOW + 60));
        subject.set(change);
        assert!(subject.rolls(NOW + 9_999), "{option}");
    }
}

#[test]
fn indexes_and_files_are_written_by_the_changed_options() {
    for (interval, expected) in [(None, 0), (Some(0), 8 * 4)] {
        let subject = Subject::new();
        subject.append_at(NOW).unwrap();
        if let Some(interval) = interval {
            subject.set(|config| config.index_interval_bytes = interval);
        }
        (0..4).for_each(|_| _ = subject.append_at(NOW).unwrap());
        assert_eq!(subject.index_bytes(), expected, "index.interval.bytes = {interval:?}");
    }
    let subject = Subject::new();
    subject.append_at(NOW).unwrap();
    subject.set(|config| (config.preallocate, config.segment_bytes) = (true, 5000));
    subject.log.roll(NOW).unwrap();
    assert_eq!(subject.len_of("00000000000000000001.log"), 5000, "preallocate");
}

#[test]
fn batches_are_judged_by_the_changed_options() {
    let subject = Subject::new();
    let day = 24 * 3_600_000;
    subject.append_at(NOW - day).unwrap();
    subject.set(|config| config.message_timestamp_before_max_ms = day - 1);
    assert_eq!(subject.append_at(NOW - day).unwrap_err(), 32);
    subject.set(|config| config.message_timestamp_after_max_ms = 1000);
    assert_eq!(subject.append_at(NOW + 1001).unwrap_err(), 32);
    subject.append_at(NOW + 1000).unwrap();
    assert_eq!(subject.append_at(NOW).unwrap().log_append_time, -1);
    subject.set(|config| config.message_timestamp_type = TimestampType::LogAppend);
    assert_eq!(subject.append_at(NOW - day).unwrap().log_append_time, NOW);
    subject.set(|config| config.max_message_bytes = 100);
    assert_eq!(subject.append_at(NOW).unwrap_err(), 10);
}

#[test]
fn batches_are_stored_by_the_changed_options() {
    let subject = Subject::new();
    let stored = |codec| {
        subject.set(|config| config.compression = codec);
        let offset = subject.append_at(NOW).unwrap().base_offset;
        let slice = subject
            .log
            .read(offset, 1 << 20, true, i64::MAX)
            .unwrap()
            .read()
            .unwrap();
        let header = BatchIter::new(&slice).next().unwrap().unwrap().header;
        header.compression().unwrap()
    };
    assert_eq!(stored(None), Compression::None);
    for codec in Compression::ALL {
        assert_eq!(stored(Some(TargetCompression { codec, level: None })), codec);
    }
}

#[test]
fn flushes_are_due_by_the_changed_options() {
    let subject = Subject::new();
    assert!(!subject.append_at(NOW).unwrap().flush_due);
    assert_eq!(subject.log.flush_due_ms(NOW), None);
    subject.set(|config| config.flush_messages = 2);
    assert!(subject.append_at(NOW).unwrap().flush_due);
    subject.set(|config| config.flush_ms = 70);
    assert_eq!(subject.log.flush_due_ms(NOW + 5), Some(NOW + 70));
}

#[test]
fn what_is_old_goes_by_the_changed_options() {
    let subject = Subject::new();
    for step in 0..4 {
        subject.append_at(NOW + step).unwrap();
        subject.log.roll(NOW).unwrap();
    }
    subject.log.set_high_watermark(4);
    let removed = |at: i64| subject.log.apply_retention(at).unwrap().segments;
    assert_eq!(removed(NOW + 1000), 0);
    let due_ms = || subject.log.env.deletions.next_due_ms();
    subject.set(|config| (config.retention_ms, config.file_delete_delay_ms) = (999, 5));
    assert_eq!((removed(NOW + 1000), due_ms()), (1, Some(NOW + 1005)));
    let one = i64::try_from(subject.log.size_in_bytes()).unwrap() / 3;
    subject.set(|config| (config.retention_ms, config.retention_bytes) = (-1, one));
    assert_eq!(removed(NOW + 1000), 2);
    subject.set(|config| (config.delete, config.retention_bytes) = (false, 0));
    assert_eq!(removed(NOW + 1000), 0, "cleanup.policy without delete");
}

#[test]
fn compaction_goes_by_the_changed_options() {
    let subject = Subject::new();
    let log = &subject.log;
    let keyless = |log: &PartitionLog| {
        let mut builder = barnabas_records::BatchBuilder::new(Vec::new());
        builder.append(NOW, None, Some(b"v"), &[]).unwrap();
        let mut bytes = builder.finish(&Seal::default(), &mut Vec::new()).unwrap();
        log.append(&mut bytes, 0, NOW, AppendOrigin::Client)
            .map_err(|error| error.code())
    };
    assert!(keyless(log).is_ok());
    subject.set(|config| (config.compact, config.delete) = (true, false));
    assert_eq!(keyless(log).unwrap_err(), 87);
    for _ in 0..3 {
        put(log, PLAIN, &[("k", None)]);
        log.roll(NOW).unwrap();
    }
    log.set_high_watermark(log.log_end_offset());
    let dirty = |at: i64| log.dirty(at).unwrap().unwrap();
    assert_eq!(
        (dirty(NOW).first_uncleanable_offset, dirty(NOW + 100).overdue_ms),
        (4, 0)
    );
    subject.set(|config| config.min_compaction_lag_ms = 50);
    assert_eq!(dirty(NOW).first_uncleanable_offset, 0);
    subject.set(|config| (config.min_compaction_lag_ms, config.max_compaction_lag_ms) = (0, 70));
    assert_eq!(dirty(NOW + 100).overdue_ms, 30);
    // The tombstone's horizon is set by the first round that meets it.
    subject.set(|config| config.delete_retention_ms = 10);
    Cleaner::default().clean(log, &dirty(NOW), NOW, &FullSpeed).unwrap();
    let slice = log.read(0, 1 << 20, true, i64::MAX).unwrap().read().unwrap();
    let horizons: Vec<_> = BatchIter::new(&slice)
        .map(|batch| batch.unwrap().header.delete_horizon_ms())
        .collect();
    assert_eq!(horizons, [Some(NOW + 10)]);
}
