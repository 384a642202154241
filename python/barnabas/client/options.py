"""The option tables of producer, consumer and admin: Kafka 4's names and defaults.

Few defaults differ from Kafka's; each says why in `Option.differs`. What is in Kafka's tables but not here yet stands
in them with the reason, so that setting it fails with a fix instead of being ignored.
"""

from __future__ import annotations

import re
from typing import Final

from barnabas.client.common_options import (
    COMMON_ALIASES,
    NO_METRIC_REPORTERS,
    common,
    flag,
    integer,
    later,
    long,
    option,
)
from barnabas.client.partitioning import NAMES as PARTITIONERS
from barnabas.client.partitioning import SYNONYMS as PARTITIONER_SYNONYMS
from barnabas.client.serializers import DESERIALIZER_SYNONYMS
from barnabas.client.serializers import NAMES as SERIALIZERS
from barnabas.client.serializers import SYNONYMS as SERIALIZER_SYNONYMS
from barnabas.config import Alias, Kind, Options, OptionTable
from barnabas.errors import ConfigError

__all__ = ["ADMIN", "CONSUMER", "PRODUCER"]

INT_MAX: Final = 2**31 - 1
_INSTANCE_ID: Final = re.compile(r"(?!\.\.?$)[a-zA-Z0-9._-]{1,249}")
_BY_DURATION: Final = re.compile(
    r"by_duration:P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+([.,]\d{1,9})?S)?)?", re.IGNORECASE
)
_ASSIGNORS: Final = ("range", "roundrobin", "sticky", "cooperative-sticky")

_PRODUCER_OPTIONS: Final = (
    *common(idle_ms=540_000),
    option(
        "acks",
        Kind.STRING,
        "all",
        "Who must have a record before it counts as sent: all in-sync replicas (all, -1), the leader (1), nobody (0).",
        choices=("all", "0", "1"),
        synonyms={"-1": "all"},
    ),
    flag("enable.idempotence", True, "Retries never write a record twice and never change the order in a partition."),
    integer(
        "max.in.flight.requests.per.connection",
        5,
        "Unanswered produce requests a broker may have from us at once.",
        1,
        high=1_000,
    ),
    integer("retries", INT_MAX, "How often a record is tried again; delivery.timeout.ms usually ends it sooner."),
    integer("delivery.timeout.ms", 120_000, "A record that is not acknowledged after so long has failed."),
    long("linger.ms", 5, "How long a batch that is not full waits for more records."),
    integer(
        "batch.size",
        262_144,
        "A partition's batch is sent when it has this many bytes; it starts small and grows as records come.",
        high=67_108_864,
        differs="Kafka's 16384: a broker spends twice the CPU per byte on batches of 16 KiB",
    ),
    long(
        "buffer.memory",
        33_554_432,
        "Bytes that may wait to be sent; send() blocks while they are used up.",
        65_536,
        high=1 << 40,
    ),
    long("max.block.ms", 60_000, "How long send() waits for metadata and for memory before it raises."),
    integer(
        "max.request.size", 1_048_576, "Greatest size of a record and of a produce request.", 1_024, high=1_073_741_824
    ),
    option(
        "compression.type",
        Kind.STRING,
        "none",
        "How batches are compressed.",
        choices=("none", "gzip", "snappy", "lz4", "zstd"),
    ),
    option(
        "compression.gzip.level",
        Kind.INT,
        -1,
        "gzip's level, 1 (fast) to 9 (small); -1 is its default.",
        low=-1,
        high=9,
    ),
    option("compression.lz4.level", Kind.INT, 9, "lz4's level, 1 (fast) to 17 (small).", low=1, high=17),
    option("compression.zstd.level", Kind.INT, 3, "zstd's level, up to 22 (small).", low=-131_072, high=22),
    flag("partitioner.ignore.keys", False, "Spreads records with a key like those without one."),
    flag(
        "partitioner.adaptive.partitioning.enable",
        True,
        "Gives records without a key to partitions with long queues less often; else to all equally.",
    ),
    option(
        "partitioner.class",
        Kind.NAME_OR_CALLABLE,
        None,
        "Which partition a record goes to that names none: Java's murmur2 of the key, or without one a partition for a "
        "batch; round_robin and uniform_sticky of Java; the others of librdkafka. Or a callable: (topic, key bytes, "
        "number of partitions), which returns a number or None for the default; with by_column() of many keys at once.",
        nullable=True,
        choices=PARTITIONERS,
        synonyms=PARTITIONER_SYNONYMS,
    ),
    long(
        "partitioner.availability.timeout.ms",
        0,
        "Records that may go anywhere pass by partitions whose broker has taken nothing for so long; 0: never.",
    ),
    option(
        "key.serializer",
        Kind.NAME_OR_CALLABLE,
        None,
        "Makes bytes of a key: str, int (4 bytes), long, double, json, or a callable; without one, keys are bytes. "
        "None stays None.",
        nullable=True,
        choices=SERIALIZERS,
        synonyms=SERIALIZER_SYNONYMS,
    ),
    option(
        "value.serializer",
        Kind.NAME_OR_CALLABLE,
        None,
        "Makes bytes of a value: str, int (4 bytes), long, double, json, or a callable; without one, values are "
        "bytes. None stays None.",
        nullable=True,
        choices=SERIALIZERS,
        synonyms=SERIALIZER_SYNONYMS,
    ),
    long("metadata.max.idle.ms", 300_000, "Metadata of a topic that was not sent to for so long is not kept.", 5_000),
    option(
        "interceptor.classes",
        Kind.OBJECTS,
        (),
        "Objects (not names of classes) whose on_send(record) sees, and may change, every record, and whose "
        "on_acknowledgement(metadata, error) hears what became of it.",
    ),
    later("transactional.id", Kind.STRING, None, "transactions are not there; the idempotent producer is"),
    later("transaction.timeout.ms", Kind.INT, 60_000, "transactions are not there; the idempotent producer is"),
    later("transaction.two.phase.commit.enable", Kind.BOOLEAN, False, "transactions are not there"),
)

