"""Metrics: the names, what they count, the port, and the page that lists them."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from raw_client import RawClient, record_batch
from test_broker import create

from barnabas import Broker
from barnabas.broker.metrics import CONTENT_TYPE, parse
from barnabas.errors import ConfigError

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
SAMPLE = re.compile(r'([a-z_]+)(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? (\S+)')


def families(text: str) -> dict[str, tuple[str, str]]:
    """Returns kind and help of each family, after checking that the text is what Prometheus reads."""
    helps: dict[str, str] = {}
    kinds: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            _, _, name, about = line.split(" ", 3)
            assert name not in helps, f"{name} twice"
            helps[name] = about
        elif line.startswith("# TYPE "):
            _, _, last, kind = line.split(" ")
            assert last in helps
            kinds[last] = kind
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            name = match[1]
            suffixes = ("_bucket", "_sum", "_count") if kinds[last] == "histogram" else ("",)
            assert name in {last + suffix for suffix in suffixes}, line
            float(match[4])
    assert text.endswith("\n")
    return {name: (kinds[name], helps[name]) for name in helps}


@pytest.fixture(name="scrape")
def busy_broker() -> str:
    with Broker(barnabas_metrics_listen="127.0.0.1:0") as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "t", 2).topic_id
        for _ in range(3):
            assert client.produce("t", topic_id, 1, record_batch([b"x" * 100]))[0] == 0
        client.fetch(topic_id, 1, 0)
        client.coordinator("g")
        url = f"http://{broker.metrics_address}/metrics"
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert answer.headers["Content-Type"] == CONTENT_TYPE
            text: str = answer.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://{broker.metrics_address}/secrets", timeout=20)
        assert parse(text).keys() <= broker.metrics().keys()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=20)
    return text


def test_values_are_what_was_done(scrape: str) -> None:
    values = parse(scrape)
    assert values['barnabas_request_duration_seconds_count{api="Produce"}'] == 3
    assert values['barnabas_request_duration_seconds_bucket{api="Produce",le="+Inf"}'] == 3
    assert values['barnabas_request_handling_seconds_count{api="Fetch"}'] == 1
    assert values['barnabas_request_bytes_total{api="Produce"}'] > 300
    assert values['barnabas_log_end_offset{topic="t",partition="1"}'] == 3
    assert values['barnabas_log_high_watermark{topic="t",partition="1"}'] == 3
    assert values['barnabas_log_end_offset{topic="t",partition="0"}'] == 0
    size = values['barnabas_log_size_bytes{topic="t",partition="1"}']
    assert size == values["barnabas_produce_bytes_total"] > 300
    assert values["barnabas_partitions_under_min_isr"] == values["barnabas_partitions_offline"] == 0
    assert values["barnabas_connections"] == 1
    assert values["barnabas_control_wait_seconds_count"] >= 2
    assert 0 < values["barnabas_control_wait_seconds_sum"] < 60
    assert values["barnabas_control_turn_seconds_count"] >= 1
    # Buckets only grow.
    pattern = re.compile(r'barnabas_request_duration_seconds_bucket\{api="Produce",le=')
    buckets = [value for name, value in values.items() if pattern.match(name)]
    assert buckets == sorted(buckets)


# https://prometheus.io/docs/practices/naming/
def test_names_follow_prometheus_conventions(scrape: str) -> None:
    for name, (kind, about) in families(scrape).items():
        assert name.startswith("barnabas_")
        assert (kind == "counter") == name.endswith("_total"), name
        assert kind in ("counter", "gauge", "histogram")
        assert not re.search(r"_(ms|us|millis|seconds_ms|kb|kib)(_|$)", name), name
        if kind == "histogram":
            assert name.endswith(("_seconds", "_bytes")), name
        assert about.endswith("."), about


def test_the_page_lists_every_metric(scrape: str) -> None:
    rows = re.findall(r"^\| `(barnabas_\w+)` \| (\w+) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {name: (kind, about.replace("\\|", "|")) for name, kind, about in rows}
    assert listed == families(scrape)


def test_a_partition_below_its_min_isr_is_counted() -> None:
    with Broker(min_insync_replicas=2) as broker, RawClient(broker.bootstrap_servers) as client:
        create(client, "t", 3)
        assert broker.metrics()["barnabas_partitions_under_min_isr"] >= 3


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="host:port"):
        Broker(barnabas_metrics_listen="9100")
