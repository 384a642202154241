"""Every exception that barnabas raises.

Errors of the protocol are one class per code, all under `KafkaError`, with what may be done about them as attributes:
`retriable`, `fatal`, `abortable`. Mistakes of the caller (`ConfigError`, `IllegalStateError`) are apart.

Example:
    >>> error = for_code(3, topic_partition=("orders", 0))
    >>> error.retriable, error.code
    (True, 3)
    >>> print(error)
    the broker does not host this topic or partition [UNKNOWN_TOPIC_OR_PARTITION (3), orders-0]
"""

from __future__ import annotations

from barnabas import error_codes as _codes
from barnabas.error_base import KafkaError
from barnabas.error_codes import *  # noqa: F403  every class of the generated table
from barnabas.error_codes import (
    BY_CODE,
    MessageTooLargeError,
    NetworkError,
    OffsetOutOfRangeError,
    RequestTimedOutError,
    UnknownServerError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas._core import Record
    from barnabas.types import OffsetAndMetadata, TopicPartition


class KafkaTimeoutError(RequestTimedOutError, TimeoutError):
    """A call did not finish within its timeout."""

    text = "the call did not finish in time"


class BufferExhaustedError(KafkaTimeoutError):
    """`buffer_memory` stayed full for `max_block_ms`: the brokers take records slower than they are sent."""

    text = "buffer_memory stayed full for max_block_ms"


class ConnectionFailedError(NetworkError, ConnectionError):
    """A broker could not be reached, or the connection to it broke."""

    text = "a broker could not be reached"


class RecordTooLargeError(MessageTooLargeError):
    """A record is larger than this client may send (`max_request_size`, `buffer_memory`)."""

    text = "the record is larger than max_request_size or buffer_memory allows"


class ProtocolError(KafkaError):
    """Bytes are not what the protocol says they should be, or a message cannot be encoded at a version."""

    name = "PROTOCOL_ERROR"
    text = "malformed bytes"


class SerializationError(KafkaError):
    """A key or value could not be turned into bytes, or back."""

    name = "SERIALIZATION_ERROR"
    text = "a key or value could not be serialized"


class DeserializationError(SerializationError):
    """A key or value that was read could not be turned into an object.

    Attributes:
        record: The record as it was read: `record.value` and `record.key` are its bytes.
        part: "key" or "value".
    """

    name = "DESERIALIZATION_ERROR"
    text = "a key or value could not be deserialized"

    def __init__(self, message: str | None = None, *, record: Record, part: str) -> None:
        super().__init__(message, topic_partition=(record.topic, record.partition))
        self.record = record
        self.part = part

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a DeserializationError cannot be pickled: it holds the record that it is about")


class LogTruncationError(OffsetOutOfRangeError):
    """Records that were read are not in the log any more: an unclean election has cut it (KIP-320).

    Attributes:
        divergent_offsets: The first offset at which the logs differ, by partition; empty where it is not known.
    """

    text = "records that were read have been cut from the log"

    def __init__(
        self,
        message: str | None = None,
        *,
        divergent_offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None,
        topic_partition: tuple[str, int] | None = None,
    ) -> None:
        super().__init__(message, topic_partition=topic_partition)
        self.divergent_offsets = dict(divergent_offsets or {})


class CommitFailedError(KafkaError):
    """Offsets were not committed, because the group has gone on without this member."""

    name = "COMMIT_FAILED"
    text = "the group has gone on without this member"


class NoOffsetForPartitionError(KafkaError):
    """A partition has no committed offset, and `auto_offset_reset` is none."""

    name = "NO_OFFSET_FOR_PARTITION"
    text = "there is no committed offset, and auto_offset_reset is none"


class WakeupError(KafkaError):
    """Another thread called `Consumer.wakeup`."""

    name = "WAKEUP"
    text = "wakeup() was called"


class ConfigError(ValueError):
    """An option is unknown, has a value it may not have, or contradicts another one."""


class IllegalStateError(RuntimeError):
    """A call that the object's state does not allow, such as any use after `close`."""


class ConcurrentUseError(IllegalStateError):
    """A consumer was used by two threads at once."""


class ForkedClientError(IllegalStateError):
    """A client or broker was used in a process forked after it was made. Make a new one in the child."""


class UnsupportedOptionError(ConfigError):
    """An option that Kafka knows and barnabas does not support."""


def for_code(
    code: int,
    message: str | None = None,
    *,
    broker: int | str | None = None,
    topic_partition: str | tuple[str, int] | None = None,
    attempt: int | None = None,
) -> KafkaError:
    """The exception for a protocol error code.

    Args:
        code: The code; one that is not known becomes an `UnknownServerError` that carries it.
        message: What happened; by default the sentence that belongs to the code.
        broker: Whom it was attempted on.
        topic_partition: What it was about.
        attempt: Which attempt it was.

    Returns:
        The exception, to be raised.

    Raises:
        ValueError: If the code is 0, which is no error.
    """
    if code == 0:
        raise ValueError("code 0 is no error")
    known = BY_CODE.get(code, UnknownServerError)
    error = known(message, broker=broker, topic_partition=topic_partition, attempt=attempt)
    if error.code != code:
        error.code = code
    return error


__all__ = [
    "BY_CODE",
    "BufferExhaustedError",
    "CommitFailedError",
    "ConcurrentUseError",
    "ConfigError",
    "ConnectionFailedError",
    "ForkedClientError",
    "IllegalStateError",
    "KafkaError",
    "KafkaTimeoutError",
    "NoOffsetForPartitionError",
    "ProtocolError",
    "RecordTooLargeError",
    "SerializationError",
    "UnsupportedOptionError",
    "WakeupError",
    "for_code",
]
__all__ += _codes.__all__
