//! Handles of records on their way: a batch and a place in it. What became of a record is read from its batch when asked.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use barnabas_client::{BatchState, Completions, Failure, Outcome, forks};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use pyo3::types::{PyString, PyTuple};

use super::arguments::seconds;
use super::record_arguments::{Timeout, checked_callback};
use super::watchers::{CallbackQueue, Watchers};
use crate::buffer::passed_over;
use crate::door::wait_in_slices;
use crate::error::{raise, raise_code_at};

/// A record that was given to a producer.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Delivery {
    batch: Arc<BatchState>,
    index: u32,
    timestamp: i64,
}

impl Delivery {
    #[inline]
    pub(super) fn new(py: Python<'_>, batch: Arc<BatchState>, index: u32, timestamp: i64) -> PyResult<Bound<'_, Self>> {
        let delivery = Self {
            batch,
            index,
            timestamp,
        };
        Bound::new(py, delivery).map(passed_over)
    }
}

#[pymethods]
impl Delivery {
    /// Whether the record was acknowledged, or has failed.
    fn done(&self) -> bool {
        self.batch.outcome().is_some()
    }

    /// Waits until the record is acknowledged; its batch is sent at once instead of lingering.
    ///
    /// Returns a `RecordMetadata`. Raises the broker's error, or `KafkaTimeoutError` when `timeout` seconds pass; 0, and less
    /// as of a deadline that has passed, does not wait.
    #[pyo3(signature = (timeout = None))]
    fn result<'py>(&self, py: Python<'py>, timeout: Option<Timeout>) -> PyResult<Bound<'py, PyAny>> {
        wait_for(py, &self.batch, timeout, Instant::now())?;
        metadata(py, &self.batch, self.index, self.timestamp)
    }

    /// Waits as `result`, and returns the error that it would raise, or None.
    #[pyo3(signature = (timeout = None))]
    fn exception<'py>(&self, py: Python<'py>, timeout: Option<Timeout>) -> PyResult<Option<Bound<'py, PyAny>>> {
        wait_for(py, &self.batch, timeout, Instant::now())?;
        let written = metadata(py, &self.batch, self.index, self.timestamp);
        Ok(written
            .err()
            .map(|error| error.into_value(py).into_bound(py).into_any()))
    }

    /// Has `callback` called with this handle, on the producer's callback thread, when the record has its outcome.
    fn add_done_callback(slf: &Bound<'_, Self>, callback: &Bound<'_, PyAny>) -> PyResult<()> {
        checked_callback(callback)?;
        let py = slf.py();
        let batch = &slf.get().batch;
        let watched = batch.attachment();
        let kept = watched
            .as_ref()
            .and_then(|attached| attached.downcast_ref::<Watched>())
            .and_then(|watched| Some((watched, watched.watchers.call_back(batch, slf.as_any(), callback)?)));
        match kept {
            Some((_, false)) => Ok(()),
            Some((watched, true)) => watched.serve(py),
            // The producer is gone, and with it the thread.
            None => callback.call1((slf,)).map(|_| ()),
        }
    }

    /// Waits in an event loop; the record's batch is sent at once.
    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        static AWAITED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        slf.get().batch.hurry();
        let awaited = AWAITED.import(slf.py(), "barnabas.client.callbacks", "awaited")?;
        awaited.call1((slf,))?.call_method0("__iter__")
    }

    fn __repr__(&self) -> String {
        format!(
            "<Delivery {}-{} {}>",
            self.batch.topic,
            self.batch.partition,
            state_name(&self.batch, self.index)
        )
    }
}

/// What is attached to a producer: who waits, and where decided batches are listed.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) watchers: Arc<Watchers>,
    pub(super) completions: Completions,
    /// Under how many forks the producer was made: a child's copy of it sends nothing.
    pub(super) forks: u64,
}

impl Watched {
    /// Starts the callback thread.
    fn serve(&self, py: Python<'_>) -> PyResult<()> {
        let queue = CallbackQueue::new(Arc::clone(&self.watchers), self.completions.clone());
        let thread = py
            .import("barnabas.client.callbacks")?
            .getattr("serve")?
            .call1((queue,))?;
        self.watchers.set_thread(thread.unbind());
        Ok(())
    }
}

pub(super) fn state_name(batch: &BatchState, index: u32) -> &'static str {
    match batch.outcome() {
        None => "pending",
        Some(outcome) if outcome.is_acknowledged(index) => "acknowledged",
        Some(_) => "failed",
    }
}

