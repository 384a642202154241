//! One scanned JSON value, and what it is to a column.

use super::JsonOptions;
use super::scan::{Kind, Span};
use super::text;
use crate::scalar::number::Unscaled;
use crate::scalar::{Source, duration, number, time};

/// First day that the Julian and the Gregorian calendar name alike; Spark would convert the days before.
const FIRST_GREGORIAN_DAY: i64 = -141_427;

/// A value that is neither missing nor null.
#[derive(Debug)]
pub(crate) struct Value<'a> {
    options: &'a JsonOptions,
    kind: Kind,
    bytes: &'a [u8],
}

impl<'a> Value<'a> {
    #[inline]
    pub(crate) fn new(options: &'a JsonOptions, input: &'a [u8], span: Span) -> Self {
        Self {
            options,
            kind: span.kind,
            bytes: span.bytes(input),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Float)
    }

    /// A string by its characters; the escapes of one that has some are resolved first.
    #[inline]
    fn with_text<T>(&self, convert: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        match self.kind {
            Kind::Text => convert(self.bytes),
            Kind::EscapedText => {
                let mut characters = Vec::new();
                text::unescape(self.bytes, &mut characters);
                convert(&characters)
            }
            _ => None,
        }
    }
}

/// Appends a string's characters, of anything else its text.
#[inline]
pub(crate) fn characters(input: &[u8], span: Span, data: &mut Vec<u8>) {
    match span.kind {
        Kind::EscapedText => text::unescape(span.bytes(input), data),
        _ => data.extend_from_slice(span.bytes(input)),
    }
}

impl Source for Value<'_> {
    #[inline]
    fn boolean(&self) -> Option<bool> {
        match self.kind {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// Spark reads a byte as Java does, to 255.
    #[expect(clippy::cast_possible_wrap, reason = "Java's cast of 128..=255 to a byte")]
    fn byte(&self) -> Option<i8> {
        let value = self.integer()?;
        i8::try_from(value)
            .ok()
            .or_else(|| u8::try_from(value).ok().map(|value| value as i8))
    }

    #[inline]
    fn integer(&self) -> Option<i64> {
        (self.kind == Kind::Integer).then(|| number::integer(self.bytes))?
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "not-a-number and infinities keep their meaning"
    )]
    fn float(&self) -> Option<f32> {
        match self.kind {
            Kind::Float => number::float(self.bytes),
            // A whole number has no minus zero.
            Kind::Integer => number::float(self.bytes).map(|value| value + 0.0),
            _ => self.double().map(|value| value as f32),
        }
    }

    #[inline]
    fn double(&self) -> Option<f64> {
        match self.kind {
            Kind::Float => number::double(self.bytes),
            // A whole number has no minus zero.
            Kind::Integer => number::double(self.bytes).map(|value| value + 0.0),
            Kind::NonFinite => number::non_finite(self.bytes),
            Kind::Text if self.options.syntax.non_numeric => number::non_finite(self.bytes),
            _ => None,
        }
    }

    fn decimal<T: Unscaled>(&self, precision: u8, scale: i8) -> Option<T> {
        if self.is_number() {
            return number::decimal(self.bytes, precision, scale);
        }
        self.with_text(|text| number::decimal_of_text(text, precision, scale))
    }

    fn date(&self) -> Option<i32> {
        self.with_text(|text| {
            let read = self.options.times.date_format.as_ref().map(|format| format.read(text));
            match read {
                Some(Some(read)) => i32::try_from(read.days).ok(),
                Some(None) if !self.options.times.falls_back => None,
                _ => time::date(text).or_else(|| {
                    // Days since the epoch, as Spark 1.5 wrote dates.
                    let days = number::integer_of_text(text).filter(|days| *days >= FIRST_GREGORIAN_DAY)?;
                    i32::try_from(days).ok()
                }),
            }
        })
    }

    #[inline]
    fn timestamp(&self) -> Option<i64> {
        if self.kind == Kind::Integer {
            return self.integer()?.checked_mul(self.options.epoch_unit.micros());
        }
        let offset_seconds = self.options.times.zone_offset_seconds;
        self.with_text(|text| match &self.options.times.timestamp_format {
            None => time::timestamp(text, offset_seconds),
            Some(format) => match format.read(text).and_then(|read| read.micros(offset_seconds)) {
                None if self.options.times.falls_back => time::timestamp(text, offset_seconds),
                micros => micros,
            },
        })
    }

    fn local_timestamp(&self) -> Option<i64> {
        self.with_text(|text| match &self.options.times.local_timestamp_format {
            None => time::local_timestamp(text),
            Some(format) => format.read(text).filter(|read| read.offset.is_none())?.micros(0),
        })
    }

    fn duration(&self) -> Option<i64> {
        self.with_text(duration::day_to_second)
    }

    /// A string by its characters, anything else as it is written.
    #[inline]
    fn text(&self, data: &mut Vec<u8>) -> bool {
        match self.kind {
            Kind::EscapedText => text::unescape(self.bytes, data),
            _ => data.extend_from_slice(self.bytes),
        }
        true
    }

    fn binary(&self, data: &mut Vec<u8>) -> bool {
        self.with_text(|text| text::base64(text, data).then_some(())).is_some()
    }
}
