//! The checks that the fuzz targets feed, fed with documents, documents with damage, and any bytes; and the kept corpus.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a failure here fails the test"
)]

use std::path::Path;

use barnabas_columnar::check;
use proptest::prelude::*;

/// Words that mean something to one of the formats.
const WORDS: [&str; 72] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "/",
    " ",
    "\n",
    "\t",
    "null",
    "true",
    "false",
    "NaN",
    "-Infinity",
    "+INF",
    "0",
    "-",
    "1",
    "255",
    "-129",
    "32768",
    "2147483648",
    "9223372036854775808",
    "1.5",
    "1e400",
    "-0.0",
    "1e-7",
    "0.005",
    "12345678.995",
    "007",
    "\"s\":",
    "\"l\":",
    "\"d\":",
    "\"b\":",
    "\"i8\":",
    "\"i16\":",
    "\"i32\":",
    "\"f\":",
    "\"n\":",
    "\"w\":",
    "\"day\":",
    "\"at\":",
    "\"local\":",
    "\"for\":",
    "\"raw\":",
    "\"o\":{",
    "\"a\":[",
    "\"ao\":[{",
    "\"m\":{",
    "\"key\":",
    "\"2013-02-30\"",
    "\"2013-01-31\"",
    "\"2013-01-31T05:06:07.123456+01:00\"",
    "\"-290308-12-21T19:59:05.224192Z\"",
    "\"GMT2013\"",
    "\"1 02:03:04.5\"",
    "\"AQID\"",
    "\"AQ==\"",
    "\\u00e9",
    "\\ud83d",
    "\\ude00",
    "é",
    "😀",
    "/*",
    "*/",
    "//",
    "||",
    "#",
];

/// Values made of words, the byte that stands between values, and any bytes.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        16 => prop::sample::select(WORDS.to_vec()).prop_map(|word| word.as_bytes().to_vec()),
        2 => Just(vec![0xff]),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    (any::<u8>(), prop::collection::vec(part, 0..60)).prop_map(|(options, parts)| {
        let mut data = vec![options];
        data.extend(parts.concat());
        data
    })
}

/// Whole objects, of which a byte may be another.
fn objects() -> impl Strategy<Value = Vec<u8>> {
    let value = prop::sample::select(WORDS[13..34].iter().chain(&WORDS[54..62]).copied().collect::<Vec<_>>());
    let name = prop::sample::select(WORDS[34..49].to_vec());
    let field = (name, value).prop_map(|(name, value)| format!("{name}{value}"));
    let flat = prop::collection::vec(field, 0..8).prop_map(|fields| fields.join(", "));
    let object = (flat.clone(), flat, prop::sample::select(vec!["o", "ao", "m", "z"])).prop_map(
        |(inner, outer, name)| match name {
            "ao" => format!("{{\"ao\": [{{{inner}}}, null], {outer}}}"),
            "m" => format!("{{\"m\": {{\"k\": {{{inner}}}}}, {outer}}}"),
            name => format!("{{\"{name}\": {{{inner}}}, {outer}}}"),
        },
    );
    let damage = prop::option::weighted(0.3, (any::<prop::sample::Index>(), any::<u8>()));
    (any::<u8>(), prop::collection::vec(object, 1..4), damage).prop_map(|(options, objects, damage)| {
        let mut data = vec![options];
        data.extend(
            objects
                .join("\u{0}")
                .replace(", }", "}")
                .bytes()
                .map(|byte| if byte == 0 { 0xff } else { byte }),
        );
        if let Some((at, byte)) = damage {
            let at = at.index(data.len());
            data[at] = byte;
        }
        data
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("SEEDS").map_or(256, |seeds| seeds.parse().unwrap())))]

    #[test]
    fn any_words_are_judged(data in words()) {
        check::json(&data);
        check::csv(&data);
        check::text(&data);
    }

    #[test]
    fn damaged_objects_are_judged(data in objects()) {
        check::json(&data);
    }

    #[test]
    fn any_bytes_are_judged(data in prop::collection::vec(any::<u8>(), 0..200)) {
        check::json(&data);
        check::csv(&data);
        check::text(&data);
    }
}

/// Pieces of schemas.
const SCHEMA_WORDS: [&str; 30] = [
    "{\"type\": \"record\", \"name\": \"R\", \"fields\": [",
    "{\"name\": \"a\", \"type\": ",
    "{\"name\": \"b\", \"aliases\": [\"a\"], \"type\": ",
    "{\"type\": \"array\", \"items\": ",
    "{\"type\": \"map\", \"values\": ",
    "{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"A\", \"B\"]}",
    "{\"type\": \"fixed\", \"name\": \"F\", \"size\": 2}",
    "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 4, \"scale\": 2}",
    "{\"type\": \"long\", \"logicalType\": \"timestamp-millis\"}",
    "\"null\"",
    "\"boolean\"",
    "\"int\"",
    "\"long\"",
    "\"float\"",
    "\"double\"",
    "\"string\"",
    "\"bytes\"",
    "\"R\"",
    "\"E\"",
    "[",
    "]",
    "{",
    "}",
    "]}",
    "}]}",
    ", ",
    ", \"default\": null",
    ", \"default\": {}",
    ", \"default\": \"A\"",
    ", \"default\": 1",
];

/// A known schema's letter, or a text made of pieces.
fn avro_schema() -> impl Strategy<Value = Vec<u8>> {
    let known = u8::try_from(check::AVRO_SCHEMAS.len()).unwrap();
    let pieces = prop::collection::vec(prop::sample::select(SCHEMA_WORDS.to_vec()), 0..12);
    prop_oneof![
        6 => (0..known).prop_map(|place| vec![b'a' + place]),
        1 => pieces.prop_map(|pieces| pieces.concat().into_bytes()),
    ]
}

/// Bytes that mean something in Avro's encoding more often than chance would have it.
fn avro_value() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => 0_u8..8,
        1 => prop::sample::select(vec![1_u8, 3, 0x7f, 0x80, 0xfe, 0xff]),
        1 => any::<u8>(),
    ];
    prop::collection::vec(byte, 0..40)
}

fn avro_input() -> impl Strategy<Value = Vec<u8>> {
    let reader = prop::option::of(avro_schema()).prop_map(Option::unwrap_or_default);
    let values = prop::collection::vec(avro_value(), 1..6);
    (avro_schema(), reader, values).prop_map(|(writer, reader, values)| {
        let mut data = [writer, vec![0], reader, vec![0]].concat();
        for value in values {
            data.push(u8::try_from(value.len()).unwrap());
            data.extend(value);
        }
        data
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("SEEDS").map_or(1024, |seeds| seeds.parse().unwrap())))]

    #[test]
    fn any_avro_is_judged(data in avro_input()) {
        check::avro(&data);
    }

    #[test]
    fn any_bytes_as_avro_are_judged(data in prop::collection::vec(any::<u8>(), 0..200)) {
        check::avro(&data);
    }
}

#[test]
fn the_kept_corpus_is_judged() {
    for (target, check) in [
        ("json", check::json as fn(&[u8])),
        ("avro", check::avro),
        ("csv", check::csv),
        ("text", check::text),
        ("arrow_import", barnabas_columnar::encode::check::check),
    ] {
        let mut count = 0;
        for kind in ["corpus", "regressions"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../fuzz")
                .join(kind)
                .join(target);
            let Ok(files) = std::fs::read_dir(&folder) else {
                continue;
            };
            for entry in files {
                check(&std::fs::read(entry.unwrap().path()).unwrap());
                count += 1;
            }
        }
        assert!(count > 0, "{target} has no corpus");
    }
}
