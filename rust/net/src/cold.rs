//! Keeps disk waits off the reactors: what is not in the page cache is read on a helper thread first.
//!
//! A look at the page cache is cheap where the bytes are, and not where they are missing: the kernel begins to read them
//! ahead, some megabytes at once, on the thread that looked. So who was found to read from the disk is not looked after
//! any more: helpers go over everything before it is sent.
//!
//! Where the kernel sends from files, helpers send what they have read, too. A reactor that moved gigabytes for readers of
//! old data would have used up its share of the processor whenever a producer's request comes.

use std::io;
use std::os::fd::BorrowedFd;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use crate::part::{FileRange, RangeSource};
#[cfg(target_os = "linux")]
use crate::send::TURN_BYTES;
use crate::send::{Sending, position_in};

/// How much of a range is looked for in the page cache at once, and read if it is not there.
#[cfg(target_os = "linux")]
pub(crate) const WARM_BYTES: usize = 1024 * 1024;
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
    let is_missing = !how.is_cold() && is_missing(range, from, len)?;
    if len == 0 || !(is_missing || how.is_cold()) {
        return Ok(());
    }
    read_on_helper(range, from, len, how, is_missing).await
}

/// Whether some of `len` bytes of the range, from `from` on, must be read from the disk.
pub(crate) fn is_missing<F: RangeSource>(range: &FileRange<F>, from: usize, len: usize) -> io::Result<bool> {
    Ok(!are_cached(&range.file, ends(range, from, len)?))
}

/// Has a helper read `len` bytes of the range, from `from` on, and waits for it. The runtime bounds these threads.
async fn read_on_helper<F: RangeSource + Clone>(
    range: &FileRange<F>,
    from: usize,
    len: usize,
    how: &Sending<'_>,
    is_missing: bool,
) -> io::Result<()> {
    let ends = ends(range, from, len)?;
    let file = range.file.clone();
    let was_missing = tokio::task::spawn_blocking(move || fetch(&file, ends));
    if was_missing.await.map_err(io::Error::other)? || is_missing {
        how.count_cold();
    }
    Ok(())
}

/// How far helpers are with a range that they read and send.
#[cfg(target_os = "linux")]
pub(crate) struct ColdRange<F> {
    range: FileRange<F>,
    /// Sent so far.
    pub(crate) done: usize,
    /// Read so far.
    pub(crate) read: usize,
    /// Asked for so far.
    asked: usize,
}

/// What became of a chunk.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// There is one that is not sent yet.
    Nothing,
    /// It was in the page cache.
    AtHand,
    /// It was not, or it was asked for behind one that was not.
    Missing,
}

#[cfg(target_os = "linux")]
impl<F: RangeSource + Clone> ColdRange<F> {
    /// A range of which `done` bytes are sent.
    pub(crate) fn new(range: &FileRange<F>, done: usize) -> Self {
        Self {
            range: range.clone(),
            done,
            read: done,
            asked: done,
        }
    }

    pub(crate) fn is_sent(&self) -> bool {
        self.done >= self.range.len
    }

    /// Has a helper read the next chunk, unless there is one that is not sent yet, and send what the socket takes of it.
    pub(crate) async fn go_on(mut self, socket: &Arc<OwnedFd>, how: &Sending<'_>) -> io::Result<Self> {
        let socket = Arc::clone(socket);
        let step = tokio::task::spawn_blocking(move || {
            let read = self.read_next()?;
            self.send(&socket)?;
            io::Result::Ok((self, read))
        });
        let (this, read) = step.await.map_err(io::Error::other)??;
        if read == Read::Missing || (read == Read::AtHand && how.was_cold()) {
            how.count_cold();
        }
        Ok(this)
    }

