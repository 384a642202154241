"""ApiVersions, requests of versions that are not there, and frames that are no requests."""

from __future__ import annotations

import struct

from behaviour.cases import Body, Play, case
from behaviour.cases.metadata import only_mine
from behaviour.wire import KEYS

API = "ApiVersions"
CLIENT = {"clientSoftwareName": "suite", "clientSoftwareVersion": "1.0"}


def head(key: int, version: int, client: bytes | None = b"c", *, flexible: bool = False) -> bytes:
    """The header of a request."""
    name = struct.pack(">h", -1) if client is None else struct.pack(">h", len(client)) + client
    return struct.pack(">hhi", key, version, 1) + name + b"\0" * flexible


def known_alike(answer: Body) -> Body:
    """Leaves out the APIs that this suite has a list of, `served`, and tells features by their names."""
    features = {
        field: {one["name"]: one for one in answer[field]}
        for field in ("supportedFeatures", "finalizedFeatures")
        if field in answer
    }
    return {**answer, **features, "apiKeys": "see the case `served`"}


@case
def every_version(play: Play) -> None:
    for version in play.versions(API):
        play.ask(API, version, keep=known_alike, on=play.connect(), **CLIENT)


@case
def served(play: Play) -> None:
    """The ranges of versions of all APIs, with those that this broker does not serve declared."""
    for version in (0, 3, 4):
        play.ask(API, version, on=play.connect(), keep=as_map, **CLIENT)


def as_map(answer: Body) -> Body:
    names = {key: name for name, key in KEYS.items()}
    return {names[one["apiKey"]]: [one["minVersion"], one["maxVersion"]] for one in answer["apiKeys"]}


@case
def versions_that_are_not_there(play: Play) -> None:
    """Answered in version 0, so that a client of any age can read what there is."""
    for version in (5, 6, 99, 32_767):
        play.frame(head(18, version), (API, 0), label=f"version {version}", keep=known_alike)
        play.frame(
            head(18, version, flexible=True) + b"\x05junk", (API, 0), label=f"version {version}, more", keep=known_alike
        )


@case
def negative_versions(play: Play) -> None:
    for version in (-1, -32_768):
        play.frame(head(18, version), (API, 0), label=f"version {version}", keep=known_alike)


@case
def clients_without_a_proper_name(play: Play) -> None:
    for version in (3, 4):
        for name in ("", " ", "a b", "-a", "a-", "ü", "a" * 300, "a.b-c_d", "a_"):
            fields = {"clientSoftwareName": name, "clientSoftwareVersion": "1"}
            play.ask(API, version, label=f"name {name!r:.9}", keep=known_alike, on=play.connect(), **fields)
            fields = {"clientSoftwareName": "a", "clientSoftwareVersion": name}
            play.ask(API, version, label=f"version {name!r:.9}", keep=known_alike, on=play.connect(), **fields)


@case
def again_on_the_same_connection(play: Play) -> None:
    for version in (4, 0, 3):
        play.ask(API, version, keep=known_alike, **CLIENT)


@case
def after_other_requests(play: Play) -> None:
    play.ask("Metadata", 9, topics=[])
    play.ask(API, 4, keep=known_alike, **CLIENT)


@case
def other_apis_at_versions_that_are_not_there(play: Play) -> None:
    for api, low, high in (
        ("Produce", 2, 14), ("Fetch", 3, 19), ("ListOffsets", 0, 12), ("Metadata", -1, 14), ("OffsetCommit", 1, 11),
        ("JoinGroup", -1, 10), ("CreateTopics", 1, 8), ("DescribeConfigs", 0, 5), ("OffsetForLeaderEpoch", 1, 5),
        ("DescribeCluster", -1, 3), ("InitProducerId", -1, 7),
    ):  # fmt: skip
        for version in (low, high, 32_767):
            play.frame(head(KEYS[api], version) + bytes(32), (API, 0), label=f"{api} v{version}")


@case
def apis_that_are_not_there(play: Play) -> None:
    for key in (4, 5, 6, 7, 93, 999, 32_767, -1):
        play.frame(head(key, 0) + bytes(32), (API, 0), label=f"key {key}")


@case
def apis_of_controllers(play: Play) -> None:
    for api in (
        "Vote",
        "BeginQuorumEpoch",
        "EndQuorumEpoch",
        "AlterPartition",
        "BrokerRegistration",
        "BrokerHeartbeat",
    ):
        play.frame(head(KEYS[api], 0) + bytes(64), (API, 0), label=api)


@case
def frames_that_are_no_requests(play: Play) -> None:
    for label, frame in {
        "empty": b"",
        "one byte": b"\0",
        "half a header": head(18, 0)[:6],
        "no body where one is due": head(3, 9, flexible=True),
        "a client id longer than the frame": head(18, 0)[:8] + b"\x7f\xff",
        "garbage": b"\xff" * 40,
        "a varint without end": head(3, 9, flexible=True) + b"\xff" * 12,
    }.items():
        play.frame(frame, (API, 0), label=label)


@case
def counts_that_are_none(play: Play) -> None:
    for label, count in {"2^31": b"\x7f\xff\xff\xff", "-2": b"\xff\xff\xff\xfe", "10^6": b"\x00\x0f\x42\x40"}.items():
        play.frame(head(3, 1) + count, ("Metadata", 1), label=label, keep=only_mine(play))


@case
def clients_without_an_id(play: Play) -> None:
    for client in (None, b"", b"\xff\xfe", b"x" * 1_000):
        play.frame(head(18, 0, client), (API, 0), label=f"{client!r:.9}", keep=known_alike)
        play.frame(
            head(18, 3, client, flexible=True) + b"\x02a\x021\0", (API, 3), label=f"{client!r:.9}", keep=known_alike
        )


@case
def bytes_behind_a_request(play: Play) -> None:
    play.frame(head(18, 0) + b"more", (API, 0), label="v0", keep=known_alike)
    play.frame(head(3, 1) + struct.pack(">i", 0) + b"more", ("Metadata", 1), label="Metadata")


@case
def tagged_fields_that_nobody_knows(play: Play) -> None:
    tagged = b"\x02\x2a\x03abc\x64\x00"
    frame = struct.pack(">hhih", 18, 3, 1, 1) + b"c" + tagged + b"\x02a\x021" + tagged
    play.frame(frame, (API, 3), label="in header and body", keep=known_alike)
    frame = struct.pack(">hhih", 18, 3, 1, 1) + b"c" + b"\x02\x64\x00\x2a\x00" + b"\x02a\x021\0"
    play.frame(frame, (API, 3), label="out of order", keep=known_alike)
