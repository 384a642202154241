//! The topic options that concern one partition's log, with Kafka's defaults.

/// Which clock a record's timestamp comes from (`message.timestamp.type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimestampType {
    /// The producer's timestamp is kept.
    Create,
    /// The broker overwrites it with the time of the append.
    LogAppend,
}

/// Options of one partition's log. Names and defaults are Kafka's topic options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// `segment.bytes`: a segment is rolled before it would grow beyond this size.
    pub segment_bytes: u64,
    /// `segment.ms`: a segment is rolled when its first batch is older than this.
    pub segment_ms: i64,
    /// `index.interval.bytes`: bytes of log between two index entries.
    pub index_interval_bytes: u32,
    /// `segment.index.bytes`: greatest size of an offset index or a time index; full means roll.
    pub segment_index_bytes: u32,
    /// `max.message.bytes`: greatest size of one batch, after compression.
    pub max_message_bytes: usize,
    /// `flush.messages`: unflushed records after which an append makes a flush due.
    pub flush_messages: u64,
    /// `message.timestamp.type`.
    pub message_timestamp_type: TimestampType,
    /// `message.timestamp.before.max.ms`: how far a record's timestamp may lie in the past.
    pub message_timestamp_before_max_ms: i64,
    /// `message.timestamp.after.max.ms`: how far a record's timestamp may lie in the future.
    pub message_timestamp_after_max_ms: i64,
    /// `cleanup.policy` contains `compact`: records without a key are refused.
    pub compact: bool,
    /// `barnabas.validation=full`: compressed batches are decompressed and walked too.
    pub validate_full: bool,
    /// `producer.id.expiration.ms`: idle time after which a producer id is forgotten.
    pub producer_id_expiration_ms: i64,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            segment_bytes: 1 << 30,
            segment_ms: 7 * 24 * 3600 * 1000,
            index_interval_bytes: 4096,
            segment_index_bytes: 10 << 20,
            max_message_bytes: (1 << 20) + 12,
            flush_messages: u64::MAX,
            message_timestamp_type: TimestampType::Create,
            message_timestamp_before_max_ms: i64::MAX,
            message_timestamp_after_max_ms: 3_600_000,
            compact: false,
            validate_full: false,
            producer_id_expiration_ms: 24 * 3600 * 1000,
        }
    }
}
