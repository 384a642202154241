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

/// How much the helper asks for at once: no more than what every system reads ahead.
const PIECE_BYTES: u64 = 128 * 1024;
/// How far apart the bytes are that it then waits for; what lies between comes with them.
const STEP_BYTES: u64 = 64 * 1024;

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
    let is_missing = !how.is_cold() && !are_cached(&range.file, ends(range, from, len)?);
    if len == 0 || !(is_missing || how.is_cold()) {
        return Ok(());
    }
    if is_missing {
        how.note_cold();
    }
    ReadAhead::begin(range, from, len)?.end(how, is_missing).await
}

/// A chunk that a helper reads.
pub(crate) struct ReadAhead(JoinHandle<bool>);

impl ReadAhead {
    /// Has a helper read `len` bytes of the range, from `from` on. The runtime bounds these threads.
    pub(crate) fn begin<F: RangeSource + Clone>(range: &FileRange<F>, from: usize, len: usize) -> io::Result<Self> {
        let ends = ends(range, from, len)?;
        let file = range.file.clone();
        Ok(Self(tokio::task::spawn_blocking(move || fetch(&file, ends))))
    }

    /// Waits until it is read; `is_missing` if that is known already, else the helper says it.
    pub(crate) async fn end(self, how: &Sending<'_>, is_missing: bool) -> io::Result<()> {
        if self.0.await.map_err(io::Error::other)? || is_missing {
            how.cold_reads.fetch_add(1, Ordering::Relaxed);
            how.note_cold();
        }
        Ok(())
    }
}

/// Has a chunk read into the page cache, waits for it, and says whether it was missing. The bytes are not looked at, which
/// would cost more than their sending does. What fails here fails again, and is told, where they are sent.
fn fetch<F: RangeSource>(file: &F, (first, last): Ends) -> bool {
    let steps =
        |by: u64| std::iter::successors(Some(first), move |at| at.checked_add(by)).take_while(move |at| *at <= last);
    // Asked for before it is looked for: a look at what is missing would begin to read further ahead, and leave marks at
    // which the sending goes on with that.
    for at in steps(PIECE_BYTES) {
        ask_for(file, at, PIECE_BYTES.min(last - at + 1));
    }
    if are_cached(file, (first, last)) {
        return false;
    }
    for at in steps(STEP_BYTES).chain([last]) {
        if !matches!(file.read_at(&mut [0], at), Ok(1)) {
            break;
        }
    }
    true
}

/// Begins to read without waiting.
#[cfg(target_os = "linux")]
fn ask_for<F: RangeSource>(file: &F, position: u64, len: u64) {
    if let Some(file) = file.descriptor() {
        // A hint: without it the reads that follow take longer.
        let _ = rustix::fs::fadvise(file, position, len.try_into().ok(), rustix::fs::Advice::WillNeed);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for<F: RangeSource>(_: &F, _: u64, _: u64) {}

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
