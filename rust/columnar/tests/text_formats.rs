//! Formats of text by their options: policies, keys, patterns of times, CSV and plain text, and JSON from columns.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use barnabas_columnar::json::{JsonWriteOptions, encode};
use barnabas_columnar::{ColumnarError, Decoder, Limits, PayloadOptions, Projection, RecordSlice};
use barnabas_records::{BatchBuilder, BatchRef, Seal};

type Record<'a> = (Option<&'a str>, Option<&'a str>);

fn decode(
    format: &str,
    options: &[(&str, &str)],
    fields: &[(&str, DataType)],
    records: &[Record<'_>],
) -> Result<Option<RecordBatch>, ColumnarError> {
    let fields: Vec<Field> = fields
        .iter()
        .map(|(name, data_type)| Field::new(*name, data_type.clone(), true))
        .collect();
    let options: BTreeMap<String, String> = options
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let options = PayloadOptions::parse(format, &options)?;
    let projection = Projection::typed_with(Arc::new(Schema::new(fields)), &["offset".to_owned()], options)?;
    let mut builder = BatchBuilder::new(Vec::new());
    for (key, value) in records {
        builder
            .append(0, key.map(str::as_bytes), value.map(str::as_bytes), &[])
            .unwrap();
    }
    let bytes = builder.finish(&Seal::default(), &mut Vec::new()).unwrap();
    let batch = BatchRef::parse(&bytes).unwrap();
    let mut decoder = Decoder::new(projection, Limits::default());
    let slice = RecordSlice {
        topic: "t",
        partition: 3,
        header: &batch.header,
        payload: batch.payload(),
        first_offset: 0,
        end_offset: i64::MAX,
        chosen: None,
    };
    decoder.push(&slice, &mut Vec::new())?;
    decoder.finish()
}

fn values<'a>(values: &[&'a str]) -> Vec<Record<'a>> {
    values.iter().map(|value| (None, Some(*value))).collect()
}

fn integers(batch: &RecordBatch, column: usize) -> Vec<Option<i32>> {
    batch.column(column).as_primitive::<Int32Type>().iter().collect()
}

fn micros() -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

