"""The option tables: names, defaults and constraints against Kafka's, translation, and messages that name the fix."""

import gzip
import json
import re
from pathlib import Path

import pytest

import barnabas
from barnabas.client.options import ADMIN, CONSUMER, PRODUCER
from barnabas.config import REQUIRED, Kind, Option, OptionTable
from barnabas.errors import ConfigError, UnsupportedOptionError

GOLDEN = Path(__file__).parents[2] / "golden" / "config" / "client_options.json.gz"
SERVERS = {"bootstrap_servers": "localhost:9092"}
TABLES = {"producer": PRODUCER, "consumer": CONSUMER, "admin": ADMIN}

DIFFERENT_TYPES = {"key.serializer", "value.serializer", "key.deserializer", "value.deserializer"}
"""Java wants class names where Python has callables."""
DIFFERENT_DEFAULTS = {
    "batch.size": "measured: see Option.differs",
    "send.buffer.bytes": "measured: see Option.differs",
    "receive.buffer.bytes": "measured: see Option.differs",
}


def kafka_options(client: str) -> dict[str, dict[str, object]]:
    with gzip.open(GOLDEN, "rt") as file:
        return {name: option for name, option in json.load(file)[client].items() if not option["internal"]}


def java_names(default: object) -> list[str]:
    """What ConfigDef says of a list of classes: `[class a.B, class c.D]`."""
    return [
        name.removeprefix("class ")
        for name in (default if isinstance(default, list) else str(default).strip("[]").split(", "))
    ]


@pytest.mark.parametrize("client", TABLES)
def test_every_option_of_kafka_is_known(client):
    missing = [
        name for name in kafka_options(client) if name not in TABLES[client] and not re.match(r"(sasl|ssl)\.", name)
    ]
    assert missing == []


@pytest.mark.parametrize("client", TABLES)
def test_every_security_option_of_kafka_is_refused_with_a_reason(client):
    for name in kafka_options(client):
        if re.match(r"(sasl|ssl)\.", name):
            with pytest.raises(ConfigError, match=r"PLAINTEXT|no option"):
                TABLES[client].parse({name: "something"}, SERVERS)


@pytest.mark.parametrize("client", TABLES)
def test_defaults_are_kafkas_unless_declared(client):
    differing = {}
    for name, kafka in kafka_options(client).items():
        option = TABLES[client].get(name)
        if option is None or option.unsupported or name in DIFFERENT_TYPES or name in DIFFERENT_DEFAULTS:
            continue
        ours = "<required>" if option.default is REQUIRED else option.default
        if isinstance(ours, tuple):
            ours = list(ours)
        if name == "bootstrap.servers":
            continue
        if name == "partition.assignment.strategy":
            assert ours == list(CONSUMER.parse({name: java_names(kafka["default"])}, SERVERS)[name])
        elif str(ours).lower() != str(kafka["default"]).lower():
            differing[name] = (ours, kafka["default"])
    assert differing == {}


def test_the_defaults_that_differ_are_these_and_say_why():
    differing = {option.name for table in TABLES.values() for option in table.values() if option.differs}
    assert differing == {*DIFFERENT_DEFAULTS, "max.poll.records"}


@pytest.mark.parametrize("client", TABLES)
def test_every_option_is_documented_and_its_default_is_valid(client):
    for option in TABLES[client].values():
        assert option.doc.endswith("."), option.name
        if option.default is not REQUIRED:
            assert option.check(option.default) == option.default, option.name


def test_keywords_dotted_names_and_aliases_mean_the_same():
    by_keyword = PRODUCER.parse(None, {**SERVERS, "linger_ms": 20})
    by_name = PRODUCER.parse({"bootstrap.servers": "localhost:9092", "linger.ms": "20"}, {})
    by_alias = PRODUCER.parse({"metadata.broker.list": ["localhost:9092"], "queue.buffering.max.ms": 20}, {})
    by_alias_keyword = PRODUCER.parse(None, {**SERVERS, "queue_buffering_max_ms": 20})
    assert dict(by_keyword) == dict(by_name) == dict(by_alias) == dict(by_alias_keyword)
    assert by_keyword["linger.ms"] == 20
    assert by_keyword.given("linger.ms")
    assert not by_keyword.given("acks")


