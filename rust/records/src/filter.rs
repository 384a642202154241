//! Re-batching for compaction: which records of a batch stay, and the batch that holds them.
//!
//! The rules and the bytes are those of Kafka's `MemoryRecords.filterTo`: a batch of which every record stays is left
//! as it is; otherwise the new one keeps base offset, last offset, leader epoch, producer fields, timestamp type and
//! codec, so that offsets, sequence numbers and append times read as before. A batch that holds a tombstone, or the
//! marker of a transaction without records, gets its delete horizon the first time it is filtered (KIP-534).

use crate::header::{
    CRC_START, HEADER_LEN, LOG_OVERHEAD, MAGIC_V2, NO_TIMESTAMP, attributes, body_len as checked_body_len,
};
use crate::varint::{read_varint, read_varlong, uvarlong_len, write_uvarlong, zigzag64};
use crate::{BatchHeader, BatchRef, Compression, RecordsError, Result, compress, crc32c};

/// What becomes of a batch of which no record stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchRetention {
    /// The batch goes, and its records are not even looked at.
    Delete,
    /// The batch goes if none of its records stays.
    DeleteEmpty,
    /// The batch stays, empty if none of its records stays: its offsets or its producer's sequence are still needed.
    RetainEmpty,
}

/// How one batch is filtered.
#[derive(Clone, Copy, Debug)]
pub struct FilterRules {
    /// What becomes of it when nothing stays.
    pub retention: BatchRetention,
    /// Whether it is the marker of a transaction of which no record is left, so that a delete horizon is due.
    pub is_marker_of_empty_transaction: bool,
    /// From when on tombstones and markers that are seen for the first time may go: now + `delete.retention.ms`.
    pub new_delete_horizon_ms: i64,
}

/// What a predicate may ask of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterRecord<'p> {
    /// Offset in the partition.
    pub offset: i64,
    /// Key; null and empty differ.
    pub key: Option<&'p [u8]>,
    /// Whether the value is not null.
    pub has_value: bool,
}

/// What filtering did with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filtered {
    /// Nothing was written.
    Dropped,
    /// The header was written, without records.
    Emptied,
    /// The batch was written as it was.
    Whole,
    /// A new batch with some of the records, or with a delete horizon, was written.
    Rewritten {
        /// Number of records in it.
        records: i32,
    },
}

/// Where a retained record stands in the payload.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// First byte of its length field.
    start: usize,
    /// First byte behind its timestamp.
    rest: usize,
    end: usize,
    timestamp_delta: i64,
}

/// Filters batches; its buffers are used again from batch to batch.
#[derive(Debug)]
pub struct BatchFilter {
    payload_limit: usize,
    payload: Vec<u8>,
    kept: Vec<u8>,
    spans: Vec<Span>,
}

