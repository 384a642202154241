//! The options of writing, by the names that Spark gives them.

use std::collections::BTreeMap;

use crate::Result;
use crate::json::TimeOptions;
use crate::options::OptionMap;

/// How JSON is written; the default is that of Spark's `to_json`.
#[derive(Clone, Debug)]
pub struct JsonWriteOptions {
    /// Whether fields that are null are left out.
    pub ignore_null_fields: bool,
    /// Whether characters beyond ASCII are written as escapes.
    pub ascii_only: bool,
    /// How dates and times are written; by default timestamps are written to the millisecond.
    pub times: TimeOptions,
}

impl Default for JsonWriteOptions {
    fn default() -> Self {
        Self {
            ignore_null_fields: true,
            ascii_only: false,
            times: TimeOptions::default(),
        }
    }
}

impl JsonWriteOptions {
    /// From options by Spark's names, in any case.
    ///
    /// # Errors
    /// An option that is unknown, not supported, or has a value that it cannot have.
    pub fn parse(options: &BTreeMap<String, String>) -> Result<Self> {
        let mut map = OptionMap::new("json", options);
        let ignore_null_fields = map.take_switch("ignoreNullFields", true)?;
        let ascii_only = map.take_switch("writeNonAsciiCharacterAsCodePoint", false)?;
        for (name, reason) in [
            ("pretty", "values are written without white space"),
            ("encoding", "values are UTF-8"),
            ("charset", "values are UTF-8"),
        ] {
            map.refuse(name, reason)?;
        }
        let times = TimeOptions::take(&mut map)?;
        map.finish()?;
        Ok(Self {
            ignore_null_fields,
            ascii_only,
            times,
        })
    }
}
