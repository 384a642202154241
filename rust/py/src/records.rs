//! `Records`: what `poll()` returns. A lazy sequence over fetched batches; nothing is decoded before it is asked for.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use barnabas_client::fetched::FetchedBatch;
use barnabas_records::{AnyBatch, AnyBatchIter, RecordRef, RecordsError};
use bytes::Bytes;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;
use pyo3::types::slice::PySliceIndices;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PySlice, PyTuple, PyType};

use crate::buffer::Exported;
use crate::columns::Wanted;
use crate::fetched::{Fetched, Slot};
use crate::record::Record;

/// Most bytes that one compressed batch may become in `Records.from_bytes`.
const DECOMPRESSED_BYTES_LIMIT: usize = 1 << 30;

/// Some consecutive records of one batch.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    slot: u32,
    /// Index of the first of them in the batch.
    first: u32,
    count: u32,
    /// How many records this part and those before it have.
    end: usize,
}

impl Part {
    fn records(&self) -> Range<usize> {
        self.first as usize..(self.first as usize).saturating_add(self.count as usize)
    }

    fn start(&self) -> usize {
        self.end.saturating_sub(self.count as usize)
    }
}

/// Records in the order in which they were fetched: a lazy, immutable sequence.
///
/// Indexing and iterating give `Record` objects; `values()`, `keys()`, `offsets()` and `timestamps()` give lists without
/// them; `to_arrow()` and `__arrow_c_stream__` give columns. All of these copy the bytes that they give out, slices and
/// `by_partition()` copy nothing. The buffer protocol gives the encoded records in place.
///
/// Lifetime: the fetched buffers stay as long as more than half of their bytes belongs to a `Records`, a slice or a `Record`
/// that is alive. When it becomes half or less, what is alive is copied into a buffer of its own and the others are let
/// go; so a record or slice pins at most twice its size and 64 KiB. Open `memoryview`s and Arrow views pin whole buffers.
#[pyclass(frozen, sequence, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Records {
    fetched: Py<Fetched>,
    parts: Vec<Part>,
}

impl Drop for Records {
    fn drop(&mut self) {
        let fetched = self.fetched.get();
        for part in &self.parts {
            fetched.release(part.slot, part.records());
        }
        fetched.settle();
    }
}

impl Records {
    /// The records of these batches, as far as their offset ranges reach.
    pub(crate) fn new(py: Python<'_>, batches: Vec<FetchedBatch>) -> PyResult<Self> {
        let fetched = Py::new(py, Fetched::new(batches)?)?;
        let counts: Vec<usize> = fetched.get().slots().iter().map(|slot| slot.count).collect();
        let mut records = Self::empty(fetched);
        for (slot, count) in counts.into_iter().enumerate() {
            if let Ok(slot) = u32::try_from(slot) {
                records.push(slot, 0..count);
            }
        }
        Ok(records)
    }

    /// A record as a sequence of one.
    pub(crate) fn of_one(fetched: Py<Fetched>, slot: u32, index: u32) -> Self {
        let mut records = Self::empty(fetched);
        let place = index as usize;
        records.push(slot, place..place.saturating_add(1));
        records
    }

    fn empty(fetched: Py<Fetched>) -> Self {
        Self {
            fetched,
            parts: Vec::new(),
        }
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    /// The batches with the records that count in each.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Slot, Range<usize>)> {
        let fetched = self.fetched.get();
        (self.parts.iter()).filter_map(|part| Some((fetched.slot(part.slot)?, part.records())))
    }

    fn push(&mut self, slot: u32, records: Range<usize>) {
        let (Ok(first), Ok(count)) = (u32::try_from(records.start), u32::try_from(records.len())) else {
            return;
        };
        if count > 0 {
            self.fetched.get().hold(slot, records.clone());
            let end = self.len().saturating_add(records.len());
            self.parts.push(Part {
                slot,
                first,
                count,
                end,
            });
        }
    }

    /// The records with these indexes.
    fn range(&self, py: Python<'_>, start: usize, end: usize) -> Self {
        let mut records = Self::empty(self.fetched.clone_ref(py));
        let skipped = self.parts.partition_point(|part| part.end <= start);
        for part in self.parts.iter().skip(skipped).take_while(|part| part.start() < end) {
            let shift = |index: usize| {
                let index = index.clamp(part.start(), part.end).saturating_sub(part.start());
                (part.first as usize).saturating_add(index)
            };
            records.push(part.slot, shift(start)..shift(end));
        }
        records
    }

    fn record(&self, py: Python<'_>, index: usize) -> PyResult<Record> {
        let part = self.parts.get(self.parts.partition_point(|part| part.end <= index));
        let part = part.ok_or_else(|| PyIndexError::new_err("no such record"))?;
        let step = u32::try_from(index.saturating_sub(part.start())).unwrap_or(u32::MAX);
        let index = part.first.saturating_add(step);
        Ok(Record::new(self.fetched.clone_ref(py), part.slot, index))
    }

