//! From a partition's part of a Fetch response to batches that can be polled: checked, decompressed, without control batches
//! and aborted transactions.

use std::collections::BTreeSet;
use std::sync::Arc;

use barnabas_net::outbound::ReceivePool;
use barnabas_records::{
    AnyBatch, AnyBatchIter, BatchHeader, BatchRef, Compression, ControlKey, MessageSet, RecordIter, control_type,
    decompress_over,
};
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::fetch::AbortedTransaction;
use bytes::Bytes;

use crate::config::{FetchConfig, IsolationLevel};
use crate::fetched::FetchedBatch;

/// Least first guess of what a batch decompresses to.
const LIKELY_BYTES_MIN: usize = 1024 * 1024;

/// Inner message sets up to this size keep their buffer.
const INNER_BYTES_KEPT: usize = 4 * 1024 * 1024;

/// What became of a partition's records.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    /// Batches in order.
    pub(crate) batches: Vec<FetchedBatch>,
    /// Where the next fetch begins.
    pub(crate) next_offset: i64,
    /// The epoch of the last batch before it, control batches included; -1 for none.
    pub(crate) leader_epoch: i32,
    /// Kafka's error code of what could not be read at `next_offset`.
    pub(crate) error_code: Option<i16>,
}

/// Decompression, and how well it went lately.
#[derive(Debug)]
pub(crate) struct Decoder {
    pool: ReceivePool,
    /// Decompressed bytes per 16 compressed ones, of the last batch.
    expansion: usize,
    /// Inner message sets of old wrappers.
    inner: Vec<u8>,
}

/// What a reader gets of one batch.
struct Payload {
    header: BatchHeader,
    bytes: Bytes,
    first_offset: i64,
}

impl Decoder {
    pub(crate) fn new(pool: ReceivePool) -> Self {
        Self {
            pool,
            expansion: 64,
            inner: Vec::new(),
        }
    }

    /// Reads `records`, a slice of `response`, from `fetch_offset` on.
    pub(crate) fn decode(
        &mut self,
        config: &FetchConfig,
        key: &(Arc<str>, i32),
        fetch_offset: i64,
        records: &Bytes,
        aborted: Option<&[AbortedTransaction]>,
    ) -> Decoded {
        let mut decoded = Decoded {
            next_offset: fetch_offset,
            leader_epoch: -1,
            ..Decoded::default()
        };
        let mut transactions = Aborted::new(config, aborted);
        let mut batches = AnyBatchIter::new(records);
        for batch in batches.by_ref() {
            let payload = batch
                .map_err(|_| ErrorCode::CORRUPT_MESSAGE)
                .and_then(|batch| match batch {
                    AnyBatch::V2(batch) => {
                        let payload =
                            self.batch(config, &batch, records, &mut transactions, &mut decoded.next_offset)?;
                        decoded.leader_epoch = batch.header.partition_leader_epoch;
                        Ok(payload)
                    }
                    AnyBatch::Legacy(set) => self.message_set(config, &set, &mut decoded.next_offset),
                });
            match payload {
                Ok(None) => {}
                Ok(Some(Payload {
                    header,
                    bytes,
                    first_offset,
                })) => decoded.batches.push(FetchedBatch {
                    topic: Arc::clone(&key.0),
                    partition: key.1,
                    leader_epoch: header.partition_leader_epoch,
                    header,
                    payload: bytes,
                    first_offset,
                    end_offset: decoded.next_offset,
                }),
                Err(code) => {
                    decoded.error_code = Some(code.code());
                    return decoded;
                }
            }
        }
        if decoded.next_offset == fetch_offset && decoded.batches.is_empty() && !batches.rest().is_empty() {
            // A broker sends at least one whole batch (KIP-74); only very old ones do not.
            decoded.error_code = Some(ErrorCode::MESSAGE_TOO_LARGE.code());
        }
        decoded
    }

    /// What a reader gets of a batch, if anything; moves `next_offset` past it, or to where an error stands.
    fn batch(
        &mut self,
        config: &FetchConfig,
        batch: &BatchRef<'_>,
        response: &Bytes,
        transactions: &mut Aborted<'_>,
        next_offset: &mut i64,
    ) -> Result<Option<Payload>, ErrorCode> {
        let header = batch.header;
        if header.last_offset() < *next_offset {
            return Ok(None);
        }
        if config.check_crcs {
            batch.check_crc().map_err(|_| ErrorCode::CORRUPT_MESSAGE)?;
        }
        let after = header.last_offset().checked_add(1).ok_or(ErrorCode::CORRUPT_MESSAGE)?;
        if header.base_offset < 0 || header.last_offset_delta < 0 {
            return Err(ErrorCode::CORRUPT_MESSAGE);
        }
        let first_offset = std::mem::replace(next_offset, after).max(header.base_offset);
        if header.is_control() {
            transactions.end(batch);
            return Ok(None);
        }
        if header.record_count == 0 || transactions.is_aborted(batch) {
            return Ok(None);
        }
        let bytes = self
            .payload(config, batch, response)
            .inspect_err(|_| *next_offset = first_offset)?;
        Ok(Some(Payload {
            header,
            bytes,
            first_offset,
        }))
    }

