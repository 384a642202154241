//! Kafka broker data path: dispatch, partitions, produce and fetch, purgatory, image, control queue.
//!
//! [`Node`] is a running broker. Requests for records and metadata are answered on the reactor threads; everything else
//! goes through the control queue to whoever decides. Nothing here waits for the control plane.

#![expect(clippy::doc_markdown, reason = "names of APIs are words of this crate's prose")]

mod api_versions;
mod append_lane;
mod broker;
mod calls;
mod cleaner;
mod cold_reader;
mod config;
mod connection_options;
mod control;
mod delete_records;
mod describe_topic_partitions;
mod dispatch;
mod error;
mod exposition;
mod faults;
mod fetch;
mod fetch_answer;
mod fetch_session;
mod helpers;
mod image;
mod list_offsets;
mod listeners;
mod metadata;
mod metrics;
mod node;
mod offset_for_leader_epoch;
mod partition;
mod produce;
mod produce_plan;
mod publish;
mod purgatory;
mod quotas;
mod reply;
mod stored;
mod throttle;
mod topic_options;
mod upkeep;

pub use broker::{METADATA_TOPIC, Stopwatch};
pub use calls::{KeyValue, PartitionInfo, TypeValue};
pub use config::{BrokerConfig, Feature, OptionError, OptionMap};
pub use control::{ApiRequest, Clock, Event, WatchKind};
pub use dispatch::Peer;
pub use error::BrokerError;
pub use faults::{Fault, FaultAction, SeenRequest};
pub use image::{Change, Endpoint, PartitionState, TopicChange, TopicId};
pub use node::Node;
