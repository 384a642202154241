//! A bounded pool of open files: a file is opened when it is needed and closed when too many others were used since.
//!
//! Taking an open file costs one uncontended lock of its own slot; the pool's lock is taken only to open one.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use crate::env::{lock, read, write};
use crate::storage::{OpenMode, Storage, StorageFile};

/// Keeps at most `capacity` files open, plus those that somebody holds.
#[derive(Debug)]
pub(crate) struct FilePool {
    storage: Arc<dyn Storage>,
    capacity: usize,
    clock: AtomicU64,
    open: Mutex<Vec<Arc<Slot>>>,
}

/// Whether a slot's file is open.
#[derive(Debug, Default)]
enum State {
    #[default]
    Closed,
    Open(Arc<dyn StorageFile>),
    /// The file was given up: whoever still looks for it finds it missing, not another file of its name.
    Retired,
}

impl State {
    fn close(&mut self) {
        if matches!(self, Self::Open(_)) {
            *self = Self::Closed;
        }
    }
}

#[derive(Debug, Default)]
struct Slot {
    file: Mutex<State>,
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
            // Each time is read once: files are used while they are sorted.
            open.sort_by_cached_key(|slot| slot.last_used.load(Ordering::Relaxed));
            for slot in open.drain(..(self.capacity / 8).max(1)) {
                slot.registered.store(false, Ordering::Release);
                lock(&slot.file).close();
            }
        }
    }
}

/// One file that is opened on demand.
#[derive(Debug)]
pub(crate) struct PooledFile {
    pool: Arc<FilePool>,
    path: RwLock<Arc<Path>>,
    slot: Arc<Slot>,
}

impl PooledFile {
    pub(crate) fn new(pool: &Arc<FilePool>, path: impl Into<Arc<Path>>) -> Self {
        Self {
            pool: Arc::clone(pool),
            path: RwLock::new(path.into()),
            slot: Arc::default(),
        }
    }

    pub(crate) fn path(&self) -> Arc<Path> {
        Arc::clone(&read(&self.path))
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
            let mut state = lock(&self.slot.file);
            match &*state {
                State::Open(file) => return Ok(Arc::clone(file)),
                State::Retired => return Err(io::ErrorKind::NotFound.into()),
                State::Closed => {}
            }
            let file = self.pool.storage.open(&self.path(), mode)?;
            *state = State::Open(Arc::clone(&file));
            file
        };
        self.pool.register(&self.slot);
        Ok(file)
    }

    /// Closes the file unless somebody else holds it.
    pub(crate) fn close(&self) {
        lock(&self.slot.file).close();
    }

    /// Gives the file another name, under which it is opened from here on. Returns false when there is no such file,
    /// which then has the new name all the same.
    pub(crate) fn rename(&self, to: &Path) -> io::Result<bool> {
        let _state = lock(&self.slot.file);
        let renamed = rename_if_there(self.pool.storage.as_ref(), &self.path(), to)?;
        *write(&self.path) = Arc::from(to);
        Ok(renamed)
    }

    /// Renames the file to be deleted. Who holds it open goes on reading; nobody can open it any more.
    pub(crate) fn retire(&self, to: &Path) -> io::Result<bool> {
        let mut state = lock(&self.slot.file);
        let renamed = rename_if_there(self.pool.storage.as_ref(), &self.path(), to)?;
        *state = State::Retired;
        Ok(renamed)
    }
}

/// Renames a file that may be missing; says whether it was there.
pub(crate) fn rename_if_there(storage: &dyn Storage, from: &Path, to: &Path) -> io::Result<bool> {
    match storage.rename(from, to) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
