//! One typed column: takes scanned JSON values, gives an Arrow array.
//!
//! Conversions are those of Spark's `from_json`. A value that does not fit its column becomes null and is reported.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::JsonOptions;
use super::object::{self, ObjectColumns, OnePass};
use super::scan::{Kind, Malformed, Scanner, Span};
use super::value::{self, Value};
use super::variant::VariantColumn;
use crate::builder::{BytesBuilder, ListEnds};
use crate::scalar::Leaf;
use crate::{ColumnarError, Result};

/// Whether a value fitted its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    Fits,
    /// It was appended, with nulls inside.
    Partial,
    /// It was appended as null.
    Bad,
}

/// A growing column of one type.
#[derive(Debug)]
pub(crate) enum Column {
    Leaf(Leaf),
    Struct(Box<StructColumn>),
    List(Box<ListColumn>),
    Map(Box<MapColumn>),
    Variant(Box<VariantColumn>),
}

impl Column {
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Struct(fields) => match VariantColumn::new(fields) {
                Some(column) => Self::Variant(Box::new(column)),
                None => Self::Struct(Box::new(StructColumn::new(fields)?)),
            },
            DataType::List(element) => Self::List(Box::new(ListColumn::new(element)?)),
            DataType::Map(entries, _) => Self::Map(Box::new(MapColumn::new(entries)?)),
            _ => Self::Leaf(Leaf::new(data_type)?),
        })
    }

    /// Appends the value at `span`; what does not fit becomes null.
    #[inline]
    pub(crate) fn push(&mut self, options: &JsonOptions, input: &[u8], span: Span) -> Result<Fit> {
        // A VARIANT holds null as a value; only a field that is missing is null in its column.
        let is_held = span.kind == Kind::Null && matches!(self, Self::Variant(_));
        if span.is_null() && !is_held {
            self.push_null()?;
            return Ok(Fit::Fits);
        }
        match self {
            Self::Leaf(leaf) => {
                let fits = leaf.push(&Value::new(options, input, span))?;
                Ok(if fits { Fit::Fits } else { Fit::Bad })
            }
            Self::Struct(column) => column.push(options, input, span),
            Self::List(column) => column.push(options, input, span),
            Self::Map(column) => column.push(options, input, span),
            Self::Variant(column) => column.push(options, input, span),
        }
    }

    pub(crate) fn push_null(&mut self) -> Result<()> {
        match self {
            Self::Leaf(leaf) => leaf.push_null(),
            Self::Struct(column) => column.push_null(),
            Self::List(column) => column.ends.seal(column.count, false),
            Self::Map(column) => column.ends.seal(column.count, false),
            Self::Variant(column) => column.push_null(),
        }
    }

    /// Makes room before the first row of a batch; lists have as much as they turn out to need.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        match self {
            Self::Leaf(leaf) => leaf.reserve(rows, bytes),
            Self::Struct(column) => column.object.reserve(rows, bytes),
            Self::Variant(column) => column.reserve(rows, bytes),
            Self::List(_) | Self::Map(_) => {}
        }
    }

    /// Takes back what was appended after the first `rows` rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        match self {
            Self::Leaf(leaf) => leaf.truncate(rows),
            Self::Struct(column) => column.truncate(rows),
            Self::List(column) => column.truncate(rows),
            Self::Map(column) => column.truncate(rows),
            Self::Variant(column) => column.truncate(rows),
        }
    }

    /// The column's array; the column is empty again.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        match self {
            Self::Leaf(leaf) => leaf.finish(),
            Self::Struct(column) => column.finish(),
            Self::List(column) => column.finish(),
            Self::Map(column) => column.finish(),
            Self::Variant(column) => column.finish_column(),
        }
    }
}

/// A struct column: an object's fields.
#[derive(Debug)]
pub(crate) struct StructColumn {
    object: ObjectColumns,
    nulls: NullBufferBuilder,
}

impl StructColumn {
    fn new(fields: &Fields) -> Option<Self> {
        Some(Self {
            object: ObjectColumns::new(fields).ok()?,
            nulls: NullBufferBuilder::new(0),
        })
    }

    /// Appends the object where the scanner is.
    pub(super) fn read(&mut self, options: &JsonOptions, scanner: &mut Scanner<'_>, depth: usize) -> OnePass<Fit> {
        let bad = self.object.read(options, scanner, depth)?;
        self.nulls.append_non_null();
        Ok(if bad.is_some() { Fit::Partial } else { Fit::Fits })
    }

    fn push(&mut self, options: &JsonOptions, input: &[u8], span: Span) -> Result<Fit> {
        if span.is_object()
            && let Ok(bad) = self.object.push(options, span.bytes(input))?
        {
            self.nulls.append_non_null();
            return Ok(if bad.is_some() { Fit::Partial } else { Fit::Fits });
        }
        self.push_null()?;
        Ok(Fit::Bad)
    }

