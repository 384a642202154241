//! What is done to all logs from time to time: retention, flushes by age, removal of deleted files; and changes of one
//! log that the checkpoints have to know before its next append.
//!
//! A data directory that fails goes offline; the others are served first, then the failure is returned.

use std::sync::Arc;

use crate::error::LogError;
use crate::manager::LogManager;
use crate::partition_log::PartitionLog;
use crate::retention::Retained;

/// What was removed, by topic and partition.
pub type RemovedSegments = Vec<(String, i32, Retained)>;

impl LogManager {
    /// Applies [`PartitionLog::apply_retention`] to every log whose own options are known, and returns what was removed
    /// where.
    pub fn apply_retention(&self, now_ms: i64) -> (RemovedSegments, Result<(), LogError>) {
        let mut removed = Vec::new();
        let outcome = self.each_log(|topic, partition, log| {
            if log.is_configured() {
                let retained = log.apply_retention(now_ms)?;
                if retained.segments > 0 {
                    removed.push((topic.to_owned(), partition, retained));
                }
            }
            Ok(())
        });
        (removed, outcome)
    }

    /// Flushes the logs whose `flush.ms` is over, and says when the next one can be due at the earliest.
    pub fn flush_due(&self, now_ms: i64) -> (Option<i64>, Result<(), LogError>) {
        let mut next: Option<i64> = None;
        let outcome = self.each_log(|_, _, log| {
            let Some(mut due_ms) = log.flush_due_ms(now_ms) else {
                return Ok(());
            };
            if due_ms <= now_ms {
                log.flush()?;
                due_ms = now_ms.saturating_add(log.config().flush_ms);
            }
            next = Some(next.map_or(due_ms, |next| next.min(due_ms)));
            Ok(())
        });
        (next, outcome)
    }

    /// Removes deleted files and directories whose delay is over.
    pub fn remove_deleted(&self, now_ms: i64) -> Result<(), LogError> {
        let mut outcome = Ok(());
        for dir in self.healthy_dirs() {
            let attempt = dir.env.deletions.run(dir.env.storage.as_ref(), now_ms);
            outcome = outcome.and(attempt.map_err(|error| dir.env.health.fail(error)));
        }
        outcome
    }

    /// When the next deleted file is due to be removed.
    pub fn next_removal_ms(&self) -> Option<i64> {
        self.healthy_dirs()
            .filter_map(|dir| dir.env.deletions.next_due_ms())
            .min()
    }

    /// As [`PartitionLog::truncate_to`], with the checkpoints written before the next append can make them wrong.
    pub fn truncate_to(&self, log: &PartitionLog, offset: i64, now_ms: i64) -> Result<bool, LogError> {
        let is_changed = log.truncate_to(offset, now_ms)?;
        if is_changed {
            self.checkpoint_dir_of(log)?;
        }
        Ok(is_changed)
    }

    /// As [`PartitionLog::truncate_fully`], with the checkpoints.
    pub fn truncate_fully(&self, log: &PartitionLog, new_start: i64, now_ms: i64) -> Result<(), LogError> {
        log.truncate_fully(new_start, now_ms)?;
        self.checkpoint_dir_of(log)
    }

    /// As [`PartitionLog::delete_records`], with the checkpoints, so that what was deleted stays deleted.
    pub fn delete_records(&self, log: &PartitionLog, before_offset: i64, now_ms: i64) -> Result<i64, LogError> {
        let start = log.delete_records(before_offset, now_ms)?;
        self.checkpoint_dir_of(log)?;
        Ok(start)
    }

    pub(crate) fn checkpoint_dir_of(&self, log: &PartitionLog) -> Result<(), LogError> {
        self.healthy_dirs()
            .filter(|dir| log.dir().parent() == Some(dir.path.as_path()))
            .try_for_each(|dir| self.write_checkpoints(dir))
    }

    /// Calls `visit` for every log of a healthy directory; the first error is returned in the end.
    fn each_log(
        &self,
        mut visit: impl FnMut(&str, i32, &Arc<PartitionLog>) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        let mut outcome = Ok(());
        for dir in self.healthy_dirs() {
            for (topic, partition, log) in self.partitions_in(dir) {
                outcome = outcome.and(match visit(&topic, partition, &log) {
                    // Its topic was deleted meanwhile.
                    Err(LogError::Closed { .. }) => Ok(()),
                    visited => visited,
                });
            }
        }
        outcome
    }
}
