"""What a consumer can be told and asked without waiting: the same for the blocking and the asyncio one."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from barnabas import errors
from barnabas.client.arguments import checked_partition, checked_partitions, checked_topic
from barnabas.client.reader import Reader
from barnabas.client.subscription import Phase, RebalanceListener, Reset
from barnabas.types import OffsetAndMetadata, SubscriptionPattern, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.client.driver import Task
    from barnabas.types import ConsumerGroupMetadata

__all__ = ["CLOSE_TIMEOUT", "ITERATION_WAIT", "ConsumerFace", "check_topics"]

_log = logging.getLogger("barnabas.consumer")

ITERATION_WAIT: Final = 10.0
"""How long an iteration waits in one poll, in seconds."""
CLOSE_TIMEOUT: Final = 30.0
_LISTENER: Final = ("on_partitions_assigned", "on_partitions_revoked")


def check_topics(consumer: str, topics: Iterable[object]) -> None:
    """Refuses what is often taken for a consumer's first argument.

    Raises:
        TypeError: It is no name of a topic.
    """
    for topic in topics:
        if isinstance(topic, Mapping):
            raise TypeError(f"{consumer}'s arguments without a keyword are topics: write {consumer}(config={{...}})")
        if not isinstance(topic, str):
            raise TypeError(
                f"{consumer}'s arguments without a keyword are names of topics, got {topic!r}: write "
                f"{consumer}('orders', 'payments'), and subscribe() to patterns"
            )


def _check_pattern(pattern: object) -> None:
    if not isinstance(pattern, str):
        raise TypeError(f"a pattern for topics is a string, got {pattern!r}")
    if not pattern:
        raise ValueError("a pattern for topics must not be empty, as no topic's name is")


class ConsumerFace(Reader):
    """Subscription, assignment, positions; `Consumer` and `AsyncConsumer` add what waits."""

    # What to read

    def subscribe(
        self,
        topics: Iterable[str] | re.Pattern[str] | SubscriptionPattern,
        listener: RebalanceListener | None = None,
    ) -> None:
        """Reads topics as a member of the group `group_id`; replaces an earlier subscription.

        Partitions are assigned by later calls of `poll`.

        Args:
            topics: Names of topics, or a compiled pattern for whole names. Which topics match it is looked up every
                `metadata_max_age_ms`; internal ones do not count unless `exclude_internal_topics` is off. With
                `group_protocol="consumer"` a `SubscriptionPattern` lets the coordinator look. An empty list is the same
                as `unsubscribe`.
            listener: Told when partitions come and go.

        Raises:
            IllegalStateError: Partitions were assigned by hand, there is no `group_id`, or a `SubscriptionPattern` is
                given to a group of the classic protocol.
            TypeError: `topics` is a string or has something else, or `listener` lacks a method.
            ValueError: A name or pattern is empty.

        Example:
            >>> consumer.unsubscribe()
            >>> consumer.subscribe(["orders", "payments"])
        """
        if isinstance(topics, str | bytes):
            raise TypeError(f"subscribe() takes a list of topics: write subscribe([{topics!r}])")
        if not isinstance(topics, Iterable | re.Pattern):
            raise TypeError(f"subscribe() takes a list of topics, or a compiled pattern, got {topics!r}")
        missing = [name for name in _LISTENER if not callable(getattr(listener, name, None))]
        if listener is not None and missing:
            raise TypeError(f"{listener!r} is no rebalance listener: it has no {missing[0]}()")
        if isinstance(topics, re.Pattern | SubscriptionPattern):
            _check_pattern(topics.pattern)
        if isinstance(topics, re.Pattern):
            with self._alone:
                group = self._require_membership()
                self._state.subscribe_pattern(topics, listener)
                group.subscribe_pattern()
            return
        if isinstance(topics, SubscriptionPattern):
            with self._alone:
                group = self._require_membership()
                group.check_server_pattern()
                self._state.subscribe_server_pattern(topics.pattern, listener)
                group.subscribe_server_pattern(topics.pattern)
            return
        names = [checked_topic(name) for name in topics]
        with self._alone:
            if not names:
                self._choose_nothing()
                return
            group = self._require_membership()
            self._state.subscribe(names, listener)
            group.subscribe(names)

    def assign(self, partitions: Iterable[TopicPartition | tuple[str, int]]) -> None:
        """Reads exactly these partitions, without a group's rebalancing; replaces an earlier assignment.

        Partitions that were assigned before keep their positions.

        Args:
            partitions: The partitions. An empty list is the same as `unsubscribe`.

        Raises:
            IllegalStateError: Topics were subscribed to.
            TypeError: Something is no topic with a number.
            ValueError: A number is negative.

        Example:
            >>> consumer.assign([TopicPartition("orders", 0)])
        """
        wanted = checked_partitions(partitions)
        with self._alone:
            if not wanted:
                self._choose_nothing()
                return
            self._drop_chunk()
            self._state.assign(wanted)
            self._core.want_topics(sorted({partition.topic for partition in wanted}))

    def subscription(self) -> frozenset[str]:
        """The topics subscribed to; with a `SubscriptionPattern`, those that partitions are assigned of.

        Example:
            >>> consumer.subscribe(["orders"])
            >>> consumer.subscription()
            frozenset({'orders'})
        """
        with self._alone:
            if self._state.server_pattern is not None:
                return frozenset(partition.topic for partition in self._state.partitions)
            return frozenset(self._state.topics)

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are being read.

        Example:
            >>> consumer.assignment()
            frozenset({TopicPartition(topic='orders', partition=0)})
        """
        with self._alone:
            return frozenset(self._state.partitions)

    def _choose_nothing(self) -> None:
        """Empty lists of topics and partitions mean the same as `unsubscribe`."""
        raise NotImplementedError

    # Where to read

    def seek(self, partition: TopicPartition | tuple[str, int], offset: int | OffsetAndMetadata) -> None:
        """Goes on reading a partition at an offset; with a leader epoch it is noticed if the log was cut before it.

        Raises:
            IllegalStateError: The partition is not assigned.
            TypeError: The offset is no whole number.
            ValueError: The offset is negative, or greater than any can be.

        Example:
            >>> consumer.seek(TopicPartition("orders", 0), 1)
        """
        wanted = checked_partition(partition)
        with self._alone:
            self._drop_chunk()
            self._state.seek(wanted, offset)

    def seek_to_beginning(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None) -> None:
        """Goes on reading partitions (by default all that are assigned) at the first record they have.

        Raises:
            IllegalStateError: A partition is not assigned.

        Example:
            >>> consumer.seek_to_beginning()
        """
        self._seek_by_rule(partitions, Reset.EARLIEST)

    def seek_to_end(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None) -> None:
        """Goes on reading partitions (by default all that are assigned) at their ends.

        Raises:
            IllegalStateError: A partition is not assigned.

        Example:
            >>> consumer.seek_to_end()
        """
        self._seek_by_rule(partitions, Reset.LATEST)

    def pause(self, partitions: Iterable[TopicPartition | tuple[str, int]]) -> None:
        """Stops giving out records of partitions, without leaving the group; what was fetched is kept.

        Raises:
            IllegalStateError: A partition is not assigned.

        Example:
            >>> consumer.pause([TopicPartition("orders", 0)])
        """
        self._set_paused(partitions, paused=True)

    def resume(self, partitions: Iterable[TopicPartition | tuple[str, int]]) -> None:
        """Gives out records of paused partitions again.

        Raises:
            IllegalStateError: A partition is not assigned.

        Example:
            >>> consumer.resume([TopicPartition("orders", 0)])
        """
        self._set_paused(partitions, paused=False)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused.

        Example:
            >>> consumer.paused()
            frozenset()
        """
        with self._alone:
            return frozenset(partition for partition, state in self._state.partitions.items() if state.paused)

    # Commits, and what is known

    def commit_async(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None = None,
        callback: Callable[[Mapping[TopicPartition, OffsetAndMetadata], errors.KafkaError | None], None] | None = None,
    ) -> None:
        """Commits offsets without waiting; tried once, because a later commit may have overtaken it.

        Args:
            offsets: As with `commit`.
            callback: Called with the offsets and an error or None, by a later `poll`, `commit` or `close`.

        Raises:
            IllegalStateError: There is no `group_id`.
            TypeError: Offsets or callback are none.
            ValueError: An offset is negative, or greater than any can be.

        Example:
            >>> consumer.commit_async(callback=lambda offsets, error: print(offsets, error))
        """
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is called with offsets and an error or None, got {callback!r}")
        with self._alone:
            group = self._require_group("commit_async")
            wanted = self._to_commit(offsets)

            def done(task: Task[None]) -> None:
                self._pending_commits -= 1
                error = task.error if isinstance(task.error, errors.KafkaError) else None
                if callback is not None:
                    self._callbacks.append(lambda: callback(wanted, error))
                elif error is not None:
                    _log.warning("commit failed: %s", error)

            timeout = self._options.seconds("default.api.timeout.ms")
            self._pending_commits += 1
            self._driver.start("commit", group.commit(wanted, retry=False), timeout, done)

    def lag(self, partition: TopicPartition | tuple[str, int]) -> int | None:
        """How many offsets the position is behind the end, by the last fetch; None before there was one.

        Raises:
            IllegalStateError: The partition is not assigned.

        Example:
            >>> consumer.lag(TopicPartition("orders", 0))  # doctest: +SKIP
            0
        """
        wanted = checked_partition(partition)
        with self._alone:
            state = self._state.state_of(wanted)
            if state.phase is not Phase.FETCHING:
                return None
            end = self._fetch.high_watermarks().get((wanted.topic, wanted.partition))
            unread = self._chunk.unread() if self._chunk is not None else {}
            position = unread.get(wanted, self._positions.position(wanted))
            return None if end is None or end < 0 or position is None else max(0, end - position)

    def group_metadata(self) -> ConsumerGroupMetadata:
        """Who this consumer is in its group, by what the coordinator has answered so far.

        What was true in a group that it is no member of any more stays until it is a member again: whoever commits with
        that is refused.

        Raises:
            IllegalStateError: There is no `group_id`.

        Example:
            >>> consumer.group_metadata()
            ConsumerGroupMetadata(group_id='billing', generation_id=-1, member_id='', group_instance_id=None)
        """
        with self._alone:
            group = self._require_group("group_metadata", "to have a group")
            self._driver.turn(0.0)
            return group.metadata

    def enforce_rebalance(self, reason: str | None = None) -> None:
        """Lets this member join its group again at the next `poll`, so that the group divides its partitions anew.

        For assignors of one's own, which may come to another result than before. While the group rebalances it does
        nothing; nor in a group of the consumer protocol, where the coordinator divides: there it says so in the log.

        Args:
            reason: What the coordinator is told; "rebalance enforced by user" by default.

        Raises:
            IllegalStateError: There is no `group_id`.
            TypeError: The reason is no string.

        Example:
            >>> consumer.enforce_rebalance("the weights have changed")
        """
        if not isinstance(reason, str | None):
            raise TypeError(f"reason is a string, got {reason!r}")
        with self._alone:
            group = self._require_group("enforce_rebalance", "to have a group that rebalances")
            group.enforce_rebalance(reason or "rebalance enforced by user")

    def metrics(self) -> dict[str, int | float]:
        """A snapshot of counters.

        Example:
            >>> metrics = consumer.metrics()
        """
        self._life.check()
        return {**self._core.metrics(), **self._fetch.metrics()}

    def _wake(self) -> None:
        self._is_woken = True
        self._core.wake()

    def __repr__(self) -> str:
        group = self._options["group.id"]
        return f"<Consumer group_id={group!r} {'closed' if self._life.closed else self._state.mode.value}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Consumer cannot be pickled: pass its options and make a new one")
