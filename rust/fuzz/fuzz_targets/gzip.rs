//! The gzip codec, both ways: `make fuzz ARGS=gzip`.
#![no_main]

use barnabas_records::{Compression, check};

libfuzzer_sys::fuzz_target!(|data: &[u8]| check::check_codec(Compression::Gzip, data));
