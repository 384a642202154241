//! Writes batches of our encoder, with JSON of what they hold, for Kafka's own decoder to verify.
//!
//! `cargo run -p barnabas-records --example write_vectors DIR`; `tools/golden/verify` runs this and the Java side.

#![expect(clippy::unwrap_used, reason = "a tool that fails stops")]

#[path = "../tests/describe/mod.rs"]
mod describe;

use std::path::{Path, PathBuf};
use std::{env, fs};

use barnabas_records::{
    BatchBuilder, Compression, ControlKey, EndTransactionMarker, Header, Seal, build_control_batch, control_type, patch,
};

const TIME: i64 = 1_700_000_000_000;

/// Bytes that compress well, or not at all.
fn bytes(len: usize, compressible: bool) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..len)
        .map(|index| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let [low, ..] = if compressible {
                (index as u64 / 7 % 26 + 97).to_le_bytes()
            } else {
                state.to_le_bytes()
            };
            low
        })
        .collect()
}

fn varied(builder: &mut BatchBuilder) {
    let headers: [Header<'_>; 5] = [
        (b"trace", Some(b"1")),
        (b"trace", Some(b"2")),
        (b"null", None),
        (b"", Some(b"")),
        ("ключ".as_bytes(), Some("значение".as_bytes())),
    ];
    builder.append(TIME, Some(b"key"), Some(b"value"), &[]).unwrap();
    builder.append(TIME - 1000, None, Some(b"no key"), &[]).unwrap();
    builder.append(TIME + (1 << 45), Some(b""), None, &[]).unwrap();
    builder.append(0, None, None, &headers).unwrap();
    builder.append(TIME, Some(b"k"), Some(b""), &[(b"only", None)]).unwrap();
    for len in [63, 64, 127, 128, 8191, 8192, 40_000, 1_100_000] {
        builder.append(TIME + 1, None, Some(&bytes(len, true)), &[]).unwrap();
    }
    builder
        .append(TIME + 2, Some(&bytes(150_000, false)), Some(&bytes(70_000, false)), &[])
        .unwrap();
}

fn many(builder: &mut BatchBuilder) {
    for (index, timestamp) in (0..20_000u32).zip(TIME..) {
        builder
            .append(timestamp, Some(&index.to_be_bytes()), Some(b"{\"delay\":3}"), &[])
            .unwrap();
    }
}

fn one(builder: &mut BatchBuilder) {
    builder.append(-1, None, None, &[]).unwrap();
}

fn build(records: fn(&mut BatchBuilder), seal: &Seal) -> Vec<u8> {
    let mut builder = BatchBuilder::new(Vec::new());
    records(&mut builder);
    builder.finish(seal, &mut Vec::new()).unwrap()
}

fn save(dir: &Path, name: &str, batches: &[u8]) {
    let found = describe::describe_run(batches).unwrap();
    fs::write(dir.join(format!("{name}.bin")), batches).unwrap();
    fs::write(dir.join(format!("{name}.json")), found.to_string()).unwrap();
}

fn write_codecs(dir: &Path) {
    for compression in Compression::ALL {
        let (lowest, highest) = compression.levels().map_or((0, 0), |(min, _, max)| (min.max(-50), max));
        for level in [None, Some(lowest), Some(highest)] {
            if level.is_some() && highest == 0 {
                continue;
            }
            let seal = Seal {
                compression,
                level,
                base_offset: 1 << 40,
                leader_epoch: 7,
                ..Seal::default()
            };
            let name = format!(
                "{}_{}",
                compression.name(),
                level.map_or_else(String::new, |level| level.to_string())
            );
            save(dir, &format!("{name}_varied"), &build(varied, &seal));
            save(dir, &format!("{name}_many"), &build(many, &seal));
            save(dir, &format!("{name}_one"), &build(one, &seal));
        }
    }
}

fn main() {
    let dir = PathBuf::from(env::args_os().nth(1).unwrap_or_default());
    fs::create_dir_all(&dir).unwrap();
    write_codecs(&dir);
    let producer = Seal {
        producer_id: 4242,
        producer_epoch: 3,
        base_sequence: i32::MAX - 5,
        ..Seal::default()
    };
    let transactional = Seal {
        transactional: true,
        compression: Compression::Zstd,
        ..producer
    };
    save(&dir, "idempotent", &build(varied, &producer));
    save(&dir, "transactional", &build(varied, &transactional));
    let mut stamped = build(varied, &transactional);
    patch::set_log_append_time(&mut stamped, TIME + 99).unwrap();
    patch::set_producer(&mut stamped, 1, 2, 3).unwrap();
    patch::set_base_offset(&mut stamped, 55).unwrap();
    patch::set_leader_epoch(&mut stamped, 66).unwrap();
    save(&dir, "patched", &stamped);
    let marker = EndTransactionMarker {
        version: 0,
        coordinator_epoch: 12,
    }
    .to_bytes();
    let key = ControlKey {
        version: 0,
        control_type: control_type::COMMIT,
    };
    let seal = Seal {
        base_sequence: -1,
        transactional: true,
        ..producer
    };
    let control = build_control_batch(Vec::new(), key, &marker, TIME, &seal).unwrap();
    save(&dir, "control", &control);
    save(&dir, "several", &[stamped, control, build(one, &producer)].concat());
}
