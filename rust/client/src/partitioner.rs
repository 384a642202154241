//! Which partition a record goes to. By default Kafka's murmur2 of the key, or, without a key, one partition until about a batch
//! of bytes went there (KIP-480, KIP-794), then another one, less loaded ones more likely. The others are Java's round robin and
//! uniform sticky partitioners, and librdkafka's by their names.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::accumulator::PartitionQueue;

/// `partitioner.class`, and `partitioner.ignore.keys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partitioner {
    /// By a hash of the key; `keyless` says what has none.
    Hash {
        /// The hash.
        hash: KeyHash,
        /// Which records go as if they had no key, and how.
        keyless: Keyless,
    },
    /// One partition after the other, whatever the key.
    RoundRobin,
    /// One partition for a batch, whatever the key.
    Sticky,
    /// One partition for a batch, then any other, whatever the key and the load (before KIP-794).
    UniformSticky,
}

/// A hash of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyHash {
    /// Java's.
    Murmur2,
    /// librdkafka's `consistent`: CRC-32.
    Crc32,
    /// librdkafka's `fnv1a`, as Sarama has it.
    Fnv1a,
}

/// Records without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyless {
    /// One partition for a batch.
    Null,
    /// The same, and empty keys count as none.
    NullOrEmpty,
    /// They are hashed as if their key were empty.
    Hashed,
}

impl Partitioner {
    /// The partitioner of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let by = |hash, keyless| Some(Self::Hash { hash, keyless });
        match name {
            "default" | "murmur2_random" => by(KeyHash::Murmur2, Keyless::Null),
            "murmur2" => by(KeyHash::Murmur2, Keyless::Hashed),
            "consistent" => by(KeyHash::Crc32, Keyless::Hashed),
            "consistent_random" => by(KeyHash::Crc32, Keyless::NullOrEmpty),
            "fnv1a" => by(KeyHash::Fnv1a, Keyless::Hashed),
            "fnv1a_random" => by(KeyHash::Fnv1a, Keyless::Null),
            "round_robin" => Some(Self::RoundRobin),
            "uniform_sticky" => Some(Self::UniformSticky),
            "random" => Some(Self::Sticky),
            _ => None,
        }
    }

    /// Whether records with keys go elsewhere than those without.
    pub fn uses_keys(self) -> bool {
        !matches!(self, Self::Sticky | Self::UniformSticky)
    }

    /// Whether a record with this key stays where the last one went, until a batch's bytes went there.
    #[inline]
    pub fn is_sticky(self, key: Option<&[u8]>) -> bool {
        match self {
            Self::Hash { keyless, .. } => match keyless {
                Keyless::Null => key.is_none(),
                Keyless::NullOrEmpty => key.is_none_or(<[u8]>::is_empty),
                Keyless::Hashed => false,
            },
            Self::RoundRobin => false,
            Self::Sticky | Self::UniformSticky => true,
        }
    }
}

impl KeyHash {
    /// The partition among `count`.
    #[inline]
    fn partition(self, key: &[u8], count: u32) -> u32 {
        let hash = match self {
            Self::Murmur2 => barnabas_records::murmur2(key).cast_unsigned() & 0x7fff_ffff,
            Self::Crc32 => barnabas_records::crc32(key),
            Self::Fnv1a => fnv1a(key),
        };
        hash.checked_rem(count).unwrap_or(0)
    }
}

/// FNV-1a, its absolute value.
fn fnv1a(key: &[u8]) -> u32 {
    let hash = key.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    hash.cast_signed().unsigned_abs()
}

/// A topic as a producer sees it. Made anew when the topic gets more partitions; the queues are kept.
#[derive(Debug)]
pub struct TopicState {
    pub(crate) name: Arc<str>,
    pub(crate) partitions: Box<[Arc<PartitionQueue>]>,
    /// Which partition records without a key go to.
    sticky: AtomicUsize,
    /// Bytes that went there since it was chosen.
    sticky_bytes: AtomicUsize,
    random: AtomicU64,
    /// For round robin.
    next: AtomicU32,
    partitioner: Partitioner,
    /// `partitioner.adaptive.partitioning.enable`.
    is_adaptive: bool,
}

impl TopicState {
    pub(crate) fn new(
        name: Arc<str>,
        partitions: Vec<Arc<PartitionQueue>>,
        (partitioner, is_adaptive): (Partitioner, bool),
        seed: u64,
    ) -> Self {
        let topic = Self {
            name,
            partitions: partitions.into_boxed_slice(),
            sticky: AtomicUsize::new(0),
            sticky_bytes: AtomicUsize::new(0),
            random: AtomicU64::new(seed | 1),
            next: AtomicU32::new(0),
            partitioner,
            is_adaptive,
        };
        let first = topic.random_below(topic.partitions.len());
        topic.sticky.store(first, Ordering::Relaxed);
        // Java's round robin begins anywhere, so that many producers of one record each do not all choose the first.
        topic.next.store(u32::try_from(first).unwrap_or(0), Ordering::Relaxed);
        topic
    }

