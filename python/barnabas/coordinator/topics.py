"""What a group coordinator must know about topics: names, ids, how many partitions. Read only, given by its runtime."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["TopicInfo", "Topics", "metadata_hash"]


class TopicInfo(NamedTuple):
    """One topic as it is now."""

    name: str
    topic_id: bytes
    partition_count: int


class Topics(Protocol):
    """The cluster's topics at one moment; always the present one."""

    @property
    def version(self) -> int:
        """Grows with every change to any topic."""

    def get(self, name: str) -> TopicInfo | None:
        """Returns the topic of that name."""

    def name(self, topic_id: bytes) -> str | None:
        """Returns the name of the topic with that id."""

    def matching(self, pattern: str) -> frozenset[str]:
        """Returns the names that a regular expression (RE2) matches from beginning to end.

        Raises:
            InvalidRegularExpressionError: `pattern` is none.
        """


def metadata_hash(names: Iterable[str], topics: Topics) -> int:
    """Returns a number that changes when one of these topics appears, vanishes, is made anew or grows; 0 for none.

    Kept with the group's epoch, so that a change is found also after a restart. The function is not Kafka's: a log that
    moves between the two costs each group one rebalance.
    """
    known = sorted(info for name in names if (info := topics.get(name)) is not None)
    if not known:
        return 0
    digest = hashlib.blake2b(digest_size=8)
    for info in known:
        name = info.name.encode()
        digest.update(len(name).to_bytes(4, "big") + name + info.topic_id + info.partition_count.to_bytes(4, "big"))
    return int.from_bytes(digest.digest(), "big", signed=True)
