//! What a connection is doing, and when it last did anything: what draining and the closing of idle connections go by.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

const IDLE: u8 = 0;
const EXECUTING: u8 = 1;
const SENDING: u8 = 2;

/// Shared between a connection's task and the books of the server.
#[derive(Debug)]
pub(crate) struct Activity {
    started: Instant,
    phase: AtomicU8,
    last_ms: AtomicU64,
    is_closing: AtomicBool,
}

impl Activity {
    /// A connection that was accepted now; times are counted from `started`.
    pub(crate) fn new(started: Instant) -> Self {
        let activity = Self {
            started,
            phase: AtomicU8::new(IDLE),
            last_ms: AtomicU64::new(0),
            is_closing: AtomicBool::new(false),
        };
        activity.touch(Instant::now());
        activity
    }

    /// Bytes have come or gone.
    pub(crate) fn touch(&self, now: Instant) {
        self.last_ms.store(self.elapsed_ms(now), Ordering::Relaxed);
    }

    /// A request is executed.
    pub(crate) fn execute(&self) {
        self.phase.store(EXECUTING, Ordering::SeqCst);
    }

    /// Its response is being sent.
    pub(crate) fn send(&self) {
        self.phase.store(SENDING, Ordering::SeqCst);
    }

    /// Nothing is under way but a request that is not whole yet.
    pub(crate) fn rest(&self) {
        self.phase.store(IDLE, Ordering::SeqCst);
    }

    /// Nothing more is executed after what is under way.
    pub(crate) fn close(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
    }

    /// Whether the connection ends with what is under way.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// Whether neither a request is executed nor a response sent.
    pub(crate) fn is_resting(&self) -> bool {
        self.phase.load(Ordering::SeqCst) == IDLE
    }

    /// Milliseconds since the last byte; `None` while a request is executed, which may take as long as it takes.
    pub(crate) fn idle_ms(&self, now: Instant) -> Option<u64> {
        (self.phase.load(Ordering::SeqCst) != EXECUTING).then(|| {
            self.elapsed_ms(now)
                .saturating_sub(self.last_ms.load(Ordering::Relaxed))
        })
    }

    /// When the last byte came or went, on a scale of its own.
    pub(crate) fn last_ms(&self) -> u64 {
        self.last_ms.load(Ordering::Relaxed)
    }

    fn elapsed_ms(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
    }
}
