use super::*;
use proptest::prelude::*;

fn accumulator(memory: usize, batch_size: usize, linger: Duration) -> (Arc<Accumulator>, Arc<PartitionQueue>) {
    let accumulator = Accumulator::new(BufferPool::new(memory), batch_size, linger, Arc::new(Waker::new()));
    let queue = accumulator.new_queue("t".into(), 0);
    (accumulator, queue)
}

fn record(value: &[u8]) -> RecordData<'_> {
    RecordData {
        timestamp: 5,
        key: None,
        value: Some(value),
        headers: &[],
    }
}

#[test]
fn an_open_batch_lingers_unless_somebody_waits_for_it() {
    let (accumulator, queue) = accumulator(1 << 20, 1 << 16, Duration::from_secs(60));
    let appended = accumulator.append(&queue, &record(b"1"), &mut None).unwrap();
    let mut ready = Vec::new();
    accumulator.collect_ready(Instant::now(), false, &mut ready);
    assert!(ready.is_empty() && queue.take_batch().is_none());
    appended.batch.hurry();
    accumulator.collect_ready(Instant::now(), false, &mut ready);
    assert_eq!(ready.len(), 1);
    assert_eq!(queue.take_batch().unwrap().values(), [b"1"]);
    assert!(queue.unlist_if_empty());
    accumulator.append(&queue, &record(b"2"), &mut None).unwrap();
    ready.clear();
    accumulator.collect_ready(Instant::now() + Duration::from_secs(61), false, &mut ready);
    assert_eq!(ready.len(), 1);
    assert_eq!(queue.take_batch().unwrap().values(), [b"2"]);
}

/// The capacity that a batch of one small record has, once the one before it was taken.
fn next_capacity(accumulator: &Arc<Accumulator>, queue: &Arc<PartitionQueue>) -> usize {
    let appended = accumulator.append(queue, &record(b"next"), &mut None).unwrap();
    appended.batch.hurry();
    queue.take_batch().unwrap().lease.capacity()
}

#[test]
fn a_batch_starts_as_large_as_the_last_one_became_while_there_is_room() {
    let (accumulator, queue) = accumulator(1 << 20, 1 << 18, Duration::from_secs(60));
    let fill = |records: usize| {
        for _ in 0..records {
            let appended = accumulator.append(&queue, &record(&[7; 1000]), &mut None).unwrap();
            appended.batch.hurry();
        }
    };
    assert_eq!(next_capacity(&accumulator, &queue), CLASS_BYTES_MIN);
    fill(40);
    assert_eq!(queue.take_batch().unwrap().lease.capacity(), 64 << 10);
    assert_eq!(next_capacity(&accumulator, &queue), 64 << 10);
    assert_eq!(next_capacity(&accumulator, &queue), CLASS_BYTES_MIN);
    // One that was closed as full says nothing about how many there would have been.
    fill(300);
    assert!(queue.take_batch().unwrap().builder.size_in_bytes() > 255_000);
    drop(queue.take_batch().unwrap());
    fill(300);
    drop(queue.take_batch().unwrap());
    let mut taken = Vec::new();
    taken.extend(accumulator.pool.try_take(1 << 18));
    taken.extend(accumulator.pool.try_take(1 << 18));
    drop(queue.take_batch().unwrap());
    // More than half of the memory is in use.
    fill(40);
    drop(queue.take_batch().unwrap());
    assert_eq!(next_capacity(&accumulator, &queue), CLASS_BYTES_MIN);
}

#[test]
fn a_batch_grows_where_it_lies_unless_a_buffer_was_used_before() {
    let (accumulator, queue) = accumulator(1 << 20, 1 << 18, Duration::from_secs(60));
    let fill = |queue: &Arc<PartitionQueue>, records: usize| {
        for _ in 0..records {
            accumulator.append(queue, &record(&[8; 1000]), &mut None).unwrap();
        }
        accumulator.pool.usage()
    };
    let sent = |queue: &Arc<PartitionQueue>| {
        let appended = accumulator.append(queue, &record(b"last"), &mut None).unwrap();
        appended.batch.hurry();
        queue.take_batch().unwrap().values()
    };
    let expected: Vec<_> = std::iter::repeat_n(vec![8; 1000], 150)
        .chain([b"last".to_vec()])
        .collect();
    assert_eq!(fill(&queue, 150), (256 << 10, 0));
    assert_eq!(sent(&queue), expected);
    assert_eq!(accumulator.pool.usage(), (0, 256 << 10));
    let queue = accumulator.new_queue("t".into(), 1);
    assert_eq!(fill(&queue, 100), (128 << 10, 256 << 10));
    assert_eq!(fill(&queue, 50), (256 << 10, 128 << 10));
    assert_eq!(sent(&queue), expected);
}

