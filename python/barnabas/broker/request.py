"""A request as the handlers see it: decoded, in its newest shape, with the way to answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker import log
from barnabas.errors import ProtocolError
from barnabas.protocol import codec, shims

if TYPE_CHECKING:
    from barnabas.broker.core import DataPlane
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
    """

    __slots__ = (
        "api_key",
        "client_host",
        "client_id",
        "client_port_and_software",
        "connection_id",
        "core",
        "listener",
        "message",
        "now",
        "token",
        "version",
    )

    def __init__(self, core: DataPlane, event: tuple[Any, ...], now: Moment) -> None:
        """Decodes an `Event.REQUEST` that is handled `now`.

        Raises:
            ProtocolError: The body is malformed.
        """
        (_, _, self.token, self.connection_id, self.listener, _, client_id, self.client_host, *rest) = event
        self.api_key, self.version, body, self.client_port_and_software = rest
        self.core = core
        self.client_id: str = client_id or ""
        self.now = now
        self.message: Any = shims.lift(codec.decode_request(self.api_key, self.version, body), self.version)

    def respond(self, message: Any) -> None:
        """Answers with a response in its newest shape."""
        try:
            body = codec.encode(shims.lower(message, self.version, self.message), self.version)
        except (ProtocolError, TypeError, ValueError, OverflowError):
            # A defect of the handler. The client sees a broken connection, not a wait without end.
            log.exception("key %d, version %d: the answer cannot be encoded", self.api_key, self.version)
            self.core.close_connection(self.connection_id)
            return
        self.core.respond(self.token, body)
