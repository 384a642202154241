# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""A class per protocol error."""

from __future__ import annotations

from typing import Final

from barnabas.error_base import KafkaError


class UnknownServerError(KafkaError):
    """The broker failed in a way it did not foresee."""

    code = -1
    name = "UNKNOWN_SERVER_ERROR"
    text = "the broker failed in a way it did not foresee"


class OffsetOutOfRangeError(KafkaError):
    """The offset is outside the partition's log."""

    code = 1
    name = "OFFSET_OUT_OF_RANGE"
    text = "the offset is outside the partition's log"


class CorruptMessageError(KafkaError):
    """A record batch is damaged: its checksum, size or layout is wrong."""

    code = 2
    name = "CORRUPT_MESSAGE"
    text = "a record batch is damaged: its checksum, size or layout is wrong"
    retriable = True


class UnknownTopicOrPartitionError(KafkaError):
    """The broker does not host this topic or partition."""

    code = 3
    name = "UNKNOWN_TOPIC_OR_PARTITION"
    text = "the broker does not host this topic or partition"
    retriable = True
    refreshes_metadata = True


class InvalidFetchSizeError(KafkaError):
    """The fetch size is not valid."""

    code = 4
    name = "INVALID_FETCH_SIZE"
    text = "the fetch size is not valid"


class LeaderNotAvailableError(KafkaError):
    """The partition has no leader at the moment."""

    code = 5
    name = "LEADER_NOT_AVAILABLE"
    text = "the partition has no leader at the moment"
    retriable = True
    refreshes_metadata = True


class NotLeaderOrFollowerError(KafkaError):
    """The broker is no longer a leader or follower of this partition."""

    code = 6
    name = "NOT_LEADER_OR_FOLLOWER"
    text = "the broker is no longer a leader or follower of this partition"
    retriable = True
    refreshes_metadata = True


class RequestTimedOutError(KafkaError):
    """The request was not completed in time."""

    code = 7
    name = "REQUEST_TIMED_OUT"
    text = "the request was not completed in time"
    retriable = True


class BrokerNotAvailableError(KafkaError):
    """The broker is not available."""

    code = 8
    name = "BROKER_NOT_AVAILABLE"
    text = "the broker is not available"


class ReplicaNotAvailableError(KafkaError):
    """The replica is not available on this broker."""

    code = 9
    name = "REPLICA_NOT_AVAILABLE"
    text = "the replica is not available on this broker"
    retriable = True
    refreshes_metadata = True


class MessageTooLargeError(KafkaError):
    """A record batch is larger than max.message.bytes of its topic."""

    code = 10
    name = "MESSAGE_TOO_LARGE"
    text = "a record batch is larger than max.message.bytes of its topic"
    abortable = True


class StaleControllerEpochError(KafkaError):
    """The controller has been replaced by a newer one."""

    code = 11
    name = "STALE_CONTROLLER_EPOCH"
    text = "the controller has been replaced by a newer one"


class OffsetMetadataTooLargeError(KafkaError):
    """The metadata of a committed offset is too long."""

    code = 12
    name = "OFFSET_METADATA_TOO_LARGE"
    text = "the metadata of a committed offset is too long"


class NetworkError(KafkaError):
    """The connection broke before the response came."""

    code = 13
    name = "NETWORK_EXCEPTION"
    text = "the connection broke before the response came"
    retriable = True
    refreshes_metadata = True


class CoordinatorLoadInProgressError(KafkaError):
    """The coordinator is still loading its state."""

    code = 14
    name = "COORDINATOR_LOAD_IN_PROGRESS"
    text = "the coordinator is still loading its state"
    retriable = True


class CoordinatorNotAvailableError(KafkaError):
    """The coordinator is not available."""

    code = 15
    name = "COORDINATOR_NOT_AVAILABLE"
    text = "the coordinator is not available"
    retriable = True


class NotCoordinatorError(KafkaError):
    """The broker is not the coordinator of this group or transaction."""

    code = 16
    name = "NOT_COORDINATOR"
    text = "the broker is not the coordinator of this group or transaction"
    retriable = True


class InvalidTopicError(KafkaError):
    """The topic's name is not valid, or clients may not write to it."""

    code = 17
    name = "INVALID_TOPIC_EXCEPTION"
    text = "the topic's name is not valid, or clients may not write to it"


class RecordListTooLargeError(KafkaError):
    """The record batch is larger than segment.bytes of its topic."""

    code = 18
    name = "RECORD_LIST_TOO_LARGE"
    text = "the record batch is larger than segment.bytes of its topic"
    abortable = True


class NotEnoughReplicasError(KafkaError):
    """Fewer replicas are in sync than min.insync.replicas asks for."""

    code = 19
    name = "NOT_ENOUGH_REPLICAS"
    text = "fewer replicas are in sync than min.insync.replicas asks for"
    retriable = True


class NotEnoughReplicasAfterAppendError(KafkaError):
    """The records were written, but to fewer replicas than min.insync.replicas asks for."""

    code = 20
    name = "NOT_ENOUGH_REPLICAS_AFTER_APPEND"
    text = "the records were written, but to fewer replicas than min.insync.replicas asks for"
    retriable = True


