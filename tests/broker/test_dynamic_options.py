"""Options that are changed while the broker runs take effect without a restart, and are there after one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch

from barnabas import Broker, errors
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest

if TYPE_CHECKING:
    from pathlib import Path

TOPIC, BROKER, LOGGER = 2, 4, 8


def change(client: RawClient, kind: int, name: str, option: str, value: str | None) -> None:
    shape = IncrementalAlterConfigsRequest
    config = shape.AlterableConfig(name=option, config_operation=0 if value is not None else 1, value=value)
    resource = shape.AlterConfigsResource(resource_type=kind, resource_name=name, configs=[config])
    (result,) = client.ask(shape(resources=[resource])).responses
    assert (result.error_code, result.error_message) == (0, None)


def value(client: RawClient, kind: int, name: str, option: str) -> str:
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=[option]
    )
    (entry,) = client.ask(DescribeConfigsRequest(resources=[resource])).results[0].configs
    return str(entry.value)


def new_topic(client: RawClient, name: str) -> bytes:
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
    (result,) = client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=5_000)).topics
    assert result.error_code == 0
    return bytes(result.topic_id)


@pytest.mark.parametrize(
    ("kind", "name", "option"),
    [(TOPIC, "t", "max.message.bytes"), (BROKER, "1", "message.max.bytes"), (BROKER, "", "message.max.bytes")],
)
def test_the_largest_batch_changes_at_once(kind: int, name: str, option: str) -> None:
    batch = record_batch([b"x" * 500])
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = new_topic(client, "t")
        assert client.produce("t", topic_id, 0, batch) == (0, 0)
        change(client, kind, name, option, "100")
        assert client.produce("t", topic_id, 0, batch)[0] == errors.MessageTooLargeError.code
        change(client, kind, name, option, None)
        assert client.produce("t", topic_id, 0, batch) == (0, 1)


def test_changed_options_are_there_after_a_restart(tmp_path: Path) -> None:
    batch = record_batch([b"x" * 500])
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = new_topic(client, "t")
        change(client, BROKER, "", "message.max.bytes", "100")
        change(client, TOPIC, "t", "retention.ms", "12345678")
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        assert value(client, TOPIC, "t", "retention.ms") == "12345678"
        assert value(client, TOPIC, "t", "max.message.bytes") == "100"
        assert client.produce("t", topic_id, 0, batch)[0] == errors.MessageTooLargeError.code


def test_a_topic_that_is_created_later_goes_by_the_changed_options() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        change(client, BROKER, "", "message.max.bytes", "100")
        topic_id = new_topic(client, "later")
        assert client.produce("later", topic_id, 0, record_batch([b"x" * 500]))[0] == errors.MessageTooLargeError.code


def test_loggers_change_their_level(caplog: Any) -> None:
    del caplog  # It puts the levels back.
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        change(client, LOGGER, "1", "barnabas.broker", "DEBUG")
        assert value(client, LOGGER, "1", "barnabas.broker") == "DEBUG"
        change(client, LOGGER, "1", "barnabas.broker", None)
        assert value(client, LOGGER, "1", "barnabas.broker") == value(client, LOGGER, "1", "root")
