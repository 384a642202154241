//! Single values converted where they stand: the common forms of the common types, all others by way of their span.

use super::JsonOptions;
use super::column::Fit;
use super::object::OnePass;
use super::scan::Scanner;
use super::value::Value;
use crate::lanes;
use crate::scalar::{Leaf, number, time};

/// Appends the value where the scanner is to a column of single values and steps over it.
#[inline]
pub(super) fn read_leaf(
    leaf: &mut Leaf,
    options: &JsonOptions,
    scanner: &mut Scanner<'_>,
    depth: usize,
) -> OnePass<Fit> {
    let fits = match leaf {
        Leaf::Int64(column) => whole(scanner).map(|value| column.push(Some(value))),
        Leaf::Int32(column) => whole(scanner).map(|value| column.push(value.try_into().ok())),
        Leaf::Float64(column) => decimal(scanner).map(|value| column.push(Some(value))),
        Leaf::Boolean(column) => boolean(scanner).map(|value| column.push(Some(value))),
        Leaf::Timestamp(column) if options.times.timestamp_format.is_none() => {
            timestamp(scanner, options.times.zone_offset_seconds).map(|micros| column.push(Some(micros)))
        }
        Leaf::Text(builder) => {
            let is_copied = copy_text(scanner, builder.data_mut());
            if is_copied {
                builder.seal(true)?;
            }
            is_copied.then_some(true)
        }
        _ => None,
    };
    match fits {
        Some(true) => Ok(Fit::Fits),
        Some(false) => Ok(Fit::Bad),
        None => read_any(leaf, options, scanner, depth),
    }
}

/// As [`read_leaf`], for any value.
#[inline(never)]
fn read_any(leaf: &mut Leaf, options: &JsonOptions, scanner: &mut Scanner<'_>, depth: usize) -> OnePass<Fit> {
    let span = scanner.value(depth)?;
    if span.is_null() {
        leaf.push_null()?;
        return Ok(Fit::Fits);
    }
    let fits = leaf.push(&Value::new(options, scanner.input(), span))?;
    Ok(if fits { Fit::Fits } else { Fit::Bad })
}

/// Steps over a value that nobody asked for.
#[inline]
pub(super) fn pass_over(scanner: &mut Scanner<'_>, depth: usize) -> OnePass<()> {
    let rest = scanner.rest();
    match rest.split_first() {
        Some((b'"', text)) => {
            let length = lanes::plain_prefix(text, b'"');
            if text.get(length) == Some(&b'"') {
                scanner.step(length.wrapping_add(2));
                return Ok(());
            }
        }
        Some((b'1'..=b'9', _)) => {
            let mut length = lanes::count_digits(rest);
            if rest.get(length) == Some(&b'.') {
                let fraction = lanes::count_digits(rest.get(length.wrapping_add(1)..).unwrap_or_default());
                length = length.wrapping_add(fraction).wrapping_add(usize::from(fraction > 0));
            }
            if length < number::DIGITS_LIMIT && ends_number(rest.get(length)) {
                scanner.step(length);
                return Ok(());
            }
        }
        _ => {}
    }
    scanner.value(depth)?;
    Ok(())
}

/// Whether a number may end before this byte.
#[inline]
fn ends_number(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
}

/// The digits that begin a number of fewer digits than [`lanes::DIGITS_MAX`], no zero before others.
#[inline]
fn leading_digits(text: &[u8]) -> Option<(u64, usize)> {
    let (value, count) = lanes::digits(text)?;
    let is_plain = match count {
        1 => true,
        2..lanes::DIGITS_MAX => text.first() != Some(&b'0'),
        _ => false,
    };
    is_plain.then_some((value, count))
}

/// Steps over a whole number in its common form.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "fewer than sixteen digits")]
fn whole(scanner: &mut Scanner<'_>) -> Option<i64> {
    let rest = scanner.rest();
    let negative = usize::from(rest.first() == Some(&b'-'));
    let (value, count) = leading_digits(rest.get(negative..)?)?;
    let length = negative.wrapping_add(count);
    if !ends_number(rest.get(length)) {
        return None;
    }
    scanner.step(length);
    Some(if negative == 1 { -(value as i64) } else { value as i64 })
}

