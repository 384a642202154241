//! What the logs of one data directory share: storage, open files, health.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::deletion::DeletionQueue;
use crate::error::LogError;
use crate::file_pool::FilePool;
use crate::storage::Storage;

/// Whether a data directory may be used. Once it failed it stays failed: after a failed fsync the page cache no longer
/// says what is on disk, so neither a retry nor a read proves anything.
#[derive(Debug, Default)]
pub(crate) struct Health {
    failure: OnceLock<String>,
}

impl Health {
    pub(crate) fn check(&self) -> Result<(), LogError> {
        match self.failure.get() {
            None => Ok(()),
            Some(reason) => Err(LogError::Offline { reason: reason.clone() }),
        }
    }

    /// Why it failed, if it did.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.get().cloned()
    }

    /// Takes the directory offline if `error` says that the device fails, and hands the error back.
    pub(crate) fn note(&self, error: LogError) -> LogError {
        match &error {
            LogError::Io { source, .. } if source.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) => {
                self.fail(error)
            }
            _ => error,
        }
    }

    /// Takes the directory offline for `error` and hands the error back.
    pub(crate) fn fail(&self, error: LogError) -> LogError {
        if self.failure.set(error.to_string()).is_ok() {
            log::error!("data directory goes offline: {error}");
        }
        error
    }
}

/// Shared by all logs of one data directory.
#[derive(Clone, Debug)]
pub(crate) struct LogEnv {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) files: Arc<FilePool>,
    pub(crate) health: Arc<Health>,
    pub(crate) deletions: Arc<DeletionQueue>,
    /// Nothing needs to survive the process: never sync.
    pub(crate) temporary: bool,
}

impl LogEnv {
    pub(crate) fn new(storage: Arc<dyn Storage>, files: Arc<FilePool>, temporary: bool) -> Self {
        Self {
            storage,
            files,
            health: Arc::default(),
            deletions: Arc::default(),
            temporary,
        }
    }

    /// Makes the names in a directory durable.
    pub(crate) fn sync_dir(&self, dir: &Path) -> Result<(), LogError> {
        if self.temporary {
            return Ok(());
        }
        self.storage
            .sync_dir(dir)
            .map_err(|error| LogError::io("sync", dir, error))
    }
}

// A panic under one of these locks leaves plain values that are each valid, so a poisoned lock is taken over. The
// append lock is different: see `PartitionLog::lock_appender`.

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
