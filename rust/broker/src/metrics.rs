//! Counters and histograms of the data path. They are written without order and read as a picture of roughly one moment.
//!
//! Nothing here takes a lock or shares a cache line between threads that write often: counters have a slot per group of
//! threads, and what is counted per API is written by the reactor that serves the connection and by no other thread.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use barnabas_net::server::Served;

/// Slots of a counter.
const SLOTS: usize = 4;
/// API keys from here on, which nobody serves, are counted together.
pub(crate) const APIS_MAX: usize = 96;
/// Upper bound of a histogram's first bucket; each next one is twice as wide.
const FIRST_BUCKET: Duration = Duration::from_micros(50);
/// Buckets with an upper bound; the last one is 26 s.
pub(crate) const BUCKETS: usize = 20;

static NEXT_SLOT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SLOT: Cell<Option<usize>> = const { Cell::new(None) };
}

fn slot() -> usize {
    SLOT.with(|slot| {
        slot.get().unwrap_or_else(|| {
            let own = NEXT_SLOT.fetch_add(1, Ordering::Relaxed) % SLOTS;
            slot.set(Some(own));
            own
        })
    })
}

/// A counter's part in a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Slot(AtomicU64);

/// One counter.
#[derive(Debug, Default)]
pub(crate) struct Counter([Slot; SLOTS]);

impl Counter {
    /// Adds `n`.
    pub(crate) fn add(&self, n: u64) {
        if let Some(Slot(part)) = self.0.get(slot()) {
            part.fetch_add(n, Ordering::Relaxed);
        }
    }

    /// Adds a length.
    pub(crate) fn add_len(&self, n: usize) {
        self.add(u64::try_from(n).unwrap_or(u64::MAX));
    }

    /// Adds one.
    pub(crate) fn increment(&self) {
        self.add(1);
    }

    /// Takes one off.
    pub(crate) fn decrement(&self) {
        // Parts wrap, their sum does not.
        self.add(u64::MAX);
    }

    /// The value now.
    pub(crate) fn get(&self) -> u64 {
        self.0
            .iter()
            .fold(0, |sum: u64, Slot(part)| sum.wrapping_add(part.load(Ordering::Relaxed)))
    }
}

/// Adds to a number that only this thread writes, without the lock of a read-modify-write.
fn bump(number: &AtomicU64, by: u64) {
    number.store(number.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
}

/// How long something took, in buckets; written by one thread.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// The last one is for all that is longer.
    buckets: [AtomicU64; BUCKETS + 1],
    sum_ns: AtomicU64,
}

/// What was counted, or several such together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) buckets: [u64; BUCKETS + 1],
    pub(crate) sum_ns: u64,
}

impl Histogram {
    pub(crate) fn record(&self, took: Duration) {
        if let Some(bucket) = self.buckets.get(bucket_of(took)) {
            bump(bucket, 1);
        }
        bump(&self.sum_ns, u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    pub(crate) fn add_to(&self, counted: &mut Counted) {
        for (sum, bucket) in counted.buckets.iter_mut().zip(&self.buckets) {
            *sum += bucket.load(Ordering::Relaxed);
        }
        counted.sum_ns = counted.sum_ns.wrapping_add(self.sum_ns.load(Ordering::Relaxed));
    }

    /// What was counted so far.
    pub(crate) fn counted(&self) -> Counted {
        let mut counted = Counted::default();
        self.add_to(&mut counted);
        counted
    }
}

/// The first bucket whose bound `took` does not pass.
fn bucket_of(took: Duration) -> usize {
    let firsts = took.as_nanos().saturating_sub(1) / FIRST_BUCKET.as_nanos();
    let bits = u128::BITS - firsts.leading_zeros();
    usize::try_from(bits).unwrap_or(BUCKETS).min(BUCKETS)
}

/// The upper bound of a bucket.
pub(crate) fn bound_of(bucket: usize) -> Duration {
    FIRST_BUCKET.saturating_mul(
        1_u32
            .checked_shl(u32::try_from(bucket).unwrap_or(31))
            .unwrap_or(u32::MAX),
    )
}

/// What one reactor has seen of one API.
#[derive(Debug, Default)]
pub(crate) struct ApiStats {
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    /// From a request's last byte to the handler's return.
    handling: Histogram,
    /// From a request's last byte to its response's last.
    total: Histogram,
}

/// The same of all reactors.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ApiCounted {
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
    pub(crate) handling: Counted,
    pub(crate) total: Counted,
}

/// What one reactor has seen.
#[derive(Debug)]
#[repr(align(128))]
struct ReactorStats {
    apis: [OnceLock<Box<ApiStats>>; APIS_MAX + 1],
}

/// Requests by API, counted by each reactor for itself.
#[derive(Debug)]
pub(crate) struct ApiMetrics(Box<[ReactorStats]>);

impl ApiMetrics {
    pub(crate) fn new(reactors: usize) -> Self {
        let reactor = |_| ReactorStats {
            apis: std::array::from_fn(|_| OnceLock::new()),
        };
        Self((0..reactors.max(1)).map(reactor).collect())
    }

