"""A key goes to the partition that Kafka's own producer would choose: 100,000 random keys, through every way of sending."""

import random
from pathlib import Path

import pyarrow as pa
import pytest
from reference_kafka import java

import barnabas
from barnabas.columns.codecs import murmur2

KEYS = 100_000
COUNTS = (1, 2, 3, 13, 64, 1000)
SENT = 13
"""As many partitions has the topic that is sent to."""
PROGRAM = Path(__file__).parent / "Partitions.java"


@pytest.mark.interop
def test_random_keys_go_where_java_puts_them(our_broker: str, unique: str, tmp_path: Path):
    seed = random.SystemRandom().randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)  # noqa: S311 - a seeded test
    keys = [chance.randbytes(min(int(chance.expovariate(0.05)), 500)) for _ in range(KEYS)]
    path = tmp_path / "keys"
    path.write_bytes(b"".join(len(key).to_bytes(4, "big") + key for key in keys))
    done = java(str(PROGRAM), str(path), *map(str, COUNTS), timeout=120)
    assert done.returncode == 0, done.stderr
    expected = {
        count: [int(number) for number in line.split()]
        for count, line in zip(COUNTS, done.stdout.splitlines(), strict=True)
    }
    assert all(len(partitions) == KEYS for partitions in expected.values())
    for count, partitions in expected.items():
        assert [(murmur2(key) & 0x7FFF_FFFF) % count for key in keys] == partitions, count
    with barnabas.Admin(bootstrap_servers=our_broker) as admin:
        admin.create_topics([barnabas.NewTopic(unique, num_partitions=SENT)])
    with barnabas.Producer(bootstrap_servers=our_broker) as producer:
        table = producer.send_table(unique, pa.table({"key": pa.array(keys, pa.binary()), "value": [b""] * KEYS}))
        many = producer.send_many(unique, [b""] * KEYS, keys=keys)
        single = [producer.send(unique, b"", key=key) for key in keys[:10_000]]
        for found in (table.result(60), many.result(60)):
            assert [metadata.partition for metadata in found] == expected[SENT]
        assert [delivery.result(60).partition for delivery in single] == expected[SENT][: len(single)]
