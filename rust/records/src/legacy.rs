//! Message sets: the record formats 0 and 1, as brokers before 0.11 stored them and old producers sent them. Read only.
//!
//! A message set is a run of messages; a compressed one is a single *wrapper* message whose value is the inner message
//! set. Format 0 keeps absolute offsets in the inner messages, format 1 relative ones, the wrapper having the offset of
//! the last. Format 1 has timestamps; if the wrapper says append time, its timestamp is that of all inner messages.

use crate::header::{
    BatchHeader, LOG_OVERHEAD, NO_PARTITION_LEADER_EPOCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, NO_TIMESTAMP,
    attributes,
};
use crate::{Compression, HeadersRef, OutputLimit, RecordRef, RecordsError, Result, compression};

/// The oldest record format: no timestamps.
pub const MAGIC_V0: i8 = 0;
/// The record format with timestamps and relative inner offsets.
pub const MAGIC_V1: i8 = 1;

/// Shortest message after its length field: checksum, magic, attributes, lengths of key and value.
pub(crate) const MESSAGE_LEN_MIN: usize = 14;
/// Bit of `attributes` that says append time; format 0 has none.
const LOG_APPEND_TIME: i8 = 0x08;
const CODEC_MASK: i8 = 0x07;
/// Uncompressed messages are read together up to about this size, so that each does not cost a buffer.
const SET_LEN_MAX: usize = 1 << 20;
const CRC_END: usize = LOG_OVERHEAD + 4;

/// One message of a message set, decoded in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Offset; of an inner message of format 1 relative to the first one.
    pub offset: i64,
    /// 0 or 1.
    pub magic: i8,
    /// Codec, and in format 1 the timestamp's type.
    pub attributes: i8,
    /// Milliseconds since the epoch, -1 in format 0.
    pub timestamp: i64,
    /// Key; null and empty differ.
    pub key: Option<&'a [u8]>,
    /// Value; null and empty differ. That of a wrapper is the compressed inner message set.
    pub value: Option<&'a [u8]>,
    /// The whole message, offset and length included.
    pub bytes: &'a [u8],
}

impl<'a> Message<'a> {
    /// Takes the message at the front of `bytes` and checks its CRC; what follows it is ignored.
    ///
    /// # Errors
    /// The message is cut off, of another format, breaks its format, or is not what the writer summed.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut rest = bytes;
        let (Some(offset), Some(length)) = (take(&mut rest).map(i64::from_be_bytes), take(&mut rest)) else {
            return Err(truncated(LOG_OVERHEAD, bytes));
        };
        let length = body_len(i32::from_be_bytes(length))?;
        let needed = length.saturating_add(LOG_OVERHEAD);
        let Some(whole) = bytes.get(..needed) else {
            return Err(truncated(needed, bytes));
        };
        let mut body = whole.get(LOG_OVERHEAD..).unwrap_or_default();
        let short = || invalid("a message ends early");
        let stored = take(&mut body).map(u32::from_be_bytes).ok_or_else(short)?;
        let [magic, attributes] = take::<2>(&mut body).ok_or_else(short)?.map(u8::cast_signed);
        let timestamp = match magic {
            MAGIC_V0 => NO_TIMESTAMP,
            MAGIC_V1 => take(&mut body).map(i64::from_be_bytes).ok_or_else(short)?,
            magic => return Err(RecordsError::UnknownMagic(magic)),
        };
        let computed = crate::crc::crc32(whole.get(CRC_END..).unwrap_or_default());
        if stored != computed {
            return Err(RecordsError::CrcMismatch { stored, computed });
        }
        let key = take_bytes(&mut body)?;
        let value = take_bytes(&mut body)?;
        if !body.is_empty() {
            return Err(invalid("bytes follow a message's value"));
        }
        Ok(Self {
            offset,
            magic,
            attributes,
            timestamp,
            key,
            value,
            bytes: whole,
        })
    }

    /// The codec of a wrapper's value; none in a message that is a record.
    ///
    /// # Errors
    /// The number is no codec, or Zstandard, which is younger than these formats.
    pub fn compression(&self) -> Result<Compression> {
        match Compression::from_id(self.attributes & CODEC_MASK)? {
            Compression::Zstd => Err(invalid("Zstandard in a format older than 2")),
            codec => Ok(codec),
        }
    }

    /// Whether the timestamp is the broker's append time.
    pub fn is_log_append_time(&self) -> bool {
        self.magic == MAGIC_V1 && self.attributes & LOG_APPEND_TIME != 0
    }
}

/// Messages that are read as one batch: a wrapper, or uncompressed messages of one format in the order of their offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSet<'a> {
    /// The wrapper, or the first message.
    first: Message<'a>,
    codec: Compression,
    last_offset: i64,
    bytes: &'a [u8],
}

