//! A producer's batch: while records are written into it, while it is sent, and what became of it.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use barnabas_records::{BatchBuilder, BatchRef, Compression, HEADER_LEN, RecordsError, Seal, patch, split};
use bytes::Bytes;

use crate::accumulator::{Accumulator, PartitionQueue};
use crate::buffer_pool::Lease;
use crate::sync::{AtomicBool, Mutex, OnceLock, Ordering, fence, lock};

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
    /// It was too large for the broker and was sent in parts: the first record and the outcome of each, in order.
    Parts(Arc<[(u32, Outcome)]>),
}

impl Outcome {
    /// What became of one record, and its number in what was written.
    pub fn of(&self, index: u32) -> (&Self, u32) {
        let Self::Parts(parts) = self else {
            return (self, index);
        };
        let after = parts.partition_point(|(first, _)| *first <= index);
        match after.checked_sub(1).and_then(|at| parts.get(at)) {
            Some((first, outcome)) => (outcome, index.saturating_sub(*first)),
            None => (self, index),
        }
    }

    /// Whether the broker has a record.
    pub fn is_acknowledged(&self, index: u32) -> bool {
        matches!(self.of(index).0, Self::Acknowledged { .. })
    }
}

/// A part of a batch that was split.
#[derive(Debug)]
struct Part {
    /// The batch that records' handles point to.
    whole: Arc<BatchState>,
    /// Its first record's number there.
    first: u32,
}

/// The parts of a batch, by the number of their first records.
type Parts = BTreeMap<u32, Option<Outcome>>;

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
    /// Somebody wants to be called when it is decided.
    is_watched: AtomicBool,
    part: Option<Part>,
    parts: Mutex<Parts>,
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
            is_watched: AtomicBool::new(false),
            part: None,
            parts: Mutex::default(),
            accumulator: Arc::downgrade(accumulator),
            queue: Arc::downgrade(queue),
        })
    }

    /// A part of this batch, or of the one that it is a part of itself, from one of its records on. It takes the place of
    /// what was there from that record on; the number keeps the order among all batches.
    fn part_from(self: &Arc<Self>, first: u32) -> Arc<Self> {
        let (whole, first) = match &self.part {
            Some(part) => (&part.whole, part.first.saturating_add(first)),
            None => (self, first),
        };
        lock(&whole.parts).insert(first, None);
        Arc::new(Self {
            topic: Arc::clone(&self.topic),
            partition: self.partition,
            id: whole.id.saturating_add(u64::from(first)),
            outcome: OnceLock::new(),
            is_watched: AtomicBool::new(false),
            part: Some(Part {
                whole: Arc::clone(whole),
                first,
            }),
            parts: Mutex::default(),
            accumulator: Weak::clone(&self.accumulator),
            queue: Weak::clone(&self.queue),
        })
    }

    /// Whose outcome is known now, and which: this batch's, or the whole's when its last part is decided.
    pub(crate) fn settle(self: &Arc<Self>, outcome: Outcome) -> Option<(&Arc<Self>, Outcome)> {
        let Some(Part { whole, first }) = &self.part else {
            return Some((self, outcome));
        };
        if self.outcome.set(outcome.clone()).is_err() {
            return None;
        }
        let mut parts = lock(&whole.parts);
        parts.insert(*first, Some(outcome));
        let decided: Option<Vec<_>> = parts
            .iter()
            .map(|(first, outcome)| outcome.clone().map(|outcome| (*first, outcome)))
            .collect();
        Some((whole, Outcome::Parts(decided?.into())))
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
    pub(crate) fn decide(self: &Arc<Self>, outcome: Outcome) -> bool {
        let is_first = self.outcome.set(outcome).is_ok();
        // Pairs with the fence in `watch`: either this sees the watcher, or the watcher sees the outcome.
        fence(Ordering::SeqCst);
        if is_first
            && self.is_watched.load(Ordering::Relaxed)
            && let Some(accumulator) = self.accumulator.upgrade()
        {
            accumulator.completion.list(Arc::clone(self));
        }
        is_first
    }

    /// Has the batch listed among the producer's [`Completions`] once it is decided, which may be now. It may be listed
    /// twice. False if the producer is gone, so that nobody will look at the list.
    ///
    /// [`Completions`]: crate::Completions
    pub fn watch(self: &Arc<Self>) -> bool {
        let Some(accumulator) = self.accumulator.upgrade() else {
            return false;
        };
        self.is_watched.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if self.outcome.get().is_some() {
            accumulator.completion.list(Arc::clone(self));
            accumulator.completion.ring();
        }
        true
    }

    /// What the producer's owner attached to it; `None` when the producer is gone.
    pub fn attachment(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.accumulator.upgrade()?.attachment.get().cloned()
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

#[cfg(test)]
impl OpenBatch {
    /// The values of its records, in order, as a reader of the sealed batch finds them.
    pub(crate) fn values(self) -> Vec<Vec<u8>> {
        let settings = SealSettings {
            compression: Compression::None,
            level: None,
            producer_id: -1,
            producer_epoch: -1,
            base_sequence: -1,
            ordinal: 0,
        };
        let sealed = self.seal(&settings, &mut Vec::new()).unwrap();
        let bytes = sealed.bytes();
        let batch = BatchRef::parse(&bytes).unwrap();
        batch.check_crc().unwrap();
        barnabas_records::RecordIter::new(&batch.header, batch.payload())
            .map(|record| record.unwrap().value.unwrap().to_vec())
            .collect()
    }
}

/// Most bytes that a batch which is to be split may decompress to: more than any batch is allowed to hold.
const SPLIT_BYTES_MAX: usize = 1 << 30;

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
    /// The batch in two or more parts of about half its size.
    pub(crate) fn halves(&self, level: Option<i32>) -> Result<Vec<Self>, RecordsError> {
        let bytes = self.lease.bytes();
        let whole = BatchRef::parse(bytes)?;
        let size = bytes.len().div_ceil(2) + HEADER_LEN;
        let mut parts = Vec::new();
        let mut first = 0_u32;
        for mut bytes in split(&whole, size, level, SPLIT_BYTES_MAX)? {
            patch::set_base_offset(&mut bytes, 0)?;
            let header = BatchRef::parse(&bytes)?.header;
            parts.push(Self {
                state: self.state.part_from(first),
                opened: self.opened,
                record_count: header.record_count,
                attempts: self.attempts,
                sequence: Sequence {
                    base: header.base_sequence,
                    ..self.sequence
                },
                ordinal: self.ordinal,
                lease: Arc::new(self.lease.beside(bytes)),
            });
            first = first.saturating_add(u32::try_from(header.record_count).unwrap_or(0));
        }
        Ok(parts)
    }

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
            // Rare: the connection failed in the middle of a write and has not been dropped yet.
            self.lease = Arc::new(self.lease.beside(self.lease.bytes().to_vec()));
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
