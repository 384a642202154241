//! Holds reading and writing together to a number of bytes per second. The waiting itself is the caller's.

use std::fmt::Debug;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::env::lock;

/// Tells a cleaner to wait, and whether to stop.
pub trait Pace: Send + Sync + Debug {
    /// Called with the bytes of each read and each write. Returns false when the work is to be given up.
    fn go_on(&self, bytes: usize) -> bool;
}

/// No limit, and no end.
#[derive(Clone, Copy, Debug, Default)]
pub struct FullSpeed;

impl Pace for FullSpeed {
    fn go_on(&self, _bytes: usize) -> bool {
        true
    }
}

/// A limit that several threads share (`log.cleaner.io.max.bytes.per.second`).
#[derive(Debug)]
pub struct Throttle {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bytes_per_second: f64,
    /// When the bytes that were let through so far are paid for.
    paid: Option<Instant>,
}

/// What may be let through at once after a quiet time, in seconds of the limit.
const BURST: Duration = Duration::from_millis(300);

impl Throttle {
    /// A limit; what is not a positive finite number is none.
    pub fn new(bytes_per_second: f64) -> Self {
        let state = State {
            bytes_per_second,
            paid: None,
        };
        Self {
            state: Mutex::new(state),
        }
    }

    /// Another limit from here on. What was let through by the old one is not held against the new one, or a limit that
    /// was far too low would go on holding up who was caught in it.
    pub fn set_limit(&self, bytes_per_second: f64) {
        *lock(&self.state) = State {
            bytes_per_second,
            paid: None,
        };
    }

    /// Notes `bytes` at `now` and says how long to wait for them.
    pub fn wait_for(&self, bytes: usize, now: Instant) -> Duration {
        let mut state = lock(&self.state);
        if !(state.bytes_per_second > 0.0 && state.bytes_per_second < 1e18) {
            return Duration::ZERO;
        }
        #[expect(clippy::cast_precision_loss, reason = "a number of bytes to be divided")]
        let cost = Duration::try_from_secs_f64(bytes as f64 / state.bytes_per_second).unwrap_or(Duration::MAX);
        let earliest = now.checked_sub(BURST).unwrap_or(now);
        let from = state.paid.map_or(earliest, |paid| paid.max(earliest));
        let until = from.checked_add(cost).unwrap_or(from);
        state.paid = Some(until);
        until.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_let_through_is_paid_for_with_time() {
        let throttle = Throttle::new(1000.0);
        let start = Instant::now();
        assert_eq!(throttle.wait_for(300, start), Duration::ZERO, "a burst");
        assert_eq!(throttle.wait_for(500, start), Duration::from_millis(500));
        assert_eq!(
            throttle.wait_for(500, start + Duration::from_millis(250)),
            Duration::from_millis(750)
        );
        assert_eq!(
            throttle.wait_for(100, start + Duration::from_secs(60)),
            Duration::ZERO,
            "quiet since"
        );
    }

    #[test]
    fn another_limit_holds_at_once() {
        let throttle = Throttle::new(1.0);
        let start = Instant::now();
        assert!(throttle.wait_for(1 << 20, start) > Duration::from_secs(1_000_000));
        throttle.set_limit(1000.0);
        assert_eq!(throttle.wait_for(800, start), Duration::from_millis(500));
        throttle.set_limit(f64::MAX);
        assert_eq!(throttle.wait_for(usize::MAX, start), Duration::ZERO);
    }

    #[test]
    fn no_limit_is_no_wait() {
        for limit in [f64::MAX, f64::INFINITY, f64::NAN, 0.0, -1.0] {
            let throttle = Throttle::new(limit);
            assert_eq!(throttle.wait_for(usize::MAX, Instant::now()), Duration::ZERO, "{limit}");
        }
    }
}
