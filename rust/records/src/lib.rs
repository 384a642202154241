//! Kafka record batches: encode, decode, compression, CRC32C, murmur2, varints.
//!
//! Format 2 is read and written, formats 0 and 1 (message sets) are read. [`BatchIter`] is for bytes that must be format
//! 2, [`AnyBatchIter`] for bytes that may have any age.
//!
//! Bytes in, structs out. This crate does no I/O, reads no clock and starts no thread; it never panics on
//! hostile bytes and never allocates by a length that it has not checked.

mod any;
mod batch;
mod builder;
pub mod check;
mod compression;
mod control;
mod crc;
mod error;
mod filter;
mod header;
mod legacy;
mod limit;
mod murmur2;
pub mod patch;
mod prefetch;
mod record;
mod record_index;
mod split;
pub mod varint;

pub use any::{AnyBatch, AnyBatchIter};
pub use batch::{BatchIter, BatchRef};
pub use builder::{BatchBuilder, Header, Seal};
pub use compression::{Compression, compress, compress_over, decompress, decompress_over};
pub use control::{ControlKey, EndTransactionMarker, build_control_batch, control_type};
pub use crc::{crc32, crc32c};
pub use error::{RecordsError, Result};
pub use filter::{BatchFilter, BatchRetention, FilterRecord, FilterRules, Filtered};
pub use header::{
    BatchHeader, HEADER_LEN, LOG_OVERHEAD, MAGIC_V2, NO_PARTITION_LEADER_EPOCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID,
    NO_SEQUENCE, NO_TIMESTAMP, add_sequence, attributes,
};
pub use legacy::{MAGIC_V0, MAGIC_V1, Message, MessageIter, MessageSet};
pub use limit::OutputLimit;
pub use murmur2::{murmur2, partition_for_key};
pub use record::{HeadersIter, HeadersRef, RecordIter, RecordRef};
pub use record_index::RecordIndex;
pub use split::split;
