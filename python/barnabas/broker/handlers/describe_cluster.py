"""DescribeCluster (key 60), versions 0-2.

Kept: the brokers and who controls. Left out: the controllers' endpoint type, which only a controller listener serves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import InvalidRequestError, MismatchedEndpointTypeError, UnsupportedEndpointTypeError
from barnabas.protocol.messages.describe_cluster import DescribeClusterResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

BROKERS, CONTROLLERS = 1, 2
CLUSTER_OPERATIONS = 0b1_1111_1010_0000
"""What Kafka allows on the cluster when there is no authorizer: create, alter, describe, cluster action, describe and
alter configs, idempotent write, each as the bit of its number in the ACL protocol."""
NOT_ASKED_FOR = -(1 << 31)
NOBODY = -1


def handle(plane: ControlPlane, request: Request) -> None:
    """Says who belongs to the cluster."""
    endpoint_type = request.message.endpoint_type
    if endpoint_type != BROKERS:
        mismatched = endpoint_type == CONTROLLERS
        error = MismatchedEndpointTypeError if mismatched else UnsupportedEndpointTypeError
        request.respond(
            DescribeClusterResponse(
                # Version 0 has no type to choose, and none of these errors.
                error_code=error.code if request.version else InvalidRequestError.code,
                error_message=(
                    "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER"
                    if mismatched
                    else f"Unsupported endpoint type {endpoint_type}"
                ),
            ),
        )
        return
    brokers = []
    for broker in plane.metadata.image.brokers.values():
        if broker.fenced and not request.message.include_fenced_brokers:
            continue
        for name, host, port in broker.endpoints:
            if name == request.listener:
                brokers.append(
                    DescribeClusterResponse.DescribeClusterBroker(
                        broker_id=broker.node_id, host=host, port=port, rack=broker.rack, is_fenced=broker.fenced
                    ),
                )
    request.respond(
        DescribeClusterResponse(
            cluster_id=plane.options.cluster_id,
            controller_id=plane.metadata.node_id if plane.metadata.node_id in plane.metadata.image.brokers else NOBODY,
            brokers=brokers,
            cluster_authorized_operations=(
                CLUSTER_OPERATIONS if request.message.include_cluster_authorized_operations else NOT_ASKED_FOR
            ),
        ),
    )