impl BatchFilter {
    /// A filter that refuses batches which decompress to more than `payload_limit` bytes.
    pub fn new(payload_limit: usize) -> Self {
        Self {
            payload_limit,
            payload: Vec::new(),
            kept: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// Calls `visit` for each record of `batch` until it returns false; says whether it saw all. The CRC is checked.
    ///
    /// # Errors
    /// The batch is damaged, or decompresses to more than the limit.
    pub fn visit(&mut self, batch: &BatchRef<'_>, mut visit: impl FnMut(&FilterRecord<'_>) -> bool) -> Result<bool> {
        batch.check_crc()?;
        let payload = batch.decompress_into(&mut self.payload, self.payload_limit)?;
        let mut rest = payload;
        for index in 0..batch.header.record_count {
            let start = payload.len() - rest.len();
            let (record, span) = read_record(&batch.header, payload, start)
                .ok_or_else(|| broken(batch.header.record_count, index, rest))?;
            if !visit(&record) {
                return Ok(false);
            }
            rest = payload.get(span.end..).unwrap_or_default();
        }
        Ok(true)
    }

    /// Appends to `out` what stays of `batch`.
    ///
    /// The CRC of a batch is checked before it is written anew, so that damage does not get a sound CRC.
    ///
    /// # Errors
    /// The batch is damaged, or decompresses to more than the limit. `out` is as it was.
    pub fn filter(
        &mut self,
        batch: &BatchRef<'_>,
        rules: &FilterRules,
        retain: impl FnMut(&FilterRecord<'_>) -> bool,
        out: &mut Vec<u8>,
    ) -> Result<Filtered> {
        if rules.retention == BatchRetention::Delete {
            return Ok(Filtered::Dropped);
        }
        let header = &batch.header;
        let codec = header.compression()?;
        let payload = batch.decompress_into(&mut self.payload, self.payload_limit)?;
        self.spans.clear();
        let has_tombstone = select(header, payload, retain, &mut self.spans)?;
        if self.spans.is_empty() {
            if rules.retention == BatchRetention::DeleteEmpty {
                return Ok(Filtered::Dropped);
            }
            batch.check_crc()?;
            write_empty(header, out);
            return Ok(Filtered::Emptied);
        }
        let known_horizon = header.delete_horizon_ms();
        let needs_horizon = known_horizon.is_none() && (has_tombstone || rules.is_marker_of_empty_transaction);
        let is_whole = i32::try_from(self.spans.len()) == Ok(header.record_count);
        if is_whole && !needs_horizon {
            out.extend_from_slice(batch.bytes);
            return Ok(Filtered::Whole);
        }
        batch.check_crc()?;
        let horizon = known_horizon.or(needs_horizon.then_some(rules.new_delete_horizon_ms));
        let clock = Clock::of(header, horizon, &self.spans);
        let start = out.len();
        out.resize(start + HEADER_LEN, 0);
        let written = if codec == Compression::None {
            copy_spans(&clock, payload, &self.spans, out);
            Ok(())
        } else {
            self.kept.clear();
            copy_spans(&clock, payload, &self.spans, &mut self.kept);
            compress(codec, None, &self.kept, out)
        };
        let records = i32::try_from(self.spans.len()).unwrap_or(i32::MAX);
        let sealed = written.and_then(|()| {
            let mut header = *header;
            header.attributes |= if horizon.is_some() {
                attributes::DELETE_HORIZON
            } else {
                0
            };
            header.base_timestamp = clock.base_timestamp;
            header.max_timestamp = clock.max_timestamp;
            header.record_count = records;
            seal(header, out.get_mut(start..).unwrap_or_default())
        });
        match sealed {
            Ok(()) => Ok(Filtered::Rewritten { records }),
            Err(error) => {
                out.truncate(start);
                Err(error)
            }
        }
    }
}

/// Timestamps of the new batch.
struct Clock {
    base_timestamp: i64,
    max_timestamp: i64,
    /// What a record's timestamp counts from in the old batch; `None` if every record has the append time.
    old_base: Option<i64>,
}

impl Clock {
    fn of(header: &BatchHeader, horizon: Option<i64>, spans: &[Span]) -> Self {
        let append_time = header.is_log_append_time().then_some(header.max_timestamp);
        let timestamp =
            |span: &Span| append_time.unwrap_or_else(|| header.base_timestamp.wrapping_add(span.timestamp_delta));
        Self {
            base_timestamp: horizon.unwrap_or_else(|| spans.first().map_or(NO_TIMESTAMP, timestamp)),
            max_timestamp: append_time.unwrap_or_else(|| spans.iter().map(timestamp).fold(NO_TIMESTAMP, i64::max)),
            old_base: append_time.is_none().then_some(header.base_timestamp),
        }
    }

    fn delta(&self, old_delta: i64) -> i64 {
        self.old_base
            .map_or(self.max_timestamp, |base| base.wrapping_add(old_delta))
            .wrapping_sub(self.base_timestamp)
    }
}

/// Asks for each record whether it stays; says whether one that stays is a tombstone.
fn select(
    header: &BatchHeader,
    payload: &[u8],
    mut retain: impl FnMut(&FilterRecord<'_>) -> bool,
    spans: &mut Vec<Span>,
) -> Result<bool> {
    let mut has_tombstone = false;
    let mut rest = payload;
    for index in 0..header.record_count {
        let start = payload.len() - rest.len();
        let (record, span) =
            read_record(header, payload, start).ok_or_else(|| broken(header.record_count, index, rest))?;
        rest = payload.get(span.end..).unwrap_or_default();
        if retain(&record) {
            has_tombstone |= !record.has_value;
            spans.push(span);
        }
    }
    if rest.is_empty() && header.record_count >= 0 {
        Ok(has_tombstone)
    } else {
        Err(RecordsError::CountMismatch {
            declared: header.record_count,
            found: header.record_count.saturating_add(1),
        })
    }
}

#[cold]
fn broken(declared: i32, index: i32, rest: &[u8]) -> RecordsError {
    if rest.is_empty() {
        RecordsError::CountMismatch { declared, found: index }
    } else {
        RecordsError::InvalidRecord {
            index,
            reason: "its fields do not fit into its length",
        }
    }
}

/// The record that begins at `start`; its headers are not looked at.
#[inline]
fn read_record<'p>(header: &BatchHeader, payload: &'p [u8], start: usize) -> Option<(FilterRecord<'p>, Span)> {
    let mut rest = payload.get(start..)?;
    let length = usize::try_from(read_varint(&mut rest)?).ok()?;
    let mut body = rest.get(..length)?;
    let end = payload.len() - rest.len() + length;
    let (_attributes, after) = body.split_first()?;
    body = after;
    let timestamp_delta = read_varlong(&mut body)?;
    let span = Span {
        start,
        rest: end - body.len(),
        end,
        timestamp_delta,
    };
    let offset_delta = read_varint(&mut body)?;
    let key = read_bytes(&mut body)?;
    let has_value = read_bytes(&mut body)?.is_some();
    let offset = header.base_offset.wrapping_add(i64::from(offset_delta));
    let record = FilterRecord { offset, key, has_value };
    (!body.is_empty()).then_some((record, span))
}

/// The outer `None` is a malformed length.
#[inline]
#[expect(clippy::option_option, reason = "malformed and null are two things")]
fn read_bytes<'p>(input: &mut &'p [u8]) -> Option<Option<&'p [u8]>> {
    let length = read_varint(input)?;
    if length < 0 {
        return (length == -1).then_some(None);
    }
    let (bytes, rest) = input.split_at_checked(length.cast_unsigned() as usize)?;
    *input = rest;
    Some(Some(bytes))
}

