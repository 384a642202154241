//! The response that refuses all of a request with one error code, for any API and version.
//!
//! Kafka has `AbstractRequest.getErrorResponse` per API; here one walk over the message table does it: the code goes to
//! every `error_code` of the response, and each part that the request names (a topic, a partition, a group) gets its own
//! entry. Of such a part only what identifies it is repeated.

use crate::api;
use crate::error::{Result, WireError};
use crate::interpreter;
use crate::table::{self, Field, Kind, Struct};
use crate::value::{Value, ValueBuilder, encode_value};

/// Which array of the request names the parts of an array of the response, where it is not called the same.
const COUNTERPARTS: [(&str, &str); 21] = [
    ("responses", "topic_data"),
    ("partition_responses", "partition_data"),
    ("responses", "topics"),
    ("responses", "topic_names"),
    ("responses", "resources"),
    ("results", "groups_names"),
    ("results", "topics"),
    ("results", "resources"),
    ("results", "topics_to_create"),
    ("coordinators", "coordinator_keys"),
    ("partitions", "partition_indexes"),
    ("transaction_states", "transactional_ids"),
    ("groups", "group_ids"),
    ("results", "creations"),
    ("filter_results", "filters"),
    ("replica_election_results", "topic_partitions"),
    ("partition_result", "partitions"),
    ("results_by_topic_v3_and_below", "v3_and_below_topics"),
    ("results_by_partition", "partitions"),
    ("results_by_transaction", "transactions"),
    ("topic_results", "topics"),
];

/// What identifies a part; names in one row mean the same.
const IDENTITIES: [&[&str]; 8] = [
    &["name", "topic_name", "topic"],
    &["topic_id"],
    &["partition_index", "partition", "partition_id", "index"],
    &["group_id"],
    &["key"],
    &["resource_type"],
    &["resource_name"],
    &["transactional_id"],
];

/// Offsets of a response that say "none" with -1 although the schema's default is 0.
const NO_OFFSETS: [&str; 4] = ["base_offset", "high_watermark", "committed_offset", "low_watermark"];

/// Errors of a fetch session, which are no partition's.
const FETCH_SESSION_ERRORS: [i16; 3] = [70, 71, 106];

/// What refuses a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The body of the response.
    Body(Vec<u8>),
    /// There is no response to write an error to (Produce with acks 0): Kafka closes the connection.
    Close,
}

/// The response to `request`, the body of a request, with `error_code` in every place that has one.
///
/// # Errors
/// The API is not known, or the body is no request of this version.
pub fn refuse(api_key: i16, version: i16, request: &[u8], error_code: i16) -> Result<Refusal> {
    let (Some(asked), Some(answered)) = (table::request(api_key), table::response(api_key)) else {
        return Err(WireError::TypeMismatch { expected: "API" });
    };
    let request = interpreter::decode(asked, version, request, &mut ValueBuilder)?;
    if api_key == api::PRODUCE && request.get("acks") == Some(&Value::Int16(0)) {
        return Ok(Refusal::Close);
    }
    let mut response = part(answered.root, None, Some(&request), version, error_code);
    if api_key == api::FETCH && !FETCH_SESSION_ERRORS.contains(&error_code) {
        // With partitions to blame the session itself is fine; an incremental fetch that names none blames the session.
        let has_parts = matches!(response.get("responses"), Some(Value::Array(parts)) if !parts.is_empty());
        if let (true, Some(root)) = (has_parts, response.as_struct_mut()) {
            root.set("error_code", Value::Int16(0));
        }
    }
    let mut body = Vec::new();
    encode_value(answered, version, &response, &mut body)?;
    Ok(Refusal::Body(body))
}

