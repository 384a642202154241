//! Changes of a whole batch in place, as brokers and retrying producers make them.
//!
//! Base offset and leader epoch lie outside the CRC; the other changes compute it anew. Each function takes a slice
//! that begins with a batch header; those that touch the CRC take exactly one whole batch.

use zerocopy::FromBytes;

use crate::header::{CRC_START, RawHeader, attributes};
use crate::{HEADER_LEN, RecordsError, Result, crc32c};

/// Sets the offset of the first record.
///
/// # Errors
/// `batch` is shorter than a header.
#[inline]
pub fn set_base_offset(batch: &mut [u8], base_offset: i64) -> Result<()> {
    raw(batch)?.base_offset.set(base_offset);
    Ok(())
}

/// Sets the epoch of the leader that appends the batch.
///
/// # Errors
/// `batch` is shorter than a header.
#[inline]
pub fn set_leader_epoch(batch: &mut [u8], leader_epoch: i32) -> Result<()> {
    raw(batch)?.partition_leader_epoch.set(leader_epoch);
    Ok(())
}

/// Makes `append_time_ms` the timestamp of all records: attribute bit, max timestamp, CRC.
///
/// # Errors
/// `batch` is shorter than a header.
pub fn set_log_append_time(batch: &mut [u8], append_time_ms: i64) -> Result<()> {
    let header = raw(batch)?;
    header
        .attributes
        .set(header.attributes.get() | attributes::LOG_APPEND_TIME);
    header.max_timestamp.set(append_time_ms);
    set_crc(batch)
}

/// Sets the producer's identity and the sequence number of the first record, and the CRC.
///
/// # Errors
/// `batch` is shorter than a header.
pub fn set_producer(batch: &mut [u8], producer_id: i64, producer_epoch: i16, base_sequence: i32) -> Result<()> {
    let header = raw(batch)?;
    header.producer_id.set(producer_id);
    header.producer_epoch.set(producer_epoch);
    header.base_sequence.set(base_sequence);
    set_crc(batch)
}

/// Sets what the records' timestamps count from and the largest of them, and the CRC: all records move by as much as the
/// base does.
///
/// # Errors
/// `batch` is shorter than a header.
pub fn set_timestamps(batch: &mut [u8], base_timestamp: i64, max_timestamp: i64) -> Result<()> {
    let header = raw(batch)?;
    header.base_timestamp.set(base_timestamp);
    header.max_timestamp.set(max_timestamp);
    set_crc(batch)
}

pub(crate) fn set_crc(batch: &mut [u8]) -> Result<()> {
    let crc = crc32c(batch.get(CRC_START..).unwrap_or_default());
    raw(batch)?.crc.set(crc);
    Ok(())
}

fn raw(batch: &mut [u8]) -> Result<&mut RawHeader> {
    let available = batch.len();
    match RawHeader::mut_from_prefix(batch) {
        Ok((header, _)) => Ok(header),
        Err(_) => Err(RecordsError::Truncated {
            needed: HEADER_LEN,
            available,
        }),
    }
}
