//! What must hold of a crash image.

use std::collections::BTreeMap;
use std::sync::Arc;

use barnabas_records::{BatchBuilder, BatchIter, Seal};

use super::drive::{Part, manager_config};
use super::model::Model;
use crate::tests::sim::{Random, SimStorage, Tally};
use crate::tests::stored::{Stored, StoredRecord, read_stored};
use crate::{AbortedTransaction, AppendOrigin, LogManager, PartitionLog};

/// How an image came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crash {
    Killed,
    PowerLost,
    /// The disk keeps names in no order.
    PowerAndNamesLost,
}

pub(super) struct Check<'a> {
    pub(super) image: &'a SimStorage,
    pub(super) crash: Crash,
    pub(super) before: &'a [Part],
    pub(super) after: &'a [Part],
    pub(super) now: i64,
    pub(super) tally: &'a Tally,
}

impl Check<'_> {
    /// Opens the image, holds every partition against what it may be, and returns the models of what is there.
    pub(super) fn run(&self) -> Vec<Part> {
        let manager = self.open(self.image);
        let parts: Vec<Part> = (0..self.after.len())
            .map(|index| self.partition(&manager, index))
            .collect();
        drop(manager);
        self.opening_twice(&parts);
        self.indexes_on_disk(&parts);
        let copy = self.image.after_kill();
        self.producers(&self.open(&copy), &parts);
        parts
    }

    fn open(&self, image: &SimStorage) -> LogManager {
        LogManager::open(image.as_storage(), manager_config(&mut Random::new(0)), self.now)
            .unwrap_or_else(|error| panic!("an image does not open: {error}"))
    }

    fn partition(&self, manager: &LogManager, index: usize) -> Part {
        let (before, after) = (&self.before[index], &self.after[index]);
        let Some(log) = manager.get(after.topic, 0) else {
            let may_be_absent = before.model.absent || after.model.absent || self.floor(index) == 0;
            assert!(may_be_absent, "{} is gone", after.topic);
            return Part {
                model: Model {
                    absent: true,
                    ..Model::default()
                },
                ..after.clone()
            };
        };
        // A partition that was made anew is the one or the other, by its id; without an id nothing of it was flushed.
        let owner = match log.topic_id() {
            id if id == after.topic_id => after,
            id if id == before.topic_id || after.model.absent => before,
            _ => after,
        };
        let log = manager
            .get_or_create(owner.topic, 0, owner.topic_id, owner.config.clone(), self.now)
            .unwrap();
        let found = read_stored(&log, 900);
        let (start, end) = (log.log_start_offset(), log.log_end_offset());
        self.bounds(index, owner, start, end);
        self.tally.add("batches served by an image", found.len() as u64);
        let history = if before.topic_id != after.topic_id {
            owner
        } else if owner.config.compact {
            longer(before, after)
        } else if is_run(after, &found, start, end) {
            after
        } else {
            before
        };
        if owner.config.compact {
            self.compacted(history, &found, start, end, self.floor(index));
        } else {
            plain(history, &found, start, end);
        }
        let mut model = history.model.clone();
        model.truncate(end);
        if start > before.model.start.max(after.model.start) {
            // The first files of what was never flushed are lost with what they said about producers.
            model.batches.retain(|batch| batch.last_offset >= start);
        }
        if self.crash != Crash::Killed {
            // What deletion took need not be on disk, and what it said about producers neither; compaction relied on
            // later batches of a producer, which are lost now.
            model.unsure_below = if owner.config.compact { end } else { start };
            model.unsure_stable = start > 0;
        }
        model.start = start;
        model.flushed = model.flushed.min(self.floor(index));
        model.start_on_disk = model.start_on_disk.min(start);
        model.absent = false;
        let latest = before.model.start.max(after.model.start).max(start);
        model.unsure_epochs_below = model.unsure_epochs_below.max(latest);
        self.look_ups(&log, &model, &found);
        Part {
            model,
            epoch: before.epoch.max(after.epoch),
            ..owner.clone()
        }
    }

    /// Everything below must be there.
    fn floor(&self, index: usize) -> i64 {
        let (before, after) = (&self.before[index], &self.after[index]);
        if before.topic_id != after.topic_id || after.model.batches.is_empty() {
            return 0;
        }
        match self.crash {
            Crash::Killed => before.model.end.min(after.model.end),
            _ => before.model.flushed.min(after.model.flushed).min(after.model.end),
        }
    }

    fn bounds(&self, index: usize, owner: &Part, start: i64, end: i64) {
        let (before, after) = (&self.before[index].model, &self.after[index].model);
        let latest = before.start.max(after.start);
        // Names in any order can also lose the files of a log that is empty as far as it was flushed.
        let floor = match self.floor(index) {
            floor if self.crash == Crash::PowerAndNamesLost && floor <= latest => 0,
            floor => floor,
        };
        assert!(
            end >= floor,
            "{}: the log ends at {end}, not at {floor} or later",
            owner.topic
        );
        assert!(
            end <= before.end.max(after.end),
            "{}: the log ends at {end}, behind everything written",
            owner.topic
        );
        // Names in any order can also lose the first files of what was never flushed.
        assert!(
            start <= latest || (self.crash == Crash::PowerAndNamesLost && floor <= latest),
            "{}: the log starts at {start}, not at {latest} or before",
            owner.topic
        );
        // Between the old segments and the new one a log that is emptied may have nothing that says where it begins.
        let is_emptied = start == end && (after.batches.is_empty() || self.crash == Crash::PowerAndNamesLost);
        assert!(
            is_emptied || start >= before.start_on_disk.min(after.start_on_disk),
            "{}: the log starts at {start}, before everything kept",
            owner.topic
        );
        if floor > 0 {
            self.tally.count("partitions with flushed or acknowledged records");
        }
    }

    /// A compacted log has what was written, in order, and of every key the last committed value that was flushed.
    fn compacted(&self, part: &Part, found: &[Stored], start: i64, end: i64, floor: i64) {
        let model = &part.model;
        let written: BTreeMap<i64, (&Arc<Stored>, &StoredRecord)> = model
            .batches
            .iter()
            .flat_map(|batch| batch.records.iter().map(move |record| (record.offset, (batch, record))))
            .collect();
        let mut next = start;
        let mut kept: BTreeMap<i64, &StoredRecord> = BTreeMap::new();
        for batch in found {
            assert!(batch.base_offset >= next.min(batch.base_offset) && batch.last_offset >= next);
            for record in &batch.records {
                let (_, original) = written[&record.offset];
                assert!(
                    record == original,
                    "{}: another record at {}",
                    part.topic,
                    record.offset
                );
                kept.insert(record.offset, record);
            }
            next = batch.next_offset();
        }
        let aborted = model.aborted();
        let mut last: BTreeMap<&[u8], (i64, &Stored, &StoredRecord)> = BTreeMap::new();
        for (offset, (batch, record)) in written.range(start..end.min(floor).max(start)) {
            if batch.marker.is_none() && !Model::is_aborted(&aborted, batch) {
                last.insert(record.key.as_deref().unwrap(), (*offset, batch, record));
            }
        }
        for (key, (offset, _, record)) in &last {
            let key_text = String::from_utf8_lossy(key);
            let is_superseded = kept
                .range(offset + 1..)
                .any(|(_, other)| other.key.as_deref() == Some(*key));
            if kept.contains_key(offset) || is_superseded {
                self.tally.count("last values of keys present");
            } else {
                assert!(
                    record.value.is_none(),
                    "{}: the last value of {key_text} at {offset} is gone (flushed to {floor})",
                    part.topic
                );
                let older = kept
                    .values()
                    .find(|other| other.key.as_deref() == Some(*key) && other.offset < *offset)
                    .filter(|other| !Model::is_aborted(&aborted, written[&other.offset].0));
                assert!(
                    older.is_none(),
                    "{}: {key_text} was deleted at {offset} and is back at {:?}",
                    part.topic,
                    older.map(|record| record.offset)
                );
                self.tally.count("tombstones gone with what they deleted");
            }
        }
    }

    /// Look-ups by offset, time and epoch agree with the batches.
    fn look_ups(&self, log: &PartitionLog, model: &Model, found: &[Stored]) {
        for batch in found {
            for offset in [batch.base_offset, batch.last_offset] {
                if offset < log.log_start_offset() {
                    continue;
                }
                let slice = log.read(offset, 1, true, i64::MAX).unwrap();
                assert_eq!(slice.base_offset, batch.base_offset, "a look-up of {offset}");
            }
        }
        self.tally.add("look-ups by offset", 2 * found.len() as u64);
        let start = log.log_start_offset();
        let records = || {
            found
                .iter()
                .flat_map(|batch| &batch.records)
                .filter(move |record| record.offset >= start)
        };
        let mut times: Vec<i64> = records().map(|record| record.timestamp).collect();
        times.sort_unstable();
        times.dedup();
        for timestamp in times.iter().step_by(times.len() / 8 + 1) {
            let expected = records()
                .find(|record| record.timestamp >= *timestamp)
                .map(|record| record.offset);
            let answer = log.offset_for_timestamp(*timestamp, i64::MAX).unwrap();
            assert_eq!(
                answer.map(|answer| answer.offset),
                expected,
                "a look-up of time {timestamp}"
            );
            self.tally.count("look-ups by time");
        }
        if !found.is_empty() && found.len() == model.batches.len() {
            for (epoch, first) in model.epochs(model.unsure_epochs_below) {
                assert_eq!(log.epoch_for_offset(first), Some(epoch), "the epoch at {first}");
                self.tally.count("leader epochs");
            }
            if model.end > model.unsure_epochs_below {
                assert_eq!(log.latest_epoch(), found.last().map(|batch| batch.leader_epoch));
            }
        }
        log.set_high_watermark(log.log_end_offset());
        if !model.unsure_stable {
            let stable = model.first_unstable().map_or(model.end, |first| first.max(start));
            assert_eq!(log.last_stable_offset(), stable, "the last stable offset");
            self.tally.count("last stable offsets");
        }
    }

    /// The second opening changes no file and finds the same.
    fn opening_twice(&self, parts: &[Part]) {
        let files = |part: &Part| self.image.contents(&part.dir());
        let before: Vec<_> = parts.iter().map(files).collect();
        let manager = self.open(self.image);
        for (part, before) in parts.iter().zip(before) {
            let differing: Vec<String> = files(part)
                .into_iter()
                .filter(|(name, bytes)| !is_same(name, before.get(name), bytes, part))
                .map(|(name, bytes)| format!("{name} from {:?} to {bytes:?}", before.get(&name)))
                .collect();
            assert!(
                differing.is_empty(),
                "opening {} twice changes {differing:?}",
                part.topic
            );
            let ends = manager
                .get(part.topic, 0)
                .map(|log| (log.log_start_offset(), log.log_end_offset()));
            let expected = (!part.model.absent).then_some((part.model.start, part.model.end));
            assert_eq!(ends, expected, "opening {} twice", part.topic);
        }
        self.tally.count("images opened twice");
    }

    /// After a proper end the index files point at batches, in order.
    fn indexes_on_disk(&self, parts: &[Part]) {
        let copy = self.image.after_kill();
        self.open(&copy).shutdown(self.now).unwrap();
        for part in parts {
            let files = copy.contents(&part.dir());
            for (name, bytes) in files.iter().filter(|(name, _)| name.strip_suffix(".log").is_some()) {
                let base = name.trim_end_matches(".log");
                let index = |suffix: &str| files.get(&format!("{base}{suffix}")).map_or(&[][..], Vec::as_slice);
                self.tally.add(
                    "index entries that point at batches",
                    check_indexes(base.parse().unwrap(), bytes, index(".index"), index(".timeindex")),
                );
            }
        }
    }

    /// Repeated batches are recognised, the next sequences follow, others do not.
    fn producers(&self, manager: &LogManager, parts: &[Part]) {
        for part in parts.iter().filter(|part| !part.model.absent) {
            let log = manager.get(part.topic, 0).unwrap();
            for (producer_id, producer) in part.model.producers() {
                if producer.transactional {
                    continue;
                }
                let send = |base_sequence: i32, count: i32| {
                    let seal = Seal {
                        producer_id,
                        producer_epoch: producer.epoch,
                        base_sequence,
                        ..Seal::default()
                    };
                    let mut builder = BatchBuilder::new(Vec::new());
                    for _ in 0..count {
                        builder.append(self.now, Some(b"key"), Some(b"again"), &[]).unwrap();
                    }
                    let mut bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
                    log.append(&mut bytes, i32::MAX, self.now, AppendOrigin::Client)
                };
                let Some((sequence, count, base_offset)) = producer.batches.last().copied() else {
                    continue;
                };
                if base_offset < part.model.unsure_below {
                    continue;
                }
                let again = send(sequence, count).unwrap();
                assert_eq!(
                    (again.duplicate, again.base_offset),
                    (true, base_offset),
                    "{}: the last batch of producer {producer_id}, sequence {sequence}",
                    part.topic
                );
                let error = send(producer.next_sequence + 1, 1).unwrap_err();
                assert_eq!(error.code(), 45, "{error}");
                assert!(!send(producer.next_sequence, 1).unwrap().duplicate);
                self.tally.count("producers that agree");
            }
        }
    }
}