/// Copies the records that stay, with their timestamps counted from the new base.
fn copy_spans(clock: &Clock, payload: &[u8], spans: &[Span], out: &mut Vec<u8>) {
    // Records that stand side by side and keep their bytes are copied at once.
    let mut run = 0..0;
    for span in spans {
        let delta = clock.delta(span.timestamp_delta);
        if delta == span.timestamp_delta {
            if run.end != span.start {
                out.extend_from_slice(payload.get(run).unwrap_or_default());
                run = span.start..span.start;
            }
            run.end = span.end;
            continue;
        }
        out.extend_from_slice(payload.get(std::mem::replace(&mut run, 0..0)).unwrap_or_default());
        let delta = zigzag64(delta);
        let rest = payload.get(span.rest..span.end).unwrap_or_default();
        // A record's length fits an i32, and the timestamp's varint is at most ten bytes of it.
        let length = 1 + uvarlong_len(delta) + rest.len();
        write_uvarlong(out, (length as u64) << 1);
        out.push(0);
        write_uvarlong(out, delta);
        out.extend_from_slice(rest);
    }
    out.extend_from_slice(payload.get(run).unwrap_or_default());
}

/// The header of a batch without records.
fn write_empty(old: &BatchHeader, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + HEADER_LEN, 0);
    let header = BatchHeader {
        attributes: old.attributes & (attributes::LOG_APPEND_TIME | attributes::TRANSACTIONAL | attributes::CONTROL),
        base_timestamp: NO_TIMESTAMP,
        record_count: 0,
        ..*old
    };
    // A header alone is never too long.
    let sealed = seal(header, out.get_mut(start..).unwrap_or_default());
    debug_assert_eq!(sealed, Ok(()));
}

/// Writes the header over the front of `batch`, with its length and its CRC.
fn seal(mut header: BatchHeader, batch: &mut [u8]) -> Result<()> {
    let too_large = RecordsError::TooLarge {
        size: batch.len(),
        limit: i32::MAX as usize,
    };
    let length = batch.len().checked_sub(LOG_OVERHEAD).map(i32::try_from);
    let Some(Ok(batch_length)) = length else {
        return Err(too_large);
    };
    checked_body_len(batch_length)?;
    header.batch_length = batch_length;
    header.magic = MAGIC_V2;
    for _ in 0..2 {
        // The first round puts the fields in place that the CRC covers, the second one the CRC.
        if let Some(front) = batch.first_chunk_mut::<HEADER_LEN>() {
            header.write(front);
        }
        header.crc = crc32c(batch.get(CRC_START..).unwrap_or_default());
    }
    Ok(())
}
