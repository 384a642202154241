//! One typed column: takes scanned JSON values, gives an Arrow array.
//!
//! Conversions are those of Spark's `from_json`. A value that does not fit its column becomes null and is reported.

use std::sync::Arc;

use arrow_array::builder::BooleanBuilder;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, ListArray, MapArray, PrimitiveArray, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};

use super::fields::FieldSpans;
use super::scan::{Kind, Scanner, Span};
use super::{number, text, time};
use crate::builder::{BytesBuilder, ListEnds};
use crate::{ColumnarError, Result};

/// Whether a value fitted its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Fits,
    /// It was appended as null.
    Bad,
}

/// A growing column of one type.
#[derive(Debug)]
pub(crate) enum Column {
    Boolean(BooleanBuilder),
    Int8(Numbers<Int8Type>),
    Int16(Numbers<Int16Type>),
    Int32(Numbers<Int32Type>),
    Int64(Numbers<Int64Type>),
    Float32(Numbers<Float32Type>),
    Float64(Numbers<Float64Type>),
    Decimal(Numbers<Decimal128Type>, u8, i8),
    Date(Numbers<Date32Type>),
    Timestamp(Numbers<TimestampMicrosecondType>),
    LocalTimestamp(Numbers<TimestampMicrosecondType>),
    Text(BytesBuilder),
    Binary(BytesBuilder),
    Struct(Box<StructColumn>),
    List(Box<ListColumn>),
    Map(Box<MapColumn>),
}

impl Column {
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Boolean => Self::Boolean(BooleanBuilder::new()),
            DataType::Int8 => Self::Int8(Numbers::new()),
            DataType::Int16 => Self::Int16(Numbers::new()),
            DataType::Int32 => Self::Int32(Numbers::new()),
            DataType::Int64 => Self::Int64(Numbers::new()),
            DataType::Float32 => Self::Float32(Numbers::new()),
            DataType::Float64 => Self::Float64(Numbers::new()),
            DataType::Decimal128(precision, scale) => Self::Decimal(Numbers::new(), *precision, *scale),
            DataType::Date32 => Self::Date(Numbers::new()),
            DataType::Timestamp(TimeUnit::Microsecond, Some(zone)) if &**zone == "UTC" => {
                Self::Timestamp(Numbers::new())
            }
            DataType::Timestamp(TimeUnit::Microsecond, None) => Self::LocalTimestamp(Numbers::new()),
            DataType::Utf8 => Self::Text(BytesBuilder::new()),
            DataType::Binary => Self::Binary(BytesBuilder::new()),
            DataType::Struct(fields) => Self::Struct(Box::new(StructColumn::new(fields)?)),
            DataType::List(element) => Self::List(Box::new(ListColumn::new(element)?)),
            DataType::Map(entries, _) => Self::Map(Box::new(MapColumn::new(entries)?)),
            _ => return None,
        })
    }

    /// Appends the value at `span`; what does not fit becomes null.
    #[inline]
    pub(crate) fn push(&mut self, input: &[u8], span: Span) -> Result<Fit> {
        if matches!(span.kind, Kind::Missing | Kind::Null) {
            self.push_null()?;
            return Ok(Fit::Fits);
        }
        let fits = match self {
            Self::Boolean(builder) => match span.kind {
                Kind::True => builder.push(true),
                Kind::False => builder.push(false),
                _ => builder.push_bad(),
            },
            // Spark reads a byte as Java does, to 255.
            Self::Int8(column) => column.push(integer(input, span).and_then(byte)),
            Self::Int16(column) => column.push(integer(input, span).and_then(|value| value.try_into().ok())),
            Self::Int32(column) => column.push(integer(input, span).and_then(|value| value.try_into().ok())),
            Self::Int64(column) => column.push(integer(input, span)),
            Self::Float32(column) => column.push(float(input, span)),
            Self::Float64(column) => column.push(double(input, span)),
            Self::Decimal(column, precision, scale) => column.push(decimal(input, span, *precision, *scale)),
            Self::Date(column) => column.push(from_text(input, span, time::date)),
            Self::Timestamp(column) => column.push(timestamp(input, span)),
            Self::LocalTimestamp(column) => column.push(from_text(input, span, time::local_timestamp)),
            Self::Text(builder) => return push_text(builder, input, span),
            Self::Binary(builder) => return push_base64(builder, input, span),
            Self::Struct(column) => return column.push(input, span),
            Self::List(column) => return column.push(input, span),
            Self::Map(column) => return column.push(input, span),
        };
        Ok(if fits { Fit::Fits } else { Fit::Bad })
    }

    pub(crate) fn push_null(&mut self) -> Result<()> {
        match self {
            Self::Boolean(builder) => builder.append_null(),
            Self::Int8(column) => column.push_null(),
            Self::Int16(column) => column.push_null(),
            Self::Int32(column) => column.push_null(),
            Self::Int64(column) => column.push_null(),
            Self::Float32(column) => column.push_null(),
            Self::Float64(column) => column.push_null(),
            Self::Decimal(column, ..) => column.push_null(),
            Self::Date(column) => column.push_null(),
            Self::Timestamp(column) | Self::LocalTimestamp(column) => column.push_null(),
            Self::Text(builder) | Self::Binary(builder) => builder.push(None)?,
            Self::Struct(column) => column.push_null()?,
            Self::List(column) => column.ends.seal(column.count, false)?,
            Self::Map(column) => column.ends.seal(column.count, false)?,
        }
        Ok(())
    }

    /// The column's array; the column is empty again.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        Ok(match self {
            Self::Boolean(builder) => Arc::new(builder.finish()),
            Self::Int8(column) => Arc::new(column.finish()?),
            Self::Int16(column) => Arc::new(column.finish()?),
            Self::Int32(column) => Arc::new(column.finish()?),
            Self::Int64(column) => Arc::new(column.finish()?),
            Self::Float32(column) => Arc::new(column.finish()?),
            Self::Float64(column) => Arc::new(column.finish()?),
            Self::Decimal(column, precision, scale) => {
                Arc::new(column.finish()?.with_precision_and_scale(*precision, *scale)?)
            }
            Self::Date(column) => Arc::new(column.finish()?),
            Self::Timestamp(column) => Arc::new(column.finish()?.with_timezone("UTC")),
            Self::LocalTimestamp(column) => Arc::new(column.finish()?),
            Self::Text(builder) => builder.finish_string()?,
            Self::Binary(builder) => builder.finish_binary()?,
            Self::Struct(column) => column.finish()?,
            Self::List(column) => column.finish()?,
            Self::Map(column) => column.finish()?,
        })
    }
}

