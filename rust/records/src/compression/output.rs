//! Where codecs write.

use crate::{RecordsError, Result};

/// Space in a vector, from a position on. Bytes that the vector has there are written over, which saves zeroing them first.
#[derive(Debug)]
pub(super) struct Output<'v> {
    vec: &'v mut Vec<u8>,
    start: usize,
    /// End of what has been written.
    at: usize,
}

impl<'v> Output<'v> {
    /// Behind what the vector holds.
    pub(super) fn append(vec: &'v mut Vec<u8>) -> Self {
        let start = vec.len();
        Self { vec, start, at: start }
    }

    /// In place of what the vector holds.
    pub(super) fn over(vec: &'v mut Vec<u8>) -> Self {
        Self { vec, start: 0, at: 0 }
    }

    /// Bytes written.
    pub(super) fn len(&self) -> usize {
        self.at - self.start
    }

    /// What has been written.
    pub(super) fn written(&self) -> &[u8] {
        self.vec.get(self.start..self.at).unwrap_or_default()
    }

    /// What has been written, and the next `len` bytes.
    pub(super) fn written_and_space(&mut self, len: usize) -> (&[u8], &mut [u8]) {
        let end = self.at.saturating_add(len);
        if self.vec.len() < end {
            self.vec.resize(end, 0);
        }
        let (before, space) = self.vec.split_at_mut_checked(self.at).unwrap_or_default();
        (
            before.get(self.start..).unwrap_or_default(),
            space.get_mut(..len).unwrap_or_default(),
        )
    }

    /// The next `len` bytes; [`advance`](Self::advance) says how many of them were written.
    pub(super) fn space(&mut self, len: usize) -> &mut [u8] {
        self.written_and_space(len).1
    }

    /// `len` bytes of the space were written.
    pub(super) fn advance(&mut self, len: usize) {
        self.at = self.at.saturating_add(len).min(self.vec.len());
    }

    /// Lets `write` put bytes into the vector's spare capacity, of at least `len` bytes, if nothing else is in the vector;
    /// into zeroed space otherwise.
    pub(super) fn write_uninitialised(
        &mut self,
        len: usize,
        write_all: impl FnOnce(&mut Vec<u8>) -> Result<usize, usize>,
        write: impl FnOnce(&mut [u8]) -> Result<usize, usize>,
    ) -> Result<usize, usize> {
        if self.at > 0 || self.vec.len() >= len {
            return write(self.space(len)).inspect(|written| self.advance(*written));
        }
        self.vec.clear();
        self.vec.reserve(len);
        write_all(self.vec).inspect(|written| self.advance(*written))
    }

    /// Writes bytes as they are.
    pub(super) fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.space(bytes.len()).copy_from_slice(bytes);
        self.advance(bytes.len());
    }

    /// Ends the vector behind what was written; before it if `result` is an error.
    pub(super) fn finish(self, result: Result<()>) -> Result<()> {
        self.vec.truncate(if result.is_ok() { self.at } else { self.start });
        result
    }
}

/// `length` as a 32-bit field.
pub(super) fn length_field(length: usize, failed: fn(&'static str) -> RecordsError) -> Result<u32> {
    u32::try_from(length).map_err(|_| failed("a block is too long"))
}
