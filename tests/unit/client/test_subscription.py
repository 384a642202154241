"""Subscription state and positions: what is exclusive, and how a partition gets its position."""

import pytest
from fake_core import Clock, FakeClientCore, FakeFetchCore
from test_operations import fetched, listed, metadata

from barnabas import errors
from barnabas.client.driver import Driver
from barnabas.client.positions import Positions
from barnabas.client.subscription import Phase, Reset, SubscriptionState
from barnabas.protocol import apis
from barnabas.types import OffsetAndMetadata, TopicPartition

TP = TopicPartition("orders", 0)
OTHER = TopicPartition("orders", 1)


class Rig:
    def __init__(self, reset: Reset = Reset.EARLIEST, group_id: str | None = "g") -> None:
        clock = Clock()
        self.core = FakeClientCore(clock)
        self.core.handlers[apis.METADATA] = lambda request: metadata(*[topic.name for topic in request.topics or ()])
        self.core.handlers[apis.LIST_OFFSETS] = listed
        self.core.handlers[apis.OFFSET_FETCH] = lambda _: fetched(offset=42)
        self.fetch = FakeFetchCore()
        self.state = SubscriptionState(reset)
        self.driver = Driver(self.core, clock=clock)
        self.positions = Positions(
            self.state, self.driver, self.fetch, group_id=group_id, backoff=(0.1, 1.0), read_committed=False
        )

    def settle(self) -> None:
        for _ in range(10):
            self.positions.advance()
            self.driver.turn(0.0)
        self.positions.advance()


def test_subscribe_and_assign_exclude_each_other_until_unsubscribe():
    state = SubscriptionState(Reset.LATEST)
    state.subscribe(["orders"], None)
    with pytest.raises(errors.IllegalStateError, match=r"uses subscribe\(\); call unsubscribe\(\) before assign\(\)"):
        state.assign([TP])
    state.unsubscribe()
    state.assign([TP])
    with pytest.raises(errors.IllegalStateError, match=r"uses assign\(\); call unsubscribe\(\) before subscribe\(\)"):
        state.subscribe(["orders"], None)


def test_a_subscription_keeps_each_topic_once_in_order():
    state = SubscriptionState(Reset.LATEST)
    state.subscribe(["b", "a", "b"], None)
    assert state.topics == ("b", "a")


@pytest.mark.parametrize("call", ["seek", "request_reset", "set_paused", "state_of"])
def test_an_unassigned_partition_is_refused(call):
    state = SubscriptionState(Reset.LATEST)
    state.assign([TP])
    calls = {
        "seek": lambda: state.seek(OTHER, 1),
        "request_reset": lambda: state.request_reset(OTHER),
        "set_paused": lambda: state.set_paused([TP, OTHER], paused=True),
        "state_of": lambda: state.state_of(OTHER),
    }
    with pytest.raises(errors.IllegalStateError, match="orders-1 is not assigned"):
        calls[call]()
    assert not state.partitions[TP].paused


def test_a_negative_offset_is_refused():
    state = SubscriptionState(Reset.LATEST)
    state.assign([TP])
    with pytest.raises(ValueError, match="-1"):
        state.seek(TP, -1)


def test_a_new_assignment_keeps_the_state_of_what_stays():
    state = SubscriptionState(Reset.LATEST)
    state.assign([TP])
    state.seek(TP, 5)
    state.assign([OTHER, TP])
    assert state.partitions[TP].offset == 5
    assert state.partitions[OTHER].phase is Phase.INITIALIZING


def test_a_committed_offset_is_the_position():
    rig = Rig()
    rig.state.assign([TP])
    rig.settle()
    assert rig.fetch.assigned == [("orders", 0, 42, 3)]
    assert rig.state.partitions[TP].phase is Phase.FETCHING
    assert rig.positions.position(TP) == 42


