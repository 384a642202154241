"""Operations and their driver against a scripted cluster in virtual time."""

import pytest
from fake_core import Clock, FakeClientCore

from barnabas import errors
from barnabas.client.codes import Code
from barnabas.client.driver import Driver
from barnabas.client.effects import Generation
from barnabas.client.operations import administration, offsets
from barnabas.client.operations.api import ANY_NODE, Backoff, Gather, Sleep, Submit
from barnabas.protocol import apis
from barnabas.protocol.messages.create_topics import CreateTopicsResponse
from barnabas.protocol.messages.describe_groups import DescribeGroupsResponse
from barnabas.protocol.messages.list_groups import ListGroupsResponse
from barnabas.protocol.messages.list_offsets import ListOffsetsResponse
from barnabas.protocol.messages.metadata import MetadataRequest, MetadataResponse
from barnabas.protocol.messages.offset_commit import OffsetCommitResponse
from barnabas.protocol.messages.offset_fetch import OffsetFetchResponse
from barnabas.types import NewTopic, OffsetAndMetadata, OffsetAndTimestamp, TopicPartition

TP = TopicPartition("orders", 0)
BACKOFF = (0.1, 1.0)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def core(clock):
    core = FakeClientCore(clock)
    core.handlers[apis.METADATA] = lambda request: metadata(*[topic.name for topic in request.topics or ()])
    return core


@pytest.fixture
def driver(core, clock):
    return Driver(core, clock=clock)


def metadata(*topics: str, leader: int = 0, error_code: int = 0) -> MetadataResponse:
    return MetadataResponse(
        brokers=[
            MetadataResponse.MetadataResponseBroker(node_id=node, host="h", port=9092 + node, rack=f"r{node}")
            for node in (0, 1)
        ],
        cluster_id="cluster",
        controller_id=0,
        topics=[
            MetadataResponse.MetadataResponseTopic(
                name=topic,
                error_code=error_code,
                partitions=[
                    MetadataResponse.MetadataResponsePartition(
                        partition_index=number,
                        leader_id=leader if number == 0 else 1,
                        leader_epoch=5,
                        replica_nodes=[0, 1],
                        isr_nodes=[0],
                    )
                    for number in (1, 0)
                ],
            )
            for topic in topics
        ],
    )


def in_turn(*answers):
    """A handler that gives each answer once, the last one for ever."""
    left = list(answers)

    def handler(_request):
        return left.pop(0) if len(left) > 1 else left[0]

    return handler


# The driver


def test_a_task_that_takes_too_long_is_given_up_with_its_submissions(core, driver):
    core.handlers.clear()
    with pytest.raises(errors.KafkaTimeoutError, match="list_topics took longer"):
        driver.run("list_topics", administration.list_topics(include_internal=False), 2.5)
    assert core.cancelled == [1]
    assert driver.now() == 2.5


def test_a_submission_gets_the_rest_of_the_tasks_time(core, driver):
    core.handlers[apis.METADATA] = in_turn(metadata())

    def operation():
        yield Sleep(1.0)
        yield Submit(ANY_NODE, MetadataRequest(), timeout=60.0)
        yield Submit(ANY_NODE, MetadataRequest(), timeout=0.5)

    driver.run("demo", operation(), 10.0)
    first, second = (timeout_ms for _, _, timeout_ms, _ in core.submitted)
    # And a second more, so that it is the task's own timer that ends it.
    assert 9_700 <= first <= 10_300
    assert second == 500


def test_a_transport_failure_is_raised_at_the_yield(core, driver):
    core.handlers[apis.METADATA] = lambda _: (-1, "node 0: connection refused")

    def operation():
        try:
            yield Submit(ANY_NODE, MetadataRequest())
        except errors.ConnectionFailedError as error:
            return str(error)

    assert "connection refused" in driver.run("demo", operation(), 1.0)


def test_gathered_answers_keep_their_order_and_hold_errors(core, driver):
    core.handlers[apis.METADATA] = in_turn((-1, "gone"), metadata("a"))

    def operation():
        return (yield Gather([Submit(ANY_NODE, MetadataRequest()), Submit(ANY_NODE, MetadataRequest())]))

    first, second = driver.run("demo", operation(), 1.0)
    assert isinstance(first, errors.ConnectionFailedError)
    assert second.topics[0].name == "a"


