"""DescribeConfigs (key 32), versions 1-4.

Kept: topics and this broker, with sources, types and synonyms. Left out: documentation texts, other resource kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.controller.config_key import Setting
from barnabas.controller.configs import SOURCE_DEFAULT, SOURCE_STATIC_BROKER, effective_topic_config
from barnabas.controller.image import BROKER_RESOURCE, TOPIC_RESOURCE
from barnabas.controller.names import invalid_topic_name
from barnabas.controller.topic_options import BROKER_SYNONYMS, TOPIC_OPTIONS
from barnabas.errors import InvalidRequestError, InvalidTopicError, UnknownTopicOrPartitionError
from barnabas.protocol.messages.describe_configs import DescribeConfigsResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request
    from barnabas.controller.config_key import ConfigKey

__all__ = ["handle"]

_TYPES = {"BOOLEAN": 1, "STRING": 2, "INT": 3, "SHORT": 4, "LONG": 5, "DOUBLE": 6, "LIST": 7, "CLASS": 8, "PASSWORD": 9}


def handle(plane: ControlPlane, request: Request) -> None:
    """Says which options are in force."""
    results = [_describe(plane, resource, request.message) for resource in request.message.resources]
    request.respond(DescribeConfigsResponse(results=results))


def _describe(plane: ControlPlane, resource: Any, message: Any) -> DescribeConfigsResponse.DescribeConfigsResult:
    result = DescribeConfigsResponse.DescribeConfigsResult(
        error_code=0,
        error_message="",
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )
    if resource.resource_type == TOPIC_RESOURCE:
        _describe_topic(plane, resource, message, result)
    elif resource.resource_type == BROKER_RESOURCE:
        _describe_broker(plane, resource, message, result)
    else:
        result.error_code = InvalidRequestError.code
        result.error_message = f"Unsupported resource type: {resource.resource_type}"
    return result


def _describe_topic(
    plane: ControlPlane, resource: Any, message: Any, result: DescribeConfigsResponse.DescribeConfigsResult
) -> None:
    name = resource.resource_name
    why = invalid_topic_name(name)
    if why is not None:
        result.error_code, result.error_message = InvalidTopicError.code, why
    elif name not in plane.metadata.image.topics:
        result.error_code = UnknownTopicOrPartitionError.code
    else:
        defaults = plane.options.topic_defaults()
        own = plane.metadata.image.topic_config(name)
        for setting in effective_topic_config(own, defaults):
            if resource.configuration_keys is None or setting.name in resource.configuration_keys:
                synonyms = _topic_synonyms(setting, defaults) if message.include_synonyms else []
                result.configs.append(_entry(setting, TOPIC_OPTIONS[setting.name], synonyms, read_only=False))


def _topic_synonyms(
    setting: Setting, defaults: Mapping[str, str]
) -> list[DescribeConfigsResponse.DescribeConfigsSynonym]:
    """Returns where the value could come from, strongest first."""
    synonyms = []
    if setting.source not in (SOURCE_DEFAULT, SOURCE_STATIC_BROKER):
        synonyms.append(
            DescribeConfigsResponse.DescribeConfigsSynonym(
                name=setting.name, value=setting.value, source=setting.source
            )
        )
    # Where several broker options decide together (hours, minutes, milliseconds), Kafka names none of them as default.
    behind = BROKER_SYNONYMS.get(setting.name)
    if behind is not None:
        if setting.name in defaults:
            synonyms.append(
                DescribeConfigsResponse.DescribeConfigsSynonym(
                    name=behind[0][0], value=defaults[setting.name], source=SOURCE_STATIC_BROKER
                ),
            )
        if len(behind) == 1:
            default = TOPIC_OPTIONS[setting.name].default
            synonyms.append(
                DescribeConfigsResponse.DescribeConfigsSynonym(name=behind[-1][0], value=default, source=SOURCE_DEFAULT)
            )
    return synonyms


def _describe_broker(
    plane: ControlPlane, resource: Any, message: Any, result: DescribeConfigsResponse.DescribeConfigsResult
) -> None:
    if resource.resource_name not in ("", str(plane.metadata.node_id)):
        result.error_code = InvalidRequestError.code
        result.error_message = (
            f"Unexpected broker id, expected {plane.metadata.node_id} or empty string, but received "
            f"{resource.resource_name}"
        )
        return
    if not resource.resource_name:
        return  # Dynamic defaults of the whole cluster: none are set.
    for key, value, is_set in plane.options.described():
        if resource.configuration_keys is not None and key.name not in resource.configuration_keys:
            continue
        setting = Setting(key.name, value, SOURCE_STATIC_BROKER if is_set else SOURCE_DEFAULT)
        synonyms = []
        if message.include_synonyms:
            synonyms.append(
                DescribeConfigsResponse.DescribeConfigsSynonym(name=key.name, value=value, source=setting.source)
            )
        result.configs.append(_entry(setting, key, synonyms, read_only=True))


def _entry(
    setting: Setting,
    key: ConfigKey,
    synonyms: list[DescribeConfigsResponse.DescribeConfigsSynonym],
    *,
    read_only: bool,
) -> DescribeConfigsResponse.DescribeConfigsResourceResult:
    is_sensitive = key.kind == "PASSWORD"
    return DescribeConfigsResponse.DescribeConfigsResourceResult(
        name=setting.name,
        value=None if is_sensitive else setting.value,
        read_only=read_only,
        config_source=setting.source,
        is_sensitive=is_sensitive,
        synonyms=synonyms,
        config_type=_TYPES[key.kind],
        documentation=None,
    )
