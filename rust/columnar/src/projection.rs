//! Which columns an Arrow batch has, and where each comes from.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use barnabas_records::RecordIter;

use crate::json::JsonOptions;
use crate::payload::{PayloadFormat, PayloadOptions};
use crate::{BadRecords, ColumnarError, RecordSlice, Result};

/// Deepest nesting of lists, maps and structs in a column's type.
pub(crate) const TYPE_NESTING_LIMIT: usize = 100;

/// A column that Kafka itself gives each record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RawColumn {
    /// The record's topic.
    Topic,
    /// The record's partition.
    Partition,
    /// The record's offset.
    Offset,
    /// Create time or log append time.
    Timestamp,
    /// Which of the two `Timestamp` is: 0 create time, 1 log append time.
    TimestampType,
    /// The record's key.
    Key,
    /// The record's value.
    Value,
    /// The record's headers.
    Headers,
}

/// Whose names and types the raw columns have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Names and types of spark-sql-kafka: timestamps in microseconds, no headers are null.
    Spark,
    /// The client's own: snake case, timestamps in Kafka's milliseconds, no headers are an empty list.
    Client,
}

impl RawColumn {
    /// All of them, in the order of the client's schema.
    pub const ALL: [Self; 8] = [
        Self::Topic,
        Self::Partition,
        Self::Offset,
        Self::Timestamp,
        Self::TimestampType,
        Self::Key,
        Self::Value,
        Self::Headers,
    ];

    /// The column's name.
    pub fn name(self, dialect: Dialect) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::Partition => "partition",
            Self::Offset => "offset",
            Self::Timestamp => "timestamp",
            Self::TimestampType => match dialect {
                Dialect::Spark => "timestampType",
                Dialect::Client => "timestamp_type",
            },
            Self::Key => "key",
            Self::Value => "value",
            Self::Headers => "headers",
        }
    }

    /// The column that has this name.
    pub fn from_name(name: &str, dialect: Dialect) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.name(dialect) == name)
    }

    /// The column's Arrow type.
    pub fn data_type(self, dialect: Dialect) -> DataType {
        match self {
            Self::Topic => DataType::Utf8,
            Self::Partition => DataType::Int32,
            Self::Offset => DataType::Int64,
            Self::Timestamp => DataType::Timestamp(time_unit(dialect), Some("UTC".into())),
            Self::TimestampType => match dialect {
                Dialect::Spark => DataType::Int32,
                Dialect::Client => DataType::Int8,
            },
            Self::Key | Self::Value => DataType::Binary,
            Self::Headers => DataType::List(Arc::new(Field::new(
                "element",
                DataType::Struct(Fields::from(vec![
                    Field::new("key", DataType::Utf8, true),
                    Field::new("value", DataType::Binary, true),
                ])),
                true,
            ))),
        }
    }
}

/// The unit of the timestamp column.
fn time_unit(dialect: Dialect) -> TimeUnit {
    match dialect {
        Dialect::Spark => TimeUnit::Microsecond,
        Dialect::Client => TimeUnit::Millisecond,
    }
}

/// Where one column of the Arrow batch comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From the record itself.
    Raw(RawColumn),
    /// From the field of that name in the record's payload.
    Payload,
    /// The payload itself, where it does not fit.
    Corrupt,
}

/// The columns of an Arrow batch: a schema and where each column comes from.
#[derive(Clone, Debug)]
pub struct Projection {
    schema: SchemaRef,
    origins: Vec<Origin>,
    dialect: Dialect,
    payload: Option<Arc<PayloadOptions>>,
}

impl Projection {
    /// The client's own schema: every raw column.
    pub fn client() -> Self {
        Self::of_columns(&RawColumn::ALL, Dialect::Client, false)
    }