#[test]
fn rows_that_do_not_fit_are_left_out_with_their_kafka_columns() {
    let fields = [("offset", DataType::Int64), ("a", DataType::Int32)];
    let records = values(&[r#"{"a": 1}"#, r#"{"a": "x"}"#, "{", r#"{"a": 4}"#]);
    let batch = decode("json", &[("mode", "DROPMALFORMED")], &fields, &records)
        .unwrap()
        .unwrap();
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[0, 3]);
    assert_eq!(integers(&batch, 1), [Some(1), Some(4)]);
    let none = decode("json", &[("mode", "dropmalformed")], &fields, &values(&["{", "["])).unwrap();
    assert_eq!(none, None);
}

#[test]
fn the_raw_value_goes_to_a_column_of_any_name_as_text_or_bytes() {
    let options = [("columnNameOfCorruptRecord", "broken")];
    for data_type in [DataType::Utf8, DataType::Binary] {
        let fields = [("a", DataType::Int32), ("broken", data_type)];
        let batch = decode("json", &options, &fields, &values(&[r#"{"a": 1}"#, "{x"]))
            .unwrap()
            .unwrap();
        let broken: Vec<Option<Vec<u8>>> = match batch.column(1).data_type() {
            DataType::Utf8 => (batch.column(1).as_string::<i32>().iter())
                .map(|text| text.map(|text| text.as_bytes().to_vec()))
                .collect(),
            _ => (batch.column(1).as_binary::<i32>().iter())
                .map(|bytes| bytes.map(<[u8]>::to_vec))
                .collect(),
        };
        assert_eq!(broken, [None, Some(b"{x".to_vec())]);
    }
}

#[test]
fn keys_are_a_source_too() {
    let records = [
        (Some(r#"{"a": 1}"#), Some("{")),
        (None, Some(r#"{"a": 2}"#)),
        (Some("["), None),
    ];
    let fields = [("a", DataType::Int32)];
    let batch = decode("json", &[("part", "key")], &fields, &records).unwrap().unwrap();
    assert_eq!(integers(&batch, 0), [Some(1), None, None]);
    let error = decode("json", &[("part", "key"), ("mode", "FAILFAST")], &fields, &records).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t-3 at offset 2: the key is no JSON object: an object expected at byte 0; mode PERMISSIVE gives nulls instead"
    );
}

#[test]
fn options_that_are_unknown_or_cannot_be_are_refused() {
    let refused = |format: &str, name: &str, value: &str| {
        decode(format, &[(name, value)], &[("a", DataType::Int32)], &[])
            .unwrap_err()
            .to_string()
    };
    assert!(refused("json", "dateFormatt", "x").starts_with("format json: unknown option \"dateFormatt\" (known: "));
    assert!(refused("text", "sep", ";").starts_with("format text: unknown option \"sep\""));
    assert_eq!(
        refused("xml", "a", "b"),
        "unknown format \"xml\" (json, avro, csv, text)"
    );
    assert_eq!(
        refused("json", "mode", "STRICT"),
        "option mode=\"STRICT\": PERMISSIVE, FAILFAST or DROPMALFORMED"
    );
    assert_eq!(
        refused("json", "epochUnit", "ns"),
        "option epochUnit=\"ns\": s, ms or us"
    );
    assert_eq!(
        refused("json", "allowComments", "yes"),
        "option allowComments=\"yes\": true or false"
    );
    assert_eq!(
        refused("json", "timestampFormat", "EEE"),
        "option timestampFormat=\"EEE\": \"EEE\" is not supported in a pattern"
    );
    assert_eq!(
        refused("json", "timeZone", "Europe/Zurich"),
        "option timeZone=\"Europe/Zurich\": UTC or an offset like +02:00; the names of places are not read"
    );
    assert_eq!(
        refused("csv", "quote", "ab"),
        "option quote=\"ab\": one ASCII character, or nothing"
    );
    assert_eq!(refused("csv", "columns", "b"), "option columns=\"b\": no \"a\" in it");
    assert_eq!(refused("csv", "part", "header"), "option part=\"header\": value or key");
}

#[test]
fn times_are_read_by_unit_zone_and_pattern() {
    let at = |options: &[(&str, &str)], text: &str| {
        let batch = decode("json", options, &[("at", micros())], &values(&[text]))
            .unwrap()
            .unwrap();
        batch
            .column(0)
            .as_primitive::<TimestampMicrosecondType>()
            .iter()
            .next()
            .flatten()
    };
    assert_eq!(at(&[], r#"{"at": 5}"#), Some(5_000_000));
    assert_eq!(at(&[("epochUnit", "ms")], r#"{"at": 5}"#), Some(5_000));
    assert_eq!(at(&[("EPOCHUNIT", "us")], r#"{"at": -5}"#), Some(-5));
    assert_eq!(at(&[], r#"{"at": 9223372036855}"#), None);
    assert_eq!(
        at(&[("timeZone", "+01:00")], r#"{"at": "1970-01-01T01:00:00"}"#),
        Some(0)
    );
    let pattern = [("timestampFormat", "dd/MM/yyyy HH:mm")];
    assert_eq!(at(&pattern, r#"{"at": "01/01/1970 00:01"}"#), Some(60_000_000));
    assert_eq!(at(&pattern, r#"{"at": "1970-01-01"}"#), None);
    let fallback = [pattern[0], ("enableDateTimeParsingFallback", "true")];
    assert_eq!(at(&fallback, r#"{"at": "1970-01-01"}"#), Some(0));
}

#[test]
fn the_syntax_of_json_can_be_widened() {
    let fields = [("a", DataType::Int32), ("b", DataType::Utf8)];
    for (option, text) in [
        ("allowComments", "/* x */ {\"a\": /* x */ 7 // y\n, \"b\": \"q\"}"),
        ("allowUnquotedFieldNames", "{a: 7, \"b\": \"q\"}"),
        ("allowNumericLeadingZeros", "{\"a\": 007, \"b\": \"q\"}"),
        ("allowBackslashEscapingAnyCharacter", "{\"a\": 7, \"b\": \"\\q\"}"),
        ("allowUnquotedControlChars", "{\"a\": 7, \"x\t\": 1, \"b\": \"q\"}"),
    ] {
        let read = |switch: &str| {
            decode("json", &[(option, switch)], &fields, &values(&[text]))
                .unwrap()
                .unwrap()
        };
        assert_eq!(integers(&read("false"), 0), [None], "{option}");
        let wide = read("true");
        assert_eq!(integers(&wide, 0), [Some(7)], "{option}");
        assert_eq!(wide.column(1).as_string::<i32>().value(0), "q", "{option}");
    }
    for (option, text) in [
        ("allowSingleQuotes", "{'a': 7}"),
        ("allowNonNumericNumbers", "{\"x\": NaN, \"a\": 7}"),
    ] {
        let read = |switch: &str| {
            decode("json", &[(option, switch)], &fields, &values(&[text]))
                .unwrap()
                .unwrap()
        };
        assert_eq!(integers(&read("true"), 0), [Some(7)], "{option}");
        assert_eq!(integers(&read("false"), 0), [None], "{option}");
    }
}

#[test]
fn lines_give_columns_by_position_or_by_name() {
    let fields = [("a", DataType::Int32), ("d", DataType::Float64), ("s", DataType::Utf8)];
    let lines = values(&["1,2.5,x", "1,,", "x,1,y", "1,2", "1,2,3,4", ""]);
    let batch = decode("csv", &[], &fields, &lines).unwrap().unwrap();
    assert_eq!(integers(&batch, 0), [Some(1), Some(1), None, Some(1), Some(1), None]);
    let doubles: Vec<_> = batch.column(1).as_primitive::<Float64Type>().iter().collect();
    assert_eq!(doubles, [Some(2.5), None, Some(1.0), Some(2.0), Some(2.0), None]);
    let reasons = ["x,1,y", "1,2", "1,2,3,4", ""].map(|line| {
        let error = decode("csv", &[("mode", "FAILFAST")], &fields, &values(&[line]))
            .unwrap_err()
            .to_string();
        error
            .replace("t-3 at offset 0: ", "")
            .replace("; mode PERMISSIVE gives nulls instead", "")
    });
    assert_eq!(
        reasons,
        [
            "field \"a\" of the value does not fit its column",
            "the line has 2 fields instead of 3",
            "the line has 4 fields instead of 3",
            "the value is no line of CSV: the line is empty at byte 0",
        ]
    );
    let by_name = decode(
        "csv",
        &[("columns", "s, x, a")],
        &[fields[0].clone(), fields[2].clone()],
        &values(&["q,,7"]),
    );
    let by_name = by_name.unwrap().unwrap();
    assert_eq!(integers(&by_name, 0), [Some(7)]);
    assert_eq!(by_name.column(1).as_string::<i32>().value(0), "q");
}

#[test]
fn a_plain_value_is_one_column() {
    let read = |data_type: DataType, text: &str| {
        let records = [(None, Some(text)), (None, None)];
        let batch = decode("text", &[], &[("v", data_type)], &records).unwrap().unwrap();
        assert!(batch.column(0).is_null(1), "a tombstone is null");
        batch.column(0).slice(0, 1)
    };
    assert_eq!(read(DataType::Utf8, " x ").as_string::<i32>().value(0), " x ");
    assert_eq!(read(DataType::Int32, " 7\n").as_primitive::<Int32Type>().value(0), 7);
    assert_eq!(
        read(DataType::Float64, "1e3")
            .as_primitive::<Float64Type>()
            .value(0)
            .to_bits(),
        1e3f64.to_bits()
    );
    assert!(read(DataType::Boolean, "yes").as_boolean().value(0));
    assert_eq!(
        read(micros(), "1970-01-01T00:00:01Z")
            .as_primitive::<TimestampMicrosecondType>()
            .value(0),
        1_000_000
    );
    assert!(read(DataType::Int32, "").is_null(0));
    let two = decode("text", &[], &[("a", DataType::Utf8), ("b", DataType::Utf8)], &[]);
    assert!(two.is_err(), "a value is one column");
}

#[test]
fn columns_become_json() {
    let entries = Field::new(
        "entries",
        DataType::Struct(
            vec![
                Field::new("key", DataType::Utf8, false),
                Field::new("value", DataType::Int32, true),
            ]
            .into(),
        ),
        false,
    );
    let fields = [
        ("s", DataType::Utf8),
        ("n", DataType::Decimal128(10, 2)),
        ("at", micros()),
        (
            "l",
            DataType::List(Arc::new(Field::new("element", DataType::Int32, true))),
        ),
        ("m", DataType::Map(Arc::new(entries), false)),
        ("raw", DataType::Binary),
    ];
    let text = r#"{"s":"é\n","n":1.50,"at":"2013-01-01T05:00:00.123Z","l":[1,null],"m":{"k":1,"x":null},"raw":"AQI="}"#;
    let batch = decode("json", &[], &fields, &values(&[text, "{}"])).unwrap().unwrap();
    let written = encode(&StructArray::from(batch.clone()), &JsonWriteOptions::default()).unwrap();
    assert_eq!(written.value(0), text.as_bytes());
    assert_eq!(written.value(1), b"{}");
    let with_nulls = JsonWriteOptions {
        ignore_null_fields: false,
        ..JsonWriteOptions::default()
    };
    let written = encode(&StructArray::from(batch), &with_nulls).unwrap();
    assert_eq!(
        written.value(1),
        br#"{"s":null,"n":null,"at":null,"l":null,"m":null,"raw":null}"#
    );
}
