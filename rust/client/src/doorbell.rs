//! A bell for who cannot wait for a condition variable: an event loop. It rings by one byte through a socket pair, and only
//! when it is armed, so that a loop is woken once however much happens before it looks.

use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

/// The ringing end. Lives under the mailbox's lock.
#[derive(Debug, Default)]
pub(crate) struct Doorbell {
    line: Option<UnixStream>,
    is_armed: bool,
}

impl Doorbell {
    /// A new line to an event loop, in place of an earlier one: the end that becomes readable when the bell rings.
    pub(crate) fn connect(&mut self) -> io::Result<OwnedFd> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        theirs.set_nonblocking(true)?;
        self.line = Some(ours);
        self.is_armed = false;
        Ok(theirs.into())
    }

    /// The next [`ring`](Self::ring) counts.
    pub(crate) fn arm(&mut self) {
        self.is_armed = self.line.is_some();
    }

    /// Rings, if somebody waits for it.
    pub(crate) fn ring(&mut self) {
        if !std::mem::take(&mut self.is_armed) {
            return;
        }
        // A full line holds bytes enough to wake the loop; one whose other end was closed wakes nobody.
        if let Some(line) = &mut self.line {
            let _ = line.write(&[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn it_rings_once_for_each_time_it_was_armed() {
        let mut bell = Doorbell::default();
        bell.arm();
        bell.ring();
        let mut line = UnixStream::from(bell.connect().unwrap());
        bell.ring();
        bell.arm();
        bell.ring();
        bell.ring();
        let mut bytes = [0; 8];
        assert_eq!(line.read(&mut bytes).unwrap(), 1);
        assert_eq!(line.read(&mut bytes).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(line);
        bell.arm();
        bell.ring();
    }
}
