//! The data directories of a broker and the partition logs in them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use crate::checkpoint::{self, Offsets};
use crate::cleaner::Cleaning;
use crate::config::LogConfig;
use crate::data_dir::{CLEAN_SHUTDOWN, CLEAN_SHUTDOWN_TEXT, DataDir, each_in_parallel};
use crate::dir_name;
use crate::env::{LogEnv, lock, read, write};
use crate::error::LogError;
use crate::file_pool::FilePool;
use crate::meta_properties;
use crate::partition_log::{OpenContext, PartitionLog};
use crate::storage::Storage;
use crate::unopened::Unopened;

/// What a broker tells its log manager.
#[derive(Clone, Debug)]
pub struct ManagerConfig {
    /// `log.dirs`; each is created when it is missing.
    pub data_dirs: Vec<PathBuf>,
    /// Must agree with `meta.properties`, where it is written at the first start.
    pub cluster_id: String,
    /// Must agree with `meta.properties`, where it is written at the first start.
    pub node_id: i32,
    /// The data need not survive this process: nothing is ever synced to disk.
    pub temporary: bool,
    /// Files of idle partitions and sealed segments are closed beyond this number.
    pub open_files_max: usize,
    /// `num.recovery.threads.per.data.dir`: threads that open and close the partitions of a data directory, at least one.
    pub recovery_threads: usize,
    /// Options of logs found on disk, until [`PartitionLog::set_config`].
    pub defaults: LogConfig,
}

pub(crate) type Partitions = HashMap<String, BTreeMap<i32, Arc<PartitionLog>>>;

/// Owns the data directories of a broker.
#[derive(Debug)]
pub struct LogManager {
    storage: Arc<dyn Storage>,
    config: ManagerConfig,
    pub(crate) dirs: Vec<DataDir>,
    logs: RwLock<Partitions>,
    /// Partitions that are asked for and not here are new ones; see [`LogManager::all_known`].
    is_all_known: AtomicBool,
    unopened: Unopened,
    /// Which logs are being compacted, and which cannot be.
    pub(crate) cleaning: Mutex<Cleaning>,
}

impl LogManager {
    /// Locks the data directories, checks `meta.properties` and opens every partition found. A directory whose device
    /// fails is left out, as long as there is another one; its partitions are refused as offline, and so is a partition
    /// that cannot be read.
    pub fn open(storage: Arc<dyn Storage>, config: ManagerConfig, now_ms: i64) -> Result<Self, LogError> {
        let files = FilePool::new(Arc::clone(&storage), config.open_files_max);
        let mut dirs: Vec<DataDir> = Vec::with_capacity(config.data_dirs.len());
        let mut logs = Partitions::new();
        let unopened = Unopened::default();
        let mut failure = None;
        for path in &config.data_dirs {
            let env = LogEnv::new(Arc::clone(&storage), Arc::clone(&files), config.temporary);
            let opened = DataDir::open(path, env.clone(), &config).and_then(|dir| {
                if let Some(twin) = dirs.iter().find(|twin| twin.id == dir.id) {
                    return Err(LogError::MetaMismatch {
                        path: path.join(meta_properties::FILE_NAME),
                        key: "directory.id",
                        expected: "one of its own".to_owned(),
                        found: format!("{}, as {}", dir.id, twin.path.display()),
                    });
                }
                dir.open_logs(&config, now_ms, &mut logs, &unopened)?;
                Ok(dir)
            });
            match opened {
                Ok(dir) => dirs.push(dir),
                Err(error @ LogError::Io { .. }) => {
                    failure = Some(env.health.fail(error));
                    dirs.push(DataDir::unread(path, env));
                }
                Err(error) => return Err(error),
            }
        }
        match failure {
            Some(error) if dirs.iter().all(|dir| dir.is_unread) => return Err(error),
            _ => {}
        }
        Ok(Self {
            storage,
            config,
            dirs,
            logs: RwLock::new(logs),
            is_all_known: AtomicBool::new(false),
            unopened,
            cleaning: Mutex::default(),
        })
    }

    /// Every partition that existed before was asked for: others are new ones, which may be made though a data directory
    /// could not be read. Until then such a partition may lie in that directory, and a second, empty log of it must not
    /// be made in another one.
    pub fn all_known(&self) {
        self.is_all_known.store(true, Ordering::Release);
    }

    /// The data directories that have failed, with the reason.
    pub fn offline_dirs(&self) -> Vec<(PathBuf, String)> {
        let failed = |dir: &DataDir| dir.env.health.failure().map(|reason| (dir.path.clone(), reason));
        self.dirs.iter().filter_map(failed).collect()
    }

    /// The partitions that could not be opened, with the reason.
    pub fn unopened(&self) -> Vec<(String, i32, String)> {
        self.unopened.list()
    }

    /// The cluster id in `meta.properties` of a data directory, if it has one.
    pub fn stored_cluster_id(storage: &dyn Storage, data_dir: &Path) -> Result<Option<String>, LogError> {
        Ok(meta_properties::load(storage, data_dir)?.and_then(|properties| properties.cluster_id))
    }

