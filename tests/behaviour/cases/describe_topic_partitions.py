"""DescribeTopicPartitions: names, and the cursor that leads through large answers."""

from __future__ import annotations

from typing import Any

from behaviour.cases import Body, Play, case
from behaviour.cases.bodies import coordinator_is_ready
from behaviour.cases.metadata import only_mine

API = "DescribeTopicPartitions"


def of(*names: str, limit: int = 2_000, cursor: tuple[str, int] | None = None) -> Body:
    told = None if cursor is None else {"topicName": cursor[0], "partitionIndex": cursor[1]}
    return {"topics": [{"name": name} for name in names], "responsePartitionLimit": limit, "cursor": told}


def topics(play: Play) -> list[str]:
    return [play.topic(label, count).name for label, count in (("a", 3), ("b", 1), ("c", 4))]


@case
def by_name(play: Play) -> None:
    names = topics(play)
    play.ask(API, 0, **of(*names))
    play.ask(API, 0, **of(*reversed(names)))
    play.ask(API, 0, **of(names[0], names[0]))


@case
def unknown_names(play: Play) -> None:
    names = topics(play)
    for name in (play.named("missing"), "", ".", "a b", "x" * 250, "__cluster_metadata"):
        play.ask(API, 0, **of(name))
        play.ask(API, 0, **of(names[0], name, names[2]))


@case
def all_topics(play: Play) -> None:
    names = topics(play)
    mine = only_mine(play)
    for name in names[:2]:
        # What follows are topics of other cases, and so is the cursor after them.
        play.ask(API, 0, keep=lambda answer: {**mine(answer), "nextCursor": None}, **of(cursor=(name, 0)))


@case
def limits(play: Play) -> None:
    names = topics(play)
    for limit in (1, 2, 3, 4, 5, 7, 8, 9):
        play.ask(API, 0, label=f"limit {limit}", **of(*names, limit=limit))


@case
def limits_that_are_none(play: Play) -> None:
    names = topics(play)
    for limit in (0, -1, 2_001, 2**31 - 1):
        play.ask(API, 0, label=f"limit {limit}", **of(*names, limit=limit))


@case
def cursors(play: Play) -> None:
    names = topics(play)
    places: list[Any] = [(name, index) for name in names for index in (0, 1, 2, 3, 4, 9)]
    places += [(play.named("bb"), 0), (play.named("zz"), 0), (play.named(""), 0), (play.named("bb"), 2)]
    for place in places:
        label = f"{place[0].rpartition('-')[2]} {place[1]}"
        play.ask(API, 0, label=label, **of(*names, cursor=place))
        play.ask(API, 0, label=f"{label}, limit 2", **of(*names, limit=2, cursor=place))


@case
def cursors_that_are_none(play: Play) -> None:
    names = topics(play)
    for place in ((names[0], -1), (names[0], -(2**31)), ("", 0), ("a b", 0), (names[0], 2**31 - 1)):
        play.ask(API, 0, label=str(place[1]), on=play.connect(), **of(*names, cursor=place))


@case
def pages_to_the_end(play: Play) -> None:
    names = topics(play)
    for limit in (1, 3):
        cursor = None
        for page in range(12):
            answer = play.ask(API, 0, label=f"limit {limit} page {page}", **of(*names, limit=limit, cursor=cursor))
            following = answer["nextCursor"]
            if following is None:
                break
            cursor = (following["topicName"], following["partitionIndex"])


@case
def a_cursor_at_a_topic_that_went(play: Play) -> None:
    names = topics(play)
    play.ask("DeleteTopics", 6, topics=[{"name": names[1]}], timeoutMs=20_000)
    play.until(
        lambda told: told["topics"][0]["errorCode"] == 3, "Metadata", 9, topics=[{"name": names[1]}],
        allowAutoTopicCreation=False,
    )  # fmt: skip
    play.ask(API, 0, **of(*names, cursor=(names[1], 0)))
    play.ask(API, 0, **of(names[0], names[2], cursor=(names[1], 0)))


@case
def names_that_are_not_among_the_wanted(play: Play) -> None:
    names = topics(play)
    play.ask(API, 0, **of(names[0], cursor=(names[2], 0)))
    play.ask(API, 0, **of(names[2], cursor=(names[0], 1)))
    play.ask(API, 0, **of(names[0], names[2], cursor=(names[1], 0)))


@case
def internal_topics(play: Play) -> None:
    coordinator_is_ready(play)
    play.ask(API, 0, **of("__consumer_offsets"))
