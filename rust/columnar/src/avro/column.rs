//! Columns under construction. A row that turns out to be broken half-way is taken back by cutting every column to
//! the rows before it, so the way of a good row keeps no books.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, Time32MillisecondType, Time64MicrosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, ListArray, MapArray, NullArray, PrimitiveArray,
    StringArray, StructArray,
};
use arrow_buffer::{BooleanBufferBuilder, Buffer, IntervalMonthDayNano, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit};

use super::cursor::{Fault, Read};
use super::schema::SCHEMA_DEPTH_LIMIT;
use crate::pool::Element;
use crate::{ColumnarError, Result, pool};

/// Widest fixed-size binary column: a null takes as many bytes as a value.
pub const FIXED_WIDTH_LIMIT: usize = 1 << 16;

/// A column by what it stores.
#[derive(Debug)]
pub(crate) enum Column {
    Null(usize),
    Boolean(Booleans),
    Int8(Numbers<i8>),
    Int16(Numbers<i16>),
    Int32(Numbers<i32>),
    Int64(Numbers<i64>),
    Float32(Numbers<f32>),
    Float64(Numbers<f64>),
    Decimal(Numbers<i128>),
    Interval(Numbers<IntervalMonthDayNano>),
    Bytes(Bytes),
    Fixed(FixedBytes),
    Struct(Box<Structs>),
    List(Box<Lists>),
    Map(Box<Lists>),
}

