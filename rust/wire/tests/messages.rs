//! The hand-written messages equal the interpreter, the interpreter equals itself, and nothing panics on hostile bytes.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod common;

use barnabas_wire::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
use barnabas_wire::messages::delete_records::{DeleteRecordsRequest, DeleteRecordsResponse};
use barnabas_wire::messages::describe_topic_partitions::{
    DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse,
};
use barnabas_wire::messages::fetch::{FetchRequest, FetchResponse};
use barnabas_wire::messages::find_coordinator::{FindCoordinatorRequest, FindCoordinatorResponse};
use barnabas_wire::messages::init_producer_id::{InitProducerIdRequest, InitProducerIdResponse};
use barnabas_wire::messages::list_offsets::{ListOffsetsRequest, ListOffsetsResponse};
use barnabas_wire::messages::metadata::{MetadataRequest, MetadataResponse};
use barnabas_wire::messages::offset_for_leader_epoch::{OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse};
use barnabas_wire::messages::produce::{ProduceRequest, ProduceResponse};
use barnabas_wire::messages::{
    api_versions, fetch, find_coordinator, list_offsets, metadata, offset_for_leader_epoch, produce,
};
use barnabas_wire::primitives::Reader;
use barnabas_wire::table::{self, Kind, Schema, Struct};
use barnabas_wire::value::{Value, decode_value, encode_value};
use common::Choices;
use proptest::prelude::*;

/// Calls `$act!(Type, "Name")` for each hand-written message.
macro_rules! for_each_message {
    ($act:ident) => {
        $act!(ApiVersionsRequest);
        $act!(ApiVersionsResponse);
        $act!(DeleteRecordsRequest);
        $act!(DeleteRecordsResponse);
        $act!(DescribeTopicPartitionsRequest);
        $act!(DescribeTopicPartitionsResponse);
        $act!(FetchRequest);
        $act!(FetchResponse);
        $act!(FindCoordinatorRequest);
        $act!(FindCoordinatorResponse);
        $act!(InitProducerIdRequest);
        $act!(InitProducerIdResponse);
        $act!(ListOffsetsRequest);
        $act!(ListOffsetsResponse);
        $act!(MetadataRequest);
        $act!(MetadataResponse);
        $act!(OffsetForLeaderEpochRequest);
        $act!(OffsetForLeaderEpochResponse);
        $act!(ProduceRequest);
        $act!(ProduceResponse);
    };
}

fn schema(name: &str) -> &'static Schema {
    table::schema(name).unwrap()
}

fn encoded(schema: &'static Schema, version: i16, value: &Value) -> barnabas_wire::Result<Vec<u8>> {
    let mut out = Vec::new();
    encode_value(schema, version, value, &mut out).map(|()| out)
}

proptest! {
    #[test]
    fn hand_written_messages_have_the_interpreters_bytes(choices in prop::collection::vec(any::<u8>(), 0..400)) {
        macro_rules! check {
            ($type:ident) => {
                let schema = schema(stringify!($type));
                for version in schema.version_min..=schema.version_max {
                    let value = common::message(schema, version, &mut Choices::new(&choices), false);
                    let bytes = encoded(schema, version, &value).unwrap();
                    let mut reader = Reader::new(&bytes);
                    let by_hand = $type::decode(&mut reader, version).unwrap();
                    reader.finish().unwrap();
                    prop_assert_eq!(&by_hand.to_bytes(version).unwrap(), &bytes, "{} {}", schema.name, version);
                    prop_assert_eq!(&decode_value(schema, version, &bytes).unwrap(), &value);
                }
            };
        }
        for_each_message!(check);
    }

    #[test]
    fn fields_that_a_version_lacks_are_dropped_or_refused_alike(choices in prop::collection::vec(any::<u8>(), 0..200)) {
        macro_rules! check {
            ($type:ident) => {
                let schema = schema(stringify!($type));
                for from in schema.version_min..=schema.version_max {
                    let value = common::message(schema, from, &mut Choices::new(&choices), false);
                    let bytes = encoded(schema, from, &value).unwrap();
                    let by_hand = $type::decode(&mut Reader::new(&bytes), from).unwrap();
                    for to in schema.version_min..=schema.version_max {
                        prop_assert_eq!(by_hand.to_bytes(to), encoded(schema, to, &value), "{} {}", schema.name, to);
                    }
                }
            };
        }
        for_each_message!(check);
    }

    #[test]
    fn every_message_round_trips(choices in prop::collection::vec(any::<u8>(), 0..300)) {
        for schema in table::schemas() {
            for version in schema.version_min..=schema.version_max {
                let value = common::message(schema, version, &mut Choices::new(&choices), true);
                let bytes = encoded(schema, version, &value).unwrap();
                prop_assert_eq!(decode_value(schema, version, &bytes).unwrap(), value, "{} {}", schema.name, version);
            }
        }
    }

    #[test]
    fn hostile_bytes_are_refused_or_read_but_never_panic(
        bytes in prop::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0x7f), Just(0xff), any::<u8>()], 0..120),
    ) {
        barnabas_wire::check::check(&bytes);
    }

    #[test]
    fn damaged_messages_are_read_alike(
        choices in prop::collection::vec(any::<u8>(), 0..200),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
    ) {
        macro_rules! check {
            ($type:ident) => {
                let schema = schema(stringify!($type));
                for version in schema.version_min..=schema.version_max {
                    let value = common::message(schema, version, &mut Choices::new(&choices), false);
                    let mut bytes = encoded(schema, version, &value).unwrap();
                    if bytes.is_empty() {
                        continue;
                    }
                    let at = place.index(bytes.len());
                    bytes[at] = byte;
                    bytes.truncate(cut.index(bytes.len()).max(at) + 1);
                    let mut reader = Reader::new(&bytes);
                    let by_hand = $type::decode(&mut reader, version).and_then(|made| reader.finish().map(|()| made));
                    let by_table = decode_value(schema, version, &bytes);
                    prop_assert_eq!(by_hand.is_ok(), by_table.is_ok(), "{} {} {:?}", schema.name, version, by_table);
                }
            };
        }
        for_each_message!(check);
    }
}

