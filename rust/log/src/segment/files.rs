//! What happens to the files of a segment as a whole: they are cut, renamed, given up.

use std::path::{Path, PathBuf};

use super::{DELETED_SUFFIX, Persisted, Segment, Tail, file_name};
use crate::env::LogEnv;
use crate::error::LogError;
use crate::file_pool::{PooledFile, rename_if_there};
use crate::index_file::{Index, IndexEntry};
use crate::offset_index::OffsetEntry;
use crate::scan::HeaderScan;
use crate::time_index::TimeEntry;

impl Segment {
    /// The sealed segment that is left of this one when only its first `size` bytes stay, which end before
    /// `next_offset`. Nothing is ever appended to the file again, so that a reader that has begun to send what is cut
    /// off meets the end of the file and never other batches.
    pub(crate) fn cut(&self, env: &LogEnv, size: u64, next_offset: i64, index_interval: u32) -> Result<Self, LogError> {
        let path = self.log.path();
        let failed = |error| LogError::io("cut", &path, error);
        let (mut offsets, mut times) = self.entries()?;
        let first_timestamp = self.with_tail(|tail| tail.first_timestamp);
        offsets.retain(|entry| u64::from(entry.position) < size);
        times.retain(|entry| self.base_offset + i64::from(entry.relative_offset) < next_offset);
        let mut tail = Tail::empty(self.base_offset);
        tail.size = offsets.last().map_or(0, |last| u64::from(last.position));
        if let Some(greatest) = times.last() {
            tail.max_timestamp = greatest.timestamp;
            tail.max_timestamp_offset = self.base_offset + i64::from(greatest.relative_offset);
        }
        tail.offsets = Index::Memory(offsets);
        tail.times = Index::Memory(times);
        let file = self.file()?;
        let mut scan = HeaderScan::new(file.as_ref(), tail.size, size);
        while let Some((_, header)) = scan.next().map_err(|error| self.scan_error(error))? {
            tail.push(self.base_offset, index_interval, &header);
        }
        tail.first_timestamp = first_timestamp;
        tail.next_offset = next_offset;
        file.set_len(size).map_err(failed)?;
        if !env.temporary {
            // What is cut off must not come back behind what will be appended.
            file.sync_data().map_err(failed)?;
        }
        let dir = path.parent().unwrap_or(Path::new(""));
        let segment = Self::new(env, dir, self.base_offset, self.created_ms, tail, Persisted::default());
        self.txn_index.truncate_to(next_offset)?;
        segment.txn_index.set_count(self.txn_index.count());
        segment.txn_index.mark_cut();
        segment.seal();
        segment.store_indexes()?;
        if !env.temporary {
            // The checkpoint may still be beyond the cut, so that the next start trusts them.
            segment.sync_indexes()?;
        }
        Ok(segment)
    }

    /// All index entries.
    fn entries(&self) -> Result<(Vec<OffsetEntry>, Vec<TimeEntry>), LogError> {
        let (offsets, times) = self.with_tail(|tail| (tail.offsets.copy(), tail.times.copy()));
        Ok((
            load_index(offsets, &self.offset_index)?,
            load_index(times, &self.time_index)?,
        ))
    }

    /// Gives every file the name of this segment's offset and kind with `suffix` behind it. The log comes last: as long
    /// as it has its old name, the next start does all of this again.
    pub(crate) fn rename_files(&self, suffix: &str) -> Result<(), LogError> {
        let path = self.log.path();
        let named = |kind: &str| path.with_file_name(file_name(self.base_offset, &format!("{kind}{suffix}")));
        let failed = |path: &Path, error| LogError::io("rename", path, error);
        for (file, kind) in [
            (&self.txn_index.file, ".txnindex"),
            (&self.time_index, ".timeindex"),
            (&self.offset_index, ".index"),
            (&self.log, ".log"),
        ] {
            file.rename(&named(kind)).map_err(|error| failed(&file.path(), error))?;
        }
        Ok(())
    }

    /// Renames the files to be deleted, with the producer snapshot, and returns their new names. The log goes first, so
    /// that no log without its indexes is left by a crash.
    pub(crate) fn retire(&self, env: &LogEnv) -> Result<Vec<PathBuf>, LogError> {
        let mut doomed = self.retire_log()?;
        doomed.extend(self.retire_indexes()?);
        let path = self.log.path().with_file_name(file_name(self.base_offset, ".snapshot"));
        let to = deleted_name(&path);
        let renamed = rename_if_there(env.storage.as_ref(), &path, &to);
        if renamed.map_err(|error| LogError::io("rename", &path, error))? {
            doomed.push(to);
        }
        Ok(doomed)
    }

    /// Renames the log file to be deleted.
    pub(crate) fn retire_log(&self) -> Result<Vec<PathBuf>, LogError> {
        retire_files(&[&self.log])
    }

    /// Renames the index files to be deleted.
    pub(crate) fn retire_indexes(&self) -> Result<Vec<PathBuf>, LogError> {
        retire_files(&[&self.offset_index, &self.time_index, &self.txn_index.file])
    }
}

/// Renames files to be deleted, and returns the new names of those that were there.
fn retire_files(files: &[&PooledFile]) -> Result<Vec<PathBuf>, LogError> {
    let mut doomed = Vec::new();
    for file in files {
        let path = file.path();
        let to = deleted_name(&path);
        if file.retire(&to).map_err(|error| LogError::io("rename", &path, error))? {
            doomed.push(to);
        }
    }
    Ok(doomed)
}

/// The name of a file that waits for its removal.
pub(crate) fn deleted_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(DELETED_SUFFIX);
    PathBuf::from(name)
}

fn load_index<E: IndexEntry>(index: Index<E>, file: &PooledFile) -> Result<Vec<E>, LogError> {
    match index {
        Index::Memory(entries) => Ok(entries),
        Index::File(sealed) => sealed
            .load(file)
            .map_err(|error| LogError::io("read", &file.path(), error)),
    }
}
