//! Names of partition directories.

use std::path::{Path, PathBuf};

use crate::uuid;

/// Directories of deleted partitions end so; what is left of them after a crash is removed at the next start.
pub(crate) const DELETED_SUFFIX: &str = "-delete";
/// Longest file name of the usual file systems.
const NAME_BYTES_MAX: usize = 255;
/// Longest topic name of Kafka.
const TOPIC_BYTES_MAX: usize = 249;

pub(crate) fn of(topic: &str, partition: i32) -> String {
    format!("{topic}-{partition}")
}

/// Topic and partition of a directory name, `None` when it is not one.
pub(crate) fn parse(name: &str) -> Option<(&str, i32)> {
    let (topic, partition) = name.rsplit_once('-')?;
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if topic.is_empty() || topic.len() > TOPIC_BYTES_MAX || !topic.bytes().all(valid) {
        return None;
    }
    let number: i32 = partition.parse().ok()?;
    (number >= 0 && number.to_string() == partition).then_some((topic, number))
}

/// The name that a partition directory gets before it is removed: `<topic>-<n>.<32 hex digits>-delete`, cut in the
/// topic where it would be too long.
pub(crate) fn for_deletion(dir: &Path) -> PathBuf {
    let name = dir
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let (topic, partition) = name.rsplit_once('-').unwrap_or((name.as_str(), "0"));
    let suffix = format!("-{partition}.{}{DELETED_SUFFIX}", uuid::to_hex(uuid::random()));
    let topic = topic
        .get(..topic.len().min(NAME_BYTES_MAX - suffix.len()))
        .unwrap_or(topic);
    dir.with_file_name(format!("{topic}{suffix}"))
}
