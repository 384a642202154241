//! Files and directories that were renamed to be deleted, until `file.delete.delay.ms` is over.
//!
//! The next start removes whatever has such a name, so that nothing here needs to survive the process.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::env::lock;
use crate::error::LogError;
use crate::storage::Storage;

/// What is to be removed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doomed {
    File(PathBuf),
    Directory(PathBuf),
}

/// The waiting ones of one data directory, by the time when they are due.
#[derive(Debug, Default)]
pub(crate) struct DeletionQueue {
    waiting: Mutex<BinaryHeap<Reverse<(i64, Doomed)>>>,
}

impl DeletionQueue {
    pub(crate) fn push(&self, due_ms: i64, doomed: Doomed) {
        lock(&self.waiting).push(Reverse((due_ms, doomed)));
    }

    /// When the next one is due.
    pub(crate) fn next_due_ms(&self) -> Option<i64> {
        lock(&self.waiting).peek().map(|Reverse((due_ms, _))| *due_ms)
    }

    /// Removes what is due; what is missing by then has gone with its directory.
    pub(crate) fn run(&self, storage: &dyn Storage, now_ms: i64) -> Result<(), LogError> {
        while let Some(doomed) = self.take_due(now_ms) {
            let (path, outcome) = match &doomed {
                Doomed::File(path) => (path, storage.remove_file(path)),
                Doomed::Directory(path) => (path, storage.remove_dir_all(path)),
            };
            match outcome {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(LogError::io("remove", path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn take_due(&self, now_ms: i64) -> Option<Doomed> {
        let mut waiting = lock(&self.waiting);
        match waiting.peek() {
            Some(Reverse((due_ms, _))) if *due_ms <= now_ms => waiting.pop().map(|Reverse((_, doomed))| doomed),
            _ => None,
        }
    }
}
