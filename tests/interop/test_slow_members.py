"""A member that works at its records for longer than `max.poll.interval.ms`, in a group with a member of another client.

It loses its partitions, the other one reads on, its late commit is refused, and it comes back. `SEEDS=n` runs every client as the
slow one, on our broker and on the reference, n times.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from mixed_groups import BROKER_OPTIONS, MixedGroup, Scenario, judge
from reference_kafka import reference_kafka
from test_mixed_groups import our_broker_process

if TYPE_CHECKING:
    from pathlib import Path

MAX_POLL_MS = 7_000
"""No client allows less than its session, which is six seconds."""
CLASSIC = ("barnabas", "confluent-kafka", "aiokafka", "kafka-python", "java")
SCENARIOS = [
    *(Scenario("classic", "range", slow) for slow in CLASSIC),
    *(Scenario("consumer", "uniform", slow) for slow in ("barnabas", "confluent-kafka", "java")),
]


def check(address: str, scenario: Scenario, directory: Path) -> None:
    with MixedGroup(address, scenario, directory) as group:
        slow = group.start(scenario.first, max_poll_ms=MAX_POLL_MS)
        group.settle("first member")
        other = group.start("confluent-kafka" if scenario.first == "barnabas" else "barnabas")
        group.settle("both members")
        slow.work()
        group.settle("the slow one is out")
        assert sorted(other.owned) == list(range(8)), scenario
        slow.end_work()
        group.settle("the slow one is back")
        group.finish()
        violations = judge(group.ledger)
    assert violations == [], scenario
    assert group.restarted == [], scenario


@pytest.mark.interop
@pytest.mark.timeout(300)
@pytest.mark.parametrize("slow", ["barnabas", "confluent-kafka"])
def test_a_member_that_works_for_too_long_is_replaced_and_comes_back(slow: str, tmp_path: Path) -> None:
    protocol = ("classic", "range") if slow == "barnabas" else ("consumer", "uniform")
    with our_broker_process(tmp_path) as address:
        check(address, Scenario(*protocol, slow), tmp_path)


@pytest.mark.interop
@pytest.mark.timeout(0)
@pytest.mark.skipif("SEEDS" not in os.environ, reason="all of them take SEEDS=n")
@pytest.mark.parametrize("broker", ["barnabas", "kafka"])
def test_every_client_that_works_for_too_long_is_replaced_and_comes_back(broker: str, tmp_path: Path) -> None:
    for seed in range(int(os.environ["SEEDS"])):
        directory = tmp_path / str(seed)
        directory.mkdir()
        serving = our_broker_process(directory) if broker == "barnabas" else reference_kafka(directory, BROKER_OPTIONS)
        with serving as address:
            for scenario in SCENARIOS:
                check(address, scenario, directory)
