//! Reads an offset range of one partition into Arrow batches, on a thread of its own.
//!
//! The thread fetches and decodes ahead of its user by at most [`PREFETCHED_BATCHES`] batches; dropping the [`Scan`]
//! ends it. It never touches Python.

mod error;
mod pool;
mod predicate;
mod scan;
mod source;

pub use error::ScanError;
pub use pool::{ClientPool, IDLE_CLIENTS};
pub use predicate::{Condition, Test, VALUES_MAX};
pub use scan::{PREFETCHED_BATCHES, Scan, ScanConfig, Waited};
pub use source::BatchSource;

/// The result of this crate.
pub type Result<T> = std::result::Result<T, ScanError>;
