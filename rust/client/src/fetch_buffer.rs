//! A consumer's partitions: where each one stands, and the batches that wait to be polled. Shared by the consumer's thread and
//! the I/O thread under one lock, which is held for neither decoding nor waiting.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use barnabas_records::RecordIter;

use crate::config::FetchConfig;
use crate::counters::Counter;
use crate::fetched::FetchedBatch;
use crate::lock::lock;
use crate::mailbox::{Mailbox, Waited};
use crate::nodes::NodeId;

/// Topic and partition.
pub type TopicPartition = (Arc<str>, i32);

/// A partition of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The topic.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// Where to begin; -1 keeps the position of a partition that was assigned before, and leaves a new one without.
    pub offset: i64,
    /// The epoch of the record before `offset`, -1 when unknown.
    pub leader_epoch: i32,
}

/// Where a partition stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionOf {
    /// The topic.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// The offset of the next record to be polled.
    pub offset: i64,
    /// The epoch of the last polled batch, -1 when unknown.
    pub leader_epoch: i32,
}

/// What a fetcher's threads share.
#[derive(Debug)]
pub(crate) struct FetchBuffer {
    pub(crate) config: FetchConfig,
    pub(crate) counters: FetchCounters,
    state: Mutex<FetchState>,
}

#[derive(Debug, Default)]
pub(crate) struct FetchCounters {
    pub(crate) requests: Counter,
    pub(crate) bytes: Counter,
    pub(crate) batches: Counter,
    pub(crate) records: Counter,
}

/// The state under the lock.
#[derive(Debug, Default)]
pub(crate) struct FetchState {
    pub(crate) partitions: BTreeMap<TopicPartition, PartitionFetch>,
    /// Bytes of all batches that can be polled. What paused partitions keep does not count: it would keep the others from
    /// being fetched.
    waiting_bytes: usize,
    /// Nothing was fetched because enough waits already.
    pub(crate) lacks_room: bool,
    /// Counts assignments.
    pub(crate) assignment: u64,
    /// The offset that nobody wants, nor what comes after it; no end if there is none.
    pub(crate) end: Option<i64>,
    next_generation: u64,
    next_turn: u64,
    /// The partition that the last poll ended with.
    polled: Option<TopicPartition>,
}

/// One partition.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "five independent facts")]
pub(crate) struct PartitionFetch {
    /// The next record to be polled; `None` until somebody says where to begin.
    pub(crate) position: Option<i64>,
    /// The next record to be fetched.
    pub(crate) fetch_offset: i64,
    /// The epoch of the last polled batch.
    pub(crate) polled_epoch: i32,
    /// The epoch of the record before `fetch_offset`, -1 while it is not known.
    pub(crate) fetched_epoch: i32,
    /// The leader's epoch under which its log was last known to have what comes before `fetch_offset`; -1 for none.
    pub(crate) validated_by: i32,
    /// The replica that the leader wants us to read from, and until when.
    pub(crate) preferred: Option<(NodeId, Instant)>,
    /// Changes with every assignment and seek, so that answers to what was asked before are dropped.
    pub(crate) generation: u64,
    pub(crate) is_paused: bool,
    /// An error that only a seek mends.
    pub(crate) is_halted: bool,
    pub(crate) is_in_flight: bool,
    pub(crate) retry_at: Option<Instant>,
    pub(crate) failures: u32,
    pub(crate) high_watermark: i64,
    pub(crate) last_stable_offset: i64,
    pub(crate) log_start_offset: i64,
    /// When it last gave records: those that waited longest stand first in a request.
    pub(crate) turn: u64,
    /// Enough waits to be polled.
    pub(crate) is_full: bool,
    /// No broker was asked since it was assigned, sought or resumed: the high watermark says nothing.
    pub(crate) is_fresh: bool,
    buffered: VecDeque<FetchedBatch>,
    buffered_bytes: usize,
}

/// What one poll may take at most. Whole batches are taken until there are enough bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) records: usize,
    pub(crate) bytes: usize,
}

impl Limit {
    fn is_reached(self) -> bool {
        self.records == 0 || self.bytes == 0
    }
}

/// What a poll takes, partition by partition.
#[derive(Debug)]
struct Taking {
    left: Limit,
    batches: Vec<FetchedBatch>,
    bytes: usize,
    last: Option<TopicPartition>,
    /// A partition that had enough can be fetched again.
    has_freed: bool,
}

