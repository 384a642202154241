//! Records of one batch, decoded in place: nothing is copied, every length is checked.

use crate::varint::{read_varint, read_varlong};
use crate::{BatchHeader, RecordsError, Result};

/// One record; its bytes are borrowed from the (decompressed) payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordRef<'p> {
    /// Offset in the partition.
    pub offset: i64,
    /// Milliseconds since the epoch: the producer's, or the append time if the batch says so.
    pub timestamp: i64,
    /// Key; null and empty differ.
    pub key: Option<&'p [u8]>,
    /// Value; null and empty differ.
    pub value: Option<&'p [u8]>,
    /// Headers in their order, repeated keys kept.
    pub headers: HeadersRef<'p>,
}

/// The headers of a record, checked when the record was decoded.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadersRef<'p> {
    bytes: &'p [u8],
    count: u32,
}

impl<'p> HeadersRef<'p> {
    /// Number of headers.
    #[inline]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Keys (UTF-8 by convention, not checked) and values in their order.
    #[inline]
    pub fn iter(&self) -> HeadersIter<'p> {
        HeadersIter {
            rest: self.bytes,
            count: self.count,
        }
    }
}

/// Equal keys and values in equal order; their encodings may differ.
impl PartialEq for HeadersRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count && self.iter().eq(other.iter())
    }
}

impl Eq for HeadersRef<'_> {}

impl<'p> IntoIterator for HeadersRef<'p> {
    type Item = (&'p [u8], Option<&'p [u8]>);
    type IntoIter = HeadersIter<'p>;

    fn into_iter(self) -> HeadersIter<'p> {
        self.iter()
    }
}

impl<'p> IntoIterator for &HeadersRef<'p> {
    type Item = (&'p [u8], Option<&'p [u8]>);
    type IntoIter = HeadersIter<'p>;

    fn into_iter(self) -> HeadersIter<'p> {
        self.iter()
    }
}

/// Iterator of [`HeadersRef::iter`].
#[derive(Clone, Debug)]
pub struct HeadersIter<'p> {
    rest: &'p [u8],
    count: u32,
}

impl<'p> Iterator for HeadersIter<'p> {
    type Item = (&'p [u8], Option<&'p [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        self.count = self.count.checked_sub(1)?;
        let key = read_bytes(&mut self.rest).ok().flatten()?;
        let value = read_bytes(&mut self.rest).ok()?;
        Some((key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count as usize, Some(self.count as usize))
    }
}

impl ExactSizeIterator for HeadersIter<'_> {}

/// Iterates the records of one uncompressed payload; ends after the first error.
///
/// The number of records must be the header's, and nothing may follow the last one.
#[derive(Clone, Debug)]
pub struct RecordIter<'p> {
    rest: &'p [u8],
    base_offset: i64,
    base_timestamp: i64,
    append_time: Option<i64>,
    declared: i32,
    decoded: i32,
    done: bool,
}

impl<'p> RecordIter<'p> {
    /// Records of `payload`, the uncompressed bytes after `header`.
    #[inline]
    pub fn new(header: &BatchHeader, payload: &'p [u8]) -> Self {
        Self {
            rest: payload,
            base_offset: header.base_offset,
            base_timestamp: header.base_timestamp,
            append_time: header.is_log_append_time().then_some(header.max_timestamp),
            declared: header.record_count,
            decoded: 0,
            done: false,
        }
    }

    /// The record with this index, at the front of `bytes`.
    #[inline]
    pub(crate) fn at(header: &BatchHeader, bytes: &'p [u8], index: usize) -> Self {
        Self {
            decoded: i32::try_from(index).unwrap_or(i32::MAX),
            ..Self::new(header, bytes)
        }
    }

    /// The record at the front; whether more follow is not looked at.
    #[inline]
    pub(crate) fn decode_one(&mut self) -> Result<RecordRef<'p>> {
        self.decode()
    }

    #[cold]
    fn invalid(&self, reason: &'static str) -> RecordsError {
        RecordsError::InvalidRecord {
            index: self.decoded,
            reason,
        }
    }

