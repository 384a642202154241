"""The membership state machine in virtual time: no sockets, no threads, no waiting."""

from dataclasses import replace

import pytest

from barnabas import errors
from barnabas.assignors import Subscription
from barnabas.assignors.consumer_protocol import decode_assignment, encode_assignment, encode_subscription
from barnabas.client.codes import Code
from barnabas.client.effects import (
    Adopt,
    Cancel,
    Fail,
    ForgetCoordinator,
    Generation,
    GroupSettings,
    NeedMetadata,
    Release,
    Send,
    Sent,
    StartHeartbeat,
    StopHeartbeat,
)
from barnabas.client.membership import Membership, MemberState
from barnabas.protocol.messages.join_group import JoinGroupResponse
from barnabas.protocol.messages.sync_group import SyncGroupResponse
from barnabas.types import PartitionInfo, TopicPartition

SETTINGS = GroupSettings(
    "billing",
    session_timeout=45.0,
    rebalance_timeout=300.0,
    heartbeat_interval=3.0,
    request_timeout=30.0,
    retry_backoff=0.1,
    rack_id="r1",
)
ORDERS = {"orders": [PartitionInfo("orders", number, None) for number in range(4)]}
ALL_ORDERS = tuple(TopicPartition("orders", number) for number in range(4))


class Rig:
    """A member, a clock that stands still, and what the member wanted."""

    def __init__(self, *topics: str) -> None:
        self.now = 1000.0
        self.member = Membership(SETTINGS)
        self.effects: list[object] = []
        if topics:
            self.member.subscribe(topics)

    def take(self) -> list[object]:
        taken = self.member.take()
        self.effects += taken
        return taken

    def poll(self) -> list[object]:
        """Polls as a driver does, giving up partitions at once."""
        taken: list[object] = []
        while True:
            self.member.poll(self.now)
            more = self.take()
            if any(isinstance(effect, Release) for effect in more):
                self.member.released()
            taken += more
            if not more:
                return taken

    def sent(self, kind: Sent) -> Send:
        return next(effect for effect in reversed(self.effects) if isinstance(effect, Send) and effect.kind is kind)

    def answer_join(self, error_code: int = 0, **fields: object) -> list[object]:
        response = {"generation_id": 1, "protocol_name": "range", "leader": "other", "member_id": "m-1"} | fields
        self.member.answered(
            self.sent(Sent.JOIN).serial, JoinGroupResponse(error_code=error_code, **response), self.now
        )
        return self.take()

    def answer_sync(self, error_code: int = 0, partitions=ALL_ORDERS, **fields: object) -> list[object]:
        fields = {"assignment": encode_assignment(partitions)} | fields
        self.member.answered(self.sent(Sent.SYNC).serial, SyncGroupResponse(error_code=error_code, **fields), self.now)
        return self.take()

    def join(self) -> list[object]:
        """Becomes a stable follower."""
        self.poll()
        self.answer_join()
        return self.answer_sync()

    def lead(self, *others: str, topics: tuple[str, ...] = ("orders",)) -> list[object]:
        self.poll()
        members = [
            JoinGroupResponse.JoinGroupResponseMember(
                member_id=member_id, metadata=encode_subscription(Subscription(topics))
            )
            for member_id in ("m-1", *others)
        ]
        return self.answer_join(leader="m-1", members=members)


def kinds(effects: list[object]) -> list[str]:
    return [effect.kind.value if isinstance(effect, Send) else type(effect).__name__ for effect in effects]


# Joining


def test_nothing_happens_before_a_subscription():
    rig = Rig()
    assert rig.poll() == []
    assert rig.member.deadline is None


def test_a_member_joins_syncs_and_adopts():
    rig = Rig("orders")
    assert kinds(rig.poll()) == ["Release", "StopHeartbeat", "JoinGroup"]
    join = rig.sent(Sent.JOIN)
    assert (join.message.group_id, join.message.member_id, join.message.protocol_type) == ("billing", "", "consumer")
    assert (join.message.session_timeout_ms, join.message.rebalance_timeout_ms) == (45_000, 300_000)
    assert [protocol.name for protocol in join.message.protocols] == ["range", "cooperative-sticky"]
    assert join.message.protocols[0].metadata == encode_subscription(Subscription(("orders",), rack_id="r1"))
    assert join.timeout == 305.0
    assert rig.member.state is MemberState.PREPARING_REBALANCE
    assert rig.poll() == [], "one JoinGroup is enough"

    assert kinds(rig.answer_join()) == ["StartHeartbeat", "SyncGroup"]
    assert rig.member.state is MemberState.COMPLETING_REBALANCE
    sync = rig.sent(Sent.SYNC).message
    assert (sync.generation_id, sync.member_id, sync.protocol_name, sync.assignments) == (1, "m-1", "range", [])

    assert rig.answer_sync() == [Adopt(ALL_ORDERS)]
    assert rig.member.state is MemberState.STABLE
    assert rig.member.joined
    assert rig.member.stable_generation == Generation(1, "m-1", "range")
    assert rig.poll() == []


