"""The node's loggers as a resource of configuration: Python's `logging`, by Kafka's level names."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from barnabas.controller.alter_configs import check_node_id, refused_resources
from barnabas.controller.describe_configs import described_result
from barnabas.controller.image import BROKER_LOGGER_RESOURCE
from barnabas.controller.refusal import Refused
from barnabas.errors import InvalidConfigError, InvalidRequestError
from barnabas.protocol.messages.describe_configs import DescribeConfigsResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.protocol.messages.incremental_alter_configs import (
        IncrementalAlterConfigsRequest,
        IncrementalAlterConfigsResponse,
    )

__all__ = ["change_loggers", "describe_loggers"]

ROOT = "root"
SOURCE_LOGGER = 6
SET, DELETE = 0, 1
_OPERATIONS = {2: "APPEND", 3: "SUBTRACT"}
_LEVELS = {"DEBUG": 10, "ERROR": 40, "FATAL": 50, "INFO": 20, "TRACE": 5, "WARN": 30}
_NAMES = {number: name for name, number in _LEVELS.items()}
_OWN = ("barnabas", "barnabas.broker")


def _loggers() -> Mapping[str, logging.Logger]:
    """Returns the loggers of this package, and the root of all."""
    known = [name for name in logging.Logger.manager.loggerDict if name.startswith("barnabas.")]
    return {ROOT: logging.getLogger()} | {name: logging.getLogger(name) for name in sorted({*known, *_OWN})}


def describe_loggers(resource: Any, node_id: int) -> DescribeConfigsResponse.DescribeConfigsResult:
    """Says at which level each logger writes."""
    result = described_result(resource)
    name = resource.resource_name
    why = None
    if not name:
        why = "Broker id must not be empty"
    elif not name.lstrip("+-").isdigit():
        why = f"Broker id must be an integer, but it is: {name}"
    elif int(name) != node_id:
        why = f"Unexpected broker id, expected {node_id} but received {name}"
    if why is not None:
        result.error_code, result.error_message = InvalidRequestError.code, why
        return result
    wanted = resource.configuration_keys
    result.configs = [
        DescribeConfigsResponse.DescribeConfigsResourceResult(
            name=logger_name,
            value=_level_name(logger.getEffectiveLevel()),
            read_only=False,
            config_source=SOURCE_LOGGER,
            is_sensitive=False,
        )
        for logger_name, logger in _loggers().items()
        if not wanted or logger_name in wanted
    ]
    return result


def _level_name(level: int) -> str:
    return next((_NAMES[known] for known in sorted(_NAMES, reverse=True) if known <= level), "TRACE")


def change_loggers(
    message: IncrementalAlterConfigsRequest, response: IncrementalAlterConfigsResponse, node_id: int
) -> None:
    """Sets levels as a request says, and puts the outcome into its response."""
    for resource, result, refused in zip(
        message.resources, response.responses, refused_resources(message.resources), strict=True
    ):
        if resource.resource_type != BROKER_LOGGER_RESOURCE or refused is not None:
            continue
        try:
            check_node_id(resource.resource_name, node_id, "Unexpected node id. Expected {}, but received {}")
            levels = _new_levels(resource)
        except Refused as refusal:
            result.error_code, result.error_message = refusal.code, refusal.message
            continue
        result.error_code, result.error_message = 0, None
        if not message.validate_only:
            for name, level in levels.items():
                logging.getLogger("" if name == ROOT else name).setLevel(level)


def _new_levels(resource: Any) -> dict[str, int]:
    levels = {}
    known = _loggers()
    for config in resource.configs:
        name, operation = config.name, config.config_operation
        if operation == SET:
            if config.value not in _LEVELS:
                raise Refused(
                    InvalidConfigError.code,
                    f"Cannot set the log level of {name} to {config.value} as it is not a supported log level. "
                    f"Valid log levels are {', '.join(sorted(_LEVELS))}",
                )
            _check_known(name, known)
            levels[name] = _LEVELS[config.value]
        elif operation == DELETE:
            _check_known(name, known)
            if name == ROOT:
                raise Refused(InvalidRequestError.code, "Removing the log level of the root logger is not allowed")
            levels[name] = logging.NOTSET
        elif operation in _OPERATIONS:
            raise Refused(
                InvalidRequestError.code,
                f"{_OPERATIONS[operation]} operation is not allowed for the BROKER_LOGGER resource",
            )
        else:
            raise Refused(
                InvalidRequestError.code,
                f"Unknown operation type {operation} is not allowed for the BROKER_LOGGER resource",
            )
    return levels


def _check_known(name: str, known: Mapping[str, logging.Logger]) -> None:
    if name not in known:
        raise Refused(InvalidConfigError.code, f"Logger {name} does not exist!")
