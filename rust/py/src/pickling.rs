//! Pickles of `Records`, for pools of processes: the encoded records, and of each batch's header what reads them.

use barnabas_client::fetched::FetchedBatch;
use barnabas_records::BatchHeader;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::records::{Records, bytes_of};

/// Of a batch: topic, partition, leader epoch and payload; record count, base offset and last offset delta; base and
/// maximal timestamp; magic and attributes.
type Pickled<'py> = (
    (String, i32, i32, Bound<'py, PyAny>),
    (i32, i64, i32),
    (i64, i64),
    (i8, i16),
);

/// What `pickle` makes `Records` of again.
#[pyfunction]
fn unpickled_records(py: Python<'_>, batches: Vec<Pickled<'_>>) -> PyResult<Records> {
    let batches = batches.into_iter().map(|(of_batch, offsets, timestamps, format)| {
        let (topic, partition, leader_epoch, payload) = of_batch;
        Ok(FetchedBatch {
            topic: topic.into(),
            partition,
            leader_epoch,
            header: BatchHeader {
                record_count: offsets.0,
                base_offset: offsets.1,
                last_offset_delta: offsets.2,
                base_timestamp: timestamps.0,
                max_timestamp: timestamps.1,
                magic: format.0,
                attributes: format.1,
                // What a broker needs to know of a batch, and no reader of its records.
                batch_length: 0,
                crc: 0,
                partition_leader_epoch: leader_epoch,
                producer_id: -1,
                producer_epoch: -1,
                base_sequence: -1,
            },
            payload: bytes_of(&payload)?,
            first_offset: i64::MIN,
            end_offset: i64::MAX,
        })
    });
    Records::new(py, batches.collect::<PyResult<_>>()?)
}

/// What `__reduce__` of the `Records` of these batches returns.
pub(crate) fn reduced<'py>(py: Python<'py>, batches: Vec<FetchedBatch>) -> PyResult<Bound<'py, PyTuple>> {
    let states = batches.into_iter().map(|batch| -> Pickled<'py> {
        let header = batch.header;
        (
            (
                batch.topic.to_string(),
                batch.partition,
                batch.leader_epoch,
                PyBytes::new(py, &batch.payload).into_any(),
            ),
            (header.record_count, header.base_offset, header.last_offset_delta),
            (header.base_timestamp, header.max_timestamp),
            (header.magic, header.attributes),
        )
    });
    let make = py.import("barnabas._core")?.getattr("unpickled_records")?;
    let arguments = PyTuple::new(py, [states.collect::<Vec<_>>()])?;
    PyTuple::new(py, [make, arguments.into_any()])
}

/// Adds the function to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(unpickled_records, m)?)
}
