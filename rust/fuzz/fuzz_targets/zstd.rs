//! The zstd codec, both ways: `make fuzz ARGS=zstd`.
#![no_main]

use barnabas_records::{Compression, check};

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check_codec(Compression::Zstd, data));
