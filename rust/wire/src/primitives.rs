//! Kafka's primitive types, read from a slice and appended to a vector. Nothing here trusts a length.
//!
//! `flexible` picks the compact forms (lengths as unsigned varints, one more than the value, zero for null) over the
//! classic ones (fixed-width lengths, -1 for null).

use crate::error::{Result, WireError};

/// A topic id, directory id or other 128-bit id.
pub type Uuid = [u8; 16];

/// The id that means "none".
pub const ZERO_UUID: Uuid = [0; 16];

/// The longest string that Kafka accepts, in bytes.
pub const STRING_BYTES_LIMIT: usize = 0x7fff;

/// Elements that are allocated before the first has been decoded; more come only as elements do.
const PREALLOCATED_ELEMENTS_LIMIT: usize = 128;

/// A tagged field that the schema does not know, kept as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawTaggedField<'a> {
    /// The tag.
    pub tag: u32,
    /// The field's bytes.
    pub data: &'a [u8],
}

/// Reads values from the front of a slice. No read panics, however hostile the input.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes have not been read.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Checks that everything has been read.
    pub fn finish(&self) -> Result<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(WireError::TrailingBytes {
                remaining: self.rest.len(),
            })
        }
    }

    /// The next `length` bytes.
    #[inline]
    pub fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let Some((head, rest)) = self.rest.split_at_checked(length) else {
            return Err(WireError::Truncated {
                needed: length,
                remaining: self.rest.len(),
            });
        };
        self.rest = rest;
        Ok(head)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some((head, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(WireError::Truncated {
                needed: N,
                remaining: self.rest.len(),
            });
        };
        self.rest = rest;
        Ok(*head)
    }

    /// A boolean: any byte but zero is true.
    pub fn bool(&mut self) -> Result<bool> {
        Ok(self.i8()? != 0)
    }

    /// A signed byte.
    pub fn i8(&mut self) -> Result<i8> {
        Ok(i8::from_be_bytes(self.array()?))
    }

    /// A signed 16-bit integer.
    pub fn i16(&mut self) -> Result<i16> {
        Ok(i16::from_be_bytes(self.array()?))
    }

    /// An unsigned 16-bit integer.
    pub fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    /// A signed 32-bit integer.
    pub fn i32(&mut self) -> Result<i32> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// An unsigned 32-bit integer.
    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    /// A signed 64-bit integer.
    pub fn i64(&mut self) -> Result<i64> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// A 64-bit float.
    pub fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_be_bytes(self.array()?))
    }

    /// A UUID.
    pub fn uuid(&mut self) -> Result<Uuid> {
        self.array()
    }

    /// An unsigned variable-length integer of at most 32 bits.
    pub fn uvarint(&mut self) -> Result<u32> {
        let mut value = 0u32;
        for shift in [0u32, 7, 14, 21, 28] {
            let [byte] = self.array()?;
            let bits = u32::from(byte & 0x7f);
            if shift == 28 && bits > 0x0f {
                return Err(WireError::InvalidVarint);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(WireError::InvalidVarint)
    }

    /// A compact length: `None` for null.
    /// A length, or null for any negative one, as Kafka reads it: the number is 32 bits wide and counts from one.
    fn compact_length(&mut self) -> Result<Option<usize>> {
        let length = self.uvarint()?.wrapping_sub(1);
        Ok(Self::length_or_null(length.cast_signed()))
    }

    fn length_or_null(length: i32) -> Option<usize> {
        usize::try_from(length).ok()
    }

    /// A string or null.
    pub fn nullable_str(&mut self, flexible: bool) -> Result<Option<&'a str>> {
        let length = if flexible {
            self.compact_length()?
        } else {
            Self::length_or_null(i32::from(self.i16()?))
        };
        let Some(length) = length else { return Ok(None) };
        if length > STRING_BYTES_LIMIT {
            return Err(WireError::TooLong { length });
        }
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map(Some).map_err(|_| WireError::InvalidUtf8)
    }

    /// Bytes or null. Record data has the same form.
    pub fn nullable_bytes(&mut self, flexible: bool) -> Result<Option<&'a [u8]>> {
        let length = if flexible {
            self.compact_length()?
        } else {
            Self::length_or_null(self.i32()?)
        };
        length.map(|length| self.take(length)).transpose()
    }

    /// The count of an array, or null. Refused if the bytes left cannot hold that many elements of at least
    /// `element_size_min` bytes (taken as one if zero).
    pub fn nullable_count(&mut self, flexible: bool, element_size_min: usize) -> Result<Option<usize>> {
        let count = if flexible {
            self.compact_length()?
        } else {
            Self::length_or_null(self.i32()?)
        };
        if let Some(count) = count
            && count > self.rest.len() / element_size_min.max(1)
        {
            let length = i64::try_from(count).unwrap_or(i64::MAX);
            return Err(WireError::InvalidLength {
                length,
                remaining: self.rest.len(),
            });
        }
        Ok(count)
    }

    /// How many elements to allocate at once for an array of `count`.
    pub fn preallocated(count: usize) -> usize {
        count.min(PREALLOCATED_ELEMENTS_LIMIT)
    }

    /// Reads a section of tagged fields, calling `field` with each.
    pub fn tagged_fields<E: From<WireError>>(
        &mut self,
        mut field: impl FnMut(RawTaggedField<'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let count = self.uvarint()?;
        for _ in 0..count {
            let tag = self.uvarint()?;
            let size = self.uvarint()?;
            let size = usize::try_from(size).map_err(|_| WireError::InvalidVarint)?;
            let data = self.take(size)?;
            field(RawTaggedField { tag, data })?;
        }
        Ok(())
    }

    /// Reads a section of tagged fields and drops what it holds.
    pub fn skip_tagged_fields(&mut self) -> Result<()> {
        self.tagged_fields(|_| Ok::<(), WireError>(()))
    }
}

