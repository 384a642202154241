//! One typed column from values that are plain text: strings, numbers, times.

use arrow_array::ArrayRef;
use arrow_schema::Field;

use crate::Result;
use crate::payload::{Bad, PayloadDecoder};
use crate::projection::unsupported;

/// Decodes values.
#[derive(Debug)]
pub(crate) struct TextDecoder {}

impl TextDecoder {
    pub(crate) fn new(fields: &[&Field]) -> Result<Self> {
        fields
            .first()
            .map_or(Ok(Self {}), |field| Err(unsupported(field, "text")))
    }
}

impl PayloadDecoder for TextDecoder {
    fn push(&mut self, _payload: Option<&[u8]>) -> Result<Option<Bad>> {
        Ok(None)
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        Ok(Vec::new())
    }
}
