//! The reading side of a partition's log. Nothing here takes the append lock.

use std::sync::Arc;

use barnabas_records::{BatchHeader, BatchRef, RecordIter};

use crate::env::lock;
use crate::error::LogError;
use crate::partition_log::{PartitionLog, ReadSlice, Segments, TimestampOffset};
use crate::scan::HeaderScan;
use crate::segment::Segment;
use crate::storage::StorageFile;
use crate::validate::DECOMPRESSED_BYTES_MAX;

impl PartitionLog {
    /// Whole batches from the one that contains `offset`, at most `max_bytes` (but one batch of any size when
    /// `min_one_batch`), all below `up_to`. Empty when there is nothing below `up_to`.
    pub fn read(&self, offset: i64, max_bytes: usize, min_one_batch: bool, up_to: i64) -> Result<ReadSlice, LogError> {
        self.reading(|segments, end| self.find_slice(segments, end, offset, max_bytes, min_one_batch, up_to))
    }

    /// Where a read of `offset` begins to look: the segment's base offset, and the position that its offset index gives
    /// for `offset`. What is read is found from there by a walk of at most an index interval and a batch.
    pub fn index_floor(&self, offset: i64) -> Result<Option<(i64, u64)>, LogError> {
        self.reading(|segments, _| {
            let behind = segments.partition_point(|segment| segment.base_offset <= offset);
            let Some(segment) = behind.checked_sub(1).and_then(|index| segments.get(index)) else {
                return Ok(None);
            };
            Ok(Some((segment.base_offset, segment.position_floor(offset)?)))
        })
    }

    /// First record below `up_to` whose timestamp is at least `timestamp`.
    pub fn offset_for_timestamp(&self, timestamp: i64, up_to: i64) -> Result<Option<TimestampOffset>, LogError> {
        self.reading(|segments, end| self.find_timestamp(segments, timestamp, up_to.min(end)))
    }

    /// First record that carries the greatest timestamp of the log below `up_to`.
    pub fn max_timestamp(&self, up_to: i64) -> Result<Option<TimestampOffset>, LogError> {
        self.reading(|segments, end| self.find_max_timestamp(segments, up_to.min(end)))
    }

    /// Reads from the segments as they are now, up to the log's end as it is now. A reader whose files were cut, replaced or removed under it stumbles;
    /// it waits for the end of that change and looks again at the list that has taken their place. One whose log was closed or deleted learns that.
    pub(crate) fn reading<T>(&self, read: impl Fn(&Segments, i64) -> Result<T, LogError>) -> Result<T, LogError> {
        self.check_usable()?;
        loop {
            let version = self.structure_version();
            // The end is read before the segments, so that the list has everything below it.
            let log_end_offset = self.log_end_offset();
            let segments = self.segments();
            match read(&segments, log_end_offset) {
                Ok(found) => return Ok(found),
                Err(error) => {
                    self.check_usable()?;
                    if version.is_multiple_of(2) && version == self.structure_version() {
                        return Err(self.env.health.note(error));
                    }
                    drop(lock(&self.flushing));
                }
            }
        }
    }

    fn find_slice(
        &self,
        segments: &Segments,
        log_end_offset: i64,
        offset: i64,
        max_bytes: usize,
        min_one_batch: bool,
        up_to: i64,
    ) -> Result<ReadSlice, LogError> {
        let log_start_offset = self.log_start_offset();
        if !(log_start_offset..=log_end_offset).contains(&offset) {
            return Err(LogError::OffsetOutOfRange {
                offset,
                log_start_offset,
                log_end_offset,
            });
        }
        let up_to = up_to.min(log_end_offset);
        if offset >= up_to {
            return Ok(ReadSlice::empty(offset));
        }
        let first = segments
            .partition_point(|segment| segment.base_offset <= offset)
            .saturating_sub(1);
        for segment in segments.get(first..).unwrap_or_default() {
            if segment.base_offset >= up_to {
                break;
            }
            if let Some(slice) = segment.read(offset, max_bytes, min_one_batch, up_to)? {
                return Ok(slice);
            }
        }
        Ok(ReadSlice::empty(offset))
    }

    fn find_timestamp(
        &self,
        segments: &Segments,
        timestamp: i64,
        up_to: i64,
    ) -> Result<Option<TimestampOffset>, LogError> {
        let log_start_offset = self.log_start_offset();
        for segment in segments.iter() {
            let (size, next_offset, max_timestamp) =
                segment.with_tail(|tail| (tail.size, tail.next_offset, tail.max_timestamp));
            if segment.base_offset >= up_to {
                break;
            }
            if max_timestamp < timestamp || next_offset <= log_start_offset {
                continue;
            }
            let wanted = |offset, found| offset >= log_start_offset && found >= timestamp;
            let from = segment.time_floor(timestamp)?;
            if let Some(found) = search(segment, from, size, timestamp, wanted)? {
                return Ok((found.offset < up_to).then_some(found));
            }
        }
        Ok(None)
    }

