//! A connection's task: reads frames, runs the handler on the spot, sends responses in order.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::activity::Activity;
use crate::budget::Share;
use crate::framing::{BufferPool, FrameBuffer, FrameError};
use crate::part::Response;
use crate::send::{Sending, send};
use crate::server::{Handler, Outcome, Served, Shared, Waiting};

/// Requests that one connection may have executed in a row before the others of its reactor get their turn.
const REQUESTS_PER_TURN: usize = 16;
/// Request bytes that one connection may have read, or executed, in a row before the others get their turn.
const BYTES_PER_TURN: usize = 256 * 1024;
/// A response buffer that grew past this is not kept.
const KEPT_RESPONSE_BYTES: usize = 64 * 1024;

/// A connection's task; dropping it, however that comes about, takes the connection out of the books.
pub(crate) struct Connection<H: Handler> {
    pub(crate) shared: Arc<Shared<H>>,
    pub(crate) id: u64,
    pub(crate) state: H::Connection,
    pub(crate) activity: Arc<Activity>,
    /// What the request that is being read or executed has of the budget, if there is one.
    pub(crate) share: Option<Share>,
    /// Bytes that were read since the others last got their turn.
    pub(crate) read_in_turn: usize,
}

impl<H: Handler> Drop for Connection<H> {
    fn drop(&mut self) {
        self.shared.handler.disconnected(&mut self.state);
        self.shared.forget(self.id);
    }
}

impl<H: Handler> Connection<H> {
    pub(crate) async fn run(mut self, mut stream: TcpStream, pool: Arc<BufferPool>) {
        // A response is written at once, so there is nothing that Nagle's algorithm could gather.
        let _ = stream.set_nodelay(true);
        let mut frames = FrameBuffer::new(self.shared.config.frame_bytes_max, Arc::clone(&pool));
        if let Err(error) = self.serve(&mut stream, &mut frames, &pool).await {
            log::debug!("connection {} closed: {error}", self.id);
        }
    }

