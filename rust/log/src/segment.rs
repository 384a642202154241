//! One segment: a log file, its two indexes, and what is published to readers about them.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use barnabas_records::BatchHeader;

use crate::config::LogConfig;
use crate::env::{LogEnv, lock, read, write};
use crate::error::LogError;
use crate::file_pool::PooledFile;
use crate::index_file::{Index, IndexEntry, SealedIndex, encode_entries};
use crate::offset_index::OffsetEntry;
use crate::scan::ScanError;
use crate::storage::StorageFile;
use crate::time_index::{self, TimeEntry};
use crate::txn_index::TxnIndex;

mod files;
mod search;

/// Name of a segment's file: the base offset with twenty digits, and a suffix with its dot.
pub(crate) fn file_name(base_offset: i64, suffix: &str) -> String {
    format!("{base_offset:020}{suffix}")
}

/// What readers may see of a segment. The appender changes all of it under one short lock, so that the size, the next
/// offset and the index always belong together.
#[derive(Debug)]
pub(crate) struct Tail {
    pub(crate) size: u64,
    /// One past the last offset; in a sealed segment the base offset of the next one.
    pub(crate) next_offset: i64,
    pub(crate) bytes_since_entry: u64,
    /// Greatest timestamp, -1 when there is none, and the last offset of the first batch that has it.
    pub(crate) max_timestamp: i64,
    pub(crate) max_timestamp_offset: i64,
    /// Greatest timestamp of the first batch, what `segment.ms` counts from.
    pub(crate) first_timestamp: Option<i64>,
    pub(crate) offsets: Index<OffsetEntry>,
    pub(crate) times: Index<TimeEntry>,
}

impl Tail {
    pub(crate) fn empty(base_offset: i64) -> Self {
        Self {
            size: 0,
            next_offset: base_offset,
            bytes_since_entry: 0,
            max_timestamp: -1,
            max_timestamp_offset: base_offset,
            first_timestamp: None,
            offsets: Index::Memory(Vec::new()),
            times: Index::Memory(Vec::new()),
        }
    }

    /// Takes in a batch that stands at the end, with the index entries that Kafka would write for it.
    pub(crate) fn push(&mut self, base_offset: i64, index_interval: u32, batch: &BatchHeader) {
        let last_offset = batch.last_offset();
        if batch.max_timestamp > self.max_timestamp {
            self.max_timestamp = batch.max_timestamp;
            self.max_timestamp_offset = last_offset;
        }
        if self.size == 0 {
            self.first_timestamp = Some(batch.max_timestamp);
        }
        if self.bytes_since_entry > u64::from(index_interval)
            && let (Ok(relative_offset), Ok(position)) =
                (u32::try_from(last_offset - base_offset), u32::try_from(self.size))
        {
            if let Index::Memory(entries) = &mut self.offsets {
                entries.push(OffsetEntry {
                    relative_offset,
                    position,
                });
            }
            self.push_time(base_offset);
            self.bytes_since_entry = 0;
        }
        let size = batch.size_in_bytes() as u64;
        self.size += size;
        self.bytes_since_entry += size;
        self.next_offset = last_offset + 1;
    }

    /// Adds the greatest timestamp so far to the time index.
    pub(crate) fn push_time(&mut self, base_offset: i64) {
        if let Ok(relative_offset) = u32::try_from(self.max_timestamp_offset - base_offset)
            && let Index::Memory(entries) = &mut self.times
        {
            time_index::push(
                entries,
                TimeEntry {
                    timestamp: self.max_timestamp,
                    relative_offset,
                },
            );
        }
    }
}

/// How many entries of the in-memory indexes stand in the files already.
#[derive(Debug, Default)]
pub(crate) struct Persisted {
    pub(crate) offsets: usize,
    pub(crate) times: usize,
}

