"""DescribeConfigs and ListConfigResources: (image, request) -> response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.controller.broker_configs import (
    SOURCE_DEFAULT,
    SOURCE_DYNAMIC_DEFAULT,
    BrokerConfigs,
    option_of,
)
from barnabas.controller.broker_options import KAFKA_OPTIONS
from barnabas.controller.broker_quota_options import BROKER_QUOTA_OPTIONS
from barnabas.controller.client_metrics_options import CLIENT_METRICS_OPTIONS
from barnabas.controller.config_key import ConfigKey, InvalidConfigValue
from barnabas.controller.configs import SOURCE_TOPIC, effective_topic_config
from barnabas.controller.group_configs import group_default
from barnabas.controller.group_options import GROUP_OPTIONS, GROUP_SYNONYMS
from barnabas.controller.image import (
    BROKER_LOGGER_RESOURCE,
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
    Image,
)
from barnabas.controller.names import invalid_topic_name
from barnabas.controller.refusal import Refused
from barnabas.controller.topic_options import BROKER_SYNONYMS, TOPIC_OPTIONS
from barnabas.errors import (
    InvalidRequestError,
    InvalidTopicError,
    UnknownTopicOrPartitionError,
    UnsupportedVersionError,
)
from barnabas.protocol.messages.describe_configs import DescribeConfigsResponse
from barnabas.protocol.messages.list_config_resources import ListConfigResourcesResponse

if TYPE_CHECKING:
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
    from barnabas.protocol.messages.list_config_resources import ListConfigResourcesRequest

__all__ = ["describe_configs", "described_result", "list_config_resources"]

SOURCE_CLIENT_METRICS = 7
SOURCE_GROUP = 8
_TYPES = {"BOOLEAN": 1, "STRING": 2, "INT": 3, "SHORT": 4, "LONG": 5, "DOUBLE": 6, "LIST": 7, "CLASS": 8, "PASSWORD": 9}
_KINDS = (TOPIC_RESOURCE, BROKER_RESOURCE, BROKER_LOGGER_RESOURCE, CLIENT_METRICS_RESOURCE, GROUP_RESOURCE)

Result = DescribeConfigsResponse.DescribeConfigsResult
Entry = DescribeConfigsResponse.DescribeConfigsResourceResult
Synonym = DescribeConfigsResponse.DescribeConfigsSynonym
_Found = tuple[str, str | None, int]


def describe_configs(
    image: Image, message: DescribeConfigsRequest, settings: ControllerSettings
) -> tuple[list[Any], DescribeConfigsResponse]:
    """Says which options are in force. Loggers are the node's own business and not described here."""
    broker = BrokerConfigs.of(image, settings)
    results = []
    for resource in message.resources:
        describe = _DESCRIBE.get(resource.resource_type)
        result = described_result(resource)
        results.append(result)
        if describe is None:
            continue
        try:
            entries = describe(image, resource.resource_name, broker, settings)
        except Refused as refused:
            result.error_code, result.error_message = refused.code, refused.message
            continue
        wanted = resource.configuration_keys
        result.configs = [entry for entry in entries if not wanted or entry.name in wanted]
        for entry in result.configs:
            if not message.include_synonyms:
                entry.synonyms = []
            entry.documentation = _documentation(entry, settings) if message.include_documentation else None
    return [], DescribeConfigsResponse(results=results)


