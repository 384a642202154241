//! ApiVersions, Metadata, ListOffsets and OffsetForLeaderEpoch against a real broker.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![expect(
    clippy::too_many_lines,
    clippy::doc_markdown,
    reason = "tables of cases in Kafka's words"
)]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use barnabas_broker::{Change, Event};
use barnabas_records::{BatchBuilder, Seal};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
use barnabas_wire::messages::list_offsets::{
    ListOffsetsPartition, ListOffsetsRequest, ListOffsetsResponse, ListOffsetsTopic,
};
use barnabas_wire::messages::metadata::{MetadataRequest, MetadataRequestTopic, MetadataResponse};
use barnabas_wire::messages::offset_for_leader_epoch::{
    OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, OffsetForLeaderPartition, OffsetForLeaderTopic,
};
use barnabas_wire::primitives::Reader;

use common::{Client, Fixture, TOPIC, TOPIC_ID, batch, topic_change};

#[test]
fn api_versions_tells_what_is_served() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    for version in 0..=4 {
        let request = ApiVersionsRequest {
            client_software_name: "test",
            client_software_version: "1.0",
        };
        let body = client.call(api::API_VERSIONS, version, &request.to_bytes(version).unwrap());
        let response = ApiVersionsResponse::decode(&mut Reader::new(&body), version).unwrap();
        let ranges: Vec<_> = response
            .api_keys
            .iter()
            .map(|entry| (entry.api_key, entry.min_version, entry.max_version))
            .collect();
        let expected = [
            (0, 0, 13),
            (1, 4, 18),
            (2, 1, 11),
            (3, 0, 13),
            (11, 0, 9),
            (18, 0, 4),
            (19, 2, 7),
            (21, 0, 2),
            (23, 2, 4),
            (75, 0, 0),
        ];
        assert_eq!((response.error_code, ranges.as_slice()), (0, expected.as_slice()));
        if version >= 3 {
            let finalized: Vec<_> = response
                .finalized_features
                .iter()
                .map(|feature| (feature.name, feature.max_version_level))
                .collect();
            assert_eq!(
                (response.finalized_features_epoch, finalized),
                (10, vec![("metadata.version", 30)])
            );
            // A lowest level of 0 is told only since version 4.
            assert_eq!(response.supported_features.len(), if version == 4 { 2 } else { 1 });
        }
    }
}

#[test]
fn an_unknown_version_of_api_versions_is_answered_in_version_0() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let body = client.call(api::API_VERSIONS, 99, &[]);
    let response = ApiVersionsResponse::decode(&mut Reader::new(&body), 0).unwrap();
    assert_eq!(ErrorCode(response.error_code), ErrorCode::UNSUPPORTED_VERSION);
    let ranges: Vec<_> = response
        .api_keys
        .iter()
        .map(|entry| (entry.api_key, entry.min_version, entry.max_version))
        .collect();
    assert_eq!(ranges, [(18, 0, 4)]);
    let bad_name = ApiVersionsRequest {
        client_software_name: "-",
        client_software_version: "1",
    };
    let body = client.call(api::API_VERSIONS, 3, &bad_name.to_bytes(3).unwrap());
    let response = ApiVersionsResponse::decode(&mut Reader::new(&body), 3).unwrap();
    assert_eq!(ErrorCode(response.error_code), ErrorCode::INVALID_REQUEST);
}

fn metadata<T>(
    client: &mut Client,
    version: i16,
    topics: Option<Vec<MetadataRequestTopic<'_>>>,
    look: impl FnOnce(&MetadataResponse<'_>) -> T,
) -> T {
    let request = MetadataRequest {
        topics,
        ..MetadataRequest::default()
    };
    let body = client.call(api::METADATA, version, &request.to_bytes(version).unwrap());
    look(&MetadataResponse::decode(&mut Reader::new(&body), version).unwrap())
}

fn named(name: &str) -> MetadataRequestTopic<'_> {
    MetadataRequestTopic {
        name: Some(name),
        ..MetadataRequestTopic::default()
    }
}

