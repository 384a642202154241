//! Several data directories, one of which fails.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, io};

use super::batches::*;
use super::sim::SimStorage;
use crate::manager::{LogManager, ManagerConfig};
use crate::storage::{DirEntry, OpenMode, Storage, StorageFile, StorageLock};
use crate::{LogConfig, LogError, PartitionLog};

/// A file system where everything below one directory can break at once, open files too.
#[derive(Clone, Debug)]
struct Breakable {
    inner: Arc<dyn Storage>,
    below: PathBuf,
    errno: i32,
    is_broken: Arc<AtomicBool>,
}

struct BreakableFile {
    inner: Arc<dyn StorageFile>,
    storage: Breakable,
    path: PathBuf,
}

impl fmt::Debug for BreakableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BreakableFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

const EIO: i32 = 5;
const ENOSPC: i32 = 28;

impl Breakable {
    fn new(inner: &SimStorage, below: &str) -> Self {
        for dir in ["/one", "/two"] {
            inner.create_dir_all(Path::new(dir)).unwrap();
        }
        Self {
            inner: inner.as_storage(),
            below: below.into(),
            errno: EIO,
            is_broken: Arc::default(),
        }
    }

    fn failing_with(mut self, errno: i32) -> Self {
        self.errno = errno;
        self
    }

    fn shared(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }

    fn break_now(&self) {
        self.is_broken.store(true, Ordering::SeqCst);
    }

    fn check(&self, path: &Path) -> io::Result<()> {
        if path.starts_with(&self.below) && self.is_broken.load(Ordering::SeqCst) {
            return Err(io::Error::from_raw_os_error(self.errno));
        }
        Ok(())
    }
}

impl StorageFile for BreakableFile {
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        self.storage.check(&self.path)?;
        self.inner.read_at(buffer, position)
    }
    fn write_all_at(&self, data: &[u8], position: u64) -> io::Result<()> {
        self.storage.check(&self.path)?;
        self.inner.write_all_at(data, position)
    }
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.storage.check(&self.path)?;
        self.inner.set_len(len)
    }
    fn sync_data(&self) -> io::Result<()> {
        self.storage.check(&self.path)?;
        self.inner.sync_data()
    }
    fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

