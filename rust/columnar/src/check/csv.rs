//! CSV.

use std::collections::BTreeMap;

use super::{check_policies, leaves, values};
use crate::PayloadOptions;

/// Options, one for each bit of an input's first byte.
const SWITCHES: [(&str, &str); 8] = [
    ("sep", ";"),
    ("sep", "||"),
    ("quote", "'"),
    ("escape", "\""),
    ("comment", "#"),
    ("ignoreLeadingWhiteSpace", "true"),
    ("ignoreTrailingWhiteSpace", "true"),
    ("nullValue", "-"),
];

/// Decodes the lines in `data`, which begins with a byte of options, under every policy. It must not panic, hang or
/// allocate beyond bounds.
///
/// # Panics
/// If one of these rules is broken.
pub fn csv(data: &[u8]) {
    let Some((switches, data)) = data.split_first() else {
        return;
    };
    let options: BTreeMap<String, String> = (0..)
        .zip(SWITCHES)
        .filter(|(bit, _)| switches >> bit & 1 == 1)
        .map(|(_, (name, value))| (name.to_owned(), value.to_owned()))
        .collect();
    let Ok(options) = PayloadOptions::parse("csv", &options) else {
        return;
    };
    check_policies(&leaves(), &values(data), &options);
}
