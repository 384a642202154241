//! SipHash-2-4 with 128 bits of output (Aumasson and Bernstein), keyed.
//!
//! The cleaner takes two keys for the same when their hashes are, and then deletes records: the hash must not let a
//! client that chooses its keys find a collision. Kafka uses MD5, for which everybody can; the key of this hash is
//! drawn anew for every map.

/// The hash under one key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SipHash128 {
    k0: u64,
    k1: u64,
}

struct State {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}

impl State {
    #[inline]
    fn round(&mut self) {
        self.v0 = self.v0.wrapping_add(self.v1);
        self.v1 = self.v1.rotate_left(13) ^ self.v0;
        self.v0 = self.v0.rotate_left(32);
        self.v2 = self.v2.wrapping_add(self.v3);
        self.v3 = self.v3.rotate_left(16) ^ self.v2;
        self.v0 = self.v0.wrapping_add(self.v3);
        self.v3 = self.v3.rotate_left(21) ^ self.v0;
        self.v2 = self.v2.wrapping_add(self.v1);
        self.v1 = self.v1.rotate_left(17) ^ self.v2;
        self.v2 = self.v2.rotate_left(32);
    }

    #[inline]
    fn word(&mut self, word: u64) {
        self.v3 ^= word;
        self.round();
        self.round();
        self.v0 ^= word;
    }

    fn finish(&mut self) -> u64 {
        for _ in 0..4 {
            self.round();
        }
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }
}

impl SipHash128 {
    pub(crate) fn new(k0: u64, k1: u64) -> Self {
        Self { k0, k1 }
    }

    /// The two halves of the hash.
    #[inline]
    pub(crate) fn hash(&self, bytes: &[u8]) -> [u64; 2] {
        let mut state = State {
            v0: self.k0 ^ 0x736f_6d65_7073_6575,
            v1: self.k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee,
            v2: self.k0 ^ 0x6c79_6765_6e65_7261,
            v3: self.k1 ^ 0x7465_6462_7974_6573,
        };
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            state.word(u64::from_le_bytes(*word));
        }
        let mut last = (bytes.len() as u64) << 56;
        for (index, byte) in rest.iter().enumerate() {
            last |= u64::from(*byte) << (8 * index);
        }
        state.word(last);
        state.v2 ^= 0xee;
        let low = state.finish();
        state.v1 ^= 0xdd;
        [low, state.finish()]
    }
}

#[cfg(test)]
mod tests {
    use super::SipHash128;

    /// The first vectors of the authors' `vectors_sip128`: key 00 … 0f, message 00, 01, … of the row's length.
    #[test]
    fn the_authors_vectors_hold() {
        let hash = SipHash128::new(0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908);
        let message: Vec<u8> = (0..63).collect();
        let hex = |len: usize| {
            let [low, high] = hash.hash(&message[..len]);
            format!("{:016x}{:016x}", low.swap_bytes(), high.swap_bytes())
        };
        for (len, expected) in VECTORS {
            assert_eq!(hex(*len), *expected, "length {len}");
        }
    }

    const VECTORS: &[(usize, &str)] = &[
        (0, "a3817f04ba25a8e66df67214c7550293"),
        (1, "da87c1d86b99af44347659119b22fc45"),
        (7, "a1f1ebbed8dbc153c0b84aa61ff08239"),
        (8, "3b62a9ba6258f5610f83e264f31497b4"),
        (9, "264499060ad9baabc47f8b02bb6d71ed"),
        (15, "5493e99933b0a8117e08ec0f97cfc3d9"),
        (16, "6ee2a4ca67b054bbfd3315bf85230577"),
        (17, "473d06e8738db89854c066c47ae47740"),
        (31, "2939b0183223fafc1723de4f52c43d35"),
        (62, "5853542321f567a005d547a4f04759bd"),
    ];
}
