//! Facts written by `tools/protocol/generate.py`; see NOTICE.

pub(crate) mod apis;
pub(crate) mod errors;
pub(crate) mod messages;
