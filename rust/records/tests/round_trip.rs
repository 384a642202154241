//! What this crate writes it reads back, whatever the records; what it did not write it refuses without harm.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]

use barnabas_records::{
    BatchBuilder, BatchIter, BatchRef, Compression, Header, RecordIter, RecordsError, Seal, check::check, compress,
    crc32c, decompress, patch,
};
use proptest::collection::vec;
use proptest::prelude::*;

type OwnedHeader = (Vec<u8>, Option<Vec<u8>>);

#[derive(Clone, Debug, PartialEq)]
struct OwnedRecord {
    timestamp: i64,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: Vec<OwnedHeader>,
}

fn bytes(len_max: usize) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..len_max), vec(97u8..100, 0..len_max)]
}

fn any_record() -> impl Strategy<Value = OwnedRecord> {
    (
        prop_oneof![Just(-1i64), 0..=i64::MAX, 1_700_000_000_000..1_700_000_100_000i64],
        prop::option::of(bytes(200)),
        prop::option::of(bytes(400)),
        vec((bytes(12), prop::option::of(bytes(80))), 0..4),
    )
        .prop_map(|(timestamp, key, value, headers)| OwnedRecord {
            timestamp,
            key,
            value,
            headers,
        })
}

fn any_seal() -> impl Strategy<Value = Seal> {
    (
        0..5usize,
        any::<i64>(),
        any::<i32>(),
        any::<i64>(),
        any::<i16>(),
        any::<i32>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(codec, base_offset, leader_epoch, producer_id, producer_epoch, base_sequence, transactional, control)| {
                Seal {
                    base_offset,
                    leader_epoch,
                    compression: Compression::ALL[codec],
                    level: None,
                    producer_id,
                    producer_epoch,
                    base_sequence,
                    transactional,
                    control,
                }
            },
        )
}

fn borrowed(headers: &[OwnedHeader]) -> Vec<Header<'_>> {
    headers
        .iter()
        .map(|(key, value)| (key.as_slice(), value.as_deref()))
        .collect()
}

fn build(records: &[OwnedRecord], seal: &Seal) -> Vec<u8> {
    let mut builder = BatchBuilder::new(vec![1, 2, 3]);
    for (index, record) in records.iter().enumerate() {
        let headers = borrowed(&record.headers);
        let (key, value) = (record.key.as_deref(), record.value.as_deref());
        let promised = builder.size_in_bytes() + builder.record_size(record.timestamp, key, value, &headers);
        assert_eq!(
            builder.try_append(promised - 1, record.timestamp, key, value, &headers),
            Ok(None)
        );
        let delta = builder
            .try_append(promised, record.timestamp, key, value, &headers)
            .unwrap();
        assert_eq!(delta, Some(i32::try_from(index).unwrap()));
        assert_eq!(builder.size_in_bytes(), promised);
    }
    builder.finish(seal, &mut vec![9]).unwrap()
}

fn read(batch: &BatchRef<'_>) -> Vec<(i64, OwnedRecord)> {
    let mut scratch = Vec::new();
    let payload = batch.decompress_into(&mut scratch, 1 << 24).unwrap();
    RecordIter::new(&batch.header, payload)
        .map(|record| {
            let record = record.unwrap();
            let headers = record
                .headers
                .iter()
                .map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec)))
                .collect();
            let owned = OwnedRecord {
                timestamp: record.timestamp,
                key: record.key.map(<[u8]>::to_vec),
                value: record.value.map(<[u8]>::to_vec),
                headers,
            };
            (record.offset, owned)
        })
        .collect()
}

#[test]
fn keys_values_and_headers_of_every_short_length_read_back() {
    let bytes = |len: u8| (0..len).collect::<Vec<u8>>();
    let records: Vec<_> = (0..=70_u8)
        .map(|len| OwnedRecord {
            timestamp: i64::from(len),
            key: Some(bytes(len)),
            value: Some(bytes(70 - len)),
            headers: vec![(bytes(len), Some(bytes(len / 2))), (bytes(1), None)],
        })
        .collect();
    let built = build(&records, &Seal::default());
    let expected: Vec<_> = (0_i64..).zip(records).collect();
    assert_eq!(read(&BatchRef::parse(&built).unwrap()), expected);
}

