//! Produce, key 0, versions 3 to 13 (0 to 2 are advertised and refused, as Kafka does for old librdkafka).
//!
//! Kept: acks 0, 1 and all, an error per partition with the refused records (KIP-467), exactly one batch per partition,
//! zstd only since version 7 (KIP-110), the leader in the answer when it is another (KIP-951), an acknowledgement that
//! waits for the flush its append made due. Left out: transactions, which are refused. What runs on the reactor and what
//! on helpers is `append_lane`'s to say.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use barnabas_log::{AppendError, AppendInfo, AppendOrigin};
use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_records::{BatchHeader, Compression, LOG_OVERHEAD, MAGIC_V2};
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::produce::{
    BatchIndexAndErrorMessage, LeaderIdAndEpoch, NodeEndpoint, PartitionProduceData, PartitionProduceResponse,
    ProduceRequest, ProduceResponse, TopicProduceResponse,
};
use barnabas_wire::primitives::{Reader, Uuid};
use barnabas_wire::{Result as WireResult, messages::Records, primitives::Writer};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::broker::Broker;
use crate::dispatch::Peer;
use crate::image::{Image, Topic};
use crate::partition::Partition;
use crate::purgatory::Parked;
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;

/// The client id with which Kafka's tools may write to internal topics.
const ADMIN_CLIENT_ID: &str = "__admin_client";
const ACKS_ALL: i16 = -1;
/// Where a batch's magic stands, in every version of the format.
const MAGIC_POSITION: usize = 16;
/// Least length that a batch of any version may declare.
const LEGACY_RECORD_OVERHEAD: usize = 14;

/// Least capacity of a buffer that an append's records are copied to.
const APPEND_BUFFER_BYTES_MIN: usize = 32 * 1024;

/// A request whose names are resolved.
struct Plan {
    acks: i16,
    timeout: Duration,
    topics: Vec<PlannedTopic>,
}

struct PlannedTopic {
    name: Arc<str>,
    id: Uuid,
    partitions: Vec<Planned>,
}

struct Planned {
    index: i32,
    target: Result<(Arc<Partition>, Range<usize>), Refusal>,
}

/// Why a partition's batch was not appended.
struct Refusal {
    error: ErrorCode,
    message: Option<String>,
    log_start_offset: i64,
    records: Vec<(i32, String)>,
    leader: LeaderIdAndEpoch,
}

impl From<ErrorCode> for Refusal {
    fn from(error: ErrorCode) -> Self {
        Self {
            error,
            message: None,
            log_start_offset: -1,
            records: Vec::new(),
            leader: LeaderIdAndEpoch::default(),
        }
    }
}

struct Done {
    name: Arc<str>,
    id: Uuid,
    partitions: Vec<DonePartition>,
}

struct DonePartition {
    index: i32,
    result: Result<(AppendInfo, Arc<Partition>), Refusal>,
}

/// An append that a helper runs; its outcome goes to `done[topic].partitions[partition]`.
struct Pending {
    topic: usize,
    partition: usize,
    outcome: oneshot::Receiver<Result<(AppendInfo, Arc<Partition>), Refusal>>,
}

/// Handles a request. `body` lies in `frame` and is patched in place by the append. Partitions whose disk keeps up are
/// appended to here and now, the others on helpers; the answer waits for all of them.
pub(crate) fn handle(
    broker: &Arc<Broker>,
    peer: &Peer,
    client_is_admin: bool,
    to: ReplyTo,
    body: &mut [u8],
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    broker.metrics.produce_requests.increment();
    let image = broker.image();
    let Ok(plan) = plan(&image, client_is_admin, to.api_version, body) else {
        return broker.refuse();
    };
    let answer = Answer {
        to,
        acks: plan.acks,
        deadline: Instant::now() + plan.timeout,
    };
    let (mut done, pending) = append_all(broker, plan.topics, body);
    if pending.is_empty() {
        return match plan.acks {
            // There is no answer to carry the error, so Kafka closes the connection to make the client look again.
            0 if any_refused(&done) => Outcome::Close,
            0 => Outcome::Silent,
            _ => acknowledge(broker, peer, &image, answer, done, response),
        };
    }
    let broker = Arc::clone(broker);
    let listener = Arc::clone(&peer.listener);
    Outcome::Wait(Box::pin(async move {
        for append in pending {
            // A helper that is gone without a word was ended by the broker's stop.
            let outcome = append.outcome.await;
            let outcome = outcome.unwrap_or_else(|_| Err(ErrorCode::NOT_LEADER_OR_FOLLOWER.into()));
            if let Some(topic) = done.get_mut(append.topic)
                && let Some(partition) = topic.partitions.get_mut(append.partition)
            {
                partition.result = outcome;
            }
        }
        if answer.acks == 0 {
            return (!any_refused(&done)).then(Response::new);
        }
        let flushes = begin_flushes(&broker, &done);
        finish(broker, listener, answer, done, flushes).await
    }))
}

