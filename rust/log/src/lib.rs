//! Kafka partition logs on disk: segments, indexes, recovery, producer state.
//!
//! A [`PartitionLog`] is one `<topic>-<partition>` directory in Kafka's own bytes; a [`LogManager`] owns the data
//! directories. All file access goes through [`Storage`]. This crate knows no sockets, no requests and no clock:
//! callers pass `now_ms`.

mod config;
mod error;
mod file_storage;
mod manager;
mod partition_log;
mod storage;

pub use config::{LogConfig, TimestampType};
pub use error::{AppendError, LogError, RecordError};
pub use file_storage::FileStorage;
pub use manager::{LogManager, ManagerConfig};
pub use partition_log::{
    AppendInfo, AppendOrigin, EpochEndOffset, OpenContext, PartitionLog, ReadSlice, TimestampOffset,
};
pub use storage::{DirEntry, EmptyFile, OpenMode, Storage, StorageFile, StorageLock};
