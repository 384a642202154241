"""`Broker`: start, stop, topics, groups and offsets over real sockets, and what a restart keeps."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch, record_values

from barnabas import Broker, errors
from barnabas.protocol import codec
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_groups import DeleteGroupsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.describe_cluster import DescribeClusterRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.describe_groups import DescribeGroupsRequest
from barnabas.protocol.messages.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.init_producer_id import InitProducerIdRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.leave_group import LeaveGroupRequest
from barnabas.protocol.messages.list_groups import ListGroupsRequest
from barnabas.protocol.messages.metadata import MetadataRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Iterator


CONSUMERS: dict[str, Any] = {"protocol_type": "consumer", "protocol_name": "range"}


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as broker:
        yield broker


@pytest.fixture
def client(broker: Broker) -> Iterator[RawClient]:
    with RawClient(broker.bootstrap_servers) as client:
        yield client


def create(client: RawClient, name: str, partitions: int = 1, version: int = 7, **options: str) -> Any:
    configs = [
        CreateTopicsRequest.CreatableTopicConfig(name=key.replace("_", "."), value=value)
        for key, value in options.items()
    ]
    topic = CreateTopicsRequest.CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=1, configs=configs
    )
    return client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=5_000), version).topics[0]


def join(group: str, member_id: str = "", metadata: bytes = b"") -> JoinGroupRequest:
    return JoinGroupRequest(
        group_id=group,
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        member_id=member_id,
        protocol_type="consumer",
        protocols=[JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=metadata)],
    )


def enter(client: RawClient, group: str) -> str:
    """Waits for the group's coordinator and returns a member id."""
    assert client.coordinator(group).error_code == 0
    answer = client.ask(join(group))
    assert answer.error_code == errors.MemberIdRequiredError.code
    return str(answer.member_id)


def commit(client: RawClient, group: str, topic_id: bytes, offset: int, member: str = "", generation: int = -1) -> int:
    partition = OffsetCommitRequest.OffsetCommitRequestPartition(
        partition_index=0,
        committed_offset=offset,
        committed_metadata="note",
    )
    topics = [OffsetCommitRequest.OffsetCommitRequestTopic(topic_id=topic_id, partitions=[partition])]
    request = OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member,
        topics=topics,
    )
    return int(client.ask(request).topics[0].partitions[0].error_code)


def committed(client: RawClient, group: str) -> dict[str, int]:
    groups = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=None)]
    answer = client.ask(OffsetFetchRequest(groups=groups), 9).groups[0]
    assert answer.error_code == 0
    return {topic.name: topic.partitions[0].committed_offset for topic in answer.topics}


# Life.


def test_close_ends_all_threads_and_removes_the_temporary_directory() -> None:
    before = threading.active_count()
    broker = Broker()
    (data_dir,) = {path for path in [broker._temporary] if path}
    with RawClient(broker.bootstrap_servers) as client:
        create(client, "orders")
        assert Path(data_dir).is_dir()
        assert broker.close()
        assert client.closed()
    assert broker.close()
    assert threading.active_count() == before
    assert not Path(data_dir).exists()
    with pytest.raises(errors.IllegalStateError, match="closed"):
        _ = broker.bootstrap_servers


def test_two_brokers_in_one_process_are_two_clusters() -> None:
    with Broker() as one, Broker(num_partitions=3) as two:
        assert one.cluster_id != two.cluster_id
        with RawClient(two.bootstrap_servers) as client:
            assert len(client.topics("auto", create=True)["auto"].partitions) == 3
        with RawClient(one.bootstrap_servers) as client:
            assert client.topics() == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_partition": 3}, "unknown broker option 'num_partition'; did you mean num.partitions?"),
        ({"datadir": "x"}, "unknown broker option 'datadir'; did you mean data_dir (option log.dirs)?"),
        ({"port": 9092}, "unknown broker option 'port'; did you mean listeners?"),
        ({"num_partitions": 0}, "Invalid value 0 for configuration num.partitions: Value must be at least 1"),
        ({"num_partitions": "many"}, "Invalid value many for configuration num.partitions: Not a number of type INT"),
        ({"listeners": "SSL://127.0.0.1:0"}, "listeners: listener SSL is not supported: only PLAINTEXT is"),
        (
            {"listeners": "127.0.0.1:0"},
            "listeners: '127.0.0.1:0' is not NAME://host:port, such as PLAINTEXT://127.0.0.1:9092",
        ),
        ({"authorizer_class_name": "x.Y"}, "authorizer.class.name is not supported: this broker has no access control"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.ConfigError) as refused:
        Broker(**options)
    assert str(refused.value) == message


