"""Which of several quotas holds for a client: one for a user goes before one for a client id, one for both before either,
and one with a name before a default (KIP-55, KIP-612).

Each level allows a third of the one before it, so that the throttle time tells which one it was.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from behaviour.batches import batch
from behaviour.cases import Body, Play, Topic, case, register
from behaviour.cases.bodies import of, to
from behaviour.cases.quotas import CLIENT, IP, QUOTAS, big, is_served, throttle_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from behaviour.cases.quotas import Entity

USER: Final = "user"
ANONYMOUS: Final = "ANONYMOUS"
RATES: Final = tuple(3.0**level for level in reversed(range(8)))
SIZE: Final = 60 * 3**7
"""About what is produced and fetched."""
NO_SHARE, ANY_SHARE = 1e-9, 1e9


def large() -> bytes:
    return batch(b"x" * SIZE)


def levels(client: str) -> list[Entity]:
    """What a quota can be set for that concerns a client, the most specific first."""
    users: tuple[Entity, ...] = ({USER: ANONYMOUS}, {USER: None})
    of_users = [{**user, **more} for user in users for more in ({CLIENT: client}, {CLIENT: None}, {})]
    return [*of_users, {CLIENT: client}, {CLIENT: None}]


def change(play: Play, topic: Topic, key: str, values: Iterable[tuple[Entity, float | None]]) -> None:
    """Sets one kind of quota for several entities, and waits until all hold; None removes one."""
    entries = [
        {
            "entity": [{"entityType": kind, "entityName": name} for kind, name in entity.items()],
            "ops": [{"key": key, "value": value or 0.0, "remove": value is None}],
        }
        for entity, value in values
    ]
    answer = play.quiet(QUOTAS, 1, entries=entries, validateOnly=False)
    if refused := [entry for entry in answer["entries"] if entry["errorCode"]]:
        raise AssertionError(f"not set: {refused}")
    play.settle(topic)


def level_of(answer: Body) -> Any:
    """The level whose quota makes the client wait so long. Those of a user share what was counted, twice as much at most."""
    throttle_ms = answer["throttleTimeMs"]
    if throttle_ms == 0:
        return {"level": None}
    return {"level": math.floor(math.log((throttle_ms / 1e3 + 10) / (SIZE / RATES[0]), 3) + 0.18)}


def precedence(api: str, key: str) -> None:
    def play_it(play: Play) -> None:
        topic = play.topic()
        play.quiet("Produce", 9, **to(Topic(topic.name, ""), large()))
        body = to(Topic(topic.name, ""), large()) if api == "Produce" else {**of(topic, 0), "sessionEpoch": -1}
        for first in range(len(RATES) + 1):
            # Nothing was counted for it yet.
            client = play.named(f"client-{first}")
            given = list(zip(levels(client), RATES, strict=True))
            change(
                play, topic, key, [(entity, None if at < first else rate) for at, (entity, rate) in enumerate(given)]
            )
            play.ask(api, 9, on=play.connect(), client=client, label=f"from {first} on", keep=level_of, **body)
            change(play, topic, key, [(entity, None) for entity, _ in given])

    register("quotas_precedence", f"{api.lower()}", play_it)


precedence("Produce", "producer_byte_rate")
precedence("Fetch", "consumer_byte_rate")


# Nobody waits longer than a window for time, so that each level is asked for alone: with what is less specific against it.
@case
def request_percentage(play: Play) -> None:
    topic = play.topic()
    own: Entity = {USER: ANONYMOUS, CLIENT: "behaviour"}
    key = "request_percentage"
    # The suite itself goes on as it likes.
    change(play, topic, key, [(own, ANY_SHARE)])
    for label, value, others in (("allows", ANY_SHARE, NO_SHARE), ("forbids", NO_SHARE, ANY_SHARE)):
        for first in range(len(RATES)):
            client = play.named(f"{label}-{first}")
            given = list(enumerate(levels(client)))
            change(
                play, topic, key,
                [(entity, None if at < first else value if at == first else others) for at, entity in given],
            )  # fmt: skip
            play.ask(
                "ListGroups", 3, on=play.connect(), client=client, label=f"{label} {first}", keep=throttle_of,
            )  # fmt: skip
            change(play, topic, key, [(entity, None) for _, entity in given])
    change(play, topic, key, [(own, None)])


# A quota says nothing of what it does not name, and leaves it to a less specific one.
@case
def each_kind_for_itself(play: Play) -> None:
    topic = play.topic()
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), large()))
    client = play.named("client")
    both: Entity = {USER: ANONYMOUS, CLIENT: client}
    change(play, topic, "consumer_byte_rate", [(both, RATES[0])])
    change(play, topic, "producer_byte_rate", [({CLIENT: client}, RATES[2])])
    try:
        produce, fetch = to(Topic(topic.name, ""), large()), {**of(topic, 0), "sessionEpoch": -1}
        play.ask("Produce", 9, on=play.connect(), client=client, keep=level_of, **produce)
        play.ask("Fetch", 9, on=play.connect(), client=client, keep=level_of, **fetch)
    finally:
        change(play, topic, "consumer_byte_rate", [(both, None)])
        change(play, topic, "producer_byte_rate", [({CLIENT: client}, None)])


def waits(answer: Body) -> Any:
    """Whether the client has to wait."""
    return {"waits": answer["throttleTimeMs"] > 0}


# Little is produced, since all of it counts for the user, of whom other cases ask as well.
@case
def clients_without_a_name(play: Play) -> None:
    topic = play.topic()
    body = to(Topic(topic.name, ""), big())
    key = "producer_byte_rate"
    entities: tuple[Entity, ...] = (
        {CLIENT: None},
        {USER: None, CLIENT: None},
        {USER: ANONYMOUS, CLIENT: None},
        {USER: None},
    )
    for entity in entities:
        change(play, topic, key, [(entity, 1.0)])
        label = " and ".join(f"{kind} {name or 'by default'}" for kind, name in entity.items())
        play.ask("Produce", 9, on=play.connect(), client="", label=label, keep=waits, **body)
        change(play, topic, key, [(entity, None)])


@case
def addresses(play: Play) -> None:
    topic = play.topic()
    key = "connection_creation_rate"
    named, others = {IP: "127.0.0.1"}, {IP: None}
    rows: dict[str, tuple[float | None, float | None]] = {
        "by default few": (None, 1.0),
        "by name many": (1_000.0, 1.0),
        "by name few": (1.0, 1_000.0),
        "by default many": (None, 1_000.0),
    }
    try:
        for label, (by_name, by_default) in rows.items():
            change(play, topic, key, [(named, by_name), (others, by_default)])
            connections = [play.connect() for _ in range(20)]
            play.tell(label, "ApiVersions", {"all are served": all(is_served(one) for one in connections)})
    finally:
        change(play, topic, key, [(named, None), (others, None)])
