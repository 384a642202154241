"""A broker that serves no more than an older release of Kafka: what it says, what it refuses, and clients in between."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from raw_client import API_VERSIONS, RawClient

from barnabas import Broker, Consumer, Producer
from barnabas.broker.handlers import HANDLERS
from barnabas.errors import ConfigError
from barnabas.protocol import codec
from barnabas.protocol.messages.api_versions import ApiVersionsRequest
from barnabas.protocol.messages.metadata import MetadataRequest
from barnabas.protocol.releases import RELEASES

PRODUCE, FETCH, METADATA, DESCRIBE_CLUSTER, CONSUMER_GROUP_HEARTBEAT = 0, 1, 3, 60, 68
UNSUPPORTED_VERSION = 35
releases = pytest.mark.parametrize("release", sorted(RELEASES))


# Figures from the releases' own protocol guides.
def test_the_table_is_what_the_releases_say() -> None:
    newest = {name: {key: high for key, (_, high) in apis.items()} for name, (apis, _) in RELEASES.items()}
    assert {name: (of[PRODUCE], of[FETCH], of[METADATA], of[API_VERSIONS]) for name, of in newest.items()} == {
        "2.1": (7, 10, 7, 2),
        "2.4": (8, 11, 9, 3),
        "3.0": (9, 12, 11, 3),
        "3.9": (11, 17, 12, 4),
    }
    assert DESCRIBE_CLUSTER not in newest["2.4"]
    assert DESCRIBE_CLUSTER in newest["3.0"]
    assert RELEASES["3.9"][1]["metadata.version"] == (1, 21)


@releases
def test_what_is_advertised_is_what_both_serve(release: str) -> None:
    table, features = RELEASES[release]
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        ours = client.versions()
    with Broker(barnabas_api_versions_as=release) as broker, RawClient(broker.bootstrap_servers) as client:
        version = min(4, table[API_VERSIONS][1])
        answer = client.ask(ApiVersionsRequest(client_software_name="raw", client_software_version="1"), version)
    capped = {api.api_key: (api.min_version, api.max_version) for api in answer.api_keys}
    both = {
        key: (max(low, table[key][0]), min(high, table[key][1])) for key, (low, high) in ours.items() if key in table
    }
    assert capped == {key: (low, high) for key, (low, high) in both.items() if low <= high}
    assert capped[PRODUCE][0] == 0
    assert {feature.name for feature in answer.supported_features} <= features.keys()
    assert all(level.max_version_level <= features[level.name][1] for level in answer.finalized_features)


# An unknown version of ApiVersions is answered in version 0: since 2.4 with the range that is known (KIP-511), before
# with nothing. Everything else above the cap closes the connection.
@releases
def test_what_is_above_the_cap_is_refused_as_the_release_does(release: str) -> None:
    table, _ = RELEASES[release]
    with Broker(barnabas_api_versions_as=release) as broker:
        with RawClient(broker.bootstrap_servers) as client:
            name = b"raw"
            version = table[API_VERSIONS][1] + 1
            client.send_frame(
                struct.pack(f">hhih{len(name)}s", API_VERSIONS, version, 9, len(name), name) + b"\0\2a\2b\0"
            )
            frame = client.receive_frame()
            answer: Any = codec.decode(codec.response_class(API_VERSIONS), 0, frame[4:])
            named = [(api.api_key, api.min_version, api.max_version) for api in answer.api_keys]
            assert struct.unpack(">i", frame[:4]) == (9,)
            assert answer.error_code == UNSUPPORTED_VERSION
            assert named == ([] if release == "2.1" else [(API_VERSIONS, 0, version - 1)])
            # The connection goes on with a version that is known.
            assert client.ask(ApiVersionsRequest(), 0).error_code == 0
        newest = table[METADATA][1]
        with RawClient(broker.bootstrap_servers) as client:
            assert client.ask(MetadataRequest(topics=[]), newest).brokers
            if newest < MetadataRequest.VERSIONS[1]:
                client.send(MetadataRequest(topics=[]), newest + 1)
                assert client.closed()
        unknown = [key for key in HANDLERS if key not in table]
        for key in unknown[:3]:
            with RawClient(broker.bootstrap_servers) as client:
                client.send(codec.request_class(key)())
                assert client.closed()


@releases
def test_our_clients_work_with_it(release: str) -> None:
    with Broker(barnabas_api_versions_as=release) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(100):
                producer.send("t", b"%d" % number, key=b"k")
            producer.flush()
        options: dict[str, Any] = {"auto_offset_reset": "earliest", "group_id": "g"}
        with Consumer("t", bootstrap_servers=broker.bootstrap_servers, **options) as consumer:
            found: list[bytes | None] = []
            while len(found) < 100:
                found += consumer.poll(timeout=10.0).values()
            consumer.commit()
        assert found == [b"%d" % number for number in range(100)]


def test_a_release_that_is_not_known_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"2\.1"):
        Broker(barnabas_api_versions_as="2.2")