fn any_refused(done: &[Done]) -> bool {
    let mut partitions = done.iter().flat_map(|topic| &topic.partitions);
    partitions.any(|partition| partition.result.is_err())
}

/// Appends what can be appended here and gives the rest to helpers.
fn append_all(broker: &Arc<Broker>, topics: Vec<PlannedTopic>, body: &mut [u8]) -> (Vec<Done>, Vec<Pending>) {
    let now_ms = broker.wall_clock_ms();
    let mut pending = Vec::new();
    let mut append_one = |topic, index, (partition, range): (Arc<Partition>, Range<usize>)| {
        let records = body.get_mut(range).ok_or(ErrorCode::UNKNOWN_SERVER_ERROR)?;
        if !partition.lane.is_slow() {
            let (result, took) = append(broker, &partition, records, now_ms);
            if partition.lane.note(took, broker.options.slow_append) {
                broker.metrics.partitions_slowed.increment();
            }
            return result.map(|info| (info, partition));
        }
        pending.push(Pending {
            topic,
            partition: index,
            outcome: append_on_helper(broker, partition, records, now_ms),
        });
        // Overwritten when the helper is done.
        Err(ErrorCode::UNKNOWN_SERVER_ERROR.into())
    };
    let mut done = Vec::with_capacity(topics.len());
    for (at, topic) in topics.into_iter().enumerate() {
        let mut partitions = Vec::with_capacity(topic.partitions.len());
        for (index, planned) in topic.partitions.into_iter().enumerate() {
            partitions.push(DonePartition {
                index: planned.index,
                result: planned.target.and_then(|target| append_one(at, index, target)),
            });
        }
        done.push(Done {
            name: topic.name,
            id: topic.id,
            partitions,
        });
    }
    (done, pending)
}

/// Lets the partition's lane append; the records are copied, since the connection needs its buffer.
fn append_on_helper(
    broker: &Arc<Broker>,
    partition: Arc<Partition>,
    records: &[u8],
    now_ms: i64,
) -> oneshot::Receiver<Result<(AppendInfo, Arc<Partition>), Refusal>> {
    let (sender, receiver) = oneshot::channel();
    broker.metrics.appends_on_helpers.increment();
    let lane = Arc::clone(&partition.lane);
    let mut records = {
        let mut copy = broker
            .append_buffers
            .take(records.len().max(APPEND_BUFFER_BYTES_MIN).next_power_of_two());
        copy.extend_from_slice(records);
        copy
    };
    let job = {
        let broker = Arc::clone(broker);
        move || {
            let (result, took) = append(&broker, &partition, &mut records, now_ms);
            broker.append_buffers.give(records);
            // The connection may be gone; what was appended stays.
            let _ = sender.send(result.map(|info| (info, partition)));
            took
        }
    };
    lane.run(&broker.append_helpers, broker.options.slow_append, Box::new(job));
    receiver
}

fn plan(image: &Image, client_is_admin: bool, version: i16, body: &[u8]) -> WireResult<Plan> {
    let request = ProduceRequest::decode(&mut Reader::new(body), version)?;
    let verdict = judge(&request);
    let topics = request.topic_data.iter().map(|topic_data| {
        let topic = if version >= 13 {
            image.topic_by_id(&topic_data.topic_id)
        } else {
            image.topic(topic_data.name)
        };
        let partitions = topic_data.partition_data.iter().map(|data| {
            let target = match verdict {
                Some((error, message)) => Err(Refusal {
                    message: message.map(str::to_owned),
                    ..error.into()
                }),
                None => resolve(topic, data, version, body, request.acks, client_is_admin),
            };
            Planned {
                index: data.index,
                target,
            }
        });
        PlannedTopic {
            name: topic.map_or_else(|| Arc::from(topic_data.name), |topic| Arc::clone(&topic.name)),
            id: topic_data.topic_id,
            partitions: partitions.collect(),
        }
    });
    Ok(Plan {
        acks: request.acks,
        timeout: Duration::from_millis(u64::try_from(request.timeout_ms).unwrap_or(0)),
        topics: topics.collect(),
    })
}

