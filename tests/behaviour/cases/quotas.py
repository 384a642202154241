"""Client quotas (KIP-13, 124, 219, 612): who is throttled, for how long, and what a throttled answer is.

Throttle times are compared in seconds, long ones in tens of them; sizes and rates are chosen so that they lie amidst.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from barnabas.protocol.apis import APIS
from behaviour.batches import batch
from behaviour.cases import Body, Play, Topic, case
from behaviour.cases.bodies import coordinator_is_ready, of, to
from behaviour.cases.defaults import FIELDS, NOT_HERE

if TYPE_CHECKING:
    from behaviour.play import Connection

QUOTAS: Final = "AlterClientQuotas"
BIG: Final = 3_000
CLIENT, IP = "client-id", "ip"

Entity = dict[str, str | None]


def limit(play: Play, topic: Topic, entity: Entity, **values: float | None) -> None:
    """Sets quotas, and waits until they hold; None removes one."""
    ops = [{"key": key, "value": value or 0.0, "remove": value is None} for key, value in values.items()]
    parts = [{"entityType": kind, "entityName": name} for kind, name in entity.items()]
    play.quiet(QUOTAS, 1, entries=[{"entity": parts, "ops": ops}], validateOnly=False)
    play.settle(topic)


def coarse(throttle_ms: int) -> str:
    """A throttle time in whole seconds, from ten on in tens of them."""
    whole = throttle_ms // 1000
    return f"{whole if whole < 10 else whole // 10 * 10} s"


def seconds(answer: Body) -> Any:
    """An answer whose throttle time is coarse."""
    return {**answer, "throttleTimeMs": coarse(answer["throttleTimeMs"])}


def throttle_of(answer: Body) -> Any:
    """The throttle time alone."""
    return {"throttle": answer.get("throttleTimeMs", 0)}


def big() -> bytes:
    return batch(b"x" * BIG)


@case
def produce_over_the_rate(play: Play) -> None:
    topic = play.topic()
    for version in play.versions("Produce"):
        if version < 3:
            continue
        client = play.named(f"client-{version}")
        limit(play, topic, {CLIENT: client}, producer_byte_rate=100.0)
        for label in ("over at once", "over again"):
            body = to(topic if version >= 13 else Topic(topic.name, ""), big())
            play.ask("Produce", version, on=play.connect(), client=client, label=label, keep=told_of_produce, **body)
        others = to(topic if version >= 13 else Topic(topic.name, ""), batch(b"small"))
        play.ask("Produce", version, on=play.connect(), label="another client", keep=told_of_produce, **others)
        limit(play, topic, {CLIENT: client}, producer_byte_rate=None)
        play.ask("Produce", version, on=play.connect(), client=client, label="after", keep=told_of_produce, **others)


def told_of_produce(answer: Body) -> Any:
    parts = [part["errorCode"] for topic in answer["responses"] for part in topic["partitionResponses"]]
    return {"codes": parts, "throttle": coarse(answer["throttleTimeMs"])}


@case
def silent_producers_are_not_read(play: Play) -> None:
    topic = play.topic()
    client = play.named("client")
    limit(play, topic, {CLIENT: client}, producer_byte_rate=250.0)
    connection = play.connect()
    begin = time.monotonic()
    play.ask("Produce", 9, on=connection, client=client, answers=False, **to(Topic(topic.name, ""), big(), acks=0))
    play.ask("ApiVersions", 0, on=connection, client=client, keep=lambda answer: answer["errorCode"])
    play.tell("muted", "Produce", {"for more than a second": time.monotonic() - begin > 1.0})
    limit(play, topic, {CLIENT: client}, producer_byte_rate=None)


@case
def who_is_throttled_is_not_read(play: Play) -> None:
    topic = play.topic()
    client = play.named("client")
    limit(play, topic, {CLIENT: client}, producer_byte_rate=270.0)
    connection = play.connect()
    body = to(Topic(topic.name, ""), big())
    begin = time.monotonic()
    play.ask("Produce", 9, on=connection, client=client, label="over", keep=told_of_produce, **body)
    answered = time.monotonic()
    play.ask("ApiVersions", 0, on=connection, client=client, keep=lambda answer: answer["errorCode"])
    told = {"answered at once": answered - begin < 1.0, "then muted": time.monotonic() - answered > 0.9}
    play.tell("muted", "Produce", told)
    limit(play, topic, {CLIENT: client}, producer_byte_rate=None)


@case
def fetch_over_the_rate(play: Play) -> None:
    topic = play.topic()
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), big()))
    for version in play.versions("Fetch"):
        if version < 4:
            continue
        client = play.named(f"client-{version}")
        limit(play, topic, {CLIENT: client}, consumer_byte_rate=100.0)
        body = {**of(topic, 0), "sessionEpoch": -1}
        for label in ("over at once", "over again"):
            play.ask("Fetch", version, on=play.connect(), client=client, label=label, keep=seconds, **body)
        limit(play, topic, {CLIENT: client}, consumer_byte_rate=1e6)
        play.ask("Fetch", version, on=play.connect(), client=client, label="allowed", keep=told_of_fetch, **body)
        limit(play, topic, {CLIENT: client}, consumer_byte_rate=None)


def told_of_fetch(answer: Body) -> Any:
    parts = [(part["errorCode"], bool(part["records"])) for one in answer["responses"] for part in one["partitions"]]
    return {"parts": parts, "throttle": answer["throttleTimeMs"]}


@case
def throttled_fetches_of_sessions(play: Play) -> None:
    topic = play.topic()
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), big()))
    client = play.named("client")
    for version in (7, 12, 13, 18):
        whole = {**of(topic, 0), "sessionId": 0, "sessionEpoch": 0}
        limit(play, topic, {CLIENT: client}, consumer_byte_rate=100.0)
        play.ask("Fetch", version, on=play.connect(), client=client, label="begins none", keep=seconds, **whole)
        limit(play, topic, {CLIENT: client}, consumer_byte_rate=1e6)
        at_end = {**of(topic, 1), "sessionId": 0, "sessionEpoch": 0}
        began = play.ask("Fetch", version, on=play.connect(), client=client, label="begins", keep=seconds, **at_end)
        limit(play, topic, {CLIENT: client}, consumer_byte_rate=100.0)
        more = {**of(topic, 0), "sessionId": began["sessionId"], "sessionEpoch": 1}
        play.ask("Fetch", version, on=play.connect(), client=client, label="throttled", keep=seconds, **more)
        limit(play, topic, {CLIENT: client}, consumer_byte_rate=1e6)
        same = {**more, "topics": [], "sessionEpoch": 2}
        play.ask("Fetch", version, on=play.connect(), client=client, label="goes on", keep=told_of_fetch, **same)
    limit(play, topic, {CLIENT: client}, consumer_byte_rate=None)


# A share of a thread that nobody gets along with makes every answer tell the longest time, which is one window.
@case
def every_api_is_charged_for_time(play: Play) -> None:
    coordinator_is_ready(play)
    topic = play.topic()
    client = play.named("client")
    limit(play, topic, {CLIENT: client}, request_percentage=1e-9)
    for api, *_, is_served in APIS.values():
        if not is_served or api in NOT_HERE:
            continue
        for version in play.versions(api):
            if api == "Metadata" and version < 4:
                continue
            body = FIELDS.get(api, {})
            play.ask(api, version, on=play.connect(), client=client, keep=throttle_of, **body)
    limit(play, topic, {CLIENT: client}, request_percentage=None)


def is_served(connection: Connection) -> bool:
    """Whether a connection gets an answer."""
    try:
        connection.send(b"\x00\x12\x00\x00\x00\x00\x00\x07\xff\xff")
        return connection.receive() is not None
    except (BrokenPipeError, ConnectionResetError):
        return False


# One connection a second: the eleventh within ten seconds is not served, and closed a second later.
@case
def addresses_open_so_many_connections_a_second(play: Play) -> None:
    topic = play.topic()
    limit(play, topic, {IP: "127.0.0.1"}, connection_creation_rate=1.0)
    try:
        connections = [play.connect() for _ in range(16)]
        play.tell("served", "ApiVersions", {"connections": sum(map(is_served, connections))})
    finally:
        limit(play, topic, {IP: "127.0.0.1"}, connection_creation_rate=None)
