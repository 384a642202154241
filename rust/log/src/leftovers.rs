//! Files that a crash left half-done in a partition directory.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::Path;

use crate::env::LogEnv;
use crate::error::LogError;
use crate::scan::HeaderScan;
use crate::storage::{OpenMode, Storage};

/// Suffixes of a segment's files.
const SEGMENT_SUFFIXES: [&str; 5] = [".log", ".index", ".timeindex", ".txnindex", ".snapshot"];

/// Base offset and suffix of a segment's file.
pub(crate) fn parse_file_name(name: &str) -> Option<(i64, &str)> {
    let (digits, suffix) = name.split_at_checked(20)?;
    let offset = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())??;
    Some((offset, suffix))
}

/// What was left of interrupted changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cleared {
    /// Segments' files were removed or renamed.
    pub(crate) has_changed: bool,
    /// The log was being compacted.
    pub(crate) is_compacted: bool,
    /// Base offsets of segments that have taken the place of ones that were still there.
    pub(crate) replaced: BTreeSet<i64>,
}

/// Names of the files in `dir`, sorted; `None` when there is no such directory.
pub(crate) fn file_names(storage: &dyn Storage, dir: &Path) -> Result<Option<Vec<String>>, LogError> {
    let entries = match storage.file_names(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LogError::io("list", dir, error)),
    };
    let files = entries.into_iter().filter(|entry| !entry.is_dir);
    let mut names: Vec<String> = files.map(|entry| entry.name).collect();
    names.sort_unstable();
    Ok(Some(names))
}

/// Removes what was being deleted or written, and completes the replacement of segments by compacted ones:
///
/// - `.deleted`, `.tmp`: removed.
/// - `.cleaned`: compaction had not renamed all of its output to `.swap` yet, so all output from the smallest of their
///   offsets on is void and removed; the originals are still there.
/// - other `.swap`: all output was complete; the originals in its range of offsets are removed, then it takes their place.
/// - `.swap` indexes without their log, where the disk keeps names in no order: the log is the old or the new one, and
///   the indexes of both go, so that they are built anew.
///
/// Returns what there was.
pub(crate) fn clear(env: &LogEnv, dir: &Path, names: &[String]) -> Result<Cleared, LogError> {
    let storage = env.storage.as_ref();
    let remove = |name: &str| {
        let path = dir.join(name);
        log::info!("removing {}, left by an interrupted change", path.display());
        storage
            .remove_file(&path)
            .map_err(|error| LogError::io("remove", &path, error))
    };
    let void_from = names
        .iter()
        .filter_map(|name| parse_file_name(name.strip_suffix(".cleaned")?))
        .map(|(offset, _)| offset)
        .min()
        .unwrap_or(i64::MAX);
    let last_log = names
        .iter()
        .filter(|name| parse_file_name(name).is_some_and(|(_, suffix)| suffix == ".log"))
        .max();
    let mut cleared = Cleared::default();
    let mut swaps = BTreeSet::new();
    for name in names {
        let swap = name.strip_suffix(".swap").and_then(parse_file_name);
        if [".deleted", ".cleaned", ".tmp"]
            .iter()
            .any(|suffix| name.ends_with(suffix))
            || swap.is_some_and(|(offset, _)| offset >= void_from)
        {
            remove(name)?;
            cleared.has_changed |= name.strip_suffix(".tmp").is_none();
            let replaced = replaced_by_compaction(name, names, last_log);
            cleared.is_compacted |= swap.is_some() || name.ends_with(".cleaned") || replaced.is_some();
            cleared.replaced.extend(replaced);
        } else if let Some((offset, _)) = swap {
            swaps.insert(offset);
        }
    }
    if !swaps.is_empty() {
        cleared.has_changed = true;
        cleared.is_compacted = true;
        cleared.replaced.extend(&swaps);
        remove_replaced(env, dir, &swaps, names, &remove)?;
    }
    // The last one first, as in the exchange itself.
    for offset in swaps.into_iter().rev() {
        if names.contains(&crate::segment::file_name(offset, ".log.swap")) {
            complete_swap(storage, dir, offset, names)?;
            env.sync_dir(dir)?;
        } else {
            settle_indexes(storage, dir, offset, names, &remove)?;
        }
    }
    Ok(cleared)
}

