"""A request as the handlers see it: decoded, in its newest shape, with the way to answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from barnabas.machine import Moment
from barnabas.protocol import codec, shims

if TYPE_CHECKING:
    from barnabas.broker.core import DataPlane

__all__ = ["Request"]


@dataclass(slots=True)
class Request:
    """One API request.

    Attributes:
        token: The data plane's name for it.
        message: The request in its newest shape.
        listener: Name of the listener that the client connected to; it decides which endpoint the client is told.
    """

    core: DataPlane
    token: int
    connection_id: int
    listener: str
    client_id: str
    client_host: str
    api_key: int
    version: int
    message: Any
    now: Moment

    def respond(self, message: Any) -> None:
        """Answers with a response in its newest shape."""
        lowered = shims.lower(message, self.version, self.message)
        self.core.respond(self.token, codec.encode(lowered, self.version))
