//! ListOffsets, key 2, versions 1 to 11: offsets by timestamp and the special ones.
//!
//! There is no tiered storage, so that everything is local and nothing is tiered or pending, as Kafka answers without it.

use std::collections::HashMap;
use std::sync::Arc;

use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::list_offsets::{
    EARLIEST_LOCAL_TIMESTAMP, EARLIEST_PENDING_UPLOAD_TIMESTAMP, EARLIEST_TIMESTAMP, LATEST_TIERED_TIMESTAMP,
    LATEST_TIMESTAMP, ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse,
    ListOffsetsTopicResponse, MAX_TIMESTAMP,
};
use barnabas_wire::primitives::Reader;

use crate::broker::Broker;
use crate::image::{Image, Topic};
use crate::partition::{Partition, log_error_code};
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;

/// The replica id of a tool that sees up to the log's end.
const DEBUGGING_REPLICA: i32 = -2;
const UNKNOWN: i64 = -1;

pub(crate) fn handle(
    broker: &Broker,
    to: ReplyTo,
    body: &[u8],
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let Ok(request) = ListOffsetsRequest::decode(&mut Reader::new(body), to.api_version) else {
        return broker.refuse();
    };
    let answer = if matches!(request.isolation_level, 0 | 1) {
        answer(&broker.image(), &request, to.api_version)
    } else {
        refuse_unforeseen(&request)
    };
    reply::write(response, to, |writer| answer.encode(writer, to.api_version))
}

/// Kafka stumbles over an isolation level that there is not, and says so of every partition.
fn refuse_unforeseen<'a>(request: &ListOffsetsRequest<'a>) -> ListOffsetsResponse<'a> {
    let error = ErrorCode::UNKNOWN_SERVER_ERROR;
    let topics = request.topics.iter().map(|asked| ListOffsetsTopicResponse {
        name: asked.name,
        partitions: asked
            .partitions
            .iter()
            .map(|partition| partition_response(partition.partition_index, Err(error), 1))
            .collect(),
    });
    ListOffsetsResponse {
        topics: topics.collect(),
        ..ListOffsetsResponse::default()
    }
}

/// Every topic once, if it has partitions, and every partition once: asked for twice, it is refused.
fn answer<'a>(image: &Image, request: &ListOffsetsRequest<'a>, version: i16) -> ListOffsetsResponse<'a> {
    let mut counts: HashMap<(&str, i32), usize> = HashMap::new();
    for asked in &request.topics {
        for partition in &asked.partitions {
            *counts.entry((asked.name, partition.partition_index)).or_default() += 1;
        }
    }
    let mut topics: Vec<ListOffsetsTopicResponse<'a>> = Vec::with_capacity(request.topics.len());
    let mut places: HashMap<&str, usize> = HashMap::new();
    for asked in request.topics.iter().filter(|asked| !asked.partitions.is_empty()) {
        let topic = image.topic(asked.name);
        let place = *places.entry(asked.name).or_insert(topics.len());
        if place == topics.len() {
            topics.push(ListOffsetsTopicResponse {
                name: asked.name,
                partitions: Vec::with_capacity(asked.partitions.len()),
            });
        }
        let Some(told) = topics.get_mut(place) else { continue };
        for partition in &asked.partitions {
            let index = partition.partition_index;
            let result = match counts.remove(&(asked.name, index)) {
                Some(1) => find(topic, partition, request, version),
                Some(_) => Err(ErrorCode::INVALID_REQUEST),
                None => continue,
            };
            told.partitions.push(partition_response(index, result, version));
        }
    }
    ListOffsetsResponse {
        topics,
        ..ListOffsetsResponse::default()
    }
}

/// Offset, timestamp and leader epoch.
type Position = (i64, i64, i32);

fn find(
    topic: Option<&Arc<Topic>>,
    asked: &ListOffsetsPartition,
    request: &ListOffsetsRequest<'_>,
    version: i16,
) -> Result<Position, ErrorCode> {
    let version_min = match asked.timestamp {
        LATEST_TIMESTAMP | EARLIEST_TIMESTAMP | 0.. => 1,
        MAX_TIMESTAMP => 7,
        EARLIEST_LOCAL_TIMESTAMP => 8,
        LATEST_TIERED_TIMESTAMP => 9,
        EARLIEST_PENDING_UPLOAD_TIMESTAMP => 11,
        _ => i16::MAX,
    };
    if version < version_min {
        return Err(ErrorCode::UNSUPPORTED_VERSION);
    }
    let entry = topic
        .and_then(|topic| topic.partition(asked.partition_index))
        .ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    let partition = entry.usable()?;
    if !partition.is_leader() && request.replica_id != DEBUGGING_REPLICA {
        return Err(ErrorCode::NOT_LEADER_OR_FOLLOWER);
    }
    partition.check_leader_epoch(asked.current_leader_epoch)?;
    position(partition, asked.timestamp, up_to(partition, request))
}

/// One past the last offset that the client may see.
fn up_to(partition: &Partition, request: &ListOffsetsRequest<'_>) -> i64 {
    let log = &partition.log;
    match (request.replica_id, request.isolation_level) {
        (-1, 1) => log.last_stable_offset().min(log.high_watermark()),
        (-1, _) => log.high_watermark(),
        _ => log.log_end_offset(),
    }
}

fn position(partition: &Partition, timestamp: i64, up_to: i64) -> Result<Position, ErrorCode> {
    let log = &partition.log;
    let found = match timestamp {
        LATEST_TIMESTAMP => return Ok((up_to, UNKNOWN, partition.leader_epoch())),
        EARLIEST_TIMESTAMP | EARLIEST_LOCAL_TIMESTAMP => {
            let start = log.log_start_offset();
            return Ok((start, UNKNOWN, partition.first_epoch()));
        }
        LATEST_TIERED_TIMESTAMP | EARLIEST_PENDING_UPLOAD_TIMESTAMP => return Ok((UNKNOWN, UNKNOWN, -1)),
        // Where that record may not be seen yet there is none, as in Kafka: an older one is not the answer.
        MAX_TIMESTAMP => log.max_timestamp(i64::MAX),
        timestamp => log.offset_for_timestamp(timestamp, up_to),
    };
    let found = found
        .map_err(|error| log_error_code(&error))?
        .filter(|found| found.offset < up_to);
    Ok(found.map_or((UNKNOWN, UNKNOWN, -1), |found| {
        (found.offset, found.timestamp, found.leader_epoch)
    }))
}

fn partition_response(
    partition_index: i32,
    result: Result<Position, ErrorCode>,
    version: i16,
) -> ListOffsetsPartitionResponse {
    match result {
        Ok((offset, timestamp, leader_epoch)) => ListOffsetsPartitionResponse {
            partition_index,
            error_code: ErrorCode::NONE.code(),
            timestamp,
            offset,
            // Told since version 4.
            leader_epoch: if version < 4 { -1 } else { leader_epoch },
        },
        Err(error) => ListOffsetsPartitionResponse {
            partition_index,
            error_code: error.code(),
            timestamp: UNKNOWN,
            offset: UNKNOWN,
            leader_epoch: -1,
        },
    }
}
