// Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
//! API keys and what the table says about them.

use crate::api::Api;

/// Produce.
pub const PRODUCE: i16 = 0;
/// Fetch.
pub const FETCH: i16 = 1;
/// ListOffsets.
pub const LIST_OFFSETS: i16 = 2;
/// Metadata.
pub const METADATA: i16 = 3;
/// OffsetCommit.
pub const OFFSET_COMMIT: i16 = 8;
/// OffsetFetch.
pub const OFFSET_FETCH: i16 = 9;
/// FindCoordinator.
pub const FIND_COORDINATOR: i16 = 10;
/// JoinGroup.
pub const JOIN_GROUP: i16 = 11;
/// Heartbeat.
pub const HEARTBEAT: i16 = 12;
/// LeaveGroup.
pub const LEAVE_GROUP: i16 = 13;
/// SyncGroup.
pub const SYNC_GROUP: i16 = 14;
/// DescribeGroups.
pub const DESCRIBE_GROUPS: i16 = 15;
/// ListGroups.
pub const LIST_GROUPS: i16 = 16;
/// SaslHandshake.
pub const SASL_HANDSHAKE: i16 = 17;
/// ApiVersions.
pub const API_VERSIONS: i16 = 18;
/// CreateTopics.
pub const CREATE_TOPICS: i16 = 19;
/// DeleteTopics.
pub const DELETE_TOPICS: i16 = 20;
/// DeleteRecords.
pub const DELETE_RECORDS: i16 = 21;
/// InitProducerId.
pub const INIT_PRODUCER_ID: i16 = 22;
/// OffsetForLeaderEpoch.
pub const OFFSET_FOR_LEADER_EPOCH: i16 = 23;
/// AddPartitionsToTxn.
pub const ADD_PARTITIONS_TO_TXN: i16 = 24;
/// AddOffsetsToTxn.
pub const ADD_OFFSETS_TO_TXN: i16 = 25;
/// EndTxn.
pub const END_TXN: i16 = 26;
/// WriteTxnMarkers.
pub const WRITE_TXN_MARKERS: i16 = 27;
/// TxnOffsetCommit.
pub const TXN_OFFSET_COMMIT: i16 = 28;
/// DescribeAcls.
pub const DESCRIBE_ACLS: i16 = 29;
/// CreateAcls.
pub const CREATE_ACLS: i16 = 30;
/// DeleteAcls.
pub const DELETE_ACLS: i16 = 31;
/// DescribeConfigs.
pub const DESCRIBE_CONFIGS: i16 = 32;
/// AlterConfigs.
pub const ALTER_CONFIGS: i16 = 33;
/// AlterReplicaLogDirs.
pub const ALTER_REPLICA_LOG_DIRS: i16 = 34;
/// DescribeLogDirs.
pub const DESCRIBE_LOG_DIRS: i16 = 35;
/// SaslAuthenticate.
pub const SASL_AUTHENTICATE: i16 = 36;
/// CreatePartitions.
pub const CREATE_PARTITIONS: i16 = 37;
/// CreateDelegationToken.
pub const CREATE_DELEGATION_TOKEN: i16 = 38;
/// RenewDelegationToken.
pub const RENEW_DELEGATION_TOKEN: i16 = 39;
/// ExpireDelegationToken.
pub const EXPIRE_DELEGATION_TOKEN: i16 = 40;
/// DescribeDelegationToken.
pub const DESCRIBE_DELEGATION_TOKEN: i16 = 41;
/// DeleteGroups.
pub const DELETE_GROUPS: i16 = 42;
/// ElectLeaders.
pub const ELECT_LEADERS: i16 = 43;
/// IncrementalAlterConfigs.
pub const INCREMENTAL_ALTER_CONFIGS: i16 = 44;
/// AlterPartitionReassignments.
pub const ALTER_PARTITION_REASSIGNMENTS: i16 = 45;
/// ListPartitionReassignments.
pub const LIST_PARTITION_REASSIGNMENTS: i16 = 46;
/// OffsetDelete.
pub const OFFSET_DELETE: i16 = 47;
/// DescribeClientQuotas.
pub const DESCRIBE_CLIENT_QUOTAS: i16 = 48;
/// AlterClientQuotas.
pub const ALTER_CLIENT_QUOTAS: i16 = 49;
/// DescribeUserScramCredentials.
pub const DESCRIBE_USER_SCRAM_CREDENTIALS: i16 = 50;
/// AlterUserScramCredentials.
pub const ALTER_USER_SCRAM_CREDENTIALS: i16 = 51;
/// Vote.
pub const VOTE: i16 = 52;
/// BeginQuorumEpoch.
pub const BEGIN_QUORUM_EPOCH: i16 = 53;
/// EndQuorumEpoch.
pub const END_QUORUM_EPOCH: i16 = 54;
/// DescribeQuorum.
pub const DESCRIBE_QUORUM: i16 = 55;
/// AlterPartition.
pub const ALTER_PARTITION: i16 = 56;
/// UpdateFeatures.
pub const UPDATE_FEATURES: i16 = 57;
/// Envelope.
pub const ENVELOPE: i16 = 58;
/// FetchSnapshot.
pub const FETCH_SNAPSHOT: i16 = 59;
/// DescribeCluster.
pub const DESCRIBE_CLUSTER: i16 = 60;
/// DescribeProducers.
pub const DESCRIBE_PRODUCERS: i16 = 61;
/// BrokerRegistration.
pub const BROKER_REGISTRATION: i16 = 62;
/// BrokerHeartbeat.
pub const BROKER_HEARTBEAT: i16 = 63;
/// UnregisterBroker.
pub const UNREGISTER_BROKER: i16 = 64;
/// DescribeTransactions.
pub const DESCRIBE_TRANSACTIONS: i16 = 65;
/// ListTransactions.
pub const LIST_TRANSACTIONS: i16 = 66;
/// AllocateProducerIds.
pub const ALLOCATE_PRODUCER_IDS: i16 = 67;
/// ConsumerGroupHeartbeat.
pub const CONSUMER_GROUP_HEARTBEAT: i16 = 68;
/// ConsumerGroupDescribe.
pub const CONSUMER_GROUP_DESCRIBE: i16 = 69;
/// ControllerRegistration.
pub const CONTROLLER_REGISTRATION: i16 = 70;
/// GetTelemetrySubscriptions.
pub const GET_TELEMETRY_SUBSCRIPTIONS: i16 = 71;
/// PushTelemetry.
pub const PUSH_TELEMETRY: i16 = 72;
/// AssignReplicasToDirs.
pub const ASSIGN_REPLICAS_TO_DIRS: i16 = 73;
/// ListConfigResources.
pub const LIST_CONFIG_RESOURCES: i16 = 74;
/// DescribeTopicPartitions.
pub const DESCRIBE_TOPIC_PARTITIONS: i16 = 75;
/// ShareGroupHeartbeat.
pub const SHARE_GROUP_HEARTBEAT: i16 = 76;
/// ShareGroupDescribe.
pub const SHARE_GROUP_DESCRIBE: i16 = 77;
/// ShareFetch.
pub const SHARE_FETCH: i16 = 78;
/// ShareAcknowledge.
pub const SHARE_ACKNOWLEDGE: i16 = 79;
/// AddRaftVoter.
pub const ADD_RAFT_VOTER: i16 = 80;
/// RemoveRaftVoter.
pub const REMOVE_RAFT_VOTER: i16 = 81;
/// UpdateRaftVoter.
pub const UPDATE_RAFT_VOTER: i16 = 82;
/// InitializeShareGroupState.
pub const INITIALIZE_SHARE_GROUP_STATE: i16 = 83;
/// ReadShareGroupState.
pub const READ_SHARE_GROUP_STATE: i16 = 84;
/// WriteShareGroupState.
pub const WRITE_SHARE_GROUP_STATE: i16 = 85;
/// DeleteShareGroupState.
pub const DELETE_SHARE_GROUP_STATE: i16 = 86;
/// ReadShareGroupStateSummary.
pub const READ_SHARE_GROUP_STATE_SUMMARY: i16 = 87;
/// StreamsGroupHeartbeat.
pub const STREAMS_GROUP_HEARTBEAT: i16 = 88;
/// StreamsGroupDescribe.
pub const STREAMS_GROUP_DESCRIBE: i16 = 89;
/// DescribeShareGroupOffsets.
pub const DESCRIBE_SHARE_GROUP_OFFSETS: i16 = 90;
/// AlterShareGroupOffsets.
pub const ALTER_SHARE_GROUP_OFFSETS: i16 = 91;
/// DeleteShareGroupOffsets.
pub const DELETE_SHARE_GROUP_OFFSETS: i16 = 92;

