//! A scan over sources that stand in for the client.
#![expect(clippy::unwrap_used, reason = "a test that fails stops")]

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::{DataType, Field, Schema};
use barnabas_client::ClientError;
use barnabas_client::fetched::FetchedBatch;
use barnabas_columnar::avro::{AvroOptions, Registry, Unresolved};
use barnabas_columnar::{BadRecords, Limits, Part, PayloadFormat, PayloadOptions, Projection};
use barnabas_records::{BatchBuilder, BatchRef, Seal};
use barnabas_scan::{BatchSource, Condition, PREFETCHED_BATCHES, Scan, ScanConfig, ScanError, Test, Waited};
use bytes::Bytes;

fn fetched(base_offset: i64, count: i64, control: bool) -> FetchedBatch {
    let mut builder = BatchBuilder::new(Vec::new());
    for offset in base_offset..base_offset + count {
        builder
            .append(0, Some(&[0, 0, 0, 1]), Some(offset.to_string().as_bytes()), &[])
            .unwrap();
    }
    let seal = Seal {
        base_offset,
        control,
        transactional: control,
        ..Seal::default()
    };
    let bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
    let batch = BatchRef::parse(&bytes).unwrap();
    FetchedBatch {
        topic: "t".into(),
        partition: 0,
        leader_epoch: 0,
        header: batch.header,
        payload: Bytes::copy_from_slice(batch.payload()),
        first_offset: base_offset,
        end_offset: i64::MAX,
    }
}

/// Gives what it was made with, then the end.
struct Prepared(std::vec::IntoIter<Result<FetchedBatch, ClientError>>);

impl BatchSource for Prepared {
    fn next_batch(&mut self) -> Result<Option<FetchedBatch>, ClientError> {
        self.0.next().transpose()
    }
}

/// Waits until its channel closes, and tells when it is asked and when it is dropped.
struct Waiting {
    asked: Sender<&'static str>,
    gate: Receiver<()>,
    next: i64,
}

