//! What can go wrong in a client. Protocol error codes stay numbers here; the Python layer turns them into classes.

/// An error of a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// An option's value is wrong.
    #[error("{name}: {reason}")]
    InvalidOption {
        /// The option.
        name: &'static str,
        /// What is wrong with its value.
        reason: String,
    },
    /// The client was closed.
    #[error("the client is closed")]
    Closed,
    /// The process was forked after the client had been made.
    #[error("this client was made before the process was forked; make a new one in the child")]
    Forked,
    /// The I/O thread could not be started.
    #[error("the client's I/O thread could not be started: {reason}")]
    Thread {
        /// The operating system's words.
        reason: String,
    },
    /// Something was not there in time.
    #[error("{what} within {timeout_ms} ms")]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        timeout_ms: u64,
    },
    /// No space in `buffer.memory` within `max.block.ms`.
    #[error("no space for {size} bytes in buffer.memory of {limit} bytes within {timeout_ms} ms")]
    BufferExhausted {
        /// Bytes asked for.
        size: usize,
        /// `buffer.memory`.
        limit: usize,
        /// `max.block.ms`.
        timeout_ms: u64,
    },
    /// A record can never be sent with these options.
    #[error("a record of {size} bytes is larger than {option} of {limit} bytes")]
    RecordTooLarge {
        /// The record's size in a batch.
        size: usize,
        /// The option that limits it.
        option: &'static str,
        /// Its value.
        limit: usize,
    },
    /// A partition that the topic does not have.
    #[error("topic {topic} has {count} partitions, so there is no partition {partition}")]
    NoSuchPartition {
        /// The topic.
        topic: String,
        /// The partition asked for.
        partition: i32,
        /// How many there are.
        count: usize,
    },
    /// A broker's answer, by Kafka's error code.
    #[error("{message}")]
    Broker {
        /// Kafka's error code.
        code: i16,
        /// What was attempted, on whom, and the broker's words.
        message: String,
    },
    /// No answer: connection lost, refused or timed out.
    #[error("{0}")]
    Transport(String),
    /// Bytes that do not follow the protocol.
    #[error("{0}")]
    Protocol(String),
    /// A call that the object's state does not allow.
    #[error("{0}")]
    IllegalState(String),
}
