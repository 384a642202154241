//! The columns of an object's fields, and the two ways in which a value gets into them.
//!
//! **In one pass**, where values are as they mostly are: each field is converted where it stands, straight into its
//! column. What stands between the fields is compared with what stood there in earlier objects, so that a known field
//! costs no search for its name. Whatever is unusual (a value that is malformed, a field that appears twice, a column
//! that becomes too large) ends the pass, and the row is taken back.
//!
//! **In two passes** then: the first one finds the fields and whether the value is well-formed, the second one converts
//! them. It is the rule, the other one only its short cut: both give the same columns.

use arrow_array::ArrayRef;
use arrow_schema::{Field, Fields};

use super::JsonOptions;
use super::column::{Column, Fit};
use super::fields::FieldSpans;
use super::leaf::{pass_over, read_leaf};
use super::scan::{Malformed, Scanner, Span};
use crate::{ColumnarError, Result};

/// Why a row is not read in one pass. What is wrong, if anything is, the two passes find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unusual;

impl From<Malformed> for Unusual {
    fn from(_: Malformed) -> Self {
        Self
    }
}

impl From<ColumnarError> for Unusual {
    fn from(_: ColumnarError) -> Self {
        Self
    }
}

pub(super) type OnePass<T> = std::result::Result<T, Unusual>;

/// The column of one field.
#[derive(Debug)]
struct Child {
    column: Column,
    /// The last object that had the field.
    turn: u64,
}

/// The columns of an object's fields.
#[derive(Debug)]
pub(super) struct ObjectColumns {
    fields: Fields,
    spans: FieldSpans,
    children: Vec<Child>,
    /// Counts objects.
    turn: u64,
}

impl ObjectColumns {
    /// Columns for these fields; else the field that there is no column for.
    pub(super) fn new(fields: &Fields) -> std::result::Result<Self, &Field> {
        let child = |field: &'_ Field| Column::new(field.data_type()).map(|column| Child { column, turn: 0 });
        Ok(Self {
            spans: FieldSpans::new(fields.iter().map(|field| field.name().as_str())),
            children: fields
                .iter()
                .map(|field| child(field).ok_or(field.as_ref()))
                .collect::<std::result::Result<_, _>>()?,
            fields: fields.clone(),
            turn: 0,
        })
    }

    /// The fields of the columns.
    pub(super) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Appends the fields of the object where the scanner is and steps over it; says which field is the first that does
    /// not fit, if one does not. After an error the columns may hold part of a row.
    pub(super) fn read(
        &mut self,
        options: &JsonOptions,
        scanner: &mut Scanner<'_>,
        depth: usize,
    ) -> OnePass<Option<usize>> {
        self.turn = self.turn.wrapping_add(1);
        let below = depth.saturating_add(1);
        let mut found = 0usize;
        let mut position = 0;
        let mut bad: Option<usize> = None;
        loop {
            let field = match self.spans.recognise(scanner, position) {
                Some(field) => field,
                None => match self.spans.search(scanner, position)? {
                    Some(field) => field,
                    None => break,
                },
            };
            let target = field.target as usize;
            if let Some(child) = self.children.get_mut(target) {
                if std::mem::replace(&mut child.turn, self.turn) == self.turn {
                    return Err(Unusual);
                }
                found = found.saturating_add(1);
                if read(&mut child.column, options, scanner, below)? != Fit::Fits {
                    bad = Some(bad.map_or(target, |bad| bad.min(target)));
                }
            } else {
                pass_over(scanner, below)?;
            }
            if scanner.at_object_end() {
                break;
            }
            position = field.next;
        }
        if found < self.children.len() {
            let missing = self.children.iter_mut().filter(|child| child.turn != self.turn);
            for child in missing {
                child.column.push_null()?;
            }
        }
        Ok(bad)
    }

    /// As [`ObjectColumns::read`], in two passes: `input` begins with the object. Appends nothing to any column if it is
    /// malformed.
    pub(super) fn push(
        &mut self,
        options: &JsonOptions,
        input: &[u8],
    ) -> Result<std::result::Result<Option<usize>, Malformed>> {
        if let Err(malformed) = self.spans.scan(input, options.syntax) {
            return Ok(Err(malformed));
        }
        let mut bad = None;
        for (index, (child, span)) in self.children.iter_mut().zip(self.spans.iter()).enumerate() {
            let fits = if self.spans.has_duplicates() {
                let duplicates = self.spans.duplicates(index);
                let field = self.fields.get(index);
                push_duplicates(
                    &mut child.column,
                    field.map(AsRef::as_ref),
                    &duplicates,
                    span,
                    options,
                    input,
                )?
            } else {
                child.column.push(options, input, span)? == Fit::Fits
            };
            if !fits {
                bad = bad.or(Some(index));
            }
        }
        Ok(Ok(bad))
    }

    /// Appends a row of nulls.
    pub(super) fn push_nulls(&mut self) -> Result<()> {
        self.children.iter_mut().try_for_each(|child| child.column.push_null())
    }

    /// Makes room before the first row of a batch.
    pub(super) fn reserve(&mut self, rows: usize, bytes: usize) {
        let bytes = bytes.checked_div(self.children.len()).unwrap_or(0);
        for child in &mut self.children {
            child.column.reserve(rows, bytes);
        }
    }

    /// Takes back what was appended after the first `rows` rows.
    pub(super) fn truncate(&mut self, rows: usize) {
        for child in &mut self.children {
            child.column.truncate(rows);
        }
    }

    /// The arrays, in the order of the fields; empty again.
    pub(super) fn finish(&mut self) -> Result<Vec<ArrayRef>> {
        self.children.iter_mut().map(|child| child.column.finish()).collect()
    }
}

/// Appends the value where the scanner is to a column and steps over it.
#[inline]
pub(super) fn read(
    column: &mut Column,
    options: &JsonOptions,
    scanner: &mut Scanner<'_>,
    depth: usize,
) -> OnePass<Fit> {
    match column {
        Column::Leaf(leaf) => read_leaf(leaf, options, scanner, depth),
        Column::Struct(column) if scanner.is_at(b'{') => column.read(options, scanner, depth),
        Column::List(column) if scanner.is_at(b'[') => column.read(options, scanner, depth),
        Column::Map(column) if scanner.is_at(b'{') => column.read(options, scanner, depth),
        Column::Variant(column) => column.read(scanner, depth),
        column => {
            let span = scanner.value(depth)?;
            Ok(column.push(options, scanner.input(), span)?)
        }
    }
}

/// Appends a field that may appear more than once: the last of its values that fits counts, and the object is bad if
/// one of them does not, as in Spark. Each is tried on a column of its own.
fn push_duplicates(
    column: &mut Column,
    field: Option<&Field>,
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
