"""What one client of the model of classic groups believes, and what is kept of a group for good."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from virtual_shard import GROUP, VirtualShard

from barnabas.coordinator.group import GroupState

if TYPE_CHECKING:
    from collections.abc import Callable


class Identity(NamedTuple):
    """In whose name a request speaks."""

    member_id: str
    generation: int
    instance: str | None


@dataclass
class Client:
    """What one client believes; and since when the coordinator must think well of it."""

    instance: str | None = None
    member_id: str = ""
    generation: int = -1
    leads: bool = False
    members: list[str] = field(default_factory=list)
    join: int | None = None
    sync: int | None = None
    synced: bool = False
    must_rejoin: bool = False
    heard_ms: float | None = None
    """The coordinator counts its session from then at least."""
    steady_ms: float = 0.0
    """The group waited neither for its JoinGroup nor for its SyncGroup then."""

    @property
    def identity(self) -> Identity:
        return Identity(self.member_id, self.generation, self.instance)

    def forget(self) -> None:
        self.member_id, self.generation, self.join, self.sync, self.heard_ms = "", -1, None, None, None
        self.synced = self.must_rejoin = False

    def heard(self, at_ms: float, *, steady: bool) -> None:
        if at_ms:
            self.heard_ms = max(self.heard_ms or 0.0, at_ms)
        if steady:
            self.steady_ms = max(self.steady_ms, at_ms)


class Asked(NamedTuple):
    """A request under way: what is to be done with its answer and when it was decided."""

    kind: str
    sent_ms: float
    answered: Callable[[Any, float], None]


def state(virtual: VirtualShard) -> tuple[Any, ...]:
    """What is kept for good: offsets, what is stored of the group, and a group that is between rebalances."""
    shard = virtual.shard
    group = shard.groups.get(GROUP)
    stored = shard.stored.get(GROUP)
    offsets = {name: {topic: dict(of) for topic, of in topics.items()} for name, topics in shard.offsets.groups.items()}
    living = None
    if group is not None and group.generation and group.state in (GroupState.STABLE, GroupState.EMPTY):
        members = {
            one.member_id: (one.group_instance_id, one.assignment, one.protocols) for one in group.members.values()
        }
        protocol = group.protocol
        members = {
            name: (instance, given, dict(protocols).get(protocol))
            for name, (instance, given, protocols) in members.items()
        }
        living = (group.state, group.generation, protocol, group.leader, group.protocol_type, members)
    return offsets, stored, living
