//! A small pool of threads for what a reactor must not do: fsync, reads for the control plane, removal of files, appends
//! of partitions whose disk is slow.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use barnabas_net::scheduling;

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
    /// Whether the threads leave the cores to reactors where both want them.
    give_way: bool,
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
            give_way: false,
        }
    }

    /// A pool whose threads give way to reactors. A thread that copies at the disk's speed uses whole slices; a reactor that
    /// has just worked for longer than its own would wait for them, and with it every other client.
    pub(crate) fn giving_way(name: &'static str, threads_max: usize) -> Self {
        let mut helpers = Self::new(name, threads_max);
        helpers.give_way = true;
        helpers
    }

    /// Runs `job` on a helper thread; after [`Helpers::stop`], or if no thread can be started, on this one.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = lock(&self.shared);
        if state.idle <= state.jobs.len() && state.threads.len() < self.threads_max && !state.stopping {
            let (shared, give_way) = (Arc::clone(&self.shared), self.give_way);
            let name = format!("barnabas-{}-{}", self.name, state.threads.len());
            match std::thread::Builder::new()
                .name(name)
                .spawn(move || begin(&shared, give_way))
            {
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

/// Has this thread leave the cores to reactors where both want them.
pub(crate) fn give_way_to_reactors() {
    scheduling::give_way();
    barnabas_log::give_way_between_writes();
}

fn begin(shared: &Shared, give_way: bool) {
    if give_way {
        give_way_to_reactors();
    }
    work(shared);
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

    #[cfg(target_os = "linux")]
    #[test]
    fn only_threads_that_give_way_are_nice() {
        let own = rustix::process::nice(0).unwrap();
        let of_one = |helpers: Helpers| {
            let (sender, receiver) = mpsc::channel();
            helpers.run(move || sender.send(rustix::process::nice(0).unwrap()).unwrap());
            receiver.recv().unwrap()
        };
        assert_eq!(of_one(Helpers::new("test", 1)), own);
        assert_eq!(of_one(Helpers::giving_way("test", 1)), (own + 5).min(19));
        assert_eq!(rustix::process::nice(0).unwrap(), own);
    }

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
