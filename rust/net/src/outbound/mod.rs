//! Connections to brokers: one task each on the caller's runtime, pipelined requests, answers in order.
//!
//! A [`Connection`] connects, says which versions the broker serves, sends requests whose parts are never copied, and reports
//! everything through one channel of [`ConnectionEvent`]s. It knows no API but `ApiVersions` and never retries; which broker
//! to ask, and whether to ask again, is its owner's business.

mod backoff;
mod connection;
mod frame;
mod handshake;
mod inherited;
mod line;
mod receive_pool;
mod stream;

pub use backoff::{Backoff, Jitter};
pub use connection::{
    CloseReason, Connection, ConnectionEvent, ConnectionId, ConnectionOptions, IN_FLIGHT_MAX, Request,
};
pub use handshake::VersionRanges;
pub use inherited::take_inherited;
pub use receive_pool::{PooledBuffer, ReceivePool};
