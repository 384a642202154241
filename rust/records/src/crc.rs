//! CRC32C (Castagnoli), the checksum of record batches; the fastest kernel of the CPU is chosen at run time.

/// CRC32C of `data`.
#[inline]
pub fn crc32c(data: &[u8]) -> u32 {
    crc_fast::crc32_iscsi(data)
}
