"""The extension module: the data plane in Rust. Only `protocol`, `columns` and the two `core` modules import it."""

from asyncio import AbstractEventLoop  # noqa: TID251 - a type
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextvars import Context
from threading import Thread  # noqa: TID251 - a type
from typing import Any, Self, TypeVar, final, overload

import pyarrow as pa
from typing_extensions import Buffer

from barnabas.types import RecordMetadata, TopicPartition

_M = TypeVar("_M")

# Messages

def decode_message(cls: type[_M], version: int, data: bytes | bytearray | memoryview, trailing: bool = False) -> _M: ...
def encode_message(message: object, version: int, prefix: bytes | None = None) -> bytes: ...
def regex_matches(pattern: str, names: list[str]) -> list[str]: ...
def read_uvarint(data: bytes, position: int) -> tuple[int, int]: ...
def crc32c(data: bytes) -> int:
    """CRC32C (Castagnoli), the checksum of record batches."""

def murmur2(key: bytes) -> int:
    """The hash by which Kafka's Java client spreads keys over partitions: 32 bits, signed."""

def compress(name: str, data: bytes, level: int | None = None) -> bytes:
    """`data` in Kafka's framing of the codec `name`; `level` as in `compression.<codec>.level`.

    Raises:
        ValueError: The codec is unknown or has no such level.
    """

def decompress(name: str, data: bytes, limit: int = 1073741824) -> bytes:
    """What `data` decompresses to, in Kafka's framing of the codec `name`.

    Raises:
        ValueError: The codec is unknown, the data are invalid, or decompress to more than `limit` bytes.
    """

# Records

def unpickled_records(batches: list[Any]) -> Records:
    """What `pickle` makes `Records` of again."""

