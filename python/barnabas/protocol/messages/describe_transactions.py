# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeTransactions, key 65."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeTransactionsRequest(Message):
    """Request of DescribeTransactions, key 65, version 0."""

    API_KEY: ClassVar[int] = 65
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("transactional_ids",)
    STRUCT: ClassVar[int] = 243

    def __init__(self, *, transactional_ids: list[str] = UNSET) -> None:
        self.transactional_ids: list[str] = [] if transactional_ids is UNSET else transactional_ids
        self.unknown_tagged_fields = None


class DescribeTransactionsResponse(Message):
    """Response of DescribeTransactions, key 65, version 0."""

    API_KEY: ClassVar[int] = 65
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "transaction_states",
    )
    STRUCT: ClassVar[int] = 244

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        transaction_states: list[DescribeTransactionsResponse.TransactionState] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.transaction_states: list[DescribeTransactionsResponse.TransactionState] = (
            [] if transaction_states is UNSET else transaction_states
        )
        self.unknown_tagged_fields = None

    class TransactionState(Struct):
        """Part of DescribeTransactionsResponse."""

        __slots__ = (
            "error_code",
            "transactional_id",
            "transaction_state",
            "transaction_timeout_ms",
            "transaction_start_time_ms",
            "producer_id",
            "producer_epoch",
            "topics",
        )
        STRUCT: ClassVar[int] = 245

        def __init__(
            self,
            *,
            error_code: int = 0,
            transactional_id: str = "",
            transaction_state: str = "",
            transaction_timeout_ms: int = 0,
            transaction_start_time_ms: int = 0,
            producer_id: int = 0,
            producer_epoch: int = 0,
            topics: list[DescribeTransactionsResponse.TopicData] = UNSET,
        ) -> None:
            self.error_code = error_code
            self.transactional_id = transactional_id
            self.transaction_state = transaction_state
            self.transaction_timeout_ms = transaction_timeout_ms
            self.transaction_start_time_ms = transaction_start_time_ms
            self.producer_id = producer_id
            self.producer_epoch = producer_epoch
            self.topics: list[DescribeTransactionsResponse.TopicData] = [] if topics is UNSET else topics
            self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of DescribeTransactionsResponse."""

        __slots__ = (
            "topic",
            "partitions",
        )
        STRUCT: ClassVar[int] = 246

        def __init__(self, *, topic: str = "", partitions: list[int] = UNSET) -> None:
            self.topic = topic
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