fn codes(response: &MetadataResponse<'_>) -> Vec<(Option<String>, ErrorCode, usize)> {
    let topics = response.topics.iter();
    topics
        .map(|topic| {
            (
                topic.name.map(str::to_owned),
                ErrorCode(topic.error_code),
                topic.partitions.len(),
            )
        })
        .collect()
}

#[test]
fn metadata_is_answered_from_the_image_at_every_version() {
    let fixture = Fixture::with(&[("auto.create.topics.enable", "false")], &[]);
    fixture
        .node
        .publish(vec![Change::Topic(topic_change("__offsets", [8; 16], 1, 0))], 11, 1)
        .unwrap();
    let mut client = fixture.connect();
    let flights = (Some(TOPIC.to_owned()), ErrorCode::NONE, 3);
    let offsets = (Some("__offsets".to_owned()), ErrorCode::NONE, 1);
    let port = i32::from(fixture.node.endpoints()[0].port);
    for version in 0..=13 {
        let all = if version == 0 { Some(Vec::new()) } else { None };
        metadata(&mut client, version, all, |response| {
            assert_eq!(codes(response), [offsets.clone(), flights.clone()], "version {version}");
            let brokers: Vec<_> = response
                .brokers
                .iter()
                .map(|broker| (broker.node_id, broker.port))
                .collect();
            assert_eq!(brokers, [(1, port)]);
            let partition = &response.topics[1].partitions[2];
            assert_eq!(
                (partition.partition_index, partition.leader_id, partition.error_code),
                (2, 1, 0)
            );
            assert_eq!((&partition.replica_nodes, &partition.isr_nodes), (&vec![1], &vec![1]));
            if version >= 7 {
                assert_eq!(partition.leader_epoch, 5);
            }
            if version >= 2 {
                assert_eq!(
                    (response.cluster_id, response.controller_id),
                    (Some("test-cluster-0123456789"), 1)
                );
            }
            if version >= 1 {
                assert_eq!(
                    (response.topics[0].is_internal, response.topics[1].is_internal),
                    (true, false)
                );
                assert_eq!(response.brokers[0].rack, Some("rack-1"));
            }
            if version >= 8 {
                assert_eq!(response.topics[0].topic_authorized_operations, i32::MIN);
            }
        });
        if version >= 1 {
            let none = metadata(&mut client, version, Some(Vec::new()), |response| response.topics.len());
            assert_eq!(none, 0);
        }
        let asked = vec![
            named(TOPIC),
            named("missing"),
            named("bad name"),
            named("__cluster_metadata"),
        ];
        metadata(&mut client, version, Some(asked), |response| {
            let missing = (Some("missing".to_owned()), ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, 0);
            let bad = (Some("bad name".to_owned()), ErrorCode::INVALID_TOPIC_EXCEPTION, 0);
            let hidden = (
                Some("__cluster_metadata".to_owned()),
                ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
                0,
            );
            assert_eq!(
                codes(response),
                [flights.clone(), missing, bad, hidden],
                "version {version}"
            );
        });
    }
}

