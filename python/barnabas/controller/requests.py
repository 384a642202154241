"""What the controller is asked. Values only, apart from the code that answers, so that naming one loads none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from barnabas.controller.mutations import Mutations
    from barnabas.protocol.messages.create_topics import CreateTopicsRequest
    from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest

__all__ = ["Administer", "AllocateProducerIds", "NewTopics", "RegisterBroker", "TopicsToDelete"]


class Administer(NamedTuple):
    """A request of an API that needs nothing but its message; answered with the response.

    `controller.DECISIONS` says which function decides about which message.

    Attributes:
        mutations: What it may create, if that is limited.
    """

    message: Any
    mutations: Mutations | None = None


class NewTopics(NamedTuple):
    """A CreateTopics request with an unused topic id for each of its topics; answered with the response."""

    message: CreateTopicsRequest
    topic_ids: Sequence[bytes]
    mutations: Mutations | None = None


class TopicsToDelete(NamedTuple):
    """A DeleteTopics request in its newest shape; answered with a list of results."""

    message: DeleteTopicsRequest
    mutations: Mutations | None = None


class RegisterBroker(NamedTuple):
    """A broker starts: it tells where it can be reached. The first one formats the cluster. Answered with its epoch.

    Attributes:
        incarnation_id: Tells this start of the broker from every other.
        endpoints: (listener, host, port).
        log_end_offset: Where the registration will be written; it becomes the broker's epoch, as in KRaft.
        log_dirs: Ids of its data directories.
    """

    node_id: int
    incarnation_id: bytes
    endpoints: Sequence[tuple[str, str, int]]
    rack: str | None
    log_end_offset: int
    log_dirs: Sequence[bytes] = ()


class AllocateProducerIds(NamedTuple):
    """A broker needs a block of producer ids; answered with (first id, count)."""

    node_id: int
