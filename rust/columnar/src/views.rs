//! A column of views: its cells stay where they are, in the buffers that were fetched.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{ArrayBuilder, BinaryViewBuilder};
use arrow_buffer::Buffer;
use bytes::Bytes;

use crate::Result;

/// The buffer that the records of a slice lie in.
#[derive(Debug)]
struct Block {
    /// Its index in the column, given with the first view into it.
    index: Option<u32>,
    bytes: Bytes,
}

/// Builds a `binary_view` column. The buffers that its views point to live as long as the column does.
#[derive(Debug)]
pub(crate) struct ViewsBuilder {
    views: BinaryViewBuilder,
    block: Option<Block>,
}

impl ViewsBuilder {
    pub(crate) fn new() -> Self {
        Self {
            views: BinaryViewBuilder::new(),
            block: None,
        }
    }

    /// Makes room before the first row of a batch.
    pub(crate) fn reserve(&mut self, rows: usize) {
        if self.views.is_empty() {
            self.views = BinaryViewBuilder::with_capacity(rows);
        }
    }

    /// What follows lies in `bytes`, or has to be copied.
    pub(crate) fn begin(&mut self, bytes: Option<&Bytes>) {
        self.block = bytes.map(|bytes| Block {
            index: None,
            bytes: bytes.clone(),
        });
    }

    /// Appends one row.
    #[inline]
    pub(crate) fn push(&mut self, value: Option<&[u8]>) -> Result<()> {
        let Some(value) = value else {
            self.views.append_null();
            return Ok(());
        };
        let Some(Block { index, bytes }) = &mut self.block else {
            self.views.try_append_value(value)?;
            return Ok(());
        };
        let start = value.as_ptr().addr().wrapping_sub(bytes.as_ptr().addr());
        let end = start.saturating_add(value.len());
        match (u32::try_from(start), u32::try_from(value.len())) {
            (Ok(start), Ok(length)) if end <= bytes.len() => {
                let index = *index.get_or_insert_with(|| self.views.append_block(Buffer::from(bytes.clone())));
                self.views.try_append_view(index, start, length)?;
            }
            _ => self.views.try_append_value(value)?,
        }
        Ok(())
    }

    /// The rows as an array; empty again, the buffer of the current slice kept.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        if let Some(block) = &mut self.block {
            block.index = None;
        }
        Arc::new(self.views.finish())
    }
}
