//! Columns of single values, and what any text format converts to them.
//!
//! A [`Leaf`] is a growing column of one type; a [`Source`] is one value of some format, which converts itself to
//! what the column asks for. Nothing here knows of a format's syntax.

pub(crate) mod duration;
pub(crate) mod number;
pub(crate) mod pattern;
pub(crate) mod time;

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Decimal256Type, DurationMicrosecondType, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type,
};
use arrow_array::{
    ArrayRef, BooleanArray, PrimitiveArray, TimestampMicrosecondArray, TimestampMillisecondArray,
    TimestampNanosecondArray, TimestampSecondArray,
};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer, NullBufferBuilder, ScalarBuffer, i256};
use arrow_schema::{DataType, TimeUnit};

use crate::builder::BytesBuilder;
use crate::pool::Element;
use crate::{Result, pool};

/// One value of a format that is not null.
pub(crate) trait Source {
    /// A truth value.
    fn boolean(&self) -> Option<bool>;
    /// A whole number of eight bits.
    fn byte(&self) -> Option<i8>;
    /// A whole number.
    fn integer(&self) -> Option<i64>;
    /// A single-precision number.
    fn float(&self) -> Option<f32>;
    /// A double-precision number.
    fn double(&self) -> Option<f64>;
    /// The unscaled value of a decimal.
    fn decimal<T: number::Unscaled>(&self, precision: u8, scale: i8) -> Option<T>;
    /// Days since the epoch.
    fn date(&self) -> Option<i32>;
    /// Microseconds since the epoch.
    fn timestamp(&self) -> Option<i64>;
    /// Microseconds since the epoch of a date and time without a zone.
    fn local_timestamp(&self) -> Option<i64>;
    /// Microseconds of a day-time interval.
    fn duration(&self) -> Option<i64>;
    /// Appends the characters to the data, without ending the row; false if it is no text.
    fn text(&self, data: &mut Vec<u8>) -> bool;
    /// Appends the bytes to the data, without ending the row; false if they cannot be had.
    fn binary(&self, data: &mut Vec<u8>) -> bool;
}

/// A growing column of single values.
#[derive(Debug)]
pub(crate) enum Leaf {
    Boolean(Booleans),
    Int8(Numbers<Int8Type>),
    Int16(Numbers<Int16Type>),
    Int32(Numbers<Int32Type>),
    Int64(Numbers<Int64Type>),
    Float32(Numbers<Float32Type>),
    Float64(Numbers<Float64Type>),
    Decimal128(Numbers<Decimal128Type>, u8, i8),
    Decimal256(Numbers<Decimal256Type>, u8, i8),
    Date(Numbers<Date32Type>),
    Timestamp(Timestamps),
    LocalTimestamp(Timestamps),
    Duration(Numbers<DurationMicrosecondType>),
    Text(BytesBuilder),
    Binary(BytesBuilder),
}

