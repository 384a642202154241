"""Options that change while the broker runs: requests to records, records to what is in force and what logs are told."""

from __future__ import annotations

from typing import Any

import pytest

from barnabas import errors
from barnabas.controller.broker_configs import BrokerConfigs
from barnabas.controller.config_key import ConfigKey
from barnabas.controller.configs import dynamic_topic_defaults
from barnabas.controller.controller import Controller
from barnabas.controller.requests import Administer, NewTopics, RegisterBroker
from barnabas.controller.settings import ControllerSettings
from barnabas.machine import Caller, Moment
from barnabas.protocol.messages.alter_configs import AlterConfigsRequest
from barnabas.protocol.messages.config_record import ConfigRecord
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from barnabas.protocol.messages.list_config_resources import ListConfigResourcesRequest

TOPIC, BROKER, METRICS, GROUP = 2, 4, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)
NOW = Moment(0.0, 1_700_000_000_000)


class Cluster:
    """A controller under the runtime's rules, with one topic `t`."""

    def __init__(self, **static: str) -> None:
        options = {name.replace("_", "."): value for name, value in static.items()}
        self.controller = Controller(ControllerSettings(static_options=options))
        self.log: list[Any] = []
        self.append(self.controller.loaded(NOW).records)
        self.ask(RegisterBroker(1, bytes(16), [("PLAINTEXT", "localhost", 9092)], None, 0))
        topic = CreateTopicsRequest.CreatableTopic(name="t", num_partitions=1, replication_factor=1)
        self.ask(NewTopics(CreateTopicsRequest(topics=[topic]), [bytes([7] * 16)]))
        self.take_delta()

    def ask(self, request: Any) -> Any:
        result = self.controller.handle(Caller(1, 0), request, NOW)
        self.append(result.records)
        (reply,) = result.replies
        return reply.message

    def append(self, records: list[Any]) -> None:
        for record in records:
            self.controller.replay(record, len(self.log))
            self.log.append(record)

    def change(self, kind: int, name: str, *changes: tuple[str, int, str | None], validate_only: bool = False) -> int:
        shape = IncrementalAlterConfigsRequest
        resource = shape.AlterConfigsResource(
            resource_type=kind,
            resource_name=name,
            configs=[shape.AlterableConfig(name=key, config_operation=op, value=value) for key, op, value in changes],
        )
        response = self.ask(Administer(shape(resources=[resource], validate_only=validate_only)))
        return int(response.responses[0].error_code)

    def replace(self, kind: int, name: str, **configs: str) -> int:
        shape = AlterConfigsRequest
        resource = shape.AlterConfigsResource(
            resource_type=kind,
            resource_name=name,
            configs=[shape.AlterableConfig(name=key.replace("_", "."), value=value) for key, value in configs.items()],
        )
        return int(self.ask(Administer(shape(resources=[resource]))).responses[0].error_code)

    def value(self, kind: int, name: str, option: str) -> tuple[str, int]:
        resource = DescribeConfigsRequest.DescribeConfigsResource(
            resource_type=kind, resource_name=name, configuration_keys=[option]
        )
        (entry,) = self.ask(Administer(DescribeConfigsRequest(resources=[resource]))).results[0].configs
        return entry.value, entry.config_source

    def take_delta(self) -> list[tuple[Any, ...]]:
        broker = BrokerConfigs.of(self.controller.image, self.controller.settings)
        return self.controller.image.take_delta(dynamic_topic_defaults(broker))


def test_options_are_set_appended_to_subtracted_from_and_deleted() -> None:
    cluster = Cluster()
    assert cluster.change(TOPIC, "t", ("cleanup.policy", APPEND, "compact")) == 0
    assert cluster.value(TOPIC, "t", "cleanup.policy") == ("delete,compact", 1)
    assert cluster.change(TOPIC, "t", ("cleanup.policy", SUBTRACT, "delete")) == 0
    assert cluster.value(TOPIC, "t", "cleanup.policy") == ("compact", 1)
    assert cluster.change(TOPIC, "t", ("cleanup.policy", DELETE, None), ("flush.ms", SET, " 5 ")) == 0
    assert cluster.value(TOPIC, "t", "cleanup.policy") == ("delete", 5)
    assert cluster.value(TOPIC, "t", "flush.ms") == ("5", 1)


def test_one_wrong_option_leaves_its_resource_as_it_was() -> None:
    cluster = Cluster()
    before = len(cluster.log)
    changes = [("flush.ms", SET, "5"), ("retention.ms", SET, "x")]
    assert cluster.change(TOPIC, "t", *changes) == errors.InvalidConfigError.code
    assert len(cluster.log) == before


def test_validating_writes_nothing() -> None:
    cluster = Cluster()
    before = len(cluster.log)
    assert cluster.change(TOPIC, "t", ("flush.ms", SET, "5"), validate_only=True) == 0
    assert cluster.change(TOPIC, "u", ("flush.ms", SET, "5"), validate_only=True) == 3
    assert len(cluster.log) == before


