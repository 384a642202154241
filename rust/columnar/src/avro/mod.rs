//! Typed columns from Avro, and Avro from typed columns.
//!
//! A record's value is Avro's binary encoding of one datum, without a file's header, either of a schema that the
//! caller knows or behind the five bytes by which Confluent's serializers name a schema in a registry. Each writer's
//! schema is resolved once against what is wanted into a plan: fields that become columns are decoded straight into
//! them, all others are passed over by their lengths.
//!
//! The rules, beside those of Avro's specification (1.12):
//! - a missing value (a tombstone) is a row of nulls and not bad; anything else that is not of its schema is bad as a
//!   whole, and its row is nulls under [`crate::BadRecords::Null`], as with Spark's `from_avro`;
//! - bytes after the value are ignored, as in Avro's Java library and Spark, unless an option refuses them;
//! - a boolean is 0 or 1, an int fits 32 bits, a number ends within 10 bytes: what the Java library reads from other
//!   bytes is bad here;
//! - text that is not UTF-8 is mended with U+FFFD; of a map's repeated keys the last holds, as in the Java library;
//! - times of one meaning and different units are converted, a `long` without logical type read as a timestamp counts
//!   milliseconds, as in Spark;
//! - decimals keep their scale; more digits than the column has are bad;
//! - enums and fixeds match by their unqualified names or aliases, records whatever their names.
//!
//! Not supported: decimals of more than 38 digits (they are bytes), large, view and dictionary columns, the single-object
//! encoding by fingerprint, object container files, protocols, and reading a default for a reader's field that no
//! column asks for (so a reader's field without default that the writer lacks is an error only if it is asked for).

mod bind;
mod column;
mod cursor;
mod decoder;
mod default;
mod encode;
mod encoding;
mod leaf;
mod plan;
mod put;
mod registry;
mod resolve;
mod schema;
mod text;
mod types;
mod write;

use std::sync::Arc;

pub use column::FIXED_WIDTH_LIMIT;
pub use cursor::{EMPTY_ITEMS_LIMIT, SKIP_DEPTH_LIMIT};
pub(crate) use decoder::AvroDecoder;
pub use decoder::PLANS_LIMIT;
pub use default::{DEFAULT_BYTES_LIMIT, DEFAULT_VALUES_LIMIT};
pub use encode::Encoder;
pub use registry::{Registry, Resolver, SCHEMAS_LIMIT, Unresolved};
pub use resolve::PLAN_STEPS_LIMIT;
pub use schema::{SCHEMA_DEPTH_LIMIT, Schema};
pub use text::SCHEMA_TEXT_LIMIT;
pub use types::{ARROW_FIELDS_LIMIT, ArrowTypes, VALUE_COLUMN, arrow_schema};
pub use write::schema_text;

use crate::options::{OptionMap, invalid};
use crate::{ColumnarError, Dialect, Result};

/// Where the schema comes from that a value was written with.
#[derive(Clone, Debug)]
pub enum Writer {
    /// It is the same for all values, which are plain.
    Schema(Schema),
    /// The five bytes before each value name it.
    Registry(Arc<Registry>),
}

/// How Avro values are read.
#[derive(Clone, Debug)]
pub struct AvroOptions {
    /// The schemas that values were written with. There is no decoding without.
    pub writer: Option<Writer>,
    /// The schema that values are read as. Without one the columns are the reader's schema: a field is looked for by
    /// the column's name, and a nullable column that a writer does not have is null.
    pub reader: Option<Schema>,
    /// How columns are made from the schema when the caller gives none, and how members of unions are named.
    pub types: ArrowTypes,
    /// Whether a value that is followed by further bytes is bad.
    pub refuse_trailing_bytes: bool,
}

impl Default for AvroOptions {
    fn default() -> Self {
        Self {
            writer: None,
            reader: None,
            types: ArrowTypes::new(Dialect::Spark),
            refuse_trailing_bytes: false,
        }
    }
}

impl AvroOptions {
    /// Plain values of this schema.
    pub fn plain(writer: Schema) -> Self {
        Self {
            writer: Some(Writer::Schema(writer)),
            ..Self::default()
        }
    }

    /// Values that name their schema.
    pub fn registry(registry: Arc<Registry>) -> Self {
        Self {
            writer: Some(Writer::Registry(registry)),
            ..Self::default()
        }
    }

    /// Takes the options by Spark's names: `avroSchema` is the reader's schema, `jsonFormatSchema` the writer's
    /// (without it the reader's holds for both), `recursiveFieldMaxDepth`, `enableStableIdentifiersForUnionType` and
    /// `stableIdentifierPrefixForUnionType` are as in Spark; `refuseTrailingBytes` is our own.
    pub(crate) fn take(map: &mut OptionMap) -> Result<Self> {
        let schema = |text: Option<String>| text.as_deref().map(Schema::parse).transpose();
        let reader = schema(map.take("avroSchema"))?;
        let writer = schema(map.take("jsonFormatSchema"))?.or_else(|| reader.clone());
        let mut types = ArrowTypes::new(Dialect::Spark);
        if let Some(depth) = map.take("recursiveFieldMaxDepth") {
            types.recursion_max = match depth.parse() {
                Ok(depth @ -1..=15) => usize::try_from(depth).unwrap_or(0),
                _ => return Err(invalid("recursiveFieldMaxDepth", &depth, "a number from -1 to 15")),
            };
        }
        let stable = map.take_switch("enableStableIdentifiersForUnionType", false)?;
        let prefix = map.take("stableIdentifierPrefixForUnionType");
        types.stable_union_names = stable.then(|| prefix.unwrap_or_else(|| "member_".to_owned()));
        if let Some(mode) = map.take("datetimeRebaseMode")
            && !["CORRECTED", "EXCEPTION"].contains(&mode.to_ascii_uppercase().as_str())
        {
            return Err(invalid(
                "datetimeRebaseMode",
                &mode,
                "CORRECTED or EXCEPTION; dates are never shifted between calendars",
            ));
        }
        Ok(Self {
            writer: writer.map(Writer::Schema),
            reader,
            types,
            refuse_trailing_bytes: map.take_switch("refuseTrailingBytes", false)?,
        })
    }

    /// The Arrow schema of the values: of the reader's schema, else of the writer's if that is known beforehand.
    ///
    /// # Errors
    /// As for [`ArrowTypes::derive`], and if neither schema is known.
    pub fn arrow_schema(&self) -> Result<arrow_schema::Schema> {
        match (&self.reader, &self.writer) {
            (Some(schema), _) | (None, Some(Writer::Schema(schema))) => self.types.derive(schema),
            _ => Err(no_schema()),
        }
    }
}

/// Nothing says what the values are.
fn no_schema() -> ColumnarError {
    invalid(
        "avroSchema",
        "",
        "the schema's text; values that name their schema need a registry, and columns or avroSchema beside it",
    )
}
