"""DescribeCluster (key 60), versions 0-2.

Kept: the brokers and who controls. Left out: the controllers' endpoint type, which only a controller listener serves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import MismatchedEndpointTypeError, UnsupportedEndpointTypeError
from barnabas.protocol.messages.describe_cluster import DescribeClusterResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

BROKERS, CONTROLLERS = 1, 2


def handle(plane: ControlPlane, request: Request) -> None:
    """Says who belongs to the cluster."""
    endpoint_type = request.message.endpoint_type
    if endpoint_type != BROKERS:
        mismatched = endpoint_type == CONTROLLERS
        request.respond(
            DescribeClusterResponse(
                error_code=MismatchedEndpointTypeError.code if mismatched else UnsupportedEndpointTypeError.code,
                error_message=(
                    "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER"
                    if mismatched
                    else f"Unsupported endpoint type {endpoint_type}"
                ),
                cluster_id=plane.options.cluster_id,
            ),
        )
        return
    brokers = []
    for broker in plane.metadata.image.brokers.values():
        endpoint = plane.metadata.endpoint(broker.node_id, request.listener)
        if endpoint is not None:
            brokers.append(
                DescribeClusterResponse.DescribeClusterBroker(
                    broker_id=broker.node_id, host=endpoint[0], port=endpoint[1], rack=broker.rack
                ),
            )
    request.respond(
        DescribeClusterResponse(
            cluster_id=plane.options.cluster_id,
            controller_id=plane.metadata.node_id,
            brokers=brokers,
        ),
    )
