"""Offsets on the driver: where to start and end, and how they are written down."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import InputPartition

from barnabas import client
from barnabas.errors import NoOffsetForPartitionError, OffsetOutOfRangeError, UnknownTopicOrPartitionError
from barnabas.spark.given import EARLIEST, LATEST
from barnabas.spark.java_regex import compile_java_regex
from barnabas.spark.sizes import OffsetSizes
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from barnabas.spark.given import Start
    from barnabas.spark.options import ReadOptions

__all__ = [
    "BEGINNING",
    "REMEDY",
    "Cluster",
    "OffsetRange",
    "Offsets",
    "RangePartition",
    "TablePartition",
    "check_ranges",
    "from_json",
    "to_json",
]

Offsets = dict[TopicPartition, int]

BEGINNING: Final = "$beginning"
"""The key under which the end of a stream's first batch keeps the stream's start: no topic can have this name."""
_INTERNAL_TOPICS: Final = frozenset({"__consumer_offsets", "__share_group_state", "__transaction_state"})
_LISTING_AGE_S: Final = 1.0
"""How old the list of partitions may be that an idle stream looks at: Spark asks about 90 times a second."""


@dataclass(frozen=True)
class OffsetRange:
    """The offsets from `start` to before `end` of one partition."""

    topic: str
    partition: int
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


class RangePartition(InputPartition):
    """What one task reads: offset ranges, one after the other. Carries all that the task must know."""

    def __init__(self, ranges: tuple[OffsetRange, ...]) -> None:
        super().__init__(None)
        self.ranges = ranges

    def __repr__(self) -> str:
        return f"RangePartition({self.ranges!r})"


class TablePartition(RangePartition):
    """What one task reads under latestPerKey: beside each range the end of the records that a key's latest is among."""

    def __init__(self, ranges: tuple[OffsetRange, ...], ends: tuple[int, ...]) -> None:
        super().__init__(ranges)
        self.ends = ends

    def __repr__(self) -> str:
        return f"TablePartition({self.ranges!r}, {self.ends!r})"


