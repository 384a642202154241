"""What a client sees of a node that was told to forget itself: it runs on, and nobody finds it until it starts again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from raw_client import record_batch
from stored_groups import plain, wait_until_served

from barnabas.protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.describe_cluster import DescribeClusterRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.describe_topic_partitions import DescribeTopicPartitionsRequest
from barnabas.protocol.messages.elect_leaders import ElectLeadersRequest
from barnabas.protocol.messages.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from barnabas.protocol.messages.list_groups import ListGroupsRequest
from barnabas.protocol.messages.list_offsets import ListOffsetsRequest
from barnabas.protocol.messages.metadata import MetadataRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.protocol.messages.unregister_broker import UnregisterBrokerRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from raw_client import RawClient

TOPIC, GROUP = "forgotten", "of-the-forgotten"
TIME = {"timeout_ms": 5_000}


def fill(client: RawClient) -> bytes:
    """A topic with records and a group's coordinator; returns the topic's id."""
    wanted = CreateTopicsRequest.CreatableTopic(name=TOPIC, num_partitions=2, replication_factor=1)
    topic_id = client.ask(CreateTopicsRequest(topics=[wanted], **TIME)).topics[0].topic_id
    for index in range(2):
        while client.produce(TOPIC, topic_id, index, record_batch([b"x"]))[0]:
            pass
    wait_until_served(client, GROUP)
    return bytes(topic_id)


def unregistered(client: RawClient, topic_id: bytes) -> Iterator[tuple[str, Any]]:
    """Unregisters the node that is asked; says what it says from then on."""
    for again in ("", " again"):
        answer = client.ask(UnregisterBrokerRequest(broker_id=1))
        yield f"unregistered{again}", (answer.error_code, answer.error_message)
    # The reference's broker hears of what its controller has decided a moment later.
    while client.ask(MetadataRequest(topics=None)).brokers:
        pass
    while not client.produce(TOPIC, topic_id, 0, record_batch([b"y"]))[0]:
        pass
    yield from _partitions(client, topic_id)
    yield from _groups(client)
    yield from _administration(client)


def _partitions(client: RawClient, topic_id: bytes) -> Iterator[tuple[str, Any]]:
    told = client.topics(TOPIC)[TOPIC]
    yield "Metadata", plain(told.partitions)
    told = client.ask(MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name=TOPIC)]), 1)
    yield "Metadata of version 1", (told.controller_id, plain(told.topics[0].partitions))
    for fenced in (False, True):
        told = client.ask(DescribeClusterRequest(endpoint_type=1, include_fenced_brokers=fenced))
        yield f"DescribeCluster {fenced}", (told.error_code, told.controller_id, plain(told.brokers))
    wanted = [DescribeTopicPartitionsRequest.TopicRequest(name=TOPIC)]
    yield (
        "DescribeTopicPartitions",
        plain(client.ask(DescribeTopicPartitionsRequest(topics=wanted)).topics[0].partitions),
    )
    yield "Produce", client.produce(TOPIC, topic_id, 1, record_batch([b"y"]))[0]
    yield "Fetch", client.fetch(topic_id, 1, 0)
    shape = ListOffsetsRequest
    asked = shape.ListOffsetsTopic(name=TOPIC, partitions=[shape.ListOffsetsPartition(partition_index=0, timestamp=-1)])
    yield "ListOffsets", plain(client.ask(shape(replica_id=-1, topics=[asked])).topics)


def _groups(client: RawClient) -> Iterator[tuple[str, Any]]:
    found = client.ask(FindCoordinatorRequest(coordinator_keys=[GROUP])).coordinators[0]
    yield "FindCoordinator", (found.error_code, found.error_message, found.node_id)
    beat = client.ask(HeartbeatRequest(group_id=GROUP, generation_id=1, member_id="m"))
    yield "Heartbeat", beat.error_code
    said = ConsumerGroupHeartbeatRequest(
        group_id=GROUP, member_id="m", member_epoch=0, rebalance_timeout_ms=9_000, subscribed_topic_names=[TOPIC],
        topic_partitions=[],
    )  # fmt: skip
    yield "ConsumerGroupHeartbeat", client.ask(said).error_code
    fetched = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=GROUP, topics=None)]
    yield "OffsetFetch", client.ask(OffsetFetchRequest(groups=fetched), 9).groups[0].error_code
    listed = client.ask(ListGroupsRequest())
    yield "ListGroups", (listed.error_code, plain(listed.groups))


def _administration(client: RawClient) -> Iterator[tuple[str, Any]]:
    for name, assignments in (("new", []), ("placed", [1])):
        places = [
            CreateTopicsRequest.CreatableReplicaAssignment(partition_index=0, broker_ids=[one]) for one in assignments
        ]
        count = -1 if places else 1
        wanted = CreateTopicsRequest.CreatableTopic(
            name=name, num_partitions=count, replication_factor=count, assignments=places
        )
        told = client.ask(CreateTopicsRequest(topics=[wanted], **TIME)).topics[0]
        yield f"CreateTopics {name}", (told.error_code, told.error_message)
    more = CreatePartitionsRequest.CreatePartitionsTopic(name=TOPIC, count=4, assignments=None)
    told = client.ask(CreatePartitionsRequest(topics=[more], **TIME)).results[0]
    yield "CreatePartitions", (told.error_code, told.error_message)
    for kind in (0, 1):
        partitions = [ElectLeadersRequest.TopicPartitions(topic=TOPIC, partitions=[0])]
        told = client.ask(ElectLeadersRequest(election_type=kind, topic_partitions=partitions, **TIME))
        yield f"ElectLeaders {kind}", plain(told.replica_election_results)
    shape = AlterPartitionReassignmentsRequest
    for replicas in ([1], None):
        moved = shape.ReassignableTopic(
            name=TOPIC, partitions=[shape.ReassignablePartition(partition_index=0, replicas=replicas)]
        )
        yield f"AlterPartitionReassignments {replicas}", plain(client.ask(shape(topics=[moved], **TIME)).responses)
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=4, resource_name="1", configuration_keys=["node.id"]
    )
    (told,) = client.ask(DescribeConfigsRequest(resources=[resource])).results
    yield "DescribeConfigs", (told.error_code, [(one.name, one.value) for one in told.configs])
    shape = IncrementalAlterConfigsRequest
    change = shape.AlterableConfig(name="log.cleaner.threads", config_operation=0, value="2")
    for node in ("1", ""):
        asked = shape.AlterConfigsResource(resource_type=4, resource_name=node, configs=[change])
        (told,) = client.ask(shape(resources=[asked])).responses
        yield f"IncrementalAlterConfigs {node}", (told.error_code, told.error_message)
    gone = client.ask(DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name="nothing")], **TIME))
    yield "DeleteTopics", plain(gone.responses)
