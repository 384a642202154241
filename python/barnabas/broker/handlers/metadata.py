"""Metadata (key 3), all versions, for topics that are to be created first.

The data plane answers Metadata from the published image. A request that names a topic which does not exist, and that
may create it, comes here. As in Kafka it is answered at once, and the topic is there when the client asks again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.controller.image import OFFSETS_TOPIC
from barnabas.controller.names import invalid_topic_name

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Creates what is missing, as far as the client's quota of changes goes, and lets the data plane answer."""
    image = plane.metadata.image
    wanted: dict[str, tuple[int, int, dict[str, str]]] = {}
    for topic in request.message.topics or []:
        name = topic.name
        if name is not None and name not in image.topics and invalid_topic_name(name) is None:
            wanted[name] = plane.options.offsets_topic() if name == OFFSETS_TOPIC else (-1, -1, {})
    if wanted:
        mutations = request.limit_mutations(strict_since=0)
        plane.metadata.ensure_topics(wanted, request.now, lambda _codes: None, mutations)
        request.settle_mutations()
    plane.core.respond_from_image(request.token)
