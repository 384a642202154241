//! How those who wait for batches of a producer learn of outcomes: a condition variable for threads that wait for one
//! batch, and a list of watched batches for who calls back, a thread or an event loop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::batch::BatchState;
use crate::doorbell::Doorbell;
use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, fence, lock};

/// The bell for all who wait for batches of one producer.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    waiting: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
    /// Something was listed since [`take`](Self::take).
    has_news: AtomicBool,
    /// Event loops that want to hear of every ring: they wait for a flush.
    listening: AtomicUsize,
    news: Mutex<News>,
    news_changed: Condvar,
}

#[derive(Debug, Default)]
struct News {
    /// Watched batches that have an outcome.
    decided: Vec<Arc<BatchState>>,
    /// Something happened that is not in the list: memory was granted, or a batch that nobody watches was decided.
    is_poked: bool,
    is_closed: bool,
    bell: Doorbell,
}

impl Completion {
    /// Outcomes were decided.
    pub(crate) fn ring(&self) {
        // Pairs with the fence in `wait`: either this sees the waiter, or the waiter sees the outcome.
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) > 0 {
            // Taking the lock orders this ring after the waiter's last look.
            drop(lock(&self.lock));
            self.changed.notify_all();
        }
        let is_listening = self.listening.load(Ordering::Relaxed) > 0;
        if is_listening || self.has_news.load(Ordering::Relaxed) {
            let mut news = lock(&self.news);
            news.is_poked |= is_listening;
            news.bell.ring();
            drop(news);
            self.news_changed.notify_all();
        }
    }

    /// Waits up to `timeout` until `ready()`, looked at after every ring.
    pub(crate) fn wait(&self, timeout: Duration, mut ready: impl FnMut() -> bool) -> bool {
        if ready() {
            return true;
        }
        let deadline = Instant::now() + timeout;
        self.waiting.fetch_add(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let mut guard = lock(&self.lock);
        let done = loop {
            if ready() {
                break true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break false;
            }
            guard = self
                .changed
                .wait_timeout(guard, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        };
        drop(guard);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        done
    }

    /// Lists a watched batch that has its outcome; whoever calls rings afterwards.
    pub(crate) fn list(&self, batch: Arc<BatchState>) {
        lock(&self.news).decided.push(batch);
        self.has_news.store(true, Ordering::Relaxed);
    }

    /// Lets an event loop look around, for something that is in no list.
    pub(crate) fn poke(&self) {
        let mut news = lock(&self.news);
        news.is_poked = true;
        news.bell.ring();
    }

    /// From here on every ring pokes, until as many calls of [`unlisten`](Self::unlisten).
    pub(crate) fn listen(&self) {
        self.listening.fetch_add(1, Ordering::SeqCst);
        // Pairs with the fence in `ring`, as `wait` does: the caller looks at what it waits for after this.
        fence(Ordering::SeqCst);
    }

    /// Ends one [`listen`](Self::listen).
    pub(crate) fn unlisten(&self) {
        self.listening.fetch_sub(1, Ordering::SeqCst);
    }

    /// A line to an event loop, readable when there is news; at most one byte until the next [`take`](Self::take).
    pub(crate) fn bell(&self) -> std::io::Result<std::os::fd::OwnedFd> {
        let mut news = lock(&self.news);
        let line = news.bell.connect()?;
        news.bell.arm();
        Ok(line)
    }

    /// Arms the bell; false, and not armed, if there is news already.
    pub(crate) fn arm_bell(&self) -> bool {
        let mut news = lock(&self.news);
        let may_wait = news.decided.is_empty() && !news.is_poked;
        if may_wait {
            news.bell.arm();
        }
        may_wait
    }

    /// Takes the listed batches and arms the bell.
    pub(crate) fn take(&self) -> Vec<Arc<BatchState>> {
        let mut news = lock(&self.news);
        self.take_locked(&mut news)
    }

    fn take_locked(&self, news: &mut News) -> Vec<Arc<BatchState>> {
        news.is_poked = false;
        self.has_news.store(false, Ordering::Relaxed);
        news.bell.arm();
        std::mem::take(&mut news.decided)
    }

    /// Waits for listed batches; `None` when the list is closed and empty.
    pub(crate) fn wait_and_take(&self) -> Option<Vec<Arc<BatchState>>> {
        let mut news = lock(&self.news);
        while news.decided.is_empty() {
            if news.is_closed {
                return None;
            }
            news = self
                .news_changed
                .wait(news)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        Some(self.take_locked(&mut news))
    }

    /// Nothing will be listed any more: who waits for the list does not wait on.
    pub(crate) fn close(&self) {
        let mut news = lock(&self.news);
        news.is_closed = true;
        news.is_poked = true;
        news.bell.ring();
        drop(news);
        self.news_changed.notify_all();
    }
}
