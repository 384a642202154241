//! `ClientCore`: one I/O thread and what is submitted to it.

use std::os::fd::IntoRawFd;
use std::sync::Arc;

use barnabas_client::config::{ClientConfig, Options};
use barnabas_client::{Client, ClusterView, Event};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use super::arguments::{milliseconds, options, raised, seconds, target, variants};
use crate::door::wait_in_slices;

/// One I/O thread for all brokers, shared by a producer, a consumer or an admin.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct ClientCore {
    pub(super) client: Client,
}

/// Kinds of events, as Python sees them.
mod kind {
    pub(super) const RESPONSE: u8 = 1;
    pub(super) const FAILED: u8 = 2;
    pub(super) const HEARTBEAT: u8 = 3;
    pub(super) const POLL_DEADLINE: u8 = 4;
    pub(super) const FETCH_ERROR: u8 = 5;
    pub(super) const METADATA: u8 = 6;
    pub(super) const FETCHED: u8 = 7;
    pub(super) const TRUNCATED: u8 = 8;
}

#[pymethods]
impl ClientCore {
    #[new]
    fn new(py: Python<'_>, config: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options: Options = options(config)?;
        let config = ClientConfig::from_options(&options).map_err(|error| raised(py, &error))?;
        let client = py.detach(|| Client::new(config)).map_err(|error| raised(py, &error))?;
        Ok(Self { client })
    }

    /// Submits a request; an event with the returned token follows.
    #[pyo3(signature = (target, api_key, variants, timeout_ms, retry = true))]
    fn submit(
        &self,
        py: Python<'_>,
        target: &Bound<'_, PyTuple>,
        api_key: i16,
        variants: &Bound<'_, PyList>,
        timeout_ms: f64,
        retry: bool,
    ) -> PyResult<u64> {
        self.check(py)?;
        let target = self::target(target)?;
        let variants = self::variants(py, variants)?;
        Ok(self
            .client
            .submit(target, api_key, variants, milliseconds(timeout_ms), retry))
    }

    /// Forgets a submission.
    fn cancel(&self, token: u64) {
        self.client.cancel(token);
    }

    /// Looks a coordinator up again before it is next used.
    fn invalidate_coordinator(&self, key_type: i8, key: &str) {
        self.client.invalidate_coordinator(key_type, key);
    }

    /// All events that wait; waits up to `timeout` seconds for the first. `wake()` ends the wait.
    #[pyo3(signature = (timeout = None))]
    fn events<'py>(&self, py: Python<'py>, timeout: Option<f64>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        self.check(py)?;
        let events = wait_in_slices(py, timeout.map(seconds), |slice| {
            let events = self.client.events(slice);
            (!events.is_empty()).then_some(events)
        })?;
        events
            .unwrap_or_default()
            .into_iter()
            .filter_map(|event| event_tuple(py, event).transpose())
            .collect()
    }

    /// Makes whoever waits in `events` or `poll` return.
    fn wake(&self) {
        self.client.wake();
    }

    /// The descriptor of a new socket, to be owned by the caller: it gets one byte when something happens after `arm_bell()`.
    fn bell(&self, py: Python<'_>) -> PyResult<i32> {
        self.check(py)?;
        let line = self.client.bell().map_err(|error| raised(py, &error))?;
        Ok(line.into_raw_fd())
    }

    /// Lets the next event ring the bell, once. False, and nothing will ring, if an event waits already.
    fn arm_bell(&self, py: Python<'_>) -> PyResult<bool> {
        self.check(py)?;
        Ok(self.client.arm_bell())
    }

    /// (cluster id, controller id, nodes, topics) as they are known now.
    fn cluster<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.check(py)?;
        cluster_tuple(py, &self.client.view())
    }

    /// The topics to keep fresh; None for all.
    fn want_topics(&self, py: Python<'_>, topics: Option<Vec<String>>) -> PyResult<()> {
        self.check(py)?;
        self.client
            .want_topics(topics.map(|topics| topics.into_iter().map(Arc::from).collect()));
        Ok(())
    }

    /// Asks for metadata and waits up to `timeout` seconds for it; whether it came.
    fn refresh_metadata(&self, py: Python<'_>, timeout: f64) -> PyResult<bool> {
        self.check(py)?;
        let number = self.client.request_metadata();
        if timeout <= 0.0 {
            return Ok(false);
        }
        let came = wait_in_slices(py, Some(seconds(timeout)), |slice| {
            self.client.wait_for_metadata(number, slice).ok()
        })?;
        Ok(came.is_some())
    }

    /// Why no broker has answered, if that is so.
    fn failure(&self) -> Option<String> {
        self.client.metadata_failure()
    }

    /// Counters by name.
    fn metrics(&self) -> std::collections::BTreeMap<&'static str, u64> {
        self.client.metrics().into_iter().collect()
    }

    /// Ends the I/O thread, waiting up to `timeout` seconds for it.
    fn close(&self, py: Python<'_>, timeout: f64) {
        py.detach(|| self.client.close(seconds(timeout)));
    }

    /// In the child after a fork: every use of clients that were made before raises from now on, and the sockets that the
    /// child inherited are closed.
    #[expect(clippy::unused_self, reason = "a method, so that it stands beside close()")]
    fn abandon(&self, py: Python<'_>) -> PyResult<()> {
        barnabas_client::forked();
        let close = py.import("os")?.getattr("close")?;
        for descriptor in barnabas_net::outbound::take_inherited() {
            close.call1((descriptor,))?;
        }
        Ok(())
    }
}

