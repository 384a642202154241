//! Kafka's framing: a 4-byte big-endian length, then that many bytes. Lengths are checked before they are trusted.

use std::sync::{Arc, Mutex};

use thiserror::Error;

/// Bytes of the length in front of every frame.
pub const FRAME_PREFIX_LEN: usize = 4;
/// What a connection reads into while it has no large frame.
const SMALL_BUFFER_BYTES: usize = 32 * 1024;
/// A declared length is believed up to here; a longer frame's buffer doubles as its bytes arrive.
const TRUSTED_FRAME_BYTES: usize = 2 * 1024 * 1024;
/// Large buffers that a reactor keeps for its connections.
const POOLED_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Why a connection's bytes cannot be split into frames; the connection must be closed.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// A length of zero or below.
    #[error("frame length {0} is not positive")]
    NotPositive(i32),
    /// A length above the limit.
    #[error("frame length {length} exceeds the limit of {limit} bytes")]
    TooLarge {
        /// The length that the peer declared.
        length: usize,
        /// The limit that it broke.
        limit: usize,
    },
}

/// Large buffers that a reactor's connections share, so that memory follows the requests in flight and not the number of
/// connections. A fresh buffer costs more than what is done with it: the kernel gives its pages one fault at a time.
#[derive(Debug, Default)]
pub struct BufferPool {
    free: Mutex<Vec<Vec<u8>>>,
}

impl BufferPool {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// A buffer of at least this capacity.
    pub fn take(&self, capacity: usize) -> Vec<u8> {
        let mut free = self.free.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let found = free.iter().rposition(|buffer| buffer.capacity() >= capacity);
        match found {
            Some(index) => free.swap_remove(index),
            None => Vec::with_capacity(capacity),
        }
    }

    /// Takes a buffer back, unless there are enough.
    pub fn give(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        let mut free = self.free.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let held: usize = free.iter().map(Vec::capacity).sum();
        if held.saturating_add(buffer.capacity()) <= POOLED_BYTES_MAX {
            free.push(buffer);
        }
    }
}

/// Splits what a connection receives into frames, without copying a frame out of its read buffer.
#[derive(Debug)]
pub struct FrameBuffer {
    data: Vec<u8>,
    start: usize,
    limit: usize,
    pool: Arc<BufferPool>,
}

impl FrameBuffer {
    /// A buffer that accepts frames of up to `limit` bytes.
    pub fn new(limit: usize, pool: Arc<BufferPool>) -> Self {
        Self {
            data: Vec::new(),
            start: 0,
            limit,
            pool,
        }
    }

    fn pending(&self) -> &[u8] {
        self.data.get(self.start..).unwrap_or_default()
    }

    /// The length of the frame at the front, once its prefix is there.
    pub fn frame_len(&self) -> Result<Option<usize>, FrameError> {
        let Some(prefix) = self.pending().first_chunk::<FRAME_PREFIX_LEN>() else {
            return Ok(None);
        };
        let declared = i32::from_be_bytes(*prefix);
        let length = usize::try_from(declared).map_err(|_| FrameError::NotPositive(declared))?;
        if length == 0 {
            return Err(FrameError::NotPositive(declared));
        }
        if length > self.limit {
            return Err(FrameError::TooLarge {
                length,
                limit: self.limit,
            });
        }
        Ok(Some(length))
    }

    /// Whether a whole frame is there.
    pub fn is_ready(&self) -> Result<bool, FrameError> {
        Ok(self
            .frame_len()?
            .is_some_and(|length| self.pending().len() - FRAME_PREFIX_LEN >= length))
    }

    /// The frame at the front, without its prefix, if it is whole. The next call of any method gives its bytes up.
    pub fn take(&mut self) -> Result<Option<&mut [u8]>, FrameError> {
        let Some(length) = self.frame_len()? else {
            return Ok(None);
        };
        let begin = self.start + FRAME_PREFIX_LEN;
        let end = begin + length;
        if end > self.data.len() {
            return Ok(None);
        }
        self.start = end;
        Ok(self.data.get_mut(begin..end))
    }

