"""Runs operations on one thread over `ClientCore`: submissions go out, events come in, generators go on.

Several operations can be under way at once (a commit while a group is joined), but everything happens on the thread
that calls `turn` or `run`. The driver holds no lock; who shares a client between threads guards it.
"""

from __future__ import annotations

import heapq
import itertools
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from barnabas import errors
from barnabas.client.operations.api import (
    ForgetCoordinator,
    Gather,
    Instruction,
    Operation,
    RefreshMetadata,
    Sleep,
    Submit,
)
from barnabas.protocol import codec, shims

if TYPE_CHECKING:
    from barnabas.client.core import ClientCore

__all__ = ["Driver", "Task"]

T = TypeVar("T")
Reply = Callable[[Any, errors.KafkaError | None], None]

RESPONSE: Final = 1
FAILED: Final = 2
JITTER: Final = 0.2
_CANCELLED_LIMIT: Final = 64
_FOREVER_MS: Final = 2.0**31
_LATER_S: Final = 1.0
"""So much longer than its task a submission lives: the task's timer ends both, and says so in the same words always."""


@dataclass(slots=True, order=True)
class Timer:
    """An action at a time; None when it has been done or cancelled."""

    when: float
    order: int
    action: Callable[[], None] | None = field(compare=False)


class Task(Generic[T]):
    """An operation under way. `done` turns true once, and `on_done` is called then."""

    __slots__ = ("deadline", "done", "error", "name", "on_done", "operation", "result", "timer", "tokens", "why")

    def __init__(
        self,
        name: str,
        operation: Operation[T],
        deadline: float | None,
        on_done: Callable[[Task[T]], None] | None,
    ) -> None:
        self.name = name
        self.operation = operation
        self.deadline = deadline
        self.on_done = on_done
        self.done = False
        self.result: T | None = None
        self.error: BaseException | None = None
        self.timer: Timer | None = None
        self.tokens: set[int] = set()
        self.why = ""
        """What it last waited for."""

    def value(self) -> T:
        """The result of a task that is done.

        Raises:
            KafkaError: The operation failed.
        """
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]


