//! All sessions by id, and which of them yields its slot to a new one.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::NO_SESSION;
use super::session::Session;

/// How long a session is kept from those that hold fewer partitions, and how long it may be idle before anyone takes its slot.
pub(super) const EVICTION_AGE_MS: i64 = 120_000;

pub(super) type Shared = Arc<Mutex<Session>>;

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Default)]
pub(super) struct Cache {
    pub(super) sessions: HashMap<i32, Shared>,
    last_used: BTreeSet<(i64, i32)>,
    /// What a consumer's new session may take the place of.
    evictable: BTreeSet<(bool, usize, i32)>,
    /// What a follower's new session may take the place of.
    evictable_by_followers: BTreeSet<(bool, usize, i32)>,
    pub(super) partitions: usize,
}

impl Cache {
    pub(super) fn remove(&mut self, id: i32) {
        if let Some(session) = self.sessions.remove(&id) {
            let session = lock(&session);
            self.forget_places(&session);
        }
    }

    fn forget_places(&mut self, session: &Session) {
        self.last_used.remove(&session.last_used_key());
        self.evictable.remove(&session.evictable_key());
        self.evictable_by_followers.remove(&session.evictable_key());
        self.partitions = self.partitions.saturating_sub(session.size);
    }

    pub(super) fn touch(&mut self, session: &mut Session, now_ms: i64) {
        self.forget_places(session);
        session.last_used_ms = now_ms;
        session.size = session.partitions.len();
        let is_old = now_ms.saturating_sub(session.created_ms) > EVICTION_AGE_MS;
        self.last_used.insert(session.last_used_key());
        if is_old || !session.is_follower {
            self.evictable_by_followers.insert(session.evictable_key());
        }
        if is_old {
            self.evictable.insert(session.evictable_key());
        }
        self.partitions += session.size;
    }

    /// Makes room for a session of `size` partitions: what nobody has used for long goes, else what has grown old and has
    /// fewer partitions than the new one.
    pub(super) fn evict_for(&mut self, is_follower: bool, size: usize, now_ms: i64) -> bool {
        let Some((last_used_ms, oldest)) = self.last_used.first().copied() else {
            return false;
        };
        if now_ms.saturating_sub(last_used_ms) > EVICTION_AGE_MS {
            self.remove(oldest);
            return true;
        }
        let evictable = if is_follower {
            &self.evictable_by_followers
        } else {
            &self.evictable
        };
        match evictable.first().copied() {
            Some(least) if (is_follower, size, NO_SESSION) >= least => {
                self.remove(least.2);
                true
            }
            _ => false,
        }
    }
}