/// Appending for Arrow's boolean builder, with whether the value fitted.
trait PushBoolean {
    fn push(&mut self, value: bool) -> bool;
    fn push_bad(&mut self) -> bool;
}

impl PushBoolean for BooleanBuilder {
    fn push(&mut self, value: bool) -> bool {
        self.append_value(value);
        true
    }

    fn push_bad(&mut self) -> bool {
        self.append_null();
        false
    }
}

/// Values of a fixed width.
#[derive(Debug)]
pub(crate) struct Numbers<T: ArrowPrimitiveType> {
    values: Vec<T::Native>,
    nulls: NullBufferBuilder,
}

impl<T: ArrowPrimitiveType> Numbers<T> {
    fn new() -> Self {
        Self {
            values: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }

    #[inline]
    fn push(&mut self, value: Option<T::Native>) -> bool {
        if let Some(value) = value {
            self.values.push(value);
            self.nulls.append_non_null();
            return true;
        }
        self.push_null();
        false
    }

    fn push_null(&mut self) {
        self.values.push(T::Native::default());
        self.nulls.append_null();
    }

    fn finish(&mut self) -> Result<PrimitiveArray<T>> {
        let room = self.values.len();
        let values = std::mem::replace(&mut self.values, Vec::with_capacity(room));
        Ok(PrimitiveArray::try_new(values.into(), self.nulls.finish())?)
    }
}

#[inline]
fn integer(input: &[u8], span: Span) -> Option<i64> {
    (span.kind == Kind::Integer).then(|| number::integer(span.bytes(input)))?
}

#[expect(clippy::cast_possible_wrap, reason = "Java's cast of 128..=255 to a byte")]
fn byte(value: i64) -> Option<i8> {
    i8::try_from(value)
        .ok()
        .or_else(|| u8::try_from(value).ok().map(|value| value as i8))
}

#[inline]
fn double(input: &[u8], span: Span) -> Option<f64> {
    match span.kind {
        Kind::Integer | Kind::Float => number::double(span.bytes(input)),
        Kind::NonFinite | Kind::Text => number::non_finite(span.bytes(input)),
        _ => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "not-a-number and infinities keep their meaning"
)]
fn float(input: &[u8], span: Span) -> Option<f32> {
    match span.kind {
        Kind::Integer | Kind::Float => number::float(span.bytes(input)),
        _ => double(input, span).map(|value| value as f32),
    }
}

fn decimal(input: &[u8], span: Span, precision: u8, scale: i8) -> Option<i128> {
    match span.kind {
        Kind::Integer | Kind::Float => number::decimal(span.bytes(input), precision, scale),
        Kind::Text if is_number(span.bytes(input)) => number::decimal(span.bytes(input), precision, scale),
        _ => None,
    }
}

/// Whether a string is a number as Java's `BigDecimal` reads one.
fn is_number(text: &[u8]) -> bool {
    let unsigned = text
        .strip_prefix(b"-")
        .or_else(|| text.strip_prefix(b"+"))
        .unwrap_or(text);
    unsigned.iter().any(u8::is_ascii_digit)
        && std::str::from_utf8(unsigned).is_ok_and(|text| text.parse::<f64>().is_ok())
}

/// A string by its characters; the escapes of one that has some are resolved first.
fn from_text<T>(input: &[u8], span: Span, convert: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
    match span.kind {
        Kind::Text => convert(span.bytes(input)),
        Kind::EscapedText => {
            let mut characters = Vec::new();
            text::unescape(span.bytes(input), &mut characters);
            convert(&characters)
        }
        _ => None,
    }
}

/// A timestamp: a string, or whole seconds.
fn timestamp(input: &[u8], span: Span) -> Option<i64> {
    match span.kind {
        Kind::Integer => integer(input, span)?.checked_mul(1_000_000),
        _ => from_text(input, span, time::timestamp),
    }
}

/// A string by its characters, anything else as it is written.
#[inline]
fn push_text(builder: &mut BytesBuilder, input: &[u8], span: Span) -> Result<Fit> {
    match span.kind {
        Kind::EscapedText => {
            text::unescape(span.bytes(input), builder.data_mut());
            builder.seal(true)?;
        }
        _ => builder.push(Some(span.bytes(input)))?,
    }
    Ok(Fit::Fits)
}

fn push_base64(builder: &mut BytesBuilder, input: &[u8], span: Span) -> Result<Fit> {
    let bytes = from_text(input, span, |characters| {
        let mut bytes = Vec::new();
        text::base64(characters, &mut bytes).then_some(bytes)
    });
    builder.push(bytes.as_deref())?;
    Ok(if bytes.is_some() { Fit::Fits } else { Fit::Bad })
}

/// A struct column: an object's fields.
#[derive(Debug)]
pub(crate) struct StructColumn {
    fields: Fields,
    spans: FieldSpans,
    children: Vec<Column>,
    nulls: NullBufferBuilder,
}

impl StructColumn {
    fn new(fields: &Fields) -> Option<Self> {
        Some(Self {
            fields: fields.clone(),
            spans: FieldSpans::new(fields.iter().map(|field| field.name().as_str())),
            children: fields
                .iter()
                .map(|field| Column::new(field.data_type()))
                .collect::<Option<_>>()?,
            nulls: NullBufferBuilder::new(0),
        })
    }

