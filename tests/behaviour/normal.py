"""Makes answers comparable, and compares them."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

from behaviour.differences import MADE_UP, NONE_VALUES, ORDERED, TIMES

if TYPE_CHECKING:
    from behaviour.wire import Body

EMPTY = (*NONE_VALUES, [], -(2**31))
"""What a field that is not told may hold where all fields are."""
OTHER_DEFAULTS = {"endpointType": 1, "resourceType": 16, "allowReplicationFactorChange": True}
DAYS_MS = 7 * 86_400_000
IDENTITY = (
    "name", "topicName", "topic", "key", "groupId", "topicId", "resourceType", "resourceName", "partitionIndex", "partition",
    "index", "memberId", "groupInstanceId", "nodeId", "brokerId", "host", "logDir", "entityType", "entityName", "user", "feature",
    "mechanism", "replicaId",
)  # fmt: skip
"""What elements of an array are told apart by, for sorting."""


class Normal:
    """Makes answers of one play comparable: made-up values by where they occur, unordered arrays sorted."""

    def __init__(self, names: dict[str, str], port: int | None = None) -> None:
        self.names = names
        self.port = port
        self.made_up: dict[tuple[str, Any], str] = {}

    def __call__(self, api: str, answer: Any) -> Any:
        return self._finished(self._sorted(api, "", self.named(answer)))

    def named(self, value: Any) -> Any:
        """Puts the case's names in the place of what they stand for."""
        if isinstance(value, dict):
            return {key: self.named(element) for key, element in value.items()}
        if isinstance(value, list):
            return [self.named(element) for element in value]
        if isinstance(value, str):
            for name, symbol in self.names.items():
                value = value.replace(name, symbol)
        return value

    def _sorted(self, api: str, path: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._sorted(api, f"{path}.{key}".strip("."), element) for key, element in value.items()}
        if isinstance(value, list):
            found = [self._sorted(api, path, element) for element in value]
            if (api, path) == ("Fetch", "responses"):
                found = _joined(found)
            if (api, path) in ORDERED or path.endswith("records"):
                return found
            return sorted(found, key=_identity)
        return value

    def _finished(self, value: Any, key: str = "") -> Any:
        """Symbols in the order of appearance."""
        if isinstance(value, dict):
            found = {name: self._finished(element, name) for name, element in value.items()}
            return _without_append_time(found) if found.get("timestampType") == "LogAppendTime" else found
        if isinstance(value, list):
            return [self._finished(element, key) for element in value]
        if key in TIMES and value not in NONE_VALUES:
            return f"<{key}>"
        if key in MADE_UP and (value not in NONE_VALUES or (key == "producerId" and value == 0)):
            return self._symbol(key, value)
        return self._text(value) if isinstance(value, str) else value

    def _symbol(self, key: str, value: Any) -> str:
        if isinstance(value, str) and value.startswith("<"):
            return value
        key = "memberId" if key == "leader" else key
        count = sum(kind == key for kind, _ in self.made_up)
        return self.made_up.setdefault((key, value), f"<{key} {count}>")

    def _text(self, value: str) -> str:
        for (_, made), symbol in self.made_up.items():
            if isinstance(made, str):
                value = value.replace(made, symbol)
        if self.port is not None:
            value = re.sub(rf"\b{self.port}\b", "<port>", value)
        return re.sub(r"-?\d{13,19}\b", _without_today, value)


def _without_append_time(batch: Body) -> Body:
    records = [{**record, "timestamp": "<append time>"} for record in batch["records"]]
    return {**batch, "maxTimestamp": "<append time>", "baseTimestamp": "<append time>", "records": records}


def _without_today(number: re.Match[str]) -> str:
    """A number of a text, unless it is a time of these days, or such a time before the end of all times."""
    now_ms = time.time() * 1000
    size = abs(int(number[0]))
    return "<time>" if min(abs(size - now_ms), abs(2**63 - size - now_ms)) < DAYS_MS else number[0]


def _joined(topics: list[Body]) -> list[Body]:
    """One entry for a topic; the reference begins another where one of other topics stands between."""
    joined: dict[tuple[str, str], Body] = {}
    for topic in topics:
        one = joined.setdefault((topic.get("topic", ""), topic.get("topicId", "")), {**topic, "partitions": []})
        one["partitions"] = sorted([*one["partitions"], *topic["partitions"]], key=_identity)
    return list(joined.values())


def _identity(element: Any) -> Any:
    if not isinstance(element, dict):
        return ("", json.dumps(element)) if isinstance(element, str | None) else ("", element)
    if "entity" in element:
        return [sorted(map(_identity, element["entity"]))]
    return [(str(type(element[key])), element[key]) for key in IDENTITY if key in element and _scalar(element[key])]


def _scalar(value: Any) -> bool:
    return isinstance(value, str | int)


def different(theirs: Any, ours: Any, path: str = "", *, as_far: bool = False) -> list[tuple[str, Any, Any]]:
    """Lists the fields that differ, with both values; `as_far`: ours may tell more fields if they are empty."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        names = [
            name
            for name in theirs | ours
            if name in theirs or not as_far or not (_is_empty(ours[name]) or OTHER_DEFAULTS.get(name) == ours[name])
        ]
        return [
            found
            for name in names
            for found in different(
                theirs.get(name, "<absent>"), ours.get(name, "<absent>"), f"{path}.{name}".strip("."), as_far=as_far
            )
        ]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        return [
            found
            for one, other in zip(theirs, ours, strict=True)
            for found in different(one, other, path, as_far=as_far)
        ]
    return [] if theirs == ours and type(theirs) is type(ours) else [(path, theirs, ours)]


def _is_empty(value: Any) -> bool:
    return all(_is_empty(field) for field in value.values()) if isinstance(value, dict) else value in EMPTY
