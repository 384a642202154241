//! What must hold for any bytes whatever: property tests and fuzz targets feed these functions.

mod avro;
mod csv;
mod json;
mod text;
mod variant;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use barnabas_records::{BatchBuilder, BatchRef, Seal};

pub use avro::{AVRO_SCHEMAS, avro};
pub use csv::csv;
pub use json::json;
pub use text::text;

use crate::{BadRecords, ColumnarError, Decoder, Limits, PayloadOptions, Projection, RecordSlice};

/// Stands between the values of an input: no UTF-8 has it.
const BETWEEN_VALUES: u8 = 0xff;
/// Most values of an input: enough for rows to learn from rows before them, and each costs a batch of its own.
const VALUES_MAX: usize = 5;
/// The column of values that do not fit.
const CORRUPT: &str = "_corrupt_record";

/// The values of an input.
fn values(data: &[u8]) -> Vec<&[u8]> {
    data.splitn(VALUES_MAX, |byte| *byte == BETWEEN_VALUES).collect()
}

/// The fields with the column of values that do not fit.
fn schema(fields: &[Field]) -> SchemaRef {
    let corrupt = Field::new(CORRUPT, DataType::Binary, true);
    Arc::new(Schema::new([fields, &[corrupt]].concat()))
}

/// A column of every type of single values.
fn leaves() -> Vec<Field> {
    let microseconds = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    [
        ("s", DataType::Utf8),
        ("l", DataType::Int64),
        ("d", DataType::Float64),
        ("b", DataType::Boolean),
        ("i8", DataType::Int8),
        ("i16", DataType::Int16),
        ("i32", DataType::Int32),
        ("f", DataType::Float32),
        ("n", DataType::Decimal128(10, 2)),
        ("w", DataType::Decimal256(60, 20)),
        ("day", DataType::Date32),
        ("at", microseconds(Some("UTC"))),
        ("local", microseconds(None)),
        ("for", DataType::Duration(TimeUnit::Microsecond)),
        ("raw", DataType::Binary),
    ]
    .map(|(name, data_type)| Field::new(name, data_type, true))
    .to_vec()
}

/// Decodes values in one go; nothing if no row is left.
fn decode(fields: &[Field], values: &[&[u8]], options: PayloadOptions) -> Result<Option<RecordBatch>, ColumnarError> {
    decode_with(&mut decoder(fields, options)?, values)
}

fn decoder(fields: &[Field], options: PayloadOptions) -> Result<Decoder, ColumnarError> {
    Ok(Decoder::new(
        Projection::typed_with(schema(fields), &[], options)?,
        Limits::default(),
    ))
}

fn decode_with(decoder: &mut Decoder, values: &[&[u8]]) -> Result<Option<RecordBatch>, ColumnarError> {
    let mut builder = BatchBuilder::new(Vec::new());
    for value in values {
        builder.append(0, None, Some(value), &[])?;
    }
    let bytes = builder.finish(&Seal::default(), &mut Vec::new())?;
    let batch = BatchRef::parse(&bytes)?;
    let slice = RecordSlice {
        topic: "t",
        partition: 0,
        header: &batch.header,
        payload: batch.payload(),
        first_offset: 0,
        end_offset: i64::MAX,
        chosen: None,
    };
    let mut full = Vec::new();
    decoder.push(&slice, &mut full)?;
    assert!(full.is_empty(), "one batch is enough");
    decoder.finish()
}

/// Whatever the bytes are, each policy does what it says, and no row depends on another. Gives the rows, if there are
/// any, with which of them are good.
///
/// # Panics
/// If one of these rules is broken.
fn check_policies(fields: &[Field], values: &[&[u8]], options: &PayloadOptions) -> Option<(RecordBatch, Vec<bool>)> {
    let under = |bad_records: BadRecords, values: &[&[u8]]| {
        let options = PayloadOptions {
            bad_records,
            ..options.clone()
        };
        decode(fields, values, options)
    };
    let Ok(Some(rows)) = under(BadRecords::Null, values) else {
        assert!(values.is_empty(), "nulls are no error");
        return None;
    };
    assert_eq!(rows.num_rows(), values.len(), "a row for each value");
    let corrupt = rows.columns().last()?;
    let good: Vec<bool> = (0..values.len()).map(|row| corrupt.is_null(row)).collect();
    let kept = under(BadRecords::Drop, values).ok().flatten();
    assert_eq!(
        kept.as_ref().map_or(0, RecordBatch::num_rows),
        good.iter().filter(|good| **good).count(),
        "what does not fit is left out, and nothing else"
    );
    assert_eq!(
        under(BadRecords::Fail, values).is_ok(),
        good.iter().all(|good| *good),
        "what does not fit is an error, and nothing else"
    );
    // One decoder for all of them: what it was given before must make no difference either.
    let options = PayloadOptions {
        bad_records: BadRecords::Null,
        ..options.clone()
    };
    let mut decoder = decoder(fields, options).ok()?;
    for (row, value) in values.iter().enumerate() {
        let alone = decode_with(&mut decoder, &[value]).ok().flatten()?;
        assert_eq!(rows.slice(row, 1), alone, "a row depends on its value only");
    }
    Some((rows, good))
}

/// The fields as the fields of one struct.
fn nested(name: &str, fields: Vec<Field>) -> Field {
    Field::new(name, DataType::Struct(Fields::from(fields)), true)
}
