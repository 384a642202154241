//! How fast something comes, measured as Kafka's quotas measure it (`Rate` over `WindowedSum`): sums in a few windows of
//! time, of which the ones that ended too long ago do not count any more.

/// Over what a rate is measured (`quota.window.num`, `quota.window.size.seconds`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many windows count.
    pub samples: usize,
    /// How long each of them is.
    pub size_ms: i64,
}

impl Window {
    /// All of them together.
    pub fn total_ms(self) -> i64 {
        i64::try_from(self.samples)
            .unwrap_or(i64::MAX)
            .saturating_mul(self.size_ms)
    }
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    start_ms: i64,
    last_event_ms: i64,
    value: f64,
}

impl Sample {
    fn new(now_ms: i64) -> Self {
        Self {
            start_ms: now_ms,
            last_event_ms: now_ms,
            value: 0.0,
        }
    }
}

/// A rate per second.
#[derive(Debug, Clone, Default)]
pub struct Rate {
    /// At most one more than count: the oldest may have begun before the measured time and end within it.
    samples: Vec<Sample>,
    current: usize,
}

impl Rate {
    /// Counts `value` at `now_ms`, on any clock that only goes forward.
    pub fn record(&mut self, window: Window, value: f64, now_ms: i64) {
        let is_complete = self
            .samples
            .get(self.current)
            .is_none_or(|sample| now_ms.saturating_sub(sample.start_ms) >= window.size_ms);
        if is_complete {
            self.advance(window, now_ms);
        }
        if let Some(sample) = self.samples.get_mut(self.current) {
            sample.value += value;
            sample.last_event_ms = now_ms;
        }
    }

    fn advance(&mut self, window: Window, now_ms: i64) {
        if !self.samples.is_empty() {
            self.current = (self.current + 1) % (window.samples + 1);
        }
        match self.samples.get_mut(self.current) {
            Some(sample) => *sample = Sample::new(now_ms),
            None => self.samples.push(Sample::new(now_ms)),
        }
    }

    fn purge(&mut self, window: Window, now_ms: i64) {
        for sample in &mut self.samples {
            if now_ms.saturating_sub(sample.last_event_ms) >= window.total_ms() {
                *sample = Sample::new(now_ms);
            }
        }
    }

    /// The rate now, and the time that it was measured over.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a few windows are exact")]
    pub fn measure(&mut self, window: Window, now_ms: i64) -> (f64, i64) {
        self.purge(window, now_ms);
        let oldest_ms = self.samples.iter().map(|sample| sample.start_ms).min();
        let elapsed_ms = now_ms.saturating_sub(oldest_ms.unwrap_or(now_ms));
        // What has only begun is measured as if all windows but the last were over.
        let full = elapsed_ms / window.size_ms.max(1);
        let missing = i64::try_from(window.samples).unwrap_or(i64::MAX) - 1 - full;
        let measured_ms = elapsed_ms
            .saturating_add(missing.max(0).saturating_mul(window.size_ms))
            .max(1);
        let sum = self.samples.iter().fold(0.0, |sum, sample| sum + sample.value);
        (sum / (measured_ms as f64 / 1000.0), measured_ms)
    }

    /// How long nothing must come until the rate has fallen to `limit`; 0 if it is not above it.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounded as Kafka rounds; a cast of a float saturates"
    )]
    pub fn throttle_ms(&mut self, window: Window, limit: f64, now_ms: i64) -> u64 {
        let (rate, measured_ms) = self.measure(window, now_ms);
        if rate <= limit {
            return 0;
        }
        ((rate - limit) / limit * measured_ms as f64).round() as u64
    }

    /// Whether nothing that was counted matters any more, so that a new rate would say the same.
    pub fn is_over(&self, window: Window, now_ms: i64) -> bool {
        self.samples
            .iter()
            .all(|sample| now_ms.saturating_sub(sample.last_event_ms) >= window.total_ms())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window {
        samples: 11,
        size_ms: 1000,
    };

    // `ClientQuotaManagerTest.testQuotaViolation`: ten samples of 400 in ten windows are 10 s of 400; 2300 more are 600 over.
    #[test]
    fn throttle_times_are_kafkas() {
        let mut rate = Rate::default();
        let mut now_ms = 0;
        for _ in 0..10 {
            rate.record(WINDOW, 400.0, now_ms);
            assert_eq!(rate.throttle_ms(WINDOW, 500.0, now_ms), 0);
            now_ms += 1000;
        }
        now_ms += 500;
        rate.record(WINDOW, 2300.0, now_ms);
        // (600 - 500) / 500 * 10.5 s
        assert_eq!(rate.throttle_ms(WINDOW, 500.0, now_ms), 2100);
        now_ms += 2100;
        for _ in 0..10 {
            rate.record(WINDOW, 400.0, now_ms);
            now_ms += 1000;
        }
        rate.record(WINDOW, 0.0, now_ms);
        assert_eq!(
            rate.throttle_ms(WINDOW, 500.0, now_ms),
            0,
            "the burst has left the windows"
        );
    }

    #[test]
    fn a_burst_at_the_beginning_counts_over_all_windows_but_one() {
        let mut rate = Rate::default();
        rate.record(WINDOW, 20_000.0, 5);
        assert_eq!(rate.measure(WINDOW, 5), (2000.0, 10_000));
        assert_eq!(rate.throttle_ms(WINDOW, 1000.0, 5), 10_000);
        assert_eq!(rate.throttle_ms(WINDOW, 2000.0, 5), 0, "the limit itself is allowed");
    }

    #[test]
    fn windows_are_forgotten_and_used_again() {
        let mut rate = Rate::default();
        for now_ms in (0..60_000).step_by(100) {
            rate.record(WINDOW, 1.0, now_ms);
        }
        assert_eq!(rate.samples.len(), 12);
        let (per_second, _) = rate.measure(WINDOW, 59_900);
        assert!((per_second - 10.0).abs() < 0.5, "{per_second}");
        assert!(!rate.is_over(WINDOW, 70_899));
        assert!(rate.is_over(WINDOW, 70_900));
        assert!(rate.measure(WINDOW, 71_000).0.abs() < f64::EPSILON);
    }

    #[test]
    fn what_is_taken_back_does_not_count() {
        let mut rate = Rate::default();
        rate.record(WINDOW, 5000.0, 0);
        rate.record(WINDOW, -5000.0, 0);
        assert_eq!(rate.throttle_ms(WINDOW, 1.0, 0), 0);
    }
}