/// Waits for a batch's outcome until `timeout` after `since`.
fn wait_for(py: Python<'_>, batch: &Arc<BatchState>, timeout: Option<Timeout>, since: Instant) -> PyResult<()> {
    if batch.outcome().is_some() {
        return Ok(());
    }
    let watched = batch.attachment();
    let watched = watched.as_ref().and_then(|attached| attached.downcast_ref::<Watched>());
    if watched.is_some_and(|watched| watched.forks != forks()) {
        let text = "this record was sent before the process forked: only the parent hears what becomes of it";
        return Err(raise(py, "ForkedClientError", text));
    }
    batch.hurry();
    let left = timeout.map(|timeout| seconds(timeout.0).saturating_sub(since.elapsed()));
    if wait_in_slices(py, left, |slice| batch.wait(slice).map(|_| ()))?.is_some() {
        return Ok(());
    }
    let (topic, partition, timeout) = (&batch.topic, batch.partition, timeout.map_or(0.0, |timeout| timeout.0));
    let message =
        format!("the record for {topic}-{partition} was not acknowledged within {timeout} s; it may still be");
    Err(raise(py, "KafkaTimeoutError", &message))
}

/// Where a record of a decided batch was written, or why it was not.
pub(super) fn metadata<'py>(
    py: Python<'py>,
    batch: &BatchState,
    index: u32,
    timestamp: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let (outcome, index) = match batch.outcome().map(|outcome| outcome.of(index)) {
        Some((outcome, index)) => (Some(outcome), index),
        None => (None, index),
    };
    match outcome {
        Some(Outcome::Acknowledged {
            base_offset,
            log_append_time,
        }) => {
            let offset = if *base_offset < 0 {
                -1
            } else {
                base_offset.saturating_add(i64::from(index))
            };
            let timestamp = if *log_append_time < 0 {
                timestamp
            } else {
                *log_append_time
            };
            record_metadata(py, (topic_name(py, &batch.topic), batch.partition, offset, timestamp))
        }
        Some(Outcome::Failed {
            failure,
            message,
            attempts,
        }) => Err(failed(py, batch, *failure, message, *attempts)),
        Some(Outcome::Parts(_)) | None => Err(raise(py, "KafkaTimeoutError", "the record was not acknowledged yet")),
    }
}

/// A `RecordMetadata`. It is a named tuple, so `tuple.__new__` makes it, in a third of the time that its own constructor takes.
fn record_metadata(py: Python<'_>, fields: (Py<PyString>, i32, i64, i64)) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "barnabas.types", "RecordMetadata")?;
    let new = NEW.get_or_try_init(py, || py.get_type::<PyTuple>().getattr("__new__").map(Bound::unbind))?;
    new.bind(py).call1((class, fields))
}

/// The topic's name as a `str`, the last one remembered: records are mostly asked for one topic after another.
fn topic_name(py: Python<'_>, topic: &Arc<str>) -> Py<PyString> {
    static LAST: Mutex<Option<(Arc<str>, Py<PyString>)>> = Mutex::new(None);
    let mut last = LAST.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
    if let Some((known, name)) = &*last
        && Arc::ptr_eq(known, topic)
    {
        return name.clone_ref(py);
    }
    let name = PyString::new(py, topic).unbind();
    *last = Some((Arc::clone(topic), name.clone_ref(py)));
    name
}

fn failed(py: Python<'_>, batch: &BatchState, failure: Failure, message: &str, attempts: u32) -> PyErr {
    let (topic, partition) = (&*batch.topic, batch.partition);
    let text = format!("{topic}-{partition}: {message} (attempt {attempts})");
    match failure {
        Failure::Refused(code) => raise_code_at(py, code, &text, None, Some((topic, partition))),
        Failure::TimedOut => raise(py, "KafkaTimeoutError", &text),
        Failure::Lost => raise(py, "ConnectionFailedError", &text),
        Failure::Aborted => raise(py, "IllegalStateError", &text),
        Failure::Invalid => raise(py, "KafkaError", &text),
    }
}

/// Consecutive records of one batch.
#[derive(Debug)]
pub(super) struct Run {
    batch: Arc<BatchState>,
    first: u32,
    count: u32,
    /// Where the run begins among all records.
    start: usize,
}

/// Records that were given to a producer in one call.
#[pyclass(frozen, sequence, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct DeliveryBatch {
    runs: Vec<Run>,
    timestamps: Timestamps,
    /// By record: its place among the runs; empty if they are in its order.
    order: Vec<u32>,
    len: usize,
}

/// The records' timestamps.
#[derive(Debug)]
pub(super) enum Timestamps {
    /// One for all.
    Same(i64),
    /// One for each.
    Each(Vec<i64>),
}

impl Timestamps {
    pub(super) fn at(&self, index: usize) -> i64 {
        match self {
            Self::Same(timestamp) => *timestamp,
            Self::Each(timestamps) => timestamps.get(index).copied().unwrap_or(-1),
        }
    }
}

/// Collects runs while records are placed.
#[derive(Debug, Default)]
pub(super) struct Runs {
    runs: Vec<Run>,
    len: usize,
}

impl Runs {
    #[inline]
    pub(super) fn placed(&mut self, batch: &Arc<BatchState>, index: u32) {
        let start = self.len;
        self.len += 1;
        if let Some(last) = self.runs.last_mut()
            && Arc::ptr_eq(&last.batch, batch)
            && index == last.first.wrapping_add(last.count)
        {
            last.count += 1;
            return;
        }
        self.runs.push(Run {
            batch: Arc::clone(batch),
            first: index,
            count: 1,
            start,
        });
    }