@final
class Record:
    """A record that was fetched from a topic. Attributes are made anew at each access: keep what you use twice.

    Keeping one keeps no more than about its own bytes: see `Records`. Records are equal if all their attributes are,
    and can be pickled. It has the buffer protocol: `memoryview(record)` is the value where it lies, read-only, without
    a copy; a null value has no bytes (`BufferError`).
    """

    @property
    def topic(self) -> str:
        """The record's topic."""

    @property
    def partition(self) -> int:
        """The record's partition."""

    @property
    def offset(self) -> int:
        """The record's offset in its partition."""

    @property
    def timestamp(self) -> int:
        """Milliseconds since the epoch, -1 if the producer gave none."""

    @property
    def timestamp_type(self) -> int:
        """What the timestamp is: 0 create time, 1 log append time, -1 none (the oldest message format)."""

    @property
    def leader_epoch(self) -> int | None:
        """The leader epoch of the record's batch, None if it is unknown."""

    @property
    def key(self) -> bytes | None:
        """The key, a new `bytes` each time; None if it is null."""

    @property
    def value(self) -> bytes | None:
        """The value, a new `bytes` each time; None if it is null."""

    @property
    def headers(self) -> list[tuple[str, bytes | None]]:
        """The headers as pairs of name and value, in their order, repeated names kept."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class Records(Sequence[Record]):
    """Records in the order in which they were fetched: a lazy, immutable sequence.

    Indexing and iterating give `Record` objects; `values()`, `keys()`, `offsets()` and `timestamps()` give lists
    without them; `to_arrow()` and `__arrow_c_stream__` give columns. All of these copy the bytes that they give out,
    slices and `by_partition()` copy nothing. The buffer protocol gives the encoded records, read-only: in place if
    they are of one batch, joined by a copy if not. Pickles hold the encoded records, detached.

    Lifetime: the fetched buffers stay as long as more than half of their bytes belongs to a `Records`, a slice or a
    `Record` that is alive. When it becomes half or less, what is alive is copied into a buffer of its own and the
    others are let go. So what you keep pins at most twice its own size, and 64 KiB. Open `memoryview`s and columns of
    views pin the whole buffer that they point into.
    """

    @staticmethod
    def from_bytes(
        topic: str, partition: int, data: Buffer, first_offset: int = 0, end_offset: int | None = None
    ) -> Records:
        """The records of whole record batches as they stand in a log segment or a fetch response.

        Checks each batch's CRC and decompresses it; message sets of older formats (0 and 1) are read too. Records
        outside of `first_offset` to `end_offset` are left out. `bytes` are not copied and live as long as the records
        do.

        Raises:
            CorruptMessageError: A batch is damaged, or of an unknown format or codec.
        """

    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    @overload
    def __getitem__(self, index: int, /) -> Record: ...
    @overload
    def __getitem__(self, index: slice, /) -> Records: ...
    def __iter__(self) -> Iterator[Record]: ...
    def values(self) -> list[bytes | None]:
        """The values as a list of `bytes`, None where a value is null. Copies each value once."""

    def keys(self) -> list[bytes | None]:
        """The keys as a list of `bytes`, None where a key is null. Copies each key once."""

    def offsets(self) -> list[int]:
        """The offsets as a list."""

    def timestamps(self) -> list[int]:
        """The timestamps as a list, milliseconds since the epoch, -1 where the producer gave none."""

    def by_partition(self) -> dict[TopicPartition, Records]:
        """The records of each partition, in the order of first appearance."""

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        *,
        schema: object | None = None,
        format: str = "json",  # noqa: A002 (Spark's word)
        mode: str = "PERMISSIVE",
        views: bool = False,
        dialect: str = "client",
        options: dict[str, Any] | None = None,
        resolver: Callable[[int], str | None] | None = None,
    ) -> pa.Table:
        """The records as a `pyarrow.Table`: Kafka's own columns, or typed columns decoded from the values.

        Needs pyarrow. Other Arrow libraries take the records themselves, through `__arrow_c_stream__`.

        Args:
            columns: Kafka's columns to make, in this order: topic, partition, offset, timestamp, timestamp_type, key,
                value, headers. All of them by default, none beside typed columns. What is not named is not made.
            schema: An Arrow schema (anything with `__arrow_c_schema__`) of typed columns. Fields come from the value by
                their names; those that `columns` names come from the record itself. May be left out for Avro when
                the options have a schema.
            format: What the values are: "json", "avro", "csv" or "text".
            mode: What becomes of a value that does not fit: "PERMISSIVE" nulls, "FAILFAST" an error with topic,
                partition and offset, "DROPMALFORMED" no row. A string column `_corrupt_record` in the schema gets the
                value.
            views: Key and value as `binary_view`: not copied, they pin the fetched buffers as long as the table lives.
            dialect: Names and types of Kafka's columns: "client", or "spark" for exactly those of spark-sql-kafka.
            options: The format's options by Spark's names.
            resolver: For Avro behind the five bytes of a schema registry: gives the schema's text by its id, or None.

        Raises:
            ValueError: A column, format, mode or option is not known; a value does not fit and the mode is "FAILFAST".
            CorruptMessageError: A batch does not hold what its header says.
        """

    def to_pandas(self, *args: Any, **kwargs: Any) -> Any:
        """A `pandas.DataFrame`, by `to_arrow()` with the same arguments. Needs pyarrow and pandas."""

    def to_polars(self, *args: Any, **kwargs: Any) -> Any:
        """A `polars.DataFrame`, by `to_arrow()` with the same arguments. Needs pyarrow and polars."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The Arrow C stream of the records, in the schema of `to_arrow()`."""

    def __buffer__(self, flags: int, /) -> memoryview: ...
    def detach(self) -> Records:
        """The same records in a buffer of their own, copied once, so that what was fetched with them can be freed."""

    @property
    def pinned_bytes(self) -> int:
        """Bytes of fetched buffers that this poll's `Records` and `Record` objects keep alive, all together."""

class ArrowTable:
    """Arrow data for any library: has `__arrow_c_stream__`, as in `pyarrow.table(data)`."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class ArrowBatch:
    """One Arrow record batch for any library: has `__arrow_c_array__`, as in `pyarrow.record_batch(batch)`."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class EncodedBatch:
    """One sealed record batch as it goes into a Produce request or a log, from base offset 0.

    It has the buffer protocol: `bytes(batch)` copies it, `memoryview(batch)` does not.
    """

    @property
    def topic(self) -> str | None:
        """The topic that the rows named, None if they named none."""

    @property
    def partition(self) -> int | None:
        """The partition that the rows named, None if they named none."""

    @property
    def record_count(self) -> int:
        """How many records it has."""

    def __len__(self) -> int:
        """Its size in bytes."""

    def __buffer__(self, flags: int, /) -> memoryview: ...

