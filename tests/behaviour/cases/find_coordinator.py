"""FindCoordinator."""

from __future__ import annotations

from behaviour.cases import Play, case
from behaviour.cases.bodies import coordinator_is_ready

API = "FindCoordinator"


@case
def every_version(play: Play) -> None:
    coordinator_is_ready(play, "x")
    for version in play.versions(API):
        play.ask(API, version, key="g", coordinatorKeys=["g"])


@case
def several_keys(play: Play) -> None:
    coordinator_is_ready(play, "x")
    for version in range(4, 7):
        for keys in ([], ["a", "b"], ["a", "a"], ["a", ""]):
            play.ask(API, version, coordinatorKeys=keys)


@case
def empty_and_odd_keys(play: Play) -> None:
    coordinator_is_ready(play, "x")
    for version in play.versions(API):
        for key in ("", " ", "ü", "x" * 500):
            play.ask(API, version, key=key, coordinatorKeys=[key])


@case
def unknown_kinds(play: Play) -> None:
    for version in range(1, 7):
        for kind in (3, 9, -1):
            play.ask(API, version, on=play.connect(), key="g", keyType=kind, coordinatorKeys=["g"])


@case
def share_coordinators(play: Play) -> None:
    for version in range(1, 7):
        for key in ("g", ""):
            play.ask(API, version, on=play.connect(), key=key, keyType=2, coordinatorKeys=[key])
