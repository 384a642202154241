//! Asking leaders where epochs end, so that a position past what a new leader has is noticed (KIP-320) and not taken for the
//! end of the log. The answers are judged by Kafka's rules: `OffsetsForLeaderEpochUtils` and `SubscriptionState`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::offset_for_leader_epoch::{
    EpochEndOffset, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, OffsetForLeaderPartition,
    OffsetForLeaderTopic,
};
use barnabas_wire::primitives::Reader;
use bytes::Bytes;

use crate::fetch_buffer::{FetchBuffer, PartitionFetch, TopicPartition};
use crate::mailbox::{Event, Mailbox};
use crate::nodes::{NodeId, Purpose};
use crate::outbox::{Kind, Outbox, Send};

/// Versions for consumers: the older ones are for followers alone.
const VERSIONS: (i16, i16) = (3, 4);
/// "The leader does not know."
const UNKNOWN: i32 = -1;

/// One partition whose position is to be looked at.
#[derive(Debug)]
pub(crate) struct Doubtful {
    key: TopicPartition,
    generation: u64,
    fetch_offset: i64,
    fetched_epoch: i32,
    leader_epoch: i32,
}

impl Doubtful {
    /// A partition that was last validated under another leader than this one; `None` if there is nothing to ask.
    pub(crate) fn new(key: &TopicPartition, partition: &PartitionFetch, leader_epoch: i32) -> Option<Self> {
        let is_known = partition.fetched_epoch >= 0 && leader_epoch >= 0;
        (is_known && partition.validated_by != leader_epoch).then(|| Self {
            key: key.clone(),
            generation: partition.generation,
            fetch_offset: partition.fetch_offset,
            fetched_epoch: partition.fetched_epoch,
            leader_epoch,
        })
    }
}

/// An `OffsetForLeaderEpoch` request that was not answered.
#[derive(Debug)]
pub(crate) struct ValidationInFlight(Vec<Doubtful>);

/// What to do with a partition after its answer.
enum Verdict {
    /// The leader has all that comes before the position.
    Valid,
    /// Ask again, after a pause; with newer metadata.
    Again,
    /// Nobody may ask.
    Refused(ErrorCode),
    /// The logs part at this offset, after a record of this epoch; -1 when the leader does not know.
    Diverges(i64, i32),
}

/// Asks the leader. Partitions of a broker that does not know the request count as valid, as with Java: true if so, and they can
/// be fetched now.
#[must_use]
pub(crate) fn ask(
    fetcher: u64,
    buffer: &FetchBuffer,
    outbox: &mut Outbox,
    node: NodeId,
    doubtful: Vec<Doubtful>,
) -> bool {
    let Some(versions) = outbox.ready(node, Purpose::Rest) else {
        outbox.wants_metadata |= outbox.nodes.is_failing(node, Purpose::Rest);
        return false;
    };
    let Some(api_version) = versions.choose(api::OFFSET_FOR_LEADER_EPOCH, VERSIONS.0, VERSIONS.1) else {
        settle(buffer, doubtful, |_, partition, asked| {
            partition.validated_by = asked.leader_epoch;
        });
        return true;
    };
    let Ok(body) = encode(&doubtful, api_version) else {
        return false;
    };
    let send = Send {
        node,
        purpose: Purpose::Rest,
        api_key: api::OFFSET_FOR_LEADER_EPOCH,
        api_version,
        parts: vec![Bytes::from(body)],
        timeout: TIMEOUT,
        expects_response: true,
    };
    {
        let mut state = buffer.lock();
        for asked in &doubtful {
            if let Some(partition) = state.partitions.get_mut(&asked.key) {
                partition.is_in_flight = partition.generation == asked.generation;
            }
        }
    }
    let request = Box::new(ValidationInFlight(doubtful));
    if let Err(Kind::Validate { request, .. }) = outbox.send(send, Kind::Validate { fetcher, request }) {
        settle(buffer, request.0, |_, _, _| {});
    }
    false
}