    /// As [`Self::batch`], for messages of formats 0 and 1, which brokers still send from logs that old ones wrote.
    fn message_set(
        &mut self,
        config: &FetchConfig,
        set: &MessageSet<'_>,
        next_offset: &mut i64,
    ) -> Result<Option<Payload>, ErrorCode> {
        if set.last_offset() < *next_offset {
            return Ok(None);
        }
        let likely = set.bytes().len().saturating_mul(4).min(LIKELY_BYTES_MIN);
        let mut buffer = self.pool.take(likely.min(config.max_decompressed_bytes));
        let header = set
            .decode_into(&mut self.inner, buffer.as_mut_vec(), config.max_decompressed_bytes)
            .map_err(|_| ErrorCode::CORRUPT_MESSAGE)?;
        if self.inner.capacity() > INNER_BYTES_KEPT {
            self.inner = Vec::new();
        }
        let after = header.last_offset().checked_add(1).ok_or(ErrorCode::CORRUPT_MESSAGE)?;
        if header.base_offset < 0 {
            return Err(ErrorCode::CORRUPT_MESSAGE);
        }
        let first_offset = std::mem::replace(next_offset, after).max(header.base_offset);
        Ok(Some(Payload {
            header,
            bytes: buffer.freeze(),
            first_offset,
        }))
    }

    /// The batch's records, decompressed if they have to be.
    fn payload(&mut self, config: &FetchConfig, batch: &BatchRef<'_>, response: &Bytes) -> Result<Bytes, ErrorCode> {
        let codec = batch
            .header
            .compression()
            .map_err(|_| ErrorCode::UNSUPPORTED_COMPRESSION_TYPE)?;
        let payload = batch.payload();
        if codec == Compression::None {
            return Ok(response.slice_ref(payload));
        }
        let expected = (payload.len() / 16 + 1).saturating_mul(self.expansion);
        // A guess from another batch must not claim far more than this one is likely to need.
        let likely = payload.len().saturating_mul(8).saturating_add(LIKELY_BYTES_MIN);
        let mut buffer = self
            .pool
            .take_used(expected.min(likely).min(config.max_decompressed_bytes));
        let size = decompress_over(codec, payload, buffer.as_mut_vec(), config.max_decompressed_bytes)
            .map_err(|_| ErrorCode::CORRUPT_MESSAGE)?;
        let decompressed = buffer.as_ref().get(..size).unwrap_or_default();
        // A broker need not look into a compressed batch. Damage has to be told for its partition here: found later, in the
        // middle of what one poll returned, it would take the records of other partitions with it.
        if RecordIter::new(&batch.header, decompressed).any(|record| record.is_err()) {
            return Err(ErrorCode::CORRUPT_MESSAGE);
        }
        // A quarter of room, so that batches like this one fit their buffer.
        self.expansion = ((size / (payload.len() / 16 + 1)) * 5 / 4 + 1).min(16 * 1024);
        Ok(buffer.freeze_front(size))
    }
}

/// Which producers' transactions are aborted at the current offset. Empty with `read_uncommitted`.
struct Aborted<'a> {
    /// By first offset, the next one last.
    coming: Vec<&'a AbortedTransaction>,
    now: BTreeSet<i64>,
}

impl<'a> Aborted<'a> {
    fn new(config: &FetchConfig, aborted: Option<&'a [AbortedTransaction]>) -> Self {
        let is_asked = config.isolation_level == IsolationLevel::ReadCommitted;
        let mut coming: Vec<_> = aborted.filter(|_| is_asked).unwrap_or_default().iter().collect();
        coming.sort_by_key(|transaction| std::cmp::Reverse(transaction.first_offset));
        Self {
            coming,
            now: BTreeSet::new(),
        }
    }

    /// Transactions that begin up to `offset` are aborted from here on.
    fn advance(&mut self, offset: i64) {
        while let Some(next) = self.coming.last()
            && next.first_offset <= offset
        {
            self.now.insert(next.producer_id);
            self.coming.pop();
        }
    }

    fn is_aborted(&mut self, batch: &BatchRef<'_>) -> bool {
        self.advance(batch.header.last_offset());
        batch.header.is_transactional() && self.now.contains(&batch.header.producer_id)
    }

