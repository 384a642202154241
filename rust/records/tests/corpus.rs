//! The fuzz targets' corpora, and what once broke a rule, through the same checks: `rust/fuzz/corpus/TARGET` and
//! `rust/fuzz/regressions/TARGET`.

#![expect(clippy::unwrap_used, reason = "a test that fails stops")]

use std::fs;
use std::path::Path;

use barnabas_records::{Compression, check};

/// Feeds every file of a target to `check` and returns how many there are.
fn feed(target: &str, check: impl Fn(&[u8])) -> usize {
    let mut count = 0;
    for kind in ["corpus", "regressions"] {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../fuzz")
            .join(kind)
            .join(target);
        let Ok(files) = fs::read_dir(dir) else { continue };
        for file in files {
            check(&fs::read(file.unwrap().path()).unwrap());
            count += 1;
        }
    }
    count
}

#[test]
fn corpora_do_no_harm() {
    assert!(feed("records", check::check) >= 20);
    assert!(feed("message_set", check::check_message_set) >= 20);
    for codec in [
        Compression::Gzip,
        Compression::Snappy,
        Compression::Lz4,
        Compression::Zstd,
    ] {
        assert!(
            feed(codec.name(), |data| check::check_codec(codec, data)) >= 20,
            "{codec:?}"
        );
    }
}
