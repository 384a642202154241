"""What requests of features have in common that a node without security does not have.

The words are Kafka's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.errors import SecurityDisabledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["refuse_acls"]

NO_AUTHORIZER = "No Authorizer is configured."


def refuse_acls(
    plane: ControlPlane,
    request: Request,
    items: Iterable[Any],
    codes: tuple[str, ...],
    respond: Callable[[list[dict[str, Any]]], Any],
) -> None:
    """Answers each item of a request about access control as Kafka does without an authorizer.

    Args:
        plane: Where the connection is closed.
        request: What is answered.
        items: What is to be created or deleted.
        codes: Fields of an item whose value 0 means that it makes no sense.
        respond: Makes the response from each item's error.
    """
    items = list(items)
    if any(getattr(item, code) == 0 for item in items for code in codes):
        # As in Kafka, where such a request cannot even be read.
        plane.core.close_connection(request.connection_id)
        return
    error = {"error_code": SecurityDisabledError.code, "error_message": NO_AUTHORIZER}
    request.respond(respond([error] * len(items)))
