"""IncrementalAlterConfigs (key 44), versions 0-1. Each resource is answered for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.broker.loggers import change_loggers
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsResponse

if TYPE_CHECKING:
    from typing import Any

    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Changes single options of resources; answers when the change is in force."""
    shape = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse

    def refusal(code: int) -> IncrementalAlterConfigsResponse:
        return IncrementalAlterConfigsResponse(
            responses=[
                shape(error_code=code, resource_type=resource.resource_type, resource_name=resource.resource_name)
                for resource in request.message.resources
            ],
        )

    def finish(response: Any) -> None:
        change_loggers(request.message, response, plane.metadata.node_id)

    plane.metadata.administer(request, refusal, finish)
