//! Raw columns against the records they come from.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{Field, Schema};
use barnabas_columnar::{ColumnarError, Decoder, Dialect, Limits, Projection, RawColumn, RecordSlice};
use barnabas_records::{BatchBuilder, BatchRef, Seal, patch};
use proptest::prelude::*;

type Row = (i64, Option<Vec<u8>>, Option<Vec<u8>>, Vec<(String, Option<Vec<u8>>)>);

fn batch_of(base_offset: i64, rows: &[Row]) -> Vec<u8> {
    let mut builder = BatchBuilder::new(Vec::new());
    for (timestamp, key, value, headers) in rows {
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.as_bytes(), value.as_deref()))
            .collect();
        builder
            .append(*timestamp, key.as_deref(), value.as_deref(), &headers)
            .unwrap();
    }
    let seal = Seal {
        base_offset,
        ..Seal::default()
    };
    builder.finish(&seal, &mut Vec::new()).unwrap()
}

fn push(decoder: &mut Decoder, bytes: &[u8], offsets: std::ops::Range<i64>) -> Vec<RecordBatch> {
    let batch = BatchRef::parse(bytes).unwrap();
    let slice = RecordSlice {
        topic: "topic",
        partition: 7,
        header: &batch.header,
        payload: batch.payload(),
        first_offset: offsets.start,
        end_offset: offsets.end,
        chosen: None,
    };
    let mut full = Vec::new();
    decoder.push(&slice, &mut full).unwrap();
    full
}

fn spark(columns: &[RawColumn]) -> Projection {
    let field = |column: &RawColumn| Field::new(column.name(Dialect::Spark), column.data_type(Dialect::Spark), true);
    Projection::raw(Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))).unwrap()
}

fn row(value: &str) -> Row {
    (1_000, Some(b"k".to_vec()), Some(value.as_bytes().to_vec()), vec![])
}

#[test]
fn all_columns_of_both_dialects() {
    let rows: Vec<Row> = vec![
        (
            1_000,
            Some(b"k".to_vec()),
            None,
            vec![("h".into(), Some(b"1".to_vec())), ("h".into(), None)],
        ),
        (-1, None, Some(vec![]), vec![]),
    ];
    let bytes = batch_of(40, &rows);
    let mut decoder = Decoder::new(Projection::client(), Limits::default());
    assert!(push(&mut decoder, &bytes, 0..i64::MAX).is_empty());
    let batch = decoder.finish().unwrap().unwrap();
    assert_eq!(
        batch.column(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(),
        ["topic", "topic"]
    );
    assert_eq!(batch.column(1).as_primitive::<Int32Type>().values(), &[7, 7]);
    assert_eq!(batch.column(2).as_primitive::<Int64Type>().values(), &[40, 41]);
    let times = batch.column(3).as_primitive::<TimestampMillisecondType>();
    assert_eq!(times.iter().collect::<Vec<_>>(), [Some(1_000), None]);
    assert_eq!(batch.column(4).as_primitive::<Int8Type>().values(), &[0, 0]);
    assert_eq!(
        batch.column(5).as_binary::<i32>().iter().collect::<Vec<_>>(),
        [Some(&b"k"[..]), None]
    );
    assert_eq!(
        batch.column(6).as_binary::<i32>().iter().collect::<Vec<_>>(),
        [None, Some(&b""[..])]
    );
    let headers = batch.column(7).as_list::<i32>();
    assert_eq!(headers.null_count(), 0);
    assert_eq!(headers.value_offsets(), &[0, 2, 2]);
    let pairs = headers.values().as_struct();
    assert_eq!(
        pairs.column(0).as_string::<i32>().iter().flatten().collect::<Vec<_>>(),
        ["h", "h"]
    );
    assert_eq!(
        pairs.column(1).as_binary::<i32>().iter().collect::<Vec<_>>(),
        [Some(&b"1"[..]), None]
    );

    let mut decoder = Decoder::new(spark(&RawColumn::ALL), Limits::default());
    push(&mut decoder, &bytes, 0..i64::MAX);
    let batch = decoder.finish().unwrap().unwrap();
    let times = batch.column(3).as_primitive::<TimestampMicrosecondType>();
    assert_eq!(times.iter().collect::<Vec<_>>(), [Some(1_000_000), Some(-1_000)]);
    let headers = batch.column(7).as_list::<i32>();
    assert_eq!(
        (0..2).map(|row| headers.is_null(row)).collect::<Vec<_>>(),
        [false, true]
    );
}

#[test]
fn log_append_time_is_the_time_of_every_record() {
    let mut bytes = batch_of(0, &[row("a"), row("b")]);
    patch::set_log_append_time(&mut bytes, 5_000).unwrap();
    let mut decoder = Decoder::new(
        spark(&[RawColumn::Timestamp, RawColumn::TimestampType]),
        Limits::default(),
    );
    push(&mut decoder, &bytes, 0..i64::MAX);
    let batch = decoder.finish().unwrap().unwrap();
    assert_eq!(
        batch.column(0).as_primitive::<TimestampMicrosecondType>().values(),
        &[5_000_000, 5_000_000]
    );
    assert_eq!(batch.column(1).as_primitive::<Int32Type>().values(), &[1, 1]);
}

#[test]
fn only_the_wanted_offsets() {
    let bytes = batch_of(10, &[row("a"), row("b"), row("c"), row("d")]);
    let mut decoder = Decoder::new(spark(&[RawColumn::Offset, RawColumn::Value]), Limits::default());
    push(&mut decoder, &bytes, 11..13);
    let batch = decoder.finish().unwrap().unwrap();
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[11, 12]);
    push(&mut decoder, &bytes, 14..20);
    assert!(decoder.finish().unwrap().is_none());
}

