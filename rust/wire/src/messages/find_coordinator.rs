//! FindCoordinator, key 10.

use super::codec::{message, root};
use crate::api;

/// The key type of consumer groups.
pub const GROUP: i8 = 0;
/// The key type of transactional ids.
pub const TRANSACTION: i8 = 1;
/// The key type of share partitions.
pub const SHARE: i8 = 2;

message! {
    /// Asks which broker coordinates a group or transactional id.
    struct FindCoordinatorRequest<'a> flexible 3 {
        /// The group or transactional id (before version 4).
        key: &'a str = "", 0..=3;
        /// What the keys are.
        key_type: i8 = 0, 1..;
        /// The groups or transactional ids (since version 4).
        coordinator_keys: Vec<&'a str> = Vec::new(), 4..;
    }

    /// Coordinators.
    struct FindCoordinatorResponse<'a> flexible 3 {
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 1.., ignorable = true;
        /// What went wrong (before version 4, as what follows).
        error_code: i16 = 0, 0..=3;
        /// The same in words.
        error_message: Option<&'a str> = Some(""), 1..=3, ignorable = true;
        /// The broker.
        node_id: i32 = 0, 0..=3;
        /// Its host.
        host: &'a str = "", 0..=3;
        /// Its port.
        port: i32 = 0, 0..=3;
        /// The coordinators (since version 4).
        coordinators: Vec<Coordinator<'a>> = Vec::new(), 4..;
    }

    /// The coordinator of one key.
    struct Coordinator<'a> flexible 3 {
        /// The group or transactional id.
        key: &'a str = "", 4..;
        /// The broker.
        node_id: i32 = 0, 4..;
        /// Its host.
        host: &'a str = "", 4..;
        /// Its port.
        port: i32 = 0, 4..;
        /// What went wrong.
        error_code: i16 = 0, 4..;
        /// The same in words.
        error_message: Option<&'a str> = Some(""), 4.., ignorable = true;
    }
}

root!(FindCoordinatorRequest<'a>, api::FIND_COORDINATOR);
root!(FindCoordinatorResponse<'a>, api::FIND_COORDINATOR);
