//! What can be wrong with bytes on the wire, or with a message that should become bytes.

/// An error of decoding or encoding.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The input ends before the value does.
    #[error("input ends early: {needed} bytes needed, {remaining} left")]
    Truncated {
        /// Bytes that the value needs.
        needed: usize,
        /// Bytes that are left.
        remaining: usize,
    },
    /// Bytes are left after the last field.
    #[error("{remaining} bytes left after the last field")]
    TrailingBytes {
        /// Bytes that are left.
        remaining: usize,
    },
    /// A length or count is negative, or larger than the input can hold.
    #[error("length {length} does not fit: {remaining} bytes left")]
    InvalidLength {
        /// The length as declared.
        length: i64,
        /// Bytes that are left.
        remaining: usize,
    },
    /// A variable-length integer is longer than its type allows.
    #[error("variable-length integer is too long")]
    InvalidVarint,
    /// A string is not UTF-8.
    #[error("string is not valid UTF-8")]
    InvalidUtf8,
    /// A null where the version does not allow it.
    #[error("null in a field that may not be null in version {version}")]
    UnexpectedNull {
        /// The version of the message.
        version: i16,
    },
    /// A value too long for its length field.
    #[error("value of {length} bytes or elements is too long for its length field")]
    TooLong {
        /// The length of the value.
        length: usize,
    },
    /// The message has no such version.
    #[error("{message} has no version {version}")]
    UnsupportedVersion {
        /// The message's name.
        message: &'static str,
        /// The version asked for.
        version: i16,
    },
    /// A field that the version lacks carries a value and may not be dropped.
    #[error("field {field} has a value but does not exist in version {version}")]
    FieldNotInVersion {
        /// The field's name.
        field: &'static str,
        /// The version asked for.
        version: i16,
    },
    /// An integer that its field cannot hold.
    #[error("integer {value} is out of its field's range")]
    IntegerOutOfRange {
        /// The integer.
        value: i64,
    },
    /// A value of the wrong kind stands in a field.
    #[error("a value of another type was expected: {expected}")]
    TypeMismatch {
        /// The type that the schema asks for.
        expected: &'static str,
    },
    /// Record bytes are not at hand: the message was made for sending in parts.
    #[error("records are sent apart from this message: encode it in parts")]
    RecordsApart,
    /// No API has this key.
    #[error("unknown API key {0}")]
    UnknownApiKey(i16),
}

/// The result of decoding or encoding.
pub type Result<T, E = WireError> = std::result::Result<T, E>;