#[test]
fn metadata_by_topic_id() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let by_id = |topic_id| MetadataRequestTopic { topic_id, name: None };
    for version in [12, 13] {
        metadata(
            &mut client,
            version,
            Some(vec![by_id(TOPIC_ID), by_id([9; 16])]),
            |response| {
                let known = (Some(TOPIC.to_owned()), ErrorCode::NONE, 3);
                // Kafka's order: ids that are not known come first.
                assert_eq!(codes(response), [(None, ErrorCode::UNKNOWN_TOPIC_ID, 0), known]);
                assert_eq!(
                    (response.topics[0].topic_id, response.topics[1].topic_id),
                    ([9; 16], TOPIC_ID)
                );
            },
        );
    }
    metadata(&mut client, 11, Some(vec![by_id(TOPIC_ID)]), |response| {
        assert_eq!(codes(response)[0].1, ErrorCode::INVALID_REQUEST);
    });
    // Where one topic goes by its id, names do not count, not even those that are to be created.
    metadata(
        &mut client,
        13,
        Some(vec![named("fresh"), by_id(TOPIC_ID), by_id(TOPIC_ID)]),
        |response| {
            assert_eq!(codes(response), [(Some(TOPIC.to_owned()), ErrorCode::NONE, 3)]);
        },
    );
    for version in [12, 13] {
        metadata(
            &mut client,
            version,
            Some(vec![by_id([0; 16]), named(TOPIC)]),
            |response| {
                let stumbled = ErrorCode::UNKNOWN_SERVER_ERROR;
                let top = if version < 13 { ErrorCode::NONE } else { stumbled };
                assert_eq!(ErrorCode(response.error_code), top);
                assert!(codes(response).iter().all(|(_, error, _)| *error == stumbled));
            },
        );
    }
}

#[test]
fn operations_are_told_of_every_topic_that_is_named() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    for include in [true, false] {
        let request = MetadataRequest {
            topics: Some(vec![named(TOPIC), named("nothing"), named("__transaction_state")]),
            allow_auto_topic_creation: false,
            include_cluster_authorized_operations: include,
            include_topic_authorized_operations: include,
        };
        let body = client.call(api::METADATA, 9, &request.to_bytes(9).unwrap());
        let response = MetadataResponse::decode(&mut Reader::new(&body), 9).unwrap();
        let operations: Vec<_> = response
            .topics
            .iter()
            .map(|topic| topic.topic_authorized_operations)
            .collect();
        let (topic, cluster) = if include { (3576, 8096) } else { (i32::MIN, i32::MIN) };
        assert_eq!(operations, [topic; 3]);
        assert_eq!(response.cluster_authorized_operations, cluster);
        let internal: Vec<_> = response.topics.iter().map(|topic| topic.is_internal).collect();
        assert_eq!(internal, [false, false, true], "also before it exists");
    }
}

#[test]
fn a_topic_to_be_created_sends_the_request_to_the_control_plane() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let request = MetadataRequest {
        topics: Some(vec![named("fresh"), named("bad name")]),
        ..MetadataRequest::default()
    };
    client.send(api::METADATA, 9, &request.to_bytes(9).unwrap());
    let Event::Request(event) = fixture.event() else {
        panic!("a request")
    };
    assert_eq!((event.api_key, event.api_version), (api::METADATA, 9));
    assert_eq!(event.body, request.to_bytes(9).unwrap());
    fixture
        .node
        .publish(vec![Change::Topic(topic_change("fresh", [8; 16], 2, 0))], 11, 1)
        .unwrap();
    fixture.node.respond_from_image(event.token);
    let body = client.receive(api::METADATA, 9);
    let response = MetadataResponse::decode(&mut Reader::new(&body), 9).unwrap();
    let fresh = (Some("fresh".to_owned()), ErrorCode::NONE, 2);
    let bad = (Some("bad name".to_owned()), ErrorCode::INVALID_TOPIC_EXCEPTION, 0);
    assert_eq!(codes(&response), [fresh, bad]);
    let forbidden = MetadataRequest {
        allow_auto_topic_creation: false,
        topics: Some(vec![named("other")]),
        ..request
    };
    let body = client.call(api::METADATA, 9, &forbidden.to_bytes(9).unwrap());
    let response = MetadataResponse::decode(&mut Reader::new(&body), 9).unwrap();
    assert_eq!(codes(&response)[0].1, ErrorCode::UNKNOWN_TOPIC_OR_PARTITION);
}

