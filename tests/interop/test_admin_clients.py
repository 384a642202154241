"""The admin clients of confluent-kafka, kafka-python and aiokafka on our broker: each sees what each has changed."""

from __future__ import annotations

import asyncio
from typing import Any

import aiokafka.admin
import aiokafka.admin.config_resource
import confluent_kafka.admin
import kafka.admin
import pytest

from barnabas import Admin

pytestmark = pytest.mark.interop


def with_confluent(server: str, topic: str) -> tuple[int, str]:
    """Creates, alters and describes; returns (partitions, retention.ms) as this client is told them."""
    client = confluent_kafka.admin.AdminClient({"bootstrap.servers": server})
    wanted = confluent_kafka.admin.NewTopic(topic, 1, 1, config={"retention.ms": "1000"})
    for future in client.create_topics([wanted], validate_only=True).values():
        future.result(30)
    for future in client.create_topics([wanted]).values():
        future.result(30)
    for future in client.create_partitions([confluent_kafka.admin.NewPartitions(topic, 3)]).values():
        future.result(30)
    change = confluent_kafka.admin.ConfigEntry(
        "retention.ms", "2000", incremental_operation=confluent_kafka.admin.AlterConfigOpType.SET
    )
    resource = confluent_kafka.admin.ConfigResource(
        confluent_kafka.admin.ConfigResource.Type.TOPIC, topic, incremental_configs=[change]
    )
    for future in client.incremental_alter_configs([resource]).values():
        future.result(30)
    (future,) = client.describe_configs([confluent_kafka.admin.ConfigResource("topic", topic)]).values()
    value = future.result(30)["retention.ms"].value
    credentials = client.describe_user_scram_credentials().result(30)
    assert isinstance(credentials, dict)
    return len(client.list_topics(topic, timeout=30).topics[topic].partitions), str(value)


def with_kafka_python(server: str, topic: str) -> tuple[int, str]:
    """The same with kafka-python."""
    client: Any = kafka.admin.KafkaAdminClient(bootstrap_servers=server)
    try:
        client.create_topics([kafka.admin.NewTopic(topic, 1, 1, topic_configs={"retention.ms": "1000"})])
        client.create_partitions({topic: kafka.admin.NewPartitions(3)})
        client.alter_configs(
            [kafka.admin.ConfigResource(kafka.admin.ConfigResourceType.TOPIC, topic, configs={"retention.ms": "2000"})]
        )
        described = client.describe_configs([kafka.admin.ConfigResource(kafka.admin.ConfigResourceType.TOPIC, topic)])
        (told,) = client.describe_topics([topic])
        return len(told["partitions"]), str(option(described, "retention.ms"))
    finally:
        client.close()


def with_aiokafka(server: str, topic: str) -> tuple[int, str]:
    """The same with aiokafka."""
    return asyncio.run(_with_aiokafka(server, topic))


async def _with_aiokafka(server: str, topic: str) -> tuple[int, str]:
    client = aiokafka.admin.AIOKafkaAdminClient(bootstrap_servers=server)
    await client.start()
    try:
        await client.create_topics([aiokafka.admin.NewTopic(topic, 1, 1, topic_configs={"retention.ms": "1000"})])
        await client.create_partitions({topic: aiokafka.admin.NewPartitions(3)})
        await client.alter_configs(
            [
                aiokafka.admin.config_resource.ConfigResource(
                    aiokafka.admin.config_resource.ConfigResourceType.TOPIC, topic, configs={"retention.ms": "2000"}
                )
            ]
        )
        described = await client.describe_configs(
            [
                aiokafka.admin.config_resource.ConfigResource(
                    aiokafka.admin.config_resource.ConfigResourceType.TOPIC, topic
                )
            ]
        )
        (told,) = await client.describe_topics([topic])
        return len(told["partitions"]), str(option(described, "retention.ms"))
    finally:
        await client.close()


def option(described: Any, name: str) -> Any:
    """Finds an option's value in whatever shape a client tells it."""
    if isinstance(described, dict):
        if name in described:
            found = described[name]
            return found.get("value", found) if isinstance(found, dict) else found
        if described.get("config_names", described.get("name")) == name:
            return described.get("config_value", described.get("value"))
        described = list(described.values())
    if hasattr(described, "resources"):
        described = described.resources
    if isinstance(described, (list, tuple)):
        if len(described) > 1 and described[0] == name:
            return described[1]
        for item in described:
            found = option(item, name)
            if found is not None:
                return found
    return None


CLIENTS = {"aiokafka": with_aiokafka, "confluent": with_confluent, "kafka-python": with_kafka_python}


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_topics_are_administered(our_broker: str, unique: str, client: str) -> None:
    assert CLIENTS[client](our_broker, unique) == (3, "2000")
    with Admin(bootstrap_servers=our_broker) as admin:
        assert unique in admin.list_topics()
        admin.delete_topics([unique])
        assert unique not in admin.list_topics()
