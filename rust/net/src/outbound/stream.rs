//! The socket's side of a connection: connecting to any address of a host, and writing queued parts without copying.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;

use bytes::{Buf, Bytes};
use tokio::net::{TcpSocket, TcpStream};

use super::connection::ConnectionOptions;

/// Parts given to the kernel at once; Linux takes up to 1024.
const SLICES_MAX: usize = 64;

/// Connects to the first address of `host` that accepts, in the resolver's order.
pub(super) async fn connect(host: &str, port: u16, options: &ConnectionOptions) -> io::Result<TcpStream> {
    let mut last = None;
    for address in tokio::time::timeout(options.setup_timeout, tokio::net::lookup_host((host, port))).await?? {
        match tokio::time::timeout(options.setup_timeout, connect_to(address, options)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = Some(error),
            Err(_) => {
                let text = format!(
                    "{address} did not accept within {} ms",
                    options.setup_timeout.as_millis()
                );
                last = Some(io::Error::new(io::ErrorKind::TimedOut, text));
            }
        }
    }
    Err(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address")))
}

async fn connect_to(address: SocketAddr, options: &ConnectionOptions) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    let size = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    if let Some(bytes) = options.send_buffer {
        socket.set_send_buffer_size(size(bytes))?;
    }
    if let Some(bytes) = options.receive_buffer {
        socket.set_recv_buffer_size(size(bytes))?;
    }
    socket.set_nodelay(true)?;
    socket.set_keepalive(true)?;
    socket.connect(address).await
}

/// Parts that wait to be written, in order.
#[derive(Debug, Default)]
pub(super) struct WriteQueue {
    parts: VecDeque<Bytes>,
}

impl WriteQueue {
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn push(&mut self, parts: Vec<Bytes>) {
        self.parts.extend(parts.into_iter().filter(|part| !part.is_empty()));
    }

    /// Writes until all is written or the socket takes no more.
    pub(super) fn write_to(&mut self, stream: &TcpStream) -> io::Result<()> {
        while !self.parts.is_empty() {
            let mut slices = [IoSlice::new(&[]); SLICES_MAX];
            let mut count = 0;
            for (slice, part) in slices.iter_mut().zip(&self.parts) {
                *slice = IoSlice::new(part);
                count += 1;
            }
            match stream.try_write_vectored(slices.get(..count).unwrap_or_default()) {
                Ok(written) => self.advance(written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn advance(&mut self, mut written: usize) {
        while let Some(part) = self.parts.front_mut() {
            if part.len() > written {
                part.advance(written);
                return;
            }
            written -= part.len();
            self.parts.pop_front();
        }
    }
}
