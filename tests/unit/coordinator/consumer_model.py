"""A model of whole consumers in one group: what applications call, in any order, while requests are lost and late, processes
stop, topics come and grow, and the coordinator dies.

Each invariant has a word, with which what breaks it begins:

fetched      the fetcher has nothing that is not assigned
told         what the listener was told adds up to what is assigned
owner        of two consumers that the coordinator counts as members no two read one partition
committed    a consumer commits what it owns, in the name of the generation that it has, and nothing else
lost         no record is left out: what a poll hands out follows what has been handed out before
settled      when everybody behaves, every partition of the wanted topics has one reader, and whoever subscribes is a member
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from virtual_consumers import POLL_INTERVAL_S, World

from barnabas import errors
from barnabas.client.subscription import Mode
from barnabas.protocol import apis
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from virtual_consumers import Reading, Wire

    import barnabas
    from barnabas.protocol.messages.offset_commit import OffsetCommitRequest

NEW = "returns"
"""A topic that is not there at first."""
TOPICS = ("orders", "payments", NEW)
SUBSCRIPTIONS = st.one_of(
    st.sets(st.sampled_from(TOPICS), min_size=1).map(sorted),
    st.sampled_from(["orders|returns", ".*s", "r.*"]).map(re.compile),
)
INDEXES = st.integers(0, 2)
PICKS = st.integers(0, 99)
PASSING = [
    errors.CoordinatorLoadInProgressError.code,
    errors.CoordinatorNotAvailableError.code,
    errors.NotCoordinatorError.code,
]
REFUSED = {
    "classic": [apis.JOIN_GROUP, apis.SYNC_GROUP],
    "consumer": [apis.CONSUMER_GROUP_HEARTBEAT],
}
SETTLE_ROUNDS = 240
COUNTS: Counter[str] = Counter()
"""How often what happened."""


class App:
    """An application with a consumer. It is the rebalance listener as well."""

    def __init__(self, world: World, handed: dict[TopicPartition, int], options: dict[str, Any], commits: str) -> None:
        self.consumer: barnabas.Consumer = world.consumer(**options)
        self.world = world
        self.wire: Wire = world.wires[-1]
        self.wire.on_commit = self.check_commit
        self.handed = handed
        self.commits = commits
        self.owned: set[TopicPartition] = set()
        self.is_polling = False

    @property
    def fetch(self) -> Reading:
        assert self.wire.fetch is not None
        return self.wire.fetch

    @property
    def mode(self) -> Mode:
        return self.consumer._state.mode

    @property
    def reading(self) -> set[TopicPartition]:
        return {TopicPartition(*each) for each in self.fetch.at}

    # The listener

    def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> None:
        COUNTS["told: assigned"] += 1
        assert self.owned.isdisjoint(partitions), f"told: {self.owned} is ours, and {partitions} is given"
        self.owned |= set(partitions)

    def on_partitions_revoked(self, partitions: Sequence[TopicPartition]) -> None:
        COUNTS["told: revoked"] += 1
        self.given_up(partitions)
        if self.commits == "when revoked":
            with contextlib.suppress(errors.KafkaError):
                self.consumer.commit(timeout=1)

    def on_partitions_lost(self, partitions: Sequence[TopicPartition]) -> None:
        COUNTS["told: lost"] += 1
        self.given_up(partitions)

    def given_up(self, partitions: Sequence[TopicPartition]) -> None:
        assert partitions, "told: nothing was given up"
        assert self.owned.issuperset(partitions), f"told: {self.owned} is ours, and {partitions} is given up"
        still = self.reading & set(partitions) if self.is_polling else ()
        assert not still, f"fetched: {still} while it is given up"
        self.owned -= set(partitions)

    # Requests and records

    def check_commit(self, request: OffsetCommitRequest) -> None:
        COUNTS["committed: looked at"] += 1
        wanted = {
            TopicPartition(topic.name, each.partition_index) for topic in request.topics for each in topic.partitions
        }
        assigned = set(self.consumer._state.partitions)
        assert wanted <= assigned, f"committed: {wanted} of {assigned}"
        group = self.consumer._group
        assert group is not None
        name = request.member_id, request.generation_id_or_member_epoch
        generation = group.membership.generation
        ours = (generation.member_id, generation.generation_id) if self.mode is Mode.SUBSCRIBED else ("", -1)
        assert name == ours, f"committed: by {name}, and this is {ours}"

    def poll(self) -> None:
        if self.mode is Mode.NONE:
            return
        COUNTS["polls"] += 1
        self.is_polling = True
        found = self.consumer.poll(timeout=0)
        self.is_polling = False
        self.check_fetched()
        for partition, offset in found or ():  # type: ignore[attr-defined]
            COUNTS["lost: records looked at"] += 1
            assert partition in self.consumer.assignment(), f"fetched: {partition} is handed out and not assigned"
            before = self.handed.get(partition, 0)
            assert offset <= before, f"lost: {partition} goes on at {offset} after {before}"
            self.handed[partition] = max(before, offset + 1)

    def check_fetched(self) -> None:
        assigned = self.consumer.assignment()
        assert self.reading <= assigned, f"fetched: {self.reading} of {assigned}"

    def wanted(self) -> set[str]:
        """Topics that the subscription is about, by what exists."""
        state = self.consumer._state
        topics = {info.name for info in self.world.virtual.topics.all()}
        if state.pattern is not None:
            return {name for name in topics if state.pattern.fullmatch(name)}
        return topics & set(state.topics)


class ConsumerModel(RuleBasedStateMachine):
    @initialize(
        protocol=st.sampled_from(["classic", "classic", "consumer"]),
        assignors=st.sampled_from([["range"], ["cooperative-sticky"], ["range", "cooperative-sticky"], ["sticky"]]),
        commits=st.sampled_from(["by themselves", "when revoked", "never"]),
        subscriptions=st.lists(SUBSCRIPTIONS, max_size=3),
    )
    def start(self, protocol: str, assignors: list[str], commits: str, subscriptions: list[Any]) -> None:
        self.world = World()
        self.protocol = protocol
        self.commits = commits
        self.options: dict[str, Any] = {
            "group_protocol": protocol,
            "enable_auto_commit": commits == "by themselves",
        }
        if protocol == "classic":
            self.options |= {
                "partition_assignment_strategy": assignors,
                "session_timeout_ms": 10_000,
                "heartbeat_interval_ms": 3_000,
            }
        self.handed: dict[TopicPartition, int] = {}
        self.apps = [self.app() for _ in range(3)]
        for app, topics in zip(self.apps, subscriptions, strict=False):
            app.consumer.subscribe(topics, app)
        self.everybody_polls(4)

    def app(self) -> App:
        return App(self.world, self.handed, self.options, self.commits)

    def awake(self, index: int) -> App | None:
        app = self.apps[index]
        return None if app.wire.is_frozen else app

    # What applications do

    @rule(index=INDEXES, topics=SUBSCRIPTIONS)
    def subscribe(self, index: int, topics: list[str] | re.Pattern[str]) -> None:
        app = self.awake(index)
        if app is None:
            return
        if app.mode is Mode.ASSIGNED:
            app.consumer.unsubscribe()
        app.consumer.subscribe(topics, app)

    @rule(index=INDEXES)
    def unsubscribe(self, index: int) -> None:
        app = self.awake(index)
        if app is not None:
            app.consumer.unsubscribe()

    @rule(index=INDEXES, number=st.integers(0, 2))
    def assign(self, index: int, number: int) -> None:
        app = self.awake(index)
        if app is not None and app.mode is not Mode.SUBSCRIBED:
            app.consumer.assign([("payments", number % 2)])

    @rule(indexes=st.sets(INDEXES, min_size=1))
    def poll(self, indexes: set[int]) -> None:
        for index in sorted(indexes):
            app = self.awake(index)
            if app is not None:
                app.poll()

    @rule(index=INDEXES, is_waited_for=st.booleans())
    def commit(self, index: int, *, is_waited_for: bool) -> None:
        app = self.awake(index)
        if app is None or app.mode is Mode.NONE:
            return
        if not is_waited_for:
            app.consumer.commit_async()
            return
        with contextlib.suppress(errors.CommitFailedError, errors.RebalanceInProgressError, errors.KafkaTimeoutError):
            app.consumer.commit(timeout=2)
            COUNTS["commits that were taken"] += 1

    @rule(index=INDEXES, is_paused=st.booleans())
    def pause(self, index: int, *, is_paused: bool) -> None:
        app = self.awake(index)
        if app is not None:
            (app.consumer.pause if is_paused else app.consumer.resume)(app.consumer.assignment())

    @rule(index=INDEXES)
    def seek_back(self, index: int) -> None:
        app = self.awake(index)
        if app is not None:
            for partition in sorted(app.consumer.assignment())[:1]:
                app.consumer.seek(partition, 0)

    @rule(index=INDEXES, topics=SUBSCRIPTIONS)
    def close(self, index: int, topics: list[str] | re.Pattern[str]) -> None:
        """At any time, so also in the middle of a rebalance; another consumer takes its place."""
        app = self.awake(index)
        if app is not None:
            COUNTS["closed in a rebalance"] += app.consumer._group.membership.rebalancing  # type: ignore[union-attr]
            app.consumer.close(timeout=5)
            assert not app.owned, f"told: {app.owned} was not given up by close()"
            self.apps[index] = self.app()
            self.subscribe(index, topics)

    @rule(index=INDEXES, topics=SUBSCRIPTIONS)
    def die(self, index: int, topics: list[str] | re.Pattern[str]) -> None:
        app = self.apps[index]
        app.wire.is_frozen = True
        app.wire.close(0.0)
        self.apps[index] = self.app()
        self.subscribe(index, topics)

    # What befalls them

    @precondition(lambda self: self.under_way())
    @rule(pick=PICKS)
    def arrive(self, pick: int) -> None:
        found = self.under_way()
        wire, token = found[pick % len(found)]
        wire.arrive(token)

    @precondition(lambda self: self.under_way())
    @rule(pick=PICKS, is_done=st.booleans())
    def lose(self, pick: int, *, is_done: bool) -> None:
        found = self.under_way()
        wire, token = found[pick % len(found)]
        COUNTS["lost requests and answers"] += 1
        wire.lose(token, is_done=is_done)

    def under_way(self) -> list[tuple[Wire, int]]:
        wires = [app.wire for app in getattr(self, "apps", ()) if not app.wire.is_frozen]
        return [(wire, token) for wire in wires for token in wire.requests]

    @rule(rounds=st.integers(1, 4))
    def everybody_polls(self, rounds: int) -> None:
        """With a network that works."""
        for _ in range(rounds):
            self.poll_all_but(None)

    @rule(index=INDEXES)
    def take_too_long(self, index: int) -> None:
        """One application is at work on its records beyond `max_poll_interval_ms` while the others read on."""
        for _ in range(10):
            self.world.advance(POLL_INTERVAL_S * 110)
            self.poll_all_but(index)

    def poll_all_but(self, index: int | None) -> None:
        for number, app in enumerate(self.apps):
            if number != index and not app.wire.is_frozen:
                app.poll()
                app.wire.flush()

    @rule(index=INDEXES, pick=PICKS, code=st.sampled_from(PASSING))
    def refuse(self, index: int, pick: int, code: int) -> None:
        api = REFUSED[self.protocol][pick % len(REFUSED[self.protocol])]
        self.apps[index].wire.refusals[api] = [code]

    @rule(index=INDEXES, is_lost=st.booleans())
    def beat(self, index: int, *, is_lost: bool) -> None:
        app = self.awake(index)
        if app is not None:
            app.fetch.beat(is_lost=is_lost)

    @rule(index=INDEXES)
    def learn(self, index: int) -> None:
        app = self.awake(index)
        if app is not None:
            app.wire.learn()

    @rule(index=INDEXES)
    def freeze(self, index: int) -> None:
        self.apps[index].wire.is_frozen = True

    @rule(index=INDEXES)
    def thaw(self, index: int) -> None:
        self.apps[index].wire.is_frozen = False

    @rule(seconds=st.sampled_from([1.0, 4.0, 12.0, 45.0]))
    def wait(self, seconds: float) -> None:
        self.world.advance(seconds * 1000)

    @rule(topic=st.sampled_from([*TOPICS, NEW]), more=st.integers(1, 3))
    def grow(self, topic: str, more: int) -> None:
        info = self.world.virtual.topics.get(topic)
        count = 0 if info is None else info.partition_count
        if count < 8:
            self.world.virtual.topics.put(topic, count + more)

    @rule()
    def the_coordinator_dies(self) -> None:
        self.world.virtual.reload()
        for app in self.apps:
            for _, asked in app.wire.arrived.values():
                app.wire.tokens += 1
                app.wire.requests[app.wire.tokens] = asked
            for token in [token for token, _ in app.wire.arrived.values()]:
                app.wire.cancel(token)
                app.wire.inbox.append((2, token, -1, "the connection was closed"))

    # What must hold

    @invariant()
    def count(self) -> None:
        COUNTS["steps"] += 1

    @invariant()
    def nothing_is_fetched_that_is_not_assigned(self) -> None:
        for app in getattr(self, "apps", ()):
            # Of another assignment by hand the fetcher is told by the next poll.
            if app.mode is Mode.SUBSCRIBED:
                app.check_fetched()

    @invariant()
    def listeners_know(self) -> None:
        for app in getattr(self, "apps", ()):
            assigned = app.consumer.assignment() if app.mode is Mode.SUBSCRIBED else frozenset()
            assert app.owned == assigned, f"told: {app.owned}, and {assigned} is assigned"

    @invariant()
    def a_partition_has_one_reader(self) -> None:
        readers: dict[TopicPartition, int] = {}
        for index, app in enumerate(getattr(self, "apps", ())):
            if self.world.is_known(app.consumer):
                for partition in app.reading:
                    COUNTS["owner: partitions looked at"] += 1
                    other = readers.setdefault(partition, index)
                    assert other == index, f"owner: {other} and {index} read {partition}"

    @precondition(lambda self: hasattr(self, "apps"))
    @rule(often=st.integers(0, 5))
    def sometimes_settle(self, often: int) -> None:
        if often == 0:
            self.settle()

    def settle(self) -> None:
        for app in self.apps:
            app.wire.is_frozen = False
            app.wire.refusals.clear()
        for _ in range(SETTLE_ROUNDS):
            for app in self.apps:
                app.wire.learn()
                app.poll()
                app.wire.flush()
            if self.is_settled():
                COUNTS["settled"] += 1
                return
            self.world.advance(500)
        told = [(app.wanted(), sorted(app.reading)) for app in self.apps]
        raise AssertionError(f"settled: not after {SETTLE_ROUNDS / 2:.0f} s: {told}")

    def is_settled(self) -> bool:
        members = [app for app in self.apps if app.mode is Mode.SUBSCRIBED]
        wanted = {
            TopicPartition(info.name, number)
            for info in self.world.virtual.topics.all()
            if any(info.name in app.wanted() for app in members)
            for number in range(info.partition_count)
        }
        read = [partition for app in members for partition in app.reading]
        return (
            len(read) == len(wanted)
            and set(read) == wanted
            and all(partition.topic in app.wanted() for app in members for partition in app.reading)
            and all(self.world.is_known(app.consumer) for app in members if app.wanted())
        )

    def teardown(self) -> None:
        # Not after a failure, which is the one to be told of.
        if hasattr(self, "apps") and sys.exc_info()[0] is None:
            self.settle()
