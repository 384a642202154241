//! Walking a segment at opening: every batch of what may be torn, headers alone of what is known to be on disk.

use std::io;
use std::path::Path;

use barnabas_records::{AnyBatch, BatchHeader, BatchRef, LOG_OVERHEAD};

use crate::epoch_cache::EpochCache;
use crate::error::LogError;
use crate::recovery::{Listing, Recovery};
use crate::scan::{BatchScan, HeaderScan, ScanError};
use crate::segment::Tail;
use crate::storage::StorageFile;

/// What a walk found in a segment.
pub(crate) struct Walked {
    pub(crate) tail: Tail,
    /// The walk met bytes that are no batch and the file was cut there.
    pub(crate) cut: bool,
    /// There are control batches, so that the transaction index may have entries.
    pub(crate) has_markers: bool,
}

impl Recovery<'_> {
    /// Walks a whole segment, cuts it before the first bad batch and builds its indexes. A trusted one is walked by
    /// its headers, another one batch by batch with the CRC.
    pub(crate) fn walk(
        &self,
        (base_offset, len): (i64, u64),
        next_base: Option<i64>,
        trusted: bool,
        listing: &Listing,
        epochs: &mut EpochCache,
    ) -> Result<Walked, LogError> {
        let file = self.open_log_file(base_offset)?;
        let mut tail = Tail::empty(base_offset);
        let mut has_markers = false;
        let walked = if trusted {
            self.walk_headers(file.as_ref(), len, base_offset, next_base, &mut tail)
        } else {
            // What the cache says about offsets from here on is replaced by what the batches say.
            epochs.truncate_from_end(base_offset);
            self.walk_batches(
                file.as_ref(),
                len,
                base_offset,
                next_base,
                &mut tail,
                (epochs, &mut has_markers),
            )
        };
        let path = self.path(base_offset, ".log");
        let cut = match walked {
            Ok(()) => false,
            Err(ScanError::Io(error)) => return Err(LogError::io("read", &path, error)),
            Err(ScanError::Bad { position, reason }) if trusted && next_base.is_some() => {
                // Flushed data that went bad later. What stands before and behind it stays readable; a read that
                // meets it fails.
                log::error!("{} is damaged at byte {position}: {reason}", path.display());
                tail.size = len;
                false
            }
            Err(ScanError::Bad { position, reason }) => {
                if let Some(reason) = refusal(file.as_ref(), position, len, (&tail, base_offset), &path)? {
                    return Err(LogError::Damaged { path, position, reason });
                }
                log::warn!("{}: cut from {len} to {position} bytes: {reason}", path.display());
                // Durably: what is cut off must not come back behind what will be appended.
                file.set_len(position)
                    .and_then(|()| if self.env.temporary { Ok(()) } else { file.sync_data() })
                    .map_err(|error| LogError::io("cut", &path, error))?;
                true
            }
        };
        if cut {
            return Ok(Walked { tail, cut, has_markers });
        }
        if let Some(next_base) = next_base {
            if !trusted && tail.next_offset < next_base {
                self.note_gap(base_offset, &tail, listing)?;
            }
            tail.next_offset = next_base;
        }
        Ok(Walked { tail, cut, has_markers })
    }

    fn walk_headers(
        &self,
        file: &dyn StorageFile,
        len: u64,
        base_offset: i64,
        next_base: Option<i64>,
        tail: &mut Tail,
    ) -> Result<(), ScanError> {
        let mut scan = HeaderScan::new(file, 0, len);
        while let Some((position, header)) = scan.next()? {
            Self::check_order(&header, position, tail, base_offset, next_base)?;
            tail.push(base_offset, self.config.index_interval_bytes, &header);
        }
        Ok(())
    }

    fn walk_batches(
        &self,
        file: &dyn StorageFile,
        len: u64,
        base_offset: i64,
        next_base: Option<i64>,
        tail: &mut Tail,
        (epochs, has_markers): (&mut EpochCache, &mut bool),
    ) -> Result<(), ScanError> {
        let mut scan = BatchScan::new(file, 0, len);
        while let Some((position, batch)) = scan.next()? {
            let header = batch.header;
            Self::check_order(&header, position, tail, base_offset, next_base)?;
            batch.check_crc().map_err(|error| ScanError::Bad {
                position,
                reason: error.to_string(),
            })?;
            self.note_gaps(&header, tail);
            *has_markers |= header.is_control();
            epochs.assign(header.partition_leader_epoch, header.base_offset);
            tail.push(base_offset, self.config.index_interval_bytes, &header);
        }
        Ok(())
    }

    /// The last offsets of a segment are missing. It was compacted if compaction is known to have been there, and if what
    /// compaction writes, here and in Kafka, is there: it comes with its indexes, which are on disk before the log gets its
    /// name. A segment whose indexes are missing, or speak of more than there is, has lost its end. So has one that ends
    /// where the log was closed once, as the producer snapshot of that moment says: its indexes are of that moment too.
    fn note_gap(&self, base_offset: i64, tail: &Tail, listing: &Listing) -> Result<(), LogError> {
        let lens = listing
            .offset_indexes
            .get(&base_offset)
            .zip(listing.time_indexes.get(&base_offset));
        let was_cleaned = base_offset < self.cleaned_offset || self.replaced.contains(&base_offset);
        let is_compacted = match lens {
            Some((offsets, times)) if was_cleaned && !listing.snapshots.contains(&tail.next_offset) => {
                self.is_whole_by_indexes(tail, base_offset, (*offsets, *times))?
            }
            _ => false,
        };
        if self.gap_behind.get().is_none() {
            self.gap_behind.set(Some(base_offset));
        }
        if !is_compacted && self.loss_behind.get().is_none() {
            self.loss_behind.set(Some(base_offset));
        }
        Ok(())
    }

    /// Takes gaps within a segment for compaction. Asked only about sound batches: torn ones can say anything.
    fn note_gaps(&self, header: &BatchHeader, tail: &Tail) {
        if header.base_offset != tail.next_offset
            || header.last_offset_delta.checked_add(1) != Some(header.record_count)
        {
            self.compacted.set(true);
        }
    }

    /// Offsets rise from batch to batch and stay within the segment.
    fn check_order(
        header: &BatchHeader,
        position: u64,
        tail: &Tail,
        base_offset: i64,
        next_base: Option<i64>,
    ) -> Result<(), ScanError> {
        let last_offset = header.last_offset();
        let in_order = header.last_offset_delta >= 0
            && header.base_offset >= tail.next_offset
            && last_offset >= header.base_offset
            && last_offset - base_offset <= i64::from(i32::MAX)
            && next_base.is_none_or(|next| last_offset < next);
        if in_order {
            return Ok(());
        }
        let reason = format!(
            "offsets {} to {last_offset} where {} is next",
            header.base_offset, tail.next_offset
        );
        Err(ScanError::Bad { position, reason })
    }
}

