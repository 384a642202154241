"""Named deadlines, against a plain dictionary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from barnabas.broker.deadlines import Deadlines


def key(name: str) -> tuple[str, str]:
    return "machine", name


def test_due_deadlines_come_out_once_and_in_order() -> None:
    deadlines = Deadlines()
    for name, at in (("c", 30.0), ("a", 10.0), ("b", 20.0), ("d", 40.0)):
        deadlines.set(key(name), at, 0.0)
    assert deadlines.due(30.0) == [key("a"), key("b"), key("c")]
    assert deadlines.due(30.0) == []
    assert len(deadlines) == 1


def test_replaced_and_cancelled_deadlines_do_not_fire() -> None:
    deadlines = Deadlines()
    deadlines.set(key("later"), 10.0, 0.0)
    deadlines.set(key("later"), 50.0, 0.0)
    deadlines.set(key("sooner"), 50.0, 0.0)
    deadlines.set(key("sooner"), 20.0, 0.0)
    deadlines.set(key("never"), 10.0, 0.0)
    deadlines.cancel(key("never"))
    assert deadlines.due(30.0) == [key("sooner")]
    assert deadlines.due(60.0) == [key("later")]


def test_pause_puts_off_by_the_pause_and_at_most_by_the_deadlines_own_length() -> None:
    deadlines = Deadlines()
    deadlines.set(key("short"), 110.0, 100.0)
    deadlines.set(key("long"), 10_100.0, 100.0)
    deadlines.extend(3_000.0)
    assert deadlines.due(119.0) == []
    assert deadlines.due(120.0) == [key("short")]
    assert deadlines.due(13_099.0) == []
    assert deadlines.due(13_100.0) == [key("long")]


def test_heartbeats_do_not_grow_memory() -> None:
    deadlines = Deadlines()
    for beat in range(100_000):
        deadlines.set(key(str(beat % 10)), 1e9 - beat, 0.0)
    assert len(deadlines._heap) < 2_000


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("set"), st.sampled_from("abc"), st.integers(0, 50)),
            st.tuples(st.just("cancel"), st.sampled_from("abc"), st.just(0)),
            st.tuples(st.just("pass"), st.just(""), st.integers(0, 20)),
        ),
    ),
)
def test_same_as_a_dictionary(steps: list[tuple[str, str, int]]) -> None:
    deadlines, model, now = Deadlines(), dict[str, float](), 0.0
    for what, name, value in steps:
        if what == "set":
            deadlines.set(key(name), now + value, now)
            model[name] = now + value
        elif what == "cancel":
            deadlines.cancel(key(name))
            model.pop(name, None)
        else:
            now += value
            due = {name for name, at in model.items() if at <= now}
            assert {found[1] for found in deadlines.due(now)} == due
            model = {name: at for name, at in model.items() if name not in due}
        upcoming = deadlines.next_ms()
        assert not model or (upcoming is not None and upcoming <= min(model.values()))
