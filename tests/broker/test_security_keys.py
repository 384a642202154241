"""What a node says of access control and voters that it does not have: the answers of a Kafka without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient

from barnabas import Broker, errors
from barnabas.protocol.messages.add_raft_voter import AddRaftVoterRequest
from barnabas.protocol.messages.create_acls import CreateAclsRequest
from barnabas.protocol.messages.delete_acls import DeleteAclsRequest
from barnabas.protocol.messages.describe_acls import DescribeAclsRequest
from barnabas.protocol.messages.remove_raft_voter import RemoveRaftVoterRequest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as broker:
        yield broker


def described(operation: int) -> DescribeAclsRequest:
    return DescribeAclsRequest(resource_type_filter=1, pattern_type_filter=3, operation=operation, permission_type=1)


def test_there_is_no_authorizer(broker: Broker) -> None:
    with RawClient(broker.bootstrap_servers) as client:
        answer = client.ask(described(1))
    assert (answer.error_code, answer.error_message) == (
        errors.SecurityDisabledError.code,
        "No Authorizer is configured on the broker",
    )


@pytest.mark.parametrize(
    "request_",
    [
        described(0),
        CreateAclsRequest(creations=[CreateAclsRequest.AclCreation(resource_type=2, resource_pattern_type=3)]),
        DeleteAclsRequest(filters=[DeleteAclsRequest.DeleteAclsFilter(resource_type_filter=2)]),
    ],
)
def test_codes_that_mean_nothing_end_the_connection(broker: Broker, request_: Any) -> None:
    with RawClient(broker.bootstrap_servers) as client:
        client.send(request_)
        assert client.closed()


LISTENER = AddRaftVoterRequest.Listener(name="CONTROLLER", host="localhost", port=1)


@pytest.mark.parametrize(
    ("shape", "more"), [(AddRaftVoterRequest, {"listeners": [LISTENER]}), (RemoveRaftVoterRequest, {})]
)
def test_voters_do_not_change(broker: Broker, shape: Any, more: dict[str, Any]) -> None:
    with RawClient(broker.bootstrap_servers) as client:
        for cluster_id, code in ((None, 35), (broker.cluster_id, 35), ("other", 104)):
            for directory, told in ((b"d" * 16, code), (bytes(16), 104 if code == 104 else 42)):
                asked = shape(cluster_id=cluster_id, voter_id=2, voter_directory_id=directory, **more)
                assert client.ask(asked).error_code == told
