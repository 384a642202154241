//! Whole values in one VARIANT column: Spark's option `singleVariantColumn`.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Fields};

use super::JsonOptions;
use super::options::SINGLE_VARIANT;
use super::scan::{Malformed, Scanner};
use super::variant::{Refused, VariantColumn};
use crate::options::invalid;
use crate::payload::{Bad, PayloadDecoder};
use crate::variant::variant_fields;
use crate::{ColumnarError, Result};

/// Decodes JSON values, objects or not, into a column.
#[derive(Debug)]
pub(super) struct WholeDecoder {
    options: JsonOptions,
    column: VariantColumn,
    /// Whether the column is asked for; values are checked in any case.
    is_wanted: bool,
}

impl WholeDecoder {
    /// A decoder for the column of this name, or for no column.
    pub(super) fn new(fields: &[&Field], name: &str, options: &JsonOptions) -> Result<Self> {
        let none = variant_fields();
        let wanted: &Fields = match fields {
            [] => &none,
            [field] if field.name() == name => match field.data_type() {
                DataType::Struct(fields) => fields,
                _ => return Err(refused(name)),
            },
            _ => return Err(refused(name)),
        };
        Ok(Self {
            options: options.clone(),
            column: VariantColumn::new(wanted).ok_or_else(|| refused(name))?,
            is_wanted: !fields.is_empty(),
        })
    }
}

fn refused(name: &str) -> ColumnarError {
    invalid(
        SINGLE_VARIANT,
        name,
        "the name of the only column that comes from the value, which is of type VARIANT",
    )
}

impl PayloadDecoder for WholeDecoder {
    fn push(&mut self, payload: Option<&[u8]>) -> Result<Option<Bad>> {
        let mut scanner = Scanner::new(payload.unwrap_or_default(), self.options.syntax);
        if scanner.is_blank() {
            self.column.push_null()?;
            return Ok(None);
        }
        match self.column.append_whole(&mut scanner) {
            Ok(()) => Ok(None),
            Err(Refused::Full) => Err(ColumnarError::ColumnTooLarge),
            Err(Refused::Malformed(Malformed { at, what }) | Refused::Unfit(Malformed { at, what })) => {
                self.column.push_null()?;
                Ok(Some(Bad::Malformed { at, what }))
            }
        }
    }

    fn reserve(&mut self, rows: usize, bytes: usize) {
        self.column.reserve(rows, bytes);
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        let column = self.column.finish_column()?;
        Ok(if self.is_wanted { vec![column] } else { Vec::new() })
    }
}
