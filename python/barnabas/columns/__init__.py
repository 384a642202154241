"""The lazy Records view and its Arrow face."""

from __future__ import annotations

from barnabas._core import Record, Records, Scan, ScanClient, check_schema, decode_json

__all__ = ["Record", "Records", "Scan", "ScanClient", "check_schema", "decode_json"]