impl<'a> MessageSet<'a> {
    /// Takes the wrapper, or as many uncompressed messages as go together, at the front of `bytes`. Their CRCs are
    /// checked; a message that is refused, or torn, ends the set before it.
    ///
    /// # Errors
    /// As [`Message::parse`] of the first message.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let first = Message::parse(bytes)?;
        let mut set = Self {
            first,
            codec: first.compression()?,
            last_offset: first.offset,
            bytes: first.bytes,
        };
        if set.codec == Compression::None {
            while let Some(message) = bytes.get(set.bytes.len()..).and_then(|rest| Message::parse(rest).ok())
                && set.goes_with(&message)
            {
                set.last_offset = message.offset;
                set.bytes = bytes.get(..set.bytes.len() + message.bytes.len()).unwrap_or_default();
            }
        }
        Ok(set)
    }

    fn goes_with(&self, message: &Message<'_>) -> bool {
        let first = &self.first;
        message.magic == first.magic
            && message.attributes == first.attributes
            && (!first.is_log_append_time() || message.timestamp == first.timestamp)
            && message.offset > self.last_offset
            && offset_delta(first.offset, message.offset).is_some()
            && self.bytes.len() + message.bytes.len() <= SET_LEN_MAX
    }

    /// 0 or 1.
    pub fn magic(&self) -> i8 {
        self.first.magic
    }

    /// The codec of the wrapper, or none.
    pub fn compression(&self) -> Compression {
        self.codec
    }

    /// Offset of the last message.
    pub fn last_offset(&self) -> i64 {
        self.last_offset
    }

    /// Whether the timestamp of all messages is the broker's append time.
    pub fn is_log_append_time(&self) -> bool {
        self.first.is_log_append_time()
    }

    /// The messages as they stand.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The records; those of a wrapper are decompressed into `scratch`, what it held or holds has no meaning, and borrowed
    /// from it.
    ///
    /// # Errors
    /// Invalid compressed data, more than `limit` allows, inner messages that are missing, compressed themselves, or have
    /// offsets beyond the wrapper's.
    pub fn records<'s>(&self, scratch: &'s mut Vec<u8>, limit: impl Into<OutputLimit>) -> Result<MessageIter<'s>>
    where
        'a: 's,
    {
        let append_time = self.is_log_append_time().then_some(self.first.timestamp);
        if self.codec == Compression::None {
            return Ok(MessageIter::new(self.bytes, 0, append_time));
        }
        let value = self.first.value.ok_or_else(|| invalid("a wrapper has no value"))?;
        let size = compression::decompress_message(self.codec, self.first.magic, value, scratch, limit.into())?;
        let inner = scratch.get(..size).unwrap_or_default();
        let base = self.inner_base(inner)?;
        Ok(MessageIter::new(inner, base, append_time))
    }

    /// What the inner messages' offsets count from.
    fn inner_base(&self, inner: &[u8]) -> Result<i64> {
        let mut last = None;
        for message in MessageIter::new(inner, 0, None) {
            last = Some(message?.offset);
        }
        let last = last.ok_or_else(|| invalid("a wrapper holds no messages"))?;
        let offset = self.first.offset;
        // librdkafka left the wrapper's offset 0 in what it produced.
        if self.first.magic == MAGIC_V0 || offset == 0 {
            Ok(0)
        } else if offset < last {
            Err(invalid("a wrapper's offset is below that of its last message"))
        } else {
            Ok(offset.wrapping_sub(last))
        }
    }

    /// Appends the records in the form of format 2 to `out` and returns the header that describes them, with the magic of
    /// the format that they had. `scratch` is used for decompression.
    ///
    /// # Errors
    /// As [`records`](Self::records), or the offsets span more than one batch can.
    pub fn decode_into(
        &self,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
        limit: impl Into<OutputLimit>,
    ) -> Result<BatchHeader> {
        let mut converted: Option<Converted> = None;
        for record in self.records(scratch, limit)? {
            let record = record?;
            converted
                .get_or_insert_with(|| Converted::new(&record))
                .push(&record, out)?;
        }
        converted
            .ok_or_else(|| invalid("a wrapper holds no messages"))?
            .header(self)
    }
}

/// Records on their way from a message set to the form of format 2.
struct Converted {
    base_offset: i64,
    last_offset: i64,
    base_timestamp: i64,
    max_timestamp: i64,
    count: i32,
}

impl Converted {
    fn new(first: &RecordRef<'_>) -> Self {
        Self {
            base_offset: first.offset,
            last_offset: first.offset,
            base_timestamp: first.timestamp,
            max_timestamp: first.timestamp,
            count: 0,
        }
    }

    fn push(&mut self, record: &RecordRef<'_>, out: &mut Vec<u8>) -> Result<()> {
        let delta = offset_delta(self.base_offset, record.offset).ok_or_else(|| {
            // As far as a message set that a broker wrote is concerned, offsets ascend.
            invalid("offsets of a message set do not ascend, or span more than a batch can")
        })?;
        self.count = self.count.checked_add(1).ok_or_else(|| invalid("too many messages"))?;
        self.last_offset = self.last_offset.max(record.offset);
        self.max_timestamp = self.max_timestamp.max(record.timestamp);
        crate::builder::write_plain(
            out,
            record.timestamp.wrapping_sub(self.base_timestamp),
            delta,
            record.key,
            record.value,
        );
        Ok(())
    }

