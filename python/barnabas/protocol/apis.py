# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""API keys, valid versions, and where the classes are."""

from __future__ import annotations

from typing import Final

PRODUCE: Final = 0
FETCH: Final = 1
LIST_OFFSETS: Final = 2
METADATA: Final = 3
OFFSET_COMMIT: Final = 8
OFFSET_FETCH: Final = 9
FIND_COORDINATOR: Final = 10
JOIN_GROUP: Final = 11
HEARTBEAT: Final = 12
LEAVE_GROUP: Final = 13
SYNC_GROUP: Final = 14
DESCRIBE_GROUPS: Final = 15
LIST_GROUPS: Final = 16
SASL_HANDSHAKE: Final = 17
API_VERSIONS: Final = 18
CREATE_TOPICS: Final = 19
DELETE_TOPICS: Final = 20
DELETE_RECORDS: Final = 21
INIT_PRODUCER_ID: Final = 22
OFFSET_FOR_LEADER_EPOCH: Final = 23
ADD_PARTITIONS_TO_TXN: Final = 24
ADD_OFFSETS_TO_TXN: Final = 25
END_TXN: Final = 26
WRITE_TXN_MARKERS: Final = 27
TXN_OFFSET_COMMIT: Final = 28
DESCRIBE_ACLS: Final = 29
CREATE_ACLS: Final = 30
DELETE_ACLS: Final = 31
DESCRIBE_CONFIGS: Final = 32
ALTER_CONFIGS: Final = 33
ALTER_REPLICA_LOG_DIRS: Final = 34
DESCRIBE_LOG_DIRS: Final = 35
SASL_AUTHENTICATE: Final = 36
CREATE_PARTITIONS: Final = 37
CREATE_DELEGATION_TOKEN: Final = 38
RENEW_DELEGATION_TOKEN: Final = 39
EXPIRE_DELEGATION_TOKEN: Final = 40
DESCRIBE_DELEGATION_TOKEN: Final = 41
DELETE_GROUPS: Final = 42
ELECT_LEADERS: Final = 43
INCREMENTAL_ALTER_CONFIGS: Final = 44
ALTER_PARTITION_REASSIGNMENTS: Final = 45
LIST_PARTITION_REASSIGNMENTS: Final = 46
OFFSET_DELETE: Final = 47
DESCRIBE_CLIENT_QUOTAS: Final = 48
ALTER_CLIENT_QUOTAS: Final = 49
DESCRIBE_USER_SCRAM_CREDENTIALS: Final = 50
ALTER_USER_SCRAM_CREDENTIALS: Final = 51
VOTE: Final = 52
BEGIN_QUORUM_EPOCH: Final = 53
END_QUORUM_EPOCH: Final = 54
DESCRIBE_QUORUM: Final = 55
ALTER_PARTITION: Final = 56
UPDATE_FEATURES: Final = 57
ENVELOPE: Final = 58
FETCH_SNAPSHOT: Final = 59
DESCRIBE_CLUSTER: Final = 60
DESCRIBE_PRODUCERS: Final = 61
BROKER_REGISTRATION: Final = 62
BROKER_HEARTBEAT: Final = 63
UNREGISTER_BROKER: Final = 64
DESCRIBE_TRANSACTIONS: Final = 65
LIST_TRANSACTIONS: Final = 66
ALLOCATE_PRODUCER_IDS: Final = 67
CONSUMER_GROUP_HEARTBEAT: Final = 68
CONSUMER_GROUP_DESCRIBE: Final = 69
CONTROLLER_REGISTRATION: Final = 70
GET_TELEMETRY_SUBSCRIPTIONS: Final = 71
PUSH_TELEMETRY: Final = 72
ASSIGN_REPLICAS_TO_DIRS: Final = 73
LIST_CONFIG_RESOURCES: Final = 74
DESCRIBE_TOPIC_PARTITIONS: Final = 75
SHARE_GROUP_HEARTBEAT: Final = 76
SHARE_GROUP_DESCRIBE: Final = 77
SHARE_FETCH: Final = 78
SHARE_ACKNOWLEDGE: Final = 79
ADD_RAFT_VOTER: Final = 80
REMOVE_RAFT_VOTER: Final = 81
UPDATE_RAFT_VOTER: Final = 82
INITIALIZE_SHARE_GROUP_STATE: Final = 83
READ_SHARE_GROUP_STATE: Final = 84
WRITE_SHARE_GROUP_STATE: Final = 85
DELETE_SHARE_GROUP_STATE: Final = 86
READ_SHARE_GROUP_STATE_SUMMARY: Final = 87
STREAMS_GROUP_HEARTBEAT: Final = 88
STREAMS_GROUP_DESCRIBE: Final = 89
DESCRIBE_SHARE_GROUP_OFFSETS: Final = 90
ALTER_SHARE_GROUP_OFFSETS: Final = 91
DELETE_SHARE_GROUP_OFFSETS: Final = 92

