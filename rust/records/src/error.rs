//! The one error type of this crate.

use crate::Compression;

/// Why bytes are not a record batch, or why a record batch cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// The input ends before the structure that it announces.
    #[error("{needed} bytes are needed, {available} are there")]
    Truncated {
        /// Bytes that the structure takes.
        needed: usize,
        /// Bytes that the input has.
        available: usize,
    },
    /// A record format that is unknown, or too old for this place.
    #[error("record format with magic {0} is not supported here")]
    UnknownMagic(i8),
    /// A codec number that Kafka does not define.
    #[error("compression codec {0} is unknown")]
    UnknownCodec(i8),
    /// The bytes are not those that the writer summed.
    #[error("the batch is corrupt: stored CRC {stored:#010x}, computed {computed:#010x}")]
    CrcMismatch {
        /// CRC in the header.
        stored: u32,
        /// CRC of the bytes.
        computed: u32,
    },
    /// The batch holds more or fewer records than its header says.
    #[error("the header declares {declared} records, {found} were found")]
    CountMismatch {
        /// `record_count` of the header.
        declared: i32,
        /// Records decoded when the difference was noticed.
        found: i32,
    },
    /// A length field has a value that it must not have.
    #[error("{field} has the invalid value {length}")]
    InvalidLength {
        /// Which field.
        field: &'static str,
        /// Its value.
        length: i64,
    },
    /// A record breaks the format.
    #[error("record {index} of the batch is invalid: {reason}")]
    InvalidRecord {
        /// Position of the record in its batch, from 0.
        index: i32,
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// Decompression was stopped at the caller's limit.
    #[error("the batch decompresses to more than the limit of {limit} bytes")]
    DecompressedTooLarge {
        /// The caller's limit.
        limit: usize,
    },
    /// Decompression was stopped because so few bytes must not become so many.
    #[error("the batch decompresses to more than {ratio} times its size")]
    RatioTooLarge {
        /// The caller's limit.
        ratio: usize,
    },
    /// A message set of format 0 or 1 breaks its format.
    #[error("the message set is invalid: {reason}")]
    InvalidMessage {
        /// The rule that it breaks.
        reason: &'static str,
    },
    /// Compressed bytes that the codec refuses.
    #[error("invalid {} data: {reason}", codec.name())]
    Decompress {
        /// The codec.
        codec: Compression,
        /// What it refuses.
        reason: &'static str,
    },
    /// The codec could not compress.
    #[error("{} could not compress: {reason}", codec.name())]
    Compress {
        /// The codec.
        codec: Compression,
        /// Why.
        reason: &'static str,
    },
    /// A compression level that the codec does not have.
    #[error("{} has no compression level {level}, only {min} to {max}", codec.name())]
    InvalidLevel {
        /// The codec.
        codec: Compression,
        /// The level asked for.
        level: i32,
        /// Lowest level of the codec.
        min: i32,
        /// Highest level of the codec.
        max: i32,
    },
    /// A record or batch beyond what the format can express.
    #[error("{size} bytes do not fit into one batch, the format allows {limit}")]
    TooLarge {
        /// Size that was asked for.
        size: usize,
        /// Largest size of the format.
        limit: usize,
    },
    /// An offset within its batch that does not follow the one before.
    #[error("offset delta {delta} does not follow {last} in the batch")]
    InvalidOffsetDelta {
        /// The delta asked for.
        delta: i32,
        /// That of the last record, -1 if there is none.
        last: i32,
    },
    /// A batch that cannot be split.
    #[error("the batch cannot be split: {reason}")]
    NotSplittable {
        /// Why.
        reason: &'static str,
    },
    /// A batch must hold at least one record.
    #[error("a batch without records cannot be sealed")]
    EmptyBatch,
}

/// Result of this crate.
pub type Result<T, E = RecordsError> = std::result::Result<T, E>;
