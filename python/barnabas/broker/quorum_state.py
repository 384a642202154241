"""Kafka's `quorum-state`: who led the metadata log last, beside the log.

Nothing here depends on it, because one node elects nobody. A Kafka that starts on the same directory does.
"""

from __future__ import annotations

import contextlib
import os

from barnabas.broker import log
from barnabas.controller.image import METADATA_TOPIC

__all__ = ["write_quorum_state"]


def write_quorum_state(data_dirs: list[str], node_id: int, leader_epoch: int) -> None:
    """Replaces the file if it says something else; a node that cannot write it goes on without."""
    text = (
        f'{{"clusterId":"","leaderId":{node_id},"leaderEpoch":{leader_epoch},"votedId":-1,"appliedOffset":0,'
        f'"currentVoters":[{{"voterId":{node_id}}}],"data_version":0}}'
    )
    for data_dir in data_dirs:
        directory = f"{data_dir}/{METADATA_TOPIC}-0"
        path = f"{directory}/quorum-state"
        if not os.path.isdir(directory):  # noqa: PTH112 - without pathlib, whose import would be part of the start
            continue
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:  # noqa: PTH123
            if file.read() == text:
                return
        try:
            with open(f"{path}.tmp", "w", encoding="utf-8") as file:  # noqa: PTH123
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(f"{path}.tmp", path)  # noqa: PTH105
        except OSError as error:
            log.warning("%s cannot be written: %s", path, error)
        return
