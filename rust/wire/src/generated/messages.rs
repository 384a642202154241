// Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
//! The message table.

use crate::table::{Purpose, Schema};

#[rustfmt::skip]
mod structs {
    use crate::table::Default::{Bool, Empty, Float, Int, Null};
    use crate::table::Kind::{self, Int8, Int16, Int32, Int64, Uint16, Uint32, Float64, Uuid};
    use crate::table::Kind::{String, Bytes, Records};
    use crate::table::{Struct, f, from, v};

    pub(super) static S0: Struct = Struct { id: 0, schema: 0, name: "AbortTransactionRecord", fields: &[
        f("reason", String, from(0), Null).nullable(from(0)).tagged(0, from(0)),
    ] };
    pub(super) static S1: Struct = Struct { id: 1, schema: 1, name: "AccessControlEntryRecord", fields: &[
        f("id", Uuid, from(0), Empty),
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("pattern_type", Int8, from(0), Int(0)),
        f("principal", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("operation", Int8, from(0), Int(0)),
        f("permission_type", Int8, from(0), Int(0)),
    ] };
    pub(super) static S2: Struct = Struct { id: 2, schema: 2, name: "AddOffsetsToTxnRequest", fields: &[
        f("transactional_id", String, from(0), Empty),
        f("producer_id", Int64, from(0), Int(0)),
        f("producer_epoch", Int16, from(0), Int(0)),
        f("group_id", String, from(0), Empty),
    ] };
    pub(super) static S3: Struct = Struct { id: 3, schema: 3, name: "AddOffsetsToTxnResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S4: Struct = Struct { id: 4, schema: 4, name: "AddPartitionsToTxnRequest", fields: &[
        f("transactions", Kind::Struct(&S5), from(4), Empty).array(),
        f("v3_and_below_transactional_id", String, v(0, 3), Empty),
        f("v3_and_below_producer_id", Int64, v(0, 3), Int(0)),
        f("v3_and_below_producer_epoch", Int16, v(0, 3), Int(0)),
        f("v3_and_below_topics", Kind::Struct(&S6), v(0, 3), Empty).array(),
    ] };
    pub(super) static S5: Struct = Struct { id: 5, schema: 4, name: "AddPartitionsToTxnTransaction", fields: &[
        f("transactional_id", String, from(4), Empty),
        f("producer_id", Int64, from(4), Int(0)),
        f("producer_epoch", Int16, from(4), Int(0)),
        f("verify_only", Kind::Bool, from(4), Bool(false)),
        f("topics", Kind::Struct(&S6), from(4), Empty).array(),
    ] };
    pub(super) static S6: Struct = Struct { id: 6, schema: 4, name: "AddPartitionsToTxnTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S7: Struct = Struct { id: 7, schema: 5, name: "AddPartitionsToTxnResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(4), Int(0)).ignorable(),
        f("results_by_transaction", Kind::Struct(&S8), from(4), Empty).array(),
        f("results_by_topic_v3_and_below", Kind::Struct(&S9), v(0, 3), Empty).array(),
    ] };
    pub(super) static S8: Struct = Struct { id: 8, schema: 5, name: "AddPartitionsToTxnResult", fields: &[
        f("transactional_id", String, from(4), Empty),
        f("topic_results", Kind::Struct(&S9), from(4), Empty).array(),
    ] };
    pub(super) static S9: Struct = Struct { id: 9, schema: 5, name: "AddPartitionsToTxnTopicResult", fields: &[
        f("name", String, from(0), Empty),
        f("results_by_partition", Kind::Struct(&S10), from(0), Empty).array(),
    ] };
    pub(super) static S10: Struct = Struct { id: 10, schema: 5, name: "AddPartitionsToTxnPartitionResult", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("partition_error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S11: Struct = Struct { id: 11, schema: 6, name: "AddRaftVoterRequest", fields: &[
        f("cluster_id", String, from(0), Empty).nullable(from(0)),
        f("timeout_ms", Int32, from(0), Int(0)),
        f("voter_id", Int32, from(0), Int(0)),
        f("voter_directory_id", Uuid, from(0), Empty),
        f("listeners", Kind::Struct(&S12), from(0), Empty).array(),
        f("ack_when_committed", Kind::Bool, from(1), Bool(true)),
    ] };
    pub(super) static S12: Struct = Struct { id: 12, schema: 6, name: "Listener", fields: &[
        f("name", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
    ] };
    pub(super) static S13: Struct = Struct { id: 13, schema: 7, name: "AddRaftVoterResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)).ignorable(),
    ] };
    pub(super) static S14: Struct = Struct { id: 14, schema: 8, name: "AllocateProducerIdsRequest", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("broker_epoch", Int64, from(0), Int(-1)),
    ] };
    pub(super) static S15: Struct = Struct { id: 15, schema: 9, name: "AllocateProducerIdsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("producer_id_start", Int64, from(0), Int(0)),
        f("producer_id_len", Int32, from(0), Int(0)),
    ] };
    pub(super) static S16: Struct = Struct { id: 16, schema: 10, name: "AlterClientQuotasRequest", fields: &[
        f("entries", Kind::Struct(&S17), from(0), Empty).array(),
        f("validate_only", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S17: Struct = Struct { id: 17, schema: 10, name: "EntryData", fields: &[
        f("entity", Kind::Struct(&S18), from(0), Empty).array(),
        f("ops", Kind::Struct(&S19), from(0), Empty).array(),
    ] };
    pub(super) static S18: Struct = Struct { id: 18, schema: 10, name: "EntityData", fields: &[
        f("entity_type", String, from(0), Empty),
        f("entity_name", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S19: Struct = Struct { id: 19, schema: 10, name: "OpData", fields: &[
        f("key", String, from(0), Empty),
        f("value", Float64, from(0), Float(0.0)),
        f("remove", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S20: Struct = Struct { id: 20, schema: 11, name: "AlterClientQuotasResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("entries", Kind::Struct(&S21), from(0), Empty).array(),
    ] };
    pub(super) static S21: Struct = Struct { id: 21, schema: 11, name: "EntryData", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("entity", Kind::Struct(&S22), from(0), Empty).array(),
    ] };
    pub(super) static S22: Struct = Struct { id: 22, schema: 11, name: "EntityData", fields: &[
        f("entity_type", String, from(0), Empty),
        f("entity_name", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S23: Struct = Struct { id: 23, schema: 12, name: "AlterConfigsRequest", fields: &[
        f("resources", Kind::Struct(&S24), from(0), Empty).array(),
        f("validate_only", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S24: Struct = Struct { id: 24, schema: 12, name: "AlterConfigsResource", fields: &[
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("configs", Kind::Struct(&S25), from(0), Empty).array(),
    ] };
    pub(super) static S25: Struct = Struct { id: 25, schema: 12, name: "AlterableConfig", fields: &[
        f("name", String, from(0), Empty),
        f("value", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S26: Struct = Struct { id: 26, schema: 13, name: "AlterConfigsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("responses", Kind::Struct(&S27), from(0), Empty).array(),
    ] };
    pub(super) static S27: Struct = Struct { id: 27, schema: 13, name: "AlterConfigsResourceResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
    ] };
    pub(super) static S28: Struct = Struct { id: 28, schema: 14, name: "AlterPartitionReassignmentsRequest", fields: &[
        f("timeout_ms", Int32, from(0), Int(60_000)),
        f("allow_replication_factor_change", Kind::Bool, from(1), Bool(true)),
        f("topics", Kind::Struct(&S29), from(0), Empty).array(),
    ] };
    pub(super) static S29: Struct = Struct { id: 29, schema: 14, name: "ReassignableTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S30), from(0), Empty).array(),
    ] };
    pub(super) static S30: Struct = Struct { id: 30, schema: 14, name: "ReassignablePartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("replicas", Int32, from(0), Null).array().nullable(from(0)),
    ] };
    pub(super) static S31: Struct = Struct { id: 31, schema: 15, name: "AlterPartitionReassignmentsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("allow_replication_factor_change", Kind::Bool, from(1), Bool(true)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("responses", Kind::Struct(&S32), from(0), Empty).array(),
    ] };
    pub(super) static S32: Struct = Struct { id: 32, schema: 15, name: "ReassignableTopicResponse", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S33), from(0), Empty).array(),
    ] };
    pub(super) static S33: Struct = Struct { id: 33, schema: 15, name: "ReassignablePartitionResponse", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S34: Struct = Struct { id: 34, schema: 16, name: "AlterPartitionRequest", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("broker_epoch", Int64, from(0), Int(-1)),
        f("topics", Kind::Struct(&S35), from(0), Empty).array(),
    ] };
    pub(super) static S35: Struct = Struct { id: 35, schema: 16, name: "TopicData", fields: &[
        f("topic_id", Uuid, from(2), Empty).ignorable(),
        f("partitions", Kind::Struct(&S36), from(0), Empty).array(),
    ] };
    pub(super) static S36: Struct = Struct { id: 36, schema: 16, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("new_isr", Int32, v(0, 2), Empty).array(),
        f("new_isr_with_epochs", Kind::Struct(&S37), from(3), Empty).array(),
        f("leader_recovery_state", Int8, from(1), Int(0)),
        f("partition_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S37: Struct = Struct { id: 37, schema: 16, name: "BrokerState", fields: &[
        f("broker_id", Int32, from(3), Int(0)),
        f("broker_epoch", Int64, from(3), Int(-1)),
    ] };
    pub(super) static S38: Struct = Struct { id: 38, schema: 17, name: "AlterPartitionResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("topics", Kind::Struct(&S39), from(0), Empty).array(),
    ] };
    pub(super) static S39: Struct = Struct { id: 39, schema: 17, name: "TopicData", fields: &[
        f("topic_id", Uuid, from(2), Empty).ignorable(),
        f("partitions", Kind::Struct(&S40), from(0), Empty).array(),
    ] };
    pub(super) static S40: Struct = Struct { id: 40, schema: 17, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("isr", Int32, from(0), Empty).array(),
        f("leader_recovery_state", Int8, from(1), Int(0)).ignorable(),
        f("partition_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S41: Struct = Struct { id: 41, schema: 18, name: "AlterReplicaLogDirsRequest", fields: &[
        f("dirs", Kind::Struct(&S42), from(0), Empty).array(),
    ] };
    pub(super) static S42: Struct = Struct { id: 42, schema: 18, name: "AlterReplicaLogDir", fields: &[
        f("path", String, from(0), Empty),
        f("topics", Kind::Struct(&S43), from(0), Empty).array(),
    ] };
    pub(super) static S43: Struct = Struct { id: 43, schema: 18, name: "AlterReplicaLogDirTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S44: Struct = Struct { id: 44, schema: 19, name: "AlterReplicaLogDirsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("results", Kind::Struct(&S45), from(0), Empty).array(),
    ] };
    pub(super) static S45: Struct = Struct { id: 45, schema: 19, name: "AlterReplicaLogDirTopicResult", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S46), from(0), Empty).array(),
    ] };
    pub(super) static S46: Struct = Struct { id: 46, schema: 19, name: "AlterReplicaLogDirPartitionResult", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S47: Struct = Struct { id: 47, schema: 20, name: "AlterShareGroupOffsetsRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S48), from(0), Empty).array(),
    ] };
    pub(super) static S48: Struct = Struct { id: 48, schema: 20, name: "AlterShareGroupOffsetsRequestTopic", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S49), from(0), Empty).array(),
    ] };
    pub(super) static S49: Struct = Struct { id: 49, schema: 20, name: "AlterShareGroupOffsetsRequestPartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("start_offset", Int64, from(0), Int(0)),
    ] };
    pub(super) static S50: Struct = Struct { id: 50, schema: 21, name: "AlterShareGroupOffsetsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("responses", Kind::Struct(&S51), from(0), Empty).array(),
    ] };
    pub(super) static S51: Struct = Struct { id: 51, schema: 21, name: "AlterShareGroupOffsetsResponseTopic", fields: &[
        f("topic_name", String, from(0), Empty),
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S52), from(0), Empty).array(),
    ] };
    pub(super) static S52: Struct = Struct { id: 52, schema: 21, name: "AlterShareGroupOffsetsResponsePartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S53: Struct = Struct { id: 53, schema: 22, name: "AlterUserScramCredentialsRequest", fields: &[
        f("deletions", Kind::Struct(&S54), from(0), Empty).array(),
        f("upsertions", Kind::Struct(&S55), from(0), Empty).array(),
    ] };
    pub(super) static S54: Struct = Struct { id: 54, schema: 22, name: "ScramCredentialDeletion", fields: &[
        f("name", String, from(0), Empty),
        f("mechanism", Int8, from(0), Int(0)),
    ] };
    pub(super) static S55: Struct = Struct { id: 55, schema: 22, name: "ScramCredentialUpsertion", fields: &[
        f("name", String, from(0), Empty),
        f("mechanism", Int8, from(0), Int(0)),
        f("iterations", Int32, from(0), Int(0)),
        f("salt", Bytes, from(0), Empty),
        f("salted_password", Bytes, from(0), Empty),
    ] };
    pub(super) static S56: Struct = Struct { id: 56, schema: 23, name: "AlterUserScramCredentialsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("results", Kind::Struct(&S57), from(0), Empty).array(),
    ] };
    pub(super) static S57: Struct = Struct { id: 57, schema: 23, name: "AlterUserScramCredentialsResult", fields: &[
        f("user", String, from(0), Empty),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S58: Struct = Struct { id: 58, schema: 24, name: "ApiVersionsRequest", fields: &[
        f("client_software_name", String, from(3), Empty).ignorable(),
        f("client_software_version", String, from(3), Empty).ignorable(),
    ] };
    pub(super) static S59: Struct = Struct { id: 59, schema: 25, name: "ApiVersionsResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("api_keys", Kind::Struct(&S60), from(0), Empty).array(),
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("supported_features", Kind::Struct(&S61), from(3), Empty).array().tagged(0, from(3)).ignorable(),
        f("finalized_features_epoch", Int64, from(3), Int(-1)).tagged(1, from(3)).ignorable(),
        f("finalized_features", Kind::Struct(&S62), from(3), Empty).array().tagged(2, from(3)).ignorable(),
        f("zk_migration_ready", Kind::Bool, from(3), Bool(false)).tagged(3, from(3)).ignorable(),
    ] };
    pub(super) static S60: Struct = Struct { id: 60, schema: 25, name: "ApiVersion", fields: &[
        f("api_key", Int16, from(0), Int(0)),
        f("min_version", Int16, from(0), Int(0)),
        f("max_version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S61: Struct = Struct { id: 61, schema: 25, name: "SupportedFeatureKey", fields: &[
        f("name", String, from(3), Empty),
        f("min_version", Int16, from(3), Int(0)),
        f("max_version", Int16, from(3), Int(0)),
    ] };
    pub(super) static S62: Struct = Struct { id: 62, schema: 25, name: "FinalizedFeatureKey", fields: &[
        f("name", String, from(3), Empty),
        f("max_version_level", Int16, from(3), Int(0)),
        f("min_version_level", Int16, from(3), Int(0)),
    ] };
    pub(super) static S63: Struct = Struct { id: 63, schema: 26, name: "AssignReplicasToDirsRequest", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("broker_epoch", Int64, from(0), Int(-1)),
        f("directories", Kind::Struct(&S64), from(0), Empty).array(),
    ] };
    pub(super) static S64: Struct = Struct { id: 64, schema: 26, name: "DirectoryData", fields: &[
        f("id", Uuid, from(0), Empty),
        f("topics", Kind::Struct(&S65), from(0), Empty).array(),
    ] };
    pub(super) static S65: Struct = Struct { id: 65, schema: 26, name: "TopicData", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S66), from(0), Empty).array(),
    ] };
    pub(super) static S66: Struct = Struct { id: 66, schema: 26, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
    ] };
    pub(super) static S67: Struct = Struct { id: 67, schema: 27, name: "AssignReplicasToDirsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("directories", Kind::Struct(&S68), from(0), Empty).array(),
    ] };
    pub(super) static S68: Struct = Struct { id: 68, schema: 27, name: "DirectoryData", fields: &[
        f("id", Uuid, from(0), Empty),
        f("topics", Kind::Struct(&S69), from(0), Empty).array(),
    ] };
    pub(super) static S69: Struct = Struct { id: 69, schema: 27, name: "TopicData", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S70), from(0), Empty).array(),
    ] };
    pub(super) static S70: Struct = Struct { id: 70, schema: 27, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S71: Struct = Struct { id: 71, schema: 28, name: "BeginQuorumEpochRequest", fields: &[
        f("cluster_id", String, from(0), Null).nullable(from(0)),
        f("voter_id", Int32, from(1), Int(-1)).ignorable(),
        f("topics", Kind::Struct(&S72), from(0), Empty).array(),
        f("leader_endpoints", Kind::Struct(&S74), from(1), Empty).array().ignorable(),
    ] };
    pub(super) static S72: Struct = Struct { id: 72, schema: 28, name: "TopicData", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S73), from(0), Empty).array(),
    ] };
    pub(super) static S73: Struct = Struct { id: 73, schema: 28, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("voter_directory_id", Uuid, from(1), Empty).ignorable(),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S74: Struct = Struct { id: 74, schema: 28, name: "LeaderEndpoint", fields: &[
        f("name", String, from(1), Empty),
        f("host", String, from(1), Empty),
        f("port", Uint16, from(1), Int(0)),
    ] };
    pub(super) static S75: Struct = Struct { id: 75, schema: 29, name: "BeginQuorumEpochResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("topics", Kind::Struct(&S76), from(0), Empty).array(),
        f("node_endpoints", Kind::Struct(&S78), from(1), Empty).array().tagged(0, from(1)),
    ] };
    pub(super) static S76: Struct = Struct { id: 76, schema: 29, name: "TopicData", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S77), from(0), Empty).array(),
    ] };
    pub(super) static S77: Struct = Struct { id: 77, schema: 29, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S78: Struct = Struct { id: 78, schema: 29, name: "NodeEndpoint", fields: &[
        f("node_id", Int32, from(1), Int(0)),
        f("host", String, from(1), Empty),
        f("port", Uint16, from(1), Int(0)),
    ] };
    pub(super) static S79: Struct = Struct { id: 79, schema: 30, name: "BeginTransactionRecord", fields: &[
        f("name", String, from(0), Null).nullable(from(0)).tagged(0, from(0)),
    ] };
    pub(super) static S80: Struct = Struct { id: 80, schema: 31, name: "BrokerHeartbeatRequest", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("broker_epoch", Int64, from(0), Int(-1)),
        f("current_metadata_offset", Int64, from(0), Int(0)),
        f("want_fence", Kind::Bool, from(0), Bool(false)),
        f("want_shut_down", Kind::Bool, from(0), Bool(false)),
        f("offline_log_dirs", Uuid, from(1), Empty).array().tagged(0, from(1)),
        f("cordoned_log_dirs", Uuid, from(2), Null).array().nullable(from(2)).tagged(1, from(2)),
    ] };
    pub(super) static S81: Struct = Struct { id: 81, schema: 32, name: "BrokerHeartbeatResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("is_caught_up", Kind::Bool, from(0), Bool(false)),
        f("is_fenced", Kind::Bool, from(0), Bool(true)),
        f("should_shut_down", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S82: Struct = Struct { id: 82, schema: 33, name: "BrokerRegistrationChangeRecord", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("broker_epoch", Int64, from(0), Int(0)),
        f("fenced", Int8, from(0), Int(0)).tagged(0, from(0)),
        f("in_controlled_shutdown", Int8, from(1), Int(0)).tagged(1, from(1)),
        f("log_dirs", Uuid, from(2), Empty).array().tagged(2, from(2)),
        f("cordoned_log_dirs", Uuid, from(3), Null).array().nullable(from(3)).tagged(3, from(3)),
    ] };
    pub(super) static S83: Struct = Struct { id: 83, schema: 34, name: "BrokerRegistrationRequest", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("cluster_id", String, from(0), Empty),
        f("incarnation_id", Uuid, from(0), Empty),
        f("listeners", Kind::Struct(&S84), from(0), Empty).array(),
        f("features", Kind::Struct(&S85), from(0), Empty).array(),
        f("rack", String, from(0), Empty).nullable(from(0)),
        f("is_migrating_zk_broker", Kind::Bool, from(1), Bool(false)),
        f("log_dirs", Uuid, from(2), Empty).array().ignorable(),
        f("previous_broker_epoch", Int64, from(3), Int(-1)).ignorable(),
    ] };
    pub(super) static S84: Struct = Struct { id: 84, schema: 34, name: "Listener", fields: &[
        f("name", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
        f("security_protocol", Int16, from(0), Int(0)),
    ] };
    pub(super) static S85: Struct = Struct { id: 85, schema: 34, name: "Feature", fields: &[
        f("name", String, from(0), Empty),
        f("min_supported_version", Int16, from(0), Int(0)),
        f("max_supported_version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S86: Struct = Struct { id: 86, schema: 35, name: "BrokerRegistrationResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("broker_epoch", Int64, from(0), Int(-1)),
    ] };
    pub(super) static S87: Struct = Struct { id: 87, schema: 36, name: "ClearElrRecord", fields: &[
        f("topic_name", String, from(0), Empty),
    ] };
    pub(super) static S88: Struct = Struct { id: 88, schema: 37, name: "ClientQuotaRecord", fields: &[
        f("entity", Kind::Struct(&S89), from(0), Empty).array(),
        f("key", String, from(0), Empty),
        f("value", Float64, from(0), Float(0.0)),
        f("remove", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S89: Struct = Struct { id: 89, schema: 37, name: "EntityData", fields: &[
        f("entity_type", String, from(0), Empty),
        f("entity_name", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S90: Struct = Struct { id: 90, schema: 38, name: "ConfigRecord", fields: &[
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("name", String, from(0), Empty),
        f("value", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S91: Struct = Struct { id: 91, schema: 39, name: "ConsumerGroupCurrentMemberAssignmentKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S92: Struct = Struct { id: 92, schema: 40, name: "ConsumerGroupCurrentMemberAssignmentValue", fields: &[
        f("member_epoch", Int32, from(0), Int(0)),
        f("previous_member_epoch", Int32, from(0), Int(0)),
        f("state", Int8, from(0), Int(0)),
        f("assigned_partitions", Kind::Struct(&S93), from(0), Empty).array(),
        f("partitions_pending_revocation", Kind::Struct(&S93), from(0), Empty).array(),
    ] };
    pub(super) static S93: Struct = Struct { id: 93, schema: 40, name: "TopicPartitions", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
        f("assignment_epochs", Int32, from(0), Empty).array().nullable(from(0)).tagged(0, from(0)),
    ] };
    pub(super) static S94: Struct = Struct { id: 94, schema: 41, name: "ConsumerGroupDescribeRequest", fields: &[
        f("group_ids", String, from(0), Empty).array(),
        f("include_authorized_operations", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S95: Struct = Struct { id: 95, schema: 42, name: "ConsumerGroupDescribeResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("groups", Kind::Struct(&S96), from(0), Empty).array(),
    ] };
    pub(super) static S96: Struct = Struct { id: 96, schema: 42, name: "DescribedGroup", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("group_id", String, from(0), Empty),
        f("group_state", String, from(0), Empty),
        f("group_epoch", Int32, from(0), Int(0)),
        f("assignment_epoch", Int32, from(0), Int(0)),
        f("assignor_name", String, from(0), Empty),
        f("members", Kind::Struct(&S97), from(0), Empty).array(),
        f("authorized_operations", Int32, from(0), Int(-2_147_483_648)),
    ] };
    pub(super) static S97: Struct = Struct { id: 97, schema: 42, name: "Member", fields: &[
        f("member_id", String, from(0), Empty),
        f("instance_id", String, from(0), Null).nullable(from(0)),
        f("rack_id", String, from(0), Null).nullable(from(0)),
        f("member_epoch", Int32, from(0), Int(0)),
        f("client_id", String, from(0), Empty),
        f("client_host", String, from(0), Empty),
        f("subscribed_topic_names", String, from(0), Empty).array(),
        f("subscribed_topic_regex", String, from(0), Null).nullable(from(0)),
        f("assignment", Kind::Struct(&S98), from(0), Empty),
        f("target_assignment", Kind::Struct(&S98), from(0), Empty),
        f("member_type", Int8, from(1), Int(-1)).ignorable(),
    ] };
    pub(super) static S98: Struct = Struct { id: 98, schema: 42, name: "Assignment", fields: &[
        f("topic_partitions", Kind::Struct(&S99), from(0), Empty).array(),
    ] };
    pub(super) static S99: Struct = Struct { id: 99, schema: 42, name: "TopicPartitions", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("topic_name", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S100: Struct = Struct { id: 100, schema: 43, name: "ConsumerGroupHeartbeatRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("member_id", String, from(0), Empty),
        f("member_epoch", Int32, from(0), Int(0)),
        f("instance_id", String, from(0), Null).nullable(from(0)),
        f("rack_id", String, from(0), Null).nullable(from(0)),
        f("rebalance_timeout_ms", Int32, from(0), Int(-1)),
        f("subscribed_topic_names", String, from(0), Null).array().nullable(from(0)),
        f("subscribed_topic_regex", String, from(1), Null).nullable(from(1)),
        f("server_assignor", String, from(0), Null).nullable(from(0)),
        f("topic_partitions", Kind::Struct(&S101), from(0), Null).array().nullable(from(0)),
    ] };
    pub(super) static S101: Struct = Struct { id: 101, schema: 43, name: "TopicPartitions", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S102: Struct = Struct { id: 102, schema: 44, name: "ConsumerGroupHeartbeatResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("member_id", String, from(0), Null).nullable(from(0)),
        f("member_epoch", Int32, from(0), Int(0)),
        f("heartbeat_interval_ms", Int32, from(0), Int(0)),
        f("assignment", Kind::Struct(&S103), from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S103: Struct = Struct { id: 103, schema: 44, name: "Assignment", fields: &[
        f("topic_partitions", Kind::Struct(&S104), from(0), Empty).array(),
    ] };
    pub(super) static S104: Struct = Struct { id: 104, schema: 44, name: "TopicPartitions", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S105: Struct = Struct { id: 105, schema: 45, name: "ConsumerGroupMemberMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S106: Struct = Struct { id: 106, schema: 46, name: "ConsumerGroupMemberMetadataValue", fields: &[
        f("instance_id", String, from(0), Empty).nullable(from(0)),
        f("rack_id", String, from(0), Empty).nullable(from(0)),
        f("client_id", String, from(0), Empty),
        f("client_host", String, from(0), Empty),
        f("subscribed_topic_names", String, from(0), Empty).array(),
        f("subscribed_topic_regex", String, from(0), Empty).nullable(from(0)),
        f("rebalance_timeout_ms", Int32, from(0), Int(-1)),
        f("server_assignor", String, from(0), Empty).nullable(from(0)),
        f("classic_member_metadata", Kind::Struct(&S107), from(0), Empty).nullable(from(0)).tagged(0, from(0)),
    ] };
    pub(super) static S107: Struct = Struct { id: 107, schema: 46, name: "ClassicMemberMetadata", fields: &[
        f("session_timeout_ms", Int32, from(0), Int(0)),
        f("supported_protocols", Kind::Struct(&S108), from(0), Empty).array(),
    ] };
    pub(super) static S108: Struct = Struct { id: 108, schema: 46, name: "ClassicProtocol", fields: &[
        f("name", String, from(0), Empty),
        f("metadata", Bytes, from(0), Empty),
    ] };
    pub(super) static S109: Struct = Struct { id: 109, schema: 47, name: "ConsumerGroupMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S110: Struct = Struct { id: 110, schema: 48, name: "ConsumerGroupMetadataValue", fields: &[
        f("epoch", Int32, from(0), Int(0)),
        f("metadata_hash", Int64, from(0), Int(0)).tagged(0, from(0)),
    ] };
    pub(super) static S111: Struct = Struct { id: 111, schema: 49, name: "ConsumerGroupPartitionMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S112: Struct = Struct { id: 112, schema: 50, name: "ConsumerGroupPartitionMetadataValue", fields: &[
        f("topics", Kind::Struct(&S113), from(0), Empty).array(),
    ] };
    pub(super) static S113: Struct = Struct { id: 113, schema: 50, name: "TopicMetadata", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("topic_name", String, from(0), Empty),
        f("num_partitions", Int32, from(0), Int(0)),
        f("partition_metadata", Kind::Struct(&S114), from(0), Empty).array(),
    ] };
    pub(super) static S114: Struct = Struct { id: 114, schema: 50, name: "PartitionMetadata", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("racks", String, from(0), Empty).array(),
    ] };
    pub(super) static S115: Struct = Struct { id: 115, schema: 51, name: "ConsumerGroupRegularExpressionKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("regular_expression", String, v(0, 0), Empty),
    ] };
    pub(super) static S116: Struct = Struct { id: 116, schema: 52, name: "ConsumerGroupRegularExpressionValue", fields: &[
        f("topics", String, from(0), Empty).array(),
        f("version", Int64, from(0), Int(0)),
        f("timestamp", Int64, from(0), Int(0)),
    ] };
    pub(super) static S117: Struct = Struct { id: 117, schema: 53, name: "ConsumerGroupTargetAssignmentMemberKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S118: Struct = Struct { id: 118, schema: 54, name: "ConsumerGroupTargetAssignmentMemberValue", fields: &[
        f("topic_partitions", Kind::Struct(&S119), from(0), Empty).array(),
    ] };
    pub(super) static S119: Struct = Struct { id: 119, schema: 54, name: "TopicPartition", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S120: Struct = Struct { id: 120, schema: 55, name: "ConsumerGroupTargetAssignmentMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S121: Struct = Struct { id: 121, schema: 56, name: "ConsumerGroupTargetAssignmentMetadataValue", fields: &[
        f("assignment_epoch", Int32, from(0), Int(0)),
        f("assignment_timestamp", Int64, from(0), Int(0)).tagged(0, from(0)).ignorable(),
    ] };
    pub(super) static S122: Struct = Struct { id: 122, schema: 57, name: "ConsumerProtocolAssignment", fields: &[
        f("assigned_partitions", Kind::Struct(&S123), from(0), Empty).array(),
        f("user_data", Bytes, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S123: Struct = Struct { id: 123, schema: 57, name: "TopicPartition", fields: &[
        f("topic", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S124: Struct = Struct { id: 124, schema: 58, name: "ConsumerProtocolSubscription", fields: &[
        f("topics", String, from(0), Empty).array(),
        f("user_data", Bytes, from(0), Null).nullable(from(0)),
        f("owned_partitions", Kind::Struct(&S125), from(1), Empty).array().ignorable(),
        f("generation_id", Int32, from(2), Int(-1)).ignorable(),
        f("rack_id", String, from(3), Null).nullable(from(3)).ignorable(),
    ] };
    pub(super) static S125: Struct = Struct { id: 125, schema: 58, name: "TopicPartition", fields: &[
        f("topic", String, from(1), Empty),
        f("partitions", Int32, from(1), Empty).array(),
    ] };
    pub(super) static S126: Struct = Struct { id: 126, schema: 59, name: "ControlRecordTypeSchema", fields: &[
        f("type", Int16, from(0), Int(0)),
    ] };
    pub(super) static S127: Struct = Struct { id: 127, schema: 60, name: "ControllerRegistrationRequest", fields: &[
        f("controller_id", Int32, from(0), Int(0)),
        f("incarnation_id", Uuid, from(0), Empty),
        f("zk_migration_ready", Kind::Bool, from(0), Bool(false)),
        f("listeners", Kind::Struct(&S128), from(0), Empty).array(),
        f("features", Kind::Struct(&S129), from(0), Empty).array(),
    ] };
    pub(super) static S128: Struct = Struct { id: 128, schema: 60, name: "Listener", fields: &[
        f("name", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
        f("security_protocol", Int16, from(0), Int(0)),
    ] };
    pub(super) static S129: Struct = Struct { id: 129, schema: 60, name: "Feature", fields: &[
        f("name", String, from(0), Empty),
        f("min_supported_version", Int16, from(0), Int(0)),
        f("max_supported_version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S130: Struct = Struct { id: 130, schema: 61, name: "ControllerRegistrationResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S131: Struct = Struct { id: 131, schema: 62, name: "CreateAclsRequest", fields: &[
        f("creations", Kind::Struct(&S132), from(0), Empty).array(),
    ] };
    pub(super) static S132: Struct = Struct { id: 132, schema: 62, name: "AclCreation", fields: &[
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("resource_pattern_type", Int8, from(1), Int(3)),
        f("principal", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("operation", Int8, from(0), Int(0)),
        f("permission_type", Int8, from(0), Int(0)),
    ] };
    pub(super) static S133: Struct = Struct { id: 133, schema: 63, name: "CreateAclsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("results", Kind::Struct(&S134), from(0), Empty).array(),
    ] };
    pub(super) static S134: Struct = Struct { id: 134, schema: 63, name: "AclCreationResult", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S135: Struct = Struct { id: 135, schema: 64, name: "CreateDelegationTokenRequest", fields: &[
        f("owner_principal_type", String, from(3), Empty).nullable(from(3)),
        f("owner_principal_name", String, from(3), Empty).nullable(from(3)),
        f("renewers", Kind::Struct(&S136), from(0), Empty).array(),
        f("max_lifetime_ms", Int64, from(0), Int(0)),
    ] };
    pub(super) static S136: Struct = Struct { id: 136, schema: 64, name: "CreatableRenewers", fields: &[
        f("principal_type", String, from(0), Empty),
        f("principal_name", String, from(0), Empty),
    ] };
    pub(super) static S137: Struct = Struct { id: 137, schema: 65, name: "CreateDelegationTokenResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("principal_type", String, from(0), Empty),
        f("principal_name", String, from(0), Empty),
        f("token_requester_principal_type", String, from(3), Empty),
        f("token_requester_principal_name", String, from(3), Empty),
        f("issue_timestamp_ms", Int64, from(0), Int(0)),
        f("expiry_timestamp_ms", Int64, from(0), Int(0)),
        f("max_timestamp_ms", Int64, from(0), Int(0)),
        f("token_id", String, from(0), Empty),
        f("hmac", Bytes, from(0), Empty),
        f("throttle_time_ms", Int32, from(0), Int(0)),
    ] };
    pub(super) static S138: Struct = Struct { id: 138, schema: 66, name: "CreatePartitionsRequest", fields: &[
        f("topics", Kind::Struct(&S139), from(0), Empty).array(),
        f("timeout_ms", Int32, from(0), Int(0)),
        f("validate_only", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S139: Struct = Struct { id: 139, schema: 66, name: "CreatePartitionsTopic", fields: &[
        f("name", String, from(0), Empty),
        f("count", Int32, from(0), Int(0)),
        f("assignments", Kind::Struct(&S140), from(0), Empty).array().nullable(from(0)),
    ] };
    pub(super) static S140: Struct = Struct { id: 140, schema: 66, name: "CreatePartitionsAssignment", fields: &[
        f("broker_ids", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S141: Struct = Struct { id: 141, schema: 67, name: "CreatePartitionsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("results", Kind::Struct(&S142), from(0), Empty).array(),
    ] };
    pub(super) static S142: Struct = Struct { id: 142, schema: 67, name: "CreatePartitionsTopicResult", fields: &[
        f("name", String, from(0), Empty),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S143: Struct = Struct { id: 143, schema: 68, name: "CreateTopicsRequest", fields: &[
        f("topics", Kind::Struct(&S144), from(0), Empty).array(),
        f("timeout_ms", Int32, from(0), Int(60_000)),
        f("validate_only", Kind::Bool, from(1), Bool(false)),
    ] };
    pub(super) static S144: Struct = Struct { id: 144, schema: 68, name: "CreatableTopic", fields: &[
        f("name", String, from(0), Empty),
        f("num_partitions", Int32, from(0), Int(0)),
        f("replication_factor", Int16, from(0), Int(0)),
        f("assignments", Kind::Struct(&S145), from(0), Empty).array(),
        f("configs", Kind::Struct(&S146), from(0), Empty).array(),
    ] };
    pub(super) static S145: Struct = Struct { id: 145, schema: 68, name: "CreatableReplicaAssignment", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("broker_ids", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S146: Struct = Struct { id: 146, schema: 68, name: "CreatableTopicConfig", fields: &[
        f("name", String, from(0), Empty),
        f("value", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S147: Struct = Struct { id: 147, schema: 69, name: "CreateTopicsResponse", fields: &[
        f("throttle_time_ms", Int32, from(2), Int(0)).ignorable(),
        f("topics", Kind::Struct(&S148), from(0), Empty).array(),
    ] };
    pub(super) static S148: Struct = Struct { id: 148, schema: 69, name: "CreatableTopicResult", fields: &[
        f("name", String, from(0), Empty),
        f("topic_id", Uuid, from(7), Empty).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(1), Empty).nullable(from(0)).ignorable(),
        f("topic_config_error_code", Int16, from(5), Int(0)).tagged(0, from(5)).ignorable(),
        f("num_partitions", Int32, from(5), Int(-1)).ignorable(),
        f("replication_factor", Int16, from(5), Int(-1)).ignorable(),
        f("configs", Kind::Struct(&S149), from(5), Empty).array().nullable(from(5)).ignorable(),
    ] };
    pub(super) static S149: Struct = Struct { id: 149, schema: 69, name: "CreatableTopicConfigs", fields: &[
        f("name", String, from(5), Empty),
        f("value", String, from(5), Empty).nullable(from(5)),
        f("read_only", Kind::Bool, from(5), Bool(false)),
        f("config_source", Int8, from(5), Int(-1)).ignorable(),
        f("is_sensitive", Kind::Bool, from(5), Bool(false)),
    ] };
    pub(super) static S150: Struct = Struct { id: 150, schema: 70, name: "DefaultPrincipalData", fields: &[
        f("type", String, from(0), Empty),
        f("name", String, from(0), Empty),
        f("token_authenticated", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S151: Struct = Struct { id: 151, schema: 71, name: "DelegationTokenRecord", fields: &[
        f("owner", String, from(0), Empty),
        f("requester", String, from(0), Empty),
        f("renewers", String, from(0), Empty).array(),
        f("issue_timestamp", Int64, from(0), Int(0)),
        f("max_timestamp", Int64, from(0), Int(0)),
        f("expiration_timestamp", Int64, from(0), Int(0)),
        f("token_id", String, from(0), Empty),
    ] };
    pub(super) static S152: Struct = Struct { id: 152, schema: 72, name: "DeleteAclsRequest", fields: &[
        f("filters", Kind::Struct(&S153), from(0), Empty).array(),
    ] };
    pub(super) static S153: Struct = Struct { id: 153, schema: 72, name: "DeleteAclsFilter", fields: &[
        f("resource_type_filter", Int8, from(0), Int(0)),
        f("resource_name_filter", String, from(0), Empty).nullable(from(0)),
        f("pattern_type_filter", Int8, from(1), Int(3)),
        f("principal_filter", String, from(0), Empty).nullable(from(0)),
        f("host_filter", String, from(0), Empty).nullable(from(0)),
        f("operation", Int8, from(0), Int(0)),
        f("permission_type", Int8, from(0), Int(0)),
    ] };
    pub(super) static S154: Struct = Struct { id: 154, schema: 73, name: "DeleteAclsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("filter_results", Kind::Struct(&S155), from(0), Empty).array(),
    ] };
    pub(super) static S155: Struct = Struct { id: 155, schema: 73, name: "DeleteAclsFilterResult", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("matching_acls", Kind::Struct(&S156), from(0), Empty).array(),
    ] };
    pub(super) static S156: Struct = Struct { id: 156, schema: 73, name: "DeleteAclsMatchingAcl", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("pattern_type", Int8, from(1), Int(3)),
        f("principal", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("operation", Int8, from(0), Int(0)),
        f("permission_type", Int8, from(0), Int(0)),
    ] };
    pub(super) static S157: Struct = Struct { id: 157, schema: 74, name: "DeleteGroupsRequest", fields: &[
        f("groups_names", String, from(0), Empty).array(),
    ] };
    pub(super) static S158: Struct = Struct { id: 158, schema: 75, name: "DeleteGroupsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("results", Kind::Struct(&S159), from(0), Empty).array(),
    ] };
    pub(super) static S159: Struct = Struct { id: 159, schema: 75, name: "DeletableGroupResult", fields: &[
        f("group_id", String, from(0), Empty),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S160: Struct = Struct { id: 160, schema: 76, name: "DeleteRecordsRequest", fields: &[
        f("topics", Kind::Struct(&S161), from(0), Empty).array(),
        f("timeout_ms", Int32, from(0), Int(0)),
    ] };
    pub(super) static S161: Struct = Struct { id: 161, schema: 76, name: "DeleteRecordsTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S162), from(0), Empty).array(),
    ] };
    pub(super) static S162: Struct = Struct { id: 162, schema: 76, name: "DeleteRecordsPartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("offset", Int64, from(0), Int(0)),
    ] };
    pub(super) static S163: Struct = Struct { id: 163, schema: 77, name: "DeleteRecordsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("topics", Kind::Struct(&S164), from(0), Empty).array(),
    ] };
    pub(super) static S164: Struct = Struct { id: 164, schema: 77, name: "DeleteRecordsTopicResult", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S165), from(0), Empty).array(),
    ] };
    pub(super) static S165: Struct = Struct { id: 165, schema: 77, name: "DeleteRecordsPartitionResult", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("low_watermark", Int64, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S166: Struct = Struct { id: 166, schema: 78, name: "DeleteShareGroupOffsetsRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S167), from(0), Empty).array(),
    ] };
    pub(super) static S167: Struct = Struct { id: 167, schema: 78, name: "DeleteShareGroupOffsetsRequestTopic", fields: &[
        f("topic_name", String, from(0), Empty),
    ] };
    pub(super) static S168: Struct = Struct { id: 168, schema: 79, name: "DeleteShareGroupOffsetsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("responses", Kind::Struct(&S169), from(0), Empty).array(),
    ] };
    pub(super) static S169: Struct = Struct { id: 169, schema: 79, name: "DeleteShareGroupOffsetsResponseTopic", fields: &[
        f("topic_name", String, from(0), Empty),
        f("topic_id", Uuid, from(0), Empty),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S170: Struct = Struct { id: 170, schema: 80, name: "DeleteShareGroupStateRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S171), from(0), Empty).array(),
    ] };
    pub(super) static S171: Struct = Struct { id: 171, schema: 80, name: "DeleteStateData", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S172), from(0), Empty).array(),
    ] };
    pub(super) static S172: Struct = Struct { id: 172, schema: 80, name: "PartitionData", fields: &[
        f("partition", Int32, from(0), Int(0)),
    ] };
    pub(super) static S173: Struct = Struct { id: 173, schema: 81, name: "DeleteShareGroupStateResponse", fields: &[
        f("results", Kind::Struct(&S174), from(0), Empty).array(),
    ] };
    pub(super) static S174: Struct = Struct { id: 174, schema: 81, name: "DeleteStateResult", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S175), from(0), Empty).array(),
    ] };
    pub(super) static S175: Struct = Struct { id: 175, schema: 81, name: "PartitionResult", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S176: Struct = Struct { id: 176, schema: 82, name: "DeleteTopicsRequest", fields: &[
        f("topics", Kind::Struct(&S177), from(6), Empty).array(),
        f("topic_names", String, v(0, 5), Empty).array().ignorable(),
        f("timeout_ms", Int32, from(0), Int(0)),
    ] };
    pub(super) static S177: Struct = Struct { id: 177, schema: 82, name: "DeleteTopicState", fields: &[
        f("name", String, from(6), Null).nullable(from(6)),
        f("topic_id", Uuid, from(6), Empty),
    ] };
    pub(super) static S178: Struct = Struct { id: 178, schema: 83, name: "DeleteTopicsResponse", fields: &[
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("responses", Kind::Struct(&S179), from(0), Empty).array(),
    ] };
    pub(super) static S179: Struct = Struct { id: 179, schema: 83, name: "DeletableTopicResult", fields: &[
        f("name", String, from(0), Empty).nullable(from(6)),
        f("topic_id", Uuid, from(6), Empty).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(5), Null).nullable(from(5)).ignorable(),
    ] };
    pub(super) static S180: Struct = Struct { id: 180, schema: 84, name: "DescribeAclsRequest", fields: &[
        f("resource_type_filter", Int8, from(0), Int(0)),
        f("resource_name_filter", String, from(0), Empty).nullable(from(0)),
        f("pattern_type_filter", Int8, from(1), Int(3)),
        f("principal_filter", String, from(0), Empty).nullable(from(0)),
        f("host_filter", String, from(0), Empty).nullable(from(0)),
        f("operation", Int8, from(0), Int(0)),
        f("permission_type", Int8, from(0), Int(0)),
    ] };
    pub(super) static S181: Struct = Struct { id: 181, schema: 85, name: "DescribeAclsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("resources", Kind::Struct(&S182), from(0), Empty).array(),
    ] };
    pub(super) static S182: Struct = Struct { id: 182, schema: 85, name: "DescribeAclsResource", fields: &[
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("pattern_type", Int8, from(1), Int(3)),
        f("acls", Kind::Struct(&S183), from(0), Empty).array(),
    ] };
    pub(super) static S183: Struct = Struct { id: 183, schema: 85, name: "AclDescription", fields: &[
        f("principal", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("operation", Int8, from(0), Int(0)),
        f("permission_type", Int8, from(0), Int(0)),
    ] };
    pub(super) static S184: Struct = Struct { id: 184, schema: 86, name: "DescribeClientQuotasRequest", fields: &[
        f("components", Kind::Struct(&S185), from(0), Empty).array(),
        f("strict", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S185: Struct = Struct { id: 185, schema: 86, name: "ComponentData", fields: &[
        f("entity_type", String, from(0), Empty),
        f("match_type", Int8, from(0), Int(0)),
        f("match", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S186: Struct = Struct { id: 186, schema: 87, name: "DescribeClientQuotasResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("entries", Kind::Struct(&S187), from(0), Empty).array().nullable(from(0)),
    ] };
    pub(super) static S187: Struct = Struct { id: 187, schema: 87, name: "EntryData", fields: &[
        f("entity", Kind::Struct(&S188), from(0), Empty).array(),
        f("values", Kind::Struct(&S189), from(0), Empty).array(),
    ] };
    pub(super) static S188: Struct = Struct { id: 188, schema: 87, name: "EntityData", fields: &[
        f("entity_type", String, from(0), Empty),
        f("entity_name", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S189: Struct = Struct { id: 189, schema: 87, name: "ValueData", fields: &[
        f("key", String, from(0), Empty),
        f("value", Float64, from(0), Float(0.0)),
    ] };
    pub(super) static S190: Struct = Struct { id: 190, schema: 88, name: "DescribeClusterRequest", fields: &[
        f("include_cluster_authorized_operations", Kind::Bool, from(0), Bool(false)),
        f("endpoint_type", Int8, from(1), Int(1)),
        f("include_fenced_brokers", Kind::Bool, from(2), Bool(false)),
    ] };
    pub(super) static S191: Struct = Struct { id: 191, schema: 89, name: "DescribeClusterResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("endpoint_type", Int8, from(1), Int(1)),
        f("cluster_id", String, from(0), Empty),
        f("controller_id", Int32, from(0), Int(-1)),
        f("brokers", Kind::Struct(&S192), from(0), Empty).array(),
        f("cluster_authorized_operations", Int32, from(0), Int(-2_147_483_648)),
    ] };
    pub(super) static S192: Struct = Struct { id: 192, schema: 89, name: "DescribeClusterBroker", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("host", String, from(0), Empty),
        f("port", Int32, from(0), Int(0)),
        f("rack", String, from(0), Null).nullable(from(0)),
        f("is_fenced", Kind::Bool, from(2), Bool(false)),
    ] };
    pub(super) static S193: Struct = Struct { id: 193, schema: 90, name: "DescribeConfigsRequest", fields: &[
        f("resources", Kind::Struct(&S194), from(0), Empty).array(),
        f("include_synonyms", Kind::Bool, from(1), Bool(false)),
        f("include_documentation", Kind::Bool, from(3), Bool(false)),
    ] };
    pub(super) static S194: Struct = Struct { id: 194, schema: 90, name: "DescribeConfigsResource", fields: &[
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("configuration_keys", String, from(0), Empty).array().nullable(from(0)),
    ] };
    pub(super) static S195: Struct = Struct { id: 195, schema: 91, name: "DescribeConfigsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("results", Kind::Struct(&S196), from(0), Empty).array(),
    ] };
    pub(super) static S196: Struct = Struct { id: 196, schema: 91, name: "DescribeConfigsResult", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("configs", Kind::Struct(&S197), from(0), Empty).array(),
    ] };
    pub(super) static S197: Struct = Struct { id: 197, schema: 91, name: "DescribeConfigsResourceResult", fields: &[
        f("name", String, from(0), Empty),
        f("value", String, from(0), Empty).nullable(from(0)),
        f("read_only", Kind::Bool, from(0), Bool(false)),
        f("config_source", Int8, from(1), Int(-1)).ignorable(),
        f("is_sensitive", Kind::Bool, from(0), Bool(false)),
        f("synonyms", Kind::Struct(&S198), from(1), Empty).array().ignorable(),
        f("config_type", Int8, from(3), Int(0)).ignorable(),
        f("documentation", String, from(3), Empty).nullable(from(0)).ignorable(),
    ] };
    pub(super) static S198: Struct = Struct { id: 198, schema: 91, name: "DescribeConfigsSynonym", fields: &[
        f("name", String, from(1), Empty),
        f("value", String, from(1), Empty).nullable(from(0)),
        f("source", Int8, from(1), Int(0)),
    ] };
    pub(super) static S199: Struct = Struct { id: 199, schema: 92, name: "DescribeDelegationTokenRequest", fields: &[
        f("owners", Kind::Struct(&S200), from(0), Empty).array().nullable(from(0)),
    ] };
    pub(super) static S200: Struct = Struct { id: 200, schema: 92, name: "DescribeDelegationTokenOwner", fields: &[
        f("principal_type", String, from(0), Empty),
        f("principal_name", String, from(0), Empty),
    ] };
    pub(super) static S201: Struct = Struct { id: 201, schema: 93, name: "DescribeDelegationTokenResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("tokens", Kind::Struct(&S202), from(0), Empty).array(),
        f("throttle_time_ms", Int32, from(0), Int(0)),
    ] };
    pub(super) static S202: Struct = Struct { id: 202, schema: 93, name: "DescribedDelegationToken", fields: &[
        f("principal_type", String, from(0), Empty),
        f("principal_name", String, from(0), Empty),
        f("token_requester_principal_type", String, from(3), Empty),
        f("token_requester_principal_name", String, from(3), Empty),
        f("issue_timestamp", Int64, from(0), Int(0)),
        f("expiry_timestamp", Int64, from(0), Int(0)),
        f("max_timestamp", Int64, from(0), Int(0)),
        f("token_id", String, from(0), Empty),
        f("hmac", Bytes, from(0), Empty),
        f("renewers", Kind::Struct(&S203), from(0), Empty).array(),
    ] };
    pub(super) static S203: Struct = Struct { id: 203, schema: 93, name: "DescribedDelegationTokenRenewer", fields: &[
        f("principal_type", String, from(0), Empty),
        f("principal_name", String, from(0), Empty),
    ] };
    pub(super) static S204: Struct = Struct { id: 204, schema: 94, name: "DescribeGroupsRequest", fields: &[
        f("groups", String, from(0), Empty).array(),
        f("include_authorized_operations", Kind::Bool, from(3), Bool(false)),
    ] };
    pub(super) static S205: Struct = Struct { id: 205, schema: 95, name: "DescribeGroupsResponse", fields: &[
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("groups", Kind::Struct(&S206), from(0), Empty).array(),
    ] };
    pub(super) static S206: Struct = Struct { id: 206, schema: 95, name: "DescribedGroup", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(6), Null).nullable(from(6)),
        f("group_id", String, from(0), Empty),
        f("group_state", String, from(0), Empty),
        f("protocol_type", String, from(0), Empty),
        f("protocol_data", String, from(0), Empty),
        f("members", Kind::Struct(&S207), from(0), Empty).array(),
        f("authorized_operations", Int32, from(3), Int(-2_147_483_648)),
    ] };
    pub(super) static S207: Struct = Struct { id: 207, schema: 95, name: "DescribedGroupMember", fields: &[
        f("member_id", String, from(0), Empty),
        f("group_instance_id", String, from(4), Null).nullable(from(4)).ignorable(),
        f("client_id", String, from(0), Empty),
        f("client_host", String, from(0), Empty),
        f("member_metadata", Bytes, from(0), Empty),
        f("member_assignment", Bytes, from(0), Empty),
    ] };
    pub(super) static S208: Struct = Struct { id: 208, schema: 96, name: "DescribeLogDirsRequest", fields: &[
        f("topics", Kind::Struct(&S209), from(0), Empty).array().nullable(from(0)),
    ] };
    pub(super) static S209: Struct = Struct { id: 209, schema: 96, name: "DescribableLogDirTopic", fields: &[
        f("topic", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S210: Struct = Struct { id: 210, schema: 97, name: "DescribeLogDirsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(3), Int(0)).ignorable(),
        f("results", Kind::Struct(&S211), from(0), Empty).array(),
    ] };
    pub(super) static S211: Struct = Struct { id: 211, schema: 97, name: "DescribeLogDirsResult", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("log_dir", String, from(0), Empty),
        f("topics", Kind::Struct(&S212), from(0), Empty).array(),
        f("total_bytes", Int64, from(4), Int(-1)).ignorable(),
        f("usable_bytes", Int64, from(4), Int(-1)).ignorable(),
        f("is_cordoned", Kind::Bool, from(5), Bool(false)).ignorable(),
    ] };
    pub(super) static S212: Struct = Struct { id: 212, schema: 97, name: "DescribeLogDirsTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S213), from(0), Empty).array(),
    ] };
    pub(super) static S213: Struct = Struct { id: 213, schema: 97, name: "DescribeLogDirsPartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("partition_size", Int64, from(0), Int(0)),
        f("offset_lag", Int64, from(0), Int(0)),
        f("is_future_key", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S214: Struct = Struct { id: 214, schema: 98, name: "DescribeProducersRequest", fields: &[
        f("topics", Kind::Struct(&S215), from(0), Empty).array(),
    ] };
    pub(super) static S215: Struct = Struct { id: 215, schema: 98, name: "TopicRequest", fields: &[
        f("name", String, from(0), Empty),
        f("partition_indexes", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S216: Struct = Struct { id: 216, schema: 99, name: "DescribeProducersResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("topics", Kind::Struct(&S217), from(0), Empty).array(),
    ] };
    pub(super) static S217: Struct = Struct { id: 217, schema: 99, name: "TopicResponse", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S218), from(0), Empty).array(),
    ] };
    pub(super) static S218: Struct = Struct { id: 218, schema: 99, name: "PartitionResponse", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("active_producers", Kind::Struct(&S219), from(0), Empty).array(),
    ] };
    pub(super) static S219: Struct = Struct { id: 219, schema: 99, name: "ProducerState", fields: &[
        f("producer_id", Int64, from(0), Int(0)),
        f("producer_epoch", Int32, from(0), Int(0)),
        f("last_sequence", Int32, from(0), Int(-1)),
        f("last_timestamp", Int64, from(0), Int(-1)),
        f("coordinator_epoch", Int32, from(0), Int(0)),
        f("current_txn_start_offset", Int64, from(0), Int(-1)),
    ] };
    pub(super) static S220: Struct = Struct { id: 220, schema: 100, name: "DescribeQuorumRequest", fields: &[
        f("topics", Kind::Struct(&S221), from(0), Empty).array(),
    ] };
    pub(super) static S221: Struct = Struct { id: 221, schema: 100, name: "TopicData", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S222), from(0), Empty).array(),
    ] };
    pub(super) static S222: Struct = Struct { id: 222, schema: 100, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
    ] };
    pub(super) static S223: Struct = Struct { id: 223, schema: 101, name: "DescribeQuorumResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(2), Empty).nullable(from(2)).ignorable(),
        f("topics", Kind::Struct(&S224), from(0), Empty).array(),
        f("nodes", Kind::Struct(&S227), from(2), Empty).array(),
    ] };
    pub(super) static S224: Struct = Struct { id: 224, schema: 101, name: "TopicData", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S225), from(0), Empty).array(),
    ] };
    pub(super) static S225: Struct = Struct { id: 225, schema: 101, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(2), Empty).nullable(from(2)).ignorable(),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("high_watermark", Int64, from(0), Int(0)),
        f("current_voters", Kind::Struct(&S226), from(0), Empty).array(),
        f("observers", Kind::Struct(&S226), from(0), Empty).array(),
    ] };
    pub(super) static S226: Struct = Struct { id: 226, schema: 101, name: "ReplicaState", fields: &[
        f("replica_id", Int32, from(0), Int(0)),
        f("replica_directory_id", Uuid, from(2), Empty),
        f("log_end_offset", Int64, from(0), Int(0)),
        f("last_fetch_timestamp", Int64, from(1), Int(-1)).ignorable(),
        f("last_caught_up_timestamp", Int64, from(1), Int(-1)).ignorable(),
    ] };
    pub(super) static S227: Struct = Struct { id: 227, schema: 101, name: "Node", fields: &[
        f("node_id", Int32, from(2), Int(0)),
        f("listeners", Kind::Struct(&S228), from(2), Empty).array(),
    ] };
    pub(super) static S228: Struct = Struct { id: 228, schema: 101, name: "Listener", fields: &[
        f("name", String, from(2), Empty),
        f("host", String, from(2), Empty),
        f("port", Uint16, from(2), Int(0)),
    ] };
    pub(super) static S229: Struct = Struct { id: 229, schema: 102, name: "DescribeShareGroupOffsetsRequest", fields: &[
        f("groups", Kind::Struct(&S230), from(0), Empty).array(),
    ] };
    pub(super) static S230: Struct = Struct { id: 230, schema: 102, name: "DescribeShareGroupOffsetsRequestGroup", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S231), from(0), Empty).array().nullable(from(0)),
    ] };
    pub(super) static S231: Struct = Struct { id: 231, schema: 102, name: "DescribeShareGroupOffsetsRequestTopic", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S232: Struct = Struct { id: 232, schema: 103, name: "DescribeShareGroupOffsetsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("groups", Kind::Struct(&S233), from(0), Empty).array(),
    ] };
    pub(super) static S233: Struct = Struct { id: 233, schema: 103, name: "DescribeShareGroupOffsetsResponseGroup", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S234), from(0), Empty).array(),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S234: Struct = Struct { id: 234, schema: 103, name: "DescribeShareGroupOffsetsResponseTopic", fields: &[
        f("topic_name", String, from(0), Empty),
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S235), from(0), Empty).array(),
    ] };
    pub(super) static S235: Struct = Struct { id: 235, schema: 103, name: "DescribeShareGroupOffsetsResponsePartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("start_offset", Int64, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("lag", Int64, from(1), Int(-1)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S236: Struct = Struct { id: 236, schema: 104, name: "DescribeTopicPartitionsRequest", fields: &[
        f("topics", Kind::Struct(&S237), from(0), Empty).array(),
        f("response_partition_limit", Int32, from(0), Int(2_000)),
        f("cursor", Kind::Struct(&S238), from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S237: Struct = Struct { id: 237, schema: 104, name: "TopicRequest", fields: &[
        f("name", String, from(0), Empty),
    ] };
    pub(super) static S238: Struct = Struct { id: 238, schema: 104, name: "Cursor", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partition_index", Int32, from(0), Int(0)),
    ] };
    pub(super) static S239: Struct = Struct { id: 239, schema: 105, name: "DescribeTopicPartitionsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)).ignorable(),
        f("topics", Kind::Struct(&S240), from(0), Empty).array(),
        f("next_cursor", Kind::Struct(&S242), from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S240: Struct = Struct { id: 240, schema: 105, name: "DescribeTopicPartitionsResponseTopic", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("name", String, from(0), Empty).nullable(from(0)),
        f("topic_id", Uuid, from(0), Empty).ignorable(),
        f("is_internal", Kind::Bool, from(0), Bool(false)).ignorable(),
        f("partitions", Kind::Struct(&S241), from(0), Empty).array(),
        f("topic_authorized_operations", Int32, from(0), Int(-2_147_483_648)),
    ] };
    pub(super) static S241: Struct = Struct { id: 241, schema: 105, name: "DescribeTopicPartitionsResponsePartition", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("partition_index", Int32, from(0), Int(0)),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(-1)).ignorable(),
        f("replica_nodes", Int32, from(0), Empty).array(),
        f("isr_nodes", Int32, from(0), Empty).array(),
        f("eligible_leader_replicas", Int32, from(0), Null).array().nullable(from(0)),
        f("last_known_elr", Int32, from(0), Null).array().nullable(from(0)),
        f("offline_replicas", Int32, from(0), Empty).array().ignorable(),
    ] };
    pub(super) static S242: Struct = Struct { id: 242, schema: 105, name: "Cursor", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partition_index", Int32, from(0), Int(0)),
    ] };
    pub(super) static S243: Struct = Struct { id: 243, schema: 106, name: "DescribeTransactionsRequest", fields: &[
        f("transactional_ids", String, from(0), Empty).array(),
    ] };
    pub(super) static S244: Struct = Struct { id: 244, schema: 107, name: "DescribeTransactionsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("transaction_states", Kind::Struct(&S245), from(0), Empty).array(),
    ] };
    pub(super) static S245: Struct = Struct { id: 245, schema: 107, name: "TransactionState", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("transactional_id", String, from(0), Empty),
        f("transaction_state", String, from(0), Empty),
        f("transaction_timeout_ms", Int32, from(0), Int(0)),
        f("transaction_start_time_ms", Int64, from(0), Int(0)),
        f("producer_id", Int64, from(0), Int(0)),
        f("producer_epoch", Int16, from(0), Int(0)),
        f("topics", Kind::Struct(&S246), from(0), Empty).array(),
    ] };
    pub(super) static S246: Struct = Struct { id: 246, schema: 107, name: "TopicData", fields: &[
        f("topic", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S247: Struct = Struct { id: 247, schema: 108, name: "DescribeUserScramCredentialsRequest", fields: &[
        f("users", Kind::Struct(&S248), from(0), Empty).array().nullable(from(0)),
    ] };
    pub(super) static S248: Struct = Struct { id: 248, schema: 108, name: "UserName", fields: &[
        f("name", String, from(0), Empty),
    ] };
    pub(super) static S249: Struct = Struct { id: 249, schema: 109, name: "DescribeUserScramCredentialsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("results", Kind::Struct(&S250), from(0), Empty).array(),
    ] };
    pub(super) static S250: Struct = Struct { id: 250, schema: 109, name: "DescribeUserScramCredentialsResult", fields: &[
        f("user", String, from(0), Empty),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("credential_infos", Kind::Struct(&S251), from(0), Empty).array(),
    ] };
    pub(super) static S251: Struct = Struct { id: 251, schema: 109, name: "CredentialInfo", fields: &[
        f("mechanism", Int8, from(0), Int(0)),
        f("iterations", Int32, from(0), Int(0)),
    ] };
    pub(super) static S252: Struct = Struct { id: 252, schema: 110, name: "ElectLeadersRequest", fields: &[
        f("election_type", Int8, from(1), Int(0)),
        f("topic_partitions", Kind::Struct(&S253), from(0), Empty).array().nullable(from(0)),
        f("timeout_ms", Int32, from(0), Int(60_000)),
    ] };
    pub(super) static S253: Struct = Struct { id: 253, schema: 110, name: "TopicPartitions", fields: &[
        f("topic", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S254: Struct = Struct { id: 254, schema: 111, name: "ElectLeadersResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(1), Int(0)),
        f("replica_election_results", Kind::Struct(&S255), from(0), Empty).array(),
    ] };
    pub(super) static S255: Struct = Struct { id: 255, schema: 111, name: "ReplicaElectionResult", fields: &[
        f("topic", String, from(0), Empty),
        f("partition_result", Kind::Struct(&S256), from(0), Empty).array(),
    ] };
    pub(super) static S256: Struct = Struct { id: 256, schema: 111, name: "PartitionResult", fields: &[
        f("partition_id", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S257: Struct = Struct { id: 257, schema: 112, name: "EndQuorumEpochRequest", fields: &[
        f("cluster_id", String, from(0), Null).nullable(from(0)),
        f("topics", Kind::Struct(&S258), from(0), Empty).array(),
        f("leader_endpoints", Kind::Struct(&S261), from(1), Empty).array().ignorable(),
    ] };
    pub(super) static S258: Struct = Struct { id: 258, schema: 112, name: "TopicData", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S259), from(0), Empty).array(),
    ] };
    pub(super) static S259: Struct = Struct { id: 259, schema: 112, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("preferred_successors", Int32, v(0, 0), Empty).array().ignorable(),
        f("preferred_candidates", Kind::Struct(&S260), from(1), Empty).array().ignorable(),
    ] };
    pub(super) static S260: Struct = Struct { id: 260, schema: 112, name: "ReplicaInfo", fields: &[
        f("candidate_id", Int32, from(1), Int(0)),
        f("candidate_directory_id", Uuid, from(1), Empty),
    ] };
    pub(super) static S261: Struct = Struct { id: 261, schema: 112, name: "LeaderEndpoint", fields: &[
        f("name", String, from(1), Empty),
        f("host", String, from(1), Empty),
        f("port", Uint16, from(1), Int(0)),
    ] };
    pub(super) static S262: Struct = Struct { id: 262, schema: 113, name: "EndQuorumEpochResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("topics", Kind::Struct(&S263), from(0), Empty).array(),
        f("node_endpoints", Kind::Struct(&S265), from(1), Empty).array().tagged(0, from(1)),
    ] };
    pub(super) static S263: Struct = Struct { id: 263, schema: 113, name: "TopicData", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S264), from(0), Empty).array(),
    ] };
    pub(super) static S264: Struct = Struct { id: 264, schema: 113, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S265: Struct = Struct { id: 265, schema: 113, name: "NodeEndpoint", fields: &[
        f("node_id", Int32, from(1), Int(0)),
        f("host", String, from(1), Empty),
        f("port", Uint16, from(1), Int(0)),
    ] };
    pub(super) static S266: Struct = Struct { id: 266, schema: 114, name: "EndTransactionRecord", fields: &[] };
    pub(super) static S267: Struct = Struct { id: 267, schema: 115, name: "EndTxnMarker", fields: &[
        f("coordinator_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S268: Struct = Struct { id: 268, schema: 116, name: "EndTxnRequest", fields: &[
        f("transactional_id", String, from(0), Empty),
        f("producer_id", Int64, from(0), Int(0)),
        f("producer_epoch", Int16, from(0), Int(0)),
        f("committed", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S269: Struct = Struct { id: 269, schema: 117, name: "EndTxnResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("producer_id", Int64, from(5), Int(-1)).ignorable(),
        f("producer_epoch", Int16, from(5), Int(-1)).ignorable(),
    ] };
    pub(super) static S270: Struct = Struct { id: 270, schema: 118, name: "EnvelopeRequest", fields: &[
        f("request_data", Bytes, from(0), Empty),
        f("request_principal", Bytes, from(0), Empty).nullable(from(0)),
        f("client_host_address", Bytes, from(0), Empty),
    ] };
    pub(super) static S271: Struct = Struct { id: 271, schema: 119, name: "EnvelopeResponse", fields: &[
        f("response_data", Bytes, from(0), Null).nullable(from(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S272: Struct = Struct { id: 272, schema: 120, name: "ExpireDelegationTokenRequest", fields: &[
        f("hmac", Bytes, from(0), Empty),
        f("expiry_time_period_ms", Int64, from(0), Int(0)),
    ] };
    pub(super) static S273: Struct = Struct { id: 273, schema: 121, name: "ExpireDelegationTokenResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("expiry_timestamp_ms", Int64, from(0), Int(0)),
        f("throttle_time_ms", Int32, from(0), Int(0)),
    ] };
    pub(super) static S274: Struct = Struct { id: 274, schema: 122, name: "FeatureLevelRecord", fields: &[
        f("name", String, from(0), Empty),
        f("feature_level", Int16, from(0), Int(0)),
    ] };
    pub(super) static S275: Struct = Struct { id: 275, schema: 123, name: "FenceBrokerRecord", fields: &[
        f("id", Int32, from(0), Int(0)),
        f("epoch", Int64, from(0), Int(0)),
    ] };
    pub(super) static S276: Struct = Struct { id: 276, schema: 124, name: "FetchRequest", fields: &[
        f("cluster_id", String, from(12), Null).nullable(from(12)).tagged(0, from(12)).ignorable(),
        f("replica_id", Int32, v(0, 14), Int(-1)),
        f("replica_state", Kind::Struct(&S277), from(15), Empty).tagged(1, from(15)),
        f("max_wait_ms", Int32, from(0), Int(0)),
        f("min_bytes", Int32, from(0), Int(0)),
        f("max_bytes", Int32, from(3), Int(2_147_483_647)).ignorable(),
        f("isolation_level", Int8, from(4), Int(0)).ignorable(),
        f("session_id", Int32, from(7), Int(0)).ignorable(),
        f("session_epoch", Int32, from(7), Int(-1)).ignorable(),
        f("topics", Kind::Struct(&S278), from(0), Empty).array(),
        f("forgotten_topics_data", Kind::Struct(&S280), from(7), Empty).array(),
        f("rack_id", String, from(11), Empty).ignorable(),
    ] };
    pub(super) static S277: Struct = Struct { id: 277, schema: 124, name: "ReplicaState", fields: &[
        f("replica_id", Int32, from(15), Int(-1)),
        f("replica_epoch", Int64, from(15), Int(-1)),
    ] };
    pub(super) static S278: Struct = Struct { id: 278, schema: 124, name: "FetchTopic", fields: &[
        f("topic", String, v(0, 12), Empty).ignorable(),
        f("topic_id", Uuid, from(13), Empty).ignorable(),
        f("partitions", Kind::Struct(&S279), from(0), Empty).array(),
    ] };
    pub(super) static S279: Struct = Struct { id: 279, schema: 124, name: "FetchPartition", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("current_leader_epoch", Int32, from(9), Int(-1)).ignorable(),
        f("fetch_offset", Int64, from(0), Int(0)),
        f("last_fetched_epoch", Int32, from(12), Int(-1)),
        f("log_start_offset", Int64, from(5), Int(-1)).ignorable(),
        f("partition_max_bytes", Int32, from(0), Int(0)),
        f("replica_directory_id", Uuid, from(17), Empty).tagged(0, from(17)).ignorable(),
        f("high_watermark", Int64, from(18), Int(9_223_372_036_854_775_807)).tagged(1, from(18)).ignorable(),
    ] };
    pub(super) static S280: Struct = Struct { id: 280, schema: 124, name: "ForgottenTopic", fields: &[
        f("topic", String, v(7, 12), Empty).ignorable(),
        f("topic_id", Uuid, from(13), Empty).ignorable(),
        f("partitions", Int32, from(7), Empty).array(),
    ] };
    pub(super) static S281: Struct = Struct { id: 281, schema: 125, name: "FetchResponse", fields: &[
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("error_code", Int16, from(7), Int(0)).ignorable(),
        f("session_id", Int32, from(7), Int(0)),
        f("responses", Kind::Struct(&S282), from(0), Empty).array(),
        f("node_endpoints", Kind::Struct(&S288), from(16), Empty).array().tagged(0, from(16)),
    ] };
    pub(super) static S282: Struct = Struct { id: 282, schema: 125, name: "FetchableTopicResponse", fields: &[
        f("topic", String, v(0, 12), Empty).ignorable(),
        f("topic_id", Uuid, from(13), Empty).ignorable(),
        f("partitions", Kind::Struct(&S283), from(0), Empty).array(),
    ] };
    pub(super) static S283: Struct = Struct { id: 283, schema: 125, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("high_watermark", Int64, from(0), Int(0)),
        f("last_stable_offset", Int64, from(4), Int(-1)).ignorable(),
        f("log_start_offset", Int64, from(5), Int(-1)).ignorable(),
        f("diverging_epoch", Kind::Struct(&S284), from(12), Empty).tagged(0, from(12)),
        f("current_leader", Kind::Struct(&S285), from(12), Empty).tagged(1, from(12)),
        f("snapshot_id", Kind::Struct(&S286), from(12), Empty).tagged(2, from(12)),
        f("aborted_transactions", Kind::Struct(&S287), from(4), Empty).array().nullable(from(4)).ignorable(),
        f("preferred_read_replica", Int32, from(11), Int(-1)),
        f("records", Records, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S284: Struct = Struct { id: 284, schema: 125, name: "EpochEndOffset", fields: &[
        f("epoch", Int32, from(12), Int(-1)),
        f("end_offset", Int64, from(12), Int(-1)),
    ] };
    pub(super) static S285: Struct = Struct { id: 285, schema: 125, name: "LeaderIdAndEpoch", fields: &[
        f("leader_id", Int32, from(12), Int(-1)),
        f("leader_epoch", Int32, from(12), Int(-1)),
    ] };
    pub(super) static S286: Struct = Struct { id: 286, schema: 125, name: "SnapshotId", fields: &[
        f("end_offset", Int64, from(0), Int(-1)),
        f("epoch", Int32, from(0), Int(-1)),
    ] };
    pub(super) static S287: Struct = Struct { id: 287, schema: 125, name: "AbortedTransaction", fields: &[
        f("producer_id", Int64, from(4), Int(0)),
        f("first_offset", Int64, from(4), Int(0)),
    ] };
    pub(super) static S288: Struct = Struct { id: 288, schema: 125, name: "NodeEndpoint", fields: &[
        f("node_id", Int32, from(16), Int(0)),
        f("host", String, from(16), Empty),
        f("port", Int32, from(16), Int(0)),
        f("rack", String, from(16), Null).nullable(from(16)),
    ] };
    pub(super) static S289: Struct = Struct { id: 289, schema: 126, name: "FetchSnapshotRequest", fields: &[
        f("cluster_id", String, from(0), Null).nullable(from(0)).tagged(0, from(0)),
        f("replica_id", Int32, from(0), Int(-1)),
        f("max_bytes", Int32, from(0), Int(2_147_483_647)),
        f("topics", Kind::Struct(&S290), from(0), Empty).array(),
    ] };
    pub(super) static S290: Struct = Struct { id: 290, schema: 126, name: "TopicSnapshot", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S291), from(0), Empty).array(),
    ] };
    pub(super) static S291: Struct = Struct { id: 291, schema: 126, name: "PartitionSnapshot", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("current_leader_epoch", Int32, from(0), Int(0)),
        f("snapshot_id", Kind::Struct(&S292), from(0), Empty),
        f("position", Int64, from(0), Int(0)),
        f("replica_directory_id", Uuid, from(1), Empty).tagged(0, from(1)).ignorable(),
    ] };
    pub(super) static S292: Struct = Struct { id: 292, schema: 126, name: "SnapshotId", fields: &[
        f("end_offset", Int64, from(0), Int(0)),
        f("epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S293: Struct = Struct { id: 293, schema: 127, name: "FetchSnapshotResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("topics", Kind::Struct(&S294), from(0), Empty).array(),
        f("node_endpoints", Kind::Struct(&S298), from(1), Empty).array().tagged(0, from(1)),
    ] };
    pub(super) static S294: Struct = Struct { id: 294, schema: 127, name: "TopicSnapshot", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S295), from(0), Empty).array(),
    ] };
    pub(super) static S295: Struct = Struct { id: 295, schema: 127, name: "PartitionSnapshot", fields: &[
        f("index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("snapshot_id", Kind::Struct(&S296), from(0), Empty),
        f("current_leader", Kind::Struct(&S297), from(0), Empty).tagged(0, from(0)),
        f("size", Int64, from(0), Int(0)),
        f("position", Int64, from(0), Int(0)),
        f("unaligned_records", Records, from(0), Null),
    ] };
    pub(super) static S296: Struct = Struct { id: 296, schema: 127, name: "SnapshotId", fields: &[
        f("end_offset", Int64, from(0), Int(0)),
        f("epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S297: Struct = Struct { id: 297, schema: 127, name: "LeaderIdAndEpoch", fields: &[
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S298: Struct = Struct { id: 298, schema: 127, name: "NodeEndpoint", fields: &[
        f("node_id", Int32, from(1), Int(0)),
        f("host", String, from(1), Empty),
        f("port", Uint16, from(1), Int(0)),
    ] };
    pub(super) static S299: Struct = Struct { id: 299, schema: 128, name: "FindCoordinatorRequest", fields: &[
        f("key", String, v(0, 3), Empty),
        f("key_type", Int8, from(1), Int(0)),
        f("coordinator_keys", String, from(4), Empty).array(),
    ] };
    pub(super) static S300: Struct = Struct { id: 300, schema: 129, name: "FindCoordinatorResponse", fields: &[
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("error_code", Int16, v(0, 3), Int(0)),
        f("error_message", String, v(1, 3), Empty).nullable(v(1, 3)).ignorable(),
        f("node_id", Int32, v(0, 3), Int(0)),
        f("host", String, v(0, 3), Empty),
        f("port", Int32, v(0, 3), Int(0)),
        f("coordinators", Kind::Struct(&S301), from(4), Empty).array(),
    ] };
    pub(super) static S301: Struct = Struct { id: 301, schema: 129, name: "Coordinator", fields: &[
        f("key", String, from(4), Empty),
        f("node_id", Int32, from(4), Int(0)),
        f("host", String, from(4), Empty),
        f("port", Int32, from(4), Int(0)),
        f("error_code", Int16, from(4), Int(0)),
        f("error_message", String, from(4), Empty).nullable(from(4)).ignorable(),
    ] };
    pub(super) static S302: Struct = Struct { id: 302, schema: 130, name: "GetTelemetrySubscriptionsRequest", fields: &[
        f("client_instance_id", Uuid, from(0), Empty),
    ] };
    pub(super) static S303: Struct = Struct { id: 303, schema: 131, name: "GetTelemetrySubscriptionsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("client_instance_id", Uuid, from(0), Empty),
        f("subscription_id", Int32, from(0), Int(0)),
        f("accepted_compression_types", Int8, from(0), Empty).array(),
        f("push_interval_ms", Int32, from(0), Int(0)),
        f("telemetry_max_bytes", Int32, from(0), Int(0)),
        f("delta_temporality", Kind::Bool, from(0), Bool(false)),
        f("requested_metrics", String, from(0), Empty).array(),
    ] };
    pub(super) static S304: Struct = Struct { id: 304, schema: 132, name: "GroupMetadataKey", fields: &[
        f("group", String, v(0, 0), Empty),
    ] };
    pub(super) static S305: Struct = Struct { id: 305, schema: 133, name: "GroupMetadataValue", fields: &[
        f("protocol_type", String, from(0), Empty),
        f("generation", Int32, from(0), Int(0)),
        f("protocol", String, from(0), Empty).nullable(from(0)),
        f("leader", String, from(0), Empty).nullable(from(0)),
        f("current_state_timestamp", Int64, from(2), Int(-1)).ignorable(),
        f("members", Kind::Struct(&S306), from(0), Empty).array(),
    ] };
    pub(super) static S306: Struct = Struct { id: 306, schema: 133, name: "MemberMetadata", fields: &[
        f("member_id", String, from(0), Empty),
        f("group_instance_id", String, from(3), Null).nullable(from(3)).ignorable(),
        f("client_id", String, from(0), Empty),
        f("client_host", String, from(0), Empty),
        f("rebalance_timeout", Int32, from(1), Int(-1)).ignorable(),
        f("session_timeout", Int32, from(0), Int(0)),
        f("subscription", Bytes, from(0), Empty),
        f("assignment", Bytes, from(0), Empty),
    ] };
    pub(super) static S307: Struct = Struct { id: 307, schema: 134, name: "HeartbeatRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("generation_id", Int32, from(0), Int(0)),
        f("member_id", String, from(0), Empty),
        f("group_instance_id", String, from(3), Null).nullable(from(3)),
    ] };
    pub(super) static S308: Struct = Struct { id: 308, schema: 135, name: "HeartbeatResponse", fields: &[
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S309: Struct = Struct { id: 309, schema: 136, name: "IncrementalAlterConfigsRequest", fields: &[
        f("resources", Kind::Struct(&S310), from(0), Empty).array(),
        f("validate_only", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S310: Struct = Struct { id: 310, schema: 136, name: "AlterConfigsResource", fields: &[
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
        f("configs", Kind::Struct(&S311), from(0), Empty).array(),
    ] };
    pub(super) static S311: Struct = Struct { id: 311, schema: 136, name: "AlterableConfig", fields: &[
        f("name", String, from(0), Empty),
        f("config_operation", Int8, from(0), Int(0)),
        f("value", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S312: Struct = Struct { id: 312, schema: 137, name: "IncrementalAlterConfigsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("responses", Kind::Struct(&S313), from(0), Empty).array(),
    ] };
    pub(super) static S313: Struct = Struct { id: 313, schema: 137, name: "AlterConfigsResourceResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("resource_type", Int8, from(0), Int(0)),
        f("resource_name", String, from(0), Empty),
    ] };
    pub(super) static S314: Struct = Struct { id: 314, schema: 138, name: "InitProducerIdRequest", fields: &[
        f("transactional_id", String, from(0), Empty).nullable(from(0)),
        f("transaction_timeout_ms", Int32, from(0), Int(0)),
        f("producer_id", Int64, from(3), Int(-1)),
        f("producer_epoch", Int16, from(3), Int(-1)),
        f("enable2_pc", Kind::Bool, from(6), Bool(false)),
        f("keep_prepared_txn", Kind::Bool, from(6), Bool(false)),
    ] };
    pub(super) static S315: Struct = Struct { id: 315, schema: 139, name: "InitProducerIdResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("producer_id", Int64, from(0), Int(-1)),
        f("producer_epoch", Int16, from(0), Int(0)),
        f("ongoing_txn_producer_id", Int64, from(6), Int(-1)),
        f("ongoing_txn_producer_epoch", Int16, from(6), Int(-1)),
    ] };
    pub(super) static S316: Struct = Struct { id: 316, schema: 140, name: "InitializeShareGroupStateRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S317), from(0), Empty).array(),
    ] };
    pub(super) static S317: Struct = Struct { id: 317, schema: 140, name: "InitializeStateData", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S318), from(0), Empty).array(),
    ] };
    pub(super) static S318: Struct = Struct { id: 318, schema: 140, name: "PartitionData", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("state_epoch", Int32, from(0), Int(0)),
        f("start_offset", Int64, from(0), Int(0)),
    ] };
    pub(super) static S319: Struct = Struct { id: 319, schema: 141, name: "InitializeShareGroupStateResponse", fields: &[
        f("results", Kind::Struct(&S320), from(0), Empty).array(),
    ] };
    pub(super) static S320: Struct = Struct { id: 320, schema: 141, name: "InitializeStateResult", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S321), from(0), Empty).array(),
    ] };
    pub(super) static S321: Struct = Struct { id: 321, schema: 141, name: "PartitionResult", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S322: Struct = Struct { id: 322, schema: 142, name: "JoinGroupRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("session_timeout_ms", Int32, from(0), Int(0)),
        f("rebalance_timeout_ms", Int32, from(1), Int(-1)).ignorable(),
        f("member_id", String, from(0), Empty),
        f("group_instance_id", String, from(5), Null).nullable(from(5)),
        f("protocol_type", String, from(0), Empty),
        f("protocols", Kind::Struct(&S323), from(0), Empty).array(),
        f("reason", String, from(8), Null).nullable(from(8)).ignorable(),
    ] };
    pub(super) static S323: Struct = Struct { id: 323, schema: 142, name: "JoinGroupRequestProtocol", fields: &[
        f("name", String, from(0), Empty),
        f("metadata", Bytes, from(0), Empty),
    ] };
    pub(super) static S324: Struct = Struct { id: 324, schema: 143, name: "JoinGroupResponse", fields: &[
        f("throttle_time_ms", Int32, from(2), Int(0)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("generation_id", Int32, from(0), Int(-1)),
        f("protocol_type", String, from(7), Null).nullable(from(7)).ignorable(),
        f("protocol_name", String, from(0), Empty).nullable(from(7)),
        f("leader", String, from(0), Empty),
        f("skip_assignment", Kind::Bool, from(9), Bool(false)),
        f("member_id", String, from(0), Empty),
        f("members", Kind::Struct(&S325), from(0), Empty).array(),
    ] };
    pub(super) static S325: Struct = Struct { id: 325, schema: 143, name: "JoinGroupResponseMember", fields: &[
        f("member_id", String, from(0), Empty),
        f("group_instance_id", String, from(5), Null).nullable(from(5)).ignorable(),
        f("metadata", Bytes, from(0), Empty),
    ] };
    pub(super) static S326: Struct = Struct { id: 326, schema: 144, name: "KRaftVersionRecord", fields: &[
        f("version", Int16, from(0), Int(0)),
        f("kraft_version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S327: Struct = Struct { id: 327, schema: 145, name: "LeaderChangeMessage", fields: &[
        f("version", Int16, from(0), Int(0)),
        f("leader_id", Int32, from(0), Int(0)),
        f("voters", Kind::Struct(&S328), from(0), Empty).array(),
        f("granting_voters", Kind::Struct(&S328), from(0), Empty).array(),
    ] };
    pub(super) static S328: Struct = Struct { id: 328, schema: 145, name: "Voter", fields: &[
        f("voter_id", Int32, from(0), Int(0)),
        f("voter_directory_id", Uuid, from(1), Empty),
    ] };
    pub(super) static S329: Struct = Struct { id: 329, schema: 146, name: "LeaveGroupRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("member_id", String, v(0, 2), Empty),
        f("members", Kind::Struct(&S330), from(3), Empty).array(),
    ] };
    pub(super) static S330: Struct = Struct { id: 330, schema: 146, name: "MemberIdentity", fields: &[
        f("member_id", String, from(3), Empty),
        f("group_instance_id", String, from(3), Null).nullable(from(3)),
        f("reason", String, from(5), Null).nullable(from(5)).ignorable(),
    ] };
    pub(super) static S331: Struct = Struct { id: 331, schema: 147, name: "LeaveGroupResponse", fields: &[
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("members", Kind::Struct(&S332), from(3), Empty).array(),
    ] };
    pub(super) static S332: Struct = Struct { id: 332, schema: 147, name: "MemberResponse", fields: &[
        f("member_id", String, from(3), Empty),
        f("group_instance_id", String, from(3), Empty).nullable(from(3)),
        f("error_code", Int16, from(3), Int(0)),
    ] };
    pub(super) static S333: Struct = Struct { id: 333, schema: 148, name: "LegacyOffsetCommitKey", fields: &[
        f("group", String, v(0, 0), Empty),
        f("topic", String, v(0, 0), Empty),
        f("partition", Int32, v(0, 0), Int(0)),
    ] };
    pub(super) static S334: Struct = Struct { id: 334, schema: 149, name: "LegacyOffsetCommitValue", fields: &[
        f("offset", Int64, v(0, 0), Int(0)),
        f("metadata", String, v(0, 0), Empty),
        f("commit_timestamp", Int64, v(0, 0), Int(0)),
    ] };
    pub(super) static S335: Struct = Struct { id: 335, schema: 150, name: "ListConfigResourcesRequest", fields: &[
        f("resource_types", Int8, from(1), Empty).array(),
    ] };
    pub(super) static S336: Struct = Struct { id: 336, schema: 151, name: "ListConfigResourcesResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("config_resources", Kind::Struct(&S337), from(0), Empty).array(),
    ] };
    pub(super) static S337: Struct = Struct { id: 337, schema: 151, name: "ConfigResource", fields: &[
        f("resource_name", String, from(0), Empty),
        f("resource_type", Int8, from(1), Int(16)).ignorable(),
    ] };
    pub(super) static S338: Struct = Struct { id: 338, schema: 152, name: "ListGroupsRequest", fields: &[
        f("states_filter", String, from(4), Empty).array(),
        f("types_filter", String, from(5), Empty).array(),
    ] };
    pub(super) static S339: Struct = Struct { id: 339, schema: 153, name: "ListGroupsResponse", fields: &[
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("groups", Kind::Struct(&S340), from(0), Empty).array(),
    ] };
    pub(super) static S340: Struct = Struct { id: 340, schema: 153, name: "ListedGroup", fields: &[
        f("group_id", String, from(0), Empty),
        f("protocol_type", String, from(0), Empty),
        f("group_state", String, from(4), Empty).ignorable(),
        f("group_type", String, from(5), Empty).ignorable(),
    ] };
    pub(super) static S341: Struct = Struct { id: 341, schema: 154, name: "ListOffsetsRequest", fields: &[
        f("replica_id", Int32, from(0), Int(0)),
        f("isolation_level", Int8, from(2), Int(0)),
        f("topics", Kind::Struct(&S342), from(0), Empty).array(),
        f("timeout_ms", Int32, from(10), Int(0)).ignorable(),
    ] };
    pub(super) static S342: Struct = Struct { id: 342, schema: 154, name: "ListOffsetsTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S343), from(0), Empty).array(),
    ] };
    pub(super) static S343: Struct = Struct { id: 343, schema: 154, name: "ListOffsetsPartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("current_leader_epoch", Int32, from(4), Int(-1)).ignorable(),
        f("timestamp", Int64, from(0), Int(0)),
    ] };
    pub(super) static S344: Struct = Struct { id: 344, schema: 155, name: "ListOffsetsResponse", fields: &[
        f("throttle_time_ms", Int32, from(2), Int(0)).ignorable(),
        f("topics", Kind::Struct(&S345), from(0), Empty).array(),
    ] };
    pub(super) static S345: Struct = Struct { id: 345, schema: 155, name: "ListOffsetsTopicResponse", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S346), from(0), Empty).array(),
    ] };
    pub(super) static S346: Struct = Struct { id: 346, schema: 155, name: "ListOffsetsPartitionResponse", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("timestamp", Int64, from(1), Int(-1)),
        f("offset", Int64, from(1), Int(-1)),
        f("leader_epoch", Int32, from(4), Int(-1)),
    ] };
    pub(super) static S347: Struct = Struct { id: 347, schema: 156, name: "ListPartitionReassignmentsRequest", fields: &[
        f("timeout_ms", Int32, from(0), Int(60_000)),
        f("topics", Kind::Struct(&S348), from(0), Null).array().nullable(from(0)),
    ] };
    pub(super) static S348: Struct = Struct { id: 348, schema: 156, name: "ListPartitionReassignmentsTopics", fields: &[
        f("name", String, from(0), Empty),
        f("partition_indexes", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S349: Struct = Struct { id: 349, schema: 157, name: "ListPartitionReassignmentsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("topics", Kind::Struct(&S350), from(0), Empty).array(),
    ] };
    pub(super) static S350: Struct = Struct { id: 350, schema: 157, name: "OngoingTopicReassignment", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S351), from(0), Empty).array(),
    ] };
    pub(super) static S351: Struct = Struct { id: 351, schema: 157, name: "OngoingPartitionReassignment", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("replicas", Int32, from(0), Empty).array(),
        f("adding_replicas", Int32, from(0), Empty).array(),
        f("removing_replicas", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S352: Struct = Struct { id: 352, schema: 158, name: "ListTransactionsRequest", fields: &[
        f("state_filters", String, from(0), Empty).array(),
        f("producer_id_filters", Int64, from(0), Empty).array(),
        f("duration_filter", Int64, from(1), Int(-1)),
        f("transactional_id_pattern", String, from(2), Null).nullable(from(2)),
    ] };
    pub(super) static S353: Struct = Struct { id: 353, schema: 159, name: "ListTransactionsResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("unknown_state_filters", String, from(0), Empty).array(),
        f("transaction_states", Kind::Struct(&S354), from(0), Empty).array(),
    ] };
    pub(super) static S354: Struct = Struct { id: 354, schema: 159, name: "TransactionState", fields: &[
        f("transactional_id", String, from(0), Empty),
        f("producer_id", Int64, from(0), Int(0)),
        f("transaction_state", String, from(0), Empty),
    ] };
    pub(super) static S355: Struct = Struct { id: 355, schema: 160, name: "MetadataRequest", fields: &[
        f("topics", Kind::Struct(&S356), from(0), Empty).array().nullable(from(1)),
        f("allow_auto_topic_creation", Kind::Bool, from(4), Bool(true)),
        f("include_cluster_authorized_operations", Kind::Bool, v(8, 10), Bool(false)),
        f("include_topic_authorized_operations", Kind::Bool, from(8), Bool(false)),
    ] };
    pub(super) static S356: Struct = Struct { id: 356, schema: 160, name: "MetadataRequestTopic", fields: &[
        f("topic_id", Uuid, from(10), Empty).ignorable(),
        f("name", String, from(0), Empty).nullable(from(10)),
    ] };
    pub(super) static S357: Struct = Struct { id: 357, schema: 161, name: "MetadataResponse", fields: &[
        f("throttle_time_ms", Int32, from(3), Int(0)).ignorable(),
        f("brokers", Kind::Struct(&S358), from(0), Empty).array(),
        f("cluster_id", String, from(2), Null).nullable(from(2)).ignorable(),
        f("controller_id", Int32, from(1), Int(-1)).ignorable(),
        f("topics", Kind::Struct(&S359), from(0), Empty).array(),
        f("cluster_authorized_operations", Int32, v(8, 10), Int(-2_147_483_648)),
        f("error_code", Int16, from(13), Int(0)).ignorable(),
    ] };
    pub(super) static S358: Struct = Struct { id: 358, schema: 161, name: "MetadataResponseBroker", fields: &[
        f("node_id", Int32, from(0), Int(0)),
        f("host", String, from(0), Empty),
        f("port", Int32, from(0), Int(0)),
        f("rack", String, from(1), Null).nullable(from(1)).ignorable(),
    ] };
    pub(super) static S359: Struct = Struct { id: 359, schema: 161, name: "MetadataResponseTopic", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("name", String, from(0), Empty).nullable(from(12)),
        f("topic_id", Uuid, from(10), Empty).ignorable(),
        f("is_internal", Kind::Bool, from(1), Bool(false)).ignorable(),
        f("partitions", Kind::Struct(&S360), from(0), Empty).array(),
        f("topic_authorized_operations", Int32, from(8), Int(-2_147_483_648)),
    ] };
    pub(super) static S360: Struct = Struct { id: 360, schema: 161, name: "MetadataResponsePartition", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("partition_index", Int32, from(0), Int(0)),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(7), Int(-1)).ignorable(),
        f("replica_nodes", Int32, from(0), Empty).array(),
        f("isr_nodes", Int32, from(0), Empty).array(),
        f("offline_replicas", Int32, from(5), Empty).array().ignorable(),
    ] };
    pub(super) static S361: Struct = Struct { id: 361, schema: 162, name: "NoOpRecord", fields: &[] };
    pub(super) static S362: Struct = Struct { id: 362, schema: 163, name: "OffsetCommitKey", fields: &[
        f("group", String, v(0, 0), Empty),
        f("topic", String, v(0, 0), Empty),
        f("partition", Int32, v(0, 0), Int(0)),
    ] };
    pub(super) static S363: Struct = Struct { id: 363, schema: 164, name: "OffsetCommitRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("generation_id_or_member_epoch", Int32, from(1), Int(-1)).ignorable(),
        f("member_id", String, from(1), Empty).ignorable(),
        f("group_instance_id", String, from(7), Null).nullable(from(7)),
        f("retention_time_ms", Int64, v(2, 4), Int(-1)).ignorable(),
        f("topics", Kind::Struct(&S364), from(0), Empty).array(),
    ] };
    pub(super) static S364: Struct = Struct { id: 364, schema: 164, name: "OffsetCommitRequestTopic", fields: &[
        f("name", String, v(0, 9), Empty).ignorable(),
        f("topic_id", Uuid, from(10), Empty).ignorable(),
        f("partitions", Kind::Struct(&S365), from(0), Empty).array(),
    ] };
    pub(super) static S365: Struct = Struct { id: 365, schema: 164, name: "OffsetCommitRequestPartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("committed_offset", Int64, from(0), Int(0)),
        f("committed_leader_epoch", Int32, from(6), Int(-1)).ignorable(),
        f("committed_metadata", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S366: Struct = Struct { id: 366, schema: 165, name: "OffsetCommitResponse", fields: &[
        f("throttle_time_ms", Int32, from(3), Int(0)).ignorable(),
        f("topics", Kind::Struct(&S367), from(0), Empty).array(),
    ] };
    pub(super) static S367: Struct = Struct { id: 367, schema: 165, name: "OffsetCommitResponseTopic", fields: &[
        f("name", String, v(0, 9), Empty).ignorable(),
        f("topic_id", Uuid, from(10), Empty).ignorable(),
        f("partitions", Kind::Struct(&S368), from(0), Empty).array(),
    ] };
    pub(super) static S368: Struct = Struct { id: 368, schema: 165, name: "OffsetCommitResponsePartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S369: Struct = Struct { id: 369, schema: 166, name: "OffsetCommitValue", fields: &[
        f("offset", Int64, from(0), Int(0)),
        f("leader_epoch", Int32, from(3), Int(-1)).ignorable(),
        f("metadata", String, from(0), Empty),
        f("commit_timestamp", Int64, from(0), Int(0)),
        f("expire_timestamp", Int64, v(1, 1), Int(-1)).ignorable(),
        f("topic_id", Uuid, from(4), Empty).tagged(0, from(4)).ignorable(),
    ] };
    pub(super) static S370: Struct = Struct { id: 370, schema: 167, name: "OffsetDeleteRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S371), from(0), Empty).array(),
    ] };
    pub(super) static S371: Struct = Struct { id: 371, schema: 167, name: "OffsetDeleteRequestTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S372), from(0), Empty).array(),
    ] };
    pub(super) static S372: Struct = Struct { id: 372, schema: 167, name: "OffsetDeleteRequestPartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
    ] };
    pub(super) static S373: Struct = Struct { id: 373, schema: 168, name: "OffsetDeleteResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("throttle_time_ms", Int32, from(0), Int(0)).ignorable(),
        f("topics", Kind::Struct(&S374), from(0), Empty).array(),
    ] };
    pub(super) static S374: Struct = Struct { id: 374, schema: 168, name: "OffsetDeleteResponseTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S375), from(0), Empty).array(),
    ] };
    pub(super) static S375: Struct = Struct { id: 375, schema: 168, name: "OffsetDeleteResponsePartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S376: Struct = Struct { id: 376, schema: 169, name: "OffsetFetchRequest", fields: &[
        f("group_id", String, v(0, 7), Empty),
        f("topics", Kind::Struct(&S377), v(0, 7), Empty).array().nullable(v(2, 7)),
        f("groups", Kind::Struct(&S378), from(8), Empty).array(),
        f("require_stable", Kind::Bool, from(7), Bool(false)),
    ] };
    pub(super) static S377: Struct = Struct { id: 377, schema: 169, name: "OffsetFetchRequestTopic", fields: &[
        f("name", String, v(0, 7), Empty),
        f("partition_indexes", Int32, v(0, 7), Empty).array(),
    ] };
    pub(super) static S378: Struct = Struct { id: 378, schema: 169, name: "OffsetFetchRequestGroup", fields: &[
        f("group_id", String, from(8), Empty),
        f("member_id", String, from(9), Null).nullable(from(9)).ignorable(),
        f("member_epoch", Int32, from(9), Int(-1)).ignorable(),
        f("topics", Kind::Struct(&S379), from(8), Empty).array().nullable(from(8)),
    ] };
    pub(super) static S379: Struct = Struct { id: 379, schema: 169, name: "OffsetFetchRequestTopics", fields: &[
        f("name", String, v(8, 9), Empty).ignorable(),
        f("topic_id", Uuid, from(10), Empty).ignorable(),
        f("partition_indexes", Int32, from(8), Empty).array(),
    ] };
    pub(super) static S380: Struct = Struct { id: 380, schema: 170, name: "OffsetFetchResponse", fields: &[
        f("throttle_time_ms", Int32, from(3), Int(0)).ignorable(),
        f("topics", Kind::Struct(&S381), v(0, 7), Empty).array(),
        f("error_code", Int16, v(2, 7), Int(0)).ignorable(),
        f("groups", Kind::Struct(&S383), from(8), Empty).array(),
    ] };
    pub(super) static S381: Struct = Struct { id: 381, schema: 170, name: "OffsetFetchResponseTopic", fields: &[
        f("name", String, v(0, 7), Empty),
        f("partitions", Kind::Struct(&S382), v(0, 7), Empty).array(),
    ] };
    pub(super) static S382: Struct = Struct { id: 382, schema: 170, name: "OffsetFetchResponsePartition", fields: &[
        f("partition_index", Int32, v(0, 7), Int(0)),
        f("committed_offset", Int64, v(0, 7), Int(0)),
        f("committed_leader_epoch", Int32, v(5, 7), Int(-1)).ignorable(),
        f("metadata", String, v(0, 7), Empty).nullable(v(0, 7)),
        f("error_code", Int16, v(0, 7), Int(0)),
    ] };
    pub(super) static S383: Struct = Struct { id: 383, schema: 170, name: "OffsetFetchResponseGroup", fields: &[
        f("group_id", String, from(8), Empty),
        f("topics", Kind::Struct(&S384), from(8), Empty).array(),
        f("error_code", Int16, from(8), Int(0)),
    ] };
    pub(super) static S384: Struct = Struct { id: 384, schema: 170, name: "OffsetFetchResponseTopics", fields: &[
        f("name", String, v(8, 9), Empty).ignorable(),
        f("topic_id", Uuid, from(10), Empty).ignorable(),
        f("partitions", Kind::Struct(&S385), from(8), Empty).array(),
    ] };
    pub(super) static S385: Struct = Struct { id: 385, schema: 170, name: "OffsetFetchResponsePartitions", fields: &[
        f("partition_index", Int32, from(8), Int(0)),
        f("committed_offset", Int64, from(8), Int(0)),
        f("committed_leader_epoch", Int32, from(8), Int(-1)).ignorable(),
        f("metadata", String, from(8), Empty).nullable(from(8)),
        f("error_code", Int16, from(8), Int(0)),
    ] };
    pub(super) static S386: Struct = Struct { id: 386, schema: 171, name: "OffsetForLeaderEpochRequest", fields: &[
        f("replica_id", Int32, from(3), Int(-2)).ignorable(),
        f("topics", Kind::Struct(&S387), from(0), Empty).array(),
    ] };
    pub(super) static S387: Struct = Struct { id: 387, schema: 171, name: "OffsetForLeaderTopic", fields: &[
        f("topic", String, from(0), Empty),
        f("partitions", Kind::Struct(&S388), from(0), Empty).array(),
    ] };
    pub(super) static S388: Struct = Struct { id: 388, schema: 171, name: "OffsetForLeaderPartition", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("current_leader_epoch", Int32, from(2), Int(-1)).ignorable(),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S389: Struct = Struct { id: 389, schema: 172, name: "OffsetForLeaderEpochResponse", fields: &[
        f("throttle_time_ms", Int32, from(2), Int(0)).ignorable(),
        f("topics", Kind::Struct(&S390), from(0), Empty).array(),
    ] };
    pub(super) static S390: Struct = Struct { id: 390, schema: 172, name: "OffsetForLeaderTopicResult", fields: &[
        f("topic", String, from(0), Empty),
        f("partitions", Kind::Struct(&S391), from(0), Empty).array(),
    ] };
    pub(super) static S391: Struct = Struct { id: 391, schema: 172, name: "EpochEndOffset", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("partition", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(1), Int(-1)).ignorable(),
        f("end_offset", Int64, from(0), Int(-1)),
    ] };
    pub(super) static S392: Struct = Struct { id: 392, schema: 173, name: "PartitionChangeRecord", fields: &[
        f("partition_id", Int32, from(0), Int(-1)),
        f("topic_id", Uuid, from(0), Empty),
        f("isr", Int32, from(0), Null).array().nullable(from(0)).tagged(0, from(0)),
        f("leader", Int32, from(0), Int(-2)).tagged(1, from(0)),
        f("replicas", Int32, from(0), Null).array().nullable(from(0)).tagged(2, from(0)),
        f("removing_replicas", Int32, from(0), Null).array().nullable(from(0)).tagged(3, from(0)),
        f("adding_replicas", Int32, from(0), Null).array().nullable(from(0)).tagged(4, from(0)),
        f("leader_recovery_state", Int8, from(0), Int(-1)).tagged(5, from(0)),
        f("directories", Uuid, from(1), Null).array().nullable(from(1)).tagged(8, from(1)),
        f("eligible_leader_replicas", Int32, from(2), Null).array().nullable(from(2)).tagged(6, from(2)),
        f("last_known_elr", Int32, from(2), Null).array().nullable(from(2)).tagged(7, from(2)),
    ] };
    pub(super) static S393: Struct = Struct { id: 393, schema: 174, name: "PartitionRecord", fields: &[
        f("partition_id", Int32, from(0), Int(-1)),
        f("topic_id", Uuid, from(0), Empty),
        f("replicas", Int32, from(0), Empty).array(),
        f("isr", Int32, from(0), Empty).array(),
        f("removing_replicas", Int32, from(0), Empty).array(),
        f("adding_replicas", Int32, from(0), Empty).array(),
        f("leader", Int32, from(0), Int(-1)),
        f("leader_recovery_state", Int8, from(0), Int(0)).tagged(0, from(0)),
        f("leader_epoch", Int32, from(0), Int(-1)),
        f("partition_epoch", Int32, from(0), Int(-1)),
        f("directories", Uuid, from(1), Empty).array(),
        f("eligible_leader_replicas", Int32, from(2), Null).array().nullable(from(2)).tagged(1, from(2)),
        f("last_known_elr", Int32, from(2), Null).array().nullable(from(2)).tagged(2, from(2)),
    ] };
    pub(super) static S394: Struct = Struct { id: 394, schema: 175, name: "ProduceRequest", fields: &[
        f("transactional_id", String, from(3), Null).nullable(from(3)),
        f("acks", Int16, from(0), Int(0)),
        f("timeout_ms", Int32, from(0), Int(0)),
        f("topic_data", Kind::Struct(&S395), from(0), Empty).array(),
    ] };
    pub(super) static S395: Struct = Struct { id: 395, schema: 175, name: "TopicProduceData", fields: &[
        f("name", String, v(0, 12), Empty).ignorable(),
        f("topic_id", Uuid, from(13), Empty).ignorable(),
        f("partition_data", Kind::Struct(&S396), from(0), Empty).array(),
    ] };
    pub(super) static S396: Struct = Struct { id: 396, schema: 175, name: "PartitionProduceData", fields: &[
        f("index", Int32, from(0), Int(0)),
        f("records", Records, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S397: Struct = Struct { id: 397, schema: 176, name: "ProduceResponse", fields: &[
        f("responses", Kind::Struct(&S398), from(0), Empty).array(),
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("node_endpoints", Kind::Struct(&S402), from(10), Empty).array().tagged(0, from(10)),
    ] };
    pub(super) static S398: Struct = Struct { id: 398, schema: 176, name: "TopicProduceResponse", fields: &[
        f("name", String, v(0, 12), Empty).ignorable(),
        f("topic_id", Uuid, from(13), Empty).ignorable(),
        f("partition_responses", Kind::Struct(&S399), from(0), Empty).array(),
    ] };
    pub(super) static S399: Struct = Struct { id: 399, schema: 176, name: "PartitionProduceResponse", fields: &[
        f("index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("base_offset", Int64, from(0), Int(0)),
        f("log_append_time_ms", Int64, from(2), Int(-1)).ignorable(),
        f("log_start_offset", Int64, from(5), Int(-1)).ignorable(),
        f("record_errors", Kind::Struct(&S400), from(8), Empty).array().ignorable(),
        f("error_message", String, from(8), Null).nullable(from(8)).ignorable(),
        f("current_leader", Kind::Struct(&S401), from(10), Empty).tagged(0, from(10)),
    ] };
    pub(super) static S400: Struct = Struct { id: 400, schema: 176, name: "BatchIndexAndErrorMessage", fields: &[
        f("batch_index", Int32, from(8), Int(0)),
        f("batch_index_error_message", String, from(8), Null).nullable(from(8)),
    ] };
    pub(super) static S401: Struct = Struct { id: 401, schema: 176, name: "LeaderIdAndEpoch", fields: &[
        f("leader_id", Int32, from(10), Int(-1)),
        f("leader_epoch", Int32, from(10), Int(-1)),
    ] };
    pub(super) static S402: Struct = Struct { id: 402, schema: 176, name: "NodeEndpoint", fields: &[
        f("node_id", Int32, from(10), Int(0)),
        f("host", String, from(10), Empty),
        f("port", Int32, from(10), Int(0)),
        f("rack", String, from(10), Null).nullable(from(10)),
    ] };
    pub(super) static S403: Struct = Struct { id: 403, schema: 177, name: "ProducerIdsRecord", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("broker_epoch", Int64, from(0), Int(-1)),
        f("next_producer_id", Int64, from(0), Int(0)),
    ] };
    pub(super) static S404: Struct = Struct { id: 404, schema: 178, name: "ProducerSnapshot", fields: &[
        f("crc", Uint32, v(1, 1), Int(0)),
        f("producer_entries", Kind::Struct(&S405), v(1, 1), Empty).array(),
    ] };
    pub(super) static S405: Struct = Struct { id: 405, schema: 178, name: "ProducerEntry", fields: &[
        f("producer_id", Int64, v(1, 1), Int(0)),
        f("epoch", Int16, v(1, 1), Int(0)),
        f("last_sequence", Int32, v(1, 1), Int(0)),
        f("last_offset", Int64, v(1, 1), Int(0)),
        f("offset_delta", Int32, v(1, 1), Int(0)),
        f("timestamp", Int64, v(1, 1), Int(0)),
        f("coordinator_epoch", Int32, v(1, 1), Int(0)),
        f("current_txn_first_offset", Int64, v(1, 1), Int(0)),
    ] };
    pub(super) static S406: Struct = Struct { id: 406, schema: 179, name: "PushTelemetryRequest", fields: &[
        f("client_instance_id", Uuid, from(0), Empty),
        f("subscription_id", Int32, from(0), Int(0)),
        f("terminating", Kind::Bool, from(0), Bool(false)),
        f("compression_type", Int8, from(0), Int(0)),
        f("metrics", Bytes, from(0), Empty),
    ] };
    pub(super) static S407: Struct = Struct { id: 407, schema: 180, name: "PushTelemetryResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S408: Struct = Struct { id: 408, schema: 181, name: "QuorumStateData", fields: &[
        f("cluster_id", String, v(0, 0), Empty),
        f("leader_id", Int32, from(0), Int(-1)),
        f("leader_epoch", Int32, from(0), Int(-1)),
        f("voted_id", Int32, from(0), Int(-1)),
        f("voted_directory_id", Uuid, from(1), Empty),
        f("applied_offset", Int64, v(0, 0), Int(0)),
        f("current_voters", Kind::Struct(&S409), v(0, 0), Empty).array().nullable(v(0, 0)),
    ] };
    pub(super) static S409: Struct = Struct { id: 409, schema: 181, name: "Voter", fields: &[
        f("voter_id", Int32, v(0, 0), Int(0)),
    ] };
    pub(super) static S410: Struct = Struct { id: 410, schema: 182, name: "ReadShareGroupStateRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S411), from(0), Empty).array(),
    ] };
    pub(super) static S411: Struct = Struct { id: 411, schema: 182, name: "ReadStateData", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S412), from(0), Empty).array(),
    ] };
    pub(super) static S412: Struct = Struct { id: 412, schema: 182, name: "PartitionData", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S413: Struct = Struct { id: 413, schema: 183, name: "ReadShareGroupStateResponse", fields: &[
        f("results", Kind::Struct(&S414), from(0), Empty).array(),
    ] };
    pub(super) static S414: Struct = Struct { id: 414, schema: 183, name: "ReadStateResult", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S415), from(0), Empty).array(),
    ] };
    pub(super) static S415: Struct = Struct { id: 415, schema: 183, name: "PartitionResult", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("state_epoch", Int32, from(0), Int(0)),
        f("start_offset", Int64, from(0), Int(0)),
        f("state_batches", Kind::Struct(&S416), from(0), Empty).array(),
    ] };
    pub(super) static S416: Struct = Struct { id: 416, schema: 183, name: "StateBatch", fields: &[
        f("first_offset", Int64, from(0), Int(0)),
        f("last_offset", Int64, from(0), Int(0)),
        f("delivery_state", Int8, from(0), Int(0)),
        f("delivery_count", Int16, from(0), Int(0)),
    ] };
    pub(super) static S417: Struct = Struct { id: 417, schema: 184, name: "ReadShareGroupStateSummaryRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S418), from(0), Empty).array(),
    ] };
    pub(super) static S418: Struct = Struct { id: 418, schema: 184, name: "ReadStateSummaryData", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S419), from(0), Empty).array(),
    ] };
    pub(super) static S419: Struct = Struct { id: 419, schema: 184, name: "PartitionData", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S420: Struct = Struct { id: 420, schema: 185, name: "ReadShareGroupStateSummaryResponse", fields: &[
        f("results", Kind::Struct(&S421), from(0), Empty).array(),
    ] };
    pub(super) static S421: Struct = Struct { id: 421, schema: 185, name: "ReadStateSummaryResult", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S422), from(0), Empty).array(),
    ] };
    pub(super) static S422: Struct = Struct { id: 422, schema: 185, name: "PartitionResult", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("state_epoch", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("start_offset", Int64, from(0), Int(0)),
        f("delivery_complete_count", Int32, from(1), Int(-1)).ignorable(),
    ] };
    pub(super) static S423: Struct = Struct { id: 423, schema: 186, name: "RegisterBrokerRecord", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("is_migrating_zk_broker", Kind::Bool, from(2), Bool(false)),
        f("incarnation_id", Uuid, from(0), Empty),
        f("broker_epoch", Int64, from(0), Int(0)),
        f("end_points", Kind::Struct(&S424), from(0), Empty).array(),
        f("features", Kind::Struct(&S425), from(0), Empty).array(),
        f("rack", String, from(0), Empty).nullable(from(0)),
        f("fenced", Kind::Bool, from(0), Bool(true)),
        f("in_controlled_shutdown", Kind::Bool, from(1), Bool(false)),
        f("log_dirs", Uuid, from(3), Empty).array().tagged(0, from(3)),
        f("cordoned_log_dirs", Uuid, from(4), Null).array().nullable(from(4)).tagged(1, from(4)),
    ] };
    pub(super) static S424: Struct = Struct { id: 424, schema: 186, name: "BrokerEndpoint", fields: &[
        f("name", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
        f("security_protocol", Int16, from(0), Int(0)),
    ] };
    pub(super) static S425: Struct = Struct { id: 425, schema: 186, name: "BrokerFeature", fields: &[
        f("name", String, from(0), Empty),
        f("min_supported_version", Int16, from(0), Int(0)),
        f("max_supported_version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S426: Struct = Struct { id: 426, schema: 187, name: "RegisterControllerRecord", fields: &[
        f("controller_id", Int32, from(0), Int(0)),
        f("incarnation_id", Uuid, from(0), Empty),
        f("zk_migration_ready", Kind::Bool, from(0), Bool(false)),
        f("end_points", Kind::Struct(&S427), from(0), Empty).array(),
        f("features", Kind::Struct(&S428), from(0), Empty).array(),
    ] };
    pub(super) static S427: Struct = Struct { id: 427, schema: 187, name: "ControllerEndpoint", fields: &[
        f("name", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
        f("security_protocol", Int16, from(0), Int(0)),
    ] };
    pub(super) static S428: Struct = Struct { id: 428, schema: 187, name: "ControllerFeature", fields: &[
        f("name", String, from(0), Empty),
        f("min_supported_version", Int16, from(0), Int(0)),
        f("max_supported_version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S429: Struct = Struct { id: 429, schema: 188, name: "RemoteLogSegmentMetadataRecord", fields: &[
        f("remote_log_segment_id", Kind::Struct(&S430), from(0), Empty),
        f("start_offset", Int64, from(0), Int(0)),
        f("end_offset", Int64, from(0), Int(0)),
        f("broker_id", Int32, from(0), Int(0)),
        f("max_timestamp_ms", Int64, from(0), Int(0)),
        f("event_timestamp_ms", Int64, from(0), Int(0)),
        f("segment_leader_epochs", Kind::Struct(&S432), from(0), Empty).array(),
        f("segment_size_in_bytes", Int32, from(0), Int(0)),
        f("custom_metadata", Bytes, from(0), Null).nullable(from(0)),
        f("remote_log_segment_state", Int8, from(0), Int(0)),
        f("txn_index_empty", Kind::Bool, from(0), Bool(false)).tagged(0, from(0)),
    ] };
    pub(super) static S430: Struct = Struct { id: 430, schema: 188, name: "RemoteLogSegmentIdEntry", fields: &[
        f("topic_id_partition", Kind::Struct(&S431), from(0), Empty),
        f("id", Uuid, from(0), Empty),
    ] };
    pub(super) static S431: Struct = Struct { id: 431, schema: 188, name: "TopicIdPartitionEntry", fields: &[
        f("name", String, from(0), Empty),
        f("id", Uuid, from(0), Empty),
        f("partition", Int32, from(0), Int(0)),
    ] };
    pub(super) static S432: Struct = Struct { id: 432, schema: 188, name: "SegmentLeaderEpochEntry", fields: &[
        f("leader_epoch", Int32, from(0), Int(0)),
        f("offset", Int64, from(0), Int(0)),
    ] };
    pub(super) static S433: Struct = Struct { id: 433, schema: 189, name: "RemoteLogSegmentMetadataSnapshotRecord", fields: &[
        f("segment_id", Uuid, from(0), Empty),
        f("start_offset", Int64, from(0), Int(0)),
        f("end_offset", Int64, from(0), Int(0)),
        f("broker_id", Int32, from(0), Int(0)),
        f("max_timestamp_ms", Int64, from(0), Int(0)),
        f("event_timestamp_ms", Int64, from(0), Int(0)),
        f("segment_leader_epochs", Kind::Struct(&S434), from(0), Empty).array(),
        f("segment_size_in_bytes", Int32, from(0), Int(0)),
        f("custom_metadata", Bytes, from(0), Null).nullable(from(0)),
        f("remote_log_segment_state", Int8, from(0), Int(0)),
        f("txn_index_empty", Kind::Bool, from(0), Bool(false)).tagged(0, from(0)),
    ] };
    pub(super) static S434: Struct = Struct { id: 434, schema: 189, name: "SegmentLeaderEpochEntry", fields: &[
        f("leader_epoch", Int32, from(0), Int(0)),
        f("offset", Int64, from(0), Int(0)),
    ] };
    pub(super) static S435: Struct = Struct { id: 435, schema: 190, name: "RemoteLogSegmentMetadataUpdateRecord", fields: &[
        f("remote_log_segment_id", Kind::Struct(&S436), from(0), Empty),
        f("broker_id", Int32, from(0), Int(0)),
        f("event_timestamp_ms", Int64, from(0), Int(0)),
        f("custom_metadata", Bytes, from(0), Null).nullable(from(0)),
        f("remote_log_segment_state", Int8, from(0), Int(0)),
    ] };
    pub(super) static S436: Struct = Struct { id: 436, schema: 190, name: "RemoteLogSegmentIdEntry", fields: &[
        f("topic_id_partition", Kind::Struct(&S437), from(0), Empty),
        f("id", Uuid, from(0), Empty),
    ] };
    pub(super) static S437: Struct = Struct { id: 437, schema: 190, name: "TopicIdPartitionEntry", fields: &[
        f("name", String, from(0), Empty),
        f("id", Uuid, from(0), Empty),
        f("partition", Int32, from(0), Int(0)),
    ] };
    pub(super) static S438: Struct = Struct { id: 438, schema: 191, name: "RemotePartitionDeleteMetadataRecord", fields: &[
        f("topic_id_partition", Kind::Struct(&S439), from(0), Empty),
        f("broker_id", Int32, from(0), Int(0)),
        f("event_timestamp_ms", Int64, from(0), Int(0)),
        f("remote_partition_delete_state", Int8, from(0), Int(0)),
    ] };
    pub(super) static S439: Struct = Struct { id: 439, schema: 191, name: "TopicIdPartitionEntry", fields: &[
        f("name", String, from(0), Empty),
        f("id", Uuid, from(0), Empty),
        f("partition", Int32, from(0), Int(0)),
    ] };
    pub(super) static S440: Struct = Struct { id: 440, schema: 192, name: "RemoveAccessControlEntryRecord", fields: &[
        f("id", Uuid, from(0), Empty),
    ] };
    pub(super) static S441: Struct = Struct { id: 441, schema: 193, name: "RemoveDelegationTokenRecord", fields: &[
        f("token_id", String, from(0), Empty),
    ] };
    pub(super) static S442: Struct = Struct { id: 442, schema: 194, name: "RemoveRaftVoterRequest", fields: &[
        f("cluster_id", String, from(0), Empty).nullable(from(0)),
        f("voter_id", Int32, from(0), Int(0)),
        f("voter_directory_id", Uuid, from(0), Empty),
    ] };
    pub(super) static S443: Struct = Struct { id: 443, schema: 195, name: "RemoveRaftVoterResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)).ignorable(),
    ] };
    pub(super) static S444: Struct = Struct { id: 444, schema: 196, name: "RemoveTopicRecord", fields: &[
        f("topic_id", Uuid, from(0), Empty),
    ] };
    pub(super) static S445: Struct = Struct { id: 445, schema: 197, name: "RemoveUserScramCredentialRecord", fields: &[
        f("name", String, from(0), Empty),
        f("mechanism", Int8, from(0), Int(0)),
    ] };
    pub(super) static S446: Struct = Struct { id: 446, schema: 198, name: "RenewDelegationTokenRequest", fields: &[
        f("hmac", Bytes, from(0), Empty),
        f("renew_period_ms", Int64, from(0), Int(0)),
    ] };
    pub(super) static S447: Struct = Struct { id: 447, schema: 199, name: "RenewDelegationTokenResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("expiry_timestamp_ms", Int64, from(0), Int(0)),
        f("throttle_time_ms", Int32, from(0), Int(0)),
    ] };
    pub(super) static S448: Struct = Struct { id: 448, schema: 200, name: "SaslAuthenticateRequest", fields: &[
        f("auth_bytes", Bytes, from(0), Empty),
    ] };
    pub(super) static S449: Struct = Struct { id: 449, schema: 201, name: "SaslAuthenticateResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("auth_bytes", Bytes, from(0), Empty),
        f("session_lifetime_ms", Int64, from(1), Int(0)).ignorable(),
    ] };
    pub(super) static S450: Struct = Struct { id: 450, schema: 202, name: "SaslHandshakeRequest", fields: &[
        f("mechanism", String, from(0), Empty),
    ] };
    pub(super) static S451: Struct = Struct { id: 451, schema: 203, name: "SaslHandshakeResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("mechanisms", String, from(0), Empty).array(),
    ] };
    pub(super) static S452: Struct = Struct { id: 452, schema: 204, name: "ShareAcknowledgeRequest", fields: &[
        f("group_id", String, from(0), Null).nullable(from(0)),
        f("member_id", String, from(0), Empty).nullable(from(0)),
        f("share_session_epoch", Int32, from(0), Int(0)),
        f("is_renew_ack", Kind::Bool, from(2), Bool(false)),
        f("topics", Kind::Struct(&S453), from(0), Empty).array(),
    ] };
    pub(super) static S453: Struct = Struct { id: 453, schema: 204, name: "AcknowledgeTopic", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S454), from(0), Empty).array(),
    ] };
    pub(super) static S454: Struct = Struct { id: 454, schema: 204, name: "AcknowledgePartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("acknowledgement_batches", Kind::Struct(&S455), from(0), Empty).array(),
    ] };
    pub(super) static S455: Struct = Struct { id: 455, schema: 204, name: "AcknowledgementBatch", fields: &[
        f("first_offset", Int64, from(0), Int(0)),
        f("last_offset", Int64, from(0), Int(0)),
        f("acknowledge_types", Int8, from(0), Empty).array(),
    ] };
    pub(super) static S456: Struct = Struct { id: 456, schema: 205, name: "ShareAcknowledgeResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("acquisition_lock_timeout_ms", Int32, from(2), Int(0)).ignorable(),
        f("responses", Kind::Struct(&S457), from(0), Empty).array(),
        f("node_endpoints", Kind::Struct(&S460), from(0), Empty).array(),
    ] };
    pub(super) static S457: Struct = Struct { id: 457, schema: 205, name: "ShareAcknowledgeTopicResponse", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S458), from(0), Empty).array(),
    ] };
    pub(super) static S458: Struct = Struct { id: 458, schema: 205, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("current_leader", Kind::Struct(&S459), from(0), Empty),
    ] };
    pub(super) static S459: Struct = Struct { id: 459, schema: 205, name: "LeaderIdAndEpoch", fields: &[
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S460: Struct = Struct { id: 460, schema: 205, name: "NodeEndpoint", fields: &[
        f("node_id", Int32, from(0), Int(0)),
        f("host", String, from(0), Empty),
        f("port", Int32, from(0), Int(0)),
        f("rack", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S461: Struct = Struct { id: 461, schema: 206, name: "ShareFetchRequest", fields: &[
        f("group_id", String, from(0), Null).nullable(from(0)),
        f("member_id", String, from(0), Empty).nullable(from(0)),
        f("share_session_epoch", Int32, from(0), Int(0)),
        f("max_wait_ms", Int32, from(0), Int(0)),
        f("min_bytes", Int32, from(0), Int(0)),
        f("max_bytes", Int32, from(0), Int(2_147_483_647)),
        f("max_records", Int32, from(1), Int(0)),
        f("batch_size", Int32, from(1), Int(0)),
        f("share_acquire_mode", Int8, from(2), Int(0)).ignorable(),
        f("is_renew_ack", Kind::Bool, from(2), Bool(false)),
        f("topics", Kind::Struct(&S462), from(0), Empty).array(),
        f("forgotten_topics_data", Kind::Struct(&S465), from(0), Empty).array(),
    ] };
    pub(super) static S462: Struct = Struct { id: 462, schema: 206, name: "FetchTopic", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S463), from(0), Empty).array(),
    ] };
    pub(super) static S463: Struct = Struct { id: 463, schema: 206, name: "FetchPartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("partition_max_bytes", Int32, v(0, 0), Int(0)),
        f("acknowledgement_batches", Kind::Struct(&S464), from(0), Empty).array(),
    ] };
    pub(super) static S464: Struct = Struct { id: 464, schema: 206, name: "AcknowledgementBatch", fields: &[
        f("first_offset", Int64, from(0), Int(0)),
        f("last_offset", Int64, from(0), Int(0)),
        f("acknowledge_types", Int8, from(0), Empty).array(),
    ] };
    pub(super) static S465: Struct = Struct { id: 465, schema: 206, name: "ForgottenTopic", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S466: Struct = Struct { id: 466, schema: 207, name: "ShareFetchResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("acquisition_lock_timeout_ms", Int32, from(1), Int(0)),
        f("responses", Kind::Struct(&S467), from(0), Empty).array(),
        f("node_endpoints", Kind::Struct(&S471), from(0), Empty).array(),
    ] };
    pub(super) static S467: Struct = Struct { id: 467, schema: 207, name: "ShareFetchableTopicResponse", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S468), from(0), Empty).array(),
    ] };
    pub(super) static S468: Struct = Struct { id: 468, schema: 207, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("acknowledge_error_code", Int16, from(0), Int(0)),
        f("acknowledge_error_message", String, from(0), Null).nullable(from(0)),
        f("current_leader", Kind::Struct(&S469), from(0), Empty),
        f("records", Records, from(0), Null).nullable(v(0, 0)),
        f("acquired_records", Kind::Struct(&S470), from(0), Empty).array(),
    ] };
    pub(super) static S469: Struct = Struct { id: 469, schema: 207, name: "LeaderIdAndEpoch", fields: &[
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
    ] };
    pub(super) static S470: Struct = Struct { id: 470, schema: 207, name: "AcquiredRecords", fields: &[
        f("first_offset", Int64, from(0), Int(0)),
        f("last_offset", Int64, from(0), Int(0)),
        f("delivery_count", Int16, from(0), Int(0)),
    ] };
    pub(super) static S471: Struct = Struct { id: 471, schema: 207, name: "NodeEndpoint", fields: &[
        f("node_id", Int32, from(0), Int(0)),
        f("host", String, from(0), Empty),
        f("port", Int32, from(0), Int(0)),
        f("rack", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S472: Struct = Struct { id: 472, schema: 208, name: "ShareGroupCurrentMemberAssignmentKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S473: Struct = Struct { id: 473, schema: 209, name: "ShareGroupCurrentMemberAssignmentValue", fields: &[
        f("member_epoch", Int32, from(0), Int(0)),
        f("previous_member_epoch", Int32, from(0), Int(0)),
        f("state", Int8, from(0), Int(0)),
        f("assigned_partitions", Kind::Struct(&S474), from(0), Empty).array(),
    ] };
    pub(super) static S474: Struct = Struct { id: 474, schema: 209, name: "TopicPartitions", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S475: Struct = Struct { id: 475, schema: 210, name: "ShareGroupDescribeRequest", fields: &[
        f("group_ids", String, from(0), Empty).array(),
        f("include_authorized_operations", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S476: Struct = Struct { id: 476, schema: 211, name: "ShareGroupDescribeResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("groups", Kind::Struct(&S477), from(0), Empty).array(),
    ] };
    pub(super) static S477: Struct = Struct { id: 477, schema: 211, name: "DescribedGroup", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("group_id", String, from(0), Empty),
        f("group_state", String, from(0), Empty),
        f("group_epoch", Int32, from(0), Int(0)),
        f("assignment_epoch", Int32, from(0), Int(0)),
        f("assignor_name", String, from(0), Empty),
        f("members", Kind::Struct(&S478), from(0), Empty).array(),
        f("authorized_operations", Int32, from(0), Int(-2_147_483_648)),
    ] };
    pub(super) static S478: Struct = Struct { id: 478, schema: 211, name: "Member", fields: &[
        f("member_id", String, from(0), Empty),
        f("rack_id", String, from(0), Null).nullable(from(0)),
        f("member_epoch", Int32, from(0), Int(0)),
        f("client_id", String, from(0), Empty),
        f("client_host", String, from(0), Empty),
        f("subscribed_topic_names", String, from(0), Empty).array(),
        f("assignment", Kind::Struct(&S479), from(0), Empty),
    ] };
    pub(super) static S479: Struct = Struct { id: 479, schema: 211, name: "Assignment", fields: &[
        f("topic_partitions", Kind::Struct(&S480), from(0), Empty).array(),
    ] };
    pub(super) static S480: Struct = Struct { id: 480, schema: 211, name: "TopicPartitions", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("topic_name", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S481: Struct = Struct { id: 481, schema: 212, name: "ShareGroupHeartbeatRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("member_id", String, from(0), Empty),
        f("member_epoch", Int32, from(0), Int(0)),
        f("rack_id", String, from(0), Null).nullable(from(0)),
        f("subscribed_topic_names", String, from(0), Null).array().nullable(from(0)),
    ] };
    pub(super) static S482: Struct = Struct { id: 482, schema: 213, name: "ShareGroupHeartbeatResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("member_id", String, from(0), Null).nullable(from(0)),
        f("member_epoch", Int32, from(0), Int(0)),
        f("heartbeat_interval_ms", Int32, from(0), Int(0)),
        f("assignment", Kind::Struct(&S483), from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S483: Struct = Struct { id: 483, schema: 213, name: "Assignment", fields: &[
        f("topic_partitions", Kind::Struct(&S484), from(0), Empty).array(),
    ] };
    pub(super) static S484: Struct = Struct { id: 484, schema: 213, name: "TopicPartitions", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S485: Struct = Struct { id: 485, schema: 214, name: "ShareGroupMemberMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S486: Struct = Struct { id: 486, schema: 215, name: "ShareGroupMemberMetadataValue", fields: &[
        f("rack_id", String, from(0), Empty).nullable(from(0)),
        f("client_id", String, from(0), Empty),
        f("client_host", String, from(0), Empty),
        f("subscribed_topic_names", String, from(0), Empty).array(),
    ] };
    pub(super) static S487: Struct = Struct { id: 487, schema: 216, name: "ShareGroupMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S488: Struct = Struct { id: 488, schema: 217, name: "ShareGroupMetadataValue", fields: &[
        f("epoch", Int32, from(0), Int(0)),
        f("metadata_hash", Int64, from(0), Int(0)),
    ] };
    pub(super) static S489: Struct = Struct { id: 489, schema: 218, name: "ShareGroupStatePartitionMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S490: Struct = Struct { id: 490, schema: 219, name: "ShareGroupStatePartitionMetadataValue", fields: &[
        f("initializing_topics", Kind::Struct(&S491), from(0), Empty).array(),
        f("initialized_topics", Kind::Struct(&S491), from(0), Empty).array(),
        f("deleting_topics", Kind::Struct(&S492), from(0), Empty).array(),
    ] };
    pub(super) static S491: Struct = Struct { id: 491, schema: 219, name: "TopicPartitionsInfo", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("topic_name", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S492: Struct = Struct { id: 492, schema: 219, name: "TopicInfo", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("topic_name", String, from(0), Empty),
    ] };
    pub(super) static S493: Struct = Struct { id: 493, schema: 220, name: "ShareGroupTargetAssignmentMemberKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S494: Struct = Struct { id: 494, schema: 221, name: "ShareGroupTargetAssignmentMemberValue", fields: &[
        f("topic_partitions", Kind::Struct(&S495), from(0), Empty).array(),
    ] };
    pub(super) static S495: Struct = Struct { id: 495, schema: 221, name: "TopicPartition", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S496: Struct = Struct { id: 496, schema: 222, name: "ShareGroupTargetAssignmentMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S497: Struct = Struct { id: 497, schema: 223, name: "ShareGroupTargetAssignmentMetadataValue", fields: &[
        f("assignment_epoch", Int32, from(0), Int(0)),
        f("assignment_timestamp", Int64, from(0), Int(0)).tagged(0, from(0)).ignorable(),
    ] };
    pub(super) static S498: Struct = Struct { id: 498, schema: 224, name: "ShareSnapshotKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("topic_id", Uuid, v(0, 0), Empty),
        f("partition", Int32, v(0, 0), Int(0)),
    ] };
    pub(super) static S499: Struct = Struct { id: 499, schema: 225, name: "ShareSnapshotValue", fields: &[
        f("snapshot_epoch", Int32, from(0), Int(0)),
        f("state_epoch", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("start_offset", Int64, from(0), Int(0)),
        f("delivery_complete_count", Int32, from(0), Int(-1)).tagged(0, from(0)),
        f("create_timestamp", Int64, from(0), Int(0)),
        f("write_timestamp", Int64, from(0), Int(0)),
        f("state_batches", Kind::Struct(&S500), from(0), Empty).array(),
    ] };
    pub(super) static S500: Struct = Struct { id: 500, schema: 225, name: "StateBatch", fields: &[
        f("first_offset", Int64, from(0), Int(0)),
        f("last_offset", Int64, from(0), Int(0)),
        f("delivery_state", Int8, from(0), Int(0)),
        f("delivery_count", Int16, from(0), Int(0)),
    ] };
    pub(super) static S501: Struct = Struct { id: 501, schema: 226, name: "ShareUpdateKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("topic_id", Uuid, v(0, 0), Empty),
        f("partition", Int32, v(0, 0), Int(0)),
    ] };
    pub(super) static S502: Struct = Struct { id: 502, schema: 227, name: "ShareUpdateValue", fields: &[
        f("snapshot_epoch", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("start_offset", Int64, from(0), Int(0)),
        f("delivery_complete_count", Int32, from(0), Int(-1)).tagged(0, from(0)),
        f("state_batches", Kind::Struct(&S503), from(0), Empty).array(),
    ] };
    pub(super) static S503: Struct = Struct { id: 503, schema: 227, name: "StateBatch", fields: &[
        f("first_offset", Int64, from(0), Int(0)),
        f("last_offset", Int64, from(0), Int(0)),
        f("delivery_state", Int8, from(0), Int(0)),
        f("delivery_count", Int16, from(0), Int(0)),
    ] };
    pub(super) static S504: Struct = Struct { id: 504, schema: 228, name: "SnapshotFooterRecord", fields: &[
        f("version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S505: Struct = Struct { id: 505, schema: 229, name: "SnapshotHeaderRecord", fields: &[
        f("version", Int16, from(0), Int(0)),
        f("last_contained_log_timestamp", Int64, from(0), Int(0)),
    ] };
    pub(super) static S506: Struct = Struct { id: 506, schema: 230, name: "StreamsGroupCurrentMemberAssignmentKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S507: Struct = Struct { id: 507, schema: 231, name: "StreamsGroupCurrentMemberAssignmentValue", fields: &[
        f("member_epoch", Int32, from(0), Int(0)),
        f("previous_member_epoch", Int32, from(0), Int(0)),
        f("state", Int8, from(0), Int(0)),
        f("active_tasks", Kind::Struct(&S508), from(0), Empty).array(),
        f("standby_tasks", Kind::Struct(&S508), from(0), Empty).array(),
        f("warmup_tasks", Kind::Struct(&S508), from(0), Empty).array(),
        f("active_tasks_pending_revocation", Kind::Struct(&S508), from(0), Empty).array(),
        f("standby_tasks_pending_revocation", Kind::Struct(&S508), from(0), Empty).array(),
        f("warmup_tasks_pending_revocation", Kind::Struct(&S508), from(0), Empty).array(),
    ] };
    pub(super) static S508: Struct = Struct { id: 508, schema: 231, name: "TaskIds", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
        f("assignment_epochs", Int32, from(0), Empty).array().nullable(from(0)).tagged(0, from(0)),
    ] };
    pub(super) static S509: Struct = Struct { id: 509, schema: 232, name: "StreamsGroupDescribeRequest", fields: &[
        f("group_ids", String, from(0), Empty).array(),
        f("include_authorized_operations", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S510: Struct = Struct { id: 510, schema: 233, name: "StreamsGroupDescribeResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("groups", Kind::Struct(&S511), from(0), Empty).array(),
    ] };
    pub(super) static S511: Struct = Struct { id: 511, schema: 233, name: "DescribedGroup", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("group_id", String, from(0), Empty),
        f("group_state", String, from(0), Empty),
        f("group_epoch", Int32, from(0), Int(0)),
        f("assignment_epoch", Int32, from(0), Int(0)),
        f("topology", Kind::Struct(&S512), from(0), Null).nullable(from(0)),
        f("members", Kind::Struct(&S516), from(0), Empty).array(),
        f("authorized_operations", Int32, from(0), Int(-2_147_483_648)),
    ] };
    pub(super) static S512: Struct = Struct { id: 512, schema: 233, name: "Topology", fields: &[
        f("epoch", Int32, from(0), Int(0)),
        f("subtopologies", Kind::Struct(&S513), from(0), Null).array().nullable(from(0)),
    ] };
    pub(super) static S513: Struct = Struct { id: 513, schema: 233, name: "Subtopology", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("source_topics", String, from(0), Empty).array(),
        f("repartition_sink_topics", String, from(0), Empty).array(),
        f("state_changelog_topics", Kind::Struct(&S514), from(0), Empty).array(),
        f("repartition_source_topics", Kind::Struct(&S514), from(0), Empty).array(),
    ] };
    pub(super) static S514: Struct = Struct { id: 514, schema: 233, name: "TopicInfo", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Int32, from(0), Int(0)),
        f("replication_factor", Int16, from(0), Int(0)),
        f("topic_configs", Kind::Struct(&S515), from(0), Empty).array(),
    ] };
    pub(super) static S515: Struct = Struct { id: 515, schema: 233, name: "KeyValue", fields: &[
        f("key", String, from(0), Empty),
        f("value", String, from(0), Empty),
    ] };
    pub(super) static S516: Struct = Struct { id: 516, schema: 233, name: "Member", fields: &[
        f("member_id", String, from(0), Empty),
        f("member_epoch", Int32, from(0), Int(0)),
        f("instance_id", String, from(0), Null).nullable(from(0)),
        f("rack_id", String, from(0), Null).nullable(from(0)),
        f("client_id", String, from(0), Empty),
        f("client_host", String, from(0), Empty),
        f("topology_epoch", Int32, from(0), Int(0)),
        f("process_id", String, from(0), Empty),
        f("user_endpoint", Kind::Struct(&S517), from(0), Null).nullable(from(0)),
        f("client_tags", Kind::Struct(&S515), from(0), Empty).array(),
        f("task_offsets", Kind::Struct(&S518), from(0), Empty).array(),
        f("task_end_offsets", Kind::Struct(&S518), from(0), Empty).array(),
        f("assignment", Kind::Struct(&S519), from(0), Empty),
        f("target_assignment", Kind::Struct(&S519), from(0), Empty),
        f("is_classic", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S517: Struct = Struct { id: 517, schema: 233, name: "Endpoint", fields: &[
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
    ] };
    pub(super) static S518: Struct = Struct { id: 518, schema: 233, name: "TaskOffset", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("partition", Int32, from(0), Int(0)),
        f("offset", Int64, from(0), Int(0)),
    ] };
    pub(super) static S519: Struct = Struct { id: 519, schema: 233, name: "Assignment", fields: &[
        f("active_tasks", Kind::Struct(&S520), from(0), Empty).array(),
        f("standby_tasks", Kind::Struct(&S520), from(0), Empty).array(),
        f("warmup_tasks", Kind::Struct(&S520), from(0), Empty).array(),
    ] };
    pub(super) static S520: Struct = Struct { id: 520, schema: 233, name: "TaskIds", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S521: Struct = Struct { id: 521, schema: 234, name: "StreamsGroupHeartbeatRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("member_id", String, from(0), Empty),
        f("member_epoch", Int32, from(0), Int(0)),
        f("endpoint_information_epoch", Int32, from(0), Int(0)),
        f("instance_id", String, from(0), Null).nullable(from(0)),
        f("rack_id", String, from(0), Null).nullable(from(0)),
        f("rebalance_timeout_ms", Int32, from(0), Int(-1)),
        f("topology", Kind::Struct(&S522), from(0), Null).nullable(from(0)),
        f("active_tasks", Kind::Struct(&S527), from(0), Null).array().nullable(from(0)),
        f("standby_tasks", Kind::Struct(&S527), from(0), Null).array().nullable(from(0)),
        f("warmup_tasks", Kind::Struct(&S527), from(0), Null).array().nullable(from(0)),
        f("process_id", String, from(0), Null).nullable(from(0)),
        f("user_endpoint", Kind::Struct(&S528), from(0), Null).nullable(from(0)),
        f("client_tags", Kind::Struct(&S525), from(0), Null).array().nullable(from(0)),
        f("task_offsets", Kind::Struct(&S529), from(0), Null).array().nullable(from(0)),
        f("task_end_offsets", Kind::Struct(&S529), from(0), Null).array().nullable(from(0)),
        f("shutdown_application", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S522: Struct = Struct { id: 522, schema: 234, name: "Topology", fields: &[
        f("epoch", Int32, from(0), Int(0)),
        f("subtopologies", Kind::Struct(&S523), from(0), Empty).array(),
    ] };
    pub(super) static S523: Struct = Struct { id: 523, schema: 234, name: "Subtopology", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("source_topics", String, from(0), Empty).array(),
        f("source_topic_regex", String, from(0), Empty).array(),
        f("state_changelog_topics", Kind::Struct(&S524), from(0), Empty).array(),
        f("repartition_sink_topics", String, from(0), Empty).array(),
        f("repartition_source_topics", Kind::Struct(&S524), from(0), Empty).array(),
        f("copartition_groups", Kind::Struct(&S526), from(0), Empty).array(),
    ] };
    pub(super) static S524: Struct = Struct { id: 524, schema: 234, name: "TopicInfo", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Int32, from(0), Int(0)),
        f("replication_factor", Int16, from(0), Int(0)),
        f("topic_configs", Kind::Struct(&S525), from(0), Empty).array(),
    ] };
    pub(super) static S525: Struct = Struct { id: 525, schema: 234, name: "KeyValue", fields: &[
        f("key", String, from(0), Empty),
        f("value", String, from(0), Empty),
    ] };
    pub(super) static S526: Struct = Struct { id: 526, schema: 234, name: "CopartitionGroup", fields: &[
        f("source_topics", Int16, from(0), Empty).array(),
        f("source_topic_regex", Int16, from(0), Empty).array(),
        f("repartition_source_topics", Int16, from(0), Empty).array(),
    ] };
    pub(super) static S527: Struct = Struct { id: 527, schema: 234, name: "TaskIds", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S528: Struct = Struct { id: 528, schema: 234, name: "Endpoint", fields: &[
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
    ] };
    pub(super) static S529: Struct = Struct { id: 529, schema: 234, name: "TaskOffset", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("partition", Int32, from(0), Int(0)),
        f("offset", Int64, from(0), Int(0)),
    ] };
    pub(super) static S530: Struct = Struct { id: 530, schema: 235, name: "StreamsGroupHeartbeatResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
        f("member_id", String, from(0), Empty),
        f("member_epoch", Int32, from(0), Int(0)),
        f("heartbeat_interval_ms", Int32, from(0), Int(0)),
        f("acceptable_recovery_lag", Int32, from(0), Int(0)),
        f("task_offset_interval_ms", Int32, from(0), Int(0)),
        f("status", Kind::Struct(&S531), from(0), Empty).array().nullable(from(0)),
        f("active_tasks", Kind::Struct(&S532), from(0), Null).array().nullable(from(0)),
        f("standby_tasks", Kind::Struct(&S532), from(0), Null).array().nullable(from(0)),
        f("warmup_tasks", Kind::Struct(&S532), from(0), Null).array().nullable(from(0)),
        f("endpoint_information_epoch", Int32, from(0), Int(0)),
        f("partitions_by_user_endpoint", Kind::Struct(&S533), from(0), Null).array().nullable(from(0)),
    ] };
    pub(super) static S531: Struct = Struct { id: 531, schema: 235, name: "Status", fields: &[
        f("status_code", Int8, from(0), Int(0)),
        f("status_detail", String, from(0), Empty),
    ] };
    pub(super) static S532: Struct = Struct { id: 532, schema: 235, name: "TaskIds", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S533: Struct = Struct { id: 533, schema: 235, name: "EndpointToPartitions", fields: &[
        f("user_endpoint", Kind::Struct(&S534), from(0), Empty),
        f("active_partitions", Kind::Struct(&S535), from(0), Empty).array(),
        f("standby_partitions", Kind::Struct(&S535), from(0), Empty).array(),
    ] };
    pub(super) static S534: Struct = Struct { id: 534, schema: 235, name: "Endpoint", fields: &[
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
    ] };
    pub(super) static S535: Struct = Struct { id: 535, schema: 235, name: "TopicPartition", fields: &[
        f("topic", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S536: Struct = Struct { id: 536, schema: 236, name: "StreamsGroupMemberMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S537: Struct = Struct { id: 537, schema: 237, name: "StreamsGroupMemberMetadataValue", fields: &[
        f("instance_id", String, from(0), Empty).nullable(from(0)),
        f("rack_id", String, from(0), Empty).nullable(from(0)),
        f("client_id", String, from(0), Empty),
        f("client_host", String, from(0), Empty),
        f("rebalance_timeout_ms", Int32, from(0), Int(-1)),
        f("topology_epoch", Int32, from(0), Int(0)),
        f("process_id", String, from(0), Empty),
        f("user_endpoint", Kind::Struct(&S538), from(0), Null).nullable(from(0)),
        f("client_tags", Kind::Struct(&S539), from(0), Empty).array(),
    ] };
    pub(super) static S538: Struct = Struct { id: 538, schema: 237, name: "Endpoint", fields: &[
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
    ] };
    pub(super) static S539: Struct = Struct { id: 539, schema: 237, name: "KeyValue", fields: &[
        f("key", String, from(0), Empty),
        f("value", String, from(0), Empty),
    ] };
    pub(super) static S540: Struct = Struct { id: 540, schema: 238, name: "StreamsGroupMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S541: Struct = Struct { id: 541, schema: 239, name: "StreamsGroupMetadataValue", fields: &[
        f("epoch", Int32, from(0), Int(0)),
        f("metadata_hash", Int64, from(0), Int(0)),
        f("validated_topology_epoch", Int32, from(0), Int(-1)).tagged(0, from(0)),
        f("last_assignment_configs", Kind::Struct(&S542), from(0), Empty).array().nullable(from(0)).tagged(1, from(0)),
    ] };
    pub(super) static S542: Struct = Struct { id: 542, schema: 239, name: "LastAssignmentConfig", fields: &[
        f("key", String, from(0), Empty),
        f("value", String, from(0), Empty),
    ] };
    pub(super) static S543: Struct = Struct { id: 543, schema: 240, name: "StreamsGroupTargetAssignmentMemberKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
        f("member_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S544: Struct = Struct { id: 544, schema: 241, name: "StreamsGroupTargetAssignmentMemberValue", fields: &[
        f("active_tasks", Kind::Struct(&S545), from(0), Empty).array(),
        f("standby_tasks", Kind::Struct(&S545), from(0), Empty).array(),
        f("warmup_tasks", Kind::Struct(&S545), from(0), Empty).array(),
    ] };
    pub(super) static S545: Struct = Struct { id: 545, schema: 241, name: "TaskIds", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("partitions", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S546: Struct = Struct { id: 546, schema: 242, name: "StreamsGroupTargetAssignmentMetadataKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S547: Struct = Struct { id: 547, schema: 243, name: "StreamsGroupTargetAssignmentMetadataValue", fields: &[
        f("assignment_epoch", Int32, from(0), Int(0)),
        f("assignment_timestamp", Int64, from(0), Int(0)).tagged(0, from(0)).ignorable(),
    ] };
    pub(super) static S548: Struct = Struct { id: 548, schema: 244, name: "StreamsGroupTopologyKey", fields: &[
        f("group_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S549: Struct = Struct { id: 549, schema: 245, name: "StreamsGroupTopologyValue", fields: &[
        f("epoch", Int32, from(0), Int(0)),
        f("subtopologies", Kind::Struct(&S550), from(0), Empty).array(),
    ] };
    pub(super) static S550: Struct = Struct { id: 550, schema: 245, name: "Subtopology", fields: &[
        f("subtopology_id", String, from(0), Empty),
        f("source_topics", String, from(0), Empty).array(),
        f("source_topic_regex", String, from(0), Empty).array(),
        f("state_changelog_topics", Kind::Struct(&S551), from(0), Empty).array(),
        f("repartition_sink_topics", String, from(0), Empty).array(),
        f("repartition_source_topics", Kind::Struct(&S551), from(0), Empty).array(),
        f("copartition_groups", Kind::Struct(&S553), from(0), Empty).array(),
    ] };
    pub(super) static S551: Struct = Struct { id: 551, schema: 245, name: "TopicInfo", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Int32, from(0), Int(0)),
        f("replication_factor", Int16, from(0), Int(0)),
        f("topic_configs", Kind::Struct(&S552), from(0), Empty).array(),
    ] };
    pub(super) static S552: Struct = Struct { id: 552, schema: 245, name: "TopicConfig", fields: &[
        f("key", String, from(0), Empty),
        f("value", String, from(0), Empty),
    ] };
    pub(super) static S553: Struct = Struct { id: 553, schema: 245, name: "CopartitionGroup", fields: &[
        f("source_topics", Int16, from(0), Empty).array(),
        f("source_topic_regex", Int16, from(0), Empty).array(),
        f("repartition_source_topics", Int16, from(0), Empty).array(),
    ] };
    pub(super) static S554: Struct = Struct { id: 554, schema: 246, name: "SyncGroupRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("generation_id", Int32, from(0), Int(0)),
        f("member_id", String, from(0), Empty),
        f("group_instance_id", String, from(3), Null).nullable(from(3)),
        f("protocol_type", String, from(5), Null).nullable(from(5)).ignorable(),
        f("protocol_name", String, from(5), Null).nullable(from(5)).ignorable(),
        f("assignments", Kind::Struct(&S555), from(0), Empty).array(),
    ] };
    pub(super) static S555: Struct = Struct { id: 555, schema: 246, name: "SyncGroupRequestAssignment", fields: &[
        f("member_id", String, from(0), Empty),
        f("assignment", Bytes, from(0), Empty),
    ] };
    pub(super) static S556: Struct = Struct { id: 556, schema: 247, name: "SyncGroupResponse", fields: &[
        f("throttle_time_ms", Int32, from(1), Int(0)).ignorable(),
        f("error_code", Int16, from(0), Int(0)),
        f("protocol_type", String, from(5), Null).nullable(from(5)).ignorable(),
        f("protocol_name", String, from(5), Null).nullable(from(5)).ignorable(),
        f("assignment", Bytes, from(0), Empty),
    ] };
    pub(super) static S557: Struct = Struct { id: 557, schema: 248, name: "TopicRecord", fields: &[
        f("name", String, from(0), Empty),
        f("topic_id", Uuid, from(0), Empty),
    ] };
    pub(super) static S558: Struct = Struct { id: 558, schema: 249, name: "TransactionLogKey", fields: &[
        f("transactional_id", String, v(0, 0), Empty),
    ] };
    pub(super) static S559: Struct = Struct { id: 559, schema: 250, name: "TransactionLogValue", fields: &[
        f("producer_id", Int64, from(0), Int(0)),
        f("previous_producer_id", Int64, from(1), Int(-1)).tagged(0, from(1)),
        f("next_producer_id", Int64, from(1), Int(-1)).tagged(1, from(1)),
        f("producer_epoch", Int16, from(0), Int(0)),
        f("next_producer_epoch", Int16, from(1), Int(-1)).tagged(3, from(1)),
        f("transaction_timeout_ms", Int32, from(0), Int(0)),
        f("transaction_status", Int8, from(0), Int(0)),
        f("transaction_partitions", Kind::Struct(&S560), from(0), Empty).array().nullable(from(0)),
        f("transaction_last_update_timestamp_ms", Int64, from(0), Int(0)),
        f("transaction_start_timestamp_ms", Int64, from(0), Int(0)),
        f("client_transaction_version", Int16, from(1), Int(0)).tagged(2, from(1)),
    ] };
    pub(super) static S560: Struct = Struct { id: 560, schema: 250, name: "PartitionsSchema", fields: &[
        f("topic", String, from(0), Empty),
        f("partition_ids", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S561: Struct = Struct { id: 561, schema: 251, name: "TxnOffsetCommitRequest", fields: &[
        f("transactional_id", String, from(0), Empty),
        f("group_id", String, from(0), Empty),
        f("producer_id", Int64, from(0), Int(0)),
        f("producer_epoch", Int16, from(0), Int(0)),
        f("generation_id", Int32, from(3), Int(-1)),
        f("member_id", String, from(3), Empty),
        f("group_instance_id", String, from(3), Null).nullable(from(3)),
        f("topics", Kind::Struct(&S562), from(0), Empty).array(),
    ] };
    pub(super) static S562: Struct = Struct { id: 562, schema: 251, name: "TxnOffsetCommitRequestTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S563), from(0), Empty).array(),
    ] };
    pub(super) static S563: Struct = Struct { id: 563, schema: 251, name: "TxnOffsetCommitRequestPartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("committed_offset", Int64, from(0), Int(0)),
        f("committed_leader_epoch", Int32, from(2), Int(-1)).ignorable(),
        f("committed_metadata", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S564: Struct = Struct { id: 564, schema: 252, name: "TxnOffsetCommitResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("topics", Kind::Struct(&S565), from(0), Empty).array(),
    ] };
    pub(super) static S565: Struct = Struct { id: 565, schema: 252, name: "TxnOffsetCommitResponseTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S566), from(0), Empty).array(),
    ] };
    pub(super) static S566: Struct = Struct { id: 566, schema: 252, name: "TxnOffsetCommitResponsePartition", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S567: Struct = Struct { id: 567, schema: 253, name: "UnfenceBrokerRecord", fields: &[
        f("id", Int32, from(0), Int(0)),
        f("epoch", Int64, from(0), Int(0)),
    ] };
    pub(super) static S568: Struct = Struct { id: 568, schema: 254, name: "UnregisterBrokerRecord", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
        f("broker_epoch", Int64, from(0), Int(0)),
    ] };
    pub(super) static S569: Struct = Struct { id: 569, schema: 255, name: "UnregisterBrokerRequest", fields: &[
        f("broker_id", Int32, from(0), Int(0)),
    ] };
    pub(super) static S570: Struct = Struct { id: 570, schema: 256, name: "UnregisterBrokerResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S571: Struct = Struct { id: 571, schema: 257, name: "UpdateFeaturesRequest", fields: &[
        f("timeout_ms", Int32, from(0), Int(60_000)),
        f("feature_updates", Kind::Struct(&S572), from(0), Empty).array(),
        f("validate_only", Kind::Bool, from(1), Bool(false)),
    ] };
    pub(super) static S572: Struct = Struct { id: 572, schema: 257, name: "FeatureUpdateKey", fields: &[
        f("feature", String, from(0), Empty),
        f("max_version_level", Int16, from(0), Int(0)),
        f("allow_downgrade", Kind::Bool, v(0, 0), Bool(false)),
        f("upgrade_type", Int8, from(1), Int(1)),
    ] };
    pub(super) static S573: Struct = Struct { id: 573, schema: 258, name: "UpdateFeaturesResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
        f("results", Kind::Struct(&S574), v(0, 1), Empty).array().ignorable(),
    ] };
    pub(super) static S574: Struct = Struct { id: 574, schema: 258, name: "UpdatableFeatureResult", fields: &[
        f("feature", String, from(0), Empty),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Empty).nullable(from(0)),
    ] };
    pub(super) static S575: Struct = Struct { id: 575, schema: 259, name: "UpdateRaftVoterRequest", fields: &[
        f("cluster_id", String, from(0), Empty).nullable(from(0)),
        f("current_leader_epoch", Int32, from(0), Int(0)),
        f("voter_id", Int32, from(0), Int(0)),
        f("voter_directory_id", Uuid, from(0), Empty),
        f("listeners", Kind::Struct(&S576), from(0), Empty).array(),
        f("kraft_version_feature", Kind::Struct(&S577), from(0), Empty),
    ] };
    pub(super) static S576: Struct = Struct { id: 576, schema: 259, name: "Listener", fields: &[
        f("name", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
    ] };
    pub(super) static S577: Struct = Struct { id: 577, schema: 259, name: "KRaftVersionFeature", fields: &[
        f("min_supported_version", Int16, from(0), Int(0)),
        f("max_supported_version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S578: Struct = Struct { id: 578, schema: 260, name: "UpdateRaftVoterResponse", fields: &[
        f("throttle_time_ms", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("current_leader", Kind::Struct(&S579), from(0), Empty).tagged(0, from(0)),
    ] };
    pub(super) static S579: Struct = Struct { id: 579, schema: 260, name: "CurrentLeader", fields: &[
        f("leader_id", Int32, from(0), Int(-1)),
        f("leader_epoch", Int32, from(0), Int(-1)),
        f("host", String, from(0), Empty),
        f("port", Int32, from(0), Int(0)),
    ] };
    pub(super) static S580: Struct = Struct { id: 580, schema: 261, name: "UserScramCredentialRecord", fields: &[
        f("name", String, from(0), Empty),
        f("mechanism", Int8, from(0), Int(0)),
        f("salt", Bytes, from(0), Empty),
        f("stored_key", Bytes, from(0), Empty),
        f("server_key", Bytes, from(0), Empty),
        f("iterations", Int32, from(0), Int(0)),
    ] };
    pub(super) static S581: Struct = Struct { id: 581, schema: 262, name: "VoteRequest", fields: &[
        f("cluster_id", String, from(0), Null).nullable(from(0)),
        f("voter_id", Int32, from(1), Int(-1)).ignorable(),
        f("topics", Kind::Struct(&S582), from(0), Empty).array(),
    ] };
    pub(super) static S582: Struct = Struct { id: 582, schema: 262, name: "TopicData", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S583), from(0), Empty).array(),
    ] };
    pub(super) static S583: Struct = Struct { id: 583, schema: 262, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("replica_epoch", Int32, from(0), Int(0)),
        f("replica_id", Int32, from(0), Int(0)),
        f("replica_directory_id", Uuid, from(1), Empty).ignorable(),
        f("voter_directory_id", Uuid, from(1), Empty).ignorable(),
        f("last_offset_epoch", Int32, from(0), Int(0)),
        f("last_offset", Int64, from(0), Int(0)),
        f("pre_vote", Kind::Bool, from(2), Bool(false)),
    ] };
    pub(super) static S584: Struct = Struct { id: 584, schema: 263, name: "VoteResponse", fields: &[
        f("error_code", Int16, from(0), Int(0)),
        f("topics", Kind::Struct(&S585), from(0), Empty).array(),
        f("node_endpoints", Kind::Struct(&S587), from(1), Empty).array().tagged(0, from(1)),
    ] };
    pub(super) static S585: Struct = Struct { id: 585, schema: 263, name: "TopicData", fields: &[
        f("topic_name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S586), from(0), Empty).array(),
    ] };
    pub(super) static S586: Struct = Struct { id: 586, schema: 263, name: "PartitionData", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("leader_id", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("vote_granted", Kind::Bool, from(0), Bool(false)),
    ] };
    pub(super) static S587: Struct = Struct { id: 587, schema: 263, name: "NodeEndpoint", fields: &[
        f("node_id", Int32, from(1), Int(0)),
        f("host", String, from(1), Empty),
        f("port", Uint16, from(1), Int(0)),
    ] };
    pub(super) static S588: Struct = Struct { id: 588, schema: 264, name: "VotersRecord", fields: &[
        f("version", Int16, from(0), Int(0)),
        f("voters", Kind::Struct(&S589), from(0), Empty).array(),
    ] };
    pub(super) static S589: Struct = Struct { id: 589, schema: 264, name: "Voter", fields: &[
        f("voter_id", Int32, from(0), Int(0)),
        f("voter_directory_id", Uuid, from(0), Empty),
        f("endpoints", Kind::Struct(&S590), from(0), Empty).array(),
        f("kraft_version_feature", Kind::Struct(&S591), from(0), Empty),
    ] };
    pub(super) static S590: Struct = Struct { id: 590, schema: 264, name: "Endpoint", fields: &[
        f("name", String, from(0), Empty),
        f("host", String, from(0), Empty),
        f("port", Uint16, from(0), Int(0)),
    ] };
    pub(super) static S591: Struct = Struct { id: 591, schema: 264, name: "KRaftVersionFeature", fields: &[
        f("min_supported_version", Int16, from(0), Int(0)),
        f("max_supported_version", Int16, from(0), Int(0)),
    ] };
    pub(super) static S592: Struct = Struct { id: 592, schema: 265, name: "WriteShareGroupStateRequest", fields: &[
        f("group_id", String, from(0), Empty),
        f("topics", Kind::Struct(&S593), from(0), Empty).array(),
    ] };
    pub(super) static S593: Struct = Struct { id: 593, schema: 265, name: "WriteStateData", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S594), from(0), Empty).array(),
    ] };
    pub(super) static S594: Struct = Struct { id: 594, schema: 265, name: "PartitionData", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("state_epoch", Int32, from(0), Int(0)),
        f("leader_epoch", Int32, from(0), Int(0)),
        f("start_offset", Int64, from(0), Int(0)),
        f("delivery_complete_count", Int32, from(1), Int(-1)).ignorable(),
        f("state_batches", Kind::Struct(&S595), from(0), Empty).array(),
    ] };
    pub(super) static S595: Struct = Struct { id: 595, schema: 265, name: "StateBatch", fields: &[
        f("first_offset", Int64, from(0), Int(0)),
        f("last_offset", Int64, from(0), Int(0)),
        f("delivery_state", Int8, from(0), Int(0)),
        f("delivery_count", Int16, from(0), Int(0)),
    ] };
    pub(super) static S596: Struct = Struct { id: 596, schema: 266, name: "WriteShareGroupStateResponse", fields: &[
        f("results", Kind::Struct(&S597), from(0), Empty).array(),
    ] };
    pub(super) static S597: Struct = Struct { id: 597, schema: 266, name: "WriteStateResult", fields: &[
        f("topic_id", Uuid, from(0), Empty),
        f("partitions", Kind::Struct(&S598), from(0), Empty).array(),
    ] };
    pub(super) static S598: Struct = Struct { id: 598, schema: 266, name: "PartitionResult", fields: &[
        f("partition", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
        f("error_message", String, from(0), Null).nullable(from(0)),
    ] };
    pub(super) static S599: Struct = Struct { id: 599, schema: 267, name: "WriteTxnMarkersRequest", fields: &[
        f("markers", Kind::Struct(&S600), from(0), Empty).array(),
    ] };
    pub(super) static S600: Struct = Struct { id: 600, schema: 267, name: "WritableTxnMarker", fields: &[
        f("producer_id", Int64, from(0), Int(0)),
        f("producer_epoch", Int16, from(0), Int(0)),
        f("transaction_result", Kind::Bool, from(0), Bool(false)),
        f("topics", Kind::Struct(&S601), from(0), Empty).array(),
        f("coordinator_epoch", Int32, from(0), Int(0)),
        f("transaction_version", Int8, from(2), Int(0)).ignorable(),
    ] };
    pub(super) static S601: Struct = Struct { id: 601, schema: 267, name: "WritableTxnMarkerTopic", fields: &[
        f("name", String, from(0), Empty),
        f("partition_indexes", Int32, from(0), Empty).array(),
    ] };
    pub(super) static S602: Struct = Struct { id: 602, schema: 268, name: "WriteTxnMarkersResponse", fields: &[
        f("markers", Kind::Struct(&S603), from(0), Empty).array(),
    ] };
    pub(super) static S603: Struct = Struct { id: 603, schema: 268, name: "WritableTxnMarkerResult", fields: &[
        f("producer_id", Int64, from(0), Int(0)),
        f("topics", Kind::Struct(&S604), from(0), Empty).array(),
    ] };
    pub(super) static S604: Struct = Struct { id: 604, schema: 268, name: "WritableTxnMarkerTopicResult", fields: &[
        f("name", String, from(0), Empty),
        f("partitions", Kind::Struct(&S605), from(0), Empty).array(),
    ] };
    pub(super) static S605: Struct = Struct { id: 605, schema: 268, name: "WritableTxnMarkerPartitionResult", fields: &[
        f("partition_index", Int32, from(0), Int(0)),
        f("error_code", Int16, from(0), Int(0)),
    ] };
    pub(super) static S606: Struct = Struct { id: 606, schema: 269, name: "ZkMigrationStateRecord", fields: &[
        f("zk_migration_state", Int8, from(0), Int(0)),
    ] };
}