impl Leaf {
    /// A column of this type; nothing if there is none.
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Boolean => Self::Boolean(Booleans::new()),
            DataType::Int8 => Self::Int8(Numbers::new()),
            DataType::Int16 => Self::Int16(Numbers::new()),
            DataType::Int32 => Self::Int32(Numbers::new()),
            DataType::Int64 => Self::Int64(Numbers::new()),
            DataType::Float32 => Self::Float32(Numbers::new()),
            DataType::Float64 => Self::Float64(Numbers::new()),
            DataType::Decimal128(precision, scale) => Self::Decimal128(Numbers::new(), *precision, *scale),
            DataType::Decimal256(precision, scale) => Self::Decimal256(Numbers::new(), *precision, *scale),
            DataType::Date32 => Self::Date(Numbers::new()),
            DataType::Timestamp(unit, zone @ Some(_)) => Self::Timestamp(Timestamps::new(*unit, zone.clone())),
            DataType::Timestamp(unit, None) => Self::LocalTimestamp(Timestamps::new(*unit, None)),
            DataType::Duration(TimeUnit::Microsecond) => Self::Duration(Numbers::new()),
            DataType::Utf8 => Self::Text(BytesBuilder::new()),
            DataType::Binary => Self::Binary(BytesBuilder::new()),
            _ => return None,
        })
    }

    /// Appends a value, or null if it does not fit; says whether it did.
    #[inline]
    pub(crate) fn push<S: Source>(&mut self, source: &S) -> Result<bool> {
        Ok(match self {
            Self::Boolean(column) => column.push(source.boolean()),
            Self::Int8(column) => column.push(source.byte()),
            Self::Int16(column) => column.push(source.integer().and_then(|value| value.try_into().ok())),
            Self::Int32(column) => column.push(source.integer().and_then(|value| value.try_into().ok())),
            Self::Int64(column) => column.push(source.integer()),
            Self::Float32(column) => column.push(source.float()),
            Self::Float64(column) => column.push(source.double()),
            Self::Decimal128(column, precision, scale) => column.push(source.decimal::<i128>(*precision, *scale)),
            Self::Decimal256(column, precision, scale) => column.push(source.decimal::<i256>(*precision, *scale)),
            Self::Date(column) => column.push(source.date()),
            Self::Timestamp(column) => column.push(source.timestamp()),
            Self::LocalTimestamp(column) => column.push(source.local_timestamp()),
            Self::Duration(column) => column.push(source.duration()),
            Self::Text(builder) => {
                let is_text = source.text(builder.data_mut());
                builder.seal(is_text)?;
                is_text
            }
            Self::Binary(builder) => {
                let before = builder.data_mut().len();
                let fits = source.binary(builder.data_mut());
                if !fits {
                    builder.data_mut().truncate(before);
                }
                builder.seal(fits)?;
                fits
            }
        })
    }

    /// Appends a null.
    pub(crate) fn push_null(&mut self) -> Result<()> {
        match self {
            Self::Boolean(column) => {
                column.push(None);
            }
            Self::Int8(column) => column.push_null(),
            Self::Int16(column) => column.push_null(),
            Self::Int32(column) => column.push_null(),
            Self::Int64(column) => column.push_null(),
            Self::Float32(column) => column.push_null(),
            Self::Float64(column) => column.push_null(),
            Self::Decimal128(column, ..) => column.push_null(),
            Self::Decimal256(column, ..) => column.push_null(),
            Self::Date(column) => column.push_null(),
            Self::Timestamp(column) | Self::LocalTimestamp(column) => column.push_null(),
            Self::Duration(column) => column.push_null(),
            Self::Text(builder) | Self::Binary(builder) => builder.push(None)?,
        }
        Ok(())
    }

    /// The column's array; the column is empty again.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        Ok(match self {
            Self::Boolean(column) => Arc::new(column.finish()),
            Self::Int8(column) => Arc::new(column.finish()?),
            Self::Int16(column) => Arc::new(column.finish()?),
            Self::Int32(column) => Arc::new(column.finish()?),
            Self::Int64(column) => Arc::new(column.finish()?),
            Self::Float32(column) => Arc::new(column.finish()?),
            Self::Float64(column) => Arc::new(column.finish()?),
            Self::Decimal128(column, precision, scale) => {
                Arc::new(column.finish()?.with_precision_and_scale(*precision, *scale)?)
            }
            Self::Decimal256(column, precision, scale) => {
                Arc::new(column.finish()?.with_precision_and_scale(*precision, *scale)?)
            }
            Self::Date(column) => Arc::new(column.finish()?),
            Self::Timestamp(column) | Self::LocalTimestamp(column) => column.finish()?,
            Self::Duration(column) => Arc::new(column.finish()?),
            Self::Text(builder) => builder.finish_string()?,
            Self::Binary(builder) => builder.finish_binary()?,
        })
    }

    /// Makes room before the first row of a batch: for this many rows, and as many bytes if it is a column of bytes.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        match self {
            Self::Boolean(_) => {}
            Self::Int8(column) => column.reserve(rows),
            Self::Int16(column) => column.reserve(rows),
            Self::Int32(column) => column.reserve(rows),
            Self::Int64(column) => column.reserve(rows),
            Self::Float32(column) => column.reserve(rows),
            Self::Float64(column) => column.reserve(rows),
            Self::Decimal128(column, ..) => column.reserve(rows),
            Self::Decimal256(column, ..) => column.reserve(rows),
            Self::Date(column) => column.reserve(rows),
            Self::Timestamp(column) | Self::LocalTimestamp(column) => column.values.reserve(rows),
            Self::Duration(column) => column.reserve(rows),
            Self::Text(builder) | Self::Binary(builder) => builder.reserve(rows, bytes),
        }
    }

    /// Takes back what was appended after the first `rows` rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        match self {
            Self::Boolean(column) => column.truncate(rows),
            Self::Int8(column) => column.truncate(rows),
            Self::Int16(column) => column.truncate(rows),
            Self::Int32(column) => column.truncate(rows),
            Self::Int64(column) => column.truncate(rows),
            Self::Float32(column) => column.truncate(rows),
            Self::Float64(column) => column.truncate(rows),
            Self::Decimal128(column, ..) => column.truncate(rows),
            Self::Decimal256(column, ..) => column.truncate(rows),
            Self::Date(column) => column.truncate(rows),
            Self::Timestamp(column) | Self::LocalTimestamp(column) => column.values.truncate(rows),
            Self::Duration(column) => column.truncate(rows),
            Self::Text(builder) | Self::Binary(builder) => builder.truncate(rows),
        }
    }
}

