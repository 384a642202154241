"""Snapshots of the metadata log, as Kafka writes them beside it: what the log's trimmed beginning said."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from barnabas.controller.image import METADATA_TOPIC
from barnabas.errors import IllegalStateError

__all__ = ["Snapshot", "find_snapshot"]

_NAME = re.compile(r"([0-9]{20})-([0-9]{10})\.checkpoint", re.ASCII)


class Snapshot(NamedTuple):
    """All records that were in force at an offset.

    Attributes:
        end_offset: Where the log goes on.
        batches: Record batches; their control records say nothing about metadata.
    """

    end_offset: int
    batches: bytes


def find_snapshot(data_dirs: list[str], log_start: int, log_end: int) -> Snapshot:
    """Reads the newest snapshot from which the log goes on without a gap.

    Raises:
        IllegalStateError: There is none.
    """
    found: list[tuple[int, int, str]] = []
    for data_dir in data_dirs:
        directory = f"{data_dir}/{METADATA_TOPIC}-0"
        if not os.path.isdir(directory):  # noqa: PTH112 - without pathlib, whose import would be part of the start
            continue
        for name in os.listdir(directory):  # noqa: PTH208
            match = _NAME.fullmatch(name)
            if match is not None and log_start <= int(match[1]) <= log_end:
                found.append((int(match[1]), int(match[2]), f"{directory}/{name}"))
    if not found:
        raise IllegalStateError(
            f"{METADATA_TOPIC}-0 begins at offset {log_start}, and no snapshot says what was before it"
        )
    end_offset, _, path = max(found)
    with open(path, "rb") as file:  # noqa: PTH123
        return Snapshot(end_offset, file.read())