impl ClientCore {
    pub(super) fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.client.check_open().map_err(|error| raised(py, &error))
    }
}

/// `None` for events that are only there to wake.
fn event_tuple(py: Python<'_>, event: Event) -> PyResult<Option<Bound<'_, PyTuple>>> {
    let tuple = match event {
        Event::Response {
            token,
            api_version,
            body,
            node_id,
        } => (kind::RESPONSE, token, api_version, PyBytes::new(py, &body), node_id).into_pyobject(py)?,
        Event::Failed {
            token,
            error_code,
            message,
        } => (kind::FAILED, token, error_code, message).into_pyobject(py)?,
        Event::Heartbeat {
            error_code,
            api_version,
            body,
        } => (
            kind::HEARTBEAT,
            "heartbeat",
            error_code,
            api_version,
            PyBytes::new(py, &body),
        )
            .into_pyobject(py)?,
        Event::PollDeadline => (kind::POLL_DEADLINE, "poll_deadline").into_pyobject(py)?,
        Event::FetchError {
            topic,
            partition,
            error_code,
            offset,
        } => (kind::FETCH_ERROR, &*topic, partition, error_code, offset).into_pyobject(py)?,
        Event::Truncated {
            topic,
            partition,
            offset,
            end_offset,
            end_epoch,
        } => (kind::TRUNCATED, &*topic, partition, offset, end_offset, end_epoch).into_pyobject(py)?,
        Event::Metadata => (kind::METADATA, "metadata").into_pyobject(py)?,
        Event::Fetched => (kind::FETCHED,).into_pyobject(py)?,
        Event::Wake => return Ok(None),
    };
    Ok(Some(tuple))
}

fn cluster_tuple<'py>(py: Python<'py>, view: &ClusterView) -> PyResult<Bound<'py, PyTuple>> {
    let nodes = view
        .nodes
        .iter()
        .map(|node| (node.id, node.host.as_str(), node.port, node.rack.as_deref()));
    let nodes = PyList::new(py, nodes.collect::<Vec<_>>())?;
    let topics = PyList::empty(py);
    for topic in view.topics.values() {
        let partition = |partition: &barnabas_client::Partition| {
            (
                partition.index,
                partition.leader,
                partition.leader_epoch,
                partition.replicas.clone(),
                partition.isr.clone(),
            )
        };
        let partitions: Vec<_> = topic.partitions.iter().map(partition).collect();
        topics.append((
            &*topic.name,
            PyBytes::new(py, &topic.id),
            topic.error_code,
            topic.is_internal,
            partitions,
        ))?;
    }
    (view.cluster_id.as_deref(), view.controller_id, nodes, topics).into_pyobject(py)
}