/// Error code, offset, timestamp and leader epoch of one look-up.
fn list_offset(client: &mut Client, version: i16, partition: ListOffsetsPartition) -> (ErrorCode, i64, i64, i32) {
    let topics = vec![ListOffsetsTopic {
        name: TOPIC,
        partitions: vec![partition],
    }];
    let request = ListOffsetsRequest {
        replica_id: -1,
        topics,
        ..ListOffsetsRequest::default()
    };
    let body = client.call(api::LIST_OFFSETS, version, &request.to_bytes(version).unwrap());
    let response = ListOffsetsResponse::decode(&mut Reader::new(&body), version).unwrap();
    let found = &response.topics[0].partitions[0];
    (
        ErrorCode(found.error_code),
        found.offset,
        found.timestamp,
        found.leader_epoch,
    )
}

#[test]
fn list_offsets_knows_times_and_special_ones() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let at = |timestamp| ListOffsetsPartition {
        timestamp,
        ..ListOffsetsPartition::default()
    };
    assert_eq!(list_offset(&mut client, 11, at(-1)), (ErrorCode::NONE, 0, -1, 5));
    assert_eq!(list_offset(&mut client, 11, at(-3)), (ErrorCode::NONE, -1, -1, -1));
    for timestamps in [[100, 300], [200, 250]] {
        let mut builder = BatchBuilder::new(Vec::new());
        for timestamp in timestamps {
            builder.append(timestamp, None, Some(b"v".as_slice()), &[]).unwrap();
        }
        client.produce(0, &builder.finish(&Seal::default(), &mut Vec::new()).unwrap());
    }
    let none = (ErrorCode::NONE, -1, -1, -1);
    let cases = [
        (-1, 1, (ErrorCode::NONE, 4, -1, 5)),
        (-2, 1, (ErrorCode::NONE, 0, -1, 5)),
        (-3, 7, (ErrorCode::NONE, 1, 300, 5)),
        (-4, 8, (ErrorCode::NONE, 0, -1, 5)),
        (-5, 9, none),
        (-6, 11, none),
        (0, 1, (ErrorCode::NONE, 0, 100, 5)),
        (101, 1, (ErrorCode::NONE, 1, 300, 5)),
        (300, 1, (ErrorCode::NONE, 1, 300, 5)),
        (301, 1, none),
    ];
    let unsupported = (ErrorCode::UNSUPPORTED_VERSION, -1, -1, -1);
    for version in 1..=11 {
        for (timestamp, since, expected) in cases {
            let expected = if version < since { unsupported } else { expected };
            // The epoch is told since version 4.
            let expected = if version < 4 {
                (expected.0, expected.1, expected.2, -1)
            } else {
                expected
            };
            let found = list_offset(&mut client, version, at(timestamp));
            assert_eq!(found, expected, "version {version} timestamp {timestamp}");
        }
    }
    assert_eq!(list_offset(&mut client, 11, at(-7)), unsupported);
    let with = |partition_index, current_leader_epoch| ListOffsetsPartition {
        partition_index,
        current_leader_epoch,
        timestamp: -1,
    };
    assert_eq!(
        list_offset(&mut client, 11, with(9, -1)).0,
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
    );
    assert_eq!(
        list_offset(&mut client, 11, with(0, 4)).0,
        ErrorCode::FENCED_LEADER_EPOCH
    );
    assert_eq!(
        list_offset(&mut client, 11, with(0, 6)).0,
        ErrorCode::UNKNOWN_LEADER_EPOCH
    );
    // Only -1 stands for no epoch.
    assert_eq!(
        list_offset(&mut client, 11, with(0, -2)).0,
        ErrorCode::FENCED_LEADER_EPOCH
    );
}

