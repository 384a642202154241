"""What a consumer reads: topics it subscribes to or partitions it was told, and how far each partition has been set up.

No I/O. The position of a partition that is being fetched is kept by the fetcher; here stands what has to happen before
that: a committed offset to look up, an offset to reset, a seek to pass on.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from barnabas.client.arguments import checked_offset
from barnabas.errors import IllegalStateError
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from barnabas.types import OffsetAndMetadata

__all__ = [
    "ByDuration",
    "Mode",
    "PartitionState",
    "Phase",
    "RebalanceListener",
    "Reset",
    "ResetRule",
    "SubscriptionState",
    "reset_rule",
]

_EXCLUSIVE: Final = (
    "subscribe() and assign() exclude each other: this consumer uses {used}(); call unsubscribe() before {wanted}()"
)


class RebalanceListener(Protocol):
    """Told when a group gives or takes partitions; called inside `poll`, by the thread that polls."""

    def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """These partitions are ours from now on; `seek` works already."""

    def on_partitions_revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """These partitions are about to go to others; `commit` works still."""

    def on_partitions_lost(self, partitions: Sequence[TopicPartition]) -> None:
        """These partitions have gone without notice: others may be reading them, and commits are refused.

        A listener without this method is told by `on_partitions_revoked`, as in Java.
        """
        self.on_partitions_revoked(partitions)


class Mode(enum.Enum):
    """How partitions are chosen."""

    NONE = "none"
    SUBSCRIBED = "subscribe"
    ASSIGNED = "assign"


class Reset(enum.Enum):
    """Where a position is set to when there is none."""

    EARLIEST = "earliest"
    LATEST = "latest"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ByDuration:
    """A position is set to the first record that is not older than so many seconds (KIP-1106), or to the end."""

    seconds: float


ResetRule = Reset | ByDuration
"""Where a position is set to when there is none."""

_DURATION: Final = re.compile(
    r"P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d{1,9})?)S)?)?", re.IGNORECASE
)


def reset_rule(text: str) -> ResetRule:
    """The rule that a value of `auto.offset.reset` names.

    Raises:
        ValueError: It is none, or its duration is not of the form PnDTnHnMn.nS.
    """
    kind, colon, duration = text.partition(":")
    if not colon:
        return Reset(text)
    found = _DURATION.fullmatch(duration)
    if kind.lower() != "by_duration" or found is None:
        raise ValueError(f"{text!r} is no by_duration:PnDTnHnMn.nS with a duration of at least 0")
    days, hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in found.groups())
    return ByDuration(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


class Phase(enum.Enum):
    """How far a partition has been set up."""

    INITIALIZING = "initializing"
    """Its committed offset has to be looked up."""
    RESETTING = "resetting"
    """Its offset has to be looked up by `PartitionState.reset`."""
    POSITIONED = "positioned"
    """`PartitionState.offset` is where to start, and the fetcher has not been told yet."""
    FETCHING = "fetching"
    """The fetcher has it and keeps its position."""


@dataclass(slots=True)
class PartitionState:
    """One assigned partition."""

    phase: Phase = Phase.INITIALIZING
    offset: int = -1
    leader_epoch: int = -1
    reset: ResetRule = Reset.NONE
    paused: bool = False


class SubscriptionState:
    """Topics, partitions and their set-up.

    Example:
        >>> state = SubscriptionState(Reset.EARLIEST)
        >>> state.assign([TopicPartition("orders", 0)])
        >>> state.seek(TopicPartition("orders", 0), 42)
        >>> state.partitions[TopicPartition("orders", 0)].phase
        <Phase.POSITIONED: 'positioned'>
    """

    def __init__(self, default_reset: ResetRule) -> None:
        self.default_reset = default_reset
        self.mode = Mode.NONE
        self.topics: tuple[str, ...] = ()
        self.pattern: re.Pattern[str] | None = None
        """Which topics are wanted, where `topics` follows from what exists."""
        self.server_pattern: str | None = None
        """The same, where the group's coordinator looks for them."""
        self.listener: RebalanceListener | None = None
        self.partitions: dict[TopicPartition, PartitionState] = {}
        """What is assigned; another dict with every assignment."""
        self._unsettled: set[TopicPartition] = set()

    @property
    def is_settled(self) -> bool:
        """Whether the fetcher has every partition, so that nothing has to be set up. Asked by every poll."""
        return not self._unsettled

    def subscribe(self, topics: Iterable[str], listener: RebalanceListener | None) -> None:
        """Chooses topics whose partitions the group divides; what is assigned stays until the group says otherwise.

        Raises:
            IllegalStateError: Partitions were assigned by hand.
        """
        self._require(Mode.SUBSCRIBED, "subscribe")
        self.topics = tuple(dict.fromkeys(topics))
        self.pattern = None
        self.server_pattern = None
        self.listener = listener

    def subscribe_pattern(self, pattern: re.Pattern[str], listener: RebalanceListener | None) -> None:
        """Chooses the topics whose whole names match, now and later; they are not known yet.

        Raises:
            IllegalStateError: Partitions were assigned by hand.
        """
        self.subscribe(() if self.pattern is None else self.topics, listener)
        self.pattern = pattern

    def subscribe_server_pattern(self, pattern: str, listener: RebalanceListener | None) -> None:
        """Chooses the topics that the coordinator finds to match.

        Raises:
            IllegalStateError: Partitions were assigned by hand.
        """
        self.subscribe((), listener)
        self.server_pattern = pattern

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Chooses partitions by hand; those that were assigned before keep their positions.

        Raises:
            IllegalStateError: Topics were subscribed to.
        """
        self._require(Mode.ASSIGNED, "assign")
        self._replace(partitions)

    def adopt(self, partitions: Iterable[TopicPartition]) -> None:
        """Takes what the group gave."""
        self._replace(partitions)

    def unsubscribe(self) -> None:
        """Chooses nothing."""
        self.mode = Mode.NONE
        self.topics = ()
        self.pattern = None
        self.server_pattern = None
        self.listener = None
        self._replace(())

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Sets where to go on in a partition.

        Raises:
            IllegalStateError: The partition is not assigned.
            TypeError: The offset is no whole number.
            ValueError: The offset is negative, or greater than any can be.
        """
        to = checked_offset("offset", offset)
        self.set_position(partition, to.offset, -1 if to.leader_epoch is None else to.leader_epoch)

    def set_position(self, partition: TopicPartition, offset: int, leader_epoch: int = -1) -> None:
        """Sets where to start, for the fetcher to be told.

        Raises:
            IllegalStateError: The partition is not assigned.
        """
        state = self.state_of(partition)
        self._unsettle(partition, state, Phase.POSITIONED)
        state.offset = offset
        state.leader_epoch = leader_epoch

    def request_reset(self, partition: TopicPartition, reset: ResetRule | None = None) -> None:
        """Asks for a position to be looked up: by the given or by the default rule.

        Raises:
            IllegalStateError: The partition is not assigned.
        """
        state = self.state_of(partition)
        self._unsettle(partition, state, Phase.RESETTING)
        state.reset = reset or self.default_reset

    def settle(self, partitions: Iterable[TopicPartition]) -> None:
        """The fetcher has been told of these partitions."""
        for partition in partitions:
            self.partitions[partition].phase = Phase.FETCHING
            self._unsettled.discard(partition)

    def set_paused(self, partitions: Iterable[TopicPartition], *, paused: bool) -> None:
        """Pauses or resumes partitions.

        Raises:
            IllegalStateError: A partition is not assigned; none has been changed then.
        """
        for state in [self.state_of(partition) for partition in partitions]:
            state.paused = paused

    def state_of(self, partition: TopicPartition) -> PartitionState:
        """The state of an assigned partition.

        Raises:
            IllegalStateError: The partition is not assigned.
        """
        state = self.partitions.get(TopicPartition(*partition))
        if state is None:
            raise IllegalStateError(
                f"partition {partition[0]}-{partition[1]} is not assigned to this consumer: assign() it, or wait until "
                "poll() has got it from the group"
            )
        return state

    def in_phase(self, *phases: Phase) -> list[TopicPartition]:
        """The partitions that are in one of these phases."""
        return [partition for partition, state in self.partitions.items() if state.phase in phases]

    def _replace(self, partitions: Iterable[TopicPartition]) -> None:
        old = self.partitions
        self.partitions = {}
        for partition in partitions:
            key = TopicPartition(*partition)
            self.partitions[key] = old.get(key) or PartitionState()
        self._unsettled = {key for key, state in self.partitions.items() if state.phase is not Phase.FETCHING}

    def _unsettle(self, partition: TopicPartition, state: PartitionState, phase: Phase) -> None:
        state.phase = phase
        self._unsettled.add(TopicPartition(*partition))

    def _require(self, mode: Mode, wanted: str) -> None:
        if self.mode not in {Mode.NONE, mode}:
            raise IllegalStateError(_EXCLUSIVE.format(used=self.mode.value, wanted=wanted))
        self.mode = mode
