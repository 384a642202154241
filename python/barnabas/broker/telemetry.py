"""Clients' metrics (KIP-714): who is subscribed to what, what a client may push and when, and what was pushed.

As Kafka's `ClientMetricsManager`. Instances are soft state: a client that another broker knew is taken up at its next
request. What was pushed is shown beside the broker's own metrics as long as its client lives.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.broker import core
from barnabas.broker.ids import fresh_uuid
from barnabas.broker.otlp import InvalidPayload, Sample, decode_metrics
from barnabas.controller.client_metrics_options import CLIENT_METRICS_OPTIONS
from barnabas.controller.image import CLIENT_METRICS_RESOURCE
from barnabas.errors import (
    InvalidRecordError,
    InvalidRequestError,
    TelemetryTooLargeError,
    ThrottlingQuotaExceededError,
    UnknownSubscriptionIdError,
    UnsupportedCompressionTypeError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.controller.image import Image

__all__ = ["COMPRESSION_TYPES", "ClientTelemetry", "Instance", "Subscriber", "java_hash", "subscription_id"]

INSTANCES_MAX = 16_384
EXPIRY_MS_MIN = 60_000
INTERVAL_MS_DEFAULT = 300_000
SERIES_PER_INSTANCE_MAX = 2_000
DECOMPRESSED_BYTES_MAX = 16 * 1024 * 1024
COMPRESSION_TYPES = [4, 3, 1, 2]
"""What is taken, the best first: zstd, lz4, gzip, snappy."""
_CODECS = {0: "none", 1: "gzip", 2: "snappy", 3: "lz4", 4: "zstd"}
_RESERVED = (bytes(16), bytes(15) + b"\1")
_ALL_METRICS = "*"


class Subscriber(NamedTuple):
    """What `match` of a subscription may ask of a client."""

    client_id: str
    client_instance_id: str
    client_software_name: str
    client_software_version: str
    client_source_address: str
    client_source_port: str


class _Subscription(NamedTuple):
    metrics: tuple[str, ...]
    interval_ms: int
    match: Mapping[str, re.Pattern[str]]

    def is_for(self, client: Subscriber) -> bool:
        return all(pattern.fullmatch(getattr(client, name)) for name, pattern in self.match.items())


class Instance:
    """One client, as long as it asks and pushes."""

    def __init__(self, instance_id: bytes, client: Subscriber) -> None:
        self.instance_id = instance_id
        self.client = client
        self.metrics: list[str] = []
        self.interval_ms = INTERVAL_MS_DEFAULT
        self.subscription_id = 0
        self.version = -1
        self.asked_ms = self.pushed_ms = float("-inf")
        self.is_terminating = False
        self.may_ask_again = False
        self.expires_ms = 0.0
        self.connection_id = -1
        self.series: dict[tuple[str, tuple[tuple[str, str], ...]], Sample] = {}

    def may_ask(self, now_ms: float) -> bool:
        """Whether it may ask for its subscription again; then this counts as having done so."""
        if now_ms - max(self.asked_ms, self.pushed_ms) < self.interval_ms:
            return self.may_ask_again
        self.asked_ms = now_ms
        return True

    def may_push(self, now_ms: float) -> bool:
        """Whether it may push: once after each question, because clients spread their first push, then as agreed."""
        if self.asked_ms <= self.pushed_ms and now_ms - self.pushed_ms < self.interval_ms:
            return False
        self.pushed_ms = now_ms
        return True

    def keep(self, samples: list[Sample]) -> None:
        """Keeps what was pushed: the last value, or the sum of what was added."""
        for sample in samples:
            key = sample.name, sample.labels
            old = self.series.get(key)
            if old is None and len(self.series) >= SERIES_PER_INSTANCE_MAX:
                continue
            self.series[key] = sample._replace(value=old.value + sample.value) if old and sample.is_delta else sample


class ClientTelemetry:
    """All clients that push metrics.

    Args:
        bytes_max: `telemetry.max.bytes`.
    """

    def __init__(self, bytes_max: int) -> None:
        self.bytes_max = bytes_max
        self.instances: OrderedDict[bytes, Instance] = OrderedDict()
        self._by_connection: dict[int, bytes] = {}
        self._subscriptions: list[_Subscription] = []
        self._version = -1
        self.refused: dict[str, int] = {}
        """Error's name -> how often."""
        self.pushes = 0

    # What clients ask.

    def subscribe(
        self, instance_id: bytes, client: Subscriber, connection_id: int, image: Image, now_ms: float
    ) -> tuple[int, Instance | None]:
        """Answers GetTelemetrySubscriptions: (error code, the instance unless it is refused)."""
        if instance_id == bytes(16):
            instance_id = fresh_uuid()
        instance = self._instance(instance_id, client, connection_id, image, now_ms)
        if not instance.may_ask(now_ms):
            return self._refuse(ThrottlingQuotaExceededError), None
        instance.may_ask_again = False
        return 0, instance

    def push(self, message: Any, client: Subscriber, connection_id: int, image: Image, now_ms: float) -> int:
        """Takes a PushTelemetry; returns its error code."""
        instance_id = bytes(message.client_instance_id)
        if instance_id in _RESERVED:
            return self._refuse(InvalidRequestError)
        instance = self._instance(instance_id, client, connection_id, image, now_ms)
        refused = self._refused(instance, message, now_ms)
        instance.is_terminating = message.terminating
        # Whoever has to be told anew how to push need not wait for it.
        instance.may_ask_again = refused in (UnknownSubscriptionIdError, UnsupportedCompressionTypeError)
        if refused is not None:
            return self._refuse(refused)
        if message.metrics:
            try:
                instance.keep(decode_metrics(_decompressed(message)))
            except InvalidPayload:
                return self._refuse(InvalidRecordError)
        self.pushes += 1
        return 0

    def _refused(self, instance: Instance, message: Any, now_ms: float) -> type[Any] | None:
        if instance.is_terminating:
            return InvalidRequestError
        if not instance.may_push(now_ms) and not message.terminating:
            return ThrottlingQuotaExceededError
        if message.subscription_id != instance.subscription_id:
            return UnknownSubscriptionIdError
        if message.compression_type not in _CODECS:
            return UnsupportedCompressionTypeError
        if len(message.metrics or b"") > self.bytes_max:
            return TelemetryTooLargeError
        return None

    def _refuse(self, error: type[Any]) -> int:
        self.refused[error.__name__.removesuffix("Error")] = (
            self.refused.get(error.__name__.removesuffix("Error"), 0) + 1
        )
        return int(error.code)

    # Whom it knows.

    def _instance(
        self, instance_id: bytes, client: Subscriber, connection_id: int, image: Image, now_ms: float
    ) -> Instance:
        self._expire(now_ms)
        self._look_at(image)
        instance = self.instances.get(instance_id)
        if instance is None or instance.version != self._version:
            # As in Kafka, who is subscribed to something else begins anew, and may ask at once.
            series = {} if instance is None else instance.series
            instance = Instance(instance_id, client._replace(client_instance_id=uuid_text(instance_id)))
            instance.series = series
            self._match(instance)
            self.instances[instance_id] = instance
            if len(self.instances) > INSTANCES_MAX:
                self.instances.popitem(last=False)
        self.instances.move_to_end(instance_id)
        instance.connection_id = connection_id
        self._by_connection[connection_id] = instance_id
        instance.expires_ms = now_ms + max(EXPIRY_MS_MIN, 3 * instance.interval_ms)
        return instance

    def _match(self, instance: Instance) -> None:
        matching = [one for one in self._subscriptions if one.is_for(instance.client)]
        metrics = sorted({name for one in matching for name in one.metrics})
        instance.metrics = [_ALL_METRICS] if _ALL_METRICS in metrics else metrics
        instance.interval_ms = min([INTERVAL_MS_DEFAULT, *(one.interval_ms for one in matching)])
        instance.subscription_id = subscription_id(instance.metrics, instance.interval_ms, instance.instance_id)
        instance.version = self._version

    def _look_at(self, image: Image) -> None:
        if image.client_metrics_version == self._version:
            return
        self._version = image.client_metrics_version
        configs = (values for (kind, _), values in image.configs.items() if kind == CLIENT_METRICS_RESOURCE)
        self._subscriptions = [_subscription(values) for values in configs]

    def _expire(self, now_ms: float) -> None:
        # Those not heard of for longest stand first; who has a long interval may keep others behind it a little.
        while self.instances:
            first = next(iter(self.instances.values()))
            if first.expires_ms > now_ms:
                return
            self._forget(first)

    def disconnected(self, connection_id: int) -> None:
        """A connection is gone, and with it the client that used it last."""
        instance = self.instances.get(self._by_connection.pop(connection_id, b""))
        if instance is not None and instance.connection_id == connection_id:
            self._forget(instance)

    def _forget(self, instance: Instance) -> None:
        self.instances.pop(instance.instance_id, None)
        if self._by_connection.get(instance.connection_id) == instance.instance_id:
            del self._by_connection[instance.connection_id]

    # What is shown.

    def exposition(self) -> str:
        """Returns what clients have pushed, as Prometheus' text."""
        families: dict[str, list[str]] = {}
        kinds: dict[str, str] = {}
        for instance in list(self.instances.values()):
            of_client = (
                ("client_instance_id", instance.client.client_instance_id),
                ("client_id", instance.client.client_id),
            )
            for sample in list(instance.series.values()):
                name = re.sub(r"[^a-zA-Z0-9_]", "_", sample.name)
                kinds.setdefault(name, "counter" if sample.is_counter else "gauge")
                labels = ",".join(
                    f'{_label(key)}="{_escaped(text)}"'
                    for key, text in {**dict(sample.labels), **dict(of_client)}.items()
                )
                families.setdefault(name, []).append(f"{name}{{{labels}}} {sample.value:g}\n")
        return "".join(f"# TYPE {name} {kinds[name]}\n{''.join(lines)}" for name, lines in sorted(families.items()))


