//! ApiVersions, key 18.

use super::codec::{message, root};
use crate::api;
use crate::error::Result;
use crate::errors::ErrorCode;
use crate::primitives::Reader;

message! {
    /// Asks what the broker speaks.
    struct ApiVersionsRequest<'a> flexible 3 {
        /// The client library.
        client_software_name: &'a str = "", 3.., ignorable = true;
        /// Its version.
        client_software_version: &'a str = "", 3.., ignorable = true;
    }

    /// What the broker speaks.
    struct ApiVersionsResponse<'a> flexible 3 {
        /// What went wrong.
        error_code: i16 = 0, 0..;
        /// The APIs.
        api_keys: Vec<ApiVersion> = Vec::new(), 0..;
        /// How long the client was or will be held back by a quota.
        throttle_time_ms: i32 = 0, 1.., ignorable = true;
        /// The features that the broker supports.
        supported_features: Vec<SupportedFeatureKey<'a>> = Vec::new(), 3.., tag = 0, ignorable = true;
        /// The epoch of the finalized features, -1 if not known.
        finalized_features_epoch: i64 = -1, 3.., tag = 1, ignorable = true;
        /// The features as finalized for the cluster.
        finalized_features: Vec<FinalizedFeatureKey<'a>> = Vec::new(), 3.., tag = 2, ignorable = true;
        /// Of no meaning since ZooKeeper has gone.
        zk_migration_ready: bool = false, 3.., tag = 3, ignorable = true;
    }

    /// An API.
    struct ApiVersion flexible 3 {
        /// Its key.
        api_key: i16 = 0, 0..;
        /// The oldest version.
        min_version: i16 = 0, 0..;
        /// The newest version.
        max_version: i16 = 0, 0..;
    }

    /// A feature that the broker supports.
    struct SupportedFeatureKey<'a> flexible 3 {
        /// Its name.
        name: &'a str = "", 3..;
        /// The lowest level.
        min_version: i16 = 0, 3..;
        /// The highest level.
        max_version: i16 = 0, 3..;
    }

    /// A feature as finalized.
    struct FinalizedFeatureKey<'a> flexible 3 {
        /// Its name.
        name: &'a str = "", 3..;
        /// The highest level.
        max_version_level: i16 = 0, 3..;
        /// The lowest level.
        min_version_level: i16 = 0, 3..;
    }
}

root!(ApiVersionsRequest<'a>, api::API_VERSIONS);
root!(ApiVersionsResponse<'a>, api::API_VERSIONS);

impl<'a> ApiVersionsResponse<'a> {
    /// Reads the answer to a request of `version`. A broker that does not know that version answers with version 0 and
    /// `UNSUPPORTED_VERSION`.
    pub fn decode_answer(body: &'a [u8], version: i16) -> Result<Self> {
        let unsupported = Reader::new(body).i16()? == ErrorCode::UNSUPPORTED_VERSION.code();
        Self::decode(&mut Reader::new(body), if unsupported { 0 } else { version })
    }
}
