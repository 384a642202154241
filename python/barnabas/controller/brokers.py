"""UnregisterBroker: (image, request) -> (records, response)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.errors import BrokerIdNotRegisteredError
from barnabas.protocol.messages.partition_change_record import PartitionChangeRecord
from barnabas.protocol.messages.unregister_broker import UnregisterBrokerResponse
from barnabas.protocol.messages.unregister_broker_record import UnregisterBrokerRecord

if TYPE_CHECKING:
    from barnabas.controller.image import Image
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.unregister_broker import UnregisterBrokerRequest

__all__ = ["unregister_broker"]

_ELR = "eligible.leader.replicas.version"
_NOBODY = -1


def unregister_broker(
    image: Image, message: UnregisterBrokerRequest, settings: ControllerSettings
) -> tuple[list[Any], UnregisterBrokerResponse]:
    """Decides about a broker that left for good.

    As in Kafka it may be one that runs: it then leads nothing until it starts again.
    """
    del settings
    node_id = message.broker_id
    broker = image.brokers.get(node_id)
    if broker is None:
        why = f"Broker ID {node_id} is not currently registered"
        return [], UnregisterBrokerResponse(error_code=BrokerIdNotRegisteredError.code, error_message=why)
    records: list[Any] = _without_leader(image, node_id)
    records.append(UnregisterBrokerRecord(broker_id=node_id, broker_epoch=broker.epoch))
    return records, UnregisterBrokerResponse(error_message="")


def _without_leader(image: Image, node_id: int) -> list[Any]:
    """Returns the records by which partitions that only this broker has in sync have no leader, and remember it."""
    keeps_eligible = image.features.get(_ELR, 0) > 0
    return [
        PartitionChangeRecord(
            partition_id=partition.partition,
            topic_id=topic.topic_id,
            leader=_NOBODY,
            isr=[] if keeps_eligible else None,
            eligible_leader_replicas=[node_id] if keeps_eligible else None,
            last_known_elr=[node_id] if keeps_eligible else None,
        )
        for topic in image.topics.values()
        for partition in topic.partitions.values()
        if partition.isr == (node_id,)
    ]
