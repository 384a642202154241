//! Avro values and schema resolution as Apache Avro's Java library does them, see `tests/golden/README.md`.
//!
//! `AVRO_VECTORS=FILE` takes the cases of another file that `tools/golden/AvroVectors.java random` made.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

#[path = "support/avro.rs"]
mod support;

use std::collections::BTreeMap;

use barnabas_columnar::avro::{ArrowTypes, AvroOptions, Encoder, Schema, Writer};
use barnabas_columnar::{BadRecords, Dialect};
use serde_json::{Value, json};
use support::{decode, described_rows};

/// How often each thing was seen.
#[derive(Debug, Default)]
struct Seen(BTreeMap<&'static str, usize>);

impl Seen {
    fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|index| u8::from_str_radix(&text[2 * index..2 * index + 2], 16).unwrap())
        .collect()
}

/// Values that Java read come out alike, values that it refused are bad, schemas that it calls compatible are.
fn check(case: &Value, seen: &mut Seen) {
    let name = case["name"].as_str().unwrap();
    let writer = Schema::parse(&case["writer"].to_string()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let reader = match &case["reader"] {
        Value::Null => None,
        reader => Some(Schema::parse(&reader.to_string()).unwrap_or_else(|error| panic!("{name}: {error}"))),
    };
    let options = AvroOptions {
        writer: Some(Writer::Schema(writer.clone())),
        reader,
        ..AvroOptions::default()
    };
    let columns = options.arrow_schema().unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut decoded = Vec::new();
    for value in case["values"].as_array().unwrap() {
        let bytes = unhex(value["hex"].as_str().unwrap());
        let found = decode(&columns, &options, &[Some(&bytes)], BadRecords::Fail);
        let batch = match (found, value.get("row")) {
            (Ok(batch), Some(row)) => {
                let found = &described_rows(&batch)[0];
                if row.is_null() {
                    assert!(found.as_object().unwrap().values().all(Value::is_null), "{name}");
                } else {
                    // A value that is no record is the column `value`.
                    let is_spread = row
                        .as_object()
                        .is_some_and(|row| row.keys().eq(found.as_object().unwrap().keys()));
                    let row = if is_spread {
                        row.clone()
                    } else {
                        json!({ "value": row })
                    };
                    assert_eq!(mended(found), mended(&row), "{name}: {value}");
                }
                seen.count("rows alike");
                batch
            }
            (Err(_), None) => {
                seen.count("refused alike");
                continue;
            }
            (Ok(batch), None) => panic!("{name}: Java refuses {value}, found {:?}", described_rows(&batch)),
            (Err(error), Some(_)) => {
                assert_eq!(case["compatible"], false, "{name}: {error}");
                seen.count("refused by schema");
                continue;
            }
        };
        decoded.push((bytes, batch));
    }
    if options.reader.is_none() {
        encoded_alike(name, &writer, &options, &case["writer"], decoded, seen);
    }
}

/// What was decoded encodes to the bytes that Java wrote, from Spark's columns and from the client's.
fn encoded_alike(
    name: &str,
    writer: &Schema,
    options: &AvroOptions,
    schema: &Value,
    decoded: Vec<(Vec<u8>, arrow_array::RecordBatch)>,
    seen: &mut Seen,
) {
    let encoder = Encoder::new(writer.clone());
    let client = ArrowTypes::new(Dialect::Client).derive(writer).unwrap();
    if hides_its_branch(schema) || matches!(schema, Value::Array(branches) if branches.iter().any(is_record)) {
        // Columns do not tell a row of nulls from a null, nor which of two kinds of number there was.
        return;
    }
    for (bytes, spark) in decoded {
        let batches = [
            spark,
            decode(&client, options, &[Some(&bytes)], BadRecords::Fail).unwrap(),
        ];
        for batch in batches {
            let encoded = encoder.encode(&batch).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(encoded.value(0), bytes, "{name}: {batch:?}");
            seen.count("encoded alike");
        }
    }
}

/// Java and Rust differ in how many replacement characters stand for a run of bytes that is no UTF-8.
fn mended(row: &Value) -> String {
    let mut text = row.to_string();
    while text.contains("\u{fffd}\u{fffd}") {
        text = text.replace("\u{fffd}\u{fffd}", "\u{fffd}");
    }
    text
}

fn is_record(schema: &Value) -> bool {
    schema["type"] == "record"
}

/// Whether there is a union of int and long, or of float and double, and null.
fn hides_its_branch(schema: &Value) -> bool {
    match schema {
        Value::Array(branches) => {
            let mut names: Vec<&str> = branches.iter().filter_map(Value::as_str).collect();
            names.retain(|name| *name != "null");
            names.sort_unstable();
            let is_all = branches.iter().all(Value::is_string);
            is_all && (names == ["int", "long"] || names == ["double", "float"])
                || branches.iter().any(hides_its_branch)
        }
        Value::Object(members) => members.values().any(hides_its_branch),
        _ => false,
    }
}

#[test]
fn java_reads_alike() {
    let mut seen = Seen::default();
    let given = std::env::var("AVRO_VECTORS").ok();
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/avro");
    let files = match &given {
        Some(file) => vec![file.clone()],
        None => vec![format!("{golden}/java.jsonl"), format!("{golden}/java_random.jsonl")],
    };
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for line in text.lines() {
            check(&serde_json::from_str(line).unwrap(), &mut seen);
            seen.count("cases");
        }
    }
    println!("{seen:?}");
    assert!(seen.0["rows alike"] > 0 && seen.0["refused alike"] > 0 && seen.0["encoded alike"] > 0);
}
