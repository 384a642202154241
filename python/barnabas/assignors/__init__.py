"""PURE: who reads which partitions. Assignors of the classic group protocol, run by the member that leads its group.

An assignor is a function of the members' subscriptions and the topics' partitions: it has no state, no clock and no
random numbers, so every implementation of the same name, in any language, must come to the same result.
"""

from __future__ import annotations

from typing import Final

from barnabas.assignors.api import Assignor, RebalanceProtocol, Subscription
from barnabas.assignors.range import RangeAssignor
from barnabas.assignors.roundrobin import RoundRobinAssignor
from barnabas.assignors.sticky import CooperativeStickyAssignor, StickyAssignor

__all__ = [
    "ASSIGNORS",
    "Assignor",
    "CooperativeStickyAssignor",
    "RangeAssignor",
    "RebalanceProtocol",
    "RoundRobinAssignor",
    "StickyAssignor",
    "Subscription",
]

ASSIGNORS: Final[dict[str, Assignor]] = {
    assignor.name: assignor
    for assignor in (RangeAssignor(), RoundRobinAssignor(), StickyAssignor(), CooperativeStickyAssignor())
}
"""The assignors by the name that goes over the wire."""
