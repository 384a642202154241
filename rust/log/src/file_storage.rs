//! [`Storage`] over the real file system.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::FlockOperation;

use crate::storage::{DirEntry, OpenMode, Storage, StorageFile, StorageLock};

/// The operating system's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileStorage;

#[derive(Debug)]
struct OsFile(File);

#[derive(Debug)]
struct OsLock {
    _file: File,
}

impl StorageLock for OsLock {}

impl StorageFile for OsFile {
    fn read_at(&self, mut buffer: &mut [u8], mut position: u64) -> io::Result<usize> {
        let mut total = 0;
        while !buffer.is_empty() {
            match self.0.read_at(buffer, position) {
                Ok(0) => break,
                Ok(count) => {
                    total += count;
                    position += count as u64;
                    buffer = buffer.get_mut(count..).unwrap_or_default();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(total)
    }

    fn write_all_at(&self, data: &[u8], position: u64) -> io::Result<()> {
        self.0.write_all_at(data, position)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.0.as_fd())
    }
}

impl Storage for FileStorage {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn StorageFile>> {
        let mut options = OpenOptions::new();
        options.read(true);
        match mode {
            OpenMode::Read => {}
            OpenMode::Write => {
                options.write(true);
            }
            OpenMode::Create => {
                options.write(true).create(true).truncate(false);
            }
        }
        Ok(Arc::new(OsFile(options.open(path)?)))
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        path.try_exists()
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let is_dir = metadata.is_dir();
            entries.push(DirEntry {
                name,
                is_dir,
                len: if is_dir { 0 } else { metadata.len() },
            });
        }
        entries.sort();
        Ok(entries)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // The parent of a relative name of one part is the empty path.
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        File::open(path)?.sync_all()
    }

    /// Takes both kinds of lock: `flock` keeps out a second broker of this process, the POSIX record lock keeps out
    /// a JVM, whose `FileLock` is one.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn StorageLock>>> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        for outcome in [
            rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive),
            rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive),
        ] {
            match outcome {
                Ok(()) => {}
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(Box::new(OsLock { _file: file })))
    }
}
