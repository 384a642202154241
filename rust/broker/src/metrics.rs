//! Counters of the data path. They are written without order and read as a picture of roughly one moment.

use std::sync::atomic::{AtomicU64, Ordering};

/// One counter.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `n`.
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// Adds a length.
    pub(crate) fn add_len(&self, n: usize) {
        self.add(u64::try_from(n).unwrap_or(u64::MAX));
    }

    /// Adds one.
    pub(crate) fn increment(&self) {
        self.add(1);
    }

    /// Takes one off.
    pub(crate) fn decrement(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// The value now.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The broker's counters.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Requests of any API.
    pub(crate) requests: Counter,
    /// Requests that could not be read or are not served; their connections were closed.
    pub(crate) refused_requests: Counter,
    /// Produce requests.
    pub(crate) produce_requests: Counter,
    /// Partitions of Produce requests that were refused.
    pub(crate) produce_errors: Counter,
    /// Bytes of record batches appended for clients.
    pub(crate) produce_bytes: Counter,
    /// Rounds of compaction that were completed.
    pub(crate) cleaner_rounds: Counter,
    /// Bytes of log that they read.
    pub(crate) cleaner_bytes_read: Counter,
    /// Bytes of log that they wrote.
    pub(crate) cleaner_bytes_written: Counter,
    /// Records that they removed.
    pub(crate) cleaner_records_removed: Counter,
    /// Batches that were in the log already.
    pub(crate) duplicate_batches: Counter,
    /// Fetch requests.
    pub(crate) fetch_requests: Counter,
    /// Bytes of record batches sent.
    pub(crate) fetch_bytes: Counter,
    /// Fetches waiting for data now.
    pub(crate) fetches_parked: Counter,
    /// Requests handed to the control plane.
    pub(crate) control_requests: Counter,
    /// Batches appended by the control plane.
    pub(crate) control_appends: Counter,
    /// Appends that ran on a helper thread because an append of their partition was slow before.
    pub(crate) appends_on_helpers: Counter,
    /// How often a partition became slow.
    pub(crate) partitions_slowed: Counter,
    /// Segments removed by retention.
    pub(crate) segments_deleted: Counter,
    /// Flushes of partition logs.
    pub(crate) flushes: Counter,
}
