//! The seam between the log and the file system, so that tests can lose, tear and fail what was written.

use std::fmt::Debug;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Existing file, reading only.
    Read,
    /// Existing file, reading and writing.
    Write,
    /// Reading and writing, created if it is missing.
    Create,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirEntry {
    /// Last component of the path; names that are not UTF-8 are not listed.
    pub name: String,
    /// Whether it is a directory.
    pub is_dir: bool,
    /// Length in bytes of a file, 0 of a directory.
    pub len: u64,
}

/// One name in a directory, and nothing that only a look at the file would tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName {
    /// Last component of the path; names that are not UTF-8 are not listed.
    pub name: String,
    /// Whether it is a directory.
    pub is_dir: bool,
}

/// A lock that is held until it is dropped.
pub trait StorageLock: Send + Sync + Debug {}

/// An open file with positional reads and writes.
pub trait StorageFile: Send + Sync + Debug {
    /// Reads at `position`; fewer bytes than asked for mean the end of the file.
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize>;
    /// Writes all of `data` at `position`; after an error any part of it may be in the file.
    fn write_all_at(&self, data: &[u8], position: u64) -> io::Result<()>;
    /// Current length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Whether the file has no bytes.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
    /// Cuts or extends (with zeros) to `len` bytes.
    fn set_len(&self, len: u64) -> io::Result<()>;
    /// Makes the contents and the length durable.
    fn sync_data(&self) -> io::Result<()>;
    /// The descriptor for sendfile; `None` where only `read_at` works.
    fn as_fd(&self) -> Option<BorrowedFd<'_>>;

    /// Fills `buffer` or fails with `UnexpectedEof`.
    fn read_exact_at(&self, buffer: &mut [u8], position: u64) -> io::Result<()> {
        if self.read_at(buffer, position)? == buffer.len() {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }
}

/// A file system, real or simulated.
pub trait Storage: Send + Sync + Debug {
    /// Opens a file; `NotFound` when it is missing and the mode does not create it.
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn StorageFile>>;
    /// Whether a file or directory of that name exists.
    fn exists(&self, path: &Path) -> io::Result<bool>;
    /// Names in a directory, sorted.
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>>;
    /// As [`read_dir`](Self::read_dir), without a look at each file and in any order.
    fn file_names(&self, path: &Path) -> io::Result<Vec<FileName>> {
        let named = |entry: DirEntry| FileName {
            name: entry.name,
            is_dir: entry.is_dir,
        };
        Ok(self.read_dir(path)?.into_iter().map(named).collect())
    }
    /// Length of a file in bytes.
    fn file_len(&self, path: &Path) -> io::Result<u64> {
        self.open(path, OpenMode::Read)?.len()
    }
    /// Renames a file or directory, replacing an existing file.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file; `NotFound` when it is missing.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Creates a directory and its missing parents.
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Removes a directory with everything in it.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Takes an exclusive lock on a file that is created if missing; `None` when someone else holds it.
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn StorageLock>>>;

    /// Reads a whole file of at most `limit` bytes (`FileTooLarge` beyond that).
    fn read_whole(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        let file = self.open(path, OpenMode::Read)?;
        let len = usize::try_from(file.len()?).unwrap_or(usize::MAX);
        if len > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = vec![0; len];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }

    /// Replaces a file so that a crash leaves the old or the new contents, never a mixture (`sync` also makes the
    /// new contents durable before this returns).
    fn write_atomic(&self, path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
        let mut name = path.as_os_str().to_owned();
        name.push(".tmp");
        let temporary = Path::new(&name);
        let file = self.open(temporary, OpenMode::Create)?;
        if file.len()? > 0 {
            // Only then: ext4 begins to write a file out when it is closed after it was cut to nothing.
            file.set_len(0)?;
        }
        file.write_all_at(bytes, 0)?;
        if sync {
            file.sync_data()?;
        }
        self.rename(temporary, path)?;
        match path.parent() {
            Some(parent) if sync => self.sync_dir(parent),
            _ => Ok(()),
        }
    }
}

/// A file without bytes: what an empty read refers to.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmptyFile;

impl StorageFile for EmptyFile {
    fn read_at(&self, _buffer: &mut [u8], _position: u64) -> io::Result<usize> {
        Ok(0)
    }
    fn write_all_at(&self, _data: &[u8], _position: u64) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }
    fn len(&self) -> io::Result<u64> {
        Ok(0)
    }
    fn set_len(&self, _len: u64) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }
    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
    fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}
