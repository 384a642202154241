"""Administration of one node: the same raw requests to us and the reference, whose answers must be the same.

What each side makes up (directories, ports, sizes, epochs) is left out of answers by name.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from test_control_plane_like_the_reference import Session, record_batch

from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from barnabas.protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from barnabas.protocol.messages.alter_replica_log_dirs import AlterReplicaLogDirsRequest
from barnabas.protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
from barnabas.protocol.messages.create_acls import CreateAclsRequest
from barnabas.protocol.messages.create_delegation_token import CreateDelegationTokenRequest
from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_acls import DeleteAclsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.describe_acls import DescribeAclsRequest
from barnabas.protocol.messages.describe_client_quotas import DescribeClientQuotasRequest
from barnabas.protocol.messages.describe_delegation_token import DescribeDelegationTokenRequest
from barnabas.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from barnabas.protocol.messages.describe_quorum import DescribeQuorumRequest
from barnabas.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest
from barnabas.protocol.messages.elect_leaders import ElectLeadersRequest
from barnabas.protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from barnabas.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from barnabas.protocol.messages.renew_delegation_token import RenewDelegationTokenRequest
from barnabas.protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from barnabas.protocol.messages.sasl_handshake import SaslHandshakeRequest
from barnabas.protocol.messages.unregister_broker import UnregisterBrokerRequest
from barnabas.protocol.messages.update_features import UpdateFeaturesRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Answers = Iterator[tuple[str, Any]]

pytestmark = pytest.mark.interop

SETTLED_S = 10.0


def create(session: Session, *names: str, partitions: int = 1) -> None:
    topics = [
        CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1) for name in names
    ]
    session.ask(CreateTopicsRequest(topics=topics, timeout_ms=5_000))


def partitions(session: Session) -> Answers:
    """CreatePartitions."""
    shape = CreatePartitionsRequest
    create(session, "p-one", "p-two", partitions=2)

    def more(name: str, count: int, assignments: list[list[int]] | None = None) -> Any:
        some = (
            None if assignments is None else [shape.CreatePartitionsAssignment(broker_ids=ids) for ids in assignments]
        )
        return shape.CreatePartitionsTopic(name=name, count=count, assignments=some)

    wanted = [
        [more("p-missing", 3)],
        [more("", 3)],
        [more("a b", 3)],
        [more("p-one", 2)],
        [more("p-one", 1)],
        [more("p-one", 0)],
        [more("p-one", -1)],
        [more("p-one", 3), more("p-one", 4)],
        [more("p-one", 3), more("p-two", 3), more("p-missing", 3)],
        [more("p-one", 3, [])],
        [more("p-one", 3, [[1], [1]])],
        [more("p-one", 3, [[]])],
        [more("p-one", 3, [[9]])],
        [more("p-one", 3, [[1, 1]])],
        [more("p-one", 4, [[1], [9]])],
        [more("p-one", 4, [[1], [1]])],
        [more("p-one", 20_000)],
        [],
    ]
    for version in (0, 3):
        for index, topics in enumerate(wanted):
            request = shape(topics=topics, timeout_ms=5_000, validate_only=True)
            yield f"validate {index} v{version}", session.ask(request, version)
    yield "made", session.ask(shape(topics=[more("p-one", 4), more("p-two", 3, [[1]])], timeout_ms=5_000))
    for name in ("p-one", "p-two"):
        yield f"partitions of {name}", lambda name=name: len(session.client.topics(name)[name].partitions)
    yield "no time", session.ask(shape(topics=[more("p-one", 9)], timeout_ms=0))
    topic = CreateTopicsRequest.CreatableTopic(name="p-late", num_partitions=1, replication_factor=1)
    yield "no time to create", session.ask(CreateTopicsRequest(topics=[topic], timeout_ms=0))
    state = DeleteTopicsRequest.DeleteTopicState(name="p-two")
    yield "no time to delete", session.ask(DeleteTopicsRequest(topics=[state], timeout_ms=0))


def leaders(session: Session) -> Answers:
    """ElectLeaders and reassignments."""
    create(session, "l-one", "l-two", partitions=2)
    shape = ElectLeadersRequest.TopicPartitions
    some = [
        [shape(topic="l-one", partitions=[0, 1, 9])],
        [shape(topic="l-missing", partitions=[0])],
        [shape(topic="l-one", partitions=[])],
        [shape(topic="", partitions=[0])],
        [],
    ]
    for version in (0, 1, 2):
        for kind in (0, 1, 2) if version else (0,):
            for index, topics in enumerate(some):
                request = ElectLeadersRequest(topic_partitions=topics, election_type=kind, timeout_ms=5_000)
                yield f"elect {index} of kind {kind} v{version}", session.ask(request, version)
        everything = session.ask(ElectLeadersRequest(topic_partitions=None, timeout_ms=5_000), version)
        yield (
            f"elect all v{version}",
            (
                everything.error_code,
                [topic for topic in everything.replica_election_results if topic.topic.startswith("l-")],
            ),
        )
    topic_shape = AlterPartitionReassignmentsRequest.ReassignableTopic
    partition = AlterPartitionReassignmentsRequest.ReassignablePartition
    for index, (name, number, replicas) in enumerate(
        [
            ("l-one", 0, [1]),
            ("l-one", 0, None),
            ("l-one", 0, []),
            ("l-one", 0, [9]),
            ("l-one", 0, [1, 1]),
            ("l-one", 0, [1, 9]),
            ("l-one", 0, [-1]),
            ("l-one", 9, [1]),
            ("l-one", 9, None),
            ("l-missing", 0, [1]),
            ("", 0, [1]),
        ]
    ):
        topics = [topic_shape(name=name, partitions=[partition(partition_index=number, replicas=replicas)])]
        for version in (0, 1):
            request = AlterPartitionReassignmentsRequest(topics=topics, timeout_ms=5_000)
            yield f"reassign {index} v{version}", session.ask(request, version)
    yield "reassign nothing", session.ask(AlterPartitionReassignmentsRequest(topics=[], timeout_ms=5_000))
    factor = AlterPartitionReassignmentsRequest(
        topics=[topic_shape(name="l-one", partitions=[partition(partition_index=0, replicas=[1, 9])])],
        allow_replication_factor_change=False,
        timeout_ms=5_000,
    )
    yield "reassign with another factor", session.ask(factor)
    listed = ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics
    for index, topics in enumerate([None, [], [listed(name="l-one", partition_indexes=[0, 9])], [listed(name="l-no")]]):
        yield f"reassignments {index}", session.ask(ListPartitionReassignmentsRequest(topics=topics, timeout_ms=5_000))


def node(session: Session) -> Answers:
    """DescribeQuorum, UpdateFeatures, UnregisterBroker, directories."""
    quorum = DescribeQuorumRequest
    for index, (name, number) in enumerate([("__cluster_metadata", 0), ("__cluster_metadata", 1), ("n-x", 0)]):
        topics = [quorum.TopicData(topic_name=name, partitions=[quorum.PartitionData(partition_index=number)])]
        for version in (0, 1, 2):
            yield f"quorum {index} v{version}", without_marks(session.ask(quorum(topics=topics), version))
    yield "quorum of nothing", session.ask(quorum(topics=[]))
    shape = UpdateFeaturesRequest
    update = shape.FeatureUpdateKey
    updates = [
        [update(feature="nope", max_version_level=1, upgrade_type=1)],
        [update(feature="metadata.version", max_version_level=30, upgrade_type=1)],
        [update(feature="metadata.version", max_version_level=29, upgrade_type=1)],
        [update(feature="metadata.version", max_version_level=29, upgrade_type=2)],
        [update(feature="metadata.version", max_version_level=29, upgrade_type=3)],
        [update(feature="metadata.version", max_version_level=99, upgrade_type=1)],
        [update(feature="metadata.version", max_version_level=3, upgrade_type=3)],
        [update(feature="metadata.version", max_version_level=0, upgrade_type=2)],
        [update(feature="metadata.version", max_version_level=-1, upgrade_type=2)],
        [update(feature="metadata.version", max_version_level=30, upgrade_type=9)],
        [update(feature="group.version", max_version_level=1, upgrade_type=1)],
        [update(feature="group.version", max_version_level=0, upgrade_type=1)],
        [update(feature="group.version", max_version_level=0, upgrade_type=2)],
        [update(feature="group.version", max_version_level=2, upgrade_type=1)],
        [update(feature="", max_version_level=1, upgrade_type=1)],
        [
            update(feature="group.version", max_version_level=0, upgrade_type=2),
            update(feature="nope", max_version_level=1, upgrade_type=1),
        ],
        [],
    ]
    for index, some in enumerate(updates):
        for version in (1, 2):
            request = shape(feature_updates=some, validate_only=True, timeout_ms=5_000)
            yield f"update {index} v{version}", session.ask(request, version)
    yield "update v0", session.ask(shape(feature_updates=updates[1], timeout_ms=5_000), 0)
    yield "unregister another", session.ask(UnregisterBrokerRequest(broker_id=9))
    yield "unregister none", session.ask(UnregisterBrokerRequest(broker_id=-1))
    yield from directories(session)


def without_marks(answer: Any) -> Any:
    """Leaves out offsets, epochs, times and the controller's listener."""
    for node in answer.nodes:
        node.listeners = []
    for topic in answer.topics:
        for partition in topic.partitions:
            partition.leader_epoch = partition.high_watermark = -5
            for replica in [*partition.current_voters, *partition.observers]:
                replica.log_end_offset = replica.last_fetch_timestamp = replica.last_caught_up_timestamp = -5
                replica.replica_directory_id = bytes(16)
    return answer


