//! Wakes the I/O thread, and only when it sleeps past the time at which something is to be done.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::sync::Notify;

/// Not parked: the I/O thread will look at everything before it parks.
const RUNNING: u64 = 0;

/// The I/O thread's bell.
///
/// The race it settles: a user's thread publishes work, counts it in `work`, then reads `parked_until`; the I/O thread writes
/// `parked_until`, then reads `work`. All four are sequentially consistent, so at least one of them sees the other's write:
/// either the user's thread rings, or the I/O thread finds new work before it sleeps.
#[derive(Debug)]
pub(crate) struct Waker {
    base: Instant,
    /// Counts calls.
    work: AtomicU64,
    /// Nanoseconds after `base` at which the I/O thread wakes by itself, or `RUNNING`.
    parked_until: AtomicU64,
    notify: Notify,
}

impl Waker {
    pub(crate) fn new() -> Self {
        let base = Instant::now();
        Self {
            base,
            work: AtomicU64::new(0),
            parked_until: AtomicU64::new(RUNNING),
            notify: Notify::new(),
        }
    }

    /// There is work now. To be called after the work was published.
    pub(crate) fn wake(&self) {
        self.wake_if(|_| true);
    }

    /// There is work at `time`. To be called after the work was published.
    pub(crate) fn wake_by(&self, time: Instant) {
        let time = self.nanos(time);
        self.wake_if(|parked_until| time < parked_until);
    }

    fn wake_if(&self, needed: impl Fn(u64) -> bool) {
        self.work.fetch_add(1, Ordering::SeqCst);
        let parked_until = self.parked_until.load(Ordering::SeqCst);
        if parked_until != RUNNING
            && needed(parked_until)
            && self
                .parked_until
                .compare_exchange(parked_until, RUNNING, Ordering::SeqCst, Ordering::Relaxed)
                .is_ok()
        {
            self.notify.notify_one();
        }
    }

    /// Whether the I/O thread sleeps.
    pub(crate) fn is_parked(&self) -> bool {
        self.parked_until.load(Ordering::SeqCst) != RUNNING
    }

    /// I/O thread: how much work was announced. To be called before a round looks for it.
    pub(crate) fn work(&self) -> u64 {
        self.work.load(Ordering::SeqCst)
    }

    /// I/O thread: will sleep until then. False if work was announced after `seen`: then it must look again first.
    pub(crate) fn try_park(&self, time: Option<Instant>, seen: u64) -> bool {
        let until = time.map_or(u64::MAX, |time| self.nanos(time).max(RUNNING + 1));
        self.parked_until.store(until, Ordering::SeqCst);
        let may_sleep = self.work() == seen;
        if !may_sleep {
            self.unpark();
        }
        may_sleep
    }

    /// I/O thread: awake.
    pub(crate) fn unpark(&self) {
        self.parked_until.store(RUNNING, Ordering::SeqCst);
    }

    /// I/O thread: resolves when the bell was rung.
    pub(crate) async fn rung(&self) {
        self.notify.notified().await;
    }

    fn nanos(&self, time: Instant) -> u64 {
        u64::try_from(time.saturating_duration_since(self.base).as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn is_rung(waker: &Waker) -> bool {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async { tokio::time::timeout(Duration::ZERO, waker.rung()).await.is_ok() })
    }

    #[test]
    fn a_running_thread_is_not_rung_and_a_parked_one_once() {
        let waker = Waker::new();
        waker.wake();
        assert!(!is_rung(&waker));
        assert!(waker.try_park(None, waker.work()));
        waker.wake();
        assert!(is_rung(&waker));
        waker.wake();
        assert!(!is_rung(&waker));
    }

    #[test]
    fn work_that_comes_before_parking_is_seen() {
        let waker = Waker::new();
        let seen = waker.work();
        waker.wake_by(Instant::now() + Duration::from_secs(1));
        assert!(!waker.try_park(None, seen));
        assert!(!is_rung(&waker));
    }

    #[test]
    fn work_that_is_due_after_the_thread_wakes_anyway_does_not_ring() {
        let waker = Waker::new();
        let now = Instant::now();
        assert!(waker.try_park(Some(now + Duration::from_millis(10)), 0));
        waker.wake_by(now + Duration::from_millis(20));
        assert!(!is_rung(&waker));
        waker.wake_by(now + Duration::from_millis(5));
        assert!(is_rung(&waker));
    }
}
