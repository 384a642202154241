//! Framing, inbound and outbound connections, reactor threads and timers.
//!
//! Inbound: [`server::Server`] runs reactor threads that read frames, call a [`server::Handler`] on the spot and send
//! its [`part::Response`]. Nothing here knows what a frame means.

mod accept;
mod activity;
mod budget;
mod cold;
mod connection;
pub mod framing;
pub mod limits;
mod listeners;
pub mod outbound;
pub mod part;
pub mod rate;
pub mod scheduling;
mod send;
pub mod server;
