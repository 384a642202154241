//! JSON of batches in the shape that `tools/golden/RecordVectors.java` writes and compares.

use barnabas_records::{AnyBatch, AnyBatchIter, BatchRef, Message, MessageSet, RecordIter, RecordRef, crc32c};
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

/// The batches of a run of any formats, whole to its end. Kafka sees each uncompressed message of formats 0 and 1 as a
/// batch of its own.
pub(crate) fn describe_run(run: &[u8]) -> Result<Value, String> {
    let mut scratch = Vec::new();
    let mut rows = Vec::new();
    let mut batches = AnyBatchIter::new(run);
    for batch in batches.by_ref() {
        let batch = batch.map_err(|error| error.to_string())?;
        batch.check_crc().map_err(|error| error.to_string())?;
        match &batch {
            AnyBatch::V2(v2) => {
                let payload = v2
                    .decompress_into(&mut scratch, LIMIT)
                    .map_err(|error| error.to_string())?;
                rows.push(describe(v2, payload));
            }
            AnyBatch::Legacy(set) => {
                let described = describe_messages(set.bytes())?;
                check_decoded(&batch, &described)?;
                rows.extend(described);
            }
        }
    }
    if !batches.rest().is_empty() {
        return Err(format!("{} bytes are left", batches.rest().len()));
    }
    Ok(json!({"batches": rows}))
}

const LIMIT: usize = 1 << 26;

fn describe_messages(mut rest: &[u8]) -> Result<Vec<Value>, String> {
    let mut rows = Vec::new();
    while !rest.is_empty() {
        let message = Message::parse(rest).map_err(|error| error.to_string())?;
        let set = MessageSet::parse(message.bytes).map_err(|error| error.to_string())?;
        let mut scratch = Vec::new();
        let records: Vec<Value> = set
            .records(&mut scratch, LIMIT)
            .and_then(|records| records.map(|record| Ok(describe_record(&record?))).collect())
            .map_err(|error| error.to_string())?;
        let timestamp_type = match (message.magic, message.is_log_append_time()) {
            (0, _) => -1,
            (_, is_append_time) => i32::from(is_append_time),
        };
        rows.push(json!({
            "magic": message.magic,
            "last_offset": set.last_offset(),
            "size_in_bytes": message.bytes.len(),
            "compression": set.compression().name(),
            "timestamp_type": timestamp_type,
            "records": records,
        }));
        rest = rest.get(message.bytes.len()..).unwrap_or_default();
    }
    Ok(rows)
}

/// What readers get, records in the form of format 2, holds the same as the messages one by one.
fn check_decoded(batch: &AnyBatch<'_>, described: &[Value]) -> Result<(), String> {
    let mut scratch = Vec::new();
    let (header, payload) = batch.decode(&mut scratch, LIMIT).map_err(|error| error.to_string())?;
    let decoded: Vec<Value> = RecordIter::new(&header, payload)
        .map(|record| record.map(|record| describe_record(&record)))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let expected: Vec<Value> = described
        .iter()
        .flat_map(|row| row["records"].as_array().cloned().unwrap_or_default())
        .collect();
    let types = described
        .iter()
        .all(|row| row["timestamp_type"] == header.timestamp_type());
    if decoded == expected && types && header.magic == batch.magic() {
        Ok(())
    } else {
        Err(format!("decoded to {header:?} {decoded:?}, not {expected:?}"))
    }
}
