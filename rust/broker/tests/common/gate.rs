//! A storage that is slow in its own time: a call takes as long as the test says, and waits at a gate for as long as the
//! test wants.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use barnabas_log::{DirEntry, FileStorage, OpenMode, Storage, StorageFile, StorageLock};

use super::TOPIC;

/// What calls on the log files of partition 0 go through.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
    opened: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    /// Virtual time since the start.
    now: Duration,
    /// What each call takes of it.
    cost: Duration,
    is_closed: bool,
    waiting: usize,
    threads: Vec<String>,
}

/// Which calls pass the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gated {
    Reads,
    Writes,
    Syncs,
}

impl Gate {
    /// The gate's time.
    pub(crate) fn now(&self) -> Duration {
        self.state.lock().unwrap().now
    }

    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state
            .threads
            .push(std::thread::current().name().unwrap_or_default().to_owned());
        state.waiting += 1;
        while state.is_closed {
            state = self.opened.wait(state).unwrap();
        }
        state.waiting -= 1;
        let cost = state.cost;
        state.now += cost;
    }

    /// From now on a call takes `cost`, and waits while the gate is closed.
    pub(crate) fn set(&self, cost: Duration, is_closed: bool) {
        let mut state = self.state.lock().unwrap();
        (state.cost, state.is_closed) = (cost, is_closed);
        self.opened.notify_all();
    }

    /// Calls at the gate.
    pub(crate) fn waiting(&self) -> usize {
        self.state.lock().unwrap().waiting
    }

    /// Names of the threads that came since the last time, without their numbers.
    pub(crate) fn take_threads(&self) -> Vec<String> {
        let threads = std::mem::take(&mut self.state.lock().unwrap().threads);
        threads
            .iter()
            .map(|name| name.trim_end_matches(char::is_numeric).to_owned())
            .collect()
    }
}

/// The file system, with a gate before some calls.
#[derive(Debug)]
pub(crate) struct GatedStorage(Arc<Gate>, Gated);

impl GatedStorage {
    pub(crate) fn of(gate: &Arc<Gate>, gated: Gated) -> Arc<dyn Storage> {
        Arc::new(Self(Arc::clone(gate), gated))
    }
}

#[derive(Debug)]
struct GatedFile(Arc<Gate>, Gated, Arc<dyn StorageFile>);

impl StorageFile for GatedFile {
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        if self.1 == Gated::Reads {
            self.0.pass();
        }
        self.2.read_at(buffer, position)
    }
    fn write_all_at(&self, data: &[u8], position: u64) -> io::Result<()> {
        if self.1 == Gated::Writes {
            self.0.pass();
        }
        self.2.write_all_at(data, position)
    }
    fn len(&self) -> io::Result<u64> {
        self.2.len()
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.2.set_len(len)
    }
    fn sync_data(&self) -> io::Result<()> {
        if self.1 == Gated::Syncs {
            self.0.pass();
        }
        self.2.sync_data()
    }
    fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        self.2.as_fd()
    }
}

impl Storage for GatedStorage {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn StorageFile>> {
        let file = FileStorage.open(path, mode)?;
        let is_gated = path.parent().is_some_and(|dir| dir.ends_with(format!("{TOPIC}-0")))
            && path.extension().is_some_and(|extension| extension == "log");
        Ok(if is_gated {
            Arc::new(GatedFile(Arc::clone(&self.0), self.1, file))
        } else {
            file
        })
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        FileStorage.exists(path)
    }
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        FileStorage.read_dir(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileStorage.rename(from, to)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        FileStorage.remove_file(path)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        FileStorage.create_dir_all(path)
    }
    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        FileStorage.remove_dir_all(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        FileStorage.sync_dir(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn StorageLock>>> {
        FileStorage.lock(path)
    }
}
