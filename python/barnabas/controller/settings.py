"""What the controller has to know of the cluster's options. Values only."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.controller.config_key import ConfigKey

__all__ = ["ControllerSettings"]


class ControllerSettings(NamedTuple):
    """Options of the controller; the defaults are Kafka's.

    Attributes:
        partition_count: `num.partitions`.
        replication_factor: `default.replication.factor`.
        delete_topic_enable: `delete.topic.enable`.
        static_options: Broker options as they were set for this start, as text.
        own_options: Broker options that Kafka does not have.
        node_id: This node.
        directories: Ids of this node's data directories; the first has the metadata log.
        quorum_endpoints: (listener, host, port) by which other controllers would reach this node.
        partition_count_max: How many partitions one request may create.
    """

    partition_count: int = 1
    replication_factor: int = 1
    delete_topic_enable: bool = True
    static_options: Mapping[str, str] = MappingProxyType({})
    own_options: Mapping[str, ConfigKey] = MappingProxyType({})
    node_id: int = 1
    directories: tuple[bytes, ...] = ()
    quorum_endpoints: tuple[tuple[str, str, int], ...] = ()
    partition_count_max: int = 10_000
