//! `Records`: what `poll()` returns. A lazy sequence over fetched batches; nothing is decoded before it is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use barnabas_client::fetched::FetchedBatch;
use barnabas_columnar::{BadRecords, ColumnarError, Decoder, Limits, Projection, RecordSlice};
use barnabas_records::{AnyBatchIter, RecordRef};
use bytes::Bytes;
use pyo3::exceptions::{PyImportError, PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::slice::PySliceIndices;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PySlice, PyType};
use pyo3_arrow::{PySchema, PyTable};

use crate::record::{Batch, Record, broken};

/// Most bytes that one compressed batch may become in `Records.from_bytes`.
const DECOMPRESSED_BYTES_LIMIT: usize = 1 << 30;

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Batch>()?;
    m.add_class::<Record>()?;
    m.add_class::<Records>()?;
    m.add_class::<RecordsIterator>()?;
    m.add_function(wrap_pyfunction!(decode_json, m)?)
}

/// Some consecutive records of one batch.
#[derive(Debug)]
struct Part {
    batch: Py<Batch>,
    /// Index of the first of them in the batch.
    first: usize,
    count: usize,
    /// How many records this part and those before it have.
    end: usize,
}

/// Records in the order in which they were fetched: a lazy, immutable sequence.
///
/// Indexing and iterating give `Record` objects; `values()` and `keys()` give lists of `bytes` without them;
/// `to_arrow()` and `__arrow_c_stream__` give columns. All of these copy the bytes that they give out, `slice`s and
/// `by_partition()` copy nothing. The buffers of the fetch responses live as long as a `Records` or a `Record` does.
#[pyclass(frozen, sequence, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Records {
    parts: Vec<Part>,
}

impl Records {
    /// The records of these batches, as far as their offset ranges reach.
    pub(crate) fn new(py: Python<'_>, batches: Vec<FetchedBatch>) -> PyResult<Self> {
        let mut records = Self {
            parts: Vec::with_capacity(batches.len()),
        };
        for fetched in batches {
            let batch = Batch::new(fetched);
            let count = batch.count().map_err(|error| broken(batch.fetched(), &error))?;
            records.push(Py::new(py, batch)?, 0, count);
        }
        Ok(records)
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    fn push(&mut self, batch: Py<Batch>, first: usize, count: usize) {
        if count > 0 {
            let end = self.len().saturating_add(count);
            self.parts.push(Part {
                batch,
                first,
                count,
                end,
            });
        }
    }

    /// The records with these indexes.
    fn range(&self, py: Python<'_>, start: usize, end: usize) -> Self {
        let mut records = Self { parts: Vec::new() };
        for part in &self.parts {
            let before = part.end.saturating_sub(part.count);
            let from = start.max(before);
            let until = end.min(part.end);
            if from < until {
                let first = part.first.saturating_add(from.saturating_sub(before));
                records.push(part.batch.clone_ref(py), first, until.saturating_sub(from));
            }
        }
        records
    }

    /// Part and index in its batch of the record with this index.
    fn locate(&self, index: usize) -> Option<(&Part, usize)> {
        let part = self.parts.get(self.parts.partition_point(|part| part.end <= index))?;
        let before = part.end.saturating_sub(part.count);
        Some((part, part.first.checked_add(index.checked_sub(before)?)?))
    }

    fn record(&self, py: Python<'_>, index: usize) -> PyResult<Record> {
        let (part, index) = self
            .locate(index)
            .ok_or_else(|| PyIndexError::new_err("no such record"))?;
        if !part.batch.get().check(index)? {
            return Err(PyIndexError::new_err(
                "the batch holds fewer records than its header says",
            ));
        }
        Ok(Record::new(part.batch.clone_ref(py), index))
    }

    /// A list of one part of each record.
    fn list<'py>(
        &self,
        py: Python<'py>,
        part_of: impl for<'r> Fn(&RecordRef<'r>) -> Option<&'r [u8]>,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut found: Vec<Option<&[u8]>> = Vec::with_capacity(self.len());
        for part in &self.parts {
            let batch = part.batch.get();
            for record in batch.records().skip(part.first).take(part.count) {
                found.push(part_of(&record.map_err(|error| broken(batch.fetched(), &error))?));
            }
        }
        PyList::new(
            py,
            found
                .into_iter()
                .map(|bytes| bytes.map(|bytes| PyBytes::new(py, bytes))),
        )
    }

    /// The records as Arrow batches.
    fn arrow_batches(&self, py: Python<'_>, projection: Projection) -> PyResult<PyTable> {
        let schema = Arc::clone(projection.schema());
        let parts: Vec<(&Batch, usize, usize)> = self
            .parts
            .iter()
            .map(|part| (part.batch.get(), part.first, part.count))
            .collect();
        let rows = Limits {
            rows: usize::MAX,
            ..Limits::default()
        };
        let batches = py
            .detach(|| decode(&parts, Decoder::new(projection, rows)))
            .map_err(|error| {
                let message = error.to_string();
                match error {
                    ColumnarError::Records { .. } => crate::error::raise(py, "CorruptMessageError", &message),
                    _ => PyValueError::new_err(message),
                }
            })?;
        PyTable::try_new(batches, schema)
    }
}

