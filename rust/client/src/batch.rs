//! A producer's batch: while records are written into it, while it is sent, and what became of it.

use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use barnabas_records::{BatchBuilder, Compression, HEADER_LEN, RecordsError, Seal, patch};
use bytes::Bytes;

use crate::accumulator::{Accumulator, PartitionQueue};
use crate::buffer_pool::Lease;
use crate::lock::lock;

/// What became of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The broker has it.
    Acknowledged {
        /// Offset of the first record; -1 when the broker did not say (acks=0, or a duplicate of an old batch).
        base_offset: i64,
        /// The broker's timestamp for all records, -1 when they keep their own.
        log_append_time: i64,
    },
    /// It will not be tried again. After a timeout the broker may nevertheless have it.
    Failed {
        /// Why.
        failure: Failure,
        /// What happened.
        message: Arc<str>,
        /// How often it was sent.
        attempts: u32,
    },
}

/// Why a batch was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The broker refused it, with Kafka's error code.
    Refused(i16),
    /// `delivery.timeout.ms` passed.
    TimedOut,
    /// No more retries after lost connections.
    Lost,
    /// The producer was closed.
    Aborted,
    /// It could not be written.
    Invalid,
}

/// What the records of a batch share until, and after, it is done. Handles of records point here.
#[derive(Debug)]
pub struct BatchState {
    /// The topic.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    id: u64,
    outcome: OnceLock<Outcome>,
    accumulator: Weak<Accumulator>,
    queue: Weak<PartitionQueue>,
}

impl BatchState {
    pub(crate) fn new(id: u64, accumulator: &Arc<Accumulator>, queue: &Arc<PartitionQueue>) -> Arc<Self> {
        Arc::new(Self {
            topic: Arc::clone(&queue.topic),
            partition: queue.partition,
            id,
            outcome: OnceLock::new(),
            accumulator: Arc::downgrade(accumulator),
            queue: Arc::downgrade(queue),
        })
    }

    /// Its number among the producer's batches, in the order of their opening.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What became of it, once that is known.
    #[inline]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.get()
    }

    /// Decides the outcome, unless it was decided before. The caller rings the completion's bell afterwards, once for all.
    pub(crate) fn decide(&self, outcome: Outcome) -> bool {
        self.outcome.set(outcome).is_ok()
    }

    /// Somebody waits for this batch: it is sent now rather than after its linger.
    pub fn hurry(&self) {
        if self.outcome.get().is_none()
            && let (Some(accumulator), Some(queue)) = (self.accumulator.upgrade(), self.queue.upgrade())
        {
            accumulator.hurry(&queue, self);
        }
    }

    /// Waits up to `timeout` for the outcome.
    pub fn wait(&self, timeout: Duration) -> Option<&Outcome> {
        // Without an accumulator the producer is gone, and has decided all outcomes.
        if let Some(accumulator) = self.accumulator.upgrade() {
            accumulator.completion.wait(timeout, || self.outcome.get().is_some());
        }
        self.outcome.get()
    }
}

/// The bell for all who wait for batches of one producer.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    waiting: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Completion {
    /// Outcomes were decided.
    pub(crate) fn ring(&self) {
        // Pairs with the fence in `wait`: either this sees the waiter, or the waiter sees the outcome.
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) > 0 {
            // Taking the lock orders this ring after the waiter's last look.
            drop(lock(&self.lock));
            self.changed.notify_all();
        }
    }

    /// Waits up to `timeout` until `ready()`, looked at after every ring.
    pub(crate) fn wait(&self, timeout: Duration, mut ready: impl FnMut() -> bool) -> bool {
        if ready() {
            return true;
        }
        let deadline = Instant::now() + timeout;
        self.waiting.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let mut guard = lock(&self.lock);
        let done = loop {
            if ready() {
                break true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break false;
            }
            guard = self
                .changed
                .wait_timeout(guard, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        };
        drop(guard);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        done
    }
}

