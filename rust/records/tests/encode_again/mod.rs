//! What our encoder makes of a batch that another encoder wrote.

use barnabas_records::{BatchBuilder, BatchRef, Header, RecordsError, Seal, patch};

/// Whether nothing of the batch is lost in reading: one that a broker stamped keeps the producer's timestamps beneath.
pub(crate) fn is_complete(batch: &BatchRef<'_>) -> bool {
    let header = &batch.header;
    !(header.is_log_append_time() && header.base_timestamp != header.max_timestamp && header.record_count > 0)
}

/// Encodes the records of `batch` anew: offsets with gaps, delete horizon and empty batches as they were.
pub(crate) fn encode_again(batch: &BatchRef<'_>, payload: &[u8], level: Option<i32>) -> Result<Vec<u8>, RecordsError> {
    let header = &batch.header;
    if header.record_count == 0 {
        return Ok(header.to_empty_batch().to_vec());
    }
    let mut builder = BatchBuilder::new(Vec::new());
    if let Some(horizon) = header.delete_horizon_ms() {
        builder.set_delete_horizon(horizon)?;
    }
    for record in batch.records(payload) {
        let record = record?;
        let headers: Vec<Header<'_>> = record.headers.iter().collect();
        let delta = i32::try_from(record.offset - header.base_offset).unwrap_or(-1);
        builder.append_at(delta, record.timestamp, record.key, record.value, &headers)?;
    }
    builder.set_last_offset_delta(header.last_offset_delta)?;
    let seal = Seal {
        base_offset: header.base_offset,
        leader_epoch: header.partition_leader_epoch,
        compression: header.compression()?,
        level,
        producer_id: header.producer_id,
        producer_epoch: header.producer_epoch,
        base_sequence: header.base_sequence,
        transactional: header.is_transactional(),
        control: header.is_control(),
    };
    let mut bytes = builder.finish(&seal, &mut Vec::new())?;
    if header.is_log_append_time() {
        patch::set_log_append_time(&mut bytes, header.max_timestamp)?;
    }
    Ok(bytes)
}
