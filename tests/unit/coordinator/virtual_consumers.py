"""Whole consumers in virtual time: real ones of the public class, whose two cores are replaced by a network and a fetcher
without sockets, and whose coordinator is a shard of ours (`virtual_shard.py`).

Nothing arrives by itself: a test says which request does, which is lost and which consumer has stopped. Only who waits on
the spot, in `close` for one, finds a network that works.
"""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from virtual_shard import GROUP, VirtualShard

import barnabas
from barnabas import errors
from barnabas.client import reader
from barnabas.client.driver import Driver
from barnabas.client.subscription import Mode
from barnabas.protocol import codec, shims
from barnabas.protocol.messages.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from barnabas.protocol.messages.metadata import MetadataRequest, MetadataResponse
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SESSION_S = 10.0
HEARTBEAT_S = 3.0
POLL_INTERVAL_S = 40.0
METADATA_S = 5.0
STEP_MS = 500.0
RESPONSE, FAILED, HEARTBEAT, POLL_DEADLINE, METADATA = 1, 2, 3, 4, 6
"""Kinds of the client core's events."""
UNKNOWN_TOPIC = errors.UnknownTopicOrPartitionError.code


class Asked(NamedTuple):
    """A request of a consumer."""

    message: Any
    version: int
    deadline: float
    retry: bool


class Plan(NamedTuple):
    """A heartbeat that is repeated, as `FetchCore.start_heartbeat` was told."""

    plain: Any
    full: Any
    leave: Any
    interval: float
    poll_interval: float