# key: (name, module, oldest version, newest stable version, whether a broker serves it to clients)
APIS: Final[dict[int, tuple[str, str, int, int, bool]]] = {
    0: ("Produce", "produce", 3, 13, True),
    1: ("Fetch", "fetch", 4, 18, True),
    2: ("ListOffsets", "list_offsets", 1, 11, True),
    3: ("Metadata", "metadata", 0, 13, True),
    8: ("OffsetCommit", "offset_commit", 2, 10, True),
    9: ("OffsetFetch", "offset_fetch", 1, 10, True),
    10: ("FindCoordinator", "find_coordinator", 0, 6, True),
    11: ("JoinGroup", "join_group", 0, 9, True),
    12: ("Heartbeat", "heartbeat", 0, 4, True),
    13: ("LeaveGroup", "leave_group", 0, 5, True),
    14: ("SyncGroup", "sync_group", 0, 5, True),
    15: ("DescribeGroups", "describe_groups", 0, 6, True),
    16: ("ListGroups", "list_groups", 0, 5, True),
    17: ("SaslHandshake", "sasl_handshake", 0, 1, True),
    18: ("ApiVersions", "api_versions", 0, 4, True),
    19: ("CreateTopics", "create_topics", 2, 7, True),
    20: ("DeleteTopics", "delete_topics", 1, 6, True),
    21: ("DeleteRecords", "delete_records", 0, 2, True),
    22: ("InitProducerId", "init_producer_id", 0, 5, True),
    23: ("OffsetForLeaderEpoch", "offset_for_leader_epoch", 2, 4, True),
    24: ("AddPartitionsToTxn", "add_partitions_to_txn", 0, 5, True),
    25: ("AddOffsetsToTxn", "add_offsets_to_txn", 0, 4, True),
    26: ("EndTxn", "end_txn", 0, 5, True),
    27: ("WriteTxnMarkers", "write_txn_markers", 1, 2, True),
    28: ("TxnOffsetCommit", "txn_offset_commit", 0, 5, True),
    29: ("DescribeAcls", "describe_acls", 1, 3, True),
    30: ("CreateAcls", "create_acls", 1, 3, True),
    31: ("DeleteAcls", "delete_acls", 1, 3, True),
    32: ("DescribeConfigs", "describe_configs", 1, 4, True),
    33: ("AlterConfigs", "alter_configs", 0, 2, True),
    34: ("AlterReplicaLogDirs", "alter_replica_log_dirs", 1, 2, True),
    35: ("DescribeLogDirs", "describe_log_dirs", 1, 5, True),
    36: ("SaslAuthenticate", "sasl_authenticate", 0, 2, True),
    37: ("CreatePartitions", "create_partitions", 0, 3, True),
    38: ("CreateDelegationToken", "create_delegation_token", 1, 3, True),
    39: ("RenewDelegationToken", "renew_delegation_token", 1, 2, True),
    40: ("ExpireDelegationToken", "expire_delegation_token", 1, 2, True),
    41: ("DescribeDelegationToken", "describe_delegation_token", 1, 3, True),
    42: ("DeleteGroups", "delete_groups", 0, 2, True),
    43: ("ElectLeaders", "elect_leaders", 0, 2, True),
    44: ("IncrementalAlterConfigs", "incremental_alter_configs", 0, 1, True),
    45: ("AlterPartitionReassignments", "alter_partition_reassignments", 0, 1, True),
    46: ("ListPartitionReassignments", "list_partition_reassignments", 0, 0, True),
    47: ("OffsetDelete", "offset_delete", 0, 0, True),
    48: ("DescribeClientQuotas", "describe_client_quotas", 0, 1, True),
    49: ("AlterClientQuotas", "alter_client_quotas", 0, 1, True),
    50: ("DescribeUserScramCredentials", "describe_user_scram_credentials", 0, 0, True),
    51: ("AlterUserScramCredentials", "alter_user_scram_credentials", 0, 0, True),
    52: ("Vote", "vote", 0, 2, False),
    53: ("BeginQuorumEpoch", "begin_quorum_epoch", 0, 1, False),
    54: ("EndQuorumEpoch", "end_quorum_epoch", 0, 1, False),
    55: ("DescribeQuorum", "describe_quorum", 0, 2, True),
    56: ("AlterPartition", "alter_partition", 2, 3, False),
    57: ("UpdateFeatures", "update_features", 0, 2, True),
    58: ("Envelope", "envelope", 0, 0, False),
    59: ("FetchSnapshot", "fetch_snapshot", 0, 1, False),
    60: ("DescribeCluster", "describe_cluster", 0, 2, True),
    61: ("DescribeProducers", "describe_producers", 0, 0, True),
    62: ("BrokerRegistration", "broker_registration", 0, 4, False),
    63: ("BrokerHeartbeat", "broker_heartbeat", 0, 2, False),
    64: ("UnregisterBroker", "unregister_broker", 0, 0, True),
    65: ("DescribeTransactions", "describe_transactions", 0, 0, True),
    66: ("ListTransactions", "list_transactions", 0, 2, True),
    67: ("AllocateProducerIds", "allocate_producer_ids", 0, 0, False),
    68: ("ConsumerGroupHeartbeat", "consumer_group_heartbeat", 0, 1, True),
    69: ("ConsumerGroupDescribe", "consumer_group_describe", 0, 1, True),
    70: ("ControllerRegistration", "controller_registration", 0, 0, False),
    71: ("GetTelemetrySubscriptions", "get_telemetry_subscriptions", 0, 0, True),
    72: ("PushTelemetry", "push_telemetry", 0, 0, True),
    73: ("AssignReplicasToDirs", "assign_replicas_to_dirs", 0, 0, False),
    74: ("ListConfigResources", "list_config_resources", 0, 1, True),
    75: ("DescribeTopicPartitions", "describe_topic_partitions", 0, 0, True),
    76: ("ShareGroupHeartbeat", "share_group_heartbeat", 1, 1, True),
    77: ("ShareGroupDescribe", "share_group_describe", 1, 1, True),
    78: ("ShareFetch", "share_fetch", 1, 2, True),
    79: ("ShareAcknowledge", "share_acknowledge", 1, 2, True),
    80: ("AddRaftVoter", "add_raft_voter", 0, 1, True),
    81: ("RemoveRaftVoter", "remove_raft_voter", 0, 0, True),
    82: ("UpdateRaftVoter", "update_raft_voter", 0, 0, False),
    83: ("InitializeShareGroupState", "initialize_share_group_state", 0, 0, True),
    84: ("ReadShareGroupState", "read_share_group_state", 0, 0, True),
    85: ("WriteShareGroupState", "write_share_group_state", 0, 1, True),
    86: ("DeleteShareGroupState", "delete_share_group_state", 0, 0, True),
    87: ("ReadShareGroupStateSummary", "read_share_group_state_summary", 0, 1, True),
    88: ("StreamsGroupHeartbeat", "streams_group_heartbeat", 0, 0, True),
    89: ("StreamsGroupDescribe", "streams_group_describe", 0, 0, True),
    90: ("DescribeShareGroupOffsets", "describe_share_group_offsets", 0, 1, True),
    91: ("AlterShareGroupOffsets", "alter_share_group_offsets", 0, 0, True),
    92: ("DeleteShareGroupOffsets", "delete_share_group_offsets", 0, 0, True),
}

