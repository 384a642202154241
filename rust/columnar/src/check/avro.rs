//! Avro.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Field;

use super::{check_policies, decode};
use crate::avro::{ArrowTypes, AvroOptions, Encoder, Registry, Schema, schema_text};
use crate::{BadRecords, Dialect, PayloadFormat, PayloadOptions};

/// Schemas that an input can name by one character from `a` on, so that inputs are about values too.
pub const AVRO_SCHEMAS: [&str; 12] = [
    r#"{"type": "record", "name": "R", "fields": [{"name": "i", "type": "int"}, {"name": "l", "type": "long"},
        {"name": "f", "type": "float"}, {"name": "d", "type": "double"}, {"name": "s", "type": "string"},
        {"name": "y", "type": "bytes"}, {"name": "b", "type": "boolean"}, {"name": "n", "type": "null"}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "s", "type": ["null", "string"]}, {"name": "i", "type": "double"},
        {"name": "new", "type": ["int", "null"], "default": 5}, {"name": "l", "type": ["null", "float", "string"]}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "a", "type": {"type": "array", "items": {"type": "array",
        "items": ["null", "int"]}}}, {"name": "m", "type": {"type": "map", "values": {"type": "map", "values": "string"}}}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "m", "type": {"type": "map", "values": {"type": "map",
        "values": "bytes"}}}, {"name": "z", "type": {"type": "array", "items": "int"}, "default": [1, 2]}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
        {"name": "x", "type": {"type": "fixed", "name": "X", "size": 3}}, {"name": "u", "type": ["null", "int", "string", "E",
        {"type": "record", "name": "I", "fields": [{"name": "v", "type": "long"}]}]}, {"name": "again", "type": ["I", "null"]}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["B", "C"],
        "default": "C"}}, {"name": "u", "type": ["string", "double", {"type": "record", "name": "I", "fields": []}]}]}"#,
    r#"{"type": "record", "name": "Node", "fields": [{"name": "v", "type": "int"}, {"name": "next", "type": ["null", "Node"]},
        {"name": "all", "type": {"type": "array", "items": "Node"}}]}"#,
    r#"{"type": "record", "name": "Node", "fields": [{"name": "v", "type": "long"}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "c", "type": {"type": "bytes", "logicalType": "decimal", "precision": 20,
        "scale": 3}}, {"name": "f", "type": {"type": "fixed", "name": "F", "size": 17, "logicalType": "decimal", "precision": 9}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}}, {"name": "t", "type": {"type": "int",
        "logicalType": "time-millis"}}, {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "ns", "type": {"type": "long", "logicalType": "timestamp-nanos"}}, {"name": "for", "type": {"type": "fixed",
        "name": "D", "size": 12, "logicalType": "duration"}}, {"name": "id", "type": {"type": "fixed", "name": "U", "size": 16,
        "logicalType": "uuid"}}]}"#,
    r#"{"type": "record", "name": "R", "fields": [{"name": "n", "type": {"type": "array", "items": "null"}}, {"name": "e",
        "type": {"type": "array", "items": {"type": "record", "name": "E", "fields": [{"name": "n", "type": "null"}]}}}]}"#,
    r#"["null", "string", {"type": "array", "items": "string"}]"#,
    r#""long""#,
];

/// Most values of an input.
const VALUES_MAX: usize = 8;

/// An input: the writer's schema, a zero byte, the reader's schema or nothing, a zero byte, and values with their lengths
/// in one byte before them. A schema is its text, or one of [`AVRO_SCHEMAS`] by a character.
///
/// Schemas are parsed, become columns of both dialects and are resolved; values are decoded under every policy, plain and
/// in the registry's framing; what decodes is encoded and decoded again to the same rows. Nothing may panic, hang or
/// allocate beyond bounds.
///
/// # Panics
/// If one of these rules is broken.
pub fn avro(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == 0);
    let mut next = || parts.next().unwrap_or_default();
    let (writer, reader, rest) = (schema(next()), schema(next()), next());
    let Some(writer) = writer else { return };
    let values = values(rest);
    for dialect in [Dialect::Spark, Dialect::Client] {
        let options = AvroOptions {
            reader: reader.clone(),
            types: ArrowTypes {
                recursion_max: 2,
                ..ArrowTypes::new(dialect)
            },
            ..AvroOptions::plain(writer.clone())
        };
        let Ok(columns) = options.arrow_schema() else { continue };
        let fields: Vec<Field> = columns.fields().iter().map(|field| field.as_ref().clone()).collect();
        let _ = schema_text(&columns);
        let options = PayloadOptions::new(PayloadFormat::Avro(options));
        if options.check(&fields.iter().collect::<Vec<_>>()).is_err() {
            continue;
        }
        let Some((rows, good)) = check_policies(&fields, &values, &options) else {
            continue;
        };
        check_framed(&writer, &options, &fields, &values, &rows);
        if reader.is_none() {
            check_again(&writer, &options, &fields, &rows, &good);
        }
    }
}

fn schema(text: &[u8]) -> Option<Schema> {
    let known = match text {
        [place] => AVRO_SCHEMAS.get(usize::from(place.checked_sub(b'a')?)),
        _ => None,
    };
    Schema::parse(known.copied().or_else(|| std::str::from_utf8(text).ok())?).ok()
}

fn values(mut data: &[u8]) -> Vec<&[u8]> {
    let mut values = Vec::new();
    while let Some((length, rest)) = data.split_first()
        && values.len() < VALUES_MAX
    {
        let (value, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        values.push(value);
        data = rest;
    }
    values
}

/// Behind the registry's header the same values give the same rows.
fn check_framed(writer: &Schema, options: &PayloadOptions, fields: &[Field], values: &[&[u8]], rows: &RecordBatch) {
    let PayloadFormat::Avro(plain) = &options.format else {
        return;
    };
    let registry = Registry::new();
    registry
        .insert(258, writer.text())
        .unwrap_or_else(|error| unreachable!("it was parsed: {error}"));
    let framed = AvroOptions {
        reader: plain.reader.clone(),
        types: plain.types.clone(),
        ..AvroOptions::registry(Arc::new(registry))
    };
    let options = PayloadOptions::new(PayloadFormat::Avro(framed));
    let values: Vec<Vec<u8>> = values.iter().map(|value| [&[0, 0, 0, 1, 2], *value].concat()).collect();
    let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
    let Ok(Some(found)) = decode(fields, &values, options) else {
        unreachable!("nulls are no error")
    };
    let columns = fields.len();
    let columns: Vec<usize> = (0..columns).collect();
    assert_eq!(
        found.project(&columns).ok(),
        rows.project(&columns).ok(),
        "the header changes nothing"
    );
}

/// Good rows that can be encoded decode to themselves.
fn check_again(writer: &Schema, options: &PayloadOptions, fields: &[Field], rows: &RecordBatch, good: &[bool]) {
    let encoder = Encoder::new(writer.clone());
    let columns: Vec<usize> = (0..fields.len()).collect();
    let Ok(rows) = rows.project(&columns) else { return };
    for row in (0..rows.num_rows()).filter(|row| good.get(*row) == Some(&true)) {
        let row = rows.slice(row, 1);
        let Ok(encoded) = encoder.encode(&row) else { continue };
        let options = PayloadOptions {
            bad_records: BadRecords::Fail,
            ..options.clone()
        };
        match decode(fields, &[encoded.value(0)], options) {
            Ok(Some(again)) => assert_eq!(again.project(&columns).ok(), Some(row), "it is read as it was written"),
            other => unreachable!("what was encoded is decoded: {other:?}"),
        }
    }
}
