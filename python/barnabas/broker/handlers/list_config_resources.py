"""ListConfigResources (key 74), versions 0-1. Version 0 names metrics subscriptions only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.controller.image import CLIENT_METRICS_RESOURCE
from barnabas.protocol.messages.list_config_resources import ListConfigResourcesResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Names the resources that have options."""
    if request.version == 0:
        request.message.resource_types = [CLIENT_METRICS_RESOURCE]
    plane.metadata.administer(request, lambda code: ListConfigResourcesResponse(error_code=code))