#[test]
fn a_control_batch_has_no_rows() {
    let mut builder = BatchBuilder::new(Vec::new());
    builder
        .append(0, Some(&[0, 0, 0, 1]), Some(&[0, 0, 0, 0, 0, 0]), &[])
        .unwrap();
    let seal = Seal {
        control: true,
        transactional: true,
        producer_id: 1,
        producer_epoch: 0,
        ..Seal::default()
    };
    let bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
    let mut decoder = Decoder::new(spark(&[RawColumn::Offset]), Limits::default());
    push(&mut decoder, &bytes, 0..i64::MAX);
    assert!(decoder.finish().unwrap().is_none());
}

#[test]
fn batches_are_full_by_rows_or_bytes() {
    let bytes = batch_of(0, &(0..10).map(|_| row("0123456789")).collect::<Vec<_>>());
    let sizes = |limits| {
        let mut decoder = Decoder::new(spark(&[RawColumn::Offset, RawColumn::Topic, RawColumn::Key]), limits);
        let mut batches = push(&mut decoder, &bytes, 0..i64::MAX);
        batches.extend(decoder.finish().unwrap());
        let offsets: Vec<i64> = batches
            .iter()
            .flat_map(|b| b.column(0).as_primitive::<Int64Type>().values().to_vec())
            .collect();
        assert_eq!(offsets, (0..10).collect::<Vec<_>>());
        batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>()
    };
    assert_eq!(
        sizes(Limits {
            rows: 4,
            bytes: 1 << 20
        }),
        [4, 4, 2]
    );
    assert_eq!(sizes(Limits { rows: 100, bytes: 33 }), [3, 3, 3, 1]);
    assert_eq!(sizes(Limits { rows: 100, bytes: 1 }), [1; 10]);
}

#[test]
fn topics_and_partitions_of_several_slices_stay_apart() {
    let bytes = batch_of(0, &[row("a"), row("b")]);
    let batch = BatchRef::parse(&bytes).unwrap();
    let mut decoder = Decoder::new(
        spark(&[RawColumn::Topic, RawColumn::Partition]),
        Limits {
            rows: 3,
            bytes: 1 << 20,
        },
    );
    let mut batches = Vec::new();
    for (topic, partition) in [("x", 0), ("x", 1), ("longer", 1)] {
        let slice = RecordSlice {
            topic,
            partition,
            header: &batch.header,
            payload: batch.payload(),
            first_offset: 0,
            end_offset: 100,
            chosen: None,
        };
        decoder.push(&slice, &mut batches).unwrap();
    }
    batches.extend(decoder.finish().unwrap());
    let rows: Vec<(String, i32)> = batches
        .iter()
        .flat_map(|b| {
            let topics = b
                .column(0)
                .as_string::<i32>()
                .iter()
                .flatten()
                .map(str::to_owned)
                .collect::<Vec<_>>();
            topics
                .into_iter()
                .zip(b.column(1).as_primitive::<Int32Type>().values().to_vec())
        })
        .collect();
    let expected = [("x", 0), ("x", 0), ("x", 1), ("x", 1), ("longer", 1), ("longer", 1)];
    assert_eq!(rows, expected.map(|(topic, partition)| (topic.to_owned(), partition)));
}

