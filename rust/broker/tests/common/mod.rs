//! A broker on a temporary directory, and a client that sends hand-made requests.

pub(crate) mod gate;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use barnabas_broker::{BrokerConfig, Change, Endpoint, Event, Feature, Node, OptionMap, PartitionState, TopicChange};
use barnabas_net::server::Listener;
use barnabas_records::{BatchBuilder, BatchIter, Compression, Seal};
use barnabas_wire::api;
use barnabas_wire::header::{RequestHeader, decode_response_header, encode_request_header};
use barnabas_wire::messages::Records;
use barnabas_wire::messages::fetch::{FetchPartition, FetchRequest, FetchResponse, FetchTopic, PartitionData};
use barnabas_wire::messages::produce::{
    PartitionProduceData, PartitionProduceResponse, ProduceRequest, ProduceResponse, TopicProduceData,
};
use barnabas_wire::primitives::{Reader, Writer};

/// Longest that any test waits for what must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
pub(crate) const TOPIC: &str = "flights";
pub(crate) const TOPIC_ID: [u8; 16] = [7; 16];

/// A running broker with topic [`TOPIC`] of three partitions.
pub(crate) struct Fixture {
    pub(crate) node: Node,
    pub(crate) dir: Option<tempfile::TempDir>,
}

pub(crate) fn options(pairs: &[(&str, &str)]) -> OptionMap {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

pub(crate) fn config(dir: &Path, broker: &[(&str, &str)]) -> BrokerConfig {
    let listener = Listener {
        name: "PLAINTEXT".to_owned(),
        host: "127.0.0.1".to_owned(),
        port: 0,
    };
    BrokerConfig {
        data_dirs: vec![PathBuf::from(dir)],
        node_id: 1,
        cluster_id: "test-cluster-0123456789".to_owned(),
        advertised: vec![listener.clone()],
        inter_broker_listener: String::new(),
        listeners: vec![listener],
        reactors: 1,
        reactors_max: 1,
        temporary: false,
        log_defaults: OptionMap::new(),
        options: options(broker),
        control_apis: BTreeMap::from([(api::JOIN_GROUP, (0, 9)), (api::CREATE_TOPICS, (2, 7))]),
        api_caps: None,
        features: vec![
            Feature {
                name: "metadata.version".to_owned(),
                version_min: 7,
                version_max: 30,
                finalized: 30,
            },
            Feature {
                name: "group.version".to_owned(),
                version_min: 0,
                version_max: 1,
                finalized: 0,
            },
        ],
    }
}

pub(crate) fn partition_state(index: i32, leader_epoch: i32) -> PartitionState {
    PartitionState {
        index,
        leader: 1,
        leader_epoch,
        replicas: vec![1],
        isr: vec![1],
        eligible_leader_replicas: vec![],
        last_known_elr: vec![],
    }
}

pub(crate) fn topic_change(name: &str, topic_id: [u8; 16], partitions: i32, leader_epoch: i32) -> TopicChange {
    TopicChange {
        name: name.to_owned(),
        topic_id,
        is_internal: name.starts_with("__"),
        partitions: (0..partitions)
            .map(|index| partition_state(index, leader_epoch))
            .collect(),
        options: OptionMap::new(),
    }
}

/// Publishes the broker itself and [`TOPIC`] with these options.
pub(crate) fn publish(node: &Node, topic_options: &[(&str, &str)]) {
    let endpoints: Vec<Endpoint> = node.endpoints();
    let topic = TopicChange {
        options: options(topic_options),
        ..topic_change(TOPIC, TOPIC_ID, 3, 5)
    };
    let delta = vec![
        Change::Broker {
            node_id: 1,
            rack: Some("rack-1".to_owned()),
            endpoints,
        },
        Change::Controller { node_id: 1 },
        Change::Topic(topic),
    ];
    node.publish(delta, 10, 1).unwrap();
}

impl Fixture {
    pub(crate) fn start() -> Self {
        Self::with(&[], &[])
    }

    pub(crate) fn with(broker: &[(&str, &str)], topic: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let node = Node::start(config(dir.path(), broker)).unwrap();
        publish(&node, topic);
        node.open_gate();
        Self { node, dir: Some(dir) }
    }

    /// On a storage and with a clock of the test's own.
    pub(crate) fn on(
        broker: &[(&str, &str)],
        topic: &[(&str, &str)],
        storage: std::sync::Arc<dyn barnabas_log::Storage>,
        stopwatch: barnabas_broker::Stopwatch,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let node = Node::start_on(config(dir.path(), broker), storage, stopwatch).unwrap();
        publish(&node, topic);
        node.open_gate();
        Self { node, dir: Some(dir) }
    }

    /// The same directory opened again.
    pub(crate) fn restart(mut self, broker: &[(&str, &str)]) -> Self {
        let dir = self.dir.take().unwrap();
        assert!(self.node.stop(PATIENCE));
        drop(self);
        let node = Node::start(config(dir.path(), broker)).unwrap();
        publish(&node, &[]);
        node.open_gate();
        Self { node, dir: Some(dir) }
    }

    pub(crate) fn connect(&self) -> Client {
        let endpoint = &self.node.endpoints()[0];
        let stream = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Client {
            stream,
            correlation_id: 0,
        }
    }

    /// The next event that the control plane is told.
    pub(crate) fn event(&self) -> Event {
        let mut events = self.node.pull(PATIENCE, 1).unwrap();
        events.pop().unwrap()
    }

    /// Waits until a counter has reached a value.
    pub(crate) fn until(&self, counter: &str, value: u64) {
        until(|| self.node.metrics()[counter] >= value);
    }
}

/// Waits for what another thread will bring about.
pub(crate) fn until(mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "it did not happen");
        std::thread::yield_now();
    }
}

