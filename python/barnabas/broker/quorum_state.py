"""Kafka's `quorum-state`: who led the metadata log last, beside the log; and the record in it by which a leader begins.

One node elects nobody, but every start leads in an epoch of its own, as a Kafka that was elected, and a Kafka that
starts on the same directory goes on from there.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from barnabas.broker import log
from barnabas.controller.image import METADATA_TOPIC
from barnabas.errors import ConfigError, KafkaError

if TYPE_CHECKING:
    from barnabas.broker.core import DataPlane
    from barnabas.protocol.messages.voters_record import VotersRecord

__all__ = ["check_voters", "leader_change", "stored_epoch", "write_quorum_state"]

NAME = "quorum-state"
LEADER_CHANGE = 2


def stored_epoch(data_dirs: list[str]) -> int:
    """Returns the last epoch that was begun, which the log may not know; 0 without a file that can be read."""
    for data_dir in data_dirs:
        path = f"{data_dir}/{METADATA_TOPIC}-0/{NAME}"
        # Without pathlib, whose import would be part of the start.
        with contextlib.suppress(OSError, ValueError, TypeError), open(path, encoding="utf-8") as file:  # noqa: PTH123
            return int(json.loads(file.read())["leaderEpoch"])
    return 0


def write_quorum_state(core: DataPlane, node_id: int, leader_epoch: int, kraft_version: int = 0) -> None:
    """Replaces the file; a node that cannot write it goes on without."""
    if kraft_version:
        votes = f'"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":{kraft_version}'
        text = f'{{"leaderId":{node_id},"leaderEpoch":{leader_epoch},{votes}}}'
    else:
        text = (
            f'{{"clusterId":"","leaderId":{node_id},"leaderEpoch":{leader_epoch},"votedId":-1,"appliedOffset":0,'
            f'"currentVoters":[{{"voterId":{node_id}}}],"data_version":0}}'
        )
    try:
        core.store(NAME, text.encode())
    except (OSError, KafkaError) as error:
        log.warning("%s cannot be written: %s", NAME, error)


def check_voters(voters: VotersRecord | None, node_id: int) -> None:
    """Checks that the quorum that the log tells of is this node alone.

    Raises:
        ConfigError: It has other voters.
    """
    others = [voter.voter_id for voter in voters.voters if voter.voter_id != node_id] if voters is not None else []
    if others:
        raise ConfigError(f"the metadata log's voters include {others}: this broker is a cluster of one node")


def leader_change(node_id: int) -> tuple[int, bytes]:
    """Returns (type, value) of the control record by which a leader's epoch begins."""
    from barnabas.protocol import codec  # noqa: PLC0415 - as late as it can be
    from barnabas.protocol.messages.leader_change_message import LeaderChangeMessage  # noqa: PLC0415

    shape = LeaderChangeMessage
    voter = [shape.Voter(voter_id=node_id)]
    # With any kraft.version: Kafka 4.3 reads these records by version 0, whatever they say.
    return LEADER_CHANGE, codec.encode(shape(version=0, leader_id=node_id, voters=voter, granting_voters=voter), 0)
