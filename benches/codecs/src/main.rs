//! The codecs in Kafka's framing beside the C libraries: the same input, one process, CPU time of the thread, interleaved
//! rounds, the same reused buffers on both sides. No input comes twice in a row: a processor learns the branches of a batch of
//! 16 KiB that it sees again and again by heart, which no broker's or client's does.
//!
//! `cargo run --release --manifest-path benches/codecs/Cargo.toml` prints a table and writes benches/results/codecs.json.
//! Snappy's C++ library is compared by `benches/compare/codecs.py`.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

use barnabas_records::{BatchBuilder, Compression, HEADER_LEN, compress_over, decompress_over};
use flate2::{Compress, Decompress, FlushCompress, FlushDecompress};
use lz4::block::{CompressionMode, compress_bound, compress_to_buffer, decompress_to_buffer};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use zstd::bulk::{Compressor, Decompressor};

const ROUNDS: usize = 11;
const ROUND_BYTES: usize = 2 << 20;
/// Different inputs of one length take at least this much together, as far as two of them do not take more.
const INPUT_BYTES: usize = 1 << 20;
/// Blocks of Kafka's LZ4 frames.
const LZ4_BLOCK_LEN: usize = 64 << 10;
const GZIP_WINDOW_BITS: u8 = 15;

/// A seeded generator, so that every run works on the same bytes.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Different inputs of one length.
fn inputs(len: usize) -> Vec<Vec<u8>> {
    let mut random = Random(42);
    (0..(INPUT_BYTES / len).max(2))
        .map(|_| records(len, &mut random))
        .collect()
}

/// Uncompressed records of format 2 whose values look like JSON rows of about 100 bytes.
fn records(len: usize, random: &mut Random) -> Vec<u8> {
    let mut builder = BatchBuilder::new(Vec::new());
    let mut row = String::new();
    for timestamp in 1_700_000_000_000.. {
        if builder.size_in_bytes() >= len + HEADER_LEN {
            break;
        }
        let origin = ["EWR", "JFK", "LGA"][usize::try_from(random.below(3)).expect("small")];
        let (destination, delay, tail) = (random.below(105), random.below(1500), random.below(4043));
        let flight = random.below(6000);
        row.clear();
        write!(
            row,
            r#"{{"origin":"{origin}","dest":"{destination:03}","dep_delay":{delay},"tailnum":"N{tail:05}","flight":{flight}}}"#
        )
        .expect("a string grows");
        builder
            .append(timestamp, None, Some(row.as_bytes()), &[])
            .expect("the batch has room");
    }
    let mut bytes = builder.into_buffer();
    bytes.drain(..HEADER_LEN);
    bytes.truncate(len);
    bytes
}

fn cpu_nanoseconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Who runs: name, and what a call with the index of an input returns is the number of bytes it made.
struct Race<'a> {
    codec: Compression,
    level: Option<i32>,
    way: &'static str,
    rival: &'static str,
    ours: &'a mut dyn FnMut(usize) -> usize,
    theirs: &'a mut dyn FnMut(usize) -> usize,
}

