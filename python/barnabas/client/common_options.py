"""How a row of an option table is written, and the options that producer, consumer and admin share."""

from __future__ import annotations

from typing import Any, Final

from barnabas.config import REQUIRED, Alias, Kind, Option

__all__ = [
    "COMMON_ALIASES",
    "NO_METRIC_REPORTERS",
    "UNDERSTOOD_BY_JAVA_ONLY",
    "common",
    "flag",
    "integer",
    "later",
    "long",
    "option",
]

UNDERSTOOD_BY_JAVA_ONLY: Final = "it names Java classes; "
NO_TLS: Final = "only PLAINTEXT listeners are spoken so far"
NO_METRIC_REPORTERS: Final = "read the client's metrics() instead"


def option(name: str, kind: Kind, default: Any, doc: str, **rest: Any) -> Option:
    """A row of any kind."""
    return Option(name, kind, default, doc, **rest)


def flag(name: str, default: bool, doc: str, **rest: Any) -> Option:  # noqa: FBT001 - reads as a table row
    """A row that is true or false."""
    return Option(name, Kind.BOOLEAN, default, doc, **rest)


def integer(name: str, default: int, doc: str, low: int | None = 0, **rest: Any) -> Option:
    """A row of 32 bits."""
    return Option(name, Kind.INT, default, doc, low=low, **rest)


def long(name: str, default: int, doc: str, low: int | None = 0, **rest: Any) -> Option:
    """A row of 64 bits."""
    return Option(name, Kind.LONG, default, doc, low=low, **rest)


def later(name: str, kind: Kind, default: Any, reason: str) -> Option:
    """A row that Kafka has and this client does not, with what to do instead."""
    return Option(name, kind, default, "Not supported yet.", nullable=True, unsupported=reason)


_SECURITY_NAMES: Final = (
    *(
        f"sasl.{name}"
        for name in (
            "client.callback.handler.class",
            "jaas.config",
            "kerberos.kinit.cmd",
            "kerberos.service.name",
            "login.callback.handler.class",
            "login.class",
            "mechanism",
            "oauthbearer.token.endpoint.url",
            "username",
            "password",
        )
    ),
    *(
        f"ssl.{name}"
        for name in (
            "ca.location",
            "certificate.location",
            "cipher.suites",
            "enabled.protocols",
            "endpoint.identification.algorithm",
            "key.location",
            "key.password",
            "keystore.location",
            "keystore.password",
            "keystore.type",
            "protocol",
            "truststore.certificates",
            "truststore.location",
            "truststore.password",
            "truststore.type",
        )
    ),
    "security.providers",
)


def common(*, idle_ms: int) -> list[Option]:
    """The options that every client has."""
    return [
        option(
            "bootstrap.servers",
            Kind.LIST,
            REQUIRED,
            "Addresses (host:port) to find the cluster by; any live broker of the list is enough.",
        ),
        option("client.id", Kind.STRING, "", "A name for this client in the brokers' logs, metrics and quotas."),
        integer(
            "request.timeout.ms", 30_000, "How long to wait for the response to one request before it is tried again."
        ),
        long("retry.backoff.ms", 100, "First wait before a failed request is tried again; doubles, with jitter."),
        long("retry.backoff.max.ms", 1_000, "Longest wait before a failed request is tried again."),
        long("reconnect.backoff.ms", 50, "First wait before connecting to a broker again; doubles, with jitter."),
        long("reconnect.backoff.max.ms", 1_000, "Longest wait before connecting to a broker again."),
        long("connections.max.idle.ms", idle_ms, "A connection that was idle for so long is closed.", low=None),
        long("metadata.max.age.ms", 300_000, "Metadata is read again at least this often, errors or not."),
        option(
            "metadata.recovery.strategy",
            Kind.STRING,
            "rebootstrap",
            "What to do when no known broker answers: start again from bootstrap.servers.",
            choices=("rebootstrap", "none"),
        ),
        long(
            "metadata.recovery.rebootstrap.trigger.ms",
            300_000,
            "Starts again from bootstrap.servers, too, when no metadata came for so long; at least a second.",
        ),
        integer(
            "send.buffer.bytes",
            -1,
            "The sockets' send buffer; -1 leaves it to the system.",
            low=-1,
            differs="Kafka's 131072: a fixed size switches off the system's own sizing",
        ),
        integer(
            "receive.buffer.bytes",
            -1,
            "The sockets' receive buffer; -1 leaves it to the system.",
            low=-1,
            differs="Kafka's 65536: draining a topic over loopback needs 1.4 to 1.6 times the CPU with it",
        ),
        long("socket.connection.setup.timeout.ms", 10_000, "The limit for a connection to be set up.", low=None),
        long(
            "socket.connection.setup.timeout.max.ms",
            30_000,
            "The limit doubles with each attempt in a row that fails, with jitter, up to this.",
            low=None,
        ),
        option(
            "client.dns.lookup",
            Kind.STRING,
            "use_all_dns_ips",
            "All addresses of a host name are tried; or each address of a bootstrap server is, by its canonical name.",
            choices=("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"),
        ),
        option(
            "security.protocol",
            Kind.STRING,
            "PLAINTEXT",
            f"How brokers are spoken to; {NO_TLS}.",
            choices=("PLAINTEXT",),
        ),
        *(later(name, Kind.STRING, None, NO_TLS) for name in _SECURITY_NAMES),
        integer(
            "barnabas.max.response.bytes",
            268_435_456,
            "A response that claims to be longer is refused.",
            1_048_576,
            high=1_073_741_824,
            source="barnabas",
        ),
        later("config.providers", Kind.LIST, (), UNDERSTOOD_BY_JAVA_ONLY + "read secrets in your program"),
        later("metric.reporters", Kind.LIST, (), UNDERSTOOD_BY_JAVA_ONLY + NO_METRIC_REPORTERS),
        later("metrics.num.samples", Kind.INT, 2, NO_METRIC_REPORTERS),
        later("metrics.recording.level", Kind.STRING, "INFO", NO_METRIC_REPORTERS),
        later("metrics.sample.window.ms", Kind.LONG, 30_000, NO_METRIC_REPORTERS),
        later("enable.metrics.push", Kind.BOOLEAN, None, NO_METRIC_REPORTERS),
    ]


COMMON_ALIASES: Final = (
    Alias("metadata.broker.list", "bootstrap.servers"),
    Alias("socket.timeout.ms", "request.timeout.ms"),
    Alias("socket.send.buffer.bytes", "send.buffer.bytes"),
    Alias("socket.receive.buffer.bytes", "receive.buffer.bytes"),
    Alias("topic.metadata.refresh.interval.ms", "metadata.max.age.ms"),
)
