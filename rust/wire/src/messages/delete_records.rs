//! DeleteRecords, key 21.

use super::codec::{message, root};
use crate::api;

/// The offset that stands for the high watermark.
pub const HIGH_WATERMARK: i64 = -1;

message! {
    /// Asks to delete what lies before offsets.
    struct DeleteRecordsRequest<'a> flexible 2 {
        /// The topics.
        topics: Vec<DeleteRecordsTopic<'a>> = Vec::new(), 0..;
        /// How long the broker may wait for the followers.
        timeout_ms: i32 = 0, 0..;
    }

    /// One topic of a request.
    struct DeleteRecordsTopic<'a> flexible 2 {
        /// The topic's name.
        name: &'a str = "", 0..;
        /// The partitions.
        partitions: Vec<DeleteRecordsPartition> = Vec::new(), 0..;
    }

    /// One partition of a request.
    struct DeleteRecordsPartition flexible 2 {
        /// The partition.
        partition_index: i32 = 0, 0..;
        /// The first offset to keep; [`HIGH_WATERMARK`] for the high watermark.
        offset: i64 = 0, 0..;
    }

    /// What was deleted.
    struct DeleteRecordsResponse<'a> flexible 2 {
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 0..;
        /// The topics.
        topics: Vec<DeleteRecordsTopicResult<'a>> = Vec::new(), 0..;
    }

    /// One topic of a response.
    struct DeleteRecordsTopicResult<'a> flexible 2 {
        /// The topic's name.
        name: &'a str = "", 0..;
        /// The partitions.
        partitions: Vec<DeleteRecordsPartitionResult> = Vec::new(), 0..;
    }

    /// One partition of a response.
    struct DeleteRecordsPartitionResult flexible 2 {
        /// The partition.
        partition_index: i32 = 0, 0..;
        /// The least first offset of its replicas, -1 after an error.
        low_watermark: i64 = 0, 0..;
        /// What went wrong.
        error_code: i16 = 0, 0..;
    }
}

root!(DeleteRecordsRequest<'a>, api::DELETE_RECORDS);
root!(DeleteRecordsResponse<'a>, api::DELETE_RECORDS);
