"""UnregisterBroker (key 64), version 0. This node may be the one: it is registered again when it starts again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.unregister_broker import UnregisterBrokerResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Forgets a broker that left for good."""
    plane.metadata.administer(
        request,
        lambda code: UnregisterBrokerResponse(error_code=code, error_message=None),
        # What this node leads no longer is given up.
        lambda _response: plane.groups.load_all(request.now),
    )
