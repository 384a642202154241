"""Refuses what cannot be meant by an argument of the clients, in words that say what can."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, Final

from barnabas.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "checked_offset",
    "checked_offsets",
    "checked_partition",
    "checked_partitions",
    "checked_timeout",
    "checked_topic",
    "checked_whole",
    "listed",
]

_GREATEST: Final = 2**63 - 1
_GREATEST_INDEX: Final = 2**31 - 1
_A_LIST: Final = "a partition is TopicPartition(topic, number), and here goes a list of them"


def checked_timeout(timeout: float) -> float:
    """A timeout that is one.

    Raises:
        TypeError: It is no number.
        ValueError: It is negative, which means for ever elsewhere, or nan.
    """
    try:
        is_in_time = timeout >= 0
    except TypeError:
        raise TypeError(f"timeout is a number of seconds, got {timeout!r}") from None
    if not is_in_time:
        raise ValueError(f"timeout must be at least 0 seconds, got {timeout}")
    return timeout


def checked_whole(name: str, given: object, least: int = 0) -> int:
    """A whole number of 63 bits, not below `least`.

    Raises:
        TypeError: It is no whole number.
        ValueError: It is too small or too great.
    """
    try:
        number = operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is a whole number, got {given!r}") from None
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")
    if number > _GREATEST:
        raise ValueError(f"{name} has 64 bits at most, got {number}")
    return number


def checked_topic(given: object) -> str:
    """The name of a topic.

    Raises:
        TypeError: It is no string.
        ValueError: It is empty.
    """
    if isinstance(given, str) and given:
        return given
    kind = ValueError if isinstance(given, str) else TypeError
    raise kind(f'a topic is a string that is not empty, such as "orders", got {given!r}')


def listed(name: str, given: Iterable[Any]) -> list[Any]:
    """What there is one of for each record, as a list.

    Raises:
        TypeError: It is one thing, and not one for each record.
    """
    if isinstance(given, list):
        return given
    if not isinstance(given, (str, bytes, bytearray, memoryview, dict)):
        try:
            return list(given)
        except TypeError:
            if hasattr(given, "__iter__"):
                raise
    raise TypeError(f"{name} is a list with an entry for each record, got {type(given).__name__}")


def checked_partition(given: object) -> TopicPartition:
    """A topic with a number.

    Raises:
        TypeError: It is something else.
        ValueError: The topic is empty, or no partition can have the number.
    """
    match given:
        case (str(topic), number) if hasattr(number, "__index__"):
            index = operator.index(number)
            if not 0 <= index <= _GREATEST_INDEX:
                raise ValueError(f"{topic} has no partition {index}: partitions count from 0, and have 31 bits")
            return TopicPartition(checked_topic(topic), index)
        case _:
            raise TypeError(f"a partition is TopicPartition(topic, number), or a tuple like it, got {given!r}")


def checked_partitions(given: object) -> list[TopicPartition]:
    """Topics with numbers.

    Raises:
        TypeError: They are something else.
        ValueError: As `checked_partition`.
    """
    if isinstance(given, str | TopicPartition) or not isinstance(given, Iterable):
        raise TypeError(f"{_A_LIST}, got {given!r}")
    return [checked_partition(each) for each in given]


def checked_offset(name: str, given: object) -> OffsetAndMetadata:
    """An offset, alone or with what is committed beside it.

    Raises:
        TypeError: A part of it has another type.
        ValueError: A number is out of its range.
    """
    if not isinstance(given, OffsetAndMetadata):
        return OffsetAndMetadata(checked_whole(name, given))
    offset, metadata, leader_epoch = given
    if not isinstance(metadata, str | None):
        raise TypeError(f"the metadata beside {name} is a string, got {metadata!r}")
    if leader_epoch is not None:
        # As the protocol writes it, -1 stands for none.
        leader_epoch = checked_whole(f"the leader epoch beside {name}", leader_epoch, -1)
    return OffsetAndMetadata(checked_whole(name, offset), metadata, leader_epoch)


def checked_offsets(given: object) -> dict[TopicPartition, OffsetAndMetadata]:
    """Offsets by partition.

    Raises:
        TypeError: They are something else.
        ValueError: As `checked_partition` and `checked_offset`.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"offsets are a dict of partitions and offsets, got {given!r}")
    found = {}
    for each, offset in given.items():
        partition = checked_partition(each)
        found[partition] = checked_offset(f"the offset of {partition.topic}-{partition.partition}", offset)
    return found
