"""The classic group protocol, state by state, with whole answers compared."""

from __future__ import annotations

import pytest
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.coordinator.group import PREDECESSORS, Group, GroupState
from barnabas.coordinator.records import group_from_record, group_record
from barnabas.protocol.messages.join_group import JoinGroupResponse
from barnabas.protocol.messages.sync_group import SyncGroupResponse

Member = JoinGroupResponse.JoinGroupResponseMember


def state(virtual: VirtualShard) -> GroupState:
    return virtual.shard.groups[GROUP].state


def test_first_member_joins_syncs_and_is_alone() -> None:
    virtual = VirtualShard()
    required = virtual.answers[virtual.join()]
    assert required == JoinGroupResponse(
        error_code=errors.MemberIdRequiredError.code,
        member_id="c-id1",
        protocol_name=None,
    )
    joined = virtual.answers[virtual.join("c-id1")]
    assert joined == JoinGroupResponse(
        generation_id=1,
        protocol_type="consumer",
        protocol_name="range",
        leader="c-id1",
        member_id="c-id1",
        members=[Member(member_id="c-id1", metadata=b"topics")],
    )
    synced = virtual.answers[virtual.sync("c-id1", 1, {"c-id1": b"all"})]
    assert synced == SyncGroupResponse(protocol_type="consumer", protocol_name="range", assignment=b"all")
    assert state(virtual) is GroupState.STABLE
    assert virtual.heartbeat("c-id1", 1) == 0


def test_versions_before_4_get_their_member_id_with_the_join() -> None:
    virtual = VirtualShard()
    joined = virtual.answers[virtual.join(version=3)]
    assert (joined.error_code, joined.member_id, joined.leader) == (0, "c-id1", "c-id1")


def test_negative_rebalance_timeout_is_the_session_timeout() -> None:
    virtual = VirtualShard()
    virtual.join(version=0, rebalance_timeout_ms=-1)
    assert virtual.shard.groups[GROUP].members["c-id1"].rebalance_timeout_ms == 10_000


def test_second_member_starts_a_rebalance_that_the_first_hears_of_by_heartbeat() -> None:
    virtual = VirtualShard()
    (first,), generation = virtual.stable(1)
    second, token = virtual.enter()
    assert token not in virtual.answers
    assert virtual.heartbeat(first, generation) == errors.RebalanceInProgressError.code
    assert virtual.answers.get(virtual.sync(first, generation)).error_code == errors.RebalanceInProgressError.code
    again = virtual.join(first)
    assert virtual.answers[again].generation_id == virtual.answers[token].generation_id == generation + 1
    assert virtual.answers[token].members == []
    assert {member.member_id for member in virtual.answers[again].members} == {first, second}


def test_followers_wait_for_the_leaders_assignment() -> None:
    virtual = VirtualShard()
    leader, leader_join = virtual.enter()
    follower, _ = virtual.enter()
    virtual.join(leader)
    generation = virtual.shard.groups[GROUP].generation
    waiting = virtual.sync(follower, generation)
    assert waiting not in virtual.answers
    virtual.sync(leader, generation, {leader: b"0", follower: b"1"})
    assert virtual.answers[waiting].assignment == b"1"
    assert virtual.answers[virtual.sync(follower, generation)].assignment == b"1"
    assert virtual.answers[leader_join].leader == leader


def test_members_that_the_leader_forgot_get_an_empty_assignment() -> None:
    virtual = VirtualShard()
    leader, _ = virtual.enter()
    follower, _ = virtual.enter()
    virtual.join(leader)
    virtual.sync(leader, 2, {leader: b"0", "stranger": b"9"})
    assert virtual.answers[virtual.sync(follower, 2)] == SyncGroupResponse(
        protocol_type="consumer",
        protocol_name="range",
        assignment=b"",
    )


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"session_timeout_ms": 5_999}, errors.InvalidSessionTimeoutError.code),
        ({"session_timeout_ms": 1_800_001}, errors.InvalidSessionTimeoutError.code),
        ({"protocol_type": ""}, errors.InconsistentGroupProtocolError.code),
        ({"protocols": ()}, errors.InconsistentGroupProtocolError.code),
        ({"member_id": "stranger"}, errors.UnknownMemberIdError.code),
    ],
)
def test_joins_that_are_refused_leave_no_group(fields: dict[str, object], code: int) -> None:
    virtual = VirtualShard()
    assert virtual.answers[virtual.join(**fields)].error_code == code  # type: ignore[arg-type]
    assert virtual.shard.groups == {}
    assert virtual.log == []


@pytest.mark.parametrize("fields", [{"protocol_type": "connect"}, {"protocols": ("sticky",)}])
def test_joins_that_do_not_fit_the_group_are_refused(fields: dict[str, object]) -> None:
    virtual = VirtualShard()
    virtual.stable(1)
    code = errors.InconsistentGroupProtocolError.code
    assert virtual.answers[virtual.join(**fields)].error_code == code  # type: ignore[arg-type]


