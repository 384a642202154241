//! Columns of objects, lists and maps.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, MapArray, StructArray};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{DataType, TimeUnit};

use super::JsonWriteOptions;
use super::cells::{Cell, cells};
use super::strings::write_string;
use crate::{ColumnarError, Result};

/// A field of an object.
#[derive(Debug)]
struct FieldCells {
    /// Its name as a string, and a colon.
    label: Vec<u8>,
    cells: Box<dyn Cell>,
}

/// Objects.
#[derive(Debug)]
pub(super) struct StructCells {
    nulls: Option<NullBuffer>,
    fields: Vec<FieldCells>,
    ignore_nulls: bool,
}

impl StructCells {
    pub(super) fn new(array: &StructArray, options: &JsonWriteOptions, depth: usize) -> Result<Self> {
        let field = |(name, column): (&String, &ArrayRef)| {
            let mut label = Vec::new();
            write_string(name.as_bytes(), options.ascii_only, &mut label);
            label.push(b':');
            let cells = cells(name, column, options, depth.saturating_add(1))?;
            Ok(FieldCells { label, cells })
        };
        let names = array.fields().iter().map(|field| field.name());
        Ok(Self {
            nulls: array.nulls().cloned(),
            fields: names.zip(array.columns()).map(field).collect::<Result<_>>()?,
            ignore_nulls: options.ignore_null_fields,
        })
    }

    /// Appends one row's object.
    pub(super) fn write_object(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        out.push(b'{');
        let mut is_first = true;
        for FieldCells { label, cells } in &self.fields {
            let is_null = cells.is_null(row);
            if is_null && self.ignore_nulls {
                continue;
            }
            if !is_first {
                out.push(b',');
            }
            is_first = false;
            out.extend_from_slice(label);
            write_or_null(cells.as_ref(), is_null, row, out)?;
        }
        out.push(b'}');
        Ok(())
    }
}

impl Cell for StructCells {
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        self.write_object(row, out)
    }
}

fn write_or_null(cells: &dyn Cell, is_null: bool, row: usize, out: &mut Vec<u8>) -> Result<()> {
    if is_null {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    cells.write(row, out)
}

/// Where each row's elements are in the child array.
#[derive(Debug)]
enum Layout {
    Small(Vec<i32>),
    Large(Vec<i64>),
    Fixed(usize),
    SmallViews(Vec<i32>, Vec<i32>),
    LargeViews(Vec<i64>, Vec<i64>),
}

impl Layout {
    fn range(&self, row: usize) -> Option<(usize, usize)> {
        fn between<O: ArrowNativeType>(ends: &[O], row: usize) -> Option<(usize, usize)> {
            Some((ends.get(row)?.to_usize()?, ends.get(row.checked_add(1)?)?.to_usize()?))
        }
        fn view<O: ArrowNativeType>(starts: &[O], sizes: &[O], row: usize) -> Option<(usize, usize)> {
            let start = starts.get(row)?.to_usize()?;
            Some((start, start.checked_add(sizes.get(row)?.to_usize()?)?))
        }
        match self {
            Self::Small(ends) => between(ends, row),
            Self::Large(ends) => between(ends, row),
            Self::Fixed(width) => {
                let start = row.checked_mul(*width)?;
                Some((start, start.checked_add(*width)?))
            }
            Self::SmallViews(starts, sizes) => view(starts, sizes, row),
            Self::LargeViews(starts, sizes) => view(starts, sizes, row),
        }
    }
}

/// The elements of one row, all of them in the child array.
fn elements(layout: &Layout, name: &str, row: usize, child_rows: usize) -> Result<std::ops::Range<usize>> {
    match layout.range(row) {
        Some((start, end)) if start <= end && end <= child_rows => Ok(start..end),
        _ => Err(ColumnarError::InvalidRow {
            column: name.to_owned(),
            row,
            reason: "the array is broken: an offset points outside of its child",
        }),
    }
}

/// Lists of any layout.
#[derive(Debug)]
pub(super) struct ListCells {
    name: String,
    nulls: Option<NullBuffer>,
    layout: Layout,
    child: Box<dyn Cell>,
    child_rows: usize,
}

impl ListCells {
    pub(super) fn new(name: &str, array: &ArrayRef, options: &JsonWriteOptions, depth: usize) -> Result<Self> {
        let (layout, child) = match array.data_type() {
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                (Layout::Large(list.value_offsets().to_vec()), list.values())
            }
            DataType::FixedSizeList(..) => {
                let list = array.as_fixed_size_list();
                (
                    Layout::Fixed(usize::try_from(list.value_length()).unwrap_or(0)),
                    list.values(),
                )
            }
            DataType::ListView(_) => {
                let list = array.as_list_view::<i32>();
                (
                    Layout::SmallViews(list.offsets().to_vec(), list.sizes().to_vec()),
                    list.values(),
                )
            }
            DataType::LargeListView(_) => {
                let list = array.as_list_view::<i64>();
                (
                    Layout::LargeViews(list.offsets().to_vec(), list.sizes().to_vec()),
                    list.values(),
                )
            }
            _ => {
                let list = array.as_list::<i32>();
                (Layout::Small(list.value_offsets().to_vec()), list.values())
            }
        };
        Ok(Self {
            name: name.to_owned(),
            nulls: array.nulls().cloned(),
            layout,
            child: cells(name, child, options, depth.saturating_add(1))?,
            child_rows: child.len(),
        })
    }
}

