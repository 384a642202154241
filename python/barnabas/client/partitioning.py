"""Partitioners that are callables: per record, or for many keys at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from barnabas.client.decoding import ByColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NAMES", "SYNONYMS", "CallablePartitioner", "has_partitions"]

NAMES: Final = (
    "default",
    "round_robin",
    "uniform_sticky",
    "consistent",
    "consistent_random",
    "murmur2",
    "murmur2_random",
    "fnv1a",
    "fnv1a_random",
    "random",
)

SYNONYMS: Final = {
    f"org.apache.kafka.clients.producer.{java}partitioner": name
    for java, name in {
        "internals.default": "default",
        "roundrobin": "round_robin",
        "uniformsticky": "uniform_sticky",
    }.items()
}
"""Java's classes, in lower case."""


class CallablePartitioner:
    """Asks a callable `(topic, key, partition_count)`, or one of `by_column` with a list of keys.

    Args:
        function: What the user gave.
    """

    __slots__ = ("_function", "_is_by_column")

    def __init__(self, function: Any) -> None:
        self._is_by_column = isinstance(function, ByColumn)
        self._function = function.function if self._is_by_column else function

    def one(self, topic: str, key: Any, count: int) -> int | None:
        """The partition of one record; None leaves it to the default.

        Raises:
            ValueError: The callable's answer is no partition of the topic.
        """
        if self._is_by_column:
            (answer,) = self.many(topic, [key], count)
            return answer
        return _checked(self._function(topic, key, count), topic, count)

    def many(self, topic: str, keys: Sequence[Any], count: int) -> list[int | None]:
        """The partitions of many records.

        Raises:
            ValueError: An answer is no partition of the topic, or there are more or fewer answers than keys.
        """
        if not self._is_by_column:
            return [_checked(self._function(topic, key, count), topic, count) for key in keys]
        answers = self._function(topic, keys, count)
        # Arrays of numpy and pyarrow give numbers of their own kinds, a list has Python's.
        answers = answers.tolist() if hasattr(answers, "tolist") else list(answers)
        if len(answers) != len(keys):
            raise ValueError(f"the partitioner made {len(answers)} partitions for {len(keys)} keys")
        return [_checked(answer, topic, count) for answer in answers]

    def table(self, topic: str, table: Any, count: int) -> Any:
        """A table for `send_table` with the column `partition`: as the table has it, else as the callable says.

        Raises:
            ImportError: pyarrow is not installed.
            ValueError: An answer is no partition of the topic, or rows name topics of their own.
        """
        try:
            import pyarrow as pa  # noqa: PLC0415 - only where a callable chooses for tables
        except ImportError:
            raise ImportError(
                "send_table() with a callable partitioner needs pyarrow (pip install pyarrow); or give the table a "
                "column partition"
            ) from None
        table = pa.table(table)
        if "topic" in table.column_names:
            raise ValueError("a callable partitioner chooses for one topic: give the table a column partition, too")
        keys = table["key"].to_pylist() if "key" in table.column_names else [None] * table.num_rows
        keys = [key.encode() if isinstance(key, str) else key for key in keys]
        return table.append_column("partition", pa.array(self.many(topic, keys, count), pa.int32()))


def has_partitions(table: Any) -> bool:
    """Whether a table has a column `partition`, as far as one can tell without reading it."""
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None and hasattr(table, "schema"):
        names = getattr(table.schema, "names", None)
    return names is not None and "partition" in names


def _checked(answer: Any, topic: str, count: int) -> int | None:
    if answer is None or (type(answer) is int and 0 <= answer < count):
        return answer
    raise ValueError(
        f"the partitioner chose {answer!r} for {topic}, which has {count} partitions: return a number from 0 to "
        f"{count - 1}, or None for the default"
    )