class Driver:
    """Carries out operations' instructions; see the module's description."""

    def __init__(
        self,
        core: ClientCore,
        on_event: Callable[[tuple[Any, ...]], None] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._core = core
        self._on_event = on_event
        self._clock = clock
        self._replies: dict[int, Reply] = {}
        self._timers: list[Timer] = []
        self._order = itertools.count()
        self._cancelled = 0

    def now(self) -> float:
        """The driver's clock, in seconds."""
        return self._clock()

    def run(self, name: str, operation: Operation[T], timeout: float, check: Callable[[], None] = lambda: None) -> T:
        """Runs an operation to its end; other operations under way go on meanwhile.

        Args:
            name: What is being done, for the message of a timeout.
            operation: The operation.
            timeout: Seconds until it is given up.
            check: Called before the operation begins and whenever it has to wait on; what it raises gives it up.

        Returns:
            The operation's result.

        Raises:
            KafkaTimeoutError: The time is over.
            KafkaError: The operation failed.
        """
        check()
        task = self.start(name, operation, timeout)
        try:
            while not task.done:
                self.turn(None)
                if not task.done:
                    check()
        finally:
            if not task.done:
                self.drop(task)
        return task.value()

    def start(
        self,
        name: str,
        operation: Operation[T],
        timeout: float | None,
        on_done: Callable[[Task[T]], None] | None = None,
    ) -> Task[T]:
        """Starts an operation that goes on whenever `turn` is called."""
        deadline = None if timeout is None else self._clock() + max(timeout, 0.0)
        task = Task(name, operation, deadline, on_done)
        if deadline is not None:
            task.timer = self.call_at(deadline, lambda: self._time_out(task))
        self._resume(task, None)
        return task

    def drop(self, task: Task[Any]) -> None:
        """Gives an operation up without a result."""
        task.done = True
        self._forget(task)
        task.operation.close()

    def submit(self, submit: Submit, timeout: float | None, reply: Reply) -> int:
        """Sends a request; `reply` is called with the response or an error by a later `turn`. Returns its token."""
        message = submit.message
        variants = shims.variants(message)
        if submit.versions is not None:
            low, high = submit.versions
            variants = [
                (max(least, low), min(greatest, high), variant)
                for least, greatest, variant in variants
                if least <= high and greatest >= low
            ]
        milliseconds = _FOREVER_MS if timeout is None else max(timeout, 0.001) * 1000
        token = self._core.submit(submit.target, message.API_KEY, variants, milliseconds, submit.retry)
        response_class = codec.response_class(message.API_KEY)

        def decoded(event: Any, error: errors.KafkaError | None) -> None:
            if error is None:
                try:
                    version, body = event[2], event[3]
                    event = shims.lift(codec.decode(response_class, version, body), version)
                except errors.ProtocolError as malformed:
                    error = malformed
            reply(None if error is not None else event, error)

        self._replies[token] = decoded
        return token

    def cancel(self, token: int) -> None:
        """Drops a submission: its reply is not called any more."""
        if self._replies.pop(token, None) is not None:
            self._core.cancel(token)

    def call_at(self, when: float, action: Callable[[], None]) -> Timer:
        """Calls `action` from the first `turn` after a time."""
        timer = Timer(when, next(self._order), action)
        heapq.heappush(self._timers, timer)
        return timer

    def _cancel_timer(self, timer: Timer) -> None:
        """Cancels a timer; timers of tasks that end long before their time must not pile up."""
        if timer.action is None:
            return
        timer.action = None
        self._cancelled += 1
        if self._cancelled > _CANCELLED_LIMIT and self._cancelled > len(self._timers) // 2:
            self._timers = [timer for timer in self._timers if timer.action is not None]
            heapq.heapify(self._timers)
            self._cancelled = 0

    def turn(self, timeout: float | None) -> None:
        """Waits for events, at most for `timeout` seconds and until the next timer, and handles all there are."""
        due = self.next_timer()
        if due is not None:
            until_timer = max(0.0, due - self._clock())
            timeout = until_timer if timeout is None else min(timeout, until_timer)
        for event in self._core.events(timeout):
            kind = event[0]
            if kind == RESPONSE:
                reply = self._replies.pop(event[1], None)
                if reply is not None:
                    reply(event, None)
            elif kind == FAILED:
                reply = self._replies.pop(event[1], None)
                if reply is not None:
                    reply(None, _failure(event[2], event[3]))
            elif self._on_event is not None:
                self._on_event(event)
        self.run_timers()

    def run_timers(self) -> None:
        """Calls what is due."""
        while (due := self.next_timer()) is not None and due <= self._clock():
            timer = heapq.heappop(self._timers)
            action, timer.action = timer.action, None
            if action is not None:
                action()

    def next_timer(self) -> float | None:
        """When the next timer is due, by the driver's clock."""
        while self._timers and self._timers[0].action is None:
            heapq.heappop(self._timers)
            self._cancelled -= 1
        return self._timers[0].when if self._timers else None

    # Tasks

    def _resume(self, task: Task[Any], value: Any, error: BaseException | None = None) -> None:
        while not task.done:
            try:
                instruction = task.operation.send(value) if error is None else task.operation.throw(error)
            except StopIteration as stop:
                self._finish(task, stop.value, None)
                return
            except errors.KafkaError as failed:
                self._finish(task, None, failed)
                return
            value, error = None, None
            if self._carry_out(task, instruction):
                return

    def _carry_out(self, task: Task[Any], instruction: Instruction) -> bool:
        """Starts what the operation asked for; whether it has to wait for it."""
        match instruction:
            case Submit():
                self._submit_all(task, [instruction], lambda replies: self._resume_with(task, replies[0]))
            case Gather(submits=submits):
                self._submit_all(task, submits, lambda replies: self._resume(task, replies))
            case Sleep(seconds=seconds, why=why):
                task.why = why
                seconds *= 1 + random.uniform(-JITTER, JITTER)  # noqa: S311 - spreads retries, keeps no secret
                self.call_at(self._clock() + seconds, lambda: self._resume(task, None))
            case RefreshMetadata():
                self._core.refresh_metadata(0.0)
                return False
            case ForgetCoordinator(group_id=group_id):
                self._core.invalidate_coordinator(0, group_id)
                return False
        return True

    def _resume_with(self, task: Task[Any], reply: Any) -> None:
        if isinstance(reply, errors.KafkaError):
            self._resume(task, None, reply)
        else:
            self._resume(task, reply)

    def _submit_all(self, task: Task[Any], submits: Any, resume: Callable[[list[Any]], None]) -> None:
        replies: list[Any] = [None] * len(submits)
        left = len(submits)

        def take(index: int, token: list[int]) -> Reply:
            def reply(response: Any, error: errors.KafkaError | None) -> None:
                nonlocal left
                task.tokens.discard(token[0])
                replies[index] = response if error is None else error
                left -= 1
                if left == 0:
                    resume(replies)

            return reply

        for index, submit in enumerate(submits):
            remaining = None if task.deadline is None else task.deadline - self._clock() + _LATER_S
            if submit.timeout is not None:
                remaining = submit.timeout if remaining is None else min(remaining, submit.timeout)
            token: list[int] = []
            token.append(self.submit(submit, remaining, take(index, token)))
            task.tokens.add(token[0])

    def _time_out(self, task: Task[Any]) -> None:
        if not task.done:
            _, _, brokers, _ = self._core.cluster()
            unreached = "" if brokers else "no broker of bootstrap.servers has answered"
            reasons = (unreached, self._core.failure(), task.why)
            why = "".join(f": {reason}" for reason in reasons if reason)
            error = errors.KafkaTimeoutError(f"{task.name} took longer than its timeout{why}")
            self._forget(task)
            task.operation.close()
            self._finish(task, None, error)

    def _forget(self, task: Task[Any]) -> None:
        for token in task.tokens:
            self.cancel(token)
        task.tokens.clear()
        if task.timer is not None:
            self._cancel_timer(task.timer)

    def _finish(self, task: Task[Any], result: Any, error: BaseException | None) -> None:
        task.done = True
        if task.timer is not None:
            self._cancel_timer(task.timer)
        task.result = result
        task.error = error
        if task.on_done is not None:
            task.on_done(task)


def _failure(error_code: int, message: str) -> errors.KafkaError:
    """The exception for a request that got no response."""
    if error_code == -1:
        return errors.ConnectionFailedError(message)
    return errors.for_code(error_code, message=message)
