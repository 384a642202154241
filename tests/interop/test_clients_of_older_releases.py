"""Foreign clients against a broker that serves no more than an older release of Kafka."""

from __future__ import annotations

import pytest
from foreign_clients import CONSUME, PRODUCE

import barnabas
from barnabas.protocol.releases import RELEASES

COUNT = 200
CLIENTS = ("confluent-kafka", "kafka-python", "aiokafka")


@pytest.mark.parametrize("release", sorted(RELEASES))
@pytest.mark.parametrize("client", CLIENTS)
def test_every_foreign_client_works_with_every_age(client: str, release: str) -> None:
    records = [(f"key-{number % 7}".encode(), f"value {number}".encode()) for number in range(COUNT)]
    with barnabas.Broker(barnabas_api_versions_as=release) as broker:
        broker.requests.record(100_000)
        with barnabas.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([barnabas.NewTopic("t", num_partitions=2)])
        PRODUCE[client](broker.bootstrap_servers, "t", records, "none")
        found = CONSUME[client](broker.bootstrap_servers, "t", "g", COUNT)
        seen = broker.requests_seen()
    assert sorted(found) == sorted(records)
    newest = {"Produce": RELEASES[release][0][0][1], "Fetch": RELEASES[release][0][1][1]}
    for api, limit in newest.items():
        versions = {request.version for request in seen if request.api == api}
        assert versions
        assert max(versions) <= limit
