"""`Broker`: a Kafka broker in this process, or behind `barnabas broker`. It starts and stops; it decides nothing."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Any, Self

from barnabas import lines
from barnabas.broker import core, log
from barnabas.broker.control import ControlPlane
from barnabas.broker.handlers import HANDLERS, METADATA
from barnabas.broker.hooks import Clock, Faults, Requests
from barnabas.broker.ids import fresh_cluster_id, fresh_uuid_text
from barnabas.broker.metrics import MetricsServer, exposition, parse
from barnabas.broker.options import EMBEDDED_DEFAULTS, BrokerOptions
from barnabas.broker.properties import parse_properties
from barnabas.controller.controller import FEATURES
from barnabas.controller.image import KRAFT_VERSION_NAME, KRAFT_VERSIONS
from barnabas.errors import ConfigError, IllegalStateError
from barnabas.protocol import codec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from barnabas.broker.hooks import SeenRequest

__all__ = ["Broker"]

START_TIMEOUT_S = 60.0
CLOSE_TIMEOUT_S = 30.0


class Broker:
    """A Kafka broker on threads of this process.

    It serves from the moment the constructor returns. As a context manager it is closed at the end of the block.

    Defaults are Kafka's, but for these, which suit a broker inside a test or a notebook:

    ===================================== ======================= ==================================================
    option                                default here            why
    ===================================== ======================= ==================================================
    `listeners`                           PLAINTEXT://127.0.0.1:0 any free port, this machine only
    `group.initial.rebalance.delay.ms`    0                       the first consumer does not wait 3 s for others
    `data_dir`                            a temporary directory   removed on close, and never flushed to disk
    `offsets.topic.replication.factor`    1                       one node holds one replica (in `barnabas broker` too)
    ===================================== ======================= ==================================================

    Args:
        data_dir: Where the logs are kept, over restarts. None: a temporary directory.
        listeners: `"NAME://host:port"`, or several of them.
        config: Options by Kafka's dotted names.
        embedded: False takes Kafka's own defaults for what the table above says.
        **options: Options by Kafka's names with underscores, such as `num_partitions=4`.

    Raises:
        ConfigError: An option is not known, out of range or not supported.

    Example:
        >>> from barnabas import Broker
        >>> with Broker(num_partitions=2) as broker:
        ...     broker.bootstrap_servers.startswith("127.0.0.1:")
        True
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        listeners: str | list[str] | None = None,
        *,
        config: Mapping[str, Any] | None = None,
        embedded: bool = True,
        **options: Any,
    ) -> None:
        given: dict[str, Any] = {**(config or {}), **options}
        if listeners is not None:
            given["listeners"] = listeners
        if data_dir is not None:
            given["log.dirs"] = os.fspath(data_dir)
        self._closed = False
        self._metrics_server: MetricsServer | None = None
        self._pid = os.getpid()
        self._temporary: str | None = None
        self.options = BrokerOptions.parse(given, EMBEDDED_DEFAULTS if embedded else None)
        for warning in self.options.warnings:
            log.info("%s", warning)
        if self.options.ignored:
            log.info("options without effect here: %s", ", ".join(self.options.ignored))
        is_named = any(name in self.options.texts for name in ("log.dir", "log.dirs"))
        if embedded and not is_named:
            self._temporary = _temporary_dir()
        lines.start()
        try:
            self._start()
        except BaseException:
            self._remove_temporary()
            lines.stop()
            raise

    def _start(self) -> None:
        caps, features = self._versions()
        data_dirs = self.options.data_dirs if self._temporary is None else [self._temporary]
        self.options.cluster_id = _cluster_id(data_dirs, self.options.node_id)
        self._core = core.start(
            {
                "data_dirs": data_dirs,
                "node_id": self.options.node_id,
                "cluster_id": self.options.cluster_id,
                "listeners": self.options.listeners,
                "advertised": self.options.advertised,
                "inter_broker_listener": self.options.inter_broker_listener,
                "reactors": min(self.options.number("num.network.threads"), _reactors_max()),
                "reactors_max": _reactors_max(),
                "temporary": self._temporary is not None,
                "log_defaults": self.options.log_defaults(),
                "broker": self.options.core_options(),
                "api_caps": caps,
                "control_apis": {key: codec.valid_versions(key) for key in HANDLERS if key != METADATA},
                "features": features,
            },
        )
        self._plane = ControlPlane(self._core, self.options)
        self._plane.data_dirs, self._plane.is_temporary = data_dirs, self._temporary is not None
        try:
            self._plane.start()
            self._await_ready()
            self._endpoints = self._plane.endpoints
            address = self.options.value("barnabas.metrics.listen")
            if address is not None:
                self._metrics_server = MetricsServer(str(address), self._exposition)
        except BaseException:
            self._plane.stop(CLOSE_TIMEOUT_S)
            self._core.stop(CLOSE_TIMEOUT_S)
            raise

    def _versions(self) -> tuple[dict[int, tuple[int, int]] | None, list[tuple[str, int, int, int]]]:
        """Returns the ranges of APIs that nothing is served beyond, and the features with their levels."""
        features = [(name, low, high, level) for name, (low, high, level) in sorted(FEATURES.items())]
        features.append((KRAFT_VERSION_NAME, *KRAFT_VERSIONS))
        release = self.options.value("barnabas.api.versions.as")
        if release is None:
            return None, features
        from barnabas.protocol.releases import RELEASES  # noqa: PLC0415 - not for most brokers

        caps, levels = RELEASES[str(release)]
        capped = []
        for name, low, high, finalized in features:
            level_min, level_max = levels.get(name, (0, -1))
            if max(low, level_min) <= min(high, level_max):
                capped.append((name, max(low, level_min), min(high, level_max), min(finalized, level_max)))
        return caps, capped

    def _exposition(self) -> str:
        return exposition(self._core, self._plane)

    def _await_ready(self) -> None:
        if not self._plane.ready.wait(START_TIMEOUT_S):
            raise IllegalStateError(f"the broker did not start within {START_TIMEOUT_S:g} s")
        if self._plane.failure is not None:
            raise IllegalStateError(f"the broker could not start: {self._plane.failure}") from self._plane.failure

    @property
    def bootstrap_servers(self) -> str:
        """`host:port` of the listeners that clients are told of, for any client's option of that name."""
        self._check_open()
        return ",".join(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for _, host, port in self._endpoints)

    @property
    def cluster_id(self) -> str:
        """The cluster's id, as clients see it."""
        return self.options.cluster_id

    @property
    def node_id(self) -> int:
        """This broker's id."""
        return self.options.node_id

    @property
    def faults(self) -> Faults:
        """What goes wrong on purpose, for tests."""
        self._check_open()
        return Faults(self._core)

    @property
    def clock(self) -> Clock:
        """The clock that sessions, transactions and retention go by, for tests."""
        self._check_open()
        return Clock(self._core)

    @property
    def requests(self) -> Requests:
        """The requests that came, for tests."""
        self._check_open()
        return Requests(self._core)

    def requests_seen(self, api: str | int | None = None) -> list[SeenRequest]:
        """Returns the requests that came since `requests.record()`; only those of `api` if it is given."""
        return self.requests.seen(api)

    @property
    def failure(self) -> BaseException | None:
        """Why the broker has stopped deciding, if it has."""
        return self._plane.failure

    def metrics(self) -> dict[str, float]:
        """Returns the broker's metrics, by the names (with labels) that they have for Prometheus.

        `docs/metrics.md` lists them. What a metric has not counted yet under some label is not in the result.

        Example:
            >>> with Broker() as broker:
            ...     broker.metrics()["barnabas_connections"]
            0.0
        """
        self._check_open()
        return parse(self._exposition())

    @property
    def metrics_address(self) -> str | None:
        """`host:port` of `GET /metrics`, if option `barnabas.metrics.listen` is set."""
        self._check_open()
        return None if self._metrics_server is None else self._metrics_server.address

    def close(self, timeout: float = CLOSE_TIMEOUT_S) -> bool:
        """Stops serving, writes checkpoints and ends all threads. Closing again does nothing.

        Args:
            timeout: Seconds it may take.

        Returns:
            Whether everything was written in time; if not, the next start recovers as after a crash.
        """
        if self._closed or os.getpid() != self._pid:
            # A forked child has the object but not the threads, and its parent's data is none of its business.
            return True
        self._closed = True
        deadline = time.monotonic() + timeout
        if self._metrics_server is not None:
            self._metrics_server.close()
        clean = self._plane.stop(timeout)
        clean = self._core.stop(max(0.0, deadline - time.monotonic())) and clean
        self._remove_temporary()
        lines.stop()
        return clean

    def _remove_temporary(self) -> None:
        if self._temporary is not None:
            _remove_tree(self._temporary)
            self._temporary = None

    def _check_open(self) -> None:
        if os.getpid() != self._pid:
            raise IllegalStateError(
                "this broker runs in the parent process; connect a client to it, or start another one"
            )
        if self._closed:
            raise IllegalStateError("this broker is closed; start another one with Broker()")

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Whatever was imported may be gone when the interpreter ends; then the threads end with it.
        with contextlib.suppress(Exception):
            self.close(1.0)

    def __repr__(self) -> str:
        where = "closed" if self._closed else f"on {self.bootstrap_servers}"
        return f"<Broker {self.node_id} {where}>"


