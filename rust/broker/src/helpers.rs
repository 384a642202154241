//! A small pool of threads for what a reactor must not do: fsync, reads for the control plane, removal of files, appends
//! of partitions whose disk is slow.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: Vec<JoinHandle<()>>,
    stopping: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

/// The pool. Threads start when there is work for them. Jobs are not limited here: whoever hands them in has at most
/// one flush and one append per partition, and as many reads and removals as the control plane has in flight.
pub(crate) struct Helpers {
    name: &'static str,
    shared: Arc<Shared>,
    threads_max: usize,
}

impl std::fmt::Debug for Helpers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Helpers")
            .field("threads_max", &self.threads_max)
            .finish_non_exhaustive()
    }
}

fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Helpers {
    pub(crate) fn new(name: &'static str, threads_max: usize) -> Self {
        Self {
            name,
            shared: Arc::default(),
            threads_max: threads_max.max(1),
        }
    }

    /// Runs `job` on a helper thread; after [`Helpers::stop`], or if no thread can be started, on this one.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = lock(&self.shared);
        if state.idle <= state.jobs.len() && state.threads.len() < self.threads_max && !state.stopping {
            let shared = Arc::clone(&self.shared);
            let name = format!("barnabas-{}-{}", self.name, state.threads.len());
            match std::thread::Builder::new().name(name).spawn(move || work(&shared)) {
                Ok(thread) => state.threads.push(thread),
                Err(error) => log::warn!("cannot start a helper thread: {error}"),
            }
        }
        if state.stopping || state.threads.is_empty() {
            drop(state);
            job();
            return;
        }
        state.jobs.push_back(Box::new(job));
        drop(state);
        self.shared.wake.notify_one();
    }

    /// Jobs that wait for a thread.
    pub(crate) fn depth(&self) -> usize {
        lock(&self.shared).jobs.len()
    }

    /// Lets the threads finish what waits and ends them.
    pub(crate) fn stop(&self) {
        let threads = {
            let mut state = lock(&self.shared);
            state.stopping = true;
            std::mem::take(&mut state.threads)
        };
        self.shared.wake.notify_all();
        for thread in threads {
            // The last holder of the pool may be a job of it.
            if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
                log::error!("a helper thread panicked");
            }
        }
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        self.stop();
    }
}

fn work(shared: &Shared) {
    let mut state = lock(shared);
    loop {
        if let Some(job) = state.jobs.pop_front() {
            drop(state);
            job();
            state = lock(shared);
        } else if state.stopping {
            return;
        } else {
            state.idle += 1;
            state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn jobs_run_and_stop_waits_for_them() {
        let helpers = Helpers::new("test", 2);
        let (sender, receiver) = mpsc::channel();
        for i in 0..100 {
            let sender = sender.clone();
            helpers.run(move || sender.send(i).unwrap());
        }
        helpers.stop();
        helpers.run(move || sender.send(100).unwrap());
        let mut done: Vec<i32> = receiver.iter().collect();
        done.sort_unstable();
        assert_eq!(done, (0..=100).collect::<Vec<_>>());
    }
}