/// A batch that takes records.
#[derive(Debug)]
pub(crate) struct OpenBatch {
    pub(crate) builder: BatchBuilder,
    pub(crate) lease: Lease,
    pub(crate) state: Arc<BatchState>,
    pub(crate) opened: Instant,
}

impl OpenBatch {
    pub(crate) fn new(mut lease: Lease, state: Arc<BatchState>, now: Instant) -> Self {
        Self {
            builder: BatchBuilder::new(lease.take_buffer()),
            lease,
            state,
            opened: now,
        }
    }

    /// Closes the batch: compresses, writes the header, computes the checksum.
    pub(crate) fn seal(
        self,
        settings: &SealSettings,
        scratch: &mut Vec<u8>,
    ) -> Result<SealedBatch, (Arc<BatchState>, RecordsError)> {
        let Self {
            builder,
            mut lease,
            state,
            opened,
        } = self;
        let record_count = builder.record_count();
        let seal = Seal {
            compression: settings.compression,
            level: settings.level,
            producer_id: settings.producer_id,
            producer_epoch: settings.producer_epoch,
            base_sequence: settings.base_sequence,
            ..Seal::default()
        };
        match builder.finish(&seal, scratch) {
            Ok(bytes) => {
                lease.put(bytes);
                let sequence = Sequence {
                    producer_id: settings.producer_id,
                    producer_epoch: settings.producer_epoch,
                    base: settings.base_sequence,
                };
                Ok(SealedBatch {
                    state,
                    opened,
                    record_count,
                    attempts: 0,
                    sequence,
                    lease: Arc::new(lease),
                    ordinal: settings.ordinal,
                })
            }
            Err(error) => Err((state, error)),
        }
    }
}

/// What sealing needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SealSettings {
    pub(crate) compression: Compression,
    pub(crate) level: Option<i32>,
    pub(crate) producer_id: i64,
    pub(crate) producer_epoch: i16,
    pub(crate) base_sequence: i32,
    pub(crate) ordinal: u64,
}

/// Who wrote a batch, and where it stands in what they wrote to the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sequence {
    pub(crate) producer_id: i64,
    pub(crate) producer_epoch: i16,
    pub(crate) base: i32,
}

/// A batch as it goes over the wire.
#[derive(Debug)]
pub(crate) struct SealedBatch {
    pub(crate) state: Arc<BatchState>,
    pub(crate) opened: Instant,
    pub(crate) record_count: i32,
    pub(crate) attempts: u32,
    pub(crate) sequence: Sequence,
    /// Its place among the partition's numbered batches.
    pub(crate) ordinal: u64,
    lease: Arc<Lease>,
}

/// Keeps a batch's buffer alive while a connection writes it.
struct Borrowed(Arc<Lease>);

impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl SealedBatch {
    /// Its bytes, not copied.
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes::from_owner(Borrowed(Arc::clone(&self.lease)))
    }

    pub(crate) fn len(&self) -> usize {
        self.lease.bytes().len()
    }

    /// Writes another sequence into the batch. A connection that still writes the old bytes keeps them.
    pub(crate) fn set_sequence(&mut self, sequence: Sequence) -> Result<(), RecordsError> {
        if Arc::get_mut(&mut self.lease).is_none() {
            // Rare: the connection failed in the middle of a write and has not been dropped yet. The copy is not counted in
            // buffer.memory; there is at most one per batch in flight.
            let copy = crate::buffer_pool::BufferPool::new(usize::MAX)
                .try_take(self.len())
                .map(|mut lease| {
                    let mut buffer = lease.take_buffer();
                    buffer.extend_from_slice(self.lease.bytes());
                    lease.put(buffer);
                    lease
                });
            if let Some(copy) = copy {
                self.lease = Arc::new(copy);
            }
        }
        if let Some(lease) = Arc::get_mut(&mut self.lease) {
            patch::set_producer(
                lease.bytes_mut(),
                sequence.producer_id,
                sequence.producer_epoch,
                sequence.base,
            )?;
        }
        self.sequence = sequence;
        Ok(())
    }
}

/// Bytes of a batch before its records.
pub(crate) const BATCH_OVERHEAD: usize = HEADER_LEN;
