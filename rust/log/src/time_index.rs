//! Entries of `.timeindex` files: from timestamps to offsets.

use crate::index_file::IndexEntry;

/// No batch up to the one that ends at `relative_offset` + base offset has a timestamp above `timestamp`, and that one
/// has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeEntry {
    pub(crate) timestamp: i64,
    pub(crate) relative_offset: u32,
}

impl IndexEntry for TimeEntry {
    const LEN: usize = 12;

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (timestamp, relative_offset) = bytes.split_first_chunk::<8>()?;
        Some(Self {
            timestamp: i64::from_be_bytes(*timestamp),
            relative_offset: u32::from_be_bytes(*relative_offset.first_chunk()?),
        })
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.timestamp.to_be_bytes());
        out.extend_from_slice(&self.relative_offset.to_be_bytes());
    }
}

/// Whether timestamps rise strictly and offsets do not fall.
pub(crate) fn is_sound(entries: &[TimeEntry]) -> bool {
    entries
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a.timestamp < b.timestamp && a.relative_offset <= b.relative_offset))
}

/// Adds an entry unless the last one says as much, as Kafka's `maybeAppend`.
pub(crate) fn push(entries: &mut Vec<TimeEntry>, entry: TimeEntry) {
    if entries.last().map_or(entry.timestamp >= 0, |last| {
        last.timestamp < entry.timestamp && last.relative_offset <= entry.relative_offset
    }) {
        entries.push(entry);
    }
}
