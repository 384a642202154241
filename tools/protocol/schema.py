"""Reads Kafka's message schemas out of its jars into plain facts: names, types, versions, defaults."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Which jar holds which schemas, and whose log they are the records of.
SOURCES = (
    ("kafka-clients", "common/message/", ""),
    ("kafka-group-coordinator", "common/message/", "group"),
    ("kafka-transaction-coordinator", "common/message/", "transaction"),
    ("kafka-share-coordinator", "common/message/", "share"),
    ("kafka-raft", "common/message/", ""),
    ("kafka-metadata", "common/metadata/", "metadata"),
    ("kafka-storage", "message/", ""),
)

VERSION_MAX = 32767
PRIMITIVES = {
    "bool",
    "int8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "float64",
    "uuid",
    "string",
    "bytes",
    "records",
}
INTEGERS = {"int8", "int16", "uint16", "int32", "uint32", "int64"}

Versions = tuple[int, int]  # inclusive; (0, -1) is none
NONE: Versions = (0, -1)


def parse_versions(text: str) -> Versions:
    """Reads "3+", "0-4", "2" or "none"."""
    if text == "none":
        return NONE
    if text.endswith("+"):
        return int(text[:-1]), VERSION_MAX
    low, _, high = text.partition("-")
    return int(low), int(high or low)


def intersect(left: Versions, right: Versions) -> Versions:
    """The versions in both."""
    both = max(left[0], right[0]), min(left[1], right[1])
    return both if both[0] <= both[1] else NONE


def snake(name: str) -> str:
    """CamelCase to snake_case; a run of capitals stays together."""
    out = []
    capital_before = True
    for character in name:
        if character.isupper() and not capital_before:
            out.append("_")
        out.append(character.lower())
        capital_before = character.isupper()
    return "".join(out)


@dataclass
class Field:
    """One field of a struct."""

    name: str
    type: str  # a primitive or a struct's name
    is_array: bool
    struct: Struct | None
    versions: Versions
    nullable: Versions
    tagged: Versions
    tag: int
    ignorable: bool
    default: bool | int | float | str | None  # None is null; meaningless where default_is_empty
    default_is_empty: bool  # an empty string, array, bytes, or a struct of defaults

    @property
    def snake(self) -> str:
        """The name in Rust and Python."""
        return snake(self.name)


@dataclass
class Struct:
    """A struct: fields in the order of the wire."""

    name: str
    fields: list[Field] = field(default_factory=list)


@dataclass
class Message:
    """One message: request, response, or data of an internal log."""

    name: str
    kind: str  # request, response, metadata, coordinator-key, coordinator-value, data
    api_key: int  # -1 without
    versions: Versions
    flexible_from: int  # -1 if never
    listeners: list[str]
    root: Struct
    structs: list[Struct]  # nested ones, in order of their first use
    log: str = ""  # group, transaction, share, metadata or none

    @property
    def module(self) -> str:
        """The Python module's name: requests and responses share one."""
        name = self.name
        if self.kind in {"request", "response"}:
            name = name.removesuffix("Request").removesuffix("Response")
        return snake(name)


def without_comments(text: str) -> str:
    """Drops // comments; those inside strings are no comments."""
    lines = []
    for line in text.splitlines():
        in_string = False
        end = len(line)
        for position, character in enumerate(line):
            if character == '"' and (position == 0 or line[position - 1] != "\\"):
                in_string = not in_string
            elif not in_string and line.startswith("//", position):
                end = position
                break
        lines.append(line[:end])
    return "\n".join(lines)


def parse_default(raw: object, kind: str, *, is_array: bool) -> tuple[bool | int | float | str | None, bool]:
    """The default's value and whether it is "empty"."""
    text = "" if raw is None else str(raw)
    if is_array or kind not in PRIMITIVES or kind in {"bytes", "uuid"}:
        if text not in {"", "null"}:
            raise ValueError(f"unexpected default {raw!r} of {kind}")
        return None, not text
    if kind == "records" or (kind == "string" and text == "null"):
        return None, False
    if kind == "string":
        return text, not text
    if kind == "bool":
        return text.lower() == "true", False
    return (float(text or 0) if kind == "float64" else int(text or "0", 0)), False


class Parser:
    """Turns one schema into a Message."""

    def __init__(self, raw: dict[str, object]) -> None:
        self.raw = raw
        self.common = {item["name"]: item for item in raw.get("commonStructs", [])}  # type: ignore[attr-defined]
        self.structs: dict[str, Struct] = {}

    def struct(self, name: str, fields: list[dict[str, object]]) -> Struct:
        """The struct of this name, parsed at its first use."""
        known = self.structs.get(name)
        if known is not None:
            return known
        made = Struct(name)
        self.structs[name] = made
        made.fields = [self.field(item) for item in fields]
        return made

    def field(self, raw: dict[str, object]) -> Field:
        """One field."""
        text = str(raw["type"])
        is_array = text.startswith("[]")
        kind = text.removeprefix("[]")
        struct = None
        if kind not in PRIMITIVES:
            fields = raw.get("fields") or self.common[kind]["fields"]
            struct = self.struct(kind, fields)  # type: ignore[arg-type]
        default, is_empty = parse_default(raw.get("default"), kind, is_array=is_array)
        tagged = parse_versions(str(raw.get("taggedVersions", "none")))
        versions = parse_versions(str(raw.get("versions", raw.get("taggedVersions", "none"))))
        return Field(
            name=str(raw["name"]),
            type=kind,
            is_array=is_array,
            struct=struct,
            versions=versions,
            nullable=parse_versions(str(raw.get("nullableVersions", "none"))),
            tagged=tagged,
            tag=int(str(raw.get("tag", -1))),
            ignorable=raw.get("ignorable") in {True, "true"},
            default=default,
            default_is_empty=is_empty,
        )

    def message(self, log: str) -> Message:
        """The message."""
        raw = self.raw
        low, high = parse_versions(str(raw["validVersions"]))
        if raw.get("latestVersionUnstable") in {True, "true"}:
            high -= 1
        flexible = parse_versions(str(raw.get("flexibleVersions", "none")))
        root = Struct(str(raw["name"]))
        root.fields = [self.field(item) for item in raw.get("fields", [])]  # type: ignore[attr-defined]
        return Message(
            name=root.name,
            kind="data" if raw["type"] == "metadata" and log != "metadata" else str(raw["type"]),
            api_key=int(str(raw.get("apiKey", -1))),
            versions=(low, high),
            flexible_from=-1 if flexible == NONE else flexible[0],
            listeners=list(raw.get("listeners", [])),  # type: ignore[call-overload]
            root=root,
            structs=list(self.structs.values()),
            log=log,
        )


def load(jars: Path) -> list[Message]:
    """Every message with valid versions in the jars of a Kafka distribution, by name."""
    messages = []
    for stem, folder, log in SOURCES:
        (path,) = jars.glob(f"{stem}-[0-9]*.jar")
        with zipfile.ZipFile(path) as jar:
            for name in sorted(jar.namelist()):
                if name.startswith(folder) and name.endswith(".json"):
                    raw = json.loads(without_comments(jar.read(name).decode()))
                    if raw["type"] != "header" and raw["validVersions"] != "none":
                        messages.append(Parser(raw).message(log))
    unstable = {m.api_key: m.versions for m in messages if m.kind == "request"}
    for message in messages:
        if message.kind == "response":
            message.versions = unstable[message.api_key]
    return sorted(messages, key=lambda message: message.name)
