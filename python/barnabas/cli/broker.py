"""`barnabas broker`: a broker as a process of its own."""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import signal
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barnabas.errors import ConfigError, KafkaError

if TYPE_CHECKING:
    from types import FrameType

    from barnabas.broker.server import Broker

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = """\
Runs a Kafka broker until SIGTERM or Ctrl-C.

Options are Apache Kafka's, with Kafka's defaults: from a server.properties, then from --set, later ones win. A fresh
data directory is formatted; one that was not closed properly is recovered. When the broker serves, one line says where,
and the ready file, if one is wanted, holds the address.

  barnabas broker --data-dir ./data --listen 127.0.0.1:9092
  barnabas broker --config server.properties --set num.partitions=6
  barnabas broker --data-dir ./data --listen 127.0.0.1:0 --ready-file ./ready     # then: bootstrap=$(cat ./ready)
"""

DEFAULT_SHUTDOWN_TIMEOUT_S = 30.0
FAILURE_CHECK_S = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments."""
    parser.add_argument("--config", metavar="FILE", help="options from a server.properties of Kafka")
    parser.add_argument("--data-dir", metavar="DIR", help="where the logs are kept (option log.dirs)")
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        action="append",
        type=_address,
        help="where to serve clients without encryption (option listeners); port 0 takes any free one",
    )
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="settings",
        help="one option by Kafka's name, for instance --set num.partitions=6; may be repeated",
    )
    parser.add_argument("--ready-file", metavar="FILE", help="written when the broker serves, removed when it stops")
    parser.add_argument(
        "--metrics-listen",
        metavar="HOST:PORT",
        type=_address,
        help="where Prometheus finds GET /metrics (option barnabas.metrics.listen); port 0 takes any free one",
    )
    parser.add_argument(
        "--shutdown-timeout",
        metavar="SECONDS",
        type=float,
        default=DEFAULT_SHUTDOWN_TIMEOUT_S,
        help="how long a stop may take (default: %(default)g); a second signal stops at once",
    )
    parser.add_argument(
        "--log-format", choices=("text", "json"), default="text", help="lines of text, or one JSON object each"
    )
    parser.add_argument("--verbose", action="store_true", help="log what the broker does, not only what goes wrong")


def _address(text: str) -> str:
    """Checks an address here, where the message can name the argument; the broker would name an option."""
    _, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:9092")
    return text


class LineFormatter(logging.Formatter):
    """One line of log: text with the fields behind it, or a JSON object."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line."""
        fields: dict[str, str] = getattr(record, "fields", {})
        if not self._as_json:
            return " ".join([super().format(record), *(f"{name}={value}" for name, value in fields.items())])
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{record.msecs:03.0f}",
            "level": record.levelname,
            "logger": record.name,
            "thread": record.threadName,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps({**line, **fields})


def run(arguments: argparse.Namespace) -> int:
    """Runs the broker; returns the exit status."""
    handler = logging.StreamHandler()
    handler.setFormatter(LineFormatter(as_json=arguments.log_format == "json"))
    logging.basicConfig(level=logging.INFO if arguments.verbose else logging.WARNING, handlers=[handler])
    stop = threading.Event()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    try:
        config = _config(arguments)
        status = _serve(arguments, config, stop)
    except (ConfigError, KafkaError, OSError, RuntimeError) as error:
        cause = f": {error.__cause__}" if error.__cause__ is not None else ""
        print(f"barnabas broker: {error}{cause}", file=sys.stderr)
        return 1
    if any(thread.name == "barnabas-log" for thread in threading.enumerate()):
        # It is held up by whoever does not read the log, and holds the lock that the interpreter's end would wait for.
        os._exit(status)
    return status


def _config(arguments: argparse.Namespace) -> dict[str, Any]:
    from barnabas.broker.properties import parse_properties  # noqa: PLC0415 - not for --help

    config: dict[str, Any] = {}
    if arguments.config is not None:
        config.update(parse_properties(Path(arguments.config).read_text(encoding="utf-8")))
    for setting in arguments.settings:
        key, separator, value = setting.partition("=")
        if not separator:
            raise ConfigError(f"--set {setting}: expected key=value")
        config[key.strip()] = value.strip()
    if arguments.metrics_listen is not None:
        config["barnabas.metrics.listen"] = arguments.metrics_listen
    if arguments.data_dir is not None:
        config["log.dirs"] = arguments.data_dir
    if arguments.listen:
        config["listeners"] = [
            f"PLAINTEXT://{address}" if index == 0 else f"PLAINTEXT{index}://{address}"
            for index, address in enumerate(arguments.listen)
        ]
        config["listener.security.protocol.map"] = ",".join(
            ["PLAINTEXT:PLAINTEXT", *(f"PLAINTEXT{index}:PLAINTEXT" for index in range(1, len(arguments.listen)))],
        )
    return config


def _serve(arguments: argparse.Namespace, config: dict[str, Any], stop: threading.Event) -> int:
    from barnabas.broker.server import Broker  # noqa: PLC0415 - not for --help

    # What is imported stays: collections that walk over it would hold the control plane up for 15 ms.
    gc.freeze()
    broker = Broker(config=config, embedded=False)
    ready_file = None if arguments.ready_file is None else Path(arguments.ready_file)
    try:
        servers = broker.bootstrap_servers
        if ready_file is not None:
            _write_atomically(ready_file, f"{servers}\n")
        data = ",".join(broker.options.data_dirs)
        if broker.metrics_address is not None:
            data += f", metrics {broker.metrics_address}"
        print(
            f"barnabas broker {broker.node_id} serves {servers} (cluster {broker.cluster_id}, data {data})", flush=True
        )
        while not stop.wait(FAILURE_CHECK_S):
            if broker.failure is not None:
                print(f"barnabas broker: it has failed: {broker.failure!r}", file=sys.stderr)
                return 1
        return 0
    finally:
        if ready_file is not None:
            ready_file.unlink(missing_ok=True)
        if not _close(broker, arguments.shutdown_timeout):
            print("barnabas broker: not closed in time; the next start recovers", file=sys.stderr)


def _close(broker: Broker, timeout: float) -> bool:
    """Closes on another thread: signal handlers run on this one, and a second signal must not wait for the drain."""
    with ThreadPoolExecutor(1, "barnabas-close") as closer:
        return closer.submit(broker.close, timeout).result()


def _write_atomically(path: Path, text: str) -> None:
    """Writes a file that never exists half written."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).replace(path)
