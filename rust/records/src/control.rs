//! Control records: transaction markers and the metadata log's own records.

use crate::{BatchBuilder, Header, RecordsError, Result, Seal};

/// Types of control records.
pub mod control_type {
    /// End of a transaction that was aborted.
    pub const ABORT: i16 = 0;
    /// End of a transaction that was committed.
    pub const COMMIT: i16 = 1;
    /// A new leader of the metadata quorum.
    pub const LEADER_CHANGE: i16 = 2;
    /// First record of a snapshot.
    pub const SNAPSHOT_HEADER: i16 = 3;
    /// Last record of a snapshot.
    pub const SNAPSHOT_FOOTER: i16 = 4;
    /// Finalised level of `kraft.version`.
    pub const KRAFT_VERSION: i16 = 5;
    /// Voters of the metadata quorum.
    pub const KRAFT_VOTERS: i16 = 6;
}

const NO_HEADERS: &[Header<'_>] = &[];

/// Key of a control record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlKey {
    /// Version of the key.
    pub version: i16,
    /// See [`control_type`].
    pub control_type: i16,
}

impl ControlKey {
    /// Reads a key; newer versions may be longer.
    ///
    /// # Errors
    /// The key is too short or its version is negative.
    pub fn parse(key: &[u8]) -> Result<Self> {
        let (version, rest) = take_i16(key, "control key version")?;
        let (control_type, _) = take_i16(rest, "control type")?;
        Ok(Self {
            version: not_negative(version, "control key version")?,
            control_type,
        })
    }

    /// The key's bytes.
    pub fn to_bytes(self) -> [u8; 4] {
        let mut bytes = [0; 4];
        let (version, control_type) = bytes.split_at_mut(2);
        version.copy_from_slice(&self.version.to_be_bytes());
        control_type.copy_from_slice(&self.control_type.to_be_bytes());
        bytes
    }
}

/// Value of a transaction marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndTransactionMarker {
    /// Version of the value.
    pub version: i16,
    /// Epoch of the transaction coordinator that ended the transaction.
    pub coordinator_epoch: i32,
}

impl EndTransactionMarker {
    /// Reads a marker; newer versions may be longer.
    ///
    /// # Errors
    /// The value is too short or its version is negative.
    pub fn parse(value: &[u8]) -> Result<Self> {
        let (version, rest) = take_i16(value, "marker version")?;
        let Some(epoch) = rest.first_chunk() else {
            return Err(RecordsError::Truncated {
                needed: 6,
                available: value.len(),
            });
        };
        let coordinator_epoch = i32::from_be_bytes(*epoch);
        Ok(Self {
            version: not_negative(version, "marker version")?,
            coordinator_epoch,
        })
    }

    /// The value's bytes.
    pub fn to_bytes(self) -> [u8; 6] {
        let mut bytes = [0; 6];
        let (version, coordinator_epoch) = bytes.split_at_mut(2);
        version.copy_from_slice(&self.version.to_be_bytes());
        coordinator_epoch.copy_from_slice(&self.coordinator_epoch.to_be_bytes());
        bytes
    }
}

/// Builds a control batch of one record in `buffer`. Control batches are never compressed; whether the batch is
/// transactional (markers are, the metadata log's records are not) is the seal's to say.
///
/// # Errors
/// As [`BatchBuilder::append`].
pub fn build_control_batch(
    buffer: Vec<u8>,
    key: ControlKey,
    value: &[u8],
    timestamp: i64,
    seal: &Seal,
) -> Result<Vec<u8>> {
    let mut builder = BatchBuilder::new(buffer);
    builder.append(timestamp, Some(&key.to_bytes()), Some(value), NO_HEADERS)?;
    let seal = Seal {
        control: true,
        compression: crate::Compression::None,
        ..*seal
    };
    builder.finish(&seal, &mut Vec::new())
}

fn take_i16<'a>(input: &'a [u8], field: &'static str) -> Result<(i16, &'a [u8])> {
    match input.split_first_chunk() {
        Some((bytes, rest)) => Ok((i16::from_be_bytes(*bytes), rest)),
        None => Err(RecordsError::InvalidLength {
            field,
            length: i64::try_from(input.len()).unwrap_or(i64::MAX),
        }),
    }
}

fn not_negative(version: i16, field: &'static str) -> Result<i16> {
    if version < 0 {
        Err(RecordsError::InvalidLength {
            field,
            length: version.into(),
        })
    } else {
        Ok(version)
    }
}
