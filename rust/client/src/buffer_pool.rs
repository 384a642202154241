//! `buffer.memory`: a bounded number of bytes in power-of-two size classes, handed out first come, first served.
//!
//! A buffer is a [`Lease`]; dropping it, on whatever path, gives its bytes back. The pool's lock is a leaf: nothing else is
//! locked while it is held.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::completion::Completion;
use crate::sync::{Condvar, Mutex, lock};

/// Smallest class: how large a batch starts.
pub(crate) const CLASS_BYTES_MIN: usize = 16 << 10;
/// Classes 16 KiB … 1 MiB; larger buffers have their exact size and are freed after use.
const CLASS_COUNT: usize = 7;

/// The pool.
#[derive(Debug)]
pub(crate) struct BufferPool {
    state: Mutex<PoolState>,
    limit: usize,
}

#[derive(Debug, Default)]
struct PoolState {
    /// Capacity of all leases.
    leased: usize,
    /// Capacity of all free buffers.
    free_bytes: usize,
    free: [Vec<Vec<u8>>; CLASS_COUNT],
    waiters: VecDeque<Arc<Waiter>>,
}

#[derive(Debug)]
struct Waiter {
    /// The bell of an event loop that waits.
    listener: Option<Arc<Completion>>,
    capacity: usize,
    granted: Mutex<Option<Vec<u8>>>,
    changed: Condvar,
}

/// A buffer of the pool.
#[derive(Debug)]
pub(crate) struct Lease {
    pool: Arc<BufferPool>,
    capacity: usize,
    buffer: Vec<u8>,
}

/// A place in the queue for a buffer. Dropping it gives the place up.
#[derive(Debug)]
pub(crate) struct Ticket {
    pool: Arc<BufferPool>,
    waiter: Arc<Waiter>,
}

impl BufferPool {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(PoolState::default()),
            limit,
        })
    }

    /// `buffer.memory`.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// The capacity that a buffer for `size` bytes has.
    pub(crate) fn capacity_for(size: usize) -> usize {
        class_of(size).map_or(size, |class| CLASS_BYTES_MIN << class)
    }

    /// As [`capacity_for`](Self::capacity_for), but no more than the limit, unless that alone is too little.
    fn capacity_within(&self, size: usize) -> usize {
        Self::capacity_for(size).min(self.limit.max(size))
    }

    /// A buffer for `size` bytes, unless there is no room or somebody waits already.
    pub(crate) fn try_take(self: &Arc<Self>, size: usize) -> Option<Lease> {
        let capacity = self.capacity_within(size);
        let mut state = lock(&self.state);
        if !state.waiters.is_empty() {
            return None;
        }
        let buffer = state.take(capacity, self.limit)?;
        drop(state);
        Some(self.lease(buffer, capacity))
    }

    /// A buffer for `size` bytes that was used before, unless there is none or somebody waits.
    pub(crate) fn try_take_used(self: &Arc<Self>, size: usize) -> Option<Lease> {
        let capacity = Self::capacity_for(size);
        let mut state = lock(&self.state);
        if !state.waiters.is_empty() {
            return None;
        }
        let buffer = state.take_used(capacity)?;
        drop(state);
        Some(self.lease(buffer, capacity))
    }

    /// Queues for a buffer of `size` bytes, which must not be above the limit.
    pub(crate) fn enqueue(self: &Arc<Self>, size: usize) -> Ticket {
        self.enqueue_with(size, None)
    }

    /// As [`enqueue`](Self::enqueue); `listener` is poked when the buffer is there.
    pub(crate) fn enqueue_with(self: &Arc<Self>, size: usize, listener: Option<Arc<Completion>>) -> Ticket {
        let capacity = self.capacity_within(size);
        let waiter = Arc::new(Waiter {
            listener,
            capacity,
            granted: Mutex::new(None),
            changed: Condvar::new(),
        });
        let mut state = lock(&self.state);
        state.waiters.push_back(Arc::clone(&waiter));
        state.grant(self.limit);
        Ticket {
            pool: Arc::clone(self),
            waiter,
        }
    }

    /// Whether anybody waits for room: then batches are sent before their time.
    pub(crate) fn has_waiters(&self) -> bool {
        !lock(&self.state).waiters.is_empty()
    }

    /// Whether less than half of the limit is in use, so that a batch may start large.
    pub(crate) fn is_roomy(&self) -> bool {
        lock(&self.state).leased < self.limit / 2
    }

    /// Bytes of all leases, and of free buffers.
    pub(crate) fn usage(&self) -> (usize, usize) {
        let state = lock(&self.state);
        (state.leased, state.free_bytes)
    }

    /// Counts a buffer that was made elsewhere, whether there is room for it or not: nobody can wait for it.
    fn count(self: &Arc<Self>, buffer: Vec<u8>) -> Lease {
        let capacity = buffer.capacity();
        let mut state = lock(&self.state);
        state.leased += capacity;
        state.trim(self.limit);
        drop(state);
        self.lease(buffer, capacity)
    }

    fn lease(self: &Arc<Self>, buffer: Vec<u8>, capacity: usize) -> Lease {
        Lease {
            pool: Arc::clone(self),
            capacity,
            buffer,
        }
    }

    fn give_back(&self, capacity: usize, mut buffer: Vec<u8>) {
        let mut state = lock(&self.state);
        state.leased = state.leased.saturating_sub(capacity);
        let has_room = state.leased + state.free_bytes + capacity <= self.limit;
        if has_room
            && buffer.capacity() == capacity
            && let Some(shelf) = class_of(capacity).and_then(|class| state.free.get_mut(class))
            && Self::capacity_for(capacity) == capacity
        {
            buffer.clear();
            shelf.push(buffer);
            state.free_bytes += capacity;
        }
        state.grant(self.limit);
    }
}

