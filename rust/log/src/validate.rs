//! The rules that a batch must keep before it may be appended, as Kafka's `LogValidator` has them.
//!
//! Everything here happens before the append lock is taken. Uncompressed batches are walked record by record without
//! copying; compressed ones only where a rule of the topic needs their records.

use barnabas_records::{
    BatchHeader, BatchRef, Compression, HEADER_LEN, NO_TIMESTAMP, RecordIter, RecordRef, RecordsError, crc32c, patch,
};

use crate::config::{LogConfig, TimestampType};
use crate::error::{AppendError, RecordError};
use crate::partition_log::AppendOrigin;

/// Greatest size that one batch may decompress to while it is validated or searched.
pub(crate) const DECOMPRESSED_BYTES_MAX: usize = 256 << 20;
/// Single records that one answer names.
const RECORD_ERRORS_MAX: usize = 100;
const CRC_START: usize = 21;

/// Checks every batch of `records`, sets the append time where the topic wants it, and returns the headers.
pub(crate) fn validate(
    records: &mut [u8],
    config: &LogConfig,
    now_ms: i64,
    origin: AppendOrigin,
) -> Result<Vec<BatchHeader>, AppendError> {
    let mut headers = Vec::with_capacity(1);
    let mut rest = records;
    while !rest.is_empty() {
        let header = BatchHeader::parse(rest).map_err(|error| refused(&error))?;
        let size = header.size_in_bytes();
        let available = rest.len();
        let Some((batch, behind)) = rest.split_at_mut_checked(size) else {
            return Err(refused(&RecordsError::Truncated {
                needed: size,
                available,
            }));
        };
        headers.push(validate_batch(batch, config, now_ms, origin)?);
        rest = behind;
    }
    match (headers.len(), origin) {
        (0, _) => Err(invalid("there is no batch to append")),
        (1, _) | (_, AppendOrigin::Internal) => Ok(headers),
        (count, AppendOrigin::Client) => Err(invalid(&format!(
            "a produce request may hold one batch per partition, not {count}"
        ))),
    }
}

fn validate_batch(
    bytes: &mut [u8],
    config: &LogConfig,
    now_ms: i64,
    origin: AppendOrigin,
) -> Result<BatchHeader, AppendError> {
    let batch = BatchRef::parse(bytes).map_err(|error| refused(&error))?;
    let mut header = batch.header;
    if batch.bytes.len() > config.max_message_bytes && !header.is_control() {
        return Err(AppendError::MessageTooLarge {
            size: batch.bytes.len(),
            max: config.max_message_bytes,
        });
    }
    let compression = header.compression().map_err(|error| refused(&error))?;
    check_header(&header, origin)?;
    batch.check_crc().map_err(|error| refused(&error))?;

    let append_time = config.message_timestamp_type == TimestampType::LogAppend;
    let range = TimestampRange::of(config, now_ms, origin);
    let needs_walk = compression == Compression::None
        || config.compact
        || config.validate_full
        || (config.message_timestamp_before_max_ms != i64::MAX && !append_time);
    if needs_walk {
        let max_timestamp = walk(&batch, config, &range)?;
        if !append_time && max_timestamp != header.max_timestamp && !header.is_log_append_time() {
            // Kafka corrects a producer that gets this wrong; the time index relies on it.
            header.max_timestamp = max_timestamp;
            rewrite(bytes, &mut header);
        }
    } else if !append_time && !range.contains(header.max_timestamp) {
        return Err(range.error(vec![]));
    }
    if append_time {
        patch::set_log_append_time(bytes, now_ms).map_err(|error| refused(&error))?;
        header = BatchHeader::parse(bytes).map_err(|error| refused(&error))?;
    }
    Ok(header)
}

fn check_header(header: &BatchHeader, origin: AppendOrigin) -> Result<(), AppendError> {
    if header.record_count <= 0 || header.last_offset_delta.checked_add(1) != Some(header.record_count) {
        return Err(invalid(&format!(
            "the batch has {} records but {} as its last offset delta",
            header.record_count, header.last_offset_delta
        )));
    }
    if origin == AppendOrigin::Internal {
        return Ok(());
    }
    if header.base_offset != 0 {
        return Err(invalid(&format!(
            "the base offset of a client's batch must be 0, but it is {}",
            header.base_offset
        )));
    }
    if header.is_control() {
        return Err(invalid("clients may not write control batches"));
    }
    if header.is_transactional() {
        return Err(AppendError::NoTransaction {
            producer_id: header.producer_id,
        });
    }
    if header.is_log_append_time() {
        return Err(invalid("producers may not set the timestamp type to LogAppendTime"));
    }
    if header.has_producer() && header.base_sequence < 0 {
        return Err(invalid(&format!(
            "producer {} sent epoch {} and sequence {}",
            header.producer_id, header.producer_epoch, header.base_sequence
        )));
    }
    Ok(())
}

