"""Carries out what a `Membership` wants: requests, heartbeats, giving up and taking partitions, commits."""

from __future__ import annotations

import inspect
import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

from barnabas import errors
from barnabas.client import cluster
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
from barnabas.client.membership import Membership
from barnabas.client.operations import offsets
from barnabas.client.operations.api import Backoff, Operation, Submit, coordinator
from barnabas.client.operations.metadata import check_topics, read_cluster, read_cluster_by_id
from barnabas.client.subscription import Mode
from barnabas.protocol import codec, shims
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse
from barnabas.protocol.messages.leave_group import LeaveGroupRequest
from barnabas.types import ConsumerGroupMetadata

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from barnabas.client.consumer_membership import ConsumerMembership
    from barnabas.client.core import ClientCore, FetchCore
    from barnabas.client.driver import Driver, Task
    from barnabas.client.effects import Effect
    from barnabas.client.positions import Positions
    from barnabas.client.subscription import SubscriptionState
    from barnabas.client.topic_search import TopicSearch
    from barnabas.types import OffsetAndMetadata, TopicListing, TopicPartition

__all__ = ["Group"]

_log = logging.getLogger("barnabas.consumer")


class Listening(Protocol):
    """A listener's coroutine under way."""

    def done(self) -> bool:
        """Whether it has ended."""

    def result(self) -> object:
        """Raises what it raised."""


