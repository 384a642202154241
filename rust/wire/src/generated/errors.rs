// Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
//! The error table.

use crate::errors::{ErrorCode, ErrorRow};

impl ErrorCode {
    /// The broker failed in a way it did not foresee.
    pub const UNKNOWN_SERVER_ERROR: Self = Self(-1);
    /// No error.
    pub const NONE: Self = Self(0);
    /// The offset is outside the partition's log.
    pub const OFFSET_OUT_OF_RANGE: Self = Self(1);
    /// A record batch is damaged: its checksum, size or layout is wrong.
    pub const CORRUPT_MESSAGE: Self = Self(2);
    /// The broker does not host this topic or partition.
    pub const UNKNOWN_TOPIC_OR_PARTITION: Self = Self(3);
    /// The fetch size is not valid.
    pub const INVALID_FETCH_SIZE: Self = Self(4);
    /// The partition has no leader at the moment.
    pub const LEADER_NOT_AVAILABLE: Self = Self(5);
    /// The broker is no longer a leader or follower of this partition.
    pub const NOT_LEADER_OR_FOLLOWER: Self = Self(6);
    /// The request was not completed in time.
    pub const REQUEST_TIMED_OUT: Self = Self(7);
    /// The broker is not available.
    pub const BROKER_NOT_AVAILABLE: Self = Self(8);
    /// The replica is not available on this broker.
    pub const REPLICA_NOT_AVAILABLE: Self = Self(9);
    /// A record batch is larger than max.message.bytes of its topic.
    pub const MESSAGE_TOO_LARGE: Self = Self(10);
    /// The controller has been replaced by a newer one.
    pub const STALE_CONTROLLER_EPOCH: Self = Self(11);
    /// The metadata of a committed offset is too long.
    pub const OFFSET_METADATA_TOO_LARGE: Self = Self(12);
    /// The connection broke before the response came.
    pub const NETWORK_EXCEPTION: Self = Self(13);
    /// The coordinator is still loading its state.
    pub const COORDINATOR_LOAD_IN_PROGRESS: Self = Self(14);
    /// The coordinator is not available.
    pub const COORDINATOR_NOT_AVAILABLE: Self = Self(15);
    /// The broker is not the coordinator of this group or transaction.
    pub const NOT_COORDINATOR: Self = Self(16);
    /// The topic's name is not valid, or clients may not write to it.
    pub const INVALID_TOPIC_EXCEPTION: Self = Self(17);
    /// The record batch is larger than segment.bytes of its topic.
    pub const RECORD_LIST_TOO_LARGE: Self = Self(18);
    /// Fewer replicas are in sync than min.insync.replicas asks for.
    pub const NOT_ENOUGH_REPLICAS: Self = Self(19);
    /// The records were written, but to fewer replicas than min.insync.replicas asks for.
    pub const NOT_ENOUGH_REPLICAS_AFTER_APPEND: Self = Self(20);
    /// Acks must be -1, 0 or 1.
    pub const INVALID_REQUIRED_ACKS: Self = Self(21);
    /// The generation is not the group's current one.
    pub const ILLEGAL_GENERATION: Self = Self(22);
    /// The member shares no protocol with the rest of the group.
    pub const INCONSISTENT_GROUP_PROTOCOL: Self = Self(23);
    /// The group id is not valid.
    pub const INVALID_GROUP_ID: Self = Self(24);
    /// The group does not know this member.
    pub const UNKNOWN_MEMBER_ID: Self = Self(25);
    /// The session timeout is outside group.min.session.timeout.ms and group.max.session.timeout.ms.
    pub const INVALID_SESSION_TIMEOUT: Self = Self(26);
    /// The group is rebalancing: join again.
    pub const REBALANCE_IN_PROGRESS: Self = Self(27);
    /// The offsets to commit do not fit into one record batch.
    pub const INVALID_COMMIT_OFFSET_SIZE: Self = Self(28);
    /// Not authorised for this topic.
    pub const TOPIC_AUTHORIZATION_FAILED: Self = Self(29);
    /// Not authorised for this group.
    pub const GROUP_AUTHORIZATION_FAILED: Self = Self(30);
    /// Not authorised for this operation on the cluster.
    pub const CLUSTER_AUTHORIZATION_FAILED: Self = Self(31);
    /// A record's timestamp is outside the range that its topic accepts.
    pub const INVALID_TIMESTAMP: Self = Self(32);
    /// The broker does not offer this SASL mechanism.
    pub const UNSUPPORTED_SASL_MECHANISM: Self = Self(33);
    /// The request does not fit the state of the SASL exchange.
    pub const ILLEGAL_SASL_STATE: Self = Self(34);
    /// The broker does not support this version of the API.
    pub const UNSUPPORTED_VERSION: Self = Self(35);
    /// A topic with this name exists already.
    pub const TOPIC_ALREADY_EXISTS: Self = Self(36);
    /// The number of partitions is not valid.
    pub const INVALID_PARTITIONS: Self = Self(37);
    /// The replication factor is below 1 or above the number of brokers.
    pub const INVALID_REPLICATION_FACTOR: Self = Self(38);
    /// The replica assignment is not valid.
    pub const INVALID_REPLICA_ASSIGNMENT: Self = Self(39);
    /// A configuration value is not valid.
    pub const INVALID_CONFIG: Self = Self(40);
    /// The broker is not the active controller.
    pub const NOT_CONTROLLER: Self = Self(41);
    /// The request is malformed, or its fields contradict each other.
    pub const INVALID_REQUEST: Self = Self(42);
    /// The partition's record format does not support this.
    pub const UNSUPPORTED_FOR_MESSAGE_FORMAT: Self = Self(43);
    /// A policy of the cluster forbids this.
    pub const POLICY_VIOLATION: Self = Self(44);
    /// The producer's sequence number has a gap.
    pub const OUT_OF_ORDER_SEQUENCE_NUMBER: Self = Self(45);
    /// The producer's sequence number was seen before.
    pub const DUPLICATE_SEQUENCE_NUMBER: Self = Self(46);
    /// The producer epoch is not the current one.
    pub const INVALID_PRODUCER_EPOCH: Self = Self(47);
    /// The transaction's state does not allow this.
    pub const INVALID_TXN_STATE: Self = Self(48);
    /// The producer id does not belong to this transactional id.
    pub const INVALID_PRODUCER_ID_MAPPING: Self = Self(49);
    /// The transaction timeout is above transaction.max.timeout.ms.
    pub const INVALID_TRANSACTION_TIMEOUT: Self = Self(50);
    /// The previous transaction of this transactional id is still being completed.
    pub const CONCURRENT_TRANSACTIONS: Self = Self(51);
    /// A newer transaction coordinator has taken over.
    pub const TRANSACTION_COORDINATOR_FENCED: Self = Self(52);
    /// Not authorised for this transactional id.
    pub const TRANSACTIONAL_ID_AUTHORIZATION_FAILED: Self = Self(53);
    /// The broker has no authorizer.
    pub const SECURITY_DISABLED: Self = Self(54);
    /// Not attempted, because another operation of the same batch failed.
    pub const OPERATION_NOT_ATTEMPTED: Self = Self(55);
    /// A log directory of the broker has failed.
    pub const KAFKA_STORAGE_ERROR: Self = Self(56);
    /// The log directory is not in the broker's configuration.
    pub const LOG_DIR_NOT_FOUND: Self = Self(57);
    /// SASL authentication failed.
    pub const SASL_AUTHENTICATION_FAILED: Self = Self(58);
    /// The broker has no state of this producer id.
    pub const UNKNOWN_PRODUCER_ID: Self = Self(59);
    /// The partition is being reassigned.
    pub const REASSIGNMENT_IN_PROGRESS: Self = Self(60);
    /// Delegation tokens are not enabled.
    pub const DELEGATION_TOKEN_AUTH_DISABLED: Self = Self(61);
    /// The delegation token does not exist.
    pub const DELEGATION_TOKEN_NOT_FOUND: Self = Self(62);
    /// The delegation token belongs to somebody else.
    pub const DELEGATION_TOKEN_OWNER_MISMATCH: Self = Self(63);
    /// This connection may not ask for delegation tokens.
    pub const DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: Self = Self(64);
    /// Not authorised for this delegation token.
    pub const DELEGATION_TOKEN_AUTHORIZATION_FAILED: Self = Self(65);
    /// The delegation token has expired.
    pub const DELEGATION_TOKEN_EXPIRED: Self = Self(66);
    /// This type of principal is not supported.
    pub const INVALID_PRINCIPAL_TYPE: Self = Self(67);
    /// The group still has members.
    pub const NON_EMPTY_GROUP: Self = Self(68);
    /// The group does not exist.
    pub const GROUP_ID_NOT_FOUND: Self = Self(69);
    /// The broker does not know this fetch session.
    pub const FETCH_SESSION_ID_NOT_FOUND: Self = Self(70);
    /// The epoch is not the fetch session's next one.
    pub const INVALID_FETCH_SESSION_EPOCH: Self = Self(71);
    /// The leader has no listener like the one this request came in by.
    pub const LISTENER_NOT_FOUND: Self = Self(72);
    /// Deleting topics is disabled.
    pub const TOPIC_DELETION_DISABLED: Self = Self(73);
    /// The leader epoch is older than the broker's.
    pub const FENCED_LEADER_EPOCH: Self = Self(74);
    /// The leader epoch is newer than the broker's.
    pub const UNKNOWN_LEADER_EPOCH: Self = Self(75);
    /// This version of the API does not carry this compression codec.
    pub const UNSUPPORTED_COMPRESSION_TYPE: Self = Self(76);
    /// The broker epoch is not the current one.
    pub const STALE_BROKER_EPOCH: Self = Self(77);
    /// The new leader cannot tell its offsets yet.
    pub const OFFSET_NOT_AVAILABLE: Self = Self(78);
    /// Join again with the member id that was given.
    pub const MEMBER_ID_REQUIRED: Self = Self(79);
    /// The preferred leader is not available.
    pub const PREFERRED_LEADER_NOT_AVAILABLE: Self = Self(80);
    /// The group has as many members as it may have.
    pub const GROUP_MAX_SIZE_REACHED: Self = Self(81);
    /// Another member has taken over this group.instance.id.
    pub const FENCED_INSTANCE_ID: Self = Self(82);
    /// No replica may become leader.
    pub const ELIGIBLE_LEADERS_NOT_AVAILABLE: Self = Self(83);
    /// The partition has the wanted leader already.
    pub const ELECTION_NOT_NEEDED: Self = Self(84);
    /// The partition is not being reassigned.
    pub const NO_REASSIGNMENT_IN_PROGRESS: Self = Self(85);
    /// The group is subscribed to this topic.
    pub const GROUP_SUBSCRIBED_TO_TOPIC: Self = Self(86);
    /// A record was refused by the broker's validation.
    pub const INVALID_RECORD: Self = Self(87);
    /// A transaction that commits these offsets is still open.
    pub const UNSTABLE_OFFSET_COMMIT: Self = Self(88);
    /// A quota is used up: try again after the throttle time.
    pub const THROTTLING_QUOTA_EXCEEDED: Self = Self(89);
    /// A newer producer with the same transactional id has taken over.
    pub const PRODUCER_FENCED: Self = Self(90);
    /// The resource does not exist.
    pub const RESOURCE_NOT_FOUND: Self = Self(91);
    /// The resource exists already.
    pub const DUPLICATE_RESOURCE: Self = Self(92);
    /// The credential does not meet the requirements.
    pub const UNACCEPTABLE_CREDENTIAL: Self = Self(93);
    /// The set of voters differs from the one expected.
    pub const INCONSISTENT_VOTER_SET: Self = Self(94);
    /// The update is based on another version of the state.
    pub const INVALID_UPDATE_VERSION: Self = Self(95);
    /// The finalized features could not be changed.
    pub const FEATURE_UPDATE_FAILED: Self = Self(96);
    /// The forwarded principal could not be read.
    pub const PRINCIPAL_DESERIALIZATION_FAILURE: Self = Self(97);
    /// The snapshot does not exist.
    pub const SNAPSHOT_NOT_FOUND: Self = Self(98);
    /// The position is outside the snapshot.
    pub const POSITION_OUT_OF_RANGE: Self = Self(99);
    /// The broker does not host a topic with this id.
    pub const UNKNOWN_TOPIC_ID: Self = Self(100);
    /// A broker with this id is registered already.
    pub const DUPLICATE_BROKER_REGISTRATION: Self = Self(101);
    /// No broker is registered with this id.
    pub const BROKER_ID_NOT_REGISTERED: Self = Self(102);
    /// The topic id is not the one in the partition's log.
    pub const INCONSISTENT_TOPIC_ID: Self = Self(103);
    /// The cluster id is not this cluster's.
    pub const INCONSISTENT_CLUSTER_ID: Self = Self(104);
    /// The transactional id does not exist.
    pub const TRANSACTIONAL_ID_NOT_FOUND: Self = Self(105);
    /// The fetch session mixes requests with and without topic ids.
    pub const FETCH_SESSION_TOPIC_ID_ERROR: Self = Self(106);
    /// A replica may not join the in-sync set.
    pub const INELIGIBLE_REPLICA: Self = Self(107);
    /// The change made another broker the leader.
    pub const NEW_LEADER_ELECTED: Self = Self(108);
    /// The offset lies in tiered storage.
    pub const OFFSET_MOVED_TO_TIERED_STORAGE: Self = Self(109);
    /// The coordinator has fenced this member epoch: join again.
    pub const FENCED_MEMBER_EPOCH: Self = Self(110);
    /// Another member still holds this instance id.
    pub const UNRELEASED_INSTANCE_ID: Self = Self(111);
    /// The group does not support this assignor.
    pub const UNSUPPORTED_ASSIGNOR: Self = Self(112);
    /// The member epoch is stale: fetch the current one and try again.
    pub const STALE_MEMBER_EPOCH: Self = Self(113);
    /// The request went to the wrong kind of endpoint.
    pub const MISMATCHED_ENDPOINT_TYPE: Self = Self(114);
    /// This kind of endpoint is not supported.
    pub const UNSUPPORTED_ENDPOINT_TYPE: Self = Self(115);
    /// No controller has this id.
    pub const UNKNOWN_CONTROLLER_ID: Self = Self(116);
    /// The telemetry subscription is not the current one.
    pub const UNKNOWN_SUBSCRIPTION_ID: Self = Self(117);
    /// The telemetry is larger than the broker takes.
    pub const TELEMETRY_TOO_LARGE: Self = Self(118);
    /// The registration contradicts the cluster's state.
    pub const INVALID_REGISTRATION: Self = Self(119);
    /// The transaction failed and must be aborted.
    pub const TRANSACTION_ABORTABLE: Self = Self(120);
    /// The record's state does not allow this acknowledgement.
    pub const INVALID_RECORD_STATE: Self = Self(121);
    /// The broker does not know this share session.
    pub const SHARE_SESSION_NOT_FOUND: Self = Self(122);
    /// The epoch is not the share session's next one.
    pub const INVALID_SHARE_SESSION_EPOCH: Self = Self(123);
    /// The share coordinator has a newer state epoch.
    pub const FENCED_STATE_EPOCH: Self = Self(124);
    /// The voter key is not the receiver's.
    pub const INVALID_VOTER_KEY: Self = Self(125);
    /// The voter is a member of the set already.
    pub const DUPLICATE_VOTER: Self = Self(126);
    /// The voter is not a member of the set.
    pub const VOTER_NOT_FOUND: Self = Self(127);
    /// The regular expression is not valid.
    pub const INVALID_REGULAR_EXPRESSION: Self = Self(128);
    /// The cluster's metadata is too old: start again from bootstrap.servers.
    pub const REBOOTSTRAP_REQUIRED: Self = Self(129);
    /// The topology is not valid.
    pub const STREAMS_INVALID_TOPOLOGY: Self = Self(130);
    /// The topology epoch is not valid.
    pub const STREAMS_INVALID_TOPOLOGY_EPOCH: Self = Self(131);
    /// The topology epoch is outdated.
    pub const STREAMS_TOPOLOGY_FENCED: Self = Self(132);
    /// The broker has as many share sessions as it may have.
    pub const SHARE_SESSION_LIMIT_REACHED: Self = Self(133);
}