#[test]
fn an_empty_projection_still_counts_rows() {
    let bytes = batch_of(0, &[row("a"), row("b")]);
    let mut decoder = Decoder::new(spark(&[]), Limits::default());
    push(&mut decoder, &bytes, 0..i64::MAX);
    assert_eq!(decoder.finish().unwrap().unwrap().num_rows(), 2);
}

#[test]
fn names_and_types_are_checked() {
    let raw = |fields: Vec<Field>| Projection::raw(Arc::new(Schema::new(fields))).map(|_| ());
    let offset = Field::new("offset", RawColumn::Offset.data_type(Dialect::Spark), true);
    assert!(matches!(
        raw(vec![offset.clone(), offset]),
        Err(ColumnarError::DuplicateColumn(_))
    ));
    let wrong = Field::new("offset", RawColumn::Partition.data_type(Dialect::Spark), true);
    assert!(matches!(raw(vec![wrong]), Err(ColumnarError::UnsupportedType { .. })));
    let unknown = Field::new("offsets", RawColumn::Offset.data_type(Dialect::Spark), true);
    assert!(matches!(raw(vec![unknown]), Err(ColumnarError::UnknownColumn(_))));
}

#[test]
fn a_payload_cut_short_is_an_error_with_its_place() {
    let bytes = batch_of(3, &[row("a"), row("b")]);
    let batch = BatchRef::parse(&bytes).unwrap();
    let payload = batch.payload();
    let mut decoder = Decoder::new(Projection::client(), Limits::default());
    let slice = RecordSlice {
        topic: "topic",
        partition: 7,
        header: &batch.header,
        payload: &payload[..payload.len() - 1],
        first_offset: 0,
        end_offset: 100,
        chosen: None,
    };
    let error = decoder.push(&slice, &mut Vec::new()).unwrap_err();
    assert!(error.to_string().starts_with("topic-7: batch at offset 3: "), "{error}");
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..20);
    let headers = proptest::collection::vec(("[a-z]{0,3}", proptest::option::of(bytes())), 0..3);
    let row = (
        0i64..1_000_000,
        proptest::option::of(bytes()),
        proptest::option::of(bytes()),
        headers,
    );
    proptest::collection::vec(row, 1..40)
}

proptest! {
    #[test]
    fn columns_hold_the_records(rows in rows(), limit in 1usize..50) {
        let bytes = batch_of(100, &rows);
        let mut decoder = Decoder::new(Projection::client(), Limits { rows: limit, bytes: 1 << 20 });
        let mut batches = push(&mut decoder, &bytes, 0..i64::MAX);
        batches.extend(decoder.finish().unwrap());
        let mut found: Vec<Row> = Vec::new();
        for batch in &batches {
            let headers = batch.column(7).as_list::<i32>();
            for index in 0..batch.num_rows() {
                let cell = |column: usize| {
                    let array = batch.column(column).as_binary::<i32>();
                    array.is_valid(index).then(|| array.value(index).to_vec())
                };
                let pairs = headers.value(index);
                let pairs = pairs.as_struct();
                let names = pairs.column(0).as_string::<i32>().iter().flatten().map(str::to_owned);
                let values = pairs.column(1).as_binary::<i32>().iter().map(|value| value.map(<[u8]>::to_vec));
                let time = batch.column(3).as_primitive::<TimestampMillisecondType>().value(index);
                found.push((time, cell(5), cell(6), names.zip(values).collect()));
            }
        }
        prop_assert_eq!(found, rows);
    }
}