/// A connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    correlation_id: i32,
}

impl Client {
    pub(crate) fn send(&mut self, api_key: i16, api_version: i16, body: &[u8]) {
        self.correlation_id += 1;
        let mut frame = vec![0; 4];
        let header = RequestHeader {
            api_key,
            api_version,
            correlation_id: self.correlation_id,
            client_id: Some("test"),
        };
        encode_request_header(&mut frame, &header).unwrap();
        frame.extend_from_slice(body);
        let length = u32::try_from(frame.len() - 4).unwrap();
        frame[..4].copy_from_slice(&length.to_be_bytes());
        self.stream.write_all(&frame).unwrap();
    }

    /// A whole frame, without its length.
    pub(crate) fn receive_frame(&mut self) -> Vec<u8> {
        let mut length = [0; 4];
        self.stream.read_exact(&mut length).unwrap();
        let mut frame = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        self.stream.read_exact(&mut frame).unwrap();
        frame
    }

    /// A response's body.
    pub(crate) fn receive(&mut self, api_key: i16, api_version: i16) -> Vec<u8> {
        let frame = self.receive_frame();
        let (correlation_id, body) = decode_response_header(&frame, api_key, api_version).unwrap();
        assert_eq!(correlation_id, self.correlation_id);
        body.to_vec()
    }

    pub(crate) fn call(&mut self, api_key: i16, api_version: i16, body: &[u8]) -> Vec<u8> {
        self.send(api_key, api_version, body);
        self.receive(api_key, api_version)
    }

    /// True once the broker has closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0; 1]), Ok(0) | Err(_))
    }

    /// Produces to one partition of [`TOPIC`]; error code and base offset.
    pub(crate) fn produce(&mut self, partition: i32, records: &[u8]) -> (i16, i64) {
        let request = Produce {
            partition,
            records,
            ..Produce::default()
        };
        let answer = self.produce_with(&request);
        (answer.error_code, answer.base_offset)
    }

    pub(crate) fn produce_with(&mut self, produce: &Produce<'_>) -> ProduceAnswer {
        let body = self.call(api::PRODUCE, produce.version, &produce.encode());
        let response = ProduceResponse::decode(&mut Reader::new(&body), produce.version).unwrap();
        ProduceAnswer::from(&response.responses[0].partition_responses[0])
    }

    /// Fetches; every partition's answer in order.
    pub(crate) fn fetch(&mut self, fetch: &Fetch) -> Vec<FetchAnswer> {
        self.send(api::FETCH, fetch.version, &fetch.encode());
        self.receive_fetch(fetch.version)
    }

    pub(crate) fn receive_fetch(&mut self, version: i16) -> Vec<FetchAnswer> {
        let body = self.receive(api::FETCH, version);
        let mut reader = Reader::new(&body);
        let response = FetchResponse::decode(&mut reader, version).unwrap();
        reader.finish().unwrap();
        assert_eq!((response.error_code, response.session_id), (0, 0));
        response
            .responses
            .iter()
            .flat_map(|topic| &topic.partitions)
            .map(FetchAnswer::from)
            .collect()
    }
}

/// A Produce request for one partition.
pub(crate) struct Produce<'a> {
    pub(crate) version: i16,
    pub(crate) acks: i16,
    pub(crate) transactional_id: Option<&'a str>,
    pub(crate) topic: &'a str,
    pub(crate) topic_id: [u8; 16],
    pub(crate) partition: i32,
    pub(crate) records: &'a [u8],
}

impl Default for Produce<'_> {
    fn default() -> Self {
        Self {
            version: 9,
            acks: -1,
            transactional_id: None,
            topic: TOPIC,
            topic_id: TOPIC_ID,
            partition: 0,
            records: &[],
        }
    }
}

impl Produce<'_> {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let data = PartitionProduceData {
            index: self.partition,
            records: Records::Bytes(self.records),
        };
        let topic = TopicProduceData {
            name: self.topic,
            topic_id: self.topic_id,
            partition_data: vec![data],
        };
        let request = ProduceRequest {
            transactional_id: self.transactional_id,
            acks: self.acks,
            timeout_ms: 1000,
            topic_data: vec![topic],
        };
        request.to_bytes(self.version).unwrap()
    }
}

