//! Matching Arrow columns with the types of the schema that they are written with, once per batch.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNanoType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use super::default::encode_default;
use super::encoding::put_long;
use super::put::{Choice, Decimal, Ends, EndsOf, Put, Shape, Whole};
use super::schema::{Clock, Kind, Logical, Node, NodeId, RecordField, SCHEMA_DEPTH_LIMIT, Schema, nanoseconds};
use super::types::member_name;
use crate::encode::Cells;
use crate::{ColumnarError, Result};

/// Matches the columns of a batch with the fields of the schema's record, or its one column with a schema that is none.
pub(super) fn bind_rows(schema: &Schema, batch: &RecordBatch) -> Result<Put> {
    let mut binder = Binder {
        schema,
        path: Vec::new(),
    };
    let columns: Vec<(&str, &ArrayRef)> = (batch.schema_ref().fields().iter())
        .map(|field| field.name().as_str())
        .zip(batch.columns())
        .collect();
    match (schema.kind(schema.root()), columns.as_slice()) {
        (Kind::Record(_, fields), columns) => binder.record(fields, columns),
        (_, [(name, column)]) => binder.within(name, |binder| binder.bind(schema.root(), column)),
        (kind, _) => binder.refuse(format!("a schema of type {} takes one column", kind.word())),
    }
}

struct Binder<'a> {
    schema: &'a Schema,
    path: Vec<String>,
}

