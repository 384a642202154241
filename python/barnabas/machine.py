"""The contract between a replicated state machine and the runtime that drives it.

A machine (a coordinator shard, the controller) decides; the runtime has the effects. A handler takes an event and the
time and returns a `Result`: records to append, replies to send, deadlines to set, soft changes to install. The handler
changes nothing itself. The runtime appends the records as one batch and, in the step that got their offset, gives the
machine its soft changes (`apply`) and its records (`replay`), so that the next event sees both. While a machine is
loaded from its log only `replay` runs, with the same records in the same order.

This module may not know any particular machine, nor time, sockets or threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Caller", "Deadline", "Machine", "Moment", "Reply", "Result"]


class Moment(NamedTuple):
    """When an event is handled.

    Attributes:
        stamp_ms: Monotonic milliseconds; deadlines are set and judged on this clock only.
        wall_ms: Milliseconds since the epoch, for timestamps that go into records.
    """

    stamp_ms: float
    wall_ms: int


class Caller(NamedTuple):
    """Who sent a request, and the handle by which it is answered.

    Attributes:
        token: Names the request in replies, also after it was parked.
        api_version: The version the client spoke; some rules depend on it.
        client_id: The client's own name, part of the member ids that the coordinator makes up.
        client_host: Where the client connected from, `/address` as Kafka stores it.
        fresh_id: A unique string made by the runtime for this request, for handlers that must name something.
    """

    token: int
    api_version: int
    client_id: str = ""
    client_host: str = ""
    fresh_id: str = ""


class Reply(NamedTuple):
    """An answer to a request, this event's or one that was parked earlier.

    Attributes:
        token: The request's token.
        message: The response in its newest shape.
        waits: Whether the answer must wait until everything the machine has appended is committed. Only an answer that
            repeats what its receiver was already told may go at once.
    """

    token: int
    message: Any
    waits: bool = True


class Deadline(NamedTuple):
    """Sets the deadline called `key`, replacing an earlier one of that name; `at_ms` None cancels it."""

    key: tuple[Any, ...]
    at_ms: float | None


class Result:
    """What a handler decided.

    Attributes:
        records: Appended as one batch, in order, then replayed.
        replies: Sent once the batch, and everything before it, is committed.
        deadlines: Applied in order.
        soft: Changes to state that is kept in memory only, understood by the machine's `apply`.
        is_separable: Whether the records mean something one by one, so that more of them than a batch may hold can be
            appended as several. Otherwise that many are refused, and nothing of the result happens.
        otherwise: What is decided instead in that case. Without it who asked is answered with an error.
    """

    __slots__ = ("deadlines", "is_separable", "otherwise", "records", "replies", "soft")

    def __init__(
        self,
        records: list[Any] | None = None,
        replies: list[Reply] | None = None,
        deadlines: list[Deadline] | None = None,
        soft: list[Any] | None = None,
        *,
        is_separable: bool = False,
    ) -> None:
        self.records = [] if records is None else records
        self.replies = [] if replies is None else replies
        self.deadlines = [] if deadlines is None else deadlines
        self.soft = [] if soft is None else soft
        self.is_separable = is_separable
        self.otherwise: Callable[[], Result] | None = None


class Machine(Protocol):
    """A replicated state machine as the runtime sees it."""

    def handle(self, caller: Caller, request: Any, now: Moment) -> Result:
        """Decides about a request."""

    def expire(self, key: tuple[Any, ...], now: Moment) -> Result:
        """Decides what follows from a deadline that has passed."""

    def apply(self, change: Any) -> None:
        """Installs one soft change."""

    def replay(self, record: Any, offset: int) -> None:
        """Applies one record that has `offset` in the machine's log, live and while loading alike."""

    def loaded(self, now: Moment) -> Result:
        """Ends loading: soft state and deadlines that follow from the replayed records."""
