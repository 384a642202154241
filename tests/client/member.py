"""A member of a group in a process of its own: reads values until told to stop, and says what it sees, a line each."""

import json
import sys

import barnabas


class Listener:
    """Says what the group gives and takes."""

    def on_partitions_assigned(self, partitions):
        say(assigned=[tuple(partition) for partition in partitions])

    def on_partitions_revoked(self, partitions):
        say(revoked=[tuple(partition) for partition in partitions])

    def on_partitions_lost(self, partitions):
        say(lost=[tuple(partition) for partition in partitions])


def say(**what: object) -> None:
    print(json.dumps(what), flush=True)


def main(address: str, topic: str, group: str, *options: str) -> None:
    given = dict(option.split("=", 1) for option in options)
    consumer = barnabas.Consumer(
        config={"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest"} | given
    )
    consumer.subscribe([topic], Listener())
    try:
        with consumer:
            while True:
                records = consumer.poll(timeout=0.2)
                if records:
                    say(records=[(record.partition, record.offset, record.value.decode()) for record in records])
    except KeyboardInterrupt:
        say(closed=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
