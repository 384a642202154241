//! Batches and key hashes that Kafka's Java client and librdkafka made; their origin is in `tests/golden/README.md`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails stops"
)]

use std::fs;
use std::path::{Path, PathBuf};

use barnabas_records::{
    BatchBuilder, BatchIter, BatchRef, Compression, Header, NO_PRODUCER_ID, RecordRef, Seal, crc32c, murmur2,
    partition_for_key, patch,
};
use serde_json::{Value, json};

const LIMIT: usize = 1 << 24;
/// Longer byte strings are described by length and CRC32C.
const PLAIN_MAX: usize = 256;

fn golden(writer: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/golden/records")
        .join(writer)
}

/// Name, bytes and description of every vector of a writer.
fn vectors(writer: &str) -> Vec<(String, Vec<u8>, Value)> {
    let mut vectors: Vec<_> = fs::read_dir(golden(writer))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bin"))
        .map(|path| {
            let expected = serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
            (path.display().to_string(), fs::read(&path).unwrap(), expected)
        })
        .collect();
    vectors.sort_by(|left, right| left.0.cmp(&right.0));
    vectors
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn describe_bytes(bytes: Option<&[u8]>) -> Value {
    match bytes {
        None => Value::Null,
        Some(bytes) if bytes.len() <= PLAIN_MAX => hex(bytes).into(),
        Some(bytes) => json!({"length": bytes.len(), "crc32c": crc32c(bytes)}),
    }
}

fn describe_record(record: &RecordRef<'_>) -> Value {
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

fn describe(batch: &BatchRef<'_>, payload: &[u8]) -> Value {
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

/// What our encoder makes of the records of `batch`.
fn encode_again(batch: &BatchRef<'_>, payload: &[u8]) -> Vec<u8> {
    let header = &batch.header;
    let mut builder = BatchBuilder::new(Vec::new());
    for record in batch.records(payload) {
        let record = record.unwrap();
        let headers: Vec<Header<'_>> = record.headers.iter().collect();
        builder
            .append(record.timestamp, record.key, record.value, &headers)
            .unwrap();
    }
    let seal = Seal {
        base_offset: header.base_offset,
        leader_epoch: header.partition_leader_epoch,
        compression: header.compression().unwrap(),
        level: None,
        producer_id: header.producer_id,
        producer_epoch: header.producer_epoch,
        base_sequence: header.base_sequence,
        transactional: header.is_transactional(),
        control: header.is_control(),
    };
    let mut bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
    if header.is_log_append_time() {
        patch::set_log_append_time(&mut bytes, header.max_timestamp).unwrap();
    }
    bytes
}

/// Offsets that compaction left, which a builder does not write; the delete horizon is compaction's too. A batch that a
/// broker stamped keeps the producer's timestamps beneath.
fn is_a_builders(batch: &BatchRef<'_>) -> bool {
    let header = &batch.header;
    header.record_count == header.last_offset_delta + 1
        && header.delete_horizon_ms().is_none()
        && !(header.is_log_append_time() && header.base_timestamp != header.max_timestamp)
}

fn check_vectors(writer: &str) -> (usize, usize) {
    let (mut decoded, mut encoded) = (0, 0);
    for (name, bytes, expected) in vectors(writer) {
        let mut scratch = Vec::new();
        let mut found = Vec::new();
        let mut batches = BatchIter::new(&bytes);
        for batch in batches.by_ref() {
            let batch = batch.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(batch.check_crc(), Ok(()), "{name}");
            let payload = batch
                .decompress_into(&mut scratch, LIMIT)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            found.push(describe(&batch, payload));
            decoded += 1;
            if is_a_builders(&batch) {
                let again = encode_again(&batch, payload);
                if batch.header.compression() == Ok(Compression::None) {
                    assert_eq!(hex(&again), hex(batch.bytes), "{name} is re-encoded to the same bytes");
                    encoded += 1;
                }
                let mut scratch = Vec::new();
                let again = BatchRef::parse(&again).unwrap();
                let records = again.decompress_into(&mut scratch, LIMIT).unwrap();
                assert_eq!(hex(records), hex(payload), "{name} is re-encoded to the same records");
            }
        }
        assert!(batches.rest().is_empty(), "{name}");
        assert_eq!(json!({"batches": found}), expected, "{name}");
    }
    (decoded, encoded)
}

#[test]
fn batches_of_javas_client_decode_and_encode_to_the_same_bytes() {
    let (decoded, encoded) = check_vectors("java");
    assert!(decoded >= 35 && encoded >= 15, "{decoded} decoded, {encoded} encoded");
}

#[test]
fn hashes_and_partitions_equal_javas() {
    let rows: Vec<Value> = serde_json::from_slice(&fs::read(golden("java").join("keys.json")).unwrap()).unwrap();
    assert!(rows.len() >= 40);
    for row in rows {
        let key = unhex(row["key"].as_str().unwrap());
        assert_eq!(json!(murmur2(&key)), row["murmur2"], "{row}");
        for (count, partition) in row["partitions"].as_object().unwrap() {
            assert_eq!(
                json!(partition_for_key(&key, count.parse().unwrap())),
                *partition,
                "{row}"
            );
        }
    }
}

#[test]
fn batches_without_a_producer_have_no_sequence() {
    for (name, bytes, _) in vectors("java") {
        for batch in BatchIter::new(&bytes) {
            let header = batch.unwrap().header;
            assert_eq!(header.has_producer(), header.producer_id != NO_PRODUCER_ID, "{name}");
        }
    }
}
