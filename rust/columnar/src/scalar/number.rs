//! Numbers from text.

use arrow_buffer::i256;

/// Largest mantissa that a double holds exactly.
const EXACT_MANTISSA: u64 = 1 << 53;
/// Powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Most digits of a number, as in Spark's JSON reader.
pub(crate) const DIGITS_LIMIT: usize = 1000;

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
        b"Infinity" | b"+Infinity" | b"+INF" => Some(f64::INFINITY),
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
    let value = exact(mantissa, fraction_digits)?;
    Some(if negative { -value } else { value })
}

/// A mantissa over a power of ten, if both are exact.
#[inline]
pub(crate) fn exact(mantissa: u64, fraction_digits: usize) -> Option<f64> {
    if mantissa > EXACT_MANTISSA {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 2^53, which a double holds exactly")]
    let value = mantissa as f64;
    if fraction_digits == 0 {
        return Some(value);
    }
    Some(value / EXACT_POWERS.get(fraction_digits)?)
}

/// The unscaled value of a decimal: 128 or 256 bits.
pub(crate) trait Unscaled: Copy {
    /// Nothing.
    const ZERO: Self;
    /// Ten times the value, and a digit.
    fn push_digit(self, digit: u8) -> Option<Self>;
    /// One more.
    fn increment(self) -> Option<Self>;
    /// Less than nothing.
    fn negate(self) -> Self;
    /// Whether it has at most this many digits.
    fn fits(self, precision: u8) -> bool;
    /// Whether it is nothing.
    fn is_zero(self) -> bool;
}

impl Unscaled for i128 {
    const ZERO: Self = 0;

    #[inline]
    fn push_digit(self, digit: u8) -> Option<Self> {
        self.checked_mul(10)?.checked_add(Self::from(digit))
    }

    fn increment(self) -> Option<Self> {
        self.checked_add(1)
    }

    fn negate(self) -> Self {
        self.wrapping_neg()
    }

    fn fits(self, precision: u8) -> bool {
        10i128
            .checked_pow(u32::from(precision))
            .is_none_or(|limit| self < limit)
    }

    fn is_zero(self) -> bool {
        self == 0
    }
}

impl Unscaled for i256 {
    const ZERO: Self = Self::ZERO;

    fn push_digit(self, digit: u8) -> Option<Self> {
        self.checked_mul(Self::from_i128(10))?
            .checked_add(Self::from_i128(i128::from(digit)))
    }

    fn increment(self) -> Option<Self> {
        self.checked_add(Self::ONE)
    }

    fn negate(self) -> Self {
        self.wrapping_neg()
    }

    fn fits(self, precision: u8) -> bool {
        Self::from_i128(10)
            .checked_pow(u32::from(precision))
            .is_none_or(|limit| self < limit)
    }

    fn is_zero(self) -> bool {
        self == Self::ZERO
    }
}

/// The unscaled value of a decimal of this precision and scale, rounded half up; nothing if it does not fit.
pub(crate) fn decimal<T: Unscaled>(text: &[u8], precision: u8, scale: i8) -> Option<T> {
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
    let mut value = T::ZERO;
    let mut position = 0i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        if position < kept {
            value = value.push_digit(digit & 0x0f)?;
        } else if position == kept && *digit >= b'5' {
            value = value.increment()?;
        }
        position += 1;
    }
    if !value.is_zero() {
        for _ in position..kept {
            value = value.push_digit(0)?;
        }
    }
    value
        .fits(precision)
        .then(|| if negative { value.negate() } else { value })
}

/// A decimal as Java's `BigDecimal` reads text whose thousands may be set apart by commas.
pub(crate) fn decimal_of_text<T: Unscaled>(text: &[u8], precision: u8, scale: i8) -> Option<T> {
    if text.contains(&b',') {
        let plain: Vec<u8> = text.iter().copied().filter(|byte| *byte != b',').collect();
        return decimal_of_text(&plain, precision, scale);
    }
    is_decimal(text).then(|| decimal(text, precision, scale))?
}

/// Whether it is `[+-]digits[.digits][e[+-]digits]` with a digit in the mantissa.
fn is_decimal(text: &[u8]) -> bool {
    let (_, rest) = sign(text);
    let mantissa_end = rest
        .iter()
        .position(|byte| matches!(byte, b'e' | b'E'))
        .unwrap_or(rest.len());
    let (mantissa, exponent) = rest.split_at(mantissa_end);
    let digits = mantissa.iter().filter(|byte| byte.is_ascii_digit()).count();
    let points = mantissa.len().saturating_sub(digits);
    let is_mantissa = points == 0 || (points == 1 && mantissa.contains(&b'.'));
    let exponent_fits = match exponent.split_first() {
        None => true,
        Some((_, digits)) => {
            let (_, digits) = sign(digits);
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
    };
    digits > 0 && is_mantissa && exponent_fits
}

/// A whole number as Java's `parseLong` reads one.
pub(crate) fn integer_of_text(text: &[u8]) -> Option<i64> {
    let (_, digits) = sign(text);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| integer(text))?
}

