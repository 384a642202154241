//! One partition's queue of batches, and what the I/O thread takes out of it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::batch::OpenBatch;
use crate::lock::lock;

/// One partition's batches that were not sealed yet.
#[derive(Debug)]
pub(crate) struct PartitionQueue {
    pub(crate) topic: Arc<str>,
    pub(crate) partition: i32,
    /// Index among the producer's partitions, used by the sender.
    pub(crate) slot: usize,
    /// Batches in the queue, for the adaptive partitioner.
    pub(crate) depth: AtomicUsize,
    /// Records that may go anywhere should go elsewhere: nobody leads it, or its broker takes nothing.
    pub(crate) is_out: AtomicBool,
    pub(super) queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) full: VecDeque<OpenBatch>,
    pub(super) open: Option<OpenBatch>,
    /// The open batch is to be sent as it is.
    pub(super) is_due: bool,
    /// In the sender's list: it looks here before it sleeps.
    pub(super) is_listed: bool,
    pub(super) is_closed: bool,
    /// What the last batch had when it was closed, or all that it may have if that was because it was full: the next one
    /// starts with room for as much.
    pub(super) size_last: usize,
}

impl PartitionQueue {
    pub(super) fn new(topic: Arc<str>, partition: i32, slot: usize) -> Arc<Self> {
        Arc::new(Self {
            topic,
            partition,
            slot,
            depth: AtomicUsize::new(0),
            is_out: AtomicBool::new(false),
            queue: Mutex::default(),
        })
    }

    /// I/O thread: whether there is nothing to send; then the partition is off the list, and listed again when there is.
    pub(crate) fn unlist_if_empty(&self) -> bool {
        let mut queue = lock(&self.queue);
        let is_empty = queue.full.is_empty() && !(queue.is_due && queue.open.is_some());
        queue.is_listed &= !is_empty;
        is_empty
    }

    /// I/O thread: the next batch to send, oldest first.
    pub(crate) fn take_batch(&self) -> Option<OpenBatch> {
        let mut queue = lock(&self.queue);
        let batch = match queue.full.pop_front() {
            Some(batch) => Some(batch),
            None if queue.is_due => {
                queue.is_due = false;
                let open = queue.open.take();
                queue.size_last = open.as_ref().map_or(0, |open| open.builder.size_in_bytes());
                open
            }
            None => None,
        };
        if batch.is_some() {
            self.depth.fetch_sub(1, Ordering::Relaxed);
        }
        batch
    }

    /// I/O thread: bytes of the batch that [`take_batch`](Self::take_batch) would give.
    pub(crate) fn next_size(&self) -> Option<usize> {
        let queue = lock(&self.queue);
        let next = queue.full.front().or(queue.open.as_ref().filter(|_| queue.is_due));
        next.map(|batch| batch.builder.size_in_bytes())
    }

    /// I/O thread: takes out all batches that were opened before `time`, because their delivery timed out.
    pub(crate) fn take_opened_before(&self, time: Instant) -> Vec<OpenBatch> {
        let mut queue = lock(&self.queue);
        let mut taken = Vec::new();
        while queue.full.front().is_some_and(|batch| batch.opened <= time) {
            taken.extend(queue.full.pop_front());
        }
        if queue.full.is_empty() && queue.open.as_ref().is_some_and(|batch| batch.opened <= time) {
            taken.extend(queue.open.take());
            queue.is_due = false;
        }
        self.depth.fetch_sub(taken.len(), Ordering::Relaxed);
        taken
    }

    /// Refuses further records and, with `abort`, takes out all that is here.
    pub(crate) fn close(&self, abort: bool) -> Vec<OpenBatch> {
        let mut queue = lock(&self.queue);
        queue.is_closed = true;
        if !abort {
            return Vec::new();
        }
        let mut taken: Vec<_> = queue.full.drain(..).collect();
        taken.extend(queue.open.take());
        self.depth.fetch_sub(taken.len(), Ordering::Relaxed);
        taken
    }
}
