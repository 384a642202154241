"""The controller as a replicated state machine over `__cluster_metadata`.

Implements the same contract as a coordinator shard (`barnabas.machine.Machine`): `handle` decides, `replay`
changes the image. Answers leave when the records are committed, flushed and published to the data plane.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from barnabas.controller.image import BROKER_RESOURCE, Image
from barnabas.controller.requests import Administer, AllocateProducerIds, NewTopics, RegisterBroker, TopicsToDelete
from barnabas.machine import Caller, Moment, Reply, Result
from barnabas.protocol.messages.abort_transaction_record import AbortTransactionRecord
from barnabas.protocol.messages.begin_transaction_record import BeginTransactionRecord
from barnabas.protocol.messages.broker_registration_change_record import BrokerRegistrationChangeRecord
from barnabas.protocol.messages.config_record import ConfigRecord
from barnabas.protocol.messages.end_transaction_record import EndTransactionRecord
from barnabas.protocol.messages.feature_level_record import FeatureLevelRecord
from barnabas.protocol.messages.partition_change_record import PartitionChangeRecord
from barnabas.protocol.messages.producer_ids_record import ProducerIdsRecord
from barnabas.protocol.messages.register_broker_record import RegisterBrokerRecord

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.controller.settings import ControllerSettings

__all__ = [
    "DECISIONS",
    "FEATURES",
    "METADATA_VERSION",
    "PRODUCER_ID_BLOCK_SIZE",
    "Controller",
    "default_bootstrap",
    "record_version",
]

METADATA_VERSION = 30
"""`metadata.version` of a fresh cluster: 4.3-IV0."""
METADATA_VERSION_MIN = 7
PRODUCER_ID_BLOCK_SIZE = 1000
FEATURES = {
    "metadata.version": (METADATA_VERSION_MIN, METADATA_VERSION, METADATA_VERSION),
    "eligible.leader.replicas.version": (0, 1, 1),
    "group.version": (0, 1, 1),
}
"""Feature -> (least and greatest level that this version can do, level of a fresh cluster)."""
PLAINTEXT = 0
_ELR = "eligible.leader.replicas.version"

DECISIONS: dict[str, tuple[str, str]] = {
    "AlterClientQuotasRequest": ("quotas", "alter_client_quotas"),
    "AlterConfigsRequest": ("alter_configs", "alter_configs"),
    "AlterPartitionReassignmentsRequest": ("partitions", "alter_partition_reassignments"),
    "AlterUserScramCredentialsRequest": ("scram", "alter_user_scram_credentials"),
    "CreatePartitionsRequest": ("partitions", "create_partitions"),
    "DescribeClientQuotasRequest": ("quotas", "describe_client_quotas"),
    "DescribeConfigsRequest": ("describe_configs", "describe_configs"),
    "DescribeUserScramCredentialsRequest": ("scram", "describe_user_scram_credentials"),
    "ElectLeadersRequest": ("partitions", "elect_leaders"),
    "IncrementalAlterConfigsRequest": ("alter_configs", "incremental_alter_configs"),
    "ListConfigResourcesRequest": ("describe_configs", "list_config_resources"),
    "ListPartitionReassignmentsRequest": ("partitions", "list_partition_reassignments"),
    "UnregisterBrokerRequest": ("brokers", "unregister_broker"),
    "UpdateFeaturesRequest": ("features", "update_features"),
}
"""Message of `Administer` -> module and function: (image, message, settings) -> (records, response).

Modules are loaded with their first request, because a broker's start is counted in milliseconds."""

_WITH_ELIGIBLE_LEADERS, _WITH_DIRECTORIES, _WITH_MIGRATION = 23, 17, 8
_RECORD_VERSIONS = {
    "PartitionChangeRecord": ((_WITH_ELIGIBLE_LEADERS, 2), (_WITH_DIRECTORIES, 1)),
    "PartitionRecord": ((_WITH_ELIGIBLE_LEADERS, 2), (_WITH_DIRECTORIES, 1)),
    "RegisterBrokerRecord": (
        (METADATA_VERSION, 4),
        (_WITH_DIRECTORIES, 3),
        (_WITH_MIGRATION, 2),
        (METADATA_VERSION_MIN, 1),
    ),
}
"""Record -> (level of `metadata.version` from which on, version of the record), newest first; else 0, as Kafka writes
what needs no later one."""


def record_version(record: Any, metadata_version: int = METADATA_VERSION) -> int:
    """Returns the version in which Kafka writes a metadata record at a level of `metadata.version`."""
    versions = _RECORD_VERSIONS.get(type(record).__name__, ())
    return next((version for level, version in versions if metadata_version >= level), 0)


def default_bootstrap() -> list[Any]:
    """Returns the records with which a fresh cluster begins, where a format has not chosen others."""
    return [FeatureLevelRecord(name=name, feature_level=level) for name, (_, _, level) in FEATURES.items() if level]


