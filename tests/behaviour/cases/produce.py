"""Produce: what is refused, as a whole or by partition; what is stored; idempotent producers."""

from __future__ import annotations

import struct
from typing import Any

from behaviour.batches import (
    APPEND_TIME,
    CODECS,
    CONTROL,
    DELETE_HORIZON,
    MADE,
    TRANSACTIONAL,
    Record,
    batch,
    message_set,
)
from behaviour.cases import Play, Topic, case, register
from behaviour.cases.bodies import MISSING_ID, NO_ID, coordinator_is_ready, missing, new_producer, of, to

API = "Produce"
SHAPES = (3, 5, 8, 13)
"""Versions between which the answer changes its shape, or what it can say."""
DAY_MS = 86_400_000


@case
def every_version(play: Play) -> None:
    topic = play.topic(partitions=2)
    for version in play.versions(API):
        play.ask(API, version, **to(topic, {0: batch(b"one", b"two"), 1: batch(b"three")}))
        play.ask(API, version, **to(topic, batch(b"one", b"two"), acks=1))


@case
def unknown_topic(play: Play) -> None:
    for version in play.versions(API):
        play.ask(API, version, **to(missing(play), batch(b"v")))


@case
def topic_without_an_id(play: Play) -> None:
    topic = play.topic()
    play.ask(API, 13, **to(Topic(topic.name, NO_ID), batch(b"v")))


@case
def names_that_no_topic_has(play: Play) -> None:
    for name in ("", ".", "a b", "x" * 250, "ü"):
        for version in (3, 12):
            play.ask(API, version, **to(Topic(name, MISSING_ID), batch(b"v")))


@case
def unknown_partition(play: Play) -> None:
    topic = play.topic(partitions=2)
    for version in play.versions(API):
        for index in (2, -1, 2**31 - 1):
            play.ask(API, version, **to(topic, {index: batch(b"v")}))


@case
def partitions_fail_on_their_own(play: Play) -> None:
    topic = play.topic(partitions=3)
    parts = {0: batch(b"good"), 1: batch(b"bad", crc=1), 7: batch(b"nowhere"), 2: batch(b"good")}
    for version in SHAPES:
        play.ask(API, version, **to(topic, parts))


@case
def topics_fail_on_their_own(play: Play) -> None:
    topic = play.topic()
    for version in SHAPES:
        both = to(topic, batch(b"v"))
        both["topicData"] += to(missing(play), batch(b"v"))["topicData"]
        play.ask(API, version, **both)


@case
def the_same_partition_twice(play: Play) -> None:
    topic = play.topic()
    body = to(topic, batch(b"first"))
    body["topicData"][0]["partitionData"] *= 2
    for version in SHAPES:
        play.ask(API, version, **body)
    play.ask("Fetch", 13, **of(topic, 0))


