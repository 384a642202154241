//! The 61-byte header of a version 2 record batch.

use zerocopy::byteorder::big_endian::{I16, I32, I64, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{Compression, RecordsError, Result};

/// Bytes of a batch header.
pub const HEADER_LEN: usize = 61;
/// Bytes before those that `batch_length` counts: base offset and the length itself.
pub const LOG_OVERHEAD: usize = 12;
/// The record format that this crate reads and writes.
pub const MAGIC_V2: i8 = 2;
/// `producer_id` of a batch without producer state.
pub const NO_PRODUCER_ID: i64 = -1;
/// `producer_epoch` of a batch without producer state.
pub const NO_PRODUCER_EPOCH: i16 = -1;
/// `base_sequence` of a batch without producer state.
pub const NO_SEQUENCE: i32 = -1;
/// A record's timestamp where it has none.
pub const NO_TIMESTAMP: i64 = -1;
/// `partition_leader_epoch` of a batch that no broker has appended yet.
pub const NO_PARTITION_LEADER_EPOCH: i32 = -1;

/// Bits of `attributes`.
pub mod attributes {
    /// The codec's number.
    pub const CODEC_MASK: i16 = 0x07;
    /// Timestamps are the broker's append time.
    pub const LOG_APPEND_TIME: i16 = 0x08;
    /// The batch belongs to a transaction.
    pub const TRANSACTIONAL: i16 = 0x10;
    /// The batch holds control records.
    pub const CONTROL: i16 = 0x20;
    /// `base_timestamp` is the time from which tombstones and markers may be removed.
    pub const DELETE_HORIZON: i16 = 0x40;
}

/// Where the magic byte stands, in every version of the format.
const MAGIC_POSITION: usize = 16;
/// Where the bytes begin that the CRC covers.
pub(crate) const CRC_START: usize = 21;
const LENGTH_MIN: usize = HEADER_LEN - LOG_OVERHEAD;

#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy)]
#[repr(C)]
pub(crate) struct RawHeader {
    pub(crate) base_offset: I64,
    pub(crate) batch_length: I32,
    pub(crate) partition_leader_epoch: I32,
    pub(crate) magic: i8,
    pub(crate) crc: U32,
    pub(crate) attributes: I16,
    pub(crate) last_offset_delta: I32,
    pub(crate) base_timestamp: I64,
    pub(crate) max_timestamp: I64,
    pub(crate) producer_id: I64,
    pub(crate) producer_epoch: I16,
    pub(crate) base_sequence: I32,
    pub(crate) record_count: I32,
}

const _: () = assert!(size_of::<RawHeader>() == HEADER_LEN);
const _: () = assert!(std::mem::offset_of!(RawHeader, batch_length) + 4 == LOG_OVERHEAD);
const _: () = assert!(std::mem::offset_of!(RawHeader, magic) == MAGIC_POSITION);
const _: () = assert!(std::mem::offset_of!(RawHeader, attributes) == CRC_START);

/// The header of a version 2 record batch, every field as it stands in the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchHeader {
    /// Offset of the first record.
    pub base_offset: i64,
    /// Bytes of the batch after this field.
    pub batch_length: i32,
    /// Epoch of the leader that appended the batch, -1 before that.
    pub partition_leader_epoch: i32,
    /// Version of the record format: 2, or the older one that the records were read from.
    pub magic: i8,
    /// CRC32C of everything from `attributes` on.
    pub crc: u32,
    /// Codec and flags, see [`attributes`].
    pub attributes: i16,
    /// Offset of the last record minus `base_offset`.
    pub last_offset_delta: i32,
    /// What timestamp deltas of the records count from.
    pub base_timestamp: i64,
    /// Largest timestamp of the records, or the append time.
    pub max_timestamp: i64,
    /// Producer, or -1.
    pub producer_id: i64,
    /// Producer's epoch, or -1.
    pub producer_epoch: i16,
    /// Sequence number of the first record, or -1.
    pub base_sequence: i32,
    /// Number of records.
    pub record_count: i32,
}

