//! Making appends durable: outside of the append lock, one flush for all who wait.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::env::{lock, write};
use crate::epoch_cache;
use crate::error::LogError;
use crate::partition_log::PartitionLog;
use crate::partition_metadata;
use crate::segment::file_name;
use crate::storage::OpenMode;

impl PartitionLog {
    /// Makes everything appended so far durable and returns the new recovery point. Concurrent calls share one flush:
    /// who finds its records flushed by another returns at once.
    pub fn flush(&self) -> Result<i64, LogError> {
        self.check_usable()?;
        // Before the end is read: an append that comes between is noted anew.
        self.dirty_since_ms.store(i64::MAX, Ordering::Release);
        self.flush_up_to(self.log_end_offset(), true)
            .map_err(|error| self.env.health.fail(error))
    }

    /// Writes the sealed segments' indexes and makes the segments durable; returns the new recovery point.
    pub fn flush_sealed(&self) -> Result<i64, LogError> {
        self.check_usable()?;
        let Some(active) = self.segments().last().cloned() else {
            return Ok(self.recovery_point());
        };
        self.store_sealed()
            .and_then(|()| self.flush_up_to(active.base_offset, false))
            .and_then(|point| self.sync_sealed().map(|()| point))
            .map_err(|error| self.env.health.fail(error))
    }

    /// Syncs the segments that were sealed after a flush had already made their batches durable.
    fn sync_sealed(&self) -> Result<(), LogError> {
        let _flushing = lock(&self.flushing);
        let segments = self.segments();
        let (Some((_, sealed)), false) = (segments.split_last(), self.env.temporary) else {
            return Ok(());
        };
        sealed.iter().try_for_each(|segment| segment.sync())?;
        self.sync_names()
    }

    /// Writes what rolls left in memory; see [`store_sealed_locked`](Self::store_sealed_locked).
    fn store_sealed(&self) -> Result<(), LogError> {
        let _flushing = lock(&self.flushing);
        self.store_sealed_locked()
    }

    /// What may be written to `recovery-point-offset-checkpoint`: the end of the last segment that is on disk with its
    /// indexes, since the next start trusts every segment that ends there or before. It walks the segment behind in
    /// full in any case, so that nothing is gained by pointing into it.
    pub fn recovery_checkpoint(&self) -> i64 {
        // No flush or change of segments is half-way: a segment that is not marked is on disk.
        let _flushing = lock(&self.flushing);
        let segments = self.segments();
        let mut point = self.recovery_point();
        for segment in segments.iter().rev() {
            if segment.base_offset < point && (segment.is_unsynced() || segment.is_active()) {
                point = segment.base_offset;
            }
        }
        point
    }

    /// Syncs every segment that begins below `end_offset`, then the names and the leader epochs, and only then moves
    /// the recovery point.
    pub(crate) fn flush_up_to(&self, end_offset: i64, with_active: bool) -> Result<i64, LogError> {
        let recovery_point = self.recovery_point();
        if recovery_point >= end_offset {
            return Ok(recovery_point);
        }
        if self.env.temporary {
            return Ok(self
                .recovery_point
                .fetch_max(end_offset, Ordering::AcqRel)
                .max(end_offset));
        }
        let _flushing = lock(&self.flushing);
        // The log may have been cut meanwhile.
        let end_offset = end_offset.min(self.log_end_offset());
        let recovery_point = self.recovery_point();
        if recovery_point >= end_offset {
            return Ok(recovery_point);
        }
        self.store_sealed_locked()?;
        let segments = self.segments();
        if segments.is_empty() {
            // The log was deleted meanwhile.
            return Ok(recovery_point);
        }
        // The segment that ends at the recovery point is among them: it may have been sealed since the flush that put
        // the point there, and then its indexes are not on disk.
        let begin = segments
            .partition_point(|segment| segment.base_offset < recovery_point)
            .saturating_sub(1);
        let end = if with_active {
            segments.len()
        } else {
            segments.len().saturating_sub(1)
        };
        for segment in segments.get(begin..end).unwrap_or_default() {
            segment.sync()?;
        }
        self.write_epochs()?;
        self.sync_names()?;
        Ok(self
            .recovery_point
            .fetch_max(end_offset, Ordering::AcqRel)
            .max(end_offset))
    }

    /// After the last append: also what came to the indexes and the snapshot since.
    pub(crate) fn flush_closed(&self) -> Result<(), LogError> {
        self.store_sealed()?;
        self.flush_up_to(self.log_end_offset(), true)?;
        self.write_epochs()?;
        let segments = self.segments();
        let (Some(active), false) = (segments.last(), self.env.temporary) else {
            return Ok(());
        };
        // Also what an opening built or cut in segments that no flush looked at since.
        segments.iter().try_for_each(|segment| segment.sync())?;
        active.sync_indexes()?;
        let snapshot = self.dir.join(file_name(self.log_end_offset(), ".snapshot"));
        self.sync_file(&snapshot)?;
        self.sync_names()
    }

    pub(crate) fn sync_file(&self, path: &Path) -> Result<(), LogError> {
        match self
            .env
            .storage
            .open(path, OpenMode::Write)
            .and_then(|file| file.sync_data())
        {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(LogError::io("flush", path, error)),
            _ => Ok(()),
        }
    }

    pub(crate) fn sync_names(&self) -> Result<(), LogError> {
        if !self.names_unsynced.swap(false, Ordering::AcqRel) || self.env.temporary {
            return Ok(());
        }
        let is_dir_unsynced = self.dir_unsynced.swap(false, Ordering::AcqRel);
        if is_dir_unsynced {
            self.sync_file(&self.dir.join(partition_metadata::FILE_NAME))?;
        }
        self.env.sync_dir(&self.dir)?;
        match self.dir.parent() {
            Some(parent) if is_dir_unsynced => self.env.sync_dir(parent),
            _ => Ok(()),
        }
    }

    /// Writes `leader-epoch-checkpoint` if it lacks something. It is durable before the recovery point passes the
    /// epochs in it; the epochs behind the recovery point are found in the log.
    pub(crate) fn write_epochs(&self) -> Result<(), LogError> {
        let text = {
            let mut epochs = write(&self.epochs);
            if !std::mem::take(&mut epochs.dirty) {
                return Ok(());
            }
            epochs.to_text()
        };
        let path = self.dir.join(epoch_cache::FILE_NAME);
        self.env
            .storage
            .write_atomic(&path, text.as_bytes(), !self.env.temporary)
            .map_err(|error| LogError::io("write", &path, error))
    }
}
