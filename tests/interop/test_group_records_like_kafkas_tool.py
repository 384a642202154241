"""Kafka's own tool decodes every kind of record of our `__consumer_offsets`, to the values that we wrote."""

from __future__ import annotations

import base64
import json
import re
import sys
import threading
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest
from reference_kafka import java

sys.path.insert(0, str(Path(__file__).parent.parent / "broker"))

from raw_client import RawClient

from barnabas import Broker
from barnabas.assignors import Subscription, consumer_protocol
from barnabas.protocol import codec
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.consumer_protocol_assignment import ConsumerProtocolAssignment
from barnabas.protocol.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from barnabas.protocol.messages.delete_groups import DeleteGroupsRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest
from barnabas.protocol.struct import Struct
from barnabas.types import TopicPartition

OFFSETS = "__consumer_offsets"
KEYS = {"1": "offset", "2": "classic group", "3": "epoch", "5": "member", "6": "target epoch", "7": "target"}
KEYS |= {"8": "assignment", "16": "regular expression"}
EMBEDDED = {"subscription": ConsumerProtocolSubscription, "assignment": ConsumerProtocolAssignment}
"""What the tool decodes, too, in the members of a classic group of consumers."""
LINE = re.compile(r"\| offset: (\d+) .*? key: (\{.*\}) payload: (.*)$")


def commit(client: RawClient, group: str, topic_id: bytes, **member: Any) -> None:
    partition = OffsetCommitRequest.OffsetCommitRequestPartition(
        partition_index=0, committed_offset=7, committed_leader_epoch=3, committed_metadata="nöte"
    )
    topic = OffsetCommitRequest.OffsetCommitRequestTopic(name="orders", topic_id=topic_id, partitions=[partition])
    answer = client.ask(OffsetCommitRequest(group_id=group, topics=[topic], **member))
    assert answer.topics[0].partitions[0].error_code == 0


def classic_group(client: RawClient) -> None:
    """A Stable group with a static member."""
    metadata = consumer_protocol.encode_subscription(Subscription(topics=("orders",)))
    protocols = [JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=metadata)]
    joined = client.ask(
        JoinGroupRequest(
            group_id="classic",
            session_timeout_ms=300_000,
            rebalance_timeout_ms=20_000,
            group_instance_id="i",
            protocol_type="consumer",
            protocols=protocols,
        )
    )
    assert joined.error_code == 0
    assignment = consumer_protocol.encode_assignment([TopicPartition("orders", 0)], version=1)
    given = [SyncGroupRequest.SyncGroupRequestAssignment(member_id=joined.member_id, assignment=assignment)]
    synced = client.ask(
        SyncGroupRequest(
            group_id="classic",
            generation_id=joined.generation_id,
            member_id=joined.member_id,
            group_instance_id="i",
            protocol_type="consumer",
            protocol_name="range",
            assignments=given,
        )
    )
    assert synced.error_code == 0


def heartbeat(client: RawClient, member_id: str, **fields: Any) -> None:
    said = {"rebalance_timeout_ms": 60_000, "subscribed_topic_names": ["orders"], "topic_partitions": []}
    request = ConsumerGroupHeartbeatRequest(
        **{"group_id": "modern", "member_id": member_id, "member_epoch": 0, **said, **fields}
    )
    answer = client.ask(request)
    assert answer.error_code == 0, answer


def stored(address: str) -> dict[int, tuple[bytes, bytes | None]]:
    """The records of the log, by their offsets."""
    reader = confluent_kafka.Consumer({"bootstrap.servers": address, "group.id": "unused", "enable.auto.commit": False})
    partition = confluent_kafka.TopicPartition(OFFSETS, 0, 0)
    found: dict[int, tuple[bytes, bytes | None]] = {}
    try:
        _, end = reader.get_watermark_offsets(partition, timeout=30)
        reader.assign([partition])
        while len(found) < end:
            message = reader.poll(30)
            assert message is not None
            assert message.error() is None, message.error()
            found[message.offset()] = (message.key(), message.value())
    finally:
        reader.close()
    return found


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def as_json(value: Any, name: str = "") -> Any:
    """A message as Kafka's JSON converters show it, all fields included."""
    if isinstance(value, Struct):
        return {camel(field): as_json(getattr(value, field), field) for field in type(value).__slots__}
    if isinstance(value, list):
        return [as_json(item, name) for item in value]
    if isinstance(value, bytes | bytearray | memoryview):
        if name == "topic_id":
            return base64.urlsafe_b64encode(value).decode().rstrip("=")
        if name in EMBEDDED:
            return as_json(codec.decode_versioned(EMBEDDED[name], value))
        return base64.b64encode(value).decode()
    return value


def includes(ours: Any, theirs: Any) -> bool:
    """Whether all that they show is what we have; what a version lacks or leaves out they do not show."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and all(name in ours and includes(ours[name], theirs[name]) for name in theirs)
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(includes, ours, theirs))
    return bool(ours == theirs)


@pytest.mark.interop
def test_the_offsets_decoder_reads_every_kind_of_record(tmp_path: Path) -> None:
    with Broker(data_dir=tmp_path, offsets_topic_num_partitions=1) as broker:
        with RawClient(broker.bootstrap_servers, timeout=60) as client:
            topic_id = client.topics("orders", create=True)["orders"].topic_id
            for _ in range(100):
                if client.coordinator("classic").error_code == 0:
                    break
                threading.Event().wait(0.1)
            classic_group(client)
            commit(client, "simple", topic_id)
            heartbeat(client, "a")
            regex = {"subscribed_topic_names": None, "subscribed_topic_regex": "ord.*"}
            heartbeat(client, "b", instance_id="i", rack_id="r", server_assignor="range", **regex)
            for member in "ab":
                heartbeat(client, member, member_epoch=-1, topic_partitions=None, subscribed_topic_names=None)
            deleted = client.ask(DeleteGroupsRequest(groups_names=["simple", "modern"])).results
            assert [group.error_code for group in deleted] == [0, 0]
        records = stored(broker.bootstrap_servers)
    log = tmp_path / f"{OFFSETS}-0" / ("0" * 20 + ".log")
    done = java("DumpLogSegments", "--files", str(log), "--offsets-decoder")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr or done.stdout
    assert "Error" not in done.stdout, done.stdout
    seen: set[tuple[str, bool]] = set()
    for line in done.stdout.splitlines():
        match = LINE.search(line)
        if match is None:
            continue
        offset, key_text, payload = int(match[1]), json.loads(match[2]), match[3]
        key, value = records.pop(offset)
        our_key, our_value = codec.decode_coordinator_record(key, value)
        assert key_text["type"] == str(int.from_bytes(key[:2], "big"))
        assert includes(as_json(our_key), key_text["data"]), line
        seen.add((key_text["type"], value is None))
        if value is None:
            assert payload == "<DELETE>"
            continue
        theirs = json.loads(payload)
        assert theirs["version"] == str(int.from_bytes(value[:2], "big"))
        assert includes(as_json(our_value), theirs["data"]), line
    assert records == {}, "the tool showed every record"
    assert seen == {(kind, is_deleted) for kind in KEYS for is_deleted in (False, True)}


def test_a_difference_is_seen() -> None:
    ours = {"a": 1, "b": [{"c": "x", "d": None}]}
    assert includes(ours, {"a": 1, "b": [{"c": "x"}]})
    for theirs in ({"a": 2}, {"e": 1}, {"b": []}, {"b": [{"c": "y"}]}, {"b": [{"c": "x"}, {}]}):
        assert not includes(ours, theirs)
