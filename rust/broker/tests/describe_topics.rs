//! `DescribeTopicPartitions` over loopback: order, limits, cursors and errors (KIP-966).

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use barnabas_broker::Change;
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::Nullable;
use barnabas_wire::messages::describe_topic_partitions::{
    Cursor, DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse, TopicRequest,
};
use barnabas_wire::primitives::Reader;

use common::{Client, Fixture, TOPIC, topic_change};

const OPERATIONS: i32 = 3576;

/// Topic, error and partitions of each entry, and the cursor.
type Described = (Vec<(String, ErrorCode, Vec<i32>)>, Option<(String, i32)>);

fn describe(client: &mut Client, names: &[&str], limit: i32, cursor: Option<(&str, i32)>) -> Described {
    let request = DescribeTopicPartitionsRequest {
        topics: names.iter().map(|name| TopicRequest { name }).collect(),
        response_partition_limit: limit,
        cursor: Nullable(cursor.map(|(topic_name, partition_index)| Cursor {
            topic_name,
            partition_index,
        })),
    };
    let body = client.call(api::DESCRIBE_TOPIC_PARTITIONS, 0, &request.to_bytes(0).unwrap());
    let mut reader = Reader::new(&body);
    let response = DescribeTopicPartitionsResponse::decode(&mut reader, 0).unwrap();
    reader.finish().unwrap();
    let mut topics = Vec::new();
    for topic in &response.topics {
        let error = ErrorCode(topic.error_code);
        if error.is_ok() {
            assert_ne!(topic.topic_id, [0; 16]);
        }
        let is_refused = matches!(error, ErrorCode::INVALID_REQUEST | ErrorCode::UNKNOWN_SERVER_ERROR);
        let operations = if is_refused { i32::MIN } else { OPERATIONS };
        assert_eq!(topic.topic_authorized_operations, operations);
        let partitions = topic.partitions.iter().map(|partition| partition.partition_index);
        topics.push((topic.name.unwrap().to_owned(), error, partitions.collect()));
    }
    let cursor = response.next_cursor.0;
    (
        topics,
        cursor.map(|cursor| (cursor.topic_name.to_owned(), cursor.partition_index)),
    )
}

fn known(name: &str, partitions: std::ops::Range<i32>) -> (String, ErrorCode, Vec<i32>) {
    (name.to_owned(), ErrorCode::NONE, partitions.collect())
}

fn refused(name: &str, error: ErrorCode) -> (String, ErrorCode, Vec<i32>) {
    (name.to_owned(), error, Vec::new())
}

fn at(name: &str, partition: i32) -> (String, i32) {
    (name.to_owned(), partition)
}

/// `flights` with three partitions, `ants` with two, `zebras` with one.
fn start(options: &[(&str, &str)]) -> Fixture {
    let fixture = Fixture::with(options, &[]);
    let delta = vec![
        Change::Topic(topic_change("zebras", [2; 16], 1, 0)),
        Change::Topic(topic_change("ants", [3; 16], 2, 0)),
    ];
    fixture.node.publish(delta, 11, 1).unwrap();
    fixture
}

#[test]
fn all_topics_come_in_order_and_in_pieces() {
    let fixture = start(&[]);
    let mut client = fixture.connect();
    let all = [known("ants", 0..2), known(TOPIC, 0..3), known("zebras", 0..1)];
    for limit in [6, 7, i32::MAX] {
        assert_eq!(describe(&mut client, &[], limit, None), (all.to_vec(), None), "{limit}");
    }
    for limit in [1, 0, -5] {
        let first = describe(&mut client, &[], limit, None);
        assert_eq!(first, (vec![known("ants", 0..1)], Some(at("ants", 1))), "{limit}");
    }
    // A limit that ends with a topic points to the next, which need not exist any more.
    assert_eq!(
        describe(&mut client, &[], 2, None),
        (vec![known("ants", 0..2)], Some(at(TOPIC, 0)))
    );
    assert_eq!(
        describe(&mut client, &[], 2, Some(("ants", 1))),
        (vec![known("ants", 1..2), known(TOPIC, 0..1)], Some(at(TOPIC, 1)))
    );
    assert_eq!(
        describe(&mut client, &[], 9, Some(("gnus", 7))),
        (vec![known("zebras", 0..1)], None)
    );
    // A cursor past the end of its topic finds nothing there.
    assert_eq!(
        describe(&mut client, &[], 9, Some((TOPIC, 3))),
        (vec![known(TOPIC, 0..0), known("zebras", 0..1)], None)
    );
}

