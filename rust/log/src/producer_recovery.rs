//! Producer state at opening: the newest sound snapshot, then the log behind it, then the log before it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use barnabas_records::{BatchHeader, BatchRef};

use crate::appender::marker_of;
use crate::config::LogConfig;
use crate::env::LogEnv;
use crate::error::LogError;
use crate::producer_state::{Marker, ProducerStates, SNAPSHOT_BYTES_MAX};
use crate::scan::{HeaderScan, ScanError};
use crate::segment::{Segment, file_name};
use crate::storage::StorageFile;

/// How far before a snapshot the log is searched for the older ones of a producer's last batches, which a snapshot
/// does not keep.
const LOOK_BACK_BYTES: u64 = 4 << 20;

/// Returns the state at the end of the log and the offset of the newest snapshot (-1 when there is none).
pub(crate) fn recover(
    env: &LogEnv,
    dir: &Path,
    segments: &[Arc<Segment>],
    snapshots: Vec<i64>,
    log_end_offset: i64,
    config: &LogConfig,
    now_ms: i64,
) -> Result<(ProducerStates, i64), LogError> {
    let mut snapshots = snapshots;
    snapshots.sort_unstable();
    let mut newest: Option<(i64, ProducerStates)> = None;
    for offset in snapshots.into_iter().rev() {
        let path = dir.join(file_name(offset, ".snapshot"));
        let at_segment = segments.iter().any(|segment| segment.base_offset == offset);
        // Kept: the newest, and those a later truncation can go back to.
        let keep = offset <= log_end_offset
            && if newest.is_some() {
                at_segment
            } else {
                newest = load(env, &path)?.map(|states| (offset, states));
                newest.is_some()
            };
        if !keep {
            match env.storage.remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(LogError::io("remove", &path, error));
                }
                _ => {}
            }
        }
    }
    let (snapshot_offset, mut states) = newest.unwrap_or((-1, ProducerStates::default()));
    let from = snapshot_offset.max(0);
    states.expire(now_ms, config.producer_id_expiration_ms);
    if !states.is_empty() {
        look_back(segments, from, &mut states)?;
    }
    replay(segments, from, &mut states, now_ms)?;
    Ok((states, snapshot_offset))
}

fn load(env: &LogEnv, path: &Path) -> Result<Option<ProducerStates>, LogError> {
    let states = match env.storage.read_whole(path, SNAPSHOT_BYTES_MAX) {
        Ok(bytes) => ProducerStates::from_snapshot(&bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LogError::io("read", path, error)),
    };
    if states.is_none() {
        log::warn!("{} is damaged; producer state is taken from the log", path.display());
    }
    Ok(states)
}

/// Takes in every batch from `from` on.
fn replay(segments: &[Arc<Segment>], from: i64, states: &mut ProducerStates, now_ms: i64) -> Result<(), LogError> {
    for segment in segments {
        let (size, next_offset) = segment.with_tail(|tail| (tail.size, tail.next_offset));
        if next_offset <= from || size == 0 {
            continue;
        }
        let file = segment.file()?;
        let Some((start, _)) = segment.find(file.as_ref(), from.max(segment.base_offset), size)? else {
            continue;
        };
        let mut scan = HeaderScan::new(file.as_ref(), start, size);
        while let Some((position, header)) = scan.next().map_err(|error| segment.scan_error(error))? {
            if header.base_offset >= from && header.has_producer() {
                let marker = read_marker(file.as_ref(), position, &header)
                    .map_err(|error| segment.scan_error(ScanError::Io(error)))?;
                states.update(&header, marker, now_ms);
            }
        }
    }
    Ok(())
}

fn read_marker(file: &dyn StorageFile, position: u64, header: &BatchHeader) -> io::Result<Option<Marker>> {
    if !header.is_control() {
        return Ok(None);
    }
    let mut bytes = vec![0; header.size_in_bytes()];
    file.read_exact_at(&mut bytes, position)?;
    Ok(BatchRef::parse(&bytes).ok().and_then(|batch| marker_of(&batch)))
}

/// Finds the batches before `from` that came just before the ones in `states`.
fn look_back(segments: &[Arc<Segment>], from: i64, states: &mut ProducerStates) -> Result<(), LogError> {
    let mut budget = LOOK_BACK_BYTES;
    for segment in segments.iter().rev().filter(|segment| segment.base_offset < from) {
        let (size, next_offset) = segment.with_tail(|tail| (tail.size, tail.next_offset));
        let file = segment.file()?;
        let end = if next_offset <= from {
            size
        } else {
            segment
                .find(file.as_ref(), from, size)?
                .map_or(size, |(position, _)| position)
        };
        let start = segment.boundary_before(end.saturating_sub(budget))?;
        let mut headers = Vec::new();
        let mut scan = HeaderScan::new(file.as_ref(), start, end);
        // Damage here would have been met by `replay`'s kind of walk when it was fresh; duplicates are then unknown.
        while let Ok(Some((_, header))) = scan.next() {
            if header.has_producer() {
                headers.push(header);
            }
        }
        for header in headers.iter().rev() {
            states.prepend(header);
        }
        budget = budget.saturating_sub(end - start);
        if budget == 0 {
            break;
        }
    }
    Ok(())
}
