//! What can go wrong between the control plane and the data plane.

use barnabas_log::{AppendError, LogError};
use barnabas_net::server::ServerError;
use barnabas_records::RecordsError;
use barnabas_wire::errors::ErrorCode;
use thiserror::Error;

use crate::config::OptionError;

/// A failure of a call into the broker.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BrokerError {
    /// An option cannot be used.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The network side failed.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// A log failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// An append was refused.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Records could not be made into a batch.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// A file failed.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: String,
        /// How.
        source: std::io::Error,
    },
    /// A name that is not one for a file.
    #[error("{0:?} is not a name for a stored file: use letters, digits, '-', '_' and '.'")]
    FileName(String),
    /// The partition is not here or not led by this broker.
    #[error("partition {topic}-{partition} is not led by this broker")]
    NotLeader {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
    },
    /// The leader epoch is not the current one.
    #[error("leader epoch {given} of {topic}-{partition} is not the current one, {current}")]
    FencedLeaderEpoch {
        /// The topic.
        topic: String,
        /// The partition.
        partition: i32,
        /// The epoch of the call.
        given: i32,
        /// The current one.
        current: i32,
    },
    /// No records were given.
    #[error("an append needs at least one record")]
    NothingToAppend,
    /// The broker is stopping.
    #[error("the broker is stopping")]
    Stopping,
}

impl BrokerError {
    /// The wire's code; `None` for what no client can cause.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Log(error) => Some(ErrorCode(error.code())),
            Self::Append(error) => Some(ErrorCode(error.code())),
            Self::NotLeader { .. } => Some(ErrorCode::NOT_LEADER_OR_FOLLOWER),
            Self::FencedLeaderEpoch { .. } => Some(ErrorCode::FENCED_LEADER_EPOCH),
            _ => None,
        }
    }
}
