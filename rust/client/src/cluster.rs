//! What is known of the cluster: an immutable view, replaced as a whole by each metadata response.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use barnabas_wire::messages::metadata::{MetadataResponse, MetadataResponsePartition, MetadataResponseTopic};

use crate::nodes::{Address, NodeId};

/// Kafka's "no node", "no leader".
pub(crate) const NO_NODE: i32 = -1;
/// "I do not know the topic's id."
pub(crate) const NO_TOPIC_ID: [u8; 16] = [0; 16];

/// A broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub id: i32,
    /// Its advertised host.
    pub host: String,
    /// Its advertised port.
    pub port: u16,
    /// Its rack.
    pub rack: Option<String>,
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: Arc<str>,
    /// Its id; zeros before Kafka 2.8.
    pub id: [u8; 16],
    /// Kafka's error code.
    pub error_code: i16,
    /// Whether it belongs to the cluster itself.
    pub is_internal: bool,
    /// Its partitions by index.
    pub partitions: Vec<Partition>,
}

/// A partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its index.
    pub index: i32,
    /// Kafka's error code.
    pub error_code: i16,
    /// The leader, -1 for none.
    pub leader: i32,
    /// The leader's epoch, -1 before Kafka 2.1.
    pub leader_epoch: i32,
    /// The replicas.
    pub replicas: Vec<i32>,
    /// The in-sync replicas.
    pub isr: Vec<i32>,
}

impl Topic {
    /// The partition, whatever is known of it.
    pub fn partition(&self, partition: i32) -> Option<&Partition> {
        let by_index = usize::try_from(partition)
            .ok()
            .and_then(|index| self.partitions.get(index));
        by_index
            .filter(|found| found.index == partition)
            .or_else(|| self.partitions.iter().find(|found| found.index == partition))
    }
}

/// The cluster as the last metadata responses told it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterView {
    /// The cluster's id.
    pub cluster_id: Option<String>,
    /// Where controller requests go, -1 for nowhere.
    pub controller_id: i32,
    /// The brokers by id.
    pub nodes: Vec<Node>,
    /// The topics that somebody asked for, by name.
    pub topics: BTreeMap<Arc<str>, Arc<Topic>>,
    names: HashMap<[u8; 16], Arc<str>>,
    /// Whether any response has come.
    pub is_known: bool,
}

impl ClusterView {
    pub(crate) fn unknown() -> Self {
        Self {
            controller_id: NO_NODE,
            ..Self::default()
        }
    }

    /// The topic, whatever is known of it.
    pub fn topic(&self, name: &str) -> Option<&Arc<Topic>> {
        self.topics.get(name)
    }

    /// The name of the topic with this id.
    pub fn topic_name(&self, id: &[u8; 16]) -> Option<&Arc<str>> {
        self.names.get(id)
    }

    /// The partition, whatever is known of it.
    pub fn partition(&self, topic: &str, partition: i32) -> Option<&Partition> {
        self.topic(topic)?.partition(partition)
    }

    /// The partition's leader and its epoch, if there is one.
    pub fn leader(&self, topic: &str, partition: i32) -> Option<(NodeId, i32)> {
        let partition = self.partition(topic, partition)?;
        (partition.leader != NO_NODE).then_some((partition.leader, partition.leader_epoch))
    }

    pub(crate) fn addresses(&self) -> BTreeMap<NodeId, Address> {
        self.nodes
            .iter()
            .map(|node| (node.id, (node.host.clone(), node.port)))
            .collect()
    }

    /// The view after a response. Topics that were not asked for this time and that nobody wants any more are forgotten.
    pub(crate) fn after(&self, response: &MetadataResponse<'_>, wanted: &Wanted) -> Self {
        let nodes = response.brokers.iter().map(|broker| Node {
            id: broker.node_id,
            host: broker.host.to_owned(),
            port: u16::try_from(broker.port).unwrap_or(0),
            rack: broker.rack.map(str::to_owned),
        });
        let mut topics: BTreeMap<Arc<str>, Arc<Topic>> = BTreeMap::new();
        if !wanted.is_all {
            let kept = self.topics.iter().filter(|(name, _)| wanted.names.contains(*name));
            topics.extend(kept.map(|(name, topic)| (Arc::clone(name), Arc::clone(topic))));
        }
        for topic in &response.topics {
            let Some(name) = topic.name else { continue };
            let old = self.topics.get_key_value(name);
            let name = old.map_or_else(|| Arc::from(name), |(name, _)| Arc::clone(name));
            let topic = new_topic(&name, topic, old.map(|(_, topic)| topic));
            topics.insert(name, topic);
        }
        let names = topics
            .values()
            .filter(|topic| topic.id != NO_TOPIC_ID)
            .map(|topic| (topic.id, Arc::clone(&topic.name)));
        let mut nodes: Vec<Node> = nodes.collect();
        nodes.sort_by_key(|node| node.id);
        Self {
            cluster_id: response.cluster_id.map(str::to_owned),
            controller_id: response.controller_id,
            nodes,
            names: names.collect(),
            topics,
            is_known: true,
        }
    }

