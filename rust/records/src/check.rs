//! What must hold for any bytes whatever: property tests and fuzz targets feed this one function.

use crate::{
    BatchBuilder, BatchIter, BatchRef, Compression, ControlKey, EndTransactionMarker, Header, RecordIter, RecordRef,
    Seal, decompress, murmur2, patch,
};

const LIMIT: usize = 1 << 20;

/// Feeds `data` to every decoder. It must not panic, hang or allocate beyond bounds, and what decodes must encode
/// and decode to the same records.
///
/// # Panics
/// If one of these rules is broken.
pub fn check(data: &[u8]) {
    check_batches(data);
    check_codecs(data);
    let _ = ControlKey::parse(data);
    let _ = EndTransactionMarker::parse(data);
    let _ = murmur2(data);
    check_patches(data);
}

fn check_batches(data: &[u8]) {
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
        if let Ok(payload) = batch.decompress_into(&mut scratch, LIMIT) {
            check_records(&batch, payload);
        }
    }
    assert_eq!(decoded_len + batches.rest().len(), data.len());
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

fn check_codecs(data: &[u8]) {
    let mut out = vec![7; 3];
    for codec in Compression::ALL {
        let result = decompress(codec, data, &mut out, LIMIT);
        assert!(out.len() <= 3 + LIMIT, "the limit holds");
        assert!(result.is_ok() || out.len() == 3, "a failure leaves the output alone");
        out.truncate(3);
        assert_eq!(out, [7; 3]);
    }
}

fn check_patches(data: &[u8]) {
    let mut bytes = data.to_vec();
    let patched = [
        patch::set_base_offset(&mut bytes, 1),
        patch::set_leader_epoch(&mut bytes, 2),
        patch::set_log_append_time(&mut bytes, 3),
        patch::set_producer(&mut bytes, 4, 5, 6),
    ];
    for result in patched {
        assert_eq!(result.is_ok(), data.len() >= crate::HEADER_LEN);
    }
    assert_eq!(bytes.len(), data.len());
}
