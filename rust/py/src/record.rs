//! One record of what was fetched, lazily: attributes are made when they are asked for.

use std::hash::{DefaultHasher, Hash, Hasher};

use barnabas_records::RecordRef;
use bytes::Bytes;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::buffer::Exported;
use crate::fetched::{Fetched, Slot};
use crate::records::Records;

/// Bytes of a key or a value that a repr shows.
const REPR_BYTES_LIMIT: usize = 32;

/// One record. Attributes are made anew at each access: keep what you use twice. Compares by value, and can be pickled.
///
/// The buffer protocol gives the value where it lies: `memoryview(record)` copies nothing and keeps the fetched buffer as
/// long as the view is not released.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Record {
    fetched: Py<Fetched>,
    slot: u32,
    index: u32,
}

impl Record {
    /// A record that counts as used until it is dropped.
    #[inline]
    pub(crate) fn new(fetched: Py<Fetched>, slot: u32, index: u32) -> Self {
        let place = index as usize;
        fetched.get().hold(slot, place..place.saturating_add(1));
        Self { fetched, slot, index }
    }

    #[inline]
    fn slot(&self) -> PyResult<&Slot> {
        let found = self.fetched.get().slot(self.slot);
        found.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such batch"))
    }

    /// Decodes the record for as long as `use_it` runs, which may make Python objects but not run Python code.
    #[inline]
    fn with<T>(&self, use_it: impl FnOnce(&RecordRef<'_>) -> T) -> PyResult<T> {
        let slot = self.slot()?;
        let error = {
            let storage = slot.storage();
            match storage.record(self.index as usize) {
                Ok(record) => return Ok(use_it(&record)),
                Err(error) => error,
            }
        };
        Err(slot.broken(&error))
    }
}

impl Exported for Record {
    fn exported(&self) -> PyResult<Bytes> {
        let payload = self.slot()?.storage().payload().clone();
        let bytes = self.with(|record| record.value.map(|value| payload.slice_ref(value)))?;
        bytes.ok_or_else(|| PyBufferError::new_err("the record's value is null"))
    }
}

impl Drop for Record {
    #[inline]
    fn drop(&mut self) {
        let place = self.index as usize;
        let fetched = self.fetched.get();
        fetched.release(self.slot, place..place.saturating_add(1));
        fetched.settle();
    }
}

#[pymethods]
impl Record {
    /// The record's topic.
    #[getter]
    fn topic<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        Ok(PyString::new(py, &self.slot()?.topic))
    }

    /// The record's partition.
    #[getter]
    fn partition(&self) -> PyResult<i32> {
        Ok(self.slot()?.partition)
    }

    /// The record's offset in its partition.
    #[getter]
    fn offset(&self) -> PyResult<i64> {
        self.with(|record| record.offset)
    }

    /// Milliseconds since the epoch, -1 if the producer gave none.
    #[getter]
    fn timestamp(&self) -> PyResult<i64> {
        self.with(|record| record.timestamp)
    }

    /// What the timestamp is: 0 create time, 1 log append time, -1 none.
    #[getter]
    fn timestamp_type(&self) -> PyResult<i32> {
        Ok(i32::from(self.slot()?.timestamp_type))
    }

    /// The leader epoch of the record's batch, None if it is unknown.
    #[getter]
    fn leader_epoch(&self) -> PyResult<Option<i32>> {
        Ok(Some(self.slot()?.leader_epoch).filter(|epoch| *epoch >= 0))
    }

    /// The key, a new `bytes` each time; None if it is null.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.with(|record| record.key.map(|key| PyBytes::new(py, key)))
    }

    /// The value, a new `bytes` each time; None if it is null.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        self.with(|record| record.value.map(|value| PyBytes::new(py, value)))
    }

    /// The headers as pairs of name and value, in their order, repeated names kept.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.with(|record| {
            let headers = PyList::empty(py);
            for (key, value) in record.headers {
                let key = PyString::new(py, &String::from_utf8_lossy(key));
                let value = value.map(|value| PyBytes::new(py, value)).into_pyobject(py)?;
                headers.append(PyTuple::new(py, [key.into_any(), value.into_any()])?)?;
            }
            Ok(headers)
        })?
    }

    /// By value: what every attribute says.
    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        let (mine, others) = (self.slot()?, other.slot()?);
        let is_of_one_kind = mine.topic == others.topic
            && mine.partition == others.partition
            && mine.leader_epoch == others.leader_epoch
            && mine.timestamp_type == others.timestamp_type;
        Ok(is_of_one_kind && self.with(|record| other.with(|other| record == other))??)
    }

    fn __hash__(&self) -> PyResult<u64> {
        let slot = self.slot()?;
        let mut hasher = DefaultHasher::new();
        (&*slot.topic, slot.partition, self.offset()?).hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// A pickle has the record as the only one of its `Records`.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let alone = Bound::new(py, Records::of_one(self.fetched.clone_ref(py), self.slot, self.index))?;
        let first = PyTuple::new(py, [alone.into_any(), 0_i32.into_pyobject(py)?.into_any()])?;
        PyTuple::new(py, [py.import("operator")?.getattr("getitem")?, first.into_any()])
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        type Cell = Option<Vec<u8>>;
        let start = |bytes: &[u8]| bytes.get(..=REPR_BYTES_LIMIT).unwrap_or(bytes).to_vec();
        let (offset, timestamp, key, value): (i64, i64, Cell, Cell) = self.with(|record| {
            (
                record.offset,
                record.timestamp,
                record.key.map(start),
                record.value.map(start),
            )
        })?;
        let show = |bytes: Option<Vec<u8>>| -> PyResult<String> {
            let Some(bytes) = bytes else {
                return Ok("None".to_owned());
            };
            let shown = bytes.get(..REPR_BYTES_LIMIT).unwrap_or(&bytes);
            let rest = if shown.len() < bytes.len() { "..." } else { "" };
            Ok(format!("{}{rest}", PyBytes::new(py, shown).repr()?))
        };
        let (topic, partition) = (self.topic(py)?.repr()?, self.partition()?);
        let (key, value) = (show(key)?, show(value)?);
        Ok(format!(
            "Record(topic={topic}, partition={partition}, offset={offset}, timestamp={timestamp}, key={key}, value={value})"
        ))
    }
}