class InvalidRequiredAcksError(KafkaError):
    """Acks must be -1, 0 or 1."""

    code = 21
    name = "INVALID_REQUIRED_ACKS"
    text = "acks must be -1, 0 or 1"


class IllegalGenerationError(KafkaError):
    """The generation is not the group's current one."""

    code = 22
    name = "ILLEGAL_GENERATION"
    text = "the generation is not the group's current one"


class InconsistentGroupProtocolError(KafkaError):
    """The member shares no protocol with the rest of the group."""

    code = 23
    name = "INCONSISTENT_GROUP_PROTOCOL"
    text = "the member shares no protocol with the rest of the group"


class InvalidGroupIdError(KafkaError):
    """The group id is not valid."""

    code = 24
    name = "INVALID_GROUP_ID"
    text = "the group id is not valid"


class UnknownMemberIdError(KafkaError):
    """The group does not know this member."""

    code = 25
    name = "UNKNOWN_MEMBER_ID"
    text = "the group does not know this member"


class InvalidSessionTimeoutError(KafkaError):
    """The session timeout is outside group.min.session.timeout.ms and group.max.session.timeout.ms."""

    code = 26
    name = "INVALID_SESSION_TIMEOUT"
    text = "the session timeout is outside group.min.session.timeout.ms and group.max.session.timeout.ms"


class RebalanceInProgressError(KafkaError):
    """The group is rebalancing: join again."""

    code = 27
    name = "REBALANCE_IN_PROGRESS"
    text = "the group is rebalancing: join again"


class InvalidCommitOffsetSizeError(KafkaError):
    """The offsets to commit do not fit into one record batch."""

    code = 28
    name = "INVALID_COMMIT_OFFSET_SIZE"
    text = "the offsets to commit do not fit into one record batch"


class TopicAuthorizationFailedError(KafkaError):
    """Not authorised for this topic."""

    code = 29
    name = "TOPIC_AUTHORIZATION_FAILED"
    text = "not authorised for this topic"
    abortable = True


class GroupAuthorizationFailedError(KafkaError):
    """Not authorised for this group."""

    code = 30
    name = "GROUP_AUTHORIZATION_FAILED"
    text = "not authorised for this group"
    abortable = True


class ClusterAuthorizationFailedError(KafkaError):
    """Not authorised for this operation on the cluster."""

    code = 31
    name = "CLUSTER_AUTHORIZATION_FAILED"
    text = "not authorised for this operation on the cluster"
    fatal = True


class InvalidTimestampError(KafkaError):
    """A record's timestamp is outside the range that its topic accepts."""

    code = 32
    name = "INVALID_TIMESTAMP"
    text = "a record's timestamp is outside the range that its topic accepts"


class UnsupportedSaslMechanismError(KafkaError):
    """The broker does not offer this SASL mechanism."""

    code = 33
    name = "UNSUPPORTED_SASL_MECHANISM"
    text = "the broker does not offer this SASL mechanism"
    fatal = True


class IllegalSaslStateError(KafkaError):
    """The request does not fit the state of the SASL exchange."""

    code = 34
    name = "ILLEGAL_SASL_STATE"
    text = "the request does not fit the state of the SASL exchange"
    fatal = True


class UnsupportedVersionError(KafkaError):
    """The broker does not support this version of the API."""

    code = 35
    name = "UNSUPPORTED_VERSION"
    text = "the broker does not support this version of the API"
    fatal = True


class TopicAlreadyExistsError(KafkaError):
    """A topic with this name exists already."""

    code = 36
    name = "TOPIC_ALREADY_EXISTS"
    text = "a topic with this name exists already"


class InvalidPartitionsError(KafkaError):
    """The number of partitions is not valid."""

    code = 37
    name = "INVALID_PARTITIONS"
    text = "the number of partitions is not valid"


class InvalidReplicationFactorError(KafkaError):
    """The replication factor is below 1 or above the number of brokers."""

    code = 38
    name = "INVALID_REPLICATION_FACTOR"
    text = "the replication factor is below 1 or above the number of brokers"


class InvalidReplicaAssignmentError(KafkaError):
    """The replica assignment is not valid."""

    code = 39
    name = "INVALID_REPLICA_ASSIGNMENT"
    text = "the replica assignment is not valid"


class InvalidConfigError(KafkaError):
    """A configuration value is not valid."""

    code = 40
    name = "INVALID_CONFIG"
    text = "a configuration value is not valid"


class NotControllerError(KafkaError):
    """The broker is not the active controller."""

    code = 41
    name = "NOT_CONTROLLER"
    text = "the broker is not the active controller"
    retriable = True


class InvalidRequestError(KafkaError):
    """The request is malformed, or its fields contradict each other."""

    code = 42
    name = "INVALID_REQUEST"
    text = "the request is malformed, or its fields contradict each other"


class UnsupportedForMessageFormatError(KafkaError):
    """The partition's record format does not support this."""

    code = 43
    name = "UNSUPPORTED_FOR_MESSAGE_FORMAT"
    text = "the partition's record format does not support this"
    fatal = True


