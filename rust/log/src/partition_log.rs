//! One partition's log: appends under a short lock, reads that never take it.
//!
//! Lock order: `flushing`, `appender`, a segment's locks, then `segments` / `epochs`. `flushing` is held by a flush and by
//! every change of the segment list but a roll (truncation, retention, replacement by compacted segments), so that a
//! flush never looks for a file that is being renamed. It is never taken while `appender` is held: no append waits for
//! a flush.
//!
//! Publication: the list of segments is replaced before the log's end moves forward and after it moves back; who reads
//! takes the end first. A file is renamed or cut only after the list without it is published.
//!
//! Under `appender` an append writes nothing but the batches themselves and, at a roll, the next segment's empty file.
//! What a roll leaves to be written, the indexes of the sealed segment and a producer snapshot, stays in memory until
//! `flush_sealed` or `flush`; `sealed_unstored` says that there is something.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, RwLock};

use crate::appender::Appender;
use crate::config::LogConfig;
use crate::deletion::Doomed;
use crate::env::{LogEnv, lock, read, write};
use crate::epoch_cache::EpochCache;
use crate::error::LogError;
use crate::file_pool::FilePool;
use crate::partition_metadata;
use crate::recovery;
use crate::segment::Segment;
use crate::storage::{EmptyFile, Storage, StorageFile};
use crate::transactions::Unreplicated;

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
    /// Whether `flush.messages` asks for a [`PartitionLog::flush`] before this append is acknowledged.
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

impl ReadSlice {
    /// A slice without bytes.
    pub(crate) fn empty(offset: i64) -> Self {
        Self {
            file: Arc::new(EmptyFile),
            position: 0,
            len: 0,
            base_offset: offset,
        }
    }

    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads the batches into memory.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.len];
        self.file.read_exact_at(&mut bytes, self.position)?;
        Ok(bytes)
    }
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
    /// Compaction has been through what lies below, from `cleaner-offset-checkpoint`; `i64::MAX` when nobody knows.
    pub cleaned_offset: i64,
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
            cleaned_offset: i64::MAX,
        }
    }
}

/// The published list of segments, oldest first; the last one is active. Empty before the first append.
pub(crate) type Segments = Arc<Vec<Arc<Segment>>>;

/// One partition's log.
#[derive(Debug)]
pub struct PartitionLog {
    pub(crate) env: LogEnv,
    pub(crate) dir: PathBuf,
    topic_id: OnceLock<[u8; 16]>,
    config: RwLock<Arc<LogConfig>>,
    pub(crate) appender: Mutex<Appender>,
    pub(crate) segments: RwLock<Segments>,
    pub(crate) epochs: RwLock<EpochCache>,
    pub(crate) log_start_offset: AtomicI64,
    pub(crate) log_end_offset: AtomicI64,
    high_watermark: AtomicI64,
    /// First offset of the oldest open transaction, `i64::MAX` when there is none.
    pub(crate) first_unstable_offset: AtomicI64,
    pub(crate) unreplicated: Unreplicated,
    /// Compaction has been through everything below, -1 when it never was here.
    pub(crate) cleaned_offset: AtomicI64,
    pub(crate) recovery_point: AtomicI64,
    pub(crate) flushing: Mutex<()>,
    /// Odd while the list of segments is being changed otherwise than by a roll.
    structure_version: AtomicU64,
    /// A roll left indexes of a sealed segment or a producer snapshot in memory.
    pub(crate) sealed_unstored: AtomicBool,
    /// The directory's names changed since they were last synced.
    pub(crate) names_unsynced: AtomicBool,
    /// So did the name of the directory itself, or `partition.metadata`.
    pub(crate) dir_unsynced: AtomicBool,
    /// Where it ended when it was opened, if it had been closed properly.
    closed_at: Option<i64>,
    /// When the oldest record was appended that no flush has begun for; `i64::MAX` when there is none.
    pub(crate) dirty_since_ms: AtomicI64,
    is_configured: AtomicBool,
    closed: AtomicBool,
}

/// See [`PartitionLog::change_structure`].
pub(crate) struct StructureChange<'a> {
    log: &'a PartitionLog,
    _turn: MutexGuard<'a, ()>,
}

impl Drop for StructureChange<'_> {
    fn drop(&mut self) {
        self.log.structure_version.fetch_add(1, Ordering::AcqRel);
    }
}

