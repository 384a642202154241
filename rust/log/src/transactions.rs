//! Transactions as readers see them: what is stable, and what was aborted.
//!
//! A transaction keeps the last stable offset at its first record as long as it is open, and then until its marker is
//! below the high watermark: a marker that could still be lost has decided nothing.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::env::lock;
use crate::error::LogError;
use crate::partition_log::{PartitionLog, ReadSlice, Segments};
use crate::producer_state::CompletedTransaction;
use crate::scan::{HeaderScan, ScanError};
use crate::txn_index::AbortedTransaction;

/// Transactions whose marker is in the log, but not below the high watermark.
#[derive(Debug)]
pub(crate) struct Unreplicated {
    /// Offset of the marker by the transaction's first offset.
    transactions: Mutex<BTreeMap<i64, i64>>,
    /// The first first offset, `i64::MAX` when there is none.
    first_offset: AtomicI64,
}

impl Default for Unreplicated {
    fn default() -> Self {
        Self {
            transactions: Mutex::default(),
            first_offset: AtomicI64::new(i64::MAX),
        }
    }
}

impl Unreplicated {
    pub(crate) fn first_offset(&self) -> i64 {
        self.first_offset.load(Ordering::Acquire)
    }

    pub(crate) fn add(&self, completed: &CompletedTransaction) {
        self.change(|transactions| {
            transactions.insert(completed.first_offset, completed.last_offset);
        });
    }

    /// Forgets what the high watermark has passed.
    pub(crate) fn pass(&self, high_watermark: i64) {
        if self.first_offset() < i64::MAX {
            self.change(|transactions| transactions.retain(|_, last_offset| *last_offset >= high_watermark));
        }
    }

    /// Forgets what a truncation has cut off.
    pub(crate) fn truncate_to(&self, end_offset: i64) {
        if self.first_offset() < i64::MAX {
            self.change(|transactions| transactions.retain(|_, last_offset| *last_offset < end_offset));
        }
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<i64, i64>)) {
        let mut transactions = lock(&self.transactions);
        change(&mut transactions);
        let first = transactions
            .first_key_value()
            .map_or(i64::MAX, |(first_offset, _)| *first_offset);
        self.first_offset.store(first, Ordering::Release);
    }
}

impl PartitionLog {
    /// Offsets below this are below the high watermark and belong to no transaction that is open or could become it
    /// again.
    pub fn last_stable_offset(&self) -> i64 {
        // In this order: a transaction that ends is noted as unreplicated before it is no longer noted as open.
        let high_watermark = self.high_watermark();
        let open = self.first_unstable_offset.load(Ordering::Acquire);
        let unstable = open.min(self.unreplicated.first_offset());
        // Deletion can have taken the beginning of an open transaction.
        high_watermark.min(unstable.max(self.log_start_offset()))
    }

    /// Notes the end of a transaction, under the append lock and before its marker is published.
    pub(crate) fn complete_transaction(&self, completed: &CompletedTransaction) -> Result<(), LogError> {
        self.unreplicated.add(completed);
        match (completed.aborted(), self.segments().last()) {
            (Some(aborted), Some(active)) => {
                active.txn_index.append(&aborted)?;
                // Behind the write, so that no flush clears the marks and misses it.
                active.mark_unsynced();
                self.names_unsynced.store(true, Ordering::Release);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// As [`aborted_transactions`](Self::aborted_transactions), for the range from `from` to the end of what was read.
    pub fn aborted_transactions_in(&self, from: i64, slice: &ReadSlice) -> Result<Vec<AbortedTransaction>, LogError> {
        let segments = self.segments();
        let first = segments
            .partition_point(|segment| segment.base_offset <= from)
            .saturating_sub(1);
        let behind = segments.get(first..).unwrap_or_default();
        if slice.is_empty() || behind.iter().all(|segment| segment.txn_index.count() == 0) {
            return Ok(Vec::new());
        }
        let mut up_to = from;
        let mut scan = HeaderScan::new(slice.file.as_ref(), slice.position, slice.position + slice.len as u64);
        while let Some((_, header)) = scan.next().map_err(|error| match error {
            ScanError::Io(error) => LogError::io("read a segment of", &self.dir, error),
            ScanError::Bad { position, reason } => LogError::Damaged {
                path: self.dir.clone(),
                position,
                reason,
            },
        })? {
            up_to = header.next_offset();
        }
        self.aborted_transactions(from, up_to)
    }

    /// Aborted transactions with records in `from..up_to`, as a `read_committed` fetch of that range needs them, in the
    /// order of their markers.
    pub fn aborted_transactions(&self, from: i64, up_to: i64) -> Result<Vec<AbortedTransaction>, LogError> {
        self.reading(|segments, _| find_aborted(segments, from, up_to))
    }
}

fn find_aborted(segments: &Segments, from: i64, up_to: i64) -> Result<Vec<AbortedTransaction>, LogError> {
    let first = segments
        .partition_point(|segment| segment.base_offset <= from)
        .saturating_sub(1);
    let mut aborted = Vec::new();
    let mut is_complete = false;
    for segment in segments.get(first..).unwrap_or_default() {
        segment.txn_index.visit(|entry| {
            if entry.last_offset >= from && entry.first_offset < up_to {
                aborted.push(entry);
            }
            // No transaction that ends behind it has records below that offset.
            is_complete = entry.last_stable_offset >= up_to;
            !is_complete
        })?;
        if is_complete {
            break;
        }
    }
    Ok(aborted)
}
