"""AddRaftVoter (key 80), versions 0-1. The voters of one node are what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import InconsistentClusterIdError, UnsupportedVersionError
from barnabas.protocol.messages.add_raft_voter import AddRaftVoterResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers as Kafka does whose voters cannot change."""
    given, cluster_id = request.message.cluster_id, plane.options.cluster_id
    if given is not None and given != cluster_id:
        code = InconsistentClusterIdError.code
        why = f'The given id "{given}" doesn\'t match the cluster id "{cluster_id}"'
    else:
        code = UnsupportedVersionError.code
        why = "Cluster doesn't support adding voter because the kraft.version feature is 0"
    request.respond(AddRaftVoterResponse(error_code=code, error_message=why))
