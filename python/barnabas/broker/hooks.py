"""Hooks for the tests of programs that use a broker: faults, a clock that can be set forward, the requests that came.

They are attributes of a `Broker`: `broker.faults`, `broker.clock`, `broker.requests`. Unused they cost the broker one
load of a flag per request. `barnabas.testing` exports their types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from barnabas.errors import ConfigError, KafkaError
from barnabas.protocol import apis

if TYPE_CHECKING:
    from barnabas.broker.core import DataPlane

__all__ = ["Clock", "Fault", "Faults", "Requests", "SeenRequest"]

ALWAYS = 2**63 - 1
REQUESTS_KEPT = 10_000

When = Literal["before", "after"]
Error = int | str | KafkaError | type[KafkaError]


class Fault:
    """A fault that was injected. As a context manager it is taken out at the end of the block.

    Attributes:
        about: What it does, in words.
    """

    def __init__(self, core: DataPlane, number: int, about: str) -> None:
        self._core = core
        self._number = number
        self.about = about

    @property
    def fired(self) -> int:
        """How many requests have met it; 0 after it was taken out."""
        return self._core.fault_fired(self._number) or 0

    def wait(self, count: int = 1, timeout: float = 30.0) -> bool:
        """Waits until `count` requests have met it.

        Args:
            count: How many.
            timeout: Seconds to wait at most.

        Returns:
            False when time ran out before. True also when it was taken out meanwhile.
        """
        return self._core.wait_fault(self._number, count, timeout)

    def remove(self) -> None:
        """Takes it out; a request that it is holding stays held. Doing so again does nothing."""
        self._core.remove_fault(self._number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<Fault {self.about}>"


class Faults:
    """What goes wrong in a broker on purpose.

    Each call of `inject` adds one fault. Several that meet the same request take effect in the order in which they were
    added; the first that answers or ends the request is the last.

    Example:
        >>> from barnabas import Broker, Producer
        >>> with Broker() as broker:
        ...     fault = broker.faults.inject("Produce", error="NOT_LEADER_OR_FOLLOWER", times=2)
        ...     with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        ...         offset = producer.send("orders", b"it is sent again").result(30).offset
        ...     offset, fault.fired
        (0, 2)
    """

    def __init__(self, core: DataPlane) -> None:
        self._core = core

    def inject(
        self,
        api: str | int | None = None,
        *,
        nth: int = 1,
        times: int | None = 1,
        client_id: str | None = None,
        error: Error | None = None,
        delay: float | None = None,
        drop: bool = False,
        disconnect: bool = False,
        when: When = "before",
    ) -> Fault:
        """Lets something happen to the n-th request of an API and the ones after it.

        Exactly one of `error`, `delay`, `drop` and `disconnect` says what.

        Args:
            api: Kafka's name of the API (`"Produce"`) or its key; None for any request.
            nth: The first request that meets the fault, counted from 1 among those that match from now on.
            times: How many in a row meet it; None for all from there on.
            client_id: Only requests of clients of this `client.id`.
            error: The error that is answered in every place of the response that has one: a code, Kafka's name of it,
                or an exception class of `barnabas.errors`. A Produce with acks 0 has no response; its connection is
                closed, as Kafka does.
            delay: Seconds, by the real clock, that the request waits before it is applied, or its answer after.
            drop: The request is not answered, and nothing more is on its connection: as if the network had lost it.
            disconnect: The connection is closed.
            when: `"before"`: the request is not applied (a delayed one is, later). `"after"`: it is applied, and what
                happens, happens to its answer.

        Returns:
            The fault, which counts the requests that met it and can be taken out.

        Raises:
            ConfigError: An argument makes no sense, or the API or the error is not known.
        """
        chosen = {
            "error": error is not None,
            "delay": delay is not None,
            "drop": drop,
            "disconnect": disconnect,
        }
        actions = [name for name, is_chosen in chosen.items() if is_chosen]
        if len(actions) != 1:
            raise ConfigError("a fault is exactly one of error, delay, drop and disconnect")
        if nth < 1 or (times is not None and times < 1):
            raise ConfigError(f"nth={nth}, times={times}: requests are counted from 1")
        if when not in ("before", "after"):
            raise ConfigError(f"when={when!r}: it is before or after the request is applied")
        value = 0
        if error is not None:
            value = _error_code(error)
        elif delay is not None:
            if delay < 0:
                raise ConfigError(f"delay={delay}: seconds from now on")
            value = round(delay * 1000)
        key = None if api is None else api_key(api)
        number = self._core.inject(
            key, client_id, nth, ALWAYS if times is None else times, actions[0], value, when == "after"
        )
        requests = "requests" if key is None else apis.APIS[key][0]
        return Fault(self._core, number, f"{actions[0]} {when} {requests} {nth}")

    def clear(self) -> None:
        """Takes all faults out."""
        self._core.remove_fault(None)


class Clock:
    """The broker's clock: sessions, transactions, retention and timestamps go by it. It runs, and can be advanced."""

    def __init__(self, core: DataPlane) -> None:
        self._core = core

    def now(self) -> float:
        """Returns seconds since 1970 by the broker's clock."""
        return self._core.wall_ms() / 1000.0

    def advance(self, seconds: float) -> None:
        """Lets time pass at once. What is due by then is done as soon as the broker's threads get to it.

        Members that do not send heartbeats in the time that is skipped count as silent for all of it.

        Raises:
            ConfigError: `seconds` is negative; time does not go back.
        """
        if seconds < 0:
            raise ConfigError(f"advance({seconds}): time does not go back")
        self._core.advance_clock(round(seconds * 1000))


