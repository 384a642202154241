//! What a walk over batches knows of the transactions that they belong to: Kafka's `CleanedTransactionMetadata`.

use std::collections::{BTreeMap, HashMap, HashSet};

use barnabas_records::{BatchHeader, BatchRef, RecordIter, control_type};

use crate::txn_index::AbortedTransaction;
use crate::validate::DECOMPRESSED_BYTES_MAX;

#[derive(Debug)]
struct Ongoing {
    transaction: AbortedTransaction,
    /// A batch of it was met, which stands before the marker still.
    is_observed: bool,
}

/// Follows the transactions of a log from batch to batch.
#[derive(Debug, Default)]
pub(crate) struct CleanedTransactions {
    /// Producers with batches of a transaction that was not aborted.
    committed: HashSet<i64>,
    /// By producer.
    aborted: HashMap<i64, Ongoing>,
    /// Aborted transactions that the walk has not reached, by first offset and producer.
    ahead: BTreeMap<(i64, i64), AbortedTransaction>,
}

/// What a marker means to a cleaner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkerFate {
    /// No batch of its transaction is left before it, so that it may go in time.
    pub(crate) may_go: bool,
    /// The aborted transaction that it ends, whose entry in the index has to stay.
    pub(crate) keeps: Option<AbortedTransaction>,
}

impl CleanedTransactions {
    /// Tells of transactions that were aborted, before the walk comes to them.
    pub(crate) fn add_aborted(&mut self, transaction: AbortedTransaction) {
        self.ahead
            .insert((transaction.first_offset, transaction.producer_id), transaction);
    }

    fn reach(&mut self, offset: i64) {
        while let Some(first) = self.ahead.first_entry() {
            if first.key().0 > offset {
                return;
            }
            let transaction = first.remove();
            self.aborted.entry(transaction.producer_id).or_insert(Ongoing {
                transaction,
                is_observed: false,
            });
        }
    }

    /// Takes in a data batch; says whether its records were aborted.
    pub(crate) fn on_batch(&mut self, header: &BatchHeader) -> bool {
        self.reach(header.last_offset());
        if !header.is_transactional() {
            return false;
        }
        if let Some(ongoing) = self.aborted.get_mut(&header.producer_id) {
            ongoing.is_observed = true;
            true
        } else {
            self.committed.insert(header.producer_id);
            false
        }
    }

    /// Takes in a control batch.
    pub(crate) fn on_control_batch(&mut self, batch: &BatchRef<'_>) -> MarkerFate {
        let header = &batch.header;
        self.reach(header.last_offset());
        let fate = |may_go| MarkerFate { may_go, keeps: None };
        match control_type_of(batch) {
            // An empty control batch was cleaned before.
            None if header.record_count == 0 => fate(true),
            Some(control_type::ABORT) => match self.aborted.remove(&header.producer_id) {
                Some(ongoing) if ongoing.is_observed => MarkerFate {
                    may_go: false,
                    keeps: Some(ongoing.transaction),
                },
                _ => fate(true),
            },
            Some(control_type::COMMIT) => fate(!self.committed.remove(&header.producer_id)),
            _ => fate(false),
        }
    }
}

/// The type of the first record of a control batch.
fn control_type_of(batch: &BatchRef<'_>) -> Option<i16> {
    let mut scratch = Vec::new();
    let payload = batch.decompress_into(&mut scratch, DECOMPRESSED_BYTES_MAX).ok()?;
    let record = RecordIter::new(&batch.header, payload).next()?.ok()?;
    Some(barnabas_records::ControlKey::parse(record.key?).ok()?.control_type)
}
