//! Bytes that no well-behaved writer makes: each is refused with the error that says why.

#![expect(clippy::unwrap_used, reason = "a test that fails stops")]

use barnabas_records::{
    BatchBuilder, BatchHeader, BatchIter, BatchRef, Compression, ControlKey, EndTransactionMarker, HEADER_LEN,
    RecordIter, RecordsError, Seal, add_sequence, build_control_batch, compress, decompress, varint,
};

fn batch() -> Vec<u8> {
    let mut builder = BatchBuilder::new(Vec::new());
    builder
        .append(1000, Some(b"key"), Some(b"value"), &[(b"h", None)])
        .unwrap();
    builder.append(1001, None, Some(b""), &[]).unwrap();
    builder.finish(&Seal::default(), &mut Vec::new()).unwrap()
}

/// Errors of the records after `payload` replaced the real ones.
fn record_error(count: i32, payload: &[u8]) -> Option<RecordsError> {
    let header = BatchHeader {
        record_count: count,
        ..BatchHeader::parse(&batch()).unwrap()
    };
    let mut records = RecordIter::new(&header, payload);
    let error = records.by_ref().find_map(Result::err);
    assert!(records.next().is_none(), "nothing follows an error");
    error
}

/// The record at 0 is invalid because of `reason`.
fn invalid(payload: &[u8], reason: &'static str) {
    assert_eq!(
        record_error(1, payload),
        Some(RecordsError::InvalidRecord { index: 0, reason }),
        "{payload:?}"
    );
}

#[test]
fn headers_are_refused() {
    let good = batch();
    assert_eq!(
        BatchHeader::parse(&good[..60]),
        Err(RecordsError::Truncated {
            needed: HEADER_LEN,
            available: 60
        })
    );
    let parse_with = |at: usize, bytes: &[u8]| {
        let mut bad = good.clone();
        bad[at..at + bytes.len()].copy_from_slice(bytes);
        let error = BatchRef::parse(&bad)
            .and_then(|batch| batch.header.compression().map(|_| ()))
            .err();
        let iterated = BatchIter::new(&bad).next();
        (error, iterated.map(|batch| batch.is_ok()))
    };
    assert_eq!(parse_with(16, &[1]), (Some(RecordsError::UnknownMagic(1)), Some(false)));
    assert_eq!(
        parse_with(16, &[0xff]),
        (Some(RecordsError::UnknownMagic(-1)), Some(false))
    );
    let length = |length| {
        Some(RecordsError::InvalidLength {
            field: "batch length",
            length,
        })
    };
    assert_eq!(parse_with(8, &48i32.to_be_bytes()), (length(48), Some(false)));
    assert_eq!(parse_with(8, &(-1i32).to_be_bytes()), (length(-1), Some(false)));
    let too_long = RecordsError::Truncated {
        needed: i32::MAX as usize + 12,
        available: good.len(),
    };
    assert_eq!(parse_with(8, &i32::MAX.to_be_bytes()), (Some(too_long), None));
    assert_eq!(parse_with(22, &[5]), (Some(RecordsError::UnknownCodec(5)), Some(true)));
    assert_eq!(parse_with(22, &[7]), (Some(RecordsError::UnknownCodec(7)), Some(true)));
    // A message of the oldest format is shorter than a batch header.
    let mut old = vec![0u8; 26];
    old[11] = 14;
    assert_eq!(BatchIter::new(&old).next(), Some(Err(RecordsError::UnknownMagic(0))));
}

#[test]
fn a_flipped_bit_fails_the_crc() {
    let good = batch();
    for at in 21..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 4;
        let batch = BatchRef::parse(&bad).unwrap();
        assert!(
            matches!(batch.check_crc(), Err(RecordsError::CrcMismatch { .. })),
            "byte {at}"
        );
    }
}

#[test]
fn records_are_refused() {
    // length 6, attributes, timestamp, offset, null key, null value, no headers
    let minimal = [12, 0, 0, 0, 1, 1, 0];
    assert_eq!(record_error(1, &minimal), None);
    assert_eq!(
        record_error(2, &minimal),
        Some(RecordsError::CountMismatch { declared: 2, found: 1 })
    );
    assert_eq!(
        record_error(0, &minimal),
        Some(RecordsError::CountMismatch { declared: 0, found: 1 })
    );
    assert_eq!(record_error(0, &[]), None);
    assert_eq!(
        record_error(-5, &minimal),
        Some(RecordsError::InvalidLength {
            field: "record count",
            length: -5
        })
    );
}

