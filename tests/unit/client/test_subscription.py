"""Subscription state and positions: what is exclusive, and how a partition gets its position."""

import itertools

import pytest
from fake_core import Clock, FakeClientCore, FakeFetchCore
from test_operations import fetched, listed, metadata

from barnabas import errors
from barnabas.client.codes import Code
from barnabas.client.driver import Driver
from barnabas.client.options import CONSUMER
from barnabas.client.positions import Positions
from barnabas.client.subscription import ByDuration, Phase, Reset, SubscriptionState, reset_rule
from barnabas.protocol import apis
from barnabas.types import OffsetAndMetadata, TopicPartition

TP = TopicPartition("orders", 0)
OTHER = TopicPartition("orders", 1)
NOW = 1_700_000_000.0


class Rig:
    def __init__(self, reset: Reset = Reset.EARLIEST, group_id: str | None = "g") -> None:
        self.clock = clock = Clock()
        self.core = FakeClientCore(clock)
        self.core.handlers[apis.METADATA] = lambda request: metadata(*[topic.name for topic in request.topics or ()])
        self.core.handlers[apis.LIST_OFFSETS] = listed
        self.core.handlers[apis.OFFSET_FETCH] = lambda _: fetched(offset=42)
        self.fetch = FakeFetchCore()
        self.state = SubscriptionState(reset)
        self.driver = Driver(self.core, clock=clock)
        self.positions = Positions(
            self.state,
            self.driver,
            self.fetch,
            group_id=group_id,
            backoff=(0.1, 1.0),
            read_committed=False,
            wall_clock=lambda: NOW,
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


def test_a_leader_that_does_not_answer_keeps_no_others_waiting():
    def two_leaders(request):
        response = metadata(*[topic.name for topic in request.topics])
        for partition in response.topics[0].partitions:
            partition.leader_id = partition.partition_index
        return response

    def only_the_first(request):
        asked = request.topics[0].partitions
        assert len(asked) == 1
        return listed(request) if asked[0].partition_index == TP.partition else None

    rig = Rig(group_id=None)
    rig.core.handlers |= {apis.METADATA: two_leaders, apis.LIST_OFFSETS: only_the_first}
    rig.state.assign([TP, OTHER])
    rig.settle()
    assert rig.fetch.at == {TP: 10}
    asked = [request for _, request, *_ in rig.core.submitted if request.API_KEY == apis.LIST_OFFSETS]
    assert len(asked) == 2


def test_a_partition_without_a_leader_is_asked_for_less_and_less_often():
    rig = Rig(group_id=None)
    rig.core.handlers[apis.METADATA] = lambda _: metadata()
    rig.state.assign([TP])
    times = []
    while len(times) < 4:
        before = len(rig.core.submitted)
        rig.positions.advance()
        times += [rig.driver.now()] * (len(rig.core.submitted) - before)
        rig.driver.turn(10.0)
    assert [round(after - earlier, 3) for earlier, after in itertools.pairwise(times)] == [0.1, 0.2, 0.4]


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
    failure = rig.positions.failure()
    assert isinstance(failure, errors.OffsetOutOfRangeError)
    assert "offset 42 is not in the log" in str(failure)
    assert rig.positions.failure() is failure


def test_what_was_paused_at_the_fetcher_is_read_on_when_it_is_resumed_before_it_has_its_new_position():
    rig = Rig()
    rig.state.assign([TP])
    rig.state.set_paused([TP], paused=True)
    rig.settle()
    rig.state.seek(TP, 7)
    rig.state.set_paused([TP], paused=False)
    rig.settle()
    assert (rig.fetch.assigned, rig.fetch.paused) == ([(*TP, 7, -1)], [])


@pytest.mark.parametrize("code", [2, 10, 76])
def test_damage_is_told_again_until_a_seek_and_only_once_all_before_it_was_given_out(code):
    rig = Rig()
    rig.state.assign([TP, OTHER])
    rig.settle()
    rig.positions.fetch_failed("orders", 0, code, 45)
    assert rig.positions.failure() is None
    rig.fetch.at["orders", 0] = 45
    for _ in range(3):
        assert rig.positions.failure().code == code
    rig.state.set_paused([TP], paused=True)
    assert rig.positions.failure() is None
    rig.state.set_paused([TP], paused=False)
    assert rig.positions.failure() is not None
    rig.state.seek(TP, 46)
    assert rig.positions.failure() is None
    rig.settle()
    assert rig.positions.failure() is None


def test_a_cut_log_is_read_on_from_where_it_was_cut():
    rig = Rig(Reset.LATEST)
    rig.state.assign([TP])
    rig.settle()
    rig.positions.truncated("orders", 0, 41, (30, 2))  # of a position that was left meanwhile
    rig.positions.truncated("orders", 1, 42, (30, 2))  # of a partition that was given up
    rig.settle()
    assert rig.positions.position(TP) == 42
    rig.positions.truncated("orders", 0, 42, (30, 2))
    rig.settle()
    assert rig.fetch.assigned == [("orders", 0, 30, 2)]


def test_a_log_that_was_cut_nobody_knows_where_is_reset():
    rig = Rig(Reset.EARLIEST)
    rig.state.assign([TP])
    rig.settle()
    rig.positions.truncated("orders", 0, 42, (-1, -1))
    rig.settle()
    assert rig.fetch.assigned == [("orders", 0, 10, -1)]


@pytest.mark.parametrize(("end", "divergent"), [((30, 2), {TP: OffsetAndMetadata(30, "", 2)}), ((-1, -1), {})])
def test_a_cut_log_without_a_rule_is_raised_until_a_seek(end, divergent):
    rig = Rig(Reset.NONE)
    rig.state.assign([TP])
    rig.settle()
    rig.positions.truncated("orders", 0, 42, end)
    for _ in range(2):
        failure = rig.positions.failure()
        assert isinstance(failure, errors.LogTruncationError)
        assert failure.divergent_offsets == divergent
    rig.state.seek(TP, 30)
    assert rig.positions.failure() is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("by_duration:P1D", 86_400),
        ("by_duration:PT1H", 3_600),
        ("by_duration:P2DT3H4M5.5S", 183_845.5),
        ("BY_DURATION:pt0s", 0),
    ],
)
def test_a_position_by_duration(text, seconds):
    assert CONSUMER.parse(None, {"bootstrap_servers": "h:1", "auto_offset_reset": text})["auto.offset.reset"] == text
    rule = reset_rule(text.lower())
    assert rule == ByDuration(seconds)
    rig = Rig(rule)
    rig.core.handlers[apis.OFFSET_FETCH] = lambda _: fetched(offset=-1)
    rig.state.assign([TP])
    rig.settle()
    asked = [request for _, request, *_ in rig.core.submitted if request.API_KEY == apis.LIST_OFFSETS]
    assert asked[0].topics[0].partitions[0].timestamp == round((NOW - seconds) * 1000)
    assert rig.positions.position(TP) == 10


