//! Where a scan's record batches come from.

use barnabas_client::ClientError;
use barnabas_client::fetched::FetchedBatch;

/// The fetched batches of an offset range, in order; offsets only grow.
pub trait BatchSource {
    /// The next batch; waits for it. Nothing at the end of the range, whatever kind of records stands there.
    ///
    /// # Errors
    /// The partition cannot be read: unknown, out of range, refused, broken, or nothing came for too long.
    fn next_batch(&mut self) -> Result<Option<FetchedBatch>, ClientError>;

    /// The whole range was read: what the source holds may be used again. Not called after an error or a cancellation.
    fn finished(&mut self) {}
}
