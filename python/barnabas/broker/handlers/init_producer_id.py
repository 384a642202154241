"""InitProducerId (key 22), versions 0-5.

Kept: idempotent producers, with a fresh id and epoch 0 each time, as Kafka does without a transactional id, and the
refusal of an id without an epoch or the other way round. Left out:
transactional ids, which get UNSUPPORTED_VERSION (the error is fatal to a producer, as it should be).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import InvalidRequestError, UnsupportedVersionError
from barnabas.protocol.messages.init_producer_id import InitProducerIdResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Gives the producer an id."""
    transactional_id = request.message.transactional_id

    def answer(error_code: int, producer_id: int) -> None:
        request.respond(
            InitProducerIdResponse(
                error_code=error_code,
                producer_id=producer_id,
                producer_epoch=-1 if error_code else 0,
            ),
        )

    if (request.message.producer_id == -1) != (request.message.producer_epoch == -1):
        # Who has had an id has had an epoch (KIP-360).
        answer(InvalidRequestError.code, -1)
    elif transactional_id is None:
        plane.producer_ids.allocate(request.now, answer)
    else:
        answer(UnsupportedVersionError.code if transactional_id else InvalidRequestError.code, -1)
