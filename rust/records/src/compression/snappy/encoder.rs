//! Snappy's raw blocks, written: a greedy search for repeated bytes by a hash table, as in the C++ library.
//!
//! What that library does with unchecked pointers is done here with positions of 16 bits in an array that is longer than
//! any of them plus what is loaded there, so that the compiler sees that no load needs a check.

use std::hint::select_unpredictable;

/// Longest run of input that is searched at once; repeats are not found across its end.
pub(super) const BLOCK_LEN: usize = POSITIONS;

const POSITIONS: usize = 1 << 16;
/// Most bytes that are copied at once behind a position.
const COPY_LEN: usize = 64;
/// Not searched at the end of a block, so that a search may load ahead.
const MARGIN: usize = 15;
/// Steps of a search begin with one byte and become longer by one each time that this many bytes had no match.
const SKIP_LOG: u32 = 5;
/// Bytes that are searched one after the other before steps are counted.
const RUN_LEN: usize = 16;

/// Bytes that are looked up.
const WORD: usize = 4;
/// Bytes that are compared at once.
const STEP: usize = 8;

/// Tag of a literal: its two low bits.
const LITERAL: u32 = 0;
/// Tag of a copy of 4 to 11 bytes from less than 2,048 bytes before.
const COPY_NEAR: u32 = 1;
/// Tag of a copy of 1 to 64 bytes from less than 65,536 bytes before.
const COPY_FAR: u32 = 2;
/// Literals of up to this many bytes have their length within the tag.
const LITERAL_IN_TAG: usize = 60;

/// A block, and behind it what loads may touch but nothing depends on.
type Source = [u8; POSITIONS + COPY_LEN];

/// More places than the longest block may take: at worst it grows by a sixth and a few bytes.
const PLACES: usize = 1 << 17;
/// A compressed block, and behind it what stores may touch but does not count.
type Target = [u8; PLACES + 1 + COPY_LEN];

/// Positions by hashes, for the longest blocks.
type Positions = [u16; 1 << 15];

/// Space for the search, kept between blocks.
#[derive(Debug)]
pub(super) struct Encoder {
    /// The last position of four bytes by their hash; as much of it is used as the block is long.
    table: Vec<u16>,
    /// A block that has too little behind it to be loaded where it stands.
    copy: Vec<u8>,
    target: Vec<u8>,
}

impl Encoder {
    pub(super) fn new() -> Self {
        Self {
            table: vec![0; size_of::<Positions>() / size_of::<u16>()],
            copy: vec![0; size_of::<Source>()],
            target: vec![0; size_of::<Target>()],
        }
    }

    /// The first [`BLOCK_LEN`] bytes of `input`, or all if there are fewer, as a compressed block.
    ///
    /// It is always there: nothing would mean that the encoder's space is not what it was made with.
    pub(super) fn compress(&mut self, input: &[u8]) -> Option<&[u8]> {
        let block = input.get(..BLOCK_LEN).unwrap_or(input);
        let source: &Source = if let Some(source) = input.first_chunk() {
            source
        } else {
            self.copy.get_mut(..block.len())?.copy_from_slice(block);
            self.copy.first_chunk()?
        };
        let (table, len) = (self.table.first_chunk_mut()?, block.len());
        let mut out = Writer {
            target: self.target.first_chunk_mut()?,
            at: 0,
        };
        out.length(len);
        match len {
            0 => {}
            1..=0x400 => search(source, len, &mut Table::<0x400>::of(table), &mut out),
            0x401..=0x1000 => search(source, len, &mut Table::<0x1000>::of(table), &mut out),
            0x1001..=0x4000 => search(source, len, &mut Table::<0x4000>::of(table), &mut out),
            _ => search(source, len, &mut Table::<0x8000>::of(table), &mut out),
        }
        let end = out.at;
        self.target.get(..end)
    }
}

/// Writes literals and copies for the first `len` bytes, at least one.
fn search<const TABLE_LEN: usize>(source: &Source, len: usize, table: &mut Table<'_, TABLE_LEN>, out: &mut Writer<'_>) {
    let limit = len.saturating_sub(MARGIN);
    let mut written = 0_usize;
    let mut next = load32(source, 1);
    while let Some(found) = find(source, table, written.wrapping_add(1), limit, next) {
        out.literal(source, written, found.at.wrapping_sub(written));
        let (mut at, mut candidate) = (found.at, found.candidate);
        loop {
            let matched = matched(source, candidate, at, len);
            out.copy(at.wrapping_sub(candidate), matched.len);
            at = at.wrapping_add(matched.len);
            if at >= limit {
                out.rest(source, at, len);
                return;
            }
            let before = at.wrapping_sub(1);
            table.replace(load32(source, before), before);
            let word = low32(matched.ahead);
            candidate = table.replace(word, at);
            if load32(source, candidate) != word {
                next = low32(matched.ahead >> 8);
                break;
            }
        }
        written = at;
    }
    out.rest(source, written, len);
}

