"""What is said of the metadata log's voters, and to attempts to change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference_kafka import CLUSTER_ID

from barnabas.protocol.messages.add_raft_voter import AddRaftVoterRequest
from barnabas.protocol.messages.api_versions import ApiVersionsRequest
from barnabas.protocol.messages.describe_quorum import DescribeQuorumRequest
from barnabas.protocol.messages.remove_raft_voter import RemoveRaftVoterRequest
from barnabas.protocol.messages.update_features import UpdateFeaturesRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from raw_client import RawClient

STRANGER = b"nobody's voter.."
NONE = bytes(16)


def levels(client: RawClient) -> dict[str, int]:
    """The finalized levels of all features."""
    answer = client.ask(ApiVersionsRequest(client_software_name="raw", client_software_version="1"), 4)
    return {one.name: one.max_version_level for one in answer.finalized_features}


def set_level(client: RawClient, level: int, kind: int, *, validate_only: bool = False) -> tuple[int, str | None]:
    """The answer to a change of kraft.version."""
    update = UpdateFeaturesRequest.FeatureUpdateKey(feature="kraft.version", max_version_level=level, upgrade_type=kind)
    answer = client.ask(UpdateFeaturesRequest(feature_updates=[update], timeout_ms=5_000, validate_only=validate_only))
    return answer.error_code, answer.error_message


def quorum(client: RawClient) -> Any:
    """The metadata log's partition, as DescribeQuorum tells it."""
    partition = DescribeQuorumRequest.PartitionData(partition_index=0)
    topic = DescribeQuorumRequest.TopicData(topic_name="__cluster_metadata", partitions=[partition])
    return client.ask(DescribeQuorumRequest(topics=[topic])).topics[0].partitions[0]


def voters(client: RawClient) -> Iterator[tuple[str, Any]]:
    """What is said of the quorum, and to attempts to change it."""
    answer = client.ask(ApiVersionsRequest(client_software_name="raw", client_software_version="1"), 4)
    yield "kraft.version", levels(client).get("kraft.version")
    yield "voters served", [(one.api_key, one.max_version) for one in answer.api_keys if one.api_key in (80, 81, 82)]
    own = [(one.replica_id, bytes(one.replica_directory_id)) for one in quorum(client).current_voters]
    yield "voters", own
    directory = own[0][1]
    listener = AddRaftVoterRequest.Listener
    reached = [listener(name="CONTROLLER", host="127.0.0.1", port=1)]
    other = [listener(name="OTHER", host="127.0.0.1", port=1)]
    for cluster in (None, CLUSTER_ID, "other"):
        for voter_id, key, listeners in (
            (2, STRANGER, reached), (2, STRANGER, []), (2, STRANGER, other), (2, NONE, reached), (-1, STRANGER, reached),
            (1, directory, reached), (1, STRANGER, reached),
        ):  # fmt: skip
            added = AddRaftVoterRequest(
                cluster_id=cluster, voter_id=voter_id, voter_directory_id=key, listeners=listeners, timeout_ms=30_000
            )
            removed = RemoveRaftVoterRequest(cluster_id=cluster, voter_id=voter_id, voter_directory_id=key)
            for asked in (added, removed):
                answer = client.ask(asked)
                name = f"{type(asked).__name__} {cluster} {voter_id} {key!r} {[one.name for one in listeners]}"
                yield name, (answer.error_code, answer.error_message)
    for level in (0, 1, 2, -1):
        for kind in (1, 2, 3, 9):
            yield f"UpdateFeatures {level} {kind}", set_level(client, level, kind)
    yield (
        "voters after that",
        [(one.replica_id, bytes(one.replica_directory_id)) for one in quorum(client).current_voters],
    )
