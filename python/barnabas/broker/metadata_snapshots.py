"""Snapshots of the metadata log, as Kafka writes them beside it, and the log's beginning, which may go behind them.

A snapshot is due when `metadata.log.max.record.bytes.between.snapshots` were appended since the last one, or something
was and it is `metadata.log.max.snapshot.interval.ms` old. It is made of a frozen image as of one append, which is
written once that is committed: encoded in slices of the control thread, stored and flushed by a thread of its own.
Behind `metadata.max.retention.*` the oldest snapshot goes, and the log then begins at the next one.
"""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.broker import log
from barnabas.controller.image import METADATA_TOPIC
from barnabas.errors import IllegalStateError, KafkaError, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from barnabas.broker.core import DataPlane
    from barnabas.broker.deadlines import Deadlines
    from barnabas.controller.image import Image
    from barnabas.machine import Moment

__all__ = [
    "LoadedSnapshot",
    "SnapshotFiles",
    "SnapshotId",
    "SnapshotOptions",
    "Snapshots",
    "checkpoint_batches",
    "encode_control",
]

_NAME = re.compile(r"([0-9]{20})-([0-9]{10})\.checkpoint", re.ASCII)
_UNFINISHED = re.compile(r"[0-9]{20}-[0-9]{10}(-[0-9]+)?\.checkpoint\.(part|tmp|deleted)", re.ASCII)
BATCH_RECORDS = 500
SLICE_MS = 2.5
HEADER_BYTES = 4096
"""Enough for the first batch, which says how old the snapshot is."""
CLEAN_INTERVAL_MS = 60_000.0
SNAPSHOT_HEADER, SNAPSHOT_FOOTER, KRAFT_VERSION, KRAFT_VOTERS = 3, 4, 5, 6
_CONTROL_TYPES = {"KRaftVersionRecord": KRAFT_VERSION, "VotersRecord": KRAFT_VOTERS}
_TIMER = ("snapshot",)
_CLEAN = ("clean",)


class SnapshotOptions(NamedTuple):
    """Kafka's options; the defaults are its.

    Attributes:
        bytes_between: `metadata.log.max.record.bytes.between.snapshots`.
        interval_ms: `metadata.log.max.snapshot.interval.ms`; 0 means that time alone is no reason.
        retention_bytes: `metadata.max.retention.bytes`; less than 0 means that size is no reason.
        retention_ms: `metadata.max.retention.ms`; less than 0 means that age is no reason.
    """

    bytes_between: int = 20 * 1024 * 1024
    interval_ms: int = 3_600_000
    retention_bytes: int = 100 * 1024 * 1024
    retention_ms: int = 604_800_000


class SnapshotId(NamedTuple):
    """Where the log goes on behind a snapshot, and the leader's epoch of the last record in it."""

    end_offset: int
    epoch: int

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.end_offset:020}-{self.epoch:010}.checkpoint"


class LoadedSnapshot(NamedTuple):
    """All records that were in force at an offset.

    Attributes:
        end_offset: Where the log goes on.
        batches: Record batches.
    """

    end_offset: int
    batches: bytes


class SnapshotFiles:
    """The files of snapshots, beside the metadata log."""

    def __init__(self, core: DataPlane, data_dirs: list[str]) -> None:
        self._core = core
        self._data_dirs = data_dirs

    @property
    def directory(self) -> str | None:
        """Where the metadata log is; None before it is anywhere."""
        directories = (f"{data_dir}/{METADATA_TOPIC}-0" for data_dir in self._data_dirs)
        # Here and below without pathlib, whose import would be part of the start.
        return next((directory for directory in directories if os.path.isdir(directory)), None)  # noqa: PTH112

    def ids(self) -> list[SnapshotId]:
        """Returns the snapshots that are there, oldest first."""
        matches = (_NAME.fullmatch(name) for name in self._names())
        return sorted(SnapshotId(int(match[1]), int(match[2])) for match in matches if match is not None)

    def read(self, snapshot: SnapshotId, size: int = -1) -> bytes:
        """Reads a snapshot, or its first `size` bytes."""
        with open(f"{self.directory}/{snapshot.name}", "rb") as file:  # noqa: PTH123
            return file.read(size)

    def size(self, snapshot: SnapshotId) -> int:
        """Returns the bytes of a snapshot."""
        return os.stat(f"{self.directory}/{snapshot.name}").st_size  # noqa: PTH116

    def write(self, snapshot: SnapshotId, data: bytes) -> None:
        """Stores a snapshot, durably and whole."""
        self._core.store(snapshot.name, data)

    def remove(self, snapshot: SnapshotId) -> None:
        """Removes a snapshot."""
        os.remove(f"{self.directory}/{snapshot.name}")  # noqa: PTH107

    def remove_unfinished(self) -> None:
        """Removes what a crash has left of snapshots that were being written or removed."""
        for name in self._names():
            if _UNFINISHED.fullmatch(name) is not None:
                os.remove(f"{self.directory}/{name}")  # noqa: PTH107

    def _names(self) -> list[str]:
        directory = self.directory
        return [] if directory is None else os.listdir(directory)  # noqa: PTH208


