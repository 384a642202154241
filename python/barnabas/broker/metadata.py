"""The controller's place in the broker: its replica of `__cluster_metadata`, and what the broker asks of the image.

Metadata becomes effective in the data plane when it is committed and in no other way; answers leave after that, so that
a client that was told of a topic finds it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from barnabas.broker.ids import fresh_topic_id, fresh_uuid
from barnabas.broker.metadata_snapshots import find_snapshot
from barnabas.broker.quorum_state import write_quorum_state
from barnabas.broker.runtime import Failed, Replica, Role, next_ticket
from barnabas.controller.broker_configs import BrokerConfigs
from barnabas.controller.configs import dynamic_data_plane_options, dynamic_topic_defaults
from barnabas.controller.controller import Controller, record_version
from barnabas.controller.image import METADATA_TOPIC, Image
from barnabas.controller.requests import Administer, NewTopics, RegisterBroker
from barnabas.errors import NotControllerError, ProtocolError, TopicAlreadyExistsError
from barnabas.machine import Caller, Moment
from barnabas.protocol import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from barnabas.broker.core import DataPlane
    from barnabas.broker.deadlines import Deadlines
    from barnabas.broker.request import Request
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.create_topics import CreateTopicsRequest

__all__ = ["ClusterMetadata"]


class ClusterMetadata:
    """The controller and the published image of this node.

    Attributes:
        data_dirs: Where the metadata log is, with its snapshots.
        topics_removed: Called with the names of topics whose removal is committed.
    """

    def __init__(self, core: DataPlane, deadlines: Deadlines, node_id: int, settings: ControllerSettings) -> None:
        self.node_id = node_id
        self._core = core
        self._settings = settings
        self._deltas: deque[tuple[int, list[tuple[Any, ...]], list[str]]] = deque()
        self.topics_removed: Callable[[list[str]], None] = lambda _names: None
        self.data_dirs: list[str] = []
        self._publishes_controller = True
        role = Role(
            encode=lambda record: (None, codec.encode_metadata_record(record, record_version(record))),
            decode=_decode,
            loading_code=NotControllerError.code,
            lost_code=NotControllerError.code,
            appended=self._appended,
            committed=self._committed,
            lost=self._deltas.clear,
            snapshot=lambda start, end: find_snapshot(self.data_dirs, start, end),
        )
        self.replica = Replica(core, deadlines, (METADATA_TOPIC, 0), lambda: Controller(settings), role)

    @property
    def image(self) -> Image:
        """The image up to the last append; what it says is answered only once committed."""
        controller = self.replica.machine
        assert isinstance(controller, Controller)  # noqa: S101 - made so in __init__
        return controller.image

    def submit(self, request: Any, now: Moment, answer: Callable[[Any], None]) -> None:
        """Lets the controller decide; `answer` gets its answer or `Failed`."""
        self.replica.submit(Caller(next_ticket(), 0), request, now, answer)

    def administer(
        self, request: Request, refusal: Callable[[int], Any], finish: Callable[[Any], None] | None = None
    ) -> None:
        """Lets the controller decide about a request and answers it.

        Args:
            request: Of an API that needs nothing but its message.
            refusal: Makes a response of the error code when nothing could be decided.
            finish: Adds to the controller's response what is the node's own business.
        """

        def answer(response: Any) -> None:
            if isinstance(response, Failed):
                response = refusal(response.error_code)
            elif finish is not None:
                finish(response)
            request.respond(response)

        self.submit(Administer(request.message), request.now, answer)

    def register(
        self,
        endpoints: list[tuple[str, str, int]],
        rack: str | None,
        now: Moment,
        answer: Callable[[Any], None],
    ) -> None:
        """Announces this start of the broker; a fresh cluster is formatted by it."""
        info = self._core.info(METADATA_TOPIC, 0)
        request = RegisterBroker(self.node_id, fresh_uuid(), endpoints, rack, 0 if info is None else info[3])
        self.submit(request, now, answer)

    def keep_quorum_state(self) -> None:
        """Writes who leads the metadata log, as Kafka keeps it for its next election."""
        info = self._core.info(METADATA_TOPIC, 0)
        if info is not None:
            write_quorum_state(self.data_dirs, self.node_id, info[4])

    def create_topics(self, message: CreateTopicsRequest, now: Moment, answer: Callable[[Any], None]) -> None:
        """Creates topics, with ids drawn here."""
        topic_ids = [fresh_topic_id() for _ in message.topics]
        self.submit(NewTopics(message, topic_ids), now, answer)

    def ensure_topics(
        self,
        wanted: Mapping[str, tuple[int, int, Mapping[str, str]]],
        now: Moment,
        answer: Callable[[dict[str, int]], None],
    ) -> None:
        """Creates topics that may be there already: name -> (partitions, replication factor, options).

        `answer` gets an error code per name; 0 also for those that another request has created in the meantime.
        """
        from barnabas.protocol.messages.create_topics import CreateTopicsRequest  # noqa: PLC0415 - not for the start

        message = CreateTopicsRequest(
            topics=[
                CreateTopicsRequest.CreatableTopic(
                    name=name,
                    num_partitions=partitions,
                    replication_factor=factor,
                    configs=[
                        CreateTopicsRequest.CreatableTopicConfig(name=key, value=value)
                        for key, value in options.items()
                    ],
                )
                for name, (partitions, factor, options) in wanted.items()
            ],
        )

        def done(response: Any) -> None:
            if isinstance(response, Failed):
                answer(dict.fromkeys(wanted, response.error_code))
                return
            codes = {topic.name: topic.error_code for topic in response.topics}
            answer({name: 0 if code == TopicAlreadyExistsError.code else code for name, code in codes.items()})

        self.create_topics(message, now, done)

    def endpoint(self, node_id: int, listener: str) -> tuple[str, int] | None:
        """Returns where clients of `listener` reach a broker."""
        broker = self.image.brokers.get(node_id)
        if broker is None or broker.fenced:
            return None
        for name, host, port in broker.endpoints:
            if name == listener:
                return host, port
        return None

    def _appended(self, end_offset: int) -> None:
        configs = BrokerConfigs.of(self.image, self._settings)
        delta = self.image.take_delta(dynamic_topic_defaults(configs), dynamic_data_plane_options(configs))
        if self._publishes_controller:
            self._publishes_controller = False
            delta.append(("controller", self.node_id))
        self._deltas.append((end_offset, delta, self.image.take_removed_topics()))

    def _committed(self, offset: int) -> None:
        while self._deltas and self._deltas[0][0] <= offset:
            end_offset, delta, removed = self._deltas.popleft()
            if delta:
                self._core.publish(delta, end_offset, 0)
            if removed:
                self.topics_removed(removed)


def _decode(_key: bytes | None, value: bytes | None) -> Any:
    if value is None:
        return None
    try:
        return codec.decode_metadata_record(value)[0]
    except ProtocolError:
        # A kind of record that this version does not know: it is kept in the log and not acted on.
        return None
