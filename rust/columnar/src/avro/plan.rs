//! How values of one schema become rows of the columns: a tree of steps, made once per writer's schema by
//! [`super::resolve`], and run once per value.

use std::collections::HashMap;

use arrow_buffer::IntervalMonthDayNano;

use super::column::{Column, Lists};
use super::cursor::{Cursor, EMPTY_ITEMS_LIMIT, Read, malformed, within};
use super::schema::{NodeId, Schema};

/// The steps for values of one writer's schema.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) schema: Schema,
    pub(crate) step: Step,
}

impl Plan {
    /// Appends one value to the root column.
    #[inline]
    pub(crate) fn read(&self, input: &mut Cursor<'_>, root: &mut Column) -> Read<()> {
        self.step.read(&self.schema, input, root)
    }
}

/// Reads one value, and appends one row to the column that it was made for.
#[derive(Debug)]
pub(crate) enum Step {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    /// An int or long whose reader has a float, for a column of doubles.
    ViaFloat(Wire),
    /// A time in another unit.
    Scaled(Wire, Scale),
    Bytes,
    Fixed(usize),
    /// A UUID of 16 bytes as text.
    UuidText,
    /// A symbol, or why there is none.
    Enum(Vec<Result<Box<str>, Box<str>>>),
    /// An unscaled number of any size below the limit.
    DecimalBytes(i128),
    /// The same of one size.
    DecimalFixed(usize, i128),
    Duration,
    Record(Vec<FieldStep>),
    Array {
        items: Box<Step>,
        /// Whether elements take no bytes.
        is_empty: bool,
    },
    Map {
        values: Box<Step>,
        node: NodeId,
    },
    /// A union of null, at this place, and another type.
    Nullable {
        null: usize,
        step: Box<Step>,
    },
    Union(Vec<Branch>),
    /// A struct of which one member is set.
    Member(Member),
    /// A value from the reader's schema instead of the input.
    Default {
        schema: Schema,
        bytes: Box<[u8]>,
        step: Box<Step>,
    },
}

/// What a number is on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire {
    Int,
    Long,
}

/// How a time gets into its column's unit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scale {
    Times(i64),
    /// Divided and rounded down.
    Over(i64),
}

/// What is done with one of a writer's fields, or for a child that the writer does not have.
#[derive(Debug)]
pub(crate) enum FieldStep {
    Read { child: usize, step: Step, name: Box<str> },
    SkipNumber,
    SkipBytes,
    Skip(NodeId),
    Null(usize),
}

/// What is done with one branch of a writer's union.
#[derive(Debug)]
pub(crate) enum Branch {
    Read(Step),
    Refuse(Box<str>),
}

/// The member of a struct that a value is for.
#[derive(Debug)]
pub(crate) enum Member {
    Read { child: usize, step: Box<Step> },
    Skip(NodeId),
}

impl Step {
    /// Reads one value and appends it. After a fault the column holds part of a row, which the caller takes back.
    pub(crate) fn read(&self, schema: &Schema, input: &mut Cursor<'_>, column: &mut Column) -> Read<()> {
        match (self, column) {
            (Self::Record(steps), Column::Struct(row)) => {
                for step in steps {
                    step.run(schema, input, &mut row.children)?;
                }
                row.seal();
                Ok(())
            }
            (Self::Nullable { null, step }, column) => match input.index()? {
                index if index == *null => column.push_null(),
                index if index <= 1 => step.read(schema, input, column),
                _ => no_branch(input),
            },
            (Self::Bytes, Column::Bytes(rows)) => rows.push(input.bytes()?),
            (Self::Int, column) => push_int(input, column),
            (Self::Long, column) => push_long(input, column),
            (Self::Double, Column::Float64(rows)) => {
                rows.push(input.double()?);
                Ok(())
            }
            (Self::Boolean, Column::Boolean(rows)) => {
                rows.push(input.boolean()?);
                Ok(())
            }
            (Self::Scaled(wire, scale), Column::Int64(rows)) => {
                rows.push(scaled(input, *wire, *scale)?);
                Ok(())
            }
            (Self::Null, column) => column.push_null(),
            (step, column) => step.read_rare(schema, input, column),
        }
    }

