"""A TCP proxy between clients and brokers, in this process, that understands Kafka's frames.

It delays, cuts, truncates, throttles or swallows requests and responses of chosen APIs. Unlike a broker's own faults
it works with any broker, and it harms bytes and connections rather than answers.
"""

from __future__ import annotations

import asyncio
import random
import struct
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from barnabas.broker.hooks import api_key
from barnabas.errors import ConfigError, ProtocolError
from barnabas.protocol import apis, codec

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

__all__ = ["Proxy", "ProxyFault"]

FRAME_LIMIT: Final = 1 << 30
"""Longest frame that is passed on."""

_START_TIMEOUT: Final = 10.0
_TURN: Final = 0.01
_PIECE: Final = 1 << 12
_NAMES_ADDRESSES: Final = frozenset({apis.METADATA, apis.FIND_COORDINATOR, apis.DESCRIBE_CLUSTER, apis.PRODUCE})

Side = Literal["request", "response"]


class ProxyFault:
    """What goes wrong with some frames. As a context manager it is taken out at the end of the block.

    Attributes:
        about: What it does, in words.
        fired: How many frames have met it.
    """

    def __init__(self, about: str, remove: Callable[[ProxyFault], None]) -> None:
        self.about = about
        self.fired = 0
        self._remove = remove

    def remove(self) -> None:
        """Takes it out. Doing so again does nothing."""
        self._remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<ProxyFault {self.about}>"


@dataclass(slots=True)
class _Rule:
    """Which frames meet a fault, and what happens to them."""

    fault: ProxyFault
    key: int | None
    side: Side
    skip: int
    left: float
    share: float
    action: str
    value: float


class _CutError(Exception):
    """The connection ends here."""


