"""The broker's options: Kafka's names, types, defaults and ranges, from keywords, `key=value` or properties files.

Every option of Kafka 4.3 is known (`controller/broker_options.py`). `EFFECTIVE` lists those that do something here; the
others are accepted, so that a `server.properties` of Kafka works, and reported by `BrokerOptions.ignored`; why they do
nothing is said in `not_applicable.py`. Options that would change what a client may rely on, and are not built, are
refused when set (`_REFUSED`).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from barnabas.broker.metadata_snapshots import SnapshotOptions
from barnabas.controller.broker_options import KAFKA_OPTIONS
from barnabas.controller.config_key import ConfigKey, ConfigValue, InvalidConfigValue
from barnabas.controller.configs import broker_topic_defaults
from barnabas.controller.settings import ControllerSettings
from barnabas.controller.topic_options import BROKER_SYNONYMS, TOPIC_OPTIONS
from barnabas.coordinator.settings import ConsumerSettings, GroupSettings
from barnabas.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BROKER_OPTIONS", "EFFECTIVE", "EMBEDDED_DEFAULTS", "OWN_OPTIONS", "BrokerOptions"]

_OWN_KEYS = (
    ConfigKey("barnabas.api.versions.as", "STRING", None, None, None, ("2.1", "2.4", "3.0", "3.9")),
    ConfigKey("barnabas.helper.threads", "INT", "2", 1, 64),
    ConfigKey("barnabas.metrics.listen", "STRING", None),
    ConfigKey("barnabas.open.files", "INT", "4096", 16),
    ConfigKey("barnabas.send", "STRING", "sendfile", None, None, ("sendfile", "buffered")),
    ConfigKey("barnabas.slow.append.us", "INT", "200", 0, 60_000_000),
    ConfigKey("barnabas.validation", "STRING", "header", None, None, ("header", "full")),
)
"""Our own options carry the prefix `barnabas.`."""

OWN_OPTIONS: dict[str, ConfigKey] = {key.name: key for key in _OWN_KEYS}

BROKER_OPTIONS: dict[str, ConfigKey] = {**KAFKA_OPTIONS, **OWN_OPTIONS}

EMBEDDED_DEFAULTS: dict[str, str] = {
    "listeners": "PLAINTEXT://127.0.0.1:0",
    "group.initial.rebalance.delay.ms": "0",
}
"""Where `Broker()` differs from `barnabas broker`: any free port on this machine only, and a first consumer that is not
made to wait for others. Without `data_dir` it also keeps its data in a temporary directory that is never flushed and is
removed when the broker is closed."""

_DEFAULTS_OF_ONE_NODE: dict[str, str] = {
    "node.id": "1",
    "offsets.topic.replication.factor": "1",
}
"""Where both differ from Kafka's built-in defaults, as Kafka's own example `server.properties` does: one node can hold
one replica."""

_CORE_OPTIONS = (
    "auto.create.topics.enable",
    "barnabas.helper.threads",
    "barnabas.open.files",
    "barnabas.send",
    "barnabas.slow.append.us",
    "barnabas.validation",
    "connections.max.idle.ms",
    "controller.quota.window.num",
    "controller.quota.window.size.seconds",
    "fetch.max.bytes",
    "internal.metadata.delete.delay.millis",
    "internal.metadata.log.segment.bytes",
    "log.cleaner.backoff.ms",
    "log.cleaner.dedupe.buffer.size",
    "log.cleaner.enable",
    "log.cleaner.io.buffer.load.factor",
    "log.cleaner.io.buffer.size",
    "log.cleaner.io.max.bytes.per.second",
    "log.cleaner.threads",
    "log.flush.offset.checkpoint.interval.ms",
    "log.flush.scheduler.interval.ms",
    "log.initial.task.delay.ms",
    "log.retention.check.interval.ms",
    "max.connection.creation.rate",
    "max.connections",
    "max.connections.per.ip",
    "max.connections.per.ip.overrides",
    "max.incremental.fetch.session.cache.slots",
    "max.request.partition.size.limit",
    "metadata.log.segment.bytes",
    "metadata.log.segment.ms",
    "num.partitions",
    "num.recovery.threads.per.data.dir",
    "producer.id.expiration.ms",
    "queued.max.request.bytes",
    "queued.max.requests",
    "quota.window.num",
    "quota.window.size.seconds",
    "socket.listen.backlog.size",
    "socket.receive.buffer.bytes",
    "socket.request.max.bytes",
    "socket.send.buffer.bytes",
)
"""What the data plane reads."""

_LOG_OPTIONS_OF_THE_BROKER = ("barnabas.validation", "producer.id.expiration.ms")
"""What logs read though no topic can set it."""

_EFFECTIVE_TOPIC_OPTIONS = (
    "cleanup.policy",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.type",
    "compression.zstd.level",
    "delete.retention.ms",
    "file.delete.delay.ms",
    "flush.messages",
    "flush.ms",
    "index.interval.bytes",
    "max.compaction.lag.ms",
    "max.message.bytes",
    "message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.type",
    "min.cleanable.dirty.ratio",
    "min.compaction.lag.ms",
    "min.insync.replicas",
    "preallocate",
    "retention.bytes",
    "retention.ms",
    "segment.bytes",
    "segment.index.bytes",
    "segment.jitter.ms",
    "segment.ms",
)
"""Topic options that change what the log does; the others are kept and described."""

EFFECTIVE = frozenset(
    {
        *(name for option in _EFFECTIVE_TOPIC_OPTIONS for name, _ in BROKER_SYNONYMS[option]),
        *_CORE_OPTIONS,
        "advertised.listeners",
        "barnabas.api.versions.as",
        "barnabas.metrics.listen",
        "broker.id",
        "broker.rack",
        "controller.listener.names",
        "controller.quorum.voters",
        "default.replication.factor",
        "delete.topic.enable",
        "group.consumer.assignment.interval.ms",
        "group.consumer.assignors",
        "group.consumer.heartbeat.interval.ms",
        "group.consumer.max.size",
        "group.consumer.max.assignment.interval.ms",
        "group.consumer.max.heartbeat.interval.ms",
        "group.consumer.max.session.timeout.ms",
        "group.consumer.migration.policy",
        "group.consumer.min.assignment.interval.ms",
        "group.consumer.min.heartbeat.interval.ms",
        "group.consumer.min.session.timeout.ms",
        "group.consumer.session.timeout.ms",
        "group.coordinator.rebalance.protocols",
        "group.initial.rebalance.delay.ms",
        "group.max.session.timeout.ms",
        "group.max.size",
        "group.min.session.timeout.ms",
        "listener.security.protocol.map",
        "listeners",
        "log.dir",
        "log.dirs",
        "metadata.log.max.record.bytes.between.snapshots",
        "metadata.log.max.snapshot.interval.ms",
        "metadata.max.retention.bytes",
        "metadata.max.retention.ms",
        "node.id",
        "num.network.threads",
        "offset.metadata.max.bytes",
        "offsets.retention.check.interval.ms",
        "offsets.retention.minutes",
        "offsets.topic.num.partitions",
        "offsets.topic.replication.factor",
        "offsets.topic.segment.bytes",
        "process.roles",
        "telemetry.max.bytes",
    },
)

_REFUSED: dict[str, str] = {
    "authorizer.class.name": "this broker has no access control",
    "remote.log.storage.system.enable": "this broker has no tiered storage",
}

PLAINTEXT = "PLAINTEXT"
_PROTOCOLS = frozenset({"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"})

Endpoint = tuple[str, str, int]


class BrokerOptions:
    """Checked options. Build with `parse`.

    Attributes:
        texts: What was set, as text, by Kafka's names.
        listeners: Where to listen for clients.
        advertised: Where clients are told to connect; empty for the same places.
        cluster_id: Filled in when the data directory is known.
        warnings: What the user should be told, once.
    """

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.cluster_id = ""
        self.warnings: list[str] = []
        for name in texts:
            self.value(name)
        _check_roles(self)
        _check_replication(self)
        _check_limits(self)
        _check_metadata_dir(self)
        self.listeners, skipped = _listeners(self, "listeners")
        self.advertised, _ = _listeners(self, "advertised.listeners")
        unknown = {name for name, _, _ in self.advertised} - {name for name, _, _ in self.listeners}
        if unknown:
            raise ConfigError(f"advertised.listeners: {', '.join(sorted(unknown))} is not one of the listeners")
        if skipped:
            self.warnings.append(f"the controller listener ({', '.join(skipped)}) is not opened: one node needs none")

    @classmethod
    def parse(cls, given: Mapping[str, Any], defaults: Mapping[str, str] | None = None) -> BrokerOptions:
        """Checks options by their dotted names or by the same names with underscores.

        Raises:
            ConfigError: A name is not known (the message names the nearest one), a value is out of range, or an option
                is known but not built.
        """
        texts = {**_DEFAULTS_OF_ONE_NODE, **(defaults or {})}
        for name, value in given.items():
            key = _key(name)
            if key.name in _REFUSED and _text(value) not in ("", "false", key.default):
                raise ConfigError(f"{key.name} is not supported: {_REFUSED[key.name]}")
            if value is not None:
                texts[key.name] = _text(value)
        return cls(texts)

    def value(self, name: str) -> ConfigValue | None:
        """Returns an option's value, set or default; None if it has none.

        Raises:
            ConfigError: It was set to something that it does not accept.
        """
        key = _key(name)
        text = self.texts.get(name, key.default)
        try:
            return None if text is None else key.parse(text)
        except InvalidConfigValue as error:
            raise ConfigError(str(error)) from None

    def number(self, name: str) -> int:
        """Returns an option that is a whole number."""
        value = self.value(name)
        if not isinstance(value, int):
            raise ConfigError(f"{name} has no value")
        return value

    @property
    def node_id(self) -> int:
        """This broker's id."""
        return self.number("node.id")

    @property
    def rack(self) -> str | None:
        """Where this broker stands."""
        rack = self.value("broker.rack")
        return rack if isinstance(rack, str) else None

    @property
    def data_dirs(self) -> list[str]:
        """Where the logs are kept."""
        dirs = self.value("log.dirs") or self.value("log.dir")
        return list(dirs) if isinstance(dirs, list) else []

    @property
    def ignored(self) -> list[str]:
        """Options that were set and have no effect here."""
        return sorted(
            name
            for name, text in self.texts.items()
            if _base(name) not in EFFECTIVE and text != _key(name).default and name not in _QUIET
        )

    def topic_defaults(self) -> dict[str, str]:
        """Returns the topic options that broker options decide."""
        return broker_topic_defaults(self.texts)

    def log_defaults(self) -> dict[str, str]:
        """Returns what logs go by where a topic sets nothing itself."""
        defaults = {key.name: key.default for key in TOPIC_OPTIONS.values() if key.default is not None}
        of_the_broker = {name: str(BROKER_OPTIONS[name].default) for name in _LOG_OPTIONS_OF_THE_BROKER}
        of_the_broker.update({name: self.texts[name] for name in _LOG_OPTIONS_OF_THE_BROKER if name in self.texts})
        return {**defaults, **self.topic_defaults(), **of_the_broker}

    def controller_settings(self) -> ControllerSettings:
        """Returns what the controller has to know."""
        return ControllerSettings(
            partition_count=self.number("num.partitions"),
            replication_factor=self.number("default.replication.factor"),
            delete_topic_enable=bool(self.value("delete.topic.enable")),
            static_options={**self.texts, "broker.id": str(self.node_id)},
            own_options=OWN_OPTIONS,
            node_id=self.node_id,
            quorum_endpoints=_quorum_endpoints(self),
        )

    def snapshot_options(self) -> SnapshotOptions:
        """Returns when the metadata log gets a snapshot, and how much of it is kept."""
        return SnapshotOptions(
            bytes_between=self.number("metadata.log.max.record.bytes.between.snapshots"),
            interval_ms=self.number("metadata.log.max.snapshot.interval.ms"),
            retention_bytes=self.number("metadata.max.retention.bytes"),
            retention_ms=self.number("metadata.max.retention.ms"),
        )

    def group_settings(self) -> GroupSettings:
        """Returns what the group coordinators have to know."""
        return GroupSettings(
            session_timeout_ms_min=self.number("group.min.session.timeout.ms"),
            session_timeout_ms_max=self.number("group.max.session.timeout.ms"),
            initial_rebalance_delay_ms=self.number("group.initial.rebalance.delay.ms"),
            group_size_max=self.number("group.max.size"),
            offset_metadata_max_size=self.number("offset.metadata.max.bytes"),
            offsets_retention_ms=self.number("offsets.retention.minutes") * 60_000,
            offsets_check_interval_ms=self.number("offsets.retention.check.interval.ms"),
        )

    def consumer_settings(self) -> ConsumerSettings:
        """Returns what the group coordinators have to know about groups of KIP-848."""
        return ConsumerSettings(
            session_timeout_ms=self.number("group.consumer.session.timeout.ms"),
            heartbeat_interval_ms=self.number("group.consumer.heartbeat.interval.ms"),
            assignment_interval_ms=self.number("group.consumer.assignment.interval.ms"),
            group_size_max=self.number("group.consumer.max.size"),
            assignors=self._assignors(),
            migration_policy=str(self.value("group.consumer.migration.policy")).lower(),
            is_enabled="consumer" in str(self.value("group.coordinator.rebalance.protocols")),
            session_timeout_ms_range=self._bounds("session.timeout"),
            heartbeat_interval_ms_range=self._bounds("heartbeat.interval"),
            assignment_interval_ms_range=self._bounds("assignment.interval"),
        )

    def _bounds(self, what: str) -> tuple[int, int]:
        least, most = (self.number(f"group.consumer.{end}.{what}.ms") for end in ("min", "max"))
        return least, most

    def _assignors(self) -> tuple[str, ...]:
        names = self.value("group.consumer.assignors")
        found = tuple(names) if isinstance(names, list) else ()
        unknown = [name for name in found if name not in ("uniform", "range")]
        if unknown or not found:
            raise ConfigError(
                f"group.consumer.assignors={','.join(found)}: this broker has uniform and range; name one or both"
            )
        return found

    def offsets_topic(self) -> tuple[int, int, dict[str, str]]:
        """Returns (partitions, replication factor, options) of `__consumer_offsets`."""
        options = {
            "cleanup.policy": "compact",
            "compression.type": "producer",
            "segment.bytes": str(self.number("offsets.topic.segment.bytes")),
        }
        return (
            self.number("offsets.topic.num.partitions"),
            self.number("offsets.topic.replication.factor"),
            options,
        )

    def told_endpoints(self, bound: list[Endpoint], changed: list[Endpoint]) -> list[Endpoint]:
        """Returns what clients are told: of the listeners that are open all, or those that are advertised if any are.

        Args:
            bound: (listener, host, port) of what is open, with the advertised host and port.
            changed: The listeners as options ask for them that were set after an earlier start; empty without such.
        """
        if self.advertised:
            names = {name for name, _, _ in self.advertised}
            return [endpoint for endpoint in bound if endpoint[0] in names]
        hosts = {name: _own_host() for name, host, _ in changed or self.listeners if not host}
        return [(name, hosts.get(name, host), port) for name, host, port in bound]

    @property
    def inter_broker_listener(self) -> str:
        """The listener that brokers would use among themselves; without a word about it Kafka's is PLAINTEXT."""
        name = str(self.value("inter.broker.listener.name") or PLAINTEXT).upper()
        names = [listener for listener, _, _ in self.listeners]
        return name if name in names else names[0]

    def core_options(self) -> dict[str, str]:
        """Returns the options that the data plane reads."""
        texts = {name: self.texts.get(name, BROKER_OPTIONS[name].default) for name in _CORE_OPTIONS}
        of_listeners = {name: text for name, text in self.texts.items() if _base(name) != name}
        return {**{name: text for name, text in texts.items() if text is not None}, **of_listeners}


