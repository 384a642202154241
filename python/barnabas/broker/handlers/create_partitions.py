"""CreatePartitions (key 37), versions 0-3. Each topic is answered for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import RequestTimedOutError
from barnabas.protocol.messages.create_partitions import CreatePartitionsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Adds partitions; answers when clients can use them."""
    shape = CreatePartitionsResponse.CreatePartitionsTopicResult

    def refusal(code: int) -> CreatePartitionsResponse:
        topics = request.message.topics
        return CreatePartitionsResponse(
            results=[shape(name=topic.name, error_code=code, error_message=None) for topic in topics]
        )

    if request.message.timeout_ms <= 0:
        request.respond(refusal(RequestTimedOutError.code))
        return
    request.limit_mutations(strict_since=3)
    plane.metadata.administer(request, refusal)