def test_directory_of_another_node_is_refused(tmp_path: Path) -> None:
    with Broker(tmp_path) as broker:
        cluster_id = broker.cluster_id
    with pytest.raises(errors.ConfigError, match="belongs to node 1"):
        Broker(tmp_path, node_id=2)
    with Broker(tmp_path) as broker:
        assert broker.cluster_id == cluster_id


def test_directories_of_different_clusters_are_refused(tmp_path: Path) -> None:
    for name in "ab":
        Broker(tmp_path / name).close()
    both = f"{tmp_path / 'a'},{tmp_path / 'b'}"
    with pytest.raises(errors.ConfigError, match="the data directories belong to different clusters"):
        Broker(log_dirs=both)


def test_listener_on_a_port_in_use_is_refused(broker: Broker) -> None:
    before = set(threading.enumerate())
    with pytest.raises(OSError, match=broker.bootstrap_servers):
        Broker(listeners=f"PLAINTEXT://{broker.bootstrap_servers}")
    # One of another test may come to its end meanwhile.
    assert set(threading.enumerate()) <= before


# Protocol.


def test_every_served_api_answers_at_every_version(client: RawClient) -> None:
    """No served version may make the broker hang up: an empty request gets an answer, whatever it says."""
    parked = {1, 11}
    for key, (low, high) in client.versions().items():
        if key in parked:
            continue
        request = codec.request_class(key)()
        for version in range(max(low, 3) if key == 0 else low, high + 1):
            if key == 0:
                request.acks = 1  # type: ignore[attr-defined]
            if key == 3:
                request.topics = None if version else []  # type: ignore[attr-defined]
            if key == 29:
                # An unknown kind is what Kafka cannot read; 1 stands for any.
                request.resource_type_filter = request.operation = request.permission_type = 1  # type: ignore[attr-defined]
            client.ask(request, version)


def test_malformed_request_closes_the_connection_and_no_other(broker: Broker, client: RawClient) -> None:
    with RawClient(broker.bootstrap_servers) as bad:
        bad.send_frame(b"\x00\x0b\x00\x09\x00\x00\x00\x01\x00\x01x\x00" + b"\xff" * 20)
        assert bad.closed()
    assert client.coordinator("g").error_code == 0


# Topics.


def test_topic_is_created_described_and_deleted(client: RawClient) -> None:
    created = create(client, "described", 3, retention_ms="1000")
    assert (created.error_code, created.num_partitions, created.replication_factor) == (0, 3, 1)
    topic = client.topics("described")["described"]
    assert (topic.error_code, topic.topic_id, len(topic.partitions)) == (0, created.topic_id, 3)
    resources = [
        DescribeConfigsRequest.DescribeConfigsResource(
            resource_type=2, resource_name="described", configuration_keys=None
        )
    ]
    described = client.ask(DescribeConfigsRequest(resources=resources, include_synonyms=True)).results[0]
    retention = next(config for config in described.configs if config.name == "retention.ms")
    assert (retention.value, retention.config_source) == ("1000", 1)
    assert [(synonym.name, synonym.source) for synonym in retention.synonyms] == [("retention.ms", 1)]
    policy = next(config for config in described.configs if config.name == "cleanup.policy")
    assert [(synonym.name, synonym.source) for synonym in policy.synonyms] == [("log.cleanup.policy", 5)]
    again = create(client, "described")
    assert (again.error_code, again.error_message) == (36, "Topic 'described' already exists.")
    state = DeleteTopicsRequest.DeleteTopicState(name="described")
    deleted = client.ask(DeleteTopicsRequest(topics=[state], timeout_ms=5_000)).responses[0]
    assert (deleted.error_code, deleted.topic_id) == (0, created.topic_id)
    assert client.topics("described")["described"].error_code == errors.UnknownTopicOrPartitionError.code