/// What refuses a request as a whole. Kafka finds both when it looks for transactional records before all else: it takes
/// those without an id for a lack of rights; with one, they are what is not served here.
fn judge(request: &ProduceRequest<'_>) -> Option<(ErrorCode, Option<&'static str>)> {
    let partitions = request.topic_data.iter().flat_map(|topic| &topic.partition_data);
    let mut is_transactional = false;
    for bytes in partitions.filter_map(|data| data.records.as_bytes()) {
        if let Err(error) = batch_len(bytes) {
            return Some((error, Some("the length or the magic of a record batch is not valid")));
        }
        is_transactional |= BatchHeader::parse(bytes).is_ok_and(|header| header.is_transactional());
    }
    match request.transactional_id {
        _ if !is_transactional => None,
        None => Some((ErrorCode::TRANSACTIONAL_ID_AUTHORIZATION_FAILED, None)),
        Some(_) => Some((
            ErrorCode::INVALID_TXN_STATE,
            Some("transactions are not served by this broker"),
        )),
    }
}

/// The partition and the place of its batch in `body`; checks come in Kafka's order.
fn resolve(
    topic: Option<&Arc<Topic>>,
    data: &PartitionProduceData<'_>,
    version: i16,
    body: &[u8],
    acks: i16,
    client_is_admin: bool,
) -> Result<(Arc<Partition>, Range<usize>), Refusal> {
    let unknown = if version >= 13 {
        ErrorCode::UNKNOWN_TOPIC_ID
    } else {
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
    };
    let topic = topic.ok_or(unknown)?;
    let entry = topic
        .partition(data.index)
        .ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    let batch = locate(body, data.records, version)?;
    if !(-1..=1).contains(&acks) {
        return Err(ErrorCode::INVALID_REQUIRED_ACKS.into());
    }
    if topic.is_internal && !client_is_admin {
        return Err(ErrorCode::INVALID_TOPIC_EXCEPTION.into());
    }
    match entry.usable() {
        Err(ErrorCode::KAFKA_STORAGE_ERROR) => Err(ErrorCode::KAFKA_STORAGE_ERROR.into()),
        Ok(partition) if partition.is_leader() => {
            if acks == ACKS_ALL && entry.state.isr.len() < topic.min_insync_replicas {
                return Err(ErrorCode::NOT_ENOUGH_REPLICAS.into());
            }
            Ok((Arc::clone(partition), batch))
        }
        _ => {
            let leader = LeaderIdAndEpoch {
                leader_id: entry.state.leader,
                leader_epoch: entry.state.leader_epoch,
            };
            Err(Refusal {
                leader,
                ..ErrorCode::NOT_LEADER_OR_FOLLOWER.into()
            })
        }
    }
}

/// Where the one batch that a request may carry for a partition lies in `body`. Bytes behind it that make no further
/// batch are left out, as in Kafka.
fn locate(body: &[u8], records: Records<'_>, version: i16) -> Result<Range<usize>, ErrorCode> {
    let bytes = records.as_bytes().unwrap_or_default();
    let len = batch_len(bytes)?.ok_or(ErrorCode::INVALID_RECORD)?;
    let (batch, rest) = bytes.split_at_checked(len).ok_or(ErrorCode::INVALID_RECORD)?;
    if batch.get(MAGIC_POSITION).copied() != Some(MAGIC_V2.cast_unsigned()) {
        return Err(ErrorCode::INVALID_RECORD);
    }
    let codec = BatchHeader::parse(batch)
        .ok()
        .and_then(|header| header.compression().ok());
    if version < 7 && codec == Some(Compression::Zstd) {
        return Err(ErrorCode::UNSUPPORTED_COMPRESSION_TYPE);
    }
    if batch_len(rest)?.is_some() {
        return Err(ErrorCode::INVALID_RECORD);
    }
    let begin = bytes.as_ptr().addr().wrapping_sub(body.as_ptr().addr());
    Ok(begin..begin + len)
}

/// Length of the batch at the front, `None` when the bytes end before it does, by Kafka's rules.
fn batch_len(bytes: &[u8]) -> Result<Option<usize>, ErrorCode> {
    let Some(length) = bytes.get(LOG_OVERHEAD - 4..).and_then(|rest| rest.first_chunk()) else {
        return Ok(None);
    };
    let length = usize::try_from(i32::from_be_bytes(*length)).map_err(|_| ErrorCode::CORRUPT_MESSAGE)?;
    if length < LEGACY_RECORD_OVERHEAD {
        return Err(ErrorCode::CORRUPT_MESSAGE);
    }
    match bytes.get(MAGIC_POSITION) {
        Some(magic) if *magic > MAGIC_V2.cast_unsigned() => Err(ErrorCode::CORRUPT_MESSAGE),
        Some(_) => Ok(Some(length + LOG_OVERHEAD).filter(|len| *len <= bytes.len())),
        None => Ok(None),
    }
}

