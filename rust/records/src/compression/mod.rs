//! The five codecs in Kafka's framing. Decompressors append at most what the caller allows.

mod gzip;
mod lz4;
mod output;
mod snappy;
mod xxh32;
mod zstd;

use self::output::Output;
use crate::{MAGIC_V0, MAGIC_V2, OutputLimit, RecordsError, Result};

/// Codec of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not compressed.
    #[default]
    None,
    /// gzip (RFC 1952).
    Gzip,
    /// Snappy blocks in the framing of snappy-java.
    Snappy,
    /// LZ4 frame.
    Lz4,
    /// Zstandard (RFC 8878).
    Zstd,
}

impl Compression {
    /// All codecs, by number.
    pub const ALL: [Self; 5] = [Self::None, Self::Gzip, Self::Snappy, Self::Lz4, Self::Zstd];

    /// The codec with Kafka's number `id`.
    ///
    /// # Errors
    /// Kafka defines no such codec.
    #[inline]
    pub fn from_id(id: i8) -> Result<Self> {
        match id {
            0 => Ok(Self::None),
            1 => Ok(Self::Gzip),
            2 => Ok(Self::Snappy),
            3 => Ok(Self::Lz4),
            4 => Ok(Self::Zstd),
            _ => Err(RecordsError::UnknownCodec(id)),
        }
    }

    /// Kafka's number of the codec.
    #[inline]
    pub fn id(self) -> i8 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Snappy => 2,
            Self::Lz4 => 3,
            Self::Zstd => 4,
        }
    }

    /// The codec with the name that Kafka's options use.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|codec| codec.name() == name)
    }

    /// The name that Kafka's options use.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }

    /// Lowest, default and highest compression level, if the codec has levels.
    ///
    /// As in Kafka: gzip also takes -1 for its default; LZ4's default, 9, is the fast compressor, and any other number the
    /// slower one that saves bytes.
    pub fn levels(self) -> Option<(i32, i32, i32)> {
        match self {
            Self::None | Self::Snappy => None,
            Self::Gzip => Some((1, gzip::LEVEL_DEFAULT, 9)),
            Self::Lz4 => Some((1, lz4::LEVEL_DEFAULT, 17)),
            Self::Zstd => Some((-131_072, 3, 22)),
        }
    }

    fn checked_level(self, level: Option<i32>) -> Result<i32> {
        let Some((min, default, max)) = self.levels() else {
            return Ok(0);
        };
        match level {
            None => Ok(default),
            // Kafka writes gzip's default as -1.
            Some(-1) if self == Self::Gzip => Ok(default),
            Some(level) if (min..=max).contains(&level) => Ok(level),
            Some(level) => Err(RecordsError::InvalidLevel {
                codec: self,
                level,
                min,
                max,
            }),
        }
    }
}

/// Compresses `input` and appends the result to `out`.
///
/// # Errors
/// The codec has no such level, or fails. `out` is as it was.
pub fn compress(codec: Compression, level: Option<i32>, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut output = Output::append(out);
    let result = write_compressed(codec, level, input, &mut output);
    output.finish(result)
}

/// Compresses `input` to the front of `scratch` and returns how many bytes that took. What else `scratch` holds has no
/// meaning; keeping it saves zeroing the space again.
///
/// # Errors
/// The codec has no such level, or fails.
pub fn compress_over(codec: Compression, level: Option<i32>, input: &[u8], scratch: &mut Vec<u8>) -> Result<usize> {
    let mut output = Output::over(scratch);
    write_compressed(codec, level, input, &mut output)?;
    Ok(output.len())
}

fn write_compressed(codec: Compression, level: Option<i32>, input: &[u8], out: &mut Output<'_>) -> Result<()> {
    let level = codec.checked_level(level)?;
    match codec {
        Compression::None => {
            out.extend_from_slice(input);
            Ok(())
        }
        Compression::Gzip => gzip::compress(level, input, out),
        Compression::Snappy => snappy::compress(input, out),
        Compression::Lz4 => lz4::compress(level, input, out),
        Compression::Zstd => zstd::compress(level, input, out),
    }
}

/// Decompresses `input` and appends the result, no more than `limit` allows, to `out`.
///
/// # Errors
/// The data are invalid, or decompress to more than `limit` allows. `out` is as it was.
pub fn decompress(codec: Compression, input: &[u8], out: &mut Vec<u8>, limit: impl Into<OutputLimit>) -> Result<()> {
    let mut output = Output::append(out);
    let result = write_decompressed(codec, MAGIC_V2, input, &mut output, limit.into());
    output.finish(result)
}

/// Decompresses `input`, to no more than `limit` allows, to the front of `scratch` and returns how many bytes that took.
/// What else `scratch` holds has no meaning; keeping it saves zeroing the space again.
///
/// # Errors
/// The data are invalid, or decompress to more than `limit` allows.
pub fn decompress_over(
    codec: Compression,
    input: &[u8],
    scratch: &mut Vec<u8>,
    limit: impl Into<OutputLimit>,
) -> Result<usize> {
    decompress_message(codec, MAGIC_V2, input, scratch, limit.into())
}

/// As [`decompress_over`], for a batch of this format: in LZ4 frames of format 0 the header's checksum is another one.
pub(crate) fn decompress_message(
    codec: Compression,
    magic: i8,
    input: &[u8],
    scratch: &mut Vec<u8>,
    limit: OutputLimit,
) -> Result<usize> {
    let mut output = Output::over(scratch);
    write_decompressed(codec, magic, input, &mut output, limit)?;
    Ok(output.len())
}

fn write_decompressed(
    codec: Compression,
    magic: i8,
    input: &[u8],
    out: &mut Output<'_>,
    limit: OutputLimit,
) -> Result<()> {
    let bytes = limit.bytes_for(input.len());
    let result = match codec {
        Compression::None if input.len() > bytes => Err(RecordsError::DecompressedTooLarge { limit: bytes }),
        Compression::None => {
            out.extend_from_slice(input);
            Ok(())
        }
        Compression::Gzip => gzip::decompress(input, out, bytes),
        Compression::Snappy => snappy::decompress(input, out, bytes),
        Compression::Lz4 => lz4::decompress(input, out, bytes, magic == MAGIC_V0),
        Compression::Zstd => zstd::decompress(input, out, bytes),
    };
    result.map_err(|error| match error {
        RecordsError::DecompressedTooLarge { .. } if bytes < limit.bytes => {
            RecordsError::RatioTooLarge { ratio: limit.ratio }
        }
        error => error,
    })
}