class PolicyViolationError(KafkaError):
    """A policy of the cluster forbids this."""

    code = 44
    name = "POLICY_VIOLATION"
    text = "a policy of the cluster forbids this"


class OutOfOrderSequenceNumberError(KafkaError):
    """The producer's sequence number has a gap."""

    code = 45
    name = "OUT_OF_ORDER_SEQUENCE_NUMBER"
    text = "the producer's sequence number has a gap"
    abortable = True


class DuplicateSequenceNumberError(KafkaError):
    """The producer's sequence number was seen before."""

    code = 46
    name = "DUPLICATE_SEQUENCE_NUMBER"
    text = "the producer's sequence number was seen before"


class InvalidProducerEpochError(KafkaError):
    """The producer epoch is not the current one."""

    code = 47
    name = "INVALID_PRODUCER_EPOCH"
    text = "the producer epoch is not the current one"
    fatal = True


class InvalidTxnStateError(KafkaError):
    """The transaction's state does not allow this."""

    code = 48
    name = "INVALID_TXN_STATE"
    text = "the transaction's state does not allow this"
    fatal = True


class InvalidProducerIdMappingError(KafkaError):
    """The producer id does not belong to this transactional id."""

    code = 49
    name = "INVALID_PRODUCER_ID_MAPPING"
    text = "the producer id does not belong to this transactional id"
    fatal = True


class InvalidTransactionTimeoutError(KafkaError):
    """The transaction timeout is above transaction.max.timeout.ms."""

    code = 50
    name = "INVALID_TRANSACTION_TIMEOUT"
    text = "the transaction timeout is above transaction.max.timeout.ms"
    fatal = True


class ConcurrentTransactionsError(KafkaError):
    """The previous transaction of this transactional id is still being completed."""

    code = 51
    name = "CONCURRENT_TRANSACTIONS"
    text = "the previous transaction of this transactional id is still being completed"
    retriable = True


class TransactionCoordinatorFencedError(KafkaError):
    """A newer transaction coordinator has taken over."""

    code = 52
    name = "TRANSACTION_COORDINATOR_FENCED"
    text = "a newer transaction coordinator has taken over"
    fatal = True


class TransactionalIdAuthorizationFailedError(KafkaError):
    """Not authorised for this transactional id."""

    code = 53
    name = "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"
    text = "not authorised for this transactional id"
    fatal = True


class SecurityDisabledError(KafkaError):
    """The broker has no authorizer."""

    code = 54
    name = "SECURITY_DISABLED"
    text = "the broker has no authorizer"


class OperationNotAttemptedError(KafkaError):
    """Not attempted, because another operation of the same batch failed."""

    code = 55
    name = "OPERATION_NOT_ATTEMPTED"
    text = "not attempted, because another operation of the same batch failed"


class KafkaStorageError(KafkaError):
    """A log directory of the broker has failed."""

    code = 56
    name = "KAFKA_STORAGE_ERROR"
    text = "a log directory of the broker has failed"
    retriable = True
    refreshes_metadata = True


class LogDirNotFoundError(KafkaError):
    """The log directory is not in the broker's configuration."""

    code = 57
    name = "LOG_DIR_NOT_FOUND"
    text = "the log directory is not in the broker's configuration"


class SaslAuthenticationFailedError(KafkaError):
    """SASL authentication failed."""

    code = 58
    name = "SASL_AUTHENTICATION_FAILED"
    text = "SASL authentication failed"
    fatal = True


class UnknownProducerIdError(KafkaError):
    """The broker has no state of this producer id."""

    code = 59
    name = "UNKNOWN_PRODUCER_ID"
    text = "the broker has no state of this producer id"
    abortable = True


class ReassignmentInProgressError(KafkaError):
    """The partition is being reassigned."""

    code = 60
    name = "REASSIGNMENT_IN_PROGRESS"
    text = "the partition is being reassigned"


class DelegationTokenAuthDisabledError(KafkaError):
    """Delegation tokens are not enabled."""

    code = 61
    name = "DELEGATION_TOKEN_AUTH_DISABLED"
    text = "delegation tokens are not enabled"


class DelegationTokenNotFoundError(KafkaError):
    """The delegation token does not exist."""

    code = 62
    name = "DELEGATION_TOKEN_NOT_FOUND"
    text = "the delegation token does not exist"


class DelegationTokenOwnerMismatchError(KafkaError):
    """The delegation token belongs to somebody else."""

    code = 63
    name = "DELEGATION_TOKEN_OWNER_MISMATCH"
    text = "the delegation token belongs to somebody else"


class DelegationTokenRequestNotAllowedError(KafkaError):
    """This connection may not ask for delegation tokens."""

    code = 64
    name = "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED"
    text = "this connection may not ask for delegation tokens"


class DelegationTokenAuthorizationFailedError(KafkaError):
    """Not authorised for this delegation token."""

    code = 65
    name = "DELEGATION_TOKEN_AUTHORIZATION_FAILED"
    text = "not authorised for this delegation token"


class DelegationTokenExpiredError(KafkaError):
    """The delegation token has expired."""

    code = 66
    name = "DELEGATION_TOKEN_EXPIRED"
    text = "the delegation token has expired"