    /// Reads a chunk if everything before it is sent, and asks for the next one, so that it comes while this one is being
    /// sent.
    fn read_next(&mut self) -> io::Result<Read> {
        if self.done < self.read {
            return Ok(Read::Nothing);
        }
        let chunk = |from: usize| (self.range.len - from).min(WARM_BYTES);
        let (begin, end) = (self.read, self.read + chunk(self.read));
        let ends_of_it = ends(&self.range, begin, end - begin)?;
        let is_asked_for = self.asked > begin;
        if is_asked_for {
            wait_for(&self.range.file, ends_of_it);
        }
        self.read = end;
        // What was asked for follows what was missing, so that it is not looked for.
        if !is_asked_for && !fetch(&self.range.file, ends_of_it) {
            return Ok(Read::AtHand);
        }
        let next = chunk(end);
        if next > 0 {
            ask_for(&self.range.file, ends(&self.range, end, next)?);
            self.asked = end + next;
        }
        Ok(Read::Missing)
    }

    /// Sends what is read, as far as the socket takes it.
    fn send(&mut self, socket: &OwnedFd) -> io::Result<()> {
        use rustix::io::Errno;
        let file = self.range.file.descriptor().ok_or(io::ErrorKind::NotFound)?;
        while self.done < self.read {
            let mut position = position_in(&self.range, self.done)?;
            // One call is one stretch of work that many kernels do not interrupt for a thread that was woken. Nor is that one
            // given the core between two calls if it has just worked, unless this one offers it.
            let len = (self.read - self.done).min(TURN_BYTES);
            match rustix::fs::sendfile(socket, file, Some(&mut position), len) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    self.done += count;
                    std::thread::yield_now();
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Has a chunk read into the page cache, waits for it, and says whether it was missing. The bytes are not looked at, which
/// would cost more than their sending does. What fails here fails again, and is told, where they are sent.
fn fetch<F: RangeSource>(file: &F, ends: Ends) -> bool {
    // Asked for before it is looked for: a look at what is missing would begin to read further ahead, and leave marks at
    // which the sending goes on with that.
    ask_for(file, ends);
    if are_cached(file, ends) {
        return false;
    }
    wait_for(file, ends);
    true
}

/// Every so many bytes of a chunk.
fn steps((first, last): Ends, by: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(first), move |at| at.checked_add(by)).take_while(move |at| *at <= last)
}

/// Waits until what was asked for is there.
fn wait_for<F: RangeSource>(file: &F, ends: Ends) {
    for at in steps(ends, STEP_BYTES).chain([ends.1]) {
        if !matches!(file.read_at(&mut [0], at), Ok(1)) {
            break;
        }
    }
}

/// Begins to read a chunk without waiting.
#[cfg(target_os = "linux")]
fn ask_for<F: RangeSource>(file: &F, ends: Ends) {
    if let Some(file) = file.descriptor() {
        for at in steps(ends, PIECE_BYTES) {
            let len = PIECE_BYTES.min(ends.1 - at + 1);
            // A hint: without it the reads that follow take longer.
            let _ = rustix::fs::fadvise(file, at, len.try_into().ok(), rustix::fs::Advice::WillNeed);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for<F: RangeSource>(_: &F, _: Ends) {}

/// Whether a chunk is in the page cache. Only its ends are looked at: readers of old data go forward, so that what is
/// cold begins or ends a chunk.
fn are_cached<F: RangeSource>(file: &F, (first, last): Ends) -> bool {
    file.is_at_hand(first) && (first / PAGE_BYTES == last / PAGE_BYTES || file.is_at_hand(last))
}

/// Whether a byte is in the page cache; true where that cannot be found out.
#[cfg(target_os = "linux")]
pub(crate) fn is_in_page_cache(file: Option<BorrowedFd<'_>>, position: u64) -> bool {
    use rustix::io::{Errno, ReadWriteFlags, preadv2};
    let Some(file) = file else { return true };
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
pub(crate) fn is_in_page_cache(_: Option<BorrowedFd<'_>>, _: u64) -> bool {
    true
}
