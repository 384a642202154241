//! One typed column: takes scanned JSON values, gives an Arrow array.
//!
//! Conversions are those of Spark's `from_json`. A value that does not fit its column becomes null and is reported.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::JsonOptions;
use super::fields::FieldSpans;
use super::scan::{Malformed, Scanner, Span};
use super::value::{self, Value};
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
}

impl Column {
    pub(crate) fn new(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Struct(fields) => Self::Struct(Box::new(StructColumn::new(fields)?)),
            DataType::List(element) => Self::List(Box::new(ListColumn::new(element)?)),
            DataType::Map(entries, _) => Self::Map(Box::new(MapColumn::new(entries)?)),
            _ => Self::Leaf(Leaf::new(data_type)?),
        })
    }

    /// Appends the value at `span`; what does not fit becomes null.
    #[inline]
    pub(crate) fn push(&mut self, options: &JsonOptions, input: &[u8], span: Span) -> Result<Fit> {
        if span.is_null() {
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
        }
    }

    pub(crate) fn push_null(&mut self) -> Result<()> {
        match self {
            Self::Leaf(leaf) => leaf.push_null(),
            Self::Struct(column) => column.push_null(),
            Self::List(column) => column.ends.seal(column.count, false),
            Self::Map(column) => column.ends.seal(column.count, false),
        }
    }

    /// The column's array; the column is empty again.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        match self {
            Self::Leaf(leaf) => leaf.finish(),
            Self::Struct(column) => column.finish(),
            Self::List(column) => column.finish(),
            Self::Map(column) => column.finish(),
        }
    }
}

/// Appends the fields of an object to their columns; says which one is the first that does not fit, if one does not.
#[inline]
pub(crate) fn push_fields(
    columns: &mut [Column],
    fields: &Fields,
    spans: &FieldSpans,
    options: &JsonOptions,
    input: &[u8],
) -> Result<Option<usize>> {
    let mut bad = None;
    for (index, (column, span)) in columns.iter_mut().zip(spans.iter()).enumerate() {
        if spans.has_duplicates() {
            if !push_duplicates(
                column,
                fields.get(index),
                &spans.duplicates(index),
                span,
                options,
                input,
            )? {
                bad = bad.or(Some(index));
            }
        } else if column.push(options, input, span)? != Fit::Fits {
            bad = bad.or(Some(index));
        }
    }
    Ok(bad)
}

/// Appends a field that may appear more than once: the last of its values that fits counts, and the object is bad if
/// one of them does not, as in Spark. Each is tried on a column of its own.
fn push_duplicates(
    column: &mut Column,
    field: Option<&FieldRef>,
    duplicates: &[Span],
    last: Span,
    options: &JsonOptions,
    input: &[u8],
) -> Result<bool> {
    let mut chosen = if duplicates.is_empty() { last } else { Span::default() };
    let mut worst = Fit::Fits;
    for span in duplicates {
        let Some(mut trial) = field.and_then(|field| Column::new(field.data_type())) else {
            continue;
        };
        let fit = trial.push(options, input, *span)?;
        worst = worst.max(fit);
        if fit != Fit::Bad {
            chosen = *span;
        }
    }
    Ok(column.push(options, input, chosen)?.max(worst) == Fit::Fits)
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

    fn push(&mut self, options: &JsonOptions, input: &[u8], span: Span) -> Result<Fit> {
        let object = span.bytes(input);
        if !span.is_object() || self.spans.scan(object, options.syntax).is_err() {
            self.push_null()?;
            return Ok(Fit::Bad);
        }
        self.push_scanned(options, object)
    }

    /// Appends the object whose fields were found last.
    fn push_scanned(&mut self, options: &JsonOptions, input: &[u8]) -> Result<Fit> {
        let bad = push_fields(&mut self.children, &self.fields, &self.spans, options, input)?;
        self.nulls.append_non_null();
        Ok(if bad.is_some() { Fit::Partial } else { Fit::Fits })
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
    let input = scanner.input();
    let fit = match child {
        // An object is looked through once, where it stands.
        Column::Struct(column) if scanner.at_object() => {
            column.spans.scan_at(scanner)?;
            column.push_scanned(options, input)
        }
        child => child.push(options, input, scanner.value(1)?),
    };
    *worst = fit.map(|fit| fit.max(before));
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

    /// An element that does not fit makes the list null, as in Spark; one that fits in part does not.
    fn push(&mut self, options: &JsonOptions, input: &[u8], span: Span) -> Result<Fit> {
        let list = span.bytes(input);
        let mut worst = Ok(Fit::Fits);
        let Self { child, count, .. } = self;
        let scanned = Scanner::new(list, options.syntax).list(0, |scanner| {
            if push_child(child, options, scanner, &mut worst)? {
                *count = count.saturating_add(1);
            }
            Ok(())
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
            Ok(())
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
