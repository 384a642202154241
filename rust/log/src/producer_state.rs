//! What the log knows of idempotent and transactional producers, and its snapshot file.

use std::collections::{BTreeMap, HashMap};

use barnabas_records::{BatchHeader, NO_PRODUCER_EPOCH, NO_SEQUENCE, add_sequence, crc32c};

use crate::error::AppendError;
use crate::txn_index::AbortedTransaction;

/// Batches per producer that a repetition is recognised among: what a producer may have in flight.
pub(crate) const BATCHES_KEPT: usize = 5;

/// One appended batch of a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchNote {
    pub(crate) last_sequence: i32,
    pub(crate) last_offset: i64,
    pub(crate) offset_delta: i32,
    pub(crate) timestamp: i64,
}

impl BatchNote {
    fn of(header: &BatchHeader) -> Self {
        Self {
            last_sequence: header.last_sequence(),
            last_offset: header.last_offset(),
            offset_delta: header.last_offset_delta,
            timestamp: header.max_timestamp,
        }
    }

    pub(crate) fn first_sequence(&self) -> i32 {
        add_sequence(self.last_sequence, self.offset_delta.wrapping_neg())
    }

    pub(crate) fn first_offset(&self) -> i64 {
        self.last_offset - i64::from(self.offset_delta)
    }
}

/// One producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProducerEntry {
    pub(crate) epoch: i16,
    pub(crate) coordinator_epoch: i32,
    /// When it last wrote, what its expiry counts from.
    pub(crate) last_seen_ms: i64,
    /// First offset of its open transaction.
    pub(crate) transaction_start: Option<i64>,
    /// Oldest first, at most [`BATCHES_KEPT`].
    pub(crate) batches: Vec<BatchNote>,
}

impl ProducerEntry {
    fn new(epoch: i16) -> Self {
        Self {
            epoch,
            coordinator_epoch: -1,
            last_seen_ms: -1,
            transaction_start: None,
            batches: Vec::new(),
        }
    }

    fn last_sequence(&self) -> i32 {
        self.batches.last().map_or(NO_SEQUENCE, |batch| batch.last_sequence)
    }
}

/// End of a transaction, from a control batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) coordinator_epoch: i32,
    pub(crate) is_abort: bool,
}

/// A transaction that had records and was ended by a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CompletedTransaction {
    pub(crate) producer_id: i64,
    pub(crate) first_offset: i64,
    /// Offset of the marker.
    pub(crate) last_offset: i64,
    pub(crate) is_aborted: bool,
    /// First offset of the oldest transaction that is open behind it, or what follows the marker.
    pub(crate) last_stable_offset: i64,
}

impl CompletedTransaction {
    /// Its entry in the transaction index, if it was aborted.
    pub(crate) fn aborted(&self) -> Option<AbortedTransaction> {
        self.is_aborted.then_some(AbortedTransaction {
            producer_id: self.producer_id,
            first_offset: self.first_offset,
            last_offset: self.last_offset,
            last_stable_offset: self.last_stable_offset,
        })
    }
}

/// What compaction has to keep of a producer that may write again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastRecord {
    pub(crate) epoch: i16,
    /// Last offset of its last batch of data, if it wrote any in this epoch.
    pub(crate) last_data_offset: Option<i64>,
}

/// All producers of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProducerStates {
    producers: HashMap<i64, ProducerEntry>,
    /// Open transactions: first offset and producer.
    ongoing: BTreeMap<i64, i64>,
}

impl ProducerStates {
    pub(crate) fn is_empty(&self) -> bool {
        self.producers.is_empty()
    }

    /// The batch in the log that `header` repeats.
    pub(crate) fn duplicate(&self, header: &BatchHeader) -> Option<BatchNote> {
        let entry = self.producers.get(&header.producer_id)?;
        if entry.epoch != header.producer_epoch {
            return None;
        }
        let last_sequence = header.last_sequence();
        entry
            .batches
            .iter()
            .find(|batch| batch.first_sequence() == header.base_sequence && batch.last_sequence == last_sequence)
            .copied()
    }