class _Image(NamedTuple):
    """An image to be written as a snapshot."""

    snapshot: SnapshotId
    timestamp_ms: int
    records: Iterable[bytes]
    control: list[tuple[int, bytes]]


class Snapshots:
    """When a snapshot is due, how it comes about, and what may go once it is there.

    The control thread drives it as it drives replicas: `expire`, `run_slice`.

    Attributes:
        files: Where snapshots are.
        taken_count: How many were written since the start.
        spawn: Runs what waits for a disk, on a thread of its own.
    """

    topic = METADATA_TOPIC
    partition = 0

    def __init__(
        self,
        core: DataPlane,
        deadlines: Deadlines,
        options: SnapshotOptions,
        encode: Callable[[Image], Iterable[bytes]],
    ) -> None:
        self.options = options
        self.files = SnapshotFiles(core, [])
        self.taken_count = 0
        self._core = core
        self._deadlines = deadlines
        self._encode = encode
        self._log_bytes = 0
        self._bytes = 0
        self._last_ms = core.now_ms()
        self._waiting: _Image | None = None
        self._slices: Iterator[bytes] | None = None
        self._parts: list[bytes] = []
        self._writing: _Image | None = None
        self._thread: threading.Thread | None = None
        self._refused = False
        self.spawn: Callable[[Callable[[], None]], None] = self._spawn

    def _spawn(self, work: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=work, name="barnabas-snapshot", daemon=True)
        self._thread.start()

    # Loading.

    def find(self, log_start: int, log_end: int) -> LoadedSnapshot | None:
        """Reads the newest snapshot from which the log goes on without a gap; None if the log has everything.

        Raises:
            IllegalStateError: The log's beginning is gone, and no snapshot says what was there.
        """
        self.files.remove_unfinished()
        self._last_ms = self._core.now_ms()
        for snapshot in reversed(self.files.ids()):
            if not log_start <= snapshot.end_offset <= log_end:
                continue
            try:
                data = self.files.read(snapshot)
                self._check(data)
            except (OSError, ProtocolError) as error:
                log.error("snapshot %s of the metadata cannot be read: %s", snapshot.name, error)
                continue
            return LoadedSnapshot(snapshot.end_offset, data)
        if log_start > 0:
            raise IllegalStateError(
                f"{METADATA_TOPIC}-0 begins at offset {log_start}, and no snapshot says what was before it"
            )
        return None

    def _check(self, data: bytes) -> None:
        records = self._core.decode_batches(data)
        kinds = [_control_type(key) for _, _, key, _, _, _, is_control in (records[:1] + records[-1:]) if is_control]
        if kinds != [SNAPSHOT_HEADER, SNAPSHOT_FOOTER]:
            raise ProtocolError("it does not begin with a header and end with a footer")

    def loaded(self, log_bytes_read: int) -> None:
        """The metadata is loaded; so many bytes of log came behind the snapshot."""
        self._log_bytes = self._log_size()
        self._bytes = log_bytes_read
        self.lost()
        self._deadlines.set((self, _CLEAN), self._core.now_ms() + CLEAN_INTERVAL_MS, self._core.now_ms())
        self._set_timer()

    # Life.

    def appended(self, image: Image, end_offset: int, epoch: int) -> None:
        """Something was appended: the image is now what the log says up to `end_offset`."""
        size = self._log_size()
        self._bytes += max(0, size - self._log_bytes)
        self._log_bytes = size
        if self._is_due() and self._waiting is None and self._writing is None:
            self._freeze(image, end_offset, epoch)
        self._set_timer()

    def committed(self, offset: int) -> None:
        """Everything below `offset` is committed."""
        if self._waiting is not None and offset >= self._waiting.snapshot.end_offset and self._writing is None:
            self._writing, self._waiting = self._waiting, None
            self._parts = []
            self._slices = checkpoint_batches(
                self._core,
                self._writing.records,
                self._writing.control,
                self._writing.timestamp_ms,
                self._writing.snapshot.epoch,
            )

    def lost(self) -> None:
        """What was appended and not committed may be gone."""
        self._waiting = None

    def close(self, timeout: float) -> None:
        """Waits for a snapshot that is being stored."""
        if self._thread is not None:
            self._thread.join(timeout)

    # Driven by the control thread.

    @property
    def wants_slice(self) -> bool:
        """Whether there is something to encode."""
        return self._slices is not None

    def run_slice(self, now: Moment) -> None:
        """Encodes for at most `SLICE_MS`, then lets others work."""
        del now
        until_ms = self._core.now_ms() + SLICE_MS
        for part in self._slices or ():
            self._parts.append(part)
            if self._core.now_ms() >= until_ms:
                return
        self._slices = None
        self.spawn(self._store)

    def expire(self, key: tuple[Any, ...], now: Moment) -> None:
        """A deadline has passed."""
        if key == _CLEAN:
            self._deadlines.set((self, _CLEAN), now.stamp_ms + CLEAN_INTERVAL_MS, now.stamp_ms)
            if self._writing is None and len(self.files.ids()) > 1:
                self.spawn(self._clean)
        # The timer wakes the owner, which looks whether a snapshot is due (`ClusterMetadata.expire`).

    def drop(self, now: Moment, why: str) -> None:
        """Gives up a snapshot that cannot be made; the next one is due as usual."""
        del now
        log.warning("no snapshot of the metadata: %s", why)
        self._slices = self._writing = self._waiting = None

    # How.

    def _is_due(self) -> bool:
        if self._bytes >= self.options.bytes_between:
            return True
        age_ms = self._core.now_ms() - self._last_ms
        return bool(self.options.interval_ms) and self._bytes > 0 and age_ms >= self.options.interval_ms

    def take_if_due(self, image: Image, end_offset: int, epoch: int) -> None:
        """Makes a snapshot of an image that is committed as a whole, if it is time."""
        if self._is_due() and self._waiting is None and self._writing is None:
            self._freeze(image, end_offset, epoch)
            self.committed(end_offset)

    def _freeze(self, image: Image, end_offset: int, epoch: int) -> None:
        if image.in_transaction:
            return
        if image.unknown_kinds:
            if not self._refused:
                log.warning("the metadata log has records of unknown kinds; it is kept whole, without snapshots")
            self._refused = True
            return
        self._bytes, self._last_ms = 0, self._core.now_ms()
        frozen = image.frozen()
        control = control_records(frozen)
        self._waiting = _Image(SnapshotId(end_offset, epoch), self._core.wall_ms(), self._encode(frozen), control)

    def _set_timer(self) -> None:
        if self._bytes and self.options.interval_ms:
            at_ms = max(self._last_ms + self.options.interval_ms, self._core.now_ms() + 1.0)
            self._deadlines.set((self, _TIMER), at_ms, self._core.now_ms())

    def _store(self) -> None:
        written = self._writing
        if written is None:
            return
        try:
            self.files.write(written.snapshot, b"".join(self._parts))
            self.taken_count += 1
            log.info("snapshot %s of the metadata is written", written.snapshot.name)
            self._clean()
        except (OSError, KafkaError) as error:
            log.error("snapshot %s of the metadata cannot be written: %s", written.snapshot.name, error)
        finally:
            self._parts, self._writing = [], None

    def _clean(self) -> None:
        """Removes the oldest snapshots as long as there is too much, and lets the log begin at the next one."""
        try:
            self.clean()
        except (OSError, KafkaError) as error:
            log.error("old snapshots of the metadata cannot be removed: %s", error)

    def clean(self) -> None:
        """Removes what retention lets go. A crash in between leaves a snapshot that the next round removes."""
        ids = self.files.ids()
        info = self._core.info(METADATA_TOPIC, 0)
        while len(ids) > 1 and info is not None:
            oldest, following = ids[0], ids[1]
            if oldest.end_offset >= info[0] and not self._may_go(oldest, ids):
                return
            if following.end_offset > info[0]:
                self._core.delete_records(METADATA_TOPIC, 0, following.end_offset)
            self.files.remove(oldest)
            ids = ids[1:]

    def _may_go(self, oldest: SnapshotId, ids: list[SnapshotId]) -> bool:
        retention = self.options
        if retention.retention_bytes >= 0:
            total = self._log_size() + sum(map(self.files.size, ids))
            if total > retention.retention_bytes:
                return True
        if retention.retention_ms < 0:
            return False
        written_ms = self._last_contained_ms(oldest)
        return written_ms is not None and self._core.wall_ms() - written_ms > retention.retention_ms

    def _last_contained_ms(self, snapshot: SnapshotId) -> int | None:
        """Returns when the last record in a snapshot was written, as its header says."""
        from barnabas.protocol import codec  # noqa: PLC0415 - not for the start
        from barnabas.protocol.messages.snapshot_header_record import SnapshotHeaderRecord  # noqa: PLC0415

        begin = self.files.read(snapshot, HEADER_BYTES)
        first = begin[: 12 + int.from_bytes(begin[8:12], "big")]
        for _, _, key, value, _, _, is_control in self._core.decode_batches(first):
            if is_control and _control_type(key) == SNAPSHOT_HEADER:
                return codec.decode(SnapshotHeaderRecord, 0, value or b"", trailing=True).last_contained_log_timestamp
        return None

    def _log_size(self) -> int:
        return self._core.log_size(METADATA_TOPIC, 0) or 0