@pytest.mark.parametrize(
    "text", ["by_duration:", "by_duration:P", "by_duration:PT", "by_duration:-PT1H", "by_duration", "PT1H"]
)
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(errors.ConfigError, match=r"auto\.offset\.reset"):
        CONSUMER.parse(None, {"bootstrap_servers": "h:1", "auto_offset_reset": text})
    with pytest.raises(ValueError):  # noqa: PT011 - words of two kinds
        reset_rule(text)


def test_a_duration_within_which_nothing_was_written_begins_at_the_end():
    rig = Rig(ByDuration(60.0))
    rig.core.handlers[apis.OFFSET_FETCH] = lambda _: fetched(offset=-1)

    def answer(request):
        response = listed(request)
        if request.topics[0].partitions[0].timestamp >= 0:
            response.topics[0].partitions[0].offset = -1
        return response

    rig.core.handlers[apis.LIST_OFFSETS] = answer
    rig.state.assign([TP])
    rig.settle()
    asked = [request for _, request, *_ in rig.core.submitted if request.API_KEY == apis.LIST_OFFSETS]
    assert [request.topics[0].partitions[0].timestamp for request in asked] == [round((NOW - 60) * 1000), -1]
    assert rig.positions.position(TP) == 10


def listed_but_not(unavailable: TopicPartition):
    """A leader's answers, of whose partitions one is offline."""

    def answer(request):
        response = listed(request)
        for topic in response.topics:
            for partition in topic.partitions:
                if (topic.name, partition.partition_index) == unavailable:
                    partition.error_code = Code.KAFKA_STORAGE_ERROR
        return response

    return answer


def test_a_partition_that_is_offline_holds_up_no_other():
    rig = Rig(group_id=None)
    rig.core.handlers[apis.LIST_OFFSETS] = listed_but_not(TP)
    rig.state.assign([TP, OTHER])
    rig.settle()
    assert rig.fetch.at == {OTHER: 10}
    third = TopicPartition("others", 0)
    rig.state.assign([TP, OTHER, third])
    rig.settle()
    assert rig.fetch.at == {OTHER: 10, third: 10}
    rig.positions.fetch_failed("orders", 1, 1, 10)
    rig.fetch.at[OTHER] = -1
    rig.settle()
    assert rig.fetch.at == {OTHER: 10, third: 10}
    rig.core.handlers[apis.LIST_OFFSETS] = listed
    rig.clock.now += 10
    rig.settle()
    assert rig.fetch.at == {TP: 10, OTHER: 10, third: 10}


def test_what_is_offline_and_was_given_up_is_not_asked_for_any_more():
    rig = Rig(group_id=None)
    rig.core.handlers[apis.LIST_OFFSETS] = listed_but_not(TP)
    rig.state.assign([TP])
    rig.settle()
    rig.state.assign([])
    rig.positions.advance()
    asked = len(rig.core.submitted)
    rig.clock.now += 10
    rig.settle()
    assert len(rig.core.submitted) == asked


def test_of_two_resets_the_later_one_counts():
    rig = Rig(Reset.EARLIEST, group_id=None)
    rig.core.handlers[apis.LIST_OFFSETS] = lambda request: listed(
        request, offset=20 + request.topics[0].partitions[0].timestamp
    )
    rig.state.assign([TP])
    rig.positions.advance()
    rig.state.request_reset(TP, Reset.LATEST)
    rig.settle()
    assert rig.positions.position(TP) == 19


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
