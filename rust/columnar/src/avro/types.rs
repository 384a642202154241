//! Arrow types from Avro schemas.
//!
//! | Avro | Spark's types | the client's own |
//! |---|---|---|
//! | boolean, int, long, float, double, string, bytes | the same | the same |
//! | enum, uuid | string | string |
//! | fixed | binary | binary |
//! | decimal (bytes, fixed) of up to 38 digits | decimal128 | decimal128 |
//! | date | date32 | date32 |
//! | time-millis, time-micros | int, long | time32(ms), time64(µs) |
//! | timestamp-millis, -micros | timestamp(µs, UTC) | timestamp(ms or µs, UTC) |
//! | timestamp-nanos | long | timestamp(ns, UTC) |
//! | local-timestamp-… | as above without a zone | as above without a zone |
//! | duration | binary | interval(month, day, nano) |
//! | array, map, record | list, map, struct | the same |
//! | union with null | its other branch, nullable | the same |
//! | union of int and long; of float and double | long; double | the same |
//! | other unions | struct of member0, member1, … | the same |
//! | null | null | null |

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, Schema as ArrowSchema, TimeUnit};

use super::schema::{Kind, Logical, NodeId, SCHEMA_DEPTH_LIMIT, Schema};
use crate::{ColumnarError, Dialect, Result};

/// Most fields, all levels together, of an Arrow schema made from an Avro schema.
pub const ARROW_FIELDS_LIMIT: usize = 100_000;

/// Name of the one column of a schema that is no record.
pub const VALUE_COLUMN: &str = "value";

/// How names and types are derived.
#[derive(Clone, Debug)]
pub struct ArrowTypes {
    /// Whose types.
    pub dialect: Dialect,
    /// Whether a union's members are named by their types with this prefix (Spark's
    /// `enableStableIdentifiersForUnionType` and `stableIdentifierPrefixForUnionType`) instead of by their places.
    pub stable_union_names: Option<String>,
    /// How often a record may hold itself before the fields that would do so once more are left out (Spark's
    /// `recursiveFieldMaxDepth`); 0 refuses recursive records.
    pub recursion_max: usize,
}

impl ArrowTypes {
    /// The types of this dialect; recursive records are refused.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            stable_union_names: None,
            recursion_max: 0,
        }
    }

    /// The Arrow schema of values of an Avro schema. Its columns may all be null, as they are for a record without
    /// value; deeper down nullability is the Avro schema's.
    ///
    /// # Errors
    /// A record that holds itself more often than `recursion_max` allows without being left out, more than
    /// [`ARROW_FIELDS_LIMIT`] fields.
    pub fn derive(&self, schema: &Schema) -> Result<ArrowSchema> {
        let mut derivation = Derivation {
            schema,
            types: self,
            open: Vec::new(),
            fields: 0,
        };
        let root = derivation.field(VALUE_COLUMN, schema.root())?;
        let Some(root) = root else {
            return Err(unusable(VALUE_COLUMN, "nothing is left of the recursive type"));
        };
        let columns = match root.data_type() {
            DataType::Struct(columns) => columns.clone(),
            _ => Fields::from(vec![root]),
        };
        let columns: Vec<Field> = (columns.iter())
            .map(|column| column.as_ref().clone().with_nullable(true))
            .collect();
        Ok(ArrowSchema::new(columns))
    }
}

/// The Arrow schema of values of the Avro schema in `text`, with Spark's types.
///
/// # Errors
/// As for [`Schema::parse`] and [`ArrowTypes::derive`].
pub fn arrow_schema(text: &str) -> Result<ArrowSchema> {
    ArrowTypes::new(Dialect::Spark).derive(&Schema::parse(text)?)
}

