//! Reading Avro's binary encoding from bytes that are not trusted, and skipping what nobody asked for.

use std::borrow::Cow;

use super::schema::{Kind, NodeId, Schema};

/// Deepest nesting of values that are skipped: a recursive type nests as deep as the bytes say.
pub const SKIP_DEPTH_LIMIT: usize = 512;

/// Most elements that take no bytes (null, a fixed of size 0, an empty record) in one array.
pub const EMPTY_ITEMS_LIMIT: usize = 4_096;

/// Why a value could not be read.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It is not what its schema says.
    Malformed {
        /// Bytes that were left where it was noticed.
        left: usize,
        what: Cow<'static, str>,
        /// The fields around it, from the inside out.
        path: Vec<String>,
    },
    /// A column would not fit 32-bit offsets.
    TooLarge,
}

/// The fault stays behind a pointer, so that results stay in registers.
pub(crate) type Read<T> = Result<T, Box<Fault>>;

#[cold]
pub(crate) fn malformed<T>(left: usize, what: impl Into<Cow<'static, str>>) -> Read<T> {
    Err(Box::new(Fault::Malformed {
        left,
        what: what.into(),
        path: Vec::new(),
    }))
}

/// Adds the field around it to a fault.
#[cold]
#[expect(clippy::unnecessary_box_returns, reason = "it comes and goes behind its pointer")]
pub(crate) fn within(mut fault: Box<Fault>, name: &str) -> Box<Fault> {
    if let Fault::Malformed { path, .. } = fault.as_mut() {
        path.push(name.to_owned());
    }
    fault
}

/// What is left of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(value: &'a [u8]) -> Self {
        Self { rest: value }
    }

    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    #[cold]
    fn fail<T>(&self, what: &'static str) -> Read<T> {
        malformed(self.left(), what)
    }

    #[inline]
    pub(crate) fn take(&mut self, size: usize) -> Read<&'a [u8]> {
        match self.rest.split_at_checked(size) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => self.fail("the value ends too early"),
        }
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => self.fail("the value ends too early"),
        }
    }

    #[inline]
    pub(crate) fn boolean(&mut self) -> Read<bool> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => self.fail("a boolean is neither 0 nor 1"),
        }
    }

    /// An int or long before it is zigzag-decoded.
    #[inline]
    fn varint(&mut self) -> Read<u64> {
        match *self.rest {
            [first, ref rest @ ..] if first < 0x80 => {
                self.rest = rest;
                Ok(u64::from(first))
            }
            [first, second, ref rest @ ..] if second < 0x80 => {
                self.rest = rest;
                Ok(u64::from(first & 0x7f) | u64::from(second) << 7)
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Read<u64> {
        let mut value = 0_u64;
        for (index, &byte) in self.rest.iter().take(10).enumerate() {
            let bits = u64::from(byte & 0x7f);
            let shift = 7_usize.saturating_mul(index);
            if shift == 63 && bits > 1 {
                return self.fail("a number has more than 64 bits");
            }
            value |= bits << shift;
            if byte < 0x80 {
                self.rest = self.rest.get(index.saturating_add(1)..).unwrap_or_default();
                return Ok(value);
            }
        }
        self.fail("a number does not end")
    }

    #[inline]
    pub(crate) fn long(&mut self) -> Read<i64> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    #[inline]
    pub(crate) fn int(&mut self) -> Read<i32> {
        match i32::try_from(self.long()?) {
            Ok(value) => Ok(value),
            Err(_) => self.fail("an int has more than 32 bits"),
        }
    }

    #[inline]
    pub(crate) fn float(&mut self) -> Read<f32> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    #[inline]
    pub(crate) fn double(&mut self) -> Read<f64> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    /// The index of a union's branch or of a symbol.
    #[inline]
    pub(crate) fn index(&mut self) -> Read<usize> {
        match usize::try_from(self.long()?) {
            Ok(index) => Ok(index),
            Err(_) => self.fail("an index is negative"),
        }
    }

    #[inline]
    pub(crate) fn size(&mut self) -> Read<usize> {
        match usize::try_from(self.long()?) {
            Ok(size) if size <= self.left() => Ok(size),
            Ok(_) => self.fail("a size is larger than what is left of the value"),
            Err(_) => self.fail("a size is negative"),
        }
    }

    #[inline]
    pub(crate) fn bytes(&mut self) -> Read<&'a [u8]> {
        let size = self.size()?;
        self.take(size)
    }

    /// The next block of an array or map: its element count and, if the writer gave it, its size in bytes. A count of
    /// 0 ends them. A count is never larger than what the bytes that are left can hold.
    #[inline]
    pub(crate) fn block(&mut self, items_are_empty: bool) -> Read<(usize, Option<usize>)> {
        let count = self.long()?;
        let size = if count < 0 { Some(self.size()?) } else { None };
        let count = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        let most = if items_are_empty {
            EMPTY_ITEMS_LIMIT
        } else {
            size.unwrap_or(self.left())
        };
        if count > most {
            return self.fail("a block counts more elements than its bytes can hold");
        }
        Ok((count, size))
    }

    /// Passes over a value without looking into what its sizes already tell.
    pub(crate) fn skip(&mut self, schema: &Schema, id: NodeId, depth: usize) -> Read<()> {
        if depth > SKIP_DEPTH_LIMIT {
            return self.fail("values are nested deeper than SKIP_DEPTH_LIMIT");
        }
        let node = schema.node(id);
        if node.is_empty {
            return Ok(());
        }
        let inner = depth.saturating_add(1);
        match &node.kind {
            Kind::Null => {}
            Kind::Boolean => {
                self.boolean()?;
            }
            Kind::Int => {
                self.int()?;
            }
            Kind::Long => {
                self.long()?;
            }
            Kind::Float => {
                self.array::<4>()?;
            }
            Kind::Double => {
                self.array::<8>()?;
            }
            Kind::Bytes | Kind::String => {
                self.bytes()?;
            }
            Kind::Fixed(_, size) => {
                self.take(*size)?;
            }
            Kind::Enum(_, symbols) => {
                if self.index()? >= symbols.symbols.len() {
                    return self.fail("an index is none of the enum's symbols");
                }
            }
            Kind::Record(_, fields) => {
                for field in fields {
                    self.skip(schema, field.node, inner)?;
                }
            }
            Kind::Union(branches) => {
                let index = self.index()?;
                let Some(branch) = branches.get(index) else {
                    return self.fail("an index is none of the union's branches");
                };
                self.skip(schema, *branch, inner)?;
            }
            Kind::Array(items) => self.skip_blocks(schema, *items, false, inner)?,
            Kind::Map(values) => self.skip_blocks(schema, *values, true, inner)?,
        }
        Ok(())
    }

    fn skip_blocks(&mut self, schema: &Schema, items: NodeId, keyed: bool, depth: usize) -> Read<()> {
        let is_empty = !keyed && schema.node(items).is_empty;
        loop {
            match self.block(is_empty)? {
                (0, _) => return Ok(()),
                (_, Some(size)) => {
                    self.take(size)?;
                }
                (_, None) if is_empty => {}
                (count, None) => {
                    for _ in 0..count {
                        if keyed {
                            self.bytes()?;
                        }
                        self.skip(schema, items, depth)?;
                    }
                }
            }
        }
    }
}
