//! Typed columns from JSON values, and JSON values from columns.
//!
//! A record's value is read once: each field that the schema asks for is converted where it stands, into its column,
//! the others are passed over. A value that turns out to be broken, or has a field twice, is taken back and read again
//! in two passes (`object.rs`).
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
//! - VARIANT holds any value, null among them, as `parse_json` makes it; with `singleVariantColumn` the value as a whole;
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
mod infer;
mod leaf;
mod object;
mod options;
mod scan;
mod text;
mod value;
mod variant;
mod whole;
mod write;

use arrow_array::ArrayRef;
use arrow_schema::{Field, Fields};

pub use infer::infer;
use object::{ObjectColumns, OnePass, Unusual};
pub use options::{EpochUnit, JsonOptions, TimeOptions};
use scan::{Malformed, Scanner};
pub use scan::{NESTING_LIMIT, Syntax};
use whole::WholeDecoder;
pub use write::{JsonWriteOptions, encode};

use crate::Result;
use crate::payload::{Bad, PayloadDecoder};
use crate::projection::unsupported;

/// A decoder for these columns.
pub(crate) fn decoder(fields: &[&Field], options: &JsonOptions) -> Result<Box<dyn PayloadDecoder>> {
    Ok(match &options.single_variant {
        Some(name) => Box::new(WholeDecoder::new(fields, name, options)?),
        None => Box::new(JsonDecoder::new(fields, options)?),
    })
}

/// Decodes JSON objects into columns.
#[derive(Debug)]
pub(crate) struct JsonDecoder {
    options: JsonOptions,
    columns: ObjectColumns,
    rows: usize,
}

impl JsonDecoder {
    /// A decoder for these columns.
    pub(crate) fn new(fields: &[&Field], options: &JsonOptions) -> Result<Self> {
        let fields: Fields = fields.iter().map(|&field| field.clone()).collect();
        Ok(Self {
            options: options.clone(),
            columns: ObjectColumns::new(&fields).map_err(|field| unsupported(field, "JSON"))?,
            rows: 0,
        })
    }

    /// Appends the row in one pass, if it is as most are; says which field does not fit, if one does not.
    fn read(&mut self, value: &[u8]) -> OnePass<Option<usize>> {
        let mut scanner = Scanner::new(value, self.options.syntax);
        let read = self.columns.read(&self.options, &mut scanner, 0);
        if read.is_err() {
            self.columns.truncate(self.rows);
        }
        read
    }

    /// Appends the row in two passes.
    #[inline(never)]
    fn read_unusual(&mut self, value: &[u8]) -> Result<Option<Bad>> {
        if Scanner::new(value, self.options.syntax).is_blank() {
            self.columns.push_nulls()?;
            return Ok(None);
        }
        match self.columns.push(&self.options, value)? {
            Ok(misfit) => Ok(misfit.map(Bad::Field)),
            Err(Malformed { at, what }) => {
                self.columns.push_nulls()?;
                Ok(Some(Bad::Malformed { at, what }))
            }
        }
    }
}

impl PayloadDecoder for JsonDecoder {
    fn push(&mut self, payload: Option<&[u8]>) -> Result<Option<Bad>> {
        let value = payload.unwrap_or_default();
        let bad = match self.read(value) {
            Ok(misfit) => misfit.map(Bad::Field),
            Err(Unusual) => self.read_unusual(value)?,
        };
        self.rows = self.rows.saturating_add(1);
        Ok(bad)
    }

