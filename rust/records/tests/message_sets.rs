//! Formats 0 and 1, written by a writer of these tests: what they hold is read, what breaks their rules is refused.
//! `tests/golden.rs` judges the same reader by Kafka's writer.

#![expect(clippy::unwrap_used, reason = "a test that fails stops")]

mod legacy_writer;

use barnabas_records::check::check_message_set;
use barnabas_records::{
    AnyBatch, AnyBatchIter, BatchBuilder, Compression, Message, MessageSet, RecordIter, RecordsError, Seal, compress,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::legacy_writer::{OldRecord, OldSet, write_message};

const LIMIT: usize = 1 << 24;

fn any_field() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop::option::of(prop_oneof![vec(any::<u8>(), 0..80), vec(97u8..99, 0..3000)])
}

/// Records with ascending offsets, gaps now and then.
fn any_records() -> impl Strategy<Value = Vec<OldRecord>> {
    let record = (
        any_field(),
        any_field(),
        -1..i64::MAX,
        prop_oneof![4 => Just(0), 1 => 0..100_000i64],
    );
    vec(record, 1..30).prop_map(|fields| {
        let mut next = 0;
        fields
            .into_iter()
            .map(|(key, value, timestamp, gap)| {
                let offset_delta = next + gap;
                next = offset_delta + 1;
                OldRecord {
                    offset_delta,
                    timestamp,
                    key,
                    value,
                }
            })
            .collect()
    })
}

fn any_set() -> impl Strategy<Value = OldSet> {
    let codecs = vec![
        Compression::None,
        Compression::Gzip,
        Compression::Snappy,
        Compression::Lz4,
    ];
    (
        0..2i8,
        prop::sample::select(codecs),
        0..i64::MAX / 2,
        prop::option::of(-1..i64::MAX),
    )
        .prop_map(|(magic, codec, base_offset, append_time)| OldSet {
            magic,
            codec,
            base_offset,
            append_time,
        })
}

type Found = (i64, i64, Option<Vec<u8>>, Option<Vec<u8>>);

/// What a reader of any format finds.
fn read(bytes: &[u8]) -> Result<Vec<Found>, RecordsError> {
    let mut scratch = Vec::new();
    let mut found = Vec::new();
    for batch in AnyBatchIter::new(bytes) {
        let (header, payload) = batch?.decode(&mut scratch, LIMIT)?;
        for record in RecordIter::new(&header, payload) {
            let record = record?;
            let (key, value) = (record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec));
            found.push((record.offset, record.timestamp, key, value));
        }
    }
    Ok(found)
}