/// Whether a file is the same, or a transaction index that was built anew from a log that does not have everything any
/// more: transactions whose beginning is deleted are gone, and those whose first records compaction took begin later.
fn is_same(name: &str, before: Option<&Vec<u8>>, after: &Vec<u8>, part: &Part) -> bool {
    let entries = |bytes: &[u8]| -> Vec<AbortedTransaction> {
        let entries = bytes
            .chunks(AbortedTransaction::LEN)
            .filter_map(AbortedTransaction::decode);
        entries.filter(|entry| entry.first_offset >= part.model.start).collect()
    };
    let stands_for = |new: &AbortedTransaction, old: &AbortedTransaction| {
        new == old
            || (part.config.compact
                && (new.producer_id, new.last_offset) == (old.producer_id, old.last_offset)
                && new.first_offset >= old.first_offset
                && new.last_stable_offset >= old.last_stable_offset)
    };
    before == Some(after)
        || (name.strip_suffix(".txnindex").is_some()
            && entries(before.map_or(&[], Vec::as_slice))
                .iter()
                .all(|old| entries(after).iter().any(|new| stands_for(new, old))))
}

fn longer<'a>(before: &'a Part, after: &'a Part) -> &'a Part {
    if before.model.end > after.model.end {
        before
    } else {
        after
    }
}