def test_protocol_is_what_most_prefer_among_what_all_speak() -> None:
    virtual = VirtualShard()
    first, _ = virtual.enter(protocols=("range", "sticky", "own"))
    virtual.enter(protocols=("sticky", "range"))
    third, _ = virtual.enter(protocols=("sticky", "range"))
    virtual.join(first, protocols=("range", "sticky", "own"))
    assert virtual.shard.groups[GROUP].protocol == "sticky"
    assert virtual.answers
    assert third in virtual.shard.groups[GROUP].members


def test_initial_delay_waits_for_more_members_and_is_extended_up_to_the_rebalance_timeout() -> None:
    virtual = VirtualShard(initial_rebalance_delay_ms=3_000)
    _, first = virtual.enter()
    virtual.advance(2_000)
    _, second = virtual.enter()
    virtual.advance(1_500)
    assert first not in virtual.answers
    virtual.advance(3_000)
    assert virtual.answers[first].generation_id == virtual.answers[second].generation_id == 1
    assert len(virtual.answers[first].members) == 2


def test_rebalance_timeout_removes_members_that_did_not_rejoin() -> None:
    virtual = VirtualShard()
    (first, second), generation = virtual.stable(2)
    _, token = virtual.enter()
    virtual.join(second)
    for _ in range(7):
        virtual.heartbeat(first, generation)
        virtual.advance(9_000)
    assert virtual.answers[token].error_code == 0
    assert first not in virtual.shard.groups[GROUP].members
    assert virtual.heartbeat(first, generation) == errors.UnknownMemberIdError.code


def test_session_timeout_removes_a_silent_member_and_rebalances() -> None:
    virtual = VirtualShard()
    (first, second), generation = virtual.stable(2)
    virtual.advance(9_000)
    assert virtual.heartbeat(first, generation) == 0
    virtual.advance(2_000)
    assert second not in virtual.shard.groups[GROUP].members
    assert virtual.heartbeat(first, generation) == errors.RebalanceInProgressError.code


def test_member_parked_in_a_join_does_not_expire() -> None:
    virtual = VirtualShard()
    (first, second), generation = virtual.stable(2)
    virtual.enter()
    token = virtual.join(first)
    for _ in range(4):
        virtual.heartbeat(second, generation)
        virtual.advance(9_000)
    assert first in virtual.shard.groups[GROUP].members
    assert token not in virtual.answers


def test_new_member_whose_join_is_parked_too_long_is_told_to_start_over() -> None:
    virtual = VirtualShard(new_member_join_timeout_ms=5_000)
    (first,), generation = virtual.stable(1)
    _, token = virtual.enter()
    virtual.advance(4_000)
    virtual.heartbeat(first, generation)
    virtual.advance(1_500)
    assert virtual.answers[token] == JoinGroupResponse(
        error_code=errors.UnknownMemberIdError.code,
        member_id="",
        protocol_name=None,
    )


def test_pending_member_id_expires_with_the_session_timeout() -> None:
    virtual = VirtualShard()
    member_id = virtual.answers[virtual.join()].member_id
    virtual.advance(10_001)
    assert virtual.answers[virtual.join(member_id)].error_code == errors.UnknownMemberIdError.code


def test_pending_member_holds_the_rebalance_up_until_it_expires() -> None:
    virtual = VirtualShard()
    (first,), generation = virtual.stable(1)
    virtual.enter()
    virtual.join()  # gets its id and never comes back
    token = virtual.join(first)
    assert token not in virtual.answers
    virtual.advance(10_001)
    assert virtual.answers[token].generation_id == generation + 1


def test_members_that_never_sync_are_removed() -> None:
    virtual = VirtualShard()
    first, _ = virtual.enter()
    second, _ = virtual.enter()
    virtual.join(first)
    virtual.sync(first, 2, {first: b"0", second: b"1"})
    for _ in range(7):
        virtual.heartbeat(first, 2)
        virtual.heartbeat(second, 2)
        virtual.advance(9_000)
    group = virtual.shard.groups[GROUP]
    assert (group.state, list(group.members)) == (GroupState.PREPARING_REBALANCE, [first])


def test_repeated_join_of_a_follower_is_answered_again_without_a_rebalance() -> None:
    virtual = VirtualShard()
    (leader, follower), generation = virtual.stable(2)
    again = virtual.answers[virtual.join(follower)]
    assert (again.generation_id, again.members, again.leader) == (generation, [], leader)
    assert state(virtual) is GroupState.STABLE


def test_changed_metadata_or_the_leader_starts_a_rebalance() -> None:
    for index, metadata in ((0, b"topics"), (1, b"other topics")):
        virtual = VirtualShard()
        members, _ = virtual.stable(2)
        virtual.join(members[index], metadata=metadata)
        assert state(virtual) is GroupState.PREPARING_REBALANCE


def test_join_while_others_wait_for_the_assignment_sends_them_back() -> None:
    virtual = VirtualShard()
    leader, _ = virtual.enter()
    follower, _ = virtual.enter()
    virtual.join(leader)
    waiting = virtual.sync(follower, 2)
    virtual.enter()
    assert virtual.answers[waiting] == SyncGroupResponse(
        error_code=errors.RebalanceInProgressError.code,
        assignment=b"",
    )