fn run(inputs: &[Vec<u8>], race: Race<'_>) -> Value {
    let (len, count) = (inputs[0].len(), inputs.len());
    let repeats = (ROUND_BYTES / len).max(count);
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let (mut our_size, mut their_size) = (0, 0);
    for _ in 0..ROUNDS {
        let start = cpu_nanoseconds();
        for index in 0..repeats {
            our_size = black_box((race.ours)(index % count));
        }
        let middle = cpu_nanoseconds();
        for index in 0..repeats {
            their_size = black_box((race.theirs)(index % count));
        }
        let end = cpu_nanoseconds();
        ours.push((middle - start) / repeats as f64);
        theirs.push((end - middle) / repeats as f64);
        ratios.push((end - middle) / (middle - start));
    }
    let gb_per_s = |nanoseconds: f64| (1000.0 * len as f64 / nanoseconds).round() / 1000.0;
    let percent = |size: usize| (1000.0 * size as f64 / len as f64).round() / 10.0;
    let ratio = (1000.0 * median(ratios)).round() / 1000.0;
    let (ours, theirs) = (gb_per_s(median(ours)), gb_per_s(median(theirs)));
    println!(
        "{:>8} {:6} {:4} {:10} {ours:7.3} GB/s, {:8} {theirs:7.3} GB/s, x{ratio:.2}, to {} and {} %",
        len,
        race.codec.name(),
        race.level.map_or_else(String::new, |level| level.to_string()),
        race.way,
        race.rival,
        percent(our_size),
        percent(their_size)
    );
    json!({
        "codec": race.codec.name(), "level": race.level, "input_bytes": len, "way": race.way, "rival": race.rival,
        "ours_gb_per_s": ours, "theirs_gb_per_s": theirs, "ours_over_theirs": ratio,
        "output_percent": [percent(our_size), percent(their_size)],
    })
}

/// The inputs as our codec compresses them.
fn packed(codec: Compression, level: Option<i32>, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let pack = |data: &Vec<u8>| {
        let mut packed = Vec::new();
        let size = compress_over(codec, level, data, &mut packed).expect("compressed");
        packed.truncate(size);
        packed
    };
    inputs.iter().map(pack).collect()
}

fn zlib(inputs: &[Vec<u8>], figures: &mut Vec<Value>) {
    for level in [1, 6, 9] {
        let (mut scratch, mut over) = (Vec::new(), Vec::new());
        let mut theirs = vec![0; inputs[0].len() + 1024];
        let mut deflate = Compress::new_gzip(flate2::Compression::new(level), GZIP_WINDOW_BITS);
        let level = i32::try_from(level).ok();
        figures.push(run(
            inputs,
            Race {
                codec: Compression::Gzip,
                level,
                way: "compress",
                rival: "zlib",
                ours: &mut |index| {
                    compress_over(Compression::Gzip, level, black_box(&inputs[index]), &mut scratch)
                        .expect("compressed")
                },
                theirs: &mut |index| {
                    deflate.reset();
                    deflate
                        .compress(black_box(&inputs[index]), &mut theirs, FlushCompress::Finish)
                        .expect("compressed");
                    usize::try_from(deflate.total_out()).expect("small")
                },
            },
        ));
        let packed = packed(Compression::Gzip, level, inputs);
        let mut inflate = Decompress::new_gzip(GZIP_WINDOW_BITS);
        figures.push(run(
            inputs,
            Race {
                codec: Compression::Gzip,
                level,
                way: "decompress",
                rival: "zlib",
                ours: &mut |index| {
                    decompress_over(
                        Compression::Gzip,
                        black_box(&packed[index]),
                        &mut over,
                        inputs[index].len(),
                    )
                    .expect("read")
                },
                theirs: &mut |index| {
                    // What is kept between calls is the window; only a new state can read gzip again.
                    inflate = Decompress::new_gzip(GZIP_WINDOW_BITS);
                    inflate
                        .decompress(black_box(&packed[index]), &mut theirs, FlushDecompress::Finish)
                        .expect("read");
                    usize::try_from(inflate.total_out()).expect("small")
                },
            },
        ));
    }
}

