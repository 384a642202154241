//! Compaction: its rules one by one, random histories against a model, crashes at any change to the file system.

mod dump;
pub(super) mod history;
mod kafka;
mod rules;
mod runs;
mod schedule;
