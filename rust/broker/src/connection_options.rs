//! Which connections the options and the quotas of addresses allow, as they are set at the start and later.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::sync::{Mutex, MutexGuard, PoisonError};

use barnabas_net::limits::{ConnectionLimits, ListenerLimits};
use barnabas_net::rate::Window;

use crate::config::{OptionError, OptionMap, OptionReader, refuse};

const CONNECTIONS: &str = "max.connections";
const NETWORK_THREADS: &str = "num.network.threads";
const CREATION_RATE: &str = "max.connection.creation.rate";
const OF_LISTENER: &str = "listener.name.";
/// Kafka's default of most limits, which is none.
const NO_LIMIT: i32 = i32::MAX;

/// What decides the limits, and whether the server has them already.
#[derive(Debug)]
pub(crate) struct ConnectionSettings(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Set for this start.
    fixed: OptionMap,
    /// Set later.
    dynamic: OptionMap,
    ip_rate: Option<f64>,
    ip_rates: HashMap<IpAddr, f64>,
    is_changed: bool,
}

impl ConnectionSettings {
    /// Checks what is set for this start.
    pub(crate) fn new(fixed: &OptionMap) -> Result<Self, OptionError> {
        let state = State {
            fixed: fixed.clone(),
            dynamic: OptionMap::new(),
            ip_rate: None,
            ip_rates: HashMap::new(),
            is_changed: false,
        };
        state.limits()?;
        Ok(Self(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limits that are in force.
    pub(crate) fn limits(&self) -> Result<ConnectionLimits, OptionError> {
        self.state().limits()
    }

    /// What is set beside the options of this start from here on.
    pub(crate) fn set_options(&self, dynamic: &OptionMap) {
        let mut state = self.state();
        if state.dynamic != *dynamic {
            state.dynamic.clone_from(dynamic);
            state.is_changed = true;
        }
    }

    /// New connections per second of an address; of all others without one.
    pub(crate) fn set_ip_rate(&self, ip: Option<&str>, rate: Option<f64>) {
        let mut state = self.state();
        state.is_changed = true;
        let address = match ip {
            None => {
                state.ip_rate = rate;
                return;
            }
            Some("localhost") => IpAddr::V4(Ipv4Addr::LOCALHOST),
            Some(text) => match text.parse::<IpAddr>() {
                Ok(address) => address.to_canonical(),
                Err(error) => return log::error!("a quota is set for {text}, which is no address: {error}"),
            },
        };
        match rate {
            Some(rate) => state.ip_rates.insert(address, rate),
            None => state.ip_rates.remove(&address),
        };
    }

    /// How many reactors were asked for after the start, if any were.
    pub(crate) fn network_threads(&self) -> Result<Option<usize>, OptionError> {
        let state = self.state();
        let reader = OptionReader {
            layers: &[&state.dynamic],
        };
        let wanted: i64 = reader.number(NETWORK_THREADS, 0)?;
        Ok(usize::try_from(wanted).ok().filter(|wanted| *wanted > 0))
    }

    /// The limits, if they have changed since this was last asked.
    pub(crate) fn take_changed(&self) -> Option<ConnectionLimits> {
        let mut state = self.state();
        if !std::mem::take(&mut state.is_changed) {
            return None;
        }
        let limits = state.limits();
        limits
            .inspect_err(|error| log::error!("the limits of connections stay as they are: {error}"))
            .ok()
    }
}

impl State {
    fn limits(&self) -> Result<ConnectionLimits, OptionError> {
        let reader = OptionReader {
            layers: &[&self.dynamic, &self.fixed],
        };
        let connections_max = count(&reader, CONNECTIONS, usize::MAX)?;
        let creation_rate = rate(&reader, CREATION_RATE, f64::INFINITY)?;
        let of_listener = |name: &str| {
            let limits = ListenerLimits {
                connections_max: count(&reader, &format!("{OF_LISTENER}{name}.{CONNECTIONS}"), connections_max)?,
                creation_rate: rate(&reader, &format!("{OF_LISTENER}{name}.{CREATION_RATE}"), creation_rate)?,
            };
            Ok((name.to_owned(), limits))
        };
        // Also of listeners that are not there now: they may be opened at any time.
        let options = self.fixed.keys().chain(self.dynamic.keys());
        let listeners: BTreeSet<&str> = options.filter_map(|option| listener_of(option)).collect();
        Ok(ConnectionLimits {
            connections_max,
            listeners: listeners
                .into_iter()
                .map(of_listener)
                .collect::<Result<_, OptionError>>()?,
            per_ip_max: count(&reader, "max.connections.per.ip", usize::MAX)?,
            per_ip_overrides: per_ip_overrides(&reader)?,
            creation_rate,
            ip_creation_rate: self.ip_rate,
            ip_creation_rates: self.ip_rates.clone(),
            window: quota_window(&reader, "quota")?,
        })
    }
}

/// The listener that an option is for, if it limits the connections of a single one.
fn listener_of(option: &str) -> Option<&str> {
    let (listener, limit) = option.strip_prefix(OF_LISTENER)?.split_once('.')?;
    (limit == CONNECTIONS || limit == CREATION_RATE).then_some(listener)
}

/// Over what the quotas whose options begin like this are measured.
pub(crate) fn quota_window(reader: &OptionReader<'_>, prefix: &str) -> Result<Window, OptionError> {
    let seconds: i64 = reader.number(&format!("{prefix}.window.size.seconds"), 1)?;
    Ok(Window {
        samples: reader.number(&format!("{prefix}.window.num"), 11)?,
        size_ms: seconds.saturating_mul(1000),
    })
}

fn count(reader: &OptionReader<'_>, name: &str, default: usize) -> Result<usize, OptionError> {
    Ok(match reader.number(name, -1)? {
        -1 => default,
        NO_LIMIT => usize::MAX,
        limit => usize::try_from(limit).unwrap_or(0),
    })
}

fn rate(reader: &OptionReader<'_>, name: &str, default: f64) -> Result<f64, OptionError> {
    Ok(match reader.number(name, -1)? {
        -1 => default,
        NO_LIMIT => f64::INFINITY,
        limit => f64::from(limit),
    })
}

/// `host:count` of each address that a host's name stands for.
fn per_ip_overrides(reader: &OptionReader<'_>) -> Result<HashMap<IpAddr, usize>, OptionError> {
    const NAME: &str = "max.connections.per.ip.overrides";
    let text = reader.text(NAME).unwrap_or_default();
    let mut overrides = HashMap::new();
    for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        let (host, count) = item
            .rsplit_once(':')
            .ok_or_else(|| refuse(NAME, text, "must be host:count, separated by commas"))?;
        let count = count
            .trim()
            .parse()
            .map_err(|error: std::num::ParseIntError| refuse(NAME, text, &error.to_string()))?;
        let host = host.trim().trim_start_matches('[').trim_end_matches(']');
        let addresses = (host, 0)
            .to_socket_addrs()
            .map_err(|error| refuse(NAME, text, &format!("{host}: {error}")))?;
        overrides.extend(addresses.map(|address| (address.ip().to_canonical(), count)));
    }
    Ok(overrides)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers, which are exact")]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> OptionMap {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn settings(pairs: &[(&str, &str)]) -> Result<ConnectionSettings, OptionError> {
        ConnectionSettings::new(&map(pairs))
    }

    #[test]
    fn limits_of_addresses() {
        let settings = settings(&[("max.connections.per.ip.overrides", "127.0.0.1:5, [::1]:7")]);
        let overrides = settings.unwrap().limits().unwrap().per_ip_overrides;
        assert_eq!(overrides[&"127.0.0.1".parse::<IpAddr>().unwrap()], 5);
        assert_eq!(overrides[&"::1".parse::<IpAddr>().unwrap()], 7);
    }

    #[test]
    fn bad_overrides_are_refused() {
        for bad in ["127.0.0.1", "127.0.0.1:x"] {
            assert!(settings(&[("max.connections.per.ip.overrides", bad)]).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_listener_without_limits_has_the_brokers() {
        let settings = settings(&[
            ("max.connections", "10"),
            ("listener.name.other.max.connections", "3"),
            ("listener.name.plaintext.max.connection.creation.rate", "7"),
        ]);
        let settings = settings.unwrap();
        let limits = settings.limits().unwrap();
        let expected =
            [("plaintext", 10, 7.0), ("other", 3, f64::INFINITY)].map(|(name, connections_max, creation_rate)| {
                let limits = ListenerLimits {
                    connections_max,
                    creation_rate,
                };
                (name.to_owned(), limits)
            });
        assert_eq!(limits.listeners, HashMap::from(expected));
        settings.set_options(&map(&[("max.connections", "4"), ("max.connection.creation.rate", "2")]));
        let limits = settings.take_changed().unwrap();
        assert_eq!(
            (limits.connections_max, limits.listeners["plaintext"].connections_max),
            (4, 4)
        );
        assert_eq!(
            (limits.creation_rate, limits.listeners["other"].creation_rate),
            (2.0, 2.0)
        );
        assert!(settings.take_changed().is_none());
    }

    #[test]
    fn rates_of_addresses_come_and_go() {
        let settings = settings(&[]).unwrap();
        settings.set_ip_rate(None, Some(5.0));
        settings.set_ip_rate(Some("::ffff:10.0.0.1"), Some(9.0));
        settings.set_ip_rate(Some("localhost"), Some(3.0));
        let limits = settings.take_changed().unwrap();
        assert_eq!(limits.ip_creation_rate, Some(5.0));
        assert_eq!(limits.ip_creation_rates[&"10.0.0.1".parse::<IpAddr>().unwrap()], 9.0);
        assert_eq!(limits.ip_creation_rates[&"127.0.0.1".parse::<IpAddr>().unwrap()], 3.0);
        settings.set_ip_rate(Some("10.0.0.1"), None);
        settings.set_ip_rate(None, None);
        let limits = settings.take_changed().unwrap();
        assert_eq!((limits.ip_creation_rate, limits.ip_creation_rates.len()), (None, 1));
    }
}
