//! Records on their way from the caller to the sender: one queue of batches per partition.
//!
//! A record is written once, straight into the open batch of its partition, under that partition's lock. Lock order: a
//! partition's queue, then the pool or the signal lists, which are leaves. The I/O thread takes the same locks only to move
//! whole batches out.

mod queue;

use std::any::Any;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::batch::{BATCH_OVERHEAD, BatchState, OpenBatch};
use crate::buffer_pool::{BufferPool, CLASS_BYTES_MIN, Lease};
use crate::completion::Completion;
use crate::lock::lock;
use crate::waker::Waker;

pub(crate) use queue::PartitionQueue;
use queue::Queue;

/// Upper bound of what a record without headers adds to its key and value: length, attributes, timestamp delta, offset delta,
/// key length, value length, header count.
const RECORD_OVERHEAD_MAX: usize = 5 + 1 + 10 + 5 + 5 + 5 + 5;

/// What lies between the numbers of two batches: more than a batch has records, so that the parts of a batch that is split
/// have numbers of their own between.
const BATCH_ID_STEP: u64 = 1 << 31;

/// When a batch's linger is over, those go with it whose linger has no more than this part of it left. With hundreds of
/// partitions they would else leave in as many requests, each of which costs both sides as much as many records.
const LINGER_SHARE_TOGETHER: u32 = 4;

/// A record as the caller gave it.
#[derive(Clone, Copy, Debug)]
pub struct RecordData<'a> {
    /// Milliseconds since the epoch.
    pub timestamp: i64,
    /// The key.
    pub key: Option<&'a [u8]>,
    /// The value.
    pub value: Option<&'a [u8]>,
    /// Header keys and values.
    pub headers: &'a [(&'a [u8], Option<&'a [u8]>)],
}

impl RecordData<'_> {
    /// A cheap upper bound of the record's size in a batch.
    #[inline]
    pub(crate) fn size_max(&self) -> usize {
        let len = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len);
        let headers: usize = self
            .headers
            .iter()
            .map(|(key, value)| 10 + key.len() + len(*value))
            .sum();
        RECORD_OVERHEAD_MAX + len(self.key) + len(self.value) + headers
    }
}

/// What a producer's partitions share.
pub(crate) struct Accumulator {
    pub(crate) pool: Arc<BufferPool>,
    pub(crate) completion: Arc<Completion>,
    /// What the producer's owner keeps for callbacks; this crate does not look into it.
    pub(crate) attachment: OnceLock<Arc<dyn Any + Send + Sync>>,
    pub(crate) batch_size: usize,
    linger: Duration,
    signals: Signals,
    waker: Arc<Waker>,
    next_batch_id: AtomicU64,
    /// Batches without an outcome. One entry per batch, so two lock operations per batch.
    incomplete: Mutex<BTreeSet<u64>>,
    /// When a batch was last opened, by topic.
    used: Mutex<HashMap<Arc<str>, Instant>>,
    next_slot: AtomicUsize,
}

impl std::fmt::Debug for Accumulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Accumulator")
            .field("pool", &self.pool)
            .field("batch_size", &self.batch_size)
            .finish_non_exhaustive()
    }
}

/// What callers tell the I/O thread.
#[derive(Debug, Default)]
struct Signals {
    /// Partitions that have something to send.
    ready: Mutex<Vec<Arc<PartitionQueue>>>,
    /// Open batches in the order of their opening, which is the order in which their linger ends.
    opened: Mutex<VecDeque<Opened>>,
}

#[derive(Debug)]
struct Opened {
    at: Instant,
    batch_id: u64,
    queue: Arc<PartitionQueue>,
}

/// A record's place.
#[derive(Debug)]
pub struct Appended {
    /// The batch.
    pub batch: Arc<BatchState>,
    /// The record's number in it.
    pub index: u32,
    /// The open batch before it was closed as full.
    pub(crate) closed_full: bool,
    /// It opened a batch that does not linger, and the I/O thread has not been told.
    pub(crate) is_due: bool,
}

/// Why a record was not appended.
#[derive(Debug)]
pub(crate) enum NotAppended {
    /// No room in the pool for a buffer of so many bytes.
    NoBuffer(usize),
    /// The producer is closed.
    Closed,
    /// The record cannot be written into any batch.
    Invalid(String),
}

