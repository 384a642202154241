//! Which log is compacted next, and what is remembered about it: Kafka's `LogCleanerManager`.
//!
//! How far a log is clean is a part of the log and stands in `cleaner-offset-checkpoint`. A log that cannot be compacted
//! is left alone until the next start, so that it neither keeps others waiting nor fills the broker's log.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use crate::cleaner::{CleanOutcome, CleanStats, Cleaner, Dirty, Pace};
use crate::env::lock;
use crate::error::LogError;
use crate::manager::LogManager;
use crate::partition_log::PartitionLog;

type Partition = (String, i32);

/// What a log manager knows about compaction.
#[derive(Debug, Default)]
pub(crate) struct Cleaning {
    in_progress: HashSet<Partition>,
    uncleanable: HashMap<Partition, Weak<PartitionLog>>,
}

/// A log that could be compacted.
#[derive(Clone, Debug)]
pub struct LogToClean {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// Its log.
    pub log: Arc<PartitionLog>,
    /// What a round would do.
    pub dirty: Dirty,
}

/// One round of compaction.
#[derive(Clone, Debug)]
pub struct Round {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// Where it began.
    pub from: i64,
    /// Where it ended and what it did; `None` if it was given up.
    pub done: Option<(i64, CleanStats)>,
}

impl PartitionLog {
    /// Everything below is compacted; `None` when compaction never was here.
    pub fn cleaned_offset(&self) -> Option<i64> {
        Some(self.cleaned_offset.load(Ordering::Acquire)).filter(|offset| *offset >= 0)
    }

    pub(crate) fn set_cleaned_offset(&self, offset: Option<i64>) {
        self.cleaned_offset.store(offset.unwrap_or(-1), Ordering::Release);
    }

    /// After a round from `from` to `to`. A truncation that came meanwhile has lowered what was known.
    fn advance_cleaned_offset(&self, from: i64, to: i64) {
        // Fails if it was lowered: what was cut off does not become clean by having been looked at.
        let _ = self
            .cleaned_offset
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
    }
}

impl LogManager {
    /// The compacted logs for which a round is due, the dirtiest first.
    pub fn cleanable(&self, now_ms: i64) -> Vec<LogToClean> {
        let mut due = Vec::new();
        for dir in self.healthy_dirs() {
            for (topic, partition, log) in self.partitions_in(dir) {
                let config = log.config();
                if !config.compact || !log.is_configured() || self.is_uncleanable(&topic, partition, &log) {
                    continue;
                }
                match log.dirty(now_ms) {
                    Ok(Some(dirty)) if dirty.is_due(config.min_cleanable_dirty_ratio) => due.push(LogToClean {
                        topic,
                        partition,
                        log,
                        dirty,
                    }),
                    Ok(_) => {}
                    Err(error) => self.give_up_on(&topic, partition, &log, &error),
                }
            }
        }
        due.sort_by(|a, b| b.dirty.ratio().total_cmp(&a.dirty.ratio()));
        due
    }

    /// Compacts the dirtiest log that no other thread is at; `None` when there is nothing to do. A log that fails is not
    /// tried again; one whose disk fails takes its data directory offline.
    pub fn clean_next(&self, cleaner: &Cleaner, now_ms: i64, pace: &dyn Pace) -> Option<Round> {
        let (next, _turn) = self.claim_next(now_ms)?;
        let LogToClean {
            topic,
            partition,
            log,
            dirty,
        } = next;
        let from = dirty.first_dirty_offset;
        // What supersedes a record is on disk before that record goes, and so is the marker that aborted it, which may
        // stand in the active segment.
        let outcome = log
            .flush_sealed()
            .and_then(|_| log.flush())
            .and_then(|_| self.announce_cleaning(&log, from))
            .and_then(|()| cleaner.clean(&log, &dirty, now_ms, pace))
            .and_then(|outcome| {
                if let CleanOutcome::Done { end_offset, .. } = outcome {
                    log.advance_cleaned_offset(from, end_offset);
                    self.checkpoint_dir_of(&log)?;
                }
                Ok(outcome)
            });
        let done = match outcome {
            Ok(CleanOutcome::Done { end_offset, stats }) => Some((end_offset, stats)),
            Ok(CleanOutcome::GivenUp) => None,
            Err(error) => {
                self.give_up_on(&topic, partition, &log, &error);
                None
            }
        };
        Some(Round {
            topic,
            partition,
            from,
            done,
        })
    }

    /// Partitions that compaction has given up on.
    pub fn uncleanable(&self) -> Vec<(String, i32)> {
        let mut cleaning = lock(&self.cleaning);
        cleaning.uncleanable.retain(|_, log| log.strong_count() > 0);
        let mut partitions: Vec<_> = cleaning.uncleanable.keys().cloned().collect();
        partitions.sort_unstable();
        partitions
    }

    fn claim_next(&self, now_ms: i64) -> Option<(LogToClean, Turn<'_>)> {
        self.cleanable(now_ms).into_iter().find_map(|next| {
            let partition = (next.topic.clone(), next.partition);
            if !lock(&self.cleaning).in_progress.insert(partition.clone()) {
                return None;
            }
            let turn = Turn {
                manager: self,
                partition,
            };
            // Another thread may have had its turn since the list was made.
            match next.log.dirty(now_ms) {
                Ok(Some(dirty)) if dirty.is_due(next.log.config().min_cleanable_dirty_ratio) => {
                    Some((LogToClean { dirty, ..next }, turn))
                }
                _ => None,
            }
        })
    }

    /// Before a round the checkpoints say that there is one, and that everything it may touch is on disk: a start after
    /// a crash must know which gaps between offsets are no loss.
    fn announce_cleaning(&self, log: &PartitionLog, from: i64) -> Result<(), LogError> {
        log.set_cleaned_offset(Some(from));
        self.checkpoint_dir_of(log)
    }

    fn is_uncleanable(&self, topic: &str, partition: i32, log: &Arc<PartitionLog>) -> bool {
        lock(&self.cleaning)
            .uncleanable
            .get(&(topic.to_owned(), partition))
            .is_some_and(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(log)))
    }

    fn give_up_on(&self, topic: &str, partition: i32, log: &Arc<PartitionLog>, error: &LogError) {
        if log.check_usable().is_err() {
            return;
        }
        log::error!("{topic}-{partition} is not compacted any more until the next start: {error}");
        lock(&self.cleaning)
            .uncleanable
            .insert((topic.to_owned(), partition), Arc::downgrade(log));
    }
}

/// The right to compact a partition.
struct Turn<'a> {
    manager: &'a LogManager,
    partition: Partition,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.manager.cleaning).in_progress.remove(&self.partition);
    }
}