/// Typed columns from records whose values are JSON: an Arrow table of `schema`.
///
/// Fields come from the value, those that `raw_columns` names from the record itself (with spark-sql-kafka's names and
/// types). A value or a field that does not fit gives null, or a `ValueError` with `fail_fast`.
#[pyfunction]
#[pyo3(signature = (records, schema, raw_columns=Vec::new(), *, fail_fast=false))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn decode_json(
    py: Python<'_>,
    records: &Records,
    schema: PySchema,
    raw_columns: Vec<String>,
    fail_fast: bool,
) -> PyResult<PyTable> {
    let bad_records = if fail_fast { BadRecords::Fail } else { BadRecords::Null };
    let projection = Projection::json(schema.into_inner(), &raw_columns, bad_records)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    records.arrow_batches(py, projection)
}

/// Decodes parts of batches in one pass.
fn decode(parts: &[(&Batch, usize, usize)], mut decoder: Decoder) -> Result<Vec<RecordBatch>, ColumnarError> {
    let mut batches = Vec::new();
    for (batch, first, count) in parts {
        let fetched = batch.fetched();
        let mut slice = RecordSlice {
            topic: &fetched.topic,
            partition: fetched.partition,
            header: &fetched.header,
            payload: &fetched.payload,
            first_offset: fetched.first_offset,
            end_offset: fetched.end_offset,
        };
        if *first > 0 || batch.count().is_ok_and(|all| all != *count) {
            let mut offsets = batch
                .records()
                .skip(*first)
                .take(*count)
                .flatten()
                .map(|record| record.offset);
            if let Some(offset) = offsets.next() {
                slice.first_offset = offset;
                slice.end_offset = offsets.last().unwrap_or(offset).saturating_add(1);
            }
        }
        decoder.push(&slice, &mut batches)?;
    }
    batches.extend(decoder.finish()?);
    Ok(batches)
}

#[pymethods]
impl Records {
    /// The records of whole record batches as they stand in a log segment or a fetch response.
    ///
    /// Checks each batch's CRC and decompresses it; message sets of older formats (0 and 1) are read too. Records outside of `first_offset` to `end_offset` are left out.
    #[staticmethod]
    #[pyo3(signature = (topic, partition, data, first_offset=0, end_offset=None))]
    fn from_bytes(
        py: Python<'_>,
        topic: &str,
        partition: i32,
        data: &[u8],
        first_offset: i64,
        end_offset: Option<i64>,
    ) -> PyResult<Self> {
        let topic: Arc<str> = topic.into();
        let corrupt = |error| crate::error::raise(py, "CorruptMessageError", &format!("{topic}-{partition}: {error}"));
        let mut batches = Vec::new();
        for batch in AnyBatchIter::new(data) {
            let batch = batch.map_err(corrupt)?;
            batch.check_crc().map_err(corrupt)?;
            let mut scratch = Vec::new();
            let (header, payload) = batch.decode(&mut scratch, DECOMPRESSED_BYTES_LIMIT).map_err(corrupt)?;
            batches.push(FetchedBatch {
                topic: Arc::clone(&topic),
                partition,
                leader_epoch: header.partition_leader_epoch,
                header,
                payload: Bytes::copy_from_slice(payload),
                first_offset,
                end_offset: end_offset.unwrap_or(i64::MAX),
            });
        }
        Self::new(py, batches)
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    fn __bool__(&self) -> bool {
        !self.parts.is_empty()
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let records = slf.get();
        if let Ok(slice) = index.cast::<PySlice>() {
            let length = isize::try_from(records.len()).unwrap_or(isize::MAX);
            let PySliceIndices { start, stop, step, .. } = slice.indices(length)?;
            if step != 1 {
                return Err(PyValueError::new_err(
                    "a slice of Records has step 1; use list(records)[...] for others",
                ));
            }
            let start = usize::try_from(start).unwrap_or(0);
            let stop = usize::try_from(stop).unwrap_or(0);
            return Ok(Bound::new(py, records.range(py, start, stop))?.into_any());
        }
        let wanted: isize = index
            .extract()
            .map_err(|_| PyTypeError::new_err("Records are indexed by whole numbers or slices"))?;
        let counted_from = if wanted < 0 { records.len() } else { 0 };
        let position = counted_from
            .checked_add_signed(wanted)
            .filter(|position| *position < records.len())
            .ok_or_else(|| PyIndexError::new_err(format!("index {wanted} of {} records", records.len())))?;
        Ok(Bound::new(py, records.record(py, position)?)?.into_any())
    }

    fn __iter__(slf: Py<Self>) -> RecordsIterator {
        RecordsIterator {
            records: slf,
            cursor: AtomicU64::new(0),
        }
    }

    /// The values as a list of `bytes`, None where a value is null. Copies each value once.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |record| record.value)
    }

