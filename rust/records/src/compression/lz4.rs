//! LZ4 frames. Kafka writes version 1 frames of independent 64 KiB blocks without content size and checksums;
//! every frame that the format allows is read, dictionaries excepted.

use lz4::block::{CompressionMode, compress_bound, compress_to_buffer, decompress_to_buffer};
use lz4_flex::block::{DecompressError, decompress_into, decompress_into_with_dict};

use super::output::{Output, length_field};
use super::xxh32::xxh32;
use crate::{Compression, RecordsError, Result};

/// The level that stands for the fast compressor, as in Kafka.
pub(super) const LEVEL_DEFAULT: i32 = 9;

const MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
/// Version 1 with independent blocks; blocks of up to 64 KiB; checksum of these two bytes.
const DESCRIPTOR: [u8; 3] = [0x60, 0x40, 0x82];
const BLOCK_LEN: usize = 64 * 1024;
/// Set in a block's length if the block is stored as it is.
const STORED: u32 = 1 << 31;
const LENGTH_LEN: usize = 4;
/// How far back a block of a linked frame may refer.
const WINDOW_LEN: usize = 64 * 1024;
/// A byte of a match's length stands for at most 255 bytes; the rest is the shortest sequence.
const RATIO_MAX: usize = 255;

pub(super) fn compress(level: i32, input: &[u8], out: &mut Output<'_>) -> Result<()> {
    let mode = if level == LEVEL_DEFAULT {
        CompressionMode::DEFAULT
    } else {
        CompressionMode::HIGHCOMPRESSION(level)
    };
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&DESCRIPTOR);
    input
        .chunks(BLOCK_LEN)
        .try_for_each(|block| compress_block(mode, block, out))?;
    out.extend_from_slice(&[0; LENGTH_LEN]);
    Ok(())
}

fn compress_block(mode: CompressionMode, block: &[u8], out: &mut Output<'_>) -> Result<()> {
    let bound = compress_bound(block.len()).map_err(|_| failed("a block is too long"))?;
    let (length, space) = out
        .space(LENGTH_LEN + bound)
        .split_first_chunk_mut::<LENGTH_LEN>()
        .ok_or_else(|| failed("the output has no room"))?;
    let written = compress_to_buffer(block, Some(mode), false, space).map_err(|_| failed("the encoder failed"))?;
    if written < block.len() {
        *length = length_field(written, failed)?.to_le_bytes();
        out.advance(LENGTH_LEN + written);
    } else {
        *length = (length_field(block.len(), failed)? | STORED).to_le_bytes();
        out.advance(LENGTH_LEN);
        out.extend_from_slice(block);
    }
    Ok(())
}

/// What a frame's descriptor says.
struct Frame {
    has_linked_blocks: bool,
    has_block_checksums: bool,
    has_content_checksum: bool,
    content_size: Option<u64>,
    block_len_max: usize,
}

/// With `is_format_0` the descriptor's checksum is not looked at: writers of that format computed it over other bytes
/// (KAFKA-3160).
pub(super) fn decompress(input: &[u8], out: &mut Output<'_>, limit: usize, is_format_0: bool) -> Result<()> {
    let mut rest = input;
    loop {
        let (frame, after) = parse_descriptor(rest, is_format_0)?;
        let frame_start = out.len();
        rest = decompress_blocks(&frame, after, out, limit)?;
        let content = out.written().get(frame_start..).unwrap_or_default();
        if frame.content_size.is_some_and(|size| size != content.len() as u64) {
            return Err(invalid("the content size differs"));
        }
        if frame.has_content_checksum {
            let (checksum, after) = take_u32(rest)?;
            if checksum != xxh32(content) {
                return Err(invalid("the content checksum differs"));
            }
            rest = after;
        }
        if rest.is_empty() {
            return Ok(());
        }
    }
}

