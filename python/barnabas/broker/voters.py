"""AddRaftVoter and RemoveRaftVoter on a quorum of one node, which nobody joins and which its only voter does not leave.

What can be said without asking another node is what Kafka says, in its words and in its order; a voter that is to be
added is not reached. With kraft.version 1, which a directory may have from Kafka, there is more to say than with 0.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from barnabas.errors import (
    DuplicateVoterError,
    InconsistentClusterIdError,
    InvalidRequestError,
    RequestTimedOutError,
    UnsupportedVersionError,
    VoterNotFoundError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["NO_DIRECTORY", "refuse_added", "refuse_removed", "voter_directory"]

NO_DIRECTORY = bytes(16)
DEFAULT_LISTENER = "CONTROLLER"

Refusal = tuple[int, str]


def refuse_added(plane: ControlPlane, request: Request, response: Callable[..., Any]) -> None:
    """Answers AddRaftVoter."""
    refusal = _refused(plane, request, "Add", "adding") or _not_reached(plane, request.message)
    request.respond(response(error_code=refusal[0], error_message=refusal[1]))


def refuse_removed(plane: ControlPlane, request: Request, response: Callable[..., Any]) -> None:
    """Answers RemoveRaftVoter."""
    refusal = _refused(plane, request, "Remove", "removing")
    if refusal is None:
        why = f"Cannot remove voter {_asked_key(request.message)} from the set of voters [{_own_keys(plane)}]"
        refusal = VoterNotFoundError.code, why
    request.respond(response(error_code=refusal[0], error_message=refusal[1]))


def voter_directory(plane: ControlPlane) -> bytes:
    """Returns the id of the directory by which this node votes; zero while kraft.version is 0."""
    image = plane.metadata.image
    voters = [] if image.voters is None or not image.kraft_version else image.voters.voters
    own = (bytes(voter.voter_directory_id) for voter in voters if voter.voter_id == plane.metadata.node_id)
    return next(own, NO_DIRECTORY)


def _refused(plane: ControlPlane, request: Request, what: str, doing: str) -> Refusal | None:
    """What both requests are refused for."""
    message, cluster_id = request.message, plane.options.cluster_id
    if message.cluster_id is not None and message.cluster_id != cluster_id:
        why = f'The given id "{message.cluster_id}" doesn\'t match the cluster id "{cluster_id}"'
        return InconsistentClusterIdError.code, why
    if message.voter_id < 0 or bytes(message.voter_directory_id) == NO_DIRECTORY:
        return InvalidRequestError.code, f"{what} voter request didn't include a valid voter"
    listener = _controller_listener(plane)
    if what == "Add" and all(one.name != listener for one in message.listeners):
        endpoints = ", ".join(
            f"ListenerName({one.name})={one.host}/<unresolved>:{one.port}" for one in message.listeners
        )
        why = (
            f"Add voter request didn't include the endpoint (Endpoints(endpoints={{{endpoints}}})) for the default "
            f"listener ListenerName({listener})"
        )
        return InvalidRequestError.code, why
    if not plane.metadata.image.kraft_version:
        why = f"Cluster doesn't support {doing} voter because the kraft.version feature is 0"
        return UnsupportedVersionError.code, why
    return None


def _not_reached(plane: ControlPlane, message: Any) -> Refusal:
    if message.voter_id == plane.metadata.node_id:
        why = f"The voter id for {_asked_key(message)} is already part of the set of voters [{_own_keys(plane)}]."
        return DuplicateVoterError.code, why
    # The words for a voter that does not answer: this node asks none.
    why = "Aborted add voter operation for since API_VERSIONS returned an error BROKER_NOT_AVAILABLE"
    return RequestTimedOutError.code, why


def _controller_listener(plane: ControlPlane) -> str:
    names = plane.options.value("controller.listener.names")
    return str(names[0]) if isinstance(names, list) and names else DEFAULT_LISTENER


def _asked_key(message: Any) -> str:
    return _key(message.voter_id, bytes(message.voter_directory_id))


def _own_keys(plane: ControlPlane) -> str:
    return _key(plane.metadata.node_id, voter_directory(plane))


def _key(voter_id: int, directory_id: bytes) -> str:
    return f"ReplicaKey(id={voter_id}, directoryId={base64.urlsafe_b64encode(directory_id).decode().rstrip('=')})"
