"""Refuses what cannot be meant by an argument of the clients, in words that say what can."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["checked_partition", "checked_partitions", "checked_timeout"]


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


def checked_partition(given: object) -> TopicPartition:
    """A topic with a number.

    Raises:
        TypeError: It is something else.
        ValueError: The number is negative.
    """
    match given:
        case (str(topic), number) if hasattr(number, "__index__"):
            index = operator.index(number)
            if index < 0:
                raise ValueError(f"{topic} has no partition {index}: partitions count from 0")
            return TopicPartition(topic, index)
        case _:
            raise TypeError(f"a partition is TopicPartition(topic, number), or a tuple like it, got {given!r}")


def checked_partitions(given: Iterable[object]) -> list[TopicPartition]:
    """Topics with numbers.

    Raises:
        TypeError: They are something else.
        ValueError: A number is negative.
    """
    if isinstance(given, (str, TopicPartition)):
        raise TypeError(f"a partition is TopicPartition(topic, number), and here goes a list of them, got {given!r}")
    return [checked_partition(each) for each in given]
