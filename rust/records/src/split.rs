//! Splitting of a batch that is too large for a broker or topic.

use crate::header::add_sequence;
use crate::{
    BatchBuilder, BatchRef, Compression, HEADER_LEN, Header, OutputLimit, RecordRef, RecordsError, Result, Seal,
};

/// Splits `batch` into batches of at most `size_max` bytes with the same records, codec and producer; sequences and
/// offsets go on from one to the next. A single record that is larger has a batch of its own.
///
/// `level` is the codec's, its default if `None`; `limit` bounds what the batch decompresses to.
///
/// # Errors
/// The batch is invalid, a control batch, or empty.
pub fn split(
    batch: &BatchRef<'_>,
    size_max: usize,
    level: Option<i32>,
    limit: impl Into<OutputLimit>,
) -> Result<Vec<Vec<u8>>> {
    let header = &batch.header;
    if header.is_control() {
        return Err(RecordsError::NotSplittable {
            reason: "control records stay in their batch",
        });
    }
    let mut scratch = Vec::new();
    let payload = batch.decompress_into(&mut scratch, limit)?;
    let records: Vec<RecordRef<'_>> = batch.records(payload).collect::<Result<_>>()?;
    if records.is_empty() {
        return Err(RecordsError::EmptyBatch);
    }
    let seal = Seal {
        base_offset: header.base_offset,
        leader_epoch: header.partition_leader_epoch,
        compression: header.compression()?,
        level,
        producer_id: header.producer_id,
        producer_epoch: header.producer_epoch,
        base_sequence: header.base_sequence,
        transactional: header.is_transactional(),
        control: false,
    };
    let mut splitter = Splitter {
        seal,
        size_max,
        header_base: header.base_offset,
        append_time: header.is_log_append_time().then_some(header.max_timestamp),
        scratch: Vec::new(),
        headers: Vec::new(),
        batches: Vec::new(),
    };
    // Uncompressed bytes that are likely to fit: as many as this batch's own ratio says.
    let likely = match seal.compression {
        Compression::None => size_max,
        _ => likely_size(size_max, payload.len(), batch.payload().len()),
    };
    splitter.split(&records, likely)?;
    Ok(splitter.batches)
}

fn likely_size(size_max: usize, uncompressed: usize, compressed: usize) -> usize {
    let room = size_max.saturating_sub(HEADER_LEN) as u128;
    let scaled = room * uncompressed as u128 / (compressed as u128).max(1);
    usize::try_from(scaled).unwrap_or(usize::MAX).saturating_add(HEADER_LEN)
}

struct Splitter<'p> {
    seal: Seal,
    size_max: usize,
    header_base: i64,
    append_time: Option<i64>,
    scratch: Vec<u8>,
    headers: Vec<Header<'p>>,
    batches: Vec<Vec<u8>>,
}

impl<'p> Splitter<'p> {
    /// Cuts `records` into runs of about `likely` uncompressed bytes, and those that are still too large in halves.
    fn split(&mut self, records: &[RecordRef<'p>], likely: usize) -> Result<()> {
        let mut rest = records;
        while let Some(first) = rest.first() {
            let mut builder = BatchBuilder::new(Vec::new());
            let mut taken = 0;
            for record in rest {
                self.headers.clear();
                self.headers.extend(record.headers.iter());
                let delta = delta(first, record)?;
                let size = builder.record_size_at(delta, record.timestamp, record.key, record.value, &self.headers);
                if taken > 0 && builder.size_in_bytes().saturating_add(size) > likely {
                    break;
                }
                builder.append_at(delta, record.timestamp, record.key, record.value, &self.headers)?;
                taken += 1;
            }
            let (run, after) = rest.split_at_checked(taken).unwrap_or((rest, &[]));
            let seal = self.seal_for(first);
            let mut bytes = builder.finish(&seal, &mut self.scratch)?;
            if bytes.len() > self.size_max && run.len() > 1 {
                self.split(run, likely / 2)?;
            } else {
                if let Some(append_time) = self.append_time {
                    crate::patch::set_log_append_time(&mut bytes, append_time)?;
                }
                self.batches.push(bytes);
            }
            rest = after;
        }
        Ok(())
    }

    fn seal_for(&self, first: &RecordRef<'_>) -> Seal {
        let base_sequence = if self.seal.base_sequence < 0 {
            self.seal.base_sequence
        } else {
            let passed = i32::try_from(first.offset.wrapping_sub(self.header_base)).unwrap_or(0);
            add_sequence(self.seal.base_sequence, passed)
        };
        Seal {
            base_offset: first.offset,
            base_sequence,
            ..self.seal
        }
    }
}

fn delta(first: &RecordRef<'_>, record: &RecordRef<'_>) -> Result<i32> {
    record
        .offset
        .checked_sub(first.offset)
        .and_then(|delta| i32::try_from(delta).ok())
        .ok_or(RecordsError::NotSplittable {
            reason: "offsets do not ascend",
        })
}
