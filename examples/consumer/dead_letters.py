"""A dead letter queue: what cannot be read, or handled after some tries, is set aside and does not block the rest.

Values that the deserializer refuses go to the dead letter topic by themselves. What the application fails on it sends
there itself, before it commits; so nothing is lost, and a crash in between makes a second letter at worst.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from barnabas import Broker, Consumer, Producer

if TYPE_CHECKING:
    from collections.abc import Callable

ATTEMPTS = 3


def run(
    bootstrap_servers: str, topic: str, group: str, handle: Callable[[Any], None], is_done: Callable[[], bool]
) -> None:
    """Handles JSON values until told to stop; what fails goes to `<topic>-dead`."""
    dead = f"{topic}-dead"
    with (
        Producer(bootstrap_servers=bootstrap_servers) as producer,
        Consumer(
            topic,
            bootstrap_servers=bootstrap_servers,
            group_id=group,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            value_deserializer=json.loads,
            barnabas_deserialization_failure="dead_letter",
            barnabas_dead_letter_topic=dead,
        ) as consumer,
    ):
        while not is_done():
            letters = []
            records = consumer.poll(timeout=0.2)
            for record in records:
                error = tried(handle, record.value)
                if error is not None:
                    headers = [*record.headers, ("error", repr(error).encode())]
                    letters.append(producer.send(dead, record.raw.value, key=record.key, headers=headers))
            for letter in letters:
                letter.result(timeout=30)
            if records:
                consumer.commit()


def tried(handle: Callable[[Any], None], value: Any) -> Exception | None:
    """Why a value could not be handled, None if it was."""
    error: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            handle(value)
        except Exception as failed:  # noqa: BLE001 - whatever the application raises
            error = failed
        else:
            return None
    return error


if __name__ == "__main__":
    with Broker() as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as sender:
            sender.send_many("orders", [b'{"total": 5}', b"no json", b'{"total": 0}'])
        quotients: list[float] = []
        polls = iter(range(10))
        run(
            broker.bootstrap_servers,
            "orders",
            "shop",
            lambda order: quotients.append(10 / order["total"]),
            lambda: next(polls, None) is None,
        )
        with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as reader:
            reader.assign([("orders-dead", 0)])
            print(quotients, sorted(value or b"" for value in reader.poll(timeout=5).values()))