def batches(
    data: object,
    *,
    compression: str = "none",
    level: int | None = None,
    batch_size: int = 1_048_576,
    timestamp: int | None = None,
) -> list[EncodedBatch]:
    """Record batches from a table or a list of values. Values are copied once.

    Args:
        data: A list or tuple of `bytes` (None is a null value), or a table: anything with `__arrow_c_stream__` or
            `__arrow_c_array__`. Its columns are `value` and as many of `key`, `headers`, `topic`, `partition` and
            `timestamp` as it has; `offset` and `timestamp_type` are ignored. Key and value may be binary or string,
            large, view or fixed-size, or a dictionary of these; headers a list of structs of key and value, or a map;
            topic strings; partition whole numbers; timestamp of any unit, or 64-bit milliseconds. A null timestamp is
            `timestamp`.
        compression: "none", "gzip", "snappy", "lz4" or "zstd".
        level: The codec's level, its default if None.
        batch_size: Bytes at which a batch is full, uncompressed. A larger record gets a batch of its own.
        timestamp: Milliseconds since the epoch for rows without one, by default now.

    Returns:
        Rows of one topic and partition in batches of their own, in the order of the rows.

    Raises:
        TypeError: The data is no table, or a column's type has no place in a record.
        ValueError: A column or option is not known, a cell cannot be written, or the Arrow data is broken.
    """

def encode_json(table: object, *, keep: Sequence[str] = (), options: dict[str, Any] | None = None) -> ArrowTable:
    """A table whose column `value` is each row as a JSON object, by the rules of Spark's `to_json`.

    Args:
        table: Anything with `__arrow_c_stream__` or `__arrow_c_array__`.
        keep: Columns that stay as they are, of key, headers, topic, partition and timestamp; all others become the
            value.
        options: By Spark's names, as `ignoreNullFields`.

    Raises:
        ValueError: A column has a type that JSON is not written from, or an option is not known.
    """

def infer_schema(values: Sequence[bytes | None], *, options: dict[str, Any] | None = None) -> object:
    """The schema, with `__arrow_c_schema__`, that JSON values have, by the rules of Spark's `spark.read.json`.

    Args:
        values: The values; None is passed over.
        options: By Spark's names, as `mode` and `allowComments`. In mode PERMISSIVE values that are no JSON object, or
            list of objects, ask for the column `_corrupt_record`; under DROPMALFORMED they are left out.

    Raises:
        ValueError: An option is not known; under FAILFAST a value is bad: its index is the exception's second argument.
    """

def encode_avro(
    table: object, schema: str | None = None, *, schema_id: int | None = None, keep: Sequence[str] = ()
) -> ArrowTable:
    """A table whose column `value` is each row in Avro's binary encoding.

    Args:
        table: Anything with `__arrow_c_stream__` or `__arrow_c_array__`.
        schema: The Avro schema's text; without it, it follows from the columns as in Spark's `to_avro`.
        schema_id: The schema's id in a registry: each value begins with the five bytes that name it.
        keep: Columns that stay as they are, of key, headers, topic, partition and timestamp; all others become the
            value.

    Raises:
        ValueError: A row does not fit the schema, or a column has no type in Avro.
    """

def check_conditions(schema: object, conditions: Sequence[tuple[str, str, object]]) -> None:
    """Finds out whether conditions can be asked of the columns of an Arrow schema.

    Args:
        schema: The schema.
        conditions: As `Scan` takes them.

    Raises:
        ValueError: A column is unknown, its type has no order, or what it is compared with does not fit.
    """

