//! Kafka record batches: encode, decode, compression, CRC32C, murmur2, varints.
//!
//! Bytes in, structs out. This crate does no I/O, reads no clock and starts no thread; it never panics on
//! hostile bytes and never allocates by a length that it has not checked.

mod batch;
mod builder;
pub mod check;
mod compression;
mod control;
mod crc;
mod error;
mod header;
mod murmur2;
pub mod patch;
mod record;
pub mod varint;

pub use batch::{BatchIter, BatchRef};
pub use builder::{BatchBuilder, Header, Seal};
pub use compression::{Compression, compress, decompress};
pub use control::{ControlKey, EndTransactionMarker, build_control_batch, control_type};
pub use crc::crc32c;
pub use error::{RecordsError, Result};
pub use header::{
    BatchHeader, HEADER_LEN, LOG_OVERHEAD, MAGIC_V2, NO_PARTITION_LEADER_EPOCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID,
    NO_SEQUENCE, NO_TIMESTAMP, add_sequence, attributes,
};
pub use murmur2::{murmur2, partition_for_key};
pub use record::{HeadersIter, HeadersRef, RecordIter, RecordRef};
