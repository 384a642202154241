"""How a quota is held: `python benches/compare/quotas.py [--quick] [--reference]` writes `benches/results/quotas.json`.

A client with a quota of 10 MB/s sends 100 KB batches as fast as its answers let it, over two connections; another client
without a quota sends one record at a time beside it. Measured at the broker: bytes that the limited client got in over
30 s from its first request on, and over 30 s after the first window; and the other client's latency, in turns alone,
beside the limited client, and beside the same load without a quota. `--reference` measures the reference Kafka beside it,
`--quick` is for a look.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from admin import append_to_each, create
from brokers import Barnabas, Broker, Reference
from figures import Measurement, Row, at_most, report
from raw_client import RawClient, record_batch

from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from barnabas.protocol.messages.produce import ProduceRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

RESULTS = Path(__file__).parents[1] / "results" / "quotas.json"
LIMIT = 10e6
BATCH_BYTES = 100_000
CONNECTIONS = 2
LIMITED = "limited"
PATIENCE_S = 120.0
UNAFFECTED = 1.25
"""What a p99 of 500 requests may differ by from one run to the next."""


def new_topic(client: RawClient, name: str) -> bytes:
    """A topic of one partition that takes appends already."""
    topic_id = create(client, name, 1)
    append_to_each(client, name, topic_id, 1)
    return topic_id


def set_quota(client: RawClient, rate: float | None) -> None:
    shape = AlterClientQuotasRequest
    op = shape.OpData(key="producer_byte_rate", value=rate or 0.0, remove=rate is None)
    entity = [shape.EntityData(entity_type="client-id", entity_name=LIMITED)]
    (entry,) = client.ask(shape(entries=[shape.EntryData(entity=entity, ops=[op])])).entries
    if entry.error_code:
        raise SystemExit(f"no quota: {entry.error_code} {entry.error_message}")


class Flood:
    """Connections of the limited client, each in a thread; keeps when how many bytes were acknowledged."""

    def __init__(self, address: str, topic: str, topic_id: bytes) -> None:
        self.acknowledged: list[tuple[float, int]] = []
        self.throttled_ms: list[int] = []
        self.failure: BaseException | None = None
        self._over = threading.Event()
        data = ProduceRequest.PartitionProduceData(index=0, records=record_batch([b"x" * BATCH_BYTES]))
        topics = [ProduceRequest.TopicProduceData(name=topic, topic_id=topic_id, partition_data=[data])]
        self._request = ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=topics)
        self._threads = [threading.Thread(target=self._run, args=(address,), daemon=True) for _ in range(CONNECTIONS)]

    def __enter__(self) -> Self:
        self.begin = time.perf_counter()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(PATIENCE_S)
        if self.failure is not None:
            raise self.failure

    def _run(self, address: str) -> None:
        try:
            with RawClient(address, client_id=LIMITED, timeout=PATIENCE_S) as client:
                while not self._over.is_set():
                    answer = client.ask(self._request)
                    assert answer.responses[0].partition_responses[0].error_code == 0
                    self.acknowledged.append((time.perf_counter() - self.begin, BATCH_BYTES))
                    self.throttled_ms.append(answer.throttle_time_ms)
        except BaseException as error:  # noqa: BLE001 - told at the end
            self.failure = error

    def rate(self, since: float, until: float) -> float:
        """Bytes per second between two moments, in seconds from the first request."""
        return sum(size for at, size in list(self.acknowledged) if since <= at < until) / (until - since)


@contextlib.contextmanager
def flooded(broker: Broker, topic: str, topic_id: bytes, *, is_flooded: bool) -> Iterator[Flood | None]:
    if not is_flooded:
        yield None
        return
    with Flood(broker.address, topic, topic_id) as flood:
        yield flood


def latencies(client: RawClient, topic: str, topic_id: bytes, seconds: float) -> dict[str, float]:
    """One record at a time, a hundred a second."""
    data = ProduceRequest.PartitionProduceData(index=0, records=record_batch([b"x" * 100]))
    topics = [ProduceRequest.TopicProduceData(name=topic, topic_id=topic_id, partition_data=[data])]
    request = ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=topics)
    times = []
    until = time.perf_counter() + seconds
    while (begin := time.perf_counter()) < until:
        answer = client.ask(request)
        if answer.throttle_time_ms:
            raise SystemExit("the other client is throttled")
        times.append((time.perf_counter() - begin) * 1e6)
        time.sleep(0.01)
    times.sort()
    return {"p50_us": statistics.median(times), "p99_us": times[int(len(times) * 0.99)], "requests": len(times)}


def held(broker: Broker, admin: RawClient, seconds: float) -> dict[str, Any]:
    """The rate that the limited client gets."""
    topic_id = new_topic(admin, "held")
    set_quota(admin, LIMIT)
    first_window = min(12.0, seconds / 2)
    with Flood(broker.address, "held", topic_id) as flood:
        time.sleep(first_window + seconds)
    found = {
        "limit": LIMIT,
        "over_s": seconds,
        "from_the_beginning": flood.rate(0, seconds),
        "after_the_first_window": flood.rate(first_window, first_window + seconds),
        "each_second": [flood.rate(second, second + 1) for second in range(int(first_window + seconds))],
        "answers": len(flood.throttled_ms),
        "throttled_answers": sum(ms > 0 for ms in flood.throttled_ms),
    }
    set_quota(admin, None)
    return found


def others(broker: Broker, admin: RawClient, seconds: float, runs: int) -> dict[str, Any]:
    """The other client's latency, in turns: alone, beside a limited client, beside one without limit."""
    flood_id, own_id = new_topic(admin, "flooded"), new_topic(admin, "own")
    found: dict[str, list[dict[str, float]]] = {"alone": [], "beside_limited": [], "beside_unlimited": []}
    with RawClient(broker.address, client_id="other", timeout=PATIENCE_S) as client:
        for run in range(-1, runs):
            for name, kept in found.items():
                set_quota(admin, LIMIT if name == "beside_limited" else None)
                with flooded(broker, "flooded", flood_id, is_flooded=name != "alone"):
                    if name == "beside_limited":
                        # What may be used at once has been used and waited for, so that its bytes come evenly.
                        time.sleep(2.4 * seconds)
                    measured = latencies(client, "own", own_id, seconds)
                if run >= 0:
                    kept.append(measured)
    set_quota(admin, None)
    medians = {
        name: {key: statistics.median(one[key] for one in all_runs) for key in all_runs[0]}
        for name, all_runs in found.items()
    }
    ratio = medians["beside_limited"]["p99_us"] / medians["alone"]["p99_us"]
    return {"median": medians, "p99_beside_limited_to_alone": ratio, "runs": found}


