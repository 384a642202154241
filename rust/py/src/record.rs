//! One record of a fetched batch, lazily: attributes are made when they are asked for.

use std::sync::OnceLock;

use barnabas_client::fetched::FetchedBatch;
use barnabas_records::{RecordIter, RecordRef, RecordsError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

/// Bytes of a key or a value that a repr shows.
const REPR_BYTES_LIMIT: usize = 32;

/// Where bytes lie in a batch's payload; payloads are below 2 GiB because batch lengths are 32-bit.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u32,
    len: u32,
}

impl Range {
    /// The place of `part`, which is a part of `whole`.
    fn of(part: &[u8], whole: &[u8]) -> Option<Self> {
        let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
        Some(Self {
            start: u32::try_from(start).ok()?,
            len: u32::try_from(part.len()).ok()?,
        })
    }

    fn bytes(self, whole: &[u8]) -> &[u8] {
        let start = self.start as usize;
        whole
            .get(start..start.saturating_add(self.len as usize))
            .unwrap_or_default()
    }
}

/// Where a header's key and value lie.
type HeaderRange = (Range, Option<Range>);

/// Where the parts of one record lie.
#[derive(Debug)]
struct Entry {
    offset: i64,
    timestamp: i64,
    key: Option<Range>,
    value: Option<Range>,
    headers: Option<Box<[HeaderRange]>>,
}

impl Entry {
    fn of(record: &RecordRef<'_>, payload: &[u8]) -> Self {
        let range = |part: &[u8]| Range::of(part, payload);
        let headers = (!record.headers.is_empty()).then(|| {
            let place = |(key, value): (&[u8], Option<&[u8]>)| Some((range(key)?, value.and_then(range)));
            record.headers.iter().filter_map(place).collect()
        });
        Self {
            offset: record.offset,
            timestamp: record.timestamp,
            key: record.key.and_then(range),
            value: record.value.and_then(range),
            headers,
        }
    }
}

/// One fetched batch and, once somebody asked for a single record, where its records lie.
#[pyclass(frozen, module = "barnabas._core")]
#[derive(Debug)]
pub(crate) struct Batch {
    fetched: FetchedBatch,
    entries: OnceLock<Result<Vec<Entry>, RecordsError>>,
}

impl Batch {
    pub(crate) fn new(fetched: FetchedBatch) -> Self {
        Self {
            fetched,
            entries: OnceLock::new(),
        }
    }

    pub(crate) fn fetched(&self) -> &FetchedBatch {
        &self.fetched
    }

    /// The records that the reader wants, in order; control batches have none.
    pub(crate) fn records(&self) -> impl Iterator<Item = Result<RecordRef<'_>, RecordsError>> {
        let FetchedBatch {
            header,
            payload,
            first_offset,
            end_offset,
            ..
        } = &self.fetched;
        let wanted = if header.is_control() {
            *first_offset..*first_offset
        } else {
            *first_offset..*end_offset
        };
        RecordIter::new(header, payload)
            .filter(move |record| record.as_ref().map_or(true, |record| wanted.contains(&record.offset)))
    }

    /// How many records [`Batch::records`] gives, counted without decoding them where that is possible.
    pub(crate) fn count(&self) -> Result<usize, RecordsError> {
        let FetchedBatch {
            header,
            first_offset,
            end_offset,
            ..
        } = &self.fetched;
        if header.is_control() {
            return Ok(0);
        }
        let is_whole = *first_offset <= header.base_offset && *end_offset > header.last_offset();
        if is_whole && let Ok(count) = usize::try_from(header.record_count) {
            return Ok(count);
        }
        if header.record_count.checked_sub(1) == Some(header.last_offset_delta) {
            let first = header.base_offset.max(*first_offset);
            let end = header.last_offset().saturating_add(1).min(*end_offset);
            return Ok(usize::try_from(end.saturating_sub(first)).unwrap_or(0));
        }
        let mut count = 0usize;
        for record in self.records() {
            record?;
            count = count.saturating_add(1);
        }
        Ok(count)
    }

    fn entries(&self) -> Result<&[Entry], RecordsError> {
        let decode = || {
            self.records()
                .map(|record| Ok(Entry::of(&record?, &self.fetched.payload)))
                .collect::<Result<_, _>>()
        };
        self.entries.get_or_init(decode).as_deref().map_err(Clone::clone)
    }

    /// Makes sure that the record at `index` exists.
    pub(crate) fn check(&self, index: usize) -> PyResult<bool> {
        Ok(self.entries().map_err(|error| broken(&self.fetched, &error))?.len() > index)
    }
}

