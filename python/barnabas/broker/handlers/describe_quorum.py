"""DescribeQuorum (key 55), versions 0-2. The quorum of one node, which leads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.voters import NO_DIRECTORY, voter_directory
from barnabas.controller.image import METADATA_TOPIC
from barnabas.errors import UnknownTopicOrPartitionError
from barnabas.protocol.messages.describe_quorum import DescribeQuorumResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

FIRST_WITH_TIMES = 1
FIRST_WITH_NODES = 2


def handle(plane: ControlPlane, request: Request) -> None:
    """Says who leads the metadata log, and how far it is."""
    shape = DescribeQuorumResponse
    topics = []
    is_there = False
    has_nodes = request.version >= FIRST_WITH_NODES
    for topic in request.message.topics:
        partitions = []
        for wanted in topic.partitions:
            partition = shape.PartitionData(partition_index=wanted.partition_index, error_message="")
            partitions.append(partition)
            if topic.topic_name == METADATA_TOPIC and wanted.partition_index == 0:
                is_there = True
                _describe(plane, request, partition)
            else:
                partition.error_code = UnknownTopicOrPartitionError.code
                if has_nodes:
                    partition.error_message = "This server does not host this topic-partition."
        topics.append(shape.TopicData(topic_name=topic.topic_name, partitions=partitions))
    nodes = [shape.Node(node_id=plane.metadata.node_id)] if is_there and has_nodes else []
    request.respond(shape(topics=topics, nodes=nodes, error_message=""))


def _describe(plane: ControlPlane, request: Request, partition: Any) -> None:
    info = plane.core.info(METADATA_TOPIC, 0)
    if info is None:
        partition.error_code = UnknownTopicOrPartitionError.code
        return
    _, high_watermark, _, log_end, leader_epoch = info
    partition.leader_id = plane.metadata.node_id
    partition.leader_epoch = leader_epoch
    partition.high_watermark = high_watermark
    partition.current_voters = [
        DescribeQuorumResponse.ReplicaState(
            replica_id=plane.metadata.node_id,
            replica_directory_id=voter_directory(plane) if request.version >= FIRST_WITH_NODES else NO_DIRECTORY,
            log_end_offset=log_end,
        )
    ]
    if request.version >= FIRST_WITH_TIMES:
        for voter in partition.current_voters:
            voter.last_fetch_timestamp = voter.last_caught_up_timestamp = request.now.wall_ms
