//! Bytes of text looked at eight at a time, in the lanes of one word.

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
/// Bytes of a chunk: two words.
pub(crate) const LANES: usize = 16;
/// Most digits that [`digits`] reads.
pub(crate) const DIGITS_MAX: usize = 16;

/// High bits set where a byte of `word` is zero (and perhaps above the first such byte).
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(LOW_BITS) & !word & HIGH_BITS
}

/// Where the first quote, backslash or control character of eight bytes is; eight if there is none.
#[inline]
fn special_in_word(word: u64, quote: u8) -> usize {
    let quotes = LOW_BITS.wrapping_mul(u64::from(quote));
    let backslashes = LOW_BITS.wrapping_mul(u64::from(b'\\'));
    let controls = word.wrapping_sub(LOW_BITS.wrapping_mul(0x20)) & !word & HIGH_BITS;
    let hits = zero_bytes(word ^ quotes) | zero_bytes(word ^ backslashes) | controls;
    // The lowest hit is exact: borrows only run upwards.
    (hits.trailing_zeros() / 8) as usize
}

/// Where the first quote, backslash or control character of sixteen bytes is; [`LANES`] if there is none.
#[inline]
pub(crate) fn special(chunk: &[u8; LANES], quote: u8) -> usize {
    let (words, _) = chunk.as_chunks::<8>();
    let mut at = 0usize;
    for word in words {
        let found = special_in_word(u64::from_le_bytes(*word), quote);
        at = at.wrapping_add(found);
        if found < 8 {
            break;
        }
    }
    at
}

/// How many bytes stand before the first quote, backslash or control character.
#[inline]
pub(crate) fn plain_prefix(bytes: &[u8], quote: u8) -> usize {
    let mut at = 0usize;
    let (chunks, rest) = bytes.as_chunks::<LANES>();
    for chunk in chunks {
        let found = special(chunk, quote);
        at = at.saturating_add(found);
        if found < LANES {
            return at;
        }
    }
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        let found = special_in_word(u64::from_le_bytes(*word), quote);
        at = at.saturating_add(found);
        if found < 8 {
            return at;
        }
    }
    let plain = rest
        .iter()
        .position(|byte| *byte == quote || *byte == b'\\' || *byte < 0x20);
    at.saturating_add(plain.unwrap_or(rest.len()))
}

/// Eight characters as digits in the bytes of a word, 0 to 9 where they are some, and how many there are from the first.
#[inline]
fn digits_of_word(word: u64) -> (u64, usize) {
    let values = word ^ (LOW_BITS.wrapping_mul(u64::from(b'0')));
    // The lowest byte that is no digit is exact: carries only run upwards.
    let others = (values.wrapping_add(LOW_BITS.wrapping_mul(0x76)) | values) & HIGH_BITS;
    (values, (others.trailing_zeros() / 8) as usize)
}