class InvalidPrincipalTypeError(KafkaError):
    """This type of principal is not supported."""

    code = 67
    name = "INVALID_PRINCIPAL_TYPE"
    text = "this type of principal is not supported"


class NonEmptyGroupError(KafkaError):
    """The group still has members."""

    code = 68
    name = "NON_EMPTY_GROUP"
    text = "the group still has members"


class GroupIdNotFoundError(KafkaError):
    """The group does not exist."""

    code = 69
    name = "GROUP_ID_NOT_FOUND"
    text = "the group does not exist"


class FetchSessionIdNotFoundError(KafkaError):
    """The broker does not know this fetch session."""

    code = 70
    name = "FETCH_SESSION_ID_NOT_FOUND"
    text = "the broker does not know this fetch session"
    retriable = True


class InvalidFetchSessionEpochError(KafkaError):
    """The epoch is not the fetch session's next one."""

    code = 71
    name = "INVALID_FETCH_SESSION_EPOCH"
    text = "the epoch is not the fetch session's next one"
    retriable = True


class ListenerNotFoundError(KafkaError):
    """The leader has no listener like the one this request came in by."""

    code = 72
    name = "LISTENER_NOT_FOUND"
    text = "the leader has no listener like the one this request came in by"
    retriable = True
    refreshes_metadata = True


class TopicDeletionDisabledError(KafkaError):
    """Deleting topics is disabled."""

    code = 73
    name = "TOPIC_DELETION_DISABLED"
    text = "deleting topics is disabled"


class FencedLeaderEpochError(KafkaError):
    """The leader epoch is older than the broker's."""

    code = 74
    name = "FENCED_LEADER_EPOCH"
    text = "the leader epoch is older than the broker's"
    retriable = True
    refreshes_metadata = True


class UnknownLeaderEpochError(KafkaError):
    """The leader epoch is newer than the broker's."""

    code = 75
    name = "UNKNOWN_LEADER_EPOCH"
    text = "the leader epoch is newer than the broker's"
    retriable = True


class UnsupportedCompressionTypeError(KafkaError):
    """This version of the API does not carry this compression codec."""

    code = 76
    name = "UNSUPPORTED_COMPRESSION_TYPE"
    text = "this version of the API does not carry this compression codec"


class StaleBrokerEpochError(KafkaError):
    """The broker epoch is not the current one."""

    code = 77
    name = "STALE_BROKER_EPOCH"
    text = "the broker epoch is not the current one"


class OffsetNotAvailableError(KafkaError):
    """The new leader cannot tell its offsets yet."""

    code = 78
    name = "OFFSET_NOT_AVAILABLE"
    text = "the new leader cannot tell its offsets yet"
    retriable = True


class MemberIdRequiredError(KafkaError):
    """Join again with the member id that was given."""

    code = 79
    name = "MEMBER_ID_REQUIRED"
    text = "join again with the member id that was given"


class PreferredLeaderNotAvailableError(KafkaError):
    """The preferred leader is not available."""

    code = 80
    name = "PREFERRED_LEADER_NOT_AVAILABLE"
    text = "the preferred leader is not available"
    retriable = True
    refreshes_metadata = True


class GroupMaxSizeReachedError(KafkaError):
    """The group has as many members as it may have."""

    code = 81
    name = "GROUP_MAX_SIZE_REACHED"
    text = "the group has as many members as it may have"


class FencedInstanceIdError(KafkaError):
    """Another member has taken over this group.instance.id."""

    code = 82
    name = "FENCED_INSTANCE_ID"
    text = "another member has taken over this group.instance.id"
    fatal = True


class EligibleLeadersNotAvailableError(KafkaError):
    """No replica may become leader."""

    code = 83
    name = "ELIGIBLE_LEADERS_NOT_AVAILABLE"
    text = "no replica may become leader"
    retriable = True
    refreshes_metadata = True


class ElectionNotNeededError(KafkaError):
    """The partition has the wanted leader already."""

    code = 84
    name = "ELECTION_NOT_NEEDED"
    text = "the partition has the wanted leader already"
    retriable = True
    refreshes_metadata = True


class NoReassignmentInProgressError(KafkaError):
    """The partition is not being reassigned."""

    code = 85
    name = "NO_REASSIGNMENT_IN_PROGRESS"
    text = "the partition is not being reassigned"


class GroupSubscribedToTopicError(KafkaError):
    """The group is subscribed to this topic."""

    code = 86
    name = "GROUP_SUBSCRIBED_TO_TOPIC"
    text = "the group is subscribed to this topic"


class InvalidRecordError(KafkaError):
    """A record was refused by the broker's validation."""

    code = 87
    name = "INVALID_RECORD"
    text = "a record was refused by the broker's validation"


class UnstableOffsetCommitError(KafkaError):
    """A transaction that commits these offsets is still open."""

    code = 88
    name = "UNSTABLE_OFFSET_COMMIT"
    text = "a transaction that commits these offsets is still open"
    retriable = True


class ThrottlingQuotaExceededError(KafkaError):
    """A quota is used up: try again after the throttle time."""

    code = 89
    name = "THROTTLING_QUOTA_EXCEEDED"
    text = "a quota is used up: try again after the throttle time"
    retriable = True


