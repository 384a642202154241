//! The headers column: a list of structs of key and value, or a map.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_buffer::{ArrowNativeType, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use barnabas_records::Header;

use crate::encode::cells::Cells;
use crate::{ColumnarError, Result};

/// Headers of each row.
#[derive(Debug)]
pub(crate) struct Headers {
    pub(super) nulls: Option<NullBuffer>,
    pub(super) ends: Ends,
    pub(super) elements: Option<NullBuffer>,
    pub(super) elements_len: usize,
    pub(super) keys: Cells,
    pub(super) values: Cells,
}

#[derive(Debug)]
pub(super) enum Ends {
    Small(ScalarBuffer<i32>),
    Large(ScalarBuffer<i64>),
}

impl Ends {
    fn range(&self, row: usize) -> Option<(usize, usize)> {
        let next = row.checked_add(1)?;
        match self {
            Self::Small(ends) => Some((ends.get(row)?.to_usize()?, ends.get(next)?.to_usize()?)),
            Self::Large(ends) => Some((ends.get(row)?.to_usize()?, ends.get(next)?.to_usize()?)),
        }
    }
}

impl Headers {
    /// The headers of a `list` or `large_list` of structs with the fields `key` and `value`, or of a `map`.
    ///
    /// # Errors
    /// Another type, or keys and values that are not bytes.
    pub(crate) fn new(name: &str, array: &ArrayRef) -> Result<Self> {
        let mistyped = || ColumnarError::MistypedColumn {
            column: name.to_owned(),
            data_type: array.data_type().clone(),
            wanted: "a list of structs of key and value, or a map",
        };
        let (ends, entries, positional) = match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                (
                    Ends::Small(list.offsets().inner().clone()),
                    list.values().as_struct_opt(),
                    false,
                )
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                (
                    Ends::Large(list.offsets().inner().clone()),
                    list.values().as_struct_opt(),
                    false,
                )
            }
            DataType::Map(_, _) => {
                let map = array.as_map();
                (Ends::Small(map.offsets().inner().clone()), Some(map.entries()), true)
            }
            _ => return Err(mistyped()),
        };
        let entries: &StructArray = entries.ok_or_else(mistyped)?;
        let field = |index: usize, wanted: &str| {
            let found = if positional {
                entries.columns().get(index)
            } else {
                entries.column_by_name(wanted)
            };
            found.ok_or_else(mistyped)
        };
        Ok(Self {
            nulls: array.nulls().cloned(),
            ends,
            elements: entries.nulls().cloned(),
            elements_len: entries.len(),
            keys: Cells::new("headers.key", field(0, "key")?)?,
            values: Cells::new("headers.value", field(1, "value")?)?,
        })
    }

    /// Puts the headers of one row into `found`; null is no headers.
    ///
    /// # Errors
    /// A header without a key, which Kafka refuses, or a broken array.
    pub(crate) fn read<'a>(&'a self, row: usize, found: &mut Vec<Header<'a>>) -> Result<()> {
        found.clear();
        if let Some(nulls) = &self.nulls
            && (row >= nulls.len() || nulls.is_null(row))
        {
            return Ok(());
        }
        let invalid = |reason| ColumnarError::InvalidRow {
            column: "headers".to_owned(),
            row,
            reason,
        };
        let (start, end) = self
            .ends
            .range(row)
            .filter(|(start, end)| start <= end && *end <= self.elements_len)
            .ok_or_else(|| invalid("the array is broken: its list offsets do not ascend within its elements"))?;
        for element in start..end {
            let is_missing = |nulls: &NullBuffer| element >= nulls.len() || nulls.is_null(element);
            let key = match &self.elements {
                Some(nulls) if is_missing(nulls) => None,
                _ => self.keys.get(element)?,
            };
            let key = key.ok_or_else(|| invalid("a header has no key, which Kafka does not allow"))?;
            found.push((key, self.values.get(element)?));
        }
        Ok(())
    }
}
