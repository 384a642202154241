"""Plays a case on one broker: sends its requests over plain sockets, and keeps the answers in a form that can be compared."""

from __future__ import annotations

import base64
import itertools
import json
import socket
import struct
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from barnabas.protocol.apis import APIS
from behaviour.normal import Normal
from behaviour.wire import KEYS, Body, Codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TIMEOUT = 30.0
CLIENT = "behaviour"
UNKNOWN_TOPIC = 3
TOPIC_RESOURCE = 2
CLOSED = {"closed": True}
UNSAID = {"GetTelemetrySubscriptions", "PushTelemetry"}
"""Served, but advertised only where something takes clients' metrics."""


class NotServedError(Exception):
    """The broker does not advertise an API at a version that a case asks for."""


@dataclass
class Step:
    """A request that was sent, and what came back."""

    label: str
    api: str
    version: int
    sent: Body
    request: bytes
    response: bytes
    """Its frame; nothing if there was none, or if the case took something out of the answer."""
    answer: Any
    raw: bool = False
    """Whether the request is no message of its API."""

    def to_json(self) -> Body:
        told = {name: getattr(self, name) for name in ("label", "api", "version", "sent", "answer", "raw")}
        texts = {name: base64.b64encode(getattr(self, name)).decode() for name in ("request", "response")}
        return {**told, **texts}

    @classmethod
    def from_json(cls, told: Body) -> Self:
        texts = {name: base64.b64decode(told[name]) for name in ("request", "response")}
        return cls(**{**told, **texts})


PENDING = Step("pending", "", 0, {}, b"", b"", None)


@dataclass
class Recording:
    """What the reference answered to a case, and the names of what it made up."""

    case: str
    names: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)


@dataclass(frozen=True)
class Topic:
    """A topic that a case created."""

    name: str
    id: str


