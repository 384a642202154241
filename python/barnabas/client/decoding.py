"""Between the fetcher and the application: deserializers, what becomes of records that they refuse, interceptors.

No I/O: whoever polls sends dead letters and moves positions as this module says.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, overload

from barnabas.client.core import NO_RECORDS, Record, Records
from barnabas.client.serializers import deserializer
from barnabas.errors import DeserializationError
from barnabas.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from barnabas.config import Options

__all__ = ["ConsumerInterceptor", "Decoded", "DecodedRecord", "DecodedRecords", "Decoder", "Interceptors", "by_column"]

_log = logging.getLogger("barnabas.consumer")

RAISE: Final = "raise"
SKIP: Final = "skip"
DEAD_LETTER: Final = "dead_letter"
_REMEDY: Final = "seek() past the record, or have such records skipped or set aside: barnabas_deserialization_failure"


class ConsumerInterceptor(Protocol):
    """Sees, and may change, what a consumer hands out, a poll at a time. An exception is logged and changes nothing."""

    def on_consume(self, records: Any) -> Any:
        """Called with what `poll` is about to return; returns what it shall return."""

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """Called after offsets have been committed."""

    def close(self) -> None:
        """Called when the consumer is closed."""


class ByColumn:
    """A deserializer of many values at once; see `by_column`."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[list[bytes | None]], Sequence[Any]]) -> None:
        self.function = function

    def __call__(self, value: bytes) -> Any:
        (made,) = self.function([value])
        return made


def by_column(function: Callable[[list[bytes | None]], Sequence[Any]]) -> ByColumn:
    r"""Makes a deserializer that is called once per poll, with all values (None where one is null), not per record.

    It returns a sequence of the same length. When it raises, it is called for each value alone, to find the one that it
    refuses.

    Example:
        >>> upper = by_column(lambda values: b"\n".join(values).decode().upper().split("\n"))
        >>> upper.function([b"a", b"b"])
        ['A', 'B']
    """
    return ByColumn(function)


class DecodedRecord:
    """A record whose key and value went through the consumer's deserializers; `raw` is the record as it was read."""

    __slots__ = ("key", "raw", "value")

    def __init__(self, raw: Record, key: Any, value: Any) -> None:
        self.raw = raw
        self.key = key
        self.value = value

    @property
    def topic(self) -> str:
        """The record's topic."""
        return self.raw.topic

    @property
    def partition(self) -> int:
        """The record's partition."""
        return self.raw.partition

    @property
    def offset(self) -> int:
        """The record's offset in its partition."""
        return self.raw.offset

    @property
    def timestamp(self) -> int:
        """Milliseconds since the epoch, -1 if the producer gave none."""
        return self.raw.timestamp

    @property
    def timestamp_type(self) -> int:
        """What the timestamp is: 0 create time, 1 log append time, -1 none."""
        return self.raw.timestamp_type

    @property
    def leader_epoch(self) -> int | None:
        """The leader epoch of the record's batch, None if it is unknown."""
        return self.raw.leader_epoch

    @property
    def headers(self) -> list[tuple[str, bytes | None]]:
        """The headers as pairs of name and value, in their order."""
        return self.raw.headers

    def __repr__(self) -> str:
        where = f"topic={self.topic!r}, partition={self.partition}, offset={self.offset}"
        return f"DecodedRecord({where}, key={self.key!r}, value={self.value!r})"


class DecodedRecords(Sequence[DecodedRecord]):
    """What `poll` returns with deserializers: as `Records`, with objects in place of bytes."""

    __slots__ = ("_keys", "_places", "_values", "raw")

    def __init__(self, raw: Records, keys: Sequence[Any], values: Sequence[Any], places: Sequence[int]) -> None:
        self.raw = raw
        """All that was read, refused records included."""
        self._keys = keys
        self._values = values
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> DecodedRecord: ...
    @overload
    def __getitem__(self, index: slice) -> DecodedRecords: ...
    def __getitem__(self, index: int | slice) -> DecodedRecord | DecodedRecords:
        if isinstance(index, slice):
            return DecodedRecords(self.raw, self._keys[index], self._values[index], self._places[index])
        return DecodedRecord(self.raw[self._places[index]], self._keys[index], self._values[index])

    def __iter__(self) -> Iterator[DecodedRecord]:
        for place, key, value in zip(self._places, self._keys, self._values, strict=True):
            yield DecodedRecord(self.raw[place], key, value)

    def values(self) -> list[Any]:
        """The deserialized values."""
        return list(self._values)

    def keys(self) -> list[Any]:
        """The deserialized keys."""
        return list(self._keys)

    def offsets(self) -> list[int]:
        """The offsets."""
        return self._picked(self.raw.offsets())

    def timestamps(self) -> list[int]:
        """The timestamps, milliseconds since the epoch."""
        return self._picked(self.raw.timestamps())

    def by_partition(self) -> dict[TopicPartition, DecodedRecords]:
        """The records of each partition, in the order of first appearance."""
        places: dict[TopicPartition, list[int]] = {}
        for number, place in enumerate(self._places):
            record = self.raw[place]
            places.setdefault(TopicPartition(record.topic, record.partition), []).append(number)
        return {
            partition: DecodedRecords(
                self.raw,
                [self._keys[number] for number in numbers],
                [self._values[number] for number in numbers],
                [self._places[number] for number in numbers],
            )
            for partition, numbers in places.items()
        }

    def to_arrow(self, *args: Any, **kwargs: Any) -> pa.Table:
        """The records' bytes as a `pyarrow.Table`, as by `Records.to_arrow`; refused ones are left out."""
        table = self.raw.to_arrow(*args, **kwargs)
        return table if len(self._places) == len(self.raw) else table.take(list(self._places))

    def to_pandas(self, *args: Any, **kwargs: Any) -> Any:
        """The records' bytes as a `pandas.DataFrame`, by `to_arrow` with the same arguments."""
        return self.to_arrow(*args, **kwargs).to_pandas()

    def to_polars(self, *args: Any, **kwargs: Any) -> Any:
        """The records' bytes as a `polars.DataFrame`, by `to_arrow` with the same arguments. Needs polars."""
        import polars as pl  # noqa: PLC0415 - not needed otherwise

        return pl.from_arrow(self.to_arrow(*args, **kwargs))

    def detach(self) -> DecodedRecords:
        """The same records, their bytes in a buffer of their own, so that what was fetched with them can be freed."""
        return DecodedRecords(self.raw.detach(), self._keys, self._values, self._places)

    def _picked(self, column: list[Any]) -> list[Any]:
        return column if len(self._places) == len(column) else [column[place] for place in self._places]

    def __repr__(self) -> str:
        return f"<DecodedRecords: {len(self)}>"


