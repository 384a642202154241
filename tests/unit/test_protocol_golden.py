"""Kafka's own bytes for every message at every version: decoded, compared with Kafka's own description, re-encoded."""

import base64
import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

from barnabas.protocol import codec
from barnabas.protocol.struct import Struct

GOLDEN = Path(__file__).parents[1] / "golden/wire/messages.tsv.gz"
MESSAGES = Path(codec.__file__).parent / "messages"


def snake(name):
    out = []
    before = True
    for character in name[0].upper() + name[1:]:
        if character.isupper() and not before:
            out.append("_")
        out.append(character.lower())
        before = character.isupper()
    return "".join(out)


def class_of(java_name):
    for name in (java_name, java_name.removesuffix("Data")):
        for module in (name, name.removesuffix("Request").removesuffix("Response")):
            if (MESSAGES / f"{snake(module)}.py").exists():
                return codec.message_class(snake(module), name)
    raise LookupError(java_name)


def vectors():
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as lines:
        for line in lines:
            name, version, data, description = line.rstrip("\n").split("\t")
            yield name, int(version), bytes.fromhex(data), json.loads(description)


def as_kafka_describes(value, described):
    """The value in the form of Kafka's JSON converter, as far as its type needs the description to tell."""
    if isinstance(value, Struct):
        return struct_described(value, described)
    if isinstance(value, bytes):
        if isinstance(described, str) and len(value) == 16 and len(described) == 22:
            return base64.urlsafe_b64encode(value).decode().rstrip("=")
        return base64.b64encode(value).decode()
    if isinstance(value, list):
        if not isinstance(described, list) or len(described) != len(value):
            return value
        return [as_kafka_describes(element, other) for element, other in zip(value, described, strict=True)]
    return value


def struct_described(struct, described):
    """Only what the description names; everything else must be at its default."""
    defaults = type(struct)()
    found = {}
    names = {snake(key): key for key in described}
    for name in type(struct).__slots__:
        value = getattr(struct, name)
        key = names.pop(name, None)
        if key is not None:
            found[key] = as_kafka_describes(value, described[key])
        elif name + "_size_in_bytes" in names:
            key = names.pop(name + "_size_in_bytes")
            found[key] = 0 if value is None else len(value)
        else:
            assert value == getattr(defaults, name), f"{type(struct).__name__}.{name}"
    assert not names
    return found


def by_message():
    groups = defaultdict(list)
    for name, version, data, description in vectors():
        groups[name].append((version, data, description))
    return sorted(groups.items())


@pytest.mark.parametrize(("name", "cases"), by_message(), ids=lambda value: value if isinstance(value, str) else "")
def test_kafkas_bytes_are_read_as_kafka_describes_them_and_written_alike(name, cases):
    cls = class_of(name)
    low, high = cls.VERSIONS
    assert {version for version, _, _ in cases} == set(range(low, high + 1))
    for version, data, description in cases:
        message = codec.decode(cls, version, data)
        assert struct_described(message, description) == description, f"version {version}"
        assert codec.encode(message, version) == data, f"version {version}"
        assert codec.decode(cls, version, memoryview(data)) == message


def test_every_class_has_vectors():
    covered = {class_of(name).__name__ for name, _ in by_message()}
    known = {
        line.split("class ")[1].split("(")[0]
        for path in MESSAGES.glob("*.py")
        for line in path.read_text().splitlines()
        if line.startswith("class ")
    }
    assert covered == known
