//! Kafka's checkpoint files: a version line, a count line, one entry per line.

use std::collections::BTreeMap;

/// Offsets below this are on disk.
pub(crate) const RECOVERY_POINT: &str = "recovery-point-offset-checkpoint";
/// First offset of each log that was not deleted, where it is not the first segment's.
pub(crate) const LOG_START: &str = "log-start-offset-checkpoint";
/// How far logs are compacted.
pub(crate) const CLEANED: &str = "cleaner-offset-checkpoint";
/// High watermarks.
pub(crate) const HIGH_WATERMARK: &str = "replication-offset-checkpoint";

/// Greatest checkpoint file that is read: a million partitions with names of average length.
pub(crate) const FILE_BYTES_MAX: usize = 128 << 20;

/// The entry lines of a checkpoint file of version 0; `None` when the file is not one or is cut.
pub(crate) fn parse_lines(text: &str) -> Option<Vec<&str>> {
    let mut lines = text.lines();
    if lines.next()?.trim() != "0" {
        return None;
    }
    let count: usize = lines.next()?.trim().parse().ok()?;
    let entries: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    (entries.len() == count).then_some(entries)
}

pub(crate) fn write_lines(entries: impl ExactSizeIterator<Item = String>) -> String {
    let mut text = format!("0\n{}\n", entries.len());
    for entry in entries {
        text.push_str(&entry);
        text.push('\n');
    }
    text
}

/// Offsets by topic and partition.
pub(crate) type Offsets = BTreeMap<(String, i32), i64>;

pub(crate) fn parse_offsets(text: &str) -> Option<Offsets> {
    parse_lines(text)?
        .into_iter()
        .map(|line| {
            let mut words = line.split_ascii_whitespace();
            let (topic, partition, offset) = (words.next()?, words.next()?, words.next()?);
            Some(((topic.to_owned(), partition.parse().ok()?), offset.parse().ok()?))
        })
        .collect()
}

pub(crate) fn write_offsets(offsets: &Offsets) -> String {
    write_lines(
        offsets
            .iter()
            .map(|((topic, partition), offset)| format!("{topic} {partition} {offset}")),
    )
}
