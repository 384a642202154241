"""DescribeClientQuotas (key 48), versions 0-1. Filters by kind and name of entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.describe_client_quotas import DescribeClientQuotasResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Names quotas."""
    plane.metadata.administer(
        request, lambda code: DescribeClientQuotasResponse(error_code=code, error_message=None, entries=None)
    )
