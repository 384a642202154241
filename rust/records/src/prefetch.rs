//! Memory is asked for before it is written. Who writes a record to one of hundreds of batches in turn finds none of them in the
//! nearest caches, and the next locked instruction, such as a mutex's release, waits until the record has got there.

use std::mem::MaybeUninit;

/// Bytes of a cache line.
const LINE_LEN: usize = 64;
/// Lines that are asked for behind the one that is being written.
const LINES_AHEAD: usize = 3;

/// Asks for the lines behind the first one of `space`, which will be written soon.
#[inline]
pub(crate) fn ahead(space: &[MaybeUninit<u8>]) {
    for line in 1..=LINES_AHEAD {
        if let Some(byte) = space.get(line * LINE_LEN) {
            prefetch(byte);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn prefetch(byte: &MaybeUninit<u8>) {
    use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
    // SAFETY: a prefetch reads and writes nothing that a program can see, and never faults.
    #[expect(unsafe_code, reason = "the standard library has no safe call for it")]
    unsafe {
        _mm_prefetch::<_MM_HINT_ET0>(byte.as_ptr().cast());
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn prefetch(_: &MaybeUninit<u8>) {}
