//! A bounded pool of open files: a file is opened when it is needed and closed when too many others were used since.
//!
//! Taking an open file costs one uncontended lock of its own slot; the pool's lock is taken only to open one.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::env::lock;
use crate::storage::{OpenMode, Storage, StorageFile};

/// Keeps at most `capacity` files open, plus those that somebody holds.
#[derive(Debug)]
pub(crate) struct FilePool {
    storage: Arc<dyn Storage>,
    capacity: usize,
    clock: AtomicU64,
    open: Mutex<Vec<Arc<Slot>>>,
}

#[derive(Debug, Default)]
struct Slot {
    file: Mutex<Option<Arc<dyn StorageFile>>>,
    last_used: AtomicU64,
    registered: AtomicBool,
}

impl FilePool {
    pub(crate) fn new(storage: Arc<dyn Storage>, capacity: usize) -> Arc<Self> {
        Arc::new(Self {
            storage,
            capacity: capacity.max(1),
            clock: AtomicU64::new(0),
            open: Mutex::default(),
        })
    }

    fn register(&self, slot: &Arc<Slot>) {
        if slot.registered.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut open = lock(&self.open);
        open.push(Arc::clone(slot));
        if open.len() > self.capacity {
            // An eighth at once, so that a pool that is too small sorts seldom. Written but unsynced files may be
            // closed: the kernel reports a failed write-back to the next fsync of the inode, through any descriptor.
            open.sort_unstable_by_key(|slot| slot.last_used.load(Ordering::Relaxed));
            for slot in open.drain(..(self.capacity / 8).max(1)) {
                slot.registered.store(false, Ordering::Release);
                lock(&slot.file).take();
            }
        }
    }
}

/// One file that is opened on demand.
#[derive(Debug)]
pub(crate) struct PooledFile {
    pool: Arc<FilePool>,
    path: PathBuf,
    slot: Arc<Slot>,
}

impl PooledFile {
    pub(crate) fn new(pool: &Arc<FilePool>, path: PathBuf) -> Self {
        Self {
            pool: Arc::clone(pool),
            path,
            slot: Arc::default(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The open file; it must exist.
    pub(crate) fn get(&self) -> io::Result<Arc<dyn StorageFile>> {
        self.get_with(OpenMode::Write)
    }

    /// The open file, created if it is missing.
    pub(crate) fn get_or_create(&self) -> io::Result<Arc<dyn StorageFile>> {
        self.get_with(OpenMode::Create)
    }

    fn get_with(&self, mode: OpenMode) -> io::Result<Arc<dyn StorageFile>> {
        self.slot
            .last_used
            .store(self.pool.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let file = {
            let mut slot = lock(&self.slot.file);
            if let Some(file) = slot.as_ref() {
                return Ok(Arc::clone(file));
            }
            let file = self.pool.storage.open(&self.path, mode)?;
            *slot = Some(Arc::clone(&file));
            file
        };
        self.pool.register(&self.slot);
        Ok(file)
    }

    /// Closes the file unless somebody else holds it.
    pub(crate) fn close(&self) {
        lock(&self.slot.file).take();
    }
}
