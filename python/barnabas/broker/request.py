"""A request as the handlers see it: decoded, in its newest shape, with the way to answer it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from barnabas.broker import log
from barnabas.errors import ProtocolError
from barnabas.protocol import codec, shims

if TYPE_CHECKING:
    from barnabas.broker.core import DataPlane
    from barnabas.controller.mutations import Mutations
    from barnabas.machine import Moment

__all__ = ["MALFORMED_TEXT", "Request"]

MALFORMED_TEXT = (
    "This most likely occurs because of a request being malformed by the client library or the message was sent to an "
    "incompatible broker. See the broker logs for more details."
)
"""What Kafka says of a request that makes no sense as a whole."""


class Request:
    """One API request.

    Attributes:
        token: The data plane's name for it.
        message: The request in its newest shape.
        now: When it is handled. A session that it prolongs counts from here, not from its arrival: its client sends the
            next one after this one's answer.
        client_port_and_software: The client's port, and name and version of its software as it told with ApiVersions.
        listener: Name of the listener that the client connected to; it decides which endpoint the client is told.
        mutations: What it may create and delete, if that is limited.
    """

    __slots__ = (
        "_begun_ns",
        "_busy_ns",
        "_owes_until_ns",
        "api_key",
        "client_host",
        "client_id",
        "client_port_and_software",
        "connection_id",
        "core",
        "listener",
        "message",
        "mutations",
        "now",
        "token",
        "version",
    )

    def __init__(self, core: DataPlane, event: tuple[Any, ...], now: Moment) -> None:
        """Decodes an `Event.REQUEST` that is handled `now`.

        Raises:
            ProtocolError: The body is malformed.
        """
        self._begun_ns = time.perf_counter_ns()
        self._busy_ns: int | None = None
        self._owes_until_ns = 0
        self.mutations: Mutations | None = None
        _, _, self.token, self.connection_id, self.listener, _, client_id, self.client_host = event[:8]
        self.api_key, self.version, body, self.client_port_and_software = event[8:]
        self.core = core
        self.client_id: str = client_id or ""
        self.now = now
        self.message: Any = shims.lift(codec.decode_request(self.api_key, self.version, body), self.version)

    def handled(self) -> None:
        """The request is decided; if it is not answered, it waits, and nobody is busy with it."""
        self._busy_ns = time.perf_counter_ns() - self._begun_ns
        self.settle_mutations()

    def worked(self, ns: int) -> None:
        """More was done for the request after it was handled, see `ControlPlane.in_pieces`."""
        self._busy_ns = (self._busy_ns or 0) + ns

    def limit_mutations(self, *, strict_since: int) -> Mutations | None:
        """Begins to count what the request creates and deletes; returns what it may, if that is limited.

        Args:
            strict_since: The version since which clients know the error that refuses more. Others are made to wait.
        """
        left = self.core.mutations_left(self.token)
        if left is not None:
            from barnabas.controller.mutations import Mutations  # noqa: PLC0415 - only where there are quotas

            self.mutations = Mutations(left, is_strict=self.version >= strict_since)
        return self.mutations

    def settle_mutations(self) -> None:
        """Charges the client for what was decided, once."""
        mutations, self.mutations = self.mutations, None
        if mutations is None:
            return
        owes_ms = self.core.charge_mutations(self.token, mutations.spent)
        # As in Kafka, whoever changes nothing is not told what it still owes.
        if mutations.refused or (mutations.spent and not mutations.is_strict):
            self._owes_until_ns = time.perf_counter_ns() + owes_ms * 1_000_000

    def respond(self, message: Any) -> None:
        """Answers with a response in its newest shape."""
        try:
            body = codec.encode(shims.lower(message, self.version, self.message), self.version)
        except (ProtocolError, TypeError, ValueError, OverflowError):
            # A defect of the handler. The client sees a broken connection, not a wait without end.
            log.exception("key %d, version %d: the answer cannot be encoded", self.api_key, self.version)
            self.core.close_connection(self.connection_id)
            return
        now_ns = time.perf_counter_ns()
        busy_ns = now_ns - self._begun_ns if self._busy_ns is None else self._busy_ns
        self.settle_mutations()
        self.core.respond(self.token, body, busy_ns, max(0, self._owes_until_ns - now_ns) // 1_000_000)
