//! What has to be done from time to time: checkpoints with forgetting idle producers, retention, flushes by age, removal of
//! deleted files.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use barnabas_log::LogError;

use crate::broker::Broker;

/// Longest sleep; what is due later is looked at again.
const SLEEP_MAX: Duration = Duration::from_secs(3600);

#[derive(Debug, Default)]
struct State {
    is_stopping: bool,
    is_poked: bool,
}

/// Wakes the thread; everybody who changes what is due has one.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    state: Mutex<State>,
    wake: Condvar,
}

impl Signal {
    /// Something may be due earlier than the thread knows: options have changed, files wait for their removal.
    pub(crate) fn poke(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_poked = true;
        self.wake.notify_all();
    }

    fn stop(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_stopping = true;
        self.wake.notify_all();
    }

    /// Waits until a poke or for this long; returns whether to go on.
    fn sleep(&self, timeout: Duration) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut state, _) = self
            .wake
            .wait_timeout_while(state, timeout.min(SLEEP_MAX), |state| {
                !state.is_poked && !state.is_stopping
            })
            .unwrap_or_else(PoisonError::into_inner);
        state.is_poked = false;
        !state.is_stopping
    }
}

/// The thread that does it.
#[derive(Debug)]
pub(crate) struct Upkeep {
    signal: Arc<Signal>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Upkeep {
    pub(crate) fn start(broker: &Arc<Broker>) -> io::Result<Self> {
        let signal = Arc::clone(&broker.upkeep);
        let thread = {
            let broker = Arc::clone(broker);
            std::thread::Builder::new()
                .name("barnabas-upkeep".to_owned())
                .spawn(move || run(&broker))?
        };
        Ok(Self {
            signal,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Ends the thread; what it is doing is finished first.
    pub(crate) fn stop(&self) {
        self.signal.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            log::error!("the upkeep thread panicked");
        }
    }
}

impl Drop for Upkeep {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Something that is done every so often, by the broker's clock.
struct Periodic {
    every: Duration,
    next_ms: f64,
}

impl Periodic {
    fn new(first: Duration, every: Duration, now_ms: f64) -> Self {
        let next_ms = now_ms + first.as_secs_f64() * 1000.0;
        Self { every, next_ms }
    }

    /// Whether it is due; then the next time is set.
    fn take(&mut self, now_ms: f64) -> bool {
        let is_due = self.next_ms <= now_ms;
        if is_due {
            self.next_ms = now_ms + self.every.as_secs_f64() * 1000.0;
        }
        is_due
    }

    fn until(&self, now_ms: f64) -> Duration {
        let left = (self.next_ms - now_ms).max(0.0) / 1000.0;
        Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX)
    }
}

fn run(broker: &Broker) {
    // Removing a large file keeps a core busy for as long as the file is large.
    crate::helpers::give_way_to_reactors();
    let options = &broker.options;
    let clock = &broker.control.clock;
    let start = clock.now();
    let mut checkpoints = Periodic::new(options.checkpoint_interval, options.checkpoint_interval, start);
    let every = options.retention_interval;
    let mut retention = Periodic::new(every.min(options.first_retention), every, start);
    let mut timeout = checkpoints.until(start).min(retention.until(start));
    while broker.upkeep.sleep(timeout) {
        let (now, now_ms) = (clock.now(), broker.wall_clock_ms());
        if checkpoints.take(now) {
            report("checkpoint", broker.logs.checkpoint(now_ms));
        }
        if retention.take(now) {
            apply_retention(broker, now_ms);
        }
        let (next_flush_ms, flushed) = broker.logs.flush_due(now_ms);
        report("flush", flushed);
        report("removal of deleted files", broker.logs.remove_deleted(now_ms));
        let until = |due_ms: Option<i64>| {
            let left = due_ms.map(|due_ms| due_ms.saturating_sub(now_ms));
            left.map_or(Duration::MAX, |left| {
                Duration::from_millis(u64::try_from(left).unwrap_or(0))
            })
        };
        let flush = match next_flush_ms {
            Some(_) => until(next_flush_ms).min(options.flush_interval),
            None => Duration::MAX,
        };
        timeout = checkpoints
            .until(now)
            .min(retention.until(now))
            .min(flush)
            .min(until(broker.logs.next_removal_ms()));
    }
}

fn apply_retention(broker: &Broker, now_ms: i64) {
    let (removed, outcome) = broker.logs.apply_retention(now_ms);
    for (topic, partition, retained) in removed {
        broker.metrics.segments_deleted.add_len(retained.segments);
        log::info!(
            "{topic}-{partition}: {} segments of {} bytes are beyond their retention, the log begins at {}",
            retained.segments,
            retained.bytes,
            retained.log_start_offset
        );
    }
    report("retention", outcome);
}

fn report(what: &str, outcome: Result<(), LogError>) {
    if let Err(error) = outcome {
        log::error!("{what} failed: {error}");
    }
}