def test_the_last_generation_is_the_one_of_the_last_assignment_and_outlives_the_membership():
    rig = Rig("orders")
    assert rig.member.last_generation == Generation()
    rig.join()
    first = Generation(1, "m-1", "range")
    assert rig.member.last_generation == first
    rig.member.enforce_rejoin("rebalance enforced by user")
    rig.poll()
    assert rig.sent(Sent.JOIN).message.reason == "rebalance enforced by user"
    rig.answer_join(generation_id=2)
    assert rig.member.last_generation == first, (
        "offsets of what was read in the first must not be taken for the second's"
    )
    rig.answer_sync()
    assert rig.member.last_generation == replace(first, generation_id=2)
    rig.member.heartbeat_answered(Code.UNKNOWN_MEMBER_ID)
    assert rig.member.last_generation == replace(first, generation_id=2)


def test_the_heartbeat_and_the_leave_for_silent_applications_carry_the_generation():
    rig = Rig("orders")
    rig.poll()
    start = next(effect for effect in rig.answer_join() if isinstance(effect, StartHeartbeat))
    assert (start.heartbeat.group_id, start.heartbeat.generation_id, start.heartbeat.member_id) == ("billing", 1, "m-1")
    assert [member.member_id for member in start.leave.members] == ["m-1"]


def test_member_id_required_joins_again_at_once_with_the_id_and_without_a_second_release():
    rig = Rig("orders")
    rig.poll()
    assert rig.answer_join(Code.MEMBER_ID_REQUIRED, member_id="m-7", generation_id=-1) == []
    assert kinds(rig.poll()) == ["StopHeartbeat", "JoinGroup"]
    assert rig.sent(Sent.JOIN).message.member_id == "m-7"


def test_a_leader_assigns_with_the_metadata_it_has():
    rig = Rig("orders")
    rig.member.metadata_changed(ORDERS)
    assert kinds(rig.lead("m-2")) == ["StartHeartbeat", "SyncGroup"]
    assert rig.member.is_leader
    assigned = {
        assignment.member_id: decode_assignment(assignment.assignment)
        for assignment in rig.sent(Sent.SYNC).message.assignments
    }
    assert assigned == {"m-1": list(ALL_ORDERS[:2]), "m-2": list(ALL_ORDERS[2:])}


def test_a_leader_asks_for_metadata_that_it_lacks_and_assigns_what_exists():
    rig = Rig("orders")
    assert rig.lead("m-2", topics=("orders", "missing"))[-1] == NeedMetadata(frozenset({"orders", "missing"}))
    assert rig.poll() == []
    rig.member.metadata_changed(ORDERS)
    assert kinds(rig.take()) == ["SyncGroup"]
    assert rig.member.group_topics == {"orders", "missing"}


def test_a_leader_that_is_told_to_skip_the_assignment_sends_none():
    rig = Rig("orders")
    rig.member.metadata_changed(ORDERS)
    rig.poll()
    member = JoinGroupResponse.JoinGroupResponseMember(
        member_id="m-1", metadata=encode_subscription(Subscription(("orders",)))
    )
    rig.answer_join(leader="m-1", members=[member], skip_assignment=True)
    assert rig.sent(Sent.SYNC).message.assignments == []


def test_a_leader_that_knows_no_such_assignor_fails():
    rig = Rig("orders")
    rig.member.metadata_changed(ORDERS)
    rig.poll()
    effects = rig.answer_join(leader="m-1", members=[], protocol_name="lottery")
    assert [type(effect.error) for effect in effects if isinstance(effect, Fail)] == [
        errors.InconsistentGroupProtocolError
    ]