    /// How many were placed.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn finish(self, timestamps: Timestamps) -> DeliveryBatch {
        self.finish_in(timestamps, Vec::new())
    }

    /// Records that were placed in another order than they have.
    pub(super) fn finish_in(self, timestamps: Timestamps, order: Vec<u32>) -> DeliveryBatch {
        DeliveryBatch {
            runs: self.runs,
            timestamps,
            order,
            len: self.len,
        }
    }
}

#[pymethods]
impl DeliveryBatch {
    fn __len__(&self) -> usize {
        self.len
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, Delivery>> {
        let (batch, index, timestamp) = self.place(index)?;
        Delivery::new(py, batch, index, timestamp)
    }

    /// Whether every record was acknowledged, or has failed.
    fn done(&self) -> bool {
        self.is_done()
    }

    /// Waits until all are acknowledged; their batches are sent at once instead of lingering.
    ///
    /// Returns a list of `RecordMetadata`, or raises the first record's error that has one; `timeout` as with `Delivery`.
    #[pyo3(signature = (timeout = None))]
    fn result<'py>(&self, py: Python<'py>, timeout: Option<Timeout>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.wait(py, timeout)?;
        self.all(py)
    }

    /// Waits as `result`, and returns the error that it would raise, or None. Makes nothing for records that were written.
    #[pyo3(signature = (timeout = None))]
    fn exception<'py>(&self, py: Python<'py>, timeout: Option<Timeout>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.wait(py, timeout)?;
        let is_written = |run: &Run| matches!(run.batch.outcome(), Some(Outcome::Acknowledged { .. }));
        if self.runs.iter().all(is_written) {
            return Ok(None);
        }
        let error = self.all(py).err();
        Ok(error.map(|error| error.into_value(py).into_bound(py).into_any()))
    }

    /// Waits in an event loop; the records' batches are sent at once.
    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        static AWAITED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = slf.py();
        let batches = slf.get().batches();
        for (batch, ..) in &batches {
            batch.hurry();
        }
        let waits: PyResult<Vec<_>> = batches
            .into_iter()
            .map(|(batch, index, timestamp)| Delivery::new(py, batch, index, timestamp))
            .collect();
        let awaited = AWAITED.import(py, "barnabas.client.callbacks", "all_awaited")?;
        awaited
            .call1((slf, PyTuple::new(py, waits?)?))?
            .call_method0("__iter__")
    }

    fn __repr__(&self) -> String {
        format!("<DeliveryBatch of {} records>", self.len)
    }
}

/// A record's batch, its number there, and its timestamp.
pub(super) type Place = (Arc<BatchState>, u32, i64);

impl DeliveryBatch {
    fn wait(&self, py: Python<'_>, timeout: Option<Timeout>) -> PyResult<()> {
        let since = Instant::now();
        for run in &self.runs {
            run.batch.hurry();
        }
        for run in &self.runs {
            wait_for(py, &run.batch, timeout, since)?;
        }
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_done(&self) -> bool {
        self.runs.iter().all(|run| run.batch.outcome().is_some())
    }

    /// A record's place, by an index as Python has it.
    pub(super) fn place(&self, index: isize) -> PyResult<Place> {
        let out_of_range = || PyIndexError::new_err("record index out of range");
        let index = if index < 0 {
            self.len.checked_add_signed(index)
        } else {
            usize::try_from(index).ok()
        };
        let index = index.filter(|index| *index < self.len).ok_or_else(out_of_range)?;
        let (run, number) = self.at(index).ok_or_else(out_of_range)?;
        Ok((Arc::clone(&run.batch), number, self.timestamps.at(index)))
    }

    /// The run that a record is in, and its number in the batch.
    fn at(&self, index: usize) -> Option<(&Run, u32)> {
        let placed = match self.order.get(index) {
            Some(placed) => *placed as usize,
            None => index,
        };
        let after = self.runs.partition_point(|run| run.start <= placed);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let number = u32::try_from(placed - run.start).ok()?;
        Some((run, run.first.saturating_add(number)))
    }

    /// One record of each batch.
    pub(super) fn batches(&self) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for run in &self.runs {
            if places.last().is_none_or(|(batch, ..)| !Arc::ptr_eq(batch, &run.batch)) {
                places.push((Arc::clone(&run.batch), run.first, self.timestamps.at(run.start)));
            }
        }
        places
    }

    /// Where each record was written; the first record's error that has one.
    pub(super) fn all<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut all = Vec::with_capacity(self.len);
        if !self.order.is_empty() {
            for index in 0..self.len {
                if let Some((run, number)) = self.at(index) {
                    all.push(metadata(py, &run.batch, number, self.timestamps.at(index))?);
                }
            }
            return Ok(all);
        }
        for run in &self.runs {
            for place in 0..run.count {
                let timestamp = self.timestamps.at(all.len());
                all.push(metadata(py, &run.batch, run.first.saturating_add(place), timestamp)?);
            }
        }
        Ok(all)
    }
}
