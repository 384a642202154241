//! Cutting the log's end: to an offset, to a leader epoch's end, or all of it.
//!
//! Batches stay whole: the log ends before the batch that contains the offset. What stays of a cut segment is sealed and
//! a new segment begins there, so that no file ever holds other bytes at a place that a reader may be sending from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::appender::Appender;
use crate::deletion::Doomed;
use crate::env::{LogEnv, write};
use crate::error::LogError;
use crate::leftovers::{self, parse_file_name};
use crate::partition_log::{EpochEndOffset, PartitionLog, Segments};
use crate::producer_recovery::ProducerRecovery;
use crate::segment::{Segment, file_name};
use crate::storage::OpenMode;

/// Where a follower's log parts from its leader's (KIP-101, KIP-279).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochTruncation {
    /// The log is to end here.
    pub offset: i64,
    /// Whether the two logs agree up to there; if not, the leader is to be asked about the epoch that is now the last.
    pub is_complete: bool,
}

/// What a truncation keeps.
struct Kept {
    segments: Vec<Arc<Segment>>,
    /// How many bytes of the last of them stay, if not all.
    cut: Option<u64>,
    end_offset: i64,
}

impl PartitionLog {
    /// Cuts the log so that nothing at or behind `offset` stays, and returns whether anything went. A log that begins
    /// behind `offset` is emptied and begins there.
    ///
    /// Whoever keeps recovery points lowers its own before the next append, as the log manager does.
    pub fn truncate_to(&self, offset: i64, now_ms: i64) -> Result<bool, LogError> {
        let _structure = self.change_structure();
        let mut appender = self.lock_appender()?;
        self.check_usable()?;
        if offset >= self.log_end_offset() {
            // The epochs may know more than the log: those of a leader that never wrote.
            write(&self.epochs).truncate_from_end(offset);
            return Ok(false);
        }
        let segments = self.segments();
        let outcome = match segments.first() {
            Some(first) if first.base_offset <= offset => self.cut(&mut appender, &segments, offset, now_ms),
            _ => self.start_over(&mut appender, offset, now_ms),
        };
        outcome.map(|()| true).map_err(|error| self.env.health.fail(error))
    }

    /// Drops everything; the log begins and ends at `new_start`.
    pub fn truncate_fully(&self, new_start: i64, now_ms: i64) -> Result<(), LogError> {
        let _structure = self.change_structure();
        let mut appender = self.lock_appender()?;
        self.check_usable()?;
        self.start_over(&mut appender, new_start, now_ms)
            .map_err(|error| self.env.health.fail(error))
    }

    /// Cuts what lies behind the end of the epoch that `leader` has answered with, and says where that left the log.
    pub fn truncate_to_epoch_end(&self, leader: EpochEndOffset, now_ms: i64) -> Result<EpochTruncation, LogError> {
        let truncation = self.epoch_truncation(leader);
        self.truncate_to(truncation.offset, now_ms)?;
        Ok(truncation)
    }

    /// Where to cut for a leader's answer to `OffsetForLeaderEpoch`.
    pub fn epoch_truncation(&self, leader: EpochEndOffset) -> EpochTruncation {
        let end = self.log_end_offset();
        let at = |offset: i64, is_complete| EpochTruncation {
            offset: offset.min(end),
            is_complete,
        };
        if leader.end_offset < 0 {
            // The leader does not know the epoch: what is committed is all that the two surely share.
            return at(self.high_watermark(), true);
        }
        if leader.epoch < 0 {
            return at(leader.end_offset, true);
        }
        let own = self.epoch_end_offset(leader.epoch);
        if own.end_offset < 0 {
            at(leader.end_offset, true)
        } else if own.epoch != leader.epoch {
            at(own.end_offset, false)
        } else {
            at(own.end_offset.min(leader.end_offset), true)
        }
    }

    fn cut(&self, appender: &mut Appender, segments: &Segments, offset: i64, now_ms: i64) -> Result<(), LogError> {
        let Kept {
            segments: mut list,
            cut,
            end_offset,
        } = kept(segments, offset)?;
        if list.is_empty() {
            return self.start_over(appender, end_offset, now_ms);
        }
        self.lower_end(end_offset);
        let cut = cut.and_then(|size| Some((list.pop()?, size)));
        let count = list.len() + usize::from(cut.is_some());
        self.give_up(segments, count, now_ms)?;
        if let Some((segment, size)) = cut {
            let index_interval = self.config().index_interval_bytes;
            list.push(Arc::new(segment.cut(&self.env, size, end_offset, index_interval)?));
            *write(&self.segments) = Arc::new(list);
        }
        self.begin_anew(appender, end_offset, now_ms)
    }

