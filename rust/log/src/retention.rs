//! Moving the log's start, and exchanging segments in the middle: what deletes records without touching the end.
//!
//! The list without the old segments is published first; only then their files are renamed. A reader that still has
//! the old list either holds the file open, and goes on reading, or finds it missing and looks at the new list.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::env::write;
use crate::error::LogError;
use crate::partition_log::{PartitionLog, Segments};
use crate::producer_recovery::ProducerRecovery;
use crate::segment::{SWAP_SUFFIX, Segment, file_name};

/// What retention has removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retained {
    /// Segments removed.
    pub segments: usize,
    /// Their bytes.
    pub bytes: u64,
    /// First offset of the log now.
    pub log_start_offset: i64,
}

impl PartitionLog {
    /// Starts a new segment unless the last one is empty; returns whether it did.
    pub fn roll(&self, now_ms: i64) -> Result<bool, LogError> {
        let mut appender = self.lock_appender()?;
        self.check_usable()?;
        match self.segments().last() {
            Some(active) if active.size() > 0 => self
                .roll_active(&mut appender, active, now_ms)
                .map(|_| true)
                .map_err(|error| self.env.health.fail(error)),
            _ => Ok(false),
        }
    }

    /// Moves the log's start to `before_offset`, at most to the high watermark (-1 stands for it), and removes the
    /// segments that end there or before. Returns the log's start.
    pub fn delete_records(&self, before_offset: i64, now_ms: i64) -> Result<i64, LogError> {
        let config = self.config();
        if config.compact && !config.delete {
            return Err(LogError::DeletionForbidden { dir: self.dir.clone() });
        }
        let _structure = self.change_structure();
        self.check_usable()?;
        let high_watermark = self.high_watermark();
        let offset = if before_offset == -1 {
            high_watermark
        } else {
            before_offset
        };
        if !(0..=high_watermark).contains(&offset) {
            return Err(LogError::OffsetOutOfRange {
                offset,
                log_start_offset: self.log_start_offset(),
                log_end_offset: high_watermark,
            });
        }
        self.move_start(offset)?;
        self.remove_breached(now_ms)?;
        Ok(self.log_start_offset())
    }

    /// Removes the segments whose time has come: those below the log's start, and where `cleanup.policy` contains
    /// `delete`, those beyond `retention.bytes` and `retention.ms`. Only what is below the high watermark goes.
    pub fn apply_retention(&self, now_ms: i64) -> Result<Retained, LogError> {
        let _structure = self.change_structure();
        self.check_usable()?;
        let mut retained = self.remove_breached(now_ms)?;
        let config = self.config();
        if config.delete && config.retention_bytes >= 0 {
            let limit = config.retention_bytes.unsigned_abs();
            let mut excess = self.size_in_bytes().saturating_sub(limit);
            let breached = |segment: &Segment, _: Option<i64>| {
                let size = segment.size();
                let goes = excess >= size;
                excess = excess.saturating_sub(size);
                goes
            };
            retained.add(self.remove_oldest(breached, now_ms)?);
        }
        if config.delete && config.retention_ms >= 0 {
            let breached = |segment: &Segment, _: Option<i64>| {
                now_ms.saturating_sub(segment.newest_record_ms()) > config.retention_ms
            };
            retained.add(self.remove_oldest(breached, now_ms)?);
        }
        retained.log_start_offset = self.log_start_offset();
        Ok(retained)
    }

    /// Puts `new`, complete and durable under their `.cleaned` names, in the place of `old`, whose files are renamed to be
    /// deleted. Returns false, and changes nothing, when `old` is not, or no longer, a run of sealed segments of this
    /// log.
    pub(crate) fn replace_segments(
        &self,
        old: &[Arc<Segment>],
        new: &[Arc<Segment>],
        now_ms: i64,
    ) -> Result<bool, LogError> {
        let _structure = self.change_structure();
        let appender = self.lock_appender()?;
        self.check_usable()?;
        let segments = self.segments();
        let Some(first) = old
            .first()
            .and_then(|first| segments.iter().position(|segment| Arc::ptr_eq(segment, first)))
        else {
            return Ok(false);
        };
        let run = segments.get(first..first + old.len()).unwrap_or_default();
        let is_run = run.len() == old.len() && run.iter().zip(old).all(|(here, old)| Arc::ptr_eq(here, old));
        if !is_run || old.iter().any(|segment| segment.is_active()) {
            return Ok(false);
        }
        let mut list = Vec::clone(&segments);
        list.splice(first..first + old.len(), new.iter().map(Arc::clone));
        *write(&self.segments) = Arc::new(list);
        drop(appender);
        self.exchange_files(old, new, now_ms)
            .map(|()| true)
            .map_err(|error| self.env.health.fail(error))
    }

    /// Each step is on disk before the next one begins: a disk that keeps renames in no order must not leave a new segment
    /// beside an old one that it replaces, nor the indexes of the one with the log of the other.
    fn exchange_files(&self, old: &[Arc<Segment>], new: &[Arc<Segment>], now_ms: i64) -> Result<(), LogError> {
        // The last one first: as long as one is called `.cleaned`, it and those behind it are void.
        for segment in new.iter().rev() {
            segment.rename_files(SWAP_SUFFIX)?;
        }
        // From here on the next start completes the exchange.
        self.names_unsynced.store(true, Ordering::Release);
        self.sync_names()?;
        let (replaced, gone): (Vec<_>, Vec<_>) = old
            .iter()
            .map(Arc::clone)
            .partition(|old| new.iter().any(|new| new.base_offset == old.base_offset));
        // A log that is there tells the next start that the indexes of its name are its own.
        for segment in &replaced {
            self.doom(segment.retire_indexes()?, now_ms);
        }
        self.env.sync_dir(&self.dir)?;
        for segment in &replaced {
            self.doom(segment.retire_log()?, now_ms);
        }
        self.retire(&gone, now_ms)?;
        self.env.sync_dir(&self.dir)?;
        // The last one first, so that those that are still called `.swap` lie before all that is in its place.
        for segment in new.iter().rev() {
            segment.rename_files("")?;
            self.names_unsynced.store(true, Ordering::Release);
            self.sync_names()?;
        }
        Ok(())
    }

