use super::*;

const WINDOW: Window = Window {
    samples: 11,
    size_ms: 1000,
};

fn quotas() -> Arc<ClientQuotas> {
    Arc::new(ClientQuotas::new(WINDOW, WINDOW))
}

fn of_client(name: &str) -> (Part, Part) {
    (Part::Any, Part::Named(name.to_owned()))
}

fn values(pairs: &[(&str, f64)]) -> HashMap<String, f64> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect()
}

fn charge(quotas: &Arc<ClientQuotas>, peer: &Peer, client: &str) -> Option<Charge> {
    quotas.charge(peer, Some(client))
}

#[test]
fn without_quotas_nothing_is_charged() {
    let (quotas, peer) = (quotas(), Peer::for_tests());
    assert!(charge(&quotas, &peer, "a").is_none());
    assert!(peer.account.lock().unwrap().is_none());
    quotas.set(&of_client("a"), &values(&[("producer_byte_rate", 1.0)]));
    assert!(charge(&quotas, &peer, "b").is_none());
    assert!(charge(&quotas, &peer, "a").is_some());
}

#[test]
fn connections_of_a_client_share_its_quota_and_changes_hold_at_once() {
    let (quotas, one, other) = (quotas(), Peer::for_tests(), Peer::for_tests());
    quotas.set(&of_client("a"), &values(&[("producer_byte_rate", 1000.0)]));
    assert_eq!(charge(&quotas, &one, "a").unwrap().produce(9_000, true), 0);
    let throttle_ms = charge(&quotas, &other, "a").unwrap().produce(6_000, true);
    assert!((4_000..=5_000).contains(&throttle_ms), "{throttle_ms}");
    quotas.set(&of_client("a"), &values(&[("producer_byte_rate", 2000.0)]));
    assert_eq!(charge(&quotas, &one, "a").unwrap().produce(0, true), 0);
    quotas.set(&of_client("a"), &values(&[]));
    assert!(charge(&quotas, &one, "a").is_none());
    let readings = quotas.readings(10);
    assert_eq!(readings.len(), 1);
    let (kind, _, client, reading) = &readings[0];
    assert_eq!((*kind, client.as_str(), reading.throttled), (Kind::Produce, "a", 1));
    assert_eq!(reading.throttled_ms, u64::from(throttle_ms));
}

#[test]
fn a_connection_may_change_its_client_id() {
    let (quotas, peer) = (quotas(), Peer::for_tests());
    quotas.set(&of_client("a"), &values(&[("consumer_byte_rate", 10.0)]));
    quotas.set(&of_client("b"), &values(&[("consumer_byte_rate", 1000.0)]));
    assert!(charge(&quotas, &peer, "a").unwrap().fetch(500) > 0);
    assert_eq!(charge(&quotas, &peer, "b").unwrap().fetch(500), 0);
    assert_eq!(charge(&quotas, &peer, "a").unwrap().fetch_bytes_max(), 100);
    assert_eq!(
        charge(&quotas, &peer, "a").unwrap().fetch(50),
        0,
        "what was not sent is not charged"
    );
}

#[test]
fn the_longer_time_counts_and_silence_is_not_charged_for_time() {
    let (quotas, peer) = (quotas(), Peer::for_tests());
    let both = values(&[("producer_byte_rate", 1000.0), ("request_percentage", 1.0)]);
    quotas.set(&of_client("a"), &both);
    let mut silent = charge(&quotas, &peer, "a").unwrap();
    silent.set_busy(Duration::from_secs(60));
    assert_eq!(silent.produce(10, false), 0);
    let mut busy = charge(&quotas, &peer, "a").unwrap();
    busy.set_busy(Duration::from_secs(60));
    assert_eq!(busy.produce(10, true), 1000);
    let throttle_ms = charge(&quotas, &peer, "a").unwrap().produce(100_000, true);
    assert!(throttle_ms > 80_000, "{throttle_ms}");
}

#[test]
fn what_nobody_uses_any_more_is_dropped_and_the_number_is_bounded() {
    let quotas = quotas();
    quotas.set(&(Part::Any, Part::Default), &values(&[("producer_byte_rate", 1000.0)]));
    let mut registry = quotas.registry.lock().unwrap();
    for number in 0..SENSORS_KEPT {
        let tags = Tags {
            user: String::new(),
            client_id: number.to_string(),
        };
        let sensor = Sensor::new(Kind::Produce, tags.clone(), WINDOW, 1.0, 0);
        registry.sensors.insert((Kind::Produce, tags), Arc::new(sensor));
    }
    drop(registry);
    let account = quotas.account(ANONYMOUS, "a");
    assert_eq!(
        quotas.readings(usize::MAX).len(),
        1,
        "those that never counted anything"
    );
    account.sensor(Kind::Produce).unwrap().record(1.0, quotas.now_ms());
    quotas.registry.lock().unwrap().names_bytes = NAMES_BYTES_MAX;
    let others = [quotas.account(ANONYMOUS, "b"), quotas.account(ANONYMOUS, "c")];
    let sensors = others.map(|account| Arc::clone(account.sensor(Kind::Produce).unwrap()));
    assert!(Arc::ptr_eq(&sensors[0], &sensors[1]));
    assert_eq!(sensors[0].tags.client_id, OTHERS);
}
