//! Column buffers that are used again: fresh pages cost three times as much as pages that were written before.
//!
//! A buffer is taken for a column, handed out as an Arrow buffer without a copy, and comes back when the last array
//! over it is dropped, whoever holds it. Free buffers are bounded by [`FREE_BYTES_LIMIT`].

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_buffer::{ArrowNativeType, Buffer, IntervalMonthDayNano, ScalarBuffer, ToByteSlice, i256};
use bytes::Bytes;

/// Most bytes of free buffers that the process keeps, all columns together.
pub(crate) const FREE_BYTES_LIMIT: usize = 64 << 20;
/// Smallest buffer that is worth keeping: below, the allocator reuses pages itself.
const CLASS_BYTES_MIN: usize = 32 << 10;
/// Classes 32 KiB, 64 KiB … 32 MiB; larger buffers are freed.
const CLASS_COUNT: usize = 11;

static FREE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Free buffers of one element type, by size class.
#[derive(Debug)]
pub(crate) struct Shelves<T>([Mutex<Vec<Vec<T>>>; CLASS_COUNT]);

impl<T> Shelves<T> {
    const fn new() -> Self {
        Self([const { Mutex::new(Vec::new()) }; CLASS_COUNT])
    }

    fn shelf(&self, class: usize) -> Option<MutexGuard<'_, Vec<Vec<T>>>> {
        Some(self.0.get(class)?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a pooled buffer may hold.
pub(crate) trait Element: ArrowNativeType {
    /// The shelves of this type.
    fn shelves() -> &'static Shelves<Self>;
}

macro_rules! element {
    ($($native:ty),*) => {$(
        impl Element for $native {
            fn shelves() -> &'static Shelves<Self> {
                static SHELVES: Shelves<$native> = Shelves::new();
                &SHELVES
            }
        }
    )*};
}

element!(u8, i8, i16, i32, i64, f32, f64, i128, i256, IntervalMonthDayNano);

/// The class whose buffers have room for `bytes`, if they are kept.
fn class_for(bytes: usize) -> Option<usize> {
    let class = bytes.div_ceil(CLASS_BYTES_MIN).max(1).checked_next_power_of_two()?;
    let class = usize::try_from(class.trailing_zeros()).ok()?;
    (bytes >= CLASS_BYTES_MIN / 2 && class < CLASS_COUNT).then_some(class)
}

/// An empty vector with room for at least `count` elements.
pub(crate) fn take<T: Element>(count: usize) -> Vec<T> {
    let Some(class) = class_for(count.saturating_mul(size_of::<T>())) else {
        return Vec::with_capacity(count);
    };
    // The next larger class rather than fresh pages.
    for class in [class, class.saturating_add(1)] {
        if let Some(kept) = T::shelves().shelf(class).and_then(|mut shelf| shelf.pop()) {
            FREE_BYTES.fetch_sub(kept.capacity().saturating_mul(size_of::<T>()), Ordering::Relaxed);
            return kept;
        }
    }
    Vec::with_capacity((CLASS_BYTES_MIN << class) / size_of::<T>())
}

/// Gives a vector back.
pub(crate) fn give<T: Element>(mut values: Vec<T>) {
    let bytes = values.capacity().saturating_mul(size_of::<T>());
    // A buffer that has grown out of its class counts for the largest class that it fills.
    let Some(class) = (bytes / CLASS_BYTES_MIN).checked_ilog2().map(|class| class as usize) else {
        return;
    };
    if class >= CLASS_COUNT || FREE_BYTES.load(Ordering::Relaxed).saturating_add(bytes) > FREE_BYTES_LIMIT {
        return;
    }
    if let Some(mut shelf) = T::shelves().shelf(class) {
        values.clear();
        shelf.push(values);
        FREE_BYTES.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A vector on loan.
struct Loan<T: Element>(Vec<T>);

impl<T: Element> AsRef<[u8]> for Loan<T> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice().to_byte_slice()
    }
}

impl<T: Element> Drop for Loan<T> {
    fn drop(&mut self) {
        give(std::mem::take(&mut self.0));
    }
}

/// The vector as reference-counted bytes; it comes back to the pool after the last of them.
pub(crate) fn lend_bytes(values: Vec<u8>) -> Bytes {
    Bytes::from_owner(Loan(values))
}

/// The vector as an Arrow buffer; it comes back to the pool after the last array over it.
pub(crate) fn lend<T: Element>(values: Vec<T>) -> Buffer {
    if values.capacity().saturating_mul(size_of::<T>()) < CLASS_BYTES_MIN {
        return Buffer::from_vec(values);
    }
    Buffer::from(Bytes::from_owner(Loan(values)))
}

/// As [`lend`], typed.
pub(crate) fn lend_scalars<T: Element>(values: Vec<T>) -> ScalarBuffer<T> {
    let count = values.len();
    ScalarBuffer::new(lend(values), 0, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_cover_what_is_asked_for() {
        for bytes in [0, 1, 100, CLASS_BYTES_MIN / 2 - 1] {
            assert_eq!(class_for(bytes), None);
        }
        assert_eq!(class_for(CLASS_BYTES_MIN), Some(0));
        assert_eq!(class_for(CLASS_BYTES_MIN + 1), Some(1));
        assert_eq!(class_for(32 << 20), Some(CLASS_COUNT - 1));
        assert_eq!(class_for((32 << 20) + 1), None);
        assert_eq!(class_for(usize::MAX), None);
    }

    #[test]
    fn a_buffer_is_used_again_after_its_last_array() {
        // A class that no other test of this crate touches.
        const COUNT: usize = 3 << 20;
        let mut first = take::<i64>(COUNT);
        first.push(7);
        let place = first.as_ptr().addr();
        let scalars = lend_scalars(first);
        let other = scalars.clone();
        drop(scalars);
        assert_eq!(&*other, &[7]);
        drop(other);
        let again = take::<i64>(COUNT);
        assert_eq!((again.as_ptr().addr(), again.len()), (place, 0));
        assert!(FREE_BYTES.load(Ordering::Relaxed) <= FREE_BYTES_LIMIT);
    }
}
