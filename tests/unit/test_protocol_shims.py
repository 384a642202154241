"""Messages that changed shape: to the newest shape and back, errors included."""

import pytest

from barnabas import errors
from barnabas.protocol import codec, shims
from barnabas.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest, AddPartitionsToTxnResponse
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from barnabas.protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.init_producer_id import InitProducerIdResponse
from barnabas.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from barnabas.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchResponse

TXN_TOPIC = AddPartitionsToTxnRequest.AddPartitionsToTxnTopic
TXN_RESULT = AddPartitionsToTxnResponse.AddPartitionsToTxnTopicResult
TXN_PARTITION = AddPartitionsToTxnResponse.AddPartitionsToTxnPartitionResult
ID = bytes(range(16))


def offset_fetch(topics, **fields):
    return OffsetFetchRequest(
        groups=[OffsetFetchRequest.OffsetFetchRequestGroup(group_id="g", topics=topics)], **fields
    )


def offset_fetch_topic(name="t", topic_id=bytes(16)):
    return OffsetFetchRequest.OffsetFetchRequestTopics(name=name, topic_id=topic_id, partition_indexes=[0, 2])


REQUESTS = [
    FindCoordinatorRequest(coordinator_keys=["g"], key_type=0),
    offset_fetch([offset_fetch_topic()]),
    offset_fetch([]),
    DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name=name) for name in "ab"], timeout_ms=5),
    LeaveGroupRequest(group_id="g", members=[LeaveGroupRequest.MemberIdentity(member_id="m")]),
    AddPartitionsToTxnRequest(
        transactions=[
            AddPartitionsToTxnRequest.AddPartitionsToTxnTransaction(
                transactional_id="t", producer_id=7, producer_epoch=1, topics=[TXN_TOPIC(name="a", partitions=[0, 1])]
            )
        ]
    ),
    JoinGroupRequest(group_id="g", session_timeout_ms=10, rebalance_timeout_ms=10),
    HeartbeatRequest(group_id="g", member_id="m"),
]


@pytest.mark.parametrize("message", REQUESTS, ids=lambda message: type(message).__name__)
def test_requests_come_back_from_every_version_in_the_newest_shape(message):
    low, high = message.VERSIONS
    for version in range(low, high + 1):
        if type(message) is OffsetFetchRequest and version == 10:
            continue  # topic ids
        data = codec.encode(shims.lower(message, version), version)
        assert shims.lift(codec.decode(type(message), version, data), version) == message, f"version {version}"


@pytest.mark.parametrize("message", REQUESTS, ids=lambda message: type(message).__name__)
def test_variants_cover_all_versions_once_and_can_be_encoded(message):
    low, high = message.VERSIONS
    covered = []
    for first, last, variant in shims.variants(message):
        for version in range(first, last + 1):
            covered.append(version)
            codec.encode(variant, version)
    if type(message) is OffsetFetchRequest and message.groups[0].topics:
        high = 9  # a topic without an id
    assert covered == list(range(low, high + 1))


def test_messages_are_not_changed_in_place():
    message = offset_fetch([offset_fetch_topic()])
    before = repr(message)
    shims.lower(message, 1)
    shims.variants(message)
    assert repr(message) == before
    heartbeat = HeartbeatRequest()
    assert shims.lower(heartbeat, 0) is heartbeat
    assert shims.lift(heartbeat, 0) is heartbeat


def test_a_request_for_several_has_no_old_variant():
    several = FindCoordinatorRequest(coordinator_keys=["a", "b"])
    assert shims.variants(several) == [(4, 6, several)]
    with pytest.raises(errors.ProtocolError, match="one key, not 2"):
        shims.lower(several, 3)
    by_id = DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(topic_id=ID)])
    assert [(low, high) for low, high, _ in shims.variants(by_id)] == [(6, 6)]


def test_all_offsets_of_a_group_stay_null():
    message = offset_fetch(None)
    lowered = shims.lower(message, 5)
    assert lowered.topics is None
    assert shims.lift(codec.decode(OffsetFetchRequest, 5, codec.encode(lowered, 5)), 5) == message
    with pytest.raises(errors.ProtocolError, match="null"):
        codec.encode(shims.lower(message, 1), 1)


# As Java's consumer, which asks for stable offsets and takes what an older broker has.
def test_stable_offsets_are_asked_for_where_they_are_known():
    message = offset_fetch([offset_fetch_topic()])
    message.require_stable = True
    assert [(low, shape.require_stable) for low, _, shape in shims.variants(message)] == [
        (1, False),
        (7, True),
        (8, True),
    ]
    for low, high, shape in shims.variants(message):
        assert all(codec.encode(shape, version) for version in range(low, high + 1))


def test_topic_ids_choose_the_versions():
    def versions(*topics):
        return [(low, high) for low, high, _ in shims.variants(offset_fetch(list(topics)))]

    assert versions(offset_fetch_topic()) == [(1, 6), (7, 7), (8, 9)]
    assert versions(offset_fetch_topic(topic_id=ID)) == [(1, 6), (7, 7), (8, 10)]
    assert versions(offset_fetch_topic(name="", topic_id=ID)) == [(10, 10)]
    commit = OffsetCommitRequest(topics=[OffsetCommitRequest.OffsetCommitRequestTopic(name="t")])
    assert [(low, high) for low, high, _ in shims.variants(commit)] == [(2, 9)]


