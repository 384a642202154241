//! The lz4 codec, both ways: `make fuzz ARGS=lz4`.
#![no_main]

use barnabas_records::{Compression, check};

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check_codec(Compression::Lz4, data));
