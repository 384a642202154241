//! The options of CSV, by the names that Spark gives them.

use crate::Result;
use crate::json::TimeOptions;
use crate::options::{OptionMap, invalid};

/// Most fields of a line, unless an option says otherwise.
const COLUMNS_MAX: usize = 20_480;

/// As in `from_csv` these have no effect: a record is one line, and the schema is given.
const WITHOUT_EFFECT: [&str; 8] = [
    "header",
    "multiLine",
    "lineSep",
    "inferSchema",
    "samplingRatio",
    "enforceSchema",
    "preferDate",
    "columnPruning",
];

/// How a line is split and its fields are read; the default is that of Spark's `from_csv`.
#[derive(Clone, Debug)]
pub struct CsvOptions {
    /// What stands between fields, one or more characters.
    pub separator: String,
    /// What stands around a field that may hold separators.
    pub quote: Option<u8>,
    /// What stands before a quote that belongs to a quoted field.
    pub escape: Option<u8>,
    /// What a line begins with that is no record; such a line is bad.
    pub comment: Option<u8>,
    /// Whether white space before a field is left out.
    pub ignores_leading_white_space: bool,
    /// Whether white space after a field without quotes is left out.
    pub ignores_trailing_white_space: bool,
    /// What stands for null, beside nothing.
    pub null_value: String,
    /// What a pair of quotes with nothing in it stands for.
    pub empty_value: String,
    /// What stands for not-a-number.
    pub nan_value: String,
    /// What stands for infinity.
    pub positive_infinity: String,
    /// What stands for minus infinity.
    pub negative_infinity: String,
    /// Names of the line's columns in their order, if the schema asks for some only; else all, in the schema's order.
    pub columns: Vec<String>,
    /// Most fields of a line.
    pub columns_max: usize,
    /// Most bytes of a field.
    pub field_bytes_max: usize,
    /// How dates and times are read.
    pub times: TimeOptions,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self {
            separator: ",".to_owned(),
            quote: Some(b'"'),
            escape: Some(b'\\'),
            comment: None,
            ignores_leading_white_space: false,
            ignores_trailing_white_space: false,
            null_value: String::new(),
            empty_value: String::new(),
            nan_value: "NaN".to_owned(),
            positive_infinity: "Inf".to_owned(),
            negative_infinity: "-Inf".to_owned(),
            columns: Vec::new(),
            columns_max: COLUMNS_MAX,
            field_bytes_max: usize::MAX,
            times: TimeOptions::default(),
        }
    }
}

impl CsvOptions {
    /// Takes the options by Spark's names, and `columns`, the names of the line's columns with commas between them.
    pub(crate) fn take(map: &mut OptionMap) -> Result<Self> {
        let default = Self::default();
        let separator = match map.take("sep").or(map.take("delimiter")) {
            Some(text) => unescaped(&text).ok_or_else(|| invalid("sep", &text, "one or more characters"))?,
            None => default.separator,
        };
        let quote = character(map, "quote", default.quote)?;
        let escape = character(map, "escape", default.escape)?;
        if let Some(other) = map.take("charToEscapeQuoteEscaping")
            && other.as_bytes() != escape.as_slice()
        {
            return Err(invalid(
                "charToEscapeQuoteEscaping",
                &other,
                "only that of escape is supported",
            ));
        }
        if let Some(handling) = map.take("unescapedQuoteHandling")
            && handling != "STOP_AT_DELIMITER"
        {
            return Err(invalid(
                "unescapedQuoteHandling",
                &handling,
                "only STOP_AT_DELIMITER is supported",
            ));
        }
        for name in WITHOUT_EFFECT {
            map.take(name);
        }
        for name in ["encoding", "charset"] {
            map.refuse(name, "values are UTF-8")?;
        }
        map.refuse("singleVariantColumn", "there is no column type for it")?;
        let columns = map.take("columns").unwrap_or_default();
        Ok(Self {
            separator,
            quote,
            escape,
            comment: character(map, "comment", default.comment)?,
            ignores_leading_white_space: map.take_switch("ignoreLeadingWhiteSpace", false)?,
            ignores_trailing_white_space: map.take_switch("ignoreTrailingWhiteSpace", false)?,
            null_value: map.take("nullValue").unwrap_or(default.null_value),
            empty_value: map.take("emptyValue").unwrap_or(default.empty_value),
            nan_value: map.take("nanValue").unwrap_or(default.nan_value),
            positive_infinity: map.take("positiveInf").unwrap_or(default.positive_infinity),
            negative_infinity: map.take("negativeInf").unwrap_or(default.negative_infinity),
            columns: (columns.split(',').map(|name| name.trim().to_owned()))
                .filter(|name| !name.is_empty())
                .collect(),
            columns_max: count(map, "maxColumns")?.unwrap_or(default.columns_max),
            field_bytes_max: count(map, "maxCharsPerColumn")?.unwrap_or(default.field_bytes_max),
            times: TimeOptions::take(map)?,
        })
    }
}

/// A separator with its escapes resolved; nothing if it is empty or has another escape.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        out.push(match character {
            '\\' if text.chars().count() > 1 => match characters.next()? {
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                same @ ('\\' | '"' | '\'' | '#' | '|') => same,
                _ => return None,
            },
            other => other,
        });
    }
    (!out.is_empty()).then_some(out)
}

/// An option of one ASCII character; an empty one is none.
fn character(map: &mut OptionMap, name: &'static str, default: Option<u8>) -> Result<Option<u8>> {
    match map.take(name) {
        None => Ok(default),
        Some(text) => match text.as_bytes() {
            [] | [0] => Ok(None),
            [byte @ 1..0x80] => Ok(Some(*byte)),
            _ => Err(invalid(name, &text, "one ASCII character, or nothing")),
        },
    }
}

/// An option that is a number of things; a negative one is no limit.
fn count(map: &mut OptionMap, name: &'static str) -> Result<Option<usize>> {
    map.take(name)
        .map(|text| match text.parse::<i64>() {
            Ok(count) if count < 0 => Ok(usize::MAX),
            Ok(count) => Ok(usize::try_from(count).unwrap_or(usize::MAX)),
            Err(_) => Err(invalid(name, &text, "a whole number")),
        })
        .transpose()
}