impl BatchSource for Waiting {
    fn next_batch(&mut self) -> Result<Option<FetchedBatch>, ClientError> {
        self.asked.send("asked").unwrap();
        if self.gate.recv().is_err() {
            return Err(ClientError::Closed);
        }
        self.next += 1;
        Ok(Some(fetched(self.next - 1, 1, false)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = self.asked.send("dropped");
    }
}

fn offsets_projection() -> Projection {
    Projection::raw(Arc::new(Schema::new(vec![Field::new("offset", DataType::Int64, true)]))).unwrap()
}

fn config(range: Range<i64>, rows: usize) -> ScanConfig {
    ScanConfig {
        topic: "t".to_owned(),
        partition: 0,
        start: range.start,
        end: range.end,
        projection: offsets_projection(),
        limits: Limits { rows, bytes: 1 << 20 },
        conditions: Vec::new(),
        chosen: None,
    }
}

fn scan(config: ScanConfig, batches: Vec<Result<FetchedBatch, ClientError>>) -> Scan {
    Scan::start(config, move || Ok(Prepared(batches.into_iter())), || ()).unwrap()
}

fn offsets(scan: Scan) -> Vec<Vec<i64>> {
    scan.map(|batch| batch.unwrap().column(0).as_primitive::<Int64Type>().values().to_vec())
        .collect()
}

#[test]
fn the_range_and_nothing_else_in_batches_of_the_wanted_size() {
    let batches = || {
        vec![
            Ok(fetched(0, 4, false)),
            Ok(fetched(4, 4, false)),
            Ok(fetched(8, 4, false)),
        ]
    };
    assert_eq!(
        offsets(scan(config(2..10, 3), batches())),
        [vec![2, 3, 4], vec![5, 6, 7], vec![8, 9]]
    );
    assert_eq!(
        offsets(scan(config(0..12, 100), batches())),
        [(0..12).collect::<Vec<_>>()]
    );
    assert_eq!(offsets(scan(config(5..5, 100), batches())), Vec::<Vec<i64>>::new());
}

#[test]
fn rows_that_miss_a_condition_are_left_out_and_batches_are_full_all_the_same() {
    let of = |test: &str, values: Vec<i64>| {
        let values: ArrayRef = Arc::new(Int64Array::from(values));
        Condition::new(
            offsets_projection().schema(),
            "offset",
            Test::parse(test).unwrap(),
            &values,
        )
        .unwrap()
    };
    let sifted = |conditions: Vec<Condition>| {
        let batches = (0..10).map(|index| Ok(fetched(index * 3, 3, false))).collect();
        let config = ScanConfig {
            conditions,
            ..config(0..30, 4)
        };
        offsets(scan(config, batches))
    };
    let found = sifted(vec![of("in", vec![2, 3, 7, 11, 20, 29, 99]), of(">", vec![2])]);
    assert_eq!(found, [vec![3, 7, 11, 20], vec![29]]);
    assert_eq!(
        sifted(vec![of("!=", vec![0]), of("<=", vec![5])]),
        [vec![1, 2, 3, 4], vec![5]]
    );
    assert_eq!(sifted(vec![of("in", vec![])]), Vec::<Vec<i64>>::new());
    assert_eq!(sifted(vec![of("is null", vec![])]), Vec::<Vec<i64>>::new());
    assert_eq!(sifted(vec![of("is not null", vec![]), of("<", vec![2])]), [[0, 1]]);
}

#[test]
fn gaps_and_control_batches_are_no_rows_and_no_hindrance() {
    let batches = vec![
        Ok(fetched(3, 2, false)),
        Ok(fetched(5, 1, true)),
        Ok(fetched(9, 1, false)),
        Ok(fetched(10, 1, true)),
    ];
    assert_eq!(offsets(scan(config(0..11, 100), batches)), [vec![3, 4, 9]]);
    assert_eq!(
        offsets(scan(config(0..11, 100), vec![Ok(fetched(10, 1, true))])),
        Vec::<Vec<i64>>::new()
    );
    // The source knows that the rest of the range holds nothing.
    assert_eq!(
        offsets(scan(config(0..11, 100), vec![Ok(fetched(0, 1, false))])),
        [vec![0]]
    );
}

#[test]
fn it_does_not_read_beyond_the_end() {
    let batches = vec![Ok(fetched(0, 4, false)), Err(ClientError::Closed)];
    assert_eq!(offsets(scan(config(0..4, 100), batches)), [vec![0, 1, 2, 3]]);
}

#[test]
fn an_error_names_its_place_and_comes_once() {
    let mut failing = scan(
        config(0..9, 2),
        vec![Ok(fetched(0, 4, false)), Err(ClientError::Closed)],
    );
    assert_eq!(failing.next().unwrap().unwrap().num_rows(), 2);
    let error = failing.next().unwrap().unwrap_err();
    assert!(
        matches!(
            error,
            ScanError::Fetch {
                position: 4,
                end: 9,
                ..
            }
        ),
        "{error}"
    );
    assert!(failing.next().is_none());

    let refused = Scan::start(config(0..9, 2), || Err::<Prepared, _>(ClientError::Closed), || ()).unwrap();
    assert_eq!(refused.map(|batch| batch.is_err()).collect::<Vec<_>>(), [true]);
}

#[test]
fn only_chosen_records_are_decoded() {
    let batches = || {
        (0..10)
            .map(|index| Ok(fetched(index * 3, 3, false)))
            .collect::<Vec<_>>()
    };
    let chosen = |numbers: &[i64]| ScanConfig {
        chosen: Some(numbers.into()),
        ..config(2..20, 100)
    };
    assert_eq!(
        offsets(scan(chosen(&[0, 1, 2, 5, 17, 20, 99]), batches())),
        [[2, 5, 17]]
    );
    assert_eq!(offsets(scan(chosen(&[]), batches())), Vec::<Vec<i64>>::new());
    // Values are their offsets, so that none of them is an object of fields.
    let schema = Arc::new(Schema::new(vec![Field::new("f", DataType::Int64, true)]));
    let config = ScanConfig {
        projection: Projection::json(schema, &[], BadRecords::Fail).unwrap(),
        ..chosen(&[7])
    };
    let errors: Vec<String> = scan(config, batches())
        .map(|batch| batch.unwrap_err().to_string())
        .collect();
    assert!(
        errors.len() == 1 && errors[0].starts_with("t-0 at offset 7: "),
        "{errors:?}"
    );
}

#[test]
fn what_cannot_be_decoded_is_an_error() {
    let schema = Arc::new(Schema::new(vec![Field::new("f", DataType::Int64, true)]));
    let projection = Projection::json(schema, &[], BadRecords::Fail).unwrap();
    let failing = scan(
        ScanConfig {
            projection,
            ..config(0..9, 2)
        },
        vec![Ok(fetched(7, 1, false))],
    );
    let errors: Vec<String> = failing.map(|batch| batch.unwrap_err().to_string()).collect();
    assert!(
        errors.len() == 1 && errors[0].starts_with("t-0 at offset 7: "),
        "{errors:?}"
    );
}

#[test]
fn prefetch_is_bounded_and_dropping_ends_the_thread() {
    let (asked, asks) = channel();
    let (gate, opened) = channel();
    let source = Waiting {
        asked,
        gate: opened,
        next: 0,
    };
    for _ in 0..10 {
        gate.send(()).unwrap();
    }
    let gate = Mutex::new(Some(gate));
    let wake = move || drop(gate.lock().unwrap().take());
    let mut scan = Scan::start(config(0..100, 1), move || Ok(source), wake).unwrap();
    // One row fills a batch when the next row comes: the queue's batches, one that is handed over, one that grows.
    for _ in 0..PREFETCHED_BATCHES + 2 {
        assert_eq!(asks.recv_timeout(Duration::from_secs(10)).unwrap(), "asked");
    }
    assert!(
        asks.recv_timeout(Duration::from_millis(50)).is_err(),
        "it reads ahead without bound"
    );
    assert!(matches!(
        scan.next_within(Duration::from_secs(10)),
        Some(Ok(Waited::Batch(_)))
    ));
    assert_eq!(asks.recv_timeout(Duration::from_secs(10)).unwrap(), "asked");
    drop(scan);
    let last = std::iter::from_fn(|| asks.recv_timeout(Duration::from_secs(10)).ok()).last();
    assert_eq!(last, Some("dropped"));
}

/// One batch whose values name these schemas and are a zigzag varint after them; the keys name schema 99.
fn framed(base_offset: i64, rows: &[(u8, u8)]) -> FetchedBatch {
    let mut builder = BatchBuilder::new(Vec::new());
    for (schema, number) in rows {
        let value = [0, 0, 0, 0, *schema, *number];
        builder
            .append(0, Some(&[0, 0, 0, 0, 99, 8]), Some(&value), &[])
            .unwrap();
    }
    let seal = Seal {
        base_offset,
        ..Seal::default()
    };
    let bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
    let batch = BatchRef::parse(&bytes).unwrap();
    FetchedBatch {
        header: batch.header,
        payload: Bytes::copy_from_slice(batch.payload()),
        ..fetched(base_offset, 1, false)
    }
}

/// The column `a` of values or keys whose schemas `registry` has.
fn framed_config(range: Range<i64>, registry: Registry, part: Part) -> ScanConfig {
    let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true)]));
    let payload = PayloadOptions {
        part,
        ..PayloadOptions::new(PayloadFormat::Avro(AvroOptions::registry(Arc::new(registry))))
    };
    ScanConfig {
        projection: Projection::typed_with(schema, &[], payload).unwrap(),
        ..config(range, 100)
    }
}

