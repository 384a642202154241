//! How what was fetched becomes an answer: brought in line with the session, grouped by topic, with the records apart.

use std::sync::Arc;

use barnabas_log::ReadSlice;
use barnabas_net::framing::FRAME_PREFIX_LEN;
use barnabas_net::part::{FileRange, Response};
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::fetch::{
    EpochEndOffset, FetchRequest, FetchResponse, FetchableTopicResponse, LeaderIdAndEpoch, NodeEndpoint, PartitionData,
};
use barnabas_wire::messages::{Part, Records};
use barnabas_wire::primitives::ZERO_UUID;

use crate::broker::Broker;
use crate::fetch::{Found, FoundPartition, Plan};
use crate::fetch_session::{FetchedTopic, NO_SESSION, SessionContext, Told, Wanted};
use crate::image::Image;
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;
use crate::throttle;

/// The version since which clients know the error of a failed disk.
const STORAGE_ERROR_SINCE: i16 = 6;

/// Refuses a request as a whole.
pub(crate) fn refuse(error: ErrorCode, to: ReplyTo, response: &mut Response<StoredFile>) -> Outcome<StoredFile> {
    let answer = FetchResponse {
        error_code: error.code(),
        ..FetchResponse::default()
    };
    reply::write(response, to, |writer| answer.encode(writer, to.api_version))
}

/// Refuses a request that Kafka stumbles over: up to version 12 the error is told of every partition too.
pub(crate) fn refuse_unforeseen(
    request: &FetchRequest<'_>,
    to: ReplyTo,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let error = ErrorCode::UNKNOWN_SERVER_ERROR;
    let responses = request.topics.iter().filter(|_| to.api_version < 13).map(|asked| {
        let partitions = asked.partitions.iter();
        FetchableTopicResponse {
            topic: asked.topic,
            topic_id: asked.topic_id,
            partitions: partitions
                .map(|partition| refused(partition.partition, error, Some(Vec::new())))
                .collect(),
        }
    });
    let answer = FetchResponse {
        error_code: error.code(),
        session_id: if to.api_version < 7 { 0 } else { request.session_id },
        responses: responses.collect(),
        ..FetchResponse::default()
    };
    reply::write(response, to, |writer| answer.encode(writer, to.api_version))
}

fn refused(
    partition_index: i32,
    error: ErrorCode,
    aborted_transactions: Option<Vec<barnabas_wire::messages::fetch::AbortedTransaction>>,
) -> PartitionData<'static> {
    PartitionData {
        partition_index,
        error_code: error.code(),
        high_watermark: -1,
        aborted_transactions,
        records: Records::Bytes(&[]),
        ..PartitionData::default()
    }
}

/// One partition of an answer before it is known whether the session wants it told.
struct Entry<'a> {
    wanted: &'a Wanted,
    data: PartitionData<'static>,
    slice: Option<&'a ReadSlice>,
}

/// Writes the response; `None` if it cannot be written.
pub(crate) fn write(
    plan: &Plan,
    broker: &Broker,
    image: &Image,
    listener: &str,
    found: &Found,
    response: &mut Response<StoredFile>,
) -> Option<()> {
    let mut entries = entries(plan, found);
    if let Some(charge) = &plan.charge {
        let throttle_ms = charge.fetch(size(&entries, plan, broker)?);
        if throttle_ms > 0 {
            return throttled(plan, broker, throttle_ms, response);
        }
    }
    broker.metrics.fetch_bytes.add_len(found.bytes);
    let (error, session_id) = align(&mut entries, plan, broker);
    let slices: Vec<_> = entries.iter().filter_map(|entry| entry.slice).collect();
    let answer = FetchResponse {
        error_code: error.code(),
        session_id,
        node_endpoints: name_leaders(&mut entries, image, listener, plan),
        responses: by_topic(entries),
        ..FetchResponse::default()
    };
    let parts = answer
        .encode_parts(plan.to.api_version)
        .inspect_err(|error| log::error!("fetch: {error}"))
        .ok()?;
    let mut slices = slices.into_iter();
    reply::begin(response, plan.to);
    for part in parts {
        match part {
            Part::Bytes(bytes) => response.bytes_mut().extend_from_slice(&bytes),
            Part::Records { .. } => {
                let slice = slices.next()?;
                let file = StoredFile(Arc::clone(&slice.file));
                response.push_range(FileRange {
                    file,
                    position: slice.position,
                    len: slice.len,
                });
            }
        }
    }
    Some(())
}