_PRODUCER_LIBRDKAFKA: Final = (
    option(
        "client.rack",
        Kind.STRING,
        "",
        "Where this client stands. Records go to leaders wherever these are; it is taken so that one configuration "
        "does for all clients.",
    ),
    later("dr_cb", Kind.CALLABLE, None, "send() returns a handle: use its result() or add_done_callback()"),
    later("on_delivery", Kind.CALLABLE, None, "send() returns a handle: use its result() or add_done_callback()"),
    later("statistics.interval.ms", Kind.INT, 0, NO_METRIC_REPORTERS),
    later("debug", Kind.STRING, None, "set the level of logging.getLogger('barnabas')"),
    later("batch.num.messages", Kind.INT, None, "batches are bounded by bytes: batch.size"),
    later("queue.buffering.max.messages", Kind.INT, None, "the queue is bounded by bytes: buffer.memory"),
)

_PRODUCER_ALIASES: Final = (
    *COMMON_ALIASES,
    Alias("queue.buffering.max.ms", "linger.ms"),
    Alias("queue.buffering.max.kbytes", "buffer.memory", scale=1024),
    Alias("message.timeout.ms", "delivery.timeout.ms"),
    Alias("message.max.bytes", "max.request.size"),
    Alias("message.send.max.retries", "retries"),
    Alias("request.required.acks", "acks"),
    Alias("compression.codec", "compression.type"),
    Alias("max.in.flight", "max.in.flight.requests.per.connection"),
    Alias("partitioner", "partitioner.class"),
)