/// What Java's `parseDouble` reads as a decimal number: white space around it, a suffix that names a type.
///
/// Java's hexadecimal form is not read.
fn java_number(text: &[u8]) -> Option<&[u8]> {
    let start = text.iter().position(|byte| *byte > b' ')?;
    let end = text.iter().rposition(|byte| *byte > b' ')?;
    let text = text.get(start..=end)?;
    let plain = match text.split_last() {
        Some((b'd' | b'D' | b'f' | b'F', plain)) => plain,
        _ => text,
    };
    Some(if is_decimal(plain) { plain } else { text })
}

/// A double as Java's `parseDouble` reads one.
pub(crate) fn double_of_text(text: &[u8]) -> Option<f64> {
    let text = java_number(text)?;
    if is_decimal(text) {
        return double(text);
    }
    match sign(text) {
        (_, b"NaN") => Some(f64::NAN),
        (negative, b"Infinity") => Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY }),
        _ => None,
    }
}

/// A single-precision number as Java's `parseFloat` reads one.
#[expect(
    clippy::cast_possible_truncation,
    reason = "not-a-number and infinities keep their meaning"
)]
pub(crate) fn float_of_text(text: &[u8]) -> Option<f32> {
    let number = java_number(text)?;
    if is_decimal(number) {
        return float(number);
    }
    double_of_text(number).map(|value| value as f32)
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
        assert_eq!(decimal::<i128>(b"1.005", 10, 2), Some(101));
        assert_eq!(decimal::<i256>(b"1.005", 10, 2), Some(i256::from_i128(101)));
        assert_eq!(decimal::<i128>(b"-1.005", 10, 2), Some(-101));
        assert_eq!(decimal::<i256>(b"-1.005", 10, 2), Some(i256::from_i128(-101)));
        assert_eq!(decimal::<i128>(b"1.004", 10, 2), Some(100));
        assert_eq!(decimal::<i256>(b"1.004", 10, 2), Some(i256::from_i128(100)));
        assert_eq!(decimal::<i128>(b"12e2", 10, 2), Some(120_000));
        assert_eq!(decimal::<i256>(b"12e2", 10, 2), Some(i256::from_i128(120_000)));
        assert_eq!(decimal::<i128>(b"12e-5", 10, 4), Some(1));
        assert_eq!(decimal::<i256>(b"12e-5", 10, 4), Some(i256::from_i128(1)));
        assert_eq!(decimal::<i128>(b"99999999.99", 10, 2), Some(9_999_999_999));
        assert_eq!(
            decimal::<i256>(b"99999999.99", 10, 2),
            Some(i256::from_i128(9_999_999_999))
        );
        assert_eq!(decimal::<i128>(b"99999999.995", 10, 2), None);
        assert_eq!(decimal::<i256>(b"99999999.995", 10, 2), None);
        assert_eq!(decimal::<i128>(b"1e400000000000000000", 38, 0), None);
        assert_eq!(decimal::<i256>(b"1e400000000000000000", 38, 0), None);
        assert_eq!(decimal::<i128>(b"0e4000000", 38, 0), Some(0));
        assert_eq!(decimal::<i256>(b"0e4000000", 38, 0), Some(i256::from_i128(0)));
        assert_eq!(decimal::<i128>(b"1e-4000000", 38, 0), Some(0));
        assert_eq!(decimal::<i256>(b"1e-4000000", 38, 0), Some(i256::from_i128(0)));
        assert_eq!(decimal::<i128>(b"0.5", 3, 0), Some(1));
        assert_eq!(decimal::<i256>(b"0.5", 3, 0), Some(i256::from_i128(1)));
    }

    #[test]
    fn large_decimals_have_76_digits() {
        let digits = "9".repeat(76);
        assert_eq!(
            decimal::<i256>(digits.as_bytes(), 76, 0).map(|value| value.to_string()),
            Some(digits.clone())
        );
        assert_eq!(decimal::<i256>(format!("{digits}.5").as_bytes(), 76, 0), None);
        assert_eq!(decimal::<i256>(b"1e76", 76, 0), None);
    }

    #[test]
    fn java_reads_more_than_json() {
        assert_eq!(double_of_text(b" 1.5d\n"), Some(1.5));
        assert_eq!(double_of_text(b"+.5e-1f"), Some(0.05));
        assert_eq!(double_of_text(b"-Infinity"), Some(f64::NEG_INFINITY));
        assert!(double_of_text(b"-NaN").is_some_and(f64::is_nan));
        for text in ["", " ", "1dd", "--1", "1e", ".", "inf", "nan", "1_0", "e5", "+"] {
            assert_eq!(double_of_text(text.as_bytes()), None, "{text}");
        }
        assert_eq!(float_of_text(b"0.1F"), Some(0.1));
        assert_eq!(decimal_of_text::<i128>(b"1,234.5", 10, 2), Some(123_450));
        assert_eq!(decimal_of_text::<i128>(b"5.", 10, 2), Some(500));
        assert_eq!(decimal_of_text::<i128>(b" 1", 10, 2), None);
        assert_eq!(integer_of_text(b"+00012"), Some(12));
        for text in ["", "+", "-", "1 ", "1e2", "9223372036854775808"] {
            assert_eq!(integer_of_text(text.as_bytes()), None, "{text}");
        }
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
