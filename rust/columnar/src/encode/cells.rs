//! Columns whose cells are bytes, read with every offset checked: arrays that came through the C data interface are as
//! trustworthy as whoever made them.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType,
    Int8Type, Int16Type, Int32Type, Int64Type, StringViewType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;

use crate::{ColumnarError, Result};

/// Longest value that a view holds itself.
const VIEW_INLINE_LEN: usize = 12;
/// What the array cannot be.
const BROKEN: &str = "the array is broken: an offset, index or view points outside of its buffers";

/// Bytes, or nothing, for each row.
#[derive(Debug)]
pub(crate) struct Cells {
    /// For messages.
    pub(super) name: String,
    pub(super) nulls: Option<NullBuffer>,
    pub(super) is_text: bool,
    pub(super) layout: Layout,
}

#[derive(Debug)]
pub(super) enum Layout {
    Small { ends: ScalarBuffer<i32>, data: Buffer },
    Large { ends: ScalarBuffer<i64>, data: Buffer },
    Views { views: Buffer, blocks: Vec<Buffer> },
    Fixed { width: usize, data: Buffer },
    Dictionary { indexes: Vec<u32>, values: Box<Cells> },
    Null,
}

impl Cells {
    /// The cells of an array of binary or string, their large and view forms, fixed-size binary, or a dictionary of these.
    ///
    /// # Errors
    /// Another type, or a dictionary whose indexes point outside of it.
    pub(crate) fn new(name: &str, array: &ArrayRef) -> Result<Self> {
        let layout = match array.data_type() {
            DataType::Binary => small::<GenericBinaryType<i32>>(array),
            DataType::Utf8 => small::<GenericStringType<i32>>(array),
            DataType::LargeBinary => large::<GenericBinaryType<i64>>(array),
            DataType::LargeUtf8 => large::<GenericStringType<i64>>(array),
            DataType::BinaryView => views::<BinaryViewType>(array),
            DataType::Utf8View => views::<StringViewType>(array),
            DataType::FixedSizeBinary(width) => Layout::Fixed {
                width: usize::try_from(*width).unwrap_or(0),
                data: array.as_fixed_size_binary().values().clone(),
            },
            DataType::Dictionary(index_type, _) => dictionary(name, index_type, array)?,
            DataType::Null => Layout::Null,
            other => {
                return Err(ColumnarError::NotBytes {
                    column: name.to_owned(),
                    data_type: other.clone(),
                });
            }
        };
        let is_text = match (&layout, array.data_type()) {
            (Layout::Dictionary { values, .. }, _) => values.is_text,
            (_, data_type) => matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
        };
        Ok(Self {
            name: name.to_owned(),
            nulls: array.nulls().cloned(),
            is_text,
            layout,
        })
    }

    /// Whether the column's type says that its cells are UTF-8. Nobody has checked that they are.
    pub(crate) fn is_text(&self) -> bool {
        self.is_text
    }

    /// The bytes of one row, nothing where it is null.
    ///
    /// # Errors
    /// The array is broken in this row.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "its result would go through memory; a dictionary's values take the call below"
    )]
    pub(crate) fn get(&self, row: usize) -> Result<Option<&[u8]>> {
        if let Some(nulls) = &self.nulls
            && (row >= nulls.len() || nulls.is_null(row))
        {
            return Ok(None);
        }
        let found = match &self.layout {
            Layout::Small { ends, data } => between(ends, data, row),
            Layout::Large { ends, data } => between(ends, data, row),
            Layout::Views { views, blocks } => viewed(views, blocks, row),
            Layout::Fixed { width, data } => row
                .checked_mul(*width)
                .and_then(|start| data.get(start..)?.get(..*width)),
            Layout::Dictionary { indexes, values } => match indexes.get(row) {
                Some(index) => return values.get_called(*index as usize),
                None => None,
            },
            Layout::Null => return Ok(None),
        };
        match found {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(self.broken(row)),
        }
    }

    /// As [`Cells::get`], without being part of it.
    #[inline(never)]
    fn get_called(&self, row: usize) -> Result<Option<&[u8]>> {
        self.get(row)
    }

    #[cold]
    fn broken(&self, row: usize) -> ColumnarError {
        ColumnarError::InvalidRow {
            column: self.name.clone(),
            row,
            reason: BROKEN,
        }
    }
}

