//! `BrokerCore`: the data plane of a broker as its control plane sees it.
//!
//! `barnabas.broker.core` is its only user. Calls that may wait for a disk or a thread are made detached from the
//! interpreter; short ones stay attached, because attaching again can take a whole switch interval.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Duration;

use barnabas_broker::{
    ApiRequest, BrokerConfig, BrokerError, Change, Endpoint, Event, Feature, KeyValue, Node, OptionMap, PartitionState,
    TopicChange, TopicId, TypeValue, WatchKind,
};
use barnabas_net::server::Listener;
use barnabas_records::{BatchBuilder, BatchIter, ControlKey, RecordIter, RecordsError, Seal};
use pyo3::exceptions::{PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::door::wait_in_slices;
use crate::error::{raise, raise_code, raise_code_at};

/// The principal of connections that have not authenticated.
const ANONYMOUS: &str = "User:ANONYMOUS";
/// Bound of one decompressed batch of an internal topic.
const DECOMPRESSED_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Longest wait of one pull.
const PULL_SECONDS_MAX: f64 = 3600.0;

/// A broker's data plane.
#[pyclass(frozen, module = "barnabas._core")]
pub(crate) struct BrokerCore {
    /// Given up in a forked child, where its threads do not exist.
    node: Option<Node>,
    process: u32,
}

impl BrokerCore {
    /// The broker, in the process that started it.
    pub(crate) fn node(&self, py: Python<'_>) -> PyResult<&Node> {
        self.own_node().ok_or_else(|| {
            let fix = "this broker runs in the process that started it: connect to its address, or start one here";
            raise(py, "IllegalStateError", fix)
        })
    }

    fn own_node(&self) -> Option<&Node> {
        self.node.as_ref().filter(|_| self.process == std::process::id())
    }
}

impl Drop for BrokerCore {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // Stopping would wait for threads that this process does not have.
            std::mem::forget(self.node.take());
        }
    }
}

/// Name, host, port.
type ListenerTuple = (String, String, u16);
/// Log start, high watermark, last stable offset, log end, leader epoch.
type InfoTuple = (i64, i64, i64, i64, i32);
/// Partition, leader, leader epoch, replicas, in-sync replicas.
type PartitionTuple = (i32, i32, i32, Vec<i32>, Vec<i32>, (Vec<i32>, Vec<i32>));

#[pymethods]
impl BrokerCore {
    /// Opens the data directories and binds the listeners; requests are served from `open_gate()` on.
    #[staticmethod]
    fn start(py: Python<'_>, config: &Bound<'_, PyDict>) -> PyResult<Self> {
        let config = broker_config(config)?;
        let node = py
            .detach(|| Node::start(config))
            .map_err(|error| raise_broker(py, &error))?;
        Ok(Self {
            node: Some(node),
            process: std::process::id(),
        })
    }

    /// Listener, host and port of every endpoint that clients are told, of the listeners that are open now.
    fn endpoints(&self, py: Python<'_>) -> PyResult<Vec<ListenerTuple>> {
        let endpoints = self.node(py)?.endpoints().into_iter();
        Ok(endpoints
            .map(|endpoint| (endpoint.listener, endpoint.host, endpoint.port))
            .collect())
    }

    /// Serves requests from here on.
    fn open_gate(&self, py: Python<'_>) -> PyResult<()> {
        self.node(py)?.open_gate();
        Ok(())
    }

