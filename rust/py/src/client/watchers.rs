//! Who is to be called when a batch is decided. The I/O thread lists decided batches and never calls: a callback thread, or
//! an event loop, takes the list and calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use barnabas_client::{BatchState, Completions};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::async_delivery::AsyncDelivery;

/// A handle, and what to call with it.
type Callback = (Py<PyAny>, Py<PyAny>);

/// What waits for the batches of one producer.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    state: Mutex<WatchersState>,
}

#[derive(Debug, Default)]
struct WatchersState {
    /// By batch: handles and what to call with each.
    callbacks: HashMap<u64, Vec<Callback>>,
    /// By batch: handles that keep their callbacks themselves.
    handles: HashMap<u64, Vec<Py<AsyncDelivery>>>,
    /// The loop that the producer belongs to.
    event_loop: Option<Py<PyAny>>,
    is_served: bool,
    /// The thread that calls back.
    thread: Option<Py<PyAny>>,
}

impl Watchers {
    /// Nothing is called and nothing of Python dropped while this is locked.
    fn state(&self) -> MutexGuard<'_, WatchersState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers `callback` for a record's handle. Whether it is the first ever, so that nobody looks at the list yet; `None`
    /// if the producer is gone.
    pub(super) fn call_back(&self, batch: &Arc<BatchState>, handle: Py<PyAny>, callback: Py<PyAny>) -> Option<bool> {
        let (is_new, is_first) = {
            let mut state = self.state();
            let callbacks = state.callbacks.entry(batch.id()).or_default();
            callbacks.push((handle, callback));
            let is_new = callbacks.len() == 1;
            (is_new, !std::mem::replace(&mut state.is_served, true))
        };
        // A batch that has an entry is listed, or will be: its entry goes when the list is taken.
        (!is_new || batch.watch()).then_some(is_first)
    }

    /// Remembers a handle that keeps its callbacks itself.
    pub(super) fn settle(&self, batch: &Arc<BatchState>, handle: Py<AsyncDelivery>) {
        let is_new = {
            let mut state = self.state();
            let handles = state.handles.entry(batch.id()).or_default();
            handles.push(handle);
            handles.len() == 1
        };
        if is_new {
            batch.watch();
        }
    }

    /// The loop that the producer belongs to.
    pub(super) fn event_loop(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.state()
            .event_loop
            .as_ref()
            .map(|event_loop| event_loop.clone_ref(py))
    }

    pub(super) fn set_event_loop(&self, event_loop: Py<PyAny>) {
        let old = self.state().event_loop.replace(event_loop);
        drop(old);
    }

    pub(super) fn thread(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.state().thread.as_ref().map(|thread| thread.clone_ref(py))
    }

    pub(super) fn set_thread(&self, thread: Py<PyAny>) {
        let old = self.state().thread.replace(thread);
        drop(old);
    }

    fn take_callbacks(&self, batches: &[Arc<BatchState>]) -> Vec<Callback> {
        let mut state = self.state();
        let taken = batches.iter().filter_map(|batch| state.callbacks.remove(&batch.id()));
        taken.flatten().collect()
    }

    /// Handles whose batches were decided.
    pub(super) fn take_handles(&self, batches: &[Arc<BatchState>]) -> Vec<Py<AsyncDelivery>> {
        let mut state = self.state();
        let taken = batches.iter().filter_map(|batch| state.handles.remove(&batch.id()));
        taken.flatten().collect()
    }
}

/// What a callback thread works on. It keeps no producer alive.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct CallbackQueue {
    watchers: Arc<Watchers>,
    completions: Completions,
}

impl CallbackQueue {
    pub(super) fn new(watchers: Arc<Watchers>, completions: Completions) -> Self {
        Self { watchers, completions }
    }
}

#[pymethods]
impl CallbackQueue {
    /// Waits until records have outcomes whose handles have callbacks: pairs of handle and callback. None when the queue is
    /// closed and empty. To be called on a thread of its own: signals do not end the wait, `close()` does.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let Some(batches) = py.detach(|| self.completions.wait_and_take()) else {
            return Ok(None);
        };
        PyList::new(py, self.watchers.take_callbacks(&batches)).map(Some)
    }

    /// No more waiting: `take()` gives what is left, then None.
    fn close(&self) {
        self.completions.close();
    }
}
