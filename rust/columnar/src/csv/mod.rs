//! Typed columns from lines of separated values, by the rules of Spark's `from_csv`.

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::Result;
use crate::options::OptionMap;
use crate::payload::{Bad, PayloadDecoder};
use crate::projection::unsupported;

/// How a line is split and its fields are read.
#[derive(Clone, Debug, Default)]
pub struct CsvOptions {}

impl CsvOptions {
    /// Takes the options by Spark's names.
    pub(crate) fn take(_map: &mut OptionMap) -> Result<Self> {
        Ok(Self {})
    }
}

/// Decodes lines.
#[derive(Debug)]
pub(crate) struct CsvDecoder {}

impl CsvDecoder {
    pub(crate) fn new(fields: &[&Field], _options: &CsvOptions) -> Result<Self> {
        fields
            .first()
            .map_or(Ok(Self {}), |field| Err(unsupported(field, "CSV")))
    }
}

impl PayloadDecoder for CsvDecoder {
    fn push(&mut self, _payload: Option<&[u8]>) -> Result<Option<Bad>> {
        Ok(None)
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        Ok(Vec::new())
    }
}