    fn push(&mut self, input: &[u8], span: Span) -> Result<Fit> {
        let object = span.bytes(input);
        if span.kind != Kind::Object || self.spans.scan(object).is_err() {
            self.push_null()?;
            return Ok(Fit::Bad);
        }
        let mut fit = Fit::Fits;
        for (child, span) in self.children.iter_mut().zip(self.spans.iter()) {
            if child.push(object, span)? == Fit::Bad {
                fit = Fit::Bad;
            }
        }
        self.nulls.append_non_null();
        Ok(fit)
    }

    fn push_null(&mut self) -> Result<()> {
        self.nulls.append_null();
        self.children.iter_mut().try_for_each(Column::push_null)
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let nulls = self.nulls.finish();
        let children = self
            .children
            .iter_mut()
            .map(Column::finish)
            .collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(StructArray::try_new(self.fields.clone(), children, nulls)?))
    }
}

/// Appends an element to a child column and keeps the worst that happened.
fn push_child(child: &mut Column, input: &[u8], span: Span, fit: &mut Result<Fit>) {
    match child.push(input, span) {
        Ok(Fit::Bad) if fit.is_ok() => *fit = Ok(Fit::Bad),
        Ok(_) => {}
        Err(error) => *fit = Err(error),
    }
}

/// A list column: a list's elements.
#[derive(Debug)]
pub(crate) struct ListColumn {
    element: FieldRef,
    child: Column,
    ends: ListEnds,
    count: usize,
}

