"""The metadata image: what the records of `__cluster_metadata` say, and nothing else.

Only `replay` changes an image. What changed since `take_delta` was last called is collected for the data plane, whose
partitions are created, reconfigured and deleted from these deltas alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.controller.topic_options import BROKER_SYNONYMS, LOG_OPTIONS_OF_THE_BROKER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from barnabas.protocol.messages.access_control_entry_record import AccessControlEntryRecord
    from barnabas.protocol.messages.broker_registration_change_record import BrokerRegistrationChangeRecord
    from barnabas.protocol.messages.clear_elr_record import ClearElrRecord
    from barnabas.protocol.messages.client_quota_record import ClientQuotaRecord
    from barnabas.protocol.messages.config_record import ConfigRecord
    from barnabas.protocol.messages.delegation_token_record import DelegationTokenRecord
    from barnabas.protocol.messages.feature_level_record import FeatureLevelRecord
    from barnabas.protocol.messages.fence_broker_record import FenceBrokerRecord
    from barnabas.protocol.messages.kraft_version_record import KRaftVersionRecord
    from barnabas.protocol.messages.partition_change_record import PartitionChangeRecord
    from barnabas.protocol.messages.partition_record import PartitionRecord
    from barnabas.protocol.messages.producer_ids_record import ProducerIdsRecord
    from barnabas.protocol.messages.register_broker_record import RegisterBrokerRecord
    from barnabas.protocol.messages.register_controller_record import RegisterControllerRecord
    from barnabas.protocol.messages.remove_access_control_entry_record import RemoveAccessControlEntryRecord
    from barnabas.protocol.messages.remove_delegation_token_record import RemoveDelegationTokenRecord
    from barnabas.protocol.messages.remove_topic_record import RemoveTopicRecord
    from barnabas.protocol.messages.remove_user_scram_credential_record import RemoveUserScramCredentialRecord
    from barnabas.protocol.messages.topic_record import TopicRecord
    from barnabas.protocol.messages.unfence_broker_record import UnfenceBrokerRecord
    from barnabas.protocol.messages.unregister_broker_record import UnregisterBrokerRecord
    from barnabas.protocol.messages.user_scram_credential_record import UserScramCredentialRecord
    from barnabas.protocol.messages.voters_record import VotersRecord
    from barnabas.protocol.messages.zk_migration_state_record import ZkMigrationStateRecord

__all__ = [
    "BROKER_LOGGER_RESOURCE",
    "BROKER_RESOURCE",
    "CLIENT_METRICS_RESOURCE",
    "DATA_PLANE_OPTIONS",
    "GROUP_RESOURCE",
    "INTERNAL_TOPICS",
    "KRAFT_VERSIONS",
    "KRAFT_VERSION_NAME",
    "METADATA_TOPIC",
    "OFFSETS_TOPIC",
    "TOPIC_RESOURCE",
    "BrokerImage",
    "Image",
    "PartitionImage",
    "QuotaEntity",
    "TopicImage",
    "UnknownRecord",
    "is_data_plane_option",
]

TOPIC_RESOURCE = 2
BROKER_RESOURCE = 4
BROKER_LOGGER_RESOURCE = 8
CLIENT_METRICS_RESOURCE = 16
GROUP_RESOURCE = 32
METADATA_TOPIC = "__cluster_metadata"
OFFSETS_TOPIC = "__consumer_offsets"
INTERNAL_TOPICS = frozenset({OFFSETS_TOPIC, "__transaction_state", "__share_group_state"})

DATA_PLANE_OPTIONS = frozenset(
    {
        "log.cleaner.backoff.ms",
        "log.cleaner.dedupe.buffer.size",
        "log.cleaner.io.buffer.load.factor",
        "log.cleaner.io.buffer.size",
        "log.cleaner.io.max.bytes.per.second",
        "log.cleaner.threads",
        "max.connection.creation.rate",
        "max.connections",
        "max.connections.per.ip",
        "max.connections.per.ip.overrides",
        "num.network.threads",
    },
)
"""Options of a broker that its data plane takes over while it runs."""
_OF_LISTENERS = re.compile(r"listener\.name\.[^.]+\.(max\.connections|max\.connection\.creation\.rate)")

KRAFT_VERSION_NAME = "kraft.version"
"""The quorum's own feature: a level of the log's format and none of the metadata in it, told by a control record."""
KRAFT_VERSIONS = (0, 1, 0)
"""Its lowest and highest level, and that of a fresh log."""
_WITH_DIRECTORIES = 17
"""Level of `metadata.version`: 3.7-IV2."""
_NO_ELR: tuple[list[int], list[int]] = ([], [])
_NO_LEADER_CHANGE = -2
_NO_RECOVERY_CHANGE = -1
_PARTITION_CHANGES = (
    ("isr", "isr"),
    ("replicas", "replicas"),
    ("eligible_leader_replicas", "elr"),
    ("last_known_elr", "last_elr"),
    ("directories", "directories"),
    ("removing_replicas", "removing"),
    ("adding_replicas", "adding"),
)
"""Fields of a change record that say something where they are not null, and what they change."""
_BEHIND_TOPICS = frozenset(
    [*(option for synonyms in BROKER_SYNONYMS.values() for option, _ in synonyms), *LOG_OPTIONS_OF_THE_BROKER]
)
"""Broker options that give topics' options their defaults, or that every log goes by."""