    /// Counts a request; on its reactor's thread only.
    pub(crate) fn count(&self, reactor: usize, api_key: i16, served: &Served) {
        let index = usize::try_from(api_key).unwrap_or(APIS_MAX).min(APIS_MAX);
        let Some(stats) = self.0.get(reactor).and_then(|reactor| reactor.apis.get(index)) else {
            return;
        };
        let stats = stats.get_or_init(Box::default);
        bump(&stats.bytes_in, u64::try_from(served.bytes_in).unwrap_or(u64::MAX));
        bump(&stats.bytes_out, u64::try_from(served.bytes_out).unwrap_or(u64::MAX));
        stats
            .handling
            .record(served.handled.saturating_duration_since(served.arrival));
        // A request without a pause was sent when it was handled, but for the system calls of sending.
        stats
            .total
            .record(Instant::now().saturating_duration_since(served.arrival));
    }

    /// API keys that were asked for, with what all reactors have seen of them.
    pub(crate) fn counted(&self) -> Vec<(usize, ApiCounted)> {
        let of = |index: usize| {
            let mut sum = None;
            for reactor in &self.0 {
                if let Some(stats) = reactor.apis.get(index).and_then(OnceLock::get) {
                    let sum: &mut ApiCounted = sum.get_or_insert_default();
                    sum.bytes_in += stats.bytes_in.load(Ordering::Relaxed);
                    sum.bytes_out += stats.bytes_out.load(Ordering::Relaxed);
                    stats.handling.add_to(&mut sum.handling);
                    stats.total.add_to(&mut sum.total);
                }
            }
            sum.map(|sum| (index, sum))
        };
        (0..=APIS_MAX).filter_map(of).collect()
    }
}

/// The broker's counters.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Requests of any API.
    pub(crate) requests: Counter,
    /// Requests that could not be read or are not served; their connections were closed.
    pub(crate) refused_requests: Counter,
    /// Produce requests.
    pub(crate) produce_requests: Counter,
    /// Partitions of Produce requests that were refused.
    pub(crate) produce_errors: Counter,
    /// Bytes of record batches appended for clients.
    pub(crate) produce_bytes: Counter,
    /// Rounds of compaction that were completed.
    pub(crate) cleaner_rounds: Counter,
    /// Bytes of log that they read.
    pub(crate) cleaner_bytes_read: Counter,
    /// Bytes of log that they wrote.
    pub(crate) cleaner_bytes_written: Counter,
    /// Records that they removed.
    pub(crate) cleaner_records_removed: Counter,
    /// Batches that were in the log already.
    pub(crate) duplicate_batches: Counter,
    /// Fetch requests.
    pub(crate) fetch_requests: Counter,
    /// Bytes of record batches sent.
    pub(crate) fetch_bytes: Counter,
    /// Fetches waiting for data now.
    pub(crate) fetches_parked: Counter,
    /// Requests handed to the control plane.
    pub(crate) control_requests: Counter,
    /// Batches appended by the control plane.
    pub(crate) control_appends: Counter,
    /// Appends that ran on a helper thread because an append of their partition was slow before.
    pub(crate) appends_on_helpers: Counter,
    /// How often a partition became slow.
    pub(crate) partitions_slowed: Counter,
    /// Segments removed by retention.
    pub(crate) segments_deleted: Counter,
    /// Flushes of partition logs.
    pub(crate) flushes: Counter,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_the_sum_of_its_slots() {
        let counter = Counter::default();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..1000).for_each(|_| counter.increment()));
            }
        });
        counter.decrement();
        assert_eq!(counter.get(), 7999);
    }

    #[test]
    fn a_bucket_takes_what_its_bound_does_not_pass() {
        for bucket in 0..BUCKETS {
            let bound = bound_of(bucket);
            assert_eq!(bucket_of(bound), bucket);
            assert_eq!(bucket_of(bound + Duration::from_nanos(1)), bucket + 1);
        }
        assert_eq!(bucket_of(Duration::ZERO), 0);
        assert_eq!(bucket_of(Duration::from_secs(1 << 40)), BUCKETS);
    }

    #[test]
    fn requests_are_counted_by_reactor_and_api() {
        let metrics = ApiMetrics::new(2);
        let arrival = Instant::now();
        let served = Served {
            arrival,
            handled: arrival + Duration::from_micros(70),
            bytes_in: 10,
            bytes_out: 20,
            found_cold: false,
        };
        for (reactor, key) in [(0, 3), (1, 3), (1, -1), (0, 5000), (7, 3)] {
            metrics.count(reactor, key, &served);
        }
        let counted = metrics.counted();
        let keys: Vec<_> = counted.iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, [3, APIS_MAX]);
        let (_, metadata) = counted[0];
        assert_eq!((metadata.bytes_in, metadata.bytes_out), (20, 40));
        assert_eq!((metadata.handling.buckets[1], metadata.handling.sum_ns), (2, 140_000));
        assert_eq!(metadata.total.buckets.iter().sum::<u64>(), 2);
    }
}