def found_of(kind: type[Broker], parent: Path, *, quick: bool) -> dict[str, Any]:
    """Both measurements of one broker."""
    seconds, pause, runs = (6.0, 1.0, 1) if quick else (30.0, 5.0, 5)
    # What may be used at once is what all windows allow together: fewer of them take less time to wait for.
    options = {"quota.window.num": "3"} if quick else None
    with kind(parent, options) as broker, RawClient(broker.address, timeout=PATIENCE_S) as admin:
        found = {"held": held(broker, admin, seconds), "others": others(broker, admin, pause, runs)}
    print(json.dumps({kind.name: found}), flush=True)
    return found


def rows_of(ours: dict[str, Any], reference: dict[str, Any] | None) -> list[Row]:
    def both(*path: str) -> tuple[float, float | None]:
        values: list[Any] = [ours, reference]
        for name in path:
            values = [value and value[name] for value in values]
        return values[0], values[1]

    rows = []
    for when in ("from_the_beginning", "after_the_first_window"):
        rate, their_rate = both("held", when)
        off = [value and abs(value / LIMIT - 1) * 100 for value in (rate, their_rate)]
        rows.append(at_most(f"a quota of 10 MB/s, {when.replace('_', ' ')}: off by", "%", off[0] or 0.0, 5.0, off[1]))
    for beside, unlike in (
        ("alone", "alone"),
        ("beside_limited", "beside the limited one"),
        ("beside_unlimited", "without a quota"),
    ):
        p99, their_p99 = both("others", "median", beside, "p99_us")
        rows.append(Row(f"another client, {unlike}: p99", "us", p99, their_p99))
    ratio, their_ratio = both("others", "p99_beside_limited_to_alone")
    rows.append(
        at_most("another client, beside the limited one: p99", "times that alone", ratio, UNAFFECTED, their_ratio)
    )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few seconds, results not kept")
    parser.add_argument("--reference", action="store_true", help="the reference Kafka, too")
    arguments = parser.parse_args()
    measurement = Measurement(["python", *sys.argv])
    with tempfile.TemporaryDirectory(prefix="barnabas-quotas-") as name:
        found = {
            kind.name: found_of(kind, Path(name), quick=arguments.quick)
            for kind in (Barnabas, *([Reference] if arguments.reference else []))
        }
    rows = rows_of(found["barnabas"], found.get("reference"))
    report("quotas", rows)
    if not arguments.quick:
        measurement.keep(RESULTS, "quotas", found, rows)


if __name__ == "__main__":
    main()
