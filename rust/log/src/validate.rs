//! The rules that a batch must keep before it may be appended, as Kafka's `LogValidator` has them.
//!
//! Everything here happens before the append lock is taken. Uncompressed batches are walked record by record without
//! copying; compressed ones only where a rule of the topic needs their records, or the topic has a codec of its own.

use barnabas_records::{
    BatchHeader, BatchRef, Compression, HEADER_LEN, LOG_OVERHEAD, NO_TIMESTAMP, RecordIter, RecordRef, RecordsError,
    attributes, compress, crc32c, patch, varint,
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
/// of its own, and returns the headers. `log_name` is the partition as Kafka's messages name it.
pub(crate) fn validate(
    records: &mut [u8],
    config: &LogConfig,
    now_ms: i64,
    origin: AppendOrigin,
    log_name: &dyn Fn() -> String,
) -> Result<Validated, AppendError> {
    let rules = Rules {
        config,
        origin,
        range: TimestampRange::of(config, now_ms, origin),
        log_name,
    };
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
        let (header, recoded) = validate_batch(batch, &rules, now_ms)?;
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

/// What a topic asks of batches now.
struct Rules<'a> {
    config: &'a LogConfig,
    origin: AppendOrigin,
    range: TimestampRange,
    log_name: &'a dyn Fn() -> String,
}

impl Rules<'_> {
    fn has_append_time(&self) -> bool {
        self.config.message_timestamp_type == TimestampType::LogAppend
    }

    /// Whether the records of a compressed batch have to be looked at.
    fn concern_records(&self, header: &BatchHeader) -> bool {
        let concern_times = if self.has_append_time() {
            header.is_log_append_time() && self.origin == AppendOrigin::Client
        } else {
            // The header's greatest timestamp may be out of range where no record's is: then the header is wrong.
            self.config.message_timestamp_before_max_ms != i64::MAX || !self.range.contains(header.max_timestamp)
        };
        concern_times || self.config.compact || self.config.validate_full
    }
}

/// Returns the header as it is to be stored, and the batch if it is not `bytes`.
fn validate_batch(
    bytes: &mut [u8],
    rules: &Rules<'_>,
    now_ms: i64,
) -> Result<(BatchHeader, Option<Vec<u8>>), AppendError> {
    let batch = BatchRef::parse(bytes).map_err(|error| refused(&error))?;
    let mut header = batch.header;
    check_size(&header, rules.config)?;
    let compression = header.compression().map_err(|error| refused(&error))?;
    check_header(&header, rules.origin)?;
    batch.check_crc().map_err(|error| refused(&error))?;

    let target = rules
        .config
        .compression
        .filter(|target| target.codec != compression && !header.is_control());
    let mut recoded = None;
    if compression == Compression::None || target.is_some() || rules.concern_records(&header) {
        let mut scratch = Vec::new();
        let payload = batch
            .decompress_into(&mut scratch, DECOMPRESSED_BYTES_MAX)
            .map_err(|error| undecodable(&header, compression, &error))?;
        let max_timestamp = walk(&header, payload, rules)?;
        if !rules.has_append_time() && !header.is_log_append_time() {
            // Kafka corrects a producer that gets this wrong; the time index relies on it.
            header.max_timestamp = max_timestamp;
        }
        recoded = target.map(|target| recode(&mut header, payload, target)).transpose()?;
    }
    if !rules.has_append_time() && rules.origin == AppendOrigin::Client {
        // Whose clock it is, is the topic's to say.
        header.attributes &= !attributes::LOG_APPEND_TIME;
    }
    let is_corrected =
        (header.max_timestamp, header.attributes) != (batch.header.max_timestamp, batch.header.attributes);
    let stored = recoded.as_deref_mut().unwrap_or(bytes);
    if rules.has_append_time() {
        patch::set_log_append_time(stored, now_ms).map_err(|error| refused(&error))?;
        header = BatchHeader::parse(stored).map_err(|error| refused(&error))?;
    } else if is_corrected {
        rewrite(stored, &mut header);
    }
    check_size(&header, rules.config)?;
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
    if header.has_producer() && header.base_sequence < 0 {
        return Err(invalid(&format!(
            "producer {} sent epoch {} and sequence {}",
            header.producer_id, header.producer_epoch, header.base_sequence
        )));
    }
    Ok(())
}