def check_schema(
    schema: object,
    raw_columns: Sequence[str] | None = None,
    *,
    format: str = "json",  # noqa: A002 (Spark's word)
    options: dict[str, Any] | None = None,
    names_schemas: bool = False,
) -> None:
    """Finds out whether every column of an Arrow schema can be read.

    Without `raw_columns` all are Kafka's own; otherwise those that it names, and the others come from the values, which
    are of `format` and read with `options`. With `names_schemas` Avro's values name their schemas, which a resolver
    tells.

    Raises:
        ValueError: A column cannot be read, or an option is not known.
    """

@final
class ScanClient:
    """Connections to a cluster that scans share, one after the other."""

    def __new__(cls, config: Mapping[str, Any]) -> Self: ...

@final
class Scan(Iterator[ArrowBatch]):
    """Iterator over the Arrow batches of the records with offsets from `start` to before `end`.

    Fetching and decoding run ahead on a thread that waits for Python only where Avro's values name schemas that were
    not told yet: `resolver` gives a schema's text by its id, or None, and is called by `next()`. Dropping the scan ends
    it. `conditions` are of a column, a comparison (`in`, `!=`, `<`, `<=`, `>`, `>=`, `is null`, `is not null`) and an
    Arrow array of what to compare with; rows that do not meet all of them are left out. Of the records only those whose
    offsets are in the Arrow array `offsets` (64-bit, ascending), if there is one, are decoded.
    """

    def __new__(
        cls,
        client: ScanClient,
        topic: str,
        partition: int,
        start: int,
        end: int,
        schema: object,
        *,
        raw_columns: Sequence[str] | None = None,
        fail_fast: bool = False,
        format: str = "json",  # noqa: A002 (Spark's word)
        options: dict[str, Any] | None = None,
        resolver: Callable[[int], str | None] | None = None,
        rows: int | None = None,
        conditions: Sequence[tuple[str, str, object]] = (),
        offsets: object | None = None,
        idle_timeout_ms: int = 120_000,
    ) -> Self: ...
    @property
    def schema(self) -> object:
        """The schema of the batches, with `__arrow_c_schema__`."""

    def __iter__(self) -> Scan: ...
    def __next__(self) -> ArrowBatch: ...

# Client

@final
class ClientCore:
    """One I/O thread for all brokers, shared by what one producer, consumer or admin does."""

    def __new__(cls, config: Mapping[str, Any]) -> Self: ...
    def submit(
        self,
        target: tuple[Any, ...],
        api_key: int,
        variants: list[tuple[int, int, Any]],
        timeout_ms: float,
        retry: bool = True,
    ) -> int:
        """Sends a request at the newest version that both sides know; its event carries the returned token."""

    def cancel(self, token: int) -> None:
        """Forgets a submission: no event of it comes any more."""

    def invalidate_coordinator(self, key_type: int, key: str) -> None:
        """Looks a coordinator up again before the next request to it."""

    def events(self, timeout: float | None = None) -> list[tuple[Any, ...]]:
        """Waits for events and returns all that are there."""

    def wake(self) -> None:
        """Makes a wait of another thread return early."""

    def bell(self) -> int:
        """A new socket, to be owned by the caller: it gets one byte for each `arm_bell()` that found nothing."""

    def arm_bell(self) -> bool:
        """Lets the next event ring the bell, once; False, and nothing will ring, if an event waits already."""

    def cluster(self) -> tuple[Any, ...]:
        """(cluster id, controller id, brokers, topics) as metadata has them now."""

    def want_topics(self, topics: Sequence[str] | None) -> None:
        """Keeps the metadata of these topics fresh; None means all."""

    def refresh_metadata(self, timeout: float) -> bool:
        """Asks for metadata and waits until it is there; whether it came in time."""

    def failure(self) -> str | None:
        """Why no broker has answered, None if one has."""

    def metrics(self) -> dict[str, int | float]:
        """Counters by name."""

    def close(self, timeout: float) -> None:
        """Closes the connections and ends the I/O thread."""

    def abandon(self) -> None:
        """In the child after a fork: every use of clients that were made before raises from now on."""