#[test]
fn lengths_in_records_are_refused() {
    let passes_the_end = "its length is negative or passes the end of the batch";
    invalid(&[12, 0, 0, 0, 1, 1], passes_the_end);
    invalid(&[1], passes_the_end);
    invalid(&[0xfe, 0xff, 0xff, 0xff, 0x0f], passes_the_end);
    invalid(&[0x80; 9], "its length is no varint");
    invalid(&[0], "it has no attributes");
    invalid(&[2, 0], "its timestamp is no varint");
    invalid(&[4, 0, 0], "its offset is no varint");
    invalid(&[12, 0, 0, 0, 3, 1, 0], "its key has an invalid length");
    invalid(&[12, 0, 0, 0, 6, 1, 0], "its key has an invalid length");
    invalid(&[12, 0, 0, 0, 1, 6, 0], "its value has an invalid length");
    invalid(&[12, 0, 0, 0, 1, 1, 1], "its header count is negative");
    invalid(&[10, 0, 0, 0, 1, 1], "its header count is no varint");
    invalid(&[14, 0, 0, 0, 1, 1, 2, 1], "a header's key has an invalid length");
    invalid(&[14, 0, 0, 0, 1, 1, 2, 0], "a header's value has an invalid length");
    invalid(&[14, 0, 0, 0, 1, 1, 0, 0], "bytes follow its headers");
    invalid(
        &[20, 0, 0, 0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0x0f],
        "a header's key has an invalid length",
    );
}

#[test]
fn varints_are_checked() {
    let read = |mut input: &[u8]| varint::read_varint(&mut input).map(|value| (value, input.len()));
    let read_long = |mut input: &[u8]| varint::read_varlong(&mut input).map(|value| (value, input.len()));
    assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x0f, 9]), Some((i32::MIN, 1)));
    assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0x1f]), None);
    assert_eq!(read(&[0x80, 0x80, 0x80, 0x80, 0x80, 0]), None);
    assert_eq!(
        read(&[0x80, 0x80, 0]),
        Some((0, 0)),
        "longer than needed, as Kafka's reader allows"
    );
    assert_eq!(read(&[]), None);
    assert_eq!(read(&[0x80]), None);
    let longest = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    assert_eq!(read_long(&longest), Some((i64::MIN, 0)));
    assert_eq!(
        read_long(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]),
        None
    );
    assert_eq!(read_long(&[0x80; 11]), None);
    for shift in 0..64 {
        for value in [1i64 << shift, (1i64 << shift).wrapping_sub(1), -(1i64 << shift.min(62))] {
            let mut out = Vec::new();
            varint::write_varlong(&mut out, value);
            assert_eq!(out.len(), varint::varlong_len(value));
            assert_eq!(read_long(&out), Some((value, 0)));
            let Ok(value) = i32::try_from(value) else { continue };
            assert_eq!(out.len(), varint::varint_len(value));
            assert_eq!(read(&out), Some((value, 0)));
        }
    }
}

#[test]
fn builders_refuse_what_the_format_cannot_hold() {
    let mut builder = BatchBuilder::new(Vec::new());
    assert!(builder.is_empty());
    assert_eq!(
        builder.append(-2, None, None, &[]),
        Err(RecordsError::InvalidRecord {
            index: 0,
            reason: "its timestamp is negative"
        })
    );
    assert_eq!(builder.size_in_bytes(), HEADER_LEN);
    assert_eq!(
        builder.finish(&Seal::default(), &mut Vec::new()),
        Err(RecordsError::EmptyBatch)
    );
    let seal = Seal {
        compression: Compression::Gzip,
        level: Some(10),
        ..Seal::default()
    };
    let mut builder = BatchBuilder::new(Vec::new());
    builder.append(0, None, None, &[]).unwrap();
    assert_eq!(
        builder.finish(&seal, &mut Vec::new()),
        Err(RecordsError::InvalidLevel {
            codec: Compression::Gzip,
            level: 10,
            min: 1,
            max: 9
        })
    );
}

#[test]
fn sequences_wrap_past_the_largest_number() {
    assert_eq!(add_sequence(i32::MAX, 1), 0);
    assert_eq!(add_sequence(i32::MAX - 2, 5), 2);
    let header = BatchHeader {
        base_sequence: i32::MAX,
        last_offset_delta: 1,
        ..BatchHeader::parse(&batch()).unwrap()
    };
    assert_eq!(header.last_sequence(), 0);
    assert_eq!(
        BatchHeader {
            base_sequence: -1,
            ..header
        }
        .last_sequence(),
        -1
    );
    // Hostile numbers must not trap.
    let hostile = BatchHeader {
        base_offset: i64::MAX,
        last_offset_delta: i32::MAX,
        base_sequence: i32::MIN,
        ..header
    };
    let _ = (hostile.last_offset(), hostile.next_offset(), hostile.last_sequence());
}

