//! Connections by broker and purpose: opened when wanted, opened again after a backoff, dropped when the address changes.
//! It knows no requests.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use barnabas_net::outbound::{
    Backoff, CloseReason, Connection, ConnectionId, ConnectionOptions, Jitter, VersionRanges,
};
use tokio::sync::mpsc::UnboundedSender;

use barnabas_net::outbound::ConnectionEvent;

/// What a connection is for. A broker executes one request per connection at a time, so what waits long (a parked fetch, a
/// join) has a connection of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Purpose {
    Fetch,
    Coordinator,
    Rest,
}

/// A broker's id. Bootstrap addresses, whose ids are unknown, count down from -2; -1 is Kafka's "no node".
pub(crate) type NodeId = i32;
const FIRST_BOOTSTRAP_ID: NodeId = -2;

/// host and port
pub(crate) type Address = (String, u16);

/// All connections of a client.
#[derive(Debug)]
pub(crate) struct Nodes {
    options: ConnectionOptions,
    events: UnboundedSender<ConnectionEvent>,
    bootstrap: Vec<Address>,
    addresses: BTreeMap<NodeId, Address>,
    slots: BTreeMap<(NodeId, Purpose), Slot>,
    by_connection: HashMap<ConnectionId, (NodeId, Purpose)>,
    next_connection: u64,
    backoff: Backoff,
    setup: Backoff,
    may_rebootstrap: bool,
    jitter: Jitter,
    /// Connections opened since the start.
    pub(crate) opened: u64,
}

#[derive(Debug, Default)]
struct Slot {
    state: SlotState,
    /// Failures in a row.
    failures: u32,
    retry_at: Option<Instant>,
    /// Asked for while it could not be opened.
    is_wanted: bool,
}

#[derive(Debug, Default)]
enum SlotState {
    #[default]
    Closed,
    Connecting(Connection),
    Ready(Connection, Arc<VersionRanges>),
}

impl Nodes {
    pub(crate) fn new(
        options: ConnectionOptions,
        bootstrap: Vec<Address>,
        backoff: Backoff,
        setup: Backoff,
        may_rebootstrap: bool,
        events: UnboundedSender<ConnectionEvent>,
    ) -> Self {
        Self {
            options,
            events,
            bootstrap,
            addresses: BTreeMap::new(),
            slots: BTreeMap::new(),
            by_connection: HashMap::new(),
            next_connection: 0,
            backoff,
            setup,
            may_rebootstrap,
            jitter: Jitter::new(),
            opened: 0,
        }
    }

    /// The brokers that the cluster has now. Connections to brokers that moved are closed.
    pub(crate) fn set_addresses(&mut self, addresses: BTreeMap<NodeId, Address>) {
        let old = std::mem::replace(&mut self.addresses, addresses);
        let moved: Vec<NodeId> = old
            .iter()
            .filter(|(id, address)| self.addresses.get(id).is_none_or(|new| new != *address))
            .map(|(id, _)| *id)
            .collect();
        for id in moved {
            self.slots.retain(|(node, _), _| *node != id);
        }
        if !self.addresses.is_empty() {
            // Bootstrap connections have done their work, unless something is still on them.
            self.slots.retain(|(node, _), slot| {
                *node > FIRST_BOOTSTRAP_ID
                    || matches!(&slot.state, SlotState::Ready(connection, _) if connection.in_flight() > 0)
            });
        }
    }

    /// Forgets the brokers, so that the cluster is looked for where the client started (KIP-1102). False if it may not.
    pub(crate) fn rebootstrap(&mut self) -> bool {
        if self.may_rebootstrap {
            self.addresses.clear();
            self.slots.clear();
        }
        self.may_rebootstrap
    }

    /// Adds a broker that something other than metadata named.
    pub(crate) fn add_address(&mut self, id: NodeId, address: Address) {
        self.addresses.entry(id).or_insert(address);
    }

    fn address(&self, id: NodeId) -> Option<&Address> {
        if id > FIRST_BOOTSTRAP_ID {
            return self.addresses.get(&id);
        }
        let index = usize::try_from(FIRST_BOOTSTRAP_ID.checked_sub(id)?).ok()?;
        self.bootstrap.get(index)
    }

    /// "host:port" for messages.
    pub(crate) fn describe(&self, id: NodeId) -> String {
        self.address(id).map_or_else(
            || format!("broker {id}"),
            |(host, port)| format!("broker {id} ({host}:{port})"),
        )
    }

    /// What the broker serves, if the connection is ready and can take a request; else opens it as soon as it may.
    pub(crate) fn ready(&mut self, id: NodeId, purpose: Purpose, now: Instant) -> Option<Arc<VersionRanges>> {
        let address = self.address(id)?.clone();
        let slot = self.slots.entry((id, purpose)).or_default();
        match &slot.state {
            SlotState::Ready(connection, versions) => {
                return (connection.in_flight() < barnabas_net::outbound::IN_FLIGHT_MAX).then(|| Arc::clone(versions));
            }
            SlotState::Connecting(_) => return None,
            SlotState::Closed => {}
        }
        if slot.retry_at.is_some_and(|retry_at| retry_at > now) {
            slot.is_wanted = true;
            return None;
        }
        self.next_connection += 1;
        self.opened += 1;
        let connection_id = ConnectionId(self.next_connection);
        let (host, port) = address;
        let options = ConnectionOptions {
            setup_timeout: self.setup.after(slot.failures.saturating_add(1)),
            ..self.options.clone()
        };
        slot.state = SlotState::Connecting(Connection::open(
            connection_id,
            host,
            port,
            options,
            self.events.clone(),
        ));
        slot.is_wanted = false;
        self.by_connection.insert(connection_id, (id, purpose));
        None
    }