proptest! {
    #[test]
    fn batches_read_back_as_they_were_written(records in vec(any_record(), 1..40), seal in any_seal()) {
        let bytes = build(&records, &seal);
        let batch = BatchRef::parse(&bytes).unwrap();
        prop_assert_eq!(batch.bytes.len(), bytes.len());
        prop_assert_eq!(batch.check_crc(), Ok(()));
        let header = batch.header;
        let sealed = Seal {
            base_offset: header.base_offset,
            leader_epoch: header.partition_leader_epoch,
            compression: header.compression().unwrap(),
            level: None,
            producer_id: header.producer_id,
            producer_epoch: header.producer_epoch,
            base_sequence: header.base_sequence,
            transactional: header.is_transactional(),
            control: header.is_control(),
        };
        prop_assert_eq!(sealed, seal);
        prop_assert_eq!(header.max_timestamp, records.iter().map(|record| record.timestamp).max().unwrap());
        prop_assert_eq!(header.record_count, header.last_offset_delta + 1);
        let expected: Vec<_> = records.into_iter().enumerate()
            .map(|(index, record)| (seal.base_offset.wrapping_add(index.try_into().unwrap()), record)).collect();
        prop_assert_eq!(read(&batch), expected);
    }

    #[test]
    fn patches_change_what_they_name_and_keep_the_rest(records in vec(any_record(), 1..5), seal in any_seal()) {
        let before = build(&records, &seal);
        let mut bytes = before.clone();
        patch::set_base_offset(&mut bytes, 77).unwrap();
        patch::set_leader_epoch(&mut bytes, 12).unwrap();
        prop_assert_eq!(BatchRef::parse(&bytes).unwrap().check_crc(), Ok(()));
        patch::set_producer(&mut bytes, 5, 6, 7).unwrap();
        let same = build(&records, &Seal {
            base_offset: 77, leader_epoch: 12, producer_id: 5, producer_epoch: 6, base_sequence: 7, ..seal
        });
        prop_assert_eq!(&bytes, &same);
        patch::set_log_append_time(&mut bytes, 99).unwrap();
        let batch = BatchRef::parse(&bytes).unwrap();
        prop_assert_eq!(batch.check_crc(), Ok(()));
        prop_assert!(batch.header.is_log_append_time());
        prop_assert!(read(&batch).iter().all(|(_, record)| record.timestamp == 99));
    }

    #[test]
    fn codecs_read_back_and_hold_their_limit(
        codec in prop::sample::select(Compression::ALL.to_vec()),
        level in prop::option::of(1..9i32),
        input in prop_oneof![vec(any::<u8>(), 0..300_000), vec(97u8..99, 0..300_000)],
        before in bytes(10),
    ) {
        let level = if codec.levels().is_some() { level } else { None };
        let mut compressed = before.clone();
        compress(codec, level, &input, &mut compressed).unwrap();
        prop_assert!(compressed.starts_with(&before));
        let compressed = &compressed[before.len()..];
        let mut out = before.clone();
        decompress(codec, compressed, &mut out, input.len()).unwrap();
        prop_assert!(out.starts_with(&before));
        prop_assert_eq!(&out[before.len()..], &input);
        if let Some(limit) = input.len().checked_sub(1) {
            out.truncate(before.len());
            prop_assert_eq!(
                decompress(codec, compressed, &mut out, limit),
                Err(RecordsError::DecompressedTooLarge { limit })
            );
            prop_assert_eq!(out, before);
        }
    }

    #[test]
    fn random_bytes_do_no_harm(data in vec(any::<u8>(), 0..400)) {
        check(&data);
    }

    #[test]
    fn damaged_batches_do_no_harm(
        records in vec(any_record(), 1..6),
        seal in any_seal(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        cuts in any::<bool>(),
    ) {
        let mut bytes = build(&records, &seal);
        let mut twice = bytes.clone();
        twice.append(&mut bytes);
        for (index, value) in damage {
            let at = index.index(twice.len());
            twice[at] = value;
        }
        if cuts {
            twice.truncate(cut.index(twice.len()));
        }
        check(&twice);
        // The same damage behind the codec's own checks.
        check(twice.get(61..).unwrap_or_default());
    }

    #[test]
    fn a_torn_tail_ends_the_iteration(records in vec(any_record(), 1..6), cut in any::<prop::sample::Index>()) {
        let one = build(&records, &Seal::default());
        let mut bytes = one.clone();
        bytes.extend_from_slice(&one[..cut.index(one.len())]);
        let mut batches = BatchIter::new(&bytes);
        prop_assert_eq!(batches.next().unwrap().unwrap().bytes, &one[..]);
        prop_assert!(batches.next().is_none());
        prop_assert_eq!(batches.rest(), &bytes[one.len()..]);
    }

    #[test]
    fn crc_equals_the_bitwise_definition(data in vec(any::<u8>(), 0..3000)) {
        let mut crc = u32::MAX;
        for byte in &data {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
            }
        }
        prop_assert_eq!(crc32c(&data), !crc);
    }
}
