"""Avro schemas and values of them, made from seeds and encoded here: a writer, readers that are not quite it, damage."""

from __future__ import annotations

import copy
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

Schema = Any
DEEPEST = 3
PROMOTIONS = {"int": ("long", "float", "double"), "long": ("float", "double"), "float": ("double",)}
# Not among them is time-micros, which Spark 4.2 reads as TIME, a type that it has switched off.
TIMES = {
    "date": "int",
    "time-millis": "int",
    "timestamp-millis": "long",
    "timestamp-micros": "long",
    "local-timestamp-millis": "long",
    "local-timestamp-micros": "long",
}
# Milliseconds that are still in range as microseconds, and days that are in range as microseconds.
BITS = {"int": 31, "long": 63, "date": 20, "time-millis": 26, "timestamp-micros": 62,
        "local-timestamp-micros": 62, "timestamp-millis": 52, "local-timestamp-millis": 52}  # fmt: skip


class Schemas:
    """Draws schemas whose names are not used twice."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.count = 0

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def record(self, depth: int = 0) -> Schema:
        fields = [{"name": self.name("f"), "type": self.any(depth)} for _ in range(self.chance.randint(1, 4))]
        return {"type": "record", "name": self.name("R"), "fields": fields}

    def any(self, depth: int) -> Schema:
        kinds = ["primitive", "primitive", "time", "decimal", "named"]
        if depth < DEEPEST:
            kinds += ["array", "map", "record", "nullable", "nullable", "union"]
        return getattr(self, self.chance.choice(kinds))(depth + 1)

    def primitive(self, _depth: int) -> Schema:
        return self.chance.choice(["boolean", "int", "long", "float", "double", "bytes", "string"])

    def time(self, _depth: int) -> Schema:
        name, kind = self.chance.choice([*TIMES.items()])
        return {"type": kind, "logicalType": name}

    def decimal(self, _depth: int) -> Schema:
        precision = self.chance.choice([1, 9, 18, 19, 38])
        scale = self.chance.randint(0, precision)
        decimal = {"logicalType": "decimal", "precision": precision, "scale": scale}
        if self.chance.random() < 0.5:
            return {"type": "bytes", **decimal}
        return {"type": "fixed", "name": self.name("D"), "size": 16, **decimal}

    def named(self, _depth: int) -> Schema:
        match self.chance.randint(0, 3):
            case 0:
                return {"type": "enum", "name": self.name("E"), "symbols": ["A", "B", "C"]}
            case 1:
                return {"type": "string", "logicalType": "uuid"}
            case _:
                return {"type": "fixed", "name": self.name("F"), "size": self.chance.randint(1, 5)}

    def array(self, depth: int) -> Schema:
        return {"type": "array", "items": self.any(depth)}

    def map(self, depth: int) -> Schema:
        return {"type": "map", "values": self.any(depth)}

    def nullable(self, depth: int) -> Schema:
        other = self.chance.choice([self.primitive, self.time, self.decimal, self.named, self.array, self.record])(
            min(depth + 1, DEEPEST + 1)
        )
        return self.chance.choice([["null", other], [other, "null"]])

    def union(self, depth: int) -> Schema:
        pairs = [["int", "long"], ["float", "double"], ["long", "null", "int"]]
        members = ["null", "boolean", "long", "double", "string", self.record(DEEPEST + 1), self.named(depth)]
        # Text of two kinds would be one branch.
        several = self.chance.sample(members[:-1], self.chance.randint(2, 5))
        return self.chance.choice([*pairs, several, several])


def number(value: int) -> bytes:
    """A whole number in zigzag."""
    value = (value << 1) ^ (value >> 63)
    encoded = b""
    while value > 0x7F:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


def _whole(chance: Random, bits: int) -> int:
    greatest = 2**bits - 1
    return chance.choice([0, -1, 1, greatest, -greatest, chance.randint(-greatest, greatest)])


def _real(chance: Random, form: str) -> bytes:
    special = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.5, chance.uniform(-1e9, 1e9)]
    return struct.pack(form, chance.choice(special))


def _text(chance: Random) -> bytes:
    return "".join(chance.choice('aÄ漢😀 \0"\\{') for _ in range(chance.randint(0, 6))).encode()


def _blocks(chance: Random, items: list[bytes]) -> bytes:
    """Items in one block or several, which may say how many bytes they have."""
    encoded = b""
    while items:
        taken = chance.randint(1, len(items))
        block, items = b"".join(items[:taken]), items[taken:]
        encoded += (number(-taken) + number(len(block)) if chance.random() < 0.3 else number(taken)) + block
    return encoded + number(0)


def value(chance: Random, schema: Schema) -> bytes:  # noqa: C901, PLR0911, PLR0912 (one for each type)
    """A value of a schema."""
    if isinstance(schema, list):
        branch = chance.randrange(len(schema))
        return number(branch) + value(chance, schema[branch])
    logical = schema.get("logicalType") if isinstance(schema, dict) else None
    kind = schema["type"] if isinstance(schema, dict) else schema
    if logical == "decimal":
        unscaled = _whole(chance, 1) if schema["precision"] == 1 else chance.randint(-(10 ** schema["precision"]) + 1, 10 ** schema["precision"] - 1)  # fmt: skip
        encoded = unscaled.to_bytes(16, "big", signed=True)
        return encoded if kind == "fixed" else number(16) + encoded
    match kind:
        case "null":
            return b""
        case "boolean":
            return chance.choice([b"\0", b"\1"])
        case "int" | "long":
            return number(_time(chance, logical) if logical in TIMES else _whole(chance, BITS[kind]))
        case "float" | "double":
            return _real(chance, "<f" if kind == "float" else "<d")
        case "bytes":
            data = chance.randbytes(chance.randint(0, 6))
            return number(len(data)) + data
        case "string":
            text = b"123e4567-e89b-12d3-a456-426614174000" if logical == "uuid" else _text(chance)
            return number(len(text)) + text
        case "enum":
            return number(chance.randrange(len(schema["symbols"])))
        case "fixed":
            return chance.randbytes(schema["size"])
        case "array":
            return _blocks(chance, [value(chance, schema["items"]) for _ in range(chance.randint(0, 3))])
        case "map":
            entries = chance.sample(["", "k", "é", "key"], chance.randint(0, 3))
            coded = [name.encode() for name in entries]
            return _blocks(chance, [number(len(key)) + key + value(chance, schema["values"]) for key in coded])
        case _:
            return b"".join(value(chance, field["type"]) for field in schema["fields"])


def _time(chance: Random, logical: str) -> int:
    found = _whole(chance, BITS[logical])
    return abs(found) if logical.startswith("time-") else found


def damaged(chance: Random, encoded: bytes) -> bytes:
    """A value that ends early, or that bytes follow."""
    if chance.random() < 0.7:
        return encoded[: chance.randint(0, max(0, len(encoded) - 1))]
    return encoded + chance.randbytes(chance.randint(1, 4))


def evolved(chance: Random, schema: Schema) -> Schema:
    """A reader's schema: promoted, in another order, with fewer and more fields, some renamed."""
    if isinstance(schema, str):
        return chance.choice([schema, schema, *PROMOTIONS.get(schema, ())])
    if isinstance(schema, list) or schema["type"] not in ("array", "map", "record"):
        return copy.deepcopy(schema)
    if schema["type"] != "record":
        member = "items" if schema["type"] == "array" else "values"
        return {**schema, member: evolved(chance, schema[member])}
    fields = []
    for field in schema["fields"]:
        if chance.random() < 0.8:
            kept = {"name": field["name"], "type": evolved(chance, field["type"])}
            if isinstance(kept["type"], str) and chance.random() < 0.2:
                kept["type"] = ["null", kept["type"]]
            if chance.random() < 0.15:
                kept |= {"name": "new_" + field["name"], "aliases": [field["name"]]}
            fields.append(kept)
    if not fields or chance.random() < 0.4:
        added = [("int", 7), (["null", "string"], None), ({"type": "array", "items": "double"}, [0.5, 1.0])]
        new_type, default = chance.choice(added)
        fields.append({"name": f"added_{schema['name']}", "type": new_type, "default": default})
    chance.shuffle(fields)
    return {**schema, "fields": fields}
