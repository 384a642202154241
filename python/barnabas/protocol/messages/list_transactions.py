# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ListTransactions, key 66."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ListTransactionsRequest(Message):
    """Request of ListTransactions, key 66, versions 0 to 2."""

    API_KEY: ClassVar[int] = 66
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "state_filters",
        "producer_id_filters",
        "duration_filter",
        "transactional_id_pattern",
    )
    STRUCT: ClassVar[int] = 352

    def __init__(
        self,
        *,
        state_filters: list[str] = UNSET,
        producer_id_filters: list[int] = UNSET,
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
    ) -> None:
        self.state_filters: list[str] = [] if state_filters is UNSET else state_filters
        self.producer_id_filters: list[int] = [] if producer_id_filters is UNSET else producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern
        self.unknown_tagged_fields = None


class ListTransactionsResponse(Message):
    """Response of ListTransactions, key 66, versions 0 to 2."""

    API_KEY: ClassVar[int] = 66
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "unknown_state_filters",
        "transaction_states",
    )
    STRUCT: ClassVar[int] = 353

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_state_filters: list[str] = UNSET,
        transaction_states: list[ListTransactionsResponse.TransactionState] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters: list[str] = [] if unknown_state_filters is UNSET else unknown_state_filters
        self.transaction_states: list[ListTransactionsResponse.TransactionState] = (
            [] if transaction_states is UNSET else transaction_states
        )
        self.unknown_tagged_fields = None

    class TransactionState(Struct):
        """Part of ListTransactionsResponse."""

        __slots__ = (
            "transactional_id",
            "producer_id",
            "transaction_state",
        )
        STRUCT: ClassVar[int] = 354

        def __init__(self, *, transactional_id: str = "", producer_id: int = 0, transaction_state: str = "") -> None:
            self.transactional_id = transactional_id
            self.producer_id = producer_id
            self.transaction_state = transaction_state
            self.unknown_tagged_fields = None
