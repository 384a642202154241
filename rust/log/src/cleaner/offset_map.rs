//! The newest offset of each key: Kafka's `SkimpyOffsetMap` (a hash of the key, never the key, and an offset in an
//! open-addressed table of fixed size).

use std::hash::{BuildHasher, RandomState};

use crate::cleaner::siphash::SipHash128;

/// 16 bytes of hash and the offset plus one; all zero is an empty slot.
type Slot = [u64; 3];

/// Bytes of memory that a key takes.
pub(crate) const BYTES_PER_ENTRY: u64 = size_of::<Slot>() as u64;

/// Maps keys to the greatest offset that was put for them.
#[derive(Debug)]
pub(crate) struct OffsetMap {
    slots: Vec<Slot>,
    hash: SipHash128,
    len: usize,
    len_max: usize,
    latest_offset: i64,
}

/// The map takes no further key; keys that it has can still be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl OffsetMap {
    /// A map in at most `memory` bytes that is filled up to `load_factor`, and no larger than `keys_max` keys need.
    pub(crate) fn new(memory: u64, load_factor: f64, keys_max: u64) -> Self {
        let load_factor = load_factor.clamp(0.01, 1.0);
        let affordable = (memory / BYTES_PER_ENTRY).max(MIN_SLOTS);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "sizes of tables: a rounding error costs a slot, and float casts saturate"
        )]
        let needed = ((keys_max as f64 / load_factor).ceil() as u64).saturating_add(1);
        let slots = usize::try_from(affordable.min(needed.max(MIN_SLOTS))).unwrap_or(usize::MAX / size_of::<Slot>());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "as above"
        )]
        // One slot stays empty, so that every search ends.
        let len_max = ((slots as f64 * load_factor) as usize).clamp(1, slots - 1);
        let random = RandomState::new();
        Self {
            // Zeroed memory comes from the system as it is touched.
            slots: vec![[0; 3]; slots],
            hash: SipHash128::new(random.hash_one(0), random.hash_one(1)),
            len: 0,
            len_max,
            latest_offset: -1,
        }
    }

    /// Notes that `key` stands at `offset`; offsets come in rising order.
    pub(crate) fn put(&mut self, key: &[u8], offset: i64) -> Result<(), Full> {
        let hash = self.hash.hash(key);
        let index = self.find(hash);
        let is_new = self.slots.get(index).is_some_and(|slot| slot[2] == 0);
        if is_new && self.len >= self.len_max {
            return Err(Full);
        }
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = [hash[0], hash[1], offset.cast_unsigned() + 1];
            self.len += usize::from(is_new);
        }
        Ok(())
    }

    /// The newest offset of `key`, -1 when it has none.
    #[inline]
    pub(crate) fn get(&self, key: &[u8]) -> i64 {
        let index = self.find(self.hash.hash(key));
        self.slots.get(index).map_or(-1, |slot| slot[2].cast_signed() - 1)
    }

    /// Where `hash` stands or belongs.
    #[inline]
    fn find(&self, hash: [u64; 2]) -> usize {
        let count = self.slots.len();
        // The high half of a product spreads a hash over any number of slots without a division.
        let wide = u128::from(hash[0]) * count as u128;
        let mut index = usize::try_from(wide >> 64).unwrap_or(0);
        loop {
            match self.slots.get(index) {
                Some(slot) if slot[2] != 0 && (slot[0] != hash[0] || slot[1] != hash[1]) => {
                    index += 1;
                    if index == count {
                        index = 0;
                    }
                }
                _ => return index,
            }
        }
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The last offset that the map knows of: what lies behind it says nothing yet.
    pub(crate) fn latest_offset(&self) -> i64 {
        self.latest_offset
    }

    pub(crate) fn set_latest_offset(&mut self, offset: i64) {
        self.latest_offset = offset;
    }
}

const MIN_SLOTS: u64 = 16;

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn it_holds_the_newest_offset_of_each_key() {
        let mut map = OffsetMap::new(1 << 20, 0.9, 1 << 30);
        let mut model = HashMap::new();
        for offset in 0..30_000i64 {
            let key = format!("key {}", (offset * 7919) % 10_007);
            map.put(key.as_bytes(), offset).unwrap();
            model.insert(key, offset);
        }
        assert_eq!(map.len(), model.len());
        for (key, offset) in &model {
            assert_eq!(map.get(key.as_bytes()), *offset);
        }
        assert_eq!(map.get(b"another"), -1);
    }

    #[test]
    fn it_is_full_at_its_load_factor_and_still_takes_known_keys() {
        let mut map = OffsetMap::new(24 * 100, 0.5, 1 << 30);
        for offset in 0..50 {
            map.put(&[u8::try_from(offset).unwrap()], offset).unwrap();
        }
        assert_eq!(map.put(b"new", 50), Err(Full));
        assert_eq!(map.put(&[7], 51), Ok(()));
        assert_eq!((map.get(&[7]), map.get(b"new"), map.len()), (51, -1, 50));
    }

    #[test]
    fn its_memory_is_bounded_by_what_is_needed_and_by_what_is_allowed() {
        assert_eq!(OffsetMap::new(24 * 1000, 0.9, u64::MAX).slots.len(), 1000);
        assert!(OffsetMap::new(u64::MAX, 0.9, 90).slots.len() <= 102);
        let mut tiny = OffsetMap::new(0, 1.0, u64::MAX);
        for offset in 0..15 {
            tiny.put(&[u8::try_from(offset).unwrap()], offset).unwrap();
        }
        assert_eq!(tiny.put(b"x", 15), Err(Full));
        assert_eq!(tiny.get(b"x"), -1);
    }
}