/// Four bytes that stand at two places.
struct Found {
    at: usize,
    candidate: usize,
}

/// The next four bytes from `start` on, before `limit`, that the table knows from elsewhere; `first` are those at `start`.
#[inline]
fn find<const TABLE_LEN: usize>(
    source: &Source,
    table: &mut Table<'_, TABLE_LEN>,
    start: usize,
    limit: usize,
    first: u32,
) -> Option<Found> {
    let mut at = start;
    let mut skip = 1 << SKIP_LOG;
    let mut data = load64(source, at);
    if limit.saturating_sub(at) >= RUN_LEN {
        // Eight bytes hold five words of four: loads stay ahead of what is searched.
        for group in 0..RUN_LEN / 4 {
            for place in 0..4 {
                let here = at.wrapping_add(4 * group + place);
                let word = if group + place == 0 { first } else { low32(data) };
                let candidate = table.replace(word, here);
                if load32(source, candidate) == word {
                    return Some(Found { at: here, candidate });
                }
                data >>= 8;
            }
            data = load64(source, at.wrapping_add(4 * group + 4));
        }
        at = at.wrapping_add(RUN_LEN);
        skip += RUN_LEN;
    }
    let mut word = low32(data);
    loop {
        let step = skip >> SKIP_LOG;
        skip = skip.wrapping_add(step);
        let next = at.wrapping_add(step);
        if next > limit {
            return None;
        }
        let candidate = table.replace(word, at);
        if load32(source, candidate) == word {
            return Some(Found { at, candidate });
        }
        word = load32(source, next);
        at = next;
    }
}

/// How long a match is, and what follows it.
struct Matched {
    len: usize,
    /// The bytes behind the match; at least five of them count.
    ahead: u64,
}

/// Extends a match of four bytes, no further than to `end`.
#[inline]
fn matched(source: &Source, candidate: usize, at: usize, end: usize) -> Matched {
    let mut len = WORD;
    // Most matches end in the first step; apart from the others the compiler knows that these are short.
    if at.wrapping_add(WORD + STEP) <= end {
        if let Some(matched) = ending(source, candidate, at, WORD) {
            return matched;
        }
        len = WORD + STEP;
    }
    while at.wrapping_add(len).wrapping_add(STEP) <= end {
        if let Some(matched) = ending(source, candidate, at, len) {
            return matched;
        }
        len = len.wrapping_add(STEP);
    }
    while at.wrapping_add(len) < end && byte(source, at.wrapping_add(len)) == byte(source, candidate.wrapping_add(len))
    {
        len = len.wrapping_add(1);
    }
    Matched {
        len,
        ahead: load64(source, at.wrapping_add(len)),
    }
}

/// Whether a match of `len` bytes ends within the next eight.
#[inline]
fn ending(source: &Source, candidate: usize, at: usize, len: usize) -> Option<Matched> {
    let here = load64(source, at.wrapping_add(len));
    let different = here ^ load64(source, candidate.wrapping_add(len));
    if different == 0 {
        return None;
    }
    let bits = different.trailing_zeros();
    // Both loads are there before it is known how far the match goes; the place behind it would be one more wait.
    let later = load64(source, at.wrapping_add(len).wrapping_add(WORD));
    let ahead = select_unpredictable(low32(different) == 0, later, here);
    Some(Matched {
        len: len.wrapping_add((bits / 8) as usize),
        ahead: ahead >> (bits & 0b1_1000),
    })
}

/// Positions by the hash of the four bytes that stand there.
struct Table<'t, const LEN: usize>(&'t mut [u16]);

impl<'t, const LEN: usize> Table<'t, LEN> {
    const SHIFT: u32 = u32::BITS - LEN.trailing_zeros();

    /// As much of `all` as it needs, without positions.
    fn of(all: &'t mut Positions) -> Self {
        let table = all.get_mut(..LEN).unwrap_or_default();
        table.fill(0);
        Self(table)
    }

    /// Puts a position in the place of the one that was there last.
    #[inline]
    fn replace(&mut self, word: u32, at: usize) -> usize {
        let hash = (word.wrapping_mul(0x1e35_a7bd) >> Self::SHIFT) as usize;
        self.0
            .get_mut(hash)
            .map_or(0, |place| usize::from(std::mem::replace(place, position(at))))
    }
}

/// Where the compressed block goes.
struct Writer<'o> {
    target: &'o mut Target,
    at: usize,
}