    /// The topic's name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How many partitions it has.
    pub fn partition_count(&self) -> usize {
        self.partitions.len()
    }

    /// The partition of a record with this key; `None` for one that is placed when it is sent.
    pub fn partition_of(&self, key: Option<&[u8]>) -> Option<i32> {
        match self.choose(key) {
            (Some(queue), false) => Some(queue.partition),
            _ => None,
        }
    }

    /// The partition of a record that names none, and whether it is the sticky one.
    #[inline]
    pub(crate) fn choose(&self, key: Option<&[u8]>) -> (Option<&Arc<PartitionQueue>>, bool) {
        if self.partitioner.is_sticky(key) {
            return (self.partitions.get(self.sticky.load(Ordering::Relaxed)), true);
        }
        let count = u32::try_from(self.partitions.len()).unwrap_or(u32::MAX);
        let index = match self.partitioner {
            Partitioner::Hash { hash, .. } => hash.partition(key.unwrap_or_default(), count),
            _ => self.next_in_turn(count),
        };
        (
            usize::try_from(index).ok().and_then(|index| self.partitions.get(index)),
            false,
        )
    }

    /// So many bytes went to the sticky partition. It changes after `batch_size` bytes at the end of a batch, and after twice
    /// as many in any case, so that every partition gets the same bytes however fast its broker is.
    #[inline]
    pub(crate) fn used_sticky(&self, bytes: usize, at_batch_end: bool, batch_size: usize) {
        // Read and written apart, without a lock on the bus: what two threads at once lose moves the switch by a few records.
        let used = self.sticky_bytes.load(Ordering::Relaxed) + bytes;
        self.sticky_bytes.store(used, Ordering::Relaxed);
        if used >= batch_size && (at_batch_end || used >= batch_size.saturating_mul(2)) {
            self.sticky_bytes.store(0, Ordering::Relaxed);
            self.sticky.store(self.next_sticky(), Ordering::Relaxed);
        }
    }

    /// The partition after the last one, past those that are out.
    fn next_in_turn(&self, count: u32) -> u32 {
        let next = || {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            next.checked_rem(count).unwrap_or(0)
        };
        let is_out = |index: u32| {
            let queue = usize::try_from(index).ok().and_then(|index| self.partitions.get(index));
            queue.is_some_and(|queue| queue.is_out.load(Ordering::Relaxed))
        };
        let first = next();
        if !is_out(first) {
            return first;
        }
        (1..count)
            .map(|_| next())
            .find(|index| !is_out(*index))
            .unwrap_or(first)
    }

    fn next_sticky(&self) -> usize {
        let now = self.sticky.load(Ordering::Relaxed);
        let is_uniform = self.partitioner == Partitioner::UniformSticky;
        // Adaptively each partition counts by how much shorter its queue is than the longest one.
        let depth = |queue: &PartitionQueue| {
            if self.is_adaptive && !is_uniform {
                queue.depth.load(Ordering::Relaxed)
            } else {
                0
            }
        };
        let longest = self.partitions.iter().map(|queue| depth(queue)).max().unwrap_or(0) + 1;
        let weight = |(index, queue): (usize, &Arc<PartitionQueue>)| {
            let is_excluded = queue.is_out.load(Ordering::Relaxed) || (is_uniform && index == now);
            if is_excluded {
                0
            } else {
                longest.saturating_sub(depth(queue))
            }
        };
        let weights = || self.partitions.iter().enumerate().map(weight);
        let mut point = self.random_below(weights().sum());
        for (index, weight) in weights().enumerate() {
            if point < weight {
                return index;
            }
            point -= weight;
        }
        // All are out, there is no other one, or queues changed while they were looked at.
        if is_uniform
            && self
                .partitions
                .get(now)
                .is_some_and(|queue| !queue.is_out.load(Ordering::Relaxed))
        {
            return now;
        }
        self.random_below(self.partitions.len())
    }

