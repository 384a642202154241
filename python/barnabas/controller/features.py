"""UpdateFeatures: (image, request) -> (records, response)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.controller.controller import FEATURES
from barnabas.controller.image import BROKER_RESOURCE, KRAFT_VERSION_NAME, KRAFT_VERSIONS
from barnabas.errors import InvalidUpdateVersionError
from barnabas.protocol.messages.config_record import ConfigRecord
from barnabas.protocol.messages.feature_level_record import FeatureLevelRecord
from barnabas.protocol.messages.update_features import UpdateFeaturesResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.controller.image import Image
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.update_features import UpdateFeaturesRequest

__all__ = ["update_features"]

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
METADATA_VERSION_NAME = "metadata.version"
ELR_VERSION_NAME = "eligible.leader.replicas.version"
_NEEDS_METADATA_VERSION = {ELR_VERSION_NAME: 23}
"""Feature that is on -> the metadata.version that it needs."""
_MIN_ISR = "min.insync.replicas"
_NO_DOWNGRADE = {
    SAFE_DOWNGRADE: "Refusing to perform the requested downgrade because it might delete metadata information.",
    UNSAFE_DOWNGRADE: "Unsafe metadata downgrade is not supported in this version.",
}


def update_features(
    image: Image, message: UpdateFeaturesRequest, settings: ControllerSettings
) -> tuple[list[Any], UpdateFeaturesResponse]:
    """Decides about feature levels: all that are named change, or none."""
    controls: list[Any] = []
    options: list[Any] = []
    records: list[FeatureLevelRecord] = []
    levels = {update.feature: update.max_version_level for update in message.feature_updates}
    for update in message.feature_updates:
        why = _refused(image, update, levels, settings.node_id)
        if why is not None:
            begin = "The update failed for all features since the following feature had an error: "
            return [], UpdateFeaturesResponse(error_code=InvalidUpdateVersionError.code, error_message=begin + why)
        if update.max_version_level == _level(image, update.feature):
            continue
        if update.feature == KRAFT_VERSION_NAME:
            controls = _quorum_records(update.max_version_level, settings)
        else:
            if update.feature == ELR_VERSION_NAME and update.max_version_level:
                options += _one_min_isr(image, settings)
            records.append(FeatureLevelRecord(name=update.feature, feature_level=update.max_version_level))
    shape = UpdateFeaturesResponse.UpdatableFeatureResult
    results = [shape(feature=update.feature, error_message="NONE") for update in message.feature_updates]
    response = UpdateFeaturesResponse(error_message=None, results=results)
    # What others depend on comes first.
    records.sort(key=lambda record: record.name != METADATA_VERSION_NAME)
    return [] if message.validate_only else [*controls, *options, *records], response


def _refused(image: Image, update: Any, levels: Mapping[str, int], node_id: int) -> str | None:
    """Returns why a feature cannot have a level beside the others that are asked for, in Kafka's words."""
    name, level, kind = update.feature, update.max_version_level, update.upgrade_type
    current = _level(image, name)
    why = _impossible(name, level, kind, current, node_id)
    needed = _NEEDS_METADATA_VERSION.get(name, 0)
    if why is None and level and levels.get(METADATA_VERSION_NAME, _level(image, METADATA_VERSION_NAME)) < needed:
        why = f"{name} could not be set to {level} because it depends on metadata.version level {needed}"
    if why is not None:
        return f"Invalid update version {level} for feature {name}. {why}"
    if level < current and name == METADATA_VERSION_NAME:
        return f"Unsupported metadata.version downgrade from {current} to {level}. {_NO_DOWNGRADE[kind]}"
    return None


def _impossible(name: str, level: int, kind: int, current: int, node_id: int) -> str | None:
    """Returns why a feature cannot go from its current level to another one, whatever the levels of others are."""
    known = {**FEATURES, KRAFT_VERSION_NAME: KRAFT_VERSIONS}
    why = None
    if kind not in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
        why = "The controller does not support the given upgrade type."
    elif level < 0:
        why = "A feature version cannot be less than 0."
    elif name not in known:
        why = f"Local controller {node_id} does not support this feature."
    elif not known[name][0] <= level <= known[name][1]:
        why = f"Local controller {node_id} only supports versions {known[name][0]}-{known[name][1]}"
    elif level < current and kind == UPGRADE:
        why = (
            "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe "
            "downgrade."
        )
    elif level > current and kind != UPGRADE:
        why = "Can't downgrade to a newer version."
    elif name == KRAFT_VERSION_NAME and level < current:
        why = "Can't downgrade the version of this feature."
    return why


def _one_min_isr(image: Image, settings: ControllerSettings) -> list[Any]:
    """Returns the records that leave one min.insync.replicas for all brokers: who is eligible depends on it."""
    set_for = {
        name for (kind, name), options in image.configs.items() if kind == BROKER_RESOURCE and _MIN_ISR in options
    }
    value = settings.static_options.get(_MIN_ISR, "1")
    changes: list[tuple[str, str | None]] = [] if "" in set_for else [("", value)]
    changes += [(name, None) for name in sorted(set_for - {""})]
    return [
        ConfigRecord(resource_type=BROKER_RESOURCE, resource_name=name, name=_MIN_ISR, value=text)
        for name, text in changes
    ]


def _quorum_records(level: int, settings: ControllerSettings) -> list[Any]:
    """Returns the records from which on the voters are told by the log: this node alone, by its metadata directory."""
    from barnabas.protocol.messages.kraft_version_record import KRaftVersionRecord  # noqa: PLC0415 - rare
    from barnabas.protocol.messages.voters_record import VotersRecord  # noqa: PLC0415

    voter = VotersRecord.Voter(
        voter_id=settings.node_id,
        voter_directory_id=settings.directories[0] if settings.directories else bytes(16),
        endpoints=[
            VotersRecord.Endpoint(name=name, host=host, port=port) for name, host, port in settings.quorum_endpoints
        ],
        kraft_version_feature=VotersRecord.KRaftVersionFeature(
            min_supported_version=KRAFT_VERSIONS[0], max_supported_version=KRAFT_VERSIONS[1]
        ),
    )
    return [KRaftVersionRecord(kraft_version=level), VotersRecord(voters=[voter])]


def _level(image: Image, name: str) -> int:
    return image.kraft_version if name == KRAFT_VERSION_NAME else image.features.get(name, 0)