    /// Whether a client's batch may follow. A producer that is not known may begin at any sequence (KIP-360): its
    /// state has expired or its records are deleted.
    pub(crate) fn check(&self, header: &BatchHeader) -> Result<(), AppendError> {
        let Some(entry) = self.producers.get(&header.producer_id) else {
            return Ok(());
        };
        let out_of_order = |last| AppendError::OutOfOrderSequence {
            producer_id: header.producer_id,
            producer_epoch: header.producer_epoch,
            last,
            found: header.base_sequence,
        };
        if header.producer_epoch < entry.epoch {
            return Err(AppendError::InvalidProducerEpoch {
                producer_id: header.producer_id,
                current: entry.epoch,
                found: header.producer_epoch,
            });
        }
        // Checked in Kafka's order: the sequence first.
        if entry.epoch != NO_PRODUCER_EPOCH {
            let (last, next) = if header.producer_epoch > entry.epoch {
                (NO_SEQUENCE, 0)
            } else {
                // It is -1 when the producer has only written markers, i32::MAX before the wrap: 0 follows both.
                let last = entry.last_sequence();
                (last, add_sequence(last, 1))
            };
            if header.base_sequence != next {
                return Err(out_of_order(last));
            }
        }
        if entry.transaction_start.is_some() && !header.is_transactional() {
            return Err(AppendError::NotTransactional {
                producer_id: header.producer_id,
            });
        }
        Ok(())
    }

    /// Whether a marker of the transaction coordinator may follow: neither the producer nor the coordinator may have
    /// been replaced meanwhile.
    pub(crate) fn check_marker(&self, header: &BatchHeader, marker: Marker) -> Result<(), AppendError> {
        let Some(entry) = self.producers.get(&header.producer_id) else {
            return Ok(());
        };
        if header.producer_epoch < entry.epoch {
            return Err(AppendError::InvalidProducerEpoch {
                producer_id: header.producer_id,
                current: entry.epoch,
                found: header.producer_epoch,
            });
        }
        if marker.coordinator_epoch < entry.coordinator_epoch {
            return Err(AppendError::CoordinatorFenced {
                producer_id: header.producer_id,
                current: entry.coordinator_epoch,
                found: marker.coordinator_epoch,
            });
        }
        Ok(())
    }

    /// Takes in a batch of the log; `marker` when it ends a transaction, which is returned if it had records.
    pub(crate) fn update(
        &mut self,
        header: &BatchHeader,
        marker: Option<Marker>,
        now_ms: i64,
    ) -> Option<CompletedTransaction> {
        if !header.has_producer() {
            return None;
        }
        let entry = self
            .producers
            .entry(header.producer_id)
            .or_insert_with(|| ProducerEntry::new(header.producer_epoch));
        if entry.epoch != header.producer_epoch {
            entry.epoch = header.producer_epoch;
            entry.batches.clear();
        }
        entry.last_seen_ms = now_ms;
        if header.is_control() {
            let marker = marker?;
            entry.coordinator_epoch = entry.coordinator_epoch.max(marker.coordinator_epoch);
            let first_offset = entry.transaction_start.take()?;
            self.ongoing.remove(&first_offset);
            let last_offset = header.last_offset();
            return Some(CompletedTransaction {
                producer_id: header.producer_id,
                first_offset,
                last_offset,
                is_aborted: marker.is_abort,
                last_stable_offset: self.first_unstable_offset().unwrap_or(last_offset + 1),
            });
        }
        if header.is_transactional() && entry.transaction_start.is_none() {
            entry.transaction_start = Some(header.base_offset);
            self.ongoing.insert(header.base_offset, header.producer_id);
        }
        if entry.batches.len() == BATCHES_KEPT {
            entry.batches.remove(0);
        }
        entry.batches.push(BatchNote::of(header));
        None
    }

    /// Puts an older batch, found in the log, before those known from a snapshot, which keeps only the last one.
    pub(crate) fn prepend(&mut self, header: &BatchHeader) {
        if !header.has_producer() || header.is_control() {
            return;
        }
        if let Some(entry) = self.producers.get_mut(&header.producer_id)
            && entry.epoch == header.producer_epoch
            && entry.batches.len() < BATCHES_KEPT
            && entry.batches.first().is_some_and(|first| {
                header.last_offset() < first.first_offset()
                    && add_sequence(header.last_sequence(), 1) == first.first_sequence()
            })
        {
            entry.batches.insert(0, BatchNote::of(header));
        }
    }

    /// First offset of the oldest open transaction.
    pub(crate) fn first_unstable_offset(&self) -> Option<i64> {
        self.ongoing.first_key_value().map(|(first_offset, _)| *first_offset)
    }

    /// What compaction has to keep of each producer.
    pub(crate) fn last_records(&self) -> HashMap<i64, LastRecord> {
        let last = |entry: &ProducerEntry| LastRecord {
            epoch: entry.epoch,
            last_data_offset: entry.batches.last().map(|batch| batch.last_offset),
        };
        self.producers
            .iter()
            .map(|(producer_id, entry)| (*producer_id, last(entry)))
            .collect()
    }

