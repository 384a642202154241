//! What must hold for any bytes whatever: property tests and fuzz targets feed these functions. None may panic, hang or
//! allocate beyond bounds.

use crate::{
    AnyBatch, AnyBatchIter, BatchBuilder, BatchIter, BatchRef, Compression, ControlKey, EndTransactionMarker, Header,
    LOG_OVERHEAD, OutputLimit, RecordIndex, RecordIter, RecordRef, RecordsError, Seal, compress, compress_over, crc,
    decompress, decompress_over, murmur2, patch, split,
};

const LIMIT: usize = 1 << 20;

/// Feeds `data` to every decoder. What decodes must encode and decode to the same records.
///
/// # Panics
/// If a rule is broken.
pub fn check(data: &[u8]) {
    check_batches(data);
    check_message_set(data);
    for codec in Compression::ALL {
        check_codec(codec, data);
    }
    let _ = ControlKey::parse(data);
    let _ = EndTransactionMarker::parse(data);
    let _ = murmur2(data);
    check_patches(data);
}

/// `data` as a run of batches of format 2.
///
/// # Panics
/// If a rule is broken.
pub fn check_batches(data: &[u8]) {
    let mut scratch = Vec::new();
    let mut batches = BatchIter::new(data);
    let mut decoded_len = 0;
    for batch in batches.by_ref().flatten() {
        decoded_len += batch.bytes.len();
        assert_eq!(batch.bytes.len(), batch.header.size_in_bytes());
        let _ = batch.check_crc();
        let mut header = [0; crate::HEADER_LEN];
        batch.header.write(&mut header);
        assert!(batch.bytes.starts_with(&header), "a header re-encodes to its bytes");
        let empty = batch.header.to_empty_batch();
        assert_eq!(BatchRef::parse(&empty).map(|batch| batch.check_crc()), Ok(Ok(())));
        if let Ok(payload) = batch.decompress_into(&mut scratch, LIMIT) {
            check_index(&batch, payload);
            check_records(&batch, payload);
        }
    }
    assert_eq!(decoded_len + batches.rest().len(), data.len());
}

/// `data` as a run of batches of any format, and as messages and inner messages of formats 0 and 1 behind sound checksums.
///
/// # Panics
/// If a rule is broken.
pub fn check_message_set(data: &[u8]) {
    check_any(data);
    let body = data.get(8..).unwrap_or_default();
    let offset = data.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes));
    let mut message = forge(offset, body);
    check_any(&message);
    // The same bytes as an inner message.
    for codec in [Compression::Gzip, Compression::Snappy, Compression::Lz4] {
        let mut wrapper = vec![1, codec.id().cast_unsigned()];
        wrapper.extend_from_slice(&[0; 8]);
        wrapper.extend_from_slice(&(-1i32).to_be_bytes());
        let mut value = Vec::new();
        if compress(codec, None, &message, &mut value).is_err() {
            continue;
        }
        wrapper.extend_from_slice(&i32::try_from(value.len()).unwrap_or(-1).to_be_bytes());
        wrapper.append(&mut value);
        check_any(&forge(offset.saturating_add(1), &wrapper));
    }
    message.extend_from_slice(data);
    check_any(&message);
}

/// A message around `body`, which begins with its magic.
fn forge(offset: i64, body: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(body.len() + LOG_OVERHEAD + 4);
    message.extend_from_slice(&offset.to_be_bytes());
    message.extend_from_slice(&i32::try_from(body.len() + 4).unwrap_or(-1).to_be_bytes());
    message.extend_from_slice(&crc::crc32(body).to_be_bytes());
    message.extend_from_slice(body);
    message
}

fn check_any(data: &[u8]) {
    let (mut scratch, mut inner) = (Vec::new(), Vec::new());
    let mut batches = AnyBatchIter::new(data);
    let mut decoded_len = 0;
    for batch in batches.by_ref().flatten() {
        decoded_len += batch.bytes().len();
        let _ = batch.check_crc();
        let Ok((header, payload)) = batch.decode(&mut scratch, LIMIT) else {
            continue;
        };
        let AnyBatch::Legacy(set) = batch else { continue };
        assert_eq!(header.magic, set.magic());
        let records = RecordIter::new(&header, payload);
        let mut messages = set.records(&mut inner, LIMIT).into_iter().flatten();
        let mut count = 0;
        for record in records {
            assert_eq!(Some(record.clone()), messages.next(), "the forms hold the same");
            let Ok(record) = record else {
                unreachable!("just encoded")
            };
            assert!((header.base_offset..=header.last_offset()).contains(&record.offset));
            count += 1;
        }
        assert_eq!((messages.next(), count), (None, header.record_count));
    }
    assert_eq!(decoded_len + batches.rest().len(), data.len());
}

/// Random access finds what iterating finds.
fn check_index(batch: &BatchRef<'_>, payload: &[u8]) {
    let Ok(index) = RecordIndex::build(&batch.header, payload) else {
        assert!(batch.records(payload).any(|record| record.is_err()));
        return;
    };
    for (position, record) in batch.records(payload).enumerate() {
        let is_bad = record.is_err();
        assert_eq!(index.get(&batch.header, payload, position), Some(record));
        if is_bad {
            return;
        }
    }
    assert_eq!(i32::try_from(index.len()), Ok(batch.header.record_count));
    assert!(index.get(&batch.header, payload, index.len()).is_none());
    let _ = index.position_of(&batch.header, payload, batch.header.base_offset);
}

