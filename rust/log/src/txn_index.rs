//! Aborted transactions of one segment: its `.txnindex` file, in Kafka's bytes.
//!
//! There is an entry for each ABORT marker that stands in the segment and ended a transaction with records, in the
//! order of the markers. The file appears with its first entry. It is read where it is asked for: few reads are
//! `read_committed` ones of logs with aborted transactions, and the page cache holds the file.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::LogError;
use crate::file_pool::PooledFile;

/// A transaction that was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbortedTransaction {
    /// The producer.
    pub producer_id: i64,
    /// Offset of the transaction's first record.
    pub first_offset: i64,
    /// Offset of the ABORT marker.
    pub last_offset: i64,
    /// The last stable offset once the marker was appended: first offset of the oldest transaction that was open then,
    /// or what follows the marker.
    pub last_stable_offset: i64,
}

const VERSION: i16 = 0;

impl AbortedTransaction {
    /// Bytes of an entry on disk.
    pub(crate) const LEN: usize = 34;

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&VERSION.to_be_bytes());
        for field in [
            self.producer_id,
            self.first_offset,
            self.last_offset,
            self.last_stable_offset,
        ] {
            out.extend_from_slice(&field.to_be_bytes());
        }
    }

    /// Reads an entry; `None` when it is none, or one of a newer version.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (version, mut rest) = bytes.split_first_chunk::<2>()?;
        let mut field = || {
            let (field, behind) = rest.split_first_chunk::<8>()?;
            rest = behind;
            Some(i64::from_be_bytes(*field))
        };
        let entry = Self {
            producer_id: field()?,
            first_offset: field()?,
            last_offset: field()?,
            last_stable_offset: field()?,
        };
        (i16::from_be_bytes(*version) == VERSION).then_some(entry)
    }
}

/// Entries that one read takes in.
const CHUNK_ENTRIES: u64 = 256;

/// The `.txnindex` file of a segment.
#[derive(Debug)]
pub(crate) struct TxnIndex {
    pub(crate) file: PooledFile,
    /// Entries that readers may see.
    count: AtomicU64,
    /// Entries were dropped since the last sync: unsynced, they would come back and abort what took their place.
    is_cut: AtomicBool,
}

impl TxnIndex {
    /// An index whose file holds `count` entries; with 0 there need not be a file.
    pub(crate) fn new(file: PooledFile, count: u64) -> Self {
        Self {
            file,
            count: AtomicU64::new(count),
            is_cut: AtomicBool::new(false),
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Says what the file holds, while nobody else knows the segment.
    pub(crate) fn set_count(&self, count: u64) {
        self.count.store(count, Ordering::Release);
    }

    /// Says that the file, if there is one, was cut and not synced.
    pub(crate) fn mark_cut(&self) {
        self.is_cut.store(true, Ordering::Release);
    }

    /// Adds an entry. Called under the append lock, or while nobody else knows the segment.
    pub(crate) fn append(&self, entry: &AbortedTransaction) -> Result<(), LogError> {
        let count = self.count();
        let mut bytes = Vec::with_capacity(AbortedTransaction::LEN);
        entry.encode(&mut bytes);
        self.file
            .get_or_create()
            .and_then(|file| file.write_all_at(&bytes, count * AbortedTransaction::LEN as u64))
            .map_err(|error| self.failed("write", error))?;
        self.count.store(count + 1, Ordering::Release);
        Ok(())
    }

    /// Calls `visit` with each entry in order, until it returns false.
    pub(crate) fn visit(&self, mut visit: impl FnMut(AbortedTransaction) -> bool) -> Result<(), LogError> {
        let count = self.count();
        if count == 0 {
            return Ok(());
        }
        let file = self.file.get().map_err(|error| self.failed("open", error))?;
        let len = AbortedTransaction::LEN as u64;
        let mut buffer = Vec::new();
        let mut next = 0;
        while next < count {
            let entries = CHUNK_ENTRIES.min(count - next);
            buffer.resize(usize::try_from(entries * len).unwrap_or(0), 0);
            file.read_exact_at(&mut buffer, next * len)
                .map_err(|error| self.failed("read", error))?;
            for (index, bytes) in buffer.chunks_exact(AbortedTransaction::LEN).enumerate() {
                let Some(entry) = AbortedTransaction::decode(bytes) else {
                    return Err(LogError::Damaged {
                        path: self.file.path().to_path_buf(),
                        position: next * len + (index * AbortedTransaction::LEN) as u64,
                        reason: "no entry of a transaction index".to_owned(),
                    });
                };
                if !visit(entry) {
                    return Ok(());
                }
            }
            next += entries;
        }
        Ok(())
    }

    /// Drops all entries; the file has `len` bytes.
    pub(crate) fn clear(&self, len: u64) -> Result<(), LogError> {
        self.set_count(0);
        if len == 0 {
            return Ok(());
        }
        self.mark_cut();
        self.file
            .get()
            .and_then(|file| file.set_len(0))
            .map_err(|error| self.failed("cut", error))
    }

    /// Drops the entries of markers at `offset` or behind it.
    pub(crate) fn truncate_to(&self, offset: i64) -> Result<(), LogError> {
        let mut kept = 0;
        self.visit(|entry| {
            kept += u64::from(entry.last_offset < offset);
            entry.last_offset < offset
        })?;
        if kept == self.count() {
            return Ok(());
        }
        self.count.store(kept, Ordering::Release);
        self.mark_cut();
        self.file
            .get()
            .and_then(|file| file.set_len(kept * AbortedTransaction::LEN as u64))
            .map_err(|error| self.failed("cut", error))
    }

    /// Makes the entries durable.
    pub(crate) fn sync(&self) -> Result<(), LogError> {
        let is_cut = self.is_cut.swap(false, Ordering::AcqRel);
        if self.count() == 0 && !is_cut {
            return Ok(());
        }
        match self.file.get().and_then(|file| file.sync_data()) {
            Err(error) if is_cut && error.kind() == io::ErrorKind::NotFound => Ok(()),
            outcome => outcome.map_err(|error| self.failed("flush", error)),
        }
    }

    fn failed(&self, action: &'static str, error: io::Error) -> LogError {
        LogError::io(action, &self.file.path(), error)
    }
}
