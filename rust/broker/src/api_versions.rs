//! ApiVersions, key 18, versions 0 to 4: which APIs and features this broker serves.
//!
//! A version that is not known is answered in version 0, with the error and the range of this API alone.

use std::collections::{BTreeMap, BTreeSet};

use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::api_versions::{
    ApiVersion, ApiVersionsRequest, ApiVersionsResponse, FinalizedFeatureKey, SupportedFeatureKey,
};
use barnabas_wire::primitives::Reader;

use crate::broker::Broker;
use crate::config::Feature;
use crate::dispatch::Peer;
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;
use crate::throttle::told;

/// The APIs that this crate answers itself.
const OWN_APIS: [i16; 8] = [
    api::PRODUCE,
    api::FETCH,
    api::LIST_OFFSETS,
    api::METADATA,
    api::API_VERSIONS,
    api::OFFSET_FOR_LEADER_EPOCH,
    api::DELETE_RECORDS,
    api::DESCRIBE_TOPIC_PARTITIONS,
];

/// The served versions of every API.
#[derive(Debug)]
pub(crate) struct Versions {
    served: BTreeMap<i16, (i16, i16)>,
    /// Releases before KIP-511 answer a version of ApiVersions that they do not know without any range.
    names_itself_when_refused: bool,
}

/// The version of ApiVersions that came with KIP-511.
const FIRST_THAT_NAMES_ITSELF: i16 = 3;

impl Versions {
    /// What this crate answers itself, at all valid versions, and what the control plane says it answers.
    ///
    /// With `caps`, the ranges of an older release, only what both serve.
    pub(crate) fn new(control_apis: &BTreeMap<i16, (i16, i16)>, caps: Option<&BTreeMap<i16, (i16, i16)>>) -> Self {
        let mut served = BTreeMap::new();
        for (key, (min, max)) in control_apis {
            let valid = api::valid_versions(*key).map(|valid| (valid.0.max(*min), valid.1.min(*max)));
            if let Some((min, max)) = valid.filter(|(min, max)| min <= max) {
                served.insert(*key, (min, max));
            }
        }
        served.extend(
            OWN_APIS
                .iter()
                .filter_map(|key| Some((*key, api::valid_versions(*key)?))),
        );
        if let Some(caps) = caps {
            served = served
                .into_iter()
                .filter_map(|(key, (min, max))| {
                    let cap = caps.get(&key)?;
                    let both = (min.max(cap.0), max.min(cap.1));
                    (both.0 <= both.1).then_some((key, both))
                })
                .collect();
        }
        let names_itself_when_refused = served
            .get(&api::API_VERSIONS)
            .is_none_or(|(_, max)| *max >= FIRST_THAT_NAMES_ITSELF);
        Self {
            served,
            names_itself_when_refused,
        }
    }

    pub(crate) fn is_served(&self, key: i16, version: i16) -> bool {
        self.served
            .get(&key)
            .is_some_and(|(min, max)| (*min..=*max).contains(&version))
    }

    fn advertised(&self, withheld: &BTreeSet<i16>) -> Vec<ApiVersion> {
        let offered = self.served.iter().filter(|(key, _)| !withheld.contains(key));
        let entries = offered.map(|(key, (min, max))| ApiVersion {
            api_key: *key,
            // librdkafka before 2.11.1 compresses nothing when Produce is not offered from version 0 (KAFKA-18659).
            min_version: if *key == api::PRODUCE { 0 } else { *min },
            max_version: *max,
        });
        entries.collect()
    }
}

pub(crate) fn handle(
    broker: &Broker,
    peer: &Peer,
    to: ReplyTo,
    body: &[u8],
    throttle_ms: u32,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let Ok(request) = ApiVersionsRequest::decode(&mut Reader::new(body), to.api_version) else {
        return broker.refuse();
    };
    if to.api_version >= 3
        && !(is_software_name(request.client_software_name) && is_software_name(request.client_software_version))
    {
        let error_code = ErrorCode::INVALID_REQUEST.code();
        let answer = ApiVersionsResponse {
            error_code,
            throttle_time_ms: told(throttle_ms),
            ..ApiVersionsResponse::default()
        };
        return reply::write(response, to, |writer| answer.encode(writer, to.api_version));
    }
    if to.api_version >= 3 {
        let software = (
            request.client_software_name.to_owned(),
            request.client_software_version.to_owned(),
        );
        // Only the first counts.
        let _ = peer.software.set(software);
    }
    let features = &broker.config.features;
    let supported = features
        .iter()
        .filter(|feature| to.api_version >= 4 || feature.version_min > 0);
    let image = broker.image();
    let finalized = features
        .iter()
        .map(|feature| (feature, level_of(feature, image.features.as_deref())))
        .filter(|(_, level)| *level > 0);
    let answer = ApiVersionsResponse {
        api_keys: broker.versions.advertised(&image.withheld),
        throttle_time_ms: told(throttle_ms),
        supported_features: supported
            .map(|feature| SupportedFeatureKey {
                name: &feature.name,
                min_version: feature.version_min,
                max_version: feature.version_max,
            })
            .collect(),
        finalized_features_epoch: image.offset,
        finalized_features: finalized
            .map(|(feature, level)| FinalizedFeatureKey {
                name: &feature.name,
                max_version_level: level,
                min_version_level: level,
            })
            .collect(),
        ..ApiVersionsResponse::default()
    };
    reply::write(response, to, |writer| answer.encode(writer, to.api_version))
}

