//! DeleteRecords, key 21, versions 0 to 2: moves the first offset of partitions forward.
//!
//! Kept: the high watermark for -1, Kafka's errors, and its answer for a partition that is named twice: the last one
//! counts. Files go, and the new first offset is durable, before the answer. The low watermark is the first offset here:
//! there are no followers to wait for.

use std::collections::HashMap;
use std::sync::Arc;

use barnabas_log::PartitionLog;
use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::delete_records::{
    DeleteRecordsPartitionResult, DeleteRecordsRequest, DeleteRecordsResponse, DeleteRecordsTopicResult,
};
use barnabas_wire::primitives::Reader;
use tokio::sync::oneshot;

use crate::broker::Broker;
use crate::image::Image;
use crate::partition::{Partition, log_error_code};
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;

/// The low watermark of a partition that was refused.
const INVALID_LOW_WATERMARK: i64 = -1;

struct Topic {
    name: String,
    partitions: Vec<Wanted>,
}

struct Wanted {
    index: i32,
    offset: i64,
    target: Result<Arc<Partition>, ErrorCode>,
}

struct Done {
    name: String,
    /// Number and low watermark of each partition.
    partitions: Vec<(i32, Result<i64, ErrorCode>)>,
}

pub(crate) fn handle(broker: &Arc<Broker>, to: ReplyTo, body: &[u8]) -> Outcome<StoredFile> {
    let Ok(request) = DeleteRecordsRequest::decode(&mut Reader::new(body), to.api_version) else {
        return broker.refuse();
    };
    let topics = plan(&broker.image(), &request);
    // Removing segments and writing checkpoints is for helpers.
    let (sender, receiver) = oneshot::channel();
    let worker = Arc::clone(broker);
    broker.helpers.run(move || {
        // The connection may be gone; what was deleted stays so.
        let _ = sender.send(delete(&worker, topics));
    });
    Outcome::Wait(Box::pin(async move {
        let done = receiver.await.ok()?;
        late_answer(&done, to)
    }))
}

fn plan(image: &Image, request: &DeleteRecordsRequest<'_>) -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::with_capacity(request.topics.len());
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(request.topics.len());
    let mut named: HashMap<(usize, i32), usize> = HashMap::new();
    for asked in request.topics.iter().filter(|asked| !asked.partitions.is_empty()) {
        let place = *places.entry(asked.name).or_insert(topics.len());
        if place == topics.len() {
            topics.push(Topic {
                name: asked.name.to_owned(),
                partitions: Vec::with_capacity(asked.partitions.len()),
            });
        }
        let Some(topic) = topics.get_mut(place) else { continue };
        for partition in &asked.partitions {
            let index = partition.partition_index;
            let wanted = Wanted {
                index,
                offset: partition.offset,
                target: resolve(image, asked.name, index),
            };
            let at = *named.entry((place, index)).or_insert(topic.partitions.len());
            match topic.partitions.get_mut(at) {
                Some(earlier) => *earlier = wanted,
                None => topic.partitions.push(wanted),
            }
        }
    }
    topics
}

fn resolve(image: &Image, name: &str, index: i32) -> Result<Arc<Partition>, ErrorCode> {
    let topic = image.topic(name).ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    let entry = topic.partition(index).ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    if topic.is_internal {
        return Err(ErrorCode::INVALID_TOPIC_EXCEPTION);
    }
    let partition = entry.usable()?;
    if !partition.is_leader() {
        return Err(ErrorCode::NOT_LEADER_OR_FOLLOWER);
    }
    Ok(Arc::clone(partition))
}

fn delete(broker: &Broker, topics: Vec<Topic>) -> Vec<Done> {
    let now_ms = broker.wall_clock_ms();
    let mut changed = Vec::new();
    let mut delete_one = |wanted: Wanted| {
        let result = wanted.target.and_then(|partition| {
            let start = partition.log.log_start_offset();
            let deleted = partition.log.delete_records(wanted.offset, now_ms);
            let low_watermark = deleted.map_err(|error| log_error_code(&error))?;
            if low_watermark != start {
                changed.push(Arc::clone(&partition.log));
            }
            Ok(low_watermark)
        });
        (wanted.index, result)
    };
    let mut done: Vec<Done> = Vec::with_capacity(topics.len());
    for topic in topics {
        done.push(Done {
            name: topic.name,
            partitions: topic.partitions.into_iter().map(&mut delete_one).collect(),
        });
    }
    store_starts(broker, &changed, &mut done);
    done
}

/// Makes the new first offsets durable; where that fails, the data directory has gone offline.
fn store_starts(broker: &Broker, changed: &[Arc<PartitionLog>], done: &mut [Done]) {
    let Err(error) = broker.logs.checkpoint_dirs_of(changed) else {
        return;
    };
    log::error!("the first offsets after DeleteRecords are not stored: {error}");
    for (_, result) in done.iter_mut().flat_map(|topic| &mut topic.partitions) {
        if result.is_ok() {
            *result = Err(ErrorCode::KAFKA_STORAGE_ERROR);
        }
    }
}

fn late_answer(done: &[Done], to: ReplyTo) -> Option<Response<StoredFile>> {
    let topics = done.iter().map(|topic| {
        let partitions = topic
            .partitions
            .iter()
            .map(|(partition_index, result)| DeleteRecordsPartitionResult {
                partition_index: *partition_index,
                low_watermark: result.unwrap_or(INVALID_LOW_WATERMARK),
                error_code: result.err().unwrap_or(ErrorCode::NONE).code(),
            });
        DeleteRecordsTopicResult {
            name: &topic.name,
            partitions: partitions.collect(),
        }
    });
    let answer = DeleteRecordsResponse {
        topics: topics.collect(),
        ..DeleteRecordsResponse::default()
    };
    reply::late(to, |writer| answer.encode(writer, to.api_version))
}
