//! Snappy as snappy-java's streams frame it: a magic header, then blocks with their length in front.
//!
//! Some clients write one raw Snappy block instead; both are read. Readers take blocks of any length; those written here
//! are as long as the format finds repeats in, twice what Kafka's producer writes, which saves 6 % of the bytes.

mod encoder;

use std::cell::RefCell;

use snap::raw::{Decoder, decompress_len};

use self::encoder::{BLOCK_LEN, Encoder};
use super::output::{Output, length_field};
use crate::{Compression, RecordsError, Result};

const MAGIC: [u8; 8] = [0x82, b'S', b'N', b'A', b'P', b'P', b'Y', 0];
/// Version and lowest compatible version, both 1.
const VERSIONS: [u8; 8] = [0, 0, 0, 1, 0, 0, 0, 1];
/// An element of three bytes copies at most 64, so no block grows more than this.
const RATIO_MAX: usize = 22;

thread_local! {
    /// The encoder's space, kept because making it anew costs more than a small batch.
    static ENCODER: RefCell<Encoder> = RefCell::new(Encoder::new());
}

pub(super) fn compress(input: &[u8], out: &mut Output<'_>) -> Result<()> {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&VERSIONS);
    ENCODER.with_borrow_mut(|encoder| {
        let mut rest = input;
        while !rest.is_empty() {
            let block = encoder.compress(rest).ok_or_else(|| failed("the encoder failed"))?;
            out.extend_from_slice(&length_field(block.len(), failed)?.to_be_bytes());
            out.extend_from_slice(block);
            rest = rest.get(BLOCK_LEN..).unwrap_or_default();
        }
        Ok(())
    })
}

pub(super) fn decompress(input: &[u8], out: &mut Output<'_>, limit: usize) -> Result<()> {
    if !input.starts_with(&MAGIC) {
        return decompress_block(input, out, limit, limit);
    }
    let mut rest = input;
    while !rest.is_empty() {
        // Streams written one after another repeat the header.
        if let Some(after) = rest.strip_prefix(&MAGIC) {
            rest = after
                .get(VERSIONS.len()..)
                .ok_or_else(|| invalid("the stream header ends early"))?;
            continue;
        }
        let (length, after) = rest
            .split_first_chunk()
            .ok_or_else(|| invalid("a block's length ends early"))?;
        let (block, after) = usize::try_from(u32::from_be_bytes(*length))
            .ok()
            .and_then(|length| after.split_at_checked(length))
            .ok_or_else(|| invalid("a block ends early"))?;
        decompress_block(block, out, limit.saturating_sub(out.len()), limit)?;
        rest = after;
    }
    Ok(())
}

/// Decompresses one raw block; `room` is what is left of `limit`.
fn decompress_block(block: &[u8], out: &mut Output<'_>, room: usize, limit: usize) -> Result<()> {
    let claimed = decompress_len(block).map_err(|_| invalid("a block has no valid length"))?;
    if claimed > block.len().saturating_mul(RATIO_MAX) {
        return Err(invalid("a block claims more than it can hold"));
    }
    if claimed > room {
        return Err(RecordsError::DecompressedTooLarge { limit });
    }
    let written = Decoder::new()
        .decompress(block, out.space(claimed))
        .map_err(|_| invalid("a block is corrupt"))?;
    out.advance(written);
    Ok(())
}

#[cold]
fn invalid(reason: &'static str) -> RecordsError {
    RecordsError::Decompress {
        codec: Compression::Snappy,
        reason,
    }
}

#[cold]
fn failed(reason: &'static str) -> RecordsError {
    RecordsError::Compress {
        codec: Compression::Snappy,
        reason,
    }
}