_QUIET = frozenset(
    {
        "controller.listener.names",
        "controller.quorum.bootstrap.servers",
        "controller.quorum.voters",
        "inter.broker.listener.name",
        "listener.security.protocol.map",
        "metadata.log.dir",
        "process.roles",
        "transaction.state.log.min.isr",
        "transaction.state.log.replication.factor",
    },
)
"""Set in nearly every `server.properties`, and true of one node anyway."""


_OF_LISTENER = re.compile(r"listener\.name\.[a-z0-9_-]+\.(max\.connections|max\.connection\.creation\.rate)")


def _base(name: str) -> str:
    """Returns the option that one of a single listener is called after; other names as they are."""
    found = _OF_LISTENER.fullmatch(name)
    return name if found is None else found[1]


def _key(name: str) -> ConfigKey:
    base = _base(name)
    if base != name:
        # What is not set for a listener is what is set for all.
        return BROKER_OPTIONS[base]._replace(name=name)
    dotted = name if name in BROKER_OPTIONS else _BY_KEYWORD.get(name, name)
    key = BROKER_OPTIONS.get(dotted)
    if key is not None:
        return key
    import difflib  # noqa: PLC0415 - only to help after a mistake

    spelled = name.replace("_", ".")
    nearest = difflib.get_close_matches(spelled, [*BROKER_OPTIONS, *_OTHER_NAMES], n=1, cutoff=0.6)
    hint = f"; did you mean {_OTHER_NAMES.get(nearest[0], nearest[0])}?" if nearest else ""
    raise ConfigError(f"unknown broker option {name!r}{hint}")