impl Column {
    /// An empty column of this type; nothing if the type is not supported, or nested deeper than
    /// [`SCHEMA_DEPTH_LIMIT`].
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        Self::nested(data_type, 0)
    }

    fn nested(data_type: &DataType, depth: usize) -> Option<Self> {
        if depth > SCHEMA_DEPTH_LIMIT {
            return None;
        }
        let inner = depth.saturating_add(1);
        Some(match data_type {
            DataType::Null => Self::Null(0),
            DataType::Boolean => Self::Boolean(Booleans::new()),
            DataType::Int8 => Self::Int8(Numbers::new()),
            DataType::Int16 => Self::Int16(Numbers::new()),
            DataType::Int32 | DataType::Date32 | DataType::Time32(TimeUnit::Millisecond) => Self::Int32(Numbers::new()),
            DataType::Int64 | DataType::Time64(TimeUnit::Microsecond) => Self::Int64(Numbers::new()),
            DataType::Timestamp(TimeUnit::Millisecond | TimeUnit::Microsecond | TimeUnit::Nanosecond, _) => {
                Self::Int64(Numbers::new())
            }
            DataType::Float32 => Self::Float32(Numbers::new()),
            DataType::Float64 => Self::Float64(Numbers::new()),
            DataType::Decimal128(..) => Self::Decimal(Numbers::new()),
            DataType::Interval(IntervalUnit::MonthDayNano) => Self::Interval(Numbers::new()),
            DataType::Utf8 | DataType::Binary => Self::Bytes(Bytes::new()),
            DataType::FixedSizeBinary(width) => {
                let width = usize::try_from(*width)
                    .ok()
                    .filter(|width| *width <= FIXED_WIDTH_LIMIT)?;
                Self::Fixed(FixedBytes::new(width))
            }
            DataType::Struct(fields) => Self::Struct(Box::new(Structs::new(fields, inner)?)),
            DataType::List(element) => {
                let child = Self::nested(element.data_type(), inner)?;
                Self::List(Box::new(Lists::new(vec![child])))
            }
            DataType::Map(entries, _) => {
                let (key, value) = entry_fields(entries)?;
                if *key.data_type() != DataType::Utf8 {
                    return None;
                }
                let children = vec![
                    Self::nested(key.data_type(), inner)?,
                    Self::nested(value.data_type(), inner)?,
                ];
                Self::Map(Box::new(Lists::new(children)))
            }
            _ => return None,
        })
    }

    pub(crate) fn push_null(&mut self) -> Read<()> {
        match self {
            Self::Null(rows) => *rows = rows.saturating_add(1),
            Self::Boolean(column) => column.push_null(),
            Self::Int8(column) => column.push_null(),
            Self::Int16(column) => column.push_null(),
            Self::Int32(column) => column.push_null(),
            Self::Int64(column) => column.push_null(),
            Self::Float32(column) => column.push_null(),
            Self::Float64(column) => column.push_null(),
            Self::Decimal(column) => column.push_null(),
            Self::Interval(column) => column.push_null(),
            Self::Bytes(column) => column.push_null(),
            Self::Fixed(column) => column.push_null(),
            Self::Struct(column) => {
                column.nulls.append_null();
                column.children.iter_mut().try_for_each(Self::push_null)?;
            }
            Self::List(column) | Self::Map(column) => return column.seal(false),
        }
        Ok(())
    }

    /// Takes back every row from `rows` on.
    pub(crate) fn truncate(&mut self, rows: usize) {
        match self {
            Self::Null(count) => *count = rows.min(*count),
            Self::Boolean(column) => column.truncate(rows),
            Self::Int8(column) => column.truncate(rows),
            Self::Int16(column) => column.truncate(rows),
            Self::Int32(column) => column.truncate(rows),
            Self::Int64(column) => column.truncate(rows),
            Self::Float32(column) => column.truncate(rows),
            Self::Float64(column) => column.truncate(rows),
            Self::Decimal(column) => column.truncate(rows),
            Self::Interval(column) => column.truncate(rows),
            Self::Bytes(column) => column.truncate(rows),
            Self::Fixed(column) => column.truncate(rows),
            Self::Struct(column) => {
                column.nulls.truncate(rows);
                column.children.iter_mut().for_each(|child| child.truncate(rows));
            }
            Self::List(column) | Self::Map(column) => column.truncate(rows),
        }
    }

    /// Makes room before the first row of a batch; lists have as much as they turn out to need.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        match self {
            Self::Int8(column) => column.reserve(rows),
            Self::Int16(column) => column.reserve(rows),
            Self::Int32(column) => column.reserve(rows),
            Self::Int64(column) => column.reserve(rows),
            Self::Float32(column) => column.reserve(rows),
            Self::Float64(column) => column.reserve(rows),
            Self::Decimal(column) => column.reserve(rows),
            Self::Bytes(column) => column.reserve(rows, bytes),
            Self::Struct(column) => {
                let bytes = bytes.checked_div(column.children.len()).unwrap_or(0);
                for child in &mut column.children {
                    child.reserve(rows, bytes);
                }
            }
            Self::Null(_) | Self::Boolean(_) | Self::Interval(_) | Self::Fixed(_) | Self::List(_) | Self::Map(_) => {}
        }
    }

    /// The column as an array of the type that it was made for; the column is empty again.
    pub(crate) fn finish(&mut self, data_type: &DataType) -> Result<ArrayRef> {
        Ok(match self {
            Self::Null(rows) => Arc::new(NullArray::new(std::mem::take(rows))),
            Self::Boolean(column) => Arc::new(column.finish()),
            Self::Int8(column) => Arc::new(column.finish::<Int8Type>()?),
            Self::Int16(column) => Arc::new(column.finish::<Int16Type>()?),
            Self::Int32(column) => match data_type {
                DataType::Date32 => Arc::new(column.finish::<Date32Type>()?),
                DataType::Time32(_) => Arc::new(column.finish::<Time32MillisecondType>()?),
                _ => Arc::new(column.finish::<Int32Type>()?),
            },
            Self::Int64(column) => finish_long(column, data_type)?,
            Self::Float32(column) => Arc::new(column.finish::<Float32Type>()?),
            Self::Float64(column) => Arc::new(column.finish::<Float64Type>()?),
            Self::Decimal(column) => {
                let DataType::Decimal128(precision, scale) = data_type else {
                    return Err(mismatch(data_type));
                };
                let array = column.finish::<Decimal128Type>()?;
                Arc::new(array.with_precision_and_scale(*precision, *scale)?)
            }
            Self::Interval(column) => Arc::new(column.finish::<IntervalMonthDayNanoType>()?),
            Self::Bytes(column) => column.finish(*data_type == DataType::Utf8)?,
            Self::Fixed(column) => column.finish()?,
            Self::Struct(column) => column.finish(data_type)?,
            Self::List(column) => finish_list(column, data_type)?,
            Self::Map(column) => finish_map(column, data_type)?,
        })
    }
}

