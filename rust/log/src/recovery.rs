//! Opening a partition directory: what is trusted, what is validated, what is cut and what is built anew.
//!
//! After a clean shutdown the files are trusted, but for checks that cost one read each. Otherwise every segment that
//! reaches beyond the recovery point is read in full: the log ends before the first batch that is torn, zero-filled,
//! CRC-bad or out of order, and the indexes of those segments are built anew. A segment whose index is missing or does
//! not fit is indexed again in any case. Opening twice changes nothing the second time.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::config::LogConfig;
use crate::env::LogEnv;
use crate::epoch_cache::{self, EpochCache};
use crate::error::LogError;
use crate::leftovers::{self, parse_file_name};
use crate::partition_log::OpenContext;
use crate::producer_recovery::ProducerRecovery;
use crate::producer_state::{CompletedTransaction, ProducerStates};
use crate::segment::{Persisted, Segment, file_name};
use crate::segment_walk::Walked;
use crate::storage::{OpenMode, StorageFile};
use crate::truncation;
use crate::txn_index::AbortedTransaction;

/// What was found in a partition directory.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) dir_exists: bool,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) epochs: EpochCache,
    pub(crate) producers: ProducerStates,
    /// See [`look_back`](crate::producer_recovery::look_back).
    pub(crate) look_back_from: Option<i64>,
    /// Transactions that ended in what was read again.
    pub(crate) completed: Vec<CompletedTransaction>,
    /// Offset of the newest producer snapshot, -1 when there is none.
    pub(crate) snapshot_offset: i64,
    pub(crate) log_start_offset: i64,
    pub(crate) log_end_offset: i64,
    pub(crate) recovery_point: i64,
}

/// Greatest `leader-epoch-checkpoint` that is read.
const EPOCH_FILE_BYTES_MAX: usize = 16 << 20;

/// Files of a partition directory by kind.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) logs: BTreeMap<i64, u64>,
    pub(crate) offset_indexes: BTreeMap<i64, u64>,
    pub(crate) time_indexes: BTreeMap<i64, u64>,
    pub(crate) txn_indexes: BTreeMap<i64, u64>,
    pub(crate) snapshots: Vec<i64>,
}

/// Opens what `dir` holds; see the module's text.
pub(crate) fn recover(
    env: &LogEnv,
    dir: &Path,
    config: &LogConfig,
    context: &OpenContext,
) -> Result<Recovered, LogError> {
    let start = context.log_start_offset.max(0);
    let storage = env.storage.as_ref();
    let Some(mut names) = leftovers::file_names(storage, dir)? else {
        return Ok(Recovered::empty(start));
    };
    let mut recovery = Recovery {
        env,
        dir,
        config,
        now_ms: context.now_ms,
        recovery_point: context.recovery_point,
        changed: false,
        cleaned_offset: context.cleaned_offset,
        replaced: BTreeSet::new(),
        compacted: Cell::new(config.compact),
        gap_behind: Cell::new(None),
        loss_behind: Cell::new(None),
        txn_indexes_void: RefCell::default(),
    };
    if truncation::complete(env, dir, &names)? {
        names = leftovers::file_names(storage, dir)?.unwrap_or_default();
    }
    let cleared = leftovers::clear(env, dir, &names)?;
    if cleared.has_changed {
        recovery.changed = true;
        names = leftovers::file_names(storage, dir)?.unwrap_or_default();
    }
    recovery.compacted.set(config.compact || cleared.is_compacted);
    recovery.replaced = cleared.replaced;
    let listing = recovery.list(&names)?;
    let mut recovered = recovery.open_log(&listing, context)?;
    if recovery.changed {
        // A removed segment that came back after a power failure would be taken for a part of the log.
        env.sync_dir(dir)?;
    }
    let producers = ProducerRecovery {
        env,
        dir,
        segments: &recovered.segments,
        txn_indexes_void: &recovery.txn_indexes_void.take(),
        config,
        now_ms: context.now_ms,
    }
    .recover(listing.snapshots, recovered.log_end_offset)?;
    recovered.producers = producers.states;
    recovered.snapshot_offset = producers.snapshot_offset;
    recovered.look_back_from = producers.look_back_from;
    recovered.completed = producers.completed;
    recovered.recovery_point = context
        .recovery_point
        .clamp(recovered.log_start_offset, recovered.log_end_offset);
    Ok(recovered)
}

