//! Typed columns from lines of separated values, by the rules of Spark's `from_csv`.
//!
//! A record holds one line without a header; line ends in it are characters like others. Columns are taken by
//! position, or by name if the option `columns` names those of the line; what the schema does not ask for is split
//! off and not converted.
//! - an empty field is null, as is one that is the option `nullValue`; `""` is the option `emptyValue`;
//! - a field that does not fit its column gives null in that column and makes the line bad, as do too few or too many
//!   fields; a missing value (a tombstone) gives nulls and is not bad, an empty one is bad;
//! - numbers are read as Java reads them, its hexadecimal floating point left out.

mod options;
mod split;
mod value;

use arrow_array::ArrayRef;
use arrow_schema::Field;

pub use options::CsvOptions;
use split::{Splitter, Token};
use value::{Conversions, Value};

use crate::Result;
use crate::options::invalid;
use crate::payload::{Bad, PayloadDecoder};
use crate::projection::unsupported;
use crate::scalar::Leaf;

/// Decodes lines.
#[derive(Debug)]
pub(crate) struct CsvDecoder {
    splitter: Splitter,
    conversions: Conversions,
    leaves: Vec<Leaf>,
    /// Which field of the line each column is.
    positions: Vec<usize>,
    /// How many fields a line has.
    width: usize,
}

impl CsvDecoder {
    /// A decoder for these columns.
    pub(crate) fn new(fields: &[&Field], options: &CsvOptions) -> Result<Self> {
        let leaf = |field: &&Field| Leaf::new(field.data_type()).ok_or_else(|| unsupported(field, "CSV"));
        let position = |field: &&Field| {
            let found = options.columns.iter().position(|column| column == field.name());
            found.ok_or_else(|| {
                invalid(
                    "columns",
                    &options.columns.join(","),
                    &format!("no {:?} in it", field.name()),
                )
            })
        };
        let (positions, width) = if options.columns.is_empty() {
            ((0..fields.len()).collect(), fields.len())
        } else {
            (
                fields.iter().map(position).collect::<Result<_>>()?,
                options.columns.len(),
            )
        };
        Ok(Self {
            splitter: Splitter::new(options),
            conversions: Conversions::new(options),
            leaves: fields.iter().map(leaf).collect::<Result<_>>()?,
            positions,
            width,
        })
    }

    fn push_nulls(&mut self) -> Result<()> {
        self.leaves.iter_mut().try_for_each(Leaf::push_null)
    }
}

impl PayloadDecoder for CsvDecoder {
    fn push(&mut self, payload: Option<&[u8]>) -> Result<Option<Bad>> {
        let Some(line) = payload else {
            self.push_nulls()?;
            return Ok(None);
        };
        if let Err(what) = self.splitter.split(line) {
            self.push_nulls()?;
            return Ok(Some(Bad::Malformed { at: 0, what }));
        }
        let mut bad = None;
        for (index, (leaf, position)) in self.leaves.iter_mut().zip(&self.positions).enumerate() {
            let text = match self.splitter.token(*position) {
                None | Some(Token::Null) => None,
                Some(Token::Empty) => Some(self.conversions.empty_value()),
                Some(token) => Some(self.splitter.bytes(line, token)),
            };
            match text.filter(|text| *text != self.conversions.null_value()) {
                None => leaf.push_null()?,
                Some(text) => {
                    if !leaf.push(&Value::new(&self.conversions, text))? {
                        bad = bad.or(Some(Bad::Field(index)));
                    }
                }
            }
        }
        let count = self.splitter.count();
        if count != self.width {
            bad = bad.or_else(|| {
                let sentence = format!("the line has {count} fields instead of {}", self.width);
                Some(Bad::Other(sentence.into()))
            });
        }
        Ok(bad)
    }

    fn reserve(&mut self, rows: usize, bytes: usize) {
        let bytes = bytes.checked_div(self.leaves.len()).unwrap_or(0);
        for leaf in &mut self.leaves {
            leaf.reserve(rows, bytes);
        }
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.leaves.iter_mut().map(Leaf::finish).collect()
    }
}