def _cluster_id(data_dirs: list[str], node_id: int) -> str:
    """Returns the id in the data directories, or a new one for fresh ones.

    Raises:
        ConfigError: The directories belong to another node, or to different clusters.
    """
    found: set[str] = set()
    for data_dir in data_dirs:
        try:
            with open(os.path.join(data_dir, "meta.properties"), encoding="latin-1") as file:  # noqa: PTH118, PTH123
                properties = parse_properties(file.read())
        except OSError:
            # A new one, or one that fails, which the core takes offline; the others serve.
            continue
        owner = properties.get("node.id", properties.get("broker.id"))
        if owner is not None and owner != str(node_id):
            raise ConfigError(f"{data_dir} belongs to node {owner}; this one is {node_id} (option node.id)")
        if "cluster.id" in properties:
            found.add(properties["cluster.id"])
    if len(found) > 1:
        raise ConfigError(f"the data directories belong to different clusters: {', '.join(sorted(found))}")
    return found.pop() if found else fresh_cluster_id()


def _temporary_dir() -> str:
    # Without tempfile and pathlib, whose imports would be a tenth of the start's budget.
    parent = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108 - the name is random and the directory is made, not reused
    path = f"{parent}/barnabas-{fresh_uuid_text()}"
    os.mkdir(path, 0o700)  # noqa: PTH102
    return path


def _remove_tree(path: str) -> None:
    import shutil  # noqa: PLC0415 - not for the start

    shutil.rmtree(path, ignore_errors=True)


def _reactors_max() -> int:
    cores = os.cpu_count() or 1
    return 1 if cores <= 2 else cores - 1
