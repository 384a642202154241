"""The control thread: takes events from the data plane in batches and drives everything that decides.

One turn pulls what has arrived, handles it in order, then the deadlines, then one slice of loading and one piece of a
large request. Nothing here sleeps or touches sockets; `pull` is the only wait.

Time. Deadlines are judged after everything that arrived before them was handled: with the clock as read *before* the
pull whose events have all been handled. They are set from when a request is handled, not from when it arrived: it may
have waited for a thread that held the interpreter, and its client has not been answered in the meantime. After a pause
of the whole process (a debugger, SIGSTOP, the host) members could not be heard although they were alive, so every
deadline is put off once, by the pause and at most to its own length from the pause's end.
"""

from __future__ import annotations

import importlib
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from barnabas.broker import log
from barnabas.broker.core import Event
from barnabas.broker.deadlines import Deadlines
from barnabas.broker.groups import GroupCoordinators
from barnabas.broker.handlers import HANDLERS
from barnabas.broker.metadata import ClusterMetadata
from barnabas.broker.producer_ids import ProducerIds
from barnabas.broker.runtime import Failed, Replica, ReplicaState
from barnabas.controller.image import METADATA_TOPIC
from barnabas.errors import IllegalStateError, ProtocolError
from barnabas.machine import Moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from barnabas.broker.core import DataPlane
    from barnabas.broker.metadata_snapshots import Snapshots
    from barnabas.broker.options import BrokerOptions
    from barnabas.broker.request import Request
    from barnabas.broker.telemetry import ClientTelemetry

__all__ = ["ControlPlane"]

PULL_LIMIT = 256
IDLE_WAIT_MS = 1000.0
"""Longest wait without a deadline."""
PAUSE_MS_MIN = 1000.0
"""A turn that took this much longer than it should counts as a pause of the process."""


