//! The seam between the decoder and the payload formats: what a value or key holds, and what becomes of one that
//! does not fit the schema.
//!
//! A format is a [`PayloadDecoder`]: it appends one row per record and may not know of topics, offsets or policies.
//! [`Payload`] stands around it and keeps the policy: it fails, keeps nulls, or leaves the row out, and it fills the
//! column that gets the raw value.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, Field};
use barnabas_records::RecordRef;

use crate::avro::{AvroOptions, Registry, Writer};
use crate::builder::BytesBuilder;
use crate::csv::CsvOptions;
use crate::json::JsonOptions;
use crate::options::OptionMap;
use crate::projection::{Origin, Projection};
use crate::{ColumnarError, Result, avro, csv, json, text};

/// Name of the column that gets values that do not fit, unless an option gives another.
pub const CORRUPT_RECORD: &str = "_corrupt_record";

/// How the bytes of a value or key are to be read.
#[derive(Clone, Debug)]
pub enum PayloadFormat {
    /// A JSON object per record, by the rules of Spark's `from_json`.
    Json(JsonOptions),
    /// A datum in Avro's binary encoding per record, by the rules of Spark's `from_avro`.
    Avro(AvroOptions),
    /// A line of separated values per record, by the rules of Spark's `from_csv`.
    Csv(CsvOptions),
    /// One value per record, as text; the schema has one payload column.
    Text,
}

impl PayloadFormat {
    /// The format's name, as users write it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Json(_) => "json",
            Self::Avro(_) => "avro",
            Self::Csv(_) => "csv",
            Self::Text => "text",
        }
    }

    /// What a well-formed value is.
    fn noun(&self) -> &'static str {
        match self {
            Self::Json(JsonOptions {
                single_variant: Some(_),
                ..
            }) => "JSON",
            Self::Json(_) => "JSON object",
            Self::Avro(_) => "Avro datum",
            Self::Csv(_) => "line of CSV",
            Self::Text => "text",
        }
    }

    /// A decoder for these columns.
    fn decoder(&self, fields: &[&Field]) -> Result<Box<dyn PayloadDecoder>> {
        Ok(match self {
            Self::Json(options) => json::decoder(fields, options)?,
            Self::Avro(options) => Box::new(avro::AvroDecoder::new(fields, options)?),
            Self::Csv(options) => Box::new(csv::CsvDecoder::new(fields, options)?),
            Self::Text => Box::new(text::TextDecoder::new(fields)?),
        })
    }
}

/// What becomes of a value that does not fit the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadRecords {
    /// Nulls: of the whole row when the value is not of its format, else of the fields that do not fit (PERMISSIVE).
    #[default]
    Null,
    /// An error with topic, partition and offset (FAILFAST).
    Fail,
    /// The row is left out (DROPMALFORMED).
    Drop,
}

impl BadRecords {
    /// By Spark's name of the mode, in any case.
    ///
    /// # Errors
    /// Another name.
    pub fn from_mode(mode: &str) -> Result<Self> {
        match mode.to_ascii_uppercase().as_str() {
            "PERMISSIVE" => Ok(Self::Null),
            "FAILFAST" => Ok(Self::Fail),
            "DROPMALFORMED" => Ok(Self::Drop),
            _ => Err(ColumnarError::InvalidOption {
                option: "mode".to_owned(),
                value: mode.to_owned(),
                expected: "PERMISSIVE, FAILFAST or DROPMALFORMED".to_owned(),
            }),
        }
    }
}

/// Which bytes of a record hold the payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The record's value.
    #[default]
    Value,
    /// The record's key.
    Key,
}

impl Part {
    /// These bytes of a record; nothing if they are null.
    #[inline]
    pub fn of<'r>(self, record: &RecordRef<'r>) -> Option<&'r [u8]> {
        match self {
            Self::Value => record.value,
            Self::Key => record.key,
        }
    }
}

/// How typed columns are made: format, policy, source.
#[derive(Clone, Debug)]
pub struct PayloadOptions {
    /// How the bytes are read.
    pub format: PayloadFormat,
    /// What becomes of those that do not fit.
    pub bad_records: BadRecords,
    /// Where they are.
    pub part: Part,
    /// Name of the column, of type string or binary, that gets bytes that do not fit as they are.
    pub corrupt_record: String,
}

