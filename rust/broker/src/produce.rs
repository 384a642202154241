//! Produce, key 0, versions 3 to 13 (0 to 2 are advertised and refused, as Kafka does for old librdkafka).
//!
//! Kept: acks 0, 1 and all, an error per partition with the refused records (KIP-467), exactly one batch per partition,
//! zstd only since version 7 (KIP-110), the leader in the answer when it is another (KIP-951), an acknowledgement that
//! waits for the flush its append made due. Left out: transactions, which are refused.

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

/// Handles a request. `body` lies in `frame` and is patched in place by the append.
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
    let mut failed = false;
    let now_ms = broker.wall_clock_ms();
    let done: Vec<Done> = plan
        .topics
        .into_iter()
        .map(|topic| Done {
            name: topic.name,
            id: topic.id,
            partitions: topic
                .partitions
                .into_iter()
                .map(|planned| {
                    let result = planned.target.and_then(|target| append(broker, target, body, now_ms));
                    failed |= result.is_err();
                    DonePartition {
                        index: planned.index,
                        result,
                    }
                })
                .collect(),
        })
        .collect();
    match plan.acks {
        // There is no answer to carry the error, so Kafka closes the connection to make the client look again.
        0 if failed => Outcome::Close,
        0 => Outcome::Silent,
        acks => acknowledge(broker, peer, &image, to, acks, plan.timeout, done, response),
    }
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
    match &entry.local {
        Some(partition) if partition.is_leader() => {
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

fn append(
    broker: &Broker,
    (partition, range): (Arc<Partition>, Range<usize>),
    body: &mut [u8],
    now_ms: i64,
) -> Result<(AppendInfo, Arc<Partition>), Refusal> {
    let records = body.get_mut(range).ok_or(ErrorCode::UNKNOWN_SERVER_ERROR)?;
    match partition.append(records, partition.leader_epoch(), now_ms, AppendOrigin::Client) {
        Ok(mut info) => {
            broker.metrics.produce_bytes.add_len(info.bytes);
            if info.duplicate {
                broker.metrics.duplicate_batches.increment();
                // Kafka answers a duplicate with the first one's time, which is this one's too.
                info.log_append_time = BatchHeader::parse(records).map_or(-1, |header| header.max_timestamp);
            }
            if info.rolled {
                broker.flush_sealed(&partition);
            }
            Ok((info, partition))
        }
        Err(error) => {
            broker.metrics.produce_errors.increment();
            Err(refusal(&partition, &error))
        }
    }
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

#[expect(clippy::too_many_arguments, reason = "the parts of one request, used at once")]
fn acknowledge(
    broker: &Arc<Broker>,
    peer: &Peer,
    image: &Image,
    to: ReplyTo,
    acks: i16,
    timeout: Duration,
    mut done: Vec<Done>,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let appended = || {
        done.iter()
            .flat_map(|topic| &topic.partitions)
            .filter_map(|done| done.result.as_ref().ok())
    };
    let flushes: Vec<_> = appended()
        .filter(|(info, _)| info.flush_due)
        .map(|(_, partition)| broker.flush(partition))
        .collect();
    let is_open = acks == ACKS_ALL && appended().any(|(info, partition)| !partition.is_committed(info.last_offset));
    if flushes.is_empty() && !is_open {
        let endpoints = endpoints(image, peer, &done);
        return reply::write(response, to, |writer| encode(&done, &endpoints, to.api_version, writer));
    }
    let deadline = Instant::now() + timeout;
    let broker = Arc::clone(broker);
    let listener = Arc::clone(&peer.listener);
    Outcome::Wait(Box::pin(async move {
        let flushed = wait_for_flushes(flushes).await;
        if acks == ACKS_ALL {
            wait_for_commit(&done, deadline).await;
        }
        for partition in done.iter_mut().flat_map(|topic| &mut topic.partitions) {
            let Ok((info, local)) = &partition.result else { continue };
            if info.flush_due && !flushed.is_ok() {
                partition.result = Err(flushed.into());
            } else if acks == ACKS_ALL && !local.is_committed(info.last_offset) {
                partition.result = Err(ErrorCode::REQUEST_TIMED_OUT.into());
            }
        }
        let image = broker.image();
        let endpoints = endpoints_for(&image, &listener, &done);
        reply::late(to, |writer| encode(&done, &endpoints, to.api_version, writer))
    }))
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
    let appended = || {
        done.iter()
            .flat_map(|topic| &topic.partitions)
            .filter_map(|done| done.result.as_ref().ok())
    };
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

fn endpoints(image: &Image, peer: &Peer, done: &[Done]) -> Vec<Endpoint> {
    endpoints_for(image, &peer.listener, done)
}

/// Where the leaders are that the refusals name.
fn endpoints_for(image: &Image, listener: &str, done: &[Done]) -> Vec<Endpoint> {
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
