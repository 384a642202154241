//! Writing one row of a column that was matched with a type of the schema by [`super::bind`].
//!
//! Arrays come from other programs: no offset, index or length of theirs is trusted.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use arrow_buffer::{BooleanBuffer, IntervalMonthDayNano, NullBuffer, ScalarBuffer};

use super::encoding::{put_bytes, put_long};
use crate::encode::Cells;

/// Why a row cannot be written.
#[derive(Debug)]
pub(crate) struct Unwritable {
    pub(crate) reason: Cow<'static, str>,
    /// The fields around it, from the inside out.
    pub(crate) path: Vec<String>,
}

/// What is wrong stays behind a pointer, so that results stay in registers.
pub(crate) type Written = Result<(), Box<Unwritable>>;

#[cold]
fn refuse<T>(reason: impl Into<Cow<'static, str>>) -> Result<T, Box<Unwritable>> {
    Err(Box::new(Unwritable {
        reason: reason.into(),
        path: Vec::new(),
    }))
}

#[cold]
fn broken<T>() -> Result<T, Box<Unwritable>> {
    refuse("the array is broken: an offset or index points outside of its buffers")
}

#[cold]
#[expect(clippy::unnecessary_box_returns, reason = "it comes and goes behind its pointer")]
fn within(mut unwritable: Box<Unwritable>, name: &str) -> Box<Unwritable> {
    unwritable.path.push(name.to_owned());
    unwritable
}

/// Writes one row of a column.
#[derive(Debug)]
pub(crate) enum Put {
    /// The same bytes for every row: a default, a null.
    Constant(Box<[u8]>),
    Boolean(BooleanBuffer),
    Int(ScalarBuffer<i32>),
    Long(ScalarBuffer<i64>),
    Whole(Whole),
    Float(ScalarBuffer<f32>),
    Double(ScalarBuffer<f64>),
    /// 32-bit numbers as doubles.
    WideFloat(ScalarBuffer<f32>),
    Decimal(Decimal),
    Duration(ScalarBuffer<IntervalMonthDayNano>),
    Bytes(Cells, Shape),
    Record(Vec<(Box<str>, Put)>),
    Array(Ends, Box<Put>),
    Map(Ends, Cells, Box<Put>),
    /// A type without null.
    Required(NullBuffer, Box<Put>),
    Union(Choice),
    Members(Vec<(i64, Option<NullBuffer>, Put)>),
}

/// Whole numbers that are scaled, or whose range is checked.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) values: ScalarBuffer<i64>,
    pub(crate) times: i64,
    pub(crate) over: i64,
    pub(crate) range: Range<i128>,
}

/// Decimals, as bytes or as a fixed of this size.
#[derive(Debug)]
pub(crate) struct Decimal {
    pub(crate) values: ScalarBuffer<i128>,
    pub(crate) limit: u128,
    pub(crate) size: Option<usize>,
}

/// What bytes are in the schema.
#[derive(Debug)]
pub(crate) enum Shape {
    Bytes,
    Text,
    Fixed(usize),
    /// A UUID as 16 bytes, from its text.
    Uuid,
    Enum(HashMap<Box<[u8]>, i64>),
}

/// A union of null and another type, or of another type alone.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) nulls: Option<NullBuffer>,
    pub(crate) null: Option<i64>,
    /// Of the other type; the members of a struct each have their own.
    pub(crate) index: Option<i64>,
    pub(crate) put: Box<Put>,
}

/// Where the elements of a list are.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) ends: EndsOf,
    /// Elements that there are.
    pub(crate) count: usize,
}

#[derive(Debug)]
pub(crate) enum EndsOf {
    Small(ScalarBuffer<i32>),
    Large(ScalarBuffer<i64>),
    Fixed(usize),
}

impl Ends {
    fn of(&self, row: usize) -> Option<Range<usize>> {
        let next = row.checked_add(1)?;
        let range = match &self.ends {
            EndsOf::Small(ends) => (*ends.get(row)?).try_into().ok()?..(*ends.get(next)?).try_into().ok()?,
            EndsOf::Large(ends) => (*ends.get(row)?).try_into().ok()?..(*ends.get(next)?).try_into().ok()?,
            EndsOf::Fixed(width) => row.checked_mul(*width)?..next.checked_mul(*width)?,
        };
        (range.start <= range.end && range.end <= self.count).then_some(range)
    }
}

