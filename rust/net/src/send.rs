//! Sends a response: its bytes by write, its file ranges by sendfile or through a buffer.
//!
//! The length prefix promises every byte of every range. If a file gives less, the only honest end is to close the
//! connection: callers must drop it on any error from here.

use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
#[cfg(target_os = "linux")]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::activity::Activity;
use crate::cold::warm;
#[cfg(target_os = "linux")]
use crate::cold::{ColdRange, WARM_BYTES, is_missing};
use crate::framing::BufferPool;
use crate::part::{FileRange, RangeSource, Response};

/// Ranges up to here are read and sent together with the bytes around them: one small read costs less than the two
/// system calls more of a sendfile.
const INLINE_RANGE_BYTES: usize = 16 * 1024;
/// How much of a range is read at once on the buffered path.
const CHUNK_BYTES: usize = 256 * 1024;
/// Capacity of the buffer that bytes and small ranges are assembled in.
const SCRATCH_BYTES: usize = 2 * CHUNK_BYTES;
/// How much a reactor sends when a socket that was full takes something again, before a helper goes on.
#[cfg(target_os = "linux")]
const PROBE_BYTES: usize = 64 * 1024;
/// How much one connection sends before the others get their turn: some 40 µs of work.
#[cfg(target_os = "linux")]
pub(crate) const TURN_BYTES: usize = 256 * 1024;

/// How file ranges are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SendMode {
    /// The kernel copies from the file to the socket, where the system can do that.
    #[default]
    Sendfile,
    /// Ranges are read into a buffer and written: for other systems, encrypted connections and simulated files.
    Buffered,
}

/// How a connection sends.
pub(crate) struct Sending<'a> {
    pub(crate) mode: SendMode,
    /// Has the buffers that bytes and small ranges are assembled in.
    pub(crate) pool: &'a BufferPool,
    pub(crate) cold_reads: &'a AtomicU64,
    /// Told whenever a slow reader has taken something.
    pub(crate) activity: &'a Activity,
    /// Whether something was not in the page cache.
    pub(crate) found_cold: AtomicBool,
    /// Whether nothing is expected to be there.
    pub(crate) expects_cold: bool,
}

impl Sending<'_> {
    /// Whether helpers read before anything is sent, without a look at the page cache.
    pub(crate) fn is_cold(&self) -> bool {
        self.expects_cold || self.was_cold()
    }

    /// Whether something of this response was not in the page cache.
    pub(crate) fn was_cold(&self) -> bool {
        self.found_cold.load(Ordering::Relaxed)
    }

    pub(crate) fn note_cold(&self) {
        self.found_cold.store(true, Ordering::Relaxed);
    }

    /// A chunk was read from the disk.
    pub(crate) fn count_cold(&self) {
        self.cold_reads.fetch_add(1, Ordering::Relaxed);
        self.note_cold();
    }
}

/// Sends `response`.
pub(crate) async fn send<F: RangeSource + Clone>(
    stream: &mut TcpStream,
    response: &Response<F>,
    how: &Sending<'_>,
) -> io::Result<()> {
    if response.ranges().is_empty() {
        return write_all(stream, response.bytes(), how).await;
    }
    let mut scratch = how.pool.take(SCRATCH_BYTES);
    let result = send_parts(stream, response, how, &mut scratch).await;
    how.pool.give(scratch);
    result
}

/// Writes all of `bytes`.
async fn write_all(stream: &mut TcpStream, mut bytes: &[u8], how: &Sending<'_>) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = stream.write(bytes).await?;
        if n == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(n..).unwrap_or_default();
        if !bytes.is_empty() {
            how.activity.touch(Instant::now());
        }
    }
    Ok(())
}

async fn send_parts<F: RangeSource + Clone>(
    stream: &mut TcpStream,
    response: &Response<F>,
    how: &Sending<'_>,
    scratch: &mut Vec<u8>,
) -> io::Result<()> {
    let mut sent = 0;
    for (at, range) in response.ranges() {
        scratch.extend_from_slice(response.bytes().get(sent..*at).unwrap_or_default());
        sent = *at;
        if range.len <= INLINE_RANGE_BYTES {
            warm(range, 0, range.len, how).await?;
            read_range(range, 0, range.len, scratch)?;
        } else if how.mode == SendMode::Sendfile && range.file.descriptor().is_some() {
            send_more(stream, scratch, how).await?;
            scratch.clear();
            send_file(stream, range, how).await?;
        } else {
            send_buffered(stream, range, scratch, how).await?;
        }
        if scratch.len() >= CHUNK_BYTES {
            write_all(stream, scratch, how).await?;
            scratch.clear();
        }
    }
    scratch.extend_from_slice(response.bytes().get(sent..).unwrap_or_default());
    write_all(stream, scratch, how).await?;
    scratch.clear();
    Ok(())
}