    /// The connection, if it is ready.
    pub(crate) fn connection(&mut self, id: NodeId, purpose: Purpose) -> Option<&mut Connection> {
        match &mut self.slots.get_mut(&(id, purpose))?.state {
            SlotState::Ready(connection, _) => Some(connection),
            _ => None,
        }
    }

    /// A broker whose connection for other things is ready, the least loaded one; else opens one and says nothing.
    pub(crate) fn any_ready(&mut self, now: Instant) -> Option<NodeId> {
        let known: Vec<NodeId> = self.addresses.keys().copied().collect();
        if let Some(id) = self.least_loaded(&known) {
            return Some(id);
        }
        if self.open_one(&known, now) {
            return None;
        }
        if !known.is_empty() && !self.may_rebootstrap {
            return None;
        }
        // Nothing is known, or nobody answers: where the client started may have moved on.
        let bootstrap: Vec<NodeId> = (0..self.bootstrap.len())
            .filter_map(|index| FIRST_BOOTSTRAP_ID.checked_sub(NodeId::try_from(index).ok()?))
            .collect();
        if let Some(id) = self.least_loaded(&bootstrap) {
            return Some(id);
        }
        self.open_one(&bootstrap, now);
        None
    }

    fn least_loaded(&self, ids: &[NodeId]) -> Option<NodeId> {
        let ready = ids
            .iter()
            .filter_map(|id| match &self.slots.get(&(*id, Purpose::Rest))?.state {
                SlotState::Ready(connection, _) => Some((connection.in_flight(), *id)),
                _ => None,
            });
        ready.min().map(|(_, id)| id)
    }

    /// Starts connecting to one of the brokers, at random, unless one is connecting already. False if none may be tried now.
    fn open_one(&mut self, ids: &[NodeId], now: Instant) -> bool {
        let state = |id: &NodeId| self.slots.get(&(*id, Purpose::Rest));
        if ids
            .iter()
            .filter_map(state)
            .any(|slot| matches!(slot.state, SlotState::Connecting(_)))
        {
            return true;
        }
        let may_try: Vec<NodeId> = ids
            .iter()
            .copied()
            .filter(|id| state(id).is_none_or(|slot| slot.retry_at.is_none_or(|retry_at| retry_at <= now)))
            .collect();
        let count = u64::try_from(may_try.len()).unwrap_or(0);
        let index = usize::try_from(self.jitter.below(count)).unwrap_or(0);
        let Some(id) = may_try.get(index) else {
            for id in ids {
                self.slots.entry((*id, Purpose::Rest)).or_default().is_wanted = true;
            }
            return false;
        };
        self.ready(*id, Purpose::Rest, now);
        true
    }

    /// A connection became ready.
    pub(crate) fn on_ready(&mut self, connection: ConnectionId, versions: Arc<VersionRanges>) {
        let Some(slot) = self
            .by_connection
            .get(&connection)
            .and_then(|key| self.slots.get_mut(key))
        else {
            return;
        };
        slot.state = match std::mem::take(&mut slot.state) {
            SlotState::Connecting(handle) if handle.id() == connection => SlotState::Ready(handle, versions),
            other => other,
        };
        slot.failures = 0;
        slot.retry_at = None;
    }

    /// A connection closed: whose it was.
    pub(crate) fn on_closed(
        &mut self,
        connection: ConnectionId,
        reason: &CloseReason,
        now: Instant,
    ) -> Option<(NodeId, Purpose)> {
        let key = self.by_connection.remove(&connection)?;
        if let Some(slot) = self.slots.get_mut(&key) {
            let is_current = match &slot.state {
                SlotState::Connecting(handle) | SlotState::Ready(handle, _) => handle.id() == connection,
                SlotState::Closed => false,
            };
            if is_current {
                tell(&self.options.client_id, reason);
                slot.state = SlotState::Closed;
                if !matches!(reason, CloseReason::Idle | CloseReason::Requested) {
                    slot.failures = slot.failures.saturating_add(1);
                    slot.retry_at = now.checked_add(self.backoff.after(slot.failures));
                }
            }
        }
        Some(key)
    }

    /// Whether the last attempt to reach this broker failed and none has succeeded since.
    pub(crate) fn is_failing(&self, id: NodeId, purpose: Purpose) -> bool {
        self.slots.get(&(id, purpose)).is_some_and(|slot| slot.failures > 0)
    }

    /// When a connection that is wanted may be tried again.
    pub(crate) fn next_retry(&self, now: Instant) -> Option<Instant> {
        self.slots
            .values()
            .filter(|slot| slot.is_wanted)
            .filter_map(|slot| slot.retry_at)
            .filter(|at| *at > now)
            .min()
    }

    /// Connections that are ready, and requests unanswered on them.
    pub(crate) fn usage(&self) -> (usize, usize) {
        let ready = self.slots.values().filter_map(|slot| match &slot.state {
            SlotState::Ready(connection, _) => Some(connection.in_flight()),
            _ => None,
        });
        ready.fold((0, 0), |(count, in_flight), more| (count + 1, in_flight + more))
    }
}

/// Says in the log what users look for when nothing goes forth or back; with Kafka's levels.
fn tell(client_id: &str, reason: &CloseReason) {
    let who = prefix(client_id);
    match reason {
        CloseReason::Idle | CloseReason::Requested => {}
        CloseReason::PeerClosed { .. } => log::info!("{who}{reason}"),
        _ => log::warn!("{who}{reason}"),
    }
}

/// What a line of the log begins with: which client it is about, if that has a name.
pub(crate) fn prefix(client_id: &str) -> String {
    if client_id.is_empty() {
        String::new()
    } else {
        format!("{client_id}: ")
    }
}
