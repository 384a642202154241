"""Clients' metrics (KIP-714): what a client is told to push, and which pushes are refused.

Neither broker advertises these APIs here: ours does with a port for metrics, the reference with a plug-in that takes them. Both
answer who asks all the same. What is inside of a push is the plug-in's to judge.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from typing import TYPE_CHECKING, Any, Final

from behaviour.cases import Body, Play, case
from behaviour.cases.bodies import NO_ID

if TYPE_CHECKING:
    from behaviour.cases import Topic
    from behaviour.play import Connection

ASK: Final = "GetTelemetrySubscriptions"
PUSH: Final = "PushTelemetry"
CLIENT_METRICS: Final = 16
GZIP: Final = 1
BYTES_MAX: Final = 1 << 20
ONE_ID: Final = "AAAAAAAAAAAAAAAAAAAAAQ"
TIMES_MS: Final = {"interval_ms": "3600000"}
"""Nobody may ask or push a second time before the case is over."""


def instance(play: Play, label: str) -> str:
    """An id of a client of this case."""
    return base64.urlsafe_b64encode(hashlib.md5(play.named(label).encode(), usedforsecurity=False).digest())[
        :22
    ].decode()


def subscribe(play: Play, mark: Topic, subscriptions: dict[str, dict[str, str | None]]) -> None:
    """Sets options of subscriptions of this case, and waits until they hold; None removes one."""
    resources = [
        {
            "resourceType": CLIENT_METRICS,
            "resourceName": play.named(name),
            "configs": [
                {"name": key.replace("_", "."), "configOperation": int(value is None), "value": value}
                for key, value in options.items()
            ],
        }
        for name, options in subscriptions.items()
    ]
    answer = play.quiet("IncrementalAlterConfigs", 1, resources=resources)
    if refused := [one for one in answer["responses"] if one["errorCode"]]:
        raise AssertionError(f"not subscribed: {refused}")
    play.settle(mark)


def unsubscribe(play: Play, mark: Topic, subscriptions: dict[str, dict[str, str | None]]) -> None:
    subscribe(play, mark, {name: dict.fromkeys(options) for name, options in subscriptions.items()})


def of_client(asked: str) -> Any:
    """What an answer tells apart from a made-up id, and from the number that is mixed with it."""

    def keep(answer: Body) -> Any:
        own = answer["clientInstanceId"]
        who = "nobody" if own == NO_ID else "as asked" if own == asked else "made up"
        mixed = base64.urlsafe_b64decode(f"{own}==")
        halves = int.from_bytes(mixed[:8], "big") ^ int.from_bytes(mixed[8:], "big")
        # Kafka takes the sum of metrics and interval with the hash of the id.
        rest = (answer["subscriptionId"] ^ halves ^ halves >> 32) & 0xFFFF_FFFF
        return {
            **answer,
            "clientInstanceId": who,
            "subscriptionId": rest if len(answer["requestedMetrics"]) < 2 else None,
        }

    return keep


def asked_by(play: Play, label: str, client: str, instance_id: str, on: Connection | None = None) -> Body:
    return play.ask(
        ASK, 0, on=on or play.connect(), client=client, label=label, keep=of_client(instance_id), clientInstanceId=instance_id,
    )  # fmt: skip


@case
def nobody_is_subscribed(play: Play) -> None:
    own, other = instance(play, "own"), instance(play, "other")
    asked_by(play, "without an id", "c", NO_ID)
    told = asked_by(play, "with an id", "c", own)
    asked_by(play, "again", "c", own)
    for label in ("a push", "another"):
        play.ask(PUSH, 0, label=label, clientInstanceId=own, subscriptionId=told["subscriptionId"], metrics=b"")
    play.ask(PUSH, 0, label="by whom nobody knows", clientInstanceId=other, subscriptionId=1, metrics=b"")


@case
def options_of_a_subscription(play: Play) -> None:
    mark, client = play.topic(), play.named("client")
    subscriptions = {
        "all": {"match": f"client_id={client}-all", "metrics": "*", "interval_ms": "60000"},
        "all-too": {"match": f"client_id={client}-all", "metrics": "org.apache", "interval_ms": "600000"},
        "some": {"match": f"client_id={client}-some", "metrics": "org.apache.kafka.producer.,b"},
        "one": {"match": f"client_id={client}-one", "metrics": "a", "interval_ms": "100"},
        "none": {"match": f"client_id={client}-none", "metrics": "", "interval_ms": "200000"},
        "late": {"match": f"client_id={client}-late", "metrics": "a", "interval_ms": "3600000"},
        "only-an-interval": {"match": f"client_id={client}-only", "interval_ms": "1000"},
    }
    subscribe(play, mark, subscriptions)
    try:
        for name in ("all", "some", "one", "none", "late", "only", "nobody"):
            own = instance(play, name)
            asked_by(play, name, f"{client}-{name}", own)
    finally:
        unsubscribe(play, mark, subscriptions)


# One of each that asks for something of the client; the metrics say which were for it.
@case
def who_matches(play: Play) -> None:
    mark, client = play.topic(), play.named("client")
    own = instance(play, "own")
    patterns = {
        "id": f"client_id={client}",
        "id-in-part": f"client_id={client[:-2]}",
        "id-as-pattern": f"client_id={client[:-2]}.*",
        "instance": f"client_instance_id={own}",
        "software": "client_software_name=suite",
        "software-of-others": "client_software_name=other",
        "version": "client_software_version=1[.].*",
        "versions-of-others": "client_software_version=2.*",
        "address": "client_source_address=127[.]0[.]0[.]1",
        "address-of-others": "client_source_address=10.*",
        "port": "client_source_port=[0-9]+",
        "port-of-others": "client_source_port=0",
        "both": f"client_id={client},client_software_name=suite",
        "one-of-both": f"client_id={client},client_software_name=other",
    }
    only_here = f"client_instance_id={own}"
    subscriptions: dict[str, dict[str, str | None]] = {
        name: {"match": pattern if "instance" in pattern else f"{pattern},{only_here}", "metrics": f"m.{name}"}
        for name, pattern in patterns.items()
    }
    subscribe(play, mark, subscriptions)
    try:
        connection = play.connect()
        play.ask(
            "ApiVersions", 3, on=connection, keep=lambda told: told["errorCode"], clientSoftwareName="suite",
            clientSoftwareVersion="1.2",
        )  # fmt: skip
        asked_by(play, "all that match", client, own, connection)
    finally:
        unsubscribe(play, mark, subscriptions)


@case
def changed_subscriptions(play: Play) -> None:
    mark, client, own = play.topic(), play.named("client"), instance(play, "own")
    match: dict[str, str | None] = {"match": f"client_id={client}"}
    subscribe(play, mark, {"s": {**match, "metrics": "a", **TIMES_MS}})
    try:
        first = asked_by(play, "first", client, own)
        asked_by(play, "too early", client, own)
        subscribe(play, mark, {"s": {**match, "metrics": "b", **TIMES_MS}})
        play.ask(
            PUSH, 0, client=client, label="what it was told before", clientInstanceId=own,
            subscriptionId=first["subscriptionId"], metrics=b"",
        )  # fmt: skip
        asked_by(play, "told anew", client, own)
    finally:
        unsubscribe(play, mark, {"s": {**match, "metrics": "b", **TIMES_MS}})
    asked_by(play, "nothing any more", client, own)


REFUSED: Final[dict[str, Body]] = {
    "nothing": {"metrics": b""},
    "compressed": {"metrics": gzip.compress(b"", mtime=0), "compressionType": GZIP},
    "no subscription's number": {"subscriptionId": 1, "metrics": b""},
    "an unknown codec": {"metrics": b"x", "compressionType": 9},
    "a negative codec": {"metrics": b"x", "compressionType": -1},
    "an unknown codec of nothing": {"metrics": b"", "compressionType": 9},
    "too much": {"metrics": bytes(BYTES_MAX + 1)},
    "too much, with no subscription's number": {"subscriptionId": 1, "metrics": bytes(BYTES_MAX + 1)},
    "too much, by an unknown codec": {"metrics": bytes(BYTES_MAX + 1), "compressionType": 9},
    "no id": {"clientInstanceId": NO_ID, "metrics": b""},
    "a reserved id": {"clientInstanceId": ONE_ID, "metrics": b""},
    "the last one": {"metrics": b"", "terminating": True},
}


@case
def pushes(play: Play) -> None:
    mark, client = play.topic(), play.named("client")
    subscription = {"s": {"match": f"client_id={client}", "metrics": "*", **TIMES_MS}}
    subscribe(play, mark, subscription)
    try:
        for label, fields in REFUSED.items():
            own = instance(play, label)
            told = asked_by(play, f"before {label}", client, own)
            body = {"clientInstanceId": own, "subscriptionId": told["subscriptionId"], **fields}
            play.ask(PUSH, 0, client=client, label=label, **body)
            asked_by(play, f"asks again after {label}", client, own)
            after = {"clientInstanceId": own, "subscriptionId": told["subscriptionId"], "metrics": b""}
            play.ask(PUSH, 0, client=client, label=f"another after {label}", **after)
            play.ask(PUSH, 0, client=client, label=f"the last one after {label}", **after, terminating=True)
            play.ask(PUSH, 0, client=client, label=f"one more after {label}", **after)
    finally:
        unsubscribe(play, mark, subscription)


# Who did not ask may push once, if it knows its number.
@case
def pushes_without_asking(play: Play) -> None:
    own = instance(play, "own")
    for label in ("first", "second"):
        play.ask(PUSH, 0, label=label, clientInstanceId=own, subscriptionId=7, metrics=b"")
    asked_by(play, "asks then", "c", own)
