//! Where a response says how long its client should wait (KIP-219).

use crate::table::{self, Field, Kind, Schema};

const FIELD: &str = "throttle_time_ms";
/// An empty set of tagged fields.
const NO_TAGGED_FIELDS: u8 = 0;

/// Writes the time into a response's body; false if the response has no place for it. Not for responses that have tagged
/// fields: ApiVersions and Produce say it themselves.
pub fn set_throttle_time(api_key: i16, version: i16, body: &mut [u8], ms: i32) -> bool {
    let place = table::response(api_key).and_then(|schema| place(schema, version, body));
    match place.and_then(|at| body.get_mut(at..at.checked_add(4)?)) {
        Some(field) => {
            field.copy_from_slice(&ms.to_be_bytes());
            true
        }
        None => false,
    }
}

fn place(schema: &Schema, version: i16, body: &[u8]) -> Option<usize> {
    let is_field = |field: &&Field| field.versions.contains(version) && !field.tagged.contains(version);
    let mut fields = schema.root.fields.iter().filter(is_field);
    let mut at = 0;
    for field in fields.clone() {
        if field.name == FIELD {
            return Some(at);
        }
        match size(field) {
            Some(size) => at += size,
            None => break,
        }
    }
    if fields.next_back()?.name != FIELD {
        return None;
    }
    if !schema.is_flexible(version) {
        return body.len().checked_sub(4);
    }
    (body.last() == Some(&NO_TAGGED_FIELDS)).then(|| body.len().checked_sub(5))?
}

/// How many bytes a field has, if that is always the same.
fn size(field: &Field) -> Option<usize> {
    match field.kind {
        Kind::String | Kind::Bytes | Kind::Records | Kind::Struct(_) => None,
        kind => (!field.array).then(|| kind.size_min()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter;
    use crate::table::{Purpose, schemas};
    use crate::value::{Value, ValueBuilder, encode_value};

    /// A response without anything in it.
    fn empty(schema: &'static Schema, version: i16) -> Vec<u8> {
        let mut body = Vec::new();
        encode_value(schema, version, &Value::struct_of_defaults(schema.root), &mut body).unwrap();
        body
    }

    #[test]
    fn every_response_that_has_a_place_for_it_says_it() {
        let mut elsewhere = Vec::new();
        for schema in schemas().iter().filter(|schema| schema.purpose == Purpose::Response) {
            let key = schema.api_key.unwrap();
            for version in schema.version_min..=schema.version_max {
                let has_field = schema
                    .root
                    .fields
                    .iter()
                    .any(|field| field.name == FIELD && field.versions.contains(version));
                let mut body = empty(schema, version);
                let is_set = set_throttle_time(key, version, &mut body, 0x0102_0304);
                if is_set {
                    let read = interpreter::decode(schema, version, &body, &mut ValueBuilder).unwrap();
                    assert_eq!(
                        read.get(FIELD),
                        Some(&Value::Int32(0x0102_0304)),
                        "{} {version}",
                        schema.name
                    );
                } else if has_field {
                    elsewhere.push(key);
                }
                assert!(has_field || !is_set, "{} {version}", schema.name);
            }
        }
        assert!(elsewhere.is_empty(), "{elsewhere:?}");
    }
}