/// Appends one partition's batch and says how long the log took.
fn append(
    broker: &Broker,
    partition: &Arc<Partition>,
    records: &mut [u8],
    now_ms: i64,
) -> (Result<AppendInfo, Refusal>, Duration) {
    let begin = (broker.stopwatch)();
    let appended = partition.append(records, partition.leader_epoch(), now_ms, AppendOrigin::Client);
    let took = (broker.stopwatch)().saturating_sub(begin);
    let result = match appended {
        Ok(mut info) => {
            broker.metrics.produce_bytes.add_len(info.bytes);
            if info.duplicate {
                broker.metrics.duplicate_batches.increment();
                if info.log_append_time < 0 {
                    // Kafka answers a duplicate with the first one's time, which is this one's too.
                    info.log_append_time = BatchHeader::parse(records).map_or(-1, |header| header.max_timestamp);
                }
            }
            if info.rolled {
                broker.flush_sealed(partition);
            }
            Ok(info)
        }
        Err(error) => {
            broker.metrics.produce_errors.increment();
            Err(refusal(partition, &error))
        }
    };
    (result, took)
}

fn refusal(partition: &Partition, error: &AppendError) -> Refusal {
    let code = match error {
        // Kafka does not foresee a codec that is none of its own.
        AppendError::UnknownCodec { .. } => ErrorCode::UNKNOWN_SERVER_ERROR,
        _ => ErrorCode(error.code()),
    };
    // Kafka tells the log's start only with errors that come from looking at the records.
    let looked = !matches!(
        code,
        ErrorCode::CORRUPT_MESSAGE
            | ErrorCode::MESSAGE_TOO_LARGE
            | ErrorCode::KAFKA_STORAGE_ERROR
            | ErrorCode::NOT_LEADER_OR_FOLLOWER
    );
    if code == ErrorCode::KAFKA_STORAGE_ERROR {
        log::error!("append to {}-{} failed: {error}", partition.topic, partition.index);
    }
    let records: Vec<_> = error
        .record_errors()
        .iter()
        .map(|record| (record.batch_index, record.message.clone()))
        .collect();
    // And it has a message only where it can name records (KIP-467).
    let message = (!records.is_empty()).then(|| error.to_string());
    let log_start_offset = if looked { partition.log.log_start_offset() } else { -1 };
    Refusal {
        message,
        log_start_offset,
        records,
        ..code.into()
    }
}

/// How a request wants to be answered.
#[derive(Clone, Copy)]
struct Answer {
    to: ReplyTo,
    acks: i16,
    deadline: Instant,
}

/// Answers at once if nothing has to be waited for.
fn acknowledge(
    broker: &Arc<Broker>,
    peer: &Peer,
    image: &Image,
    answer: Answer,
    done: Vec<Done>,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let flushes = begin_flushes(broker, &done);
    let is_open =
        answer.acks == ACKS_ALL && appended(&done).any(|(info, partition)| !partition.is_committed(info.last_offset));
    if flushes.is_empty() && !is_open {
        let endpoints = endpoints(image, &peer.listener, &done);
        let version = answer.to.api_version;
        return reply::write(response, answer.to, |writer| encode(&done, &endpoints, version, writer));
    }
    let (broker, listener) = (Arc::clone(broker), Arc::clone(&peer.listener));
    Outcome::Wait(Box::pin(finish(broker, listener, answer, done, flushes)))
}

/// What was appended, and where.
fn appended(done: &[Done]) -> impl Iterator<Item = &(AppendInfo, Arc<Partition>)> {
    let partitions = done.iter().flat_map(|topic| &topic.partitions);
    partitions.filter_map(|done| done.result.as_ref().ok())
}

/// Begins the flushes that the appends made due.
fn begin_flushes(broker: &Broker, done: &[Done]) -> Vec<oneshot::Receiver<ErrorCode>> {
    appended(done)
        .filter(|(info, _)| info.flush_due)
        .map(|(_, partition)| broker.flush(partition))
        .collect()
}

