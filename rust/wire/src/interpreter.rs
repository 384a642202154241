//! Encodes and decodes any message of the table at any version.
//!
//! Decoding calls a [`Visitor`], which builds whatever it likes; encoding asks a [`Source`]. Fields that a version
//! lacks come out as their defaults, and go in by Kafka's rule: the value is dropped if the field is ignorable or holds
//! its default, else it is an error. Tagged fields that the table does not know are kept.

use std::borrow::Cow;

use crate::error::{Result, WireError};
use crate::primitives::{RawTaggedField, Reader, Uuid, Writer, ZERO_UUID};
use crate::table::{Default, Field, Kind, Schema, Struct};

/// A value that is neither struct nor array.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names of the wire's types")]
pub enum Scalar<'a> {
    Null,
    Bool(bool),
    Int8(i8),
    Int16(i16),
    Uint16(u16),
    Int32(i32),
    Uint32(u32),
    Int64(i64),
    Float64(f64),
    Uuid(Uuid),
    Str(&'a str),
    Bytes(&'a [u8]),
    Records(&'a [u8]),
}

/// Tagged fields that the table does not know: tags and bytes.
pub type UnknownFields<'a> = Vec<(u32, Cow<'a, [u8]>)>;

/// Builds what is decoded.
pub trait Visitor<'a> {
    /// A finished value.
    type Value;
    /// A struct that is being built.
    type Struct;
    /// An array that is being built.
    type Array;
    /// What can go wrong.
    type Error: From<WireError>;

    /// A scalar.
    fn scalar(&mut self, scalar: Scalar<'a>) -> Result<Self::Value, Self::Error>;
    /// Starts a struct.
    fn begin_struct(&mut self, of: &'static Struct) -> Result<Self::Struct, Self::Error>;
    /// Sets the struct's field with this index. Every field is set once, in any order.
    fn set(&mut self, of: &mut Self::Struct, index: usize, value: Self::Value) -> Result<(), Self::Error>;
    /// Ends a struct; `unknown` are the tagged fields that the table does not know.
    fn end_struct(&mut self, of: Self::Struct, unknown: &[RawTaggedField<'a>]) -> Result<Self::Value, Self::Error>;
    /// Starts an array; `capacity` is how many elements may be allocated at once.
    fn begin_array(&mut self, capacity: usize) -> Result<Self::Array, Self::Error>;
    /// Appends an element.
    fn push(&mut self, array: &mut Self::Array, value: Self::Value) -> Result<(), Self::Error>;
    /// Ends an array.
    fn end_array(&mut self, array: Self::Array) -> Result<Self::Value, Self::Error>;
}

/// A value that can be encoded.
pub trait Source: Sized {
    /// What can go wrong.
    type Error: From<WireError>;

    /// Whether it is null.
    fn is_null(&self) -> bool;
    /// Its truth.
    fn bool(&self) -> Result<bool, Self::Error>;
    /// Its number.
    fn int(&self) -> Result<i64, Self::Error>;
    /// Its number.
    fn float(&self) -> Result<f64, Self::Error>;
    /// Its id.
    fn uuid(&self) -> Result<Uuid, Self::Error>;
    /// Its text.
    fn str(&self) -> Result<Cow<'_, str>, Self::Error>;
    /// Its bytes, or records.
    fn bytes(&self) -> Result<Cow<'_, [u8]>, Self::Error>;
    /// The number of its elements.
    fn count(&self) -> Result<usize, Self::Error>;
    /// The element with this index.
    fn element(&self, index: usize) -> Result<Self, Self::Error>;
    /// The field with this index, if it is a struct of this kind.
    fn field(&self, of: &'static Struct, index: usize) -> Result<Self, Self::Error>;
    /// Its tagged fields that the table does not know.
    fn unknown_tagged_fields(&self) -> Result<UnknownFields<'_>, Self::Error>;
}

fn check_version(schema: &'static Schema, version: i16) -> Result<()> {
    if schema.has_version(version) {
        Ok(())
    } else {
        Err(WireError::UnsupportedVersion {
            message: schema.name,
            version,
        })
    }
}

/// Decodes a message; returns what stands behind it, too.
pub fn decode_prefix<'a, V: Visitor<'a>>(
    schema: &'static Schema,
    version: i16,
    bytes: &'a [u8],
    visitor: &mut V,
) -> Result<(V::Value, &'a [u8]), V::Error> {
    check_version(schema, version)?;
    let mut decoder = Decoder {
        reader: Reader::new(bytes),
        version,
        flexible: schema.is_flexible(version),
        visitor,
    };
    let value = decoder.structure(schema.root)?;
    let rest = decoder.reader.rest();
    Ok((value, rest))
}

/// Decodes a message that takes all of `bytes`.
pub fn decode<'a, V: Visitor<'a>>(
    schema: &'static Schema,
    version: i16,
    bytes: &'a [u8],
    visitor: &mut V,
) -> Result<V::Value, V::Error> {
    let (value, rest) = decode_prefix(schema, version, bytes, visitor)?;
    Reader::new(rest).finish()?;
    Ok(value)
}

/// Appends a message to `out`. After an error, `out` holds a part of it.
pub fn encode<S: Source>(schema: &'static Schema, version: i16, source: &S, out: &mut Vec<u8>) -> Result<(), S::Error> {
    check_version(schema, version)?;
    let encoder = Encoder {
        version,
        flexible: schema.is_flexible(version),
    };
    let mut writer = Writer::append_to(std::mem::take(out));
    let result = encoder.structure(schema.root, source, &mut writer);
    *out = writer.into_bytes();
    result
}

struct Decoder<'v, 'a, V> {
    reader: Reader<'a>,
    version: i16,
    flexible: bool,
    visitor: &'v mut V,
}

impl<'a, V: Visitor<'a>> Decoder<'_, 'a, V> {
    fn structure(&mut self, of: &'static Struct) -> Result<V::Value, V::Error> {
        let mut building = self.visitor.begin_struct(of)?;
        let mut set = 0u64;
        let mut bit = 1u64;
        for (index, field) in of.fields.iter().enumerate() {
            if field.versions.contains(self.version) && !field.tagged.contains(self.version) {
                let value = self.field(field)?;
                self.visitor.set(&mut building, index, value)?;
                set |= bit;
            }
            bit <<= 1;
        }
        let mut unknown = Vec::new();
        if self.flexible {
            set |= self.tagged_fields(of, &mut building, &mut unknown)?;
        }
        for (index, field) in of.fields.iter().enumerate() {
            if set & 1 == 0 {
                let value = self.default(field)?;
                self.visitor.set(&mut building, index, value)?;
            }
            set >>= 1;
        }
        self.visitor.end_struct(building, &unknown)
    }

    /// Returns the fields that were there, as bits.
    fn tagged_fields(
        &mut self,
        of: &'static Struct,
        building: &mut V::Struct,
        unknown: &mut Vec<RawTaggedField<'a>>,
    ) -> Result<u64, V::Error> {
        let mut set = 0u64;
        let mut section = self.reader;
        section.tagged_fields(|raw| {
            let known = of.fields.iter().enumerate().find(|(_, field)| {
                field.tag == raw.tag && field.tagged.contains(self.version) && field.versions.contains(self.version)
            });
            let Some((index, field)) = known else {
                unknown.push(raw);
                return Ok(());
            };
            let outside = std::mem::replace(&mut self.reader, Reader::new(raw.data));
            let value = self.tagged_field(field);
            let inside = std::mem::replace(&mut self.reader, outside);
            self.visitor.set(building, index, value?)?;
            set |= 1 << index;
            inside.finish().map_err(V::Error::from)
        })?;
        self.reader = section;
        Ok(set)
    }

    fn tagged_field(&mut self, field: &'static Field) -> Result<V::Value, V::Error> {
        match nullable_struct(field, self.version) {
            // Unlike elsewhere, null is 0 and not -1.
            Some(_) if self.reader.uvarint()? == 0 => self.null(true),
            Some(of) => self.structure(of),
            None => self.field(field),
        }
    }

    fn field(&mut self, field: &'static Field) -> Result<V::Value, V::Error> {
        let nullable = field.nullable.contains(self.version);
        if field.array {
            self.array(field, nullable)
        } else {
            self.value(field.kind, nullable)
        }
    }

    fn array(&mut self, field: &'static Field, nullable: bool) -> Result<V::Value, V::Error> {
        let Some(count) = self.reader.nullable_count(self.flexible, field.kind.size_min())? else {
            return self.null(nullable);
        };
        let mut array = self.visitor.begin_array(Reader::preallocated(count))?;
        for _ in 0..count {
            let element = self.value(field.kind, false)?;
            self.visitor.push(&mut array, element)?;
        }
        self.visitor.end_array(array)
    }

    fn null(&mut self, nullable: bool) -> Result<V::Value, V::Error> {
        if nullable {
            self.visitor.scalar(Scalar::Null)
        } else {
            Err(WireError::UnexpectedNull { version: self.version }.into())
        }
    }

    fn value(&mut self, kind: Kind, nullable: bool) -> Result<V::Value, V::Error> {
        let reader = &mut self.reader;
        let scalar = match kind {
            Kind::Bool => Scalar::Bool(reader.bool()?),
            Kind::Int8 => Scalar::Int8(reader.i8()?),
            Kind::Int16 => Scalar::Int16(reader.i16()?),
            Kind::Uint16 => Scalar::Uint16(reader.u16()?),
            Kind::Int32 => Scalar::Int32(reader.i32()?),
            Kind::Uint32 => Scalar::Uint32(reader.u32()?),
            Kind::Int64 => Scalar::Int64(reader.i64()?),
            Kind::Float64 => Scalar::Float64(reader.f64()?),
            Kind::Uuid => Scalar::Uuid(reader.uuid()?),
            Kind::String => match reader.nullable_str(self.flexible)? {
                Some(text) => Scalar::Str(text),
                None => return self.null(nullable),
            },
            Kind::Bytes => match reader.nullable_bytes(self.flexible)? {
                Some(bytes) => Scalar::Bytes(bytes),
                None => return self.null(nullable),
            },
            Kind::Records => match reader.nullable_bytes(self.flexible)? {
                Some(bytes) => Scalar::Records(bytes),
                None => return self.null(nullable),
            },
            Kind::Struct(of) => {
                if nullable && reader.i8()? < 0 {
                    return self.null(nullable);
                }
                return self.structure(of);
            }
        };
        self.visitor.scalar(scalar)
    }

    fn default(&mut self, field: &'static Field) -> Result<V::Value, V::Error> {
        default_value(field, self.visitor)
    }
}

/// The default of a field.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the generator checks defaults"
)]
fn default_value<'a, V: Visitor<'a>>(field: &'static Field, visitor: &mut V) -> Result<V::Value, V::Error> {
    if matches!(field.default, Default::Null) {
        return visitor.scalar(Scalar::Null);
    }
    if field.array {
        let array = visitor.begin_array(0)?;
        return visitor.end_array(array);
    }
    let integer = if let Default::Int(integer) = field.default {
        integer
    } else {
        0
    };
    let scalar = match field.kind {
        Kind::Bool => Scalar::Bool(matches!(field.default, Default::Bool(true))),
        Kind::Int8 => Scalar::Int8(integer as i8),
        Kind::Int16 => Scalar::Int16(integer as i16),
        Kind::Uint16 => Scalar::Uint16(integer as u16),
        Kind::Int32 => Scalar::Int32(integer as i32),
        Kind::Uint32 => Scalar::Uint32(integer as u32),
        Kind::Int64 => Scalar::Int64(integer),
        Kind::Float64 => Scalar::Float64(if let Default::Float(float) = field.default {
            float
        } else {
            0.0
        }),
        Kind::Uuid => Scalar::Uuid(ZERO_UUID),
        Kind::String => Scalar::Str(if let Default::Str(text) = field.default {
            text
        } else {
            ""
        }),
        Kind::Bytes => Scalar::Bytes(&[]),
        Kind::Records => Scalar::Records(&[]),
        Kind::Struct(of) => {
            let mut building = visitor.begin_struct(of)?;
            for (index, field) in of.fields.iter().enumerate() {
                let value = default_value(field, visitor)?;
                visitor.set(&mut building, index, value)?;
            }
            return visitor.end_struct(building, &[]);
        }
    };
    visitor.scalar(scalar)
}

/// The struct that a field holds, if it is one that may be null.
fn nullable_struct(field: &'static Field, version: i16) -> Option<&'static Struct> {
    match field.kind {
        Kind::Struct(of) if !field.array && field.nullable.contains(version) => Some(of),
        _ => None,
    }
}

#[derive(Clone, Copy)]
struct Encoder {
    version: i16,
    flexible: bool,
}

impl Encoder {
    fn structure<S: Source>(self, of: &'static Struct, source: &S, writer: &mut Writer) -> Result<(), S::Error> {
        let mut tagged: UnknownFields<'_> = Vec::new();
        for (index, field) in of.fields.iter().enumerate() {
            if !field.versions.contains(self.version) {
                if !field.ignorable && !is_default(field, &source.field(of, index)?)? {
                    return Err(WireError::FieldNotInVersion {
                        field: field.name,
                        version: self.version,
                    }
                    .into());
                }
                continue;
            }
            let value = source.field(of, index)?;
            if !field.tagged.contains(self.version) {
                self.field(field, &value, writer)?;
            } else if !is_default(field, &value)? {
                let mut inner = Writer::new();
                self.tagged_field(field, &value, &mut inner)?;
                tagged.push((field.tag, Cow::Owned(inner.into_bytes())));
            }
        }
        if self.flexible {
            tagged.extend(source.unknown_tagged_fields()?);
            tagged.sort_by_key(|(tag, _)| *tag);
            writer.tagged_fields(tagged.iter().map(|(tag, data)| RawTaggedField { tag: *tag, data }))?;
        }
        Ok(())
    }

    fn tagged_field<S: Source>(self, field: &'static Field, value: &S, writer: &mut Writer) -> Result<(), S::Error> {
        let Some(of) = nullable_struct(field, self.version) else {
            return self.field(field, value, writer);
        };
        writer.uvarint(u32::from(!value.is_null()));
        if value.is_null() {
            return Ok(());
        }
        self.structure(of, value, writer)
    }

    fn field<S: Source>(self, field: &'static Field, value: &S, writer: &mut Writer) -> Result<(), S::Error> {
        let nullable = field.nullable.contains(self.version);
        if value.is_null() {
            return if nullable {
                self.null(field, writer).map_err(S::Error::from)
            } else {
                Err(WireError::UnexpectedNull { version: self.version }.into())
            };
        }
        if !field.array {
            return self.value(field.kind, nullable, value, writer);
        }
        let count = value.count()?;
        writer.nullable_count(Some(count), self.flexible)?;
        for index in 0..count {
            let element = value.element(index)?;
            if element.is_null() {
                return Err(WireError::UnexpectedNull { version: self.version }.into());
            }
            self.value(field.kind, false, &element, writer)?;
        }
        Ok(())
    }

    fn null(self, field: &'static Field, writer: &mut Writer) -> Result<()> {
        match field.kind {
            _ if field.array => writer.nullable_count(None, self.flexible),
            Kind::String => writer.nullable_str(None, self.flexible),
            Kind::Struct(_) => {
                writer.i8(-1);
                Ok(())
            }
            _ => writer.nullable_bytes(None, self.flexible),
        }
    }

    fn value<S: Source>(self, kind: Kind, nullable: bool, value: &S, writer: &mut Writer) -> Result<(), S::Error> {
        match kind {
            Kind::Bool => writer.bool(value.bool()?),
            Kind::Int8 => writer.i8(narrow(value.int()?)?),
            Kind::Int16 => writer.i16(narrow(value.int()?)?),
            Kind::Uint16 => writer.u16(narrow(value.int()?)?),
            Kind::Int32 => writer.i32(narrow(value.int()?)?),
            Kind::Uint32 => writer.u32(narrow(value.int()?)?),
            Kind::Int64 => writer.i64(value.int()?),
            Kind::Float64 => writer.f64(value.float()?),
            Kind::Uuid => writer.uuid(&value.uuid()?),
            Kind::String => writer.nullable_str(Some(&value.str()?), self.flexible)?,
            Kind::Bytes | Kind::Records => writer.nullable_bytes(Some(&value.bytes()?), self.flexible)?,
            Kind::Struct(of) => {
                if nullable {
                    writer.i8(1);
                }
                self.structure(of, value, writer)?;
            }
        }
        Ok(())
    }
}

pub(crate) fn narrow<T: TryFrom<i64>>(value: i64) -> Result<T> {
    T::try_from(value).map_err(|_| WireError::IntegerOutOfRange { value })
}

/// Whether a field holds its default.
fn is_default<S: Source>(field: &'static Field, value: &S) -> Result<bool, S::Error> {
    if value.is_null() {
        return Ok(matches!(field.default, Default::Null));
    }
    if field.array {
        return Ok(matches!(field.default, Default::Empty) && value.count()? == 0);
    }
    match (field.kind, field.default) {
        (_, Default::Null) => Ok(false),
        (Kind::Bool, Default::Bool(default)) => Ok(value.bool()? == default),
        (Kind::Float64, Default::Float(default)) => Ok(value.float()?.to_bits() == default.to_bits()),
        (Kind::Uuid, _) => Ok(value.uuid()? == ZERO_UUID),
        (Kind::String, Default::Str(default)) => Ok(value.str()? == default),
        (Kind::String, _) => Ok(value.str()?.is_empty()),
        (Kind::Bytes | Kind::Records, _) => Ok(value.bytes()?.is_empty()),
        (Kind::Struct(of), _) => {
            for (index, field) in of.fields.iter().enumerate() {
                if !is_default(field, &value.field(of, index)?)? {
                    return Ok(false);
                }
            }
            Ok(value.unknown_tagged_fields()?.is_empty())
        }
        (_, Default::Int(default)) => Ok(value.int()? == default),
        (_, _) => Ok(false),
    }
}