    /// The steps that few schemas have.
    fn read_rare(&self, schema: &Schema, input: &mut Cursor<'_>, column: &mut Column) -> Read<()> {
        match (self, column) {
            (Self::Float, Column::Float32(rows)) => rows.push(input.float()?),
            (Self::Float, Column::Float64(rows)) => rows.push(f64::from(input.float()?)),
            (Self::ViaFloat(wire), Column::Float64(rows)) => rows.push(f64::from(as_float(wire.read(input)?))),
            (Self::Fixed(size), Column::Bytes(rows)) => return rows.push(input.take(*size)?),
            (Self::Fixed(size), Column::Fixed(rows)) => rows.push(input.take(*size)?),
            (Self::UuidText, Column::Bytes(rows)) => return rows.push(&uuid_text(input.array()?)),
            (Self::Enum(symbols), Column::Bytes(rows)) => match symbols.get(input.index()?) {
                Some(Ok(symbol)) => return rows.push(symbol.as_bytes()),
                Some(Err(reason)) => return malformed(input.left(), reason.to_string()),
                None => return malformed(input.left(), "an index is none of the enum's symbols"),
            },
            (Self::DecimalBytes(limit), Column::Decimal(rows)) => {
                let bytes = input.bytes()?;
                rows.push(decimal(bytes, *limit, input)?);
            }
            (Self::DecimalFixed(size, limit), Column::Decimal(rows)) => {
                let bytes = input.take(*size)?;
                rows.push(decimal(bytes, *limit, input)?);
            }
            (Self::Duration, Column::Interval(rows)) => rows.push(duration(input)?),
            (Self::Array { items, is_empty }, Column::List(list)) => {
                return read_array(items, *is_empty, schema, input, list);
            }
            (Self::Map { values, node }, Column::Map(list)) => return read_map(values, *node, schema, input, list),
            (Self::Union(branches), column) => {
                return match branches.get(input.index()?) {
                    Some(Branch::Read(step)) => step.read(schema, input, column),
                    Some(Branch::Refuse(reason)) => malformed(input.left(), reason.to_string()),
                    None => no_branch(input),
                };
            }
            (Self::Member(member), Column::Struct(row)) => {
                let set = match member {
                    Member::Read { child, .. } => Some(*child),
                    Member::Skip(_) => None,
                };
                for (index, child) in row.children.iter_mut().enumerate() {
                    match member {
                        Member::Read { step, .. } if Some(index) == set => step.read(schema, input, child)?,
                        _ => child.push_null()?,
                    }
                }
                if let Member::Skip(node) = member {
                    input.skip(schema, *node, 0)?;
                }
                row.seal();
            }
            (Self::Default { schema, bytes, step }, column) => {
                return step.read(schema, &mut Cursor::new(bytes), column);
            }
            _ => return misplaced(input),
        }
        Ok(())
    }
}

#[cold]
fn no_branch(input: &Cursor<'_>) -> Read<()> {
    malformed(input.left(), "an index is none of the union's branches")
}

/// A step met a column that it was not made for; the resolver makes them in pairs.
#[cold]
fn misplaced(input: &Cursor<'_>) -> Read<()> {
    malformed(input.left(), "the schema does not fit the column")
}

