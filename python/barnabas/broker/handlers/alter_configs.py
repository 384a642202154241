"""AlterConfigs (key 33), versions 0-2. Each resource is answered for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.alter_configs import AlterConfigsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Replaces all options of resources; answers when the change is in force."""
    shape = AlterConfigsResponse.AlterConfigsResourceResponse

    def refusal(code: int) -> AlterConfigsResponse:
        return AlterConfigsResponse(
            responses=[
                shape(error_code=code, resource_type=resource.resource_type, resource_name=resource.resource_name)
                for resource in request.message.resources
            ],
        )

    plane.metadata.administer(request, refusal)
