//! What tests of Avro share: decoding values through a record batch, and rows in a form to compare.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, Time32MillisecondType, Time64MicrosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema, TimeUnit};
use barnabas_columnar::avro::AvroOptions;
use barnabas_columnar::{BadRecords, ColumnarError, Decoder, Limits, PayloadFormat, Projection, RecordSlice};
use barnabas_records::{BatchBuilder, BatchRef, Seal};
use serde_json::{Value, json};

/// The values as one Arrow batch.
pub(crate) fn decode(
    columns: &Schema,
    options: &AvroOptions,
    values: &[Option<&[u8]>],
    bad_records: BadRecords,
) -> Result<RecordBatch, ColumnarError> {
    let format = PayloadFormat::Avro(options.clone());
    let projection = Projection::typed(Arc::new(columns.clone()), &[], format, bad_records)?;
    if values.is_empty() {
        return Ok(RecordBatch::new_empty(Arc::new(columns.clone())));
    }
    let mut builder = BatchBuilder::new(Vec::new());
    for value in values {
        builder.append(0, None, *value, &[]).unwrap();
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
    let mut full = Vec::new();
    decoder.push(&slice, &mut full)?;
    assert!(full.is_empty());
    Ok(decoder
        .finish()?
        .unwrap_or_else(|| RecordBatch::new_empty(Arc::new(columns.clone()))))
}

/// Each row as a JSON object; floats are their bits, bytes hexadecimal.
pub(crate) fn described_rows(batch: &RecordBatch) -> Vec<Value> {
    (0..batch.num_rows())
        .map(|row| {
            let fields = batch.schema_ref().fields().iter().zip(batch.columns());
            Value::Object(
                fields
                    .map(|(field, column)| (field.name().clone(), described(column, row)))
                    .collect(),
            )
        })
        .collect()
}

fn hex(bytes: &[u8]) -> Value {
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}").unwrap();
    }
    json!({ "hex": text })
}

pub(crate) fn described(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Int8 => json!(array.as_primitive::<Int8Type>().value(row)),
        DataType::Int16 => json!(array.as_primitive::<Int16Type>().value(row)),
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::Date32 => json!(array.as_primitive::<Date32Type>().value(row)),
        DataType::Time32(_) => json!(array.as_primitive::<Time32MillisecondType>().value(row)),
        DataType::Time64(_) => json!(array.as_primitive::<Time64MicrosecondType>().value(row)),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            json!(array.as_primitive::<TimestampMillisecondType>().value(row))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            json!(array.as_primitive::<TimestampNanosecondType>().value(row))
        }
        DataType::Timestamp(..) => json!(array.as_primitive::<TimestampMicrosecondType>().value(row)),
        DataType::Float32 => json!(format!(
            "{:08x}",
            array.as_primitive::<Float32Type>().value(row).to_bits()
        )),
        DataType::Float64 => json!(format!(
            "{:016x}",
            array.as_primitive::<Float64Type>().value(row).to_bits()
        )),
        DataType::Decimal128(..) => json!({"decimal": array.as_primitive::<Decimal128Type>().value(row).to_string()}),
        DataType::Interval(_) => json!(format!(
            "{:?}",
            array.as_primitive::<IntervalMonthDayNanoType>().value(row)
        )),
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        DataType::Binary => hex(array.as_binary::<i32>().value(row)),
        DataType::FixedSizeBinary(_) => hex(array.as_fixed_size_binary().value(row)),
        DataType::Struct(fields) => {
            let children = fields.iter().zip(array.as_struct().columns());
            Value::Object(
                children
                    .map(|(field, child)| (field.name().clone(), described(child, row)))
                    .collect(),
            )
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>().value(row);
            Value::Array((0..list.len()).map(|element| described(&list, element)).collect())
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let (keys, values) = (entries.column(0).as_string::<i32>(), entries.column(1));
            let entry = |row: usize| (keys.value(row).to_owned(), described(values, row));
            Value::Object((0..entries.len()).map(entry).collect())
        }
        other => unreachable!("no test has a column of type {other}"),
    }
}