impl Writer<'_> {
    /// Writes `bytes`, of which the first `count` stay; the others are written over.
    #[inline]
    fn put<const LEN: usize>(&mut self, bytes: [u8; LEN], count: usize) {
        const { assert!(LEN <= COPY_LEN + 1) };
        // No block takes more places: this tells the compiler.
        let at = self.at % PLACES;
        if let Some(room) = self.target.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *room = bytes;
        }
        self.at = at.wrapping_add(count);
    }

    /// The block's length as a varint.
    fn length(&mut self, mut len: usize) {
        const MORE: usize = 0x80;
        while len >= MORE {
            let [low, ..] = (len | MORE).to_le_bytes();
            self.put([low], 1);
            len >>= 7;
        }
        let [low, ..] = len.to_le_bytes();
        self.put([low], 1);
    }

    /// What is left of the block, if anything.
    fn rest(&mut self, source: &Source, from: usize, end: usize) {
        if from < end {
            self.literal(source, from, end.wrapping_sub(from));
        }
    }

    /// `len` bytes of the source as they are, at least one.
    #[inline]
    fn literal(&mut self, source: &Source, from: usize, len: usize) {
        const SHORT: usize = 16;
        if len > SHORT {
            return self.long_literal(source, from, len);
        }
        self.put([literal_tag(len.wrapping_sub(1))], 1);
        self.put::<SHORT>(load(source, from), len);
    }

    fn long_literal(&mut self, source: &Source, from: usize, len: usize) {
        const BYTE_FOLLOWS: usize = 60;
        const TWO_BYTES_FOLLOW: usize = 61;
        let last = len.wrapping_sub(1);
        let [low, high] = position(last).to_le_bytes();
        match (len <= LITERAL_IN_TAG, high) {
            (true, _) => {
                self.put([literal_tag(last)], 1);
                return self.put::<COPY_LEN>(load(source, from), len);
            }
            (false, 0) => self.put([literal_tag(BYTE_FOLLOWS), low], 2),
            (false, _) => self.put([literal_tag(TWO_BYTES_FOLLOW), low, high], 3),
        }
        let text = source.get(from..).and_then(|text| text.get(..len));
        let room = self.target.get_mut(self.at..).and_then(|room| room.get_mut(..len));
        if let (Some(text), Some(room)) = (text, room) {
            room.copy_from_slice(text);
        }
        self.at = self.at.wrapping_add(len);
    }

    /// A repeat of `len` bytes, at least four, from `offset` bytes before.
    #[inline]
    fn copy(&mut self, offset: usize, mut len: usize) {
        const NEAR_LEN_MAX: usize = 11;
        const NEAR_OFFSETS: u32 = 1 << 11;
        const FAR_LEN_MAX: usize = 64;
        const LEN_MIN: usize = 4;
        let offset = u32::from(position(offset));
        if len > NEAR_LEN_MAX {
            // At least four bytes must be left for the last one.
            while len >= FAR_LEN_MAX + LEN_MIN {
                self.far(offset, FAR_LEN_MAX);
                len = len.wrapping_sub(FAR_LEN_MAX);
            }
            if len > FAR_LEN_MAX {
                self.far(offset, FAR_LEN_MAX - LEN_MIN);
                len = len.wrapping_sub(FAR_LEN_MAX - LEN_MIN);
            }
            if len > NEAR_LEN_MAX {
                return self.far(offset, len);
            }
        }
        // Whether the offset is near is hard to predict: both forms are made, one is taken.
        let len = u32::from(position(len));
        let is_near = offset < NEAR_OFFSETS;
        let near = COPY_NEAR | len.wrapping_sub(4) << 2 | offset >> 8 << 5 | (offset & 0xff) << 8;
        let far = COPY_FAR | len.wrapping_sub(1) << 2 | offset << 8;
        let count = select_unpredictable(is_near, 2, 3);
        self.put(select_unpredictable(is_near, near, far).to_le_bytes(), count);
    }

    #[inline]
    fn far(&mut self, offset: u32, len: usize) {
        let len = u32::from(position(len));
        self.put((COPY_FAR | len.wrapping_sub(1) << 2 | offset << 8).to_le_bytes(), 3);
    }
}

/// The tag of a literal with this in its upper six bits.
#[inline]
fn literal_tag(upper: usize) -> u8 {
    let [tag, ..] = (u32::from(position(upper)) << 2 | LITERAL).to_le_bytes();
    tag
}

/// The bytes at a position.
#[inline]
fn load<const LEN: usize>(source: &Source, at: usize) -> [u8; LEN] {
    const { assert!(LEN <= COPY_LEN) };
    // Positions are below the length of a block: this tells the compiler.
    let at = at % POSITIONS;
    source
        .get(at..)
        .and_then(<[u8]>::first_chunk)
        .map_or([0; LEN], |bytes| *bytes)
}

#[inline]
fn load64(source: &Source, at: usize) -> u64 {
    u64::from_le_bytes(load(source, at))
}

#[inline]
fn load32(source: &Source, at: usize) -> u32 {
    u32::from_le_bytes(load(source, at))
}

