//! Sequential walks over the batches of a segment file.

use std::io;

use barnabas_records::{BatchHeader, BatchRef, HEADER_LEN};

use crate::storage::StorageFile;

/// Why a walk ended before the end of the file.
#[derive(Debug)]
pub(crate) enum ScanError {
    /// The file could not be read.
    Io(io::Error),
    /// The bytes at a position are no batch.
    Bad { position: u64, reason: String },
}

impl From<io::Error> for ScanError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

const HEADER_CHUNK: usize = 4096;

/// Walks batch headers. Small batches share a read; behind a large one only the next header is read.
pub(crate) struct HeaderScan<'a> {
    file: &'a dyn StorageFile,
    position: u64,
    end: u64,
    chunk: [u8; HEADER_CHUNK],
    chunk_position: u64,
    chunk_len: usize,
    last_batch_len: usize,
}

impl<'a> HeaderScan<'a> {
    /// Walks from a batch boundary at `position` to `end`.
    pub(crate) fn new(file: &'a dyn StorageFile, position: u64, end: u64) -> Self {
        Self {
            file,
            position,
            end,
            chunk: [0; HEADER_CHUNK],
            chunk_position: 0,
            chunk_len: 0,
            last_batch_len: 0,
        }
    }

    /// The next batch's position and header, `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, BatchHeader)>, ScanError> {
        let position = self.position;
        if position >= self.end {
            return Ok(None);
        }
        let bad = |reason: String| ScanError::Bad { position, reason };
        let header = {
            let bytes = self.header_bytes()?;
            BatchHeader::parse(bytes).map_err(|error| bad(error.to_string()))?
        };
        let len = header.size_in_bytes();
        let left = self.end - position;
        if len as u64 > left {
            return Err(bad(format!("a batch of {len} bytes is cut after {left}")));
        }
        if header.last_offset_delta < 0 || header.base_offset < 0 {
            return Err(bad(format!(
                "offset {} with last delta {}",
                header.base_offset, header.last_offset_delta
            )));
        }
        self.position += len as u64;
        self.last_batch_len = len;
        Ok(Some((position, header)))
    }

    fn header_bytes(&mut self) -> io::Result<&[u8]> {
        let have = |chunk_position: u64, chunk_len: usize, position: u64| {
            let start = usize::try_from(position.checked_sub(chunk_position)?).ok()?;
            (start + HEADER_LEN <= chunk_len).then_some(start)
        };
        let start = if let Some(start) = have(self.chunk_position, self.chunk_len, self.position) {
            start
        } else {
            let want = if self.last_batch_len < HEADER_CHUNK / 2 {
                HEADER_CHUNK
            } else {
                HEADER_LEN
            };
            let want = want.min(usize::try_from(self.end - self.position).unwrap_or(usize::MAX));
            let buffer = self.chunk.get_mut(..want).unwrap_or_default();
            self.chunk_len = self.file.read_at(buffer, self.position)?;
            self.chunk_position = self.position;
            0
        };
        Ok(self.chunk.get(start..self.chunk_len).unwrap_or_default())
    }
}

const BATCH_CHUNK: usize = 1 << 20;

/// Walks whole batches, in large reads.
pub(crate) struct BatchScan<'a> {
    file: &'a dyn StorageFile,
    position: u64,
    end: u64,
    buffer: Vec<u8>,
    /// Where `buffer` begins in the file.
    buffer_position: u64,
    chunk: usize,
}

impl<'a> BatchScan<'a> {
    pub(crate) fn new(file: &'a dyn StorageFile, position: u64, end: u64) -> Self {
        Self {
            file,
            position,
            end,
            buffer: Vec::new(),
            buffer_position: position,
            chunk: BATCH_CHUNK,
        }
    }

    /// As [`new`](Self::new), with reads of `chunk` bytes, or of one batch if it is larger, into `buffer`.
    pub(crate) fn with_buffer(
        file: &'a dyn StorageFile,
        position: u64,
        end: u64,
        chunk: usize,
        mut buffer: Vec<u8>,
    ) -> Self {
        buffer.clear();
        Self {
            buffer,
            chunk: chunk.max(HEADER_LEN),
            ..Self::new(file, position, end)
        }
    }

    /// Gives the buffer back.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// The next batch and its position, `None` at the end. Only its length is checked.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, BatchRef<'_>)>, ScanError> {
        let position = self.position;
        let left = usize::try_from(self.end.saturating_sub(position)).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(None);
        }
        let bad = |reason: String| ScanError::Bad { position, reason };
        self.fill(HEADER_LEN.min(left))?;
        let header = BatchHeader::parse(self.buffered()).map_err(|error| bad(error.to_string()))?;
        let len = header.size_in_bytes();
        if len > left {
            return Err(bad(format!("a batch of {len} bytes is cut after {left}")));
        }
        self.fill(len)?;
        self.position += len as u64;
        let start = usize::try_from(position - self.buffer_position).unwrap_or(usize::MAX);
        match self.buffer.get(start..start + len) {
            Some(bytes) => Ok(Some((position, BatchRef { header, bytes }))),
            None => Err(bad("the file became shorter while it was read".to_owned())),
        }
    }

    fn buffered(&self) -> &[u8] {
        let start = usize::try_from(self.position - self.buffer_position).unwrap_or(usize::MAX);
        self.buffer.get(start..).unwrap_or_default()
    }

    /// Has at least `want` bytes from the current position in the buffer, if the file has them.
    fn fill(&mut self, want: usize) -> io::Result<()> {
        let have = self.buffered().len();
        if have >= want {
            return Ok(());
        }
        let start = self.buffer.len() - have;
        self.buffer.copy_within(start.., 0);
        self.buffer_position = self.position;
        let left = usize::try_from(self.end - self.position).unwrap_or(usize::MAX);
        self.buffer.resize(want.max(self.chunk).min(left), 0);
        let space = self.buffer.get_mut(have..).unwrap_or_default();
        let count = self.file.read_at(space, self.position + have as u64)?;
        self.buffer.truncate(have + count);
        Ok(())
    }
}
