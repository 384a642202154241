//! Fetch requests: what is asked of one broker, how it is written, and where an answer belongs.

use std::time::Duration;

use barnabas_wire::WireError;
use barnabas_wire::messages::fetch::{FetchPartition, FetchRequest, FetchTopic, ForgottenTopic};

use crate::config::{FetchConfig, IsolationLevel};
use crate::fetch_buffer::TopicPartition;
use crate::fetch_session::Said;

/// What is asked of one partition.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) key: TopicPartition,
    pub(crate) topic_id: [u8; 16],
    pub(crate) generation: u64,
    pub(crate) fetch_offset: i64,
    pub(crate) leader_epoch: i32,
    /// When the partition last gave records.
    pub(crate) turn: u64,
    /// The broker is the partition's leader, as far as we know.
    pub(crate) is_from_leader: bool,
}

/// A Fetch request that was not answered.
#[derive(Debug)]
pub(crate) struct FetchInFlight {
    /// All partitions that the broker is to fetch, by key; also those that its session knows already.
    pub(crate) partitions: Vec<Asked>,
    pub(crate) is_full: bool,
    /// It was sent while another one waits at the broker, and is of no session.
    pub(crate) is_beside: bool,
}

impl FetchInFlight {
    /// What was asked of a partition.
    pub(crate) fn find(&self, topic: &str, partition: i32) -> Option<&Asked> {
        let order = |asked: &Asked| (&*asked.key.0, asked.key.1).cmp(&(topic, partition));
        let place = self.partitions.binary_search_by(order).ok()?;
        self.partitions.get(place)
    }
}

/// How much a broker may send, and how long it may wait for that.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) room: usize,
    pub(crate) max_wait: Duration,
}

/// The request in which `said` is said of `asked`.
pub(crate) fn encode(
    config: &FetchConfig,
    asked: &[Asked],
    said: &Said,
    bounds: Bounds,
    api_version: i16,
) -> Result<Vec<u8>, WireError> {
    let int32 = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
    let mut changed: Vec<&Asked> = said.changed.iter().filter_map(|index| asked.get(*index)).collect();
    // Those that have waited longest come first: the broker fills its answer in this order.
    changed.sort_by_key(|asked| asked.turn);
    let mut topics: Vec<FetchTopic<'_>> = Vec::new();
    for asked in changed {
        let (name, index) = &asked.key;
        // In the order of turns a topic may stand here more than once.
        if topics.last().is_none_or(|last| last.topic != &**name) {
            topics.push(FetchTopic {
                topic: name,
                topic_id: asked.topic_id,
                partitions: Vec::new(),
            });
        }
        if let Some(topic) = topics.last_mut() {
            topic.partitions.push(FetchPartition {
                partition: *index,
                current_leader_epoch: asked.leader_epoch,
                fetch_offset: asked.fetch_offset,
                partition_max_bytes: int32(config.max_partition_bytes),
                ..FetchPartition::default()
            });
        }
    }
    let request = FetchRequest {
        max_wait_ms: i32::try_from(bounds.max_wait.as_millis()).unwrap_or(i32::MAX),
        min_bytes: config.min_bytes,
        max_bytes: int32(config.max_bytes.min(bounds.room)),
        isolation_level: i8::from(config.isolation_level == IsolationLevel::ReadCommitted),
        session_id: said.session_id,
        session_epoch: said.session_epoch,
        topics,
        forgotten_topics_data: forgotten(said),
        rack_id: &config.rack,
        ..FetchRequest::default()
    };
    request.to_bytes(api_version)
}

fn forgotten(said: &Said) -> Vec<ForgottenTopic<'_>> {
    let mut topics: Vec<ForgottenTopic<'_>> = Vec::new();
    for ((name, partition), topic_id) in &said.forgotten {
        let is_same = |last: &ForgottenTopic<'_>| last.topic == &**name && last.topic_id == *topic_id;
        if !topics.last().is_some_and(is_same) {
            topics.push(ForgottenTopic {
                topic: name,
                topic_id: *topic_id,
                partitions: Vec::new(),
            });
        }
        if let Some(topic) = topics.last_mut() {
            topic.partitions.push(*partition);
        }
    }
    topics
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn answers_are_found_in_any_order() {
        let asked = |topic: &str, partition| Asked {
            key: (Arc::from(topic), partition),
            topic_id: [0; 16],
            generation: 0,
            fetch_offset: 0,
            leader_epoch: 0,
            turn: 0,
            is_from_leader: true,
        };
        let request = FetchInFlight {
            partitions: vec![asked("a", 0), asked("a", 10), asked("b", 2)],
            is_full: true,
            is_beside: false,
        };
        for (topic, partition) in [("b", 2), ("a", 0), ("a", 10)] {
            assert_eq!(
                request.find(topic, partition).unwrap().key,
                (Arc::from(topic), partition)
            );
        }
        assert!(request.find("a", 2).is_none());
        assert!(request.find("c", 0).is_none());
    }
}
