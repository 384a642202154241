"""Groups of the classic protocol: JoinGroup, SyncGroup, Heartbeat, LeaveGroup, with every kind of fencing at every state."""

from __future__ import annotations

from typing import Any, Final

from behaviour.cases import Body, Play, case
from behaviour.cases.bodies import coordinator_is_ready

CONSUMER: Final = {"protocolType": "consumer", "protocolName": "range"}
METADATA: Final = b"x"


def join(group: str, member: str = "", names: tuple[str, ...] = ("range",), **more: Any) -> Body:
    fields = {"groupId": group, "sessionTimeoutMs": 10_000, "rebalanceTimeoutMs": 5_000, "memberId": member}
    protocols = [{"name": name, "metadata": METADATA} for name in names]
    return {**fields, "protocolType": "consumer", "protocols": protocols, **more}


def synced(group: str, member: str, generation: int, *given: str, **more: Any) -> Body:
    assignments = [{"memberId": name, "assignment": b"A"} for name in given]
    fields = {"groupId": group, "memberId": member, "generationId": generation, "assignments": assignments}
    return {**CONSUMER, **fields, **more}


def beat(group: str, member: str, generation: int, instance: str | None = None) -> Body:
    return {"groupId": group, "memberId": member, "generationId": generation, "groupInstanceId": instance}


def leave(group: str, *members: tuple[str, str | None]) -> Body:
    told = [{"memberId": member, "groupInstanceId": instance, "reason": None} for member, instance in members]
    return {"groupId": group, "members": told}


def group_of(play: Play, label: str = "g") -> str:
    name = play.named(label)
    coordinator_is_ready(play, name)
    return name


def joined(play: Play, group: str) -> str:
    """Joins as the only member, quietly, up to the second join; returns its id."""
    member = play.quiet("JoinGroup", 9, **join(group))["memberId"]
    play.quiet("JoinGroup", 9, **join(group, member))
    return member


def stable(play: Play, group: str) -> str:
    """A group with one member in generation 1; returns the member's id."""
    member = joined(play, group)
    play.quiet("SyncGroup", 5, **synced(group, member, 1, member))
    return member


@case
def strangers(play: Play) -> None:
    """What groups answer that nobody has joined, and one without a name."""
    for group in (group_of(play), ""):
        for version in play.versions("Heartbeat"):
            play.ask("Heartbeat", version, **beat(group, "m", 1))
        for version in play.versions("SyncGroup"):
            play.ask("SyncGroup", version, **synced(group, "m", 1, "m"))
        for version in range(3):
            play.ask("LeaveGroup", version, groupId=group, memberId="m")
        for version in range(3, 6):
            play.ask("LeaveGroup", version, **leave(group, ("m", None)))
        for version in play.versions("DescribeGroups"):
            play.ask("DescribeGroups", version, groups=[group])
        for version in play.versions("DeleteGroups"):
            play.ask("DeleteGroups", version, groupsNames=[group])


@case
def joins_that_are_refused(play: Play) -> None:
    group = group_of(play)
    refused: list[Body] = [
        {"groupId": ""}, {"sessionTimeoutMs": 1}, {"sessionTimeoutMs": 10**8}, {"memberId": "stranger"},
        {"protocolType": ""}, {"protocols": []},
    ]  # fmt: skip
    for version in play.versions("JoinGroup"):
        for fields in refused:
            label = str(next(iter(fields)))
            play.ask("JoinGroup", version, label=label, on=play.connect(), **{**join(group), **fields})


@case
def a_first_member_of_every_version(play: Play) -> None:
    for version in play.versions("JoinGroup"):
        group = group_of(play, f"g{version}")
        answer = play.ask("JoinGroup", version, label="without an id", **join(group))
        if answer["errorCode"]:
            answer = play.ask("JoinGroup", version, label="with the id", **join(group, answer["memberId"]))
        member = answer["memberId"]
        sync = min(version, 5)
        play.ask("SyncGroup", sync, **synced(group, member, 1, member))
        play.ask("Heartbeat", min(version, 4), **beat(group, member, 1))
        play.ask("JoinGroup", version, label="again", **join(group, member))
        play.ask("LeaveGroup", 3, **leave(group, (member, None)))