    /// A marker: a transaction ends here.
    fn end(&mut self, batch: &BatchRef<'_>) {
        let key = RecordIter::new(&batch.header, batch.payload())
            .next()
            .and_then(Result::ok)
            .and_then(|record| record.key);
        let is_abort = key
            .and_then(|key| ControlKey::parse(key).ok())
            .is_some_and(|key| key.control_type == control_type::ABORT);
        self.advance(batch.header.last_offset());
        if is_abort {
            self.now.remove(&batch.header.producer_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use barnabas_records::{BatchBuilder, HEADER_LEN, LOG_OVERHEAD, Seal, compress, patch};

    use super::*;

    fn batch(base_offset: i64) -> Vec<u8> {
        let mut builder = BatchBuilder::new(Vec::new());
        builder.append(1, None, Some(b"value"), &[]).unwrap();
        let seal = Seal {
            base_offset,
            ..Seal::default()
        };
        builder.finish(&seal, &mut Vec::new()).unwrap()
    }

    /// A batch with a correct checksum whose compressed bytes hold no records.
    fn poisoned(base_offset: i64) -> Vec<u8> {
        let mut bytes = batch(base_offset);
        bytes.truncate(HEADER_LEN);
        compress(Compression::Gzip, None, &[0xff; 50], &mut bytes).unwrap();
        let mut header = BatchHeader::parse(&bytes).unwrap();
        header.batch_length = i32::try_from(bytes.len() - LOG_OVERHEAD).unwrap();
        header.attributes = 1;
        let mut written = [0; HEADER_LEN];
        header.write(&mut written);
        bytes[..HEADER_LEN].copy_from_slice(&written);
        patch::set_producer(&mut bytes, -1, -1, -1).unwrap();
        bytes
    }

    #[test]
    fn a_compressed_batch_without_sound_records_ends_what_is_given_out_before_it() {
        let options = crate::config::Options::new();
        let config = FetchConfig::from_options(&options).unwrap();
        let records = Bytes::from([batch(0), poisoned(1), batch(2)].concat());
        let mut decoder = Decoder::new(ReceivePool::new(1 << 20));
        let decoded = decoder.decode(&config, &(Arc::from("topic"), 0), 0, &records, None);
        assert_eq!(decoded.batches.len(), 1);
        assert_eq!(decoded.next_offset, 1);
        assert_eq!(decoded.error_code, Some(ErrorCode::CORRUPT_MESSAGE.code()));
    }

    fn golden(name: &str) -> Bytes {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/records/java_legacy");
        std::fs::read(path.join(name)).unwrap().into()
    }

    fn offsets(batch: &FetchedBatch) -> Vec<i64> {
        RecordIter::new(&batch.header, &batch.payload)
            .map(|record| record.unwrap().offset)
            .filter(|offset| (batch.first_offset..batch.end_offset).contains(offset))
            .collect()
    }

    /// Logs that brokers before 0.11 wrote are served as they are, whatever the consumer's age.
    #[test]
    fn message_sets_of_old_formats_are_read_as_batches() {
        let config = FetchConfig::from_options(&crate::config::Options::new()).unwrap();
        let mut decoder = Decoder::new(ReceivePool::new(1 << 20));
        let key = (Arc::from("topic"), 0);
        // Offsets 0 to 5 in format 0, 10 to 15 in a wrapper of format 1, 50 to 58 in format 2; reading begins at 2.
        let all = decoder.decode(&config, &key, 2, &golden("all_formats.bin"), None);
        assert_eq!(all.error_code, None);
        assert_eq!(all.next_offset, 59);
        let read: Vec<_> = all
            .batches
            .iter()
            .map(|batch| (batch.header.magic, offsets(batch)))
            .collect();
        let expected = [(0, 2..6), (1, 10..16), (2, 50..59)].map(|(magic, range)| (magic, range.collect::<Vec<_>>()));
        assert_eq!(read, expected);
        let in_a_wrapper = decoder.decode(&config, &key, 1003, &golden("v1_lz4.bin"), None);
        let read: Vec<_> = in_a_wrapper.batches.iter().map(offsets).collect();
        assert_eq!((read, in_a_wrapper.next_offset), (vec![vec![1003, 1004, 1005]], 1006));
        let past_it = decoder.decode(&config, &key, 1006, &golden("v1_lz4.bin"), None);
        assert!(past_it.batches.is_empty() && past_it.error_code.is_none());
    }

    #[test]
    fn a_damaged_message_ends_what_is_given_out_before_it() {
        let config = FetchConfig::from_options(&crate::config::Options::new()).unwrap();
        let mut decoder = Decoder::new(ReceivePool::new(1 << 20));
        let mut bytes = golden("v1_none.bin").to_vec();
        // In the third message.
        bytes[34 + 8 + 34 + 6 + 30] ^= 1;
        let decoded = decoder.decode(&config, &(Arc::from("topic"), 0), 1000, &Bytes::from(bytes), None);
        assert_eq!(decoded.error_code, Some(ErrorCode::CORRUPT_MESSAGE.code()));
        assert_eq!(decoded.next_offset, 1002);
        assert_eq!(
            decoded.batches.iter().flat_map(offsets).collect::<Vec<_>>(),
            [1000, 1001]
        );
    }
}
