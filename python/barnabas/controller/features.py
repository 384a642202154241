"""UpdateFeatures and UnregisterBroker: (image, request) -> (records, response)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.controller.controller import FEATURES
from barnabas.controller.image import KRAFT_VERSION_NAME, KRAFT_VERSIONS
from barnabas.errors import BrokerIdNotRegisteredError, InvalidRequestError, InvalidUpdateVersionError
from barnabas.protocol.messages.feature_level_record import FeatureLevelRecord
from barnabas.protocol.messages.unregister_broker import UnregisterBrokerResponse
from barnabas.protocol.messages.update_features import UpdateFeaturesResponse

if TYPE_CHECKING:
    from barnabas.controller.image import Image
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.unregister_broker import UnregisterBrokerRequest
    from barnabas.protocol.messages.update_features import UpdateFeaturesRequest

__all__ = ["unregister_broker", "update_features"]

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
METADATA_VERSION_NAME = "metadata.version"
_NO_OTHER_VOTERS = {
    0: "Can't downgrade the version of this feature.",
    1: "This broker is a cluster of one node, whose voters do not change.",
}
_NO_DOWNGRADE = {
    SAFE_DOWNGRADE: "Refusing to perform the requested downgrade because it might delete metadata information.",
    UNSAFE_DOWNGRADE: "Unsafe metadata downgrade is not supported in this version.",
}


def update_features(
    image: Image, message: UpdateFeaturesRequest, settings: ControllerSettings
) -> tuple[list[Any], UpdateFeaturesResponse]:
    """Decides about feature levels: all that are named change, or none."""
    records = []
    for update in message.feature_updates:
        why = _refused(image, update, settings.node_id)
        if why is not None:
            begin = "The update failed for all features since the following feature had an error: "
            return [], UpdateFeaturesResponse(error_code=InvalidUpdateVersionError.code, error_message=begin + why)
        if update.max_version_level != _level(image, update.feature):
            records.append(FeatureLevelRecord(name=update.feature, feature_level=update.max_version_level))
    shape = UpdateFeaturesResponse.UpdatableFeatureResult
    results = [shape(feature=update.feature, error_message="NONE") for update in message.feature_updates]
    return [] if message.validate_only else records, UpdateFeaturesResponse(error_message=None, results=results)


def _refused(image: Image, update: Any, node_id: int) -> str | None:
    """Returns why a feature cannot have a level, in Kafka's words."""
    name, level, kind = update.feature, update.max_version_level, update.upgrade_type
    current = _level(image, name)
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
    elif name == KRAFT_VERSION_NAME and level != current:
        why = _NO_OTHER_VOTERS[level]
    if why is not None:
        return f"Invalid update version {level} for feature {name}. {why}"
    if level < current and name == METADATA_VERSION_NAME:
        return f"Unsupported metadata.version downgrade from {current} to {level}. {_NO_DOWNGRADE[kind]}"
    return None


def _level(image: Image, name: str) -> int:
    return image.kraft_version if name == KRAFT_VERSION_NAME else image.features.get(name, 0)


def unregister_broker(
    image: Image, message: UnregisterBrokerRequest, settings: ControllerSettings
) -> tuple[list[Any], UnregisterBrokerResponse]:
    """Decides about a broker that left for good. This node is running, so it cannot be the one."""
    node_id = message.broker_id
    if node_id not in image.brokers:
        why = f"Broker ID {node_id} is not currently registered"
        return [], UnregisterBrokerResponse(error_code=BrokerIdNotRegisteredError.code, error_message=why)
    if node_id == settings.node_id:
        why = f"Broker {node_id} is running and the only one of this cluster"
        return [], UnregisterBrokerResponse(error_code=InvalidRequestError.code, error_message=why)
    broker = image.brokers[node_id]
    from barnabas.protocol.messages.unregister_broker_record import UnregisterBrokerRecord  # noqa: PLC0415 - rare

    record = UnregisterBrokerRecord(broker_id=node_id, broker_epoch=broker.epoch)
    return [record], UnregisterBrokerResponse(error_message=None)
