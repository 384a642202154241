//! Accepting connections, registering them, and closing those that are idle or must give way.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::activity::Activity;
use crate::connection::Connection;
use crate::server::{ACCEPT_PAUSE, ConnectionInfo, Entry, Handler, Phase, Shared, lock};

/// Accepts on one listener from the opening of the gate until the server drains.
pub(crate) async fn accept<H: Handler>(
    shared: Arc<Shared<H>>,
    listener: usize,
    socket: std::net::TcpListener,
    mut phase: watch::Receiver<Phase>,
) {
    if phase.wait_for(|phase| *phase >= Phase::Serving).await.is_err() {
        return;
    }
    let socket = match TcpListener::from_std(socket) {
        Ok(socket) => socket,
        Err(error) => return log::error!("listener {listener} cannot be served: {error}"),
    };
    loop {
        let accepted = tokio::select! {
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => return,
            accepted = accept_one(&shared, listener, &socket) => accepted,
        };
        match accepted {
            Ok((stream, peer)) => admit(&shared, listener, stream, peer),
            Err(error) => {
                log::warn!("accepting on listener {listener} failed: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Accepts one connection and waits until there is room for it, as Kafka does; the next ones stay in the backlog.
async fn accept_one<H: Handler>(
    shared: &Shared<H>,
    listener: usize,
    socket: &TcpListener,
) -> io::Result<(TcpStream, SocketAddr)> {
    let accepted = socket.accept().await?;
    let is_protected = shared.config.listeners.len() > 1 && listener == shared.config.protected_listener;
    loop {
        let room = shared.room.notified();
        if shared.metrics.connections.load(Ordering::SeqCst) < shared.config.connections_max {
            return Ok(accepted);
        }
        if is_protected {
            shared.close_least_recently_used();
            return Ok(accepted);
        }
        room.await;
    }
}

/// Registers a connection and starts its task on the next reactor.
fn admit<H: Handler>(shared: &Arc<Shared<H>>, listener: usize, stream: TcpStream, peer: SocketAddr) {
    let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
    let ip = peer.ip().to_canonical();
    let limit = shared.config.connections_per_ip_overrides.get(&ip);
    let limit = *limit.unwrap_or(&shared.config.connections_per_ip_max);
    let activity = Arc::new(Activity::new(shared.started));
    let mut books = lock(&shared.books);
    let open = books.per_ip.entry(ip).or_default();
    if *open >= limit {
        if *open == 0 {
            books.per_ip.remove(&ip);
        }
        shared.metrics.refused.fetch_add(1, Ordering::Relaxed);
        return;
    }
    *open += 1;
    let entry = Entry {
        task: None,
        activity: Arc::clone(&activity),
        listener,
        ip,
    };
    books.entries.insert(id, entry);
    // Dropping a connection takes this lock, and spawning may drop it.
    drop(books);
    shared.metrics.accepted.fetch_add(1, Ordering::Relaxed);
    shared.metrics.connections.fetch_add(1, Ordering::SeqCst);
    let reactor = shared.reactor_of(id);
    let info = ConnectionInfo {
        id,
        listener,
        peer,
        reactor,
    };
    let state = shared.handler.connected(info);
    // From here on dropping the connection, with its task or in its place, takes the entry out again.
    let connection = Connection {
        shared: Arc::clone(shared),
        id,
        state,
        activity,
        share: None,
        read_in_turn: 0,
    };
    let task = spawn(shared, connection, stream, reactor);
    if let (Some(entry), Some(task)) = (lock(&shared.books).entries.get_mut(&id), task) {
        entry.task = Some(task);
    }
}

fn spawn<H: Handler>(
    shared: &Shared<H>,
    connection: Connection<H>,
    stream: TcpStream,
    index: usize,
) -> Option<AbortHandle> {
    let reactors = lock(&shared.reactors);
    let reactor = reactors.get(index)?;
    let pool = Arc::clone(&reactor.pool);
    if index == 0 {
        // The accept loops run on this one, where the stream is registered already.
        return Some(tokio::spawn(connection.run(stream, pool)).abort_handle());
    }
    let stream = stream.into_std().ok()?;
    let task = reactor.runtime.spawn(async move {
        if let Ok(stream) = TcpStream::from_std(stream) {
            connection.run(stream, pool).await;
        }
    });
    Some(task.abort_handle())
}

/// Closes connections that have not been used for the configured time.
pub(crate) async fn close_idle<H: Handler>(shared: Arc<Shared<H>>) {
    let idle_max = shared.config.idle_max;
    let limit_ms = u64::try_from(idle_max.as_millis()).unwrap_or(u64::MAX);
    let mut tick = tokio::time::interval((idle_max / 4).clamp(Duration::from_millis(10), Duration::from_secs(10)));
    loop {
        tick.tick().await;
        let now = Instant::now();
        for entry in lock(&shared.books).entries.values() {
            if entry.activity.idle_ms(now).is_some_and(|idle_ms| idle_ms > limit_ms)
                && let Some(task) = &entry.task
            {
                shared.metrics.idle_closed.fetch_add(1, Ordering::Relaxed);
                task.abort();
            }
        }
    }
}

impl<H: Handler> Shared<H> {
    /// Connections go round the reactors.
    fn reactor_of(&self, id: u64) -> usize {
        let count = u64::try_from(self.config.reactors.max(1)).unwrap_or(1);
        usize::try_from(id % count).unwrap_or(0)
    }

    /// Makes room for a connection of the protected listener.
    fn close_least_recently_used(&self) {
        let books = lock(&self.books);
        let others = books
            .entries
            .values()
            .filter(|entry| entry.listener != self.config.protected_listener);
        if let Some(task) = others
            .min_by_key(|entry| entry.activity.last_ms())
            .and_then(|entry| entry.task.as_ref())
        {
            self.metrics.evicted.fetch_add(1, Ordering::Relaxed);
            task.abort();
        }
    }

    /// A connection has gone.
    pub(crate) fn forget(&self, id: u64) {
        let mut books = lock(&self.books);
        if let Some(entry) = books.entries.remove(&id)
            && let Some(open) = books.per_ip.get_mut(&entry.ip)
        {
            *open -= 1;
            if *open == 0 {
                books.per_ip.remove(&entry.ip);
            }
        }
        drop(books);
        self.metrics.connections.fetch_sub(1, Ordering::SeqCst);
        self.gone.notify_all();
        self.room.notify_waiters();
    }
}
