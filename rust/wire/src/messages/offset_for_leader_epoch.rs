//! OffsetForLeaderEpoch, key 23.

use super::codec::{message, root};
use crate::api;

message! {
    /// Asks where leader epochs end.
    struct OffsetForLeaderEpochRequest<'a> flexible 4 {
        /// The follower, -1 for a consumer.
        replica_id: i32 = -2, 3.., ignorable = true;
        /// The topics.
        topics: Vec<OffsetForLeaderTopic<'a>> = Vec::new(), 0..;
    }

    /// One topic of a request.
    struct OffsetForLeaderTopic<'a> flexible 4 {
        /// The topic's name.
        topic: &'a str = "", 0..;
        /// The partitions.
        partitions: Vec<OffsetForLeaderPartition> = Vec::new(), 0..;
    }

    /// One partition of a request.
    struct OffsetForLeaderPartition flexible 4 {
        /// The partition.
        partition: i32 = 0, 0..;
        /// The leader epoch that the client knows, -1 for none.
        current_leader_epoch: i32 = -1, 2.., ignorable = true;
        /// The epoch whose end is asked for.
        leader_epoch: i32 = 0, 0..;
    }

    /// Where leader epochs end.
    struct OffsetForLeaderEpochResponse<'a> flexible 4 {
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 2.., ignorable = true;
        /// The topics.
        topics: Vec<OffsetForLeaderTopicResult<'a>> = Vec::new(), 0..;
    }

    /// One topic of a response.
    struct OffsetForLeaderTopicResult<'a> flexible 4 {
        /// The topic's name.
        topic: &'a str = "", 0..;
        /// The partitions.
        partitions: Vec<EpochEndOffset> = Vec::new(), 0..;
    }

    /// One partition of a response.
    struct EpochEndOffset flexible 4 {
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// The partition.
        partition: i32 = 0, 0..;
        /// The largest epoch up to the one asked for.
        leader_epoch: i32 = -1, 1.., ignorable = true;
        /// The offset after its last record.
        end_offset: i64 = -1, 0..;
    }
}

root!(OffsetForLeaderEpochRequest<'a>, api::OFFSET_FOR_LEADER_EPOCH);
root!(OffsetForLeaderEpochResponse<'a>, api::OFFSET_FOR_LEADER_EPOCH);