/// Truth values.
#[derive(Debug)]
pub(crate) struct Booleans {
    values: BooleanBufferBuilder,
    nulls: NullBufferBuilder,
}

impl Booleans {
    fn new() -> Self {
        Self {
            values: BooleanBufferBuilder::new(0),
            nulls: NullBufferBuilder::new(0),
        }
    }

    /// Appends a value or a null; says whether it was a value.
    #[inline]
    pub(crate) fn push(&mut self, value: Option<bool>) -> bool {
        self.values.append(value.unwrap_or_default());
        self.nulls.append(value.is_some());
        value.is_some()
    }

    fn truncate(&mut self, rows: usize) {
        self.values.truncate(rows);
        self.nulls.truncate(rows);
    }

    fn finish(&mut self) -> BooleanArray {
        BooleanArray::new(self.values.finish(), self.nulls.finish())
    }
}

/// Values of a fixed width. Their buffers are on loan from the pool.
#[derive(Debug)]
pub(crate) struct Numbers<T: ArrowPrimitiveType> {
    values: Vec<T::Native>,
    nulls: NullBufferBuilder,
}

impl<T: ArrowPrimitiveType<Native: Element>> Numbers<T> {
    pub(crate) fn new() -> Self {
        Self {
            values: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }

    /// Appends a value or a null; says whether it was a value.
    #[inline]
    pub(crate) fn push(&mut self, value: Option<T::Native>) -> bool {
        if let Some(value) = value {
            self.values.push(value);
            self.nulls.append_non_null();
            return true;
        }
        self.push_null();
        false
    }

    /// Appends a null.
    pub(crate) fn push_null(&mut self) {
        self.values.push(T::Native::default());
        self.nulls.append_null();
    }

    /// Makes room before the first row of a batch.
    fn reserve(&mut self, rows: usize) {
        if self.values.is_empty() && self.values.capacity() < rows {
            pool::give(std::mem::replace(&mut self.values, pool::take(rows)));
        }
    }

    fn truncate(&mut self, rows: usize) {
        self.values.truncate(rows);
        self.nulls.truncate(rows);
    }

    /// Values and nulls; empty again.
    fn take(&mut self) -> (ScalarBuffer<T::Native>, Option<NullBuffer>) {
        let values = std::mem::take(&mut self.values);
        (pool::lend_scalars(values), self.nulls.finish())
    }

    /// The array; empty again.
    pub(crate) fn finish(&mut self) -> Result<PrimitiveArray<T>> {
        let (values, nulls) = self.take();
        Ok(PrimitiveArray::try_new(values, nulls)?)
    }
}

/// Points in time, given in microseconds and kept in the column's unit.
#[derive(Debug)]
pub(crate) struct Timestamps {
    unit: TimeUnit,
    zone: Option<Arc<str>>,
    values: Numbers<Int64Type>,
}

impl Timestamps {
    fn new(unit: TimeUnit, zone: Option<Arc<str>>) -> Self {
        Self {
            unit,
            zone,
            values: Numbers::new(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, micros: Option<i64>) -> bool {
        let value = match self.unit {
            TimeUnit::Microsecond => micros,
            TimeUnit::Millisecond => micros.map(|micros| micros.div_euclid(1_000)),
            TimeUnit::Second => micros.map(|micros| micros.div_euclid(1_000_000)),
            TimeUnit::Nanosecond => micros.and_then(|micros| micros.checked_mul(1_000)),
        };
        self.values.push(value)
    }

    fn push_null(&mut self) {
        self.values.push_null();
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let (values, nulls) = self.values.take();
        let zone = self.zone.clone();
        Ok(match self.unit {
            TimeUnit::Second => Arc::new(TimestampSecondArray::try_new(values, nulls)?.with_timezone_opt(zone)),
            TimeUnit::Millisecond => {
                Arc::new(TimestampMillisecondArray::try_new(values, nulls)?.with_timezone_opt(zone))
            }
            TimeUnit::Microsecond => {
                Arc::new(TimestampMicrosecondArray::try_new(values, nulls)?.with_timezone_opt(zone))
            }
            TimeUnit::Nanosecond => Arc::new(TimestampNanosecondArray::try_new(values, nulls)?.with_timezone_opt(zone)),
        })
    }
}