def test_a_subscription_that_cannot_be_decoded_fails_the_rebalance():
    rig = Rig("orders")
    rig.poll()
    member = JoinGroupResponse.JoinGroupResponseMember(member_id="m-2", metadata=b"\0")
    effects = rig.answer_join(leader="m-1", members=[member])
    assert isinstance(effects[-1], Fail)
    assert isinstance(effects[-1].error, errors.ProtocolError)


@pytest.mark.parametrize("stage", ["join", "sync", "sync protocol"])
def test_another_protocol_than_ours_is_refused(stage):
    rig = Rig("orders")
    rig.poll()
    if stage == "join":
        effects = rig.answer_join(protocol_type="connect")
    else:
        rig.answer_join()
        wrong = {"protocol_type": "connect"} if stage == "sync" else {"protocol_name": "lottery"}
        effects = rig.answer_sync(**wrong)
    assert isinstance(effects[-1], Fail)
    assert isinstance(effects[-1].error, errors.InconsistentGroupProtocolError)
    assert rig.member.state is MemberState.UNJOINED


def test_an_assignment_beyond_the_subscription_is_not_adopted():
    rig = Rig("orders")
    rig.poll()
    rig.answer_join()
    assert rig.answer_sync(partitions=[TopicPartition("payments", 0)]) == []
    assert "JoinGroup" in kinds(rig.poll())


def test_an_assignment_that_cannot_be_decoded_fails():
    rig = Rig("orders")
    rig.poll()
    rig.answer_join()
    effects = rig.answer_sync(assignment=b"\0\0\0")
    assert isinstance(effects[-1], Fail)


def test_an_empty_assignment_is_adopted():
    rig = Rig("orders")
    rig.poll()
    rig.answer_join()
    assert rig.answer_sync(assignment=b"") == [Adopt(())]


# Error codes. After each refusal: what was wanted at once, how long until the next JoinGroup, with which member id.

JOIN_ERRORS = [
    (Code.COORDINATOR_LOAD_IN_PROGRESS, [], 0.1, "m-0"),
    (Code.UNKNOWN_MEMBER_ID, ["StopHeartbeat"], 0.0, ""),
    (Code.COORDINATOR_NOT_AVAILABLE, ["ForgetCoordinator"], 0.1, "m-0"),
    (Code.NOT_COORDINATOR, ["ForgetCoordinator"], 0.1, "m-0"),
    (Code.REBALANCE_IN_PROGRESS, [], 0.0, "m-0"),
    (Code.FENCED_INSTANCE_ID, ["Fail"], 0.0, "m-0"),
    (Code.INCONSISTENT_GROUP_PROTOCOL, ["Fail"], 0.0, "m-0"),
    (26, ["Fail"], 0.0, "m-0"),  # INVALID_SESSION_TIMEOUT
    (24, ["Fail"], 0.0, "m-0"),  # INVALID_GROUP_ID
    (30, ["Fail"], 0.0, "m-0"),  # GROUP_AUTHORIZATION_FAILED
    (81, ["Fail"], 0.0, "m-0"),  # GROUP_MAX_SIZE_REACHED
    (Code.UNSUPPORTED_VERSION, ["Fail"], 0.0, "m-0"),
    (-1, ["Fail"], 0.0, "m-0"),
]
SYNC_ERRORS = [
    (30, ["Fail"], 0.0, "m-1"),
    (Code.REBALANCE_IN_PROGRESS, [], 0.0, "m-1"),
    (Code.FENCED_INSTANCE_ID, ["Fail"], 0.0, "m-1"),
    (Code.UNKNOWN_MEMBER_ID, ["StopHeartbeat"], 0.0, ""),
    (Code.ILLEGAL_GENERATION, ["StopHeartbeat"], 0.0, "m-1"),
    (Code.COORDINATOR_NOT_AVAILABLE, ["ForgetCoordinator"], 0.1, "m-1"),
    (Code.NOT_COORDINATOR, ["ForgetCoordinator"], 0.1, "m-1"),
    (Code.COORDINATOR_LOAD_IN_PROGRESS, [], 0.1, "m-1"),
    (-1, ["Fail"], 0.0, "m-1"),
]


def assert_joins_after(rig: Rig, wait: float, member_id: str) -> None:
    if wait:
        assert rig.member.deadline == pytest.approx(rig.now + wait)
        assert rig.poll() == []
        rig.now += wait
    assert "JoinGroup" in kinds(rig.poll())
    assert rig.sent(Sent.JOIN).message.member_id == member_id


