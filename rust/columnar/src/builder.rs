//! Builders with 32-bit offsets that take whole slices and give up their buffers without a copy.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};

use crate::{ColumnarError, Result, pool};

/// Bytes of many rows, one after the other, for a `binary` or a `string` column. Its buffers are on loan from the pool.
#[derive(Debug)]
pub(crate) struct BytesBuilder {
    data: Vec<u8>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
    /// Bytes and rows of the batch before: the next one is likely to be like it.
    likely: (usize, usize),
}

impl BytesBuilder {
    pub(crate) fn new() -> Self {
        Self {
            data: Vec::new(),
            offsets: vec![0],
            nulls: NullBufferBuilder::new(0),
            likely: (0, 0),
        }
    }

    /// Makes room before the first row of a batch.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        if self.offsets.len() > 1 {
            return;
        }
        let (likely_bytes, likely_rows) = self.likely;
        let (rows, bytes) = (rows.max(likely_rows), bytes.max(likely_bytes));
        if self.data.capacity() < bytes {
            pool::give(std::mem::replace(&mut self.data, pool::take(bytes)));
        }
        if self.offsets.capacity() <= rows {
            pool::give(std::mem::replace(&mut self.offsets, pool::take(rows.saturating_add(1))));
            self.offsets.push(0);
        }
    }

    /// Appends one row.
    pub(crate) fn push(&mut self, value: Option<&[u8]>) -> Result<()> {
        if let Some(value) = value {
            self.data.extend_from_slice(value);
        }
        self.seal(value.is_some())
    }

    /// The buffer, to write one row's bytes in place; [`BytesBuilder::seal`] ends the row.
    pub(crate) fn data_mut(&mut self) -> &mut Vec<u8> {
        &mut self.data
    }

    /// Takes back what was appended after the first `rows` rows, and a row that was begun.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.offsets.truncate(rows.saturating_add(1));
        let end = self.offsets.last().and_then(|end| usize::try_from(*end).ok());
        self.data.truncate(end.unwrap_or(0));
        self.nulls.truncate(rows);
    }

    /// Ends the row that lies between the last offset and the end of the data.
    pub(crate) fn seal(&mut self, valid: bool) -> Result<()> {
        let end = i32::try_from(self.data.len()).map_err(|_| ColumnarError::ColumnTooLarge)?;
        self.offsets.push(end);
        if valid {
            self.nulls.append_non_null();
        } else {
            self.nulls.append_null();
        }
        Ok(())
    }

    fn take(&mut self) -> (OffsetBuffer<i32>, Buffer, Option<NullBuffer>) {
        let rows = self.offsets.len();
        self.likely = (self.data.len(), rows);
        let offsets = std::mem::replace(&mut self.offsets, vec![0]);
        let data = std::mem::take(&mut self.data);
        (
            OffsetBuffer::new(pool::lend_scalars(offsets)),
            pool::lend(data),
            self.nulls.finish(),
        )
    }

    /// The rows as a `binary` array; the builder is empty again.
    pub(crate) fn finish_binary(&mut self) -> Result<ArrayRef> {
        let (offsets, data, nulls) = self.take();
        Ok(Arc::new(BinaryArray::try_new(offsets, data, nulls)?))
    }

    /// The rows as a `string` array; what is not UTF-8 is replaced as Java's decoder does.
    pub(crate) fn finish_string(&mut self) -> Result<ArrayRef> {
        let (offsets, data, nulls) = self.take();
        match StringArray::try_new(offsets.clone(), data.clone(), nulls.clone()) {
            Ok(array) => Ok(Arc::new(array)),
            Err(_) => lossy(&BinaryArray::try_new(offsets, data, nulls)?),
        }
    }
}

/// Each row on its own, with U+FFFD for what is not UTF-8.
fn lossy(rows: &BinaryArray) -> Result<ArrayRef> {
    let mut out = BytesBuilder::new();
    for row in rows {
        out.push(row.map(String::from_utf8_lossy).as_ref().map(|text| text.as_bytes()))?;
    }
    let (offsets, data, nulls) = out.take();
    Ok(Arc::new(StringArray::try_new(offsets, data, nulls)?))
}

/// Ends of lists in a child array, with null lists.
#[derive(Debug)]
pub(crate) struct ListEnds {
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl ListEnds {
    pub(crate) fn new() -> Self {
        Self {
            ends: vec![0],
            nulls: NullBufferBuilder::new(0),
        }
    }

    /// Ends a list; the child has `children` elements by now.
    pub(crate) fn seal(&mut self, children: usize, valid: bool) -> Result<()> {
        self.ends
            .push(i32::try_from(children).map_err(|_| ColumnarError::ColumnTooLarge)?);
        if valid {
            self.nulls.append_non_null();
        } else {
            self.nulls.append_null();
        }
        Ok(())
    }

    /// Takes back the lists after the first `rows`; gives how many elements the child has at their end.
    pub(crate) fn truncate(&mut self, rows: usize) -> usize {
        self.ends.truncate(rows.saturating_add(1));
        self.nulls.truncate(rows);
        let end = self.ends.last().and_then(|end| usize::try_from(*end).ok());
        end.unwrap_or(0)
    }

    /// The offsets and nulls; empty again.
    pub(crate) fn finish(&mut self) -> (OffsetBuffer<i32>, Option<NullBuffer>) {
        let ends = std::mem::replace(&mut self.ends, vec![0]);
        (OffsetBuffer::new(ScalarBuffer::from(ends)), self.nulls.finish())
    }
}