class Proxy:
    """Listens on a free port of 127.0.0.1 for every broker of a cluster; clients reach all of them through it.

    The addresses in responses (Metadata, FindCoordinator, DescribeCluster, Produce) are those of the proxy. Nothing is
    encrypted, and nothing is changed but these addresses and what faults say.

    Args:
        bootstrap_servers: An address of the cluster.
        seed: For faults with a `share`, so that a run can be repeated.

    Example:
        >>> from barnabas import Broker, Producer
        >>> with Broker() as broker, Proxy(broker.bootstrap_servers) as proxy:
        ...     fault = proxy.inject("Produce", cut=True, when="response")
        ...     with Producer(bootstrap_servers=proxy.bootstrap_servers) as producer:
        ...         offset = producer.send("orders", b"written once, sent twice").result(30).offset
        ...     offset, fault.fired
        (0, 1)
    """

    def __init__(self, bootstrap_servers: str, *, seed: int | None = None) -> None:
        self._random = random.Random(seed)  # noqa: S311 - chance, not secrecy
        self._lock = threading.Lock()
        self._rules: list[_Rule] = []
        self._loop = asyncio.new_event_loop()
        self._listeners: dict[tuple[str, int], int] = {}
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="barnabas-proxy", daemon=True)
        self._thread.start()
        host, _, port = bootstrap_servers.split(",", maxsplit=1)[0].rpartition(":")
        self._port = self._call(self._listen((host, int(port))))
        self._is_open = True

    @property
    def bootstrap_servers(self) -> str:
        """The proxy's address for the address that it was made with."""
        return f"127.0.0.1:{self._port}"

    def inject(
        self,
        api: str | int | None = None,
        *,
        delay: float | None = None,
        cut: bool = False,
        black_hole: bool = False,
        truncate: int | None = None,
        throttle: float | None = None,
        when: Side = "request",
        nth: int = 1,
        times: int | None = 1,
        share: float = 1.0,
    ) -> ProxyFault:
        """Lets something happen to the n-th frame of an API and the ones after it.

        Exactly one of `delay`, `cut`, `black_hole`, `truncate` and `throttle` says what.

        Args:
            api: Kafka's name of the API (`"Produce"`) or its key; None for any.
            delay: Seconds that the frame, and what follows it on its connection, waits.
            cut: The connection is closed and the frame is not passed on: a lost request, or a lost response to a
                request that was carried out.
            black_hole: Neither this frame nor any later one of the connection is passed on, in either direction.
            truncate: So many bytes of the frame are passed on, then the connection is closed.
            throttle: Bytes per second at which the frame is passed on.
            when: Whether the requests or the responses are meant.
            nth: The first frame that meets the fault, counted from 1 among those that match from now on.
            times: How many meet it; None for all.
            share: The chance of each matching frame to meet it.

        Returns:
            The fault, which counts the frames that met it and can be taken out.

        Raises:
            ConfigError: An argument makes no sense, or the API is not known.
        """
        given = {
            "delay": delay,
            "cut": cut or None,
            "black_hole": black_hole or None,
            "truncate": truncate,
            "throttle": throttle,
        }
        chosen = {name: value for name, value in given.items() if value is not None}
        if len(chosen) != 1:
            raise ConfigError("a fault is exactly one of delay, cut, black_hole, truncate and throttle")
        ((action, value),) = chosen.items()
        if value < 0 or (action == "throttle" and value == 0):
            raise ConfigError(f"{action}={value}: it must be positive")
        if nth < 1 or (times is not None and times < 1) or not 0 <= share <= 1:
            raise ConfigError(
                f"nth={nth}, times={times}, share={share}: frames are counted from 1, shares go from 0 to 1"
            )
        if when not in ("request", "response"):
            raise ConfigError(f"when={when!r}: it is request or response")
        fault = ProxyFault(f"{action} {when}s of {'any API' if api is None else api}", self._forget)
        rule = _Rule(
            fault=fault,
            key=None if api is None else api_key(api),
            side=when,
            skip=nth - 1,
            left=float("inf") if times is None else times,
            share=share,
            action=action,
            value=float(value),
        )
        with self._lock:
            self._rules.append(rule)
        return fault

    def clear(self) -> None:
        """Takes all faults out."""
        with self._lock:
            self._rules.clear()

    def cut_all(self) -> None:
        """Closes every connection that is open now."""
        self._call(self._end_tasks())

    def close(self) -> None:
        """Closes all connections and stops listening. Doing so again does nothing."""
        if not self._is_open:
            return
        self._is_open = False
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _forget(self, fault: ProxyFault) -> None:
        with self._lock:
            self._rules = [rule for rule in self._rules if rule.fault is not fault]

    def _call(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_START_TIMEOUT)

    # In the loop

    async def _listen(self, target: tuple[str, int]) -> int:
        """The port that stands for a broker's address."""
        if target not in self._listeners:
            server = await asyncio.start_server(lambda *ends: self._serve(target, *ends), "127.0.0.1", 0)
            self._servers.append(server)
            self._listeners[target] = server.sockets[0].getsockname()[1]
        return self._listeners[target]

    async def _stop(self) -> None:
        for server in self._servers:
            server.close()
        mine = asyncio.current_task()
        while others := {task for task in asyncio.all_tasks() if task is not mine}:
            # A connection that was just accepted has a task that has not begun, and would not close it if it never did.
            await asyncio.sleep(0)
            for task in list(self._tasks):
                task.cancel()
            await asyncio.wait(others, timeout=_TURN)
        for writer in list(self._writers):
            # One that was closed with bytes left to send would wait for whoever does not read them.
            writer.transport.abort()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def _end_tasks(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, target: tuple[str, int], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - of a server's connection
        self._tasks.add(task)
        self._writers.add(writer)
        try:
            await self._link(target, reader, writer)
        except asyncio.CancelledError:
            # The end of the proxy, and of this task. Passed on, Python 3.11's streams would log it with a traceback.
            pass
        finally:
            self._tasks.discard(task)
            self._finish(writer)

    def _finish(self, writer: asyncio.StreamWriter) -> None:
        """Closes a connection; one with bytes left to send is remembered."""
        writer.close()
        if not writer.transport.get_write_buffer_size():
            self._writers.discard(writer)

    async def _link(self, target: tuple[str, int], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection(*target)
        except OSError:
            return
        self._writers.add(up_writer)
        link = _Link(self)
        pumps = [
            asyncio.create_task(link.requests(reader, up_writer)),
            asyncio.create_task(link.responses(up_reader, writer)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            self._finish(up_writer)

    def meet(self, key: int, side: Side) -> list[tuple[str, float]]:
        """What happens to a frame."""
        met = []
        with self._lock:
            for rule in self._rules:
                if rule.key not in {None, key} or rule.side != side or rule.left < 1:
                    continue
                if self._random.random() >= rule.share:
                    continue
                if rule.skip:
                    rule.skip -= 1
                    continue
                rule.left -= 1
                rule.fault.fired += 1
                met.append((rule.action, rule.value))
        return met

    async def rewritten(self, key: int, version: int, frame: bytes) -> bytes:
        """A response with the proxy's addresses in place of the brokers'."""
        if key not in _NAMES_ADDRESSES:
            return frame
        cls = codec.response_class(key)
        header = 5 if cls.FLEXIBLE_FROM is not None and version >= cls.FLEXIBLE_FROM else 4
        try:
            message: Any = codec.decode(cls, version, frame[header:])
        except ProtocolError:
            return frame
        places = [message]
        for name in ("brokers", "coordinators", "node_endpoints"):
            places += getattr(message, name, ())
        for place in places:
            if getattr(place, "host", "") and place.port > 0:
                place.port = await self._listen((place.host, place.port))
                place.host = "127.0.0.1"
        return frame[:header] + codec.encode(message, version)


class _Link:
    """One client's connection to one broker."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._asked: dict[int, tuple[int, int]] = {}
        self._is_black = False

    async def requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes requests on, until one side ends."""
        try:
            while True:
                frame = await _frame(reader)
                key, version, correlation = struct.unpack_from(">hhi", frame)
                self._asked[correlation] = (key, version)
                await self._pass(key, "request", frame, writer)
        except (_CutError, asyncio.IncompleteReadError, OSError, struct.error):
            return

    async def responses(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes responses on, until one side ends."""
        try:
            while True:
                frame = await _frame(reader)
                (correlation,) = struct.unpack_from(">i", frame)
                key, version = self._asked.pop(correlation, (-1, 0))
                frame = await self._proxy.rewritten(key, version, frame)
                await self._pass(key, "response", frame, writer)
        except (_CutError, asyncio.IncompleteReadError, OSError, struct.error):
            return

    async def _pass(self, key: int, side: Side, frame: bytes, writer: asyncio.StreamWriter) -> None:
        data = len(frame).to_bytes(4, "big") + frame
        rate = 0.0
        for action, value in self._proxy.meet(key, side):
            if action == "delay":
                await asyncio.sleep(value)
            elif action == "throttle":
                rate = value
            elif action == "black_hole":
                self._is_black = True
            elif action == "truncate":
                writer.write(data[: int(value)])
                await writer.drain()
                raise _CutError
            else:
                raise _CutError
        if self._is_black:
            return
        if not rate:
            writer.write(data)
            await writer.drain()
            return
        for start in range(0, len(data), _PIECE):
            piece = data[start : start + _PIECE]
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(len(piece) / rate)


async def _frame(reader: asyncio.StreamReader) -> bytes:
    length = int.from_bytes(await reader.readexactly(4), "big", signed=True)
    if not 0 <= length <= FRAME_LIMIT:
        raise _CutError
    return await reader.readexactly(length)
