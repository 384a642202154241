//! Which sockets are open, so that a forked child can close its copies: while it keeps them, a broker does not see that the
//! parent closed a connection.

use std::collections::BTreeSet;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Mutex, PoisonError};

static OPEN: Mutex<BTreeSet<RawFd>> = Mutex::new(BTreeSet::new());

/// A socket that is open. To be dropped before the socket.
#[derive(Debug)]
pub(super) struct OpenSocket(RawFd);

impl OpenSocket {
    pub(super) fn new(socket: &impl AsRawFd) -> Self {
        let descriptor = socket.as_raw_fd();
        OPEN.lock().unwrap_or_else(PoisonError::into_inner).insert(descriptor);
        Self(descriptor)
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        OPEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// To be called in a child right after a fork: descriptors of the parent's connections, for the child to close. Empty when
/// asked again, and when another thread of the parent was changing the list at the moment of the fork.
pub fn take_inherited() -> Vec<RawFd> {
    OPEN.try_lock()
        .map(|mut open| std::mem::take(&mut *open).into_iter().collect())
        .unwrap_or_default()
}
