"""ListPartitionReassignments (key 46), version 0. One node has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Names the reassignments in progress."""
    plane.metadata.administer(
        request, lambda code: ListPartitionReassignmentsResponse(error_code=code, error_message=None)
    )
