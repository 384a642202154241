"""Runs the model of whole consumers (`consumer_model.py`), and shows what it catches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import consumer_model
import pytest
import volume
from consumer_model import COUNTS, ConsumerModel

from barnabas.client.consumer_membership import ConsumerMembership
from barnabas.client.effects import Generation
from barnabas.client.group import Group
from barnabas.client.membership import Membership
from barnabas.client.positions import Positions
from barnabas.client.subscription import SubscriptionState
from barnabas.client.topic_search import TopicSearch

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = 60


@pytest.fixture(scope="module", autouse=True)
def summary():
    yield
    volume.keep_counts("test_consumer_model.py -k TestConsumerModel", COUNTS)


ConsumerModel.TestCase.settings = volume.shared(STEPS)
TestConsumerModel = ConsumerModel.TestCase


# Seeded defects: what is replaced, by what, and the word of the invariant that must notice.

Mutant = tuple[Any, str, "Callable[[Any], Any]", str]


def _not_at_all(_original: Any) -> Any:
    return lambda *_: None


def _only_assigned(original: Any) -> Any:
    def tell(self: Any, what: str, partitions: Any, then: Any) -> None:
        if what == "on_partitions_assigned":
            original(self, what, partitions, then)
        else:
            then()

    return tell


def _revoked_for_lost(original: Any) -> Any:
    def tell(self: Any, what: str, partitions: Any, then: Any) -> None:
        # As if all that is assigned were new.
        given = list(self._state.partitions) if what == "on_partitions_assigned" else partitions
        original(self, what, given, then)

    return tell


def _and_what_was(original: Any) -> Any:
    return lambda self, partitions: original(self, dict.fromkeys([*self.partitions, *partitions]))


def _run_ahead(original: Any) -> Any:
    def consumed(self: Any) -> Any:
        return {partition: at._replace(offset=at.offset + 3) for partition, at in original(self).items()}

    return consumed


def _all_that_ever_was(original: Any) -> Any:
    def consumed(self: Any) -> Any:
        self.ever = getattr(self, "ever", {}) | original(self)
        return self.ever

    return consumed


def _only_once(original: Any) -> Any:
    def done(self: Any, task: Any) -> None:
        original(self, task)
        self._due = float("inf")

    return done


MUTANTS: dict[str, Mutant] = {
    "reading goes on while partitions are given up": (Positions, "stop_fetching", _not_at_all, "fetched"),
    "nobody is told of what is given up": (Group, "_tell", _only_assigned, "told"),
    "what is kept is told as new": (Group, "_tell", _revoked_for_lost, "told"),
    "what was assigned before stays": (SubscriptionState, "adopt", _and_what_was, "told|owner|fetched|settled"),
    "commits are ahead of what was read": (Positions, "consumed", _run_ahead, "lost"),
    "what is gone is committed": (Positions, "consumed", _all_that_ever_was, "committed"),
    "commits are nobody's": (Group, "_commit_generation", lambda _: lambda _self: Generation(), "committed"),
    "a heartbeat's error is not heard": (Membership, "heartbeat_answered", _not_at_all, "settled"),
    "a new target is not heard": (ConsumerMembership, "heartbeat_answered", _not_at_all, "settled|owner"),
    "new partitions are not noticed": (Membership, "metadata_changed", _not_at_all, "settled"),
    "topics are looked for once": (TopicSearch, "_done", _only_once, "settled"),
}


@pytest.mark.parametrize("defect", MUTANTS)
def test_the_model_catches(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, mutant, word = MUTANTS[defect]
    monkeypatch.setattr(where, name, mutant(getattr(where, name)))
    volume.must_catch(consumer_model.ConsumerModel, word, STEPS)
