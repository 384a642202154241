"""RemoveRaftVoter (key 81), version 0. The voters of one node are what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.broker.voters import refuse_removed
from barnabas.protocol.messages.remove_raft_voter import RemoveRaftVoterResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers why the voters stay what they are."""
    refuse_removed(plane, request, RemoveRaftVoterResponse)
