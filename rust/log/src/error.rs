//! What can go wrong in a log, each with the Kafka error code that a client is told.

use std::io;
use std::path::{Path, PathBuf};

/// Kafka's numbers of the errors that a log can cause.
mod code {
    pub(super) const UNKNOWN_SERVER_ERROR: i16 = -1;
    pub(super) const OFFSET_OUT_OF_RANGE: i16 = 1;
    pub(super) const CORRUPT_MESSAGE: i16 = 2;
    pub(super) const NOT_LEADER_OR_FOLLOWER: i16 = 6;
    pub(super) const MESSAGE_TOO_LARGE: i16 = 10;
    pub(super) const RECORD_LIST_TOO_LARGE: i16 = 18;
    pub(super) const INVALID_TIMESTAMP: i16 = 32;
    pub(super) const OUT_OF_ORDER_SEQUENCE_NUMBER: i16 = 45;
    pub(super) const INVALID_PRODUCER_EPOCH: i16 = 47;
    pub(super) const INVALID_TXN_STATE: i16 = 48;
    pub(super) const TRANSACTION_COORDINATOR_FENCED: i16 = 52;
    pub(super) const KAFKA_STORAGE_ERROR: i16 = 56;
    pub(super) const POLICY_VIOLATION: i16 = 44;
    pub(super) const FENCED_LEADER_EPOCH: i16 = 74;
    pub(super) const UNSUPPORTED_COMPRESSION_TYPE: i16 = 76;
    pub(super) const INVALID_RECORD: i16 = 87;
    pub(super) const INCONSISTENT_TOPIC_ID: i16 = 103;
}

/// A failure of a log or of a data directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// A call to the file system failed.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// The data directory had a failed write or fsync and takes no part until the broker is restarted.
    #[error("data directory is offline since: {reason}")]
    Offline {
        /// The failure that took it offline.
        reason: String,
    },
    /// The log was closed or its partition deleted.
    #[error("partition log {dir} is closed", dir = dir.display())]
    Closed {
        /// Directory of the partition.
        dir: PathBuf,
    },
    /// The asked-for offset is outside of the log.
    #[error("offset {offset} is outside of the log, which holds {log_start_offset} up to {log_end_offset}")]
    OffsetOutOfRange {
        /// The asked-for offset.
        offset: i64,
        /// First offset in the log.
        log_start_offset: i64,
        /// One past the last offset in the log.
        log_end_offset: i64,
    },
    /// Bytes on disk are not what this crate or Kafka writes.
    #[error("{path} is damaged at byte {position}: {reason}", path = path.display())]
    Damaged {
        /// The damaged file.
        path: PathBuf,
        /// Where in the file.
        position: u64,
        /// What is wrong.
        reason: String,
    },
    /// Compaction cannot work on the log.
    #[error("{path} cannot be compacted: {reason}", path = path.display())]
    Uncleanable {
        /// The segment.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The directory holds the data of another topic of the same name.
    #[error("{dir} belongs to topic id {found}, not {expected}", dir = dir.display())]
    TopicIdMismatch {
        /// Directory of the partition.
        dir: PathBuf,
        /// The id that the caller knows.
        expected: String,
        /// The id in `partition.metadata`.
        found: String,
    },
    /// Another broker uses the data directory.
    #[error("data directory {path} is locked by another broker; stop that broker or use another directory", path = path.display())]
    Locked {
        /// The data directory.
        path: PathBuf,
    },
    /// A data directory has logs but no `meta.properties`.
    #[error(
        "{path} has partition logs but no meta.properties: it was lost or removed; restore the file from a copy, or \
         remove the logs if they are not needed", path = path.display()
    )]
    MetaMissing {
        /// The data directory.
        path: PathBuf,
    },
    /// `meta.properties` belongs to another broker or cluster.
    #[error("{path} has {key}={found}, but this broker was started with {expected}; use the right data directory", path = path.display())]
    MetaMismatch {
        /// The properties file.
        path: PathBuf,
        /// Which property differs.
        key: &'static str,
        /// This broker's value.
        expected: String,
        /// The file's value.
        found: String,
    },
    /// `cleanup.policy` is `compact` alone: records go by their keys, not by their offsets.
    #[error("records of {dir} cannot be deleted: its cleanup.policy is compact", dir = dir.display())]
    DeletionForbidden {
        /// Directory of the partition.
        dir: PathBuf,
    },
    /// No such partition in this broker.
    #[error("no log of partition {topic}-{partition}")]
    UnknownPartition {
        /// Topic name.
        topic: String,
        /// Partition number.
        partition: i32,
    },
}

impl LogError {
    /// Wraps a failed call to the file system.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Whether it is the user who has to choose or repair a data directory before a broker can start.
    pub fn is_config_error(&self) -> bool {
        matches!(
            self,
            Self::Locked { .. } | Self::MetaMissing { .. } | Self::MetaMismatch { .. }
        )
    }

    /// The Kafka error code that answers a client whose request met this error.
    pub fn code(&self) -> i16 {
        match self {
            Self::Io { .. } | Self::Offline { .. } | Self::Damaged { .. } | Self::Uncleanable { .. } => {
                code::KAFKA_STORAGE_ERROR
            }
            Self::Closed { .. } | Self::UnknownPartition { .. } => code::NOT_LEADER_OR_FOLLOWER,
            Self::OffsetOutOfRange { .. } => code::OFFSET_OUT_OF_RANGE,
            Self::TopicIdMismatch { .. } => code::INCONSISTENT_TOPIC_ID,
            Self::DeletionForbidden { .. } => code::POLICY_VIOLATION,
            Self::Locked { .. } | Self::MetaMissing { .. } | Self::MetaMismatch { .. } => code::UNKNOWN_SERVER_ERROR,
        }
    }
}

