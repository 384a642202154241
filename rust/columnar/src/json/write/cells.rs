//! Columns of single values. Arrays may come from elsewhere: nothing is taken for granted of what they hold.

use std::fmt::{self, Write as _};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalYearMonthType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use arrow_select::take::{TakeOptions, take};

use super::JsonWriteOptions;
use super::nested::{ListCells, MapCells, StructCells};
use super::{numbers, strings, times};
use crate::encode::cells::Cells;
use crate::projection::TYPE_NESTING_LIMIT;
use crate::{ColumnarError, Result};

/// One column's values as JSON.
pub(super) trait Cell: fmt::Debug {
    /// Whether the row has no value.
    fn is_null(&self, row: usize) -> bool;

    /// Appends the row's value, which is not null.
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()>;
}

/// The cells of an array at this depth of nesting.
pub(super) fn cells(name: &str, array: &ArrayRef, options: &JsonWriteOptions, depth: usize) -> Result<Box<dyn Cell>> {
    if depth > TYPE_NESTING_LIMIT {
        return Err(unsupported(name, array));
    }
    Ok(match array.data_type() {
        DataType::Struct(_) => Box::new(StructCells::new(array.as_struct(), options, depth)?),
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => Box::new(ListCells::new(name, array, options, depth)?),
        DataType::Map(..) => Box::new(MapCells::new(name, array.as_map(), options, depth)?),
        DataType::Dictionary(_, values) if !is_bytes(values) => {
            let unpacked = unpacked(array)?;
            cells(name, &unpacked, options, depth.saturating_add(1))?
        }
        _ => leaf(name, array, options)?,
    })
}

fn is_bytes(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

/// The values of a dictionary, one for each row.
fn unpacked(array: &ArrayRef) -> Result<ArrayRef> {
    let dictionary = array.as_any_dictionary();
    let options = TakeOptions { check_bounds: true };
    Ok(take(dictionary.values(), dictionary.keys(), Some(options))?)
}

fn unsupported(name: &str, array: &ArrayRef) -> ColumnarError {
    ColumnarError::MistypedColumn {
        column: name.to_owned(),
        data_type: array.data_type().clone(),
        wanted: "a type that JSON can be written from",
    }
}

#[expect(clippy::too_many_lines, reason = "one line for each type")]
fn leaf(name: &str, array: &ArrayRef, options: &JsonWriteOptions) -> Result<Box<dyn Cell>> {
    Ok(match array.data_type() {
        DataType::Null => Box::new(Nothing),
        DataType::Boolean => Box::new(Booleans(array.clone())),
        DataType::Int8 => integers::<Int8Type>(array),
        DataType::Int16 => integers::<Int16Type>(array),
        DataType::Int32 => integers::<Int32Type>(array),
        DataType::Int64 => integers::<Int64Type>(array),
        DataType::UInt8 => integers::<UInt8Type>(array),
        DataType::UInt16 => integers::<UInt16Type>(array),
        DataType::UInt32 => integers::<UInt32Type>(array),
        DataType::UInt64 => primitive::<UInt64Type>(array, write_displayed),
        DataType::Float32 => primitive::<Float32Type>(array, numbers::write_float),
        DataType::Float64 => primitive::<Float64Type>(array, numbers::write_float),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(array, *scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(array, *scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(array, *scale),
        DataType::Decimal256(_, scale) => decimals::<Decimal256Type>(array, *scale),
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => moments::<DurationSecondType>(name, array, *unit, Moment::Duration),
            TimeUnit::Millisecond => moments::<DurationMillisecondType>(name, array, *unit, Moment::Duration),
            TimeUnit::Microsecond => moments::<DurationMicrosecondType>(name, array, *unit, Moment::Duration),
            TimeUnit::Nanosecond => moments::<DurationNanosecondType>(name, array, *unit, Moment::Duration),
        },
        DataType::Interval(IntervalUnit::YearMonth) => primitive::<IntervalYearMonthType>(array, times::write_months),
        DataType::Date32 => {
            let format = options.times.date_format.clone();
            primitive::<Date32Type>(array, move |days, out| {
                times::write_date(i64::from(days), format.as_ref(), out);
            })
        }
        DataType::Date64 => {
            let format = options.times.date_format.clone();
            primitive::<Date64Type>(array, move |millis, out| {
                times::write_date(millis.div_euclid(86_400_000), format.as_ref(), out);
            })
        }
        DataType::Timestamp(unit, zone) => {
            let moment = match zone {
                Some(_) => Moment::Instant(
                    options.times.zone_offset_seconds,
                    options.times.timestamp_format.clone(),
                ),
                None => Moment::Local(options.times.local_timestamp_format.clone()),
            };
            match unit {
                TimeUnit::Second => moments::<TimestampSecondType>(name, array, *unit, moment),
                TimeUnit::Millisecond => moments::<TimestampMillisecondType>(name, array, *unit, moment),
                TimeUnit::Microsecond => moments::<TimestampMicrosecondType>(name, array, *unit, moment),
                TimeUnit::Nanosecond => moments::<TimestampNanosecondType>(name, array, *unit, moment),
            }
        }
        data_type if is_bytes(data_type) || matches!(data_type, DataType::Dictionary(..)) => {
            let cells = Cells::new(name, array)?;
            Box::new(Bytes {
                is_text: cells.is_text(),
                cells,
                ascii_only: options.ascii_only,
            })
        }
        _ => return Err(unsupported(name, array)),
    })
}

/// No value in any row.
#[derive(Debug)]
struct Nothing;

impl Cell for Nothing {
    fn is_null(&self, _row: usize) -> bool {
        true
    }

    fn write(&self, _row: usize, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b"null");
        Ok(())
    }
}

#[derive(Debug)]
struct Booleans(ArrayRef);

impl Cell for Booleans {
    fn is_null(&self, row: usize) -> bool {
        self.0.is_null(row)
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(if self.0.as_boolean().value(row) {
            b"true"
        } else {
            b"false"
        });
        Ok(())
    }
}

/// Values of a fixed width with how they are written.
struct Primitive<T: ArrowPrimitiveType, F> {
    array: PrimitiveArray<T>,
    write: F,
}

impl<T: ArrowPrimitiveType, F> fmt::Debug for Primitive<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Primitive")
            .field("array", &self.array)
            .finish_non_exhaustive()
    }
}

