//! Fault hooks, the settable clock, the list of requests and the metrics as text of a `BrokerCore`.

use std::time::Duration;

use barnabas_broker::{Fault, FaultAction};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::broker::BrokerCore;
use crate::door::wait_in_slices;

/// Arrival stamp, connection, client host, client id, API key, version, correlation id, bytes.
type SeenTuple = (f64, u64, String, Option<String>, i16, i16, i32, usize);

#[pymethods]
impl BrokerCore {
    /// Adds a fault; `action` is "error", "delay", "drop" or "disconnect", `value` its error code or milliseconds.
    #[expect(clippy::too_many_arguments, reason = "one value per part of a fault")]
    fn inject(
        &self,
        py: Python<'_>,
        api_key: Option<i16>,
        client_id: Option<String>,
        nth: u64,
        times: u64,
        action: &str,
        value: i64,
        is_after: bool,
    ) -> PyResult<u64> {
        let action = match action {
            "error" => FaultAction::Error(
                i16::try_from(value).map_err(|_| PyValueError::new_err(format!("error code {value}")))?,
            ),
            "delay" => FaultAction::Delay(Duration::from_millis(value.unsigned_abs())),
            "drop" => FaultAction::Drop,
            "disconnect" => FaultAction::Disconnect,
            other => return Err(PyValueError::new_err(format!("no fault is called {other:?}"))),
        };
        Ok(self.node(py)?.inject(Fault {
            api_key,
            client_id,
            nth,
            times,
            action,
            is_after,
        }))
    }

    /// Takes a fault out again; None takes all of them.
    fn remove_fault(&self, py: Python<'_>, fault: Option<u64>) -> PyResult<()> {
        self.node(py)?.remove_fault(fault);
        Ok(())
    }

    /// How many requests have met a fault; None when it was taken out.
    fn fault_fired(&self, py: Python<'_>, fault: u64) -> PyResult<Option<u64>> {
        Ok(self.node(py)?.fault_fired(fault))
    }

    /// Waits until so many requests have met a fault, or it is taken out; False when time ran out before.
    fn wait_fault(&self, py: Python<'_>, fault: u64, count: u64, timeout: f64) -> PyResult<bool> {
        let node = self.node(py)?;
        let timeout = crate::broker::seconds(timeout)?;
        let fired = wait_in_slices(py, Some(timeout), |slice| node.wait_fault(fault, count, slice))?;
        Ok(fired.is_some())
    }

    /// Keeps the last `limit` requests from here on; None keeps no more.
    fn record_requests(&self, py: Python<'_>, limit: Option<usize>) -> PyResult<()> {
        self.node(py)?.record_requests(limit);
        Ok(())
    }

    /// The requests that were kept, in the order of their arrival.
    fn requests_seen(&self, py: Python<'_>) -> PyResult<Vec<SeenTuple>> {
        let seen = self.node(py)?.requests_seen().into_iter();
        Ok(seen
            .map(|seen| {
                (
                    seen.stamp_ms,
                    seen.peer.connection_id,
                    seen.peer.host.clone(),
                    seen.client_id,
                    seen.api_key,
                    seen.api_version,
                    seen.correlation_id,
                    seen.bytes,
                )
            })
            .collect())
    }

    /// Lets time pass at once, for sessions, transactions and retention.
    fn advance_clock(&self, py: Python<'_>, ms: u64) -> PyResult<()> {
        self.node(py)?.advance_clock(ms);
        Ok(())
    }

    /// All metrics of the data plane as text, in Prometheus' exposition format.
    fn prometheus(&self, py: Python<'_>) -> PyResult<String> {
        let node = self.node(py)?;
        Ok(py.detach(|| node.prometheus()))
    }

    /// Milliseconds since 1970 by the broker's clock.
    fn wall_ms(&self, py: Python<'_>) -> PyResult<i64> {
        Ok(self.node(py)?.wall_ms())
    }
}
