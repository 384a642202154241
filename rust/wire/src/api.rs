//! API keys, their names, valid versions and first flexible versions.

pub use crate::generated::apis::*;

/// What the message table says about an API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Api {
    /// The key.
    pub key: i16,
    /// Kafka's name.
    pub name: &'static str,
    /// The oldest valid version.
    pub version_min: i16,
    /// The newest valid version that is stable.
    pub version_max: i16,
    /// The first flexible version of the request, if any.
    pub request_flexible_from: Option<i16>,
    /// The first flexible version of the response, if any.
    pub response_flexible_from: Option<i16>,
    /// Whether clients may send it to a broker (others belong to controllers).
    pub on_broker: bool,
}

/// The API with this key.
pub fn api(api_key: i16) -> Option<&'static Api> {
    APIS.binary_search_by_key(&api_key, |api| api.key)
        .ok()
        .and_then(|index| APIS.get(index))
}

/// Every API with valid versions, by key.
pub fn apis() -> &'static [Api] {
    &APIS
}

/// The oldest and newest valid version.
pub fn valid_versions(api_key: i16) -> Option<(i16, i16)> {
    api(api_key).map(|api| (api.version_min, api.version_max))
}

/// Kafka's name of an API.
pub fn name(api_key: i16) -> Option<&'static str> {
    api(api_key).map(|api| api.name)
}

/// The first flexible version of the request.
pub fn request_flexible_from(api_key: i16) -> Option<i16> {
    api(api_key)?.request_flexible_from
}

/// The first flexible version of the response.
pub fn response_flexible_from(api_key: i16) -> Option<i16> {
    api(api_key)?.response_flexible_from
}
