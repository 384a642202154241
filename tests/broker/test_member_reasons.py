"""Why members join and leave (KIP-800) is told in the broker's log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from raw_client import RawClient
from test_broker import enter, join
from test_limits import until
from test_log import _alone, collected_records  # noqa: F401 - fixtures

from barnabas import Broker
from barnabas.protocol.messages.leave_group import LeaveGroupRequest

if TYPE_CHECKING:
    import pytest
    from test_log import Collected


def test_reasons_are_told_and_cannot_forge_lines(collected: Collected, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "barnabas")
    with Broker() as broker, RawClient(broker.bootstrap_servers, timeout=60) as client:
        member = enter(client, "g")
        request = join("g", member)
        request.reason = "rejoining\nas another line " + "x" * 1000
        assert client.ask(request).error_code == 0
        identity = LeaveGroupRequest.MemberIdentity(member_id=member, reason="the consumer is being closed")
        assert client.ask(LeaveGroupRequest(group_id="g", members=[identity])).members[0].error_code == 0
        until(lambda: len(reasons(collected)) == 2)
    joined, left = reasons(collected)
    assert joined.startswith(f"group g: member {member} joins; client reason: 'rejoining\\nas another line xx")
    assert len(joined) < 400
    assert left == f"group g: member {member} leaves; client reason: 'the consumer is being closed'"


def reasons(collected: Collected) -> list[str]:
    return [text for record in collected.records if "client reason" in (text := record.getMessage())]