def directories(session: Session) -> Answers:
    """DescribeLogDirs and AlterReplicaLogDirs."""
    create(session, "n-dir", partitions=2)
    topic_id = session.client.topics("n-dir")["n-dir"].topic_id
    for index in range(2):
        while session.client.produce("n-dir", topic_id, index, record_batch([b"x"] * (index + 1)))[0]:
            pass
    shape = DescribeLogDirsRequest.DescribableLogDirTopic
    for index, topics in enumerate(
        [[shape(topic="n-dir", partitions=[0, 1, 9])], [shape(topic="n-none", partitions=[0])], []]
    ):
        for version in (1, 4, 5):
            yield (
                f"directories {index} v{version}",
                without_places(session.ask(DescribeLogDirsRequest(topics=topics), version)),
            )
    everything = session.ask(DescribeLogDirsRequest(topics=None))
    for result in everything.results:
        result.topics = [topic for topic in result.topics if topic.name.startswith("n-")]
    path = everything.results[0].log_dir
    yield "all directories", without_places(everything)
    move = AlterReplicaLogDirsRequest
    for index, (where, name, number) in enumerate(
        [
            (path, "n-dir", 0),
            ("/no/such/directory", "n-dir", 0),
            ("relative", "n-dir", 0),
            ("", "n-dir", 0),
            (path, "n-dir", 9),
            (path, "n-none", 0),
            ("/no/such/directory", "n-none", 0),
        ]
    ):
        topics = [move.AlterReplicaLogDirTopic(name=name, partitions=[number])]
        request = move(dirs=[move.AlterReplicaLogDir(path=where, topics=topics)])
        yield f"move {index}", session.ask(request)
    yield "move nothing", session.ask(move(dirs=[]))


