"""A model of many KIP-848 members against one shard: requests that are lost, late or repeated, silence, kill -9 and failed
appends at any point.

The model judges by what it sent, what it was answered and its own clock, never by the broker's state. Each invariant has a
word, with which what breaks it begins:

owner        a partition is used by one member at a time
stale        an old epoch, and who has left or was replaced or forgotten, neither commits nor holds
unknown      a living member in its epoch is never told that it is unknown or fenced
uncommitted  what was told is never taken back by a failed append
progress     when everybody behaves the group settles, and every partition is read
replay       the state after loading is the state before
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from test_consumer_group import REBALANCE_MS
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.coordinator.consumer_group import ConsumerGroup

SESSION_MS = 45_000
CLIENTS = st.integers(0, 4)
TOPICS = st.sampled_from([("orders",), ("orders", "payments"), ("payments",)])
UNKNOWN = errors.UnknownMemberIdError.code
GONE = {UNKNOWN, errors.FencedMemberEpochError.code, errors.FencedInstanceIdError.code}
COUNTS: Counter[str] = Counter()
"""How often each fault fired and each invariant was at stake."""

Partition = tuple[bytes, int]


class Member:
    """What one client believes, and what the coordinator has told it or tried to.

    It uses what it owns until it gives it up, or until its session is over.
    """

    def __init__(self, number: int, instance: str | None) -> None:
        self.number = number
        self.instance = instance
        self.incarnation = 0
        self.restart()

    def restart(self) -> None:
        self.incarnation += 1
        self.member_id = f"m{self.number}.{self.incarnation}"
        self.epoch = 0
        self.owned: set[Partition] = set()
        self.topics: tuple[str, ...] = ("orders",)
        self.told_topics: tuple[str, ...] = ()
        self.heard_ms: float | None = None
        self.lost = 0
        # What answers said, heard or not.
        self.promised: set[Partition] = set()
        # A static member's next incarnation has what it had, since when it had it.
        self.since: dict[Partition, int] = getattr(self, "since", {}) if self.instance is not None else {}
        self.revoking_ms: float | None = None
        self.told_epoch = self.epoch_before = 0

    def learn(self, request: ConsumerGroupHeartbeatRequest, response: Any, sent_ms: float) -> None:
        """Takes note of an answer, also of one that the client never hears."""
        self.heard_ms = max(self.heard_ms or 0.0, sent_ms)
        if response.member_epoch != self.told_epoch:
            self.epoch_before, self.told_epoch = self.told_epoch, response.member_epoch
        if response.assignment is not None:
            self.promised = partitions_of(response.assignment.topic_partitions)
        reported = partitions_of(request.topic_partitions or ())
        for partition in self.promised:
            self.since.setdefault(partition, response.member_epoch)
        for partition in self.since.keys() - self.promised - reported:
            del self.since[partition]
        if not reported - self.promised:
            self.revoking_ms = None
        elif self.revoking_ms is None:
            self.revoking_ms = sent_ms


def partitions_of(topics: Any) -> set[Partition]:
    return {(bytes(topic.topic_id), partition) for topic in topics for partition in topic.partitions}


class Stale(NamedTuple):
    """A member that is none any more, for certain."""

    member_id: str
    epoch: int
    instance: str | None


class ConsumerGroupModel(RuleBasedStateMachine):
    @initialize(static=st.booleans(), interval=st.sampled_from([0, 1_000]))
    def start(self, *, static: bool, interval: int) -> None:
        self.virtual = VirtualShard(consumer_assignment_interval_ms=interval)
        self.members = [Member(number, f"i{number}" if static and number < 2 else None) for number in range(5)]
        self.asked: dict[int, Callable[[Any], None]] = {}
        self.beats: dict[int, str] = {}
        """Heartbeats under way: token and member id."""
        self.late: list[tuple[Member, int, ConsumerGroupHeartbeatRequest]] = []
        self.stale: list[Stale] = []
        self.offset = 0
        self.sure_offset = -1

    # Sending and hearing.

    def ask(self, request: Any, version: int, answered: Callable[[Any], None]) -> None:
        self.asked[self.virtual.send(request, version)] = answered
        self.hear()

    def hear(self) -> None:
        """Hands answers to who waits for them, in the order of the requests."""
        while ready := [token for token in self.asked if token in self.virtual.answers]:
            for token in ready:
                self.asked.pop(token)(self.virtual.answers.pop(token))

    def request(self, member: Member, *, is_full: bool = True) -> ConsumerGroupHeartbeatRequest:
        by_topic: dict[bytes, list[int]] = {}
        for topic, partition in sorted(member.owned):
            by_topic.setdefault(topic, []).append(partition)
        return ConsumerGroupHeartbeatRequest(
            group_id=GROUP,
            member_id=member.member_id,
            member_epoch=member.epoch,
            instance_id=member.instance,
            rebalance_timeout_ms=REBALANCE_MS if is_full else -1,
            subscribed_topic_names=list(member.topics) if is_full else None,
            topic_partitions=[
                ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=topic, partitions=partitions)
                for topic, partitions in by_topic.items()
            ],
        )

    def must_be_known(self, member: Member) -> bool:
        """Whether the coordinator must know the member, as far as can be told from outside."""
        now = self.virtual.now_ms
        return (
            member.heard_ms is not None
            and now < member.heard_ms + SESSION_MS
            and (member.revoking_ms is None or now < member.revoking_ms + REBALANCE_MS)
        )

    def send(self, member: Member, request: ConsumerGroupHeartbeatRequest, *, is_heard: bool) -> None:
        current = (request.member_id, request.member_epoch) == (member.member_id, member.epoch)
        # One lost answer is made good; after two the member may be two epochs behind, and joins anew. One that is under
        # way still is as good as lost.
        unheard = member.lost + sum(member_id == member.member_id for member_id in self.beats.values())
        known = current and member.epoch > 0 and unheard <= 1 and self.must_be_known(member)
        sent_ms = self.virtual.now_ms
        token = self.virtual.send(request, 1)
        self.beats[token] = request.member_id

        def answered(response: Any) -> None:
            del self.beats[token]
            self.answered(member, request, response, sent_ms, known=known, is_heard=is_heard)

        self.asked[token] = answered
        self.hear()

    def answered(
        self,
        member: Member,
        request: ConsumerGroupHeartbeatRequest,
        response: Any,
        sent_ms: float,
        *,
        known: bool,
        is_heard: bool,
    ) -> None:
        COUNTS["heartbeats"] += 1
        COUNTS["unknown: looked at"] += known
        if response.error_code in GONE:
            COUNTS["fenced or unknown"] += 1
            assert not known, f"unknown: {request.member_id} lives and was told {response.error_code}"
            if is_heard and (request.member_id, request.member_epoch) == (member.member_id, member.epoch):
                self.is_gone(member, response.error_code)
            return
        if response.error_code:
            assert response.error_code == errors.UnreleasedInstanceIdError.code, response
            return
        if request.member_id != member.member_id:
            return
        member.learn(request, response, sent_ms)
        member.lost = 0 if is_heard else member.lost + 1
        if is_heard:
            if request.member_epoch == 0:
                self.took_over(member)
            member.epoch = response.member_epoch
            if request.subscribed_topic_names is not None:
                member.told_topics = tuple(request.subscribed_topic_names)
            if response.assignment is not None:
                # It stops using what it loses before it says so with its next heartbeat.
                member.owned = set(member.promised)

    def is_gone(self, member: Member, code: int) -> None:
        # Who is only told that its epoch is old is a member still: what it had since before it may even commit.
        if member.epoch > 0 and code != errors.FencedMemberEpochError.code:
            self.stale.append(Stale(member.member_id, member.epoch, member.instance))
        member.restart()

    def took_over(self, member: Member) -> None:
        """A static member has come back: its earlier incarnations are none any more."""
        if member.instance is not None:
            epoch = max(member.told_epoch, 1)
            earlier = range(1, member.incarnation)
            self.stale += [Stale(f"m{member.number}.{one}", epoch, member.instance) for one in earlier]

    @rule(index=CLIENTS)
    def heartbeat(self, index: int) -> None:
        member = self.members[index]
        self.send(member, self.request(member), is_heard=True)

    @rule(index=CLIENTS, times=st.integers(1, 2))
    def brief_heartbeat(self, index: int, times: int) -> None:
        """It says only what it owns; a second one is sent whether or not the first is answered."""
        member = self.members[index]
        if member.epoch > 0 and member.told_topics == member.topics:
            request = self.request(member, is_full=False)
            for _ in range(times):
                self.send(member, request, is_heard=True)

    @rule(index=CLIENTS)
    def old_epoch_speaks(self, index: int) -> None:
        """A living member, in an epoch before its last one, as if it were two of a name."""
        member = self.members[index]
        if member.epoch_before < 2 or not self.must_be_known(member):
            return
        COUNTS["stale: requests refused"] += 1
        request = self.request(member)
        request.member_epoch = member.epoch_before - 1

        def refused(answer: Any) -> None:
            assert answer.error_code, (
                f"stale: {member.member_id} was answered in epoch {request.member_epoch}: {answer}"
            )

        self.ask(request, 1, refused)

    @rule(index=CLIENTS)
    def answer_is_lost(self, index: int) -> None:
        COUNTS["lost answers"] += 1
        member = self.members[index]
        self.send(member, self.request(member), is_heard=False)

    @rule(index=CLIENTS)
    def request_is_late(self, index: int) -> None:
        member = self.members[index]
        self.late.append((member, member.incarnation, self.request(member)))

    @precondition(lambda self: getattr(self, "late", None))
    @rule(pick=st.integers(0, 9))
    def late_request_arrives(self, pick: int) -> None:
        member, incarnation, request = self.late.pop(pick % len(self.late))
        is_old = 0 < request.member_epoch < member.epoch_before if incarnation == member.incarnation else True
        if not is_old and request != self.request(member):
            # The protocol has no defence against an old join, nor against a request of the present or the last epoch
            # that says less is owned than is: connections keep the order. What can arrive is the same once more, or a
            # truly old one.
            return
        COUNTS["late requests"] += 1
        if incarnation == member.incarnation:
            self.send(member, request, is_heard=False)
        else:
            if request.member_epoch == 0:
                # An incarnation that is long gone joins once more.
                self.stale = [one for one in self.stale if one.member_id != request.member_id]
            self.ask(request, 1, lambda _answer: None)

    @rule(chosen=st.sets(CLIENTS, min_size=1), rounds=st.integers(1, 4))
    def go_on(self, chosen: set[int], rounds: int) -> None:
        for _ in range(rounds):
            for index in sorted(chosen):
                self.heartbeat(index)

    @rule(seconds=st.integers(1, 6))
    def everybody_goes_on(self, seconds: int) -> None:
        for _ in range(seconds):
            self.go_on(set(range(len(self.members))), 2)
            self.time_passes(1_000)

    @rule(index=CLIENTS, topics=TOPICS)
    def subscribe(self, index: int, topics: tuple[str, ...]) -> None:
        COUNTS["changed subscriptions"] += 1
        self.members[index].topics = topics

    @rule(index=CLIENTS, epoch=st.sampled_from([-1, -2]))
    def leave(self, index: int, epoch: int) -> None:
        member = self.members[index]
        if member.epoch == 0 or (epoch == -2 and member.instance is None):
            return
        request = self.request(member)
        request.member_epoch = epoch
        gone = Stale(member.member_id, member.epoch, member.instance)
        member.restart()
        COUNTS["leaves"] += 1

        def left(answer: Any) -> None:
            if answer.error_code == 0 and epoch == -1:
                self.stale.append(gone)

        self.ask(request, 1, left)

    @rule(index=CLIENTS)
    def crash(self, index: int) -> None:
        """The client is gone; what it used it uses no more."""
        COUNTS["crashes"] += 1
        member = self.members[index]
        if member.instance is None:
            member.restart()

    @precondition(lambda self: getattr(self, "stale", None))
    @rule(pick=st.integers(0, 99), commits=st.booleans())
    def stale_one_speaks(self, pick: int, *, commits: bool) -> None:
        who = self.stale[pick % len(self.stale)]
        if who.instance is not None:
            # Its epoch does not give it away: it speaks in the one of who took its place.
            present = next(member for member in self.members if member.instance == who.instance)
            who = who._replace(epoch=present.epoch or who.epoch)
        COUNTS["stale: requests refused"] += 1

        def refused(answer: Any) -> None:
            code = answer.topics[0].partitions[0].error_code if commits else answer.error_code
            assert code, f"stale: {who} was answered {answer}"

        if commits:
            self.ask(self.commit_request(who.member_id, who.epoch, 0), 10, refused)
            return
        request = ConsumerGroupHeartbeatRequest(
            group_id=GROUP, member_id=who.member_id, member_epoch=who.epoch, instance_id=who.instance
        )
        self.ask(request, 1, refused)

    # What the world does.

    @rule(milliseconds=st.sampled_from([200, 1_000, 10_000, 30_000]))
    def time_passes(self, milliseconds: int) -> None:
        self.virtual.advance(milliseconds)
        self.hear()
        for member in self.members:
            # A client that was not heard for so long has been told by its own clock to use nothing any more.
            if member.epoch and not self.must_be_known(member):
                member.owned = set()

    @rule(more=st.integers(1, 2))
    def topic_grows(self, more: int) -> None:
        COUNTS["grown topics"] += 1
        info = self.virtual.topics.get("orders")
        assert info is not None
        self.virtual.topics.put("orders", min(info.partition_count + more, 9))

    @rule()
    def log_lags(self) -> None:
        self.virtual.log_lags()

    @precondition(lambda self: hasattr(self, "virtual") and self.virtual.is_lagging)
    @rule()
    def log_commits(self) -> None:
        self.virtual.log_commits()
        self.hear()

    @rule(chosen=st.sets(CLIENTS), rounds=st.integers(0, 2))
    def append_fails(self, chosen: set[int], rounds: int) -> None:
        """Decisions are lost with the shard's soft state, and whoever waited for them is not answered."""
        COUNTS["failed appends"] += 1
        self.log_lags()
        for index in sorted(chosen):
            for _ in range(rounds):
                self.brief_heartbeat(index, 2)
            self.commit(index, 0, 0)
            self.read()
        self.virtual.log_fails()
        self.start_over()

    @rule()
    def reload(self) -> None:
        COUNTS["reloads"] += 1
        self.log_commits()
        before = state(self.virtual)
        self.virtual.reload()
        COUNTS["replay: states looked at"] += before[1] is not None
        after = state(self.virtual)
        assert after == before, f"replay: {after} is not {before}"
        self.start_over()

    def start_over(self) -> None:
        """The shard was loaded again: whoever was told something finds it so."""
        self.asked.clear()
        self.beats.clear()
        self.virtual.answers.clear()
        for member in self.members:
            if member.epoch > 0 and member.lost == 0 and self.must_be_known(member):
                COUNTS["uncommitted: members looked at"] += 1
                request = self.request(member)
                response = self.virtual.ask(request, 1)
                assert response.error_code not in GONE, (
                    f"uncommitted: {member.member_id} was told of epoch {member.epoch}, now {response.error_message}"
                )
                self.answered(member, request, response, self.virtual.now_ms, known=False, is_heard=True)
        offset = self.virtual.fetch()[0]
        COUNTS["uncommitted: offsets looked at"] += 1
        assert offset >= self.sure_offset, f"uncommitted: {self.sure_offset} was answered, now {offset}"

    # Commits.

    def commit_request(self, member_id: str, epoch: int, partition: int) -> OffsetCommitRequest:
        self.offset += 1
        wanted = OffsetCommitRequest.OffsetCommitRequestPartition(
            partition_index=partition, committed_offset=self.offset
        )
        topic_id = self.virtual.topics.id("orders")
        topic = OffsetCommitRequest.OffsetCommitRequestTopic(name="orders", topic_id=topic_id, partitions=[wanted])
        return OffsetCommitRequest(
            group_id=GROUP, member_id=member_id, generation_id_or_member_epoch=epoch, topics=[topic]
        )

    @rule(index=CLIENTS, age=st.integers(0, 2), partition=st.integers(0, 3))
    def commit(self, index: int, age: int, partition: int) -> None:
        member = self.members[index]
        epoch = member.epoch - age
        if epoch <= 0:
            return
        request = self.commit_request(member.member_id, epoch, partition)
        offset = self.offset
        known = self.must_be_known(member)
        # Not while an answer is under way or was lost, which may have brought the member to another epoch.
        is_current = known and age == 0 and member.lost == 0 and not self.asked
        since = member.since.get((self.virtual.topics.id("orders"), partition))
        told_epoch, is_sure = member.told_epoch, not self.asked

        def answered(answer: Any) -> None:
            code = answer.topics[0].partitions[0].error_code
            COUNTS["commits in an older epoch"] += age > 0
            assert not (known and code == UNKNOWN), f"unknown: {member.member_id} was forgotten when it committed"
            assert not (is_current and code), f"unknown: {member.member_id} could not commit: {code}"
            if code == 0:
                fresh = epoch == told_epoch or (since is not None and since <= epoch)
                assert fresh or not is_sure, f"stale: epoch {epoch} committed in {told_epoch}"
                if partition == 0:
                    self.sure_offset = max(self.sure_offset, offset)

        self.ask(request, 10, answered)

    @rule()
    def read(self) -> None:
        sure = self.sure_offset

        def answered(answer: Any) -> None:
            COUNTS["uncommitted: reads looked at"] += 1
            offset = answer.topics[0].partitions[0].committed_offset
            assert offset >= sure, f"uncommitted: {offset} was read after {sure}"
            self.sure_offset = max(self.sure_offset, offset)

        self.asked[self.virtual.send_fetch()] = answered
        self.hear()

    # What must always hold.

    @invariant()
    def partitions_have_one_user(self) -> None:
        used: dict[Partition, str] = {}
        for member in getattr(self, "members", ()):
            if member.epoch == 0 or not self.must_be_known(member):
                continue
            for partition in member.owned:
                COUNTS["owner: partitions looked at"] += 1
                assert partition not in used, f"owner: {partition} is used by {member.member_id} and {used[partition]}"
                used[partition] = member.member_id

    def teardown(self) -> None:
        """When everybody behaves, the group settles and every partition is read."""
        if not getattr(self, "members", None):
            return
        self.log_commits()
        self.late.clear()
        for _ in range(2):
            self.virtual.advance(100_000)
            for member in self.members:
                member.restart()
        self.settle()
        info = self.virtual.topics.get("orders")
        assert info is not None
        self.virtual.topics.put("orders", info.partition_count + 1)
        self.settle()

    def settle(self) -> None:
        for _ in range(30):
            self.virtual.advance(1_000)
            for index in range(len(self.members)):
                self.heartbeat(index)
            self.partitions_have_one_user()
        wanted = {
            (info.topic_id, number)
            for info in self.virtual.topics.all()
            for number in range(info.partition_count)
            if any(info.name in member.topics for member in self.members)
        }
        read = {partition for member in self.members for partition in member.owned}
        assert read == wanted, "progress: a partition that nobody reads"
        COUNTS["progress: settled"] += 1


def state(virtual: VirtualShard) -> tuple[Any, ...]:
    """What is kept for good: offsets, and the group but for what it has seen of the topics and whom it has told."""
    shard = virtual.shard
    offsets = {name: {topic: dict(of) for topic, of in topics.items()} for name, topics in shard.offsets.groups.items()}
    group: ConsumerGroup | None = shard.consumer_groups.get(GROUP)
    if group is None:
        return offsets, None
    kept = {name: copy.deepcopy(value) for name, value in vars(group).items()}
    for soft in ("topics_seen", "rejoining"):
        del kept[soft]
    return offsets, kept
