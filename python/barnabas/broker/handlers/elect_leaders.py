"""ElectLeaders (key 43), versions 0-2. With one node every partition has its leader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.elect_leaders import ElectLeadersResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers that leaders need not change."""
    plane.metadata.administer(request, lambda code: ElectLeadersResponse(error_code=code))
