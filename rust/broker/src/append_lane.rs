//! Where a partition's appends run: on the reactor as long as its disk keeps up, on helper threads while it does not.
//!
//! A write goes to the page cache, so that most appends are over in microseconds and a hop to another thread would cost
//! more than they do. When the kernel holds a writer back (too much is dirty, the journal is full, the disk is stuck), it
//! holds the thread: on a reactor that would be every connection. So the first slow append of a partition moves the
//! partition to a lane of its own, whose appends run on helpers, one at a time and in the order in which they came, until
//! [`FAST_IN_A_ROW`] of them were fast and none waits.
//!
//! | state | an append arrives | an append ends |
//! |---|---|---|
//! | fast | runs where it is | slow: the partition becomes slow |
//! | slow | waits in the lane; a helper is asked if none is at work | slow: the count begins anew; fast and the lane empty: counted, at [`FAST_IN_A_ROW`] the partition becomes fast |

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::helpers::Helpers;

/// Fast appends in a row after which a slow partition counts as fast: a disk at its limit takes most writes at once and
/// holds up one in many.
const FAST_IN_A_ROW: u32 = 64;

/// An append, given to the lane; it says how long it took.
pub(crate) type Job = Box<dyn FnOnce() -> Duration + Send>;

#[derive(Default)]
struct State {
    /// A helper is at work or asked for.
    running: bool,
    fast_in_a_row: u32,
    /// One per connection at most, since a connection executes one request at a time.
    waiting: VecDeque<Job>,
}

/// The lane of one partition.
#[derive(Default)]
pub(crate) struct AppendLane {
    slow: AtomicBool,
    state: Mutex<State>,
}

impl std::fmt::Debug for AppendLane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AppendLane")
            .field("slow", &self.slow)
            .finish_non_exhaustive()
    }
}

impl AppendLane {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the next append must not run on a reactor.
    pub(crate) fn is_slow(&self) -> bool {
        self.slow.load(Ordering::Acquire)
    }

    /// An append outside of the lane took this long; returns whether the partition has just become slow.
    pub(crate) fn note(&self, took: Duration, slow_from: Duration) -> bool {
        if took < slow_from {
            return false;
        }
        self.lock().fast_in_a_row = 0;
        !self.slow.swap(true, Ordering::AcqRel)
    }

    /// Runs `job` on a helper, after those that wait already.
    pub(crate) fn run(self: &Arc<Self>, helpers: &Arc<Helpers>, slow_from: Duration, job: Job) {
        let mut state = self.lock();
        state.waiting.push_back(job);
        if !std::mem::replace(&mut state.running, true) {
            drop(state);
            self.ask(helpers, slow_from);
        }
    }

    fn ask(self: &Arc<Self>, helpers: &Arc<Helpers>, slow_from: Duration) {
        let (lane, pool) = (Arc::clone(self), Arc::clone(helpers));
        helpers.run(move || lane.run_one(&pool, slow_from));
    }

    /// Runs one append and lets the other partitions' lanes have their turn before the next.
    fn run_one(self: &Arc<Self>, helpers: &Arc<Helpers>, slow_from: Duration) {
        let job = self.lock().waiting.pop_front();
        let took = job.map(|job| job());
        let mut state = self.lock();
        match took {
            Some(took) if took >= slow_from => state.fast_in_a_row = 0,
            Some(_) => state.fast_in_a_row += 1,
            None => {}
        }
        if !state.waiting.is_empty() {
            drop(state);
            self.ask(helpers, slow_from);
            return;
        }
        state.running = false;
        if state.fast_in_a_row >= FAST_IN_A_ROW {
            state.fast_in_a_row = 0;
            // Under the lock and with nothing waiting, so that no append of the lane is overtaken.
            self.slow.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const SLOW_FROM: Duration = Duration::from_millis(2);

    fn job(took: Duration, done: &mpsc::Sender<u32>, name: u32) -> Job {
        let done = done.clone();
        Box::new(move || {
            done.send(name).unwrap();
            took
        })
    }

    #[test]
    fn one_slow_append_makes_a_partition_slow_and_many_fast_ones_make_it_fast_again() {
        let (lane, helpers) = (Arc::new(AppendLane::default()), Arc::new(Helpers::new("test", 2)));
        let (sender, receiver) = mpsc::channel();
        assert!(!lane.note(Duration::from_millis(1), SLOW_FROM));
        assert!(!lane.is_slow());
        assert!(lane.note(SLOW_FROM, SLOW_FROM));
        assert!(!lane.note(SLOW_FROM, SLOW_FROM), "it was slow already");
        let run = |took| {
            lane.run(&helpers, SLOW_FROM, job(took, &sender, 0));
            receiver.recv().unwrap();
            // The helper has the lane until it has counted the append.
            while lane.lock().running {
                std::thread::yield_now();
            }
            lane.is_slow()
        };
        for _ in 1..FAST_IN_A_ROW {
            assert!(run(Duration::ZERO));
        }
        assert!(run(SLOW_FROM), "the count begins anew");
        for _ in 1..FAST_IN_A_ROW {
            assert!(run(Duration::ZERO));
        }
        assert!(!run(Duration::ZERO));
    }

    #[test]
    fn appends_run_in_order_and_a_stuck_lane_leaves_helpers_to_others() {
        let helpers = Arc::new(Helpers::new("test", 2));
        let (stuck, other) = (Arc::new(AppendLane::default()), Arc::new(AppendLane::default()));
        let (sender, receiver) = mpsc::channel();
        let (open, gate) = mpsc::channel::<()>();
        stuck.run(
            &helpers,
            SLOW_FROM,
            Box::new(move || {
                gate.recv().unwrap();
                SLOW_FROM
            }),
        );
        for name in 0..10 {
            stuck.run(&helpers, SLOW_FROM, job(SLOW_FROM, &sender, name));
        }
        other.run(&helpers, SLOW_FROM, job(SLOW_FROM, &sender, 100));
        assert_eq!(receiver.recv().unwrap(), 100);
        open.send(()).unwrap();
        let order: Vec<u32> = (0..10).map(|_| receiver.recv().unwrap()).collect();
        assert_eq!(order, (0..10).collect::<Vec<_>>());
    }
}