/// A feature's level: as published, but at most what an older release that is played knows.
fn level_of(feature: &Feature, published: Option<&BTreeMap<String, i16>>) -> i16 {
    published.map_or(feature.finalized, |levels| {
        let level = levels.get(&feature.name).copied().unwrap_or(0);
        level.min(feature.version_max)
    })
}

/// Answers a version that is not served, in version 0.
pub(crate) fn refuse_version(broker: &Broker, to: ReplyTo, response: &mut Response<StoredFile>) -> Outcome<StoredFile> {
    let to = ReplyTo { api_version: 0, ..to };
    let versions = &broker.versions;
    let own = versions
        .advertised(&BTreeSet::new())
        .into_iter()
        .filter(|entry| entry.api_key == api::API_VERSIONS && versions.names_itself_when_refused);
    let answer = ApiVersionsResponse {
        error_code: ErrorCode::UNSUPPORTED_VERSION.code(),
        api_keys: own.collect(),
        ..ApiVersionsResponse::default()
    };
    reply::write(response, to, |writer| answer.encode(writer, 0))
}

/// Kafka's pattern for a client's name and version: `[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?`.
fn is_software_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_names_follow_the_pattern() {
        let good = ["a", "apache-kafka-java", "4.3.0", "A.b-9"];
        let bad = ["", "-a", "a-", ".", "a b", "é"];
        assert!(good.iter().all(|name| is_software_name(name)));
        assert!(!bad.iter().any(|name| is_software_name(name)));
    }

    #[test]
    fn levels_of_features_are_those_published_as_far_as_the_release_knows_them() {
        let feature = Feature {
            name: "group.version".to_owned(),
            version_min: 0,
            version_max: 1,
            finalized: 1,
        };
        let levels = |level| BTreeMap::from([("group.version".to_owned(), level)]);
        assert_eq!(level_of(&feature, None), 1);
        assert_eq!(level_of(&feature, Some(&BTreeMap::new())), 0);
        assert_eq!(level_of(&feature, Some(&levels(1))), 1);
        assert_eq!(level_of(&feature, Some(&levels(9))), 1);
    }

    #[test]
    fn control_ranges_are_cut_to_what_is_valid_and_own_apis_win() {
        let control = BTreeMap::from([(api::JOIN_GROUP, (-3, 99)), (api::FETCH, (0, 1)), (9999, (0, 1))]);
        let versions = Versions::new(&control, None);
        let (min, max) = api::valid_versions(api::JOIN_GROUP).unwrap();
        assert!(versions.is_served(api::JOIN_GROUP, max) && versions.is_served(api::JOIN_GROUP, min));
        assert!(!versions.is_served(api::JOIN_GROUP, max + 1) && !versions.is_served(9999, 0));
        assert!(versions.is_served(api::FETCH, 4) && !versions.is_served(api::PRODUCE, 2));
        let produce = versions
            .advertised(&BTreeSet::from([api::FETCH]))
            .into_iter()
            .find(|entry| entry.api_key == api::PRODUCE)
            .unwrap();
        assert_eq!((produce.min_version, versions.is_served(api::PRODUCE, 0)), (0, false));
        let offers = |withheld: BTreeSet<i16>| {
            let entries = versions.advertised(&withheld);
            entries.iter().any(|entry| entry.api_key == api::JOIN_GROUP)
        };
        assert!(offers(BTreeSet::new()) && !offers(BTreeSet::from([api::JOIN_GROUP])));
        let caps = BTreeMap::from([
            (api::FETCH, (0, 10)),
            (api::JOIN_GROUP, (0, 3)),
            (api::HEARTBEAT, (0, 2)),
        ]);
        let capped = Versions::new(&control, Some(&caps));
        assert!(capped.is_served(api::FETCH, 10) && !capped.is_served(api::FETCH, 11));
        assert!(capped.is_served(api::JOIN_GROUP, 3) && !capped.is_served(api::JOIN_GROUP, 4));
        assert!(!capped.is_served(api::PRODUCE, 3) && !capped.is_served(api::HEARTBEAT, 0));
    }
}