/// Where records that are sent apart belong in an encoded message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Bytes of the message before the records.
    pub(crate) position: usize,
    /// The length that was declared.
    pub(crate) length: usize,
}

/// Appends values to a vector.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    slots: Option<Vec<Slot>>,
}

impl Writer {
    /// An empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// A writer that appends to `bytes`.
    pub fn append_to(bytes: Vec<u8>) -> Self {
        Self { bytes, slots: None }
    }

    /// A writer that leaves records out and remembers where they belong.
    pub(crate) fn in_parts(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            slots: Some(Vec::new()),
        }
    }

    /// The bytes written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn into_parts(self) -> (Vec<u8>, Vec<Slot>) {
        (self.bytes, self.slots.unwrap_or_default())
    }

    /// The bytes written so far, with those that were there before.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bytes are there.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A boolean.
    pub fn bool(&mut self, value: bool) {
        self.bytes.push(u8::from(value));
    }

    /// A signed byte.
    pub fn i8(&mut self, value: i8) {
        self.raw(&value.to_be_bytes());
    }

    /// A signed 16-bit integer.
    pub fn i16(&mut self, value: i16) {
        self.raw(&value.to_be_bytes());
    }

    /// An unsigned 16-bit integer.
    pub fn u16(&mut self, value: u16) {
        self.raw(&value.to_be_bytes());
    }

    /// A signed 32-bit integer.
    pub fn i32(&mut self, value: i32) {
        self.raw(&value.to_be_bytes());
    }

    /// An unsigned 32-bit integer.
    pub fn u32(&mut self, value: u32) {
        self.raw(&value.to_be_bytes());
    }

    /// A signed 64-bit integer.
    pub fn i64(&mut self, value: i64) {
        self.raw(&value.to_be_bytes());
    }

    /// A 64-bit float.
    pub fn f64(&mut self, value: f64) {
        self.raw(&value.to_be_bytes());
    }

    /// A UUID.
    pub fn uuid(&mut self, value: &Uuid) {
        self.raw(value);
    }

    /// An unsigned variable-length integer.
    pub fn uvarint(&mut self, mut value: u32) {
        loop {
            let [low, ..] = value.to_le_bytes();
            value >>= 7;
            if value == 0 {
                self.bytes.push(low & 0x7f);
                return;
            }
            self.bytes.push(low | 0x80);
        }
    }

    fn compact_length(&mut self, length: Option<usize>) -> Result<()> {
        let encoded = match length {
            None => 0,
            Some(length) => i32::try_from(length)
                .ok()
                .and_then(|length| u32::try_from(length).ok())
                .and_then(|length| length.checked_add(1))
                .ok_or(WireError::TooLong { length })?,
        };
        self.uvarint(encoded);
        Ok(())
    }

    fn classic_length(&mut self, length: Option<usize>) -> Result<()> {
        let encoded = match length {
            None => -1,
            Some(length) => i32::try_from(length).map_err(|_| WireError::TooLong { length })?,
        };
        self.i32(encoded);
        Ok(())
    }

    /// A string or null.
    pub fn nullable_str(&mut self, value: Option<&str>, flexible: bool) -> Result<()> {
        let length = value.map(str::len);
        if let Some(length) = length
            && length > STRING_BYTES_LIMIT
        {
            return Err(WireError::TooLong { length });
        }
        if flexible {
            self.compact_length(length)?;
        } else {
            let encoded = match length {
                None => -1,
                Some(length) => i16::try_from(length).map_err(|_| WireError::TooLong { length })?,
            };
            self.i16(encoded);
        }
        self.raw(value.unwrap_or_default().as_bytes());
        Ok(())
    }

    /// Bytes or null.
    pub fn nullable_bytes(&mut self, value: Option<&[u8]>, flexible: bool) -> Result<()> {
        self.nullable_count(value.map(<[u8]>::len), flexible)?;
        self.raw(value.unwrap_or_default());
        Ok(())
    }

    /// The count of an array, or null.
    pub fn nullable_count(&mut self, count: Option<usize>, flexible: bool) -> Result<()> {
        if flexible {
            self.compact_length(count)
        } else {
            self.classic_length(count)
        }
    }

    /// Declares `length` bytes of records that are sent apart.
    pub(crate) fn records_apart(&mut self, length: usize, flexible: bool) -> Result<()> {
        self.nullable_count(Some(length), flexible)?;
        let position = self.bytes.len();
        let slots = self.slots.as_mut().ok_or(WireError::RecordsApart)?;
        slots.push(Slot { position, length });
        Ok(())
    }

    /// A section of tagged fields; `fields` must be in ascending order of their tags.
    pub fn tagged_fields<'f>(&mut self, fields: impl ExactSizeIterator<Item = RawTaggedField<'f>>) -> Result<()> {
        let count = fields.len();
        self.uvarint(u32::try_from(count).map_err(|_| WireError::TooLong { length: count })?);
        for field in fields {
            let length = field.data.len();
            self.uvarint(field.tag);
            self.uvarint(u32::try_from(length).map_err(|_| WireError::TooLong { length })?);
            self.raw(field.data);
        }
        Ok(())
    }

    /// An empty section of tagged fields.
    pub fn no_tagged_fields(&mut self) {
        self.bytes.push(0);
    }
}
