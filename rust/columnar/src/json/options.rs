//! The options of JSON, by the names that Spark gives them.

use super::scan::Syntax;
use crate::Result;
use crate::options::{OptionMap, invalid};
use crate::scalar::pattern::Pattern;
use crate::scalar::time;

/// The option of a column that gets whole values.
pub(super) const SINGLE_VARIANT: &str = "singleVariantColumn";

/// What whole numbers count in a column of timestamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EpochUnit {
    /// Seconds, as in Spark.
    #[default]
    Second,
    /// Milliseconds.
    Millisecond,
    /// Microseconds.
    Microsecond,
}

impl EpochUnit {
    /// Microseconds of one.
    pub(crate) fn micros(self) -> i64 {
        match self {
            Self::Second => 1_000_000,
            Self::Millisecond => 1_000,
            Self::Microsecond => 1,
        }
    }
}

/// How JSON is read; the default is that of Spark's `from_json`.
#[derive(Clone, Debug, Default)]
pub struct JsonOptions {
    /// What whole numbers are in a column of timestamps.
    pub epoch_unit: EpochUnit,
    /// How dates and times are read.
    pub times: TimeOptions,
    /// What is allowed beyond RFC 8259.
    pub syntax: Syntax,
    /// The column of type VARIANT that gets the value as a whole, whatever it is; fields get objects' fields otherwise.
    pub single_variant: Option<String>,
}

impl JsonOptions {
    /// Takes the options by Spark's names, and `epochUnit` (`s`, `ms` or `us`).
    pub(crate) fn take(map: &mut OptionMap) -> Result<Self> {
        let default = Syntax::default();
        let syntax = Syntax {
            comments: map.take_switch("allowComments", default.comments)?,
            unquoted_names: map.take_switch("allowUnquotedFieldNames", default.unquoted_names)?,
            single_quotes: map.take_switch("allowSingleQuotes", default.single_quotes)?,
            leading_zeros: map.take_switch("allowNumericLeadingZeros", default.leading_zeros)?,
            non_numeric: map.take_switch("allowNonNumericNumbers", default.non_numeric)?,
            any_escape: map.take_switch("allowBackslashEscapingAnyCharacter", default.any_escape)?,
            control_characters: map.take_switch("allowUnquotedControlChars", default.control_characters)?,
        };
        let epoch_unit = match map.take("epochUnit").as_deref() {
            None | Some("s") => EpochUnit::Second,
            Some("ms") => EpochUnit::Millisecond,
            Some("us") => EpochUnit::Microsecond,
            Some(other) => return Err(invalid("epochUnit", other, "s, ms or us")),
        };
        // These steer how Spark finds a schema; here, as in `from_json`, the schema is given.
        for inference in [
            "primitivesAsString",
            "prefersDecimal",
            "samplingRatio",
            "dropFieldIfAllNull",
            "inferTimestamp",
        ] {
            map.take(inference);
        }
        for name in ["encoding", "charset"] {
            map.refuse(name, "values are UTF-8")?;
        }
        Ok(Self {
            epoch_unit,
            times: TimeOptions::take(map)?,
            syntax,
            single_variant: map.take(SINGLE_VARIANT),
        })
    }
}

/// How dates and times are read and written; formats of text share it.
#[derive(Clone, Debug, Default)]
pub struct TimeOptions {
    /// Seconds from UTC of dates and times that do not say, and in which timestamps are written.
    pub zone_offset_seconds: i64,
    /// Pattern of dates instead of ISO 8601.
    pub date_format: Option<Pattern>,
    /// Pattern of timestamps instead of ISO 8601.
    pub timestamp_format: Option<Pattern>,
    /// Pattern of timestamps without a zone instead of ISO 8601.
    pub local_timestamp_format: Option<Pattern>,
    /// Whether what a pattern does not fit may still be ISO 8601.
    pub falls_back: bool,
}

impl TimeOptions {
    /// Takes the options by Spark's names.
    pub(crate) fn take(map: &mut OptionMap) -> Result<Self> {
        let mut pattern = |name: &'static str| map.take(name).map(|text| Pattern::new(name, &text)).transpose();
        let date_format = pattern("dateFormat")?;
        let timestamp_format = pattern("timestampFormat")?;
        let local_timestamp_format = pattern("timestampNTZFormat")?;
        let zone_offset_seconds = match map.take("timeZone") {
            None => 0,
            Some(zone) => time::zone_offset(zone.as_bytes()).ok_or_else(|| {
                invalid(
                    "timeZone",
                    &zone,
                    "UTC or an offset like +02:00; the names of places are not read",
                )
            })?,
        };
        if let Some(locale) = map.take("locale")
            && !locale.eq_ignore_ascii_case("en-US")
        {
            return Err(invalid("locale", &locale, "only en-US is read"));
        }
        Ok(Self {
            zone_offset_seconds,
            date_format,
            timestamp_format,
            local_timestamp_format,
            falls_back: map.take_switch("enableDateTimeParsingFallback", false)?,
        })
    }
}