/// Walks the records and returns their greatest timestamp. As in Kafka their offsets are not looked at: what counts is
/// the header's number of them.
fn walk(header: &BatchHeader, payload: &[u8], rules: &Rules<'_>) -> Result<i64, AppendError> {
    let check_keys = rules.config.compact && !header.is_control();
    let check_times = !rules.has_append_time();
    let says_append_time = header.is_log_append_time() && rules.origin == AppendOrigin::Client;
    let mut max_timestamp = NO_TIMESTAMP;
    let mut findings = Findings::default();
    for (index, record) in RecordIter::new(header, payload).enumerate() {
        let record = record.map_err(|error| refused_record(&error, payload))?;
        let timestamp = record.timestamp;
        max_timestamp = max_timestamp.max(timestamp);
        if check_keys && record.key.is_none() {
            findings.note(index, false, || {
                let name = (rules.log_name)();
                format!("Compacted topic cannot accept message without key in topic partition {name}")
            });
        } else if check_times && timestamp != NO_TIMESTAMP {
            if !rules.range.contains(timestamp) {
                findings.note(index, true, || rules.range.message(&record));
            }
        } else if says_append_time {
            findings.note(index, true, || append_time_message(header, &record));
        }
    }
    findings.into_result(&rules.range).map(|()| max_timestamp)
}

/// The records that break a rule.
#[derive(Default)]
struct Findings {
    errors: Vec<RecordError>,
    count: usize,
    has_bad_time: bool,
}

impl Findings {
    #[cold]
    fn note(&mut self, index: usize, is_bad_time: bool, message: impl FnOnce() -> String) {
        self.count += 1;
        self.has_bad_time |= is_bad_time;
        if self.errors.len() < RECORD_ERRORS_MAX {
            self.errors.push(RecordError {
                batch_index: i32::try_from(index).unwrap_or(i32::MAX),
                message: message(),
            });
        }
    }

    fn into_result(self, range: &TimestampRange) -> Result<(), AppendError> {
        if self.count == 0 {
            return Ok(());
        }
        if self.has_bad_time {
            return Err(range.error(self.errors));
        }
        let first: Vec<_> = self.errors.iter().take(3).map(ToString::to_string).collect();
        Err(AppendError::InvalidRecord {
            reason: format!(
                "One or more records have been rejected due to {} record errors in total, and only showing the first \
                 three errors at most: [{}]",
                self.count,
                first.join(", ")
            ),
            records: self.errors,
        })
    }
}

fn append_time_message(header: &BatchHeader, record: &RecordRef<'_>) -> String {
    let is_compressed = header.compression().is_ok_and(|codec| codec != Compression::None);
    let size = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len);
    format!(
        "Invalid timestamp type in message {}DefaultRecord(offset={}, timestamp={}, key={} bytes, value={} bytes). \
         Producer should not set timestamp type to LogAppendTime.",
        if is_compressed { "Partial" } else { "" },
        record.offset,
        record.timestamp,
        size(record.key),
        size(record.value)
    )
}

/// A record that cannot be read. Kafka does not foresee that its length has more bytes than a number can.
#[cold]
fn refused_record(error: &RecordsError, payload: &[u8]) -> AppendError {
    if let RecordsError::InvalidRecord { index, .. } = error {
        let mut rest = payload;
        for _ in 0..*index {
            let length = varint::read_varint(&mut rest).and_then(|length| usize::try_from(length).ok());
            rest = length.and_then(|length| rest.get(length..)).unwrap_or_default();
        }
        let front = rest.get(..varint::VARINT_LEN_MAX).unwrap_or_default();
        if !front.is_empty() && front.iter().all(|byte| byte & 0x80 != 0) {
            return AppendError::Unforeseen {
                reason: error.to_string(),
            };
        }
    }
    refused(error)
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

    fn message(&self, record: &RecordRef<'_>) -> String {
        format!(
            "Timestamp {} of message with offset {} is out of range. The timestamp should be within [{}, {}]",
            record.timestamp, record.offset, self.min, self.max
        )
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

/// Compressed records that are none. Kafka does not foresee it, but for zstd, which reads nothing out of nothing: there a
/// record is missing.
#[cold]
fn undecodable(header: &BatchHeader, codec: Compression, error: &RecordsError) -> AppendError {
    match error {
        RecordsError::DecompressedTooLarge { .. } | RecordsError::RatioTooLarge { .. } => refused(error),
        _ if codec == Compression::Zstd && header.size_in_bytes() == HEADER_LEN => invalid(&error.to_string()),
        _ => AppendError::Unforeseen {
            reason: error.to_string(),
        },
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
