"""One step of a member of a KIP-848 group towards its target assignment. A function of its arguments.

A member first gives up what the target takes away, in the epoch it is in. When it no longer reports those partitions
as owned it enters the target's epoch and gets what is new to it, as far as nobody else still holds it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from barnabas.coordinator.consumer_member import ConsumerMember, Epochs, MemberState
from barnabas.errors import FencedMemberEpochError

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from barnabas.assignors.target import Partitions

__all__ = ["Step", "reconcile"]


class Step(NamedTuple):
    """What a step depends on, besides the member.

    Attributes:
        target_epoch: The epoch of the target assignment.
        target: The member's share of it.
        owned: What the member says it owns; None when it did not say.
        subscribed: Ids of the topics it subscribes to; the target may lag behind a subscription.
        subscription_changed: Whether the subscription changed with this request.
        is_held: Whether some member still holds a partition.
    """

    target_epoch: int
    target: Partitions
    owned: Partitions | None
    subscribed: Container[bytes]
    subscription_changed: bool
    is_held: Callable[[bytes, int], bool]


def reconcile(member: ConsumerMember, step: Step) -> ConsumerMember:
    """Returns the member after this step; the same object when there is nothing to do.

    Raises:
        FencedMemberEpochError: The member is in a state that this version does not know and must join anew.
    """
    if member.state is MemberState.STABLE:
        if member.epoch != step.target_epoch:
            return _next(member, member.epoch, step)
        return _drop_unsubscribed(member, step) if step.subscription_changed else member
    if member.state is MemberState.UNREVOKED_PARTITIONS:
        if _still_owns(step.owned, member.pending_revocation):
            return _drop_unsubscribed(member, step) if step.subscription_changed else member
        return _next(member, member.epoch, step)
    if member.state is MemberState.UNRELEASED_PARTITIONS:
        return _next(member, member.epoch, step)
    if step.owned is None or step.owned:
        raise FencedMemberEpochError(
            "The consumer group member is in a unknown state. The member must abandon all its partitions and rejoin."
        )
    return _next(member, step.target_epoch, step)


def _still_owns(owned: Partitions | None, revoked: Epochs) -> bool:
    if owned is None:
        return True
    return any(partition in revoked.get(topic, ()) for topic, partitions in owned.items() for partition in partitions)


def _next(member: ConsumerMember, epoch: int, step: Step) -> ConsumerMember:
    kept: Epochs = {}
    revoked: Epochs = {}
    added: Epochs = {}
    waits = False
    for topic in step.target.keys() | member.assigned.keys():
        wanted = step.target.get(topic, frozenset()) if topic in step.subscribed else frozenset()
        assigned = member.assigned.get(topic, {})
        for partition, since in assigned.items():
            (kept if partition in wanted else revoked).setdefault(topic, {})[partition] = since
        own_revoked = member.pending_revocation.get(topic, {})
        for partition in sorted(wanted - assigned.keys()):
            if step.is_held(topic, partition) and partition not in own_revoked:
                waits = True
            else:
                added.setdefault(topic, {})[partition] = step.target_epoch
    if revoked and _still_owns(step.owned, revoked):
        return _moved(member, MemberState.UNREVOKED_PARTITIONS, epoch, kept, revoked)
    for topic, partitions in added.items():
        kept.setdefault(topic, {}).update(partitions)
    state = MemberState.UNRELEASED_PARTITIONS if waits else MemberState.STABLE
    return _moved(member, state, step.target_epoch, kept, {})


def _drop_unsubscribed(member: ConsumerMember, step: Step) -> ConsumerMember:
    """Takes back at once what the member has just unsubscribed from; the target follows when it is computed."""
    kept = {topic: partitions for topic, partitions in member.assigned.items() if topic in step.subscribed}
    if len(kept) == len(member.assigned):
        return member
    revoked = {topic: partitions.copy() for topic, partitions in member.pending_revocation.items()}
    for topic, partitions in member.assigned.items():
        if topic not in kept:
            revoked.setdefault(topic, {}).update(partitions)
    if _still_owns(step.owned, revoked):
        return _moved(member, MemberState.UNREVOKED_PARTITIONS, member.epoch, kept, revoked)
    return _moved(member, member.state, member.epoch, kept, member.pending_revocation)


def _moved(member: ConsumerMember, state: MemberState, epoch: int, assigned: Epochs, revoked: Epochs) -> ConsumerMember:
    return replace(
        member,
        state=state,
        epoch=epoch,
        previous_epoch=member.epoch,
        assigned=assigned,
        pending_revocation=revoked,
    )