    fn start_over(&self, appender: &mut Appender, start: i64, now_ms: i64) -> Result<(), LogError> {
        // While both move, readers see an empty range and not one that was never there.
        if start >= self.log_start_offset() {
            self.log_end_offset
                .store(start.max(self.log_end_offset()), Ordering::Release);
            self.log_start_offset.store(start, Ordering::Release);
        }
        self.lower_end(start);
        self.log_end_offset.store(start, Ordering::Release);
        self.log_start_offset.store(start, Ordering::Release);
        self.set_high_watermark(start);
        self.recovery_point.store(start, Ordering::Release);
        self.ensure_dir(appender)?;
        let segments = self.segments();
        let first = Restart::begin(&self.env, &self.dir, start)?;
        *write(&self.segments) = Segments::default();
        self.retire(&segments, now_ms)?;
        // No producer of the log that was given up is known in the new one.
        self.remove_snapshots_behind(appender, -1)?;
        first.finish(&self.env)?;
        write(&self.epochs).truncate_from_end(-1);
        self.begin_anew(appender, start, now_ms)
    }

    /// Nobody may read at or behind `end_offset` any more.
    fn lower_end(&self, end_offset: i64) {
        self.log_end_offset.fetch_min(end_offset, Ordering::AcqRel);
        self.log_start_offset.fetch_min(end_offset, Ordering::AcqRel);
        self.lower_high_watermark(end_offset);
        self.recovery_point.fetch_min(end_offset, Ordering::AcqRel);
        self.cleaned_offset.fetch_min(end_offset, Ordering::AcqRel);
    }

    /// Publishes the first `count` segments and gives up the others, the newest first, so that a crash leaves no hole.
    fn give_up(&self, segments: &Segments, count: usize, now_ms: i64) -> Result<(), LogError> {
        let (kept, removed) = segments.split_at_checked(count).unwrap_or((segments, &[]));
        *write(&self.segments) = Arc::new(kept.to_vec());
        for segment in removed.iter().rev() {
            self.retire(std::slice::from_ref(segment), now_ms)?;
            self.sync_names()?;
        }
        Ok(())
    }

    /// Puts a new, empty segment at the log's end and gives up all that is known of offsets from there on.
    fn begin_anew(&self, appender: &mut Appender, end_offset: i64, now_ms: i64) -> Result<(), LogError> {
        self.ensure_dir(appender)?;
        self.remove_snapshots_behind(appender, end_offset)?;
        self.add_segment(now_ms)?;
        {
            let mut epochs = write(&self.epochs);
            epochs.truncate_from_end(end_offset);
            epochs.truncate_from_start(self.log_start_offset());
        }
        self.write_epochs()?;
        self.sync_names()?;
        self.reload_producers(appender, end_offset, now_ms)
    }

    /// Renames the files of segments that are in no list any more, and queues them for removal.
    pub(crate) fn retire(&self, segments: &[Arc<Segment>], now_ms: i64) -> Result<(), LogError> {
        for segment in segments {
            self.doom(segment.retire(&self.env)?, now_ms);
        }
        Ok(())
    }

    /// Queues files that were renamed to be deleted.
    pub(crate) fn doom(&self, files: Vec<PathBuf>, now_ms: i64) {
        let due_ms = now_ms.saturating_add(self.config().file_delete_delay_ms);
        for path in files {
            self.env.deletions.push(due_ms, Doomed::File(path));
        }
        self.names_unsynced.store(true, Ordering::Release);
    }

    pub(crate) fn snapshots(&self) -> Result<Vec<i64>, LogError> {
        let names = leftovers::file_names(self.env.storage.as_ref(), &self.dir)?.unwrap_or_default();
        Ok(names
            .iter()
            .filter_map(|name| parse_file_name(name))
            .filter(|(_, suffix)| *suffix == ".snapshot")
            .map(|(offset, _)| offset)
            .collect())
    }