#[inline]
fn byte(source: &Source, at: usize) -> u8 {
    let [byte] = load(source, at);
    byte
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the other half is not wanted")]
fn low32(data: u64) -> u32 {
    data as u32
}

/// A number that is below the length of a block.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "positions in a block have 16 bits")]
fn position(at: usize) -> u16 {
    at as u16
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use snap::raw::{Decoder, Encoder as Reference, max_compress_len};

    use super::*;

    /// Compresses all of `input` as blocks, and finds each of them again.
    fn compressed_len(encoder: &mut Encoder, input: &[u8]) -> usize {
        let mut total = 0;
        for start in (0..input.len().max(1)).step_by(BLOCK_LEN) {
            let rest = &input[start..];
            let block = &rest[..rest.len().min(BLOCK_LEN)];
            let found = encoder.compress(rest).unwrap();
            assert!(found.len() <= max_compress_len(block.len()));
            assert_eq!(Decoder::new().decompress_vec(found).unwrap(), block);
            total += found.len();
        }
        total
    }

    /// What inputs are made of.
    #[derive(Clone, Debug)]
    enum Piece {
        Bytes(Vec<u8>),
        Run(u8, usize),
        /// As much from so far back.
        Repeat(usize, usize),
    }

    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..70).prop_map(Piece::Bytes),
            prop::collection::vec(0u8..3, 0..70).prop_map(Piece::Bytes),
            (any::<u8>(), 1usize..300).prop_map(|(byte, len)| Piece::Run(byte, len)),
            (1usize..70_000, 1usize..100).prop_map(|(back, len)| Piece::Repeat(back, len)),
            (1usize..3_000, 1usize..30).prop_map(|(back, len)| Piece::Repeat(back, len)),
            (1usize..70_000, 1usize..20_000).prop_map(|(back, len)| Piece::Repeat(back, len)),
        ];
        prop::collection::vec(piece, 0..60).prop_map(|pieces| {
            let mut input: Vec<u8> = Vec::new();
            for piece in pieces {
                match piece {
                    Piece::Bytes(bytes) => input.extend(bytes),
                    Piece::Run(byte, len) => input.resize(input.len() + len, byte),
                    Piece::Repeat(back, len) => {
                        for _ in 0..len {
                            let byte = input.len().checked_sub(back).map_or(7, |from| input[from]);
                            input.push(byte);
                        }
                    }
                }
            }
            input
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases()))]

        #[test]
        fn another_decoder_finds_the_input_again(input in pieces()) {
            compressed_len(&mut Encoder::new(), &input);
        }
    }

    /// Cases of each property: `PROPTEST_CASES`, or a share of a second's work.
    fn cases() -> u32 {
        let wanted = std::env::var("PROPTEST_CASES").ok();
        wanted.and_then(|cases| cases.parse().ok()).unwrap_or(64)
    }

    /// Bytes of a seeded generator below `bound`.
    fn random(len: usize, bound: u64) -> Vec<u8> {
        let mut state = 42u64;
        (0..len)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                u8::try_from((state >> 11) % bound).unwrap()
            })
            .collect()
    }

    #[test]
    fn every_length_around_a_limit() {
        // One encoder for all: what it kept of the blocks before makes no difference.
        let mut encoder = Encoder::new();
        let near = |len: usize| len - 20..len + 20;
        let lengths = (0..100).chain(near(0x400)).chain(near(0x1000)).chain(near(0x4000));
        for len in lengths.chain(near(BLOCK_LEN)).chain(near(BLOCK_LEN + COPY_LEN)) {
            for input in [vec![b'x'; len], random(len, 256), random(len, 2), random(len, 5)] {
                compressed_len(&mut encoder, &input);
            }
        }
    }

    #[test]
    fn what_does_not_repeat_costs_little_and_what_does_becomes_small() {
        let mut encoder = Encoder::new();
        assert!(compressed_len(&mut encoder, &random(BLOCK_LEN, 256)) <= BLOCK_LEN + BLOCK_LEN / 1000);
        assert!(compressed_len(&mut encoder, &vec![7; BLOCK_LEN]) <= BLOCK_LEN / 20);
    }

    #[test]
    fn it_compresses_as_well_as_another_encoder() {
        let mut input = String::new();
        for (index, number) in random(24_000, 250).chunks(4).enumerate() {
            let [a, b, c, d] = number else { continue };
            write!(
                input,
                r#"{{"id":{index},"origin":"EW{a}","tail":"N{b}{c}","delay":{d}}}"#
            )
            .unwrap();
        }
        let ours = compressed_len(&mut Encoder::new(), input.as_bytes());
        let theirs = Reference::new().compress_vec(input.as_bytes()).unwrap().len();
        assert!(ours * 100 <= theirs * 101, "{ours}, {theirs}");
    }
}
