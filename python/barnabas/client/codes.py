"""The error codes that a client's decisions depend on, by name, for use in `match`."""

from __future__ import annotations

from typing import Final

from barnabas import errors

__all__ = ["Code"]


class Code:
    """Kafka's numbers."""

    NONE: Final = 0
    OFFSET_OUT_OF_RANGE: Final = 1
    CORRUPT_MESSAGE: Final = 2
    UNKNOWN_TOPIC_OR_PARTITION: Final = 3
    LEADER_NOT_AVAILABLE: Final = 5
    NOT_LEADER_OR_FOLLOWER: Final = 6
    REQUEST_TIMED_OUT: Final = 7
    REPLICA_NOT_AVAILABLE: Final = 9
    MESSAGE_TOO_LARGE: Final = 10
    COORDINATOR_LOAD_IN_PROGRESS: Final = 14
    COORDINATOR_NOT_AVAILABLE: Final = 15
    NOT_COORDINATOR: Final = 16
    INVALID_TOPIC_EXCEPTION: Final = 17
    ILLEGAL_GENERATION: Final = 22
    INCONSISTENT_GROUP_PROTOCOL: Final = 23
    UNKNOWN_MEMBER_ID: Final = 25
    REBALANCE_IN_PROGRESS: Final = 27
    TOPIC_AUTHORIZATION_FAILED: Final = 29
    UNSUPPORTED_VERSION: Final = 35
    NOT_CONTROLLER: Final = 41
    KAFKA_STORAGE_ERROR: Final = 56
    FENCED_LEADER_EPOCH: Final = 74
    UNKNOWN_LEADER_EPOCH: Final = 75
    OFFSET_NOT_AVAILABLE: Final = 78
    MEMBER_ID_REQUIRED: Final = 79
    FENCED_INSTANCE_ID: Final = 82
    UNSUPPORTED_COMPRESSION_TYPE: Final = 76
    UNSTABLE_OFFSET_COMMIT: Final = 88
    UNKNOWN_TOPIC_ID: Final = 100
    FENCED_MEMBER_EPOCH: Final = 110
    UNRELEASED_INSTANCE_ID: Final = 111
    STALE_MEMBER_EPOCH: Final = 113

    @staticmethod
    def name(code: int) -> str:
        """The code's name as in Kafka's protocol."""
        return errors.for_code(code).name
