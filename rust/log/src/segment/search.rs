//! Finding batches in a segment: by offset, by position, by timestamp. The indexes say where to begin, and what stands
//! there says whether they are to be believed.

use std::ops::Range;
use std::sync::{Arc, RwLock};

use barnabas_records::BatchHeader;

use super::{Segment, Tail};
use crate::env::read;
use crate::error::LogError;
use crate::file_pool::PooledFile;
use crate::index_file::{Index, IndexEntry};
use crate::offset_index::OffsetEntry;
use crate::partition_log::ReadSlice;
use crate::scan::{HeaderScan, ScanError};
use crate::storage::StorageFile;

impl Segment {
    /// Whole batches of this segment from the one that contains `offset`, or the next one; `None` when there is none.
    pub(crate) fn read(
        &self,
        offset: i64,
        max_bytes: usize,
        min_one_batch: bool,
        up_to: i64,
    ) -> Result<Option<ReadSlice>, LogError> {
        let (size, next_offset) = self.with_tail(|tail| (tail.size, tail.next_offset));
        if offset >= next_offset {
            return Ok(None);
        }
        let file = self.file()?;
        let Some((start, first)) = self.find(file.as_ref(), offset, size)? else {
            return Ok(None);
        };
        let nothing = ReadSlice::empty(offset);
        let first_len = first.size_in_bytes();
        if first.last_offset() >= up_to || (first_len > max_bytes && !min_one_batch) {
            return Ok(Some(nothing));
        }
        let first_end = start + first_len as u64;
        let limit = size.min(start + max_bytes as u64);
        let end = if limit <= first_end {
            first_end
        } else if limit == size && up_to >= next_offset {
            size
        } else {
            self.last_boundary(file.as_ref(), first_end, &(limit..size), up_to)?
        };
        let len = usize::try_from(end - start).unwrap_or(usize::MAX);
        Ok(Some(ReadSlice {
            file,
            position: start,
            len,
            base_offset: first.base_offset,
        }))
    }

    /// Position and header of the first batch whose last offset is not below `offset`.
    pub(crate) fn find(
        &self,
        file: &dyn StorageFile,
        offset: i64,
        size: u64,
    ) -> Result<Option<(u64, BatchHeader)>, LogError> {
        let start = self.position_floor(offset)?;
        match self.find_from(file, start, offset, size) {
            Ok(Some((position, header))) if position == start && start > 0 && header.base_offset > offset => {}
            Ok(None) if start >= size && start > 0 => {}
            Ok(found) => return Ok(found),
            Err(ScanError::Bad { .. }) if start > 0 => {}
            Err(error) => return Err(self.scan_error(error)),
        }
        // The index sent us past the offset, past the end or into the middle of a batch: it lies, the log does not.
        self.find_from(file, 0, offset, size)
            .map_err(|error| self.scan_error(error))
    }

    /// Position of a batch that is not behind the one that contains `offset`.
    pub(crate) fn position_floor(&self, offset: i64) -> Result<u64, LogError> {
        let floor = self.offset_floor(|entry| i64::from(entry.relative_offset) <= offset - self.base_offset)?;
        Ok(floor.map_or(0, |entry| u64::from(entry.position)))
    }

    fn find_from(
        &self,
        file: &dyn StorageFile,
        start: u64,
        offset: i64,
        size: u64,
    ) -> Result<Option<(u64, BatchHeader)>, ScanError> {
        let mut scan = HeaderScan::new(file, start, size);
        while let Some((position, header)) = scan.next()? {
            if header.base_offset < self.base_offset {
                return Err(ScanError::Bad {
                    position,
                    reason: format!("offset {}", header.base_offset),
                });
            }
            if header.last_offset() >= offset {
                return Ok(Some((position, header)));
            }
        }
        Ok(None)
    }

