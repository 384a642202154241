//! Options of formats by Spark's names, which do not heed case.

use std::collections::BTreeMap;

use crate::{ColumnarError, Result};

/// Options that wait to be taken by name; what is left at the end is unknown.
#[derive(Debug)]
pub(crate) struct OptionMap {
    format: String,
    /// By the name in lower case: the name as it was given, and the value.
    left: BTreeMap<String, (String, String)>,
    /// Every name that was asked for.
    known: Vec<&'static str>,
}

impl OptionMap {
    /// The options of a format.
    pub(crate) fn new(format: &str, options: &BTreeMap<String, String>) -> Self {
        Self {
            format: format.to_owned(),
            left: options
                .iter()
                .map(|(name, value)| (name.to_ascii_lowercase(), (name.clone(), value.clone())))
                .collect(),
            known: Vec::new(),
        }
    }

    /// Takes an option out.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        self.left.remove(&name.to_ascii_lowercase()).map(|(_, value)| value)
    }

    /// Takes a switch out.
    pub(crate) fn take_switch(&mut self, name: &'static str, default: bool) -> Result<bool> {
        match self.take(name) {
            None => Ok(default),
            Some(value) if value.eq_ignore_ascii_case("true") => Ok(true),
            Some(value) if value.eq_ignore_ascii_case("false") => Ok(false),
            Some(value) => Err(invalid(name, &value, "true or false")),
        }
    }

    /// Refuses an option of Spark's that has no effect here, or cannot be had.
    pub(crate) fn refuse(&mut self, name: &'static str, reason: &'static str) -> Result<()> {
        match self.take(name) {
            Some(value) => Err(invalid(name, &value, reason)),
            None => Ok(()),
        }
    }

    /// Ends the taking.
    ///
    /// # Errors
    /// An option that nobody asked for.
    pub(crate) fn finish(mut self) -> Result<()> {
        let Some((_, (name, _))) = self.left.pop_first() else {
            return Ok(());
        };
        self.known.sort_unstable();
        Err(ColumnarError::UnknownOption {
            format: self.format,
            option: name,
            known: self.known.join(", "),
        })
    }
}

/// An option whose value it cannot have.
pub(crate) fn invalid(option: &str, value: &str, expected: &str) -> ColumnarError {
    ColumnarError::InvalidOption {
        option: option.to_owned(),
        value: value.to_owned(),
        expected: expected.to_owned(),
    }
}
