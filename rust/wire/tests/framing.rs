//! Headers, primitives and messages in parts.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use barnabas_wire::header::{
    RequestHeader, decode_request_header, decode_response_header, encode_request_header, encode_response_header,
    request_header_version, response_header_version,
};
use barnabas_wire::messages::api_versions::ApiVersionsResponse;
use barnabas_wire::messages::fetch::{FetchResponse, FetchableTopicResponse, PartitionData};
use barnabas_wire::messages::produce::{PartitionProduceData, ProduceRequest, TopicProduceData};
use barnabas_wire::messages::{Part, Records, total_len};
use barnabas_wire::primitives::{Reader, Writer};
use barnabas_wire::{ErrorCode, WireError, api};
use proptest::prelude::*;

fn assembled(parts: &[Part], records: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            Part::Bytes(bytes) => out.extend_from_slice(bytes),
            Part::Records { index, len } => {
                assert_eq!(records[*index].len(), *len);
                out.extend_from_slice(records[*index]);
            }
        }
    }
    out
}

fn fetch_response(records: [Records<'_>; 4]) -> FetchResponse<'_> {
    let mut records = records.into_iter();
    let mut topic = |topic| FetchableTopicResponse {
        topic,
        topic_id: [7; 16],
        partitions: records
            .by_ref()
            .take(2)
            .enumerate()
            .map(|(index, records)| PartitionData {
                partition_index: i32::try_from(index).unwrap(),
                high_watermark: 90,
                aborted_transactions: None,
                records,
                ..PartitionData::default()
            })
            .collect(),
    };
    FetchResponse {
        responses: vec![topic("a"), topic("b")],
        ..FetchResponse::default()
    }
}

#[test]
fn fetch_responses_in_parts_are_the_same_bytes() {
    let records: [&[u8]; 4] = [b"first", b"", b"a longer one, of many bytes", b"x"];
    for version in 4..=18 {
        let whole = fetch_response(records.map(Records::Bytes)).to_bytes(version).unwrap();
        let apart = fetch_response(records.map(|bytes| Records::Apart(bytes.len())));
        let parts = apart.encode_parts(version).unwrap();
        assert_eq!(assembled(&parts, &records), whole, "version {version}");
        assert_eq!(total_len(&parts), whole.len());

        let frame = assembled(&apart.encode_frame(b"header", version).unwrap(), &records);
        let (size, rest) = frame.split_at(4);
        assert_eq!(
            usize::try_from(i32::from_be_bytes(size.try_into().unwrap())).unwrap(),
            rest.len()
        );
        assert_eq!(rest, [b"header", whole.as_slice()].concat());
        assert_eq!(apart.to_bytes(version), Err(WireError::RecordsApart));
    }
}

#[test]
fn mixed_records_in_parts_keep_their_order() {
    let response = fetch_response([
        Records::Null,
        Records::Apart(3),
        Records::Bytes(b"inline"),
        Records::Apart(2),
    ]);
    let parts = response.encode_parts(12).unwrap();
    let bytes = assembled(&parts, &[b"abc", b"de"]);
    let decoded = FetchResponse::decode(&mut Reader::new(&bytes), 12).unwrap();
    let found: Vec<_> = decoded
        .responses
        .iter()
        .flat_map(|topic| topic.partitions.iter().map(|data| data.records))
        .collect();
    assert_eq!(
        found,
        [
            Records::Null,
            Records::Bytes(b"abc"),
            Records::Bytes(b"inline"),
            Records::Bytes(b"de")
        ]
    );
}

#[test]
fn produce_requests_in_parts_are_the_same_bytes() {
    for version in 3..=13 {
        let request = |records| ProduceRequest {
            acks: -1,
            timeout_ms: 30_000,
            topic_data: vec![TopicProduceData {
                name: "orders",
                topic_id: [9; 16],
                partition_data: vec![PartitionProduceData { index: 3, records }],
            }],
            ..ProduceRequest::default()
        };
        let whole = request(Records::Bytes(b"batch")).to_bytes(version).unwrap();
        let parts = request(Records::Apart(5)).encode_parts(version).unwrap();
        assert_eq!(assembled(&parts, &[b"batch"]), whole);
    }
}

#[test]
fn header_versions_follow_flexibility_but_for_api_versions() {
    assert_eq!(request_header_version(api::PRODUCE, 8), 1);
    assert_eq!(request_header_version(api::PRODUCE, 9), 2);
    assert_eq!(response_header_version(api::PRODUCE, 8), 0);
    assert_eq!(response_header_version(api::PRODUCE, 9), 1);
    assert_eq!(request_header_version(api::API_VERSIONS, 3), 2);
    assert_eq!(response_header_version(api::API_VERSIONS, 3), 0);
    assert_eq!(response_header_version(api::API_VERSIONS, 4), 0);
    assert_eq!(api::valid_versions(7), None, "ControlledShutdown has gone");
}

#[test]
fn a_flexible_request_header_keeps_the_classic_client_id() {
    let header = RequestHeader {
        api_key: api::METADATA,
        api_version: 12,
        correlation_id: 7,
        client_id: Some("app"),
    };
    let mut bytes = Vec::new();
    encode_request_header(&mut bytes, &header).unwrap();
    assert_eq!(bytes, [&[0, 3, 0, 12, 0, 0, 0, 7, 0, 3][..], b"app", &[0]].concat());
    bytes.extend_from_slice(b"body");
    assert_eq!(decode_request_header(&bytes).unwrap(), (header, &b"body"[..]));
}

#[test]
fn tagged_fields_in_a_request_header_are_skipped() {
    let bytes = [&[0, 3, 0, 12, 0, 0, 0, 7, 0xff, 0xff, 1, 5, 2, 0xaa, 0xbb][..], b"body"].concat();
    let (header, body) = decode_request_header(&bytes).unwrap();
    assert_eq!((header.client_id, body), (None, &b"body"[..]));
}

#[test]
fn an_api_versions_answer_of_version_0_is_read_after_a_newer_request() {
    let refused = ApiVersionsResponse {
        error_code: 35,
        ..ApiVersionsResponse::default()
    };
    let body = refused.to_bytes(0).unwrap();
    assert_eq!(ApiVersionsResponse::decode_answer(&body, 4).unwrap(), refused);
    let answer = ApiVersionsResponse {
        finalized_features_epoch: 5,
        ..ApiVersionsResponse::default()
    };
    assert_eq!(
        ApiVersionsResponse::decode_answer(&answer.to_bytes(4).unwrap(), 4).unwrap(),
        answer
    );
}

#[test]
fn counts_are_held_against_the_bytes_that_are_left() {
    let huge = [0x7f, 0xff, 0xff, 0xff, 0, 0];
    assert!(matches!(
        Reader::new(&huge).nullable_count(false, 1),
        Err(WireError::InvalidLength { .. })
    ));
    assert!(matches!(
        Reader::new(&[0xff; 6]).nullable_count(true, 1),
        Err(WireError::InvalidVarint)
    ));
}

#[test]
fn every_negative_length_is_null() {
    for (flexible, bytes) in [
        (false, [0xff, 0xff, 0xff, 0xff, 0]),
        (false, [0xff, 0xff, 0xff, 0xfe, 0]),
        (false, [0x80, 0, 0, 0, 0]),
        (true, [0, 0, 0, 0, 0]),
        (true, [0xff, 0xff, 0xff, 0xff, 0x0f]),
        (true, [0x81, 0x80, 0x80, 0x80, 0x08]),
    ] {
        assert_eq!(Reader::new(&bytes).nullable_count(flexible, 1), Ok(None), "{bytes:?}");
        assert_eq!(Reader::new(&bytes).nullable_bytes(flexible), Ok(None), "{bytes:?}");
        assert_eq!(Reader::new(&bytes).nullable_str(flexible), Ok(None), "{bytes:?}");
    }
    assert!(matches!(
        Reader::new(&[0x80, 0x80, 0x80, 0x80, 0x08]).nullable_bytes(true),
        Err(WireError::InvalidLength { .. } | WireError::Truncated { .. })
    ));
}

#[test]
fn a_client_id_that_is_no_text_is_read_all_the_same() {
    let bytes = [0, 3, 0, 1, 0, 0, 0, 7, 0, 2, 0xc3, 0x28, 9];
    let (header, body) = decode_request_header(&bytes).unwrap();
    assert_eq!((header.client_id, body), (Some("\u{FFFD}"), &[9][..]));
}

#[test]
fn error_codes_know_themselves() {
    assert_eq!(ErrorCode::NOT_LEADER_OR_FOLLOWER.code(), 6);
    assert_eq!(ErrorCode(6).name(), "NOT_LEADER_OR_FOLLOWER");
    assert!(ErrorCode(6).retriable() && ErrorCode(6).refreshes_metadata());
    assert!(!ErrorCode::PRODUCER_FENCED.retriable());
    assert_eq!(ErrorCode(9999).name(), "UNKNOWN_SERVER_ERROR");
    assert!(!ErrorCode(9999).retriable());
    assert_eq!(ErrorCode(-1).to_string(), "UNKNOWN_SERVER_ERROR (-1)");
}

proptest! {
    #[test]
    fn unsigned_varints_round_trip(value in any::<u32>()) {
        let mut writer = Writer::new();
        writer.uvarint(value);
        prop_assert_eq!(Reader::new(writer.as_bytes()).uvarint(), Ok(value));
    }

    #[test]
    fn headers_round_trip(key in 0i16..92, version in 0i16..14, correlation_id in any::<i32>(), client in ".{0,9}") {
        let header = RequestHeader { api_key: key, api_version: version, correlation_id, client_id: Some(&client) };
        let mut bytes = Vec::new();
        encode_request_header(&mut bytes, &header).unwrap();
        prop_assert_eq!(decode_request_header(&bytes).unwrap(), (header, &[][..]));
        let mut bytes = Vec::new();
        encode_response_header(&mut bytes, key, version, correlation_id);
        prop_assert_eq!(decode_response_header(&bytes, key, version).unwrap(), (correlation_id, &[][..]));
    }

    #[test]
    fn hostile_headers_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = decode_request_header(&bytes);
        let _ = decode_response_header(&bytes, 3, 12);
    }
}