/// A partition's buffer is full at this many times its fetch size, and has room again at one time: one fetch is polled while
/// the next one comes.
const FETCHES_BUFFERED: usize = 2;

/// Fetching ends when this share of the buffer or less is free, and goes on when there is more: what is asked of many partitions
/// costs more than a few records that there is room for.
const ROOM_SHARE: usize = 4;

impl PartitionFetch {
    fn new(generation: u64) -> Self {
        Self {
            position: None,
            fetch_offset: -1,
            polled_epoch: -1,
            fetched_epoch: -1,
            validated_by: -1,
            preferred: None,
            generation,
            is_paused: false,
            is_halted: false,
            is_in_flight: false,
            retry_at: None,
            failures: 0,
            high_watermark: -1,
            last_stable_offset: -1,
            log_start_offset: -1,
            turn: 0,
            is_full: false,
            is_fresh: true,
            buffered: VecDeque::new(),
            buffered_bytes: 0,
        }
    }

    fn clear_buffered(&mut self) {
        self.buffered.clear();
        self.buffered_bytes = 0;
        self.is_full = false;
    }

    /// What of it counts as waiting.
    fn waiting_bytes(&self) -> usize {
        if self.is_paused { 0 } else { self.buffered_bytes }
    }

    /// Gives up what was fetched and not polled; the next fetch begins at the position. False if there is nothing of it.
    pub(crate) fn drop_fetched(&mut self) -> bool {
        let Some(position) = self.position.filter(|_| !self.buffered.is_empty()) else {
            return false;
        };
        self.clear_buffered();
        self.fetch_offset = position;
        self.fetched_epoch = self.polled_epoch;
        self.validated_by = -1;
        true
    }

    /// What was fetched before `fetch_offset` has been polled or dropped.
    fn catch_up(&mut self) {
        self.position = Some(self.fetch_offset);
        self.polled_epoch = self.fetched_epoch;
    }

    fn is_ready(&self) -> bool {
        !self.is_paused && !self.buffered.is_empty()
    }

    /// Whether all up to `end` was fetched.
    pub(crate) fn has_reached(&self, end: Option<i64>) -> bool {
        end.is_some_and(|end| self.fetch_offset >= end)
    }

    /// Whether the broker had nothing more when it was last asked.
    pub(crate) fn is_caught_up(&self) -> bool {
        !self.is_fresh && self.high_watermark >= 0 && self.fetch_offset >= self.high_watermark
    }
}

impl FetchState {
    fn generation(&mut self) -> u64 {
        self.next_generation += 1;
        self.next_generation
    }

    /// Marks a partition as served, behind all others.
    pub(crate) fn took_turn(&mut self, key: &TopicPartition) {
        self.next_turn += 1;
        if let Some(partition) = self.partitions.get_mut(key) {
            partition.turn = self.next_turn;
        }
    }

    /// Begins anew at `offset`, dropping what waits, which is to be counted then.
    fn restart(&mut self, key: &TopicPartition, offset: i64, leader_epoch: i32) {
        let generation = self.generation();
        let Some(partition) = self.partitions.get_mut(key) else {
            return;
        };
        partition.clear_buffered();
        partition.position = Some(offset);
        partition.fetch_offset = offset;
        partition.polled_epoch = leader_epoch;
        partition.fetched_epoch = leader_epoch;
        partition.validated_by = -1;
        partition.generation = generation;
        partition.is_halted = false;
        partition.is_in_flight = false;
        partition.retry_at = None;
        partition.failures = 0;
        partition.is_fresh = true;
    }

    /// I/O thread: adds what was fetched; the next fetch begins at `next_offset`, behind a record of `leader_epoch`.
    pub(crate) fn push(
        &mut self,
        config: &FetchConfig,
        key: &TopicPartition,
        batches: Vec<FetchedBatch>,
        next_offset: i64,
        leader_epoch: i32,
    ) {
        let Some(partition) = self.partitions.get_mut(key) else {
            return;
        };
        let before = partition.waiting_bytes();
        for batch in batches {
            partition.buffered_bytes += batch.payload.len();
            partition.buffered.push_back(batch);
        }
        partition.is_full |= partition.buffered_bytes >= config.max_partition_bytes.saturating_mul(FETCHES_BUFFERED);
        self.waiting_bytes += partition.waiting_bytes().saturating_sub(before);
        partition.fetch_offset = next_offset;
        if leader_epoch >= 0 {
            partition.fetched_epoch = leader_epoch;
        }
        if partition.buffered.is_empty() {
            // Only control batches, or batches that compaction emptied: nobody will poll them.
            partition.catch_up();
        }
    }

