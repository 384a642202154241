use barnabas_records::{BatchBuilder, HEADER_LEN, Seal};
use bytes::Bytes;

use super::*;
use crate::config::{OptionValue, Options};

const RECORDS: i64 = 10;

fn batch(key: &TopicPartition, base_offset: i64) -> FetchedBatch {
    let mut builder = BatchBuilder::new(Vec::new());
    for _ in 0..RECORDS {
        builder.append(1, None, Some(&[7; 100]), &[]).unwrap();
    }
    let seal = Seal {
        base_offset,
        ..Seal::default()
    };
    let bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
    FetchedBatch {
        topic: Arc::clone(&key.0),
        partition: key.1,
        leader_epoch: 0,
        header: barnabas_records::BatchHeader::parse(&bytes).unwrap(),
        payload: Bytes::from(bytes).slice(HEADER_LEN..),
        first_offset: base_offset,
        end_offset: base_offset + RECORDS,
    }
}

fn batch_bytes() -> usize {
    batch(&key(0), 0).payload.len()
}

fn key(partition: i32) -> TopicPartition {
    (Arc::from("t"), partition)
}

/// A buffer for so many batches altogether, of partitions whose fetches are of two batches.
fn buffer(partitions: i32, batches: usize) -> FetchBuffer {
    let mut options = Options::new();
    let number = |batches: usize| OptionValue::Int(i64::try_from(batches * batch_bytes()).unwrap());
    options.set("barnabas.fetch.buffer.bytes", number(batches));
    options.set("max.partition.fetch.bytes", number(2));
    let buffer = FetchBuffer::new(FetchConfig::from_options(&options).unwrap());
    let assigned: Vec<_> = (0..partitions)
        .map(|partition| Assigned {
            topic: Arc::from("t"),
            partition,
            offset: 0,
            leader_epoch: -1,
        })
        .collect();
    buffer.assign(&assigned);
    buffer
}

/// So many more batches of a partition come.
fn fetch(buffer: &FetchBuffer, partition: i32, count: i64) {
    let key = key(partition);
    let mut state = buffer.lock();
    let from = state.partitions[&key].fetch_offset;
    let batches = (0..count).map(|number| batch(&key, from + number * RECORDS)).collect();
    state.push(&buffer.config, &key, batches, from + count * RECORDS, 0);
}

fn limit(records: usize, batches: usize) -> Limit {
    Limit {
        records,
        bytes: batches.saturating_mul(batch_bytes()),
    }
}

fn places(batches: &[FetchedBatch]) -> Vec<(i32, i64, i64)> {
    batches
        .iter()
        .map(|batch| (batch.partition, batch.first_offset, batch.end_offset))
        .collect()
}

#[test]
fn polls_take_whole_batches_and_partitions_take_turns() {
    let buffer = buffer(3, 100);
    for partition in 0..3 {
        fetch(&buffer, partition, 3);
    }
    let mut polls = Vec::new();
    while buffer.has_data() {
        polls.push(places(&buffer.take(limit(usize::MAX, 2)).0));
    }
    let pair = |partition, from: i64| vec![(partition, from, from + 10), (partition, from + 10, from + 20)];
    assert_eq!(
        polls,
        [
            pair(0, 0),
            pair(1, 0),
            pair(2, 0),
            vec![(0, 20, 30), (1, 20, 30)],
            vec![(2, 20, 30)]
        ]
    );
    // More than one byte is a whole batch.
    fetch(&buffer, 1, 1);
    assert_eq!(
        places(
            &buffer
                .take(Limit {
                    records: usize::MAX,
                    bytes: 1
                })
                .0
        ),
        [(1, 30, 40)]
    );
}

#[test]
fn records_are_counted_where_they_are_bounded() {
    let buffer = buffer(2, 100);
    fetch(&buffer, 0, 2);
    fetch(&buffer, 1, 1);
    let take = |records| places(&buffer.take(limit(records, 1000)).0);
    assert_eq!(take(15), [(0, 0, 10), (0, 10, 15)]);
    assert_eq!(take(15), [(1, 0, 10), (0, 15, 20)]);
    assert_eq!(buffer.position(&key(0)), Some(20));
    assert_eq!(buffer.buffered_bytes(), 0);
}