@pytest.mark.parametrize("version", range(2, 8))
def test_create_topics_at_every_version(client: RawClient, version: int) -> None:
    name = f"version-{version}"
    assert create(client, name, 1, version).error_code == 0
    assert client.topics(name)[name].error_code == 0


def test_unknown_topic_is_created_only_where_that_is_allowed(client: RawClient) -> None:
    unknown = errors.UnknownTopicOrPartitionError.code
    assert client.topics("not-there", create=False)["not-there"].error_code == unknown
    wanted = [MetadataRequest.MetadataRequestTopic(name="there-soon")]
    first = client.ask(MetadataRequest(topics=wanted, allow_auto_topic_creation=True)).topics[0]
    assert (first.error_code, first.partitions) == (unknown, [])
    assert client.topics("there-soon", create=True)["there-soon"].error_code == 0
    assert client.topics("not legal", create=True)["not legal"].error_code == errors.InvalidTopicError.code
    with Broker(auto_create_topics_enable=False) as strict, RawClient(strict.bootstrap_servers) as other:
        wanted = [MetadataRequest.MetadataRequestTopic(name="not-there")]
        answer = other.ask(MetadataRequest(topics=wanted, allow_auto_topic_creation=True))
        assert answer.topics[0].error_code == unknown
        assert other.topics("not-there")["not-there"].error_code == unknown


def test_topic_created_again_holds_nothing_of_the_old_one(client: RawClient) -> None:
    old = create(client, "again").topic_id
    assert client.produce("again", old, 0, record_batch([b"old"])) == (0, 0)
    client.ask(DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name="again")], timeout_ms=5_000))
    new = create(client, "again").topic_id
    assert client.produce("again", new, 0, record_batch([b"new"])) == (0, 0)
    assert record_values(client.fetch(new, 0, 0)[1]) == [b"new"]
    assert client.fetch(old, 0, 0)[0] == errors.UnknownTopicIdError.code


def test_cluster_is_described(broker: Broker, client: RawClient) -> None:
    answer = client.ask(DescribeClusterRequest())
    host, _, port = broker.bootstrap_servers.rpartition(":")
    assert (answer.cluster_id, answer.controller_id) == (broker.cluster_id, 1)
    assert [(node.broker_id, node.host, node.port) for node in answer.brokers] == [(1, host, int(port))]


def test_producer_ids_are_never_given_twice(client: RawClient) -> None:
    answers = [
        client.ask(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1), 5) for _ in range(1_100)
    ]
    assert {(answer.error_code, answer.producer_epoch) for answer in answers} == {(0, 0)}
    assert len({answer.producer_id for answer in answers}) == 1_100
    refused = client.ask(InitProducerIdRequest(transactional_id="t", transaction_timeout_ms=1), 5)
    assert refused.error_code == errors.UnsupportedVersionError.code


# Groups.


def test_coordinator_of_transactions_is_refused_with_a_reason(client: RawClient) -> None:
    answer = client.ask(FindCoordinatorRequest(key_type=1, coordinator_keys=["t"])).coordinators[0]
    assert answer.error_code == errors.UnsupportedVersionError.code
    assert "transactions" in answer.error_message


