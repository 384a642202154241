//! Kafka's framing: a 4-byte big-endian length, then that many bytes. Lengths are checked before they are trusted.

use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex};

use bytes::BufMut;
use bytes::buf::Limit;
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

    /// A buffer of at least this capacity: of those that are large enough the smallest, and of equal ones the one that was
    /// used last.
    pub fn take(&self, capacity: usize) -> Vec<u8> {
        let mut free = self.free.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let large_enough = free.iter().enumerate().rev();
        let large_enough = large_enough.filter(|(_, buffer)| buffer.capacity() >= capacity);
        let found = large_enough
            .min_by_key(|(_, buffer)| buffer.capacity())
            .map(|(index, _)| index);
        match found {
            Some(index) => free.remove(index),
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

/// Bytes in a buffer that goes back to its pool when they are dropped.
#[derive(Debug)]
pub struct PooledBytes {
    buffer: Vec<u8>,
    range: Range<usize>,
    /// `None` for a buffer that no pool wants.
    pool: Option<Arc<BufferPool>>,
}

impl Deref for PooledBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.buffer.get(self.range.clone()).unwrap_or_default()
    }
}

impl DerefMut for PooledBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.buffer.get_mut(self.range.clone()).unwrap_or_default()
    }
}

impl Drop for PooledBytes {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            pool.give(std::mem::take(&mut self.buffer));
        }
    }
}

/// A whole frame, without its prefix, in the buffer that it was read into. Who needs it for longer than the call that
/// brings it copies parts of it, or takes the buffer itself.
#[derive(Debug)]
pub struct Frame<'a> {
    buffer: &'a mut Vec<u8>,
    range: Range<usize>,
    /// Where in the buffer the bytes begin that were read behind the frame, and the pool that the buffer is from.
    of: Option<(&'a mut usize, &'a Arc<BufferPool>)>,
}

impl<'a> Frame<'a> {
    /// The frame that all of a buffer is.
    pub fn whole(buffer: &'a mut Vec<u8>) -> Self {
        let range = 0..buffer.len();
        Self {
            buffer,
            range,
            of: None,
        }
    }

    fn pool(&self) -> Option<Arc<BufferPool>> {
        self.of.as_ref().map(|(_, pool)| Arc::clone(pool))
    }

    /// A copy of a part of the frame.
    pub fn copy(&self, part: Range<usize>) -> PooledBytes {
        let bytes = self.get(part).unwrap_or_default();
        let capacity = bytes.len().max(SMALL_BUFFER_BYTES).next_power_of_two();
        let pool = self.pool();
        let mut buffer = match &pool {
            Some(pool) => pool.take(capacity),
            None => Vec::with_capacity(bytes.len()),
        };
        buffer.extend_from_slice(bytes);
        PooledBytes {
            range: 0..buffer.len(),
            buffer,
            pool,
        }
    }

    /// A part of the frame with the buffer that it is in, where that costs less than a copy of the part.
    pub fn give(self, part: Range<usize>) -> PooledBytes {
        let begin = self.range.start;
        let is_last = self.range.end == self.buffer.len();
        if part.len() < SMALL_BUFFER_BYTES || part.end > self.len() || !is_last {
            return self.copy(part);
        }
        let pool = self.pool();
        if let Some((start, _)) = self.of {
            *start = 0;
        }
        PooledBytes {
            buffer: std::mem::take(self.buffer),
            range: begin + part.start..begin + part.end,
            pool,
        }
    }
}

impl Deref for Frame<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.buffer.get(self.range.clone()).unwrap_or_default()
    }
}

