//! What a partition must hold: all that was appended, what of it is flushed, deleted, truncated.

use std::collections::BTreeMap;
use std::sync::Arc;

use barnabas_records::{add_sequence, control_type};

use crate::tests::stored::Stored;

/// A partition as the harness knows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    /// Every batch between the oldest start and the end, also those that compaction has rewritten.
    pub(super) batches: Vec<Arc<Stored>>,
    pub(super) start: i64,
    /// A start at or above this one may come back after a crash: nobody wrote the later one down.
    pub(super) start_on_disk: i64,
    pub(super) end: i64,
    /// Everything below was made durable, by the log's own account.
    pub(super) flushed: i64,
    /// Producers that last wrote below may be unknown: power was lost when that was deleted already.
    pub(super) unsure_below: i64,
    /// The same of open transactions.
    pub(super) unsure_stable: bool,
    /// What was deleted and came back has no leader epoch, as in Kafka.
    pub(super) unsure_epochs_below: i64,
    /// Its directory was deleted, durably, or never made.
    pub(super) absent: bool,
}

/// What is known of one producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Producer {
    pub(super) epoch: i16,
    pub(super) next_sequence: i32,
    pub(super) transactional: bool,
    /// First offset of the open transaction.
    pub(super) open: Option<i64>,
    /// First sequence, record count and base offset of its data batches.
    pub(super) batches: Vec<(i32, i32, i64)>,
}

impl Model {
    pub(super) fn push(&mut self, batch: Stored) {
        assert_eq!(batch.base_offset, self.end);
        self.end = batch.next_offset();
        self.absent = false;
        self.batches.push(Arc::new(batch));
    }

    /// Forgets everything from `end` on.
    pub(super) fn truncate(&mut self, end: i64) {
        self.batches.retain(|batch| batch.last_offset < end);
        self.end = end;
        self.flushed = self.flushed.min(end);
        self.start = self.start.min(end);
        self.start_on_disk = self.start_on_disk.min(end);
        self.unsure_epochs_below = self.unsure_epochs_below.min(end);
    }

    pub(super) fn producers(&self) -> BTreeMap<i64, Producer> {
        let mut producers = BTreeMap::new();
        for batch in self.batches.iter().filter(|batch| batch.producer_id >= 0) {
            let producer = producers.entry(batch.producer_id).or_insert_with(|| Producer {
                epoch: batch.producer_epoch,
                next_sequence: 0,
                transactional: batch.transactional,
                open: None,
                batches: Vec::new(),
            });
            if batch.marker.is_some() {
                producer.open = None;
                continue;
            }
            let count = i32::try_from(batch.next_offset() - batch.base_offset).unwrap();
            producer.batches.push((batch.base_sequence, count, batch.base_offset));
            producer.next_sequence = add_sequence(batch.base_sequence, count);
            if batch.transactional {
                producer.open.get_or_insert(batch.base_offset);
            }
        }
        producers
    }

    /// First offset of the oldest open transaction.
    pub(super) fn first_unstable(&self) -> Option<i64> {
        self.producers().values().filter_map(|producer| producer.open).min()
    }

    /// Base offsets of the data batches of aborted transactions, by producer, with the marker's offset.
    pub(super) fn aborted(&self) -> Vec<(i64, i64, i64)> {
        let mut open: BTreeMap<i64, i64> = BTreeMap::new();
        let mut aborted = Vec::new();
        for batch in self.batches.iter().filter(|batch| batch.transactional) {
            match batch.marker {
                None => {
                    open.entry(batch.producer_id).or_insert(batch.base_offset);
                }
                Some(marker) => {
                    if let (Some(first), true) = (
                        open.remove(&batch.producer_id),
                        marker.control_type == control_type::ABORT,
                    ) {
                        aborted.push((batch.producer_id, first, batch.base_offset));
                    }
                }
            }
        }
        aborted
    }

    /// Whether `batch` belongs to an aborted transaction.
    pub(super) fn is_aborted(aborted: &[(i64, i64, i64)], batch: &Stored) -> bool {
        batch.transactional
            && aborted.iter().any(|(producer_id, first, marker)| {
                *producer_id == batch.producer_id && (*first..*marker).contains(&batch.base_offset)
            })
    }

    /// First offset of each leader epoch from `start` on.
    pub(super) fn epochs(&self, start: i64) -> Vec<(i32, i64)> {
        let mut epochs: Vec<(i32, i64)> = Vec::new();
        for batch in self.batches.iter().filter(|batch| batch.last_offset >= start) {
            if epochs.last().is_none_or(|(epoch, _)| *epoch < batch.leader_epoch) {
                epochs.push((batch.leader_epoch, batch.base_offset.max(start)));
            }
        }
        epochs
    }
}
