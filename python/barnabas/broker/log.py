"""The broker's log: Python's `logging` under the name `barnabas.broker`, imported when the first line is due."""

from __future__ import annotations

from typing import Any

__all__ = ["exception", "info", "warning"]


def _logger() -> Any:
    import logging  # noqa: PLC0415 - 6 ms that most brokers' starts need not spend

    return logging.getLogger("barnabas.broker")


def info(message: str, *arguments: object) -> None:
    """Tells what is worth knowing."""
    _logger().info(message, *arguments)


def warning(message: str, *arguments: object) -> None:
    """Tells what somebody should look at."""
    _logger().warning(message, *arguments)


def exception(message: str, *arguments: object) -> None:
    """Tells of the exception that is handled, with its traceback."""
    _logger().exception(message, *arguments)
