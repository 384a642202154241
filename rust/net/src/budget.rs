//! A bound on the bytes of requests that are read or executed at once, over all connections (`queued.max.request.bytes`).
//!
//! As Kafka's memory pool, it gives what is asked for while anything is left, so that the bound may be passed by one request;
//! after that nothing is read until requests are done.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::sync::Notify;

/// The bytes that are left.
#[derive(Debug)]
pub(crate) struct Budget {
    left: AtomicI64,
    freed: Notify,
}

/// Bytes of one request; they come back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Arc<Budget>,
    bytes: i64,
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            left: AtomicI64::new(i64::try_from(bytes).unwrap_or(i64::MAX)),
            freed: Notify::new(),
        })
    }

    /// Takes `bytes` if anything is left.
    pub(crate) fn try_take(self: &Arc<Self>, bytes: usize) -> Option<Share> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let taken = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            (left > 0).then(|| left.saturating_sub(bytes))
        });
        taken.ok().map(|_| Share {
            budget: Arc::clone(self),
            bytes,
        })
    }

    /// Waits until something is left and takes `bytes`.
    pub(crate) async fn take(self: &Arc<Self>, bytes: usize) -> Share {
        loop {
            let freed = self.freed.notified();
            if let Some(share) = self.try_take(bytes) {
                return share;
            }
            freed.await;
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.left.fetch_add(self.bytes, Ordering::SeqCst);
        self.budget.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_given_and_one_may_pass_the_bound() {
        let budget = Budget::new(100);
        let first = budget.try_take(99).unwrap();
        let second = budget.try_take(1000).unwrap();
        assert!(budget.try_take(1).is_none());
        drop(first);
        assert!(budget.try_take(1).is_none(), "900 are still owed");
        drop(second);
        let all = budget.try_take(100).unwrap();
        assert!(budget.try_take(1).is_none());
        drop(all);
        assert!(budget.try_take(1).is_some());
    }
}