pub(crate) const APIS: [Api; 89] = [
    Api {
        key: 0,
        name: "Produce",
        version_min: 3,
        version_max: 13,
        request_flexible_from: Some(9),
        response_flexible_from: Some(9),
        on_broker: true,
    },
    Api {
        key: 1,
        name: "Fetch",
        version_min: 4,
        version_max: 18,
        request_flexible_from: Some(12),
        response_flexible_from: Some(12),
        on_broker: true,
    },
    Api {
        key: 2,
        name: "ListOffsets",
        version_min: 1,
        version_max: 11,
        request_flexible_from: Some(6),
        response_flexible_from: Some(6),
        on_broker: true,
    },
    Api {
        key: 3,
        name: "Metadata",
        version_min: 0,
        version_max: 13,
        request_flexible_from: Some(9),
        response_flexible_from: Some(9),
        on_broker: true,
    },
    Api {
        key: 8,
        name: "OffsetCommit",
        version_min: 2,
        version_max: 10,
        request_flexible_from: Some(8),
        response_flexible_from: Some(8),
        on_broker: true,
    },
    Api {
        key: 9,
        name: "OffsetFetch",
        version_min: 1,
        version_max: 10,
        request_flexible_from: Some(6),
        response_flexible_from: Some(6),
        on_broker: true,
    },
    Api {
        key: 10,
        name: "FindCoordinator",
        version_min: 0,
        version_max: 6,
        request_flexible_from: Some(3),
        response_flexible_from: Some(3),
        on_broker: true,
    },
    Api {
        key: 11,
        name: "JoinGroup",
        version_min: 0,
        version_max: 9,
        request_flexible_from: Some(6),
        response_flexible_from: Some(6),
        on_broker: true,
    },
    Api {
        key: 12,
        name: "Heartbeat",
        version_min: 0,
        version_max: 4,
        request_flexible_from: Some(4),
        response_flexible_from: Some(4),
        on_broker: true,
    },
    Api {
        key: 13,
        name: "LeaveGroup",
        version_min: 0,
        version_max: 5,
        request_flexible_from: Some(4),
        response_flexible_from: Some(4),
        on_broker: true,
    },
    Api {
        key: 14,
        name: "SyncGroup",
        version_min: 0,
        version_max: 5,
        request_flexible_from: Some(4),
        response_flexible_from: Some(4),
        on_broker: true,
    },
    Api {
        key: 15,
        name: "DescribeGroups",
        version_min: 0,
        version_max: 6,
        request_flexible_from: Some(5),
        response_flexible_from: Some(5),
        on_broker: true,
    },
    Api {
        key: 16,
        name: "ListGroups",
        version_min: 0,
        version_max: 5,
        request_flexible_from: Some(3),
        response_flexible_from: Some(3),
        on_broker: true,
    },
    Api {
        key: 17,
        name: "SaslHandshake",
        version_min: 0,
        version_max: 1,
        request_flexible_from: None,
        response_flexible_from: None,
        on_broker: true,
    },
    Api {
        key: 18,
        name: "ApiVersions",
        version_min: 0,
        version_max: 4,
        request_flexible_from: Some(3),
        response_flexible_from: Some(3),
        on_broker: true,
    },
    Api {
        key: 19,
        name: "CreateTopics",
        version_min: 2,
        version_max: 7,
        request_flexible_from: Some(5),
        response_flexible_from: Some(5),
        on_broker: true,
    },
    Api {
        key: 20,
        name: "DeleteTopics",
        version_min: 1,
        version_max: 6,
        request_flexible_from: Some(4),
        response_flexible_from: Some(4),
        on_broker: true,
    },
    Api {
        key: 21,
        name: "DeleteRecords",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 22,
        name: "InitProducerId",
        version_min: 0,
        version_max: 5,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 23,
        name: "OffsetForLeaderEpoch",
        version_min: 2,
        version_max: 4,
        request_flexible_from: Some(4),
        response_flexible_from: Some(4),
        on_broker: true,
    },
    Api {
        key: 24,
        name: "AddPartitionsToTxn",
        version_min: 0,
        version_max: 5,
        request_flexible_from: Some(3),
        response_flexible_from: Some(3),
        on_broker: true,
    },
    Api {
        key: 25,
        name: "AddOffsetsToTxn",
        version_min: 0,
        version_max: 4,
        request_flexible_from: Some(3),
        response_flexible_from: Some(3),
        on_broker: true,
    },
    Api {
        key: 26,
        name: "EndTxn",
        version_min: 0,
        version_max: 5,
        request_flexible_from: Some(3),
        response_flexible_from: Some(3),
        on_broker: true,
    },
    Api {
        key: 27,
        name: "WriteTxnMarkers",
        version_min: 1,
        version_max: 2,
        request_flexible_from: Some(1),
        response_flexible_from: Some(1),
        on_broker: true,
    },
    Api {
        key: 28,
        name: "TxnOffsetCommit",
        version_min: 0,
        version_max: 5,
        request_flexible_from: Some(3),
        response_flexible_from: Some(3),
        on_broker: true,
    },
    Api {
        key: 29,
        name: "DescribeAcls",
        version_min: 1,
        version_max: 3,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 30,
        name: "CreateAcls",
        version_min: 1,
        version_max: 3,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 31,
        name: "DeleteAcls",
        version_min: 1,
        version_max: 3,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 32,
        name: "DescribeConfigs",
        version_min: 1,
        version_max: 4,
        request_flexible_from: Some(4),
        response_flexible_from: Some(4),
        on_broker: true,
    },
    Api {
        key: 33,
        name: "AlterConfigs",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 34,
        name: "AlterReplicaLogDirs",
        version_min: 1,
        version_max: 2,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 35,
        name: "DescribeLogDirs",
        version_min: 1,
        version_max: 5,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 36,
        name: "SaslAuthenticate",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 37,
        name: "CreatePartitions",
        version_min: 0,
        version_max: 3,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 38,
        name: "CreateDelegationToken",
        version_min: 1,
        version_max: 3,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 39,
        name: "RenewDelegationToken",
        version_min: 1,
        version_max: 2,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 40,
        name: "ExpireDelegationToken",
        version_min: 1,
        version_max: 2,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 41,
        name: "DescribeDelegationToken",
        version_min: 1,
        version_max: 3,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 42,
        name: "DeleteGroups",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 43,
        name: "ElectLeaders",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(2),
        response_flexible_from: Some(2),
        on_broker: true,
    },
    Api {
        key: 44,
        name: "IncrementalAlterConfigs",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(1),
        response_flexible_from: Some(1),
        on_broker: true,
    },
    Api {
        key: 45,
        name: "AlterPartitionReassignments",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 46,
        name: "ListPartitionReassignments",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 47,
        name: "OffsetDelete",
        version_min: 0,
        version_max: 0,
        request_flexible_from: None,
        response_flexible_from: None,
        on_broker: true,
    },
    Api {
        key: 48,
        name: "DescribeClientQuotas",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(1),
        response_flexible_from: Some(1),
        on_broker: true,
    },
    Api {
        key: 49,
        name: "AlterClientQuotas",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(1),
        response_flexible_from: Some(1),
        on_broker: true,
    },
    Api {
        key: 50,
        name: "DescribeUserScramCredentials",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 51,
        name: "AlterUserScramCredentials",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 52,
        name: "Vote",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 53,
        name: "BeginQuorumEpoch",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(1),
        response_flexible_from: Some(1),
        on_broker: false,
    },
    Api {
        key: 54,
        name: "EndQuorumEpoch",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(1),
        response_flexible_from: Some(1),
        on_broker: false,
    },
    Api {
        key: 55,
        name: "DescribeQuorum",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 56,
        name: "AlterPartition",
        version_min: 2,
        version_max: 3,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 57,
        name: "UpdateFeatures",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 58,
        name: "Envelope",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 59,
        name: "FetchSnapshot",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 60,
        name: "DescribeCluster",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 61,
        name: "DescribeProducers",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 62,
        name: "BrokerRegistration",
        version_min: 0,
        version_max: 4,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 63,
        name: "BrokerHeartbeat",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 64,
        name: "UnregisterBroker",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 65,
        name: "DescribeTransactions",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 66,
        name: "ListTransactions",
        version_min: 0,
        version_max: 2,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 67,
        name: "AllocateProducerIds",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 68,
        name: "ConsumerGroupHeartbeat",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 69,
        name: "ConsumerGroupDescribe",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 70,
        name: "ControllerRegistration",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 71,
        name: "GetTelemetrySubscriptions",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 72,
        name: "PushTelemetry",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 73,
        name: "AssignReplicasToDirs",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 74,
        name: "ListConfigResources",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 75,
        name: "DescribeTopicPartitions",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 76,
        name: "ShareGroupHeartbeat",
        version_min: 1,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 77,
        name: "ShareGroupDescribe",
        version_min: 1,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 78,
        name: "ShareFetch",
        version_min: 1,
        version_max: 2,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 79,
        name: "ShareAcknowledge",
        version_min: 1,
        version_max: 2,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 80,
        name: "AddRaftVoter",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 81,
        name: "RemoveRaftVoter",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 82,
        name: "UpdateRaftVoter",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: false,
    },
    Api {
        key: 83,
        name: "InitializeShareGroupState",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 84,
        name: "ReadShareGroupState",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 85,
        name: "WriteShareGroupState",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 86,
        name: "DeleteShareGroupState",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 87,
        name: "ReadShareGroupStateSummary",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 88,
        name: "StreamsGroupHeartbeat",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 89,
        name: "StreamsGroupDescribe",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 90,
        name: "DescribeShareGroupOffsets",
        version_min: 0,
        version_max: 1,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 91,
        name: "AlterShareGroupOffsets",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
    Api {
        key: 92,
        name: "DeleteShareGroupOffsets",
        version_min: 0,
        version_max: 0,
        request_flexible_from: Some(0),
        response_flexible_from: Some(0),
        on_broker: true,
    },
];
