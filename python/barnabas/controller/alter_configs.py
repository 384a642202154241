"""AlterConfigs and IncrementalAlterConfigs: (image, request) -> (records, response).

All options of a resource change or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.controller.broker_configs import BrokerConfigs, refused_broker_configs
from barnabas.controller.broker_options import KAFKA_OPTIONS
from barnabas.controller.configs import broker_topic_defaults, invalid_topic_config
from barnabas.controller.group_configs import refused_client_metrics, refused_group_configs
from barnabas.controller.image import (
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
    Image,
)
from barnabas.controller.names import invalid_topic_name
from barnabas.controller.refusal import Refused
from barnabas.controller.topic_options import TOPIC_OPTIONS
from barnabas.errors import (
    InvalidConfigError,
    InvalidRequestError,
    InvalidTopicError,
    UnknownServerError,
    UnknownTopicOrPartitionError,
)
from barnabas.protocol.messages.alter_configs import AlterConfigsResponse
from barnabas.protocol.messages.config_record import ConfigRecord
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from barnabas.controller.config_key import ConfigKey
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.alter_configs import AlterConfigsRequest
    from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest

__all__ = ["alter_configs", "check_node_id", "incremental_alter_configs", "refused_resources"]

SET, DELETE, APPEND, SUBTRACT = range(4)
_OPERATIONS = {APPEND: "append", SUBTRACT: "subtract"}
_MIN_ISR = "min.insync.replicas"
_ELR = "eligible.leader.replicas.version"


def incremental_alter_configs(
    image: Image, message: IncrementalAlterConfigsRequest, settings: ControllerSettings
) -> tuple[list[Any], IncrementalAlterConfigsResponse]:
    """Decides about changes to single options."""
    records, results = _each(image, message, settings, _changed)
    shape = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse
    return records, IncrementalAlterConfigsResponse(responses=[_result(shape, *result) for result in results])


def alter_configs(
    image: Image, message: AlterConfigsRequest, settings: ControllerSettings
) -> tuple[list[Any], AlterConfigsResponse]:
    """Decides about replacing all options of resources."""
    records, results = _each(image, message, settings, _replaced)
    shape = AlterConfigsResponse.AlterConfigsResourceResponse
    return records, AlterConfigsResponse(responses=[_result(shape, *result) for result in results])


def _result(shape: Any, resource: Any, code: int, why: str | None) -> Any:
    return shape(
        error_code=code,
        error_message=why,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


def _each(
    image: Image, message: Any, settings: ControllerSettings, decide: Callable[..., list[Any]]
) -> tuple[list[Any], list[tuple[Any, int, str | None]]]:
    refused = refused_resources(message.resources)
    records: list[Any] = []
    results = []
    for resource, why in zip(message.resources, refused, strict=True):
        if why is not None:
            results.append((resource, why.code, why.message))
            continue
        try:
            _check_broker_name(resource, settings)
            found = decide(image, resource, settings)
        except Refused as refusal:
            results.append((resource, refusal.code, refusal.message))
            continue
        records += found
        results.append((resource, 0, None))
    return [] if message.validate_only else records, results


def refused_resources(resources: list[Any]) -> list[Refused | None]:
    """Returns for each resource of a request what is wrong about how it is asked, without looking at any state."""
    counts: dict[tuple[int, str], int] = {}
    for resource in resources:
        key = resource.resource_type, resource.resource_name
        counts[key] = counts.get(key, 0) + 1
    return [_refused_resource(resource, counts) for resource in resources]


def _refused_resource(resource: Any, counts: Mapping[tuple[int, str], int]) -> Refused | None:
    if counts[resource.resource_type, resource.resource_name] > 1:
        return Refused(InvalidRequestError.code, "Each resource must appear at most once.")
    names = [config.name for config in resource.configs]
    if len(names) != len(set(names)):
        return Refused(InvalidRequestError.code, "Error due to duplicate config keys")
    # Replacing knows no operations: every option is set.
    missing = [
        config.name
        for config in resource.configs
        if config.value is None and getattr(config, "config_operation", SET) != DELETE
    ]
    if missing:
        return Refused(InvalidRequestError.code, f"Null value not supported for : {', '.join(missing)}")
    return None


def _check_broker_name(resource: Any, settings: ControllerSettings) -> None:
    kind, name = resource.resource_type, resource.resource_name
    if kind not in (TOPIC_RESOURCE, BROKER_RESOURCE, CLIENT_METRICS_RESOURCE, GROUP_RESOURCE):
        raise Refused(InvalidRequestError.code, f"Unknown resource type {kind}")
    if kind == BROKER_RESOURCE and name:
        check_node_id(name, settings.node_id)


def check_node_id(
    name: str, node_id: int, unexpected: str = "Unexpected broker id, expected {}, but received {}"
) -> None:
    """Refuses what does not name this node.

    Args:
        name: What a request calls it.
        node_id: What it is.
        unexpected: Kafka's words when another node is meant.

    Raises:
        Refused: It names another one, or none.
    """
    try:
        number = int(name, 10)
    except ValueError:
        raise Refused(InvalidRequestError.code, f"Node id must be an integer, but it is: {name}") from None
    if number != node_id:
        raise Refused(InvalidRequestError.code, unexpected.format(node_id, name))


# One resource.


def _changed(image: Image, resource: Any, settings: ControllerSettings) -> list[Any]:
    """Returns the records of changes to single options."""
    kind, name = resource.resource_type, resource.resource_name
    current = image.configs.get((kind, name), {})
    broker = BrokerConfigs.of(image, settings)
    if kind == BROKER_RESOURCE:
        _check_broker_change(resource, current, broker)
    changes: dict[str, str | None] = {}
    for config in resource.configs:
        changes[config.name] = _after(config, current.get(config.name), kind)
    return _records(image, kind, name, changes, broker)


def _after(config: Any, current: str | None, kind: int) -> str | None:
    """Returns an option's text after a change to it."""
    operation = config.config_operation
    if operation == SET:
        return str(config.value)
    if operation == DELETE:
        return None
    if operation not in _OPERATIONS:
        raise Refused(UnknownServerError.code, None)
    key = _options(kind).get(config.name)
    if key is None or key.kind != "LIST":
        word = _OPERATIONS[operation].upper()
        raise Refused(InvalidConfigError.code, f"Can't {word} to key {config.name} because its type is not LIST.")
    return ",".join(_with_items(current if current is not None else key.default or "", config.value, operation))


