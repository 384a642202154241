//! A simulated file system that keeps apart what was written and what is on disk.
//!
//! Data becomes durable by `sync_data`, names by `sync_dir`. A power failure keeps, of each file's unsynced writes, a
//! random choice, sector by sector, and of each directory's unsynced changes a random number of the first ones. The
//! n-th change can fail; a failed sync loses what it should have made durable, and a later one does not bring it back.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::storage::{DirEntry, OpenMode, Storage, StorageFile, StorageLock};

const SECTOR: usize = 512;
const ENOSPC: i32 = 28;
const EIO: i32 = 5;

/// A small generator of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    pub(super) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Dir(u64),
    File(u64),
}

#[derive(Clone, Debug)]
enum Change {
    Write(u64, Vec<u8>),
    SetLen(u64),
}

#[derive(Clone, Debug, Default)]
struct FileState {
    now: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<Change>,
}

#[derive(Clone, Debug)]
enum NameChange {
    Add(String, Node),
    Remove(String),
    Rename(String, String, Node),
}

#[derive(Clone, Debug, Default)]
struct DirState {
    now: BTreeMap<String, Node>,
    durable: BTreeMap<String, Node>,
    unsynced: Vec<NameChange>,
}

/// A change that is to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    NoSpace,
    Broken,
}

#[derive(Clone, Debug, Default)]
struct World {
    dirs: HashMap<u64, DirState>,
    files: HashMap<u64, FileState>,
    next_id: u64,
    changes: u64,
    fault: Option<(u64, Fault)>,
    /// All changes from the fault on fail.
    lasting: bool,
    locks: BTreeSet<PathBuf>,
}

#[derive(Clone, Debug)]
pub(super) struct SimStorage(Arc<Mutex<World>>);

#[derive(Debug)]
struct SimFile {
    storage: SimStorage,
    id: u64,
}

#[derive(Debug)]
struct SimLock {
    storage: SimStorage,
    path: PathBuf,
}

impl StorageLock for SimLock {}

impl Drop for SimLock {
    fn drop(&mut self) {
        self.storage.0.lock().unwrap().locks.remove(&self.path);
    }
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    match change {
        Change::SetLen(len) => bytes.resize(usize::try_from(*len).unwrap(), 0),
        Change::Write(position, data) => {
            let start = usize::try_from(*position).unwrap();
            bytes.resize(bytes.len().max(start + data.len()), 0);
            bytes[start..start + data.len()].copy_from_slice(data);
        }
    }
}

fn apply_name(names: &mut BTreeMap<String, Node>, change: &NameChange) {
    match change {
        NameChange::Add(name, node) => _ = names.insert(name.clone(), *node),
        NameChange::Remove(name) => _ = names.remove(name),
        NameChange::Rename(from, to, node) => {
            names.remove(from);
            names.insert(to.clone(), *node);
        }
    }
}

impl SimStorage {
    /// An empty file system but for `/data`.
    pub(super) fn new() -> Self {
        let storage = Self::empty();
        storage.create_dir_all(Path::new("/data")).unwrap();
        storage.sync_dir(Path::new("/")).unwrap();
        storage
    }

    pub(super) fn empty() -> Self {
        let world = World {
            dirs: HashMap::from([(0, DirState::default())]),
            next_id: 1,
            ..World::default()
        };
        Self(Arc::new(Mutex::new(world)))
    }

    pub(super) fn shared() -> Arc<dyn Storage> {
        Arc::new(Self::new())
    }

    /// Number of changes so far.
    pub(super) fn changes(&self) -> u64 {
        self.0.lock().unwrap().changes
    }

    /// Lets the change after `count` further ones fail, and with `lasting` every one after it.
    pub(super) fn fail_after(&self, count: u64, fault: Fault, lasting: bool) {
        let mut world = self.0.lock().unwrap();
        world.fault = Some((world.changes + count, fault));
        world.lasting = lasting;
    }

    /// The file system after the process was killed: everything written is there.
    pub(super) fn after_kill(&self) -> Self {
        let mut world = self.0.lock().unwrap().clone();
        world.fault = None;
        world.locks.clear();
        Self(Arc::new(Mutex::new(world)))
    }

