# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""CreateTopics, key 19."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class CreateTopicsRequest(Message):
    """Request of CreateTopics, key 19, versions 2 to 7."""

    API_KEY: ClassVar[int] = 19
    VERSIONS: ClassVar[tuple[int, int]] = (2, 7)
    FLEXIBLE_FROM: ClassVar[int | None] = 5
    __slots__ = (
        "topics",
        "timeout_ms",
        "validate_only",
    )
    STRUCT: ClassVar[int] = 143

    def __init__(
        self,
        *,
        topics: list[CreateTopicsRequest.CreatableTopic] = UNSET,
        timeout_ms: int = 60000,
        validate_only: bool = False,
    ) -> None:
        self.topics: list[CreateTopicsRequest.CreatableTopic] = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tagged_fields = None

    class CreatableTopic(Struct):
        """Part of CreateTopicsRequest."""

        __slots__ = (
            "name",
            "num_partitions",
            "replication_factor",
            "assignments",
            "configs",
        )
        STRUCT: ClassVar[int] = 144

        def __init__(
            self,
            *,
            name: str = "",
            num_partitions: int = 0,
            replication_factor: int = 0,
            assignments: list[CreateTopicsRequest.CreatableReplicaAssignment] = UNSET,
            configs: list[CreateTopicsRequest.CreatableTopicConfig] = UNSET,
        ) -> None:
            self.name = name
            self.num_partitions = num_partitions
            self.replication_factor = replication_factor
            self.assignments: list[CreateTopicsRequest.CreatableReplicaAssignment] = (
                [] if assignments is UNSET else assignments
            )
            self.configs: list[CreateTopicsRequest.CreatableTopicConfig] = [] if configs is UNSET else configs
            self.unknown_tagged_fields = None

    class CreatableReplicaAssignment(Struct):
        """Part of CreateTopicsRequest."""

        __slots__ = (
            "partition_index",
            "broker_ids",
        )
        STRUCT: ClassVar[int] = 145

        def __init__(self, *, partition_index: int = 0, broker_ids: list[int] = UNSET) -> None:
            self.partition_index = partition_index
            self.broker_ids: list[int] = [] if broker_ids is UNSET else broker_ids
            self.unknown_tagged_fields = None

    class CreatableTopicConfig(Struct):
        """Part of CreateTopicsRequest."""

        __slots__ = (
            "name",
            "value",
        )
        STRUCT: ClassVar[int] = 146

        def __init__(self, *, name: str = "", value: str | None = "") -> None:
            self.name = name
            self.value = value
            self.unknown_tagged_fields = None


class CreateTopicsResponse(Message):
    """Response of CreateTopics, key 19, versions 2 to 7."""

    API_KEY: ClassVar[int] = 19
    VERSIONS: ClassVar[tuple[int, int]] = (2, 7)
    FLEXIBLE_FROM: ClassVar[int | None] = 5
    __slots__ = (
        "throttle_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 147

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: list[CreateTopicsResponse.CreatableTopicResult] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[CreateTopicsResponse.CreatableTopicResult] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class CreatableTopicResult(Struct):
        """Part of CreateTopicsResponse."""

        __slots__ = (
            "name",
            "topic_id",
            "error_code",
            "error_message",
            "topic_config_error_code",
            "num_partitions",
            "replication_factor",
            "configs",
        )
        STRUCT: ClassVar[int] = 148

        def __init__(
            self,
            *,
            name: str = "",
            topic_id: bytes = ZERO_UUID,
            error_code: int = 0,
            error_message: str | None = "",
            topic_config_error_code: int = 0,
            num_partitions: int = -1,
            replication_factor: int = -1,
            configs: list[CreateTopicsResponse.CreatableTopicConfigs] | None = UNSET,
        ) -> None:
            self.name = name
            self.topic_id = topic_id
            self.error_code = error_code
            self.error_message = error_message
            self.topic_config_error_code = topic_config_error_code
            self.num_partitions = num_partitions
            self.replication_factor = replication_factor
            self.configs: list[CreateTopicsResponse.CreatableTopicConfigs] | None = [] if configs is UNSET else configs
            self.unknown_tagged_fields = None

    class CreatableTopicConfigs(Struct):
        """Part of CreateTopicsResponse."""

        __slots__ = (
            "name",
            "value",
            "read_only",
            "config_source",
            "is_sensitive",
        )
        STRUCT: ClassVar[int] = 149

        def __init__(
            self,
            *,
            name: str = "",
            value: str | None = "",
            read_only: bool = False,
            config_source: int = -1,
            is_sensitive: bool = False,
        ) -> None:
            self.name = name
            self.value = value
            self.read_only = read_only
            self.config_source = config_source
            self.is_sensitive = is_sensitive
            self.unknown_tagged_fields = None
