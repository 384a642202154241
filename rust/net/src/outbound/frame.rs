//! Reading length-prefixed frames from a stream: small ones through one staging buffer, large ones straight into a pooled
//! buffer of their own. The length is checked before anything is allocated.

use std::io;

use bytes::{BufMut, Bytes};
use tokio::net::TcpStream;

use super::receive_pool::{PooledBuffer, ReceivePool};

/// Bytes read at once while the next frame's size is unknown.
const STAGING_BYTES: usize = 16 << 10;
/// Bytes of the length in front of a frame.
const LENGTH_BYTES: usize = 4;

/// A frame's length is negative, shorter than a correlation id or above the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadLength(pub(super) i32);

/// Cuts a byte stream into frames.
#[derive(Debug)]
pub(super) struct FrameReader {
    staging: Vec<u8>,
    /// Bytes at the front of `staging` that were handed out.
    taken: usize,
    /// A frame larger than the staging buffer, and its full size.
    large: Option<(PooledBuffer, usize)>,
    pool: ReceivePool,
    frame_bytes_max: usize,
}

impl FrameReader {
    pub(super) fn new(pool: ReceivePool, frame_bytes_max: usize) -> Self {
        Self {
            staging: Vec::with_capacity(STAGING_BYTES),
            taken: 0,
            large: None,
            pool,
            frame_bytes_max,
        }
    }

    /// The next whole frame without its length, if it was read.
    pub(super) fn next_frame(&mut self) -> Result<Option<Bytes>, BadLength> {
        if let Some((buffer, size)) = self.large.take() {
            if buffer.as_ref().len() < size {
                self.large = Some((buffer, size));
                return Ok(None);
            }
            return Ok(Some(buffer.freeze()));
        }
        let waiting = self.staging.get(self.taken..).unwrap_or_default();
        let Some((length, rest)) = waiting.split_first_chunk::<LENGTH_BYTES>() else {
            self.compact();
            return Ok(None);
        };
        let length = i32::from_be_bytes(*length);
        let size = usize::try_from(length)
            .ok()
            .filter(|size| (4..=self.frame_bytes_max).contains(size))
            .ok_or(BadLength(length))?;
        if let Some(frame) = rest.get(..size) {
            let frame = Bytes::copy_from_slice(frame);
            self.taken += LENGTH_BYTES + size;
            return Ok(Some(frame));
        }
        if LENGTH_BYTES + size > STAGING_BYTES {
            let mut buffer = self.pool.take(size);
            buffer.as_mut_vec().extend_from_slice(rest);
            self.large = Some((buffer, size));
            self.staging.clear();
            self.taken = 0;
        } else {
            self.compact();
        }
        Ok(None)
    }

    /// Moves the unread rest to the front, so that the next read has room.
    fn compact(&mut self) {
        if self.taken > 0 {
            self.staging.drain(..self.taken);
            self.taken = 0;
        }
    }

    /// Reads once without waiting. `Ok(0)` is the end of the stream.
    pub(super) fn read_from(&mut self, stream: &TcpStream) -> io::Result<usize> {
        if let Some((buffer, size)) = &mut self.large {
            let buffer = buffer.as_mut_vec();
            let missing = size.saturating_sub(buffer.len());
            return stream.try_read_buf(&mut buffer.limit(missing));
        }
        let room = STAGING_BYTES.saturating_sub(self.staging.len());
        stream.try_read_buf(&mut (&mut self.staging).limit(room))
    }

    #[cfg(test)]
    fn feed(&mut self, mut bytes: &[u8]) -> Result<Vec<Bytes>, BadLength> {
        let mut frames = Vec::new();
        while !bytes.is_empty() {
            let (buffer, room) = if let Some((buffer, size)) = &mut self.large {
                let room = *size - buffer.as_ref().len();
                (buffer.as_mut_vec(), room)
            } else {
                let room = STAGING_BYTES - self.staging.len();
                (&mut self.staging, room)
            };
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            assert!(!now.is_empty(), "a reader must always have room");
            buffer.extend_from_slice(now);
            bytes = later;
            while let Some(frame) = self.next_frame()? {
                frames.push(frame);
            }
        }
        Ok(frames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reader() -> FrameReader {
        FrameReader::new(ReceivePool::new(1 << 20), 1 << 20)
    }

    #[test]
    fn lengths_out_of_range_are_refused_before_allocation() {
        for length in [-1, 0, 3, i32::MIN, i32::MAX, (1 << 20) + 1] {
            assert_eq!(reader().feed(&length.to_be_bytes()), Err(BadLength(length)));
        }
    }

    proptest! {
        #[test]
        fn frames_come_out_as_they_went_in(sizes in prop::collection::vec(4_usize..60_000, 1..8), cuts in prop::collection::vec(1_usize..30_000, 1..20)) {
            let frames: Vec<Vec<u8>> = sizes.iter().enumerate().map(|(index, size)| vec![u8::try_from(index).unwrap(); *size]).collect();
            let mut stream = Vec::new();
            for frame in &frames {
                stream.extend_from_slice(&u32::try_from(frame.len()).unwrap().to_be_bytes());
                stream.extend_from_slice(frame);
            }
            let mut reader = reader();
            let mut out = Vec::new();
            let mut rest = stream.as_slice();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                out.extend(reader.feed(now).unwrap());
                rest = later;
            }
            prop_assert_eq!(out, frames);
        }
    }
}