    /// The log of a partition, if it is here.
    pub fn get(&self, topic: &str, partition: i32) -> Option<Arc<PartitionLog>> {
        read(&self.logs).get(topic)?.get(&partition).cloned()
    }

    /// The log of a partition, made if it is missing; `TopicIdMismatch` when the directory holds another topic's data.
    /// A log that exists gets the new options.
    pub fn get_or_create(
        &self,
        topic: &str,
        partition: i32,
        topic_id: [u8; 16],
        config: LogConfig,
        now_ms: i64,
    ) -> Result<Arc<PartitionLog>, LogError> {
        self.get_or_create_in(None, topic, partition, topic_id, config, now_ms)
    }

    /// As [`get_or_create`](Self::get_or_create), with a new log in the first data directory: where the metadata log
    /// lives.
    pub fn get_or_create_in_first(
        &self,
        topic: &str,
        partition: i32,
        topic_id: [u8; 16],
        config: LogConfig,
        now_ms: i64,
    ) -> Result<Arc<PartitionLog>, LogError> {
        self.get_or_create_in(self.dirs.first(), topic, partition, topic_id, config, now_ms)
    }

    fn get_or_create_in(
        &self,
        dir: Option<&DataDir>,
        topic: &str,
        partition: i32,
        topic_id: [u8; 16],
        config: LogConfig,
        now_ms: i64,
    ) -> Result<Arc<PartitionLog>, LogError> {
        self.unopened.check(topic, partition)?;
        if self.get(topic, partition).is_none() {
            self.forget_checkpoints(topic, partition)?;
        }
        let mut logs = write(&self.logs);
        if let Some(log) = logs.get(topic).and_then(|partitions| partitions.get(&partition)) {
            log.adopt_topic_id(topic_id)?;
            log.set_config(config);
            return Ok(Arc::clone(log));
        }
        if let Some(unread) = self.dirs.iter().find(|dir| dir.is_unread)
            && !self.is_all_known.load(Ordering::Acquire)
        {
            unread.env.health.check()?;
        }
        let dir = match dir {
            Some(dir) => dir,
            None => self.dir_for_new(&logs)?,
        };
        let path = dir.path.join(dir_name::of(topic, partition));
        let context = OpenContext::unclean(now_ms);
        let log = Arc::new(PartitionLog::open_in(
            dir.env.clone(),
            path,
            Some(topic_id),
            config,
            context,
        )?);
        logs.entry(topic.to_owned())
            .or_default()
            .insert(partition, Arc::clone(&log));
        Ok(log)
    }

    /// Takes a partition that is not here out of the checkpoint files before it is made anew: after a crash the new log
    /// would be taken to be on disk up to the old one's recovery point, and to begin at the old one's start.
    fn forget_checkpoints(&self, topic: &str, partition: i32) -> Result<(), LogError> {
        let key = (topic.to_owned(), partition);
        for dir in &self.dirs {
            if lock(&dir.checkpointed).contains(&key) && dir.env.health.check().is_ok() {
                self.write_checkpoints(dir)?;
            }
        }
        Ok(())
    }

    /// The healthy data directory with the fewest partitions, as in Kafka.
    fn dir_for_new(&self, logs: &Partitions) -> Result<&DataDir, LogError> {
        let count = |dir: &DataDir| {
            let here = |log: &&Arc<PartitionLog>| log.dir().parent() == Some(dir.path.as_path());
            logs.values().flat_map(BTreeMap::values).filter(here).count()
        };
        let mut failure = LogError::Offline {
            reason: "no data directory is configured".to_owned(),
        };
        let mut best: Option<(usize, &DataDir)> = None;
        for dir in &self.dirs {
            match dir.env.health.check() {
                Err(error) => failure = error,
                Ok(()) if self.dirs.len() == 1 => return Ok(dir),
                Ok(()) => {
                    let count = count(dir);
                    if best.is_none_or(|(least, _)| count < least) {
                        best = Some((count, dir));
                    }
                }
            }
        }
        best.map(|(_, dir)| dir).ok_or(failure)
    }

    /// All partitions here, sorted.
    pub fn partitions(&self) -> Vec<(String, i32, Arc<PartitionLog>)> {
        let mut all: Vec<_> = read(&self.logs)
            .iter()
            .flat_map(|(topic, logs)| {
                logs.iter()
                    .map(|(partition, log)| (topic.clone(), *partition, Arc::clone(log)))
            })
            .collect();
        all.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        all
    }

    /// Removes a partition's log from the manager; its directory is renamed, and removed when `file.delete.delay.ms` is
    /// over.
    pub fn delete(&self, topic: &str, partition: i32, now_ms: i64) -> Result<(), LogError> {
        let log = {
            let mut logs = write(&self.logs);
            let unknown = || LogError::UnknownPartition {
                topic: topic.to_owned(),
                partition,
            };
            let partitions = logs.get_mut(topic).ok_or_else(unknown)?;
            let log = partitions.remove(&partition).ok_or_else(unknown)?;
            if partitions.is_empty() {
                logs.remove(topic);
            }
            log
        };
        log.delete(now_ms)
    }

