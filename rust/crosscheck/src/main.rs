//! Record batches of our encoder and of the `kafka-protocol` crate's, each read by the other.
//!
//! `cargo run -p barnabas-records --example differential write SEED COUNT FILE` makes the batches; this program's one argument
//! is FILE. The crate knows format 2 only, keeps headers in a map (the last of repeated keys wins) and gives records of
//! append-time batches the producer's timestamps; that much is left out of the comparison.

use std::collections::BTreeMap;
use std::process::ExitCode;

use barnabas_records::{AnyBatch, AnyBatchIter, BatchRef, Compression, RecordRef};
use bytes::{Bytes, BytesMut};
use kafka_protocol::records::{
    Compression as TheirCompression, Record, RecordBatchDecoder, RecordBatchEncoder, RecordEncodeOptions,
};

const LIMIT: usize = 1 << 26;
const CODECS: [TheirCompression; 5] = [
    TheirCompression::None,
    TheirCompression::Gzip,
    TheirCompression::Snappy,
    TheirCompression::Lz4,
    TheirCompression::Zstd,
];

/// A record in a form that both sides have.
#[derive(Debug, PartialEq)]
struct Found {
    offset: i64,
    timestamp: Option<i64>,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    headers: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

fn ours(record: &RecordRef<'_>, is_append_time: bool) -> Found {
    Found {
        offset: record.offset,
        timestamp: (!is_append_time).then_some(record.timestamp),
        key: record.key.map(<[u8]>::to_vec),
        value: record.value.map(<[u8]>::to_vec),
        headers: record
            .headers
            .iter()
            .map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec)))
            .collect(),
    }
}

fn theirs(record: &Record, is_append_time: bool) -> Found {
    Found {
        offset: record.offset,
        timestamp: (!is_append_time).then_some(record.timestamp),
        key: record.key.as_deref().map(<[u8]>::to_vec),
        value: record.value.as_deref().map(<[u8]>::to_vec),
        headers: record
            .headers
            .iter()
            .map(|(key, value)| (key.as_bytes().to_vec(), value.as_deref().map(<[u8]>::to_vec)))
            .collect(),
    }
}

fn read(batch: &BatchRef<'_>) -> Result<Vec<Found>, String> {
    let is_append_time = batch.header.is_log_append_time();
    batch.check_crc().map_err(|error| error.to_string())?;
    let mut scratch = Vec::new();
    let payload = batch
        .decompress_into(&mut scratch, LIMIT)
        .map_err(|error| error.to_string())?;
    batch
        .records(payload)
        .map(|record| record.map(|record| ours(&record, is_append_time)))
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())
}

/// They read what we wrote, then we read what they write of it. Returns how many of their encodings were compared.
fn compare(batch: &BatchRef<'_>) -> Result<usize, String> {
    let is_append_time = batch.header.is_log_append_time();
    let expected = read(batch)?;
    let decoded = RecordBatchDecoder::decode(&mut Bytes::copy_from_slice(batch.bytes))
        .map_err(|error| format!("they refuse it: {error}"))?
        .records;
    let found: Vec<Found> = decoded.iter().map(|record| theirs(record, is_append_time)).collect();
    if found != expected {
        return Err(format!("they find {found:?}\nnot {expected:?}"));
    }
    if decoded.is_empty() {
        return Ok(0);
    }
    for (compression, codec) in CODECS.into_iter().zip(Compression::ALL) {
        let options = RecordEncodeOptions {
            version: 2,
            compression,
        };
        let mut bytes = BytesMut::new();
        RecordBatchEncoder::encode(&mut bytes, &decoded, &options).map_err(|error| error.to_string())?;
        let again = BatchRef::parse(&bytes).map_err(|error| error.to_string())?;
        if again.bytes.len() != bytes.len() || again.header.compression() != Ok(codec) {
            return Err(format!("they encode to {:?}", again.header));
        }
        let is_append_time = again.header.is_log_append_time();
        let mut expected: Vec<Found> = decoded.iter().map(|record| theirs(record, is_append_time)).collect();
        let mut found = read(&again)?;
        found.sort_by_key(|record| record.offset);
        expected.sort_by_key(|record| record.offset);
        if found != expected {
            return Err(format!("we find {found:?}\nnot {expected:?}"));
        }
    }
    Ok(CODECS.len())
}

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("crosscheck FILE");
        return ExitCode::FAILURE;
    };
    let bytes = std::fs::read(&file).expect("the file that `differential write` made");
    let mut rest = bytes.as_slice();
    let (mut batches, mut encoded, mut failed) = (0, 0, 0);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let (run, after) = after.split_at(u32::from_be_bytes(*length) as usize);
        rest = after;
        for batch in AnyBatchIter::new(run).flatten() {
            let AnyBatch::V2(batch) = batch else { continue };
            batches += 1;
            match compare(&batch) {
                Ok(count) => encoded += count,
                Err(difference) => {
                    failed += 1;
                    eprintln!("DIFFERS {:?}\n{:.3000}", batch.header, difference);
                }
            }
        }
    }
    println!("{{\"read_by_them\":{batches},\"written_by_them_read_by_us\":{encoded},\"failed\":{failed}}}");
    if failed > 0 || batches == 0 {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