/// One segment of a partition's log.
#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) base_offset: i64,
    /// When it was made or opened, what `segment.ms` counts from if records have no timestamps.
    pub(crate) created_ms: i64,
    log: PooledFile,
    offset_index: PooledFile,
    time_index: PooledFile,
    /// Aborted transactions whose markers stand here.
    pub(crate) txn_index: TxnIndex,
    tail: RwLock<Tail>,
    persisted: Mutex<Persisted>,
    /// Nothing is added any more; the indexes may still be in memory.
    sealed: AtomicBool,
    /// Written since the last sync.
    unsynced: AtomicBool,
    /// The file is longer than what stands in it (`preallocate`).
    preallocated: AtomicBool,
}

/// What the files of a segment are called when they wait for their removal.
pub(crate) const DELETED_SUFFIX: &str = ".deleted";
/// What they are called while compaction writes them,
pub(crate) const CLEANED_SUFFIX: &str = ".cleaned";
/// and when they are complete and take the place of others.
pub(crate) const SWAP_SUFFIX: &str = ".swap";

impl Segment {
    /// A segment whose files exist already and hold what `tail` and `persisted` say.
    pub(crate) fn new(
        env: &LogEnv,
        dir: &Path,
        base_offset: i64,
        created_ms: i64,
        tail: Tail,
        persisted: Persisted,
    ) -> Self {
        Self::named(env, dir, base_offset, created_ms, (tail, persisted), "")
    }

    /// As [`new`](Self::new), with names that end in `suffix`.
    fn named(
        env: &LogEnv,
        dir: &Path,
        base_offset: i64,
        created_ms: i64,
        (tail, persisted): (Tail, Persisted),
        suffix: &str,
    ) -> Self {
        let file = |kind| PooledFile::new(&env.files, dir.join(file_name(base_offset, kind) + suffix));
        let sealed = matches!(tail.offsets, Index::File(_));
        Self {
            base_offset,
            created_ms,
            log: file(".log"),
            offset_index: file(".index"),
            time_index: file(".timeindex"),
            txn_index: TxnIndex::new(file(".txnindex"), 0),
            sealed: AtomicBool::new(sealed),
            tail: RwLock::new(tail),
            persisted: Mutex::new(persisted),
            unsynced: AtomicBool::new(false),
            preallocated: AtomicBool::new(false),
        }
    }

    /// Makes the log file of a new, empty segment. The index files appear when there is something to write to them.
    pub(crate) fn create(
        env: &LogEnv,
        dir: &Path,
        base_offset: i64,
        config: &LogConfig,
        now_ms: i64,
    ) -> Result<Self, LogError> {
        let segment = Self::new(
            env,
            dir,
            base_offset,
            now_ms,
            Tail::empty(base_offset),
            Persisted::default(),
        );
        let failed = |error| LogError::io("create", &segment.log.path(), error);
        let file = segment.log.get_or_create().map_err(failed)?;
        if file.len().map_err(failed)? > 0 {
            file.set_len(0).map_err(failed)?;
        }
        if config.preallocate {
            file.set_len(config.segment_bytes).map_err(failed)?;
            segment.preallocated.store(true, Ordering::Release);
        }
        segment.unsynced.store(true, Ordering::Release);
        Ok(segment)
    }

    /// Makes the files of a segment that compaction is to fill. No log has it yet.
    pub(crate) fn create_cleaned(
        env: &LogEnv,
        dir: &Path,
        base_offset: i64,
        created_ms: i64,
    ) -> Result<Self, LogError> {
        let state = (Tail::empty(base_offset), Persisted::default());
        let segment = Self::named(env, dir, base_offset, created_ms, state, CLEANED_SUFFIX);
        segment.remove_files(env)?;
        let created = segment.log.get_or_create();
        created.map_err(|error| LogError::io("create", &segment.log.path(), error))?;
        Ok(segment)
    }

    /// Says where the segment ends, in a log that has gaps: at the next one's base offset.
    pub(crate) fn set_next_offset(&self, next_offset: i64) {
        write(&self.tail).next_offset = next_offset;
    }

