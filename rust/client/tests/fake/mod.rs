//! A scripted broker over loopback: one node, real framing and messages, a log per partition that checks idempotent
//! sequences as Kafka does. What it does with each request is decided by a test.

#![allow(dead_code, reason = "each test file uses a part of it")]

mod fetching;

use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use barnabas_records::{BatchIter, RecordIter, add_sequence, patch};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::header::{decode_request_header, encode_response_header};
use barnabas_wire::messages::api_versions::{ApiVersion, ApiVersionsResponse};
use barnabas_wire::messages::find_coordinator::{Coordinator, FindCoordinatorRequest, FindCoordinatorResponse};
use barnabas_wire::messages::init_producer_id::InitProducerIdResponse;
use barnabas_wire::messages::metadata::{
    MetadataRequest, MetadataResponse, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use barnabas_wire::messages::offset_for_leader_epoch::{
    EpochEndOffset, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, OffsetForLeaderTopicResult,
};
use barnabas_wire::messages::produce::{
    PartitionProduceResponse, ProduceRequest, ProduceResponse, TopicProduceResponse,
};
use barnabas_wire::primitives::Reader;
use fetching::{FetchSession, fetch};

/// The one topic's id.
pub(crate) const TOPIC_ID: [u8; 16] = [9; 16];

/// What the broker does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// What a broker does.
    Serve,
    /// Closes the connection before doing anything.
    Drop,
    /// Does it, then closes the connection instead of answering.
    ServeThenDrop,
    /// Does nothing, answers with this error (Produce and Fetch: for every partition).
    Refuse(i16),
    /// Does it, but answers with this error.
    ServeThenRefuse(i16),
    /// Never answers.
    Ignore,
    /// Answers with these bytes as a whole frame's length and body.
    Garbage(&'static [u8]),
}

/// One request as the script sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) api_key: i16,
    pub(crate) api_version: i16,
    /// How many requests of this key came before, on all connections.
    pub(crate) number: usize,
    /// Which connection.
    pub(crate) connection: usize,
}

type Script = Box<dyn FnMut(Seen) -> Act + Send>;

#[derive(Default)]
pub(crate) struct Producer {
    epoch: i16,
    /// (base sequence, last sequence, base offset) of the last five batches.
    batches: Vec<(i32, i32, i64)>,
}

/// A partition's log.
#[derive(Default)]
pub(crate) struct Partition {
    /// Whole batches with their offsets.
    pub(crate) batches: Vec<(i64, Vec<u8>)>,
    pub(crate) end: i64,
    pub(crate) start: i64,
    producers: HashMap<i64, Producer>,
}

impl Partition {
    /// Appends one batch, with a broker's checks.
    pub(crate) fn append(&mut self, batch: &[u8]) -> Result<i64, ErrorCode> {
        let parsed = BatchIter::new(batch).next().unwrap().unwrap();
        parsed.check_crc().map_err(|_| ErrorCode::CORRUPT_MESSAGE)?;
        let header = parsed.header;
        let base_offset = self.end;
        if header.producer_id >= 0 {
            let producer = self.producers.entry(header.producer_id).or_default();
            if header.producer_epoch < producer.epoch {
                return Err(ErrorCode::INVALID_PRODUCER_EPOCH);
            }
            if header.producer_epoch > producer.epoch {
                producer.batches.clear();
            }
            let (first, last) = (header.base_sequence, header.last_sequence());
            if let Some(known) = producer
                .batches
                .iter()
                .find(|known| known.0 == first && known.1 == last)
            {
                return Ok(known.2);
            }
            let expected = producer.batches.last().map_or(0, |known| add_sequence(known.1, 1));
            if first != expected {
                return Err(ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER);
            }
            producer.epoch = header.producer_epoch;
            producer.batches.push((first, last, base_offset));
            if producer.batches.len() > 5 {
                producer.batches.remove(0);
            }
        }
        let mut bytes = batch.to_vec();
        patch::set_base_offset(&mut bytes, base_offset).unwrap();
        patch::set_leader_epoch(&mut bytes, 3).unwrap();
        self.end += i64::from(header.record_count);
        self.batches.push((base_offset, bytes));
        Ok(base_offset)
    }