    /// Sums up what waits anew, after partitions dropped some of it or were paused.
    pub(crate) fn count_waiting(&mut self) {
        self.waiting_bytes = self.partitions.values().map(PartitionFetch::waiting_bytes).sum();
    }

    /// How many bytes there is room for; none until it is worth a fetch.
    pub(crate) fn room(&self, config: &FetchConfig) -> usize {
        let room = config.buffer_bytes.saturating_sub(self.waiting_bytes);
        if room > config.buffer_bytes / ROOM_SHARE {
            room
        } else {
            0
        }
    }

    fn has_data(&self) -> bool {
        self.partitions.values().any(PartitionFetch::is_ready)
    }
}

impl FetchBuffer {
    pub(crate) fn new(config: FetchConfig) -> Self {
        Self {
            config,
            counters: FetchCounters::default(),
            state: Mutex::default(),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, FetchState> {
        lock(&self.state)
    }

    /// The whole new assignment. Partitions that stay keep their position and what waits, unless an offset is given.
    pub(crate) fn assign(&self, partitions: &[Assigned]) {
        let mut state = self.lock();
        state.assignment += 1;
        let mut old = std::mem::take(&mut state.partitions);
        for assigned in partitions {
            let key = (Arc::clone(&assigned.topic), assigned.partition);
            let generation = state.generation();
            let partition = old.remove(&key).unwrap_or_else(|| PartitionFetch::new(generation));
            state.partitions.insert(key.clone(), partition);
            if assigned.offset >= 0 {
                state.restart(&key, assigned.offset, assigned.leader_epoch);
            }
        }
        state.count_waiting();
    }

    /// Fetches nothing from `end` on.
    pub(crate) fn stop_at(&self, end: i64) {
        self.lock().end = Some(end);
    }

    /// Goes on at `offset`. False if the partition is not assigned.
    pub(crate) fn seek(&self, key: &TopicPartition, offset: i64) -> bool {
        let mut state = self.lock();
        state.restart(key, offset, -1);
        state.count_waiting();
        state.partitions.contains_key(key)
    }

    /// Pauses or resumes. Paused partitions keep what waits and are not fetched. Returns those that are not assigned.
    pub(crate) fn set_paused(&self, keys: &[TopicPartition], is_paused: bool) -> Vec<TopicPartition> {
        let mut state = self.lock();
        let mut unknown = Vec::new();
        for key in keys {
            match state.partitions.get_mut(key) {
                Some(partition) => {
                    partition.is_fresh |= partition.is_paused && !is_paused;
                    partition.is_paused = is_paused;
                }
                None => unknown.push(key.clone()),
            }
        }
        state.count_waiting();
        unknown
    }

    /// Where all partitions with a position stand.
    pub(crate) fn positions(&self) -> Vec<PositionOf> {
        let state = self.lock();
        let position = |((topic, index), partition): (&TopicPartition, &PartitionFetch)| {
            let offset = partition.position?;
            Some(PositionOf {
                topic: Arc::clone(topic),
                partition: *index,
                offset,
                leader_epoch: partition.polled_epoch,
            })
        };
        state.partitions.iter().filter_map(position).collect()
    }

    /// Where a partition stands.
    pub(crate) fn position(&self, key: &TopicPartition) -> Option<i64> {
        self.lock().partitions.get(key)?.position
    }

    /// High watermark, last stable offset and log start offset of each partition, -1 while unknown.
    pub(crate) fn watermarks(&self) -> Vec<(TopicPartition, [i64; 3])> {
        let state = self.lock();
        let marks = |partition: &PartitionFetch| {
            [
                partition.high_watermark,
                partition.last_stable_offset,
                partition.log_start_offset,
            ]
        };
        state
            .partitions
            .iter()
            .map(|(key, partition)| (key.clone(), marks(partition)))
            .collect()
    }

    /// Bytes of all batches that were fetched and not polled.
    pub(crate) fn buffered_bytes(&self) -> usize {
        let state = self.lock();
        state
            .partitions
            .values()
            .map(|partition| partition.buffered_bytes)
            .sum()
    }

    /// Whether a poll would return something.
    pub(crate) fn has_data(&self) -> bool {
        self.lock().has_data()
    }

    /// Takes what waits, up to the limit, and moves the positions on. Partitions take turns in being first. Also says whether
    /// something can be fetched now that was held back.
    pub(crate) fn take(&self, limit: Limit) -> (Vec<FetchedBatch>, bool) {
        let mut state = self.lock();
        let state = &mut *state;
        let mut taking = Taking {
            left: limit,
            batches: Vec::new(),
            bytes: 0,
            last: None,
            has_freed: false,
        };
        let polled = state.polled.take();
        let after = polled.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        taking.take_in_turn(state.partitions.range_mut((after, Bound::Unbounded)), &self.config);
        if let Some(polled) = &polled {
            taking.take_in_turn(state.partitions.range_mut(..=polled), &self.config);
        }
        state.polled = taking.last.or(polled);
        state.waiting_bytes = state.waiting_bytes.saturating_sub(taking.bytes);
        let has_room = state.lacks_room && state.room(&self.config) > 0;
        if has_room {
            state.lacks_room = false;
        }
        (taking.batches, has_room || taking.has_freed)
    }

    /// Waits up to `timeout` until there is data or an event in the mailbox.
    pub(crate) fn wait(&self, mailbox: &Mailbox, timeout: Duration) -> Waited {
        mailbox.wait_for_data(timeout, || self.has_data())
    }
}

impl Taking {
    fn take_in_turn<'s>(
        &mut self,
        partitions: impl Iterator<Item = (&'s TopicPartition, &'s mut PartitionFetch)>,
        config: &FetchConfig,
    ) {
        for (key, partition) in partitions {
            if self.left.is_reached() {
                return;
            }
            if !partition.is_ready() {
                continue;
            }
            let before = partition.buffered_bytes;
            self.take_from(partition);
            self.bytes += before.saturating_sub(partition.buffered_bytes);
            if partition.is_full && partition.buffered_bytes <= config.max_partition_bytes {
                partition.is_full = false;
                self.has_freed = true;
            }
            self.last = Some(key.clone());
        }
    }

    /// Takes a partition's batches from the front until the limit is reached.
    fn take_from(&mut self, partition: &mut PartitionFetch) {
        while !self.left.is_reached()
            && let Some(mut batch) = partition.buffered.pop_front()
        {
            let size = batch.payload.len();
            let rest = split(&mut batch, self.left.records);
            let count = usize::try_from(batch.end_offset - batch.first_offset).unwrap_or(0);
            let count = count
                .min(usize::try_from(batch.header.record_count).unwrap_or(0))
                .max(1);
            self.left.records = self.left.records.saturating_sub(count);
            self.left.bytes = self.left.bytes.saturating_sub(size.max(1));
            partition.position = Some(batch.end_offset);
            partition.polled_epoch = batch.leader_epoch;
            self.batches.push(batch);
            match rest {
                Some(rest) => {
                    self.left.records = 0;
                    partition.buffered.push_front(rest);
                }
                None => partition.buffered_bytes = partition.buffered_bytes.saturating_sub(size),
            }
        }
        if partition.buffered.is_empty() {
            // What follows the last batch and was dropped, control batches for one, is behind us too.
            partition.catch_up();
        }
    }
}

/// Cuts a batch after `records` records; the rest is returned.
fn split(batch: &mut FetchedBatch, records: usize) -> Option<FetchedBatch> {
    if usize::try_from(batch.header.record_count).is_ok_and(|count| count <= records) {
        return None;
    }
    let is_dense = batch.header.record_count == batch.header.last_offset_delta.saturating_add(1);
    let end = if is_dense {
        batch
            .first_offset
            .saturating_add(i64::try_from(records).unwrap_or(i64::MAX))
    } else {
        // Compaction left gaps between the offsets, so they have to be looked at.
        let offsets = RecordIter::new(&batch.header, &batch.payload)
            .map_while(Result::ok)
            .map(|record| record.offset);
        offsets
            .filter(|offset| *offset >= batch.first_offset)
            .nth(records)
            .unwrap_or(batch.end_offset)
    };
    if end >= batch.end_offset {
        return None;
    }
    let mut rest = batch.clone();
    rest.first_offset = end;
    batch.end_offset = end;
    Some(rest)
}

#[cfg(test)]
mod tests;