class ProducerFencedError(KafkaError):
    """A newer producer with the same transactional id has taken over."""

    code = 90
    name = "PRODUCER_FENCED"
    text = "a newer producer with the same transactional id has taken over"
    fatal = True


class ResourceNotFoundError(KafkaError):
    """The resource does not exist."""

    code = 91
    name = "RESOURCE_NOT_FOUND"
    text = "the resource does not exist"


class DuplicateResourceError(KafkaError):
    """The resource exists already."""

    code = 92
    name = "DUPLICATE_RESOURCE"
    text = "the resource exists already"


class UnacceptableCredentialError(KafkaError):
    """The credential does not meet the requirements."""

    code = 93
    name = "UNACCEPTABLE_CREDENTIAL"
    text = "the credential does not meet the requirements"


class InconsistentVoterSetError(KafkaError):
    """The set of voters differs from the one expected."""

    code = 94
    name = "INCONSISTENT_VOTER_SET"
    text = "the set of voters differs from the one expected"


class InvalidUpdateVersionError(KafkaError):
    """The update is based on another version of the state."""

    code = 95
    name = "INVALID_UPDATE_VERSION"
    text = "the update is based on another version of the state"


class FeatureUpdateFailedError(KafkaError):
    """The finalized features could not be changed."""

    code = 96
    name = "FEATURE_UPDATE_FAILED"
    text = "the finalized features could not be changed"


class PrincipalDeserializationFailureError(KafkaError):
    """The forwarded principal could not be read."""

    code = 97
    name = "PRINCIPAL_DESERIALIZATION_FAILURE"
    text = "the forwarded principal could not be read"


class SnapshotNotFoundError(KafkaError):
    """The snapshot does not exist."""

    code = 98
    name = "SNAPSHOT_NOT_FOUND"
    text = "the snapshot does not exist"


class PositionOutOfRangeError(KafkaError):
    """The position is outside the snapshot."""

    code = 99
    name = "POSITION_OUT_OF_RANGE"
    text = "the position is outside the snapshot"


class UnknownTopicIdError(KafkaError):
    """The broker does not host a topic with this id."""

    code = 100
    name = "UNKNOWN_TOPIC_ID"
    text = "the broker does not host a topic with this id"
    retriable = True
    refreshes_metadata = True


class DuplicateBrokerRegistrationError(KafkaError):
    """A broker with this id is registered already."""

    code = 101
    name = "DUPLICATE_BROKER_REGISTRATION"
    text = "a broker with this id is registered already"


class BrokerIdNotRegisteredError(KafkaError):
    """No broker is registered with this id."""

    code = 102
    name = "BROKER_ID_NOT_REGISTERED"
    text = "no broker is registered with this id"


class InconsistentTopicIdError(KafkaError):
    """The topic id is not the one in the partition's log."""

    code = 103
    name = "INCONSISTENT_TOPIC_ID"
    text = "the topic id is not the one in the partition's log"
    retriable = True
    refreshes_metadata = True


class InconsistentClusterIdError(KafkaError):
    """The cluster id is not this cluster's."""

    code = 104
    name = "INCONSISTENT_CLUSTER_ID"
    text = "the cluster id is not this cluster's"
    fatal = True


class TransactionalIdNotFoundError(KafkaError):
    """The transactional id does not exist."""

    code = 105
    name = "TRANSACTIONAL_ID_NOT_FOUND"
    text = "the transactional id does not exist"


class FetchSessionTopicIdError(KafkaError):
    """The fetch session mixes requests with and without topic ids."""

    code = 106
    name = "FETCH_SESSION_TOPIC_ID_ERROR"
    text = "the fetch session mixes requests with and without topic ids"
    retriable = True


class IneligibleReplicaError(KafkaError):
    """A replica may not join the in-sync set."""

    code = 107
    name = "INELIGIBLE_REPLICA"
    text = "a replica may not join the in-sync set"


class NewLeaderElectedError(KafkaError):
    """The change made another broker the leader."""

    code = 108
    name = "NEW_LEADER_ELECTED"
    text = "the change made another broker the leader"


class OffsetMovedToTieredStorageError(KafkaError):
    """The offset lies in tiered storage."""

    code = 109
    name = "OFFSET_MOVED_TO_TIERED_STORAGE"
    text = "the offset lies in tiered storage"


class FencedMemberEpochError(KafkaError):
    """The coordinator has fenced this member epoch: join again."""

    code = 110
    name = "FENCED_MEMBER_EPOCH"
    text = "the coordinator has fenced this member epoch: join again"


class UnreleasedInstanceIdError(KafkaError):
    """Another member still holds this instance id."""

    code = 111
    name = "UNRELEASED_INSTANCE_ID"
    text = "another member still holds this instance id"


class UnsupportedAssignorError(KafkaError):
    """The group does not support this assignor."""

    code = 112
    name = "UNSUPPORTED_ASSIGNOR"
    text = "the group does not support this assignor"