impl ListColumn {
    fn new(element: &FieldRef) -> Option<Self> {
        let child = Column::new(element.data_type())?;
        Some(Self {
            element: Arc::clone(element),
            child,
            ends: ListEnds::new(),
            count: 0,
        })
    }

    fn push(&mut self, input: &[u8], span: Span) -> Result<Fit> {
        let list = span.bytes(input);
        let mut fit = Ok(Fit::Fits);
        let Self { child, count, .. } = self;
        let scanned = Scanner::new(list).list(0, |element| {
            push_child(child, list, element, &mut fit);
            *count = count.saturating_add(1);
        });
        let is_list = span.kind == Kind::List && scanned.is_ok();
        self.ends.seal(self.count, is_list)?;
        if is_list { fit } else { Ok(Fit::Bad) }
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        self.count = 0;
        let (offsets, nulls) = self.ends.finish();
        Ok(Arc::new(ListArray::try_new(
            Arc::clone(&self.element),
            offsets,
            self.child.finish()?,
            nulls,
        )?))
    }
}

/// A map column with string keys: an object's names and values.
#[derive(Debug)]
pub(crate) struct MapColumn {
    entries: FieldRef,
    keys: BytesBuilder,
    child: Column,
    ends: ListEnds,
    count: usize,
}

impl MapColumn {
    fn new(entries: &FieldRef) -> Option<Self> {
        let DataType::Struct(fields) = entries.data_type() else {
            return None;
        };
        let [key, value] = fields.as_ref() else { return None };
        if !is_text(key) {
            return None;
        }
        let child = Column::new(value.data_type())?;
        Some(Self {
            entries: Arc::clone(entries),
            keys: BytesBuilder::new(),
            child,
            ends: ListEnds::new(),
            count: 0,
        })
    }

    fn push(&mut self, input: &[u8], span: Span) -> Result<Fit> {
        let object = span.bytes(input);
        let mut fit = Ok(Fit::Fits);
        let Self { keys, child, count, .. } = self;
        let scanned = Scanner::new(object).object(0, |name, value| {
            if let Err(error) = push_text(keys, object, name) {
                fit = Err(error);
            }
            push_child(child, object, value, &mut fit);
            *count = count.saturating_add(1);
        });
        let is_object = span.kind == Kind::Object && scanned.is_ok();
        self.ends.seal(self.count, is_object)?;
        if is_object { fit } else { Ok(Fit::Bad) }
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        self.count = 0;
        let (offsets, nulls) = self.ends.finish();
        let DataType::Struct(fields) = self.entries.data_type().clone() else {
            return Err(ColumnarError::UnknownColumn(self.entries.name().clone()));
        };
        let entries = StructArray::try_new(fields, vec![self.keys.finish_string()?, self.child.finish()?], None)?;
        Ok(Arc::new(MapArray::try_new(
            Arc::clone(&self.entries),
            offsets,
            entries,
            nulls,
            false,
        )?))
    }
}

fn is_text(field: &Field) -> bool {
    *field.data_type() == DataType::Utf8
}