/// Base offset of a deleted segment that lives on under its old name. Retention leaves deleted segments too, but no such
/// one; a truncation leaves one whose name the new, last segment has, and the last one is never compacted.
fn replaced_by_compaction(name: &str, names: &[String], last_log: Option<&String>) -> Option<i64> {
    let live = name.strip_suffix(".deleted")?;
    live.strip_suffix(".log")?;
    let is_replaced = last_log.is_some_and(|last| last != live) && names.iter().any(|name| name == live);
    parse_file_name(live)
        .filter(|_| is_replaced)
        .map(|(base_offset, _)| base_offset)
}

/// Removes the originals that all `.swap` segments together replace: only one exchange is under way at a time, and the
/// last batch of what replaces several segments stays for its offset.
fn remove_replaced(
    env: &LogEnv,
    dir: &Path,
    swaps: &BTreeSet<i64>,
    names: &[String],
    remove: &impl Fn(&str) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let mut replaced: Option<Range<i64>> = None;
    for base_offset in swaps {
        let log_swap = crate::segment::file_name(*base_offset, ".log.swap");
        if names.contains(&log_swap) {
            let end = end_offset(env.storage.as_ref(), &dir.join(&log_swap), *base_offset)?.max(base_offset + 1);
            let range = replaced.get_or_insert(*base_offset..end);
            range.end = range.end.max(end);
        }
    }
    let Some(replaced) = replaced else {
        return Ok(());
    };
    // Where the original's log is gone, its other files are too: those of that name are the new segment's already.
    let goes = |offset: i64, suffix: &str| {
        !swaps.contains(&offset)
            || (suffix != ".snapshot" && names.contains(&crate::segment::file_name(offset, ".log")))
    };
    let parsed = |name: &String| parse_file_name(name).map(|(offset, suffix)| (offset, suffix.to_owned()));
    for is_log in [false, true] {
        for (name, (offset, suffix)) in names.iter().filter_map(|name| Some((name, parsed(name)?))) {
            if replaced.contains(&offset)
                && SEGMENT_SUFFIXES.contains(&suffix.as_str())
                && (suffix == ".log") == is_log
                && goes(offset, &suffix)
            {
                remove(name)?;
            }
        }
        // No name of the new segments may be on disk before these are gone from it, nor an index outlive its log.
        env.sync_dir(dir)?;
    }
    Ok(())
}

/// Whichever log is there, an index of the other one must not stay. The transaction index is no such index: the old
/// one says all that the new one does, so that it stays if it is there.
fn settle_indexes(
    storage: &dyn Storage,
    dir: &Path,
    base_offset: i64,
    names: &[String],
    remove: &impl Fn(&str) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let named = |suffix: &str| crate::segment::file_name(base_offset, suffix);
    if !names.contains(&named(".txnindex")) {
        let txn_index: Vec<String> = names
            .iter()
            .filter(|name| **name == named(".txnindex.swap"))
            .cloned()
            .collect();
        complete_swap(storage, dir, base_offset, &txn_index)?;
    }
    let stays = [named(".log"), named(".snapshot"), named(".txnindex")];
    names
        .iter()
        .filter(|name| {
            let live = name.strip_suffix(".swap").unwrap_or(name);
            let belongs = parse_file_name(live)
                .is_some_and(|(offset, suffix)| offset == base_offset && SEGMENT_SUFFIXES.contains(&suffix));
            let is_taken = live == named(".txnindex") && !names.contains(&named(".txnindex"));
            belongs && !stays.contains(name) && !is_taken
        })
        .try_for_each(|name| remove(name))
}

fn complete_swap(storage: &dyn Storage, dir: &Path, base_offset: i64, names: &[String]) -> Result<(), LogError> {
    let swapped = |suffix: &str| crate::segment::file_name(base_offset, &format!("{suffix}.swap"));
    // The log comes last: as long as its `.swap` is there, the next start does all of this again.
    for suffix in SEGMENT_SUFFIXES.iter().rev() {
        let from = swapped(suffix);
        if names.contains(&from) {
            let path = dir.join(&from);
            let to = path.with_extension("");
            storage
                .rename(&path, &to)
                .map_err(|error| LogError::io("rename", &path, error))?;
        }
    }
    Ok(())
}

fn end_offset(storage: &dyn Storage, path: &Path, base_offset: i64) -> Result<i64, LogError> {
    let failed = |error| LogError::io("read", path, error);
    let file = storage.open(path, OpenMode::Read).map_err(failed)?;
    let mut scan = HeaderScan::new(file.as_ref(), 0, file.len().map_err(failed)?);
    let mut end = base_offset;
    while let Ok(Some((_, header))) = scan.next() {
        end = header.next_offset();
    }
    Ok(end)
}
