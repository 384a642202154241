//! Columns of numbers: a record's partition and its time.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use barnabas_records::NO_TIMESTAMP;

use crate::{ColumnarError, Result};

/// Whole numbers, or nothing, for each row.
#[derive(Debug)]
pub(super) struct Numbers {
    pub(super) values: ScalarBuffer<i64>,
    pub(super) nulls: Option<NullBuffer>,
}

impl Numbers {
    #[inline]
    fn get(&self, row: usize) -> Option<i64> {
        if let Some(nulls) = &self.nulls
            && (row >= nulls.len() || nulls.is_null(row))
        {
            return None;
        }
        self.values.get(row).copied()
    }
}

/// The partition of each row; nothing where the producer is to choose.
#[derive(Debug)]
pub(crate) struct Partitions(pub(super) Numbers);

impl Partitions {
    /// # Errors
    /// The type is no integer's.
    pub(crate) fn new(name: &str, array: &ArrayRef) -> Result<Self> {
        let values = match array.data_type() {
            DataType::Int8 => widened::<Int8Type>(array),
            DataType::Int16 => widened::<Int16Type>(array),
            DataType::Int32 => widened::<Int32Type>(array),
            DataType::Int64 => widened::<Int64Type>(array),
            DataType::UInt8 => widened::<UInt8Type>(array),
            DataType::UInt16 => widened::<UInt16Type>(array),
            DataType::UInt32 => widened::<UInt32Type>(array),
            DataType::UInt64 => {
                // What passes 63 bits is no partition: it becomes one that is refused.
                let wide = array.as_primitive::<UInt64Type>().values();
                wide.iter().map(|value| i64::try_from(*value).unwrap_or(-1)).collect()
            }
            DataType::Null => return Ok(Self(nothing(array.len()))),
            other => return Err(mistyped(name, other, "whole numbers")),
        };
        Ok(Self(Numbers {
            values,
            nulls: array.nulls().cloned(),
        }))
    }

    /// # Errors
    /// The number is no partition.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Result<Option<i32>> {
        let Some(value) = self.0.get(row) else { return Ok(None) };
        match i32::try_from(value) {
            Ok(partition) if partition >= 0 => Ok(Some(partition)),
            _ => Err(ColumnarError::InvalidRow {
                column: "partition".to_owned(),
                row,
                reason: "a partition is a number from 0 to 2147483647",
            }),
        }
    }
}

/// How a column counts time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

/// The time of each row in Kafka's milliseconds; nothing where the column has null.
#[derive(Debug)]
pub(crate) struct Timestamps {
    pub(super) numbers: Numbers,
    pub(super) unit: Unit,
}

impl Timestamps {
    /// # Errors
    /// The type is neither a timestamp's nor a 64-bit integer's (milliseconds).
    pub(crate) fn new(name: &str, array: &ArrayRef) -> Result<Self> {
        let (values, unit) = match array.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => (plain::<TimestampSecondType>(array), Unit::Seconds),
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                (plain::<TimestampMillisecondType>(array), Unit::Milliseconds)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                (plain::<TimestampMicrosecondType>(array), Unit::Microseconds)
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                (plain::<TimestampNanosecondType>(array), Unit::Nanoseconds)
            }
            DataType::Int64 => (plain::<Int64Type>(array), Unit::Milliseconds),
            DataType::Null => {
                return Ok(Self {
                    numbers: nothing(array.len()),
                    unit: Unit::Milliseconds,
                });
            }
            other => return Err(mistyped(name, other, "timestamps or 64-bit milliseconds")),
        };
        let nulls = array.nulls().cloned();
        Ok(Self {
            numbers: Numbers { values, nulls },
            unit,
        })
    }

    /// Milliseconds since the epoch; smaller units are rounded down.
    ///
    /// # Errors
    /// The time is before 1970, which Kafka has no way to write, or passes 64-bit milliseconds.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Result<Option<i64>> {
        let Some(value) = self.numbers.get(row) else {
            return Ok(None);
        };
        let milliseconds = match self.unit {
            Unit::Seconds => value.checked_mul(1000),
            Unit::Milliseconds => Some(value),
            Unit::Microseconds => Some(value.div_euclid(1000)),
            Unit::Nanoseconds => Some(value.div_euclid(1_000_000)),
        };
        match milliseconds {
            Some(milliseconds) if milliseconds >= NO_TIMESTAMP => Ok(Some(milliseconds)),
            _ => Err(ColumnarError::InvalidRow {
                column: "timestamp".to_owned(),
                row,
                reason: "Kafka's timestamps are milliseconds from 1970 on (-1 for none)",
            }),
        }
    }
}

fn plain<T: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef) -> ScalarBuffer<i64> {
    array.as_primitive::<T>().values().clone()
}

fn widened<T: ArrowPrimitiveType>(array: &ArrayRef) -> ScalarBuffer<i64>
where
    i64: From<T::Native>,
{
    let values = array.as_primitive::<T>().values();
    values.iter().map(|value| i64::from(*value)).collect()
}

fn nothing(rows: usize) -> Numbers {
    Numbers {
        values: ScalarBuffer::from(Vec::new()),
        nulls: Some(NullBuffer::new_null(rows)),
    }
}

fn mistyped(name: &str, data_type: &DataType, wanted: &'static str) -> ColumnarError {
    ColumnarError::MistypedColumn {
        column: name.to_owned(),
        data_type: data_type.clone(),
        wanted,
    }
}
