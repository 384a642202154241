//! What can go wrong between a record batch and an Arrow batch.

use arrow_schema::{ArrowError, DataType};
use barnabas_records::RecordsError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnarError {
    /// A record batch that does not hold what its header says.
    #[error("{topic}-{partition}: batch at offset {base_offset}: {source}")]
    Records {
        /// Topic of the batch.
        topic: String,
        /// Partition of the batch.
        partition: i32,
        /// First offset of the batch.
        base_offset: i64,
        /// What is wrong with it.
        source: RecordsError,
    },
    /// A value that does not fit the schema, under [`crate::BadRecords::Fail`].
    #[error("{topic}-{partition} at offset {offset}: {reason}; mode PERMISSIVE gives nulls instead")]
    BadRecord {
        /// Topic of the record.
        topic: String,
        /// Partition of the record.
        partition: i32,
        /// Offset of the record.
        offset: i64,
        /// What is wrong with its value.
        reason: String,
    },
    /// A value that columns cannot be inferred from, under [`crate::BadRecords::Fail`].
    #[error("value {index}: {reason}")]
    NotInferred {
        /// Which of the values, from 0 on.
        index: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A format whose values do not name their columns.
    #[error("columns are inferred from JSON only, not from {0}")]
    InferredFormat(String),
    /// A column of the schema has a type that cannot be decoded.
    #[error("column {column:?}: type {data_type} cannot be decoded from {from}")]
    UnsupportedType {
        /// Name of the column.
        column: String,
        /// The type asked for.
        data_type: DataType,
        /// What it would be decoded from.
        from: &'static str,
    },
    /// A format that there is not.
    #[error("unknown format {0:?} (json, avro, csv, text)")]
    UnknownFormat(String),
    /// An option that the format does not have.
    #[error("format {format}: unknown option {option:?} (known: {known})")]
    UnknownOption {
        /// The format.
        format: String,
        /// Name of the option.
        option: String,
        /// The names that the format knows.
        known: String,
    },
    /// An option with a value that it cannot have.
    #[error("option {option}={value:?}: {expected}")]
    InvalidOption {
        /// Name of the option.
        option: String,
        /// The value given.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// A text that is no Avro schema, or a schema that Arrow columns cannot be made from.
    #[error("Avro schema, at {at:?}: {reason}")]
    AvroSchema {
        /// Where: a place in the text, or a name.
        at: String,
        /// What is wrong.
        reason: String,
    },
    /// A column that cannot be read from, or written with, an Avro schema.
    #[error("field {path:?}: {reason}")]
    AvroMismatch {
        /// The fields around it and its own, with dots between them.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A row that cannot be written with an Avro schema.
    #[error("row {row}, field {path:?}: {reason}")]
    AvroRow {
        /// The row in its Arrow batch.
        row: usize,
        /// The fields around it and its own, with dots between them.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A schema in a registry that could not be had.
    #[error("schema {id}: {reason}")]
    SchemaUnresolved {
        /// The schema's id in the registry.
        id: u32,
        /// Why not.
        reason: String,
    },
    /// A name that is no Kafka column.
    #[error("{0:?} is not a Kafka column (key, value, topic, partition, offset, timestamp, timestampType, headers)")]
    UnknownColumn(String),
    /// The same column twice.
    #[error("column {0:?} appears twice")]
    DuplicateColumn(String),
    /// A column of a table that is to be written, of a type that is not bytes.
    #[error(
        "column {column:?} of type {data_type} cannot be written as bytes: it must be binary or string (also large, view, \
         fixed-size or a dictionary of these); encode_json() and encode_avro() make bytes of other columns"
    )]
    NotBytes {
        /// Name of the column.
        column: String,
        /// Its type.
        data_type: DataType,
    },
    /// A column of a table that is to be written, of a type that this column cannot have.
    #[error("column {column:?} is of type {data_type}, it must have {wanted}")]
    MistypedColumn {
        /// Name of the column.
        column: String,
        /// Its type.
        data_type: DataType,
        /// What it must have.
        wanted: &'static str,
    },
    /// A column that a record has no place for.
    #[error(
        "column {0:?} has no place in a record (value, key, headers, topic, partition, timestamp); encode_json() and \
         encode_avro() make one value of several columns"
    )]
    NotWritable(String),
    /// A table to be written that has no values.
    #[error("the table has no column \"value\"; encode_json() and encode_avro() make one of other columns")]
    NoValueColumn,
    /// A cell that cannot be written.
    #[error("column {column:?}, row {row}: {reason}")]
    InvalidRow {
        /// Name of the column.
        column: String,
        /// The row in its Arrow batch.
        row: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A row that the record format refuses.
    #[error("the rows cannot be a record batch: {0}")]
    Unwritable(#[from] RecordsError),
    /// A table that names more topics and partitions than one call writes to.
    #[error("the table names more than {limit} partitions")]
    TooManyTargets {
        /// The limit.
        limit: usize,
    },
    /// One record whose column does not fit 32-bit offsets.
    #[error("one record needs more than 2 GiB in an Arrow column")]
    ColumnTooLarge,
    /// Arrow refused the columns, for example a null in a column declared as never null.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}