class Group:
    """A consumer's part in its group. Everything happens inside `advance`, on the thread that polls."""

    def __init__(
        self,
        membership: Membership | ConsumerMembership,
        *,
        core: ClientCore,
        fetch: FetchCore,
        driver: Driver,
        state: SubscriptionState,
        positions: Positions,
        max_poll_interval: float,
        backoff: tuple[float, float],
        allow_create: bool,
        auto_commit: bool,
    ) -> None:
        self.membership = membership
        self.on_adopted: Callable[[], None] = lambda: None
        self.on_committed: Callable[[Mapping[TopicPartition, OffsetAndMetadata]], None] = lambda _: None
        self.listen: Callable[[Awaitable[object]], Listening] | None = None
        """Runs a coroutine of the listener; None where listeners cannot be coroutines."""
        self.topic_search: TopicSearch | None = None
        self._settings = membership.settings
        self._core = core
        self._fetch = fetch
        self._driver = driver
        self._state = state
        self._positions = positions
        self._max_poll_interval = max_poll_interval
        self._backoff = backoff
        self._allow_create = allow_create
        self._auto_commit = auto_commit
        self._effects: deque[Effect] = deque()
        self._tokens: dict[int, int] = {}
        self._releasing: tuple[Task[None] | None, Release] | None = None
        self._looking: Task[cluster.Cluster] | None = None
        self._looks_again = False
        self._refusals = Backoff(*backoff)
        self._failures: list[errors.KafkaError] = []
        self._known: dict[str, TopicListing] = {}
        self._leave_done = True
        self._listening: tuple[Listening, Callable[[], None]] | None = None

    # Driving

    def subscribe(self, topics: Iterable[str]) -> None:
        """Wants topics; the next `advance` joins."""
        self.membership.subscribe(topics)
        self._core.want_topics(sorted(self.membership.group_topics))

    def subscribe_pattern(self) -> None:
        """Wants the topics that match a pattern; the next `advance` looks for them."""
        if self.topic_search is not None:
            self.topic_search.restart()

    def check_server_pattern(self) -> None:
        """Refuses patterns for the coordinator where there is none that knows them.

        Raises:
            IllegalStateError: The group has the classic protocol.
        """
        if isinstance(self.membership, Membership):
            raise errors.IllegalStateError(
                "a SubscriptionPattern is evaluated by the coordinator of a group_protocol='consumer' group; "
                "use re.compile() with the classic protocol"
            )

    def subscribe_server_pattern(self, pattern: str) -> None:
        """Wants the topics that the coordinator finds to match; the next `advance` joins."""
        if not isinstance(self.membership, Membership):
            self.membership.subscribe((), pattern)
            self._core.want_topics(sorted(self.membership.group_topics))

    def advance(self) -> None:
        """Carries out everything that can be done without waiting.

        Raises:
            KafkaError: The group refused us, or a rebalance listener failed.
        """
        topics = None if self.topic_search is None else self.topic_search.advance()
        if topics is not None:
            self._state.topics = topics
            self.subscribe(topics)
        while self._heard():
            self._finish_release()
            if self._listening is not None:
                break
            self.membership.poll(self._driver.now())
            if not self._carry_out_all():
                break
        if self._failures:
            raise self._failures.pop(0)

    @property
    def releasing(self) -> bool:
        """Whether partitions are being given up, or the listener is being told, so that nothing may be fetched."""
        return self._releasing is not None or self._listening is not None

    @property
    def is_told(self) -> bool:
        """Whether no coroutine of the listener is under way."""
        return self._listening is None or self._listening[0].done()

    @property
    def has_left(self) -> bool:
        """Whether the answer to LeaveGroup has come, or none is waited for."""
        return self._leave_done

    @property
    def deadline(self) -> float | None:
        """When `advance` has something to do by itself."""
        search = None if self.topic_search is None else self.topic_search.deadline
        member = self.membership.deadline
        return member if search is None else search if member is None else min(member, search)

    def handle(self, event: tuple[Any, ...]) -> None:
        """Takes an event of the client core that is about the group."""
        match event:
            case (3, _, error_code, version, body):
                self._heartbeat_answered(error_code, version, body)
            case (4, *_):
                _log.warning(
                    "group %s: poll() was not called for max.poll.interval.ms, so this member has left its group; "
                    "raise the interval or do less between polls",
                    self._settings.group_id,
                )
                self.membership.poll_deadline_passed()
            case (6, *_):
                self._metadata_changed()
            case _:
                pass

    def _heartbeat_answered(self, error_code: int, version: int, body: bytes) -> None:
        if isinstance(self.membership, Membership):
            self.membership.heartbeat_answered(error_code)
            return
        try:
            response = codec.decode(ConsumerGroupHeartbeatResponse, version, memoryview(body))
        except errors.ProtocolError as error:
            self._failures.append(error)
            return
        self.membership.heartbeat_answered(response, self._driver.now())

    # Commits

    def commit(self, wanted: Mapping[TopicPartition, OffsetAndMetadata], *, retry: bool = True) -> Operation[None]:
        """Commits as a member, where partitions come from the group, and as nobody in particular otherwise.

        Raises:
            KafkaError: The commit was refused.
        """
        generation = self._commit_generation()
        try:
            yield from offsets.commit(self._settings.group_id, generation, wanted, Backoff(*self._backoff), retry=retry)
        except errors.KafkaError as error:
            refused = self.membership.commit_refused(error, generation) if self._is_member else _refused_outsider(error)
            if refused is error:
                raise
            raise refused from error
        self.on_committed(wanted)

    @property
    def _is_member(self) -> bool:
        return self._state.mode is Mode.SUBSCRIBED

    def _commit_generation(self) -> Generation:
        if not self._is_member:
            return Generation()
        generation = self.membership.stable_generation
        if generation is not None:
            return generation
        if self.membership.rebalancing:
            raise errors.RebalanceInProgressError(
                "offsets cannot be committed while the group rebalances: call poll() until partitions are assigned"
            )
        raise errors.CommitFailedError(
            "offsets cannot be committed because this consumer is no member of its group at the moment; call poll() to "
            "join it"
        )

    # What its member is told and asked

    @property
    def metadata(self) -> ConsumerGroupMetadata:
        """Who the member is, for those who commit in its name."""
        last = self.membership.last_generation
        return ConsumerGroupMetadata(
            self._settings.group_id, last.generation_id, last.member_id, self._settings.group_instance_id
        )

    def enforce_rebalance(self, reason: str) -> None:
        """Joins again at the next `advance`, where it is the members who divide."""
        if isinstance(self.membership, Membership):
            self.membership.enforce_rejoin(reason)
        else:
            _log.warning(
                "group %s: enforce_rebalance() does nothing with group_protocol='consumer', where the coordinator "
                "decides when partitions move",
                self._settings.group_id,
            )

    # Leaving

    def leave(self, reason: str) -> None:
        """Gives up partitions and leaves, after the listener was told; does not wait for the answer.

        Raises:
            Exception: The rebalance listener failed.
        """

        def leave() -> None:
            if self._looking is not None:
                self._driver.drop(self._looking)
                self._looking = None
            if self.topic_search is not None:
                self.topic_search.restart()
            self._releasing = None
            self.membership.leave(reason)
            self.membership.released()
            self._carry_out_all()

        self._give_up(Release(lost=not self.membership.is_member), leave)

    def finish_listening(self) -> None:
        """Goes on after a coroutine of the listener that has ended.

        Raises:
            Exception: It failed.
        """
        self._heard()

    # Effects

    def _carry_out_all(self) -> bool:
        """Carries out what the membership wants; whether there was something. A listener's exception loses nothing."""
        self._effects.extend(self.membership.take())
        any_effects = bool(self._effects)
        while self._effects and self._listening is None:
            self._carry_out(self._effects.popleft())
        return any_effects

    def _carry_out(self, effect: Effect) -> None:  # noqa: C901 - one arm for each effect
        match effect:
            case Send():
                self._send(effect)
            case Cancel(serial=serial):
                token = self._tokens.pop(serial, None)
                if token is not None:
                    self._driver.cancel(token)
            case StartHeartbeat(heartbeat=heartbeat, leave=leave, interval=interval, full=full):
                self._fetch.start_heartbeat(
                    self._settings.group_id,
                    heartbeat.API_KEY,
                    shims.variants(heartbeat),
                    (self._settings.heartbeat_interval if interval is None else interval) * 1000,
                    self._max_poll_interval * 1000,
                    LeaveGroupRequest.API_KEY if leave is None else leave.API_KEY,
                    [] if leave is None else shims.variants(leave),
                    [] if full is None else shims.variants(full),
                )
            case StopHeartbeat():
                self._fetch.stop_heartbeat()
            case ForgetCoordinator():
                self._core.invalidate_coordinator(0, self._settings.group_id)
            case Release():
                self._start_release(effect)
            case Adopt(partitions=partitions):
                self._adopt(partitions)
            case NeedMetadata(topics=topics, ids=ids):
                self._look_up(topics, ids)
            case Fail(error=error):
                self._failures.append(error)

    def _send(self, send: Send) -> None:
        submit = Submit(coordinator(self._settings.group_id), send.message, versions=send.versions, retry=False)
        if send.kind is Sent.LEAVE:
            self._leave_done = False

        def reply(response: Any, error: errors.KafkaError | None) -> None:
            self._tokens.pop(send.serial, None)
            if send.kind is Sent.LEAVE:
                self._leave_done = True
            elif error is not None:
                self.membership.failed(send.serial, error, self._driver.now())
            else:
                self.membership.answered(send.serial, response, self._driver.now())

        self._tokens[send.serial] = self._driver.submit(submit, send.timeout, reply)

    def _start_release(self, release: Release) -> None:
        """Commits what was consumed, where offsets are committed by themselves; `_finish_release` does the rest."""
        consumed = self._positions.consumed() if self._auto_commit and not release.lost else {}
        # Nothing of what is given up is handed out once its offsets have been taken for the commit.
        self._positions.stop_fetching(release.keep)
        task = None
        if consumed:
            # Sent with the generation that we still have: the coordinator takes it until the new generation begins.
            operation = self._commit_before_release(consumed)
            timeout = min(self._settings.rebalance_timeout, self._settings.session_timeout)
            task = self._driver.start("committing before a rebalance", operation, timeout)
        self._releasing = (task, release)

    def _commit_before_release(self, consumed: Mapping[TopicPartition, OffsetAndMetadata]) -> Operation[None]:
        generation = self.membership.generation
        yield from offsets.commit(self._settings.group_id, generation, consumed, Backoff(*self._backoff))
        self.on_committed(consumed)

    def _finish_release(self) -> None:
        if self._releasing is None:
            return
        task, release = self._releasing
        if task is not None:
            if not task.done:
                return
            if task.error is not None:
                _log.warning("group %s: commit before a rebalance failed: %s", self._settings.group_id, task.error)
        self._releasing = None
        self.membership.released()
        self._give_up(release)

    def _give_up(self, release: Release, then: Callable[[], None] = lambda: None) -> None:
        partitions = [partition for partition in self._state.partitions if partition not in release.keep]

        def given_up() -> None:
            self._state.adopt([partition for partition in self._state.partitions if partition in release.keep])
            self._positions.release()
            then()

        if partitions:
            self._tell("on_partitions_lost" if release.lost else "on_partitions_revoked", partitions, given_up)
        else:
            given_up()

    def _tell(self, what: str, partitions: Sequence[TopicPartition], then: Callable[[], None]) -> None:
        """Tells the listener, then goes on with `then`, whatever the listener raises."""
        listener = self._state.listener
        try:
            if what == "on_partitions_lost" and not hasattr(listener, what):
                what = "on_partitions_revoked"
            outcome = None if listener is None else getattr(listener, what)(partitions)
        except BaseException:
            then()
            raise
        if not inspect.isawaitable(outcome):
            then()
        elif self.listen is None:
            then()
            if inspect.iscoroutine(outcome):
                outcome.close()
            raise TypeError(f"{what} of the listener is a coroutine function: use AsyncConsumer, or a plain function")
        else:
            self._listening = (self.listen(outcome), then)

    def _heard(self) -> bool:
        """Whether the listener has been told; goes on if it has just been."""
        if self._listening is None:
            return True
        listening, then = self._listening
        if not listening.done():
            return False
        self._listening = None
        then()
        listening.result()
        return self._listening is None

    def _adopt(self, partitions: tuple[TopicPartition, ...]) -> None:
        added = [partition for partition in partitions if partition not in self._state.partitions]
        _log.info("group %s: assigned %s", self._settings.group_id, [f"{t}-{p}" for t, p in partitions])
        self._core.want_topics(sorted(self.membership.group_topics))
        self._state.adopt(partitions)
        self.on_adopted()
        self._tell("on_partitions_assigned", added, lambda: None)

    # Metadata

    def _look_up(self, topics: frozenset[str], ids: frozenset[bytes]) -> None:
        self._core.want_topics(sorted(topics))

        def done(task: Task[cluster.Cluster]) -> None:
            self._looking = None
            if task.error is not None:
                self._failures.append(_as_kafka_error(task.error))
                return
            found = task.value().topics
            self._check_topics(task.value())
            if ids:
                self._tell_metadata(self._known | found)
            else:
                self._tell_metadata({topic: found[topic] for topic in topics if topic in found})

        operation = read_cluster_by_id(ids) if ids else read_cluster(topics, allow_create=self._allow_create)
        task = self._driver.start("reading the metadata of the group's topics", operation, None, done)
        self._looking = None if task.done else task

    def _metadata_changed(self) -> None:
        """Compares what the client core knows now; a topic it has not asked for yet keeps what we know."""
        if self._looking is not None:
            return
        view = cluster.from_view(self._core.cluster())
        self._check_topics(view)
        found: dict[str, TopicListing] = {}
        for topic in self.membership.group_topics:
            if topic in view.topics:
                found[topic] = view.topics[topic]
            elif topic in self._known and topic not in view.topic_errors:
                found[topic] = self._known[topic]
        self._tell_metadata(found)

    def _check_topics(self, view: cluster.Cluster) -> None:
        """Lets `poll` raise where a topic that is subscribed to is refused; it may be allowed later."""
        try:
            check_topics(view, self._state.topics)
        except errors.KafkaError as error:
            self._failures.append(error)
            if not self._looks_again:
                self._looks_again = True
                self._driver.call_at(self._driver.now() + self._refusals.wait().seconds, self._look_again)
        else:
            self._refusals = Backoff(*self._backoff)

    def _look_again(self) -> None:
        """Looks up topics of which some were refused: the client core asks again only when its view is old."""
        self._looks_again = False
        if self._looking is None and self._is_member and self._state.topics:
            self._look_up(self.membership.group_topics | frozenset(self._state.topics), frozenset())

    def _tell_metadata(self, known: dict[str, TopicListing]) -> None:
        self._known = known
        if isinstance(self.membership, Membership):
            self.membership.metadata_changed({topic: listing.partitions for topic, listing in known.items()})
        else:
            self.membership.metadata_changed(known)


def _refused_outsider(error: errors.KafkaError) -> errors.KafkaError:
    """What to raise for the commit of a consumer that was assigned its partitions by hand."""
    if error.code not in {Code.UNKNOWN_MEMBER_ID, Code.ILLEGAL_GENERATION}:
        return error
    return errors.CommitFailedError(
        "the commit was refused because the group has members that subscribe, and only they may commit: whoever uses "
        "assign() needs a group_id of their own"
    )


def _as_kafka_error(error: BaseException) -> errors.KafkaError:
    return error if isinstance(error, errors.KafkaError) else errors.KafkaError(str(error))