    /// Monotonic milliseconds, the clock of all arrival stamps.
    fn now_ms(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.node(py)?.now_ms())
    }

    /// Waits up to `timeout` seconds for events and returns all that are there, in arrival order, up to `limit`.
    #[pyo3(signature = (timeout, limit = 256))]
    fn pull<'py>(&self, py: Python<'py>, timeout: f64, limit: usize) -> PyResult<Bound<'py, PyList>> {
        let node = self.node(py)?;
        let events = match node.pull(Duration::ZERO, limit) {
            Some(events) => events,
            None => wait_in_slices(py, Some(seconds(timeout)?), |slice| node.pull(slice, limit))?.unwrap_or_default(),
        };
        let tuples = events
            .into_iter()
            .map(|event| event_tuple(py, event))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, tuples)
    }

    /// Answers an API request with a response body, to which the header is added.
    ///
    /// The control plane was busy with it for `busy_ns`; its client has to wait `mutations_ms` for the changes that it made.
    #[pyo3(signature = (token, body, busy_ns = 0, mutations_ms = 0))]
    fn respond(&self, py: Python<'_>, token: u64, body: &[u8], busy_ns: u64, mutations_ms: u32) -> PyResult<()> {
        let busy = Duration::from_nanos(busy_ns);
        self.node(py)?.respond(token, body, busy, mutations_ms);
        Ok(())
    }

    /// Partitions that a request may create and delete, none below 0; None if nothing limits its client.
    fn mutations_left(&self, py: Python<'_>, token: u64) -> PyResult<Option<f64>> {
        Ok(self.node(py)?.mutations_left(token))
    }

    /// Charges a request for partitions created and deleted; milliseconds until its client owes nothing.
    fn charge_mutations(&self, py: Python<'_>, token: u64, partitions: u32) -> PyResult<u32> {
        Ok(self.node(py)?.charge_mutations(token, partitions))
    }

    /// Answers a Metadata request from the image as it is now, without creating anything.
    fn respond_from_image(&self, py: Python<'_>, token: u64) -> PyResult<()> {
        self.node(py)?.respond_from_image(token);
        Ok(())
    }

    /// Appends records as one batch and returns the first one's offset.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are extracted into owned values")]
    fn append(
        &self,
        py: Python<'_>,
        topic: &str,
        partition: i32,
        leader_epoch: i32,
        records: Vec<(Option<PyBackedBytes>, Option<PyBackedBytes>)>,
        timestamp_ms: i64,
    ) -> PyResult<i64> {
        let records: Vec<KeyValue<'_>> = records
            .iter()
            .map(|(key, value)| (key.as_deref(), value.as_deref()))
            .collect();
        self.node(py)?
            .append(topic, partition, leader_epoch, &records, timestamp_ms)
            .map_err(|error| raise_broker_at(py, &error, topic, partition))
    }

    /// The same of control records, given as type and value.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are extracted into owned values")]
    fn append_control(
        &self,
        py: Python<'_>,
        topic: &str,
        partition: i32,
        leader_epoch: i32,
        records: Vec<(i16, PyBackedBytes)>,
        timestamp_ms: i64,
    ) -> PyResult<i64> {
        let records: Vec<TypeValue<'_>> = records
            .iter()
            .map(|(control_type, value)| (*control_type, &**value))
            .collect();
        self.node(py)?
            .append_control(topic, partition, leader_epoch, &records, timestamp_ms)
            .map_err(|error| raise_broker_at(py, &error, topic, partition))
    }

    /// A batch of records, as a file of its own holds it.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "arguments are extracted into owned values")]
    fn make_batch(
        py: Python<'_>,
        base_offset: i64,
        leader_epoch: i32,
        records: Vec<(Option<PyBackedBytes>, Option<PyBackedBytes>)>,
        timestamp_ms: i64,
    ) -> PyResult<Bound<'_, PyBytes>> {
        let records = records.iter().map(|(key, value)| (key.as_deref(), value.as_deref()));
        let batch = make_batch(records, leader_epoch, false, base_offset, timestamp_ms);
        batch
            .map(|batch| PyBytes::new(py, &batch))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The same of control records, given as type and value.
    #[staticmethod]
    #[expect(clippy::needless_pass_by_value, reason = "arguments are extracted into owned values")]
    fn make_control_batch(
        py: Python<'_>,
        base_offset: i64,
        leader_epoch: i32,
        records: Vec<(i16, PyBackedBytes)>,
        timestamp_ms: i64,
    ) -> PyResult<Bound<'_, PyBytes>> {
        let key = |control_type| {
            ControlKey {
                version: 0,
                control_type,
            }
            .to_bytes()
        };
        let keys: Vec<[u8; 4]> = records.iter().map(|(control_type, _)| key(*control_type)).collect();
        let values = records.iter().map(|(_, value)| Some(&**value));
        let records = keys.iter().map(|key| Some(key.as_slice())).zip(values);
        let batch = make_batch(records, leader_epoch, true, base_offset, timestamp_ms);
        batch
            .map(|batch| PyBytes::new(py, &batch))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Starts a read of whole batches below the high watermark; its event carries the returned token.
    fn read(&self, py: Python<'_>, topic: &str, partition: i32, offset: i64, max_bytes: usize) -> PyResult<u64> {
        Ok(self.node(py)?.read(topic, partition, offset, max_bytes))
    }

    /// Offset, timestamp, key, value, producer id, producer epoch and "is control" of every record of whole batches.
    #[staticmethod]
    fn decode_batches<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyList>> {
        decode_batches(py, data)
    }

    /// Tells of a partition's readiness, movements and end from here on.
    fn watch(&self, py: Python<'_>, topic: &str, partition: i32) -> PyResult<()> {
        self.node(py)?.watch(topic, partition);
        Ok(())
    }

    /// Log start, high watermark, last stable offset, log end and leader epoch; None if the partition is not here.
    fn info(&self, py: Python<'_>, topic: &str, partition: i32) -> PyResult<Option<InfoTuple>> {
        let Some(info) = self.node(py)?.info(topic, partition) else {
            return Ok(None);
        };
        Ok(Some((
            info.log_start_offset,
            info.high_watermark,
            info.last_stable_offset,
            info.log_end_offset,
            info.leader_epoch,
        )))
    }

    /// Lets a log begin later and removes the segments that end before; returns its first offset, which is durable.
    fn delete_records(&self, py: Python<'_>, topic: &str, partition: i32, before_offset: i64) -> PyResult<i64> {
        let node = self.node(py)?;
        py.detach(|| node.delete_records(topic, partition, before_offset))
            .map_err(|error| raise_broker_at(py, &error, topic, partition))
    }

    /// Bytes of a partition's segments; None if the partition is not here.
    fn log_size(&self, py: Python<'_>, topic: &str, partition: i32) -> PyResult<Option<u64>> {
        Ok(self.node(py)?.log_size(topic, partition))
    }

    /// Publishes changes of the image as of an offset and epoch of the metadata log.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are extracted into owned values")]
    fn publish(&self, py: Python<'_>, delta: Vec<Bound<'_, PyTuple>>, offset: i64, epoch: i32) -> PyResult<()> {
        let delta = delta.iter().map(change).collect::<PyResult<Vec<_>>>()?;
        let node = self.node(py)?;
        py.detach(|| node.publish(delta, offset, epoch))
            .map_err(|error| raise_broker(py, &error))
    }

    /// Replaces a small durable file.
    fn store(&self, py: Python<'_>, name: &str, data: &[u8]) -> PyResult<()> {
        let node = self.node(py)?;
        py.detach(|| node.store(name, data))
            .map_err(|error| raise_broker(py, &error))
    }

    /// Reads a small durable file; None if there is none.
    fn load<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let node = self.node(py)?;
        let data = py
            .detach(|| node.load(name))
            .map_err(|error| raise_broker(py, &error))?;
        Ok(data.map(|data| PyBytes::new(py, &data)))
    }

    /// Closes a connection.
    fn close_connection(&self, py: Python<'_>, connection_id: u64) -> PyResult<()> {
        self.node(py)?.close_connection(connection_id);
        Ok(())
    }

    /// Counters and lengths by name.
    fn metrics(&self, py: Python<'_>) -> PyResult<BTreeMap<&'static str, u64>> {
        Ok(self.node(py)?.metrics())
    }

    /// Finishes what is being executed, closes everything and marks the shutdown as clean. True if all went well.
    fn stop(&self, py: Python<'_>, timeout: f64) -> PyResult<bool> {
        let timeout = seconds(timeout)?;
        // A forked child has nothing to stop, and its clean-up code should not fail for that.
        let node = self.own_node();
        Ok(py.detach(|| node.is_none_or(|node| node.stop(timeout))))
    }
}