def _with_items(text: str, wanted: str, operation: int) -> list[str]:
    items = [item for item in text.split(",") if item]
    for item in wanted.split(","):
        if operation == APPEND and item not in items:
            items.append(item)
        elif operation == SUBTRACT and item in items:
            items.remove(item)
    return items


def _options(kind: int) -> Mapping[str, ConfigKey]:
    """Returns the options whose lists can be appended to; Kafka's controller knows those of topics and brokers only."""
    return {TOPIC_RESOURCE: TOPIC_OPTIONS, BROKER_RESOURCE: KAFKA_OPTIONS}.get(kind, {})


def _check_broker_change(resource: Any, current: Mapping[str, str], broker: BrokerConfigs) -> None:
    """Checks a change to broker options as the broker does before its controller sees it."""
    configs = dict(current)
    for config in resource.configs:
        operation = config.config_operation
        if operation not in (SET, DELETE, APPEND, SUBTRACT):
            raise Refused(InvalidRequestError.code, f"Unknown operations type {operation}")
    for config in resource.configs:
        operation = config.config_operation
        if operation == SET:
            configs[config.name] = config.value
        elif operation == DELETE:
            configs.pop(config.name, None)
        else:
            key = KAFKA_OPTIONS.get(config.name)
            if key is None:
                raise Refused(InvalidConfigError.code, f"Unknown config name: {config.name}")
            if key.kind != "LIST":
                raise Refused(
                    InvalidConfigError.code,
                    f"Config value {_OPERATIONS[operation]} is not allowed for config key: {config.name}",
                )
            text = configs.get(config.name, key.default or "")
            configs[config.name] = ",".join(_with_items(text, config.value, operation))
    _check_broker_configs(resource.resource_name, configs, broker)


def _check_broker_configs(name: str, configs: Mapping[str, str], broker: BrokerConfigs) -> None:
    why = refused_broker_configs(configs, broker, is_for_one=bool(name))
    if why is not None:
        raise Refused(InvalidRequestError.code, why)


def _replaced(image: Image, resource: Any, settings: ControllerSettings) -> list[Any]:
    """Returns the records that leave a resource with the given options and no others."""
    kind, name = resource.resource_type, resource.resource_name
    given: dict[str, str] = {config.name: config.value for config in resource.configs}
    broker = BrokerConfigs.of(image, settings)
    if kind == BROKER_RESOURCE:
        _check_broker_configs(name, given, broker)
    gone = [other for other in image.configs.get((kind, name), {}) if other not in given]
    return _records(image, kind, name, {**given, **dict.fromkeys(gone)}, broker)


def _records(image: Image, kind: int, name: str, changes: Mapping[str, str | None], broker: BrokerConfigs) -> list[Any]:
    """Returns the records of changes, once what follows from them is found valid."""
    current = image.configs.get((kind, name), {})
    configs = {**current, **changes}
    _check(image, kind, name, {option: value for option, value in configs.items() if value is not None}, broker)
    if kind == BROKER_RESOURCE and image.features.get(_ELR, 0) > 0 and _MIN_ISR in changes:
        if name:
            raise Refused(InvalidConfigError.code, f"Broker-level {_MIN_ISR} cannot be altered while ELR is enabled.")
        if changes[_MIN_ISR] is None:
            raise Refused(InvalidConfigError.code, f"Cluster-level {_MIN_ISR} cannot be removed while ELR is enabled.")
    return [
        ConfigRecord(resource_type=kind, resource_name=name, name=option, value=value)
        for option, value in changes.items()
        # A broker reads its options again also when they stay the same, such as files that they name.
        if value != current.get(option) or kind == BROKER_RESOURCE
    ]


def _check(image: Image, kind: int, name: str, configs: Mapping[str, str], broker: BrokerConfigs) -> None:
    if kind == TOPIC_RESOURCE:
        _check_topic(image, name, configs, broker)
    elif kind == GROUP_RESOURCE:
        refusal = refused_group_configs(name, configs, broker)
        if refusal is not None:
            raise Refused(*refusal)
    elif kind == CLIENT_METRICS_RESOURCE:
        refusal = refused_client_metrics(name, configs)
        if refusal is not None:
            raise Refused(*refusal)


def _check_topic(image: Image, name: str, configs: Mapping[str, str], broker: BrokerConfigs) -> None:
    if not name:
        raise Refused(InvalidRequestError.code, "Default topic resources are not allowed.")
    why = invalid_topic_name(name)
    if why is not None:
        raise Refused(InvalidTopicError.code, why)
    why = invalid_topic_config(configs, broker_topic_defaults(broker.texts()))
    if why is not None:
        raise Refused(InvalidConfigError.code, why)
    if name not in image.topics:
        raise Refused(UnknownTopicOrPartitionError.code, f"The topic '{name}' does not exist.")
