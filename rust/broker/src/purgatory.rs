//! Requests that wait for a partition's high watermark: parked fetches and appends that are not committed yet.
//!
//! A waiting request registers with its partitions *before* it looks at them for the last time, and an append moves
//! the high watermark *before* it looks for waiters, so that no wake-up is lost. The append itself does the waking;
//! there is no thread in between. A request that is dropped (its connection closed) takes itself out.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::partition::Partition;

/// One waiting request.
#[derive(Debug)]
pub(crate) struct Waiter {
    wake: Notify,
    /// Bytes that must still be appended before looking again is worth it.
    missing: AtomicI64,
}

impl Waiter {
    fn arrived(&self, bytes: i64) {
        if self.missing.fetch_sub(bytes, Ordering::AcqRel) <= bytes {
            self.wake.notify_one();
        }
    }
}

/// The waiting requests of one partition.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    by_id: Mutex<HashMap<usize, Arc<Waiter>>>,
}

impl Waiters {
    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Arc<Waiter>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The high watermark has moved over `bytes`.
    pub(crate) fn arrived(&self, bytes: usize) {
        let waiters = self.lock();
        if !waiters.is_empty() {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX).max(1);
            waiters.values().for_each(|waiter| waiter.arrived(bytes));
        }
    }

    /// Something else has changed (leadership, deletion, shutdown): everyone looks again.
    pub(crate) fn wake_all(&self) {
        self.lock().values().for_each(|waiter| waiter.arrived(i64::MAX));
    }
}

/// A registration with some partitions, ended by dropping it.
#[derive(Debug)]
pub(crate) struct Parked {
    waiter: Arc<Waiter>,
    partitions: Vec<Arc<Partition>>,
}

impl Parked {
    /// Registers with all of `partitions`; woken once `missing` bytes have arrived in them together.
    pub(crate) fn new(partitions: Vec<Arc<Partition>>, missing: usize) -> Self {
        let waiter = Arc::new(Waiter {
            wake: Notify::new(),
            missing: AtomicI64::new(0),
        });
        let parked = Self { waiter, partitions };
        parked.expect(missing);
        for partition in &parked.partitions {
            partition.waiters.lock().insert(parked.id(), Arc::clone(&parked.waiter));
        }
        parked
    }

    /// Sets how many bytes must arrive from now on. The caller looks at the partitions after this and before it waits.
    pub(crate) fn expect(&self, missing: usize) {
        self.waiter
            .missing
            .store(i64::try_from(missing).unwrap_or(i64::MAX).max(1), Ordering::Release);
    }

    /// Waits until enough has arrived or something else has changed.
    pub(crate) async fn woken(&self) {
        self.waiter.wake.notified().await;
    }

    /// Unique among the waiters that are registered now.
    fn id(&self) -> usize {
        Arc::as_ptr(&self.waiter).addr()
    }
}

impl Drop for Parked {
    fn drop(&mut self) {
        let id = self.id();
        for partition in &self.partitions {
            partition.waiters.lock().remove(&id);
        }
    }
}