    /// The keys as a list of `bytes`, None where a key is null. Copies each key once.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |record| record.key)
    }

    /// The records of each partition: a dict from `TopicPartition` to `Records`, in the order of first appearance.
    fn by_partition<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        static TOPIC_PARTITION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let mut groups: Vec<(&Arc<str>, i32, Self)> = Vec::new();
        for part in &self.parts {
            let FetchedBatch { topic, partition, .. } = part.batch.get().fetched();
            let known = groups.iter().rposition(|(t, p, _)| p == partition && *t == topic);
            let index = known.unwrap_or_else(|| {
                groups.push((topic, *partition, Self { parts: Vec::new() }));
                groups.len() - 1
            });
            if let Some((_, _, group)) = groups.get_mut(index) {
                group.push(part.batch.clone_ref(py), part.first, part.count);
            }
        }
        let topic_partition = TOPIC_PARTITION.import(py, "barnabas.types", "TopicPartition")?;
        let dict = PyDict::new(py);
        for (topic, partition, records) in groups {
            dict.set_item(topic_partition.call1((&**topic, partition))?, Bound::new(py, records)?)?;
        }
        Ok(dict)
    }

    /// The records as a `pyarrow.Table`: topic, partition, offset, timestamp, `timestamp_type`, key, value, headers.
    ///
    /// Needs pyarrow. Other Arrow libraries take the records themselves, through `__arrow_c_stream__`.
    fn to_arrow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("pyarrow").map_err(|_| {
            PyImportError::new_err(
                "to_arrow() needs pyarrow (pip install pyarrow); other Arrow libraries take the records themselves, \
                 as in polars.DataFrame(records)",
            )
        })?;
        self.arrow_batches(py, Projection::client())?.into_pyarrow(py)
    }

    /// The Arrow C stream of the records, in the schema of `to_arrow()`.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Bound::new(py, self.arrow_batches(py, Projection::client())?)?
            .call_method1("__arrow_c_stream__", (requested_schema,))
    }

    /// The same records in buffers of their own, so that the fetch responses can be freed. Copies whole batches.
    fn detach(&self, py: Python<'_>) -> PyResult<Self> {
        let mut records = Self {
            parts: Vec::with_capacity(self.parts.len()),
        };
        for part in &self.parts {
            let fetched = part.batch.get().fetched();
            let copy = FetchedBatch {
                payload: Bytes::copy_from_slice(&fetched.payload),
                ..fetched.clone()
            };
            records.push(Py::new(py, Batch::new(copy))?, part.first, part.count);
        }
        Ok(records)
    }

    fn __repr__(&self) -> String {
        let mut partitions: Vec<(&str, i32)> = (self.parts.iter())
            .map(|part| (&*part.batch.get().fetched().topic, part.batch.get().fetched().partition))
            .collect();
        partitions.sort_unstable();
        partitions.dedup();
        format!("<Records: {} of {} partitions>", self.len(), partitions.len())
    }
}

/// Iterator over `Records`.
#[pyclass(frozen, module = "barnabas._core")]
#[derive(Debug)]
pub(crate) struct RecordsIterator {
    records: Py<Records>,
    /// Index of the part in the upper half, of the record in its part in the lower half: one word, so that an
    /// iterator that two threads share stays whole.
    cursor: AtomicU64,
}

#[pymethods]
impl RecordsIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        let cursor = self.cursor.load(Ordering::Relaxed);
        let mut part_index = cursor >> 32;
        let mut index = cursor & u64::from(u32::MAX);
        let parts = &self.records.get().parts;
        let position = |part_index: u64| usize::try_from(part_index).unwrap_or(usize::MAX);
        let Some(mut part) = parts.get(position(part_index)) else {
            return Ok(None);
        };
        if position(index) >= part.count {
            part_index = part_index.saturating_add(1);
            index = 0;
            match parts.get(position(part_index)) {
                Some(next) => part = next,
                None => return Ok(None),
            }
        }
        let in_batch = part.first.saturating_add(position(index));
        if !part.batch.get().check(in_batch)? {
            return Err(crate::error::raise(
                py,
                "CorruptMessageError",
                "the batch holds fewer records than its header says",
            ));
        }
        self.cursor
            .store((part_index << 32) | index.saturating_add(1), Ordering::Relaxed);
        Ok(Some(Record::new(part.batch.clone_ref(py), in_batch)))
    }
}