    /// Whole batches from the one with `offset` on, at least one.
    fn read(&self, offset: i64, limit: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (base, batch) in &self.batches {
            let last = base + i64::from(BatchIter::new(batch).next().unwrap().unwrap().header.last_offset_delta);
            if last < offset {
                continue;
            }
            if !bytes.is_empty() && bytes.len() + batch.len() > limit {
                break;
            }
            bytes.extend_from_slice(batch);
        }
        bytes
    }

    /// Forgets what it knows of producers, as a broker does that lost them.
    pub(crate) fn forget_producers(&mut self) {
        self.producers.clear();
    }

    /// All values, in order.
    pub(crate) fn values(&self) -> Vec<Vec<u8>> {
        let mut values = Vec::new();
        for (_, bytes) in &self.batches {
            let batch = BatchIter::new(bytes).next().unwrap().unwrap();
            let mut scratch = Vec::new();
            let payload = batch.decompress_into(&mut scratch, 1 << 26).unwrap();
            for record in RecordIter::new(&batch.header, payload) {
                values.push(record.unwrap().value.unwrap_or_default().to_vec());
            }
        }
        values
    }
}

pub(crate) struct State {
    pub(crate) partitions: BTreeMap<i32, Partition>,
    pub(crate) script: Script,
    pub(crate) counts: HashMap<i16, usize>,
    pub(crate) versions: Vec<(i16, i16, i16)>,
    pub(crate) metadata_error: i16,
    pub(crate) leader: i32,
    /// Bodies of requests that the broker knows nothing about, by key.
    pub(crate) other: Vec<(i16, i16, Vec<u8>)>,
    /// What they are answered with.
    pub(crate) other_answer: Vec<u8>,
    /// The fetch session, if there is one; every client has its own broker here.
    pub(crate) session: FetchSession,
    /// The epoch of the leader, and where each epoch before it ends.
    pub(crate) leader_epoch: i32,
    pub(crate) epoch_ends: BTreeMap<i32, i64>,
    /// Ids and ports of all brokers; none for this one alone, as 1.
    pub(crate) brokers: Vec<(i32, u16)>,
    /// The replica that consumers of this rack are told to read from (KIP-392).
    pub(crate) preferred: Option<(&'static str, i32)>,
    next_producer_id: i64,
}

pub(crate) struct FakeBroker {
    pub(crate) port: u16,
    pub(crate) state: Arc<Mutex<State>>,
    is_stopping: Arc<AtomicBool>,
    connections: Arc<Mutex<Vec<TcpStream>>>,
    acceptor: Option<JoinHandle<()>>,
}

impl FakeBroker {
    pub(crate) fn start(partitions: i32, script: impl FnMut(Seen) -> Act + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let versions = api::apis()
            .iter()
            .map(|api| (api.key, api.version_min, api.version_max))
            .collect();
        let state = Arc::new(Mutex::new(State {
            partitions: (0..partitions).map(|index| (index, Partition::default())).collect(),
            script: Box::new(script),
            counts: HashMap::new(),
            versions,
            metadata_error: 0,
            leader: 1,
            other: Vec::new(),
            other_answer: Vec::new(),
            session: FetchSession::default(),
            leader_epoch: 3,
            epoch_ends: BTreeMap::new(),
            brokers: Vec::new(),
            preferred: None,
            next_producer_id: 1000,
        }));
        let is_stopping = Arc::new(AtomicBool::new(false));
        let connections: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let acceptor = {
            let (state, is_stopping, connections) =
                (Arc::clone(&state), Arc::clone(&is_stopping), Arc::clone(&connections));
            std::thread::spawn(move || accept(&listener, port, &state, &is_stopping, &connections))
        };
        Self {
            port,
            state,
            is_stopping,
            connections,
            acceptor: Some(acceptor),
        }
    }

    /// A broker that does what brokers do.
    pub(crate) fn obedient(partitions: i32) -> Self {
        Self::start(partitions, |_| Act::Serve)
    }

    pub(crate) fn count(&self, api_key: i16) -> usize {
        self.state.lock().unwrap().counts.get(&api_key).copied().unwrap_or(0)
    }

