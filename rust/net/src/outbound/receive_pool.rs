//! Reused buffers for responses and for what is decompressed from them: fresh megabytes cost three times as much as reused
//! ones. A buffer comes back when the last slice of it is dropped, whoever holds it.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

/// Smallest buffer that is worth keeping.
const CLASS_BYTES_MIN: usize = 16 << 10;
/// Classes 16 KiB, 32 KiB … 16 MiB; larger buffers are freed.
const CLASS_COUNT: usize = 11;

/// A pool of byte buffers in power-of-two size classes that keeps a bounded number of free bytes.
#[derive(Clone)]
pub struct ReceivePool(Arc<Shelves>);

struct Shelves {
    free: [Mutex<Vec<Vec<u8>>>; CLASS_COUNT],
    free_bytes: AtomicUsize,
    free_bytes_limit: usize,
}

impl fmt::Debug for ReceivePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceivePool")
            .field("free_bytes", &self.free_bytes())
            .finish_non_exhaustive()
    }
}

impl ReceivePool {
    /// A pool that keeps at most `free_bytes_limit` bytes of unused buffers.
    pub fn new(free_bytes_limit: usize) -> Self {
        let free = std::array::from_fn(|_| Mutex::new(Vec::new()));
        Self(Arc::new(Shelves {
            free,
            free_bytes: AtomicUsize::new(0),
            free_bytes_limit,
        }))
    }

    /// An empty buffer with room for at least `size` bytes.
    pub fn take(&self, size: usize) -> PooledBuffer {
        let mut taken = self.take_used(size);
        taken.buffer.clear();
        taken
    }

    /// A buffer with room for at least `size` bytes that may hold bytes of its former use: who writes over them need not
    /// zero them first. [`PooledBuffer::freeze_front`] says what counts.
    pub fn take_used(&self, size: usize) -> PooledBuffer {
        let class = class_for(size);
        let kept = class
            .and_then(|class| self.0.shelf(class))
            .and_then(|mut shelf| shelf.pop());
        let buffer = match kept {
            Some(buffer) => {
                self.0.free_bytes.fetch_sub(buffer.capacity(), Ordering::Relaxed);
                buffer
            }
            None => Vec::with_capacity(class.map_or(size, |class| CLASS_BYTES_MIN << class)),
        };
        PooledBuffer {
            len: usize::MAX,
            buffer,
            shelves: Arc::clone(&self.0),
        }
    }

    /// Bytes of unused buffers.
    pub fn free_bytes(&self) -> usize {
        self.0.free_bytes.load(Ordering::Relaxed)
    }
}

impl Shelves {
    fn shelf(&self, class: usize) -> Option<MutexGuard<'_, Vec<Vec<u8>>>> {
        Some(self.free.get(class)?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put_back(&self, buffer: Vec<u8>) {
        // Only buffers that are exactly of a class: a grown one would be counted in the wrong place.
        let Some(class) = class_for(buffer.capacity()).filter(|class| buffer.capacity() == CLASS_BYTES_MIN << class)
        else {
            return;
        };
        let Some(mut shelf) = self.shelf(class) else { return };
        let size = buffer.capacity();
        if self.free_bytes.fetch_add(size, Ordering::Relaxed) + size > self.free_bytes_limit {
            self.free_bytes.fetch_sub(size, Ordering::Relaxed);
            return;
        }
        shelf.push(buffer);
    }
}

/// The smallest class that holds `size` bytes; `None` for sizes that are not pooled.
fn class_for(size: usize) -> Option<usize> {
    let units = size.max(1).div_ceil(CLASS_BYTES_MIN).checked_next_power_of_two()?;
    usize::try_from(units.trailing_zeros())
        .ok()
        .filter(|class| *class < CLASS_COUNT && size > CLASS_BYTES_MIN / 4)
}

/// A buffer of a [`ReceivePool`].
pub struct PooledBuffer {
    /// How many of the bytes count, if not all of them do.
    len: usize,
    buffer: Vec<u8>,
    shelves: Arc<Shelves>,
}

impl fmt::Debug for PooledBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledBuffer")
            .field("len", &self.buffer.len())
            .finish_non_exhaustive()
    }
}

impl PooledBuffer {
    /// The bytes, to be filled.
    pub fn as_mut_vec(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Shared, read-only bytes; the buffer goes back to its pool with the last of them.
    pub fn freeze(self) -> Bytes {
        Bytes::from_owner(self)
    }

    /// As [`freeze`](Self::freeze), of the first `len` bytes. The others stay with the buffer.
    pub fn freeze_front(mut self, len: usize) -> Bytes {
        self.len = len;
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or(&self.buffer)
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        self.shelves.put_back(std::mem::take(&mut self.buffer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_after_its_last_slice() {
        let pool = ReceivePool::new(1 << 20);
        let mut buffer = pool.take(20_000);
        buffer.as_mut_vec().extend_from_slice(&vec![7; 20_000]);
        let address = buffer.as_ref().as_ptr();
        let bytes = buffer.freeze();
        let slice = bytes.slice(10..20);
        drop(bytes);
        assert_eq!(pool.free_bytes(), 0);
        drop(slice);
        assert_eq!(pool.free_bytes(), 32 << 10);
        let again = pool.take(30_000);
        assert_eq!((again.as_ref().as_ptr(), again.as_ref().len()), (address, 0));
    }

    #[test]
    fn free_bytes_stay_within_the_limit() {
        let pool = ReceivePool::new(100 << 10);
        let buffers: Vec<_> = (0..8).map(|_| pool.take(32 << 10)).collect();
        drop(buffers);
        assert_eq!(pool.free_bytes(), 96 << 10);
    }

    #[test]
    fn tiny_huge_and_grown_buffers_are_not_kept() {
        let pool = ReceivePool::new(1 << 30);
        drop(pool.take(10));
        drop(pool.take((16 << 20) + 1));
        let mut grown = pool.take(16 << 10);
        grown.as_mut_vec().resize(20 << 10, 0);
        drop(grown);
        assert!(pool.free_bytes().is_multiple_of(16 << 10) && pool.free_bytes() <= 32 << 10);
    }
}