@final
class Delivery:
    """What becomes of a record that was sent. It may be dropped: the record is sent nevertheless."""

    def done(self) -> bool:
        """Whether the record is acknowledged or has failed."""

    def result(self, timeout: float | None = None) -> RecordMetadata:
        """Waits for the acknowledgement, and says where the record was written.

        Waiting makes the record's batch ready at once, instead of after `linger_ms`.

        Args:
            timeout: The most seconds to wait; by default until the outcome is known. 0, and less as of a deadline that
                has passed, does not wait.

        Raises:
            KafkaTimeoutError: There was no acknowledgement within `timeout` seconds; the record may still be sent.
            KafkaError: The record was not written.
        """

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits as `result` does, and says why the record was not written; None if it was.

        Args:
            timeout: As with `result`.

        Raises:
            KafkaTimeoutError: There was no acknowledgement within `timeout` seconds; the record may still be sent.
        """

    def add_done_callback(self, callback: Callable[[Delivery], object]) -> None:
        """Has `callback(delivery)` called when the record is acknowledged or has failed.

        Callbacks run one after the other on a thread of the producer's, those of a partition in the order of its
        records; what they raise is logged. `Producer.close` waits for them.
        """

    def __await__(self) -> Generator[Any, None, RecordMetadata]: ...

@final
class DeliveryBatch:
    """What becomes of records that were sent by one call of `send_many`."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Delivery: ...
    def done(self) -> bool:
        """Whether all records are acknowledged or have failed."""

    def result(self, timeout: float | None = None) -> list[RecordMetadata]:
        """Waits for the acknowledgements, and says where each record was written, in order of sending.

        Args:
            timeout: As with `Delivery.result`, for all of them together.

        Raises:
            KafkaTimeoutError: Not all were acknowledged within `timeout` seconds.
            KafkaError: A record was not written.
        """

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits as `result` does, and says why a record was not written, the first such one; None if all were.

        Cheaper than `result`, which makes an object for each record.

        Args:
            timeout: As with `result`.

        Raises:
            KafkaTimeoutError: Not all were acknowledged within `timeout` seconds.
        """

    def __await__(self) -> Generator[Any, None, list[RecordMetadata]]: ...

@final
class AsyncDelivery:
    """What becomes of a record that an `AsyncProducer` has taken: a future of the producer's event loop.

    It may be awaited, gathered, waited for with a timeout, or dropped: the record is sent nevertheless. Awaiting it
    makes the record's batch ready at once, instead of after `linger_ms`; `asyncio.gather` and callbacks do not.
    Cancelling it, or a task that awaits it, ends the wait and not the sending; `asyncio.shield` keeps it for later.
    """

    def done(self) -> bool:
        """Whether the record is acknowledged or has failed, or the delivery was cancelled."""

    def cancelled(self) -> bool:
        """Whether the delivery was cancelled."""

    def result(self) -> RecordMetadata:
        """Where the record was written.

        Raises:
            KafkaError: The record was not written.
            asyncio.InvalidStateError: It is not known yet.
            asyncio.CancelledError: The delivery was cancelled.
        """

    def exception(self) -> BaseException | None:
        """Why the record was not written, None if it was; raises what `result` raises besides."""

    def add_done_callback(self, callback: Callable[[AsyncDelivery], object], *, context: Context | None = None) -> None:
        """Has the loop call `callback(delivery)` when the record is acknowledged or has failed."""

    def remove_done_callback(self, callback: Callable[[AsyncDelivery], object]) -> int:
        """Takes a callback back; returns how often it had been added."""

    def cancel(self, msg: object = None) -> bool:
        """Ends the wait; whether there was something to wait for. The record is sent nevertheless."""

    def get_loop(self) -> AbstractEventLoop:
        """The event loop that the producer belongs to."""

    @property
    def _asyncio_future_blocking(self) -> bool: ...
    @_asyncio_future_blocking.setter
    def _asyncio_future_blocking(self, value: bool, /) -> None: ...
    def _make_cancelled_error(self) -> BaseException: ...
    @property
    def _cancel_message(self) -> None: ...
    def __await__(self) -> Generator[Any, None, RecordMetadata]: ...
    def __iter__(self) -> Generator[Any, None, RecordMetadata]: ...

@final
class AsyncDeliveryBatch:
    """What becomes of records that an `AsyncProducer` has taken in one call."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> AsyncDelivery: ...
    def done(self) -> bool:
        """Whether all records are acknowledged or have failed."""

    def result(self) -> list[RecordMetadata]:
        """Where each record was written, in order of sending.

        Raises:
            KafkaError: A record was not written.
            asyncio.InvalidStateError: Not all are acknowledged or have failed.
        """

    def __await__(self) -> Generator[Any, None, list[RecordMetadata]]: ...