#[test]
fn defaults_are_the_schemas() {
    macro_rules! check {
        ($type:ident) => {
            let schema = schema(stringify!($type));
            let value = Value::struct_of_defaults(schema.root);
            for version in schema.version_min..=schema.version_max {
                assert_eq!(
                    $type::default().to_bytes(version),
                    encoded(schema, version, &value),
                    "{}",
                    schema.name
                );
            }
        };
    }
    for_each_message!(check);
}

/// A struct of defaults, but with one element of defaults in each of its arrays of structs.
fn one_of_each(of: &'static Struct) -> Value {
    let mut value = Value::struct_of_defaults(of);
    for field in of.fields {
        if let (Kind::Struct(inner), true) = (field.kind, field.array) {
            value
                .as_struct_mut()
                .unwrap()
                .set(field.name, Value::Array(vec![one_of_each(inner)]));
        }
    }
    value
}

#[test]
fn defaults_inside_arrays_are_the_schemas() {
    /// `Type { field: [Type { … }], … }`, every other field at its default.
    macro_rules! nested {
        ($module:ident::$type:ident { $($field:ident: [$($inner:tt)*]),* }) => {
            $module::$type { $($field: vec![nested!($module::$($inner)*)].into(),)* ..$module::$type::default() }
        };
    }
    macro_rules! check {
        ($($module:ident::$type:ident $fields:tt)*) => {$(
            let named = schema(stringify!($type));
            let value = one_of_each(named.root);
            let by_hand = nested!($module::$type $fields);
            for version in named.version_min..=named.version_max {
                assert_eq!(by_hand.to_bytes(version), encoded(named, version, &value), "{} {version}", named.name);
            }
        )*};
    }
    check! {
        api_versions::ApiVersionsResponse {
            api_keys: [ApiVersion {}],
            supported_features: [SupportedFeatureKey {}],
            finalized_features: [FinalizedFeatureKey {}]
        }
        fetch::FetchRequest {
            topics: [FetchTopic { partitions: [FetchPartition {}] }],
            forgotten_topics_data: [ForgottenTopic {}]
        }
        fetch::FetchResponse {
            responses: [FetchableTopicResponse {
                partitions: [PartitionData { aborted_transactions: [AbortedTransaction {}] }]
            }],
            node_endpoints: [NodeEndpoint {}]
        }
        list_offsets::ListOffsetsRequest { topics: [ListOffsetsTopic { partitions: [ListOffsetsPartition {}] }] }
        list_offsets::ListOffsetsResponse {
            topics: [ListOffsetsTopicResponse { partitions: [ListOffsetsPartitionResponse {}] }]
        }
        find_coordinator::FindCoordinatorResponse { coordinators: [Coordinator {}] }
        metadata::MetadataRequest { topics: [MetadataRequestTopic {}] }
        metadata::MetadataResponse {
            brokers: [MetadataResponseBroker {}],
            topics: [MetadataResponseTopic { partitions: [MetadataResponsePartition {}] }]
        }
        offset_for_leader_epoch::OffsetForLeaderEpochRequest {
            topics: [OffsetForLeaderTopic { partitions: [OffsetForLeaderPartition {}] }]
        }
        offset_for_leader_epoch::OffsetForLeaderEpochResponse {
            topics: [OffsetForLeaderTopicResult { partitions: [EpochEndOffset {}] }]
        }
        produce::ProduceRequest { topic_data: [TopicProduceData { partition_data: [PartitionProduceData {}] }] }
        produce::ProduceResponse {
            responses: [TopicProduceResponse {
                partition_responses: [PartitionProduceResponse { record_errors: [BatchIndexAndErrorMessage {}] }]
            }],
            node_endpoints: [NodeEndpoint {}]
        }
    }
}

#[test]
fn versions_outside_the_valid_range_are_refused() {
    macro_rules! check {
        ($type:ident) => {
            let schema = schema(stringify!($type));
            for version in [schema.version_min - 1, schema.version_max + 1, i16::MIN, i16::MAX] {
                assert!($type::decode(&mut Reader::new(&[0; 64]), version).is_err());
                assert!($type::default().to_bytes(version).is_err());
                assert!(decode_value(schema, version, &[0; 64]).is_err());
            }
        };
    }
    for_each_message!(check);
}

#[test]
fn the_unstable_version_of_init_producer_id_is_not_served() {
    assert_eq!(
        barnabas_wire::api::valid_versions(barnabas_wire::api::INIT_PRODUCER_ID),
        Some((0, 5))
    );
}