/// Walks the records and returns their greatest timestamp.
fn walk(batch: &BatchRef<'_>, config: &LogConfig, range: &TimestampRange) -> Result<i64, AppendError> {
    let mut scratch = Vec::new();
    let payload = batch
        .decompress_into(&mut scratch, DECOMPRESSED_BYTES_MAX)
        .map_err(|error| refused(&error))?;
    let header = &batch.header;
    let check_keys = config.compact && !header.is_control();
    let check_times = config.message_timestamp_type == TimestampType::Create;
    let mut max_timestamp = NO_TIMESTAMP;
    let mut expected_offset = header.base_offset;
    let mut keyless = Vec::new();
    let mut out_of_range = Vec::new();
    for record in RecordIter::new(header, payload) {
        let RecordRef {
            offset, timestamp, key, ..
        } = record.map_err(|error| refused(&error))?;
        if offset != expected_offset {
            return Err(invalid("the offset deltas of the records are not 0, 1, 2, …"));
        }
        max_timestamp = max_timestamp.max(timestamp);
        if check_keys && key.is_none() {
            note(
                &mut keyless,
                offset.wrapping_sub(header.base_offset),
                "a compacted topic takes no record without a key",
            );
        }
        if check_times && !range.contains(timestamp) {
            note(
                &mut out_of_range,
                offset.wrapping_sub(header.base_offset),
                "its timestamp is out of the allowed range",
            );
        }
        expected_offset = expected_offset.wrapping_add(1);
    }
    if !keyless.is_empty() {
        return Err(AppendError::InvalidRecord {
            reason: "records without a key".to_owned(),
            records: keyless,
        });
    }
    if !out_of_range.is_empty() {
        return Err(range.error(out_of_range));
    }
    Ok(max_timestamp)
}

/// Cold: a record that breaks a rule.
#[cold]
fn note(errors: &mut Vec<RecordError>, index: i64, message: &str) {
    if errors.len() < RECORD_ERRORS_MAX {
        let batch_index = i32::try_from(index).unwrap_or(i32::MAX);
        errors.push(RecordError {
            batch_index,
            message: message.to_owned(),
        });
    }
}

/// Timestamps that a topic takes now.
struct TimestampRange {
    min: i64,
    max: i64,
}

impl TimestampRange {
    fn of(config: &LogConfig, now_ms: i64, origin: AppendOrigin) -> Self {
        if origin == AppendOrigin::Internal {
            return Self {
                min: i64::MIN,
                max: i64::MAX,
            };
        }
        Self {
            min: now_ms.saturating_sub(config.message_timestamp_before_max_ms),
            max: now_ms.saturating_add(config.message_timestamp_after_max_ms),
        }
    }

    fn contains(&self, timestamp: i64) -> bool {
        timestamp == NO_TIMESTAMP || (self.min..=self.max).contains(&timestamp)
    }

    fn error(&self, records: Vec<RecordError>) -> AppendError {
        AppendError::InvalidTimestamp {
            min: self.min,
            max: self.max,
            records,
        }
    }
}

fn rewrite(bytes: &mut [u8], header: &mut BatchHeader) {
    for _ in 0..2 {
        // The first round puts the fields in place that the CRC covers, the second one the CRC.
        if let Some(front) = bytes.first_chunk_mut::<HEADER_LEN>() {
            header.write(front);
        }
        header.crc = crc32c(bytes.get(CRC_START..).unwrap_or_default());
    }
}

fn invalid(reason: &str) -> AppendError {
    AppendError::InvalidRecord {
        reason: reason.to_owned(),
        records: vec![],
    }
}

fn refused(error: &RecordsError) -> AppendError {
    let reason = error.to_string();
    match error {
        RecordsError::UnknownCodec(id) => AppendError::UnknownCodec { id: i16::from(*id) },
        // Kafka names single records where their contents break a rule, not where bytes make no record.
        RecordsError::InvalidRecord { .. }
        | RecordsError::UnknownMagic(_)
        | RecordsError::CountMismatch { .. }
        | RecordsError::DecompressedTooLarge { .. } => AppendError::InvalidRecord {
            reason,
            records: vec![],
        },
        _ => AppendError::Corrupt { reason },
    }
}
