"""DeleteTopics (key 20), versions 1-6: by name and by id, each answered for itself. A timeout of 0 is over at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.controller.requests import TopicsToDelete
from barnabas.errors import RequestTimedOutError
from barnabas.protocol.messages.delete_topics import DeleteTopicsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Deletes topics; answers when they are gone from the metadata."""

    def answer(results: Any) -> None:
        if isinstance(results, Failed):
            results = [
                DeleteTopicsResponse.DeletableTopicResult(
                    name=topic.name, topic_id=topic.topic_id, error_code=results.error_code
                )
                for topic in request.message.topics
            ]
        request.respond(DeleteTopicsResponse(responses=results))

    if request.message.timeout_ms <= 0:
        answer(Failed(RequestTimedOutError.code))
        return
    mutations = request.limit_mutations(strict_since=5)
    plane.metadata.submit(TopicsToDelete(request.message, mutations), request.now, answer)
