"""The admin client: topics, groups, the cluster."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

from barnabas.client.arguments import checked_timeout
from barnabas.client.bootstrap import core_options
from barnabas.client.core import ClientCore, Life
from barnabas.client.driver import Driver
from barnabas.client.operations import administration, log_sizes, offsets
from barnabas.client.operations.api import Backoff
from barnabas.client.options import ADMIN
from barnabas.types import NewTopic, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType
    from typing import Self

    from barnabas.client.operations.api import Operation
    from barnabas.types import (
        ClusterDescription,
        GroupDescription,
        GroupListing,
        OffsetAndMetadata,
        OffsetAndTimestamp,
        TopicListing,
    )

__all__ = ["Admin"]

T = TypeVar("T")


def _new_topics(topics: Any) -> list[NewTopic]:
    """The topics as a list; what users give in its place is refused with what to write."""
    given: list[Any] = [topics] if isinstance(topics, str | NewTopic) else list(topics)
    if given and (given[0] is topics or not all(isinstance(one, NewTopic) for one in given)):
        name = next((one for one in given if isinstance(one, str)), getattr(given[0], "name", "orders"))
        raise TypeError(f"create_topics() takes a list of NewTopic: write create_topics([NewTopic({name!r})])")
    return given


class Admin:
    """Manages topics and looks at groups and at the cluster. May be shared between threads; their calls take turns.

    Args:
        config: Options by Kafka's dotted names.
        **options: Options by keyword, such as `bootstrap_servers`.

    Raises:
        ConfigError: An option is unknown or invalid.

    Example:
        >>> with Broker() as broker, Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        ...     admin.create_topics([NewTopic("orders", num_partitions=6)])
        ...     print(len(admin.list_topics()["orders"].partitions))
        6
    """

    EARLIEST = offsets.EARLIEST
    """Asks `list_offsets` for the first offset of a partition."""
    LATEST = offsets.LATEST
    """Asks `list_offsets` for the end of a partition."""
    MAX_TIMESTAMP = offsets.MAX_TIMESTAMP
    """Asks `list_offsets` for the record with the greatest timestamp."""

    def __init__(self, config: Mapping[str, Any] | None = None, **options: Any) -> None:
        self._options = ADMIN.parse(config, options)
        self._life = Life("Admin", self._fork)
        self._core = ClientCore(core_options(self._options))
        self._driver = Driver(self._core)
        self._driving = threading.RLock()

    def create_topics(
        self, topics: Iterable[NewTopic], timeout: float | None = None, *, validate_only: bool = False
    ) -> None:
        """Creates topics.

        Args:
            topics: What to create.
            timeout: Seconds to wait; by default `default_api_timeout_ms`.
            validate_only: Only checks whether it would work.

        Raises:
            TopicAlreadyExistsError: There is such a topic.
            KafkaError: A topic could not be created; the first of several errors, the others as its notes. Topics
                without an error have been created.
            KafkaTimeoutError: No answer came in time.
            IllegalStateError: The admin is closed.
            TypeError: `topics` is no list of `NewTopic`.

        Example:
            >>> admin.create_topics([NewTopic("payments", num_partitions=6)])
        """
        wanted = _new_topics(topics)
        seconds = self._timeout(timeout)
        if wanted:
            operation = administration.create_topics(wanted, seconds, self._backoff(), validate_only=validate_only)
            self._run("create_topics", operation, seconds)

    def delete_topics(self, names: Iterable[str], timeout: float | None = None) -> None:
        """Deletes topics with all their records.

        Args:
            names: The topics.
            timeout: Seconds to wait; by default `default_api_timeout_ms`.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
            KafkaError: A topic could not be deleted; the first of several errors, the others as its notes.
            KafkaTimeoutError: No answer came in time.
            IllegalStateError: The admin is closed.
            TypeError: `names` is a string.

        Example:
            >>> admin.create_topics([NewTopic("mistake")])
            >>> admin.delete_topics(["mistake"])
        """
        if isinstance(names, str):
            raise TypeError(f"delete_topics() takes a list of topics: write delete_topics([{names!r}])")
        wanted = list(names)
        seconds = self._timeout(timeout)
        if wanted:
            self._run("delete_topics", administration.delete_topics(wanted, seconds, self._backoff()), seconds)

    def list_topics(self, timeout: float | None = None, *, include_internal: bool = False) -> dict[str, TopicListing]:
        """All topics with their partitions, by name.

        Raises:
            KafkaTimeoutError: No answer came in time.
            IllegalStateError: The admin is closed.

        Example:
            >>> "orders" in admin.list_topics()
            True
        """
        operation = administration.list_topics(include_internal=include_internal)
        return self._run("list_topics", operation, self._timeout(timeout))

    def describe_cluster(self, timeout: float | None = None) -> ClusterDescription:
        """The cluster's id, controller and brokers.

        Raises:
            KafkaTimeoutError: No answer came in time.
            IllegalStateError: The admin is closed.

        Example:
            >>> len(admin.describe_cluster().nodes)
            1
        """
        return self._run("describe_cluster", administration.describe_cluster(), self._timeout(timeout))

    def list_groups(self, timeout: float | None = None) -> list[GroupListing]:
        """The groups that the brokers coordinate.

        Raises:
            UnsupportedVersionError: The brokers cannot list groups.
            KafkaTimeoutError: No answer came in time.
            IllegalStateError: The admin is closed.

        Example:
            >>> [group.group_id for group in admin.list_groups()]  # doctest: +SKIP
            ['billing']
        """
        return self._run("list_groups", administration.list_groups(), self._timeout(timeout))

    def describe_groups(self, group_ids: Iterable[str], timeout: float | None = None) -> dict[str, GroupDescription]:
        """Groups with their members and what those were assigned; a group without members is `Dead`.

        Raises:
            UnsupportedVersionError: The brokers cannot describe groups.
            KafkaTimeoutError: No answer came in time.
            IllegalStateError: The admin is closed.

        Example:
            >>> admin.describe_groups(["billing"])["billing"].state  # doctest: +SKIP
            'Stable'
        """
        operation = administration.describe_groups(list(group_ids), self._backoff())
        return self._run("describe_groups", operation, self._timeout(timeout))

    def list_consumer_group_offsets(
        self, group_id: str, timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """What a group has committed.

        Raises:
            KafkaTimeoutError: No answer came in time.
            KafkaError: The coordinator refused.
            IllegalStateError: The admin is closed.

        Example:
            >>> admin.list_consumer_group_offsets("billing")[TopicPartition("orders", 0)].offset
            42
        """
        operation = offsets.fetch_committed(group_id, None, self._backoff())
        found = self._run("list_consumer_group_offsets", operation, self._timeout(timeout))
        return {partition: offset for partition, offset in found.items() if offset is not None}

    def list_offsets(
        self, wanted: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Offsets by partition: `Admin.EARLIEST`, `LATEST`, `MAX_TIMESTAMP`, or the first at or after a time in ms.

        Raises:
            KafkaTimeoutError: A leader did not answer in time, or there is no such partition.
            KafkaError: A leader refused.
            IllegalStateError: The admin is closed.

        Example:
            >>> admin.list_offsets({TopicPartition("orders", 0): Admin.EARLIEST})[TopicPartition("orders", 0)].offset
            0
        """
        partitions = {TopicPartition(*partition): timestamp for partition, timestamp in wanted.items()}
        return self._run("list_offsets", offsets.list_offsets(partitions, self._backoff()), self._timeout(timeout))

    def partition_sizes(
        self, partitions: Iterable[TopicPartition], timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """Bytes of partitions' logs on their leaders, as records are stored there: compressed, and with batch headers.

        Args:
            partitions: The partitions; those without a leader are left out of the answer.
            timeout: Seconds to wait; by default `default_api_timeout_ms`.

        Raises:
            ClusterAuthorizationFailedError: The cluster may not be described.
            KafkaTimeoutError: A leader did not answer in time.
            KafkaError: A leader refused.
            IllegalStateError: The admin is closed.

        Example:
            >>> admin.partition_sizes([TopicPartition("orders", 0)])
            {TopicPartition(topic='orders', partition=0): 90}
        """
        return self._run("partition_sizes", log_sizes.partition_sizes(partitions), self._timeout(timeout))

    def metrics(self) -> dict[str, int | float]:
        """A snapshot of counters.

        Raises:
            IllegalStateError: The admin is closed.

        Example:
            >>> metrics = admin.metrics()
        """
        self._life.check()
        return dict(self._core.metrics())

    def close(self, timeout: float = 5.0) -> None:
        """Closes the connections.

        Args:
            timeout: The most seconds that this takes.

        Raises:
            ValueError: The timeout is negative.

        Example:
            >>> with Admin(bootstrap_servers=broker.bootstrap_servers) as other:
            ...     topics = other.list_topics()
        """
        checked_timeout(timeout)
        if self._life.close():
            self._core.close(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Admin {', '.join(self._options['bootstrap.servers'])}{' closed' if self._life.closed else ''}>"

    def __reduce__(self) -> Any:
        raise TypeError("an Admin cannot be pickled: pass its options and make a new one")

    def _run(self, name: str, operation: Operation[T], seconds: float) -> T:
        self._life.check()
        with self._driving:
            return self._driver.run(name, operation, seconds)

    def _timeout(self, given: float | None) -> float:
        return self._options.seconds("default.api.timeout.ms") if given is None else checked_timeout(given)

    def _backoff(self) -> Backoff:
        return Backoff(self._options.seconds("retry.backoff.ms"), self._options.seconds("retry.backoff.max.ms"))

    def _fork(self) -> None:
        self._core.abandon()
