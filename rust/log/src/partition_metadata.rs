//! `partition.metadata`: which topic a partition directory belongs to.

use std::io;
use std::path::Path;

use crate::error::LogError;
use crate::storage::Storage;
use crate::uuid;

pub(crate) const FILE_NAME: &str = "partition.metadata";
const FILE_BYTES_MAX: usize = 4096;

/// The id in the file, or `expected` when the file says nothing; they must not differ. A directory that exists without
/// the file gets it.
pub(crate) fn check(
    storage: &dyn Storage,
    dir: &Path,
    expected: Option<[u8; 16]>,
) -> Result<Option<[u8; 16]>, LogError> {
    let path = dir.join(FILE_NAME);
    let found = match storage.read_whole(&path, FILE_BYTES_MAX) {
        Ok(bytes) => parse(&bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(LogError::io("read", &path, error)),
    };
    match (found, expected) {
        (Some(found), Some(expected)) if found != expected => Err(mismatch(dir, expected, found)),
        (Some(found), _) => Ok(Some(found)),
        (None, None) => Ok(None),
        (None, Some(expected)) => {
            if storage
                .exists(dir)
                .map_err(|error| LogError::io("look at", dir, error))?
            {
                write(storage, dir, expected)?;
            }
            Ok(Some(expected))
        }
    }
}

pub(crate) fn mismatch(dir: &Path, expected: [u8; 16], found: [u8; 16]) -> LogError {
    LogError::TopicIdMismatch {
        dir: dir.to_owned(),
        expected: uuid::to_text(expected),
        found: uuid::to_text(found),
    }
}

/// Writes the file; the first flush of the log makes it durable.
pub(crate) fn write(storage: &dyn Storage, dir: &Path, topic_id: [u8; 16]) -> Result<(), LogError> {
    let path = dir.join(FILE_NAME);
    let text = format!("version: 0\ntopic_id: {}", uuid::to_text(topic_id));
    storage
        .write_atomic(&path, text.as_bytes(), false)
        .map_err(|error| LogError::io("write", &path, error))
}

fn parse(bytes: &[u8]) -> Option<[u8; 16]> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    if lines.next()?.trim() != "version: 0" {
        return None;
    }
    uuid::from_text(lines.next()?.strip_prefix("topic_id:")?.trim())
}
