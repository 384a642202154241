//! Strings with escapes, and base64.

/// Appends the characters that stand between the quotes of a well-formed string.
///
/// A surrogate without its other half becomes `?`, as it does in Spark.
pub(crate) fn unescape(text: &[u8], out: &mut Vec<u8>) {
    unescape_whole(text, out);
}

/// As [`unescape`]; false if a surrogate stands there without its other half.
pub(crate) fn unescape_whole(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    let mut is_whole = true;
    while let Some(backslash) = rest.iter().position(|byte| *byte == b'\\') {
        let (plain, escape) = rest.split_at(backslash);
        out.extend_from_slice(plain);
        rest = escape.get(2..).unwrap_or_default();
        match escape.get(1) {
            Some(b'b') => out.push(0x08),
            Some(b'f') => out.push(0x0c),
            Some(b'n') => out.push(b'\n'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(b'u') => rest = unicode(rest, out, &mut is_whole),
            Some(other) => out.push(*other),
            None => {}
        }
    }
    out.extend_from_slice(rest);
    is_whole
}

/// Appends the character whose four digits begin `rest`, with its second half if it is a pair; gives what follows.
fn unicode<'a>(rest: &'a [u8], out: &mut Vec<u8>, is_whole: &mut bool) -> &'a [u8] {
    let (unit, after) = hex4(rest);
    let low = match after {
        [b'\\', b'u', digits @ ..] => Some(hex4(digits)),
        _ => None,
    };
    let (character, after) = match (unit, low) {
        (0xd800..=0xdbff, Some((low @ 0xdc00..=0xdfff, after_low))) => {
            let pair = (unit.wrapping_sub(0xd800) << 10).wrapping_add(low.wrapping_sub(0xdc00));
            (char::from_u32(pair.wrapping_add(0x1_0000)), after_low)
        }
        _ => (char::from_u32(unit), after),
    };
    *is_whole &= character.is_some();
    out.extend_from_slice(character.unwrap_or('?').encode_utf8(&mut [0; 4]).as_bytes());
    after
}

fn hex4(bytes: &[u8]) -> (u32, &[u8]) {
    let (digits, rest) = bytes.split_at(bytes.len().min(4));
    let value = digits.iter().fold(0u32, |value, digit| {
        (value << 4) | char::from(*digit).to_digit(16).unwrap_or(0)
    });
    (value, rest)
}

/// Appends the bytes that padded base64 stands for; false if it is none.
///
/// As in Jackson white space may stand between groups of four, and groups may follow a padded one.
pub(crate) fn base64(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    loop {
        rest = match rest {
            [] => return true,
            [0..=b' ', after @ ..] => after,
            [a, b, c, d, after @ ..] => {
                if !base64_group([*a, *b, *c, *d], out) {
                    return false;
                }
                after
            }
            _ => return false,
        };
    }
}

fn base64_group(group: [u8; 4], out: &mut Vec<u8>) -> bool {
    let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
    if padding > 2 {
        return false;
    }
    let mut bits = 0u32;
    for byte in group.iter().take(4usize.saturating_sub(padding)) {
        let Some(six) = six_bits(*byte) else { return false };
        bits = (bits << 6) | six;
    }
    bits <<= 6u32.saturating_mul(u32::try_from(padding).unwrap_or(0));
    let [_, bytes @ ..] = bits.to_be_bytes();
    out.extend(bytes.iter().take(3usize.saturating_sub(padding)));
    true
}

fn six_bits(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte.wrapping_sub(b'A'),
        b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
        b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unescaped(text: &str) -> String {
        let mut out = Vec::new();
        unescape(text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_become_characters() {
        assert_eq!(unescaped(r#"a\"b\\c\/d\b\f\n\r\t"#), "a\"b\\c/d\u{8}\u{c}\n\r\t");
        assert_eq!(unescaped(r"\u00e9\u20AC"), "é€");
        assert_eq!(unescaped(r"\ud83d\ude00!"), "😀!");
        assert_eq!(unescaped(r"\udbff\udfff"), "\u{10ffff}");
    }

    #[test]
    fn half_a_surrogate_pair_becomes_a_question_mark() {
        assert_eq!(unescaped(r"\ud83dx"), "?x");
        assert_eq!(unescaped(r"\ude00\ud83d"), "??");
        assert_eq!(unescaped(r"\ud83d\u0041"), "?A");
    }

    #[test]
    fn base64_needs_padding_and_its_alphabet() {
        let decode = |text: &str| {
            let mut out = Vec::new();
            base64(text.as_bytes(), &mut out).then_some(out)
        };
        assert_eq!(decode(""), Some(vec![]));
        assert_eq!(decode("AQID"), Some(vec![1, 2, 3]));
        assert_eq!(decode("AQI="), Some(vec![1, 2]));
        assert_eq!(decode("AQ=="), Some(vec![1]));
        assert_eq!(decode("AQ==AQID"), Some(vec![1, 1, 2, 3]));
        assert_eq!(decode(" AQID\nAQ== "), Some(vec![1, 2, 3, 1]));
        for wrong in ["A", "AQ=", "A===", "A Q=", "AQ-_", "AQ=D"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