    /// All records are decoded: nothing may be left, and the header must not have lied about the count.
    #[cold]
    fn end(&mut self) -> Option<Result<RecordRef<'p>>> {
        if self.done {
            return None;
        }
        self.done = true;
        if self.declared < 0 {
            return Some(Err(RecordsError::InvalidLength {
                field: "record count",
                length: i64::from(self.declared),
            }));
        }
        let found = self.decoded.saturating_add(1);
        (!self.rest.is_empty()).then_some(Err(RecordsError::CountMismatch {
            declared: self.declared,
            found,
        }))
    }

    #[inline]
    fn decode(&mut self) -> Result<RecordRef<'p>> {
        if self.rest.is_empty() {
            return Err(RecordsError::CountMismatch {
                declared: self.declared,
                found: self.decoded,
            });
        }
        let length = read_varint(&mut self.rest).ok_or_else(|| self.invalid("its length is no varint"))?;
        let (mut body, rest) = usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.split_at_checked(length))
            .ok_or_else(|| self.invalid("its length is negative or passes the end of the batch"))?;
        let record = self.decode_body(&mut body)?;
        self.rest = rest;
        Ok(record)
    }

    #[inline]
    fn decode_body(&self, body: &mut &'p [u8]) -> Result<RecordRef<'p>> {
        // The attributes byte has no meaning yet; as in Kafka, readers ignore it.
        let Some((_, rest)) = body.split_first() else {
            return Err(self.invalid("it has no attributes"));
        };
        *body = rest;
        let timestamp_delta = read_varlong(body).ok_or_else(|| self.invalid("its timestamp is no varint"))?;
        let offset_delta = read_varint(body).ok_or_else(|| self.invalid("its offset is no varint"))?;
        let key = read_bytes(body).map_err(|Malformed| self.invalid("its key has an invalid length"))?;
        let value = read_bytes(body).map_err(|Malformed| self.invalid("its value has an invalid length"))?;
        let headers = if let [0] = **body {
            HeadersRef::default()
        } else {
            self.decode_headers(body)?
        };
        Ok(RecordRef {
            offset: self.base_offset.wrapping_add(i64::from(offset_delta)),
            timestamp: self
                .append_time
                .unwrap_or_else(|| self.base_timestamp.wrapping_add(timestamp_delta)),
            key,
            value,
            headers,
        })
    }

    /// Walks the headers once, so that reading them later cannot fail; they must end where the record ends.
    fn decode_headers(&self, body: &mut &'p [u8]) -> Result<HeadersRef<'p>> {
        let count = read_varint(body).ok_or_else(|| self.invalid("its header count is no varint"))?;
        let count = u32::try_from(count).map_err(|_| self.invalid("its header count is negative"))?;
        let bytes = *body;
        for _ in 0..count {
            match read_bytes(body) {
                Ok(Some(_)) => {}
                _ => return Err(self.invalid("a header's key has an invalid length")),
            }
            read_bytes(body).map_err(|Malformed| self.invalid("a header's value has an invalid length"))?;
        }
        if body.is_empty() {
            Ok(HeadersRef { bytes, count })
        } else {
            Err(self.invalid("bytes follow its headers"))
        }
    }
}

impl<'p> Iterator for RecordIter<'p> {
    type Item = Result<RecordRef<'p>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.done || self.decoded >= self.declared {
            return self.end();
        }
        let record = self.decode();
        match record {
            Ok(_) => self.decoded += 1,
            Err(_) => self.done = true,
        }
        Some(record)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        // A record takes at least 7 bytes, whatever the header declares.
        const RECORD_LEN_MIN: usize = 7;
        let declared = usize::try_from(self.declared.saturating_sub(self.decoded)).unwrap_or(0);
        (
            0,
            Some(declared.min(self.rest.len() / RECORD_LEN_MIN).saturating_add(1)),
        )
    }
}

impl std::iter::FusedIterator for RecordIter<'_> {}

struct Malformed;

/// Takes length and bytes; -1 is null, any other negative length is malformed.
#[inline]
fn read_bytes<'p>(input: &mut &'p [u8]) -> Result<Option<&'p [u8]>, Malformed> {
    let length = read_varint(input).ok_or(Malformed)?;
    if length < 0 {
        return if length == -1 { Ok(None) } else { Err(Malformed) };
    }
    let (bytes, rest) = input
        .split_at_checked(length.cast_unsigned() as usize)
        .ok_or(Malformed)?;
    *input = rest;
    Ok(Some(bytes))
}