fn unusable(path: &str, reason: &str) -> ColumnarError {
    ColumnarError::AvroSchema {
        at: path.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The name of a union's member in Spark's struct, as the writer's branch `index` of those that are not null.
pub(super) fn member_name(schema: &Schema, branch: NodeId, index: usize, prefix: Option<&str>) -> String {
    match prefix {
        None => format!("member{index}"),
        Some(prefix) => {
            let kind = schema.kind(branch);
            let name = kind.named().map_or(kind.word(), super::schema::Named::short);
            format!("{prefix}{}", name.to_lowercase())
        }
    }
}

struct Derivation<'a> {
    schema: &'a Schema,
    types: &'a ArrowTypes,
    /// Records that are being derived, from the outside in.
    open: Vec<NodeId>,
    fields: usize,
}

impl Derivation<'_> {
    /// A field for values of this type; nothing where recursion ends.
    fn field(&mut self, name: &str, id: NodeId) -> Result<Option<FieldRef>> {
        self.fields = self.fields.saturating_add(1);
        if self.fields > ARROW_FIELDS_LIMIT {
            return Err(unusable(name, "more than ARROW_FIELDS_LIMIT fields"));
        }
        let node = self.schema.node(id);
        let data_type = match &node.kind {
            Kind::Union(branches) => return self.union(name, branches),
            Kind::Record(..) => self.record(id)?,
            Kind::Array(items) => {
                let element = self.field("element", *items)?;
                element.map(DataType::List)
            }
            Kind::Map(values) => {
                let value = self.field("value", *values)?;
                value.map(|value| {
                    let key = Arc::new(Field::new("key", DataType::Utf8, false));
                    let entries = DataType::Struct(Fields::from(vec![key, value]));
                    DataType::Map(Arc::new(Field::new("key_value", entries, false)), false)
                })
            }
            kind => Some(leaf(kind, node.logical, self.types.dialect)),
        };
        let nullable = matches!(node.kind, Kind::Null);
        Ok(data_type.map(|data_type| Arc::new(Field::new(name, data_type, nullable))))
    }

    fn record(&mut self, id: NodeId) -> Result<Option<DataType>> {
        let Kind::Record(named, fields) = self.schema.kind(id) else {
            return Ok(None);
        };
        let times = self.open.iter().filter(|&&open| open == id).count();
        if times > 0 && self.types.recursion_max == 0 {
            return Err(unusable(
                &named.name,
                "holds itself; recursiveFieldMaxDepth says how often it may",
            ));
        }
        if times >= self.types.recursion_max.max(1) || self.open.len() > SCHEMA_DEPTH_LIMIT {
            return Ok(None);
        }
        self.open.push(id);
        let mut columns = Vec::with_capacity(fields.len());
        for field in fields {
            columns.extend(self.field(&field.name, field.node)?);
        }
        self.open.pop();
        Ok(Some(DataType::Struct(Fields::from(columns))))
    }

    fn union(&mut self, name: &str, branches: &[NodeId]) -> Result<Option<FieldRef>> {
        let members: Vec<NodeId> = (branches.iter().copied())
            .filter(|&branch| !matches!(self.schema.kind(branch), Kind::Null))
            .collect();
        let nullable = members.len() < branches.len();
        let of_type = |data_type| Ok(Some(Arc::new(Field::new(name, data_type, nullable))));
        match members.as_slice() {
            [] => of_type(DataType::Null),
            [member] => {
                let field = self.field(name, *member)?;
                Ok(field.map(|field| {
                    let nullable = nullable || field.is_nullable();
                    Arc::new(field.as_ref().clone().with_nullable(nullable))
                }))
            }
            [one, other] => match (self.schema.kind(*one), self.schema.kind(*other)) {
                (Kind::Int, Kind::Long) | (Kind::Long, Kind::Int) => of_type(DataType::Int64),
                (Kind::Float, Kind::Double) | (Kind::Double, Kind::Float) => of_type(DataType::Float64),
                _ => self.members(name, &members, nullable),
            },
            _ => self.members(name, &members, nullable),
        }
    }

    fn members(&mut self, name: &str, members: &[NodeId], nullable: bool) -> Result<Option<FieldRef>> {
        let prefix = self.types.stable_union_names.as_deref();
        let mut fields: Vec<FieldRef> = Vec::with_capacity(members.len());
        for (index, &member) in members.iter().enumerate() {
            let member_name = member_name(self.schema, member, index, prefix);
            if fields.iter().any(|field| *field.name() == member_name) {
                return Err(unusable(
                    name,
                    &format!("two members of the union are named {member_name}"),
                ));
            }
            let field = self.field(&member_name, member)?;
            fields.extend(field.map(|field| Arc::new(field.as_ref().clone().with_nullable(true))));
        }
        let members = DataType::Struct(Fields::from(fields));
        Ok(Some(Arc::new(Field::new(name, members, nullable))))
    }
}

/// The type of a value that holds no others.
pub(super) fn leaf(kind: &Kind, logical: Option<Logical>, dialect: Dialect) -> DataType {
    let utc = || Some("UTC".into());
    if let Some(Logical::Decimal { precision, scale }) = logical {
        return DataType::Decimal128(precision, scale);
    }
    match (dialect, logical) {
        (_, Some(Logical::Uuid)) => DataType::Utf8,
        (_, Some(Logical::Date)) => DataType::Date32,
        (Dialect::Spark, Some(Logical::TimestampMillis)) | (_, Some(Logical::TimestampMicros)) => {
            DataType::Timestamp(TimeUnit::Microsecond, utc())
        }
        (Dialect::Spark, Some(Logical::LocalTimestampMillis)) | (_, Some(Logical::LocalTimestampMicros)) => {
            DataType::Timestamp(TimeUnit::Microsecond, None)
        }
        (Dialect::Client, Some(Logical::TimestampMillis)) => DataType::Timestamp(TimeUnit::Millisecond, utc()),
        (Dialect::Client, Some(Logical::LocalTimestampMillis)) => DataType::Timestamp(TimeUnit::Millisecond, None),
        (Dialect::Client, Some(Logical::TimestampNanos)) => DataType::Timestamp(TimeUnit::Nanosecond, utc()),
        (Dialect::Client, Some(Logical::LocalTimestampNanos)) => DataType::Timestamp(TimeUnit::Nanosecond, None),
        (Dialect::Client, Some(Logical::TimeMillis)) => DataType::Time32(TimeUnit::Millisecond),
        (Dialect::Client, Some(Logical::TimeMicros)) => DataType::Time64(TimeUnit::Microsecond),
        (Dialect::Client, Some(Logical::Duration)) => DataType::Interval(IntervalUnit::MonthDayNano),
        _ => plain(kind),
    }
}

fn plain(kind: &Kind) -> DataType {
    match kind {
        Kind::Boolean => DataType::Boolean,
        Kind::Int => DataType::Int32,
        Kind::Long => DataType::Int64,
        Kind::Float => DataType::Float32,
        Kind::Double => DataType::Float64,
        Kind::Bytes | Kind::Fixed(..) => DataType::Binary,
        Kind::String | Kind::Enum(..) => DataType::Utf8,
        _ => DataType::Null,
    }
}