# type of a metadata record: (module, class)
METADATA_RECORDS: Final[dict[int, tuple[str, str]]] = {
    0: ("register_broker_record", "RegisterBrokerRecord"),
    1: ("unregister_broker_record", "UnregisterBrokerRecord"),
    2: ("topic_record", "TopicRecord"),
    3: ("partition_record", "PartitionRecord"),
    4: ("config_record", "ConfigRecord"),
    5: ("partition_change_record", "PartitionChangeRecord"),
    7: ("fence_broker_record", "FenceBrokerRecord"),
    8: ("unfence_broker_record", "UnfenceBrokerRecord"),
    9: ("remove_topic_record", "RemoveTopicRecord"),
    10: ("delegation_token_record", "DelegationTokenRecord"),
    11: ("user_scram_credential_record", "UserScramCredentialRecord"),
    12: ("feature_level_record", "FeatureLevelRecord"),
    14: ("client_quota_record", "ClientQuotaRecord"),
    15: ("producer_ids_record", "ProducerIdsRecord"),
    17: ("broker_registration_change_record", "BrokerRegistrationChangeRecord"),
    18: ("access_control_entry_record", "AccessControlEntryRecord"),
    19: ("remove_access_control_entry_record", "RemoveAccessControlEntryRecord"),
    20: ("no_op_record", "NoOpRecord"),
    21: ("zk_migration_state_record", "ZkMigrationStateRecord"),
    22: ("remove_user_scram_credential_record", "RemoveUserScramCredentialRecord"),
    23: ("begin_transaction_record", "BeginTransactionRecord"),
    24: ("end_transaction_record", "EndTransactionRecord"),
    25: ("abort_transaction_record", "AbortTransactionRecord"),
    26: ("remove_delegation_token_record", "RemoveDelegationTokenRecord"),
    27: ("register_controller_record", "RegisterControllerRecord"),
    28: ("clear_elr_record", "ClearElrRecord"),
}