/// How many structs there are.
pub const STRUCT_COUNT: usize = 607;

#[rustfmt::skip]
pub(crate) static SCHEMAS: [Schema; 270] = [
    Schema { name: "AbortTransactionRecord", module: "abort_transaction_record", purpose: Purpose::Metadata, api_key: Some(25), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S0 },
    Schema { name: "AccessControlEntryRecord", module: "access_control_entry_record", purpose: Purpose::Metadata, api_key: Some(18), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S1 },
    Schema { name: "AddOffsetsToTxnRequest", module: "add_offsets_to_txn", purpose: Purpose::Request, api_key: Some(25), version_min: 0, version_max: 4, flexible_from: Some(3), root: &structs::S2 },
    Schema { name: "AddOffsetsToTxnResponse", module: "add_offsets_to_txn", purpose: Purpose::Response, api_key: Some(25), version_min: 0, version_max: 4, flexible_from: Some(3), root: &structs::S3 },
    Schema { name: "AddPartitionsToTxnRequest", module: "add_partitions_to_txn", purpose: Purpose::Request, api_key: Some(24), version_min: 0, version_max: 5, flexible_from: Some(3), root: &structs::S4 },
    Schema { name: "AddPartitionsToTxnResponse", module: "add_partitions_to_txn", purpose: Purpose::Response, api_key: Some(24), version_min: 0, version_max: 5, flexible_from: Some(3), root: &structs::S7 },
    Schema { name: "AddRaftVoterRequest", module: "add_raft_voter", purpose: Purpose::Request, api_key: Some(80), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S11 },
    Schema { name: "AddRaftVoterResponse", module: "add_raft_voter", purpose: Purpose::Response, api_key: Some(80), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S13 },
    Schema { name: "AllocateProducerIdsRequest", module: "allocate_producer_ids", purpose: Purpose::Request, api_key: Some(67), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S14 },
    Schema { name: "AllocateProducerIdsResponse", module: "allocate_producer_ids", purpose: Purpose::Response, api_key: Some(67), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S15 },
    Schema { name: "AlterClientQuotasRequest", module: "alter_client_quotas", purpose: Purpose::Request, api_key: Some(49), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S16 },
    Schema { name: "AlterClientQuotasResponse", module: "alter_client_quotas", purpose: Purpose::Response, api_key: Some(49), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S20 },
    Schema { name: "AlterConfigsRequest", module: "alter_configs", purpose: Purpose::Request, api_key: Some(33), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S23 },
    Schema { name: "AlterConfigsResponse", module: "alter_configs", purpose: Purpose::Response, api_key: Some(33), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S26 },
    Schema { name: "AlterPartitionReassignmentsRequest", module: "alter_partition_reassignments", purpose: Purpose::Request, api_key: Some(45), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S28 },
    Schema { name: "AlterPartitionReassignmentsResponse", module: "alter_partition_reassignments", purpose: Purpose::Response, api_key: Some(45), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S31 },
    Schema { name: "AlterPartitionRequest", module: "alter_partition", purpose: Purpose::Request, api_key: Some(56), version_min: 2, version_max: 3, flexible_from: Some(0), root: &structs::S34 },
    Schema { name: "AlterPartitionResponse", module: "alter_partition", purpose: Purpose::Response, api_key: Some(56), version_min: 2, version_max: 3, flexible_from: Some(0), root: &structs::S38 },
    Schema { name: "AlterReplicaLogDirsRequest", module: "alter_replica_log_dirs", purpose: Purpose::Request, api_key: Some(34), version_min: 1, version_max: 2, flexible_from: Some(2), root: &structs::S41 },
    Schema { name: "AlterReplicaLogDirsResponse", module: "alter_replica_log_dirs", purpose: Purpose::Response, api_key: Some(34), version_min: 1, version_max: 2, flexible_from: Some(2), root: &structs::S44 },
    Schema { name: "AlterShareGroupOffsetsRequest", module: "alter_share_group_offsets", purpose: Purpose::Request, api_key: Some(91), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S47 },
    Schema { name: "AlterShareGroupOffsetsResponse", module: "alter_share_group_offsets", purpose: Purpose::Response, api_key: Some(91), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S50 },
    Schema { name: "AlterUserScramCredentialsRequest", module: "alter_user_scram_credentials", purpose: Purpose::Request, api_key: Some(51), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S53 },
    Schema { name: "AlterUserScramCredentialsResponse", module: "alter_user_scram_credentials", purpose: Purpose::Response, api_key: Some(51), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S56 },
    Schema { name: "ApiVersionsRequest", module: "api_versions", purpose: Purpose::Request, api_key: Some(18), version_min: 0, version_max: 4, flexible_from: Some(3), root: &structs::S58 },
    Schema { name: "ApiVersionsResponse", module: "api_versions", purpose: Purpose::Response, api_key: Some(18), version_min: 0, version_max: 4, flexible_from: Some(3), root: &structs::S59 },
    Schema { name: "AssignReplicasToDirsRequest", module: "assign_replicas_to_dirs", purpose: Purpose::Request, api_key: Some(73), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S63 },
    Schema { name: "AssignReplicasToDirsResponse", module: "assign_replicas_to_dirs", purpose: Purpose::Response, api_key: Some(73), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S67 },
    Schema { name: "BeginQuorumEpochRequest", module: "begin_quorum_epoch", purpose: Purpose::Request, api_key: Some(53), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S71 },
    Schema { name: "BeginQuorumEpochResponse", module: "begin_quorum_epoch", purpose: Purpose::Response, api_key: Some(53), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S75 },
    Schema { name: "BeginTransactionRecord", module: "begin_transaction_record", purpose: Purpose::Metadata, api_key: Some(23), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S79 },
    Schema { name: "BrokerHeartbeatRequest", module: "broker_heartbeat", purpose: Purpose::Request, api_key: Some(63), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S80 },
    Schema { name: "BrokerHeartbeatResponse", module: "broker_heartbeat", purpose: Purpose::Response, api_key: Some(63), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S81 },
    Schema { name: "BrokerRegistrationChangeRecord", module: "broker_registration_change_record", purpose: Purpose::Metadata, api_key: Some(17), version_min: 0, version_max: 3, flexible_from: Some(0), root: &structs::S82 },
    Schema { name: "BrokerRegistrationRequest", module: "broker_registration", purpose: Purpose::Request, api_key: Some(62), version_min: 0, version_max: 4, flexible_from: Some(0), root: &structs::S83 },
    Schema { name: "BrokerRegistrationResponse", module: "broker_registration", purpose: Purpose::Response, api_key: Some(62), version_min: 0, version_max: 4, flexible_from: Some(0), root: &structs::S86 },
    Schema { name: "ClearElrRecord", module: "clear_elr_record", purpose: Purpose::Metadata, api_key: Some(28), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S87 },
    Schema { name: "ClientQuotaRecord", module: "client_quota_record", purpose: Purpose::Metadata, api_key: Some(14), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S88 },
    Schema { name: "ConfigRecord", module: "config_record", purpose: Purpose::Metadata, api_key: Some(4), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S90 },
    Schema { name: "ConsumerGroupCurrentMemberAssignmentKey", module: "consumer_group_current_member_assignment_key", purpose: Purpose::CoordinatorKey, api_key: Some(8), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S91 },
    Schema { name: "ConsumerGroupCurrentMemberAssignmentValue", module: "consumer_group_current_member_assignment_value", purpose: Purpose::CoordinatorValue, api_key: Some(8), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S92 },
    Schema { name: "ConsumerGroupDescribeRequest", module: "consumer_group_describe", purpose: Purpose::Request, api_key: Some(69), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S94 },
    Schema { name: "ConsumerGroupDescribeResponse", module: "consumer_group_describe", purpose: Purpose::Response, api_key: Some(69), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S95 },
    Schema { name: "ConsumerGroupHeartbeatRequest", module: "consumer_group_heartbeat", purpose: Purpose::Request, api_key: Some(68), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S100 },
    Schema { name: "ConsumerGroupHeartbeatResponse", module: "consumer_group_heartbeat", purpose: Purpose::Response, api_key: Some(68), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S102 },
    Schema { name: "ConsumerGroupMemberMetadataKey", module: "consumer_group_member_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(5), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S105 },
    Schema { name: "ConsumerGroupMemberMetadataValue", module: "consumer_group_member_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(5), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S106 },
    Schema { name: "ConsumerGroupMetadataKey", module: "consumer_group_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(3), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S109 },
    Schema { name: "ConsumerGroupMetadataValue", module: "consumer_group_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(3), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S110 },
    Schema { name: "ConsumerGroupPartitionMetadataKey", module: "consumer_group_partition_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(4), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S111 },
    Schema { name: "ConsumerGroupPartitionMetadataValue", module: "consumer_group_partition_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(4), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S112 },
    Schema { name: "ConsumerGroupRegularExpressionKey", module: "consumer_group_regular_expression_key", purpose: Purpose::CoordinatorKey, api_key: Some(16), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S115 },
    Schema { name: "ConsumerGroupRegularExpressionValue", module: "consumer_group_regular_expression_value", purpose: Purpose::CoordinatorValue, api_key: Some(16), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S116 },
    Schema { name: "ConsumerGroupTargetAssignmentMemberKey", module: "consumer_group_target_assignment_member_key", purpose: Purpose::CoordinatorKey, api_key: Some(7), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S117 },
    Schema { name: "ConsumerGroupTargetAssignmentMemberValue", module: "consumer_group_target_assignment_member_value", purpose: Purpose::CoordinatorValue, api_key: Some(7), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S118 },
    Schema { name: "ConsumerGroupTargetAssignmentMetadataKey", module: "consumer_group_target_assignment_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(6), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S120 },
    Schema { name: "ConsumerGroupTargetAssignmentMetadataValue", module: "consumer_group_target_assignment_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(6), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S121 },
    Schema { name: "ConsumerProtocolAssignment", module: "consumer_protocol_assignment", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 3, flexible_from: None, root: &structs::S122 },
    Schema { name: "ConsumerProtocolSubscription", module: "consumer_protocol_subscription", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 3, flexible_from: None, root: &structs::S124 },
    Schema { name: "ControlRecordTypeSchema", module: "control_record_type_schema", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 0, flexible_from: None, root: &structs::S126 },
    Schema { name: "ControllerRegistrationRequest", module: "controller_registration", purpose: Purpose::Request, api_key: Some(70), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S127 },
    Schema { name: "ControllerRegistrationResponse", module: "controller_registration", purpose: Purpose::Response, api_key: Some(70), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S130 },
    Schema { name: "CreateAclsRequest", module: "create_acls", purpose: Purpose::Request, api_key: Some(30), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S131 },
    Schema { name: "CreateAclsResponse", module: "create_acls", purpose: Purpose::Response, api_key: Some(30), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S133 },
    Schema { name: "CreateDelegationTokenRequest", module: "create_delegation_token", purpose: Purpose::Request, api_key: Some(38), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S135 },
    Schema { name: "CreateDelegationTokenResponse", module: "create_delegation_token", purpose: Purpose::Response, api_key: Some(38), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S137 },
    Schema { name: "CreatePartitionsRequest", module: "create_partitions", purpose: Purpose::Request, api_key: Some(37), version_min: 0, version_max: 3, flexible_from: Some(2), root: &structs::S138 },
    Schema { name: "CreatePartitionsResponse", module: "create_partitions", purpose: Purpose::Response, api_key: Some(37), version_min: 0, version_max: 3, flexible_from: Some(2), root: &structs::S141 },
    Schema { name: "CreateTopicsRequest", module: "create_topics", purpose: Purpose::Request, api_key: Some(19), version_min: 2, version_max: 7, flexible_from: Some(5), root: &structs::S143 },
    Schema { name: "CreateTopicsResponse", module: "create_topics", purpose: Purpose::Response, api_key: Some(19), version_min: 2, version_max: 7, flexible_from: Some(5), root: &structs::S147 },
    Schema { name: "DefaultPrincipalData", module: "default_principal_data", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S150 },
    Schema { name: "DelegationTokenRecord", module: "delegation_token_record", purpose: Purpose::Metadata, api_key: Some(10), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S151 },
    Schema { name: "DeleteAclsRequest", module: "delete_acls", purpose: Purpose::Request, api_key: Some(31), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S152 },
    Schema { name: "DeleteAclsResponse", module: "delete_acls", purpose: Purpose::Response, api_key: Some(31), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S154 },
    Schema { name: "DeleteGroupsRequest", module: "delete_groups", purpose: Purpose::Request, api_key: Some(42), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S157 },
    Schema { name: "DeleteGroupsResponse", module: "delete_groups", purpose: Purpose::Response, api_key: Some(42), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S158 },
    Schema { name: "DeleteRecordsRequest", module: "delete_records", purpose: Purpose::Request, api_key: Some(21), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S160 },
    Schema { name: "DeleteRecordsResponse", module: "delete_records", purpose: Purpose::Response, api_key: Some(21), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S163 },
    Schema { name: "DeleteShareGroupOffsetsRequest", module: "delete_share_group_offsets", purpose: Purpose::Request, api_key: Some(92), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S166 },
    Schema { name: "DeleteShareGroupOffsetsResponse", module: "delete_share_group_offsets", purpose: Purpose::Response, api_key: Some(92), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S168 },
    Schema { name: "DeleteShareGroupStateRequest", module: "delete_share_group_state", purpose: Purpose::Request, api_key: Some(86), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S170 },
    Schema { name: "DeleteShareGroupStateResponse", module: "delete_share_group_state", purpose: Purpose::Response, api_key: Some(86), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S173 },
    Schema { name: "DeleteTopicsRequest", module: "delete_topics", purpose: Purpose::Request, api_key: Some(20), version_min: 1, version_max: 6, flexible_from: Some(4), root: &structs::S176 },
    Schema { name: "DeleteTopicsResponse", module: "delete_topics", purpose: Purpose::Response, api_key: Some(20), version_min: 1, version_max: 6, flexible_from: Some(4), root: &structs::S178 },
    Schema { name: "DescribeAclsRequest", module: "describe_acls", purpose: Purpose::Request, api_key: Some(29), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S180 },
    Schema { name: "DescribeAclsResponse", module: "describe_acls", purpose: Purpose::Response, api_key: Some(29), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S181 },
    Schema { name: "DescribeClientQuotasRequest", module: "describe_client_quotas", purpose: Purpose::Request, api_key: Some(48), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S184 },
    Schema { name: "DescribeClientQuotasResponse", module: "describe_client_quotas", purpose: Purpose::Response, api_key: Some(48), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S186 },
    Schema { name: "DescribeClusterRequest", module: "describe_cluster", purpose: Purpose::Request, api_key: Some(60), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S190 },
    Schema { name: "DescribeClusterResponse", module: "describe_cluster", purpose: Purpose::Response, api_key: Some(60), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S191 },
    Schema { name: "DescribeConfigsRequest", module: "describe_configs", purpose: Purpose::Request, api_key: Some(32), version_min: 1, version_max: 4, flexible_from: Some(4), root: &structs::S193 },
    Schema { name: "DescribeConfigsResponse", module: "describe_configs", purpose: Purpose::Response, api_key: Some(32), version_min: 1, version_max: 4, flexible_from: Some(4), root: &structs::S195 },
    Schema { name: "DescribeDelegationTokenRequest", module: "describe_delegation_token", purpose: Purpose::Request, api_key: Some(41), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S199 },
    Schema { name: "DescribeDelegationTokenResponse", module: "describe_delegation_token", purpose: Purpose::Response, api_key: Some(41), version_min: 1, version_max: 3, flexible_from: Some(2), root: &structs::S201 },
    Schema { name: "DescribeGroupsRequest", module: "describe_groups", purpose: Purpose::Request, api_key: Some(15), version_min: 0, version_max: 6, flexible_from: Some(5), root: &structs::S204 },
    Schema { name: "DescribeGroupsResponse", module: "describe_groups", purpose: Purpose::Response, api_key: Some(15), version_min: 0, version_max: 6, flexible_from: Some(5), root: &structs::S205 },
    Schema { name: "DescribeLogDirsRequest", module: "describe_log_dirs", purpose: Purpose::Request, api_key: Some(35), version_min: 1, version_max: 5, flexible_from: Some(2), root: &structs::S208 },
    Schema { name: "DescribeLogDirsResponse", module: "describe_log_dirs", purpose: Purpose::Response, api_key: Some(35), version_min: 1, version_max: 5, flexible_from: Some(2), root: &structs::S210 },
    Schema { name: "DescribeProducersRequest", module: "describe_producers", purpose: Purpose::Request, api_key: Some(61), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S214 },
    Schema { name: "DescribeProducersResponse", module: "describe_producers", purpose: Purpose::Response, api_key: Some(61), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S216 },
    Schema { name: "DescribeQuorumRequest", module: "describe_quorum", purpose: Purpose::Request, api_key: Some(55), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S220 },
    Schema { name: "DescribeQuorumResponse", module: "describe_quorum", purpose: Purpose::Response, api_key: Some(55), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S223 },
    Schema { name: "DescribeShareGroupOffsetsRequest", module: "describe_share_group_offsets", purpose: Purpose::Request, api_key: Some(90), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S229 },
    Schema { name: "DescribeShareGroupOffsetsResponse", module: "describe_share_group_offsets", purpose: Purpose::Response, api_key: Some(90), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S232 },
    Schema { name: "DescribeTopicPartitionsRequest", module: "describe_topic_partitions", purpose: Purpose::Request, api_key: Some(75), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S236 },
    Schema { name: "DescribeTopicPartitionsResponse", module: "describe_topic_partitions", purpose: Purpose::Response, api_key: Some(75), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S239 },
    Schema { name: "DescribeTransactionsRequest", module: "describe_transactions", purpose: Purpose::Request, api_key: Some(65), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S243 },
    Schema { name: "DescribeTransactionsResponse", module: "describe_transactions", purpose: Purpose::Response, api_key: Some(65), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S244 },
    Schema { name: "DescribeUserScramCredentialsRequest", module: "describe_user_scram_credentials", purpose: Purpose::Request, api_key: Some(50), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S247 },
    Schema { name: "DescribeUserScramCredentialsResponse", module: "describe_user_scram_credentials", purpose: Purpose::Response, api_key: Some(50), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S249 },
    Schema { name: "ElectLeadersRequest", module: "elect_leaders", purpose: Purpose::Request, api_key: Some(43), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S252 },
    Schema { name: "ElectLeadersResponse", module: "elect_leaders", purpose: Purpose::Response, api_key: Some(43), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S254 },
    Schema { name: "EndQuorumEpochRequest", module: "end_quorum_epoch", purpose: Purpose::Request, api_key: Some(54), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S257 },
    Schema { name: "EndQuorumEpochResponse", module: "end_quorum_epoch", purpose: Purpose::Response, api_key: Some(54), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S262 },
    Schema { name: "EndTransactionRecord", module: "end_transaction_record", purpose: Purpose::Metadata, api_key: Some(24), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S266 },
    Schema { name: "EndTxnMarker", module: "end_txn_marker", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 0, flexible_from: None, root: &structs::S267 },
    Schema { name: "EndTxnRequest", module: "end_txn", purpose: Purpose::Request, api_key: Some(26), version_min: 0, version_max: 5, flexible_from: Some(3), root: &structs::S268 },
    Schema { name: "EndTxnResponse", module: "end_txn", purpose: Purpose::Response, api_key: Some(26), version_min: 0, version_max: 5, flexible_from: Some(3), root: &structs::S269 },
    Schema { name: "EnvelopeRequest", module: "envelope", purpose: Purpose::Request, api_key: Some(58), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S270 },
    Schema { name: "EnvelopeResponse", module: "envelope", purpose: Purpose::Response, api_key: Some(58), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S271 },
    Schema { name: "ExpireDelegationTokenRequest", module: "expire_delegation_token", purpose: Purpose::Request, api_key: Some(40), version_min: 1, version_max: 2, flexible_from: Some(2), root: &structs::S272 },
    Schema { name: "ExpireDelegationTokenResponse", module: "expire_delegation_token", purpose: Purpose::Response, api_key: Some(40), version_min: 1, version_max: 2, flexible_from: Some(2), root: &structs::S273 },
    Schema { name: "FeatureLevelRecord", module: "feature_level_record", purpose: Purpose::Metadata, api_key: Some(12), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S274 },
    Schema { name: "FenceBrokerRecord", module: "fence_broker_record", purpose: Purpose::Metadata, api_key: Some(7), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S275 },
    Schema { name: "FetchRequest", module: "fetch", purpose: Purpose::Request, api_key: Some(1), version_min: 4, version_max: 18, flexible_from: Some(12), root: &structs::S276 },
    Schema { name: "FetchResponse", module: "fetch", purpose: Purpose::Response, api_key: Some(1), version_min: 4, version_max: 18, flexible_from: Some(12), root: &structs::S281 },
    Schema { name: "FetchSnapshotRequest", module: "fetch_snapshot", purpose: Purpose::Request, api_key: Some(59), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S289 },
    Schema { name: "FetchSnapshotResponse", module: "fetch_snapshot", purpose: Purpose::Response, api_key: Some(59), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S293 },
    Schema { name: "FindCoordinatorRequest", module: "find_coordinator", purpose: Purpose::Request, api_key: Some(10), version_min: 0, version_max: 6, flexible_from: Some(3), root: &structs::S299 },
    Schema { name: "FindCoordinatorResponse", module: "find_coordinator", purpose: Purpose::Response, api_key: Some(10), version_min: 0, version_max: 6, flexible_from: Some(3), root: &structs::S300 },
    Schema { name: "GetTelemetrySubscriptionsRequest", module: "get_telemetry_subscriptions", purpose: Purpose::Request, api_key: Some(71), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S302 },
    Schema { name: "GetTelemetrySubscriptionsResponse", module: "get_telemetry_subscriptions", purpose: Purpose::Response, api_key: Some(71), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S303 },
    Schema { name: "GroupMetadataKey", module: "group_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(2), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S304 },
    Schema { name: "GroupMetadataValue", module: "group_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(2), version_min: 0, version_max: 4, flexible_from: Some(4), root: &structs::S305 },
    Schema { name: "HeartbeatRequest", module: "heartbeat", purpose: Purpose::Request, api_key: Some(12), version_min: 0, version_max: 4, flexible_from: Some(4), root: &structs::S307 },
    Schema { name: "HeartbeatResponse", module: "heartbeat", purpose: Purpose::Response, api_key: Some(12), version_min: 0, version_max: 4, flexible_from: Some(4), root: &structs::S308 },
    Schema { name: "IncrementalAlterConfigsRequest", module: "incremental_alter_configs", purpose: Purpose::Request, api_key: Some(44), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S309 },
    Schema { name: "IncrementalAlterConfigsResponse", module: "incremental_alter_configs", purpose: Purpose::Response, api_key: Some(44), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S312 },
    Schema { name: "InitProducerIdRequest", module: "init_producer_id", purpose: Purpose::Request, api_key: Some(22), version_min: 0, version_max: 5, flexible_from: Some(2), root: &structs::S314 },
    Schema { name: "InitProducerIdResponse", module: "init_producer_id", purpose: Purpose::Response, api_key: Some(22), version_min: 0, version_max: 5, flexible_from: Some(2), root: &structs::S315 },
    Schema { name: "InitializeShareGroupStateRequest", module: "initialize_share_group_state", purpose: Purpose::Request, api_key: Some(83), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S316 },
    Schema { name: "InitializeShareGroupStateResponse", module: "initialize_share_group_state", purpose: Purpose::Response, api_key: Some(83), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S319 },
    Schema { name: "JoinGroupRequest", module: "join_group", purpose: Purpose::Request, api_key: Some(11), version_min: 0, version_max: 9, flexible_from: Some(6), root: &structs::S322 },
    Schema { name: "JoinGroupResponse", module: "join_group", purpose: Purpose::Response, api_key: Some(11), version_min: 0, version_max: 9, flexible_from: Some(6), root: &structs::S324 },
    Schema { name: "KRaftVersionRecord", module: "kraft_version_record", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S326 },
    Schema { name: "LeaderChangeMessage", module: "leader_change_message", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S327 },
    Schema { name: "LeaveGroupRequest", module: "leave_group", purpose: Purpose::Request, api_key: Some(13), version_min: 0, version_max: 5, flexible_from: Some(4), root: &structs::S329 },
    Schema { name: "LeaveGroupResponse", module: "leave_group", purpose: Purpose::Response, api_key: Some(13), version_min: 0, version_max: 5, flexible_from: Some(4), root: &structs::S331 },
    Schema { name: "LegacyOffsetCommitKey", module: "legacy_offset_commit_key", purpose: Purpose::CoordinatorKey, api_key: Some(0), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S333 },
    Schema { name: "LegacyOffsetCommitValue", module: "legacy_offset_commit_value", purpose: Purpose::CoordinatorValue, api_key: Some(0), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S334 },
    Schema { name: "ListConfigResourcesRequest", module: "list_config_resources", purpose: Purpose::Request, api_key: Some(74), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S335 },
    Schema { name: "ListConfigResourcesResponse", module: "list_config_resources", purpose: Purpose::Response, api_key: Some(74), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S336 },
    Schema { name: "ListGroupsRequest", module: "list_groups", purpose: Purpose::Request, api_key: Some(16), version_min: 0, version_max: 5, flexible_from: Some(3), root: &structs::S338 },
    Schema { name: "ListGroupsResponse", module: "list_groups", purpose: Purpose::Response, api_key: Some(16), version_min: 0, version_max: 5, flexible_from: Some(3), root: &structs::S339 },
    Schema { name: "ListOffsetsRequest", module: "list_offsets", purpose: Purpose::Request, api_key: Some(2), version_min: 1, version_max: 11, flexible_from: Some(6), root: &structs::S341 },
    Schema { name: "ListOffsetsResponse", module: "list_offsets", purpose: Purpose::Response, api_key: Some(2), version_min: 1, version_max: 11, flexible_from: Some(6), root: &structs::S344 },
    Schema { name: "ListPartitionReassignmentsRequest", module: "list_partition_reassignments", purpose: Purpose::Request, api_key: Some(46), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S347 },
    Schema { name: "ListPartitionReassignmentsResponse", module: "list_partition_reassignments", purpose: Purpose::Response, api_key: Some(46), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S349 },
    Schema { name: "ListTransactionsRequest", module: "list_transactions", purpose: Purpose::Request, api_key: Some(66), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S352 },
    Schema { name: "ListTransactionsResponse", module: "list_transactions", purpose: Purpose::Response, api_key: Some(66), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S353 },
    Schema { name: "MetadataRequest", module: "metadata", purpose: Purpose::Request, api_key: Some(3), version_min: 0, version_max: 13, flexible_from: Some(9), root: &structs::S355 },
    Schema { name: "MetadataResponse", module: "metadata", purpose: Purpose::Response, api_key: Some(3), version_min: 0, version_max: 13, flexible_from: Some(9), root: &structs::S357 },
    Schema { name: "NoOpRecord", module: "no_op_record", purpose: Purpose::Metadata, api_key: Some(20), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S361 },
    Schema { name: "OffsetCommitKey", module: "offset_commit_key", purpose: Purpose::CoordinatorKey, api_key: Some(1), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S362 },
    Schema { name: "OffsetCommitRequest", module: "offset_commit", purpose: Purpose::Request, api_key: Some(8), version_min: 2, version_max: 10, flexible_from: Some(8), root: &structs::S363 },
    Schema { name: "OffsetCommitResponse", module: "offset_commit", purpose: Purpose::Response, api_key: Some(8), version_min: 2, version_max: 10, flexible_from: Some(8), root: &structs::S366 },
    Schema { name: "OffsetCommitValue", module: "offset_commit_value", purpose: Purpose::CoordinatorValue, api_key: Some(1), version_min: 0, version_max: 4, flexible_from: Some(4), root: &structs::S369 },
    Schema { name: "OffsetDeleteRequest", module: "offset_delete", purpose: Purpose::Request, api_key: Some(47), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S370 },
    Schema { name: "OffsetDeleteResponse", module: "offset_delete", purpose: Purpose::Response, api_key: Some(47), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S373 },
    Schema { name: "OffsetFetchRequest", module: "offset_fetch", purpose: Purpose::Request, api_key: Some(9), version_min: 1, version_max: 10, flexible_from: Some(6), root: &structs::S376 },
    Schema { name: "OffsetFetchResponse", module: "offset_fetch", purpose: Purpose::Response, api_key: Some(9), version_min: 1, version_max: 10, flexible_from: Some(6), root: &structs::S380 },
    Schema { name: "OffsetForLeaderEpochRequest", module: "offset_for_leader_epoch", purpose: Purpose::Request, api_key: Some(23), version_min: 2, version_max: 4, flexible_from: Some(4), root: &structs::S386 },
    Schema { name: "OffsetForLeaderEpochResponse", module: "offset_for_leader_epoch", purpose: Purpose::Response, api_key: Some(23), version_min: 2, version_max: 4, flexible_from: Some(4), root: &structs::S389 },
    Schema { name: "PartitionChangeRecord", module: "partition_change_record", purpose: Purpose::Metadata, api_key: Some(5), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S392 },
    Schema { name: "PartitionRecord", module: "partition_record", purpose: Purpose::Metadata, api_key: Some(3), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S393 },
    Schema { name: "ProduceRequest", module: "produce", purpose: Purpose::Request, api_key: Some(0), version_min: 3, version_max: 13, flexible_from: Some(9), root: &structs::S394 },
    Schema { name: "ProduceResponse", module: "produce", purpose: Purpose::Response, api_key: Some(0), version_min: 3, version_max: 13, flexible_from: Some(9), root: &structs::S397 },
    Schema { name: "ProducerIdsRecord", module: "producer_ids_record", purpose: Purpose::Metadata, api_key: Some(15), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S403 },
    Schema { name: "ProducerSnapshot", module: "producer_snapshot", purpose: Purpose::Data, api_key: None, version_min: 1, version_max: 1, flexible_from: None, root: &structs::S404 },
    Schema { name: "PushTelemetryRequest", module: "push_telemetry", purpose: Purpose::Request, api_key: Some(72), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S406 },
    Schema { name: "PushTelemetryResponse", module: "push_telemetry", purpose: Purpose::Response, api_key: Some(72), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S407 },
    Schema { name: "QuorumStateData", module: "quorum_state_data", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S408 },
    Schema { name: "ReadShareGroupStateRequest", module: "read_share_group_state", purpose: Purpose::Request, api_key: Some(84), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S410 },
    Schema { name: "ReadShareGroupStateResponse", module: "read_share_group_state", purpose: Purpose::Response, api_key: Some(84), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S413 },
    Schema { name: "ReadShareGroupStateSummaryRequest", module: "read_share_group_state_summary", purpose: Purpose::Request, api_key: Some(87), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S417 },
    Schema { name: "ReadShareGroupStateSummaryResponse", module: "read_share_group_state_summary", purpose: Purpose::Response, api_key: Some(87), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S420 },
    Schema { name: "RegisterBrokerRecord", module: "register_broker_record", purpose: Purpose::Metadata, api_key: Some(0), version_min: 0, version_max: 4, flexible_from: Some(0), root: &structs::S423 },
    Schema { name: "RegisterControllerRecord", module: "register_controller_record", purpose: Purpose::Metadata, api_key: Some(27), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S426 },
    Schema { name: "RemoteLogSegmentMetadataRecord", module: "remote_log_segment_metadata_record", purpose: Purpose::Data, api_key: Some(0), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S429 },
    Schema { name: "RemoteLogSegmentMetadataSnapshotRecord", module: "remote_log_segment_metadata_snapshot_record", purpose: Purpose::Data, api_key: Some(3), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S433 },
    Schema { name: "RemoteLogSegmentMetadataUpdateRecord", module: "remote_log_segment_metadata_update_record", purpose: Purpose::Data, api_key: Some(1), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S435 },
    Schema { name: "RemotePartitionDeleteMetadataRecord", module: "remote_partition_delete_metadata_record", purpose: Purpose::Data, api_key: Some(2), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S438 },
    Schema { name: "RemoveAccessControlEntryRecord", module: "remove_access_control_entry_record", purpose: Purpose::Metadata, api_key: Some(19), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S440 },
    Schema { name: "RemoveDelegationTokenRecord", module: "remove_delegation_token_record", purpose: Purpose::Metadata, api_key: Some(26), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S441 },
    Schema { name: "RemoveRaftVoterRequest", module: "remove_raft_voter", purpose: Purpose::Request, api_key: Some(81), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S442 },
    Schema { name: "RemoveRaftVoterResponse", module: "remove_raft_voter", purpose: Purpose::Response, api_key: Some(81), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S443 },
    Schema { name: "RemoveTopicRecord", module: "remove_topic_record", purpose: Purpose::Metadata, api_key: Some(9), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S444 },
    Schema { name: "RemoveUserScramCredentialRecord", module: "remove_user_scram_credential_record", purpose: Purpose::Metadata, api_key: Some(22), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S445 },
    Schema { name: "RenewDelegationTokenRequest", module: "renew_delegation_token", purpose: Purpose::Request, api_key: Some(39), version_min: 1, version_max: 2, flexible_from: Some(2), root: &structs::S446 },
    Schema { name: "RenewDelegationTokenResponse", module: "renew_delegation_token", purpose: Purpose::Response, api_key: Some(39), version_min: 1, version_max: 2, flexible_from: Some(2), root: &structs::S447 },
    Schema { name: "SaslAuthenticateRequest", module: "sasl_authenticate", purpose: Purpose::Request, api_key: Some(36), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S448 },
    Schema { name: "SaslAuthenticateResponse", module: "sasl_authenticate", purpose: Purpose::Response, api_key: Some(36), version_min: 0, version_max: 2, flexible_from: Some(2), root: &structs::S449 },
    Schema { name: "SaslHandshakeRequest", module: "sasl_handshake", purpose: Purpose::Request, api_key: Some(17), version_min: 0, version_max: 1, flexible_from: None, root: &structs::S450 },
    Schema { name: "SaslHandshakeResponse", module: "sasl_handshake", purpose: Purpose::Response, api_key: Some(17), version_min: 0, version_max: 1, flexible_from: None, root: &structs::S451 },
    Schema { name: "ShareAcknowledgeRequest", module: "share_acknowledge", purpose: Purpose::Request, api_key: Some(79), version_min: 1, version_max: 2, flexible_from: Some(0), root: &structs::S452 },
    Schema { name: "ShareAcknowledgeResponse", module: "share_acknowledge", purpose: Purpose::Response, api_key: Some(79), version_min: 1, version_max: 2, flexible_from: Some(0), root: &structs::S456 },
    Schema { name: "ShareFetchRequest", module: "share_fetch", purpose: Purpose::Request, api_key: Some(78), version_min: 1, version_max: 2, flexible_from: Some(0), root: &structs::S461 },
    Schema { name: "ShareFetchResponse", module: "share_fetch", purpose: Purpose::Response, api_key: Some(78), version_min: 1, version_max: 2, flexible_from: Some(0), root: &structs::S466 },
    Schema { name: "ShareGroupCurrentMemberAssignmentKey", module: "share_group_current_member_assignment_key", purpose: Purpose::CoordinatorKey, api_key: Some(14), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S472 },
    Schema { name: "ShareGroupCurrentMemberAssignmentValue", module: "share_group_current_member_assignment_value", purpose: Purpose::CoordinatorValue, api_key: Some(14), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S473 },
    Schema { name: "ShareGroupDescribeRequest", module: "share_group_describe", purpose: Purpose::Request, api_key: Some(77), version_min: 1, version_max: 1, flexible_from: Some(0), root: &structs::S475 },
    Schema { name: "ShareGroupDescribeResponse", module: "share_group_describe", purpose: Purpose::Response, api_key: Some(77), version_min: 1, version_max: 1, flexible_from: Some(0), root: &structs::S476 },
    Schema { name: "ShareGroupHeartbeatRequest", module: "share_group_heartbeat", purpose: Purpose::Request, api_key: Some(76), version_min: 1, version_max: 1, flexible_from: Some(0), root: &structs::S481 },
    Schema { name: "ShareGroupHeartbeatResponse", module: "share_group_heartbeat", purpose: Purpose::Response, api_key: Some(76), version_min: 1, version_max: 1, flexible_from: Some(0), root: &structs::S482 },
    Schema { name: "ShareGroupMemberMetadataKey", module: "share_group_member_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(10), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S485 },
    Schema { name: "ShareGroupMemberMetadataValue", module: "share_group_member_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(10), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S486 },
    Schema { name: "ShareGroupMetadataKey", module: "share_group_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(11), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S487 },
    Schema { name: "ShareGroupMetadataValue", module: "share_group_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(11), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S488 },
    Schema { name: "ShareGroupStatePartitionMetadataKey", module: "share_group_state_partition_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(15), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S489 },
    Schema { name: "ShareGroupStatePartitionMetadataValue", module: "share_group_state_partition_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(15), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S490 },
    Schema { name: "ShareGroupTargetAssignmentMemberKey", module: "share_group_target_assignment_member_key", purpose: Purpose::CoordinatorKey, api_key: Some(13), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S493 },
    Schema { name: "ShareGroupTargetAssignmentMemberValue", module: "share_group_target_assignment_member_value", purpose: Purpose::CoordinatorValue, api_key: Some(13), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S494 },
    Schema { name: "ShareGroupTargetAssignmentMetadataKey", module: "share_group_target_assignment_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(12), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S496 },
    Schema { name: "ShareGroupTargetAssignmentMetadataValue", module: "share_group_target_assignment_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(12), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S497 },
    Schema { name: "ShareSnapshotKey", module: "share_snapshot_key", purpose: Purpose::CoordinatorKey, api_key: Some(0), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S498 },
    Schema { name: "ShareSnapshotValue", module: "share_snapshot_value", purpose: Purpose::CoordinatorValue, api_key: Some(0), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S499 },
    Schema { name: "ShareUpdateKey", module: "share_update_key", purpose: Purpose::CoordinatorKey, api_key: Some(1), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S501 },
    Schema { name: "ShareUpdateValue", module: "share_update_value", purpose: Purpose::CoordinatorValue, api_key: Some(1), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S502 },
    Schema { name: "SnapshotFooterRecord", module: "snapshot_footer_record", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S504 },
    Schema { name: "SnapshotHeaderRecord", module: "snapshot_header_record", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S505 },
    Schema { name: "StreamsGroupCurrentMemberAssignmentKey", module: "streams_group_current_member_assignment_key", purpose: Purpose::CoordinatorKey, api_key: Some(22), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S506 },
    Schema { name: "StreamsGroupCurrentMemberAssignmentValue", module: "streams_group_current_member_assignment_value", purpose: Purpose::CoordinatorValue, api_key: Some(22), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S507 },
    Schema { name: "StreamsGroupDescribeRequest", module: "streams_group_describe", purpose: Purpose::Request, api_key: Some(89), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S509 },
    Schema { name: "StreamsGroupDescribeResponse", module: "streams_group_describe", purpose: Purpose::Response, api_key: Some(89), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S510 },
    Schema { name: "StreamsGroupHeartbeatRequest", module: "streams_group_heartbeat", purpose: Purpose::Request, api_key: Some(88), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S521 },
    Schema { name: "StreamsGroupHeartbeatResponse", module: "streams_group_heartbeat", purpose: Purpose::Response, api_key: Some(88), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S530 },
    Schema { name: "StreamsGroupMemberMetadataKey", module: "streams_group_member_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(19), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S536 },
    Schema { name: "StreamsGroupMemberMetadataValue", module: "streams_group_member_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(19), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S537 },
    Schema { name: "StreamsGroupMetadataKey", module: "streams_group_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(17), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S540 },
    Schema { name: "StreamsGroupMetadataValue", module: "streams_group_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(17), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S541 },
    Schema { name: "StreamsGroupTargetAssignmentMemberKey", module: "streams_group_target_assignment_member_key", purpose: Purpose::CoordinatorKey, api_key: Some(21), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S543 },
    Schema { name: "StreamsGroupTargetAssignmentMemberValue", module: "streams_group_target_assignment_member_value", purpose: Purpose::CoordinatorValue, api_key: Some(21), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S544 },
    Schema { name: "StreamsGroupTargetAssignmentMetadataKey", module: "streams_group_target_assignment_metadata_key", purpose: Purpose::CoordinatorKey, api_key: Some(20), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S546 },
    Schema { name: "StreamsGroupTargetAssignmentMetadataValue", module: "streams_group_target_assignment_metadata_value", purpose: Purpose::CoordinatorValue, api_key: Some(20), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S547 },
    Schema { name: "StreamsGroupTopologyKey", module: "streams_group_topology_key", purpose: Purpose::CoordinatorKey, api_key: Some(23), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S548 },
    Schema { name: "StreamsGroupTopologyValue", module: "streams_group_topology_value", purpose: Purpose::CoordinatorValue, api_key: Some(23), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S549 },
    Schema { name: "SyncGroupRequest", module: "sync_group", purpose: Purpose::Request, api_key: Some(14), version_min: 0, version_max: 5, flexible_from: Some(4), root: &structs::S554 },
    Schema { name: "SyncGroupResponse", module: "sync_group", purpose: Purpose::Response, api_key: Some(14), version_min: 0, version_max: 5, flexible_from: Some(4), root: &structs::S556 },
    Schema { name: "TopicRecord", module: "topic_record", purpose: Purpose::Metadata, api_key: Some(2), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S557 },
    Schema { name: "TransactionLogKey", module: "transaction_log_key", purpose: Purpose::CoordinatorKey, api_key: Some(0), version_min: 0, version_max: 0, flexible_from: None, root: &structs::S558 },
    Schema { name: "TransactionLogValue", module: "transaction_log_value", purpose: Purpose::CoordinatorValue, api_key: Some(0), version_min: 0, version_max: 1, flexible_from: Some(1), root: &structs::S559 },
    Schema { name: "TxnOffsetCommitRequest", module: "txn_offset_commit", purpose: Purpose::Request, api_key: Some(28), version_min: 0, version_max: 5, flexible_from: Some(3), root: &structs::S561 },
    Schema { name: "TxnOffsetCommitResponse", module: "txn_offset_commit", purpose: Purpose::Response, api_key: Some(28), version_min: 0, version_max: 5, flexible_from: Some(3), root: &structs::S564 },
    Schema { name: "UnfenceBrokerRecord", module: "unfence_broker_record", purpose: Purpose::Metadata, api_key: Some(8), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S567 },
    Schema { name: "UnregisterBrokerRecord", module: "unregister_broker_record", purpose: Purpose::Metadata, api_key: Some(1), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S568 },
    Schema { name: "UnregisterBrokerRequest", module: "unregister_broker", purpose: Purpose::Request, api_key: Some(64), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S569 },
    Schema { name: "UnregisterBrokerResponse", module: "unregister_broker", purpose: Purpose::Response, api_key: Some(64), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S570 },
    Schema { name: "UpdateFeaturesRequest", module: "update_features", purpose: Purpose::Request, api_key: Some(57), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S571 },
    Schema { name: "UpdateFeaturesResponse", module: "update_features", purpose: Purpose::Response, api_key: Some(57), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S573 },
    Schema { name: "UpdateRaftVoterRequest", module: "update_raft_voter", purpose: Purpose::Request, api_key: Some(82), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S575 },
    Schema { name: "UpdateRaftVoterResponse", module: "update_raft_voter", purpose: Purpose::Response, api_key: Some(82), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S578 },
    Schema { name: "UserScramCredentialRecord", module: "user_scram_credential_record", purpose: Purpose::Metadata, api_key: Some(11), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S580 },
    Schema { name: "VoteRequest", module: "vote", purpose: Purpose::Request, api_key: Some(52), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S581 },
    Schema { name: "VoteResponse", module: "vote", purpose: Purpose::Response, api_key: Some(52), version_min: 0, version_max: 2, flexible_from: Some(0), root: &structs::S584 },
    Schema { name: "VotersRecord", module: "voters_record", purpose: Purpose::Data, api_key: None, version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S588 },
    Schema { name: "WriteShareGroupStateRequest", module: "write_share_group_state", purpose: Purpose::Request, api_key: Some(85), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S592 },
    Schema { name: "WriteShareGroupStateResponse", module: "write_share_group_state", purpose: Purpose::Response, api_key: Some(85), version_min: 0, version_max: 1, flexible_from: Some(0), root: &structs::S596 },
    Schema { name: "WriteTxnMarkersRequest", module: "write_txn_markers", purpose: Purpose::Request, api_key: Some(27), version_min: 1, version_max: 2, flexible_from: Some(1), root: &structs::S599 },
    Schema { name: "WriteTxnMarkersResponse", module: "write_txn_markers", purpose: Purpose::Response, api_key: Some(27), version_min: 1, version_max: 2, flexible_from: Some(1), root: &structs::S602 },
    Schema { name: "ZkMigrationStateRecord", module: "zk_migration_state_record", purpose: Purpose::Metadata, api_key: Some(21), version_min: 0, version_max: 0, flexible_from: Some(0), root: &structs::S606 },
];
