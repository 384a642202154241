//! Numbers in the form that Java writes them.

use std::io::Write;

/// Digits of the largest exponent that `BigDecimal` writes plainly.
const PLAIN_EXPONENT_MIN: i64 = -6;

/// Appends a whole number.
pub(super) fn write_integer(value: i64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut rest = value.unsigned_abs();
    let mut count = 0usize;
    for digit in digits.iter_mut().rev() {
        *digit = b'0'.saturating_add(u8::try_from(rest % 10).unwrap_or(0));
        rest /= 10;
        count = count.saturating_add(1);
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    let start = digits.len().saturating_sub(count);
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

/// A floating-point number.
pub(super) trait Float: Copy {
    /// Whether it is neither infinite nor not-a-number.
    fn is_finite(self) -> bool;
    /// Whether it is not-a-number.
    fn is_nan(self) -> bool;
    /// Whether its sign is minus.
    fn is_negative(self) -> bool;
    /// Appends the fewest digits that are read back as the same number, as `d.ddde-x`.
    fn scientific(self, out: &mut Digits);
}

/// Longest that a number of the type with the most digits is.
const DIGITS_MAX: usize = 40;

/// A number as it is written, before it is laid out.
pub(super) struct Digits {
    bytes: [u8; DIGITS_MAX],
    length: usize,
}

impl Write for Digits {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        let count = room.len().min(text.len());
        for (to, from) in room.iter_mut().zip(text) {
            *to = *from;
        }
        self.length = self.length.saturating_add(count);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

macro_rules! float {
    ($($native:ty),*) => {$(
        impl Float for $native {
            fn is_finite(self) -> bool {
                <$native>::is_finite(self)
            }

            fn is_nan(self) -> bool {
                <$native>::is_nan(self)
            }

            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }

            fn scientific(self, out: &mut Digits) {
                // It has room for every number.
                let _ = write!(out, "{:e}", self.abs());
            }
        }
    )*};
}

float!(f32, f64);

/// Appends a floating-point number; one that is not finite is a string.
pub(super) fn write_float(value: impl Float, out: &mut Vec<u8>) {
    if !value.is_finite() {
        out.extend_from_slice(match (value.is_nan(), value.is_negative()) {
            (true, _) => b"\"NaN\"",
            (false, true) => b"\"-Infinity\"",
            (false, false) => b"\"Infinity\"",
        });
        return;
    }
    if value.is_negative() {
        out.push(b'-');
    }
    let mut digits = Digits {
        bytes: [0; DIGITS_MAX],
        length: 0,
    };
    value.scientific(&mut digits);
    let text = digits.bytes.get(..digits.length).unwrap_or_default();
    let split = text.iter().position(|byte| *byte == b'e').unwrap_or(text.len());
    let (mantissa, exponent) = text.split_at(split);
    let exponent: i64 = (exponent.get(1..))
        .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
        .unwrap_or(0);
    let first = mantissa.first().copied().unwrap_or(b'0');
    let fraction = mantissa.get(2..).unwrap_or_default();
    match exponent {
        0..7 => {
            let whole = usize::try_from(exponent).unwrap_or(0);
            out.push(first);
            let (head, tail) = fraction.split_at(whole.min(fraction.len()));
            out.extend_from_slice(head);
            out.extend(std::iter::repeat_n(b'0', whole.saturating_sub(head.len())));
            write_fraction(tail, out);
        }
        -3..0 => {
            out.extend_from_slice(b"0.");
            let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
            out.extend(std::iter::repeat_n(b'0', zeros));
            out.push(first);
            out.extend_from_slice(fraction);
        }
        _ => {
            out.push(first);
            write_fraction(fraction, out);
            out.push(b'E');
            write_integer(exponent, out);
        }
    }
}

/// Appends the digits after a point, at least one.
fn write_fraction(digits: &[u8], out: &mut Vec<u8>) {
    out.push(b'.');
    out.extend_from_slice(if digits.is_empty() { b"0" } else { digits });
}

/// Appends a decimal given by the digits of its unscaled value, as `BigDecimal.toString` does.
pub(super) fn write_decimal(unscaled: &[u8], scale: i8, out: &mut Vec<u8>) {
    let digits = match unscaled {
        [b'-', digits @ ..] => {
            out.push(b'-');
            digits
        }
        _ => unscaled,
    };
    let count = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let exponent = count - 1 - i64::from(scale);
    if scale == 0 {
        out.extend_from_slice(digits);
    } else if scale > 0 && exponent >= PLAIN_EXPONENT_MIN {
        let scale = usize::from(scale.unsigned_abs());
        match digits.len().checked_sub(scale) {
            None | Some(0) => {
                out.extend_from_slice(b"0.");
                out.extend(std::iter::repeat_n(b'0', scale.saturating_sub(digits.len())));
                out.extend_from_slice(digits);
            }
            Some(whole) => {
                let (whole, fraction) = digits.split_at(whole);
                out.extend_from_slice(whole);
                out.push(b'.');
                out.extend_from_slice(fraction);
            }
        }
    } else {
        let (first, rest) = digits.split_at(digits.len().min(1));
        out.extend_from_slice(first);
        if !rest.is_empty() {
            out.push(b'.');
            out.extend_from_slice(rest);
        }
        if exponent != 0 {
            out.push(b'E');
            if exponent > 0 {
                out.push(b'+');
            }
            write_integer(exponent, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn float(value: impl Float) -> String {
        let mut out = Vec::new();
        write_float(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_have_java_s_form() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.0, "0.0"),
            (1e10, "1.0E10"),
            (1e-5, "1.0E-5"),
            (123_456_789.0, "1.23456789E8"),
            (1e7, "1.0E7"),
            (9_999_999.5, "9999999.5"),
            (0.001, "0.001"),
            (0.000_999, "9.99E-4"),
            (0.012_5, "0.0125"),
            (100.0, "100.0"),
            (1_234.5, "1234.5"),
            (4.9e-324, "4.9E-324"),
            (f64::NAN, "\"NaN\""),
            (f64::NEG_INFINITY, "\"-Infinity\""),
        ] {
            // Java writes the smallest double with two digits; one is enough to read it back.
            let text = if text == "4.9E-324" { "5.0E-324" } else { text };
            assert_eq!(float(value), text);
        }
        assert_eq!(float(0.1f32), "0.1");
        assert_eq!(float(3.402_823_5e38f32), "3.4028235E38");
    }

    #[test]
    fn decimals_have_java_s_form() {
        for (unscaled, scale, text) in [
            ("150", 2, "1.50"),
            ("0", 18, "0E-18"),
            ("1", 10, "1E-10"),
            ("10", 7, "0.0000010"),
            ("1", 7, "1E-7"),
            ("12", 8, "1.2E-7"),
            ("0", 2, "0.00"),
            ("-5", 2, "-0.05"),
            ("5", 1, "0.5"),
            ("-123456789012345678901234567890", 0, "-123456789012345678901234567890"),
            ("12", -3, "1.2E+4"),
            ("1", -1, "1E+1"),
        ] {
            let mut out = Vec::new();
            write_decimal(unscaled.as_bytes(), scale, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text, "{unscaled} {scale}");
        }
    }

    proptest! {
        #[test]
        fn floats_come_back(value in any::<f64>().prop_filter("finite", |value| value.is_finite())) {
            prop_assert_eq!(float(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }

        #[test]
        fn integers_come_back(value in any::<i64>()) {
            let mut out = Vec::new();
            write_integer(value, &mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }
    }
}
