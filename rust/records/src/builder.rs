//! Builds one batch in a caller's buffer: records are written once, in place, and sealed under a header.

use crate::header::{
    HEADER_LEN, LOG_OVERHEAD, MAGIC_V2, NO_PARTITION_LEADER_EPOCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE,
    NO_TIMESTAMP, attributes,
};
use crate::varint::{uvarlong_len, varint_len, varlong_len, write_uvarlong, zigzag32, zigzag64};
use crate::{BatchHeader, Compression, RecordsError, Result, compress_over, patch, prefetch};

/// A header of a record: key and nullable value.
pub type Header<'a> = (&'a [u8], Option<&'a [u8]>);

/// Largest batch: the length field is a positive 32-bit number.
const BATCH_SIZE_MAX: usize = i32::MAX as usize;
/// Zigzag of -1, the length of null.
const NULL: u64 = 1;
/// A record's attributes have no meaning yet.
const ATTRIBUTES: u64 = 0;

/// What [`BatchBuilder::finish`] writes around the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// Offset of the first record.
    pub base_offset: i64,
    /// Epoch of the leader, -1 in a producer.
    pub leader_epoch: i32,
    /// Codec of the records.
    pub compression: Compression,
    /// Level of the codec, its default if `None`.
    pub level: Option<i32>,
    /// Producer, or -1.
    pub producer_id: i64,
    /// Producer's epoch, or -1.
    pub producer_epoch: i16,
    /// Sequence number of the first record, or -1.
    pub base_sequence: i32,
    /// Whether the batch belongs to a transaction.
    pub transactional: bool,
    /// Whether the records are control records.
    pub control: bool,
}

impl Default for Seal {
    /// A plain producer's batch: offset 0, no compression, no producer state.
    fn default() -> Self {
        Self {
            base_offset: 0,
            leader_epoch: NO_PARTITION_LEADER_EPOCH,
            compression: Compression::None,
            level: None,
            producer_id: NO_PRODUCER_ID,
            producer_epoch: NO_PRODUCER_EPOCH,
            base_sequence: NO_SEQUENCE,
            transactional: false,
            control: false,
        }
    }
}

impl Seal {
    fn attributes(&self) -> i16 {
        let mut bits = i16::from(self.compression.id());
        if self.transactional {
            bits |= attributes::TRANSACTIONAL;
        }
        if self.control {
            bits |= attributes::CONTROL;
        }
        bits
    }
}

/// Writes records one after another into a buffer that begins with room for the header.
#[derive(Debug)]
pub struct BatchBuilder {
    buffer: Vec<u8>,
    record_count: i32,
    /// Offset delta of the last record, -1 while there is none.
    last_offset_delta: i32,
    delete_horizon: bool,
    base_timestamp: i64,
    max_timestamp: i64,
}

/// Sizes of one record, computed once and used to reserve, to check and to write.
struct Sizes {
    /// What the length field of the record says.
    body: usize,
    /// The whole record.
    record: usize,
}

impl BatchBuilder {
    /// A builder over `buffer`, whose contents are dropped and whose capacity is kept.
    pub fn new(mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        buffer.resize(HEADER_LEN, 0);
        Self {
            buffer,
            record_count: 0,
            last_offset_delta: -1,
            delete_horizon: false,
            base_timestamp: NO_TIMESTAMP,
            max_timestamp: NO_TIMESTAMP,
        }
    }

