//! What a crash leaves of a simulated file system.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Change, DirState, FileState, NameChange, Node, Tree, apply, apply_name};
use super::{Random, SimStorage, Tally};
use crate::leftovers::parse_file_name;

const SECTOR: usize = 512;

impl SimStorage {
    /// The file system after the process was killed: everything written is there.
    pub(in crate::tests) fn after_kill(&self) -> Self {
        Self::of(self.world.lock().unwrap().tree.clone(), &self.tally)
    }

    /// The file system after a power failure: what was synced, and of the rest what chance left. Names changed in
    /// order within each directory, as a journaling file system does it.
    pub(in crate::tests) fn after_power_failure(&self, random: &mut Random) -> Self {
        self.after_losing_power(random, false)
    }

    /// As `after_power_failure`, but any of a directory's unsynced changes may be missing: POSIX promises no order.
    pub(in crate::tests) fn after_power_failure_with_names_in_any_order(&self, random: &mut Random) -> Self {
        self.after_losing_power(random, true)
    }

    fn after_losing_power(&self, random: &mut Random, any_order: bool) -> Self {
        let mut tree = self.world.lock().unwrap().tree.clone();
        let mut dirs: Vec<u64> = tree.dirs.keys().copied().collect();
        dirs.sort_unstable();
        for id in dirs {
            let dir = tree.dirs.get_mut(&id).unwrap();
            let names = surviving_names(dir, random, any_order, &self.tally);
            *dir = DirState {
                now: names.clone(),
                durable: names,
                unsynced: Vec::new(),
            };
        }
        let mut files: Vec<u64> = tree.files.keys().copied().collect();
        files.sort_unstable();
        let of_segments = files_of_segments(&tree);
        for id in files {
            let file = tree.files.get_mut(&id).unwrap();
            let mut bytes = surviving_bytes(file, random, &self.tally);
            if of_segments.contains(&id) && random.one_in(8) {
                flip_unsynced(file, &mut bytes, random, &self.tally);
            }
            *file = FileState {
                now: bytes.clone(),
                durable: bytes,
                unsynced: Vec::new(),
            };
        }
        Self::of(tree, &self.tally)
    }
}

fn surviving_names(dir: &DirState, random: &mut Random, any_order: bool, tally: &Tally) -> BTreeMap<String, Node> {
    let mut names = dir.durable.clone();
    let kept: Vec<&NameChange> = if any_order {
        dir.unsynced.iter().filter(|_| random.one_in(2)).collect()
    } else {
        let count = random.index(dir.unsynced.len() + 1);
        dir.unsynced.iter().take(count).collect()
    };
    if kept.len() < dir.unsynced.len() {
        tally.count("directory changes dropped");
        let reordered = kept
            .iter()
            .zip(&dir.unsynced)
            .any(|(kept, change)| !std::ptr::eq(*kept, change));
        if reordered {
            tally.count("directory changes reordered");
        }
    }
    for change in kept {
        apply_name(&mut names, change);
    }
    names
}

/// Files whose names begin with an offset, by what is left of the names.
fn files_of_segments(tree: &Tree) -> BTreeSet<u64> {
    tree.dirs
        .values()
        .flat_map(|dir| &dir.now)
        .filter_map(|(name, node)| match node {
            Node::File(id) if parse_file_name(name).is_some() => Some(*id),
            _ => None,
        })
        .collect()
}

/// Flips a bit of an unsynced write, as a sector that was being written when the power went may hold anything. Base
/// offset and leader epoch of a batch are left alone: no CRC covers them, in Kafka's format.
fn flip_unsynced(file: &FileState, bytes: &mut [u8], random: &mut Random, tally: &Tally) {
    let writes = file.unsynced.iter().filter_map(|change| match change {
        Change::Write(position, data) => Some((usize::try_from(*position).unwrap(), data.len())),
        Change::SetLen(_) => None,
    });
    let writes: Vec<(usize, usize)> = writes.collect();
    if writes.is_empty() {
        return;
    }
    let (start, len) = writes[random.index(writes.len())];
    let within = random.index(len.max(1));
    let at = start + within;
    if !(0..8).contains(&within) && !(12..16).contains(&within) && at < bytes.len() {
        bytes[at] ^= 1 << random.index(8);
        tally.count("bits flipped in unsynced writes");
    }
}

/// What of a file survives: a random one of five ways in which disks and file systems lose unsynced writes.
fn surviving_bytes(file: &FileState, random: &mut Random, tally: &Tally) -> Vec<u8> {
    if file.unsynced.is_empty() {
        return file.durable.clone();
    }
    let mut bytes = match random.below(5) {
        0 => {
            tally.count("all unsynced writes of a file dropped");
            file.durable.clone()
        }
        1 => first_writes(file, random, tally),
        2 => some_writes(file, random, tally),
        3 => sectors_of_any_age(file, random, tally),
        _ => file.now.clone(),
    };
    if random.one_in(4) && bytes.len() < file.now.len() {
        tally.count("length on disk without the data");
        let len = bytes.len() + random.index(file.now.len() - bytes.len() + 1);
        bytes.resize(len, 0);
    }
    bytes
}

/// The writes up to a moment, the last one torn at a byte.
fn first_writes(file: &FileState, random: &mut Random, tally: &Tally) -> Vec<u8> {
    let mut bytes = file.durable.clone();
    let count = random.index(file.unsynced.len());
    file.unsynced
        .iter()
        .take(count)
        .for_each(|change| apply(&mut bytes, change));
    if let Some(Change::Write(position, data)) = file.unsynced.get(count) {
        tally.count("write torn at a byte");
        let kept = random.index(data.len() + 1);
        apply(&mut bytes, &Change::Write(*position, data[..kept].to_vec()));
    }
    bytes
}

/// Each write is there, or not, or some of its sectors.
fn some_writes(file: &FileState, random: &mut Random, tally: &Tally) -> Vec<u8> {
    let mut bytes = file.durable.clone();
    let mut dropped = false;
    for change in &file.unsynced {
        match (random.below(3), change) {
            (0, _) => dropped = true,
            (1, Change::Write(position, data)) => {
                for (index, sector) in data.chunks(SECTOR).enumerate() {
                    if random.one_in(2) {
                        let start = position + (index * SECTOR) as u64;
                        apply(&mut bytes, &Change::Write(start, sector.to_vec()));
                    }
                }
                tally.count("write torn at sectors");
            }
            _ => {
                if dropped {
                    tally.count("write on disk before an earlier one");
                }
                apply(&mut bytes, change);
            }
        }
    }
    bytes
}

/// Each sector went to disk at a moment of its own, as the page cache pleased, and the length at another one.
fn sectors_of_any_age(file: &FileState, random: &mut Random, tally: &Tally) -> Vec<u8> {
    let mut versions = vec![file.durable.clone()];
    for change in &file.unsynced {
        let mut next = versions[versions.len() - 1].clone();
        apply(&mut next, change);
        versions.push(next);
    }
    let len = versions[random.index(versions.len())].len();
    let mut bytes = vec![0; len];
    for (index, sector) in bytes.chunks_mut(SECTOR).enumerate() {
        let version = &versions[random.index(versions.len())];
        let old = version.get(index * SECTOR..).unwrap_or_default();
        let kept = old.len().min(sector.len());
        sector[..kept].copy_from_slice(&old[..kept]);
    }
    tally.count("sectors of different ages");
    bytes
}