impl Binder<'_> {
    fn refuse<T>(&self, reason: impl Into<String>) -> Result<T> {
        Err(ColumnarError::AvroMismatch {
            path: self.path.join("."),
            reason: reason.into(),
        })
    }

    fn within<T>(&mut self, name: &str, bind: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.path.len() > SCHEMA_DEPTH_LIMIT {
            return self.refuse("columns are nested deeper than SCHEMA_DEPTH_LIMIT");
        }
        self.path.push(name.to_owned());
        let bound = bind(self);
        self.path.pop();
        bound
    }

    fn bind(&mut self, id: NodeId, array: &ArrayRef) -> Result<Put> {
        let schema = self.schema;
        match schema.kind(id) {
            Kind::Union(branches) => self.union(branches, array),
            Kind::Null if *array.data_type() == DataType::Null => Ok(Put::Constant([].into())),
            _ => {
                let put = self.value(id, array)?;
                Ok(match array.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
                    Some(nulls) => Put::Required(nulls, Box::new(put)),
                    None => put,
                })
            }
        }
    }

    fn union(&mut self, branches: &[NodeId], array: &ArrayRef) -> Result<Put> {
        let is_null = |branch: &NodeId| matches!(self.schema.kind(*branch), Kind::Null);
        let place = |index: usize| i64::try_from(index).unwrap_or(i64::MAX);
        let null = branches.iter().position(is_null).map(place);
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        if *array.data_type() == DataType::Null {
            return match null {
                Some(index) => Ok(constant_index(index)),
                None => self.refuse("the column is null, and the schema has no null"),
            };
        }
        let members: Vec<(i64, NodeId)> = (branches.iter().enumerate())
            .filter(|(_, branch)| !is_null(branch))
            .map(|(index, branch)| (place(index), *branch))
            .collect();
        if let Some(put) = self.members(&members, array)? {
            // A struct that is null as a whole is the union's null.
            return Ok(Put::Union(Choice {
                nulls,
                null,
                index: None,
                put: Box::new(put),
            }));
        }
        let (index, put) = self.branch(&members, array)?;
        Ok(Put::Union(Choice {
            nulls,
            null,
            index: Some(index),
            put: Box::new(put),
        }))
    }

    /// The branch whose own type the column has, else the first that can take it.
    fn branch(&mut self, members: &[(i64, NodeId)], array: &ArrayRef) -> Result<(i64, Put)> {
        let is_exact = |branch: &NodeId| {
            let node = self.schema.node(*branch);
            [crate::Dialect::Client, crate::Dialect::Spark]
                .into_iter()
                .any(|dialect| super::types::leaf(&node.kind, node.logical, dialect) == *array.data_type())
        };
        let exact = members.iter().find(|(_, branch)| is_exact(branch)).copied();
        let mut refusal = None;
        for (index, branch) in exact.into_iter().chain(members.iter().copied()) {
            match self.value(branch, array) {
                Ok(put) => return Ok((index, put)),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        match refusal {
            Some(error) => Err(error),
            None => self.refuse("the schema has only null"),
        }
    }

    /// The members of a union from Spark's struct of them; nothing if the column is none.
    fn members(&mut self, members: &[(i64, NodeId)], array: &ArrayRef) -> Result<Option<Put>> {
        let (DataType::Struct(fields), true) = (array.data_type(), members.len() > 1) else {
            return Ok(None);
        };
        let mut puts = Vec::with_capacity(members.len());
        for (child, field) in array.as_struct().columns().iter().zip(fields) {
            let named = members.iter().enumerate().find(|(place, (_, branch))| {
                [None, Some("member_")]
                    .into_iter()
                    .any(|prefix| member_name(self.schema, *branch, *place, prefix) == *field.name())
            });
            let Some((_, (index, branch))) = named else {
                return Ok(None);
            };
            let put = self.within(field.name(), |binder| binder.value(*branch, child))?;
            puts.push((*index, child.logical_nulls(), put));
        }
        Ok(Some(Put::Members(puts)))
    }

    /// A column whose nulls are somebody else's business, as a type that is no union.
    fn value(&mut self, id: NodeId, array: &ArrayRef) -> Result<Put> {
        let schema = self.schema;
        let node = schema.node(id);
        let put = match &node.kind {
            Kind::Record(_, fields) => match array.data_type() {
                DataType::Struct(names) => {
                    let columns = array.as_struct().columns();
                    let columns: Vec<(&str, &ArrayRef)> =
                        names.iter().map(|field| field.name().as_str()).zip(columns).collect();
                    Some(self.record(fields, &columns)?)
                }
                _ => None,
            },
            Kind::Array(items) => match elements(array) {
                Some((ends, elements)) => {
                    let items = self.within("element", |binder| binder.bind(*items, &elements))?;
                    Some(Put::Array(ends, Box::new(items)))
                }
                None => None,
            },
            Kind::Map(values) => match array.data_type() {
                DataType::Map(..) => {
                    let map = array.as_map();
                    let ends = Ends {
                        ends: EndsOf::Small(map.offsets().inner().clone()),
                        count: map.entries().len(),
                    };
                    let keys = Cells::new("key", map.keys())?;
                    let values = self.within("value", |binder| binder.bind(*values, map.values()))?;
                    Some(Put::Map(ends, keys, Box::new(values)))
                }
                _ => None,
            },
            _ => self.leaf(node, array),
        };
        match put {
            Some(put) => Ok(put),
            None => self.refuse(format!(
                "a column of type {} cannot be written as {}",
                array.data_type(),
                match node.logical {
                    Some(logical) => format!("{} ({logical:?})", node.kind.word()),
                    None => node.kind.word().to_owned(),
                }
            )),
        }
    }

    fn record(&mut self, fields: &[RecordField], columns: &[(&str, &ArrayRef)]) -> Result<Put> {
        let by_name: HashMap<&str, &ArrayRef> = columns.iter().copied().collect();
        let names: std::collections::HashSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        if let Some((name, _)) = columns.iter().find(|(name, _)| !names.contains(name)) {
            return self.within(name, |binder| binder.refuse("the schema has no such field"));
        }
        let mut puts = Vec::with_capacity(fields.len());
        for field in fields {
            let put = self.within(&field.name, |binder| match by_name.get(field.name.as_str()) {
                Some(column) => binder.bind(field.node, column),
                None => binder.missing(field),
            })?;
            puts.push((field.name.as_str().into(), put));
        }
        Ok(Put::Record(puts))
    }

    /// A field without a column.
    fn missing(&mut self, field: &RecordField) -> Result<Put> {
        if let Some(default) = &field.default {
            let bytes = encode_default(self.schema, field.node, default).or_else(|reason| self.refuse(reason))?;
            return Ok(Put::Constant(bytes.into()));
        }
        let null = match self.schema.kind(field.node) {
            Kind::Union(branches) => branches
                .iter()
                .position(|branch| matches!(self.schema.kind(*branch), Kind::Null)),
            Kind::Null => return Ok(Put::Constant([].into())),
            _ => None,
        };
        match null.and_then(|index| i64::try_from(index).ok()) {
            Some(index) => Ok(constant_index(index)),
            None => self.refuse("there is no such column, and the field has no default and cannot be null"),
        }
    }

    /// A type that holds no others; nothing if the column's type does not fit.
    fn leaf(&self, node: &Node, array: &ArrayRef) -> Option<Put> {
        let data_type = array.data_type();
        match (&node.kind, node.logical, data_type) {
            (Kind::Boolean, _, DataType::Boolean) => Some(Put::Boolean(array.as_boolean().values().clone())),
            (Kind::Int, None, DataType::Int32) => Some(Put::Int(values::<Int32Type>(array))),
            (Kind::Int, Some(Logical::Date), DataType::Date32) => Some(Put::Int(values::<Date32Type>(array))),
            (Kind::Long, None, DataType::Int64) => Some(Put::Long(values::<Int64Type>(array))),
            (Kind::Int | Kind::Long, ..) => whole(node, array),
            (Kind::Float, _, DataType::Float32) => Some(Put::Float(values::<Float32Type>(array))),
            (Kind::Double, _, DataType::Float64) => Some(Put::Double(values::<Float64Type>(array))),
            (Kind::Double, _, DataType::Float32) => Some(Put::WideFloat(values::<Float32Type>(array))),
            (_, Some(Logical::Decimal { precision, scale }), DataType::Decimal128(_, column_scale)) => {
                let size = match node.kind {
                    Kind::Fixed(_, size) => Some(size),
                    _ => None,
                };
                (scale == *column_scale).then(|| {
                    Put::Decimal(Decimal {
                        values: values::<Decimal128Type>(array),
                        limit: 10_u128.checked_pow(precision.into()).unwrap_or(u128::MAX),
                        size,
                    })
                })
            }
            (Kind::Fixed(..), Some(Logical::Duration), DataType::Interval(IntervalUnit::MonthDayNano)) => {
                Some(Put::Duration(values::<IntervalMonthDayNanoType>(array)))
            }
            (Kind::Bytes | Kind::String | Kind::Fixed(..) | Kind::Enum(..), ..) => self.bytes(node, array),
            _ => None,
        }
    }

    fn bytes(&self, node: &Node, array: &ArrayRef) -> Option<Put> {
        let name = self.path.last().map_or("", String::as_str);
        let cells = Cells::new(name, array).ok()?;
        let shape = match &node.kind {
            Kind::Bytes => Shape::Bytes,
            Kind::String => Shape::Text,
            Kind::Fixed(..) if node.logical == Some(Logical::Uuid) && cells.is_text() => Shape::Uuid,
            Kind::Fixed(_, size) => Shape::Fixed(*size),
            Kind::Enum(_, symbols) => {
                let symbols = symbols.symbols.iter().zip(0_i64..);
                Shape::Enum(
                    symbols
                        .map(|(symbol, index)| (symbol.as_bytes().into(), index))
                        .collect(),
                )
            }
            _ => return None,
        };
        Some(Put::Bytes(cells, shape))
    }
}

/// The index of a branch without bytes.
fn constant_index(index: i64) -> Put {
    let mut bytes = Vec::new();
    put_long(index, &mut bytes);
    Put::Constant(bytes.into())
}

fn values<T: ArrowPrimitiveType>(array: &ArrayRef) -> ScalarBuffer<T::Native> {
    array.as_primitive::<T>().values().clone()
}

fn widened<T: ArrowPrimitiveType>(array: &ArrayRef) -> ScalarBuffer<i64>
where
    T::Native: Into<i64>,
{
    let values = array.as_primitive::<T>().values();
    values.iter().map(|&value| value.into()).collect()
}

/// The lists of a column and their elements.
fn elements(array: &ArrayRef) -> Option<(Ends, ArrayRef)> {
    let (ends, elements) = match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (EndsOf::Small(list.offsets().inner().clone()), list.values().clone())
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            (EndsOf::Large(list.offsets().inner().clone()), list.values().clone())
        }
        DataType::FixedSizeList(_, width) => {
            let list = array.as_fixed_size_list();
            (EndsOf::Fixed(usize::try_from(*width).ok()?), list.values().clone())
        }
        _ => return None,
    };
    let count = elements.len();
    Some((Ends { ends, count }, elements))
}