class StaleMemberEpochError(KafkaError):
    """The member epoch is stale: fetch the current one and try again."""

    code = 113
    name = "STALE_MEMBER_EPOCH"
    text = "the member epoch is stale: fetch the current one and try again"


class MismatchedEndpointTypeError(KafkaError):
    """The request went to the wrong kind of endpoint."""

    code = 114
    name = "MISMATCHED_ENDPOINT_TYPE"
    text = "the request went to the wrong kind of endpoint"


class UnsupportedEndpointTypeError(KafkaError):
    """This kind of endpoint is not supported."""

    code = 115
    name = "UNSUPPORTED_ENDPOINT_TYPE"
    text = "this kind of endpoint is not supported"


class UnknownControllerIdError(KafkaError):
    """No controller has this id."""

    code = 116
    name = "UNKNOWN_CONTROLLER_ID"
    text = "no controller has this id"


class UnknownSubscriptionIdError(KafkaError):
    """The telemetry subscription is not the current one."""

    code = 117
    name = "UNKNOWN_SUBSCRIPTION_ID"
    text = "the telemetry subscription is not the current one"


class TelemetryTooLargeError(KafkaError):
    """The telemetry is larger than the broker takes."""

    code = 118
    name = "TELEMETRY_TOO_LARGE"
    text = "the telemetry is larger than the broker takes"


class InvalidRegistrationError(KafkaError):
    """The registration contradicts the cluster's state."""

    code = 119
    name = "INVALID_REGISTRATION"
    text = "the registration contradicts the cluster's state"


class TransactionAbortableError(KafkaError):
    """The transaction failed and must be aborted."""

    code = 120
    name = "TRANSACTION_ABORTABLE"
    text = "the transaction failed and must be aborted"
    abortable = True


class InvalidRecordStateError(KafkaError):
    """The record's state does not allow this acknowledgement."""

    code = 121
    name = "INVALID_RECORD_STATE"
    text = "the record's state does not allow this acknowledgement"


class ShareSessionNotFoundError(KafkaError):
    """The broker does not know this share session."""

    code = 122
    name = "SHARE_SESSION_NOT_FOUND"
    text = "the broker does not know this share session"
    retriable = True


class InvalidShareSessionEpochError(KafkaError):
    """The epoch is not the share session's next one."""

    code = 123
    name = "INVALID_SHARE_SESSION_EPOCH"
    text = "the epoch is not the share session's next one"
    retriable = True


class FencedStateEpochError(KafkaError):
    """The share coordinator has a newer state epoch."""

    code = 124
    name = "FENCED_STATE_EPOCH"
    text = "the share coordinator has a newer state epoch"


class InvalidVoterKeyError(KafkaError):
    """The voter key is not the receiver's."""

    code = 125
    name = "INVALID_VOTER_KEY"
    text = "the voter key is not the receiver's"


class DuplicateVoterError(KafkaError):
    """The voter is a member of the set already."""

    code = 126
    name = "DUPLICATE_VOTER"
    text = "the voter is a member of the set already"


class VoterNotFoundError(KafkaError):
    """The voter is not a member of the set."""

    code = 127
    name = "VOTER_NOT_FOUND"
    text = "the voter is not a member of the set"


class InvalidRegularExpressionError(KafkaError):
    """The regular expression is not valid."""

    code = 128
    name = "INVALID_REGULAR_EXPRESSION"
    text = "the regular expression is not valid"


class RebootstrapRequiredError(KafkaError):
    """The cluster's metadata is too old: start again from bootstrap.servers."""

    code = 129
    name = "REBOOTSTRAP_REQUIRED"
    text = "the cluster's metadata is too old: start again from bootstrap.servers"


class StreamsInvalidTopologyError(KafkaError):
    """The topology is not valid."""

    code = 130
    name = "STREAMS_INVALID_TOPOLOGY"
    text = "the topology is not valid"


class StreamsInvalidTopologyEpochError(KafkaError):
    """The topology epoch is not valid."""

    code = 131
    name = "STREAMS_INVALID_TOPOLOGY_EPOCH"
    text = "the topology epoch is not valid"


class StreamsTopologyFencedError(KafkaError):
    """The topology epoch is outdated."""

    code = 132
    name = "STREAMS_TOPOLOGY_FENCED"
    text = "the topology epoch is outdated"


class ShareSessionLimitReachedError(KafkaError):
    """The broker has as many share sessions as it may have."""

    code = 133
    name = "SHARE_SESSION_LIMIT_REACHED"
    text = "the broker has as many share sessions as it may have"
    retriable = True


