//! gzip: members of deflated data (RFC 1952), one after another, as Java's streams read and write them.
//!
//! Kafka's producers write one member, which libdeflate reads in one go. Its interface does not say where a member ended, so
//! several members, and data whose end could be taken for another's, go through a slower decoder that does.

use std::cell::RefCell;

use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

use super::output::Output;
use crate::{Compression, RecordsError, Result};

pub(super) const LEVEL_DEFAULT: i32 = 6;

const WINDOW_BITS: u8 = 15;
/// Output is reserved in steps, so that memory follows the bytes that are really there.
const STEP_MIN: usize = 16 * 1024;
const STEP_MAX: usize = 1024 * 1024;
/// Checksum and size.
const TRAILER_LEN: usize = 8;
/// A member may claim this size, or this ratio, and gets the space at once; for more, memory follows what is really there.
const CLAIM_FREE_LEN: usize = 1024 * 1024;
const CLAIM_RATIO_MAX: usize = 64;
/// With this much space behind the claimed size libdeflate need not look at the space's end before every byte near it.
const SPACE_BEHIND: usize = 512;

thread_local! {
    /// State of hundreds of kilobytes, kept because a fresh one costs more than a small batch.
    static DEFLATE: RefCell<Option<(i32, Compressor)>> = const { RefCell::new(None) };
    static INFLATE: RefCell<Option<Decompressor>> = const { RefCell::new(None) };
    static INFLATE_MEMBERS: RefCell<Option<Decompress>> = const { RefCell::new(None) };
}

pub(super) fn compress(level: i32, input: &[u8], out: &mut Output<'_>) -> Result<()> {
    let failed = |reason| RecordsError::Compress {
        codec: Compression::Gzip,
        reason,
    };
    DEFLATE.with_borrow_mut(|kept| {
        let deflate = match kept {
            Some((kept_level, deflate)) if *kept_level == level => deflate,
            _ => {
                let library_level = CompressionLvl::new(library_level(level)).map_err(|_| failed("no such level"))?;
                &mut kept.insert((level, Compressor::new(library_level))).1
            }
        };
        let bound = deflate.gzip_compress_bound(input.len());
        let written = deflate
            .gzip_compress(input, out.space(bound))
            .map_err(|_| failed("the encoder failed"))?;
        out.advance(written);
        Ok(())
    })
}

/// libdeflate's level that compresses at least as well as zlib's `level` and is faster: its 9 tries much harder than zlib's.
fn library_level(level: i32) -> i32 {
    match level {
        9.. => 8,
        level => level,
    }
}

pub(super) fn decompress(input: &[u8], out: &mut Output<'_>, limit: usize) -> Result<()> {
    if inflate_whole(input, out, limit)? {
        return Ok(());
    }
    let mut rest = input;
    // An empty input is no gzip data; after the first member the input may end.
    loop {
        rest = skip_header(rest)?;
        let member = out.len();
        rest = inflate(rest, out, limit.saturating_sub(member), limit)?;
        rest = check_trailer(rest, out.written().get(member..).unwrap_or_default())?;
        if rest.is_empty() {
            return Ok(());
        }
    }
}

/// Inflates `input` if it is one member; false, and nothing written, if that is not certain.
fn inflate_whole(input: &[u8], out: &mut Output<'_>, limit: usize) -> Result<bool> {
    let body = skip_header(input)?;
    let Some((deflated, trailer)) = body.split_last_chunk::<TRAILER_LEN>() else {
        return Ok(false);
    };
    let [.., a, b, c, d] = *trailer;
    let Ok(size) = usize::try_from(u32::from_le_bytes([a, b, c, d])) else {
        return Ok(false);
    };
    // Equal members have equal trailers: another one inside could be the end of this member.
    if size > deflated.len().saturating_mul(CLAIM_RATIO_MAX).max(CLAIM_FREE_LEN) || contains(deflated, *trailer) {
        return Ok(false);
    }
    if size > limit {
        return Err(RecordsError::DecompressedTooLarge { limit });
    }
    INFLATE.with_borrow_mut(|kept| {
        let inflate = kept.get_or_insert_with(Decompressor::new);
        let space = out.space(size.saturating_add(SPACE_BEHIND));
        match inflate.deflate_decompress(deflated, space) {
            Ok(written) if written == size && check_trailer(trailer, space.get(..size).unwrap_or_default()).is_ok() => {
                out.advance(size);
                Ok(true)
            }
            // The slower decoder finds what is wrong, if something is.
            Ok(_) | Err(DecompressionError::BadData | DecompressionError::InsufficientSpace) => Ok(false),
        }
    })
}