_CONSUMER_OPTIONS: Final = (
    *common(idle_ms=540_000),
    option(
        "group.id",
        Kind.STRING,
        None,
        "The consumer group to join and to commit offsets for; without one, only assign() works and nothing is kept.",
        nullable=True,
    ),
    option(
        "auto.offset.reset",
        Kind.STRING,
        "latest",
        "Where to start in a partition whose offset is missing or gone: at its begin, at its end, at the first record "
        "that is not older than a duration (by_duration:PT1H), or raise.",
        choices=("earliest", "latest", "none"),
        form=_BY_DURATION,
        synonyms={
            "smallest": "earliest",
            "beginning": "earliest",
            "largest": "latest",
            "end": "latest",
            "error": "none",
        },
    ),
    flag("enable.auto.commit", True, "Commits what poll() handed out, every auto.commit.interval.ms and at close."),
    integer("auto.commit.interval.ms", 5_000, "How often offsets are committed by themselves."),
    integer(
        "max.poll.records",
        500,
        "How many records iteration takes from the fetched ones at a time.",
        1,
        differs="it bounds Kafka's poll() too: here poll() returns whole batches, and poll(max_records=n) fewer",
    ),
    integer("max.poll.interval.ms", 300_000, "A member that does not poll for so long leaves its group.", 1),
    integer("session.timeout.ms", 45_000, "A member whose heartbeats stop for so long is thrown out of its group.", 1),
    integer("heartbeat.interval.ms", 3_000, "How often a member tells the coordinator that it lives.", 1),
    option(
        "partition.assignment.strategy",
        Kind.OBJECTS,
        ("range", "cooperative-sticky"),
        "The assignors this member offers to its group, the preferred one first; the group takes one that all have. "
        "Names, or objects of your own (barnabas.assignors.Assignor).",
        choices=_ASSIGNORS,
        synonyms={f"org.apache.kafka.clients.consumer.{name.replace('-', '')}assignor": name for name in _ASSIGNORS},
    ),
    integer("fetch.min.bytes", 1, "A fetch is answered when so many bytes are there or fetch.max.wait.ms have passed."),
    integer("fetch.max.wait.ms", 500, "The longest that a broker holds back a fetch for want of fetch.min.bytes."),
    integer(
        "fetch.max.bytes",
        52_428_800,
        "Most bytes of one fetch; a greater first batch comes nevertheless.",
        1,
        high=1_073_741_824,
    ),
    integer(
        "max.partition.fetch.bytes",
        1_048_576,
        "Most bytes of one partition in a fetch; a greater first batch comes.",
        1,
        high=1_073_741_824,
    ),
    flag("check.crcs", True, "Checks the CRC of every batch."),
    option(
        "isolation.level",
        Kind.STRING,
        "read_uncommitted",
        "Whether records of open and aborted transactions are read.",
        choices=("read_uncommitted", "read_committed"),
    ),
    long(
        "barnabas.fetch.buffer.bytes",
        67_108_864,
        "No fetch is started while so many fetched bytes wait to be polled.",
        1,
        high=1 << 40,
        source="barnabas",
    ),
    long(
        "barnabas.poll.bytes",
        524_288,
        "A poll without max_records returns whole batches until it has so many bytes.",
        1,
        high=1 << 40,
        source="barnabas",
    ),
    long(
        "barnabas.max.decompressed.bytes",
        268_435_456,
        "A batch that decompresses to more is refused.",
        1024,
        high=2_147_483_648,
        source="barnabas",
    ),
    integer("default.api.timeout.ms", 60_000, "How long calls wait that take a timeout and got none."),
    flag("allow.auto.create.topics", True, "Lets the broker create a topic that is subscribed to and does not exist."),
    option(
        "client.rack",
        Kind.STRING,
        "",
        "Where this client stands: for assignors that mind racks (KIP-881), and for leaders that name a closer replica "
        "to read from (KIP-392). That one is read from until metadata.max.age.ms have passed or it fails; then the "
        "leader is asked again.",
    ),
    flag("exclude.internal.topics", True, "Pattern subscriptions leave internal topics out."),
    option(
        "group.instance.id",
        Kind.STRING,
        None,
        "Makes this a static member (KIP-345): away for less than session.timeout.ms, it keeps its partitions.",
        nullable=True,
    ),
    option(
        "group.protocol",
        Kind.STRING,
        "classic",
        "classic: members divide the partitions; consumer (KIP-848): the coordinator does, from Kafka 4.0 on.",
        choices=("classic", "consumer"),
    ),
    option(
        "group.remote.assignor",
        Kind.STRING,
        None,
        "With group.protocol=consumer: which of the coordinator's assignors divides the partitions.",
        nullable=True,
    ),
    option(
        "interceptor.classes",
        Kind.OBJECTS,
        (),
        "Objects (not names of classes) whose on_consume(records) sees what each poll hands out, and whose "
        "on_commit(offsets) sees what was committed.",
    ),
    option(
        "key.deserializer",
        Kind.NAME_OR_CALLABLE,
        None,
        "Makes an object of a key's bytes: str, int (4 bytes), long, double, json, or a callable, of all keys of a "
        "poll if it is made by by_column(). None stays None.",
        choices=SERIALIZERS,
        synonyms=DESERIALIZER_SYNONYMS,
        nullable=True,
    ),
    option(
        "value.deserializer",
        Kind.NAME_OR_CALLABLE,
        None,
        "Makes an object of a value's bytes: str, int (4 bytes), long, double, json, or a callable, of all values of a "
        "poll if it is made by by_column(). None stays None.",
        choices=SERIALIZERS,
        synonyms=DESERIALIZER_SYNONYMS,
        nullable=True,
    ),
    option(
        "barnabas.deserialization.failure",
        Kind.STRING,
        "raise",
        "What becomes of a record that a deserializer refuses: poll() raises, at every call until a seek past it; the "
        "record is left out; or it is written to barnabas.dead.letter.topic and left out.",
        choices=("raise", "skip", "dead_letter"),
        source="barnabas",
    ),
    option(
        "barnabas.dead.letter.topic",
        Kind.STRING,
        None,
        "Where records go that a deserializer refuses, with barnabas.deserialization.failure=dead_letter.",
        nullable=True,
        source="barnabas",
    ),
    option(
        "barnabas.on.refused",
        Kind.CALLABLE,
        None,
        "Called with the DeserializationError of each record that is left out; without it they are logged.",
        nullable=True,
        source="barnabas",
    ),
    later("share.acknowledgement.mode", Kind.STRING, "implicit", "share groups are not there"),
    later("share.acquire.mode", Kind.STRING, "batch_optimized", "share groups are not there"),
)

