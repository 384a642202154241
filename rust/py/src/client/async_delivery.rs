//! Handles of records that an event loop sent. They are futures to asyncio, by the protocol that `asyncio.isfuture` asks
//! for, but hold no more than a place in a batch until somebody waits: a future object per record would cost more than
//! sending it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use barnabas_client::BatchState;
use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::delivery::{DeliveryBatch, metadata, state_name};
use super::record_arguments::checked_callback;
use super::watchers::Watchers;

/// What an asyncio future is called with, and the context to do it in.
type Callback = (Py<PyAny>, Option<Py<PyAny>>);

/// A record that an `AsyncProducer` has taken.
#[pyclass(frozen, module = "barnabas", weakref)]
#[derive(Debug)]
pub(crate) struct AsyncDelivery {
    batch: Arc<BatchState>,
    index: u32,
    timestamp: i64,
    watchers: Arc<Watchers>,
    is_blocking: AtomicBool,
    waits: Mutex<Waits>,
}

#[derive(Debug, Default)]
struct Waits {
    callbacks: Vec<Callback>,
    is_listed: bool,
    is_cancelled: bool,
}

impl AsyncDelivery {
    pub(super) fn new(batch: Arc<BatchState>, index: u32, timestamp: i64, watchers: Arc<Watchers>) -> Self {
        Self {
            batch,
            index,
            timestamp,
            watchers,
            is_blocking: AtomicBool::new(false),
            waits: Mutex::default(),
        }
    }

    /// Nothing is called and nothing of Python dropped while this is locked.
    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to call now that the batch is decided.
    pub(super) fn take_callbacks(&self) -> Vec<Callback> {
        let mut waits = self.waits();
        waits.is_listed = false;
        std::mem::take(&mut waits.callbacks)
    }

    fn is_done(&self) -> bool {
        self.batch.outcome().is_some() || self.waits().is_cancelled
    }

    fn cancelled_error(py: Python<'_>) -> PyErr {
        asyncio_error(py, "CancelledError", ())
    }
}

fn asyncio_error(py: Python<'_>, class: &str, arguments: impl for<'py> pyo3::call::PyCallArgs<'py>) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import("asyncio")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1(arguments)?))
    };
    made().unwrap_or_else(|error| error)
}

#[pymethods]
impl AsyncDelivery {
    /// Whether the record was acknowledged, or has failed, or waiting for it was cancelled.
    fn done(&self) -> bool {
        self.is_done()
    }

    /// Whether waiting for it was cancelled.
    fn cancelled(&self) -> bool {
        self.waits().is_cancelled
    }

    /// The `RecordMetadata` of an acknowledged record; raises the error of a failed one.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.waits().is_cancelled {
            return Err(Self::cancelled_error(py));
        }
        if self.batch.outcome().is_none() {
            return Err(asyncio_error(
                py,
                "InvalidStateError",
                ("the record is not acknowledged yet: await the delivery",),
            ));
        }
        metadata(py, &self.batch, self.index, self.timestamp)
    }

    /// The error of a failed record, None for an acknowledged one.
    fn exception<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.batch.outcome() {
            Some(outcome) if outcome.is_acknowledged(self.index) && !self.waits().is_cancelled => Ok(None),
            Some(_) if !self.waits().is_cancelled => match metadata(py, &self.batch, self.index, self.timestamp) {
                Ok(_) => Ok(None),
                Err(error) => Ok(Some(error.into_value(py).into_bound(py).into_any())),
            },
            _ => self.result(py).map(Some),
        }
    }

    /// Has the loop call `callback` with this handle when the record has its outcome.
    #[pyo3(signature = (callback, *, context = None))]
    fn add_done_callback(slf: &Bound<'_, Self>, callback: Py<PyAny>, context: Option<Py<PyAny>>) -> PyResult<()> {
        let py = slf.py();
        checked_callback(callback.bind(py))?;
        let this = slf.get();
        if this.waits().is_cancelled {
            return call_soon(py, &this.watchers, slf.as_any(), vec![(callback, context)]);
        }
        let is_listed = {
            let mut waits = this.waits();
            waits.callbacks.push((callback, context));
            std::mem::replace(&mut waits.is_listed, true)
        };
        if !is_listed {
            this.watchers.settle(&this.batch, slf.clone().unbind());
        }
        Ok(())
    }

    /// Takes a callback back; how many there were of it.
    fn remove_done_callback(&self, callback: &Bound<'_, PyAny>) -> PyResult<usize> {
        let callbacks = std::mem::take(&mut self.waits().callbacks);
        let mut kept = Vec::with_capacity(callbacks.len());
        let mut dropped = Vec::new();
        for (known, context) in callbacks {
            if known.bind(callback.py()).eq(callback)? {
                dropped.push((known, context));
            } else {
                kept.push((known, context));
            }
        }
        self.waits().callbacks.append(&mut kept);
        Ok(dropped.len())
    }

    /// Ends the wait for the record, which is sent nevertheless. Whether it was being waited for.
    #[pyo3(signature = (msg = None))]
    fn cancel(slf: &Bound<'_, Self>, msg: Option<Bound<'_, PyAny>>) -> PyResult<bool> {
        drop(msg);
        let this = slf.get();
        let callbacks = {
            let mut waits = this.waits();
            if waits.is_cancelled || this.batch.outcome().is_some() {
                return Ok(false);
            }
            waits.is_cancelled = true;
            std::mem::take(&mut waits.callbacks)
        };
        call_soon(slf.py(), &this.watchers, slf.as_any(), callbacks)?;
        Ok(true)
    }

    /// The event loop that the producer belongs to.
    fn get_loop(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.watchers
            .event_loop(py)
            .ok_or_else(|| PyRuntimeError::new_err("the producer belongs to no event loop yet"))
    }

    /// Yields this handle once, as a future does, if the record has no outcome; its batch is sent at once.
    fn __await__(slf: Py<Self>) -> Awaiting {
        slf.get().batch.hurry();
        Awaiting { delivery: slf }
    }

    fn __iter__(slf: Py<Self>) -> Awaiting {
        Self::__await__(slf)
    }

    #[getter(_asyncio_future_blocking)]
    fn is_blocking(&self) -> bool {
        self.is_blocking.load(Ordering::Relaxed)
    }

    #[setter(_asyncio_future_blocking)]
    fn set_blocking(&self, is_blocking: bool) {
        self.is_blocking.store(is_blocking, Ordering::Relaxed);
    }

    /// For `asyncio.gather`, which asks the futures of asyncio for it.
    #[expect(clippy::unused_self, reason = "a method of asyncio's futures")]
    fn _make_cancelled_error(&self, py: Python<'_>) -> Py<PyAny> {
        Self::cancelled_error(py).into_value(py).into_any()
    }

    #[getter]
    #[expect(clippy::unused_self, reason = "an attribute of asyncio's futures")]
    fn _cancel_message(&self) -> Option<Py<PyAny>> {
        None
    }

    fn __repr__(&self) -> String {
        let state = if self.waits().is_cancelled {
            "cancelled"
        } else {
            state_name(&self.batch, self.index)
        };
        format!("<AsyncDelivery {}-{} {state}>", self.batch.topic, self.batch.partition)
    }
}

