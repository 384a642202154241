"""Records of committed offsets: the hand-written form is the interpreter's, at every version, and nothing malformed is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barnabas.coordinator.committed import (
    OFFSET_KEYS,
    CommittedOffset,
    OffsetKey,
    check_value,
    decode_key,
    decode_value,
    encode_key,
    encode_value,
)
from barnabas.errors import ProtocolError
from barnabas.protocol import codec
from barnabas.protocol.messages.legacy_offset_commit_key import LegacyOffsetCommitKey
from barnabas.protocol.messages.offset_commit_key import OffsetCommitKey
from barnabas.protocol.messages.offset_commit_value import OffsetCommitValue

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
NAMES = st.text(max_size=40)
COMMITTED = st.builds(
    CommittedOffset,
    offset=INT64,
    leader_epoch=INT32,
    metadata=st.one_of(st.just(""), st.text(max_size=60), st.sampled_from(["m" * 126, "m" * 127, "m" * 128, "é" * 63])),
    commit_timestamp_ms=INT64,
    expire_timestamp_ms=st.one_of(st.just(-1), INT64),
    topic_id=st.one_of(st.just(bytes(16)), st.binary(min_size=16, max_size=16)),
)


def message(committed: CommittedOffset) -> OffsetCommitValue:
    return OffsetCommitValue(
        offset=committed.offset,
        leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        commit_timestamp=committed.commit_timestamp_ms,
        expire_timestamp=committed.expire_timestamp_ms,
        topic_id=committed.topic_id,
    )


@given(group=NAMES, topic=NAMES, partition=INT32)
def test_keys_are_the_interpreters(group: str, topic: str, partition: int) -> None:
    key = OffsetKey(group, topic, partition)
    data = codec.encode_coordinator_record(OffsetCommitKey(group=group, topic=topic, partition=partition))
    assert encode_key(key) == data
    assert data.startswith(OFFSET_KEYS)
    assert decode_key(data) == key
    legacy = LegacyOffsetCommitKey(group=group, topic=topic, partition=partition)
    assert decode_key(codec.encode_coordinator_record(legacy)) == key


@given(committed=COMMITTED)
def test_values_are_the_interpreters(committed: CommittedOffset) -> None:
    version = 4 if committed.expire_timestamp_ms == -1 else 1
    data = encode_value(committed)
    assert data == codec.encode_coordinator_record(message(committed), version)
    check_value(data)
    kept = committed
    if version == 1:
        kept = CommittedOffset(
            committed.offset, -1, committed.metadata, committed.commit_timestamp_ms, committed.expire_timestamp_ms
        )
    assert decode_value(data) == kept


@given(committed=COMMITTED, version=st.integers(0, 4))
def test_values_of_every_version_are_read_as_the_interpreter_reads_them(
    committed: CommittedOffset, version: int
) -> None:
    data = codec.encode_coordinator_record(message(committed), version)
    key = codec.encode_coordinator_record(OffsetCommitKey(group="g", topic="t", partition=0))
    _, expected = codec.decode_coordinator_record(key, data)
    assert message(decode_value(data)) == expected


@given(committed=COMMITTED, data=st.data())
def test_malformed_values_are_refused_where_the_interpreter_refuses_them(
    committed: CommittedOffset, data: st.DataObject
) -> None:
    value = bytearray(encode_value(committed))
    for _ in range(data.draw(st.integers(0, 2))):
        value[data.draw(st.integers(0, len(value) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(value[: data.draw(st.integers(0, len(value)))]) + data.draw(st.binary(max_size=3))
    key = codec.encode_coordinator_record(OffsetCommitKey(group="g", topic="t", partition=0))
    try:
        _, expected = codec.decode_coordinator_record(key, cut)
    except ProtocolError:
        for read in (check_value, decode_value):
            with pytest.raises(ProtocolError):
                read(cut)
    else:
        assert isinstance(expected, OffsetCommitValue)
        expected.unknown_tagged_fields = None
        check_value(cut)
        assert message(decode_value(cut)) == expected


@given(start=st.sampled_from([b"\0\0", b"\0\1"]), rest=st.binary(max_size=30))
def test_malformed_keys_are_refused_where_the_interpreter_refuses_them(start: bytes, rest: bytes) -> None:
    try:
        expected, _ = codec.decode_coordinator_record(start + rest, None)
    except ProtocolError:
        with pytest.raises(ProtocolError):
            decode_key(start + rest)
    else:
        assert isinstance(expected, (OffsetCommitKey, LegacyOffsetCommitKey))
        assert decode_key(start + rest) == OffsetKey(expected.group, expected.topic, expected.partition)