impl FieldStep {
    #[inline]
    fn run(&self, schema: &Schema, input: &mut Cursor<'_>, children: &mut [Column]) -> Read<()> {
        match self {
            Self::Read { child, step, name } => match children.get_mut(*child) {
                Some(column) => (step.read(schema, input, column)).map_err(|fault| within(fault, name)),
                None => misplaced(input),
            },
            Self::SkipNumber => input.long().map(|_| ()),
            Self::SkipBytes => input.bytes().map(|_| ()),
            Self::Skip(node) => input.skip(schema, *node, 0),
            Self::Null(child) => match children.get_mut(*child) {
                Some(column) => column.push_null(),
                None => misplaced(input),
            },
        }
    }
}

impl Wire {
    fn read(self, input: &mut Cursor<'_>) -> Read<i64> {
        match self {
            Self::Int => input.int().map(i64::from),
            Self::Long => input.long(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "Avro promotes numbers so")]
fn as_float(value: i64) -> f32 {
    value as f32
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "Avro promotes numbers so")]
fn push_int(input: &mut Cursor<'_>, column: &mut Column) -> Read<()> {
    let value = input.int()?;
    match column {
        Column::Int32(rows) => rows.push(value),
        Column::Int64(rows) => rows.push(i64::from(value)),
        Column::Float32(rows) => rows.push(value as f32),
        Column::Float64(rows) => rows.push(f64::from(value)),
        Column::Int16(rows) => match value.try_into() {
            Ok(value) => rows.push(value),
            Err(_) => return malformed(input.left(), "an int does not fit 16 bits"),
        },
        Column::Int8(rows) => match value.try_into() {
            Ok(value) => rows.push(value),
            Err(_) => return malformed(input.left(), "an int does not fit 8 bits"),
        },
        _ => return misplaced(input),
    }
    Ok(())
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "Avro promotes numbers so")]
fn push_long(input: &mut Cursor<'_>, column: &mut Column) -> Read<()> {
    let value = input.long()?;
    match column {
        Column::Int64(rows) => rows.push(value),
        Column::Float32(rows) => rows.push(value as f32),
        Column::Float64(rows) => rows.push(value as f64),
        _ => return misplaced(input),
    }
    Ok(())
}

#[inline]
fn scaled(input: &mut Cursor<'_>, wire: Wire, scale: Scale) -> Read<i64> {
    let value = wire.read(input)?;
    let scaled = match scale {
        Scale::Times(factor) => value.checked_mul(factor),
        Scale::Over(divisor) => value.checked_div_euclid(divisor),
    };
    match scaled {
        Some(value) => Ok(value),
        None => malformed(input.left(), "a time is outside of its column's range"),
    }
}

/// A number in big-endian two's complement whose digits fit the limit, a power of ten.
fn decimal(bytes: &[u8], limit: i128, input: &Cursor<'_>) -> Read<i128> {
    let Some(&first) = bytes.first() else {
        return malformed(input.left(), "a decimal without bytes");
    };
    let sign = if first & 0x80 == 0 { 0_u8 } else { 0xff };
    let mut number = [sign; 16];
    let extra = bytes.len().saturating_sub(number.len());
    let (extension, digits) = bytes.split_at(extra);
    let room = number.len().saturating_sub(digits.len());
    if let Some(room) = number.get_mut(room..) {
        room.copy_from_slice(digits);
    }
    let value = i128::from_be_bytes(number);
    let extends = extension.iter().all(|&byte| byte == sign) && (value < 0) == (sign != 0);
    if !extends || value.unsigned_abs() >= limit.unsigned_abs() {
        return malformed(input.left(), "a decimal has more digits than its column");
    }
    Ok(value)
}

/// Months, days and milliseconds.
fn duration(input: &mut Cursor<'_>) -> Read<IntervalMonthDayNano> {
    let mut part = || -> Read<u32> { Ok(u32::from_le_bytes(input.array()?)) };
    let (months, days, milliseconds) = (part()?, part()?, part()?);
    match (i32::try_from(months), i32::try_from(days)) {
        (Ok(months), Ok(days)) => {
            let nanoseconds = i64::from(milliseconds).saturating_mul(1_000_000);
            Ok(IntervalMonthDayNano::new(months, days, nanoseconds))
        }
        _ => malformed(input.left(), "a duration does not fit its column"),
    }
}