def without_places(answer: Any) -> Any:
    """Leaves out paths and the size of the disk."""
    for result in answer.results:
        result.log_dir = "…"
        result.total_bytes = result.usable_bytes = -5
        result.topics.sort(key=lambda topic: topic.name)
        for topic in result.topics:
            topic.partitions.sort(key=lambda partition: partition.partition_index)
    return answer


def security(session: Session) -> Answers:
    """What a node without authorizer and SASL says of access control, authentication and tokens."""
    for version in (1, 2, 3):
        acl = DescribeAclsRequest(resource_type_filter=1, pattern_type_filter=3, operation=1, permission_type=1)
        yield f"describe acls v{version}", session.ask(acl, version)
        creation = CreateAclsRequest.AclCreation(
            resource_type=2,
            resource_name="x",
            resource_pattern_type=3,
            principal="User:a",
            host="*",
            operation=3,
            permission_type=3,
        )
        yield f"create acls v{version}", session.ask(CreateAclsRequest(creations=[creation, creation]), version)
        matching = DeleteAclsRequest.DeleteAclsFilter(
            resource_type_filter=2, pattern_type_filter=3, operation=1, permission_type=1
        )
        yield f"delete acls v{version}", session.ask(DeleteAclsRequest(filters=[matching, matching]), version)
    yield "create no acls", session.ask(CreateAclsRequest(creations=[]))
    for version in (0, 1):
        yield f"handshake v{version}", session.ask(SaslHandshakeRequest(mechanism="PLAIN"), version)
    yield "authenticate", session.ask(SaslAuthenticateRequest(auth_bytes=b"x"))
    for version in (1, 3):
        yield f"create token v{version}", session.ask(CreateDelegationTokenRequest(max_lifetime_ms=1_000), version)
    yield "renew token", session.ask(RenewDelegationTokenRequest(hmac=b"x", renew_period_ms=1))
    yield "expire token", session.ask(ExpireDelegationTokenRequest(hmac=b"x", expiry_time_period_ms=1))
    for version in (1, 3):
        yield f"describe tokens v{version}", session.ask(DescribeDelegationTokenRequest(owners=None), version)
    yield from scram(session)


