"""The limits a group coordinator works under, as Kafka's broker options name them. Values only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ConsumerSettings", "GroupSettings"]


class GroupSettings(NamedTuple):
    """Broker options of the group coordinator; the defaults are Kafka's.

    Attributes:
        session_timeout_ms_min: `group.min.session.timeout.ms`.
        session_timeout_ms_max: `group.max.session.timeout.ms`.
        initial_rebalance_delay_ms: `group.initial.rebalance.delay.ms`.
        group_size_max: `group.max.size`.
        offset_metadata_max_size: `offset.metadata.max.bytes`, counted in UTF-16 units as Kafka counts it.
        offsets_retention_ms: `offsets.retention.minutes`, in milliseconds.
        offsets_check_interval_ms: `offsets.retention.check.interval.ms`.
        new_member_join_timeout_ms: How long a member that is not known yet may wait in JoinGroup before it is dropped.
    """

    session_timeout_ms_min: int = 6_000
    session_timeout_ms_max: int = 1_800_000
    initial_rebalance_delay_ms: int = 3_000
    group_size_max: int = 2_147_483_647
    offset_metadata_max_size: int = 4_096
    offsets_retention_ms: int = 7 * 24 * 3_600_000
    offsets_check_interval_ms: int = 600_000
    new_member_join_timeout_ms: int = 300_000


class ConsumerSettings(NamedTuple):
    """Broker options for groups of KIP-848; the defaults are Kafka's. A group's own options replace some of them.

    Attributes:
        session_timeout_ms: `group.consumer.session.timeout.ms`, or the group's `consumer.session.timeout.ms`.
        heartbeat_interval_ms: `group.consumer.heartbeat.interval.ms`, or the group's `consumer.heartbeat.interval.ms`.
        assignment_interval_ms: `group.consumer.assignment.interval.ms`, or the group's
            `consumer.assignment.interval.ms`: the least time between two target assignments.
        group_size_max: `group.consumer.max.size`.
        assignors: `group.consumer.assignors`; the first one is the default.
        migration_policy: `group.consumer.migration.policy`: disabled, upgrade, downgrade or bidirectional.
        is_enabled: Whether `group.coordinator.rebalance.protocols` has them.
        session_timeout_ms_range: `group.consumer.min.session.timeout.ms` and `….max.…`: what a group may choose.
        heartbeat_interval_ms_range: The same of the heartbeat interval.
        assignment_interval_ms_range: The same of the assignment interval.
    """

    session_timeout_ms: int = 45_000
    heartbeat_interval_ms: int = 5_000
    assignment_interval_ms: int = 1_000
    group_size_max: int = 2_147_483_647
    assignors: tuple[str, ...] = ("uniform", "range")
    migration_policy: str = "bidirectional"
    is_enabled: bool = True
    session_timeout_ms_range: tuple[int, int] = (45_000, 60_000)
    heartbeat_interval_ms_range: tuple[int, int] = (5_000, 15_000)
    assignment_interval_ms_range: tuple[int, int] = (0, 15_000)

    def of_group(self, options: Mapping[str, str]) -> ConsumerSettings:
        """Returns the settings of a group that has set `options` itself.

        They were checked when they were set, but the broker's bounds may have changed since: as in Kafka, what a group
        goes by is brought within them.
        """
        if not options:
            return self
        return self._replace(
            session_timeout_ms=_within(
                options, "session.timeout", self.session_timeout_ms, self.session_timeout_ms_range
            ),
            heartbeat_interval_ms=_within(
                options, "heartbeat.interval", self.heartbeat_interval_ms, self.heartbeat_interval_ms_range
            ),
            assignment_interval_ms=_within(
                options, "assignment.interval", self.assignment_interval_ms, self.assignment_interval_ms_range
            ),
        )


def _within(options: Mapping[str, str], name: str, default: int, bounds: tuple[int, int]) -> int:
    text = options.get(f"consumer.{name}.ms")
    return default if text is None else max(bounds[0], min(bounds[1], int(text)))