#[test]
fn named_topics_come_in_order_once_with_their_errors() {
    let fixture = start(&[]);
    let mut client = fixture.connect();
    let names = ["zebras", "no such", "gnus", "ants", "zebras"];
    let expected = vec![
        known("ants", 0..2),
        refused("gnus", ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
        refused("no such", ErrorCode::INVALID_TOPIC_EXCEPTION),
        known("zebras", 0..1),
    ];
    assert_eq!(describe(&mut client, &names, 9, None), (expected.clone(), None));
    // What does not exist takes no place, but may be where the next piece begins.
    assert_eq!(
        describe(&mut client, &names, 2, None),
        (vec![known("ants", 0..2)], Some(at("gnus", 0)))
    );
    assert_eq!(
        describe(&mut client, &names, 2, Some(("gnus", 0))),
        (expected[1..].to_vec(), None)
    );
}

#[test]
fn a_cursor_must_be_named_and_valid() {
    let fixture = start(&[]);
    let mut client = fixture.connect();
    let invalid = |names: &[&str]| {
        let topics = names.iter().map(|name| refused(name, ErrorCode::INVALID_REQUEST));
        (topics.collect::<Vec<_>>(), None)
    };
    let names = ["ants", "zebras"];
    assert_eq!(describe(&mut client, &names, 9, Some((TOPIC, 0))), invalid(&names));
    assert_eq!(describe(&mut client, &names, 9, Some(("ants", -1))), invalid(&names));
    assert_eq!(describe(&mut client, &[], 9, Some(("ants", -1))), invalid(&[]));
    let stumbled = vec![
        refused("ants", ErrorCode::UNKNOWN_SERVER_ERROR),
        refused("", ErrorCode::UNKNOWN_SERVER_ERROR),
    ];
    assert_eq!(describe(&mut client, &["ants", ""], 9, None), (stumbled, None));
}

#[test]
fn the_brokers_limit_holds_too() {
    let fixture = start(&[("max.request.partition.size.limit", "4")]);
    let mut client = fixture.connect();
    assert_eq!(
        describe(&mut client, &[], 2000, None),
        (vec![known("ants", 0..2), known(TOPIC, 0..2)], Some(at(TOPIC, 2)))
    );
}

#[test]
fn partitions_carry_what_the_image_says() {
    let fixture = start(&[]);
    let mut change = topic_change("ants", [3; 16], 1, 4);
    change.partitions[0].replicas = vec![1, 2];
    change.partitions[0].leader = 2;
    fixture.node.publish(vec![Change::Topic(change)], 12, 1).unwrap();
    let request = DescribeTopicPartitionsRequest {
        topics: vec![TopicRequest { name: "ants" }],
        ..DescribeTopicPartitionsRequest::default()
    };
    let mut client = fixture.connect();
    let body = client.call(api::DESCRIBE_TOPIC_PARTITIONS, 0, &request.to_bytes(0).unwrap());
    let response = DescribeTopicPartitionsResponse::decode(&mut Reader::new(&body), 0).unwrap();
    let partition = &response.topics[0].partitions[0];
    assert_eq!(
        (partition.leader_id, partition.leader_epoch, partition.error_code),
        (-1, 4, 0)
    );
    assert_eq!(
        (&partition.replica_nodes, &partition.isr_nodes),
        (&vec![1, 2], &vec![1])
    );
    assert_eq!(partition.offline_replicas, [2]);
    assert_eq!(
        (&partition.eligible_leader_replicas, &partition.last_known_elr),
        (&Some(Vec::new()), &Some(Vec::new()))
    );
}
