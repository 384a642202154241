//! Which partition a record goes to: Kafka's murmur2 of the key, or, without a key, one partition until about a batch of bytes
//! went there (KIP-480, KIP-794), then another one, less loaded ones more likely.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::accumulator::PartitionQueue;

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
}

impl TopicState {
    pub(crate) fn new(name: Arc<str>, partitions: Vec<Arc<PartitionQueue>>, seed: u64) -> Self {
        let topic = Self {
            name,
            partitions: partitions.into_boxed_slice(),
            sticky: AtomicUsize::new(0),
            sticky_bytes: AtomicUsize::new(0),
            random: AtomicU64::new(seed | 1),
        };
        topic.sticky.store(topic.choose(), Ordering::Relaxed);
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

    /// The partition of a record with this key.
    #[inline]
    pub(crate) fn for_key(&self, key: &[u8]) -> Option<&Arc<PartitionQueue>> {
        let count = u32::try_from(self.partitions.len()).ok()?;
        let index = usize::try_from(barnabas_records::partition_for_key(key, count)).ok()?;
        self.partitions.get(index)
    }

    /// The partition of a record without a key.
    #[inline]
    pub(crate) fn sticky(&self) -> Option<&Arc<PartitionQueue>> {
        self.partitions.get(self.sticky.load(Ordering::Relaxed))
    }

    /// So many bytes went to the sticky partition. It changes after `batch_size` bytes at the end of a batch, and after twice
    /// as many in any case, so that every partition gets the same bytes however fast its broker is.
    #[inline]
    pub(crate) fn used_sticky(&self, bytes: usize, at_batch_end: bool, batch_size: usize) {
        let used = self.sticky_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if used >= batch_size && (at_batch_end || used >= batch_size.saturating_mul(2)) {
            self.sticky_bytes.store(0, Ordering::Relaxed);
            self.sticky.store(self.choose(), Ordering::Relaxed);
        }
    }

    /// Chooses a partition at random, each weighted by how much shorter its queue is than the longest one.
    fn choose(&self) -> usize {
        let depths = || self.partitions.iter().map(|queue| queue.depth.load(Ordering::Relaxed));
        let longest = depths().max().unwrap_or(0) + 1;
        let total: usize = depths().map(|depth| longest.saturating_sub(depth)).sum();
        let mut point = self.random_below(total);
        for (index, depth) in depths().enumerate() {
            let weight = longest.saturating_sub(depth);
            if point < weight {
                return index;
            }
            point -= weight;
        }
        // Queues changed while they were looked at.
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

    fn topic(partitions: i32) -> TopicState {
        let accumulator = Accumulator::new(
            BufferPool::new(1 << 20),
            1 << 14,
            Duration::ZERO,
            Arc::new(Waker::new()),
        );
        let queues = (0..partitions)
            .map(|partition| accumulator.new_queue("t".into(), partition))
            .collect();
        TopicState::new("t".into(), queues, 3)
    }

    /// Bytes per partition after `records` records of `size` bytes without keys.
    fn spread(topic: &TopicState, records: usize, size: usize) -> Vec<usize> {
        let mut bytes = vec![0; topic.partition_count()];
        for _ in 0..records {
            let partition = topic.sticky().unwrap();
            bytes[usize::try_from(partition.partition).unwrap()] += size;
            topic.used_sticky(size, true, 10_000);
        }
        bytes
    }

    #[test]
    fn records_without_keys_stay_for_a_batch_and_spread_evenly() {
        let topic = topic(4);
        let first = topic.sticky().unwrap().partition;
        topic.used_sticky(9_999, true, 10_000);
        assert_eq!(topic.sticky().unwrap().partition, first);
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
            assert_eq!(topic.for_key(key).unwrap().partition, expected);
        }
    }
}