_OTHER_NAMES = {"data.dir": "data_dir (option log.dirs)", "port": "listeners", "host": "listeners"}
"""What users may write for options that are called otherwise."""
_BY_KEYWORD = {name.replace(".", "_"): name for name in BROKER_OPTIONS}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value)
    return str(value)


def _check_roles(options: BrokerOptions) -> None:
    node_id = options.value("node.id")
    voters = options.value("controller.quorum.voters")
    for voter in voters if isinstance(voters, list) else []:
        if voter.partition("@")[0] != str(node_id):
            raise ConfigError(
                f"controller.quorum.voters names another node ({voter}): this broker is a cluster of one node",
            )
    roles = options.value("process.roles")
    if isinstance(roles, list) and roles and "broker" not in roles:
        raise ConfigError("process.roles must contain broker: a controller of its own is not supported")


def _check_limits(options: BrokerOptions) -> None:
    """As `KafkaConfig.validateValues`."""
    bytes_max, frame_max = options.number("queued.max.request.bytes"), options.number("socket.request.max.bytes")
    if 0 < bytes_max < frame_max:
        raise ConfigError(
            f"queued.max.request.bytes is {bytes_max}: a request may have {frame_max} bytes (socket.request.max.bytes)"
        )
    if options.number("max.connections.per.ip") == 0 and not options.value("max.connections.per.ip.overrides"):
        raise ConfigError("max.connections.per.ip is 0: nobody could connect without max.connections.per.ip.overrides")
    protocols = options.value("group.coordinator.rebalance.protocols")
    if isinstance(protocols, list) and "classic" not in protocols:
        raise ConfigError("group.coordinator.rebalance.protocols must have classic, which cannot be disabled")


