//! The topic options that concern one partition's log, with Kafka's defaults.

use barnabas_records::Compression;

/// Which clock a record's timestamp comes from (`message.timestamp.type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimestampType {
    /// The producer's timestamp is kept.
    Create,
    /// The broker overwrites it with the time of the append.
    LogAppend,
}

/// What the broker stores batches as, whatever the producer chose (`compression.type` other than `producer`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetCompression {
    /// The codec; [`Compression::None`] is `uncompressed`.
    pub codec: Compression,
    /// `compression.gzip.level`, `.lz4.level` or `.zstd.level`, whichever belongs to the codec.
    pub level: Option<i32>,
}

/// Options of one partition's log. Names and defaults are Kafka's topic options.
#[expect(clippy::struct_excessive_bools, reason = "one per option that is a yes or no")]
#[derive(Clone, Debug, PartialEq)]
pub struct LogConfig {
    /// `segment.bytes`: a segment is rolled before it would grow beyond this size.
    pub segment_bytes: u64,
    /// `segment.ms`: a segment is rolled when its first batch is older than this.
    pub segment_ms: i64,
    /// `segment.jitter.ms`: each segment is rolled earlier by a share of this, so that partitions do not roll at once.
    pub segment_jitter_ms: i64,
    /// `index.interval.bytes`: bytes of log between two index entries.
    pub index_interval_bytes: u32,
    /// `segment.index.bytes`: greatest size of an offset index or a time index; full means roll.
    pub segment_index_bytes: u32,
    /// `preallocate`: a new segment's file gets its full length at once, and its own when the segment ends.
    pub preallocate: bool,
    /// `max.message.bytes`: greatest size of one batch, after compression.
    pub max_message_bytes: usize,
    /// `flush.messages`: unflushed records after which an append makes a flush due.
    pub flush_messages: u64,
    /// `flush.ms`: longest time that an appended record stays unflushed; `i64::MAX` leaves it to the system.
    pub flush_ms: i64,
    /// `compression.type`: `None` keeps what the producer chose.
    pub compression: Option<TargetCompression>,
    /// `message.timestamp.type`.
    pub message_timestamp_type: TimestampType,
    /// `message.timestamp.before.max.ms`: how far a record's timestamp may lie in the past.
    pub message_timestamp_before_max_ms: i64,
    /// `message.timestamp.after.max.ms`: how far a record's timestamp may lie in the future.
    pub message_timestamp_after_max_ms: i64,
    /// `cleanup.policy` contains `delete`: old segments go by time and size.
    pub delete: bool,
    /// `cleanup.policy` contains `compact`: records without a key are refused.
    pub compact: bool,
    /// `retention.ms`: age of a segment's newest record beyond which it goes; negative for never.
    pub retention_ms: i64,
    /// `retention.bytes`: size of the log beyond which its oldest segments go; negative for never.
    pub retention_bytes: i64,
    /// `file.delete.delay.ms`: how long a deleted segment's files stay under their `.deleted` names.
    pub file_delete_delay_ms: i64,
    /// `delete.retention.ms`: how long a tombstone or a transaction's marker stays readable after it was compacted.
    pub delete_retention_ms: i64,
    /// `min.cleanable.dirty.ratio`: share of uncompacted bytes from which on a log is worth compacting.
    pub min_cleanable_dirty_ratio: f64,
    /// `min.compaction.lag.ms`: age before which a record is not compacted away.
    pub min_compaction_lag_ms: i64,
    /// `max.compaction.lag.ms`: age from which on a record makes its log due for compaction.
    pub max_compaction_lag_ms: i64,
    /// `barnabas.validation=full`: compressed batches are decompressed and walked too.
    pub validate_full: bool,
    /// `producer.id.expiration.ms`: idle time after which a producer id is forgotten.
    pub producer_id_expiration_ms: i64,
}

const DAY_MS: i64 = 24 * 3600 * 1000;

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            segment_bytes: 1 << 30,
            segment_ms: 7 * DAY_MS,
            segment_jitter_ms: 0,
            index_interval_bytes: 4096,
            segment_index_bytes: 10 << 20,
            preallocate: false,
            max_message_bytes: (1 << 20) + 12,
            flush_messages: u64::MAX,
            flush_ms: i64::MAX,
            compression: None,
            message_timestamp_type: TimestampType::Create,
            message_timestamp_before_max_ms: i64::MAX,
            message_timestamp_after_max_ms: 3_600_000,
            delete: true,
            compact: false,
            retention_ms: 7 * DAY_MS,
            retention_bytes: -1,
            file_delete_delay_ms: 60_000,
            delete_retention_ms: DAY_MS,
            min_cleanable_dirty_ratio: 0.5,
            min_compaction_lag_ms: 0,
            max_compaction_lag_ms: i64::MAX,
            validate_full: false,
            producer_id_expiration_ms: DAY_MS,
        }
    }
}
