//! Batches that no producer writes as they are: with gaps, emptied, split, and read from the middle.

#![expect(clippy::unwrap_used, reason = "a test that fails stops")]

use barnabas_records::{
    BatchBuilder, BatchRef, Compression, HEADER_LEN, OutputLimit, RecordIndex, RecordsError, Seal, build_control_batch,
    compress, decompress, patch, split,
};

const LIMIT: usize = 1 << 24;
const TIME: i64 = 1_700_000_000_000;

fn batch(count: i64, seal: &Seal) -> Vec<u8> {
    let mut builder = BatchBuilder::new(Vec::new());
    for index in 0..count {
        let value = format!("value {index} {:x}", index * index * 7919);
        builder
            .append(
                TIME + index,
                Some(&index.to_be_bytes()),
                Some(value.as_bytes()),
                &[(b"h", None)],
            )
            .unwrap();
    }
    builder.finish(seal, &mut Vec::new()).unwrap()
}

type Found = (i64, i64, Option<Vec<u8>>, Option<Vec<u8>>, usize);

fn read(bytes: &[u8]) -> Vec<Found> {
    let batch = BatchRef::parse(bytes).unwrap();
    assert_eq!(batch.check_crc(), Ok(()));
    let mut scratch = Vec::new();
    let payload = batch.decompress_into(&mut scratch, LIMIT).unwrap();
    batch
        .records(payload)
        .map(|record| {
            let record = record.unwrap();
            let (key, value) = (record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec));
            (record.offset, record.timestamp, key, value, record.headers.count())
        })
        .collect()
}

#[test]
fn compaction_leaves_gaps_and_a_later_end() {
    let mut builder = BatchBuilder::new(Vec::new());
    builder.set_delete_horizon(TIME).unwrap();
    builder.append_at(3, TIME - 5, Some(b"a"), None, &[]).unwrap();
    builder
        .append_at(70_000, TIME + 1, Some(b"b"), Some(b"1"), &[])
        .unwrap();
    assert_eq!(builder.append(TIME, None, None, &[]), Ok(70_001));
    let behind = RecordsError::InvalidOffsetDelta {
        delta: 70_001,
        last: 70_001,
    };
    assert_eq!(builder.append_at(70_001, TIME, None, None, &[]), Err(behind));
    assert!(builder.set_last_offset_delta(70_000).is_err());
    builder.set_last_offset_delta(90_000).unwrap();
    assert!(
        builder.set_delete_horizon(1).is_err(),
        "records already count from another time"
    );
    let bytes = builder.finish(&Seal::default(), &mut Vec::new()).unwrap();
    let header = BatchRef::parse(&bytes).unwrap().header;
    assert_eq!(header.delete_horizon_ms(), Some(TIME));
    assert_eq!(
        (header.record_count, header.last_offset(), header.max_timestamp),
        (3, 90_000, TIME + 1)
    );
    let offsets: Vec<_> = read(&bytes).iter().map(|found| (found.0, found.1)).collect();
    assert_eq!(offsets, [(3, TIME - 5), (70_000, TIME + 1), (70_001, TIME)]);
}

#[test]
fn an_emptied_batch_keeps_offsets_and_the_last_sequence() {
    let seal = Seal {
        base_offset: 40,
        producer_id: 9,
        producer_epoch: 2,
        base_sequence: i32::MAX - 1,
        transactional: true,
        compression: Compression::Zstd,
        ..Seal::default()
    };
    let full = batch(5, &seal);
    let before = BatchRef::parse(&full).unwrap().header;
    let bytes = before.to_empty_batch();
    let empty = BatchRef::parse(&bytes).unwrap();
    assert_eq!(empty.check_crc(), Ok(()));
    assert_eq!(empty.bytes.len(), HEADER_LEN);
    assert_eq!(
        (empty.header.record_count, empty.header.compression()),
        (0, Ok(Compression::None))
    );
    assert_eq!((empty.header.base_offset, empty.header.last_offset()), (40, 44));
    assert_eq!((empty.header.last_sequence(), empty.header.producer_id), (2, 9));
    assert!(empty.header.is_transactional() && read(&bytes).is_empty());
}

#[test]
fn timestamps_move_with_their_base() {
    let mut bytes = batch(3, &Seal::default());
    patch::set_timestamps(&mut bytes, TIME + 100, TIME + 102).unwrap();
    let times: Vec<_> = read(&bytes).iter().map(|found| found.1).collect();
    assert_eq!(times, [TIME + 100, TIME + 101, TIME + 102]);
    assert_eq!(BatchRef::parse(&bytes).unwrap().header.max_timestamp, TIME + 102);
}

