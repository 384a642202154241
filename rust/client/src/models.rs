//! The buffer pool and the ring of completions under loom, which runs every interleaving of a few threads, and every value that
//! the memory model lets them read. Run by `make loom`; a wake-up that is lost shows as a deadlock.

use std::sync::Arc;
use std::time::Duration;

use loom::model::Builder;
use loom::thread;

use crate::accumulator::{Accumulator, PartitionQueue};
use crate::batch::{BatchState, Outcome};
use crate::buffer_pool::{BufferPool, CLASS_BYTES_MIN as CLASS};
use crate::waker::Waker;

/// Loom does not let waits time out.
const FOREVER: Duration = Duration::from_secs(3_600);
/// Switches between threads that no lock or wait forces; more find nothing else in programs of this size.
const PREEMPTIONS: usize = 3;

fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS);
    builder.check(model);
}

/// An accumulator, one of its queues, and a batch that is not decided.
fn batch() -> (Arc<Accumulator>, Arc<PartitionQueue>, Arc<BatchState>) {
    let accumulator = Accumulator::new(BufferPool::new(CLASS), CLASS, Duration::ZERO, Arc::new(Waker::new()));
    let queue = accumulator.new_queue("t".into(), 0);
    let state = BatchState::new(0, &accumulator, &queue);
    (accumulator, queue, state)
}

fn acknowledged(base_offset: i64) -> Outcome {
    Outcome::Acknowledged {
        base_offset,
        log_append_time: -1,
    }
}

#[test]
fn whoever_waits_for_room_gets_it_when_it_comes_back() {
    explore(|| {
        let pool = BufferPool::new(CLASS);
        let held = pool.try_take(1).unwrap();
        let ticket = pool.enqueue(1);
        let other = thread::spawn(move || drop(held));
        assert_eq!(ticket.wait(FOREVER).unwrap().capacity(), CLASS);
        other.join().unwrap();
        assert_eq!(pool.usage().0, 0);
    });
}

#[test]
fn a_place_that_is_given_up_while_it_is_served_is_the_next_ones() {
    explore(|| {
        let pool = BufferPool::new(CLASS);
        let held = pool.try_take(1).unwrap();
        let (first, second) = (pool.enqueue(1), pool.enqueue(1));
        let giver = thread::spawn(move || drop(held));
        let leaver = thread::spawn(move || drop(first));
        assert!(second.wait(FOREVER).is_some());
        giver.join().unwrap();
        leaver.join().unwrap();
        assert_eq!(pool.usage().0, 0);
        assert!(!pool.has_waiters());
    });
}

#[test]
fn takers_keep_the_limit_and_pass_nobody_who_waits() {
    explore(|| {
        let pool = BufferPool::new(2 * CLASS);
        let held = pool.try_take(2 * CLASS).unwrap();
        let ticket = pool.enqueue(2 * CLASS);
        let taker = {
            let pool = Arc::clone(&pool);
            thread::spawn(move || {
                // Nobody passes who waits, so this is after the ticket was served and its lease came back, or it fails.
                let taken = pool.try_take(1).is_some();
                let (leased, free) = pool.usage();
                assert!(leased + free <= 2 * CLASS);
                taken
            })
        };
        drop(held);
        drop(ticket.wait(FOREVER).unwrap());
        taker.join().unwrap();
        assert_eq!(pool.usage().0, 0);
    });
}

#[test]
fn a_thread_that_waits_for_a_batch_hears_of_its_outcome() {
    explore(|| {
        let (accumulator, _queue, state) = batch();
        let io = {
            let (accumulator, state) = (Arc::clone(&accumulator), Arc::clone(&state));
            thread::spawn(move || {
                assert!(state.decide(acknowledged(7)));
                accumulator.completion.ring();
            })
        };
        assert_eq!(state.wait(FOREVER), Some(&acknowledged(7)));
        io.join().unwrap();
    });
}

#[test]
fn a_batch_that_is_watched_while_it_is_decided_is_listed() {
    explore(|| {
        let (accumulator, _queue, state) = batch();
        let io = {
            let (accumulator, state) = (Arc::clone(&accumulator), Arc::clone(&state));
            thread::spawn(move || {
                state.decide(acknowledged(7));
                accumulator.completion.ring();
            })
        };
        assert!(state.watch());
        let listed = accumulator.completion.wait_and_take().unwrap();
        assert!(Arc::ptr_eq(&listed[0], &state));
        assert!(state.outcome().is_some());
        io.join().unwrap();
    });
}

#[test]
fn of_two_outcomes_one_counts() {
    explore(|| {
        let (_accumulator, _queue, state) = batch();
        let other = {
            let state = Arc::clone(&state);
            thread::spawn(move || state.decide(acknowledged(1)))
        };
        let mine = state.decide(acknowledged(2));
        let theirs = other.join().unwrap();
        assert!(mine != theirs);
        assert_eq!(state.outcome(), Some(&acknowledged(if mine { 2 } else { 1 })));
    });
}

#[test]
fn a_loop_that_listens_is_told_of_what_it_has_not_seen() {
    explore(|| {
        let (accumulator, _queue, state) = batch();
        let io = {
            let (accumulator, state) = (Arc::clone(&accumulator), Arc::clone(&state));
            thread::spawn(move || {
                state.decide(acknowledged(7));
                accumulator.completion.ring();
            })
        };
        accumulator.completion.listen();
        let is_seen = state.outcome().is_some();
        io.join().unwrap();
        // Armed, the loop would sleep: it may only if it has nothing left to see.
        assert!(is_seen || !accumulator.completion.arm_bell());
        accumulator.completion.unlisten();
    });
}

#[test]
fn closing_ends_the_wait_and_loses_nothing_that_was_listed() {
    explore(|| {
        let (accumulator, _queue, state) = batch();
        assert!(state.watch());
        let io = {
            let (accumulator, state) = (Arc::clone(&accumulator), Arc::clone(&state));
            thread::spawn(move || {
                state.decide(acknowledged(7));
                accumulator.completion.ring();
                accumulator.completion.close();
            })
        };
        let mut found = 0;
        while let Some(batches) = accumulator.completion.wait_and_take() {
            found += batches.len();
        }
        assert_eq!(found, 1);
        io.join().unwrap();
    });
}
