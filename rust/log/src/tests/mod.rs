//! Tests of the whole crate: real files, simulated files with crashes, a model.

mod append;
mod batches;
mod cleaner;
mod concurrent;
mod crash;
mod crash_points;
mod manager;
mod model;
mod power;
mod read;
mod recovery;
mod sim;
mod stored;
