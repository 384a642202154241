"""Our client's members in virtual time, of both protocols: what a driver and the I/O thread do for their state machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.client.codes import Code
from barnabas.client.consumer_membership import ConsumerMembership
from barnabas.client.effects import (
    Adopt,
    Cancel,
    Fail,
    GroupSettings,
    NeedMetadata,
    Release,
    Send,
    Sent,
    StartHeartbeat,
    StopHeartbeat,
)
from barnabas.client.membership import Membership
from barnabas.types import PartitionInfo, TopicListing, TopicPartition

if TYPE_CHECKING:
    from barnabas.protocol.messages.consumer_group_heartbeat import (
        ConsumerGroupHeartbeatRequest,
        ConsumerGroupHeartbeatResponse,
    )
    from barnabas.protocol.messages.heartbeat import HeartbeatRequest


def settings(instance: str | None = None, **more: object) -> GroupSettings:
    return GroupSettings(GROUP, 45.0, 60.0, 3.0, 30.0, 0.1, group_instance_id=instance, **more)


def listings(virtual: VirtualShard) -> dict[str, TopicListing]:
    return {
        info.name: TopicListing(
            info.name,
            info.topic_id,
            False,
            tuple(PartitionInfo(info.name, number, None) for number in range(info.partition_count)),
        )
        for info in virtual.topics.all()
    }


class Member:
    """A member with what a driver and the I/O thread keep for it."""

    def __init__(self, virtual: VirtualShard, name: str, topics: list[str], instance: str | None = None) -> None:
        self.virtual = virtual
        self.machine = ConsumerMembership(settings(instance), name)
        self.machine.subscribe(topics)
        self.reading: frozenset[TopicPartition] = frozenset()
        self.sent: Send | None = None
        self.plain: ConsumerGroupHeartbeatRequest | None = None
        self.full: ConsumerGroupHeartbeatRequest | None = None
        self.is_unanswered = False
        self.losses = 0
        self.events: list[tuple[int | None, ConsumerGroupHeartbeatResponse]] = []
        """Answers in the order in which the connection brought them, with the serial of what was waited for."""
        self.releasing: Release | None = None
        self.failures: list[errors.KafkaError] = []
        self.kinds: list[str] = []

    @property
    def now(self) -> float:
        return self.virtual.now_ms / 1000

    def poll(self) -> None:
        while self.events:
            serial, answer = self.events.pop(0)
            if serial is None:
                self.machine.heartbeat_answered(answer, self.now)
            else:
                self.machine.answered(serial, answer, self.now)
        if self.releasing is not None:
            self.reading &= self.releasing.keep
            self.releasing = None
            self.machine.released()
        self.machine.poll(self.now)
        self.carry_out()

    def carry_out(self) -> None:
        for effect in self.machine.take():
            self.kinds.append(type(effect).__name__)
            match effect:
                case Send(kind=Sent.LEAVE, message=message):
                    self.virtual.ask(message, 1)
                case Send():
                    self.sent = effect
                case StartHeartbeat(heartbeat=heartbeat, full=full):
                    self.plain, self.full = heartbeat, full
                case StopHeartbeat():
                    self.plain, self.is_unanswered = None, False
                case Release():
                    assert self.releasing is None
                    self.releasing = effect
                    self.losses += effect.lost
                case Adopt(partitions=partitions):
                    self.reading = frozenset(partitions)
                case NeedMetadata():
                    self.machine.metadata_changed(listings(self.virtual))
                case Fail(error=error):
                    self.failures.append(error)

    def deliver(self, *, lose_request: bool = False, lose_answer: bool = False) -> None:
        """The heartbeat that is waited for reaches the coordinator, and its answer the member."""
        sent, self.sent = self.sent, None
        if sent is None:
            return
        answer = None if lose_request else self.virtual.ask(sent.message, 1)
        if answer is None or lose_answer:
            self.machine.failed(sent.serial, errors.for_code(Code.REQUEST_TIMED_OUT), self.now)
        else:
            self.events.append((sent.serial, answer))

    def repeat(self, *, lose_answer: bool = False) -> None:
        """The I/O thread repeats the plain heartbeat, and keeps its epoch up; after a lost answer it says everything."""
        if self.plain is None:
            return
        request = self.full if self.is_unanswered and self.full is not None else self.plain
        request.member_epoch = self.plain.member_epoch
        answer = self.virtual.ask(request, 1)
        self.is_unanswered = lose_answer
        if lose_answer:
            return
        if answer.error_code == 0:
            self.plain.member_epoch = answer.member_epoch
        self.events.append((None, answer))

    def settle(self) -> None:
        for _ in range(20):
            self.poll()
            self.deliver()
            self.virtual.now_ms += 200


class ClassicMember:
    """The same for a member of the classic protocol, whose requests the coordinator may park."""

    def __init__(self, virtual: VirtualShard, topics: list[str], assignors: tuple[str, ...]) -> None:
        self.virtual = virtual
        self.machine = Membership(settings(assignors=assignors))
        self.machine.subscribe(topics)
        self.reading: frozenset[TopicPartition] = frozenset()
        self.sent: Send | None = None
        self.waiting: tuple[int, int] | None = None
        """Serial and token of a request that was delivered."""
        self.loses_answer = False
        self.plain: HeartbeatRequest | None = None
        self.releasing: Release | None = None
        self.losses = 0
        self.failures: list[errors.KafkaError] = []

    @property
    def now(self) -> float:
        return self.virtual.now_ms / 1000

    def poll(self) -> None:
        if self.waiting is not None and self.waiting[1] in self.virtual.answers:
            (serial, token), self.waiting = self.waiting, None
            answer = self.virtual.answers.pop(token)
            if self.loses_answer:
                self.machine.failed(serial, errors.for_code(Code.REQUEST_TIMED_OUT), self.now)
            else:
                self.machine.answered(serial, answer, self.now)
        if self.releasing is not None:
            self.reading &= self.releasing.keep
            self.releasing = None
            self.machine.released()
        self.machine.poll(self.now)
        self.carry_out()

    def carry_out(self) -> None:
        for effect in self.machine.take():
            match effect:
                case Send(kind=Sent.LEAVE, message=message):
                    self.virtual.send(message)
                case Send():
                    self.sent = effect
                case Cancel():
                    self.sent = self.waiting = None
                case StartHeartbeat(heartbeat=heartbeat):
                    self.plain = heartbeat  # type: ignore[assignment]
                case StopHeartbeat():
                    self.plain = None
                case Release():
                    assert self.releasing is None
                    self.releasing = effect
                    self.losses += effect.lost
                case Adopt(partitions=partitions):
                    self.reading = frozenset(partitions)
                case NeedMetadata():
                    self.look_at_topics()
                case _:
                    self.failures += [effect.error] if isinstance(effect, Fail) else []

    def look_at_topics(self) -> None:
        """Takes the topics' partitions as they are now."""
        self.machine.metadata_changed({name: told.partitions for name, told in listings(self.virtual).items()})

    def deliver(self, *, lose_request: bool = False, lose_answer: bool = False) -> None:
        """The request that is to be sent reaches the coordinator; its answer is found by `poll`."""
        sent, self.sent = self.sent, None
        if sent is None:
            return
        if lose_request:
            self.machine.failed(sent.serial, errors.for_code(Code.REQUEST_TIMED_OUT), self.now)
            return
        self.loses_answer = lose_answer
        self.waiting = sent.serial, self.virtual.send(sent.message)

    def coordinator_is_lost(self) -> None:
        """Whoever was parked is refused, and what was decided is not told any more."""
        waiting, self.waiting = self.waiting, None
        if waiting is not None:
            self.virtual.answers.pop(waiting[1], None)
            self.machine.failed(waiting[0], errors.for_code(Code.NOT_COORDINATOR), self.now)

    def repeat(self, *, lose_answer: bool = False) -> None:
        """The I/O thread repeats the heartbeat."""
        if self.plain is None:
            return
        code = self.virtual.ask(self.plain).error_code
        if not lose_answer:
            self.machine.heartbeat_answered(code)
            self.carry_out()

    def settle(self) -> None:
        for _ in range(20):
            self.poll()
            self.deliver()
            self.virtual.now_ms += 200
