//! Locks and atomics of the modules whose interleavings are explored (`make loom`): std's, or loom's with the feature `loom`.

pub(crate) use std::sync::atomic::Ordering;

#[cfg(feature = "loom")]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicUsize, fence};
#[cfg(feature = "loom")]
pub(crate) use loom::sync::{Condvar, Mutex};
#[cfg(not(feature = "loom"))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicUsize, fence};
#[cfg(not(feature = "loom"))]
pub(crate) use std::sync::{Condvar, Mutex, OnceLock};

#[cfg(not(feature = "loom"))]
pub(crate) use crate::lock::lock;

/// As [`crate::lock::lock`].
#[cfg(feature = "loom")]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> loom::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// std's, with a flag that loom sees: a reader may find it unset as long as nothing orders it after the setter.
#[cfg(feature = "loom")]
#[derive(Debug)]
pub(crate) struct OnceLock<T> {
    value: std::sync::OnceLock<T>,
    is_set: AtomicBool,
}

#[cfg(feature = "loom")]
impl<T> OnceLock<T> {
    pub(crate) fn new() -> Self {
        Self {
            value: std::sync::OnceLock::new(),
            is_set: AtomicBool::new(false),
        }
    }

    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        self.value.set(value)?;
        self.is_set.store(true, Ordering::Release);
        Ok(())
    }

    pub(crate) fn get(&self) -> Option<&T> {
        if self.is_set.load(Ordering::Acquire) {
            self.value.get()
        } else {
            None
        }
    }
}
