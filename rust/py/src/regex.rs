//! Regular expressions over topic names, in time linear in the name: what RE2 and the `regex` crate have in common.

use pyo3::prelude::*;
use regex::{Regex, RegexBuilder};

use crate::error::raise;

/// Most memory that a compiled expression may take.
const COMPILED_BYTES_LIMIT: usize = 1 << 20;
/// Longest expression.
const PATTERN_BYTES_LIMIT: usize = 16 << 10;

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(regex_matches, m)?)
}

/// The names that a regular expression matches from beginning to end.
#[pyfunction]
fn regex_matches(py: Python<'_>, pattern: &str, names: Vec<String>) -> PyResult<Vec<String>> {
    let regex =
        compile(pattern).map_err(|reason| raise(py, "InvalidRegularExpressionError", &refusal(pattern, &reason)))?;
    Ok(py.detach(|| names.into_iter().filter(|name| regex.is_match(name)).collect()))
}

fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > PATTERN_BYTES_LIMIT {
        return Err(format!("it is longer than {PATTERN_BYTES_LIMIT} bytes"));
    }
    // Compiled on its own first, so that an unbalanced group cannot close the one around it.
    let build = |text: &str| {
        RegexBuilder::new(text)
            .size_limit(COMPILED_BYTES_LIMIT)
            .build()
            .map_err(|error| reason(&error.to_string()))
    };
    build(pattern)?;
    build(&format!("^(?:{pattern})$"))
}

/// What is wrong in the words of RE2, which Kafka's texts have; those of the `regex` crate where RE2 has none.
fn reason(text: &str) -> String {
    const WORDS: [(&str, &str); 10] = [
        ("unclosed group", "missing closing )"),
        ("unopened group", "missing closing )"),
        ("unclosed character class", "missing closing ]"),
        (
            "repetition operator missing expression",
            "missing argument to repetition operator",
        ),
        ("incomplete escape sequence", "trailing backslash at end of expression"),
        ("unrecognized escape sequence", "invalid escape sequence"),
        ("invalid character class range", "invalid character class range"),
        ("invalid repetition count range", "invalid repeat count"),
        ("duplicate capture group name", "duplicate capture group name"),
        ("look-around", "invalid or unsupported Perl syntax"),
    ];
    let known = WORDS.iter().find(|(ours, _)| text.contains(ours));
    known.map_or(text, |(_, theirs)| theirs).to_owned()
}

fn refusal(pattern: &str, reason: &str) -> String {
    let shown: String = pattern.chars().take(200).collect();
    format!("SubscribedTopicRegex `{shown}` is not a valid regular expression: {reason}.")
}