_TRANSACTION_ENDS = frozenset({"BeginTransactionRecord", "EndTransactionRecord", "AbortTransactionRecord"})
QuotaEntity = tuple[tuple[str, str | None], ...]
"""(kind, name) of what a quota is for, sorted; None names those that have no quota of their own."""


class UnknownRecord:
    """Stands for a record of a kind that this version does not know. It stays in the log."""


def is_data_plane_option(name: str) -> bool:
    """Whether a broker option is one of `DATA_PLANE_OPTIONS`, or one of these for a single listener."""
    return name in DATA_PLANE_OPTIONS or _OF_LISTENERS.fullmatch(name) is not None


class PartitionImage(NamedTuple):
    """One partition: who holds it, who leads it, in which epochs.

    Attributes:
        elr: Replicas that are not in sync and may still be elected without loss (eligible leader replicas).
        last_elr: Who was in sync last when nobody is left.
        directories: Where the replicas are, by the ids of data directories.
        removing: Replicas that a reassignment takes away.
        adding: Replicas that it adds.
        recovery: Whether the leader was elected uncleanly and has not recovered (KIP-704).
    """

    partition: int
    leader: int
    leader_epoch: int
    partition_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...] = ()
    last_elr: tuple[int, ...] = ()
    directories: tuple[bytes, ...] = ()
    removing: tuple[int, ...] = ()
    adding: tuple[int, ...] = ()
    recovery: int = 0

    @classmethod
    def of(cls, record: PartitionRecord) -> PartitionImage:
        """Returns what the record of a partition says."""
        return cls(
            partition=record.partition_id,
            leader=record.leader,
            leader_epoch=record.leader_epoch,
            partition_epoch=record.partition_epoch,
            replicas=tuple(record.replicas),
            isr=tuple(record.isr),
            elr=tuple(record.eligible_leader_replicas or ()),
            last_elr=tuple(record.last_known_elr or ()),
            directories=tuple(record.directories),
            removing=tuple(record.removing_replicas),
            adding=tuple(record.adding_replicas),
            recovery=record.leader_recovery_state,
        )

    def changed(self, record: PartitionChangeRecord) -> PartitionImage:
        """Returns the partition after a change, which moves it to its next epoch."""
        changes: dict[str, Any] = {"partition_epoch": self.partition_epoch + 1}
        for field, name in _PARTITION_CHANGES:
            value = getattr(record, field)
            if value is not None:
                changes[name] = tuple(value)
        if record.leader != _NO_LEADER_CHANGE:
            changes["leader"], changes["leader_epoch"] = record.leader, self.leader_epoch + 1
        if record.leader_recovery_state != _NO_RECOVERY_CHANGE:
            changes["recovery"] = record.leader_recovery_state
        return self._replace(**changes)


