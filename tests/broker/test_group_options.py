"""Options of one group, set while it lives, by requests and by what the metadata log says after a restart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from raw_client import RawClient

from barnabas import Broker
from barnabas.coordinator.settings import ConsumerSettings
from barnabas.errors import UnsupportedVersionError
from barnabas.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest

if TYPE_CHECKING:
    from pathlib import Path

GROUP_RESOURCE = 32
SET, DELETE = 0, 1


def alter(client: RawClient, group: str, value: str | None) -> None:
    change = IncrementalAlterConfigsRequest.AlterableConfig(
        name="consumer.heartbeat.interval.ms", config_operation=DELETE if value is None else SET, value=value
    )
    resource = IncrementalAlterConfigsRequest.AlterConfigsResource(
        resource_type=GROUP_RESOURCE, resource_name=group, configs=[change]
    )
    answer = client.ask(IncrementalAlterConfigsRequest(resources=[resource]))
    assert answer.responses[0].error_code == 0, answer


def interval(client: RawClient, group: str, member: str) -> int:
    request = ConsumerGroupHeartbeatRequest(
        group_id=group,
        member_id=member,
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["none"],
        topic_partitions=[],
    )
    deadline = time.monotonic() + client.timeout
    while True:
        client.coordinator(group)
        answer = client.ask(request)
        if answer.error_code not in (14, 15, 16) or time.monotonic() > deadline:
            break
    assert answer.error_code == 0, answer
    return answer.heartbeat_interval_ms


def becomes(client: RawClient, group: str, expected: int) -> None:
    """Kafka publishes a change to its coordinators after it has answered."""
    deadline = time.monotonic() + client.timeout
    while interval(client, group, "a") != expected:
        assert time.monotonic() < deadline, f"the interval does not become {expected}"


def test_a_broker_without_the_new_protocol_serves_no_member_of_it() -> None:
    with (
        Broker(config={"group.coordinator.rebalance.protocols": "classic"}) as broker,
        RawClient(broker.bootstrap_servers) as client,
    ):
        heartbeat = ConsumerGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=0)
        assert client.ask(heartbeat).error_code == UnsupportedVersionError.code
        described = client.ask(ConsumerGroupDescribeRequest(group_ids=["g"])).groups
        assert [one.error_code for one in described] == [UnsupportedVersionError.code]


def test_a_groups_interval_changes_while_it_lives(bootstrap_servers: str, unique: str) -> None:
    with RawClient(bootstrap_servers, timeout=60) as client:
        assert interval(client, unique, "a") == 5_000
        alter(client, unique, "7000")
        becomes(client, unique, 7_000)
        assert interval(client, unique + "-other", "a") == 5_000
        alter(client, unique, None)
        becomes(client, unique, 5_000)


def test_a_groups_options_outlive_a_restart_within_the_bounds_of_the_broker(tmp_path: Path) -> None:
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        alter(client, "g", "7000")
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        assert interval(client, "g", "a") == 7_000
    lower = {"group.consumer.max.heartbeat.interval.ms": 6_000}
    with Broker(data_dir=tmp_path, config=lower) as broker, RawClient(broker.bootstrap_servers) as client:
        assert interval(client, "g", "a") == 6_000


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({}, {}),
        ({"consumer.session.timeout.ms": "50000"}, {"session_timeout_ms": 50_000}),
        ({"consumer.session.timeout.ms": "1"}, {"session_timeout_ms": 45_000}),
        ({"consumer.session.timeout.ms": "90000"}, {"session_timeout_ms": 60_000}),
        ({"consumer.heartbeat.interval.ms": "20000"}, {"heartbeat_interval_ms": 15_000}),
        ({"consumer.assignment.interval.ms": "0"}, {"assignment_interval_ms": 0}),
        ({"share.session.timeout.ms": "50000"}, {}),
    ],
)
def test_what_a_group_sets_is_brought_within_the_brokers_bounds(
    options: dict[str, str], changed: dict[str, int]
) -> None:
    assert ConsumerSettings().of_group(options) == ConsumerSettings()._replace(**changed)