/// Whole numbers and times that are not written as they are.
fn whole(node: &Node, array: &ArrayRef) -> Option<Put> {
    let range = match node.kind {
        Kind::Int => i128::from(i32::MIN)..i128::from(i32::MAX).saturating_add(1),
        _ => i128::from(i64::MIN)..i128::from(i64::MAX).saturating_add(1),
    };
    let (values, unit) = numbers(array)?;
    let (times, over) = match unit {
        // A number is written as it is, whatever it means.
        None => (1, 1),
        Some(from) => {
            let (clock, _) = Clock::of(array.data_type())?;
            let to = match node.logical {
                Some(logical) => {
                    let (of, unit) = logical.time()?;
                    (of == clock).then_some(unit)?
                }
                // As in Spark.
                None if clock != Clock::Day && matches!(node.kind, Kind::Long) => TimeUnit::Millisecond,
                None => return None,
            };
            let (from, to) = (nanoseconds(from), nanoseconds(to));
            ((from / to).max(1), (to / from).max(1))
        }
    };
    Some(Put::Whole(Whole {
        values,
        times,
        over,
        range,
    }))
}

/// Numbers in 64 bits, and their unit if they are times.
fn numbers(array: &ArrayRef) -> Option<(ScalarBuffer<i64>, Option<TimeUnit>)> {
    Some(match array.data_type() {
        DataType::Int8 => (widened::<Int8Type>(array), None),
        DataType::Int16 => (widened::<Int16Type>(array), None),
        DataType::Int32 => (widened::<Int32Type>(array), None),
        DataType::Int64 => (values::<Int64Type>(array), None),
        DataType::UInt8 => (widened::<UInt8Type>(array), None),
        DataType::UInt16 => (widened::<UInt16Type>(array), None),
        DataType::UInt32 => (widened::<UInt32Type>(array), None),
        DataType::UInt64 => {
            let wide = array.as_primitive::<UInt64Type>().values();
            let values: Option<Vec<i64>> = wide.iter().map(|&value| value.try_into().ok()).collect();
            (values?.into(), None)
        }
        DataType::Time32(TimeUnit::Second) => (widened::<Time32SecondType>(array), Some(TimeUnit::Second)),
        DataType::Time32(TimeUnit::Millisecond) => {
            (widened::<Time32MillisecondType>(array), Some(TimeUnit::Millisecond))
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            (values::<Time64MicrosecondType>(array), Some(TimeUnit::Microsecond))
        }
        DataType::Time64(TimeUnit::Nanosecond) => (values::<Time64NanosecondType>(array), Some(TimeUnit::Nanosecond)),
        DataType::Timestamp(unit, _) => {
            let values = match unit {
                TimeUnit::Second => values::<TimestampSecondType>(array),
                TimeUnit::Millisecond => values::<TimestampMillisecondType>(array),
                TimeUnit::Microsecond => values::<TimestampMicrosecondType>(array),
                TimeUnit::Nanosecond => values::<TimestampNanosecondType>(array),
            };
            (values, Some(*unit))
        }
        _ => return None,
    })
}