    /// A list of one thing of each record. `make` may make Python objects but not run Python code.
    fn list<'py, T>(&self, py: Python<'py>, make: impl for<'r> Fn(&RecordRef<'r>) -> T) -> PyResult<Bound<'py, PyList>>
    where
        T: IntoPyObject<'py>,
    {
        let mut made: Vec<T> = Vec::with_capacity(self.len());
        for (slot, records) in self.parts() {
            let error = {
                let storage = slot.storage();
                match storage.records(records) {
                    Ok(mut walk) => walk.find_map(|record| record.map(|record| made.push(make(&record))).err()),
                    Err(error) => Some(error),
                }
            };
            if let Some(error) = error {
                return Err(slot.broken(&error));
            }
        }
        PyList::new(py, made)
    }

    /// Batches that have nothing but these records, in buffers of their own.
    fn detached(&self) -> PyResult<Vec<FetchedBatch>> {
        let mut batches = Vec::with_capacity(self.parts.len());
        for (slot, records) in self.parts() {
            let payload = Bytes::copy_from_slice(&Self::extent(slot, &records)?);
            let mut header = *slot.storage().header();
            header.record_count = i32::try_from(records.len()).unwrap_or(i32::MAX);
            batches.push(FetchedBatch {
                topic: Arc::clone(&slot.topic),
                partition: slot.partition,
                leader_epoch: slot.leader_epoch,
                header,
                payload,
                first_offset: i64::MIN,
                end_offset: i64::MAX,
            });
        }
        Ok(batches)
    }

    /// The encoded records of one part.
    fn extent(slot: &Slot, records: &Range<usize>) -> PyResult<Bytes> {
        let found = {
            let storage = slot.storage();
            storage.extent(records).map(|extent| storage.payload().slice(extent))
        };
        found.map_err(|error| slot.broken(&error))
    }
}

impl Exported for Records {
    /// In place if the records are of one batch, joined by a copy if not.
    fn exported(&self) -> PyResult<Bytes> {
        let extents = self.parts().map(|(slot, records)| Self::extent(slot, &records));
        let mut extents: Vec<Bytes> = extents.collect::<PyResult<_>>()?;
        Ok(match extents.len() {
            1 => extents.pop().unwrap_or_default(),
            _ => Bytes::from(extents.concat()),
        })
    }
}

/// The bytes of any object with the buffer protocol, those of `bytes` without a copy.
pub(crate) fn bytes_of(object: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    if object.is_instance_of::<PyBytes>() {
        return Ok(Bytes::from_owner(
            object.extract::<PyBackedBytes>().map_err(PyErr::from)?,
        ));
    }
    let buffer = PyBuffer::<u8>::get(object)
        .map_err(|_| PyTypeError::new_err("data is bytes or an object with the buffer protocol"))?;
    Ok(Bytes::from(buffer.to_vec(object.py())?))
}

/// The batches in `data`, checked and decompressed.
fn batches_of(
    topic: &Arc<str>,
    partition: i32,
    data: &Bytes,
    wanted: &Range<i64>,
) -> Result<Vec<FetchedBatch>, RecordsError> {
    let mut batches = Vec::new();
    for batch in AnyBatchIter::new(data) {
        let batch = batch?;
        batch.check_crc()?;
        let mut scratch = Vec::new();
        let (header, payload) = batch.decode(&mut scratch, DECOMPRESSED_BYTES_LIMIT)?;
        let is_in_place = matches!(&batch, AnyBatch::V2(batch) if batch.payload().as_ptr() == payload.as_ptr());
        let payload = if is_in_place {
            data.slice_ref(payload)
        } else {
            // The scratch may be longer than what was written to it.
            let size = payload.len();
            scratch.truncate(size);
            Bytes::from(scratch)
        };
        batches.push(FetchedBatch {
            topic: Arc::clone(topic),
            partition,
            leader_epoch: header.partition_leader_epoch,
            header,
            payload,
            first_offset: wanted.start,
            end_offset: wanted.end,
        });
    }
    Ok(batches)
}

#[pymethods]
impl Records {
    /// The records of whole record batches as they stand in a log segment or a fetch response.
    ///
    /// Checks each batch's CRC and decompresses it; message sets of older formats (0 and 1) are read too. Records outside
    /// of `first_offset` to `end_offset` are left out. `bytes` are not copied and live as long as the records do.
    #[staticmethod]
    #[pyo3(signature = (topic, partition, data, first_offset=0, end_offset=None))]
    fn from_bytes(
        py: Python<'_>,
        topic: &str,
        partition: i32,
        data: &Bound<'_, PyAny>,
        first_offset: i64,
        end_offset: Option<i64>,
    ) -> PyResult<Self> {
        let topic: Arc<str> = topic.into();
        let data = bytes_of(data)?;
        let wanted = first_offset..end_offset.unwrap_or(i64::MAX);
        let batches = batches_of(&topic, partition, &data, &wanted).map_err(|error| {
            crate::error::raise(py, "CorruptMessageError", &format!("{topic}-{partition}: {error}"))
        })?;
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
        self.list(py, |record| record.value.map(|value| PyBytes::new(py, value)))
    }