class Wire:
    """Stands in for `ClientCore`. Its requests are of one consumer."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.name = f"c{len(world.wires)}"
        self.fetch: Reading | None = None
        self.on_commit: Callable[[OffsetCommitRequest], None] = lambda _: None
        self.requests: dict[int, Asked] = {}
        """Under way to their brokers, by token."""
        self.arrived: dict[int, tuple[int, Asked]] = {}
        """Not answered yet by the shard, by its token."""
        self.refusals: dict[int, list[int]] = {}
        """Error codes that the next answers to an API carry in place of what they say; nothing has been done then."""
        self.inbox: deque[tuple[Any, ...]] = deque()
        self.wanted: list[str] = []
        self.known: dict[str, Any] = {}
        self.tokens = 0
        self.is_frozen = False
        """The process is stopped: it neither sends nor looks."""

    # What a consumer calls

    def submit(self, _target: Any, _api_key: int, variants: Any, timeout_ms: float, retry: bool) -> int:  # noqa: FBT001
        self.tokens += 1
        _, greatest, message = variants[-1]
        version = min(greatest, type(message).VERSIONS[1])
        if isinstance(message, OffsetCommitRequest):
            self.on_commit(message)
        self.requests[self.tokens] = Asked(message, version, self.world.clock() + timeout_ms / 1000, retry)
        return self.tokens

    def cancel(self, token: int) -> None:
        self.requests.pop(token, None)
        self.arrived = {key: value for key, value in self.arrived.items() if value[0] != token}

    def events(self, timeout: float | None) -> list[tuple[Any, ...]]:
        self.hear()
        if not self.inbox and timeout != 0.0:
            self.flush()
            if not self.inbox:
                assert timeout is not None, "would wait for ever"
                self.world.advance(timeout * 1000)
        found = list(self.inbox)
        self.inbox.clear()
        return found

    def want_topics(self, topics: list[str] | None) -> None:
        self.wanted = list(topics or ())

    def cluster(self) -> tuple[Any, ...]:
        topics = []
        for name in self.wanted:
            info = self.known.get(name)
            partitions = [(number, 0, 0, [0], [0]) for number in range(info.partition_count)] if info else []
            topics.append((name, info.topic_id if info else bytes(16), 0 if info else UNKNOWN_TOPIC, False, partitions))
        return "cluster", 0, [(0, "h", 9092, None)], topics

    def metrics(self) -> dict[str, int]:
        return {"connections": 1}

    def refresh_metadata(self, _timeout: float) -> bool:
        return True

    def failure(self) -> str | None:
        return None

    def invalidate_coordinator(self, _key_type: int, _key: str) -> None:
        pass

    def wake(self) -> None:
        pass

    def close(self, _timeout: float) -> None:
        self.requests.clear()
        self.arrived.clear()
        if self.fetch is not None:
            self.fetch.stop_heartbeat()
            self.fetch.at.clear()

    # What a test does

    def learn(self) -> None:
        """The client core reads the metadata again."""
        self.known = {info.name: info for info in self.world.virtual.topics.all()}
        self.inbox.append((METADATA, "metadata"))

    def arrive(self, token: int) -> None:
        """A request comes to its broker, and whatever is answered by now comes back."""
        asked = self.requests.pop(token)
        message = asked.message
        refusals = self.refusals.get(message.API_KEY)
        if refusals:
            self.answer(token, asked, codec.response_class(message.API_KEY)(error_code=refusals.pop(0)))
        elif isinstance(message, MetadataRequest):
            self.answer(token, asked, self.world.metadata(message))
        elif isinstance(message, ListOffsetsRequest):
            self.answer(token, asked, self.world.first_offsets(message))
        else:
            self.arrived[self.world.to_shard(message, asked.version, self.name)] = (token, asked)
        self.hear()

    def lose(self, token: int, *, is_done: bool) -> None:
        """A request is lost, or only its answer; the client core sends some again by itself."""
        asked = self.requests[token]
        if is_done:
            self.arrive(token)
            self.arrived = {key: value for key, value in self.arrived.items() if value[0] != token}
            self.inbox = deque(event for event in self.inbox if event[:2] != (RESPONSE, token))
        if asked.retry:
            self.requests[token] = asked
        else:
            self.requests.pop(token, None)
            self.inbox.append((FAILED, token, -1, "the connection was closed"))

    def flush(self) -> None:
        for token in list(self.requests):
            self.arrive(token)

    def hear(self) -> None:
        answers = self.world.virtual.answers
        for shard_token in [each for each in self.arrived if each in answers]:
            token, asked = self.arrived.pop(shard_token)
            answer = answers.pop(shard_token)
            if isinstance(asked.message, OffsetFetchRequest):
                answer = OffsetFetchResponse(groups=[answer])
            self.answer(token, asked, answer)

    def answer(self, token: int, asked: Asked, answer: Any) -> None:
        body = codec.encode(shims.lower(answer, asked.version, asked.message), asked.version)
        self.inbox.append((RESPONSE, token, asked.version, body, 0))

    def time_out(self) -> None:
        now = self.world.clock()
        late = [token for token, asked in self.requests.items() if asked.deadline <= now]
        late += [token for token, asked in self.arrived.values() if asked.deadline <= now]
        for token in late:
            self.cancel(token)
            self.inbox.append((FAILED, token, -1, "the request took too long"))


class Reading:
    """Stands in for `FetchCore`: each poll finds one record in each partition that is neither paused nor at its end."""

    def __init__(self, wire: Wire, _options: Any) -> None:
        self.wire = wire
        wire.fetch = self
        self.at: dict[tuple[str, int], int] = {}
        self.paused: set[tuple[str, int]] = set()
        self.plan: Plan | None = None
        self.is_unanswered = False
        self.next_beat = 0.0
        self.polled = wire.world.clock()

    def assign(self, partitions: list[tuple[str, int, int, int]]) -> None:
        self.at = {
            (topic, number): offset if offset >= 0 else self.at.get((topic, number), 0)
            for topic, number, offset, _ in partitions
        }
        self.paused &= self.at.keys()

    def position(self, topic: str, number: int) -> int | None:
        return self.at.get((topic, number))

    def positions(self) -> list[tuple[str, int, int, int]]:
        return [(topic, number, offset, -1) for (topic, number), offset in self.at.items()]

    def pause(self, partitions: list[tuple[str, int]]) -> None:
        self.paused |= set(partitions)

    def resume(self, partitions: list[tuple[str, int]]) -> None:
        self.paused -= set(partitions)

    def poll_called(self) -> None:
        self.polled = self.wire.world.clock()

    def poll(self, _timeout: float, _max_records: int | None = None) -> list[tuple[TopicPartition, int]] | None:
        found = [(TopicPartition(*each), at) for each, at in self.at.items() if each not in self.paused]
        for each, at in found:
            self.at[each] = at + 1
        return found or None

    def start_heartbeat(
        self,
        _group: str,
        _api_key: int,
        variants: Any,
        interval_ms: float,
        poll_interval_ms: float,
        _leave_api_key: int,
        leave_variants: Any,
        full_variants: Any,
    ) -> None:
        newest = lambda variants: variants[-1][2] if variants else None  # noqa: E731
        self.plan = Plan(
            newest(variants), newest(full_variants), newest(leave_variants), interval_ms / 1000, poll_interval_ms / 1000
        )
        self.next_beat = self.wire.world.clock() + self.plan.interval

    def stop_heartbeat(self) -> None:
        self.plan = None
        self.is_unanswered = False

    def tick(self) -> None:
        """What the I/O thread does by the clock."""
        now = self.wire.world.clock()
        if self.plan is None:
            return
        if now >= self.polled + self.plan.poll_interval:
            if self.plan.leave is not None:
                self.wire.world.ask(self.plan.leave)
            self.plan = None
            self.wire.inbox.append((POLL_DEADLINE, "poll_deadline"))
        elif now >= self.next_beat:
            self.beat()

    def beat(self, *, is_lost: bool = False) -> None:
        """Sends the heartbeat; its answer may be lost."""
        plan = self.plan
        if plan is None:
            return
        self.next_beat = self.wire.world.clock() + plan.interval
        request = plan.full if self.is_unanswered and plan.full is not None else plan.plain
        has_epoch = hasattr(plan.plain, "member_epoch")
        if has_epoch:
            request.member_epoch = plan.plain.member_epoch
        answer = self.wire.world.ask(request)
        self.is_unanswered = is_lost
        if is_lost:
            return
        if has_epoch and answer.error_code == 0:
            plan.plain.member_epoch = answer.member_epoch
        if has_epoch or answer.error_code:
            version = type(answer).VERSIONS[1]
            self.wire.inbox.append((HEARTBEAT, "h", answer.error_code, version, codec.encode(answer, version)))


class World:
    """Consumers of one group, topics and a coordinator, under one clock."""

    def __init__(self) -> None:
        self.virtual = VirtualShard()
        self.wires: list[Wire] = []

    def clock(self) -> float:
        return self.virtual.now_ms / 1000

    def consumer(self, **options: Any) -> barnabas.Consumer:
        """A consumer of this world."""

        def wire(_options: Any) -> Wire:
            self.wires.append(Wire(self))
            return self.wires[-1]

        with ExitStack() as stack:
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            patch.setattr(reader, "ClientCore", wire)
            patch.setattr(reader, "FetchCore", Reading)
            patch.setattr(reader, "Driver", partial(Driver, clock=self.clock))
            patch.setattr(reader, "_random_id", lambda: f"member-{len(self.wires)}")
            return barnabas.Consumer(
                bootstrap_servers="h:1",
                group_id=GROUP,
                auto_offset_reset="earliest",
                max_poll_interval_ms=int(POLL_INTERVAL_S * 1000),
                metadata_max_age_ms=int(METADATA_S * 1000),
                auto_commit_interval_ms=2_000,
                **options,
            )

    def to_shard(self, message: Any, version: int, client: str = "c") -> int:
        request = message.groups[0] if isinstance(message, OffsetFetchRequest) else message
        return self.virtual.send(request, version, client)

    def ask(self, message: Any) -> Any:
        """Asks the shard what it answers at once."""
        return self.virtual.answers.pop(self.to_shard(message, type(message).VERSIONS[1]))

    def advance(self, milliseconds: float) -> None:
        """Time passes, also for the I/O threads of consumers."""
        until = self.virtual.now_ms + milliseconds
        while self.virtual.now_ms < until:
            self.virtual.advance(min(STEP_MS, until - self.virtual.now_ms))
            for wire in self.running():
                wire.time_out()
                if wire.fetch is not None:
                    wire.fetch.tick()

    def running(self) -> Iterator[Wire]:
        return (wire for wire in self.wires if not wire.is_frozen)

    def is_known(self, consumer: barnabas.Consumer) -> bool:
        """Whether the coordinator counts a consumer as a member."""
        group = consumer._group
        assert group is not None
        shard = self.virtual.shard
        known = shard.groups.get(GROUP) or shard.consumer_groups.get(GROUP)
        is_member = consumer._state.mode is Mode.SUBSCRIBED and group.membership.is_member
        return is_member and known is not None and group.membership.generation.member_id in known.members

    # Answers of brokers

    def metadata(self, request: MetadataRequest) -> MetadataResponse:
        topics = {info.name: info for info in self.virtual.topics.all()}
        if request.topics is None:
            names = list(topics)
        else:
            by_id = {info.topic_id: name for name, info in topics.items()}
            names = [topic.name or by_id.get(bytes(topic.topic_id), "") for topic in request.topics]
        return MetadataResponse(
            brokers=[MetadataResponse.MetadataResponseBroker(node_id=0, host="h", port=9092, rack=None)],
            cluster_id="cluster",
            controller_id=0,
            topics=[
                MetadataResponse.MetadataResponseTopic(
                    name=name,
                    topic_id=topics[name].topic_id if name in topics else bytes(16),
                    error_code=0 if name in topics else UNKNOWN_TOPIC,
                    partitions=[
                        MetadataResponse.MetadataResponsePartition(
                            partition_index=number, leader_id=0, leader_epoch=0, replica_nodes=[0], isr_nodes=[0]
                        )
                        for number in range(topics[name].partition_count if name in topics else 0)
                    ],
                )
                for name in names
            ],
        )

    def first_offsets(self, request: ListOffsetsRequest) -> ListOffsetsResponse:
        topics = {info.name: info.partition_count for info in self.virtual.topics.all()}
        return ListOffsetsResponse(
            topics=[
                ListOffsetsResponse.ListOffsetsTopicResponse(
                    name=topic.name,
                    partitions=[
                        ListOffsetsResponse.ListOffsetsPartitionResponse(
                            partition_index=each.partition_index,
                            error_code=0 if each.partition_index < topics.get(topic.name, 0) else UNKNOWN_TOPIC,
                            offset=0,
                            timestamp=-1,
                            leader_epoch=0,
                        )
                        for each in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )
