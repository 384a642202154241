//! Exponential backoff with jitter. It keeps no time: the caller says when an attempt failed.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// A small random number generator for jitter and for choices that need no secrecy.
#[derive(Clone, Debug)]
pub struct Jitter(u64);

impl Default for Jitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Jitter {
    /// Seeded from the process's hash keys, which the operating system's random source gave.
    pub fn new() -> Self {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u8(0);
        Self::with_seed(hasher.finish())
    }

    /// The same sequence for the same seed.
    pub fn with_seed(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// The next number (xorshift64*).
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The high half of a 64 × 64 bit product is below `bound`.
        u64::try_from((u128::from(self.next_u64()) * u128::from(bound)) >> 64).unwrap_or(0)
    }

    /// `duration` ± 20 %, as Kafka's clients spread their retries.
    pub fn spread(&mut self, duration: Duration) -> Duration {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let fifth = nanos / 5;
        Duration::from_nanos((nanos - fifth).saturating_add(self.below(fifth.saturating_mul(2).saturating_add(1))))
    }
}

/// How long to wait after so many failures in a row: `first`, doubled each time up to `max`, ± 20 %.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    max: Duration,
    jitter: Jitter,
}

impl Backoff {
    /// A backoff between these two durations.
    pub fn new(first: Duration, max: Duration) -> Self {
        Self {
            first,
            max: max.max(first),
            jitter: Jitter::new(),
        }
    }

    /// The wait after `failures` failures in a row; nothing after none.
    pub fn after(&mut self, failures: u32) -> Duration {
        if failures == 0 {
            return Duration::ZERO;
        }
        let factor = 1_u32
            .checked_shl(failures - 1)
            .filter(|factor| *factor > 0)
            .unwrap_or(u32::MAX);
        let wait = self.first.checked_mul(factor).unwrap_or(self.max).min(self.max);
        self.jitter.spread(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_maximum_within_a_fifth() {
        let mut backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(1));
        assert_eq!(backoff.after(0), Duration::ZERO);
        for (failures, middle) in [
            (1, 50),
            (2, 100),
            (3, 200),
            (5, 800),
            (6, 1000),
            (40, 1000),
            (u32::MAX, 1000),
        ] {
            for _ in 0..100 {
                let wait = backoff.after(failures).as_millis();
                assert!(
                    wait >= middle * 4 / 5 && wait <= middle * 6 / 5,
                    "{wait} after {failures} failures"
                );
            }
        }
    }

    #[test]
    fn numbers_stay_below_their_bound_and_vary() {
        let mut jitter = Jitter::with_seed(7);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            seen[usize::try_from(jitter.below(10)).unwrap()] += 1;
        }
        assert!(seen.iter().all(|count| (800..1200).contains(count)), "{seen:?}");
        assert_eq!(jitter.below(0), 0);
    }
}
