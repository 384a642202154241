//! Typed columns from Avro values and back: the rules one by one. What Avro's Java library says is in `avro_golden.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

#[path = "support/avro.rs"]
mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::builder::{FixedSizeListBuilder, Int32Builder, LargeListBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeBinaryArray, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, TimestampSecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema as ArrowSchema, TimeUnit};
use barnabas_columnar::avro::{
    ArrowTypes, AvroOptions, EMPTY_ITEMS_LIMIT, Encoder, Registry, SCHEMAS_LIMIT, SKIP_DEPTH_LIMIT, Schema, Unresolved,
    arrow_schema, schema_text,
};
use barnabas_columnar::{BadRecords, ColumnarError, Dialect, PayloadFormat, PayloadOptions};
use serde_json::{Value, json};
use support::{decode, described_rows};

fn schema(text: &str) -> Schema {
    Schema::parse(text).unwrap()
}

/// A record of the name R with these fields.
fn record(fields: &str) -> String {
    format!(r#"{{"type": "record", "name": "R", "fields": [{fields}]}}"#)
}

fn columns(fields: &[(&str, DataType)]) -> ArrowSchema {
    let field = |(name, data_type): &(&str, DataType)| Field::new(*name, data_type.clone(), true);
    ArrowSchema::new(fields.iter().map(field).collect::<Vec<_>>())
}

/// Rows of plain values with the columns that follow from the schema.
fn rows(text: &str, values: &[&[u8]]) -> Vec<Value> {
    let values: Vec<Option<&[u8]>> = values.iter().map(|value| Some(*value)).collect();
    let options = AvroOptions::plain(schema(text));
    described_rows(&decode(&arrow_schema(text).unwrap(), &options, &values, BadRecords::Null).unwrap())
}

/// What is wrong with a plain value.
fn reason(text: &str, value: &[u8]) -> String {
    let options = AvroOptions::plain(schema(text));
    let error = decode(&arrow_schema(text).unwrap(), &options, &[Some(value)], BadRecords::Fail).unwrap_err();
    error.to_string()
}

const PAIR: &str = r#"{"name": "a", "type": "int"}, {"name": "b", "type": "string"}"#;

#[test]
fn what_does_not_fit_is_null_or_left_out_or_an_error_and_a_tombstone_is_none_of_these() {
    let text = record(PAIR);
    let options = AvroOptions::plain(schema(&text));
    let columns = arrow_schema(&text).unwrap();
    // The second value breaks after its first field is already decoded.
    let values: [Option<&[u8]>; 4] = [Some(b"\x02\x02x"), Some(b"\x04\x7fxx"), None, Some(b"\x06\x02y")];
    let found = |bad| decode(&columns, &options, &values, bad).map(|batch| described_rows(&batch));
    let nothing = json!({"a": null, "b": null});
    let (one, three) = (json!({"a": 1, "b": "x"}), json!({"a": 3, "b": "y"}));
    assert_eq!(
        found(BadRecords::Null).unwrap(),
        [one.clone(), nothing.clone(), nothing.clone(), three.clone()]
    );
    assert_eq!(found(BadRecords::Drop).unwrap(), [one, nothing, three]);
    assert_eq!(
        found(BadRecords::Fail).unwrap_err().to_string(),
        "t-3 at offset 1: the value is not of its Avro schema: a size is negative in field \"b\" at byte 2; mode \
         PERMISSIVE gives nulls instead"
    );
}

#[test]
fn a_broken_row_leaves_nothing_behind_in_nested_columns() {
    let text = record(
        r#"{"name": "l", "type": {"type": "array", "items": {"type": "map", "values": ["null", "string"]}}},
           {"name": "s", "type": {"type": "record", "name": "S", "fields": [{"name": "x", "type": "boolean"}]}}"#,
    );
    let good: &[u8] = b"\x02\x02\x02k\x02\x02v\x00\x00\x01";
    // As good, but the boolean is 2.
    let bad: &[u8] = b"\x02\x02\x02k\x02\x02w\x00\x00\x02";
    let row = json!({"l": [{"k": "v"}], "s": {"x": true}});
    let nothing = json!({"l": null, "s": null});
    assert_eq!(
        rows(&text, &[good, bad, good, &bad[..5], good]),
        [row.clone(), nothing.clone(), row.clone(), nothing, row]
    );
}

#[test]
fn sizes_and_counts_of_the_input_are_never_trusted() {
    let text = record(r#"{"name": "a", "type": {"type": "array", "items": "int"}}"#);
    for (value, what) in [
        (
            b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01".as_slice(),
            "a block counts more",
        ),
        // The least long has no positive counterpart.
        (
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x00",
            "a block counts more",
        ),
        (b"\x01\x7e\x02", "a size is larger"),
        (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01", "a number does not end"),
        (
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
            "a number has more than 64 bits",
        ),
        (b"\x02\x80\x80\x80\x80\x20\x00", "an int has more than 32 bits"),
        (b"\x02", "a block counts more"),
        (b"", "a number does not end"),
    ] {
        assert!(reason(&text, value).contains(what), "{}", reason(&text, value));
    }
    let text = record(r#"{"name": "a", "type": "bytes"}"#);
    assert!(reason(&text, b"\xfe\xff\xff\xff\x0fxx").contains("a size is larger"));
    let text = record(r#"{"name": "a", "type": "double"}"#);
    assert!(reason(&text, b"1234567").contains("the value ends too early"));
    let text = record(r#"{"name": "a", "type": ["null", "int"]}"#);
    assert!(reason(&text, b"\x04").contains("none of the union's branches"));
    assert!(reason(&text, b"\x01").contains("an index is negative"));
}

#[test]
fn elements_without_bytes_are_bounded() {
    let text = record(r#"{"name": "a", "type": {"type": "array", "items": "null"}}"#);
    let block = |count: usize| {
        let mut zigzag = 2 * count;
        let mut bytes = Vec::new();
        while zigzag >= 0x80 {
            bytes.push(u8::try_from(zigzag & 0x7f).unwrap() | 0x80);
            zigzag >>= 7;
        }
        bytes.push(u8::try_from(zigzag).unwrap());
        bytes
    };
    let whole = [block(EMPTY_ITEMS_LIMIT), vec![0]].concat();
    assert_eq!(
        rows(&text, &[&whole])[0]["a"].as_array().unwrap().len(),
        EMPTY_ITEMS_LIMIT
    );
    let over = [block(EMPTY_ITEMS_LIMIT), block(1), vec![0]].concat();
    assert!(reason(&text, &over).contains("EMPTY_ITEMS_LIMIT"));
    assert!(reason(&text, &block(usize::MAX / 4)).contains("a block counts more"));
}

#[test]
fn a_recursive_type_is_skipped_to_a_depth_and_read_to_another() {
    let node = r#"{"type": "record", "name": "N", "fields": [{"name": "v", "type": "int"}, {"name": "next", "type": ["null", "N"]}]}"#;
    let text = record(&format!(
        r#"{{"name": "list", "type": {node}}}, {{"name": "b", "type": "int"}}"#
    ));
    let options = AvroOptions::plain(schema(&text));
    let list = |length: usize| [b"\x02\x02".repeat(length - 1), b"\x02\x00\x0a".to_vec()].concat();
    let only_b = columns(&[("b", DataType::Int32)]);
    let skip = |length| decode(&only_b, &options, &[Some(&list(length))], BadRecords::Fail);
    assert_eq!(described_rows(&skip(100).unwrap()), [json!({"b": 5})]);
    assert!(
        skip(SKIP_DEPTH_LIMIT)
            .unwrap_err()
            .to_string()
            .contains("SKIP_DEPTH_LIMIT")
    );
    assert!(arrow_schema(&text).unwrap_err().to_string().contains("holds itself"));
    let types = ArrowTypes {
        recursion_max: 2,
        ..ArrowTypes::new(Dialect::Spark)
    };
    let two_deep = types.derive(options_schema(&text)).unwrap();
    let found = decode(&two_deep, &options, &[Some(&list(5))], BadRecords::Fail).unwrap();
    assert_eq!(
        described_rows(&found),
        [json!({"list": {"v": 1, "next": {"v": 1}}, "b": 5})]
    );
}

/// A schema that lives as long as the test.
fn options_schema(text: &str) -> &'static Schema {
    Box::leak(Box::new(schema(text)))
}

#[test]
fn columns_are_a_reader_of_their_own() {
    let text = record(
        r#"{"name": "i", "type": "int"}, {"name": "l", "type": "long"}, {"name": "u", "type": ["null", "int", "string"]},
           {"name": "d", "type": {"type": "int", "logicalType": "date"}}"#,
    );
    let options = AvroOptions::plain(schema(&text));
    // In another order, promoted, one that the writer does not have, the logical type left aside.
    let wanted = columns(&[
        ("d", DataType::Int32),
        ("more", DataType::Utf8),
        ("l", DataType::Float64),
        ("i", DataType::Int64),
        ("u", DataType::Utf8),
    ]);
    let values: [Option<&[u8]>; 3] = [
        Some(b"\x02\x04\x04\x02x\x06"),
        Some(b"\x02\x04\x00\x06"),
        Some(b"\x02\x04\x02\x08\x06"),
    ];
    let found = described_rows(&decode(&wanted, &options, &values, BadRecords::Null).unwrap());
    let row = |text: Value| json!({"d": 3, "more": null, "l": "4000000000000000", "i": 1, "u": text});
    let nothing = json!({"d": null, "more": null, "l": null, "i": null, "u": null});
    // The third has an int where the column wants text.
    assert_eq!(found, [row(json!("x")), row(Value::Null), nothing]);
    let narrow = columns(&[("l", DataType::Int32)]);
    let error = decode(&narrow, &options, &[], BadRecords::Null).unwrap_err();
    assert_eq!(error.to_string(), "field \"l\": long cannot be read as Int32");
    let required = ArrowSchema::new(vec![Field::new("more", DataType::Int32, false)]);
    let error = decode(&required, &options, &[], BadRecords::Null).unwrap_err();
    assert!(error.to_string().contains("no such field"), "{error}");
}

#[test]
fn times_are_converted_to_the_unit_of_their_column() {
    let logical = |name: &str, data_type: &str, logical: &str| {
        format!(r#"{{"name": "{name}", "type": {{"type": "{data_type}", "logicalType": "{logical}"}}}}"#)
    };
    let text = record(
        &[
            logical("ms", "long", "timestamp-millis"),
            logical("ns", "long", "timestamp-nanos"),
            logical("t", "int", "time-millis"),
            r#"{"name": "plain", "type": "long"}"#.to_owned(),
        ]
        .join(", "),
    );
    let options = AvroOptions::plain(schema(&text));
    let utc = |unit| DataType::Timestamp(unit, Some("UTC".into()));
    let wanted = columns(&[
        ("ms", utc(TimeUnit::Nanosecond)),
        ("ns", utc(TimeUnit::Microsecond)),
        ("t", DataType::Time64(TimeUnit::Microsecond)),
        ("plain", DataType::Timestamp(TimeUnit::Microsecond, None)),
    ]);
    let far = b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x02\x02".as_slice();
    let found = decode(
        &wanted,
        &options,
        &[Some(b"\x01\x01\x02\x02"), Some(far)],
        BadRecords::Null,
    )
    .unwrap();
    let nothing = json!({"ms": null, "ns": null, "t": null, "plain": null});
    assert_eq!(
        described_rows(&found),
        // A nanosecond before the epoch is in the microsecond before it; what passes 64 bits is bad.
        [json!({"ms": -1_000_000, "ns": -1, "t": 1_000, "plain": 1_000}), nothing]
    );
    let local = columns(&[("ms", DataType::Timestamp(TimeUnit::Microsecond, None))]);
    assert!(
        decode(&local, &options, &[], BadRecords::Null).is_err(),
        "a moment is no local time"
    );
}

#[test]
fn of_repeated_keys_the_last_holds() {
    let text = record(r#"{"name": "m", "type": {"type": "map", "values": "int"}}"#);
    let few: &[u8] = b"\x06\x02a\x02\x02b\x04\x02a\x06\x00";
    assert_eq!(rows(&text, &[few, few])[1], json!({"m": {"a": 3, "b": 2}}));
    let many: Vec<u8> = (0..20).flat_map(|key| [2, b'a' + key % 19, 2 * key]).collect();
    let many = [&[40], many.as_slice(), &[0]].concat();
    let found = &rows(&text, &[&many])[0]["m"];
    assert_eq!((found.as_object().unwrap().len(), &found["a"]), (19, &json!(19)));
}

#[test]
fn text_is_mended_and_bytes_behind_a_value_are_ignored_unless_refused() {
    let text = record(r#"{"name": "s", "type": "string"}"#);
    assert_eq!(
        rows(&text, &[b"\x04\xc3\xa9", b"\x04a\xff", b"\x00rest"]),
        [json!({"s": "é"}), json!({"s": "a\u{fffd}"}), json!({"s": ""})]
    );
    let options = AvroOptions {
        refuse_trailing_bytes: true,
        ..AvroOptions::plain(schema(&text))
    };
    let columns = arrow_schema(&text).unwrap();
    let error = decode(&columns, &options, &[Some(b"\x00rest")], BadRecords::Fail).unwrap_err();
    assert!(error.to_string().contains("4 bytes follow the value"), "{error}");
}

#[test]
fn a_value_names_its_schema_and_each_is_asked_for_once() {
    let old = record(PAIR);
    let new = record(r#"{"name": "b", "type": ["null", "string"]}, {"name": "c", "type": "long"}"#);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let (first, second) = (old.clone(), new.clone());
    let registry = Registry::with_resolver(move |id: u32| {
        count.fetch_add(1, Ordering::Relaxed);
        match id {
            1 => Ok(first.clone()),
            70_000 => Ok(second.clone()),
            2 => Ok("no schema".to_owned()),
            3 => Err(Unresolved::Failed("connection refused".to_owned())),
            _ => Err(Unresolved::Unknown("404".to_owned())),
        }
    });
    let options = AvroOptions::registry(Arc::new(registry));
    let wanted = columns(&[("b", DataType::Utf8), ("c", DataType::Int64)]);
    let framed = |id: u32, body: &[u8]| [&[0], id.to_be_bytes().as_slice(), body].concat();
    let values = [
        framed(1, b"\x02\x02x"),
        framed(70_000, b"\x00\x0e"),
        framed(1, b"\x02\x02y"),
        framed(9, b""),
        framed(9, b""),
        framed(2, b""),
        b"\x01\x00\x00\x00\x01".to_vec(),
        b"\x00\x00".to_vec(),
    ];
    let given: Vec<Option<&[u8]>> = values.iter().map(|value| Some(value.as_slice())).collect();
    let found = described_rows(&decode(&wanted, &options, &given, BadRecords::Null).unwrap());
    assert_eq!(
        found[..3],
        [
            json!({"b": "x", "c": null}),
            json!({"b": null, "c": 7}),
            json!({"b": "y", "c": null})
        ]
    );
    assert!(found[3..].iter().all(|row| *row == json!({"b": null, "c": null})));
    assert_eq!(asked.load(Ordering::Relaxed), 4);
    for (value, what) in [
        (3, "schema 9: 404"),
        (5, "schema 2: Avro schema, at \"byte 0\""),
        (6, "registry header"),
    ] {
        let error = decode(&wanted, &options, &given[value..=value], BadRecords::Fail).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    // What could not be found out is an error whatever becomes of bad records.
    let error = decode(&wanted, &options, &[Some(&framed(3, b""))], BadRecords::Drop).unwrap_err();
    assert!(
        matches!(error, ColumnarError::SchemaUnresolved { id: 3, .. }),
        "{error}"
    );
}

#[test]
fn schemas_may_be_told_beforehand() {
    let registry = Registry::new();
    let values: [&[u8]; 4] = [b"\0\0\0\0\x05\x02", b"\0\0\0\0\x02\x02", b"\0\0\0\0\x05\x04", b"short"];
    assert_eq!(registry.missing(values), [2, 5]);
    registry.insert(5, "\"int\"").unwrap();
    registry.insert_unknown(2, "no such schema").unwrap();
    assert_eq!(registry.missing(values), [0_u32; 0]);
    let options = AvroOptions::registry(Arc::new(registry));
    let wanted = columns(&[("value", DataType::Int32)]);
    let given = values.map(Some);
    let found = decode(&wanted, &options, &given[..3], BadRecords::Drop).unwrap();
    assert_eq!(described_rows(&found), [json!({"value": 1}), json!({"value": 2})]);
    let error = decode(&wanted, &options, &[Some(b"\0\0\0\0\x06\x02")], BadRecords::Null).unwrap_err();
    assert!(error.to_string().contains("it was not told"), "{error}");
}

#[test]
fn a_registry_is_bounded() {
    let registry = Registry::with_resolver(|_: u32| Ok("\"int\"".to_owned()));
    let options = AvroOptions::registry(Arc::new(registry));
    let wanted = columns(&[("value", DataType::Int32)]);
    let values: Vec<Vec<u8>> = (0..u32::try_from(SCHEMAS_LIMIT).unwrap() + 10)
        .map(|id| [&[0], id.to_be_bytes().as_slice(), &[2]].concat())
        .collect();
    let given: Vec<Option<&[u8]>> = values.iter().map(|value| Some(value.as_slice())).collect();
    assert_eq!(
        decode(&wanted, &options, &given, BadRecords::Fail).unwrap().num_rows(),
        given.len()
    );
    let told = Registry::new();
    for id in 0..u32::try_from(SCHEMAS_LIMIT).unwrap() {
        told.insert(id, "\"int\"").unwrap();
    }
    assert!(
        told.insert(1 << 20, "\"int\"")
            .unwrap_err()
            .to_string()
            .contains("SCHEMAS_LIMIT")
    );
    assert!(told.insert(0, "\"long\"").is_ok());
}

#[test]
fn ill_formed_schemas_are_refused_with_the_reason() {
    for (text, what) in [
        ("", "byte 0"),
        ("\"nonsense\"", "no type of this name"),
        (r#"{"type": "record", "name": "R"}"#, "without fields"),
        (r#"{"type": "record", "fields": []}"#, "without a name"),
        (r#"{"type": "record", "name": "1R", "fields": []}"#, "is no name"),
        (r#"{"type": "fixed", "name": "F", "size": -1}"#, "without a size"),
        (r#"{"type": "enum", "name": "E", "symbols": ["A", "A"]}"#, "twice"),
        (
            r#"{"type": "enum", "name": "E", "symbols": ["A"], "default": "B"}"#,
            "is no symbol",
        ),
        (r#"["int", "int"]"#, "int twice"),
        (r#"["int", ["string"]]"#, "a union holds a union"),
        (r#"{"type": "array"}"#, "without items"),
        ("3", "a type is a name"),
    ] {
        let error = Schema::parse(text).unwrap_err().to_string();
        assert!(error.contains(what), "{text}: {error}");
    }
    for field in [
        r#"{"name": "a", "type": "int"}, {"name": "a", "type": "int"}"#,
        r#"{"name": "a"}"#,
    ] {
        assert!(Schema::parse(&record(field)).is_err());
    }
    let deep = format!(
        "{}\"int\"{}",
        r#"{"type": "array", "items": "#.repeat(100),
        "}".repeat(100)
    );
    assert!(
        Schema::parse(&deep)
            .unwrap_err()
            .to_string()
            .contains("SCHEMA_DEPTH_LIMIT")
    );
    // Records that double with every level.
    let bomb: Vec<String> = (1..60)
        .map(|level| {
            let inner = if level == 1 {
                "int".to_owned()
            } else {
                format!("R{}", level - 1)
            };
            format!(
                r#"{{"name": "f{level}", "type": {{"type": "record", "name": "R{level}", "fields": [
                    {{"name": "a", "type": "{inner}"}}, {{"name": "b", "type": "{inner}"}}]}}}}"#
            )
        })
        .collect();
    let bomb = record(&bomb.join(", "));
    assert!(
        arrow_schema(&bomb)
            .unwrap_err()
            .to_string()
            .contains("ARROW_FIELDS_LIMIT")
    );
    let options = AvroOptions::plain(schema(&bomb));
    let found = decode(&columns(&[("f1", DataType::Null)]), &options, &[], BadRecords::Null);
    assert!(found.is_err(), "a record is no null");
}

#[test]
fn options_have_sparks_names() {
    let parse = |options: &[(&str, &str)]| {
        let options: BTreeMap<String, String> = options
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        PayloadOptions::parse("avro", &options)
    };
    let parsed = parse(&[
        ("avroSchema", "\"long\""),
        ("jsonformatschema", "\"int\""),
        ("mode", "FAILFAST"),
        ("recursiveFieldMaxDepth", "3"),
        ("enableStableIdentifiersForUnionType", "true"),
        ("datetimeRebaseMode", "corrected"),
    ])
    .unwrap();
    assert_eq!(parsed.bad_records, BadRecords::Fail);
    let PayloadFormat::Avro(options) = parsed.format else {
        unreachable!("it is Avro")
    };
    assert_eq!(options.arrow_schema().unwrap(), columns(&[("value", DataType::Int64)]));
    assert_eq!(
        (options.types.recursion_max, options.types.stable_union_names.as_deref()),
        (3, Some("member_"))
    );
    for (name, value) in [
        ("avroSchema", "x"),
        ("recursiveFieldMaxDepth", "99"),
        ("datetimeRebaseMode", "LEGACY"),
        ("x", ""),
    ] {
        assert!(parse(&[(name, value)]).is_err(), "{name}");
    }
}

#[test]
fn members_of_unions_may_be_named_by_their_types() {
    let text = record(r#"{"name": "u", "type": ["null", "int", {"type": "enum", "name": "n.E", "symbols": ["A"]}]}"#);
    let options = AvroOptions {
        types: ArrowTypes {
            stable_union_names: Some("member_".to_owned()),
            ..ArrowTypes::new(Dialect::Spark)
        },
        ..AvroOptions::plain(schema(&text))
    };
    let columns = options.arrow_schema().unwrap();
    let values: [Option<&[u8]>; 3] = [Some(b"\x02\x0e"), Some(b"\x04\x00"), Some(b"\x00")];
    let found = decode(&columns, &options, &values, BadRecords::Fail).unwrap();
    assert_eq!(
        described_rows(&found),
        [
            json!({"u": {"member_int": 7, "member_e": null}}),
            json!({"u": {"member_int": null, "member_e": "A"}}),
            json!({"u": null})
        ]
    );
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}

#[test]
fn columns_of_any_layout_are_encoded() {
    let mut large = LargeListBuilder::new(Int32Builder::new());
    large.append_value([Some(1), None]);
    large.append_null();
    let mut fixed = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for value in [1, 2, 3, 4] {
        fixed.values().append_value(value);
        if value % 2 == 0 {
            fixed.append(true);
        }
    }
    let seconds = TimestampSecondArray::from(vec![1, -1]).with_timezone("UTC");
    let given = batch(vec![
        ("large", Arc::new(LargeStringArray::from(vec![Some("a"), None]))),
        (
            "view",
            Arc::new(StringViewArray::from(vec!["a string that is not inlined", ""])),
        ),
        (
            "dictionary",
            Arc::new(["x", "y"].into_iter().collect::<DictionaryArray<Int8Type>>()),
        ),
        (
            "uuid",
            Arc::new(StringArray::from(vec!["00112233-4455-6677-8899-aabbccddeeff"; 2])),
        ),
        (
            "ten",
            Arc::new(FixedSizeBinaryArray::try_from_iter([[7_u8; 2]; 2].into_iter()).unwrap()),
        ),
        ("unsigned", Arc::new(UInt64Array::from(vec![5, 6]))),
        ("seconds", Arc::new(seconds)),
        ("lists", Arc::new(large.finish())),
        ("pairs", Arc::new(fixed.finish())),
    ]);
    let text = record(
        r#"{"name": "uuid", "type": {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}},
           {"name": "large", "type": ["string", "null"]}, {"name": "view", "type": "string"},
           {"name": "dictionary", "type": {"type": "enum", "name": "E", "symbols": ["y", "x"]}},
           {"name": "ten", "type": {"type": "fixed", "name": "T", "size": 2}}, {"name": "unsigned", "type": "int"},
           {"name": "seconds", "type": {"type": "long", "logicalType": "timestamp-micros"}},
           {"name": "lists", "type": ["null", {"type": "array", "items": ["null", "int"]}]},
           {"name": "pairs", "type": {"type": "array", "items": "long"}},
           {"name": "more", "type": ["null", "int"]}, {"name": "default", "type": "int", "default": 9}"#,
    );
    let encoded = Encoder::new(schema(&text)).with_id(1).encode(&given).unwrap();
    assert_eq!(&encoded.value(0)[..5], [0, 0, 0, 0, 1]);
    let values: Vec<&[u8]> = encoded.iter().map(|value| &value.unwrap()[5..]).collect();
    let found = rows(&text, &values);
    assert_eq!(
        found,
        [
            json!({"uuid": "00112233-4455-6677-8899-aabbccddeeff", "large": "a", "view": "a string that is not inlined",
            "dictionary": "x", "ten": {"hex": "0707"}, "unsigned": 5, "seconds": 1_000_000, "lists": [1, null],
            "pairs": [1, 2], "more": null, "default": 9}),
            json!({"uuid": "00112233-4455-6677-8899-aabbccddeeff", "large": null, "view": "", "dictionary": "y",
            "ten": {"hex": "0707"}, "unsigned": 6, "seconds": -1_000_000, "lists": null, "pairs": [3, 4],
            "more": null, "default": 9}),
        ]
    );
}

#[test]
fn a_schema_follows_from_columns_as_in_spark() {
    let struct_of = DataType::Struct(vec![Field::new("x", DataType::Int8, false)].into());
    let schema = ArrowSchema::new(vec![
        Field::new("a", DataType::Int64, false),
        Field::new("b", DataType::Utf8, true),
        Field::new("c", DataType::Decimal128(10, 2), true),
        Field::new(
            "d",
            DataType::List(Arc::new(Field::new("element", struct_of, true))),
            false,
        ),
        Field::new("e", DataType::Timestamp(TimeUnit::Microsecond, None), false),
        Field::new("f", DataType::Date32, false),
    ]);
    assert_eq!(
        serde_json::from_str::<Value>(&schema_text(&schema).unwrap()).unwrap(),
        json!({"type": "record", "name": "topLevelRecord", "fields": [
            {"name": "a", "type": "long"},
            {"name": "b", "type": ["string", "null"]},
            {"name": "c", "type": [{"type": "fixed", "name": "fixed", "namespace": "topLevelRecord.c", "size": 5,
                "logicalType": "decimal", "precision": 10, "scale": 2}, "null"]},
            {"name": "d", "type": {"type": "array", "items": [{"type": "record", "name": "d",
                "namespace": "topLevelRecord", "fields": [{"name": "x", "type": "int"}]}, "null"]}},
            {"name": "e", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
            {"name": "f", "type": {"type": "int", "logicalType": "date"}},
        ]})
    );
    assert!(Encoder::for_columns(&schema).is_ok());
    let month = columns(&[("m", DataType::Duration(TimeUnit::Second))]);
    assert!(schema_text(&month).is_err());
}

#[test]
fn rows_that_do_not_fit_the_schema_are_an_error_with_row_and_field() {
    let rows = batch(vec![(
        "a",
        Arc::new(Int64Array::from(vec![Some(1), None, Some(1 << 40)])),
    )]);
    let encode = |field: &str, rows: &RecordBatch| {
        let encoded = Encoder::new(schema(&record(field))).encode(rows);
        encoded.map(|_| ()).map_err(|error| error.to_string())
    };
    let long = r#"{"name": "a", "type": "long"}"#;
    assert_eq!(
        encode(long, &rows),
        Err("row 1, field \"a\": null where the schema has none".to_owned())
    );
    let int = r#"{"name": "a", "type": ["null", "int"]}"#;
    assert_eq!(
        encode(int, &rows),
        Err("row 2, field \"a\": 1099511627776 is too large for the schema's type".to_owned())
    );
    let string = encode(r#"{"name": "a", "type": "string"}"#, &rows).unwrap_err();
    assert_eq!(
        string,
        "field \"a\": a column of type Int64 cannot be written as string"
    );
    let other = encode(r#"{"name": "b", "type": "long"}"#, &rows).unwrap_err();
    assert_eq!(other, "field \"a\": the schema has no such field");
    let more = encode(&format!(r#"{long}, {{"name": "b", "type": "int"}}"#), &rows).unwrap_err();
    assert!(more.contains("field \"b\": there is no such column"), "{more}");
    let symbols = batch(vec![("a", Arc::new(StringArray::from(vec!["Z"])))]);
    let unknown = encode(
        r#"{"name": "a", "type": {"type": "enum", "name": "E", "symbols": ["A"]}}"#,
        &symbols,
    );
    assert_eq!(
        unknown,
        Err("row 0, field \"a\": \"Z\" is no symbol of the enum".to_owned())
    );
}
