"""A consumer group of KIP-848 as its records say, and the questions one asks of it.

Only `ConsumerGroup.put_…` and `drop_…`, called by replay, change a group; what else there is about it (session and
rebalance deadlines) is the runtime's. `consumer.py` decides.

The states, with what leads from one to the other:

Empty
    No members; perhaps offsets. A ConsumerGroupHeartbeat with epoch 0: -> Assigning; DeleteGroups: tombstones, -> Dead.
    A JoinGroup of the classic protocol takes the name over.
Assigning
    The group's epoch is ahead of the target's: somebody joined, left or changed its subscription, or topics changed.
    The first heartbeat after the assignment interval computes the target: -> Reconciling or Stable.
Reconciling
    The target is there; members give up and receive partitions, one heartbeat after the other (`reconcile.py`).
    When every member has its share: -> Stable. A change of members, subscriptions or topics: -> Assigning.
Stable
    Every member has what the target gives it. A change: -> Assigning; the last member leaves: -> Empty.
Dead
    Not in the shard.

In every state: a heartbeat with an epoch that is neither the member's nor, with nothing foreign owned, the one before:
FENCED_MEMBER_EPOCH; of an unknown member: UNKNOWN_MEMBER_ID; the session's end, or giving partitions up for longer than
the rebalance timeout: the member is removed.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from barnabas.assignors.target import Partitions
    from barnabas.coordinator.consumer_member import ConsumerMember
    from barnabas.coordinator.topics import Topics

__all__ = ["ConsumerGroup", "ConsumerGroupState", "ResolvedRegex"]


class ConsumerGroupState(Enum):
    """State of a consumer group; the value is Kafka's name for it."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"
    DEAD = "Dead"


class ResolvedRegex(NamedTuple):
    """The topics a regular expression matched, when the topics had that version."""

    topics: frozenset[str]
    version: int
    timestamp_ms: int


class ConsumerGroup:
    """One group.

    Attributes:
        epoch: Counts changes of members, subscriptions and topics; as in Kafka the first change makes it 2.
        metadata_hash: `barnabas.coordinator.topics.metadata_hash` of the subscribed topics at that epoch.
        target: What each member shall have, by member id.
        target_epoch: The group epoch for which the target was computed; -1 before the first one.
        target_timestamp_ms: When.
        static_members: Member ids by instance id.
        regexes: What the members' regular expressions matched.
        topics_seen: The version of the topics that the group was last compared with. Not stored: after loading the
            first heartbeat compares.
        rejoining: Members of the classic protocol that were told to join again. Not stored either.
    """

    def __init__(self, group_id: str) -> None:
        self.group_id = group_id
        self.epoch = 1
        self.metadata_hash = 0
        self.members: dict[str, ConsumerMember] = {}
        self.target: dict[str, Partitions] = {}
        self.target_epoch = -1
        self.target_timestamp_ms = 0
        self.static_members: dict[str, str] = {}
        self.regexes: dict[str, ResolvedRegex] = {}
        self.has_partition_metadata = False
        self.topics_seen = -1
        self.rejoining: set[str] = set()
        self._holders: dict[tuple[bytes, int], str] = {}
        self._regex_members: Counter[str] = Counter()

    # Questions.

    @property
    def state(self) -> ConsumerGroupState:
        """Where the group is on its way."""
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.target_epoch:
            return ConsumerGroupState.ASSIGNING
        if any(not member.is_reconciled_to(self.target_epoch) for member in self.members.values()):
            return ConsumerGroupState.RECONCILING
        return ConsumerGroupState.STABLE

    def is_held(self, topic_id: bytes, partition: int) -> bool:
        """Whether a member has the partition, or has still to give it up."""
        return (topic_id, partition) in self._holders

    def static_member(self, instance_id: str | None) -> ConsumerMember | None:
        """Returns the member that has this instance id."""
        if instance_id is None:
            return None
        member_id = self.static_members.get(instance_id)
        return None if member_id is None else self.members[member_id]

    def target_of(self, member_id: str, instance_id: str | None) -> Partitions:
        """Returns a member's target; a static member that comes back has its predecessor's."""
        if instance_id is not None and member_id not in self.target:
            member_id = self.static_members.get(instance_id, member_id)
        return self.target.get(member_id, {})

    def regex_members(self, regex: str) -> int:
        """Returns how many members subscribe with this regular expression."""
        return self._regex_members[regex]

    def topics_of(self, member: ConsumerMember, regexes: dict[str, ResolvedRegex] | None = None) -> tuple[str, ...]:
        """Returns the names of all topics that a member subscribes to, sorted; `regexes` stand in for the group's."""
        resolved = (self.regexes if regexes is None else regexes).get(member.topic_regex or "")
        if resolved is None:
            return member.topic_names
        return tuple(sorted(resolved.topics.union(member.topic_names)))

    def subscribed_topics(self) -> Iterator[str]:
        """Yields the names of all topics that somebody subscribes to, some of them more than once."""
        for member in self.members.values():
            yield from member.topic_names
        for resolved in self.regexes.values():
            yield from resolved.topics

    def preferred_assignor(self, members: Iterable[ConsumerMember]) -> str | None:
        """Returns the assignor that most of these members ask for; None when none of them does."""
        votes = Counter(member.server_assignor for member in members if member.server_assignor)
        return None if not votes else max(sorted(votes), key=lambda name: votes[name])

    @property
    def all_classic(self) -> bool:
        """Whether no member speaks the consumer protocol."""
        return all(member.classic is not None for member in self.members.values())

    def subscribed_ids(self, member: ConsumerMember, topics: Topics) -> list[bytes]:
        """Returns the ids of the topics that a member subscribes to, those that exist."""
        infos = (topics.get(name) for name in self.topics_of(member))
        return [info.topic_id for info in infos if info is not None]

    # Changes, by replay alone.

    def put_member(self, member: ConsumerMember) -> None:
        """Adds a member, or replaces what is known of it."""
        old = self.members.get(member.member_id)
        if old is not None:
            self._forget(old)
        self.members[member.member_id] = member
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.member_id
        if member.topic_regex:
            self._regex_members[member.topic_regex] += 1
        for epochs in (member.assigned, member.pending_revocation):
            for topic, partitions in epochs.items():
                for partition in partitions:
                    self._holders[topic, partition] = member.member_id

    def drop_member(self, member_id: str) -> None:
        """Removes a member; one that is not there is no error, a compacted log may still name it."""
        self.rejoining.discard(member_id)
        member = self.members.pop(member_id, None)
        if member is not None:
            self._forget(member)
            if member.instance_id is not None and self.static_members.get(member.instance_id) == member_id:
                del self.static_members[member.instance_id]

    def _forget(self, member: ConsumerMember) -> None:
        if member.topic_regex:
            self._regex_members[member.topic_regex] -= 1
            if not self._regex_members[member.topic_regex]:
                del self._regex_members[member.topic_regex]
        for epochs in (member.assigned, member.pending_revocation):
            for topic, partitions in epochs.items():
                for partition in partitions:
                    if self._holders.get((topic, partition)) == member.member_id:
                        del self._holders[topic, partition]
