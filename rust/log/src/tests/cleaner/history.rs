//! A log with keys and transactions, and what is known of it.

use std::collections::{BTreeMap, BTreeSet};

use barnabas_records::{
    BatchBuilder, BatchIter, Compression, ControlKey, EndTransactionMarker, RecordIter, Seal, build_control_batch,
    control_type,
};

use crate::cleaner::{CleanOutcome, CleanStats, Cleaner, CleanerConfig, FullSpeed};
use crate::partition_log::{AppendOrigin, PartitionLog};
use crate::tests::batches::NOW;

/// A record as it was written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) key: Vec<u8>,
    pub(super) value: Option<Vec<u8>>,
    pub(super) timestamp: i64,
}

/// What a batch of records looks like.
#[derive(Clone, Copy, Debug)]
pub(in crate::tests) struct Shape {
    pub(in crate::tests) compression: Compression,
    pub(in crate::tests) producer: Option<(i64, i16, i32)>,
    pub(in crate::tests) transactional: bool,
    pub(in crate::tests) timestamp: i64,
}

pub(in crate::tests) const PLAIN: Shape = Shape {
    compression: Compression::None,
    producer: None,
    transactional: false,
    timestamp: NOW,
};

/// Appends records of these keys; no value is a tombstone.
pub(in crate::tests) fn put(log: &PartitionLog, shape: Shape, records: &[(&str, Option<&str>)]) -> i64 {
    let mut builder = BatchBuilder::new(Vec::new());
    for (index, (key, value)) in (0..).zip(records) {
        builder
            .append(
                shape.timestamp + index,
                Some(key.as_bytes()),
                value.map(str::as_bytes),
                &[(b"h", None)],
            )
            .unwrap();
    }
    let (producer_id, producer_epoch, base_sequence) = shape.producer.unwrap_or((-1, -1, -1));
    let seal = Seal {
        compression: shape.compression,
        producer_id,
        producer_epoch,
        base_sequence,
        transactional: shape.transactional,
        ..Seal::default()
    };
    let mut bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
    let info = log
        .append(&mut bytes, 0, shape.timestamp, AppendOrigin::Internal)
        .unwrap();
    log.set_high_watermark(log.log_end_offset());
    info.base_offset
}

/// Ends a transaction.
pub(in crate::tests) fn end(
    log: &PartitionLog,
    producer_id: i64,
    producer_epoch: i16,
    commits: bool,
    timestamp: i64,
) -> i64 {
    let key = ControlKey {
        version: 0,
        control_type: if commits {
            control_type::COMMIT
        } else {
            control_type::ABORT
        },
    };
    let value = EndTransactionMarker {
        version: 0,
        coordinator_epoch: 1,
    };
    let seal = Seal {
        producer_id,
        producer_epoch,
        transactional: true,
        ..Seal::default()
    };
    let mut bytes = build_control_batch(Vec::new(), key, &value.to_bytes(), timestamp, &seal).unwrap();
    let info = log.append(&mut bytes, 0, timestamp, AppendOrigin::Internal).unwrap();
    log.set_high_watermark(log.log_end_offset());
    info.base_offset
}

/// One round over the whole dirty part.
pub(in crate::tests) fn clean(log: &PartitionLog, now_ms: i64) -> (i64, CleanStats) {
    clean_with(log, CleanerConfig::default(), now_ms)
}

pub(super) fn clean_with(log: &PartitionLog, config: CleanerConfig, now_ms: i64) -> (i64, CleanStats) {
    let dirty = log.dirty(now_ms).unwrap().unwrap();
    match Cleaner::new(config).clean(log, &dirty, now_ms, &FullSpeed).unwrap() {
        CleanOutcome::Done { end_offset, stats } => {
            log.set_cleaned_offset(Some(end_offset));
            (end_offset, stats)
        }
        CleanOutcome::GivenUp => panic!("nobody disturbed it"),
    }
}

/// What a log holds, read by offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    /// Data of any kind by offset.
    pub(super) records: BTreeMap<i64, Kept>,
    /// Offsets and types of markers.
    pub(super) markers: BTreeMap<i64, i16>,
    /// Base offsets of batches without records.
    pub(super) empty: BTreeSet<i64>,
    /// Offsets of records that a `read_committed` consumer does not get.
    pub(super) aborted: BTreeSet<i64>,
    /// Delete horizons by base offset.
    pub(super) horizons: BTreeMap<i64, i64>,
    /// Those of the batches that tombstones are in, by the tombstones' offsets.
    pub(super) tombstones: BTreeMap<i64, Option<i64>>,
}

impl Contents {
    /// Keys and values by offset.
    pub(super) fn texts(&self) -> Vec<(i64, String)> {
        let text = |kept: &Kept| {
            let value = kept
                .value
                .as_ref()
                .map_or("-".into(), |value| String::from_utf8_lossy(value));
            format!("{}={value}", String::from_utf8_lossy(&kept.key))
        };
        self.records
            .iter()
            .map(|(offset, kept)| (*offset, text(kept)))
            .collect()
    }
}

/// Reads everything in fetches of `max_bytes`, as a `read_committed` consumer does.
pub(super) fn read(log: &PartitionLog, max_bytes: usize) -> Contents {
    let mut contents = Contents::default();
    let mut offset = log.log_start_offset();
    while offset < log.log_end_offset() {
        let slice = log.read(offset, max_bytes, true, i64::MAX).unwrap();
        if slice.is_empty() {
            // The end of the log may have been compacted away up to the active segment.
            break;
        }
        let mut ahead = log.aborted_transactions_in(offset, &slice).unwrap();
        ahead.sort_by_key(|transaction| transaction.first_offset);
        let mut ahead = ahead.into_iter().peekable();
        let mut aborting = BTreeSet::new();
        let bytes = slice.read().unwrap();
        let mut batches = BatchIter::new(&bytes);
        for batch in batches.by_ref() {
            let batch = batch.unwrap();
            batch.check_crc().unwrap();
            let header = batch.header;
            assert!(header.next_offset() > offset, "offsets rise");
            while let Some(next) = ahead.next_if(|next| next.first_offset <= header.last_offset()) {
                aborting.insert(next.producer_id);
            }
            if header.record_count == 0 {
                contents.empty.insert(header.base_offset);
            }
            contents
                .horizons
                .extend(header.delete_horizon_ms().map(|horizon| (header.base_offset, horizon)));
            let mut scratch = Vec::new();
            let payload = batch.decompress_into(&mut scratch, 1 << 20).unwrap();
            for record in RecordIter::new(&header, payload) {
                let record = record.unwrap();
                let key = record.key.unwrap();
                if header.is_control() {
                    let control_type = ControlKey::parse(key).unwrap().control_type;
                    contents.markers.insert(record.offset, control_type);
                    if control_type == control_type::ABORT {
                        aborting.remove(&header.producer_id);
                    }
                    continue;
                }
                assert_eq!(record.headers.iter().collect::<Vec<_>>(), [(&b"h"[..], None)]);
                if header.is_transactional() && aborting.contains(&header.producer_id) {
                    contents.aborted.insert(record.offset);
                }
                if record.value.is_none() {
                    contents.tombstones.insert(record.offset, header.delete_horizon_ms());
                }
                let kept = Kept {
                    key: key.to_vec(),
                    value: record.value.map(<[u8]>::to_vec),
                    timestamp: record.timestamp,
                };
                assert_eq!(contents.records.insert(record.offset, kept), None, "served twice");
            }
            offset = header.next_offset();
        }
        assert_eq!(batches.rest(), [], "whole batches only");
    }
    contents
}