/// A batch that does not hold what its header says, as an exception.
pub(crate) fn broken(batch: &FetchedBatch, error: &RecordsError) -> PyErr {
    let FetchedBatch {
        topic,
        partition,
        header,
        ..
    } = batch;
    let message = format!("{topic}-{partition}: batch at offset {}: {error}", header.base_offset);
    Python::attach(|py| crate::error::raise(py, "CorruptMessageError", &message))
}

/// A record that was fetched from a topic.
///
/// Keeps the buffer of the fetch response alive; `Records.detach()` before keeping few records of many.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Record {
    batch: Py<Batch>,
    index: usize,
}

impl Record {
    /// The record at `index`, which [`Batch::check`] has found.
    pub(crate) fn new(batch: Py<Batch>, index: usize) -> Self {
        Self { batch, index }
    }

    fn entry(&self) -> PyResult<&Entry> {
        let batch = self.batch.get();
        let entries = batch.entries().map_err(|error| broken(&batch.fetched, &error))?;
        entries
            .get(self.index)
            .ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such record"))
    }

    fn payload(&self) -> &[u8] {
        &self.batch.get().fetched.payload
    }
}

#[pymethods]
impl Record {
    /// The record's topic.
    #[getter]
    fn topic<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.batch.get().fetched.topic)
    }

    /// The record's partition.
    #[getter]
    fn partition(&self) -> i32 {
        self.batch.get().fetched.partition
    }

    /// The record's offset in its partition.
    #[getter]
    fn offset(&self) -> PyResult<i64> {
        Ok(self.entry()?.offset)
    }

    /// Milliseconds since the epoch, -1 if the producer gave none.
    #[getter]
    fn timestamp(&self) -> PyResult<i64> {
        Ok(self.entry()?.timestamp)
    }

    /// What the timestamp is: 0 create time, 1 log append time.
    #[getter]
    fn timestamp_type(&self) -> i32 {
        i32::from(self.batch.get().fetched.header.timestamp_type())
    }

    /// The leader epoch of the record's batch, None if it is unknown.
    #[getter]
    fn leader_epoch(&self) -> Option<i32> {
        Some(self.batch.get().fetched.leader_epoch).filter(|epoch| *epoch >= 0)
    }

    /// The key, a new `bytes` each time; None if it is null.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(self
            .entry()?
            .key
            .map(|range| PyBytes::new(py, range.bytes(self.payload()))))
    }

    /// The value, a new `bytes` each time; None if it is null.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(self
            .entry()?
            .value
            .map(|range| PyBytes::new(py, range.bytes(self.payload()))))
    }

    /// The headers as pairs of name and value, in their order, repeated names kept.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let payload = self.payload();
        let headers = PyList::empty(py);
        for (key, value) in self.entry()?.headers.iter().flatten() {
            let key = String::from_utf8_lossy(key.bytes(payload));
            let value = value.map(|value| PyBytes::new(py, value.bytes(payload)));
            headers.append(PyTuple::new(
                py,
                [key.into_pyobject(py)?.into_any(), value.into_pyobject(py)?.into_any()],
            )?)?;
        }
        Ok(headers)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let entry = self.entry()?;
        let payload = self.payload();
        let show = |range: Option<Range>| -> PyResult<String> {
            let Some(range) = range else {
                return Ok("None".to_owned());
            };
            let bytes = range.bytes(payload);
            let shown = bytes.get(..REPR_BYTES_LIMIT).unwrap_or(bytes);
            let rest = if shown.len() < bytes.len() { "..." } else { "" };
            Ok(format!("{}{rest}", PyBytes::new(py, shown).repr()?))
        };
        Ok(format!(
            "Record(topic={}, partition={}, offset={}, timestamp={}, key={}, value={})",
            self.topic(py).repr()?,
            self.partition(),
            entry.offset,
            entry.timestamp,
            show(entry.key)?,
            show(entry.value)?,
        ))
    }
}
