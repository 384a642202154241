//! What has to be done from time to time: checkpoints, and forgetting idle producers.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::broker::Broker;

#[derive(Debug, Default)]
struct Signal {
    is_stopping: Mutex<bool>,
    wake: Condvar,
}

/// The thread that does it.
#[derive(Debug)]
pub(crate) struct Upkeep {
    signal: Arc<Signal>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Upkeep {
    pub(crate) fn start(broker: &Arc<Broker>) -> io::Result<Self> {
        let signal = Arc::<Signal>::default();
        let thread = {
            let (broker, signal) = (Arc::clone(broker), Arc::clone(&signal));
            std::thread::Builder::new()
                .name("barnabas-upkeep".to_owned())
                .spawn(move || run(&broker, &signal))?
        };
        Ok(Self {
            signal,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Ends the thread; what it is doing is finished first.
    pub(crate) fn stop(&self) {
        *self.signal.is_stopping.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.signal.wake.notify_all();
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

fn run(broker: &Broker, signal: &Signal) {
    let mut is_stopping = signal.is_stopping.lock().unwrap_or_else(PoisonError::into_inner);
    while !*is_stopping {
        let waited = signal
            .wake
            .wait_timeout(is_stopping, broker.options.checkpoint_interval);
        let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        is_stopping = guard;
        if timeout.timed_out() && !*is_stopping {
            drop(is_stopping);
            if let Err(error) = broker.logs.checkpoint(broker.wall_clock_ms()) {
                log::error!("checkpoint failed: {error}");
            }
            is_stopping = signal.is_stopping.lock().unwrap_or_else(PoisonError::into_inner);
        }
    }
}
