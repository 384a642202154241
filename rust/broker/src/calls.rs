//! The control plane's calls: append, read, watch, info, store and load.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use barnabas_log::AppendOrigin;
use barnabas_records::{BatchBuilder, BatchIter, ControlKey, Seal};
use barnabas_wire::errors::ErrorCode;

use crate::broker::Broker;
use crate::control::{Event, WatchKind};
use crate::error::BrokerError;
use crate::partition::{Commit, Partition, log_error_code};

/// Largest file that [`Broker::load`] reads.
const STORED_FILE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Largest read of the control plane.
const READ_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Key and value of a record.
pub type KeyValue<'a> = (Option<&'a [u8]>, Option<&'a [u8]>);

/// Type and value of a control record.
pub type TypeValue<'a> = (i16, &'a [u8]);

/// Where a partition stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionInfo {
    /// The first offset.
    pub log_start_offset: i64,
    /// Up to here everything is committed.
    pub high_watermark: i64,
    /// Up to here every transaction is decided.
    pub last_stable_offset: i64,
    /// The end.
    pub log_end_offset: i64,
    /// The leader's epoch.
    pub leader_epoch: i32,
}

impl Broker {
    /// Appends records as one batch. The offset of the first is returned at once; an event tells when they are
    /// committed, or that they will not be.
    pub(crate) fn append_records(
        self: &Arc<Self>,
        topic: &str,
        index: i32,
        leader_epoch: i32,
        records: &[KeyValue<'_>],
        timestamp_ms: i64,
    ) -> Result<i64, BrokerError> {
        let seal = Seal {
            leader_epoch,
            ..Seal::default()
        };
        self.append_sealed(topic, index, records, timestamp_ms, &seal)
    }

    /// The same of control records (of the metadata log: leader change, voters …).
    pub(crate) fn append_control_records(
        self: &Arc<Self>,
        topic: &str,
        index: i32,
        leader_epoch: i32,
        records: &[TypeValue<'_>],
        timestamp_ms: i64,
    ) -> Result<i64, BrokerError> {
        let key = |control_type| {
            ControlKey {
                version: 0,
                control_type,
            }
            .to_bytes()
        };
        let keys: Vec<[u8; 4]> = records.iter().map(|(control_type, _)| key(*control_type)).collect();
        let records: Vec<KeyValue<'_>> = keys
            .iter()
            .zip(records)
            .map(|(key, (_, value))| (Some(key.as_slice()), Some(*value)))
            .collect();
        let seal = Seal {
            leader_epoch,
            control: true,
            ..Seal::default()
        };
        self.append_sealed(topic, index, &records, timestamp_ms, &seal)
    }

    fn append_sealed(
        self: &Arc<Self>,
        topic: &str,
        index: i32,
        records: &[KeyValue<'_>],
        timestamp_ms: i64,
        seal: &Seal,
    ) -> Result<i64, BrokerError> {
        let partition = self.writable(topic, index, seal.leader_epoch)?;
        if records.is_empty() {
            return Err(BrokerError::NothingToAppend);
        }
        let mut builder = BatchBuilder::new(Vec::new());
        for (key, value) in records {
            builder.append(timestamp_ms, *key, *value, &[])?;
        }
        let batch = builder.finish(seal, &mut Vec::new())?;
        self.append_batch(&partition, seal.leader_epoch, batch)
    }

    fn writable(&self, topic: &str, index: i32, leader_epoch: i32) -> Result<Arc<Partition>, BrokerError> {
        if self.is_stopping() {
            return Err(BrokerError::Stopping);
        }
        let not_leader = || BrokerError::NotLeader {
            topic: topic.to_owned(),
            partition: index,
        };
        let partition = self
            .partition(topic, index)
            .filter(|partition| partition.is_leader())
            .ok_or_else(not_leader)?;
        let current = partition.leader_epoch();
        if leader_epoch > current && partition.commit == Commit::Voters {
            // The metadata log's leader is elected by its voters, not published in the image.
            partition.lead(true, leader_epoch, false);
        } else if leader_epoch != current {
            let topic = topic.to_owned();
            return Err(BrokerError::FencedLeaderEpoch {
                topic,
                partition: index,
                given: leader_epoch,
                current,
            });
        }
        Ok(partition)
    }

    fn append_batch(
        self: &Arc<Self>,
        partition: &Arc<Partition>,
        leader_epoch: i32,
        mut batch: Vec<u8>,
    ) -> Result<i64, BrokerError> {
        let info = partition.append(&mut batch, leader_epoch, self.wall_clock_ms(), AppendOrigin::Internal)?;
        self.metrics.control_appends.increment();
        partition.announce(info.last_offset);
        if partition.commit == Commit::Voters || info.flush_due {
            self.commit_after_flush(partition, info.last_offset, info.bytes);
        } else if info.rolled {
            self.flush_sealed(partition);
        }
        Ok(info.base_offset)
    }

    /// A voter's vote for a record is that it has it on disk.
    fn commit_after_flush(self: &Arc<Self>, partition: &Arc<Partition>, last_offset: i64, bytes: usize) {
        let advance = {
            let partition = Arc::clone(partition);
            move |code: ErrorCode| {
                if !code.is_ok() {
                    partition.fail_announcements(code);
                    partition.tell_watcher(WatchKind::Failed);
                } else if partition.commit == Commit::Voters {
                    partition.advance_high_watermark(last_offset.saturating_add(1), bytes);
                }
            }
        };
        if self.config.temporary {
            advance(ErrorCode::NONE);
        } else {
            self.metrics.flushes.increment();
            partition.flush(&self.helpers, Box::new(advance));
        }
    }

    /// Reads whole batches below the high watermark on a helper thread; an event brings them.
    pub(crate) fn read_records(self: &Arc<Self>, topic: &str, index: i32, offset: i64, max_bytes: usize) -> u64 {
        let token = self.control.token();
        let partition = self.partition(topic, index);
        let broker = Arc::clone(self);
        self.helpers.run(move || {
            let result = match partition {
                Some(partition) => read_batches(&partition, offset, max_bytes.min(READ_BYTES_MAX)),
                None => Err(ErrorCode::NOT_LEADER_OR_FOLLOWER),
            };
            let (error_code, batches, next_offset, log_end_offset) = match result {
                Ok((batches, next_offset, log_end_offset)) => (0, batches, next_offset, log_end_offset),
                Err(error) => (error.code(), Vec::new(), offset, -1),
            };
            let stamp_ms = broker.control.clock.now();
            broker.control.push(Event::Read {
                stamp_ms,
                token,
                error_code,
                batches,
                next_offset,
                log_end_offset,
            });
        });
        token
    }

    /// Tells the control plane of a partition's readiness, movements and end from now on.
    pub(crate) fn watch(&self, topic: &str, index: i32) {
        // Under the turn, so that a partition that is being created is seen by one side.
        let _turn = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        self.watches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((topic.to_owned(), index));
        if let Some(partition) = self.partition(topic, index) {
            partition.watched.store(true, Ordering::SeqCst);
            if partition.is_leader() {
                partition.tell_watcher(WatchKind::Ready);
            }
        }
    }

    /// Where a partition stands, if it is here.
    pub(crate) fn info(&self, topic: &str, index: i32) -> Option<PartitionInfo> {
        let partition = self.partition(topic, index)?;
        let log = &partition.log;
        Some(PartitionInfo {
            log_start_offset: log.log_start_offset(),
            high_watermark: log.high_watermark(),
            last_stable_offset: log.last_stable_offset(),
            log_end_offset: log.log_end_offset(),
            leader_epoch: partition.leader_epoch(),
        })
    }

    /// Lets a log begin later, at most at its high watermark, and removes the segments that end before. Returns its
    /// beginning, which is durable.
    pub(crate) fn delete_records(&self, topic: &str, index: i32, before_offset: i64) -> Result<i64, BrokerError> {
        let partition = self.partition(topic, index).ok_or_else(|| BrokerError::NotLeader {
            topic: topic.to_owned(),
            partition: index,
        })?;
        let start = partition.log.delete_records(before_offset, self.wall_clock_ms())?;
        self.logs.checkpoint_dirs_of(&[Arc::clone(&partition.log)])?;
        Ok(start)
    }

    /// Bytes of a partition's segments, if it is here.
    pub(crate) fn log_size(&self, topic: &str, index: i32) -> Option<u64> {
        Some(self.partition(topic, index)?.log.size_in_bytes())
    }

    /// Replaces a small file beside the metadata log, so that a crash leaves the old or the new contents.
    pub(crate) fn store(&self, name: &str, data: &[u8]) -> Result<(), BrokerError> {
        let dir = self.metadata_dir();
        let path = dir.join(file_name(name)?);
        self.storage
            .create_dir_all(&dir)
            .and_then(|()| self.storage.write_atomic(&path, data, !self.config.temporary))
            .map_err(|source| BrokerError::File {
                path: path.display().to_string(),
                source,
            })
    }

    /// Reads such a file; `None` if there is none.
    pub(crate) fn load(&self, name: &str) -> Result<Option<Vec<u8>>, BrokerError> {
        let path = self.metadata_dir().join(file_name(name)?);
        match self.storage.read_whole(&path, STORED_FILE_BYTES_MAX) {
            Ok(data) => Ok(Some(data)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(BrokerError::File {
                path: path.display().to_string(),
                source,
            }),
        }
    }
}

fn read_batches(partition: &Partition, offset: i64, max_bytes: usize) -> Result<(Vec<u8>, i64, i64), ErrorCode> {
    let log = &partition.log;
    let slice = log
        .read(offset, max_bytes, true, log.high_watermark())
        .map_err(|error| log_error_code(&error))?;
    let mut batches = vec![0; slice.len];
    slice
        .file
        .read_exact_at(&mut batches, slice.position)
        .map_err(|_| ErrorCode::KAFKA_STORAGE_ERROR)?;
    let mut next_offset = offset;
    for batch in BatchIter::new(&batches) {
        let batch = batch.map_err(|_| ErrorCode::CORRUPT_MESSAGE)?;
        batch.check_crc().map_err(|_| ErrorCode::CORRUPT_MESSAGE)?;
        next_offset = batch.header.last_offset().saturating_add(1);
    }
    Ok((batches, next_offset, log.log_end_offset()))
}

/// A name that cannot leave its directory.
fn file_name(name: &str) -> Result<&str, BrokerError> {
    let is_fine = !name.is_empty()
        && !name.starts_with('.')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    if is_fine {
        Ok(name)
    } else {
        Err(BrokerError::FileName(name.to_owned()))
    }
}
