//! Messages as owned trees, for whoever has neither a hand-written struct nor a class.

use std::borrow::Cow;

use crate::error::{Result, WireError};
use crate::interpreter::{self, Scalar, Source, UnknownFields, Visitor};
use crate::primitives::{RawTaggedField, Uuid, ZERO_UUID};
use crate::table::{Default, Field, Kind, Schema, Struct};

/// A value of a message.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names of the wire's types")]
pub enum Value {
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
    Str(String),
    Bytes(Vec<u8>),
    Records(Vec<u8>),
    Array(Vec<Value>),
    Struct(Box<StructValue>),
}

/// The fields of a struct.
#[derive(Debug, Clone)]
pub struct StructValue {
    /// What it is.
    pub of: &'static Struct,
    /// Its fields, all versions', in the table's order.
    pub fields: Vec<Value>,
    /// Tagged fields that the table does not know.
    pub unknown: Vec<(u32, Vec<u8>)>,
}

impl PartialEq for StructValue {
    fn eq(&self, other: &Self) -> bool {
        self.of.id == other.of.id && self.fields == other.fields && self.unknown == other.unknown
    }
}

impl StructValue {
    fn index(&self, name: &str) -> Option<usize> {
        self.of.fields.iter().position(|field| field.name == name)
    }

    /// The field of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(self.index(name)?)
    }

    /// Sets the field of this name; false if there is none.
    pub fn set(&mut self, name: &str, value: Value) -> bool {
        match self.index(name).and_then(|index| self.fields.get_mut(index)) {
            Some(field) => {
                *field = value;
                true
            }
            None => false,
        }
    }
}

impl Value {
    /// A struct with every field at its default.
    pub fn struct_of_defaults(of: &'static Struct) -> Self {
        let fields = of.fields.iter().map(Self::default_of).collect();
        Self::Struct(Box::new(StructValue {
            of,
            fields,
            unknown: Vec::new(),
        }))
    }

    /// The default of a field.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the generator checks defaults"
    )]
    pub fn default_of(field: &'static Field) -> Self {
        let integer = if let Default::Int(integer) = field.default {
            integer
        } else {
            0
        };
        match (field.kind, field.default) {
            (_, Default::Null) => Self::Null,
            _ if field.array => Self::Array(Vec::new()),
            (Kind::Bool, default) => Self::Bool(default == Default::Bool(true)),
            (Kind::Int8, _) => Self::Int8(integer as i8),
            (Kind::Int16, _) => Self::Int16(integer as i16),
            (Kind::Uint16, _) => Self::Uint16(integer as u16),
            (Kind::Int32, _) => Self::Int32(integer as i32),
            (Kind::Uint32, _) => Self::Uint32(integer as u32),
            (Kind::Int64, _) => Self::Int64(integer),
            (Kind::Float64, Default::Float(float)) => Self::Float64(float),
            (Kind::Float64, _) => Self::Float64(0.0),
            (Kind::Uuid, _) => Self::Uuid(ZERO_UUID),
            (Kind::String, Default::Str(text)) => Self::Str(text.to_owned()),
            (Kind::String, _) => Self::Str(String::new()),
            (Kind::Bytes, _) => Self::Bytes(Vec::new()),
            (Kind::Records, _) => Self::Records(Vec::new()),
            (Kind::Struct(of), _) => Self::struct_of_defaults(of),
        }
    }

    /// The struct that it is.
    pub fn as_struct(&self) -> Option<&StructValue> {
        if let Self::Struct(value) = self {
            Some(value)
        } else {
            None
        }
    }

    /// The struct that it is.
    pub fn as_struct_mut(&mut self) -> Option<&mut StructValue> {
        if let Self::Struct(value) = self {
            Some(value)
        } else {
            None
        }
    }

    /// The field of this name, if it is a struct that has one.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_struct()?.get(name)
    }
}

/// Decodes a message that takes all of `bytes`.
pub fn decode_value(schema: &'static Schema, version: i16, bytes: &[u8]) -> Result<Value> {
    interpreter::decode(schema, version, bytes, &mut ValueBuilder)
}

/// Appends a message to `out`.
pub fn encode_value(schema: &'static Schema, version: i16, value: &Value, out: &mut Vec<u8>) -> Result<()> {
    interpreter::encode(schema, version, &value, out)
}

/// Copies a source, the fields of all versions.
pub fn to_value<S: Source>(schema: &'static Schema, source: &S) -> Result<Value, S::Error> {
    struct_value(schema.root, source)
}

fn struct_value<S: Source>(of: &'static Struct, source: &S) -> Result<Value, S::Error> {
    let mut fields = Vec::with_capacity(of.fields.len());
    for (index, field) in of.fields.iter().enumerate() {
        let value = source.field(of, index)?;
        fields.push(if value.is_null() {
            Value::Null
        } else if field.array {
            let elements: Result<Vec<_>, _> = (0..value.count()?)
                .map(|index| element_value(field.kind, &value.element(index)?))
                .collect();
            Value::Array(elements?)
        } else {
            element_value(field.kind, &value)?
        });
    }
    let unknown = source
        .unknown_tagged_fields()?
        .into_iter()
        .map(|(tag, data)| (tag, data.into_owned()))
        .collect();
    Ok(Value::Struct(Box::new(StructValue { of, fields, unknown })))
}

