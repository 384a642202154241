"""What a membership asks of its driver: values that the two group protocols share, and the effects."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from barnabas.assignors import Assignor
    from barnabas.errors import KafkaError
    from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
    from barnabas.protocol.messages.heartbeat import HeartbeatRequest
    from barnabas.protocol.messages.leave_group import LeaveGroupRequest
    from barnabas.types import TopicPartition

__all__ = [
    "Adopt",
    "Cancel",
    "Effect",
    "Fail",
    "ForgetCoordinator",
    "Generation",
    "GroupSettings",
    "NeedMetadata",
    "Release",
    "Send",
    "Sent",
    "StartHeartbeat",
    "StopHeartbeat",
]


@dataclass(frozen=True, slots=True)
class Generation:
    """Who we are to the coordinator: a commit or heartbeat carries it, and is refused when it is old."""

    generation_id: int = -1
    member_id: str = ""
    protocol_name: str | None = None
    group_instance_id: str | None = None


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """What does not change while a consumer lives. Times are seconds."""

    group_id: str
    session_timeout: float
    rebalance_timeout: float
    heartbeat_interval: float
    request_timeout: float
    retry_backoff: float
    rack_id: str | None = None
    group_instance_id: str | None = None
    assignors: tuple[str, ...] = ("range", "cooperative-sticky")
    own_assignors: tuple[Assignor, ...] = ()
    """Assignors of the user's own, among those that `assignors` names."""
    remote_assignor: str | None = None


class Sent(enum.Enum):
    """The kinds of request that wait for an answer."""

    JOIN = "JoinGroup"
    SYNC = "SyncGroup"
    LEAVE = "LeaveGroup"
    HEARTBEAT = "ConsumerGroupHeartbeat"


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request to the group's coordinator; its answer comes back with `serial`."""

    serial: int
    kind: Sent
    message: Any
    timeout: float
    versions: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Cancel:
    """Nobody waits for this `Send` any more: drop it, if it has not been answered."""

    serial: int


@dataclass(frozen=True, slots=True)
class StartHeartbeat:
    """Repeat this heartbeat until the application stops polling, and then leave the group by this request.

    A static member of a classic group has none: whether it comes back is for its session's timeout to show.
    `interval` is in seconds; None for the one of the settings. `full` is sent after an answer was lost: it says
    everything, so that the coordinator takes it though it may have moved the member's epoch on.
    """

    heartbeat: HeartbeatRequest | ConsumerGroupHeartbeatRequest
    leave: LeaveGroupRequest | ConsumerGroupHeartbeatRequest | None
    interval: float | None = None
    full: ConsumerGroupHeartbeatRequest | None = None


@dataclass(frozen=True, slots=True)
class StopHeartbeat:
    """Stop repeating the heartbeat."""


@dataclass(frozen=True, slots=True)
class ForgetCoordinator:
    """The broker that answered no longer coordinates the group: look for it again."""


@dataclass(frozen=True, slots=True)
class Release:
    """Give up what is assigned and not in `keep`: commit, tell the listener, then call `released`.

    `lost`: others may own it already.
    """

    lost: bool
    keep: frozenset[TopicPartition] = frozenset()


@dataclass(frozen=True, slots=True)
class Adopt:
    """Read these partitions and no others; those that are being read stay where they are."""

    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class NeedMetadata:
    """Look up these topics, then call `metadata_changed`; the leader cannot assign without."""

    topics: frozenset[str]
    ids: frozenset[bytes] = frozenset()
    """Look up the topics with these ids in their place: their names are not known."""


@dataclass(frozen=True, slots=True)
class Fail:
    """Raise this to the application; the next poll tries to join again."""

    error: KafkaError


Effect = Send | Cancel | StartHeartbeat | StopHeartbeat | ForgetCoordinator | Release | Adopt | NeedMetadata | Fail
"""What a membership wants done."""
