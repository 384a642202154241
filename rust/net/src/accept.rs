//! Accepting connections, registering them, and closing those that are idle or must give way.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::activity::Activity;
use crate::connection::Connection;
use crate::limits::ConnectionLimits;
use crate::listeners::{Bound, Slot};
use crate::server::{ACCEPT_PAUSE, ConnectionInfo, Entry, Handler, Phase, Shared, lock};

/// Connections of addresses over their rate that are kept; a further one is closed at once.
const THROTTLED_MAX: usize = 1024;

/// Accepts on one listener from the opening of the gate until the server drains, or the listener is closed.
pub(crate) async fn accept<H: Handler>(
    shared: Arc<Shared<H>>,
    listener: Arc<Slot>,
    bound: Bound,
    mut phase: watch::Receiver<Phase>,
) {
    if phase.wait_for(|phase| *phase >= Phase::Serving).await.is_err() {
        return;
    }
    let Bound { socket, told } = bound;
    // Dropped in the opposite order: the socket first, then who waits for that is told.
    let _told = told;
    let socket = match TcpListener::from_std(socket) {
        Ok(socket) => socket,
        Err(error) => return log::error!("listener {} cannot be served: {error}", listener.name),
    };
    loop {
        let accepted = tokio::select! {
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => return,
            accepted = accept_one(&shared, &listener, &socket) => accepted,
        };
        match accepted {
            Ok((stream, peer)) => admit(&shared, &listener, stream, peer),
            Err(error) => {
                log::warn!("accepting on listener {} failed: {error}", listener.name);
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Accepts one connection and waits until there is room for it and not too many have come, as Kafka does; the next ones
/// stay in the backlog.
async fn accept_one<H: Handler>(
    shared: &Shared<H>,
    listener: &Slot,
    socket: &TcpListener,
) -> io::Result<(TcpStream, SocketAddr)> {
    let accepted = socket.accept().await?;
    let is_protected = shared.is_protected(listener);
    let delay = {
        let limits = shared.limits();
        lock(&shared.arrivals).record(&limits, listener, is_protected, shared.now_ms())
    };
    if !delay.is_zero() {
        shared.metrics.delayed.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(delay).await;
    }
    loop {
        let room = shared.room.notified();
        let limits = shared.limits();
        let open_here = lock(&shared.books).per_listener.get(&listener.id).copied().unwrap_or(0);
        if open_here < limits.of_listener(listener).connections_max {
            if shared.metrics.connections.load(Ordering::SeqCst) < limits.connections_max {
                return Ok(accepted);
            }
            if is_protected {
                shared.close_least_recently_used(1);
                return Ok(accepted);
            }
        }
        room.await;
    }
}

/// Keeps a connection whose address opens too many at once, unserved until its time is over; gives it back if it may be
/// served.
fn turn_away<H: Handler>(shared: &Arc<Shared<H>>, listener: &Slot, stream: TcpStream, ip: IpAddr) -> Option<TcpStream> {
    let limits = shared.limits();
    let of_listener = (listener, shared.is_protected(listener));
    let Some(delay) = lock(&shared.arrivals).record_ip(&limits, of_listener, ip, shared.now_ms()) else {
        return Some(stream);
    };
    shared.metrics.throttled.fetch_add(1, Ordering::Relaxed);
    if shared.throttled.fetch_add(1, Ordering::SeqCst) >= THROTTLED_MAX {
        shared.throttled.fetch_sub(1, Ordering::SeqCst);
        return None;
    }
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        tokio::time::sleep(delay).await;
        drop(stream);
        shared.throttled.fetch_sub(1, Ordering::SeqCst);
    });
    None
}

/// Registers a connection and starts its task on the next reactor.
fn admit<H: Handler>(shared: &Arc<Shared<H>>, listener: &Arc<Slot>, stream: TcpStream, peer: SocketAddr) {
    let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
    let ip = peer.ip().to_canonical();
    let Some(stream) = turn_away(shared, listener, stream, ip) else {
        return;
    };
    let limit = shared.limits().of_ip(ip);
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
    *books.per_listener.entry(listener.id).or_default() += 1;
    let entry = Entry {
        task: None,
        activity: Arc::clone(&activity),
        slot: Arc::clone(listener),
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
        listener: Arc::clone(&listener.name),
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
        let count = u64::try_from(self.reactors_in_use.load(Ordering::Relaxed)).unwrap_or(1);
        usize::try_from(id % count.max(1)).unwrap_or(0)
    }

    /// Milliseconds since the server was made.
    fn now_ms(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// Who may connect.
    pub(crate) fn limits(&self) -> Arc<ConnectionLimits> {
        Arc::clone(&self.limits.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The name of the listener that may pass the limit of all connections, while there is another one.
    fn protected(&self) -> Option<&str> {
        let is_alone = lock(&self.listeners).len() < 2;
        (!is_alone).then_some(self.config.protected_listener.as_str())
    }

    fn is_protected(&self, listener: &Slot) -> bool {
        self.protected() == Some(&*listener.name)
    }

    /// Closes what is open beyond a limit that was lowered.
    pub(crate) fn close_excess(&self) {
        let open = self.metrics.connections.load(Ordering::SeqCst);
        self.close_least_recently_used(open.saturating_sub(self.limits().connections_max));
    }

    /// Makes room by closing connections of listeners that are not protected.
    fn close_least_recently_used(&self, count: usize) {
        if count == 0 {
            return;
        }
        let protected = self.protected();
        let books = lock(&self.books);
        let others = books
            .entries
            .values()
            .filter(|entry| protected != Some(&*entry.slot.name));
        let mut others: Vec<_> = others.collect();
        others.sort_by_key(|entry| entry.activity.last_ms());
        for task in others.iter().filter_map(|entry| entry.task.as_ref()).take(count) {
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
            if let Some(open) = books.per_listener.get_mut(&entry.slot.id) {
                *open = open.saturating_sub(1);
                if *open == 0 {
                    books.per_listener.remove(&entry.slot.id);
                }
            }
        }
        drop(books);
        self.metrics.connections.fetch_sub(1, Ordering::SeqCst);
        self.gone.notify_all();
        self.room.notify_waiters();
    }
}