/// Files that a log opened on its own keeps open at most.
const OPEN_FILES_ALONE: usize = 64;

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
        let files = FilePool::new(Arc::clone(&storage), OPEN_FILES_ALONE);
        Self::open_in(LogEnv::new(storage, files, false), dir, Some(topic_id), config, context)
    }

    /// As [`open`](Self::open), with what the logs of a data directory share. Without a topic id the one in
    /// `partition.metadata` is taken.
    pub(crate) fn open_in(
        env: LogEnv,
        dir: PathBuf,
        topic_id: Option<[u8; 16]>,
        config: LogConfig,
        context: OpenContext,
    ) -> Result<Self, LogError> {
        env.health.check()?;
        let is_configured = topic_id.is_some();
        let topic_id = partition_metadata::check(env.storage.as_ref(), &dir, topic_id)?;
        let recovered = recovery::recover(&env, &dir, &config, &context)?;
        let log_end_offset = recovered.log_end_offset;
        let high_watermark = context.high_watermark.clamp(recovered.log_start_offset, log_end_offset);
        let unreplicated = Unreplicated::default();
        for completed in &recovered.completed {
            if completed.last_offset >= high_watermark {
                unreplicated.add(completed);
            }
        }
        Ok(Self {
            topic_id: topic_id.map(OnceLock::from).unwrap_or_default(),
            config: RwLock::new(Arc::new(config)),
            first_unstable_offset: AtomicI64::new(recovered.producers.first_unstable_offset().unwrap_or(i64::MAX)),
            appender: Mutex::new(Appender::new(
                recovered.dir_exists,
                recovered.producers,
                recovered.snapshot_offset,
                recovered.look_back_from,
            )),
            segments: RwLock::new(Arc::new(recovered.segments)),
            epochs: RwLock::new(recovered.epochs),
            log_start_offset: AtomicI64::new(recovered.log_start_offset),
            log_end_offset: AtomicI64::new(log_end_offset),
            high_watermark: AtomicI64::new(high_watermark),
            unreplicated,
            cleaned_offset: AtomicI64::new(-1),
            recovery_point: AtomicI64::new(recovered.recovery_point),
            flushing: Mutex::new(()),
            structure_version: AtomicU64::new(0),
            sealed_unstored: AtomicBool::new(false),
            // A killed process may have left names in memory only.
            names_unsynced: AtomicBool::new(!context.clean_shutdown),
            dir_unsynced: AtomicBool::new(!context.clean_shutdown || is_configured),
            closed_at: context.clean_shutdown.then_some(log_end_offset),
            dirty_since_ms: AtomicI64::new(i64::MAX),
            is_configured: AtomicBool::new(is_configured),
            closed: AtomicBool::new(false),
            env,
            dir,
        })
    }

    /// First offset in the log.
    pub fn log_start_offset(&self) -> i64 {
        self.log_start_offset.load(Ordering::Acquire)
    }

    /// One past the last offset in the log.
    pub fn log_end_offset(&self) -> i64 {
        self.log_end_offset.load(Ordering::Acquire)
    }

    /// Offsets below this are replicated as far as the partition's rules ask.
    pub fn high_watermark(&self) -> i64 {
        self.high_watermark.load(Ordering::Acquire)
    }

    /// Raises the high watermark, at most to the log end; it never falls, so that of two appenders the slower one
    /// does not undo what the faster one published. Returns the new value.
    pub fn set_high_watermark(&self, offset: i64) -> i64 {
        let offset = offset.min(self.log_end_offset());
        let raised = self.high_watermark.fetch_max(offset, Ordering::AcqRel).max(offset);
        // A truncation that came between the two lines above has lowered both: either it saw the value raised here, or
        // this sees the end that it left.
        let high_watermark = self
            .high_watermark
            .fetch_min(self.log_end_offset(), Ordering::AcqRel)
            .min(raised);
        self.unreplicated.pass(high_watermark);
        high_watermark
    }

    /// After the log's end was lowered.
    pub(crate) fn lower_high_watermark(&self, offset: i64) {
        self.high_watermark.fetch_min(offset, Ordering::AcqRel);
    }

    /// Offsets below this are on disk.
    pub fn recovery_point(&self) -> i64 {
        self.recovery_point.load(Ordering::Acquire)
    }

    /// The newest leader epoch in the log.
    pub fn latest_epoch(&self) -> Option<i32> {
        read(&self.epochs).latest()
    }

    /// The leader epoch of the record at `offset`.
    pub fn epoch_for_offset(&self, offset: i64) -> Option<i32> {
        read(&self.epochs).epoch_for_offset(offset)
    }

    /// Where `epoch` ends.
    pub fn epoch_end_offset(&self, epoch: i32) -> EpochEndOffset {
        read(&self.epochs).end_offset(epoch, self.log_end_offset())
    }

    /// The options in force.
    pub fn config(&self) -> Arc<LogConfig> {
        Arc::clone(&read(&self.config))
    }

    /// Replaces the options; appends that have begun keep the old ones.
    pub fn set_config(&self, config: LogConfig) {
        *write(&self.config) = Arc::new(config);
        self.is_configured.store(true, Ordering::Release);
    }

    /// Whether the options are the topic's own. Those of a log that was found on disk are not, until
    /// [`set_config`](Self::set_config): nothing may be deleted or compacted by them.
    pub(crate) fn is_configured(&self) -> bool {
        self.is_configured.load(Ordering::Acquire)
    }

    /// When [`flush`](Self::flush) is due by `flush.ms`, if it has a limit: for what is unflushed now, else for what
    /// may be appended from now on.
    pub fn flush_due_ms(&self, now_ms: i64) -> Option<i64> {
        let limit = self.config().flush_ms;
        (limit < i64::MAX && !self.env.temporary).then(|| {
            self.dirty_since_ms
                .load(Ordering::Acquire)
                .min(now_ms)
                .saturating_add(limit)
        })
    }

    /// The topic's id, all zeros as long as nobody said it.
    pub fn topic_id(&self) -> [u8; 16] {
        self.topic_id.get().copied().unwrap_or_default()
    }

    /// Takes over the id of a log that was found without one; fails if it has another one.
    pub(crate) fn adopt_topic_id(&self, topic_id: [u8; 16]) -> Result<(), LogError> {
        if self.topic_id.get() == Some(&topic_id) {
            return Ok(());
        }
        let known = *self.topic_id.get_or_init(|| topic_id);
        if known != topic_id {
            return Err(partition_metadata::mismatch(&self.dir, topic_id, known));
        }
        self.dir_unsynced.store(true, Ordering::Release);
        partition_metadata::check(self.env.storage.as_ref(), &self.dir, Some(topic_id)).map(|_| ())
    }

    /// Bytes of all segments.
    pub fn size_in_bytes(&self) -> u64 {
        self.segments().iter().map(|segment| segment.size()).sum()
    }

    /// Directory of the partition.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Forgets producers that were idle longer than `producer.id.expiration.ms`.
    pub fn expire_producers(&self, now_ms: i64) -> Result<(), LogError> {
        let expiration_ms = self.config().producer_id_expiration_ms;
        self.lock_appender()?.producers.expire(now_ms, expiration_ms);
        Ok(())
    }

    /// Makes everything durable, writes the producer snapshot and refuses everything from here on.
    pub fn close(&self) -> Result<(), LogError> {
        let mut appender = self.lock_appender()?;
        if self.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let segments = self.segments();
        let outcome = self.env.health.check().and_then(|()| {
            if self.is_as_it_was_closed(&segments) {
                return Ok(());
            }
            if let Some(active) = segments.last() {
                active.trim()?;
                active.persist_indexes(true)?;
                appender.take_snapshot(self.log_end_offset());
                self.sealed_unstored.store(true, Ordering::Release);
            }
            drop(appender);
            self.flush_closed()
        });
        for segment in segments.iter() {
            segment.close_files();
        }
        outcome.map_err(|error| self.env.health.fail(error))
    }

    /// Nothing was done to it since the last proper end: all of it is on disk, indexes and snapshot too.
    fn is_as_it_was_closed(&self, segments: &Segments) -> bool {
        self.closed_at == Some(self.log_end_offset())
            && ![&self.names_unsynced, &self.sealed_unstored]
                .iter()
                .any(|changed| changed.load(Ordering::Acquire))
            && !segments.iter().any(|segment| segment.is_unsynced())
            && segments.last().is_none_or(|active| active.is_persisted())
            && !read(&self.epochs).dirty
    }

    /// Refuses everything from here on and renames the directory to `…-delete`; it is removed when
    /// `file.delete.delay.ms` is over. A [`ReadSlice`] that somebody holds stays readable.
    pub fn delete(&self, now_ms: i64) -> Result<(), LogError> {
        let appender = self.lock_appender()?;
        self.closed.store(true, Ordering::Release);
        let _structure = {
            drop(appender);
            lock(&self.flushing)
        };
        for segment in self.segments().iter() {
            segment.close_files();
        }
        *write(&self.segments) = Segments::default();
        let storage = self.env.storage.as_ref();
        let failed = |action| move |error| self.env.health.fail(LogError::io(action, &self.dir, error));
        if !storage.exists(&self.dir).map_err(failed("look at"))? {
            return Ok(());
        }
        let doomed = crate::dir_name::for_deletion(&self.dir);
        storage.rename(&self.dir, &doomed).map_err(failed("rename"))?;
        if let Some(parent) = self.dir.parent()
            && !self.env.temporary
        {
            storage.sync_dir(parent).map_err(failed("sync the directory of"))?;
        }
        let due_ms = now_ms.saturating_add(self.config().file_delete_delay_ms);
        self.env.deletions.push(due_ms, Doomed::Directory(doomed));
        Ok(())
    }

    /// Whether its data directory has failed.
    pub fn is_offline(&self) -> bool {
        self.env.health.check().is_err()
    }

    pub(crate) fn segments(&self) -> Segments {
        Arc::clone(&read(&self.segments))
    }

    /// Begins a change of the list of segments: flushes wait for its end, and readers that stumble look again after it.
    pub(crate) fn change_structure(&self) -> StructureChange<'_> {
        let turn = lock(&self.flushing);
        self.structure_version.fetch_add(1, Ordering::AcqRel);
        StructureChange { log: self, _turn: turn }
    }

    pub(crate) fn structure_version(&self) -> u64 {
        self.structure_version.load(Ordering::Acquire)
    }

    pub(crate) fn check_usable(&self) -> Result<(), LogError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(LogError::Closed { dir: self.dir.clone() });
        }
        self.env.health.check()
    }

    /// Takes the append lock. If an append panicked, memory may be behind the file: the log stays unusable.
    pub(crate) fn lock_appender(&self) -> Result<MutexGuard<'_, Appender>, LogError> {
        self.appender.lock().map_err(|_| LogError::Offline {
            reason: format!("an append to {} panicked", self.dir.display()),
        })
    }
}
