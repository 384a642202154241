//! gzip: members of deflated data (RFC 1952), one after another, as Java's streams read and write them.

use std::cell::RefCell;

use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};

use crate::{Compression, RecordsError, Result};

pub(super) const LEVEL_DEFAULT: i32 = 6;

const WINDOW_BITS: u8 = 15;
/// Output is reserved in steps, so that memory follows the bytes that are really there.
const STEP_MIN: usize = 16 * 1024;
const STEP_MAX: usize = 1024 * 1024;

thread_local! {
    /// State of hundreds of kilobytes, kept because a fresh one costs more than a small batch.
    static DEFLATE: RefCell<Option<(i32, Compress)>> = const { RefCell::new(None) };
    static INFLATE: RefCell<Option<Decompress>> = const { RefCell::new(None) };
}

pub(super) fn compress(level: i32, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    DEFLATE.with_borrow_mut(|kept| {
        let deflate = match kept {
            Some((kept_level, deflate)) if *kept_level == level => {
                deflate.reset();
                deflate
            }
            _ => {
                let flate_level = flate2::Compression::new(u32::try_from(level).unwrap_or_default());
                &mut kept.insert((level, Compress::new_gzip(flate_level, WINDOW_BITS))).1
            }
        };
        out.reserve(input.len() / 4 + 64);
        let mut rest = input;
        loop {
            let before = deflate.total_in();
            let status = deflate.compress_vec(rest, out, FlushCompress::Finish);
            let consumed = usize::try_from(deflate.total_in() - before).unwrap_or(usize::MAX);
            rest = rest.get(consumed..).unwrap_or_default();
            match status {
                Ok(Status::StreamEnd) => return Ok(()),
                Ok(_) => out.reserve(input.len() / 4 + 64),
                Err(_) => {
                    *kept = None;
                    return Err(RecordsError::Compress {
                        codec: Compression::Gzip,
                        reason: "the encoder failed",
                    });
                }
            }
        }
    })
}

pub(super) fn decompress(input: &[u8], out: &mut Vec<u8>, limit: usize) -> Result<()> {
    let start = out.len();
    let mut rest = input;
    // An empty input is no gzip data; after the first member the input may end.
    loop {
        rest = skip_header(rest)?;
        let member = out.len();
        rest = inflate(rest, out, limit - (member - start), limit)?;
        rest = check_trailer(rest, out.get(member..).unwrap_or_default())?;
        if rest.is_empty() {
            return Ok(());
        }
    }
}

/// Inflates one member; `room` is what is left of `limit`.
fn inflate<'a>(input: &'a [u8], out: &mut Vec<u8>, room: usize, limit: usize) -> Result<&'a [u8]> {
    INFLATE.with_borrow_mut(|kept| {
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
            out.reserve(step.min((room - produced).saturating_add(1)));
            step = (step * 2).min(STEP_MAX);
            let before = inflate.total_in();
            let status = inflate.decompress_vec(rest, out, FlushDecompress::None);
            let consumed = usize::try_from(inflate.total_in() - before).unwrap_or(usize::MAX);
            rest = rest.get(consumed..).unwrap_or_default();
            let stuck = consumed == 0 && out.len() - start == produced;
            match status {
                Ok(Status::StreamEnd) if out.len() - start > room => {
                    return Err(RecordsError::DecompressedTooLarge { limit });
                }
                Ok(Status::StreamEnd) => return Ok(rest),
                Ok(_) if stuck => return Err(invalid("the deflated data end early")),
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