#[test]
fn list_offsets_answers_each_partition_once() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let topic = |name, partitions: &[i32]| ListOffsetsTopic {
        name,
        partitions: partitions
            .iter()
            .map(|index| ListOffsetsPartition {
                partition_index: *index,
                timestamp: -1,
                ..ListOffsetsPartition::default()
            })
            .collect(),
    };
    let mut ask = |isolation_level, topics| {
        let request = ListOffsetsRequest {
            replica_id: -1,
            isolation_level,
            topics,
            ..ListOffsetsRequest::default()
        };
        let body = client.call(api::LIST_OFFSETS, 7, &request.to_bytes(7).unwrap());
        let response = ListOffsetsResponse::decode(&mut Reader::new(&body), 7).unwrap();
        let told = |topic: &barnabas_wire::messages::list_offsets::ListOffsetsTopicResponse<'_>| {
            let partitions = topic.partitions.iter();
            let partitions = partitions.map(|told| (told.partition_index, ErrorCode(told.error_code)));
            (topic.name.to_owned(), partitions.collect::<Vec<_>>())
        };
        response.topics.iter().map(told).collect::<Vec<_>>()
    };
    let good = |index| (index, ErrorCode::NONE);
    let twice = (0, ErrorCode::INVALID_REQUEST);
    let found = ask(
        0,
        vec![topic(TOPIC, &[0, 1]), topic("none", &[]), topic(TOPIC, &[0, 2])],
    );
    assert_eq!(found, [(TOPIC.to_owned(), vec![twice, good(1), good(2)])]);
    for level in [2, -1] {
        let stumbled = (1, ErrorCode::UNKNOWN_SERVER_ERROR);
        assert_eq!(
            ask(level, vec![topic(TOPIC, &[1])]),
            [(TOPIC.to_owned(), vec![stumbled])]
        );
    }
}

#[test]
fn a_leader_epoch_ends_where_the_next_begins() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.produce(0, &batch(&[b"a", b"b"]));
    fixture
        .node
        .publish(vec![Change::Topic(topic_change(TOPIC, TOPIC_ID, 3, 8))], 11, 1)
        .unwrap();
    let ask = |client: &mut Client, version, leader_epoch, current_leader_epoch| {
        let partitions = vec![OffsetForLeaderPartition {
            partition: 0,
            current_leader_epoch,
            leader_epoch,
        }];
        let topics = vec![OffsetForLeaderTopic {
            topic: TOPIC,
            partitions,
        }];
        let request = OffsetForLeaderEpochRequest { replica_id: -1, topics };
        let body = client.call(
            api::OFFSET_FOR_LEADER_EPOCH,
            version,
            &request.to_bytes(version).unwrap(),
        );
        let response = OffsetForLeaderEpochResponse::decode(&mut Reader::new(&body), version).unwrap();
        let end = &response.topics[0].partitions[0];
        (ErrorCode(end.error_code), end.leader_epoch, end.end_offset)
    };
    assert_eq!(ask(&mut client, 4, 8, -1), (ErrorCode::NONE, 8, 2));
    client.produce(0, &batch(&[b"c"]));
    for version in 2..=4 {
        assert_eq!(ask(&mut client, version, 5, 8), (ErrorCode::NONE, 5, 2));
        assert_eq!(ask(&mut client, version, 8, 8), (ErrorCode::NONE, 8, 3));
        assert_eq!(ask(&mut client, version, 9, -1), (ErrorCode::NONE, -1, -1));
        assert_eq!(ask(&mut client, version, 5, 5).0, ErrorCode::FENCED_LEADER_EPOCH);
        assert_eq!(ask(&mut client, version, 5, -2).0, ErrorCode::FENCED_LEADER_EPOCH);
        // Before the first epoch that is known everything is deleted; -1 alone is no epoch.
        assert_eq!(ask(&mut client, version, 2, -1), (ErrorCode::NONE, 2, 0));
        assert_eq!(ask(&mut client, version, -2, -1), (ErrorCode::NONE, -2, 0));
        assert_eq!(ask(&mut client, version, -1, -1), (ErrorCode::NONE, -1, -1));
    }
    // An epoch without records ends where the next begins, which is the log's end.
    let next = Change::Topic(topic_change(TOPIC, TOPIC_ID, 3, 12));
    fixture.node.publish(vec![next], 12, 1).unwrap();
    assert_eq!(ask(&mut client, 4, 10, 12), (ErrorCode::NONE, 8, 3));
    assert_eq!(ask(&mut client, 4, 8, 12), (ErrorCode::NONE, 8, 3));
}