fn liblz4(inputs: &[Vec<u8>], figures: &mut Vec<Value>) {
    for (level, mode) in [
        (9, CompressionMode::DEFAULT),
        (3, CompressionMode::HIGHCOMPRESSION(3)),
        (12, CompressionMode::HIGHCOMPRESSION(12)),
    ] {
        let (mut scratch, mut over) = (Vec::new(), Vec::new());
        let mut theirs = vec![0; compress_bound(LZ4_BLOCK_LEN).expect("small")];
        let mut blocks_of = |data: &Vec<u8>| -> Vec<(Vec<u8>, usize)> {
            let block = |block: &[u8]| {
                let size = compress_to_buffer(block, Some(mode), false, &mut theirs).expect("compressed");
                (theirs[..size].to_vec(), block.len())
            };
            data.chunks(LZ4_BLOCK_LEN).map(block).collect()
        };
        let blocks: Vec<_> = inputs.iter().map(&mut blocks_of).collect();
        figures.push(run(
            inputs,
            Race {
                codec: Compression::Lz4,
                level: Some(level),
                way: "compress",
                rival: "liblz4",
                ours: &mut |index| {
                    compress_over(Compression::Lz4, Some(level), black_box(&inputs[index]), &mut scratch)
                        .expect("compressed")
                },
                theirs: &mut |index| {
                    inputs[index]
                        .chunks(LZ4_BLOCK_LEN)
                        .map(|block| {
                            compress_to_buffer(black_box(block), Some(mode), false, &mut theirs).expect("compressed")
                        })
                        .sum()
                },
            },
        ));
        let packed = packed(Compression::Lz4, Some(level), inputs);
        let mut space = vec![0; inputs[0].len()];
        figures.push(run(
            inputs,
            Race {
                codec: Compression::Lz4,
                level: Some(level),
                way: "decompress",
                rival: "liblz4",
                ours: &mut |index| {
                    decompress_over(
                        Compression::Lz4,
                        black_box(&packed[index]),
                        &mut over,
                        inputs[index].len(),
                    )
                    .expect("read")
                },
                theirs: &mut |index| {
                    let mut at = 0;
                    for (block, len) in &blocks[index] {
                        let len = i32::try_from(*len).ok();
                        at += decompress_to_buffer(black_box(block), len, &mut space[at..]).expect("read");
                    }
                    at
                },
            },
        ));
    }
}

fn libzstd(inputs: &[Vec<u8>], figures: &mut Vec<Value>) {
    for level in [1, 3, 9] {
        let (mut scratch, mut over) = (Vec::new(), Vec::new());
        let mut theirs = vec![0; inputs[0].len() + 1024];
        let mut compressor = Compressor::new(level).expect("a level");
        figures.push(run(
            inputs,
            Race {
                codec: Compression::Zstd,
                level: Some(level),
                way: "compress",
                rival: "libzstd",
                ours: &mut |index| {
                    compress_over(Compression::Zstd, Some(level), black_box(&inputs[index]), &mut scratch)
                        .expect("compressed")
                },
                theirs: &mut |index| {
                    compressor
                        .compress_to_buffer(black_box(&inputs[index]), &mut theirs)
                        .expect("compressed")
                },
            },
        ));
        let packed = packed(Compression::Zstd, Some(level), inputs);
        let mut decompressor = Decompressor::new().expect("memory");
        figures.push(run(
            inputs,
            Race {
                codec: Compression::Zstd,
                level: Some(level),
                way: "decompress",
                rival: "libzstd",
                ours: &mut |index| {
                    decompress_over(
                        Compression::Zstd,
                        black_box(&packed[index]),
                        &mut over,
                        inputs[index].len(),
                    )
                    .expect("read")
                },
                theirs: &mut |index| {
                    decompressor
                        .decompress_to_buffer(black_box(&packed[index]), &mut theirs)
                        .expect("read")
                },
            },
        ));
    }
}

fn main() {
    let mut figures = Vec::new();
    for len in [16 << 10, 256 << 10, 1 << 20] {
        let inputs = inputs(len);
        zlib(&inputs, &mut figures);
        liblz4(&inputs, &mut figures);
        libzstd(&inputs, &mut figures);
    }
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let result = json!({
        "command": "cargo run --release --manifest-path benches/codecs/Cargo.toml",
        "cpu": model.map(|(_, name)| name),
        "load_average": std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim(),
        "rivals": {"zlib": "through flate2", "liblz4": "through lz4", "libzstd": "through zstd"},
        "figures": figures,
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/codecs.json");
    let text = serde_json::to_string_pretty(&result).expect("JSON");
    std::fs::write(path, text + "\n").expect("the results are written");
}
