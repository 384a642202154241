//! Batches and key hashes that Kafka's Java client and librdkafka made; their origin is in `tests/golden/README.md`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that fails stops")]

mod describe;
mod encode_again;

use std::fs;
use std::path::{Path, PathBuf};

use barnabas_records::{BatchIter, BatchRef, Compression, NO_PRODUCER_ID, RecordsError, murmur2, partition_for_key};
use serde_json::{Value, json};

use crate::describe::{describe, describe_record, describe_run, hex};
use crate::encode_again::{encode_again, is_complete};

const LIMIT: usize = 1 << 24;

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

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
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
            if is_complete(&batch) {
                let again = encode_again(&batch, payload, None).unwrap();
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

/// librdkafka's vectors hold what the Python program gave it, not what a decoder found.
#[test]
fn batches_of_librdkafka_hold_what_it_was_given() {
    let mut raw_snappy = 0;
    let vectors = vectors("librdkafka");
    assert_eq!(vectors.len(), 9);
    for (name, bytes, expected) in vectors {
        let batch = BatchRef::parse(&bytes).unwrap();
        assert_eq!(batch.bytes.len(), bytes.len(), "{name} is one batch");
        assert_eq!(batch.check_crc(), Ok(()), "{name}");
        let mut scratch = Vec::new();
        let payload = batch
            .decompress_into(&mut scratch, LIMIT)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let records: Vec<Value> = batch
            .records(payload)
            .map(|record| describe_record(&record.unwrap()))
            .collect();
        let codec = batch.header.compression().unwrap();
        let found = json!({"codec": codec.name(), "idempotent": batch.header.has_producer(), "records": records});
        assert_eq!(found, expected, "{name}");
        let again = encode_again(&batch, payload, None).unwrap();
        if codec == Compression::None {
            assert_eq!(hex(&again), hex(&bytes), "{name} is re-encoded to the same bytes");
        }
        raw_snappy += usize::from(codec == Compression::Snappy && !batch.payload().starts_with(b"\x82SNAPPY"));
    }
    assert_eq!(
        raw_snappy, 2,
        "librdkafka writes one raw Snappy block, Java a framed stream; both are read"
    );
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

/// What brokers and producers before 0.11 wrote: wrappers, relative and absolute offsets, gaps, append time.
#[test]
fn message_sets_of_javas_client_decode() {
    let vectors = vectors("java_legacy");
    assert_eq!(vectors.len(), 26);
    for (name, bytes, expected) in vectors {
        assert_eq!(describe_run(&bytes).as_ref(), Ok(&expected), "{name}");
        // One face for all formats reads format 2 as well, and a reader of format 2 names the magic that it refuses.
        let first = BatchIter::new(&bytes).next();
        assert!(matches!(first, Some(Err(RecordsError::UnknownMagic(0 | 1)))), "{name}");
    }
    for (name, bytes, expected) in self::vectors("java") {
        assert_eq!(describe_run(&bytes).as_ref(), Ok(&expected), "{name}");
    }
}
