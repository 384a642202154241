//! Calls that can fail, how they do, and what a crash at one of them is in the middle of.

use std::io;
use std::path::Path;

const ENOSPC: i32 = 28;
const EIO: i32 = 5;

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tests) enum Fault {
    NoSpace,
    Broken,
}

impl Fault {
    pub(super) fn error(self) -> io::Error {
        io::Error::from_raw_os_error(match self {
            Self::NoSpace => ENOSPC,
            Self::Broken => EIO,
        })
    }
}

/// A kind of call that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tests) enum Call {
    Create,
    MakeDir,
    Write,
    SetLen,
    SyncData,
    SyncDir,
    Rename,
    Remove,
    Read,
}

impl Call {
    pub(in crate::tests) const ALL: [Self; 9] = [
        Self::Create,
        Self::MakeDir,
        Self::Write,
        Self::SetLen,
        Self::SyncData,
        Self::SyncDir,
        Self::Rename,
        Self::Remove,
        Self::Read,
    ];

    /// What a crash at this call on that file is in the middle of.
    pub(super) fn crash_name(self, path: &Path) -> &'static str {
        let name = path.file_name().unwrap_or_default().to_str().unwrap();
        let is = |part: &str| name.contains(part);
        match self {
            Self::Remove => "crash in a delete: remove",
            Self::Rename if is(".deleted") || is("-delete") => "crash in a delete: rename",
            _ if is(".cleaned") => "crash in compaction's writing",
            Self::Rename if is(".swap") => "crash in a compaction swap: rename to .swap",
            Self::Rename if is(".log") || is(".index") || is(".timeindex") || is(".txnindex") => {
                "crash in a compaction swap or a log that begins anew: rename from .swap or .anew"
            }
            _ if is("checkpoint") => "crash in a checkpoint",
            _ if is(".snapshot") => "crash in a snapshot",
            _ if is("index") => "crash in an index write",
            Self::SetLen if is(".log") => "crash in a truncate",
            Self::Create if is(".log") => "crash in a roll",
            Self::Write if is(".log") => "crash in an append",
            Self::SyncData if is(".log") => "crash in a flush of a log",
            Self::SyncDir => "crash in a flush of names",
            _ => "crash elsewhere",
        }
    }

    pub(super) fn failed_name(self, fault: Fault) -> &'static str {
        match (self, fault) {
            (Self::Create, _) => "create failed",
            (Self::MakeDir, _) => "mkdir failed",
            (Self::Write, Fault::NoSpace) => "write failed half-way, ENOSPC",
            (Self::Write, Fault::Broken) => "write failed half-way, EIO",
            (Self::SetLen, _) => "truncate failed",
            (Self::SyncData, _) => "fsync of a file failed",
            (Self::SyncDir, _) => "fsync of a directory failed",
            (Self::Rename, _) => "rename failed",
            (Self::Remove, _) => "remove failed",
            (Self::Read, _) => "read failed, EIO",
        }
    }
}

/// Which call is to fail.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// `None`: any that changes something.
    pub(super) call: Option<Call>,
    /// Calls of that kind that go well before.
    pub(super) left: u64,
    pub(super) fault: Fault,
    /// All further ones fail too.
    pub(super) lasting: bool,
    pub(super) fired: bool,
}
