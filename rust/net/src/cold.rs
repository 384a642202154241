//! Keeps disk waits off the reactors: what is not in the page cache is read on a helper thread first, after which sending
//! it finds it there.
//!
//! A look at the page cache is cheap where the bytes are, and not where they are missing: the kernel begins to read them
//! ahead, some megabytes at once, on the thread that looked. So who was found to read from the disk is not looked after
//! any more: helpers go over everything before it is sent, each chunk while the one before is on its way.

use std::io;
use std::sync::atomic::Ordering;

use tokio::task::JoinHandle;

use crate::part::{FileRange, RangeSource};
use crate::send::{Sending, position_in};

/// How much the helper reads at once.
const READ_BYTES: usize = 128 * 1024;

/// What the page cache holds or lacks as a whole; larger pages only make one look too many.
const PAGE_BYTES: u64 = 4096;

/// Positions of the first and last byte of a chunk.
type Ends = (u64, u64);

fn ends<F>(range: &FileRange<F>, from: usize, len: usize) -> io::Result<Ends> {
    let first = position_in(range, from)?;
    Ok((first, position_in(range, from + len.saturating_sub(1))?))
}

/// Waits until `len` bytes of the range, from `from` on, can be expected in the page cache.
pub(crate) async fn warm<F: RangeSource + Clone>(
    range: &FileRange<F>,
    from: usize,
    len: usize,
    how: &Sending<'_>,
) -> io::Result<()> {
    if len == 0 || (!how.is_cold() && are_cached(&range.file, ends(range, from, len)?)) {
        return Ok(());
    }
    ReadAhead::begin(range, from, len)?.end(how).await
}

/// A chunk that a helper reads.
pub(crate) struct ReadAhead(JoinHandle<bool>);

impl ReadAhead {
    /// Has a helper read `len` bytes of the range, from `from` on. The runtime bounds these threads.
    pub(crate) fn begin<F: RangeSource + Clone>(range: &FileRange<F>, from: usize, len: usize) -> io::Result<Self> {
        let ends = ends(range, from, len)?;
        let file = range.file.clone();
        Ok(Self(tokio::task::spawn_blocking(move || {
            let is_cold = !are_cached(&file, ends);
            read(&file, ends, READ_BYTES.min(len));
            is_cold
        })))
    }

    /// Waits until it is read.
    pub(crate) async fn end(self, how: &Sending<'_>) -> io::Result<()> {
        if self.0.await.map_err(io::Error::other)? {
            how.cold_reads.fetch_add(1, Ordering::Relaxed);
            how.note_cold();
        }
        Ok(())
    }
}

/// Reads a chunk for the page cache. What fails here fails again, and is told, where the bytes are sent.
fn read<F: RangeSource>(file: &F, (first, last): Ends, piece: usize) {
    let mut buffer = vec![0; piece];
    let mut position = first;
    while position <= last {
        match file.read_at(&mut buffer, position) {
            Ok(0) | Err(_) => return,
            Ok(n) => position = position.saturating_add(u64::try_from(n).unwrap_or(u64::MAX)),
        }
    }
}

/// Whether a chunk is in the page cache. Only its ends are looked at: readers of old data go forward, so that what is
/// cold begins or ends a chunk.
fn are_cached<F: RangeSource>(file: &F, (first, last): Ends) -> bool {
    is_cached(file, first) && (first / PAGE_BYTES == last / PAGE_BYTES || is_cached(file, last))
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