pub(crate) fn seconds(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds.clamp(0.0, PULL_SECONDS_MAX))
        .map_err(|error| PyValueError::new_err(format!("timeout {seconds}: {error}")))
}

fn broker_config(config: &Bound<'_, PyDict>) -> PyResult<BrokerConfig> {
    Ok(BrokerConfig {
        data_dirs: required::<Vec<PathBuf>>(config, "data_dirs")?,
        node_id: required(config, "node_id")?,
        cluster_id: required(config, "cluster_id")?,
        listeners: listeners(required(config, "listeners")?),
        advertised: listeners(required(config, "advertised")?),
        inter_broker_listener: required(config, "inter_broker_listener")?,
        reactors: required(config, "reactors")?,
        reactors_max: required(config, "reactors_max")?,
        temporary: required(config, "temporary")?,
        log_defaults: required::<OptionMap>(config, "log_defaults")?,
        options: required::<OptionMap>(config, "broker")?,
        control_apis: required(config, "control_apis")?,
        api_caps: required(config, "api_caps")?,
        features: required::<Vec<(String, i16, i16, i16)>>(config, "features")?
            .into_iter()
            .map(|(name, version_min, version_max, finalized)| Feature {
                name,
                version_min,
                version_max,
                finalized,
            })
            .collect(),
    })
}

