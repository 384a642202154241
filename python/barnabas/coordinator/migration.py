"""Groups change their protocol while they work (KIP-848): classic to consumer, and back.

A classic group of consumers becomes a KIP-848 group when the first member of the new protocol joins it; its members go
on speaking the classic protocol (`consumer_classic.py`) until they are replaced. It becomes a classic group again when
the last member of the new protocol is gone. `group.consumer.migration.policy` says which of the two is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from barnabas.assignors import consumer_protocol
from barnabas.coordinator import consumer_records
from barnabas.coordinator.consumer_member import ClassicMember, ConsumerMember, Epochs, MemberState
from barnabas.coordinator.draft import JOIN, SESSION, SYNC, Draft
from barnabas.coordinator.group import CONSUMER_PROTOCOL_TYPE, Group, GroupState, Member
from barnabas.coordinator.records import Record, group_record, group_tombstone
from barnabas.errors import GroupIdNotFoundError, ProtocolError, RebalanceInProgressError
from barnabas.machine import Deadline, Reply
from barnabas.protocol.messages.join_group import JoinGroupResponse
from barnabas.protocol.messages.sync_group import SyncGroupResponse
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from barnabas.assignors.target import Partitions
    from barnabas.coordinator.consumer_group import ConsumerGroup
    from barnabas.coordinator.settings import ConsumerSettings, GroupSettings
    from barnabas.coordinator.topics import Topics
    from barnabas.machine import Moment, Result

__all__ = ["Migration", "by_id", "by_name", "downgrade", "may_downgrade", "upgrade"]


# Partitions by name and by id.


def by_id(partitions: Iterable[TopicPartition], topics: Topics) -> Partitions:
    """Returns partitions by topic id; those of topics that do not exist are left out."""
    found: dict[bytes, set[int]] = {}
    for topic, partition in partitions:
        info = topics.get(topic)
        if info is not None:
            found.setdefault(info.topic_id, set()).add(partition)
    return {topic_id: frozenset(numbers) for topic_id, numbers in found.items()}


def by_name(partitions: Partitions, topics: Topics) -> list[TopicPartition]:
    """Returns partitions by topic name; those of topics that do not exist are left out."""
    named = ((topics.name(topic_id), numbers) for topic_id, numbers in partitions.items())
    return [TopicPartition(name, number) for name, numbers in named if name is not None for number in sorted(numbers)]


# To KIP-848.


def _may_upgrade(group: Group, settings: ConsumerSettings) -> bool:
    """Whether a classic group may become one of KIP-848 with its members."""
    return (
        settings.migration_policy in ("upgrade", "bidirectional")
        and group.protocol_type == CONSUMER_PROTOCOL_TYPE
        and len(group.members) <= settings.group_size_max
    )


def upgrade(result: Result, group: Group, settings: ConsumerSettings, topics: Topics) -> ConsumerGroup:
    """Turns a classic group into one of KIP-848, with what its members have been assigned.

    What a member owned when it last joined, and nobody was assigned since, it has still to give up: it may not have
    heard yet that it lost it. Kafka takes that for free.

    Members that wait for a rebalance are told that there is another one, so that they join it.

    Raises:
        GroupIdNotFoundError: It may not become one, or what its members said in the classic protocol cannot be read.
    """
    if not _may_upgrade(group, settings):
        raise GroupIdNotFoundError(f"Group {group.group_id} is not a consumer group.")
    group_id = group.group_id
    try:
        given = {
            member.member_id: by_id(consumer_protocol.decode_assignment(member.assignment), topics)
            for member in group.members.values()
        }
        members = [_from_classic(group, member, topics, given) for member in group.members.values()]
    except ProtocolError:
        raise GroupIdNotFoundError(
            f"Cannot upgrade classic group {group_id} to consumer group because the embedded consumer protocol is "
            f"malformed."
        ) from None
    records: list[Record] = [consumer_records.member_record(group_id, member) for member in members]
    records.append(consumer_records.epoch_record(group_id, group.generation, 0))
    for member in members:
        target = {topic: frozenset(partitions) for topic, partitions in member.assigned.items()}
        records.append(consumer_records.target_record(group_id, member.member_id, target))
    records.append(consumer_records.target_epoch_record(group_id, group.generation, 0))
    records += [consumer_records.assignment_record(group_id, member) for member in members]
    result.records += [group_tombstone(group_id), *records]
    _send_away(result, group)
    groups: dict[str, ConsumerGroup] = {}
    for key, value in records:
        consumer_records.replay(groups, key, value)
    return groups[group_id]


def _from_classic(group: Group, member: Member, topics: Topics, given: Mapping[str, Partitions]) -> ConsumerMember:
    protocol = group.protocol or group.elected_protocol()
    subscription = consumer_protocol.decode_subscription(member.metadata(protocol))
    kept: Epochs = {}
    for topic, owned in by_id(subscription.owned_partitions, topics).items():
        left = owned.difference(*(assigned.get(topic, ()) for assigned in given.values()))
        if left:
            kept[topic] = dict.fromkeys(sorted(left), group.generation)
    assigned: Epochs = {
        topic: dict.fromkeys(sorted(numbers), group.generation) for topic, numbers in given[member.member_id].items()
    }
    return ConsumerMember(
        member_id=member.member_id,
        instance_id=member.group_instance_id,
        rack_id=subscription.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        topic_names=tuple(sorted(set(subscription.topics))),
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        classic=ClassicMember(member.session_timeout_ms, member.protocols),
        epoch=group.generation,
        previous_epoch=group.generation,
        state=MemberState.UNREVOKED_PARTITIONS if kept else MemberState.STABLE,
        assigned=assigned,
        pending_revocation=kept,
    )


def _send_away(result: Result, group: Group) -> None:
    """Answers what is parked and ends the classic group's deadlines."""
    code = RebalanceInProgressError.code
    for member_id, waiting in group.awaiting_join.items():
        message = JoinGroupResponse(error_code=code, member_id=member_id, protocol_name=None)
        result.replies.append(Reply(waiting.token, message))
    for waiting in group.awaiting_sync.values():
        result.replies.append(Reply(waiting.token, SyncGroupResponse(error_code=code, assignment=b"")))
    keys: list[tuple[str, ...]] = [(JOIN, group.group_id), (SYNC, group.group_id)]
    keys += [(SESSION, group.group_id, member_id) for member_id in group.members.keys() | group.pending_join]
    result.deadlines += [Deadline(key, None) for key in keys]