    fn reserve(&mut self, rows: usize, bytes: usize) {
        self.columns.reserve(rows, bytes);
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.rows = 0;
        self.columns.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{DataType, TimeUnit};
    use proptest::prelude::*;

    use super::*;

    fn field(name: &str, data_type: DataType) -> Field {
        Field::new(name, data_type, true)
    }

    fn fields() -> Vec<Field> {
        let leaves = vec![
            field("i", DataType::Int32),
            field("l", DataType::Int64),
            field("d", DataType::Float64),
            field("b", DataType::Boolean),
            field("s", DataType::Utf8),
            field("t", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        ];
        let object = DataType::Struct(leaves.clone().into());
        let entries = vec![
            Field::new("key", DataType::Utf8, false),
            field("value", DataType::Int64),
        ];
        let entries = Field::new("entries", DataType::Struct(entries.into()), false);
        let nested = [
            field("o", object.clone()),
            field("a", DataType::List(Arc::new(field("element", DataType::Int64)))),
            field("ao", DataType::List(Arc::new(field("element", object)))),
            field("m", DataType::Map(Arc::new(entries), false)),
            field("day", DataType::Date32),
            field("v", DataType::Struct(crate::variant::variant_fields())),
            field(
                "av",
                DataType::List(Arc::new(field(
                    "element",
                    DataType::Struct(crate::variant::variant_fields()),
                ))),
            ),
        ];
        [leaves, nested.to_vec()].concat()
    }

    /// Texts of single values, well-formed or not.
    fn single() -> impl Strategy<Value = String> {
        prop_oneof![
            prop::sample::select(vec![
                "0",
                "-0",
                "-0.0",
                "007",
                "1.",
                "1e3",
                "-1.5E-2",
                "+1",
                "2147483648",
                "1234567890123456",
                "12345678.9012345",
                "9007199254740993",
                "99999999999999999999",
                "true",
                "false",
                "truex",
                "null",
                "nul",
                "NaN",
                "\"\"",
                "\"a\"",
                "\"abcdefghijklmnopqrstuvwxyz\"",
                "\"a\\\"b\"",
                "\"\\u00e9\\ud83d\"",
                "\"é\"",
                "'x'",
                "\"a\u{1}\"",
                "\"2013-01-15T10:20:30Z\"",
                "\"2013-02-30T10:20:30Z\"",
                "\"2013-01-15 10:20:30\"",
                "\"2013-01-15\"",
                "\"2013-01-15T10:20:30.5+01:00\"",
                "\"open",
                "",
            ])
            .prop_map(str::to_owned),
            any::<i64>().prop_map(|value| value.to_string()),
            any::<f64>().prop_filter_map("finite", |value| value.is_finite().then(|| value.to_string())),
            (any::<i32>(), 0u32..100_000).prop_map(|(whole, fraction)| format!("{whole}.{fraction}")),
            "[ -~]{0,40}".prop_map(|text| format!("\"{text}\"")),
        ]
    }

    fn document() -> impl Strategy<Value = String> {
        let name = prop::sample::select(vec![
            "i", "l", "d", "b", "s", "t", "o", "a", "ao", "m", "day", "v", "av", "x", "\\u0069",
        ]);
        let space = prop::sample::select(vec!["", "", "", " ", "\n "]);
        let value = single().prop_recursive(3, 24, 6, move |inner| {
            let entry = (name.clone(), space.clone(), inner.clone())
                .prop_map(|(name, space, value)| format!("\"{name}\":{space}{value}{space}"));
            prop_oneof![
                3 => prop::collection::vec(entry, 0..8).prop_map(|entries| format!("{{{}}}", entries.join(", "))),
                1 => prop::collection::vec(inner, 0..5).prop_map(|values| format!("[{}]", values.join(","))),
            ]
        });
        (value, any::<Option<(prop::sample::Index, u8)>>(), 0u8..4).prop_map(|(text, change, rarely)| match change {
            Some((index, byte)) if rarely == 0 && !text.is_empty() => {
                let mut bytes = text.into_bytes();
                let at = index.index(bytes.len());
                bytes[at] = byte;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => text,
        })
    }

    proptest! {
        /// The short cut gives what the rule gives, whatever stands before and after.
        #[test]
        fn one_pass_is_as_good_as_two(documents in prop::collection::vec(document(), 1..12), epoch_ms in any::<bool>()) {
            let mut options = JsonOptions::default();
            if epoch_ms {
                options.epoch_unit = EpochUnit::Millisecond;
            }
            let fields = fields();
            let fields: Vec<&Field> = fields.iter().collect();
            let mut one = JsonDecoder::new(&fields, &options).unwrap();
            let mut two = JsonDecoder::new(&fields, &options).unwrap();
            for document in documents.iter().chain(&documents) {
                let bad = one.push(Some(document.as_bytes())).unwrap();
                prop_assert_eq!(bad, two.read_unusual(document.as_bytes()).unwrap(), "{}", document);
            }
            prop_assert_eq!(one.finish().unwrap(), two.finish().unwrap());
        }
    }

    #[test]
    fn a_row_as_most_are_is_read_in_one_pass() {
        let fields = fields();
        let fields: Vec<&Field> = fields.iter().collect();
        let mut decoder = JsonDecoder::new(&fields, &JsonOptions::default()).unwrap();
        let usual =
            r#"{"i": 1, "x": [{}], "s": "text", "o": {"d": 1.5, "b": null}, "ao": [{"l": 2}, null], "m": {"k": 7}}"#;
        let misfit = r#"{"i": "1", "s": 5}"#;
        for (value, bad) in [(usual, None), (usual, None), (misfit, Some(0))] {
            assert_eq!(decoder.read(value.as_bytes()), Ok(bad));
            decoder.rows += 1;
        }
        for unusual in [
            "",
            "[]",
            "{\"i\": 1",
            r#"{"i": 1, "i": 2}"#,
            r#"{"o": {"l": 1, "l": 1}}"#,
        ] {
            assert_eq!(decoder.read(unusual.as_bytes()), Err(Unusual), "{unusual}");
            assert_eq!(decoder.finish().unwrap()[0].len(), 3, "nothing of it is left");
            for _ in 0..3 {
                decoder.push(None).unwrap();
            }
        }
    }
}