def scram(session: Session) -> Answers:
    """SCRAM credentials."""
    shape = AlterUserScramCredentialsRequest
    describe = DescribeUserScramCredentialsRequest

    def told(*names: str) -> Any:
        users = [describe.UserName(name=name) for name in names]
        answer = session.ask(describe(users=users or None))
        answer.results.sort(key=lambda result: result.user)
        for result in answer.results:
            result.credential_infos.sort(key=lambda info: info.mechanism)
        return answer

    def put(name: str, mechanism: int = 1, iterations: int = 4096, salt: bytes = b"salt", value: bytes = b"p") -> Any:
        return shape.ScramCredentialUpsertion(
            name=name, mechanism=mechanism, iterations=iterations, salt=salt, salted_password=value
        )

    def gone(name: str, mechanism: int = 1) -> Any:
        return shape.ScramCredentialDeletion(name=name, mechanism=mechanism)

    yield "nobody", told()
    yield "nobody of that name", told("s-x")
    yield "one name twice", told("s-x", "s-x", "s-y")
    changes = [
        ([], [put("")]),
        ([], [put("s-a", mechanism=0)]),
        ([], [put("s-a", mechanism=9)]),
        ([], [put("s-a", iterations=1)]),
        ([], [put("s-a", iterations=99_999)]),
        ([], [put("s-a", mechanism=2, iterations=4095)]),
        ([], [put("s-a"), put("s-a")]),
        ([gone("s-a")], [put("s-a")]),
        ([gone("s-a")], []),
        ([gone("s-a", 9)], []),
        ([gone("s-a", 0)], []),
        ([gone("")], []),
        ([gone("s-a"), gone("s-a")], []),
        ([], []),
        ([], [put("s-a"), put("s-a", 2), put("s-b", 2, 8192)]),
        ([], [put("s-a", iterations=5000), put("")]),
        # Together in one request: the reference answers yes and does not keep what was put.
        ([gone("s-a")], []),
        ([], [put("s-b", 1)]),
        ([gone("s-a"), gone("s-b", 2)], []),
    ]
    for index, (deletions, upsertions) in enumerate(changes):
        answer = session.ask(shape(deletions=deletions, upsertions=upsertions))
        answer.results.sort(key=lambda result: result.user)
        yield f"scram {index}", answer
        yield f"scram after {index}", told
    yield "described", lambda: told("s-a", "s-b", "s-c")
    session.ask(shape(deletions=[gone("s-a", 2), gone("s-b", 1)]))
    yield "scram at the end", told


