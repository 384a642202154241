"""What a producer makes of every error that a broker may answer, and of batches that are too large for it."""

import pytest
from reading import read

import barnabas
from barnabas import NewTopic, Producer, TopicPartition, errors

FAST = {"retry_backoff_ms": 1, "retry_backoff_max_ms": 5, "reconnect_backoff_ms": 1, "linger_ms": 0}

RETRIED = [
    "CORRUPT_MESSAGE",
    "FENCED_LEADER_EPOCH",
    "INCONSISTENT_TOPIC_ID",
    "KAFKA_STORAGE_ERROR",
    "LEADER_NOT_AVAILABLE",
    "NETWORK_EXCEPTION",
    "NOT_ENOUGH_REPLICAS",
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    "NOT_LEADER_OR_FOLLOWER",
    "REQUEST_TIMED_OUT",
    "THROTTLING_QUOTA_EXCEEDED",
    "UNKNOWN_LEADER_EPOCH",
    "UNKNOWN_TOPIC_ID",
    "UNKNOWN_TOPIC_OR_PARTITION",
]
RECOVERED = ["OUT_OF_ORDER_SEQUENCE_NUMBER", "UNKNOWN_PRODUCER_ID"]
FAILED = [
    "CLUSTER_AUTHORIZATION_FAILED",
    "INVALID_PRODUCER_EPOCH",
    "INVALID_PRODUCER_ID_MAPPING",
    "INVALID_RECORD",
    "INVALID_REQUIRED_ACKS",
    "INVALID_TIMESTAMP",
    "INVALID_TOPIC_EXCEPTION",
    "INVALID_TXN_STATE",
    "MESSAGE_TOO_LARGE",
    "POLICY_VIOLATION",
    "RECORD_LIST_TOO_LARGE",
    "SECURITY_DISABLED",
    "TOPIC_AUTHORIZATION_FAILED",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
    "UNKNOWN_SERVER_ERROR",
    "UNSUPPORTED_COMPRESSION_TYPE",
    "UNSUPPORTED_FOR_MESSAGE_FORMAT",
]
BY_NAME = {error.name: error for error in errors.BY_CODE.values()}


@pytest.fixture(scope="module")
def broker():
    with barnabas.Broker() as broker:
        yield broker


@pytest.fixture
def sender(broker, stack):
    return stack.enter_context(Producer(bootstrap_servers=broker.bootstrap_servers, **FAST))


def test_the_lists_are_those_of_the_error_table():
    assert [name for name in RETRIED if not BY_NAME[name].retriable] == []
    assert [name for name in FAILED if BY_NAME[name].retriable] == []


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", RETRIED)
def test_a_retriable_error_of_produce_is_retried_and_writes_once(broker, sender, unique, name, when):
    sender.send(unique, b"0").result(10)
    with broker.faults.inject("Produce", error=name, when=when, times=2) as fault:
        assert sender.send(unique, b"1").result(30).offset == 1
        assert fault.fired == 2
    assert sender.send(unique, b"2").result(30).offset == 2
    assert sender.metrics()["records_failed"] == 0


@pytest.mark.parametrize("name", RECOVERED)
def test_a_broker_that_has_lost_the_producer_is_gone_on_with_under_a_new_epoch(broker, sender, unique, name):
    sender.send(unique, b"0").result(10)
    with broker.faults.inject("Produce", error=name) as fault:
        assert sender.send(unique, b"1").result(30).offset == 1
        assert fault.fired == 1
    assert [sender.send(unique, b"x").result(30).offset for _ in range(3)] == [2, 3, 4]


@pytest.mark.parametrize("name", FAILED)
def test_a_fatal_error_of_produce_fails_the_record_and_no_other(broker, sender, unique, name):
    sender.send(unique, b"0").result(10)
    with broker.faults.inject("Produce", error=name):
        with pytest.raises(BY_NAME[name]) as caught:
            sender.send(unique, b"1").result(30)
        assert caught.value.topic_partition == (unique, 0)
    assert sender.send(unique, b"2").result(30).offset == 1


def test_a_duplicate_counts_as_written(broker, sender, unique):
    sender.send(unique, b"0").result(10)
    with broker.faults.inject("Produce", error="DUPLICATE_SEQUENCE_NUMBER", when="after"):
        assert sender.send(unique, b"1").result(30).offset == -1
    assert sender.send(unique, b"2").result(30).offset == 2