def described_result(resource: Any) -> Result:
    """Returns an empty description of a resource."""
    return Result(
        error_code=0,
        error_message="",
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


def _topic(image: Image, name: str, broker: BrokerConfigs, settings: ControllerSettings) -> list[Entry]:
    why = invalid_topic_name(name)
    if why is not None:
        raise Refused(InvalidTopicError.code, why)
    if name not in image.topics:
        raise Refused(UnknownTopicOrPartitionError.code, "")
    entries = []
    for setting in effective_topic_config(image.topic_config(name), broker):
        key = TOPIC_OPTIONS[setting.name]
        value = _normal(key, setting.value)
        found: list[_Found] = [(setting.name, value, SOURCE_TOPIC)] if setting.source == SOURCE_TOPIC else []
        behind = BROKER_SYNONYMS.get(setting.name)
        if behind is not None:
            found += broker.synonyms(behind[0][0], settings)
        entries.append(_entry(key, value, found, read_only=False))
    return entries


def _broker(image: Image, name: str, broker: BrokerConfigs, settings: ControllerSettings) -> list[Entry]:
    del image
    if not name:
        return [
            _broker_entry(option, value, [(option, value, SOURCE_DYNAMIC_DEFAULT)], settings)
            for option, value in broker.cluster.items()
        ]
    _check_broker_id(name, settings.node_id, "expected {} or empty string, but received {}")
    texts = broker.texts()
    public = {key.name: key.default for key in KAFKA_OPTIONS.values() if not key.internal}
    public.update({key.name: key.default for key in settings.own_options.values()})
    return [
        _broker_entry(option, value, broker.synonyms(option, settings), settings)
        for option, value in {**public, **texts}.items()
    ]


def _check_broker_id(name: str, node_id: int, expected: str) -> None:
    try:
        number = int(name, 10)
    except ValueError:
        raise Refused(InvalidRequestError.code, f"Broker id must be an integer, but it is: {name}") from None
    if number != node_id:
        raise Refused(InvalidRequestError.code, f"Unexpected broker id, {expected.format(node_id, name)}")


def _broker_entry(name: str, value: str | None, found: list[_Found], settings: ControllerSettings) -> Entry:
    key = option_of(name, settings)
    quota = BROKER_QUOTA_OPTIONS.get(name)
    if key is None and quota is None:
        # Kafka takes any option that it does not know, and tells nobody what it was set to.
        unknown = ConfigKey(name, "PASSWORD", None)
        entry = _entry(unknown, value, found, read_only=True)
        entry.config_type = 0
        return entry
    read_only = quota is None and (key is None or key.mode == "read-only")
    if key is None:
        key = ConfigKey(name, "PASSWORD", None) if quota is None else quota
    return _entry(key, _normal(key, value), found, read_only=read_only)


def _group(image: Image, name: str, broker: BrokerConfigs, settings: ControllerSettings) -> list[Entry]:
    if not name:
        raise Refused(InvalidRequestError.code, "Group name must not be empty")
    own = image.group_config(name)
    entries = []
    for option, key in GROUP_OPTIONS.items():
        value = _normal(key, own.get(option, group_default(option, broker)))
        found: list[_Found] = [(option, value, SOURCE_GROUP)] if option in own else []
        behind = GROUP_SYNONYMS.get(option)
        found += broker.synonyms(behind[0][0], settings) if behind else [(option, key.default, SOURCE_DEFAULT)]
        entries.append(_entry(key, value, found, read_only=False))
    return entries


def _client_metrics(image: Image, name: str, broker: BrokerConfigs, settings: ControllerSettings) -> list[Entry]:
    del broker, settings
    if not name:
        raise Refused(InvalidRequestError.code, "Client metrics subscription name must not be empty")
    own = image.configs.get((CLIENT_METRICS_RESOURCE, name), {})
    entries = []
    for option, key in CLIENT_METRICS_OPTIONS.items():
        value = _normal(key, own.get(option, key.default))
        found: list[_Found] = [(option, value, SOURCE_CLIENT_METRICS)] if option in own else []
        entries.append(_entry(key, value, found, read_only=False))
    return entries


_DESCRIBE = {
    TOPIC_RESOURCE: _topic,
    BROKER_RESOURCE: _broker,
    GROUP_RESOURCE: _group,
    CLIENT_METRICS_RESOURCE: _client_metrics,
}


def _normal(key: ConfigKey, text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return key.normal(text)
    except InvalidConfigValue:
        return text


def _entry(key: ConfigKey, value: str | None, found: list[_Found], *, read_only: bool) -> Entry:
    is_sensitive = key.kind == "PASSWORD"
    return Entry(
        name=key.name,
        value=None if is_sensitive else value,
        read_only=read_only,
        config_source=found[0][2] if found else SOURCE_DEFAULT,
        is_sensitive=is_sensitive,
        synonyms=[
            Synonym(name=name, value=None if is_sensitive else text, source=source) for name, text, source in found
        ],
        config_type=_TYPES[key.kind],
    )


def _documentation(entry: Entry, settings: ControllerSettings) -> str | None:
    """Returns what the tables tell of an option, as a sentence."""
    key = (
        option_of(entry.name, settings)
        or TOPIC_OPTIONS.get(entry.name)
        or GROUP_OPTIONS.get(entry.name)
        or CLIENT_METRICS_OPTIONS.get(entry.name)
    )
    if key is None:
        return None
    parts = [f"{key.kind.lower()}, {'no default' if key.default is None else f'default {key.default!r}'}"]
    if key.low is not None:
        parts.append(f"at least {key.low}")
    if key.high is not None:
        parts.append(f"at most {key.high}")
    if key.choices:
        parts.append(f"one of {', '.join(key.choices)}")
    return f"{'; '.join(parts)}."


def list_config_resources(
    image: Image, message: ListConfigResourcesRequest, settings: ControllerSettings
) -> tuple[list[Any], ListConfigResourcesResponse]:
    """Names the resources that have options, or can have."""
    del settings
    kinds = message.resource_types or list(_KINDS)
    if any(kind not in _KINDS for kind in kinds):
        return [], ListConfigResourcesResponse(error_code=UnsupportedVersionError.code)
    shape = ListConfigResourcesResponse.ConfigResource
    named: list[tuple[int, str]] = []
    for kind in dict.fromkeys(kinds):
        if kind == TOPIC_RESOURCE:
            names = list(image.topics)
        elif kind in (BROKER_RESOURCE, BROKER_LOGGER_RESOURCE):
            names = [str(node_id) for node_id in image.brokers]
        else:
            names = [name for other, name in image.configs if other == kind]
        named += [(kind, name) for name in names]
    return [], ListConfigResourcesResponse(
        config_resources=[shape(resource_name=name, resource_type=kind) for kind, name in named]
    )