/// Longest batch or message that is looked at: more than any `max.message.bytes` in use.
const MESSAGE_BYTES_MAX: u64 = 256 << 20;

/// Why a log is not cut at `position`, if it is not: sound records stand there that only another program can read.
fn refusal(
    file: &dyn StorageFile,
    position: u64,
    len: u64,
    (tail, base_offset): (&Tail, i64),
    path: &Path,
) -> Result<Option<String>, LogError> {
    let bytes = whole_batch(file, position, len).map_err(|error| LogError::io("read", path, error))?;
    let is_beyond = |batch: &BatchRef<'_>| {
        batch.header.base_offset >= tail.next_offset
            && batch.header.last_offset() - base_offset > i64::from(i32::MAX)
            && batch.check_crc().is_ok()
    };
    let reason = match AnyBatch::parse(&bytes) {
        Ok(AnyBatch::Legacy(_)) => {
            "a message of format 0 or 1, from before Kafka 0.11; let Kafka 3 rewrite the topic, or remove the \
             partition's directory if its records are not needed"
        }
        Ok(_) if BatchRef::parse(&bytes).is_ok_and(|batch| is_beyond(&batch)) => {
            "an offset too far behind the segment's own, as Kafka before 2.0 could write it; let Kafka split it, or \
             remove the partition's directory if its records are not needed"
        }
        _ => return Ok(None),
    };
    Ok(Some(reason.to_owned()))
}

/// The bytes of the batch or message that says it stands at `position`; none if it is not whole.
fn whole_batch(file: &dyn StorageFile, position: u64, len: u64) -> io::Result<Vec<u8>> {
    let mut head = [0; LOG_OVERHEAD];
    if file.read_at(&mut head, position)? < LOG_OVERHEAD {
        return Ok(Vec::new());
    }
    let size = head
        .last_chunk()
        .map(|size| u32::from_be_bytes(*size))
        .map_or(0, u64::from);
    let whole = size + LOG_OVERHEAD as u64;
    if size == 0 || whole > (len - position).min(MESSAGE_BYTES_MAX) {
        return Ok(Vec::new());
    }
    let mut bytes = vec![0; usize::try_from(whole).unwrap_or_default()];
    file.read_exact_at(&mut bytes, position)?;
    Ok(bytes)
}
