# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""StreamsGroupHeartbeat, key 88."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class StreamsGroupHeartbeatRequest(Message):
    """Request of StreamsGroupHeartbeat, key 88, version 0."""

    API_KEY: ClassVar[int] = 88
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "endpoint_information_epoch",
        "instance_id",
        "rack_id",
        "rebalance_timeout_ms",
        "topology",
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
        "process_id",
        "user_endpoint",
        "client_tags",
        "task_offsets",
        "task_end_offsets",
        "shutdown_application",
    )
    STRUCT: ClassVar[int] = 521

    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        endpoint_information_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        topology: StreamsGroupHeartbeatRequest.Topology | None = None,
        active_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatRequest.TaskIds] | None = None,
        process_id: str | None = None,
        user_endpoint: StreamsGroupHeartbeatRequest.Endpoint | None = None,
        client_tags: list[StreamsGroupHeartbeatRequest.KeyValue] | None = None,
        task_offsets: list[StreamsGroupHeartbeatRequest.TaskOffset] | None = None,
        task_end_offsets: list[StreamsGroupHeartbeatRequest.TaskOffset] | None = None,
        shutdown_application: bool = False,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.endpoint_information_epoch = endpoint_information_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology = topology
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.task_offsets = task_offsets
        self.task_end_offsets = task_end_offsets
        self.shutdown_application = shutdown_application
        self.unknown_tagged_fields = None

    class Topology(Struct):
        """Part of StreamsGroupHeartbeatRequest."""

        __slots__ = (
            "epoch",
            "subtopologies",
        )
        STRUCT: ClassVar[int] = 522

        def __init__(
            self, *, epoch: int = 0, subtopologies: list[StreamsGroupHeartbeatRequest.Subtopology] = UNSET
        ) -> None:
            self.epoch = epoch
            self.subtopologies: list[StreamsGroupHeartbeatRequest.Subtopology] = (
                [] if subtopologies is UNSET else subtopologies
            )
            self.unknown_tagged_fields = None

    class Subtopology(Struct):
        """Part of StreamsGroupHeartbeatRequest."""

        __slots__ = (
            "subtopology_id",
            "source_topics",
            "source_topic_regex",
            "state_changelog_topics",
            "repartition_sink_topics",
            "repartition_source_topics",
            "copartition_groups",
        )
        STRUCT: ClassVar[int] = 523

        def __init__(
            self,
            *,
            subtopology_id: str = "",
            source_topics: list[str] = UNSET,
            source_topic_regex: list[str] = UNSET,
            state_changelog_topics: list[StreamsGroupHeartbeatRequest.TopicInfo] = UNSET,
            repartition_sink_topics: list[str] = UNSET,
            repartition_source_topics: list[StreamsGroupHeartbeatRequest.TopicInfo] = UNSET,
            copartition_groups: list[StreamsGroupHeartbeatRequest.CopartitionGroup] = UNSET,
        ) -> None:
            self.subtopology_id = subtopology_id
            self.source_topics: list[str] = [] if source_topics is UNSET else source_topics
            self.source_topic_regex: list[str] = [] if source_topic_regex is UNSET else source_topic_regex
            self.state_changelog_topics: list[StreamsGroupHeartbeatRequest.TopicInfo] = (
                [] if state_changelog_topics is UNSET else state_changelog_topics
            )
            self.repartition_sink_topics: list[str] = (
                [] if repartition_sink_topics is UNSET else repartition_sink_topics
            )
            self.repartition_source_topics: list[StreamsGroupHeartbeatRequest.TopicInfo] = (
                [] if repartition_source_topics is UNSET else repartition_source_topics
            )
            self.copartition_groups: list[StreamsGroupHeartbeatRequest.CopartitionGroup] = (
                [] if copartition_groups is UNSET else copartition_groups
            )
            self.unknown_tagged_fields = None

    class TopicInfo(Struct):
        """Part of StreamsGroupHeartbeatRequest."""

        __slots__ = (
            "name",
            "partitions",
            "replication_factor",
            "topic_configs",
        )
        STRUCT: ClassVar[int] = 524

        def __init__(
            self,
            *,
            name: str = "",
            partitions: int = 0,
            replication_factor: int = 0,
            topic_configs: list[StreamsGroupHeartbeatRequest.KeyValue] = UNSET,
        ) -> None:
            self.name = name
            self.partitions = partitions
            self.replication_factor = replication_factor
            self.topic_configs: list[StreamsGroupHeartbeatRequest.KeyValue] = (
                [] if topic_configs is UNSET else topic_configs
            )
            self.unknown_tagged_fields = None

    class KeyValue(Struct):
        """Part of StreamsGroupHeartbeatRequest."""

        __slots__ = (
            "key",
            "value",
        )
        STRUCT: ClassVar[int] = 525

        def __init__(self, *, key: str = "", value: str = "") -> None:
            self.key = key
            self.value = value
            self.unknown_tagged_fields = None

    class CopartitionGroup(Struct):
        """Part of StreamsGroupHeartbeatRequest."""

        __slots__ = (
            "source_topics",
            "source_topic_regex",
            "repartition_source_topics",
        )
        STRUCT: ClassVar[int] = 526

        def __init__(
            self,
            *,
            source_topics: list[int] = UNSET,
            source_topic_regex: list[int] = UNSET,
            repartition_source_topics: list[int] = UNSET,
        ) -> None:
            self.source_topics: list[int] = [] if source_topics is UNSET else source_topics
            self.source_topic_regex: list[int] = [] if source_topic_regex is UNSET else source_topic_regex
            self.repartition_source_topics: list[int] = (
                [] if repartition_source_topics is UNSET else repartition_source_topics
            )
            self.unknown_tagged_fields = None

    class TaskIds(Struct):
        """Part of StreamsGroupHeartbeatRequest."""

        __slots__ = (
            "subtopology_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 527

        def __init__(self, *, subtopology_id: str = "", partitions: list[int] = UNSET) -> None:
            self.subtopology_id = subtopology_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class Endpoint(Struct):
        """Part of StreamsGroupHeartbeatRequest."""

        __slots__ = (
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 528

        def __init__(self, *, host: str = "", port: int = 0) -> None:
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None

    class TaskOffset(Struct):
        """Part of StreamsGroupHeartbeatRequest."""

        __slots__ = (
            "subtopology_id",
            "partition",
            "offset",
        )
        STRUCT: ClassVar[int] = 529

        def __init__(self, *, subtopology_id: str = "", partition: int = 0, offset: int = 0) -> None:
            self.subtopology_id = subtopology_id
            self.partition = partition
            self.offset = offset
            self.unknown_tagged_fields = None


class StreamsGroupHeartbeatResponse(Message):
    """Response of StreamsGroupHeartbeat, key 88, version 0."""

    API_KEY: ClassVar[int] = 88
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "member_id",
        "member_epoch",
        "heartbeat_interval_ms",
        "acceptable_recovery_lag",
        "task_offset_interval_ms",
        "status",
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
        "endpoint_information_epoch",
        "partitions_by_user_endpoint",
    )
    STRUCT: ClassVar[int] = 530

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str = "",
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        acceptable_recovery_lag: int = 0,
        task_offset_interval_ms: int = 0,
        status: list[StreamsGroupHeartbeatResponse.Status] | None = UNSET,
        active_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatResponse.TaskIds] | None = None,
        endpoint_information_epoch: int = 0,
        partitions_by_user_endpoint: list[StreamsGroupHeartbeatResponse.EndpointToPartitions] | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.acceptable_recovery_lag = acceptable_recovery_lag
        self.task_offset_interval_ms = task_offset_interval_ms
        self.status: list[StreamsGroupHeartbeatResponse.Status] | None = [] if status is UNSET else status
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.endpoint_information_epoch = endpoint_information_epoch
        self.partitions_by_user_endpoint = partitions_by_user_endpoint
        self.unknown_tagged_fields = None

    class Status(Struct):
        """Part of StreamsGroupHeartbeatResponse."""

        __slots__ = (
            "status_code",
            "status_detail",
        )
        STRUCT: ClassVar[int] = 531

        def __init__(self, *, status_code: int = 0, status_detail: str = "") -> None:
            self.status_code = status_code
            self.status_detail = status_detail
            self.unknown_tagged_fields = None

    class TaskIds(Struct):
        """Part of StreamsGroupHeartbeatResponse."""

        __slots__ = (
            "subtopology_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 532

        def __init__(self, *, subtopology_id: str = "", partitions: list[int] = UNSET) -> None:
            self.subtopology_id = subtopology_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class EndpointToPartitions(Struct):
        """Part of StreamsGroupHeartbeatResponse."""

        __slots__ = (
            "user_endpoint",
            "active_partitions",
            "standby_partitions",
        )
        STRUCT: ClassVar[int] = 533

        def __init__(
            self,
            *,
            user_endpoint: StreamsGroupHeartbeatResponse.Endpoint = UNSET,
            active_partitions: list[StreamsGroupHeartbeatResponse.TopicPartition] = UNSET,
            standby_partitions: list[StreamsGroupHeartbeatResponse.TopicPartition] = UNSET,
        ) -> None:
            self.user_endpoint: StreamsGroupHeartbeatResponse.Endpoint = (
                StreamsGroupHeartbeatResponse.Endpoint() if user_endpoint is UNSET else user_endpoint
            )
            self.active_partitions: list[StreamsGroupHeartbeatResponse.TopicPartition] = (
                [] if active_partitions is UNSET else active_partitions
            )
            self.standby_partitions: list[StreamsGroupHeartbeatResponse.TopicPartition] = (
                [] if standby_partitions is UNSET else standby_partitions
            )
            self.unknown_tagged_fields = None

    class Endpoint(Struct):
        """Part of StreamsGroupHeartbeatResponse."""

        __slots__ = (
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 534

        def __init__(self, *, host: str = "", port: int = 0) -> None:
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None

    class TopicPartition(Struct):
        """Part of StreamsGroupHeartbeatResponse."""

        __slots__ = (
            "topic",
            "partitions",
        )
        STRUCT: ClassVar[int] = 535

        def __init__(self, *, topic: str = "", partitions: list[int] = UNSET) -> None:
            self.topic = topic
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
