//! Batches for the tests, and logs read back.

use std::path::PathBuf;
use std::sync::Arc;

use barnabas_records::{BatchBuilder, BatchIter, BatchRef, Compression, RecordIter, Seal};

use crate::partition_log::{AppendInfo, AppendOrigin, OpenContext, PartitionLog};
use crate::storage::Storage;
use crate::{AppendError, LogConfig};

pub(super) const TOPIC_ID: [u8; 16] = [7; 16];
pub(super) const NOW: i64 = 1_700_000_000_000;

/// A batch of `count` records with values of `value_len` bytes and timestamps `timestamp`, `timestamp + 1`, …
pub(super) fn batch_with(seal: &Seal, count: i32, value_len: usize, timestamp: i64) -> Vec<u8> {
    let mut builder = BatchBuilder::new(Vec::new());
    for index in 0..count {
        let value = vec![b'a' + u8::try_from(index % 26).unwrap(); value_len];
        builder
            .append(timestamp + i64::from(index), Some(b"key"), Some(&value), &[])
            .unwrap();
    }
    builder.finish(seal, &mut Vec::new()).unwrap()
}

pub(super) fn batch(count: i32, value_len: usize) -> Vec<u8> {
    batch_with(&Seal::default(), count, value_len, NOW)
}

pub(super) fn compressed(compression: Compression, count: i32) -> Vec<u8> {
    batch_with(
        &Seal {
            compression,
            ..Seal::default()
        },
        count,
        50,
        NOW,
    )
}

/// A batch of an idempotent producer.
pub(super) fn produced(producer_id: i64, producer_epoch: i16, base_sequence: i32, count: i32) -> Vec<u8> {
    batch_with(
        &Seal {
            producer_id,
            producer_epoch,
            base_sequence,
            ..Seal::default()
        },
        count,
        10,
        NOW,
    )
}

pub(super) fn small_segments() -> LogConfig {
    LogConfig {
        segment_bytes: 2000,
        index_interval_bytes: 100,
        ..LogConfig::default()
    }
}

pub(super) fn dir() -> PathBuf {
    PathBuf::from("/data/topic-0")
}

pub(super) fn open(storage: &Arc<dyn Storage>, config: LogConfig) -> PartitionLog {
    open_at(storage, config, OpenContext::unclean(NOW))
}

pub(super) fn open_clean(storage: &Arc<dyn Storage>, config: LogConfig) -> PartitionLog {
    open_at(
        storage,
        config,
        OpenContext {
            clean_shutdown: true,
            ..OpenContext::unclean(NOW)
        },
    )
}

pub(super) fn open_at(storage: &Arc<dyn Storage>, config: LogConfig, context: OpenContext) -> PartitionLog {
    PartitionLog::open(Arc::clone(storage), dir(), TOPIC_ID, config, context).unwrap()
}

pub(super) fn append(log: &PartitionLog, batch: &[u8]) -> AppendInfo {
    try_append(log, batch).unwrap()
}

pub(super) fn try_append(log: &PartitionLog, batch: &[u8]) -> Result<AppendInfo, AppendError> {
    log.append(&mut batch.to_vec(), 0, NOW, AppendOrigin::Client)
}

/// One batch as it is read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadBatch {
    pub(super) base_offset: i64,
    pub(super) leader_epoch: i32,
    pub(super) records: Vec<(i64, i64, Vec<u8>)>,
}

pub(super) fn decode(bytes: &[u8]) -> Vec<ReadBatch> {
    let mut batches = BatchIter::new(bytes);
    let decoded = batches.by_ref().map(|batch| decode_one(&batch.unwrap())).collect();
    assert_eq!(batches.rest(), [], "whole batches only");
    decoded
}

fn decode_one(batch: &BatchRef<'_>) -> ReadBatch {
    batch.check_crc().unwrap();
    let mut scratch = Vec::new();
    let payload = batch.decompress_into(&mut scratch, 1 << 20).unwrap();
    let records = RecordIter::new(&batch.header, payload)
        .map(|record| {
            let record = record.unwrap();
            (record.offset, record.timestamp, record.value.unwrap().to_vec())
        })
        .collect();
    ReadBatch {
        base_offset: batch.header.base_offset,
        leader_epoch: batch.header.partition_leader_epoch,
        records,
    }
}

/// All batches of the log, by reads of at most `max_bytes`.
pub(super) fn read_all(log: &PartitionLog, max_bytes: usize) -> Vec<ReadBatch> {
    let mut offset = log.log_start_offset();
    let mut batches = Vec::new();
    while offset < log.log_end_offset() {
        let slice = log.read(offset, max_bytes, true, i64::MAX).unwrap();
        assert!(!slice.is_empty(), "nothing at {offset} of {}", log.log_end_offset());
        let found = decode(&slice.read().unwrap());
        offset = found.last().unwrap().records.last().unwrap().0 + 1;
        batches.extend(found);
    }
    batches
}

/// Base offsets of all batches.
pub(super) fn base_offsets(log: &PartitionLog) -> Vec<i64> {
    read_all(log, 1 << 20).iter().map(|batch| batch.base_offset).collect()
}
