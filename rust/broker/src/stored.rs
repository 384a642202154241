//! A log's file as something that ranges can be sent from.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use barnabas_log::StorageFile;
use barnabas_net::part::RangeSource;

/// A segment's file.
#[derive(Debug, Clone)]
pub(crate) struct StoredFile(pub(crate) Arc<dyn StorageFile>);

impl RangeSource for StoredFile {
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_fd()
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        self.0.read_at(buffer, position)
    }
}
