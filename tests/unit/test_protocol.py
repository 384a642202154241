"""The codec's edges, the frames of internal records, and the index of APIs."""

import copy
import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas import errors
from barnabas.protocol import apis, codec
from barnabas.protocol.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from barnabas.protocol.messages.group_metadata_key import GroupMetadataKey
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.init_producer_id import InitProducerIdRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from barnabas.protocol.messages.metadata import MetadataRequest, MetadataResponse
from barnabas.protocol.messages.offset_commit_key import OffsetCommitKey
from barnabas.protocol.messages.offset_commit_value import OffsetCommitValue
from barnabas.protocol.messages.partition_record import PartitionRecord
from barnabas.protocol.messages.topic_record import TopicRecord

JOIN = JoinGroupRequest(
    group_id="g",
    member_id="m",
    protocol_type="consumer",
    protocols=[JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"x")],
)


def test_a_message_is_its_fields():
    again = codec.decode(JoinGroupRequest, 9, codec.encode(JOIN, 9))
    assert again == JOIN
    assert again != JoinGroupRequest(group_id="other")
    assert repr(again).startswith("JoinGroupRequest(group_id='g', session_timeout_ms=0, ")
    assert copy.deepcopy(JOIN) == JOIN == pickle.loads(pickle.dumps(JOIN))  # noqa: S301
    with pytest.raises(AttributeError):
        JOIN.no_such_field = 1
    with pytest.raises(TypeError):
        JoinGroupRequest("g")


def test_defaults_are_not_shared():
    first, second = JoinGroupRequest(), JoinGroupRequest()
    first.protocols.append(JoinGroupRequest.JoinGroupRequestProtocol())
    assert second.protocols == []


def test_a_tuple_may_stand_for_a_list_and_a_bytearray_for_bytes():
    protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=bytearray(b"x"))
    message = JoinGroupRequest(group_id="g", member_id="m", protocol_type="consumer", protocols=(protocol,))
    assert codec.encode(message, 9) == codec.encode(JOIN, 9)
    assert codec.decode(JoinGroupRequest, 9, bytearray(codec.encode(JOIN, 9))) == JOIN


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x00\x05ab", b"\xff\xff", b"\x00\x01\xff" + bytes(20)])
def test_malformed_bytes_raise_a_protocol_error(data):
    with pytest.raises(errors.ProtocolError, match="JoinGroupRequest version 5"):
        codec.decode(JoinGroupRequest, 5, data)


def test_bytes_behind_a_message_are_an_error_unless_allowed():
    data = codec.encode(JOIN, 9) + b"more"
    with pytest.raises(errors.ProtocolError, match="4 bytes left"):
        codec.decode(JoinGroupRequest, 9, data)
    assert codec.decode(JoinGroupRequest, 9, data, trailing=True) == JOIN


def test_versions_that_do_not_exist_are_refused():
    for version in (-1, 10):
        with pytest.raises(errors.ProtocolError, match="has no version"):
            codec.encode(JOIN, version)
        with pytest.raises(errors.ProtocolError, match="has no version"):
            codec.decode(JoinGroupRequest, version, b"")
    assert InitProducerIdRequest.VERSIONS == (0, 5)


def test_a_value_that_a_version_cannot_carry_is_dropped_if_it_may_be():
    assert codec.decode(JoinGroupRequest, 5, codec.encode(JoinGroupRequest(reason="why"), 5)).reason is None
    with pytest.raises(errors.ProtocolError, match="group_instance_id"):
        codec.encode(HeartbeatRequest(group_instance_id="static"), 2)


def test_null_is_refused_where_it_may_not_be():
    assert codec.decode(MetadataRequest, 1, codec.encode(MetadataRequest(topics=None), 1)).topics is None
    with pytest.raises(errors.ProtocolError, match="null"):
        codec.encode(MetadataRequest(topics=None), 0)
    with pytest.raises(errors.ProtocolError, match="null"):
        codec.encode(JoinGroupRequest(protocols=[None]), 9)


@pytest.mark.parametrize(
    ("message", "error", "text"),
    [
        (JoinGroupRequest(group_id=5), TypeError, "group_id: expected str"),
        (JoinGroupRequest(group_id=None), errors.ProtocolError, "null"),
        (JoinGroupRequest(session_timeout_ms=1 << 31), errors.ProtocolError, "range"),
        (JoinGroupRequest(session_timeout_ms=1 << 80), errors.ProtocolError, "range"),
        (JoinGroupRequest(session_timeout_ms="1"), TypeError, "session_timeout_ms: expected int"),
        (JoinGroupRequest(protocols=[object()]), TypeError, "expected JoinGroupRequestProtocol"),
        (JoinGroupRequest(protocols={}), TypeError, "protocols: expected list"),
        (JoinGroupRequest(group_id="x" * 40_000), errors.ProtocolError, "too long"),
        (MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(topic_id=b"short")]), TypeError, "16 bytes"),
        (object(), TypeError, "expected a message"),
    ],
)
def test_a_wrong_value_names_its_field(message, error, text):
    with pytest.raises(error, match=text):
        codec.encode(message, 10 if isinstance(message, MetadataRequest) else 9)


