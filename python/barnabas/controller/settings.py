"""What the controller has to know of the cluster's options. Values only."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ControllerSettings"]


class ControllerSettings(NamedTuple):
    """Options of the controller; the defaults are Kafka's.

    Attributes:
        partition_count: `num.partitions`.
        replication_factor: `default.replication.factor`.
        delete_topic_enable: `delete.topic.enable`.
        topic_defaults: Topic options that the broker's own options decide.
        partition_count_max: How many partitions one request may create.
    """

    partition_count: int = 1
    replication_factor: int = 1
    delete_topic_enable: bool = True
    topic_defaults: Mapping[str, str] = MappingProxyType({})
    partition_count_max: int = 10_000
