//! Where each leader epoch begins in the log, and its file `leader-epoch-checkpoint`.

use crate::checkpoint::{parse_lines, write_lines};
use crate::partition_log::EpochEndOffset;

/// Name of the file.
pub(crate) const FILE_NAME: &str = "leader-epoch-checkpoint";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EpochEntry {
    pub(crate) epoch: i32,
    pub(crate) start_offset: i64,
}

/// Epochs and offsets both rise strictly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EpochCache {
    entries: Vec<EpochEntry>,
    /// Changed since it was last written to its file.
    pub(crate) dirty: bool,
}

impl EpochCache {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut entries: Vec<EpochEntry> = Vec::new();
        for line in parse_lines(text)? {
            let (epoch, start_offset) = line.split_once(' ')?;
            let entry = EpochEntry {
                epoch: epoch.parse().ok()?,
                start_offset: start_offset.parse().ok()?,
            };
            if entries
                .last()
                .is_some_and(|last| last.epoch >= entry.epoch || last.start_offset > entry.start_offset)
            {
                return None;
            }
            entries.push(entry);
        }
        Some(Self { entries, dirty: false })
    }

    pub(crate) fn to_text(&self) -> String {
        write_lines(
            self.entries
                .iter()
                .map(|entry| format!("{} {}", entry.epoch, entry.start_offset)),
        )
    }

    pub(crate) fn latest(&self) -> Option<i32> {
        self.entries.last().map(|entry| entry.epoch)
    }

    /// Notes a batch of `epoch` at `start_offset`, if that epoch is new. Batches without an epoch are passed over.
    pub(crate) fn assign(&mut self, epoch: i32, start_offset: i64) {
        if epoch < 0 || self.latest().is_some_and(|latest| latest >= epoch) {
            return;
        }
        // An epoch that begins where the last one does has replaced it: that one never got a record.
        while self
            .entries
            .last()
            .is_some_and(|last| last.start_offset >= start_offset)
        {
            self.entries.pop();
        }
        self.entries.push(EpochEntry { epoch, start_offset });
        self.dirty = true;
    }

    /// Forgets epochs that begin at `end_offset` or later.
    pub(crate) fn truncate_from_end(&mut self, end_offset: i64) {
        let kept = self.entries.partition_point(|entry| entry.start_offset < end_offset);
        if kept < self.entries.len() {
            self.entries.truncate(kept);
            self.dirty = true;
        }
    }

    /// Forgets epochs that end at `start_offset` or before; the one in force there begins there now.
    pub(crate) fn truncate_from_start(&mut self, start_offset: i64) {
        let before = self.entries.partition_point(|entry| entry.start_offset <= start_offset);
        if before == 0 {
            return;
        }
        self.entries.drain(..before - 1);
        if let Some(first) = self.entries.first_mut()
            && first.start_offset < start_offset
        {
            first.start_offset = start_offset;
            self.dirty = true;
        }
        self.dirty |= before > 1;
    }

    /// The epoch of the record at `offset`.
    pub(crate) fn epoch_for_offset(&self, offset: i64) -> Option<i32> {
        let count = self.entries.partition_point(|entry| entry.start_offset <= offset);
        count
            .checked_sub(1)
            .and_then(|last| self.entries.get(last))
            .map(|entry| entry.epoch)
    }

    /// Where `epoch` ends, by the rules of `OffsetForLeaderEpoch` (KIP-101, KIP-279).
    pub(crate) fn end_offset(&self, epoch: i32, log_end_offset: i64) -> EpochEndOffset {
        let unknown = EpochEndOffset {
            epoch: -1,
            end_offset: -1,
        };
        match self.latest() {
            // Of negative epochs only -1 stands for none.
            Some(latest) if epoch != -1 && epoch <= latest => {}
            _ => return unknown,
        }
        let count = self.entries.partition_point(|entry| entry.epoch <= epoch);
        let floor = count.checked_sub(1).and_then(|last| self.entries.get(last));
        let end_offset = self
            .entries
            .get(count)
            .map_or(log_end_offset, |higher| higher.start_offset);
        // An epoch before the first one known: its records are deleted, so a follower starts where the log starts.
        EpochEndOffset {
            epoch: floor.map_or(epoch, |entry| entry.epoch),
            end_offset,
        }
    }
}