fn parse_descriptor(input: &[u8], is_format_0: bool) -> Result<(Frame, &[u8])> {
    const VERSION_MASK: u8 = 0xc0;
    const VERSION: u8 = 0x40;
    const INDEPENDENT: u8 = 0x20;
    const BLOCK_CHECKSUM: u8 = 0x10;
    const CONTENT_SIZE: u8 = 0x08;
    const CONTENT_CHECKSUM: u8 = 0x04;
    const RESERVED: u8 = 0x02;
    const DICTIONARY: u8 = 0x01;
    let short = || invalid("the frame's descriptor ends early");
    let descriptor = input
        .strip_prefix(&MAGIC)
        .ok_or_else(|| invalid("there is no frame header"))?;
    let (&[flags, block_descriptor], mut rest) = descriptor.split_first_chunk::<2>().ok_or_else(short)?;
    if flags & VERSION_MASK != VERSION || flags & RESERVED != 0 || block_descriptor & 0x8f != 0 {
        return Err(invalid("the frame's version or reserved bits are unknown"));
    }
    if flags & DICTIONARY != 0 {
        return Err(invalid("dictionaries are not supported"));
    }
    let block_len_max = match block_descriptor >> 4 {
        4 => 64 * 1024,
        5 => 256 * 1024,
        6 => 1024 * 1024,
        7 => 4 * 1024 * 1024,
        _ => return Err(invalid("the maximal block size is unknown")),
    };
    let mut content_size = None;
    if flags & CONTENT_SIZE != 0 {
        let (size, after) = rest.split_first_chunk().ok_or_else(short)?;
        content_size = Some(u64::from_le_bytes(*size));
        rest = after;
    }
    let described = descriptor.len() - rest.len();
    let (&checksum, rest) = rest.split_first().ok_or_else(short)?;
    let [_, second, ..] = xxh32(descriptor.get(..described).unwrap_or_default()).to_le_bytes();
    if checksum != second && !is_format_0 {
        return Err(invalid("the descriptor's checksum differs"));
    }
    let frame = Frame {
        has_linked_blocks: flags & INDEPENDENT == 0,
        has_block_checksums: flags & BLOCK_CHECKSUM != 0,
        has_content_checksum: flags & CONTENT_CHECKSUM != 0,
        content_size,
        block_len_max,
    };
    Ok((frame, rest))
}

/// Decompresses up to the end mark and returns what follows it.
fn decompress_blocks<'a>(frame: &Frame, input: &'a [u8], out: &mut Output<'_>, limit: usize) -> Result<&'a [u8]> {
    let frame_start = out.len();
    let mut rest = input;
    loop {
        let (length, after) = take_u32(rest)?;
        if length == 0 {
            return Ok(after);
        }
        let stored_len = usize::try_from(length & !STORED).unwrap_or(usize::MAX);
        if stored_len > frame.block_len_max {
            return Err(invalid("a block is longer than its frame allows"));
        }
        let (block, after) = after
            .split_at_checked(stored_len)
            .ok_or_else(|| invalid("a block ends before its length"))?;
        rest = after;
        if frame.has_block_checksums {
            let (checksum, after) = take_u32(rest)?;
            if checksum != xxh32(block) {
                return Err(invalid("a block's checksum differs"));
            }
            rest = after;
        }
        let room = limit.saturating_sub(out.len());
        if length & STORED == 0 {
            decompress_block(frame, block, out, frame_start, room, limit)?;
        } else if block.len() > room {
            return Err(RecordsError::DecompressedTooLarge { limit });
        } else {
            out.extend_from_slice(block);
        }
    }
}

fn decompress_block(
    frame: &Frame,
    block: &[u8],
    out: &mut Output<'_>,
    frame_start: usize,
    room: usize,
    limit: usize,
) -> Result<()> {
    let block_max = frame.block_len_max.min(block.len().saturating_mul(RATIO_MAX));
    let (done, space) = out.written_and_space(block_max.min(room));
    if !frame.has_linked_blocks
        && let Ok(size) = i32::try_from(space.len())
        && let Ok(written) = decompress_to_buffer(block, Some(size), space)
    {
        out.advance(written);
        return Ok(());
    }
    // Blocks that refer to those before them, and what liblz4 refused: the other decoder says why.
    let result = if frame.has_linked_blocks {
        let window_start = frame_start.max(done.len().saturating_sub(WINDOW_LEN));
        decompress_into_with_dict(block, space, done.get(window_start..).unwrap_or_default())
    } else {
        decompress_into(block, space)
    };
    match result {
        Ok(written) => {
            out.advance(written);
            Ok(())
        }
        Err(DecompressError::OutputTooSmall { .. }) if room < block_max => {
            Err(RecordsError::DecompressedTooLarge { limit })
        }
        // liblz4 takes blocks that the other decoder refuses: with all the space that it may need it knows better.
        Err(_) if room < block_max && !frame.has_linked_blocks && is_whole(block, block_max) => {
            Err(RecordsError::DecompressedTooLarge { limit })
        }
        Err(_) => Err(invalid("a block is corrupt")),
    }
}

/// Whether liblz4 reads a block that may become `size` bytes, which is no more than a frame's largest block, 4 MiB.
#[cold]
fn is_whole(block: &[u8], size: usize) -> bool {
    i32::try_from(size).is_ok_and(|limit| decompress_to_buffer(block, Some(limit), &mut vec![0; size]).is_ok())
}

fn take_u32(input: &[u8]) -> Result<(u32, &[u8])> {
    match input.split_first_chunk() {
        Some((bytes, rest)) => Ok((u32::from_le_bytes(*bytes), rest)),
        None => Err(invalid("the frame ends early")),
    }
}

#[cold]
fn invalid(reason: &'static str) -> RecordsError {
    RecordsError::Decompress {
        codec: Compression::Lz4,
        reason,
    }
}

#[cold]
fn failed(reason: &'static str) -> RecordsError {
    RecordsError::Compress {
        codec: Compression::Lz4,
        reason,
    }
}
