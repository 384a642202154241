//! What the fetcher hands out: record batches, checked and decompressed. It decodes no records.

use std::sync::Arc;

use barnabas_records::BatchHeader;
use bytes::Bytes;

/// One record batch of one partition, CRC checked, decompressed.
#[derive(Clone, Debug)]
pub struct FetchedBatch {
    /// The topic.
    pub topic: Arc<str>,
    /// The partition.
    pub partition: i32,
    /// The partition leader's epoch that wrote the batch, -1 when unknown.
    pub leader_epoch: i32,
    /// The batch's header as it was on the wire; its codec bits say how the payload had been compressed.
    pub header: BatchHeader,
    /// The records' area, decompressed. A slice of the response's buffer when it was not compressed.
    pub payload: Bytes,
    /// Records below this offset are skipped.
    pub first_offset: i64,
    /// Records at or above this offset are skipped.
    pub end_offset: i64,
}
