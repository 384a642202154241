# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""StreamsGroupDescribe, key 89."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class StreamsGroupDescribeRequest(Message):
    """Request of StreamsGroupDescribe, key 89, version 0."""

    API_KEY: ClassVar[int] = 89
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_ids",
        "include_authorized_operations",
    )
    STRUCT: ClassVar[int] = 509

    def __init__(self, *, group_ids: list[str] = UNSET, include_authorized_operations: bool = False) -> None:
        self.group_ids: list[str] = [] if group_ids is UNSET else group_ids
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tagged_fields = None


class StreamsGroupDescribeResponse(Message):
    """Response of StreamsGroupDescribe, key 89, version 0."""

    API_KEY: ClassVar[int] = 89
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "groups",
    )
    STRUCT: ClassVar[int] = 510

    def __init__(
        self, *, throttle_time_ms: int = 0, groups: list[StreamsGroupDescribeResponse.DescribedGroup] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups: list[StreamsGroupDescribeResponse.DescribedGroup] = [] if groups is UNSET else groups
        self.unknown_tagged_fields = None

    class DescribedGroup(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "group_id",
            "group_state",
            "group_epoch",
            "assignment_epoch",
            "topology",
            "members",
            "authorized_operations",
        )
        STRUCT: ClassVar[int] = 511

        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = None,
            group_id: str = "",
            group_state: str = "",
            group_epoch: int = 0,
            assignment_epoch: int = 0,
            topology: StreamsGroupDescribeResponse.Topology | None = None,
            members: list[StreamsGroupDescribeResponse.Member] = UNSET,
            authorized_operations: int = -2147483648,
        ) -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.group_id = group_id
            self.group_state = group_state
            self.group_epoch = group_epoch
            self.assignment_epoch = assignment_epoch
            self.topology = topology
            self.members: list[StreamsGroupDescribeResponse.Member] = [] if members is UNSET else members
            self.authorized_operations = authorized_operations
            self.unknown_tagged_fields = None

    class Topology(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "epoch",
            "subtopologies",
        )
        STRUCT: ClassVar[int] = 512

        def __init__(
            self, *, epoch: int = 0, subtopologies: list[StreamsGroupDescribeResponse.Subtopology] | None = None
        ) -> None:
            self.epoch = epoch
            self.subtopologies = subtopologies
            self.unknown_tagged_fields = None

    class Subtopology(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "subtopology_id",
            "source_topics",
            "repartition_sink_topics",
            "state_changelog_topics",
            "repartition_source_topics",
        )
        STRUCT: ClassVar[int] = 513

        def __init__(
            self,
            *,
            subtopology_id: str = "",
            source_topics: list[str] = UNSET,
            repartition_sink_topics: list[str] = UNSET,
            state_changelog_topics: list[StreamsGroupDescribeResponse.TopicInfo] = UNSET,
            repartition_source_topics: list[StreamsGroupDescribeResponse.TopicInfo] = UNSET,
        ) -> None:
            self.subtopology_id = subtopology_id
            self.source_topics: list[str] = [] if source_topics is UNSET else source_topics
            self.repartition_sink_topics: list[str] = (
                [] if repartition_sink_topics is UNSET else repartition_sink_topics
            )
            self.state_changelog_topics: list[StreamsGroupDescribeResponse.TopicInfo] = (
                [] if state_changelog_topics is UNSET else state_changelog_topics
            )
            self.repartition_source_topics: list[StreamsGroupDescribeResponse.TopicInfo] = (
                [] if repartition_source_topics is UNSET else repartition_source_topics
            )
            self.unknown_tagged_fields = None

    class TopicInfo(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "name",
            "partitions",
            "replication_factor",
            "topic_configs",
        )
        STRUCT: ClassVar[int] = 514

        def __init__(
            self,
            *,
            name: str = "",
            partitions: int = 0,
            replication_factor: int = 0,
            topic_configs: list[StreamsGroupDescribeResponse.KeyValue] = UNSET,
        ) -> None:
            self.name = name
            self.partitions = partitions
            self.replication_factor = replication_factor
            self.topic_configs: list[StreamsGroupDescribeResponse.KeyValue] = (
                [] if topic_configs is UNSET else topic_configs
            )
            self.unknown_tagged_fields = None

    class KeyValue(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "key",
            "value",
        )
        STRUCT: ClassVar[int] = 515

        def __init__(self, *, key: str = "", value: str = "") -> None:
            self.key = key
            self.value = value
            self.unknown_tagged_fields = None

    class Member(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "member_id",
            "member_epoch",
            "instance_id",
            "rack_id",
            "client_id",
            "client_host",
            "topology_epoch",
            "process_id",
            "user_endpoint",
            "client_tags",
            "task_offsets",
            "task_end_offsets",
            "assignment",
            "target_assignment",
            "is_classic",
        )
        STRUCT: ClassVar[int] = 516

        def __init__(
            self,
            *,
            member_id: str = "",
            member_epoch: int = 0,
            instance_id: str | None = None,
            rack_id: str | None = None,
            client_id: str = "",
            client_host: str = "",
            topology_epoch: int = 0,
            process_id: str = "",
            user_endpoint: StreamsGroupDescribeResponse.Endpoint | None = None,
            client_tags: list[StreamsGroupDescribeResponse.KeyValue] = UNSET,
            task_offsets: list[StreamsGroupDescribeResponse.TaskOffset] = UNSET,
            task_end_offsets: list[StreamsGroupDescribeResponse.TaskOffset] = UNSET,
            assignment: StreamsGroupDescribeResponse.Assignment = UNSET,
            target_assignment: StreamsGroupDescribeResponse.Assignment = UNSET,
            is_classic: bool = False,
        ) -> None:
            self.member_id = member_id
            self.member_epoch = member_epoch
            self.instance_id = instance_id
            self.rack_id = rack_id
            self.client_id = client_id
            self.client_host = client_host
            self.topology_epoch = topology_epoch
            self.process_id = process_id
            self.user_endpoint = user_endpoint
            self.client_tags: list[StreamsGroupDescribeResponse.KeyValue] = [] if client_tags is UNSET else client_tags
            self.task_offsets: list[StreamsGroupDescribeResponse.TaskOffset] = (
                [] if task_offsets is UNSET else task_offsets
            )
            self.task_end_offsets: list[StreamsGroupDescribeResponse.TaskOffset] = (
                [] if task_end_offsets is UNSET else task_end_offsets
            )
            self.assignment: StreamsGroupDescribeResponse.Assignment = (
                StreamsGroupDescribeResponse.Assignment() if assignment is UNSET else assignment
            )
            self.target_assignment: StreamsGroupDescribeResponse.Assignment = (
                StreamsGroupDescribeResponse.Assignment() if target_assignment is UNSET else target_assignment
            )
            self.is_classic = is_classic
            self.unknown_tagged_fields = None

    class Endpoint(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 517

        def __init__(self, *, host: str = "", port: int = 0) -> None:
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None

    class TaskOffset(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "subtopology_id",
            "partition",
            "offset",
        )
        STRUCT: ClassVar[int] = 518

        def __init__(self, *, subtopology_id: str = "", partition: int = 0, offset: int = 0) -> None:
            self.subtopology_id = subtopology_id
            self.partition = partition
            self.offset = offset
            self.unknown_tagged_fields = None

    class Assignment(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "active_tasks",
            "standby_tasks",
            "warmup_tasks",
        )
        STRUCT: ClassVar[int] = 519

        def __init__(
            self,
            *,
            active_tasks: list[StreamsGroupDescribeResponse.TaskIds] = UNSET,
            standby_tasks: list[StreamsGroupDescribeResponse.TaskIds] = UNSET,
            warmup_tasks: list[StreamsGroupDescribeResponse.TaskIds] = UNSET,
        ) -> None:
            self.active_tasks: list[StreamsGroupDescribeResponse.TaskIds] = (
                [] if active_tasks is UNSET else active_tasks
            )
            self.standby_tasks: list[StreamsGroupDescribeResponse.TaskIds] = (
                [] if standby_tasks is UNSET else standby_tasks
            )
            self.warmup_tasks: list[StreamsGroupDescribeResponse.TaskIds] = (
                [] if warmup_tasks is UNSET else warmup_tasks
            )
            self.unknown_tagged_fields = None

    class TaskIds(Struct):
        """Part of StreamsGroupDescribeResponse."""

        __slots__ = (
            "subtopology_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 520

        def __init__(self, *, subtopology_id: str = "", partitions: list[int] = UNSET) -> None:
            self.subtopology_id = subtopology_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