def test_an_option_that_stays_the_same_is_written_for_brokers_only() -> None:
    cluster = Cluster()
    cluster.change(TOPIC, "t", ("flush.ms", SET, "5"))
    cluster.change(BROKER, "1", ("log.flush.interval.ms", SET, "5"))
    before = len(cluster.log)
    cluster.change(TOPIC, "t", ("flush.ms", SET, "5"))
    assert len(cluster.log) == before
    cluster.change(BROKER, "1", ("log.flush.interval.ms", SET, "5"))
    assert len(cluster.log) == before + 1


def test_replacing_removes_what_is_not_named() -> None:
    cluster = Cluster()
    cluster.change(TOPIC, "t", ("flush.ms", SET, "5"), ("retention.ms", SET, "6"))
    assert cluster.replace(TOPIC, "t", retention_ms="7") == 0
    assert cluster.controller.image.topic_config("t") == {"retention.ms": "7"}


def test_a_brokers_option_beats_the_clusters_beats_the_starts() -> None:
    cluster = Cluster(log_retention_hours="1")
    assert cluster.value(TOPIC, "t", "retention.ms")[0] == "3600000"
    cluster.change(BROKER, "", ("log.retention.ms", SET, "8"))
    assert cluster.value(TOPIC, "t", "retention.ms") == ("8", 3)
    cluster.change(BROKER, "1", ("log.retention.ms", SET, "9"))
    assert cluster.value(TOPIC, "t", "retention.ms") == ("9", 2)
    cluster.change(BROKER, "1", ("log.retention.ms", DELETE, None))
    assert cluster.value(TOPIC, "t", "retention.ms") == ("8", 3)


def test_logs_are_told_of_broker_options_behind_their_topics() -> None:
    cluster = Cluster()
    cluster.change(BROKER, "", ("message.max.bytes", SET, "77"))
    (change,) = cluster.take_delta()
    assert change[:2] == ("topic", "t")
    assert change[-1] == {"max.message.bytes": "77", "min.insync.replicas": "1"}
    cluster.change(TOPIC, "t", ("max.message.bytes", SET, "88"))
    (change,) = cluster.take_delta()
    assert change[-1]["max.message.bytes"] == "88"
    cluster.change(BROKER, "1", ("num.io.threads", SET, "9"))
    assert cluster.take_delta() == []
    cluster.change(BROKER, "", ("producer.id.expiration.ms", SET, "99"))
    (change,) = cluster.take_delta()
    assert change[-1]["producer.id.expiration.ms"] == "99"


def test_options_in_the_log_that_no_broker_can_have_are_passed_over() -> None:
    cluster = Cluster()
    for name, value in (("log.retention.ms", "soon"), ("node.id", "9"), ("listeners", "PLAINTEXT://:1")):
        cluster.controller.replay(ConfigRecord(resource_type=BROKER, name=name, value=value), 99)
    assert cluster.value(TOPIC, "t", "retention.ms") == ("604800000", 5)
    assert cluster.value(BROKER, "1", "listeners") == ("PLAINTEXT://:9092", 5)


def test_groups_options_are_in_the_image() -> None:
    cluster = Cluster()
    assert cluster.change(GROUP, "g", ("consumer.session.timeout.ms", SET, "50000")) == 0
    assert cluster.controller.image.group_config("g") == {"consumer.session.timeout.ms": "50000"}
    assert cluster.value(GROUP, "g", "consumer.session.timeout.ms") == ("50000", 8)
    assert cluster.value(GROUP, "h", "consumer.session.timeout.ms") == ("45000", 5)
    assert cluster.change(GROUP, "g", ("consumer.session.timeout.ms", DELETE, None)) == 0
    assert cluster.controller.image.group_config("g") == {}


def test_a_groups_session_is_longer_than_its_heartbeats() -> None:
    cluster = Cluster(group_consumer_min_session_timeout_ms="5000")
    code = cluster.change(GROUP, "g", ("consumer.session.timeout.ms", SET, "5000"))
    assert code == errors.InvalidConfigError.code


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([], {(TOPIC, "t"), (BROKER, "1"), (8, "1"), (GROUP, "g"), (METRICS, "m")}),
        ([GROUP, METRICS], {(GROUP, "g"), (METRICS, "m")}),
    ],
)
def test_resources_are_listed_by_kind(kinds: list[int], expected: set[tuple[int, str]]) -> None:
    cluster = Cluster()
    cluster.change(GROUP, "g", ("share.isolation.level", SET, "read_committed"))
    cluster.change(METRICS, "m", ("metrics", SET, "*"))
    response = cluster.ask(Administer(ListConfigResourcesRequest(resource_types=kinds)))
    assert {(item.resource_type, item.resource_name) for item in response.config_resources} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", "1.0"), ("0.5", "0.5"), ("12345678", "1.2345678E7"), ("0.0001", "1.0E-4"), ("1e10", "1.0E10"), ("0", "0.0")],
)
def test_decimal_numbers_are_told_as_java_tells_them(text: str, expected: str) -> None:
    assert ConfigKey("x", "DOUBLE", None).normal(text) == expected
