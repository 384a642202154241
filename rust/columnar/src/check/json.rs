//! JSON.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field};

use super::variant::is_well_formed;
use super::{check_policies, decode, leaves, nested, values};
use crate::json::{JsonWriteOptions, TimeOptions, encode};
use crate::variant::variant_fields;
use crate::{Pattern, PayloadFormat, PayloadOptions};

/// Options of syntax, one for each bit of an input's first byte.
const SWITCHES: [&str; 7] = [
    "allowComments",
    "allowUnquotedFieldNames",
    "allowSingleQuotes",
    "allowNumericLeadingZeros",
    "allowNonNumericNumbers",
    "allowBackslashEscapingAnyCharacter",
    "allowUnquotedControlChars",
];

/// Decodes the values in `data`, which begins with a byte of options, under every policy. It must not panic, hang or
/// allocate beyond bounds; columns that were decoded are written and decode to the same columns.
///
/// # Panics
/// If one of these rules is broken.
pub fn json(data: &[u8]) {
    let Some((switches, data)) = data.split_first() else {
        return;
    };
    let values = values(data);
    let options: BTreeMap<String, String> = (0..)
        .zip(SWITCHES)
        .map(|(bit, name)| (name.to_owned(), (switches >> bit & 1 == 1).to_string()))
        .collect();
    let Ok(options) = PayloadOptions::parse("json", &options) else {
        return;
    };
    let fields = fields();
    let with_variant = [fields.as_slice(), &[variant_field()]].concat();
    if let Some((rows, _)) = check_policies(&with_variant, &values, &options) {
        check_writing(&fields, &rows);
        check_variants(rows.column_by_name("v"));
    }
    let mut whole = options;
    if let PayloadFormat::Json(options) = &mut whole.format {
        options.single_variant = Some("v".to_owned());
    }
    if let Some((rows, _)) = check_policies(&[variant_field()], &values, &whole) {
        check_variants(rows.column_by_name("v"));
    }
}

fn variant_field() -> Field {
    Field::new("v", DataType::Struct(variant_fields()), true)
}

/// Whatever the text was, what was made of it is a variant.
fn check_variants(column: Option<&ArrayRef>) {
    let Some(rows) = column.and_then(|column| column.as_struct_opt()) else {
        return;
    };
    let [values, dictionaries] = rows.columns() else { return };
    let (values, dictionaries) = (values.as_binary::<i32>(), dictionaries.as_binary::<i32>());
    for row in (0..rows.len()).filter(|row| rows.is_valid(*row)) {
        assert!(is_well_formed(values.value(row), dictionaries.value(row)), "a variant");
    }
}

fn fields() -> Vec<Field> {
    let list =
        |name: &str, element: Field| Field::new(name, DataType::List(Arc::new(element.with_name("element"))), true);
    let entries = vec![
        Field::new("key", DataType::Utf8, false),
        nested("value", leaves().into_iter().take(3).collect()),
    ];
    let map = DataType::Map(Arc::new(nested("entries", entries).with_nullable(false)), false);
    let mut fields = leaves();
    fields.extend([
        nested("o", leaves()),
        list("a", Field::new("element", DataType::Int64, true)),
        list("ao", nested("element", leaves())),
        Field::new("m", map, true),
    ]);
    fields
}

/// Good or bad, what was decoded are values like others: written and read again they are the same.
fn check_writing(fields: &[Field], rows: &RecordBatch) {
    let options = JsonWriteOptions {
        times: TimeOptions {
            timestamp_format: Pattern::new("timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX").ok(),
            local_timestamp_format: Pattern::new("timestampNTZFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSS").ok(),
            ..TimeOptions::default()
        },
        ..JsonWriteOptions::default()
    };
    let Ok(payload) = rows.project(&(0..fields.len()).collect::<Vec<_>>()) else {
        return;
    };
    for ascii_only in [false, true] {
        let options = JsonWriteOptions {
            ascii_only,
            ignore_null_fields: !ascii_only,
            ..options.clone()
        };
        let written = encode(&StructArray::from(payload.clone()), &options);
        let written = written
            .as_ref()
            .map(|written| written.iter().flatten().collect::<Vec<_>>());
        assert!(written.is_ok(), "what was decoded can be written");
        let written = written.unwrap_or_default();
        let default = PayloadOptions::new(crate::PayloadFormat::Json(crate::JsonOptions::default()));
        let again = decode(fields, &written, default).ok().flatten();
        let again = again.and_then(|again| again.project(&(0..fields.len()).collect::<Vec<_>>()).ok());
        assert_eq!(again.as_ref(), Some(&payload), "what is written is read again");
    }
}
