"""The bytes that members of a group exchange through its coordinator: subscriptions and assignments.

They start with a version of their own, and readers accept newer versions by reading what they know of them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from barnabas.assignors.api import Subscription, java_order
from barnabas.errors import ProtocolError
from barnabas.protocol import codec
from barnabas.protocol.messages.consumer_protocol_assignment import ConsumerProtocolAssignment
from barnabas.protocol.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "PROTOCOL_TYPE",
    "decode_assignment",
    "decode_subscription",
    "encode_assignment",
    "encode_subscription",
    "version_of",
]

PROTOCOL_TYPE: Final = "consumer"
"""The protocol type of groups of consumers."""

_HIGHEST: Final = 3


def encode_subscription(subscription: Subscription) -> bytes:
    """Encodes a subscription as Kafka's clients do: in its newest version, topics and partitions sorted."""
    message = ConsumerProtocolSubscription(
        topics=sorted(subscription.topics, key=java_order),
        user_data=subscription.user_data,
        owned_partitions=[
            ConsumerProtocolSubscription.TopicPartition(topic=topic, partitions=partitions)
            for topic, partitions in _grouped(
                sorted(subscription.owned_partitions, key=lambda tp: (java_order(tp.topic), tp.partition))
            ).items()
        ],
        generation_id=subscription.generation_id,
        rack_id=subscription.rack_id,
    )
    return codec.encode_coordinator_record(message, _HIGHEST)


def decode_subscription(data: bytes, group_instance_id: str | None = None) -> Subscription:
    """Decodes a member's subscription.

    Raises:
        ProtocolError: The bytes are not a subscription.
    """
    message = codec.decode(ConsumerProtocolSubscription, version_of(data), memoryview(data)[2:], trailing=True)
    return Subscription(
        topics=tuple(message.topics),
        owned_partitions=tuple(
            TopicPartition(owned.topic, partition)
            for owned in message.owned_partitions
            for partition in owned.partitions
        ),
        user_data=message.user_data,
        generation_id=message.generation_id,
        rack_id=message.rack_id,
        group_instance_id=group_instance_id,
    )


def encode_assignment(
    partitions: Iterable[TopicPartition], user_data: bytes | None = None, *, version: int = _HIGHEST
) -> bytes:
    """Encodes what a member gets, topics in the order of their first partition."""
    message = ConsumerProtocolAssignment(
        assigned_partitions=[
            ConsumerProtocolAssignment.TopicPartition(topic=topic, partitions=numbers)
            for topic, numbers in _grouped(partitions).items()
        ],
        user_data=user_data,
    )
    return codec.encode_coordinator_record(message, version)


def decode_assignment(data: bytes) -> list[TopicPartition]:
    """Decodes what a member got; no bytes at all mean nothing was assigned.

    Raises:
        ProtocolError: The bytes are not an assignment.
    """
    if not data:
        return []
    message = codec.decode(ConsumerProtocolAssignment, version_of(data), memoryview(data)[2:], trailing=True)
    return [
        TopicPartition(assigned.topic, partition)
        for assigned in message.assigned_partitions
        for partition in assigned.partitions
    ]


def version_of(data: bytes) -> int:
    """Returns the version that subscription or assignment bytes begin with, at most the newest that is known here.

    Raises:
        ProtocolError: They are too short, or the version is negative.
    """
    if len(data) < 2:
        raise ProtocolError("consumer protocol data is shorter than its version")
    version = int.from_bytes(data[:2], "big", signed=True)
    if version < 0:
        raise ProtocolError(f"consumer protocol data has version {version}")
    return min(version, _HIGHEST)


def _grouped(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    grouped: dict[str, list[int]] = defaultdict(list)
    for topic, partition in partitions:
        grouped[topic].append(partition)
    return dict(grouped)