class SeenRequest(NamedTuple):
    """A request that a broker got.

    Attributes:
        api: Kafka's name of the API, or its key as text if it is not known.
        version: The version of it.
        client_id: The client's name for itself.
        client_host: Where the client is.
        connection_id: Never used twice in a broker's life.
        correlation_id: The client's number for the request.
        size: Bytes of the request, without the four of its length.
        stamp_ms: Milliseconds since the broker started, by its clock.
    """

    api: str
    version: int
    client_id: str | None
    client_host: str
    connection_id: int
    correlation_id: int
    size: int
    stamp_ms: float


class Requests:
    """The requests that a broker got, those too that it refused.

    Example:
        >>> from barnabas import Admin, Broker
        >>> with Broker() as broker:
        ...     broker.requests.record()
        ...     with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        ...         _ = admin.list_topics()
        ...     broker.requests.seen()[0].api
        'ApiVersions'
    """

    def __init__(self, core: DataPlane) -> None:
        self._core = core

    def record(self, limit: int = REQUESTS_KEPT) -> None:
        """Forgets what was kept and keeps the last `limit` requests from here on."""
        if limit < 1:
            raise ConfigError(f"limit={limit}: at least one request is kept")
        self._core.record_requests(limit)

    def stop(self) -> None:
        """Keeps no more requests and forgets those that were kept."""
        self._core.record_requests(None)

    def seen(self, api: str | int | None = None) -> list[SeenRequest]:
        """Returns the requests that were kept, in the order of their arrival; only those of `api` if it is given."""
        key = None if api is None else api_key(api)
        return [
            SeenRequest(_api_name(seen[4]), seen[5], seen[3], seen[2], seen[1], seen[6], seen[7], seen[0])
            for seen in self._core.requests_seen()
            if key is None or seen[4] == key
        ]


def api_key(api: str | int) -> int:
    """Returns the key of an API given by Kafka's name or by its key.

    Raises:
        ConfigError: There is none.
    """
    for key, (name, *_) in apis.APIS.items():
        if api in (key, name):
            return key
    raise ConfigError(f"no API is called {api!r}; names are Kafka's, such as Produce or JoinGroup")


def _api_name(key: int) -> str:
    known = apis.APIS.get(key)
    return str(key) if known is None else known[0]


def _error_code(error: Error) -> int:
    if isinstance(error, int):
        return error
    if isinstance(error, str):
        from barnabas.error_codes import BY_CODE  # noqa: PLC0415 - 130 classes

        for code, known in BY_CODE.items():
            if known.name == error:
                return code
        raise ConfigError(f"no error is called {error!r}; names are Kafka's, such as NOT_LEADER_OR_FOLLOWER")
    return error.code