/// How large the answer would be, with its records.
fn size(entries: &[Entry<'_>], plan: &Plan, broker: &Broker) -> Option<usize> {
    let told: Vec<_> = entries.iter().map(|entry| (entry.wanted, told(&entry.data))).collect();
    let is_told = broker.fetch_sessions.would_tell(&plan.session, &told);
    let entries = entries.iter().zip(is_told).filter(|(_, is_told)| *is_told);
    let entries: Vec<_> = entries
        .map(|(entry, _)| Entry {
            data: entry.data.clone(),
            ..*entry
        })
        .collect();
    let records: usize = entries
        .iter()
        .filter_map(|entry| entry.slice)
        .map(|slice| slice.len)
        .sum();
    let answer = FetchResponse {
        responses: by_topic(entries),
        ..FetchResponse::default()
    };
    let parts = answer.encode_parts(plan.to.api_version).ok()?;
    let around = parts.iter().map(|part| match part {
        Part::Bytes(bytes) => bytes.len(),
        Part::Records { .. } => 0,
    });
    Some(FRAME_PREFIX_LEN + around.sum::<usize>() + records)
}

/// Tells a client that it has had too much, and nothing else; its session stays as it is.
fn throttled(plan: &Plan, broker: &Broker, throttle_ms: u32, response: &mut Response<StoredFile>) -> Option<()> {
    let (error, session_id) = broker.fetch_sessions.throttled(&plan.session);
    let answer = FetchResponse {
        throttle_time_ms: throttle::told(throttle_ms),
        error_code: error.code(),
        session_id,
        ..FetchResponse::default()
    };
    let outcome = reply::write(response, plan.to, |writer| answer.encode(writer, plan.to.api_version));
    response.mute_ms = throttle_ms;
    matches!(outcome, Outcome::Reply).then_some(())
}

/// Leaves out what the session need not be told; returns the error and the session's id.
fn align(entries: &mut Vec<Entry<'_>>, plan: &Plan, broker: &Broker) -> (ErrorCode, i32) {
    if matches!(plan.session, SessionContext::Sessionless) {
        return (ErrorCode::NONE, NO_SESSION);
    }
    let told: Vec<_> = entries.iter().map(|entry| (entry.wanted, told(&entry.data))).collect();
    let finished = broker
        .fetch_sessions
        .finish(&plan.session, &told, broker.session_clock_ms());
    if let Some(is_told) = finished.is_told {
        let mut is_told = is_told.into_iter();
        entries.retain(|_| is_told.next().unwrap_or(false));
    }
    (finished.error, finished.id)
}

fn entries<'a>(plan: &'a Plan, found: &'a Found) -> Vec<Entry<'a>> {
    let version = plan.to.api_version;
    let read = plan.partitions.iter().zip(&found.partitions).map(|(planned, result)| {
        let index = planned.wanted.partition;
        Entry {
            wanted: &planned.wanted,
            data: match result {
                Ok(found) => data(index, found),
                Err(ErrorCode::KAFKA_STORAGE_ERROR) if version < STORAGE_ERROR_SINCE => {
                    refused(index, ErrorCode::NOT_LEADER_OR_FOLLOWER, None)
                }
                Err(error) => refused(index, *error, None),
            },
            slice: result.as_ref().ok().and_then(|found| found.slice.as_ref()),
        }
    });
    // Kafka has an empty list of aborted transactions where it did not get as far as reading.
    let unknown = plan.unknown.iter().map(|(wanted, error)| Entry {
        wanted,
        data: refused(wanted.partition, *error, Some(Vec::new())),
        slice: None,
    });
    read.chain(unknown).collect()
}

fn data(partition_index: i32, found: &FoundPartition) -> PartitionData<'static> {
    PartitionData {
        partition_index,
        high_watermark: found.high_watermark,
        last_stable_offset: found.last_stable_offset,
        log_start_offset: found.log_start_offset,
        diverging_epoch: found
            .diverging
            .map_or_else(EpochEndOffset::default, |(epoch, end_offset)| EpochEndOffset {
                epoch,
                end_offset,
            }),
        aborted_transactions: found.aborted.clone(),
        records: match &found.slice {
            Some(slice) => Records::Apart(slice.len),
            None => Records::Bytes(&[]),
        },
        ..PartitionData::default()
    }
}