def _check_metadata_dir(options: BrokerOptions) -> None:
    asked, first = options.value("metadata.log.dir"), next(iter(options.data_dirs), None)
    if isinstance(asked, str) and first is not None and os.path.normpath(asked) != os.path.normpath(first):
        raise ConfigError(f"metadata.log.dir is {asked}: the metadata log is kept in the first of log.dirs, {first}")


def _check_replication(options: BrokerOptions) -> None:
    for name in ("default.replication.factor", "offsets.topic.replication.factor"):
        if options.number(name) > 1:
            raise ConfigError(f"{name} is {options.number(name)}: this broker is a cluster of one node, set it to 1")


def _listeners(options: BrokerOptions, option: str) -> tuple[list[Endpoint], list[str]]:
    texts = options.value(option)
    controllers = options.value("controller.listener.names")
    controller_names = set(controllers) if isinstance(controllers, list) else set()
    protocols = _protocol_map(options)
    endpoints: list[Endpoint] = []
    skipped = []
    for text in texts if isinstance(texts, list) else []:
        name, endpoint = _parse_listener(text, option)
        if name in controller_names:
            skipped.append(text)
            continue
        protocol = protocols.get(name, name)
        if protocol != PLAINTEXT:
            why = "is not supported: only PLAINTEXT is" if protocol in _PROTOCOLS else "has no security protocol"
            raise ConfigError(f"{option}: listener {name} {why}")
        if any(name == other for other, _, _ in endpoints):
            raise ConfigError(f"{option}: two listeners are called {name}")
        endpoints.append(endpoint)
    if option == "listeners" and not endpoints:
        raise ConfigError("listeners: no listener for clients")
    return endpoints, skipped


