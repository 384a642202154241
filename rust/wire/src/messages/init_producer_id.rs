//! InitProducerId, key 22.

use super::codec::{message, root};
use crate::api;

message! {
    /// Asks for a producer id and epoch.
    struct InitProducerIdRequest<'a> flexible 2 {
        /// The transactional id, if the producer has one.
        transactional_id: Option<&'a str> = Some(""), 0..;
        /// When an idle transaction is aborted.
        transaction_timeout_ms: i32 = 0, 0..;
        /// The producer id to go on with, -1 for none.
        producer_id: i64 = -1, 3..;
        /// Its epoch, -1 for none.
        producer_epoch: i16 = -1, 3..;
    }

    /// A producer id and epoch.
    struct InitProducerIdResponse flexible 2 {
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 0.., ignorable = true;
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// The producer id.
        producer_id: i64 = -1, 0..;
        /// Its epoch.
        producer_epoch: i16 = 0, 0..;
    }
}

root!(InitProducerIdRequest<'a>, api::INIT_PRODUCER_ID);
root!(InitProducerIdResponse, api::INIT_PRODUCER_ID);