def test_unknown_tagged_fields_are_kept():
    message = JoinGroupResponse(member_id="m")
    message.unknown_tagged_fields = {77: b"new", 5: b""}
    data = codec.encode(message, 9)
    again = codec.decode(JoinGroupResponse, 9, data)
    assert again == message
    assert codec.encode(again, 9) == data
    assert codec.decode(JoinGroupResponse, 5, codec.encode(message, 5)).unknown_tagged_fields is None


@given(st.binary(max_size=80), st.sampled_from(sorted(apis.APIS)), st.booleans(), st.integers(0, 13))
def test_hostile_bytes_raise_nothing_but_protocol_errors(data, key, is_request, version):
    cls = codec.request_class(key) if is_request else codec.response_class(key)
    low, high = cls.VERSIONS
    version = min(max(version, low), high)
    try:
        message = codec.decode(cls, version, data)
    except errors.ProtocolError:
        return
    again = codec.encode(message, version)
    assert codec.encode(codec.decode(cls, version, again), version) == again


def test_records_of_a_coordinators_log_have_type_and_version_in_front():
    key = OffsetCommitKey(group="g", topic="t", partition=3)
    value = OffsetCommitValue(offset=9, leader_epoch=2, metadata="m", commit_timestamp=5)
    data = codec.encode_coordinator_record(key), codec.encode_coordinator_record(value, 3)
    assert data[0] == b"\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x03"
    assert data[1][:2] == b"\x00\x03"
    assert codec.decode_coordinator_record(*data) == (key, value)
    assert codec.decode_coordinator_record(data[0], None) == (key, None)
    group = codec.encode_coordinator_record(GroupMetadataKey(group="g"))
    assert group == b"\x00\x02\x00\x01g"
    assert codec.decode_coordinator_record(b"\x7f\x00rest", b"\x00\x00") == (None, None)
    with pytest.raises(errors.ProtocolError):
        codec.decode_coordinator_record(b"\x00", None)


def test_records_of_the_metadata_log_have_a_frame():
    topic = TopicRecord(name="orders", topic_id=bytes(range(16)))
    data = codec.encode_metadata_record(topic)
    assert data[:3] == b"\x01\x02\x00"
    assert codec.decode_metadata_record(data) == (topic, 0)
    partition = PartitionRecord(partition_id=1, topic_id=bytes(16), replicas=[1], isr=[1], leader=1)
    assert codec.decode_metadata_record(codec.encode_metadata_record(partition, 1)) == (partition, 1)
    for damaged in (b"", b"\x02\x02\x00", b"\x01\x7f\x00", b"\x01\x02\x63", data + b"x", data[:-1], b"\xff" * 6):
        with pytest.raises(errors.ProtocolError):
            codec.decode_metadata_record(damaged)


def test_a_subscription_of_a_newer_member_is_read_as_the_newest_known():
    subscription = ConsumerProtocolSubscription(topics=["a", "b"], user_data=None, generation_id=4)
    data = codec.encode_versioned(subscription, 3)
    assert codec.decode_versioned(ConsumerProtocolSubscription, data) == subscription
    newer = b"\x00\x09" + data[2:] + b"\x00\x00\x00\x01"
    assert codec.decode_versioned(ConsumerProtocolSubscription, newer) == subscription
    with pytest.raises(errors.ProtocolError):
        codec.decode_versioned(ConsumerProtocolSubscription, b"\xff\xff" + data[2:])


def test_the_index_of_apis_is_the_classes():
    for key, (name, _, low, high, _) in apis.APIS.items():
        for cls in (codec.request_class(key), codec.response_class(key)):
            assert (key, (low, high)) == (cls.API_KEY, cls.VERSIONS)
        assert codec.api_name(key) == name
        assert codec.valid_versions(key) == (low, high)
    assert codec.valid_versions(7) is None
    with pytest.raises(errors.ProtocolError):
        codec.decode_request(7, 0, b"")
    body = codec.encode(MetadataResponse(cluster_id="c"), 13)
    assert codec.decode_response(apis.METADATA, 13, body) == MetadataResponse(cluster_id="c")


def test_no_message_module_is_loaded_with_the_codec():
    program = "import sys, barnabas.protocol.codec; print([m for m in sys.modules if 'protocol.messages.' in m])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
