"""Why an option of Kafka that is accepted has no effect here. One list, from which the documentation is made."""

from __future__ import annotations

__all__ = ["ONLY_AT_A_START", "why_without_effect"]

ONLY_AT_A_START: dict[str, str] = {
    "num.recovery.threads.per.data.dir": "logs are recovered at a start",
}
"""Options with an effect that Kafka lets one alter at any time, and why it is only stored here."""

_WHY = (
    ("listeners are plaintext", "ssl sasl security principal delegation connections.max.reauth connection.failed"),
    (
        "nothing of Java is loaded",
        "alter.config.policy authorizer config.providers create.topic.policy replica.selector",
    ),
    ("metrics are not Java's", "auto.include.jmx client.quota.callback kafka.metrics metric metrics"),
    ("there is no tiered storage", "remote log.local follower.fetch.last.tiered"),
    ("one node has no replicas to fetch", "replica num.replica alter.log.dirs replication leader.replication"),
    ("one node has one leader", "auto.leader leader.imbalance unclean.leader controlled.shutdown"),
    (
        "one node elects and watches nobody",
        "controller early.start inter.broker broker.heartbeat broker.session initial",
    ),
    ("the metadata log lies in the first data directory", "metadata.log.dir"),
    ("nobody follows the metadata log, who would have to be told that nothing happens", "metadata.max.idle"),
    ("a batch of the metadata log is one request's records, at most Kafka's 8 MiB", "internal.metadata"),
    ("there are no share groups", "group.share share"),
    ("there are no streams groups", "group.streams"),
    ("there are no transactions", "transaction transactional add.partitions producer.id"),
    ("coordinators work in another way", "group offsets"),
    ("threads are divided in another way", "num.io background"),
    ("nothing waits in lists that have to be purged", "fetch.purgatory producer.purgatory delete.records.purgatory"),
    ("data directories are all used, or fail, as they are", "cordoned log.dir.failure"),
    ("work is done when it is due", "log.flush.start log.initial server.max"),
    ("it has a limit of its own", "request socket.connection"),
    ("what is unstable is not there", "unstable"),
)
"""Why, and the beginnings of the names of which that is true; the first that fits counts."""


def why_without_effect(name: str) -> str | None:
    """Returns why a broker option is accepted and ignored; None if nothing says so."""
    for why, beginnings in _WHY:
        if any(name == beginning or name.startswith(f"{beginning}.") for beginning in beginnings.split()):
            return why
    return None