    /// Exact number of bytes by which [`append`](Self::append) of these arguments grows the batch.
    #[inline]
    pub fn record_size(
        &self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> usize {
        self.record_size_at(self.next_delta(), timestamp, key, value, headers)
    }

    /// As [`record_size`](Self::record_size), for [`append_at`](Self::append_at).
    #[inline]
    pub fn record_size_at(
        &self,
        offset_delta: i32,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> usize {
        self.sizes(offset_delta, timestamp, key, value, headers).record
    }

    /// Appends a record and returns its offset minus the batch's base offset.
    ///
    /// # Errors
    /// The timestamp is below -1, or the batch would pass what the format can express. The batch is as it was.
    #[inline]
    pub fn append(
        &mut self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> Result<i32> {
        let delta = self.next_delta();
        let sizes = self.sizes(delta, timestamp, key, value, headers);
        self.write(&sizes, delta, timestamp, key, value, headers)
    }

    /// As [`append`](Self::append), with an offset of the caller's choice above the last one: compaction leaves gaps.
    ///
    /// # Errors
    /// As [`append`](Self::append), or `offset_delta` does not lie above that of the last record.
    pub fn append_at(
        &mut self,
        offset_delta: i32,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> Result<()> {
        if offset_delta <= self.last_offset_delta {
            return Err(RecordsError::InvalidOffsetDelta {
                delta: offset_delta,
                last: self.last_offset_delta,
            });
        }
        let sizes = self.sizes(offset_delta, timestamp, key, value, headers);
        self.write(&sizes, offset_delta, timestamp, key, value, headers)?;
        Ok(())
    }

    /// Makes the batch end at a later offset than its last record: compaction removed what came after.
    ///
    /// # Errors
    /// `offset_delta` lies below that of the last record.
    pub fn set_last_offset_delta(&mut self, offset_delta: i32) -> Result<()> {
        if offset_delta < self.last_offset_delta {
            return Err(RecordsError::InvalidOffsetDelta {
                delta: offset_delta,
                last: self.last_offset_delta,
            });
        }
        self.last_offset_delta = offset_delta;
        Ok(())
    }

    /// Writes the time from which tombstones of the batch may be removed. It takes the place of the base timestamp, so it
    /// must be set before the first record.
    ///
    /// # Errors
    /// There are records.
    pub fn set_delete_horizon(&mut self, horizon_ms: i64) -> Result<()> {
        if self.record_count > 0 {
            return Err(RecordsError::InvalidRecord {
                index: 0,
                reason: "it was written before the delete horizon was known",
            });
        }
        self.base_timestamp = horizon_ms;
        self.delete_horizon = true;
        Ok(())
    }

    /// As [`append`](Self::append), but leaves the batch alone and returns `None` if it would grow beyond
    /// `size_limit` bytes.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    #[inline]
    pub fn try_append(
        &mut self,
        size_limit: usize,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> Result<Option<i32>> {
        let delta = self.next_delta();
        let sizes = self.sizes(delta, timestamp, key, value, headers);
        if self.buffer.len().saturating_add(sizes.record) > size_limit {
            return Ok(None);
        }
        self.write(&sizes, delta, timestamp, key, value, headers).map(Some)
    }

    /// Bytes of the batch as it stands, uncompressed, header included.
    #[inline]
    pub fn size_in_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// Number of records appended.
    #[inline]
    pub fn record_count(&self) -> i32 {
        self.record_count
    }

    /// Whether nothing has been appended.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.record_count == 0
    }

    /// Timestamp of the first record, -1 while there is none.
    #[inline]
    pub fn base_timestamp(&self) -> i64 {
        self.base_timestamp
    }

    /// Largest timestamp of the records, -1 while there is none.
    #[inline]
    pub fn max_timestamp(&self) -> i64 {
        self.max_timestamp
    }

    /// Goes on in `larger`, whose contents are dropped, and gives the former buffer back.
    pub fn replace_buffer(&mut self, mut larger: Vec<u8>) -> Vec<u8> {
        larger.clear();
        larger.extend_from_slice(&self.buffer);
        std::mem::replace(&mut self.buffer, larger)
    }

    /// Has the buffer hold a batch of `size` bytes without growing again.
    pub fn reserve(&mut self, size: usize) {
        self.buffer.reserve_exact(size.saturating_sub(self.buffer.len()));
    }

    /// Gives the buffer back without sealing a batch.
    pub fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Compresses, writes the header and returns the batch in the buffer that the builder was given.
    ///
    /// `scratch` is used by compression only; what it held or holds has no meaning.
    ///
    /// # Errors
    /// There is no record, the codec has no such level, or the compressed batch passes what the format can express.
    pub fn finish(mut self, seal: &Seal, scratch: &mut Vec<u8>) -> Result<Vec<u8>> {
        if self.is_empty() {
            return Err(RecordsError::EmptyBatch);
        }
        if seal.compression != Compression::None {
            let records = self.buffer.get(HEADER_LEN..).unwrap_or_default();
            let size = compress_over(seal.compression, seal.level, records, scratch)?;
            self.buffer.truncate(HEADER_LEN);
            self.buffer.extend_from_slice(scratch.get(..size).unwrap_or_default());
        }
        let size = self.buffer.len();
        let Some(batch_length) = size
            .checked_sub(LOG_OVERHEAD)
            .and_then(|length| i32::try_from(length).ok())
        else {
            return Err(RecordsError::TooLarge {
                size,
                limit: BATCH_SIZE_MAX,
            });
        };
        let header = BatchHeader {
            base_offset: seal.base_offset,
            batch_length,
            partition_leader_epoch: seal.leader_epoch,
            magic: MAGIC_V2,
            crc: 0,
            attributes: seal.attributes()
                | if self.delete_horizon {
                    attributes::DELETE_HORIZON
                } else {
                    0
                },
            last_offset_delta: self.last_offset_delta,
            base_timestamp: self.base_timestamp,
            max_timestamp: self.max_timestamp,
            producer_id: seal.producer_id,
            producer_epoch: seal.producer_epoch,
            base_sequence: seal.base_sequence,
            record_count: self.record_count,
        };
        if let Some(space) = self.buffer.first_chunk_mut() {
            header.write(space);
        }
        patch::set_crc(&mut self.buffer)?;
        Ok(self.buffer)
    }

    /// Offset delta of a record that is appended next; the largest cannot be passed, which `write` refuses.
    #[inline]
    fn next_delta(&self) -> i32 {
        self.last_offset_delta.saturating_add(1)
    }

    #[inline]
    fn timestamp_delta(&self, timestamp: i64) -> i64 {
        if self.record_count == 0 && !self.delete_horizon {
            0
        } else {
            timestamp.wrapping_sub(self.base_timestamp)
        }
    }

    #[inline]
    fn sizes(
        &self,
        offset_delta: i32,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> Sizes {
        const ATTRIBUTES_LEN: usize = 1;
        let headers = if headers.is_empty() { 1 } else { headers_len(headers) };
        let body = ATTRIBUTES_LEN
            .saturating_add(varlong_len(self.timestamp_delta(timestamp)))
            .saturating_add(varint_len(offset_delta))
            .saturating_add(bytes_len(key))
            .saturating_add(bytes_len(value))
            .saturating_add(headers);
        Sizes {
            body,
            record: body.saturating_add(length_len(body)),
        }
    }

    #[inline]
    fn write(
        &mut self,
        sizes: &Sizes,
        offset_delta: i32,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> Result<i32> {
        let size = self.buffer.len().saturating_add(sizes.record);
        if size > BATCH_SIZE_MAX || timestamp < NO_TIMESTAMP || offset_delta == i32::MAX {
            return Err(refusal(size, timestamp, self.record_count));
        }
        let timestamp_delta = self.timestamp_delta(timestamp);
        let buffer = &mut self.buffer;
        buffer.reserve(sizes.record);
        put(buffer, length(sizes.body));
        put(buffer, ATTRIBUTES);
        put(buffer, zigzag64(timestamp_delta));
        put(buffer, zigzag32(offset_delta).into());
        put_bytes(buffer, key);
        put_bytes(buffer, value);
        put(buffer, length(headers.len()));
        for (key, value) in headers {
            put_bytes(buffer, Some(key));
            put_bytes(buffer, *value);
        }
        debug_assert_eq!(self.buffer.len(), size, "the size was promised");
        prefetch::ahead(self.buffer.spare_capacity_mut());
        if self.record_count == 0 && !self.delete_horizon {
            self.base_timestamp = timestamp;
        }
        self.max_timestamp = self.max_timestamp.max(timestamp);
        self.record_count += 1;
        self.last_offset_delta = offset_delta;
        Ok(offset_delta)
    }
}

/// Appends a record without headers; the caller has bounded what is written in all.
pub(crate) fn write_plain(
    buffer: &mut Vec<u8>,
    timestamp_delta: i64,
    offset_delta: i32,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
) {
    const FIXED_LEN: usize = 2; // attributes and the count of headers
    let body = FIXED_LEN + varlong_len(timestamp_delta) + varint_len(offset_delta) + bytes_len(key) + bytes_len(value);
    put(buffer, length(body));
    put(buffer, ATTRIBUTES);
    put(buffer, zigzag64(timestamp_delta));
    put(buffer, zigzag32(offset_delta).into());
    put_bytes(buffer, key);
    put_bytes(buffer, value);
    put(buffer, length(0));
}

/// Appends a varint.
///
/// A store of fixed size, cut to the bytes that count, is several times cheaper than a byte at a time; only at the very
/// end of the buffer it has no room.
#[inline]
fn put(buffer: &mut Vec<u8>, raw: u64) {
    const STORE_LEN: usize = 4;
    let short = match u32::try_from(raw) {
        Ok(short) if short < 1 << 21 && buffer.capacity() - buffer.len() >= STORE_LEN => short,
        _ => return put_slowly(buffer, raw),
    };
    let start = buffer.len();
    if short < 1 << 7 {
        buffer.extend_from_slice(&short.to_le_bytes());
        buffer.truncate(start + 1);
    } else {
        let is_three = u32::from(short >= 1 << 14);
        let word = (short & 0x7f) | 0x80 | (short & 0x3f80) << 1 | is_three << 15 | (short & 0x1f_c000) << 2;
        buffer.extend_from_slice(&word.to_le_bytes());
        buffer.truncate(start + if is_three == 1 { 3 } else { 2 });
    }
}

#[cold]
fn put_slowly(buffer: &mut Vec<u8>, raw: u64) {
    write_uvarlong(buffer, raw);
}

/// Appends a nullable byte string.
#[inline]
fn put_bytes(buffer: &mut Vec<u8>, bytes: Option<&[u8]>) {
    match bytes {
        None => put(buffer, NULL),
        Some(bytes) => {
            put(buffer, length(bytes.len()));
            match bytes.len() {
                4..=7 => put_twice::<4>(buffer, bytes),
                8..=16 => put_twice::<8>(buffer, bytes),
                17..=32 => put_twice::<16>(buffer, bytes),
                _ => buffer.extend_from_slice(bytes),
            }
        }
    }
}

/// Appends `N` to twice `N` bytes by two copies of a fixed size, which may overlap: that is cheaper than a call that has to look
/// at the length. Keys, and headers' names and values, are mostly as short.
#[inline]
fn put_twice<const N: usize>(buffer: &mut Vec<u8>, bytes: &[u8]) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) {
        let end = buffer.len() + bytes.len();
        buffer.extend_from_slice(first);
        buffer.truncate(end - N);
        buffer.extend_from_slice(last);
    }
}

/// A length that has been checked against [`BATCH_SIZE_MAX`], zigzagged.
#[inline]
fn length(len: usize) -> u64 {
    (len as u64) << 1
}

/// Bytes of a length field.
#[inline]
fn length_len(len: usize) -> usize {
    uvarlong_len(length(len))
}

#[inline]
fn bytes_len(bytes: Option<&[u8]>) -> usize {
    bytes.map_or(1, |bytes| length_len(bytes.len()) + bytes.len())
}

#[inline]
fn headers_len(headers: &[Header<'_>]) -> usize {
    // Most records have none: that is not worth a call.
    if headers.is_empty() {
        1
    } else {
        headers_len_some(headers)
    }
}

fn headers_len_some(headers: &[Header<'_>]) -> usize {
    headers.iter().fold(length_len(headers.len()), |len, (key, value)| {
        len.saturating_add(bytes_len(Some(key)))
            .saturating_add(bytes_len(*value))
    })
}

#[cold]
fn refusal(size: usize, timestamp: i64, index: i32) -> RecordsError {
    if timestamp < NO_TIMESTAMP {
        RecordsError::InvalidRecord {
            index,
            reason: "its timestamp is negative",
        }
    } else {
        RecordsError::TooLarge {
            size,
            limit: BATCH_SIZE_MAX,
        }
    }
}
