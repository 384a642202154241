"""Every version of every API that a broker serves to clients, with nothing but defaults in the request."""

from __future__ import annotations

from typing import Any, Final

from barnabas.protocol.apis import APIS
from behaviour.cases import Body, Play, register
from behaviour.cases.api_versions import known_alike
from behaviour.cases.bodies import coordinator_is_ready

NOT_HERE: Final = {
    # Transactions, share groups, streams groups: `api-versions-served` declares that they are not served.
    "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "WriteTxnMarkers", "TxnOffsetCommit", "DescribeProducers",
    "DescribeTransactions", "ListTransactions", "ShareGroupHeartbeat", "ShareGroupDescribe", "ShareFetch", "ShareAcknowledge",
    "InitializeShareGroupState", "ReadShareGroupState", "WriteShareGroupState", "DeleteShareGroupState",
    "ReadShareGroupStateSummary", "StreamsGroupHeartbeat", "StreamsGroupDescribe", "DescribeShareGroupOffsets",
    "AlterShareGroupOffsets", "DeleteShareGroupOffsets",
    # They make up ids of clients: module `telemetry`.
    "GetTelemetrySubscriptions", "PushTelemetry",
    # Their defaults ask for everything that other cases made.
    "DescribeConfigs", "DescribeLogDirs", "ListGroups", "ListConfigResources",
}  # fmt: skip
FIELDS: Final[dict[str, Body]] = {
    # With 0 there is no answer.
    "Produce": {"acks": 1},
    "ApiVersions": {"clientSoftwareName": "suite", "clientSoftwareVersion": "1"},
    # All topics are asked for by other cases.
    "Metadata": {"topics": [{"name": "defaults-missing"}], "allowAutoTopicCreation": False},
    "DescribeTopicPartitions": {"topics": [{"name": "defaults-missing"}]},
}


def defaults(api: str) -> None:
    def play_it(play: Play) -> None:
        coordinator_is_ready(play)
        # Some errors tell the cluster's id.
        play.name(play.quiet("DescribeCluster", 0)["clusterId"], "cluster id")
        keep: Any = {"ApiVersions": known_alike}.get(api)
        for version in play.versions(api):
            if api == "Metadata" and version < 4:
                continue
            play.ask(api, version, on=play.connect(), keep=keep, **FIELDS.get(api, {}))

    register(
        "defaults",
        "".join("-" * (index > 0) * char.isupper() + char.lower() for index, char in enumerate(api)),
        play_it,
    )


for _name, *_, _is_served in APIS.values():
    if _is_served and _name not in NOT_HERE:
        defaults(_name)
