//! Random access to the records of one batch.

use crate::varint::read_varint;
use crate::{BatchHeader, RecordIter, RecordRef, RecordsError, Result};

/// Where the records of one uncompressed payload begin: four bytes per record, found by walking their lengths only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordIndex {
    positions: Vec<u32>,
}

impl RecordIndex {
    /// Finds the records of `payload`, the uncompressed bytes after `header`. What the records hold is checked when they
    /// are decoded.
    ///
    /// # Errors
    /// The lengths do not lead to the end of the payload, or not to as many records as the header declares.
    pub fn build(header: &BatchHeader, payload: &[u8]) -> Result<Self> {
        // A record takes at least 7 bytes, whatever the header declares.
        let declared = usize::try_from(header.record_count).unwrap_or(0);
        let mut positions = Vec::with_capacity(declared.min(payload.len() / 7));
        let mut rest = payload;
        while !rest.is_empty() {
            let index = i32::try_from(positions.len()).unwrap_or(i32::MAX);
            let invalid = |reason| RecordsError::InvalidRecord { index, reason };
            let position = u32::try_from(payload.len() - rest.len())
                .map_err(|_| invalid("it lies beyond what a batch can hold"))?;
            let length = read_varint(&mut rest).ok_or_else(|| invalid("its length is no varint"))?;
            rest = usize::try_from(length)
                .ok()
                .and_then(|length| rest.get(length..))
                .ok_or_else(|| invalid("its length is negative or passes the end of the batch"))?;
            positions.push(position);
        }
        if usize::try_from(header.record_count) == Ok(positions.len()) {
            Ok(Self { positions })
        } else {
            Err(RecordsError::CountMismatch {
                declared: header.record_count,
                found: i32::try_from(positions.len()).unwrap_or(i32::MAX),
            })
        }
    }

    /// Number of records.
    #[inline]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether the batch has no records.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Where in the payload the record with this index begins; for the index after the last one, nothing.
    #[inline]
    pub fn start(&self, index: usize) -> Option<usize> {
        self.positions.get(index).map(|position| *position as usize)
    }

    /// Decodes the record with this index, from 0; `header` and `payload` are those that the index was built from.
    #[inline]
    pub fn get<'p>(&self, header: &BatchHeader, payload: &'p [u8], index: usize) -> Option<Result<RecordRef<'p>>> {
        let position = *self.positions.get(index)?;
        let record = payload.get(position as usize..)?;
        Some(RecordIter::at(header, record, index).decode_one())
    }

    /// Index of the first record at or above `offset`: offsets ascend in a batch, compaction leaves gaps.
    ///
    /// # Errors
    /// A record on the way breaks the format.
    pub fn position_of(&self, header: &BatchHeader, payload: &[u8], offset: i64) -> Result<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            let is_below = match self.get(header, payload, middle) {
                Some(record) => record?.offset < offset,
                None => false,
            };
            if is_below {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}