proptest! {
    #[test]
    fn message_sets_hold_what_was_written(set in any_set(), records in any_records()) {
        let bytes = set.write(&records);
        let expected: Vec<Found> = records
            .iter()
            .map(|record| {
                let timestamp = match (set.magic, set.append_time) {
                    (0, _) => -1,
                    (_, Some(append_time)) => append_time,
                    _ => record.timestamp,
                };
                (set.base_offset + record.offset_delta, timestamp, record.key.clone(), record.value.clone())
            })
            .collect();
        let last_offset = expected.last().unwrap().0;
        // The rule that librdkafka made necessary: offset 0 of a wrapper says nothing.
        prop_assume!(set.codec == Compression::None || last_offset != 0);
        prop_assert_eq!(read(&bytes), Ok(expected));
        let last = AnyBatchIter::new(&bytes).flatten().last().unwrap();
        prop_assert_eq!((last.last_offset(), last.magic()), (last_offset, set.magic));
    }

    #[test]
    fn damaged_message_sets_do_no_harm(
        set in any_set(),
        records in any_records(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = set.write(&records);
        let whole = bytes.len();
        for (index, value) in damage {
            bytes[index.index(whole)] = value;
        }
        check_message_set(&bytes);
        bytes.truncate(cut.index(whole));
        check_message_set(&bytes);
        // The same damage behind a sound checksum.
        check_message_set(bytes.get(8..).unwrap_or_default());
    }

    #[test]
    fn random_messages_do_no_harm(data in vec(any::<u8>(), 0..300)) {
        check_message_set(&data);
    }
}

fn wrapper(magic: i8, codec: Compression, offset: i64, inner: &[u8]) -> Vec<u8> {
    let mut value = Vec::new();
    compress(codec, None, inner, &mut value).unwrap();
    let mut out = Vec::new();
    write_message(&mut out, magic, offset, codec.id(), 5, None, Some(&value));
    out
}

fn message(magic: i8, offset: i64, attributes: i8) -> Vec<u8> {
    let mut out = Vec::new();
    write_message(&mut out, magic, offset, attributes, 7, Some(b"k"), Some(b"v"));
    out
}

#[test]
fn wrappers_that_break_the_rules_are_refused() {
    let invalid = |reason| Err(RecordsError::InvalidMessage { reason });
    let gzip = |magic, offset, inner: &[u8]| read(&wrapper(magic, Compression::Gzip, offset, inner));
    let mut null = Vec::new();
    write_message(&mut null, 1, 3, 1, 0, None, None);
    assert_eq!(read(&null), invalid("a wrapper has no value"));
    assert_eq!(gzip(1, 3, &[]), invalid("a wrapper holds no messages"));
    assert_eq!(
        gzip(1, 3, &message(1, 4, 0)),
        invalid("a wrapper's offset is below that of its last message")
    );
    let nested = wrapper(1, Compression::Gzip, 0, &message(1, 0, 0));
    assert_eq!(gzip(1, 3, &nested), invalid("an inner message is compressed itself"));
    assert_eq!(gzip(1, 3, &message(2, 0, 0)), Err(RecordsError::UnknownMagic(2)));
    let descending = [message(0, 9, 0), message(0, 8, 0)].concat();
    assert_eq!(
        gzip(0, 9, &descending),
        invalid("offsets of a message set do not ascend, or span more than a batch can")
    );
    let far = [message(0, 0, 0), message(0, 1 << 40, 0)].concat();
    assert_eq!(
        gzip(0, 1 << 40, &far),
        invalid("offsets of a message set do not ascend, or span more than a batch can")
    );
    let mut damaged = message(1, 0, 0);
    *damaged.last_mut().unwrap() ^= 1;
    assert!(matches!(gzip(1, 3, &damaged), Err(RecordsError::CrcMismatch { .. })));
    let mut zstd = Vec::new();
    write_message(&mut zstd, 1, 3, 4, 0, None, Some(b""));
    assert_eq!(read(&zstd), invalid("Zstandard in a format older than 2"));
    let mut unknown = Vec::new();
    write_message(&mut unknown, 0, 3, 6, 0, None, Some(b""));
    assert_eq!(read(&unknown), Err(RecordsError::UnknownCodec(6)));
    let too_large = MessageSet::parse(&nested)
        .unwrap()
        .records(&mut Vec::new(), 10)
        .map(|_| ());
    assert_eq!(too_large, Err(RecordsError::DecompressedTooLarge { limit: 10 }));
}

#[test]
fn messages_that_break_the_format_are_refused() {
    let good = message(1, 3, 0);
    assert_eq!(
        Message::parse(&good[..20]),
        Err(RecordsError::Truncated {
            needed: good.len(),
            available: 20
        })
    );
    let mut short = good.clone();
    short[8..12].copy_from_slice(&13i32.to_be_bytes());
    let length = RecordsError::InvalidLength {
        field: "message length",
        length: 13,
    };
    assert_eq!(Message::parse(&short), Err(length.clone()));
    assert_eq!(AnyBatchIter::new(&short).next(), Some(Err(length)));
    let invalid = |magic: i8, body: &[u8], reason| {
        let mut bytes = vec![magic.cast_unsigned(), 0];
        bytes.extend_from_slice(body);
        let sealed = reseal(&bytes);
        assert_eq!(
            Message::parse(&sealed),
            Err(RecordsError::InvalidMessage { reason }),
            "{body:?}"
        );
    };
    invalid(1, &[0; 9], "a length of a message passes its end");
    invalid(0, &[0, 0, 0, 9, 1, 2, 3, 4], "a length of a message passes its end");
    invalid(0, &[0, 0, 0, 0, 0, 0, 0, 0, 1], "bytes follow a message's value");
}

/// A message with this body and a sound checksum.
fn reseal(body: &[u8]) -> Vec<u8> {
    let mut crc = u32::MAX;
    for byte in body {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let mut out = vec![0; 8];
    out.extend_from_slice(&i32::try_from(body.len() + 4).unwrap().to_be_bytes());
    out.extend_from_slice(&(!crc).to_be_bytes());
    out.extend_from_slice(body);
    out
}

#[test]
fn a_torn_tail_ends_the_iteration_in_every_format() {
    let mut bytes = [message(0, 1, 0), message(1, 2, 0)].concat();
    let mut builder = BatchBuilder::new(Vec::new());
    builder.append(1, None, Some(b"new"), &[]).unwrap();
    bytes.extend(builder.finish(&Seal::default(), &mut Vec::new()).unwrap());
    bytes.extend(&message(1, 4, 0)[..30]);
    let mut batches = AnyBatchIter::new(&bytes);
    let magics: Vec<i8> = batches.by_ref().map(|batch| batch.unwrap().magic()).collect();
    assert_eq!(magics, [0, 1, 2]);
    assert_eq!(batches.rest().len(), 30);
    let mut unknown = message(1, 4, 0);
    unknown[16] = 3;
    assert_eq!(AnyBatch::parse(&unknown), Err(RecordsError::UnknownMagic(3)));
    assert_eq!(AnyBatchIter::new(&unknown).count(), 1, "nothing follows an error");
}

/// Uncompressed messages are read together, but never those that differ in what one header can say.
#[test]
fn messages_go_together_as_far_as_one_header_describes_them() {
    let count = |messages: &[Vec<u8>]| AnyBatchIter::new(&messages.concat()).map(Result::unwrap).count();
    assert_eq!(count(&[message(1, 1, 0), message(1, 2, 0), message(1, 9, 0)]), 1);
    assert_eq!(count(&[message(1, 1, 0), message(0, 2, 0)]), 2);
    assert_eq!(count(&[message(1, 1, 0), message(1, 2, 8)]), 2);
    assert_eq!(count(&[message(1, 1, 8), message(1, 2, 8)]), 1);
    assert_eq!(count(&[message(1, 2, 0), message(1, 1, 0)]), 2);
    assert_eq!(count(&[message(1, 0, 0), message(1, 1 << 40, 0)]), 2);
    let mut damaged = message(1, 3, 0);
    *damaged.last_mut().unwrap() ^= 1;
    let bytes = [message(1, 1, 0), message(1, 2, 0), damaged].concat();
    let mut batches = AnyBatchIter::new(&bytes);
    assert_eq!(batches.next().unwrap().unwrap().last_offset(), 2);
    assert!(matches!(batches.next(), Some(Err(RecordsError::CrcMismatch { .. }))));
}