    /// The file system after a power failure.
    pub(super) fn after_power_failure(&self, random: &mut Random) -> Self {
        let image = self.after_kill();
        {
            let mut world = image.0.lock().unwrap();
            let mut dirs: Vec<u64> = world.dirs.keys().copied().collect();
            dirs.sort_unstable();
            for id in dirs {
                let dir = world.dirs.get_mut(&id).unwrap();
                let kept = usize::try_from(random.below(dir.unsynced.len() as u64 + 1)).unwrap();
                let mut names = dir.durable.clone();
                dir.unsynced
                    .iter()
                    .take(kept)
                    .for_each(|change| apply_name(&mut names, change));
                *dir = DirState {
                    now: names.clone(),
                    durable: names,
                    unsynced: Vec::new(),
                };
            }
            let mut files: Vec<u64> = world.files.keys().copied().collect();
            files.sort_unstable();
            for id in files {
                let file = world.files.get_mut(&id).unwrap();
                let bytes = survive(file, random);
                *file = FileState {
                    now: bytes.clone(),
                    durable: bytes,
                    unsynced: Vec::new(),
                };
            }
        }
        image
    }

    /// All files with their contents, for comparisons.
    pub(super) fn contents(&self, dir: &Path) -> BTreeMap<String, Vec<u8>> {
        let world = self.0.lock().unwrap();
        let Ok(Node::Dir(id)) = world.find(dir) else {
            return BTreeMap::new();
        };
        world.dirs[&id]
            .now
            .iter()
            .filter_map(|(name, node)| match node {
                Node::File(file) => Some((name.clone(), world.files[file].now.clone())),
                Node::Dir(_) => None,
            })
            .collect()
    }

    /// Changes a file's bytes behind the log's back, durably.
    pub(super) fn corrupt(&self, path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
        let mut world = self.0.lock().unwrap();
        let Ok(Node::File(id)) = world.find(path) else {
            panic!("no file {}", path.display())
        };
        let file = world.files.get_mut(&id).unwrap();
        change(&mut file.now);
        file.durable = file.now.clone();
    }
}

/// What of a file survives a power failure.
fn survive(file: &FileState, random: &mut Random) -> Vec<u8> {
    let mut bytes = file.durable.clone();
    for change in &file.unsynced {
        match (random.below(4), change) {
            (0, _) => {}
            (1, Change::Write(position, data)) => {
                for (index, sector) in data.chunks(SECTOR).enumerate() {
                    if random.one_in(2) {
                        apply(
                            &mut bytes,
                            &Change::Write(position + (index * SECTOR) as u64, sector.to_vec()),
                        );
                    }
                }
            }
            (2, Change::Write(position, data)) => {
                let kept = usize::try_from(random.below(data.len() as u64)).unwrap();
                apply(&mut bytes, &Change::Write(*position, data[..kept].to_vec()));
            }
            _ => apply(&mut bytes, change),
        }
    }
    if !file.unsynced.is_empty() && random.one_in(4) {
        // The length reached the disk, the data did not.
        let len = bytes.len() + usize::try_from(random.below(2000)).unwrap();
        bytes.resize(len.min(bytes.len().max(file.now.len())), 0);
    }
    bytes
}

impl World {
    fn find(&self, path: &Path) -> io::Result<Node> {
        let mut node = Node::Dir(0);
        for part in path.components().skip(1) {
            let Node::Dir(id) = node else {
                return Err(io::ErrorKind::NotADirectory.into());
            };
            let name = part.as_os_str().to_str().unwrap();
            node = *self.dirs[&id].now.get(name).ok_or(io::ErrorKind::NotFound)?;
        }
        Ok(node)
    }

