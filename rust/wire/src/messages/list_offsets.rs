//! ListOffsets, key 2.

use super::codec::{message, root};
use crate::api;

/// The timestamp that asks for the next offset.
pub const LATEST_TIMESTAMP: i64 = -1;
/// The timestamp that asks for the first offset.
pub const EARLIEST_TIMESTAMP: i64 = -2;
/// The timestamp that asks for the record with the largest timestamp.
pub const MAX_TIMESTAMP: i64 = -3;
/// The timestamp that asks for the first offset on the broker's own disk.
pub const EARLIEST_LOCAL_TIMESTAMP: i64 = -4;
/// The timestamp that asks for the last offset in tiered storage.
pub const LATEST_TIERED_TIMESTAMP: i64 = -5;
/// The timestamp that asks for the first offset that is not in tiered storage yet.
pub const EARLIEST_PENDING_UPLOAD_TIMESTAMP: i64 = -6;

message! {
    /// Asks for offsets by timestamp.
    struct ListOffsetsRequest<'a> flexible 6 {
        /// The follower, -1 for a consumer.
        replica_id: i32 = 0, 0..;
        /// 1 to see only what is committed.
        isolation_level: i8 = 0, 2..;
        /// The topics.
        topics: Vec<ListOffsetsTopic<'a>> = Vec::new(), 0..;
        /// How long to wait for tiered storage.
        timeout_ms: i32 = 0, 10.., ignorable = true;
    }

    /// One topic of a request.
    struct ListOffsetsTopic<'a> flexible 6 {
        /// The topic's name.
        name: &'a str = "", 0..;
        /// The partitions.
        partitions: Vec<ListOffsetsPartition> = Vec::new(), 0..;
    }

    /// One partition of a request.
    struct ListOffsetsPartition flexible 6 {
        /// The partition.
        partition_index: i32 = 0, 0..;
        /// The leader epoch that the client knows, -1 for none.
        current_leader_epoch: i32 = -1, 4.., ignorable = true;
        /// The timestamp, or one of the special ones.
        timestamp: i64 = 0, 0..;
    }

    /// Offsets.
    struct ListOffsetsResponse<'a> flexible 6 {
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 2.., ignorable = true;
        /// The topics.
        topics: Vec<ListOffsetsTopicResponse<'a>> = Vec::new(), 0..;
    }

    /// One topic of a response.
    struct ListOffsetsTopicResponse<'a> flexible 6 {
        /// The topic's name.
        name: &'a str = "", 0..;
        /// The partitions.
        partitions: Vec<ListOffsetsPartitionResponse> = Vec::new(), 0..;
    }

    /// One partition of a response.
    struct ListOffsetsPartitionResponse flexible 6 {
        /// The partition.
        partition_index: i32 = 0, 0..;
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// The timestamp of the record at `offset`.
        timestamp: i64 = -1, 1..;
        /// The offset, -1 for none.
        offset: i64 = -1, 1..;
        /// The epoch of the record at `offset`.
        leader_epoch: i32 = -1, 4..;
    }
}

root!(ListOffsetsRequest<'a>, api::LIST_OFFSETS);
root!(ListOffsetsResponse<'a>, api::LIST_OFFSETS);
