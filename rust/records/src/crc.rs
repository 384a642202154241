//! CRC32C (Castagnoli), the checksum of record batches; the fastest kernel of the CPU is chosen at run time.

/// CRC32C of `data`.
#[inline]
pub fn crc32c(data: &[u8]) -> u32 {
    crc_fast::crc32_iscsi(data)
}

/// The checksum of message sets and of gzip: CRC-32 as zlib computes it.
#[inline]
pub fn crc32(data: &[u8]) -> u32 {
    crc_fast::crc32_iso_hdlc(data)
}

#[cfg(test)]
mod tests {
    use crc_fast::{CrcAlgorithm, get_calculator_target};

    /// The kernel is chosen when the program runs, so a build for any CPU is fast on this one.
    #[test]
    fn the_kernel_is_the_cpus_not_the_builds() {
        let target = get_calculator_target(CrcAlgorithm::Crc32Iscsi);
        #[cfg(target_arch = "x86_64")]
        let has_kernel = is_x86_feature_detected!("pclmulqdq") && is_x86_feature_detected!("sse4.2");
        #[cfg(not(target_arch = "x86_64"))]
        let has_kernel = false;
        assert!(!has_kernel || !target.starts_with("software"), "{target}");
    }
}
