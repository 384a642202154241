"""DeleteAcls (key 31), versions 1-3. This broker has no access control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import SecurityDisabledError
from barnabas.protocol.messages.delete_acls import DeleteAclsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

_CODES = ("resource_type_filter", "pattern_type_filter", "operation", "permission_type")


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers as Kafka does without an authorizer."""
    if any(getattr(item, code) == 0 for item in request.message.filters for code in _CODES):
        # As in Kafka, where such a request cannot even be read.
        plane.core.close_connection(request.connection_id)
        return
    results = [
        DeleteAclsResponse.DeleteAclsFilterResult(
            error_code=SecurityDisabledError.code, error_message="No Authorizer is configured."
        )
        for _ in request.message.filters
    ]
    request.respond(DeleteAclsResponse(filter_results=results))
