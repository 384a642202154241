//! Typed columns from JSON values, and JSON values from columns.
//!
//! A record's value is scanned once, which finds the fields that the schema asks for and shows whether the value is
//! well-formed; only then each field is converted into its column, in the schema's order. So a value that turns out
//! to be broken, fields in any order, missing fields and fields that appear twice need no undoing.
//!
//! The rules are those of Spark's `from_json`:
//! - a value that is no JSON object gives nulls in all columns; what follows the object is not looked at;
//! - a field that does not fit its column gives null in that column; missing fields and `null` are null;
//! - an element that does not fit makes its list or map null; a struct keeps the fields that fit;
//! - of a field that appears twice the last value that fits counts; if one does not, the record is bad;
//! - a missing or blank value (a tombstone) gives nulls and is not bad;
//! - whole numbers must be written as such and fit; strings do not become numbers, but decimals;
//! - a timestamp is a string in ISO 8601, or whole seconds (or what `epochUnit` says);
//! - bytes are base64; an interval of days to seconds is written as in SQL;
//! - under [`crate::BadRecords::Fail`] what would be null because it does not fit is an error.
//!
//! Where this differs from `from_json`:
//! - a string column gets numbers, lists and objects as they are written (`from_json` writes them anew);
//! - a value that is broken inside of a field gives nulls in all columns (`from_json` keeps what its parser still finds);
//! - text that is no base64 gives null in its column (`from_json` may lose its place in the value);
//! - seconds that leave the range of timestamps do not fit (`from_json` wraps around);
//! - a time of day without a date, and the names of places as zones, do not fit.

mod column;
mod fields;
mod options;
mod scan;
mod text;
mod value;
mod write;

use arrow_array::ArrayRef;
use arrow_schema::{Field, Fields};

use column::{Column, push_fields};
use fields::FieldSpans;
pub use options::{EpochUnit, JsonOptions, TimeOptions};
use scan::{Malformed, Scanner};
pub use scan::{NESTING_LIMIT, Syntax};
pub use write::{JsonWriteOptions, encode};

use crate::Result;
use crate::payload::{Bad, PayloadDecoder};
use crate::projection::unsupported;

/// Decodes JSON objects into columns.
#[derive(Debug)]
pub(crate) struct JsonDecoder {
    options: JsonOptions,
    fields: Fields,
    columns: Vec<Column>,
    spans: FieldSpans,
}

impl JsonDecoder {
    /// A decoder for these columns.
    pub(crate) fn new(fields: &[&Field], options: &JsonOptions) -> Result<Self> {
        let column = |field: &&Field| Column::new(field.data_type()).ok_or_else(|| unsupported(field, "JSON"));
        Ok(Self {
            options: options.clone(),
            fields: fields.iter().map(|field| (*field).clone()).collect(),
            columns: fields.iter().map(column).collect::<Result<_>>()?,
            spans: FieldSpans::new(fields.iter().map(|field| field.name().as_str())),
        })
    }
}

impl PayloadDecoder for JsonDecoder {
    fn push(&mut self, payload: Option<&[u8]>) -> Result<Option<Bad>> {
        let value = payload.unwrap_or_default();
        let mut bad = None;
        if Scanner::new(value, self.options.syntax).is_blank() {
            self.spans.clear();
        } else if let Err(Malformed { at, what }) = self.spans.scan(value, self.options.syntax) {
            bad = Some(Bad::Malformed { at, what });
            self.spans.clear();
        }
        let misfit = push_fields(&mut self.columns, &self.fields, &self.spans, &self.options, value)?;
        Ok(bad.or(misfit.map(Bad::Field)))
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.columns.iter_mut().map(Column::finish).collect()
    }
}
