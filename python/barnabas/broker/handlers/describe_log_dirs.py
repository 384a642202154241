"""DescribeLogDirs (key 35), versions 1-5. A partition that has no files yet counts as empty, in the first directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.log_dirs import DirectorySize, LogDirs
from barnabas.errors import KafkaStorageError, ThrottlingQuotaExceededError
from barnabas.protocol.messages.describe_log_dirs import DescribeLogDirsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

_COUNTER = LogDirs()


def handle(plane: ControlPlane, request: Request) -> None:
    """Says what is in the data directories, and how large it is."""
    topics = plane.metadata.image.topics
    wanted: dict[str, list[int]]
    if request.message.topics is None:
        wanted = {name: list(topic.partitions) for name, topic in topics.items()}
    else:
        wanted = {
            topic.topic: [number for number in topic.partitions if number in topics[topic.topic].partitions]
            for topic in request.message.topics
            if topic.topic in topics
        }

    def done(directories: list[DirectorySize]) -> None:
        request.respond(DescribeLogDirsResponse(results=_results(wanted, directories)))

    if not _COUNTER.count(plane.data_dirs, done):
        request.respond(DescribeLogDirsResponse(error_code=ThrottlingQuotaExceededError.code))


def _results(wanted: dict[str, list[int]], directories: list[DirectorySize]) -> list[Any]:
    shape = DescribeLogDirsResponse
    placed = {name for directory in directories for name in directory.sizes or ()}
    results = []
    for index, directory in enumerate(directories):
        if directory.sizes is None:
            results.append(shape.DescribeLogDirsResult(error_code=KafkaStorageError.code, log_dir=directory.path))
            continue
        topics = []
        for name, numbers in wanted.items():
            partitions = [
                shape.DescribeLogDirsPartition(partition_index=number, partition_size=directory.sizes.get(place, 0))
                for number in numbers
                if (place := f"{name}-{number}") in directory.sizes or (index == 0 and place not in placed)
            ]
            if partitions:
                topics.append(shape.DescribeLogDirsTopic(name=name, partitions=partitions))
        results.append(
            shape.DescribeLogDirsResult(
                log_dir=directory.path,
                topics=topics,
                total_bytes=directory.total_bytes,
                usable_bytes=directory.usable_bytes,
            )
        )
    return results