    fn remove_snapshots_behind(&self, appender: &mut Appender, end_offset: i64) -> Result<(), LogError> {
        appender.forget_snapshots_behind(end_offset);
        for offset in self.snapshots()? {
            let path = self.dir.join(file_name(offset, ".snapshot"));
            if offset > end_offset {
                self.env
                    .storage
                    .remove_file(&path)
                    .map_err(|error| LogError::io("remove", &path, error))?;
            }
        }
        Ok(())
    }

    /// Producers as the log that is left knows them.
    fn reload_producers(&self, appender: &mut Appender, end_offset: i64, now_ms: i64) -> Result<(), LogError> {
        let config = self.config();
        let recovered = ProducerRecovery {
            env: &self.env,
            dir: &self.dir,
            segments: &self.segments(),
            txn_indexes_void: &BTreeSet::new(),
            config: &config,
            now_ms,
        }
        .recover(self.snapshots()?, end_offset)?;
        appender.replace_producers(recovered.states, recovered.snapshot_offset, recovered.look_back_from);
        // As at every segment's beginning: deletion of the older segments leaves it as the oldest to go back to.
        appender.take_snapshot(end_offset);
        self.sealed_unstored.store(true, Ordering::Release);
        self.unreplicated.truncate_to(end_offset);
        self.first_unstable_offset.store(
            appender.producers.first_unstable_offset().unwrap_or(i64::MAX),
            Ordering::Release,
        );
        Ok(())
    }
}

/// A log that begins anew: its first segment is there under another name before the old ones go, so that a crash in
/// between leaves either log and never none.
struct Restart {
    from: PathBuf,
    to: PathBuf,
}

/// Behind `.log`, while the old segments are being removed.
const RESTART_SUFFIX: &str = ".anew";

impl Restart {
    fn at(dir: &Path, start: i64) -> Self {
        let to = dir.join(file_name(start, ".log"));
        let mut from = to.clone().into_os_string();
        from.push(RESTART_SUFFIX);
        Self { from: from.into(), to }
    }

    fn begin(env: &LogEnv, dir: &Path, start: i64) -> Result<Self, LogError> {
        let restart = Self::at(dir, start);
        env.storage
            .open(&restart.from, OpenMode::Create)
            .and_then(|file| file.set_len(0))
            .map_err(|error| LogError::io("create", &restart.from, error))?;
        env.sync_dir(dir)?;
        Ok(restart)
    }

    fn finish(&self, env: &LogEnv) -> Result<(), LogError> {
        let dir = self.to.parent().unwrap_or(Path::new(""));
        // What is gone must stay gone once nothing says any more that it has to go.
        env.sync_dir(dir)?;
        env.storage
            .rename(&self.from, &self.to)
            .map_err(|error| LogError::io("rename", &self.from, error))?;
        env.sync_dir(dir)
    }
}

/// Completes a [`Restart`] that a crash has interrupted; says whether there was one among `names`.
pub(crate) fn complete(env: &LogEnv, dir: &Path, names: &[String]) -> Result<bool, LogError> {
    let storage = env.storage.as_ref();
    let restart = names.iter().find_map(|name| {
        let (start, suffix) = parse_file_name(name)?;
        (suffix.strip_prefix(".log") == Some(RESTART_SUFFIX)).then(|| Restart::at(dir, start))
    });
    let Some(restart) = restart else { return Ok(false) };
    for name in names {
        let path = dir.join(name);
        if parse_file_name(name).is_some() && path != restart.from {
            log::info!("removing {}, left by an interrupted truncation", path.display());
            storage
                .remove_file(&path)
                .map_err(|error| LogError::io("remove", &path, error))?;
        }
    }
    restart.finish(env).map(|()| true)
}

/// What stays below `offset`, which lies in the log.
fn kept(segments: &Segments, offset: i64) -> Result<Kept, LogError> {
    let below = segments.partition_point(|segment| segment.base_offset < offset);
    let mut kept = Kept {
        segments: segments.get(..below).unwrap_or_default().to_vec(),
        cut: None,
        end_offset: offset,
    };
    let Some(last) = kept.segments.last().map(Arc::clone) else {
        return Ok(kept);
    };
    let size = last.size();
    let found = last.find(last.file()?.as_ref(), offset, size)?;
    let size_kept = match found {
        Some((position, header)) => {
            kept.end_offset = offset.min(header.base_offset);
            position
        }
        None if last.is_active() => size,
        None => return Ok(kept),
    };
    if size_kept > 0 {
        kept.cut = Some(size_kept);
    } else {
        kept.segments.pop();
    }
    Ok(kept)
}
