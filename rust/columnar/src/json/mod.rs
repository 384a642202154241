//! Typed columns from JSON values.
//!
//! A record's value is scanned once, which finds the fields that the schema asks for and shows whether the value is
//! well-formed; only then each field is converted into its column, in the schema's order. So a value that turns out
//! to be broken, fields in any order, missing fields and fields that appear twice need no undoing.
//!
//! The rules are those of Spark's `from_json`:
//! - a value that is no JSON object gives nulls in all columns; what follows the object is not looked at;
//! - a field that does not fit its column gives null in that column; missing fields and `null` are null;
//! - a missing or blank value (a tombstone) gives nulls and is not bad;
//! - whole numbers must be written as such and fit; strings do not become numbers; anything becomes a string,
//!   as it is written (`from_json` writes it anew, without white space);
//! - a timestamp is a string in ISO 8601, or whole seconds; without a zone it is in UTC;
//! - under [`BadRecords::Fail`] what would be null because it does not fit is an error.
//!
//! A column `_corrupt_record` of type string gets the value as it is when the value, or a field of it, does not fit.

mod column;
mod fields;
mod number;
mod scan;
mod text;
mod time;

use arrow_array::ArrayRef;
use arrow_schema::Field;

use column::{Column, Fit};
use fields::FieldSpans;
pub use scan::NESTING_LIMIT;
use scan::{Malformed, Scanner};

use crate::Result;
use crate::options::OptionMap;
use crate::payload::{Bad, PayloadDecoder};
use crate::projection::unsupported;

/// How JSON is read, by the names of Spark's options.
#[derive(Clone, Debug, Default)]
pub struct JsonOptions {}

impl JsonOptions {
    /// Takes the options by Spark's names.
    pub(crate) fn take(_map: &mut OptionMap) -> Result<Self> {
        Ok(Self {})
    }
}

/// Decodes JSON objects into columns.
#[derive(Debug)]
pub(crate) struct JsonDecoder {
    columns: Vec<Column>,
    spans: FieldSpans,
}

impl JsonDecoder {
    /// A decoder for these columns.
    pub(crate) fn new(fields: &[&Field], _options: &JsonOptions) -> Result<Self> {
        let column = |field: &&Field| Column::new(field.data_type()).ok_or_else(|| unsupported(field, "JSON"));
        Ok(Self {
            columns: fields.iter().map(column).collect::<Result<_>>()?,
            spans: FieldSpans::new(fields.iter().map(|field| field.name().as_str())),
        })
    }
}

impl PayloadDecoder for JsonDecoder {
    fn push(&mut self, payload: Option<&[u8]>) -> Result<Option<Bad>> {
        let value = payload.unwrap_or_default();
        let mut bad = None;
        if Scanner::new(value).is_blank() {
            self.spans.clear();
        } else if let Err(Malformed { at, what }) = self.spans.scan(value) {
            bad = Some(Bad::Malformed { at, what });
            self.spans.clear();
        }
        for (index, (column, span)) in self.columns.iter_mut().zip(self.spans.iter()).enumerate() {
            if column.push(value, span)? == Fit::Bad {
                bad = bad.or(Some(Bad::Field(index)));
            }
        }
        Ok(bad)
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.columns.iter_mut().map(Column::finish).collect()
    }
}