    /// The last batch boundary from `start` on that is not behind the limit and has only offsets below `up_to` before it;
    /// `limit_to_size` begins with the limit and ends where the file does.
    fn last_boundary(
        &self,
        file: &dyn StorageFile,
        start: u64,
        limit_to_size: &Range<u64>,
        up_to: i64,
    ) -> Result<u64, LogError> {
        let floor = self.offset_floor(|entry| {
            u64::from(entry.position) < limit_to_size.start
                && i64::from(entry.relative_offset) < up_to - self.base_offset
        })?;
        if let Some(entry) = floor.filter(|entry| u64::from(entry.position) > start) {
            let position = u64::from(entry.position);
            let last_offset = self.base_offset + i64::from(entry.relative_offset);
            let found = self.boundary_from(file, position, limit_to_size, up_to, Some(last_offset))?;
            if let Some(end) = found {
                return Ok(end);
            }
            // The index lies, the log does not.
        }
        let found = self.boundary_from(file, start, limit_to_size, up_to, None)?;
        Ok(found.unwrap_or(start))
    }

    /// As [`last_boundary`](Self::last_boundary), by a walk from `start`; `None` if no batch begins there that ends at
    /// `expected_last` at the latest.
    fn boundary_from(
        &self,
        file: &dyn StorageFile,
        start: u64,
        limit_to_size: &Range<u64>,
        up_to: i64,
        mut expected_last: Option<i64>,
    ) -> Result<Option<u64>, LogError> {
        let limit = limit_to_size.start;
        let mut scan = HeaderScan::new(file, start, limit_to_size.end);
        let mut end = start;
        while end < limit {
            let header = match scan.next() {
                Ok(Some((_, header))) => header,
                Err(ScanError::Bad { .. }) if expected_last.is_some() => return Ok(None),
                Ok(None) | Err(ScanError::Bad { .. }) => break,
                Err(error @ ScanError::Io(_)) => return Err(self.scan_error(error)),
            };
            if expected_last.take().is_some_and(|last| header.last_offset() > last) {
                return Ok(None);
            }
            let batch_end = end + header.size_in_bytes() as u64;
            if header.last_offset() >= up_to || batch_end > limit {
                break;
            }
            end = batch_end;
        }
        Ok(Some(end))
    }

    /// A batch boundary at or before `position`.
    pub(crate) fn boundary_before(&self, position: u64) -> Result<u64, LogError> {
        let floor = self.offset_floor(|entry| u64::from(entry.position) <= position)?;
        Ok(floor.map_or(0, |entry| u64::from(entry.position)))
    }

    fn offset_floor(&self, holds: impl Fn(&OffsetEntry) -> bool) -> Result<Option<OffsetEntry>, LogError> {
        floor(&self.tail, |tail| &tail.offsets, &self.offset_index, holds)
    }

    /// The last time index entry at or below `timestamp`, as the offset that a search can start from.
    pub(crate) fn time_floor(&self, timestamp: i64) -> Result<i64, LogError> {
        let entry = floor(
            &self.tail,
            |tail| &tail.times,
            &self.time_index,
            |entry| entry.timestamp <= timestamp,
        )?;
        Ok(entry.map_or(self.base_offset, |entry| {
            self.base_offset + i64::from(entry.relative_offset)
        }))
    }
}

fn floor<E: IndexEntry>(
    tail: &RwLock<Tail>,
    index: impl Fn(&Tail) -> &Index<E>,
    file: &PooledFile,
    holds: impl Fn(&E) -> bool,
) -> Result<Option<E>, LogError> {
    let sealed = match index(&read(tail)) {
        Index::Memory(entries) => {
            let count = entries.partition_point(&holds);
            return Ok(count.checked_sub(1).and_then(|last| entries.get(last)).copied());
        }
        Index::File(sealed) => Arc::clone(sealed),
    };
    // The lock is released: a search of a file must not hold up the appender.
    sealed
        .floor(file, holds)
        .map_err(|error| LogError::io("search", &file.path(), error))
}