@case
def a_member_that_has_only_its_id(play: Play) -> None:
    group = group_of(play)
    member = play.ask("JoinGroup", 9, **join(group))["memberId"]
    play.ask("DescribeGroups", 6, groups=[group])
    play.ask("Heartbeat", 4, **beat(group, member, 0))
    play.ask("SyncGroup", 5, **synced(group, member, 0, member))
    play.ask("LeaveGroup", 5, **leave(group, (member, None)))
    play.ask("JoinGroup", 9, label="after leaving", **join(group, member))


@case
def before_the_assignment(play: Play) -> None:
    group = group_of(play)
    member = joined(play, group)
    play.ask("DescribeGroups", 5, groups=[group])
    for label, generation, instance in (("good", 1, None), ("bad generation", 7, None), ("bad instance", 1, "z")):
        play.ask("Heartbeat", 4, label=label, **beat(group, member, generation, instance))
    play.ask("JoinGroup", 9, label="again", **join(group, member))
    for fields in ({"protocolType": "z"}, {"protocolName": "z"}, {"protocolType": None}, {"protocolName": None}):
        play.ask("SyncGroup", 5, **synced(group, member, 1, member, **fields))
    for generation in (0, 2, -1):
        play.ask("SyncGroup", 5, **synced(group, member, generation, member))
    play.ask("SyncGroup", 5, label="good", **synced(group, member, 1, member, "stranger"))


@case
def a_stable_group(play: Play) -> None:
    group = group_of(play)
    member = stable(play, group)
    for version in play.versions("SyncGroup"):
        play.ask("SyncGroup", version, **synced(group, member, 1))
    for version in play.versions("DescribeGroups"):
        play.ask("DescribeGroups", version, groups=[group])
    for version in play.versions("Heartbeat"):
        for generation, name in ((1, member), (0, member), (2, member), (-1, member), (1, "stranger"), (1, "")):
            play.ask("Heartbeat", version, **beat(group, name, generation))
    for fields in ({"protocolType": "connect"}, {"protocols": [{"name": "other", "metadata": b""}]}):
        play.ask("JoinGroup", 9, label=str(next(iter(fields))), **{**join(group), **fields})
    for version in play.versions("DeleteGroups"):
        play.ask("DeleteGroups", version, groupsNames=[group])


@case
def authorized_operations(play: Play) -> None:
    group = group_of(play)
    stable(play, group)
    for version in range(3, 7):
        play.ask("DescribeGroups", version, groups=[group, play.named("none")], includeAuthorizedOperations=True)


def only_mine(play: Play) -> Any:
    def keep(answer: Body) -> Body:
        return {
            **answer,
            "groups": [group for group in answer["groups"] if group["groupId"].startswith(play.named(""))],
        }

    return keep


@case
def lists(play: Play) -> None:
    group, empty = group_of(play), group_of(play, "empty")
    stable(play, group)
    member = stable(play, empty)
    play.quiet("LeaveGroup", 5, **leave(empty, (member, None)))
    keep = only_mine(play)
    for version in play.versions("ListGroups"):
        play.ask("ListGroups", version, keep=keep)
    for version in (4, 5):
        for states in (["stable"], ["Stable"], ["STABLE", "Empty"], ["bogus"], [""], ["Dead"]):
            play.ask("ListGroups", version, label=str(states), keep=keep, statesFilter=states)
    for types in (["classic"], ["Classic"], ["consumer"], ["bogus"], [""], ["share"]):
        play.ask("ListGroups", 5, label=str(types), keep=keep, typesFilter=types)


@case
def members_leave(play: Play) -> None:
    for version in play.versions("LeaveGroup"):
        group = group_of(play, f"g{version}")
        member = stable(play, group)
        if version < 3:
            play.ask("LeaveGroup", version, groupId=group, memberId="stranger")
            play.ask("LeaveGroup", version, groupId=group, memberId=member)
        else:
            play.ask("LeaveGroup", version, **leave(group, ("stranger", None), (member, "instance"), (member, None)))
            play.ask("LeaveGroup", version, **leave(group))
        play.ask("DescribeGroups", 5, groups=[group])
        play.ask("Heartbeat", 4, **beat(group, member, 1))
        play.ask("JoinGroup", 9, label="who left", **join(group, member))


