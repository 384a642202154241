//! Who may connect: how many connections, and how fast new ones may come, in all, by listener and by address.
//!
//! Rules and order are Kafka's (`ConnectionQuotas`): over the rate of the broker or of a listener accepting waits; over the
//! rate of an address its connection is not served, and closed when its time is over.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use crate::listeners::Slot;
use crate::rate::{Rate, Window};

/// Addresses whose rates are kept apart; further ones share a rate.
const ADDRESSES_MAX: usize = 16 * 1024;
/// Addresses above which those that have been quiet are forgotten.
const ADDRESSES_KEPT: usize = 256;
/// Stands for all addresses above that number.
const OTHERS: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

/// Limits of one listener.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListenerLimits {
    /// Open connections; over it nothing more is accepted (`listener.name.….max.connections`).
    pub connections_max: usize,
    /// New connections per second (`listener.name.….max.connection.creation.rate`).
    pub creation_rate: f64,
}

/// Limits of connections; they can be changed while a server runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectionLimits {
    /// Open connections; over it nothing more is accepted (`max.connections`).
    pub connections_max: usize,
    /// By the listener's name in lower case; those that are not named have the limits of the broker.
    pub listeners: HashMap<String, ListenerLimits>,
    /// Open connections of one address; over it a new one is closed (`max.connections.per.ip`).
    pub per_ip_max: usize,
    /// The same for some addresses (`max.connections.per.ip.overrides`).
    pub per_ip_overrides: HashMap<IpAddr, usize>,
    /// New connections per second (`max.connection.creation.rate`).
    pub creation_rate: f64,
    /// New connections per second of an address; `None`: no limit.
    pub ip_creation_rate: Option<f64>,
    /// The same for some addresses.
    pub ip_creation_rates: HashMap<IpAddr, f64>,
    /// What rates are measured over.
    pub window: Window,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections_max: usize::MAX,
            listeners: HashMap::new(),
            per_ip_max: usize::MAX,
            per_ip_overrides: HashMap::new(),
            creation_rate: f64::INFINITY,
            ip_creation_rate: None,
            ip_creation_rates: HashMap::new(),
            window: Window {
                samples: 11,
                size_ms: 1000,
            },
        }
    }
}

impl ConnectionLimits {
    pub(crate) fn of_listener(&self, listener: &Slot) -> ListenerLimits {
        self.listeners.get(&listener.key).copied().unwrap_or(ListenerLimits {
            connections_max: self.connections_max,
            creation_rate: self.creation_rate,
        })
    }

    pub(crate) fn of_ip(&self, ip: IpAddr) -> usize {
        self.per_ip_overrides.get(&ip).copied().unwrap_or(self.per_ip_max)
    }

    fn rate_of_ip(&self, ip: IpAddr) -> Option<f64> {
        self.ip_creation_rates.get(&ip).copied().or(self.ip_creation_rate)
    }

    /// No connection waits longer than a window.
    fn bounded(&self, throttle_ms: u64) -> Duration {
        Duration::from_millis(throttle_ms.min(self.window.size_ms.unsigned_abs()))
    }
}

/// How fast connections have come.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    all: Rate,
    listeners: HashMap<usize, Rate>,
    addresses: HashMap<IpAddr, Rate>,
    /// When the addresses were last looked through, and how many were left.
    looked_ms: i64,
    left: usize,
}

impl Arrivals {
    /// Counts a connection; says how long accepting has to wait. That of the protected listener is not the broker's.
    pub(crate) fn record(
        &mut self,
        limits: &ConnectionLimits,
        listener: &Slot,
        is_protected: bool,
        now_ms: i64,
    ) -> Duration {
        let mut throttle_ms = 0;
        if !is_protected {
            self.all.record(limits.window, 1.0, now_ms);
            throttle_ms = self.all.throttle_ms(limits.window, limits.creation_rate, now_ms);
        }
        let rate = self.listeners.entry(listener.id).or_default();
        rate.record(limits.window, 1.0, now_ms);
        let limit = limits.of_listener(listener).creation_rate;
        throttle_ms = throttle_ms.max(rate.throttle_ms(limits.window, limit, now_ms));
        limits.bounded(throttle_ms)
    }

