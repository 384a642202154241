//! JSON of batches in the shape that `tools/golden/RecordVectors.java` writes and compares.

use barnabas_records::{BatchRef, RecordRef, crc32c};
use serde_json::{Value, json};

/// Longer byte strings are described by length and CRC32C.
const PLAIN_MAX: usize = 256;

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

fn describe_bytes(bytes: Option<&[u8]>) -> Value {
    match bytes {
        None => Value::Null,
        Some(bytes) if bytes.len() <= PLAIN_MAX => hex(bytes).into(),
        Some(bytes) => json!({"length": bytes.len(), "crc32c": crc32c(bytes)}),
    }
}

pub(crate) fn describe_record(record: &RecordRef<'_>) -> Value {
    let headers: Vec<Value> = record
        .headers
        .iter()
        .map(|(key, value)| json!([hex(key), describe_bytes(value)]))
        .collect();
    json!({
        "offset": record.offset,
        "timestamp": record.timestamp,
        "key": describe_bytes(record.key),
        "value": describe_bytes(record.value),
        "headers": headers,
    })
}

pub(crate) fn describe(batch: &BatchRef<'_>, payload: &[u8]) -> Value {
    let header = &batch.header;
    let records: Vec<Value> = batch
        .records(payload)
        .map(|record| describe_record(&record.unwrap()))
        .collect();
    json!({
        "base_offset": header.base_offset,
        "last_offset": header.last_offset(),
        "leader_epoch": header.partition_leader_epoch,
        "size_in_bytes": header.size_in_bytes(),
        "crc": header.crc,
        "compression": header.compression().unwrap().name(),
        "log_append_time": header.is_log_append_time(),
        "base_timestamp": header.base_timestamp,
        "max_timestamp": header.max_timestamp,
        "producer_id": header.producer_id,
        "producer_epoch": header.producer_epoch,
        "base_sequence": header.base_sequence,
        "last_sequence": header.last_sequence(),
        "transactional": header.is_transactional(),
        "control": header.is_control(),
        "delete_horizon": header.delete_horizon_ms(),
        "record_count": header.record_count,
        "records": records,
    })
}
