//! Resolution of types that hold no others, and what columns they can be read into.

use arrow_schema::{DataType, IntervalUnit};

use super::column::FIXED_WIDTH_LIMIT;
use super::plan::{Scale, Step, Wire};
use super::schema::{Clock, Kind, Logical, Node, Symbols, nanoseconds};

/// The step of a type that holds no others, written as `from` and read as `to`, if the column's type can take it.
pub(crate) fn leaf(from: &Node, to: &Node, target: &DataType) -> Option<Step> {
    let logical = from.logical.or(to.logical);
    Some(match (target, &from.kind, &to.kind) {
        (DataType::Boolean, Kind::Boolean, _) => Step::Boolean,
        (DataType::Time32(_) | DataType::Time64(_) | DataType::Timestamp(..), ..) => return time(from, to, target),
        (DataType::Date32, Kind::Int, Kind::Int) if matches!(logical, None | Some(Logical::Date)) => Step::Int,
        (DataType::Utf8, Kind::String | Kind::Bytes, Kind::String | Kind::Bytes) if !is_decimal(logical) => Step::Bytes,
        (DataType::Binary, Kind::String | Kind::Bytes, _) => Step::Bytes,
        (DataType::Utf8, Kind::Fixed(..), _) if logical == Some(Logical::Uuid) => Step::UuidText,
        (DataType::Utf8, Kind::Enum(_, written), Kind::Enum(_, read)) => symbols(written, read),
        (DataType::Binary, Kind::Fixed(_, size), _) => Step::Fixed(*size),
        (DataType::FixedSizeBinary(width), Kind::Fixed(_, size), _)
            if usize::try_from(*width) == Ok(*size) && *size <= FIXED_WIDTH_LIMIT =>
        {
            Step::Fixed(*size)
        }
        (DataType::Decimal128(precision, scale), ..) => return decimal(from, to, *precision, *scale),
        (DataType::Interval(IntervalUnit::MonthDayNano), Kind::Fixed(..), _) if logical == Some(Logical::Duration) => {
            Step::Duration
        }
        _ => return number(&from.kind, &to.kind, target),
    })
}

fn is_decimal(logical: Option<Logical>) -> bool {
    matches!(logical, Some(Logical::Decimal { .. }))
}

/// A number, promoted to the column's type; the reader's type stands between the two.
fn number(from: &Kind, to: &Kind, target: &DataType) -> Option<Step> {
    let fits = match target {
        DataType::Int8 | DataType::Int16 | DataType::Int32 => matches!(to, Kind::Int),
        DataType::Int64 => matches!(to, Kind::Int | Kind::Long),
        DataType::Float32 => matches!(to, Kind::Int | Kind::Long | Kind::Float),
        DataType::Float64 => matches!(to, Kind::Int | Kind::Long | Kind::Float | Kind::Double),
        _ => false,
    };
    let is_rounded = matches!((to, target), (Kind::Float, DataType::Float64));
    fits.then_some(match from {
        Kind::Int if is_rounded => Step::ViaFloat(Wire::Int),
        Kind::Long if is_rounded => Step::ViaFloat(Wire::Long),
        Kind::Int => Step::Int,
        Kind::Long => Step::Long,
        Kind::Float => Step::Float,
        Kind::Double => Step::Double,
        _ => return None,
    })
}

/// The writer's symbols as the reader knows them.
fn symbols(written: &Symbols, read: &Symbols) -> Step {
    let known: std::collections::HashSet<&String> = read.symbols.iter().collect();
    let symbol = |symbol: &String| match (known.contains(symbol), &read.default) {
        (true, _) => Ok(symbol.as_str().into()),
        (false, Some(default)) => Ok(default.as_str().into()),
        (false, None) => Err(format!("{symbol:?} is no symbol of the reader's, which has no default").into()),
    };
    Step::Enum(written.symbols.iter().map(symbol).collect())
}

/// A decimal keeps its scale, and every number is checked against the column's precision.
fn decimal(from: &Node, to: &Node, precision: u8, scale: i8) -> Option<Step> {
    let scale_of = |node: &Node| match node.logical {
        Some(Logical::Decimal { scale, .. }) => Some(scale),
        _ => None,
    };
    let scales = [scale_of(from), scale_of(to)];
    if scales == [None, None] || scales.into_iter().flatten().any(|declared| declared != scale) {
        return None;
    }
    let limit = 10_i128.checked_pow(u32::from(precision))?;
    match from.kind {
        Kind::Bytes => Some(Step::DecimalBytes(limit)),
        Kind::Fixed(_, size) => Some(Step::DecimalFixed(size, limit)),
        _ => None,
    }
}

/// A time in its column's unit. A plain number is in milliseconds where the column is a timestamp, as in Spark, and in
/// the column's unit where it is a time of day.
fn time(from: &Node, to: &Node, target: &DataType) -> Option<Step> {
    let (clock, unit) = Clock::of(target)?;
    let from_unit = match from.logical.or(to.logical) {
        Some(logical) => {
            let (of, unit) = logical.time()?;
            (of == clock).then_some(unit)?
        }
        None if clock == Clock::Day => unit,
        None => arrow_schema::TimeUnit::Millisecond,
    };
    let (from_unit, to_unit) = (nanoseconds(from_unit), nanoseconds(unit));
    let (wire, step) = match (&from.kind, &to.kind) {
        (Kind::Int, Kind::Int | Kind::Long) => (Wire::Int, Step::Int),
        (Kind::Long, Kind::Long) => (Wire::Long, Step::Long),
        _ => return None,
    };
    match target {
        DataType::Time32(_) => (matches!(wire, Wire::Int) && from_unit == to_unit).then_some(step),
        _ if from_unit == to_unit => Some(step),
        _ if from_unit > to_unit => Some(Step::Scaled(wire, Scale::Times(from_unit.checked_div(to_unit)?))),
        _ => Some(Step::Scaled(wire, Scale::Over(to_unit.checked_div(from_unit)?))),
    }
}