# Back.


class Migration(NamedTuple):
    """What makes a group a classic one: members leave, or a static member comes back with the classic protocol."""

    group: ConsumerGroup
    leaving: Collection[str]
    joining: ConsumerMember | None = None


def may_downgrade(
    group: ConsumerGroup,
    leaving: Collection[str],
    settings: ConsumerSettings,
    classic: GroupSettings,
    joining: ConsumerMember | None,
) -> bool:
    """Whether the group speaks the classic protocol alone once these members are gone, and may change."""
    staying = [member for member_id, member in group.members.items() if member_id not in leaving]
    if joining is not None:
        staying.append(joining)
    return (
        bool(staying)
        and settings.migration_policy in ("downgrade", "bidirectional")
        and len(staying) <= classic.group_size_max
        and all(member.classic is not None for member in staying)
    )


def downgrade(what: Migration, topics: Topics, settings: GroupSettings, now: Moment) -> Result:
    """Turns a KIP-848 group into a classic one.

    Members that stay are told to rejoin, unless a static member has only changed its protocol: then the targets are
    their assignments. Otherwise it is what they hold (in Kafka the targets, too): a member of KIP-848 that joins before
    the others have rejoined must not be told that somebody has what another one has not given up yet.
    """
    group, leaving, joining = what
    classic = Group(
        group_id=group.group_id,
        state=GroupState.STABLE,
        generation=group.epoch,
        state_timestamp_ms=now.wall_ms,
    )
    shares: dict[str, Partitions] = {}
    for member_id, member in group.members.items():
        if member_id not in leaving:
            classic.add(_to_classic(member))
            shares[member_id] = member.held if joining is None else group.target.get(member_id, {})
    if joining is not None:
        classic.add(_to_classic(joining))
        shares[joining.member_id] = group.target_of(joining.member_id, joining.instance_id)
    protocol = classic.protocol = classic.elected_protocol()
    classic.set_assignments(
        {
            member_id: consumer_protocol.encode_assignment(
                by_name(shares[member_id], topics), version=consumer_protocol.version_of(member.metadata(protocol))
            )
            for member_id, member in classic.members.items()
        }
    )
    draft = Draft(classic, settings, now)
    draft.result.records += [*consumer_records.group_tombstones(group), group_record(classic)]
    for known in draft.group.members.values():
        draft.prolong_session(known)
    if joining is None:
        draft.prepare_rebalance()
    return draft.result


def _to_classic(member: ConsumerMember) -> Member:
    classic = member.classic
    if classic is None:
        raise RuntimeError(f"member {member.member_id} does not speak the classic protocol")
    return Member(
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        session_timeout_ms=classic.session_timeout_ms,
        protocol_type=CONSUMER_PROTOCOL_TYPE,
        protocols=classic.protocols,
    )
