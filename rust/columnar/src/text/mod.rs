//! One typed column from values that are plain text: strings, bytes, numbers, times.
//!
//! White space around anything but a string or bytes is left out; numbers, dates and timestamps are read as Spark's
//! casts from strings read them, `t`, `yes` and `1` and their opposites as truth values. A missing value (a tombstone)
//! is null and not bad; an empty one is an empty string, and no number.

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::Result;
use crate::payload::{Bad, PayloadDecoder};
use crate::projection::unsupported;
use crate::scalar::number::Unscaled;
use crate::scalar::{Leaf, Source, duration, number, time};

/// Decodes values.
#[derive(Debug)]
pub(crate) struct TextDecoder {
    leaf: Option<Leaf>,
}

impl TextDecoder {
    /// A decoder for the one column, if there is one.
    pub(crate) fn new(fields: &[&Field]) -> Result<Self> {
        let leaf = match fields {
            [] => None,
            [field] => Some(Leaf::new(field.data_type()).ok_or_else(|| unsupported(field, "text"))?),
            [_, second, ..] => return Err(unsupported(second, "text beside another column: a value is one text")),
        };
        Ok(Self { leaf })
    }
}

impl PayloadDecoder for TextDecoder {
    fn push(&mut self, payload: Option<&[u8]>) -> Result<Option<Bad>> {
        match (&mut self.leaf, payload) {
            (None, _) => Ok(None),
            (Some(leaf), None) => {
                leaf.push_null()?;
                Ok(None)
            }
            (Some(leaf), Some(text)) => Ok((!leaf.push(&Text(text))?).then_some(Bad::Field(0))),
        }
    }

    fn reserve(&mut self, rows: usize, bytes: usize) {
        if let Some(leaf) = &mut self.leaf {
            leaf.reserve(rows, bytes);
        }
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.leaf.iter_mut().map(Leaf::finish).collect()
    }
}

/// A value as it is.
struct Text<'a>(&'a [u8]);

impl Text<'_> {
    fn trimmed(&self) -> &[u8] {
        self.0.trim_ascii()
    }
}

impl Source for Text<'_> {
    fn boolean(&self) -> Option<bool> {
        match self.trimmed().to_ascii_lowercase().as_slice() {
            b"t" | b"true" | b"y" | b"yes" | b"1" => Some(true),
            b"f" | b"false" | b"n" | b"no" | b"0" => Some(false),
            _ => None,
        }
    }

    fn byte(&self) -> Option<i8> {
        self.integer()?.try_into().ok()
    }

    fn integer(&self) -> Option<i64> {
        number::integer_of_text(self.trimmed())
    }

    fn float(&self) -> Option<f32> {
        number::float_of_text(self.0)
    }

    fn double(&self) -> Option<f64> {
        number::double_of_text(self.0)
    }

    fn decimal<T: Unscaled>(&self, precision: u8, scale: i8) -> Option<T> {
        number::decimal_of_text(self.trimmed(), precision, scale)
    }

    fn date(&self) -> Option<i32> {
        time::date(self.0)
    }

    fn timestamp(&self) -> Option<i64> {
        time::timestamp(self.0, 0)
    }

    fn local_timestamp(&self) -> Option<i64> {
        time::local_timestamp(self.0)
    }

    fn duration(&self) -> Option<i64> {
        duration::day_to_second(self.0)
    }

    fn text(&self, data: &mut Vec<u8>) -> bool {
        data.extend_from_slice(self.0);
        true
    }

    fn binary(&self, data: &mut Vec<u8>) -> bool {
        data.extend_from_slice(self.0);
        true
    }
}
