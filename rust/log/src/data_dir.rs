//! One data directory: who owns it, what its checkpoint files say, and how its partitions are opened.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::checkpoint::{self, Offsets};
use crate::dir_name;
use crate::env::{LogEnv, lock};
use crate::error::LogError;
use crate::manager::{ManagerConfig, Partitions};
use crate::meta_properties;
use crate::partition_log::{OpenContext, PartitionLog};
use crate::storage::StorageLock;
use crate::unopened::Unopened;

/// Its presence says that the data directory was closed properly. It is removed before anything else happens.
pub(crate) const CLEAN_SHUTDOWN: &str = ".kafka_cleanshutdown";
pub(crate) const CLEAN_SHUTDOWN_TEXT: &[u8] = b"{\"version\":0,\"brokerEpoch\":-1}";
const LOCK: &str = ".lock";

/// One data directory.
#[derive(Debug)]
pub(crate) struct DataDir {
    pub(crate) path: PathBuf,
    pub(crate) env: LogEnv,
    /// It failed before all of its partitions were known.
    pub(crate) is_unread: bool,
    pub(crate) id: String,
    pub(crate) lock: Mutex<Option<Box<dyn StorageLock>>>,
    /// Partitions that the checkpoint files say something about.
    pub(crate) checkpointed: Mutex<BTreeSet<(String, i32)>>,
}

/// What a data directory says about its partitions before they are opened.
struct Found {
    now_ms: i64,
    clean_shutdown: bool,
    recovery_points: Offsets,
    log_starts: Offsets,
    high_watermarks: Offsets,
    cleaned: Offsets,
}

impl Found {
    fn files(&self) -> [&Offsets; 4] {
        [
            &self.recovery_points,
            &self.log_starts,
            &self.high_watermarks,
            &self.cleaned,
        ]
    }
}

/// Calls `run` for each of `items` on up to `threads` threads and returns the results in the order of the items, or
/// the error of the first item that has one; nothing new is begun after an error.
pub(crate) fn each_in_parallel<I: Sync, T: Send>(
    threads: usize,
    items: &[I],
    run: impl Fn(&I) -> Result<T, LogError> + Sync,
) -> Result<Vec<T>, LogError> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let work = || {
        let mut done = Vec::new();
        while !failed.load(Ordering::Acquire) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            let result = run(item);
            failed.fetch_or(result.is_err(), Ordering::AcqRel);
            done.push((index, result));
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(items.len())).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

impl DataDir {
    /// A directory that takes no part.
    pub(crate) fn unread(path: &Path, env: LogEnv) -> Self {
        Self {
            path: path.to_owned(),
            env,
            is_unread: true,
            id: String::new(),
            lock: Mutex::new(None),
            checkpointed: Mutex::default(),
        }
    }

    pub(crate) fn open(path: &Path, env: LogEnv, config: &ManagerConfig) -> Result<Self, LogError> {
        let storage = env.storage.as_ref();
        if !storage
            .exists(path)
            .map_err(|error| LogError::io("look at", path, error))?
        {
            storage
                .create_dir_all(path)
                .map_err(|error| LogError::io("create", path, error))?;
            if let (Some(parent), false) = (path.parent(), config.temporary) {
                storage
                    .sync_dir(parent)
                    .map_err(|error| LogError::io("sync", parent, error))?;
            }
        }
        let lock_path = path.join(LOCK);
        let lock = storage
            .lock(&lock_path)
            .map_err(|error| LogError::io("lock", &lock_path, error))?
            .ok_or_else(|| LogError::Locked { path: path.to_owned() })?;
        let id = meta_properties::claim(storage, path, &config.cluster_id, config.node_id, !config.temporary)?;
        Ok(Self {
            path: path.to_owned(),
            is_unread: false,
            id,
            lock: Mutex::new(Some(lock)),
            checkpointed: Mutex::default(),
            env,
        })
    }