@final
class CallbackQueue:
    """Records with callbacks that have their outcomes, for the thread that calls them."""

    def take(self) -> tuple[list[Delivery], list[Callable[[Delivery], object]]] | None:
        """Waits for some, and what to call with each. None when the queue is closed and empty."""

    def close(self) -> None:
        """Ends the wait of `take` once nothing is left."""

@final
class Room:
    """A place in the queue for room in `buffer_memory`, given up when it is dropped."""

    def ready(self) -> bool:
        """Whether the room is there."""

@final
class Flushing:
    """A flush that goes on while this lives."""

    def done(self) -> bool:
        """Whether all that was sent before is acknowledged or has failed."""

@final
class Many:
    """Records of one call, as far as they were taken."""

@final
class ManyRows:
    """Rows of a table, as far as they were taken."""

@final
class ProducerCore:
    """Accumulator, buffer pool and sender of a producer."""

    def __new__(cls, client: ClientCore, config: Mapping[str, Any]) -> Self: ...
    def send(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        partition: int | None = None,
        timestamp: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] | None = None,
    ) -> Delivery: ...
    def send_many(
        self,
        topic: str,
        values: list[bytes | None],
        keys: list[bytes | None] | None = None,
        headers: list[Sequence[tuple[str, bytes | None]] | None] | None = None,
        timestamps: list[int] | None = None,
        partition: int | list[int | None] | None = None,
    ) -> DeliveryBatch: ...
    def send_table(self, topic: str | None, table: object, partition: int | None = None) -> DeliveryBatch: ...
    def partition_count(self, topic: str) -> int:
        """How many partitions a topic has; waits until that is known."""

    def flush(self, timeout: float | None = None) -> bool: ...
    def close(self, timeout: float) -> None: ...
    def metrics(self) -> dict[str, int | float]: ...
    def callback_thread(self) -> Thread | None:
        """The thread that calls back, if there has been something to call."""

    def why_unknown(self, topic: str) -> str | None:
        """Why a topic's partitions are not known, as far as the cluster has told."""

    def offer(
        self,
        topic: str,
        value: bytes | None = None,
        key: bytes | None = None,
        partition: int | None = None,
        timestamp: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] | None = None,
        room: Room | None = None,
    ) -> AsyncDelivery | int | None:
        """Takes a record; or None while the topic is not known, or the bytes that it needs `room` for."""

    @staticmethod
    def many(
        values: list[bytes | None],
        keys: list[bytes | None] | None = None,
        headers: list[Sequence[tuple[str, bytes | None]] | None] | None = None,
        timestamps: list[int] | None = None,
        partition: int | list[int | None] | None = None,
    ) -> Many:
        """Records for `offer_many`."""

    def offer_many(self, topic: str, many: Many, room: Room | None = None) -> bool | int | None:
        """Takes as many records as there is room for; True when all are taken, else as `offer`."""

    def taken(self, many: Many) -> AsyncDeliveryBatch:
        """The handle of records that were all taken."""

    def known_partition_count(self, topic: str) -> tuple[int] | None:
        """How many partitions a topic has; None while that is not known."""

    def rows(self, topic: str | None, table: object, partition: int | None = None) -> ManyRows:
        """Rows for `offer_rows`."""

    def offer_rows(self, rows: ManyRows, room: Room | None = None) -> bool | int | str:
        """Takes some rows; True when all are taken, False when more can be, a topic, or the bytes to ask `room` for."""

    def rows_taken(self, rows: ManyRows) -> AsyncDeliveryBatch | None:
        """The handle of rows that were all taken."""

    def room(self, size: int) -> Room:
        """A place in the queue for so many bytes; the bell rings when they are there."""

    def room_error(self, size: int) -> BaseException:
        """The error for room that did not come in time."""

    def flushing(self) -> Flushing:
        """Sends what waits; the bell rings at every answer."""

    def begin_close(self) -> None:
        """Refuses further records."""

    def set_loop(self, event_loop: AbstractEventLoop) -> None:
        """The loop that deliveries belong to."""

    def settled(self) -> list[tuple[Callable[[AsyncDelivery], object], AsyncDelivery, Context | None]]:
        """What is to be called now, and with what."""

    def bell(self) -> int:
        """As of `ClientCore`, for outcomes, room and flushes."""

    def arm_bell(self) -> bool:
        """As of `ClientCore`."""