fn required<T>(config: &Bound<'_, PyDict>, key: &str) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py, Error = PyErr>,
{
    let value = config
        .get_item(key)?
        .ok_or_else(|| PyKeyError::new_err(key.to_owned()))?;
    value.extract()
}

fn listeners(tuples: Vec<ListenerTuple>) -> Vec<Listener> {
    tuples
        .into_iter()
        .map(|(name, host, port)| Listener { name, host, port })
        .collect()
}

/// The tuple of an event, with its kind in front.
fn event_tuple(py: Python<'_>, event: Event) -> PyResult<Bound<'_, PyTuple>> {
    match event {
        Event::Request(request) => request_tuple(py, &request),
        Event::Closed {
            stamp_ms,
            connection_id,
        } => (2, stamp_ms, connection_id).into_pyobject(py),
        Event::Appended {
            stamp_ms,
            topic,
            partition,
            last_offset,
            error_code,
        } => (3, stamp_ms, &*topic, partition, last_offset, error_code).into_pyobject(py),
        Event::Read {
            stamp_ms,
            token,
            error_code,
            batches,
            next_offset,
            log_end_offset,
        } => (
            4,
            stamp_ms,
            token,
            error_code,
            PyBytes::new(py, &batches),
            next_offset,
            log_end_offset,
        )
            .into_pyobject(py),
        Event::Watched {
            stamp_ms,
            topic,
            partition,
            kind,
            offset,
        } => {
            let kind = match kind {
                WatchKind::Ready => "ready",
                WatchKind::HighWatermark => "high_watermark",
                WatchKind::Truncated => "truncated",
                WatchKind::Failed => "failed",
            };
            (5, stamp_ms, &*topic, partition, kind, offset).into_pyobject(py)
        }
        Event::Advanced { stamp_ms } => (6, stamp_ms).into_pyobject(py),
    }
}

/// The tuple of a request.
fn request_tuple<'py>(py: Python<'py>, request: &ApiRequest) -> PyResult<Bound<'py, PyTuple>> {
    let (software_name, software_version) = request.peer.software();
    (
        1,
        request.stamp_ms,
        request.token,
        request.peer.connection_id,
        &*request.peer.listener,
        ANONYMOUS,
        request.client_id.as_deref(),
        request.peer.host.as_str(),
        request.api_key,
        request.api_version,
        PyBytes::new(py, &request.body),
        // More would be more than a tuple is made of.
        (request.peer.port, software_name, software_version),
    )
        .into_pyobject(py)
}

/// A change of the image from its tuple, whose first element names it.
fn change(tuple: &Bound<'_, PyTuple>) -> PyResult<Change> {
    let kind: String = tuple.get_item(0)?.extract()?;
    match kind.as_str() {
        "broker" => {
            let (_, node_id, rack, endpoints): (String, i32, Option<String>, Vec<ListenerTuple>) = tuple.extract()?;
            let endpoints = endpoints
                .into_iter()
                .map(|(listener, host, port)| Endpoint { listener, host, port });
            Ok(Change::Broker {
                node_id,
                rack,
                endpoints: endpoints.collect(),
            })
        }
        "remove_broker" => {
            let (_, node_id): (String, i32) = tuple.extract()?;
            Ok(Change::RemoveBroker { node_id })
        }
        "controller" => {
            let (_, node_id): (String, i32) = tuple.extract()?;
            Ok(Change::Controller { node_id })
        }
        "broker_options" => {
            let (_, options): (String, OptionMap) = tuple.extract()?;
            Ok(Change::BrokerOptions(options))
        }
        "listeners" => {
            let (_, wanted): (String, Vec<ListenerTuple>) = tuple.extract()?;
            Ok(Change::Listeners(listeners(wanted)))
        }
        "topic" => topic_change(tuple),
        "features" => {
            let (_, levels): (String, BTreeMap<String, i16>) = tuple.extract()?;
            Ok(Change::Features(levels))
        }
        "offered" => {
            let (_, api_key, is_offered): (String, i16, bool) = tuple.extract()?;
            Ok(Change::Offered { api_key, is_offered })
        }
        "quota" => {
            type Fields = (String, Vec<(String, Option<String>)>, HashMap<String, f64>);
            let (_, entity, values): Fields = tuple.extract()?;
            Ok(Change::Quota { entity, values })
        }
        "remove_topic" => {
            let (_, topic_id): (String, TopicId) = tuple.extract()?;
            Ok(Change::RemoveTopic { topic_id })
        }
        other => Err(PyValueError::new_err(format!("unknown change {other:?}"))),
    }
}

