"""One module per API, loaded with its first request: `handle(plane, request)` answers it, now or later.

A handler checks what concerns the wire (the caller, empty ids, topics' ids and names), hands the decision to a machine,
and turns the answer into a response. It decides nothing itself.
"""

from __future__ import annotations

__all__ = ["HANDLERS", "METADATA"]

METADATA = 3

HANDLERS: dict[int, str] = {
    METADATA: "metadata",
    8: "offset_commit",
    9: "offset_fetch",
    10: "find_coordinator",
    11: "join_group",
    12: "heartbeat",
    13: "leave_group",
    14: "sync_group",
    15: "describe_groups",
    16: "list_groups",
    19: "create_topics",
    20: "delete_topics",
    22: "init_producer_id",
    32: "describe_configs",
    33: "alter_configs",
    42: "delete_groups",
    44: "incremental_alter_configs",
    47: "offset_delete",
    60: "describe_cluster",
    68: "consumer_group_heartbeat",
    69: "consumer_group_describe",
    74: "list_config_resources",
}
"""API key -> module. Metadata comes here only for topics that are to be created; the data plane answers it."""