@pytest.mark.parametrize(("reset", "timestamp"), [(Reset.EARLIEST, -2), (Reset.LATEST, -1)])
def test_without_a_committed_offset_the_rule_decides(reset, timestamp):
    rig = Rig(reset)
    rig.core.handlers[apis.OFFSET_FETCH] = lambda _: fetched(offset=-1)
    rig.state.assign([TP])
    rig.settle()
    asked = [request for _, request, *_ in rig.core.submitted if request.API_KEY == apis.LIST_OFFSETS]
    assert asked[0].topics[0].partitions[0].timestamp == timestamp
    assert rig.positions.position(TP) == 10


def test_without_a_group_nothing_committed_is_asked_for():
    rig = Rig(group_id=None)
    rig.state.assign([TP])
    rig.settle()
    assert apis.OFFSET_FETCH not in [request.API_KEY for _, request, *_ in rig.core.submitted]
    assert rig.positions.position(TP) == 10


def test_reset_none_raises_what_to_do():
    rig = Rig(Reset.NONE)
    rig.core.handlers[apis.OFFSET_FETCH] = lambda _: fetched(offset=-1)
    rig.state.assign([TP])
    with pytest.raises(errors.NoOffsetForPartitionError, match=r"orders-0, and auto_offset_reset is none: seek\(\)"):
        rig.settle()
    rig.state.seek(TP, 3)
    rig.settle()
    assert rig.positions.position(TP) == 3


def test_a_seek_while_offsets_are_looked_up_wins():
    rig = Rig()
    rig.state.assign([TP])
    rig.positions.advance()
    rig.state.seek(TP, 7)
    rig.settle()
    assert rig.fetch.at == {TP: 7}


def test_an_assignment_taken_away_while_offsets_are_looked_up_is_not_fetched():
    rig = Rig()
    rig.state.assign([TP])
    rig.positions.advance()
    rig.state.adopt([])
    rig.settle()
    assert rig.fetch.assigned == []


def test_the_fetcher_is_told_only_of_changes_and_of_pauses():
    rig = Rig()
    rig.state.assign([TP])
    rig.state.set_paused([TP], paused=True)
    rig.settle()
    assert rig.fetch.paused == [TP]
    told = rig.fetch.assignments
    rig.settle()
    assert rig.fetch.assignments == told
    rig.state.seek(TP, 1)
    rig.settle()
    assert rig.fetch.assignments == told + 1


def test_positions_to_commit_are_the_fetchers_or_those_sought():
    rig = Rig()
    rig.state.assign([TP, OTHER, TopicPartition("orders", 2)])
    rig.state.seek(TP, 4)
    rig.positions.advance()
    rig.state.seek(OTHER, 6)
    assert rig.positions.consumed() == {TP: OffsetAndMetadata(4), OTHER: OffsetAndMetadata(6)}


def test_an_offset_out_of_range_is_reset_by_the_rule():
    rig = Rig(Reset.EARLIEST)
    rig.state.assign([TP])
    rig.settle()
    rig.positions.fetch_failed("orders", 0, 1, 42)
    rig.settle()
    assert rig.positions.position(TP) == 10


def test_an_offset_out_of_range_that_was_left_meanwhile_is_ignored():
    rig = Rig()
    rig.state.assign([TP])
    rig.settle()
    rig.positions.fetch_failed("orders", 0, 1, 41)
    rig.settle()
    assert rig.positions.position(TP) == 42


def test_an_offset_out_of_range_without_a_rule_is_raised():
    rig = Rig(Reset.NONE)
    rig.state.assign([TP])
    rig.settle()
    rig.positions.fetch_failed("orders", 0, 1, 42)
    with pytest.raises(errors.OffsetOutOfRangeError, match=r"offset 42 .*seek\(\)"):
        rig.positions.advance()


def test_another_fetch_error_is_raised_once():
    rig = Rig()
    rig.state.assign([TP])
    rig.settle()
    rig.positions.fetch_failed("orders", 0, 29, 42)
    with pytest.raises(errors.TopicAuthorizationFailedError):
        rig.positions.advance()
    rig.positions.advance()


def test_a_refusal_of_committed_offsets_is_raised():
    rig = Rig()
    rig.core.handlers[apis.OFFSET_FETCH] = lambda _: fetched(group_error=30)
    rig.state.assign([TP])
    with pytest.raises(errors.GroupAuthorizationFailedError):
        rig.settle()
