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
use barnabas_net::framing::{Frame, PooledBytes};
use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_records::BatchHeader;
use barnabas_wire::Result as WireResult;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::produce::{
    BatchIndexAndErrorMessage, LeaderIdAndEpoch, NodeEndpoint, PartitionProduceResponse, ProduceResponse,
    TopicProduceResponse,
};
use barnabas_wire::primitives::{Uuid, Writer};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::broker::Broker;
use crate::dispatch::Peer;
use crate::image::Image;
use crate::partition::Partition;
use crate::produce_plan::{ACKS_ALL, PlannedTopic, Refusal, plan};
use crate::purgatory::Parked;
use crate::quotas::Charge;
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;
use crate::throttle::told;

/// A request's body, which begins behind the header of its frame.
pub(crate) struct Body<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) begin: usize,
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

/// An append that is left to a helper.
struct Left {
    place: Place,
    partition: Arc<Partition>,
    /// Where its records are in the frame.
    range: Range<usize>,
}

/// `done[topic].partitions[partition]`
#[derive(Clone, Copy)]
struct Place {
    topic: usize,
    partition: usize,
}

/// An append that a helper runs, and where its outcome goes.
struct Pending {
    place: Place,
    outcome: oneshot::Receiver<Result<(AppendInfo, Arc<Partition>), Refusal>>,
}

/// Handles a request; its batches are patched in place by the append. Partitions whose disk keeps up are
/// appended to here and now, the others on helpers; the answer waits for all of them.
pub(crate) fn handle(
    broker: &Arc<Broker>,
    peer: &Peer,
    client_is_admin: bool,
    charge: Option<Charge>,
    to: ReplyTo,
    mut body: Body<'_>,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    broker.metrics.produce_requests.increment();
    let image = broker.image();
    let bytes = body.frame.get(body.begin..).unwrap_or_default();
    let Ok(plan) = plan(&image, client_is_admin, to.api_version, bytes) else {
        return broker.refuse();
    };
    let mut answer = Answer {
        to,
        acks: plan.acks,
        deadline: Instant::now() + plan.timeout,
        charge,
        bytes: bytes.len(),
    };
    let now_ms = broker.wall_clock_ms();
    let (mut done, left) = append_all(broker, plan.topics, &mut body, now_ms);
    let pending = append_on_helpers(broker, left, body.frame, now_ms);
    if pending.is_empty() {
        return match plan.acks {
            // There is no answer to carry the error, so Kafka closes the connection to make the client look again.
            0 if any_refused(&done) => Outcome::Close,
            0 => {
                response.mute_ms = answer.throttle_ms();
                Outcome::Silent
            }
            _ => acknowledge(broker, peer, &image, answer, done, response),
        };
    }
    answer.pause();
    let broker = Arc::clone(broker);
    let listener = Arc::clone(&peer.listener);
    Outcome::Wait(Box::pin(async move {
        for append in pending {
            // A helper that is gone without a word was ended by the broker's stop.
            let outcome = append.outcome.await;
            let outcome = outcome.unwrap_or_else(|_| Err(ErrorCode::NOT_LEADER_OR_FOLLOWER.into()));
            if let Some(topic) = done.get_mut(append.place.topic)
                && let Some(partition) = topic.partitions.get_mut(append.place.partition)
            {
                partition.result = outcome;
            }
        }
        if answer.acks == 0 {
            return (!any_refused(&done)).then(|| {
                let mut silence = Response::new();
                silence.mute_ms = answer.throttle_ms();
                silence
            });
        }
        let flushes = begin_flushes(&broker, &done);
        finish(broker, listener, answer, done, flushes).await
    }))
}

fn any_refused(done: &[Done]) -> bool {
    let mut partitions = done.iter().flat_map(|topic| &topic.partitions);
    partitions.any(|partition| partition.result.is_err())
}

