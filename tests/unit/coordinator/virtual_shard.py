"""A shard under virtual time: the runtime's rules without threads, sockets or a log on disk."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

from fake_topics import FakeTopics

from barnabas.broker.group_records import decode, decode_in_transaction, encode
from barnabas.coordinator.settings import ConsumerSettings, GroupSettings
from barnabas.coordinator.shard import GroupShard
from barnabas.machine import Caller, Moment, Reply, Result
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.leave_group import LeaveGroupRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = "billing"
NEWEST = {JoinGroupRequest: 9, SyncGroupRequest: 5, HeartbeatRequest: 4, LeaveGroupRequest: 5, OffsetCommitRequest: 10}


class VirtualShard:
    """Drives a `GroupShard` as the runtime does, keeping its log in a list.

    Records are committed at once, unless the log is made to lag: then answers that wait are held until `log_commits()`, or are
    lost with the records by `log_fails()`.
    """

    def __init__(self, **settings: Any) -> None:
        names = [name for name in settings if name.startswith("consumer_")]
        consumer = {name.removeprefix("consumer_"): settings.pop(name) for name in names}
        self.consumer_settings = ConsumerSettings(**{"assignment_interval_ms": 0, **consumer})
        self.settings = GroupSettings(**{"initial_rebalance_delay_ms": 0, **settings})
        self.topics = FakeTopics(orders=4, payments=2)
        self.shard = self._new_shard()
        self.log: list[Any] = []
        self._decoded: list[Callable[[], Any]] = []
        """For each record of the log: reads it again from its bytes."""
        self.deadlines: dict[tuple[Any, ...], float] = {}
        self.answers: dict[int, Any] = {}
        self.decided_ms: dict[int, float] = {}
        """When the answer to a request was decided, by its token; it may be held longer."""
        self.is_lagging = False
        self._committed = 0
        self._held: list[Reply] = []
        self.now_ms = 1_000.0
        self._tokens = itertools.count(1)

    def moment(self) -> Moment:
        return Moment(self.now_ms, 1_700_000_000_000 + int(self.now_ms))

    def send(self, request: Any, version: int | None = None, client: str = "c") -> int:
        """Handles a request; returns its token. The answer, now or later, is in `answers`."""
        token = next(self._tokens)
        caller = Caller(token, NEWEST.get(type(request), 0) if version is None else version, client, "/h", f"id{token}")
        self._apply(self.shard.handle(caller, request, self.moment()))
        return token

    def ask(self, request: Any, version: int | None = None) -> Any:
        """Handles a request that is answered at once."""
        return self.answers.pop(self.send(request, version))

    def advance(self, milliseconds: float) -> None:
        """Lets time pass, deadline by deadline."""
        until = self.now_ms + milliseconds
        while True:
            due = [(at, key) for key, at in self.deadlines.items() if at <= until]
            if not due:
                break
            at, key = min(due)
            del self.deadlines[key]
            self.now_ms = max(self.now_ms, at)
            self._apply(self.shard.expire(key, self.moment()))
        self.now_ms = until

    def reload(self) -> None:
        """Loses everything but the log, as after a kill -9."""
        self.log_commits()
        self.shard = self._new_shard()
        self.deadlines.clear()
        for offset, decoded in enumerate(self._decoded):
            record = decoded()
            assert record is not None
            self.shard.replay(record, offset)
        self._apply(self.shard.loaded(self.moment()))

    def log_lags(self) -> None:
        """From now on nothing that is appended is committed."""
        self.is_lagging = True

    def log_commits(self) -> None:
        """Everything that was appended is committed, and answered."""
        self.is_lagging = False
        self._committed = len(self.log)
        held, self._held = self._held, []
        for reply in held:
            self._answer(reply)

    def log_fails(self) -> None:
        """What was not committed is lost, and so are the answers that waited for it."""
        del self.log[self._committed :], self._decoded[self._committed :]
        self._held.clear()
        self.reload()

    def _new_shard(self) -> GroupShard:
        return GroupShard(self.settings, self.topics, lambda _group_id: self.consumer_settings)

    def _apply(self, result: Result) -> None:
        for change in result.soft:
            self.shard.apply(change)
        for record in result.records:
            self.shard.replay(record, len(self.log))
            self.log.append(record)
            self._decoded.append(partial(decode, *encode(record)))
        for deadline in result.deadlines:
            if deadline.at_ms is None:
                self.deadlines.pop(deadline.key, None)
            else:
                self.deadlines[deadline.key] = deadline.at_ms
        if not self.is_lagging:
            self._committed = len(self.log)
        for reply in result.replies:
            assert reply.token not in self.decided_ms, "answered twice"
            self.decided_ms[reply.token] = self.now_ms
            if reply.waits and self._committed < len(self.log):
                self._held.append(reply)
            else:
                self._answer(reply)

    def _answer(self, reply: Reply) -> None:
        self.answers[reply.token] = reply.message

    def write(self, producer: tuple[int, int], key: bytes, value: bytes | None, *, is_control: bool = False) -> Any:
        """Appends what a transaction writes, or the marker that ends it, by its bytes."""
        decoded = partial(decode_in_transaction, producer, key, value, is_control=is_control)
        record = decoded()
        assert record is not None
        self.shard.replay(record, len(self.log))
        self.log.append(record)
        self._decoded.append(decoded)
        self._committed = len(self.log)
        return record

    # Requests in short.

    def join(
        self, member_id: str = "", *, version: int = 9, protocols: tuple[str, ...] = ("range",), **fields: Any
    ) -> int:
        metadata = fields.pop("metadata", b"topics")
        request = JoinGroupRequest(
            **{
                "group_id": GROUP,
                "session_timeout_ms": 10_000,
                "rebalance_timeout_ms": 60_000,
                "member_id": member_id,
                "protocol_type": "consumer",
                "protocols": [
                    JoinGroupRequest.JoinGroupRequestProtocol(name=name, metadata=metadata) for name in protocols
                ],
                **fields,
            },
        )
        return self.send(request, version)

    def sync(self, member_id: str, generation: int, assignments: dict[str, bytes] | None = None, **fields: Any) -> int:
        request = SyncGroupRequest(
            group_id=GROUP,
            generation_id=generation,
            member_id=member_id,
            assignments=[
                SyncGroupRequest.SyncGroupRequestAssignment(member_id=name, assignment=given)
                for name, given in (assignments or {}).items()
            ],
            **fields,
        )
        return self.send(request)

    def beat(self, member_id: str, generation: int, **fields: Any) -> int:
        return self.send(HeartbeatRequest(group_id=GROUP, generation_id=generation, member_id=member_id, **fields))

    def heartbeat(self, member_id: str, generation: int, **fields: Any) -> int:
        return int(self.answers.pop(self.beat(member_id, generation, **fields)).error_code)

    def leave(self, *members: tuple[str, str | None]) -> list[int]:
        return [member.error_code for member in self.answers.pop(self.send_leave(*members)).members]

    def send_leave(self, *members: tuple[str, str | None]) -> int:
        return self.send(
            LeaveGroupRequest(
                group_id=GROUP,
                members=[
                    LeaveGroupRequest.MemberIdentity(member_id=member_id, group_instance_id=instance)
                    for member_id, instance in members
                ],
            )
        )

    def commit(self, member_id: str, generation: int, offset: int = 42, metadata: str = "", **fields: Any) -> int:
        answer = self.answers.pop(self.send_commit(member_id, generation, offset, metadata, **fields))
        return int(answer.topics[0].partitions[0].error_code)

    def send_commit(self, member_id: str, generation: int, offset: int = 42, metadata: str = "", **fields: Any) -> int:
        partition = OffsetCommitRequest.OffsetCommitRequestPartition(
            partition_index=0,
            committed_offset=offset,
            committed_leader_epoch=3,
            committed_metadata=metadata,
        )
        version = fields.pop("version", 10)
        topic_id = fields.pop("topic_id", bytes(16))
        request = OffsetCommitRequest(
            group_id=fields.pop("group_id", GROUP),
            generation_id_or_member_epoch=generation,
            member_id=member_id,
            topics=[
                OffsetCommitRequest.OffsetCommitRequestTopic(name="orders", topic_id=topic_id, partitions=[partition])
            ],
            **fields,
        )
        return self.send(request, version)

    def send_fetch(self) -> int:
        topic = OffsetFetchRequest.OffsetFetchRequestTopics(name="orders", partition_indexes=[0])
        return self.send(OffsetFetchRequest.OffsetFetchRequestGroup(group_id=GROUP, topics=[topic]))

    def fetch(self) -> tuple[int, int, str]:
        answer = self.answers.pop(self.send_fetch())
        partition = answer.topics[0].partitions[0]
        return partition.committed_offset, partition.committed_leader_epoch, partition.metadata

    # Whole steps.

    def enter(self, **fields: Any) -> tuple[str, int]:
        """A new member: the MEMBER_ID_REQUIRED round, then a parked JoinGroup. Returns (member id, token)."""
        member_id = self.answers.pop(self.join(**fields)).member_id
        return member_id, self.join(member_id, **fields)

    def stable(self, count: int = 2, **fields: Any) -> tuple[list[str], int]:
        """A Stable group of `count` members; returns (member ids, leader first; generation)."""
        members = []
        for _ in range(count):
            members.append(self.enter(**fields)[0])
            for other in members[:-1]:
                self.join(other, **fields)
        return self.settle(members)

    def settle(self, members: list[str]) -> tuple[list[str], int]:
        group = self.shard.groups[GROUP]
        generation, leader = group.generation, group.leader
        ordered = sorted(members, key=lambda member: member != leader)
        for member in reversed(ordered):
            self.sync(
                member, generation, {name: b"for " + name.encode() for name in ordered} if member == leader else None
            )
        self.answers.clear()
        return ordered, generation
