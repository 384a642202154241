//! How an answer tells its client to wait, and its connection to be left alone (KIP-219).

use barnabas_net::framing::FRAME_PREFIX_LEN;
use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::header::response_header_version;
use barnabas_wire::throttle::set_throttle_time;

use crate::quotas::Charge;
use crate::reply::ReplyTo;
use crate::stored::StoredFile;

/// A correlation id.
const HEADER_LEN: usize = 4;

/// A throttle time as answers have it.
pub(crate) fn told(throttle_ms: u32) -> i32 {
    i32::try_from(throttle_ms).unwrap_or(i32::MAX)
}

/// Charges a request that has no quota of its own for the time that it took, and lets its answer say so.
pub(crate) fn after(
    outcome: Outcome<StoredFile>,
    charge: Option<Charge>,
    to: ReplyTo,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let Some(mut charge) = charge else {
        return outcome;
    };
    match outcome {
        Outcome::Reply => {
            stamp(response, to, charge.request());
            Outcome::Reply
        }
        Outcome::Wait(waiting) => {
            charge.pause();
            Outcome::Wait(Box::pin(async move {
                let mut response = waiting.await?;
                stamp(&mut response, to, charge.request());
                Some(response)
            }))
        }
        Outcome::Silent | Outcome::Close => outcome,
    }
}

/// Writes a throttle time into an answer that is written already.
pub(crate) fn stamp(response: &mut Response<StoredFile>, to: ReplyTo, throttle_ms: u32) {
    if throttle_ms == 0 {
        return;
    }
    response.mute_ms = throttle_ms;
    let tags = usize::from(response_header_version(to.api_key, to.api_version) >= 1);
    if let Some(body) = response.bytes_mut().get_mut(FRAME_PREFIX_LEN + HEADER_LEN + tags..) {
        // Old versions have no place for it; their clients are muted all the same.
        set_throttle_time(to.api_key, to.api_version, body, told(throttle_ms));
    }
}