@case
def deletion(play: Play) -> None:
    for version in play.versions("DeleteGroups"):
        group = group_of(play, f"g{version}")
        member = stable(play, group)
        play.ask("DeleteGroups", version, label="with a member", groupsNames=[group])
        play.quiet("LeaveGroup", 5, **leave(group, (member, None)))
        play.ask("DeleteGroups", version, label="empty", groupsNames=[group, group, play.named("none")])
        play.ask("DeleteGroups", version, label="again", groupsNames=[group])
        play.ask("DescribeGroups", 6, groups=[group])


@case
def two_members(play: Play) -> None:
    """The second one makes a new generation; both wait for each other."""
    group = group_of(play)
    first = stable(play, group)
    other = play.connect()
    second = play.quiet("JoinGroup", 9, **join(group))["memberId"]
    play.name(first, "first")
    play.name(second, "second")
    joining = play.send("JoinGroup", 9, label="second joins", on=other, **join(group, second))
    play.until(lambda told: told["errorCode"] == 27, "Heartbeat", 4, **beat(group, first, 1))
    play.ask("DescribeGroups", 6, groups=[group])
    play.ask("Heartbeat", 4, label="while rebalancing", **beat(group, first, 1))
    play.ask("SyncGroup", 5, label="while rebalancing", **synced(group, first, 1))
    play.ask("JoinGroup", 9, label="first joins", **join(group, first))
    play.receive(joining)
    syncing = play.send("SyncGroup", 5, label="second waits", on=other, **synced(group, second, 2))
    play.ask("SyncGroup", 5, label="leader assigns", **synced(group, first, 2, first, second))
    play.receive(syncing)
    play.ask("DescribeGroups", 6, groups=[group])
    play.ask("LeaveGroup", 5, **leave(group, (second, None), (first, None)))


@case
def protocols_that_members_share(play: Play) -> None:
    group = group_of(play)
    first = play.quiet("JoinGroup", 9, **join(group, names=("a", "b", "c")))["memberId"]
    play.quiet("JoinGroup", 9, **join(group, first, names=("a", "b", "c")))
    play.quiet("SyncGroup", 5, **synced(group, first, 1, first, protocolName="a"))
    play.ask("JoinGroup", 5, label="none in common", **join(group, names=("x",)))
    other = play.connect()
    second = play.quiet("JoinGroup", 9, **join(group, names=("c", "b")))["memberId"]
    play.name(first, "first")
    play.name(second, "second")
    joining = play.send("JoinGroup", 9, on=other, label="second", **join(group, second, names=("c", "b")))
    play.until(lambda told: told["errorCode"] == 27, "Heartbeat", 4, **beat(group, first, 1))
    play.ask("JoinGroup", 9, label="first", **join(group, first, names=("a", "b", "c")))
    play.receive(joining)


@case
def static_members(play: Play) -> None:
    """A static member and its next incarnations."""
    group = group_of(play)
    one = {"groupInstanceId": "one"}
    first = play.ask("JoinGroup", 9, **join(group, **one))["memberId"]
    play.ask("SyncGroup", 5, **synced(group, first, 1, first, **one))
    second = play.ask("JoinGroup", 9, label="came back", **join(group, **one))["memberId"]
    play.ask("Heartbeat", 4, label="fenced", **beat(group, first, 1, "one"))
    play.ask("SyncGroup", 5, label="fenced", **synced(group, first, 1, **one))
    play.ask("JoinGroup", 9, label="fenced", **join(group, first, **one))
    play.ask("LeaveGroup", 5, label="fenced", **leave(group, (first, "one")))
    play.ask("SyncGroup", 5, label="keeps its assignment", **synced(group, second, 1, **one))
    for version in (4, 5, 6):
        play.ask("DescribeGroups", version, groups=[group])
    for version in range(5, 10):
        play.ask("JoinGroup", version, label="came back", **join(group, **one))
    play.ask("LeaveGroup", 5, **leave(group, ("", "one"), ("", "two"), ("", None), ("stranger", "one")))


@case
def odd_names_of_instances(play: Play) -> None:
    for index, instance in enumerate(("", "a b", "ü", ".", "x" * 250)):
        group = group_of(play, f"g{index}")
        play.ask("JoinGroup", 9, label=repr(instance)[:9], **join(group, groupInstanceId=instance))