@final
class FetchCore:
    """Fetcher and heartbeats of a consumer."""

    def __new__(cls, client: ClientCore, config: Mapping[str, Any]) -> Self: ...
    def assign(self, partitions: Sequence[tuple[str, int, int, int]]) -> None:
        """Takes the whole new assignment as (topic, partition, offset, leader epoch).

        A partition that was assigned before keeps its position and buffered data, unless an offset of 0 or more is
        given.
        """

    def seek(self, topic: str, partition: int, offset: int) -> None: ...
    def pause(self, partitions: Sequence[tuple[str, int]]) -> None: ...
    def resume(self, partitions: Sequence[tuple[str, int]]) -> None: ...
    def position(self, topic: str, partition: int) -> int | None: ...
    def positions(self) -> list[tuple[str, int, int, int]]: ...
    def poll(self, timeout: float, max_records: int | None = None) -> Records | None:
        """Waits for fetched records or for an event of the client core; moves positions on."""

    def metrics(self) -> dict[str, int | float]:
        """Counters by name."""

    def lag(self, topic: str, partition: int) -> int | None:
        """How many offsets a position is behind its high watermark, None while either is unknown."""

    def high_watermarks(self) -> dict[tuple[str, int], int]: ...
    def start_heartbeat(
        self,
        group: str,
        api_key: int,
        variants: list[tuple[int, int, Any]],
        interval_ms: float,
        poll_interval_ms: float,
        leave_api_key: int,
        leave_variants: list[tuple[int, int, Any]],
        full_variants: list[tuple[int, int, Any]],
    ) -> None:
        """Repeats a heartbeat, and sends the LeaveGroup if `poll_called` is not called in time.

        After a lost answer `full_variants` is sent in its place, if there are any.
        """

    def stop_heartbeat(self) -> None: ...
    def poll_called(self) -> None: ...

# Broker

def log_push(level: int, target: str, template: str, text: str, thread: str, fields: list[tuple[str, str]]) -> None:
    """Hands a line over without waiting. Lines of the same `template` are of one kind; only some of them are kept."""

def log_pull(timeout: float) -> list[tuple[int, str, str, float, str, list[tuple[str, str]]]]:
    """Waits up to `timeout` seconds for lines and returns all that are there."""

def log_wake() -> None:
    """Ends a wait of `log_pull`."""

def log_lines_lost() -> int:
    """How many lines did not fit."""

