//! Tests of the whole crate: real files, simulated files with crashes, a model.

mod append;
mod batches;
mod cleaner;
mod concurrent;
mod crash;
mod crash_points;
mod data_dirs;
mod field_cases;
mod manager;
mod model;
mod offset_overflow;
mod options;
mod power;
mod producers;
mod read;
mod recompression;
mod recovery;
mod retention;
mod sim;
mod stored;
mod truncation;
