//! Default values of a reader's fields: from JSON to Avro's binary encoding, once per plan.

use super::encoding::{put_bytes, put_long};
use super::schema::{Kind, NodeId, SCHEMA_DEPTH_LIMIT, Schema};
use super::text::Value;

/// Most bytes of one encoded default: defaults of records whose fields have defaults multiply.
pub const DEFAULT_BYTES_LIMIT: usize = 1 << 20;

/// Most values in one default, those without bytes counted too.
pub const DEFAULT_VALUES_LIMIT: usize = 1 << 20;

/// Encodes a default of the type, or says why it cannot be one.
pub(crate) fn encode_default(schema: &Schema, id: NodeId, value: &Value) -> Result<Vec<u8>, String> {
    let mut encoder = Encoder {
        schema,
        out: Vec::new(),
        values: 0,
    };
    encoder.value(id, value, 0)?;
    Ok(encoder.out)
}

struct Encoder<'a> {
    schema: &'a Schema,
    out: Vec<u8>,
    values: usize,
}

type Encoded = Result<(), String>;

impl Encoder<'_> {
    fn value(&mut self, id: NodeId, value: &Value, depth: usize) -> Encoded {
        self.values = self.values.saturating_add(1);
        if depth > SCHEMA_DEPTH_LIMIT {
            return Err("a default is nested deeper than SCHEMA_DEPTH_LIMIT".to_owned());
        }
        if self.out.len() > DEFAULT_BYTES_LIMIT || self.values > DEFAULT_VALUES_LIMIT {
            return Err("a default is larger than DEFAULT_BYTES_LIMIT or DEFAULT_VALUES_LIMIT".to_owned());
        }
        let kind = self.schema.kind(id);
        self.fitting(kind, value, depth)
            .unwrap_or_else(|| Err(format!("a default is no {}: {value:?}", kind.word())))
    }

    /// Nothing if the value is not of this kind.
    fn fitting(&mut self, kind: &Kind, value: &Value, depth: usize) -> Option<Encoded> {
        let inner = depth.saturating_add(1);
        match (kind, value) {
            (Kind::Null, Value::Null) => {}
            (Kind::Boolean, Value::Boolean(value)) => self.out.push(u8::from(*value)),
            (Kind::Int, _) => put_long(i32::try_from(value.as_integer()?).ok()?.into(), &mut self.out),
            (Kind::Long, _) => put_long(value.as_integer()?, &mut self.out),
            (Kind::Float, Value::Number(number)) => {
                let number: f32 = number.parse().ok()?;
                self.out.extend_from_slice(&number.to_le_bytes());
            }
            (Kind::Double, _) => self.out.extend_from_slice(&value.as_double()?.to_le_bytes()),
            (Kind::String, Value::Text(text)) => put_bytes(text.as_bytes(), &mut self.out),
            (Kind::Bytes, Value::Text(text)) => put_bytes(&latin(text)?, &mut self.out),
            (Kind::Fixed(_, size), Value::Text(text)) => {
                let bytes = latin(text).filter(|bytes| bytes.len() == *size)?;
                self.out.extend_from_slice(&bytes);
            }
            (Kind::Enum(_, symbols), Value::Text(text)) => {
                let index = symbols.symbols.iter().position(|symbol| symbol == text)?;
                put_long(i64::try_from(index).ok()?, &mut self.out);
            }
            (Kind::Array(items), Value::List(list)) => {
                let encode = |encoder: &mut Self, item: &Value| encoder.value(*items, item, inner);
                return Some(self.block(list, encode));
            }
            (Kind::Map(values), Value::Object(members)) => {
                let encode = |encoder: &mut Self, (name, member): &(String, Value)| {
                    put_bytes(name.as_bytes(), &mut encoder.out);
                    encoder.value(*values, member, inner)
                };
                return Some(self.block(members, encode));
            }
            (Kind::Record(_, fields), Value::Object(_)) => {
                for field in fields {
                    let Some(member) = value.get(&field.name).or(field.default.as_ref()) else {
                        return Some(Err(format!("a default lacks the field {:?}", field.name)));
                    };
                    if let Err(reason) = self.value(field.node, member, inner) {
                        return Some(Err(reason));
                    }
                }
            }
            (Kind::Union(branches), _) => return self.union(branches, value, inner),
            _ => return None,
        }
        Some(Ok(()))
    }

    fn block<T>(&mut self, elements: &[T], encode: impl Fn(&mut Self, &T) -> Encoded) -> Encoded {
        if !elements.is_empty() {
            put_long(i64::try_from(elements.len()).unwrap_or(i64::MAX), &mut self.out);
        }
        elements.iter().try_for_each(|element| encode(self, element))?;
        put_long(0, &mut self.out);
        Ok(())
    }

    /// The first branch that the value fits. Before Avro 1.12 it had to be the first of all, which this includes.
    fn union(&mut self, branches: &[NodeId], value: &Value, depth: usize) -> Option<Encoded> {
        let start = self.out.len();
        for (index, branch) in branches.iter().enumerate() {
            put_long(i64::try_from(index).ok()?, &mut self.out);
            if self.value(*branch, value, depth).is_ok() {
                return Some(Ok(()));
            }
            self.out.truncate(start);
        }
        None
    }
}

/// Bytes as Avro writes them into JSON: a character below 256 each.
fn latin(text: &str) -> Option<Vec<u8>> {
    text.chars()
        .map(|character| u8::try_from(u32::from(character)).ok())
        .collect()
}
