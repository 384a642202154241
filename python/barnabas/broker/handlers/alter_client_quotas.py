"""AlterClientQuotas (key 49), versions 0-1. Each entity is answered for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Sets and removes quotas."""
    shape = AlterClientQuotasResponse

    def refusal(code: int) -> AlterClientQuotasResponse:
        return shape(
            entries=[
                shape.EntryData(
                    error_code=code,
                    error_message=None,
                    entity=[
                        shape.EntityData(entity_type=part.entity_type, entity_name=part.entity_name)
                        for part in entry.entity
                    ],
                )
                for entry in request.message.entries
            ]
        )

    plane.metadata.administer(request, refusal)