    fn random_below(&self, bound: usize) -> usize {
        let mut random =
            barnabas_net::outbound::Jitter::with_seed(self.random.fetch_add(0x9E37_79B9_7F4A_7C16, Ordering::Relaxed));
        random.next_u64();
        usize::try_from(random.below(u64::try_from(bound).unwrap_or(0))).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accumulator::Accumulator;
    use crate::buffer_pool::BufferPool;
    use crate::waker::Waker;
    use std::time::Duration;

    const DEFAULT: Partitioner = Partitioner::Hash {
        hash: KeyHash::Murmur2,
        keyless: Keyless::Null,
    };

    fn topic(partitions: i32) -> TopicState {
        topic_by(DEFAULT, partitions)
    }

    fn topic_by(partitioner: Partitioner, partitions: i32) -> TopicState {
        let accumulator = Accumulator::new(
            BufferPool::new(1 << 20),
            1 << 14,
            Duration::ZERO,
            Arc::new(Waker::new()),
        );
        let queues = (0..partitions)
            .map(|partition| accumulator.new_queue("t".into(), partition))
            .collect();
        TopicState::new("t".into(), queues, (partitioner, true), 3)
    }

    /// Bytes per partition after `records` records of `size` bytes without keys.
    fn spread(topic: &TopicState, records: usize, size: usize) -> Vec<usize> {
        let mut bytes = vec![0; topic.partition_count()];
        for _ in 0..records {
            let partition = topic.choose(None).0.unwrap();
            bytes[usize::try_from(partition.partition).unwrap()] += size;
            topic.used_sticky(size, true, 10_000);
        }
        bytes
    }

    #[test]
    fn records_without_keys_stay_for_a_batch_and_spread_evenly() {
        let topic = topic(4);
        let first = topic.choose(None).0.unwrap().partition;
        topic.used_sticky(9_999, true, 10_000);
        assert_eq!(topic.choose(None).0.unwrap().partition, first);
        let bytes = spread(&topic, 400_000, 100);
        assert!(
            bytes.iter().all(|bytes| (8_500_000..11_500_000).contains(bytes)),
            "{bytes:?}"
        );
    }

    #[test]
    fn a_long_queue_is_avoided() {
        let topic = topic(3);
        topic.partitions[1].depth.store(9, Ordering::Relaxed);
        let bytes = spread(&topic, 400_000, 100);
        assert!(bytes[1] * 5 < bytes[0] && bytes[1] * 5 < bytes[2], "{bytes:?}");
    }

    #[test]
    fn keys_go_where_kafka_puts_them() {
        let topic = topic(10);
        for key in [&b"a"[..], b"21", b""] {
            let expected = barnabas_records::partition_for_key(key, 10);
            assert_eq!(topic.choose(Some(key)).0.unwrap().partition, expected);
        }
    }

    /// The partitions of keys and of no key, `None` where it is the sticky one.
    fn chosen(name: &str, keys: &[Option<&[u8]>]) -> Vec<Option<i32>> {
        let topic = topic_by(Partitioner::from_name(name).unwrap(), 1000);
        keys.iter()
            .map(|key| match topic.choose(*key) {
                (_, true) => None,
                (queue, false) => Some(queue.unwrap().partition),
            })
            .collect()
    }

    #[test]
    fn keys_go_where_librdkafka_puts_them() {
        let keys = [
            None,
            Some(&b""[..]),
            Some(&b"kafka"[..]),
            Some(&b"giberish123456789"[..]),
        ];
        // FNV-1a of these is in librdkafka's own tests: 0x811c9dc5, 0xd33c4e1, 0x77a58295; the first's absolute value is
        // 0x7ee3623b.
        assert_eq!(
            chosen("fnv1a", &keys),
            [0x7ee3_623b, 0x7ee3_623b, 0x0d33_c4e1, 0x77a5_8295].map(|hash: i32| Some(hash % 1000))
        );
        assert_eq!(chosen("fnv1a_random", &keys)[..1], [None]);
        assert_eq!(chosen("consistent", &keys)[..2], [Some(0), Some(0)]);
        assert_eq!(chosen("consistent_random", &keys)[..2], [None, None]);
        assert_eq!(chosen("murmur2", &keys)[0], chosen("murmur2", &keys)[1]);
        assert_eq!(chosen("murmur2_random", &keys)[0], None);
        assert_eq!(chosen("murmur2_random", &keys)[1..], chosen("default", &keys)[1..]);
        assert_eq!(chosen("random", &keys), [None; 4]);
        assert_eq!(Partitioner::from_name("murmur3"), None);
    }

    #[test]
    fn round_robin_takes_one_after_the_other_and_uniform_sticky_never_the_same_again() {
        let topic = topic_by(Partitioner::RoundRobin, 3);
        let mut seen: Vec<i32> = (0..6)
            .map(|_| topic.choose(Some(b"key")).0.unwrap().partition)
            .collect();
        assert_eq!(seen[..3], seen[3..]);
        seen.sort_unstable();
        assert_eq!(seen, [0, 0, 1, 1, 2, 2]);
        let topic = topic_by(Partitioner::UniformSticky, 3);
        let mut last = -1;
        for _ in 0..100 {
            let (queue, is_sticky) = topic.choose(Some(b"key"));
            let partition = queue.unwrap().partition;
            assert!(is_sticky && partition != last);
            last = partition;
            topic.used_sticky(10_000, true, 10_000);
        }
        assert_eq!(
            topic_by(Partitioner::UniformSticky, 1)
                .choose(None)
                .0
                .unwrap()
                .partition,
            0
        );
    }
}
