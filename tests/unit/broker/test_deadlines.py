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


def test_pause_leaves_what_was_left_and_at_most_the_deadlines_own_length() -> None:
    """The pause lasted from 200 to 3,200; the caller does not know where in its wait it began and says 3,100."""
    deadlines = Deadlines()
    deadlines.set(key("short"), 210.0, 110.0)
    deadlines.set(key("long"), 10_100.0, 100.0)
    deadlines.extend(3_100.0, 3_200.0)
    assert deadlines.due(3_299.0) == []
    assert deadlines.due(3_300.0) == [key("short")]
    assert deadlines.due(13_199.0) == []
    assert deadlines.due(13_200.0) == [key("long")]


def test_dead_member_expires_although_every_turn_looks_like_a_pause() -> None:
    deadlines = Deadlines()
    deadlines.set(key("dead"), 1_000.0, 0.0)
    deadlines.set(key("alive"), 1_000.0, 0.0)
    now = 0.0
    gone = []
    while now < 10_000.0:
        now += 1_500.0
        deadlines.extend(1_500.0, now)
        deadlines.set(key("alive"), now + 1_000.0, now)
        gone += [(name, now) for name in deadlines.due(now)]
    assert gone == [(key("dead"), 3_000.0)]


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
