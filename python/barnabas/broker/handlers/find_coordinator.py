"""FindCoordinator (key 10), versions 0-6.

Kept: groups, one or many; the first request creates `__consumer_offsets`. Left out: transactional ids and share groups,
which get UNSUPPORTED_VERSION with a text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.broker.request import MALFORMED_TEXT
from barnabas.controller.image import OFFSETS_TOPIC
from barnabas.errors import CoordinatorNotAvailableError, InvalidRequestError, UnsupportedVersionError
from barnabas.protocol.messages.find_coordinator import FindCoordinatorResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

GROUP, TRANSACTION, SHARE = 0, 1, 2
FIRST_VERSION_OF_MANY = 4
NO_ERROR = "NONE"
"""What Kafka says where there is nothing to say, in the versions that ask for one coordinator."""
_UNSUPPORTED = {
    TRANSACTION: "this broker has no transactions yet: remove transactional.id from the producer",
    SHARE: "this broker has no share groups yet",
}


def handle(plane: ControlPlane, request: Request) -> None:
    """Says which broker coordinates each group."""
    message = request.message
    if message.key_type != GROUP:
        text = _UNSUPPORTED.get(message.key_type)
        code = InvalidRequestError.code if text is None else UnsupportedVersionError.code
        _refuse(request, code, text or MALFORMED_TEXT)
    elif OFFSETS_TOPIC in plane.metadata.image.topics:
        _answer(plane, request)
    else:
        wanted = {OFFSETS_TOPIC: plane.options.offsets_topic()}

        def created(codes: dict[str, int]) -> None:
            if any(codes.values()):
                _refuse(request, CoordinatorNotAvailableError.code, _not_available(request))
            else:
                _answer(plane, request)

        plane.metadata.ensure_topics(wanted, request.now, created)


def _answer(plane: ControlPlane, request: Request) -> None:
    topic = plane.metadata.image.topics[OFFSETS_TOPIC]
    coordinators = []
    for key in request.message.coordinator_keys:
        partition = plane.groups.partition(key)
        leader = -1 if partition is None else topic.partitions[partition].leader
        endpoint = plane.metadata.endpoint(leader, request.listener)
        if endpoint is None:
            coordinators.append(
                FindCoordinatorResponse.Coordinator(
                    key=key,
                    node_id=-1,
                    host="",
                    port=-1,
                    error_code=CoordinatorNotAvailableError.code,
                    error_message=_not_available(request),
                ),
            )
        else:
            coordinators.append(
                FindCoordinatorResponse.Coordinator(
                    key=key,
                    node_id=leader,
                    host=endpoint[0],
                    port=endpoint[1],
                    error_message=NO_ERROR if request.version < FIRST_VERSION_OF_MANY else "",
                )
            )
    request.respond(FindCoordinatorResponse(coordinators=coordinators))


def _not_available(request: Request) -> str:
    """Returns what Kafka says where there is no leader; when many are asked for it says nothing."""
    return "The coordinator is not available." if request.version < FIRST_VERSION_OF_MANY else ""


def _refuse(request: Request, error_code: int, text: str) -> None:
    coordinators = [
        FindCoordinatorResponse.Coordinator(
            key=key, node_id=-1, host="", port=-1, error_code=error_code, error_message=text
        )
        for key in request.message.coordinator_keys
    ]
    request.respond(FindCoordinatorResponse(coordinators=coordinators))