impl Accumulator {
    pub(crate) fn new(pool: Arc<BufferPool>, batch_size: usize, linger: Duration, waker: Arc<Waker>) -> Arc<Self> {
        Arc::new(Self {
            pool,
            completion: Arc::default(),
            attachment: OnceLock::new(),
            batch_size,
            linger,
            signals: Signals::default(),
            waker,
            next_batch_id: AtomicU64::new(0),
            incomplete: Mutex::new(BTreeSet::new()),
            used: Mutex::default(),
            next_slot: AtomicUsize::new(0),
        })
    }

    /// A queue for a partition that is new to the producer.
    pub(crate) fn new_queue(&self, topic: Arc<str>, partition: i32) -> Arc<PartitionQueue> {
        let slot = self.next_slot.fetch_add(1, Ordering::Relaxed);
        PartitionQueue::new(topic, partition, slot)
    }

    /// Appends a record to the partition's open batch, or opens one: in `lease` if there is one, else in a buffer of the pool
    /// if it has one to spare.
    #[inline]
    pub(crate) fn append(
        self: &Arc<Self>,
        partition: &Arc<PartitionQueue>,
        record: &RecordData<'_>,
        lease: &mut Option<Lease>,
    ) -> Result<Appended, NotAppended> {
        let mut queue = lock(&partition.queue);
        self.append_locked(partition, &mut queue, record, lease)
    }

