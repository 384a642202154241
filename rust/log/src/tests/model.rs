//! The log against a model, a list of batches, under random appends, reads, rolls, truncations, retention, compaction,
//! flushes, re-openings and crashes.
//!
//! `SEEDS=n` sets the number of cases.

use std::collections::BTreeMap;
use std::sync::Arc;

use barnabas_records::{BatchBuilder, Compression, Seal};
use proptest::prelude::*;

use super::batches::*;
use super::cleaner::history::clean;
use super::sim::{Random, SimStorage};
use super::stored::{Stored, StoredRecord, decode_stored};
use crate::partition_log::{OpenContext, PartitionLog, TimestampOffset};
use crate::storage::Storage;
use crate::{AppendOrigin, LogConfig, LogError};

#[derive(Clone, Debug)]
enum Step {
    Append {
        count: i32,
        value_len: usize,
        time: i64,
        codec: usize,
        epochs: i32,
    },
    Read {
        offset: u64,
        max_bytes: usize,
        min_one_batch: bool,
        up_to: u64,
    },
    Time {
        back: i64,
    },
    Epoch {
        epoch: i32,
    },
    Roll,
    Truncate {
        offset: u64,
    },
    TruncateFully {
        ahead: i64,
    },
    DeleteRecords {
        offset: u64,
    },
    RetainBytes {
        bytes: i64,
    },
    RetainTime {
        ms: i64,
    },
    Compact,
    Flush,
    FlushSealed,
    Close,
    Kill,
    PowerFailure {
        seed: u64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        14 => (1..5i32, 0..150usize, -40..40i64, 0..5usize, 0..20i32).prop_map(|(count, value_len, time, codec, epochs)| {
            Step::Append { count, value_len, time, codec, epochs: (epochs - 17).max(0) }
        }),
        8 => (any::<u64>(), 0..2000usize, any::<bool>(), any::<u64>())
            .prop_map(|(offset, max_bytes, min_one_batch, up_to)| Step::Read { offset, max_bytes, min_one_batch, up_to }),
        3 => (-50..500i64).prop_map(|back| Step::Time { back }),
        1 => (-1..12i32).prop_map(|epoch| Step::Epoch { epoch }),
        1 => Just(Step::Roll),
        1 => any::<u64>().prop_map(|offset| Step::Truncate { offset }),
        1 => (0..20i64).prop_map(|ahead| Step::TruncateFully { ahead: (ahead - 15).max(0) }),
        1 => any::<u64>().prop_map(|offset| Step::DeleteRecords { offset }),
        1 => (0..4000i64).prop_map(|bytes| Step::RetainBytes { bytes }),
        1 => (0..400i64).prop_map(|ms| Step::RetainTime { ms }),
        2 => Just(Step::Compact),
        1 => Just(Step::Flush),
        1 => Just(Step::FlushSealed),
        1 => Just(Step::Close),
        1 => Just(Step::Kill),
        1 => any::<u64>().prop_map(|seed| Step::PowerFailure { seed }),
    ];
    proptest::collection::vec(step, 1..80)
}

struct Model {
    storage: SimStorage,
    config: LogConfig,
    log: PartitionLog,
    /// Those of the log, but for what compaction made of them: it took records from batches that begin below this
    /// offset, so that their sizes are its own, and those that lost all may be gone.
    batches: Vec<Stored>,
    compacted_below: i64,
    start: i64,
    end: i64,
    epoch: i32,
    /// First offsets of leader epochs.
    epochs: Vec<(i32, i64)>,
    flushed: i64,
    checkpoint: i64,
    appended: i64,
}

impl Model {
    fn new(config: LogConfig) -> Self {
        let storage = SimStorage::new();
        let log = open(&(Arc::new(storage.clone()) as Arc<dyn Storage>), config.clone());
        Self {
            storage,
            config,
            log,
            batches: Vec::new(),
            compacted_below: 0,
            start: 0,
            end: 0,
            epoch: 0,
            epochs: Vec::new(),
            flushed: 0,
            checkpoint: 0,
            appended: 0,
        }
    }

    /// The records that are there, with the leader epochs of their batches.
    fn records(&self) -> impl Iterator<Item = (i32, &StoredRecord)> {
        self.batches
            .iter()
            .flat_map(|batch| batch.records.iter().map(move |record| (batch.leader_epoch, record)))
            .filter(|(_, record)| record.offset >= self.start)
    }

