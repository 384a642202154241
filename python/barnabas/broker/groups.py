"""The group coordinators of this broker: one replica for each partition of `__consumer_offsets` that it leads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.ids import fresh_uuid_text
from barnabas.broker.runtime import Failed, Replica, ReplicaState, Role, next_ticket
from barnabas.broker.topics import ImageTopics
from barnabas.controller.image import OFFSETS_TOPIC
from barnabas.coordinator.partition import partition_for
from barnabas.errors import CoordinatorLoadInProgressError, NotCoordinatorError
from barnabas.machine import Caller, Machine, Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from barnabas.broker.core import DataPlane
    from barnabas.broker.deadlines import Deadlines
    from barnabas.broker.metadata import ClusterMetadata
    from barnabas.broker.request import Request
    from barnabas.controller.image import TopicImage
    from barnabas.coordinator.settings import ConsumerSettings, GroupSettings

__all__ = ["GroupCoordinators"]

GROUP_FEATURE = "group.version"
GROUPS_KEPT = 65_536
"""Groups whose partition is remembered: its hash is a loop over the name."""
_NAME_MEMBERS = frozenset({11, 68})
"""JoinGroup and ConsumerGroupHeartbeat: their answers may have to name a member."""


class GroupCoordinators:
    """Finds the shard of a group and hands requests to it."""

    def __init__(
        self,
        core: DataPlane,
        deadlines: Deadlines,
        metadata: ClusterMetadata,
        settings: GroupSettings,
        consumer_settings: ConsumerSettings,
    ) -> None:
        self.settings = settings
        self._consumer_settings = consumer_settings
        self._core = core
        self._deadlines = deadlines
        self._metadata = metadata
        self._topic_id: bytes | None = None
        self._replicas: dict[int, Replica] = {}
        self._role: Role | None = None
        self._checked_version = -1
        self._partitions: dict[str, int] = {}
        self._partition_count = 0

    @property
    def replicas(self) -> Iterable[Replica]:
        """The replicas that exist."""
        return self._replicas.values()

    @property
    def has_consumer_protocol(self) -> bool:
        """Whether groups of KIP-848 are served: by option, and by the level of the cluster's feature."""
        return self._consumer_settings.is_enabled and self._metadata.image.features.get(GROUP_FEATURE, 0) > 0

    def partition(self, group_id: str) -> int | None:
        """Returns the partition of a group; None as long as the topic does not exist."""
        topic = self._metadata.image.topics.get(OFFSETS_TOPIC)
        if topic is None or not topic.partitions:
            return None
        count = len(topic.partitions)
        partition = self._partitions.get(group_id)
        if partition is None or count != self._partition_count:
            if count != self._partition_count or len(self._partitions) >= GROUPS_KEPT:
                self._partitions.clear()
                self._partition_count = count
            partition = self._partitions[group_id] = partition_for(group_id, count)
        return partition

    def submit(self, request: Request, group_id: str, message: Any, answer: Callable[[Any], None]) -> None:
        """Hands `message` to the shard of `group_id`; `answer` gets its answer or `Failed`."""
        partition = self.partition(group_id)
        replica = None if partition is None else self._replica(partition, request.now)
        if replica is None:
            answer(Failed(NotCoordinatorError.code))
            return
        caller = Caller(
            token=next_ticket(),
            api_version=request.version,
            client_id=request.client_id,
            client_host=f"/{request.client_host}",
            fresh_id=fresh_uuid_text() if request.api_key in _NAME_MEMBERS and not message.member_id else "",
        )
        replica.submit(caller, message, request.now, answer)

    def submit_to_all(self, request: Request, message: Any, answer: Callable[[list[Any]], None]) -> None:
        """Hands `message` to every shard; `answer` gets all answers at once, `Failed` ones included."""
        self.load_all(request.now)
        replicas = list(self._replicas.values())
        answers: list[Any] = []

        def collect(one: Any) -> None:
            answers.append(one)
            if len(answers) == len(replicas):
                answer(answers)

        if not replicas:
            answer([])
        for replica in replicas:
            replica.submit(Caller(next_ticket(), request.version), message, request.now, collect)

    def forget_topics(self, names: list[str], now: Moment) -> None:
        """Forgets what was committed for topics that were deleted."""
        from barnabas.coordinator.shard import ForgetTopics  # noqa: PLC0415 - loaded with the first shard

        for replica in self._replicas.values():
            if replica.state is ReplicaState.ACTIVE:
                caller = Caller(next_ticket(), 0)
                replica.submit(caller, ForgetTopics(frozenset(names)), now, lambda _answer: None)

    def load_all(self, now: Moment) -> None:
        """Starts loading every partition that this broker leads; empty ones are ready at once."""
        topic = self._metadata.image.topics.get(OFFSETS_TOPIC)
        for partition in () if topic is None else topic.partitions:
            self._replica(partition, now)

    def replica_of(self, topic: str, partition: int) -> Replica | None:
        """Returns the replica that an event of the data plane is about."""
        return self._replicas.get(partition) if topic == OFFSETS_TOPIC else None

    def _replica(self, partition: int, now: Moment) -> Replica | None:
        if self._metadata.image.topics_version == self._checked_version:
            known = self._replicas.get(partition)
            if known is not None:
                return known
        if self._metadata.replica.state is not ReplicaState.ACTIVE:
            return self._replicas.get(partition)
        topic = self._metadata.image.topics.get(OFFSETS_TOPIC)
        topic_id = None if topic is None else topic.topic_id
        if topic_id != self._topic_id:
            # Deleted, and perhaps created again: what the old replicas knew is gone with their log.
            for old in self._replicas.values():
                old.close()
            self._replicas.clear()
            self._topic_id = topic_id
        self._checked_version = self._metadata.image.topics_version
        self._give_up(topic)
        if topic is None or partition not in topic.partitions:
            return None
        if topic.partitions[partition].leader != self._metadata.node_id:
            return None
        replica = self._replicas.get(partition)
        if replica is None:
            if self._core.info(OFFSETS_TOPIC, partition) is None:
                return None
            replica = Replica(
                self._core,
                self._deadlines,
                (OFFSETS_TOPIC, partition),
                self._make_shard,
                self._shard_role(),
            )
            self._replicas[partition] = replica
            replica.load(now)
        return replica

    def _give_up(self, topic: TopicImage | None) -> None:
        """Closes what this broker leads no longer."""
        partitions = {} if topic is None else topic.partitions
        for number in [*self._replicas]:
            if number not in partitions or partitions[number].leader != self._metadata.node_id:
                self._replicas.pop(number).close()

    def _shard_role(self) -> Role:
        if self._role is None:
            from barnabas.broker import group_records  # noqa: PLC0415 - a start without groups does not wait for it

            self._role = Role(
                encode=group_records.encode,
                decode=group_records.decode,
                decode_in_transaction=group_records.decode_in_transaction,
                loading_code=CoordinatorLoadInProgressError.code,
                lost_code=NotCoordinatorError.code,
            )
        return self._role

    def _make_shard(self) -> Machine:
        from barnabas.coordinator.shard import GroupShard  # noqa: PLC0415 - a start without groups does not wait for it

        return GroupShard(self.settings, ImageTopics(self._metadata), self._settings_of)

    def _settings_of(self, group_id: str) -> ConsumerSettings:
        settings = self._consumer_settings
        changed = self._metadata.changed_option("group.consumer.assignment.interval.ms")
        if changed is not None:
            settings = settings._replace(assignment_interval_ms=int(changed))
        return settings.of_group(self._metadata.image.group_config(group_id))