@pytest.mark.parametrize(("code", "effects", "wait", "member_id"), JOIN_ERRORS)
def test_every_error_of_join_group(code, effects, wait, member_id):
    rig = Rig("orders")
    rig.poll()
    rig.answer_join(Code.MEMBER_ID_REQUIRED, member_id="m-0", generation_id=-1)
    rig.poll()
    assert kinds(rig.answer_join(code)) == effects
    assert rig.member.state is MemberState.UNJOINED
    assert_joins_after(rig, wait, member_id)


@pytest.mark.parametrize(("code", "effects", "wait", "member_id"), SYNC_ERRORS)
def test_every_error_of_sync_group(code, effects, wait, member_id):
    rig = Rig("orders")
    rig.poll()
    rig.answer_join()
    assert kinds(rig.answer_sync(code)) == effects
    assert rig.member.state is MemberState.UNJOINED
    assert_joins_after(rig, wait, member_id)


@pytest.mark.parametrize(
    ("code", "effects", "state", "rejoins", "lost", "member_id"),
    [
        (Code.NONE, [], MemberState.STABLE, False, None, None),
        (Code.COORDINATOR_NOT_AVAILABLE, ["ForgetCoordinator"], MemberState.STABLE, False, None, None),
        (Code.NOT_COORDINATOR, ["ForgetCoordinator"], MemberState.STABLE, False, None, None),
        (Code.REBALANCE_IN_PROGRESS, [], MemberState.STABLE, True, False, "m-1"),
        (Code.ILLEGAL_GENERATION, ["StopHeartbeat"], MemberState.UNJOINED, True, True, "m-1"),
        (Code.UNKNOWN_MEMBER_ID, ["StopHeartbeat"], MemberState.UNJOINED, True, True, ""),
        (Code.FENCED_INSTANCE_ID, ["StopHeartbeat", "Fail"], MemberState.UNJOINED, True, True, ""),
        (30, ["Fail"], MemberState.STABLE, False, None, None),
        (-1, ["Fail"], MemberState.STABLE, False, None, None),
    ],
)
def test_every_error_of_heartbeat(code, effects, state, rejoins, lost, member_id):
    rig = Rig("orders")
    rig.join()
    rig.member.heartbeat_answered(code)
    assert kinds(rig.take()) == effects
    assert rig.member.state is state
    wanted = rig.poll()
    assert ("JoinGroup" in kinds(wanted)) == rejoins
    if rejoins:
        assert wanted[0] == Release(lost=lost)
        assert rig.sent(Sent.JOIN).message.member_id == member_id


@pytest.mark.parametrize("code", [Code.REBALANCE_IN_PROGRESS, Code.ILLEGAL_GENERATION, Code.UNKNOWN_MEMBER_ID])
def test_a_late_heartbeat_answer_does_not_disturb_a_join(code):
    rig = Rig("orders")
    rig.poll()
    rig.member.heartbeat_answered(code)
    assert rig.take() == []
    assert rig.member.state is MemberState.PREPARING_REBALANCE


def test_a_rebalance_that_heartbeats_report_while_syncing_is_ignored():
    rig = Rig("orders")
    rig.poll()
    rig.answer_join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    assert rig.answer_sync() == [Adopt(ALL_ORDERS)]
    assert rig.member.joined


def test_a_generation_lost_while_syncing_makes_the_answer_void():
    rig = Rig("orders")
    rig.poll()
    rig.answer_join()
    serial = rig.sent(Sent.SYNC).serial
    rig.member.heartbeat_answered(Code.UNKNOWN_MEMBER_ID)
    assert Cancel(serial) in rig.take()
    rig.member.answered(serial, SyncGroupResponse(assignment=encode_assignment(ALL_ORDERS)), rig.now)
    assert rig.take() == []
    assert "JoinGroup" in kinds(rig.poll())


@pytest.mark.parametrize("kind", [Sent.JOIN, Sent.SYNC])
def test_a_lost_connection_joins_again_after_the_backoff(kind):
    rig = Rig("orders")
    rig.poll()
    if kind is Sent.SYNC:
        rig.answer_join()
    rig.member.failed(rig.sent(kind).serial, errors.ConnectionFailedError("gone"), rig.now)
    assert rig.take() == []
    assert_joins_after(rig, 0.1, "m-1" if kind is Sent.SYNC else "")


