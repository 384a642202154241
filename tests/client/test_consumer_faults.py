"""Every error code that a broker may answer a consumer with, by API: it passes by itself, or is told as what it is.

The codes are those that Kafka's schemas and request handlers name for each API; the outcomes are those of Kafka's consumer.
"""

import time
from contextlib import ExitStack

import pytest

import barnabas
from barnabas import TopicPartition, errors
from barnabas.client.codes import Code

COUNT = 20
HERE = TopicPartition("orders", 0)

PASSES = "passes"

MOVED = {
    "UNKNOWN_TOPIC_OR_PARTITION": PASSES,
    "LEADER_NOT_AVAILABLE": PASSES,
    "NOT_LEADER_OR_FOLLOWER": PASSES,
    "REPLICA_NOT_AVAILABLE": PASSES,
    "KAFKA_STORAGE_ERROR": PASSES,
    "FENCED_LEADER_EPOCH": PASSES,
    "UNKNOWN_LEADER_EPOCH": PASSES,
    "OFFSET_NOT_AVAILABLE": PASSES,
}
COORDINATOR = {
    "COORDINATOR_LOAD_IN_PROGRESS": PASSES,
    "COORDINATOR_NOT_AVAILABLE": PASSES,
    "NOT_COORDINATOR": PASSES,
}
REFUSED = {"GROUP_AUTHORIZATION_FAILED": errors.GroupAuthorizationFailedError}
OUTCOMES = {
    "Fetch": {
        **MOVED,
        "UNKNOWN_TOPIC_ID": PASSES,
        "INCONSISTENT_TOPIC_ID": PASSES,
        "FETCH_SESSION_ID_NOT_FOUND": PASSES,
        "INVALID_FETCH_SESSION_EPOCH": PASSES,
        "FETCH_SESSION_TOPIC_ID_ERROR": PASSES,
        "UNKNOWN_SERVER_ERROR": PASSES,
        "OFFSET_OUT_OF_RANGE": PASSES,  # auto_offset_reset is earliest
        "TOPIC_AUTHORIZATION_FAILED": errors.TopicAuthorizationFailedError,
        "CORRUPT_MESSAGE": errors.CorruptMessageError,
        "UNSUPPORTED_COMPRESSION_TYPE": errors.UnsupportedCompressionTypeError,
        "INVALID_REQUEST": errors.InvalidRequestError,
    },
    "ListOffsets": {
        **MOVED,
        "TOPIC_AUTHORIZATION_FAILED": errors.TopicAuthorizationFailedError,
        "UNSUPPORTED_FOR_MESSAGE_FORMAT": errors.UnsupportedForMessageFormatError,
    },
    "FindCoordinator": {
        "COORDINATOR_NOT_AVAILABLE": PASSES,
        "COORDINATOR_LOAD_IN_PROGRESS": PASSES,
        **REFUSED,
    },
    "JoinGroup": {
        **COORDINATOR,
        "REBALANCE_IN_PROGRESS": PASSES,
        "UNKNOWN_MEMBER_ID": PASSES,
        "MEMBER_ID_REQUIRED": PASSES,
        **REFUSED,
        "INCONSISTENT_GROUP_PROTOCOL": errors.InconsistentGroupProtocolError,
        "INVALID_SESSION_TIMEOUT": errors.InvalidSessionTimeoutError,
        "INVALID_GROUP_ID": errors.InvalidGroupIdError,
        "GROUP_MAX_SIZE_REACHED": errors.GroupMaxSizeReachedError,
        "FENCED_INSTANCE_ID": errors.FencedInstanceIdError,
        "UNKNOWN_SERVER_ERROR": errors.UnknownServerError,
    },
    "SyncGroup": {
        **COORDINATOR,
        "REBALANCE_IN_PROGRESS": PASSES,
        "UNKNOWN_MEMBER_ID": PASSES,
        "ILLEGAL_GENERATION": PASSES,
        **REFUSED,
        "FENCED_INSTANCE_ID": errors.FencedInstanceIdError,
        "INCONSISTENT_GROUP_PROTOCOL": errors.InconsistentGroupProtocolError,
        "UNKNOWN_SERVER_ERROR": errors.UnknownServerError,
    },
    "Heartbeat": {
        **COORDINATOR,
        "REBALANCE_IN_PROGRESS": PASSES,
        "UNKNOWN_MEMBER_ID": PASSES,
        "ILLEGAL_GENERATION": PASSES,
        **REFUSED,
        "FENCED_INSTANCE_ID": errors.FencedInstanceIdError,
        "UNKNOWN_SERVER_ERROR": errors.UnknownServerError,
    },
    "OffsetFetch": {
        **COORDINATOR,
        "UNSTABLE_OFFSET_COMMIT": PASSES,
        **REFUSED,
        "TOPIC_AUTHORIZATION_FAILED": errors.TopicAuthorizationFailedError,
    },
    "OffsetCommit": {
        **COORDINATOR,
        "REQUEST_TIMED_OUT": PASSES,
        "UNKNOWN_TOPIC_OR_PARTITION": PASSES,
        "REBALANCE_IN_PROGRESS": errors.RebalanceInProgressError,
        "UNKNOWN_MEMBER_ID": errors.CommitFailedError,
        "ILLEGAL_GENERATION": errors.CommitFailedError,
        "FENCED_INSTANCE_ID": errors.CommitFailedError,
        **REFUSED,
        "TOPIC_AUTHORIZATION_FAILED": errors.TopicAuthorizationFailedError,
        "OFFSET_METADATA_TOO_LARGE": errors.OffsetMetadataTooLargeError,
        "INVALID_COMMIT_OFFSET_SIZE": errors.InvalidCommitOffsetSizeError,
        "UNKNOWN_SERVER_ERROR": errors.UnknownServerError,
    },
    "LeaveGroup": dict.fromkeys(
        ["UNKNOWN_MEMBER_ID", "NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "GROUP_AUTHORIZATION_FAILED"], PASSES
    ),
    "ConsumerGroupHeartbeat": {
        **COORDINATOR,
        "UNKNOWN_MEMBER_ID": PASSES,
        "FENCED_MEMBER_EPOCH": PASSES,
        **REFUSED,
        "INVALID_REQUEST": errors.InvalidRequestError,
        "UNSUPPORTED_ASSIGNOR": errors.UnsupportedAssignorError,
        "GROUP_MAX_SIZE_REACHED": errors.GroupMaxSizeReachedError,
        "INVALID_REGULAR_EXPRESSION": errors.InvalidRegularExpressionError,
        "UNRELEASED_INSTANCE_ID": errors.UnreleasedInstanceIdError,
        "TOPIC_AUTHORIZATION_FAILED": errors.TopicAuthorizationFailedError,
    },
}
CASES = [(api, code) for api, outcomes in OUTCOMES.items() for code in outcomes]
IN_A_GROUP = {"JoinGroup", "SyncGroup", "Heartbeat", "OffsetFetch", "OffsetCommit", "LeaveGroup", "FindCoordinator"}


@pytest.fixture(scope="module")
def broker():
    with barnabas.Broker() as broker:
        with barnabas.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send_many(HERE.topic, [b"%d" % number for number in range(COUNT)], partition=0).result(30)
        yield broker


def read_all(consumer):
    """Everything, from the first record on; a record that came twice would show."""
    found = []
    deadline = time.monotonic() + 60
    while len(found) < COUNT:
        assert time.monotonic() < deadline, len(found)
        found += [record.offset for record in consumer.poll(timeout=1)]
    return found


def make(broker, api, group):
    options = {
        "bootstrap_servers": broker.bootstrap_servers,
        "auto_offset_reset": "earliest",
        "retry_backoff_ms": 5,
        "retry_backoff_max_ms": 20,
        "client_id": group,
    }
    if api == "ConsumerGroupHeartbeat":
        options |= {"group_protocol": "consumer", "group_id": group, "enable_auto_commit": False}
    elif api in IN_A_GROUP:
        options |= {"group_id": group, "enable_auto_commit": False, "heartbeat_interval_ms": 50}
    consumer = barnabas.Consumer(**options)
    if "group_id" in options:
        consumer.subscribe([HERE.topic])
    else:
        consumer.assign([HERE])
    return consumer


def use(api, broker, code, consumer):
    """Does what asks the API, with the answer spoilt once; returns what was read."""
    if api in {"OffsetCommit", "Heartbeat", "LeaveGroup"}:
        found = read_all(consumer)
        with broker.faults.inject(api, error=code, times=1, client_id=consumer._options["client.id"]) as fault:
            if api == "OffsetCommit":
                consumer.commit()
                assert consumer.committed()[HERE].offset == COUNT
            elif api == "LeaveGroup":
                consumer.close(timeout=30)
            else:
                deadline = time.monotonic() + 30
                while not fault.fired or time.monotonic() > deadline:
                    consumer.poll(timeout=0.02)
                consumer.poll(timeout=0.05)
            assert fault.fired == 1
        return found
    with broker.faults.inject(api, error=code, times=1, client_id=consumer._options["client.id"]) as fault:
        found = read_all(consumer)
        assert fault.fired == 1
    return found


@pytest.mark.parametrize(("api", "code"), CASES)
def test_the_code_passes_or_is_told(broker, unique, api, code):
    outcome = OUTCOMES[api][code]
    with ExitStack() as stack:
        consumer = make(broker, api, unique)
        stack.callback(consumer.close, 5)
        if outcome == PASSES:
            assert use(api, broker, code, consumer) == list(range(COUNT))
            return
        with pytest.raises(outcome) as caught:
            use(api, broker, code, consumer)
        assert type(caught.value) is outcome
        # The consumer is not broken by what it told: it goes on by itself, or once it was told how.
        if code in {"CORRUPT_MESSAGE", "UNSUPPORTED_COMPRESSION_TYPE"}:
            with pytest.raises(outcome):
                consumer.poll(timeout=0.2)
            consumer.seek(HERE, 0)
        if api == "ConsumerGroupHeartbeat":
            consumer.subscribe([HERE.topic])
        if code == "FENCED_INSTANCE_ID" and api == "Heartbeat":
            return  # it joins as somebody else, behind the member that it was
        if api in {"Heartbeat", "OffsetCommit"}:
            deadline = time.monotonic() + 30
            while not consumer.assignment():
                assert time.monotonic() < deadline
                consumer.poll(timeout=0.05)
        else:
            assert read_all(consumer) == list(range(COUNT))


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.parametrize("code", ["TOPIC_AUTHORIZATION_FAILED", "INVALID_TOPIC_EXCEPTION"])
def test_topics_that_are_refused_for_a_while_are_read_afterwards(broker, unique, protocol, code):
    options = {"group_id": unique, "group_protocol": protocol, "client_id": unique, "retry_backoff_ms": 5}
    servers = {"bootstrap_servers": broker.bootstrap_servers}
    with barnabas.Consumer(**servers, auto_offset_reset="earliest", enable_auto_commit=False, **options) as consumer:
        # Both the client core's look-up and the group's are refused, and not only once.
        with broker.faults.inject("Metadata", error=code, times=6, client_id=unique) as fault:
            consumer.subscribe([HERE.topic])
            deadline = time.monotonic() + 30
            told: list[int] = []
            while fault.fired < 6:
                assert time.monotonic() < deadline
                try:
                    consumer.poll(timeout=0.02)
                except errors.KafkaError as error:
                    told.append(error.code)
        assert told
        found = []
        while len(found) < COUNT:
            assert time.monotonic() < deadline, len(found)
            try:
                found += [record.offset for record in consumer.poll(timeout=1)]
            except errors.KafkaError as error:  # what the last refused look-up had left to tell
                told.append(error.code)
        assert found == list(range(COUNT))
        assert set(told) == {getattr(Code, code)}
        assert len(told) <= 6


LOSSES = [{"disconnect": True}, {"disconnect": True, "when": "after"}, {"drop": True, "when": "after"}]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: "-".join(map(str, loss.values())))
@pytest.mark.parametrize(
    "api",
    ["Fetch", "ListOffsets", "FindCoordinator", "JoinGroup", "SyncGroup", "Heartbeat", "OffsetFetch", "OffsetCommit"],
)
def test_a_lost_request_or_answer_passes(broker, unique, api, loss):
    options = {"request_timeout_ms": 500, "session_timeout_ms": 6000, "fetch_max_wait_ms": 50}
    if api == "Fetch" and "drop" in loss:
        pytest.skip("a fetch has half a minute for its answer")
    consumer = barnabas.Consumer(
        bootstrap_servers=broker.bootstrap_servers,
        group_id=unique,
        client_id=unique,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        heartbeat_interval_ms=50,
        max_poll_interval_ms=2000,
        retry_backoff_ms=5,
        **options,
    )
    with ExitStack() as stack:
        stack.callback(consumer.close, 5)
        consumer.subscribe([HERE.topic])
        with broker.faults.inject(api, times=1, client_id=unique, **loss) as fault:
            found = read_all(consumer)
            consumer.commit()
            deadline = time.monotonic() + 30
            while not fault.fired:
                assert time.monotonic() < deadline
                consumer.poll(timeout=0.05)
        assert found == list(range(COUNT))
        assert consumer.committed()[HERE].offset == COUNT