def test_topics_are_named_and_identified():
    message = offset_fetch([offset_fetch_topic(name="", topic_id=ID), offset_fetch_topic(name="", topic_id=b"?" * 16)])
    shims.name_topics(message, {ID: "orders"}.get)
    assert [topic.name for topic in message.groups[0].topics] == ["orders", ""]
    commit = OffsetCommitRequest(topics=[OffsetCommitRequest.OffsetCommitRequestTopic(name=name) for name in "ab"])
    shims.identify_topics(commit, {"a": ID}.get)
    assert [topic.topic_id for topic in commit.topics] == [ID, bytes(16)]


def response_over(message, version, request=None):
    data = codec.encode(shims.lower(message, version, request), version)
    return shims.lift(codec.decode(type(message), version, data), version)


def test_find_coordinator_answers_one_key_in_old_versions():
    found = FindCoordinatorResponse.Coordinator(key="g", node_id=3, host="h", port=1, error_code=15, error_message="e")
    response = FindCoordinatorResponse(coordinators=[found])
    lowered = shims.lower(response, 3)
    assert (lowered.node_id, lowered.host, lowered.port, lowered.error_code) == (3, "h", 1, 15)
    again = response_over(response, 1)
    assert again.coordinators == [
        FindCoordinatorResponse.Coordinator(node_id=3, host="h", port=1, error_code=15, error_message="e")
    ]
    assert again.node_id == 0


def test_offset_fetch_answers_one_group_in_old_versions():
    topics = [
        OffsetFetchResponse.OffsetFetchResponseTopics(
            name="t",
            partitions=[
                OffsetFetchResponse.OffsetFetchResponsePartitions(
                    partition_index=2, committed_offset=9, committed_leader_epoch=4, metadata="m"
                )
            ],
        )
    ]
    response = OffsetFetchResponse(groups=[OffsetFetchResponse.OffsetFetchResponseGroup(topics=topics)])
    assert response_over(response, 5) == response
    assert response_over(response, 1).groups[0].topics[0].partitions[0].committed_leader_epoch == -1


def test_an_error_of_the_group_is_given_per_partition_where_there_is_no_other_place():
    failed = OffsetFetchResponse(groups=[OffsetFetchResponse.OffsetFetchResponseGroup(group_id="g", error_code=16)])
    assert shims.lower(failed, 2).error_code == 16
    lowered = shims.lower(failed, 1, offset_fetch([offset_fetch_topic()]))
    assert [(p.partition_index, p.error_code, p.committed_offset) for p in lowered.topics[0].partitions] == [
        (0, 16, -1),
        (2, 16, -1),
    ]
    codec.encode(lowered, 1)


def test_leave_group_gives_the_only_members_error_in_old_versions():
    member = LeaveGroupResponse.MemberResponse(member_id="m", error_code=25)
    lowered = shims.lower(LeaveGroupResponse(members=[member]), 2)
    assert (lowered.error_code, lowered.members) == (25, [])
    assert shims.lower(LeaveGroupResponse(error_code=16), 0).error_code == 16
    assert shims.lift(lowered, 2).error_code == 25


def test_a_protocol_that_is_not_chosen_is_empty_in_old_versions():
    response = JoinGroupResponse(error_code=79, protocol_name=None, member_id="m")
    assert shims.lower(response, 6).protocol_name == ""
    assert shims.lower(response, 7) is response
    assert shims.lift(JoinGroupRequest(session_timeout_ms=10), 0).rebalance_timeout_ms == 10


def test_transactions_answer_one_transaction_in_old_versions():
    def result(code):
        topics = [
            TXN_RESULT(name="a", results_by_partition=[TXN_PARTITION(partition_index=1, partition_error_code=code)])
        ]
        return AddPartitionsToTxnResponse(
            results_by_transaction=[AddPartitionsToTxnResponse.AddPartitionsToTxnResult(topic_results=topics)]
        )

    assert response_over(result(0), 3) == result(0)
    old = shims.lower(result(90), 1).results_by_topic_v3_and_below[0].results_by_partition[0]
    assert old.partition_error_code == 47
    assert response_over(result(90), 1) == result(90)
    assert response_over(result(120), 4) == result(48)
    assert response_over(result(120), 5) == result(120)
    failed = shims.lower(AddPartitionsToTxnResponse(error_code=31), 3, REQUESTS[5])
    codes = [
        (p.partition_index, p.partition_error_code)
        for p in failed.results_by_topic_v3_and_below[0].results_by_partition
    ]
    assert codes == [(0, 31), (1, 31)]
    codec.encode(failed, 3)


@pytest.mark.parametrize(
    ("response", "version", "code"),
    [
        (InitProducerIdResponse(error_code=90), 3, 47),
        (InitProducerIdResponse(error_code=90), 4, 90),
        (DeleteTopicsResponse(responses=[DeleteTopicsResponse.DeletableTopicResult(name="t", error_code=73)]), 2, 42),
        (DeleteTopicsResponse(responses=[DeleteTopicsResponse.DeletableTopicResult(name="t", error_code=73)]), 3, 73),
    ],
)
def test_errors_that_a_version_does_not_know_become_older_ones(response, version, code):
    lowered = shims.lower(response, version)
    assert (lowered.responses[0] if isinstance(lowered, DeleteTopicsResponse) else lowered).error_code == code


def test_an_unknown_topic_id_is_an_unknown_topic_to_old_versions():
    def response(code):
        partition = OffsetCommitResponse.OffsetCommitResponsePartition(error_code=code)
        topic = OffsetCommitResponse.OffsetCommitResponseTopic(name="t", partitions=[partition])
        return OffsetCommitResponse(topics=[topic])

    assert shims.lower(response(100), 9) == response(3)
    assert shims.lower(response(113), 8) == response(35)
    unchanged = response(22)
    assert shims.lower(unchanged, 2) is unchanged