    /// Moves the log's start forward; it never goes back here.
    fn move_start(&self, offset: i64) -> Result<(), LogError> {
        if self.log_start_offset.fetch_max(offset, Ordering::AcqRel) < offset {
            write(&self.epochs).truncate_from_start(offset);
            self.write_epochs().map_err(|error| self.env.health.fail(error))?;
        }
        Ok(())
    }

    fn remove_breached(&self, now_ms: i64) -> Result<Retained, LogError> {
        let start = self.log_start_offset();
        self.remove_oldest(|_, next_base| next_base.is_some_and(|next| next <= start), now_ms)
    }

    /// Removes the oldest segments for which `breached`, given the next one's base offset, holds.
    fn remove_oldest(
        &self,
        breached: impl FnMut(&Segment, Option<i64>) -> bool,
        now_ms: i64,
    ) -> Result<Retained, LogError> {
        let mut appender = self.lock_appender()?;
        let mut segments = self.segments();
        let count = self.count_removable(&segments, breached);
        let removed = segments.get(..count).unwrap_or_default().to_vec();
        if removed.is_empty() {
            return Ok(Retained::default());
        }
        let failed = |error| self.env.health.fail(error);
        if count == segments.len()
            && let Some(active) = removed.last()
        {
            // The log keeps its end in the name of a new segment, which is on disk before the old ones go.
            self.roll_active(&mut appender, active, now_ms).map_err(failed)?;
            self.sync_names().map_err(failed)?;
            segments = self.segments();
        }
        let list = segments.get(count..).unwrap_or_default().to_vec();
        let start = list.first().map_or(self.log_end_offset(), |first| first.base_offset);
        self.log_start_offset.fetch_max(start, Ordering::AcqRel);
        self.recovery_point.fetch_max(start, Ordering::AcqRel);
        *write(&self.segments) = Arc::new(list);
        drop(appender);
        write(&self.epochs).truncate_from_start(self.log_start_offset());
        let bytes = removed.iter().map(|segment| segment.size()).sum();
        self.write_epochs()
            .and_then(|()| self.keep_producers(start, &removed, now_ms))
            .map_err(failed)?;
        for segment in &removed {
            // The oldest first and each for itself, so that a crash leaves no hole.
            self.retire(std::slice::from_ref(segment), now_ms)
                .and_then(|()| self.sync_names())
                .map_err(failed)?;
        }
        Ok(Retained {
            segments: count,
            bytes,
            log_start_offset: self.log_start_offset(),
        })
    }

    /// Puts on disk what the segments `removed`, all those below `start`, say about producers, before they go: after a
    /// crash a batch that is sent again would otherwise be taken for a new one. The state as of `start` itself stays too,
    /// for a truncation that goes back behind the newest snapshot.
    fn keep_producers(&self, start: i64, removed: &[Arc<Segment>], now_ms: i64) -> Result<(), LogError> {
        let at_start = self.dir.join(file_name(start, ".snapshot"));
        let is_missing = !self.lock_appender()?.is_snapshot_due(start)
            && !self
                .env
                .storage
                .exists(&at_start)
                .map_err(|error| LogError::io("look at", &at_start, error))?;
        let rebuilt = if is_missing {
            // Lost by a crash: the log itself says it, as long as it is there.
            let recovery = ProducerRecovery {
                env: &self.env,
                dir: &self.dir,
                segments: removed,
                txn_indexes_void: &BTreeSet::new(),
                config: &self.config(),
                now_ms,
            };
            Some(recovery.as_of(start, self.snapshots()?)?)
        } else {
            None
        };
        let newest = {
            let mut appender = self.lock_appender()?;
            if let Some(states) = &rebuilt {
                appender.add_snapshot(start, states);
            }
            if appender.snapshot_offset() < start {
                appender.take_snapshot(self.log_end_offset());
            }
            self.sealed_unstored.store(true, Ordering::Release);
            appender.snapshot_offset()
        };
        self.store_sealed_locked()?;
        if self.env.temporary {
            return Ok(());
        }
        self.sync_file(&at_start)?;
        self.sync_file(&self.dir.join(file_name(newest, ".snapshot")))?;
        self.sync_names()
    }

    /// How many of the oldest segments go: all below the high watermark, and not an empty last one.
    fn count_removable(&self, segments: &Segments, mut breached: impl FnMut(&Segment, Option<i64>) -> bool) -> usize {
        let high_watermark = self.high_watermark();
        let nexts = segments.iter().skip(1).map(|next| Some(next.base_offset)).chain([None]);
        segments
            .iter()
            .zip(nexts)
            .take_while(|(segment, next_base)| {
                let end = next_base.unwrap_or_else(|| self.log_end_offset());
                high_watermark >= end && (next_base.is_some() || segment.size() > 0) && breached(segment, *next_base)
            })
            .count()
    }
}

impl Retained {
    fn add(&mut self, other: Self) {
        self.segments += other.segments;
        self.bytes += other.bytes;
    }
}
