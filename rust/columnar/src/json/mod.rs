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
use arrow_schema::{DataType, Field};

pub(crate) use column::check_type;
use column::{Column, Fit};
use fields::FieldSpans;
pub use scan::NESTING_LIMIT;
use scan::{Malformed, Scanner};

use crate::builder::BytesBuilder;
use crate::projection::Origin;
use crate::{Projection, Result};

/// Name of the column that gets values that do not fit.
const CORRUPT_RECORD: &str = "_corrupt_record";

/// What becomes of a value that does not fit the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRecords {
    /// Nulls: of the whole row when the value is no JSON object, else of the fields that do not fit (PERMISSIVE).
    Null,
    /// An error (FAILFAST).
    Fail,
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// It is no JSON object.
    Malformed(Malformed),
    /// The field of this column does not fit.
    Field(usize),
}

/// A column of the payload.
#[derive(Debug)]
enum Target {
    Field(Column),
    Corrupt(BytesBuilder),
}

/// Decodes values into the payload columns of a projection.
#[derive(Debug)]
pub(crate) struct RowDecoder {
    names: Vec<String>,
    targets: Vec<Target>,
    spans: FieldSpans,
}

impl RowDecoder {
    /// A decoder for the payload columns; nothing if the projection has none.
    pub(crate) fn new(projection: &Projection) -> Option<Self> {
        let fields: Vec<&Field> = (projection.schema().fields().iter().zip(projection.origins()))
            .filter(|(_, origin)| **origin == Origin::Payload)
            .map(|(field, _)| field.as_ref())
            .collect();
        let targets: Vec<Target> = fields.iter().filter_map(|field| target(field)).collect();
        (!targets.is_empty()).then(|| Self {
            names: fields.iter().map(|field| field.name().clone()).collect(),
            spans: FieldSpans::new(fields.iter().map(|field| field.name().as_str())),
            targets,
        })
    }

    /// Appends one row; says what is wrong with its value, if anything is.
    pub(crate) fn push(&mut self, value: &[u8]) -> Result<Option<Bad>> {
        let mut bad = None;
        if Scanner::new(value).is_blank() {
            self.spans.clear();
        } else if let Err(malformed) = self.spans.scan(value) {
            bad = Some(Bad::Malformed(malformed));
            self.spans.clear();
        }
        for (index, (target, span)) in self.targets.iter_mut().zip(self.spans.iter()).enumerate() {
            if let Target::Field(column) = target
                && column.push(value, span)? == Fit::Bad
            {
                bad = bad.or(Some(Bad::Field(index)));
            }
        }
        for target in &mut self.targets {
            if let Target::Corrupt(column) = target {
                column.push(bad.map(|_| value))?;
            }
        }
        Ok(bad)
    }

    /// The finished columns, in the schema's order.
    pub(crate) fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        let finish = |target: &mut Target| match target {
            Target::Field(column) => column.finish(),
            Target::Corrupt(column) => column.finish_string(),
        };
        self.targets.iter_mut().map(finish).collect()
    }

    /// A sentence about what is wrong.
    pub(crate) fn describe(&self, bad: Bad) -> String {
        match bad {
            Bad::Malformed(Malformed { at, what }) => format!("the value is no JSON object: {what} at byte {at}"),
            Bad::Field(index) => {
                let name = self.names.get(index).map_or("", String::as_str);
                format!("field {name:?} of the value does not fit its column")
            }
        }
    }
}

fn target(field: &Field) -> Option<Target> {
    if field.name() == CORRUPT_RECORD && *field.data_type() == DataType::Utf8 {
        return Some(Target::Corrupt(BytesBuilder::new()));
    }
    Column::new(field.data_type()).map(Target::Field)
}
