//! The two encoders and decoders against each other, by seeds: ours and Kafka's (`tools/golden/RecordVectors.java`).
//!
//! `differential write SEED COUNT FILE` writes random runs of batches of all formats and codecs, and what they hold, for
//! Kafka's decoder and encoder to check. `differential check FILE` reads what Kafka's encoder wrote, compares it with what
//! Kafka's decoder found, and encodes uncompressed batches again to the same bytes.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a tool that fails stops")]

#[path = "../tests/describe/mod.rs"]
mod describe;
#[path = "../tests/encode_again/mod.rs"]
mod encode_again;
#[path = "../tests/legacy_writer/mod.rs"]
mod legacy_writer;

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::process::ExitCode;
use std::{env, io};

use barnabas_records::{
    AnyBatch, AnyBatchIter, BatchBuilder, BatchRef, Compression, ControlKey, Header, MessageSet, Seal, patch,
};
use serde_json::{Value, json};

use crate::describe::describe_run;
use crate::encode_again::{encode_again, is_complete};
use crate::legacy_writer::{OldRecord, OldSet, write_message};

const TIME: i64 = 1_700_000_000_000;

/// A seeded generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 8) % bound
    }

    fn int(&mut self, bound: u32) -> i32 {
        i32::try_from(self.below(bound.into())).unwrap()
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    fn timestamp(&mut self) -> i64 {
        match self.below(8) {
            0 => -1,
            1 => {
                let shift = self.below(62) + 1;
                (self.next() >> shift).cast_signed()
            }
            _ => TIME + i64::from(self.int(100_000)) - 50_000,
        }
    }

    fn bytes(&mut self, size_max: u64) -> Option<Vec<u8>> {
        let kind = self.below(8);
        let size = match kind {
            0 => return None,
            1 => 0,
            2 if self.one_in(15) => self.below(150_000),
            _ => self.below(size_max),
        };
        let noisy = kind == 3;
        let from_noise = |random: &mut Self| random.next().to_le_bytes()[0];
        Some(
            (0..size)
                .map(|index| {
                    if noisy {
                        from_noise(self)
                    } else {
                        b'a' + u8::try_from((index / 7 + index % 11) % 26).unwrap()
                    }
                })
                .collect(),
        )
    }

    fn count(&mut self) -> u64 {
        let bound = if self.one_in(6) { 300 } else { 12 };
        1 + self.below(bound)
    }
}

fn level(random: &mut Random, codec: Compression) -> Option<i32> {
    if !random.one_in(3) {
        return None;
    }
    match codec {
        Compression::None | Compression::Snappy => None,
        Compression::Gzip => Some(1 + random.int(9)),
        Compression::Lz4 => Some(1 + random.int(17)),
        // The highest levels take hundreds of megabytes.
        Compression::Zstd => Some(random.int(26) - 7),
    }
}

fn random_seal(random: &mut Random, base_offset: i64) -> (Seal, bool) {
    let mut seal = Seal {
        base_offset,
        compression: Compression::ALL[usize::try_from(random.below(5)).unwrap()],
        ..Seal::default()
    };
    if random.one_in(2) {
        seal.leader_epoch = random.int(1 << 30);
    }
    if random.one_in(3) {
        seal.producer_id = (random.next() >> 1).cast_signed();
        seal.producer_epoch = i16::try_from(random.int(32_000)).unwrap();
        seal.base_sequence = if random.one_in(2) {
            i32::MAX - random.int(3)
        } else {
            random.int(1000)
        };
        seal.transactional = random.one_in(2);
        seal.control = random.one_in(3);
    }
    if seal.control {
        seal.compression = Compression::None;
        if seal.transactional {
            seal.base_sequence = -1;
        }
    }
    seal.level = level(random, seal.compression);
    let gaps = random.one_in(4);
    (seal, gaps)
}

fn random_batch(random: &mut Random, base_offset: i64) -> (Vec<u8>, Option<i32>) {
    let (seal, gaps) = random_seal(random, base_offset);
    let mut builder = BatchBuilder::new(Vec::new());
    if random.one_in(10) {
        builder
            .set_delete_horizon(TIME + i64::from(random.int(1 << 30)))
            .unwrap();
    }
    let mut delta = 0;
    for _ in 0..random.count() {
        if gaps {
            let shift = random.below(18);
            delta += random.int(1 << shift);
        }
        let timestamp = random.timestamp();
        if seal.control {
            let key = ControlKey {
                version: i16::try_from(random.int(2)).unwrap(),
                control_type: i16::try_from(random.int(12)).unwrap() - 1,
            };
            let value = random.bytes(20).unwrap_or_default();
            builder
                .append_at(delta, timestamp, Some(&key.to_bytes()), Some(&value), &[])
                .unwrap();
        } else {
            let owned: Vec<(Vec<u8>, Option<Vec<u8>>)> = (0..if random.one_in(4) { random.below(5) } else { 0 })
                .map(|_| (vec![b'h'; usize::try_from(random.below(3)).unwrap()], random.bytes(40)))
                .collect();
            let headers: Vec<Header<'_>> = owned.iter().map(|(key, value)| (&key[..], value.as_deref())).collect();
            let (key, value) = (random.bytes(100), random.bytes(600));
            builder
                .append_at(delta, timestamp, key.as_deref(), value.as_deref(), &headers)
                .unwrap();
        }
        delta += 1;
    }
    if random.one_in(8) {
        builder.set_last_offset_delta(delta + random.int(1000)).unwrap();
    }
    let mut bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
    let header = BatchRef::parse(&bytes).unwrap().header;
    match random.below(8) {
        0 => bytes = header.to_empty_batch().to_vec(),
        // Kafka stamps no batch with a delete horizon.
        1 if header.delete_horizon_ms().is_none() => {
            patch::set_log_append_time(&mut bytes, random.timestamp()).unwrap();
        }
        _ => {}
    }
    (bytes, seal.level)
}