@pytest.mark.parametrize(
    ("alias", "value", "name", "expected"),
    [
        ("message.timeout.ms", 60_000, "delivery.timeout.ms", 60_000),
        ("queue.buffering.max.kbytes", "1024", "buffer.memory", 1_048_576),
        ("compression.codec", "lz4", "compression.type", "lz4"),
        ("request.required.acks", -1, "acks", "all"),
        ("max.in.flight", 2, "max.in.flight.requests.per.connection", 2),
        ("message.send.max.retries", 3, "retries", 3),
    ],
)
def test_librdkafkas_names_are_translated(alias, value, name, expected):
    if alias == "request.required.acks":
        value = str(value)
    assert PRODUCER.parse({alias: value}, SERVERS)[name] == expected


def test_librdkafkas_reset_words_are_translated():
    assert CONSUMER.parse({"auto.offset.reset": "smallest"}, SERVERS)["auto.offset.reset"] == "earliest"


@pytest.mark.parametrize(
    ("name", "near"), [("linger_msec", "'linger_ms'"), ("linger.sm", "'linger.ms'"), ("Bootstrap_Servers", "servers'")]
)
def test_an_unknown_option_raises_with_the_nearest_name(name, near):
    with pytest.raises(ConfigError, match=rf"no option '{name}'; did you mean .*{near}"):
        PRODUCER.parse(None, {"bootstrap_servers": "a:1", name: 5})


def test_an_option_nothing_is_near_to_raises_without_a_guess():
    with pytest.raises(ConfigError, match=r"no option 'xyzzy'$"):
        PRODUCER.parse(None, {**SERVERS, "xyzzy": 5})


@pytest.mark.parametrize(
    ("table", "name", "value", "fix"),
    [
        (PRODUCER, "transactional_id", "t", "idempotent producer"),
        (PRODUCER, "statistics_interval_ms", 1, "metrics\\(\\)"),
        (PRODUCER, "on_delivery", print, "result\\(\\)"),
        (CONSUMER, "enable_partition_eof", True, "end_offsets"),
    ],
)
def test_a_known_option_that_is_not_supported_says_what_to_do(table, name, value, fix):
    with pytest.raises(UnsupportedOptionError, match=rf"known but not supported yet: .*{fix}"):
        table.parse(None, {**SERVERS, name: value})


def test_an_unsupported_option_may_be_set_to_its_default():
    CONSUMER.parse(None, {**SERVERS, "enable_auto_offset_store": True})


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("linger_ms", -1, "invalid value -1 for linger.ms: expected long of at least 0"),
        ("linger_ms", "soon", "invalid value 'soon' for linger.ms"),
        ("linger_ms", True, "invalid value True for linger.ms"),
        ("linger_ms", 0.5, "invalid value 0.5 for linger.ms"),
        ("linger_ms", None, "linger.ms must not be None"),
        ("batch_size", 2**31, "invalid value 2147483648 for batch.size"),
        ("acks", "some", "expected one of all, 0, 1"),
        ("enable_idempotence", "yes", "invalid value 'yes' for enable.idempotence"),
        ("compression_type", "brotli", "expected one of none, gzip, snappy, lz4, zstd"),
        ("compression_gzip_level", 10, "between -1 and 9"),
        ("value_serializer", "text", "expected one of bytes, str, int, long, double, json, or a callable"),
        ("client_id", 7, "expected string"),
        ("security_protocol", "SSL", "expected one of PLAINTEXT"),
    ],
)
def test_invalid_values_are_refused(name, value, message):
    with pytest.raises(ConfigError, match=message):
        PRODUCER.parse(None, {**SERVERS, name: value})


def test_an_option_given_twice_is_refused():
    with pytest.raises(ConfigError, match=r"linger\.ms is given twice: as 'queue.buffering.max.ms' and as 'linger_ms'"):
        PRODUCER.parse({"queue.buffering.max.ms": 5}, {**SERVERS, "linger_ms": 5})


def test_a_required_option_must_be_given():
    with pytest.raises(ConfigError, match="Producer: bootstrap_servers must be given"):
        PRODUCER.parse(None, {})


@pytest.mark.parametrize("servers", ["", [], "localhost", "localhost:", ":9092", "localhost:x", "localhost:70000"])
def test_invalid_addresses_are_refused(servers):
    with pytest.raises(ConfigError, match=r"bootstrap\.servers"):
        PRODUCER.parse(None, {"bootstrap_servers": servers})