fn record_of(number: &str) -> String {
    format!(r#"{{"type": "record", "name": "R", "fields": [{{"name": "a", "type": "{number}"}}]}}"#)
}

/// What a scan finds when `tell` answers for its schemas, with the ids that it was asked for.
fn resolved(
    mut scan: Scan,
    tell: impl Fn(u32) -> Result<String, Unresolved>,
) -> (Vec<u32>, Result<Vec<Option<i64>>, String>) {
    let (mut asked, mut rows) = (Vec::new(), Vec::new());
    loop {
        match scan.next_within(Duration::from_secs(30)).unwrap() {
            Ok(Waited::Batch(batch)) => rows.extend(batch.column(0).as_primitive::<Int64Type>()),
            Ok(Waited::Schema(id)) => {
                asked.push(id);
                scan.tell(tell(id));
            }
            Ok(Waited::End) => return (asked, Ok(rows)),
            Err(error) => return (asked, Err(error.to_string())),
        }
    }
}

fn framed_batches() -> Vec<Result<FetchedBatch, ClientError>> {
    vec![
        Ok(framed(0, &[(1, 2), (2, 4), (1, 6)])),
        Ok(framed(3, &[(2, 8), (3, 10)])),
        Ok(framed(5, &[(4, 12)])),
    ]
}

#[test]
fn schemas_are_asked_for_once_and_only_those_of_the_range() {
    let numbers = |id| match id {
        1 => Ok(record_of("int")),
        2 => Ok(record_of("long")),
        _ => Err(Unresolved::Unknown("it was deleted".to_owned())),
    };
    let config = framed_config(0..5, Registry::new(), Part::Value);
    assert_eq!(
        resolved(scan(config, framed_batches()), numbers),
        (vec![1, 2, 3], Ok(vec![Some(1), Some(2), Some(3), Some(4), None]))
    );
    let config = framed_config(2..4, Registry::new(), Part::Value);
    assert_eq!(
        resolved(scan(config, framed_batches()), numbers),
        (vec![1, 2], Ok(vec![Some(3), Some(4)]))
    );
    let keys = framed_config(0..3, Registry::new(), Part::Key);
    assert_eq!(
        resolved(scan(keys, framed_batches()), |_| Ok(record_of("long"))),
        (vec![99], Ok(vec![Some(4); 3]))
    );
}

#[test]
fn a_resolver_of_the_registry_is_asked_on_the_scans_own_thread() {
    let registry = Registry::with_resolver(|id| match id {
        1 | 2 => Ok(record_of("long")),
        _ => Err(Unresolved::Unknown("there is none".to_owned())),
    });
    let config = framed_config(0..6, registry, Part::Value);
    let never = |id| unreachable!("schema {id}");
    assert_eq!(
        resolved(scan(config, framed_batches()), never).1,
        Ok(vec![Some(1), Some(2), Some(3), Some(4), None, None])
    );
}

#[test]
fn a_schema_that_is_not_found_out_ends_the_scan() {
    let down = |_| Err(Unresolved::Failed("the registry is down".to_owned()));
    let config = framed_config(0..5, Registry::new(), Part::Value);
    let (asked, found) = resolved(scan(config.clone(), framed_batches()), down);
    assert_eq!(asked, [1]);
    assert!(found.unwrap_err().contains("the registry is down"));
    let (_, found) = resolved(scan(config.clone(), framed_batches()), |_| Ok("no schema".to_owned()));
    assert!(found.is_err());
    // Who only iterates is told what is missing.
    let errors: Vec<String> = scan(config, framed_batches())
        .map(|batch| batch.unwrap_err().to_string())
        .collect();
    assert!(errors.len() == 1 && errors[0].contains("no resolver"), "{errors:?}");
}

#[test]
fn a_scan_that_waits_for_a_schema_ends_when_it_is_dropped() {
    let (asked, asks) = channel();
    let source = Waiting {
        asked,
        gate: channel().1,
        next: 0,
    };
    let config = framed_config(0..5, Registry::new(), Part::Value);
    let mut scan = Scan::start(
        config,
        move || Ok(Framed(vec![framed(0, &[(1, 2)])].into_iter(), source)),
        || (),
    )
    .unwrap();
    assert!(matches!(
        scan.next_within(Duration::from_secs(30)),
        Some(Ok(Waited::Schema(1)))
    ));
    assert!(
        scan.next_within(Duration::from_millis(10)).is_none(),
        "it waits for the answer"
    );
    drop(scan);
    assert_eq!(asks.recv_timeout(Duration::from_secs(30)).unwrap(), "dropped");
}

/// Gives what it was made with; the other source tells when both are dropped.
struct Framed(
    std::vec::IntoIter<FetchedBatch>,
    #[expect(dead_code, reason = "for its drop")] Waiting,
);

impl BatchSource for Framed {
    fn next_batch(&mut self) -> Result<Option<FetchedBatch>, ClientError> {
        Ok(self.0.next())
    }
}
