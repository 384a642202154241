//! What must hold for any bytes whatever: property tests and fuzz targets feed this one function.

use crate::error::Result;
use crate::header;
use crate::messages::{
    api_versions, fetch, find_coordinator, init_producer_id, list_offsets, metadata, offset_for_leader_epoch, produce,
};
use crate::primitives::Reader;
use crate::table::{self, Schema};
use crate::value::{decode_value, encode_value};

/// Feeds `data` to the decoders of headers and hand-written messages at every version, and to the interpreter for the
/// message and version that its first two bytes pick. Nothing may panic, hang or allocate beyond bounds; the
/// hand-written decoders must accept what the interpreter accepts; what decodes must encode, and decode again alike.
///
/// # Panics
/// If one of these rules is broken.
pub fn check(data: &[u8]) {
    let _ = header::decode_request_header(data);
    let _ = header::decode_response_header(data, crate::api::FETCH, 12);
    let _ = api_versions::ApiVersionsResponse::decode_answer(data, 4);
    macro_rules! by_hand {
        ($($module:ident::$type:ident)*) => {$(
            check_by_hand(stringify!($type), data, |reader, version| {
                $module::$type::decode(reader, version)?.to_bytes(version)
            });
        )*};
    }
    by_hand! {
        api_versions::ApiVersionsRequest api_versions::ApiVersionsResponse
        fetch::FetchRequest fetch::FetchResponse
        find_coordinator::FindCoordinatorRequest find_coordinator::FindCoordinatorResponse
        init_producer_id::InitProducerIdRequest init_producer_id::InitProducerIdResponse
        list_offsets::ListOffsetsRequest list_offsets::ListOffsetsResponse
        metadata::MetadataRequest metadata::MetadataResponse
        offset_for_leader_epoch::OffsetForLeaderEpochRequest offset_for_leader_epoch::OffsetForLeaderEpochResponse
        produce::ProduceRequest produce::ProduceResponse
    }
    if let Some((&[first, second], rest)) = data.split_first_chunk() {
        let schemas = table::schemas();
        let number = usize::from(u16::from_be_bytes([first, second]));
        if let Some(schema) = schemas.get(number % schemas.len()) {
            for version in schema.version_min..=schema.version_max {
                check_by_table(schema, version, rest);
            }
        }
    }
}

fn check_by_hand<'a>(name: &str, data: &'a [u8], again: impl Fn(&mut Reader<'a>, i16) -> Result<Vec<u8>>) {
    let Some(schema) = table::schema(name) else {
        unreachable!("{name} is in the table");
    };
    for version in schema.version_min..=schema.version_max {
        let mut reader = Reader::new(data);
        let by_hand = again(&mut reader, version);
        let by_hand = by_hand.and_then(|bytes| reader.finish().map(|()| bytes));
        let by_table = check_by_table(schema, version, data);
        assert_eq!(by_hand.is_ok(), by_table.is_some(), "{name} {version}");
        if let (Ok(by_hand), Some(by_table)) = (by_hand, by_table) {
            // The hand-written messages drop tagged fields that they do not know.
            assert!(by_hand.len() <= by_table.len(), "{name} {version}");
        }
    }
}

/// The bytes that `data` is encoded to again, if it decodes.
fn check_by_table(schema: &'static Schema, version: i16, data: &[u8]) -> Option<Vec<u8>> {
    let value = decode_value(schema, version, data).ok()?;
    let encoded = |value: &crate::Value| {
        let mut out = Vec::new();
        encode_value(schema, version, value, &mut out).map(|()| out)
    };
    let first = encoded(&value);
    let second = first
        .as_ref()
        .map(|bytes| decode_value(schema, version, bytes).and_then(|value| encoded(&value)));
    assert_eq!(second, Ok(first.clone()), "{} {version}", schema.name);
    first.ok()
}
