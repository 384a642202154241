"""Finds the topics that a pattern subscription is about, again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas import errors
from barnabas.client.operations.metadata import read_cluster

if TYPE_CHECKING:
    from barnabas.client.cluster import Cluster
    from barnabas.client.driver import Driver, Task
    from barnabas.client.subscription import SubscriptionState

__all__ = ["TopicSearch"]


class TopicSearch:
    """Asks for all topics every `max_age` seconds, while there is a pattern. Times are those of the driver's clock."""

    def __init__(
        self, state: SubscriptionState, driver: Driver, *, exclude_internal: bool, max_age: float, backoff: float
    ) -> None:
        self._state = state
        self._driver = driver
        self._exclude_internal = exclude_internal
        self._max_age = max_age
        self._backoff = backoff
        self._task: Task[Cluster] | None = None
        self._due = 0.0
        self._found: tuple[str, ...] | None = None
        self._error: errors.KafkaError | None = None

    def restart(self) -> None:
        """Looks at once: there is a new pattern, or none any more."""
        if self._task is not None:
            self._driver.drop(self._task)
            self._task = None
        self._found = None
        self._error = None
        self._due = 0.0

    @property
    def deadline(self) -> float | None:
        """When `advance` has something to do by itself."""
        return None if self._state.pattern is None or self._task is not None else self._due

    def advance(self) -> tuple[str, ...] | None:
        """Starts looking when that is due; returns the topics when others match than before.

        Raises:
            KafkaError: The topics could not be read, for a reason that does not pass.
        """
        if self._state.pattern is None:
            return None
        if self._task is None and self._driver.now() >= self._due:
            self._due = self._driver.now() + self._max_age
            task = self._driver.start("looking for topics", read_cluster(None), None, self._done)
            self._task = None if task.done else task
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        found, self._found = self._found, None
        return found

    def _done(self, task: Task[Cluster]) -> None:
        self._task = None
        pattern = self._state.pattern
        if pattern is None:
            return
        if task.error is not None:
            self._due = self._driver.now() + self._backoff
            if not (isinstance(task.error, errors.KafkaError) and task.error.retriable):
                self._error = errors.KafkaError(
                    f"the topics that match {pattern.pattern!r} cannot be read: {task.error}"
                )
            return
        self._found = tuple(
            sorted(
                name
                for name, listing in task.value().topics.items()
                if pattern.fullmatch(name) and not (self._exclude_internal and listing.is_internal)
            )
        )
