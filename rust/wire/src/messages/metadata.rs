//! Metadata, key 3.

use super::codec::{message, root};
use crate::api;
use crate::primitives::{Uuid, ZERO_UUID};

message! {
    /// Asks for brokers, topics and partitions.
    struct MetadataRequest<'a> flexible 9 {
        /// The topics; null (in version 0: none) asks for all.
        topics: Option<Vec<MetadataRequestTopic<'a>>> = Some(Vec::new()), 0.., nullable = 1;
        /// Whether the broker may create topics that do not exist.
        allow_auto_topic_creation: bool = true, 4..;
        /// Whether to say what the client may do with the cluster.
        include_cluster_authorized_operations: bool = false, 8..=10;
        /// Whether to say what the client may do with each topic.
        include_topic_authorized_operations: bool = false, 8..;
    }

    /// A topic, by name or by id.
    struct MetadataRequestTopic<'a> flexible 9 {
        /// The topic's id.
        topic_id: Uuid = ZERO_UUID, 10.., ignorable = true;
        /// The topic's name.
        name: Option<&'a str> = Some(""), 0.., nullable = 10;
    }

    /// Brokers, topics and partitions.
    struct MetadataResponse<'a> flexible 9 {
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 3.., ignorable = true;
        /// The brokers.
        brokers: Vec<MetadataResponseBroker<'a>> = Vec::new(), 0..;
        /// The cluster's id.
        cluster_id: Option<&'a str> = None, 2.., ignorable = true;
        /// The broker to send a controller's requests to.
        controller_id: i32 = -1, 1.., ignorable = true;
        /// The topics.
        topics: Vec<MetadataResponseTopic<'a>> = Vec::new(), 0..;
        /// What the client may do with the cluster, as bits.
        cluster_authorized_operations: i32 = i32::MIN, 8..=10;
        /// What went wrong with the request as a whole.
        error_code: i16 = 0, 13.., ignorable = true;
    }

    /// A broker.
    struct MetadataResponseBroker<'a> flexible 9 {
        /// Its id.
        node_id: i32 = 0, 0..;
        /// Its host.
        host: &'a str = "", 0..;
        /// Its port.
        port: i32 = 0, 0..;
        /// Its rack.
        rack: Option<&'a str> = None, 1.., ignorable = true;
    }

    /// A topic.
    struct MetadataResponseTopic<'a> flexible 9 {
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// Its name; null if only its id was asked for and it does not exist.
        name: Option<&'a str> = Some(""), 0.., nullable = 12;
        /// Its id.
        topic_id: Uuid = ZERO_UUID, 10.., ignorable = true;
        /// Whether it is one of the cluster's own.
        is_internal: bool = false, 1.., ignorable = true;
        /// Its partitions.
        partitions: Vec<MetadataResponsePartition> = Vec::new(), 0..;
        /// What the client may do with it, as bits.
        topic_authorized_operations: i32 = i32::MIN, 8..;
    }

    /// A partition.
    struct MetadataResponsePartition flexible 9 {
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// The partition.
        partition_index: i32 = 0, 0..;
        /// Its leader, -1 for none.
        leader_id: i32 = 0, 0..;
        /// The leader's epoch.
        leader_epoch: i32 = -1, 7.., ignorable = true;
        /// The brokers that host it.
        replica_nodes: Vec<i32> = Vec::new(), 0..;
        /// Those of them that are in sync.
        isr_nodes: Vec<i32> = Vec::new(), 0..;
        /// Those of them that are offline.
        offline_replicas: Vec<i32> = Vec::new(), 5.., ignorable = true;
    }
}

root!(MetadataRequest<'a>, api::METADATA);
root!(MetadataResponse<'a>, api::METADATA);
