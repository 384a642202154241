//! The snappy codec, both ways: `make fuzz ARGS=snappy`.
#![no_main]

use barnabas_records::{Compression, check};

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check_codec(Compression::Snappy, data));