    /// Serves until the peer closes, sends what is no frame, or the handler closes.
    async fn serve(&mut self, stream: &mut TcpStream, frames: &mut FrameBuffer, pool: &BufferPool) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let mut response = Response::new();
        let mut arrival = Instant::now();
        let mut turn = (0, 0);
        loop {
            if !frames.is_ready().map_err(invalid)? {
                turn = (0, 0);
                if !self.read(stream, frames, &mut arrival).await? {
                    return Ok(());
                }
            }
            self.admit(frames).await?;
            let Some(frame) = frames.take().map_err(invalid)? else {
                continue;
            };
            self.activity.execute();
            turn = (turn.0 + 1, turn.1 + frame.len());
            let bytes_in = frame.len();
            let mut share = self.share.take();
            if share.is_some() && !shared.handler.is_kept(&frame) {
                share = None;
            }
            let began = arrival;
            let outcome = shared.handler.handle(&mut self.state, frame, arrival, &mut response);
            let handled = Instant::now();
            let (sent, mute_ms) = match outcome {
                Outcome::Reply => self.reply(stream, &mut response, pool).await?,
                Outcome::Silent => (Sent::default(), std::mem::take(&mut response.mute_ms)),
                Outcome::Close => return Ok(()),
                Outcome::Wait(waiting) => match self.wait(waiting, stream, frames, &mut arrival).await? {
                    None => return Ok(()),
                    Some(late) if late.is_silent() => (Sent::default(), late.mute_ms),
                    Some(mut late) => self.reply(stream, &mut late, pool).await?,
                },
            };
            drop(share);
            self.activity.rest();
            let served = Served {
                arrival: began,
                handled,
                bytes_in,
                bytes_out: sent.bytes,
                found_cold: sent.found_cold,
            };
            shared.handler.served(&mut self.state, &served);
            if shared.draining.load(Ordering::SeqCst) || self.activity.is_closing() {
                return Ok(());
            }
            if mute_ms > 0 {
                turn = (0, 0);
                mute(&shared.metrics.muted, mute_ms).await;
            }
            if turn.0 >= REQUESTS_PER_TURN || turn.1 >= BYTES_PER_TURN {
                turn = (0, 0);
                tokio::task::yield_now().await;
            }
        }
    }

    /// Reads until a whole frame is there; false when the peer has closed.
    async fn read(
        &mut self,
        stream: &mut TcpStream,
        frames: &mut FrameBuffer,
        arrival: &mut Instant,
    ) -> io::Result<bool> {
        while !frames.is_ready().map_err(invalid)? {
            self.admit(frames).await?;
            if self.read_in_turn >= BYTES_PER_TURN {
                // A peer that writes as fast as it is read would never make this task wait.
                self.read_in_turn = 0;
                tokio::task::yield_now().await;
            }
            let mut room = frames.room_for(BYTES_PER_TURN).map_err(invalid)?;
            let count = stream.read_buf(&mut room).await?;
            if count == 0 {
                return Ok(false);
            }
            self.read_in_turn += count;
            *arrival = Instant::now();
            self.activity.touch(*arrival);
        }
        Ok(true)
    }

    /// Takes the frame that has begun out of the budget of all connections; waits while nothing is left of it.
    async fn admit(&mut self, frames: &FrameBuffer) -> io::Result<()> {
        if let Some(budget) = &self.shared.budget
            && self.share.is_none()
            && let Some(len) = frames.frame_len().map_err(invalid)?
        {
            self.share = Some(budget.take(len).await);
        }
        Ok(())
    }

    /// Whether more may be read without waiting for the budget.
    fn try_admit(&mut self, frames: &FrameBuffer) -> io::Result<bool> {
        if let Some(budget) = &self.shared.budget
            && self.share.is_none()
            && let Some(len) = frames.frame_len().map_err(invalid)?
        {
            self.share = budget.try_take(len);
            return Ok(self.share.is_some());
        }
        Ok(true)
    }

    /// Waits for a late response while reading up to one frame further, so that a peer that has gone is noticed.
    async fn wait(
        &mut self,
        mut waiting: Waiting<H::File>,
        stream: &mut TcpStream,
        frames: &mut FrameBuffer,
        arrival: &mut Instant,
    ) -> io::Result<Option<Response<H::File>>> {
        loop {
            if frames.is_ready().map_err(invalid)? || !self.try_admit(frames)? {
                return Ok(waiting.await);
            }
            let mut room = frames.room_for(BYTES_PER_TURN).map_err(invalid)?;
            tokio::select! {
                biased;
                response = &mut waiting => return Ok(response),
                read = stream.read_buf(&mut room) => {
                    if read? == 0 {
                        return Ok(None);
                    }
                    *arrival = Instant::now();
                    self.activity.touch(*arrival);
                }
            }
        }
    }

    /// Sends a response; returns how many bytes it had, and whether some were not in the page cache.
    async fn reply(
        &mut self,
        stream: &mut TcpStream,
        response: &mut Response<H::File>,
        pool: &BufferPool,
    ) -> io::Result<(Sent, u32)> {
        if !response.finish() {
            return Err(io::Error::other("a response does not fit into a frame"));
        }
        self.activity.touch(Instant::now());
        self.activity.send();
        let how = Sending {
            mode: self.shared.config.send_mode,
            pool,
            cold_reads: &self.shared.metrics.cold_reads,
            activity: &self.activity,
            found_cold: AtomicBool::new(false),
            expects_cold: response.is_cold,
        };
        send(stream, response, &how).await?;
        let sent = Sent {
            bytes: response.total_len(),
            found_cold: how.found_cold.into_inner(),
        };
        let mute_ms = response.mute_ms;
        response.recycle(KEPT_RESPONSE_BYTES);
        Ok((sent, mute_ms))
    }
}

/// What became of a response.
#[derive(Default)]
struct Sent {
    bytes: usize,
    /// Whether some of it was not in the page cache.
    found_cold: bool,
}

/// Reads nothing for a while (KIP-219). A connection that is muted counts as idle, as in Kafka, and does not hold up a stop.
async fn mute(muted: &AtomicUsize, ms: u32) {
    let _count = Muted::new(muted);
    tokio::time::sleep(Duration::from_millis(ms.into())).await;
}

/// Counts a connection for as long as it is muted.
struct Muted<'a>(&'a AtomicUsize);

impl<'a> Muted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Muted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn invalid(error: FrameError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