fn expected_run(part: &Part, start: i64, end: i64) -> &[Arc<Stored>] {
    let batches = &part.model.batches;
    if start >= end {
        return &[];
    }
    let first = batches.partition_point(|batch| batch.last_offset < start);
    let last = batches.partition_point(|batch| batch.base_offset < end);
    &batches[first..last.max(first)]
}

fn is_run(part: &Part, found: &[Stored], start: i64, end: i64) -> bool {
    let expected = expected_run(part, start, end);
    part.model.end >= end
        && found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, kept)| *found == **kept)
}

/// A log without compaction is a run of the batches that were written, without a hole.
fn plain(part: &Part, found: &[Stored], start: i64, end: i64) {
    let offsets = |batch: &Stored| (batch.base_offset, batch.last_offset);
    assert!(
        is_run(part, found, start, end),
        "{} [{start}, {end}): {:?} where {:?} was written",
        part.topic,
        found.iter().map(offsets).collect::<Vec<_>>(),
        expected_run(part, start, end)
            .iter()
            .map(|batch| offsets(batch))
            .collect::<Vec<_>>()
    );
}

/// Every entry is the end of a batch that begins at its position, or of the batch with the greatest timestamp so far.
fn check_indexes(base: i64, log: &[u8], offsets: &[u8], times: &[u8]) -> u64 {
    let mut ends = BTreeMap::new();
    let mut timestamps = BTreeMap::new();
    let mut position = 0;
    for batch in BatchIter::new(log) {
        let header = batch.unwrap().header;
        ends.insert(position, header.last_offset());
        timestamps.insert(header.last_offset(), header.max_timestamp);
        position += header.size_in_bytes();
    }
    assert_eq!((offsets.len() % 8, times.len() % 12), (0, 0), "whole entries");
    let mut last = -1;
    for entry in offsets.chunks(8) {
        let relative = i64::from(u32::from_be_bytes(entry[..4].try_into().unwrap()));
        let position = u32::from_be_bytes(entry[4..].try_into().unwrap()) as usize;
        assert_eq!(
            ends.get(&position),
            Some(&(base + relative)),
            "an entry of segment {base}"
        );
        assert!(relative > last, "entries rise");
        last = relative;
    }
    let mut last = (-1, -1);
    for entry in times.chunks(12) {
        let timestamp = i64::from_be_bytes(entry[..8].try_into().unwrap());
        let relative = i64::from(u32::from_be_bytes(entry[8..].try_into().unwrap()));
        assert_eq!(
            timestamps.get(&(base + relative)),
            Some(&timestamp),
            "a time entry of segment {base}"
        );
        assert!(timestamp > last.0 && relative > last.1, "time entries rise");
        last = (timestamp, relative);
    }
    (offsets.len() / 8 + times.len() / 12) as u64
}