@final
class BrokerCore:
    """The data plane of a broker; see `barnabas.broker.core` for its events."""

    @staticmethod
    def start(config: dict[str, Any]) -> BrokerCore:
        """Opens the data directories and binds the listeners; requests are served from `open_gate()` on."""

    def endpoints(self) -> list[tuple[str, str, int]]:
        """Listener, host and port of every endpoint that clients are told."""

    def open_gate(self) -> None:
        """Serves requests from here on."""

    def now_ms(self) -> float:
        """Monotonic milliseconds, the clock of all arrival stamps."""

    def pull(self, timeout: float, limit: int = 256) -> list[tuple[Any, ...]]:
        """Waits for events and returns all that are there, in arrival order, up to `limit`."""

    def respond(self, token: int, body: bytes, busy_ns: int = 0, mutations_ms: int = 0) -> None:
        """Answers an API request with a response body, to which the header is added."""

    def mutations_left(self, token: int) -> float | None:
        """Partitions that a request may create and delete, none below 0; None if nothing limits its client."""

    def charge_mutations(self, token: int, partitions: int) -> int:
        """Charges a request for partitions created and deleted; milliseconds until its client owes nothing."""

    def respond_from_image(self, token: int) -> None:
        """Answers a Metadata request from the image as it is now, without creating anything."""

    def append(
        self,
        topic: str,
        partition: int,
        leader_epoch: int,
        records: Sequence[tuple[bytes | None, bytes | None]],
        timestamp_ms: int,
    ) -> int:
        """Appends records as one batch and returns the first one's offset."""

    def append_control(
        self,
        topic: str,
        partition: int,
        leader_epoch: int,
        records: Sequence[tuple[int, bytes]],
        timestamp_ms: int,
    ) -> int:
        """The same of control records, given as type and value."""

    @staticmethod
    def make_batch(
        base_offset: int,
        leader_epoch: int,
        records: Sequence[tuple[bytes | None, bytes | None]],
        timestamp_ms: int,
    ) -> bytes:
        """A batch of records, as a file of its own holds it."""

    @staticmethod
    def make_control_batch(
        base_offset: int, leader_epoch: int, records: Sequence[tuple[int, bytes]], timestamp_ms: int
    ) -> bytes:
        """The same of control records, given as type and value."""

    def delete_records(self, topic: str, partition: int, before_offset: int) -> int:
        """Lets a log begin later and removes the segments that end before; returns its first offset, durably so."""

    def log_size(self, topic: str, partition: int) -> int | None:
        """Bytes of a partition's segments; None if the partition is not here."""

    def read(self, topic: str, partition: int, offset: int, max_bytes: int) -> int:
        """Starts a read of whole batches below the high watermark; its event carries the returned token."""

    @staticmethod
    def decode_batches(data: bytes) -> list[tuple[int, int, bytes | None, bytes | None, int, int, bool]]:
        """Offset, timestamp, key, value, producer id, producer epoch and "is control" of every record of batches."""

    def watch(self, topic: str, partition: int) -> None:
        """Tells of a partition's readiness, movements and end from here on."""

    def info(self, topic: str, partition: int) -> tuple[int, int, int, int, int] | None:
        """Log start, high watermark, last stable offset, log end and leader epoch; None if it is not here."""

    def publish(self, delta: Sequence[tuple[Any, ...]], offset: int, epoch: int) -> None:
        """Publishes changes of the image as of an offset and epoch of the metadata log."""

    def store(self, name: str, data: bytes) -> None:
        """Replaces a small durable file."""

    def load(self, name: str) -> bytes | None:
        """Reads a small durable file; None if there is none."""

    def close_connection(self, connection_id: int) -> None:
        """Closes a connection."""

    def inject(
        self,
        api_key: int | None,
        client_id: str | None,
        nth: int,
        times: int,
        action: str,
        value: int,
        is_after: bool,
    ) -> int:
        """Adds a fault: an "error", "delay", "drop" or "disconnect"; `value` is its error code or milliseconds."""

    def remove_fault(self, fault: int | None) -> None:
        """Takes a fault out again; None takes all of them."""

    def fault_fired(self, fault: int) -> int | None:
        """How many requests have met a fault; None when it was taken out."""

    def wait_fault(self, fault: int, count: int, timeout: float) -> bool:
        """Waits until so many requests have met a fault, or it is taken out; False when time ran out before."""

    def record_requests(self, limit: int | None) -> None:
        """Keeps the last `limit` requests from here on; None keeps no more."""

    def requests_seen(self) -> list[tuple[float, int, str, str | None, int, int, int, int]]:
        """The requests that were kept, in the order of their arrival."""

    def advance_clock(self, ms: int) -> None:
        """Lets time pass at once, for sessions, transactions and retention."""

    def prometheus(self) -> str:
        """All metrics of the data plane as text, in Prometheus' exposition format."""

    def wall_ms(self) -> int:
        """Milliseconds since 1970 by the broker's clock."""

    def metrics(self) -> dict[str, int]:
        """Counters and lengths by name."""

    def stop(self, timeout: float) -> bool:
        """Finishes what is being executed and marks the shutdown as clean; whether all went well."""
