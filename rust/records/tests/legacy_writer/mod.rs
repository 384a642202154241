//! A writer of message sets (formats 0 and 1), for tests only: the product reads them.

use barnabas_records::{Compression, compress};

const LOG_APPEND_TIME: i8 = 8;

/// A record of a message set.
#[derive(Clone, Debug)]
pub(crate) struct OldRecord {
    /// Minus the set's first offset.
    pub(crate) offset_delta: i64,
    pub(crate) timestamp: i64,
    pub(crate) key: Option<Vec<u8>>,
    pub(crate) value: Option<Vec<u8>>,
}

/// A message set as a broker of its time stored it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldSet {
    pub(crate) magic: i8,
    pub(crate) codec: Compression,
    pub(crate) base_offset: i64,
    /// Of all records, in format 1.
    pub(crate) append_time: Option<i64>,
}

impl OldSet {
    pub(crate) fn write(&self, records: &[OldRecord]) -> Vec<u8> {
        let mut inner = Vec::new();
        let bare_attributes = if self.codec == Compression::None {
            self.append_bit()
        } else {
            0
        };
        for record in records {
            let is_relative = self.magic == 1 && self.codec != Compression::None;
            let offset = record.offset_delta + if is_relative { 0 } else { self.base_offset };
            let timestamp = match self.append_time {
                Some(append_time) if self.codec == Compression::None => append_time,
                _ => record.timestamp,
            };
            let (key, value) = (record.key.as_deref(), record.value.as_deref());
            write_message(&mut inner, self.magic, offset, bare_attributes, timestamp, key, value);
        }
        let Some(last) = records.last().filter(|_| self.codec != Compression::None) else {
            return inner;
        };
        let mut compressed = Vec::new();
        compress(self.codec, None, &inner, &mut compressed).unwrap();
        if self.magic == 0 && self.codec == Compression::Lz4 {
            // Writers of that time summed other bytes (KAFKA-3160).
            if let Some(checksum) = compressed.get_mut(6) {
                *checksum ^= 0xff;
            }
        }
        let attributes = self.codec.id() | self.append_bit();
        let timestamp = self
            .append_time
            .unwrap_or_else(|| records.iter().map(|record| record.timestamp).max().unwrap_or(-1));
        let offset = self.base_offset + last.offset_delta;
        let mut set = Vec::new();
        write_message(
            &mut set,
            self.magic,
            offset,
            attributes,
            timestamp,
            None,
            Some(&compressed),
        );
        set
    }

    fn append_bit(&self) -> i8 {
        if self.append_time.is_some() && self.magic == 1 {
            LOG_APPEND_TIME
        } else {
            0
        }
    }
}

pub(crate) fn write_message(
    out: &mut Vec<u8>,
    magic: i8,
    offset: i64,
    attributes: i8,
    timestamp: i64,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
) {
    let mut body = vec![magic.cast_unsigned(), attributes.cast_unsigned()];
    if magic == 1 {
        body.extend_from_slice(&timestamp.to_be_bytes());
    }
    for field in [key, value] {
        let length = field.map_or(-1, |field| i32::try_from(field.len()).unwrap());
        body.extend_from_slice(&length.to_be_bytes());
        body.extend_from_slice(field.unwrap_or_default());
    }
    out.extend_from_slice(&offset.to_be_bytes());
    out.extend_from_slice(&i32::try_from(body.len() + 4).unwrap().to_be_bytes());
    out.extend_from_slice(&crc32(&body).to_be_bytes());
    out.extend_from_slice(&body);
}

/// CRC-32 by its definition.
fn crc32(data: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in data {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}
