//! How a response's frame is begun and filled.

use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::WireError;
use barnabas_wire::header::encode_response_header;
use barnabas_wire::primitives::Writer;

use crate::stored::StoredFile;

/// What a response must know of its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplyTo {
    pub(crate) api_key: i16,
    pub(crate) api_version: i16,
    pub(crate) correlation_id: i32,
}

/// Starts a frame with the response header; the body follows in the returned buffer.
pub(crate) fn begin(response: &mut Response<StoredFile>, to: ReplyTo) -> &mut Vec<u8> {
    let out = response.begin();
    encode_response_header(out, to.api_key, to.api_version, to.correlation_id);
    out
}

/// Writes a whole response whose body `encode` appends.
pub(crate) fn write(
    response: &mut Response<StoredFile>,
    to: ReplyTo,
    encode: impl FnOnce(&mut Writer) -> Result<(), WireError>,
) -> Outcome<StoredFile> {
    let out = begin(response, to);
    let mut writer = Writer::append_to(std::mem::take(out));
    let encoded = encode(&mut writer);
    *response.bytes_mut() = writer.into_bytes();
    match encoded {
        Ok(()) => Outcome::Reply,
        Err(error) => {
            log::error!(
                "response of API {} version {} cannot be encoded: {error}",
                to.api_key,
                to.api_version
            );
            Outcome::Close
        }
    }
}

/// The same for a response that comes later.
pub(crate) fn late(
    to: ReplyTo,
    encode: impl FnOnce(&mut Writer) -> Result<(), WireError>,
) -> Option<Response<StoredFile>> {
    let mut response = Response::new();
    match write(&mut response, to, encode) {
        Outcome::Reply => Some(response),
        _ => None,
    }
}
