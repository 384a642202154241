//! One field of a line, and what it is to a column.

use super::CsvOptions;
use crate::json::TimeOptions;
use crate::scalar::number::Unscaled;
use crate::scalar::{Source, duration, number, time};

/// How fields are read.
#[derive(Debug)]
pub(crate) struct Conversions {
    null_value: Vec<u8>,
    empty_value: Vec<u8>,
    nan_value: Vec<u8>,
    positive_infinity: Vec<u8>,
    negative_infinity: Vec<u8>,
    times: TimeOptions,
}

impl Conversions {
    pub(crate) fn new(options: &CsvOptions) -> Self {
        Self {
            null_value: options.null_value.clone().into_bytes(),
            empty_value: options.empty_value.clone().into_bytes(),
            nan_value: options.nan_value.clone().into_bytes(),
            positive_infinity: options.positive_infinity.clone().into_bytes(),
            negative_infinity: options.negative_infinity.clone().into_bytes(),
            times: options.times.clone(),
        }
    }

    /// What stands for null.
    pub(crate) fn null_value(&self) -> &[u8] {
        &self.null_value
    }

    /// What a pair of quotes stands for.
    pub(crate) fn empty_value(&self) -> &[u8] {
        &self.empty_value
    }
}

/// A field that is not null.
#[derive(Debug)]
pub(crate) struct Value<'a> {
    conversions: &'a Conversions,
    text: &'a [u8],
}

impl<'a> Value<'a> {
    #[inline]
    pub(crate) fn new(conversions: &'a Conversions, text: &'a [u8]) -> Self {
        Self { conversions, text }
    }

    /// What stands for no finite number by an option.
    fn non_finite(&self) -> Option<f64> {
        let Conversions {
            nan_value,
            positive_infinity,
            negative_infinity,
            ..
        } = self.conversions;
        if self.text == nan_value {
            Some(f64::NAN)
        } else if self.text == positive_infinity {
            Some(f64::INFINITY)
        } else if self.text == negative_infinity {
            Some(f64::NEG_INFINITY)
        } else {
            None
        }
    }
}

impl Source for Value<'_> {
    fn boolean(&self) -> Option<bool> {
        if self.text.eq_ignore_ascii_case(b"true") {
            Some(true)
        } else {
            self.text.eq_ignore_ascii_case(b"false").then_some(false)
        }
    }

    fn byte(&self) -> Option<i8> {
        self.integer()?.try_into().ok()
    }

    #[inline]
    fn integer(&self) -> Option<i64> {
        number::integer_of_text(self.text)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "not-a-number and infinities keep their meaning"
    )]
    fn float(&self) -> Option<f32> {
        number::float_of_text(self.text).or_else(|| self.non_finite().map(|value| value as f32))
    }

    #[inline]
    fn double(&self) -> Option<f64> {
        number::double_of_text(self.text).or_else(|| self.non_finite())
    }

    fn decimal<T: Unscaled>(&self, precision: u8, scale: i8) -> Option<T> {
        number::decimal_of_text(self.text, precision, scale)
    }

    fn date(&self) -> Option<i32> {
        let times = &self.conversions.times;
        match times.date_format.as_ref().map(|format| format.read(self.text)) {
            Some(Some(read)) => i32::try_from(read.days).ok(),
            Some(None) if !times.falls_back => None,
            _ => time::date(self.text),
        }
    }

    fn timestamp(&self) -> Option<i64> {
        let times = &self.conversions.times;
        let offset_seconds = times.zone_offset_seconds;
        match &times.timestamp_format {
            None => time::timestamp(self.text, offset_seconds),
            Some(format) => match format.read(self.text).and_then(|read| read.micros(offset_seconds)) {
                None if times.falls_back => time::timestamp(self.text, offset_seconds),
                micros => micros,
            },
        }
    }

    fn local_timestamp(&self) -> Option<i64> {
        match &self.conversions.times.local_timestamp_format {
            None => time::local_timestamp(self.text),
            Some(format) => format.read(self.text).filter(|read| read.offset.is_none())?.micros(0),
        }
    }

    fn duration(&self) -> Option<i64> {
        duration::day_to_second(self.text)
    }

    fn text(&self, data: &mut Vec<u8>) -> bool {
        data.extend_from_slice(self.text);
        true
    }

    fn binary(&self, data: &mut Vec<u8>) -> bool {
        data.extend_from_slice(self.text);
        true
    }
}
