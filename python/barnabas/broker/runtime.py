"""Runs replicated state machines: loads them from their partition, appends, waits for commits, answers.

A `Replica` is one machine on one partition. In one step a request or deadline is decided, its records appended and
replayed, its soft changes applied; the answers are held back until the high watermark has passed everything that the
machine has appended. So nothing is ever answered that a kill -9 could take back, and a failed append needs no
roll-back: the machine is dropped with its soft state and loaded again from its log. What is too large for one batch is
refused alone, before any of it has happened.

It knows no API: what a machine decides about, and how a refusal looks on the wire, is the handlers' business.
"""

from __future__ import annotations

import enum
import itertools
import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.broker import log
from barnabas.errors import KafkaError, MessageTooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from barnabas.broker.core import DataPlane
    from barnabas.broker.deadlines import Deadlines
    from barnabas.machine import Caller, Machine, Moment, Result

__all__ = ["Failed", "Replica", "ReplicaState", "Role"]

LOAD_READ_BYTES = 128 * 1024
"""About 1,000 committed offsets, whose decoding is the one part of a slice that cannot be interrupted."""
LOAD_SLICE_MS = 1.0
"""A fifth of what a slice may take at most: its first portion decodes a whole read, and the thread may have to wait for
the interpreter, or 3 ms for a core, while it is at it."""
LOAD_SLICE_RECORDS = 64
RELOAD_BACKOFF_MS = 200.0
RELOAD_BACKOFF_MS_MAX = 10_000.0
SEPARATE_BATCH_BYTES = 256 * 1024
"""Keys and values that one batch of a separable result holds, about; a quarter of what Kafka lets a batch have."""
TOO_LARGE_RETRY_MS = 500.0
"""How long a deadline is put off when what follows from it is too large to be appended; as in Kafka."""
_RELOAD_KEY = ("reload",)
UNKNOWN_SERVER_ERROR = -1

_tickets = itertools.count(1)
_Encoded = tuple[bytes | None, bytes | None]
"""A record's key and value."""


class _TooLargeError(Exception):
    """One batch may not hold what a machine decided at once."""


class Failed(NamedTuple):
    """Stands in for an answer that could not be given: nothing was decided, or what was decided is lost."""

    error_code: int


class Role(NamedTuple):
    """What distinguishes the controller's replica from a group coordinator's.

    Attributes:
        encode: Record to (key, value) bytes.
        decode: (key, value) bytes to a record; None for one that is of no interest.
        loading_code: Error code for requests while the machine is loaded.
        lost_code: Error code when the machine is dropped.
        appended: Called with the log's end after records were appended and replayed, and when loading ends.
        committed: Called with the offset below which everything is committed, before answers leave.
        lost: Called when the machine is dropped: what was appended and not committed may be gone.
        snapshot: Called with (start, end) of the log before it is read; returns (offset where the log goes on, batches
            of the records before it), or None to read all of the log.
        decode_control: As `decode`, for control records; without it they are passed over.
        encode_control: A control record to (type, value), None for any other; without it there are none to append.
        decode_in_transaction: As `decode`, for records and markers of a producer, of which it is told (id, epoch);
            without it they are taken for any other.
        elected: Called when loading ends, before anything is decided: this node leads from here on.
    """

    encode: Callable[[Any], tuple[bytes | None, bytes | None]]
    decode: Callable[[bytes | None, bytes | None], Any]
    loading_code: int
    lost_code: int
    appended: Callable[[int], None] | None = None
    committed: Callable[[int], None] | None = None
    lost: Callable[[], None] | None = None
    snapshot: Callable[[int, int], tuple[int, bytes] | None] | None = None
    decode_in_transaction: Callable[..., Any] | None = None
    decode_control: Callable[[bytes | None, bytes | None], Any] | None = None
    encode_control: Callable[[Any], tuple[int, bytes] | None] | None = None
    elected: Callable[[Moment], None] | None = None


class ReplicaState(enum.Enum):
    """Whether a replica can decide."""

    LOADING = enum.auto()
    ACTIVE = enum.auto()
    CLOSED = enum.auto()


