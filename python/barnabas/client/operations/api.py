"""The words that operations and their drivers share."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from barnabas.client.codes import Code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from barnabas import errors

__all__ = [
    "ANY_NODE",
    "CONTROLLER",
    "RETRY_WITH_NEW_COORDINATOR",
    "RETRY_WITH_NEW_METADATA",
    "Backoff",
    "ForgetCoordinator",
    "Gather",
    "Instruction",
    "Operation",
    "RefreshMetadata",
    "Sleep",
    "Submit",
    "Target",
    "coordinator",
    "raise_all",
]

T = TypeVar("T")

Target: TypeAlias = tuple[Any, ...]
"""Who is asked: a tuple as `ClientCore.submit` takes it."""

ANY_NODE: Final[Target] = ("any",)
CONTROLLER: Final[Target] = ("controller",)
GROUP: Final = 0
"""The coordinator type of consumer groups."""


def coordinator(group_id: str) -> Target:
    """The coordinator of a consumer group."""
    return ("coordinator", GROUP, group_id)


@dataclass(frozen=True, slots=True)
class Submit:
    """Send a request and wait for its response, which the `yield` returns.

    The version is the newest that both sides know, within `versions` if given. A lost connection or an unknown
    coordinator is tried again below until the operation's time is over, unless `retry` is off. A failure is raised at
    the `yield`; error codes inside the response are the operation's business.
    """

    target: Target
    message: Any
    timeout: float | None = None
    versions: tuple[int, int] | None = None
    retry: bool = True


@dataclass(frozen=True, slots=True)
class Gather:
    """Send several requests at once; the `yield` returns a list of responses and errors in the same order."""

    submits: Sequence[Submit]


@dataclass(frozen=True, slots=True)
class Sleep:
    """Wait; the driver adds jitter."""

    seconds: float
    why: str = ""
    """What has to be other than it is, for the message of a timeout."""


@dataclass(frozen=True, slots=True)
class RefreshMetadata:
    """Read the cluster's metadata again, because an answer said that what we know is old."""


@dataclass(frozen=True, slots=True)
class ForgetCoordinator:
    """Look up a group's coordinator again before the next request to it."""

    group_id: str


Instruction: TypeAlias = Submit | Gather | Sleep | RefreshMetadata | ForgetCoordinator
Operation: TypeAlias = Generator[Instruction, Any, T]

RETRY_WITH_NEW_METADATA: Final = frozenset(
    {
        Code.UNKNOWN_TOPIC_OR_PARTITION,
        Code.LEADER_NOT_AVAILABLE,
        Code.NOT_LEADER_OR_FOLLOWER,
        Code.REPLICA_NOT_AVAILABLE,
        Code.KAFKA_STORAGE_ERROR,
        Code.FENCED_LEADER_EPOCH,
        Code.UNKNOWN_LEADER_EPOCH,
        Code.OFFSET_NOT_AVAILABLE,
        Code.UNKNOWN_TOPIC_ID,
    }
)
"""Answers about a partition that another leader, or the same one in a moment, would not give."""

RETRY_WITH_NEW_COORDINATOR: Final = frozenset({Code.COORDINATOR_NOT_AVAILABLE, Code.NOT_COORDINATOR})
"""Answers of a broker that does not coordinate the group."""


class Backoff:
    """Waits that double, from a first to a greatest one."""

    __slots__ = ("_greatest", "_next")

    def __init__(self, first: float, greatest: float) -> None:
        self._next = first
        self._greatest = greatest

    def wait(self, why: object = "") -> Sleep:
        """The next wait, for what `why` tells to change."""
        seconds = min(self._next, self._greatest)
        self._next = seconds * 2
        return Sleep(seconds, str(why))


def raise_all(found: Sequence[errors.KafkaError]) -> None:
    """Raises the first of several errors; the others are added to it as notes.

    Raises:
        KafkaError: There was an error.
    """
    if found:
        first, *others = found
        for other in others:
            first.add_note(f"also: {other}")
        raise first
