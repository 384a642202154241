"""The quota of changes (KIP-599): how many partitions a request may create and delete. Values only.

A strict one refuses every topic that comes after it is used up; a permissive one, of clients that do not know the
error, refuses none and lets the client wait.
"""

from __future__ import annotations

from barnabas.controller.refusal import Refused
from barnabas.errors import ThrottlingQuotaExceededError

__all__ = ["Mutations"]


class Mutations:
    """What one request may do and has done.

    Attributes:
        spent: Partitions that it creates and deletes.
        refused: Whether it was refused more.
    """

    __slots__ = ("_left", "is_strict", "refused", "spent")

    def __init__(self, left: float, *, is_strict: bool) -> None:
        self._left = left
        self.is_strict = is_strict
        self.spent = 0
        self.refused = False

    def charge(self, partitions: int) -> None:
        """Counts partitions. What is allowed at all may be more than is left.

        Raises:
            Refused: The quota was used up before.
        """
        if self.is_strict and self._left < self.spent:
            self.refused = True
            # Kafka leaves out messages that say no more than the code.
            raise Refused(ThrottlingQuotaExceededError.code, None)
        self.spent += partitions
