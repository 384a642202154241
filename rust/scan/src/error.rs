//! What can end a scan early.

use barnabas_client::ClientError;
use barnabas_columnar::ColumnarError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The range could not be fetched.
    #[error("{topic}-{partition}, offsets {position} to {end}: {source}")]
    Fetch {
        /// Topic of the scan.
        topic: String,
        /// Partition of the scan.
        partition: i32,
        /// Offset of the next record that was wanted.
        position: i64,
        /// End of the range.
        end: i64,
        /// What went wrong.
        source: ClientError,
    },
    /// What was fetched could not be decoded.
    #[error(transparent)]
    Columnar(#[from] ColumnarError),
    /// A condition does not fit the columns.
    #[error("condition on column {column}: {reason}")]
    Condition {
        /// The column.
        column: String,
        /// What is wrong.
        reason: String,
    },
    /// Rows could not be compared or gathered.
    #[error("rows could not be filtered: {0}")]
    Filter(#[from] arrow_schema::ArrowError),
    /// The operating system gave no thread.
    #[error("the scan's thread could not be started: {0}")]
    Thread(std::io::Error),
    /// The scan's thread ended without an answer, which is a defect.
    #[error("the scan's thread ended without an answer")]
    ThreadDied,
}
