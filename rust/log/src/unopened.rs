//! Partitions whose directories could not be opened: each is offline alone, with its reason, and stays on disk as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::checkpoint::Offsets;
use crate::env::lock;
use crate::error::LogError;

/// What is kept of a partition that could not be opened.
#[derive(Debug)]
struct Unreadable {
    data_dir: PathBuf,
    reason: String,
    /// What the checkpoint files said of it, in their order.
    checkpoints: [Option<i64>; 4],
}

/// All such partitions of a broker.
#[derive(Debug, Default)]
pub(crate) struct Unopened(Mutex<BTreeMap<(String, i32), Unreadable>>);

impl Unopened {
    pub(crate) fn add(&self, partition: (String, i32), data_dir: &Path, error: &LogError, checkpoints: [&Offsets; 4]) {
        log::error!("{}-{} is offline: {error}", partition.0, partition.1);
        let unreadable = Unreadable {
            data_dir: data_dir.to_owned(),
            reason: error.to_string(),
            checkpoints: checkpoints.map(|offsets| offsets.get(&partition).copied()),
        };
        lock(&self.0).insert(partition, unreadable);
    }

    /// Fails for one of them, with the reason.
    pub(crate) fn check(&self, topic: &str, partition: i32) -> Result<(), LogError> {
        match lock(&self.0).get(&(topic.to_owned(), partition)) {
            Some(unreadable) => Err(LogError::Offline {
                reason: unreadable.reason.clone(),
            }),
            None => Ok(()),
        }
    }

    /// Says in checkpoint files that are written anew what they said before.
    pub(crate) fn keep_checkpoints(&self, data_dir: &Path, files: [&mut Offsets; 4]) {
        let unopened = lock(&self.0);
        let here = || {
            unopened
                .iter()
                .filter(|(_, unreadable)| unreadable.data_dir == data_dir)
        };
        for (index, file) in files.into_iter().enumerate() {
            for (partition, unreadable) in here() {
                let offset = unreadable.checkpoints.get(index).copied().flatten();
                file.extend(offset.map(|offset| (partition.clone(), offset)));
            }
        }
    }

    /// Topic, partition and reason.
    pub(crate) fn list(&self) -> Vec<(String, i32, String)> {
        let unopened = lock(&self.0);
        let named = |((topic, partition), unreadable): (&(String, i32), &Unreadable)| {
            (topic.clone(), *partition, unreadable.reason.clone())
        };
        unopened.iter().map(named).collect()
    }
}