    /// The keys as a list of `bytes`, None where a key is null. Copies each key once.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |record| record.key.map(|key| PyBytes::new(py, key)))
    }

    /// The offsets as a list of `int`.
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |record| record.offset)
    }

    /// The timestamps as a list of `int`, milliseconds since the epoch, -1 where the producer gave none.
    fn timestamps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.list(py, |record| record.timestamp)
    }

    /// The records of each partition: a dict from `TopicPartition` to `Records`, in the order of first appearance.
    fn by_partition<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        static TOPIC_PARTITION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let mut groups: Vec<(&Slot, Self)> = Vec::new();
        let fetched = self.fetched.get();
        for part in &self.parts {
            let Some(slot) = fetched.slot(part.slot) else { continue };
            let is_same = |(other, _): &(&Slot, Self)| other.partition == slot.partition && other.topic == slot.topic;
            let index = groups.iter().rposition(is_same).unwrap_or_else(|| {
                groups.push((slot, Self::empty(self.fetched.clone_ref(py))));
                groups.len().saturating_sub(1)
            });
            if let Some((_, group)) = groups.get_mut(index) {
                group.push(part.slot, part.records());
            }
        }
        let topic_partition = TOPIC_PARTITION.import(py, "barnabas.types", "TopicPartition")?;
        let dict = PyDict::new(py);
        for (slot, records) in groups {
            let key = topic_partition.call1((&*slot.topic, slot.partition))?;
            dict.set_item(key, Bound::new(py, records)?)?;
        }
        Ok(dict)
    }

    /// The records as a `pyarrow.Table`.
    ///
    /// Without `schema`: Kafka's own columns, all or those that `columns` names, in that order. With `schema` (anything with
    /// `__arrow_c_schema__`): typed columns decoded from the values, those that `columns` names taken from the record
    /// itself, where the schema has them or, if it has not, before its fields.
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (columns=None, *, schema=None, format="json", mode="PERMISSIVE", views=false,
                        dialect="client", options=None, resolver=None))]
    fn to_arrow<'py>(
        &self,
        py: Python<'py>,
        columns: Option<Vec<String>>,
        schema: Option<&Bound<'py, PyAny>>,
        format: &str,
        mode: &str,
        views: bool,
        dialect: &str,
        options: Option<&Bound<'py, PyDict>>,
        resolver: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::columns::need_pyarrow(py)?;
        let wanted = Wanted {
            columns,
            schema,
            format,
            mode,
            views,
            dialect,
            options,
            resolver,
        };
        crate::columns::table(py, self, &wanted)?.into_pyarrow(py)
    }

    /// The records as a `pandas.DataFrame`, by `to_arrow()` with the same arguments. Needs pyarrow and pandas.
    #[pyo3(signature = (*args, **kwargs))]
    fn to_pandas<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.call_method("to_arrow", args, kwargs)?.call_method0("to_pandas")
    }

    /// The records as a `polars.DataFrame`, by `to_arrow()` with the same arguments. Needs pyarrow and polars.
    #[pyo3(signature = (*args, **kwargs))]
    fn to_polars<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let polars = slf.py().import("polars")?;
        polars.call_method1("from_arrow", (slf.call_method("to_arrow", args, kwargs)?,))
    }

    /// The Arrow C stream of the records, in the schema of `to_arrow()`.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Bound::new(py, crate::columns::table(py, self, &Wanted::default())?)?
            .call_method1("__arrow_c_stream__", (requested_schema,))
    }

    /// The same records in a buffer of their own, so that what was fetched with them can be freed. Copies them once.
    fn detach(&self, py: Python<'_>) -> PyResult<Self> {
        Self::new(py, self.detached()?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        crate::pickling::reduced(py, self.detached()?)
    }

    /// Bytes of the fetched buffers that this poll's `Records` and `Record`s keep alive.
    #[getter]
    fn pinned_bytes(&self) -> usize {
        self.fetched.get().pinned_bytes()
    }

    fn __repr__(&self) -> String {
        let mut partitions: Vec<(&str, i32)> = self.parts().map(|(slot, _)| (&*slot.topic, slot.partition)).collect();
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

    #[inline]
    fn __next__(&self, py: Python<'_>) -> Option<Record> {
        let records = self.records.get();
        let mut cursor = self.cursor.load(Ordering::Relaxed);
        loop {
            let part = records.parts.get(usize::try_from(cursor >> 32).ok()?)?;
            let step = u32::try_from(cursor & u64::from(u32::MAX)).ok()?;
            if step < part.count {
                self.cursor.store(cursor.saturating_add(1), Ordering::Relaxed);
                let index = part.first.saturating_add(step);
                return Some(Record::new(records.fetched.clone_ref(py), part.slot, index));
            }
            cursor = (cursor >> 32).saturating_add(1) << 32;
        }
    }
}
