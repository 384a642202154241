//! The published image: which topics, partitions and brokers there are. Immutable; a new one replaces it as a whole.
//!
//! Only the control plane publishes. Partitions of this broker are created, reconfigured and deleted from a published
//! delta and from nothing else; the metadata log's own partition is the one that is not in the image.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use barnabas_net::server::Listener;
use barnabas_wire::errors::ErrorCode;

use crate::config::OptionMap;
use crate::partition::Partition;

/// A topic's id.
pub type TopicId = [u8; 16];

/// One change of the image.
#[derive(Debug, Clone)]
pub enum Change {
    /// A broker is there or has changed.
    Broker {
        /// Its id.
        node_id: i32,
        /// Its rack.
        rack: Option<String>,
        /// Where clients reach it, by listener.
        endpoints: Vec<Endpoint>,
    },
    /// A broker is registered no longer.
    RemoveBroker {
        /// Its id.
        node_id: i32,
    },
    /// Who the active controller is.
    Controller {
        /// Its id.
        node_id: i32,
    },
    /// All options of this broker that the data plane goes by and that were set after the start, for it or for all.
    BrokerOptions(OptionMap),
    /// Where this broker listens from here on.
    Listeners(Vec<Listener>),
    /// Levels of the cluster's features, all that are not 0.
    Features(BTreeMap<String, i16>),
    /// Whether clients are told of an API that the control plane serves; they are of all that nothing is said about.
    Offered {
        /// The API.
        api_key: i16,
        /// Whether ApiVersions has it.
        is_offered: bool,
    },
    /// A topic is there or has changed.
    Topic(TopicChange),
    /// What is set for clients or for an address has changed.
    Quota {
        /// `user`, `client-id` or `ip`, each with a name, or `None` for those that have no quota of their own.
        entity: Vec<(String, Option<String>)>,
        /// All that is set for it, by Kafka's keys.
        values: HashMap<String, f64>,
    },
    /// A topic is gone.
    RemoveTopic {
        /// Its id.
        topic_id: TopicId,
    },
}

/// A topic as published.
#[derive(Debug, Clone)]
pub struct TopicChange {
    /// Its name.
    pub name: String,
    /// Its id.
    pub topic_id: TopicId,
    /// Whether it is one of the cluster's own.
    pub is_internal: bool,
    /// All its partitions.
    pub partitions: Vec<PartitionState>,
    /// Its own options, by Kafka's topic option names.
    pub options: OptionMap,
}

/// A partition as published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionState {
    /// Its number.
    pub index: i32,
    /// Its leader, -1 for none.
    pub leader: i32,
    /// The leader's epoch.
    pub leader_epoch: i32,
    /// The brokers that host it.
    pub replicas: Vec<i32>,
    /// Those of them that are in sync.
    pub isr: Vec<i32>,
    /// Those that are not, and may be elected without loss.
    pub eligible_leader_replicas: Vec<i32>,
    /// Those that were eligible last.
    pub last_known_elr: Vec<i32>,
}

/// Where a broker listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The listener's name.
    pub listener: String,
    /// The host that clients are told.
    pub host: String,
    /// The port that clients are told.
    pub port: u16,
}

#[derive(Debug, Clone)]
pub(crate) struct BrokerEntry {
    pub(crate) rack: Option<String>,
    pub(crate) endpoints: Vec<Endpoint>,
}

impl BrokerEntry {
    pub(crate) fn endpoint(&self, listener: &str) -> Option<&Endpoint> {
        self.endpoints.iter().find(|endpoint| endpoint.listener == listener)
    }
}

#[derive(Debug)]
pub(crate) struct Topic {
    pub(crate) name: Arc<str>,
    pub(crate) id: TopicId,
    pub(crate) is_internal: bool,
    /// In order of their numbers.
    pub(crate) partitions: Vec<PartitionEntry>,
    pub(crate) min_insync_replicas: usize,
}