/// Whether the row is null; a row outside of the array is taken for one, and its value is not looked at.
#[inline]
fn is_null(nulls: Option<&NullBuffer>, row: usize) -> bool {
    nulls.is_some_and(|nulls| row >= nulls.len() || nulls.is_null(row))
}

/// The value of a row.
#[inline]
fn at<T: Copy>(values: &[T], row: usize) -> Result<T, Box<Unwritable>> {
    match values.get(row) {
        Some(value) => Ok(*value),
        None => broken(),
    }
}

impl Put {
    /// Appends the value of a row.
    pub(crate) fn put(&self, row: usize, out: &mut Vec<u8>) -> Written {
        match self {
            Self::Constant(bytes) => out.extend_from_slice(bytes),
            Self::Boolean(values) => {
                if row >= values.len() {
                    return broken();
                }
                out.push(u8::from(values.value(row)));
            }
            Self::Int(values) => put_long(at(values, row)?.into(), out),
            Self::Long(values) => put_long(at(values, row)?, out),
            Self::Whole(whole) => put_long(whole.get(row)?, out),
            Self::Float(values) => out.extend_from_slice(&at(values, row)?.to_le_bytes()),
            Self::Double(values) => out.extend_from_slice(&at(values, row)?.to_le_bytes()),
            Self::WideFloat(values) => out.extend_from_slice(&f64::from(at(values, row)?).to_le_bytes()),
            Self::Decimal(decimal) => return decimal.put(row, out),
            Self::Duration(values) => return put_duration(at(values, row)?, out),
            Self::Bytes(cells, shape) => match cells.get(row) {
                Ok(Some(bytes)) => return shape.put(bytes, out),
                Ok(None) => return refuse("null where the schema has none"),
                Err(_) => return broken(),
            },
            Self::Record(fields) => {
                for (name, field) in fields {
                    field.put(row, out).map_err(|unwritable| within(unwritable, name))?;
                }
            }
            Self::Array(ends, items) => {
                return put_block(ends, row, out, |element, out| items.put(element, out));
            }
            Self::Map(ends, keys, values) => {
                return put_block(ends, row, out, |element, out| {
                    match keys.get(element) {
                        Ok(Some(key)) => Shape::Text.put(key, out)?,
                        Ok(None) => return refuse("a map's key is null"),
                        Err(_) => return broken(),
                    }
                    values.put(element, out)
                });
            }
            Self::Required(nulls, put) => {
                if is_null(Some(nulls), row) {
                    return refuse("null where the schema has none");
                }
                return put.put(row, out);
            }
            Self::Union(choice) => return choice.put(row, out),
            Self::Members(members) => {
                let mut set = members.iter().filter(|(_, nulls, _)| !is_null(nulls.as_ref(), row));
                return match (set.next(), set.next()) {
                    (Some((index, _, put)), None) => {
                        put_long(*index, out);
                        put.put(row, out)
                    }
                    _ => refuse("of a union's members exactly one must not be null"),
                };
            }
        }
        Ok(())
    }
}

impl Choice {
    fn put(&self, row: usize, out: &mut Vec<u8>) -> Written {
        if is_null(self.nulls.as_ref(), row) {
            return match self.null {
                Some(index) => {
                    put_long(index, out);
                    Ok(())
                }
                None => refuse("null where the schema has none"),
            };
        }
        if let Some(index) = self.index {
            put_long(index, out);
        }
        self.put.put(row, out)
    }
}

impl Whole {
    fn get(&self, row: usize) -> Result<i64, Box<Unwritable>> {
        let value = at(&self.values, row)?;
        let scaled = (value.checked_mul(self.times)).and_then(|value| value.checked_div_euclid(self.over));
        match scaled {
            Some(value) if self.range.contains(&i128::from(value)) => Ok(value),
            _ => refuse(format!("{value} is too large for the schema's type")),
        }
    }
}