#[inline]
fn between<'a, O: ArrowNativeType>(ends: &[O], data: &'a [u8], row: usize) -> Option<&'a [u8]> {
    let start = ends.get(row)?.to_usize()?;
    let end = ends.get(row.checked_add(1)?)?.to_usize()?;
    data.get(start..end)
}

/// The bytes of a view: its length, then the bytes themselves or four of them, a block's index and a place in it.
#[inline]
fn viewed<'a>(views: &'a [u8], blocks: &'a [Buffer], row: usize) -> Option<&'a [u8]> {
    let view: &[u8; 16] = views.get(row.checked_mul(16)?..)?.first_chunk()?;
    let word = |at: usize| Some(u32::from_le_bytes(*view.get(at..)?.first_chunk()?) as usize);
    let length = word(0)?;
    if length <= VIEW_INLINE_LEN {
        return view.get(4..)?.get(..length);
    }
    blocks.get(word(8)?)?.get(word(12)?..)?.get(..length)
}

fn small<T: ByteArrayType<Offset = i32>>(array: &ArrayRef) -> Layout {
    let array = array.as_bytes::<T>();
    Layout::Small {
        ends: array.offsets().inner().clone(),
        data: array.values().clone(),
    }
}

fn large<T: ByteArrayType<Offset = i64>>(array: &ArrayRef) -> Layout {
    let array = array.as_bytes::<T>();
    Layout::Large {
        ends: array.offsets().inner().clone(),
        data: array.values().clone(),
    }
}

fn views<T: ByteViewType>(array: &ArrayRef) -> Layout {
    let array = array.as_byte_view::<T>();
    Layout::Views {
        views: array.views().inner().clone(),
        blocks: array.data_buffers().to_vec(),
    }
}

fn dictionary(name: &str, index_type: &DataType, array: &ArrayRef) -> Result<Layout> {
    match index_type {
        DataType::Int8 => indexed::<Int8Type>(name, array),
        DataType::Int16 => indexed::<Int16Type>(name, array),
        DataType::Int32 => indexed::<Int32Type>(name, array),
        DataType::Int64 => indexed::<Int64Type>(name, array),
        DataType::UInt8 => indexed::<UInt8Type>(name, array),
        DataType::UInt16 => indexed::<UInt16Type>(name, array),
        DataType::UInt32 => indexed::<UInt32Type>(name, array),
        DataType::UInt64 => indexed::<UInt64Type>(name, array),
        other => Err(ColumnarError::NotBytes {
            column: name.to_owned(),
            data_type: other.clone(),
        }),
    }
}

/// The indexes as numbers of one width, checked once; what stands under a null is not looked at.
fn indexed<T: ArrowDictionaryKeyType>(name: &str, array: &ArrayRef) -> Result<Layout> {
    let array = array.as_dictionary::<T>();
    let values = array.values();
    if matches!(values.data_type(), DataType::Dictionary(_, _)) {
        return Err(ColumnarError::NotBytes {
            column: name.to_owned(),
            data_type: array.data_type().clone(),
        });
    }
    let nulls = array.keys().nulls();
    let index = |(row, index): (usize, &T::Native)| {
        if nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(0);
        }
        let index = index.to_usize().filter(|index| *index < values.len());
        index
            .and_then(|index| u32::try_from(index).ok())
            .ok_or_else(|| ColumnarError::InvalidRow {
                column: name.to_owned(),
                row,
                reason: BROKEN,
            })
    };
    Ok(Layout::Dictionary {
        indexes: array
            .keys()
            .values()
            .iter()
            .enumerate()
            .map(index)
            .collect::<Result<_>>()?,
        values: Box::new(Cells::new(name, values)?),
    })
}