def to_json(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    """Offsets as Spark keeps them: by topic and by partition as text, in a fixed order.

    Spark compares offsets as JSON text, so that another order would look like new data.

    Args:
        offsets: Offsets by partition.
    """
    found: dict[str, dict[str, int]] = {}
    for topic, partition in sorted(offsets):
        found.setdefault(topic, {})[str(partition)] = offsets[TopicPartition(topic, partition)]
    return found


def from_json(offsets: Mapping[str, Mapping[str, Any]] | str) -> Offsets:
    """The inverse of `to_json`; what is not about a topic is left out.

    Args:
        offsets: What `to_json` gave, or its JSON text.
    """
    tree = json.loads(offsets) if isinstance(offsets, str) else offsets
    return {
        TopicPartition(topic, int(partition)): offset
        for topic, partitions in tree.items()
        if topic != BEGINNING
        for partition, offset in partitions.items()
    }


class Cluster:
    """What the driver asks the brokers: partitions, and offsets by position or by time.

    Args:
        options: The read's options.
    """

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._pattern = None if options.pattern is None else compile_java_regex(options.pattern)
        self._consumer = client.Consumer(config={**options.client, "allow.auto.create.topics": "false"})
        self._listed: tuple[float, list[TopicPartition]] | None = None
        self._sizes = OffsetSizes(options.client)

    def close(self) -> None:
        """Closes the connections."""
        self._consumer.close()
        self._sizes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def partitions(self) -> list[TopicPartition]:
        """The partitions to read, in order, as they are now.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic or partition.
        """
        options = self._options
        if options.partitions:
            topics = {partition.topic for partition in options.partitions}
            known = {partition for topic in topics for partition in self._of(topic)}
            for partition in options.partitions:
                if partition not in known:
                    raise UnknownTopicOrPartitionError("option assign names a missing one", topic_partition=partition)
            return list(options.partitions)
        if self._pattern is not None:
            listed = self._consumer.list_topics()
            return sorted(
                TopicPartition(topic, info.partition)
                for topic, found in listed.items()
                if topic not in _INTERNAL_TOPICS and self._pattern.fullmatch(topic)
                for info in found
            )
        return sorted(partition for topic in options.topics for partition in self._of(topic))

    def unwanted(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Those of some partitions that the options do not ask for, whether they are there or not.

        Args:
            partitions: Partitions that were asked for once.
        """
        options = self._options
        if options.partitions:
            return sorted(set(partitions).difference(options.partitions))
        if self._pattern is not None:
            return sorted(partition for partition in partitions if not self._pattern.fullmatch(partition.topic))
        return sorted(partition for partition in partitions if partition.topic not in options.topics)

    def partitions_lately(self) -> list[TopicPartition]:
        """The partitions to read as they were a second ago or later.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic or partition.
        """
        now = time.monotonic()
        if self._listed is None or now - self._listed[0] > _LISTING_AGE_S:
            self._listed = (now, self.partitions())
        return self._listed[1]

    def missing(self, partitions: Iterable[TopicPartition]) -> set[TopicPartition]:
        """Those of some partitions that are not there any more: the brokers would be asked for their offsets in vain.

        Args:
            partitions: Partitions that were there once.
        """
        unlisted = set(partitions).difference(self.partitions_lately())
        found = {topic: self._consumer.partitions_for(topic) for topic in {partition.topic for partition in unlisted}}
        return unlisted - {TopicPartition(topic, info.partition) for topic, infos in found.items() for info in infos}

    def earliest(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """The first offsets of partitions."""
        wanted = list(partitions)
        return dict(self._consumer.beginning_offsets(wanted)) if wanted else {}

    def latest(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """The ends of partitions."""
        wanted = list(partitions)
        return dict(self._consumer.end_offsets(wanted)) if wanted else {}

    def starting(self) -> Offsets:
        """Where the options say to start, every position resolved to an offset.

        Raises:
            KafkaError: There is no record for a starting time, a partition is not named, or there is no such partition.
        """
        options = self._options
        partitions = self.partitions()
        times = _times(partitions, options.starting_time, options.starting_times, "startingOffsetsByTimestamp")
        if not times:
            return self._resolve(partitions, options.starting, "startingOffsets")
        found = self._consumer.offsets_for_times(times)
        missing = [partition for partition in partitions if found[partition] is None]
        if missing and not options.latest_without_match:
            raise NoOffsetForPartitionError(
                "no record at or after the starting time; startingOffsetsByTimestampStrategy=latest starts at the end",
                topic_partition=missing[0],
            )
        ends = self.latest(missing)
        return {p: match.offset if (match := found[p]) is not None else ends[p] for p in partitions}

    def ending(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """Where the options say that a batch query ends.

        Args:
            partitions: The partitions that are read.
        """
        wanted = list(partitions)
        times = _times(wanted, self._options.ending_time, self._options.ending_times, "endingOffsetsByTimestamp")
        if not times:
            return self._resolve(wanted, self._options.ending, "endingOffsets")
        found = self._consumer.offsets_for_times(times)
        ends = self.latest(partition for partition in wanted if found[partition] is None)
        return {p: match.offset if (match := found[p]) is not None else ends[p] for p in wanted}

    def since(self, ranges: Iterable[OffsetRange], time_ms: int) -> list[OffsetRange]:
        """What of some ranges is left from the first record on that is not older than a time.

        Args:
            ranges: Offset ranges, at most one of a partition.
            time_ms: The time in milliseconds.
        """
        wanted = {TopicPartition(one.topic, one.partition): one for one in ranges}
        found = self._consumer.offsets_for_times(dict.fromkeys(wanted, max(time_ms, 0))) if wanted else {}
        left = []
        for partition, one in wanted.items():
            match = found[partition]
            if match is not None and match.offset < one.end:
                left.append(OffsetRange(one.topic, one.partition, max(one.start, match.offset), one.end))
        return left

    def bytes_per_offset(self, ranges: Iterable[OffsetRange]) -> dict[TopicPartition, float]:
        """How many bytes of the leader's log stand for one offset, on average, as it was a minute ago or later.

        Args:
            ranges: Ranges of the partitions that are meant.

        Raises:
            KafkaError: The sizes could not be had.
        """
        return self._sizes.of((TopicPartition(one.topic, one.partition) for one in ranges), self._consumer)

    def _of(self, topic: str) -> list[TopicPartition]:
        found = [TopicPartition(topic, info.partition) for info in self._consumer.partitions_for(topic)]
        if not found:
            raise UnknownTopicOrPartitionError(f"there is no topic {topic!r}: create it, or name another one")
        return found

    def _resolve(self, partitions: list[TopicPartition], position: Start, option: str) -> Offsets:
        """Offsets for positions; which of them are asked for is asked once each."""
        if isinstance(position, str):
            return self.earliest(partitions) if position == "earliest" else self.latest(partitions)
        unnamed = [partition for partition in partitions if partition not in position]
        unknown = [partition for partition in position if partition not in set(partitions)]
        if unnamed or unknown:
            raise _not_of_all(option, unnamed, unknown)
        earliest = self.earliest(p for p in partitions if position[p] == EARLIEST)
        latest = self.latest(p for p in partitions if position[p] == LATEST)
        return {**{partition: position[partition] for partition in partitions}, **earliest, **latest}


def check_ranges(start: Offsets, end: Offsets, earliest: Offsets, *, fail_on_data_loss: bool) -> list[OffsetRange]:
    """The ranges between two positions, each looked at for lost records.

    Args:
        start: First offsets.
        end: Offsets after the last ones.
        earliest: The first offsets that are still there.
        fail_on_data_loss: Whether missing records are an error; otherwise the ranges begin where records are.

    Raises:
        OffsetOutOfRangeError: Records of a range are gone, or a range ends before it begins.
    """
    ranges = []
    for partition in sorted(end):
        first, last = start.get(partition, 0), end[partition]
        if first > last:
            message = f"the range from {first} ends at {last}: the topic lost records or was created anew"
            if fail_on_data_loss:
                raise OffsetOutOfRangeError(f"{message}; {REMEDY}", topic_partition=partition)
            continue
        kept = earliest.get(partition, first)
        if first < min(kept, last):
            if fail_on_data_loss:
                message = f"offsets {first} to {min(kept, last)} are gone; the log begins at {kept}"
                raise OffsetOutOfRangeError(f"{message}; {REMEDY}", topic_partition=partition)
            first = min(kept, last)
        if first < last:
            ranges.append(OffsetRange(partition.topic, partition.partition, first, last))
    return ranges


REMEDY: Final = "to go on without what is lost, set failOnDataLoss=false"


def _times(
    partitions: list[TopicPartition], single: int | None, by_partition: Mapping[TopicPartition, int], option: str
) -> Offsets:
    """A time for every partition, or for none."""
    if single is not None:
        return dict.fromkeys(partitions, single)
    if not by_partition:
        return {}
    unnamed = [partition for partition in partitions if partition not in by_partition]
    unknown = [partition for partition in by_partition if partition not in set(partitions)]
    if unnamed or unknown:
        raise _not_of_all(option, unnamed, unknown)
    return dict(by_partition)


def _not_of_all(
    option: str, unnamed: Sequence[TopicPartition], unknown: Sequence[TopicPartition]
) -> UnknownTopicOrPartitionError:
    """The error of an option that is to name all partitions that are read, and no others."""
    if unknown:
        return UnknownTopicOrPartitionError(f"option {option} names {_text(unknown[0])}, which is not read")
    relative = "" if option.endswith("ByTimestamp") else " (-2 is a partition's first offset, -1 its end)"
    return UnknownTopicOrPartitionError(
        f"option {option} does not name {_text(unnamed[0])}: it has to name every partition that is read{relative}"
    )


def _text(partition: TopicPartition) -> str:
    return f"{partition.topic}-{partition.partition}"
