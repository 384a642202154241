//! Records inside messages, and messages in parts, so that records are sent from where they lie.

use bytes::Bytes;

use super::codec::{Context, Wire};
use crate::error::{Result, WireError};
use crate::primitives::{Reader, Writer};

/// The records of one partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Records<'a> {
    /// No records field at all.
    #[default]
    Null,
    /// Whole record batches.
    Bytes(&'a [u8]),
    /// So many bytes of record batches that are sent apart from the message; only for encoding in parts.
    Apart(usize),
}

impl<'a> Records<'a> {
    /// The record batches, if they are at hand.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Null | Self::Apart(_) => None,
        }
    }

    /// Bytes of records.
    pub fn len(&self) -> usize {
        match self {
            Self::Null => 0,
            Self::Bytes(bytes) => bytes.len(),
            Self::Apart(length) => *length,
        }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> Wire<'a> for Records<'a> {
    const SIZE_MIN: usize = 1;

    fn read(reader: &mut Reader<'a>, context: Context) -> Result<Self> {
        match reader.nullable_bytes(context.flexible)? {
            Some(bytes) => Ok(Self::Bytes(bytes)),
            None if context.nullable => Ok(Self::Null),
            None => Err(WireError::UnexpectedNull {
                version: context.version,
            }),
        }
    }

    fn write(&self, writer: &mut Writer, context: Context) -> Result<()> {
        match self {
            Self::Null if !context.nullable => Err(WireError::UnexpectedNull {
                version: context.version,
            }),
            Self::Null => writer.nullable_bytes(None, context.flexible),
            Self::Bytes(bytes) => writer.nullable_bytes(Some(bytes), context.flexible),
            Self::Apart(length) => writer.records_apart(*length, context.flexible),
        }
    }
}

/// A piece of an encoded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Bytes of the message.
    Bytes(Bytes),
    /// Here go `len` bytes of records: those of the message's `index`-th [`Records::Apart`], in order of the fields.
    Records {
        /// Counts the message's `Records::Apart` from zero.
        index: usize,
        /// The length as declared.
        len: usize,
    },
}

impl Part {
    /// Bytes that this part will put on the wire.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Records { len, .. } => *len,
        }
    }

    /// Whether this part puts nothing on the wire.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Bytes that the parts will put on the wire.
pub fn total_len(parts: &[Part]) -> usize {
    parts.iter().map(Part::len).sum()
}

/// Encodes with `body` after `prefix` and splits the result around the records that are sent apart. With `framed`, the
/// first four bytes of `prefix` are set to the length of what follows them.
pub(crate) fn encode_in_parts(
    prefix: Vec<u8>,
    framed: bool,
    body: impl FnOnce(&mut Writer) -> Result<()>,
) -> Result<Vec<Part>> {
    let mut writer = Writer::in_parts(prefix);
    body(&mut writer)?;
    let (mut bytes, slots) = writer.into_parts();
    if framed {
        let length = bytes.len() + slots.iter().map(|slot| slot.length).sum::<usize>();
        let length = length.saturating_sub(size_of::<i32>());
        let size = i32::try_from(length).map_err(|_| WireError::TooLong { length })?;
        if let Some(front) = bytes.first_chunk_mut() {
            *front = size.to_be_bytes();
        }
    }
    let mut rest = Bytes::from(bytes);
    let mut done = 0;
    let mut parts = Vec::with_capacity(2 * slots.len() + 1);
    for (index, slot) in slots.into_iter().enumerate() {
        if slot.length == 0 {
            continue;
        }
        let before = rest.split_to(slot.position - done);
        done = slot.position;
        if !before.is_empty() {
            parts.push(Part::Bytes(before));
        }
        parts.push(Part::Records {
            index,
            len: slot.length,
        });
    }
    if !rest.is_empty() {
        parts.push(Part::Bytes(rest));
    }
    Ok(parts)
}
