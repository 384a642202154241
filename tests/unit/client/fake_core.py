"""Stands in for `ClientCore` and `FetchCore`: a scripted cluster in virtual time."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from barnabas.protocol import codec, shims

if TYPE_CHECKING:
    from collections.abc import Callable

NEWEST = 32_767


class Clock:
    """Seconds that pass only when somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class FakeClientCore:
    """Answers submissions by `handlers`: API key to a function from the request to a response, an error code, or None.

    A response is encoded and decoded at the newest version, as a broker's would be. None leaves the request unanswered.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.handlers: dict[int, Callable] = {}
        self.submitted: list[tuple] = []
        self.cancelled: list[int] = []
        self.invalidated: list[tuple[int, str]] = []
        self.wanted: list[str] | None = []
        self.refreshes = 0
        self.view: tuple = ("cluster", 0, [(0, "h", 9092, None)], [])
        self.queue: deque[tuple] = deque()
        self.waits: list[float | None] = []

    def submit(self, target, api_key, variants, timeout_ms, retry) -> int:
        token = len(self.submitted) + 1
        least, greatest, message = variants[-1]
        self.submitted.append((target, message, timeout_ms, retry))
        version = min(greatest, type(message).VERSIONS[1])
        assert least <= version
        answer = self.handlers[api_key](message) if api_key in self.handlers else None
        if isinstance(answer, tuple):
            self.queue.append((2, token, *answer))
        elif answer is not None:
            body = codec.encode(shims.lower(answer, version, message), version)
            self.queue.append((1, token, version, body, 0))
        return token

    def cancel(self, token: int) -> None:
        self.cancelled.append(token)

    def failure(self) -> str | None:
        return None

    def invalidate_coordinator(self, key_type: int, key: str) -> None:
        self.invalidated.append((key_type, key))

    def events(self, timeout: float | None) -> list[tuple]:
        self.waits.append(timeout)
        events = list(self.queue)
        self.queue.clear()
        if not events and timeout is not None:
            self.clock.now += timeout
        assert events or timeout is not None, "would wait for ever"
        return events

    def want_topics(self, topics: list[str] | None) -> None:
        self.wanted = topics

    def refresh_metadata(self, timeout: float) -> bool:
        self.refreshes += 1
        return True

    def cluster(self) -> tuple:
        return self.view


class FakeFetchCore:
    """Remembers what the fetcher was told."""

    def __init__(self) -> None:
        self.assigned: list[tuple] = []
        self.assignments = 0
        self.at: dict[tuple[str, int], int] = {}
        self.paused: list[tuple[str, int]] = []
        self.heartbeats: list[tuple] = []

    def assign(self, partitions: list[tuple]) -> None:
        self.assignments += 1
        self.assigned = partitions
        self.at = {
            (topic, number): offset if offset >= 0 else self.at.get((topic, number), -1)
            for topic, number, offset, _ in partitions
        }

    def position(self, topic: str, partition: int) -> int | None:
        return self.at.get((topic, partition))

    def positions(self) -> list[tuple]:
        return [(topic, partition, offset, -1) for (topic, partition), offset in self.at.items()]

    def pause(self, partitions: list[tuple[str, int]]) -> None:
        self.paused += partitions

    def resume(self, partitions: list[tuple[str, int]]) -> None:
        self.paused = [each for each in self.paused if each not in partitions]

    def start_heartbeat(self, *arguments: object) -> None:
        self.heartbeats.append(arguments)

    def stop_heartbeat(self) -> None:
        self.heartbeats.append(())
