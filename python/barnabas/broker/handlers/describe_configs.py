"""DescribeConfigs (key 32), versions 1-4.

Kept: topics, brokers, groups, metrics subscriptions, loggers; sources, types, synonyms. Documentation texts are made
from the option tables, not Kafka's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.loggers import describe_loggers
from barnabas.broker.request import MALFORMED_TEXT
from barnabas.controller.describe_configs import described_result
from barnabas.controller.image import BROKER_LOGGER_RESOURCE
from barnabas.errors import InvalidRequestError
from barnabas.protocol.messages.describe_configs import DescribeConfigsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

_KINDS = frozenset({2, 4, 8, 16, 32})


def handle(plane: ControlPlane, request: Request) -> None:
    """Says which options are in force."""
    resources = request.message.resources
    if any(resource.resource_type not in _KINDS for resource in resources):
        # One resource of a kind that nobody knows, and Kafka refuses the request as a whole.
        refused = _refusal(resources, InvalidRequestError.code)
        for result in refused.results:
            result.error_message = MALFORMED_TEXT
        request.respond(refused)
        return

    def finish(response: Any) -> None:
        for index, resource in enumerate(resources):
            if resource.resource_type == BROKER_LOGGER_RESOURCE:
                response.results[index] = describe_loggers(resource, plane.metadata.node_id)

    plane.metadata.administer(request, lambda code: _refusal(resources, code), finish)


def _refusal(resources: list[Any], code: int) -> DescribeConfigsResponse:
    results = [described_result(resource) for resource in resources]
    for result in results:
        result.error_code = code
    return DescribeConfigsResponse(results=results)