def test_a_conflict_with_default_idempotence_turns_it_off():
    assert PRODUCER.parse(None, {**SERVERS, "acks": "1"})["enable.idempotence"] is False
    assert PRODUCER.parse(None, {**SERVERS, "retries": 0})["enable.idempotence"] is False


@pytest.mark.parametrize(
    "options",
    [
        {"enable_idempotence": True, "acks": "1"},
        {"enable_idempotence": True, "retries": 0},
        {"max_in_flight_requests_per_connection": 6},
    ],
)
def test_a_conflict_with_wanted_idempotence_is_refused(options):
    with pytest.raises(ConfigError, match=r"enable\.idempotence"):
        PRODUCER.parse(None, {**SERVERS, **options})


def test_more_in_flight_without_idempotence_is_fine():
    options = {"max_in_flight_requests_per_connection": 6, "enable_idempotence": False}
    assert PRODUCER.parse(None, {**SERVERS, **options})["max.in.flight.requests.per.connection"] == 6


def test_a_wished_delivery_timeout_must_have_room_for_a_request():
    with pytest.raises(ConfigError, match=r"delivery\.timeout\.ms=1000 must be at least .* = 30005"):
        PRODUCER.parse(None, {**SERVERS, "delivery_timeout_ms": 1000})
    assert PRODUCER.parse(None, {**SERVERS, "linger_ms": 200_000})["delivery.timeout.ms"] == 230_000


def test_a_heartbeat_must_be_faster_than_the_session():
    with pytest.raises(ConfigError, match=r"heartbeat\.interval\.ms=45000 must be less than"):
        CONSUMER.parse(None, {**SERVERS, "heartbeat_interval_ms": 45_000})


def test_auto_commit_needs_a_group():
    assert CONSUMER.parse(None, SERVERS)["enable.auto.commit"] is False
    assert CONSUMER.parse(None, {**SERVERS, "group_id": "g"})["enable.auto.commit"] is True
    with pytest.raises(ConfigError, match="needs a group"):
        CONSUMER.parse(None, {**SERVERS, "enable_auto_commit": True})


def test_options_for_the_extension_hold_no_callables_and_no_none():
    plain = PRODUCER.parse(None, {**SERVERS, "value_serializer": str.encode}).plain()
    assert plain["bootstrap.servers"] == ["localhost:9092"]
    assert all(isinstance(value, int | str | list) for value in plain.values())


def test_a_name_must_be_a_string():
    table = OptionTable("demo", [Option("a.b", Kind.INT, 1, "A number.")])
    with pytest.raises(ConfigError, match="option names are strings"):
        table.parse({1: 2}, {})


@pytest.mark.parametrize(("given", "expected"), [(0, "0"), (1, "1"), (-1, "all"), ("all", "all")])
def test_acks_may_be_a_number(given, expected):
    assert PRODUCER.parse(None, {**SERVERS, "acks": given, "enable_idempotence": False})["acks"] == expected


def test_one_configuration_with_a_rack_does_for_producers_and_consumers():
    given = {"bootstrap.servers": "localhost:9092", "client.rack": "eu-1a"}
    assert [table.parse(given, {})["client.rack"] for table in (PRODUCER, CONSUMER)] == ["eu-1a", "eu-1a"]


@pytest.mark.parametrize("config", ["localhost:9092", ["localhost:9092"]])
def test_options_that_are_no_dict_are_told_how_to_be_written(config):
    with pytest.raises(ConfigError, match="options are keywords, such as bootstrap_servers='host:port'"):
        PRODUCER.parse(config, {})


@pytest.mark.parametrize("client", [barnabas.Producer, barnabas.Consumer])
def test_what_the_tables_allow_the_data_plane_takes(client):
    table = PRODUCER if client is barnabas.Producer else CONSUMER
    fitting = {
        "delivery_timeout_ms": {"linger_ms": 0, "request_timeout_ms": 0},
        "heartbeat_interval_ms": {"group_id": "g"},
        "max_in_flight_requests_per_connection": {"enable_idempotence": False},
        "session_timeout_ms": {"group_id": "g"},
    }
    tried = 0
    for option in table.values():
        for bound in {option.low, option.high} - {None}:
            if option.unsupported or (option.keyword, bound) == ("session_timeout_ms", 1):
                continue
            given = {"bootstrap_servers": "127.0.0.1:1", option.keyword: bound} | fitting.get(option.keyword, {})
            client(**given).close(0)
            tried += 1
    assert tried > 20
