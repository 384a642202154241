//! DescribeTopicPartitions, key 75, version 0: topics and partitions from the published image, in pieces of a bounded
//! number of partitions that a cursor links (KIP-966).

use std::cmp::Ordering;

use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::Nullable;
use barnabas_wire::messages::describe_topic_partitions::{
    Cursor, DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse, DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
};
use barnabas_wire::primitives::Reader;

use crate::broker::Broker;
use crate::dispatch::Peer;
use crate::image::{Image, PartitionEntry, Topic};
use crate::metadata::{TOPIC_OPERATIONS, is_internal_name, is_valid_topic_name};
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;

pub(crate) fn handle(
    broker: &Broker,
    peer: &Peer,
    to: ReplyTo,
    body: &[u8],
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let Ok(request) = DescribeTopicPartitionsRequest::decode(&mut Reader::new(body), to.api_version) else {
        return broker.refuse();
    };
    let image = broker.image();
    let answer = match refusal(&request) {
        Some(error) => refuse(&request, error),
        None => Listing {
            image: &image,
            listener: &peer.listener,
            left: request
                .response_partition_limit
                .min(broker.options.described_partitions_max)
                .max(1),
        }
        .answer(&request),
    };
    reply::write(response, to, |writer| answer.encode(writer, to.api_version))
}

/// What is wrong with the request as a whole.
fn refusal(request: &DescribeTopicPartitionsRequest<'_>) -> Option<ErrorCode> {
    let mut asked = request.topics.iter().map(|topic| topic.name);
    match &request.cursor.0 {
        // Kafka takes the empty name for the cursor's, which is not there.
        None => asked.any(str::is_empty).then_some(ErrorCode::UNKNOWN_SERVER_ERROR),
        Some(cursor) => {
            let is_named = request.topics.is_empty() || asked.any(|name| name == cursor.topic_name);
            (!is_named || cursor.partition_index < 0).then_some(ErrorCode::INVALID_REQUEST)
        }
    }
}

/// Every topic gets the error; a request for all topics has nowhere to put it.
fn refuse<'a>(request: &DescribeTopicPartitionsRequest<'a>, error: ErrorCode) -> DescribeTopicPartitionsResponse<'a> {
    let topics = request.topics.iter().map(|topic| DescribeTopicPartitionsResponseTopic {
        error_code: error.code(),
        name: Some(topic.name),
        ..DescribeTopicPartitionsResponseTopic::default()
    });
    DescribeTopicPartitionsResponse {
        topics: topics.collect(),
        ..DescribeTopicPartitionsResponse::default()
    }
}

struct Listing<'a> {
    image: &'a Image,
    listener: &'a str,
    /// Partitions that the answer may still hold.
    left: i32,
}

impl<'a> Listing<'a> {
    fn answer(mut self, request: &DescribeTopicPartitionsRequest<'a>) -> DescribeTopicPartitionsResponse<'a> {
        let cursor = request.cursor.0.clone().unwrap_or_default();
        let is_for_all = request.topics.is_empty();
        let mut names: Vec<&'a str> = if is_for_all {
            let image = self.image;
            image.topics().map(|topic| &*topic.name).collect()
        } else {
            request.topics.iter().map(|topic| topic.name).collect()
        };
        names.retain(|name| in_java_order(name, cursor.topic_name).is_ge());
        names.sort_unstable_by(|a, b| in_java_order(a, b));
        names.dedup();
        let mut answer = DescribeTopicPartitionsResponse::default();
        for name in names {
            if self.left == 0 {
                answer.next_cursor = next_cursor(name, 0);
                break;
            }
            let begin = if name == cursor.topic_name {
                cursor.partition_index
            } else {
                0
            };
            let Some(topic) = self.image.topic(name) else {
                if !is_for_all {
                    answer.topics.push(unknown(name));
                }
                continue;
            };
            let (described, next) = self.describe(topic, begin);
            answer.topics.push(described);
            if let Some(next) = next {
                answer.next_cursor = next_cursor(name, next);
                break;
            }
        }
        answer
    }

    /// The partitions from `begin` on that the answer has room for, and the first that it has not.
    fn describe(&mut self, topic: &'a Topic, begin: i32) -> (DescribeTopicPartitionsResponseTopic<'a>, Option<i32>) {
        let count = i32::try_from(topic.partitions.len()).unwrap_or(i32::MAX);
        // Past the end of numbers Kafka comes to a negative one.
        let end = begin.wrapping_add(self.left).min(count);
        let entries = (begin..end).filter_map(|index| topic.partition(index));
        let partitions: Vec<_> = entries.map(|entry| self.partition(entry)).collect();
        self.left -= i32::try_from(partitions.len()).unwrap_or(self.left);
        let described = DescribeTopicPartitionsResponseTopic {
            error_code: ErrorCode::NONE.code(),
            name: Some(&topic.name),
            topic_id: topic.id,
            is_internal: topic.is_internal,
            partitions,
            topic_authorized_operations: TOPIC_OPERATIONS,
        };
        (described, (end < count).then_some(end))
    }

    fn partition(&self, entry: &PartitionEntry) -> DescribeTopicPartitionsResponsePartition {
        let state = &entry.state;
        let leader = self.image.brokers.get(&state.leader);
        let is_reachable = leader.is_some_and(|broker| broker.endpoint(self.listener).is_some());
        DescribeTopicPartitionsResponsePartition {
            error_code: ErrorCode::NONE.code(),
            partition_index: state.index,
            leader_id: if is_reachable { state.leader } else { -1 },
            leader_epoch: state.leader_epoch,
            replica_nodes: state.replicas.clone(),
            isr_nodes: state.isr.clone(),
            eligible_leader_replicas: Some(state.eligible_leader_replicas.clone()),
            last_known_elr: Some(state.last_known_elr.clone()),
            offline_replicas: self.image.offline_replicas(entry, self.listener),
        }
    }
}

/// Java compares text by its UTF-16 units.
fn in_java_order(a: &str, b: &str) -> Ordering {
    if a.is_ascii() && b.is_ascii() {
        a.cmp(b)
    } else {
        a.encode_utf16().cmp(b.encode_utf16())
    }
}

fn next_cursor(topic_name: &str, partition_index: i32) -> Nullable<Cursor<'_>> {
    Nullable(Some(Cursor {
        topic_name,
        partition_index,
    }))
}

fn unknown(name: &str) -> DescribeTopicPartitionsResponseTopic<'_> {
    let error = if is_valid_topic_name(name) {
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
    } else {
        ErrorCode::INVALID_TOPIC_EXCEPTION
    };
    DescribeTopicPartitionsResponseTopic {
        error_code: error.code(),
        name: Some(name),
        is_internal: is_internal_name(name),
        topic_authorized_operations: TOPIC_OPERATIONS,
        ..DescribeTopicPartitionsResponseTopic::default()
    }
}
