//! From a frame to the handler of its API.
//!
//! What cannot be read, and a key or version that is not served, closes the connection, as Kafka does; ApiVersions alone
//! answers a version that it does not know.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use barnabas_net::framing::Frame;
use barnabas_net::part::Response;
use barnabas_net::server::{ConnectionInfo, Handler, Outcome, Served};
use barnabas_wire::api;
use barnabas_wire::header::decode_request_header;

use crate::broker::Broker;
use crate::cold_reader::ColdReader;
use crate::control::{ApiRequest, Event};
use crate::quotas::Account;
use crate::reply::ReplyTo;
use crate::stored::StoredFile;
use crate::{
    api_versions, delete_records, describe_topic_partitions, fetch, list_offsets, metadata, offset_for_leader_epoch,
    produce, produce_plan, throttle,
};

/// The other end of a connection.
#[derive(Debug)]
pub struct Peer {
    /// The connection; never used twice in a broker's life.
    pub connection_id: u64,
    /// The listener that it came in by.
    pub listener: Arc<str>,
    /// The peer's address.
    pub host: String,
    /// The peer's port.
    pub port: u16,
    /// Name and version of the client's software, as it told with ApiVersions.
    pub(crate) software: OnceLock<(String, String)>,
    /// Where its fetches look for what they send.
    pub(crate) reader: ColdReader,
    /// Whether the control plane has seen it, and so wants to know of its end.
    is_known_to_control: AtomicBool,
    /// What its requests are charged to, if there are quotas.
    pub(crate) account: Mutex<Option<Arc<Account>>>,
}

impl Peer {
    fn new(connection_id: u64, listener: Arc<str>, address: SocketAddr) -> Self {
        Self {
            connection_id,
            listener,
            host: address.ip().to_canonical().to_string(),
            port: address.port(),
            software: OnceLock::new(),
            reader: ColdReader::default(),
            is_known_to_control: AtomicBool::new(false),
            account: Mutex::default(),
        }
    }

    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self::new(1, Arc::from("PLAINTEXT"), SocketAddr::from(([127, 0, 0, 1], 1)))
    }

    /// Name and version of the client's software; "unknown" as in Kafka where it did not tell.
    pub fn software(&self) -> (&str, &str) {
        self.software
            .get()
            .map_or(("unknown", "unknown"), |(name, version)| (name, version))
    }
}

/// What is kept per connection.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionState {
    pub(crate) peer: Arc<Peer>,
    reactor: usize,
    /// The API of the request that is executed, or was last.
    api_key: i16,
}

/// Runs requests on the reactor threads.
#[derive(Debug)]
pub(crate) struct Dispatch(pub(crate) Arc<Broker>);

impl Handler for Dispatch {
    type File = StoredFile;
    type Connection = ConnectionState;

    fn connected(&self, info: ConnectionInfo) -> ConnectionState {
        ConnectionState {
            peer: Arc::new(Peer::new(info.id, info.listener, info.peer)),
            reactor: info.reactor,
            api_key: -1,
        }
    }

    fn handle(
        &self,
        connection: &mut ConnectionState,
        frame: Frame<'_>,
        arrival: Instant,
        response: &mut Response<StoredFile>,
    ) -> Outcome<StoredFile> {
        self.0.metrics.requests.increment();
        connection.api_key = api_key_of(&frame);
        if self.0.hooks.is_armed() {
            return self.hooked(connection, frame, arrival, response);
        }
        self.execute(connection, frame, arrival, response)
    }

    fn served(&self, connection: &mut ConnectionState, served: &Served) {
        if connection.api_key == api::FETCH {
            connection.peer.reader.note_sent(served.found_cold);
        }
        self.0.api_metrics.count(connection.reactor, connection.api_key, served);
    }

    fn is_kept(&self, frame: &[u8]) -> bool {
        // What a fetch waits with is decoded; everything else that waits holds its request, or a copy of it.
        api_key_of(frame) != api::FETCH
    }

    fn disconnected(&self, connection: &mut ConnectionState) {
        if connection.peer.is_known_to_control.load(Ordering::Relaxed) {
            let control = &self.0.control;
            let connection_id = connection.peer.connection_id;
            control.push(Event::Closed {
                stamp_ms: control.clock.now(),
                connection_id,
            });
        }
    }
}

/// The first two bytes of a frame; -1 if there are none.
fn api_key_of(frame: &[u8]) -> i16 {
    frame.first_chunk().map_or(-1, |key| i16::from_be_bytes(*key))
}

impl Dispatch {
    /// Reads a request's header and runs it.
    pub(crate) fn execute(
        &self,
        connection: &ConnectionState,
        frame: Frame<'_>,
        arrival: Instant,
        response: &mut Response<StoredFile>,
    ) -> Outcome<StoredFile> {
        let broker = &self.0;
        let Ok((header, body)) = decode_request_header(&frame) else {
            return broker.refuse();
        };
        let to = ReplyTo {
            api_key: header.api_key,
            api_version: header.api_version,
            correlation_id: header.correlation_id,
        };
        if !broker.versions.is_served(to.api_key, to.api_version) {
            return if to.api_key == api::API_VERSIONS {
                api_versions::refuse_version(broker, to, response)
            } else {
                broker.refuse()
            };
        }
        let peer = &connection.peer;
        let charge = broker.quotas.charge(peer, header.client_id);
        let outcome = match to.api_key {
            api::PRODUCE => {
                let is_admin = produce_plan::is_admin(header.client_id);
                let begin = frame.len() - body.len();
                let body = produce::Body { frame, begin };
                return produce::handle(broker, peer, is_admin, charge, to, body, response);
            }
            api::FETCH => return fetch::handle(broker, peer, charge, to, body, arrival, response),
            api::LIST_OFFSETS => list_offsets::handle(broker, to, body, response),
            api::OFFSET_FOR_LEADER_EPOCH => offset_for_leader_epoch::handle(broker, to, body, response),
            api::DELETE_RECORDS => delete_records::handle(broker, to, body),
            api::DESCRIBE_TOPIC_PARTITIONS => describe_topic_partitions::handle(broker, peer, to, body, response),
            api::API_VERSIONS => {
                let throttle_ms = charge.map_or(0, |charge| charge.request());
                let outcome = api_versions::handle(broker, peer, to, body, throttle_ms, response);
                response.mute_ms = throttle_ms;
                return outcome;
            }
            api::METADATA => {
                let creation = metadata::Creation::of(broker);
                match metadata::handle(broker, peer, to, body, creation, response) {
                    metadata::Answer::Done(outcome) => outcome,
                    metadata::Answer::MustCreate => {
                        let request = self.request(connection, &header, body, arrival);
                        return Outcome::Wait(broker.control.submit(request, to, true, charge));
                    }
                }
            }
            _ => {
                let request = self.request(connection, &header, body, arrival);
                return Outcome::Wait(broker.control.submit(request, to, false, charge));
            }
        };
        throttle::after(outcome, charge, to, response)
    }

    fn request(
        &self,
        connection: &ConnectionState,
        header: &barnabas_wire::header::RequestHeader<'_>,
        body: &[u8],
        arrival: Instant,
    ) -> ApiRequest {
        connection.peer.is_known_to_control.store(true, Ordering::Relaxed);
        let control = &self.0.control;
        self.0.metrics.control_requests.increment();
        ApiRequest {
            arrival,
            stamp_ms: control.clock.at(arrival),
            token: control.token(),
            peer: Arc::clone(&connection.peer),
            client_id: header.client_id.map(str::to_owned),
            api_key: header.api_key,
            api_version: header.api_version,
            body: body.to_vec(),
        }
    }
}
