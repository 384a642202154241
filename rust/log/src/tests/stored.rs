//! Batches as they stand in a log, decoded as far as tests compare them.

use barnabas_records::{BatchIter, BatchRef, ControlKey, EndTransactionMarker, RecordIter};

use crate::PartitionLog;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredRecord {
    pub(super) offset: i64,
    pub(super) timestamp: i64,
    pub(super) key: Option<Vec<u8>>,
    pub(super) value: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredMarker {
    pub(super) control_type: i16,
    pub(super) coordinator_epoch: i32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) base_offset: i64,
    pub(super) last_offset: i64,
    pub(super) leader_epoch: i32,
    pub(super) producer_id: i64,
    pub(super) producer_epoch: i16,
    pub(super) base_sequence: i32,
    pub(super) transactional: bool,
    pub(super) marker: Option<StoredMarker>,
    pub(super) max_timestamp: i64,
    pub(super) records: Vec<StoredRecord>,
    pub(super) size: usize,
}

impl Stored {
    pub(super) fn next_offset(&self) -> i64 {
        self.last_offset + 1
    }

    fn of(batch: &BatchRef<'_>) -> Self {
        batch.check_crc().unwrap();
        let header = batch.header;
        let mut scratch = Vec::new();
        let payload = batch.decompress_into(&mut scratch, 1 << 20).unwrap();
        let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
        let records: Vec<StoredRecord> = RecordIter::new(&header, payload)
            .map(|record| record.unwrap())
            .map(|record| StoredRecord {
                offset: record.offset,
                timestamp: record.timestamp,
                key: owned(record.key),
                value: owned(record.value),
            })
            .collect();
        // Compaction can leave a control batch without its record.
        let control = records.first().filter(|_| header.is_control());
        let marker = control.map(|record| StoredMarker {
            control_type: ControlKey::parse(record.key.as_ref().unwrap()).unwrap().control_type,
            coordinator_epoch: EndTransactionMarker::parse(record.value.as_ref().unwrap())
                .unwrap()
                .coordinator_epoch,
        });
        Self {
            base_offset: header.base_offset,
            last_offset: header.last_offset(),
            leader_epoch: header.partition_leader_epoch,
            producer_id: header.producer_id,
            producer_epoch: header.producer_epoch,
            base_sequence: header.base_sequence,
            transactional: header.is_transactional(),
            marker,
            max_timestamp: header.max_timestamp,
            records,
            size: batch.bytes.len(),
        }
    }
}

/// Whole, sound batches.
pub(super) fn decode_stored(bytes: &[u8]) -> Vec<Stored> {
    let mut batches = BatchIter::new(bytes);
    let decoded = batches.by_ref().map(|batch| Stored::of(&batch.unwrap())).collect();
    assert!(batches.rest().is_empty(), "whole batches only");
    decoded
}

/// All batches from the log's start to its end, by reads of at most `max_bytes`.
pub(super) fn read_stored(log: &PartitionLog, max_bytes: usize) -> Vec<Stored> {
    let mut offset = log.log_start_offset();
    let end = log.log_end_offset();
    let mut batches = Vec::new();
    while offset < end {
        let slice = log.read(offset, max_bytes, true, i64::MAX).unwrap();
        let found = decode_stored(&slice.read().unwrap());
        // A compacted log may end with offsets that no batch covers any more.
        let Some(last) = found.last() else { break };
        assert!(last.next_offset() > offset, "a read at {offset} went back");
        offset = last.next_offset();
        batches.extend(found);
    }
    batches
}