impl PoolState {
    /// Counts `capacity` as leased if there is room, freeing unused buffers for it.
    fn take(&mut self, capacity: usize, limit: usize) -> Option<Vec<u8>> {
        // A record that alone passes the limit is refused before it comes here; an empty pool takes the rest.
        if self.leased.saturating_add(capacity) > limit {
            return None;
        }
        self.take_used(capacity).or_else(|| {
            self.leased += capacity;
            self.trim(limit);
            Some(Vec::with_capacity(capacity))
        })
    }

    /// Counts an unused buffer of exactly this capacity as leased.
    fn take_used(&mut self, capacity: usize) -> Option<Vec<u8>> {
        let class = class_of(capacity).filter(|class| CLASS_BYTES_MIN << class == capacity)?;
        let buffer = self.free.get_mut(class)?.pop()?;
        self.free_bytes -= capacity;
        self.leased += capacity;
        Some(buffer)
    }

    /// Frees unused buffers until all bytes are within the limit. The largest first: fewest buffers are lost.
    fn trim(&mut self, limit: usize) {
        while self.leased + self.free_bytes > limit {
            let Some(freed) = self.free.iter_mut().rev().find_map(Vec::pop) else {
                break;
            };
            self.free_bytes = self.free_bytes.saturating_sub(freed.capacity());
        }
    }

    /// Gives buffers to waiters in their order, until one must wait on.
    fn grant(&mut self, limit: usize) {
        while let Some(capacity) = self.waiters.front().map(|waiter| waiter.capacity) {
            let Some(buffer) = self.take(capacity, limit) else {
                return;
            };
            if let Some(waiter) = self.waiters.pop_front() {
                *lock(&waiter.granted) = Some(buffer);
                waiter.changed.notify_one();
                if let Some(listener) = &waiter.listener {
                    listener.poke();
                }
            }
        }
    }
}