def control_records(image: Image) -> list[tuple[int, bytes]]:
    """Returns (type, value) of what the quorum's own records say, for those who elect by them."""
    if not image.kraft_version:
        return []
    from barnabas.protocol.messages.kraft_version_record import KRaftVersionRecord  # noqa: PLC0415 - not for the start

    records = [KRaftVersionRecord(kraft_version=image.kraft_version), image.voters]
    return [control for control in map(encode_control, records) if control is not None]


def encode_control(record: Any) -> tuple[int, bytes] | None:
    """Returns (type, value) of one of the quorum's own records; None for any other."""
    kind = _CONTROL_TYPES.get(type(record).__name__)
    if kind is None:
        return None
    from barnabas.protocol import codec  # noqa: PLC0415 - not for the start

    return kind, codec.encode(record, 0)


def checkpoint_batches(
    core: DataPlane,
    records: Iterable[bytes],
    control: list[tuple[int, bytes]],
    timestamp_ms: int,
    epoch: int,
) -> Iterator[bytes]:
    """Yields the batches of a checkpoint: a header, the records, a footer. Offsets count from 0."""
    from barnabas.protocol import codec  # noqa: PLC0415 - not for the start
    from barnabas.protocol.messages.snapshot_footer_record import SnapshotFooterRecord  # noqa: PLC0415
    from barnabas.protocol.messages.snapshot_header_record import SnapshotHeaderRecord  # noqa: PLC0415

    header = codec.encode(SnapshotHeaderRecord(last_contained_log_timestamp=timestamp_ms), 0)
    first = [(SNAPSHOT_HEADER, header), *control]
    now_ms = core.wall_ms()
    yield core.make_control_batch(0, epoch, first, now_ms)
    offset = len(first)
    portion: list[tuple[bytes | None, bytes | None]] = []
    for record in records:
        portion.append((None, record))
        if len(portion) == BATCH_RECORDS:
            yield core.make_batch(offset, epoch, portion, now_ms)
            offset, portion = offset + len(portion), []
    if portion:
        yield core.make_batch(offset, epoch, portion, now_ms)
        offset += len(portion)
    footer = codec.encode(SnapshotFooterRecord(), 0)
    yield core.make_control_batch(offset, epoch, [(SNAPSHOT_FOOTER, footer)], now_ms)


def _control_type(key: bytes | None) -> int:
    return int.from_bytes((key or b"")[2:4], "big", signed=True)