    /// Opens every partition directory, several at a time, and removes what is left of deleted ones.
    pub(crate) fn open_logs(
        &self,
        config: &ManagerConfig,
        now_ms: i64,
        logs: &mut Partitions,
        unopened: &Unopened,
    ) -> Result<(), LogError> {
        let found = Found {
            now_ms,
            clean_shutdown: self.take_clean_shutdown()?,
            recovery_points: self.load_offsets(checkpoint::RECOVERY_POINT)?,
            log_starts: self.load_offsets(checkpoint::LOG_START)?,
            high_watermarks: self.load_offsets(checkpoint::HIGH_WATERMARK)?,
            cleaned: self.load_offsets(checkpoint::CLEANED)?,
        };
        lock(&self.checkpointed).extend(found.files().into_iter().flat_map(Offsets::keys).cloned());
        if !found.clean_shutdown && !config.temporary {
            // A process that was killed may have left names in memory only: a partition that is not seen now must not be
            // there again after a power failure.
            self.env
                .storage
                .sync_dir(&self.path)
                .map_err(|error| LogError::io("sync", &self.path, error))?;
        }
        let names = self.partition_dirs()?;
        let opened = each_in_parallel(config.recovery_threads, &names, |name| {
            match self.open_log(config, &found, name) {
                // Nobody else's data suffers from it.
                Err(error @ LogError::Damaged { .. }) => Ok(Err(error)),
                outcome => outcome.map(Ok),
            }
        })?;
        let mut points = found.recovery_points.clone();
        for (name, opened) in names.iter().zip(opened) {
            let Some((topic, partition)) = dir_name::parse(name) else {
                continue;
            };
            let key = (topic.to_owned(), partition);
            let log = match opened {
                Ok(log) => log,
                Err(error) => {
                    unopened.add(key, &self.path, &error, found.files());
                    continue;
                }
            };
            if let Some(point) = points.get_mut(&key) {
                *point = log.recovery_point().min(*point);
            }
            let partitions = logs.entry(topic.to_owned()).or_default();
            if partitions.insert(partition, Arc::new(log)).is_some() {
                return Err(LogError::Damaged {
                    path: self.path.join(name),
                    position: 0,
                    reason: "another data directory has the same partition".to_owned(),
                });
            }
        }
        if points != found.recovery_points {
            // A log ends before its recovery point: the process died in a truncation. What will be appended there is
            // not on disk yet.
            self.write_offsets(checkpoint::RECOVERY_POINT, &points)?;
        }
        Ok(())
    }

    /// Names of the partition directories; what is left of deleted ones goes.
    fn partition_dirs(&self) -> Result<Vec<String>, LogError> {
        let storage = self.env.storage.as_ref();
        let entries = storage
            .file_names(&self.path)
            .map_err(|error| LogError::io("list", &self.path, error))?;
        let mut names = Vec::new();
        for entry in entries.into_iter().filter(|entry| entry.is_dir) {
            if entry.name.ends_with(dir_name::DELETED_SUFFIX) {
                let path = self.path.join(&entry.name);
                storage
                    .remove_dir_all(&path)
                    .map_err(|error| LogError::io("remove", &path, error))?;
            } else if dir_name::parse(&entry.name).is_some() {
                names.push(entry.name);
            }
        }
        Ok(names)
    }

    pub(crate) fn write_offsets(&self, name: &str, offsets: &Offsets) -> Result<(), LogError> {
        let path = self.path.join(name);
        self.env
            .storage
            .write_atomic(
                &path,
                checkpoint::write_offsets(offsets).as_bytes(),
                !self.env.temporary,
            )
            .map_err(|error| LogError::io("write", &path, error))
    }

    fn open_log(&self, config: &ManagerConfig, found: &Found, name: &str) -> Result<PartitionLog, LogError> {
        let key = dir_name::parse(name).map(|(topic, partition)| (topic.to_owned(), partition));
        let offset = |offsets: &Offsets| key.as_ref().and_then(|key| offsets.get(key)).copied().unwrap_or(0);
        let cleaned = key.as_ref().and_then(|key| found.cleaned.get(key)).copied();
        let context = OpenContext {
            now_ms: found.now_ms,
            clean_shutdown: found.clean_shutdown,
            recovery_point: offset(&found.recovery_points),
            log_start_offset: offset(&found.log_starts),
            high_watermark: offset(&found.high_watermarks),
            cleaned_offset: cleaned.unwrap_or(i64::MAX),
        };
        let mut options = config.defaults.clone();
        options.compact |= cleaned.is_some();
        let log = PartitionLog::open_in(self.env.clone(), self.path.join(name), None, options, context)?;
        log.set_cleaned_offset(cleaned);
        Ok(log)
    }

    /// Whether the marker was there; it is gone, durably, before the first write.
    fn take_clean_shutdown(&self) -> Result<bool, LogError> {
        let marker = self.path.join(CLEAN_SHUTDOWN);
        match self.env.storage.remove_file(&marker) {
            Ok(()) if self.env.temporary => Ok(true),
            Ok(()) => self
                .env
                .storage
                .sync_dir(&self.path)
                .map(|()| true)
                .map_err(|error| LogError::io("sync", &self.path, error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(LogError::io("remove", &marker, error)),
        }
    }

    /// A checkpoint file; a missing or damaged one says nothing, so that more is validated.
    fn load_offsets(&self, name: &str) -> Result<Offsets, LogError> {
        let path = self.path.join(name);
        let bytes = match self.env.storage.read_whole(&path, checkpoint::FILE_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Offsets::new()),
            Err(error) => return Err(LogError::io("read", &path, error)),
        };
        let offsets = std::str::from_utf8(&bytes).ok().and_then(checkpoint::parse_offsets);
        // An empty one Kafka makes at its start, before its first checkpoint.
        if offsets.is_none() && !bytes.is_empty() {
            log::warn!("{} is damaged and ignored", path.display());
        }
        Ok(offsets.unwrap_or_default())
    }
}