/// Appends `len` bytes of the range, from `from` on, to `out`.
fn read_range<F: RangeSource>(range: &FileRange<F>, from: usize, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let begin = out.len();
    out.resize(begin + len, 0);
    let mut done = 0;
    while let Some(space) = out.get_mut(begin + done..).filter(|space| !space.is_empty()) {
        match range.file.read_at(space, position_in(range, from + done)?) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => done += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(crate) fn position_in<F>(range: &FileRange<F>, offset: usize) -> io::Result<u64> {
    u64::try_from(offset)
        .ok()
        .and_then(|offset| range.position.checked_add(offset))
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

async fn send_buffered<F: RangeSource + Clone>(
    stream: &mut TcpStream,
    range: &FileRange<F>,
    scratch: &mut Vec<u8>,
    how: &Sending<'_>,
) -> io::Result<()> {
    let mut done = 0;
    while done < range.len {
        let len = (range.len - done).min(CHUNK_BYTES);
        warm(range, done, len, how).await?;
        read_range(range, done, len, scratch)?;
        write_all(stream, scratch, how).await?;
        scratch.clear();
        done += len;
    }
    Ok(())
}

/// Writes bytes that more will follow, so that the kernel does not send them as a packet of their own.
#[cfg(target_os = "linux")]
async fn send_more(stream: &TcpStream, mut bytes: &[u8], how: &Sending<'_>) -> io::Result<()> {
    use rustix::net::SendFlags;
    while !bytes.is_empty() {
        let n = stream
            .async_io(tokio::io::Interest::WRITABLE, || {
                Ok(rustix::net::send(stream, bytes, SendFlags::MORE | SendFlags::NOSIGNAL)?)
            })
            .await?;
        bytes = bytes.get(n..).unwrap_or_default();
        if !bytes.is_empty() {
            how.activity.touch(Instant::now());
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
async fn send_file<F: RangeSource + Clone>(
    stream: &TcpStream,
    range: &FileRange<F>,
    how: &Sending<'_>,
) -> io::Result<()> {
    let (mut done, mut looked, mut in_turn) = (0, 0, 0);
    while done < range.len {
        if looked < range.len && done + TURN_BYTES > looked {
            let chunk = (range.len - looked).min(WARM_BYTES);
            let is_missing = !how.is_cold() && is_missing(range, looked, chunk)?;
            if is_missing {
                how.note_cold();
            }
            if how.is_cold() {
                // What was found before goes out here.
                while done < looked {
                    done += send_some(stream, range, done, looked - done).await?;
                }
                return send_cold(stream, range, done, how).await;
            }
            looked += chunk;
        }
        if in_turn >= TURN_BYTES {
            in_turn = 0;
            tokio::task::yield_now().await;
        }
        // Not cut where a turn ends: what is left of one would be a call, and often a wait, of its own.
        let count = send_some(stream, range, done, (looked - done).min(TURN_BYTES)).await?;
        done += count;
        in_turn += count;
        if done < range.len {
            how.activity.touch(Instant::now());
        }
    }
    Ok(())
}

/// Sends a range from `done` on by helpers, which read a chunk, ask for the next one and send what the socket takes.
#[cfg(target_os = "linux")]
async fn send_cold<F: RangeSource + Clone>(
    stream: &TcpStream,
    range: &FileRange<F>,
    done: usize,
    how: &Sending<'_>,
) -> io::Result<()> {
    // The helper's own: it may still be at it when the connection is closed.
    let socket = Arc::new(stream.as_fd().try_clone_to_owned()?);
    let mut cold = ColdRange::new(range, done);
    while !cold.is_sent() {
        cold = cold.go_on(&socket, how).await?;
        how.activity.touch(Instant::now());
        if cold.done < cold.read {
            // The socket is full, and only here can one wait until it is not.
            cold.done += send_some(stream, range, cold.done, (cold.read - cold.done).min(PROBE_BYTES)).await?;
        }
    }
    Ok(())
}

/// Sends as much as the socket takes at once, `len` at most, and at least one byte.
#[cfg(target_os = "linux")]
async fn send_some<F: RangeSource>(
    stream: &TcpStream,
    range: &FileRange<F>,
    from: usize,
    len: usize,
) -> io::Result<usize> {
    let mut position = position_in(range, from)?;
    let count = stream
        .async_io(tokio::io::Interest::WRITABLE, || {
            let file = range.file.descriptor().ok_or(io::ErrorKind::NotFound)?;
            Ok(rustix::fs::sendfile(stream, file, Some(&mut position), len)?)
        })
        .await?;
    if count == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(count)
}

#[cfg(not(target_os = "linux"))]
async fn send_more(stream: &mut TcpStream, bytes: &[u8], how: &Sending<'_>) -> io::Result<()> {
    write_all(stream, bytes, how).await
}

#[cfg(not(target_os = "linux"))]
async fn send_file<F: RangeSource + Clone>(
    stream: &mut TcpStream,
    range: &FileRange<F>,
    how: &Sending<'_>,
) -> io::Result<()> {
    send_buffered(stream, range, &mut Vec::new(), how).await
}
