//! DescribeTopicPartitions, key 75.

use super::codec::{Nullable, message, root};
use crate::api;
use crate::primitives::{Uuid, ZERO_UUID};

message! {
    /// Asks for topics and partitions, as many as one response may hold.
    struct DescribeTopicPartitionsRequest<'a> flexible 0 {
        /// The topics; none asks for all.
        topics: Vec<TopicRequest<'a>> = Vec::new(), 0..;
        /// The most partitions that the client wants.
        response_partition_limit: i32 = 2000, 0..;
        /// Where to begin.
        cursor: Nullable<Cursor<'a>> = Nullable(None), 0..;
    }

    /// One topic of a request.
    struct TopicRequest<'a> flexible 0 {
        /// The topic's name.
        name: &'a str = "", 0..;
    }

    /// A topic and a partition to begin with.
    struct Cursor<'a> flexible 0 {
        /// The topic's name.
        topic_name: &'a str = "", 0..;
        /// The partition.
        partition_index: i32 = 0, 0..;
    }

    /// Topics and partitions.
    struct DescribeTopicPartitionsResponse<'a> flexible 0 {
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 0.., ignorable = true;
        /// The topics.
        topics: Vec<DescribeTopicPartitionsResponseTopic<'a>> = Vec::new(), 0..;
        /// Where the next request begins; null if this is all.
        next_cursor: Nullable<Cursor<'a>> = Nullable(None), 0..;
    }

    /// One topic of a response.
    struct DescribeTopicPartitionsResponseTopic<'a> flexible 0 {
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// Its name.
        name: Option<&'a str> = Some(""), 0..;
        /// Its id.
        topic_id: Uuid = ZERO_UUID, 0.., ignorable = true;
        /// Whether it is one of the cluster's own.
        is_internal: bool = false, 0.., ignorable = true;
        /// Its partitions.
        partitions: Vec<DescribeTopicPartitionsResponsePartition> = Vec::new(), 0..;
        /// What the client may do with it, as bits.
        topic_authorized_operations: i32 = i32::MIN, 0..;
    }

    /// One partition of a response.
    struct DescribeTopicPartitionsResponsePartition flexible 0 {
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// The partition.
        partition_index: i32 = 0, 0..;
        /// Its leader, -1 for none.
        leader_id: i32 = 0, 0..;
        /// The leader's epoch.
        leader_epoch: i32 = -1, 0.., ignorable = true;
        /// The brokers that host it.
        replica_nodes: Vec<i32> = Vec::new(), 0..;
        /// Those of them that are in sync.
        isr_nodes: Vec<i32> = Vec::new(), 0..;
        /// Those of them that may lead though they are not in sync.
        eligible_leader_replicas: Option<Vec<i32>> = None, 0..;
        /// The last that were known of these.
        last_known_elr: Option<Vec<i32>> = None, 0..;
        /// Those of them that are offline.
        offline_replicas: Vec<i32> = Vec::new(), 0.., ignorable = true;
    }
}

root!(DescribeTopicPartitionsRequest<'a>, api::DESCRIBE_TOPIC_PARTITIONS);
root!(DescribeTopicPartitionsResponse<'a>, api::DESCRIBE_TOPIC_PARTITIONS);