    pub(crate) fn values(&self, partition: i32) -> Vec<Vec<u8>> {
        self.state.lock().unwrap().partitions[&partition].values()
    }
}

impl Drop for FakeBroker {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        for connection in self.connections.lock().unwrap().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn accept(
    listener: &TcpListener,
    port: u16,
    state: &Arc<Mutex<State>>,
    is_stopping: &Arc<AtomicBool>,
    connections: &Arc<Mutex<Vec<TcpStream>>>,
) {
    let number = AtomicUsize::new(0);
    for stream in listener.incoming() {
        if is_stopping.load(Ordering::SeqCst) {
            return;
        }
        let stream = stream.unwrap();
        stream.set_nodelay(true).unwrap();
        connections.lock().unwrap().push(stream.try_clone().unwrap());
        let state = Arc::clone(state);
        let connection = number.fetch_add(1, Ordering::SeqCst);
        std::thread::spawn(move || serve(stream, port, &state, connection));
    }
}

/// Serves one connection until either side closes it.
fn serve(mut stream: TcpStream, port: u16, state: &Arc<Mutex<State>>, connection: usize) {
    loop {
        let mut length = [0; 4];
        if stream.read_exact(&mut length).is_err() {
            return;
        }
        let mut frame = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
        if stream.read_exact(&mut frame).is_err() {
            return;
        }
        let (header, body) = decode_request_header(&frame).unwrap();
        let (api_key, api_version) = (header.api_key, header.api_version);
        let mut state = state.lock().unwrap();
        let count = state.counts.entry(api_key).or_default();
        let seen = Seen {
            api_key,
            api_version,
            number: *count,
            connection,
        };
        *count += 1;
        let act = if api_key == api::API_VERSIONS {
            Act::Serve
        } else {
            (state.script)(seen)
        };
        if act == Act::Drop {
            let _ = stream.shutdown(Shutdown::Both);
            return;
        }
        let answer = answer(&mut state, port, api_key, api_version, body, act);
        drop(state);
        match act {
            Act::Ignore => continue,
            Act::ServeThenDrop => {
                let _ = stream.shutdown(Shutdown::Both);
                return;
            }
            Act::Garbage(bytes) => {
                let _ = stream.write_all(bytes);
                continue;
            }
            _ => {}
        }
        // Produce with acks=0 has no answer.
        let Some(answer) = answer else { continue };
        let mut out = vec![0; 4];
        encode_response_header(&mut out, api_key, api_version, header.correlation_id);
        out.extend_from_slice(&answer);
        let length = u32::try_from(out.len() - 4).unwrap();
        out[..4].copy_from_slice(&length.to_be_bytes());
        if stream.write_all(&out).is_err() {
            return;
        }
    }
}

fn answer(state: &mut State, port: u16, key: i16, version: i16, body: &[u8], act: Act) -> Option<Vec<u8>> {
    let mut reader = Reader::new(body);
    match key {
        api::API_VERSIONS => versions(state, version),
        api::METADATA => Some(metadata(state, port, version, &mut reader)),
        api::INIT_PRODUCER_ID => {
            state.next_producer_id += 1;
            let error_code = if let Act::Refuse(code) = act { code } else { 0 };
            let response = InitProducerIdResponse {
                error_code,
                producer_id: state.next_producer_id,
                ..Default::default()
            };
            response.to_bytes(version).ok()
        }
        api::PRODUCE => produce(state, version, &mut reader, act),
        api::FETCH => Some(fetch(state, version, &mut reader, act)),
        api::OFFSET_FOR_LEADER_EPOCH => Some(epoch_ends(state, version, &mut reader)),
        api::FIND_COORDINATOR => coordinator(port, version, &mut reader, act),
        _ => {
            state.other.push((key, version, body.to_vec()));
            Some(state.other_answer.clone())
        }
    }
}

fn versions(state: &State, version: i16) -> Option<Vec<u8>> {
    let served = state
        .versions
        .iter()
        .find(|range| range.0 == api::API_VERSIONS)
        .copied()
        .unwrap_or((api::API_VERSIONS, 0, 0));
    let is_served = version <= served.2;
    let api_keys = state.versions.iter();
    let response = ApiVersionsResponse {
        error_code: if is_served {
            0
        } else {
            ErrorCode::UNSUPPORTED_VERSION.code()
        },
        api_keys: api_keys
            .map(|range| ApiVersion {
                api_key: range.0,
                min_version: range.1,
                max_version: range.2,
            })
            .collect(),
        ..Default::default()
    };
    response.to_bytes(if is_served { version } else { 0 }).ok()
}

fn coordinator(port: u16, version: i16, reader: &mut Reader<'_>, act: Act) -> Option<Vec<u8>> {
    let request = FindCoordinatorRequest::decode(reader, version).unwrap();
    let error_code = if let Act::Refuse(code) = act { code } else { 0 };
    let key = request.coordinator_keys.first().copied().unwrap_or(request.key);
    let host = "127.0.0.1";
    let port = i32::from(port);
    let response = if version >= 4 {
        let found = Coordinator {
            key,
            node_id: 1,
            host,
            port,
            error_code,
            ..Default::default()
        };
        FindCoordinatorResponse {
            coordinators: vec![found],
            ..Default::default()
        }
    } else {
        FindCoordinatorResponse {
            node_id: 1,
            host,
            port,
            error_code,
            ..Default::default()
        }
    };
    response.to_bytes(version).ok()
}

fn metadata(state: &State, port: u16, version: i16, reader: &mut Reader<'_>) -> Vec<u8> {
    let request = MetadataRequest::decode(reader, version).unwrap();
    let topic = |name| MetadataResponseTopic {
        error_code: state.metadata_error,
        name: Some(name),
        topic_id: if version >= 10 { TOPIC_ID } else { [0; 16] },
        partitions: state
            .partitions
            .keys()
            .map(|index| MetadataResponsePartition {
                partition_index: *index,
                leader_id: state.leader,
                leader_epoch: state.leader_epoch,
                error_code: if state.leader < 0 {
                    ErrorCode::LEADER_NOT_AVAILABLE.code()
                } else {
                    0
                },
                ..Default::default()
            })
            .collect(),
        ..Default::default()
    };
    let topics: Vec<_> = request
        .topics
        .unwrap_or_default()
        .iter()
        .filter_map(|asked| asked.name)
        .collect();
    let alone = [(1, port)];
    let brokers = if state.brokers.is_empty() {
        alone.as_slice()
    } else {
        &state.brokers
    };
    let response = MetadataResponse {
        brokers: brokers
            .iter()
            .map(|(node_id, port)| MetadataResponseBroker {
                node_id: *node_id,
                host: "127.0.0.1",
                port: i32::from(*port),
                rack: None,
            })
            .collect(),
        cluster_id: Some("fake"),
        controller_id: 1,
        topics: topics.into_iter().map(topic).collect(),
        ..Default::default()
    };
    response.to_bytes(version).unwrap()
}

fn produce(state: &mut State, version: i16, reader: &mut Reader<'_>, act: Act) -> Option<Vec<u8>> {
    let request = ProduceRequest::decode(reader, version).unwrap();
    let mut responses = Vec::new();
    for topic in &request.topic_data {
        let mut partitions = Vec::new();
        for data in &topic.partition_data {
            let mut answer = PartitionProduceResponse {
                index: data.index,
                ..Default::default()
            };
            if !matches!(act, Act::Refuse(_) | Act::Ignore) {
                let log = state.partitions.get_mut(&data.index).unwrap();
                match log.append(data.records.as_bytes().unwrap()) {
                    Ok(offset) => answer.base_offset = offset,
                    Err(code) => answer.error_code = code.code(),
                }
            }
            if let Act::Refuse(code) | Act::ServeThenRefuse(code) = act {
                answer.error_code = code;
            }
            partitions.push(answer);
        }
        responses.push(TopicProduceResponse {
            name: topic.name,
            topic_id: topic.topic_id,
            partition_responses: partitions,
        });
    }
    (request.acks != 0).then(|| {
        ProduceResponse {
            responses,
            ..Default::default()
        }
        .to_bytes(version)
        .unwrap()
    })
}

/// Where epochs end, as the broker's script has it; an epoch that it has no word for is unknown.
fn epoch_ends(state: &State, version: i16, reader: &mut Reader<'_>) -> Vec<u8> {
    let request = OffsetForLeaderEpochRequest::decode(reader, version).unwrap();
    assert_eq!(request.replica_id, -1, "a consumer asks");
    let mut partitions = Vec::new();
    for asked in request.topics.iter().flat_map(|topic| &topic.partitions) {
        let found = state.epoch_ends.range(..=asked.leader_epoch).next_back();
        partitions.push(EpochEndOffset {
            error_code: 0,
            partition: asked.partition,
            leader_epoch: found.map_or(-1, |(epoch, _)| *epoch),
            end_offset: found.map_or(-1, |(_, end)| *end),
        });
    }
    let topics = vec![OffsetForLeaderTopicResult { topic: "t", partitions }];
    OffsetForLeaderEpochResponse {
        topics,
        ..Default::default()
    }
    .to_bytes(version)
    .unwrap()
}
