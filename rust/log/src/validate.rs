//! The rules that a batch must keep before it may be appended, as Kafka's `LogValidator` has them.
//!
//! Everything here happens before the append lock is taken. Uncompressed batches are walked record by record without
//! copying; compressed ones only where a rule of the topic needs their records, or the topic has a codec of its own.

use barnabas_records::{
    BatchHeader, BatchRef, Compression, HEADER_LEN, LOG_OVERHEAD, NO_TIMESTAMP, RecordIter, RecordRef, RecordsError,
    attributes, compress, crc32c, patch,
};

use crate::config::{LogConfig, TargetCompression, TimestampType};
use crate::error::{AppendError, RecordError};
use crate::partition_log::AppendOrigin;

/// Greatest size that one batch may decompress to while it is validated or searched.
pub(crate) const DECOMPRESSED_BYTES_MAX: usize = 256 << 20;
/// Single records that one answer names.
const RECORD_ERRORS_MAX: usize = 100;
const CRC_START: usize = 21;

/// Batches that may be appended.
#[derive(Debug)]
pub(crate) struct Validated {
    pub(crate) headers: Vec<BatchHeader>,
    /// The batches as they are to be stored, where that is not in place: the topic wants another codec.
    pub(crate) rewritten: Option<Vec<u8>>,
}

/// Checks every batch of `records`, sets the append time where the topic wants it, compresses anew where it has a codec
/// of its own, and returns the headers.
pub(crate) fn validate(
    records: &mut [u8],
    config: &LogConfig,
    now_ms: i64,
    origin: AppendOrigin,
) -> Result<Validated, AppendError> {
    let mut headers = Vec::with_capacity(1);
    let mut rewritten: Option<Vec<u8>> = None;
    let mut position = 0;
    while position < records.len() {
        let (done, rest) = records.split_at_mut_checked(position).unwrap_or_default();
        let header = BatchHeader::parse(rest).map_err(|error| refused(&error))?;
        let size = header.size_in_bytes();
        let available = rest.len();
        let Some(batch) = rest.get_mut(..size) else {
            return Err(refused(&RecordsError::Truncated {
                needed: size,
                available,
            }));
        };
        let (header, recoded) = validate_batch(batch, config, now_ms, origin)?;
        headers.push(header);
        match (&mut rewritten, recoded) {
            (None, None) => {}
            (None, Some(recoded)) if done.is_empty() => rewritten = Some(recoded),
            (None, Some(recoded)) => rewritten = Some([&*done, &recoded].concat()),
            (Some(out), recoded) => out.extend_from_slice(recoded.as_deref().unwrap_or(batch)),
        }
        position += size;
    }
    match (headers.len(), origin) {
        (0, _) => Err(invalid("there is no batch to append")),
        (1, _) | (_, AppendOrigin::Internal) => Ok(Validated { headers, rewritten }),
        (count, AppendOrigin::Client) => Err(invalid(&format!(
            "a produce request may hold one batch per partition, not {count}"
        ))),
    }
}

/// Returns the header as it is to be stored, and the batch if it is not `bytes`.
fn validate_batch(
    bytes: &mut [u8],
    config: &LogConfig,
    now_ms: i64,
    origin: AppendOrigin,
) -> Result<(BatchHeader, Option<Vec<u8>>), AppendError> {
    let batch = BatchRef::parse(bytes).map_err(|error| refused(&error))?;
    let mut header = batch.header;
    check_size(&header, config)?;
    let compression = header.compression().map_err(|error| refused(&error))?;
    check_header(&header, origin)?;
    batch.check_crc().map_err(|error| refused(&error))?;

    let append_time = config.message_timestamp_type == TimestampType::LogAppend;
    let range = TimestampRange::of(config, now_ms, origin);
    let target = config
        .compression
        .filter(|target| target.codec != compression && !header.is_control());
    let needs_walk = compression == Compression::None
        || config.compact
        || config.validate_full
        || target.is_some()
        || (config.message_timestamp_before_max_ms != i64::MAX && !append_time);
    let mut recoded = None;
    if needs_walk {
        let mut scratch = Vec::new();
        let payload = batch
            .decompress_into(&mut scratch, DECOMPRESSED_BYTES_MAX)
            .map_err(|error| refused(&error))?;
        let max_timestamp = walk(&header, payload, config, &range)?;
        if !append_time && !header.is_log_append_time() && max_timestamp != header.max_timestamp {
            // Kafka corrects a producer that gets this wrong; the time index relies on it.
            header.max_timestamp = max_timestamp;
        }
        recoded = target.map(|target| recode(&mut header, payload, target)).transpose()?;
    } else if !append_time && !range.contains(header.max_timestamp) {
        return Err(range.error(vec![]));
    }
    let is_corrected = header.max_timestamp != batch.header.max_timestamp;
    let stored = recoded.as_deref_mut().unwrap_or(bytes);
    if append_time {
        patch::set_log_append_time(stored, now_ms).map_err(|error| refused(&error))?;
        header = BatchHeader::parse(stored).map_err(|error| refused(&error))?;
    } else if is_corrected {
        rewrite(stored, &mut header);
    }
    check_size(&header, config)?;
    Ok((header, recoded))
}

fn check_size(header: &BatchHeader, config: &LogConfig) -> Result<(), AppendError> {
    let size = header.size_in_bytes();
    if size > config.max_message_bytes && !header.is_control() {
        return Err(AppendError::MessageTooLarge {
            size,
            max: config.max_message_bytes,
        });
    }
    Ok(())
}

/// The batch of `header` with its records, which are `payload`, in another codec.
fn recode(header: &mut BatchHeader, payload: &[u8], target: TargetCompression) -> Result<Vec<u8>, AppendError> {
    let mut batch = vec![0; HEADER_LEN];
    compress(target.codec, target.level, payload, &mut batch).map_err(|error| refused(&error))?;
    let size = batch.len();
    let Ok(batch_length) = i32::try_from(size - LOG_OVERHEAD) else {
        return Err(AppendError::MessageTooLarge {
            size,
            max: i32::MAX as usize,
        });
    };
    header.batch_length = batch_length;
    header.attributes = header.attributes & !attributes::CODEC_MASK | i16::from(target.codec.id());
    rewrite(&mut batch, header);
    Ok(batch)
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
fn walk(header: &BatchHeader, payload: &[u8], config: &LogConfig, range: &TimestampRange) -> Result<i64, AppendError> {
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