__all__ = [
    "BrokerIdNotRegisteredError",
    "BrokerNotAvailableError",
    "ClusterAuthorizationFailedError",
    "ConcurrentTransactionsError",
    "CoordinatorLoadInProgressError",
    "CoordinatorNotAvailableError",
    "CorruptMessageError",
    "DelegationTokenAuthDisabledError",
    "DelegationTokenAuthorizationFailedError",
    "DelegationTokenExpiredError",
    "DelegationTokenNotFoundError",
    "DelegationTokenOwnerMismatchError",
    "DelegationTokenRequestNotAllowedError",
    "DuplicateBrokerRegistrationError",
    "DuplicateResourceError",
    "DuplicateSequenceNumberError",
    "DuplicateVoterError",
    "ElectionNotNeededError",
    "EligibleLeadersNotAvailableError",
    "FeatureUpdateFailedError",
    "FencedInstanceIdError",
    "FencedLeaderEpochError",
    "FencedMemberEpochError",
    "FencedStateEpochError",
    "FetchSessionIdNotFoundError",
    "FetchSessionTopicIdError",
    "GroupAuthorizationFailedError",
    "GroupIdNotFoundError",
    "GroupMaxSizeReachedError",
    "GroupSubscribedToTopicError",
    "IllegalGenerationError",
    "IllegalSaslStateError",
    "InconsistentClusterIdError",
    "InconsistentGroupProtocolError",
    "InconsistentTopicIdError",
    "InconsistentVoterSetError",
    "IneligibleReplicaError",
    "InvalidCommitOffsetSizeError",
    "InvalidConfigError",
    "InvalidFetchSessionEpochError",
    "InvalidFetchSizeError",
    "InvalidGroupIdError",
    "InvalidPartitionsError",
    "InvalidPrincipalTypeError",
    "InvalidProducerEpochError",
    "InvalidProducerIdMappingError",
    "InvalidRecordError",
    "InvalidRecordStateError",
    "InvalidRegistrationError",
    "InvalidRegularExpressionError",
    "InvalidReplicaAssignmentError",
    "InvalidReplicationFactorError",
    "InvalidRequestError",
    "InvalidRequiredAcksError",
    "InvalidSessionTimeoutError",
    "InvalidShareSessionEpochError",
    "InvalidTimestampError",
    "InvalidTopicError",
    "InvalidTransactionTimeoutError",
    "InvalidTxnStateError",
    "InvalidUpdateVersionError",
    "InvalidVoterKeyError",
    "KafkaStorageError",
    "LeaderNotAvailableError",
    "ListenerNotFoundError",
    "LogDirNotFoundError",
    "MemberIdRequiredError",
    "MessageTooLargeError",
    "MismatchedEndpointTypeError",
    "NetworkError",
    "NewLeaderElectedError",
    "NoReassignmentInProgressError",
    "NonEmptyGroupError",
    "NotControllerError",
    "NotCoordinatorError",
    "NotEnoughReplicasAfterAppendError",
    "NotEnoughReplicasError",
    "NotLeaderOrFollowerError",
    "OffsetMetadataTooLargeError",
    "OffsetMovedToTieredStorageError",
    "OffsetNotAvailableError",
    "OffsetOutOfRangeError",
    "OperationNotAttemptedError",
    "OutOfOrderSequenceNumberError",
    "PolicyViolationError",
    "PositionOutOfRangeError",
    "PreferredLeaderNotAvailableError",
    "PrincipalDeserializationFailureError",
    "ProducerFencedError",
    "ReassignmentInProgressError",
    "RebalanceInProgressError",
    "RebootstrapRequiredError",
    "RecordListTooLargeError",
    "ReplicaNotAvailableError",
    "RequestTimedOutError",
    "ResourceNotFoundError",
    "SaslAuthenticationFailedError",
    "SecurityDisabledError",
    "ShareSessionLimitReachedError",
    "ShareSessionNotFoundError",
    "SnapshotNotFoundError",
    "StaleBrokerEpochError",
    "StaleControllerEpochError",
    "StaleMemberEpochError",
    "StreamsInvalidTopologyEpochError",
    "StreamsInvalidTopologyError",
    "StreamsTopologyFencedError",
    "TelemetryTooLargeError",
    "ThrottlingQuotaExceededError",
    "TopicAlreadyExistsError",
    "TopicAuthorizationFailedError",
    "TopicDeletionDisabledError",
    "TransactionAbortableError",
    "TransactionCoordinatorFencedError",
    "TransactionalIdAuthorizationFailedError",
    "TransactionalIdNotFoundError",
    "UnacceptableCredentialError",
    "UnknownControllerIdError",
    "UnknownLeaderEpochError",
    "UnknownMemberIdError",
    "UnknownProducerIdError",
    "UnknownServerError",
    "UnknownSubscriptionIdError",
    "UnknownTopicIdError",
    "UnknownTopicOrPartitionError",
    "UnreleasedInstanceIdError",
    "UnstableOffsetCommitError",
    "UnsupportedAssignorError",
    "UnsupportedCompressionTypeError",
    "UnsupportedEndpointTypeError",
    "UnsupportedForMessageFormatError",
    "UnsupportedSaslMechanismError",
    "UnsupportedVersionError",
    "VoterNotFoundError",
]

