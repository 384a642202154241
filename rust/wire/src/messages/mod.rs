//! The messages of the produce and fetch paths, and of what leads to them, written by hand for speed.
//!
//! Fields have the schema's names in snake case, and all versions' fields are there with the schema's defaults. Text
//! and records are borrowed. Each message equals the interpreter at every version (see the tests); tagged fields that
//! are not known are dropped.

mod codec;
mod parts;

pub mod api_versions;
pub mod delete_records;
pub mod describe_topic_partitions;
pub mod fetch;
pub mod find_coordinator;
pub mod init_producer_id;
pub mod list_offsets;
pub mod metadata;
pub mod offset_for_leader_epoch;
pub mod produce;

pub use codec::Nullable;
pub use parts::{Part, Records, total_len};