    /// Flushes sealed segments, forgets idle producers and writes the checkpoint files. A data directory that fails
    /// goes offline; the others are served first, then the failure is returned.
    pub fn checkpoint(&self, now_ms: i64) -> Result<(), LogError> {
        let mut outcome = Ok(());
        for dir in self.healthy_dirs() {
            let mut attempt = Ok(());
            for (_, _, log) in self.partitions_in(dir) {
                attempt = attempt.and_then(|()| {
                    log.expire_producers(now_ms)?;
                    log.flush_sealed().map(|_| ())
                });
            }
            outcome = outcome.and(attempt.and_then(|()| self.write_checkpoints(dir)));
        }
        outcome
    }

    /// Writes the checkpoint files of the data directories that hold `logs`.
    pub fn checkpoint_dirs_of(&self, logs: &[Arc<PartitionLog>]) -> Result<(), LogError> {
        for dir in self.healthy_dirs() {
            if logs.iter().any(|log| log.dir().parent() == Some(dir.path.as_path())) {
                self.write_checkpoints(dir)?;
            }
        }
        Ok(())
    }

    /// Forgets idle producers, closes every log, writes the checkpoints and the clean-shutdown marker, and lets go of
    /// the locks. A data directory with a failure gets no marker, so that the next start validates it.
    pub fn shutdown(&self, now_ms: i64) -> Result<(), LogError> {
        let mut outcome = Ok(());
        for dir in &self.dirs {
            // All of them, also behind one that fails; they wait for the disk more than they compute.
            let logs = self.partitions_in(dir);
            let closed = each_in_parallel(self.config.recovery_threads, &logs, |(_, _, log)| {
                Ok(log.expire_producers(now_ms).and_then(|()| log.close()))
            });
            let closed = closed.and_then(|closed| closed.into_iter().collect::<Result<(), _>>());
            let closed = closed.and_then(|()| self.write_checkpoints(dir)).and_then(|()| {
                let marker = dir.path.join(CLEAN_SHUTDOWN);
                dir.env
                    .storage
                    .write_atomic(&marker, CLEAN_SHUTDOWN_TEXT, !self.config.temporary)
                    .map_err(|error| LogError::io("write", &marker, error))
            });
            lock(&dir.lock).take();
            outcome = outcome.and(closed);
        }
        outcome
    }

    /// Where the data directories are.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// The data directories, in the order of the configuration.
    pub fn data_dirs(&self) -> &[PathBuf] {
        &self.config.data_dirs
    }

    pub(crate) fn healthy_dirs(&self) -> impl Iterator<Item = &DataDir> {
        self.dirs.iter().filter(|dir| dir.env.health.check().is_ok())
    }

    pub(crate) fn partitions_in(&self, dir: &DataDir) -> Vec<(String, i32, Arc<PartitionLog>)> {
        let mut partitions = self.partitions();
        partitions.retain(|(_, _, log)| log.dir().parent() == Some(dir.path.as_path()));
        partitions
    }

    pub(crate) fn write_checkpoints(&self, dir: &DataDir) -> Result<(), LogError> {
        // Held all along: of two writers one would rename what the other is still writing.
        let mut checkpointed = lock(&dir.checkpointed);
        let (mut recovery_points, mut log_starts, mut high_watermarks, mut cleaned) =
            (Offsets::new(), Offsets::new(), Offsets::new(), Offsets::new());
        for (topic, partition, log) in self.partitions_in(dir) {
            let first = log.segments().first().map(|segment| segment.base_offset);
            let key = (topic, partition);
            let start = log.log_start_offset();
            // A log without segments, or with a first one that was never flushed, has its start nowhere else on disk.
            if start > first.unwrap_or(0) || (start > 0 && log.recovery_point() <= start) {
                log_starts.insert(key.clone(), log.log_start_offset());
            }
            if first.is_none() {
                continue;
            }
            high_watermarks.insert(key.clone(), log.high_watermark());
            cleaned.extend(log.cleaned_offset().map(|offset| (key.clone(), offset)));
            recovery_points.insert(key, log.recovery_checkpoint());
        }
        self.unopened.keep_checkpoints(
            &dir.path,
            [
                &mut recovery_points,
                &mut log_starts,
                &mut high_watermarks,
                &mut cleaned,
            ],
        );
        checkpointed.clear();
        checkpointed.extend(recovery_points.keys().chain(log_starts.keys()).cloned());
        let files = [
            (checkpoint::RECOVERY_POINT, recovery_points),
            (checkpoint::LOG_START, log_starts),
            (checkpoint::HIGH_WATERMARK, high_watermarks),
            (checkpoint::CLEANED, cleaned),
        ];
        for (name, offsets) in files {
            dir.write_offsets(name, &offsets)
                .map_err(|error| dir.env.health.fail(error))?;
        }
        Ok(())
    }
}