@dataclass(frozen=True, slots=True)
class Decoded:
    """What became of what was fetched."""

    records: Any
    """What is handed out: `Records`, or `DecodedRecords`."""
    refused: Sequence[DeserializationError] = ()
    """What is left out, to be told or to be sent on."""
    rest: Records = NO_RECORDS
    """What is to be read again: from a refused record on, when it is to be raised."""
    error: DeserializationError | None = None
    """What to raise once there is nothing before it to hand out."""


class Decoder:
    """Applies a consumer's deserializers and its policy for what they refuse."""

    def __init__(self, options: Options) -> None:
        functions = {part: deserializer(options[f"{part}.deserializer"]) for part in ("key", "value")}
        self._functions = {part: function for part, function in functions.items() if function is not None}
        self.policy: str = options["barnabas.deserialization.failure"]

    @property
    def is_needed(self) -> bool:
        """Whether there are deserializers."""
        return bool(self._functions)

    def decode(self, raw: Records) -> Decoded:
        """Deserializes what one poll fetched."""
        if not self._functions:
            return Decoded(raw)
        refused: dict[int, DeserializationError] = {}
        keys = self._column(raw, "key", raw.keys(), refused)
        values = self._column(raw, "value", raw.values(), refused)
        if not refused:
            return Decoded(DecodedRecords(raw, keys, values, range(len(raw))))
        if self.policy == RAISE:
            first = min(refused)
            handed = DecodedRecords(raw, keys[:first], values[:first], range(first))
            refused[first].add_note(_REMEDY)
            return Decoded(handed, rest=raw[first:], error=refused[first])
        places = [place for place in range(len(raw)) if place not in refused]
        handed = DecodedRecords(raw, [keys[place] for place in places], [values[place] for place in places], places)
        return Decoded(handed, [refused[place] for place in sorted(refused)])

    def _column(
        self, raw: Records, part: str, column: list[bytes | None], refused: dict[int, DeserializationError]
    ) -> Sequence[Any]:
        function = self._functions.get(part)
        if function is None:
            return column
        if isinstance(function, ByColumn):
            try:
                made = function.function(column)
            except Exception:  # noqa: BLE001 - whatever a user's function raises; each value alone shows which it is
                made = ()
            if len(made) == len(column):
                return made
        found: list[Any] = []
        for place, data in enumerate(column):
            try:
                found.append(None if data is None else function(data))
            except Exception as cause:  # noqa: BLE001 - as above
                found.append(None)
                if place not in refused:
                    refused[place] = _refusal(raw[place], part, cause)
        return found


def _refusal(record: Record, part: str, cause: Exception) -> DeserializationError:
    where = f"{record.topic}-{record.partition} at offset {record.offset}"
    told = f"the {part} of {where} could not be deserialized: {type(cause).__name__}: {cause}"
    error = DeserializationError(told, record=record, part=part)
    error.__cause__ = cause
    return error


class Interceptors:
    """Calls a consumer's interceptors, each with what the one before returned."""

    def __init__(self, interceptors: Sequence[Any]) -> None:
        self._interceptors = interceptors

    def on_consume(self, records: Any) -> Any:
        """What is handed out in place of `records`."""
        for interceptor in self._interceptors:
            records = _called(interceptor, "on_consume", records, otherwise=records)
        return records

    def on_commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        """Tells what was committed."""
        for interceptor in self._interceptors:
            _called(interceptor, "on_commit", offsets)

    def close(self) -> None:
        """Ends them."""
        for interceptor in self._interceptors:
            _called(interceptor, "close")


def _called(interceptor: Any, name: str, *arguments: Any, otherwise: Any = None) -> Any:
    method = getattr(interceptor, name, None)
    if method is None:
        return otherwise
    try:
        return method(*arguments)
    except Exception:  # noqa: BLE001 - whatever a user's method raises
        _log.exception("%s of the interceptor %r failed", name, interceptor)
        return otherwise