impl<T: ArrowPrimitiveType, F: Fn(T::Native, &mut Vec<u8>)> Cell for Primitive<T, F> {
    fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row)
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if let Some(value) = self.array.values().get(row) {
            (self.write)(*value, out);
        }
        Ok(())
    }
}

fn primitive<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    write: impl Fn(T::Native, &mut Vec<u8>) + 'static,
) -> Box<dyn Cell> {
    Box::new(Primitive {
        array: array.as_primitive::<T>().clone(),
        write,
    })
}

fn integers<T: ArrowPrimitiveType>(array: &ArrayRef) -> Box<dyn Cell>
where
    T::Native: Into<i64>,
{
    primitive::<T>(array, |value, out| numbers::write_integer(value.into(), out))
}

fn decimals<T: ArrowPrimitiveType>(array: &ArrayRef, scale: i8) -> Box<dyn Cell>
where
    T::Native: fmt::Display,
{
    primitive::<T>(array, move |value, out| {
        let mut digits = String::new();
        // Writing to a string does not fail.
        let _ = write!(digits, "{value}");
        numbers::write_decimal(digits.as_bytes(), scale, out);
    })
}

fn write_displayed(value: impl fmt::Display, out: &mut Vec<u8>) {
    // Writing to a vector does not fail.
    let _ = std::io::Write::write_fmt(out, format_args!("{value}"));
}

/// What a number of seconds or a part of one is.
#[derive(Debug)]
enum Moment {
    Instant(i64, Option<crate::Pattern>),
    Local(Option<crate::Pattern>),
    Duration,
}

/// Points in time or lengths of it, in any unit.
#[derive(Debug)]
struct Moments<T: ArrowPrimitiveType> {
    name: String,
    array: PrimitiveArray<T>,
    unit: TimeUnit,
    moment: Moment,
}

fn moments<T: ArrowPrimitiveType<Native = i64> + fmt::Debug>(
    name: &str,
    array: &ArrayRef,
    unit: TimeUnit,
    moment: Moment,
) -> Box<dyn Cell> {
    Box::new(Moments {
        name: name.to_owned(),
        array: array.as_primitive::<T>().clone(),
        unit,
        moment,
    })
}

impl<T: ArrowPrimitiveType<Native = i64> + fmt::Debug> Cell for Moments<T> {
    fn is_null(&self, row: usize) -> bool {
        self.array.is_null(row)
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let value = self.array.values().get(row).copied().unwrap_or_default();
        let micros = match self.unit {
            TimeUnit::Second => value.checked_mul(1_000_000),
            TimeUnit::Millisecond => value.checked_mul(1_000),
            TimeUnit::Microsecond => Some(value),
            TimeUnit::Nanosecond => Some(value.div_euclid(1_000)),
        };
        let micros = micros.ok_or_else(|| ColumnarError::InvalidRow {
            column: self.name.clone(),
            row,
            reason: "it is out of the range of microseconds",
        })?;
        match &self.moment {
            Moment::Instant(offset, format) => times::write_timestamp(micros, Some(*offset), format.as_ref(), out),
            Moment::Local(format) => times::write_timestamp(micros, None, format.as_ref(), out),
            Moment::Duration => times::write_duration(micros, out),
        }
        Ok(())
    }
}

/// Strings, or bytes as base64.
#[derive(Debug)]
struct Bytes {
    cells: Cells,
    is_text: bool,
    ascii_only: bool,
}

impl Cell for Bytes {
    fn is_null(&self, row: usize) -> bool {
        matches!(self.cells.get(row), Ok(None))
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let bytes = self.cells.get(row)?.unwrap_or_default();
        if self.is_text {
            strings::write_string(bytes, self.ascii_only, out);
        } else {
            strings::write_base64(bytes, out);
        }
        Ok(())
    }
}