def _subscription(values: Mapping[str, str]) -> _Subscription:
    def listed(name: str) -> list[str]:
        value = CLIENT_METRICS_OPTIONS[name].parse(values.get(name, ""))
        return value if isinstance(value, list) else []

    pairs = (item.partition("=") for item in listed("match"))
    match = {name.strip(): re.compile(pattern.strip()) for name, _, pattern in pairs}
    return _Subscription(tuple(listed("metrics")), int(values.get("interval.ms", INTERVAL_MS_DEFAULT)), match)


def _decompressed(message: Any) -> bytes:
    name = _CODECS[message.compression_type]
    try:
        return core.decompress(name, bytes(message.metrics), DECOMPRESSED_BYTES_MAX)
    except ValueError as error:
        raise InvalidPayload(str(error)) from None


def subscription_id(metrics: list[str], interval_ms: int, instance_id: bytes) -> int:
    """Names what a client is subscribed to: CRC32C of metrics and interval, mixed with the hash of its id."""
    checksum = core.crc32c(f"[{', '.join(metrics)}]{interval_ms}".encode())
    mixed = (checksum ^ java_hash(instance_id)) & 0xFFFF_FFFF
    return mixed - (1 << 32) if mixed >> 31 else mixed


def java_hash(uuid: bytes) -> int:
    """Returns `hashCode` of Kafka's `Uuid`, as 32 bits."""
    both = int.from_bytes(uuid[:8], "big") ^ int.from_bytes(uuid[8:], "big")
    return (both >> 32 ^ both) & 0xFFFF_FFFF


def uuid_text(uuid: bytes) -> str:
    """Returns Kafka's text of a UUID."""
    import binascii  # noqa: PLC0415 - as in `ids`

    return binascii.b2a_base64(uuid, newline=False).decode().rstrip("=").replace("+", "-").replace("/", "_")


def _label(name: str) -> str:
    name = re.sub(r"[^a-zA-Z0-9_]", "_", name) or "_"
    return f"_{name}" if name[0].isdigit() else name


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