def test_group_size_is_limited() -> None:
    virtual = VirtualShard(group_size_max=1)
    virtual.stable(1)
    assert virtual.answers[virtual.join()].error_code == errors.GroupMaxSizeReachedError.code


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"protocol_type": "connect"}, errors.InconsistentGroupProtocolError.code),
        ({"protocol_name": "sticky"}, errors.InconsistentGroupProtocolError.code),
        ({"protocol_type": "consumer", "protocol_name": "range"}, 0),
    ],
)
def test_sync_checks_the_protocol(said: dict[str, str], code: int) -> None:
    virtual = VirtualShard()
    (member,), generation = virtual.stable(1)
    assert virtual.answers[virtual.sync(member, generation, **said)].error_code == code


def test_stale_generations_and_strangers_are_fenced_everywhere() -> None:
    virtual = VirtualShard()
    (member,), generation = virtual.stable(1)
    unknown, illegal = errors.UnknownMemberIdError.code, errors.IllegalGenerationError.code
    assert virtual.heartbeat("stranger", generation) == unknown
    assert virtual.heartbeat(member, generation - 1) == illegal
    assert virtual.answers[virtual.sync("stranger", generation)].error_code == unknown
    assert virtual.answers[virtual.sync(member, generation + 1)].error_code == illegal
    assert virtual.commit("stranger", generation) == unknown
    assert virtual.commit(member, generation - 1) == illegal
    assert virtual.commit("", -1) == unknown
    assert virtual.leave(("stranger", None), (member, None)) == [unknown, 0]


def test_last_member_leaves_and_the_empty_generation_is_stored() -> None:
    virtual = VirtualShard()
    (member,), generation = virtual.stable(1)
    assert virtual.leave((member, None)) == [0]
    _, stored = virtual.log[-1]
    assert (stored.generation, stored.members, stored.protocol, stored.leader) == (generation + 1, [], None, None)
    assert state(virtual) is GroupState.EMPTY


def test_leader_that_leaves_is_succeeded() -> None:
    virtual = VirtualShard()
    (leader, follower), generation = virtual.stable(2)
    virtual.leave((leader, None))
    joined = virtual.answers[virtual.join(follower)]
    assert (joined.leader, joined.generation_id) == (follower, generation + 1)


def test_static_member_comes_back_without_a_rebalance() -> None:
    virtual = VirtualShard()
    first = virtual.answers[virtual.join(group_instance_id="one")].member_id
    virtual.sync(first, 1, {first: b"mine"})
    back = virtual.answers[virtual.join(group_instance_id="one")]
    assert (back.error_code, back.generation_id, back.leader, back.skip_assignment) == (0, 1, back.member_id, True)
    assert back.member_id != first
    assert state(virtual) is GroupState.STABLE
    assert virtual.answers[virtual.sync(back.member_id, 1, group_instance_id="one")].assignment == b"mine"
    fenced = errors.FencedInstanceIdError.code
    assert virtual.heartbeat(first, 1, group_instance_id="one") == fenced
    assert virtual.commit(first, 1, group_instance_id="one") == fenced
    virtual.reload()
    assert virtual.heartbeat(back.member_id, 1, group_instance_id="one") == 0


def test_static_member_is_removed_by_its_instance_id() -> None:
    virtual = VirtualShard()
    virtual.join(group_instance_id="one")
    assert virtual.leave(("", "one"), ("", "two")) == [0, errors.UnknownMemberIdError.code]
    assert virtual.shard.groups[GROUP].members == {}


def test_parked_join_of_a_replaced_static_member_is_fenced() -> None:
    virtual = VirtualShard()
    (other,), generation = virtual.stable(1)
    old = virtual.join(group_instance_id="one")
    new = virtual.join(group_instance_id="one")
    assert virtual.answers[old].error_code == errors.FencedInstanceIdError.code
    virtual.join(other)
    assert virtual.answers[new].generation_id == generation + 1


def test_reload_gives_every_member_a_whole_session() -> None:
    virtual = VirtualShard()
    members, generation = virtual.stable(3)
    virtual.advance(9_999)
    virtual.reload()
    virtual.advance(9_999)
    assert [virtual.heartbeat(member, generation) for member in members] == [0, 0, 0]
    assert virtual.answers[virtual.sync(members[1], generation)].assignment == b"for " + members[1].encode()


def test_stored_group_survives_its_record() -> None:
    virtual = VirtualShard()
    virtual.stable(2)
    group = virtual.shard.groups[GROUP]
    rebuilt = group_from_record(GROUP, virtual.shard.stored[GROUP])
    assert group_record(rebuilt) == group_record(group)


def test_transitions_outside_the_table_are_refused() -> None:
    for target, allowed in PREDECESSORS.items():
        for source in GroupState:
            group = Group("g", state=source)
            if source in allowed:
                group.transition(target, 7)
                assert (group.state, group.previous_state, group.state_timestamp_ms) == (target, source, 7)
            else:
                with pytest.raises(RuntimeError, match="is not a transition"):
                    group.transition(target, 7)