/// The parts of a produce answer that tests look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProduceAnswer {
    pub(crate) error_code: i16,
    pub(crate) base_offset: i64,
    pub(crate) log_start_offset: i64,
    pub(crate) message: Option<String>,
}

impl From<&PartitionProduceResponse<'_>> for ProduceAnswer {
    fn from(response: &PartitionProduceResponse<'_>) -> Self {
        Self {
            error_code: response.error_code,
            base_offset: response.base_offset,
            log_start_offset: response.log_start_offset,
            message: response.error_message.map(str::to_owned),
        }
    }
}

/// A Fetch request for partitions of [`TOPIC`], each with the offset to read from.
#[derive(Clone)]
pub(crate) struct Fetch {
    pub(crate) version: i16,
    pub(crate) max_wait_ms: i32,
    pub(crate) min_bytes: i32,
    pub(crate) max_bytes: i32,
    pub(crate) partition_max_bytes: i32,
    pub(crate) leader_epoch: i32,
    pub(crate) last_fetched_epoch: i32,
    pub(crate) session_epoch: i32,
    pub(crate) topic: &'static str,
    pub(crate) topic_id: [u8; 16],
    pub(crate) partitions: Vec<(i32, i64)>,
}

impl Default for Fetch {
    fn default() -> Self {
        Self {
            version: 12,
            max_wait_ms: 0,
            min_bytes: 1,
            max_bytes: 50 << 20,
            partition_max_bytes: 1 << 20,
            leader_epoch: -1,
            last_fetched_epoch: -1,
            session_epoch: -1,
            topic: TOPIC,
            topic_id: TOPIC_ID,
            partitions: vec![(0, 0)],
        }
    }
}

impl Fetch {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let partitions = self.partitions.iter().map(|(partition, offset)| FetchPartition {
            partition: *partition,
            current_leader_epoch: self.leader_epoch,
            fetch_offset: *offset,
            last_fetched_epoch: self.last_fetched_epoch,
            partition_max_bytes: self.partition_max_bytes,
            ..FetchPartition::default()
        });
        let topic = FetchTopic {
            topic: self.topic,
            topic_id: self.topic_id,
            partitions: partitions.collect(),
        };
        let request = FetchRequest {
            max_wait_ms: self.max_wait_ms,
            min_bytes: self.min_bytes,
            max_bytes: self.max_bytes,
            session_epoch: self.session_epoch,
            topics: vec![topic],
            ..FetchRequest::default()
        };
        let mut writer = Writer::new();
        request.encode(&mut writer, self.version).unwrap();
        writer.into_bytes()
    }
}

/// The parts of a fetched partition that tests look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FetchAnswer {
    pub(crate) partition: i32,
    pub(crate) error_code: i16,
    pub(crate) high_watermark: i64,
    pub(crate) log_start_offset: i64,
    pub(crate) diverging: (i32, i64),
    pub(crate) records: Vec<u8>,
}

impl From<&PartitionData<'_>> for FetchAnswer {
    fn from(data: &PartitionData<'_>) -> Self {
        Self {
            partition: data.partition_index,
            error_code: data.error_code,
            high_watermark: data.high_watermark,
            log_start_offset: data.log_start_offset,
            diverging: (data.diverging_epoch.epoch, data.diverging_epoch.end_offset),
            records: data.records.as_bytes().unwrap_or_default().to_vec(),
        }
    }
}

impl FetchAnswer {
    /// Offset and value of every record; checks each batch's CRC.
    pub(crate) fn values(&self) -> Vec<(i64, Vec<u8>)> {
        let mut batches = BatchIter::new(&self.records);
        let mut out = Vec::new();
        for batch in batches.by_ref() {
            let batch = batch.unwrap();
            batch.check_crc().unwrap();
            let mut scratch = Vec::new();
            let payload = batch.decompress_into(&mut scratch, 1 << 30).unwrap();
            for record in batch.records(payload) {
                let record = record.unwrap();
                out.push((record.offset, record.value.unwrap_or_default().to_vec()));
            }
        }
        assert!(batches.rest().is_empty(), "only whole batches are sent");
        out
    }
}

/// A batch of these values, with timestamps 1000, 1001 …
pub(crate) fn batch(values: &[&[u8]]) -> Vec<u8> {
    batch_with(values, &Seal::default())
}

pub(crate) fn batch_with(values: &[&[u8]], seal: &Seal) -> Vec<u8> {
    let mut builder = BatchBuilder::new(Vec::new());
    for (timestamp, value) in (1000..).zip(values) {
        builder.append(timestamp, Some(b"key"), Some(value), &[]).unwrap();
    }
    builder.finish(seal, &mut Vec::new()).unwrap()
}

pub(crate) fn compressed(values: &[&[u8]], compression: Compression) -> Vec<u8> {
    batch_with(
        values,
        &Seal {
            compression,
            ..Seal::default()
        },
    )
}