    fn parent(&self, path: &Path) -> io::Result<(u64, String)> {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match self.find(path.parent().unwrap())? {
            Node::Dir(id) => Ok((id, name)),
            Node::File(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn rename_in(&mut self, dir: u64, change: NameChange) {
        let dir = self.dirs.get_mut(&dir).unwrap();
        apply_name(&mut dir.now, &change);
        dir.unsynced.push(change);
    }

    /// Counts a change and fails if it is the one to fail.
    fn change(&mut self) -> io::Result<()> {
        let number = self.changes;
        self.changes += 1;
        match self.fault {
            Some((at, fault)) if number == at || (self.lasting && number > at) => {
                Err(io::Error::from_raw_os_error(if fault == Fault::NoSpace {
                    ENOSPC
                } else {
                    EIO
                }))
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, dir: u64, name: String, is_dir: bool) -> Node {
        let id = self.next_id;
        self.next_id += 1;
        let node = if is_dir {
            self.dirs.insert(id, DirState::default());
            Node::Dir(id)
        } else {
            self.files.insert(id, FileState::default());
            Node::File(id)
        };
        self.rename_in(dir, NameChange::Add(name, node));
        node
    }
}

impl StorageFile for SimFile {
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let world = self.storage.0.lock().unwrap();
        let bytes = &world.files[&self.id].now;
        let start = usize::try_from(position).unwrap().min(bytes.len());
        let count = buffer.len().min(bytes.len() - start);
        buffer[..count].copy_from_slice(&bytes[start..start + count]);
        Ok(count)
    }

    fn write_all_at(&self, data: &[u8], position: u64) -> io::Result<()> {
        let mut world = self.storage.0.lock().unwrap();
        let outcome = world.change();
        let written = if outcome.is_ok() { data } else { &data[..data.len() / 2] };
        let change = Change::Write(position, written.to_vec());
        let file = world.files.get_mut(&self.id).unwrap();
        apply(&mut file.now, &change);
        file.unsynced.push(change);
        outcome
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.storage.0.lock().unwrap().files[&self.id].now.len() as u64)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut world = self.storage.0.lock().unwrap();
        world.change()?;
        let change = Change::SetLen(len);
        let file = world.files.get_mut(&self.id).unwrap();
        apply(&mut file.now, &change);
        file.unsynced.push(change);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut world = self.storage.0.lock().unwrap();
        let outcome = world.change();
        let file = world.files.get_mut(&self.id).unwrap();
        file.unsynced.clear();
        if outcome.is_ok() {
            file.durable = file.now.clone();
        }
        outcome
    }

    fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

impl Storage for SimStorage {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn StorageFile>> {
        let mut world = self.0.lock().unwrap();
        let node = match world.find(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && mode == OpenMode::Create => {
                let (dir, name) = world.parent(path)?;
                world.change()?;
                world.add(dir, name, false)
            }
            found => found?,
        };
        match node {
            Node::File(id) => Ok(Arc::new(SimFile {
                storage: self.clone(),
                id,
            })),
            Node::Dir(_) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        Ok(self.0.lock().unwrap().find(path).is_ok())
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let world = self.0.lock().unwrap();
        let Node::Dir(id) = world.find(path)? else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        let entry = |(name, node): (&String, &Node)| match node {
            Node::Dir(_) => DirEntry {
                name: name.clone(),
                is_dir: true,
                len: 0,
            },
            Node::File(id) => DirEntry {
                name: name.clone(),
                is_dir: false,
                len: world.files[id].now.len() as u64,
            },
        };
        Ok(world.dirs[&id].now.iter().map(entry).collect())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.0.lock().unwrap();
        let node = world.find(from)?;
        world.change()?;
        let ((from_dir, from), (to_dir, to)) = (world.parent(from)?, world.parent(to)?);
        assert_eq!(from_dir, to_dir, "renames stay in their directory");
        world.rename_in(from_dir, NameChange::Rename(from, to, node));
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut world = self.0.lock().unwrap();
        world.find(path)?;
        world.change()?;
        let (dir, name) = world.parent(path)?;
        world.rename_in(dir, NameChange::Remove(name));
        Ok(())
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        if path == Path::new("/") || self.exists(path)? {
            return Ok(());
        }
        self.create_dir_all(path.parent().unwrap())?;
        let mut world = self.0.lock().unwrap();
        world.change()?;
        let (dir, name) = world.parent(path)?;
        world.add(dir, name, true);
        Ok(())
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        for entry in self.read_dir(path)? {
            let path = path.join(entry.name);
            if entry.is_dir {
                self.remove_dir_all(&path)?;
            } else {
                self.remove_file(&path)?;
            }
        }
        self.remove_file(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut world = self.0.lock().unwrap();
        let Node::Dir(id) = world.find(path)? else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        let outcome = world.change();
        let dir = world.dirs.get_mut(&id).unwrap();
        dir.unsynced.clear();
        if outcome.is_ok() {
            dir.durable = dir.now.clone();
        }
        outcome
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn StorageLock>>> {
        let mut world = self.0.lock().unwrap();
        if !world.locks.insert(path.to_owned()) {
            return Ok(None);
        }
        Ok(Some(Box::new(SimLock {
            storage: self.clone(),
            path: path.to_owned(),
        })))
    }
}