def test_malformed_bytes_fail_the_operation(core, driver):
    core.handlers.clear()

    def operation():
        yield Submit(ANY_NODE, MetadataRequest())

    task = driver.start("demo", operation(), 1.0)
    core.queue.append((1, 1, 13, b"\xff", 0))
    driver.turn(0.0)
    with pytest.raises(errors.ProtocolError):
        task.value()


def test_events_that_are_no_answers_go_to_the_listener(core, clock):
    seen = []
    driver = Driver(core, seen.append, clock=clock)
    core.queue += [(6, "metadata"), (1, 77, 0, b"", 0), (2, 78, 3, "late")]
    driver.turn(0.0)
    assert seen == [(6, "metadata")]


def test_a_dropped_task_is_not_resumed(core, driver):
    task = driver.start("demo", administration.list_topics(include_internal=True), 5.0)
    driver.drop(task)
    driver.turn(0.0)
    assert task.done
    assert core.cancelled == [1]


def test_timers_of_finished_tasks_do_not_pile_up(core, driver):
    for _ in range(1_000):
        driver.run("list_topics", administration.list_topics(include_internal=False), 60.0)
    assert len(driver._timers) < 200
    assert driver.next_timer() is None


def test_timers_are_called_in_order_and_once(core, driver):
    called = []
    for when in (2.0, 1.0, 1.0):
        driver.call_at(when, lambda when=when: called.append((when, driver.now())))
    driver.turn(0.5)
    driver.turn(5.0)
    driver.turn(5.0)
    driver.turn(0.0)
    assert called == [(1.0, 1.0), (1.0, 1.0), (2.0, 2.0)]


# Commits


def committed(error_code: int) -> OffsetCommitResponse:
    partition = OffsetCommitResponse.OffsetCommitResponsePartition(partition_index=0, error_code=error_code)
    return OffsetCommitResponse(
        topics=[OffsetCommitResponse.OffsetCommitResponseTopic(name="orders", partitions=[partition])]
    )


def commit(driver, *, retry=True):
    operation = offsets.commit(
        "g", Generation(3, "m", "range"), {TP: OffsetAndMetadata(7, "note", 2)}, Backoff(*BACKOFF), retry=retry
    )
    return driver.run("commit", operation, 60.0)


def test_a_commit_carries_generation_offset_epoch_and_note(core, driver):
    core.handlers[apis.OFFSET_COMMIT] = in_turn(committed(0))
    commit(driver)
    target, request, _, retry = core.submitted[0]
    assert target == ("coordinator", 0, "g")
    assert retry
    assert (request.group_id, request.generation_id_or_member_epoch, request.member_id) == ("g", 3, "m")
    partition = request.topics[0].partitions[0]
    assert (partition.committed_offset, partition.committed_leader_epoch, partition.committed_metadata) == (
        7,
        2,
        "note",
    )


@pytest.mark.parametrize(
    ("code", "forgets"),
    [
        (Code.COORDINATOR_LOAD_IN_PROGRESS, False),
        (Code.UNKNOWN_TOPIC_OR_PARTITION, False),
        (Code.NOT_COORDINATOR, True),
        (Code.COORDINATOR_NOT_AVAILABLE, True),
        (Code.REQUEST_TIMED_OUT, True),
    ],
)
def test_a_commit_is_tried_again_after_an_error_that_passes(core, driver, code, forgets):
    core.handlers[apis.OFFSET_COMMIT] = in_turn(committed(code), committed(0))
    commit(driver)
    assert len(core.submitted) == 2
    assert core.invalidated == ([(0, "g")] if forgets else [])
    assert 0.08 <= driver.now() <= 0.12

    core.handlers[apis.OFFSET_COMMIT] = in_turn(committed(code))
    with pytest.raises(errors.KafkaError) as raised:
        commit(driver, retry=False)
    assert raised.value.code == code


@pytest.mark.parametrize("code", [12, 22, 25, 27, 28, 29, 30, 82, -1])
def test_a_commit_that_is_refused_for_good_raises_at_once(core, driver, code):
    core.handlers[apis.OFFSET_COMMIT] = in_turn(committed(code))
    with pytest.raises(errors.KafkaError, match="orders-0") as raised:
        commit(driver)
    assert raised.value.code == code
    assert len(core.submitted) == 1


def test_committing_nothing_sends_nothing(core, driver):
    driver.run("commit", offsets.commit("g", Generation(), {}, Backoff(*BACKOFF)), 1.0)
    assert core.submitted == []


# Committed offsets