/// A topic as published, from its tuple.
fn topic_change(tuple: &Bound<'_, PyTuple>) -> PyResult<Change> {
    type Fields = (String, String, TopicId, bool, Vec<PartitionTuple>, OptionMap);
    let (_, name, topic_id, is_internal, partitions, options): Fields = tuple.extract()?;
    let partitions = partitions
        .into_iter()
        .map(|(index, leader, leader_epoch, replicas, isr, elr)| PartitionState {
            index,
            leader,
            leader_epoch,
            replicas,
            isr,
            eligible_leader_replicas: elr.0,
            last_known_elr: elr.1,
        });
    Ok(Change::Topic(TopicChange {
        name,
        topic_id,
        is_internal,
        partitions: partitions.collect(),
        options,
    }))
}

fn make_batch<'a>(
    records: impl Iterator<Item = KeyValue<'a>>,
    leader_epoch: i32,
    control: bool,
    base_offset: i64,
    timestamp_ms: i64,
) -> Result<Vec<u8>, RecordsError> {
    let mut builder = BatchBuilder::new(Vec::new());
    for (key, value) in records {
        builder.append(timestamp_ms, key, value, &[])?;
    }
    let seal = Seal {
        leader_epoch,
        control,
        base_offset,
        ..Seal::default()
    };
    builder.finish(&seal, &mut Vec::new())
}

fn decode_batches<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyList>> {
    let fail = |error: RecordsError| raise(py, "ProtocolError", &error.to_string());
    let list = PyList::empty(py);
    let mut scratch = Vec::new();
    let mut batches = BatchIter::new(data);
    for batch in batches.by_ref() {
        let batch = batch.map_err(fail)?;
        batch.check_crc().map_err(fail)?;
        let header = batch.header;
        scratch.clear();
        let payload = batch
            .decompress_into(&mut scratch, DECOMPRESSED_BYTES_MAX)
            .map_err(fail)?;
        for record in RecordIter::new(&header, payload) {
            let record = record.map_err(fail)?;
            let bytes = |bytes: Option<&[u8]>| bytes.map(|bytes| PyBytes::new(py, bytes));
            list.append((
                record.offset,
                record.timestamp,
                bytes(record.key),
                bytes(record.value),
                header.producer_id,
                header.producer_epoch,
                header.is_control(),
            ))?;
        }
    }
    if batches.rest().is_empty() {
        Ok(list)
    } else {
        Err(raise(py, "ProtocolError", "the last batch is not whole"))
    }
}

fn raise_broker(py: Python<'_>, error: &BrokerError) -> PyErr {
    match (error, error.code()) {
        (BrokerError::Log(log), _) if log.is_config_error() => raise(py, "ConfigError", &error.to_string()),
        (BrokerError::Option(_), _) => raise(py, "ConfigError", &error.to_string()),
        (BrokerError::Server(_) | BrokerError::File { .. }, _) => PyOSError::new_err(error.to_string()),
        (BrokerError::Stopping, _) => raise(py, "IllegalStateError", &error.to_string()),
        (_, Some(code)) => raise_code(py, code.code(), &error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

fn raise_broker_at(py: Python<'_>, error: &BrokerError, topic: &str, partition: i32) -> PyErr {
    match error.code() {
        Some(code) => raise_code_at(py, code.code(), &error.to_string(), None, Some((topic, partition))),
        None => raise_broker(py, error),
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<BrokerCore>()
}
