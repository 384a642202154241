//! Whole batches in a run of bytes: a Produce request's records, a Fetch response's, a log segment's.

use crate::header::{CRC_START, body_len};
use crate::{
    BatchHeader, Compression, HEADER_LEN, LOG_OVERHEAD, OutputLimit, RecordIter, RecordsError, Result, crc32c,
    decompress_over,
};

/// Exactly one whole batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchRef<'a> {
    /// The decoded header.
    pub header: BatchHeader,
    /// The batch, header included.
    pub bytes: &'a [u8],
}

impl<'a> BatchRef<'a> {
    /// Takes the whole batch at the front of `bytes`; what follows it is ignored.
    ///
    /// # Errors
    /// As [`BatchHeader::parse`], or the batch is longer than `bytes`.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let header = BatchHeader::parse(bytes)?;
        let needed = header.size_in_bytes();
        match bytes.get(..needed) {
            Some(bytes) => Ok(Self { header, bytes }),
            None => Err(RecordsError::Truncated {
                needed,
                available: bytes.len(),
            }),
        }
    }

    /// Checks the CRC over everything from `attributes` on.
    ///
    /// # Errors
    /// The CRC in the header is another one.
    pub fn check_crc(&self) -> Result<()> {
        let computed = crc32c(self.bytes.get(CRC_START..).unwrap_or_default());
        if computed == self.header.crc {
            Ok(())
        } else {
            Err(RecordsError::CrcMismatch {
                stored: self.header.crc,
                computed,
            })
        }
    }

    /// The records as they stand in the batch, compressed or not.
    #[inline]
    pub fn payload(&self) -> &'a [u8] {
        self.bytes.get(HEADER_LEN..).unwrap_or_default()
    }

    /// The records uncompressed: the payload itself, or the front of `scratch`. What else `scratch` held or holds has no
    /// meaning; using one again and again saves memory and zeroing it.
    ///
    /// # Errors
    /// Unknown codec, invalid compressed data, or more than `limit` allows.
    pub fn decompress_into<'s>(&self, scratch: &'s mut Vec<u8>, limit: impl Into<OutputLimit>) -> Result<&'s [u8]>
    where
        'a: 's,
    {
        match self.header.compression()? {
            Compression::None => Ok(self.payload()),
            codec => {
                let size = decompress_over(codec, self.payload(), scratch, limit)?;
                Ok(scratch.get(..size).unwrap_or_default())
            }
        }
    }

    /// The records of `payload`, which [`decompress_into`](Self::decompress_into) has returned.
    #[inline]
    pub fn records<'p>(&self, payload: &'p [u8]) -> RecordIter<'p> {
        RecordIter::new(&self.header, payload)
    }
}

/// Iterates the whole batches at the front of a run of bytes and ends before a torn one.
#[derive(Clone, Debug)]
pub struct BatchIter<'a> {
    rest: &'a [u8],
    failed: bool,
}

impl<'a> BatchIter<'a> {
    /// Batches of `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            failed: false,
        }
    }

    /// What has not been decoded: after the end, the torn tail or the batch that was refused.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for BatchIter<'a> {
    type Item = Result<BatchRef<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let length = self
            .rest
            .get(8..LOG_OVERHEAD)?
            .first_chunk()
            .map(|bytes| i32::from_be_bytes(*bytes))?;
        let parsed = match body_len(length) {
            // A torn tail is not an error: fetch responses and crashed logs end in one.
            Ok(body) if body.saturating_add(LOG_OVERHEAD) > self.rest.len() => return None,
            Ok(_) => BatchRef::parse(self.rest),
            // The shortest batches of older formats fail here: name their magic.
            Err(error) => Err(BatchHeader::parse(self.rest).err().unwrap_or(error)),
        };
        match parsed {
            Ok(batch) => {
                self.rest = self.rest.get(batch.bytes.len()..).unwrap_or_default();
                Some(Ok(batch))
            }
            Err(error) => {
                self.failed = true;
                Some(Err(error))
            }
        }
    }
}

impl std::iter::FusedIterator for BatchIter<'_> {}