impl Cell for ListCells {
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        out.push(b'[');
        let elements = elements(&self.layout, &self.name, row, self.child_rows)?;
        let first = elements.start;
        for element in elements {
            if element > first {
                out.push(b',');
            }
            write_or_null(self.child.as_ref(), self.child.is_null(element), element, out)?;
        }
        out.push(b']');
        Ok(())
    }
}

/// Maps, as objects.
#[derive(Debug)]
pub(super) struct MapCells {
    name: String,
    nulls: Option<NullBuffer>,
    layout: Layout,
    keys: Box<dyn Cell>,
    keys_are_text: bool,
    values: Box<dyn Cell>,
    child_rows: usize,
}

impl MapCells {
    pub(super) fn new(name: &str, map: &MapArray, options: &JsonWriteOptions, depth: usize) -> Result<Self> {
        let (keys, keys_are_text) = key_array(name, map.keys())?;
        Ok(Self {
            name: name.to_owned(),
            nulls: map.nulls().cloned(),
            layout: Layout::Small(map.value_offsets().to_vec()),
            keys: cells(name, &keys, options, depth.saturating_add(1))?,
            keys_are_text,
            values: cells(name, map.values(), options, depth.saturating_add(1))?,
            child_rows: map.keys().len().min(map.values().len()),
        })
    }
}

/// The keys as what Spark's are written as: days and microseconds are numbers. And whether they are strings already.
fn key_array(name: &str, keys: &ArrayRef) -> Result<(ArrayRef, bool)> {
    let number = |data_type: DataType| -> Result<ArrayRef> {
        let data = keys.to_data().into_builder().data_type(data_type).build()?;
        Ok(arrow_array::make_array(data))
    };
    match keys.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok((keys.clone(), true)),
        DataType::Dictionary(_, values)
            if matches!(**values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) =>
        {
            Ok((keys.clone(), true))
        }
        data_type if data_type.is_integer() => Ok((keys.clone(), false)),
        DataType::Boolean
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => Ok((keys.clone(), false)),
        DataType::Date32 => Ok((number(DataType::Int32)?, false)),
        DataType::Timestamp(TimeUnit::Microsecond, _) => Ok((number(DataType::Int64)?, false)),
        other => Err(ColumnarError::MistypedColumn {
            column: name.to_owned(),
            data_type: other.clone(),
            wanted: "keys that are strings, whole numbers, decimals, truth values, dates or microseconds",
        }),
    }
}

impl Cell for MapCells {
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        out.push(b'{');
        let entries = elements(&self.layout, &self.name, row, self.child_rows)?;
        let first = entries.start;
        for entry in entries {
            if entry > first {
                out.push(b',');
            }
            if !self.keys_are_text {
                out.push(b'"');
            }
            self.keys.write(entry, out)?;
            if !self.keys_are_text {
                out.push(b'"');
            }
            out.push(b':');
            write_or_null(self.values.as_ref(), self.values.is_null(entry), entry, out)?;
        }
        out.push(b'}');
        Ok(())
    }
}
