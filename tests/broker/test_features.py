"""Feature levels that are changed are what ApiVersions tells from then on, also after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from raw_client import RawClient

from barnabas import Broker
from barnabas.protocol.messages.api_versions import ApiVersionsRequest
from barnabas.protocol.messages.update_features import UpdateFeaturesRequest

if TYPE_CHECKING:
    from pathlib import Path


def told(client: RawClient) -> tuple[dict[str, int], int]:
    """Returns the finalized levels and their epoch."""
    answer = client.ask(ApiVersionsRequest(client_software_name="raw", client_software_version="1"), 4)
    assert all(one.min_version_level == one.max_version_level for one in answer.finalized_features)
    return {one.name: one.max_version_level for one in answer.finalized_features}, answer.finalized_features_epoch


def test_changed_levels_are_told_with_a_later_epoch(tmp_path: Path) -> None:
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        levels, epoch = told(client)
        assert levels == {"eligible.leader.replicas.version": 1, "group.version": 1, "metadata.version": 30}
        for level, kind in ((0, 2), (1, 1), (0, 2)):
            update = UpdateFeaturesRequest.FeatureUpdateKey(
                feature="group.version", max_version_level=level, upgrade_type=kind
            )
            assert client.ask(UpdateFeaturesRequest(feature_updates=[update], timeout_ms=5_000)).error_code == 0
            levels, later = told(client)
            assert levels.get("group.version", 0) == level
            assert later > epoch
            epoch = later
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        levels, later = told(client)
        assert levels == {"eligible.leader.replicas.version": 1, "metadata.version": 30}
        assert later > epoch