impl DerefMut for Frame<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.buffer.get_mut(self.range.clone()).unwrap_or_default()
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
    pub fn take(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        let Some(length) = self.frame_len()? else {
            return Ok(None);
        };
        let begin = self.start + FRAME_PREFIX_LEN;
        let end = begin + length;
        if end > self.data.len() {
            return Ok(None);
        }
        self.start = end;
        Ok(Some(Frame {
            buffer: &mut self.data,
            range: begin..end,
            of: Some((&mut self.start, &self.pool)),
        }))
    }

    /// The buffer to append received bytes to, and how many at once, `most` at most. What follows a large frame is left for
    /// later, so that the frame can be given away with its buffer.
    pub fn room_for(&mut self, most: usize) -> Result<Limit<&mut Vec<u8>>, FrameError> {
        let held = self.pending().len();
        let large = self.frame_len()?.filter(|length| *length > SMALL_BUFFER_BYTES);
        let left = large.map(|length| (length + FRAME_PREFIX_LEN).saturating_sub(held));
        Ok(self.room()?.limit(left.unwrap_or(most).min(most)))
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
    fn a_large_frame_is_given_away_with_its_buffer_and_a_small_part_is_copied() {
        let pool = Arc::new(BufferPool::new());
        let mut frames = FrameBuffer::new(1 << 20, Arc::clone(&pool));
        let bodies = [vec![1; 100_000], vec![2; 50_000], vec![3; 10]];
        let input: Vec<u8> = bodies.iter().flat_map(|body| frame(body)).collect();
        let mut rest = input.as_slice();
        let mut given = Vec::new();
        for body in &bodies {
            while !frames.is_ready().unwrap() {
                let mut room = frames.room_for(4096).unwrap();
                let (now, later) = rest.split_at(room.remaining_mut().min(rest.len()));
                room.put_slice(now);
                rest = later;
            }
            let whole = frames.take().unwrap().unwrap();
            assert_eq!(whole[..], body[..]);
            let place = whole.as_ptr();
            let part = whole.copy(1..whole.len());
            assert_eq!(part[..], body[1..]);
            let is_large = body.len() > SMALL_BUFFER_BYTES;
            let mut bytes = whole.give(1..body.len());
            assert_eq!(bytes[..], body[1..]);
            assert_eq!(bytes.as_ptr() == place.wrapping_add(1), is_large);
            bytes.fill(9);
            given.push(bytes);
        }
        assert!(frames.take().unwrap().is_none() && rest.is_empty());
        assert!(given.iter().flat_map(|bytes| bytes.iter()).all(|byte| *byte == 9));
        let kept = |pool: &BufferPool| pool.free.lock().unwrap().len();
        let before = kept(&pool);
        drop(given);
        assert_eq!(kept(&pool), before + bodies.len());
    }

    #[test]
    fn a_frame_that_others_follow_is_copied() {
        let mut frames = FrameBuffer::new(1 << 20, Arc::new(BufferPool::new()));
        let bodies = [vec![1; SMALL_BUFFER_BYTES], vec![2; 3]];
        let input: Vec<u8> = bodies.iter().flat_map(|body| frame(body)).collect();
        for piece in input.chunks(SMALL_BUFFER_BYTES) {
            frames.room().unwrap().extend_from_slice(piece);
        }
        let first = frames.take().unwrap().unwrap().give(0..SMALL_BUFFER_BYTES);
        assert_eq!(first[..], bodies[0][..]);
        let second = frames.take().unwrap().unwrap();
        assert_eq!(second[..], bodies[1][..]);
    }

    #[test]
    fn a_frame_without_a_pool_is_given_as_it_is() {
        let mut bytes = vec![7; SMALL_BUFFER_BYTES + 1];
        let place = bytes.as_ptr();
        let given = Frame::whole(&mut bytes).give(0..SMALL_BUFFER_BYTES);
        assert_eq!((given.as_ptr(), given.len()), (place, SMALL_BUFFER_BYTES));
        assert_eq!(Frame::whole(&mut vec![7; 3]).give(1..3)[..], [7, 7]);
        assert_eq!(Frame::whole(&mut vec![7; 3]).give(1..4)[..], [0; 0]);
    }

    #[test]
    fn of_the_buffers_that_are_large_enough_the_smallest_is_taken() {
        let pool = BufferPool::new();
        for capacity in [100, 3000, 1000, 2000] {
            pool.give(Vec::with_capacity(capacity));
        }
        let capacities = [500, 500, 4000].map(|wanted| pool.take(wanted).capacity());
        assert_eq!(capacities, [1000, 2000, 4000]);
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
