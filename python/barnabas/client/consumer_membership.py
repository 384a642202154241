"""A member of a KIP-848 consumer group as a state machine without I/O, clock or threads: events in, effects out.

The group's coordinator decides who reads what; a member says in heartbeats what it wants and what it has, and works on
the difference between what it has and its target. It is driven like `barnabas.client.membership.Membership`, of which
it is the twin: the same calls, the same effects.

    state        on                                  does                                          next
    UNJOINED     poll                                heartbeat with epoch 0 that says everything   JOINING
    JOINING      answer                              StartHeartbeat                                STABLE
    STABLE       poll, when the target is different  Release, then Adopt, then a heartbeat that    STABLE
                                                     acknowledges what it has now
                 poll, when it has news              heartbeat with what has changed               STABLE
    any          FENCED_MEMBER_EPOCH,                StopHeartbeat, Release of all as lost         UNJOINED
                 UNKNOWN_MEMBER_ID
                 poll deadline                       the same; a leaving heartbeat has gone out    UNJOINED
                 a final error                       StopHeartbeat, Fail                           FATAL till subscribe
                 leave                               heartbeat with epoch -1, or -2 if static      UNJOINED

While an application does not poll, heartbeats go on with the epoch that the last answer gave; what they bring is taken
up at the next poll. The rules for errors are those of Kafka's ConsumerHeartbeatRequestManager.
"""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from barnabas import errors
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
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from barnabas.client.effects import Effect, GroupSettings
    from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse
    from barnabas.types import TopicListing

__all__ = ["ConsumerMemberState", "ConsumerMembership"]

JOIN_EPOCH: Final = 0
LEAVE_EPOCH: Final = -1
LEAVE_STATIC_EPOCH: Final = -2
_WITH_PATTERNS: Final = (1, 32_767)
"""The versions of the heartbeat that have a place for patterns."""

_Target = dict[bytes, tuple[int, ...]]


class ConsumerMemberState(enum.Enum):
    """Where the member is between joining and being a member."""

    UNJOINED = "unjoined"
    JOINING = "joining"
    STABLE = "stable"
    FATAL = "fatal"