#[test]
fn a_run_ends_before_the_record_that_does_not_stay_and_tells_of_each_place() {
    let (accumulator, queue) = accumulator(1 << 20, 1 << 14, Duration::from_secs(60));
    let all: Vec<Vec<u8>> = (0_u8..40).map(|number| vec![number; 1000]).collect();
    let mut records = all.iter().map(|value| record(value));
    let first = records.next().unwrap();
    let mut places = Vec::new();
    let stays = |record: &RecordData<'_>| record.value.unwrap()[0] != 30;
    let run = accumulator.append_run(
        &queue,
        first,
        &mut records,
        stays,
        &mut None,
        usize::MAX,
        |batch, index, timestamp| places.push((batch.id(), index, timestamp)),
    );
    assert_eq!(run.next.unwrap().value.unwrap(), vec![30; 1000]);
    assert!(run.stopped.is_none() && run.bytes > 30_000);
    accumulator.hurry(
        &queue,
        &accumulator.append(&queue, &record(b"last"), &mut None).unwrap().batch,
    );
    let mut batches = Vec::new();
    while let Some(batch) = queue.take_batch() {
        batches.push((batch.state.id(), batch.values()));
    }
    let expected: Vec<_> = batches
        .iter()
        .flat_map(|(id, values)| (0_u32..).zip(values).map(|(index, _)| (*id, index, 5)))
        .collect();
    assert_eq!(places, expected[..30]);
    let found: Vec<_> = batches.into_iter().flat_map(|(_, values)| values).collect();
    assert_eq!(found[..30], all[..30]);
    assert_eq!(found[30], b"last");
}

#[test]
fn a_run_stops_at_the_first_record_without_room() {
    let (accumulator, queue) = accumulator(1 << 15, 1 << 14, Duration::from_secs(60));
    let value = [1; 1000];
    let mut records = (0..100).map(|number| RecordData {
        timestamp: number,
        ..record(&value)
    });
    let first = records.next().unwrap();
    let mut placed = 0;
    let run = accumulator.append_run(
        &queue,
        first,
        &mut records,
        |_| true,
        &mut None,
        usize::MAX,
        |_, _, _| placed += 1,
    );
    assert!(matches!(run.stopped, Some(NotAppended::NoBuffer(_))));
    assert_eq!(run.next.unwrap().timestamp, placed);
    assert_eq!(records.next().unwrap().timestamp, placed + 1);
}

#[test]
fn a_closed_queue_takes_no_records_and_gives_its_memory_back_when_aborted() {
    let (accumulator, queue) = accumulator(1 << 20, 1 << 16, Duration::from_secs(60));
    accumulator.append(&queue, &record(b"1"), &mut None).unwrap();
    queue.close(false);
    assert!(matches!(
        accumulator.append(&queue, &record(b"2"), &mut None),
        Err(NotAppended::Closed)
    ));
    assert_eq!(queue.close(true).len(), 1);
    assert_eq!(accumulator.pool.usage().0, 0);
}

proptest! {
    /// Whatever is appended and whenever batches are taken: every record comes out once and in order, no batch of several
    /// records is larger than `batch.size`, memory stays within its limit and all of it comes back.
    #[test]
    fn records_come_out_as_they_went_in(
        sizes in prop::collection::vec(0_usize..40_000, 1..120),
        takes in prop::collection::vec(any::<bool>(), 120),
        batch_size in 4_096_usize..(1 << 17),
    ) {
        let limit = 1 << 18;
        let (accumulator, queue) = accumulator(limit, batch_size, Duration::ZERO);
        let mut expected = Vec::new();
        let mut found = Vec::new();
        let take = |found: &mut Vec<Vec<u8>>| {
            let Some(batch) = queue.take_batch() else { return Ok(false) };
            let (size, count) = (batch.builder.size_in_bytes(), batch.builder.record_count());
            prop_assert!(size <= batch_size || count == 1, "{size} bytes of {count} records");
            accumulator.completed(batch.state.id());
            found.extend(batch.values());
            Ok(true)
        };
        for (number, (size, takes)) in sizes.iter().zip(&takes).enumerate() {
            let value = vec![u8::try_from(number % 251).unwrap(); *size];
            loop {
                match accumulator.append(&queue, &record(&value), &mut None) {
                    Ok(_) => break,
                    Err(NotAppended::NoBuffer(needed)) => {
                        prop_assert!(needed <= limit);
                        prop_assert!(take(&mut found)?, "no room, and nothing to take");
                    }
                    Err(other) => prop_assert!(false, "{other:?}"),
                }
            }
            expected.push(value);
            let (leased, free) = accumulator.pool.usage();
            prop_assert!(leased + free <= limit);
            if *takes {
                take(&mut found)?;
            }
        }
        while take(&mut found)? {}
        prop_assert_eq!(found, expected);
        prop_assert_eq!(accumulator.pool.usage().0, 0);
        prop_assert_eq!(accumulator.incomplete_count(), 0);
    }
}