fn random_old_set(random: &mut Random, base_offset: i64) -> Vec<u8> {
    let set = OldSet {
        magic: i8::try_from(random.int(2)).unwrap(),
        codec: Compression::ALL[usize::try_from(random.below(4)).unwrap()],
        base_offset,
        append_time: random.one_in(3).then(|| random.timestamp()),
    };
    let gaps = random.one_in(4);
    let mut offset_delta = 0;
    let records: Vec<OldRecord> = (0..random.count())
        .map(|_| {
            offset_delta += 1 + if gaps { i64::from(random.int(1 << 16)) } else { 0 };
            OldRecord {
                offset_delta: offset_delta - 1,
                timestamp: random.timestamp(),
                key: random.bytes(100),
                value: random.bytes(600),
            }
        })
        .collect();
    set.write(&records)
}

fn write(seed: u64, count: u64, file: &str) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    let mut lines = BufWriter::new(File::create(format!("{file}.jsonl"))?);
    for index in 0..count {
        let mut random = Random((seed * 1_000_003 + index).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.next();
        }
        let mut run = Vec::new();
        let mut levels = Vec::new();
        let mut offset = if random.one_in(4) {
            0
        } else {
            let shift = 20 + random.below(40);
            (random.next() >> shift).cast_signed()
        };
        for _ in 0..=random.below(3) {
            if random.one_in(3) {
                let set = random_old_set(&mut random, offset);
                let described = describe_run(&set).map_err(io::Error::other)?;
                levels.resize(levels.len() + described["batches"].as_array().map_or(0, Vec::len), None);
                run.extend_from_slice(&set);
            } else {
                let (batch, level) = random_batch(&mut random, offset);
                levels.push(level);
                run.extend_from_slice(&batch);
            }
            offset = AnyBatchIter::new(&run).flatten().last().unwrap().last_offset() + 1;
        }
        out.write_all(&u32::try_from(run.len()).unwrap().to_be_bytes())?;
        out.write_all(&run)?;
        let holds = describe_run(&run).map_err(|error| io::Error::other(format!("run {index}: {error}")))?;
        writeln!(lines, "{}", json!({"holds": holds, "levels": levels}))?;
    }
    Ok(())
}

/// What the runs held, and what was encoded again.
#[derive(Default)]
struct Tally {
    runs: u64,
    failed: u64,
    v2: u64,
    legacy: u64,
    encoded_again: u64,
}

fn check(file: &str) -> io::Result<Tally> {
    let mut input = BufReader::new(File::open(file)?);
    let mut tally = Tally::default();
    for line in BufReader::new(File::open(format!("{file}.jsonl"))?).lines() {
        let mut length = [0; 4];
        input.read_exact(&mut length)?;
        let mut run = vec![0; u32::from_be_bytes(length) as usize];
        input.read_exact(&mut run)?;
        let expected: Value = serde_json::from_str(&line?)?;
        let outcome = match describe_run(&run) {
            Ok(found) if found == expected => again(&run, &mut tally),
            Ok(found) => Err(format!("holds {found}\nnot   {expected}")),
            Err(error) => Err(error),
        };
        if let Err(difference) = outcome {
            tally.failed += 1;
            let shown: String = difference.chars().take(4000).collect();
            writeln!(io::stderr(), "DIFFERS run {}: {shown}", tally.runs)?;
        }
        tally.runs += 1;
    }
    Ok(tally)
}

/// Encodes what is not compressed again, to the same bytes.
fn again(run: &[u8], tally: &mut Tally) -> Result<(), String> {
    for batch in AnyBatchIter::new(run) {
        let encoded = match batch.map_err(|error| error.to_string())? {
            AnyBatch::V2(batch) => {
                tally.v2 += 1;
                if batch.header.compression() != Ok(Compression::None) || !is_complete(&batch) {
                    continue;
                }
                let bytes = encode_again(&batch, batch.payload(), None).map_err(|error| error.to_string())?;
                (bytes, batch.bytes)
            }
            AnyBatch::Legacy(set) => {
                tally.legacy += 1;
                if set.compression() != Compression::None {
                    continue;
                }
                (write_again(&set)?, set.bytes())
            }
        };
        if encoded.0 != encoded.1 {
            return Err(format!("encodes to {:02x?}\nnot {:02x?}", encoded.0, encoded.1));
        }
        tally.encoded_again += 1;
    }
    Ok(())
}

fn write_again(set: &MessageSet<'_>) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut scratch = Vec::new();
    let attributes = if set.is_log_append_time() { 8 } else { 0 };
    for record in set.records(&mut scratch, 0).map_err(|error| error.to_string())? {
        let record = record.map_err(|error| error.to_string())?;
        let (key, value) = (record.key, record.value);
        write_message(
            &mut out,
            set.magic(),
            record.offset,
            attributes,
            record.timestamp,
            key,
            value,
        );
    }
    Ok(out)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["write", seed, count, file] => write(seed.parse().unwrap(), count.parse().unwrap(), file).map(|()| 0),
        ["check", file] => check(file).and_then(|tally| {
            let summary = json!({
                "runs": tally.runs, "failed": tally.failed, "batches_v2": tally.v2, "message_sets": tally.legacy,
                "encoded_again_to_the_same_bytes": tally.encoded_again,
            });
            writeln!(io::stdout(), "{summary}").map(|()| tally.failed)
        }),
        _ => Err(io::Error::other("differential write SEED COUNT FILE | check FILE")),
    };
    match outcome {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}
