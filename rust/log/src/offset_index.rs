//! Entries of `.index` files: from offsets to positions in the segment.

use crate::index_file::IndexEntry;

/// The batch at `position` has `relative_offset` + the segment's base offset as its last offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OffsetEntry {
    pub(crate) relative_offset: u32,
    pub(crate) position: u32,
}

impl IndexEntry for OffsetEntry {
    const LEN: usize = 8;

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (relative_offset, position) = bytes.split_first_chunk::<4>()?;
        Some(Self {
            relative_offset: u32::from_be_bytes(*relative_offset),
            position: u32::from_be_bytes(*position.first_chunk()?),
        })
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.relative_offset.to_be_bytes());
        out.extend_from_slice(&self.position.to_be_bytes());
    }
}

/// Whether entries rise strictly and point into a segment of `size` bytes.
pub(crate) fn is_sound(entries: &[OffsetEntry], size: u64) -> bool {
    let rises = entries
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a.relative_offset < b.relative_offset && a.position < b.position));
    rises && entries.last().is_none_or(|last| u64::from(last.position) < size)
}