class Controller:
    """Decides about topics, brokers and producer ids; holds the image.

    Args:
        settings: The options that decide.
        bootstrap: Makes the records with which a cluster begins whose log is empty.
    """

    def __init__(self, settings: ControllerSettings, bootstrap: Callable[[], list[Any]] = default_bootstrap) -> None:
        self.settings = settings
        self.image = Image()
        self._bootstrap = bootstrap

    def handle(self, caller: Caller, request: Any, now: Moment) -> Result:
        """Decides about a request; see `barnabas.machine.Machine`."""
        del now
        records: list[Any]
        answer: Any
        if isinstance(request, Administer):
            module, function = DECISIONS[type(request.message).__name__]
            decide = getattr(importlib.import_module(f"barnabas.controller.{module}"), function)
            limits = () if request.mutations is None else (request.mutations,)
            records, answer = decide(self.image, request.message, self.settings, *limits)
        elif isinstance(request, (NewTopics, TopicsToDelete)):
            # Loaded with the first request, because a broker's start is counted in milliseconds.
            from barnabas.controller import topics  # noqa: PLC0415

            if isinstance(request, NewTopics):
                records, answer = topics.create_topics(self.image, request, self.settings)
            else:
                records, answer = topics.delete_topics(self.image, request, self.settings)
        elif isinstance(request, AllocateProducerIds):
            records, answer = self._allocate_producer_ids(request)
        elif isinstance(request, RegisterBroker):
            records, answer = self._register_broker(request)
        else:
            raise TypeError(f"the controller does not know {type(request).__name__}")
        return Result(records=records, replies=[Reply(caller.token, answer)])

    def expire(self, key: tuple[Any, ...], now: Moment) -> Result:
        """The controller of one node has no deadlines."""
        del now
        raise RuntimeError(f"no deadline is called {key!r}")

    def apply(self, change: Any) -> None:
        """The controller has no soft state."""
        raise RuntimeError(f"unexpected soft change {change!r}")

    def replay(self, record: Any, offset: int) -> None:
        """Applies one record to the image."""
        self.image.replay(record, offset)

    def loaded(self, now: Moment) -> Result:
        """An empty log begins with the bootstrap records; a transaction that its leader did not end is given up."""
        del now
        records: list[Any] = []
        if self.image.in_transaction:
            records.append(AbortTransactionRecord(reason="Controller failover"))
        if "metadata.version" not in self.image.features:
            bootstrap = self._bootstrap()
            records += [BeginTransactionRecord(name="Bootstrap records"), *bootstrap]
            if any(isinstance(one, FeatureLevelRecord) and one.name == _ELR and one.feature_level for one in bootstrap):
                # What eligible leader replicas are is told by one value for the whole cluster, as Kafka sets it.
                isr = self.settings.static_options.get("min.insync.replicas", "1")
                records.append(ConfigRecord(resource_type=BROKER_RESOURCE, name="min.insync.replicas", value=isr))
            records.append(EndTransactionRecord())
        return Result(records=records)

    def _allocate_producer_ids(self, request: AllocateProducerIds) -> tuple[list[Any], Any]:
        broker = self.image.brokers.get(request.node_id)
        first = self.image.next_producer_id
        record = ProducerIdsRecord(
            broker_id=request.node_id,
            broker_epoch=-1 if broker is None else broker.epoch,
            next_producer_id=first + PRODUCER_ID_BLOCK_SIZE,
        )
        return [record], (first, PRODUCER_ID_BLOCK_SIZE)

    def _register_broker(self, request: RegisterBroker) -> tuple[list[Any], Any]:
        epoch = request.log_end_offset
        records: list[Any] = [
            RegisterBrokerRecord(
                broker_id=request.node_id,
                incarnation_id=request.incarnation_id,
                broker_epoch=epoch,
                end_points=[
                    RegisterBrokerRecord.BrokerEndpoint(name=name, host=host, port=port, security_protocol=PLAINTEXT)
                    for name, host, port in request.endpoints
                ],
                features=[
                    RegisterBrokerRecord.BrokerFeature(name=name, min_supported_version=low, max_supported_version=high)
                    for name, (low, high, _) in sorted(FEATURES.items())
                ],
                rack=request.rack,
                log_dirs=list(request.log_dirs) if self.image.has_directories else [],
                fenced=True,
            ),
            BrokerRegistrationChangeRecord(broker_id=request.node_id, broker_epoch=epoch, fenced=-1),
        ]
        records += self._leaders_of(request.node_id)
        return records, epoch

    def _leaders_of(self, node_id: int) -> list[Any]:
        """Returns the records by which a broker that is back leads what nobody leads, as Kafka elects when one is back.

        A Kafka that was stopped leaves its partitions without a leader, with its own replica as the one to be elected.
        """
        return [
            PartitionChangeRecord(
                partition_id=partition.partition,
                topic_id=topic.topic_id,
                isr=[node_id],
                leader=node_id,
                eligible_leader_replicas=[] if partition.elr else None,
                last_known_elr=[] if partition.last_elr else None,
            )
            for topic in self.image.topics.values()
            for partition in topic.partitions.values()
            if partition.leader < 0
            and (node_id in (*partition.isr, *partition.elr) or partition.replicas == (node_id,))
        ]