impl Recovered {
    fn empty(start: i64) -> Self {
        Self {
            dir_exists: false,
            segments: Vec::new(),
            epochs: EpochCache::default(),
            producers: ProducerStates::default(),
            look_back_from: None,
            completed: Vec::new(),
            snapshot_offset: -1,
            log_start_offset: start,
            log_end_offset: start,
            recovery_point: start,
        }
    }
}

#[expect(clippy::struct_field_names, reason = "the recovery point is Kafka's word")]
pub(crate) struct Recovery<'a> {
    pub(crate) env: &'a LogEnv,
    dir: &'a Path,
    pub(crate) config: &'a LogConfig,
    now_ms: i64,
    /// Offsets below this were flushed.
    recovery_point: i64,
    /// Files were removed or renamed.
    changed: bool,
    /// Compaction has been through what lies below,
    pub(crate) cleaned_offset: i64,
    /// and through the segments at these offsets, whose originals were still there.
    pub(crate) replaced: BTreeSet<i64>,
    /// Something says that the log is compacted: gaps between offsets are then no sign of loss.
    pub(crate) compacted: Cell<bool>,
    /// The first validated segment whose last offsets are missing,
    pub(crate) gap_behind: Cell<Option<i64>>,
    /// and the first such segment that compaction cannot have written.
    pub(crate) loss_behind: Cell<Option<i64>>,
    /// Base offsets of segments whose transaction indexes have to be built anew from the log.
    txn_indexes_void: RefCell<BTreeSet<i64>>,
}