fn told(data: &PartitionData<'_>) -> Told {
    Told {
        high_watermark: data.high_watermark,
        log_start_offset: data.log_start_offset,
        has_records: !data.records.is_empty(),
        is_notable: data.diverging_epoch.epoch >= 0 || data.preferred_read_replica >= 0,
        is_error: data.error_code != ErrorCode::NONE.code(),
    }
}

/// Names the leader to those who ask the wrong broker or with an old epoch, and returns where the leaders are.
fn name_leaders<'a>(entries: &mut [Entry<'_>], image: &'a Image, listener: &str, plan: &Plan) -> Vec<NodeEndpoint<'a>> {
    let mut leaders = Vec::new();
    for entry in entries.iter_mut().filter(|_| plan.to.api_version >= 16) {
        let is_misled = matches!(
            ErrorCode(entry.data.error_code),
            ErrorCode::NOT_LEADER_OR_FOLLOWER | ErrorCode::FENCED_LEADER_EPOCH
        );
        let name = entry.wanted.topic.name.as_deref().filter(|_| is_misled);
        let partition = name.and_then(|name| image.topic(name)?.partition(entry.wanted.partition));
        if let Some(partition) = partition.filter(|partition| partition.state.leader >= 0) {
            leaders.push(partition.state.leader);
            entry.data.current_leader = LeaderIdAndEpoch {
                leader_id: partition.state.leader,
                leader_epoch: partition.state.leader_epoch,
            };
        }
    }
    if plan.is_follower {
        // Brokers know each other.
        return Vec::new();
    }
    leaders.sort_unstable();
    leaders.dedup();
    let endpoints = leaders.into_iter().filter_map(|node_id| {
        let broker = image.brokers.get(&node_id)?;
        let endpoint = broker.endpoint(listener)?;
        Some(NodeEndpoint {
            node_id,
            host: endpoint.host.as_str(),
            port: i32::from(endpoint.port),
            rack: broker.rack.as_deref(),
        })
    });
    endpoints.collect()
}

/// Neighbours of one topic share an entry, as Kafka writes them.
fn by_topic(entries: Vec<Entry<'_>>) -> Vec<FetchableTopicResponse<'_>> {
    let mut responses: Vec<FetchableTopicResponse<'_>> = Vec::new();
    for entry in entries {
        let topic = &entry.wanted.topic;
        match responses.last_mut().filter(|last| is_same_topic(last, topic)) {
            Some(last) => last.partitions.push(entry.data),
            None => responses.push(FetchableTopicResponse {
                topic: topic.name.as_deref().unwrap_or_default(),
                topic_id: topic.id,
                partitions: vec![entry.data],
            }),
        }
    }
    responses
}

fn is_same_topic(response: &FetchableTopicResponse<'_>, topic: &FetchedTopic) -> bool {
    if response.topic_id == ZERO_UUID {
        topic.name.as_deref() == Some(response.topic)
    } else {
        response.topic_id == topic.id
    }
}
