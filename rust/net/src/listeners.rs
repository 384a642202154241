//! The listeners of a running server: bound, accepted on, and closed again, any of them while the others serve.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use socket2::{Domain, Protocol, Socket, Type};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::accept::accept;
use crate::server::{Handler, Listener, Phase, Server, ServerConfig, ServerError, Shared, lock};

/// Connections that the kernel holds for us before they are accepted.
const BACKLOG: i32 = 1024;
/// How long a request that is executed when its listener is closed may take; its connection is then closed without an answer.
const ANSWER_MAX: Duration = Duration::from_secs(1);
/// How long it takes until what is left of them is looked at again.
const LOOK_PAUSE: Duration = Duration::from_millis(10);
/// How long the reactor that accepts is waited for when a listener is closed; it waits for nobody itself.
const CLOSE_MAX: Duration = Duration::from_secs(10);

/// A listener as its connections know it.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Unique in this server's life, so that counts of a listener that was closed are not taken for another one's.
    pub(crate) id: usize,
    pub(crate) name: Arc<str>,
    /// The name as options have it.
    pub(crate) key: String,
}

/// A listener that is accepted on.
#[derive(Debug)]
pub(crate) struct Open {
    slot: Arc<Slot>,
    address: SocketAddr,
    accepting: AbortHandle,
    /// Says that the socket is closed by ending.
    closed: mpsc::Receiver<()>,
}

/// A bound socket; fields are dropped in their order, so that whoever is told finds the port free.
pub(crate) struct Bound {
    pub(crate) socket: std::net::TcpListener,
    pub(crate) told: mpsc::Sender<()>,
}

impl<H: Handler> Server<H> {
    /// Binds one more listener and accepts on it from here on, or from the opening of the gate. Returns its address.
    pub fn add_listener(&self, listener: &Listener) -> Result<SocketAddr, ServerError> {
        open(&self.shared, &self.phase, listener)
    }

    /// Closes a listener: its port is free when this returns. Its connections are closed, at once where nothing is executed,
    /// else with their next answer. False if there is no such listener.
    pub fn remove_listener(&self, name: &str) -> bool {
        let mut listeners = lock(&self.shared.listeners);
        let Some(place) = listeners.iter().position(|open| &*open.slot.name == name) else {
            return false;
        };
        let open = listeners.remove(place);
        drop(listeners);
        open.accepting.abort();
        if open.closed.recv_timeout(CLOSE_MAX) == Err(mpsc::RecvTimeoutError::Timeout) {
            log::error!("listener {name} is still open: its reactor is busy");
        }
        lock(&self.shared.arrivals).forget_listener(open.slot.id);
        // Nothing is accepted on it any more, so that the books have all of its connections.
        let closing = close_connections(Arc::clone(&self.shared), open.slot.id);
        if let Some(reactor) = lock(&self.shared.reactors).first() {
            reactor.runtime.spawn(closing);
        }
        true
    }

    /// The names and bound addresses of the listeners, in the order in which they were opened.
    pub fn listeners(&self) -> Vec<(Arc<str>, SocketAddr)> {
        let listeners = lock(&self.shared.listeners);
        listeners
            .iter()
            .map(|open| (Arc::clone(&open.slot.name), open.address))
            .collect()
    }

    /// The addresses as bound, in the same order.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners().into_iter().map(|(_, address)| address).collect()
    }
}

/// Binds a listener and has the first reactor accept on it.
fn open<H: Handler>(
    shared: &Arc<Shared<H>>,
    phase: &watch::Sender<Phase>,
    listener: &Listener,
) -> Result<SocketAddr, ServerError> {
    let socket = bind(listener, &shared.config)?;
    open_bound(shared, phase, listener, socket)
}

/// Has the first reactor accept on a socket that is bound.
pub(crate) fn open_bound<H: Handler>(
    shared: &Arc<Shared<H>>,
    phase: &watch::Sender<Phase>,
    listener: &Listener,
    socket: std::net::TcpListener,
) -> Result<SocketAddr, ServerError> {
    let address = socket.local_addr()?;
    let slot = Arc::new(Slot {
        id: shared.next_listener.fetch_add(1, Ordering::Relaxed),
        name: Arc::from(listener.name.as_str()),
        key: listener.name.to_lowercase(),
    });
    let (told, closed) = mpsc::channel();
    let bound = Bound { socket, told };
    let accepting = accept(Arc::clone(shared), Arc::clone(&slot), bound, phase.subscribe());
    // The list is held over both, so that whoever closes the listener finds what to end.
    let mut listeners = lock(&shared.listeners);
    let reactors = lock(&shared.reactors);
    let reactor = reactors
        .first()
        .ok_or_else(|| io::Error::other("the server has stopped"))?;
    let accepting = reactor.runtime.spawn(accepting).abort_handle();
    listeners.push(Open {
        slot,
        address,
        accepting,
        closed,
    });
    Ok(address)
}

/// Closes the connections of a listener that is closed.
async fn close_connections<H: Handler>(shared: Arc<Shared<H>>, listener: usize) {
    let started = Instant::now();
    loop {
        let is_late = started.elapsed() >= ANSWER_MAX;
        let mut left = 0;
        for entry in lock(&shared.books).entries.values() {
            if entry.slot.id != listener {
                continue;
            }
            left += 1;
            entry.activity.close();
            if (is_late || entry.activity.is_resting())
                && let Some(task) = &entry.task
            {
                task.abort();
            }
        }
        if left == 0 {
            return;
        }
        tokio::time::sleep(LOOK_PAUSE).await;
    }
}

/// Binds a listener's socket.
pub(crate) fn bind(listener: &Listener, config: &ServerConfig) -> Result<std::net::TcpListener, ServerError> {
    bind_any(listener, config).map_err(|source| ServerError::Bind {
        listener: listener.name.clone(),
        host: listener.host.clone(),
        port: listener.port,
        source,
    })
}

fn bind_any(listener: &Listener, config: &ServerConfig) -> io::Result<std::net::TcpListener> {
    let host = if listener.host.is_empty() {
        "0.0.0.0"
    } else {
        listener.host.as_str()
    };
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let mut addresses: Vec<_> = (host, listener.port).to_socket_addrs()?.collect();
    // A name such as localhost may stand for both; clients that try one address try this one.
    addresses.sort_by_key(SocketAddr::is_ipv6);
    for address in addresses {
        match bind_address(address, config) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn bind_address(address: SocketAddr, config: &ServerConfig) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    if let Some(bytes) = config.socket_buffer_bytes {
        // Accepted sockets inherit these, which is the only time at which a receive window can still be scaled up.
        socket.set_send_buffer_size(bytes)?;
        socket.set_recv_buffer_size(bytes)?;
    }
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}