class ConsumerMembership:
    """One member of one KIP-848 group.

    Args:
        settings: What does not change.
        member_id: A random id that the member keeps as long as it lives.

    Example:
        >>> from barnabas.client.effects import GroupSettings
        >>> settings = GroupSettings("billing", 45.0, 300.0, 3.0, 30.0, 0.1)
        >>> member = ConsumerMembership(settings, "5YGBdxYaQwWQvO1zDDxYzA")
        >>> member.subscribe(["orders"])
        >>> member.poll(0.0)
        >>> [type(effect).__name__ for effect in member.take()]
        ['Send']
    """

    def __init__(self, settings: GroupSettings, member_id: str) -> None:
        self.settings = settings
        self.state = ConsumerMemberState.UNJOINED
        self.generation = Generation(JOIN_EPOCH, member_id, None, settings.group_instance_id)
        self._no_generation = Generation(group_instance_id=settings.group_instance_id)
        self.last_generation = self._no_generation
        """This one was last answered. It outlives a membership that was lost, so that its commits are refused."""
        self.group_topics: frozenset[str] = frozenset()
        """Topics whose metadata matters: our own."""
        self._topics: frozenset[str] | None = None
        self._pattern: str | None = None
        self._said_pattern: str | None = None
        self._names: dict[bytes, str] = {}
        self._ids: dict[str, bytes] = {}
        self._look_at: float | None = None
        self._target: _Target = {}
        self._unacknowledged = False
        self._owned: tuple[TopicPartition, ...] = ()
        self._said_topics: frozenset[str] | None = None
        self._said_owned: tuple[TopicPartition, ...] | None = None
        self._sent_owned: tuple[TopicPartition, ...] = ()
        self._lost = False
        self._may_be_known = False
        """Whether a heartbeat may have reached the coordinator, so that leaving takes a word."""
        self._releasing: tuple[TopicPartition, ...] | None = None
        self._releases_lost = False
        self._retry_at: float | None = None
        self._interval: float | None = None
        self._serial = 0
        self._waiting: Send | None = None
        self._effects: list[Effect] = []

    # What the application wants

    def subscribe(self, topics: Iterable[str], pattern: str | None = None) -> None:
        """Wants these topics, or those that the coordinator finds to match; a member that has failed tries again."""
        self._topics = self.group_topics = frozenset(topics)
        self._pattern = pattern
        if self.state is ConsumerMemberState.FATAL:
            self.state = ConsumerMemberState.UNJOINED

    def leave(self, reason: str) -> None:
        """Leaves the group, if in it; a static member only says that it will be back."""
        del reason  # The protocol has no place for it.
        member = self._may_be_known
        self._forget()
        self.last_generation = self._no_generation
        self._lost = False
        self._topics = None
        self._pattern = None
        self._owned = ()
        self.group_topics = frozenset()
        if member:
            # The answer changes nothing, so it is not waited for here; who closes the consumer waits for it.
            self._serial += 1
            self._effects.append(Send(self._serial, Sent.LEAVE, self._leave_request(), self.settings.request_timeout))

    def enforce_rejoin(self, reason: str) -> None:
        """Does nothing: the coordinator decides when partitions move."""
        del reason

    # What the driver asks

    @property
    def rebalancing(self) -> bool:
        """Whether the member is on its way into the group."""
        return self.state is ConsumerMemberState.JOINING

    @property
    def stable_generation(self) -> Generation | None:
        """The generation to commit with, or None while there is none: the epoch takes the generation's place."""
        return self.generation if self.state is ConsumerMemberState.STABLE else None

    @property
    def is_member(self) -> bool:
        """Whether the coordinator knows us, so that what we own is ours."""
        return self.state is ConsumerMemberState.STABLE and not self._lost

    @property
    def joined(self) -> bool:
        """Whether the member is in its group, with nothing of its own to give up."""
        return self.state is ConsumerMemberState.STABLE and not self._lost

    @property
    def deadline(self) -> float | None:
        """When `poll` has something to do by itself: the end of a wait before trying again."""
        if self._waiting is not None or self._releasing is not None:
            return None
        return self._look_at if self._retry_at is None else self._retry_at

    def take(self) -> list[Effect]:
        """Hands over what is to be done, in order."""
        effects, self._effects = self._effects, []
        return effects

    # What happens

    def poll(self, now: float) -> None:
        """Goes on with joining, reconciling and telling, where nothing is being waited for."""
        if self._topics is None or self._waiting is not None or self._releasing is not None:
            return
        if self._lost:
            self._release((), lost=True)
            return
        if self.state is ConsumerMemberState.FATAL or (self._retry_at is not None and now < self._retry_at):
            return
        self._retry_at = None
        if self.state is ConsumerMemberState.UNJOINED:
            self.state = ConsumerMemberState.JOINING
        elif not self._has_news:
            self._reconcile(now)
            return
        self._heartbeat()

    def released(self) -> None:
        """What was to be given up has been."""
        adopt, self._releasing = self._releasing, None
        if self._lost:
            # Lost while some of it was being given up: what was kept then is still to be given up.
            if self._releases_lost:
                self._lost = False
                self._owned = ()
        elif adopt is not None and self.state is ConsumerMemberState.STABLE:
            # The target may have become smaller meanwhile, and what is no more of it may be another member's by now.
            self._adopt(tuple(one for one in adopt if one in self._owned or self._is_target(one)))

    def _is_target(self, partition: TopicPartition) -> bool:
        topic_id = self._ids.get(partition.topic)
        return topic_id is not None and partition.partition in self._target.get(topic_id, ())

    def metadata_changed(self, topics: Mapping[str, TopicListing]) -> None:
        """Takes what is known of topics; ids that the target names are resolved by it."""
        known = {listing.topic_id: name for name, listing in topics.items()}
        self._names = {topic_id: name for topic_id, name in self._names.items() if topic_id in self._target} | known
        if self._target.keys() <= self._names.keys():
            self._look_at = None

    def answered(self, serial: int, response: ConsumerGroupHeartbeatResponse, now: float) -> None:
        """Takes the answer to a `Send`."""
        sent = self._settle(serial)
        if sent is None:
            return
        if response.error_code:
            self._refused(response.error_code, response.error_message, now)
            return
        request = sent.message
        if request.subscribed_topic_names is not None:
            self._said_topics = frozenset(request.subscribed_topic_names)
        if request.subscribed_topic_regex is not None:
            self._said_pattern = request.subscribed_topic_regex or None
        if request.topic_partitions is not None:
            self._said_owned = self._sent_owned
        self.state = ConsumerMemberState.STABLE
        self._take(response)
        self._repeat()

    def failed(self, serial: int, error: errors.KafkaError, now: float) -> None:
        """Takes the failure of a `Send`: no answer came, or it could not be sent."""
        if self._settle(serial) is not None:
            self._try_again(now)
            if not error.retriable:
                self._end(error)

    def heartbeat_answered(self, response: ConsumerGroupHeartbeatResponse, now: float) -> None:
        """Takes the answer to a repeated heartbeat."""
        if self.state is not ConsumerMemberState.STABLE:
            return
        if response.error_code:
            self._refused(response.error_code, response.error_message, now)
            return
        before = (self.generation, self._interval)
        self._take(response)
        if (self.generation, self._interval) != before:
            self._repeat()

    def poll_deadline_passed(self) -> None:
        """The application did not poll in time, and a leaving heartbeat has gone out."""
        self._fence()

    def commit_refused(self, error: errors.KafkaError, sent: Generation) -> errors.KafkaError:
        """Takes the error of a commit sent with a generation; returns what to raise to the application."""
        moved_on = self.generation != sent and self.state is ConsumerMemberState.STABLE
        if error.code == Code.STALE_MEMBER_EPOCH and moved_on:
            # The epoch moved on while the commit was under way: it can be made again.
            return errors.for_code(Code.REBALANCE_IN_PROGRESS)
        if error.code in {Code.UNKNOWN_MEMBER_ID, Code.STALE_MEMBER_EPOCH, Code.FENCED_MEMBER_EPOCH}:
            return errors.CommitFailedError(
                "the commit was refused because the group has gone on without this member: its partitions belong "
                "to others now. Poll more often, raise max_poll_interval_ms, or do less work per poll."
            )
        return error

    # Reconciling

    def _take(self, response: ConsumerGroupHeartbeatResponse) -> None:
        if response.member_epoch < self.generation.generation_id:
            return  # An older answer that was overtaken by a newer one.
        self.generation = self.last_generation = replace(self.generation, generation_id=response.member_epoch)
        self._interval = response.heartbeat_interval_ms / 1000
        if response.assignment is not None:
            target = {
                bytes(each.topic_id): tuple(sorted(each.partitions)) for each in response.assignment.topic_partitions
            }
            self._unacknowledged = self._unacknowledged or target != self._target
            self._target = target

    def _reconcile(self, now: float) -> None:
        """Starts to turn what is owned into the target, as far as its topics' names are known."""
        resolved = self._target.keys() <= self._names.keys()
        if not resolved and (self._look_at is None or now >= self._look_at):
            self._look_at = now + self.settings.retry_backoff
            unknown = self._target.keys() - self._names.keys()
            self._effects.append(NeedMetadata(self.group_topics, frozenset(unknown if self._pattern else ())))
        self._ids |= {self._names[topic_id]: topic_id for topic_id in self._target if topic_id in self._names}
        wanted = tuple(
            sorted(
                TopicPartition(self._names[topic_id], number)
                for topic_id, numbers in self._target.items()
                if topic_id in self._names
                for number in numbers
            )
        )
        if wanted == self._owned:
            if self._unacknowledged and resolved:
                # What was to come has been taken back before it was adopted: the coordinator waits to hear so.
                self._said_owned = None
                self._heartbeat()
            return
        if self._owned:
            # Even when nothing is given up: offsets are committed before partitions come, too.
            self._release(wanted, lost=False)
        else:
            self._adopt(wanted)

    def _release(self, wanted: tuple[TopicPartition, ...], *, lost: bool) -> None:
        self._releasing = wanted
        self._releases_lost = lost
        self._effects.append(Release(lost, frozenset(self._owned).intersection(wanted)))

    def _adopt(self, partitions: tuple[TopicPartition, ...]) -> None:
        self._owned = partitions
        topics = {partition.topic for partition in partitions}
        self._ids = {topic: topic_id for topic, topic_id in self._ids.items() if topic in topics}
        if self._pattern is not None:
            self.group_topics = frozenset(topics)
        # From here on a heartbeat must not say that we own less: the coordinator would give the difference to others.
        self._repeat_full()
        self._effects.append(Adopt(partitions))

    # Refusals

    def _refused(self, code: int, message: str | None, now: float) -> None:
        match code:
            case Code.NOT_COORDINATOR | Code.COORDINATOR_NOT_AVAILABLE:
                self._effects.append(ForgetCoordinator())
                self._try_again(now)
            case Code.COORDINATOR_LOAD_IN_PROGRESS:
                self._try_again(now)
            case Code.FENCED_MEMBER_EPOCH:
                self._fence()
                self._may_be_known = True  # It knows us, by another epoch than ours.
            case Code.UNKNOWN_MEMBER_ID:
                self._fence()
            case Code.UNRELEASED_INSTANCE_ID if self.state is ConsumerMemberState.JOINING:
                # The one before us has not gone yet; it will, by itself or by its session's timeout.
                self._end(errors.for_code(code, message))
            case Code.UNSUPPORTED_VERSION:
                self._end(
                    errors.for_code(
                        code, "this cluster does not serve KIP-848 groups: use group_protocol='classic' with it"
                    )
                )
            case _:
                self._end(errors.for_code(code, message))

    def _fence(self) -> None:
        """We are no member any more: what we had is lost, and we join anew."""
        self._forget()
        self._lost = bool(self._owned)

    def _end(self, error: errors.KafkaError) -> None:
        self._fence()
        self.state = ConsumerMemberState.FATAL
        self._effects.append(Fail(error))

    def _try_again(self, now: float) -> None:
        """Says everything again, a little later."""
        self._said_topics = self._said_owned = None
        self._retry_at = now + self.settings.retry_backoff
        if self.state is ConsumerMemberState.JOINING:
            self.state = ConsumerMemberState.UNJOINED
        elif self.state is ConsumerMemberState.STABLE:
            # The answer that was lost may have moved our epoch. With what we own a heartbeat of the old one is taken.
            self._repeat_full()

    def _forget(self) -> None:
        self.state = ConsumerMemberState.UNJOINED
        self.generation = replace(self.generation, generation_id=JOIN_EPOCH)
        self._may_be_known = False
        self._target = {}
        self._said_topics = self._said_owned = self._said_pattern = None
        self._look_at = None
        self._retry_at = None
        if self._waiting is not None:
            self._effects.append(Cancel(self._waiting.serial))
            self._waiting = None
        self._effects.append(StopHeartbeat())

    # Requests

    @property
    def _has_news(self) -> bool:
        return (self._said_topics, self._said_pattern, self._said_owned) != (self._topics, self._pattern, self._owned)

    def _heartbeat(self) -> None:
        """Sends what the coordinator does not know yet; everything when joining or after a failure."""
        everything = self.state is ConsumerMemberState.JOINING or self._said_topics is None
        if self.state is ConsumerMemberState.STABLE:
            # A repeated heartbeat that goes out after this one must not take back what it says.
            self._repeat_full()
        request = self._request(self.generation.generation_id)
        self._unacknowledged = False
        self._sent_owned = () if self.state is ConsumerMemberState.JOINING else self._owned
        if everything:
            self._describe(request)
        if everything or self._said_topics != self._topics:
            request.subscribed_topic_names = sorted(self._topics or ())
        if (everything and self._pattern is not None) or self._said_pattern != self._pattern:
            request.subscribed_topic_regex = self._pattern or ""
        if everything or self._said_owned != self._owned:
            request.topic_partitions = self._by_id(self._sent_owned)
        self._may_be_known = True
        self._serial += 1
        versions = None if request.subscribed_topic_regex is None else _WITH_PATTERNS
        self._waiting = Send(self._serial, Sent.HEARTBEAT, request, self.settings.request_timeout, versions)
        self._effects.append(self._waiting)

    def _repeat(self) -> None:
        """Lets the plain heartbeat be repeated, and the leaving one be sent when the application stops polling."""
        plain = self._request(self.generation.generation_id)
        self._effects.append(StartHeartbeat(plain, self._leave_request(), self._interval, self._full_request()))

    def _repeat_full(self) -> None:
        """Lets the heartbeat that says everything be repeated, until one of our own was answered."""
        full = self._full_request()
        self._effects.append(StartHeartbeat(full, self._leave_request(), self._interval, full))

    def _full_request(self) -> ConsumerGroupHeartbeatRequest:
        """A heartbeat that says all there is to say, which the coordinator answers with all that it wants."""
        request = self._request(self.generation.generation_id)
        self._describe(request)
        request.subscribed_topic_names = sorted(self._topics or ())
        request.subscribed_topic_regex = self._pattern
        request.topic_partitions = self._by_id(self._owned)
        return request

    def _describe(self, request: ConsumerGroupHeartbeatRequest) -> None:
        request.rack_id = self.settings.rack_id
        request.rebalance_timeout_ms = round(self.settings.rebalance_timeout * 1000)
        request.server_assignor = self.settings.remote_assignor

    def _leave_request(self) -> ConsumerGroupHeartbeatRequest:
        static = self.settings.group_instance_id is not None
        return self._request(LEAVE_STATIC_EPOCH if static else LEAVE_EPOCH)

    def _request(self, epoch: int) -> ConsumerGroupHeartbeatRequest:
        return ConsumerGroupHeartbeatRequest(
            group_id=self.settings.group_id,
            member_id=self.generation.member_id,
            member_epoch=epoch,
            instance_id=self.settings.group_instance_id,
        )

    def _by_id(self, partitions: Sequence[TopicPartition]) -> list[ConsumerGroupHeartbeatRequest.TopicPartitions]:
        numbers: dict[bytes, list[int]] = {}
        for topic, partition in partitions:
            numbers.setdefault(self._ids[topic], []).append(partition)
        return [
            ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=topic_id, partitions=owned)
            for topic_id, owned in numbers.items()
        ]

    def _settle(self, serial: int) -> Send | None:
        """The request that was waited for, or None for an answer that came too late to matter."""
        sent = self._waiting
        if sent is None or sent.serial != serial:
            return None
        self._waiting = None
        return sent
