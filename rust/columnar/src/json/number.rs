//! Numbers from their well-formed text.

/// Largest mantissa that a double holds exactly.
const EXACT_MANTISSA: u64 = 1 << 53;
/// Powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Longest number that is converted, as in Spark's JSON reader.
const DIGITS_LIMIT: usize = 1000;

/// A whole number; nothing if it does not fit.
pub(crate) fn integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = sign(text);
    let mut value = 0i64;
    if digits.len() <= 18 {
        for digit in digits {
            value = value * 10 + i64::from(digit & 0x0f);
        }
        return Some(if negative { -value } else { value });
    }
    for digit in digits {
        value = value.checked_mul(10)?.checked_sub(i64::from(digit & 0x0f))?;
    }
    if negative { Some(value) } else { value.checked_neg() }
}

/// The nearest double.
pub(crate) fn double(text: &[u8]) -> Option<f64> {
    exact_double(text).or_else(|| std::str::from_utf8(text).ok()?.parse().ok())
}

/// The nearest single-precision number, rounded once.
pub(crate) fn float(text: &[u8]) -> Option<f32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The words that stand for what is no finite number.
pub(crate) fn non_finite(word: &[u8]) -> Option<f64> {
    match word {
        b"NaN" => Some(f64::NAN),
        b"Infinity" | b"INF" | b"+Infinity" | b"+INF" => Some(f64::INFINITY),
        b"-Infinity" | b"-INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Short numbers: mantissa and power of ten are exact doubles, so that one operation rounds correctly.
fn exact_double(text: &[u8]) -> Option<f64> {
    let (negative, rest) = sign(text);
    let mut mantissa = 0u64;
    let mut fraction_digits = 0usize;
    let mut seen_point = false;
    if rest.len() > 18 {
        return None;
    }
    for byte in rest {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + u64::from(byte & 0x0f);
                fraction_digits += usize::from(seen_point);
            }
            b'.' => seen_point = true,
            _ => return None,
        }
    }
    if mantissa > EXACT_MANTISSA {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 2^53, which a double holds exactly")]
    let value = mantissa as f64 / EXACT_POWERS.get(fraction_digits)?;
    Some(if negative { -value } else { value })
}

/// The unscaled value of a decimal of this precision and scale, rounded half up; nothing if it does not fit.
pub(crate) fn decimal(text: &[u8], precision: u8, scale: i8) -> Option<i128> {
    let (negative, rest) = sign(text);
    if rest.len() > DIGITS_LIMIT {
        return None;
    }
    let mantissa_end = rest
        .iter()
        .position(|byte| matches!(byte, b'e' | b'E'))
        .unwrap_or(rest.len());
    let (mantissa, exponent) = rest.split_at(mantissa_end);
    let exponent: i64 = match exponent.get(1..) {
        Some(digits) => std::str::from_utf8(digits).ok()?.parse().ok()?,
        None => 0,
    };
    let point = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
    let digits = mantissa.iter().filter(|byte| **byte != b'.');
    // How many of the digits stand before the decimal point once the value is multiplied by 10^scale.
    let kept = i64::try_from(point)
        .ok()?
        .checked_add(exponent)?
        .checked_add(i64::from(scale))?;
    let mut value = 0i128;
    let mut position = 0i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        if position < kept {
            value = value.checked_mul(10)?.checked_add(i128::from(digit & 0x0f))?;
        } else if position == kept && *digit >= b'5' {
            value = value.checked_add(1)?;
        }
        position += 1;
    }
    if value != 0 {
        for _ in position..kept {
            value = value.checked_mul(10)?;
        }
    }
    let limit = 10i128.checked_pow(u32::from(precision))?;
    (value < limit).then_some(if negative { -value } else { value })
}

/// Whether it is negative, and what follows the sign.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn integers_end_at_64_bits() {
        assert_eq!(integer(b"9223372036854775807"), Some(i64::MAX));
        assert_eq!(integer(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(integer(b"9223372036854775808"), None);
        assert_eq!(integer(b"-9223372036854775809"), None);
        assert_eq!(integer(b"-0"), Some(0));
    }

    #[test]
    fn decimals_round_half_up() {
        assert_eq!(decimal(b"1.005", 10, 2), Some(101));
        assert_eq!(decimal(b"-1.005", 10, 2), Some(-101));
        assert_eq!(decimal(b"1.004", 10, 2), Some(100));
        assert_eq!(decimal(b"12e2", 10, 2), Some(120_000));
        assert_eq!(decimal(b"12e-5", 10, 4), Some(1));
        assert_eq!(decimal(b"99999999.99", 10, 2), Some(9_999_999_999));
        assert_eq!(decimal(b"99999999.995", 10, 2), None);
        assert_eq!(decimal(b"1e400000000000000000", 38, 0), None);
        assert_eq!(decimal(b"0e4000000", 38, 0), Some(0));
        assert_eq!(decimal(b"1e-4000000", 38, 0), Some(0));
        assert_eq!(decimal(b"0.5", 3, 0), Some(1));
    }

    proptest! {
        #[test]
        fn doubles_are_those_of_the_standard_library(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            let text = value.to_string();
            prop_assert_eq!(double(text.as_bytes()).map(f64::to_bits), Some(value.to_bits()));
        }

        #[test]
        fn short_decimals_are_exact(mantissa in -999_999_999_999i64..999_999_999_999, digits in 0usize..6) {
            let text = format!("{mantissa}.{:0digits$}1", 0);
            prop_assert_eq!(double(text.as_bytes()), text.parse().ok());
        }

        #[test]
        fn integers_round_trip(value in any::<i64>()) {
            prop_assert_eq!(integer(value.to_string().as_bytes()), Some(value));
        }
    }
}
