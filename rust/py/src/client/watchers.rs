//! Who is to be called when a batch is decided. The I/O thread lists decided batches and never calls: a callback thread, or
//! an event loop, takes the list and calls.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use barnabas_client::{BatchState, Completions};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::async_delivery::AsyncDelivery;

/// A handle, and what to call with it.
type Callback = (Py<PyAny>, Py<PyAny>);

/// Spreads the numbers of batches, which nobody else chooses: the general hash costs more than all else of a callback.
#[derive(Debug, Default)]
struct BatchIdHasher(u64);

impl Hasher for BatchIdHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, id: u64) {
        // The golden ratio's bits; numbers of batches differ in their high bits only.
        self.0 = (self.0 ^ id).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

type ByBatch<T> = HashMap<u64, Vec<T>, BuildHasherDefault<BatchIdHasher>>;

/// What waits for the batches of one producer.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    state: Mutex<WatchersState>,
}

#[derive(Debug, Default)]
struct WatchersState {
    /// By batch: handles and what to call with each.
    callbacks: ByBatch<Callback>,
    /// By batch: handles that keep their callbacks themselves.
    handles: ByBatch<Py<AsyncDelivery>>,
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
    pub(super) fn call_back(
        &self,
        batch: &Arc<BatchState>,
        handle: &Bound<'_, PyAny>,
        callback: &Bound<'_, PyAny>,
    ) -> Option<bool> {
        let (is_new, is_first) = {
            let mut state = self.state();
            let callbacks = state.callbacks.entry(batch.id()).or_default();
            callbacks.push((handle.clone().unbind(), callback.clone().unbind()));
            (callbacks.len() == 1, !std::mem::replace(&mut state.is_served, true))
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
    /// Waits until records have outcomes whose handles have callbacks: the handles and, for each, what to call. Two lists
    /// cost less than as many pairs as there are records. None when the queue is closed and empty. To be called on a thread of
    /// its own: signals do not end the wait, `close()` does.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyList>, Bound<'py, PyList>)>> {
        let Some(batches) = py.detach(|| self.completions.wait_and_take()) else {
            return Ok(None);
        };
        let (handles, callbacks): (Vec<_>, Vec<_>) = self.watchers.take_callbacks(&batches).into_iter().unzip();
        Ok(Some((PyList::new(py, handles)?, PyList::new(py, callbacks)?)))
    }

    /// No more waiting: `take()` gives what is left, then None.
    fn close(&self) {
        self.completions.close();
    }
}