def test_a_failure_of_a_request_that_was_given_up_is_ignored():
    rig = Rig("orders")
    rig.poll()
    rig.member.failed(99, errors.ConnectionFailedError("gone"), rig.now)
    assert rig.member.state is MemberState.PREPARING_REBALANCE


# Joining again


def test_a_rebalance_releases_once_and_then_joins_with_the_same_member_id():
    rig = Rig("orders")
    rig.join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    assert kinds(rig.poll()) == ["Release", "StopHeartbeat", "JoinGroup"]
    rig.answer_join(generation_id=2)
    rig.answer_sync(Code.REBALANCE_IN_PROGRESS)
    assert kinds(rig.poll()) == ["StopHeartbeat", "JoinGroup"]
    assert rig.sent(Sent.JOIN).message.member_id == "m-1"


def test_nothing_is_joined_while_partitions_are_being_given_up():
    rig = Rig("orders")
    rig.join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    rig.member.poll(rig.now)
    assert rig.take() == [Release(lost=False)]
    rig.member.poll(rig.now)
    assert rig.take() == []
    rig.member.released()
    rig.member.poll(rig.now)
    assert kinds(rig.take()) == ["StopHeartbeat", "JoinGroup"]


def test_other_topics_join_again_and_the_same_topics_do_not():
    rig = Rig("orders")
    rig.join()
    rig.member.subscribe(["orders"])
    assert rig.poll() == []
    rig.member.subscribe(["orders", "payments"])
    assert kinds(rig.poll()) == ["Release", "StopHeartbeat", "JoinGroup"]
    assert rig.sent(Sent.JOIN).message.reason == "the subscription has changed"


def test_topics_that_change_while_joining_join_again_after_adopting():
    rig = Rig("orders")
    rig.poll()
    rig.member.subscribe(["orders", "payments"])
    rig.answer_join()
    assert rig.answer_sync() == [Adopt(ALL_ORDERS)]
    assert "JoinGroup" in kinds(rig.poll())


def test_a_leader_joins_again_when_partitions_are_added_and_a_follower_does_not():
    more = {"orders": [PartitionInfo("orders", number, None) for number in range(5)]}
    leader = Rig("orders")
    leader.member.metadata_changed(ORDERS)
    leader.lead()
    leader.answer_sync()
    leader.member.metadata_changed(ORDERS)
    assert leader.poll() == []
    leader.member.metadata_changed(more)
    assert "JoinGroup" in kinds(leader.poll())

    follower = Rig("orders")
    follower.member.metadata_changed(ORDERS)
    follower.join()
    follower.member.metadata_changed(more)
    assert follower.poll() == []


def test_partitions_added_while_syncing_make_the_leader_join_again():
    rig = Rig("orders")
    rig.member.metadata_changed(ORDERS)
    rig.lead()
    rig.member.metadata_changed({"orders": ORDERS["orders"][:3]})
    assert rig.answer_sync() == [Adopt(ALL_ORDERS)]
    assert "JoinGroup" in kinds(rig.poll())


def test_a_topic_that_appears_makes_the_leader_join_again():
    rig = Rig("orders")
    rig.lead()
    rig.member.metadata_changed({})
    rig.take()
    rig.answer_sync(partitions=[])
    rig.member.metadata_changed(ORDERS)
    assert "JoinGroup" in kinds(rig.poll())


def test_an_application_that_polls_too_late_has_lost_its_partitions():
    rig = Rig("orders")
    rig.join()
    rig.member.poll_deadline_passed()
    wanted = rig.poll()
    assert kinds(wanted) == ["StopHeartbeat", "Release", "StopHeartbeat", "JoinGroup"]
    assert wanted[1] == Release(lost=True)
    assert rig.sent(Sent.JOIN).message.member_id == ""


def test_a_static_member_says_who_it_is_and_leaves_without_a_word():
    rig = Rig()
    rig.member = Membership(replace(SETTINGS, group_instance_id="till-7"))
    rig.member.subscribe(["orders"])
    rig.join()
    assert [rig.sent(kind).message.group_instance_id for kind in (Sent.JOIN, Sent.SYNC)] == ["till-7", "till-7"]
    started = next(effect for effect in rig.effects if isinstance(effect, StartHeartbeat))
    assert (started.heartbeat.group_instance_id, started.leave) == ("till-7", None)
    assert rig.member.stable_generation == Generation(1, "m-1", "range", "till-7")
    rig.member.leave("closed")
    assert kinds(rig.take()) == ["StopHeartbeat"]
    assert rig.member.generation == Generation(group_instance_id="till-7")


