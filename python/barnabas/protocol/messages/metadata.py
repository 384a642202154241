# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""Metadata, key 3."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class MetadataRequest(Message):
    """Request of Metadata, key 3, versions 0 to 13."""

    API_KEY: ClassVar[int] = 3
    VERSIONS: ClassVar[tuple[int, int]] = (0, 13)
    FLEXIBLE_FROM: ClassVar[int | None] = 9
    __slots__ = (
        "topics",
        "allow_auto_topic_creation",
        "include_cluster_authorized_operations",
        "include_topic_authorized_operations",
    )
    STRUCT: ClassVar[int] = 355

    def __init__(
        self,
        *,
        topics: list[MetadataRequest.MetadataRequestTopic] | None = UNSET,
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
    ) -> None:
        self.topics: list[MetadataRequest.MetadataRequestTopic] | None = [] if topics is UNSET else topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations
        self.unknown_tagged_fields = None

    class MetadataRequestTopic(Struct):
        """Part of MetadataRequest."""

        __slots__ = (
            "topic_id",
            "name",
        )
        STRUCT: ClassVar[int] = 356

        def __init__(self, *, topic_id: bytes = ZERO_UUID, name: str | None = "") -> None:
            self.topic_id = topic_id
            self.name = name
            self.unknown_tagged_fields = None


class MetadataResponse(Message):
    """Response of Metadata, key 3, versions 0 to 13."""

    API_KEY: ClassVar[int] = 3
    VERSIONS: ClassVar[tuple[int, int]] = (0, 13)
    FLEXIBLE_FROM: ClassVar[int | None] = 9
    __slots__ = (
        "throttle_time_ms",
        "brokers",
        "cluster_id",
        "controller_id",
        "topics",
        "cluster_authorized_operations",
        "error_code",
    )
    STRUCT: ClassVar[int] = 357

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        brokers: list[MetadataResponse.MetadataResponseBroker] = UNSET,
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: list[MetadataResponse.MetadataResponseTopic] = UNSET,
        cluster_authorized_operations: int = -2147483648,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers: list[MetadataResponse.MetadataResponseBroker] = [] if brokers is UNSET else brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics: list[MetadataResponse.MetadataResponseTopic] = [] if topics is UNSET else topics
        self.cluster_authorized_operations = cluster_authorized_operations
        self.error_code = error_code
        self.unknown_tagged_fields = None

    class MetadataResponseBroker(Struct):
        """Part of MetadataResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
            "rack",
        )
        STRUCT: ClassVar[int] = 358

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.rack = rack
            self.unknown_tagged_fields = None

    class MetadataResponseTopic(Struct):
        """Part of MetadataResponse."""

        __slots__ = (
            "error_code",
            "name",
            "topic_id",
            "is_internal",
            "partitions",
            "topic_authorized_operations",
        )
        STRUCT: ClassVar[int] = 359

        def __init__(
            self,
            *,
            error_code: int = 0,
            name: str | None = "",
            topic_id: bytes = ZERO_UUID,
            is_internal: bool = False,
            partitions: list[MetadataResponse.MetadataResponsePartition] = UNSET,
            topic_authorized_operations: int = -2147483648,
        ) -> None:
            self.error_code = error_code
            self.name = name
            self.topic_id = topic_id
            self.is_internal = is_internal
            self.partitions: list[MetadataResponse.MetadataResponsePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.topic_authorized_operations = topic_authorized_operations
            self.unknown_tagged_fields = None

    class MetadataResponsePartition(Struct):
        """Part of MetadataResponse."""

        __slots__ = (
            "error_code",
            "partition_index",
            "leader_id",
            "leader_epoch",
            "replica_nodes",
            "isr_nodes",
            "offline_replicas",
        )
        STRUCT: ClassVar[int] = 360

        def __init__(
            self,
            *,
            error_code: int = 0,
            partition_index: int = 0,
            leader_id: int = 0,
            leader_epoch: int = -1,
            replica_nodes: list[int] = UNSET,
            isr_nodes: list[int] = UNSET,
            offline_replicas: list[int] = UNSET,
        ) -> None:
            self.error_code = error_code
            self.partition_index = partition_index
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.replica_nodes: list[int] = [] if replica_nodes is UNSET else replica_nodes
            self.isr_nodes: list[int] = [] if isr_nodes is UNSET else isr_nodes
            self.offline_replicas: list[int] = [] if offline_replicas is UNSET else offline_replicas
            self.unknown_tagged_fields = None