/// The answer must come in so long.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Takes an answer in; `pause` says how long to wait before a partition is asked for again.
pub(crate) fn answered(
    buffer: &FetchBuffer,
    outbox: &mut Outbox,
    mailbox: &Mailbox,
    request: ValidationInFlight,
    answer: Option<(i16, Bytes)>,
    mut pause: impl FnMut(u32) -> Duration,
) {
    let answers = answer.and_then(|(api_version, body)| {
        let response = OffsetForLeaderEpochResponse::decode(&mut Reader::new(&body), api_version).ok()?;
        let mut answers: BTreeMap<(String, i32), EpochEndOffset> = BTreeMap::new();
        for topic in response.topics {
            for partition in topic.partitions {
                answers.insert((topic.topic.to_owned(), partition.partition), partition);
            }
        }
        Some(answers)
    });
    let mut events = Vec::new();
    let mut wants_metadata = false;
    let now = outbox.now;
    settle(buffer, request.0, |key, partition, asked| {
        let answer = answers.as_ref().and_then(|all| all.get(&(key.0.to_string(), key.1)));
        match answer.map_or(Verdict::Again, |answer| judge(answer, asked)) {
            Verdict::Valid => {
                partition.validated_by = asked.leader_epoch;
                partition.failures = 0;
            }
            Verdict::Again => {
                wants_metadata = true;
                partition.failures = partition.failures.saturating_add(1);
                partition.retry_at = Some(now + pause(partition.failures));
            }
            Verdict::Refused(code) => {
                partition.retry_at = Some(now + REFUSED_PAUSE);
                events.push(Event::FetchError {
                    topic: Arc::clone(&key.0),
                    partition: key.1,
                    error_code: code.code(),
                    offset: asked.fetch_offset,
                });
            }
            Verdict::Diverges(end_offset, end_epoch) => {
                // What was not polled yet is fetched again, from a position whose own epoch is asked for next. What was polled
                // is past mending here.
                let position = partition.position.unwrap_or(asked.fetch_offset);
                if position < asked.fetch_offset && partition.drop_fetched() {
                    return;
                }
                partition.is_halted = true;
                events.push(Event::Truncated {
                    topic: Arc::clone(&key.0),
                    partition: key.1,
                    offset: position,
                    end_offset,
                    end_epoch,
                });
            }
        }
    });
    outbox.wants_metadata |= wants_metadata;
    for event in events {
        mailbox.post(event);
    }
}

/// Errors that people must mend are asked about again this often.
const REFUSED_PAUSE: Duration = Duration::from_secs(1);

/// Ends the flight of partitions that are still where they were, each with `outcome`.
fn settle(
    buffer: &FetchBuffer,
    doubtful: Vec<Doubtful>,
    mut outcome: impl FnMut(&TopicPartition, &mut PartitionFetch, &Doubtful),
) {
    let mut state = buffer.lock();
    for asked in doubtful {
        let partition = state.partitions.get_mut(&asked.key);
        if let Some(partition) = partition.filter(|partition| partition.generation == asked.generation) {
            partition.is_in_flight = false;
            outcome(&asked.key, partition, &asked);
        }
    }
    state.count_waiting();
}

fn judge(answer: &EpochEndOffset, asked: &Doubtful) -> Verdict {
    match ErrorCode(answer.error_code) {
        ErrorCode(0) if answer.leader_epoch == UNKNOWN || answer.end_offset < 0 => Verdict::Diverges(-1, UNKNOWN),
        ErrorCode(0) if answer.end_offset < asked.fetch_offset => {
            Verdict::Diverges(answer.end_offset, answer.leader_epoch)
        }
        ErrorCode(0) => Verdict::Valid,
        code @ ErrorCode::TOPIC_AUTHORIZATION_FAILED => Verdict::Refused(code),
        _ => Verdict::Again,
    }
}

fn encode(doubtful: &[Doubtful], api_version: i16) -> Result<Vec<u8>, barnabas_wire::WireError> {
    let mut topics: Vec<OffsetForLeaderTopic<'_>> = Vec::new();
    for asked in doubtful {
        if topics.last().is_none_or(|last| last.topic != &*asked.key.0) {
            topics.push(OffsetForLeaderTopic {
                topic: &asked.key.0,
                partitions: Vec::new(),
            });
        }
        if let Some(topic) = topics.last_mut() {
            topic.partitions.push(OffsetForLeaderPartition {
                partition: asked.key.1,
                current_leader_epoch: asked.leader_epoch,
                leader_epoch: asked.fetched_epoch,
            });
        }
    }
    let request = OffsetForLeaderEpochRequest {
        // A consumer, not a follower.
        replica_id: -1,
        topics,
    };
    request.to_bytes(api_version)
}
