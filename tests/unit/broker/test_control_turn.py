"""A turn of the control thread does one slice of loading and one piece of a large request, so that requests wait for no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fake_data_plane import FakeDataPlane

from barnabas.broker.control import ControlPlane
from barnabas.broker.core import Event
from barnabas.broker.options import BrokerOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from barnabas.machine import Moment


class Turns(FakeDataPlane):
    """Tells when the control thread looks for events, and what it was given."""

    def __init__(self, done: list[str]) -> None:
        super().__init__()
        self.done = done
        self.events: list[tuple[Any, ...]] = []

    def pull(self, timeout: float, limit: int = 256) -> list[tuple[Any, ...]]:
        self.done.append("looks" if timeout == 0 else "waits")
        events, self.events = self.events, []
        return events


class Shard:
    """Has so many slices to load."""

    def __init__(self, name: str, slices: int, done: list[str]) -> None:
        self.name, self.slices, self.done = name, slices, done

    @property
    def wants_slice(self) -> bool:
        return self.slices > 0

    def run_slice(self, now: Moment) -> None:
        self.done.append(self.name)
        self.slices -= 1

    def owns_read(self, token: int) -> bool:
        return self.name == f"shard {token}"

    def on_read(self, *_: Any) -> None:
        self.slices += 1


def test_one_slice_a_turn_and_the_first_partition_first() -> None:
    done: list[str] = []
    core = Turns(done)
    plane = ControlPlane(core, BrokerOptions.parse({}))  # type: ignore[arg-type]
    shards = [Shard(f"shard {index}", 2, done) for index in range(2)]
    plane.groups._replicas = dict(enumerate(shards))  # type: ignore[assignment]
    plane._loading = set(shards)  # type: ignore[arg-type]
    for _ in range(3):
        plane._turn()
    assert done == ["looks", "shard 0", "looks", "shard 0", "looks", "shard 1"]
    done.clear()
    # The first has read on meanwhile.
    core.events = [(Event.READ, 0.0, 0, 0, b"", 0, 0)]
    for _ in range(3):
        plane._turn()
    assert done == ["looks", "shard 0", "looks", "shard 1", "waits"]


def test_what_was_closed_while_it_was_loaded_is_not_waited_for() -> None:
    done: list[str] = []
    plane = ControlPlane(Turns(done), BrokerOptions.parse({}))  # type: ignore[arg-type]
    plane._loading = {Shard("gone", 1, done)}  # type: ignore[arg-type]
    for _ in range(2):
        plane._turn()
    assert done == ["looks", "waits"]


class Large:
    """A request that is worked for in pieces."""

    connection_id, api_key, version = 7, 8, 9

    def __init__(self) -> None:
        self.now: Moment | None = None
        self.pieces_timed = 0

    def worked(self, ns: int) -> None:
        assert ns > 0
        self.pieces_timed += 1


def test_one_piece_of_a_large_request_a_turn_and_others_have_theirs() -> None:
    done: list[str] = []
    core = Turns(done)
    core.tick_ms = 1.0
    plane = ControlPlane(core, BrokerOptions.parse({}))  # type: ignore[arg-type]
    large, other = Large(), Large()
    times: list[float] = []

    def pieces(name: str, request: Large, count: int) -> Iterator[None]:
        for _ in range(count):
            done.append(name)
            assert request.now is not None
            times.append(request.now.stamp_ms)
            yield

    plane.in_pieces(large, pieces("large", large, 3))  # type: ignore[arg-type]
    plane.in_pieces(other, pieces("other", other, 1))  # type: ignore[arg-type]
    for _ in range(7):
        plane._turn()
    # One turn each finds that there is no piece any more.
    assert done == [
        "looks", "large", "looks", "other", "looks", "large", "looks", "looks", "large", "looks", "waits",
    ]  # fmt: skip
    assert times == sorted(set(times)), "a piece is decided as of its own time"
    assert (large.pieces_timed, other.pieces_timed) == (3, 1)


def test_a_piece_that_fails_ends_its_request_and_no_other() -> None:
    done: list[str] = []
    core = Turns(done)
    closed: list[int] = []
    core.close_connection = closed.append  # type: ignore[attr-defined]
    plane = ControlPlane(core, BrokerOptions.parse({}))  # type: ignore[arg-type]
    plane.in_pieces(Large(), (1 // 0 for _ in range(2)))  # type: ignore[arg-type]
    plane.in_pieces(Large(), (done.append("other") for _ in range(1)))  # type: ignore[arg-type]
    for _ in range(4):
        plane._turn()
    assert (done, closed) == (["looks", "looks", "other", "looks", "waits"], [7])
