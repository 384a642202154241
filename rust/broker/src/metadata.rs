//! Metadata, key 3, versions 0 to 13, answered from the published image.
//!
//! A topic that is asked for by name, does not exist and may be created on the way sends the request to the control
//! plane, which lets the request run against the image, without creation then, and creates the topic: as in Kafka, who
//! asks first is told that it is not known.

use std::collections::HashSet;
use std::sync::Arc;

use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::metadata::{
    MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseBroker, MetadataResponsePartition,
    MetadataResponseTopic,
};
use barnabas_wire::primitives::{Reader, ZERO_UUID};

use crate::broker::{Broker, METADATA_TOPIC};
use crate::dispatch::Peer;
use crate::image::{Image, PartitionEntry, Topic};
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;

/// What Kafka allows on a topic when there is no authorizer: read, write, create, delete, alter, describe, and describe
/// and alter configs, each as the bit of its number in the ACL protocol.
pub(crate) const TOPIC_OPERATIONS: i32 = 0b1101_1111_1000;
/// The same for the cluster: create, alter, describe, cluster action, describe and alter configs, idempotent write.
const CLUSTER_OPERATIONS: i32 = 0b1_1111_1010_0000;
const TOPIC_NAME_BYTES_MAX: usize = 249;

/// Whether a missing topic may be created on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creation {
    Allowed,
    Forbidden,
}

impl Creation {
    /// As the broker's options say.
    pub(crate) fn of(broker: &Broker) -> Self {
        if broker.options.auto_create_topics {
            Self::Allowed
        } else {
            Self::Forbidden
        }
    }
}

/// What became of a request.
pub(crate) enum Answer {
    Done(Outcome<StoredFile>),
    /// The control plane must create topics first.
    MustCreate,
}

pub(crate) fn handle(
    broker: &Broker,
    peer: &Peer,
    to: ReplyTo,
    body: &[u8],
    creation: Creation,
    response: &mut Response<StoredFile>,
) -> Answer {
    let version = to.api_version;
    let Ok(request) = MetadataRequest::decode(&mut Reader::new(body), version) else {
        return Answer::Done(broker.refuse());
    };
    let image = broker.image();
    let asked = request
        .topics
        .as_deref()
        .filter(|topics| version > 0 || !topics.is_empty());
    if let Some(error) = asked.and_then(|topics| malformed(topics, version)) {
        return Answer::Done(refuse_request(error, to, &request, response));
    }
    let may_create = creation == Creation::Allowed && request.allow_auto_topic_creation;
    let is_incomplete = |topics: &[MetadataRequestTopic<'_>]| {
        !names_ids(topics) && topics.iter().any(|topic| is_to_be_created(&image, topic))
    };
    if may_create && asked.is_some_and(is_incomplete) {
        return Answer::MustCreate;
    }
    let operations = if request.include_topic_authorized_operations {
        TOPIC_OPERATIONS
    } else {
        i32::MIN
    };
    let context = Context {
        image: &image,
        listener: &peer.listener,
        operations,
        no_listener: if version >= 6 {
            ErrorCode::LISTENER_NOT_FOUND
        } else {
            ErrorCode::LEADER_NOT_AVAILABLE
        },
    };
    let topics = match asked {
        None => context.all_topics(),
        Some(asked) => context.asked_topics(asked),
    };
    let answer = MetadataResponse {
        brokers: context.brokers(),
        cluster_id: Some(&broker.config.cluster_id),
        controller_id: image.registered_controller().unwrap_or(-1),
        topics,
        cluster_authorized_operations: if request.include_cluster_authorized_operations {
            CLUSTER_OPERATIONS
        } else {
            i32::MIN
        },
        ..MetadataResponse::default()
    };
    Answer::Done(reply::write(response, to, |writer| answer.encode(writer, version)))
}