# log: {type of a record: (key's module, key's class, value's module or None, value's class)}
COORDINATOR_RECORDS: Final[dict[str, dict[int, tuple[str, str, str | None, str]]]] = {
    "group": {
        0: (
            "legacy_offset_commit_key",
            "LegacyOffsetCommitKey",
            "legacy_offset_commit_value",
            "LegacyOffsetCommitValue",
        ),
        1: ("offset_commit_key", "OffsetCommitKey", "offset_commit_value", "OffsetCommitValue"),
        2: ("group_metadata_key", "GroupMetadataKey", "group_metadata_value", "GroupMetadataValue"),
        3: (
            "consumer_group_metadata_key",
            "ConsumerGroupMetadataKey",
            "consumer_group_metadata_value",
            "ConsumerGroupMetadataValue",
        ),
        4: (
            "consumer_group_partition_metadata_key",
            "ConsumerGroupPartitionMetadataKey",
            "consumer_group_partition_metadata_value",
            "ConsumerGroupPartitionMetadataValue",
        ),
        5: (
            "consumer_group_member_metadata_key",
            "ConsumerGroupMemberMetadataKey",
            "consumer_group_member_metadata_value",
            "ConsumerGroupMemberMetadataValue",
        ),
        6: (
            "consumer_group_target_assignment_metadata_key",
            "ConsumerGroupTargetAssignmentMetadataKey",
            "consumer_group_target_assignment_metadata_value",
            "ConsumerGroupTargetAssignmentMetadataValue",
        ),
        7: (
            "consumer_group_target_assignment_member_key",
            "ConsumerGroupTargetAssignmentMemberKey",
            "consumer_group_target_assignment_member_value",
            "ConsumerGroupTargetAssignmentMemberValue",
        ),
        8: (
            "consumer_group_current_member_assignment_key",
            "ConsumerGroupCurrentMemberAssignmentKey",
            "consumer_group_current_member_assignment_value",
            "ConsumerGroupCurrentMemberAssignmentValue",
        ),
        10: (
            "share_group_member_metadata_key",
            "ShareGroupMemberMetadataKey",
            "share_group_member_metadata_value",
            "ShareGroupMemberMetadataValue",
        ),
        11: (
            "share_group_metadata_key",
            "ShareGroupMetadataKey",
            "share_group_metadata_value",
            "ShareGroupMetadataValue",
        ),
        12: (
            "share_group_target_assignment_metadata_key",
            "ShareGroupTargetAssignmentMetadataKey",
            "share_group_target_assignment_metadata_value",
            "ShareGroupTargetAssignmentMetadataValue",
        ),
        13: (
            "share_group_target_assignment_member_key",
            "ShareGroupTargetAssignmentMemberKey",
            "share_group_target_assignment_member_value",
            "ShareGroupTargetAssignmentMemberValue",
        ),
        14: (
            "share_group_current_member_assignment_key",
            "ShareGroupCurrentMemberAssignmentKey",
            "share_group_current_member_assignment_value",
            "ShareGroupCurrentMemberAssignmentValue",
        ),
        15: (
            "share_group_state_partition_metadata_key",
            "ShareGroupStatePartitionMetadataKey",
            "share_group_state_partition_metadata_value",
            "ShareGroupStatePartitionMetadataValue",
        ),
        16: (
            "consumer_group_regular_expression_key",
            "ConsumerGroupRegularExpressionKey",
            "consumer_group_regular_expression_value",
            "ConsumerGroupRegularExpressionValue",
        ),
        17: (
            "streams_group_metadata_key",
            "StreamsGroupMetadataKey",
            "streams_group_metadata_value",
            "StreamsGroupMetadataValue",
        ),
        19: (
            "streams_group_member_metadata_key",
            "StreamsGroupMemberMetadataKey",
            "streams_group_member_metadata_value",
            "StreamsGroupMemberMetadataValue",
        ),
        20: (
            "streams_group_target_assignment_metadata_key",
            "StreamsGroupTargetAssignmentMetadataKey",
            "streams_group_target_assignment_metadata_value",
            "StreamsGroupTargetAssignmentMetadataValue",
        ),
        21: (
            "streams_group_target_assignment_member_key",
            "StreamsGroupTargetAssignmentMemberKey",
            "streams_group_target_assignment_member_value",
            "StreamsGroupTargetAssignmentMemberValue",
        ),
        22: (
            "streams_group_current_member_assignment_key",
            "StreamsGroupCurrentMemberAssignmentKey",
            "streams_group_current_member_assignment_value",
            "StreamsGroupCurrentMemberAssignmentValue",
        ),
        23: (
            "streams_group_topology_key",
            "StreamsGroupTopologyKey",
            "streams_group_topology_value",
            "StreamsGroupTopologyValue",
        ),
    },
    "transaction": {
        0: ("transaction_log_key", "TransactionLogKey", "transaction_log_value", "TransactionLogValue"),
    },
    "share": {
        0: ("share_snapshot_key", "ShareSnapshotKey", "share_snapshot_value", "ShareSnapshotValue"),
        1: ("share_update_key", "ShareUpdateKey", "share_update_value", "ShareUpdateValue"),
    },
}
