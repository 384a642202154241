//! Where a connection's fetches look for what they send: on the reactor as long as it is in the page cache, on helpers
//! while it is not.
//!
//! Who reads old data waits for the disk, in the walk to the batch that is asked for as well as in the sending, and even
//! where the kernel has read ahead, its next reading ahead begins on the thread that comes by. On a reactor that would be
//! every connection's time. So a fetch that found something missing, or was slow to look, makes its connection a cold
//! reader: helpers look and read for it, until [`AT_HAND_IN_A_ROW`] of its fetches found everything there.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Fetches that find everything in the page cache before a connection's next one looks on the reactor again: a kernel that
/// reads ahead by megabytes lets many of them find everything there.
const AT_HAND_IN_A_ROW: u32 = 32;

/// A look that takes this long waited for a disk, or has so many partitions to go through that it should not be the
/// reactor's.
const SLOW_LOOK: Duration = Duration::from_micros(500);

/// What is known of a connection as a reader.
#[derive(Debug, Default)]
pub(crate) struct ColdReader {
    /// Fetches for which it still counts as one.
    left: AtomicU32,
}

impl ColdReader {
    /// Whether the next fetch must not look on a reactor.
    pub(crate) fn is_cold(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    /// A look took this long.
    pub(crate) fn note_look(&self, took: Duration) {
        if took >= SLOW_LOOK {
            self.left.store(AT_HAND_IN_A_ROW, Ordering::Relaxed);
        }
    }

    /// A fetch was answered; the connection executes no other one meanwhile.
    pub(crate) fn note_sent(&self, found_cold: bool) {
        let left = match self.left.load(Ordering::Relaxed) {
            _ if found_cold => AT_HAND_IN_A_ROW,
            left => left.saturating_sub(1),
        };
        self.left.store(left, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cold_fetch_makes_a_cold_reader_and_many_others_end_it() {
        let reader = ColdReader::default();
        reader.note_look(SLOW_LOOK / 2);
        reader.note_sent(false);
        assert!(!reader.is_cold());
        for by_look in [true, false] {
            if by_look {
                reader.note_look(SLOW_LOOK);
            } else {
                reader.note_sent(true);
            }
            for _ in 1..AT_HAND_IN_A_ROW {
                reader.note_sent(false);
                assert!(reader.is_cold());
            }
            reader.note_sent(true);
            for _ in 0..AT_HAND_IN_A_ROW {
                assert!(reader.is_cold());
                reader.note_sent(false);
            }
            assert!(!reader.is_cold());
        }
    }
}
