"""CreateAcls (key 30), versions 1-3. This broker has no access control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.refused_keys import refuse_acls
from barnabas.protocol.messages.create_acls import CreateAclsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

_CODES = ("resource_type", "resource_pattern_type", "operation", "permission_type")


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers as Kafka does without an authorizer."""

    def respond(errors: list[dict[str, Any]]) -> CreateAclsResponse:
        return CreateAclsResponse(results=[CreateAclsResponse.AclCreationResult(**error) for error in errors])

    refuse_acls(plane, request, request.message.creations, _CODES, respond)
