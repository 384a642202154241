//! What clients that share a quota have used of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use barnabas_net::rate::{Rate, Window};

use super::limits::{Kind, Tags};

/// Kafka's `TokenBucket`: what is left of the changes that may be made, refilled all the time.
#[derive(Debug)]
pub(crate) struct Tokens {
    left: f64,
    filled_ms: i64,
}

impl Tokens {
    fn new(window: Window, limit: f64, now_ms: i64) -> Self {
        Self {
            left: burst(window, limit),
            filled_ms: now_ms,
        }
    }

    fn refill(&mut self, window: Window, limit: f64, now_ms: i64) -> f64 {
        let passed = seconds(now_ms.saturating_sub(self.filled_ms));
        self.left = (self.left + limit * passed).min(burst(window, limit));
        self.filled_ms = now_ms;
        self.left
    }
}

/// All that may be used at once after a pause.
fn burst(window: Window, limit: f64) -> f64 {
    seconds(window.total_ms()) * limit
}

#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of less than 285,000 years are exact"
)]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

#[derive(Debug)]
enum Used {
    Rate(Rate),
    Tokens(Tokens),
}

/// One quota of clients that share it.
#[derive(Debug)]
pub(crate) struct Sensor {
    pub(crate) kind: Kind,
    pub(crate) tags: Tags,
    window: Window,
    limit_bits: AtomicU64,
    used: Mutex<Used>,
    /// How often it made somebody wait, and how long in all.
    throttled: AtomicU64,
    throttled_ms: AtomicU64,
}

/// A quota as metrics show it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) limit: f64,
    pub(crate) used: f64,
    pub(crate) throttled: u64,
    pub(crate) throttled_ms: u64,
}

impl Sensor {
    pub(crate) fn new(kind: Kind, tags: Tags, window: Window, limit: f64, now_ms: i64) -> Self {
        let used = match kind {
            Kind::Mutation => Used::Tokens(Tokens::new(window, limit, now_ms)),
            Kind::Produce | Kind::Fetch | Kind::Request => Used::Rate(Rate::default()),
        };
        Self {
            kind,
            tags,
            window,
            limit_bits: AtomicU64::new(limit.to_bits()),
            used: Mutex::new(used),
            throttled: AtomicU64::new(0),
            throttled_ms: AtomicU64::new(0),
        }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn limit(&self) -> f64 {
        f64::from_bits(self.limit_bits.load(Ordering::Relaxed))
    }

    pub(crate) fn set_limit(&self, limit: f64) {
        self.limit_bits.store(limit.to_bits(), Ordering::Relaxed);
    }

    /// Counts what was used; says how long the client must be kept from going on.
    pub(crate) fn record(&self, value: f64, now_ms: i64) -> u64 {
        let (window, limit) = (self.window, self.limit());
        match &mut *self.used() {
            Used::Rate(rate) => {
                rate.record(window, value, now_ms);
                let throttle_ms = rate.throttle_ms(window, limit, now_ms);
                if self.kind == Kind::Request {
                    // Time is used again as soon as a window is over.
                    throttle_ms.min(window.size_ms.unsigned_abs())
                } else {
                    throttle_ms
                }
            }
            Used::Tokens(tokens) => {
                let left = tokens.refill(window, limit, now_ms) - value;
                tokens.left = left.min(burst(window, limit));
                throttle_of(left, limit)
            }
        }
    }

    /// Takes back what was counted, because it was not used after all.
    pub(crate) fn take_back(&self, value: f64, now_ms: i64) {
        if let Used::Rate(rate) = &mut *self.used() {
            rate.record(self.window, -value, now_ms);
        }
    }

    /// What may still be used before somebody is refused; below 0 nothing.
    pub(crate) fn left(&self, now_ms: i64) -> f64 {
        match &mut *self.used() {
            Used::Rate(_) => f64::INFINITY,
            Used::Tokens(tokens) => tokens.refill(self.window, self.limit(), now_ms),
        }
    }

    /// The most that may be used at once without being made to wait, after a pause.
    #[expect(clippy::cast_precision_loss, reason = "a few windows")]
    pub(crate) fn at_once_max(&self) -> f64 {
        let windows = self.window.samples.saturating_sub(1) as f64;
        self.limit() * windows * seconds(self.window.size_ms)
    }

    /// Somebody is made to wait for this quota.
    pub(crate) fn count_throttled(&self, ms: u64) {
        self.throttled.fetch_add(1, Ordering::Relaxed);
        self.throttled_ms.fetch_add(ms, Ordering::Relaxed);
    }

    /// Whether a new sensor would say the same.
    pub(crate) fn is_over(&self, now_ms: i64) -> bool {
        match &mut *self.used() {
            Used::Rate(rate) => rate.is_over(self.window, now_ms),
            Used::Tokens(tokens) => {
                let limit = self.limit();
                tokens.refill(self.window, limit, now_ms) >= burst(self.window, limit)
            }
        }
    }

    /// As metrics show it; of changes of metadata the rate is what is left.
    pub(crate) fn read(&self, now_ms: i64) -> Reading {
        let used = match &mut *self.used() {
            Used::Rate(rate) => rate.measure(self.window, now_ms).0,
            Used::Tokens(tokens) => tokens.refill(self.window, self.limit(), now_ms),
        };
        Reading {
            limit: self.limit(),
            used,
            throttled: self.throttled.load(Ordering::Relaxed),
            throttled_ms: self.throttled_ms.load(Ordering::Relaxed),
        }
    }
}

/// How long it takes until nothing is owed.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and rounded as Kafka rounds; a cast of a float saturates"
)]
fn throttle_of(left: f64, limit: f64) -> u64 {
    (-left / limit * 1000.0).round().max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window {
        samples: 11,
        size_ms: 1000,
    };

    fn sensor(kind: Kind, limit: f64) -> Sensor {
        let tags = Tags {
            user: String::new(),
            client_id: "c".to_owned(),
        };
        Sensor::new(kind, tags, WINDOW, limit, 0)
    }

    // `ControllerMutationQuotaManagerTest`: 10 a second over 11 windows of a second are 110 at once.
    #[test]
    fn changes_may_be_saved_up_and_what_is_owed_is_waited_for() {
        let sensor = sensor(Kind::Mutation, 10.0);
        assert_eq!(sensor.left(0), 110.0);
        assert_eq!(sensor.record(110.0, 0), 0);
        assert_eq!(sensor.record(80.0, 0), 8000);
        assert_eq!(sensor.left(5000), -30.0);
        assert_eq!(sensor.record(0.0, 5000), 3000);
        assert_eq!(sensor.left(8000), 0.0);
        assert!(!sensor.is_over(18_999));
        assert!(sensor.is_over(19_000));
        assert_eq!(sensor.left(1_000_000), 110.0);
    }

    #[test]
    fn waiting_for_threads_is_bounded_by_a_window() {
        let sensor = sensor(Kind::Request, 1.0);
        assert_eq!(sensor.record(10.0, 0), 0);
        assert_eq!(sensor.record(100.0, 0), 1000);
    }

    #[test]
    fn what_is_taken_back_lets_the_next_one_through() {
        let sensor = sensor(Kind::Fetch, 1000.0);
        assert_eq!(sensor.record(10_000.0, 0), 0);
        assert_eq!(sensor.at_once_max(), 10_000.0);
        assert!(sensor.record(5000.0, 0) > 0);
        sensor.take_back(5000.0, 0);
        assert_eq!(sensor.record(0.0, 0), 0);
        sensor.set_limit(500.0);
        assert!(sensor.record(0.0, 0) > 0, "a lower limit holds at once");
    }
}