    fn find_max_timestamp(&self, segments: &Segments, up_to: i64) -> Result<Option<TimestampOffset>, LogError> {
        let log_start_offset = self.log_start_offset();
        let mut best: Option<TimestampOffset> = None;
        for segment in segments.iter() {
            let (size, next_offset, max_timestamp, max_offset) = segment.with_tail(|tail| {
                (
                    tail.size,
                    tail.next_offset,
                    tail.max_timestamp,
                    tail.max_timestamp_offset,
                )
            });
            if segment.base_offset >= up_to {
                break;
            }
            if next_offset <= log_start_offset || best.is_some_and(|best| max_timestamp <= best.timestamp) {
                continue;
            }
            // Where the log begins within the segment, its maximum may be of a record that is deleted.
            let found = if max_offset < up_to && segment.base_offset >= log_start_offset {
                search(segment, max_offset, size, max_timestamp, |_, found| {
                    found >= max_timestamp
                })?
            } else {
                greatest(segment, size, log_start_offset, up_to)?
            };
            if let Some(found) = found
                && best.is_none_or(|best| found.timestamp > best.timestamp)
            {
                best = Some(found);
            }
        }
        Ok(best)
    }
}

/// The first record that is `wanted`, in the batch that contains `from` or a later one of the segment, among the
/// batches whose greatest timestamp is at least `timestamp`.
fn search(
    segment: &Segment,
    from: i64,
    size: u64,
    timestamp: i64,
    wanted: impl Fn(i64, i64) -> bool,
) -> Result<Option<TimestampOffset>, LogError> {
    let file = segment.file()?;
    let Some((start, _)) = segment.find(file.as_ref(), from, size)? else {
        return Ok(None);
    };
    let mut scan = HeaderScan::new(file.as_ref(), start, size);
    while let Some((position, header)) = scan.next().map_err(|error| segment.scan_error(error))? {
        if header.max_timestamp < timestamp {
            continue;
        }
        let mut found = None;
        each_record(segment, &file, position, &header, |offset, timestamp| {
            if found.is_none() && wanted(offset, timestamp) {
                found = Some(TimestampOffset {
                    offset,
                    timestamp,
                    leader_epoch: header.partition_leader_epoch,
                });
            }
            found.is_none()
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The greatest timestamp of a part of a segment, by walking it: the segment's own maximum lies outside of the part.
fn greatest(segment: &Segment, size: u64, from: i64, up_to: i64) -> Result<Option<TimestampOffset>, LogError> {
    let file = segment.file()?;
    let Some((start, _)) = segment.find(file.as_ref(), from, size)? else {
        return Ok(None);
    };
    let mut scan = HeaderScan::new(file.as_ref(), start, size);
    let mut best: Option<TimestampOffset> = None;
    while let Some((position, header)) = scan.next().map_err(|error| segment.scan_error(error))? {
        if header.base_offset >= up_to {
            break;
        }
        if best.is_some_and(|best| header.max_timestamp <= best.timestamp) {
            continue;
        }
        each_record(segment, &file, position, &header, |offset, timestamp| {
            if (from..up_to).contains(&offset) && best.is_none_or(|best| timestamp > best.timestamp) {
                best = Some(TimestampOffset {
                    offset,
                    timestamp,
                    leader_epoch: header.partition_leader_epoch,
                });
            }
            true
        })?;
    }
    Ok(best)
}

/// Calls `visit` with offset and timestamp of each record of a batch until it returns false.
fn each_record(
    segment: &Segment,
    file: &Arc<dyn StorageFile>,
    position: u64,
    header: &BatchHeader,
    mut visit: impl FnMut(i64, i64) -> bool,
) -> Result<(), LogError> {
    let mut bytes = vec![0; header.size_in_bytes()];
    file.read_exact_at(&mut bytes, position)
        .map_err(|error| LogError::io("read", &segment.log_path(), error))?;
    let damaged = |error: barnabas_records::RecordsError| LogError::Damaged {
        path: segment.log_path().to_path_buf(),
        position,
        reason: error.to_string(),
    };
    let batch = BatchRef::parse(&bytes).map_err(damaged)?;
    let mut scratch = Vec::new();
    let payload = batch
        .decompress_into(&mut scratch, DECOMPRESSED_BYTES_MAX)
        .map_err(damaged)?;
    for record in RecordIter::new(&batch.header, payload) {
        let record = record.map_err(damaged)?;
        if !visit(record.offset, record.timestamp) {
            break;
        }
    }
    Ok(())
}
