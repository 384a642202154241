//! Opening a segment without walking it: what its indexes say, and the few reads that show whether they can be right.

use std::sync::Arc;

use barnabas_records::HEADER_LEN;

use crate::error::LogError;
use crate::index_file::{Index, IndexEntry, SealedIndex, decode_entries};
use crate::offset_index::{self, OffsetEntry};
use crate::recovery::Recovery;
use crate::scan::{HeaderScan, ScanError};
use crate::segment::{Persisted, Tail};
use crate::storage::OpenMode;
use crate::time_index::{self, TimeEntry};

impl Recovery<'_> {
    /// A sealed segment as its indexes describe it; `None` when they do not fit.
    pub(crate) fn trust_sealed(
        &self,
        base_offset: i64,
        size: u64,
        next_base: i64,
        (offsets_len, times_len): (u64, u64),
    ) -> Result<Option<(Tail, Persisted)>, LogError> {
        let (Some((offsets, last)), Some((times, greatest))) = (
            self.last_entry::<OffsetEntry>(base_offset, ".index", offsets_len)?,
            self.last_entry::<TimeEntry>(base_offset, ".timeindex", times_len)?,
        ) else {
            return Ok(None);
        };
        let indexed = last.map_or(0, |last| u64::from(last.position));
        let in_range = |relative: u32| base_offset + i64::from(relative) < next_base;
        // A much shorter index was cut: every look-up behind its end would walk the rest of the segment.
        let reach = u64::from(self.config.index_interval_bytes) + 2 * self.config.max_message_bytes as u64;
        let Some(greatest) = greatest else { return Ok(None) };
        if indexed >= size.max(1)
            || size - indexed > reach
            || !last.is_none_or(|last| in_range(last.relative_offset))
            || !in_range(greatest.relative_offset)
        {
            return Ok(None);
        }
        let tail = Tail {
            size,
            next_offset: next_base,
            max_timestamp: greatest.timestamp,
            max_timestamp_offset: base_offset + i64::from(greatest.relative_offset),
            offsets: Index::File(Arc::new(SealedIndex::on_disk(offsets))),
            times: Index::File(Arc::new(SealedIndex::on_disk(times))),
            ..Tail::empty(base_offset)
        };
        Ok(Some((tail, Persisted { offsets, times })))
    }

    /// Whether the indexes of a segment end with what a walk has found of it, so that there never was more.
    pub(crate) fn is_whole_by_indexes(
        &self,
        tail: &Tail,
        base_offset: i64,
        (offsets_len, times_len): (u64, u64),
    ) -> Result<bool, LogError> {
        let (Some((_, last)), Some((_, greatest))) = (
            self.last_entry::<OffsetEntry>(base_offset, ".index", offsets_len)?,
            self.last_entry::<TimeEntry>(base_offset, ".timeindex", times_len)?,
        ) else {
            return Ok(false);
        };
        let Some(greatest) = greatest else {
            // Of a segment that compaction has emptied; one batch without records may say where it ends.
            return Ok(last.is_none() && tail.max_timestamp < 0 && tail.size <= HEADER_LEN as u64);
        };
        let found = (tail.max_timestamp, tail.max_timestamp_offset);
        Ok(
            found == (greatest.timestamp, base_offset + i64::from(greatest.relative_offset))
                && last.is_none_or(|last| {
                    u64::from(last.position) < tail.size
                        && base_offset + i64::from(last.relative_offset) < tail.next_offset
                }),
        )
    }

    /// Number of entries and the last one; `None` when the file does not have whole entries.
    fn last_entry<E: IndexEntry>(
        &self,
        base_offset: i64,
        suffix: &str,
        len: u64,
    ) -> Result<Option<(usize, Option<E>)>, LogError> {
        let (count, partial) = (len / E::LEN as u64, len % E::LEN as u64);
        let Ok(count) = usize::try_from(count) else {
            return Ok(None);
        };
        if partial != 0 {
            return Ok(None);
        }
        if count == 0 {
            return Ok(Some((0, None)));
        }
        let path = self.path(base_offset, suffix);
        let mut bytes = vec![0; E::LEN];
        self.env
            .storage
            .open(&path, OpenMode::Read)
            .and_then(|file| file.read_exact_at(&mut bytes, len - E::LEN as u64))
            .map_err(|error| LogError::io("read", &path, error))?;
        Ok(Some((count, E::decode(&bytes))))
    }

    /// The last segment from its indexes and a walk of what lies behind their last entry; `None` when they do not fit.
    pub(crate) fn trust_active(
        &self,
        base_offset: i64,
        len: u64,
        lens: (u64, u64),
    ) -> Result<Option<(Tail, Persisted)>, LogError> {
        let offsets: Vec<OffsetEntry> = self.read_index(base_offset, ".index", lens.0)?;
        let times: Vec<TimeEntry> = self.read_index(base_offset, ".timeindex", lens.1)?;
        if !offset_index::is_sound(&offsets, len) || !time_index::is_sound(&times) {
            return Ok(None);
        }
        let file = self.open_log_file(base_offset)?;
        let mut tail = Tail::empty(base_offset);
        let last = offsets.last().copied();
        let greatest = times.last().copied();
        if let Some(greatest) = greatest {
            tail.max_timestamp = greatest.timestamp;
            tail.max_timestamp_offset = base_offset + i64::from(greatest.relative_offset);
        }
        let persisted = Persisted {
            offsets: offsets.len(),
            times: times.len(),
        };
        tail.offsets = Index::Memory(offsets);
        tail.times = Index::Memory(times);
        let read_failed = |error: ScanError| match error {
            ScanError::Io(error) => Err(LogError::io("read", &self.path(base_offset, ".log"), error)),
            ScanError::Bad { .. } => Ok(None),
        };
        let mut first_timestamp = None;
        if last.is_some() {
            match HeaderScan::new(file.as_ref(), 0, len).next() {
                Ok(first) => first_timestamp = first.map(|(_, header)| header.max_timestamp),
                Err(error) => return read_failed(error),
            }
        }
        tail.size = last.map_or(0, |last| u64::from(last.position));
        let mut scan = HeaderScan::new(file.as_ref(), tail.size, len);
        let mut expected = last.map(|last| base_offset + i64::from(last.relative_offset));
        loop {
            match scan.next() {
                Ok(Some((_, header))) => {
                    if expected.take().is_some_and(|expected| expected != header.last_offset()) {
                        return Ok(None);
                    }
                    first_timestamp.get_or_insert(header.max_timestamp);
                    tail.push(base_offset, self.config.index_interval_bytes, &header);
                }
                Ok(None) => break,
                Err(error) => return read_failed(error),
            }
        }
        if tail.max_timestamp > greatest.map_or(-1, |greatest| greatest.timestamp) {
            // A closed segment's time index ends with its greatest timestamp: this one was cut.
            return Ok(None);
        }
        tail.first_timestamp = first_timestamp;
        Ok(Some((tail, persisted)))
    }

    fn read_index<E: IndexEntry>(&self, base_offset: i64, suffix: &str, len: u64) -> Result<Vec<E>, LogError> {
        if len == 0 {
            return Ok(Vec::new());
        }
        let path = self.path(base_offset, suffix);
        // `segment.index.bytes` is an int; a longer file is not an index.
        let bytes = self
            .env
            .storage
            .read_whole(&path, i32::MAX as usize)
            .map_err(|error| LogError::io("read", &path, error))?;
        Ok(decode_entries(&bytes))
    }
}