#[derive(Debug)]
pub(crate) struct PartitionEntry {
    pub(crate) state: PartitionState,
    /// The partition here, if this broker hosts it.
    pub(crate) local: Option<Arc<Partition>>,
    /// This broker hosts it, in a data directory that failed before it could be opened.
    pub(crate) is_offline: bool,
}

impl PartitionEntry {
    /// The partition here, if its data directory works.
    pub(crate) fn usable(&self) -> Result<&Arc<Partition>, ErrorCode> {
        match &self.local {
            Some(local) if !local.log.is_offline() => Ok(local),
            None if !self.is_offline => Err(ErrorCode::NOT_LEADER_OR_FOLLOWER),
            _ => Err(ErrorCode::KAFKA_STORAGE_ERROR),
        }
    }
}

impl Topic {
    pub(crate) fn partition(&self, index: i32) -> Option<&PartitionEntry> {
        // Numbers are contiguous from zero, so that the place is the number; the check keeps that an assumption.
        let guess = usize::try_from(index).ok().and_then(|place| self.partitions.get(place));
        guess
            .filter(|entry| entry.state.index == index)
            .or_else(|| self.partitions.iter().find(|entry| entry.state.index == index))
    }
}

/// One image.
#[derive(Debug, Clone, Default)]
pub(crate) struct Image {
    /// Offset of the last metadata record in it, which is the epoch of the finalized features.
    pub(crate) offset: i64,
    /// Leader epoch of the metadata log at that offset.
    pub(crate) epoch: i32,
    pub(crate) controller: Option<i32>,
    /// This broker.
    pub(crate) node_id: Option<i32>,
    pub(crate) brokers: BTreeMap<i32, Arc<BrokerEntry>>,
    /// Levels of features; those of a fresh cluster until the first are published.
    pub(crate) features: Option<Arc<BTreeMap<String, i16>>>,
    /// APIs that are served and that ApiVersions does not have.
    pub(crate) withheld: BTreeSet<i16>,
    topics: HashMap<Arc<str>, Arc<Topic>>,
    names: HashMap<TopicId, Arc<str>>,
}

impl Image {
    pub(crate) fn topic(&self, name: &str) -> Option<&Arc<Topic>> {
        self.topics.get(name)
    }

    pub(crate) fn topic_by_id(&self, id: &TopicId) -> Option<&Arc<Topic>> {
        self.topics.get(self.names.get(id)?)
    }

    pub(crate) fn topics(&self) -> impl ExactSizeIterator<Item = &Arc<Topic>> {
        self.topics.values()
    }

    /// The replicas of a partition whose broker is gone, does not have the listener, or has lost the data directory.
    pub(crate) fn offline_replicas(&self, entry: &PartitionEntry, listener: &str) -> Vec<i32> {
        let is_lost = matches!(entry.usable(), Err(ErrorCode::KAFKA_STORAGE_ERROR));
        let is_offline = |id: &&i32| {
            let broker = self.brokers.get(*id);
            broker.is_none_or(|broker| broker.endpoint(listener).is_none()) || (is_lost && self.node_id == Some(**id))
        };
        entry.state.replicas.iter().filter(is_offline).copied().collect()
    }

    /// The active controller, if clients can be told how to reach it.
    pub(crate) fn registered_controller(&self) -> Option<i32> {
        self.controller.filter(|node_id| self.brokers.contains_key(node_id))
    }

    pub(crate) fn local_partitions(&self) -> impl Iterator<Item = &Arc<Partition>> {
        self.topics
            .values()
            .flat_map(|topic| &topic.partitions)
            .filter_map(|entry| entry.local.as_ref())
    }

    pub(crate) fn put_topic(&mut self, topic: Topic) {
        self.names.insert(topic.id, Arc::clone(&topic.name));
        self.topics.insert(Arc::clone(&topic.name), Arc::new(topic));
    }

    pub(crate) fn take_topic(&mut self, id: &TopicId) -> Option<Arc<Topic>> {
        let name = self.names.remove(id)?;
        self.topics.remove(&name)
    }
}