impl Storage for Breakable {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn StorageFile>> {
        self.check(path)?;
        Ok(Arc::new(BreakableFile {
            inner: self.inner.open(path, mode)?,
            storage: self.clone(),
            path: path.to_owned(),
        }))
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.check(path)?;
        self.inner.exists(path)
    }
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.check(path)?;
        self.inner.read_dir(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(from)?;
        self.inner.rename(from, to)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        self.inner.remove_file(path)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        self.inner.create_dir_all(path)
    }
    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        self.inner.remove_dir_all(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        self.inner.sync_dir(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn StorageLock>>> {
        self.check(path)?;
        self.inner.lock(path)
    }
}

fn config() -> ManagerConfig {
    ManagerConfig {
        data_dirs: vec![PathBuf::from("/one"), PathBuf::from("/two")],
        cluster_id: "k0FzR5jvQYSxoUbVVw5F5A".to_owned(),
        node_id: 1,
        temporary: false,
        open_files_max: 100,
        recovery_threads: 1,
        defaults: small_segments(),
    }
}

fn manager(storage: &Breakable) -> LogManager {
    LogManager::open(storage.shared(), config(), NOW).unwrap()
}

fn create(manager: &LogManager, partition: i32) -> Result<Arc<PartitionLog>, LogError> {
    manager.get_or_create("t", partition, TOPIC_ID, small_segments(), NOW)
}

/// Partitions 0 and 2 in the first directory, 1 and 3 in the second, with a record each.
fn filled(manager: &LogManager) -> Vec<Arc<PartitionLog>> {
    (0..4)
        .map(|partition| {
            let log = create(manager, partition).unwrap();
            append(&log, &batch(1, 10));
            log.set_high_watermark(1);
            log
        })
        .collect()
}

fn dirs_of(logs: &[Arc<PartitionLog>]) -> Vec<&Path> {
    logs.iter().map(|log| log.dir().parent().unwrap()).collect()
}

#[test]
fn partitions_spread_and_each_directory_has_its_own_files() {
    let sim = SimStorage::new();
    let storage = Breakable::new(&sim, "/two");
    let first = manager(&storage);
    let logs = filled(&first);
    let [one, two] = [Path::new("/one"), Path::new("/two")];
    assert_eq!(dirs_of(&logs), [one, two, one, two]);
    first.shutdown(NOW).unwrap();
    let ids: Vec<String> = [one, two]
        .iter()
        .map(|dir| {
            let files = sim.contents(dir);
            for name in [
                "recovery-point-offset-checkpoint",
                "log-start-offset-checkpoint",
                "replication-offset-checkpoint",
                ".kafka_cleanshutdown",
            ] {
                assert!(files.contains_key(name), "{name}");
            }
            let text = String::from_utf8(files["meta.properties"].clone()).unwrap();
            let id = text.lines().find_map(|line| line.strip_prefix("directory.id="));
            id.unwrap().to_owned()
        })
        .collect();
    assert_ne!(ids[0], ids[1]);
    drop((first, logs));
    let again = manager(&storage);
    assert_eq!(again.partitions().len(), 4);
    assert!(again.partitions().iter().all(|(_, _, log)| log.log_end_offset() == 1));
    assert_eq!(again.offline_dirs(), []);
}

#[test]
fn a_directory_that_fails_takes_only_its_own_partitions_along() {
    for errno in [EIO, ENOSPC] {
        let storage = Breakable::new(&SimStorage::new(), "/two").failing_with(errno);
        let manager = manager(&storage);
        let logs = filled(&manager);
        manager.checkpoint(NOW).unwrap();
        storage.break_now();
        let error = try_append(&logs[1], &batch(1, 10)).unwrap_err();
        assert_eq!(error.code(), 56, "KAFKA_STORAGE_ERROR: {error}");
        // The other one of that directory is told why, and nothing of the failed append is readable.
        let error = try_append(&logs[3], &batch(1, 10)).unwrap_err();
        assert!(
            error.to_string().contains("offline since: cannot append to /two/t-1"),
            "{error}"
        );
        for log in [&logs[1], &logs[3]] {
            assert!(log.is_offline() && log.read(0, 100, true, i64::MAX).is_err());
            assert_eq!(log.log_end_offset(), 1);
        }
        for log in [&logs[0], &logs[2]] {
            append(log, &batch(1, 10));
            assert_eq!((log.flush().unwrap(), base_offsets(log)), (2, vec![0, 1]));
        }
        assert_eq!(dirs_of(&[create(&manager, 4).unwrap()]), [Path::new("/one")]);
        let offline = manager.offline_dirs();
        assert!(
            matches!(offline.as_slice(), [(dir, _)] if dir == Path::new("/two")),
            "{offline:?}"
        );
        // What is done to all logs goes on for the others.
        manager.checkpoint(NOW).unwrap();
        manager.apply_retention(NOW).1.unwrap();
        manager.flush_due(NOW).1.unwrap();
        manager.remove_deleted(NOW).unwrap();
        // Nothing says that the failed one was closed properly.
        manager.shutdown(NOW).unwrap_err();
    }
}

#[test]
fn a_failed_read_of_the_device_takes_the_directory_offline() {
    let storage = Breakable::new(&SimStorage::new(), "/two");
    let logs = filled(&manager(&storage));
    storage.break_now();
    // An index or a header cannot be read.
    let error = logs[1]
        .read(0, 100, false, i64::MAX)
        .and_then(|_| logs[1].max_timestamp(i64::MAX))
        .unwrap_err();
    assert_eq!(error.code(), 56);
    assert!(logs[3].is_offline() && !logs[0].is_offline());
}

#[test]
fn a_directory_that_cannot_be_read_at_the_start_is_left_out() {
    let storage = Breakable::new(&SimStorage::new(), "/two");
    let first = manager(&storage);
    drop(filled(&first));
    first.shutdown(NOW).unwrap();
    drop(first);
    storage.break_now();
    let manager = manager(&storage);
    assert_eq!(manager.partitions().len(), 2);
    assert!(matches!(manager.offline_dirs().as_slice(), [(dir, reason)]
        if dir == Path::new("/two") && reason.contains("/two")));
    append(&create(&manager, 0).unwrap(), &batch(1, 10));
    // It may lie in the directory that failed: a second, empty log of it would hide its records.
    let error = create(&manager, 1).unwrap_err();
    assert_eq!(error.code(), 56);
    assert!(manager.get("t", 1).is_none());
    // Once all that existed were asked for, others are new.
    manager.all_known();
    assert_eq!(dirs_of(&[create(&manager, 7).unwrap()]), [Path::new("/one")]);
    // Without any directory there is no broker.
    let only = ManagerConfig {
        data_dirs: vec![PathBuf::from("/two")],
        ..config()
    };
    assert!(matches!(
        LogManager::open(storage.shared(), only, NOW),
        Err(LogError::Io { .. })
    ));
}

#[test]
fn logs_without_meta_properties_are_refused() {
    let sim = SimStorage::new();
    let storage = Breakable::new(&sim, "/two");
    let first = manager(&storage);
    drop(filled(&first));
    first.shutdown(NOW).unwrap();
    drop(first);
    sim.remove_file(Path::new("/one/meta.properties")).unwrap();
    let error = LogManager::open(storage.shared(), config(), NOW).unwrap_err();
    assert!(error.is_config_error());
    assert_eq!(
        error.to_string(),
        "/one has partition logs but no meta.properties: it was lost or removed; restore the file from a copy, or \
         remove the logs if they are not needed"
    );
    assert_eq!(
        sim.contents(Path::new("/one")).get("meta.properties"),
        None,
        "nothing was written"
    );
}

#[test]
fn two_directories_with_one_id_are_refused() {
    let sim = SimStorage::new();
    let storage = Breakable::new(&sim, "/two");
    manager(&storage).shutdown(NOW).unwrap();
    let copied = sim.contents(Path::new("/one"))["meta.properties"].clone();
    sim.write_atomic(Path::new("/two/meta.properties"), &copied, true)
        .unwrap();
    let error = LogManager::open(storage.shared(), config(), NOW).unwrap_err();
    assert!(
        error.is_config_error() && error.to_string().contains("directory.id"),
        "{error}"
    );
}

#[test]
fn nothing_is_deleted_by_options_that_are_not_the_topics_own() {
    let storage = Breakable::new(&SimStorage::new(), "/two");
    let first = manager(&storage);
    drop(filled(&first));
    first.shutdown(NOW).unwrap();
    drop(first);
    let manager = manager(&storage);
    let long_after = NOW * 2;
    assert_eq!(manager.apply_retention(long_after).0, []);
    create(&manager, 0).unwrap();
    let (removed, outcome) = manager.apply_retention(long_after);
    outcome.unwrap();
    let names: Vec<_> = removed
        .iter()
        .map(|(topic, partition, _)| (topic.as_str(), *partition))
        .collect();
    assert_eq!(names, [("t", 0)]);
    // And options that change are in force at once.
    let log = create(&manager, 1).unwrap();
    log.set_config(LogConfig {
        retention_ms: -1,
        ..small_segments()
    });
    assert_eq!(manager.apply_retention(long_after).0, []);
}
