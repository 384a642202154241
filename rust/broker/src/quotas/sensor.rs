//! What clients that share a quota have used of it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use barnabas_net::rate::{Rate, Window};

use super::limits::{Kind, Tags};

/// Kafka's `TokenBucket`: what is left of what may be used, refilled all the time.
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

    /// When the client has waited for so long, nothing is left and nothing is owed.
    fn save_nothing_for(&mut self, throttle_ms: u64, limit: f64) {
        if throttle_ms > 0 {
            let waited = seconds(i64::try_from(throttle_ms).unwrap_or(i64::MAX));
            self.left = self.left.min(-limit * waited);
        }
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

/// What was used, and what follows from it.
#[derive(Debug)]
enum Used {
    /// Threads' time, as Kafka measures it.
    Time(Rate),
    /// Bytes: as Kafka measures them, and paced.
    ///
    /// By its windows alone a client that wants more than it may have would be let go for a second and kept for ten, in
    /// turns, since what it used in that second is forgotten all at once. So while it was kept it saves nothing up: after
    /// that it gets its rate evenly, until it has used less of its own accord. A client that was not kept notices nothing
    /// of it, and the first time that it is made to wait is Kafka's.
    Bytes(Rate, Tokens),
    /// Changes of metadata.
    Changes(Tokens),
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
        let tokens = Tokens::new(window, limit, now_ms);
        let used = match kind {
            Kind::Produce | Kind::Fetch => Used::Bytes(Rate::default(), tokens),
            Kind::Request => Used::Time(Rate::default()),
            Kind::Mutation => Used::Changes(tokens),
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

    /// Changes the limit. What was used under another one is judged by the windows alone, as in Kafka.
    pub(crate) fn set_limit(&self, limit: f64) {
        let bits = limit.to_bits();
        if self.limit_bits.swap(bits, Ordering::Relaxed) != bits
            && let Used::Bytes(_, tokens) = &mut *self.used()
        {
            tokens.left = burst(self.window, limit);
        }
    }

    /// Counts what was used; says how long the client must be kept from going on.
    pub(crate) fn record(&self, value: f64, now_ms: i64) -> u64 {
        let (window, limit) = (self.window, self.limit());
        match &mut *self.used() {
            Used::Time(rate) => {
                rate.record(window, value, now_ms);
                // Time is used again as soon as a window is over.
                let throttle_ms = rate.throttle_ms(window, limit, now_ms);
                throttle_ms.min(window.size_ms.unsigned_abs())
            }
            Used::Bytes(rate, tokens) => {
                rate.record(window, value, now_ms);
                let throttle_ms = rate.throttle_ms(window, limit, now_ms);
                tokens.left = tokens.refill(window, limit, now_ms) - value;
                tokens.save_nothing_for(throttle_ms, limit);
                throttle_ms.max(throttle_of(tokens.left, limit))
            }
            Used::Changes(tokens) => {
                let left = tokens.refill(window, limit, now_ms) - value;
                tokens.left = left.min(burst(window, limit));
                throttle_of(left, limit)
            }
        }
    }

    /// The same for bytes that are not sent if their client has to wait, and not counted then.
    pub(crate) fn try_record(&self, value: f64, now_ms: i64) -> u64 {
        let (window, limit) = (self.window, self.limit());
        let Used::Bytes(rate, tokens) = &mut *self.used() else {
            return 0;
        };
        rate.record(window, value, now_ms);
        let throttle_ms = rate.throttle_ms(window, limit, now_ms);
        let owed = tokens.refill(window, limit, now_ms);
        if value <= self.at_once_max() {
            // What can never be sent keeps nothing else from being sent.
            tokens.save_nothing_for(throttle_ms, limit);
        }
        let throttle_ms = throttle_ms.max(throttle_of(owed, limit));
        if throttle_ms > 0 {
            rate.record(window, -value, now_ms);
        } else {
            tokens.left -= value;
        }
        throttle_ms
    }

    /// Takes back what was counted, because it was not sent after all.
    pub(crate) fn take_back(&self, value: f64, now_ms: i64) {
        if let Used::Bytes(rate, tokens) = &mut *self.used() {
            rate.record(self.window, -value, now_ms);
            tokens.left += value;
        }
    }

    /// Changes that may still be made before somebody is refused; below 0 none.
    pub(crate) fn left(&self, now_ms: i64) -> f64 {
        match &mut *self.used() {
            Used::Time(_) | Used::Bytes(..) => f64::INFINITY,
            Used::Changes(tokens) => tokens.refill(self.window, self.limit(), now_ms),
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
        let (window, limit) = (self.window, self.limit());
        let is_full = |tokens: &mut Tokens| tokens.refill(window, limit, now_ms) >= burst(window, limit);
        match &mut *self.used() {
            Used::Time(rate) => rate.is_over(window, now_ms),
            Used::Bytes(rate, tokens) => rate.is_over(window, now_ms) && is_full(tokens),
            Used::Changes(tokens) => is_full(tokens),
        }
    }

    /// As metrics show it; of changes of metadata the rate is what is left.
    pub(crate) fn read(&self, now_ms: i64) -> Reading {
        let used = match &mut *self.used() {
            Used::Time(rate) | Used::Bytes(rate, _) => rate.measure(self.window, now_ms).0,
            Used::Changes(tokens) => tokens.refill(self.window, self.limit(), now_ms),
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
#[expect(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "small whole numbers, which are exact"
)]
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
    fn what_is_not_sent_is_not_counted() {
        let sensor = sensor(Kind::Fetch, 1000.0);
        assert_eq!(sensor.try_record(10_000.0, 0), 0);
        assert_eq!(sensor.at_once_max(), 10_000.0);
        assert_eq!(sensor.try_record(5000.0, 0), 5000);
        assert_eq!(sensor.try_record(5000.0, 0), 5000);
        // By then Kafka's windows have forgotten the beginning.
        assert_eq!(sensor.try_record(5000.0, 12_000), 0);
        sensor.take_back(5000.0, 12_000);
        assert_eq!(sensor.try_record(7000.0, 12_000), 0);
        sensor.set_limit(100.0);
        assert!(sensor.try_record(1000.0, 12_000) > 0, "a lower limit holds at once");
        sensor.set_limit(5000.0);
        assert_eq!(sensor.try_record(1.0, 12_000), 0, "and so does a higher one");
    }

    /// Bytes of each of some seconds of a client that sends as fast as it may, `size` at once.
    fn flood(sensor: &Sensor, size: f64, seconds: i64, is_fetch: bool) -> Vec<f64> {
        let mut sent = vec![0.0; usize::try_from(seconds).unwrap()];
        let mut now_ms = 0;
        while now_ms < seconds * 1000 {
            let throttle_ms = if is_fetch {
                sensor.try_record(size, now_ms)
            } else {
                sensor.record(size, now_ms)
            };
            if !is_fetch || throttle_ms == 0 {
                sent[usize::try_from(now_ms / 1000).unwrap()] += size;
            }
            now_ms += i64::try_from(throttle_ms).unwrap() + 1;
        }
        sent
    }

    // The windows' ten seconds may be used at once; they are waited for, and from then on the rate is kept evenly.
    #[test]
    fn who_wants_too_much_gets_the_rate_and_gets_it_evenly() {
        for (kind, size) in [
            (Kind::Produce, 256e3),
            (Kind::Produce, 20e3),
            (Kind::Fetch, 1e6),
            (Kind::Fetch, 100e3),
        ] {
            let sent = flood(&sensor(kind, 10e6), size, 60, kind == Kind::Fetch);
            let mean = |from: usize, to: usize| sent[from..to].iter().sum::<f64>() / (to - from) as f64;
            assert!(
                (9.5e6..10.5e6).contains(&mean(0, 30)),
                "{kind:?} {size}: {:?}",
                &sent[..30]
            );
            for from in 12..30 {
                let found = mean(from, from + 30);
                assert!(
                    (9.5e6..10.5e6).contains(&found),
                    "{kind:?} {size}: {found} from second {from}"
                );
            }
            let most = sent[13..].iter().copied().fold(0.0, f64::max);
            assert!(most <= 10e6 + 2.0 * size, "{kind:?} {size}: {most} in one second");
        }
    }

    #[test]
    fn who_was_quiet_may_use_several_seconds_at_once_again() {
        let sensor = sensor(Kind::Produce, 1000.0);
        assert_eq!(sensor.record(20_000.0, 0), 10_000);
        // Ten seconds were waited for, and twelve more were not used.
        assert_eq!(sensor.record(10_000.0, 22_000), 0);
    }
}
