//! Avro schemas: their text, parsed into nodes that refer to each other by number, so that a recursive type is a
//! cycle and no type is ever copied.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::{DataType, TimeUnit};

use super::text::{self, Value};
use crate::{ColumnarError, Result};

/// Deepest nesting of types in a schema.
pub const SCHEMA_DEPTH_LIMIT: usize = 64;

/// Largest precision of a decimal in Arrow's 128 bits, and in Spark.
pub(crate) const DECIMAL_PRECISION_MAX: u8 = 38;

/// A parsed Avro schema. Cheap to clone.
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
}

struct Inner {
    text: String,
    nodes: Vec<Node>,
    root: NodeId,
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.inner.text).finish()
    }
}

/// A type's place in its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(usize);

/// A type.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) logical: Option<Logical>,
    /// Whether every value takes no bytes: null, a fixed of size 0, a record of nothing else.
    pub(crate) is_empty: bool,
}

/// What a type is on the wire.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    String,
    Fixed(Named, usize),
    Enum(Named, Symbols),
    Record(Named, Vec<RecordField>),
    Array(NodeId),
    Map(NodeId),
    Union(Vec<NodeId>),
}

impl Kind {
    /// The type's word in the specification.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Bytes => "bytes",
            Self::String => "string",
            Self::Fixed(..) => "fixed",
            Self::Enum(..) => "enum",
            Self::Record(..) => "record",
            Self::Array(_) => "array",
            Self::Map(_) => "map",
            Self::Union(_) => "union",
        }
    }

    /// The full name of a named type.
    pub(crate) fn named(&self) -> Option<&Named> {
        match self {
            Self::Fixed(named, _) | Self::Enum(named, _) | Self::Record(named, _) => Some(named),
            _ => None,
        }
    }
}

/// Full names: of the type, and its aliases.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
}

impl Named {
    /// The name without its namespace.
    pub(crate) fn short(&self) -> &str {
        short(&self.name)
    }
}

/// A full name without its namespace.
pub(crate) fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// An enum's symbols in their order, and the one that stands for those that a reader does not know.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    pub(crate) symbols: Vec<String>,
    pub(crate) default: Option<String>,
}

/// A record's field.
#[derive(Clone, Debug)]
pub(crate) struct RecordField {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) default: Option<Value>,
    pub(crate) node: NodeId,
}

/// What a value means beside its wire type. Unknown and ill-formed logical types are ignored, as the specification
/// says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logical {
    Decimal { precision: u8, scale: i8 },
    Uuid,
    Date,
    TimeMillis,
    TimeMicros,
    TimestampMillis,
    TimestampMicros,
    TimestampNanos,
    LocalTimestampMillis,
    LocalTimestampMicros,
    LocalTimestampNanos,
    Duration,
}

/// What a time counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Midnight of any day.
    Day,
    /// The epoch.
    Utc,
    /// The epoch of a zone that is not said.
    Local,
}

impl Clock {
    /// Of an Arrow type, with its unit.
    pub(crate) fn of(data_type: &DataType) -> Option<(Self, TimeUnit)> {
        Some(match data_type {
            DataType::Time32(unit) | DataType::Time64(unit) => (Self::Day, *unit),
            DataType::Timestamp(unit, Some(_)) => (Self::Utc, *unit),
            DataType::Timestamp(unit, None) => (Self::Local, *unit),
            _ => return None,
        })
    }
}

impl Logical {
    /// What a time counts, and its unit.
    pub(crate) fn time(self) -> Option<(Clock, TimeUnit)> {
        Some(match self {
            Self::TimeMillis => (Clock::Day, TimeUnit::Millisecond),
            Self::TimeMicros => (Clock::Day, TimeUnit::Microsecond),
            Self::TimestampMillis => (Clock::Utc, TimeUnit::Millisecond),
            Self::TimestampMicros => (Clock::Utc, TimeUnit::Microsecond),
            Self::TimestampNanos => (Clock::Utc, TimeUnit::Nanosecond),
            Self::LocalTimestampMillis => (Clock::Local, TimeUnit::Millisecond),
            Self::LocalTimestampMicros => (Clock::Local, TimeUnit::Microsecond),
            Self::LocalTimestampNanos => (Clock::Local, TimeUnit::Nanosecond),
            Self::Decimal { .. } | Self::Uuid | Self::Date | Self::Duration => return None,
        })
    }
}

