//! Kafka wire protocol: primitives, headers, hot messages, the message table and its interpreter.
//!
//! A leaf: bytes in, values out, and back. It does no I/O, keeps no clock and starts no thread. Nothing here panics or
//! allocates without bound on hostile bytes.

#![expect(clippy::doc_markdown, reason = "names of APIs are words of this crate's prose")]

pub mod api;
pub mod check;
mod error;
pub mod errors;
mod generated;
pub mod header;
pub mod interpreter;
pub mod messages;
pub mod primitives;
pub mod refusal;
pub mod table;
pub mod throttle;
pub mod value;

pub use error::{Result, WireError};
pub use errors::ErrorCode;
pub use value::Value;
