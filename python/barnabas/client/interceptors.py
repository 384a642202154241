"""Interceptors of producers: they see, and may change, every record before it is serialized, and hear of its outcome.

They form a chain in the order of the option. What one raises is logged, and counts as if it had not been there.
"""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from barnabas.types import RecordMetadata

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from barnabas.client.core import AsyncDelivery, Delivery

__all__ = ["InterceptorChain", "ProducerInterceptor", "ProducerRecord", "TraceContext"]

_log = logging.getLogger("barnabas.producer")


class ProducerRecord(NamedTuple):
    """A record as an application gives it to a producer: key and value before serialization.

    Example:
        >>> ProducerRecord("orders", "3 apples")._replace(headers=[("shop", b"7")]).headers
        [('shop', b'7')]
    """

    topic: str
    value: Any = None
    key: Any = None
    partition: int | None = None
    timestamp: int | None = None
    headers: Sequence[tuple[str, bytes | None]] | None = None


class ProducerInterceptor(Protocol):
    """What an interceptor may have; a method that is missing is passed over.

    `on_send` and `close` are called by whoever sends and closes, `on_acknowledgement` by the producer's callback
    thread, or in the event loop.
    """

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        """Called with each record of `send` and `send_many`; returns what is sent in its place."""

    def on_send_table(self, topic: str | None, table: Any) -> Any:
        """Called with the table of `send_table`; returns what is sent in its place."""

    def on_acknowledgement(self, metadata: RecordMetadata, error: BaseException | None) -> None:
        """Called when a record of `send` or `send_many` is acknowledged or has failed; its offset is -1 then."""

    def close(self) -> None:
        """Called when the producer is closed."""


class InterceptorChain:
    """Several interceptors, one after the other."""

    __slots__ = ("_interceptors",)

    def __init__(self, interceptors: Sequence[Any]) -> None:
        self._interceptors = tuple(interceptors)

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        """What the last interceptor makes of the record."""
        for interceptor, method in self._having("on_send"):
            try:
                record = ProducerRecord(*method(record))
            except Exception:  # noqa: BLE001 - it is logged
                _log.exception("interceptor %r failed in on_send; the record goes on as it was", interceptor)
        return record

    def on_send_table(self, topic: str | None, table: Any) -> Any:
        """What the last interceptor makes of the table."""
        for interceptor, method in self._having("on_send_table"):
            try:
                table = method(topic, table)
            except Exception:  # noqa: BLE001 - it is logged
                _log.exception("interceptor %r failed in on_send_table; the table goes on as it was", interceptor)
        return table

    def watch(self, record: ProducerRecord, delivery: Delivery | AsyncDelivery) -> None:
        """Tells the interceptors when the record has its outcome."""
        if not any(True for _ in self._having("on_acknowledgement")):
            return

        def done(delivery: Any) -> None:
            try:
                metadata = delivery.result()
            except BaseException as error:  # noqa: BLE001 - a cancelled delivery is told of, too
                self.failed(record, error)
            else:
                self._acknowledged(metadata, None)

        delivery.add_done_callback(done)

    def failed(self, record: ProducerRecord, error: BaseException) -> None:
        """Tells the interceptors of a record that was not sent."""
        where = getattr(error, "topic_partition", None)
        partition = where[1] if isinstance(where, tuple) else record.partition
        self._acknowledged(RecordMetadata(record.topic, -1 if partition is None else partition, -1, -1), error)

    def close(self) -> None:
        """Closes all of them."""
        for interceptor, method in self._having("close"):
            try:
                method()
            except Exception:  # noqa: BLE001 - it is logged
                _log.exception("interceptor %r failed in close", interceptor)

    def _acknowledged(self, metadata: RecordMetadata, error: BaseException | None) -> None:
        for interceptor, method in self._having("on_acknowledgement"):
            try:
                method(metadata, error)
            except Exception:  # noqa: BLE001 - it is logged
                _log.exception("interceptor %r failed in on_acknowledgement", interceptor)

    def _having(self, name: str) -> Any:
        for interceptor in self._interceptors:
            method = getattr(interceptor, name, None)
            if method is not None:
                yield interceptor, method


class TraceContext:
    """Gives every record the headers of W3C's trace context, so that a consumer can go on with its producer's trace.

    Args:
        current: Returns the current `traceparent`, as in a web request's header, or a pair of it and the `tracestate`;
            None where there is no trace. By default OpenTelemetry's current span, if OpenTelemetry is installed and has
            one; else a new trace for each record.

    Example:
        >>> record = TraceContext().on_send(ProducerRecord("orders", b"3 apples"))
        >>> name, value = record.headers[0]
        >>> name, len(value)
        ('traceparent', 55)
    """

    def __init__(self, current: Callable[[], str | tuple[str, str | None] | None] | None = None) -> None:
        self._current = current or _current_span

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        """The record with the headers, unless it has them already."""
        headers = list(record.headers or ())
        if any(name == "traceparent" for name, _ in headers):
            return record
        context = self._current()
        if context is None:
            return record
        parent, state = (context, None) if isinstance(context, str) else context
        headers.append(("traceparent", parent.encode("ascii")))
        if state:
            headers.append(("tracestate", state.encode("ascii")))
        return record._replace(headers=headers)


def _current_span() -> str | tuple[str, str | None]:
    try:
        from opentelemetry import trace  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415 - not a dependency
    except ImportError:
        context = None
    else:
        context = trace.get_current_span().get_span_context()
    if context is None or not context.is_valid:
        # Version, trace, parent, flags: 01 says that it is recorded.
        return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"
    parent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"
    return parent, context.trace_state.to_header() or None