/// The key and value of a map's entries.
pub(crate) fn entry_fields(entries: &Field) -> Option<(&FieldRef, &FieldRef)> {
    match entries.data_type() {
        DataType::Struct(fields) => match fields.as_ref() {
            [key, value] => Some((key, value)),
            _ => None,
        },
        _ => None,
    }
}

fn finish_long(column: &mut Numbers<i64>, data_type: &DataType) -> Result<ArrayRef> {
    Ok(match data_type {
        DataType::Time64(_) => Arc::new(column.finish::<Time64MicrosecondType>()?),
        DataType::Timestamp(unit, zone) => match unit {
            TimeUnit::Millisecond => {
                let array = column.finish::<TimestampMillisecondType>()?;
                Arc::new(array.with_timezone_opt(zone.clone()))
            }
            TimeUnit::Nanosecond => {
                let array = column.finish::<TimestampNanosecondType>()?;
                Arc::new(array.with_timezone_opt(zone.clone()))
            }
            _ => {
                let array = column.finish::<TimestampMicrosecondType>()?;
                Arc::new(array.with_timezone_opt(zone.clone()))
            }
        },
        _ => Arc::new(column.finish::<Int64Type>()?),
    })
}

/// A type that a column was not made for; types are checked when a column is made.
fn mismatch(data_type: &DataType) -> ColumnarError {
    ColumnarError::UnsupportedType {
        column: String::new(),
        data_type: data_type.clone(),
        from: "Avro",
    }
}

fn finish_list(column: &mut Lists, data_type: &DataType) -> Result<ArrayRef> {
    let DataType::List(element) = data_type else {
        return Err(mismatch(data_type));
    };
    let (offsets, nulls) = column.finish_ends();
    let Some(child) = column.children.first_mut() else {
        return Err(mismatch(data_type));
    };
    let child = child.finish(element.data_type())?;
    Ok(Arc::new(ListArray::try_new(
        Arc::clone(element),
        offsets,
        child,
        nulls,
    )?))
}

fn finish_map(column: &mut Lists, data_type: &DataType) -> Result<ArrayRef> {
    let DataType::Map(entries, sorted) = data_type else {
        return Err(mismatch(data_type));
    };
    let DataType::Struct(fields) = entries.data_type() else {
        return Err(mismatch(data_type));
    };
    let (offsets, nulls) = column.finish_ends();
    let children = (column.children.iter_mut().zip(fields))
        .map(|(child, field)| child.finish(field.data_type()))
        .collect::<Result<Vec<_>>>()?;
    let values = StructArray::try_new(fields.clone(), children, None)?;
    Ok(Arc::new(MapArray::try_new(
        Arc::clone(entries),
        offsets,
        values,
        nulls,
        *sorted,
    )?))
}

/// Numbers of one width. Their buffers, as those of bytes, are on loan from the pool.
#[derive(Debug)]
pub(crate) struct Numbers<N> {
    values: Vec<N>,
    nulls: NullBufferBuilder,
}

impl<N: Element> Numbers<N> {
    fn new() -> Self {
        Self {
            values: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: N) {
        self.values.push(value);
        self.nulls.append_non_null();
    }

    fn push_null(&mut self) {
        self.values.push(N::default());
        self.nulls.append_null();
    }

    fn truncate(&mut self, rows: usize) {
        self.values.truncate(rows);
        self.nulls.truncate(rows);
    }

    fn finish<T: ArrowPrimitiveType<Native = N>>(&mut self) -> Result<PrimitiveArray<T>> {
        let values = std::mem::take(&mut self.values);
        Ok(PrimitiveArray::try_new(
            pool::lend_scalars(values),
            self.nulls.finish(),
        )?)
    }

    fn reserve(&mut self, rows: usize) {
        if self.values.is_empty() && self.values.capacity() < rows {
            pool::give(std::mem::replace(&mut self.values, pool::take(rows)));
        }
    }
}

/// Booleans.
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