_CONSUMER_LIBRDKAFKA: Final = (
    later("enable.auto.offset.store", Kind.BOOLEAN, True, "commit(offsets) commits exactly what you name"),
    later("enable.partition.eof", Kind.BOOLEAN, False, "compare position() with end_offsets()"),
    later("statistics.interval.ms", Kind.INT, 0, NO_METRIC_REPORTERS),
    later("debug", Kind.STRING, None, "set the level of logging.getLogger('barnabas')"),
)

_CONSUMER_ALIASES: Final = (
    *COMMON_ALIASES,
    Alias("fetch.wait.max.ms", "fetch.max.wait.ms"),
    Alias("fetch.message.max.bytes", "max.partition.fetch.bytes"),
)

_ADMIN_OPTIONS: Final = (
    *common(idle_ms=300_000),
    integer("default.api.timeout.ms", 60_000, "How long calls wait that take a timeout and got none."),
    integer("retries", INT_MAX, "How often a request is tried again; the call's timeout usually ends it sooner."),
    later("bootstrap.controllers", Kind.LIST, (), "give bootstrap.servers: brokers pass requests on to the controller"),
)


def _idempotence(options: Options) -> Options:
    """Kafka's rules: a contradiction with a default turns idempotence off, one with a stated wish is an error."""
    if not options["enable.idempotence"]:
        return options
    stated = options.given("enable.idempotence")
    if options["max.in.flight.requests.per.connection"] > 5:
        raise ConfigError(
            "max.in.flight.requests.per.connection must be at most 5 with enable.idempotence, got "
            f"{options['max.in.flight.requests.per.connection']}: lower it, or set enable_idempotence=False"
        )
    if options["acks"] != "all":
        if stated:
            raise ConfigError(f"enable.idempotence needs acks=all, got acks={options['acks']}")
        return options.replace(enable_idempotence=False)
    if options["retries"] == 0:
        if stated:
            raise ConfigError("enable.idempotence needs retries > 0, got retries=0")
        return options.replace(enable_idempotence=False)
    return options


def _interceptors(options: Options) -> Options:
    for interceptor in options["interceptor.classes"]:
        if not any(hasattr(interceptor, name) for name in ("on_send", "on_send_table", "on_acknowledgement")):
            raise ConfigError(
                f"{interceptor!r} in interceptor.classes is no interceptor: give objects with on_send, on_send_table "
                "or on_acknowledgement, not names of classes"
            )
    return options


