//! A connection's task: reads frames, runs the handler on the spot, sends responses in order.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::BufMut;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::framing::{BufferPool, FrameBuffer, FrameError};
use crate::part::Response;
use crate::send::send;
use crate::server::{Handler, Outcome, Shared, Waiting};

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
    pub(crate) executing: Arc<AtomicBool>,
    pub(crate) last_active_ms: Arc<AtomicU64>,
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
        let mut read_in_turn = 0;
        loop {
            while !frames.is_ready().map_err(invalid)? {
                turn = (0, 0);
                if read_in_turn >= BYTES_PER_TURN {
                    // A peer that writes as fast as it is read would never make this task wait.
                    read_in_turn = 0;
                    tokio::task::yield_now().await;
                }
                let mut room = frames.room().map_err(invalid)?.limit(BYTES_PER_TURN);
                let count = stream.read_buf(&mut room).await?;
                if count == 0 {
                    return Ok(());
                }
                read_in_turn += count;
                arrival = Instant::now();
            }
            let Some(frame) = frames.take().map_err(invalid)? else {
                continue;
            };
            self.executing.store(true, Ordering::SeqCst);
            self.last_active_ms.store(shared.elapsed_ms(arrival), Ordering::Relaxed);
            turn = (turn.0 + 1, turn.1 + frame.len());
            shared.metrics.bytes_in.fetch_add(size(frame.len()), Ordering::Relaxed);
            match shared.handler.handle(&mut self.state, frame, arrival, &mut response) {
                Outcome::Reply => self.reply(stream, &mut response, pool).await?,
                Outcome::Silent => {}
                Outcome::Close => return Ok(()),
                Outcome::Wait(waiting) => {
                    let Some(mut late) = Self::wait(waiting, stream, frames, &mut arrival).await? else {
                        return Ok(());
                    };
                    if !late.is_silent() {
                        self.reply(stream, &mut late, pool).await?;
                    }
                }
            }
            self.executing.store(false, Ordering::SeqCst);
            if shared.draining.load(Ordering::SeqCst) {
                return Ok(());
            }
            if turn.0 >= REQUESTS_PER_TURN || turn.1 >= BYTES_PER_TURN {
                turn = (0, 0);
                tokio::task::yield_now().await;
            }
        }
    }

    /// Waits for a late response while reading up to one frame further, so that a peer that has gone is noticed.
    async fn wait(
        mut waiting: Waiting<H::File>,
        stream: &mut TcpStream,
        frames: &mut FrameBuffer,
        arrival: &mut Instant,
    ) -> io::Result<Option<Response<H::File>>> {
        loop {
            if frames.is_ready().map_err(invalid)? {
                return Ok(waiting.await);
            }
            tokio::select! {
                biased;
                response = &mut waiting => return Ok(response),
                read = stream.read_buf(frames.room().map_err(invalid)?) => {
                    if read? == 0 {
                        return Ok(None);
                    }
                    *arrival = Instant::now();
                }
            }
        }
    }

    async fn reply(
        &mut self,
        stream: &mut TcpStream,
        response: &mut Response<H::File>,
        pool: &BufferPool,
    ) -> io::Result<()> {
        if !response.finish() {
            return Err(io::Error::other("a response does not fit into a frame"));
        }
        let metrics = &self.shared.metrics;
        send(
            stream,
            response,
            self.shared.config.send_mode,
            pool,
            &metrics.cold_reads,
        )
        .await?;
        self.shared
            .metrics
            .bytes_out
            .fetch_add(size(response.total_len()), Ordering::Relaxed);
        let mute_ms = response.mute_ms;
        response.recycle(KEPT_RESPONSE_BYTES);
        if mute_ms > 0 {
            tokio::time::sleep(Duration::from_millis(mute_ms.into())).await;
        }
        Ok(())
    }
}

fn invalid(error: FrameError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

fn size(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