def fetched(error_code: int = 0, *, group_error: int = 0, offset: int = 42, epoch: int = 3) -> OffsetFetchResponse:
    partition = OffsetFetchResponse.OffsetFetchResponsePartitions(
        partition_index=0, committed_offset=offset, committed_leader_epoch=epoch, metadata="n", error_code=error_code
    )
    topic = OffsetFetchResponse.OffsetFetchResponseTopics(name="orders", partitions=[partition])
    group = OffsetFetchResponse.OffsetFetchResponseGroup(group_id="g", topics=[topic], error_code=group_error)
    return OffsetFetchResponse(groups=[group])


def fetch(driver, partitions=(TP,)):
    return driver.run("committed", offsets.fetch_committed("g", partitions, Backoff(*BACKOFF)), 60.0)


def test_committed_offsets_come_with_epoch_and_note(core, driver):
    core.handlers[apis.OFFSET_FETCH] = in_turn(fetched())
    other = TopicPartition("orders", 9)
    assert fetch(driver, [TP, other]) == {TP: OffsetAndMetadata(42, "n", 3), other: None}
    assert core.submitted[0][1].groups[0].topics[0].partition_indexes == [0, 9]


def test_an_offset_of_minus_one_is_no_commit(core, driver):
    core.handlers[apis.OFFSET_FETCH] = in_turn(fetched(offset=-1, epoch=-1))
    assert fetch(driver) == {TP: None}


def test_everything_a_group_has_is_asked_for_without_topics(core, driver):
    core.handlers[apis.OFFSET_FETCH] = in_turn(fetched())
    assert fetch(driver, None) == {TP: OffsetAndMetadata(42, "n", 3)}
    assert core.submitted[0][1].groups[0].topics is None


@pytest.mark.parametrize("code", [Code.COORDINATOR_LOAD_IN_PROGRESS, Code.NOT_COORDINATOR])
def test_committed_offsets_are_asked_for_again_while_the_coordinator_settles(core, driver, code):
    core.handlers[apis.OFFSET_FETCH] = in_turn(fetched(group_error=code), fetched())
    assert fetch(driver)[TP].offset == 42


def test_an_offset_that_is_not_stable_is_asked_for_again(core, driver):
    core.handlers[apis.OFFSET_FETCH] = in_turn(fetched(Code.UNSTABLE_OFFSET_COMMIT), fetched())
    assert fetch(driver)[TP].offset == 42


@pytest.mark.parametrize("answer", [fetched(group_error=30), fetched(29)])
def test_a_refusal_to_read_committed_offsets_is_raised(core, driver, answer):
    core.handlers[apis.OFFSET_FETCH] = in_turn(answer)
    with pytest.raises(errors.KafkaError):
        fetch(driver)


# Offsets of logs


