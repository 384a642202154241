"""A member of a consumer group of KIP-848. Values only."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from barnabas.assignors.target import Partitions

__all__ = [
    "JOINING_EPOCH",
    "LEAVING_EPOCH",
    "STATIC_LEAVING_EPOCH",
    "ClassicMember",
    "ConsumerMember",
    "Epochs",
    "MemberState",
    "numbers",
]

JOINING_EPOCH = 0
LEAVING_EPOCH = -1
STATIC_LEAVING_EPOCH = -2
"""A static member went away and means to come back: its place is kept until its session ends."""

Epochs = dict[bytes, dict[int, int]]
"""By topic id and partition: the member epoch in which the partition was assigned. No topic is empty."""


class MemberState(IntEnum):
    """How far a member is on its way to the target; the numbers are those of Kafka's records."""

    STABLE = 0
    """It has what its epoch's target gives it."""
    UNREVOKED_PARTITIONS = 1
    """It still has to give partitions up before it may enter the next epoch."""
    UNRELEASED_PARTITIONS = 2
    """It is in the target's epoch and waits for partitions that others have not given up."""
    UNKNOWN = 127
    """Stored by a version that knew more states."""


@dataclass(frozen=True, slots=True)
class ClassicMember:
    """What a member that speaks the classic protocol said when it joined: (name, metadata) of each protocol."""

    session_timeout_ms: int
    protocols: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class ConsumerMember:
    """One member: what it said about itself, and what it was given.

    Attributes:
        topic_names: The topics it subscribes to by name, sorted.
        topic_regex: The regular expression it subscribes with; None or empty for none.
        classic: Set while the member speaks the classic protocol.
        epoch: Its member epoch.
        previous_epoch: The one before, which it may still name when an answer was lost.
        assigned: What it may use.
        pending_revocation: What it must give up.
    """

    member_id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    topic_names: tuple[str, ...] = ()
    topic_regex: str | None = ""
    rebalance_timeout_ms: int = -1
    server_assignor: str | None = None
    classic: ClassicMember | None = None
    epoch: int = JOINING_EPOCH
    previous_epoch: int = LEAVING_EPOCH
    state: MemberState = MemberState.STABLE
    assigned: Epochs = field(default_factory=dict)
    pending_revocation: Epochs = field(default_factory=dict)

    def is_reconciled_to(self, target_epoch: int) -> bool:
        """Whether nothing is left to do until the target changes."""
        return self.state is MemberState.STABLE and self.epoch == target_epoch

    @property
    def held(self) -> Partitions:
        """What it has, with what it has still to give up."""
        held = numbers(self.assigned)
        for topic, partitions in self.pending_revocation.items():
            held[topic] = held.get(topic, frozenset()).union(partitions)
        return held


def numbers(epochs: Epochs) -> Partitions:
    """Returns the partitions without their epochs."""
    return {topic: frozenset(partitions) for topic, partitions in epochs.items()}
