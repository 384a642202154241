"""The broker's metrics: Prometheus' text, made on demand, and an HTTP port that gives it to whoever asks.

The data plane writes its own lines; what the control plane counts is added here. `docs/metrics.md` lists all of them.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from barnabas.broker import core
from barnabas.broker.runtime import ReplicaState
from barnabas.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.broker.control import ControlPlane
    from barnabas.broker.telemetry import ClientTelemetry

__all__ = ["CONTENT_TYPE", "MetricsServer", "exposition", "parse"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
CLIENT_TIMEOUT_S = 5.0
"""A client that neither asks nor reads for this long is given up; clients are served one after the other."""


def exposition(data_plane: core.DataPlane, plane: ControlPlane) -> str:
    """Returns all metrics of a broker as text."""
    own = [
        ("control_pauses_total", "counter", "Times that the whole process stood still.", plane.pause_count),
        (
            "control_pause_seconds_total",
            "counter",
            "Time that the whole process stood still, as far as deadlines were put off for it.",
            plane.pause_ms_total / 1000.0,
        ),
        ("control_deadlines", "gauge", "Deadlines of sessions and timers that are set.", len(plane.deadlines)),
        (
            "group_shards_loading",
            "gauge",
            "Partitions of `__consumer_offsets` whose groups are being loaded.",
            sum(one.state is ReplicaState.LOADING for one in plane.groups.replicas),
        ),
        (
            "group_load_slice_seconds_max",
            "gauge",
            "Longest time that one step of loading groups has kept others waiting.",
            max((one.slice_ms_max for one in plane.groups.replicas), default=0.0) / 1000.0,
        ),
        (
            "group_load_slice_cpu_seconds_max",
            "gauge",
            "Most CPU time that one step of loading groups has taken.",
            max((one.slice_cpu_ms_max for one in plane.groups.replicas), default=0.0) / 1000.0,
        ),
        (
            "log_lines_lost_total",
            "counter",
            "Lines of the process's log that were dropped because too many came at once.",
            core.log_lines_lost(),
        ),
    ]
    lines = [data_plane.prometheus()]
    for name, kind, about, value in own:
        lines.append(f"# HELP barnabas_{name} {about}\n# TYPE barnabas_{name} {kind}\nbarnabas_{name} {value}\n")
    lines.append(_of_clients(plane.telemetry_if_any))
    return "".join(lines)


def _of_clients(telemetry: ClientTelemetry | None) -> str:
    """Returns what clients have pushed, and how much of it was refused."""
    clients, pushes = (0, 0) if telemetry is None else (len(telemetry.instances), telemetry.pushes)
    refused = [] if telemetry is None else sorted(telemetry.refused.items())
    return (
        "# HELP barnabas_telemetry_clients Clients that push metrics.\n# TYPE barnabas_telemetry_clients gauge\n"
        f"barnabas_telemetry_clients {clients}\n"
        "# HELP barnabas_telemetry_pushes_total Pushes of metrics that were taken.\n"
        f"# TYPE barnabas_telemetry_pushes_total counter\nbarnabas_telemetry_pushes_total {pushes}\n"
        "# HELP barnabas_telemetry_refused_total Requests of clients' telemetry that were refused, by error.\n"
        "# TYPE barnabas_telemetry_refused_total counter\n"
        + "".join(f'barnabas_telemetry_refused_total{{error="{name}"}} {count}\n' for name, count in refused)
        + ("" if telemetry is None else telemetry.exposition())
    )


def parse(text: str) -> dict[str, float]:
    r"""Returns the samples of an exposition by their names with labels.

    >>> parse('# TYPE a counter\na{api="Fetch"} 3\nb 0.5\n')
    {'a{api="Fetch"}': 3.0, 'b': 0.5}
    """
    samples = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


class MetricsServer:
    """`GET /metrics` on a port of its own.

    Args:
        address: `host:port`; port 0 takes any free one.
        text: Makes the text.

    Raises:
        ConfigError: `address` is none.
        OSError: It cannot be bound.
    """

    def __init__(self, address: str, text: Callable[[], str]) -> None:
        # 25 ms that a start without this port need not spend.
        from http.server import BaseHTTPRequestHandler, HTTPServer  # noqa: PLC0415

        host, colon, port = address.rpartition(":")
        if not (colon and port.isdigit() and int(port) <= 65_535):
            raise ConfigError(f"barnabas.metrics.listen={address}: expected host:port")

        class Handler(BaseHTTPRequestHandler):
            timeout = CLIENT_TIMEOUT_S

            def do_GET(self) -> None:
                if self.path.partition("?")[0] not in ("/metrics", "/"):
                    self.send_error(404)
                    return
                body = text().encode()
                self.send_response(200)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Scrapes are not worth a line."""

        self._server = HTTPServer((host.strip("[]") or "0.0.0.0", int(port)), Handler)  # noqa: S104 - as asked for
        bound = self._server.server_address
        self.address = f"{bound[0]!s}:{bound[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="barnabas-metrics", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Ends the thread and gives the port back."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(CLIENT_TIMEOUT_S)
