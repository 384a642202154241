//! What a producer's owner waits with: the list of decided batches, and flushes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Producer, ProducerShared};
use crate::batch::BatchState;
use crate::completion::Completion;
use crate::error::ClientError;

/// Watched batches of a producer that have an outcome, and the bell of an event loop that waits for them.
#[derive(Clone, Debug)]
pub struct Completions(pub(super) Arc<Completion>);

impl Completions {
    /// Takes the listed batches; the next one that is listed rings the bell.
    pub fn take(&self) -> Vec<Arc<BatchState>> {
        self.0.take()
    }

    /// Waits for listed batches; `None` when the producer is closed and nothing is left.
    pub fn wait_and_take(&self) -> Option<Vec<Arc<BatchState>>> {
        self.0.wait_and_take()
    }

    /// Ends the wait of [`wait_and_take`](Self::wait_and_take) once the list is empty.
    pub fn close(&self) {
        self.0.close();
    }

    /// A line to an event loop: it becomes readable once for each [`take`](Self::take) or [`arm_bell`](Self::arm_bell) that
    /// something follows.
    ///
    /// # Errors
    /// The operating system gives no socket pair.
    pub fn bell(&self) -> Result<std::os::fd::OwnedFd, ClientError> {
        let line = self.0.bell();
        line.map_err(|error| ClientError::IllegalState(format!("no socket pair for the event loop: {error}")))
    }

    /// Arms the bell. False if there is something to look at already.
    pub fn arm_bell(&self) -> bool {
        self.0.arm_bell()
    }

    /// Rings the bell.
    pub fn poke(&self) {
        self.0.poke();
    }
}

/// A flush that an event loop waits for.
#[derive(Debug)]
pub struct PendingFlush {
    pub(super) shared: Arc<ProducerShared>,
    pub(super) below: u64,
}

impl PendingFlush {
    /// Whether every batch that was open at the beginning has its outcome.
    pub fn is_done(&self) -> bool {
        self.shared.accumulator.is_complete_below(self.below)
    }
}

impl Drop for PendingFlush {
    fn drop(&mut self) {
        self.shared.flushing.fetch_sub(1, Ordering::AcqRel);
        self.shared.accumulator.completion.unlisten();
    }
}

/// A flush that is going on.
#[derive(Debug)]
pub struct Flush<'p> {
    pub(super) producer: &'p Producer,
    pub(super) below: u64,
}

impl Flush<'_> {
    /// Waits up to `timeout`; whether every batch that was open at the beginning has its outcome.
    pub fn wait(&self, timeout: Duration) -> bool {
        let accumulator = &self.producer.shared.accumulator;
        accumulator
            .completion
            .wait(timeout, || accumulator.is_complete_below(self.below))
    }
}

impl Drop for Flush<'_> {
    fn drop(&mut self) {
        self.producer.shared.flushing.fetch_sub(1, Ordering::AcqRel);
    }
}