impl PayloadOptions {
    /// Values of this format, nulls for what does not fit.
    pub fn new(format: PayloadFormat) -> Self {
        Self {
            format,
            bad_records: BadRecords::default(),
            part: Part::default(),
            corrupt_record: CORRUPT_RECORD.to_owned(),
        }
    }

    /// From a format's name and options by Spark's names, in any case.
    ///
    /// Beside the format's own options these are known: `mode`, `columnNameOfCorruptRecord` and `part` (`value` or
    /// `key`).
    ///
    /// # Errors
    /// An unknown format; an option that is unknown, not supported, or has a value that it cannot have.
    pub fn parse(format: &str, options: &BTreeMap<String, String>) -> Result<Self> {
        let mut map = OptionMap::new(format, options);
        let mode = map.take("mode");
        let corrupt_record = map.take("columnNameOfCorruptRecord");
        let part = map.take("part");
        let format = match format {
            "json" => PayloadFormat::Json(JsonOptions::take(&mut map)?),
            "avro" => PayloadFormat::Avro(AvroOptions::take(&mut map)?),
            "csv" => PayloadFormat::Csv(CsvOptions::take(&mut map)?),
            "text" => PayloadFormat::Text,
            other => return Err(ColumnarError::UnknownFormat(other.to_owned())),
        };
        map.finish()?;
        let mut parsed = Self::new(format);
        if let Some(mode) = mode {
            parsed.bad_records = BadRecords::from_mode(&mode)?;
        }
        if let Some(name) = corrupt_record {
            parsed.corrupt_record = name;
        }
        parsed.part = match part.as_deref() {
            None | Some("value") => Part::Value,
            Some("key") => Part::Key,
            Some(other) => {
                return Err(ColumnarError::InvalidOption {
                    option: "part".to_owned(),
                    value: other.to_owned(),
                    expected: "value or key".to_owned(),
                });
            }
        };
        Ok(parsed)
    }

    /// Where the schemas of the bytes come from, if they are Avro that names them.
    pub fn registry(&self) -> Option<&Arc<Registry>> {
        match &self.format {
            PayloadFormat::Avro(AvroOptions {
                writer: Some(Writer::Registry(registry)),
                ..
            }) => Some(registry),
            _ => None,
        }
    }

    /// The ids of schemas that these records name and that were not told, each once. Nothing if there is a resolver that
    /// will be asked for them, or if no schema is named at all.
    pub fn missing_schemas<'r>(&self, records: impl Iterator<Item = RecordRef<'r>>) -> Vec<u32> {
        match self.registry() {
            Some(registry) if !registry.has_resolver() => {
                registry.missing(records.filter_map(|record| self.part.of(&record)))
            }
            _ => Vec::new(),
        }
    }

    /// Whether this column gets the bytes that do not fit.
    pub(crate) fn is_corrupt_record(&self, field: &Field) -> bool {
        *field.name() == self.corrupt_record && matches!(field.data_type(), DataType::Utf8 | DataType::Binary)
    }

    /// Finds out whether the format can be decoded to these columns.
    pub(crate) fn check(&self, fields: &[&Field]) -> Result<()> {
        self.format.decoder(fields).map(|_| ())
    }
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    /// It is not of its format: what stands, or should stand, at this byte.
    Malformed { at: usize, what: &'static str },
    /// What its format has for this payload column does not fit it.
    Field(usize),
    /// A sentence.
    Other(Box<str>),
}

/// Appends a row per record to the payload columns of a projection, in the schema's order.
pub(crate) trait PayloadDecoder: fmt::Debug + Send {
    /// Appends exactly one row to every column, of nulls where nothing fits; says what is wrong, if anything is.
    /// Nothing (a tombstone) is a row of nulls and not bad.
    fn push(&mut self, payload: Option<&[u8]>) -> Result<Option<Bad>>;

    /// Says, before the first row of a batch, how many rows are likely to come, with how many bytes of payload.
    fn reserve(&mut self, rows: usize, bytes: usize);

    /// The columns, in the order of the fields that the decoder was made for; the decoder is empty again.
    fn finish(&mut self) -> Result<Vec<ArrayRef>>;
}

/// The column that gets bytes that do not fit.
#[derive(Debug)]
struct Corrupt {
    rows: BytesBuilder,
    is_text: bool,
}

