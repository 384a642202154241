//! Record batches to Arrow and back: Kafka's own columns in one pass, and typed columns from and to JSON, Avro, CSV and
//! text.
//!
//! Works on batches that are already fetched, checked and decompressed. It may do no I/O and start no thread; every
//! length comes from [`barnabas_records`], which has checked it, and what grows with the input has a named limit.
//!
//! A [`Projection`] says which columns to make; a [`Decoder`] takes [`RecordSlice`]s one after the other and hands
//! out Arrow record batches of bounded size.

pub mod avro;
mod builder;
pub mod check;
mod csv;
mod decoder;
pub mod encode;
mod error;
pub mod json;
mod lanes;
mod options;
mod payload;
mod pool;
mod projection;
mod raw;
mod scalar;
mod text;
mod variant;
mod views;

pub use csv::CsvOptions;
pub use decoder::{BATCH_BYTES_LIMIT, Decoder, Limits, RecordSlice};
pub use error::ColumnarError;
pub use json::{EpochUnit, JsonOptions, JsonWriteOptions, NESTING_LIMIT};
pub use payload::{BadRecords, CORRUPT_RECORD, Part, PayloadFormat, PayloadOptions};
pub use projection::{Dialect, Projection, RawColumn};
pub use scalar::pattern::Pattern;

/// The result of this crate.
pub type Result<T> = std::result::Result<T, ColumnarError>;
