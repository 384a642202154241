"""AlterReplicaLogDirs (key 34), versions 1-2. Replicas stay where they are: only their own directory is accepted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from barnabas.errors import InvalidTopicError, KafkaStorageError, LogDirNotFoundError, UnknownTopicOrPartitionError
from barnabas.protocol.messages.alter_replica_log_dirs import AlterReplicaLogDirsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

FUTURE_SUFFIX = len(".") + 32 + len("-future")
"""What Kafka puts behind the name of a replica's directory while it moves."""
FILE_NAME_MAX = 255


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers for each replica whether it is where it should be."""
    shape = AlterReplicaLogDirsResponse
    data_dirs = [os.path.abspath(path) for path in plane.data_dirs]  # noqa: PTH100 - without pathlib
    codes: dict[str, dict[int, int]] = {}
    for wanted in request.message.dirs:
        for topic in wanted.topics:
            for number in topic.partitions:
                codes.setdefault(topic.name, {})[number] = _code(plane, data_dirs, wanted.path, topic.name, number)
    results = [
        shape.AlterReplicaLogDirTopicResult(
            topic_name=name,
            partitions=[
                shape.AlterReplicaLogDirPartitionResult(partition_index=number, error_code=code)
                for number, code in partitions.items()
            ],
        )
        for name, partitions in codes.items()
    ]
    request.respond(shape(results=results))


def _code(plane: ControlPlane, data_dirs: list[str], path: str, name: str, number: int) -> int:
    place = f"{name}-{number}"
    if len(place) + FUTURE_SUFFIX > FILE_NAME_MAX:
        return InvalidTopicError.code
    if path not in data_dirs:
        return LogDirNotFoundError.code
    topic = plane.metadata.image.topics.get(name)
    if topic is None or number not in topic.partitions:
        return UnknownTopicOrPartitionError.code
    holders = [other for other in data_dirs if os.path.isdir(os.path.join(other, place))]  # noqa: PTH112, PTH118
    # One that has no files yet is described as being in the first.
    return 0 if path in (holders or data_dirs[:1]) else KafkaStorageError.code