    /// An offset within the log, or its end.
    fn offset(&self, random: u64) -> i64 {
        self.start + i64::try_from(random % (self.end - self.start + 1).unsigned_abs()).unwrap()
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Append {
                count,
                value_len,
                time,
                codec,
                epochs,
            } => {
                self.epoch += epochs;
                self.append(count, value_len, time, Compression::ALL[codec]);
            }
            Step::Read {
                offset,
                max_bytes,
                min_one_batch,
                up_to,
            } => self.read(self.offset(offset), max_bytes, min_one_batch, self.offset(up_to)),
            Step::Time { back } => self.times(NOW + self.appended * 10 - back),
            Step::Epoch { epoch } => self.epoch_end(epoch),
            Step::Roll => _ = self.log.roll(NOW).unwrap(),
            Step::Truncate { offset } => self.truncate(self.offset(offset)),
            Step::TruncateFully { ahead } => self.truncate_fully(self.end + ahead),
            Step::DeleteRecords { offset } => self.delete_records(self.offset(offset)),
            Step::RetainBytes { bytes } => self.retain(bytes, -1),
            Step::RetainTime { ms } => self.retain(-1, ms),
            Step::Compact => self.compact(),
            Step::Flush => {
                self.flushed = self.log.flush().unwrap();
                self.checkpoint = self.log.recovery_checkpoint();
            }
            Step::FlushSealed => {
                self.flushed = self.log.flush_sealed().unwrap();
                self.checkpoint = self.log.recovery_checkpoint();
            }
            Step::Close => {
                self.log.close().unwrap();
                self.flushed = self.end;
                self.checkpoint = self.log.recovery_checkpoint();
                self.reopen(true);
            }
            Step::Kill => {
                self.storage = self.storage.after_kill();
                self.reopen(false);
            }
            Step::PowerFailure { seed } => {
                self.storage = self.storage.after_power_failure(&mut Random::new(seed));
                self.reopen(false);
            }
        }
        assert_eq!(
            (self.log.log_start_offset(), self.log.log_end_offset()),
            (self.start, self.end)
        );
    }

    fn append(&mut self, count: i32, value_len: usize, time: i64, compression: Compression) {
        self.appended += 1;
        let time = NOW + self.appended * 10 + time;
        let mut builder = BatchBuilder::new(Vec::new());
        for index in 0..i64::from(count) {
            let key = format!("key {}", (self.appended * 7 + index) % 5);
            let value = vec![b'v'; value_len];
            builder
                .append(time + index, Some(key.as_bytes()), Some(&value), &[])
                .unwrap();
        }
        let seal = Seal {
            compression,
            ..Seal::default()
        };
        let mut bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
        let info = self
            .log
            .append(&mut bytes, self.epoch, NOW, AppendOrigin::Client)
            .unwrap();
        assert_eq!(
            (info.base_offset, info.last_offset),
            (self.end, self.end + i64::from(count) - 1)
        );
        if self.epochs.last().is_none_or(|(last, _)| *last < self.epoch) {
            // One that begins here too never got a record.
            self.epochs.retain(|(_, first)| *first < self.end);
            self.epochs.push((self.epoch, self.end));
        }
        self.end = info.last_offset + 1;
        self.batches.push(decode_stored(&bytes).remove(0));
    }

    fn read(&self, offset: i64, max_bytes: usize, min_one_batch: bool, up_to: i64) {
        let slice = self.log.read(offset, max_bytes, min_one_batch, up_to).unwrap();
        let found = decode_stored(&slice.read().unwrap());
        assert!(slice.len <= max_bytes || (found.len() == 1 && min_one_batch));
        let first = self.batches.partition_point(|batch| batch.last_offset < offset);
        let below = |batch: &&Stored| batch.last_offset < up_to;
        let wanted: Vec<&Stored> = self.batches[first..].iter().take_while(below).collect();
        if offset < self.compacted_below {
            Self::compacted_read(&found, &wanted, (offset, up_to));
            return;
        }
        let expected: Vec<Stored> = wanted.iter().take(found.len()).copied().cloned().collect();
        assert_eq!(found, expected);
        let len = |count: usize| wanted[..count].iter().map(|batch| batch.size).sum::<usize>();
        assert_eq!(slice.len, len(found.len()));
        if found.len() < wanted.len() && (found.is_empty() || slice.len < max_bytes) {
            // More was wanted: it did not fit, or it is in the next segment.
            let next = wanted[found.len()];
            let fits = len(found.len() + 1) <= max_bytes || (found.is_empty() && min_one_batch);
            let starts_segment = self
                .log
                .read(next.base_offset.max(offset), 1, true, i64::MAX)
                .unwrap()
                .position
                == 0;
            assert!(
                !fits || (starts_segment && !found.is_empty()),
                "{} bytes at {offset}",
                slice.len
            );
        }
    }

    /// All records that are left, from the offset to the end of what was read, each where it was written.
    fn compacted_read(found: &[Stored], wanted: &[&Stored], (offset, up_to): (i64, i64)) {
        let Some(last) = found.last() else { return };
        assert!(found[0].last_offset >= offset && last.last_offset < up_to);
        let to = last.next_offset();
        let in_range = |record: &&StoredRecord| (offset..to).contains(&record.offset);
        let found: Vec<&StoredRecord> = found.iter().flat_map(|batch| &batch.records).filter(in_range).collect();
        let wanted: Vec<&StoredRecord> = wanted
            .iter()
            .flat_map(|batch| &batch.records)
            .filter(in_range)
            .collect();
        assert_eq!(found, wanted);
    }

    fn times(&self, timestamp: i64) {
        let found = |(leader_epoch, record): (i32, &StoredRecord)| TimestampOffset {
            offset: record.offset,
            timestamp: record.timestamp,
            leader_epoch,
        };
        let expected = self
            .records()
            .find(|(_, record)| record.timestamp >= timestamp)
            .map(found);
        assert_eq!(self.log.offset_for_timestamp(timestamp, i64::MAX).unwrap(), expected);
        let greatest = self.records().map(|(_, record)| record.timestamp).max();
        let expected = self
            .records()
            .find(|(_, record)| Some(record.timestamp) == greatest)
            .map(found);
        assert_eq!(self.log.max_timestamp(i64::MAX).unwrap(), expected);
    }

    fn epoch_end(&self, epoch: i32) {
        let end = self.log.epoch_end_offset(epoch);
        if self.compacted_below > 0 {
            // Compaction may have taken the first batches of an epoch, where a start would read it.
            assert!(end.end_offset <= self.end);
            return;
        }
        let latest = self.epochs.last().map(|(epoch, _)| *epoch);
        assert_eq!(self.log.latest_epoch(), latest);
        let known = self.epochs.iter().rev().find(|(known, _)| *known <= epoch);
        let next = self.epochs.iter().find(|(known, _)| *known > epoch);
        let expected = match (known, next) {
            _ if epoch < 0 => (-1, -1),
            (Some((known, _)), _) if Some(*known) == latest && epoch == *known => (epoch, self.end),
            // Newer than all that are known.
            (_, None) => (-1, -1),
            (Some((known, _)), Some((_, next))) => (*known, *next),
            (None, Some((_, first))) => (epoch, *first),
        };
        assert_eq!(
            (end.epoch, end.end_offset),
            expected,
            "epoch {epoch} of {:?}",
            self.epochs
        );
    }

    /// Forgets everything from the log's end on.
    fn cut(&mut self, end: i64) {
        self.batches.retain(|batch| batch.base_offset < end);
        if end == self.start {
            // It may have begun within a batch.
            self.batches.clear();
        }
        if let Some(last) = self.batches.last_mut().filter(|last| last.last_offset >= end) {
            assert!(last.records.is_empty(), "whole batches only");
            last.last_offset = end - 1;
        }
        self.epochs.retain(|(_, first)| *first < end);
        self.end = end;
        self.flushed = self.flushed.min(end);
        self.checkpoint = self.checkpoint.min(end);
        self.compacted_below = self.compacted_below.min(end);
    }

    fn truncate(&mut self, offset: i64) {
        let first_base = self.log.segments().first().map_or(0, |first| first.base_offset);
        self.log.truncate_to(offset, NOW).unwrap();
        let cut_batch = self
            .batches
            .iter()
            .find(|batch| batch.base_offset <= offset && batch.last_offset >= offset);
        let end = self.log.log_end_offset();
        match cut_batch {
            // Compaction may have left nothing of the batch.
            Some(batch) if offset > batch.base_offset => {
                let may_be_gone = batch.base_offset < self.compacted_below;
                let base = batch.base_offset.max(first_base);
                assert!(
                    end == base || (may_be_gone && end == offset),
                    "cut to {offset} at {end}"
                );
            }
            _ => assert_eq!(end, offset),
        }
        self.cut(end);
        self.start = self.start.min(end);
        if self.batches.iter().all(|batch| batch.records.is_empty()) {
            // Where compaction has left nothing, the log may begin anew.
            let start = self.log.log_start_offset();
            assert!((self.start..=end).contains(&start));
            self.start = start;
        }
    }

    fn truncate_fully(&mut self, start: i64) {
        self.log.truncate_fully(start, NOW).unwrap();
        self.cut(0);
        (self.start, self.end, self.flushed, self.checkpoint) = (start, start, start, start);
        self.epochs.clear();
    }

    /// The log begins at `start`, and has whole batches from there on.
    fn move_start(&mut self, start: i64) {
        self.start = start;
        self.batches.retain(|batch| batch.last_offset >= start);
        let below = self.epochs.partition_point(|(_, first)| *first <= start);
        if below > 0 {
            self.epochs.drain(..below - 1);
            self.epochs[0].1 = start;
        }
        self.flushed = self.flushed.max(start);
    }

    fn delete_records(&mut self, offset: i64) {
        self.log.set_high_watermark(self.end);
        if self.config.compact {
            let refused = self.log.delete_records(offset, NOW);
            assert!(matches!(refused, Err(LogError::DeletionForbidden { .. })));
            return;
        }
        assert_eq!(self.log.delete_records(offset, NOW).unwrap(), offset);
        self.move_start(offset);
        self.checkpoint = self.log.recovery_checkpoint();
    }

    /// The oldest segments go as long as what is left is as large, or as young, as it is to be.
    fn retain(&mut self, bytes: i64, ms: i64) {
        self.log.set_high_watermark(self.end);
        self.log.set_config(LogConfig {
            retention_bytes: bytes,
            retention_ms: ms,
            ..self.config.clone()
        });
        let now = NOW + self.appended * 10;
        let segments = |log: &PartitionLog| -> Vec<(i64, i64, i64)> {
            let segments = log.segments();
            let of = |segment: &Arc<crate::segment::Segment>| {
                let size = i64::try_from(segment.size()).unwrap();
                (segment.base_offset, size, segment.newest_record_ms())
            };
            segments.iter().map(of).collect()
        };
        let before = segments(&self.log);
        let retained = self.log.apply_retention(now).unwrap();
        self.log.set_config(self.config.clone());
        let after = segments(&self.log);
        let is_left = |(base, ..): &(i64, i64, i64)| after.iter().any(|(left, ..)| left == base);
        let (left, gone): (Vec<_>, Vec<_>) = before.into_iter().partition(is_left);
        // Those that end at the log's start go in any case.
        let gone: Vec<_> = gone.iter().filter(|(base, _, _)| *base >= self.start).collect();
        let size = |segments: &[(i64, i64, i64)]| segments.iter().map(|(_, size, _)| size).sum::<i64>();
        let oldest = left.first().filter(|(_, size, _)| *size > 0);
        if self.config.compact {
            assert_eq!(retained.log_start_offset, self.start);
        } else if bytes >= 0 {
            assert!(gone.is_empty() || size(&left) >= bytes, "{gone:?} and not {left:?}");
            assert!(
                oldest.is_none_or(|(_, oldest, _)| size(&left) - oldest < bytes),
                "{left:?}"
            );
        } else {
            assert!(gone.iter().all(|(_, _, newest)| now - newest > ms), "{gone:?}");
            assert!(oldest.is_none_or(|(_, _, newest)| now - newest <= ms), "{left:?}");
        }
        self.move_start(retained.log_start_offset);
        self.checkpoint = self.log.recovery_checkpoint();
    }

    /// Of every key only the last record stays in what may be compacted: all but the last segment.
    fn compact(&mut self) {
        self.log.set_high_watermark(self.end);
        if !self.config.compact || self.batches.is_empty() {
            return;
        }
        // As before every round.
        self.flushed = self.log.flush().unwrap();
        let (upper, _) = clean(&self.log, NOW + self.appended * 10 + 1000);
        self.checkpoint = self.log.recovery_checkpoint();
        let last: BTreeMap<Option<Vec<u8>>, i64> = self
            .records()
            .filter(|(_, record)| record.offset < upper)
            .map(|(_, record)| (record.key.clone(), record.offset))
            .collect();
        for batch in self.batches.iter_mut().filter(|batch| batch.base_offset < upper) {
            batch
                .records
                .retain(|record| last.get(&record.key) == Some(&record.offset));
        }
        self.compacted_below = self.compacted_below.max(upper);
    }

    /// Opens again; after a power failure what was not flushed may be gone, from the end.
    fn reopen(&mut self, clean_shutdown: bool) {
        let shared: Arc<dyn Storage> = Arc::new(self.storage.clone());
        let cleaned = self.log.cleaned_offset();
        let context = OpenContext {
            clean_shutdown,
            recovery_point: self.checkpoint,
            log_start_offset: self.start,
            // Known before the first round begins.
            cleaned_offset: cleaned.unwrap_or(0),
            ..OpenContext::unclean(NOW)
        };
        self.log = open_at(&shared, self.config.clone(), context);
        self.log.set_cleaned_offset(cleaned);
        let end = self.log.log_end_offset();
        assert!(
            (self.flushed..=self.end).contains(&end),
            "{end} of {} flushed",
            self.flushed
        );
        let flushed = self.flushed;
        self.cut(end);
        self.flushed = flushed;
        if self.start == end {
            // Of a log without records an epoch may be known, from batches below its start, or not.
            let known = self.log.latest_epoch();
            assert!(known.is_none_or(|epoch| epoch <= self.epoch));
            self.epochs = known.map(|epoch| (epoch, end)).into_iter().collect();
        }
        assert!(
            self.batches
                .last()
                .is_none_or(|batch| batch.last_offset < end || batch.base_offset < self.compacted_below)
        );
        self.read_all();
        self.epoch = self.epoch.max(self.log.latest_epoch().unwrap_or(0));
    }

    /// Everything, one read after the other.
    fn read_all(&self) {
        let mut found = Vec::new();
        let mut offset = self.start;
        while offset < self.end {
            let slice = self.log.read(offset, 1000, true, i64::MAX).unwrap();
            let batches = decode_stored(&slice.read().unwrap());
            // A compacted log may end with offsets that no batch covers any more.
            let Some(last) = batches.last() else { break };
            assert!(last.next_offset() > offset);
            offset = last.next_offset();
            found.extend(batches);
        }
        let is_plain = |batch: &&Stored| batch.base_offset >= self.compacted_below;
        let plain: Vec<&Stored> = found.iter().filter(is_plain).collect();
        assert_eq!(plain, self.batches.iter().filter(is_plain).collect::<Vec<_>>());
        let there = |record: &&StoredRecord| record.offset >= self.start;
        let records: Vec<&StoredRecord> = found.iter().flat_map(|batch| &batch.records).filter(there).collect();
        assert_eq!(records, self.records().map(|(_, record)| record).collect::<Vec<_>>());
        if self.start > 0 {
            let refused = self.log.read(self.start - 1, 1, true, i64::MAX);
            assert!(matches!(refused, Err(LogError::OffsetOutOfRange { .. })));
        }
    }
}

fn cases() -> u32 {
    std::env::var("SEEDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn the_log_is_a_list_of_batches(
        segment_bytes in 800..4000u64,
        index_interval_bytes in 0..500u32,
        segment_index_bytes in 24..200u32,
        compact in any::<bool>(),
        steps in steps(),
    ) {
        let config = LogConfig {
            segment_bytes,
            index_interval_bytes,
            segment_index_bytes,
            compact,
            delete: !compact,
            min_cleanable_dirty_ratio: 0.0,
            ..LogConfig::default()
        };
        let mut model = Model::new(config);
        for step in &steps {
            model.run(step);
        }
        model.read_all();
        let greatest = i32::try_from(steps.len()).unwrap();
        for epoch in -1..greatest.min(10) {
            model.epoch_end(epoch);
        }
    }
}
