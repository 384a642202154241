//! How much a thread writes at once, and when a thread that works for long lets others have its core.
//!
//! A kernel that does not preempt itself takes no core away in the middle of a call, so that others wait for as long as a
//! piece takes: some 50 µs, or a millisecond where the host of a virtual machine has taken the memory back and each page
//! is fetched anew. Nor does Linux take it away between two calls if who was woken has just had a little more than its
//! share, as a reactor has that read a megabyte: that one waits until the writer sleeps, or for the tick, up to 4 ms. So a
//! thread that gives way writes as much at once as takes little time, and offers its core whenever it has worked for that
//! long.

use std::cell::Cell;
use std::time::Duration;

/// How much is written at once, and what the ends of such pieces are multiples of. The page cache takes each aligned piece
/// as one large page: where a piece begins and ends in between, as batches do, it is cut into many small ones, and each
/// costs as much as a large one. Larger pieces gain no more.
pub(crate) const BYTES_MAX: usize = 256 * 1024;
/// A piece is no smaller, whatever it takes: half as much costs a quarter more of CPU per byte.
const BYTES_MIN: usize = 32 * 1024;
/// What is shorter says nothing about the memory, and is not worth the reading of the clock.
const BYTES_TIMED: usize = 16 * 1024;
/// A piece takes no longer than this, and after as much work the core is offered.
const TIME_MAX: Duration = Duration::from_micros(100);
/// So many pieces in a row that would have taken half of that at twice their size, and they are larger again.
const FAST_IN_A_ROW: u32 = 64;

/// What a thread that gives way knows of its writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pieces {
    /// A power of two.
    bytes: usize,
    fast_in_a_row: u32,
    /// CPU time since the core was last offered.
    worked: Duration,
}

impl Pieces {
    const NEW: Self = Self {
        bytes: BYTES_MAX,
        fast_in_a_row: 0,
        worked: Duration::ZERO,
    };

    /// A piece took this much of the processor; says whether to offer the core now.
    fn note(&mut self, took: Duration) -> bool {
        if took > TIME_MAX {
            self.bytes = (self.bytes / 2).max(BYTES_MIN);
            self.fast_in_a_row = 0;
        } else if took < TIME_MAX / 2 {
            self.fast_in_a_row += 1;
            if self.fast_in_a_row >= FAST_IN_A_ROW {
                self.bytes = (self.bytes * 2).min(BYTES_MAX);
                self.fast_in_a_row = 0;
            }
        }
        self.worked += took;
        let is_due = self.worked >= TIME_MAX;
        if is_due {
            self.worked = Duration::ZERO;
        }
        is_due
    }
}

thread_local! {
    static OF_THIS_THREAD: Cell<Option<Pieces>> = const { Cell::new(None) };
}

/// From here on this thread offers its core to others between the pieces of what it writes.
pub fn give_way_between_writes() {
    OF_THIS_THREAD.set(Some(Pieces::NEW));
}

/// How much of `left` bytes is written at once at this position.
pub(crate) fn len_at(position: u64, left: usize) -> usize {
    let bytes = OF_THIS_THREAD.get().map_or(BYTES_MAX, |pieces| pieces.bytes);
    let behind_boundary = usize::try_from(position % bytes as u64).unwrap_or(0);
    left.min(bytes - behind_boundary)
}

/// Writes a piece, then lets others have the core if this thread is one that does so and has worked for long enough.
pub(crate) fn run<T>(len: usize, write: impl FnOnce() -> T) -> T {
    let Some(mut pieces) = OF_THIS_THREAD.get().filter(|_| len >= BYTES_TIMED) else {
        return write();
    };
    let began = cpu_time();
    let result = write();
    let is_due = pieces.note(cpu_time().saturating_sub(began));
    OF_THIS_THREAD.set(Some(pieces));
    if is_due {
        std::thread::yield_now();
    }
    result
}

/// The processor's time that this thread has used. Waits do not count: who waits for the disk holds no core.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAST: Duration = Duration::from_micros(20);
    const SLOW: Duration = Duration::from_micros(101);

    #[test]
    fn pieces_are_halved_while_they_are_slow_and_doubled_after_many_fast_ones() {
        let mut pieces = Pieces::NEW;
        let mut sizes = |took, count| {
            (0..count).for_each(|_| _ = pieces.note(took));
            pieces.bytes
        };
        assert_eq!(sizes(SLOW, 1), BYTES_MAX / 2);
        assert_eq!(sizes(SLOW, 9), BYTES_MIN);
        // Neither fast nor slow.
        assert_eq!(sizes(TIME_MAX, 1000), BYTES_MIN);
        assert_eq!(sizes(FAST, FAST_IN_A_ROW - 1), BYTES_MIN);
        assert_eq!(sizes(FAST, 1), BYTES_MIN * 2);
        assert_eq!(sizes(FAST, FAST_IN_A_ROW - 1), BYTES_MIN * 2);
        assert_eq!(sizes(SLOW, 1), BYTES_MIN);
        assert_eq!(sizes(FAST, FAST_IN_A_ROW * 9), BYTES_MAX);
    }

    #[test]
    fn the_core_is_offered_after_every_so_much_work() {
        let mut pieces = Pieces::NEW;
        let offers: Vec<bool> = (0..10).map(|_| pieces.note(TIME_MAX / 4)).collect();
        assert_eq!(offers, [false, false, false, true].repeat(3)[..10]);
        assert!(pieces.note(SLOW));
    }

    #[test]
    fn only_a_thread_that_gives_way_writes_less_at_once() {
        let slow = |len| {
            run(len, || {
                let began = cpu_time();
                while cpu_time().saturating_sub(began) <= TIME_MAX {
                    std::hint::spin_loop();
                }
            });
        };
        let at_once = || [len_at(0, usize::MAX), len_at(40_000, usize::MAX), len_at(7, 100)];
        let as_ever = [BYTES_MAX, BYTES_MAX - 40_000, 100];
        let child = std::thread::spawn(move || {
            slow(BYTES_MAX);
            assert_eq!(at_once(), as_ever);
            give_way_between_writes();
            slow(BYTES_TIMED - 1);
            assert_eq!(at_once(), as_ever, "too short to count");
            (0..3).for_each(|_| slow(BYTES_MAX));
            assert_eq!(at_once(), [BYTES_MIN, 2 * BYTES_MIN - 40_000, 100]);
        });
        child.join().unwrap();
        assert_eq!(at_once(), as_ever);
    }
}