/// Appends what can be appended here; the rest is left to helpers.
fn append_all(
    broker: &Arc<Broker>,
    topics: Vec<PlannedTopic>,
    body: &mut Body<'_>,
    now_ms: i64,
) -> (Vec<Done>, Vec<Left>) {
    let mut left = Vec::new();
    let mut append_one = |place, (partition, range): (Arc<Partition>, Range<usize>)| {
        let range = body.begin + range.start..body.begin + range.end;
        if partition.lane.is_slow() {
            left.push(Left {
                place,
                partition,
                range,
            });
            // Overwritten when the helper is done.
            return Err(ErrorCode::UNKNOWN_SERVER_ERROR.into());
        }
        let records = body.frame.get_mut(range).ok_or(ErrorCode::UNKNOWN_SERVER_ERROR)?;
        let (result, took) = append(broker, &partition, records, now_ms);
        if partition.lane.note(took, broker.options.slow_append) {
            broker.metrics.partitions_slowed.increment();
        }
        result.map(|info| (info, partition))
    };
    let mut done = Vec::with_capacity(topics.len());
    for (at, topic) in topics.into_iter().enumerate() {
        let mut partitions = Vec::with_capacity(topic.partitions.len());
        for (index, planned) in topic.partitions.into_iter().enumerate() {
            let place = Place {
                topic: at,
                partition: index,
            };
            partitions.push(DonePartition {
                index: planned.index,
                result: planned.target.and_then(|target| append_one(place, target)),
            });
        }
        done.push(Done {
            name: topic.name,
            id: topic.id,
            partitions,
        });
    }
    (done, left)
}

/// Lets the partitions' lanes append. The largest batch goes with the buffer that it was read into, the others are copied.
fn append_on_helpers(broker: &Arc<Broker>, mut left: Vec<Left>, frame: Frame<'_>, now_ms: i64) -> Vec<Pending> {
    left.sort_by_key(|append| append.range.len());
    let largest = left.pop();
    let mut pending = Vec::with_capacity(left.len() + 1);
    for append in left {
        let records = frame.copy(append.range.clone());
        pending.push(append_on_helper(broker, append, records, now_ms));
    }
    if let Some(append) = largest {
        let records = frame.give(append.range.clone());
        pending.push(append_on_helper(broker, append, records, now_ms));
    }
    pending
}

/// Lets the partition's lane append.
fn append_on_helper(broker: &Arc<Broker>, left: Left, mut records: PooledBytes, now_ms: i64) -> Pending {
    let (sender, outcome) = oneshot::channel();
    broker.metrics.appends_on_helpers.increment();
    let Left { place, partition, .. } = left;
    let lane = Arc::clone(&partition.lane);
    let job = {
        let broker = Arc::clone(broker);
        move || {
            let (result, took) = append(&broker, &partition, &mut records, now_ms);
            // Before anybody is told, so that the buffer is there for what comes next.
            drop(records);
            // The connection may be gone; what was appended stays.
            let _ = sender.send(result.map(|info| (info, partition)));
            took
        }
    };
    lane.run(&broker.append_helpers, broker.options.slow_append, Box::new(job));
    Pending { place, outcome }
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

/// How a request wants to be answered, and what it is charged for.
struct Answer {
    to: ReplyTo,
    acks: i16,
    deadline: Instant,
    charge: Option<Charge>,
    bytes: usize,
}

impl Answer {
    /// From here on the request waits.
    fn pause(&mut self) {
        if let Some(charge) = &mut self.charge {
            charge.pause();
        }
    }

    /// Charges the request; how long its client has to wait.
    fn throttle_ms(&self) -> u32 {
        let charge = self.charge.as_ref();
        charge.map_or(0, |charge| charge.produce(self.bytes, self.acks != 0))
    }
}

/// Answers at once if nothing has to be waited for.
fn acknowledge(
    broker: &Arc<Broker>,
    peer: &Peer,
    image: &Image,
    mut answer: Answer,
    done: Vec<Done>,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let flushes = begin_flushes(broker, &done);
    let is_open =
        answer.acks == ACKS_ALL && appended(&done).any(|(info, partition)| !partition.is_committed(info.last_offset));
    if flushes.is_empty() && !is_open {
        let endpoints = endpoints(image, &peer.listener, &done);
        let (version, throttle_ms) = (answer.to.api_version, answer.throttle_ms());
        let outcome = reply::write(response, answer.to, |writer| {
            encode(&done, &endpoints, version, throttle_ms, writer)
        });
        response.mute_ms = throttle_ms;
        return outcome;
    }
    answer.pause();
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
    let (version, throttle_ms) = (answer.to.api_version, answer.throttle_ms());
    let mut response = reply::late(answer.to, |writer| {
        encode(&done, &endpoints, version, throttle_ms, writer)
    })?;
    response.mute_ms = throttle_ms;
    Some(response)
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

fn encode(
    done: &[Done],
    endpoints: &[Endpoint],
    version: i16,
    throttle_ms: u32,
    writer: &mut Writer,
) -> WireResult<()> {
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
        throttle_time_ms: told(throttle_ms),
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
