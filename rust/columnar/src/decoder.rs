//! Turns record slices into Arrow batches of bounded size.

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_select::filter::filter_record_batch;
use barnabas_records::{BatchHeader, RecordIter, RecordRef, RecordsError};
use bytes::Bytes;

use crate::payload::Payload;
use crate::projection::Origin;
use crate::raw::RawColumns;
use crate::{ColumnarError, Projection, Result};

/// Most bytes of keys and values in one Arrow batch: columns have 32-bit offsets.
pub const BATCH_BYTES_LIMIT: usize = 1 << 30;

/// Smallest record: length, attributes, timestamp, offset, key, value, headers, one byte each.
const RECORD_SIZE_MIN: usize = 7;

/// When a batch is full.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most rows of a batch.
    pub rows: usize,
    /// Most bytes of keys and values in a batch of more than one row, at most [`BATCH_BYTES_LIMIT`].
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rows: 32_768,
            bytes: 16 << 20,
        }
    }
}

/// The records of one fetched batch, decompressed, as far as a reader wants them.
#[derive(Clone, Copy, Debug)]
pub struct RecordSlice<'a> {
    /// Topic of the batch.
    pub topic: &'a str,
    /// Partition of the batch.
    pub partition: i32,
    /// The batch's header.
    pub header: &'a BatchHeader,
    /// The batch's records, decompressed.
    pub payload: &'a [u8],
    /// Records below this offset are left out.
    pub first_offset: i64,
    /// Records from this offset on are left out.
    pub end_offset: i64,
    /// The offsets of the records that are wanted, in ascending order; all if there is no list.
    pub chosen: Option<&'a [i64]>,
}

impl RecordSlice<'_> {
    /// Whether the record at an offset is wanted.
    pub(crate) fn wants(&self, offset: i64) -> bool {
        (self.first_offset..self.end_offset).contains(&offset)
            && self.chosen.is_none_or(|chosen| chosen.binary_search(&offset).is_ok())
    }

    fn broken(&self, source: RecordsError) -> ColumnarError {
        ColumnarError::Records {
            topic: self.topic.to_owned(),
            partition: self.partition,
            base_offset: self.header.base_offset,
            source,
        }
    }
}

/// Decodes record slices, one after the other, into the columns of a projection. It is of no use after an error.
#[derive(Debug)]
pub struct Decoder {
    projection: Projection,
    limits: Limits,
    raw: RawColumns,
    payload: Option<Payload>,
    is_started: bool,
    rows: usize,
    bytes: usize,
}

impl Decoder {
    /// An empty decoder.
    pub fn new(projection: Projection, limits: Limits) -> Self {
        let raw = RawColumns::new(&projection);
        let limits = Limits {
            rows: limits.rows.max(1),
            bytes: limits.bytes.min(BATCH_BYTES_LIMIT),
        };
        Self {
            projection,
            limits,
            raw,
            payload: None,
            is_started: false,
            rows: 0,
            bytes: 0,
        }
    }

    /// The columns it makes.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// Rows that wait for a batch to become full.
    pub fn pending_rows(&self) -> usize {
        self.rows
    }

    /// Decodes the records of a slice; batches that become full go to `full`. Control batches hold no rows.
    ///
    /// # Errors
    /// A slice whose records are not what its header says; a bad record when the projection asks to fail on one.
    pub fn push(&mut self, slice: &RecordSlice<'_>, full: &mut Vec<RecordBatch>) -> Result<()> {
        self.push_from(slice, None, full)
    }

    /// As [`Decoder::push`], of a slice whose payload lies in `owner`, so that columns of views need not copy it.
    ///
    /// # Errors
    /// As for [`Decoder::push`].
    pub fn push_shared(&mut self, slice: &RecordSlice<'_>, owner: &Bytes, full: &mut Vec<RecordBatch>) -> Result<()> {
        self.push_from(slice, Some(owner), full)
    }

    /// Says how much is to come, so that the first batch has room for it at once.
    pub fn expect(&mut self, rows: usize, bytes: usize) {
        self.raw
            .reserve(rows.min(self.limits.rows), bytes.min(self.limits.bytes));
    }

    fn push_from(&mut self, slice: &RecordSlice<'_>, owner: Option<&Bytes>, full: &mut Vec<RecordBatch>) -> Result<()> {
        if slice.header.is_control() {
            return Ok(());
        }
        if !self.is_started {
            self.payload = Payload::new(&self.projection)?;
            self.is_started = true;
        }
        // Every record takes at least this much, whatever the header says.
        let rows = slice.payload.len() / RECORD_SIZE_MIN;
        let declared = usize::try_from(slice.header.record_count).unwrap_or(0);
        let likely_rows = declared.min(rows).min(self.limits.rows);
        let likely_bytes = slice.payload.len().min(self.limits.bytes);
        if self.rows == 0 {
            self.raw.reserve(likely_rows, likely_bytes);
        }
        self.raw.begin(owner);
        let mut run = 0;
        for record in RecordIter::new(slice.header, slice.payload) {
            let record = record.map_err(|source| slice.broken(source))?;
            if record.offset >= slice.end_offset {
                break;
            }
            if !slice.wants(record.offset) {
                continue;
            }
            let size = record
                .key
                .map_or(0, <[u8]>::len)
                .saturating_add(record.value.map_or(0, <[u8]>::len));
            if self.rows >= self.limits.rows || (self.rows > 0 && self.bytes.saturating_add(size) > self.limits.bytes) {
                self.raw.push_run(slice, std::mem::take(&mut run));
                full.extend(self.finish()?);
            }
            if self.rows == 0
                && let Some(payload) = &mut self.payload
            {
                payload.reserve(likely_rows, likely_bytes);
            }
            self.raw.push(&record)?;
            self.push_payload(slice, &record)?;
            self.rows = self.rows.saturating_add(1);
            self.bytes = self.bytes.saturating_add(size);
            run = run.saturating_add(1);
        }
        self.raw.push_run(slice, run);
        Ok(())
    }

    fn push_payload(&mut self, slice: &RecordSlice<'_>, record: &RecordRef<'_>) -> Result<()> {
        let Some(payload) = &mut self.payload else {
            return Ok(());
        };
        match payload.push(record)? {
            Some(reason) => Err(ColumnarError::BadRecord {
                topic: slice.topic.to_owned(),
                partition: slice.partition,
                offset: record.offset,
                reason,
            }),
            None => Ok(()),
        }
    }

    /// The rows that wait, as a batch; nothing if there are none, or all of them are left out.
    ///
    /// # Errors
    /// A null in a column that the schema declares as never null.
    pub fn finish(&mut self) -> Result<Option<RecordBatch>> {
        if self.rows == 0 {
            return Ok(None);
        }
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.projection.origins().len());
        let mut payload = self.payload.as_mut().map(Payload::finish).transpose()?;
        for origin in self.projection.origins() {
            let column = match (origin, &mut payload) {
                (Origin::Raw(column), _) => self.raw.finish(*column)?,
                (Origin::Payload, Some(payload)) => payload.columns.next(),
                (Origin::Corrupt, Some(payload)) => payload.corrupt.take(),
                (_, None) => None,
            };
            columns.extend(column);
        }
        self.raw.clear_runs();
        self.bytes = 0;
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        let schema = std::sync::Arc::clone(self.projection.schema());
        let batch = RecordBatch::try_new_with_options(schema, columns, &options)?;
        let Some(kept) = payload.and_then(|payload| payload.kept) else {
            return Ok(Some(batch));
        };
        let batch = filter_record_batch(&batch, &kept)?;
        Ok((batch.num_rows() > 0).then_some(batch))
    }
}
