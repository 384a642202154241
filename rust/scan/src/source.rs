//! Where a scan's record batches come from.

use std::time::Duration;

use barnabas_client::ClientError;
use barnabas_client::fetched::FetchedBatch;

/// What a source has.
#[derive(Debug)]
pub enum Next {
    /// The next batch; offsets only grow.
    Batch(FetchedBatch),
    /// Nothing came within the time; ask again.
    Idle,
    /// The end of the range is reached, whatever kind of records stands there.
    End,
}

/// The fetched batches of an offset range, in order.
pub trait BatchSource: Send {
    /// The next batch, or what else there is within about `timeout`.
    ///
    /// # Errors
    /// The partition cannot be read: unknown, out of range, refused, broken.
    fn next(&mut self, timeout: Duration) -> Result<Next, ClientError>;
}