class Connection:
    """One connection, frame by frame."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)), TIMEOUT)

    def send(self, frame: bytes) -> None:
        self.socket.sendall(struct.pack(">i", len(frame)) + frame)

    def receive(self) -> bytes | None:
        """Returns the next frame, or None if the broker closed the connection."""
        head = self._read(4)
        return None if head is None else self._read(struct.unpack(">i", head)[0])

    def _read(self, size: int) -> bytes | None:
        data = bytearray()
        while len(data) < size:
            try:
                piece = self.socket.recv(size - len(data))
            except ConnectionResetError:
                return None
            if not piece:
                return None
            data += piece
        return bytes(data)

    def close(self) -> None:
        self.socket.close()


@dataclass(frozen=True)
class Asked:
    """A request that was sent."""

    label: str
    api: str
    version: int
    connection: Connection
    correlation: int
    sent: Body
    request: bytes
    place: int = -1
    """Where its step stands among those of the case: steps are in the order of sending."""


class Play:
    """One case on one broker."""

    def __init__(
        self, case: str, address: str, codec: Codec, *, prefix: str = "", recorded: Recording | None = None
    ) -> None:
        self.case = case
        self.address = address
        self.codec = codec
        self.prefix = prefix
        self.recorded = recorded
        self.names: dict[str, str] = {prefix: ""} if prefix else {}
        self.normal = Normal(self.names, int(address.rpartition(":")[2]))
        self.steps: list[Step] = []
        self.connections: list[Connection] = []
        self.main = self.connect()
        self._correlation = 0
        self._marks = itertools.count(1_000_000)
        self._advertised: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.connections:
            connection.close()

    def recording(self) -> Recording:
        return Recording(self.case, {name: symbol for name, symbol in self.names.items() if name}, self.steps)

    # What cases say.

    def connect(self) -> Connection:
        """Opens one more connection."""
        self.connections.append(Connection(self.address))
        return self.connections[-1]

    def versions(self, api: str) -> range:
        """The versions of an API that Kafka has."""
        _, _, low, high, _ = APIS[KEYS[api]]
        return range(low, high + 1)

    def ask(
        self,
        api: str,
        version: int | None = None,
        /,
        *,
        on: Connection | None = None,
        label: str = "",
        keep: Callable[[Body], Any] | None = None,
        answers: bool = True,
        client: str = CLIENT,
        **body: Any,
    ) -> Body:
        """Sends a request and waits for its answer, which is compared.

        Args:
            api: The API's name.
            version: Its version; None: the newest.
            on: The connection; None: the case's first.
            label: What to call this step.
            keep: Takes what cannot be compared out of an answer.
            answers: Whether an answer is due.
            client: The client's id.
            **body: Fields by the names of Kafka's schemas; what is left out has its default.

        Returns:
            The answer, in which nothing has been replaced.
        """
        asked = self.send(api, version, on=on, label=label, client=client, **body)
        if not answers:
            self._kept(asked, b"", None)
            return {}
        return self.receive(asked, keep)

    def send(
        self,
        api: str,
        version: int | None = None,
        /,
        *,
        on: Connection | None = None,
        label: str = "",
        client: str = CLIENT,
        **body: Any,
    ) -> Asked:
        """The first half of `ask`; nothing else is compared until `receive` took the answer."""
        version = self.versions(api)[-1] if version is None else version
        self._must_serve(api, version)
        connection = on or self.main
        like = self._recorded_step()
        self._correlation += 1
        request, sent = self.codec.request(api, version, body, self._correlation, client, like and like.sent)
        connection.send(request)
        self.steps.append(PENDING)
        return Asked(label, api, version, connection, self._correlation, sent, request, len(self.steps) - 1)

    def receive(self, asked: Asked, keep: Callable[[Body], Any] | None = None) -> Body:
        """The other half."""
        response = asked.connection.receive()
        if response is None:
            self._kept(asked, b"", CLOSED)
            return CLOSED
        if struct.unpack(">i", response[:4]) != (asked.correlation,):
            raise AssertionError(f"{asked.api} v{asked.version}: the answer is to another request")
        answer = self.codec.response(asked.api, asked.version, response)
        self._kept(asked, b"" if keep else response, keep(answer) if keep else answer)
        return answer

    def frame(
        self,
        frame: bytes,
        read_as: tuple[str, int],
        *,
        label: str,
        on: Connection | None = None,
        keep: Callable[[Body], Any] | None = None,
    ) -> None:
        """Sends any bytes as a frame; what comes back, if anything, is read as a response of an API's version."""
        connection = on or self.connect()
        self._recorded_step()
        connection.send(frame)
        response = connection.receive()
        answer: Any = CLOSED
        if response is not None:
            answer = self.codec.response(*read_as, response)
            answer = keep(answer) if keep else answer
        asked = Asked(label, *read_as, connection, 0, {}, frame)
        self._kept(asked, (not keep and response) or b"", answer, raw=True)

    def ends(self, connection: Connection, label: str) -> None:
        """Waits for the end of a connection; whatever comes before it is a difference."""
        self._recorded_step()
        response = connection.receive()
        self._kept(
            Asked(label, "", 0, connection, 0, {}, b""), b"", CLOSED if response is None else "answered", raw=True
        )

    def tell(self, label: str, api: str, told: Any) -> None:
        """Compares a part of what a quiet answer told, as a step of its own."""
        self._recorded_step()
        self._kept(Asked(label, api, 0, self.main, 0, {}, b""), b"", told, raw=True)

    def quiet(self, api: str, version: int, /, **body: Any) -> Body:
        """Like `ask`, but not compared: for what prepares a case."""
        self._correlation += 1
        request, _ = self.codec.request(api, version, body, self._correlation, CLIENT, None)
        self.main.send(request)
        response = self.main.receive()
        if response is None:
            raise AssertionError(f"{api} v{version}: the broker closed the connection")
        return self.codec.response(api, version, response)

    def until(self, is_so: Callable[[Body], bool], api: str, version: int, /, **body: Any) -> Body:
        """Asks until the answer is as wanted; only for what the reference does a moment later."""
        deadline = time.monotonic() + TIMEOUT
        while not is_so(answer := self.quiet(api, version, **body)):
            if time.monotonic() > deadline:
                raise AssertionError(f"{api} v{version} stays {answer}")
        return answer

    def name(self, value: str, symbol: str) -> None:
        """Calls a value that the broker made up by a name in all answers from here on."""
        self.names[value] = f"<{symbol}>"

    def topic(self, label: str = "t", partitions: int = 1, **configs: str) -> Topic:
        """Creates a topic of this case and waits until it can be used; `retention_ms="1"` sets an option."""
        name = self.named(label)
        options = [{"name": key.replace("_", "."), "value": value} for key, value in configs.items()]
        wanted = {"name": name, "numPartitions": partitions, "replicationFactor": 1, "configs": options}
        answer = self.quiet("CreateTopics", 7, topics=[wanted], timeoutMs=20_000)
        if answer["topics"][0]["errorCode"]:
            raise AssertionError(f"not created: {answer}")
        self.wait_for(name, range(partitions))
        topic_id = answer["topics"][0]["topicId"]
        self.name(topic_id, f"id of {label}")
        return Topic(name, topic_id)

    def named(self, label: str) -> str:
        """The name of a topic, group … of this case."""
        return f"{self.prefix}{self.case}-{label}"

    def wait_for(self, topic: str, partitions: Iterable[int]) -> None:
        """Waits until a topic's partitions have leaders that serve them."""
        wanted = {"topics": [{"name": topic}], "allowAutoTopicCreation": False}
        self.until(lambda told: not told["topics"][0]["errorCode"], "Metadata", 9, **wanted)
        ends = [{"partitionIndex": index, "timestamp": -1} for index in partitions]
        topics = [{"name": topic, "partitions": ends}]
        self.until(
            lambda told: not any(one["errorCode"] for one in told["topics"][0]["partitions"]),
            "ListOffsets", 6, replicaId=-1, topics=topics,
        )  # fmt: skip

    def wait_until_gone(self, topic: Topic) -> None:
        """Waits until nothing of a deleted topic is told."""
        wanted = {"topics": [{"name": topic.name}], "allowAutoTopicCreation": False}
        self.until(lambda told: told["topics"][0]["errorCode"] == UNKNOWN_TOPIC, "Metadata", 9, **wanted)

    def settle(self, topic: Topic) -> None:
        """Lets everything that was answered before be heard of: something newer is heard of, too."""
        mark = {"name": "flush.messages", "configOperation": 0, "value": str(next(self._marks))}
        resource = {"resourceType": TOPIC_RESOURCE, "resourceName": topic.name}
        self.quiet("IncrementalAlterConfigs", 1, resources=[{**resource, "configs": [mark]}])
        self.until(
            lambda told: told["results"][0]["configs"][0]["value"] == mark["value"],
            "DescribeConfigs", 4, resources=[{**resource, "configurationKeys": ["flush.messages"]}],
        )  # fmt: skip

    # Inner part.

    def _must_serve(self, api: str, version: int) -> None:
        if not self._advertised:
            names = {key: name for name, key in KEYS.items()}
            ranges = self.quiet("ApiVersions", 0)["apiKeys"]
            unsaid = {api: (0, self.versions(api)[-1]) for api in UNSAID}
            self._advertised = unsaid | {names[one["apiKey"]]: (one["minVersion"], one["maxVersion"]) for one in ranges}
        low, high = self._advertised.get(api, (0, -1))
        if not low <= version <= high:
            raise NotServedError(f"{api} v{version}")

    def _recorded_step(self) -> Step | None:
        if self.recorded is None:
            return None
        if len(self.steps) >= len(self.recorded.steps):
            raise AssertionError(
                f"{self.case}: the recording has only {len(self.recorded.steps)} steps, record it anew"
            )
        return self.recorded.steps[len(self.steps)]

    def _kept(self, asked: Asked, response: bytes, answer: Any, **more: bool) -> None:
        sent = json.loads(json.dumps(asked.sent, default=lambda value: base64.b64encode(value).decode()))
        answer = self.normal(asked.api, json.loads(json.dumps(answer)))
        step = Step(
            self.normal.named(asked.label),
            asked.api,
            asked.version,
            self.normal.named(sent),
            asked.request,
            response,
            answer,
            **more,
        )
        if asked.place < 0:
            self.steps.append(step)
        else:
            self.steps[asked.place] = step