impl BatchHeader {
    /// Reads the header at the front of `bytes`.
    ///
    /// # Errors
    /// The bytes are too few, the magic is not 2, or `batch_length` is less than a header needs.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let Ok((raw, _)) = RawHeader::ref_from_prefix(bytes) else {
            return Err(short_header(bytes));
        };
        let header = Self {
            base_offset: raw.base_offset.get(),
            batch_length: raw.batch_length.get(),
            partition_leader_epoch: raw.partition_leader_epoch.get(),
            magic: raw.magic,
            crc: raw.crc.get(),
            attributes: raw.attributes.get(),
            last_offset_delta: raw.last_offset_delta.get(),
            base_timestamp: raw.base_timestamp.get(),
            max_timestamp: raw.max_timestamp.get(),
            producer_id: raw.producer_id.get(),
            producer_epoch: raw.producer_epoch.get(),
            base_sequence: raw.base_sequence.get(),
            record_count: raw.record_count.get(),
        };
        if header.magic != MAGIC_V2 {
            return Err(RecordsError::UnknownMagic(header.magic));
        }
        body_len(header.batch_length)?;
        Ok(header)
    }

    /// Writes the header.
    pub fn write(&self, out: &mut [u8; HEADER_LEN]) {
        let raw = RawHeader {
            base_offset: self.base_offset.into(),
            batch_length: self.batch_length.into(),
            partition_leader_epoch: self.partition_leader_epoch.into(),
            magic: self.magic,
            crc: self.crc.into(),
            attributes: self.attributes.into(),
            last_offset_delta: self.last_offset_delta.into(),
            base_timestamp: self.base_timestamp.into(),
            max_timestamp: self.max_timestamp.into(),
            producer_id: self.producer_id.into(),
            producer_epoch: self.producer_epoch.into(),
            base_sequence: self.base_sequence.into(),
            record_count: self.record_count.into(),
        };
        out.copy_from_slice(raw.as_bytes());
    }

    /// The batch that compaction leaves when it removed all records: header only, with the offsets, the producer and its
    /// last sequence, so that neither is forgotten.
    pub fn to_empty_batch(&self) -> [u8; HEADER_LEN] {
        let kept = attributes::LOG_APPEND_TIME | attributes::TRANSACTIONAL | attributes::CONTROL;
        let empty = Self {
            batch_length: i32::try_from(LENGTH_MIN).unwrap_or_default(),
            attributes: self.attributes & kept,
            base_timestamp: NO_TIMESTAMP,
            record_count: 0,
            ..*self
        };
        let mut bytes = [0; HEADER_LEN];
        empty.write(&mut bytes);
        let summed = crate::patch::set_crc(&mut bytes);
        debug_assert_eq!(summed, Ok(()), "a header has room for its CRC");
        bytes
    }

    /// Bytes of the whole batch, header included (0 for a negative length, which [`parse`](Self::parse) refuses).
    #[inline]
    pub fn size_in_bytes(&self) -> usize {
        usize::try_from(self.batch_length).map_or(0, |length| length.saturating_add(LOG_OVERHEAD))
    }

    /// The codec of the records.
    ///
    /// # Errors
    /// The codec's number is one that Kafka does not define.
    #[inline]
    pub fn compression(&self) -> Result<Compression> {
        let [_, low] = (self.attributes & attributes::CODEC_MASK).to_be_bytes();
        Compression::from_id(low.cast_signed())
    }

    /// Whether the batch belongs to a transaction.
    #[inline]
    pub fn is_transactional(&self) -> bool {
        self.attributes & attributes::TRANSACTIONAL != 0
    }

    /// Whether the batch holds control records.
    #[inline]
    pub fn is_control(&self) -> bool {
        self.attributes & attributes::CONTROL != 0
    }

    /// Whether the records' timestamp is `max_timestamp`, the time of the append.
    #[inline]
    pub fn is_log_append_time(&self) -> bool {
        self.attributes & attributes::LOG_APPEND_TIME != 0
    }

    /// Kafka's number of the timestamps' type: 0 the producer's, 1 append time, -1 none (format 0).
    #[inline]
    pub fn timestamp_type(&self) -> i8 {
        if self.magic == crate::MAGIC_V0 {
            -1
        } else {
            i8::from(self.is_log_append_time())
        }
    }

    /// The time from which tombstones and markers of the batch may be removed, if compaction has set one.
    #[inline]
    pub fn delete_horizon_ms(&self) -> Option<i64> {
        (self.attributes & attributes::DELETE_HORIZON != 0).then_some(self.base_timestamp)
    }

    /// Offset of the last record.
    #[inline]
    pub fn last_offset(&self) -> i64 {
        self.base_offset.wrapping_add(i64::from(self.last_offset_delta))
    }

    /// Offset that follows the batch.
    #[inline]
    pub fn next_offset(&self) -> i64 {
        self.last_offset().wrapping_add(1)
    }

    /// Sequence number of the last record; sequences wrap from `i32::MAX` to 0. -1 if there is none.
    #[inline]
    pub fn last_sequence(&self) -> i32 {
        if self.base_sequence == NO_SEQUENCE {
            NO_SEQUENCE
        } else {
            add_sequence(self.base_sequence, self.last_offset_delta)
        }
    }

    /// Whether an idempotent or transactional producer wrote the batch.
    #[inline]
    pub fn has_producer(&self) -> bool {
        self.producer_id > NO_PRODUCER_ID
    }
}

/// The sequence number `increment` after `sequence`, wrapping from `i32::MAX` to 0.
#[inline]
pub fn add_sequence(sequence: i32, increment: i32) -> i32 {
    sequence.wrapping_add(increment) & i32::MAX
}

/// Bytes after the length field, checked to hold at least the rest of a header.
#[inline]
pub(crate) fn body_len(batch_length: i32) -> Result<usize> {
    match usize::try_from(batch_length) {
        Ok(length) if length >= LENGTH_MIN => Ok(length),
        _ => Err(RecordsError::InvalidLength {
            field: "batch length",
            length: i64::from(batch_length),
        }),
    }
}

/// Older formats have shorter headers: name the magic if it can be seen.
#[cold]
fn short_header(bytes: &[u8]) -> RecordsError {
    match bytes.get(MAGIC_POSITION).map(|magic| magic.cast_signed()) {
        Some(magic) if magic != MAGIC_V2 => RecordsError::UnknownMagic(magic),
        _ => RecordsError::Truncated {
            needed: HEADER_LEN,
            available: bytes.len(),
        },
    }
}
