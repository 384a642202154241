"""Option latestPerKey: the latest record of each key of a partition, as a table that a compacted topic stands for.

A partition is read twice: first keys, offsets and which values are null, to find out which records are the latest, then
those records alone. What was overwritten is so never decoded, and a task keeps keys in memory, not values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from barnabas.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from barnabas.spark.schemas import Decoding
    from barnabas.types import TopicPartition

__all__ = ["KEYS", "latest_offsets", "leaves_out_null_keys"]

KEYS: Final = pa.schema([("key", pa.binary()), ("value", pa.binary()), ("offset", pa.int64())])
"""The columns by which it is found out which records are the latest."""
_ROWS_UNMERGED: Final = 500_000
"""Fewest rows that are gathered before the keys among them are brought together."""


def leaves_out_null_keys(decoding: Decoding) -> bool:
    """Whether a read's conditions drop records without a key, so that it does not matter which of them is the latest.

    Args:
        decoding: How records become rows, and which of them are wanted.
    """
    return any(
        condition.column == "key" and condition.test != "is null" and "key" in decoding.record_columns()
        for condition in decoding.conditions
    )


def latest_offsets(
    batches: Iterable[pa.RecordBatch], partition: TopicPartition, *, keep_tombstones: bool, skip_null_keys: bool
) -> pa.Int64Array:
    """The offsets of the latest records of all keys, in ascending order.

    Args:
        batches: All records of the partition with the columns of `KEYS`.
        partition: The partition, for errors.
        keep_tombstones: Whether a key whose latest value is null counts; otherwise it is not in the table.
        skip_null_keys: Whether records without a key are passed over; otherwise they are an error.

    Raises:
        ConfigError: A record has no key.
    """
    # The latest record has the highest mark: twice its offset, and one more if its value is null.
    seen = pa.table({"key": pa.array([], pa.large_binary()), "mark": pa.array([], pa.int64())})
    unmerged: list[pa.Table] = []
    rows = 0
    for batch in batches:
        keys, offsets = batch.column("key"), batch.column("offset")
        if keys.null_count and not skip_null_keys:
            first = pc.filter(offsets, pc.is_null(keys))[0].as_py()
            raise ConfigError(
                f"latestPerKey=true: {partition.topic}-{partition.partition} has a record without a key at offset "
                f"{first}; to leave such records out, read the column key and set the option filter to: key IS NOT NULL"
            )
        marks = pc.add(pc.multiply(offsets, 2), pc.is_null(batch.column("value")).cast(pa.int64()))
        # 32-bit offsets would end at 2 GiB of keys.
        table = pa.table({"key": keys.cast(pa.large_binary()), "mark": marks})
        unmerged.append(table.filter(keys.is_valid()) if keys.null_count else table)
        rows += table.num_rows
        if rows >= max(_ROWS_UNMERGED, seen.num_rows):
            seen, unmerged, rows = _merged([seen, *unmerged]), [], 0
    marks = _merged([seen, *unmerged]).column("mark").combine_chunks()
    if not keep_tombstones:
        marks = marks.filter(pc.equal(pc.bit_wise_and(marks, 1), 0))
    offsets = pc.shift_right(marks, 1)
    return offsets.take(pc.sort_indices(offsets))


def _merged(tables: list[pa.Table]) -> pa.Table:
    """The highest mark of each key."""
    merged = pa.concat_tables(tables).group_by("key", use_threads=False).aggregate([("mark", "max")])
    return pa.table({"key": merged.column("key"), "mark": merged.column("mark_max")})