    /// The buffer to append received bytes to, with room for more of the frame that is under way.
    pub fn room(&mut self) -> Result<&mut Vec<u8>, FrameError> {
        let held = self.data.len() - self.start;
        if held == 0 {
            self.data.clear();
            self.start = 0;
            if self.data.capacity() > SMALL_BUFFER_BYTES {
                self.pool.give(std::mem::take(&mut self.data));
            }
        }
        let wanted = self
            .frame_len()?
            .map_or(FRAME_PREFIX_LEN, |length| length + FRAME_PREFIX_LEN);
        if self.start + wanted > self.data.capacity() {
            self.grow(held, wanted);
        }
        Ok(&mut self.data)
    }

    /// Moves the pending bytes to the front of a buffer that holds `wanted` bytes, as far as that is trusted.
    fn grow(&mut self, held: usize, wanted: usize) {
        let trusted = wanted.min(TRUSTED_FRAME_BYTES.max(held.saturating_mul(2)));
        let capacity = trusted.max(SMALL_BUFFER_BYTES);
        if capacity > self.data.capacity() {
            let mut larger = if capacity > SMALL_BUFFER_BYTES {
                self.pool.take(capacity.next_power_of_two())
            } else {
                Vec::with_capacity(capacity)
            };
            larger.extend_from_slice(self.pending());
            let old = std::mem::replace(&mut self.data, larger);
            if old.capacity() > SMALL_BUFFER_BYTES {
                self.pool.give(old);
            }
        } else {
            self.data.copy_within(self.start.., 0);
            self.data.truncate(held);
        }
        self.start = 0;
    }
}

impl Drop for FrameBuffer {
    fn drop(&mut self) {
        if self.data.capacity() > SMALL_BUFFER_BYTES {
            self.pool.give(std::mem::take(&mut self.data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(body: &[u8]) -> Vec<u8> {
        let mut out = i32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
        out.extend_from_slice(body);
        out
    }

    /// Feeds `input` in pieces of at most `step` bytes and never more than there is room for.
    fn split(input: &[u8], step: usize, limit: usize) -> Result<Vec<Vec<u8>>, FrameError> {
        let mut frames = FrameBuffer::new(limit, Arc::new(BufferPool::new()));
        let mut out = Vec::new();
        let mut rest = input;
        loop {
            while let Some(frame) = frames.take()? {
                out.push(frame.to_vec());
            }
            if rest.is_empty() {
                return Ok(out);
            }
            let room = frames.room()?;
            let n = step.min(rest.len()).min(room.capacity() - room.len());
            assert!(n > 0, "no room");
            room.extend_from_slice(&rest[..n]);
            rest = &rest[n..];
        }
    }

    #[test]
    fn frames_come_out_whole_whatever_the_pieces() {
        let bodies: Vec<Vec<u8>> = [1, 3, 40_000, 5, 70_000, 32_764, 9_000_000, 2]
            .iter()
            .map(|n| vec![u8::try_from(n % 251).unwrap(); *n])
            .collect();
        let input: Vec<u8> = bodies.iter().flat_map(|body| frame(body)).collect();
        for step in [1000, 4096, 1 << 30] {
            assert_eq!(split(&input, step, 10_000_000).unwrap(), bodies, "step {step}");
        }
        let small: Vec<u8> = bodies.iter().take(2).flat_map(|body| frame(body)).collect();
        assert_eq!(split(&small, 1, 10).unwrap(), bodies[..2]);
    }

    #[test]
    fn bad_lengths_are_refused_before_anything_is_allocated() {
        assert_eq!(split(&0i32.to_be_bytes(), 4, 100), Err(FrameError::NotPositive(0)));
        assert_eq!(split(&(-5i32).to_be_bytes(), 4, 100), Err(FrameError::NotPositive(-5)));
        assert_eq!(
            split(&101i32.to_be_bytes(), 4, 100),
            Err(FrameError::TooLarge {
                length: 101,
                limit: 100
            })
        );
        let mut frames = FrameBuffer::new(1 << 30, Arc::new(BufferPool::new()));
        frames.room().unwrap().extend_from_slice(&(1i32 << 30).to_be_bytes());
        assert!(frames.room().unwrap().capacity() <= 2 * TRUSTED_FRAME_BYTES);
    }
}
