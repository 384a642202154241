//! Fetch, key 1.

use super::Records;
use super::codec::{in_parts, message, root};
use crate::api;
use crate::primitives::{Uuid, ZERO_UUID};

message! {
    /// Asks for record batches.
    struct FetchRequest<'a> flexible 12 {
        /// The cluster that the sender takes this one for.
        cluster_id: Option<&'a str> = None, 12.., tag = 0, ignorable = true;
        /// The follower, -1 for a consumer (before version 15).
        replica_id: i32 = -1, 0..=14;
        /// The follower and its epoch (since version 15).
        replica_state: ReplicaState = ReplicaState::default(), 15.., tag = 1;
        /// How long the broker may wait for `min_bytes`.
        max_wait_ms: i32 = 0, 0..;
        /// Wait for this much.
        min_bytes: i32 = 0, 0..;
        /// Return no more than this, but for a first batch.
        max_bytes: i32 = i32::MAX, 3.., ignorable = true;
        /// 1 to read only what is committed.
        isolation_level: i8 = 0, 4.., ignorable = true;
        /// The fetch session.
        session_id: i32 = 0, 7.., ignorable = true;
        /// The session's epoch; -1 for no session.
        session_epoch: i32 = -1, 7.., ignorable = true;
        /// The topics.
        topics: Vec<FetchTopic<'a>> = Vec::new(), 0..;
        /// What to drop from the session.
        forgotten_topics_data: Vec<ForgottenTopic<'a>> = Vec::new(), 7..;
        /// The consumer's rack.
        rack_id: &'a str = "", 11.., ignorable = true;
    }

    /// A follower and its epoch.
    struct ReplicaState flexible 12 {
        /// The follower, -1 for a consumer.
        replica_id: i32 = -1, 15..;
        /// Its broker epoch.
        replica_epoch: i64 = -1, 15..;
    }

    /// One topic of a request.
    struct FetchTopic<'a> flexible 12 {
        /// The topic's name.
        topic: &'a str = "", 0..=12, ignorable = true;
        /// The topic's id.
        topic_id: Uuid = ZERO_UUID, 13.., ignorable = true;
        /// The partitions.
        partitions: Vec<FetchPartition> = Vec::new(), 0..;
    }

    /// One partition of a request.
    struct FetchPartition flexible 12 {
        /// The partition.
        partition: i32 = 0, 0..;
        /// The leader epoch that the client knows, -1 for none.
        current_leader_epoch: i32 = -1, 9.., ignorable = true;
        /// Where to read from.
        fetch_offset: i64 = 0, 0..;
        /// The epoch of the last record that the client has, -1 for none.
        last_fetched_epoch: i32 = -1, 12..;
        /// The follower's first offset.
        log_start_offset: i64 = -1, 5.., ignorable = true;
        /// Return no more than this, but for a first batch.
        partition_max_bytes: i32 = 0, 0..;
        /// The follower's log directory.
        replica_directory_id: Uuid = ZERO_UUID, 17.., tag = 0, ignorable = true;
        /// The high watermark that the follower knows.
        high_watermark: i64 = i64::MAX, 18.., tag = 1, ignorable = true;
    }

    /// Partitions to drop from the session.
    struct ForgottenTopic<'a> flexible 12 {
        /// The topic's name.
        topic: &'a str = "", 7..=12, ignorable = true;
        /// The topic's id.
        topic_id: Uuid = ZERO_UUID, 13.., ignorable = true;
        /// The partitions.
        partitions: Vec<i32> = Vec::new(), 7..;
    }

    /// Record batches.
    struct FetchResponse<'a> flexible 12 {
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 1.., ignorable = true;
        /// What went wrong with the request as a whole.
        error_code: i16 = 0, 7.., ignorable = true;
        /// The fetch session, 0 for none.
        session_id: i32 = 0, 7..;
        /// The topics.
        responses: Vec<FetchableTopicResponse<'a>> = Vec::new(), 0..;
        /// Where the leaders named in the partitions are found.
        node_endpoints: Vec<NodeEndpoint<'a>> = Vec::new(), 16.., tag = 0;
    }

    /// One topic of a response.
    struct FetchableTopicResponse<'a> flexible 12 {
        /// The topic's name.
        topic: &'a str = "", 0..=12, ignorable = true;
        /// The topic's id.
        topic_id: Uuid = ZERO_UUID, 13.., ignorable = true;
        /// The partitions.
        partitions: Vec<PartitionData<'a>> = Vec::new(), 0..;
    }

    /// One partition of a response.
    struct PartitionData<'a> flexible 12 {
        /// The partition.
        partition_index: i32 = 0, 0..;
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// The high watermark.
        high_watermark: i64 = 0, 0..;
        /// The offset up to which all transactions are decided.
        last_stable_offset: i64 = -1, 4.., ignorable = true;
        /// The partition's first offset.
        log_start_offset: i64 = -1, 5.., ignorable = true;
        /// Where the client's log leaves the leader's.
        diverging_epoch: EpochEndOffset = EpochEndOffset::default(), 12.., tag = 0;
        /// The partition's leader, when the broker is not it.
        current_leader: LeaderIdAndEpoch = LeaderIdAndEpoch::default(), 12.., tag = 1;
        /// The snapshot to fetch instead.
        snapshot_id: SnapshotId = SnapshotId::default(), 12.., tag = 2;
        /// Aborted transactions among the records; null with read_uncommitted.
        aborted_transactions: Option<Vec<AbortedTransaction>> = Some(Vec::new()), 4.., ignorable = true;
        /// The replica to read from next, -1 for the leader.
        preferred_read_replica: i32 = -1, 11..;
        /// Whole record batches.
        records: Records<'a> = Records::Null, 0..;
    }

    /// Where an epoch ends.
    struct EpochEndOffset flexible 12 {
        /// The epoch.
        epoch: i32 = -1, 12..;
        /// The offset after its last record.
        end_offset: i64 = -1, 12..;
    }

    /// A leader.
    struct LeaderIdAndEpoch flexible 12 {
        /// The leader, -1 if it is not known.
        leader_id: i32 = -1, 12..;
        /// Its epoch.
        leader_epoch: i32 = -1, 12..;
    }

    /// A snapshot of a metadata log.
    struct SnapshotId flexible 12 {
        /// The offset after its last record.
        end_offset: i64 = -1, 0..;
        /// The epoch of its last record.
        epoch: i32 = -1, 0..;
    }

    /// A transaction that was aborted.
    struct AbortedTransaction flexible 12 {
        /// Its producer id.
        producer_id: i64 = 0, 4..;
        /// The offset of its first record.
        first_offset: i64 = 0, 4..;
    }

    /// Where a broker is found.
    struct NodeEndpoint<'a> flexible 12 {
        /// The broker.
        node_id: i32 = 0, 16..;
        /// Its host.
        host: &'a str = "", 16..;
        /// Its port.
        port: i32 = 0, 16..;
        /// Its rack.
        rack: Option<&'a str> = None, 16..;
    }
}

root!(FetchRequest<'a>, api::FETCH);
root!(FetchResponse<'a>, api::FETCH);
in_parts!(FetchResponse);
