"""The lazy Records view, and columns: records to Arrow tables, Arrow tables to record batches."""

from __future__ import annotations

from barnabas._core import (
    EncodedBatch,
    Record,
    Records,
    Scan,
    ScanClient,
    batches,
    check_conditions,
    check_schema,
    crc32c,
    encode_avro,
    encode_json,
    infer_schema,
)

__all__ = [
    "EncodedBatch",
    "Record",
    "Records",
    "Scan",
    "ScanClient",
    "batches",
    "check_conditions",
    "check_schema",
    "crc32c",
    "encode_avro",
    "encode_json",
    "infer_schema",
]
