"""How a decision is refused: an error code and Kafka's words for it."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(Exception):  # noqa: N818 - not an error of this program but an answer to a request
    """What was asked is not done; the client is told why."""

    def __init__(self, code: int, message: str | None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
