//! Producer state at opening: the newest sound snapshot, then the log behind it, then the log before it.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use barnabas_records::{BatchHeader, BatchRef};

use crate::appender::marker_of;
use crate::config::LogConfig;
use crate::env::LogEnv;
use crate::error::LogError;
use crate::producer_state::{CompletedTransaction, Marker, ProducerStates, SNAPSHOT_BYTES_MAX};
use crate::scan::{HeaderScan, ScanError};
use crate::segment::{Segment, file_name};
use crate::storage::StorageFile;

/// How far before a snapshot the log is searched for the older ones of a producer's last batches, which a snapshot
/// does not keep.
const LOOK_BACK_BYTES: u64 = 4 << 20;

/// What the recovery of producer state works on.
pub(crate) struct ProducerRecovery<'a> {
    pub(crate) env: &'a LogEnv,
    pub(crate) dir: &'a Path,
    pub(crate) segments: &'a [Arc<Segment>],
    /// Base offsets of segments whose transaction indexes are empty and are to be filled.
    pub(crate) txn_indexes_void: &'a BTreeSet<i64>,
    pub(crate) config: &'a LogConfig,
    pub(crate) now_ms: i64,
}

/// What it found.
pub(crate) struct RecoveredProducers {
    /// As of the end of the log.
    pub(crate) states: ProducerStates,
    /// Offset of the newest snapshot, -1 when there is none.
    pub(crate) snapshot_offset: i64,
    /// Where the snapshot stands from which the log was read again, if it knows producers.
    pub(crate) look_back_from: Option<i64>,
    /// Transactions that ended behind that snapshot.
    pub(crate) completed: Vec<CompletedTransaction>,
}

impl ProducerRecovery<'_> {
    /// The state at the end of the log, from the newest of `snapshots` that is sound. It knows transactions whose
    /// beginning is deleted, so that it counts also where the log before it is read for the transaction indexes.
    pub(crate) fn recover(&self, mut snapshots: Vec<i64>, log_end_offset: i64) -> Result<RecoveredProducers, LogError> {
        let read_from = self.txn_indexes_void.first().copied().unwrap_or(i64::MAX);
        snapshots.sort_unstable();
        let log_begins_at = self.segments.first().map_or(0, |first| first.base_offset);
        let mut snapshot_offset = -1;
        let mut newest: Option<(i64, ProducerStates)> = None;
        // The newest that is not behind the first index to be filled, where that is another one.
        let mut older: Option<(i64, ProducerStates)> = None;
        let mut is_complete = false;
        let mut is_any_behind = false;
        for offset in snapshots.into_iter().rev() {
            let path = self.dir.join(file_name(offset, ".snapshot"));
            let at_segment = self.segments.iter().any(|segment| segment.base_offset == offset);
            // Kept: the newest, and those a later truncation can go back to.
            // One from before the log's first segment is out of date: markers that came behind it may be deleted.
            let mut keep = (log_begins_at..=log_end_offset).contains(&offset);
            // One that is not at a segment serves only as the newest: a start after this one must not miss it.
            is_any_behind |= offset > log_end_offset;
            if keep && !is_complete && (snapshot_offset < 0 || at_segment) {
                let states = load(self.env, &path)?;
                keep = states.is_some();
                if let Some(states) = states {
                    is_complete = offset <= read_from;
                    if newest.is_none() {
                        snapshot_offset = offset;
                        newest = Some((offset, states));
                    } else if is_complete {
                        older = Some((offset, states));
                    }
                }
            } else {
                keep &= at_segment;
            }
            if !keep {
                match self.env.storage.remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(LogError::io("remove", &path, error));
                    }
                    _ => {}
                }
            }
        }
        if is_any_behind {
            // It must not come back when the log has grown to there with other batches.
            self.env.sync_dir(self.dir)?;
        }
        let (from, mut states) = newest.unwrap_or_default();
        let mut completed = Vec::new();
        if read_from < from {
            let (older_from, mut older) = older.unwrap_or_default();
            completed = self.replay(older_from..from, &mut older)?;
        }
        states.expire(self.now_ms, self.config.producer_id_expiration_ms);
        let look_back_from = (!states.is_empty()).then_some(from);
        completed.extend(self.replay(from..i64::MAX, &mut states)?);
        self.sync_txn_indexes()?;
        Ok(RecoveredProducers {
            states,
            snapshot_offset,
            look_back_from,
            completed,
        })
    }

    /// The state as of `offset`, at or before which `snapshots` are looked for.
    pub(crate) fn as_of(&self, offset: i64, mut snapshots: Vec<i64>) -> Result<ProducerStates, LogError> {
        let log_begins_at = self.segments.first().map_or(0, |first| first.base_offset);
        snapshots.retain(|snapshot| (log_begins_at..=offset).contains(snapshot));
        snapshots.sort_unstable();
        let (mut from, mut states) = (0, ProducerStates::default());
        for snapshot in snapshots.into_iter().rev() {
            if let Some(loaded) = load(self.env, &self.dir.join(file_name(snapshot, ".snapshot")))? {
                (from, states) = (snapshot, loaded);
                break;
            }
        }
        self.replay(from..offset, &mut states)?;
        Ok(states)
    }

    /// A filled index may belong to a segment below the recovery point, which no flush looks at again.
    fn sync_txn_indexes(&self) -> Result<(), LogError> {
        if self.env.temporary || self.txn_indexes_void.is_empty() {
            return Ok(());
        }
        for segment in self.segments {
            if self.txn_indexes_void.contains(&segment.base_offset) {
                segment.txn_index.sync()?;
            }
        }
        self.env.sync_dir(self.dir)
    }

    /// Takes in every batch of `offsets` and fills the transaction indexes that were void.
    fn replay(&self, offsets: Range<i64>, states: &mut ProducerStates) -> Result<Vec<CompletedTransaction>, LogError> {
        let from = offsets.start;
        let mut all_completed = Vec::new();
        for segment in self.segments {
            let (size, next_offset) = segment.with_tail(|tail| (tail.size, tail.next_offset));
            if next_offset <= from || segment.base_offset >= offsets.end || size == 0 {
                continue;
            }
            let fills_index = self.txn_indexes_void.contains(&segment.base_offset);
            let file = segment.file()?;
            let Some((start, _)) = segment.find(file.as_ref(), from.max(segment.base_offset), size)? else {
                continue;
            };
            let mut scan = HeaderScan::new(file.as_ref(), start, size);
            while let Some((position, header)) = scan.next().map_err(|error| segment.scan_error(error))? {
                if header.base_offset >= offsets.end {
                    break;
                }
                if header.base_offset < from || !header.has_producer() {
                    continue;
                }
                let marker = read_marker(file.as_ref(), position, &header)
                    .map_err(|error| segment.scan_error(ScanError::Io(error)))?;
                let Some(completed) = states.update(&header, marker, self.now_ms) else {
                    continue;
                };
                if let (true, Some(aborted)) = (fills_index, completed.aborted()) {
                    segment.txn_index.append(&aborted)?;
                }
                all_completed.push(completed);
            }
        }
        Ok(all_completed)
    }
}