fn uuid_text(bytes: [u8; 16]) -> [u8; 36] {
    let mut text = [b'-'; 36];
    let mut places = text
        .iter_mut()
        .enumerate()
        .filter(|(at, _)| ![8, 13, 18, 23].contains(at));
    for byte in bytes {
        for digit in [byte >> 4, byte & 0xf] {
            if let Some((_, place)) = places.next() {
                *place = if digit < 10 { b'0' } else { b'a' - 10 }.wrapping_add(digit);
            }
        }
    }
    text
}

fn read_array(items: &Step, is_empty: bool, schema: &Schema, input: &mut Cursor<'_>, list: &mut Lists) -> Read<()> {
    let start = list.count;
    let Lists { children, count, .. } = list;
    let [child] = children.as_mut_slice() else {
        return misplaced(input);
    };
    loop {
        let (block, _) = input.block(is_empty)?;
        if block == 0 {
            break;
        }
        if is_empty && count.saturating_sub(start).saturating_add(block) > EMPTY_ITEMS_LIMIT {
            return malformed(input.left(), "more elements without bytes than EMPTY_ITEMS_LIMIT");
        }
        for _ in 0..block {
            items.read(schema, input, child)?;
            *count = count.saturating_add(1);
        }
    }
    list.seal(true)
}

fn read_map(values: &Step, node: NodeId, schema: &Schema, input: &mut Cursor<'_>, list: &mut Lists) -> Read<()> {
    let begin = *input;
    let start = list.count;
    loop {
        let (block, _) = input.block(false)?;
        if block == 0 {
            break;
        }
        for _ in 0..block {
            let key = input.bytes()?;
            read_entry(key, values, schema, input, list)?;
        }
    }
    if has_repeated_keys(list, start) {
        list.reset_row();
        read_map_of_repeated_keys(values, node, schema, begin, list)?;
    }
    list.seal(true)
}

fn read_entry(key: &[u8], values: &Step, schema: &Schema, input: &mut Cursor<'_>, list: &mut Lists) -> Read<()> {
    let [Column::Bytes(keys), child] = list.children.as_mut_slice() else {
        return misplaced(input);
    };
    keys.push(key)?;
    values.read(schema, input, child)?;
    list.count = list.count.saturating_add(1);
    Ok(())
}

/// Most keys of a map that are compared with each other one by one.
const PAIRWISE_KEYS_MAX: usize = 8;

fn has_repeated_keys(list: &Lists, start: usize) -> bool {
    let Some(Column::Bytes(keys)) = list.children.first() else {
        return false;
    };
    if list.count.saturating_sub(start) <= PAIRWISE_KEYS_MAX {
        return (start..list.count).any(|one| (start..one).any(|other| keys.row(one) == keys.row(other)));
    }
    let mut seen = std::collections::HashSet::new();
    (start..list.count).any(|row| !seen.insert(keys.row(row)))
}

/// Of several values of a key the last holds, as in Avro's Java library; it stands where the first would.
fn read_map_of_repeated_keys(
    values: &Step,
    node: NodeId,
    schema: &Schema,
    mut input: Cursor<'_>,
    list: &mut Lists,
) -> Read<()> {
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    let mut entries: Vec<(&[u8], Cursor<'_>)> = Vec::new();
    loop {
        let (block, _) = input.block(false)?;
        if block == 0 {
            break;
        }
        for _ in 0..block {
            let key = input.bytes()?;
            let place = *places.entry(key).or_insert(entries.len());
            match entries.get_mut(place) {
                Some(entry) => entry.1 = input,
                None => entries.push((key, input)),
            }
            input.skip(schema, node, 0)?;
        }
    }
    for (key, mut value) in entries {
        read_entry(key, values, schema, &mut value, list)?;
    }
    Ok(())
}