/// The number that `count` digits (one to eight) are, which are the lowest bytes of a word.
#[inline]
fn number_of(values: u64, count: usize) -> u64 {
    // Digits to the top, zeros before them.
    let values = values << (64usize.wrapping_sub(count.wrapping_mul(8)) & 63);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Ten to the power of a number of digits, at most eight.
#[inline]
pub(crate) fn power_of_ten(digits: usize) -> Option<u64> {
    POWERS.get(digits).copied()
}

/// The digits that `bytes` begin with: their number and how many they are, at most [`DIGITS_MAX`]. Nothing if the end of
/// the bytes is too near to look at eight at a time.
#[inline]
pub(crate) fn digits(bytes: &[u8]) -> Option<(u64, usize)> {
    let (values, count) = digits_of_word(u64::from_le_bytes(*bytes.first_chunk()?));
    if count == 0 {
        return Some((0, 0));
    }
    let number = number_of(values, count);
    if count < 8 {
        return Some((number, count));
    }
    let (values, more) = digits_of_word(u64::from_le_bytes(*bytes.get(8..)?.first_chunk()?));
    if more == 0 {
        return Some((number, count));
    }
    let number = number
        .wrapping_mul(*POWERS.get(more)?)
        .wrapping_add(number_of(values, more));
    Some((number, count.wrapping_add(more)))
}

/// How many digits `bytes` begin with.
#[inline]
pub(crate) fn count_digits(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut at = 0usize;
    for word in words {
        let (_, count) = digits_of_word(u64::from_le_bytes(*word));
        at = at.saturating_add(count);
        if count < 8 {
            return at;
        }
    }
    at.saturating_add(rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// Eight characters, digits where `shape` has a `0` and the same as in `shape` elsewhere: in each byte the digit there
/// ten times, and the one in the next byte.
#[inline]
pub(crate) fn shaped_pairs(chunk: [u8; 8], shape: [u8; 8]) -> Option<[u8; 8]> {
    let zeros = u64::from_le_bytes(shape.map(|byte| if byte == b'0' { 0x76 } else { 0x7f }));
    let values = u64::from_le_bytes(chunk) ^ u64::from_le_bytes(shape);
    if (values.wrapping_add(zeros) | values) & HIGH_BITS != 0 {
        return None;
    }
    Some(values.wrapping_mul(10).wrapping_add(values >> 8).to_le_bytes())
}

/// Whether `bytes` begin with `literal`; short ones, as names of fields are, by two comparisons.
#[inline]
pub(crate) fn begins_with(bytes: &[u8], literal: &[u8]) -> bool {
    let Some(head) = bytes.get(..literal.len()) else {
        return false;
    };
    match literal.len() {
        4..8 => head.first_chunk::<4>() == literal.first_chunk() && head.last_chunk::<4>() == literal.last_chunk(),
        8..=16 => head.first_chunk::<8>() == literal.first_chunk() && head.last_chunk::<8>() == literal.last_chunk(),
        17..=32 => head.first_chunk::<16>() == literal.first_chunk() && head.last_chunk::<16>() == literal.last_chunk(),
        _ => head == literal,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..80),
            "[0-9]{0,40}[a-z\"\\\\\u{1}]?[0-9é]{0,20}".prop_map(String::into_bytes),
        ]
    }

    proptest! {
        #[test]
        fn a_prefix_ends_at_the_first_special_character(bytes in text(), quote in prop::sample::select(vec![b'"', b'\''])) {
            let expected = bytes.iter().position(|byte| *byte == quote || *byte == b'\\' || *byte < 0x20);
            prop_assert_eq!(plain_prefix(&bytes, quote), expected.unwrap_or(bytes.len()));
        }

        #[test]
        fn digits_are_a_number(bytes in text()) {
            let expected = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            prop_assert_eq!(count_digits(&bytes), expected);
            match digits(&bytes) {
                Some((number, count)) => {
                    prop_assert_eq!(count, expected.min(DIGITS_MAX));
                    let text = std::str::from_utf8(&bytes[..count]).unwrap();
                    prop_assert_eq!(number, text.parse().unwrap_or(0));
                }
                None => prop_assert!(bytes.len() < DIGITS_MAX),
            }
        }

        #[test]
        fn pairs_have_their_shape(bytes in "[0-9:.-]{8}", shape in "[0:-]{8}") {
            let fits = bytes.bytes().zip(shape.bytes()).all(|(byte, shape)| {
                byte == shape || (shape == b'0' && byte.is_ascii_digit())
            });
            let chunk = <[u8; 8]>::try_from(bytes.as_bytes()).unwrap();
            let pairs = shaped_pairs(chunk, shape.as_bytes().try_into().unwrap());
            prop_assert_eq!(pairs.is_some(), fits);
            for at in 0..7 {
                if let Some(pairs) = pairs && chunk[at..at + 2].iter().all(u8::is_ascii_digit) {
                    prop_assert_eq!(pairs[at].to_string(), bytes[at..at + 2].parse::<u8>().unwrap().to_string());
                }
            }
        }

        #[test]
        fn a_literal_is_found_at_the_beginning(bytes in text(), length in 0usize..80, wrong in 0usize..80) {
            let mut literal = bytes.get(..length).unwrap_or(&bytes).to_vec();
            prop_assert!(begins_with(&bytes, &literal));
            if let Some(byte) = literal.get_mut(wrong) {
                *byte = byte.wrapping_add(1);
                prop_assert!(!begins_with(&bytes, &literal));
            }
            literal.extend_from_slice(&bytes);
            literal.push(0);
            prop_assert!(!begins_with(&bytes, &literal));
        }
    }
}
