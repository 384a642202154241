"""One suite of behaviour: raw requests of every version, the same to our broker and to the reference Kafka.

`make test` compares our broker's answers with the recorded ones of the reference, and our codec with the bytes that Kafka's
classes made of them. `make interop` plays both live, through Kafka's classes, and fails if the recording is stale.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kio.serial import entity_reader
from kio.serial.errors import OutOfBoundValue
from kio_opinion import assert_same, kio_class

from barnabas.protocol import codec
from behaviour.cases import CASES, load
from behaviour.differences import DIFFERENCES, KNOWN_DEFECTS, Difference
from behaviour.normal import Normal, different
from behaviour.play import Play, Recording, Step
from behaviour.wire import KEYS, JavaCodec, OwnCodec, body_of, own_response, request_head, response_head

if TYPE_CHECKING:
    from collections.abc import Callable

    from behaviour.recordings import Recordings

NAMES = sorted(load())
PLAYED = [
    pytest.param(
        name, marks=[pytest.mark.xfail(strict=True, reason=KNOWN_DEFECTS[name])] if name in KNOWN_DEFECTS else []
    )
    for name in NAMES
]
RUNS = itertools.count()
README = Path(__file__).parents[2] / "README.md"


@pytest.mark.parametrize("name", PLAYED)
def test_answers_as_the_reference_did(
    name: str, ours: str, recordings: Recordings, record_property: Callable[[str, Any], None]
) -> None:
    recorded = recordings.cases.get(name)
    assert recorded is not None, f'no recording of {name}: RECORD=1 make interop ARGS="tests/behaviour -k {name}"'
    with Play(name, ours, OwnCodec(), recorded=recorded) as play:
        CASES[name](play)
    judge(recorded, play.recording(), record_property, as_far=True)


@pytest.mark.interop
@pytest.mark.parametrize("name", PLAYED)
def test_both_answer_alike(
    name: str, ours: str, theirs: str, oracle: JavaCodec, recordings: Recordings,
    record_property: Callable[[str, Any], None],
) -> None:  # fmt: skip
    # A reference that runs already has the topics of earlier runs.
    prefix = f"r{os.getpid()}-{next(RUNS)}-" if "REFERENCE" in os.environ else ""
    with Play(name, theirs, oracle, prefix=prefix) as their_play:
        CASES[name](their_play)
    expected = their_play.recording()
    if "RECORD" in os.environ:
        recordings.keep(CASES[name].__module__.rpartition(".")[2], expected)
    recorded = recordings.cases[name]
    found = [(step.label, step.api, step.version, step.answer) for step in expected.steps]
    if found != [(step.label, step.api, step.version, step.answer) for step in recorded.steps]:
        pytest.fail(f"the recording of {name} is stale: RECORD=1 writes it anew")
    with Play(name, ours, oracle, prefix=prefix) as our_play:
        CASES[name](our_play)
    judge(expected, our_play.recording(), record_property)


def judge(theirs: Recording, ours: Recording, record_property: Callable[[str, Any], None], **how: bool) -> None:
    """Compares two plays; differences must be declared, and those that are must occur."""
    assert [(step.label, step.api, step.version) for step in ours.steps] == [
        (step.label, step.api, step.version) for step in theirs.steps
    ]
    declared = [difference for difference in DIFFERENCES if difference.concerns(theirs.case)]
    occurred: list[Difference] = []
    count = 0
    undeclared = []
    for index, (their_step, our_step) in enumerate(zip(theirs.steps, ours.steps, strict=True)):
        for path, their_value, our_value in different(their_step.answer, our_step.answer, **how):
            found = (theirs.case, their_step.api, path, their_value, our_value)
            matching = [difference for difference in declared if difference.matches(*found)]
            occurred += matching
            count += bool(matching)
            if not matching:
                undeclared.append(told(index, their_step, path, their_value, our_value))
    record_property("answers", len(theirs.steps))
    record_property("differences", count)
    assert not undeclared, "\n".join(undeclared)
    idle = [difference for difference in declared if difference not in occurred]
    assert not idle, f"declared, but does not occur: {idle}"


def told(index: int, step: Step, path: str, theirs: Any, ours: Any) -> str:
    """One difference as a text."""
    return f"step {index} {step.label} {step.api} v{step.version} {step.sent}\n  {path}\n  theirs {theirs}\n  ours   {ours}"


@pytest.mark.parametrize("name", NAMES)
def test_kafkas_bytes_are_what_our_codec_makes_and_reads(name: str, recordings: Recordings) -> None:
    recorded = recordings.cases[name]
    normal = Normal(recorded.names)
    for step in recorded.steps:
        where = f"{step.label} {step.api} v{step.version}"
        if not step.raw:
            cls = codec.request_class(KEYS[step.api])
            body = step.request[request_head(step.api, step.version, step.request) :]
            assert codec.encode(codec.decode(cls, step.version, body), step.version) == body, where
        if step.response:
            message = own_response(step.api, step.version, step.response)
            body = step.response[response_head(step.api, step.version) :]
            assert codec.encode(message, step.version) == body, where
            assert_kio_reads(message, step.version, body)
            assert not different(step.answer, normal(step.api, body_of(message)), as_far=True), where


def assert_kio_reads(message: Any, version: int, body: bytes) -> None:
    """The same in the eyes of kio, if it knows the version."""
    try:
        cls = kio_class(message, version)
    except (ModuleNotFoundError, AttributeError):
        return
    try:
        theirs, size = entity_reader(cls)(body, 0)
    except OutOfBoundValue:
        # kio takes no negative times, which Kafka sends where there is none.
        return
    assert size == len(body)
    assert_same(theirs, message, f"{cls.__module__}")


def test_every_difference_has_a_reason_that_may_be_declared() -> None:
    readme = README.read_text()
    for difference in DIFFERENCES:
        assert difference.reason, difference
        assert any(difference.concerns(name) for name in NAMES), f"no such case: {difference}"
        assert difference.limit in readme, f"the README does not name this limit: {difference}"


def test_every_recording_and_every_known_defect_has_its_case(recordings: Recordings) -> None:
    assert not (set(recordings.cases) | set(KNOWN_DEFECTS)) - set(NAMES)