    #[inline]
    pub(crate) fn push(&mut self, value: bool) {
        self.values.append(value);
        self.nulls.append_non_null();
    }

    fn push_null(&mut self) {
        self.values.append(false);
        self.nulls.append_null();
    }

    fn truncate(&mut self, rows: usize) {
        self.values.truncate(rows.min(self.values.len()));
        self.nulls.truncate(rows);
    }

    fn finish(&mut self) -> BooleanArray {
        BooleanArray::new(self.values.finish(), self.nulls.finish())
    }
}

/// Bytes or text of any length.
#[derive(Debug)]
pub(crate) struct Bytes {
    data: Vec<u8>,
    offsets: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Bytes {
    fn new() -> Self {
        Self {
            data: Vec::new(),
            offsets: vec![0],
            nulls: NullBufferBuilder::new(0),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: &[u8]) -> Read<()> {
        self.data.extend_from_slice(value);
        self.seal()
    }

    #[inline]
    fn seal(&mut self) -> Read<()> {
        let Ok(end) = i32::try_from(self.data.len()) else {
            return Err(Box::new(Fault::TooLarge));
        };
        self.offsets.push(end);
        self.nulls.append_non_null();
        Ok(())
    }

    /// A row that was appended.
    pub(crate) fn row(&self, row: usize) -> &[u8] {
        let offset = |row: usize| self.offsets.get(row).and_then(|&offset| usize::try_from(offset).ok());
        (offset(row).zip(offset(row.saturating_add(1))))
            .and_then(|(start, end)| self.data.get(start..end))
            .unwrap_or_default()
    }

    fn push_null(&mut self) {
        self.offsets.push(self.offsets.last().copied().unwrap_or(0));
        self.nulls.append_null();
    }

    fn truncate(&mut self, rows: usize) {
        self.offsets.truncate(rows.saturating_add(1));
        let end = self.offsets.last().and_then(|&end| usize::try_from(end).ok());
        self.data.truncate(end.unwrap_or(0));
        self.nulls.truncate(rows);
    }

    fn take(&mut self) -> (OffsetBuffer<i32>, Buffer, Option<arrow_buffer::NullBuffer>) {
        let offsets = std::mem::replace(&mut self.offsets, vec![0]);
        let data = std::mem::take(&mut self.data);
        (
            OffsetBuffer::new(pool::lend_scalars(offsets)),
            pool::lend(data),
            self.nulls.finish(),
        )
    }

    fn reserve(&mut self, rows: usize, bytes: usize) {
        if self.offsets.len() > 1 {
            return;
        }
        if self.data.capacity() < bytes {
            pool::give(std::mem::replace(&mut self.data, pool::take(bytes)));
        }
        if self.offsets.capacity() <= rows {
            pool::give(std::mem::replace(&mut self.offsets, pool::take(rows.saturating_add(1))));
            self.offsets.push(0);
        }
    }

    fn finish(&mut self, is_text: bool) -> Result<ArrayRef> {
        let (offsets, data, nulls) = self.take();
        if !is_text {
            return Ok(Arc::new(BinaryArray::try_new(offsets, data, nulls)?));
        }
        if let Ok(array) = StringArray::try_new(offsets.clone(), data.clone(), nulls.clone()) {
            return Ok(Arc::new(array));
        }
        // What is not UTF-8 is mended: an Arrow string must be.
        let rows = BinaryArray::try_new(offsets, data, nulls)?;
        let text = rows.iter().map(|row| row.map(String::from_utf8_lossy));
        Ok(Arc::new(text.collect::<StringArray>()))
    }
}

/// Bytes of one length.
#[derive(Debug)]
pub(crate) struct FixedBytes {
    width: usize,
    data: Vec<u8>,
    rows: usize,
    nulls: NullBufferBuilder,
}

impl FixedBytes {
    fn new(width: usize) -> Self {
        Self {
            width,
            data: Vec::new(),
            rows: 0,
            nulls: NullBufferBuilder::new(0),
        }
    }

    /// Appends a value of the column's width.
    pub(crate) fn push(&mut self, value: &[u8]) {
        debug_assert_eq!(value.len(), self.width);
        self.data.extend_from_slice(value);
        self.rows = self.rows.saturating_add(1);
        self.nulls.append_non_null();
    }

    fn push_null(&mut self) {
        self.rows = self.rows.saturating_add(1);
        self.data.resize(self.rows.saturating_mul(self.width), 0);
        self.nulls.append_null();
    }

    fn truncate(&mut self, rows: usize) {
        self.rows = rows.min(self.rows);
        self.data.truncate(rows.saturating_mul(self.width));
        self.nulls.truncate(rows);
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let data = Buffer::from_vec(std::mem::take(&mut self.data));
        let rows = std::mem::take(&mut self.rows);
        let width = i32::try_from(self.width).map_err(|_| ColumnarError::ColumnTooLarge)?;
        let array = FixedSizeBinaryArray::try_new_with_len(width, data, self.nulls.finish(), rows)?;
        Ok(Arc::new(array))
    }
}

/// A struct's children and which of its rows are null.
#[derive(Debug)]
pub(crate) struct Structs {
    pub(crate) children: Vec<Column>,
    nulls: NullBufferBuilder,
}

impl Structs {
    fn new(fields: &Fields, depth: usize) -> Option<Self> {
        Some(Self {
            children: (fields.iter())
                .map(|field| Column::nested(field.data_type(), depth))
                .collect::<Option<_>>()?,
            nulls: NullBufferBuilder::new(0),
        })
    }

    /// Ends a row whose children are appended.
    #[inline]
    pub(crate) fn seal(&mut self) {
        self.nulls.append_non_null();
    }

    /// The children alone; the struct is empty again.
    pub(crate) fn finish_children(&mut self, fields: &Fields) -> Result<Vec<ArrayRef>> {
        self.nulls = NullBufferBuilder::new(0);
        (self.children.iter_mut().zip(fields))
            .map(|(child, field)| child.finish(field.data_type()))
            .collect()
    }

    fn finish(&mut self, data_type: &DataType) -> Result<ArrayRef> {
        let DataType::Struct(fields) = data_type else {
            return Err(mismatch(data_type));
        };
        let rows = self.nulls.len();
        let nulls = self.nulls.finish();
        let children = self.finish_children(fields)?;
        let array = StructArray::try_new_with_length(fields.clone(), children, nulls, rows)?;
        Ok(Arc::new(array))
    }
}

/// Lists of one child, or maps of two.
#[derive(Debug)]
pub(crate) struct Lists {
    pub(crate) children: Vec<Column>,
    /// Elements of all rows, the one under construction with them.
    pub(crate) count: usize,
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl Lists {
    fn new(children: Vec<Column>) -> Self {
        Self {
            children,
            count: 0,
            ends: vec![0],
            nulls: NullBufferBuilder::new(0),
        }
    }

    /// Ends a row whose elements are appended and counted.
    pub(crate) fn seal(&mut self, valid: bool) -> Read<()> {
        let Ok(end) = i32::try_from(self.count) else {
            return Err(Box::new(Fault::TooLarge));
        };
        self.ends.push(end);
        self.nulls.append(valid);
        Ok(())
    }

    /// Where the row under construction begins.
    pub(crate) fn start(&self) -> usize {
        self.ends.last().and_then(|&end| usize::try_from(end).ok()).unwrap_or(0)
    }

    /// Takes back the elements of the row under construction.
    pub(crate) fn reset_row(&mut self) {
        self.count = self.start();
        let count = self.count;
        self.children.iter_mut().for_each(|child| child.truncate(count));
    }

    fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows.saturating_add(1));
        self.nulls.truncate(rows);
        self.reset_row();
    }

    fn finish_ends(&mut self) -> (OffsetBuffer<i32>, Option<arrow_buffer::NullBuffer>) {
        self.count = 0;
        let ends = std::mem::replace(&mut self.ends, vec![0]);
        (OffsetBuffer::new(ScalarBuffer::from(ends)), self.nulls.finish())
    }
}