/// Steps over a number in a common form: so few digits that mantissa and power of ten are exact.
#[inline]
fn decimal(scanner: &mut Scanner<'_>) -> Option<f64> {
    let rest = scanner.rest();
    let negative = usize::from(rest.first() == Some(&b'-'));
    let digits = rest.get(negative..)?;
    let (mut mantissa, mut length) = leading_digits(digits)?;
    let mut fraction_digits = 0;
    let is_fraction = digits.get(length) == Some(&b'.');
    if is_fraction {
        let (fraction, count) = lanes::digits(digits.get(length.wrapping_add(1)..)?)?;
        if count == 0 || length.wrapping_add(count) >= lanes::DIGITS_MAX {
            return None;
        }
        mantissa = mantissa
            .wrapping_mul(lanes::power_of_ten(count)?)
            .wrapping_add(fraction);
        length = length.wrapping_add(1).wrapping_add(count);
        fraction_digits = count;
    }
    if !ends_number(digits.get(length)) {
        return None;
    }
    scanner.step(negative.wrapping_add(length));
    let value = number::exact(mantissa, fraction_digits)?;
    // A whole number has no minus zero.
    let is_negative = negative == 1 && (is_fraction || mantissa != 0);
    Some(if is_negative { -value } else { value })
}

/// Steps over a truth value.
#[inline]
fn boolean(scanner: &mut Scanner<'_>) -> Option<bool> {
    let (value, length) = match scanner.rest() {
        [b't', b'r', b'u', b'e', b',' | b'}' | b']' | b' ', ..] => (true, 4),
        [b'f', b'a', b'l', b's', b'e', b',' | b'}' | b']' | b' ', ..] => (false, 5),
        _ => return None,
    };
    scanner.step(length);
    Some(value)
}

/// Steps over a timestamp in its common form: `"yyyy-mm-ddThh:mm:ss"` with `Z` or nothing after it.
#[inline]
fn timestamp(scanner: &mut Scanner<'_>, offset_seconds: i64) -> Option<i64> {
    let text: &[u8; 22] = scanner.rest().first_chunk()?;
    let [b'"', time @ .., zone, after] = text else {
        return None;
    };
    let (length, offset_seconds) = match (zone, after) {
        (b'Z', b'"') => (22, 0),
        (b'"', _) => (21, offset_seconds),
        _ => return None,
    };
    let micros = time::common_micros(time, offset_seconds)?;
    scanner.step(length);
    Some(micros)
}

/// Copies the characters of a string without escapes and steps over it; copies nothing of any other.
#[inline]
fn copy_text(scanner: &mut Scanner<'_>, out: &mut Vec<u8>) -> bool {
    let Some((b'"', text)) = scanner.rest().split_first() else {
        return false;
    };
    let before = out.len();
    let (chunks, _) = text.as_chunks::<{ lanes::LANES }>();
    let mut length = 0usize;
    for chunk in chunks {
        // Whole chunks are copied, and what is too much is cut off.
        out.extend_from_slice(chunk);
        let plain = lanes::special(chunk, b'"');
        length = length.wrapping_add(plain);
        if plain < lanes::LANES {
            return end_text(scanner, text, out, before, length);
        }
    }
    let tail = text.get(length..).unwrap_or_default();
    let plain = lanes::plain_prefix(tail, b'"');
    out.extend_from_slice(tail.get(..plain).unwrap_or_default());
    end_text(scanner, text, out, before, length.wrapping_add(plain))
}

/// Ends a copied string where its quote is.
#[inline]
fn end_text(scanner: &mut Scanner<'_>, text: &[u8], out: &mut Vec<u8>, before: usize, length: usize) -> bool {
    let ends = text.get(length) == Some(&b'"');
    out.truncate(if ends { before.wrapping_add(length) } else { before });
    if ends {
        scanner.step(length.wrapping_add(2));
    }
    ends
}
