"""CreateAcls (key 30), versions 1-3. This broker has no access control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import SecurityDisabledError
from barnabas.protocol.messages.create_acls import CreateAclsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

_CODES = ("resource_type", "resource_pattern_type", "operation", "permission_type")


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers as Kafka does without an authorizer."""
    if any(getattr(item, code) == 0 for item in request.message.creations for code in _CODES):
        # As in Kafka, where such a request cannot even be read.
        plane.core.close_connection(request.connection_id)
        return
    results = [
        CreateAclsResponse.AclCreationResult(
            error_code=SecurityDisabledError.code, error_message="No Authorizer is configured."
        )
        for _ in request.message.creations
    ]
    request.respond(CreateAclsResponse(results=results))
