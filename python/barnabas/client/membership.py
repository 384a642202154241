"""A member of a classic consumer group as a state machine without I/O, clock or threads: events in, effects out.

Whoever drives it calls `poll(now)` and hands in what happened (`answered`, `failed`, `heartbeat_answered`); after each
call it carries out what `take()` returns, in order. Times are seconds of any steady clock.

    state                 on                               does                               next
    UNJOINED              poll                             Release, then JoinGroup            PREPARING_REBALANCE
    STABLE                poll, when a rejoin is asked     Release, then JoinGroup            PREPARING_REBALANCE
    PREPARING_REBALANCE   JoinGroup: joined                StartHeartbeat; a leader assigns   COMPLETING_REBALANCE
                          JoinGroup: MEMBER_ID_REQUIRED    keeps the id                       UNJOINED
                          JoinGroup: any other error       see `_join_refused`                UNJOINED
    COMPLETING_REBALANCE  SyncGroup: synced                Adopt, after Release of what       STABLE
                                                           went to others (cooperative)
                          SyncGroup: error                 see `_sync_refused`                UNJOINED
    any                   heartbeat: generation is lost    StopHeartbeat, forgets it          UNJOINED
                          poll deadline                    forgets the member id              UNJOINED
                          leave                            LeaveGroup, StopHeartbeat          UNJOINED

Members give up partitions by one of two protocols (KIP-429), the highest that all their assignors have. Eager: all of
them, before they join. Cooperative: they keep reading while they join, say what they own, and give up what the
assignment no longer has; then they join once more, so that it can go to its new owner.

The rules for each error code are those of Kafka's AbstractCoordinator and ConsumerCoordinator.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from barnabas import errors
from barnabas.assignors import ASSIGNORS, RebalanceProtocol, Subscription
from barnabas.assignors.consumer_protocol import (
    PROTOCOL_TYPE,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from barnabas.client.codes import Code
from barnabas.client.effects import (
    Adopt,
    Cancel,
    Fail,
    ForgetCoordinator,
    Generation,
    NeedMetadata,
    Release,
    Send,
    Sent,
    StartHeartbeat,
    StopHeartbeat,
)
from barnabas.client.leading import Racks, checked, protocol_of, racks_of
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.leave_group import LeaveGroupRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from barnabas.client.effects import Effect, GroupSettings
    from barnabas.protocol.messages.join_group import JoinGroupResponse
    from barnabas.protocol.messages.sync_group import SyncGroupResponse
    from barnabas.types import PartitionInfo, TopicPartition

__all__ = ["MemberState", "Membership"]

_JOIN_GRACE: Final = 5.0
"""Seconds that a JoinGroup may take beyond the rebalance timeout."""
_REASON_LIMIT: Final = 255
_STATIC_JOIN: Final = (5, 32_767)
"""Versions of JoinGroup that have a place for an instance id (KIP-345)."""


class MemberState(enum.Enum):
    """Where the member is between joining and being a member."""

    UNJOINED = "unjoined"
    PREPARING_REBALANCE = "preparing_rebalance"
    COMPLETING_REBALANCE = "completing_rebalance"
    STABLE = "stable"


@dataclass(slots=True)
class _Leadership:
    """A JoinGroup answer whose assignment still has to be made."""

    response: JoinGroupResponse
    members: dict[str, Subscription]
    topics: frozenset[str] = field(default_factory=frozenset)


class Membership:
    """One member of one group.

    Example:
        >>> from barnabas.client.effects import GroupSettings
        >>> settings = GroupSettings("billing", 45.0, 300.0, 3.0, 30.0, 0.1)
        >>> member = Membership(settings)
        >>> member.subscribe(["orders"])
        >>> member.poll(0.0)
        >>> member.released()
        >>> member.poll(0.0)
        >>> [type(effect).__name__ for effect in member.take()]
        ['Release', 'StopHeartbeat', 'Send']
    """

    def __init__(self, settings: GroupSettings) -> None:
        self.settings = settings
        self._no_generation = Generation(group_instance_id=settings.group_instance_id)
        self.state = MemberState.UNJOINED
        self.generation = self._no_generation
        self.last_generation = self._no_generation
        """Partitions were last assigned in this one. It outlives the membership, so that its commits are refused."""
        self.is_leader = False
        self.group_topics: frozenset[str] = frozenset()
        """Topics whose metadata matters: our own, and as leader those of the whole group."""
        self._topics: frozenset[str] | None = None
        self._joined_topics: frozenset[str] = frozenset()
        self._metadata: dict[str, Sequence[PartitionInfo]] = {}
        self._assigned_from: Racks | None = None
        self._leading: _Leadership | None = None
        self._rejoin = False
        self._reason = ""
        self._needs_release = True
        self._releasing = False
        self._assignors = ASSIGNORS | {assignor.name: assignor for assignor in settings.own_assignors}
        self._protocol = protocol_of([self._assignors[name] for name in settings.assignors])
        self._owned: tuple[TopicPartition, ...] = ()
        self._keeping: frozenset[TopicPartition] = frozenset()
        self._adopting: tuple[TopicPartition, ...] | None = None
        self._last_assigned: tuple[TopicPartition, ...] | None = None
        self._last_generation_id = -1
        self._retry_at: float | None = None
        self._serial = 0
        self._waiting: Send | None = None
        self._sent_generation = self._no_generation
        self._effects: list[Effect] = []

    # What the application wants

    def subscribe(self, topics: Iterable[str]) -> None:
        """Wants these topics from now on; joins, or joins again if they are others than before."""
        wanted = frozenset(topics)
        if wanted != self._topics:
            self._topics = wanted
            self.group_topics = wanted if not self.is_leader else self.group_topics | wanted
            self._request_rejoin("the subscription has changed")

    def leave(self, reason: str) -> None:
        """Leaves the group, if in it; `poll` does nothing more until the next `subscribe`.

        A static member says nothing, so that it finds its partitions when it comes back within its session's timeout.
        """
        request = self._leave_request(reason)
        member = self.state is not MemberState.UNJOINED and bool(self.generation.member_id)
        self._forget_generation(reset_member_id=True)
        if member and request is not None:
            # The answer changes nothing, so it is not waited for here; who closes the consumer waits for it.
            self._serial += 1
            self._effects.append(Send(self._serial, Sent.LEAVE, request, self.settings.request_timeout))
        self._topics = None
        self._rejoin = False
        self._owned = ()
        self.group_topics = frozenset()
        self.is_leader = False

    def enforce_rejoin(self, reason: str) -> None:
        """Joins again at the next poll."""
        self._request_rejoin(reason)

    # What the driver asks

    @property
    def rebalancing(self) -> bool:
        """Whether a JoinGroup or SyncGroup is under way."""
        return self.state in {MemberState.PREPARING_REBALANCE, MemberState.COMPLETING_REBALANCE}

    @property
    def stable_generation(self) -> Generation | None:
        """The generation to commit with, or None while there is none."""
        return self.generation if self.state is MemberState.STABLE else None

    @property
    def is_member(self) -> bool:
        """Whether the coordinator knows us, so that what we own is ours."""
        return self.generation.generation_id != -1 and bool(self.generation.member_id)

    @property
    def joined(self) -> bool:
        """Whether the member is in its group and nothing asks it to join again."""
        return self.state is MemberState.STABLE and not self._rejoin

    @property
    def deadline(self) -> float | None:
        """When `poll` has something to do by itself: the end of a wait before joining again."""
        return self._retry_at if self._rejoin and self._waiting is None else None

    def take(self) -> list[Effect]:
        """Hands over what is to be done, in order."""
        effects, self._effects = self._effects, []
        return effects

    # What happens

    def poll(self, now: float) -> None:
        """Goes on with joining, where that is wanted and nothing is being waited for."""
        if not self._rejoin or self._topics is None or self._waiting is not None or self._releasing:
            return
        if self._leading is not None or (self._retry_at is not None and now < self._retry_at):
            return
        self._retry_at = None
        if self._needs_release:
            self._needs_release = False
            lost = not self.is_member
            topics = self._topics if self._protocol is RebalanceProtocol.COOPERATIVE and not lost else frozenset()
            self._release(frozenset(owned for owned in self._owned if owned.topic in topics), lost=lost)
            return
        self._join()

    def released(self) -> None:
        """What was to be given up has been."""
        self._releasing = False
        self._owned = tuple(partition for partition in self._owned if partition in self._keeping)
        if self._adopting is not None:
            self._adopt(self._adopting)
            return
        self.is_leader = False
        self._assigned_from = None

    def metadata_changed(self, metadata: Mapping[str, Sequence[PartitionInfo]]) -> None:
        """Takes the current partitions of topics; those that do not exist are missing in `metadata`."""
        self._metadata = dict(metadata)
        if self._leading is not None:
            self._assign(self._leading)
        elif self._assigned_from is not None and self._assigned_from != racks_of(self._metadata, self.group_topics):
            self._request_rejoin("the partitions of the group's topics have changed")

    def answered(self, serial: int, response: Any, now: float) -> None:
        """Takes the answer to a `Send`."""
        sent = self._settle(serial)
        if sent is None:
            return
        if sent.kind is Sent.JOIN:
            if response.error_code == 0:
                self._joined(response, now)
            else:
                self._join_refused(response, now)
        elif response.error_code == 0:
            self._synced(response, now)
        else:
            self._sync_refused(response.error_code, now)

    def failed(self, serial: int, error: errors.KafkaError, now: float) -> None:
        """Takes the failure of a `Send`: no answer came, or it could not be sent."""
        sent = self._settle(serial)
        if sent is not None:
            self._rebalance_failed(error, now)

    def heartbeat_answered(self, error_code: int) -> None:
        """Takes the answer to a repeated heartbeat that was not plain success."""
        match error_code:
            case Code.NONE:
                return
            case Code.COORDINATOR_NOT_AVAILABLE | Code.NOT_COORDINATOR:
                self._effects.append(ForgetCoordinator())
            case Code.REBALANCE_IN_PROGRESS:
                # Heartbeats go on while the group rebalances, so only a stable member learns something from this.
                if self.state is MemberState.STABLE:
                    self._request_rejoin("the group is rebalancing")
            case Code.ILLEGAL_GENERATION | Code.UNKNOWN_MEMBER_ID | Code.FENCED_INSTANCE_ID:
                if self.state in {MemberState.STABLE, MemberState.COMPLETING_REBALANCE}:
                    self._reset(f"heartbeat answered {Code.name(error_code)}", error_code)
                    if error_code == Code.FENCED_INSTANCE_ID:
                        self._effects.append(Fail(errors.for_code(error_code)))
            case _:
                error = errors.for_code(error_code)
                # What may pass is tried again with the next heartbeat.
                if not error.retriable:
                    self._effects.append(Fail(error))

    def poll_deadline_passed(self) -> None:
        """The application did not poll in time, and a LeaveGroup has gone out."""
        self._forget_generation(reset_member_id=True)
        self._request_rejoin("the application did not poll within max.poll.interval.ms")

    def commit_refused(self, error: errors.KafkaError, sent: Generation) -> errors.KafkaError:
        """Takes the error of a commit sent with a generation; returns what to raise to the application."""
        unchanged = self.generation == sent
        match error.code:
            case Code.REBALANCE_IN_PROGRESS:
                if unchanged:
                    self._request_rejoin("an offset commit was refused because the group is rebalancing")
                return error
            case Code.UNKNOWN_MEMBER_ID | Code.ILLEGAL_GENERATION | Code.FENCED_INSTANCE_ID:
                if not unchanged and self.rebalancing:
                    return errors.for_code(Code.REBALANCE_IN_PROGRESS)
                if unchanged:
                    self._reset(f"an offset commit was refused with {error.name}", error.code)
                return errors.CommitFailedError(
                    "the commit was refused because the group has gone on without this member: its partitions belong "
                    "to others now. Poll more often, raise max_poll_interval_ms, or do less work per poll."
                )
            case _:
                return error

    # Joining

    def _join(self) -> None:
        topics = self._topics or frozenset()
        self._joined_topics = topics
        self.state = MemberState.PREPARING_REBALANCE
        self._effects.append(StopHeartbeat())
        protocols = []
        for name in self.settings.assignors:
            ordered = tuple(sorted(topics))
            subscription = Subscription(
                topics=ordered,
                owned_partitions=self._owned,
                user_data=self._assignors[name].user_data(ordered, self._last_assigned, self._last_generation_id),
                generation_id=self.generation.generation_id,
                rack_id=self.settings.rack_id,
            )
            metadata = encode_subscription(subscription)
            protocols.append(JoinGroupRequest.JoinGroupRequestProtocol(name=name, metadata=metadata))
        request = JoinGroupRequest(
            group_id=self.settings.group_id,
            session_timeout_ms=round(self.settings.session_timeout * 1000),
            rebalance_timeout_ms=round(self.settings.rebalance_timeout * 1000),
            member_id=self.generation.member_id,
            group_instance_id=self.settings.group_instance_id,
            protocol_type=PROTOCOL_TYPE,
            protocols=protocols,
            reason=self._reason[:_REASON_LIMIT],
        )
        # The coordinator holds the answer back until every member has joined, at most for the rebalance timeout.
        timeout = max(self.settings.request_timeout, self.settings.rebalance_timeout + _JOIN_GRACE)
        self._send(Sent.JOIN, request, timeout)

    def _joined(self, response: JoinGroupResponse, now: float) -> None:
        if response.protocol_type not in {None, PROTOCOL_TYPE}:
            self._rebalance_failed(errors.for_code(Code.INCONSISTENT_GROUP_PROTOCOL), now)
            return
        self.state = MemberState.COMPLETING_REBALANCE
        self.generation = Generation(
            response.generation_id, response.member_id, response.protocol_name, self.settings.group_instance_id
        )
        self._effects.append(StartHeartbeat(self._heartbeat_request(), self._leave_request("poll timeout has expired")))
        self.is_leader = response.leader == response.member_id
        if not self.is_leader:
            self.group_topics = self._topics or frozenset()
            self._sync({})
            return
        try:
            members = {
                member.member_id: decode_subscription(bytes(member.metadata), member.group_instance_id)
                for member in response.members
            }
        except errors.ProtocolError as error:
            self._rebalance_failed(error, now)
            return
        topics = frozenset(topic for subscription in members.values() for topic in subscription.topics)
        self.group_topics = topics | (self._topics or frozenset())
        self._leading = _Leadership(response, members, topics)
        if topics <= self._metadata.keys():
            self._assign(self._leading)
        else:
            self._effects.append(NeedMetadata(self.group_topics))

    def _assign(self, leading: _Leadership) -> None:
        """Divides the partitions, as the group's leader, and syncs."""
        self._leading = None
        self._assigned_from = racks_of(self._metadata, self.group_topics)
        if getattr(leading.response, "skip_assignment", False):
            self._sync({})
            return
        assignor = self._assignors.get(leading.response.protocol_name or "")
        if assignor is None:
            self._effects.append(Fail(errors.for_code(Code.INCONSISTENT_GROUP_PROTOCOL)))
            self._forget_generation(reset_member_id=False)
            return
        partitions = {topic: infos for topic, infos in self._metadata.items() if topic in leading.topics}
        try:
            assignment = checked(assignor.assign(partitions, leading.members), partitions, leading.members)
        except Exception as cause:  # noqa: BLE001 - an assignor of the user's own may raise anything
            error = errors.KafkaError(f"the assignor {assignor.name} failed: {type(cause).__name__}: {cause}")
            error.__cause__ = cause
            self._effects.append(Fail(error))
            self._forget_generation(reset_member_id=False)
            self._request_rejoin(f"the assignor {assignor.name} failed")
            return
        self._sync(assignment)

    def _sync(self, assignment: Mapping[str, Sequence[TopicPartition]]) -> None:
        request = SyncGroupRequest(
            group_id=self.settings.group_id,
            generation_id=self.generation.generation_id,
            member_id=self.generation.member_id,
            group_instance_id=self.settings.group_instance_id,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=self.generation.protocol_name,
            assignments=[
                SyncGroupRequest.SyncGroupRequestAssignment(
                    member_id=member_id, assignment=encode_assignment(partitions)
                )
                for member_id, partitions in assignment.items()
            ],
        )
        # The leader's SyncGroup releases everybody's, so it may take as long as the leader's join.
        timeout = max(self.settings.request_timeout, self.settings.rebalance_timeout + _JOIN_GRACE)
        self._send(Sent.SYNC, request, timeout)

    def _synced(self, response: SyncGroupResponse, now: float) -> None:
        if response.protocol_type not in {None, PROTOCOL_TYPE} or (
            response.protocol_name not in {None, self.generation.protocol_name}
        ):
            self._rebalance_failed(errors.for_code(Code.INCONSISTENT_GROUP_PROTOCOL), now)
            return
        try:
            partitions = tuple(decode_assignment(bytes(response.assignment)))
        except errors.ProtocolError as error:
            self._rebalance_failed(error, now)
            return
        self.state = MemberState.STABLE
        self.last_generation = self.generation
        self._rejoin = False
        self._reason = ""
        self._needs_release = True
        topics = self._topics or frozenset()
        if any(partition.topic not in topics for partition in partitions):
            # The leader worked with an older subscription of ours: what it gave us is not what we want any more.
            self._request_rejoin("the assignment has topics that are not subscribed to")
            return
        self._last_assigned, self._last_generation_id = partitions, self.generation.generation_id
        if topics != self._joined_topics:
            self._request_rejoin("the subscription has changed while joining")
        elif self._assigned_from is not None and self._assigned_from != racks_of(self._metadata, self.group_topics):
            self._request_rejoin("the partitions of the group's topics have changed while joining")
        kept = frozenset(self._owned).intersection(partitions)
        if len(kept) == len(self._owned):
            self._adopt(partitions)
        else:
            self._request_rejoin("partitions that go to other members have been given up")
            self._adopting = partitions
            self._release(kept, lost=False)

    def _release(self, keep: frozenset[TopicPartition], *, lost: bool) -> None:
        self._releasing = True
        self._keeping = keep
        self._effects.append(Release(lost, keep))

    def _adopt(self, partitions: tuple[TopicPartition, ...]) -> None:
        self._adopting = None
        self._owned = partitions
        self._effects.append(Adopt(partitions))

    # Refusals

    def _join_refused(self, response: JoinGroupResponse, now: float) -> None:
        code = response.error_code
        match code:
            case Code.MEMBER_ID_REQUIRED:
                self.state = MemberState.UNJOINED
                self.generation = replace(self._no_generation, member_id=response.member_id)
                self._request_rejoin(f"the coordinator gave the member id {response.member_id}")
            case Code.UNKNOWN_MEMBER_ID:
                if self.generation == self._sent_generation:
                    self._reset("JoinGroup answered UNKNOWN_MEMBER_ID", code)
                else:
                    self._retry("JoinGroup answered UNKNOWN_MEMBER_ID", None)
            case Code.REBALANCE_IN_PROGRESS:
                self._retry("JoinGroup answered REBALANCE_IN_PROGRESS", None)
            case Code.COORDINATOR_NOT_AVAILABLE | Code.NOT_COORDINATOR:
                self._effects.append(ForgetCoordinator())
                self._rebalance_failed(errors.for_code(code), now)
            case _:
                self._rebalance_failed(errors.for_code(code), now)

    def _sync_refused(self, code: int, now: float) -> None:
        match code:
            case Code.REBALANCE_IN_PROGRESS:
                self._retry("SyncGroup answered REBALANCE_IN_PROGRESS", None)
            case Code.UNKNOWN_MEMBER_ID | Code.ILLEGAL_GENERATION:
                if self.generation == self._sent_generation:
                    self._reset(f"SyncGroup answered {Code.name(code)}", code)
                else:
                    self._retry(f"SyncGroup answered {Code.name(code)}", None)
            case Code.COORDINATOR_NOT_AVAILABLE | Code.NOT_COORDINATOR:
                self._effects.append(ForgetCoordinator())
                self._rebalance_failed(errors.for_code(code), now)
            case _:
                self._rebalance_failed(errors.for_code(code), now)

    def _rebalance_failed(self, error: errors.KafkaError, now: float) -> None:
        """Joins again: after a wait where that may help, and otherwise once the application has seen the error."""
        self._retry(f"rebalance failed: {error.name}", now + self.settings.retry_backoff)
        if not error.retriable:
            self._retry_at = None
            self._effects.append(Fail(error))

    def _retry(self, reason: str, at: float | None) -> None:
        self.state = MemberState.UNJOINED
        self._leading = None
        self._retry_at = at
        self._request_rejoin(reason)

    def _reset(self, reason: str, code: int) -> None:
        # After ILLEGAL_GENERATION the member id is still good: with a new one, the group would wait for the old one.
        self._forget_generation(reset_member_id=code != Code.ILLEGAL_GENERATION)
        self._request_rejoin(reason)

    def _forget_generation(self, *, reset_member_id: bool) -> None:
        self.state = MemberState.UNJOINED
        member_id = "" if reset_member_id else self.generation.member_id
        self.generation = replace(self._no_generation, member_id=member_id)
        self._needs_release = True
        self._adopting = None
        self._leading = None
        self._retry_at = None
        if self._waiting is not None:
            self._effects.append(Cancel(self._waiting.serial))
            self._waiting = None
        self._effects.append(StopHeartbeat())

    def _request_rejoin(self, reason: str) -> None:
        self._reason = reason
        self._rejoin = True

    # Requests

    def _send(self, kind: Sent, message: Any, timeout: float) -> None:
        self._serial += 1
        is_static_join = kind is Sent.JOIN and self.settings.group_instance_id is not None
        send = Send(self._serial, kind, message, timeout, versions=_STATIC_JOIN if is_static_join else None)
        self._sent_generation = self.generation
        self._waiting = send
        self._effects.append(send)

    def _settle(self, serial: int) -> Send | None:
        """The request that was waited for, or None for an answer that came too late to matter."""
        sent = self._waiting
        if sent is None or sent.serial != serial:
            return None
        self._waiting = None
        return sent

    def _heartbeat_request(self) -> HeartbeatRequest:
        return HeartbeatRequest(
            group_id=self.settings.group_id,
            generation_id=self.generation.generation_id,
            member_id=self.generation.member_id,
            group_instance_id=self.settings.group_instance_id,
        )

    def _leave_request(self, reason: str) -> LeaveGroupRequest | None:
        if self.settings.group_instance_id is not None:
            return None
        return LeaveGroupRequest(
            group_id=self.settings.group_id,
            members=[
                LeaveGroupRequest.MemberIdentity(member_id=self.generation.member_id, reason=reason[:_REASON_LIMIT])
            ],
        )
