"""CreateTopics (key 19), versions 2-7.

Kept: validate only, manual assignments, options, defaults by -1, the effective options in the answer (version 5 on).
The timeout counts only if it is none at all, because metadata of one node is committed within the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.errors import RequestTimedOutError
from barnabas.protocol.messages.create_topics import CreateTopicsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Creates topics; answers when clients can use them."""

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            code = response.error_code
            response = CreateTopicsResponse(
                topics=[
                    CreateTopicsResponse.CreatableTopicResult(name=topic.name, error_code=code, error_message=None)
                    for topic in request.message.topics
                ],
            )
        request.respond(response)

    if request.message.timeout_ms <= 0:
        answer(Failed(RequestTimedOutError.code))
        return
    mutations = request.limit_mutations(strict_since=6)
    plane.metadata.create_topics(request.message, request.now, answer, mutations)