/// Which rows of a batch stay.
#[derive(Debug)]
struct Kept {
    rows: BooleanBufferBuilder,
    dropped: usize,
}

/// A format's decoder with the policy for what does not fit.
#[derive(Debug)]
pub(crate) struct Payload {
    decoder: Box<dyn PayloadDecoder>,
    names: Vec<String>,
    noun: &'static str,
    bad_records: BadRecords,
    part: Part,
    corrupt: Option<Corrupt>,
    kept: Kept,
}

/// The finished payload columns of one batch.
#[derive(Debug)]
pub(crate) struct PayloadColumns {
    /// The format's columns, in the schema's order.
    pub(crate) columns: std::vec::IntoIter<ArrayRef>,
    /// The column of the bytes that did not fit.
    pub(crate) corrupt: Option<ArrayRef>,
    /// Which rows stay, if not all do.
    pub(crate) kept: Option<BooleanArray>,
}

impl Payload {
    /// The payload columns of a projection; nothing if it has none.
    pub(crate) fn new(projection: &Projection) -> Result<Option<Self>> {
        let Some(options) = projection.payload() else {
            return Ok(None);
        };
        let of_origin = |wanted: Origin| {
            (projection.schema().fields().iter().zip(projection.origins()))
                .filter(move |(_, origin)| **origin == wanted)
                .map(|(field, _)| field.as_ref())
        };
        let fields: Vec<&Field> = of_origin(Origin::Payload).collect();
        let corrupt = of_origin(Origin::Corrupt).next().map(|field| Corrupt {
            rows: BytesBuilder::new(),
            is_text: *field.data_type() == DataType::Utf8,
        });
        if fields.is_empty() && corrupt.is_none() && options.bad_records == BadRecords::Null {
            return Ok(None);
        }
        Ok(Some(Self {
            decoder: options.format.decoder(&fields)?,
            names: fields.iter().map(|field| field.name().clone()).collect(),
            noun: options.format.noun(),
            bad_records: options.bad_records,
            part: options.part,
            corrupt,
            kept: Kept {
                rows: BooleanBufferBuilder::new(0),
                dropped: 0,
            },
        }))
    }

    /// Makes room before the first row of a batch.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        self.decoder.reserve(rows, bytes);
    }

    /// Appends one row; gives a sentence about what is wrong if that is to be an error.
    #[inline]
    pub(crate) fn push(&mut self, record: &RecordRef<'_>) -> Result<Option<String>> {
        let payload = self.part.of(record);
        let bad = self.decoder.push(payload)?;
        if let Some(corrupt) = &mut self.corrupt {
            corrupt.rows.push(payload.filter(|_| bad.is_some()))?;
        }
        if self.bad_records == BadRecords::Drop {
            self.kept.rows.append(bad.is_none());
            self.kept.dropped = self.kept.dropped.saturating_add(usize::from(bad.is_some()));
        }
        Ok(bad
            .filter(|_| self.bad_records == BadRecords::Fail)
            .map(|bad| self.describe(&bad)))
    }

    fn describe(&self, bad: &Bad) -> String {
        let part = match self.part {
            Part::Value => "value",
            Part::Key => "key",
        };
        match bad {
            Bad::Malformed { at, what } => format!("the {part} is no {}: {what} at byte {at}", self.noun),
            Bad::Field(index) => {
                let name = self.names.get(*index).map_or("", String::as_str);
                format!("field {name:?} of the {part} does not fit its column")
            }
            Bad::Other(sentence) => sentence.clone().into_string(),
        }
    }

    /// The finished columns; empty again.
    pub(crate) fn finish(&mut self) -> Result<PayloadColumns> {
        let corrupt = match &mut self.corrupt {
            Some(Corrupt { rows, is_text: true }) => Some(rows.finish_string()?),
            Some(Corrupt { rows, is_text: false }) => Some(rows.finish_binary()?),
            None => None,
        };
        let rows = self.kept.rows.finish();
        let dropped = std::mem::take(&mut self.kept.dropped);
        Ok(PayloadColumns {
            columns: self.decoder.finish()?.into_iter(),
            corrupt,
            kept: (dropped > 0).then(|| BooleanArray::new(rows, None)),
        })
    }
}
