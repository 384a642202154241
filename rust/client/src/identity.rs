//! The producer id of an idempotent producer: asked for once, its epoch raised here when a partition needs a new one.

use std::time::{Duration, Instant};

use barnabas_net::outbound::{Backoff, CloseReason};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::init_producer_id::{InitProducerIdRequest, InitProducerIdResponse};
use barnabas_wire::primitives::Reader;
use bytes::Bytes;

use crate::nodes::Purpose;
use crate::outbox::{Kind, Outbox, Send};
use crate::sequences::ProducerId;

/// `InitProducerId` versions that this client can use.
const VERSIONS: (i16, i16) = (0, 5);

/// The producer id: had, or being asked for.
#[derive(Debug)]
pub(crate) struct Identity {
    id: Option<ProducerId>,
    is_in_flight: bool,
    failures: u32,
    retry_at: Option<Instant>,
    backoff: Backoff,
}

/// A refusal that asking again does not mend.
#[derive(Debug)]
pub(crate) struct Refused {
    /// Kafka's error code.
    pub(crate) code: i16,
    pub(crate) message: String,
}

impl Identity {
    pub(crate) fn new(backoff: Backoff) -> Self {
        Self {
            id: None,
            is_in_flight: false,
            failures: 0,
            retry_at: None,
            backoff,
        }
    }

    pub(crate) fn id(&self) -> Option<ProducerId> {
        self.id
    }

    /// Asks any broker for a producer id, unless that is going on.
    pub(crate) fn ask(&mut self, outbox: &mut Outbox, producer: usize, timeout: Duration) -> Result<(), Refused> {
        if self.is_in_flight || self.retry_at.is_some_and(|at| at > outbox.now) {
            return Ok(());
        }
        let Some(node) = outbox.nodes.any_ready(outbox.now) else {
            return Ok(());
        };
        let Some(versions) = outbox.ready(node, Purpose::Rest) else {
            return Ok(());
        };
        let request = InitProducerIdRequest {
            transactional_id: None,
            transaction_timeout_ms: i32::MAX,
            ..InitProducerIdRequest::default()
        };
        let version = versions.choose(api::INIT_PRODUCER_ID, VERSIONS.0, VERSIONS.1);
        let Some((api_version, body)) = version.and_then(|version| Some((version, request.to_bytes(version).ok()?)))
        else {
            let message = "the broker has no idempotent producers: set enable.idempotence=false".to_owned();
            return Err(Refused {
                code: ErrorCode::UNSUPPORTED_VERSION.code(),
                message,
            });
        };
        let send = Send {
            node,
            purpose: Purpose::Rest,
            api_key: api::INIT_PRODUCER_ID,
            api_version,
            parts: vec![Bytes::from(body)],
            timeout,
            expects_response: true,
        };
        self.is_in_flight = outbox.send(send, Kind::InitProducerId { producer }).is_ok();
        Ok(())
    }

    /// Takes an answer in.
    pub(crate) fn on_answer(
        &mut self,
        now: Instant,
        api_version: i16,
        answer: Result<Bytes, CloseReason>,
    ) -> Result<(), Refused> {
        self.is_in_flight = false;
        let response = answer
            .ok()
            .and_then(|body| InitProducerIdResponse::decode(&mut Reader::new(&body), api_version).ok());
        if let Some(response) = response.as_ref().filter(|response| response.error_code == 0) {
            self.id = Some(ProducerId {
                id: response.producer_id,
                epoch: response.producer_epoch,
            });
            self.failures = 0;
            self.retry_at = None;
            return Ok(());
        }
        self.failures = self.failures.saturating_add(1);
        self.retry_at = Some(now + self.backoff.after(self.failures));
        match response.map(|response| ErrorCode(response.error_code)) {
            Some(code) if !code.retriable() => Err(Refused {
                code: code.code(),
                message: code.message().to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// A producer id that is newer than `old`; `None` while one has to be asked for, because the epochs are used up.
    pub(crate) fn newer_than(&mut self, old: ProducerId) -> Option<ProducerId> {
        let current = self.id?;
        if current == old {
            self.id = current
                .epoch
                .checked_add(1)
                .map(|epoch| ProducerId { id: current.id, epoch });
        }
        self.id
    }

    /// When to ask again.
    pub(crate) fn next_retry(&self, now: Instant) -> Option<Instant> {
        self.retry_at.filter(|at| *at > now)
    }
}
