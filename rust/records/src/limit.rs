//! How much a decompressor may write.

/// Output up to this size may have any ratio: short batches of equal bytes compress without bound.
const RATIO_FREE_LEN: usize = 16 << 20;

/// Bounds of what one compressed run of bytes may become: an absolute size, and a ratio that ends decompression bombs
/// long before the absolute size does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputLimit {
    /// Most bytes of output.
    pub bytes: usize,
    /// Most bytes of output per byte of input, once the output is larger than 16 MiB.
    pub ratio: usize,
}

impl OutputLimit {
    /// What a limit has that names only a size. Deflate cannot do better; real batches stay far below.
    pub const RATIO_DEFAULT: usize = 1024;

    /// Bytes that `input_len` bytes may become.
    #[inline]
    pub fn bytes_for(&self, input_len: usize) -> usize {
        self.bytes.min(input_len.saturating_mul(self.ratio).max(RATIO_FREE_LEN))
    }
}

impl From<usize> for OutputLimit {
    fn from(bytes: usize) -> Self {
        Self {
            bytes,
            ratio: Self::RATIO_DEFAULT,
        }
    }
}
