"""Kafka's `bootstrap.checkpoint`: the records with which a cluster begins, as its directory's format has chosen them.

Kafka's tool writes it (features, SCRAM credentials); a directory that we format gets one, too.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from barnabas.broker import log
from barnabas.broker.metadata_snapshots import checkpoint_batches
from barnabas.controller.controller import default_bootstrap, record_version
from barnabas.protocol import codec

if TYPE_CHECKING:
    from barnabas.broker.core import DataPlane

__all__ = ["bootstrap_records", "write_bootstrap"]

NAME = "bootstrap.checkpoint"


def _paths(data_dirs: list[str]) -> list[str]:
    # Here and below without pathlib, whose import would be part of the start.
    paths = [f"{data_dir}/{NAME}" for data_dir in data_dirs]
    return [path for path in paths if os.path.exists(path)]  # noqa: PTH110


def bootstrap_records(core: DataPlane, data_dirs: list[str]) -> list[Any]:
    """Returns the records with which an empty log begins.

    Raises:
        ProtocolError: A file is there, and what it says is not known to this version.
    """
    for path in _paths(data_dirs):
        with open(path, "rb") as file:  # noqa: PTH123
            batches = file.read()
        found = [
            codec.decode_metadata_record(value or b"")[0]
            for _, _, _, value, _, _, is_control in core.decode_batches(batches)
            if not is_control
        ]
        if found:
            return found
    return default_bootstrap()


def write_bootstrap(core: DataPlane, data_dirs: list[str]) -> None:
    """Formats a directory that has none; a node that cannot write it goes on without."""
    if _paths(data_dirs) or not data_dirs:
        return
    records = [codec.encode_metadata_record(record, record_version(record)) for record in default_bootstrap()]
    data = b"".join(checkpoint_batches(core, records, [], 0, 0))
    path = f"{data_dirs[0]}/{NAME}"
    try:
        with open(f"{path}.tmp", "wb") as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.tmp", path)  # noqa: PTH105
    except OSError as error:
        log.warning("%s cannot be written: %s", path, error)
