"""One module per API, loaded with its first request: `handle(plane, request)` answers it, now or later.

A handler checks what concerns the wire (the caller, empty ids, topics' ids and names), hands the decision to a machine,
and turns the answer into a response. It decides nothing itself.
"""

from __future__ import annotations

__all__ = ["HANDLERS", "METADATA", "TELEMETRY"]

METADATA = 3
TELEMETRY = (71, 72)
"""Served with a port for metrics only, and offered while somebody is subscribed."""

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
    17: "sasl_handshake",
    19: "create_topics",
    20: "delete_topics",
    22: "init_producer_id",
    29: "describe_acls",
    30: "create_acls",
    31: "delete_acls",
    32: "describe_configs",
    33: "alter_configs",
    34: "alter_replica_log_dirs",
    35: "describe_log_dirs",
    36: "sasl_authenticate",
    37: "create_partitions",
    38: "create_delegation_token",
    39: "renew_delegation_token",
    40: "expire_delegation_token",
    41: "describe_delegation_token",
    42: "delete_groups",
    43: "elect_leaders",
    44: "incremental_alter_configs",
    45: "alter_partition_reassignments",
    46: "list_partition_reassignments",
    47: "offset_delete",
    48: "describe_client_quotas",
    49: "alter_client_quotas",
    50: "describe_user_scram_credentials",
    51: "alter_user_scram_credentials",
    55: "describe_quorum",
    57: "update_features",
    60: "describe_cluster",
    64: "unregister_broker",
    68: "consumer_group_heartbeat",
    69: "consumer_group_describe",
    71: "get_telemetry_subscriptions",
    72: "push_telemetry",
    74: "list_config_resources",
    80: "add_raft_voter",
    81: "remove_raft_voter",
}
"""API key -> module. Metadata comes here only for topics that are to be created; the data plane answers it."""
