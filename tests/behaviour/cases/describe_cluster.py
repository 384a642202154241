"""DescribeCluster."""

from __future__ import annotations

from behaviour.cases import Play, case

API = "DescribeCluster"


@case
def every_version(play: Play) -> None:
    for version in play.versions(API):
        for operations in (False, True):
            play.ask(API, version, includeClusterAuthorizedOperations=operations)


@case
def kinds_of_endpoints(play: Play) -> None:
    for version in (1, 2):
        for kind in (0, 1, 2, 3, 9, -1):
            play.ask(API, version, endpointType=kind)


@case
def fenced_brokers(play: Play) -> None:
    for fenced in (False, True):
        play.ask(API, 2, includeFencedBrokers=fenced)