#[test]
fn control_batches_hold_their_marker() {
    let marker = EndTransactionMarker {
        version: 0,
        coordinator_epoch: 7,
    };
    let key = ControlKey {
        version: 0,
        control_type: barnabas_records::control_type::COMMIT,
    };
    let seal = Seal {
        producer_id: 9,
        producer_epoch: 1,
        transactional: true,
        ..Seal::default()
    };
    let bytes = build_control_batch(Vec::new(), key, &marker.to_bytes(), 55, &seal).unwrap();
    let batch = BatchRef::parse(&bytes).unwrap();
    assert!(batch.header.is_control() && batch.header.is_transactional());
    let record = batch.records(batch.payload()).next().unwrap().unwrap();
    assert_eq!(ControlKey::parse(record.key.unwrap()), Ok(key));
    assert_eq!(EndTransactionMarker::parse(record.value.unwrap()), Ok(marker));
    assert_eq!(record.timestamp, 55);
    assert!(ControlKey::parse(&[0, 0, 0]).is_err());
    assert!(ControlKey::parse(&[0xff, 0xff, 0, 0]).is_err());
    assert!(EndTransactionMarker::parse(&[0, 0, 0, 0, 0]).is_err());
}

#[test]
fn control_records_of_a_later_kafka_are_read_as_what_they_are() {
    let unknown = ControlKey {
        version: 3,
        control_type: 77,
    };
    let seal = Seal {
        base_offset: 12,
        ..Seal::default()
    };
    let bytes = build_control_batch(Vec::new(), unknown, b"what it means is not known", 55, &seal).unwrap();
    let batch = BatchRef::parse(&bytes).unwrap();
    assert!(batch.header.is_control() && !batch.header.is_transactional());
    let record = batch.records(batch.payload()).next().unwrap().unwrap();
    assert_eq!((record.offset, record.timestamp), (12, 55));
    assert_eq!(record.value, Some(&b"what it means is not known"[..]));
    // A later version of the key may be longer; the type stands where it stood.
    let longer = [record.key.unwrap(), b"more"].concat();
    assert_eq!(ControlKey::parse(&longer), Ok(unknown));
}

#[test]
fn bombs_stop_at_the_limit_and_cost_no_more_memory() {
    const LIMIT: usize = 100_000;
    let zeros = vec![0u8; 64 << 20];
    for codec in Compression::ALL {
        let mut bomb = Vec::new();
        compress(codec, None, &zeros, &mut bomb).unwrap();
        let mut out = Vec::new();
        let result = decompress(codec, &bomb, &mut out, LIMIT);
        assert_eq!(
            result,
            Err(RecordsError::DecompressedTooLarge { limit: LIMIT }),
            "{codec:?}"
        );
        assert!(out.capacity() <= 4 * LIMIT, "{codec:?} reserved {}", out.capacity());
    }
}

#[test]
fn lengths_that_codecs_claim_are_not_believed() {
    const LIMIT: usize = 1 << 30;
    // A raw Snappy block of 6 bytes that claims 4 GiB - 1, and one that claims 512 MiB.
    for claim in [
        &[0xff, 0xff, 0xff, 0xff, 0x0f, 0][..],
        &[0x80, 0x80, 0x80, 0x80, 0x02, 0],
    ] {
        let mut out = Vec::new();
        assert!(decompress(Compression::Snappy, claim, &mut out, LIMIT).is_err());
        assert!(out.capacity() < 4096);
    }
    // A zstd frame with a window and a content size of terabytes.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 0];
    let mut out = Vec::new();
    assert!(decompress(Compression::Zstd, &frame, &mut out, LIMIT).is_err());
    assert!(out.capacity() < 4096);
    // A frame that claims less than it holds.
    let mut frame = Vec::new();
    compress(Compression::Zstd, None, &[7; 100], &mut frame).unwrap();
    assert_eq!(
        frame.get(4..6),
        Some(&[0x20, 100][..]),
        "one segment, its size in one byte"
    );
    if let Some(size) = frame.get_mut(5) {
        *size = 99;
    }
    let result = decompress(Compression::Zstd, &frame, &mut out, LIMIT);
    assert!(matches!(result, Err(RecordsError::Decompress { .. })), "{result:?}");
    for codec in [Compression::Gzip, Compression::Lz4, Compression::Zstd] {
        assert!(
            matches!(
                decompress(codec, &[], &mut out, LIMIT),
                Err(RecordsError::Decompress { .. })
            ),
            "{codec:?}"
        );
    }
}