class Replica:
    """One machine on one partition."""

    def __init__(
        self,
        core: DataPlane,
        deadlines: Deadlines,
        place: tuple[str, int],
        make_machine: Callable[[], Machine],
        role: Role,
    ) -> None:
        self.topic, self.partition = place
        self.role = role
        self.state = ReplicaState.LOADING
        self.machine = make_machine()
        self._core = core
        self._deadlines = deadlines
        self._make_machine = make_machine
        self._leader_epoch = 0
        self._names: set[tuple[Any, ...]] = set()
        self._waiters: dict[int, Callable[[Any], None]] = {}
        self._held: deque[tuple[int, int, Any]] = deque()
        self._end_offset = 0
        self._committed = 0
        self._load_until = 0
        self._next_offset = 0
        self._read_token: int | None = None
        self._records: Iterator[tuple[int, Any]] | None = None
        self._backoff_ms = RELOAD_BACKOFF_MS
        self.failure: str | None = None
        self.slice_ms_max = 0.0
        self.slice_cpu_ms_max = 0.0
        self.log_bytes_read = 0

    # Requests.

    def submit(self, caller: Caller, request: Any, now: Moment, answer: Callable[[Any], None]) -> None:
        """Lets the machine decide; `answer` is called once, now or later, with a message or `Failed`."""
        if self.state is not ReplicaState.ACTIVE:
            answer(Failed(self.role.loading_code if self.state is ReplicaState.LOADING else self.role.lost_code))
            return
        self._waiters[caller.token] = answer
        try:
            result = self.machine.handle(caller, request, now)
        except Exception:  # noqa: BLE001
            # A defect must not take the other groups down with it. The machine has changed nothing yet.
            log.exception("%s-%d: %s could not be handled", self.topic, self.partition, type(request).__name__)
            self._answer(caller.token, Failed(UNKNOWN_SERVER_ERROR))
            return
        if not self._step(result, now):
            self._answer(caller.token, Failed(UNKNOWN_SERVER_ERROR))

    def expire(self, key: tuple[Any, ...], now: Moment) -> None:
        """A deadline has passed."""
        self._names.discard(key)
        if key == _RELOAD_KEY:
            self.load(now)
        elif self.state is ReplicaState.ACTIVE and not self._step(self.machine.expire(key, now), now):
            self._names.add(key)
            self._deadlines.set((self, key), now.stamp_ms + TOO_LARGE_RETRY_MS, now.stamp_ms)

    def _step(self, result: Result, now: Moment) -> bool:
        """Carries out what the machine decided; False if nothing happened because a batch cannot hold it."""
        if result.records:
            try:
                base_offset = self._append(result, now)
            except _TooLargeError as error:
                log.warning("%s-%d: %s", self.topic, self.partition, error)
                return result.otherwise is not None and self._step(result.otherwise(), now)
            except KafkaError as error:
                self.drop(now, f"append failed: {error}")
                return True
            self._end_offset = base_offset + len(result.records)
        self._carry_out(result, now)
        return True

    def _carry_out(self, result: Result, now: Moment) -> None:
        """Does what was decided, now that its records are in the log."""
        for change in result.soft:
            self.machine.apply(change)
        for index, record in enumerate(result.records):
            self.machine.replay(record, self._end_offset - len(result.records) + index)
        if result.records and self.role.appended is not None:
            self.role.appended(self._end_offset)
        for deadline in result.deadlines:
            if deadline.at_ms is None:
                self._names.discard(deadline.key)
                self._deadlines.cancel((self, deadline.key))
            else:
                self._names.add(deadline.key)
                self._deadlines.set((self, deadline.key), deadline.at_ms, now.stamp_ms)
        for reply in result.replies:
            if reply.waits and self._end_offset > self._committed:
                self._held.append((self._end_offset, reply.token, reply.message))
            else:
                self._answer(reply.token, reply.message)

    def _append(self, result: Result, now: Moment) -> int:
        """Appends as one batch, control records, which come first, as one before it; returns the first one's offset.

        Raises:
            _TooLargeError: The one batch may not be that large; nothing was appended.
            KafkaError: It failed, perhaps when a part of it was appended.
        """
        controls: list[tuple[int, bytes]] = []
        if self.role.encode_control is not None:
            for record in result.records:
                control = self.role.encode_control(record)
                if control is None:
                    break
                controls.append(control)
        others = [self.role.encode(record) for record in result.records[len(controls) :]]
        batches = _portions(others) if result.is_separable else [others] if others else []
        place = self.topic, self.partition, self._leader_epoch
        base_offsets = [self._core.append_control(*place, controls, now.wall_ms)] if controls else []
        for batch in batches:
            try:
                base_offsets.append(self._core.append(*place, batch, now.wall_ms))
            except MessageTooLargeError as error:
                if base_offsets:
                    raise
                raise _TooLargeError(f"{len(batch)} records are too large for one batch: {error}") from error
        return base_offsets[0]

    @property
    def leader_epoch(self) -> int:
        """The epoch in which this node leads."""
        return self._leader_epoch

    @property
    def end_offset(self) -> int:
        """The log's end, committed or not."""
        return self._end_offset

    @property
    def is_committed(self) -> bool:
        """Whether everything that was appended is committed."""
        return self.state is ReplicaState.ACTIVE and self._committed >= self._end_offset

    def begin_epoch(self, epoch: int, control_type: int, value: bytes, now: Moment) -> None:
        """Leads in a new epoch from here on, which a control record tells.

        Raises:
            KafkaError: It cannot be appended.
        """
        offset = self._core.append_control(self.topic, self.partition, epoch, [(control_type, value)], now.wall_ms)
        self._leader_epoch = epoch
        self._end_offset = offset + 1
        if self.role.appended is not None:
            self.role.appended(self._end_offset)

    def _answer(self, token: int, message: Any) -> None:
        waiter = self._waiters.pop(token, None)
        if waiter is not None:
            waiter(message)

    # What the data plane reports.

    def on_appended(self, last_offset: int, error_code: int, now: Moment) -> None:
        """An append is committed, or has failed."""
        if self.state is not ReplicaState.ACTIVE:
            return
        if error_code:
            self.drop(now, f"append failed with error code {error_code}")
            return
        self._commit(last_offset + 1)

    def _commit(self, offset: int) -> None:
        if offset <= self._committed:
            return
        self._committed = offset
        if self.role.committed is not None:
            self.role.committed(offset)
        while self._held and self._held[0][0] <= offset:
            _, token, message = self._held.popleft()
            self._answer(token, message)

    # Loading.

    def load(self, now: Moment) -> None:
        """Starts (again) from the log. An empty one is ready at once."""
        info = self._core.info(self.topic, self.partition)
        if info is None:
            self._reload_later(now)
            return
        log_start, _, _, log_end, self._leader_epoch = info
        self.machine = self._make_machine()
        self.state = ReplicaState.LOADING
        self._next_offset, self._load_until = log_start, log_end
        self._records, self._read_token, self.log_bytes_read = None, None, 0
        snapshot = None if self.role.snapshot is None else self.role.snapshot(log_start, log_end)
        if snapshot is not None:
            self._next_offset, batches = snapshot
            self._records = self._decode(batches)
            return
        self._read_on(now)

    @property
    def wants_slice(self) -> bool:
        """Whether records wait to be replayed."""
        return self._records is not None

    def owns_read(self, token: int) -> bool:
        """Whether a completed read is this replica's."""
        return token == self._read_token

    def on_read(self, error_code: int, batches: bytes, next_offset: int, now: Moment) -> None:
        """A read for loading is done."""
        self._read_token = None
        if self.state is not ReplicaState.LOADING:
            return
        if error_code or next_offset <= self._next_offset:
            self.drop(now, f"reading at offset {self._next_offset} failed with error code {error_code}")
            return
        self._next_offset = next_offset
        self.log_bytes_read += len(batches)
        self._records = self._decode(batches)

    def _decode(self, batches: bytes) -> Iterator[tuple[int, Any]]:
        decode, decode_control = self.role.decode, self.role.decode_control or _no_record
        in_transaction = self.role.decode_in_transaction
        for offset, _, key, value, producer_id, epoch, is_control in self._core.decode_batches(batches):
            if producer_id >= 0 and in_transaction is not None:
                record = in_transaction((producer_id, epoch), key, value, is_control=is_control)
            else:
                record = decode_control(key, value) if is_control else decode(key, value)
            if record is not None:
                yield offset, record

    def run_slice(self, now: Moment) -> None:
        """Replays for at most `LOAD_SLICE_MS`, then lets others work."""
        records = self._records
        if records is None:
            return
        begun_ms, begun_cpu_ns = self._core.now_ms(), time.thread_time_ns()
        replay = self.machine.replay
        while True:
            portion = list(itertools.islice(records, LOAD_SLICE_RECORDS))
            for offset, record in portion:
                replay(record, offset)
            if len(portion) < LOAD_SLICE_RECORDS:
                self._records = None
                self._read_on(now)
                break
            if self._core.now_ms() - begun_ms >= LOAD_SLICE_MS:
                break
        self.slice_ms_max = max(self.slice_ms_max, self._core.now_ms() - begun_ms)
        self.slice_cpu_ms_max = max(self.slice_cpu_ms_max, (time.thread_time_ns() - begun_cpu_ns) / 1e6)

    def _read_on(self, now: Moment) -> None:
        if self._next_offset < self._load_until:
            try:
                self._read_token = self._core.read(self.topic, self.partition, self._next_offset, LOAD_READ_BYTES)
            except KafkaError as error:
                self.drop(now, f"reading failed: {error}")
            return
        self.state = ReplicaState.ACTIVE
        self.failure = None
        self._backoff_ms = RELOAD_BACKOFF_MS
        self._end_offset = self._load_until
        info = self._core.info(self.topic, self.partition)
        self._committed = 0
        if self.role.appended is not None:
            self.role.appended(self._end_offset)
        self._commit(min(self._end_offset, self._end_offset if info is None else info[1]))
        if self.role.elected is not None:
            try:
                self.role.elected(now)
            except KafkaError as error:
                self.drop(now, f"its epoch cannot begin: {error}")
                return
        self._step(self.machine.loaded(now), now)

    # The end.

    def drop(self, now: Moment, why: str) -> None:
        """Gives up the machine: whoever waits is refused, and it is loaded again."""
        log.warning("%s-%d: %s; loading it again", self.topic, self.partition, why)
        self.failure = why
        self._clear()
        self.state = ReplicaState.LOADING
        self._reload_later(now)

    def _reload_later(self, now: Moment) -> None:
        self._names.add(_RELOAD_KEY)
        self._deadlines.set((self, _RELOAD_KEY), now.stamp_ms + self._backoff_ms, now.stamp_ms)
        self._backoff_ms = min(2 * self._backoff_ms, RELOAD_BACKOFF_MS_MAX)

    def close(self) -> None:
        """Gives up the machine for good, when its partition is gone or the broker stops."""
        self._clear()
        self.state = ReplicaState.CLOSED

    def _clear(self) -> None:
        for key in self._names:
            self._deadlines.cancel((self, key))
        self._names.clear()
        self._held.clear()
        self._records, self._read_token = None, None
        if self.role.lost is not None:
            self.role.lost()
        waiters, self._waiters = self._waiters, {}
        for answer in waiters.values():
            answer(Failed(self.role.lost_code))


def _portions(records: Sequence[_Encoded]) -> list[list[_Encoded]]:
    """Divides records among batches of about `SEPARATE_BATCH_BYTES`."""
    portions: list[list[_Encoded]] = []
    size = SEPARATE_BATCH_BYTES
    for record in records:
        if size >= SEPARATE_BATCH_BYTES:
            portions.append([])
            size = 0
        portions[-1].append(record)
        size += len(record[0] or b"") + len(record[1] or b"")
    return portions


def _no_record(_key: bytes | None, _value: bytes | None) -> None:
    return None


def next_ticket() -> int:
    """Returns a number that names one request to a machine, and no other ever."""
    return next(_tickets)
