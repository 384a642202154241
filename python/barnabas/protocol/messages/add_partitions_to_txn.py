# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AddPartitionsToTxn, key 24."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class AddPartitionsToTxnRequest(Message):
    """Request of AddPartitionsToTxn, key 24, versions 0 to 5."""

    API_KEY: ClassVar[int] = 24
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "transactions",
        "v3_and_below_transactional_id",
        "v3_and_below_producer_id",
        "v3_and_below_producer_epoch",
        "v3_and_below_topics",
    )
    STRUCT: ClassVar[int] = 4

    def __init__(
        self,
        *,
        transactions: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction] = UNSET,
        v3_and_below_transactional_id: str = "",
        v3_and_below_producer_id: int = 0,
        v3_and_below_producer_epoch: int = 0,
        v3_and_below_topics: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTopic] = UNSET,
    ) -> None:
        self.transactions: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction] = (
            [] if transactions is UNSET else transactions
        )
        self.v3_and_below_transactional_id = v3_and_below_transactional_id
        self.v3_and_below_producer_id = v3_and_below_producer_id
        self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
        self.v3_and_below_topics: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTopic] = (
            [] if v3_and_below_topics is UNSET else v3_and_below_topics
        )
        self.unknown_tagged_fields = None

    class AddPartitionsToTxnTransaction(Struct):
        """Part of AddPartitionsToTxnRequest."""

        __slots__ = (
            "transactional_id",
            "producer_id",
            "producer_epoch",
            "verify_only",
            "topics",
        )
        STRUCT: ClassVar[int] = 5

        def __init__(
            self,
            *,
            transactional_id: str = "",
            producer_id: int = 0,
            producer_epoch: int = 0,
            verify_only: bool = False,
            topics: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTopic] = UNSET,
        ) -> None:
            self.transactional_id = transactional_id
            self.producer_id = producer_id
            self.producer_epoch = producer_epoch
            self.verify_only = verify_only
            self.topics: list[AddPartitionsToTxnRequest.AddPartitionsToTxnTopic] = [] if topics is UNSET else topics
            self.unknown_tagged_fields = None

    class AddPartitionsToTxnTopic(Struct):
        """Part of AddPartitionsToTxnRequest."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 6

        def __init__(self, *, name: str = "", partitions: list[int] = UNSET) -> None:
            self.name = name
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None


class AddPartitionsToTxnResponse(Message):
    """Response of AddPartitionsToTxn, key 24, versions 0 to 5."""

    API_KEY: ClassVar[int] = 24
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "results_by_transaction",
        "results_by_topic_v3_and_below",
    )
    STRUCT: ClassVar[int] = 7

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results_by_transaction: list[AddPartitionsToTxnResponse.AddPartitionsToTxnResult] = UNSET,
        results_by_topic_v3_and_below: list[AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction: list[AddPartitionsToTxnResponse.AddPartitionsToTxnResult] = (
            [] if results_by_transaction is UNSET else results_by_transaction
        )
        self.results_by_topic_v3_and_below: list[AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult] = (
            [] if results_by_topic_v3_and_below is UNSET else results_by_topic_v3_and_below
        )
        self.unknown_tagged_fields = None

    class AddPartitionsToTxnResult(Struct):
        """Part of AddPartitionsToTxnResponse."""

        __slots__ = (
            "transactional_id",
            "topic_results",
        )
        STRUCT: ClassVar[int] = 8

        def __init__(
            self,
            *,
            transactional_id: str = "",
            topic_results: list[AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult] = UNSET,
        ) -> None:
            self.transactional_id = transactional_id
            self.topic_results: list[AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult] = (
                [] if topic_results is UNSET else topic_results
            )
            self.unknown_tagged_fields = None

    class AddPartitionsToTxnTopicResult(Struct):
        """Part of AddPartitionsToTxnResponse."""

        __slots__ = (
            "name",
            "results_by_partition",
        )
        STRUCT: ClassVar[int] = 9

        def __init__(
            self,
            *,
            name: str = "",
            results_by_partition: list[AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult] = UNSET,
        ) -> None:
            self.name = name
            self.results_by_partition: list[AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult] = (
                [] if results_by_partition is UNSET else results_by_partition
            )
            self.unknown_tagged_fields = None

    class AddPartitionsToTxnPartitionResult(Struct):
        """Part of AddPartitionsToTxnResponse."""

        __slots__ = (
            "partition_index",
            "partition_error_code",
        )
        STRUCT: ClassVar[int] = 10

        def __init__(self, *, partition_index: int = 0, partition_error_code: int = 0) -> None:
            self.partition_index = partition_index
            self.partition_error_code = partition_error_code
            self.unknown_tagged_fields = None
