//! Arrow rows to record batches.
//!
//! [`Input`] gives the rows of an Arrow batch without copying or allocating per row, [`append_rows`] writes them into an
//! open batch, and [`BatchEncoder`] does that for whole tables. The cells are copied once, into the batch.

mod batches;
pub(crate) mod cells;
pub mod check;
mod headers;
mod input;
mod numbers;

pub use batches::{BatchEncoder, BatchOptions, SealedBatch, TARGETS_LIMIT};
pub(crate) use cells::Cells;
pub use input::{Fill, Input, Row, append_rows};