class TopicImage(NamedTuple):
    """One topic and its partitions."""

    name: str
    topic_id: bytes
    partitions: dict[int, PartitionImage]


class BrokerImage(NamedTuple):
    """One registered broker; endpoints are (listener, host, port).

    Attributes:
        registration: What it registered, with all changes since.
    """

    node_id: int
    epoch: int
    incarnation_id: bytes
    endpoints: tuple[tuple[str, str, int], ...]
    rack: str | None
    fenced: bool
    registration: RegisterBrokerRecord

    @classmethod
    def of(cls, record: RegisterBrokerRecord) -> BrokerImage:
        """Returns what a registration says."""
        return cls(
            node_id=record.broker_id,
            epoch=record.broker_epoch,
            incarnation_id=bytes(record.incarnation_id),
            endpoints=tuple((endpoint.name, endpoint.host, endpoint.port) for endpoint in record.end_points),
            rack=record.rack,
            fenced=record.fenced,
            registration=record,
        )


class Image:
    """Cluster metadata as replayed from its log.

    Attributes:
        topics_version: Grows with every change to any topic's existence or partitions.
        client_metrics_version: Grows with every change to a metrics subscription.
        acls: Not acted on, like tokens and controllers; kept for whoever reads the metadata after this broker.
        kraft_version: Level of the quorum's own feature; from 1 on its voters are in the log.
        unknown_kinds: Whether the log has a kind of record that this version does not know, so that no snapshot can be
            made of it.
    """

    def __init__(self) -> None:
        self.topics: dict[str, TopicImage] = {}
        self.topic_names: dict[bytes, str] = {}
        self.configs: dict[tuple[int, str], dict[str, str]] = {}
        self.brokers: dict[int, BrokerImage] = {}
        self.features: dict[str, int] = {}
        self.next_producer_id = 0
        self.quotas: dict[QuotaEntity, dict[str, float]] = {}
        self.scram: dict[tuple[str, int], UserScramCredentialRecord] = {}
        self.acls: dict[bytes, AccessControlEntryRecord] = {}
        self.tokens: dict[str, DelegationTokenRecord] = {}
        self.controllers: dict[int, RegisterControllerRecord] = {}
        self.zk_migration: ZkMigrationStateRecord | None = None
        self.kraft_version = 0
        self.voters: VotersRecord | None = None
        self.unknown_kinds = False
        self.topics_version = 0
        self.client_metrics_version = 0
        self._features_changed = False
        self._changed_topics: dict[bytes, str | None] = {}
        self._removed_topics: list[str] = []
        self._changed_brokers: set[int] = set()
        self._data_plane_options_changed = False
        self._changed_quotas: dict[QuotaEntity, None] = {}
        self._replay: dict[str, Callable[[Any, int], None]] = {
            "TopicRecord": self._topic,
            "PartitionRecord": self._partition,
            "PartitionChangeRecord": self._change_partition,
            "ClearElrRecord": self._clear_elr,
            "RemoveTopicRecord": self._remove_topic,
            "ConfigRecord": self._config,
            "RegisterBrokerRecord": self._register_broker,
            "BrokerRegistrationChangeRecord": self._change_broker,
            "UnregisterBrokerRecord": self._unregister_broker,
            "FenceBrokerRecord": self._fence_broker,
            "UnfenceBrokerRecord": self._unfence_broker,
            "RegisterControllerRecord": self._controller,
            "FeatureLevelRecord": self._feature_level,
            "ProducerIdsRecord": self._producer_ids,
            "ClientQuotaRecord": self._quota,
            "UserScramCredentialRecord": self._credential,
            "RemoveUserScramCredentialRecord": self._remove_credential,
            "AccessControlEntryRecord": self._acl,
            "RemoveAccessControlEntryRecord": self._remove_acl,
            "DelegationTokenRecord": self._token,
            "RemoveDelegationTokenRecord": self._remove_token,
            "ZkMigrationStateRecord": self._zk_migration,
            "KRaftVersionRecord": self._kraft_version,
            "VotersRecord": self._voters,
            "UnknownRecord": self._unknown,
            "BeginTransactionRecord": self._begin,
            "EndTransactionRecord": self._end,
            "AbortTransactionRecord": self._abort,
        }
        self._transaction: list[tuple[Any, int]] | None = None

    def topic_config(self, name: str) -> dict[str, str]:
        """Returns the options that were set for a topic itself."""
        return self.configs.get((TOPIC_RESOURCE, name), {})

    def group_config(self, group_id: str) -> dict[str, str]:
        """Returns the options that were set for a group itself, by the names of `group_options.GROUP_OPTIONS`."""
        return self.configs.get((GROUP_RESOURCE, group_id), {})

    def topic_by_id(self, topic_id: bytes) -> TopicImage | None:
        """Returns the topic with that id."""
        name = self.topic_names.get(bytes(topic_id))
        return None if name is None else self.topics[name]

    def replay(self, record: Any, offset: int) -> None:
        """Applies one record that has `offset` in the log; kinds that are not acted on are left to the log."""
        kind = type(record).__name__
        if self._transaction is not None and kind not in _TRANSACTION_ENDS:
            self._transaction.append((record, offset))
            return
        apply = self._replay.get(kind)
        if apply is not None:
            apply(record, offset)

    @property
    def has_directories(self) -> bool:
        """Whether the cluster's metadata says in which data directories replicas are (KIP-858)."""
        return self.features.get("metadata.version", _WITH_DIRECTORIES) >= _WITH_DIRECTORIES

    @property
    def in_transaction(self) -> bool:
        """Whether records wait that count only when their transaction ends."""
        return self._transaction is not None

    def frozen(self) -> Image:
        """Returns a copy that does not change when this image does."""
        copy = Image()
        copy.topics = {name: topic._replace(partitions=dict(topic.partitions)) for name, topic in self.topics.items()}
        copy.topic_names = dict(self.topic_names)
        copy.configs = {key: dict(configs) for key, configs in self.configs.items()}
        copy.brokers = dict(self.brokers)
        copy.features = dict(self.features)
        copy.next_producer_id = self.next_producer_id
        copy.quotas = {entity: dict(values) for entity, values in self.quotas.items()}
        copy.scram = dict(self.scram)
        copy.acls, copy.tokens, copy.controllers = dict(self.acls), dict(self.tokens), dict(self.controllers)
        copy.zk_migration, copy.kraft_version, copy.voters = self.zk_migration, self.kraft_version, self.voters
        return copy

    def take_delta(
        self,
        topic_defaults: Mapping[str, str] | None = None,
        broker_options: Mapping[str, str] | None = None,
    ) -> list[tuple[Any, ...]]:
        """Returns what changed since the last call, as the data plane takes it (`BrokerCore.publish`).

        Args:
            topic_defaults: Topic options that broker options decide which were set after the start.
            broker_options: Those of `DATA_PLANE_OPTIONS` that were set after the start.
        """
        delta: list[tuple[Any, ...]] = []
        if self._data_plane_options_changed:
            self._data_plane_options_changed = False
            delta.append(("broker_options", {**(broker_options or {})}))
        for node_id in sorted(self._changed_brokers):
            broker = self.brokers.get(node_id)
            if broker is None:
                delta.append(("remove_broker", node_id))
                continue
            delta.append(("broker", node_id, broker.rack, list(broker.endpoints)))
        for topic_id, name in self._changed_topics.items():
            topic = None if name is None else self.topics.get(name)
            if topic is None or topic.topic_id != topic_id:
                delta.append(("remove_topic", topic_id))
                continue
            partitions = [
                (
                    number,
                    partition.leader,
                    partition.leader_epoch,
                    [*partition.replicas],
                    [*partition.isr],
                    ([*partition.elr], [*partition.last_elr]) if partition.elr or partition.last_elr else _NO_ELR,
                )
                for number, partition in sorted(topic.partitions.items())
            ]
            is_internal = topic.name in INTERNAL_TOPICS
            options = {**(topic_defaults or {}), **self.topic_config(topic.name)}
            if "internal.segment.bytes" in options:
                options["segment.bytes"] = options.pop("internal.segment.bytes")
            delta.append(("topic", topic.name, topic_id, is_internal, partitions, options))
        if self._features_changed:
            quorum = {KRAFT_VERSION_NAME: self.kraft_version} if self.kraft_version else {}
            delta.append(("features", {**self.features, **quorum}))
        self._features_changed = False
        delta += [("quota", list(entity), dict(self.quotas.get(entity, {}))) for entity in self._changed_quotas]
        self._changed_brokers.clear()
        self._changed_quotas.clear()
        self._changed_topics.clear()
        return delta

    def take_removed_topics(self) -> list[str]:
        """Returns the names of topics that were removed since the last call."""
        removed, self._removed_topics = self._removed_topics, []
        return removed

    def _topic(self, record: TopicRecord, _offset: int) -> None:
        topic_id = bytes(record.topic_id)
        self.topics[record.name] = TopicImage(record.name, topic_id, {})
        self.topic_names[topic_id] = record.name
        self._changed_topics[topic_id] = record.name
        self.topics_version += 1

    def _partition(self, record: PartitionRecord, _offset: int) -> None:
        topic = self.topic_by_id(record.topic_id)
        if topic is None:
            return
        topic.partitions[record.partition_id] = PartitionImage.of(record)
        self._changed_topics[topic.topic_id] = topic.name
        self.topics_version += 1

    def _remove_topic(self, record: RemoveTopicRecord, _offset: int) -> None:
        topic_id = bytes(record.topic_id)
        name = self.topic_names.pop(topic_id, None)
        if name is None:
            return
        del self.topics[name]
        self._removed_topics.append(name)
        self.configs.pop((TOPIC_RESOURCE, name), None)
        self._changed_topics[topic_id] = None
        self.topics_version += 1

    def _config(self, record: ConfigRecord, _offset: int) -> None:
        key = (record.resource_type, record.resource_name)
        config = self.configs.setdefault(key, {})
        if record.value is None:
            config.pop(record.name, None)
        else:
            config[record.name] = record.value
        if not config:
            del self.configs[key]
        if record.resource_type == CLIENT_METRICS_RESOURCE:
            self.client_metrics_version += 1
        topic = self.topics.get(record.resource_name) if record.resource_type == TOPIC_RESOURCE else None
        if topic is not None:
            self._changed_topics[topic.topic_id] = topic.name
        elif record.resource_type == BROKER_RESOURCE and record.name in _BEHIND_TOPICS:
            self._changed_topics.update(self.topic_names)
        elif record.resource_type == BROKER_RESOURCE and is_data_plane_option(record.name):
            self._data_plane_options_changed = True

    def _register_broker(self, record: RegisterBrokerRecord, offset: int) -> None:
        del offset
        self.brokers[record.broker_id] = BrokerImage.of(record)
        self._changed_brokers.add(record.broker_id)

    def _change_broker(self, record: BrokerRegistrationChangeRecord, _offset: int) -> None:
        """In its flags 1 sets and -1 unsets."""
        changes: dict[str, Any] = {}
        if record.fenced:
            changes["fenced"] = record.fenced > 0
        if record.in_controlled_shutdown:
            changes["in_controlled_shutdown"] = record.in_controlled_shutdown > 0
        if record.log_dirs:
            changes["log_dirs"] = record.log_dirs
        if record.cordoned_log_dirs is not None:
            changes["cordoned_log_dirs"] = record.cordoned_log_dirs
        self._alter_broker(record.broker_id, changes)

    def _alter_broker(self, node_id: int, changes: Mapping[str, Any]) -> None:
        broker = self.brokers.get(node_id)
        if broker is None or not changes:
            return
        old = broker.registration
        # A copy: a snapshot may be written of the old one.
        registration = type(old)(**{name: changes.get(name, getattr(old, name)) for name in type(old).__slots__})
        self.brokers[node_id] = BrokerImage.of(registration)
        self._changed_brokers.add(node_id)

    def _controller(self, record: RegisterControllerRecord, _offset: int) -> None:
        self.controllers[record.controller_id] = record

    def _feature_level(self, record: FeatureLevelRecord, _offset: int) -> None:
        if record.feature_level:
            self.features[record.name] = record.feature_level
        else:
            self.features.pop(record.name, None)
        self._features_changed = True

    def _producer_ids(self, record: ProducerIdsRecord, _offset: int) -> None:
        self.next_producer_id = record.next_producer_id

    def _change_partition(self, record: PartitionChangeRecord, _offset: int) -> None:
        topic = self.topic_by_id(record.topic_id)
        old = None if topic is None else topic.partitions.get(record.partition_id)
        if topic is None or old is None:
            return
        topic.partitions[record.partition_id] = old.changed(record)
        self._changed_topics[topic.topic_id] = topic.name
        self.topics_version += 1

    def _clear_elr(self, record: ClearElrRecord, _offset: int) -> None:
        """Who was eligible before `min.insync.replicas` changed is not any more; no name means all topics."""
        named = self.topics.get(record.topic_name)
        for topic in [named] if named is not None else [] if record.topic_name else self.topics.values():
            for number, partition in topic.partitions.items():
                topic.partitions[number] = partition._replace(elr=(), last_elr=())

    def _unregister_broker(self, record: UnregisterBrokerRecord, _offset: int) -> None:
        self.brokers.pop(record.broker_id, None)
        self._changed_brokers.add(record.broker_id)

    def _fence_broker(self, record: FenceBrokerRecord, _offset: int) -> None:
        self._alter_broker(record.id, {"fenced": True})

    def _unfence_broker(self, record: UnfenceBrokerRecord, _offset: int) -> None:
        self._alter_broker(record.id, {"fenced": False})

    def _quota(self, record: ClientQuotaRecord, _offset: int) -> None:
        entity = tuple(sorted((part.entity_type, part.entity_name) for part in record.entity))
        self._changed_quotas[entity] = None
        if not record.remove:
            self.quotas.setdefault(entity, {})[record.key] = record.value
            return
        values = self.quotas.get(entity, {})
        values.pop(record.key, None)
        if not values:
            self.quotas.pop(entity, None)

    def _credential(self, record: UserScramCredentialRecord, _offset: int) -> None:
        self.scram[record.name, record.mechanism] = record

    def _remove_credential(self, record: RemoveUserScramCredentialRecord, _offset: int) -> None:
        self.scram.pop((record.name, record.mechanism), None)

    # What is not acted on here, and kept.

    def _acl(self, record: AccessControlEntryRecord, _offset: int) -> None:
        self.acls[bytes(record.id)] = record

    def _remove_acl(self, record: RemoveAccessControlEntryRecord, _offset: int) -> None:
        self.acls.pop(bytes(record.id), None)

    def _token(self, record: DelegationTokenRecord, _offset: int) -> None:
        self.tokens[record.token_id] = record

    def _remove_token(self, record: RemoveDelegationTokenRecord, _offset: int) -> None:
        self.tokens.pop(record.token_id, None)

    def _zk_migration(self, record: ZkMigrationStateRecord, _offset: int) -> None:
        self.zk_migration = record

    def _kraft_version(self, record: KRaftVersionRecord, _offset: int) -> None:
        self.kraft_version = record.kraft_version
        self._features_changed = True

    def _voters(self, record: VotersRecord, _offset: int) -> None:
        self.voters = record

    def _unknown(self, _record: UnknownRecord, _offset: int) -> None:
        self.unknown_kinds = True

    # Records that count together: what is begun counts when it is ended, and never when it is given up.

    def _begin(self, _record: Any, _offset: int) -> None:
        self._transaction = []

    def _end(self, _record: Any, _offset: int) -> None:
        records, self._transaction = self._transaction or [], None
        for record, offset in records:
            self.replay(record, offset)

    def _abort(self, _record: Any, _offset: int) -> None:
        self._transaction = None
