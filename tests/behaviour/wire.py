"""How the suite makes and reads messages: by Kafka's own classes, and, where no Java runs, by ours.

Both take and give bodies in the form of Kafka's `…JsonConverter` classes. A body of a case leaves out what is at its
default, and may name what only some versions have. Bytes are `bytes` in cases and base64 in answers; record batches are told.
"""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import types
import typing
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from barnabas.protocol import codec
from barnabas.protocol.apis import APIS
from barnabas.protocol.struct import ZERO_UUID, Message, Struct
from behaviour import batches

ORACLE = Path(__file__).parent / "Oracle.java"
API_VERSIONS = 18
KEYS = {name: key for key, (name, *_) in APIS.items()}

Body = dict[str, Any]


class Codec(Protocol):
    """Makes frames of requests, reads frames of responses."""

    def request(
        self, api: str, version: int, body: Body, correlation: int, client: str, like: Any
    ) -> tuple[bytes, Body]:
        """Returns the frame, and what of the body this version has. `like` is what it had of it for another codec."""

    def response(self, api: str, version: int, frame: bytes) -> Body:
        """Returns the body of a response."""


class JavaCodec:
    """Kafka's own classes, in a process of their own."""

    def __init__(self, class_path: str) -> None:
        options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"]
        command = ["java", *options, "-cp", class_path, str(ORACLE)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def _ask(self, **asked: Any) -> Body:
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the oracle has no pipes")
        stdin.write(json.dumps(asked, default=_base64) + "\n")
        stdin.flush()
        answer = json.loads(stdout.readline() or '{"error": "the oracle ended"}')
        if "error" in answer:
            raise ValueError(f"{answer['error']}: {asked}")
        return answer

    def request(
        self, api: str, version: int, body: Body, correlation: int, client: str, like: Any
    ) -> tuple[bytes, Body]:
        made = self._ask(
            op="request", api=KEYS[api], version=version, correlation=correlation, client=client, body=body
        )
        return base64.b64decode(made["frame"]), made["sent"]

    def response(self, api: str, version: int, frame: bytes) -> Body:
        read = self._ask(op="response", api=KEYS[api], version=version, frame=frame)
        if read["left"] or read["unknown"]:
            raise ValueError(f"{api} v{version}: {read['left']} bytes and {read['unknown']} unknown fields too many")
        return _batches_only(read["body"])

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()


def _batches_only(value: Any) -> Any:
    """Puts what Kafka tells of record batches in place of their bytes; our own reading must say the same."""
    if isinstance(value, list):
        return [_batches_only(element) for element in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"bytes", "batches"}:
        found = batches.told(base64.b64decode(value["bytes"]))
        if found != value["batches"]:
            raise ValueError(f"batches are read differently:\n{value['batches']}\n{found}")
        return found
    return {key: _batches_only(element) for key, element in value.items()}


class OwnCodec:
    """The codec of this project. What Kafka's classes made of the same is held against it, byte by byte."""

    def request(
        self, api: str, version: int, body: Body, correlation: int, client: str, like: Any
    ) -> tuple[bytes, Body]:
        sent = body if like is None else _shaped(body, like)
        cls = codec.request_class(KEYS[api])
        name = client.encode()
        head = struct.pack(f">hhih{len(name)}s", KEYS[api], version, correlation, len(name), name)
        flexible = cls.FLEXIBLE_FROM is not None and version >= cls.FLEXIBLE_FROM
        return head + b"\0" * flexible + codec.encode(message_of(cls, sent), version), sent

    def response(self, api: str, version: int, frame: bytes) -> Body:
        return body_of(own_response(api, version, frame))


def own_response(api: str, version: int, frame: bytes) -> Message:
    """Decodes a response's frame."""
    return codec.decode(codec.response_class(KEYS[api]), version, frame[response_head(api, version) :])


def response_head(api: str, version: int) -> int:
    """How long the header of a response is; that of ApiVersions never has tagged fields."""
    flexible_from = codec.response_class(KEYS[api]).FLEXIBLE_FROM
    return 5 if flexible_from is not None and version >= flexible_from and KEYS[api] != API_VERSIONS else 4


def request_head(api: str, version: int, frame: bytes) -> int:
    """How long the header of a request is."""
    (client,) = struct.unpack_from(">h", frame, 8)
    flexible_from = codec.request_class(KEYS[api]).FLEXIBLE_FROM
    return 10 + client + (flexible_from is not None and version >= flexible_from)


def _shaped(given: Any, like: Any) -> Any:
    """What of `given` stands in `like`, too."""
    if isinstance(given, dict) and isinstance(like, dict):
        return {key: _shaped(given[key], like[key]) for key in given if key in like}
    if isinstance(given, list) and isinstance(like, list):
        return [_shaped(one, other) for one, other in zip(given, like, strict=True)]
    return given


def message_of(cls: type[Struct], body: Body) -> Any:
    """Makes a message of a body."""
    message = cls()
    for key, value in body.items():
        setattr(message, snake(key), _field_of(cls, snake(key), value))
    return message


def _field_of(cls: type[Struct], name: str, value: Any) -> Any:
    inner = structs(cls).get(name)
    if inner is not None and isinstance(value, dict):
        return message_of(inner, value)
    if inner is not None and isinstance(value, list):
        return [message_of(inner, element) for element in value]
    if isinstance(value, str) and getattr(cls(), name) == ZERO_UUID:
        return uuid_bytes(value)
    return value


@cache
def structs(cls: type[Struct]) -> dict[str, type[Struct]]:
    """The fields of a class that hold structs, with the class of these."""
    module = __import__(cls.__module__, fromlist=["_"])
    found = {}
    for name, hint in typing.get_type_hints(cls.__init__, vars(module)).items():
        for part in typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,):
            inner = (typing.get_args(part) or (part,))[0]
            if isinstance(inner, type) and issubclass(inner, Struct):
                found[name] = inner
    return found


def body_of(message: Struct) -> Body:
    """Tells a message in the form of Kafka's JSON."""
    empty = type(message)()
    return {camel(name): _told(name, getattr(message, name), empty) for name in type(message).__slots__}


def _told(name: str, value: Any, empty: Struct) -> Any:
    if isinstance(value, Struct):
        return body_of(value)
    if isinstance(value, list):
        return [_told("", element, empty) for element in value]
    if isinstance(value, bytes | bytearray | memoryview):
        if name and getattr(empty, name) == ZERO_UUID:
            return uuid_text(bytes(value))
        return batches.told(bytes(value)) if name == "records" else base64.b64encode(value).decode()
    return value


def snake(name: str) -> str:
    """`throttleTimeMs` as `throttle_time_ms`."""
    out = ""
    before = True
    for character in name:
        out += "_" * (character.isupper() and not before) + character.lower()
        before = character.isupper()
    return out


def camel(name: str) -> str:
    """The other way round."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def uuid_text(value: bytes) -> str:
    """An id as Kafka writes it."""
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def uuid_bytes(text: str) -> bytes:
    """An id from what Kafka writes."""
    return base64.urlsafe_b64decode(text + "==")


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()
