//! The one door out of Python: waits detached, in slices, so that Ctrl-C is seen within 100 ms.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Longest wait before pending signals are looked at.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Calls `wait(slice)` detached from the interpreter until it returns `Some`, an error comes up from a signal handler,
/// or `timeout` has passed (`None` waits for ever). `wait` must return within about the slice it is given.
pub(crate) fn wait_in_slices<T: Send>(
    py: Python<'_>,
    timeout: Option<Duration>,
    mut wait: impl FnMut(Duration) -> Option<T> + Send,
) -> PyResult<Option<T>> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        let left = deadline.map_or(SIGNAL_CHECK_INTERVAL, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
        let slice = left.min(SIGNAL_CHECK_INTERVAL);
        if let Some(value) = py.detach(|| wait(slice)) {
            return Ok(Some(value));
        }
        py.check_signals()?;
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(None);
        }
    }
}
