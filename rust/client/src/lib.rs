//! Kafka client data path: buffer pool, accumulator, partitioners, sender, fetcher, cluster view, request submission.
//!
//! One I/O thread per [`Client`] serves all brokers. It never calls back into its user: results go to mailboxes that the
//! user's threads read.

mod accumulator;
mod batch;
mod buffer_pool;
mod client;
mod cluster;
mod completion;
pub mod config;
mod coordinators;
mod counters;
mod doorbell;
pub mod error;
mod fetch_buffer;
mod fetch_decode;
mod fetch_loop;
mod fetch_request;
mod fetch_session;
mod fetch_validation;
pub mod fetched;
mod fetcher;
mod heartbeat;
mod identity;
mod io_thread;
mod lock;
mod mailbox;
mod metadata;
#[cfg(feature = "loom")]
#[cfg(test)]
mod models;
mod nodes;
mod outbox;
mod partition_reader;
mod partitioner;
mod produce_message;
mod producer;
mod sender;
mod sequences;
#[cfg(test)]
mod stress;
mod submit;
mod sync;
mod waker;

pub use accumulator::{Appended, RecordData};
pub use batch::{BatchState, Failure, Outcome};
pub use client::{Client, forked, forks};
pub use cluster::{ClusterView, Node, Partition, Topic};
pub use error::ClientError;
pub use fetch_buffer::{Assigned, PositionOf, TopicPartition};
pub use fetcher::Fetcher;
pub use heartbeat::HeartbeatPlan;
pub use mailbox::{Event, Waited};
pub use partition_reader::PartitionReader;
pub use partitioner::{KeyHash, Keyless, Partitioner, TopicState};
pub use producer::{Buffer, BufferTicket, Completions, Flush, NotSent, PendingFlush, Producer};
pub use submit::{Message, Target, Variant};