    /// Appends `first`, and as many of `records` behind it as stay in the partition and as there is room for, under one lock.
    /// `placed` is told of each.
    #[expect(
        clippy::too_many_arguments,
        reason = "what to append, where, until when, and who is told"
    )]
    pub(crate) fn append_run<'a>(
        self: &Arc<Self>,
        partition: &Arc<PartitionQueue>,
        first: RecordData<'a>,
        records: &mut impl Iterator<Item = RecordData<'a>>,
        stays: impl Fn(&RecordData<'a>) -> bool,
        lease: &mut Option<Lease>,
        bytes_max: usize,
        mut placed: impl FnMut(&Arc<BatchState>, u32, i64),
    ) -> Run<'a> {
        let mut queue = lock(&partition.queue);
        let mut bytes = 0;
        let mut record = first;
        loop {
            // Mostly there is room in the open batch, which is not counted anew for each record.
            let appended = match self.append_open(&mut queue, &record) {
                Ok(Some((batch, index))) => {
                    placed(batch, index, record.timestamp);
                    Ok(())
                }
                Ok(None) => self.append_slow(partition, &mut queue, &record, lease).map(|appended| {
                    placed(&appended.batch, appended.index, record.timestamp);
                    if appended.is_due {
                        self.waker.wake();
                    }
                }),
                Err(reason) => Err(reason),
            };
            if let Err(reason) = appended {
                let (next, stopped) = (Some(record), Some(reason));
                return Run { bytes, next, stopped };
            }
            bytes += record.size_max();
            match records.next() {
                Some(next) if bytes < bytes_max && stays(&next) => record = next,
                next => {
                    let stopped = None;
                    return Run { bytes, next, stopped };
                }
            }
        }
    }

    /// Appends to the open batch, if there is one with room.
    #[inline]
    fn append_open<'q>(
        &self,
        queue: &'q mut Queue,
        record: &RecordData<'_>,
    ) -> Result<Option<(&'q Arc<BatchState>, u32)>, NotAppended> {
        match &mut queue.open {
            Some(open) if !queue.is_closed => {
                let limit = open.lease.capacity().min(self.batch_size);
                let index = try_append(open, limit, record)?;
                Ok(index.map(|index| (&open.state, index)))
            }
            _ => Ok(None),
        }
    }

    #[inline]
    fn append_locked(
        self: &Arc<Self>,
        partition: &Arc<PartitionQueue>,
        queue: &mut Queue,
        record: &RecordData<'_>,
        lease: &mut Option<Lease>,
    ) -> Result<Appended, NotAppended> {
        if let Some((batch, index)) = self.append_open(queue, record)? {
            return Ok(Appended {
                batch: Arc::clone(batch),
                index,
                closed_full: false,
                is_due: false,
            });
        }
        self.append_slow(partition, queue, record, lease)
    }

    /// No open batch, or the record does not fit it: grow it, or close it and open another one.
    #[cold]
    fn append_slow(
        self: &Arc<Self>,
        partition: &Arc<PartitionQueue>,
        queue: &mut Queue,
        record: &RecordData<'_>,
        lease: &mut Option<Lease>,
    ) -> Result<Appended, NotAppended> {
        if queue.is_closed {
            return Err(NotAppended::Closed);
        }
        let mut closed_full = false;
        if let Some(open) = &mut queue.open
            && self.grow(open, record.size_max())
            && let Some(index) = try_append(open, open.lease.capacity().min(self.batch_size), record)?
        {
            return Ok(Appended {
                batch: Arc::clone(&open.state),
                index,
                closed_full: false,
                is_due: false,
            });
        }
        if let Some(open) = queue.open.take() {
            queue.size_last = self.batch_size;
            queue.is_due = false;
            queue.full.push_back(open);
            closed_full = true;
            if self.list_ready(partition, queue) {
                self.waker.wake();
            }
        }
        let (batch, is_due) = self.open_batch(partition, queue, record, lease)?;
        Ok(Appended {
            batch,
            index: 0,
            closed_full,
            is_due,
        })
    }

    /// Opens a batch with its first record. Also says whether it is to be sent at once, and the I/O thread to be told.
    fn open_batch(
        self: &Arc<Self>,
        partition: &Arc<PartitionQueue>,
        queue: &mut Queue,
        record: &RecordData<'_>,
        lease: &mut Option<Lease>,
    ) -> Result<(Arc<BatchState>, bool), NotAppended> {
        let needed = BATCH_OVERHEAD + record.size_max();
        // As large as the last batch became, so that batches which leave by their linger are not copied while they grow.
        let start = if self.pool.is_roomy() {
            queue
                .size_last
                .clamp(CLASS_BYTES_MIN, self.batch_size.max(CLASS_BYTES_MIN))
        } else {
            CLASS_BYTES_MIN
        };
        let buffer = match lease.take_if(|lease| lease.capacity() >= needed) {
            Some(lease) => lease,
            None => self
                .pool
                .try_take(start.min(self.batch_size).max(needed))
                .or_else(|| self.pool.try_take(needed))
                .ok_or(NotAppended::NoBuffer(needed))?,
        };
        let id = self.next_batch_id.fetch_add(BATCH_ID_STEP, Ordering::Relaxed);
        let state = BatchState::new(id, self, partition);
        let now = Instant::now();
        let mut open = OpenBatch::new(buffer, state, now);
        if try_append(&mut open, usize::MAX, record)?.is_none() {
            return Err(NotAppended::Invalid("the record fits no batch".to_owned()));
        }
        let batch = Arc::clone(&open.state);
        queue.open = Some(open);
        lock(&self.incomplete).insert(id);
        self.note_use(&partition.topic, now);
        partition.depth.fetch_add(1, Ordering::Relaxed);
        let mut is_news = false;
        if self.linger.is_zero() {
            queue.is_due = true;
            is_news = self.list_ready(partition, queue);
        } else {
            lock(&self.signals.opened).push_back(Opened {
                at: now,
                batch_id: id,
                queue: Arc::clone(partition),
            });
            self.waker.wake_by(now + self.linger);
        }
        Ok((batch, is_news))
    }

    fn note_use(&self, topic: &Arc<str>, now: Instant) {
        let mut used = lock(&self.used);
        match used.get_mut(topic) {
            Some(at) => *at = now,
            None => drop(used.insert(Arc::clone(topic), now)),
        }
    }

    /// I/O thread: topics that no batch was opened for since `before`; each is told once.
    pub(crate) fn take_idle_topics(&self, before: Instant) -> Vec<Arc<str>> {
        let mut idle = Vec::new();
        lock(&self.used).retain(|topic, at| {
            let is_used = *at > before;
            if !is_used {
                idle.push(Arc::clone(topic));
            }
            is_used
        });
        idle
    }

    /// Makes room in an open batch, if it may grow and the pool has as much. It moves into a buffer that was used before; if
    /// there is none its own grows, where it lies if the allocator can: the first touch of a page costs as much as ten records.
    fn grow(&self, open: &mut OpenBatch, more: usize) -> bool {
        let capacity = open.lease.capacity();
        let needed = open.builder.size_in_bytes() + more;
        if capacity >= self.batch_size || needed > self.batch_size {
            return false;
        }
        let size = needed.max(capacity * 2).min(self.batch_size);
        if let Some(mut larger) = self.pool.try_take_used(size) {
            let old = open.builder.replace_buffer(larger.take_buffer());
            open.lease.put(old);
            open.lease = larger;
            return true;
        }
        let has_room = open.lease.grow(size);
        if has_room {
            open.builder.reserve(open.lease.capacity());
        }
        has_room
    }

    /// Lists a partition that has something to send. Whether the I/O thread has to be told of it.
    fn list_ready(&self, partition: &Arc<PartitionQueue>, queue: &mut Queue) -> bool {
        let is_news = !queue.is_listed;
        if is_news {
            queue.is_listed = true;
            lock(&self.signals.ready).push(Arc::clone(partition));
        }
        is_news
    }

    /// Somebody waits for this batch: it does not linger.
    pub(crate) fn hurry(&self, partition: &Arc<PartitionQueue>, batch: &BatchState) {
        let mut queue = lock(&partition.queue);
        if queue.open.as_ref().is_some_and(|open| open.state.id() == batch.id()) && !queue.is_due {
            queue.is_due = true;
            if self.list_ready(partition, &mut queue) {
                self.waker.wake();
            }
        }
    }

    /// I/O thread: partitions that have something to send since the last call. With `all`, every open batch is due, else those
    /// whose linger has passed.
    pub(crate) fn collect_ready(&self, now: Instant, all: bool, ready: &mut Vec<Arc<PartitionQueue>>) {
        let mut due = Vec::new();
        {
            let mut opened = lock(&self.signals.opened);
            let is_any = opened.front().is_some_and(|first| all || first.at + self.linger <= now);
            let until = now + self.linger / LINGER_SHARE_TOGETHER;
            while is_any && opened.front().is_some_and(|next| all || next.at + self.linger <= until) {
                due.extend(opened.pop_front());
            }
        }
        for Opened {
            batch_id,
            queue: partition,
            ..
        } in due
        {
            let mut queue = lock(&partition.queue);
            if queue.open.as_ref().is_some_and(|open| open.state.id() == batch_id) {
                queue.is_due = true;
                if !queue.is_listed {
                    queue.is_listed = true;
                    ready.push(Arc::clone(&partition));
                }
            }
        }
        ready.append(&mut lock(&self.signals.ready));
    }

    /// I/O thread: when the next open batch is due.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        lock(&self.signals.opened).front().map(|first| first.at + self.linger)
    }

    /// The number after the newest batch.
    pub(crate) fn batches_opened(&self) -> u64 {
        self.next_batch_id.load(Ordering::Acquire)
    }

    /// Whether every batch below `id` has its outcome.
    pub(crate) fn is_complete_below(&self, id: u64) -> bool {
        lock(&self.incomplete).first().is_none_or(|first| *first >= id)
    }

    /// How many batches have no outcome.
    pub(crate) fn incomplete_count(&self) -> usize {
        lock(&self.incomplete).len()
    }

    /// I/O thread: this batch has its outcome.
    pub(crate) fn completed(&self, batch_id: u64) {
        lock(&self.incomplete).remove(&batch_id);
    }
}

/// How far [`Accumulator::append_run`] came.
pub(crate) struct Run<'a> {
    /// Bytes appended, roughly.
    pub(crate) bytes: usize,
    /// The first record that was not appended.
    pub(crate) next: Option<RecordData<'a>>,
    /// Why not, unless its place is elsewhere.
    pub(crate) stopped: Option<NotAppended>,
}

#[inline]
fn try_append(open: &mut OpenBatch, limit: usize, record: &RecordData<'_>) -> Result<Option<u32>, NotAppended> {
    let appended = open
        .builder
        .try_append(limit, record.timestamp, record.key, record.value, record.headers);
    match appended {
        Ok(index) => Ok(index.map(|index| u32::try_from(index).unwrap_or(0))),
        Err(error) => Err(NotAppended::Invalid(error.to_string())),
    }
}

#[cfg(test)]
mod tests;
