"""AlterPartitionReassignments (key 45), versions 0-1. One node has no replicas to move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers for each partition whether there is something to move."""
    plane.metadata.administer(
        request, lambda code: AlterPartitionReassignmentsResponse(error_code=code, error_message=None)
    )