/// A name may be null, and an id may be given, only since version 12. Neither of both is what Kafka does not foresee; it
/// looks at names only if there is no id at all.
fn malformed(topics: &[MetadataRequestTopic<'_>], version: i16) -> Option<ErrorCode> {
    let is_wrong = |topic: &MetadataRequestTopic<'_>| topic.name.is_none() || topic.topic_id != ZERO_UUID;
    if version < 12 {
        return topics.iter().any(is_wrong).then_some(ErrorCode::INVALID_REQUEST);
    }
    let lacks_names = !names_ids(topics) && topics.iter().any(|topic| topic.name.is_none());
    lacks_names.then_some(ErrorCode::UNKNOWN_SERVER_ERROR)
}

/// Whether a request goes by ids, so that names in it do not count.
fn names_ids(topics: &[MetadataRequestTopic<'_>]) -> bool {
    topics.iter().any(|topic| topic.topic_id != ZERO_UUID)
}

fn is_to_be_created(image: &Image, topic: &MetadataRequestTopic<'_>) -> bool {
    topic
        .name
        .is_some_and(|name| image.topic(name).is_none() && is_valid_topic_name(name) && name != METADATA_TOPIC)
}

/// Kafka's error for a request that breaks a rule: every topic gets it.
fn refuse_request(
    error: ErrorCode,
    to: ReplyTo,
    request: &MetadataRequest<'_>,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let topics = request.topics.iter().flatten().map(|topic| MetadataResponseTopic {
        error_code: error.code(),
        name: topic.name.or(Some("")),
        topic_id: topic.topic_id,
        ..MetadataResponseTopic::default()
    });
    let answer = MetadataResponse {
        topics: topics.collect(),
        error_code: error.code(),
        ..MetadataResponse::default()
    };
    reply::write(response, to, |writer| answer.encode(writer, to.api_version))
}

/// What a fault hook answers: the brokers as they are, and an error for every topic that was asked for, as when a client may
/// not see them. `None` if no topic was asked for, so that nothing could carry the error.
pub(crate) fn refuse_topics(
    broker: &Broker,
    peer: &Peer,
    to: ReplyTo,
    body: &[u8],
    error_code: i16,
    response: &mut Response<StoredFile>,
) -> Option<()> {
    let request = MetadataRequest::decode(&mut Reader::new(body), to.api_version).ok()?;
    let image = broker.image();
    let context = Context {
        image: &image,
        listener: &peer.listener,
        operations: i32::MIN,
        no_listener: ErrorCode::LISTENER_NOT_FOUND,
    };
    let asked = request.topics.as_deref().filter(|topics| !topics.is_empty())?;
    let topics = asked.iter().map(|topic| MetadataResponseTopic {
        error_code,
        name: topic.name.or(Some("")),
        topic_id: topic.topic_id,
        ..MetadataResponseTopic::default()
    });
    let answer = MetadataResponse {
        brokers: context.brokers(),
        cluster_id: Some(&broker.config.cluster_id),
        controller_id: image.controller.unwrap_or(-1),
        topics: topics.collect(),
        ..MetadataResponse::default()
    };
    reply::write(response, to, |writer| answer.encode(writer, to.api_version));
    Some(())
}

/// Kafka's rule for topic names.
pub(crate) fn is_valid_topic_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && name.len() <= TOPIC_NAME_BYTES_MAX
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The cluster's own topics, by name; of others, too, Kafka says so before they exist.
pub(crate) fn is_internal_name(name: &str) -> bool {
    matches!(
        name,
        "__consumer_offsets" | "__transaction_state" | "__share_group_state"
    )
}

struct Context<'a> {
    image: &'a Image,
    listener: &'a str,
    operations: i32,
    /// The error for a leader without the client's listener.
    no_listener: ErrorCode,
}