/// A struct of the response: `identity` is the element of the request that it answers, `request` where its own arrays find
/// their counterparts.
fn part(
    of: &'static Struct,
    identity: Option<&Value>,
    request: Option<&Value>,
    version: i16,
    error_code: i16,
) -> Value {
    let mut value = Value::struct_of_defaults(of);
    let Some(fields) = value.as_struct_mut() else {
        return value;
    };
    for field in of.fields.iter().filter(|field| field.versions.contains(version)) {
        let name = field.name;
        let is_null = fields.get(name) == Some(&Value::Null);
        if is_null && !field.nullable.contains(version) {
            fields.set(name, empty(field));
        }
        if name.ends_with("error_code") {
            fields.set(name, Value::Int16(error_code));
        } else if NO_OFFSETS.contains(&name) {
            fields.set(name, Value::Int64(-1));
        } else if let (Kind::Struct(element), true) = (field.kind, field.array) {
            let parts = counterpart(name, request);
            let parts = parts
                .iter()
                .map(|asked| part(element, Some(asked), Some(asked), version, error_code));
            fields.set(name, Value::Array(parts.collect()));
        } else if let Some(known) = identity.and_then(|identity| identified(name, field.kind, identity)) {
            fields.set(name, known);
        }
    }
    value
}

/// The elements of the request that an array of the response answers.
fn counterpart<'a>(name: &str, request: Option<&'a Value>) -> &'a [Value] {
    let named = |other: &str| match request?.get(other)? {
        Value::Array(elements) => Some(elements.as_slice()),
        _ => None,
    };
    let others = COUNTERPARTS.iter().filter(|(answer, _)| *answer == name);
    named(name)
        .or_else(|| {
            others
                .filter_map(|(_, asked)| named(asked))
                .find(|found| !found.is_empty())
        })
        .unwrap_or_default()
}

/// The value of an identifying field, from the struct or the plain value that the request has.
fn identified(name: &str, kind: Kind, identity: &Value) -> Option<Value> {
    let row = IDENTITIES.iter().find(|row| row.contains(&name))?;
    match (identity, kind) {
        (Value::Struct(_), _) => row.iter().find_map(|other| identity.get(other)).cloned(),
        (Value::Str(_), Kind::String) | (Value::Int32(_), Kind::Int32) => Some(identity.clone()),
        _ => None,
    }
}

