//! Batches of every format behind one face, so that readers have one code path.

use crate::header::body_len;
use crate::legacy::{self, MAGIC_V0, MAGIC_V1};
use crate::{BatchHeader, BatchRef, LOG_OVERHEAD, MAGIC_V2, MessageSet, OutputLimit, RecordsError, Result};

/// Where the magic byte stands, in every format.
const MAGIC_POSITION: usize = 16;

/// A batch of format 2, or messages of an older format that are read as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyBatch<'a> {
    /// Format 2.
    V2(BatchRef<'a>),
    /// Formats 0 and 1.
    Legacy(MessageSet<'a>),
}

impl<'a> AnyBatch<'a> {
    /// Takes what is at the front of `bytes`; what follows it is ignored.
    ///
    /// # Errors
    /// The bytes are no batch of a known format; the error names an unknown magic.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        match bytes.get(MAGIC_POSITION).map(|magic| magic.cast_signed()) {
            Some(MAGIC_V2) => BatchRef::parse(bytes).map(Self::V2),
            Some(MAGIC_V0 | MAGIC_V1) => MessageSet::parse(bytes).map(Self::Legacy),
            Some(magic) => Err(RecordsError::UnknownMagic(magic)),
            None => Err(RecordsError::Truncated {
                needed: MAGIC_POSITION + 1,
                available: bytes.len(),
            }),
        }
    }

    /// The bytes as they stand.
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Self::V2(batch) => batch.bytes,
            Self::Legacy(set) => set.bytes(),
        }
    }

    /// The record format.
    pub fn magic(&self) -> i8 {
        match self {
            Self::V2(batch) => batch.header.magic,
            Self::Legacy(set) => set.magic(),
        }
    }

    /// Offset of the last record.
    pub fn last_offset(&self) -> i64 {
        match self {
            Self::V2(batch) => batch.header.last_offset(),
            Self::Legacy(set) => set.last_offset(),
        }
    }

    /// Checks the CRC. Those of older formats are checked when they are parsed, and inside a wrapper when it is decoded.
    ///
    /// # Errors
    /// The CRC in the header is another one.
    pub fn check_crc(&self) -> Result<()> {
        match self {
            Self::V2(batch) => batch.check_crc(),
            Self::Legacy(_) => Ok(()),
        }
    }

    /// Header and uncompressed records, which [`RecordIter::new`](crate::RecordIter::new) reads whatever the format was.
    ///
    /// The records are the bytes of the batch themselves, or in `scratch`, whose former contents are dropped. Records of
    /// older formats are written there in the form of format 2; the header's `magic` keeps the format that they had, its
    /// `crc` is 0.
    ///
    /// # Errors
    /// Unknown codec, invalid data, or more than `limit` allows.
    pub fn decode<'s>(&self, scratch: &'s mut Vec<u8>, limit: impl Into<OutputLimit>) -> Result<(BatchHeader, &'s [u8])>
    where
        'a: 's,
    {
        match self {
            Self::V2(batch) => Ok((batch.header, batch.decompress_into(scratch, limit)?)),
            Self::Legacy(set) => {
                scratch.clear();
                let header = set.decode_into(&mut Vec::new(), scratch, limit)?;
                Ok((header, scratch))
            }
        }
    }
}

/// Iterates the batches of every format at the front of a run of bytes and ends before a torn one.
#[derive(Clone, Debug)]
pub struct AnyBatchIter<'a> {
    rest: &'a [u8],
    failed: bool,
}

impl<'a> AnyBatchIter<'a> {
    /// Batches of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            failed: false,
        }
    }

    /// What has not been decoded: after the end, the torn tail or what was refused.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether the first batch is whole; an error if its length cannot be.
    fn is_whole(&self) -> Option<Result<bool>> {
        let length = i32::from_be_bytes(*self.rest.get(8..LOG_OVERHEAD)?.first_chunk()?);
        let magic = self.rest.get(MAGIC_POSITION)?.cast_signed();
        let body = match magic {
            MAGIC_V0 | MAGIC_V1 => legacy::body_len(length),
            _ => body_len(length),
        };
        Some(body.map(|body| body.saturating_add(LOG_OVERHEAD) <= self.rest.len()))
    }
}

impl<'a> Iterator for AnyBatchIter<'a> {
    type Item = Result<AnyBatch<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let parsed = match self.is_whole()? {
            Ok(true) => AnyBatch::parse(self.rest),
            // A torn tail is not an error: fetch responses and crashed logs end in one.
            Ok(false) => return None,
            Err(error) => Err(error),
        };
        match parsed {
            Ok(batch) => {
                self.rest = self.rest.get(batch.bytes().len()..).unwrap_or_default();
                Some(Ok(batch))
            }
            Err(error) => {
                self.failed = true;
                Some(Err(error))
            }
        }
    }
}

impl std::iter::FusedIterator for AnyBatchIter<'_> {}
