//! Kafka partition logs on disk: segments, indexes, recovery, producer state.
//!
//! A [`PartitionLog`] is one `<topic>-<partition>` directory in Kafka's own bytes; a [`LogManager`] owns the data
//! directories. All file access goes through [`Storage`]. This crate knows no sockets, no requests and no clock:
//! callers pass `now_ms`.

mod appender;
mod checkpoint;
mod cleaner;
mod config;
mod data_dir;
mod deletion;
mod dir_name;
mod env;
mod epoch_cache;
mod error;
mod file_pool;
mod file_storage;
mod flush;
mod index_file;
mod leftovers;
mod manager;
mod meta_properties;
mod offset_index;
mod partition_log;
mod partition_metadata;
mod pieces;
mod producer_recovery;
mod producer_state;
mod reader;
mod recovery;
mod retention;
mod scan;
mod segment;
mod segment_walk;
mod storage;
mod time_index;
mod transactions;
mod truncation;
mod trusted_segment;
mod txn_index;
mod unopened;
mod upkeep;
mod uuid;
mod validate;

#[cfg(test)]
mod tests;

pub use cleaner::{
    CleanOutcome, CleanStats, Cleaner, CleanerConfig, Dirty, FullSpeed, LogToClean, Pace, Round, Throttle,
};
pub use config::{LogConfig, TargetCompression, TimestampType};
pub use error::{AppendError, LogError, RecordError};
pub use file_storage::FileStorage;
pub use manager::{LogManager, ManagerConfig};
pub use partition_log::{
    AppendInfo, AppendOrigin, EpochEndOffset, OpenContext, PartitionLog, ReadSlice, TimestampOffset,
};
pub use pieces::give_way_between_writes;
pub use retention::Retained;
pub use storage::{DirEntry, EmptyFile, FileName, OpenMode, Storage, StorageFile, StorageLock};
pub use truncation::EpochTruncation;
pub use txn_index::AbortedTransaction;
pub use upkeep::RemovedSegments;
