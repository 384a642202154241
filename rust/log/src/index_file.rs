//! Sparse index files: fixed-size entries, searched by one small read.

use std::fmt::Debug;
use std::io;
use std::sync::OnceLock;

use crate::file_pool::PooledFile;

/// An entry of an offset index or a time index.
pub(crate) trait IndexEntry: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// Bytes of an entry on disk.
    const LEN: usize;
    /// Reads an entry from exactly `LEN` bytes.
    fn decode(bytes: &[u8]) -> Option<Self>;
    /// Appends `LEN` bytes.
    fn encode(&self, out: &mut Vec<u8>);
}

/// Entries that one read of a search takes in: less to copy, at 8 KiB of memory per full GiB of log.
const BLOCK_ENTRIES: usize = 256;
const ENTRY_LEN_MAX: usize = 12;

/// The index of a sealed segment. Only every 256th entry is kept in memory.
#[derive(Debug)]
pub(crate) struct SealedIndex<E> {
    count: usize,
    fence: OnceLock<Vec<E>>,
}

impl<E: IndexEntry> SealedIndex<E> {
    /// An index whose file holds exactly `entries`.
    pub(crate) fn of(entries: &[E]) -> Self {
        let fence = OnceLock::from(entries.iter().step_by(BLOCK_ENTRIES).copied().collect::<Vec<_>>());
        Self {
            count: entries.len(),
            fence,
        }
    }

    /// An index whose file holds `count` entries; they are read when they are first needed.
    pub(crate) fn on_disk(count: usize) -> Self {
        Self {
            count,
            fence: OnceLock::new(),
        }
    }

    /// The last entry for which `holds`; it must hold for a prefix of the entries.
    pub(crate) fn floor(&self, file: &PooledFile, holds: impl Fn(&E) -> bool) -> io::Result<Option<E>> {
        if self.count == 0 {
            return Ok(None);
        }
        let fence = self.fence(file)?;
        let Some(block) = fence.partition_point(&holds).checked_sub(1) else {
            return Ok(None);
        };
        let start = block * BLOCK_ENTRIES;
        let count = BLOCK_ENTRIES.min(self.count - start);
        let mut buffer = [0; BLOCK_ENTRIES * ENTRY_LEN_MAX];
        let bytes = buffer.get_mut(..count * E::LEN).unwrap_or_default();
        file.get()?.read_exact_at(bytes, (start * E::LEN) as u64)?;
        // `low` entries are known to hold, the entry at `high` is known not to.
        let (mut low, mut high) = (0, count);
        let mut found = None;
        while low < high {
            let middle = low + (high - low) / 2;
            match entry_at::<E>(bytes, middle) {
                Some(entry) if holds(&entry) => {
                    found = Some(entry);
                    low = middle + 1;
                }
                _ => high = middle,
            }
        }
        Ok(found)
    }

    /// All entries, read from the file.
    pub(crate) fn load(&self, file: &PooledFile) -> io::Result<Vec<E>> {
        let mut bytes = vec![0; self.count * E::LEN];
        if !bytes.is_empty() {
            file.get()?.read_exact_at(&mut bytes, 0)?;
        }
        Ok(decode_entries(&bytes))
    }

    fn fence(&self, file: &PooledFile) -> io::Result<&[E]> {
        if let Some(fence) = self.fence.get() {
            return Ok(fence);
        }
        let file = file.get()?;
        let mut fence = Vec::with_capacity(self.count.div_ceil(BLOCK_ENTRIES));
        for index in (0..self.count).step_by(BLOCK_ENTRIES) {
            let mut bytes = [0; ENTRY_LEN_MAX];
            let bytes = bytes.get_mut(..E::LEN).unwrap_or_default();
            file.read_exact_at(bytes, (index * E::LEN) as u64)?;
            fence.extend(E::decode(bytes));
        }
        Ok(self.fence.get_or_init(|| fence))
    }
}

fn entry_at<E: IndexEntry>(bytes: &[u8], index: usize) -> Option<E> {
    E::decode(bytes.get(index * E::LEN..(index + 1) * E::LEN)?)
}

/// The entries of an active segment in memory, those of a sealed one in its file.
#[derive(Debug)]
pub(crate) enum Index<E> {
    Memory(Vec<E>),
    File(std::sync::Arc<SealedIndex<E>>),
}

impl<E: IndexEntry> Index<E> {
    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Memory(entries) => entries.len(),
            Self::File(sealed) => sealed.count,
        }
    }

    pub(crate) fn copy(&self) -> Self {
        match self {
            Self::Memory(entries) => Self::Memory(entries.clone()),
            Self::File(sealed) => Self::File(std::sync::Arc::clone(sealed)),
        }
    }

    pub(crate) fn memory(&self) -> &[E] {
        match self {
            Self::Memory(entries) => entries,
            Self::File(_) => &[],
        }
    }
}

/// Bytes of `entries` as they stand in the file.
pub(crate) fn encode_entries<E: IndexEntry>(entries: &[E]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * E::LEN);
    for entry in entries {
        entry.encode(&mut bytes);
    }
    bytes
}

/// Entries of a whole index file; a partial entry at the end is left out.
pub(crate) fn decode_entries<E: IndexEntry>(bytes: &[u8]) -> Vec<E> {
    bytes.chunks_exact(E::LEN).filter_map(E::decode).collect()
}