    /// Removes whatever files there are under the segment's names.
    pub(crate) fn remove_files(&self, env: &LogEnv) -> Result<(), LogError> {
        for file in [&self.log, &self.offset_index, &self.time_index, &self.txn_index.file] {
            file.close();
            let path = file.path();
            match env.storage.remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(LogError::io("remove", &path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn log_path(&self) -> Arc<Path> {
        self.log.path()
    }

    pub(crate) fn file(&self) -> Result<Arc<dyn StorageFile>, LogError> {
        self.log
            .get()
            .map_err(|error| LogError::io("open", &self.log.path(), error))
    }

    /// Looks at what is published.
    pub(crate) fn with_tail<T>(&self, look: impl FnOnce(&Tail) -> T) -> T {
        look(&read(&self.tail))
    }

    pub(crate) fn size(&self) -> u64 {
        self.with_tail(|tail| tail.size)
    }

    /// When its newest record was written, by the records' own times, else by the time when it was made or opened.
    pub(crate) fn newest_record_ms(&self) -> i64 {
        match self.with_tail(|tail| tail.max_timestamp) {
            timestamp if timestamp >= 0 => timestamp,
            _ => self.created_ms,
        }
    }

    pub(crate) fn is_unsynced(&self) -> bool {
        self.unsynced.load(Ordering::Acquire)
    }

    /// Whether batches may still be added, because it is the last one.
    pub(crate) fn is_active(&self) -> bool {
        !self.sealed.load(Ordering::Acquire)
    }

    /// Whether its indexes are in memory: it is active, or was sealed and [`store_indexes`](Self::store_indexes) is due.
    fn is_indexed_in_memory(&self) -> bool {
        self.with_tail(|tail| matches!(tail.offsets, Index::Memory(_)))
    }

    pub(crate) fn mark_unsynced(&self) {
        self.unsynced.store(true, Ordering::Release);
    }

    /// Writes `bytes`, which are `batches`, to the end and publishes them. After an error the file has its old length,
    /// or the caller is told in the error.
    pub(crate) fn append(&self, bytes: &[u8], batches: &[BatchHeader], index_interval: u32) -> Result<(), LogError> {
        let size = self.size();
        let file = self.file()?;
        // Before the write, so that a flush that follows it cannot miss it.
        self.mark_unsynced();
        if let Err(error) = file.write_all_at(bytes, size) {
            // Best effort: if this fails too, recovery cuts the partial batch.
            let _ = file.set_len(size);
            return Err(LogError::io("append to", &self.log.path(), error));
        }
        // And behind it: a flush in between has cleared the mark and synced less.
        self.mark_unsynced();
        let mut tail = write(&self.tail);
        for batch in batches {
            tail.push(self.base_offset, index_interval, batch);
        }
        Ok(())
    }

    /// Writes the index entries that the files lack; `complete` also notes the greatest timestamp so far, as Kafka
    /// does when it rolls or closes a segment.
    pub(crate) fn persist_indexes(&self, complete: bool) -> Result<(), LogError> {
        let mut persisted = lock(&self.persisted);
        if complete {
            write(&self.tail).push_time(self.base_offset);
        }
        let (offsets, times, in_memory) = self.with_tail(|tail| {
            let (offsets, times) = (tail.offsets.memory(), tail.times.memory());
            (
                encode_entries(offsets.get(persisted.offsets..).unwrap_or_default()),
                encode_entries(times.get(persisted.times..).unwrap_or_default()),
                matches!(tail.offsets, Index::Memory(_)),
            )
        });
        if !in_memory {
            return Ok(());
        }
        persisted.offsets += write_entries::<OffsetEntry>(&self.offset_index, &offsets, persisted.offsets)?;
        persisted.times += write_entries::<TimeEntry>(&self.time_index, &times, persisted.times)?;
        Ok(())
    }

    /// Whether the index files have all entries. They lack some that an opening has added, or an append.
    pub(crate) fn is_persisted(&self) -> bool {
        let persisted = lock(&self.persisted);
        self.with_tail(|tail| (tail.offsets.len(), tail.times.len()) == (persisted.offsets, persisted.times))
    }

    /// Gives a preallocated file its own length.
    pub(crate) fn trim(&self) -> Result<(), LogError> {
        if self.preallocated.swap(false, Ordering::AcqRel) {
            self.mark_unsynced();
            self.file()?
                .set_len(self.size())
                .map_err(|error| LogError::io("trim", &self.log.path(), error))?;
        }
        Ok(())
    }

    /// Ends the segment: nothing is added from here on. This is all that a roll does to it under the append lock; its
    /// indexes stay in memory until [`store_indexes`](Self::store_indexes).
    pub(crate) fn seal(&self) {
        write(&self.tail).push_time(self.base_offset);
        // In this order: a flush that sees the segment as sealed stores its indexes, one that does not sees it as
        // unsynced again.
        self.sealed.store(true, Ordering::Release);
        self.mark_unsynced();
    }

    /// Moves the indexes of a sealed segment from memory to their files; harmless otherwise. Not durable: see
    /// [`sync`](Self::sync).
    pub(crate) fn store_indexes(&self) -> Result<(), LogError> {
        if self.is_active() || !self.is_indexed_in_memory() {
            return Ok(());
        }
        self.trim()?;
        self.persist_indexes(true)?;
        let _persisted = lock(&self.persisted);
        let mut tail = write(&self.tail);
        if let Index::Memory(entries) = &tail.offsets {
            tail.offsets = Index::File(Arc::new(SealedIndex::of(entries)));
        }
        if let Index::Memory(entries) = &tail.times {
            tail.times = Index::File(Arc::new(SealedIndex::of(entries)));
        }
        Ok(())
    }

    /// Makes everything written before the call durable. The indexes of an active segment are left out: they are in
    /// memory, and after a crash they are built anew from the log.
    pub(crate) fn sync(&self) -> Result<(), LogError> {
        if !self.unsynced.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        sync_file(&self.log)?;
        self.txn_index.sync()?;
        if !self.is_active() {
            self.store_indexes()?;
            self.sync_indexes()?;
        }
        Ok(())
    }

    /// Makes the index files durable as they stand.
    pub(crate) fn sync_indexes(&self) -> Result<(), LogError> {
        sync_file(&self.offset_index)?;
        sync_file(&self.time_index)
    }

    /// Lets go of the open files; holders of a [`ReadSlice`] keep theirs.
    pub(crate) fn close_files(&self) {
        for file in [&self.log, &self.offset_index, &self.time_index, &self.txn_index.file] {
            file.close();
        }
    }

    pub(crate) fn scan_error(&self, error: ScanError) -> LogError {
        match error {
            ScanError::Io(error) => LogError::io("read", &self.log.path(), error),
            ScanError::Bad { position, reason } => LogError::Damaged {
                path: self.log.path().to_path_buf(),
                position,
                reason,
            },
        }
    }
}

fn sync_file(file: &PooledFile) -> Result<(), LogError> {
    file.get()
        .and_then(|open| open.sync_data())
        .map_err(|error| LogError::io("flush", &file.path(), error))
}

/// Appends encoded entries behind the first `count`, creating the file, and returns how many they are.
fn write_entries<E: IndexEntry>(file: &PooledFile, bytes: &[u8], count: usize) -> Result<usize, LogError> {
    let write = || -> io::Result<()> {
        let open = file.get_or_create()?;
        let position = (count * E::LEN) as u64;
        if open.len()? > position {
            // Entries of an index that recovery found wrong.
            open.set_len(position)?;
        }
        if bytes.is_empty() {
            Ok(())
        } else {
            open.write_all_at(bytes, position)
        }
    };
    write().map_err(|error| LogError::io("write index", &file.path(), error))?;
    Ok(bytes.len() / E::LEN)
}
