//! The message table: what Kafka's schemas say about every request, response and data record.

use crate::generated::messages::SCHEMAS;

pub use crate::generated::messages::STRUCT_COUNT;

/// An inclusive range of versions; empty if `max < min`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Versions {
    /// The first.
    pub min: i16,
    /// The last.
    pub max: i16,
}

impl Versions {
    /// Whether `version` is in the range.
    #[inline]
    pub fn contains(self, version: i16) -> bool {
        self.min <= version && version <= self.max
    }
}

pub(crate) const NONE: Versions = Versions { min: 0, max: -1 };

pub(crate) const fn from(min: i16) -> Versions {
    Versions { min, max: i16::MAX }
}

pub(crate) const fn v(min: i16, max: i16) -> Versions {
    Versions { min, max }
}

/// What a message is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A request.
    Request,
    /// A response.
    Response,
    /// A record of the metadata log.
    Metadata,
    /// The key of a coordinator's record.
    CoordinatorKey,
    /// The value of a coordinator's record.
    CoordinatorValue,
    /// Anything else.
    Data,
}

/// The type of a field, or of the elements of an array.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A boolean.
    Bool,
    /// A signed byte.
    Int8,
    /// A signed 16-bit integer.
    Int16,
    /// An unsigned 16-bit integer.
    Uint16,
    /// A signed 32-bit integer.
    Int32,
    /// An unsigned 32-bit integer.
    Uint32,
    /// A signed 64-bit integer.
    Int64,
    /// A 64-bit float.
    Float64,
    /// A 128-bit id.
    Uuid,
    /// Text.
    String,
    /// Bytes.
    Bytes,
    /// Record batches.
    Records,
    /// A struct.
    Struct(&'static Struct),
}

impl Kind {
    /// The least bytes that a value takes.
    pub fn size_min(self) -> usize {
        match self {
            Self::Bool | Self::Int8 | Self::String | Self::Bytes | Self::Records | Self::Struct(_) => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Int32 | Self::Uint32 => 4,
            Self::Int64 | Self::Float64 => 8,
            Self::Uuid => 16,
        }
    }

    /// The type's name in Kafka's schemas.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Uint16 => "uint16",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Int64 => "int64",
            Self::Float64 => "float64",
            Self::Uuid => "uuid",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Records => "records",
            Self::Struct(of) => of.name,
        }
    }
}

/// What a field holds when nobody has set it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Default {
    /// Null.
    Null,
    /// Empty text, bytes or array; the zero id; a struct of defaults.
    Empty,
    /// A boolean.
    Bool(bool),
    /// An integer of the field's type.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    Str(&'static str),
}

/// A field.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The schema's name in snake case.
    pub name: &'static str,
    /// The type, or the elements' type.
    pub kind: Kind,
    /// Whether it is an array.
    pub array: bool,
    /// The versions that have it.
    pub versions: Versions,
    /// The versions in which it may be null.
    pub nullable: Versions,
    /// The versions in which it is a tagged field.
    pub tagged: Versions,
    /// Its tag.
    pub tag: u32,
    /// Whether a version that lacks it may drop its value.
    pub ignorable: bool,
    /// What it holds when nobody has set it.
    pub default: Default,
}

/// A field of the generated table.
pub(crate) const fn f(name: &'static str, kind: Kind, versions: Versions, default: Default) -> Field {
    Field {
        name,
        kind,
        array: false,
        versions,
        nullable: NONE,
        tagged: NONE,
        tag: 0,
        ignorable: false,
        default,
    }
}

impl Field {
    pub(crate) const fn array(self) -> Self {
        Self { array: true, ..self }
    }

    pub(crate) const fn nullable(self, nullable: Versions) -> Self {
        Self { nullable, ..self }
    }

    pub(crate) const fn tagged(self, tag: u32, tagged: Versions) -> Self {
        Self { tagged, tag, ..self }
    }

    pub(crate) const fn ignorable(self) -> Self {
        Self {
            ignorable: true,
            ..self
        }
    }
}

/// A struct: a message, or a part of one.
#[derive(Debug)]
pub struct Struct {
    /// Its number, below [`STRUCT_COUNT`].
    pub id: usize,
    /// The index of the message that it belongs to; see [`Struct::schema`].
    pub(crate) schema: usize,
    /// Its name.
    pub name: &'static str,
    /// Its fields, at most 64, in the order of the wire.
    pub fields: &'static [Field],
}

impl Struct {
    /// The message that it belongs to.
    #[expect(
        clippy::indexing_slicing,
        reason = "the generator numbers structs and schemas together"
    )]
    pub fn schema(&self) -> &'static Schema {
        &SCHEMAS[self.schema]
    }

    /// Whether it is the message itself.
    pub fn is_root(&self) -> bool {
        self.schema().root.id == self.id
    }
}

/// A message.
#[derive(Debug)]
pub struct Schema {
    /// Its name, as `JoinGroupRequest`.
    pub name: &'static str,
    /// The Python module of its class, as `join_group`.
    pub module: &'static str,
    /// What it is for.
    pub purpose: Purpose,
    /// The API's key, or the record's type.
    pub api_key: Option<i16>,
    /// The oldest valid version.
    pub version_min: i16,
    /// The newest valid version that is stable.
    pub version_max: i16,
    /// The first flexible version, if any.
    pub flexible_from: Option<i16>,
    /// Its fields.
    pub root: &'static Struct,
}

impl Schema {
    /// Whether `version` is valid.
    pub fn has_version(&self, version: i16) -> bool {
        self.version_min <= version && version <= self.version_max
    }

    /// Whether `version` is flexible.
    pub fn is_flexible(&self, version: i16) -> bool {
        self.flexible_from.is_some_and(|first| version >= first)
    }
}

/// Every message, by name.
pub fn schemas() -> &'static [Schema] {
    &SCHEMAS
}

/// The message with this name.
pub fn schema(name: &str) -> Option<&'static Schema> {
    SCHEMAS
        .binary_search_by_key(&name, |schema| schema.name)
        .ok()
        .and_then(|index| SCHEMAS.get(index))
}

fn find(purpose: Purpose, api_key: i16) -> Option<&'static Schema> {
    SCHEMAS
        .iter()
        .find(|schema| schema.purpose == purpose && schema.api_key == Some(api_key))
}

/// The request of an API.
pub fn request(api_key: i16) -> Option<&'static Schema> {
    find(Purpose::Request, api_key)
}

/// The response of an API.
pub fn response(api_key: i16) -> Option<&'static Schema> {
    find(Purpose::Response, api_key)
}

/// The message whose root struct has this number.
pub fn message(root_id: usize) -> Option<&'static Schema> {
    SCHEMAS
        .binary_search_by_key(&root_id, |schema| schema.root.id)
        .ok()
        .and_then(|index| SCHEMAS.get(index))
}
