"""Every way in which our broker's answers may differ from the reference's, each with its reason: the only such list.

Values that each broker makes up are compared by where they occur. Any other difference must be declared here, with what
either side answers; one that is declared and does not occur fails as well. An error code or the meaning of a field can
only differ by a limit that the README names.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

MADE_UP: Final = {
    "topicId": "the broker that creates a topic makes up its id",
    "clusterId": "made up when storage is formatted",
    "memberId": "coordinators make up the ids of members, from client id and a random part",
    "leader": "the member id of a group's leader",
    "producerId": "handed out in blocks, of which other cases and restarts take some",
    "sessionId": "the broker makes up the ids of fetch sessions",
    "port": "the system chooses the port",
}
"""Fields whose values are compared by where they occur only; what stands for none is compared as it is."""

TIMES: Final = {
    "logDir": "a directory",
    "totalBytes": "the size of its disk",
    "usableBytes": "the space on its disk",
    "logEndOffset": "how far the metadata log has got",
    "lastFetchTimestamp": "the broker's clock",
    "lastCaughtUpTimestamp": "the broker's clock",
    "replicaDirectoryId": "made up when storage is formatted",
    "logAppendTimeMs": "the broker's clock",
    "finalizedFeaturesEpoch": "how far the metadata log has got",
}
"""Fields of which only is compared whether they are set. Times of today in texts are the broker's clock, too."""

MADE_UP_OPTIONS: Final = {
    "log.dirs": "directories",
    "controller.quorum.voters": "addresses",
    "listeners": "addresses",
}
"""Options of the broker whose values are not compared."""

NONE_VALUES: Final = ("", "AAAAAAAAAAAAAAAAAAAAAA", 0, -1, None)
"""Values of made-up fields that mean that there is none. Of producer ids only -1 does."""

ORDERED: Final = {
    ("DescribeTopicPartitions", "topics"),
    ("DescribeTopicPartitions", "topics.partitions"),
    ("ApiVersions", "apiKeys"),
}
"""Arrays whose order means something. Others are sorted: the reference answers them in the order of its hash tables."""


@dataclass(frozen=True)
class Difference:
    """One declared difference.

    Attributes:
        cases: Which cases it occurs in, all of them that match.
        api: The API whose answer differs.
        path: The field, without indexes.
        theirs: What the reference answers, ANY for whatever it is.
        ours: What our broker answers.
        reason: Why.
        limit: What the README's table of limits names, if that is why.
    """

    cases: str
    api: str
    path: str
    theirs: Any
    ours: Any
    reason: str
    limit: str = ""

    def matches(self, case: str, api: str, path: str, theirs: Any, ours: Any) -> bool:
        """Whether this declares a difference that was found."""
        return (
            self.concerns(case)
            and fnmatchcase(api, self.api)
            and fnmatchcase(path, self.path)
            and self.theirs in (ANY, theirs)
            and self.ours in (ANY, ours)
            and (self.limit != "" or not path.endswith("errorCode"))
        )

    def concerns(self, case: str) -> bool:
        """Whether this must occur in a case."""
        return fnmatchcase(case, self.cases)


ANY: Final = "…"
ABSENT: Final = "<absent>"

SHARE_AND_STREAMS: Final = "share groups, streams groups"
TRANSACTIONS: Final = "transactions"
WITH_FEATURES: Final = (
    "api-versions-every-version", "api-versions-clients-without-a-proper-name", "api-versions-clients-without-an-id",
    "api-versions-again-on-the-same-connection", "api-versions-after-other-requests",
    "api-versions-tagged-fields-that-nobody-knows", "defaults-api-versions",
)  # fmt: skip
EVERY_OPTION: Final = "configs-describe-every-option-of-the-broker"
HEADERS_ONLY: Final = "a check of compressed batches before they are stored"


def not_served(reason: str, limit: str, *apis: str) -> list[Difference]:
    """APIs that the reference advertises."""
    return [Difference("api-versions-served", "ApiVersions", api, ANY, ABSENT, reason, limit) for api in apis]


DIFFERENCES: Final[list[Difference]] = [
    *not_served(
        "transactions are not there yet", TRANSACTIONS,
        "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "WriteTxnMarkers", "TxnOffsetCommit", "DescribeProducers",
        "DescribeTransactions", "ListTransactions",
    ),
    *not_served(
        "share groups and streams groups are not there yet", SHARE_AND_STREAMS,
        "ShareGroupHeartbeat", "ShareGroupDescribe", "ShareFetch", "ShareAcknowledge", "InitializeShareGroupState",
        "ReadShareGroupState", "WriteShareGroupState", "DeleteShareGroupState", "ReadShareGroupStateSummary",
        "StreamsGroupHeartbeat", "StreamsGroupDescribe", "DescribeShareGroupOffsets", "AlterShareGroupOffsets",
        "DeleteShareGroupOffsets",
    ),
    Difference(
        "find-coordinator-share-coordinators", "FindCoordinator", "*error*", ANY, ANY,
        "there are no coordinators of share groups", SHARE_AND_STREAMS,
    ),
    Difference(
        "produce-damage-inside-of-compressed-batches", "Produce", "responses.partitionResponses.*", ANY, ANY,
        "only header and CRC are looked at", HEADERS_ONLY,
    ),
    Difference(
        "produce-counts-that-contradict-compressed-records", "Produce", "responses.partitionResponses.*", ANY, ANY,
        "only header and CRC are looked at", HEADERS_ONLY,
    ),
    *(
        Difference(case, "ApiVersions", f"*Features.{feature}", ANY, ABSENT, f"no {what} yet", limit)
        for case in WITH_FEATURES
        for feature, what, limit in (
            ("share.version", "share groups", SHARE_AND_STREAMS),
            ("streams.version", "streams groups", SHARE_AND_STREAMS),
            ("transaction.version", "transactions", TRANSACTIONS),
        )
    ),
    Difference(
        "migration-a-classic-member-joins-a-new-group", "DescribeGroups", "groups.members.memberAssignment", ANY, ANY,
        "a group that has just become a classic one has what its members hold, not what they were to have: a member of KIP-848 "
        "that joins at once would be told that somebody has what another one has not given up",
    ),
    Difference(
        EVERY_OPTION, "DescribeConfigs", "results.configs.barnabas.*", ABSENT, ANY, "options that only this broker has",
    ),
    Difference(
        "administration-quorum", "DescribeQuorum", "nodes.listeners", ANY, [],
        "addresses: the controller's listener is not opened, since there is no other node",
    ),
]  # fmt: skip

KNOWN_DEFECTS: Final[dict[str, str]] = {}
"""Cases in which our broker is wrong, and how. Whoever repairs one deletes its line; none is here to stay."""