impl Decimal {
    /// In two's complement, as few bytes as hold it or exactly as many as the schema says.
    fn put(&self, row: usize, out: &mut Vec<u8>) -> Written {
        let value = at(&self.values, row)?;
        if value.unsigned_abs() >= self.limit {
            return refuse(format!("the decimal {value} has more digits than the schema's type"));
        }
        let bytes = value.to_be_bytes();
        let spare = if value < 0 {
            value.leading_ones()
        } else {
            value.leading_zeros()
        };
        // One bit is left for the sign.
        let skipped = usize::try_from(spare.saturating_sub(1) / 8).unwrap_or(0);
        let shortest = bytes.get(skipped..).unwrap_or_default();
        match self.size {
            None => put_bytes(shortest, out),
            Some(size) if shortest.len() <= size => {
                let sign = if value < 0 { 0xff } else { 0 };
                out.resize(out.len().saturating_add(size.saturating_sub(shortest.len())), sign);
                out.extend_from_slice(shortest);
            }
            Some(size) => return refuse(format!("the decimal {value} needs more than {size} bytes")),
        }
        Ok(())
    }
}

impl Shape {
    fn put(&self, bytes: &[u8], out: &mut Vec<u8>) -> Written {
        match self {
            Self::Bytes => put_bytes(bytes, out),
            Self::Text => {
                if std::str::from_utf8(bytes).is_err() {
                    return refuse("a string is not UTF-8");
                }
                put_bytes(bytes, out);
            }
            Self::Fixed(size) => {
                if bytes.len() != *size {
                    return refuse(format!("{} bytes for a fixed of {size}", bytes.len()));
                }
                out.extend_from_slice(bytes);
            }
            Self::Uuid => match uuid(bytes) {
                Some(uuid) => out.extend_from_slice(&uuid),
                None => return refuse("a string is no UUID"),
            },
            Self::Enum(symbols) => {
                let Some(index) = symbols.get(bytes) else {
                    let symbol = String::from_utf8_lossy(bytes.get(..64).unwrap_or(bytes)).into_owned();
                    return refuse(format!("{symbol:?} is no symbol of the enum"));
                };
                put_long(*index, out);
            }
        }
        Ok(())
    }
}

/// The bytes of a UUID's text.
fn uuid(text: &[u8]) -> Option<[u8; 16]> {
    let mut bytes = [0_u8; 16];
    let mut digits = text.iter().enumerate().filter_map(|(at, &byte)| {
        if [8, 13, 18, 23].contains(&at) {
            return (byte != b'-').then_some(None);
        }
        Some(char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
    });
    for byte in &mut bytes {
        let (high, low) = (digits.next()??, digits.next()??);
        *byte = high << 4 | low;
    }
    (text.len() == 36 && digits.next().is_none()).then_some(bytes)
}

/// Months, days and milliseconds.
fn put_duration(value: IntervalMonthDayNano, out: &mut Vec<u8>) -> Written {
    let milliseconds = value.nanoseconds.div_euclid(1_000_000);
    let parts = (
        u32::try_from(value.months),
        u32::try_from(value.days),
        u32::try_from(milliseconds),
    );
    match parts {
        (Ok(months), Ok(days), Ok(milliseconds)) => {
            for part in [months, days, milliseconds] {
                out.extend_from_slice(&part.to_le_bytes());
            }
            Ok(())
        }
        _ => refuse("an interval is negative or longer than Avro's duration"),
    }
}

/// The elements of a list as one block.
fn put_block(
    ends: &Ends,
    row: usize,
    out: &mut Vec<u8>,
    mut put: impl FnMut(usize, &mut Vec<u8>) -> Written,
) -> Written {
    let Some(elements) = ends.of(row) else {
        return broken();
    };
    if !elements.is_empty() {
        put_long(i64::try_from(elements.len()).unwrap_or(i64::MAX), out);
        for element in elements {
            put(element, out)?;
        }
    }
    put_long(0, out);
    Ok(())
}