/// What stands for nothing where a version has no null.
fn empty(field: &Field) -> Value {
    match field.kind {
        _ if field.array => Value::Array(Vec::new()),
        Kind::Bytes => Value::Bytes(Vec::new()),
        Kind::Records => Value::Records(Vec::new()),
        Kind::Struct(of) => Value::struct_of_defaults(of),
        _ => Value::Str(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{decode_value, to_value};

    const CODE: i16 = 42;

    /// A request in which every array has one element.
    fn full(of: &'static Struct, version: i16) -> Value {
        let mut value = Value::struct_of_defaults(of);
        let fields = value.as_struct_mut().unwrap();
        for field in of.fields.iter().filter(|field| field.versions.contains(version)) {
            let element = match field.kind {
                Kind::Struct(of) => full(of, version),
                Kind::String => Value::Str("x".to_owned()),
                Kind::Int32 => Value::Int32(7),
                Kind::Int8 => Value::Int8(0),
                Kind::Int64 => Value::Int64(0),
                Kind::Uuid => Value::Uuid([3; 16]),
                _ => Value::Int16(0),
            };
            if fields.get(field.name) == Some(&Value::Null) {
                fields.set(field.name, empty(field));
            }
            if field.array {
                fields.set(field.name, Value::Array(vec![element]));
            } else if matches!(field.kind, Kind::Struct(_)) || field.name == "acks" {
                let one = if field.name == "acks" { Value::Int16(1) } else { element };
                fields.set(field.name, one);
            }
        }
        value
    }

    fn codes(value: &Value, found: &mut Vec<i16>) {
        match value {
            Value::Array(elements) => elements.iter().for_each(|element| codes(element, found)),
            Value::Struct(of) => {
                for (field, value) in of.of.fields.iter().zip(&of.fields) {
                    match (field.name, value) {
                        (name, Value::Int16(code)) if name.ends_with("error_code") => found.push(*code),
                        _ => codes(value, found),
                    }
                }
            }
            _ => {}
        }
    }

    fn refused(api_key: i16, version: i16, request: &Value, code: i16) -> Value {
        let (asked, answered) = (table::request(api_key).unwrap(), table::response(api_key).unwrap());
        let mut body = Vec::new();
        encode_value(asked, version, request, &mut body).unwrap();
        match refuse(api_key, version, &body, code).unwrap() {
            Refusal::Body(body) => to_value(answered, &&decode_value(answered, version, &body).unwrap()).unwrap(),
            Refusal::Close => panic!("closed"),
        }
    }

    /// Every API that a broker serves to clients says the code somewhere, at every version, but for two whose responses
    /// are shaped otherwise than their requests.
    #[test]
    fn every_api_and_version_can_be_refused() {
        let mut count = 0;
        let mut failed = Vec::new();
        for api in api::apis().iter().filter(|api| api.on_broker) {
            for version in api.version_min..=api.version_max {
                let request = full(table::request(api.key).unwrap().root, version);
                let mut found = Vec::new();
                codes(&refused(api.key, version, &request, CODE), &mut found);
                if !found.contains(&CODE) {
                    failed.push(format!("{} {version}", api.name));
                }
                count += 1;
            }
        }
        let known = [
            "AlterReplicaLogDirs 1",
            "AlterReplicaLogDirs 2",
            "AlterUserScramCredentials 0",
        ];
        assert_eq!(failed, known);
        assert!(count > 150, "{count}");
    }

    #[test]
    fn parts_are_named_as_in_the_request() {
        let request = full(table::request(api::PRODUCE).unwrap().root, 9);
        let answer = refused(api::PRODUCE, 9, &request, CODE);
        let Some(Value::Array(topics)) = answer.get("responses") else {
            panic!("{answer:?}")
        };
        let Some(Value::Array(parts)) = topics[0].get("partition_responses") else {
            panic!("{answer:?}")
        };
        assert_eq!(topics[0].get("name"), request_topic_name(&request));
        assert_eq!(parts[0].get("base_offset"), Some(&Value::Int64(-1)));
        let keys = full(table::request(api::FIND_COORDINATOR).unwrap().root, 4);
        let answer = refused(api::FIND_COORDINATOR, 4, &keys, 15);
        let Some(Value::Array(found)) = answer.get("coordinators") else {
            panic!("{answer:?}")
        };
        assert_eq!(found[0].get("key"), Some(&Value::Str("x".to_owned())));
    }

    fn request_topic_name(request: &Value) -> Option<&Value> {
        match request.get("topic_data") {
            Some(Value::Array(topics)) => topics.first()?.get("name"),
            _ => None,
        }
    }

    #[test]
    fn a_fetch_blames_its_partitions_or_its_session() {
        let request = full(table::request(api::FETCH).unwrap().root, 12);
        assert_eq!(
            refused(api::FETCH, 12, &request, 6).get("error_code"),
            Some(&Value::Int16(0))
        );
        assert_eq!(
            refused(api::FETCH, 12, &request, 70).get("error_code"),
            Some(&Value::Int16(70))
        );
        let incremental = Value::struct_of_defaults(table::request(api::FETCH).unwrap().root);
        assert_eq!(
            refused(api::FETCH, 12, &incremental, 6).get("error_code"),
            Some(&Value::Int16(6))
        );
    }

    #[test]
    fn acks_0_has_nobody_to_tell() {
        let mut request = full(table::request(api::PRODUCE).unwrap().root, 9);
        request.as_struct_mut().unwrap().set("acks", Value::Int16(0));
        let mut body = Vec::new();
        encode_value(table::request(api::PRODUCE).unwrap(), 9, &request, &mut body).unwrap();
        assert_eq!(refuse(api::PRODUCE, 9, &body, CODE), Ok(Refusal::Close));
        assert!(refuse(api::PRODUCE, 9, &body[1..], CODE).is_err());
        assert!(refuse(-1, 0, &[], CODE).is_err());
    }
}
