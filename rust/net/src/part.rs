//! What a handler answers: bytes, and ranges of files between them that are sent without being read into the process.

use std::io;
use std::os::fd::BorrowedFd;

use crate::cold;
use crate::framing::FRAME_PREFIX_LEN;

/// A file that ranges can be sent from.
pub trait RangeSource: Send + Sync + 'static {
    /// The descriptor for sendfile; `None` where there is none (then the bytes are read and written).
    fn descriptor(&self) -> Option<BorrowedFd<'_>>;
    /// Reads at `position`; returns how many bytes were read, 0 only at the end of the file.
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize>;
    /// Whether a byte can be read without waiting for a disk; true where that cannot be found out.
    fn is_at_hand(&self, position: u64) -> bool {
        cold::is_in_page_cache(self.descriptor(), position)
    }
}

/// A range of a file.
#[derive(Debug, Clone)]
pub struct FileRange<F> {
    /// The file, held open until the range is sent.
    pub file: F,
    /// Where the range begins.
    pub position: u64,
    /// How long it is.
    pub len: usize,
}

/// One answer: a frame being written, with file ranges at places in it.
#[derive(Debug)]
pub struct Response<F> {
    bytes: Vec<u8>,
    /// In order: how many of `bytes` come before the range.
    ranges: Vec<(usize, FileRange<F>)>,
    /// How long the connection is not read after this response (quota throttling, KIP-219).
    pub mute_ms: u32,
    /// Whether the ranges are probably not in the page cache: helper threads read them before they are sent.
    pub is_cold: bool,
}

impl<F> Default for Response<F> {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            ranges: Vec::new(),
            mute_ms: 0,
            is_cold: false,
        }
    }
}

impl<F> Response<F> {
    /// An empty response.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties it for the next use.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ranges.clear();
        self.mute_ms = 0;
        self.is_cold = false;
    }

    /// Empties it for the next use and gives a large buffer back.
    pub fn recycle(&mut self, kept_bytes_max: usize) {
        self.clear();
        if self.bytes.capacity() > kept_bytes_max {
            self.bytes = Vec::new();
        }
    }

    /// Starts the frame and gives the buffer to write header and body to.
    pub fn begin(&mut self) -> &mut Vec<u8> {
        self.clear();
        self.bytes.extend_from_slice(&[0; FRAME_PREFIX_LEN]);
        &mut self.bytes
    }

    /// Whether nothing was begun: a late answer that is silence, to a request that expects none.
    pub fn is_silent(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes written so far, to append to.
    pub fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The bytes, without the ranges between them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Puts a range behind what is written so far.
    pub fn push_range(&mut self, range: FileRange<F>) {
        self.insert_range(self.bytes.len(), range);
    }

    /// Puts a range behind the first `at` bytes; ranges come in order.
    pub fn insert_range(&mut self, at: usize, range: FileRange<F>) {
        debug_assert!(at <= self.bytes.len() && self.ranges.last().is_none_or(|(last, _)| *last <= at));
        self.ranges.push((at, range));
    }

    /// The ranges, each with how many bytes come before it.
    pub fn ranges(&self) -> &[(usize, FileRange<F>)] {
        &self.ranges
    }

    /// Bytes and ranges together.
    pub fn total_len(&self) -> usize {
        self.ranges
            .iter()
            .fold(self.bytes.len(), |sum, (_, range)| sum.saturating_add(range.len))
    }

    /// Writes the frame's length into its prefix; false if the frame has no prefix or is too long for one.
    #[must_use]
    pub fn finish(&mut self) -> bool {
        let length = self
            .total_len()
            .checked_sub(FRAME_PREFIX_LEN)
            .and_then(|length| i32::try_from(length).ok());
        match (length, self.bytes.first_chunk_mut::<FRAME_PREFIX_LEN>()) {
            (Some(length), Some(prefix)) => {
                *prefix = length.to_be_bytes();
                true
            }
            _ => false,
        }
    }
}