BY_CODE: Final[dict[int, type[KafkaError]]] = {
    -1: UnknownServerError,
    1: OffsetOutOfRangeError,
    2: CorruptMessageError,
    3: UnknownTopicOrPartitionError,
    4: InvalidFetchSizeError,
    5: LeaderNotAvailableError,
    6: NotLeaderOrFollowerError,
    7: RequestTimedOutError,
    8: BrokerNotAvailableError,
    9: ReplicaNotAvailableError,
    10: MessageTooLargeError,
    11: StaleControllerEpochError,
    12: OffsetMetadataTooLargeError,
    13: NetworkError,
    14: CoordinatorLoadInProgressError,
    15: CoordinatorNotAvailableError,
    16: NotCoordinatorError,
    17: InvalidTopicError,
    18: RecordListTooLargeError,
    19: NotEnoughReplicasError,
    20: NotEnoughReplicasAfterAppendError,
    21: InvalidRequiredAcksError,
    22: IllegalGenerationError,
    23: InconsistentGroupProtocolError,
    24: InvalidGroupIdError,
    25: UnknownMemberIdError,
    26: InvalidSessionTimeoutError,
    27: RebalanceInProgressError,
    28: InvalidCommitOffsetSizeError,
    29: TopicAuthorizationFailedError,
    30: GroupAuthorizationFailedError,
    31: ClusterAuthorizationFailedError,
    32: InvalidTimestampError,
    33: UnsupportedSaslMechanismError,
    34: IllegalSaslStateError,
    35: UnsupportedVersionError,
    36: TopicAlreadyExistsError,
    37: InvalidPartitionsError,
    38: InvalidReplicationFactorError,
    39: InvalidReplicaAssignmentError,
    40: InvalidConfigError,
    41: NotControllerError,
    42: InvalidRequestError,
    43: UnsupportedForMessageFormatError,
    44: PolicyViolationError,
    45: OutOfOrderSequenceNumberError,
    46: DuplicateSequenceNumberError,
    47: InvalidProducerEpochError,
    48: InvalidTxnStateError,
    49: InvalidProducerIdMappingError,
    50: InvalidTransactionTimeoutError,
    51: ConcurrentTransactionsError,
    52: TransactionCoordinatorFencedError,
    53: TransactionalIdAuthorizationFailedError,
    54: SecurityDisabledError,
    55: OperationNotAttemptedError,
    56: KafkaStorageError,
    57: LogDirNotFoundError,
    58: SaslAuthenticationFailedError,
    59: UnknownProducerIdError,
    60: ReassignmentInProgressError,
    61: DelegationTokenAuthDisabledError,
    62: DelegationTokenNotFoundError,
    63: DelegationTokenOwnerMismatchError,
    64: DelegationTokenRequestNotAllowedError,
    65: DelegationTokenAuthorizationFailedError,
    66: DelegationTokenExpiredError,
    67: InvalidPrincipalTypeError,
    68: NonEmptyGroupError,
    69: GroupIdNotFoundError,
    70: FetchSessionIdNotFoundError,
    71: InvalidFetchSessionEpochError,
    72: ListenerNotFoundError,
    73: TopicDeletionDisabledError,
    74: FencedLeaderEpochError,
    75: UnknownLeaderEpochError,
    76: UnsupportedCompressionTypeError,
    77: StaleBrokerEpochError,
    78: OffsetNotAvailableError,
    79: MemberIdRequiredError,
    80: PreferredLeaderNotAvailableError,
    81: GroupMaxSizeReachedError,
    82: FencedInstanceIdError,
    83: EligibleLeadersNotAvailableError,
    84: ElectionNotNeededError,
    85: NoReassignmentInProgressError,
    86: GroupSubscribedToTopicError,
    87: InvalidRecordError,
    88: UnstableOffsetCommitError,
    89: ThrottlingQuotaExceededError,
    90: ProducerFencedError,
    91: ResourceNotFoundError,
    92: DuplicateResourceError,
    93: UnacceptableCredentialError,
    94: InconsistentVoterSetError,
    95: InvalidUpdateVersionError,
    96: FeatureUpdateFailedError,
    97: PrincipalDeserializationFailureError,
    98: SnapshotNotFoundError,
    99: PositionOutOfRangeError,
    100: UnknownTopicIdError,
    101: DuplicateBrokerRegistrationError,
    102: BrokerIdNotRegisteredError,
    103: InconsistentTopicIdError,
    104: InconsistentClusterIdError,
    105: TransactionalIdNotFoundError,
    106: FetchSessionTopicIdError,
    107: IneligibleReplicaError,
    108: NewLeaderElectedError,
    109: OffsetMovedToTieredStorageError,
    110: FencedMemberEpochError,
    111: UnreleasedInstanceIdError,
    112: UnsupportedAssignorError,
    113: StaleMemberEpochError,
    114: MismatchedEndpointTypeError,
    115: UnsupportedEndpointTypeError,
    116: UnknownControllerIdError,
    117: UnknownSubscriptionIdError,
    118: TelemetryTooLargeError,
    119: InvalidRegistrationError,
    120: TransactionAbortableError,
    121: InvalidRecordStateError,
    122: ShareSessionNotFoundError,
    123: InvalidShareSessionEpochError,
    124: FencedStateEpochError,
    125: InvalidVoterKeyError,
    126: DuplicateVoterError,
    127: VoterNotFoundError,
    128: InvalidRegularExpressionError,
    129: RebootstrapRequiredError,
    130: StreamsInvalidTopologyError,
    131: StreamsInvalidTopologyEpochError,
    132: StreamsTopologyFencedError,
    133: ShareSessionLimitReachedError,
}
