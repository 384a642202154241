//! Kafka client data path: buffer pool, accumulator, partitioners, sender, fetcher, cluster view, request submission.
//!
//! One I/O thread per client serves all brokers. It never calls back into its user: results go to mailboxes that the
//! user's threads read.

pub mod config;
pub mod error;
pub mod fetched;

pub use error::ClientError;