/// Nanoseconds of a unit.
pub(crate) fn nanoseconds(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

impl Schema {
    /// Parses the text of a schema.
    ///
    /// # Errors
    /// A text that is no JSON, or no schema by Avro's specification; one that is longer than
    /// [`crate::avro::SCHEMA_TEXT_LIMIT`] or nested deeper than [`SCHEMA_DEPTH_LIMIT`].
    pub fn parse(text: &str) -> Result<Self> {
        let value = text::parse(text).map_err(|error| ColumnarError::AvroSchema {
            at: format!("byte {}", error.at),
            reason: error.what.to_owned(),
        })?;
        let mut parser = Parser::default();
        let root = parser.node(&value, "", 0)?;
        let mut schema = Inner {
            text: text.to_owned(),
            nodes: parser.nodes,
            root,
        };
        schema.find_empty();
        Ok(Self {
            inner: Arc::new(schema),
        })
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    pub(crate) fn root(&self) -> NodeId {
        self.inner.root
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        const LOST: &Node = &Node {
            kind: Kind::Null,
            logical: None,
            is_empty: true,
        };
        // Ids are made by the parser of the same schema, so this never falls back.
        self.inner.nodes.get(id.0).unwrap_or(LOST)
    }

    pub(crate) fn kind(&self, id: NodeId) -> &Kind {
        &self.node(id).kind
    }
}

impl Inner {
    /// Marks the types whose values take no bytes.
    fn find_empty(&mut self) {
        // A record is empty once all its fields are; every pass finds at least one more or ends the search. A
        // record that only refers to itself has no values and is left as not empty.
        loop {
            let mut found = false;
            for index in 0..self.nodes.len() {
                let is_empty = match self.nodes.get(index) {
                    Some(node) if !node.is_empty => match &node.kind {
                        Kind::Null | Kind::Fixed(_, 0) => true,
                        Kind::Record(_, fields) => fields
                            .iter()
                            .all(|field| self.nodes.get(field.node.0).is_some_and(|node| node.is_empty)),
                        _ => false,
                    },
                    _ => false,
                };
                if is_empty && let Some(node) = self.nodes.get_mut(index) {
                    node.is_empty = true;
                    found = true;
                }
            }
            if !found {
                return;
            }
        }
    }
}

#[derive(Default)]
struct Parser {
    nodes: Vec<Node>,
    names: HashMap<String, NodeId>,
}

/// Ends in an error about the schema.
fn refuse<T>(at: &str, reason: impl Into<String>) -> Result<T> {
    Err(ColumnarError::AvroSchema {
        at: at.to_owned(),
        reason: reason.into(),
    })
}

fn primitive(word: &str) -> Option<Kind> {
    Some(match word {
        "null" => Kind::Null,
        "boolean" => Kind::Boolean,
        "int" => Kind::Int,
        "long" => Kind::Long,
        "float" => Kind::Float,
        "double" => Kind::Double,
        "bytes" => Kind::Bytes,
        "string" => Kind::String,
        _ => return None,
    })
}

impl Parser {
    fn push(&mut self, kind: Kind, logical: Option<Logical>) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.nodes.push(Node {
            kind,
            logical,
            is_empty: false,
        });
        id
    }

    fn node(&mut self, value: &Value, namespace: &str, depth: usize) -> Result<NodeId> {
        if depth > SCHEMA_DEPTH_LIMIT {
            return refuse(namespace, "types are nested deeper than SCHEMA_DEPTH_LIMIT");
        }
        match value {
            Value::Text(word) => match primitive(word) {
                Some(kind) => Ok(self.push(kind, None)),
                None => self.reference(word, namespace),
            },
            Value::List(branches) => self.union(branches, namespace, depth),
            Value::Object(_) => self.complex(value, namespace, depth),
            _ => refuse(namespace, "a type is a name, a list of branches or an object"),
        }
    }

    fn reference(&self, name: &str, namespace: &str) -> Result<NodeId> {
        let full = full_name(name, namespace);
        (self.names.get(&full))
            .or_else(|| self.names.get(name))
            .copied()
            .map_or_else(|| refuse(name, "no type of this name is defined before its use"), Ok)
    }

    fn union(&mut self, branches: &[Value], namespace: &str, depth: usize) -> Result<NodeId> {
        let id = self.push(Kind::Union(Vec::new()), None);
        let mut nodes: Vec<NodeId> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for branch in branches {
            let node = self.node(branch, namespace, depth.saturating_add(1))?;
            let Some(Node { kind, .. }) = self.nodes.get(node.0) else {
                continue;
            };
            if matches!(kind, Kind::Union(_)) {
                return refuse(namespace, "a union holds a union");
            }
            let name = kind.named().map_or(kind.word(), |named| named.name.as_str()).to_owned();
            if seen.contains(&name) {
                return refuse(namespace, format!("a union holds {name} twice"));
            }
            seen.push(name);
            nodes.push(node);
        }
        self.set(id, Kind::Union(nodes));
        Ok(id)
    }

    fn set(&mut self, id: NodeId, kind: Kind) {
        if let Some(node) = self.nodes.get_mut(id.0) {
            node.kind = kind;
        }
    }

    fn complex(&mut self, value: &Value, namespace: &str, depth: usize) -> Result<NodeId> {
        let Some(kind) = value.get("type") else {
            return refuse(namespace, "an object without a type");
        };
        let Value::Text(word) = kind else {
            // {"type": {"type": …}}: Avro's Java library takes the inner type as it is.
            return self.node(kind, namespace, depth.saturating_add(1));
        };
        match word.as_str() {
            "record" | "error" => self.record(value, namespace, depth),
            "enum" => self.enumeration(value, namespace),
            "fixed" => self.fixed(value, namespace),
            "array" | "map" => {
                let member = if word == "array" { "items" } else { "values" };
                let Some(inner) = value.get(member) else {
                    return refuse(namespace, format!("{word} without {member}"));
                };
                let inner = self.node(inner, namespace, depth.saturating_add(1))?;
                let kind = if word == "array" {
                    Kind::Array(inner)
                } else {
                    Kind::Map(inner)
                };
                Ok(self.push(kind, None))
            }
            _ => match primitive(word) {
                Some(kind) => {
                    let logical = logical_type(value, &kind);
                    Ok(self.push(kind, logical))
                }
                None => self.reference(word, namespace),
            },
        }
    }

    /// The names of a named type, and the namespace that holds inside it.
    fn names(value: &Value, namespace: &str) -> Result<(Named, String)> {
        let Some(name) = value.get("name").and_then(Value::as_text) else {
            return refuse(namespace, "a named type without a name");
        };
        let outer = value.get("namespace").and_then(Value::as_text).unwrap_or(namespace);
        let name = full_name(name, outer);
        if !name.split('.').all(is_name) {
            return refuse(&name, "is no name: letters, digits and _, no digit first");
        }
        if primitive(&name).is_some() {
            return refuse(&name, "is the name of a primitive type");
        }
        let inner = name.rsplit_once('.').map_or("", |(space, _)| space).to_owned();
        let aliases = aliases(value).iter().map(|alias| full_name(alias, &inner)).collect();
        Ok((Named { name, aliases }, inner))
    }

    fn define(&mut self, named: &Named, kind: Kind, logical: Option<Logical>) -> Result<NodeId> {
        if self.names.contains_key(&named.name) {
            return refuse(&named.name, "is defined twice");
        }
        let id = self.push(kind, logical);
        self.names.insert(named.name.clone(), id);
        Ok(id)
    }

    fn record(&mut self, value: &Value, namespace: &str, depth: usize) -> Result<NodeId> {
        let (named, inner) = Self::names(value, namespace)?;
        let Some(list) = value.get("fields").and_then(Value::as_list) else {
            return refuse(&named.name, "a record without fields");
        };
        // The name is known to its own fields.
        let id = self.define(&named, Kind::Record(named.clone(), Vec::new()), None)?;
        let mut fields: Vec<RecordField> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for field in list {
            let Some(name) = field.get("name").and_then(Value::as_text) else {
                return refuse(&named.name, "a field without a name");
            };
            if !is_name(name) {
                return refuse(&named.name, format!("{name:?} is no name of a field"));
            }
            if !seen.insert(name) {
                return refuse(&named.name, format!("field {name:?} appears twice"));
            }
            let Some(field_type) = field.get("type") else {
                return refuse(&named.name, format!("field {name:?} has no type"));
            };
            fields.push(RecordField {
                name: name.to_owned(),
                aliases: aliases(field).iter().map(|&alias| alias.to_owned()).collect(),
                default: field.get("default").cloned(),
                node: self.node(field_type, &inner, depth.saturating_add(1))?,
            });
        }
        self.set(id, Kind::Record(named, fields));
        Ok(id)
    }

    fn enumeration(&mut self, value: &Value, namespace: &str) -> Result<NodeId> {
        let (named, _) = Self::names(value, namespace)?;
        let symbols: Option<Vec<String>> = (value.get("symbols").and_then(Value::as_list))
            .and_then(|list| list.iter().map(|symbol| symbol.as_text().map(str::to_owned)).collect());
        let Some(symbols) = symbols else {
            return refuse(&named.name, "an enum without a list of symbols");
        };
        let distinct: std::collections::HashSet<&String> = symbols.iter().collect();
        if distinct.len() != symbols.len() {
            return refuse(&named.name, "a symbol appears twice");
        }
        let default = value.get("default").and_then(Value::as_text).map(str::to_owned);
        if let Some(default) = &default
            && !symbols.contains(default)
        {
            return refuse(&named.name, format!("the default {default:?} is no symbol"));
        }
        let kind = Kind::Enum(named.clone(), Symbols { symbols, default });
        self.define(&named, kind, None)
    }

    fn fixed(&mut self, value: &Value, namespace: &str) -> Result<NodeId> {
        let (named, _) = Self::names(value, namespace)?;
        let size = value.get("size").and_then(Value::as_integer);
        let Some(size) = size.and_then(|size| i32::try_from(size).ok()?.try_into().ok()) else {
            return refuse(&named.name, "a fixed without a size");
        };
        let kind = Kind::Fixed(named.clone(), size);
        let logical = logical_type(value, &kind);
        self.define(&named, kind, logical)
    }
}

fn aliases(value: &Value) -> Vec<&str> {
    let list = value.get("aliases").and_then(Value::as_list).unwrap_or_default();
    list.iter().filter_map(Value::as_text).collect()
}

/// A name with its namespace: its own if it has a dot, else that around it.
fn full_name(name: &str, namespace: &str) -> String {
    match name.rsplit_once('.') {
        // ".name" is a name in no namespace.
        Some(("", bare)) => bare.to_owned(),
        Some(_) => name.to_owned(),
        None if namespace.is_empty() => name.to_owned(),
        None => format!("{namespace}.{name}"),
    }
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    (characters.next()).is_some_and(|first| first == '_' || first.is_alphabetic())
        && characters.all(|character| character == '_' || character.is_alphanumeric())
}

/// The logical type of a value of this kind, if the schema names one that it can have.
fn logical_type(value: &Value, kind: &Kind) -> Option<Logical> {
    let name = value.get("logicalType").and_then(Value::as_text)?;
    Some(match (name, kind) {
        ("decimal", Kind::Bytes | Kind::Fixed(..)) => return decimal(value, kind),
        ("uuid", Kind::String | Kind::Fixed(_, 16)) => Logical::Uuid,
        ("date", Kind::Int) => Logical::Date,
        ("time-millis", Kind::Int) => Logical::TimeMillis,
        ("time-micros", Kind::Long) => Logical::TimeMicros,
        ("timestamp-millis", Kind::Long) => Logical::TimestampMillis,
        ("timestamp-micros", Kind::Long) => Logical::TimestampMicros,
        ("timestamp-nanos", Kind::Long) => Logical::TimestampNanos,
        ("local-timestamp-millis", Kind::Long) => Logical::LocalTimestampMillis,
        ("local-timestamp-micros", Kind::Long) => Logical::LocalTimestampMicros,
        ("local-timestamp-nanos", Kind::Long) => Logical::LocalTimestampNanos,
        ("duration", Kind::Fixed(_, 12)) => Logical::Duration,
        _ => return None,
    })
}

fn decimal(value: &Value, kind: &Kind) -> Option<Logical> {
    let precision = value.get("precision")?.as_integer()?;
    let scale = match value.get("scale") {
        Some(scale) => scale.as_integer()?,
        None => 0,
    };
    let fits = match kind {
        Kind::Fixed(_, size) => precision <= fixed_precision_max(*size),
        _ => true,
    };
    if precision < 1 || scale < 0 || scale > precision || !fits || precision > i64::from(DECIMAL_PRECISION_MAX) {
        return None;
    }
    Some(Logical::Decimal {
        precision: precision.try_into().ok()?,
        scale: scale.try_into().ok()?,
    })
}

/// Most decimal digits that every number of so many bytes in two's complement has.
fn fixed_precision_max(size: usize) -> i64 {
    // 16 bytes hold 38 digits; more than those do not matter here.
    (1..=i64::from(DECIMAL_PRECISION_MAX))
        .take_while(|&digits| decimal_bytes(u32::try_from(digits).unwrap_or(u32::MAX)) <= size)
        .last()
        .unwrap_or(0)
}

/// Fewest bytes that hold every number of so many decimal digits, at most 38, in two's complement.
pub(crate) fn decimal_bytes(precision: u32) -> usize {
    let largest = 10_i128
        .checked_pow(precision)
        .map_or(i128::MAX, |power| power.saturating_sub(1));
    let bits = 129_u32.saturating_sub(largest.leading_zeros());
    usize::try_from(bits.div_ceil(8)).unwrap_or(16)
}
