//! Keeps disk waits off the reactors: a range that is not in the page cache is read once on a helper thread, after which
//! sending it finds it there.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::part::{FileRange, RangeSource};
use crate::send::position_in;

/// How much the helper reads at once.
const READ_BYTES: usize = 128 * 1024;

/// What the page cache holds or lacks as a whole; larger pages only make one look too many.
const PAGE_BYTES: u64 = 4096;

/// Waits until `len` bytes of the range, from `from` on, can be expected in the page cache. Only the first and the last
/// of them are looked at: readers of old data go forward, so that what is cold begins or ends a chunk.
pub(crate) async fn warm<F: RangeSource + Clone>(
    range: &FileRange<F>,
    from: usize,
    len: usize,
    cold_reads: &AtomicU64,
) -> io::Result<()> {
    let first = position_in(range, from)?;
    let last = position_in(range, from + len.saturating_sub(1))?;
    let is_one_page = first / PAGE_BYTES == last / PAGE_BYTES;
    if len == 0 || (is_cached(&range.file, first) && (is_one_page || is_cached(&range.file, last))) {
        return Ok(());
    }
    cold_reads.fetch_add(1, Ordering::Relaxed);
    let file = range.file.clone();
    // The runtime bounds these threads. What fails here fails again, and is told, where the bytes are sent.
    tokio::task::spawn_blocking(move || {
        let mut buffer = vec![0; READ_BYTES.min(len)];
        let mut position = first;
        while position <= last {
            match file.read_at(&mut buffer, position) {
                Ok(0) | Err(_) => return,
                Ok(n) => position = position.saturating_add(u64::try_from(n).unwrap_or(u64::MAX)),
            }
        }
    })
    .await
    .map_err(io::Error::other)
}

/// Whether a byte can be read without waiting for a disk; true where that cannot be found out.
#[cfg(target_os = "linux")]
fn is_cached<F: RangeSource>(file: &F, position: u64) -> bool {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    let Some(file) = file.descriptor() else { return true };
    let mut byte = [0];
    let read = preadv2(
        file,
        &mut [io::IoSliceMut::new(&mut byte)],
        position,
        ReadWriteFlags::NOWAIT,
    );
    read != Err(Errno::AGAIN)
}

#[cfg(not(target_os = "linux"))]
fn is_cached<F: RangeSource>(_: &F, _: u64) -> bool {
    true
}