fn element_value<S: Source>(kind: Kind, value: &S) -> Result<Value, S::Error> {
    Ok(match kind {
        _ if value.is_null() => Value::Null,
        Kind::Bool => Value::Bool(value.bool()?),
        Kind::Int8 => Value::Int8(interpreter::narrow(value.int()?)?),
        Kind::Int16 => Value::Int16(interpreter::narrow(value.int()?)?),
        Kind::Uint16 => Value::Uint16(interpreter::narrow(value.int()?)?),
        Kind::Int32 => Value::Int32(interpreter::narrow(value.int()?)?),
        Kind::Uint32 => Value::Uint32(interpreter::narrow(value.int()?)?),
        Kind::Int64 => Value::Int64(value.int()?),
        Kind::Float64 => Value::Float64(value.float()?),
        Kind::Uuid => Value::Uuid(value.uuid()?),
        Kind::String => Value::Str(value.str()?.into_owned()),
        Kind::Bytes => Value::Bytes(value.bytes()?.into_owned()),
        Kind::Records => Value::Records(value.bytes()?.into_owned()),
        Kind::Struct(of) => struct_value(of, value)?,
    })
}

/// Builds values.
#[derive(Debug, Clone, Copy)]
pub struct ValueBuilder;

impl<'a> Visitor<'a> for ValueBuilder {
    type Value = Value;
    type Struct = StructValue;
    type Array = Vec<Value>;
    type Error = WireError;

    fn scalar(&mut self, scalar: Scalar<'a>) -> Result<Value> {
        Ok(match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int8(value) => Value::Int8(value),
            Scalar::Int16(value) => Value::Int16(value),
            Scalar::Uint16(value) => Value::Uint16(value),
            Scalar::Int32(value) => Value::Int32(value),
            Scalar::Uint32(value) => Value::Uint32(value),
            Scalar::Int64(value) => Value::Int64(value),
            Scalar::Float64(value) => Value::Float64(value),
            Scalar::Uuid(value) => Value::Uuid(value),
            Scalar::Str(value) => Value::Str(value.to_owned()),
            Scalar::Bytes(value) => Value::Bytes(value.to_owned()),
            Scalar::Records(value) => Value::Records(value.to_owned()),
        })
    }

    fn begin_struct(&mut self, of: &'static Struct) -> Result<StructValue> {
        Ok(StructValue {
            of,
            fields: vec![Value::Null; of.fields.len()],
            unknown: Vec::new(),
        })
    }

    fn set(&mut self, of: &mut StructValue, index: usize, value: Value) -> Result<()> {
        if let Some(field) = of.fields.get_mut(index) {
            *field = value;
        }
        Ok(())
    }

    fn end_struct(&mut self, mut of: StructValue, unknown: &[RawTaggedField<'a>]) -> Result<Value> {
        of.unknown = unknown.iter().map(|raw| (raw.tag, raw.data.to_owned())).collect();
        Ok(Value::Struct(Box::new(of)))
    }

    fn begin_array(&mut self, capacity: usize) -> Result<Vec<Value>> {
        Ok(Vec::with_capacity(capacity))
    }

    fn push(&mut self, array: &mut Vec<Value>, value: Value) -> Result<()> {
        array.push(value);
        Ok(())
    }

    fn end_array(&mut self, array: Vec<Value>) -> Result<Value> {
        Ok(Value::Array(array))
    }
}

fn mismatch<T>(expected: &'static str) -> Result<T> {
    Err(WireError::TypeMismatch { expected })
}

impl Source for &Value {
    type Error = WireError;

    fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    fn bool(&self) -> Result<bool> {
        if let Value::Bool(value) = self {
            Ok(*value)
        } else {
            mismatch("bool")
        }
    }

    fn int(&self) -> Result<i64> {
        match self {
            Value::Int8(value) => Ok((*value).into()),
            Value::Int16(value) => Ok((*value).into()),
            Value::Uint16(value) => Ok((*value).into()),
            Value::Int32(value) => Ok((*value).into()),
            Value::Uint32(value) => Ok((*value).into()),
            Value::Int64(value) => Ok(*value),
            _ => mismatch("integer"),
        }
    }

    fn float(&self) -> Result<f64> {
        if let Value::Float64(value) = self {
            Ok(*value)
        } else {
            mismatch("float64")
        }
    }

    fn uuid(&self) -> Result<Uuid> {
        if let Value::Uuid(value) = self {
            Ok(*value)
        } else {
            mismatch("uuid")
        }
    }

    fn str(&self) -> Result<Cow<'_, str>> {
        if let Value::Str(value) = self {
            Ok(Cow::Borrowed(value))
        } else {
            mismatch("string")
        }
    }

    fn bytes(&self) -> Result<Cow<'_, [u8]>> {
        match self {
            Value::Bytes(value) | Value::Records(value) => Ok(Cow::Borrowed(value)),
            _ => mismatch("bytes"),
        }
    }

    fn count(&self) -> Result<usize> {
        if let Value::Array(value) = self {
            Ok(value.len())
        } else {
            mismatch("array")
        }
    }

    fn element(&self, index: usize) -> Result<Self> {
        match self {
            Value::Array(value) => value.get(index).ok_or(WireError::TypeMismatch { expected: "array" }),
            _ => mismatch("array"),
        }
    }

    fn field(&self, of: &'static Struct, index: usize) -> Result<Self> {
        match self {
            Value::Struct(value) if value.of.id == of.id => value
                .fields
                .get(index)
                .ok_or(WireError::TypeMismatch { expected: of.name }),
            _ => mismatch(of.name),
        }
    }

    fn unknown_tagged_fields(&self) -> Result<UnknownFields<'_>> {
        match self {
            Value::Struct(value) => Ok(value.unknown.iter().map(|(tag, data)| (*tag, data.into())).collect()),
            _ => mismatch("struct"),
        }
    }
}