impl<'a> Context<'a> {
    fn brokers(&self) -> Vec<MetadataResponseBroker<'a>> {
        let brokers = self.image.brokers.iter().filter_map(|(node_id, broker)| {
            let endpoint = broker.endpoint(self.listener)?;
            Some(MetadataResponseBroker {
                node_id: *node_id,
                host: &endpoint.host,
                port: i32::from(endpoint.port),
                rack: broker.rack.as_deref(),
            })
        });
        brokers.collect()
    }

    fn all_topics(&self) -> Vec<MetadataResponseTopic<'a>> {
        let mut topics: Vec<_> = self.image.topics().collect();
        topics.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        topics.into_iter().map(|topic| self.known(topic)).collect()
    }

    /// Kafka's order: ids that are not known, then what there is, then names that are not. Where one topic goes by its id,
    /// all do.
    fn asked_topics(&self, asked: &[MetadataRequestTopic<'a>]) -> Vec<MetadataResponseTopic<'a>> {
        let by_id = names_ids(asked);
        let mut seen = HashSet::new();
        let asked = asked
            .iter()
            .filter(|topic| by_id == (topic.topic_id != ZERO_UUID))
            .filter(|topic| seen.insert((topic.name.filter(|_| !by_id), topic.topic_id)));
        let mut topics: Vec<_> = asked.map(|topic| self.asked(topic)).collect();
        topics.sort_by_key(|topic| match ErrorCode(topic.error_code) {
            ErrorCode::UNKNOWN_TOPIC_ID => 0,
            ErrorCode::NONE => 1,
            _ => 2,
        });
        topics
    }

    fn asked(&self, asked: &MetadataRequestTopic<'a>) -> MetadataResponseTopic<'a> {
        if asked.topic_id != ZERO_UUID {
            return match self.image.topic_by_id(&asked.topic_id) {
                Some(topic) => self.known(topic),
                None => MetadataResponseTopic {
                    error_code: ErrorCode::UNKNOWN_TOPIC_ID.code(),
                    name: None,
                    topic_id: asked.topic_id,
                    ..MetadataResponseTopic::default()
                },
            };
        }
        let name = asked.name.unwrap_or_default();
        if let Some(topic) = self.image.topic(name) {
            return self.known(topic);
        }
        let error = if is_valid_topic_name(name) {
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
        } else {
            ErrorCode::INVALID_TOPIC_EXCEPTION
        };
        MetadataResponseTopic {
            error_code: error.code(),
            name: Some(name),
            is_internal: is_internal_name(name),
            topic_authorized_operations: self.operations,
            ..MetadataResponseTopic::default()
        }
    }

    fn known(&self, topic: &'a Arc<Topic>) -> MetadataResponseTopic<'a> {
        MetadataResponseTopic {
            error_code: ErrorCode::NONE.code(),
            name: Some(&topic.name),
            topic_id: topic.id,
            is_internal: topic.is_internal,
            partitions: topic.partitions.iter().map(|entry| self.partition(entry)).collect(),
            topic_authorized_operations: self.operations,
        }
    }

    fn partition(&self, entry: &PartitionEntry) -> MetadataResponsePartition {
        let state = &entry.state;
        let leader = self.image.brokers.get(&state.leader);
        let error = match leader {
            None => ErrorCode::LEADER_NOT_AVAILABLE,
            Some(broker) if broker.endpoint(self.listener).is_none() => self.no_listener,
            Some(_) => ErrorCode::NONE,
        };
        MetadataResponsePartition {
            error_code: error.code(),
            partition_index: state.index,
            leader_id: if error.is_ok() { state.leader } else { -1 },
            leader_epoch: state.leader_epoch,
            replica_nodes: state.replicas.clone(),
            isr_nodes: state.isr.clone(),
            offline_replicas: self.image.offline_replicas(entry, self.listener),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topic_names_follow_kafkas_rule() {
        let long = "x".repeat(249);
        let too_long = "x".repeat(250);
        assert!(
            ["a", "a.b_c-D9", "...", long.as_str()]
                .iter()
                .all(|name| is_valid_topic_name(name))
        );
        assert!(
            !["", ".", "..", "a b", "a/b", "é", too_long.as_str()]
                .iter()
                .any(|name| is_valid_topic_name(name))
        );
    }

    #[test]
    fn operations_are_kafkas_numbers() {
        assert_eq!((TOPIC_OPERATIONS, CLUSTER_OPERATIONS), (3576, 8096));
    }
}
