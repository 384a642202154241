//! [`Storage`] over the real file system.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::FlockOperation;

use crate::pieces;
use crate::storage::{DirEntry, FileName, OpenMode, Storage, StorageFile, StorageLock};

/// Length up to which a file is read without asking for its length.
const SMALL_FILE_BYTES: usize = 4096;

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

    fn write_all_at(&self, mut data: &[u8], mut position: u64) -> io::Result<()> {
        while !data.is_empty() {
            let len = pieces::len_at(position, data.len());
            let (piece, rest) = data.split_at_checked(len).unwrap_or((data, &[]));
            pieces::run(len, || self.0.write_all_at(piece, position))?;
            position += len as u64;
            data = rest;
        }
        Ok(())
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

    fn file_names(&self, path: &Path) -> io::Result<Vec<FileName>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let is_dir = match entry.file_type() {
                Ok(kind) => kind.is_dir(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if let Ok(name) = entry.file_name().into_string() {
                names.push(FileName { name, is_dir });
            }
        }
        Ok(names)
    }

    fn file_len(&self, path: &Path) -> io::Result<u64> {
        Ok(fs::metadata(path)?.len())
    }

    /// A small file, as most are, costs one read.
    fn read_whole(&self, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
        let file = OsFile(File::open(path)?);
        let mut bytes = vec![0; SMALL_FILE_BYTES];
        let count = file.read_at(&mut bytes, 0)?;
        bytes.truncate(count);
        let len = if count < SMALL_FILE_BYTES {
            count
        } else {
            usize::try_from(file.len()?).unwrap_or(usize::MAX)
        };
        if len > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if len > count {
            bytes.resize(len, 0);
            let behind = bytes.get_mut(count..).unwrap_or_default();
            file.read_exact_at(behind, count as u64)?;
        }
        Ok(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn write_and_read() {
        const PIECE: usize = pieces::BYTES_MAX;
        let directory = tempfile::tempdir().unwrap();
        let file = FileStorage
            .open(&directory.path().join("file"), OpenMode::Create)
            .unwrap();
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 77] {
            let bytes: Vec<u8> = (0..len).map(|at| u8::try_from(at % 251).unwrap()).collect();
            file.set_len(0).unwrap();
            file.write_all_at(&bytes, 5).unwrap();
            let mut read = vec![1; len + 5];
            file.read_exact_at(&mut read, 0)
                .unwrap_or_else(|error| assert!(len == 0, "{error}"));
            assert!(
                len == 0 || (read.starts_with(&[0; 5]) && read.ends_with(&bytes)),
                "{len}"
            );
            assert_eq!(file.len().unwrap(), if len == 0 { 0 } else { len as u64 + 5 });
        }
    }

    #[test]
    fn large_writes_and_reads_are_whole_also_by_threads_that_give_way() {
        write_and_read();
        let child = std::thread::spawn(|| {
            crate::give_way_between_writes();
            write_and_read();
        });
        child.join().unwrap();
    }
}