fn load(env: &LogEnv, path: &Path) -> Result<Option<ProducerStates>, LogError> {
    let states = match env.storage.read_whole(path, SNAPSHOT_BYTES_MAX) {
        Ok(bytes) => ProducerStates::from_snapshot(&bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LogError::io("read", path, error)),
    };
    if states.is_none() {
        log::warn!("{} is damaged; producer state is taken from the log", path.display());
    }
    Ok(states)
}

fn read_marker(file: &dyn StorageFile, position: u64, header: &BatchHeader) -> io::Result<Option<Marker>> {
    if !header.is_control() {
        return Ok(None);
    }
    let mut bytes = vec![0; header.size_in_bytes()];
    file.read_exact_at(&mut bytes, position)?;
    Ok(BatchRef::parse(&bytes).ok().and_then(|batch| marker_of(&batch)))
}

/// Finds the batches before `from` that came just before the ones in `states`. Only a batch that is sent again after a
/// restart needs them, so that no start waits for this.
pub(crate) fn look_back(segments: &[Arc<Segment>], from: i64, states: &mut ProducerStates) -> Result<(), LogError> {
    let mut budget = LOOK_BACK_BYTES;
    for segment in segments.iter().rev().filter(|segment| segment.base_offset < from) {
        let (size, next_offset) = segment.with_tail(|tail| (tail.size, tail.next_offset));
        let file = segment.file()?;
        let end = if next_offset <= from {
            size
        } else {
            segment
                .find(file.as_ref(), from, size)?
                .map_or(size, |(position, _)| position)
        };
        let start = segment.boundary_before(end.saturating_sub(budget))?;
        let mut headers = Vec::new();
        let mut scan = HeaderScan::new(file.as_ref(), start, end);
        // Damage here would have been met by `replay`'s kind of walk when it was fresh; duplicates are then unknown.
        while let Ok(Some((_, header))) = scan.next() {
            if header.has_producer() {
                headers.push(header);
            }
        }
        for header in headers.iter().rev() {
            states.prepend(header);
        }
        budget = budget.saturating_sub(end - start);
        if budget == 0 {
            break;
        }
    }
    Ok(())
}