pub(crate) const ROWS: [ErrorRow; 135] = [
    ErrorRow {
        code: -1,
        name: "UNKNOWN_SERVER_ERROR",
        retriable: false,
        refreshes_metadata: false,
        message: "the broker failed in a way it did not foresee",
    },
    ErrorRow {
        code: 0,
        name: "NONE",
        retriable: false,
        refreshes_metadata: false,
        message: "no error",
    },
    ErrorRow {
        code: 1,
        name: "OFFSET_OUT_OF_RANGE",
        retriable: false,
        refreshes_metadata: false,
        message: "the offset is outside the partition's log",
    },
    ErrorRow {
        code: 2,
        name: "CORRUPT_MESSAGE",
        retriable: true,
        refreshes_metadata: false,
        message: "a record batch is damaged: its checksum, size or layout is wrong",
    },
    ErrorRow {
        code: 3,
        name: "UNKNOWN_TOPIC_OR_PARTITION",
        retriable: true,
        refreshes_metadata: true,
        message: "the broker does not host this topic or partition",
    },
    ErrorRow {
        code: 4,
        name: "INVALID_FETCH_SIZE",
        retriable: false,
        refreshes_metadata: false,
        message: "the fetch size is not valid",
    },
    ErrorRow {
        code: 5,
        name: "LEADER_NOT_AVAILABLE",
        retriable: true,
        refreshes_metadata: true,
        message: "the partition has no leader at the moment",
    },
    ErrorRow {
        code: 6,
        name: "NOT_LEADER_OR_FOLLOWER",
        retriable: true,
        refreshes_metadata: true,
        message: "the broker is no longer a leader or follower of this partition",
    },
    ErrorRow {
        code: 7,
        name: "REQUEST_TIMED_OUT",
        retriable: true,
        refreshes_metadata: false,
        message: "the request was not completed in time",
    },
    ErrorRow {
        code: 8,
        name: "BROKER_NOT_AVAILABLE",
        retriable: false,
        refreshes_metadata: false,
        message: "the broker is not available",
    },
    ErrorRow {
        code: 9,
        name: "REPLICA_NOT_AVAILABLE",
        retriable: true,
        refreshes_metadata: true,
        message: "the replica is not available on this broker",
    },
    ErrorRow {
        code: 10,
        name: "MESSAGE_TOO_LARGE",
        retriable: false,
        refreshes_metadata: false,
        message: "a record batch is larger than max.message.bytes of its topic",
    },
    ErrorRow {
        code: 11,
        name: "STALE_CONTROLLER_EPOCH",
        retriable: false,
        refreshes_metadata: false,
        message: "the controller has been replaced by a newer one",
    },
    ErrorRow {
        code: 12,
        name: "OFFSET_METADATA_TOO_LARGE",
        retriable: false,
        refreshes_metadata: false,
        message: "the metadata of a committed offset is too long",
    },
    ErrorRow {
        code: 13,
        name: "NETWORK_EXCEPTION",
        retriable: true,
        refreshes_metadata: true,
        message: "the connection broke before the response came",
    },
    ErrorRow {
        code: 14,
        name: "COORDINATOR_LOAD_IN_PROGRESS",
        retriable: true,
        refreshes_metadata: false,
        message: "the coordinator is still loading its state",
    },
    ErrorRow {
        code: 15,
        name: "COORDINATOR_NOT_AVAILABLE",
        retriable: true,
        refreshes_metadata: false,
        message: "the coordinator is not available",
    },
    ErrorRow {
        code: 16,
        name: "NOT_COORDINATOR",
        retriable: true,
        refreshes_metadata: false,
        message: "the broker is not the coordinator of this group or transaction",
    },
    ErrorRow {
        code: 17,
        name: "INVALID_TOPIC_EXCEPTION",
        retriable: false,
        refreshes_metadata: false,
        message: "the topic's name is not valid, or clients may not write to it",
    },
    ErrorRow {
        code: 18,
        name: "RECORD_LIST_TOO_LARGE",
        retriable: false,
        refreshes_metadata: false,
        message: "the record batch is larger than segment.bytes of its topic",
    },
    ErrorRow {
        code: 19,
        name: "NOT_ENOUGH_REPLICAS",
        retriable: true,
        refreshes_metadata: false,
        message: "fewer replicas are in sync than min.insync.replicas asks for",
    },
    ErrorRow {
        code: 20,
        name: "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        retriable: true,
        refreshes_metadata: false,
        message: "the records were written, but to fewer replicas than min.insync.replicas asks for",
    },
    ErrorRow {
        code: 21,
        name: "INVALID_REQUIRED_ACKS",
        retriable: false,
        refreshes_metadata: false,
        message: "acks must be -1, 0 or 1",
    },
    ErrorRow {
        code: 22,
        name: "ILLEGAL_GENERATION",
        retriable: false,
        refreshes_metadata: false,
        message: "the generation is not the group's current one",
    },
    ErrorRow {
        code: 23,
        name: "INCONSISTENT_GROUP_PROTOCOL",
        retriable: false,
        refreshes_metadata: false,
        message: "the member shares no protocol with the rest of the group",
    },
    ErrorRow {
        code: 24,
        name: "INVALID_GROUP_ID",
        retriable: false,
        refreshes_metadata: false,
        message: "the group id is not valid",
    },
    ErrorRow {
        code: 25,
        name: "UNKNOWN_MEMBER_ID",
        retriable: false,
        refreshes_metadata: false,
        message: "the group does not know this member",
    },
    ErrorRow {
        code: 26,
        name: "INVALID_SESSION_TIMEOUT",
        retriable: false,
        refreshes_metadata: false,
        message: "the session timeout is outside group.min.session.timeout.ms and group.max.session.timeout.ms",
    },
    ErrorRow {
        code: 27,
        name: "REBALANCE_IN_PROGRESS",
        retriable: false,
        refreshes_metadata: false,
        message: "the group is rebalancing: join again",
    },
    ErrorRow {
        code: 28,
        name: "INVALID_COMMIT_OFFSET_SIZE",
        retriable: false,
        refreshes_metadata: false,
        message: "the offsets to commit do not fit into one record batch",
    },
    ErrorRow {
        code: 29,
        name: "TOPIC_AUTHORIZATION_FAILED",
        retriable: false,
        refreshes_metadata: false,
        message: "not authorised for this topic",
    },
    ErrorRow {
        code: 30,
        name: "GROUP_AUTHORIZATION_FAILED",
        retriable: false,
        refreshes_metadata: false,
        message: "not authorised for this group",
    },
    ErrorRow {
        code: 31,
        name: "CLUSTER_AUTHORIZATION_FAILED",
        retriable: false,
        refreshes_metadata: false,
        message: "not authorised for this operation on the cluster",
    },
    ErrorRow {
        code: 32,
        name: "INVALID_TIMESTAMP",
        retriable: false,
        refreshes_metadata: false,
        message: "a record's timestamp is outside the range that its topic accepts",
    },
    ErrorRow {
        code: 33,
        name: "UNSUPPORTED_SASL_MECHANISM",
        retriable: false,
        refreshes_metadata: false,
        message: "the broker does not offer this SASL mechanism",
    },
    ErrorRow {
        code: 34,
        name: "ILLEGAL_SASL_STATE",
        retriable: false,
        refreshes_metadata: false,
        message: "the request does not fit the state of the SASL exchange",
    },
    ErrorRow {
        code: 35,
        name: "UNSUPPORTED_VERSION",
        retriable: false,
        refreshes_metadata: false,
        message: "the broker does not support this version of the API",
    },
    ErrorRow {
        code: 36,
        name: "TOPIC_ALREADY_EXISTS",
        retriable: false,
        refreshes_metadata: false,
        message: "a topic with this name exists already",
    },
    ErrorRow {
        code: 37,
        name: "INVALID_PARTITIONS",
        retriable: false,
        refreshes_metadata: false,
        message: "the number of partitions is not valid",
    },
    ErrorRow {
        code: 38,
        name: "INVALID_REPLICATION_FACTOR",
        retriable: false,
        refreshes_metadata: false,
        message: "the replication factor is below 1 or above the number of brokers",
    },
    ErrorRow {
        code: 39,
        name: "INVALID_REPLICA_ASSIGNMENT",
        retriable: false,
        refreshes_metadata: false,
        message: "the replica assignment is not valid",
    },
    ErrorRow {
        code: 40,
        name: "INVALID_CONFIG",
        retriable: false,
        refreshes_metadata: false,
        message: "a configuration value is not valid",
    },
    ErrorRow {
        code: 41,
        name: "NOT_CONTROLLER",
        retriable: true,
        refreshes_metadata: false,
        message: "the broker is not the active controller",
    },
    ErrorRow {
        code: 42,
        name: "INVALID_REQUEST",
        retriable: false,
        refreshes_metadata: false,
        message: "the request is malformed, or its fields contradict each other",
    },
    ErrorRow {
        code: 43,
        name: "UNSUPPORTED_FOR_MESSAGE_FORMAT",
        retriable: false,
        refreshes_metadata: false,
        message: "the partition's record format does not support this",
    },
    ErrorRow {
        code: 44,
        name: "POLICY_VIOLATION",
        retriable: false,
        refreshes_metadata: false,
        message: "a policy of the cluster forbids this",
    },
    ErrorRow {
        code: 45,
        name: "OUT_OF_ORDER_SEQUENCE_NUMBER",
        retriable: false,
        refreshes_metadata: false,
        message: "the producer's sequence number has a gap",
    },
    ErrorRow {
        code: 46,
        name: "DUPLICATE_SEQUENCE_NUMBER",
        retriable: false,
        refreshes_metadata: false,
        message: "the producer's sequence number was seen before",
    },
    ErrorRow {
        code: 47,
        name: "INVALID_PRODUCER_EPOCH",
        retriable: false,
        refreshes_metadata: false,
        message: "the producer epoch is not the current one",
    },
    ErrorRow {
        code: 48,
        name: "INVALID_TXN_STATE",
        retriable: false,
        refreshes_metadata: false,
        message: "the transaction's state does not allow this",
    },
    ErrorRow {
        code: 49,
        name: "INVALID_PRODUCER_ID_MAPPING",
        retriable: false,
        refreshes_metadata: false,
        message: "the producer id does not belong to this transactional id",
    },
    ErrorRow {
        code: 50,
        name: "INVALID_TRANSACTION_TIMEOUT",
        retriable: false,
        refreshes_metadata: false,
        message: "the transaction timeout is above transaction.max.timeout.ms",
    },
    ErrorRow {
        code: 51,
        name: "CONCURRENT_TRANSACTIONS",
        retriable: true,
        refreshes_metadata: false,
        message: "the previous transaction of this transactional id is still being completed",
    },
    ErrorRow {
        code: 52,
        name: "TRANSACTION_COORDINATOR_FENCED",
        retriable: false,
        refreshes_metadata: false,
        message: "a newer transaction coordinator has taken over",
    },
    ErrorRow {
        code: 53,
        name: "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
        retriable: false,
        refreshes_metadata: false,
        message: "not authorised for this transactional id",
    },
    ErrorRow {
        code: 54,
        name: "SECURITY_DISABLED",
        retriable: false,
        refreshes_metadata: false,
        message: "the broker has no authorizer",
    },
    ErrorRow {
        code: 55,
        name: "OPERATION_NOT_ATTEMPTED",
        retriable: false,
        refreshes_metadata: false,
        message: "not attempted, because another operation of the same batch failed",
    },
    ErrorRow {
        code: 56,
        name: "KAFKA_STORAGE_ERROR",
        retriable: true,
        refreshes_metadata: true,
        message: "a log directory of the broker has failed",
    },
    ErrorRow {
        code: 57,
        name: "LOG_DIR_NOT_FOUND",
        retriable: false,
        refreshes_metadata: false,
        message: "the log directory is not in the broker's configuration",
    },
    ErrorRow {
        code: 58,
        name: "SASL_AUTHENTICATION_FAILED",
        retriable: false,
        refreshes_metadata: false,
        message: "SASL authentication failed",
    },
    ErrorRow {
        code: 59,
        name: "UNKNOWN_PRODUCER_ID",
        retriable: false,
        refreshes_metadata: false,
        message: "the broker has no state of this producer id",
    },
    ErrorRow {
        code: 60,
        name: "REASSIGNMENT_IN_PROGRESS",
        retriable: false,
        refreshes_metadata: false,
        message: "the partition is being reassigned",
    },
    ErrorRow {
        code: 61,
        name: "DELEGATION_TOKEN_AUTH_DISABLED",
        retriable: false,
        refreshes_metadata: false,
        message: "delegation tokens are not enabled",
    },
    ErrorRow {
        code: 62,
        name: "DELEGATION_TOKEN_NOT_FOUND",
        retriable: false,
        refreshes_metadata: false,
        message: "the delegation token does not exist",
    },
    ErrorRow {
        code: 63,
        name: "DELEGATION_TOKEN_OWNER_MISMATCH",
        retriable: false,
        refreshes_metadata: false,
        message: "the delegation token belongs to somebody else",
    },
    ErrorRow {
        code: 64,
        name: "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED",
        retriable: false,
        refreshes_metadata: false,
        message: "this connection may not ask for delegation tokens",
    },
    ErrorRow {
        code: 65,
        name: "DELEGATION_TOKEN_AUTHORIZATION_FAILED",
        retriable: false,
        refreshes_metadata: false,
        message: "not authorised for this delegation token",
    },
    ErrorRow {
        code: 66,
        name: "DELEGATION_TOKEN_EXPIRED",
        retriable: false,
        refreshes_metadata: false,
        message: "the delegation token has expired",
    },
    ErrorRow {
        code: 67,
        name: "INVALID_PRINCIPAL_TYPE",
        retriable: false,
        refreshes_metadata: false,
        message: "this type of principal is not supported",
    },
    ErrorRow {
        code: 68,
        name: "NON_EMPTY_GROUP",
        retriable: false,
        refreshes_metadata: false,
        message: "the group still has members",
    },
    ErrorRow {
        code: 69,
        name: "GROUP_ID_NOT_FOUND",
        retriable: false,
        refreshes_metadata: false,
        message: "the group does not exist",
    },
    ErrorRow {
        code: 70,
        name: "FETCH_SESSION_ID_NOT_FOUND",
        retriable: true,
        refreshes_metadata: false,
        message: "the broker does not know this fetch session",
    },
    ErrorRow {
        code: 71,
        name: "INVALID_FETCH_SESSION_EPOCH",
        retriable: true,
        refreshes_metadata: false,
        message: "the epoch is not the fetch session's next one",
    },
    ErrorRow {
        code: 72,
        name: "LISTENER_NOT_FOUND",
        retriable: true,
        refreshes_metadata: true,
        message: "the leader has no listener like the one this request came in by",
    },
    ErrorRow {
        code: 73,
        name: "TOPIC_DELETION_DISABLED",
        retriable: false,
        refreshes_metadata: false,
        message: "deleting topics is disabled",
    },
    ErrorRow {
        code: 74,
        name: "FENCED_LEADER_EPOCH",
        retriable: true,
        refreshes_metadata: true,
        message: "the leader epoch is older than the broker's",
    },
    ErrorRow {
        code: 75,
        name: "UNKNOWN_LEADER_EPOCH",
        retriable: true,
        refreshes_metadata: false,
        message: "the leader epoch is newer than the broker's",
    },
    ErrorRow {
        code: 76,
        name: "UNSUPPORTED_COMPRESSION_TYPE",
        retriable: false,
        refreshes_metadata: false,
        message: "this version of the API does not carry this compression codec",
    },
    ErrorRow {
        code: 77,
        name: "STALE_BROKER_EPOCH",
        retriable: false,
        refreshes_metadata: false,
        message: "the broker epoch is not the current one",
    },
    ErrorRow {
        code: 78,
        name: "OFFSET_NOT_AVAILABLE",
        retriable: true,
        refreshes_metadata: false,
        message: "the new leader cannot tell its offsets yet",
    },
    ErrorRow {
        code: 79,
        name: "MEMBER_ID_REQUIRED",
        retriable: false,
        refreshes_metadata: false,
        message: "join again with the member id that was given",
    },
    ErrorRow {
        code: 80,
        name: "PREFERRED_LEADER_NOT_AVAILABLE",
        retriable: true,
        refreshes_metadata: true,
        message: "the preferred leader is not available",
    },
    ErrorRow {
        code: 81,
        name: "GROUP_MAX_SIZE_REACHED",
        retriable: false,
        refreshes_metadata: false,
        message: "the group has as many members as it may have",
    },
    ErrorRow {
        code: 82,
        name: "FENCED_INSTANCE_ID",
        retriable: false,
        refreshes_metadata: false,
        message: "another member has taken over this group.instance.id",
    },
    ErrorRow {
        code: 83,
        name: "ELIGIBLE_LEADERS_NOT_AVAILABLE",
        retriable: true,
        refreshes_metadata: true,
        message: "no replica may become leader",
    },
    ErrorRow {
        code: 84,
        name: "ELECTION_NOT_NEEDED",
        retriable: true,
        refreshes_metadata: true,
        message: "the partition has the wanted leader already",
    },
    ErrorRow {
        code: 85,
        name: "NO_REASSIGNMENT_IN_PROGRESS",
        retriable: false,
        refreshes_metadata: false,
        message: "the partition is not being reassigned",
    },
    ErrorRow {
        code: 86,
        name: "GROUP_SUBSCRIBED_TO_TOPIC",
        retriable: false,
        refreshes_metadata: false,
        message: "the group is subscribed to this topic",
    },
    ErrorRow {
        code: 87,
        name: "INVALID_RECORD",
        retriable: false,
        refreshes_metadata: false,
        message: "a record was refused by the broker's validation",
    },
    ErrorRow {
        code: 88,
        name: "UNSTABLE_OFFSET_COMMIT",
        retriable: true,
        refreshes_metadata: false,
        message: "a transaction that commits these offsets is still open",
    },
    ErrorRow {
        code: 89,
        name: "THROTTLING_QUOTA_EXCEEDED",
        retriable: true,
        refreshes_metadata: false,
        message: "a quota is used up: try again after the throttle time",
    },
    ErrorRow {
        code: 90,
        name: "PRODUCER_FENCED",
        retriable: false,
        refreshes_metadata: false,
        message: "a newer producer with the same transactional id has taken over",
    },
    ErrorRow {
        code: 91,
        name: "RESOURCE_NOT_FOUND",
        retriable: false,
        refreshes_metadata: false,
        message: "the resource does not exist",
    },
    ErrorRow {
        code: 92,
        name: "DUPLICATE_RESOURCE",
        retriable: false,
        refreshes_metadata: false,
        message: "the resource exists already",
    },
    ErrorRow {
        code: 93,
        name: "UNACCEPTABLE_CREDENTIAL",
        retriable: false,
        refreshes_metadata: false,
        message: "the credential does not meet the requirements",
    },
    ErrorRow {
        code: 94,
        name: "INCONSISTENT_VOTER_SET",
        retriable: false,
        refreshes_metadata: false,
        message: "the set of voters differs from the one expected",
    },
    ErrorRow {
        code: 95,
        name: "INVALID_UPDATE_VERSION",
        retriable: false,
        refreshes_metadata: false,
        message: "the update is based on another version of the state",
    },
    ErrorRow {
        code: 96,
        name: "FEATURE_UPDATE_FAILED",
        retriable: false,
        refreshes_metadata: false,
        message: "the finalized features could not be changed",
    },
    ErrorRow {
        code: 97,
        name: "PRINCIPAL_DESERIALIZATION_FAILURE",
        retriable: false,
        refreshes_metadata: false,
        message: "the forwarded principal could not be read",
    },
    ErrorRow {
        code: 98,
        name: "SNAPSHOT_NOT_FOUND",
        retriable: false,
        refreshes_metadata: false,
        message: "the snapshot does not exist",
    },
    ErrorRow {
        code: 99,
        name: "POSITION_OUT_OF_RANGE",
        retriable: false,
        refreshes_metadata: false,
        message: "the position is outside the snapshot",
    },
    ErrorRow {
        code: 100,
        name: "UNKNOWN_TOPIC_ID",
        retriable: true,
        refreshes_metadata: true,
        message: "the broker does not host a topic with this id",
    },
    ErrorRow {
        code: 101,
        name: "DUPLICATE_BROKER_REGISTRATION",
        retriable: false,
        refreshes_metadata: false,
        message: "a broker with this id is registered already",
    },
    ErrorRow {
        code: 102,
        name: "BROKER_ID_NOT_REGISTERED",
        retriable: false,
        refreshes_metadata: false,
        message: "no broker is registered with this id",
    },
    ErrorRow {
        code: 103,
        name: "INCONSISTENT_TOPIC_ID",
        retriable: true,
        refreshes_metadata: true,
        message: "the topic id is not the one in the partition's log",
    },
    ErrorRow {
        code: 104,
        name: "INCONSISTENT_CLUSTER_ID",
        retriable: false,
        refreshes_metadata: false,
        message: "the cluster id is not this cluster's",
    },
    ErrorRow {
        code: 105,
        name: "TRANSACTIONAL_ID_NOT_FOUND",
        retriable: false,
        refreshes_metadata: false,
        message: "the transactional id does not exist",
    },
    ErrorRow {
        code: 106,
        name: "FETCH_SESSION_TOPIC_ID_ERROR",
        retriable: true,
        refreshes_metadata: false,
        message: "the fetch session mixes requests with and without topic ids",
    },
    ErrorRow {
        code: 107,
        name: "INELIGIBLE_REPLICA",
        retriable: false,
        refreshes_metadata: false,
        message: "a replica may not join the in-sync set",
    },
    ErrorRow {
        code: 108,
        name: "NEW_LEADER_ELECTED",
        retriable: false,
        refreshes_metadata: false,
        message: "the change made another broker the leader",
    },
    ErrorRow {
        code: 109,
        name: "OFFSET_MOVED_TO_TIERED_STORAGE",
        retriable: false,
        refreshes_metadata: false,
        message: "the offset lies in tiered storage",
    },
    ErrorRow {
        code: 110,
        name: "FENCED_MEMBER_EPOCH",
        retriable: false,
        refreshes_metadata: false,
        message: "the coordinator has fenced this member epoch: join again",
    },
    ErrorRow {
        code: 111,
        name: "UNRELEASED_INSTANCE_ID",
        retriable: false,
        refreshes_metadata: false,
        message: "another member still holds this instance id",
    },
    ErrorRow {
        code: 112,
        name: "UNSUPPORTED_ASSIGNOR",
        retriable: false,
        refreshes_metadata: false,
        message: "the group does not support this assignor",
    },
    ErrorRow {
        code: 113,
        name: "STALE_MEMBER_EPOCH",
        retriable: false,
        refreshes_metadata: false,
        message: "the member epoch is stale: fetch the current one and try again",
    },
    ErrorRow {
        code: 114,
        name: "MISMATCHED_ENDPOINT_TYPE",
        retriable: false,
        refreshes_metadata: false,
        message: "the request went to the wrong kind of endpoint",
    },
    ErrorRow {
        code: 115,
        name: "UNSUPPORTED_ENDPOINT_TYPE",
        retriable: false,
        refreshes_metadata: false,
        message: "this kind of endpoint is not supported",
    },
    ErrorRow {
        code: 116,
        name: "UNKNOWN_CONTROLLER_ID",
        retriable: false,
        refreshes_metadata: false,
        message: "no controller has this id",
    },
    ErrorRow {
        code: 117,
        name: "UNKNOWN_SUBSCRIPTION_ID",
        retriable: false,
        refreshes_metadata: false,
        message: "the telemetry subscription is not the current one",
    },
    ErrorRow {
        code: 118,
        name: "TELEMETRY_TOO_LARGE",
        retriable: false,
        refreshes_metadata: false,
        message: "the telemetry is larger than the broker takes",
    },
    ErrorRow {
        code: 119,
        name: "INVALID_REGISTRATION",
        retriable: false,
        refreshes_metadata: false,
        message: "the registration contradicts the cluster's state",
    },
    ErrorRow {
        code: 120,
        name: "TRANSACTION_ABORTABLE",
        retriable: false,
        refreshes_metadata: false,
        message: "the transaction failed and must be aborted",
    },
    ErrorRow {
        code: 121,
        name: "INVALID_RECORD_STATE",
        retriable: false,
        refreshes_metadata: false,
        message: "the record's state does not allow this acknowledgement",
    },
    ErrorRow {
        code: 122,
        name: "SHARE_SESSION_NOT_FOUND",
        retriable: true,
        refreshes_metadata: false,
        message: "the broker does not know this share session",
    },
    ErrorRow {
        code: 123,
        name: "INVALID_SHARE_SESSION_EPOCH",
        retriable: true,
        refreshes_metadata: false,
        message: "the epoch is not the share session's next one",
    },
    ErrorRow {
        code: 124,
        name: "FENCED_STATE_EPOCH",
        retriable: false,
        refreshes_metadata: false,
        message: "the share coordinator has a newer state epoch",
    },
    ErrorRow {
        code: 125,
        name: "INVALID_VOTER_KEY",
        retriable: false,
        refreshes_metadata: false,
        message: "the voter key is not the receiver's",
    },
    ErrorRow {
        code: 126,
        name: "DUPLICATE_VOTER",
        retriable: false,
        refreshes_metadata: false,
        message: "the voter is a member of the set already",
    },
    ErrorRow {
        code: 127,
        name: "VOTER_NOT_FOUND",
        retriable: false,
        refreshes_metadata: false,
        message: "the voter is not a member of the set",
    },
    ErrorRow {
        code: 128,
        name: "INVALID_REGULAR_EXPRESSION",
        retriable: false,
        refreshes_metadata: false,
        message: "the regular expression is not valid",
    },
    ErrorRow {
        code: 129,
        name: "REBOOTSTRAP_REQUIRED",
        retriable: false,
        refreshes_metadata: false,
        message: "the cluster's metadata is too old: start again from bootstrap.servers",
    },
    ErrorRow {
        code: 130,
        name: "STREAMS_INVALID_TOPOLOGY",
        retriable: false,
        refreshes_metadata: false,
        message: "the topology is not valid",
    },
    ErrorRow {
        code: 131,
        name: "STREAMS_INVALID_TOPOLOGY_EPOCH",
        retriable: false,
        refreshes_metadata: false,
        message: "the topology epoch is not valid",
    },
    ErrorRow {
        code: 132,
        name: "STREAMS_TOPOLOGY_FENCED",
        retriable: false,
        refreshes_metadata: false,
        message: "the topology epoch is outdated",
    },
    ErrorRow {
        code: 133,
        name: "SHARE_SESSION_LIMIT_REACHED",
        retriable: true,
        refreshes_metadata: false,
        message: "the broker has as many share sessions as it may have",
    },
];
