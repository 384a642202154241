//! Headers of what is sent and received, and the first exchange on a connection: which versions does the broker serve?

use std::io;

use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::header::{RequestHeader, decode_response_header, encode_request_header};
use barnabas_wire::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
use bytes::Bytes;
use tokio::net::TcpStream;

use super::frame::{BadLength, FrameReader};

/// Correlation ids above this belong to requests of the connection's owner.
pub(super) const CORRELATION_IDS: i32 = 2;

/// What a broker serves: API key, oldest and newest version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionRanges(Vec<(i16, i16, i16)>);

impl VersionRanges {
    /// From (key, oldest, newest) in any order.
    pub fn new(mut ranges: Vec<(i16, i16, i16)>) -> Self {
        ranges.sort_unstable();
        Self(ranges)
    }

    /// The oldest and newest version of an API.
    pub fn range(&self, api_key: i16) -> Option<(i16, i16)> {
        let index = self.0.binary_search_by_key(&api_key, |range| range.0).ok()?;
        self.0.get(index).map(|range| (range.1, range.2))
    }

    /// The newest version that the broker and the message table know and that lies in `min..=max`.
    pub fn choose(&self, api_key: i16, min: i16, max: i16) -> Option<i16> {
        let (broker_min, broker_max) = self.range(api_key)?;
        let (table_min, table_max) = api::valid_versions(api_key)?;
        let newest = max.min(broker_max).min(table_max);
        (newest >= min.max(broker_min).max(table_min)).then_some(newest)
    }
}

/// The frame's length and the request's header, for a body of `body_len` bytes; `None` if it does not fit a frame.
pub(super) fn frame_head(
    api_key: i16,
    api_version: i16,
    correlation_id: i32,
    client_id: &str,
    body_len: usize,
) -> Option<Bytes> {
    let mut head = vec![0; 4];
    head.reserve(16 + client_id.len());
    let header = RequestHeader {
        api_key,
        api_version,
        correlation_id,
        client_id: Some(client_id),
    };
    encode_request_header(&mut head, &header).ok()?;
    let length = i32::try_from(head.len().checked_add(body_len)?.checked_sub(4)?).ok()?;
    *head.first_chunk_mut()? = length.to_be_bytes();
    Some(Bytes::from(head))
}

/// A response's correlation id, and where its body starts.
pub(super) fn response_head(api_key: i16, api_version: i16, frame: &[u8]) -> Result<(i32, usize), String> {
    let (correlation_id, body) =
        decode_response_header(frame, api_key, api_version).map_err(|error| error.to_string())?;
    Ok((correlation_id, frame.len().saturating_sub(body.len())))
}

/// Asks for the broker's versions, at the newest version that both sides know.
pub(super) async fn run(
    stream: &TcpStream,
    reader: &mut FrameReader,
    client_id: &str,
) -> Result<VersionRanges, String> {
    let newest = api::valid_versions(api::API_VERSIONS).map_or(0, |(_, newest)| newest);
    let (error, ranges) = ask(stream, reader, client_id, newest, CORRELATION_IDS - 1).await?;
    if error.is_ok() {
        return Ok(ranges);
    }
    if error != ErrorCode::UNSUPPORTED_VERSION {
        return Err(error.to_string());
    }
    // The answer, in version 0, may say what the broker does know (KIP-511); a broker of before 0.10.1 says nothing.
    let known = ranges.choose(api::API_VERSIONS, 0, newest - 1).unwrap_or(0);
    let (error, ranges) = ask(stream, reader, client_id, known, CORRELATION_IDS).await?;
    if error.is_ok() {
        Ok(ranges)
    } else {
        Err(error.to_string())
    }
}

async fn ask(
    stream: &TcpStream,
    reader: &mut FrameReader,
    client_id: &str,
    version: i16,
    correlation_id: i32,
) -> Result<(ErrorCode, VersionRanges), String> {
    let request = ApiVersionsRequest {
        client_software_name: "barnabas",
        client_software_version: env!("CARGO_PKG_VERSION"),
    };
    let body = request.to_bytes(version).map_err(|error| error.to_string())?;
    let head = frame_head(api::API_VERSIONS, version, correlation_id, client_id, body.len())
        .ok_or("the client id is too long")?;
    let mut frame = head.to_vec();
    frame.extend_from_slice(&body);
    write_all(stream, &frame).await.map_err(|error| error.to_string())?;
    let answer = read_frame(stream, reader).await?;
    let (answered, body_at) = response_head(api::API_VERSIONS, version, &answer)?;
    if answered != correlation_id {
        return Err(format!("correlation id {answered} where {correlation_id} was due"));
    }
    let response = ApiVersionsResponse::decode_answer(answer.get(body_at..).unwrap_or_default(), version)
        .map_err(|error| error.to_string())?;
    let ranges = response
        .api_keys
        .iter()
        .map(|api| (api.api_key, api.min_version, api.max_version))
        .collect();
    Ok((ErrorCode(response.error_code), VersionRanges::new(ranges)))
}

async fn write_all(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.writable().await?;
        match stream.try_write(bytes) {
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn read_frame(stream: &TcpStream, reader: &mut FrameReader) -> Result<Bytes, String> {
    loop {
        if let Some(frame) = reader
            .next_frame()
            .map_err(|BadLength(length)| format!("a response of {length} bytes"))?
        {
            return Ok(frame);
        }
        stream.readable().await.map_err(|error| error.to_string())?;
        match reader.read_from(stream) {
            Ok(0) => return Err("the connection was closed".to_owned()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_version_is_chosen() {
        let ranges = VersionRanges::new(vec![(api::METADATA, 0, 7), (api::FETCH, 4, 99), (api::PRODUCE, 0, 2)]);
        assert_eq!(ranges.choose(api::METADATA, 0, 12), Some(7));
        assert_eq!(ranges.choose(api::METADATA, 8, 12), None);
        let newest_fetch = api::valid_versions(api::FETCH).unwrap().1;
        assert_eq!(ranges.choose(api::FETCH, 4, i16::MAX), Some(newest_fetch));
        assert_eq!(ranges.choose(api::PRODUCE, 0, 13), None);
        assert_eq!(ranges.choose(api::HEARTBEAT, 0, 4), None);
    }
}