def test_a_static_member_that_polls_too_late_has_lost_its_partitions_too():
    rig = Rig()
    rig.member = Membership(replace(SETTINGS, group_instance_id="till-7"))
    rig.member.subscribe(["orders"])
    rig.join()
    rig.member.poll_deadline_passed()
    assert Release(lost=True) in rig.poll()
    assert (rig.sent(Sent.JOIN).message.member_id, rig.sent(Sent.JOIN).message.group_instance_id) == ("", "till-7")


def test_a_long_reason_is_cut_to_what_the_protocol_allows():
    rig = Rig("orders")
    rig.join()
    rig.member.enforce_rejoin("x" * 300)
    rig.poll()
    assert rig.sent(Sent.JOIN).message.reason == "x" * 255


# Leaving


def test_a_member_leaves_with_its_id_and_stays_out():
    rig = Rig("orders")
    rig.join()
    rig.member.leave("closing")
    assert kinds(rig.take()) == ["StopHeartbeat", "LeaveGroup"]
    leave = rig.sent(Sent.LEAVE).message
    assert [(member.member_id, member.reason) for member in leave.members] == [("m-1", "closing")]
    assert rig.member.stable_generation is None
    assert rig.poll() == []


def test_leaving_in_the_middle_of_a_join_gives_the_join_up():
    rig = Rig("orders")
    rig.poll()
    rig.answer_join(Code.MEMBER_ID_REQUIRED, member_id="m-0", generation_id=-1)
    rig.poll()
    serial = rig.sent(Sent.JOIN).serial
    rig.member.leave("closing")
    assert kinds(rig.take()) == ["Cancel", "StopHeartbeat", "LeaveGroup"]
    rig.member.answered(serial, JoinGroupResponse(member_id="m-0", leader="m-0"), rig.now)
    assert rig.take() == []


def test_who_has_no_member_id_has_nothing_to_leave():
    rig = Rig("orders")
    rig.member.leave("closing")
    assert kinds(rig.take()) == ["StopHeartbeat"]


def test_subscribing_after_leaving_joins_as_a_new_member():
    rig = Rig("orders")
    rig.join()
    rig.member.leave("unsubscribed")
    rig.take()
    rig.member.subscribe(["orders"])
    assert "JoinGroup" in kinds(rig.poll())
    assert rig.sent(Sent.JOIN).message.member_id == ""


# Commits


@pytest.mark.parametrize(
    ("code", "raised", "rejoins"),
    [
        (Code.REBALANCE_IN_PROGRESS, errors.RebalanceInProgressError, True),
        (Code.UNKNOWN_MEMBER_ID, errors.CommitFailedError, True),
        (Code.ILLEGAL_GENERATION, errors.CommitFailedError, True),
        (Code.FENCED_INSTANCE_ID, errors.CommitFailedError, True),
        (12, errors.OffsetMetadataTooLargeError, False),
        (29, errors.TopicAuthorizationFailedError, False),
    ],
)
def test_every_error_of_a_commit_with_the_current_generation(code, raised, rejoins):
    rig = Rig("orders")
    rig.join()
    error = rig.member.commit_refused(errors.for_code(code), Generation(1, "m-1", "range"))
    assert type(error) is raised
    assert ("JoinGroup" in kinds(rig.poll())) == rejoins


def test_a_commit_of_an_old_generation_during_a_rebalance_only_says_so():
    rig = Rig("orders")
    rig.join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    rig.poll()
    rig.answer_join(generation_id=2)
    error = rig.member.commit_refused(errors.IllegalGenerationError(), Generation(1, "m-1", "range"))
    assert type(error) is errors.RebalanceInProgressError
    assert rig.member.state is MemberState.COMPLETING_REBALANCE


def test_a_commit_of_an_old_generation_after_a_rebalance_fails_and_changes_nothing():
    rig = Rig("orders")
    rig.join()
    error = rig.member.commit_refused(errors.IllegalGenerationError(), Generation(0, "m-1", "range"))
    assert type(error) is errors.CommitFailedError
    assert rig.member.joined


def test_effects_are_plain_values():
    assert ForgetCoordinator() == ForgetCoordinator()
    assert StopHeartbeat() == StopHeartbeat()
