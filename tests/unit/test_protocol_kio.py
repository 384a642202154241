"""The group messages against kio, a codec of other authors: it reads our bytes as we mean them and writes the same."""

import io

import pytest
from kio.serial import entity_reader, entity_writer
from kio_opinion import assert_same, kio_class

from barnabas.protocol import codec, shims
from barnabas.protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from barnabas.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from barnabas.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

TOPIC_ID = bytes(range(16))

MESSAGES = [
    JoinGroupRequest(
        group_id="billing",
        session_timeout_ms=45_000,
        rebalance_timeout_ms=300_000,
        member_id="grüße-1",
        protocol_type="consumer",
        protocols=[
            JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"\x00\x01\x02"),
            JoinGroupRequest.JoinGroupRequestProtocol(name="sticky", metadata=b""),
        ],
        reason="poll deadline",
    ),
    JoinGroupResponse(
        throttle_time_ms=7,
        generation_id=3,
        protocol_type="consumer",
        protocol_name="range",
        leader="m-1",
        member_id="m-1",
        members=[JoinGroupResponse.JoinGroupResponseMember(member_id="m-1", metadata=b"\xff")],
    ),
    JoinGroupResponse(error_code=79, protocol_name=None, member_id="m-1"),
    SyncGroupRequest(
        group_id="billing",
        generation_id=3,
        member_id="m-1",
        protocol_type="consumer",
        protocol_name="range",
        assignments=[SyncGroupRequest.SyncGroupRequestAssignment(member_id="m-1", assignment=b"abc")],
    ),
    SyncGroupResponse(throttle_time_ms=1, error_code=27, protocol_type="consumer", assignment=b"abc"),
    HeartbeatRequest(group_id="billing", generation_id=3, member_id="m-1"),
    HeartbeatResponse(error_code=25),
    LeaveGroupRequest(group_id="billing", members=[LeaveGroupRequest.MemberIdentity(member_id="m-1", reason="close")]),
    LeaveGroupResponse(members=[LeaveGroupResponse.MemberResponse(member_id="m-1", error_code=25)]),
    OffsetCommitRequest(
        group_id="billing",
        generation_id_or_member_epoch=3,
        member_id="m-1",
        topics=[
            OffsetCommitRequest.OffsetCommitRequestTopic(
                name="orders",
                topic_id=TOPIC_ID,
                partitions=[
                    OffsetCommitRequest.OffsetCommitRequestPartition(
                        partition_index=1, committed_offset=1 << 40, committed_leader_epoch=5, committed_metadata="m"
                    )
                ],
            )
        ],
    ),
    OffsetCommitResponse(
        topics=[
            OffsetCommitResponse.OffsetCommitResponseTopic(
                name="orders",
                topic_id=TOPIC_ID,
                partitions=[OffsetCommitResponse.OffsetCommitResponsePartition(partition_index=1, error_code=22)],
            )
        ]
    ),
    OffsetFetchRequest(
        groups=[
            OffsetFetchRequest.OffsetFetchRequestGroup(
                group_id="billing",
                topics=[
                    OffsetFetchRequest.OffsetFetchRequestTopics(
                        name="orders", topic_id=TOPIC_ID, partition_indexes=[0, 1]
                    )
                ],
            )
        ]
    ),
    OffsetFetchResponse(
        groups=[
            OffsetFetchResponse.OffsetFetchResponseGroup(
                group_id="billing",
                topics=[
                    OffsetFetchResponse.OffsetFetchResponseTopics(
                        name="orders",
                        topic_id=TOPIC_ID,
                        partitions=[
                            OffsetFetchResponse.OffsetFetchResponsePartitions(
                                partition_index=1, committed_offset=90, committed_leader_epoch=2, metadata=None
                            )
                        ],
                    )
                ],
            )
        ]
    ),
    FindCoordinatorRequest(coordinator_keys=["billing"]),
    FindCoordinatorResponse(
        coordinators=[FindCoordinatorResponse.Coordinator(key="billing", node_id=1, host="localhost", port=9092)]
    ),
    InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000),
    InitProducerIdResponse(producer_id=4000, producer_epoch=2),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_kio_reads_our_bytes_and_writes_the_same(message):
    low, high = message.VERSIONS
    for version in range(low, high + 1):
        shaped = shims.lower(message, version)
        data = codec.encode(shaped, version)
        cls = kio_class(message, version)
        theirs, size = entity_reader(cls)(data, 0)
        assert size == len(data), f"version {version}"
        # What the version drops is at its default once it is read again.
        assert_same(theirs, codec.decode(type(message), version, data), f"version {version}")
        written = io.BytesIO()
        entity_writer(cls)(written, theirs)
        assert written.getvalue() == data, f"version {version}"