/// Whoever has the most waits as long as the others, in polls.
#[test]
fn of_a_thousand_partitions_each_comes_once_in_a_round() {
    let buffer = buffer(1000, 100_000);
    for partition in 0..1000 {
        fetch(&buffer, partition, if partition == 7 { 50 } else { 2 });
    }
    for round in 0..2 {
        let mut seen: Vec<i32> = (0..500)
            .flat_map(|_| places(&buffer.take(limit(usize::MAX, 2)).0))
            .map(|(partition, ..)| partition)
            .collect();
        if round == 0 {
            // Two batches in each poll: all of a partition, or two of the one that has more.
            assert_eq!(seen.len(), 1000);
            seen.dedup();
            assert_eq!(seen, (0..500).collect::<Vec<_>>());
        } else {
            seen.dedup();
            assert_eq!(seen, (500..1000).collect::<Vec<_>>());
        }
    }
    assert_eq!(places(&buffer.take(limit(usize::MAX, 2)).0), [(7, 20, 30), (7, 30, 40)]);
}

#[test]
fn fetching_ends_while_three_quarters_of_the_buffer_wait_and_the_poll_that_ends_this_says_so() {
    let buffer = buffer(8, 8);
    let room = || buffer.lock().room(&buffer.config) / batch_bytes();
    for partition in 0..5 {
        fetch(&buffer, partition, 1);
    }
    assert_eq!(room(), 3);
    fetch(&buffer, 5, 1);
    assert_eq!(room(), 0, "a quarter is free");
    buffer.lock().lacks_room = true;
    let (_, is_to_be_fetched) = buffer.take(limit(usize::MAX, 1));
    assert!(is_to_be_fetched);
    assert_eq!(room(), 3);
    let (_, is_to_be_fetched) = buffer.take(limit(usize::MAX, 1));
    assert!(!is_to_be_fetched, "it was said already");
}

#[test]
fn a_full_partition_is_fetched_again_when_one_fetch_of_it_is_left() {
    let buffer = buffer(2, 100);
    let is_full = || buffer.lock().partitions[&key(0)].is_full;
    fetch(&buffer, 0, 3);
    assert!(!is_full());
    fetch(&buffer, 0, 1);
    assert!(is_full());
    assert!(!buffer.take(limit(usize::MAX, 1)).1);
    assert!(is_full());
    assert!(buffer.take(limit(usize::MAX, 1)).1);
    assert!(!is_full());
    fetch(&buffer, 0, 2);
    assert!(is_full());
    assert!(buffer.seek(&key(0), 0));
    assert!(!is_full());
}

#[test]
fn what_paused_partitions_keep_does_not_hold_the_others_back() {
    let buffer = buffer(8, 8);
    let room = || buffer.lock().room(&buffer.config) / batch_bytes();
    for partition in 0..4 {
        fetch(&buffer, partition, 2);
    }
    assert_eq!(room(), 0);
    let paused: Vec<_> = (0..4).map(key).collect();
    assert!(buffer.set_paused(&paused, true).is_empty());
    assert_eq!((room(), buffer.has_data()), (8, false));
    // What is on its way when a partition is paused stays with it, too.
    fetch(&buffer, 0, 1);
    fetch(&buffer, 4, 1);
    assert_eq!((room(), buffer.buffered_bytes() / batch_bytes()), (7, 10));
    assert_eq!(places(&buffer.take(limit(usize::MAX, 100)).0), [(4, 0, 10)]);
    assert!(buffer.set_paused(&paused, false).is_empty());
    assert_eq!((room(), buffer.take(limit(usize::MAX, 100)).0.len()), (0, 9));
    assert_eq!(room(), 8);
}