    fn header(&self, set: &MessageSet<'_>) -> Result<BatchHeader> {
        let last_offset_delta = offset_delta(self.base_offset, self.last_offset.max(set.last_offset))
            .ok_or_else(|| invalid("a wrapper's offset is not that of its last message"))?;
        let append_time = if set.is_log_append_time() {
            attributes::LOG_APPEND_TIME
        } else {
            0
        };
        Ok(BatchHeader {
            base_offset: self.base_offset,
            batch_length: i32::try_from(set.bytes.len().saturating_sub(LOG_OVERHEAD)).unwrap_or(i32::MAX),
            partition_leader_epoch: NO_PARTITION_LEADER_EPOCH,
            magic: set.magic(),
            crc: 0,
            attributes: i16::from(set.codec.id()) | append_time,
            last_offset_delta,
            base_timestamp: self.base_timestamp,
            max_timestamp: self.max_timestamp,
            producer_id: NO_PRODUCER_ID,
            producer_epoch: NO_PRODUCER_EPOCH,
            base_sequence: NO_SEQUENCE,
            record_count: self.count,
        })
    }
}

/// Iterates the records of an uncompressed message set and ends before a torn message, or after the first error.
#[derive(Clone, Debug)]
pub struct MessageIter<'p> {
    rest: &'p [u8],
    base_offset: i64,
    append_time: Option<i64>,
}

impl<'p> MessageIter<'p> {
    fn new(bytes: &'p [u8], base_offset: i64, append_time: Option<i64>) -> Self {
        Self {
            rest: bytes,
            base_offset,
            append_time,
        }
    }

    fn decode(&self, message: &Message<'p>) -> Result<RecordRef<'p>> {
        if message.compression()? != Compression::None {
            return Err(invalid("an inner message is compressed itself"));
        }
        Ok(RecordRef {
            offset: self.base_offset.wrapping_add(message.offset),
            timestamp: match self.append_time {
                Some(append_time) if message.magic == MAGIC_V1 => append_time,
                _ => message.timestamp,
            },
            key: message.key,
            value: message.value,
            headers: HeadersRef::default(),
        })
    }
}

impl<'p> Iterator for MessageIter<'p> {
    type Item = Result<RecordRef<'p>>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = self.rest.get(8..LOG_OVERHEAD)?.first_chunk()?;
        let decoded = body_len(i32::from_be_bytes(*length)).and_then(|length| {
            // A torn message ends the set, as in Kafka: brokers once cut the last one off.
            if length.saturating_add(LOG_OVERHEAD) > self.rest.len() {
                return Ok(None);
            }
            let message = Message::parse(self.rest)?;
            Ok(Some((self.decode(&message)?, message.bytes.len())))
        });
        match decoded {
            Ok(Some((record, len))) => {
                self.rest = self.rest.get(len..).unwrap_or_default();
                Some(Ok(record))
            }
            Ok(None) => {
                self.rest = &[];
                None
            }
            Err(error) => {
                self.rest = &[];
                Some(Err(error))
            }
        }
    }
}

impl std::iter::FusedIterator for MessageIter<'_> {}

/// Bytes after the length field, checked to hold the shortest message.
pub(crate) fn body_len(length: i32) -> Result<usize> {
    match usize::try_from(length) {
        Ok(length) if length >= MESSAGE_LEN_MIN => Ok(length),
        _ => Err(RecordsError::InvalidLength {
            field: "message length",
            length: i64::from(length),
        }),
    }
}

/// `offset` as format 2 writes it, if it can.
fn offset_delta(base_offset: i64, offset: i64) -> Option<i32> {
    let delta = offset.checked_sub(base_offset)?;
    i32::try_from(delta).ok().filter(|delta| *delta >= 0)
}

fn take<const N: usize>(input: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = input.split_first_chunk()?;
    *input = rest;
    Some(*taken)
}

/// Takes a length and as many bytes; any negative length is null, as in Kafka.
fn take_bytes<'a>(input: &mut &'a [u8]) -> Result<Option<&'a [u8]>> {
    let refused = || invalid("a length of a message passes its end");
    let length = take(input).map(i32::from_be_bytes).ok_or_else(refused)?;
    let Ok(length) = usize::try_from(length) else {
        return Ok(None);
    };
    let (taken, rest) = input.split_at_checked(length).ok_or_else(refused)?;
    *input = rest;
    Ok(Some(taken))
}

#[cold]
fn truncated(needed: usize, bytes: &[u8]) -> RecordsError {
    RecordsError::Truncated {
        needed,
        available: bytes.len(),
    }
}

#[cold]
fn invalid(reason: &'static str) -> RecordsError {
    RecordsError::InvalidMessage { reason }
}
