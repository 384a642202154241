"""Calls what was added to deliveries: one thread per producer that has any, started with the first, ended with it."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from barnabas.client.core import CallbackQueue, Delivery, DeliveryBatch
    from barnabas.types import RecordMetadata

__all__ = ["all_awaited", "awaited", "serve"]

EXIT_TIMEOUT: Final = 1.0
"""Seconds that a callback which runs while the interpreter ends may go on."""

_log = logging.getLogger("barnabas.producer")
_threads: Final[dict[threading.Thread, CallbackQueue]] = {}


def serve(queue: CallbackQueue) -> threading.Thread:
    """Starts the thread that calls what the queue gives, until the queue is closed."""
    # A daemon, so that an unclosed producer does not keep the interpreter; it is stopped before the interpreter goes,
    # because a thread that comes back from the extension module later than that would end the process.
    thread = threading.Thread(target=_run, args=(queue,), name="barnabas-callbacks", daemon=True)
    _threads[thread] = queue
    thread.start()
    return thread


def _run(queue: CallbackQueue) -> None:
    try:
        # A wait may be long, so nothing of what was called last is kept here.
        while _called(queue.take()):
            pass
    finally:
        _threads.pop(threading.current_thread(), None)


def _called(calls: tuple[list[Delivery], list[Callable[[Delivery], object]]] | None) -> bool:
    """Calls what there is to call, and keeps nothing of it."""
    if calls is None:
        return False
    for delivery, callback in zip(*calls, strict=True):
        try:
            callback(delivery)
        except Exception:  # noqa: BLE001 - it is logged
            _log.exception("a delivery's callback failed: %r", callback)
    return True


@atexit.register
def _stop() -> None:
    for thread, queue in list(_threads.items()):
        queue.close()
        thread.join(EXIT_TIMEOUT)


def awaited(delivery: Delivery) -> Generator[Any, None, RecordMetadata]:
    """One `await` of a delivery in whatever loop is running: the callback thread wakes it."""
    if not delivery.done():
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def settle(_: Delivery) -> None:
            # A loop that was closed meanwhile has nobody who waits.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_resolve, future)

        delivery.add_done_callback(settle)
        yield from future
    return delivery.result(0)


def all_awaited(batch: DeliveryBatch, deliveries: Sequence[Delivery]) -> Generator[Any, None, list[RecordMetadata]]:
    """One `await` of many deliveries: one record of each of their batches is waited for."""
    for delivery in deliveries:
        # Its error is the batch's to raise, if no earlier record has one.
        with contextlib.suppress(Exception):
            yield from awaited(delivery)
    return batch.result(0)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
