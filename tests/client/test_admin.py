"""The admin client against our broker and against the reference Kafka."""

import pickle
import time

import pytest

import barnabas
from barnabas import Admin, NewTopic, OffsetAndMetadata, TopicPartition, errors


@pytest.fixture
def admin(bootstrap_servers, stack):
    return stack.enter_context(Admin(bootstrap_servers=bootstrap_servers))


def test_topics_are_created_listed_and_deleted(admin, unique):
    other = unique + "-2"
    admin.create_topics([NewTopic(unique, 2, 1), NewTopic(other, replica_assignments={0: [node(admin)]})])
    wait_for(lambda: {unique, other} <= admin.list_topics().keys())
    listed = admin.list_topics()
    assert [info.partition for info in listed[unique].partitions] == [0, 1]
    assert len(listed[other].partitions) == 1
    assert len(listed[unique].topic_id) == 16
    admin.delete_topics([unique, other])
    wait_for(lambda: not {unique, other} & admin.list_topics().keys())


def wait_for(condition) -> None:
    """Brokers learn of changes a moment after the controller has made them."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline


def node(admin) -> int:
    return admin.describe_cluster().nodes[0].id


def test_creating_a_topic_again_names_it(admin, topic):
    with pytest.raises(errors.TopicAlreadyExistsError, match=topic):
        admin.create_topics([NewTopic(topic)])


@pytest.mark.parametrize(
    ("new", "error"),
    [
        (NewTopic("bad name!", 1, 1), errors.InvalidTopicError),
        (NewTopic("x", 0, 1), errors.InvalidPartitionsError),
        (NewTopic("x", 1, 9), errors.InvalidReplicationFactorError),
        (NewTopic("x", 1, 1, configs={"no.such.option": "1"}), errors.InvalidConfigError),
    ],
)
def test_what_cannot_be_created_is_refused(admin, new, error):
    with pytest.raises(error):
        admin.create_topics([new])


@pytest.mark.parametrize("wrong", ["orders", NewTopic("orders"), ["orders"]])
def test_what_is_no_list_of_new_topics_is_refused_with_what_to_write(admin, wrong):
    with pytest.raises(TypeError, match=r"write create_topics\(\[NewTopic\('orders'\)\]\)"):
        admin.create_topics(wrong)
    assert "orders" not in admin.list_topics()


def test_validating_creates_nothing(admin, unique):
    admin.create_topics([NewTopic(unique, 1, 1)], validate_only=True)
    assert unique not in admin.list_topics()


def test_one_failure_does_not_keep_others_from_being_created(admin, topic):
    with pytest.raises(errors.TopicAlreadyExistsError):
        admin.create_topics([NewTopic(topic), NewTopic(topic + "-other", 1, 1)])
    wait_for(lambda: topic + "-other" in admin.list_topics())


def test_deleting_what_does_not_exist_is_refused(admin, unique):
    with pytest.raises(errors.UnknownTopicOrPartitionError, match=unique):
        admin.delete_topics([unique])
    with pytest.raises(TypeError, match="takes a list"):
        admin.delete_topics(unique)


def test_the_cluster_is_described(admin, bootstrap_servers):
    found = admin.describe_cluster()
    host, port = bootstrap_servers.split(":")
    assert [(each.host, each.port) for each in found.nodes] == [(host, int(port))]
    assert found.controller in found.nodes
    assert found.cluster_id


def test_sizes_of_partitions(admin, unique, producer):
    admin.create_topics([NewTopic(unique, 2, 1)])
    producer.send_many(unique, [b"x" * 1000] * 10, partition=1).result(10)
    empty, filled, missing = (TopicPartition(unique, number) for number in range(3))
    sizes = admin.partition_sizes([empty, filled, missing])
    assert sizes[empty] == 0
    assert 10_000 < sizes[filled] < 11_000
    assert set(sizes) == {empty, filled}
    assert admin.partition_sizes([]) == {}


def test_offsets_of_logs_and_groups(admin, topic, producer, consumer):
    producer.send_many(topic, [b"a", b"b", b"c"], timestamps=[1_000, 3_000, 2_000], partition=0).result(10)
    where = TopicPartition(topic, 0)
    assert admin.list_offsets({where: Admin.EARLIEST})[where].offset == 0
    assert admin.list_offsets({where: Admin.LATEST})[where].offset == 3
    assert admin.list_offsets({where: 1_500})[where][:2] == (1, 3_000)
    assert admin.list_offsets({where: 9_000}) == {where: None}
    reader = consumer(group_id=topic)
    reader.assign([where])
    reader.commit({where: OffsetAndMetadata(2, "note")})
    assert admin.list_consumer_group_offsets(topic) == {where: OffsetAndMetadata(2, "note")}
    assert admin.list_consumer_group_offsets(topic + "-missing") == {}


def test_groups_are_listed_and_described(admin, topic, consumer):
    member = consumer(topic, group_id=topic)
    while not member.assignment():
        member.poll(timeout=0.1)
    listed = {group.group_id: group for group in admin.list_groups()}
    described = admin.describe_groups([topic])[topic]
    assert listed[topic].protocol_type == "consumer"
    assert (described.state, described.protocol) == ("Stable", "range")
    assert described.members[0].assignment == tuple(TopicPartition(topic, number) for number in range(3))


def test_an_unreachable_cluster_is_a_timeout():
    why = r"list_topics took longer than its timeout: no broker of bootstrap\.servers has answered"
    with Admin(bootstrap_servers="127.0.0.1:1") as admin, pytest.raises(errors.KafkaTimeoutError, match=why):
        admin.list_topics(timeout=0.3)


def test_a_closed_admin_says_so(bootstrap_servers):
    admin = Admin(bootstrap_servers=bootstrap_servers)
    admin.close()
    admin.close()
    with pytest.raises(errors.IllegalStateError, match="this Admin is closed"):
        admin.list_topics()


def test_clients_are_not_pickled(admin):
    with pytest.raises(TypeError, match="make a new one"):
        pickle.dumps(admin)
    assert isinstance(admin, barnabas.Admin)
