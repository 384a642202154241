//! murmur2 as Kafka's Java client computes it, and the partition that it gives a key.

const SEED: u32 = 0x9747_b28c;
const M: u32 = 0x5bd1_e995;
const R: u32 = 24;

/// The 32-bit murmur2 hash of `key`, equal to `org.apache.kafka.common.utils.Utils.murmur2`.
#[inline]
pub fn murmur2(key: &[u8]) -> i32 {
    // Java mixes the length in as an int; the format bounds keys to i32::MAX bytes.
    let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
    let (words, tail) = key.as_chunks::<4>();
    let mut h = SEED ^ length;
    for word in words {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> R;
        h = h.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    if let [first, rest @ ..] = tail {
        match *rest {
            [second, third] => h ^= (u32::from(third) << 16) ^ (u32::from(second) << 8),
            [second] => h ^= u32::from(second) << 8,
            _ => {}
        }
        h = (h ^ u32::from(*first)).wrapping_mul(M);
    }
    h ^= h >> 13;
    h = h.wrapping_mul(M);
    (h ^ (h >> 15)).cast_signed()
}

/// The partition of a keyed record among `partitions`, as Kafka's default partitioner chooses it.
///
/// Returns 0 if `partitions` is 0.
#[inline]
pub fn partition_for_key(key: &[u8], partitions: u32) -> i32 {
    let positive = murmur2(key).cast_unsigned() & 0x7fff_ffff;
    positive.checked_rem(partitions).map_or(0, u32::cast_signed)
}