    /// These raw columns, with the names and types of a dialect. With `views`, key and value are `binary_view`: they are
    /// not copied, and the buffers that were fetched live as long as the columns do.
    pub fn of_columns(columns: &[RawColumn], dialect: Dialect, views: bool) -> Self {
        let field = |column: &RawColumn| {
            let may_be_null = match dialect {
                Dialect::Spark => true,
                Dialect::Client => matches!(column, RawColumn::Key | RawColumn::Value | RawColumn::Timestamp),
            };
            let data_type = match column {
                RawColumn::Key | RawColumn::Value if views => DataType::BinaryView,
                _ => column.data_type(dialect),
            };
            Field::new(column.name(dialect), data_type, may_be_null)
        };
        Self {
            schema: Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>())),
            origins: columns.iter().map(|column| Origin::Raw(*column)).collect(),
            dialect,
            payload: None,
        }
    }

    /// Spark's raw columns, as many of them and in the order that `schema` names.
    ///
    /// # Errors
    /// A name that is no Kafka column, a type other than spark-sql-kafka's, or a column twice.
    pub fn raw(schema: SchemaRef) -> Result<Self> {
        Self::build(schema, None, Dialect::Spark, |_| true)
    }

    /// Typed columns from JSON values, with the options' defaults.
    ///
    /// # Errors
    /// As for [`Projection::typed`].
    pub fn json(schema: SchemaRef, raw_columns: &[String], bad_records: BadRecords) -> Result<Self> {
        Self::typed(
            schema,
            raw_columns,
            PayloadFormat::Json(JsonOptions::default()),
            bad_records,
        )
    }

    /// Typed columns from values of a format; the columns that `raw_columns` names come from the record itself.
    ///
    /// # Errors
    /// As for [`Projection::typed_with`].
    pub fn typed(
        schema: SchemaRef,
        raw_columns: &[String],
        format: PayloadFormat,
        bad_records: BadRecords,
    ) -> Result<Self> {
        let options = PayloadOptions {
            bad_records,
            ..PayloadOptions::new(format)
        };
        Self::typed_with(schema, raw_columns, options)
    }

    /// Typed columns from values or keys; the columns that `raw_columns` names come from the record itself.
    ///
    /// # Errors
    /// As for [`Projection::raw`], and a type that the format cannot be decoded to.
    pub fn typed_with(schema: SchemaRef, raw_columns: &[String], options: PayloadOptions) -> Result<Self> {
        Self::typed_in(schema, raw_columns, options, Dialect::Spark)
    }

    /// As [`Projection::typed_with`], the raw columns with the names and types of a dialect. In [`Dialect::Client`] key
    /// and value may be `binary_view`.
    ///
    /// # Errors
    /// As for [`Projection::typed_with`].
    pub fn typed_in(
        schema: SchemaRef,
        raw_columns: &[String],
        options: PayloadOptions,
        dialect: Dialect,
    ) -> Result<Self> {
        let is_raw = |name: &str| raw_columns.iter().any(|raw| raw == name);
        Self::build(schema, Some(options), dialect, is_raw)
    }

    fn build(
        schema: SchemaRef,
        payload: Option<PayloadOptions>,
        dialect: Dialect,
        is_raw: impl Fn(&str) -> bool,
    ) -> Result<Self> {
        let mut origins = Vec::with_capacity(schema.fields().len());
        let mut typed = Vec::new();
        for (index, field) in schema.fields().iter().enumerate() {
            let mut earlier = schema.fields().iter().take(index);
            if earlier.any(|earlier| earlier.name() == field.name()) {
                return Err(ColumnarError::DuplicateColumn(field.name().clone()));
            }
            origins.push(match &payload {
                Some(options) if !is_raw(field.name()) => {
                    if options.is_corrupt_record(field) {
                        Origin::Corrupt
                    } else {
                        if nests_deeper(field.data_type(), TYPE_NESTING_LIMIT) {
                            return Err(unsupported(field, "anything: it is nested too deeply"));
                        }
                        typed.push(field.as_ref());
                        Origin::Payload
                    }
                }
                _ => raw_origin(field, dialect)?,
            });
        }
        if let Some(options) = &payload {
            options.check(&typed)?;
        }
        Ok(Self {
            schema,
            origins,
            dialect,
            payload: payload.map(Arc::new),
        })
    }

    /// The schema of the Arrow batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Whose names and types the raw columns have.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// How the typed columns are made, if there may be some.
    pub fn payload(&self) -> Option<&PayloadOptions> {
        self.payload.as_deref()
    }

    /// The ids of schemas that these records name and that were not told: see [`PayloadOptions::missing_schemas`]. Records
    /// that are broken name none; decoding says so.
    pub fn missing_schemas(&self, slice: &RecordSlice<'_>) -> Vec<u32> {
        let Some(payload) = self.payload().filter(|_| !slice.header.is_control()) else {
            return Vec::new();
        };
        let records = RecordIter::new(slice.header, slice.payload).map_while(std::result::Result::ok);
        payload.missing_schemas(records.filter(|record| slice.wants(record.offset)))
    }

    /// Where each column comes from, in the schema's order.
    pub(crate) fn origins(&self) -> &[Origin] {
        &self.origins
    }
}

fn raw_origin(field: &Field, dialect: Dialect) -> Result<Origin> {
    let column = RawColumn::from_name(field.name(), dialect)
        .ok_or_else(|| ColumnarError::UnknownColumn(field.name().clone()))?;
    let may_be_views = dialect == Dialect::Client && matches!(column, RawColumn::Key | RawColumn::Value);
    if column.data_type(dialect).equals_datatype(field.data_type())
        || (may_be_views && *field.data_type() == DataType::BinaryView)
    {
        return Ok(Origin::Raw(column));
    }
    Err(unsupported(field, "this Kafka column"))
}

/// Whether a type has more than `limit` levels; looks no deeper than that.
fn nests_deeper(data_type: &DataType, limit: usize) -> bool {
    let Some(below) = limit.checked_sub(1) else { return true };
    match data_type {
        DataType::Struct(fields) => fields.iter().any(|field| nests_deeper(field.data_type(), below)),
        DataType::List(element) | DataType::Map(element, _) => nests_deeper(element.data_type(), below),
        _ => false,
    }
}

/// A column that cannot be decoded from this.
pub(crate) fn unsupported(field: &Field, from: &'static str) -> ColumnarError {
    ColumnarError::UnsupportedType {
        column: field.name().clone(),
        data_type: field.data_type().clone(),
        from,
    }
}
