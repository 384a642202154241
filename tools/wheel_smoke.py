"""Proves an installed wheel in an empty environment: embedded, then as a server, from the standard library alone."""

import subprocess
import sys
import tempfile
from pathlib import Path

import barnabas

COUNT = 1000


def round_trip(address: str, topic: str) -> None:
    """Produces COUNT records and reads them back in a group."""
    values = [f"value {index}".encode() for index in range(COUNT)]
    with barnabas.Admin(bootstrap_servers=address) as admin:
        admin.create_topics([barnabas.NewTopic(topic, num_partitions=2)])
    with barnabas.Producer(bootstrap_servers=address, compression_type="lz4") as producer:
        for value in values:
            producer.send(topic, value)
        producer.flush()
    found: list[bytes] = []
    options = {"bootstrap_servers": address, "group_id": "smoke", "auto_offset_reset": "earliest"}
    with barnabas.Consumer(topic, **options) as consumer:
        for _ in range(30):
            found += consumer.poll(timeout=1.0).values()
            if len(found) >= COUNT:
                break
        consumer.commit()
    if sorted(found) != sorted(values):
        raise SystemExit(f"read {len(found)} records that differ from the {COUNT} written")


def served() -> None:
    """The `barnabas` command that the wheel installed serves, and stops when asked."""
    with tempfile.TemporaryDirectory() as directory:
        ready = Path(directory) / "ready"
        command = [str(Path(sys.executable).with_name("barnabas")), "broker", "--data-dir", f"{directory}/data"]
        command += ["--listen", "127.0.0.1:0", "--ready-file", str(ready)]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            print(server.stdout.readline().strip() if server.stdout else "")
            round_trip(ready.read_text().strip(), "served")
        finally:
            server.terminate()
            code = server.wait(30)
        if code != 0:
            raise SystemExit(f"barnabas broker ended with {code}")


def main() -> None:
    """Runs both."""
    with barnabas.Broker() as broker:
        round_trip(broker.bootstrap_servers, "embedded")
    served()
    print(f"wheel smoke: {COUNT} records through Broker() and through `barnabas broker`")


if __name__ == "__main__":
    main()
