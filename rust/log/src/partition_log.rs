//! One partition's log: appends under a short lock, reads that never take it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::LogConfig;
use crate::error::{AppendError, LogError};
use crate::storage::{Storage, StorageFile};

/// Who wrote the batches of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendOrigin {
    /// A Produce request: every rule for clients holds.
    Client,
    /// The broker itself (coordinators, the metadata log): control batches are allowed.
    Internal,
}

/// What an append did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendInfo {
    /// Offset of the first record.
    pub base_offset: i64,
    /// Offset of the last record.
    pub last_offset: i64,
    /// The broker's time when the topic uses `LogAppendTime`, else -1.
    pub log_append_time: i64,
    /// First offset in the log.
    pub log_start_offset: i64,
    /// Whether the batch was in the log already (offsets are then the original ones).
    pub duplicate: bool,
    /// Bytes written.
    pub bytes: usize,
    /// Whether `flush.messages` asks for a flush before this append is acknowledged.
    pub flush_due: bool,
    /// Whether a new segment was started, so that the previous one should be flushed in the background.
    pub rolled: bool,
}

/// Whole batches in one file; the file stays readable while this lives, whatever happens to the segment.
#[derive(Clone, Debug)]
pub struct ReadSlice {
    /// The segment's file.
    pub file: Arc<dyn StorageFile>,
    /// First byte.
    pub position: u64,
    /// Number of bytes; 0 when there is nothing to read.
    pub len: usize,
    /// Base offset of the first batch; the asked-for offset when there is nothing to read.
    pub base_offset: i64,
}

/// A record found by its timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampOffset {
    /// The record's offset.
    pub offset: i64,
    /// The record's timestamp.
    pub timestamp: i64,
    /// Leader epoch of its batch, -1 when unknown.
    pub leader_epoch: i32,
}

/// Where a leader epoch ends, as `OffsetForLeaderEpoch` reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochEndOffset {
    /// The largest known epoch that is not greater than the asked-for one, -1 when there is none.
    pub epoch: i32,
    /// One past its last offset, -1 when there is none.
    pub end_offset: i64,
}

/// What is known about a log before it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenContext {
    /// Wall clock, for the expiry of producers.
    pub now_ms: i64,
    /// Whether the data directory was closed properly, so that nothing needs validation.
    pub clean_shutdown: bool,
    /// Offsets below this are known to be on disk.
    pub recovery_point: i64,
    /// First offset that was not deleted, from `log-start-offset-checkpoint`.
    pub log_start_offset: i64,
    /// From `replication-offset-checkpoint`.
    pub high_watermark: i64,
}

impl OpenContext {
    /// A log about which nothing is known: everything is validated.
    pub fn unclean(now_ms: i64) -> Self {
        Self {
            now_ms,
            clean_shutdown: false,
            recovery_point: 0,
            log_start_offset: 0,
            high_watermark: 0,
        }
    }
}

/// One partition's log.
#[derive(Debug)]
pub struct PartitionLog {
    dir: PathBuf,
}

impl PartitionLog {
    /// Opens the log in `dir`, which may be missing: it then appears at the first append. Without a clean shutdown
    /// everything from the recovery point on is validated and the log is cut at the first bad batch.
    pub fn open(
        storage: Arc<dyn Storage>,
        dir: PathBuf,
        topic_id: [u8; 16],
        config: LogConfig,
        context: OpenContext,
    ) -> Result<Self, LogError> {
        let _ = (storage, topic_id, config, context);
        Ok(Self { dir })
    }

    /// Validates whole batches, gives them offsets and writes them. `records` is patched in place.
    pub fn append(
        &self,
        records: &mut [u8],
        leader_epoch: i32,
        now_ms: i64,
        origin: AppendOrigin,
    ) -> Result<AppendInfo, AppendError> {
        let _ = (records, leader_epoch, now_ms, origin);
        unimplemented!()
    }

    /// Whole batches from the one that contains `offset`, at most `max_bytes` (but one batch of any size when
    /// `min_one_batch`), all below `up_to`. Empty when there is nothing below `up_to`.
    pub fn read(&self, offset: i64, max_bytes: usize, min_one_batch: bool, up_to: i64) -> Result<ReadSlice, LogError> {
        let _ = (offset, max_bytes, min_one_batch, up_to);
        unimplemented!()
    }

    /// First record below `up_to` whose timestamp is at least `timestamp`.
    pub fn offset_for_timestamp(&self, timestamp: i64, up_to: i64) -> Result<Option<TimestampOffset>, LogError> {
        let _ = (timestamp, up_to);
        unimplemented!()
    }

    /// First record that carries the greatest timestamp of the log.
    pub fn max_timestamp(&self) -> Result<Option<TimestampOffset>, LogError> {
        unimplemented!()
    }

    /// Where `epoch` ends.
    pub fn epoch_end_offset(&self, epoch: i32) -> EpochEndOffset {
        let _ = epoch;
        unimplemented!()
    }

    /// The newest leader epoch in the log.
    pub fn latest_epoch(&self) -> Option<i32> {
        unimplemented!()
    }

    /// First offset in the log.
    pub fn log_start_offset(&self) -> i64 {
        0
    }

    /// One past the last offset in the log.
    pub fn log_end_offset(&self) -> i64 {
        0
    }

    /// Offsets below this are replicated as far as the partition's rules ask.
    pub fn high_watermark(&self) -> i64 {
        0
    }

    /// Offsets below this belong to no open transaction.
    pub fn last_stable_offset(&self) -> i64 {
        0
    }

    /// Moves the high watermark; it is kept between log start and log end. Returns the new value.
    pub fn set_high_watermark(&self, offset: i64) -> i64 {
        offset
    }

    /// Offsets below this are on disk.
    pub fn recovery_point(&self) -> i64 {
        0
    }

    /// Makes everything appended so far durable and returns the new recovery point. Concurrent calls share one flush.
    pub fn flush(&self) -> Result<i64, LogError> {
        unimplemented!()
    }

    /// Makes the sealed segments durable and returns the new recovery point.
    pub fn flush_sealed(&self) -> Result<i64, LogError> {
        unimplemented!()
    }

    /// Replaces the options.
    pub fn set_config(&self, config: LogConfig) {
        let _ = config;
    }

    /// The topic's id.
    pub fn topic_id(&self) -> [u8; 16] {
        [0; 16]
    }

    /// Bytes of all segments.
    pub fn size_in_bytes(&self) -> u64 {
        0
    }

    /// Directory of the partition.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Flushes, writes the producer snapshot and refuses everything from here on.
    pub fn close(&self) -> Result<(), LogError> {
        Ok(())
    }

    /// Refuses everything from here on, renames the directory to `…-delete` and removes it.
    pub fn delete(&self) -> Result<(), LogError> {
        Ok(())
    }
}