def test_group_of_two_members(broker: Broker, client: RawClient) -> None:
    with RawClient(broker.bootstrap_servers) as second:
        one, two = enter(client, "pair"), enter(second, "pair")
        first_join = client.send(join("pair", one))
        second_join = second.send(join("pair", two))
        joined = [client.receive(first_join)]
        if joined[0].generation_id == 1:
            heartbeat = HeartbeatRequest(group_id="pair", generation_id=1, member_id=one)
            assert client.ask(heartbeat).error_code == errors.RebalanceInProgressError.code
            joined = [client.ask(join("pair", one))]
        joined.append(second.receive(second_join))
        generation = joined[0].generation_id
        assert {answer.generation_id for answer in joined} == {generation}
        leader = next(answer for answer in joined if answer.member_id == answer.leader)
        assert {member.member_id for member in leader.members} == {one, two}
        given = [
            SyncGroupRequest.SyncGroupRequestAssignment(member_id=name, assignment=name.encode()) for name in (one, two)
        ]
        answers = {}
        order = sorted(((client, one), (second, two)), key=lambda pair: pair[1] == leader.member_id)
        sent = [
            connection.send(
                SyncGroupRequest(
                    **CONSUMERS,
                    group_id="pair",
                    generation_id=generation,
                    member_id=name,
                    assignments=given if name == leader.member_id else [],
                ),
            )
            for connection, name in order
        ]
        for (connection, name), request in zip(order, sent, strict=True):
            answers[name] = connection.receive(request).assignment
        assert answers == {one: one.encode(), two: two.encode()}
        (described,) = client.ask(DescribeGroupsRequest(groups=["pair"])).groups
        assert (described.group_state, {member.member_id for member in described.members}) == ("Stable", {one, two})
        assert {member.client_host for member in described.members} == {"/127.0.0.1"}
        leave = LeaveGroupRequest(
            group_id="pair",
            members=[LeaveGroupRequest.MemberIdentity(member_id=name) for name in (one, two)],
        )
        assert [member.error_code for member in client.ask(leave).members] == [0, 0]
        listed = {group.group_id: group.group_state for group in client.ask(ListGroupsRequest()).groups}
        assert listed["pair"] == "Empty"
        (deleted,) = client.ask(DeleteGroupsRequest(groups_names=["pair"])).results
        assert deleted.error_code == 0


@pytest.mark.parametrize("version", range(10))
def test_join_group_at_every_version(client: RawClient, version: int) -> None:
    group = f"join-{version}"
    client.coordinator(group)
    answer = client.ask(join(group), version)
    if answer.error_code == errors.MemberIdRequiredError.code:
        assert version >= 4
        answer = client.ask(join(group, answer.member_id), version)
    assert (answer.error_code, answer.generation_id, answer.leader) == (0, 1, answer.member_id)


@pytest.mark.parametrize("version", range(1, 10))
def test_offset_fetch_at_every_version(client: RawClient, version: int) -> None:
    topic_id = client.topics("fetched", create=True)["fetched"].topic_id
    client.coordinator("fetchers")
    assert commit(client, "fetchers", topic_id, 5) == 0
    if version >= 8:
        topic = OffsetFetchRequest.OffsetFetchRequestTopics(name="fetched", partition_indexes=[0, 1])
        group = OffsetFetchRequest.OffsetFetchRequestGroup(group_id="fetchers", topics=[topic])
        answer = client.ask(OffsetFetchRequest(groups=[group]), version).groups[0]
    else:
        old = OffsetFetchRequest.OffsetFetchRequestTopic(name="fetched", partition_indexes=[0, 1])
        answer = client.ask(OffsetFetchRequest(group_id="fetchers", topics=[old]), version)
    partitions = answer.topics[0].partitions
    assert [(part.committed_offset, part.metadata, part.error_code) for part in partitions] == [
        (5, "note", 0),
        (-1, "", 0),
    ]