impl Lease {
    /// Bytes that were made of this lease's and are counted beside it, for once above the limit: those who wait for room
    /// wait until they are gone, too.
    pub(crate) fn beside(&self, buffer: Vec<u8>) -> Self {
        self.pool.count(buffer)
    }

    /// Has the lease hold `size` bytes, if there is room and nobody waits. Whoever has taken the buffer out has it grow.
    pub(crate) fn grow(&mut self, size: usize) -> bool {
        let capacity = self.pool.capacity_within(size).max(self.capacity);
        let more = capacity - self.capacity;
        let mut state = lock(&self.pool.state);
        if !state.waiters.is_empty() || state.leased.saturating_add(more) > self.pool.limit {
            return false;
        }
        state.leased += more;
        state.trim(self.pool.limit);
        self.capacity = capacity;
        true
    }

    /// Takes the buffer out to be filled; [`put`](Self::put) brings it back.
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.buffer)
    }

    /// Brings the buffer back.
    pub(crate) fn put(&mut self, buffer: Vec<u8>) {
        self.buffer = buffer;
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// The bytes, to be patched.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// How much the buffer holds without growing.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}

impl AsRef<[u8]> for Lease {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.pool.give_back(self.capacity, std::mem::take(&mut self.buffer));
    }
}

impl Ticket {
    /// Waits up to `timeout` for the buffer.
    pub(crate) fn wait(&self, timeout: Duration) -> Option<Lease> {
        let deadline = Instant::now() + timeout;
        let mut granted = lock(&self.waiter.granted);
        loop {
            if let Some(buffer) = granted.take() {
                return Some(self.pool.lease(buffer, self.waiter.capacity));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            granted = self
                .waiter
                .changed
                .wait_timeout(granted, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = lock(&self.pool.state);
        state.waiters.retain(|waiter| !Arc::ptr_eq(waiter, &self.waiter));
        // Granted between the last wait and now: it goes to the next one.
        let granted = lock(&self.waiter.granted).take();
        if granted.is_some() {
            state.leased = state.leased.saturating_sub(self.waiter.capacity);
        }
        state.grant(self.pool.limit);
    }
}

/// The smallest class that holds `size` bytes.
fn class_of(size: usize) -> Option<usize> {
    let units = size.max(1).div_ceil(CLASS_BYTES_MIN).checked_next_power_of_two()?;
    usize::try_from(units.trailing_zeros())
        .ok()
        .filter(|class| *class < CLASS_COUNT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn waiters_are_served_in_their_order_and_nobody_passes_them() {
        let pool = BufferPool::new(64 << 10);
        let large = pool.try_take(64 << 10).unwrap();
        let first = pool.enqueue(64 << 10);
        let second = pool.enqueue(16 << 10);
        assert!(first.wait(Duration::ZERO).is_none());
        drop(large);
        let lease = first.wait(Duration::ZERO).unwrap();
        assert!(second.wait(Duration::ZERO).is_none());
        assert!(pool.try_take(1).is_none());
        drop(lease);
        assert!(second.wait(Duration::ZERO).is_some());
        assert!(!pool.has_waiters());
    }

    #[test]
    fn a_dropped_ticket_passes_its_buffer_on() {
        let pool = BufferPool::new(16 << 10);
        let lease = pool.try_take(1).unwrap();
        let first = pool.enqueue(1);
        let second = pool.enqueue(1);
        drop(lease);
        drop(first);
        assert!(second.wait(Duration::ZERO).is_some());
        assert_eq!(pool.usage().0, 0);
    }

    #[test]
    fn bytes_beside_a_lease_are_counted_above_the_limit_and_waited_for() {
        let pool = BufferPool::new(64 << 10);
        drop(pool.try_take(32 << 10).unwrap());
        let lease = pool.try_take(32 << 10).unwrap();
        let halves = [lease.beside(vec![0; 20_000]), lease.beside(vec![0; 20_000])];
        assert_eq!(pool.usage(), ((32 << 10) + 40_000, 0));
        let ticket = pool.enqueue(64 << 10);
        drop(lease);
        assert_eq!(pool.usage(), (40_000, 0));
        assert!(ticket.wait(Duration::ZERO).is_none());
        drop(halves);
        assert_eq!(ticket.wait(Duration::ZERO).unwrap().capacity(), 64 << 10);
        assert_eq!(pool.usage().0, 0);
    }

    #[test]
    fn a_lease_grows_within_the_limit_and_passes_nobody_who_waits() {
        let pool = BufferPool::new(64 << 10);
        drop(pool.try_take(32 << 10).unwrap());
        let mut lease = pool.try_take(1).unwrap();
        assert_eq!(pool.usage(), (16 << 10, 32 << 10));
        assert!(!lease.grow(65 << 10));
        assert!(lease.grow(17 << 10));
        assert_eq!((lease.capacity(), pool.usage()), (32 << 10, (32 << 10, 32 << 10)));
        // What was used before makes room for what is needed now.
        assert!(lease.grow(64 << 10));
        assert_eq!((lease.capacity(), pool.usage()), (64 << 10, (64 << 10, 0)));
        drop(lease);
        let mut lease = pool.try_take(1).unwrap();
        let _ticket = pool.enqueue(64 << 10);
        assert!(!lease.grow(32 << 10));
        assert!(pool.try_take_used(1).is_none());
    }

    #[test]
    fn a_used_buffer_is_taken_by_its_own_size_only() {
        let pool = BufferPool::new(1 << 20);
        assert!(pool.try_take_used(32 << 10).is_none());
        drop(pool.try_take(32 << 10).unwrap());
        assert!(pool.try_take_used(16 << 10).is_none());
        assert_eq!(pool.try_take_used(17 << 10).unwrap().capacity(), 32 << 10);
    }

    #[test]
    fn a_waiting_thread_wakes_when_room_comes() {
        let pool = BufferPool::new(16 << 10);
        let lease = pool.try_take(1).unwrap();
        let ticket = pool.enqueue(1);
        let waiter = std::thread::spawn(move || ticket.wait(Duration::from_secs(60)).is_some());
        drop(lease);
        assert!(waiter.join().unwrap());
    }

    proptest! {
        #[test]
        fn memory_stays_within_the_limit_and_all_of_it_comes_back(
            operations in prop::collection::vec((0_u8..6, 1_usize..(1 << 21)), 1..200)
        ) {
            let limit = 4 << 20;
            let pool = BufferPool::new(limit);
            let mut leases = Vec::new();
            let mut tickets: Vec<Ticket> = Vec::new();
            for (operation, size) in operations {
                match operation {
                    0 => leases.extend(pool.try_take(size)),
                    1 => tickets.push(pool.enqueue(size)),
                    2 if !leases.is_empty() => drop(leases.remove(size % leases.len())),
                    3 if !tickets.is_empty() => {
                        let ticket = tickets.remove(size % tickets.len());
                        leases.extend(ticket.wait(Duration::ZERO));
                    }
                    4 => leases.extend(pool.try_take_used(size)),
                    5 if !leases.is_empty() => {
                        let at = size % leases.len();
                        if leases[at].grow(size) {
                            let mut buffer = leases[at].take_buffer();
                            buffer.reserve_exact(leases[at].capacity());
                            leases[at].put(buffer);
                        }
                    }
                    _ => {}
                }
                let (leased, free) = pool.usage();
                prop_assert!(leased + free <= limit);
                prop_assert!(leases.iter().all(|lease| lease.capacity() <= lease.buffer.capacity()));
            }
            drop(tickets);
            drop(leases);
            prop_assert_eq!(pool.usage().0, 0);
            prop_assert!(!pool.has_waiters());
            // Whatever is on the shelves, the whole limit can be had again.
            prop_assert!(pool.try_take(limit).is_some());
        }
    }
}
