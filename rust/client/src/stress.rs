//! Eight threads that append, wait for room and watch their batches, and one that takes, decides and gives memory back, as the
//! I/O thread does. `RECORDS=` is how many each of the eight appends.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::accumulator::{Accumulator, NotAppended, PartitionQueue, RecordData};
use crate::batch::{OpenBatch, Outcome};
use crate::buffer_pool::BufferPool;
use crate::lock::lock;
use crate::waker::Waker;

const THREADS: usize = 8;
const PARTITIONS: i32 = 5;
const MEMORY: usize = 256 << 10;
const BATCH_SIZE: usize = 32 << 10;
const PATIENCE: Duration = Duration::from_secs(60);

/// Who wrote a record, and which of theirs for the partition it is.
type Written = (usize, u64);

fn encoded((thread, number): Written, length: usize) -> Vec<u8> {
    let mut value = vec![0; 9 + length];
    value[0] = u8::try_from(thread).unwrap();
    value[1..9].copy_from_slice(&number.to_be_bytes());
    value
}

fn written(batch: OpenBatch) -> Vec<Written> {
    let of = |value: &Vec<u8>| {
        let number = u64::from_be_bytes(value[1..9].try_into().unwrap());
        (usize::from(value[0]), number)
    };
    batch.values().iter().map(of).collect()
}

/// One of the eight: appends to partitions in turn; returns the numbers of the batches that it watches.
fn append(accumulator: &Arc<Accumulator>, queues: &[Arc<PartitionQueue>], thread: usize, records: u64) -> HashSet<u64> {
    let mut watched = HashSet::new();
    let mut next = vec![0_u64; queues.len()];
    for turn in 0..records {
        let at = usize::try_from(turn).unwrap() * (thread + 1) % queues.len();
        let length = usize::try_from(turn * 131 % 900).unwrap();
        let value = encoded((thread, next[at]), length);
        let record = RecordData {
            timestamp: 1,
            key: None,
            value: Some(&value),
            headers: &[],
        };
        let mut lease = None;
        let batch = loop {
            match accumulator.append(&queues[at], &record, &mut lease) {
                Ok(appended) => break appended.batch,
                Err(NotAppended::NoBuffer(size)) => {
                    lease = Some(accumulator.pool.enqueue(size).wait(PATIENCE).expect("room comes"));
                }
                Err(other) => panic!("{other:?}"),
            }
        };
        next[at] += 1;
        if turn % 64 == 0 {
            assert!(batch.watch());
            watched.insert(batch.id());
        }
        if turn % 512 == 0 {
            batch.hurry();
            assert!(batch.wait(PATIENCE).is_some());
        }
    }
    watched
}

/// The I/O thread: what came out, by partition, in order.
fn drain(accumulator: &Arc<Accumulator>, running: &AtomicUsize) -> HashMap<i32, Vec<Written>> {
    let mut found: HashMap<i32, Vec<Written>> = HashMap::new();
    let mut ready = Vec::new();
    let deadline = Instant::now() + 2 * PATIENCE;
    loop {
        assert!(Instant::now() < deadline, "the threads do not come to an end");
        let is_over = running.load(Ordering::Acquire) == 0;
        let all = is_over || accumulator.pool.has_waiters();
        accumulator.collect_ready(Instant::now(), all, &mut ready);
        let is_idle = ready.is_empty();
        for queue in ready.drain(..) {
            // What comes in the meantime is not listed again until the queue is off the list.
            while !queue.unlist_if_empty() {
                let Some(batch) = queue.take_batch() else { break };
                let (leased, free) = accumulator.pool.usage();
                assert!(leased + free <= MEMORY, "{leased} and {free} bytes");
                let state = Arc::clone(&batch.state);
                found.entry(queue.partition).or_default().extend(written(batch));
                let outcome = Outcome::Acknowledged {
                    base_offset: 0,
                    log_append_time: -1,
                };
                assert!(state.decide(outcome));
                accumulator.completed(state.id());
            }
        }
        accumulator.completion.ring();
        if is_over && is_idle {
            accumulator.completion.close();
            return found;
        }
        if is_idle {
            thread::yield_now();
        }
    }
}

#[test]
fn eight_threads_lose_double_and_reorder_nothing_and_all_memory_comes_back() {
    let records = std::env::var("RECORDS").map_or(3_000, |count| count.parse().unwrap());
    let accumulator = Accumulator::new(
        BufferPool::new(MEMORY),
        BATCH_SIZE,
        Duration::from_millis(1),
        Arc::new(Waker::new()),
    );
    let queues: Vec<_> = (0..PARTITIONS)
        .map(|partition| accumulator.new_queue("t".into(), partition))
        .collect();
    let running = AtomicUsize::new(THREADS);
    let watched = Mutex::new(HashSet::new());
    let (found, listed) = thread::scope(|scope| {
        let io = scope.spawn(|| drain(&accumulator, &running));
        let caller = scope.spawn(|| {
            let mut listed = HashSet::new();
            while let Some(batches) = accumulator.completion.wait_and_take() {
                for batch in batches {
                    assert!(batch.outcome().is_some());
                    listed.insert(batch.id());
                }
            }
            listed
        });
        let (accumulator, queues, running, watched) = (&accumulator, &queues, &running, &watched);
        for thread in 0..THREADS {
            scope.spawn(move || {
                let mine = append(accumulator, queues, thread, records);
                lock(watched).extend(mine);
                running.fetch_sub(1, Ordering::AcqRel);
            });
        }
        (io.join().unwrap(), caller.join().unwrap())
    });
    let mut next: HashMap<(i32, usize), u64> = HashMap::new();
    for (partition, written) in &found {
        for (thread, number) in written {
            let expected = next.entry((*partition, *thread)).or_default();
            assert_eq!(number, expected, "thread {thread}, partition {partition}");
            *expected += 1;
        }
    }
    assert_eq!(next.values().sum::<u64>(), records * THREADS as u64);
    let watched = watched.into_inner().unwrap();
    assert!(!watched.is_empty() && watched.is_subset(&listed));
    assert_eq!(accumulator.pool.usage().0, 0);
    assert_eq!(accumulator.incomplete_count(), 0);
}
