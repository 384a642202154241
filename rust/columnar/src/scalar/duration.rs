//! Day-time intervals as Spark's casts from strings to `INTERVAL DAY TO SECOND` read them.

use super::time::Cursor;

const MICROS_PER_SECOND: i128 = 1_000_000;

/// Microseconds of `[+-]d h:m:s[.n]`, which may stand between `INTERVAL [+-]'` and `' DAY TO SECOND`.
pub(crate) fn day_to_second(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    match strip_word(text, b"INTERVAL") {
        Some(rest) => {
            let (outer_sign, rest) = sign(rest.trim_ascii_start());
            let rest = rest.strip_prefix(b"'")?;
            let end = rest.iter().position(|byte| *byte == b'\'')?;
            let (inner, unit) = rest.split_at(end);
            let unit = unit.get(1..)?.trim_ascii().to_ascii_uppercase();
            let words: Vec<&[u8]> = unit
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
                .collect();
            if words != [&b"DAY"[..], b"TO", b"SECOND"] {
                return None;
            }
            micros(inner, outer_sign)
        }
        None => micros(text, 1),
    }
}

fn strip_word<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word).then_some(rest)
}

fn sign(text: &[u8]) -> (i128, &[u8]) {
    match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    }
}

fn micros(text: &[u8], outer_sign: i128) -> Option<i64> {
    let (inner_sign, text) = sign(text);
    let mut cursor = Cursor(text);
    let (days, _) = cursor.number(1, 9)?;
    if !cursor.eat(b' ') {
        return None;
    }
    let (hours, _) = cursor.number(1, 2)?;
    if !cursor.eat(b':') {
        return None;
    }
    let (minutes, _) = cursor.number(1, 2)?;
    if !cursor.eat(b':') {
        return None;
    }
    let (seconds, _) = cursor.number(1, 2)?;
    let mut fraction = 0;
    if cursor.eat(b'.') {
        let digits = cursor.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > 9 {
            return None;
        }
        fraction = cursor.fraction();
    }
    if !cursor.is_done() || hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let seconds = i128::from(days) * 86_400 + i128::from(hours * 3600 + minutes * 60 + seconds);
    let micros = seconds * MICROS_PER_SECOND + i128::from(fraction);
    i64::try_from(micros * inner_sign * outer_sign).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_microseconds() {
        for (text, micros) in [
            ("1 02:03:04.5", Some(93_784_500_000)),
            ("-1 2:3:4", Some(-93_784_000_000)),
            (" +0 00:00:00.000000999 ", Some(0)),
            ("INTERVAL '1 02:03:04.5' DAY TO SECOND", Some(93_784_500_000)),
            ("interval -'1 02:03:04' day  to second", Some(-93_784_000_000)),
            ("INTERVAL -'-1 02:03:04' DAY TO SECOND", Some(93_784_000_000)),
            ("106751991 04:00:54.775807", Some(i64::MAX)),
            ("106751991 04:00:54.775808", None),
            ("1 24:00:00", None),
            ("1", None),
            ("P1D", None),
            ("INTERVAL '1 02:03:04.5' DAY TO MINUTE", None),
            ("INTERVAL '1 02:03:04.5", None),
        ] {
            assert_eq!(day_to_second(text.as_bytes()), micros, "{text}");
        }
    }
}