    fn push_null(&mut self) -> Result<()> {
        self.nulls.append_null();
        self.object.push_nulls()
    }

    fn truncate(&mut self, rows: usize) {
        self.nulls.truncate(rows);
        self.object.truncate(rows);
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let nulls = self.nulls.finish();
        let children = self.object.finish()?;
        let fields = self.object.fields().clone();
        Ok(Arc::new(StructArray::try_new(fields, children, nulls)?))
    }
}

/// Appends the value where the scanner is to a child column, steps over it, and keeps the worst that happened; nothing
/// after a bad one counts. Says whether the child has one more row.
fn push_child(
    child: &mut Column,
    options: &JsonOptions,
    scanner: &mut Scanner<'_>,
    worst: &mut Result<Fit>,
) -> std::result::Result<bool, Malformed> {
    let before = match worst {
        Ok(before @ (Fit::Fits | Fit::Partial)) => *before,
        Ok(Fit::Bad) | Err(_) => {
            scanner.value(1)?;
            return Ok(false);
        }
    };
    let span = scanner.value(1)?;
    let fit = child.push(options, scanner.input(), span);
    *worst = fit.map(|fit| fit.max(before));
    Ok(true)
}

/// As [`push_child`], in one pass.
#[inline]
fn read_child(
    child: &mut Column,
    options: &JsonOptions,
    scanner: &mut Scanner<'_>,
    depth: usize,
    worst: &mut Fit,
) -> OnePass<bool> {
    if *worst == Fit::Bad {
        scanner.value(depth)?;
        return Ok(false);
    }
    let fit = object::read(child, options, scanner, depth)?;
    *worst = fit.max(*worst);
    Ok(true)
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

    /// Appends the list where the scanner is.
    pub(super) fn read(&mut self, options: &JsonOptions, scanner: &mut Scanner<'_>, depth: usize) -> OnePass<Fit> {
        let Self { child, count, .. } = self;
        let below = depth.saturating_add(1);
        let mut worst = Fit::Fits;
        scanner.list(depth, |scanner| {
            let has_row = read_child(child, options, scanner, below, &mut worst)?;
            *count = count.saturating_add(usize::from(has_row));
            OnePass::Ok(())
        })?;
        self.ends.seal(self.count, worst != Fit::Bad)?;
        Ok(worst)
    }

    fn truncate(&mut self, rows: usize) {
        self.count = self.ends.truncate(rows);
        self.child.truncate(self.count);
    }

    /// An element that does not fit makes the list null, as in Spark; one that fits in part does not.
    fn push(&mut self, options: &JsonOptions, input: &[u8], span: Span) -> Result<Fit> {
        let list = span.bytes(input);
        let mut worst = Ok(Fit::Fits);
        let Self { child, count, .. } = self;
        let scanned = Scanner::new(list, options.syntax).list(0, |scanner| {
            if push_child(child, options, scanner, &mut worst)? {
                *count = count.saturating_add(1);
            }
            Ok::<(), Malformed>(())
        });
        let fit = if span.is_list() && scanned.is_ok() {
            worst?
        } else {
            Fit::Bad
        };
        self.ends.seal(self.count, fit != Fit::Bad)?;
        Ok(fit)
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

    /// Appends the object where the scanner is.
    pub(super) fn read(&mut self, options: &JsonOptions, scanner: &mut Scanner<'_>, depth: usize) -> OnePass<Fit> {
        let Self { keys, child, count, .. } = self;
        let below = depth.saturating_add(1);
        let mut worst = Fit::Fits;
        scanner.object(depth, |name, scanner| {
            if read_child(child, options, scanner, below, &mut worst)? {
                value::characters(scanner.input(), name, keys.data_mut());
                keys.seal(true)?;
                *count = count.saturating_add(1);
            }
            OnePass::Ok(())
        })?;
        self.ends.seal(self.count, worst != Fit::Bad)?;
        Ok(worst)
    }

    fn truncate(&mut self, rows: usize) {
        self.count = self.ends.truncate(rows);
        self.keys.truncate(self.count);
        self.child.truncate(self.count);
    }

    /// A value that does not fit makes the map null, as in Spark; one that fits in part does not.
    fn push(&mut self, options: &JsonOptions, input: &[u8], span: Span) -> Result<Fit> {
        let object = span.bytes(input);
        let mut worst = Ok(Fit::Fits);
        let Self { keys, child, count, .. } = self;
        let scanned = Scanner::new(object, options.syntax).object(0, |name, scanner| {
            if push_child(child, options, scanner, &mut worst)? {
                value::characters(object, name, keys.data_mut());
                if let Err(error) = keys.seal(true) {
                    worst = Err(error);
                }
                *count = count.saturating_add(1);
            }
            Ok::<(), Malformed>(())
        });
        let fit = if span.is_object() && scanned.is_ok() {
            worst?
        } else {
            Fit::Bad
        };
        self.ends.seal(self.count, fit != Fit::Bad)?;
        Ok(fit)
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
