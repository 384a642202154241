//! Request and response headers.
//!
//! A request header is version 2 (with tagged fields) when its API's version is flexible, else 1; the client id keeps
//! the classic form in both. A response header is version 1 when the version is flexible, else 0, and always 0 for
//! ApiVersions, which a client must be able to read before it knows what the broker speaks.

use crate::api;
use crate::error::{Result, WireError};
use crate::primitives::{Reader, Writer};

/// What stands before every request's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestHeader<'a> {
    /// Which API is called.
    pub api_key: i16,
    /// Which version of it.
    pub api_version: i16,
    /// The client's number for this request, given back in the response.
    pub correlation_id: i32,
    /// The client's name for itself.
    pub client_id: Option<&'a str>,
}

/// The header's version for requests of `api_key` at `api_version`. An unknown key or version is taken as 1: what
/// follows cannot be read, but the header's fixed part can.
pub fn request_header_version(api_key: i16, api_version: i16) -> i16 {
    match api::request_flexible_from(api_key) {
        Some(first) if api_version >= first => 2,
        _ => 1,
    }
}

/// The header's version for responses of `api_key` at `api_version`.
pub fn response_header_version(api_key: i16, api_version: i16) -> i16 {
    match api::response_flexible_from(api_key) {
        Some(first) if api_version >= first && api_key != api::API_VERSIONS => 1,
        _ => 0,
    }
}

/// Reads a request's header; what is left is the body.
///
/// The header of an ApiVersions request is read even if its version is not known (it is taken as flexible), because such
/// a request must be answered with version 0 rather than refused.
pub fn decode_request_header(request: &[u8]) -> Result<(RequestHeader<'_>, &[u8])> {
    let mut reader = Reader::new(request);
    let api_key = reader.i16()?;
    let api_version = reader.i16()?;
    let correlation_id = reader.i32()?;
    // Kafka reads bytes that are no UTF-8 as the sign that stands for such, and serves the client.
    let client_id = match reader.nullable_str(false) {
        Err(WireError::InvalidUtf8) => Some("\u{FFFD}"),
        client_id => client_id?,
    };
    if request_header_version(api_key, api_version) >= 2 {
        reader.skip_tagged_fields()?;
    }
    Ok((
        RequestHeader {
            api_key,
            api_version,
            correlation_id,
            client_id,
        },
        reader.rest(),
    ))
}

/// Appends a request's header.
pub fn encode_request_header(out: &mut Vec<u8>, header: &RequestHeader<'_>) -> Result<()> {
    let mut writer = Writer::append_to(std::mem::take(out));
    writer.i16(header.api_key);
    writer.i16(header.api_version);
    writer.i32(header.correlation_id);
    let written = writer.nullable_str(header.client_id, false);
    if request_header_version(header.api_key, header.api_version) >= 2 {
        writer.no_tagged_fields();
    }
    *out = writer.into_bytes();
    written
}

/// Appends the header of the response to a request of `api_key` at `api_version`.
pub fn encode_response_header(out: &mut Vec<u8>, api_key: i16, api_version: i16, correlation_id: i32) {
    out.extend_from_slice(&correlation_id.to_be_bytes());
    if response_header_version(api_key, api_version) >= 1 {
        out.push(0);
    }
}

/// Reads the correlation id alone: the rest can be read once the request that it answers is known.
pub fn peek_correlation_id(response: &[u8]) -> Result<i32> {
    Reader::new(response).i32()
}

/// Reads the header of a response to a request of `api_key` at `api_version`: correlation id and body.
pub fn decode_response_header(response: &[u8], api_key: i16, api_version: i16) -> Result<(i32, &[u8])> {
    let mut reader = Reader::new(response);
    let correlation_id = reader.i32()?;
    if response_header_version(api_key, api_version) >= 1 {
        reader.skip_tagged_fields()?;
    }
    Ok((correlation_id, reader.rest()))
}

/// Reads the API key and version at the front of a request.
pub fn peek_api(request: &[u8]) -> Result<(i16, i16), WireError> {
    let mut reader = Reader::new(request);
    Ok((reader.i16()?, reader.i16()?))
}