def test_offsets_by_topic_id(client: RawClient) -> None:
    topic_id = client.topics("identified", create=True)["identified"].topic_id
    client.coordinator("ids")
    unknown = errors.UnknownTopicIdError.code
    assert commit(client, "ids", topic_id, 8) == 0
    assert commit(client, "ids", os.urandom(16), 8) == unknown
    topics = [
        OffsetFetchRequest.OffsetFetchRequestTopics(topic_id=wanted, partition_indexes=[0])
        for wanted in (topic_id, os.urandom(16))
    ]
    group = OffsetFetchRequest.OffsetFetchRequestGroup(group_id="ids", topics=topics)
    answer = client.ask(OffsetFetchRequest(groups=[group]), 10).groups[0]
    assert [
        (topic.topic_id, topic.partitions[0].committed_offset, topic.partitions[0].error_code)
        for topic in answer.topics
    ] == [
        (topic_id, 8, 0),
        (topics[1].topic_id, -1, unknown),
    ]


def test_group_requests_before_the_offsets_topic_exists_are_refused() -> None:
    with Broker() as fresh, RawClient(fresh.bootstrap_servers) as client:
        assert client.ask(join("g")).error_code == errors.NotCoordinatorError.code
        assert client.ask(HeartbeatRequest(group_id="g", member_id="m")).error_code == errors.NotCoordinatorError.code


def test_groups_end_with_the_offsets_topic_and_begin_anew() -> None:
    with Broker() as fresh, RawClient(fresh.bootstrap_servers) as client:
        topic_id = create(client, "orders").topic_id
        client.coordinator("g")
        assert commit(client, "g", topic_id, 5) == 0
        client.ask(
            DeleteTopicsRequest(
                topics=[DeleteTopicsRequest.DeleteTopicState(name="__consumer_offsets")], timeout_ms=5_000
            )
        )
        assert commit(client, "g", topic_id, 6) == errors.NotCoordinatorError.code
        assert client.coordinator("g").error_code == 0
        assert committed(client, "g") == {}
        assert commit(client, "g", topic_id, 7) == 0


def test_forked_child_leaves_the_broker_alone() -> None:
    with Broker() as parent, RawClient(parent.bootstrap_servers) as client:
        child = os.fork()
        if child == 0:
            refused = 0
            try:
                _ = parent.bootstrap_servers
            except errors.IllegalStateError:
                refused = 1
            os._exit(10 * refused + int(parent.close()))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 11
        assert create(client, "after-the-fork").error_code == 0


def test_second_broker_on_a_directory_is_refused(tmp_path: Path) -> None:
    with Broker(tmp_path), pytest.raises(errors.ConfigError, match="locked by another broker"):
        Broker(tmp_path)


# Restart.


def test_restart_keeps_topics_records_offsets_and_members(tmp_path: Path) -> None:
    with Broker(tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "kept", 2, retention_ms="77000").topic_id
        assert client.produce("kept", topic_id, 1, record_batch([b"a", b"b"])) == (0, 0)
        member = enter(client, "keepers")
        assert client.ask(join("keepers", member)).generation_id == 1
        given = [SyncGroupRequest.SyncGroupRequestAssignment(member_id=member, assignment=b"mine")]
        sync = SyncGroupRequest(**CONSUMERS, group_id="keepers", generation_id=1, member_id=member, assignments=given)
        assert client.ask(sync).error_code == 0
        assert commit(client, "keepers", topic_id, 2, member, 1) == 0
        producer_id = client.ask(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1), 5).producer_id
    with Broker(tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        topic = client.topics("kept")["kept"]
        assert (topic.topic_id, len(topic.partitions)) == (topic_id, 2)
        assert record_values(client.fetch(topic_id, 1, 0)[1]) == [b"a", b"b"]
        assert client.produce("kept", topic_id, 1, record_batch([b"c"])) == (0, 2)
        assert client.coordinator("keepers").error_code == 0
        assert committed(client, "keepers") == {"kept": 2}
        assert client.ask(HeartbeatRequest(group_id="keepers", generation_id=1, member_id=member)).error_code == 0
        assert client.ask(sync).assignment == b"mine"
        assert (
            client.ask(InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=1), 5).producer_id
            > producer_id
        )
