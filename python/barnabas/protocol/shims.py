"""Old versions' shapes to the newest and back, for messages that changed shape.

Handlers and clients see only the newest shape: `lift` makes it of what was decoded, `lower` makes what a version can
carry of it, error codes included. Both leave their argument alone and return it as it is when there is nothing to do.

Topic ids and names need a look at the cluster's metadata, so they are apart: `name_topics` and `identify_topics`.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

from barnabas.errors import ProtocolError
from barnabas.protocol.struct import ZERO_UUID, Message, Struct

if TYPE_CHECKING:
    from collections.abc import Callable

M = TypeVar("M", bound=Message)

INVALID_PRODUCER_EPOCH: Final = 47
PRODUCER_FENCED: Final = 90
TRANSACTION_ABORTABLE: Final = 120

# API key: (error code, the first version that may carry it, what earlier versions carry instead).
NEWER_ERRORS: Final[dict[int, tuple[tuple[int, int, int], ...]]] = {
    8: ((100, 10, 3), (113, 9, 35), (69, 9, 22)),  # OffsetCommit: UNKNOWN_TOPIC_ID, STALE_MEMBER_EPOCH, no such group
    9: ((100, 10, 3),),
    10: ((TRANSACTION_ABORTABLE, 5, 48),),
    20: ((73, 3, 42),),  # DeleteTopics: TOPIC_DELETION_DISABLED, INVALID_REQUEST
    22: ((PRODUCER_FENCED, 4, INVALID_PRODUCER_EPOCH), (TRANSACTION_ABORTABLE, 5, 48)),
    24: ((PRODUCER_FENCED, 2, INVALID_PRODUCER_EPOCH), (TRANSACTION_ABORTABLE, 5, 48)),
    25: ((PRODUCER_FENCED, 2, INVALID_PRODUCER_EPOCH), (TRANSACTION_ABORTABLE, 4, 48)),
    26: ((PRODUCER_FENCED, 2, INVALID_PRODUCER_EPOCH), (TRANSACTION_ABORTABLE, 4, 48)),
    28: ((TRANSACTION_ABORTABLE, 4, 48),),
}
# The first version with topic ids in place of names.
TOPIC_IDS_FROM: Final = {8: 10, 9: 10}
ERROR_FIELDS: Final = ("error_code", "partition_error_code")
PLAIN_TYPES: Final = frozenset({"bool", "int", "float", "str", "bytes", "str | None", "bytes | None"})
"""Annotations of fields that hold neither structs nor lists."""


class _Shim(Protocol):
    """How one message changed shape."""

    first: int  # the first version of the newest shape

    def lift(self, message: Any) -> Message: ...
    def lower(self, message: Any, version: int, request: Any) -> Message: ...


def lift(message: M, version: int) -> M:
    """The newest shape of a message that was decoded at `version`."""
    cls: Any = type(message)
    shim, _, lifted = _plan(cls, version)
    if shim is not None:
        message = cast("M", shim.lift(message))
    return _map_errors(message, lifted) if lifted else message


def lower(message: M, version: int, request: Message | None = None) -> M:
    """What `version` can carry of a message in the newest shape.

    Args:
        message: The message.
        version: The version that it will be encoded at.
        request: For a response, the request in the newest shape: where an old version has no place for an error of the
            whole, the error is given for each partition that was asked for.

    Raises:
        ProtocolError: If the version has room for one group, member or transaction, and the message has not just one.
    """
    cls: Any = type(message)
    shim, lowered, _ = _plan(cls, version)
    if lowered:
        message = _map_errors(message, lowered)
    return message if shim is None else cast("M", shim.lower(message, version, request))


def variants(message: Message) -> list[tuple[int, int, Message]]:
    """A request in the newest shape as (first version, last version, message), for each shape that can carry it."""
    low, high = type(message).VERSIONS
    key = message.API_KEY
    if key in TOPIC_IDS_FROM:
        ids = [topic.topic_id != ZERO_UUID for topic in _topics(message)]
        names = [bool(topic.name) for topic in _topics(message)]
        if not all(ids):
            high = min(high, TOPIC_IDS_FROM[key] - 1)
        if not all(names):
            low = max(low, TOPIC_IDS_FROM[key])
    shim = _shim(message)
    if shim is None or low >= shim.first:
        return [(low, high, message)]
    bounds = [low, *(version for version in _BOUNDS.get(type(message).__name__, ()) if low < version), shim.first]
    try:
        old = [(first, after - 1, shim.lower(message, after - 1, None)) for first, after in itertools.pairwise(bounds)]
    except ProtocolError:
        return [(shim.first, high, message)]
    return [*old, (shim.first, high, message)]


def name_topics(message: Message, name_of: Callable[[bytes], str | None]) -> None:
    """Fills in the names of topics that are given by id; those that are not known keep an empty name."""
    for topic in _topics(message):
        if not topic.name and topic.topic_id != ZERO_UUID:
            topic.name = name_of(topic.topic_id) or ""


def identify_topics(message: Message, id_of: Callable[[str], bytes | None]) -> None:
    """Fills in the ids of topics that are given by name; those that are not known keep the zero id."""
    for topic in _topics(message):
        if topic.name and topic.topic_id == ZERO_UUID:
            topic.topic_id = id_of(topic.name) or ZERO_UUID


def _topics(message: Any) -> list[Any]:
    if hasattr(message, "groups"):
        return [topic for group in message.groups for topic in group.topics or ()]
    return list(message.topics)


@cache
def _plan(cls: type[Message], version: int) -> tuple[_Shim | None, dict[int, int], dict[int, int]]:
    """What there is to do at a version: the shim, error codes as it carries them, and which of those are made newer."""
    shim = _SHIMS.get(cls.__name__)
    newer: tuple[tuple[int, int, int], ...] = ()
    if cls.API_KEY is not None and cls.__name__.endswith("Response"):
        newer = tuple(entry for entry in NEWER_ERRORS.get(cls.API_KEY, ()) if version < entry[1])
    return (
        None if shim is None or version >= shim.first else shim,
        {code: old for code, _, old in newer},
        {old: code for code, _, old in newer if old == INVALID_PRODUCER_EPOCH},
    )


def _copy(struct: Any) -> Any:
    made: Any = object.__new__(type(struct))
    for name in type(struct).__slots__:
        setattr(made, name, getattr(struct, name))
    made.unknown_tagged_fields = struct.unknown_tagged_fields
    return made


def _with(struct: Any, **fields: object) -> Any:
    made = _copy(struct)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def _map_errors(struct: Any, codes: dict[int, int]) -> Any:
    """The struct with error codes replaced, everywhere; the same object if there is nothing to replace."""
    if not _holds_any(struct, codes):
        return struct
    changed: dict[str, object] = {}
    cls: Any = type(struct)
    for name in _fields_with_errors(cls):
        value = getattr(struct, name)
        if name in ERROR_FIELDS:
            if value in codes:
                changed[name] = codes[value]
        elif isinstance(value, Struct):
            made = _map_errors(value, codes)
            if made is not value:
                changed[name] = made
        elif isinstance(value, list) and value and isinstance(value[0], Struct):
            changed[name] = [_map_errors(element, codes) for element in value]
    return _with(struct, **changed)


def _holds_any(struct: Any, codes: dict[int, int]) -> bool:
    """Whether one of these error codes is anywhere in the struct; hardly ever, so this is what has to be fast."""
    cls: Any = type(struct)
    for name in _fields_with_errors(cls):
        value = getattr(struct, name)
        if type(value) is list:
            if value and isinstance(value[0], Struct):
                for element in value:
                    if _holds_any(element, codes):
                        return True
        elif value in codes if name in ERROR_FIELDS else isinstance(value, Struct) and _holds_any(value, codes):
            return True
    return False


@cache
def _fields_with_errors(cls: type[Struct]) -> tuple[str, ...]:
    """The fields that are or may hold error codes, by their annotations: plain values are passed over."""
    annotations = cls.__init__.__annotations__
    return tuple(name for name in cls.__slots__ if name in ERROR_FIELDS or annotations[name] not in PLAIN_TYPES)


def _only(items: list[Any], what: str) -> Any:
    if len(items) != 1:
        raise ProtocolError(f"this version carries one {what}, not {len(items)}")
    return items[0]


class _FindCoordinatorRequest:
    first = 4

    def lift(self, message: Any) -> Message:
        return cast("Message", _with(message, key="", coordinator_keys=[message.key]))

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        return cast("Message", _with(message, key=_only(message.coordinator_keys, "key"), coordinator_keys=[]))


class _FindCoordinatorResponse:
    first = 4
    fields = ("error_code", "error_message", "node_id", "host", "port")

    def lift(self, message: Any) -> Message:
        found = {name: getattr(message, name) for name in self.fields}
        made = _with(message, **dict(zip(self.fields, (0, None, 0, "", 0), strict=True)))
        made.coordinators = [type(message).Coordinator(**found)]  # the key is known to whoever asked
        return cast("Message", made)

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        found = _only(message.coordinators, "coordinator")
        return cast("Message", _with(message, coordinators=[], **{name: getattr(found, name) for name in self.fields}))


class _OffsetFetchRequest:
    first = 8
    first_stable = 7

    def lift(self, message: Any) -> Message:
        cls = type(message)
        topics = message.topics
        if topics is not None:
            group = cls.OffsetFetchRequestTopics
            topics = [group(name=topic.name, partition_indexes=topic.partition_indexes) for topic in topics]
        groups = [cls.OffsetFetchRequestGroup(group_id=message.group_id, topics=topics)]
        return cast("Message", _with(message, group_id="", topics=[], groups=groups))

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        group = _only(message.groups, "group")
        topics = group.topics
        if topics is not None:
            topic_class = type(message).OffsetFetchRequestTopic
            topics = [topic_class(name=topic.name, partition_indexes=topic.partition_indexes) for topic in topics]
        # A broker that does not know of KIP-447 has no other offsets to give; Java's consumer falls back alike.
        stable = message.require_stable and version >= self.first_stable
        fields = {"group_id": group.group_id, "topics": topics, "groups": [], "require_stable": stable}
        return cast("Message", _with(message, **fields))


class _OffsetFetchResponse:
    first = 8
    fields = ("partition_index", "committed_offset", "committed_leader_epoch", "metadata", "error_code")

    def lift(self, message: Any) -> Message:
        cls = type(message)
        group = cls.OffsetFetchResponseGroup(error_code=message.error_code)
        group.topics = self.topics(message.topics, cls.OffsetFetchResponseTopics, cls.OffsetFetchResponsePartitions)
        return cast("Message", _with(message, topics=[], error_code=0, groups=[group]))

    def lower(self, message: Any, version: int, request: Any) -> Message:
        cls = type(message)
        group = _only(message.groups, "group")
        topics = self.topics(group.topics, cls.OffsetFetchResponseTopic, cls.OffsetFetchResponsePartition)
        code = group.error_code
        if version < 2 and code and request is not None:
            asked = _only(request.groups, "group").topics or []
            topics = [
                cls.OffsetFetchResponseTopic(
                    name=topic.name,
                    partitions=[
                        cls.OffsetFetchResponsePartition(
                            partition_index=index, committed_offset=-1, metadata="", error_code=code
                        )
                        for index in topic.partition_indexes
                    ],
                )
                for topic in asked
            ]
        return cast("Message", _with(message, topics=topics, error_code=code, groups=[]))

    def topics(self, topics: list[Any], topic_class: Any, partition_class: Any) -> list[Any]:
        return [
            topic_class(
                name=topic.name,
                partitions=[
                    partition_class(**{name: getattr(partition, name) for name in self.fields})
                    for partition in topic.partitions
                ],
            )
            for topic in topics
        ]


class _DeleteTopicsRequest:
    first = 6

    def lift(self, message: Any) -> Message:
        topics = [type(message).DeleteTopicState(name=name) for name in message.topic_names]
        return cast("Message", _with(message, topics=topics, topic_names=[]))

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        if any(topic.name is None for topic in message.topics):
            raise ProtocolError("this version deletes topics by name, not by id")
        return cast("Message", _with(message, topics=[], topic_names=[topic.name for topic in message.topics]))


class _LeaveGroupRequest:
    first = 3

    def lift(self, message: Any) -> Message:
        members = [type(message).MemberIdentity(member_id=message.member_id)]
        return cast("Message", _with(message, member_id="", members=members))

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        return cast("Message", _with(message, member_id=_only(message.members, "member").member_id, members=[]))


class _LeaveGroupResponse:
    """The old shape has the only member's error in the place of the whole's: lifting leaves it there."""

    first = 3

    def lift(self, message: Any) -> Message:
        return cast("Message", message)

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        code = message.error_code
        if not code and message.members:
            code = _only(message.members, "member").error_code
        return cast("Message", _with(message, error_code=code, members=[]))


class _JoinGroupRequest:
    """Version 0 has no rebalance timeout: it is the session timeout."""

    first = 1

    def lift(self, message: Any) -> Message:
        return cast("Message", _with(message, rebalance_timeout_ms=message.session_timeout_ms))

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        return cast("Message", message)


class _JoinGroupResponse:
    """Before version 7 a protocol that has not been chosen is empty, not null."""

    first = 7

    def lift(self, message: Any) -> Message:
        return cast("Message", message)

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        return cast("Message", message if message.protocol_name is not None else _with(message, protocol_name=""))


class _AddPartitionsToTxnRequest:
    first = 4
    fields = ("transactional_id", "producer_id", "producer_epoch", "topics")
    empty: tuple[Any, ...] = ("", 0, 0)

    def lift(self, message: Any) -> Message:
        found = {name: getattr(message, "v3_and_below_" + name) for name in self.fields}
        made = _with(message, transactions=[type(message).AddPartitionsToTxnTransaction(**found)])
        for name, value in zip(self.fields, (*self.empty, []), strict=True):
            setattr(made, "v3_and_below_" + name, value)
        return cast("Message", made)

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        found = _only(message.transactions, "transaction")
        if found.verify_only:
            raise ProtocolError("this version cannot ask whether a partition is part of a transaction")
        fields = {"v3_and_below_" + name: getattr(found, name) for name in self.fields}
        return cast("Message", _with(message, transactions=[], **fields))


class _AddPartitionsToTxnResponse:
    first = 4

    def lift(self, message: Any) -> Message:
        result = type(message).AddPartitionsToTxnResult(topic_results=message.results_by_topic_v3_and_below)
        return cast("Message", _with(message, results_by_topic_v3_and_below=[], results_by_transaction=[result]))

    def lower(self, message: Any, version: int, request: Any) -> Message:  # noqa: ARG002
        cls = type(message)
        if message.error_code and request is not None:
            topics = [
                cls.AddPartitionsToTxnTopicResult(
                    name=topic.name,
                    results_by_partition=[
                        cls.AddPartitionsToTxnPartitionResult(
                            partition_index=index, partition_error_code=message.error_code
                        )
                        for index in topic.partitions
                    ],
                )
                for topic in _only(request.transactions, "transaction").topics
            ]
        else:
            topics = _only(message.results_by_transaction, "transaction").topic_results
        fields = {"error_code": 0, "results_by_transaction": [], "results_by_topic_v3_and_below": topics}
        return cast("Message", _with(message, **fields))


_BOUNDS: Final[dict[str, tuple[int, ...]]] = {"OffsetFetchRequest": (_OffsetFetchRequest.first_stable,)}
"""Versions below a shim's first one from which its old shape holds something else."""

_SHIMS: Final[dict[str, _Shim]] = {
    "AddPartitionsToTxnRequest": _AddPartitionsToTxnRequest(),
    "AddPartitionsToTxnResponse": _AddPartitionsToTxnResponse(),
    "DeleteTopicsRequest": _DeleteTopicsRequest(),
    "FindCoordinatorRequest": _FindCoordinatorRequest(),
    "FindCoordinatorResponse": _FindCoordinatorResponse(),
    "JoinGroupRequest": _JoinGroupRequest(),
    "JoinGroupResponse": _JoinGroupResponse(),
    "LeaveGroupRequest": _LeaveGroupRequest(),
    "LeaveGroupResponse": _LeaveGroupResponse(),
    "OffsetFetchRequest": _OffsetFetchRequest(),
    "OffsetFetchResponse": _OffsetFetchResponse(),
}


def _shim(message: Message) -> _Shim | None:
    return _SHIMS.get(type(message).__name__)
