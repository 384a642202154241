//! Tests of the whole crate: real files, simulated files with crashes, a model.

mod append;
mod batches;
mod crash;
mod manager;
mod read;
mod recovery;
mod sim;