/// Whether `needle` stands anywhere in `bytes`, looking at blocks of bytes at once for its first two.
fn contains(bytes: &[u8], needle: [u8; TRAILER_LEN]) -> bool {
    const BLOCK_LEN: usize = 64;
    let [first, second, ..] = needle;
    let next = bytes.get(1..).unwrap_or_default();
    let (blocks, _) = bytes.as_chunks::<BLOCK_LEN>();
    let (next_blocks, _) = next.as_chunks::<BLOCK_LEN>();
    let pairs = blocks.iter().zip(next_blocks);
    let looked_at = pairs.len() * BLOCK_LEN;
    let is_hit = |(block, next): (&[u8; BLOCK_LEN], &[u8; BLOCK_LEN])| {
        // Without branches, so that it becomes vector instructions: zero where both bytes are equal.
        let nearest = block
            .iter()
            .zip(next)
            .fold(u8::MAX, |nearest, (a, b)| nearest.min((a ^ first) | (b ^ second)));
        nearest == 0
    };
    let begins = |from: usize, len: usize| {
        let end = from.saturating_add(len + TRAILER_LEN - 1).min(bytes.len());
        bytes
            .get(from..end)
            .is_some_and(|bytes| bytes.windows(TRAILER_LEN).any(|window| window == needle))
    };
    pairs
        .enumerate()
        .any(|(index, pair)| is_hit(pair) && begins(index * BLOCK_LEN, BLOCK_LEN))
        || begins(looked_at, bytes.len() - looked_at)
}

/// Inflates one member; `room` is what is left of `limit`.
fn inflate<'a>(input: &'a [u8], out: &mut Output<'_>, room: usize, limit: usize) -> Result<&'a [u8]> {
    INFLATE_MEMBERS.with_borrow_mut(|kept| {
        let inflate = kept.get_or_insert_with(|| Decompress::new_with_window_bits(false, WINDOW_BITS));
        inflate.reset(false);
        let start = out.len();
        let mut rest = input;
        let mut step = rest.len().saturating_mul(4).clamp(STEP_MIN, STEP_MAX);
        loop {
            let produced = out.len() - start;
            if produced > room {
                return Err(RecordsError::DecompressedTooLarge { limit });
            }
            // One byte more than allowed, so that too much output is seen.
            let space = out.space(step.min((room - produced).saturating_add(1)));
            step = (step * 2).min(STEP_MAX);
            let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
            let status = inflate.decompress(rest, space, FlushDecompress::None);
            let consumed = usize::try_from(inflate.total_in() - before_in).unwrap_or(usize::MAX);
            let written = usize::try_from(inflate.total_out() - before_out).unwrap_or(usize::MAX);
            rest = rest.get(consumed..).unwrap_or_default();
            out.advance(written);
            match status {
                Ok(Status::StreamEnd) if out.len() - start > room => {
                    return Err(RecordsError::DecompressedTooLarge { limit });
                }
                Ok(Status::StreamEnd) => return Ok(rest),
                Ok(_) if consumed == 0 && written == 0 => return Err(invalid("the deflated data end early")),
                Ok(_) => {}
                Err(_) => return Err(invalid("the deflated data are corrupt")),
            }
        }
    })
}

fn skip_header(input: &[u8]) -> Result<&[u8]> {
    const FLAG_HEADER_CRC: u8 = 2;
    const FLAG_EXTRA: u8 = 4;
    const FLAG_NAME: u8 = 8;
    const FLAG_COMMENT: u8 = 16;
    const FLAGS_RESERVED: u8 = 0xe0;
    let short = || invalid("the member's header ends early");
    let (fixed, mut rest) = input.split_first_chunk::<10>().ok_or_else(short)?;
    let [0x1f, 0x8b, 8, flags, ..] = *fixed else {
        return Err(invalid("there is no gzip header"));
    };
    if flags & FLAGS_RESERVED != 0 {
        return Err(invalid("reserved header flags are set"));
    }
    if flags & FLAG_EXTRA != 0 {
        let (length, after) = rest.split_first_chunk().ok_or_else(short)?;
        rest = after
            .get(usize::from(u16::from_le_bytes(*length))..)
            .ok_or_else(short)?;
    }
    for flag in [FLAG_NAME, FLAG_COMMENT] {
        if flags & flag != 0 {
            let end = rest.iter().position(|&byte| byte == 0).ok_or_else(short)?;
            rest = rest.get(end + 1..).ok_or_else(short)?;
        }
    }
    if flags & FLAG_HEADER_CRC != 0 {
        rest = rest.get(2..).ok_or_else(short)?;
    }
    Ok(rest)
}

fn check_trailer<'a>(input: &'a [u8], member: &[u8]) -> Result<&'a [u8]> {
    let (crc, rest) = take_u32(input)?;
    let (size, rest) = take_u32(rest)?;
    if crc != crate::crc::crc32(member) {
        return Err(invalid("the checksum differs"));
    }
    // The size field holds the low 32 bits.
    if u64::from(size) != member.len() as u64 & u64::from(u32::MAX) {
        return Err(invalid("the size differs"));
    }
    Ok(rest)
}

fn take_u32(input: &[u8]) -> Result<(u32, &[u8])> {
    match input.split_first_chunk() {
        Some((bytes, rest)) => Ok((u32::from_le_bytes(*bytes), rest)),
        None => Err(invalid("the member's trailer is missing")),
    }
}

#[cold]
fn invalid(reason: &'static str) -> RecordsError {
    RecordsError::Decompress {
        codec: Compression::Gzip,
        reason,
    }
}
