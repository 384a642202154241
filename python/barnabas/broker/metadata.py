"""The controller's place in the broker: its replica of `__cluster_metadata`, and what the broker asks of the image.

Metadata becomes effective in the data plane when it is committed and in no other way; answers leave after that, so that
a client that was told of a topic finds it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from barnabas.broker import log
from barnabas.broker.bootstrap import bootstrap_records, write_bootstrap
from barnabas.broker.handlers import TELEMETRY
from barnabas.broker.ids import directory_ids, fresh_topic_id, fresh_uuid
from barnabas.broker.metadata_snapshots import (
    KRAFT_VERSION,
    KRAFT_VOTERS,
    SnapshotFiles,
    SnapshotOptions,
    Snapshots,
    encode_control,
)
from barnabas.broker.quorum_state import check_voters, leader_change, stored_epoch, write_quorum_state
from barnabas.broker.runtime import Failed, Replica, ReplicaState, Role, next_ticket
from barnabas.controller.broker_configs import BrokerConfigs
from barnabas.controller.configs import dynamic_data_plane_options, dynamic_topic_defaults
from barnabas.controller.controller import METADATA_VERSION, Controller, record_version
from barnabas.controller.image import BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, METADATA_TOPIC, Image, UnknownRecord
from barnabas.controller.requests import Administer, NewTopics, RegisterBroker
from barnabas.controller.snapshot import image_records
from barnabas.errors import NotControllerError, ProtocolError, TopicAlreadyExistsError
from barnabas.machine import Caller, Moment
from barnabas.protocol import codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from barnabas.broker.core import DataPlane
    from barnabas.broker.deadlines import Deadlines
    from barnabas.broker.request import Request
    from barnabas.controller.mutations import Mutations
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.create_topics import CreateTopicsRequest

__all__ = ["ClusterMetadata"]


class ClusterMetadata:
    """The controller and the published image of this node.

    Attributes:
        snapshots: Of the metadata log, beside it.
        topics_removed: Called with the names of topics whose removal is committed.
    """

    def __init__(
        self,
        core: DataPlane,
        deadlines: Deadlines,
        node_id: int,
        settings: ControllerSettings,
        snapshot_options: SnapshotOptions | None = None,
    ) -> None:
        self.node_id = node_id
        self._core = core
        self._settings = settings
        self._deltas: deque[tuple[int, list[tuple[Any, ...]], list[str]]] = deque()
        self.topics_removed: Callable[[list[str]], None] = lambda _names: None
        self.data_dirs: list[str] = []
        self.shows_client_metrics = False
        self._is_durable = False
        self._publishes_controller = True
        self._client_metrics_version = -1
        self._listener_texts: tuple[str | None, ...] | None = (None, None)
        self.snapshots = Snapshots(core, deadlines, snapshot_options or SnapshotOptions(), _encoded)
        role = Role(
            encode=lambda record: (None, _encode(record, self.image)),
            decode=_decode,
            loading_code=NotControllerError.code,
            lost_code=NotControllerError.code,
            appended=self._appended,
            committed=self._committed,
            lost=self._lost,
            snapshot=self.snapshots.find,
            decode_control=_decode_control,
            encode_control=encode_control,
            elected=self._elected,
        )
        make = lambda: Controller(self._settings, lambda: bootstrap_records(core, self.data_dirs))  # noqa: E731
        self.replica = Replica(core, deadlines, (METADATA_TOPIC, 0), make, role)

    def keep_in(self, data_dirs: list[str], *, is_durable: bool) -> None:
        """Says where the metadata log is, and whether what lies beside it outlives the process."""
        self.data_dirs, self._is_durable = data_dirs, is_durable
        self.snapshots.files = SnapshotFiles(self._core, data_dirs)
        # By the next machine, which loading makes.
        self._settings = self._settings._replace(directories=tuple(directory_ids(data_dirs)))

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

        self.submit(Administer(request.message, request.mutations), request.now, answer)

    def register(
        self,
        endpoints: list[tuple[str, str, int]],
        rack: str | None,
        now: Moment,
        answer: Callable[[Any], None],
    ) -> None:
        """Announces this start of the broker; a fresh cluster is formatted by it."""
        info = self._core.info(METADATA_TOPIC, 0)
        end_offset = 0 if info is None else info[3]
        log_dirs = self._settings.directories
        self.submit(RegisterBroker(self.node_id, fresh_uuid(), endpoints, rack, end_offset, log_dirs), now, answer)

    def create_topics(
        self,
        message: CreateTopicsRequest,
        now: Moment,
        answer: Callable[[Any], None],
        mutations: Mutations | None = None,
    ) -> None:
        """Creates topics, with ids drawn here."""
        topic_ids = [fresh_topic_id() for _ in message.topics]
        self.submit(NewTopics(message, topic_ids, mutations), now, answer)

    def ensure_topics(
        self,
        wanted: Mapping[str, tuple[int, int, Mapping[str, str]]],
        now: Moment,
        answer: Callable[[dict[str, int]], None],
        mutations: Mutations | None = None,
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

        self.create_topics(message, now, done, mutations)

    def changed_option(self, name: str) -> str | None:
        """Returns the value of a broker option that was set after the start, for this broker or for all."""
        stored = self.image.configs
        if not any(name in stored.get((BROKER_RESOURCE, broker), ()) for broker in (str(self.node_id), "")):
            return None
        configs = BrokerConfigs.of(self.image, self._settings)
        return configs.broker.get(name, configs.cluster.get(name))

    def endpoint(self, node_id: int, listener: str) -> tuple[str, int] | None:
        """Returns where clients of `listener` reach a broker."""
        broker = self.image.brokers.get(node_id)
        if broker is None or broker.fenced:
            return None
        for name, host, port in broker.endpoints:
            if name == listener:
                return host, port
        return None

    # Its replica's role.

    def _elected(self, now: Moment) -> None:
        """Leads in a new epoch, told beside the log first and then in it, as by a Kafka that was elected."""
        check_voters(self.image.voters, self.node_id)
        self.snapshots.loaded(self.replica.log_bytes_read)
        epoch = max(self.replica.leader_epoch, stored_epoch(self.data_dirs)) + 1
        if self._is_durable:
            if not self.image.features:
                write_bootstrap(self._core, self.data_dirs)
            write_quorum_state(self._core, self.node_id, epoch, self.image.kraft_version)
        control_type, value = leader_change(self.node_id)
        self.replica.begin_epoch(epoch, control_type, value, now)

    def expire(self, key: tuple[Any, ...], now: Moment) -> None:
        """A deadline of the snapshots has passed."""
        self.snapshots.expire(key, now)
        if self.replica.is_committed:
            self.snapshots.take_if_due(self.image, self.replica.end_offset, self.replica.leader_epoch)

    def _lost(self) -> None:
        self._client_metrics_version = -1
        self._listener_texts = None
        self._deltas.clear()
        self.snapshots.lost()

    def _appended(self, end_offset: int) -> None:
        configs = BrokerConfigs.of(self.image, self._settings)
        delta = self.image.take_delta(dynamic_topic_defaults(configs), dynamic_data_plane_options(configs))
        delta += self._offers()
        delta += self._listeners(configs)
        if self._publishes_controller:
            self._publishes_controller = False
            delta.append(("controller", self.node_id))
        self._deltas.append((end_offset, delta, self.image.take_removed_topics()))
        if self.replica.state is ReplicaState.ACTIVE:
            self.snapshots.appended(self.image, end_offset, self.replica.leader_epoch)

    def _offers(self) -> list[tuple[Any, ...]]:
        """Returns which APIs clients are told of from here on: telemetry, while it is shown and somebody is subscribed.

        Who asks without having been told is answered, as by Kafka.
        """
        version = self.image.client_metrics_version
        if version == self._client_metrics_version:
            return []
        self._client_metrics_version = version
        is_subscribed = any(kind == CLIENT_METRICS_RESOURCE for kind, _ in self.image.configs)
        is_offered = is_subscribed and self.shows_client_metrics
        return [("offered", key, is_offered) for key in TELEMETRY]

    def _listeners(self, configs: BrokerConfigs) -> list[tuple[Any, ...]]:
        """Returns where the broker listens from here on, if options that were set after the start say something new."""
        texts = _listener_texts(configs)
        if texts == self._listener_texts:
            return []
        self._listener_texts = texts
        endpoints, wrong = _client_endpoints(configs)
        for why in wrong:
            log.error("option listeners: %s", why)
        # What is set for the start stays open, rather than that nobody could set anything else.
        return [("listeners", endpoints)] if endpoints else []

    def changed_listeners(self) -> list[tuple[str, str, int]]:
        """Returns the listeners for clients if options that were set after an earlier start say which; else none."""
        configs = BrokerConfigs.of(self.image, self._settings)
        return _client_endpoints(configs)[0] if any(_listener_texts(configs)) else []

    def _committed(self, offset: int) -> None:
        while self._deltas and self._deltas[0][0] <= offset:
            end_offset, delta, removed = self._deltas.popleft()
            if delta:
                self._core.publish(delta, end_offset - 1, self.replica.leader_epoch)
            if removed:
                self.topics_removed(removed)
        self.snapshots.committed(offset)


def _listener_texts(configs: BrokerConfigs) -> tuple[str | None, str | None]:
    """Returns what was set after the start of what says where the broker listens."""
    return configs.broker.get("listeners"), configs.broker.get("listener.security.protocol.map")


def _client_endpoints(configs: BrokerConfigs) -> tuple[list[tuple[str, str, int]], list[str]]:
    # Loaded with the first change, because a broker's start is counted in milliseconds.
    from barnabas.controller.listeners import ListenerOptions, client_endpoints  # noqa: PLC0415

    return client_endpoints(ListenerOptions.of(configs.texts()))


def _decode(_key: bytes | None, value: bytes | None) -> Any:
    if value is None:
        return None
    try:
        return codec.decode_metadata_record(value)[0]
    except ProtocolError:
        # A kind of record that this version does not know: it is kept in the log and not acted on.
        return UnknownRecord()


def _decode_control(key: bytes | None, value: bytes | None) -> Any:
    """Returns what the quorum's own records say that a later snapshot has to say again."""
    kind = int.from_bytes((key or b"")[2:4], "big", signed=True)
    if kind == KRAFT_VERSION:
        return codec.decode(codec.message_class("kraft_version_record", "KRaftVersionRecord"), 0, value or b"")
    if kind == KRAFT_VOTERS:
        return codec.decode(codec.message_class("voters_record", "VotersRecord"), 0, value or b"")
    return None


def _encode(record: Any, image: Image) -> bytes:
    level = image.features.get("metadata.version", METADATA_VERSION)
    return codec.encode_metadata_record(record, record_version(record, level))


def _encoded(image: Image) -> Iterator[bytes]:
    return (_encode(record, image) for record in image_records(image))