@pytest.mark.parametrize(
    "name",
    [
        "COORDINATOR_LOAD_IN_PROGRESS",
        "COORDINATOR_NOT_AVAILABLE",
        "CONCURRENT_TRANSACTIONS",
        "NOT_COORDINATOR",
        "REQUEST_TIMED_OUT",
    ],
)
def test_a_retriable_error_of_init_producer_id_is_retried(broker, sender, unique, name):
    with broker.faults.inject("InitProducerId", error=name, times=2) as fault:
        assert sender.send(unique, b"0").result(30).offset == 0
        assert fault.fired == 2


@pytest.mark.parametrize(
    "name", ["CLUSTER_AUTHORIZATION_FAILED", "INVALID_REQUEST", "UNKNOWN_SERVER_ERROR", "UNSUPPORTED_VERSION"]
)
def test_a_fatal_error_of_init_producer_id_fails_what_waits(broker, sender, unique, name):
    sender.partitions_for(unique)
    with broker.faults.inject("InitProducerId", error=name), pytest.raises(BY_NAME[name]):
        sender.send(unique, b"0").result(30)
    assert sender.send(unique, b"0").result(30).offset == 0


@pytest.mark.parametrize("name", ["LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION", "REQUEST_TIMED_OUT"])
def test_a_retriable_error_of_metadata_is_asked_about_again(broker, sender, unique, name):
    with broker.faults.inject("Metadata", error=name, times=2) as fault:
        assert sender.send(unique, b"0").result(30).offset == 0
        assert fault.fired == 2


def test_a_fatal_error_of_metadata_is_raised_by_send(sender, unique):
    with pytest.raises(errors.InvalidTopicError):
        sender.send("no name for a topic", b"0")
    assert sender.send(unique, b"0").result(30).offset == 0


@pytest.mark.parametrize("name", ["TOPIC_AUTHORIZATION_FAILED", "INVALID_TOPIC_EXCEPTION", "UNKNOWN_SERVER_ERROR"])
def test_a_topic_that_metadata_refuses_is_an_error_of_send_until_it_is_not(broker, sender, unique, name):
    with broker.faults.inject("Metadata", error=name, times=None) as fault:
        with pytest.raises(BY_NAME[name]):
            sender.send(unique, b"0")
        assert fault.fired >= 1
    assert sender.send(unique, b"0").result(30).offset == 0


@pytest.fixture
def narrow(broker, unique):
    """A topic that takes batches of up to 4,000 bytes."""
    with barnabas.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.create_topics([NewTopic(unique, num_partitions=1, configs={"max.message.bytes": "4000"})])
    return unique


@pytest.mark.parametrize("idempotent", [True, False])
@pytest.mark.parametrize("codec", ["none", "lz4"])
def test_a_batch_that_is_too_large_is_sent_in_parts(broker, narrow, idempotent, codec):
    options = {**FAST, "enable_idempotence": idempotent, "compression_type": codec, "linger_ms": 200}
    # Nothing that lz4 makes much smaller.
    values = [
        b"%06d" % number + bytes((number * 31 + place * 17) % 251 for place in range(90)) for number in range(1000)
    ]
    with Producer(bootstrap_servers=broker.bootstrap_servers, **options) as producer:
        first = producer.send_many(narrow, values[:700])
        rest = [producer.send(narrow, value) for value in values[700:]]
        offsets = [metadata.offset for metadata in first.result(30)] + [one.result(30).offset for one in rest]
        assert offsets == list(range(1000))
        metrics = producer.metrics()
        assert metrics["batch_splits"] > 3
        assert (metrics["records_acknowledged"], metrics["buffer_bytes_used"]) == (1000, 0)
    with barnabas.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(narrow, 0)])
        assert [record.value for record in read(reader, 1000, extra=0.1)] == values


def test_only_the_record_that_is_too_large_fails(broker, narrow):
    with Producer(bootstrap_servers=broker.bootstrap_servers, **FAST | {"linger_ms": 200}) as producer:
        values = [b"x" * (5_000 if number == 5 else 100) for number in range(12)]
        deliveries = [producer.send(narrow, value) for value in values]
        called = []
        for delivery in deliveries:
            delivery.add_done_callback(called.append)
        producer.flush(30)
        with pytest.raises(errors.MessageTooLargeError):
            deliveries[5].result(30)
        written = [delivery.result(30).offset for delivery in deliveries[:5] + deliveries[6:]]
        assert written == list(range(11))
        # Sent in parts, of which one failed.
        assert isinstance(producer.send_many(narrow, values).exception(30), errors.MessageTooLargeError)
    assert called == deliveries