/// Has the loop call callbacks with their handle.
fn call_soon(py: Python<'_>, watchers: &Watchers, handle: &Bound<'_, PyAny>, callbacks: Vec<Callback>) -> PyResult<()> {
    let Some(event_loop) = watchers.event_loop(py) else {
        return Ok(());
    };
    for (callback, context) in callbacks {
        let keywords = PyDict::new(py);
        keywords.set_item("context", context)?;
        event_loop
            .bind(py)
            .call_method("call_soon", (callback, handle), Some(&keywords))?;
    }
    Ok(())
}

/// Callbacks of handles whose records have outcomes: (callback, handle, context).
pub(super) fn settled(py: Python<'_>, handles: Vec<Py<AsyncDelivery>>) -> PyResult<Bound<'_, PyList>> {
    let calls = PyList::empty(py);
    for handle in handles {
        for (callback, context) in handle.get().take_callbacks() {
            calls.append((callback, &handle, context))?;
        }
    }
    Ok(calls)
}

/// One `await` of a delivery.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Awaiting {
    delivery: Py<AsyncDelivery>,
}

#[pymethods]
impl Awaiting {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Py<AsyncDelivery>> {
        let delivery = self.delivery.get();
        if delivery.is_done() {
            let result = delivery.result(py)?;
            return Err(PyStopIteration::new_err((result.unbind(),)));
        }
        delivery.is_blocking.store(true, Ordering::Relaxed);
        Ok(self.delivery.clone_ref(py))
    }
}

/// Records that an `AsyncProducer` has taken in one call.
#[pyclass(frozen, sequence, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct AsyncDeliveryBatch {
    records: DeliveryBatch,
    watchers: Arc<Watchers>,
}

impl AsyncDeliveryBatch {
    pub(super) fn new(records: DeliveryBatch, watchers: Arc<Watchers>) -> Self {
        Self { records, watchers }
    }

    fn handle(&self, (batch, index, timestamp): (Arc<BatchState>, u32, i64)) -> AsyncDelivery {
        AsyncDelivery::new(batch, index, timestamp, Arc::clone(&self.watchers))
    }
}

#[pymethods]
impl AsyncDeliveryBatch {
    fn __len__(&self) -> usize {
        self.records.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<AsyncDelivery> {
        self.records.place(index).map(|place| self.handle(place))
    }

    /// Whether every record was acknowledged, or has failed.
    fn done(&self) -> bool {
        self.records.is_done()
    }

    /// A list of `RecordMetadata`; raises the first record's error that has one.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if !self.records.is_done() {
            return Err(asyncio_error(
                py,
                "InvalidStateError",
                ("not all records are acknowledged yet: await the batch",),
            ));
        }
        self.records.all(py)
    }

    /// Waits until all are acknowledged; their batches are sent at once.
    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        static AWAITED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = slf.py();
        let this = slf.get();
        let batches = this.records.batches();
        for (batch, ..) in &batches {
            batch.hurry();
        }
        let waits: PyResult<Vec<_>> = batches
            .into_iter()
            .map(|place| Py::new(py, this.handle(place)))
            .collect();
        let awaited = AWAITED.import(py, "barnabas.aio.deliveries", "awaited")?;
        awaited
            .call1((slf, PyTuple::new(py, waits?)?))?
            .call_method0("__iter__")
    }

    fn __repr__(&self) -> String {
        format!("<AsyncDeliveryBatch of {} records>", self.records.len())
    }
}
