"""A member of the new protocol as Kafka 4.3 stores it: a nullable struct in a tagged field is 0 when it is null."""

from __future__ import annotations

from barnabas.protocol import codec
from barnabas.protocol.messages.consumer_group_member_metadata_value import ConsumerGroupMemberMetadataValue

KEY = bytes.fromhex("0005 0001 6d 0001 61")
VALUE = bytes.fromhex("0000 00 00 04 726177 0b 2f3132372e302e302e31 02 07 6f7264657273 01 000003e8 00 01 00 01 00")
"""Key and value of a record that Apache Kafka 4.3.0 wrote."""


def test_a_member_stored_by_kafka_is_read_and_written_alike() -> None:
    key, value = codec.decode_coordinator_record(KEY, VALUE)
    assert isinstance(value, ConsumerGroupMemberMetadataValue)
    assert value.subscribed_topic_names == ["orders"]
    assert value.classic_member_metadata is None
    assert key is not None
    assert codec.encode_coordinator_record(key) == KEY
    assert codec.encode_coordinator_record(value, 0) == VALUE


def test_a_member_of_the_classic_protocol_keeps_what_it_supports() -> None:
    classic = ConsumerGroupMemberMetadataValue.ClassicMemberMetadata(
        session_timeout_ms=9,
        supported_protocols=[ConsumerGroupMemberMetadataValue.ClassicProtocol(name="range", metadata=b"m")],
    )
    value = ConsumerGroupMemberMetadataValue(client_id="c", classic_member_metadata=classic)
    data = codec.encode_coordinator_record(value, 0)
    assert codec.decode_coordinator_record(KEY, data)[1] == value