@case
def bad_acks(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        for acks in (2, -2, 32_767):
            play.ask(API, version, **to(topic, batch(b"v"), acks=acks))


@case
def bad_acks_for_an_unknown_topic(play: Play) -> None:
    for version in SHAPES:
        play.ask(API, version, **to(missing(play), batch(b"v"), acks=3))


@case
def no_acknowledgement(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        play.ask(API, version, answers=False, **to(topic, batch(b"v"), acks=0))
    play.ask("ListOffsets", 6, replicaId=-1, topics=[{"name": topic.name, "partitions": [{"timestamp": -1}]}])


@case
def no_acknowledgement_of_a_failure_closes_the_connection(play: Play) -> None:
    topic = play.topic()
    for version in SHAPES:
        for body in (to(topic, batch(b"v", crc=1), acks=0), to(missing(play), batch(b"v"), acks=0)):
            connection = play.connect()
            play.ask(API, version, on=connection, answers=False, **body)
            play.ends(connection, "closed")


@case
def nothing_to_produce(play: Play) -> None:
    topic = play.topic()
    for version in SHAPES:
        play.ask(API, version, acks=-1, timeoutMs=1_000, topicData=[])
        play.ask(API, version, **to(topic, {}))


@case
def no_records(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        play.ask(API, version, **to(topic, b""))


@case
def timeouts(play: Play) -> None:
    topic = play.topic()
    for timeout in (0, -1, 2**31 - 1):
        play.ask(API, 9, **{**to(topic, batch(b"v")), "timeoutMs": timeout})


GOOD = batch(b"one", b"two")
DAMAGE: dict[str, bytes] = {
    "wrong crc": batch(b"v", crc=1),
    "crc 0": batch(b"v", crc=0),
    "magic 3": batch(b"v", magic=3),
    "magic -1": batch(b"v", magic=-1),
    "message set of format 0": message_set(b"v", 0),
    "message set of format 1": message_set(b"v", 1),
    "unknown codec 5": batch(b"v", attributes=5),
    "unknown codec 7": batch(b"v", attributes=7),
    "two batches": GOOD + GOOD,
    "a batch and half of another": GOOD + GOOD[:30],
    "a batch and one byte": GOOD + b"\0",
    "a batch and zeros": GOOD + bytes(61),
    "cut header": GOOD[:40],
    "cut records": GOOD[:-1],
    "a few bytes": b"\0" * 11,
    "length 0": batch(b"v", length=0),
    "length -1": batch(b"v", length=-1),
    "length one short": batch(b"v", length=len(batch(b"v")) - 13),
    "length one long": batch(b"v", length=len(batch(b"v")) - 11),
    "length of a header": batch(b"v", length=49),
    "length too large": batch(b"v", length=2**31 - 1),
    "empty batch": batch(),
    "empty batch of one offset": batch(last_offset_delta=0, count=0),
    "count too small": batch(b"a", b"b", count=1),
    "count too large": batch(b"a", b"b", count=3),
    "count negative": batch(b"a", b"b", count=-1),
    "count huge": batch(b"a", b"b", count=2**31 - 1),
    "last offset too small": batch(b"a", b"b", last_offset_delta=0),
    "last offset too large": batch(b"a", b"b", last_offset_delta=5),
    "last offset negative": batch(b"a", b"b", last_offset_delta=-1),
    "deltas with a gap": batch(Record(b"a"), Record(b"b", offset_delta=2), last_offset_delta=2),
    "deltas that stand still": batch(Record(b"a"), Record(b"b", offset_delta=0)),
    "deltas backwards": batch(Record(b"a", offset_delta=1), Record(b"b", offset_delta=0)),
    "delta negative": batch(Record(b"a", offset_delta=-1)),
    "control": batch(b"v", attributes=CONTROL),
    "append time said by the client": batch(b"v", attributes=APPEND_TIME),
    "delete horizon said by the client": batch(b"v", attributes=DELETE_HORIZON),
    "unknown attributes": batch(b"v", attributes=0x0F80),
    "garbage as records": batch(records=b"\xff" * 20, count=1, last_offset_delta=0),
    "record of length -1": batch(records=b"\x01", count=1, last_offset_delta=0),
    "record longer than the batch": batch(records=b"\x7f\0\0\0", count=1, last_offset_delta=0),
    "record with a header count of -1": batch(records=b"\x0e\0\0\0\x01\x02v\x01", count=1, last_offset_delta=0),
    "base offset said by the client": batch(b"v", base_offset=12_345),
    "base offset negative": batch(b"v", base_offset=-7),
    "leader epoch said by the client": batch(b"v", leader_epoch=77),
    "maximum timestamp too small": batch(b"v", max_timestamp=MADE - 1),
    "maximum timestamp too large": batch(b"v", max_timestamp=MADE + 1),
    "no timestamp": batch(b"v", base_timestamp=-1),
    "timestamp below none": batch(b"v", base_timestamp=-2),
    "producer id without epoch": batch(b"v", producer_id=5),
    "epoch without producer id": batch(b"v", epoch=5),
    "sequence without producer id": batch(b"v", sequence=5),
    "producer without sequence": batch(b"v", producer_id=10**6, epoch=0),
    "producer with epoch -1": batch(b"v", producer_id=10**6, epoch=-1, sequence=0),
    "producer id -2": batch(b"v", producer_id=-2, epoch=0, sequence=0),
}


def damage(name: str, records: bytes) -> None:
    def play_it(play: Play) -> None:
        topic = play.topic()
        for version in SHAPES:
            play.ask(API, version, on=play.connect(), **to(topic, records))
        play.ask("Fetch", 13, **of(topic, 0))

    register("produce", f"batch_with_{name}".replace(" ", "_"), play_it)


for _name, _records in DAMAGE.items():
    damage(_name, _records)


@case
def what_is_stored(play: Play) -> None:
    topic = play.topic()
    records = [
        Record(b"v", key=b"k", timestamp_delta=5, headers=[("h", b"1"), ("h", None), ("", b"")]),
        Record(None, key=b""),
        Record(b"", timestamp_delta=-5),
    ]
    play.ask(API, 9, **to(topic, batch(*records, base_offset=99, leader_epoch=3)))
    play.ask("Fetch", 13, **of(topic, 0))


@case
def every_codec(play: Play) -> None:
    topic = play.topic(partitions=len(CODECS))
    values = [b"compressible " * 20, b"more of it " * 20]
    for version in play.versions(API):
        for name, index in CODECS.items():
            play.ask(API, version, **to(topic, {index: batch(*values, codec=name)}))
    for version in (4, 9, 10, 13):
        play.ask("Fetch", version, **of(topic, *[0] * len(CODECS)))


@case
def damage_inside_of_compressed_batches(play: Play) -> None:
    for name in ("gzip", "snappy", "lz4", "zstd"):
        topic = play.topic(name)
        whole = batch(b"x" * 100, codec=name)
        body = whole[61:]
        for label, records in (("cut", body[:-4]), ("garbage", b"\x07" * len(body)), ("empty", b"")):
            made = batch(b"x" * 100, records=records)
            header = bytearray(made[:61])
            struct.pack_into(">h", header, 21, CODECS[name])
            play.ask(API, 9, label=f"{name} {label}", **to(topic, resealed(bytes(header) + made[61:])))


@case
def counts_that_contradict_compressed_records(play: Play) -> None:
    for name in ("gzip", "snappy", "lz4", "zstd"):
        topic = play.topic(name)
        for count in (1, 3):
            made = batch(b"a", b"b", codec=name, count=count, last_offset_delta=count - 1)
            play.ask(API, 9, label=f"{name} {count}", **to(topic, made))


def resealed(data: bytes) -> bytes:
    """A batch with the CRC of what it holds."""
    import crc32c  # noqa: PLC0415 (only here)

    return data[:17] + struct.pack(">I", crc32c.crc32c(data[21:])) + data[21:]


@case
def too_large(play: Play) -> None:
    topic = play.topic(max_message_bytes="200")
    room = 200 - len(batch(b""))
    for version in SHAPES:
        for size in (room - 2, room - 1, room, room + 1, 400):
            play.ask(API, version, label=str(size), **to(topic, batch(b"x" * size)))
    compressible = batch(b"x" * 1_000, codec="gzip")
    play.ask(API, 9, label="small once compressed", **to(topic, compressible))


@case
def too_large_once_written_anew(play: Play) -> None:
    topic = play.topic(max_message_bytes="200", compression_type="uncompressed")
    play.ask(API, 9, **to(topic, batch(b"x" * 1_000, codec="gzip")))


@case
def compression_of_the_topic(play: Play) -> None:
    for wanted in ("uncompressed", "gzip", "snappy", "lz4", "zstd"):
        topic = play.topic(wanted, compression_type=wanted)
        for sent in ("none", "gzip", "lz4"):
            play.ask(API, 9, label=f"{sent} to {wanted}", **to(topic, batch(b"x" * 100, b"y" * 100, codec=sent)))
        play.ask("Fetch", 13, **of(topic, 0))


@case
def bad_timestamps(play: Play) -> None:
    topic = play.topic(message_timestamp_before_max_ms=str(DAY_MS), message_timestamp_after_max_ms=str(DAY_MS))
    future = 4_102_444_800_000
    for version in SHAPES:
        for base in (MADE, future, 0, -1):
            play.ask(API, version, **to(topic, batch(b"v", base_timestamp=base)))
        play.ask(API, version, label="some", **to(topic, batch(b"a", b"b", Record(b"c", timestamp_delta=1))))
        many = [Record(b"v", timestamp_delta=index) for index in range(8)]
        play.ask(API, version, label="compressed", **to(topic, batch(*many, codec="gzip")))


@case
def timestamps_from_the_future_by_default(play: Play) -> None:
    topic = play.topic()
    for version in SHAPES:
        play.ask(API, version, **to(topic, batch(b"v", base_timestamp=4_102_444_800_000)))
        play.ask(API, version, **to(topic, batch(b"v", base_timestamp=1)))


@case
def append_time(play: Play) -> None:
    topic = play.topic(message_timestamp_type="LogAppendTime")
    for version in SHAPES:
        play.ask(API, version, **to(topic, batch(b"a", Record(b"b", timestamp_delta=4))))
    play.ask(API, 9, label="from the future", **to(topic, batch(b"v", base_timestamp=4_102_444_800_000)))
    play.ask(API, 9, label="compressed", **to(topic, batch(b"v", b"w", codec="gzip")))
    play.ask(API, 9, label="said by the client", **to(topic, batch(b"v", attributes=APPEND_TIME)))
    play.ask("Fetch", 13, **of(topic, 0))


@case
def records_without_a_key_in_a_compacted_topic(play: Play) -> None:
    topic = play.topic(cleanup_policy="compact")
    for version in SHAPES:
        play.ask(API, version, label="none", **to(topic, batch(b"v")))
        mixed = [Record(b"a", key=b"k"), Record(b"b"), Record(b"c", key=b""), Record(b"d")]
        play.ask(API, version, label="some", **to(topic, batch(*mixed)))
        play.ask(API, version, label="compressed", **to(topic, batch(*mixed, codec="gzip")))
        play.ask(API, version, label="all", **to(topic, batch(Record(b"a", key=b"k"))))


@case
def too_few_replicas(play: Play) -> None:
    topic = play.topic(min_insync_replicas="2")
    for version in SHAPES:
        for acks in (-1, 1):
            play.ask(API, version, **to(topic, batch(b"v"), acks=acks))


@case
def internal_topics(play: Play) -> None:
    coordinator_is_ready(play)
    for name in ("__consumer_offsets", "__cluster_metadata"):
        for version in (3, 8, 12):
            play.ask(API, version, **to(Topic(name, NO_ID), batch(Record(b"v", key=b"k"))))


@case
def transactional_batch(play: Play) -> None:
    topic = play.topic()
    producer = new_producer(play)
    made = batch(b"v", attributes=TRANSACTIONAL, producer_id=producer, epoch=0, sequence=0)
    for version in SHAPES:
        play.ask(API, version, label="no transactional id", on=play.connect(), **to(topic, made))


def idempotent(play: Play, topic: Topic, producer: int, version: int = 9) -> Any:
    """Produces batches of one value by epoch, sequence and count."""

    def send(epoch: int, sequence: int, count: int = 1, label: str = "", partition: int = 0) -> None:
        made = batch(*[b"v"] * count, producer_id=producer, epoch=epoch, sequence=sequence)
        label = f"{label} epoch {epoch} sequence {sequence}".strip()
        play.ask(API, version, label=label, **to(topic, {partition: made}))

    return send


def idempotence(version: int) -> None:
    def duplicates(play: Play) -> None:
        topic = play.topic()
        send = idempotent(play, topic, new_producer(play), version)
        for sequence in range(7):
            send(0, sequence)
        for sequence in range(7):
            send(0, sequence, label="again")
        send(0, 7, 3)
        send(0, 7, 2, label="shorter")
        send(0, 8, 1, label="inside")
        send(0, 7, 3, label="again")
        play.ask("Fetch", 13, **of(topic, 0))

    def gaps(play: Play) -> None:
        send = idempotent(play, play.topic(partitions=2), new_producer(play), version)
        send(0, 0)
        send(0, 2, label="gap")
        send(0, 1)
        send(0, 100, label="gap")
        send(0, 5, label="first of another partition", partition=1)
        send(0, 0, label="before the first", partition=1)
        send(0, 6, partition=1)

    def epochs(play: Play) -> None:
        send = idempotent(play, play.topic(partitions=2), new_producer(play), version)
        send(1, 0)
        send(0, 1, label="fenced")
        send(0, 0, label="fenced")
        send(2, 5, label="a new epoch begins with 0")
        send(2, 0)
        send(2, 0, label="again")
        send(1, 0, label="fenced")
        send(2, 1)
        send(3, 0)
        send(2, 1, label="fenced")
        send(32_767, 0)
        send(0, 0, label="fenced")

    def wrap(play: Play) -> None:
        send = idempotent(play, play.topic(), new_producer(play), version)
        send(0, 2**31 - 3, 2)
        send(0, 2**31 - 1, 3, label="wraps inside")
        send(0, 2)
        send(0, 2**31 - 1, 3, label="again")
        send(0, 2**31 - 1, label="behind")

    for function in (duplicates, gaps, epochs, wrap):
        register("produce", f"idempotent_{function.__name__}_v{version}", function)


for _version in SHAPES:
    idempotence(_version)


@case
def idempotent_producers_are_told_apart(play: Play) -> None:
    topic = play.topic()
    first, second = (idempotent(play, topic, new_producer(play)) for _ in range(2))
    for send in (first, second):
        send(0, 0)
        send(0, 1)
    first(0, 3, label="gap")
    second(0, 2)
    first(0, 1, label="again")


@case
def idempotent_batch_that_is_refused_leaves_no_trace(play: Play) -> None:
    topic = play.topic(max_message_bytes="200")
    producer = new_producer(play)
    send = idempotent(play, topic, producer)
    send(0, 0)
    made = batch(b"x" * 400, producer_id=producer, epoch=0, sequence=1)
    play.ask(API, 9, label="too large", **to(topic, made))
    send(0, 2, label="gap")
    send(0, 1)


@case
def idempotent_sequences_restart_after_records_were_deleted(play: Play) -> None:
    topic = play.topic()
    send = idempotent(play, topic, new_producer(play))
    send(0, 0)
    send(0, 1)
    wanted = [{"name": topic.name, "partitions": [{"partitionIndex": 0, "offset": -1}]}]
    play.ask("DeleteRecords", 2, topics=wanted, timeoutMs=5_000)
    send(0, 0, label="duplicate")
    send(0, 5, label="gap")
    send(0, 2)
