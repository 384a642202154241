# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerGroupRegularExpressionKey."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ConsumerGroupRegularExpressionKey(Message):
    """Key of a coordinator's record, key 16, version 0."""

    API_KEY: ClassVar[int] = 16
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "group_id",
        "regular_expression",
    )
    STRUCT: ClassVar[int] = 115

    def __init__(self, *, group_id: str = "", regular_expression: str = "") -> None:
        self.group_id = group_id
        self.regular_expression = regular_expression
        self.unknown_tagged_fields = None
