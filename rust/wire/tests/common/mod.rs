//! Random messages from a string of bytes, so that proptest can shrink them.

use barnabas_wire::table::{Field, Kind, Schema, Struct};
use barnabas_wire::value::{StructValue, Value};

/// Choices, taken from bytes; zeros once they are used up.
#[derive(Debug)]
pub(crate) struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or_default()
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    fn is_used_up(&self) -> bool {
        self.bytes.len() == 0
    }

    fn text(&mut self) -> String {
        const CHARACTERS: [char; 8] = ['a', 'Z', '0', '-', 'é', '漢', '🦀', '\0'];
        (0..self.byte() % 6)
            .map(|_| CHARACTERS[usize::from(self.byte() % 8)])
            .collect()
    }

    fn blob(&mut self) -> Vec<u8> {
        (0..self.byte() % 9).map(|_| self.byte()).collect()
    }
}

/// A message with values in the fields that `version` has, and defaults in the others.
pub(crate) fn message(schema: &'static Schema, version: i16, choices: &mut Choices<'_>, unknown: bool) -> Value {
    structure(schema.root, schema, version, choices, unknown)
}

fn structure(
    of: &'static Struct,
    schema: &'static Schema,
    version: i16,
    choices: &mut Choices<'_>,
    unknown: bool,
) -> Value {
    let fields = of
        .fields
        .iter()
        .map(|field| {
            if field.versions.contains(version) {
                value(field, schema, version, choices, unknown)
            } else {
                Value::default_of(field)
            }
        })
        .collect();
    let mut tagged = Vec::new();
    if unknown && schema.is_flexible(version) && choices.byte() % 4 == 1 {
        tagged.push((100 + u32::from(choices.byte()), choices.blob()));
    }
    Value::Struct(Box::new(StructValue {
        of,
        fields,
        unknown: tagged,
    }))
}

fn value(
    field: &'static Field,
    schema: &'static Schema,
    version: i16,
    choices: &mut Choices<'_>,
    unknown: bool,
) -> Value {
    if choices.is_used_up() {
        let default = Value::default_of(field);
        if default != Value::Null || field.nullable.contains(version) {
            return default;
        }
    }
    if field.nullable.contains(version) && choices.byte() % 4 == 1 {
        return Value::Null;
    }
    if !field.array {
        return element(field, schema, version, choices, unknown);
    }
    let count = choices.byte() % 4;
    Value::Array(
        (0..count)
            .map(|_| element(field, schema, version, choices, unknown))
            .collect(),
    )
}

fn element(
    field: &'static Field,
    schema: &'static Schema,
    version: i16,
    choices: &mut Choices<'_>,
    unknown: bool,
) -> Value {
    match field.kind {
        Kind::Bool => Value::Bool(choices.byte() % 2 == 1),
        Kind::Int8 => Value::Int8(i8::from_be_bytes(choices.bytes())),
        Kind::Int16 => Value::Int16(i16::from_be_bytes(choices.bytes())),
        Kind::Uint16 => Value::Uint16(u16::from_be_bytes(choices.bytes())),
        Kind::Int32 => Value::Int32(i32::from_be_bytes(choices.bytes())),
        Kind::Uint32 => Value::Uint32(u32::from_be_bytes(choices.bytes())),
        Kind::Int64 => Value::Int64(i64::from_be_bytes(choices.bytes())),
        Kind::Float64 => Value::Float64(f64::from(i32::from_be_bytes(choices.bytes()))),
        Kind::Uuid => Value::Uuid(choices.bytes()),
        Kind::String => Value::Str(choices.text()),
        Kind::Bytes => Value::Bytes(choices.blob()),
        Kind::Records => Value::Records(choices.blob()),
        Kind::Struct(of) => structure(of, schema, version, choices, unknown),
    }
}