class ControlPlane:
    """Everything that decides in one broker, on one thread."""

    def __init__(self, core: DataPlane, options: BrokerOptions) -> None:
        self.core = core
        self.options = options
        self.data_dirs = options.data_dirs
        self.is_temporary = False
        self.endpoints: list[tuple[str, str, int]] = []
        self.deadlines = Deadlines()
        self.metadata = ClusterMetadata(
            core, self.deadlines, options.node_id, options.controller_settings(), options.snapshot_options()
        )
        self.groups = GroupCoordinators(
            core, self.deadlines, self.metadata, options.group_settings(), options.consumer_settings()
        )
        self.metadata.shows_client_metrics = options.value("barnabas.metrics.listen") is not None
        self.metadata.topics_removed = lambda names: self.groups.forget_topics(names, self.moment())
        self.producer_ids = ProducerIds(self.metadata)
        self._telemetry: ClientTelemetry | None = None
        self.ready = threading.Event()
        self.failure: BaseException | None = None
        self.pause_count = 0
        self.pause_ms_total = 0.0
        self._stopping = False
        self._awake_ms = _real_ms()
        self._loading: set[Replica | Snapshots] = set()
        self._in_pieces: deque[tuple[Request, Iterator[None]]] = deque()
        self._handlers: dict[int, Callable[[ControlPlane, Request], None]] = {}
        self._thread = threading.Thread(target=self._run, name="barnabas-control", daemon=True)

    @property
    def telemetry(self) -> ClientTelemetry:
        """Clients' metrics; loaded with the first client that is asked for them."""
        if self._telemetry is None:
            from barnabas.broker.telemetry import ClientTelemetry  # noqa: PLC0415 - not for most brokers

            self._telemetry = ClientTelemetry(self.options.number("telemetry.max.bytes"))
        return self._telemetry

    @property
    def telemetry_if_any(self) -> ClientTelemetry | None:
        """The same, or None while no client was asked."""
        return self._telemetry

    # Life.

    def start(self) -> None:
        """Starts the thread; `ready` is set when requests are served, or when `failure` says why not."""
        self._thread.start()

    def stop(self, timeout: float) -> bool:
        """Ends the thread; False when it does not end in time."""
        self._stopping = True
        if self._thread.is_alive():
            # Any event ends the wait of `pull`; a read is one that can be had for nothing.
            self.core.read(METADATA_TOPIC, 0, 0, 1)
            self._thread.join(timeout)
        self.metadata.snapshots.close(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._boot()
            self.ready.set()
            while not self._stopping:
                self._turn()
        except BaseException as error:  # noqa: BLE001 - whatever ends the thread is told by `failure`
            log.exception("the control thread has failed")
            self.failure = error
        finally:
            self.ready.set()
            for replica in (*self.groups.replicas, self.metadata.replica):
                replica.close()

    def _boot(self) -> None:
        """Recovers the metadata, announces this start, brings the coordinators up, and opens the gate."""
        self.metadata.keep_in(self.data_dirs, is_durable=not self.is_temporary)
        metadata = self.metadata.replica
        metadata.load(self.moment())
        if metadata.wants_slice:
            self._loading.add(metadata)
        self._turn_until(lambda: metadata.state is ReplicaState.ACTIVE or metadata.failure is not None)
        if metadata.failure is not None:
            raise IllegalStateError(f"the metadata log cannot be loaded: {metadata.failure}")
        outcome: list[Any] = []
        changed = self.metadata.changed_listeners()
        if changed:
            # They are opened when the data plane is told of the image, and clients are to be told of what is open.
            self._turn_until(lambda: metadata.is_committed or metadata.failure is not None)
        self.endpoints = self.options.told_endpoints(self.core.endpoints(), changed)
        self.metadata.register(
            self.endpoints,
            self.options.rack,
            self.moment(),
            outcome.append,
        )
        self._turn_until(lambda: bool(outcome))
        if isinstance(outcome[0], Failed):
            raise IllegalStateError(f"the broker could not be registered: error code {outcome[0].error_code}")
        self.groups.load_all(self.moment())
        self.core.open_gate()

    def _turn_until(self, done: Callable[[], bool]) -> None:
        while not done():
            if self._stopping:
                raise IllegalStateError("the broker was closed while it started")
            self._turn()

    # One turn.

    def moment(self) -> Moment:
        """Returns the present."""
        return Moment(self.core.now_ms(), self.core.wall_ms())

    def _turn(self) -> None:
        before_ms = self.core.now_ms()
        wait_ms = self._wait_ms(before_ms)
        events = self.core.pull(wait_ms / 1000.0, PULL_LIMIT)
        now = self.moment()
        # Counted from the last turn's awakening: the process may have stood still while it worked, too.
        # The broker's own clock may be set forward, which is no pause.
        real_ms = _real_ms()
        asleep_ms = real_ms - self._awake_ms
        self._awake_ms = real_ms
        has_pieces = bool(self._in_pieces)
        for event in events:
            if event[0] == Event.REQUEST:
                self._request(event, now)
            else:
                self._completion(event, now)
        if asleep_ms - wait_ms > PAUSE_MS_MIN:
            self.pause_count += 1
            self.pause_ms_total += asleep_ms - wait_ms
            log.warning("the process stood still for %.0f ms; deadlines are put off", asleep_ms - wait_ms)
            # When the pause began within the wait is not known, so all of the wait counts.
            self.deadlines.extend(asleep_ms, now.stamp_ms)
        elif len(events) < PULL_LIMIT:
            for name in self.deadlines.due(before_ms):
                owner, key = name
                expire = self.metadata.expire if owner is self.metadata.snapshots else owner.expire
                self._drive(owner, now, expire, key, now)
        if self.metadata.snapshots.wants_slice:
            self._loading.add(self.metadata.snapshots)
        if self._loading:
            self._slice(now)
        if has_pieces:
            # Not in the turn in which a large request was read, which has been work enough.
            self._piece()

    def _slice(self, now: Moment) -> None:
        """One slice of what is loaded, so that requests wait for no more than one.

        Always of the first that has something to do: the groups of one partition are served while the next is loaded.
        """
        replica = next((one for one in (self.metadata.snapshots, *self._replicas()) if one in self._loading), None)
        if replica is None:
            # Closed meanwhile.
            self._loading.clear()
            return
        self._drive(replica, now, replica.run_slice, now)
        if not replica.wants_slice:
            self._loading.discard(replica)

    def in_pieces(self, request: Request, pieces: Iterator[None]) -> None:
        """Works for a large request piece by piece, one in each turn, so that others wait for no more than one.

        There are no more of them than connections, each of which has one request at a time.
        """
        self._in_pieces.append((request, pieces))

    def _piece(self) -> None:
        request, pieces = self._in_pieces.popleft()
        # What is decided and set in this piece counts from here.
        request.now = self.moment()
        begun_ns = time.perf_counter_ns()
        try:
            next(pieces)
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 - as in `_request`
            self._failed(request.connection_id, request.api_key, request.version)
            return
        request.worked(time.perf_counter_ns() - begun_ns)
        self._in_pieces.append((request, pieces))

    def _drive(self, replica: Replica | Snapshots, now: Moment, step: Callable[..., None], *arguments: Any) -> None:
        """Runs one step of a replica. A defect costs its machine's soft state, not the broker."""
        try:
            step(*arguments)
        except Exception:  # noqa: BLE001
            log.exception("%s-%d: a step failed", replica.topic, replica.partition)
            replica.drop(now, "a step failed")
        if replica.wants_slice:
            self._loading.add(replica)

    def _wait_ms(self, now_ms: float) -> float:
        if self._loading or self._in_pieces:
            return 0.0
        next_ms = self.deadlines.next_ms()
        return IDLE_WAIT_MS if next_ms is None else max(0.0, min(IDLE_WAIT_MS, next_ms - now_ms))

    def _replicas(self) -> Iterable[Replica]:
        return (self.metadata.replica, *self.groups.replicas)

    def _completion(self, event: tuple[Any, ...], now: Moment) -> None:
        kind = event[0]
        if kind == Event.APPENDED:
            _, _, topic, partition, last_offset, error_code = event
            replica = self._replica_of(topic, partition)
            if replica is not None:
                self._drive(replica, now, replica.on_appended, last_offset, error_code, now)
        elif kind == Event.CLOSED:
            if self._telemetry is not None:
                self._telemetry.disconnected(event[2])
        elif kind == Event.READ:
            _, _, token, error_code, batches, next_offset, _ = event
            for replica in self._replicas():
                if replica.owns_read(token):
                    self._drive(replica, now, replica.on_read, error_code, batches, next_offset, now)

    def _replica_of(self, topic: str, partition: int) -> Replica | None:
        return self.metadata.replica if topic == METADATA_TOPIC else self.groups.replica_of(topic, partition)

    def _request(self, event: tuple[Any, ...], now: Moment) -> None:
        from barnabas.broker.request import Request  # noqa: PLC0415 - not for the start

        connection_id, api_key, version = event[3], event[8], event[9]
        try:
            request = Request(self.core, event, now)
        except ProtocolError as error:
            log.warning("bad request: %s", error, connection=connection_id, api_key=api_key, api_version=version)
            self.core.close_connection(connection_id)
            return
        try:
            self._handler(api_key)(self, request)
            request.handled()
        except Exception:  # noqa: BLE001
            self._failed(connection_id, api_key, version)

    def _failed(self, connection_id: int, api_key: int, version: int) -> None:
        """A defect of one handler: its client sees a broken connection, all others are served."""
        log.exception("a request failed", connection=connection_id, api_key=api_key, api_version=version)
        self.core.close_connection(connection_id)

    def _handler(self, api_key: int) -> Callable[[ControlPlane, Request], None]:
        handler = self._handlers.get(api_key)
        if handler is None:
            module = importlib.import_module(f"barnabas.broker.handlers.{HANDLERS[api_key]}")
            handler = self._handlers[api_key] = module.handle
        return handler


def _real_ms() -> float:
    return time.monotonic_ns() / 1_000_000
