//! Zstandard. Output goes straight to the caller's buffer, so no window is allocated that a frame header asks for.

use std::cell::RefCell;

use zstd::zstd_safe::{CCtx, DCtx, compress_bound, get_error_name};

use super::output::Output;
use crate::{Compression, RecordsError, Result};

/// Largest block that any frame may hold (RFC 8878, 3.1.1.2.4).
const BLOCK_LEN_MAX: usize = 128 * 1024;
/// Contexts that grew beyond this (high levels) are not kept.
const CONTEXT_LEN_MAX: usize = 8 * 1024 * 1024;

thread_local! {
    /// Contexts of about a megabyte, kept because a fresh one costs more than a small batch.
    static COMPRESS: RefCell<Option<CCtx<'static>>> = const { RefCell::new(None) };
    static DECOMPRESS: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

pub(super) fn compress(level: i32, input: &[u8], out: &mut Output<'_>) -> Result<()> {
    COMPRESS.with_borrow_mut(|kept| {
        let failed = |reason| RecordsError::Compress {
            codec: Compression::Zstd,
            reason,
        };
        let context = match kept {
            Some(context) => context,
            None => kept.insert(CCtx::try_create().ok_or_else(|| failed("there is no memory"))?),
        };
        let written = context.compress(out.space(compress_bound(input.len())), input, level);
        if context.sizeof() > CONTEXT_LEN_MAX {
            *kept = None;
        }
        out.advance(written.map_err(|code| failed(get_error_name(code)))?);
        Ok(())
    })
}

pub(super) fn decompress(input: &[u8], out: &mut Output<'_>, limit: usize) -> Result<()> {
    let bound = decompressed_bound(input)?;
    // One byte more than allowed, so that too much output is seen.
    let room = bound.min(limit.saturating_add(1));
    DECOMPRESS.with_borrow_mut(|kept| {
        let context = RefCell::new(match kept {
            Some(context) => context,
            None => kept.insert(DCtx::try_create().ok_or_else(|| invalid("there is no memory"))?),
        });
        let result = out.write_uninitialised(
            room,
            |vec| context.borrow_mut().decompress(vec, input),
            |space| context.borrow_mut().decompress(space, input),
        );
        match result {
            Ok(written) if written <= limit => Ok(()),
            Err(code) if bound <= limit || !is_too_small(code) => Err(invalid(get_error_name(code))),
            _ => Err(RecordsError::DecompressedTooLarge { limit }),
        }
    })
}

/// Upper bound of what the frames of `input` decompress to, from their block headers.
fn decompressed_bound(input: &[u8]) -> Result<usize> {
    const MAGIC: u32 = 0xfd2f_b528;
    const MAGIC_SKIPPABLE: u32 = 0x184d_2a50;
    if input.is_empty() {
        return Err(invalid("there is no frame"));
    }
    let mut rest = input;
    let mut bound = 0usize;
    while !rest.is_empty() {
        let (magic, after) = take_u32(rest)?;
        if magic == MAGIC {
            let blocks;
            (blocks, rest) = frame_bound(after)?;
            bound = bound.saturating_add(blocks);
        } else if magic & !0xf == MAGIC_SKIPPABLE {
            let (length, after) = take_u32(after)?;
            rest = skip(after, usize::try_from(length).unwrap_or(usize::MAX))?;
        } else {
            return Err(invalid("there is no frame header"));
        }
    }
    Ok(bound)
}

/// Bound of one frame whose magic has been read, and what follows the frame.
fn frame_bound(input: &[u8]) -> Result<(usize, &[u8])> {
    const BLOCK_HEADER_LEN: usize = 3;
    const RLE: u32 = 1;
    let (&descriptor, rest) = input.split_first().ok_or_else(|| invalid("a frame ends early"))?;
    let is_single_segment = descriptor & 0x20 != 0;
    let has_checksum = descriptor & 4 != 0;
    let window_len = usize::from(!is_single_segment);
    let dictionary_len = [0, 1, 2, 4]
        .get(usize::from(descriptor & 3))
        .copied()
        .unwrap_or_default();
    let rest = skip(rest, window_len + dictionary_len)?;
    let content_size_len = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        flag => 1 << flag,
    };
    let (content_size, mut rest) = rest
        .split_at_checked(content_size_len)
        .ok_or_else(|| invalid("a frame ends early"))?;
    let content_size = parse_content_size(content_size);
    let mut bound = 0usize;
    loop {
        let [a, b, c] = *rest
            .first_chunk::<BLOCK_HEADER_LEN>()
            .ok_or_else(|| invalid("a frame ends early"))?;
        let header = u32::from_le_bytes([a, b, c, 0]);
        let (is_last, kind) = (header & 1 != 0, header >> 1 & 3);
        let size = usize::try_from(header >> 3).unwrap_or(usize::MAX);
        if size > BLOCK_LEN_MAX {
            return Err(invalid("a block is too long"));
        }
        let stored = if kind == RLE { 1 } else { size };
        bound = bound.saturating_add(if kind < 2 { size } else { BLOCK_LEN_MAX });
        rest = skip(rest, BLOCK_HEADER_LEN + stored)?;
        if is_last {
            let after = skip(rest, if has_checksum { 4 } else { 0 })?;
            return Ok((bound.min(content_size), after));
        }
    }
}

/// The size that a frame claims, which can only lower the bound; `usize::MAX` if it claims none.
fn parse_content_size(bytes: &[u8]) -> usize {
    let size = match *bytes {
        [a] => u64::from(a),
        // Two bytes count from 256, because one byte holds less.
        [a, b] => u64::from(u16::from_le_bytes([a, b])) + 256,
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => bytes.first_chunk().map_or(u64::MAX, |bytes| u64::from_le_bytes(*bytes)),
    };
    usize::try_from(size).unwrap_or(usize::MAX)
}

fn take_u32(input: &[u8]) -> Result<(u32, &[u8])> {
    match input.split_first_chunk() {
        Some((bytes, rest)) => Ok((u32::from_le_bytes(*bytes), rest)),
        None => Err(invalid("a frame ends early")),
    }
}

fn skip(input: &[u8], len: usize) -> Result<&[u8]> {
    input.get(len..).ok_or_else(|| invalid("a frame ends early"))
}

/// Whether a result of the library says that the output has no room.
fn is_too_small(code: usize) -> bool {
    const DST_SIZE_TOO_SMALL: usize = 70;
    code.wrapping_neg() == DST_SIZE_TOO_SMALL
}

#[cold]
fn invalid(reason: &'static str) -> RecordsError {
    RecordsError::Decompress {
        codec: Compression::Zstd,
        reason,
    }
}