/// Records that decode re-encode to records that are equal.
fn check_records(batch: &BatchRef<'_>, payload: &[u8]) {
    let mut builder = BatchBuilder::new(Vec::new());
    let mut expected: Vec<RecordRef<'_>> = Vec::new();
    for record in RecordIter::new(&batch.header, payload) {
        let Ok(record) = record else { return };
        let headers: Vec<Header<'_>> = record.headers.iter().collect();
        assert_eq!(headers.len(), record.headers.count(), "checked headers decode");
        let before = builder.size_in_bytes();
        let size = builder.record_size(record.timestamp, record.key, record.value, &headers);
        match builder.append(record.timestamp, record.key, record.value, &headers) {
            Ok(_) => assert_eq!(builder.size_in_bytes(), before + size),
            // Hostile timestamps can be negative.
            Err(_) => return,
        }
        expected.push(record);
    }
    check_split(batch, &expected);
    let Ok(encoded) = builder.finish(&Seal::default(), &mut Vec::new()) else {
        return;
    };
    let Ok(batch) = BatchRef::parse(&encoded) else {
        unreachable!("an encoded batch parses")
    };
    assert_eq!(batch.check_crc(), Ok(()));
    let mut count = 0i64;
    for (record, expected) in batch.records(batch.payload()).zip(&expected) {
        assert_eq!(
            record,
            Ok(RecordRef {
                offset: count,
                headers: expected.headers,
                ..*expected
            })
        );
        count += 1;
    }
    assert_eq!(usize::try_from(count), Ok(expected.len()));
}

/// The parts of a split batch hold its records, each in as much space as it may take.
fn check_split(batch: &BatchRef<'_>, expected: &[RecordRef<'_>]) {
    let size_max = batch.bytes.len() / 2;
    let Ok(parts) = split(batch, size_max, None, LIMIT) else {
        return;
    };
    let mut scratch = Vec::new();
    let mut found = 0;
    for part in &parts {
        let Ok(part) = BatchRef::parse(part) else {
            unreachable!("an encoded batch parses")
        };
        assert_eq!(part.check_crc(), Ok(()));
        assert!(part.bytes.len() <= size_max || part.header.record_count == 1);
        let payload = part.decompress_into(&mut scratch, LIMIT).unwrap_or_default();
        for record in part.records(payload) {
            assert_eq!(record.as_ref().ok(), expected.get(found));
            found += 1;
        }
    }
    assert_eq!(found, expected.len());
}

/// `data` as something that `codec` made, and as something that it shall make smaller.
///
/// # Panics
/// If a rule is broken.
pub fn check_codec(codec: Compression, data: &[u8]) {
    let mut out = vec![7; 3];
    let result = decompress(codec, data, &mut out, LIMIT);
    assert!(out.len() <= 3 + LIMIT, "the limit holds");
    assert!(result.is_ok() || out.len() == 3, "a failure leaves the output alone");
    // Space that was used before makes no difference.
    let mut over = vec![9; 1000];
    let again = decompress_over(codec, data, &mut over, LIMIT);
    match (&again, &result) {
        // libzstd keeps literals in what is left of the output behind them, or else elsewhere, and reads them by other code:
        // what is broken has another name then.
        (Err(again), Err(first)) if codec == Compression::Zstd => assert_eq!(
            std::mem::discriminant(again),
            std::mem::discriminant(first),
            "both ways find data broken, or too large: {again}, {first}"
        ),
        (Err(again), Err(first)) => assert_eq!(again, first, "both ways find the same error"),
        _ => {}
    }
    assert_eq!(
        again.ok().map(|size| over.get(..size)),
        result.ok().map(|()| out.get(3..)),
        "both ways find the same"
    );
    let found = out.split_off(3);
    assert_eq!(out, [7; 3]);
    let ratio = OutputLimit {
        bytes: found.len().saturating_sub(1),
        ratio: 1,
    };
    if !found.is_empty() {
        let refused = decompress_over(codec, data, &mut over, ratio);
        assert!(
            matches!(refused, Err(RecordsError::DecompressedTooLarge { .. })),
            "{refused:?}"
        );
    }
    check_compressor(codec, data);
}

fn check_compressor(codec: Compression, data: &[u8]) {
    let levels = codec.levels().map_or([None; 2], |(min, _, max)| {
        let [byte, ..] = (data.len() as u64).to_le_bytes();
        [None, Some(i32::from(byte).clamp(min, max.min(12)))]
    });
    for level in levels {
        let mut compressed = vec![7; 3];
        assert_eq!(compress(codec, level, data, &mut compressed), Ok(()));
        let mut over = vec![9; 100];
        let size = compress_over(codec, level, data, &mut over);
        assert_eq!(size.map(|size| over.get(..size)), Ok(compressed.get(3..)));
        let mut back = Vec::new();
        let compressed = compressed.get(3..).unwrap_or_default();
        assert_eq!(decompress(codec, compressed, &mut back, data.len()), Ok(()));
        assert_eq!(back, data);
    }
}

fn check_patches(data: &[u8]) {
    let mut bytes = data.to_vec();
    let patched = [
        patch::set_base_offset(&mut bytes, 1),
        patch::set_leader_epoch(&mut bytes, 2),
        patch::set_log_append_time(&mut bytes, 3),
        patch::set_producer(&mut bytes, 4, 5, 6),
        patch::set_timestamps(&mut bytes, 7, 8),
    ];
    for result in patched {
        assert_eq!(result.is_ok(), data.len() >= crate::HEADER_LEN);
    }
    assert_eq!(bytes.len(), data.len());
}
