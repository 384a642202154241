"""InitProducerId of idempotent producers."""

from __future__ import annotations

from typing import Any

from behaviour.cases import Body, Play, case
from behaviour.cases.bodies import new_producer

API = "InitProducerId"


def of(**more: Any) -> Body:
    fields = {"transactionalId": None, "transactionTimeoutMs": 60_000, "producerId": -1, "producerEpoch": -1}
    return {**fields, **more}


@case
def every_version(play: Play) -> None:
    new_producer(play)
    for version in play.versions(API):
        play.ask(API, version, **of())
        play.ask(API, version, **of())


@case
def with_a_producer_id(play: Play) -> None:
    known = new_producer(play)
    for version in (3, 4, 5):
        for producer, epoch in ((known, 0), (known, 5), (10**9, 0), (known, -1), (-1, 3), (-2, 0), (known, -2)):
            label = f"{'known' if producer == known else producer} epoch {epoch}"
            play.ask(API, version, label=label, **of(producerId=producer, producerEpoch=epoch))


@case
def timeouts(play: Play) -> None:
    new_producer(play)
    for version in play.versions(API):
        for timeout in (0, -1, 2**31 - 1):
            play.ask(API, version, label=str(timeout), **of(transactionTimeoutMs=timeout))


@case
def empty_transactional_id(play: Play) -> None:
    for version in play.versions(API):
        play.ask(API, version, **of(transactionalId=""))
