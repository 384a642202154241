//! The data directories of a broker and the partition logs in them.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::LogConfig;
use crate::error::LogError;
use crate::partition_log::PartitionLog;
use crate::storage::Storage;

/// What a broker tells its log manager.
#[derive(Clone, Debug)]
pub struct ManagerConfig {
    /// `log.dirs`; each is created when it is missing.
    pub data_dirs: Vec<PathBuf>,
    /// Must agree with `meta.properties`, where it is written at the first start.
    pub cluster_id: String,
    /// Must agree with `meta.properties`, where it is written at the first start.
    pub node_id: i32,
    /// The data need not survive this process: nothing is ever flushed.
    pub temporary: bool,
    /// Files of idle partitions are closed beyond this number.
    pub open_files_max: usize,
    /// Options of logs found on disk, until [`PartitionLog::set_config`].
    pub defaults: LogConfig,
}

/// Owns the data directories of a broker.
#[derive(Debug)]
pub struct LogManager {
    config: ManagerConfig,
}

impl LogManager {
    /// Locks the data directories, checks `meta.properties` and opens every partition found.
    pub fn open(storage: Arc<dyn Storage>, config: ManagerConfig, now_ms: i64) -> Result<Self, LogError> {
        let _ = (storage, now_ms);
        Ok(Self { config })
    }

    /// The cluster id in `meta.properties` of a data directory, if it has one.
    pub fn stored_cluster_id(storage: &dyn Storage, data_dir: &std::path::Path) -> Result<Option<String>, LogError> {
        let _ = (storage, data_dir);
        unimplemented!()
    }

    /// The log of a partition, if it is here.
    pub fn get(&self, topic: &str, partition: i32) -> Option<Arc<PartitionLog>> {
        let _ = (topic, partition);
        unimplemented!()
    }

    /// The log of a partition, made if it is missing; `TopicIdMismatch` when the directory holds another topic's data.
    pub fn get_or_create(
        &self,
        topic: &str,
        partition: i32,
        topic_id: [u8; 16],
        config: LogConfig,
        now_ms: i64,
    ) -> Result<Arc<PartitionLog>, LogError> {
        let _ = (topic, partition, topic_id, config, now_ms);
        unimplemented!()
    }

    /// All partitions here, sorted.
    pub fn partitions(&self) -> Vec<(String, i32, Arc<PartitionLog>)> {
        unimplemented!()
    }

    /// Removes a partition's log from the manager and from the disk.
    pub fn delete(&self, topic: &str, partition: i32) -> Result<(), LogError> {
        let _ = (topic, partition);
        unimplemented!()
    }

    /// Flushes sealed segments and writes the checkpoint files.
    pub fn checkpoint(&self, now_ms: i64) -> Result<(), LogError> {
        let _ = now_ms;
        unimplemented!()
    }

    /// Closes every log, writes the checkpoints and the clean-shutdown marker.
    pub fn shutdown(&self, now_ms: i64) -> Result<(), LogError> {
        let _ = now_ms;
        unimplemented!()
    }

    /// The data directories, in the order of the configuration.
    pub fn data_dirs(&self) -> &[PathBuf] {
        &self.config.data_dirs
    }
}
