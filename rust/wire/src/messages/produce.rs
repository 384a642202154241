//! Produce, key 0.

use super::Records;
use super::codec::{in_parts, message, root};
use crate::api;
use crate::primitives::{Uuid, ZERO_UUID};

message! {
    /// Record batches to append.
    struct ProduceRequest<'a> flexible 9 {
        /// The transactional id, if the producer has one.
        transactional_id: Option<&'a str> = None, 3..;
        /// 0, 1, or -1 for all in-sync replicas.
        acks: i16 = 0, 0..;
        /// How long the broker may wait for acknowledgements.
        timeout_ms: i32 = 0, 0..;
        /// The topics.
        topic_data: Vec<TopicProduceData<'a>> = Vec::new(), 0..;
    }

    /// One topic of a request.
    struct TopicProduceData<'a> flexible 9 {
        /// The topic's name.
        name: &'a str = "", 0..=12, ignorable = true;
        /// The topic's id.
        topic_id: Uuid = ZERO_UUID, 13.., ignorable = true;
        /// The partitions.
        partition_data: Vec<PartitionProduceData<'a>> = Vec::new(), 0..;
    }

    /// One partition of a request.
    struct PartitionProduceData<'a> flexible 9 {
        /// The partition.
        index: i32 = 0, 0..;
        /// Whole record batches.
        records: Records<'a> = Records::Null, 0..;
    }

    /// What became of the batches.
    struct ProduceResponse<'a> flexible 9 {
        /// The topics.
        responses: Vec<TopicProduceResponse<'a>> = Vec::new(), 0..;
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 1.., ignorable = true;
        /// Where the leaders named in the partitions are found.
        node_endpoints: Vec<NodeEndpoint<'a>> = Vec::new(), 10.., tag = 0;
    }

    /// One topic of a response.
    struct TopicProduceResponse<'a> flexible 9 {
        /// The topic's name.
        name: &'a str = "", 0..=12, ignorable = true;
        /// The topic's id.
        topic_id: Uuid = ZERO_UUID, 13.., ignorable = true;
        /// The partitions.
        partition_responses: Vec<PartitionProduceResponse<'a>> = Vec::new(), 0..;
    }

    /// One partition of a response.
    struct PartitionProduceResponse<'a> flexible 9 {
        /// The partition.
        index: i32 = 0, 0..;
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// The offset of the first record.
        base_offset: i64 = 0, 0..;
        /// The broker's timestamp, if the topic uses it, else -1.
        log_append_time_ms: i64 = -1, 2.., ignorable = true;
        /// The partition's first offset.
        log_start_offset: i64 = -1, 5.., ignorable = true;
        /// Which records were refused.
        record_errors: Vec<BatchIndexAndErrorMessage<'a>> = Vec::new(), 8.., ignorable = true;
        /// Why the batch was refused.
        error_message: Option<&'a str> = None, 8.., ignorable = true;
        /// The partition's leader, when the broker is not it.
        current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch::default(), 10.., tag = 0;
    }

    /// A record that was refused.
    struct BatchIndexAndErrorMessage<'a> flexible 9 {
        /// Its place in the batch.
        batch_index: i32 = 0, 8..;
        /// What is wrong with it.
        batch_index_error_message: Option<&'a str> = None, 8..;
    }

    /// A leader.
    struct LeaderIdAndEpoch flexible 9 {
        /// The leader, -1 if it is not known.
        leader_id: i32 = -1, 10..;
        /// Its epoch.
        leader_epoch: i32 = -1, 10..;
    }

    /// Where a broker is found.
    struct NodeEndpoint<'a> flexible 9 {
        /// The broker.
        node_id: i32 = 0, 10..;
        /// Its host.
        host: &'a str = "", 10..;
        /// Its port.
        port: i32 = 0, 10..;
        /// Its rack.
        rack: Option<&'a str> = None, 10..;
    }
}

root!(ProduceRequest<'a>, api::PRODUCE);
root!(ProduceResponse<'a>, api::PRODUCE);
in_parts!(ProduceRequest);