    /// The view after a broker named a newer leader than is known; `None` if it is no news.
    pub(crate) fn with_leader(&self, hint: &LeaderHint) -> Option<Self> {
        let LeaderHint {
            ref topic,
            partition,
            leader,
            leader_epoch,
        } = *hint;
        let known = self.partition(topic, partition)?;
        if leader < 0 || leader_epoch <= known.leader_epoch || !self.nodes.iter().any(|node| node.id == leader) {
            return None;
        }
        let mut view = self.clone();
        let topic = Arc::make_mut(view.topics.get_mut(topic)?);
        let found = topic.partitions.iter_mut().find(|found| found.index == partition)?;
        found.leader = leader;
        found.leader_epoch = leader_epoch;
        Some(view)
    }
}

/// A leader that a broker named in refusing a request (KIP-951).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeaderHint {
    pub(crate) topic: Arc<str>,
    pub(crate) partition: i32,
    pub(crate) leader: i32,
    pub(crate) leader_epoch: i32,
}

/// The topics that somebody wants to be kept fresh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) names: BTreeSet<Arc<str>>,
    pub(crate) is_all: bool,
}

/// A topic, unchanged topics shared with the old view.
fn new_topic(name: &Arc<str>, new: &MetadataResponseTopic<'_>, old: Option<&Arc<Topic>>) -> Arc<Topic> {
    let id: [u8; 16] = new.topic_id;
    let old_partitions = old.filter(|old| old.id == id).map_or(&[][..], |old| &old.partitions);
    let mut partitions: Vec<Partition> = new
        .partitions
        .iter()
        .map(|new| new_partition(new, old_partitions))
        .collect();
    partitions.sort_by_key(|partition| partition.index);
    let topic = Topic {
        name: Arc::clone(name),
        id,
        error_code: new.error_code,
        is_internal: new.is_internal,
        partitions,
    };
    match old {
        Some(old) if **old == topic => Arc::clone(old),
        _ => Arc::new(topic),
    }
}

/// A partition. A broker that lags behind may tell of an older leader; its word is not taken.
fn new_partition(new: &MetadataResponsePartition, old: &[Partition]) -> Partition {
    let newer = old
        .iter()
        .find(|old| old.index == new.partition_index && old.leader_epoch > new.leader_epoch && new.leader_epoch >= 0);
    let (leader, leader_epoch) = newer.map_or((new.leader_id, new.leader_epoch), |old| (old.leader, old.leader_epoch));
    Partition {
        index: new.partition_index,
        error_code: new.error_code,
        leader,
        leader_epoch,
        replicas: new.replica_nodes.clone(),
        isr: new.isr_nodes.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use barnabas_wire::messages::metadata::MetadataResponseBroker;

    fn response(topic: &str, leader: i32, epoch: i32) -> MetadataResponse<'_> {
        MetadataResponse {
            brokers: vec![MetadataResponseBroker {
                node_id: 1,
                host: "a",
                port: 9092,
                rack: None,
            }],
            topics: vec![MetadataResponseTopic {
                name: Some(topic),
                topic_id: [1; 16],
                partitions: vec![MetadataResponsePartition {
                    leader_id: leader,
                    leader_epoch: epoch,
                    ..Default::default()
                }],
                ..Default::default()
            }],
            ..Default::default()
        }
    }

    #[test]
    fn an_older_leader_epoch_is_not_taken_and_unwanted_topics_are_forgotten() {
        let wanted = |names: &[&str]| Wanted {
            names: names.iter().map(|name| Arc::from(*name)).collect(),
            is_all: false,
        };
        let first = ClusterView::unknown().after(&response("a", 1, 5), &wanted(&["a"]));
        assert_eq!(first.leader("a", 0), Some((1, 5)));
        let older = first.after(&response("a", 2, 4), &wanted(&["a"]));
        assert_eq!(older.leader("a", 0), Some((1, 5)));
        let newer = older.after(&response("a", -1, 6), &wanted(&["a"]));
        assert_eq!(
            (newer.leader("a", 0), newer.topic_name(&[1; 16]).map(AsRef::as_ref)),
            (None, Some("a"))
        );
        let other = newer.after(&response("b", 1, 0), &wanted(&["a", "b"]));
        assert!(other.topic("a").is_some() && other.topic("b").is_some());
        assert!(other.after(&response("b", 1, 0), &wanted(&["b"])).topic("a").is_none());
    }

    #[test]
    fn a_hint_is_taken_when_it_is_newer_and_the_broker_is_known() {
        let wanted = Wanted {
            names: [Arc::from("a")].into(),
            is_all: false,
        };
        let view = ClusterView::unknown().after(&response("a", -1, 5), &wanted);
        let hint = |leader, leader_epoch| LeaderHint {
            topic: "a".into(),
            partition: 0,
            leader,
            leader_epoch,
        };
        assert!(view.with_leader(&hint(1, 5)).is_none());
        assert!(view.with_leader(&hint(7, 6)).is_none());
        assert_eq!(view.with_leader(&hint(1, 6)).unwrap().leader("a", 0), Some((1, 6)));
    }
}