/// Waits for flushes and for the in-sync replicas, and answers.
async fn finish(
    broker: Arc<Broker>,
    listener: Arc<str>,
    answer: Answer,
    mut done: Vec<Done>,
    flushes: Vec<oneshot::Receiver<ErrorCode>>,
) -> Option<Response<StoredFile>> {
    let flushed = wait_for_flushes(flushes).await;
    if answer.acks == ACKS_ALL {
        wait_for_commit(&done, answer.deadline).await;
    }
    for partition in done.iter_mut().flat_map(|topic| &mut topic.partitions) {
        let Ok((info, local)) = &partition.result else { continue };
        if info.flush_due && !flushed.is_ok() {
            partition.result = Err(flushed.into());
        } else if answer.acks == ACKS_ALL && !local.is_committed(info.last_offset) {
            partition.result = Err(ErrorCode::REQUEST_TIMED_OUT.into());
        }
    }
    let image = broker.image();
    let endpoints = endpoints(&image, &listener, &done);
    let version = answer.to.api_version;
    reply::late(answer.to, |writer| encode(&done, &endpoints, version, writer))
}

/// The first error of the flushes, if there is one.
async fn wait_for_flushes(flushes: Vec<oneshot::Receiver<ErrorCode>>) -> ErrorCode {
    let mut first = ErrorCode::NONE;
    for flush in flushes {
        let code = flush.await.unwrap_or(ErrorCode::KAFKA_STORAGE_ERROR);
        if first.is_ok() {
            first = code;
        }
    }
    first
}

/// Waits until the high watermarks have passed what was appended, or the deadline.
async fn wait_for_commit(done: &[Done], deadline: Instant) {
    let appended = || appended(done);
    let parked = Parked::new(appended().map(|(_, partition)| Arc::clone(partition)).collect(), 1);
    while appended().any(|(info, partition)| !partition.is_committed(info.last_offset) && partition.is_leader()) {
        if tokio::time::timeout_at(deadline, parked.woken()).await.is_err() {
            return;
        }
        parked.expect(1);
    }
}

/// A broker's id, host, port and rack.
type Endpoint = (i32, String, u16, Option<String>);

/// Where the leaders are that the refusals name.
fn endpoints(image: &Image, listener: &str, done: &[Done]) -> Vec<Endpoint> {
    let refusals = done
        .iter()
        .flat_map(|topic| &topic.partitions)
        .filter_map(|done| done.result.as_ref().err());
    let mut leaders: Vec<i32> = refusals
        .map(|refusal| refusal.leader.leader_id)
        .filter(|id| *id >= 0)
        .collect();
    leaders.sort_unstable();
    leaders.dedup();
    let found = leaders.into_iter().filter_map(|id| {
        let broker = image.brokers.get(&id)?;
        let endpoint = broker.endpoint(listener)?;
        Some((id, endpoint.host.clone(), endpoint.port, broker.rack.clone()))
    });
    found.collect()
}

fn encode(done: &[Done], endpoints: &[Endpoint], version: i16, writer: &mut Writer) -> WireResult<()> {
    let responses = done.iter().map(|topic| TopicProduceResponse {
        name: &topic.name,
        topic_id: topic.id,
        partition_responses: topic
            .partitions
            .iter()
            .map(|done| partition_response(done, version))
            .collect(),
    });
    let node_endpoints = endpoints
        .iter()
        .filter(|_| version >= 10)
        .map(|(node_id, host, port, rack)| NodeEndpoint {
            node_id: *node_id,
            host,
            port: i32::from(*port),
            rack: rack.as_deref(),
        });
    ProduceResponse {
        responses: responses.collect(),
        throttle_time_ms: 0,
        node_endpoints: node_endpoints.collect(),
    }
    .encode(writer, version)
}

fn partition_response(done: &DonePartition, version: i16) -> PartitionProduceResponse<'_> {
    match &done.result {
        Ok((info, _)) => PartitionProduceResponse {
            index: done.index,
            base_offset: info.base_offset,
            log_append_time_ms: info.log_append_time,
            log_start_offset: info.log_start_offset,
            ..PartitionProduceResponse::default()
        },
        Err(refusal) => PartitionProduceResponse {
            index: done.index,
            error_code: refusal.error.code(),
            base_offset: -1,
            log_append_time_ms: -1,
            log_start_offset: refusal.log_start_offset,
            record_errors: refusal
                .records
                .iter()
                .map(|(batch_index, message)| BatchIndexAndErrorMessage {
                    batch_index: *batch_index,
                    batch_index_error_message: Some(message),
                })
                .collect(),
            error_message: refusal.message.as_deref(),
            current_leader: if version >= 10 {
                refusal.leader.clone()
            } else {
                LeaderIdAndEpoch::default()
            },
        },
    }
}

/// Whether a client may write to internal topics.
pub(crate) fn is_admin(client_id: Option<&str>) -> bool {
    client_id == Some(ADMIN_CLIENT_ID)
}