#[test]
fn any_record_of_a_batch_is_found_without_those_before_it() {
    for compression in [Compression::None, Compression::Lz4] {
        let seal = Seal {
            base_offset: 1000,
            compression,
            ..Seal::default()
        };
        let bytes = batch(300, &seal);
        let batch = BatchRef::parse(&bytes).unwrap();
        let mut scratch = Vec::new();
        let payload = batch.decompress_into(&mut scratch, LIMIT).unwrap();
        let index = RecordIndex::build(&batch.header, payload).unwrap();
        assert_eq!((index.len(), index.is_empty()), (300, false));
        for (position, expected) in batch.records(payload).enumerate() {
            assert_eq!(index.get(&batch.header, payload, position), Some(expected.clone()));
            assert_eq!(
                index.position_of(&batch.header, payload, expected.unwrap().offset),
                Ok(position)
            );
        }
        assert_eq!(index.get(&batch.header, payload, 300), None);
        assert_eq!(index.position_of(&batch.header, payload, 0), Ok(0));
        assert_eq!(index.position_of(&batch.header, payload, i64::MAX), Ok(300));
        let short = payload.get(..payload.len() - 1).unwrap();
        let reason = "its length is negative or passes the end of the batch";
        assert_eq!(
            RecordIndex::build(&batch.header, short),
            Err(RecordsError::InvalidRecord { index: 299, reason })
        );
        let two = RecordIndex::build(&batch.header, &[0, 0]);
        assert_eq!(
            two,
            Err(RecordsError::CountMismatch {
                declared: 300,
                found: 2
            })
        );
    }
}

#[test]
fn a_split_batch_goes_on_where_the_one_before_ended() {
    for compression in Compression::ALL {
        let seal = Seal {
            base_offset: 77,
            leader_epoch: 4,
            compression,
            producer_id: 9,
            producer_epoch: 1,
            base_sequence: i32::MAX - 100,
            transactional: true,
            ..Seal::default()
        };
        let whole = batch(2000, &seal);
        let size_max = whole.len() / 7;
        let parts = split(&BatchRef::parse(&whole).unwrap(), size_max, None, LIMIT).unwrap();
        assert!(parts.len() >= 7, "{compression:?}: {}", parts.len());
        let mut next = (77, i32::MAX - 100);
        for part in &parts {
            assert!(part.len() <= size_max, "{compression:?}: {} of {size_max}", part.len());
            let header = BatchRef::parse(part).unwrap().header;
            assert_eq!((header.base_offset, header.base_sequence), next);
            assert_eq!(
                (header.compression(), header.partition_leader_epoch),
                (Ok(compression), 4)
            );
            assert!(header.is_transactional());
            next = (
                header.next_offset(),
                barnabas_records::add_sequence(header.last_sequence(), 1),
            );
        }
        let records: Vec<_> = parts.iter().flat_map(|part| read(part)).collect();
        assert_eq!(records, read(&whole), "{compression:?}");
    }
}

#[test]
fn a_record_that_is_too_large_alone_keeps_a_batch_of_its_own() {
    let whole = batch(3, &Seal::default());
    let parts = split(&BatchRef::parse(&whole).unwrap(), 10, None, LIMIT).unwrap();
    assert_eq!(parts.len(), 3);
    let mut stamped = whole.clone();
    patch::set_log_append_time(&mut stamped, TIME + 9).unwrap();
    let parts = split(&BatchRef::parse(&stamped).unwrap(), 10, None, LIMIT).unwrap();
    assert_eq!(
        parts.iter().flat_map(|part| read(part)).collect::<Vec<_>>(),
        read(&stamped)
    );
}

#[test]
fn what_cannot_be_split_is_refused() {
    let key = barnabas_records::ControlKey {
        version: 0,
        control_type: 1,
    };
    let control = build_control_batch(Vec::new(), key, b"", TIME, &Seal::default()).unwrap();
    let reason = "control records stay in their batch";
    let refused = split(&BatchRef::parse(&control).unwrap(), 100, None, LIMIT);
    assert_eq!(refused, Err(RecordsError::NotSplittable { reason }));
    let empty = BatchRef::parse(&batch(1, &Seal::default()))
        .unwrap()
        .header
        .to_empty_batch();
    let refused = split(&BatchRef::parse(&empty).unwrap(), 100, None, LIMIT);
    assert_eq!(refused, Err(RecordsError::EmptyBatch));
}

/// A bomb ends at its ratio, long before an absolute limit; short batches of equal bytes have any ratio.
#[test]
fn output_is_bounded_by_size_and_by_ratio() {
    let zeros = vec![0; 40 << 20];
    for codec in [Compression::Gzip, Compression::Lz4, Compression::Zstd] {
        let mut bomb = Vec::new();
        compress(codec, None, &zeros, &mut bomb).unwrap();
        let mut out = Vec::new();
        let limit = OutputLimit {
            bytes: usize::MAX,
            ratio: 20,
        };
        let refused = decompress(codec, &bomb, &mut out, limit);
        assert_eq!(refused, Err(RecordsError::RatioTooLarge { ratio: 20 }), "{codec:?}");
        assert!(out.is_empty());
        let mut short = Vec::new();
        compress(codec, None, &zeros[..1 << 20], &mut short).unwrap();
        assert_eq!(decompress(codec, &short, &mut out, limit), Ok(()), "{codec:?}");
        assert_eq!(out.len(), 1 << 20);
    }
}