/// One refused record of a batch, for the `record_errors` of a Produce response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// Index of the record in the batch.
    pub batch_index: i32,
    /// Why it was refused.
    pub message: String,
}

impl std::fmt::Display for RecordError {
    /// As Kafka writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "RecordError(batchIndex={}, message='{}')",
            self.batch_index, self.message
        )
    }
}

/// Why an append was refused. Nothing of a refused append is in the log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The bytes are not whole, sound batches (length, magic, CRC).
    #[error("corrupt batch: {reason}")]
    Corrupt {
        /// What is wrong.
        reason: String,
    },
    /// Bytes that Kafka does not foresee.
    #[error("unreadable batch: {reason}")]
    Unforeseen {
        /// What is wrong.
        reason: String,
    },
    /// The codec of a batch is none of Kafka's.
    #[error("unknown compression codec {id}")]
    UnknownCodec {
        /// The codec's number.
        id: i16,
    },
    /// A batch is greater than `max.message.bytes`.
    #[error("batch of {size} bytes is greater than max.message.bytes, {max}")]
    MessageTooLarge {
        /// Size of the batch.
        size: usize,
        /// The topic's limit.
        max: usize,
    },
    /// All batches of one append are greater than a segment.
    #[error("batches of {size} bytes do not fit into a segment of {max}")]
    RecordListTooLarge {
        /// Size of the batches.
        size: usize,
        /// `segment.bytes`.
        max: u64,
    },
    /// Record timestamps are too old or too new.
    #[error("One or more records have been rejected due to invalid timestamp")]
    InvalidTimestamp {
        /// The smallest timestamp allowed now.
        min: i64,
        /// The greatest timestamp allowed now.
        max: i64,
        /// The refused records.
        records: Vec<RecordError>,
    },
    /// A batch or a record breaks a rule of the topic.
    #[error("{reason}")]
    InvalidRecord {
        /// Which rule.
        reason: String,
        /// The refused records, if single ones are to blame.
        records: Vec<RecordError>,
    },
    /// An idempotent producer's batch does not follow its last one.
    #[error(
        "producer {producer_id} epoch {producer_epoch}: batch with first sequence {found} does not follow last sequence {last}"
    )]
    OutOfOrderSequence {
        /// The producer.
        producer_id: i64,
        /// Its epoch in the batch.
        producer_epoch: i16,
        /// The last sequence in the log, -1 when there is none of this epoch.
        last: i32,
        /// The first sequence of the batch.
        found: i32,
    },
    /// A newer incarnation of the producer has written already.
    #[error("producer {producer_id} has epoch {current}; a batch of epoch {found} is fenced")]
    InvalidProducerEpoch {
        /// The producer.
        producer_id: i64,
        /// The newest epoch in the log.
        current: i16,
        /// The epoch of the batch.
        found: i16,
    },
    /// A newer transaction coordinator has written markers already.
    #[error("producer {producer_id}: a marker of coordinator epoch {found} is fenced by {current}")]
    CoordinatorFenced {
        /// The producer.
        producer_id: i64,
        /// The newest coordinator epoch in the log.
        current: i32,
        /// The epoch of the marker.
        found: i32,
    },
    /// Transactional batches need a transaction, and none is open.
    #[error(
        "producer {producer_id} has no open transaction on this partition: transactions are not served by this broker"
    )]
    NoTransaction {
        /// The producer.
        producer_id: i64,
    },
    /// A producer with an open transaction writes outside of it.
    #[error("producer {producer_id} has an open transaction here: a transactional batch is expected")]
    NotTransactional {
        /// The producer.
        producer_id: i64,
    },
    /// The append comes from a leader that was replaced.
    #[error("leader epoch {found} is older than {current}")]
    FencedLeaderEpoch {
        /// The newest epoch in the log.
        current: i32,
        /// The epoch of the append.
        found: i32,
    },
    /// The log itself failed.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl AppendError {
    /// The Kafka error code of the Produce response.
    pub fn code(&self) -> i16 {
        match self {
            Self::Corrupt { .. } => code::CORRUPT_MESSAGE,
            Self::Unforeseen { .. } => code::UNKNOWN_SERVER_ERROR,
            Self::UnknownCodec { .. } => code::UNSUPPORTED_COMPRESSION_TYPE,
            Self::MessageTooLarge { .. } => code::MESSAGE_TOO_LARGE,
            Self::RecordListTooLarge { .. } => code::RECORD_LIST_TOO_LARGE,
            Self::InvalidTimestamp { .. } => code::INVALID_TIMESTAMP,
            Self::InvalidRecord { .. } => code::INVALID_RECORD,
            Self::OutOfOrderSequence { .. } => code::OUT_OF_ORDER_SEQUENCE_NUMBER,
            Self::InvalidProducerEpoch { .. } => code::INVALID_PRODUCER_EPOCH,
            Self::CoordinatorFenced { .. } => code::TRANSACTION_COORDINATOR_FENCED,
            Self::NoTransaction { .. } | Self::NotTransactional { .. } => code::INVALID_TXN_STATE,
            Self::FencedLeaderEpoch { .. } => code::FENCED_LEADER_EPOCH,
            Self::Log(error) => error.code(),
        }
    }

    /// The single records that are to blame, if any.
    pub fn record_errors(&self) -> &[RecordError] {
        match self {
            Self::InvalidTimestamp { records, .. } | Self::InvalidRecord { records, .. } => records,
            _ => &[],
        }
    }
}
