//! Avro schemas from Arrow schemas, as Spark's `to_avro` makes them.

use std::fmt::Write as _;

use arrow_schema::{DataType, Field, IntervalUnit, Schema as ArrowSchema, TimeUnit};

use super::schema::{SCHEMA_DEPTH_LIMIT, decimal_bytes};
use super::text::write_text;
use crate::{ColumnarError, Result};

/// The name of the record that rows are.
const TOP_LEVEL_RECORD: &str = "topLevelRecord";

/// The text of the Avro schema that follows from columns: a record of the name `topLevelRecord`, nullable columns as
/// unions of their type and null. Types are those that Spark's `SchemaConverters.toAvroType` gives; what Spark does not
/// have (unsigned numbers, times, units other than microseconds, intervals) gets the Avro type of the same meaning.
///
/// # Errors
/// A column that Avro has no type for.
pub fn schema_text(columns: &ArrowSchema) -> Result<String> {
    let mut writer = Writer { text: String::new() };
    writer.record(TOP_LEVEL_RECORD, "", columns.fields(), 0)?;
    Ok(writer.text)
}

struct Writer {
    text: String,
}

impl Writer {
    /// A record whose fields' own records are named after the fields, in a namespace that is the record's full name.
    fn record(&mut self, name: &str, namespace: &str, fields: &arrow_schema::Fields, depth: usize) -> Result<()> {
        self.text.push_str("{\"type\":\"record\",\"name\":");
        write_text(name, &mut self.text);
        if !namespace.is_empty() {
            self.text.push_str(",\"namespace\":");
            write_text(namespace, &mut self.text);
        }
        self.text.push_str(",\"fields\":[");
        let inner = if namespace.is_empty() {
            name.to_owned()
        } else {
            format!("{namespace}.{name}")
        };
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            self.text.push_str("{\"name\":");
            write_text(field.name(), &mut self.text);
            self.text.push_str(",\"type\":");
            self.nullable(field, field.name(), &inner, depth.saturating_add(1))?;
            self.text.push('}');
        }
        self.text.push_str("]}");
        Ok(())
    }

    fn nullable(&mut self, field: &Field, name: &str, namespace: &str, depth: usize) -> Result<()> {
        if depth > SCHEMA_DEPTH_LIMIT {
            return Err(unsupported(field));
        }
        let nullable = field.is_nullable() && *field.data_type() != DataType::Null;
        if nullable {
            self.text.push('[');
        }
        self.value(field, name, namespace, depth)?;
        if nullable {
            self.text.push_str(",\"null\"]");
        }
        Ok(())
    }

    fn value(&mut self, field: &Field, name: &str, namespace: &str, depth: usize) -> Result<()> {
        let inner = depth.saturating_add(1);
        match field.data_type() {
            DataType::Struct(fields) => return self.record(name, namespace, fields, inner),
            DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
                self.text.push_str("{\"type\":\"array\",\"items\":");
                self.nullable(element, name, namespace, inner)?;
                self.text.push('}');
            }
            DataType::Map(entries, _) => {
                let Some((_, value)) = super::column::entry_fields(entries) else {
                    return Err(unsupported(field));
                };
                self.text.push_str("{\"type\":\"map\",\"values\":");
                self.nullable(value, name, namespace, inner)?;
                self.text.push('}');
            }
            DataType::Decimal128(precision, scale) if *scale >= 0 => {
                let size = decimal_bytes((*precision).into());
                self.fixed("fixed", &format!("{namespace}.{name}"), size);
                let _ = write!(
                    self.text,
                    ",\"logicalType\":\"decimal\",\"precision\":{precision},\"scale\":{scale}}}"
                );
            }
            DataType::FixedSizeBinary(width) => {
                self.fixed(
                    "fixed",
                    &format!("{namespace}.{name}"),
                    usize::try_from(*width).unwrap_or(0),
                );
                self.text.push('}');
            }
            DataType::Interval(IntervalUnit::MonthDayNano) => {
                self.fixed("duration", &format!("{namespace}.{name}"), 12);
                self.text.push_str(",\"logicalType\":\"duration\"}");
            }
            DataType::Dictionary(_, values) => {
                let values = Field::new(field.name(), values.as_ref().clone(), false);
                return self.value(&values, name, namespace, inner);
            }
            other => match leaf(other) {
                Some((word, None)) => write_text(word, &mut self.text),
                Some((word, Some(logical))) => {
                    let _ = write!(self.text, "{{\"type\":\"{word}\",\"logicalType\":\"{logical}\"}}");
                }
                None => return Err(unsupported(field)),
            },
        }
        Ok(())
    }

    /// An open fixed; the closing brace is left to the caller.
    fn fixed(&mut self, name: &str, namespace: &str, size: usize) {
        self.text.push_str("{\"type\":\"fixed\",\"name\":");
        write_text(name, &mut self.text);
        self.text.push_str(",\"namespace\":");
        write_text(namespace, &mut self.text);
        let _ = write!(self.text, ",\"size\":{size}");
    }
}

fn unsupported(field: &Field) -> ColumnarError {
    ColumnarError::AvroMismatch {
        path: field.name().clone(),
        reason: format!("Avro has no type for a column of type {}", field.data_type()),
    }
}

/// The type and the logical type of values that hold no others.
fn leaf(data_type: &DataType) -> Option<(&'static str, Option<&'static str>)> {
    Some(match data_type {
        DataType::Null => ("null", None),
        DataType::Boolean => ("boolean", None),
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 => ("int", None),
        DataType::Int64 | DataType::UInt32 | DataType::UInt64 => ("long", None),
        DataType::Float32 => ("float", None),
        DataType::Float64 => ("double", None),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ("string", None),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => ("bytes", None),
        DataType::Date32 => ("int", Some("date")),
        DataType::Time32(_) => ("int", Some("time-millis")),
        DataType::Time64(_) => ("long", Some("time-micros")),
        DataType::Timestamp(TimeUnit::Second | TimeUnit::Millisecond, Some(_)) => ("long", Some("timestamp-millis")),
        DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => ("long", Some("timestamp-micros")),
        DataType::Timestamp(TimeUnit::Nanosecond, Some(_)) => ("long", Some("timestamp-nanos")),
        DataType::Timestamp(TimeUnit::Second | TimeUnit::Millisecond, None) => ("long", Some("local-timestamp-millis")),
        DataType::Timestamp(TimeUnit::Microsecond, None) => ("long", Some("local-timestamp-micros")),
        DataType::Timestamp(TimeUnit::Nanosecond, None) => ("long", Some("local-timestamp-nanos")),
        _ => return None,
    })
}
