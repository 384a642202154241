# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""StreamsGroupTopologyValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class StreamsGroupTopologyValue(Message):
    """Value of a coordinator's record, key 23, version 0."""

    API_KEY: ClassVar[int] = 23
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "epoch",
        "subtopologies",
    )
    STRUCT: ClassVar[int] = 549

    def __init__(self, *, epoch: int = 0, subtopologies: list[StreamsGroupTopologyValue.Subtopology] = UNSET) -> None:
        self.epoch = epoch
        self.subtopologies: list[StreamsGroupTopologyValue.Subtopology] = (
            [] if subtopologies is UNSET else subtopologies
        )
        self.unknown_tagged_fields = None

    class Subtopology(Struct):
        """Part of StreamsGroupTopologyValue."""

        __slots__ = (
            "subtopology_id",
            "source_topics",
            "source_topic_regex",
            "state_changelog_topics",
            "repartition_sink_topics",
            "repartition_source_topics",
            "copartition_groups",
        )
        STRUCT: ClassVar[int] = 550

        def __init__(
            self,
            *,
            subtopology_id: str = "",
            source_topics: list[str] = UNSET,
            source_topic_regex: list[str] = UNSET,
            state_changelog_topics: list[StreamsGroupTopologyValue.TopicInfo] = UNSET,
            repartition_sink_topics: list[str] = UNSET,
            repartition_source_topics: list[StreamsGroupTopologyValue.TopicInfo] = UNSET,
            copartition_groups: list[StreamsGroupTopologyValue.CopartitionGroup] = UNSET,
        ) -> None:
            self.subtopology_id = subtopology_id
            self.source_topics: list[str] = [] if source_topics is UNSET else source_topics
            self.source_topic_regex: list[str] = [] if source_topic_regex is UNSET else source_topic_regex
            self.state_changelog_topics: list[StreamsGroupTopologyValue.TopicInfo] = (
                [] if state_changelog_topics is UNSET else state_changelog_topics
            )
            self.repartition_sink_topics: list[str] = (
                [] if repartition_sink_topics is UNSET else repartition_sink_topics
            )
            self.repartition_source_topics: list[StreamsGroupTopologyValue.TopicInfo] = (
                [] if repartition_source_topics is UNSET else repartition_source_topics
            )
            self.copartition_groups: list[StreamsGroupTopologyValue.CopartitionGroup] = (
                [] if copartition_groups is UNSET else copartition_groups
            )
            self.unknown_tagged_fields = None

    class TopicInfo(Struct):
        """Part of StreamsGroupTopologyValue."""

        __slots__ = (
            "name",
            "partitions",
            "replication_factor",
            "topic_configs",
        )
        STRUCT: ClassVar[int] = 551

        def __init__(
            self,
            *,
            name: str = "",
            partitions: int = 0,
            replication_factor: int = 0,
            topic_configs: list[StreamsGroupTopologyValue.TopicConfig] = UNSET,
        ) -> None:
            self.name = name
            self.partitions = partitions
            self.replication_factor = replication_factor
            self.topic_configs: list[StreamsGroupTopologyValue.TopicConfig] = (
                [] if topic_configs is UNSET else topic_configs
            )
            self.unknown_tagged_fields = None

    class TopicConfig(Struct):
        """Part of StreamsGroupTopologyValue."""

        __slots__ = (
            "key",
            "value",
        )
        STRUCT: ClassVar[int] = 552

        def __init__(self, *, key: str = "", value: str = "") -> None:
            self.key = key
            self.value = value
            self.unknown_tagged_fields = None

    class CopartitionGroup(Struct):
        """Part of StreamsGroupTopologyValue."""

        __slots__ = (
            "source_topics",
            "source_topic_regex",
            "repartition_source_topics",
        )
        STRUCT: ClassVar[int] = 553

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
