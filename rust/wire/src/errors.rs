//! Kafka's error codes.

use crate::generated::errors::ROWS;

/// A protocol error code. Codes that this table does not know are kept and printed as numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorCode(pub i16);

/// A row of the error table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ErrorRow {
    pub(crate) code: i16,
    pub(crate) name: &'static str,
    pub(crate) retriable: bool,
    pub(crate) refreshes_metadata: bool,
    pub(crate) message: &'static str,
}

impl ErrorCode {
    fn row(self) -> Option<&'static ErrorRow> {
        ROWS.binary_search_by_key(&self.0, |row| row.code)
            .ok()
            .and_then(|index| ROWS.get(index))
    }

    /// Whether this is no error.
    pub fn is_ok(self) -> bool {
        self.0 == 0
    }

    /// The number on the wire.
    pub fn code(self) -> i16 {
        self.0
    }

    /// Kafka's name, `UNKNOWN_SERVER_ERROR` for a code that is not known.
    pub fn name(self) -> &'static str {
        self.row().map_or("UNKNOWN_SERVER_ERROR", |row| row.name)
    }

    /// Whether the same request may succeed when it is sent again.
    pub fn retriable(self) -> bool {
        self.row().is_some_and(|row| row.retriable)
    }

    /// Whether the error says that the metadata it was based on is stale.
    pub fn refreshes_metadata(self) -> bool {
        self.row().is_some_and(|row| row.refreshes_metadata)
    }

    /// A short sentence for people.
    pub fn message(self) -> &'static str {
        self.row()
            .map_or("the broker returned an error code that is not known", |row| row.message)
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.name(), self.0)
    }
}

impl From<i16> for ErrorCode {
    fn from(code: i16) -> Self {
        Self(code)
    }
}

impl From<ErrorCode> for i16 {
    fn from(code: ErrorCode) -> Self {
        code.0
    }
}