def _quorum_endpoints(options: BrokerOptions) -> tuple[Endpoint, ...]:
    """Returns where other controllers would reach this node, which opens no port for them.

    As advertised, else as listened on. Without a word about it the port is 0: each voter of a quorum has an address.
    """
    controllers = options.value("controller.listener.names")
    names = controllers if isinstance(controllers, list) and controllers else ["CONTROLLER"]
    for option in ("advertised.listeners", "listeners"):
        texts = options.value(option)
        parsed = [_parse_listener(text, option)[1] for text in texts] if isinstance(texts, list) else []
        found = tuple((name, host or _own_host(), port) for name, host, port in parsed if name in names)
        if found:
            return found
    return ((names[0], "localhost", 0),)


def _parse_listener(text: str, option: str) -> tuple[str, Endpoint]:
    name, separator, address = text.partition("://")
    host, colon, port = address.rpartition(":")
    port_limit = 65_535
    if not (separator and name and colon and port.isdigit() and int(port) <= port_limit):
        raise ConfigError(f"{option}: {text!r} is not NAME://host:port, such as PLAINTEXT://127.0.0.1:9092")
    name = name.upper()
    return name, (name, host.strip("[]"), int(port))


def _protocol_map(options: BrokerOptions) -> dict[str, str]:
    texts = options.value("listener.security.protocol.map")
    items = texts if isinstance(texts, list) else str(texts or "").split(",")
    pairs = (item.partition(":") for item in items if item)
    return {name.strip().upper(): protocol.strip().upper() for name, _, protocol in pairs}


def _own_host() -> str:
    """Returns a name of this machine that resolves here, for a listener on all interfaces."""
    import socket  # noqa: PLC0415 - not for a listener with a host

    host = socket.gethostname()
    try:
        socket.getaddrinfo(host, None)
    except OSError:
        return "localhost"
    return host