    /// Forgets producers that were idle for `expiration_ms`, unless a transaction is open.
    pub(crate) fn expire(&mut self, now_ms: i64, expiration_ms: i64) {
        self.producers.retain(|_, entry| {
            entry.transaction_start.is_some() || now_ms.saturating_sub(entry.last_seen_ms) < expiration_ms
        });
    }

    /// Kafka's snapshot, version 1.
    pub(crate) fn to_snapshot(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(4 + self.producers.len() * ENTRY_LEN);
        body.extend_from_slice(&u32::try_from(self.producers.len()).unwrap_or(u32::MAX).to_be_bytes());
        for (producer_id, entry) in self.producers.iter().collect::<BTreeMap<_, _>>() {
            let last = entry.batches.last();
            body.extend_from_slice(&producer_id.to_be_bytes());
            body.extend_from_slice(&entry.epoch.to_be_bytes());
            body.extend_from_slice(&entry.last_sequence().to_be_bytes());
            body.extend_from_slice(&last.map_or(-1, |batch| batch.last_offset).to_be_bytes());
            body.extend_from_slice(&last.map_or(0, |batch| batch.offset_delta).to_be_bytes());
            body.extend_from_slice(&entry.last_seen_ms.to_be_bytes());
            body.extend_from_slice(&entry.coordinator_epoch.to_be_bytes());
            body.extend_from_slice(&entry.transaction_start.unwrap_or(-1).to_be_bytes());
        }
        let mut snapshot = Vec::with_capacity(HEADER_LEN + body.len());
        snapshot.extend_from_slice(&SNAPSHOT_VERSION.to_be_bytes());
        snapshot.extend_from_slice(&crc32c(&body).to_be_bytes());
        snapshot.extend_from_slice(&body);
        snapshot
    }

    /// Reads a snapshot; `None` when it is cut, corrupt or of another version.
    pub(crate) fn from_snapshot(bytes: &[u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first_chunk::<2>()?;
        let (crc, body) = rest.split_first_chunk::<4>()?;
        if i16::from_be_bytes(*version) != SNAPSHOT_VERSION || u32::from_be_bytes(*crc) != crc32c(body) {
            return None;
        }
        let (count, entries) = body.split_first_chunk::<4>()?;
        let count = usize::try_from(u32::from_be_bytes(*count)).ok()?;
        if entries.len() != count.checked_mul(ENTRY_LEN)? {
            return None;
        }
        let producers = entries
            .chunks_exact(ENTRY_LEN)
            .map(parse_entry)
            .collect::<Option<HashMap<_, _>>>()?;
        let start = |(producer_id, entry): (&i64, &ProducerEntry)| Some((entry.transaction_start?, *producer_id));
        let ongoing = producers.iter().filter_map(start).collect();
        (producers.len() == count).then_some(Self { producers, ongoing })
    }
}

const SNAPSHOT_VERSION: i16 = 1;
const HEADER_LEN: usize = 6;
const ENTRY_LEN: usize = 8 + 2 + 4 + 8 + 4 + 8 + 4 + 8;
/// Greatest snapshot that is read: ten million producers.
pub(crate) const SNAPSHOT_BYTES_MAX: usize = 10_000_000 * ENTRY_LEN;

fn parse_entry(mut bytes: &[u8]) -> Option<(i64, ProducerEntry)> {
    fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
        let (first, rest) = bytes.split_first_chunk::<N>()?;
        *bytes = rest;
        Some(*first)
    }
    let bytes = &mut bytes;
    let producer_id = i64::from_be_bytes(take(bytes)?);
    let epoch = i16::from_be_bytes(take(bytes)?);
    let last_sequence = i32::from_be_bytes(take(bytes)?);
    let last_offset = i64::from_be_bytes(take(bytes)?);
    let offset_delta = i32::from_be_bytes(take(bytes)?);
    let timestamp = i64::from_be_bytes(take(bytes)?);
    let coordinator_epoch = i32::from_be_bytes(take(bytes)?);
    let transaction_start = i64::from_be_bytes(take(bytes)?);
    let last = (last_offset >= 0).then_some(BatchNote {
        last_sequence,
        last_offset,
        offset_delta,
        timestamp,
    });
    let entry = ProducerEntry {
        epoch,
        coordinator_epoch,
        last_seen_ms: timestamp,
        transaction_start: (transaction_start >= 0).then_some(transaction_start),
        batches: last.into_iter().collect(),
    };
    Some((producer_id, entry))
}