def listed(request, error_code: int = 0, offset: int = 10) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsResponse.ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[
                    ListOffsetsResponse.ListOffsetsPartitionResponse(
                        partition_index=partition.partition_index,
                        error_code=error_code,
                        timestamp=5,
                        offset=offset,
                        leader_epoch=5,
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def list_offsets(driver, *partitions, timestamp=offsets.EARLIEST):
    return driver.run(
        "list_offsets", offsets.list_offsets(dict.fromkeys(partitions, timestamp), Backoff(*BACKOFF)), 60.0
    )


def test_offsets_are_asked_of_each_leader_once(core, driver):
    core.handlers[apis.LIST_OFFSETS] = listed
    other = TopicPartition("orders", 1)
    assert list_offsets(driver, TP, other) == dict.fromkeys((TP, other), OffsetAndTimestamp(10, 5, 5))
    assert [target for target, *_ in core.submitted] == [("any",), ("node", 0), ("node", 1)]
    partition = core.submitted[1][1].topics[0].partitions[0]
    assert (partition.current_leader_epoch, partition.timestamp) == (5, -2)


def test_a_time_after_the_last_record_has_no_offset(core, driver):
    core.handlers[apis.LIST_OFFSETS] = lambda request: listed(request, offset=-1)
    assert list_offsets(driver, TP, timestamp=99) == {TP: None}


@pytest.mark.parametrize(
    "code", [Code.NOT_LEADER_OR_FOLLOWER, Code.FENCED_LEADER_EPOCH, Code.UNKNOWN_TOPIC_OR_PARTITION, 5, 78]
)
def test_a_moved_leader_is_looked_up_again(core, driver, code):
    answers = iter([code, 0])
    core.handlers[apis.LIST_OFFSETS] = lambda request: listed(request, next(answers))
    assert list_offsets(driver, TP)[TP].offset == 10
    assert [request.API_KEY for _, request, *_ in core.submitted] == [3, 2, 3, 2]


def test_a_missing_topic_and_a_lost_leader_are_waited_for(core, driver):
    core.handlers[apis.METADATA] = in_turn(
        metadata(), metadata("orders", error_code=3), metadata("orders", leader=-1), metadata("orders")
    )
    answers = iter([(-1, "connection lost"), None])
    core.handlers[apis.LIST_OFFSETS] = lambda request: next(answers) or listed(request)
    assert list_offsets(driver, TP)[TP].offset == 10


def test_a_leader_that_refuses_is_an_error(core, driver):
    core.handlers[apis.LIST_OFFSETS] = lambda request: listed(request, 29)
    with pytest.raises(errors.TopicAuthorizationFailedError):
        list_offsets(driver, TP)


# Administration


def created(**failed: int) -> CreateTopicsResponse:
    return CreateTopicsResponse(
        topics=[
            CreateTopicsResponse.CreatableTopicResult(name=name, error_code=code, error_message="why")
            for name, code in failed.items()
        ]
    )


def create(driver, *topics):
    driver.run("create_topics", administration.create_topics(topics, 5.0, Backoff(*BACKOFF)), 5.0)


def test_topics_are_created_with_all_they_say(core, driver):
    core.handlers[apis.CREATE_TOPICS] = in_turn(created(a=0, b=0))
    create(driver, NewTopic("a", 3, 1, configs={"x": "y"}), NewTopic("b", replica_assignments={1: [2], 0: [1, 2]}))
    target, request, *_ = core.submitted[0]
    assert target == ("controller",)
    first, second = request.topics
    assert (first.num_partitions, first.replication_factor) == (3, 1)
    assert [(config.name, config.value) for config in first.configs] == [("x", "y")]
    assert (second.num_partitions, second.replication_factor) == (-1, -1)
    assert [(each.partition_index, each.broker_ids) for each in second.assignments] == [(0, [1, 2]), (1, [2])]


def test_the_first_error_is_raised_and_the_others_are_its_notes(core, driver):
    core.handlers[apis.CREATE_TOPICS] = in_turn(created(a=36, b=0, c=37))
    with pytest.raises(errors.TopicAlreadyExistsError, match=r"why .*, a\]") as raised:
        create(driver, NewTopic("a"), NewTopic("b"), NewTopic("c"))
    assert len(raised.value.__notes__) == 1
    assert "INVALID_PARTITIONS" in raised.value.__notes__[0]


def test_another_controller_is_looked_for(core, driver):
    core.handlers[apis.CREATE_TOPICS] = in_turn(created(a=Code.NOT_CONTROLLER), created(a=0))
    create(driver, NewTopic("a"))
    assert core.refreshes == 1


def test_a_cluster_without_describe_cluster_is_described_by_its_metadata(core, driver):
    core.handlers[apis.DESCRIBE_CLUSTER] = lambda _: (Code.UNSUPPORTED_VERSION, "not served")
    found = driver.run("describe_cluster", administration.describe_cluster(), 1.0)
    assert (found.cluster_id, found.controller.id, [node.port for node in found.nodes]) == ("cluster", 0, [9092, 9093])


def test_groups_of_all_brokers_are_listed_once(core, driver):
    group = ListGroupsResponse.ListedGroup(group_id="g", protocol_type="consumer", group_state="Stable")
    core.handlers[apis.LIST_GROUPS] = in_turn(ListGroupsResponse(groups=[group]))
    (found,) = driver.run("list_groups", administration.list_groups(), 1.0)
    assert (found.group_id, found.protocol_type, found.state) == ("g", "consumer", "Stable")
    assert [target for target, *_ in core.submitted[1:]] == [("node", 0), ("node", 1)]


def test_a_group_is_described_by_its_coordinator(core, driver):
    def described(error_code: int) -> DescribeGroupsResponse:
        group = DescribeGroupsResponse.DescribedGroup(
            group_id="g", error_code=error_code, group_state="Stable", protocol_type="other", protocol_data="x"
        )
        return DescribeGroupsResponse(groups=[group])

    core.handlers[apis.DESCRIBE_GROUPS] = in_turn(described(Code.NOT_COORDINATOR), described(0))
    found = driver.run("describe_groups", administration.describe_groups(["g"], Backoff(*BACKOFF)), 5.0)
    assert found["g"].state == "Stable"
    assert core.invalidated == [(0, "g")]