def quotas(session: Session) -> Answers:
    """Client quotas."""
    shape = AlterClientQuotasRequest
    entity = shape.EntityData
    describe = DescribeClientQuotasRequest
    component = describe.ComponentData

    def told(*components: Any, strict: bool = False) -> Any:
        answer = session.ask(describe(components=list(components), strict=strict))
        for entry in answer.entries or []:
            entry.entity.sort(key=lambda item: item.entity_type)
            entry.values.sort(key=lambda item: item.key)
        if answer.entries is not None:
            answer.entries.sort(key=repr)
        return answer

    def change(entities: list[tuple[str, str | None]], *ops: tuple[str, float, bool], validate: bool = False) -> Any:
        request = shape(
            entries=[
                shape.EntryData(
                    entity=[entity(entity_type=kind, entity_name=name) for kind, name in entities],
                    ops=[shape.OpData(key=key, value=value, remove=remove) for key, value, remove in ops],
                )
            ],
            validate_only=validate,
        )
        return session.ask(request)

    rate = ("producer_byte_rate", 1000.0, False)
    bad: list[tuple[list[tuple[str, str | None]], list[tuple[str, float, bool]]]] = [
        ([], [rate]),
        ([("user", "q"), ("user", "r")], [rate]),
        ([("nope", "q")], [rate]),
        ([("user", "")], [rate]),
        ([("user", "q"), ("ip", "127.0.0.1")], [rate]),
        ([("client-id", "q"), ("ip", "127.0.0.1")], [rate]),
        ([("ip", "127.0.0.1")], [rate]),
        ([("ip", "no host")], [("connection_creation_rate", 1.0, False)]),
        ([("ip", "127.0.0.1")], [("connection_creation_rate", 1.5, False)]),
        ([("user", "q")], [("connection_creation_rate", 1.0, False)]),
        ([("user", "q")], [("nope", 1.0, False)]),
        ([("user", "q")], [("producer_byte_rate", 1.5, False)]),
        ([("user", "q")], [("producer_byte_rate", 0.0, False)]),
        ([("user", "q")], [("producer_byte_rate", -1.0, False)]),
        ([("user", "q")], [("producer_byte_rate", 1e30, False)]),
        ([("user", "q")], [("request_percentage", 0.5, False)]),
        ([("user", "q")], [("request_percentage", 0.0, False)]),
        ([("user", "q")], [("controller_mutation_rate", 1.5, False)]),
        ([("user", "q")], [rate, ("producer_byte_rate", 2.0, False)]),
        ([("user", "q")], []),
        ([("user", "q")], [("nope", 1.0, True)]),
    ]
    for index, (entities, ops) in enumerate(bad):
        yield f"quota {index}", change(entities, *ops, validate=True)
    yield "set", change([("user", "q-u")], rate, ("request_percentage", 12.5, False))
    yield "set both", change([("user", "q-u"), ("client-id", "q-c")], ("consumer_byte_rate", 5.0, False))
    yield "set default", change([("client-id", None)], ("consumer_byte_rate", 1e12, False))
    yield "set address", change([("ip", "127.0.0.9")], ("connection_creation_rate", 1000.0, False))
    yield "removed what is not there", change([("user", "q-u")], ("consumer_byte_rate", 0.0, True))
    for strict in (False, True):
        for index, parts in enumerate(
            [
                [],
                [component(entity_type="user", match_type=0, match="q-u")],
                [component(entity_type="user", match_type=1, match=None)],
                [component(entity_type="user", match_type=2, match=None)],
                [component(entity_type="client-id", match_type=1, match=None)],
                [component(entity_type="client-id", match_type=2, match=None)],
                [
                    component(entity_type="user", match_type=2, match=None),
                    component(entity_type="client-id", match_type=2, match=None),
                ],
                [component(entity_type="ip", match_type=2, match=None)],
            ]
        ):
            yield f"quotas {index} strictly {strict}", lambda parts=parts, strict=strict: told(*parts, strict=strict)
    for index, parts in enumerate(
        [
            [component(entity_type="nope", match_type=2, match=None)],
            [component(entity_type="user", match_type=9)],
            [component(entity_type="user", match_type=0, match=None)],
            [
                component(entity_type="user", match_type=2, match=None),
                component(entity_type="user", match_type=2, match=None),
            ],
            [
                component(entity_type="user", match_type=2, match=None),
                component(entity_type="ip", match_type=2, match=None),
            ],
            [component(entity_type="", match_type=2, match=None)],
            [component(entity_type="user", match_type=1, match="x")],
        ]
    ):
        yield f"quotas refused {index}", told(*parts)
    yield "changed", change([("user", "q-u")], ("producer_byte_rate", 7.0, False), ("request_percentage", 0.0, True))
    yield "quotas after", told
    change([("user", "q-u")], ("producer_byte_rate", 0.0, True))
    change([("user", "q-u"), ("client-id", "q-c")], ("consumer_byte_rate", 0.0, True))
    change([("client-id", None)], ("consumer_byte_rate", 0.0, True))
    change([("ip", "127.0.0.9")], ("connection_creation_rate", 0.0, True))
    yield "quotas at the end", told


@pytest.mark.parametrize("script", [partitions, leaders, node, security, quotas])
def test_the_same_as_the_reference(script: Callable[[Session], Any], our_broker: str, kafka: str) -> None:
    ours, theirs = Session(our_broker), Session(kafka)
    different = []
    with ours.client, theirs.client:
        for (label, found), (_, expected) in zip(script(ours), script(theirs), strict=True):
            texts = settled(ours, found), settled(theirs, expected)
            deadline = time.monotonic() + SETTLED_S
            while texts[0] != texts[1] and callable(expected) and time.monotonic() < deadline:
                texts = settled(ours, found), settled(theirs, expected)
            if texts[0] != texts[1]:
                different.append(f"{label}\n  {texts[1]}\n  {texts[0]}")
    assert not different, "\n".join(different)


def settled(session: Session, answer: Any) -> str:
    return session.text(answer() if callable(answer) else answer)
