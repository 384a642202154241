"""A model of many clients of the classic protocol against one shard: requests that are lost, late or repeated, silence, kill -9
and failed appends at any point.

The model judges by what it sent, what it was answered and its own clock, never by the broker's state. It knows of a client
until when the coordinator must know it: it was heard within its session, and no rebalance that may have begun since the
group was last known to wait for nobody can be over without it. Each invariant has a word, with which what breaks it begins:

owner        a partition has one owner in a generation, and a generation one leader
stale        who is of an old generation, or has left, been replaced or forgotten, neither commits nor holds
unknown      who must be known is never told UNKNOWN_MEMBER_ID, however rebalances overlap
truncated    SyncGroup gives exactly what the leader assigned
uncommitted  what was told is never taken back by a failed append
progress     a parked request is answered in time, and when everybody behaves the group settles
replay       the state after loading is the state before
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from group_members import Asked, Client, Identity, state
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from virtual_shard import VirtualShard

from barnabas import errors

if TYPE_CHECKING:
    from collections.abc import Callable

SESSION_MS = 10_000
REBALANCE_MS = 15_000
DELAY_MS = 3_000
PARKED_MS = REBALANCE_MS + DELAY_MS
SETTLE_S = 60
NEVER_MS = 1e12
PARTITIONS = 6
UNKNOWN = errors.UnknownMemberIdError.code
FENCED = errors.FencedInstanceIdError.code
REBALANCE = errors.RebalanceInProgressError.code
NEEDS_ID = errors.MemberIdRequiredError.code
CLIENTS = st.integers(0, 4)
COUNTS: Counter[str] = Counter()
"""How often each fault fired and each invariant was at stake."""


class GroupModel(RuleBasedStateMachine):
    @initialize(delay=st.sampled_from([0, DELAY_MS]), static=st.booleans())
    def start(self, delay: int, *, static: bool) -> None:
        # A group that is empty when it is looked at is forgotten, and the next one of its name begins with generation 1.
        self.virtual = VirtualShard(initial_rebalance_delay_ms=delay, offsets_check_interval_ms=NEVER_MS)
        self.clients = [Client(instance=f"i{index}" if static and index < 2 else None) for index in range(5)]
        self.asked: dict[int, Asked] = {}
        self.late: list[Callable[[], None]] = []
        self.stale: list[Identity] = []
        self.told: dict[int, list[str]] = {}
        self.begun_ms: dict[int, float] = {}
        self.leaders: dict[int, str] = {}
        self.newest = -1
        self.predecessors: dict[str, str] = {}
        self.last_of: dict[str, str] = {}
        self.sent: dict[tuple[int, str], str] = {}
        self.owners: dict[int, dict[int, str]] = {}
        self.offset = 0
        self.sure_offset = -1

    # Sending and hearing.

    def ask(self, kind: str, token: int, answered: Callable[[Any, float], None]) -> int:
        self.asked[token] = Asked(kind, self.virtual.now_ms, answered)
        self.hear()
        return token

    def hear(self) -> None:
        """Hands answers to who waits for them, in the order of the requests."""
        while ready := [token for token in self.asked if token in self.virtual.answers]:
            for token in ready:
                asked = self.asked.pop(token)
                asked.answered(self.virtual.answers.pop(token), self.virtual.decided_ms[token])

    def must_be_known(self, client: Client) -> bool:
        """Whether the coordinator must know the client, as far as the client can tell."""
        if not client.member_id or client.heard_ms is None:
            return False
        if any(token is not None and token not in self.virtual.decided_ms for token in (client.join, client.sync)):
            return True
        now = self.virtual.now_ms
        return now < client.heard_ms + SESSION_MS and now < client.steady_ms + REBALANCE_MS

    # Requests, sensible or not.

    @rule(index=CLIENTS, version=st.sampled_from([3, 9]), metadata=st.sampled_from([b"a", b"a", b"b"]))
    def join(self, index: int, version: int, metadata: bytes) -> None:
        client = self.clients[index]
        client.sync = None
        known = self.must_be_known(client)
        sent = client.member_id
        client.join = token = self.send_join(client.identity, version, metadata)
        self.ask("join", token, lambda answer, at: self.joined(client, (token, sent), answer, at, known=known))

    def send_join(self, who: Identity, version: int, metadata: bytes) -> int:
        return self.virtual.join(
            who.member_id,
            version=version,
            metadata=metadata,
            group_instance_id=who.instance,
            rebalance_timeout_ms=REBALANCE_MS,
            session_timeout_ms=SESSION_MS,
        )

    def joined(self, client: Client, sent: tuple[int, str], answer: Any, at: float, *, known: bool) -> None:
        self.learn_of_join(client.instance, answer, at)
        token, member_id = sent
        if client.join != token:
            return
        client.join = None
        code = answer.error_code
        if code == 0:
            client.member_id, client.generation = answer.member_id, answer.generation_id
            client.leads = answer.leader == answer.member_id and not answer.skip_assignment
            client.members = [member.member_id for member in answer.members]
            client.synced = client.must_rejoin = False
            # The answer may be a repeated one: the session, and the time for SyncGroup, count since the generation began.
            client.heard(self.begun_ms[client.generation], steady=False)
            client.steady_ms = self.begun_ms[client.generation]
        elif code == NEEDS_ID:
            client.member_id, client.heard_ms, client.steady_ms = answer.member_id, at, at
        elif code == REBALANCE:
            client.must_rejoin = True
        else:
            COUNTS["unknown: looked at"] += known
            assert not (code == UNKNOWN and known), f"unknown: {member_id} was forgotten when it joined again"
            self.refused(client, code)

    def learn_of_join(self, instance: str | None, answer: Any, at: float) -> None:
        """What an answer to JoinGroup says of the group, whoever hears it."""
        if answer.error_code:
            return
        generation, leader, member_id = answer.generation_id, answer.leader, answer.member_id
        self.newest = max(self.newest, generation)
        self.begun_ms[generation] = min(at, self.begun_ms.get(generation, at))
        if instance is not None and self.last_of.get(instance, member_id) != member_id:
            old = self.last_of[instance]
            self.predecessors[member_id] = old
            self.stale.append(Identity(old, generation, instance))
        if instance is not None:
            self.last_of[instance] = member_id
        if answer.members and not answer.skip_assignment:
            COUNTS["owner: leaders looked at"] += 1
            known = self.leaders.setdefault(generation, leader)
            # A generation in which something was assigned cannot begin once more, unless it was lost.
            word = "uncommitted" if generation in self.owners else "owner"
            assert self.root(leader) == self.root(known), f"{word}: {known} and {leader} lead generation {generation}"
            self.told[generation] = [member.member_id for member in answer.members]

    def root(self, member_id: str) -> str:
        while member_id in self.predecessors:
            member_id = self.predecessors[member_id]
        return member_id

    @rule(index=CLIENTS)
    def sync(self, index: int) -> None:
        client = self.clients[index]
        if client.generation < 0 or client.join is not None:
            return
        known = self.must_be_known(client)
        who, sent_ms = client.identity, self.virtual.now_ms
        assignments = self.assign(client) if client.leads else None
        client.sync = token = self.send_sync(who, assignments)
        self.ask(
            "sync", token, lambda answer, at: self.has_synced(client, (token, who, sent_ms), answer, at, known=known)
        )

    def assign(self, client: Client) -> dict[str, bytes]:
        """A leader divides the partitions among the members that it was told of."""
        given = {}
        for place, member_id in enumerate(client.members):
            numbers = range(place, PARTITIONS, len(client.members))
            text = f"{client.generation}|{self.root(client.member_id)}|{member_id}|{','.join(map(str, numbers))}"
            self.sent[client.generation, member_id] = text
            given[member_id] = text.encode()
        return given

    def send_sync(self, who: Identity, assignments: dict[str, bytes] | None) -> int:
        return self.virtual.sync(who.member_id, who.generation, assignments, group_instance_id=who.instance)

    def has_synced(
        self, client: Client, sent: tuple[int, Identity, float], answer: Any, at: float, *, known: bool
    ) -> None:
        token, who, sent_ms = sent
        if answer.error_code == 0:
            self.check_assignment(who, bytes(answer.assignment).decode())
        if client.sync != token:
            return
        client.sync = None
        code = answer.error_code
        # Only who was parked gets a new session with the answer.
        heard_ms = at if at > sent_ms else 0.0
        if code == 0:
            client.heard(heard_ms, steady=False)
            client.steady_ms = max(client.steady_ms, at)
            client.synced = True
        elif code in (UNKNOWN, FENCED):
            COUNTS["unknown: looked at"] += known
            assert not (code == UNKNOWN and known), f"unknown: {who.member_id} was forgotten when it synchronised"
            self.refused(client, code)
        else:
            if code == REBALANCE:
                client.heard(heard_ms, steady=False)
            client.must_rejoin = client.synced = True

    def check_assignment(self, who: Identity, given: str) -> None:
        """Exactly what the leader sent for it, or for the incarnation whose place it took; of nobody else's partitions."""
        COUNTS["truncated: assignments looked at"] += 1
        member_id = who.member_id
        while (who.generation, member_id) not in self.sent and member_id in self.predecessors:
            member_id = self.predecessors[member_id]
        wanted = self.sent.get((who.generation, member_id))
        assert wanted is not None, f"stale: {who} was given {given!r}, and nobody assigned in that generation"
        assert not given or int(given.partition("|")[0]) == who.generation, f"stale: {who} was given {given!r}"
        holds = [int(number) for number in given.rpartition("|")[2].split(",") if number]
        owners = self.owners.setdefault(who.generation, {})
        for number in holds:
            owner = owners.setdefault(number, self.root(member_id))
            assert owner == self.root(member_id), f"owner: {owner} and {member_id} own {number} in {who.generation}"
        assert given == wanted, f"truncated: {who} was given {given!r} of {wanted!r}"

    @rule(index=CLIENTS)
    def heartbeat(self, index: int) -> None:
        client = self.clients[index]
        if client.generation < 0 or client.join is not None or client.sync is not None:
            return
        known, who, sent_ms = self.must_be_known(client), client.identity, self.virtual.now_ms
        token = self.virtual.beat(who.member_id, who.generation, group_instance_id=who.instance)

        def answered(answer: Any, _at: float) -> None:
            code = answer.error_code
            COUNTS["unknown: looked at"] += known
            assert not (code == UNKNOWN and known), f"unknown: {who.member_id} was forgotten when it was heard"
            if client.identity != who:
                return
            if code in (0, REBALANCE):
                client.heard(sent_ms, steady=code == 0 and client.synced)
                client.must_rejoin |= code != 0
            elif code in (UNKNOWN, FENCED):
                self.refused(client, code)
            else:
                client.must_rejoin = True

        self.ask("heartbeat", token, answered)

    def refused(self, client: Client, code: int) -> None:
        """A client was told that it is no member (any more)."""
        if code in (UNKNOWN, FENCED) and client.member_id:
            self.stale.append(client.identity)
        client.forget()

    @rule(index=CLIENTS)
    def leave(self, index: int) -> None:
        client = self.clients[index]
        if not client.member_id:
            return
        COUNTS["leaves"] += 1
        who = client.identity
        client.forget()

        def left(answer: Any, _at: float) -> None:
            if not answer.members[0].error_code:
                self.stale.append(who)

        self.ask("leave", self.virtual.send_leave((who.member_id, who.instance)), left)

    @rule(index=CLIENTS)
    def crash(self, index: int) -> None:
        COUNTS["crashes"] += 1
        self.clients[index].forget()

    @rule(index=CLIENTS)
    def answer_is_lost(self, index: int) -> None:
        """A client gives up waiting; it joins again, or synchronises again."""
        client = self.clients[index]
        COUNTS["lost answers"] += client.join is not None or client.sync is not None
        client.join = client.sync = None
        client.heard_ms = None

    # Commits.

    @rule(index=CLIENTS, age=st.integers(0, 2))
    def commit(self, index: int, age: int) -> None:
        client = self.clients[index]
        if client.generation >= 0:
            who = client.identity._replace(generation=client.generation - age)
            self.send_commit(who, known=age == 0 and self.must_be_known(client))

    def send_commit(self, who: Identity, *, known: bool = False, is_stale: bool = False) -> None:
        newest = self.newest
        self.offset += 1
        offset = self.offset
        some_must_be_members = any(one.generation >= 0 and self.must_be_known(one) for one in self.clients)

        def answered(answer: Any, _at: float) -> None:
            code = answer.topics[0].partitions[0].error_code
            COUNTS["unknown: looked at"] += known
            assert not (code == UNKNOWN and known), f"unknown: {who.member_id} was forgotten when it committed"
            if code:
                return
            COUNTS["stale: commits accepted"] += 1
            self.sure_offset = max(self.sure_offset, offset)
            if who.generation < 0:
                assert not some_must_be_members, "stale: somebody outside the group committed"
                return
            assert not is_stale, f"stale: {who} committed"
            assert who.generation >= newest, f"stale: {who} committed in generation {newest}"
            members = self.told.get(who.generation, [])
            assert {self.root(who.member_id), who.member_id} & {*members, *map(self.root, members)}, (
                f"stale: {who} is no member and committed"
            )

        token = self.virtual.send_commit(who.member_id, who.generation, offset, group_instance_id=who.instance)
        self.ask("commit", token, answered)

    @rule(chosen=st.sets(CLIENTS, min_size=1))
    def work(self, chosen: set[int]) -> None:
        """Members commit what they have read, and somebody looks."""
        for index in sorted(chosen):
            self.commit(index, 0)
        self.read()

    @rule()
    def read(self) -> None:
        sure = self.sure_offset

        def answered(answer: Any, _at: float) -> None:
            COUNTS["uncommitted: reads looked at"] += 1
            offset = answer.topics[0].partitions[0].committed_offset
            assert sure <= offset <= self.offset, f"uncommitted: {offset} was read after {sure}"
            self.sure_offset = max(self.sure_offset, offset)

        self.ask("read", self.virtual.send_fetch(), answered)

    # Who is stale, and requests that come late.

    @precondition(lambda self: getattr(self, "stale", None))
    @rule(pick=st.integers(0, 99), how=st.sampled_from(["heartbeat", "commit", "sync"]))
    def stale_one_speaks(self, pick: int, how: str) -> None:
        who = self.stale[pick % len(self.stale)]
        if who.generation < 0:
            return
        COUNTS["stale: requests refused"] += 1
        if how == "commit":
            self.send_commit(who, is_stale=True)
            return

        def refused(answer: Any, _at: float) -> None:
            assert answer.error_code, f"stale: {who} was answered {answer}"

        if how == "sync":
            self.ask("stale sync", self.send_sync(who, None), refused)
        else:
            token = self.virtual.beat(who.member_id, who.generation, group_instance_id=who.instance)
            self.ask("stale heartbeat", token, refused)

    @rule(
        index=CLIENTS,
        how=st.sampled_from(["join", "sync", "heartbeat", "commit"]),
        metadata=st.sampled_from([b"a", b"b"]),
    )
    def request_is_late(self, index: int, how: str, metadata: bytes) -> None:
        """The client's present request arrives some time later, once more or for the first time."""
        client = self.clients[index]
        who = client.identity
        if how == "join":
            self.late.append(lambda: self.late_join(client, who, metadata))
        elif who.generation >= 0 and how == "sync":
            given = self.assign(client) if client.leads else None
            self.late.append(lambda: self.late_sync(who, given))
        elif who.generation >= 0 and how == "commit":
            self.late.append(lambda: self.send_commit(who))
        elif who.generation >= 0:
            self.late.append(lambda: self.late_heartbeat(who))

    def late_join(self, client: Client, who: Identity, metadata: bytes) -> None:
        if who.instance is not None and not who.member_id:
            # It takes the place of the client's present incarnation.
            client.heard_ms = None
        token = self.send_join(who, 9, metadata)
        self.ask("late join", token, lambda answer, at: self.learn_of_join(who.instance, answer, at))

    def late_sync(self, who: Identity, given: dict[str, bytes] | None) -> None:
        def answered(answer: Any, _at: float) -> None:
            if answer.error_code == 0:
                self.check_assignment(who, bytes(answer.assignment).decode())

        self.ask("late sync", self.send_sync(who, given), answered)

    @rule(index=CLIENTS, age=st.integers(1, 2))
    def old_generation_syncs(self, index: int, age: int) -> None:
        client = self.clients[index]
        if client.generation >= age:
            COUNTS["stale: requests refused"] += 1
            self.late_sync(client.identity._replace(generation=client.generation - age), None)

    def late_heartbeat(self, who: Identity) -> None:
        token = self.virtual.beat(who.member_id, who.generation, group_instance_id=who.instance)
        self.ask("late heartbeat", token, lambda _answer, _at: None)

    @precondition(lambda self: getattr(self, "late", None))
    @rule(pick=st.integers(0, 9))
    def late_request_arrives(self, pick: int) -> None:
        COUNTS["late requests"] += 1
        self.late.pop(pick % len(self.late))()

    # When all goes well: each one's next step, in turn, so that groups become Stable often.

    @rule(chosen=st.sets(CLIENTS, min_size=1), rounds=st.integers(1, 4))
    def go_on(self, chosen: set[int], rounds: int) -> None:
        for _ in range(rounds):
            for index in sorted(chosen):
                self.next_step(index)

    @rule(seconds=st.integers(1, 6))
    def everybody_goes_on(self, seconds: int) -> None:
        for _ in range(seconds):
            self.go_on(set(range(len(self.clients))), 3)
            self.time_passes(1_000)

    def next_step(self, index: int) -> None:
        client = self.clients[index]
        if client.join is not None or client.sync is not None:
            return
        if client.generation < 0 or client.must_rejoin:
            self.join(index, version=9, metadata=b"a")
        elif not client.synced:
            self.sync(index)
        else:
            self.heartbeat(index)

    # What the world does.

    @rule(milliseconds=st.sampled_from([10, 500, 3_000, 9_000]))
    def time_passes(self, milliseconds: int) -> None:
        self.virtual.advance(milliseconds)
        self.hear()

    @rule(chosen=st.sets(CLIENTS), steps=st.integers(1, 8))
    def time_passes_while_some_are_alive(self, chosen: set[int], steps: int) -> None:
        for _ in range(steps):
            for index in chosen:
                self.heartbeat(index)
            self.time_passes(3_000)

    @precondition(lambda self: any(one.leads and not one.synced for one in getattr(self, "clients", ())))
    @rule(steps=st.sampled_from([2, 8]))
    def leader_takes_its_time(self, steps: int) -> None:
        """It is alive, the others wait for what it will assign."""
        leaders = {index for index, one in enumerate(self.clients) if one.leads and not one.synced}
        for index in set(range(len(self.clients))) - leaders:
            if self.clients[index].sync is None and not self.clients[index].synced:
                self.sync(index)
        self.time_passes_while_some_are_alive(leaders, steps)

    @rule()
    def log_lags(self) -> None:
        self.virtual.log_lags()

    @precondition(lambda self: hasattr(self, "virtual") and self.virtual.is_lagging)
    @rule()
    def log_commits(self) -> None:
        self.virtual.log_commits()
        self.hear()

    @rule(chosen=st.sets(CLIENTS), rounds=st.integers(0, 4))
    def append_fails(self, chosen: set[int], rounds: int) -> None:
        """After some have gone on, committed and read while nothing was committed in the log."""
        COUNTS["failed appends"] += 1
        self.log_lags()
        self.go_on(chosen, rounds)
        self.work(chosen)
        self.virtual.log_fails()
        self.start_over()

    @precondition(lambda self: hasattr(self, "virtual") and self.virtual.log)
    @rule()
    def reload(self) -> None:
        COUNTS["reloads"] += 1
        self.virtual.log_commits()
        self.hear()
        before = state(self.virtual)
        self.virtual.reload()
        COUNTS["replay: states looked at"] += before[-1] is not None
        after = state(self.virtual)
        # A rebalance that was under way is not stored, nor who joined in it; the group is what its last generation left.
        assert after[:2] == before[:2], f"replay: {after} is not {before}"
        assert before[-1] in (None, after[-1]), f"replay: {after[-1]} is not {before[-1]}"
        self.start_over()

    def start_over(self) -> None:
        """The shard was loaded again: who was parked is refused, and who was in a stored generation still is."""
        self.asked.clear()
        self.virtual.answers.clear()
        self.stale.clear()
        # A generation may begin once more with the same members: what was to be said in the first one is told apart by nobody.
        self.late.clear()
        stored = max(self.owners, default=-1)
        self.newest = stored
        for generation in [one for one in self.told if one > stored]:
            # These generations may begin once more; nobody was given anything in them.
            del self.told[generation]
            self.leaders.pop(generation, None)
        self.begun_ms = {one: at for one, at in self.begun_ms.items() if one <= stored}
        now = self.virtual.now_ms
        for client in self.clients:
            alive = self.must_be_known(client)
            client.join = client.sync = None
            if client.generation < 0:
                client.forget()
            elif alive and client.generation == stored and client.synced and not client.must_rejoin:
                client.heard_ms = client.steady_ms = now
                COUNTS["uncommitted: members looked at"] += 1
                token = self.virtual.beat(client.member_id, stored, group_instance_id=client.instance)
                code = self.virtual.answers.pop(token).error_code
                assert code in (0, REBALANCE), f"uncommitted: {client.identity} was told of its generation, now {code}"
                client.must_rejoin = code != 0
            else:
                client.heard_ms = None
        offset = self.virtual.fetch()[0]
        COUNTS["uncommitted: offsets looked at"] += 1
        assert offset >= self.sure_offset, f"uncommitted: {self.sure_offset} was answered, now {offset}"

    # What must always hold.

    @invariant()
    def parked_requests_are_answered_in_time(self) -> None:
        for token, asked in getattr(self, "asked", {}).items():
            if token not in self.virtual.decided_ms:
                COUNTS["progress: parked requests looked at"] += 1
                waited = self.virtual.now_ms - asked.sent_ms
                assert waited <= PARKED_MS, f"progress: a {asked.kind} has waited for {waited} ms"

    def teardown(self) -> None:
        """When everybody behaves, the group settles: all are in one generation, nobody else is, every partition is read."""
        if not getattr(self, "clients", None):
            return
        self.virtual.log_commits()
        self.hear()
        self.settle(self.clients)
        # One dies without a word; the others take over.
        self.clients.pop()
        self.settle(self.clients)

    def settle(self, clients: list[Client]) -> None:
        for _ in range(SETTLE_S):
            for _ in range(3):
                for index in range(len(clients)):
                    self.next_step(index)
            if self.is_settled(clients):
                COUNTS["progress: settled"] += 1
                return
            self.time_passes(1_000)
            self.parked_requests_are_answered_in_time()
        raise AssertionError(f"progress: not settled in {SETTLE_S} s: {clients}")

    def is_settled(self, clients: list[Client]) -> bool:
        generations = {client.generation for client in clients}
        if len(generations) != 1 or not all(client.synced and not client.must_rejoin for client in clients):
            return False
        generation = generations.pop()
        owners = self.owners.get(generation, {})
        everybody = {self.root(client.member_id) for client in clients}
        return len(owners) == PARTITIONS and everybody == set(map(self.root, self.told.get(generation, ())))