impl Recovery<'_> {
    fn list(&mut self, names: &[String]) -> Result<Listing, LogError> {
        let mut listing = Listing::default();
        let storage = self.env.storage.as_ref();
        for name in names {
            let Some((offset, suffix)) = parse_file_name(name) else {
                continue;
            };
            let lens = match suffix {
                ".log" => &mut listing.logs,
                ".index" => &mut listing.offset_indexes,
                ".timeindex" => &mut listing.time_indexes,
                ".txnindex" => &mut listing.txn_indexes,
                ".snapshot" => {
                    listing.snapshots.push(offset);
                    continue;
                }
                _ => continue,
            };
            let path = self.dir.join(name);
            let len = storage
                .file_len(&path)
                .map_err(|error| LogError::io("look at", &path, error))?;
            lens.insert(offset, len);
        }
        let indexes = [&listing.offset_indexes, &listing.time_indexes, &listing.txn_indexes];
        for offset in indexes.into_iter().flat_map(BTreeMap::keys) {
            if !listing.logs.contains_key(offset) {
                self.remove_segment(*offset)?;
            }
        }
        Ok(listing)
    }

    /// Segments, leader epochs, start and end.
    fn open_log(&mut self, listing: &Listing, context: &OpenContext) -> Result<Recovered, LogError> {
        let start = context.log_start_offset.max(0);
        let stored_epochs = self.load_epochs()?;
        // Without the epochs nothing can be trusted: they are in the log, so read all of it.
        let trusted_below = match (&stored_epochs, context.clean_shutdown) {
            (None, _) => 0,
            (Some(_), true) => i64::MAX,
            (Some(_), false) => context.recovery_point,
        };
        let mut epochs = stored_epochs.unwrap_or_default();
        let mut segments = self.open_segments(listing, trusted_below, &mut epochs)?;

        let log_start_offset = segments.first().map_or(start, |segment| segment.base_offset.max(start));
        let mut log_end_offset = segments
            .last()
            .map_or(start, |segment| segment.with_tail(|tail| tail.next_offset));
        if log_end_offset < log_start_offset {
            // Everything that the crash left lies before the log's start: nothing of it may be read again.
            for segment in std::mem::take(&mut segments) {
                self.remove_segment(segment.base_offset)?;
            }
            for offset in &listing.snapshots {
                self.remove_segment(*offset)?;
            }
            log_end_offset = log_start_offset;
        }
        epochs.truncate_from_end(log_end_offset);
        epochs.truncate_from_start(log_start_offset);
        Ok(Recovered {
            dir_exists: true,
            segments,
            epochs,
            log_start_offset,
            log_end_offset,
            ..Recovered::empty(start)
        })
    }

    fn load_epochs(&self) -> Result<Option<EpochCache>, LogError> {
        let path = self.dir.join(epoch_cache::FILE_NAME);
        match self.env.storage.read_whole(&path, EPOCH_FILE_BYTES_MAX) {
            Ok(bytes) => Ok(std::str::from_utf8(&bytes).ok().and_then(EpochCache::parse)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LogError::io("read", &path, error)),
        }
    }

    fn open_segments(
        &mut self,
        listing: &Listing,
        trusted_below: i64,
        epochs: &mut EpochCache,
    ) -> Result<Vec<Arc<Segment>>, LogError> {
        let mut segments = Vec::with_capacity(listing.logs.len());
        let mut logs = listing.logs.iter().peekable();
        while let Some((&base_offset, &len)) = logs.next() {
            let next_base = logs.peek().map(|(base, _)| **base);
            let (segment, cut) = self.open_segment(base_offset, len, next_base, trusted_below, listing, epochs)?;
            segments.push(Arc::new(segment));
            if cut {
                for (later, _) in logs.by_ref() {
                    log::warn!(
                        "{}: removing the segment at {later}, behind a bad batch",
                        self.dir.display()
                    );
                    self.remove_segment(*later)?;
                }
            }
        }
        let gap_behind = if self.compacted.get() {
            &self.loss_behind
        } else {
            &self.gap_behind
        };
        if let Some(base_offset) = gap_behind.get() {
            self.end_at_gap(base_offset, &mut segments, listing, epochs)?;
        }
        Ok(segments)
    }

    /// The end of a segment never reached the disk, the next segment did: the log ends at the gap, so that what is
    /// left is what was appended first. A compacted log has such gaps by right, see [`note_gap`](Self::note_gap).
    fn end_at_gap(
        &mut self,
        base_offset: i64,
        segments: &mut Vec<Arc<Segment>>,
        listing: &Listing,
        epochs: &mut EpochCache,
    ) -> Result<(), LogError> {
        let kept = segments.partition_point(|segment| segment.base_offset < base_offset);
        for later in segments.drain(kept..).skip(1) {
            log::warn!(
                "{}: removing the segment at {}, behind a gap in the offsets",
                self.dir.display(),
                later.base_offset
            );
            self.remove_segment(later.base_offset)?;
        }
        let len = listing.logs.get(&base_offset).copied().unwrap_or(0);
        let (last, _) = self.open_segment(base_offset, len, None, 0, listing, epochs)?;
        segments.push(Arc::new(last));
        Ok(())
    }

    fn open_segment(
        &self,
        base_offset: i64,
        len: u64,
        next_base: Option<i64>,
        trusted_below: i64,
        listing: &Listing,
        epochs: &mut EpochCache,
    ) -> Result<(Segment, bool), LogError> {
        let trusted = trusted_below == i64::MAX || next_base.is_some_and(|next| next <= trusted_below);
        let segment = |tail, persisted| Segment::new(self.env, self.dir, base_offset, self.now_ms, tail, persisted);
        if trusted {
            let index_len = |lens: &BTreeMap<i64, u64>| lens.get(&base_offset).copied().unwrap_or(0);
            let lens = (index_len(&listing.offset_indexes), index_len(&listing.time_indexes));
            let opened = match next_base {
                Some(next_base) => self.trust_sealed(base_offset, len, next_base, lens)?,
                None => self.trust_active(base_offset, len, lens)?,
            };
            if let Some((tail, persisted)) = opened {
                let segment = segment(tail, persisted);
                self.trust_txn_index(&segment, listing.txn_indexes.get(&base_offset).copied())?;
                return Ok((segment, false));
            }
        }
        let Walked { tail, cut, has_markers } = self.walk((base_offset, len), next_base, trusted, listing, epochs)?;
        // The index files may hold anything: they are written anew from the first entry on.
        let segment = segment(tail, Persisted::default());
        let txn_index_len = listing.txn_indexes.get(&base_offset).copied();
        if trusted {
            self.trust_txn_index(&segment, txn_index_len)?;
        } else {
            self.void_txn_index(&segment, has_markers, txn_index_len)?;
        }
        segment.mark_unsynced();
        if next_base.is_some() && !cut {
            segment.seal();
            segment.store_indexes()?;
            if next_base.is_some_and(|next| next <= self.recovery_point) && !self.env.temporary {
                // No flush looks at it again.
                segment.sync()?;
            }
        }
        Ok((segment, cut))
    }

    /// Takes the transaction index of a segment as it is, unless it cannot be right.
    fn trust_txn_index(&self, segment: &Segment, len: Option<u64>) -> Result<(), LogError> {
        let entry_len = AbortedTransaction::LEN as u64;
        let len = len.unwrap_or(0);
        segment.txn_index.set_count(len / entry_len);
        let mut is_sound = len.is_multiple_of(entry_len);
        if is_sound {
            let range = segment.base_offset..segment.with_tail(|tail| tail.next_offset);
            let visited = segment.txn_index.visit(|entry| {
                is_sound = range.contains(&entry.last_offset) && entry.first_offset <= entry.last_offset;
                is_sound
            });
            match visited {
                Err(LogError::Damaged { .. }) => is_sound = false,
                outcome => outcome?,
            }
        }
        if is_sound {
            return Ok(());
        }
        log::warn!(
            "{}: the transaction index of the segment at {} is built anew",
            self.dir.display(),
            segment.base_offset
        );
        self.void_txn_index(segment, true, Some(len))
    }

    /// Empties the transaction index of a segment; if there are markers it is filled again from the log.
    fn void_txn_index(&self, segment: &Segment, has_markers: bool, len: Option<u64>) -> Result<(), LogError> {
        segment.txn_index.clear(len.unwrap_or(0))?;
        if len == Some(0) {
            // A process that was killed may have cut it, and what it cut off may still be on disk.
            segment.txn_index.mark_cut();
        }
        if has_markers {
            self.txn_indexes_void.borrow_mut().insert(segment.base_offset);
        } else {
            self.txn_indexes_void.borrow_mut().remove(&segment.base_offset);
        }
        Ok(())
    }

    fn remove_segment(&mut self, base_offset: i64) -> Result<(), LogError> {
        self.changed = true;
        for suffix in [".log", ".index", ".timeindex", ".txnindex", ".snapshot"] {
            let path = self.path(base_offset, suffix);
            match self.env.storage.remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(LogError::io("remove", &path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn open_log_file(&self, base_offset: i64) -> Result<Arc<dyn StorageFile>, LogError> {
        let path = self.path(base_offset, ".log");
        self.env
            .storage
            .open(&path, OpenMode::Write)
            .map_err(|error| LogError::io("open", &path, error))
    }

    pub(crate) fn path(&self, base_offset: i64, suffix: &str) -> PathBuf {
        self.dir.join(file_name(base_offset, suffix))
    }
}