    /// Counts the same connection for its address. If that has too many, it is not counted anywhere, and the answer is
    /// how long it has to be kept before it is closed.
    pub(crate) fn record_ip(
        &mut self,
        limits: &ConnectionLimits,
        (listener, is_protected): (&Slot, bool),
        ip: IpAddr,
        now_ms: i64,
    ) -> Option<Duration> {
        let limit = limits.rate_of_ip(ip)?;
        let window = limits.window;
        self.forget_quiet_ones(window, now_ms);
        let is_known = self.addresses.contains_key(&ip);
        let key = if is_known || self.addresses.len() < ADDRESSES_MAX {
            ip
        } else {
            OTHERS
        };
        let rate = self.addresses.entry(key).or_default();
        rate.record(window, 1.0, now_ms);
        let throttle_ms = rate.throttle_ms(window, limit, now_ms);
        if throttle_ms == 0 {
            return None;
        }
        rate.record(window, -1.0, now_ms);
        if !is_protected {
            self.all.record(window, -1.0, now_ms);
        }
        self.listeners
            .entry(listener.id)
            .or_default()
            .record(window, -1.0, now_ms);
        Some(limits.bounded(throttle_ms))
    }

    /// A listener is closed.
    pub(crate) fn forget_listener(&mut self, id: usize) {
        self.listeners.remove(&id);
    }

    fn forget_quiet_ones(&mut self, window: Window, now_ms: i64) {
        let is_long_ago = now_ms.saturating_sub(self.looked_ms) >= window.total_ms();
        if self.addresses.len() >= ADDRESSES_KEPT && (is_long_ago || self.addresses.len() >= self.left * 2) {
            self.looked_ms = now_ms;
            self.addresses.retain(|_, rate| !rate.is_over(window, now_ms));
            self.left = self.addresses.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listener(id: usize) -> Slot {
        Slot {
            id,
            name: format!("L{id}").into(),
            key: format!("l{id}"),
        }
    }

    fn limits() -> ConnectionLimits {
        let of_listener = |creation_rate| ListenerLimits {
            connections_max: 5,
            creation_rate,
        };
        ConnectionLimits {
            creation_rate: 10.0,
            listeners: HashMap::from([
                ("l0".to_owned(), of_listener(3.0)),
                ("l1".to_owned(), of_listener(100.0)),
            ]),
            ..ConnectionLimits::default()
        }
    }

    #[test]
    fn accepting_waits_for_the_longer_of_broker_and_listener_and_at_most_a_window() {
        let limits = limits();
        let mut arrivals = Arrivals::default();
        // Ten seconds' worth of connections may come at once.
        for _ in 0..30 {
            assert_eq!(arrivals.record(&limits, &listener(0), false, 0), Duration::ZERO);
        }
        // One more of 3 a second is a third of a second too many; a protected listener's are its own business.
        assert_eq!(
            arrivals.record(&limits, &listener(0), true, 0),
            Duration::from_millis(333)
        );
        for _ in 30..100 {
            assert_eq!(arrivals.record(&limits, &listener(1), false, 0), Duration::ZERO);
        }
        assert_eq!(
            arrivals.record(&limits, &listener(1), false, 0),
            Duration::from_millis(100)
        );
        for _ in 0..100 {
            arrivals.record(&limits, &listener(1), false, 0);
        }
        assert_eq!(arrivals.record(&limits, &listener(1), false, 0), Duration::from_secs(1));
    }

    #[test]
    fn a_connection_that_its_address_may_not_open_is_counted_nowhere() {
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let limits = ConnectionLimits {
            ip_creation_rate: Some(1.0),
            ip_creation_rates: HashMap::from([(other, 100.0)]),
            creation_rate: 2.0,
            ..ConnectionLimits::default()
        };
        let mut arrivals = Arrivals::default();
        for _ in 0..10 {
            assert_eq!(arrivals.record(&limits, &listener(0), false, 0), Duration::ZERO);
            assert_eq!(arrivals.record_ip(&limits, (&listener(0), false), one, 0), None);
        }
        for _ in 0..50 {
            assert_eq!(arrivals.record(&limits, &listener(0), false, 0), Duration::ZERO);
            assert_eq!(
                arrivals.record_ip(&limits, (&listener(0), false), one, 0),
                Some(Duration::from_secs(1))
            );
        }
        assert_eq!(arrivals.record(&limits, &listener(0), false, 0), Duration::ZERO);
        assert_eq!(arrivals.record_ip(&limits, (&listener(0), false), other, 0), None);
    }

    #[test]
    fn the_number_of_addresses_is_bounded() {
        let limits = ConnectionLimits {
            ip_creation_rate: Some(1000.0),
            ..ConnectionLimits::default()
        };
        let mut arrivals = Arrivals::default();
        for number in 0..u32::try_from(2 * ADDRESSES_MAX).unwrap() {
            arrivals.record_ip(&limits, (&listener(0), false), IpAddr::V4(number.into()), 0);
        }
        assert_eq!(arrivals.addresses.len(), ADDRESSES_MAX + 1);
        let later_ms = limits.window.total_ms();
        arrivals.record_ip(&limits, (&listener(0), false), IpAddr::V4(7.into()), later_ms);
        assert_eq!(arrivals.addresses.len(), 1);
    }
}