def _delivery_timeout(options: Options) -> Options:
    """A record must have the time for a linger and a request; a default that is too short grows, a wish does not."""
    needed = min(options["linger.ms"] + options["request.timeout.ms"], INT_MAX)
    if options["delivery.timeout.ms"] >= needed:
        return options
    if options.given("delivery.timeout.ms"):
        raise ConfigError(
            f"delivery.timeout.ms={options['delivery.timeout.ms']} must be at least linger.ms + request.timeout.ms "
            f"= {needed}"
        )
    return options.replace(delivery_timeout_ms=needed)


def _group(options: Options) -> Options:
    """What a member of a group, or a consumer without one, may ask for."""
    if options["heartbeat.interval.ms"] >= options["session.timeout.ms"]:
        raise ConfigError(
            f"heartbeat.interval.ms={options['heartbeat.interval.ms']} must be less than "
            f"session.timeout.ms={options['session.timeout.ms']}; a third of it is usual"
        )
    if options["group.id"] is None and options["enable.auto.commit"]:
        if options.given("enable.auto.commit"):
            raise ConfigError("enable.auto.commit needs a group.id to commit for")
        return options.replace(enable_auto_commit=False)
    strategy = options["partition.assignment.strategy"]
    names = [getattr(assignor, "name", assignor) for assignor in strategy]
    if not strategy or len(set(names)) < len(names):
        raise ConfigError(
            f"partition.assignment.strategy={names}: give at least one assignor, each with a name of its own"
        )
    for assignor in strategy:
        missing = [part for part in ("name", "protocols", "user_data", "assign") if not hasattr(assignor, part)]
        if missing and not isinstance(assignor, str):
            raise ConfigError(f"{assignor!r} in partition.assignment.strategy is no assignor: it has no {missing[0]}")
    if options["group.id"] == "":
        raise ConfigError("group.id must not be empty: name a group, or leave it out and use assign()")
    return options


def _dead_letters(options: Options) -> Options:
    """A topic and the policy that needs it come together."""
    wants = options["barnabas.deserialization.failure"] == "dead_letter"
    if wants and not options["barnabas.dead.letter.topic"]:
        raise ConfigError("barnabas.deserialization.failure=dead_letter needs a barnabas.dead.letter.topic")
    if not wants and options["barnabas.dead.letter.topic"]:
        raise ConfigError(
            "barnabas.dead.letter.topic has no effect without barnabas.deserialization.failure=dead_letter"
        )
    return options


_CLASSIC_ONLY: Final = ("session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy")


def _group_protocol(options: Options) -> Options:
    """Each protocol has options that would have no effect with the other; Java refuses them, too."""
    protocol = options["group.protocol"]
    for name in _CLASSIC_ONLY if protocol == "consumer" else ("group.remote.assignor",):
        if options.given(name):
            raise ConfigError(
                f"{name} has no effect with group.protocol={protocol}: leave it out"
                + (" (the coordinator decides it)" if protocol == "consumer" else ", or choose group.protocol=consumer")
            )
    instance = options["group.instance.id"]
    if instance is not None and not _INSTANCE_ID.fullmatch(instance):
        raise ConfigError(
            f"group.instance.id={instance!r}: 1 to 249 letters, digits, dots, underscores and hyphens, not . or .."
        )
    return options


def _addresses(options: Options) -> Options:
    if not options["bootstrap.servers"]:
        raise ConfigError("bootstrap.servers is empty: give at least one host:port")
    for address in options["bootstrap.servers"]:
        host, colon, port = address.rpartition(":")
        if not (host and colon and port.isdigit() and 0 < int(port) < 65_536):
            raise ConfigError(f"invalid address {address!r} in bootstrap.servers: expected host:port")
    return options


PRODUCER: Final = OptionTable(
    "Producer",
    (*_PRODUCER_OPTIONS, *_PRODUCER_LIBRDKAFKA),
    _PRODUCER_ALIASES,
    (_addresses, _idempotence, _delivery_timeout, _interceptors),
)
CONSUMER: Final = OptionTable(
    "Consumer",
    (*_CONSUMER_OPTIONS, *_CONSUMER_LIBRDKAFKA),
    _CONSUMER_ALIASES,
    (_addresses, _group, _group_protocol, _dead_letters),
)
ADMIN: Final = OptionTable("Admin", _ADMIN_OPTIONS, COMMON_ALIASES, (_addresses,))
